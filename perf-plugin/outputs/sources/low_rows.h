/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * low_rows.h - the line table of an executable that has code at low addresses, as the flash of a
 * microcontroller.
 *
 * Linkers leave the lines of code that they discarded (unused functions, other copies of inline
 * ones) at address 0. In most files no code is near. Here these sequences lie over the ones of real
 * code. Code of two sequences is at different places, so a sequence from 0 is one of discarded code
 * if it reaches into another one that begins elsewhere, or if no code or no function symbol is at
 * 0; of several others, the one with the size of that symbol remains.
 */
#ifndef CSTRACE_OUTPUTS_SOURCES_LOW_ROWS_H
#define CSTRACE_OUTPUTS_SOURCES_LOW_ROWS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct low_row {
	uint64_t begin, end;
	const char *file;
	unsigned int line;
};

struct low_rows {
	/* by begin; of several rows of an address only the last one is here */
	struct low_row *v;
	size_t n, cap;
	/* size of the function symbol at address 0; 0: there is none; UINT64_MAX: no symbols */
	uint64_t first;
};

struct low_input {
	const uint8_t *lines;	/* the section .debug_line */
	size_t size;
	uint64_t first;		/* as low_rows.first; 0 if no code is at address 0 */
	/* Returns the next unit, NULL at the end. */
	Dwarf_Die *(*unit)(void *data);
	/* Returns the name of a source file for one of libdw. */
	const char *(*name)(void *data, Dwarf_Die *unit, const char *file);
	void *data;
};

/* Returns low_input.first by the symbols of a file, or of its debug file; either may be NULL. */
uint64_t low_rows_first(Elf *elf, Elf *debug);

/* Reads the rows of all units. low_rows_free() frees the rows. */
void low_rows_read(struct low_rows *l, const struct low_input *in);
void low_rows_free(struct low_rows *l);

/* Returns the row with an address, NULL if none has it. */
const struct low_row *low_rows_at(const struct low_rows *l, uint64_t addr);
/* True for a function from address 0 on, of a size, that was not discarded. */
bool low_rows_function(const struct low_rows *l, uint64_t size);

#endif
