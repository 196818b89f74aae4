/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * print.c - STM packets as text, in the words of the reference lister.
 */
#include "protocols/protocol/print.h"
#include "protocols/stm/stm.h"

/* The field that follows the text of a packet. */
enum value_form {
	NO_VALUE, DATA, MASTER, CHANNEL, VERSION, FREQUENCY, TRIGGER, BEGAN_AS,
};

static const struct {
	const char *name, *text;
	uint8_t form;
	uint8_t suffixes;	/* 1: name and text get suffixes for a marker and a timestamp */
} types[CST_STM_PKT_TYPES] = {
	[CST_STM_PKT_NOT_SYNC] = { "NOTSYNC", "STM not synchronised", NO_VALUE, 0 },
	[CST_STM_PKT_INCOMPLETE] = { "INCOMPLETE_EOT", "Incomplete packet flushed at end of trace", BEGAN_AS, 0 },
	[CST_STM_PKT_BAD_SEQUENCE] = { "BAD_SEQUENCE", "Invalid sequence in packet", BEGAN_AS, 0 },
	[CST_STM_PKT_RESERVED] = { "RESERVED", "Reserved Packet Header", NO_VALUE, 0 },
	[CST_STM_PKT_ASYNC] = { "ASYNC", "Alignment synchronisation packet", NO_VALUE, 0 },
	[CST_STM_PKT_VERSION] = { "VERSION", "Version packet", VERSION, 0 },
	[CST_STM_PKT_NULL] = { "NULL", "Null packet", NO_VALUE, 0 },
	[CST_STM_PKT_FREQ] = { "FREQ", "Frequency packet", FREQUENCY, 1 },
	[CST_STM_PKT_TRIG] = { "TRIG", "Trigger packet", TRIGGER, 1 },
	[CST_STM_PKT_XSYNC] = { "XSYNC", "Cross synchronisation packet", DATA, 1 },
	[CST_STM_PKT_GERR] = { "GERR", "Global Error", NO_VALUE, 0 },
	[CST_STM_PKT_MERR] = { "MERR", "Master Error", NO_VALUE, 0 },
	[CST_STM_PKT_M8] = { "M8", "Set current master", MASTER, 0 },
	[CST_STM_PKT_M16] = { "M16", "Set current master", MASTER, 0 },
	[CST_STM_PKT_C8] = { "C8", "Set current channel", CHANNEL, 0 },
	[CST_STM_PKT_C16] = { "C16", "Set current channel", CHANNEL, 0 },
	[CST_STM_PKT_FLAG] = { "FLAG", "Flag packet", NO_VALUE, 1 },
	[CST_STM_PKT_D4] = { "D4", "4 bit data", DATA, 1 },
	[CST_STM_PKT_D8] = { "D8", "8 bit data", DATA, 1 },
	[CST_STM_PKT_D16] = { "D16", "16 bit data", DATA, 1 },
	[CST_STM_PKT_D32] = { "D32", "32 bit data", DATA, 1 },
	[CST_STM_PKT_D64] = { "D64", "64 bit data", DATA, 1 },
};

static void put_value(struct cst_text *t, const struct cst_packet *pkt)
{
	switch (types[pkt->type].form) {
	case DATA:
		cst_text_hex_in(t, "; Data=0x", pkt->value, pkt->vsize / 4, "");
		break;
	case MASTER:
		cst_text_hex_in(t, "; Master=0x", pkt->cid, pkt->vsize / 4, "");
		break;
	case CHANNEL:
		cst_text_hex_in(t, "; Chan=0x", pkt->vmid, 4, "");
		break;
	case TRIGGER:
		cst_text_hex_in(t, "; TrigData=0x", pkt->value, 2, "");
		break;
	case VERSION:
		cst_text_dec_in(t, "; Ver=", pkt->value, "");
		break;
	case FREQUENCY:
		cst_text_dec_in(t, "; Freq=", pkt->value, "Hz");
		break;
	case BEGAN_AS:
		cst_text_str_in(t, "[", pkt->bad_type < CST_STM_PKT_TYPES ?
				types[pkt->bad_type].name : "UNKNOWN", "]");
		break;
	}
}

size_t cst_stm_packet_text(const struct cst_packet *pkt, char *out, size_t cap)
{
	unsigned int marker, ts, named;
	struct cst_text t;

	cst_text_init(&t, out, cap);
	if (pkt->type >= CST_STM_PKT_TYPES)
		return cst_text_end(&t);
	named = types[pkt->type].suffixes;
	marker = pkt->flags & CST_STM_PF_MARKER;
	ts = pkt->flags & CST_STM_PF_TS && (named || pkt->type == CST_STM_PKT_NULL);
	cst_text_str_in(&t, types[pkt->type].name, named && marker ? "M" : "",
			named && ts ? "TS:" : ":");
	cst_text_str_in(&t, types[pkt->type].text, named && marker ? " + marker" : "",
			named && ts ? " + timestamp" : "");
	put_value(&t, pkt);
	if (ts) {
		cst_text_str(&t, "; TS=0x");
		cst_text_hex_upper(&t, pkt->ts, 16);
		if (pkt->ts_bits && pkt->ts_bits <= 64)
			cst_print_sent(&t, pkt->ts, pkt->ts_bits);
	}
	return cst_text_end(&t);
}
