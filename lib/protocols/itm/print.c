/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * print.c - ITM and DWT packets as text, in the words of the reference lister.
 */
#include "base/text.h"
#include "protocols/itm/itm.h"

static const struct {
	const char *name, *text;
} types[CST_ITM_PKT_TYPES] = {
	[CST_ITM_PKT_NOT_SYNC] = { "ITM_NOTSYNC", "ITM data stream not synchronised" },
	[CST_ITM_PKT_INCOMPLETE] = { "ITM_INCOMPLETE_EOT", "Incomplete packet flushed at end of trace" },
	[CST_ITM_PKT_BAD_SEQUENCE] = { "ITM_BAD_SEQUENCE", "Invalid sequence in packet" },
	[CST_ITM_PKT_RESERVED] = { "ITM_RESERVED", "Reserved Packet Header" },
	[CST_ITM_PKT_ASYNC] = { "ITM_ASYNC", "Alignment synchronisation packet" },
	[CST_ITM_PKT_OVERFLOW] = { "ITM_OVERFLOW", "ITM overflow packet" },
	[CST_ITM_PKT_SWIT] = { "ITM_SWIT", "Software Stimulus write packet" },
	[CST_ITM_PKT_DWT] = { "ITM_DWT", "DWT hardware stimulus write" },
	[CST_ITM_PKT_LOCAL_TS] = { "ITM_TS_LOCAL", "Local Timestamp" },
	[CST_ITM_PKT_GLOBAL_TS1] = { "ITM_GTS_1", "Global Timestamp [25:0]" },
	[CST_ITM_PKT_GLOBAL_TS2] = { "ITM_GTS_2", "Global Timestamp [{63|42}:26]" },
	[CST_ITM_PKT_EXTENSION] = { "ITM_EXTENSION", "Extension packet" },
};

static const char *const delays[] = {
	"TS Sync", "TS Delayed", "TS Sync, Packet Delayed", "TS Delayed, Packet Delayed",
};

static const char *const events[] = { " CPI ", " EXC ", " Sleep ", " LSU ", " Fold ", " CYC " };

static const char *const exception_steps[] = { "reserved", "entered", "exited", "returned to" };

static void put_event_counters(struct cst_text *t, const struct cst_packet *pkt)
{
	unsigned int i;

	cst_text_hex_in(t, "[Event Counter: 0x", pkt->value, 2, "; Flags: ");
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		cst_text_str(t, pkt->value >> i & 1 ? events[i] : " --- ");
	cst_text_str(t, "] ");
}

static void put_data_trace(struct cst_text *t, const struct cst_packet *pkt)
{
	cst_text_dec_in(t, "[Data Trc: comp=", pkt->event >> 1 & 3, "");
	if (pkt->event >= 16)
		cst_text_hex_in(t, pkt->event & 1 ? "; Val write: 0x" : "; Val read: 0x",
				pkt->value, 2 * pkt->vsize, "] ");
	else
		cst_text_hex_in(t, pkt->event & 1 ? "; Address=0x" : "; PC Value=0x", pkt->value,
				2 * pkt->vsize, " ] ");
}

static void put_dwt(struct cst_text *t, const struct cst_packet *pkt)
{
	cst_text_hex_in(t, "{desc: 0x", pkt->event, 2, "} ");
	switch (pkt->event) {
	case 0:
		put_event_counters(t, pkt);
		break;
	case 1:
		cst_text_hex_in(t, "[Exception Num:  0x", pkt->value & 0x1ff, 4, "(");
		cst_text_str_in(t, exception_steps[pkt->value >> 12 & 3], ") ]", "");
		break;
	case 2:
		cst_text_hex_in(t, "[PC Sample: 0x", pkt->value, 2 * pkt->vsize, "] ");
		break;
	default:
		if (pkt->event >= 8 && pkt->event < 24)
			put_data_trace(t, pkt);
		else
			cst_text_str(t, "[Reserved discriminator value] ");
	}
}

static void put_global_ts1(struct cst_text *t, const struct cst_packet *pkt)
{
	cst_text_dec_in(t, "{ TS bits [", pkt->vsize < 4 ? 7 * pkt->vsize - 1 : 25, ":0]");
	cst_text_str(t, pkt->flags & CST_ITM_PF_CLOCK ? ", Clk change" : "");
	cst_text_str(t, pkt->flags & CST_ITM_PF_WRAP ? ", Clk wrap" : "");
	cst_text_hex_in(t, "} 0x", pkt->value, 2 * pkt->vsize, "");
}

static void put_extension(struct cst_text *t, const struct cst_packet *pkt)
{
	if (pkt->count == 3 && !(pkt->flags & CST_ITM_PF_HARDWARE)) {
		cst_text_hex_in(t, "{stim port page} 0x", pkt->value, 2, "");
		return;
	}
	cst_text_dec_in(t, "{unknown extension type, ", pkt->count, "");
	cst_text_hex_in(t, " bits } 0x", pkt->value, pkt->count / 4 + 1, "");
}

static void put_details(struct cst_text *t, const struct cst_packet *pkt)
{
	switch (pkt->type) {
	case CST_ITM_PKT_SWIT:
		cst_text_hex_in(t, "{src id: 0x", pkt->event, 2, "}  ");
		cst_text_hex_in(t, "0x", pkt->value, 2 * pkt->vsize, "");
		break;
	case CST_ITM_PKT_DWT:
		put_dwt(t, pkt);
		break;
	case CST_ITM_PKT_LOCAL_TS:
		cst_text_hex_in(t, "0x", pkt->value, 2 * pkt->vsize, " { ");
		cst_text_str_in(t, delays[pkt->event & 3], " }", "");
		break;
	case CST_ITM_PKT_GLOBAL_TS1:
		put_global_ts1(t, pkt);
		break;
	case CST_ITM_PKT_GLOBAL_TS2:
		/* payloads of five or six bytes are printed as 40 bits */
		cst_text_str(t, pkt->vsize > 4 ? "{ TS bits [63:26]} " : "{ TS bits [47:26]} ");
		cst_text_hex_in(t, "0x", pkt->value, pkt->vsize > 4 ? 10 : 2 * pkt->vsize, "");
		break;
	case CST_ITM_PKT_EXTENSION:
		put_extension(t, pkt);
		break;
	case CST_ITM_PKT_INCOMPLETE:
	case CST_ITM_PKT_BAD_SEQUENCE:
		cst_text_str_in(t, "[Init type: ", pkt->bad_type < CST_ITM_PKT_TYPES ?
				types[pkt->bad_type].name : "ITM_UNKNOWN", "] ");
		break;
	}
}

size_t cst_itm_packet_text(const struct cst_packet *pkt, char *out, size_t cap)
{
	struct cst_text t;

	cst_text_init(&t, out, cap);
	if (pkt->type >= CST_ITM_PKT_TYPES)
		return cst_text_end(&t);
	cst_text_str_in(&t, types[pkt->type].name, ": ", "");
	put_details(&t, pkt);
	cst_text_str_in(&t, "; '", types[pkt->type].text, "'");
	return cst_text_end(&t);
}
