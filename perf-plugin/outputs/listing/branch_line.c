/* SPDX-License-Identifier: GPL-2.0-only */
/* branch_line.c - the line of an error. */
#include "outputs/listing/branch_line.h"

void error_line(struct line *l, int cpu, const struct error_sample *e)
{
	l->p = text_lit(l->p, " instruction trace error type 1 time ");
	if (e->time) {
		l->p = text_dec(l->p, (int64_t)(e->time / 1000000000u), 0, ' ');
		*l->p++ = '.';
		l->p = text_dec(l->p, (int64_t)(e->time % 1000000000u), 9, '0');
	} else {
		*l->p++ = '0';
	}
	l->p = text_lit(l->p, " cpu ");
	l->p = text_dec(l->p, cpu, 0, ' ');
	l->p = text_lit(l->p, " pid ");
	l->p = text_dec(l->p, e->pid, 0, ' ');
	l->p = text_lit(l->p, " tid ");
	l->p = text_dec(l->p, e->tid, 0, ' ');
	l->p = text_lit(l->p, " ip ");
	if (e->ip)
		l->p = text_lit(l->p, "0x");
	l->p = text_hex(l->p, e->ip, 0);
	l->p = text_lit(l->p, " code ");
	l->p = text_dec(l->p, e->code, 0, ' ');
	l->p = text_lit(l->p, ": ");
	line_name(l, e->text, 0, 0);
	line_end(l);
}
