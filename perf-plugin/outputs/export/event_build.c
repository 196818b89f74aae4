/* SPDX-License-Identifier: GPL-2.0-only */
/* event_build.c - putting an event together, and the record it came from beside it where that is needed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "outputs/export/event_of.h"

void event_begin(struct event_build *b, enum cst_event_verb verb, const char *name, uint64_t time)
{
	memset(&b->ev, 0, sizeof(b->ev));
	b->ev.verb = (uint8_t)verb;
	b->ev.time = time;
	if (name) {
		b->ev.name.p = name;
		b->ev.name.n = strlen(name);
	}
	b->ev.params = b->params;
	b->used = 0;
	b->overflow = false;
}

void event_bytes(struct event_build *b, const char *key, const void *data, size_t len)
{
	struct cst_event_param *p;

	if (b->ev.n_params == CST_EVENT_PARAMS || len > sizeof(b->store) - b->used) {
		b->overflow = true;
		return;
	}
	p = &b->params[b->ev.n_params++];
	p->key = (struct cst_str){ key, strlen(key) };
	p->value = (struct cst_str){ b->store + b->used, len };
	if (len)
		memcpy(b->store + b->used, data, len);
	b->used += len;
}

void event_text(struct event_build *b, const char *key, const char *value)
{
	event_bytes(b, key, value, strlen(value));
}

void event_number(struct event_build *b, const char *key, uint64_t value)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "0x%" PRIx64, value);

	event_bytes(b, key, text, (size_t)n);
}

void event_signed(struct event_build *b, const char *key, int64_t value)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%" PRId64, value);

	event_bytes(b, key, text, (size_t)n);
}
