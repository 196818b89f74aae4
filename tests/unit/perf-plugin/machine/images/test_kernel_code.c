/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernel code that is not in an image: BPF programs, and copies of the kernel's memory. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "counting/calls/places.h"
#include "machine/images/dso.h"
#include "perfdata/bpf_info.h"
#include "perfdata/reader.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "session/internal.h"
#include "unit/perf-plugin/bpf_build.h"
#include "unit/perf-plugin/elf_build.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/temp_dir.h"

#define TEXT	0xffff800008010400ull	/* where _text was loaded */
#define BPF	0xffff800001230000ull

#define NOP	0xd503201fu
#define SELF	0x14000000u		/* branches to itself */
#define BACK1	0x17ffffffu		/* to the instruction before */
#define BACK2	0x17fffffeu

TEMP_DIR("kcode")
static char vmlinux[64], cache[64];

static int make_files(void **state)
{
	uint8_t image[ELF_SIZE];

	if (make_dir(state))
		return -1;
	snprintf(vmlinux, sizeof(vmlinux), "%s/vmlinux", dir);
	snprintf(cache, sizeof(cache), "%s/cache", dir);
	elf_build(image, EM_AARCH64, 0x11, true);
	temp_write(dir, "vmlinux", image, sizeof(image));
	return 0;
}

#define MAX_FRAGMENTS 8

/* A recording that grows: records, and fragments of trace that go round a loop of the kernel. */
struct recording {
	struct pdb data, trace, file;
	uint64_t time;
	struct pdb_feature feature;
};

static void start(struct recording *r, bool kernel_map)
{
	struct pdb_sid s = sb_sid(0);
	size_t at;

	memset(r, 0, sizeof(*r));
	r->time = 5000;
	sb_side_band(&r->data, "/prog");
	if (!kernel_map)
		return;
	at = pdb_begin(&r->data, 1, 1);
	pdb_u32(&r->data, (uint32_t)-1);
	pdb_u32(&r->data, 0);
	pdb_u64(&r->data, TEXT & ~0xfffull);
	pdb_u64(&r->data, 0x1000);
	pdb_u64(&r->data, TEXT);
	pdb_str8(&r->data, "[kernel.kallsyms]_text");
	pdb_sid_put(&r->data, SB_ST, &s);
	pdb_end(&r->data, at);
}

static void trace(struct recording *r, uint64_t addr)
{
	size_t from = r->trace.len;

	sb_trace_at(&r->trace, SB_TID, addr, 1);
	sb_aux(&r->data, from, r->trace.len - from, 0x100, r->time += 1000);
}

static void ksymbol_at(struct recording *r, uint64_t time, uint64_t addr, uint32_t len, uint16_t type, bool gone,
		       const char *name)
{
	struct pdb_sid s = sb_sid(time);
	size_t at = pdb_begin(&r->data, 17, 0);

	pdb_u64(&r->data, addr);
	pdb_u32(&r->data, len);
	pdb_u16(&r->data, type);
	pdb_u16(&r->data, gone);
	pdb_str8(&r->data, name);
	pdb_sid_put(&r->data, SB_ST, &s);
	pdb_end(&r->data, at);
}

static void ksymbol(struct recording *r, uint64_t addr, uint32_t len, uint16_t type, bool gone, const char *name)
{
	ksymbol_at(r, r->time += 100, addr, len, type, gone, name);
}

struct result {
	unsigned int fragments;
	unsigned int per_atom[MAX_FRAGMENTS];	/* instructions */
	char symbol[MAX_FRAGMENTS][40], file[MAX_FRAGMENTS][64];
	bool lost;
	uint64_t bad_records;
	struct calls_code code;
	struct calls_where where[MAX_FRAGMENTS];	/* of the first instruction */
	char missing[1024];
};

static int on_begin(void *data, const struct fragment_event *e)
{
	if (e->ended)
		return 0;
	assert_true(((struct result *)data)->fragments++ < MAX_FRAGMENTS);
	return 0;
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct result *r = data;
	unsigned int f = r->fragments - 1, insns = 0, ranges = 0;
	struct session_loc loc;
	const char *name;
	uint64_t offset;
	size_t i;

	for (i = 0; i < n; i++) {
		if (g[i].kind != CST_GEN_RANGE)
			continue;
		if (!ranges++)
			r->code.where(r->code.data, s, g[i].addr, &r->where[f]);
		insns += g[i].n_insn;
		assert_true(session_locate(s, g[i].addr, &loc));
		assert_true(loc.kernel);
		snprintf(r->file[f], sizeof(r->file[f]), "%s", dso_path(loc.dso));
		if (session_symbol(s, g[i].addr, &loc, &name, &offset))
			snprintf(r->symbol[f], sizeof(r->symbol[f]), "%s+%llu", name, (unsigned long long)offset);
	}
	if (ranges) {
		assert_int_equal(insns % ranges, 0);
		r->per_atom[f] = insns / ranges;
	}
	return 0;
}

/* Runs a session over `pd`, or over the input of `so`. */
static void run(struct perfdata *pd, const struct session_opts *so, struct result *r)
{
	struct consumer con = { .data = r, .batch = on_batch, .fragment = on_begin };
	struct session *ss;
	FILE *out;

	memset(r, 0, sizeof(*r));
	ss = pd ? session_open_perfdata(so, pd) : session_open(so);
	assert_non_null(ss);
	r->code = calls_places_code(ss);
	assert_int_equal(session_run(ss, &con), 0);
	r->bad_records = ss->side.bad_records;
	r->lost = session_has_losses(ss);
	out = fmemopen(r->missing, sizeof(r->missing) - 1, "w");
	session_print_missing(ss, out);
	fclose(out);
	session_close(ss);
}

static void end(struct recording *rec)
{
	pdb_auxtrace(&rec->data, 0, rec->trace.p, rec->trace.len, 2, (uint32_t)-1);
	pdb_file(&rec->file, &sb_attr, 1, 0, &rec->data, &rec->feature, rec->feature.body != NULL);
	pdb_free(&rec->data);
	pdb_free(&rec->trace);
}

static void decode(struct recording *rec, const struct session_opts *so, struct result *r)
{
	struct perfdata *pd;
	struct error err;

	end(rec);
	pd = perfdata_open_memory(rec->file.p, rec->file.len, "test", &err);
	assert_non_null(pd);
	run(pd, so, r);
	pdb_free(&rec->file);
}

static const uint32_t bpf_main[] = { NOP, BACK1 }, bpf_sub[] = { NOP, NOP, BACK2 }, bpf_other[] = { SELF };
static const struct bpf_prog progs[] = {
	{ 3, "first", 0x10, 2, { BPF, BPF + 0x100 }, { bpf_main, bpf_sub }, { 8, 12 } },
	{ 5, "second", 0x20, 1, { BPF }, { bpf_other }, { 4 } },
	{ 6, "a", 0x30, 1, { BPF + 0x1000 }, { bpf_other }, { 4 } },
};

/* Two programs at one address, one after the other; one whose record was lost; one without code. */
static void bpf_programs(void **state)
{
	struct session_opts so = { .vmlinux = vmlinux };
	struct pdb section = { 0 };
	struct recording rec;
	struct result r;

	(void)state;
	bpf_section(&section, progs, 3);
	start(&rec, true);
	rec.feature = (struct pdb_feature){ 25, &section };
	ksymbol(&rec, BPF, 8, 1, false, "bpf_prog_1010101010101010_first");
	ksymbol(&rec, BPF + 0x100, 12, 1, false, "bpf_prog_1111111111111111_sub");
	trace(&rec, BPF);
	trace(&rec, BPF + 0x100);
	ksymbol(&rec, BPF, 8, 1, true, "bpf_prog_1010101010101010_first");
	ksymbol(&rec, BPF + 0x100, 12, 1, true, "bpf_prog_1111111111111111_sub");
	trace(&rec, BPF + 0x100);
	ksymbol(&rec, BPF, 4, 1, false, "bpf_prog_2020202020202020_second");
	trace(&rec, BPF);
	trace(&rec, BPF + 0x1000);
	ksymbol(&rec, BPF + 0x2000, 4, 1, false, "bpf_prog_4040404040404040_unknown");
	trace(&rec, BPF + 0x2000);
	decode(&rec, &so, &r);
	assert_int_equal(r.per_atom[0], 2);
	assert_int_equal(r.per_atom[1], 3);
	assert_int_equal(r.per_atom[2], 0);
	assert_int_equal(r.per_atom[3], 1);
	assert_int_equal(r.per_atom[4], 1);
	assert_int_equal(r.per_atom[5], 0);
	assert_true(!strncmp(r.symbol[0], "bpf_prog_1010101010101010_first+", 32));
	assert_int_equal(r.where[1].start, 0);
	assert_int_equal(r.where[1].end, 12);
	assert_int_equal((uint32_t)r.where[1].place, 0);
	assert_true(!strncmp(r.symbol[3], "bpf_prog_2020202020202020_second+", 33));
	assert_true(!strncmp(r.symbol[4], "bpf_prog_3030303030303030_a+", 28));
	assert_non_null(strstr(r.missing, "bpf_prog_4040404040404040_unknown"));
	pdb_free(&section);
}

/* A program without a name has its tag alone; one at an odd place, or behind the end of a cut section, has no code. */
static void damaged_bpf_programs(void **state)
{
	static const struct bpf_prog some[] = {
		{ 3, "", 0x50, 1, { BPF }, { bpf_main }, { 8 } },
		{ 4, "odd", 0x60, 2, { BPF + 0x102, BPF + 0x200 }, { bpf_other, bpf_sub }, { 4, 12 } },
		{ 5, "empty", 0x70, 1, { BPF + 0x300 }, { bpf_other }, { 0 } },
		{ 6, "cut", 0x80, 1, { BPF + 0x400 }, { bpf_other }, { 4 } },
	};
	struct session_opts so = { .vmlinux = vmlinux };
	struct recording rec;
	struct result r;
	struct said said;
	unsigned int cut, i;

	(void)state;
	for (cut = 0; cut < 2; cut++) {
		struct pdb section = { 0 };

		bpf_section(&section, some, 4);
		section.len -= cut;
		start(&rec, true);
		rec.feature = (struct pdb_feature){ 25, &section };
		for (i = 0; i < 5; i++)
			trace(&rec, BPF + 0x100 * i);
		said_begin(&said);
		decode(&rec, &so, &r);
		said_end(&said);
		assert_int_equal(r.per_atom[0], 2);
		assert_string_equal(r.symbol[0], "bpf_prog_5050505050505050+0");
		assert_int_equal(r.per_atom[1], 0);
		assert_int_equal(r.per_atom[2], 3);
		assert_string_equal(r.symbol[2], "bpf_prog_6161616161616161_F+0");
		assert_int_equal(r.per_atom[3], 0);
		assert_int_equal(r.per_atom[4], !cut);
		assert_int_equal(strstr(said.text, "ends inside a program: those from there on have no code") != NULL, cut);
		assert_int_equal(r.bad_records, cut);
		pdb_free(&section);
	}
}

static void both_byte_orders(void **state)
{
	struct pd_bpf_reader br;
	struct pd_bpf_func f;
	unsigned int swap, n;
	int rc;

	(void)state;
	for (swap = 0; swap < 2; swap++) {
		struct pdb b = { .swap = swap };

		bpf_section(&b, progs, 3);
		pd_bpf_start(&br, b.p, b.len, swap);
		for (n = 0; (rc = pd_bpf_next(&br, &f)) > 0; n++) {
			if (n != 1)
				continue;
			assert_int_equal(f.addr, BPF + 0x100);
			assert_int_equal(f.len, 12);
			assert_int_equal(f.nr, 1);
			assert_int_equal(f.prog_id, 3);
			assert_int_equal(f.tag[7], 0x11);
			assert_memory_equal(f.code, bpf_sub, 12);
			assert_string_equal(f.name, "first");
		}
		assert_int_equal(n, 4);
		assert_int_equal(rc, 0);
		pdb_free(&b);
	}
}

/* Cut anywhere and with any byte changed: nothing outside the section is handed out. */
static void damaged_section(void **state)
{
	struct pdb b = { 0 };
	struct pd_bpf_reader br;
	struct pd_bpf_func f;
	uint8_t *copy;
	size_t i, n, len;
	int rc;

	(void)state;
	bpf_section(&b, progs, 3);
	for (i = 0; i < 2 * b.len; i++) {
		len = i < b.len ? i : b.len;
		copy = malloc(len ? len : 1);
		memcpy(copy, b.p, len);
		if (i >= b.len)
			copy[i - b.len] ^= (uint8_t)(i * 37 + 1);
		pd_bpf_start(&br, copy, len, false);
		for (n = 0; (rc = pd_bpf_next(&br, &f)) > 0; n++) {
			assert_true(f.code >= copy && f.len <= len && f.code + f.len <= copy + len);
			assert_true(n < 1000);
		}
		if (i > 3 && i < b.len)
			assert_int_equal(rc, -1);
		free(copy);
	}
	pdb_free(&b);
}

/*
 * A copy that the recorder made before the trace began has the code of programs that existed then. At the place of one that
 * was made later it has what was there before.
 */
static void programs_and_kcore(void **state)
{
	static const char map[] = "ffff800008010400 T _text\n";
	uint64_t vaddr = BPF - ELF_CODE_OFFSET;
	char input[80], kcore[100];
	struct session_opts so = { .input = input };
	uint8_t image[ELF_SIZE];
	struct recording rec;
	struct result r;

	(void)state;
	snprintf(input, sizeof(input), "%s/rec", dir);
	snprintf(kcore, sizeof(kcore), "%s/kcore_dir", input);
	elf_build(image, EM_AARCH64, 0x11, true);
	memcpy(image + sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_vaddr), &vaddr, sizeof(vaddr));
	image[offsetof(Elf64_Ehdr, e_type)] = ET_CORE;
	temp_write(dir, "rec/kcore_dir/kcore", image, sizeof(image));
	temp_write(dir, "rec/kcore_dir/kallsyms", map, sizeof(map) - 1);
	start(&rec, false);
	ksymbol_at(&rec, 0, BPF, 64, 1, false, "bpf_prog_4040404040404040_p");
	trace(&rec, BPF);
	ksymbol(&rec, BPF, 64, 1, true, "bpf_prog_4040404040404040_p");
	trace(&rec, BPF);
	ksymbol(&rec, BPF, 64, 1, false, "bpf_prog_4040404040404040_p");
	trace(&rec, BPF);
	ksymbol(&rec, BPF, 64, 1, false, "bpf_prog_5050505050505050_q");
	trace(&rec, BPF);
	end(&rec);
	temp_write(dir, "rec/data", rec.file.p, rec.file.len);
	run(NULL, &so, &r);
	assert_int_equal(r.per_atom[0], 2);
	assert_int_equal(r.per_atom[1], 0);
	assert_int_equal(r.per_atom[2], 0);
	assert_int_equal(r.per_atom[3], 0);
	assert_true(r.lost);
	assert_non_null(strstr(r.missing, "bpf_prog_5050505050505050_q"));
	pdb_free(&rec.file);

	/* without its removal, too; of a copy that the user names nothing tells when it was made */
	start(&rec, false);
	ksymbol(&rec, BPF, 64, 1, false, "bpf_prog_5050505050505050_q");
	trace(&rec, BPF);
	end(&rec);
	temp_write(dir, "rec/data", rec.file.p, rec.file.len);
	run(NULL, &so, &r);
	assert_int_equal(r.per_atom[0], 0);
	so.kcore = kcore;
	run(NULL, &so, &r);
	assert_int_equal(r.per_atom[0], 2);
	pdb_free(&rec.file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bpf_programs), cmocka_unit_test(damaged_bpf_programs),
		cmocka_unit_test(both_byte_orders), cmocka_unit_test(damaged_section),
		cmocka_unit_test(programs_and_kcore),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
