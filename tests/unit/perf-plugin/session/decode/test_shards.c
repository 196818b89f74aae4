/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples, lines and counts that several threads make of pieces of the trace are those that one thread makes: of one CPU or two,
 * with AUX records in any order, errors, and calls across pieces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/cmd/count.h"
#include "outputs/cmd/options.h"
#include "outputs/listing/listing.h"
#include "outputs/synth/injector.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

#define FRAGMENTS	6u	/* of each CPU */
#define JOBS	4u
#define CHAIN	16u

TEMP_DIR("pieces")

static int make_files(void **state)
{
	/* f: bl g; b f; g: nop; b f: calls that do not return; CHAIN: bl to the next instruction, and ret for the last atom */
	static uint32_t code[CHAIN / 4 + SB_ATOMS] = { 0x94000002, 0x17ffffff, 0xd503201f, 0x17fffffd };
	unsigned int i;

	for (i = 0; i < SB_ATOMS; i++)
		code[CHAIN / 4 + i] = i + 1 < SB_ATOMS ? 0x94000001 : 0xd65f03c0;
	if (make_dir(state))
		return -1;
	temp_write(dir, "calls.bin", code, sizeof(code));
	return 0;
}

/* ---- a recording --------------------------------------------------------------------------------- */

/* A recording, with the times of AUX records of each CPU. */
struct recording {
	unsigned int cpus;
	uint64_t time[2][FRAGMENTS];
	unsigned int damaged;	/* a fragment with bytes that are no packets; FRAGMENTS: none */
	bool open;		/* each fragment ends with a branch whose target is not in the trace */
	unsigned int more;	/* number of further taken branches in each fragment, for `open` none */
	uint64_t back;		/* 0: no snapshots; ns from the timestamp of each second snapshot to its AUX record */
};

static const struct recording recordings[] = {
	/* records that are not in the order of their times */
	{ 1, { { 5000, 9000, 7000, 8000, 12000, 6000 } }, FRAGMENTS, false, 0, 0 },
	{ 1, { { 5000, 6000, 7000, 8000, 9000, 10000 } }, 2, false, 0, 0 },
	/* pieces of two CPUs at the same times */
	{ 2, { { 5000, 6000, 7000, 8000, 9000, 10000 }, { 5500, 6000, 6500, 8000, 8000, 11000 } }, FRAGMENTS, false, 0, 0 },
	{ 2, { { 5000, 9000, 7000, 8000, 12000, 6000 }, { 7000, 5000, 9000, 9000, 8000, 13000 } }, 3, false, 0, 0 },
	{ 2, { { 5000, 6000, 7000, 8000, 9000, 10000 }, { 5500, 6000, 6500, 8000, 8000, 11000 } }, FRAGMENTS, true, 0, 0 },
	/* snapshots that reach back behind the end of the one before */
	{ 1, { { 5000, 6000, 7000, 8000, 9000, 10000 } }, FRAGMENTS, false, 9, 2500 },
	{ 2, { { 5000, 6000, 7000, 8000, 9000, 10000 }, { 5500, 6000, 6500, 8000, 8000, 11000 } }, FRAGMENTS, false, 9, 2500 },
};

static void timestamp(struct pdb *trace, uint64_t ticks)
{
	uint8_t p[10] = { 0x02 };
	unsigned int i;

	for (i = 1; i < 9; i++, ticks >>= 7)
		p[i] = (ticks & 0x7f) | 0x80;
	p[9] = (uint8_t)ticks;
	pdb_bytes(trace, p, sizeof(p));
}

static struct session *opened(const struct recording *r, unsigned int jobs)
{
	const struct session_opts so = { .symfs = dir, .jobs = jobs, .jobs_asked = true, .cache_limit = 1 << 20,
				   .ts_freq = r->back ? 1000000000 : 0 };
	struct pdb_sid s = sb_sid(1000);
	struct pdb data = { .p = NULL };
	unsigned int i, k, cpu;

	sb_aux_info_of(&data, 1, SB_CONFIGR | (r->back ? SB_TIMESTAMPS : 0), 0x14, r->cpus);
	pdb_comm(&data, SB_PID, SB_PID, "loop", SB_ST, &s);
	sb_fork(&data, SB_PID, SB_PID, SB_TID, 1000);
	pdb_mmap2(&data, SB_PID, SB_BASE, 0x1000, 0, "/calls.bin", SB_ST, &s);
	for (i = 0; i < FRAGMENTS; i++)
		for (cpu = 0; cpu < r->cpus; cpu++) {
			struct pdb trace = { .p = NULL };

			sb_trace_at(&trace, SB_TID, SB_BASE + (r->open ? CHAIN : i % 2 ? 8 : 0), 0);
			if (r->back)
				timestamp(&trace, r->time[cpu][i] - i % 2 * r->back);
			for (k = 0; k < r->more; k++)
				pdb_bytes(&trace, "\xf7", 1);
			if (i == r->damaged)
				memset(trace.p + trace.len - 8, 0x66, 4);
			s.time = r->time[cpu][i];
			s.cpu = 2 + cpu;
			/* the record of a snapshot has the end of the data */
			pdb_aux(&data, i * 0x4000 + (r->back ? trace.len : 0), trace.len,
				SB_RAW | (r->back ? AUX_FLAG_OVERWRITE : 0), SB_ST, &s);
			pdb_auxtrace(&data, i * 0x4000, trace.p, trace.len, 2 + cpu, (uint32_t)-1);
			pdb_free(&trace);
		}
	return sb_open(&data, &so, NULL);
}

/* The bytes of the file "out", which become the caller's. */
static char *output(size_t *n)
{
	return temp_content(temp_path(dir, "out"), n);
}

/* ---- outputs ------------------------------------------------------------------------------------- */

static char *injected(const struct recording *r, unsigned int jobs, const char *letters, size_t *n)
{
	struct session *ss = opened(r, jobs);
	char path[128], msg[400];
	struct injector_opts o = { .output = path };
	struct injector *in;

	snprintf(path, sizeof(path), "%s", temp_path(dir, "out"));
	assert_true(itrace_parse(&o.itrace, letters, msg, sizeof(msg)));
	in = injector_open(ss, &o);
	assert_non_null(in);
	assert_int_equal(injector_run(in), 0);
	injector_close(in);
	session_close(ss);
	return output(n);
}

static char *listed(const struct recording *r, unsigned int jobs, const char *letters, const char *fields, size_t kept, size_t *n)
{
	struct session *ss = opened(r, jobs);
	char path[128], msg[400];
	struct listing_opts o = { .output = path, .fields = LISTING_DEFAULT, .kept_lines = kept };
	struct listing *l;

	snprintf(path, sizeof(path), "%s", temp_path(dir, "out"));
	assert_true(itrace_parse(&o.itrace, letters, msg, sizeof(msg)));
	assert_true(listing_fields(&o.fields, fields, msg, sizeof(msg)));
	l = listing_open(ss, &o);
	assert_non_null(l);
	assert_int_equal(listing_run(l), 0);
	listing_close(l);
	session_close(ss);
	return output(n);
}

static void samples(void **state)
{
	static const char *const letters[] = { "i1i", "i3il4e", "be", "i5ig4", "i1is9", "i7nsl4" };
	size_t i, k, n, m;
	char *want, *have;
	unsigned int jobs;

	(void)state;
	for (i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++)
		for (k = 0; k < sizeof(letters) / sizeof(letters[0]); k++) {
			want = injected(&recordings[i], 1, letters[k], &n);
			assert_true(n > 1000);
			for (jobs = 2; jobs <= JOBS; jobs++) {
				have = injected(&recordings[i], jobs, letters[k], &m);
				assert_int_equal(n, m);
				assert_memory_equal(want, have, n);
				free(have);
			}
			free(want);
		}
}

static void lines(void **state)
{
	static const struct {
		const char *letters, *fields;
		unsigned int least;	/* lines for each fragment */
		const char *part;	/* that all of these have; NULL: not looked at */
	} row[] = {
		{ "be", "+period", SB_ATOMS / 2, NULL }, { "be", "ip,addr", SB_ATOMS / 2, NULL },
		{ "be", "time,tid,cpu,ip,insn,flags", SB_ATOMS / 2, " insn: " }, { "cr", "-ip,-addr,+callindent", SB_ATOMS / 3, NULL },
		{ "i1ie", "+insnlen", SB_ATOMS, " ilen: 4" }, { "i3il4", "+brstack", SB_ATOMS / 3, "/P/-/-/" },
		{ "i5ig4", "comm,ip,sym", SB_ATOMS / 5, NULL },
		/* what is looked up for each branch */
		{ "be", "ip,insnlen", SB_ATOMS / 2, " ilen: 4" }, { "be", "ip,srcline", SB_ATOMS / 2, "\n  calls.bin[" },
		{ "be", "ip,disasm", SB_ATOMS / 2, "\t\t" }, { "be", "ip,callindent", SB_ATOMS / 2, "  " },
	};
	size_t i, k, n, m;
	char *want, *have, *p;
	unsigned int jobs, nr;

	(void)state;
	for (i = 0; i < sizeof(recordings) / sizeof(recordings[0]); i++)
		for (k = 0; k < sizeof(row) / sizeof(row[0]); k++) {
			want = listed(&recordings[i], 1, row[k].letters, row[k].fields, 0, &n);
			for (nr = 0, p = want; (p = strchr(p, '\n')); p++)
				nr++;
			assert_true(nr >= (FRAGMENTS - 1) * recordings[i].cpus * row[k].least);
			for (nr = 0, p = want; row[k].part && (p = strstr(p, row[k].part)); p++)
				nr++;
			if (row[k].part && nr < (FRAGMENTS - 1) * recordings[i].cpus * row[k].least)
				fail_msg("fields %s: '%s' is there %u times: %.300s", row[k].fields, row[k].part, nr, want);
			for (jobs = 2; jobs <= JOBS; jobs++) {
				have = listed(&recordings[i], jobs, row[k].letters, row[k].fields, 0, &m);
				assert_string_equal(want, have);
				free(have);
			}
			free(want);
		}
}

/* Lines of pieces that may keep all of them, those of a page, or none, in which case the calling thread decodes. */
static void kept_lines(void **state)
{
	static const struct recording r[] = {
		{ 1, { { 5000, 6000, 7000, 8000, 9000, 10000 } }, FRAGMENTS, false, 10000, 0 },
		{ 1, { { 5000, 9000, 7000, 8000, 12000, 6000 } }, 2, false, 5000, 0 },
	};
	static const char *const fields[] = { "pid,tid,cpu,time,ip,addr,flags",
					      "comm,tid,time,event,ip,sym,symoff,dso,addr" };
	static const size_t kept[] = { 1, 50000, 0 };
	char *want, *have;
	unsigned int jobs;
	size_t i, f, k, n, m;

	(void)state;
	for (i = 0; i < sizeof(r) / sizeof(r[0]); i++)
		for (f = 0; f < 2; f++) {
			want = listed(&r[i], 1, "be", fields[f], 0, &n);
			assert_true(n > (FRAGMENTS - 1) * r[i].more * 60u);
			for (k = 0; k < sizeof(kept) / sizeof(kept[0]); k++)
				for (jobs = 2; jobs <= 8; jobs++) {
					have = listed(&r[i], jobs, "be", fields[f], kept[k], &m);
					assert_int_equal(n, m);
					assert_memory_equal(want, have, n);
					free(have);
				}
			free(want);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples),
		cmocka_unit_test(lines),
		cmocka_unit_test(kept_lines),
	};

	return cmocka_run_group_tests_name("pieces of a session", tests, make_files, remove_dir);
}
