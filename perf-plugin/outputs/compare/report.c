/* SPDX-License-Identifier: GPL-2.0-only */
/* report.c - prints a difference with the instructions around it, and what of a core was equal, missing and extra. */
#include "outputs/compare/report.h"

#include <inttypes.h>
#include <stdio.h>

#include <cstrace/types.h>

#include "base/name.h"

/* Instructions that are shown before and behind a difference, and of each side in it. */
#define AROUND 3u
#define INSIDE 8u

static const char *gap_text(enum align_gap gap)
{
	static const char *const texts[NR_GAPS] = {
		[GAP_BEGIN] = "before the beginning",
		[GAP_FILTERED] = "while tracing was off (filters, exception levels)",
		[GAP_OVERFLOW] = "in overflows of the trace unit",
		[GAP_DISCARD] = "in discarded trace",
		[GAP_ERROR] = "in bad trace, up to the next synchronisation",
		[GAP_NO_CODE] = "where the code is not known",
		[GAP_ADDRESS] = "where addresses are not traced",
		[GAP_BUFFER] = "between AUX records",
		[GAP_END] = "behind the end",
	};

	return texts[gap];
}

static void place(const struct report *r, const struct align_insn *insn, bool trace, char *text, size_t size)
{
	if (!insn)
		snprintf(text, size, "the end");
	else if (trace || !r->other_is_text)
		snprintf(text, size, "buffer %u, trace offset 0x%" PRIx64, insn->where, insn->pos);
	else
		snprintf(text, size, "line %" PRIu64, insn->pos);
}

static void insn_line(const struct report *r, const char *whose, const struct align_insn *i, bool trace)
{
	static const char *const sets[] = { [CST_ISA_A32] = "A32", [CST_ISA_T32] = "T32", [CST_ISA_A64] = "A64",
					    [CST_ISA_TEE] = "TEE" };
	static const char *const worlds[] = { [CST_SEC_SECURE] = "s", [CST_SEC_NONSECURE] = "ns", [CST_SEC_ROOT] = "root",
					      [CST_SEC_REALM] = "realm" };
	char opcode[12] = "-", level[16] = "", at[64];

	if (i->flags & ALIGN_HAS_OPCODE)
		snprintf(opcode, sizeof(opcode), "%0*" PRIx32, 2 * i->size, i->opcode);
	if (i->el < 4)
		snprintf(level, sizeof(level), " EL%u%s%s", i->el, i->security < 4 ? " " : "",
			 i->security < 4 ? worlds[i->security] : "");
	place(r, i, trace, at, sizeof(at));
	pd_output_printf(r->out, "  %-6s %016" PRIx64 " %s %-8s%s%s  (%s)\n", whose, i->addr, i->isa <= CST_ISA_TEE ? sets[i->isa] : "?", opcode,
	    i->result == 1 ? " failed" : "", level, at);
}

static void run_of(const struct report *r, const char *whose, const struct align *al, uint64_t first, uint64_t n, uint64_t most,
		   bool trace)
{
	const struct align_insn *insn;
	uint64_t i;

	for (i = 0; i < n && i < most; i++) {
		insn = trace ? align_trace(al, first + i) : align_other(al, first + i);
		if (insn)
			insn_line(r, whose, insn, trace);
	}
	if (n > most)
		pd_output_printf(r->out, "  %-6s ... %" PRIu64 " more\n", whose, n - most);
}

static void fields_text(unsigned int fields, char *text, size_t size)
{
	static const struct {
		unsigned int field;
		const char *name;
	} names[] = { { FIELD_OPCODE, "opcode" }, { FIELD_RESULT, "executed or failed" }, { FIELD_EL, "exception level" },
		      { FIELD_SECURITY, "security state" } };
	size_t i, n = 0;

	text[0] = 0;
	for (i = 0; i < sizeof(names) / sizeof(names[0]) && n < size; i++)
		if (fields & names[i].field)
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", names[i].name);
}

/* What both sides have behind a difference, as far as it is the same. */
static void run_behind(const struct report *r, const struct align *al, uint64_t trace, uint64_t other)
{
	const struct align_insn *x, *y;
	uint64_t i;

	for (i = 0; i < AROUND; i++) {
		x = align_trace(al, trace + i);
		y = align_other(al, other + i);
		if (!x || !y || x->addr != y->addr || x->isa != y->isa)
			return;
		insn_line(r, "both", y, false);
	}
}

void report_difference(const struct report *r, const struct align *al, const struct align_diff *diff, uint64_t number)
{
	const uint64_t before = diff->trace < AROUND ? diff->trace : AROUND;
	const uint64_t n = diff->fields ? 1 : diff->only_trace, m = diff->fields ? 1 : diff->only_other;
	char here[64], there[64], what[128];

	place(r, align_trace(al, diff->trace), true, here, sizeof(here));
	place(r, align_other(al, diff->other), false, there, sizeof(there));
	if (diff->fields)
		fields_text(diff->fields, what, sizeof(what));
	else
		snprintf(what, sizeof(what), "%" PRIu64 " instructions only in the trace, %" PRIu64 " only in the other", n, m);
	pd_output_printf(r->out, "%s: difference %" PRIu64 ": %s\n  trace: %s; %s: %s\n", r->trace, number, what, here,
			 name_shown(r->other_file), there);
	run_of(r, "both", al, diff->trace - before, before, AROUND, true);
	run_of(r, "trace", al, diff->trace, n, INSIDE, true);
	run_of(r, "other", al, diff->other, m, INSIDE, false);
	run_behind(r, al, diff->trace + n, diff->other + m);
}

static void gap_sums(const struct report *r, const char *whose, const struct align_counts *c, enum align_gap gap)
{
	const uint64_t *by_el = c->missing[gap];
	uint64_t sum = 0, not_traced = 0;
	unsigned int el;

	for (el = 0; el < 5; el++) {
		sum += by_el[el];
		if (el < 4 && c->els && !(c->els >> el & 1))
			not_traced += by_el[el];
	}
	if (!sum)
		return;
	pd_output_printf(r->out, "  only in %s, %s: %" PRIu64, whose, gap_text(gap), sum);
	if (not_traced)
		pd_output_printf(r->out, ", of these %" PRIu64 " at exception levels that are not traced", not_traced);
	pd_output_printf(r->out, "\n");
}

void report_sums(const struct report *r, const struct align_counts *c)
{
	unsigned int gap;

	pd_output_printf(r->out, "%s, %s %s: %" PRIu64 " instructions equal, %" PRIu64 " differ in a field, %" PRIu64 " only in the trace, %" PRIu64
	    " only in the other; %" PRIu64 " differences\n", r->trace, name_shown(r->other_file), name_shown(r->other), c->equal, c->changed, c->only_trace,
	    c->only_other, c->differences);
	if (c->started)
		pd_output_printf(r->out, "  started and not executed, because an exception was taken at them: %" PRIu64 "\n", c->started);
	for (gap = GAP_BEGIN; gap < NR_GAPS; gap++)
		gap_sums(r, name_shown(r->other_file), c, (enum align_gap)gap);
	for (gap = GAP_BEGIN; gap < NR_GAPS; gap++)
		if (c->extra[gap])
			pd_output_printf(r->out, "  only in the trace, %s of the other: %" PRIu64 "\n", gap_text((enum align_gap)gap), c->extra[gap]);
}
