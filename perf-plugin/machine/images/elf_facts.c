/* SPDX-License-Identifier: GPL-2.0-only */
/* elf_facts.c - reads section headers and notes of an ELF file in bounded memory. */
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "base/alloc.h"
#include "base/ordered.h"
#include "machine/images/dso.h"
#include "machine/finder/elf_links.h"
#include "machine/images/elf_facts.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD	2
#endif

#define UNIT_HEAD	14u	/* length of 4 or 12 bytes, version */
#define ZDEBUG_HEAD	12u	/* .zdebug_info: "ZLIB", size of the contents (big-endian) */

struct section {
	Elf_Scn *scn;
	GElf_Shdr sh;
	const char *name;
	const uint8_t *p;	/* contents in the file; NULL: none, or not inside the file */
	size_t len;
};

/*
 * Reads the header of the unit at p: length, version (DWARF 5, 7.5.1). Returns the number of bytes up to the next unit;
 * 0 if the header is incomplete or has a reserved length.
 */
static uint64_t read_unit(const uint8_t *p, size_t len, bool big, uint16_t *version)
{
	unsigned int head = 4;
	uint64_t n;

	if (len < head + 2)
		return 0;
	n = ordered_number(p, 4, big);
	if (n == UINT32_MAX) {
		head = 12;
		if (len < head + 2)
			return 0;
		n = ordered_number(p + 4, 8, big);
	} else if (n >= 0xfffffff0) {
		return 0;
	}
	*version = (uint16_t)ordered_number(p + head, 2, big);
	return n < 2 || n > len - head ? 0 : head + n;
}

static void add_version(struct elf_facts *f, uint16_t version)
{
	if (version < 2 || version > 5)
		return;
	if (!f->dwarf_low || version < f->dwarf_low)
		f->dwarf_low = version;
	if (version > f->dwarf_high)
		f->dwarf_high = version;
}

static void read_units(struct elf_facts *f, const uint8_t *p, size_t len, bool big)
{
	uint16_t version;
	uint64_t n;

	for (; (n = read_unit(p, len, big, &version)); p += n, len -= n)
		add_version(f, version);
}

/* Decompresses the first bytes of a zlib stream. Returns their number. */
static size_t first_of_zlib(const uint8_t *p, size_t len, uint8_t *out, size_t room)
{
	z_stream z = { .next_in = (uint8_t *)p, .avail_in = len > UINT32_MAX ? UINT32_MAX : (uInt)len,
		       .next_out = out, .avail_out = (uInt)room };
	int rc = inflateInit(&z);

	if (rc == Z_OK) {
		rc = inflate(&z, Z_SYNC_FLUSH);
		inflateEnd(&z);
	}
	if (rc == Z_MEM_ERROR)
		mem_refused(0);
	return rc == Z_OK || rc == Z_STREAM_END ? room - z.avail_out : 0;
}

#ifdef HAVE_ZSTD
static size_t first_of_zstd(const uint8_t *p, size_t len, uint8_t *out, size_t room)
{
	ZSTD_inBuffer in = { p, len, 0 };
	ZSTD_outBuffer to = { out, room, 0 };
	ZSTD_DStream *z = ZSTD_createDStream();
	size_t rc = 1;

	if (!z)
		mem_refused(0);
	while (rc && !ZSTD_isError(rc) && to.pos < room && in.pos < in.size)
		rc = ZSTD_decompressStream(z, &to, &in);
	if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
		mem_refused(0);
	ZSTD_freeDStream(z);
	return to.pos;
}
#else	/* the DWARF version is unknown */
#define first_of_zstd(p, len, out, room)	0
#endif

/* Reads the version of the first unit; its length exceeds the decompressed part. */
static void read_first_unit(struct elf_facts *f, const uint8_t *p, size_t len, bool zstd, bool big)
{
	uint8_t head[UNIT_HEAD];
	size_t n = zstd ? first_of_zstd(p, len, head, sizeof(head)) : first_of_zlib(p, len, head, sizeof(head));
	uint16_t version = 0;

	read_unit(head, n, big, &version);
	add_version(f, version);
	f->dwarf_unread = !f->dwarf_high;
}

static void read_debug_info(struct elf_facts *f, const struct section *s, bool elf32, bool big)
{
	size_t head = elf32 ? sizeof(Elf32_Chdr) : sizeof(Elf64_Chdr);
	uint64_t type;

	if (!strcmp(s->name, ".zdebug_info")) {
		if (s->len > ZDEBUG_HEAD)
			read_first_unit(f, s->p + ZDEBUG_HEAD, s->len - ZDEBUG_HEAD, false, big);
	} else if (!strcmp(s->name, ".debug_info") && s->sh.sh_flags & SHF_COMPRESSED) {
		if (s->len <= head)
			return;
		type = ordered_number(s->p, 4, big);
		if (type == ELFCOMPRESS_ZLIB || type == ELFCOMPRESS_ZSTD)
			read_first_unit(f, s->p + head, s->len - head, type == ELFCOMPRESS_ZSTD, big);
	} else if (!strcmp(s->name, ".debug_info")) {
		read_units(f, s->p, s->len, big);
	}
}

static bool has_function(Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *d = sh->sh_entsize ? elf_getdata(scn, NULL) : NULL;
	size_t n = d ? d->d_size / sh->sh_entsize : 0, i;
	GElf_Sym sym;

	for (i = 0; i < n; i++)
		if (gelf_getsym(d, (int)i, &sym) && GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
		    sym.st_shndx != SHN_UNDEF)
			return true;
	return false;
}

/* True for relocations of code that are not for the dynamic linker (ld -q). */
static bool keeps_relocs(Elf *elf, const GElf_Shdr *sh)
{
	Elf_Scn *of = elf_getscn(elf, sh->sh_info);
	GElf_Shdr code;

	return (sh->sh_type == SHT_RELA || sh->sh_type == SHT_REL) && !(sh->sh_flags & SHF_ALLOC) && of &&
	       gelf_getshdr(of, &code) && code.sh_flags & SHF_EXECINSTR;
}

static void read_section(struct elf_facts *f, Elf *elf, const struct section *s, const GElf_Ehdr *eh)
{
	size_t len;

	f->sections = true;
	if (s->sh.sh_type == SHT_SYMTAB)
		f->symtab |= has_function(s->scn, &s->sh);
	else if (s->sh.sh_type == SHT_DYNSYM)
		f->dynsym |= has_function(s->scn, &s->sh);
	else if (f->linked)
		f->relocs |= keeps_relocs(elf, &s->sh);
	if (!s->p)
		return;
	read_debug_info(f, s, eh->e_ident[EI_CLASS] == ELFCLASS32, eh->e_ident[EI_DATA] == ELFDATA2MSB);
	f->probes |= !strcmp(s->name, ".pseudo_probe") && s->len;
	if (strcmp(s->name, ".gnu_debuglink"))
		return;
	len = strnlen((const char *)s->p, s->len);
	if (len < s->len && len < sizeof(f->debuglink))
		memcpy(f->debuglink, s->p, len);
}

/* Returns the next section with its name; false at the end. */
static bool next_section(Elf *elf, const uint8_t *data, size_t size, struct section *s)
{
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return false;
	do {
		s->scn = elf_nextscn(elf, s->scn);
		if (!s->scn)
			return false;
	} while (!gelf_getshdr(s->scn, &s->sh));
	s->name = elf_strptr(elf, strings, s->sh.sh_name);
	if (!s->name)
		s->name = "";
	s->p = NULL;
	if (s->sh.sh_type != SHT_NOBITS && s->sh.sh_offset <= size && s->sh.sh_size <= size - s->sh.sh_offset) {
		s->p = data + s->sh.sh_offset;
		s->len = s->sh.sh_size;
	}
	return true;
}

/* elf_facts.apart */
static bool code_is_apart(Elf *elf)
{
	uint64_t first = 0;
	bool loads = false;
	GElf_Phdr ph;
	size_t i, n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		if (!loads)
			first = ph.p_vaddr;
		loads = true;
		if (ph.p_flags & PF_X && ph.p_filesz && ph.p_vaddr - first != ph.p_offset)
			return true;
	}
	return false;
}

bool elf_facts_read(const void *data, size_t size, struct elf_facts *f)
{
	struct section s = { .scn = NULL };
	Elf *elf = elf_links_open(data, size);
	const void *id;
	GElf_Ehdr eh;
	bool ok;

	*f = (struct elf_facts){ .sections = false };
	ok = elf && gelf_getehdr(elf, &eh);
	if (ok) {
		f->linked = eh.e_type == ET_EXEC || eh.e_type == ET_DYN;
		f->apart = code_is_apart(elf);
		f->build_id = dwelf_elf_gnu_build_id(elf, &id) > 0;
		while (next_section(elf, data, size, &s))
			read_section(f, elf, &s, &eh);
	}
	elf_links_close(elf);
	return ok;
}

bool dso_facts(const struct dso *d, struct elf_facts *f)
{
	*f = (struct elf_facts){ .sections = false };
	return d->state == DSO_LOADED && d->image.is_elf &&
	       elf_facts_read(d->image.data, d->image.size, f);
}

size_t dso_stubs(const struct dso *d, struct elf_part stubs[ELF_MAX_STUBS])
{
	static const char *const names[] = { ".plt", ".iplt", ".plt.got", ".plt.sec" };
	Elf *elf = d->state == DSO_LOADED && d->image.is_elf ?
			   elf_links_open(d->image.data, d->image.size) :
			   NULL;
	struct section s = { .scn = NULL };
	size_t i, n = 0;

	while (elf && n < ELF_MAX_STUBS && next_section(elf, d->image.data, d->image.size, &s)) {
		for (i = 0; i < sizeof(names) / sizeof(names[0]) && strcmp(s.name, names[i]); i++)
			;
		if (s.p && s.sh.sh_flags & SHF_EXECINSTR && i < sizeof(names) / sizeof(names[0]))
			stubs[n++] = (struct elf_part){ .offset = s.sh.sh_offset, .size = s.sh.sh_size };
	}
	elf_links_close(elf);
	return n;
}
