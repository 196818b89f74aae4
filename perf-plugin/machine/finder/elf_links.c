/* SPDX-License-Identifier: GPL-2.0-only */
/* elf_links.c - reads notes, links and the names of sections. */
#include "machine/finder/elf_links.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/files/mapped.h"
#include "base/ordered.h"

/* Notes of a program have some hundred bytes. A sparse file may state any size. */
#define MAX_NOTES	(1u << 20)

Elf *elf_links_open(const void *data, size_t size)
{
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE || !data || size < SELFMAG || memcmp(data, ELFMAG, SELFMAG))
		return NULL;
	errno = 0;
	elf = elf_memory((char *)data, size);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	mem_check(errno);
	elf_end(elf);
	return NULL;
}

void elf_links_close(Elf *elf)
{
	if (elf)
		mem_check(errno);
	elf_end(elf);
}

static void set_id(struct build_id *id, const uint8_t *p, size_t n)
{
	id->len = (uint8_t)(n > BUILD_ID_MAX ? BUILD_ID_MAX : n);
	memcpy(id->id, p, id->len);
}

/* A note: sizes of name and description, type, then both, each aligned. */
static bool id_of_notes(const uint8_t *p, size_t len, size_t align, bool big, struct build_id *id)
{
	while (len >= 12) {
		uint64_t name = ordered_number(p, 4, big), desc = ordered_number(p + 4, 4, big);
		uint64_t at = (12 + name + align - 1) / align * align, end = (at + desc + align - 1) / align * align;

		if (at + desc > len)
			return false;
		if (ordered_number(p + 8, 4, big) == NT_GNU_BUILD_ID && name == 4 && desc &&
		    !memcmp(p + 12, "GNU", 4)) {
			set_id(id, p + at, desc);
			return true;
		}
		if (end > len)
			return false;
		p += end;
		len -= end;
	}
	return false;
}

static bool in_notes(const void *data, size_t size, uint64_t offset, uint64_t len, uint64_t align, bool big,
		     struct build_id *id)
{
	if (offset > size || len > size - offset || len > MAX_NOTES)
		return false;
	return id_of_notes((const uint8_t *)data + offset, len, align == 8 ? 8 : 4, big, id);
}

static bool is_big(Elf *elf)
{
	const char *ident = elf_getident(elf, NULL);

	return ident && ident[EI_DATA] == ELFDATA2MSB;
}

bool elf_links_id(Elf *elf, const void *data, size_t size, struct build_id *id)
{
	const bool big = is_big(elf);
	Elf_Scn *scn = NULL;
	GElf_Phdr ph;
	GElf_Shdr sh;
	size_t i, n;

	for (i = 0; !elf_getphdrnum(elf, &n) && i < n && gelf_getphdr(elf, (int)i, &ph); i++)
		if (ph.p_type == PT_NOTE && in_notes(data, size, ph.p_offset, ph.p_filesz, ph.p_align, big, id))
			return true;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE &&
		    in_notes(data, size, sh.sh_offset, sh.sh_size, sh.sh_addralign, big, id))
			return true;
	return false;
}

/* Reads the name that a section begins with, and returns what is behind it. NULL: there is no end of the name. */
static const uint8_t *read_name(const uint8_t *p, size_t len, const char **name)
{
	const uint8_t *end = memchr(p, 0, len);

	*name = NULL;
	if (!end || end == p)
		return NULL;
	*name = (const char *)p;
	return end + 1;
}

static void read_debug_link(struct elf_links *l, const uint8_t *p, size_t len, bool big)
{
	const char *name;
	const uint8_t *rest = read_name(p, len, &name);
	size_t at = rest ? ((size_t)(rest - p) + 3) / 4 * 4 : len;

	if (at + 4 > len)
		return;
	l->debug = name;
	l->debug_crc = (uint32_t)ordered_number(p + at, 4, big);
}

static void read_alt_link(struct elf_links *l, const uint8_t *p, size_t len)
{
	const char *name;
	const uint8_t *rest = read_name(p, len, &name);

	if (!rest || rest == p + len)
		return;
	l->alt = name;
	set_id(&l->alt_id, rest, (size_t)(p + len - rest));
}

static void read_section(struct elf_links *l, const char *name, const GElf_Shdr *sh, const uint8_t *data, size_t size,
			 bool big)
{
	static const char *const lines[] = { ".debug_info", ".zdebug_info", ".debug_line", ".zdebug_line" };
	size_t i;

	if (sh->sh_type == SHT_NOBITS || !sh->sh_size || sh->sh_offset > size || sh->sh_size > size - sh->sh_offset)
		return;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		l->lines |= !strcmp(name, lines[i]);
	l->symbols |= sh->sh_type == SHT_SYMTAB && sh->sh_entsize && sh->sh_size > sh->sh_entsize;
	if (!strcmp(name, ".gnu_debuglink"))
		read_debug_link(l, data + sh->sh_offset, sh->sh_size, big);
	else if (!strcmp(name, ".gnu_debugaltlink"))
		read_alt_link(l, data + sh->sh_offset, sh->sh_size);
}

bool elf_links_read(const void *data, size_t size, struct elf_links *l)
{
	Elf *elf = elf_links_open(data, size);
	Elf_Scn *scn = NULL;
	const char *name;
	size_t strings;
	GElf_Ehdr eh;
	GElf_Shdr sh;
	bool ok;

	*l = (struct elf_links){ .debug = NULL };
	ok = elf && gelf_getehdr(elf, &eh);
	if (ok) {
		l->machine = eh.e_machine;
		elf_links_id(elf, data, size, &l->id);
	}
	while (ok && !elf_getshdrstrndx(elf, &strings) && (scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name) : NULL;
		if (name)
			read_section(l, name, &sh, data, size, is_big(elf));
	}
	elf_links_close(elf);
	return ok;
}

bool elf_file_build_id(int fd, size_t size, const char *path, struct build_id *id)
{
	void *p = mapped_new(fd, size, PROT_READ, path);
	Elf *elf = p ? elf_links_open(p, size) : NULL;
	bool ok = elf && elf_links_id(elf, p, size, id);

	elf_links_close(elf);
	if (p)
		mapped_free(p, size);
	return ok;
}

bool elf_links_section(Elf *elf, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	const char *have;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		have = gelf_getshdr(scn, sh) ? elf_strptr(elf, strings, sh->sh_name) : NULL;
		if (have && !strcmp(have, name))
			return true;
	}
	return false;
}

Elf_Scn *elf_links_symbols(Elf *elf, uint32_t type, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_type == type && sh->sh_entsize)
			return scn;
	return NULL;
}

/* Finds the next executable segment from *i on. */
static bool next_code(Elf *elf, size_t *i, GElf_Phdr *ph)
{
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	while (*i < n)
		if (gelf_getphdr(elf, (int)(*i)++, ph) && ph->p_type == PT_LOAD && ph->p_flags & PF_X)
			return true;
	return false;
}

bool elf_links_same_layout(Elf *a, Elf *b)
{
	size_t i = 0, k = 0, n = 0;
	GElf_Phdr x, y;

	while (next_code(a, &i, &x)) {
		if (!next_code(b, &k, &y) || x.p_vaddr != y.p_vaddr || x.p_memsz != y.p_memsz)
			return false;
		n++;
	}
	return n && !next_code(b, &k, &y);
}
