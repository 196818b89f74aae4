/* SPDX-License-Identifier: GPL-2.0-only */
/* places.c - finds files, functions and call instructions of a session. */
#include "counting/calls/places.h"

#include <cstrace/isa.h>

#include "machine/images/dso.h"
#include "machine/images/functions.h"
#include "machine/tasks/space.h"
#include "session/decode/locate.h"
#include "session/parts.h"

static uint32_t binary(void *data, uint32_t section)
{
	const struct dso *dso = session_section_dso(data, section);

	return dso ? dso->number : CST_COUNT_NO_BINARY;
}

/* Finds the function of a place in memory that has no table of functions. */
static void find_other(const struct stream *s, uint64_t addr, const struct session_loc *loc, struct calls_where *w)
{
	const char *name;
	uint64_t offset;

	if (loc->dso->kind == DSO_BPF) {
		w->end = UINT32_MAX;
	} else if (loc->kernel && session_symbol(s, addr, loc, &name, &offset) && offset <= loc->offset) {
		/* its end is not known; other places in it are found to have the same begin */
		w->start = (uint32_t)(loc->offset - offset);
		w->end = (uint32_t)loc->offset + 1;
	}
}

static void where(void *data, const struct stream *s, uint64_t addr, struct calls_where *w)
{
	struct session_loc loc;
	struct dso_function f;

	(void)data;
	*w = (struct calls_where){ .place = CALLS_NO_PLACE };
	if (!session_locate(s, addr, &loc) || !loc.dso || loc.offset >= UINT32_MAX)
		return;
	w->place = calls_place_of(loc.dso->number, (uint32_t)loc.offset);
	w->begins_program = dso_begins_program(loc.dso, loc.offset);
	if (!dso_function(loc.dso, loc.offset, &f) || f.end > UINT32_MAX) {
		find_other(s, addr, &loc, w);
		return;
	}
	w->start = (uint32_t)f.start;
	w->end = (uint32_t)f.end;
	w->part = f.part;
	w->sets_jump = f.sets_jump && f.start == loc.offset;
}

static bool is_call(const struct stream *s, uint64_t addr, unsigned int isa, unsigned int size)
{
	struct cst_insn insn;
	uint8_t b[4] = { 0 };
	uint32_t opcode;

	if (addr < size || session_read_code(s, addr - size, b, size) != size)
		return false;
	opcode = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	/* T32: the first halfword is in the upper half */
	if (isa == CST_ISA_T32)
		opcode = opcode << 16 | opcode >> 16;
	cst_isa_classify(&insn, (enum cst_isa)isa, opcode, addr - size, 0);
	return insn.size == size && insn.link;
}

static unsigned int call_before(void *data, const struct stream *s, uint64_t addr, unsigned int isa)
{
	(void)data;
	if (is_call(s, addr, isa, 4))
		return 4;
	return isa == CST_ISA_T32 && is_call(s, addr, isa, 2) ? 2 : 0;
}

/* Process and number of its program: execve() begins another one. */
static uint64_t program(void *data, const struct stream *s)
{
	(void)data;
	/* epochs of guests are far from those of a host's process with this number */
	return s->own.code && !s->own.kernel ?
		       (uint64_t)(uint32_t)s->pid << 32 |
			       (uint32_t)(s->own.code->epoch + 1 + ((uint32_t)s->guest << 30)) :
		       0;
}

static calls_place landing_pad(void *data, calls_place site)
{
	uint32_t n = (uint32_t)(site >> 32);
	uint64_t pad;

	if (site == CALLS_NO_PLACE)
		return site;
	if (!dso_landing_pad(session_dsos(data)->all[n], (uint32_t)site, &pad) || pad >= UINT32_MAX)
		return CALLS_NO_PLACE;
	return calls_place_of(n, (uint32_t)pad);
}

struct calls_code calls_places_code(struct session *ss)
{
	return (struct calls_code){ .data = ss, .binary = binary, .where = where,
				    .call_before = call_before,
				    .program = program, .landing_pad = landing_pad };
}
