/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines and functions of a file that is not linked, as kernel modules are, with code in many sections, of more source files than
 * there is room for at first. The compilers of this machine make it.
 */
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "outputs/sources/source.h"
#include "unit/temp_dir.h"

#define FILES	300u

TEMP_DIR("sources")

/* Offset in the file of each function fNNN, by its symbol; 0: none. */
static uint64_t offsets[FILES], sizes[FILES];

/* The directory of the compilation, as the names of files begin with it. */
static const char *base = dir;
/* The first name that each file got: it is put together once. */
static const char *names[FILES];

/* Compiles a source of one function for each file, every other one in the folder sub; false: there is no such compiler. */
static bool compile(const char *cc, const char *options, const char *output)
{
	static char text[FILES * 90];
	char cmd[400];
	unsigned int i;
	size_t n = 0;

	for (i = 0; i < FILES; i++)
		n += (size_t)sprintf(text + n, "#line %u \"%spart%u.c\"\nint f%u(int a)\n{\n\treturn a + %u;\n}\n", 100 + i,
				     i % 2 ? "sub/" : "", i, i, i);
	temp_write(dir, "all.c", text, n);
	snprintf(cmd, sizeof(cmd), "cd %s && %s -g -O0 %s -o %s all.c >cc.log 2>&1", dir, cc, options, output);
	return !system(cmd);
}

static void read_symbols(const char *path, unsigned int files)
{
	int fd = open(path, O_RDONLY);
	Elf *elf;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh, of;
	GElf_Sym sym;
	Elf_Data *d;
	unsigned int number;
	char more;
	size_t i;

	assert_true(fd >= 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	memset(offsets, 0, sizeof(offsets));
	while ((scn = elf_nextscn(elf, scn))) {
		assert_non_null(gelf_getshdr(scn, &sh));
		if (sh.sh_type != SHT_SYMTAB)
			continue;
		d = elf_getdata(scn, NULL);
		for (i = 0; gelf_getsym(d, (int)i, &sym); i++) {
			if (sscanf(elf_strptr(elf, sh.sh_link, sym.st_name), "f%u%c", &number, &more) != 1 || number >= FILES)
				continue;
			assert_non_null(gelf_getshdr(elf_getscn(elf, sym.st_shndx), &of));
			offsets[number] = of.sh_offset + sym.st_value - of.sh_addr;
			sizes[number] = sym.st_size;
		}
	}
	elf_end(elf);
	close(fd);
	for (i = 0; i < files; i++)
		assert_true(offsets[i] && sizes[i]);
}

struct seen {
	unsigned int functions[FILES];
	unsigned int rows[FILES];
	uint64_t row_bytes;
	unsigned int line;	/* of the first function; 0: 100 */
};

/* The number of "base/partN.c" or "base/sub/partN.c". */
static unsigned int number_of(const char *file)
{
	unsigned int number;
	char want[64];

	assert_non_null(strrchr(file, '/'));
	assert_int_equal(sscanf(strrchr(file, '/'), "/part%u.c", &number), 1);
	assert_true(number < FILES);
	snprintf(want, sizeof(want), "%s/%spart%u.c", base, number % 2 ? "sub/" : "", number);
	assert_string_equal(file, want);
	if (!names[number])
		names[number] = file;
	assert_ptr_equal(file, names[number]);
	return number;
}

static void on_function(void *data, const struct source_function *f)
{
	struct seen *s = data;
	const unsigned int number = number_of(f->place.file);
	char want[16];

	snprintf(want, sizeof(want), "f%u", number);
	assert_string_equal(f->name, want);
	assert_int_equal(f->place.line, (s->line ? s->line : 100) + number);
	assert_int_equal(f->begin, offsets[number]);
	assert_int_equal(f->end, offsets[number] + sizes[number]);
	s->functions[number]++;
}

static void on_row(void *data, const struct source_row *r)
{
	struct seen *s = data;
	const unsigned int number = number_of(r->place.file);

	assert_in_range(r->place.line, 100 + number, 103 + number);
	assert_in_range(r->begin, offsets[number], offsets[number] + sizes[number] - 1);
	assert_in_range(r->end, r->begin + 1, offsets[number] + sizes[number]);
	s->row_bytes += r->end - r->begin;
	s->rows[number]++;
}

/* `bare`: without .debug_aranges, which clang does not write. */
static void check_file(const char *cc, const char *options, const char *output, bool bare)
{
	struct seen all = { .line = 0 };
	struct error err = { .code = 0 };
	struct source_place place;
	struct source *l;
	uint64_t bytes = 0;
	char path[128], cmd[300];
	unsigned int i;

	if (!compile(cc, options, output))
		skip();
	memset(names, 0, sizeof(names));
	snprintf(path, sizeof(path), "%s/%s", dir, output);
	snprintf(cmd, sizeof(cmd), "objcopy -R .debug_aranges -R .rela.debug_aranges %s", path);
	if (bare)
		assert_int_equal(system(cmd), 0);
	read_symbols(path, FILES);
	l = source_open(path, NULL, &err);
	assert_int_equal(err.code, 0);
	assert_non_null(l);
	source_each_function(l, on_function, &all);
	source_each_row(l, on_row, &all);
	for (i = 0; i < FILES; i++) {
		assert_int_equal(all.functions[i], 1);
		assert_true(all.rows[i] >= 2);
		bytes += sizes[i];
		assert_true(source_at(l, offsets[i], &place));
		assert_int_equal(number_of(place.file), i);
		assert_in_range(place.line, 100 + i, 101 + i);
		assert_true(source_at(l, offsets[i] + sizes[i] - 1, &place));
		assert_int_equal(number_of(place.file), i);
		assert_int_equal(place.line, 103 + i);
	}
	assert_int_equal(all.row_bytes, bytes);
	/* the begin of the file is no code */
	assert_false(source_at(l, 0, &place));
	source_close(l);
}

static void unlinked(void **state)
{
	(void)state;
	check_file("cc", "-c -ffunction-sections", "sections.o", false);
}

static void unlinked_without_aranges(void **state)
{
	(void)state;
	check_file("cc", "-c -ffunction-sections", "bare-sections.o", true);
}

static void linked(void **state)
{
	(void)state;
	check_file("cc", "-shared -fPIC -nostdlib", "linked.so", false);
}

static void linked_without_aranges(void **state)
{
	(void)state;
	check_file("cc", "-shared -fPIC -nostdlib", "bare-linked.so", true);
}

/* Builds that can be repeated replace the directory of the compilation by a relative one: names begin with it once. */
static void relative(void **state)
{
	static const char *const bases[] = { "tree", ".", "su" };
	char options[200];
	unsigned int i;

	(void)state;
	for (i = 0; i < 6; i++) {
		base = bases[i / 2];
		snprintf(options, sizeof(options), "-c -ffunction-sections -gdwarf-%u -fdebug-prefix-map=%s=%s", 4 + i % 2, dir, base);
		check_file("cc", options, "relative.o", false);
	}
	base = dir;
}

/* In DWARF 5, the file that a unit was compiled from is number 0. */
static void first_file(void **state)
{
	static const char *const options[] = { "-gdwarf-4", "-gdwarf-5" };
	static const char text[] = "int f0(int a)\n{\n\treturn a;\n}\n";
	struct seen seen = { .line = 0 };
	struct error err = { .code = 0 };
	struct source *l;
	char cmd[300], path[128];
	unsigned int i;

	(void)state;
	base = dir;
	snprintf(path, sizeof(path), "%s/first.o", dir);
	for (i = 0; i < 2; i++) {
		memset(names, 0, sizeof(names));
		temp_write(dir, "part0.c", text, sizeof(text) - 1);
		snprintf(cmd, sizeof(cmd), "cd %s && clang -O0 %s -c -o first.o part0.c >cc.log 2>&1", dir, options[i]);
		if (system(cmd))
			skip();
		read_symbols(path, 1);
		l = source_open(path, NULL, &err);
		assert_non_null(l);
		seen.line = 1;
		source_each_function(l, on_function, &seen);
		source_close(l);
		assert_int_equal(seen.functions[0], i + 1);
	}
}

/* A function whose cold part is elsewhere has ranges and no address of its own; it begins with the first range. */
static void several_parts(void **state)
{
	static const char *const options[] = { "-gdwarf-4", "-gdwarf-5" };
	static const char text[] = "void g(int) __attribute__((cold));\nvoid abort(void);\nint h(int);\nint f0(int a)\n{\n"
				   "\tif (a > 99) {\n\t\tg(a);\n\t\tabort();\n\t}\n\treturn h(a) + 1;\n}\n";
	struct error err = { .code = 0 };
	struct source *l;
	char cmd[300], path[128];
	unsigned int i;

	(void)state;
	base = dir;
	snprintf(path, sizeof(path), "%s/parts.o", dir);
	for (i = 0; i < 2; i++) {
		struct seen seen = { .line = 4 };

		memset(names, 0, sizeof(names));
		temp_write(dir, "part0.c", text, sizeof(text) - 1);
		snprintf(cmd, sizeof(cmd), "cd %s && gcc -O2 -freorder-blocks-and-partition %s -c -o parts.o %s/part0.c >cc.log 2>&1 && "
			 "nm parts.o | grep -q 'f0\\.cold'", dir, options[i], dir);
		if (system(cmd))
			skip();
		read_symbols(path, 1);
		l = source_open(path, NULL, &err);
		assert_non_null(l);
		source_each_function(l, on_function, &seen);
		source_close(l);
		assert_int_equal(seen.functions[0], 1);
	}
}

/* DWARF of a section that the linker discarded is at address 0, where the file has code of another unit. */
static void discarded(void **state)
{
	static const char text[] = "#line 100 \"part0.c\"\nint f0(int a)\n{\n\treturn a;\n}\n#line 200\n"
				   "__attribute__((visibility(\"hidden\"))) void unused(void)\n{\n\t__asm__(\".skip 4096\");\n}\n";
	static const char other[] = "void f1(void)\n{\n\t__asm__(\".skip 8192\");\n}\n";
	static const char *const options[] = { "-gdwarf-4", "-gdwarf-5" };
	struct error err = { .code = 0 };
	struct source_place place;
	struct source *l;
	char cmd[500], path[128];
	unsigned int i;

	(void)state;
	base = dir;
	snprintf(path, sizeof(path), "%s/discarded.so", dir);
	for (i = 0; i < 2; i++) {
		struct seen seen = { .line = 0 };

		memset(names, 0, sizeof(names));
		temp_write(dir, "gone.c", text, sizeof(text) - 1);
		temp_write(dir, "other.c", other, sizeof(other) - 1);
		snprintf(cmd, sizeof(cmd), "cd %s && (gcc -O0 -fPIC -c other.c && gcc -O0 -fPIC -ffunction-sections %s -c gone.c && gcc -shared "
			 "-nostdlib -Wl,--gc-sections,-z,noseparate-code -o discarded.so other.o gone.o) >cc.log 2>&1", dir, options[i]);
		if (system(cmd))
			skip();
		read_symbols(path, 2);
		assert_in_range(offsets[1], 1, 4000);
		assert_true(offsets[0] > 8192);
		l = source_open(path, NULL, &err);
		assert_non_null(l);
		source_each_function(l, on_function, &seen);
		source_each_row(l, on_row, &seen);
		assert_int_equal(seen.functions[0], 1);
		assert_int_equal(seen.row_bytes, sizes[0]);
		assert_false(source_at(l, offsets[1], &place));
		assert_true(source_at(l, offsets[0], &place));
		source_close(l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unlinked), cmocka_unit_test(linked),
		cmocka_unit_test(unlinked_without_aranges),
		cmocka_unit_test(linked_without_aranges), cmocka_unit_test(relative),
		cmocka_unit_test(first_file), cmocka_unit_test(several_parts),
		cmocka_unit_test(discarded),
	};

	return cmocka_run_group_tests_name("sources lines", tests, make_dir, remove_dir);
}
