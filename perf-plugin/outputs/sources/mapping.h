/* SPDX-License-Identifier: GPL-2.0-only */
/* mapping.h - mapping symbols of an ELF file (ELF for the Arm Architecture, 5.5.5). */
#ifndef CSTRACE_OUTPUTS_SOURCES_MAPPING_H
#define CSTRACE_OUTPUTS_SOURCES_MAPPING_H

#include <libelf.h>

#include "outputs/sources/source.h"

struct mapping_symbol {
	uint64_t value;		/* its address; in a file that is not linked its offset in the file */
	bool linked;
	enum source_mapped kind;
};

/* Calls `symbol` for the mapping symbols of a file, in any order. Returns true if there is one. */
bool mapping_symbols(Elf *elf, void (*symbol)(void *data, const struct mapping_symbol *m),
		     void *data);

#endif
