/* SPDX-License-Identifier: GPL-2.0-only */
/* text.h - JSON text that is written, or only counted. */
#ifndef CSTRACE_OUTPUTS_TIMELINE_TEXT_H
#define CSTRACE_OUTPUTS_TIMELINE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/files/output.h"

struct text {
	struct pd_output *out;	/* NULL: only counted */
	uint64_t written;
	size_t fill;
	char buf[1 << 16];
};

/* Writes text of less than a thousand bytes; a number in decimal. */
void text_put_words(struct text *t, const char *words);
void text_put_number(struct text *t, uint64_t number);
void text_put_integer(struct text *t, int64_t number);
/* As both, for what is written now and then: it takes fifty times as long. */
void text_put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Writes a name in quotes. Viewers show it, so it stays UTF-8; other bytes and control characters are shown as \xNN
 * (base/name.h). Longer than a thousand bytes, it is cut: viewers show less.
 */
void text_name(struct text *t, const char *name);
void text_flush(struct text *t);

#endif
