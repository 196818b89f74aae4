/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack_text.h - stacks of functions as flamegraph.pl and speedscope read them: names separated by
 * semicolons, the innermost function last.
 */
#ifndef CSTRACE_OUTPUTS_PROFILE_STACK_TEXT_H
#define CSTRACE_OUTPUTS_PROFILE_STACK_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct lines;

#define STACK_TEXT_NONE UINT32_MAX

/*
 * The names of the callers of a stack. The next stack has most callers in common with this one, so
 * its line is a copy of them, whatever its depth. The first three members are the user's; the others
 * are 0 at first.
 */
struct stack_text {
	/*
	 * Return the name of a stack's function, and its caller's stack, which has a lower index,
	 * or STACK_TEXT_NONE.
	 */
	const char *(*name)(const void *data, uint32_t stack);
	uint32_t (*parent)(const void *data, uint32_t stack);
	const void *data;
	char *text;
	size_t room;
	struct caller {
		uint32_t stack;		/* index */
		size_t end;		/* of its text, with the semicolon behind it */
	} *callers;			/* the outermost first, so that their indexes rise */
	size_t n, cap;
	uint32_t *missing;		/* callers to be added, the innermost first */
	size_t nr_missing, cap_missing;
};

/* Writes the names of a stack and a blank, behind which the counts are to follow. */
void stack_text_put(struct stack_text *t, struct lines *l, uint32_t stack);
void stack_text_free(struct stack_text *t);

#endif
