/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * texts.h - the text of source files, where they are at hand: below --source (the recorded path, and what remains of it
 * without its first folders), below --symfs, or without --symfs at the recorded path. A few of them are in memory at a time.
 */
#ifndef CSTRACE_OUTPUTS_REPORT_TEXTS_H
#define CSTRACE_OUTPUTS_REPORT_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXTS_KEPT	32u

struct text {
	uint32_t file;		/* its number */
	bool used;
	char *path;		/* where it was found; NULL: nowhere */
	char *bytes;
	size_t size;
	size_t *line;		/* begins of lines, and the end */
	size_t nr_lines;
};

struct texts {
	const char *source, *symfs;	/* folders; NULL: none */
	struct text v[TEXTS_KEPT];
	unsigned int next;
};

void texts_init(struct texts *t, const char *source, const char *symfs);
void texts_free(struct texts *t);

/* Returns the text of file number `file` with this name. Its path is NULL if it is not at hand. Valid until the next call. */
const struct text *texts_of(struct texts *t, uint32_t file, const char *name);
/* Returns a line, from 1, without its end; false: there is none. */
bool text_line(const struct text *t, unsigned int line, const char **text, size_t *n);

#endif
