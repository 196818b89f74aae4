/* SPDX-License-Identifier: GPL-2.0-only */
/* program.c - reads the program headers of ELF files that an option names. */
#include "session/import/program.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/files/input.h"
#include "base/number.h"
#include "base/path.h"
#include "machine/finder/elf_links.h"

/* What is plain in a list of an INI file, and as the name of a file. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";

char *program_alias(const struct folder *f, const char *path)
{
	const char *base = path_base(path);
	char *name, *p;
	size_t room;
	unsigned int i;

	room = strlen(base) + 16;
	name = mem_new(room);
	snprintf(name, room, "%s", *base ? base : "file");
	for (p = name; *p; p++)
		if (!strchr(plain, *p))
			*p = '_';
	/* hidden files, and names that the files of the snapshot itself have */
	if (*name == '.')
		*name = '_';
	room = (size_t)(p - name);
	if (room > 4 && !strcmp(p - 4, ".ini"))
		name[room - 4] = '_';
	for (i = 1; folder_extra(f, name); i++)
		snprintf(name + room, 16, "_%u", i);
	return name;
}

struct program {
	const char *arg;
	char *path;
	char *alias;
	bool has_address;
	uint64_t address;
	size_t segments;
	size_t *dumps;		/* of all programs */
	FILE *ini;
};

/* FILE@ADDR, unless there is a file of that name. */
static int split(struct program *p, struct error *err)
{
	const char *at = strrchr(p->arg, '@'), *end;

	if (!at || !access(p->arg, F_OK)) {
		p->path = mem_text(p->arg);
	} else {
		end = number_read(at + 1, &p->address);
		if (!end || *end)
			return error_set(err, ERR_FORMAT, "--elf %s: found '%s' as the address, expected a number (0x..) "
					 "of at most 64 bits", p->arg, at + 1);
		p->has_address = true;
		p->path = mem_text_part(p->arg, (size_t)(at - p->arg));
	}
	return 0;
}

static void print_dump(struct program *p, uint64_t address, uint64_t offset, uint64_t size)
{
	p->segments++;
	fprintf(p->ini, "[dump%zu]\nfile=%s\naddress=0x%" PRIx64 "\noffset=0x%" PRIx64 "\nlength=0x%" PRIx64 "\n",
		++*p->dumps, p->alias, address, offset, size);
}

/* Segments that the file has no bytes for, and those behind its end, are left out. */
static void print_segments(struct program *p, Elf *elf, uint64_t file_size)
{
	uint64_t shift = 0, size;
	bool first = true;
	size_t n = 0, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n))
		return;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		if (first && p->has_address)
			shift = p->address - ph.p_vaddr;
		first = false;
		if (!ph.p_filesz || ph.p_offset >= file_size)
			continue;
		size = ph.p_filesz < file_size - ph.p_offset ? ph.p_filesz : file_size - ph.p_offset;
		print_dump(p, ph.p_vaddr + shift, ph.p_offset, size);
	}
}

static int read_file(struct program *p, struct error *err)
{
	size_t size;
	void *data = input_map(p->path, PROT_READ, &size);
	unsigned int machine = EM_NONE;
	bool is_elf;
	GElf_Ehdr eh;
	Elf *elf;

	if (!data)
		return error_set(err, ERR_IO, "--elf %s: %s", p->path, input_error(errno));
	is_elf = size > SELFMAG && !memcmp(data, ELFMAG, SELFMAG);
	if (is_elf) {
		elf = elf_links_open(data, size);
		if (elf && gelf_getehdr(elf, &eh))
			machine = eh.e_machine;
		if (machine == EM_AARCH64 || machine == EM_ARM)
			print_segments(p, elf, size);
		elf_links_close(elf);
	} else if (p->has_address && size) {
		print_dump(p, p->address, 0, size);
	}
	input_unmap(data, size);
	if (p->segments)
		return 0;
	if (machine != EM_NONE && machine != EM_AARCH64 && machine != EM_ARM)
		return error_set(err, ERR_FORMAT, "--elf %s: found ELF machine %u, expected 183 (AArch64) or 40 (Arm)",
				 p->path, machine);
	if (is_elf)
		return error_set(err, ERR_FORMAT, "--elf %s: found an ELF file without loadable segments, expected a "
				 "linked program", p->path);
	return error_set(err, ERR_FORMAT, "--elf %s: found a file that is not ELF, expected one, or bytes of memory with "
			 "their address: %s@ADDR", p->path, p->path);
}

int program_add(struct folder *f, const char *arg, FILE *ini, size_t *dumps, struct error *err)
{
	struct program p = { .arg = arg, .dumps = dumps, .ini = ini };
	int rc = split(&p, err);

	if (!rc) {
		p.alias = program_alias(f, p.path);
		rc = read_file(&p, err);
		if (!rc)
			folder_add_path(f, p.alias, p.path);
	}
	free(p.path);
	free(p.alias);
	return rc;
}
