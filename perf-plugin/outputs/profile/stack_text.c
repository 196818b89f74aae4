/* SPDX-License-Identifier: GPL-2.0-only */
/* stack_text.c - the names of a stack, of which the callers are copied from the stack before. */
#include "outputs/profile/stack_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "outputs/profile/lines.h"

/* Bytes of a name before a blank with nothing but a number behind it; else all of them. */
static size_t before_number(const char *name)
{
	const char *blank = strrchr(name, ' '), *p = blank;
	size_t digits = blank ? strspn(blank + 1, "0123456789") : 0;

	if (!digits)
		return strlen(name);
	p += 1 + digits;
	if (*p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	return *p ? strlen(name) : (size_t)(blank - name);
}

static size_t text_end(const struct stack_text *t)
{
	return t->n ? t->callers[t->n - 1].end : 0;
}

/*
 * Writes a name behind the callers, with room for another byte. A semicolon in it would be read as
 * its end. Returns where it ends.
 */
static size_t add_name(struct stack_text *t, const char *name)
{
	const size_t len = strlen(name), begin = text_end(t);
	char *p;

	array_room(&t->text, begin, len + 1, &t->room, 1);
	p = memcpy(t->text + begin, name, len);
	while ((p = memchr(p, ';', (size_t)(t->text + begin + len - p))))
		*p = ':';
	return begin + len;
}

/* Makes the text that of the callers of stack `i`. */
static void find_callers(struct stack_text *t, uint32_t i)
{
	t->nr_missing = 0;
	while ((i = t->parent(t->data, i)) != STACK_TEXT_NONE) {
		while (t->n && t->callers[t->n - 1].stack > i)
			t->n--;
		if (t->n && t->callers[t->n - 1].stack == i)
			break;
		*ARRAY_ADD(t->missing, t->nr_missing, t->cap_missing) = i;
	}
	if (i == STACK_TEXT_NONE)
		t->n = 0;
	while (t->nr_missing) {
		const uint32_t caller = t->missing[--t->nr_missing];
		size_t end = add_name(t, t->name(t->data, caller));

		t->text[end++] = ';';
		*ARRAY_ADD(t->callers, t->n, t->cap) = (struct caller){ caller, end };
	}
}

/* flamegraph.pl takes a number behind the last name for the count of a second profile. */
void stack_text_put(struct stack_text *t, struct lines *l, uint32_t stack)
{
	const char *name = t->name(t->data, stack);
	size_t end, blank;

	find_callers(t, stack);
	blank = text_end(t) + before_number(name);
	end = add_name(t, name);
	if (blank < end)
		t->text[blank] = '_';
	lines_text(l, t->text, end);
	lines_text(l, " ", 1);
}

void stack_text_free(struct stack_text *t)
{
	free(t->text);
	free(t->callers);
	free(t->missing);
}
