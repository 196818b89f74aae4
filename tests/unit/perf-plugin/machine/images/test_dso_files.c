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

static struct dso_table t;

static int set_up(void **state)
{
	static char cache[64];

	(void)state;
	dso_table_init(&t);
	t.search.symfs = dir;
	snprintf(cache, sizeof(cache), "%s/cache", dir);
	t.search.buildid_dir = cache;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dso_table_free(&t);
	return 0;
}

static struct dso *loaded(const char *path)
{
	struct dso *d = dso_table_get(&t, path, &none, false);

	assert_true(dso_load(d));
	return d;
}

/* A table has a file once for each path and build-id; where its segments are. */
static void by_path_and_build_id(void **state)
{
	struct build_id same = id_of(0x11);
	uint64_t vaddr;
	struct dso *d;
	size_t len;

	(void)state;
	d = dso_table_get(&t, "/bin/good", &same, false);
	assert_ptr_equal(dso_table_get(&t, "/bin/good", &same, false), d);
	assert_ptr_not_equal(dso_table_get(&t, "/bin/good", &none, false), d);
	assert_null(dso_file(d));
	assert_true(dso_load(d));
	assert_memory_equal(dso_build_id(d, &len), same.id, 20);
	assert_int_equal(len, 20);
	assert_true(dso_vaddr(d, ELF_CODE_OFFSET, &vaddr));
	assert_int_equal(vaddr, ELF_CODE_VADDR);
	assert_false(dso_vaddr(d, 0x10000, &vaddr));
}

/* Which file is taken for a map. */
static void found(void **state)
{
	static const struct {
		const char *path;
		uint8_t id;			/* of the recorded build-id, 0: none */
		const char *release, *file;	/* file NULL: none is right */
		bool by_name;
	} rows[] = {
		{ "/bin/good", 0x11, NULL, "/bin/good", false },
		/* below --symfs a file of another name that has the build-id */
		{ "/opt/moved", 0x11, NULL, "/bin/good", false },
		{ "/opt/moved", 0, NULL, NULL, false },
		/* another one is at the recorded path; the right one lies elsewhere */
		{ "/bin/changed", 0x33, NULL, "/elsewhere/changed", false },
		{ "/gone", 0x66, NULL, "/elf", false },
		/* by its name alone, and the one at the path in front of "(deleted)" */
		{ "/usr/bin/only-name", 0, NULL, "/a/b/c/only-name", true },
		{ "/usr/bin/not-there", 0, NULL, NULL, false },
		{ "/bin/unlinked (deleted)", 0, NULL, "/bin/unlinked", false },
		/* what the kernel provides: by its build-id, else under its own name */
		{ "[vdso]", 0, "6.1.0", "/[vdso]", false },
		{ "[vdso]", 0xee, "6.1.0", "/[vdso]", false },
		{ "[vdso]", 0xaa, "6.1.0", "/vdso/vdso.so", false },
		{ "[vdso32]", 0xbb, "6.1.0", "/vdso/vdso32.so", false },
		{ "[vdso32]", 0, "6.1.0", "/vdso/vdso32.so", false },
		{ "[vdso]", 0xcc, "6.1.0", "/vdso", false },
		{ "[vdso]", 0xdd, "6.1.0", NULL, false },
		/* a kernel: where distributions put that of the release, before copies elsewhere */
		{ "[kernel.kallsyms]", 0xd1, "6.2.0", "/boot/vmlinux-6.2.0", false },
		{ "[kernel.kallsyms]", 0xd2, "6.2.0", "/usr/lib/debug/boot/vmlinux-6.2.0", false },
		{ "[kernel.kallsyms]", 0xd3, "6.2.0", "/usr/lib/debug/lib/modules/6.2.0/vmlinux",
		  false },
		{ "[kernel.kallsyms]", 0xd4, "6.2.0", "/lib/modules/6.2.0/vmlinux", false },
		{ "[kernel.kallsyms]", 0xd5, "6.2.0", "/lib/modules/6.2.0/build/vmlinux", false },
	};
	struct build_id id;
	char copy[32];
	struct dso *d;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool kernel = !strcmp(rows[i].path, "[kernel.kallsyms]");

		if (kernel) {
			write_elf(rows[i].file + 1, EM_AARCH64, rows[i].id, true);
			snprintf(copy, sizeof(copy), "0/copy%zu", i);
			write_elf(copy, EM_AARCH64, rows[i].id, true);
		}
		set_up(NULL);
		t.search.osrelease = rows[i].release;
		id = rows[i].id ? id_of(rows[i].id) : none;
		d = dso_table_get(&t, rows[i].path, &id, kernel);
		if (dso_load(d) != (rows[i].file != NULL))
			fail_msg("row %zu: %s", i, rows[i].file ? "not found" : dso_file(d));
		if (rows[i].file)
			assert_non_null(strstr(dso_file(d), rows[i].file));
		assert_int_equal(d->where.by_name, rows[i].by_name);
		tear_down(NULL);
	}
	/* the copies of this machine are not those of another one */
	set_up(NULL);
	t.search.symfs = NULL;
	t.search.osrelease = "6.1.0";
	assert_false(dso_load(dso_table_get(&t, "[vdso]", &none, false)));
}

/* Lists of files go by path; of one path those without a build-id come first, then by its length and bytes. */
static void order_of_files(void **state)
{
	struct build_id ids[] = { none, id_of(0x22), id_of(0x11), id_of(0x33), id_of(0x11) };
	static const char *const paths[] = { "/b", "/b", "/b", "/b", "/a" };
	static const unsigned int want[] = { 4, 0, 1, 2, 3 };
	struct dso *d[5];
	unsigned int i, k;

	(void)state;
	ids[1].len = 16;
	for (i = 0; i < 5; i++)
		d[i] = dso_table_get(&t, paths[i], &ids[i], false);
	for (i = 0; i < 5; i++)
		for (k = 0; k < 5; k++) {
			int c = dso_compare(d[want[i]], d[want[k]]);

			assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
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
	struct dso *d;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(unfit) / sizeof(unfit[0]); i++) {
		d = dso_table_get(&t, unfit[i].path, &none, false);
		assert_false(dso_load(d));
		assert_int_equal(d->state, DSO_REFUSED);
		assert_int_equal(d->trouble, unfit[i].trouble);
		assert_null(d->image.data);
		assert_null(dso_file(d));
	}
	d = dso_table_get(&t, "//anon", &none, false);
	assert_false(dso_load(d));
	d = dso_table_get(&t, "/lib/modules/6.1/x.ko", &none, true);
	assert_false(dso_load(d));
}

static void not_elf_is_read_by_offset(void **state)
{
	uint64_t vaddr, start, size;
	const char *name;
	struct dso *d;

	(void)state;
	d = loaded("/bin/raw.bin");
	assert_int_equal(d->image.size, 64);
	assert_true(dso_vaddr(d, 12, &vaddr));
	assert_int_equal(vaddr, 12);
	assert_false(dso_symbol(d, 0, &name, &start, &size));
}

/* A stripped file has the symbols of its dynamic linker; where both tables are, only the full one counts. */
static void stripped_symbols(void **state)
{
	const uint32_t full = SHT_SYMTAB, dynamic = SHT_DYNSYM;
	uint8_t image[ELF_SIZE];
	const char *name;
	uint64_t start, size, sh;
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
		d = loaded(both ? "/both" : "/stripped");
		/* a damaged table of symbols leaves the exported ones */
		assert_true(dso_symbol(d, ELF_CODE_OFFSET, &name, &start, &size));
		assert_string_equal(name, "_text");
	}
}

/* Without program headers, as perf inject --jit of old made them: the sections tell the same. */
static void sections_only(void **state)
{
	uint8_t image[ELF_SIZE];
	uint64_t start, size, vaddr;
	const char *name;
	struct dso *d;

	(void)state;
	elf_build(image, EM_AARCH64, 0x12, true);
	memset(image + offsetof(Elf64_Ehdr, e_phnum), 0, 2);
	temp_write(dir, "jitted-100-1.so", image, sizeof(image));
	d = loaded("/jitted-100-1.so");
	assert_int_equal(d->image.nr_segs, 1);
	assert_true(dso_vaddr(d, ELF_CODE_OFFSET + 4, &vaddr));
	assert_int_equal(vaddr, ELF_CODE_VADDR + 4);
	assert_true(dso_symbol(d, ELF_CODE_OFFSET, &name, &start, &size));
	assert_string_equal(name, "_text");
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
		{ DSO_NO_PLACE, DSO_MODULE, LOSS_MODULE, "/m.ko", "/r/x is not linked, and nothing tells where its code was", ", or record with --kcore" },
		{ DSO_NO_SYMBOL, DSO_VMLINUX, LOSS_KERNEL, "[kernel.kallsyms]", "/r/x has no symbol _stext, so nothing tells where", "" },
		{ DSO_NOT_FOUND, DSO_VMLINUX, LOSS_KERNEL, "[kernel.kallsyms]", "kernel text is not in the recording", ", or record with --kcore" },
		{ DSO_NOT_FOUND, DSO_MODULE, LOSS_MODULE, "[ext4]", "module not found; give the directory with the target's modules",
		  ", or record with --kcore" },
		{ DSO_NOT_FOUND, DSO_BPF, LOSS_BPF, "bpf_prog_1", "the code of this BPF program is not in the recording", "" },
		{ DSO_NOT_FOUND, DSO_BPF, LOSS_BPF, "ftrace_trampoline", "code that the kernel made while it ran", "; record with --kcore" },
		{ DSO_NOT_FOUND, DSO_FILE, LOSS_VDSO, "[vdso]", "code that the kernel provides; ", "bring that along (perf archive)" },
		{ DSO_NOT_FOUND, DSO_ANON, LOSS_JIT, "//anon",
		  "memory without a file (generated code)", "" },
		{ DSO_NOT_FOUND, DSO_FILE, LOSS_NO_FILE, "/bin/x", "no file with build-id 11111111 found by path, below --symfs", "" },
	};
	struct dso d = { .image.file = (char *)"/r/x",
			 .image.size = 96,
			 .image.machine = EM_X86_64,
			 .kernel.ref_sym = "_stext" };
	char *text, start[64];
	unsigned int i, perf;

	(void)state;
	d.recorded = id_of(0x11);
	d.image.found = id_of(0x22);
	d.recorded.len = d.image.found.len = 4;
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
	d.made.made_later = true;
	text = explanation(&d, "ftrace_trampoline", true);
	assert_null(strstr(text, "--kcore"));
	free(text);
	d.kind = DSO_FILE;
	d.image.found.len = d.recorded.len = 0;
	d.image.file = NULL;
	text = explanation(&d, "/bin/y", true);
	assert_string_equal(text, "/bin/y: file not found; give the directory with the target's files with --symfs DIR\n");
	free(text);
	d.trouble = DSO_BUILD_ID;
	text = explanation(&d, "/bin/y", true);
	assert_string_equal(text, "/bin/y: it has build-id none, recorded was : not used; find the recorded file with --symfs DIR, or "
			    "use this one with -f\n");
	free(text);
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(by_path_and_build_id), TEST(order_of_files), TEST(found), TEST(unfit_files),
		TEST(not_elf_is_read_by_offset), TEST(stripped_symbols), TEST(sections_only),
		TEST(explained),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
