/* SPDX-License-Identifier: GPL-2.0-only */
/* event.c - samples of elements beside instructions: as perf has them in files, and as text. */
#include "outputs/synth/event.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "perfdata/records.h"

/* perf's own type of synthesised events, and the numbers of them (perf_synth_id) */
#define TYPE_SYNTH	0x80000000u
#define SYNTH_PTWRITE	0u
#define SYNTH_EVT	7u

/* perf_synth_intel_evt: type (bits 4:0), IP is exact (bit 7), vector (bits 15:8) */
#define EVT_VECTOR_AT	8u
/* in the vector, whose lower bits are events 0 to 3 */
#define EVT_TRIGGER	0x80u

#define IP_FLAG_BRANCH	0x001u
#define IP_FLAG_ABORT	0x080u
#define IP_FLAG_IN_TX	0x400u

/* columns of what perf prints for a synthesised event */
#define TEXT_WIDTH	34

const struct event_type event_types[EVENT_KINDS] = {
	[EVENT_TRANSACTION] = { "transactions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
				PERF_SAMPLE_TRANSACTION },
	[EVENT_PTWRITE] = { "ptwrite", TYPE_SYNTH, SYNTH_PTWRITE, PERF_SAMPLE_RAW },
	[EVENT_EVT] = { "evt", TYPE_SYNTH, SYNTH_EVT, PERF_SAMPLE_RAW },
};

/* An instruction commits a transaction; what aborts it is none (SYNC and ASYNC). */
static bool transaction(unsigned int num, struct event_sample *e)
{
	e->kind = EVENT_TRANSACTION;
	switch (num) {
	case CST_TRANS_START:
		e->value = PERF_TXN_TRANSACTION;
		return true;
	case CST_TRANS_COMMIT:
		e->value = PERF_TXN_TRANSACTION | PERF_TXN_SYNC;
		return true;
	case CST_TRANS_FAIL:
		e->value = PERF_TXN_TRANSACTION | PERF_TXN_ASYNC;
		return true;
	}
	return false;
}

bool event_sample_of(const struct cst_generic *g, struct event_sample *e)
{
	switch (g->kind) {
	case CST_GEN_MEMTRANS:
		return transaction(g->num, e);
	case CST_GEN_INSTRUMENTATION:
		e->kind = EVENT_PTWRITE;
		e->value = g->addr;
		return true;
	case CST_GEN_EVENT:
		e->kind = EVENT_EVT;
		e->value = g->num == CST_EVENT_TRIGGER ? EVT_TRIGGER : g->num & 0xf;
		return true;
	}
	return false;
}

/* A raw field: its size in 32 bits, and what perf has behind the first 32 bits of its struct. */
uint64_t *event_sample_put(uint64_t *p, const struct event_sample *e)
{
	const uint32_t ptwrite[4] = { 12, 0, (uint32_t)e->value, (uint32_t)(e->value >> 32) };
	const uint32_t evt[2] = { 4, (uint32_t)e->value << EVT_VECTOR_AT };

	switch (e->kind) {
	case EVENT_PTWRITE:
		memcpy(p, ptwrite, sizeof(ptwrite));
		return p + sizeof(ptwrite) / (sizeof(*p));
	case EVENT_EVT:
		memcpy(p, evt, sizeof(evt));
		return p + sizeof(evt) / (sizeof(*p));
	case EVENT_TRANSACTION:
	case EVENT_KINDS:
		break;
	}
	*p++ = e->value;
	return p;
}

/* True if the bytes of a value are text: printable ones, then zeros. */
static bool is_text(const char *bytes, size_t size)
{
	size_t n = strnlen(bytes, size), i;

	for (i = 0; i < size; i++)
		if (i < n ? (unsigned char)bytes[i] > 127 || !isprint((unsigned char)bytes[i]) :
			    bytes[i] != 0)
			return false;
	return true;
}

size_t event_sample_text(char *text, size_t size, const struct event_sample *e)
{
	char bytes[sizeof(e->value) + 1] = "";
	int n = 0;

	if (e->kind == EVENT_PTWRITE) {
		memcpy(bytes, &e->value, sizeof(e->value));
		n = snprintf(text, size, " IP: 0 payload: %#" PRIx64 " %s ", e->value,
			     is_text(bytes, sizeof(e->value)) ? bytes : "");
	} else if (e->kind == EVENT_EVT) {
		n = snprintf(text, size, " cfe: 0 IP: 0 vector: %u", (unsigned int)e->value);
	}
	if (n > 0 && n < TEXT_WIDTH)
		n += snprintf(text + n, size - (size_t)n, "%*s", TEXT_WIDTH - n, "");
	text[n] = 0;
	return (size_t)n;
}

unsigned int event_sample_flags(const struct event_sample *e)
{
	if (e->kind != EVENT_TRANSACTION || e->value & PERF_TXN_SYNC)
		return 0;
	return e->value & PERF_TXN_ASYNC ? IP_FLAG_BRANCH | IP_FLAG_ABORT : IP_FLAG_IN_TX;
}
