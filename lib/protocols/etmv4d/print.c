/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * print.c - ETMv4 data trace packets as text, in the form of those of the instruction stream: the reference lister does
 * not print them.
 */
#include "base/text.h"
#include "protocols/etmv4d/etmv4d.h"

static const struct {
	const char *name, *text;
} types[CST_ETMV4D_PKT_TYPES] = {
	[CST_ETMV4D_PKT_NOT_SYNC] = { "D_NOT_SYNC", "D Stream not synchronised" },
	[CST_ETMV4D_PKT_INCOMPLETE] = { "D_INCOMPLETE_EOT", "Incomplete packet at end of trace." },
	[CST_ETMV4D_PKT_BAD_SEQUENCE] = { "D_BAD_SEQUENCE", "Invalid Sequence in packet." },
	[CST_ETMV4D_PKT_RESERVED] = { "D_RESERVED", "Reserved Packet Header" },
	[CST_ETMV4D_PKT_ASYNC] = { "D_ASYNC", "Alignment Synchronisation." },
	[CST_ETMV4D_PKT_TRACE_INFO] = { "D_TRACE_INFO", "Trace Info." },
	[CST_ETMV4D_PKT_DISCARD] = { "D_DISCARD", "Discard." },
	[CST_ETMV4D_PKT_OVERFLOW] = { "D_OVERFLOW", "Overflow." },
	[CST_ETMV4D_PKT_SYNC_NUM] = { "D_NUM_DS_MKR", "Data Synchronisation Marker - Numbered." },
	[CST_ETMV4D_PKT_SYNC] = { "D_UNNUM_DS_MKR", "Data Synchronisation Marker - Unnumbered." },
	[CST_ETMV4D_PKT_TIMESTAMP] = { "D_TIMESTAMP", "Timestamp." },
	[CST_ETMV4D_PKT_SUPPRESSION] = { "D_SUPPRESSION", "Data suppressed." },
	[CST_ETMV4D_PKT_EVENT] = { "D_EVENT", "Trace Event." },
	[CST_ETMV4D_PKT_P1_F1] = { "D_ADDR_P1_F1", "Data Address, format 1; length unknown." },
	[CST_ETMV4D_PKT_P1_F2] = { "D_ADDR_P1_F2", "Data Address, format 2; length unknown." },
	[CST_ETMV4D_PKT_P1_F3] = { "D_ADDR_P1_F3", "Data Address, format 3; length unknown." },
	[CST_ETMV4D_PKT_P1_F4] = { "D_ADDR_P1_F4", "Data Address, format 4; length unknown." },
	[CST_ETMV4D_PKT_P1_F5] = { "D_ADDR_P1_F5", "Data Address, format 5; length unknown." },
	[CST_ETMV4D_PKT_P1_F6] = { "D_ADDR_P1_F6", "Data Address, format 6; length unknown." },
	[CST_ETMV4D_PKT_P1_F7] = { "D_ADDR_P1_F7", "Data Address, format 7; length unknown." },
	[CST_ETMV4D_PKT_P2_F1] = { "D_VAL_P2_F1", "Data Value, format 1; length unknown." },
	[CST_ETMV4D_PKT_P2_F2] = { "D_VAL_P2_F2", "Data Value, format 2; length unknown." },
	[CST_ETMV4D_PKT_P2_F3] = { "D_VAL_P2_F3", "Data Value, format 3; length unknown." },
	[CST_ETMV4D_PKT_P2_F4] = { "D_VAL_P2_F4", "Data Value, format 4; length unknown." },
	[CST_ETMV4D_PKT_P2_F5] = { "D_VAL_P2_F5", "Data Value, format 5; length unknown." },
	[CST_ETMV4D_PKT_P2_F6] = { "D_VAL_P2_F6", "Data Value, format 6; length unknown." },
};

static void hex(struct cst_text *t, const char *key, uint64_t value)
{
	cst_text_str(t, key);
	cst_text_mem(t, "0x", 2);
	cst_text_hex(t, value, 1);
}

size_t cst_etmv4d_packet_text(const struct cst_packet *pkt, char *out, size_t cap)
{
	struct cst_text t;

	cst_text_init(&t, out, cap);
	if (pkt->type >= CST_ETMV4D_PKT_TYPES) {
		cst_text_str(&t, "D_UNKNOWN : Unknown Packet Header");
		return cst_text_end(&t);
	}
	cst_text_str(&t, types[pkt->type].name);
	cst_text_str(&t, " : ");
	cst_text_str(&t, types[pkt->type].text);
	switch (pkt->type) {
	case CST_ETMV4D_PKT_BAD_SEQUENCE:
	case CST_ETMV4D_PKT_INCOMPLETE:
		if (pkt->bad_type < CST_ETMV4D_PKT_TYPES) {
			cst_text_char(&t, '[');
			cst_text_str(&t, types[pkt->bad_type].name);
			cst_text_char(&t, ']');
		}
		break;
	case CST_ETMV4D_PKT_TRACE_INFO:
		hex(&t, "; INFO=", pkt->info);
		hex(&t, "; KEY=", pkt->key);
		break;
	case CST_ETMV4D_PKT_TIMESTAMP:
		hex(&t, "; Updated val = ", pkt->ts);
		break;
	case CST_ETMV4D_PKT_SYNC_NUM:
	case CST_ETMV4D_PKT_EVENT:
		cst_text_dec_in(&t, "; ", pkt->event, "");
		break;
	}
	return cst_text_end(&t);
}
