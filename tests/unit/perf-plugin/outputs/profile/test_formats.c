/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers that stand for places in files of any layout, counts at their limits, and stubs of the
 * linker.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/images/library.h"
#include "unit/perf-plugin/ko_build.h"
#include "unit/perf-plugin/output_text.h"
#include "outputs/profile/formats.h"

#define OUT	CST_COUNT_OUTSIDE
/* in a line T: no branch, or no range */
#define NONE	"ffffffffffffffff"

static void add(struct model *m, const struct cst_count_record *rec)
{
	assert_int_equal(model_add(m, rec), 0);
}

static void range(struct model *m, uint64_t start, uint64_t last, uint64_t count, uint8_t flags)
{
	const struct cst_count_record rec = { .kind = CST_COUNT_RANGE,
					      .range = { .start = start, .last = last, .count = count, .flags = flags } };

	add(m, &rec);
}

static void edge(struct model *m, uint64_t from, uint64_t to, uint64_t count)
{
	const struct cst_count_record rec = { .kind = CST_COUNT_EDGE, .edge = { .from = from, .to = to, .count = count } };

	add(m, &rec);
}

static void entry(struct model *m, uint64_t offset, uint64_t count)
{
	const struct cst_count_record rec = { .kind = CST_COUNT_ENTRY, .entry = { .offset = offset, .count = count } };

	add(m, &rec);
}

/* A model of one binary, with the segments of a file. */
static struct model model_of(struct dso *dso)
{
	struct cst_count_record rec = { .kind = CST_COUNT_BINARY, .binary = { .name = dso->path } };
	struct model m;
	size_t i;

	model_init(&m);
	rec.binary.id_kind = dso->recorded.len ? CST_COUNT_ID_BUILD : CST_COUNT_ID_NAME;
	rec.binary.id_len = dso->recorded.len;
	memcpy(rec.binary.id, dso->recorded.id, dso->recorded.len);
	add(&m, &rec);
	for (i = 0; i < dso->image.nr_segs; i++) {
		rec = (struct cst_count_record){
			.kind = CST_COUNT_SEGMENT,
			.segment = { dso->image.segs[i].offset, dso->image.segs[i].filesz,
				     dso->image.segs[i].vaddr, dso->image.segs[i].exec }
		};
		add(&m, &rec);
	}
	m.binaries[0].dso = dso;
	return m;
}

/* What a format for a version of its reader makes of the binary, in `text`. */
static void made_for(const char *name, unsigned int version, enum profile_base base,
		     const struct model *m, char *text, size_t room)
{
	const struct profile_format *f = profile_format_for(profile_format_find(name), version);
	struct profile_address where;
	struct profile_removed gone;
	struct output_text out;
	struct flat flat;
	size_t n;

	profile_address_init(&where, &m->binaries[0], base);
	flat_init(&flat, &m->binaries[0], f->ranges);
	profile_address_limit(&where, &flat, &gone);
	f->write(output_begin(&out), &flat, &where);
	flat_free(&flat);
	n = output_end(&out, text, room);
	/* a text, with no byte of 0 in it */
	assert_int_equal(strlen(text), n);
}

static void made(const char *name, enum profile_base base, const struct model *m, char *text, size_t room)
{
	made_for(name, 0, base, m, text, room);
}

/* As lld lays out a program: code at another offset than its address says; two pieces of it, data between. */
static struct dso_segment lld[] = {
	{ .offset = 0, .vaddr = 0x200000, .filesz = 0x4b4 },
	{ .offset = 0x4b4, .vaddr = 0x2014b4, .filesz = 0x1000, .exec = true },
	{ .offset = 0x14b4, .vaddr = 0x2034b4, .filesz = 0x100 },
	{ .offset = 0x15b4, .vaddr = 0x2045b4, .filesz = 0x100, .exec = true },
};
static struct dso linked = { .path = (char *)"/bin/linked",
			     .image.is_elf = true,
			     .image.segs = lld,
			     .image.nr_segs = 4,
			     .recorded = { .len = 3, .id = { 0xab, 0xcd, 0x0f } } };
/* A kernel image: its headers are not mapped. */
static struct dso_segment kernel_seg[] = {
	{ .offset = 0x10000, .vaddr = 0xffff800008000000, .filesz = 0x8000, .exec = true },
	{ .offset = 0x20000, .vaddr = 0xffff800009000000, .filesz = 0x8000 },
};
static struct dso kernel = { .path = (char *)"[kernel.kallsyms]",
			     .image.is_elf = true,
			     .image.segs = kernel_seg,
			     .image.nr_segs = 2 };
static struct dso raw = { .path = (char *)"/raw.bin" };

static void not_taken(struct model *m, uint64_t offset, uint8_t size)
{
	const struct cst_count_record rec = { .kind = CST_COUNT_NOT_TAKEN,
					      .not_taken = { .offset = offset, .size = size, .count = 1 } };

	add(m, &rec);
}

/* Joined ranges: AutoFDO's end behind each branch, llvm's are added whatever led there, bolt's are apart. */
static void split(void **state)
{
	struct model m = model_of(&raw);
	char text[256];

	(void)state;
	range(&m, 0, 0x20, 3, 0);
	range(&m, 0, 0x20, 2, CST_COUNT_ARRIVED);
	range(&m, 0xc, 0x10, 1, 0);
	range(&m, 0x10, 0x20, 1, CST_COUNT_T32);
	range(&m, 0x20, 0x22, 7, CST_COUNT_T32);
	/* one at the last instruction of a range, and one of two bytes */
	not_taken(&m, 8, 4);
	not_taken(&m, 0x10, 4);
	not_taken(&m, 0x20, 2);
	edge(&m, 0x20, 0, 4);
	made("autofdo", PROFILE_OFFSET, &m, text, sizeof(text));
	assert_string_equal(text, "6\n0-8:5\nc-10:6\n10-10:1\n14-20:6\n20-20:7\n22-22:7\n0\n1\n20->0:4\n// /raw.bin\n\n");
	made("llvm", PROFILE_VADDR, &m, text, sizeof(text));
	assert_string_equal(text, "4\n0-20:5\nc-10:1\n10-20:1\n20-22:7\n1\n20->0:4\n");
	made("bolt", PROFILE_VADDR, &m, text, sizeof(text));
	assert_string_equal(text, "B 20 0 4 0\nF 0 20 3\nF c 10 1\nF 10 20 1\nF 20 22 7\nf 0 20 2\n");
	model_free(&m);
}

/* Stubs of the linker are outside: calls of them keep their address, and what they lead to comes in from there. */
static void bolt_stubs(void **state)
{
	static const uint32_t code[16];
	const struct ko_section sec[] = { { ".plt", code, 8, 0, false }, { ".text", code, 16, 0, false } };
	const struct ko ko = { sec, 2, NULL, 0, NULL, 0 };
	struct dso d = { .path = (char *)"/bin/stubs", .state = DSO_LOADED, .image.is_elf = true };
	struct dso_segment seg = { .vaddr = 0x1000, .filesz = 96, .exec = true };
	struct pdb file = { 0 };
	struct dso_text section;
	struct model m;
	char text[256];
	uint64_t at;

	(void)state;
	ko_build(&file, &ko);
	d.image.data = file.p;
	d.image.size = file.len;
	assert_true(dso_unlinked_text(&d, &section));
	at = section.offset;
	seg.offset = at - 32;
	d.image.segs = &seg;
	d.image.nr_segs = 1;
	m = model_of(&d);
	entry(&m, at - 32, 1);
	entry(&m, at, 2);
	edge(&m, at - 28, OUT, 3);
	edge(&m, at - 24, at + 4, 2);
	edge(&m, at - 20, at - 4, 1);
	edge(&m, at, OUT, 1);
	edge(&m, at + 8, at - 32, 3);
	range(&m, at - 32, at - 28, 3, 0);
	range(&m, at - 4, at - 4, 1, CST_COUNT_ARRIVED);
	range(&m, at, at + 8, 5, 0);
	range(&m, at + 12, at + 16, 4, CST_COUNT_ARRIVED);
	made("bolt", PROFILE_VADDR, &m, text, sizeof(text));
	assert_string_equal(text, "B 0 1020 2 0\nB 0 1024 2 0\nB 1020 0 1 0\nB 1028 1000 3 0\nF 1020 1028 5\n"
			    "f 102c 1030 4\n");
	made_for("bolt", 21, PROFILE_VADDR, &m, text, sizeof(text));
	assert_string_equal(text, "T 1028 1000 " NONE " 3\nT 0 1020 " NONE " 2\n"
			    "T " NONE " 1020 1028 5\nT 0 1024 " NONE " 2\nR 0 102c 1030 4\n"
			    "T 1020 0 " NONE " 1\n");
	model_free(&m);
	free(file.p);
}

/* Versions of perf2bolt from 21 on get lines of their own, other formats have no versions. */
static void bolt_versions(void **state)
{
	const struct profile_format *any = profile_format_find("bolt");
	const struct profile_format *llvm = profile_format_find("llvm");

	(void)state;
	assert_ptr_equal(profile_format_for(any, 0), any);
	assert_ptr_equal(profile_format_for(any, 20), any);
	assert_ptr_not_equal(profile_format_for(any, 21), any);
	assert_ptr_equal(profile_format_for(any, 21), profile_format_for(any, 40));
	assert_string_equal(profile_format_for(any, 21)->name, "bolt");
	assert_ptr_equal(profile_format_for(llvm, 40), llvm);
}

/* A line has a branch and a range where the counts leave no choice, and no return is among them. */
static void bolt_traces(void **state)
{
	/* branches are entries where `from` is OUT; ranges begin at 0x100 */
	static const struct {
		struct {
			uint64_t from, count;
		} branch[3];
		struct {
			uint64_t last, count;
			uint8_t flags;
		} range[3];
		const char *lines;
	} row[] = {
		{ { { 8, 5 } }, { { 0x108, 5, 0 } }, "T 8 100 108 5\n" },
		{ { { 8, 5 } }, { { 0x108, 2, 0 }, { 0x110, 3, 0 } },
		  "T 8 100 108 2\nT 8 100 110 3\n" },
		{ { { 8, 5 }, { 12, 1 } }, { { 0x108, 6, 0 } }, "T 8 100 108 5\nT c 100 108 1\n" },
		/* which ran behind which is unknown */
		{ { { 8, 5 }, { 12, 1 } }, { { 0x108, 3, 0 }, { 0x110, 3, 0 } },
		  "T 8 100 " NONE " 5\nT c 100 " NONE " 1\n"
		  "T " NONE " 100 108 3\nT " NONE " 100 110 3\n" },
		/* another way led there, or trace was lost behind the branch */
		{ { { 8, 5 } }, { { 0x108, 6, 0 } }, "T 8 100 " NONE " 5\nT " NONE " 100 108 6\n" },
		{ { { 8, 6 } }, { { 0x108, 5, 0 } }, "T 8 100 " NONE " 6\nT " NONE " 100 108 5\n" },
		{ { { 8, UINT64_MAX }, { 12, 1 } }, { { 0x108, UINT64_MAX, 0 } },
		  "T 8 100 " NONE " 9223372036854775807\nT c 100 " NONE " 1\nT " NONE
		  " 100 108 9223372036854775807\n" },
		{ { { 8, 5 } }, { { 0, 0, 0 } }, "T 8 100 " NONE " 5\n" },
		{ { { 0, 0 } }, { { 0x108, 5, 0 } }, "T " NONE " 100 108 5\n" },
		/* from outside, and returns: the same function may have made the call */
		{ { { OUT, 5 } }, { { 0x108, 5, CST_COUNT_ARRIVED } }, "T 0 100 108 5\n" },
		{ { { 8, 5 } }, { { 0x108, 5, CST_COUNT_ARRIVED } },
		  "T 8 100 " NONE " 5\nR 0 100 108 5\n" },
		{ { { OUT, 2 }, { 8, 3 } }, { { 0x108, 5, CST_COUNT_ARRIVED } },
		  "T 0 100 " NONE " 2\nT 8 100 " NONE " 3\nR 0 100 108 5\n" },
		{ { { 8, 5 } }, { { 0x108, 3, 0 }, { 0x108, 2, CST_COUNT_ARRIVED } },
		  "T 8 100 " NONE " 5\nT " NONE " 100 108 3\nR 0 100 108 2\n" },
		{ { { OUT, 5 } }, { { 0x108, 5, 0 } },
		  "T 0 100 " NONE " 5\nT " NONE " 100 108 5\n" },
	};
	char text[512];
	struct model m;
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		m = model_of(&raw);
		for (k = 0; k < 3 && row[i].branch[k].count; k++)
			if (row[i].branch[k].from == OUT)
				entry(&m, 0x100, row[i].branch[k].count);
			else
				edge(&m, row[i].branch[k].from, 0x100, row[i].branch[k].count);
		for (k = 0; k < 3 && row[i].range[k].count; k++)
			range(&m, 0x100, row[i].range[k].last, row[i].range[k].count,
			      row[i].range[k].flags);
		made_for("bolt", 21, PROFILE_VADDR, &m, text, sizeof(text));
		assert_string_equal(text, row[i].lines);
		model_free(&m);
	}
	/* places in order, those that branches leave to at the end */
	m = model_of(&raw);
	edge(&m, 8, OUT, 1);
	edge(&m, 16, 4, 2);
	edge(&m, 20, OUT, 3);
	range(&m, 4, 16, 2, 0);
	range(&m, 12, 20, 4, 0);
	made_for("bolt", 21, PROFILE_VADDR, &m, text, sizeof(text));
	assert_string_equal(text, "T 10 4 10 2\nT " NONE " c 14 4\n"
			    "T 8 0 " NONE " 1\nT 14 0 " NONE " 3\n");
	model_free(&m);
}

/* The second executable segment has its own distance between offset and address; a file without segments none. */
static void addresses(void **state)
{
	struct model m = model_of(&linked), k = model_of(&kernel), r = model_of(&raw);
	struct profile_address a;

	(void)state;
	profile_address_init(&a, &m.binaries[0], PROFILE_OFFSET);
	assert_false(a.unlinked);
	assert_int_equal(profile_address(&a, 0x15c0), 0x15c0);
	profile_address_init(&a, &m.binaries[0], PROFILE_FIRST_LOAD);
	assert_false(a.code_at_zero);
	assert_int_equal(profile_address(&a, 0x15c0), 0x45c0);
	profile_address_init(&a, &m.binaries[0], PROFILE_VADDR);
	assert_int_equal(profile_address(&a, 0x15c0), 0x2045c0);
	assert_int_equal(profile_address(&a, 0x15b4), 0x2045b4);
	assert_int_equal(profile_address(&a, 0x15b0), 0x2035b0);
	profile_address_init(&a, &r.binaries[0], PROFILE_FIRST_LOAD);
	assert_false(a.code_at_zero || a.unlinked);
	assert_int_equal(profile_address(&a, 0x123), 0x123);
	profile_address_init(&a, &k.binaries[0], PROFILE_FIRST_LOAD);
	assert_true(a.code_at_zero);
	profile_address_init(&a, &k.binaries[0], PROFILE_OFFSET);
	assert_false(a.code_at_zero);
	model_free(&m);
	model_free(&k);
	model_free(&r);
}

/* Writes the format to a file, and returns what profile_write() does, with the messages in `text`. */
static int written(const char *name, enum profile_base base, const struct model *m, char *text, size_t room)
{
	FILE *file = tmpfile(), *log = tmpfile();
	struct pd_output out;
	int saved = dup(STDERR_FILENO), rc;
	ssize_t n;

	assert_true(file && log && saved >= 0);
	pd_output_fd(&out, fileno(file), "profile");
	fflush(stderr);
	assert_true(dup2(fileno(log), STDERR_FILENO) >= 0);
	rc = profile_write(&out, profile_format_find(name), base, &m->binaries[0]);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = pread(fileno(log), text, room - 1, 0);
	assert_in_range(n, 0, room - 2);
	text[n] = 0;
	fclose(file);
	fclose(log);
	return rc;
}

/* A module whose .text is 64 bytes at `at`, with code before and behind it. */
static struct model counted_module(struct dso *dso, uint64_t at)
{
	struct model m = model_of(dso);

	range(&m, at - 8, at, 4, 0);
	range(&m, at, at + 60, 2, 0);
	range(&m, at + 4, at + 64, 3, 0);
	range(&m, at + 64, at + 68, 5, 0);
	edge(&m, at - 8, OUT, 1);
	edge(&m, at + 60, at, 1);
	edge(&m, at + 60, at + 64, 2);
	edge(&m, at + 60, OUT, 8);
	edge(&m, at + 64, at, 1);
	return m;
}

/* In all names that end so. */
static void rename_sections(struct pdb *file, const char *from, const char *to)
{
	uint8_t *at = file->p;

	while ((at = memmem(at, file->len - (size_t)(at - file->p), from, strlen(from) + 1)))
		memcpy(at, to, strlen(to));
}

/* A kernel module: .text has addresses, what is beside it has none. */
static void module(void **state)
{
	static const uint32_t code[16];
	const struct ko_section sec[] = { { ".init.text", code, 8, 0, false }, { ".text", code, 16, 0, false },
					  { ".exit.text", code, 8, 0, false } };
	const struct ko_symbol sym[] = { { "f", 2, 0 } };
	const struct ko ko = { sec, 3, sym, 1, NULL, 0 };
	struct dso d = { .path = (char *)"m.ko", .kind = DSO_MODULE, .state = DSO_LOADED };
	struct dso_segment seg = { .vaddr = 0xffff800001000000, .filesz = 64, .exec = true };
	struct profile_address a;
	struct profile_removed gone;
	struct model m;
	struct flat f;
	struct pdb file = { 0 };
	struct dso_text text, none;
	Elf64_Ehdr header, cut;
	char out[512], want[512], log[1024];
	uint32_t at;

	(void)state;
	ko_build(&file, &ko);
	d.image.data = file.p;
	d.image.size = file.len;
	/* not read as ELF, or not there: no section is looked for */
	assert_false(dso_unlinked_text(&d, &text));
	d.image.is_elf = true;
	d.state = DSO_MISSING;
	assert_false(dso_unlinked_text(&d, &text));
	d.state = DSO_LOADED;
	assert_true(dso_unlinked_text(&d, &text));
	assert_int_equal(text.size, 64);
	assert_int_equal(text.vaddr, 0);
	/* another name; then no table of sections with the names' number in it */
	rename_sections(&file, ".text", ".Text");
	assert_false(dso_unlinked_text(&d, &none));
	rename_sections(&file, ".Text", ".text");
	memcpy(&header, file.p, sizeof(header));
	cut = header;
	cut.e_shoff = 0;
	cut.e_shnum = 0;
	cut.e_shstrndx = SHN_XINDEX;
	memcpy(file.p, &cut, sizeof(cut));
	assert_false(dso_unlinked_text(&d, &none));
	memcpy(file.p, &header, sizeof(header));
	assert_true(dso_unlinked_text(&d, &none));
	at = (uint32_t)text.offset;
	seg.offset = at;
	d.image.segs = &seg;
	d.image.nr_segs = 1;
	m = counted_module(&d, at);
	profile_address_init(&a, &m.binaries[0], PROFILE_OFFSET);
	assert_true(a.unlinked);
	assert_false(a.code_at_zero);
	assert_int_equal(profile_address(&a, at + 4), at + 4);
	profile_address_init(&a, &m.binaries[0], PROFILE_FIRST_LOAD);
	assert_true(a.code_at_zero);
	assert_int_equal(profile_address(&a, at + 4), 4);
	profile_address_init(&a, &m.binaries[0], PROFILE_VADDR);
	assert_int_equal(profile_address(&a, at + 4), 0xffff800001000004);

	flat_init(&f, &m.binaries[0], FLAT_SPLIT);
	profile_address_limit(&a, &f, &gone);
	assert_int_equal(f.nr_ranges + f.nr_edges, 9);
	profile_address_init(&a, &m.binaries[0], PROFILE_OFFSET);
	profile_address_limit(&a, &f, &gone);
	assert_int_equal(f.nr_ranges, 1);
	assert_int_equal(f.nr_edges, 2);
	flat_free(&f);
	assert_int_equal(gone.ranges, 3);
	assert_int_equal(gone.executed, 12);
	assert_int_equal(gone.edges, 2);
	made("autofdo", PROFILE_OFFSET, &m, out, sizeof(out));
	snprintf(want, sizeof(want), "1\n%x-%x:2\n0\n2\n%x->0:10\n%x->%x:1\n// m.ko\n\n", at, at + 60, at + 60, at + 60, at);
	assert_string_equal(out, want);
	assert_int_equal(written("autofdo", PROFILE_OFFSET, &m, log, sizeof(log)), 0);
	assert_string_equal(log, "cstrace profile: m.ko: 1 ranges, 2 edges, 0 instructions, 13 branches (4 inside the binary)\n"
			    "cstrace profile: m.ko is not linked (no program headers), as kernel modules are: AutoFDO reads counts of such a "
			    "file since June 2026, 0.30.1 does not\n"
			    "cstrace profile: m.ko: 3 ranges, executed 12 times, and 2 edges are outside of its .text and left out: "
			    "AutoFDO has no addresses for them\n");
	assert_int_equal(written("llvm", PROFILE_VADDR, &m, log, sizeof(log)), 0);
	assert_non_null(strstr(log, "cstrace profile: m.ko is not linked (no program headers), as kernel modules are: file offsets stand for its "
			       "addresses, and --format=llvm is read for linked files only; create_llvm_prof of AutoFDO reads "
			       "--format=autofdo\n"));
	assert_null(strstr(log, "left out"));
	made("autofdo", PROFILE_FIRST_LOAD, &m, out, sizeof(out));
	assert_string_equal(out, "1\n0-3c:2\n0\n1\n3c->0:1\n// m.ko\n\n");
	model_free(&m);
	free(file.p);
}

/* Counts of 64 bits; perf2bolt takes 63. */
static void largest(void **state)
{
	struct model m = model_of(&raw);
	char out[512];

	(void)state;
	range(&m, 4, 8, UINT64_MAX, 0);
	edge(&m, 8, 16, UINT64_MAX);
	made("autofdo", PROFILE_OFFSET, &m, out, sizeof(out));
	assert_non_null(strstr(out, "4-8:18446744073709551615\n0\n1\n8->10:18446744073709551615\n"));
	made("llvm", PROFILE_VADDR, &m, out, sizeof(out));
	assert_string_equal(out, "1\n4-8:18446744073709551615\n1\n8->10:18446744073709551615\n");
	made("bolt", PROFILE_VADDR, &m, out, sizeof(out));
	assert_string_equal(out, "B 8 10 9223372036854775807 0\nF 4 8 9223372036854775807\n");
	model_free(&m);
}

/* Ranges that share the pieces between branches: the profile has no more of them than there are branches and ranges. */
static void shared_pieces(void **state)
{
	enum { N = 20000, ROOM = 1 << 20 };
	static char text[ROOM];
	struct model m = model_of(&raw), most = model_of(&raw);
	unsigned int i, first, last, n;
	char *p;

	(void)state;
	for (i = 0; i < N; i++)
		range(&m, 0, 4 * i + 4, 1, 0);
	for (i = 0; i < N; i++)
		not_taken(&m, 4 * i, 4);
	made("autofdo", PROFILE_OFFSET, &m, text, ROOM);
	assert_int_equal(strtoul(text, &p, 10), N + 1);
	for (i = 0; i <= N; i++) {
		assert_int_equal(sscanf(p, "\n%x-%x:%u", &first, &last, &n), 3);
		assert_int_equal(first, 4 * i);
		assert_int_equal(last, 4 * i);
		assert_int_equal(n, i ? N - i + 1 : N);
		p = strchr(p + 1, '\n');
	}
	model_free(&m);

	range(&most, 0, 12, UINT64_MAX - 1, 0);
	range(&most, 0, 12, UINT64_MAX - 1, CST_COUNT_ARRIVED);
	range(&most, 4, 20, 3, 0);
	for (i = 0; i < 4; i++)
		not_taken(&most, 4 * i, 4);
	made("autofdo", PROFILE_OFFSET, &most, text, ROOM);
	assert_non_null(strstr(text, "5\n0-0:18446744073709551615\n4-4:18446744073709551615\n8-8:18446744073709551615\n"
				     "c-c:18446744073709551615\n10-14:3\n0\n"));
	model_free(&most);
}

/* A format with nothing of what was executed is not written, and this is said. */
static void nothing(void **state)
{
	struct model m = model_of(&raw), none = model_of(&raw);
	struct pd_output out;
	FILE *file = tmpfile();

	(void)state;
	edge(&m, 8, OUT, 3);
	pd_output_fd(&out, fileno(file), "profile");
	assert_int_equal(profile_write(&out, profile_format_find("llvm"), PROFILE_VADDR,
				       &none.binaries[0]), PROFILE_EMPTY);
	pd_output_fd(&out, fileno(file), "profile");
	assert_int_equal(profile_write(&out, profile_format_find("propeller"), PROFILE_VADDR,
				       &m.binaries[0]), PROFILE_EMPTY);
	assert_int_equal(lseek(fileno(file), 0, SEEK_END), 0);
	pd_output_fd(&out, fileno(file), "profile");
	assert_int_equal(profile_write(&out, profile_format_find("llvm"), PROFILE_VADDR, &m.binaries[0]), 0);
	fclose(file);
	model_free(&none);
	model_free(&m);
}

static void libraries(void **state)
{
	static const char *const library[] = { "[kernel.kallsyms]", "[vdso]", "/lib/libc.so.6", "libm.so", "/lib/modules/a/m.ko",
					       "/lib/m.ko.xz", "/lib/ld-linux-aarch64.so.1", "/lib/ld-2.31", "ld-musl",
					       "/lib/l.so (deleted)", "/lib/a.source.so.1", "/apex/com.android.runtime/bin/linker64",
					       "/system/bin/linker" };
	static const char *const program[] = { "/opt/my.solver", "/opt/a.kotlin", "/opt/linker", "/bin/x", "x", "/opt/lib.so.d/x", "/ld-tests/x", "/bin/bold-x", "/opt/[x]/x",
					       "/modules.ko/x", "/bin/[" };
	static const char *const everywhere[] = { "[vdso]", "[kernel.kallsyms]", "/lib/ld-linux-aarch64.so.1", "/lib/libc.so.6", "/lib/libc-2.31.so",
						  "/lib/libc.musl-aarch64.so.1", "/system/bin/linker64", "/lib/m.ko.xz" };
	static const char *const own[] = { "/lib/libcrypto.so.3", "/lib/libc++.so.1", "/lib/libcap.so.2", "/bin/x", "/lib/libc-client.so.1" };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(everywhere) / sizeof(everywhere[0]); i++)
		assert_true(library_of_all(everywhere[i]));
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		assert_false(library_of_all(own[i]));
	for (i = 0; i < sizeof(library) / sizeof(library[0]); i++)
		assert_true(library_name(library[i]));
	for (i = 0; i < sizeof(program) / sizeof(program[0]); i++)
		assert_false(library_name(program[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(split),
		cmocka_unit_test(bolt_stubs), cmocka_unit_test(bolt_versions),
		cmocka_unit_test(bolt_traces), cmocka_unit_test(addresses),
		cmocka_unit_test(module),
		cmocka_unit_test(largest), cmocka_unit_test(shared_pieces),
		cmocka_unit_test(nothing), cmocka_unit_test(libraries),
	};

	return cmocka_run_group_tests_name("profile formats", tests, NULL, NULL);
}
