/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recordings in which code is replaced while three threads are traced into buffers of their own: each
 * fragment is decoded with the code of its time, whether history is kept or read again, from a file, a pipe
 * or compressed records. And the records that only packages carry.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "parts.h"
#include "session/decode/decode.h"
#include "session/internal.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/temp_dir.h"

#define THREADS 3u
#define ROUNDS 40u

TEMP_DIR("window")

/* Loops of 2, 3 and 4 instructions: nops, and a branch back. */
static const uint32_t loop[3][4] = {
	{ 0xd503201f, 0x17ffffff },
	{ 0xd503201f, 0xd503201f, 0x17fffffe },
	{ 0xd503201f, 0xd503201f, 0xd503201f, 0x17fffffd },
};

static int make_files(void **state)
{
	char name[16];
	unsigned int i;

	if (make_dir(state))
		return -1;
	for (i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "loop%u", i + 2);
		temp_write(dir, name, loop[i], 4 * (i + 2));
	}
	return 0;
}

struct result {
	unsigned int fragments, nacc;
	unsigned int tid[THREADS * ROUNDS], insns[THREADS * ROUNDS];
	int pid;
};

static int on_begin(void *data, const struct fragment_event *e)
{
	const struct session_fragment *f = e->fragment;
	struct result *r = data;

	if (e->ended)
		return 0;
	assert_in_range(r->fragments, 0, THREADS * ROUNDS - 1);
	r->tid[r->fragments++] = (unsigned int)f->tid;
	return 0;
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct result *r = data;
	size_t i;

	for (i = 0; i < n; i++) {
		r->nacc += g[i].kind == CST_GEN_NACC;
		if (g[i].kind != CST_GEN_RANGE)
			continue;
		r->insns[r->fragments - 1] += g[i].n_insn;
		r->pid = s->pid;
	}
	return 0;
}

static struct session *open_session(struct perfdata *pd, size_t keep)
{
	struct session_opts so = { .symfs = dir, .keep_events = keep };
	struct session *ss;

	assert_non_null(pd);
	ss = session_open_perfdata(&so, pd);
	assert_non_null(ss);
	if (keep)
		ss->tasks.threads.ahead = 1;
	return ss;
}

static void run(struct session *ss, struct result *r)
{
	struct consumer con = { .data = r, .batch = on_batch, .fragment = on_begin };

	memset(r, 0, sizeof(*r));
	assert_int_equal(session_run(ss, &con), 0);
}

static void put_sid(struct pdb *b, size_t at, uint64_t time)
{
	struct pdb_sid s = sb_sid(time);

	pdb_sid_put(b, SB_ST, &s);
	pdb_end(b, at);
}

static void put_map(struct pdb *b, unsigned int insns, uint64_t time)
{
	struct pdb_sid s = sb_sid(time);
	char name[16];

	snprintf(name, sizeof(name), "/loop%u", insns);
	pdb_mmap2(b, SB_PID, SB_BASE, 0x1000, 0, name, SB_ST, &s);
}

static unsigned int insns_of_round(unsigned int round)
{
	return 2 + round * 7 / 3 % 3;
}

/* Maps, then one fragment of each thread, round by round; the data comes at the end. */
static void make_recording(struct pdb *records, struct pdb *chunks)
{
	struct pdb trace[THREADS] = { { 0 } };
	unsigned int round, t;
	struct pdb_sid s;

	pdb_comm(records, SB_PID, SB_PID, "loop", SB_ST, &(struct pdb_sid){ .pid = SB_PID, .tid = SB_PID, .time = 900,
									      .id = 50, .cpu = 2 });
	for (t = 0; t < THREADS; t++)
		sb_fork(records, SB_PID, SB_PID, SB_TID + t, 1000);
	for (round = 0; round < ROUNDS; round++) {
		put_map(records, insns_of_round(round), 2000 + round * 1000);
		for (t = 0; t < THREADS; t++) {
			size_t before = trace[t].len;

			sb_trace(&trace[t], SB_TID + t);
			s = sb_sid(2500 + round * 1000 + t);
			s.tid = SB_TID + t;
			pdb_aux(records, before, trace[t].len - before, 0x100, SB_ST, &s);
		}
	}
	for (t = 0; t < THREADS; t++) {
		pdb_auxtrace(chunks, 0, trace[t].p, trace[t].len, (uint32_t)-1, SB_TID + t);
		pdb_free(&trace[t]);
	}
}

static void check_recording(const struct result *r)
{
	unsigned int i;

	assert_int_equal(r->fragments, THREADS * ROUNDS);
	assert_int_equal(r->nacc, 0);
	assert_int_equal(r->pid, SB_PID);
	for (i = 0; i < THREADS * ROUNDS; i++) {
		assert_int_equal(r->tid[i], SB_TID + i / ROUNDS);
		assert_int_equal(r->insns[i], SB_ATOMS * insns_of_round(i % ROUNDS));
	}
}

static void check_all(struct perfdata *(*open_it)(const struct pdb *file), const struct pdb *file)
{
	struct session *ss;
	struct result r;
	size_t keep;

	for (keep = 0; keep < 2; keep++) {
		ss = open_session(open_it(file), keep);
		assert_int_equal(ss->tasks.threads.keep, !keep);
		run(ss, &r);
		check_recording(&r);
		assert_int_equal(ss->tasks.threads.restarts, keep ? THREADS - 1 : 0);
		/* A second run begins again. */
		run(ss, &r);
		check_recording(&r);
		assert_false(session_has_losses(ss));
		session_close(ss);
	}
}

static struct perfdata *open_memory(const struct pdb *file)
{
	struct error err;

	return perfdata_open_memory(file->p, file->len, "test", &err);
}

/* As if it came through a pipe. */
static struct perfdata *open_pipe(const struct pdb *file)
{
	struct perfdata *pd;
	struct error err;
	int fds[2], saved = dup(0);
	pid_t child;

	assert_true(saved >= 0);
	assert_int_equal(pipe(fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		size_t done = 0;
		ssize_t n;

		close(fds[0]);
		while (done < file->len && (n = write(fds[1], file->p + done, file->len - done)) > 0)
			done += (size_t)n;
		_exit(0);
	}
	close(fds[1]);
	assert_int_equal(dup2(fds[0], 0), 0);
	close(fds[0]);
	pd = perfdata_open("-", &err);
	/* all of it, so that standard input can be given back */
	if (pd) {
		struct pd_record rec;

		while (perfdata_next(pd, &rec))
			;
		perfdata_rewind(pd);
	}
	assert_int_equal(dup2(saved, 0), 0);
	close(saved);
	return pd;
}

static void threads_through_a_pipe(void **state)
{
	struct pdb data = { 0 };

	(void)state;
	pdb_pipe_header(&data);
	pdb_attr_record(&data, &sb_attr);
	sb_aux_info(&data, 1, SB_CONFIGR, 0x14);
	make_recording(&data, &data);
	check_all(open_pipe, &data);
	pdb_free(&data);
}

static void threads_in_compressed_records(void **state)
{
	struct pdb data = { 0 }, raw = { 0 }, file = { 0 }, chunks = { 0 };

	(void)state;
	NEEDS(ZSTD);
	sb_aux_info(&data, 1, SB_CONFIGR, 0x14);
	make_recording(&raw, &chunks);
	pdb_compressed(&data, &raw, 700, false);
	pdb_bytes(&data, chunks.p, chunks.len);
	pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
	check_all(open_memory, &file);
	pdb_free(&data);
	pdb_free(&raw);
	pdb_free(&chunks);
	pdb_free(&file);
}

/* A record of a package about `size` bytes of the process at an address; of code with `len` bytes. */
static void put_change(struct pdb *b, uint32_t type, uint64_t time, uint64_t addr, uint64_t size, const void *code, size_t len)
{
	size_t at = pdb_begin(b, type, 0);

	pdb_u32(b, SB_PID);
	pdb_u32(b, SB_PID);
	pdb_u64(b, addr);
	pdb_u64(b, size);
	pdb_bytes(b, code, len);
	put_sid(b, at, time);
}

/* Code that a package brings along, and a range that it says is gone. */
static void records_of_packages(void **state)
{
	struct pdb data = { 0 }, file = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;
	size_t keep, one;
	unsigned int i;

	(void)state;
	sb_side_band(&data, "/loop2");
	/* of no bytes, or beyond the last address: they change nothing */
	put_change(&data, PD_RECORD_CST_CODE, 2000, SB_BASE, 0, "", 0);
	put_change(&data, PD_RECORD_CST_CODE, 2000, UINT64_MAX - 2, 8, loop[2], 8);
	put_change(&data, PD_RECORD_CST_UNMAP, 2000, SB_BASE, 0, "", 0);
	put_change(&data, PD_RECORD_CST_UNMAP, 2000, SB_BASE, UINT64_MAX, "", 0);
	for (i = 0; i < 3; i++) {
		one = trace.len;
		sb_trace(&trace, SB_TID);
		sb_aux(&data, one, trace.len - one, 0x100, 3000 + i * 1000);
		if (!i)
			put_change(&data, PD_RECORD_CST_CODE, 3500, SB_BASE, sizeof(loop[2]), loop[2], sizeof(loop[2]));
		else
			put_change(&data, PD_RECORD_CST_UNMAP, 3500 + i * 1000, SB_BASE, 0x1000, "", 0);
	}
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
	for (keep = 0; keep < 2; keep++) {
		ss = open_session(open_memory(&file), keep);
		run(ss, &r);
		assert_int_equal(r.fragments, 3);
		assert_int_equal(r.insns[0], 2 * SB_ATOMS);
		assert_int_equal(r.insns[1], 4 * SB_ATOMS);
		assert_int_equal(r.insns[2], 0);
		assert_int_equal(r.nacc, 1);
		session_close(ss);
	}
	pdb_free(&data);
	pdb_free(&trace);
	pdb_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_through_a_pipe),
		cmocka_unit_test(threads_in_compressed_records),
		cmocka_unit_test(records_of_packages),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
