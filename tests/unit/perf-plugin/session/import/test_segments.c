/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the code of a package's images was mapped, for events that give only an image and its base. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "session/import/segments.h"

#define R	PF_R
#define RW	(PF_R | PF_W)
#define RX	(PF_R | PF_X)
#define HEADERS	6

struct elf_headers {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[HEADERS];
};

/* Fixed addresses. The second stretch begins at an offset below its place in the page, the third has no bytes. */
static const Elf64_Phdr fixed[HEADERS] = {
	{ .p_type = PT_LOAD, .p_flags = R, .p_vaddr = 0xf000, .p_filesz = 0x10 },
	{ .p_type = PT_LOAD, .p_flags = RX, .p_vaddr = 0x10010, .p_offset = 0x10, .p_filesz = 0x100 },
	{ .p_type = PT_LOAD, .p_flags = RX, .p_vaddr = 0x20ff0, .p_offset = 0x30, .p_filesz = 0x40 },
	{ .p_type = PT_LOAD, .p_flags = RX, .p_vaddr = 0x30000, .p_offset = 0x40, .p_memsz = 0x1000 },
	{ .p_type = PT_NOTE, .p_flags = RX, .p_vaddr = 0x40000, .p_offset = 0x50, .p_filesz = 0x20 },
	{ .p_type = PT_LOAD, .p_flags = RW, .p_vaddr = 0x50000, .p_offset = 0x60, .p_filesz = 0x20 },
};
static const Elf64_Phdr second[HEADERS] = {
	{ .p_type = PT_LOAD, .p_flags = RX, .p_vaddr = 0x60000, .p_offset = 0x70, .p_filesz = 0x80 },
};
/* The base is the page of the first stretch. */
static const Elf64_Phdr movable[HEADERS] = {
	{ .p_type = PT_NOTE, .p_vaddr = 0x1000, .p_filesz = 0x20 },
	{ .p_type = PT_LOAD, .p_flags = R, .p_vaddr = 0x7123, .p_offset = 0x123, .p_filesz = 0x10 },
	{ .p_type = PT_LOAD, .p_flags = RX, .p_vaddr = 0x9000, .p_offset = 0x1000, .p_filesz = 0x200 },
	{ .p_type = PT_LOAD, .p_flags = RX, .p_vaddr = 0xb0a0, .p_offset = 0x20a0, .p_filesz = 0x60 },
};

static const struct cst_package_image images[] = {
	{ "fixed", "/bin/fixed", "aa" }, { "movable", "/bin/movable", "" }, { "second", "/bin/fixed", "bb" },
	{ "text", "/bin/text", "cc" }, { "empty", "/bin/empty", "" }, { "absent", "/bin/absent", "" },
	{ "cut", "/bin/cut", "" }, { "movable", "/bin/fixed", "longer" },
};
static const struct cst_package package = { .images = (struct cst_package_image *)images,
					    .n_images = sizeof(images) / sizeof(images[0]) };

#define NO_BASE UINT64_MAX

static const struct {
	const char *name, *uuid;
	uint64_t base;
	unsigned int nth;
	bool found;
	uint64_t start, size, offset;
} cases[] = {
	{ "/bin/fixed", NULL, NO_BASE, 0, true, 0x10000, 0x110, 0 },
	{ "/bin/fixed", NULL, NO_BASE, 1, true, 0x20ff0, 0x40, 0x30 },
	{ "/bin/fixed", NULL, NO_BASE, 2, .found = false },
	{ "/bin/fixed", NULL, 0x1000000, 0, true, 0x10000, 0x110, 0 },
	{ "/bin/fixed", "aa", NO_BASE, 0, true, 0x10000, 0x110, 0 },
	{ "/bin/fixed", "bb", NO_BASE, 0, true, 0x60000, 0x80, 0x70 },
	{ "/bin/fixed", "longer", 0x400000, 0, true, 0x402000, 0x200, 0x1000 },
	{ "/bin/fixed", "long", 0x400000, 0, .found = false },
	{ "/bin/fixed", "cc", NO_BASE, 0, .found = false },	/* that of another image */
	{ "/bin/movable", NULL, 0x400000, 0, true, 0x402000, 0x200, 0x1000 },
	{ "/bin/movable", NULL, 0x400000, 1, true, 0x404000, 0x100, 0x2000 },
	{ "/bin/movable", NULL, 0x400000, 2, .found = false },
	{ "/bin/movable", NULL, NO_BASE, 0, .found = false },
	{ "/bin/movable", "zz", 0x400000, 0, true, 0x402000, 0x200, 0x1000 },	/* the package gives none */
	{ "/bin/text", NULL, 0x8000, 0, true, 0x8000, 3, 0 },
	{ "/bin/text", NULL, 0x8000, 1, .found = false },
	{ "/bin/empty", NULL, 0x8000, 0, .found = false },
	{ "/bin/absent", NULL, 0x8000, 0, .found = false },
	{ "/bin/cut", NULL, 0x8000, 0, .found = false },
	{ "/bin/fix", NULL, NO_BASE, 0, .found = false },
};

static void add_file(struct folder *f, const char *name, const void *bytes, size_t len)
{
	void *copy = malloc(len + 1);

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	folder_add_data(f, name, copy, len);
}

static void add_elf(struct folder *f, const char *name, unsigned int type, const Elf64_Phdr *ph, size_t len)
{
	struct elf_headers h = { .eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = (Elf64_Half)type,
					 .e_machine = EM_AARCH64, .e_version = EV_CURRENT, .e_phoff = offsetof(struct elf_headers, ph),
					 .e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = HEADERS } };

	memcpy(h.ph, ph, sizeof(h.ph));
	add_file(f, name, &h, len);
}

static void stretches(void **state)
{
	struct folder files = { .dir = "/nonexistent", .who = "test" };
	uint64_t start, size, offset;
	struct segments s;
	size_t i;

	(void)state;
	add_elf(&files, "fixed", ET_EXEC, fixed, sizeof(struct elf_headers));
	add_elf(&files, "second", ET_EXEC, second, sizeof(struct elf_headers));
	add_elf(&files, "movable", ET_DYN, movable, sizeof(struct elf_headers));
	add_elf(&files, "cut", ET_DYN, movable, 20);
	add_file(&files, "text", "abc", 3);
	add_file(&files, "empty", "", 0);
	segments_init(&s, &package);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *uuid = cases[i].uuid;
		const struct cst_event ev = { .name = { cases[i].name, strlen(cases[i].name) }, .uuid = { uuid, uuid ? strlen(uuid) : 0 },
					      .has_base = cases[i].base != NO_BASE,
					      .base = cases[i].base != NO_BASE ? cases[i].base : 0 };

		start = size = offset = 0;
		assert_int_equal(segments_get(&s, &package, &files, &ev, cases[i].nth, &start, &size, &offset), cases[i].found);
		assert_int_equal(start, cases[i].start);
		assert_int_equal(size, cases[i].size);
		assert_int_equal(offset, cases[i].offset);
	}
	segments_free(&s);
	folder_free(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stretches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
