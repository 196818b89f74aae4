/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * line_program.h - the rows of a line number program (DWARF 2 to 5, 6.2), sequence by sequence as
 * it has them. libdw gives the rows of all sequences of a unit in one order of address, where it is
 * unknown to which of two overlapping sequences a row belongs.
 */
#ifndef CSTRACE_OUTPUTS_SOURCES_LINE_PROGRAM_H
#define CSTRACE_OUTPUTS_SOURCES_LINE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program_row {
	uint64_t addr;
	uint64_t file;		/* number in the file table of the program */
	uint64_t line;
	bool ends;		/* the sequence ends at `addr`: the row has no code */
};

/*
 * Calls `row` for each row of the program at `offset` of a little-endian .debug_line section, up to
 * the end of what can be read of a damaged program. VLIW operations count as addresses.
 */
void line_program_rows(const uint8_t *section, size_t size, uint64_t offset,
		       void (*row)(void *data, const struct program_row *r), void *data);

/* Returns the bytes of the program at `offset`, 0 if it is longer than the section. */
size_t line_program_size(const uint8_t *section, size_t size, uint64_t offset);

#endif
