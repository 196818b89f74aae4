/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding, checking and reading program files: small ELF files made here, in a directory made here. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "machine/images/dso_table.h"
#include "session/losses/losses.h"
#include "session/session.h"
#include "unit/perf-plugin/elf_build.h"
#include "unit/perf-plugin/said.h"
#include "unit/temp_dir.h"

TEMP_DIR("dso")

static void write_elf(const char *path, uint16_t machine, uint8_t id, bool code)
{
	_Alignas(8) uint8_t image[ELF_SIZE];

	elf_build(image, machine, id, code);
	temp_write(dir, path, image, sizeof(image));
}

static int make_files(void **state)
{
	static const uint8_t raw[64] = { 0x1f, 0x20, 0x03, 0xd5 };

	if (make_dir(state))
		return -1;
	write_elf("bin/good", EM_AARCH64, 0x11, true);
	write_elf("bin/changed", EM_AARCH64, 0x22, true);
	write_elf("elsewhere/changed", EM_AARCH64, 0x33, true);
	write_elf("bin/host", EM_X86_64, 0x44, true);
	write_elf("lib/debug/prog.debug", EM_AARCH64, 0x55, false);
	write_elf("bin/stripped", EM_AARCH64, 0x55, false);
	write_elf("cache/.build-id/66/66666666666666666666666666666666666666/elf", EM_AARCH64, 0x66, true);
	write_elf("a/b/c/only-name", EM_AARCH64, 0x77, true);
	write_elf("bin/unlinked", EM_ARM, 0x88, true);
	write_elf("[vdso]", EM_AARCH64, 0xee, true);
	write_elf("lib/modules/6.1.0/vdso/vdso.so", EM_AARCH64, 0xaa, true);
	write_elf("lib/modules/6.1.0/vdso/vdso32.so", EM_ARM, 0xbb, true);
	write_elf("cache/.build-id/cc/cccccccccccccccccccccccccccccccccccccc/vdso", EM_AARCH64, 0xcc, true);
	temp_write(dir, "bin/raw.bin", raw, sizeof(raw));
	temp_write(dir, "bin/broken", "\177ELF\2\1\1", 7);
	return 0;
}

static struct build_id id_of(uint8_t byte)
{
	struct build_id id = { .len = 20 };

	memset(id.id, byte, 20);
	return id;
}

static const struct build_id none;

static void open_table(struct dso_table *t, char cache[64])
{
	dso_table_init(t);
	t->search.symfs = dir;
	snprintf(cache, 64, "%s/cache", dir);
	t->search.buildid_dir = cache;
}

static void by_path_and_build_id(void **state)
{
	struct build_id same = id_of(0x11);
	struct dso_table t;
	char cache[64];
	struct dso *d;
	uint64_t offset, vaddr;
	size_t len;

	(void)state;
	open_table(&t, cache);
	d = dso_table_get(&t, "/bin/good", &same, false);
	assert_ptr_equal(dso_table_get(&t, "/bin/good", &same, false), d);
	assert_ptr_not_equal(dso_table_get(&t, "/bin/good", &none, false), d);
	assert_null(dso_file(d));
	assert_true(dso_load(&t, d));
	assert_non_null(strstr(dso_file(d), "/bin/good"));
	assert_memory_equal(dso_build_id(d, &len), same.id, 20);
	assert_int_equal(len, 20);
	assert_true(dso_vaddr(d, ELF_CODE_OFFSET, &vaddr));
	assert_int_equal(vaddr, ELF_CODE_VADDR);
	assert_false(dso_vaddr(d, 0x10000, &vaddr));
	assert_true(dso_first_load(d, &offset, &vaddr));
	assert_int_equal(vaddr, ELF_FIRST_VADDR);
	assert_int_equal(offset, 0);
	/* below --symfs also a file of another name has the build-id */
	d = dso_table_get(&t, "/opt/moved", &same, false);
	assert_true(dso_load(&t, d));
	assert_non_null(strstr(dso_file(d), "/bin/good"));
	d = dso_table_get(&t, "/opt/moved", &none, false);
	assert_false(dso_load(&t, d));
	dso_table_free(&t);
}

/* Lists of files go by path; of one path those without a build-id come first, then by its length and bytes. */
static void order_of_files(void **state)
{
	struct build_id ids[] = { none, id_of(0x22), id_of(0x11), id_of(0x33), id_of(0x11) };
	static const char *const paths[] = { "/b", "/b", "/b", "/b", "/a" };
	static const unsigned int want[] = { 4, 0, 1, 2, 3 };
	struct dso *d[5];
	struct dso_table t;
	char cache[64];
	unsigned int i, k;

	(void)state;
	ids[1].len = 16;
	open_table(&t, cache);
	for (i = 0; i < 5; i++)
		d[i] = dso_table_get(&t, paths[i], &ids[i], false);
	for (i = 0; i < 5; i++)
		for (k = 0; k < 5; k++) {
			int c = dso_compare(d[want[i]], d[want[k]]);

			assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
		}
	dso_table_free(&t);
}

/* The file at the recorded path is another one; the right one lies elsewhere. */
static void found_by_build_id(void **state)
{
	struct build_id recorded = id_of(0x33), cached = id_of(0x66);
	struct dso_table t;
	char cache[64];
	struct dso *d;

	(void)state;
	open_table(&t, cache);
	d = dso_table_get(&t, "/bin/changed", &recorded, false);
	assert_true(dso_load(&t, d));
	assert_non_null(strstr(dso_file(d), "/elsewhere/changed"));
	d = dso_table_get(&t, "/gone", &cached, false);
	assert_true(dso_load(&t, d));
	assert_non_null(strstr(dso_file(d), "/elf"));
	dso_table_free(&t);
}

static void found_by_name(void **state)
{
	struct dso_table t;
	char cache[64];
	struct dso *d;

	(void)state;
	open_table(&t, cache);
	d = dso_table_get(&t, "/usr/bin/only-name", &none, false);
	assert_true(dso_load(&t, d));
	assert_true(d->by_name);
	d = dso_table_get(&t, "/usr/bin/not-there", &none, false);
	assert_false(dso_load(&t, d));
	assert_int_equal(d->state, DSO_MISSING);
	/* the file at the path in front of "(deleted)" */
	d = dso_table_get(&t, "/bin/unlinked (deleted)", &none, false);
	assert_true(dso_load(&t, d));
	assert_non_null(strstr(dso_file(d), "/bin/unlinked"));
	assert_false(d->by_name);
	dso_table_free(&t);
}

/* Code that the kernel provides: by its build-id wherever there is a copy, else under its own name. */
static void vdso(void **state)
{
	static const struct {
		const char *path;
		uint8_t id;
		const char *file;	/* NULL: none is right */
	} want[] = {
		{ "[vdso]", 0, "/[vdso]" },
		{ "[vdso]", 0xee, "/[vdso]" },
		{ "[vdso]", 0xaa, "/vdso/vdso.so" },
		{ "[vdso32]", 0xbb, "/vdso/vdso32.so" },
		{ "[vdso32]", 0, "/vdso/vdso32.so" },
		{ "[vdso]", 0xcc, "/vdso" },
		{ "[vdso]", 0xdd, NULL },
	};
	struct build_id id;
	struct dso_table t;
	char cache[64];
	struct dso *d;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		open_table(&t, cache);
		t.search.osrelease = "6.1.0";
		id = want[i].id ? id_of(want[i].id) : none;
		d = dso_table_get(&t, want[i].path, &id, false);
		assert_int_equal(dso_load(&t, d), want[i].file != NULL);
		if (want[i].file)
			assert_non_null(strstr(dso_file(d), want[i].file));
		dso_table_free(&t);
	}
	/* the copies of this machine are not those of another one */
	open_table(&t, cache);
	t.search.symfs = NULL;
	t.search.osrelease = "6.1.0";
	d = dso_table_get(&t, "[vdso]", &none, false);
	assert_false(dso_load(&t, d));
	dso_table_free(&t);
}

/* A kernel is looked for where distributions put it, by the release that was recorded, before copies elsewhere. */
static void kernel_places(void **state)
{
	static const struct {
		const char *path;
		uint8_t id;
	} places[] = {
		{ "boot/vmlinux-6.2.0", 0xd1 }, { "usr/lib/debug/boot/vmlinux-6.2.0", 0xd2 },
		{ "usr/lib/debug/lib/modules/6.2.0/vmlinux", 0xd3 }, { "lib/modules/6.2.0/vmlinux", 0xd4 },
		{ "lib/modules/6.2.0/build/vmlinux", 0xd5 },
	};
	struct build_id id;
	struct dso_table t;
	char cache[64];
	struct dso *d;
	char copy[32];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		write_elf(places[i].path, EM_AARCH64, places[i].id, true);
		snprintf(copy, sizeof(copy), "0/copy%zu", i);
		write_elf(copy, EM_AARCH64, places[i].id, true);
		snprintf(copy, sizeof(copy), "z/copy%zu", i);
		write_elf(copy, EM_AARCH64, places[i].id, true);
	}
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		open_table(&t, cache);
		t.search.osrelease = "6.2.0";
		id = id_of(places[i].id);
		d = dso_table_get(&t, "[kernel.kallsyms]", &id, true);
		assert_true(dso_load(&t, d));
		assert_non_null(strstr(dso_file(d), places[i].path));
		dso_table_free(&t);
	}
}

static void unfit_files(void **state)
{
	const struct {
		const char *path;
		int trouble;
	} unfit[] = {
		{ "/bin/host", DSO_MACHINE },
		{ "/bin/stripped", DSO_NO_CODE },
		{ "/bin/broken", DSO_BAD_ELF },
		{ "/bin", DSO_UNREADABLE },
	};
	struct dso_table t;
	char cache[64];
	struct dso *d;
	size_t i;

	(void)state;
	open_table(&t, cache);
	for (i = 0; i < sizeof(unfit) / sizeof(unfit[0]); i++) {
		d = dso_table_get(&t, unfit[i].path, &none, false);
		assert_false(dso_load(&t, d));
		assert_int_equal(d->state, DSO_REFUSED);
		assert_int_equal(d->trouble, unfit[i].trouble);
		assert_null(d->data);
		assert_null(dso_file(d));
	}
	d = dso_table_get(&t, "//anon", &none, false);
	assert_false(dso_load(&t, d));
	d = dso_table_get(&t, "/lib/modules/6.1/x.ko", &none, true);
	assert_false(dso_load(&t, d));
	dso_table_free(&t);
}

static void not_elf_is_read_by_offset(void **state)
{
	struct dso_table t;
	uint64_t vaddr, start, size;
	const char *name;
	char cache[64];
	struct dso *d;

	(void)state;
	open_table(&t, cache);
	d = dso_table_get(&t, "/bin/raw.bin", &none, false);
	assert_true(dso_load(&t, d));
	assert_int_equal(d->size, 64);
	assert_true(dso_vaddr(d, 12, &vaddr));
	assert_int_equal(vaddr, 12);
	assert_false(dso_first_load(d, &start, &vaddr));
	assert_int_equal(vaddr, 0);
	assert_false(dso_symbol(d, 0, &name, &start, &size));
	dso_table_free(&t);
}

/* A stripped file has the symbols of its dynamic linker; where both tables are, only the full one counts. */
static void stripped_symbols(void **state)
{
	const uint32_t full = SHT_SYMTAB, dynamic = SHT_DYNSYM;
	uint8_t image[ELF_SIZE];
	struct dso_table t;
	const char *name;
	uint64_t start, size, sh;
	char cache[64];
	struct dso *d;
	int both;

	(void)state;
	for (both = 0; both < 2; both++) {
		elf_build(image, EM_AARCH64, 0x12, true);
		memcpy(&sh, image + offsetof(Elf64_Ehdr, e_shoff), sizeof(sh));
		memcpy(image + sh + 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_type), &dynamic, sizeof(dynamic));
		if (both) {	/* the section of the notes becomes a table of symbols: the file's header */
			sh += 5 * sizeof(Elf64_Shdr);
			memcpy(image + sh + offsetof(Elf64_Shdr, sh_type), &full, sizeof(full));
			memset(image + sh + offsetof(Elf64_Shdr, sh_entsize), 24, 1);
		}
		temp_write(dir, both ? "both" : "stripped", image, sizeof(image));
		open_table(&t, cache);
		d = dso_table_get(&t, both ? "/both" : "/stripped", &none, false);
		assert_true(dso_load(&t, d));
		/* a damaged table of symbols leaves the exported ones */
		assert_true(dso_symbol(d, ELF_CODE_OFFSET, &name, &start, &size));
		assert_string_equal(name, "_text");
		dso_table_free(&t);
	}
}

/* Without program headers, as perf inject --jit of old made them: the sections tell the same. */
static void sections_only(void **state)
{
	uint8_t image[ELF_SIZE];
	uint64_t start, size, vaddr;
	struct dso_table t;
	const char *name;
	char cache[64];
	struct dso *d;

	(void)state;
	elf_build(image, EM_AARCH64, 0x12, true);
	memset(image + offsetof(Elf64_Ehdr, e_phnum), 0, 2);
	temp_write(dir, "jitted-100-1.so", image, sizeof(image));
	open_table(&t, cache);
	d = dso_table_get(&t, "/jitted-100-1.so", &none, false);
	assert_true(dso_load(&t, d));
	assert_int_equal(d->nr_segs, 1);
	assert_true(dso_vaddr(d, ELF_CODE_OFFSET + 4, &vaddr));
	assert_int_equal(vaddr, ELF_CODE_VADDR + 4);
	assert_true(dso_symbol(d, ELF_CODE_OFFSET, &name, &start, &size));
	assert_string_equal(name, "_text");
	dso_table_free(&t);
}

/* What dso_explain() prints, to be freed. */
static char *explanation(struct dso *d, const char *path, bool perf)
{
	size_t len;
	char *text;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	d->path = (char *)path;
	dso_explain(d, perf, false, out);
	fclose(out);
	return text;
}

/* One line for each reason, which names the file and what helps; and under what the loss is counted. */
static void explained(void **state)
{
	static const struct {
		enum dso_trouble trouble;
		enum dso_kind kind;
		enum loss loss;
		const char *path, *text, *perf;	/* the line, and what it has more for a recording of perf */
	} row[] = {
		{ DSO_FINE, DSO_FILE, LOSS_SHORT, "/bin/x", "/r/x is 96 bytes long, and code behind its end was executed", "" },
		{ DSO_BUILD_ID, DSO_FILE, LOSS_BUILD_ID, "/bin/x", "/r/x has build-id 22222222, recorded was 11111111: not used", "" },
		{ DSO_MACHINE, DSO_FILE, LOSS_UNFIT, "/bin/x", "/r/x is not an Arm file (ELF machine 62): not used", "" },
		{ DSO_NO_CODE, DSO_FILE, LOSS_NO_TEXT, "/bin/x", "/r/x holds debug information but no code: not used", "" },
		{ DSO_UNREADABLE, DSO_FILE, LOSS_UNFIT, "/bin/x", "/r/x cannot be read: check its type, size and permissions", "" },
		{ DSO_BAD_ELF, DSO_FILE, LOSS_UNFIT, "/bin/x", "/r/x has a broken ELF header: not used", "" },
		{ DSO_UNALIGNED, DSO_FILE, LOSS_UNFIT, "/bin/x", "its file offsets do not fit the addresses it was mapped at", "" },
		{ DSO_PACKED, DSO_MODULE, LOSS_UNFIT, "/m.ko.xz", "/r/x cannot be unpacked: damaged, or compressed in a way", "" },
		{ DSO_LEFT_OUT, DSO_MODULE, LOSS_UNFIT, "/m.ko.xz", "/r/x is compressed by xz or zstd, and this program was made without", "" },
		{ DSO_UNPACKED_LARGE, DSO_MODULE, LOSS_UNFIT, "/m.ko.xz", "/r/x unpacks to more than", "" },
		{ DSO_NO_MEMORY, DSO_FILE, LOSS_UNFIT, "/bin/x", "/r/x: out of memory while it was read", "" },
		{ DSO_NO_PLACE, DSO_MODULE, LOSS_MODULE, "/m.ko", "/r/x is not linked, and nothing tells where its code was", ", or record with --kcore" },
		{ DSO_NO_SYMBOL, DSO_VMLINUX, LOSS_KERNEL, "[kernel.kallsyms]", "/r/x has no symbol _stext, so nothing tells where", "" },
		{ DSO_NOT_FOUND, DSO_VMLINUX, LOSS_KERNEL, "[kernel.kallsyms]", "kernel text is not in the recording", ", or record with --kcore" },
		{ DSO_NOT_FOUND, DSO_MODULE, LOSS_MODULE, "[ext4]", "module not found; give the directory with the target's modules",
		  ", or record with --kcore" },
		{ DSO_NOT_FOUND, DSO_BPF, LOSS_BPF, "bpf_prog_1", "the code of this BPF program is not in the recording", "" },
		{ DSO_NOT_FOUND, DSO_BPF, LOSS_BPF, "ftrace_trampoline", "code that the kernel made while it ran", "; record with --kcore" },
		{ DSO_NOT_FOUND, DSO_FILE, LOSS_VDSO, "[vdso]", "code that the kernel provides; ", "bring that along (perf archive)" },
		{ DSO_NOT_FOUND, DSO_ANON, LOSS_JIT, "//anon", "memory without a file (generated code)", ", record with -k mono" },
		{ DSO_NOT_FOUND, DSO_FILE, LOSS_NO_FILE, "/bin/x", "no file with build-id 11111111 found by path, below --symfs", "" },
	};
	struct dso d = { .file = (char *)"/r/x", .size = 96, .machine = EM_X86_64, .ref_sym = "_stext" };
	char *text, start[64];
	unsigned int i, perf;

	(void)state;
	d.recorded = id_of(0x11);
	d.found = id_of(0x22);
	d.recorded.len = d.found.len = 4;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		for (perf = 0; perf < 2; perf++) {
			d.trouble = row[i].trouble;
			d.kind = row[i].kind;
			text = explanation(&d, row[i].path, perf);
			assert_int_equal(loss_of_dso(&d), row[i].loss);
			snprintf(start, sizeof(start), "%s: %s", row[i].path, row[i].text);
			assert_int_equal(strncmp(text, start, strlen(start)), 0);
			assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
			if (*row[i].perf)
				assert_int_equal(strstr(text, row[i].perf) != NULL, perf);
			free(text);
		}
	}
	/* a copy of the kernel's memory is made before the trace begins */
	d.kind = DSO_BPF;
	d.made_later = true;
	text = explanation(&d, "ftrace_trampoline", true);
	assert_null(strstr(text, "--kcore"));
	free(text);
	d.kind = DSO_FILE;
	d.found.len = d.recorded.len = 0;
	d.file = NULL;
	text = explanation(&d, "/bin/y", true);
	assert_string_equal(text, "/bin/y: file not found; give the directory with the target's files with --symfs DIR\n");
	free(text);
	d.trouble = DSO_BUILD_ID;
	text = explanation(&d, "/bin/y", true);
	assert_string_equal(text, "/bin/y: it has build-id none, recorded was : not used; find the recorded file with --symfs DIR, or "
			    "use this one with -f\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_path_and_build_id), cmocka_unit_test(order_of_files),
		cmocka_unit_test(found_by_build_id), cmocka_unit_test(found_by_name),
		cmocka_unit_test(vdso), cmocka_unit_test(kernel_places),
		cmocka_unit_test(unfit_files), cmocka_unit_test(not_elf_is_read_by_offset),
		cmocka_unit_test(stripped_symbols), cmocka_unit_test(sections_only),
		cmocka_unit_test(explained),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
