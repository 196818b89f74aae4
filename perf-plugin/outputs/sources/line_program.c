/* SPDX-License-Identifier: GPL-2.0-only */
/* line_program.c - runs the state machine of a line number program. */
#include "outputs/sources/line_program.h"

#include <dwarf.h>

#include "base/ordered.h"

/* Bytes that remain to be read. */
struct input {
	const uint8_t *p, *end;
	bool bad;		/* something was read beyond the end */
};

struct program {
	struct input in;
	uint8_t min_insn, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *operands;	/* number of each standard opcode, from 1 */
	struct program_row row;
	void (*emit)(void *data, const struct program_row *r);
	void *data;
};

static uint64_t fixed(struct input *in, unsigned int size)
{
	if (size > 8 || (size_t)(in->end - in->p) < size) {
		in->bad = true;
		return 0;
	}
	in->p += size;
	return ordered_number(in->p - size, size, false);
}

/* Reads LEB128; `sign`: with the sign of its last byte. */
static uint64_t leb128(struct input *in, bool sign)
{
	unsigned int shift = 0;
	uint64_t v = 0, byte;

	do {
		byte = fixed(in, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !in->bad);
	if (sign && byte & 0x40 && shift < 64)
		v |= ~(uint64_t)0 << shift;
	return v;
}

static void reset(struct program *p)
{
	p->row = (struct program_row){ .file = 1, .line = 1 };
}

/*
 * Reads the length of a program, and ends the input there. *width: bytes of an offset in it. False:
 * it is longer than the input.
 */
static bool length(struct input *in, unsigned int *width)
{
	uint64_t size = fixed(in, 4);

	*width = size == 0xffffffff ? 8 : 4;
	if (*width == 8)
		size = fixed(in, 8);
	if (in->bad || size > (size_t)(in->end - in->p))
		return false;
	in->end = in->p + size;
	return true;
}

/* Reads the header. False: it is of another version, or damaged. */
static bool header(struct program *p)
{
	struct input *in = &p->in;
	unsigned int width, version;
	const uint8_t *begin;
	uint64_t size;

	if (!length(in, &width))
		return false;
	version = (unsigned int)fixed(in, 2);
	if (version < 2 || version > 5)
		return false;
	if (version == 5)
		fixed(in, 2);	/* sizes of addresses and segment selectors */
	size = fixed(in, width);
	if (in->bad || size > (size_t)(in->end - in->p))
		return false;
	begin = in->p + size;
	p->min_insn = (uint8_t)fixed(in, 1);
	if (version >= 4)
		fixed(in, 1);	/* maximum operations per instruction */
	fixed(in, 1);		/* default of is_stmt */
	p->line_base = (int8_t)fixed(in, 1);
	p->line_range = (uint8_t)fixed(in, 1);
	p->opcode_base = (uint8_t)fixed(in, 1);
	p->operands = in->p;
	if (in->bad || !p->line_range || !p->opcode_base ||
	    (size_t)(in->end - in->p) < p->opcode_base - 1u)
		return false;
	in->p = begin;
	return true;
}

static void emit(struct program *p)
{
	p->emit(p->data, &p->row);
}

static void extended(struct program *p)
{
	const uint64_t size = leb128(&p->in, false);
	const uint8_t *next;

	if (p->in.bad || !size || size > (size_t)(p->in.end - p->in.p)) {
		p->in.bad = true;
		return;
	}
	next = p->in.p + size;
	switch (fixed(&p->in, 1)) {
	case DW_LNE_end_sequence:
		p->row.ends = true;
		emit(p);
		reset(p);
		break;
	case DW_LNE_set_address:
		p->row.addr = fixed(&p->in, size - 1 <= 8 ? (unsigned int)size - 1 : 8);
		break;
	default:
		break;
	}
	p->in.p = next;
}

static void advance(struct program *p, uint64_t steps)
{
	p->row.addr += steps * p->min_insn;
}

static void standard(struct program *p, unsigned int opcode)
{
	unsigned int i;

	switch (opcode) {
	case DW_LNS_copy:
		emit(p);
		break;
	case DW_LNS_advance_pc:
		advance(p, leb128(&p->in, false));
		break;
	case DW_LNS_advance_line:
		p->row.line += leb128(&p->in, true);
		break;
	case DW_LNS_set_file:
		p->row.file = leb128(&p->in, false);
		break;
	case DW_LNS_const_add_pc:
		advance(p, (255u - p->opcode_base) / p->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		p->row.addr += fixed(&p->in, 2);
		break;
	default:
		for (i = p->operands[opcode - 1]; i; i--)
			leb128(&p->in, false);
		break;
	}
}

static void special(struct program *p, unsigned int opcode)
{
	const unsigned int by = opcode - p->opcode_base;

	advance(p, by / p->line_range);
	p->row.line += (uint64_t)(int64_t)(p->line_base + (int)(by % p->line_range));
	emit(p);
}

void line_program_rows(const uint8_t *section, size_t size, uint64_t offset,
		       void (*row)(void *data, const struct program_row *r), void *data)
{
	struct program p = { .in = { section, section + size, false }, .emit = row, .data = data };
	unsigned int opcode;

	if (offset > size)
		return;
	p.in.p += offset;
	if (!header(&p))
		return;
	for (reset(&p); !p.in.bad && p.in.p < p.in.end;) {
		opcode = (unsigned int)fixed(&p.in, 1);
		if (opcode >= p.opcode_base)
			special(&p, opcode);
		else if (opcode)
			standard(&p, opcode);
		else
			extended(&p);
	}
}

size_t line_program_size(const uint8_t *section, size_t size, uint64_t offset)
{
	struct input in = { section + (offset < size ? offset : size), section + size, false };
	unsigned int width;

	return length(&in, &width) ? (size_t)(in.end - section) - (size_t)offset : 0;
}
