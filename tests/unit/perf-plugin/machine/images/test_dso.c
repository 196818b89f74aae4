/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program file tells about itself: build-ids, names of one address, addresses of one name, anchors of a kernel; how large it is. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <cmocka.h>

#include "machine/images/dso_table.h"
#include "machine/images/functions.h"
#include "machine/images/kallsyms.h"
#include "machine/images/unpack.h"
#include "unit/perf-plugin/elf_build.h"
#include "unit/temp_dir.h"

TEMP_DIR("images")

static struct build_id id_of(const char *text)
{
	struct build_id id = { .len = (uint8_t)strlen(text) };

	memcpy(id.id, text, id.len);
	return id;
}

/* perf pads short build-ids with zeroes, and with nothing else. */
static void build_ids(void **state)
{
	static const struct {
		struct build_id a, b;
		bool equal;
	} row[] = {
		{ { 4, "abcd" }, { 4, "abcd" }, true }, { { 4, "abcd" }, { 4, "abce" }, false }, { { 4, "abcd" }, { 20, "abcd" }, true },
		{ { 4, "abcd" }, { 20, "abcd\0\0x" }, false }, { { 4, "abcd" }, { 20, "abcd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0x" }, false },
		{ { 0, "" }, { 4, "abcd" }, false }, { { 0, "" }, { 0, "" }, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(build_id_equal(&row[i].a, &row[i].b), row[i].equal);
		assert_int_equal(build_id_equal(&row[i].b, &row[i].a), row[i].equal);
	}
}

/* A table without files knows none, and takes nothing for one; a file is found by its path and kind. */
static void tables(void **state)
{
	const struct build_id id = id_of("abcd"), none = { .len = 0 };
	struct dso_table t;
	struct dso *d;
	char name[32];
	unsigned int i;

	(void)state;
	dso_table_init(&t);
	assert_null(dso_table_find(&t, "/m0.ko", DSO_MODULE));
	dso_table_set_build_id(&t, "/m0.ko", &id);
	dso_table_set_text(&t, "/m0.ko", 1, 2);
	assert_int_equal(t.nr, 0);
	for (i = 0; i < 600; i++) {
		snprintf(name, sizeof(name), "/m%u.ko", i / 2);
		assert_non_null(dso_table_get(&t, name, &none, i % 2));
	}
	for (i = 0; i < 600; i++) {
		snprintf(name, sizeof(name), "/m%u.ko", i / 2);
		d = dso_table_find(&t, name, i % 2 ? DSO_MODULE : DSO_FILE);
		assert_non_null(d);
		assert_string_equal(dso_path(d), name);
		assert_int_equal(d->kind, i % 2 ? DSO_MODULE : DSO_FILE);
		assert_null(dso_table_find(&t, name, DSO_JIT));
	}
	/* of both kinds, and those without one only; text is a module's */
	dso_table_set_build_id(&t, "/m7.ko", &id);
	dso_table_set_build_id(&t, "/m7.ko", &none);
	dso_table_set_text(&t, "/m7.ko", 0x40, 0xffff0040);
	for (i = 0; i < 2; i++) {
		d = dso_table_find(&t, "/m7.ko", i ? DSO_MODULE : DSO_FILE);
		assert_true(build_id_equal(&d->recorded, &id));
		assert_int_equal(d->module.text.in_file, i ? 0x40 : 0);
		assert_int_equal(d->module.text.in_memory, i ? 0xffff0040 : 0);
	}
	dso_table_free(&t);
}

#define NAME_ROOM 12

/* Symbol `nr` of the file: its name goes behind the file's own names, into place `place`. */
static void set_symbol(uint8_t *image, unsigned int nr, unsigned int place, const char *name, unsigned int bind, uint64_t at, uint64_t size)
{
	Elf64_Ehdr eh;
	Elf64_Shdr sh[6];
	Elf64_Sym sym = {
		.st_info = ELF64_ST_INFO(bind, STT_FUNC), .st_shndx = 1, .st_value = ELF_CODE_VADDR + at, .st_size = size,
		.st_name = 32 + NAME_ROOM * place,
	};

	memcpy(&eh, image, sizeof(eh));
	memcpy(sh, image + eh.e_shoff, sizeof(sh));
	memcpy(image + sh[2].sh_offset + nr * sizeof(sym), &sym, sizeof(sym));
	strcpy((char *)image + sh[3].sh_offset + sym.st_name, name);
}

static struct dso *load(struct dso_table *t, const uint8_t *image, const struct build_id *id)
{
	struct dso *d;

	temp_write(dir, "file", image, ELF_SIZE);
	dso_table_init(t);
	t->search.symfs = dir;
	d = dso_table_get(t, "/file", id, false);
	assert_non_null(d);
	assert_true(dso_load(d));
	return d;
}

/* Of two names of one address perf shows the first of these pairs, whichever the file has first; both are one function. */
static void names_of_an_address(void **state)
{
	static const struct {
		const char *name[2];
		unsigned int bind[2];
		uint64_t size[2];
	} row[] = {
		{ { "x", "y" }, { STB_WEAK, STB_GLOBAL }, { 12, 8 } },
		{ { "x", "y" }, { STB_GLOBAL, STB_LOCAL }, { 8, 8 } },
		{ { "x", "y" }, { STB_LOCAL, STB_WEAK }, { 8, 8 } },
		{ { "x", "_longer" }, { STB_LOCAL, STB_LOCAL }, { 8, 8 } },
		{ { "_x", "__longer" }, { STB_LOCAL, STB_LOCAL }, { 8, 8 } },
		{ { "yy", "x" }, { STB_LOCAL, STB_LOCAL }, { 8, 8 } },
		{ { "x", "y" }, { STB_LOCAL, STB_LOCAL }, { 8, 8 } },
	};
	const struct build_id none = { .len = 0 };
	uint8_t image[ELF_SIZE];
	struct dso_function f;
	struct dso_table t;
	uint64_t start, size;
	const char *name;
	unsigned int i, k, swap;
	struct dso *d;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		for (swap = 0; swap < 2; swap++) {
			elf_build(image, EM_AARCH64, 0x11, true);
			for (k = 0; k < 2; k++)
				set_symbol(image, k == swap ? 2 : 5, k, row[i].name[k], row[i].bind[k], 32, row[i].size[k]);
			d = load(&t, image, &none);
			assert_true(dso_symbol(d, ELF_CODE_OFFSET + 36, &name, &start, &size));
			assert_string_equal(name, row[i].name[0]);
			assert_int_equal(size, row[i].size[0]);
			assert_true(dso_function(d, ELF_CODE_OFFSET + 36, &f));
			assert_int_equal(f.start, ELF_CODE_OFFSET + 32);
			assert_int_equal(f.end, f.start + row[i].size[0]);
			dso_table_free(&t);
		}
}

/* Of two symbols of one name the global one, then the local one; of two alike the one of the lower address. */
static void addresses_of_a_name(void **state)
{
	static const struct {
		unsigned int bind[2];
	} row[] = { { { STB_GLOBAL, STB_LOCAL } }, { { STB_GLOBAL, STB_WEAK } }, { { STB_LOCAL, STB_WEAK } }, { { STB_LOCAL, STB_LOCAL } } };
	const struct build_id none = { .len = 0 };
	uint8_t image[ELF_SIZE];
	struct dso_table t;
	uint64_t vaddr;
	unsigned int i, far;
	struct dso *d;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		for (far = 0; far < 2; far++) {
			elf_build(image, EM_AARCH64, 0x11, true);
			set_symbol(image, 2, 0, "same", row[i].bind[0], far ? 40 : 32, 8);
			set_symbol(image, 5, 0, "same", row[i].bind[1], far ? 32 : 40, 8);
			d = load(&t, image, &none);
			assert_true(dso_symbol_address(d, "same", &vaddr));
			assert_int_equal(vaddr, ELF_CODE_VADDR + (far && row[i].bind[0] != row[i].bind[1] ? 40 : 32));
			dso_table_free(&t);
		}
}

/* Without its symbols the file of a kernel has _text and _stext all the same, if it is the one that was recorded. */
static void anchors(void **state)
{
	const struct build_id none = { .len = 0 };
	struct build_id id = { .len = 20 };
	uint8_t image[ELF_SIZE];
	struct dso_table t;
	uint64_t vaddr = 0;
	struct dso *d;

	(void)state;
	memset(id.id, 0x11, 20);
	elf_build(image, EM_AARCH64, 0x11, true);
	d = load(&t, image, &id);
	assert_true(dso_kernel_anchor(d, "_text", &vaddr));
	assert_int_equal(vaddr, ELF_FIRST_VADDR);
	assert_true(dso_kernel_anchor(d, "_stext", &vaddr));
	assert_int_equal(vaddr, ELF_CODE_VADDR);
	assert_false(dso_kernel_anchor(d, "_etext", &vaddr));
	d->image.segs[0].exec = false;
	assert_false(dso_kernel_anchor(d, "_text", &vaddr));
	dso_table_free(&t);
	d = load(&t, image, &none);
	assert_false(dso_kernel_anchor(d, "_text", &vaddr));
	assert_false(dso_kernel_anchor(d, "_stext", &vaddr));
	dso_table_free(&t);
	/* no section .text */
	memcpy(memmem(image, ELF_SIZE, ".text", 6), ".TEXT", 5);
	d = load(&t, image, &id);
	assert_false(dso_kernel_anchor(d, "_stext", &vaddr));
	dso_table_free(&t);
}

/* Of several names of one address in a kernel: the function, the global one, the one with fewer underscores. */
static void kernel_names(void **state)
{
	static const char *const row[][2] = {
		{ "1000 t y", "1000 D x" }, { "1000 W y", "1000 d x" }, { "1000 T y", "1000 t x" }, { "1000 T y", "1000 T _x" },
		{ "1000 t _y", "1000 t __x" }, { "1000 T x", "1000 T y" },
	};
	uint64_t start, end;
	struct kallsyms *ks;
	const char *name;
	char text[128];
	size_t i;
	int swap, n;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		for (swap = 0; swap < 2; swap++) {
			n = snprintf(text, sizeof(text), "%s\n%s\n2000 T end\n", row[i][swap], row[i][!swap]);
			ks = kallsyms_read(text, (size_t)n);
			assert_non_null(ks);
			assert_true(kallsyms_find(ks, 0x1004, &name, &start, &end));
			assert_string_equal(name, row[i][0] + 7);
			assert_int_equal(start, 0x1000);
			assert_int_equal(end, 0x2000);
			kallsyms_free(ks);
		}
}

/* Packs bytes of which the first 6000 repeat nothing. Returns the packed size. */
static size_t pack_gz(size_t size, uint8_t *out, size_t cap)
{
	z_stream z = { .next_out = out, .avail_out = (uInt)cap, .avail_in = (uInt)size };
	uint8_t *plain = calloc(1, size + 1);
	uint32_t seed = 1;
	size_t i;

	assert_non_null(plain);
	for (i = 0; i < size && i < 6000; i++) {
		seed = seed * 1664525 + 1013904223;
		plain[i] = (uint8_t)(seed >> 24);
	}
	z.next_in = plain;
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	free(plain);
	return z.total_out;
}

/* A format is known by its first bytes, all of them; a file of nothing but these is damaged. */
static void packed_formats(void **state)
{
	static const struct {
		const char *magic;
		size_t len;
	} rows[] = { { "\x1f\x8b", 2 }, { "\xfd" "7zXZ\0", 6 }, { "\x28\xb5\x2f\xfd", 4 } };
	uint8_t bytes[8], *p;
	size_t i, k, n;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, rows[i].magic, rows[i].len);
		assert_true(is_packed(bytes, sizeof(bytes)));
		assert_true(is_packed(bytes, rows[i].len));
		assert_false(is_packed(bytes, rows[i].len - 1));
		k = unpack(bytes, rows[i].len, &p, &n);
		assert_true(k == UNPACK_DAMAGED || k == UNPACK_LEFT_OUT);
		for (k = 0; k < rows[i].len; k++) {
			bytes[k] ^= 1;
			assert_false(is_packed(bytes, sizeof(bytes)));
			bytes[k] ^= 1;
		}
	}
	assert_int_equal(unpack((const uint8_t *)"text", 4, &p, &n), UNPACK_DAMAGED);
}

/* A file may unpack to 64 times its size, and to 256 KiB in any case; one that is empty then is damaged. */
static void unpacked_sizes(void **state)
{
	static uint8_t packed[16384];
	size_t size, max, n, len;
	unsigned int large = 0;
	uint8_t *p;

	(void)state;
	for (size = 300000; size < 500000; size += 977) {
		n = pack_gz(size, packed, sizeof(packed));
		max = n * UNPACK_RATIO;
		assert_true(max > 256 << 10 && max < 512 << 10);
		assert_int_equal(unpack(packed, n, &p, &len), size < max ? UNPACK_DONE : UNPACK_LARGE);
		large += size > max;
		if (size > max)
			continue;
		assert_int_equal(len, size);
		free(p);
	}
	assert_true(large > 20 && large < 150);
	n = pack_gz(0, packed, sizeof(packed));
	assert_int_equal(unpack(packed, n, &p, &len), UNPACK_DAMAGED);
	n = pack_gz(1, packed, sizeof(packed));
	assert_int_equal(unpack(packed, n, &p, &len), UNPACK_DONE);
	assert_int_equal(len, 1);
	free(p);
}

/* A module has brackets around its name, or the suffix of its file; so has no kernel. */
static void names_of_modules(void **state)
{
	static const char *const modules[] = { "[xfs]", "/lib/xfs.ko", "/lib/xfs.ko.zst" };
	static const char *const others[] = {
		"[kernel.kallsyms]", "[kernel.0123456789012345678901234]", ".ko",
		"[guest.kernel.kallsyms]", "/lib/xfs.kobject",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		assert_true(dso_is_module(modules[i]));
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(dso_is_module(others[i]));
}

/* Memory that no file can be found for has names, too; a file's name may only look like them. */
static void names_of_memory(void **state)
{
	static const char *const memory[] = {
		"//anon", "[heap]", "[stack]", "[stack:12]", "[anon:dalvik-jit-code-cache]", "anon_inode:[perf_event]",
		"/memfd:doublemapper (deleted)", "/dev/zero (deleted)", "/SYSV00000000 (deleted)", "/anon_hugepage (deleted)", "",
		"[uprobes]", "[vsyscall]", "/dev/hugepages/libhugetlbfs.tmp.x (deleted)",
	};
	static const char *const files[] = { "/bin/ls", "[vdso]", "/usr/anon_hugepage", "/dev/shm/jit", "[vectors]", "[sigpage]", "//toolong",
		"/SYSV", "/SYSV/prog", "/memfd:x", "/dev/zeros", "/dev/hugepages/prog", "/anon_hugepage", "[heap", "//anonymous" };
	const struct build_id none = { .len = 0 }, one = { 4, { 1, 2, 3, 4 } };
	struct dso_table t;
	struct dso *d;
	size_t i;

	(void)state;
	dso_table_init(&t);
	for (i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		assert_int_equal(dso_table_get(&t, memory[i], &none, false)->kind, DSO_ANON);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_int_equal(dso_table_get(&t, files[i], &none, false)->kind, DSO_FILE);
	dso_table_free(&t);
	/* what has a build-id is a file: that of the record, or that of the file's header, which is known after all records */
	for (i = 0; i < sizeof(memory) / sizeof(memory[0]); i++) {
		dso_table_init(&t);
		d = dso_table_get(&t, memory[i], &one, false);
		assert_int_equal(d->kind, DSO_FILE);
		assert_ptr_equal(dso_table_get(&t, memory[i], &one, false), d);
		d = dso_table_get(&t, memory[i], &none, false);
		assert_int_equal(d->kind, DSO_ANON);
		assert_true(dso_table_set_build_id(&t, memory[i], &one));
		assert_int_equal(d->kind, DSO_FILE);
		assert_true(build_id_equal(&d->recorded, &one));
		/* the records of the next pass are the same */
		assert_ptr_equal(dso_table_get(&t, memory[i], &none, false), d);
		assert_int_equal(t.nr, 2);
		dso_table_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_modules), cmocka_unit_test(build_ids),
		cmocka_unit_test(tables), cmocka_unit_test(names_of_memory),
		cmocka_unit_test(names_of_an_address), cmocka_unit_test(addresses_of_a_name),
		cmocka_unit_test(anchors), cmocka_unit_test(kernel_names),
		cmocka_unit_test(packed_formats), cmocka_unit_test(unpacked_sizes),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
