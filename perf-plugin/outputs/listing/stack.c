/* SPDX-License-Identifier: GPL-2.0-only */
/* stack.c - prints branch stacks and call chains. */
#include "outputs/listing/stack.h"

/* by the branch types of struct perf_branch_entry */
static const char *const type_names[] = {
	"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET", "COND_CALL",
	"COND_RET", "ERET", "IRQ", "SERROR", "NO_TX", "",
};

static void put_file(struct line *l, const struct symbol_at *at)
{
	*l->p++ = '(';
	line_dso(l, &at->names);
	*l->p++ = ')';
}

static void put_address(struct line *l, const struct stream *s, uint64_t addr)
{
	line_room(l, LINE_ROOM);
	l->p = text_lit(l->p, "0x");
	l->p = text_hex(l->p, addr, 0);
	if (l->fields & LIST_DSO)
		put_file(l, symbols_find(l->symbols, s, addr));
}

static void put_symbol(struct line *l, const struct stream *s, uint64_t addr)
{
	const struct symbol_at *at = symbols_find(l->symbols, s, addr);

	line_room(l, LINE_ROOM);
	if (at->names.name) {
		line_name(l, at->names.name, at->names.name_plain, 0);
		l->p = text_lit(l->p, "+0x");
		l->p = text_hex(l->p, at->names.offset, 0);
	} else {
		line_string(l, "[unknown]");
	}
	if (l->fields & LIST_DSO)
		put_file(l, at);
}

void stack_entries(struct line *l, const struct stream *s, const struct ring *r)
{
	void (*const put)(struct line *, const struct stream *, uint64_t) =
		l->fields & LIST_BRSTACK ? put_address : put_symbol;
	const struct ring_entry *e;
	uint32_t i;

	for (i = 0; i < r->count; i++) {
		e = ring_at(r, i);
		line_room(l, LINE_ROOM);
		/* perf sets entries of addresses apart from what is before them, those of symbols not */
		if (put == put_address)
			*l->p++ = ' ';
		put(l, s, e->from);
		*l->p++ = '/';
		put(l, s, e->to);
		l->p = text_lit(l->p, "/P/-/-/");
		l->p = text_dec(l->p, ring_cycles_of(e), 0, ' ');
		*l->p++ = '/';
		line_string(l, type_names[e->flags >> RING_TYPE_SHIFT & 15]);
		*l->p++ = ' ';
	}
}

void stack_chain(struct line *l, const struct stream *s, const uint64_t *chain, unsigned int n)
{
	const struct symbol_at *at;
	unsigned int i;

	*l->p++ = '\n';
	for (i = 0; i < n; i++) {
		/* context markers are addresses in the last page */
		if (chain[i] >= (uint64_t)-4095)
			continue;
		line_room(l, LINE_ROOM);
		*l->p++ = '\t';
		at = symbols_find(l->symbols, s, chain[i]);
		l->p = text_hex16(l->p, at->shown);
		line_names(l, s, chain[i], line_thread(s));
		if (l->fields & LIST_SRCLINE)
			line_source(l, s, chain[i], line_thread(s), "\n  ");
		*l->p++ = '\n';
	}
}
