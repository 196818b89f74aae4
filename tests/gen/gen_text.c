/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_text.c - expected events as text, for messages of tests and for truth files. */
#include <inttypes.h>
#include <stdio.h>

#include "gen_case.h"

const char *gen_event_text(const struct gen_event *ev, char *buf, size_t n)
{
	switch (ev->kind) {
	case GEN_FRAGMENT:
		snprintf(buf, n, "A");
		break;
	case GEN_RANGE:
		snprintf(buf, n, "R %" PRIx64 " %" PRIx64 " %u %c", ev->start, ev->end, ev->n,
			 ev->atom);
		break;
	case GEN_NOPATH:
		snprintf(buf, n, "P %" PRIx64 " %" PRIx64 " %u", ev->start, ev->next, ev->n);
		break;
	case GEN_EXCEPTION:
		snprintf(buf, n, "X %u %" PRIx64, ev->num, ev->start);
		break;
	case GEN_EXC_RETURN:
		snprintf(buf, n, "E");
		break;
	case GEN_TRACE_ON:
		snprintf(buf, n, "T");
		break;
	case GEN_CONTEXT:
		snprintf(buf, n, "C %u %u %u", ev->tid, ev->vmid, ev->el);
		break;
	case GEN_TIMESTAMP:
		snprintf(buf, n, "S %" PRIu64, ev->value);
		break;
	case GEN_CYCLES:
		if (ev->flags & GEN_F_UNKNOWN)
			snprintf(buf, n, "Y ?");
		else
			snprintf(buf, n, "Y %" PRIu64, ev->value);
		break;
	case GEN_EVENTS:
		snprintf(buf, n, "N %u", ev->num);
		break;
	case GEN_OVERFLOW:
		snprintf(buf, n, "V");
		break;
	case GEN_DISCARD:
		snprintf(buf, n, "D");
		break;
	case GEN_TS_MARKER:
		snprintf(buf, n, "M");
		break;
	case GEN_ITE:
		snprintf(buf, n, "I %u %" PRIx64, ev->num, ev->value);
		break;
	case GEN_TX_INIT:
		snprintf(buf, n, "B init");
		break;
	case GEN_TX_START:
		snprintf(buf, n, "B start");
		break;
	case GEN_TX_COMMIT:
		snprintf(buf, n, "B commit");
		break;
	case GEN_TX_FAIL:
		snprintf(buf, n, "B fail");
		break;
	case GEN_END:
		snprintf(buf, n, "Z");
		break;
	default:
		snprintf(buf, n, "?");
		break;
	}
	return buf;
}
