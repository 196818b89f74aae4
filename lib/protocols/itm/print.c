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

static void hex(struct cst_text *t, const char *key, uint64_t value, unsigned int digits)
{
	cst_text_str(t, key);
	cst_text_mem(t, "0x", 2);
	cst_text_hex(t, value, digits);
}

static void put_event_counters(struct cst_text *t, const struct cst_packet *pkt)
{
	unsigned int i;

	hex(t, "[Event Counter: ", pkt->value, 2);
	cst_text_str(t, "; Flags: ");
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		cst_text_str(t, pkt->value >> i & 1 ? events[i] : " --- ");
	cst_text_str(t, "] ");
}

static void put_data_trace(struct cst_text *t, const struct cst_packet *pkt)
{
	cst_text_dec_in(t, "[Data Trc: comp=", pkt->event >> 1 & 3, "");
	if (pkt->event >= 16) {
		hex(t, pkt->event & 1 ? "; Val write: " : "; Val read: ", pkt->value, 2 * pkt->vsize);
		cst_text_str(t, "] ");
	} else {
		hex(t, pkt->event & 1 ? "; Address=" : "; PC Value=", pkt->value, 2 * pkt->vsize);
		cst_text_str(t, " ] ");
	}
}

static void put_dwt(struct cst_text *t, const struct cst_packet *pkt)
{
	hex(t, "{desc: ", pkt->event, 2);
	cst_text_str(t, "} ");
	switch (pkt->event) {
	case 0:
		put_event_counters(t, pkt);
		break;
	case 1:
		hex(t, "[Exception Num:  ", pkt->value & 0x1ff, 4);
		cst_text_char(t, '(');
		cst_text_str(t, exception_steps[pkt->value >> 12 & 3]);
		cst_text_str(t, ") ]");
		break;
	case 2:
		hex(t, "[PC Sample: ", pkt->value, 2 * pkt->vsize);
		cst_text_str(t, "] ");
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
	hex(t, "} ", pkt->value, 2 * pkt->vsize);
}

static void put_extension(struct cst_text *t, const struct cst_packet *pkt)
{
	if (pkt->count == 3 && !(pkt->flags & CST_ITM_PF_HARDWARE)) {
		hex(t, "{stim port page} ", pkt->value, 2);
		return;
	}
	cst_text_dec_in(t, "{unknown extension type, ", pkt->count, "");
	hex(t, " bits } ", pkt->value, pkt->count / 4 + 1);
}

static void put_details(struct cst_text *t, const struct cst_packet *pkt)
{
	switch (pkt->type) {
	case CST_ITM_PKT_SWIT:
		hex(t, "{src id: ", pkt->event, 2);
		hex(t, "}  ", pkt->value, 2 * pkt->vsize);
		break;
	case CST_ITM_PKT_DWT:
		put_dwt(t, pkt);
		break;
	case CST_ITM_PKT_LOCAL_TS:
		hex(t, "", pkt->value, 2 * pkt->vsize);
		cst_text_str(t, " { ");
		cst_text_str(t, delays[pkt->event & 3]);
		cst_text_str(t, " }");
		break;
	case CST_ITM_PKT_GLOBAL_TS1:
		put_global_ts1(t, pkt);
		break;
	case CST_ITM_PKT_GLOBAL_TS2:
		/* payloads of five or six bytes are printed as 40 bits */
		hex(t, pkt->vsize > 4 ? "{ TS bits [63:26]} " : "{ TS bits [47:26]} ", pkt->value,
		    pkt->vsize > 4 ? 10 : 2 * pkt->vsize);
		break;
	case CST_ITM_PKT_EXTENSION:
		put_extension(t, pkt);
		break;
	case CST_ITM_PKT_INCOMPLETE:
	case CST_ITM_PKT_BAD_SEQUENCE:
		cst_text_str(t, "[Init type: ");
		cst_text_str(t, pkt->bad_type < CST_ITM_PKT_TYPES ? types[pkt->bad_type].name : "ITM_UNKNOWN");
		cst_text_str(t, "] ");
		break;
	}
}

size_t cst_itm_packet_text(const struct cst_packet *pkt, char *out, size_t cap)
{
	struct cst_text t;

	cst_text_init(&t, out, cap);
	if (pkt->type >= CST_ITM_PKT_TYPES)
		return cst_text_end(&t);
	cst_text_str(&t, types[pkt->type].name);
	cst_text_str(&t, ": ");
	put_details(&t, pkt);
	cst_text_str(&t, "; '");
	cst_text_str(&t, types[pkt->type].text);
	cst_text_char(&t, '\'');
	return cst_text_end(&t);
}
