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

size_t cst_etmv4d_packet_text(const struct cst_packet *pkt, char *out, size_t cap)
{
	struct cst_text t;

	cst_text_init(&t, out, cap);
	if (pkt->type >= CST_ETMV4D_PKT_TYPES) {
		cst_text_str(&t, "D_UNKNOWN : Unknown Packet Header");
		return cst_text_end(&t);
	}
	cst_text_str_in(&t, types[pkt->type].name, " : ", types[pkt->type].text);
	switch (pkt->type) {
	case CST_ETMV4D_PKT_BAD_SEQUENCE:
	case CST_ETMV4D_PKT_INCOMPLETE:
		if (pkt->bad_type < CST_ETMV4D_PKT_TYPES)
			cst_text_str_in(&t, "[", types[pkt->bad_type].name, "]");
		break;
	case CST_ETMV4D_PKT_TRACE_INFO:
		cst_text_hex_in(&t, "; INFO=0x", pkt->info, 1, "");
		cst_text_hex_in(&t, "; KEY=0x", pkt->key, 1, "");
		break;
	case CST_ETMV4D_PKT_TIMESTAMP:
		cst_text_hex_in(&t, "; Updated val = 0x", pkt->ts, 1, "");
		break;
	case CST_ETMV4D_PKT_SYNC_NUM:
	case CST_ETMV4D_PKT_EVENT:
		cst_text_dec_in(&t, "; ", pkt->event, "");
		break;
	}
	return cst_text_end(&t);
}
