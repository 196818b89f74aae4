/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel modules: found, unpacked, their parts placed and their branches linked as the loader does it. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <zlib.h>

#include "machine/images/dso_table.h"
#include "machine/images/kernel.h"
#include "machine/images/module.h"
#include "machine/images/unpack.h"
#include "parts.h"
#include "perfdata/feature.h"
#include "session/decode/decode.h"
#include "session/internal.h"
#include "unit/perf-plugin/ko_build.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

#define BASE	0xffff800001000000ull
#define CORE	0xffff800008000000ull

#define NOP	0xd503201fu
#define BL	0x94000000u
#define B	0x14000000u
#define BCOND	0x54000000u
#define TBZ	0x36000000u
#define BLR_X16	0xd63f0200u
#define BR_X16	0xd61f0200u

static const struct build_id none;
TEMP_DIR("module")

static void run(const char *fmt, const char *name)
{
	char cmd[512];

	snprintf(cmd, sizeof(cmd), fmt, dir, name);
	assert_int_equal(system(cmd), 0);
}

/* Two sections of code, one of the start, one of data; the loader's own one where `plt` says. */
static const uint32_t text[] = { BL, BL, BL, BL, B, B, BCOND, TBZ, BCOND, NOP, B };
static const uint32_t unlikely[] = { NOP, NOP };

static const struct ko_symbol symbols[] = {
	{ "mod_text", 1, 0 }, { "mod_cold", 2, 4 }, { "mod_init", 3, 0 }, { "kernel_function", 0, 0 },
	{ "far_function", 0, 0 }, { "_mcount", 0, 0 }, { "other_module", 0, 0 }, { "absolute", SHN_ABS, BASE + 0x5000 },
};

static const struct ko_reloc relocs[] = {
	{ 0, 1, R_AARCH64_CALL26, 0 },		/* within the module */
	{ 4, 3, R_AARCH64_CALL26, 8 },		/* into the kernel */
	{ 8, 4, R_AARCH64_CALL26, 0 },		/* too far: through a veneer */
	{ 12, 5, R_AARCH64_CALL26, 0 },		/* the kernel takes this one out */
	{ 16, 6, R_AARCH64_JUMP26, 0 },
	{ 20, 2, R_AARCH64_JUMP26, 0 },		/* to code that is gone */
	{ 24, 1, R_AARCH64_CONDBR19, -4 },
	{ 28, 0, R_AARCH64_TSTBR14, 0 },
	{ 32, 2, R_AARCH64_CONDBR19, 0 },
	{ 36, 0, R_AARCH64_ABS64, 0 },		/* no branch: left alone */
	{ 40, 7, R_AARCH64_JUMP26, 0 },		/* to an address, wherever the module is */
};

static void build(struct pdb *b, bool plt_first, bool mcount)
{
	const struct ko_section sec[] = {
		{ ".text", text, 11, 0, false }, { ".text.unlikely", unlikely, 2, 64, false },
		{ ".init.text", unlikely, 2, 0, false }, { mcount ? "__mcount_loc" : "x", unlikely, 2, 0, true },
		{ ".plt", NULL, 0, 0, false },
	}, first[] = { { ".plt", NULL, 0, 0, false }, { ".text", text, 11, 0, false } };
	const struct ko ko = {
		plt_first ? first : sec, plt_first ? 2 : 5, symbols, plt_first ? 0 : 8, relocs, plt_first ? 0 : 11,
	};

	ko_build(b, &ko);
}

static void write_ko(const char *name, const struct ko *ko)
{
	struct pdb b = { 0 };

	ko_build(&b, ko);
	temp_write(dir, name, b.p, b.len);
	pdb_free(&b);
}

static void write_module(const char *name, bool plt_first, bool mcount)
{
	struct pdb b = { 0 };

	build(&b, plt_first, mcount);
	temp_write(dir, name, b.p, b.len);
	pdb_free(&b);
}

static struct dso_table t;
static struct kernel_images k;

static void open_table(void)
{
	dso_table_init(&t);
	memset(&k, 0, sizeof(k));
	t.search.symfs = dir;
	t.search.buildid_dir = "/nonexistent";
	t.search.kernel = &k;
}

static void close_table(void)
{
	dso_table_free(&t);
	kernel_free(&k);
}

static void give_kallsyms(const char *s)
{
	temp_write(dir, "kallsyms", s, strlen(s));
	free(k.kallsyms_path);
	assert_true(asprintf(&k.kallsyms_path, "%s/kallsyms", dir) > 0);
}

static uint32_t word(const struct dso *d, uint64_t addr)
{
	uint32_t w;
	size_t i;

	for (i = 0; i < d->image.nr_segs; i++) {
		const struct dso_segment *g = &d->image.segs[i];

		if (addr < g->vaddr || addr - g->vaddr >= g->filesz)
			continue;
		memcpy(&w, d->image.data + g->offset + (addr - g->vaddr), 4);
		return w;
	}
	return 0;
}

/* The loader's rule: code sections one after the other, aligned. */
#define COLD (BASE + 64)

static void placed_by_rule(void **state)
{
	uint64_t start, size;
	const char *name;
	struct dso *d;

	(void)state;
	write_module("one_two.ko", false, true);
	open_table();
	give_kallsyms("ffff800008000100 T kernel_function\nffffb00008000000 T far_function\n"
			  "ffff800001800000 T other_module\t[other]\n");
	d = dso_table_get_module(&t, "/one_two.ko", &none, BASE);
	assert_ptr_equal(dso_table_get_module(&t, "/one_two.ko", &none, BASE), d);
	assert_ptr_not_equal(dso_table_get_module(&t, "/one_two.ko", &none, BASE + 0x10000), d);
	assert_true(dso_load(d));
	assert_int_equal(word(d, BASE), BL | ((COLD + 4 - BASE) / 4));
	assert_int_equal(word(d, BASE + 4), BL | ((CORE + 0x108 - BASE - 4) / 4));
	assert_int_equal(word(d, BASE + 8), BLR_X16);
	assert_int_equal(word(d, BASE + 12), NOP);
	assert_int_equal(word(d, BASE + 16), B | ((0x800000 - 16) / 4));
	assert_int_equal(word(d, BASE + 20), BR_X16);
	assert_int_equal(word(d, BASE + 24), BCOND | ((COLD - BASE - 24) / 4) << 5);
	assert_int_equal(word(d, BASE + 28), TBZ | ((-28u / 4) & 0x3fff) << 5);
	assert_int_equal(word(d, BASE + 32), 0);	/* where it goes is not known: missing, not wrong */
	assert_int_equal(word(d, BASE + 36), NOP);
	assert_int_equal(word(d, COLD), NOP);
	assert_int_equal(word(d, BASE + 40), B | ((0x5000 - 40) / 4));
	assert_int_equal(word(d, BASE + 44), 0);
	assert_true(dso_symbol(d, d->image.segs[0].offset, &name, &start, &size));
	assert_string_equal(name, "mod_text");
	close_table();
}

/* Where the kernel says that functions are; then parts of the start have a place as well. */
static void placed_by_symbols(void **state)
{
	struct pdb b = { 0 };
	struct dso *d;

	(void)state;
	build(&b, false, true);
	temp_write(dir, "one-two.ko", b.p, b.len);
	open_table();
	give_kallsyms("ffff800001000400 t mod_text\t[one_two]\n"
		      "ffff800001000804 t mod_cold\t[one_two]\n"
			  "ffff800002000000 t mod_init\t[one_two]\nffff800001000000 t mod_text\t[another]\n");
	d = dso_table_get_module(&t, "[one_two]", &none, BASE);
	temp_write(dir, "one_two.ko", "not this", 8);
	assert_true(dso_load(d));
	assert_non_null(strstr(dso_file(d), "one-two.ko"));
	assert_int_equal(word(d, BASE), 0);
	assert_int_equal(word(d, BASE + 0x400), BL | (0x404 / 4));
	assert_int_equal(word(d, BASE + 0x400 + 20), B | ((0x1000000 - 0x400 - 20) / 4));
	assert_int_equal(word(d, BASE + 0x1000000), NOP);
	close_table();
	pdb_free(&b);
}

/* The kernel's name of a module has '_' for each '-'; one that is longer than any is found by nothing. */
static void names_of_modules(void **state)
{
	static const struct {
		const char *path, *symbols;
		uint64_t at;	/* of its text, from BASE on */
	} row[] = {
		{ "/a-b-c.ko", "ffff800001000400 t mod_text\t[a_b_c]\n", 0x400 },
		{ "/a-b-c.ko", "ffff800001000400 t mod_text\t[a-b-c]\n", 0 },
		{ "/a_b.ko", "ffff800001000400 t mod_text\t[a_b]\n", 0x400 },
		{ "/a234567890a234567890a234567890a234567890a234567890a234567890abcde.ko",
		  "ffff800001000400 t mod_text\t[a234567890a234567890a234567890a234567890a234567890a234567890abcde]\n", 0 },
		{ "/a234567890a234567890a234567890a234567890a234567890a234567890abcd.ko",
		  "ffff800001000400 t mod_text\t[a234567890a234567890a234567890a234567890a234567890a234567890abcd]\n", 0 },
		{ "/a234567890a234567890a234567890a234567890a234567890a234567890abc.ko",
		  "ffff800001000400 t mod_text\t[a234567890a234567890a234567890a234567890a234567890a234567890abc]\n", 0x400 },
	};
	struct pdb b = { 0 };
	struct dso *d;
	size_t i;

	(void)state;
	build(&b, false, false);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		temp_write(dir, row[i].path + 1, b.p, b.len);
		open_table();
		give_kallsyms(row[i].symbols);
		d = dso_table_get_module(&t, row[i].path, &none, BASE);
		assert_true(dso_load(d));
		assert_int_equal(word(d, BASE + row[i].at + 36), NOP);
		assert_int_equal(word(d, BASE + 0x400 - row[i].at + 36), 0);
		close_table();
	}
	pdb_free(&b);
}

/* Two functions of one section that disagree: it is another build. */
static void contradicting_symbols(void **state)
{
	static const struct ko_section sec = { ".text", text, 10, 0, false };
	static const struct ko_symbol sym[] = { { "a", 1, 0 }, { "b", 1, 16 } };
	static const struct ko ko = { &sec, 1, sym, 2, NULL, 0 };
	struct dso *d;

	(void)state;
	write_ko("ab.ko", &ko);
	open_table();
	give_kallsyms("ffff800001000000 t a\t[ab]\nffff800001000014 t b\t[ab]\n");
	d = dso_table_get_module(&t, "/ab.ko", &none, BASE);
	assert_false(dso_load(d));
	assert_int_equal(d->trouble, DSO_NO_PLACE);
	close_table();
}

static void explained(struct dso *d, const char *want)
{
	char said[512] = "";
	FILE *out = fmemopen(said, sizeof(said) - 1, "w");

	dso_explain(d, true, false, out);
	fclose(out);
	assert_non_null(strstr(said, want));
}

/* The loader fills a section of unknown size in front of the code. */
static void no_place(void **state)
{
	struct dso *d;

	(void)state;
	write_module("plt.ko", true, false);
	open_table();
	d = dso_table_get_module(&t, "/plt.ko", &none, BASE);
	assert_false(dso_load(d));
	assert_int_equal(d->trouble, DSO_NO_PLACE);
	explained(d, "--kallsyms");
	d = dso_table_get_module(&t, "/gone.ko", &none, BASE);
	assert_false(dso_load(d));
	explained(d, "--symfs");
	close_table();
}

/* The recording says where .text was, whatever the loader put in front of it, unless it cannot have been there. */
static void recorded_places(void **state)
{
	static const struct {
		uint64_t base, in_file, in_memory;
		bool placed;
	} rows[] = {
		{ BASE, 0x40, 0x1040, true }, { BASE, 0x40, 0x40, true }, { BASE, 0x44, 0x40, false }, { BASE, 0x40, 0x1042, false },
		{ BASE, 0x40, 0x1041, false }, { -0x1000ull, 0, 0x2000, false }, { BASE, 0, 4, true },
	};
	uint64_t place;
	struct dso *d;
	size_t i;

	(void)state;
	write_module("place.ko", true, false);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		open_table();
		d = dso_table_get_module(&t, "/place.ko", &none, rows[i].base);
		dso_table_set_text(&t, "/place.ko", rows[i].in_file, rows[i].in_memory);
		if (dso_load(d) != rows[i].placed)
			fail_msg("row %zu: the code has %s place", i, rows[i].placed ? "no" : "a");
		place = rows[i].base + rows[i].in_memory - rows[i].in_file;
		if (rows[i].placed) {
			assert_int_equal(word(d, place + 36), NOP);
			assert_int_equal(word(d, place - 4), 0);
			assert_int_equal(word(d, place + 44), 0);
		} else {
			assert_int_equal(d->trouble, DSO_NO_PLACE);
		}
		close_table();
	}
}

/* Instructions of which it is not known where they branch to are missing, each by itself, in whatever order they are found. */
static void missing_instructions(void **state)
{
	static const struct ko_section sec[] = { { ".text", text, 11, 0, false }, { ".text.more", unlikely, 2, 0, false } };
	static const struct ko_symbol sym[] = { { "mod_text", 1, 0 }, { "unknown", 0, 0 } };
	static const struct ko_reloc rel[] = {
		{ 40, 1, R_AARCH64_CONDBR19, 0 }, { 8, 1, R_AARCH64_TSTBR14, 0 }, { 24, 1, R_AARCH64_CONDBR19, 0 },
		{ 12, 1, R_AARCH64_CONDBR19, 0 }, { 24, 1, R_AARCH64_CONDBR19, 0 }, { 0, 1, R_AARCH64_CONDBR19, 0 },
	};
	static const struct ko ko = { sec, 2, sym, 2, rel, 6 };
	static const uint64_t want[][2] = { { 4, 8 }, { 16, 24 }, { 28, 40 }, { 44, 52 } };
	struct dso *d;
	size_t i;

	(void)state;
	write_ko("holes.ko", &ko);
	open_table();
	d = dso_table_get_module(&t, "/holes.ko", &none, BASE);
	assert_true(dso_load(d));
	assert_int_equal(d->image.nr_segs, 4);
	for (i = 0; i < 4; i++) {
		if (d->image.segs[i].vaddr != BASE + want[i][0] ||
		    d->image.segs[i].filesz != want[i][1] - want[i][0])
			fail_msg("part %zu: 0x%llx bytes at 0x%llx", i,
				 (unsigned long long)d->image.segs[i].filesz,
				 (unsigned long long)d->image.segs[i].vaddr);
		assert_true(d->image.segs[i].exec);
	}
	assert_int_equal(word(d, BASE + 36), NOP);
	close_table();
}

static void packed(void **state)
{
	static const struct {
		const char *suffix, *tool;
		bool in;
	} how[] = {
		{ "gz", "command -v gzip >/dev/null && gzip -c '%s/%s.ko' >", true },
		{ "xz", "command -v xz >/dev/null && xz -c '%s/%s.ko' >", HAS_LZMA },
		{ "zst", "command -v zstd >/dev/null && zstd -q -c '%s/%s.ko' >", HAS_ZSTD },
	};
	struct pdb b = { 0 };
	char path[64], cmd[512], full[128];
	unsigned int done = 0, i;
	struct stat st;
	struct dso *d;

	(void)state;
	build(&b, false, false);
	temp_write(dir, "packed.ko", b.p, b.len);
	for (i = 0; i < 3; i++) {
		if (!how[i].in)
			continue;
		snprintf(cmd, sizeof(cmd), how[i].tool, dir, "packed");
		snprintf(cmd + strlen(cmd), sizeof(cmd) - strlen(cmd), "'%s/p%s.ko.%s'", dir, how[i].suffix,
			 how[i].suffix);
		if (system(cmd))
			continue;
		done++;
		open_table();
		/* the recorded name has another suffix */
		snprintf(path, sizeof(path), "/p%s.ko%s", how[i].suffix, i ? ".gz" : "");
		d = dso_table_get_module(&t, path, &none, BASE);
		assert_true(dso_load(d));
		assert_int_equal(d->image.size, b.len);
		assert_int_equal(word(d, COLD), NOP);
		close_table();

		/* cut */
		snprintf(full, sizeof(full), "%s/p%s.ko.%s", dir, how[i].suffix, how[i].suffix);
		assert_int_equal(stat(full, &st), 0);
		assert_int_equal(truncate(full, st.st_size - 9), 0);
		open_table();
		d = dso_table_get_module(&t, path, &none, BASE);
		assert_false(dso_load(d));
		assert_int_equal(d->trouble, DSO_PACKED);
		explained(d, "unpack");
		close_table();
	}
	pdb_free(&b);
	assert_true(done > 0);
}

/* Each byte of the file's tables changed, and the file cut anywhere: no crash, and never code outside it. */
static void damaged(void **state)
{
	struct pdb b = { 0 };
	struct dso *d;
	size_t i, n, g;

	(void)state;
	build(&b, false, true);
	for (i = 0; i < 2 * b.len; i += 1 + i / 700) {
		struct pdb c = { 0 };

		pdb_bytes(&c, b.p, b.len);
		n = i < b.len ? b.len : i - b.len + 1;
		if (i < b.len)
			c.p[i] ^= (uint8_t)(i * 37 + 1);
		temp_write(dir, "bad.ko", c.p, n);
		pdb_free(&c);
		open_table();
		d = dso_table_get_module(&t, "/bad.ko", &none, BASE);
		if (dso_load(d)) {
			for (g = 0; g < d->image.nr_segs; g++)
				assert_true(d->image.segs[g].offset + d->image.segs[g].filesz <=
					    d->image.size);
			dso_read_symbols(d);
		}
		close_table();
	}
	pdb_free(&b);
}

static bool is_branch(uint32_t w)
{
	return (w & 0x7c000000) == 0x14000000 || (w & 0xff000010) == 0x54000000 || (w & 0x7c000000) == 0x34000000;
}

/* What the compiler makes and the linker makes of it, against what is made of it here. */
static void as_the_linker_does(void **state)
{
	static const char source[] =
		"int ext(int); int ext2(int); int cold(int) __attribute__((cold, noinline));\n"
		"int cold(int x) { return ext(x) + ext2(x); }\n"
		"int work(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) { if (p[i] & 8) s += ext(p[i]);\n"
		" else if (p[i] < 0) s += cold(i); else if (p[i] == 3) return ext2(s); } return s; }\n";
	struct dso *d, *linked;
	uint64_t addr, work, cold, start, size;
	const char *name;
	char names[256];
	size_t i;
	unsigned int branches = 0;
	uint32_t w;

	(void)state;
	if (system("command -v aarch64-linux-gnu-gcc >/dev/null"))
		skip();
	temp_write(dir, "m.c", source, sizeof(source) - 1);
	run("cd '%s' && aarch64-linux-gnu-gcc -O2 -c -o %s.ko m.c && "
	    "aarch64-linux-gnu-ld -o linked m.ko -Ttext=0xffff800001000000 -z noseparate-code "
	    "--defsym=ext=0xffff800001100000 --defsym=ext2=0xffff800000f00000 -e work", "m");
	open_table();
	linked = dso_table_get(&t, "/linked", &none, false);
	assert_true(dso_load(linked));
	assert_true(dso_symbol_address(linked, "work", &work));
	assert_true(dso_symbol_address(linked, "cold", &cold));
	snprintf(names, sizeof(names), "%llx t work\t[m]\n%llx t cold\t[m]\n"
		 "ffff800001100000 T ext\nffff800000f00000 T ext2\n", (unsigned long long)work,
		 (unsigned long long)cold);
	give_kallsyms(names);
	d = dso_table_get_module(&t, "/m.ko", &none, BASE);
	assert_true(dso_load(d));
	for (i = 0; i < 2; i++) {
		addr = i ? cold : work;
		assert_true(dso_symbol(
			linked, addr - linked->image.segs[0].vaddr + linked->image.segs[0].offset,
			&name, &start, &size));
		for (; size; size -= 4, addr += 4) {
			w = word(linked, addr);
			if (!is_branch(w))
				continue;
			assert_int_equal(word(d, addr), w);
			branches++;
		}
	}
	assert_true(branches > 6);
	close_table();
}

/*
 * Counts the instructions of a recording whose header has a build-id for the path of the module in it, which the file is
 * without. `misc`: whose file the build-id is of.
 */
static unsigned int insns_of_other_file(uint16_t misc, size_t keep_events, bool force)
{
	const struct session_opts so = { .symfs = dir, .keep_events = keep_events, .force = force };
	struct pdb data = { 0 }, trace = { 0 }, ids = { 0 };
	const struct pdb_feature feature = { PD_FEAT_BUILD_ID, &ids };
	struct session *ss;
	unsigned int insns;
	size_t nr, at;

	at = pdb_begin(&ids, 0, misc | PERF_RECORD_MISC_BUILD_ID_SIZE);
	pdb_u32(&ids, UINT32_MAX);
	pdb_bytes(&ids, "abcdefghijklmnopqrst\24\0\0\0", 24);
	pdb_str8(&ids, "/spin.ko");
	pdb_end(&ids, at);
	sb_trace_at(&trace, SB_TID, BASE, 1);
	sb_side_band(&data, "/prog");
	sb_kernel_map(&data, 0, BASE, 0x1000, 0, "/spin.ko");
	sb_stretch(&data, &trace, 0, SB_RAW);
	ss = sb_open(&data, &so, &feature);
	ss->tasks.threads.ahead = keep_events ? 1 : THREADS_AHEAD;
	nr = ss->images.dsos.nr;
	assert_int_equal(session_run(ss, &(struct consumer){ .data = NULL }), 0);
	assert_int_equal(ss->images.dsos.nr, nr);
	insns = (unsigned int)session_totals(ss)->dec.insns;
	session_close(ss);
	pdb_free(&trace);
	pdb_free(&ids);
	return insns;
}

/* Events that are read again name the same file as before, with the build-id of the header. */
static void build_id_of_the_header(void **state)
{
	static const uint32_t spin[] = { B };
	const struct ko_section sec[] = { { ".text", spin, 1, 0, false } };
	const struct ko ko = { sec, 1, NULL, 0, NULL, 0 };

	(void)state;
	write_ko("spin.ko", &ko);
	assert_int_equal(insns_of_other_file(PERF_RECORD_MISC_KERNEL, 0, true), SB_ATOMS);
	assert_int_equal(insns_of_other_file(PERF_RECORD_MISC_KERNEL, 1, true), SB_ATOMS);
	assert_int_equal(insns_of_other_file(PERF_RECORD_MISC_KERNEL, 0, false), 0);
	assert_int_equal(insns_of_other_file(PERF_RECORD_MISC_KERNEL, 1, false), 0);
	/* a guest's file of the same path */
	assert_int_equal(insns_of_other_file(PERF_RECORD_MISC_GUEST_KERNEL, 0, false), SB_ATOMS);
	assert_int_equal(insns_of_other_file(PERF_RECORD_MISC_GUEST_USER, 1, false), SB_ATOMS);
}

static void put_id(struct pdb *b, const char *path, uint8_t byte)
{
	size_t at = pdb_begin(b, 0, PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_BUILD_ID_SIZE);
	uint8_t id[24] = { [20] = 20 };

	memset(id, byte, 20);
	pdb_u32(b, UINT32_MAX);
	pdb_bytes(b, id, sizeof(id));
	pdb_str8(b, path);
	pdb_end(b, at);
}

/* Maps do not say which of several build-ids of their path is theirs. */
static void build_ids_of_one_path(void **state)
{
	const struct session_opts so = { .symfs = dir };
	static struct said said;
	struct session *ss;
	const char *warned;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct pdb data = { 0 }, ids = { 0 };
		const struct pdb_feature feature = { PD_FEAT_BUILD_ID, &ids };

		put_id(&ids, "/a.ko", 1);
		put_id(&ids, "/a.ko", 1);
		put_id(&ids, "/nowhere.ko", 1);
		put_id(&ids, "/nowhere.ko", 2);
		if (i)
			put_id(&ids, "/a.ko", 2);
		put_id(&ids, "/b.ko", 3);
		if (i > 1)
			put_id(&ids, "/b.ko", 4);
		sb_side_band(&data, "/prog");
		sb_kernel_map(&data, 0, BASE, 0x1000, 0, "/a.ko");
		sb_kernel_map(&data, 0, BASE + 0x1000, 0x1000, 0, "/b.ko");
		said_begin(&said);
		ss = sb_open(&data, &so, &feature);
		warned = strstr(said_end(&said), "several build-ids");
		if (!i)
			assert_null(warned);
		else
			assert_int_equal(strncmp(warned, i > 1 ? "several build-ids were mapped as /a.ko (and so were 1 more), as" :
						 "several build-ids were mapped as /a.ko, as", i > 1 ? 63 : 42), 0);
		assert_int_equal(dso_table_find(&ss->images.dsos, "/a.ko", DSO_MODULE)->recorded.id[0], 1);
		session_close(ss);
		pdb_free(&ids);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(placed_by_rule), cmocka_unit_test(placed_by_symbols),
		cmocka_unit_test(names_of_modules), cmocka_unit_test(contradicting_symbols),
		cmocka_unit_test(no_place), cmocka_unit_test(recorded_places),
		cmocka_unit_test(missing_instructions), cmocka_unit_test(packed),
		cmocka_unit_test(damaged), cmocka_unit_test(as_the_linker_does),
		cmocka_unit_test(build_id_of_the_header), cmocka_unit_test(build_ids_of_one_path),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
