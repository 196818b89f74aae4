/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernel code: chosen by exception level, moved from where it was linked to where it ran, taken from a
 * copy of its memory when there is one, changed by the kernel itself.
 */
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

#include "machine/images/dso.h"
#include "perfdata/reader.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "session/parts.h"
#include "session/session.h"
#include "unit/perf-plugin/elf_build.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/temp_dir.h"

#define TEXT	0xffff800008010400ull	/* where _text was loaded */

TEMP_DIR("kernel")
static char vmlinux[64], recording[64], other[64];

static int make_files(void **state)
{
	uint8_t image[ELF_SIZE];
	uint64_t vaddr = TEXT - ELF_CODE_OFFSET;

	if (make_dir(state))
		return -1;
	snprintf(vmlinux, sizeof(vmlinux), "%s/vmlinux", dir);
	snprintf(recording, sizeof(recording), "%s/rec", dir);
	elf_build(image, EM_AARCH64, 0x11, true);
	temp_write(dir, "vmlinux", image, sizeof(image));
	/* a copy of memory says where each piece was */
	memcpy(image + sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_vaddr), &vaddr, sizeof(vaddr));
	temp_write(dir, "rec/kcore_dir/kcore", image, sizeof(image));
	return 0;
}

struct result {
	unsigned int ranges, insns, kernel_ranges;
	char located[64];
	char symbol[32];
};

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct session_loc loc;
	struct result *r = data;
	uint64_t start, size;
	const char *name;
	size_t i;

	for (i = 0; i < n; i++) {
		if (g[i].kind != CST_GEN_RANGE)
			continue;
		r->ranges++;
		r->insns += g[i].n_insn;
		assert_true(session_locate(s, g[i].addr, &loc));
		r->kernel_ranges += loc.kernel;
		snprintf(r->located, sizeof(r->located), "%s", dso_path(loc.dso));
		if (dso_symbol(loc.dso, loc.offset, &name, &start, &size))
			snprintf(r->symbol, sizeof(r->symbol), "%s", name);
		assert_int_equal(s->tid, SB_TID);
	}
	return 0;
}

/* Two fragments of kernel trace; a change of the text between them if wanted. */
static void make(struct pdb *file, bool poke, bool map)
{
	struct pdb data = { 0 }, trace = { 0 };
	size_t one;

	memset(file, 0, sizeof(*file));
	sb_trace_at(&trace, SB_TID, TEXT, 1);
	one = trace.len;
	sb_trace_at(&trace, SB_TID, TEXT, 1);
	sb_side_band(&data, "/prog");
	if (map)
		sb_kernel_map(&data, 0, TEXT & ~0xfffull, 0x1000, TEXT, "[kernel.kallsyms]_text");
	sb_aux(&data, 0, one, 0x100, 5000);
	if (poke)
		sb_text_poke(&data, 5500, TEXT, 0xd503201f, 0x14000001);	/* b .+4 */
	sb_aux(&data, one, one, 0x100, 6000);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	pdb_file(file, &sb_attr, 1, 0, &data, NULL, 0);
	pdb_free(&data);
	pdb_free(&trace);
}

static struct session *decode(struct pdb *file, const char *image, struct result *r)
{
	struct session_opts so = { .vmlinux = image, .cache_limit = 1 << 20 };
	struct consumer con = { .data = r, .batch = on_batch };
	struct perfdata *pd;
	struct error err;
	struct session *ss;

	pd = perfdata_open_memory(file->p, file->len, "test", &err);
	assert_non_null(pd);
	ss = session_open_perfdata(&so, pd);
	assert_non_null(ss);
	memset(r, 0, sizeof(*r));
	assert_int_equal(session_run(ss, &con), 0);
	return ss;
}

/* Traces one branch at `addr` of a kernel that is mapped from `start` to `end`. Returns the instructions. */
static unsigned int insns_in(uint64_t start, uint64_t end, uint64_t addr, char symbol[32])
{
	struct pdb data = { 0 }, trace = { 0 }, file = { 0 };
	struct session *ss;
	struct result r;

	sb_trace_at(&trace, SB_TID, addr, 1);
	sb_side_band(&data, "/prog");
	sb_kernel_map(&data, 0, start, end - start, TEXT, "[kernel.kallsyms]_text");
	sb_aux(&data, 0, trace.len, 0x100, 5000);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
	ss = decode(&file, vmlinux, &r);
	memcpy(symbol, r.symbol, sizeof(r.symbol));
	session_close(ss);
	pdb_free(&data);
	pdb_free(&trace);
	pdb_free(&file);
	return r.insns;
}

/* What the kernel's map leaves out of its file is not there: the code is a NOP at _text and a branch to it, 24 times. */
static void part_of_the_file(void **state)
{
	char symbol[32];

	(void)state;
	assert_int_equal(insns_in(TEXT - 0x1000, TEXT + 0x1000, TEXT, symbol), 48);
	assert_int_equal(insns_in(TEXT, TEXT + 8, TEXT, symbol), 48);
	assert_string_equal(symbol, "_text");
	assert_int_equal(insns_in(TEXT + 4, TEXT + 0x1000, TEXT, symbol), 0);
	assert_int_equal(insns_in(TEXT + 4, TEXT + 0x1000, TEXT + 4, symbol), 1);
	assert_string_equal(symbol, "_text");
	assert_int_equal(insns_in(TEXT + 8, TEXT + 0x1000, TEXT + 4, symbol), 0);
	assert_int_equal(insns_in(TEXT - 0x400, TEXT + 4, TEXT + 4, symbol), 0);
	assert_int_equal(insns_in(TEXT + 0x100000, TEXT + 0x200000, TEXT, symbol), 0);
}

static const struct dso *find_dso(struct session *ss, const char *path)
{
	const struct dso_table *t = session_dsos(ss);
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (!strcmp(dso_path(t->all[i]), path))
			return t->all[i];
	return NULL;
}

/* The name of a kernel is at most 31 bytes, brackets included; the symbol behind it is no part of it. */
static void names_of_maps(void **state)
{
	static const char longest[] = "[kernel.0123456789012345678901]", too_long[] = "[kernel.01234567890123456789012]_text";
	struct pdb data = { 0 }, file = { 0 };
	struct session_opts so = { .cache_limit = 1 << 20 };
	const struct dso *d;
	struct perfdata *pd;
	struct session *ss;
	struct error err;
	char name[64];

	(void)state;
	assert_int_equal(strlen(longest), 31);
	sb_side_band(&data, "/prog");
	snprintf(name, sizeof(name), "%s_text", longest);
	sb_kernel_map(&data, 0, TEXT & ~0xfffull, 0x1000, TEXT, name);
	sb_kernel_map(&data, 0, TEXT + 0x10000, 0x1000, TEXT, too_long);
	pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
	pd = perfdata_open_memory(file.p, file.len, "test", &err);
	assert_non_null(pd);
	ss = session_open_perfdata(&so, pd);
	assert_non_null(ss);
	d = find_dso(ss, longest);
	assert_non_null(d);
	assert_string_equal(d->ref_sym, "_text");
	assert_int_equal(d->ref_addr, TEXT);
	assert_non_null(find_dso(ss, too_long));
	assert_null(find_dso(ss, name));
	session_close(ss);
	pdb_free(&data);
	pdb_free(&file);
}

static void moved_kernel(void **state)
{
	struct session *ss;
	struct pdb file;
	struct result r;

	(void)state;
	make(&file, false, true);
	ss = decode(&file, vmlinux, &r);
	assert_int_equal(r.ranges, 2 * SB_ATOMS);
	assert_int_equal(r.insns, 4 * SB_ATOMS);
	assert_int_equal(r.kernel_ranges, r.ranges);
	assert_string_equal(r.located, "[kernel.kallsyms]");
	assert_string_equal(r.symbol, "_text");
	assert_false(session_has_losses(ss));
	session_close(ss);
	pdb_free(&file);
}

static void changed_text(void **state)
{
	struct session *ss;
	struct pdb file;
	struct result r;

	(void)state;
	make(&file, true, true);
	ss = decode(&file, vmlinux, &r);
	assert_int_equal(r.ranges, 2 * SB_ATOMS);
	/* two instructions per atom before, one after */
	assert_int_equal(r.insns, 2 * SB_ATOMS + SB_ATOMS);
	assert_false(session_has_losses(ss));
	session_close(ss);
	pdb_free(&file);
}

static void advice(struct session *ss, const char *want)
{
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");

	assert_int_equal(session_print_missing(ss, out), 1);
	fclose(out);
	assert_non_null(strstr(text, want));
}

static void no_kernel_image(void **state)
{
	struct session *ss;
	struct pdb file;
	struct result r;

	(void)state;
	make(&file, false, true);
	ss = decode(&file, NULL, &r);
	assert_int_equal(r.ranges, 0);
	assert_true(session_has_losses(ss));
	advice(ss, "--vmlinux");
	session_close(ss);
	pdb_free(&file);

	make(&file, false, false);
	ss = decode(&file, NULL, &r);
	assert_int_equal(r.ranges, 0);
	advice(ss, "--kcore");
	session_close(ss);
	pdb_free(&file);
}

/* Nothing tells where this image was loaded. */
static void image_without_the_symbol(void **state)
{
	uint8_t image[ELF_SIZE];
	struct session *ss;
	struct pdb file;
	struct result r;
	uint8_t *name;

	(void)state;
	elf_build(image, EM_AARCH64, 0x11, true);
	name = memmem(image, sizeof(image), "_text", 5);
	assert_non_null(name);
	name[0] = 'x';
	temp_write(dir, "other", image, sizeof(image));
	snprintf(other, sizeof(other), "%s/other", dir);
	make(&file, false, true);
	ss = decode(&file, other, &r);
	assert_int_equal(r.ranges, 0);
	advice(ss, "no symbol _text");
	session_close(ss);
	pdb_free(&file);
}

static void copy_of_kernel_memory(void **state)
{
	struct session_opts so = { .input = recording, .cache_limit = 1 << 20 };
	struct consumer con = { .batch = on_batch };
	struct result r = { 0 };
	struct session *ss;
	struct pdb file;

	(void)state;
	make(&file, false, true);
	temp_write(dir, "rec/data", file.p, file.len);
	pdb_free(&file);
	con.data = &r;
	ss = session_open(&so);
	assert_non_null(ss);
	assert_int_equal(session_run(ss, &con), 0);
	assert_int_equal(r.ranges, 2 * SB_ATOMS);
	assert_non_null(strstr(r.located, "kcore"));
	assert_false(session_has_losses(ss));
	session_close(ss);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_maps),
		cmocka_unit_test(part_of_the_file),
		cmocka_unit_test(moved_kernel),
		cmocka_unit_test(changed_text),
		cmocka_unit_test(no_kernel_image),
		cmocka_unit_test(image_without_the_symbol),
		cmocka_unit_test(copy_of_kernel_memory),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
