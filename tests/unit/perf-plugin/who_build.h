/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_WHO_BUILD_H
#define TESTS_WHO_BUILD_H

/*
 * Recordings in memory that tell whose code a trace is. Two programs are mapped at one address in two processes: in
 * the first a loop has two instructions, in the second three, so that the length of a range tells whose code it was
 * read from. One tick is one nanosecond.
 */
#include <stdlib.h>
#include <string.h>

#include "perfdata/reader.h"
#include "session/decode/decode.h"
#include "session/internal.h"
#include "session_build.h"
#include "tracing_data.h"
#include "unit/temp_dir.h"

#define CID	0x40u
#define VMID	0x80u
#define TS	0x800u
#define VMIDOPT	0x8000u
#define IDR2(cid, vmid)	(8u | (cid) << 5 | (vmid) << 10)

#define LOOP	"\xf7\xf7\xf7\xf7"	/* four times E */
#define NR_LOOP	4

TEMP_DIR("who")

static inline int make_files(void **state)
{
	static const uint32_t two[] = { 0xd503201f, 0x17ffffff };		/* nop; b .-4 */
	static const uint32_t three[] = { 0xd503201f, 0xd503201f, 0x17fffffe };	/* nop; nop; b .-8 */

	if (make_dir(state))
		return -1;
	temp_write(dir, "two.bin", two, sizeof(two));
	temp_write(dir, "three.bin", three, sizeof(three));
	return 0;
}

/* ---- trace ----------------------------------------------------------------------------------------- */

static inline void t_sync(struct pdb *b)
{
	pdb_bytes(b, "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0", 14);
}

static inline void t_on(struct pdb *b)
{
	pdb_bytes(b, "\x04", 1);
}

/* All bits, so that it does not depend on the one before. */
static inline void t_time(struct pdb *b, uint64_t ts)
{
	uint8_t p[10] = { 0x02 };
	unsigned int i;

	for (i = 1; i < 9; i++, ts >>= 7)
		p[i] = (ts & 0x7f) | 0x80;
	p[9] = ts;
	pdb_bytes(b, p, 10);
}

/* Context, with `cid_bytes` of a context ID and `vmid_bytes` of a VMID, then the address of the loop. */
static inline void t_context(struct pdb *b, unsigned int el, uint32_t cid, unsigned int cid_bytes, uint32_t vmid,
		      unsigned int vmid_bytes)
{
	uint8_t info = 0x30 | el | (cid_bytes ? 0x80 : 0) | (vmid_bytes ? 0x40 : 0);
	uint8_t to[] = { 0x9d, SB_BASE >> 2 & 0x7f, SB_BASE >> 9 & 0x7f, SB_BASE >> 16 & 0xff, 0, 0, 0, 0, 0 };

	pdb_bytes(b, "\x81", 1);
	pdb_bytes(b, &info, 1);
	pdb_bytes(b, &vmid, vmid_bytes);
	pdb_bytes(b, &cid, cid_bytes);
	pdb_bytes(b, to, sizeof(to));
}

static inline void t_run(struct pdb *b)
{
	pdb_bytes(b, LOOP, NR_LOOP);
}

/* A stretch without a context ID: begun, perhaps dated, and left by an interrupt at its loop. */
static inline void t_stretch(struct pdb *b, uint64_t ts)
{
	uint8_t irq[] = { 0x06, 0x1d, 0x95, 0x00 };

	t_on(b);
	if (ts)
		t_time(b, ts);
	t_context(b, 0, 0, 0, 0, 0);
	t_run(b);
	irq[2] = 0x9d;
	pdb_bytes(b, irq, 3);
	pdb_bytes(b, (uint8_t[]){ SB_BASE >> 2 & 0x7f, SB_BASE >> 9 & 0x7f, SB_BASE >> 16 & 0xff, 0, 0, 0, 0, 0 }, 8);
}

/* ---- records --------------------------------------------------------------------------------------- */

static inline struct pdb_sid at_time(uint64_t time, uint32_t tid, uint32_t cpu)
{
	struct pdb_sid s = { .pid = tid, .tid = tid, .time = time, .id = 50, .cpu = cpu };

	return s;
}

/* Trace units of CPUs 2 and 3, IDs 0x14 and 0x16; timestamps are of the virtual counter. */
static inline void r_units(struct pdb *b, uint64_t configr, uint64_t idr2)
{
	uint64_t w[] = { 1, 8ull << 32 | 2, 0,
			 0x4040404040404040ull, 2, 8, configr, 0x14, 0x28000ea1, 0x4100f423, idr2, 0, 0xcc, 1,
			 0x4040404040404040ull, 3, 8, configr, 0x16, 0x28000ea1, 0x4100f423, idr2, 0, 0xcc, 1 };
	size_t at = pdb_begin(b, 70, 0), i;

	pdb_u32(b, 3);
	pdb_u32(b, 0);
	for (i = 0; i < sizeof(w) / sizeof(w[0]); i++)
		pdb_u64(b, w[i]);
	pdb_end(b, at);
}

static inline void r_info(struct pdb *b, uint64_t configr, uint64_t idr2)
{
	size_t at;

	r_units(b, configr, idr2);
	at = pdb_begin(b, 79, 0);	/* TIME_CONV: ticks are nanoseconds */
	pdb_u64(b, 0);
	pdb_u64(b, 1);
	pdb_u64(b, 0);
	pdb_end(b, at);
}

static inline void r_process(struct pdb *b, uint32_t pid, const char *comm, const char *file)
{
	struct pdb_sid s = at_time(10, pid, 2);

	pdb_comm(b, pid, pid, comm, SB_ST, &s);
	pdb_mmap2(b, pid, SB_BASE, 0x1000, 0, file, SB_ST, &s);
}

static inline void r_thread(struct pdb *b, uint32_t pid, uint32_t tid)
{
	sb_fork(b, pid, pid, tid, 10);
}

static inline void r_switch(struct pdb *b, uint64_t time, uint32_t cpu, uint32_t to, uint32_t from)
{
	struct pdb_sid s = at_time(time, to, cpu);
	size_t at = pdb_begin(b, 15, 0);	/* SWITCH_CPU_WIDE, in */

	pdb_u32(b, from);
	pdb_u32(b, from);
	pdb_sid_put(b, SB_ST, &s);
	pdb_end(b, at);
}

static inline void r_asid(struct pdb *b, uint64_t time, uint32_t asid, uint32_t pid, uint32_t state)
{
	struct pdb_sid s = at_time(time, 0, 0);
	size_t at = pdb_begin(b, PD_RECORD_CST_ASID, 0);

	pdb_u32(b, pid);
	pdb_u32(b, asid);
	pdb_u32(b, state);
	pdb_u32(b, 0);
	pdb_sid_put(b, SB_ST, &s);
	pdb_end(b, at);
}

static inline void r_define(struct pdb *b, uint64_t time, uint32_t cpu, uint8_t id, uint64_t configr, uint64_t idr2)
{
	static const uint32_t reg[] = { AUX_REG_TRCCONFIGR, AUX_REG_TRCTRACEIDR, AUX_REG_TRCIDR0, AUX_REG_TRCIDR1,
					AUX_REG_TRCIDR2 };
	const uint64_t value[] = { configr, id, 0x28000ea1, 0x4100f423, idr2 };
	const uint8_t bytes[] = { id, PD_CST_START, AUX_ETMV4, 0 };
	struct pdb_sid s = at_time(time, (uint32_t)time - 10, cpu);	/* those of time 10 are of thread 0 */
	size_t at = pdb_begin(b, PD_RECORD_CST_DEFINE_TRACE, 0), i;

	pdb_u32(b, cpu);
	pdb_bytes(b, bytes, 4);
	pdb_u32(b, 5);
	pdb_u32(b, 0);
	for (i = 0; i < 5; i++) {
		pdb_u32(b, reg[i]);
		pdb_u32(b, 0);
		pdb_u64(b, value[i]);
	}
	pdb_sid_put(b, SB_ST, &s);
	pdb_end(b, at);
}

/* `sink` 0: the record does not say into which sink the unit writes (version 0.0). */
static inline void r_hw_id(struct pdb *b, uint64_t time, uint32_t cpu, uint32_t tid, uint8_t id, uint64_t sink)
{
	struct pdb_sid s = at_time(time, tid, cpu);
	size_t at = pdb_begin(b, 21, 0);

	pdb_u64(b, id | sink << 8 | (sink ? 1ull << 56 : 0));
	pdb_sid_put(b, SB_ST, &s);
	pdb_end(b, at);
}

/* ---- decoding -------------------------------------------------------------------------------------- */

struct part {
	int pid, tid, cpu;
	unsigned int n_insn;	/* of each range: 2 is the first program, 3 the second */
	unsigned int ranges;
};

struct result {
	struct part part[16];	/* ranges that are alike in a row */
	unsigned int nr, nacc;
};

static inline int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct result *r = data;
	struct part *p;
	size_t i;

	for (i = 0; i < n; i++) {
		r->nacc += g[i].kind == CST_GEN_NACC;
		if (g[i].kind != CST_GEN_RANGE)
			continue;
		p = r->nr ? &r->part[r->nr - 1] : NULL;
		if (!p || p->pid != s->pid || p->tid != s->tid || p->cpu != s->cpu || p->n_insn != g[i].n_insn) {
			assert_in_range(r->nr, 0, 15);
			p = &r->part[r->nr++];
			*p = (struct part){ s->pid, s->tid, s->cpu, g[i].n_insn, 0 };
		}
		p->ranges++;
	}
	return 0;
}

static const struct pdb_attr attrs[] = {
	{ .type = 8, .size = 128, .sample_type = SB_ST, .sample_id_all = true, .ids = { 50 }, .nr_ids = 1 },
	{ .type = 2, .size = 128, .sample_type = SB_ST | PERF_SAMPLE_RAW, .sample_id_all = true, .ids = { 51 },
	  .nr_ids = 1, .config = TD_SWITCH_ID },
};

/* Not 0: the session keeps as few events as it can. */
static size_t narrow;
/* Not 0: the buffer is that of this thread, and not of a CPU. */
static uint32_t buffer_of_thread;
/* Which part of the recording is decoded. */
static struct filter_opts wanted;

/* Fills the last frame: with events, where it would have zeroes. */
static inline void whole_frames(struct pdb *trace)
{
	while (trace->len % 14)
		pdb_bytes(trace, "\x71", 1);
}

static inline struct session *decode_as(struct pdb *data, struct pdb *trace, uint32_t cpu, uint8_t frames_id,
				 enum contextid_format format, const struct pdb *formats, struct result *r)
{
	struct session_opts so = { .symfs = dir, .contextid = format, .keep_events = narrow,
				   .filter = wanted };
	struct consumer con = { .data = r, .batch = on_batch };
	struct pdb_feature tracing;
	struct pdb_sid s = at_time(5000, buffer_of_thread ? buffer_of_thread : 1, cpu);
	uint32_t tid = buffer_of_thread ? buffer_of_thread : (uint32_t)-1;
	struct pdb framed = { 0 };
	static struct pdb file;
	struct perfdata *pd;
	struct error err;
	struct session *ss;
	struct result first;
	int run;

	if (buffer_of_thread)
		cpu = (uint32_t)-1;
	if (frames_id) {
		whole_frames(trace);
		sb_frames(&framed, trace, frames_id);
		pdb_aux(data, 0, framed.len, 0, SB_ST, &s);
		pdb_auxtrace(data, 0, framed.p, framed.len, cpu, tid);
	} else {
		pdb_aux(data, 0, trace->len, 0x100, SB_ST, &s);
		pdb_auxtrace(data, 0, trace->p, trace->len, cpu, tid);
	}
	pdb_free(&file);
	memset(&file, 0, sizeof(file));
	if (formats)
		tracing = (struct pdb_feature){ PD_FEAT_TRACING_DATA, formats };
	pdb_file(&file, attrs, 2, 0, data, &tracing, formats ? 1 : 0);
	pdb_free(data);
	pdb_free(trace);
	pdb_free(&framed);
	pd = perfdata_open_memory(file.p, file.len, "test", &err);
	assert_non_null(pd);
	ss = session_open_perfdata(&so, pd);
	assert_non_null(ss);
	if (narrow)
		ss->tasks.threads.ahead = 1;
	/* a second run does not know what the first one has learned of the context IDs */
	for (run = 0; run < 2; run++) {
		memset(r, 0, sizeof(*r));
		assert_int_equal(session_run(ss, &con), 0);
		if (!run)
			first = *r;
	}
	assert_memory_equal(r, &first, sizeof(first));
	return ss;
}

static inline struct session *decode(struct pdb *data, struct pdb *trace, struct result *r)
{
	return decode_as(data, trace, 2, 0, CONTEXTID_AUTO, NULL, r);
}

static inline void check_part(const struct result *r, unsigned int i, int pid, int tid, unsigned int n_insn,
		       unsigned int ranges)
{
	assert_true(i < r->nr);
	assert_int_equal(r->part[i].pid, pid);
	assert_int_equal(r->part[i].tid, tid);
	assert_int_equal(r->part[i].n_insn, n_insn);
	assert_int_equal(r->part[i].ranges, ranges);
}

static inline void two_processes(struct pdb *data, uint64_t configr, uint64_t idr2)
{
	r_info(data, configr, idr2);
	r_process(data, 1000, "two", "/two.bin");
	r_process(data, 2000, "three", "/three.bin");
}

static inline void asid_stretch(struct pdb *trace, uint64_t ts, uint32_t asid)
{
	t_on(trace);
	if (ts)
		t_time(trace, ts);
	t_context(trace, 0, asid, 4, 0, 0);
	t_run(trace);
}

#endif
