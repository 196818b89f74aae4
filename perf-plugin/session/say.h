/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * say.h - where the messages of a thread go while it decodes: to stderr, or into a record that another thread
 * prints when its turn comes. A record can hold what an earlier one holds as well, since each thread loads its
 * own files; what is printed is printed once.
 */
#ifndef CSTRACE_SESSION_SAY_H
#define CSTRACE_SESSION_SAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a message is about. Two messages are the same if they are about the same thing and have the same text. */
#define SAY_OTHER	0u
#define SAY_KALLSYMS	1u
#define SAY_DSO		(1ull << 32)	/* | number of the dso */
#define SAY_UNIT	(2ull << 32)	/* | CPU */

struct says {
	struct said {
		uint64_t about;
		char *text;
	} *v;
	size_t nr, cap;
};

/* The stream for messages of this thread. */
FILE *say_out(void);
/* What the following messages of this thread are about; returns what those before were about. */
uint64_t say_about(uint64_t what);

/* From now on messages of this thread go to `to`; NULL: to stderr. `to` is complete after the next call. */
void say_record(struct says *to);
/* Prints on stderr what `told` does not hold yet, and adds it there. Empties `s`. */
void say_print(struct says *s, struct says *told);
void says_free(struct says *s);

#endif
