/* SPDX-License-Identifier: GPL-2.0-only */
/* mapping.c - reads mapping symbols from a symbol table. */
#include "outputs/sources/mapping.h"

#include <gelf.h>
#include <string.h>

/* The kind of a mapping symbol, as "$a" or "$a.1". False: it is another symbol. */
static bool mapping_kind(const char *name, enum source_mapped *kind)
{
	static const char names[] = {
		[SOURCE_A32] = 'a', [SOURCE_T32] = 't', [SOURCE_A64] = 'x', [SOURCE_DATA] = 'd'
	};
	const char *found;

	if (!name || name[0] != '$' || !name[1] || (name[2] && name[2] != '.'))
		return false;
	found = memchr(names, name[1], sizeof(names));
	if (found)
		*kind = (enum source_mapped)(found - names);
	return found;
}

bool mapping_symbols(Elf *elf, void (*symbol)(void *data, const struct mapping_symbol *m),
		     void *data)
{
	struct mapping_symbol m;
	Elf_Data *table = NULL;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh, in;
	GElf_Ehdr eh;
	GElf_Sym sym;
	bool any = false;
	int i;

	if (!gelf_getehdr(elf, &eh))
		return false;
	m.linked = eh.e_type != ET_REL;
	while (!table && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			table = elf_getdata(scn, NULL);
	for (i = 0; table && gelf_getsym(table, i, &sym); i++) {
		if (GELF_ST_TYPE(sym.st_info) != STT_NOTYPE)
			continue;
		if (!mapping_kind(elf_strptr(elf, sh.sh_link, sym.st_name), &m.kind))
			continue;
		any = true;
		m.value = sym.st_value;
		if (!m.linked && gelf_getshdr(elf_getscn(elf, sym.st_shndx), &in))
			m.value += in.sh_offset;
		symbol(data, &m);
	}
	return any;
}
