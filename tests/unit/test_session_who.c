/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whose code a trace is, in recordings put together in memory. Two programs are mapped at one address in two
 * processes: in the first a loop has two instructions, in the second three, so that the length of a range
 * tells whose code it was read from. One tick is one nanosecond.
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

#include "perfdata/reader.h"
#include "session/internal.h"
#include "session_build.h"
#include "tracing_data.h"

#define CID	0x40u
#define VMID	0x80u
#define TS	0x800u
#define VMIDOPT	0x8000u
#define IDR2(cid, vmid)	(8u | (cid) << 5 | (vmid) << 10)

#define LOOP	"\xf7\xf7\xf7\xf7"	/* four times E */
#define NR_LOOP	4

static char symfs[] = "/tmp/cstrace-who-XXXXXX";

static void write_code(const char *name, const uint32_t *code, size_t size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", symfs, name);
	f = fopen(path, "wb");
	assert_non_null(f);
	fwrite(code, size, 1, f);
	fclose(f);
}

static int make_files(void **state)
{
	static const uint32_t two[] = { 0xd503201f, 0x17ffffff };
	static const uint32_t three[] = { 0xd503201f, 0xd503201f, 0x17fffffe };

	(void)state;
	if (!mkdtemp(symfs))
		return -1;
	write_code("two.bin", two, sizeof(two));
	write_code("three.bin", three, sizeof(three));
	return 0;
}

static int remove_files(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/two.bin", symfs);
	unlink(path);
	snprintf(path, sizeof(path), "%s/three.bin", symfs);
	unlink(path);
	return rmdir(symfs);
}

/* ---- trace ----------------------------------------------------------------------------------------- */

static void t_sync(struct pdb *b)
{
	pdb_bytes(b, "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0", 14);
}

static void t_on(struct pdb *b)
{
	pdb_bytes(b, "\x04", 1);
}

/* All bits, so that it does not depend on the one before. */
static void t_time(struct pdb *b, uint64_t ts)
{
	uint8_t p[10] = { 0x02 };
	unsigned int i;

	for (i = 1; i < 9; i++, ts >>= 7)
		p[i] = (ts & 0x7f) | 0x80;
	p[9] = ts;
	pdb_bytes(b, p, 10);
}

/* Context, with `cid_bytes` of a context ID and `vmid_bytes` of a VMID, then the address of the loop. */
static void t_context(struct pdb *b, unsigned int el, uint32_t cid, unsigned int cid_bytes, uint32_t vmid,
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

static void t_run(struct pdb *b)
{
	pdb_bytes(b, LOOP, NR_LOOP);
}

/* A stretch without a context ID: begun, perhaps dated, and left by an interrupt at its loop. */
static void t_stretch(struct pdb *b, uint64_t ts)
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

static struct pdb_sid at_time(uint64_t time, uint32_t tid, uint32_t cpu)
{
	struct pdb_sid s = { .pid = tid, .tid = tid, .time = time, .id = 50, .cpu = cpu };

	return s;
}

/* Trace units of CPUs 2 and 3, IDs 0x14 and 0x16; timestamps are of the virtual counter. */
static void r_info(struct pdb *b, uint64_t configr, uint64_t idr2)
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
	at = pdb_begin(b, 79, 0);	/* TIME_CONV: ticks are nanoseconds */
	pdb_u64(b, 0);
	pdb_u64(b, 1);
	pdb_u64(b, 0);
	pdb_end(b, at);
}

static void r_process(struct pdb *b, uint32_t pid, const char *comm, const char *file)
{
	struct pdb_sid s = at_time(10, pid, 2);

	pdb_comm(b, pid, pid, comm, SB_ST, &s);
	pdb_mmap2(b, pid, SB_BASE, 0x1000, 0, file, SB_ST, &s);
}

static void r_thread(struct pdb *b, uint32_t pid, uint32_t tid)
{
	sb_fork(b, pid, pid, tid, 10);
}

static void r_switch(struct pdb *b, uint64_t time, uint32_t cpu, uint32_t to, uint32_t from)
{
	struct pdb_sid s = at_time(time, to, cpu);
	size_t at = pdb_begin(b, 15, 0);	/* SWITCH_CPU_WIDE, in */

	pdb_u32(b, from);
	pdb_u32(b, from);
	pdb_sid_put(b, SB_ST, &s);
	pdb_end(b, at);
}

static void r_asid(struct pdb *b, uint64_t time, uint32_t asid, uint32_t pid, uint32_t state)
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

static void r_define(struct pdb *b, uint64_t time, uint32_t cpu, uint8_t id, uint64_t configr, uint64_t idr2)
{
	static const uint32_t reg[] = { AUX_REG_TRCCONFIGR, AUX_REG_TRCTRACEIDR, AUX_REG_TRCIDR0, AUX_REG_TRCIDR1,
					AUX_REG_TRCIDR2 };
	const uint64_t value[] = { configr, id, 0x28000ea1, 0x4100f423, idr2 };
	const uint8_t bytes[] = { id, PD_CST_START, AUX_ETMV4, 0 };
	struct pdb_sid s = at_time(time, 0, cpu);
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
static void r_hw_id(struct pdb *b, uint64_t time, uint32_t cpu, uint32_t tid, uint8_t id, uint64_t sink)
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

static int on_batch(void *data, struct stream *s, const struct cst_generic *g, size_t n)
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

static struct session *decode_as(struct pdb *data, struct pdb *trace, uint32_t cpu, uint8_t frames_id,
				 enum contextid_format format, const struct pdb *formats, struct result *r)
{
	struct session_opts so = { .symfs = symfs, .contextid = format, .keep_events = narrow };
	struct session_consumer con = { .data = r, .batch = on_batch };
	const struct pdb_feature feature = { PD_FEAT_TRACING_DATA, formats };
	struct pdb_sid s = at_time(5000, buffer_of_thread ? buffer_of_thread : 1, cpu);
	uint32_t tid = buffer_of_thread ? buffer_of_thread : (uint32_t)-1;
	struct pdb framed = { 0 };
	static struct pdb file;
	struct perfdata *pd;
	struct pd_error err;
	struct session *ss;

	if (buffer_of_thread)
		cpu = (uint32_t)-1;
	if (frames_id) {
		while (trace->len % 14)
			pdb_bytes(trace, "\x71", 1);	/* events, where frames would have zeroes */
		sb_frames(&framed, trace, frames_id);
		pdb_aux(data, 0, framed.len, 0, SB_ST, &s);
		pdb_auxtrace(data, 0, framed.p, framed.len, cpu, tid);
	} else {
		pdb_aux(data, 0, trace->len, 0x100, SB_ST, &s);
		pdb_auxtrace(data, 0, trace->p, trace->len, cpu, tid);
	}
	pdb_free(&file);
	memset(&file, 0, sizeof(file));
	pdb_file(&file, attrs, 2, 0, data, formats ? &feature : NULL, formats ? 1 : 0);
	pdb_free(data);
	pdb_free(trace);
	pdb_free(&framed);
	pd = perfdata_open_memory(file.p, file.len, "test", &err);
	assert_non_null(pd);
	ss = session_open_perfdata(&so, pd);
	assert_non_null(ss);
	if (narrow)
		ss->threads.ahead = 1;
	memset(r, 0, sizeof(*r));
	assert_int_equal(session_run(ss, &con), 0);
	return ss;
}

static struct session *decode(struct pdb *data, struct pdb *trace, struct result *r)
{
	return decode_as(data, trace, 2, 0, CONTEXTID_AUTO, NULL, r);
}

static void check_part(const struct result *r, unsigned int i, int pid, int tid, unsigned int n_insn,
		       unsigned int ranges)
{
	assert_true(i < r->nr);
	assert_int_equal(r->part[i].pid, pid);
	assert_int_equal(r->part[i].tid, tid);
	assert_int_equal(r->part[i].n_insn, n_insn);
	assert_int_equal(r->part[i].ranges, ranges);
}

/* ---- context IDs of which little is traced --------------------------------------------------------- */

static void low_bits_that_one_thread_has(void **state)
{
	static const unsigned int bytes[] = { 1, 2, 4 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct pdb data = { 0 }, trace = { 0 };
		struct session *ss;
		struct result r;

		r_info(&data, CID, IDR2(bytes[i], 0));
		r_process(&data, 0x10064, "two", "/two.bin");
		r_process(&data, 0x20065, "three", "/three.bin");
		r_thread(&data, 0x20065, 0x20077);
		t_sync(&trace);
		t_context(&trace, 0, 0x10064, bytes[i], 0, 0);
		t_run(&trace);
		t_context(&trace, 0, 0x20065, bytes[i], 0, 0);
		t_run(&trace);
		t_context(&trace, 0, 0x20077, bytes[i], 0, 0);
		t_run(&trace);
		ss = decode(&data, &trace, &r);
		assert_int_equal(r.nr, 3);
		check_part(&r, 0, 0x10064, 0x10064, 2, NR_LOOP);
		check_part(&r, 1, 0x20065, 0x20065, 3, NR_LOOP);
		check_part(&r, 2, 0x20065, 0x20077, 3, NR_LOOP);
		assert_false(session_has_losses(ss));
		session_close(ss);
	}
}

/* What maps a process has does not depend on when it got them. */
static void low_bits_of_a_process_that_was_mapped_long_ago(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;
	unsigned int i;
	struct pdb_sid s;

	(void)state;
	r_info(&data, CID | TS, IDR2(2, 0));
	r_process(&data, 0x10064, "two", "/two.bin");
	for (i = 0; i < 100; i++) {
		s = at_time(20 + i, 7, 2);
		pdb_comm(&data, 7, 7, i & 1 ? "odd" : "even", SB_ST, &s);
	}
	t_sync(&trace);
	t_on(&trace);
	t_time(&trace, 150);
	t_context(&trace, 0, 0x64, 2, 0, 0);
	t_run(&trace);
	narrow = 1;
	ss = decode(&data, &trace, &r);
	narrow = 0;
	assert_int_equal(r.nr, 1);
	check_part(&r, 0, 0x10064, 0x10064, 2, NR_LOOP);
	assert_false(session_has_losses(ss));
	session_close(ss);
}

static void low_bits_that_several_threads_have(void **state)
{
	struct session *ss;
	struct result r;
	int switches;

	(void)state;
	for (switches = 0; switches < 2; switches++) {
		struct pdb data = { 0 }, trace = { 0 };

		r_info(&data, CID | TS, IDR2(2, 0));
		r_process(&data, 0x10064, "two", "/two.bin");
		r_process(&data, 0x20064, "three", "/three.bin");
		if (switches) {
			r_switch(&data, 100, 2, 0x20064, 1);
			r_switch(&data, 200, 2, 0x10064, 0x20064);
		}
		t_sync(&trace);
		t_on(&trace);
		t_time(&trace, 150);
		t_context(&trace, 0, 0x64, 2, 0, 0);
		t_run(&trace);
		t_on(&trace);
		t_time(&trace, 250);
		t_context(&trace, 0, 0x65, 2, 0, 0);	/* nobody has these */
		t_run(&trace);
		t_on(&trace);
		t_time(&trace, 260);
		t_context(&trace, 0, 0x64, 2, 0, 0);
		t_run(&trace);
		ss = decode(&data, &trace, &r);
		if (switches) {
			assert_int_equal(r.nr, 2);
			check_part(&r, 0, 0x20064, 0x20064, 3, NR_LOOP);
			check_part(&r, 1, 0x10064, 0x10064, 2, NR_LOOP);
			assert_int_equal(ss->losses.cause[LOSS_SHORT_ID].count, 0);
		} else {
			assert_int_equal(r.nr, 0);
			assert_int_equal(ss->losses.cause[LOSS_SHORT_ID].count, 2);
		}
		assert_int_equal(ss->losses.cause[LOSS_NO_THREAD].count, 1);
		assert_true(session_has_losses(ss));
		session_close(ss);
	}
}

/* Which of a process's threads it was is not known, and whose code it was is. */
static void low_bits_within_one_process(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	r_info(&data, CID, IDR2(1, 0));
	r_process(&data, 0x10064, "two", "/two.bin");
	r_process(&data, 0x20065, "three", "/three.bin");
	r_thread(&data, 0x20065, 0x20165);
	t_sync(&trace);
	t_context(&trace, 0, 0x65, 1, 0, 0);
	t_run(&trace);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 1);
	check_part(&r, 0, 0x20065, -1, 3, NR_LOOP);
	session_close(ss);
}

/* AArch32 kernels write thread and ASID; of 16 bits the thread's lowest eight are left. */
static void thread_above_the_asid(void **state)
{
	static const unsigned int bytes[] = { 2, 4 };
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct pdb data = { 0 }, trace = { 0 };
		struct session *ss;
		struct result r;

		r_info(&data, CID, IDR2(bytes[i], 0));
		r_process(&data, 0x164, "two", "/two.bin");
		r_process(&data, 0x265, "three", "/three.bin");
		t_sync(&trace);
		t_context(&trace, 0, 0x16407, bytes[i], 0, 0);
		t_run(&trace);
		t_context(&trace, 0, 0x26507, bytes[i], 0, 0);
		t_run(&trace);
		ss = decode_as(&data, &trace, 2, 0, i ? CONTEXTID_AUTO : CONTEXTID_TID_ASID, NULL, &r);
		assert_int_equal(r.nr, 2);
		check_part(&r, 0, 0x164, 0x164, 2, NR_LOOP);
		check_part(&r, 1, 0x265, 0x265, 3, NR_LOOP);
		session_close(ss);
	}
}

/* ---- ASIDs ----------------------------------------------------------------------------------------- */

static void two_processes(struct pdb *data, uint64_t configr, uint64_t idr2)
{
	r_info(data, configr, idr2);
	r_process(data, 1000, "two", "/two.bin");
	r_process(data, 2000, "three", "/three.bin");
}

static void asid_stretch(struct pdb *trace, uint64_t ts, uint32_t asid)
{
	t_on(trace);
	if (ts)
		t_time(trace, ts);
	t_context(trace, 0, asid, 4, 0, 0);
	t_run(trace);
}

/* Where threads are traced, switches do not stand in for the first context ID of a fragment. */
static void before_the_first_id(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_switch(&data, 50, 2, 1000, 0);
	t_sync(&trace);
	t_stretch(&trace, 100);
	asid_stretch(&trace, 200, 2000);
	session_close(decode_as(&data, &trace, 2, 0, CONTEXTID_TID, NULL, &r));
	assert_int_equal(r.nr, 1);
	check_part(&r, 0, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(r.nacc, 1);
}

static void declared_asids(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_asid(&data, 20, 5, 1000, PD_CST_START);
	r_asid(&data, 300, 5, 2000, PD_CST_START);	/* records of several CPUs are not in order */
	r_asid(&data, 200, 5, 1000, PD_CST_END);
	r_asid(&data, 400, 6, 1000, PD_CST_CURRENT);	/* it is the first that is told of this one */
	r_asid(&data, 250, 8, 2000, PD_CST_START);	/* given up and taken at the same time */
	r_asid(&data, 250, 8, 1000, PD_CST_END);
	t_sync(&trace);
	asid_stretch(&trace, 100, 5);
	asid_stretch(&trace, 250, 5);	/* nobody's */
	asid_stretch(&trace, 350, 5);
	asid_stretch(&trace, 360, 6);
	asid_stretch(&trace, 370, 7);	/* never declared */
	asid_stretch(&trace, 380, 8);
	ss = decode_as(&data, &trace, 2, 0, CONTEXTID_ASID, NULL, &r);
	assert_int_equal(r.nr, 4);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	check_part(&r, 2, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 3, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(ss->losses.cause[LOSS_ASID].count, 2);
	session_close(ss);
}

/* The same without being told: a declared identifier is recognised. */
static void declared_asids_are_recognised(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID, IDR2(4, 0));
	r_asid(&data, 20, 5, 2000, PD_CST_CURRENT);
	t_sync(&trace);
	t_context(&trace, 0, 5, 4, 0, 0);
	t_run(&trace);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 1);
	check_part(&r, 0, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(ss->contextid.decided, CONTEXTID_ASID);
	session_close(ss);
}

/*
 * Learned where a timestamp shows who runs; used where several may have run; another owner after the
 * identifiers were handed out anew; unknown where nothing fits.
 */
static void learned_asids(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_switch(&data, 90, 2, 1000, 1);
	r_switch(&data, 190, 2, 2000, 1000);
	r_switch(&data, 240, 2, 1000, 2000);
	r_switch(&data, 260, 2, 2000, 1000);
	r_switch(&data, 390, 2, 1000, 2000);
	t_sync(&trace);
	asid_stretch(&trace, 100, 5);
	asid_stretch(&trace, 200, 6);
	/* between 200 and 300 both ran: the identifiers tell which is which */
	asid_stretch(&trace, 0, 5);
	asid_stretch(&trace, 0, 6);
	asid_stretch(&trace, 0, 7);	/* unknown */
	asid_stretch(&trace, 300, 6);
	asid_stretch(&trace, 400, 6);	/* now it is the other's */
	asid_stretch(&trace, 0, 6);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 5);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	check_part(&r, 2, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 3, 2000, 2000, 3, 2 * NR_LOOP);
	check_part(&r, 4, 1000, 1000, 2, 2 * NR_LOOP);
	assert_int_equal(ss->losses.cause[LOSS_ASID].count, 1);
	assert_int_equal(ss->asids.learned, 3);
	assert_int_equal(ss->asids.changed, 1);
	session_close(ss);
}

/* The thread of an AUX record ran when the record was written; that is no proof for what the record covers. */
static void nothing_to_learn_from(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	r_info(&data, CID | TS, IDR2(4, 0));
	r_process(&data, 1, "two", "/two.bin");		/* the thread that writes the AUX record */
	r_process(&data, 2000, "three", "/three.bin");
	t_sync(&trace);
	asid_stretch(&trace, 100, 5);
	asid_stretch(&trace, 200, 6);
	ss = decode_as(&data, &trace, 2, 0, CONTEXTID_ASID, NULL, &r);
	assert_int_equal(r.nr, 0);
	assert_int_equal(ss->losses.cause[LOSS_ASID].count, 2);
	assert_int_equal(ss->asids.learned, 0);
	session_close(ss);
}

/* ---- nothing in the trace -------------------------------------------------------------------------- */

static void r_sched_switch(struct pdb *b, uint64_t time, uint32_t cpu, uint32_t from, uint32_t to)
{
	struct pdb raw = { 0 };
	size_t at = pdb_begin(b, 9, 0);

	td_switch(&raw, from, to);
	pdb_u64(b, 51);		/* IDENTIFIER */
	pdb_u32(b, from);
	pdb_u32(b, from);
	pdb_u64(b, time);
	pdb_u32(b, cpu);
	pdb_u32(b, 0);
	pdb_u32(b, raw.len + 4);
	pdb_bytes(b, raw.p, raw.len);
	pdb_u32(b, 0);
	pdb_end(b, at);
	pdb_free(&raw);
}

static void by_switch_records_and_by_samples(void **state)
{
	struct session *ss;
	struct result r;
	int samples;

	(void)state;
	for (samples = 0; samples < 2; samples++) {
		struct pdb data = { 0 }, trace = { 0 }, formats = { 0 };

		td_build(&formats, td_format);
		two_processes(&data, TS, IDR2(4, 0));
		if (samples) {
			r_sched_switch(&data, 190, 2, 1000, 2000);
			r_sched_switch(&data, 150, 3, 2000, 0);	/* another CPU */
		} else {
			r_switch(&data, 190, 2, 2000, 1000);
			r_switch(&data, 150, 3, 0, 2000);
		}
		t_sync(&trace);
		t_stretch(&trace, 100);
		t_stretch(&trace, 180);
		t_stretch(&trace, 200);
		ss = decode_as(&data, &trace, 2, 0, CONTEXTID_AUTO, samples ? &formats : NULL, &r);
		assert_int_equal(r.nr, 2);
		check_part(&r, 0, 1000, 1000, 2, 2 * NR_LOOP);
		check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
		assert_false(session_has_losses(ss));
		session_close(ss);
		pdb_free(&formats);
	}
}

/* Stretches without a time of their own, with a switch between the timestamps around them. */
static void uncertain_stretches(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, TS, IDR2(4, 0));
	r_switch(&data, 90, 2, 1000, 1);
	r_switch(&data, 190, 2, 2000, 1000);
	t_sync(&trace);
	t_stretch(&trace, 100);
	t_stretch(&trace, 0);		/* before the switch or after it */
	t_stretch(&trace, 200);
	t_stretch(&trace, 0);		/* nobody else came until the end */
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, 3 * NR_LOOP);
	assert_int_equal(session_totals(ss)->who.uncertain, 1);
	assert_int_equal(ss->losses.cause[LOSS_UNCERTAIN].count, 1);
	assert_true(session_has_losses(ss));
	session_close(ss);
}

static void the_only_process(void **state)
{
	struct session *ss;
	struct result r;
	int switches;

	(void)state;
	for (switches = 0; switches < 2; switches++) {
		struct pdb data = { 0 }, trace = { 0 };

		r_info(&data, TS, IDR2(4, 0));
		r_process(&data, 2000, "three", "/three.bin");
		if (switches)	/* somebody else ran: not the only one */
			r_switch(&data, 50, 2, 4000, 1);
		t_sync(&trace);
		t_stretch(&trace, 100);
		ss = decode(&data, &trace, &r);
		if (switches) {
			assert_int_equal(r.nr, 0);
			assert_int_equal(session_totals(ss)->who.only_process, 0);
			assert_int_equal(ss->losses.cause[LOSS_NO_MAP].count, 1);
		} else {
			assert_int_equal(r.nr, 1);
			check_part(&r, 0, 2000, 2000, 3, NR_LOOP);
			assert_int_equal(session_totals(ss)->who.only_process, 1);
			assert_int_equal(session_totals(ss)->who.only_pid, 2000);
			assert_false(session_has_losses(ss));
		}
		session_close(ss);
	}
}

/* A kernel without PID_IN_CONTEXTIDR: the register is traced, and it is zero. */
static void context_ids_of_zero(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_switch(&data, 90, 2, 1000, 1);
	r_switch(&data, 190, 2, 2000, 1000);
	t_sync(&trace);
	asid_stretch(&trace, 100, 0);
	asid_stretch(&trace, 200, 0);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	session_close(ss);
}

/* ---- other worlds ---------------------------------------------------------------------------------- */

static void guests_are_not_decoded(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | VMID, IDR2(4, 1));
	t_sync(&trace);
	t_context(&trace, 0, 1000, 4, 0, 1);
	t_run(&trace);
	t_context(&trace, 0, 1000, 4, 3, 1);	/* a guest's thread of the same number */
	t_run(&trace);
	t_context(&trace, 1, 77, 4, 3, 1);
	t_run(&trace);
	t_context(&trace, 0, 2000, 4, 0, 1);
	t_run(&trace);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(r.nacc, 2);
	assert_int_equal(ss->losses.cause[LOSS_GUEST].count, 2);
	assert_int_equal(session_totals(ss)->who.guests.nr, 1);
	assert_int_equal(session_totals(ss)->who.guests.v[0].id, 3);
	assert_int_equal(session_totals(ss)->who.guests.v[0].stretches, 2);
	session_close(ss);
}

static void t_world(struct pdb *b, uint8_t info, uint32_t cid)
{
	t_context(b, 0, cid, 4, 0, 0);
	b->p[b->len - 9 - 4 - 1] = info;	/* in place of non-secure EL0 */
	t_run(b);
}

static void secure_code_is_not_decoded(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID, IDR2(4, 0));
	t_sync(&trace);
	t_world(&trace, 0xb0, 1000);
	t_world(&trace, 0x90, 1000);	/* secure EL0 */
	t_world(&trace, 0x91, 1000);	/* secure EL1 */
	t_world(&trace, 0x93, 1000);	/* EL3 */
	t_world(&trace, 0xb0, 2000);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(ss->losses.cause[LOSS_SECURE].count, 2);
	assert_int_equal(ss->losses.cause[LOSS_FIRMWARE].count, 1);
	assert_int_equal(session_totals(ss)->who.secure, 2);
	assert_int_equal(session_totals(ss)->who.firmware, 1);
	session_close(ss);
}

static void guests_of_a_host_at_el2(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	two_processes(&data, CID | VMID | VMIDOPT, IDR2(4, 4));
	t_sync(&trace);
	t_context(&trace, 0, 0, 4, 1000, 4);
	t_run(&trace);
	t_context(&trace, 1, 0, 4, 1000, 4);	/* the guest that this thread runs, */
	t_run(&trace);
	t_context(&trace, 0, 9, 4, 1000, 4);	/* and its program */
	t_run(&trace);
	t_context(&trace, 0, 0, 4, 2000, 4);
	t_run(&trace);
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 2);
	check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
	check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
	assert_int_equal(ss->losses.cause[LOSS_GUEST].count, 2);
	assert_int_equal(session_totals(ss)->who.guests.v[0].id, 1000);
	session_close(ss);
}

/* ---- trace units that are set up anew -------------------------------------------------------------- */

/* A fragment without trace, so that the next one is known to have begun after it. */
static void fragment_before(struct pdb *data, uint64_t time)
{
	static const uint8_t frame[16] = { 1 };		/* ID 0 */
	struct pdb_sid s = at_time(time, 1, 2);

	pdb_aux(data, 0x10000, sizeof(frame), 0, SB_ST, &s);
	pdb_auxtrace(data, 0x10000, frame, sizeof(frame), 2, (uint32_t)-1);
}

/* The ID stays, the context ID becomes shorter and the CPU another one, at a synchronisation in between. */
static void defined_anew(void **state)
{
	struct session *ss;
	struct result r;
	int early;

	(void)state;
	for (early = 0; early < 2; early++) {
		struct pdb data = { 0 }, trace = { 0 };

		two_processes(&data, CID | TS, IDR2(4, 0));
		r_define(&data, 10, 2, 0x14, CID | TS, IDR2(4, 0));
		r_define(&data, early ? 20 : 220, 3, 0x14, CID | TS, IDR2(2, 0));
		if (!early) {
			fragment_before(&data, 50);
			t_sync(&trace);
			asid_stretch(&trace, 100, 1000);
			t_sync(&trace);
			asid_stretch(&trace, 200, 2000);
		}
		t_sync(&trace);
		t_on(&trace);
		t_time(&trace, 300);
		t_context(&trace, 0, 1000, 2, 0, 0);
		t_run(&trace);
		t_sync(&trace);
		t_on(&trace);
		t_time(&trace, 400);
		t_context(&trace, 0, 2000, 2, 0, 0);
		t_run(&trace);
		ss = decode_as(&data, &trace, 2, 0x14, CONTEXTID_AUTO, NULL, &r);
		assert_int_equal(r.nr, early ? 2 : 4);
		if (!early) {
			check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
			check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
			assert_int_equal(r.part[1].cpu, 2);
		}
		check_part(&r, r.nr - 2, 1000, 1000, 2, NR_LOOP);
		check_part(&r, r.nr - 1, 2000, 2000, 3, NR_LOOP);
		assert_int_equal(r.part[r.nr - 2].cpu, 3);
		assert_int_equal(r.part[r.nr - 1].cpu, 3);
		assert_int_equal(session_totals(ss)->dec.bad_packets, 0);
		assert_false(session_has_losses(ss));
		session_close(ss);
	}
}

/* Four stretches at 100, 200, 300 and 400, two of each process, each behind a synchronisation. */
static void four_stretches(struct pdb *trace)
{
	unsigned int i;

	for (i = 1; i <= 4; i++) {
		t_sync(trace);
		asid_stretch(trace, 100 * i, i <= 2 ? 1000 : 2000);
	}
}

/*
 * The stretches in a buffer of CPU 2, whose ID goes to CPU 3 at `time`: later ones are of that CPU. What is written
 * into another sink under the same ID at `elsewhere` (0: nothing) does not matter.
 */
static void check_change(uint64_t time, unsigned int stretches_before, uint64_t elsewhere)
{
	struct pdb data = { 0 }, trace = { 0 };
	unsigned int i, n = 0;
	struct session *ss;
	struct result r;

	two_processes(&data, CID | TS, IDR2(4, 0));
	r_hw_id(&data, time, 3, 1, 0x20, elsewhere ? 7 : 0);	/* not in order of time */
	r_hw_id(&data, 20, 2, 1, 0x20, elsewhere ? 7 : 0);
	if (elsewhere)
		r_hw_id(&data, elsewhere, 4, 1, 0x20, 8);
	fragment_before(&data, 50);
	four_stretches(&trace);
	ss = decode_as(&data, &trace, 2, 0x20, CONTEXTID_AUTO, NULL, &r);
	assert_true(ss->ids_change);
	for (i = 0; i < r.nr; i++) {
		assert_int_equal(r.part[i].cpu, n < stretches_before * NR_LOOP ? 2 : 3);
		assert_int_equal(r.part[i].tid, n < 2 * NR_LOOP ? 1000 : 2000);
		assert_int_equal(r.part[i].n_insn, n < 2 * NR_LOOP ? 2 : 3);
		n += r.part[i].ranges;
		assert_true(n <= stretches_before * NR_LOOP || r.part[i].cpu == 3);
	}
	assert_int_equal(n, 4 * NR_LOOP);
	assert_false(session_has_losses(ss));
	session_close(ss);
}

/* An ID goes to another CPU before or while a buffer of frames is filled. */
static void an_id_changes_hands(void **state)
{
	(void)state;
	check_change(60, 0, 0);
	check_change(210, 2, 0);
	check_change(310, 3, 0);
	check_change(210, 2, 110);
	check_change(60, 0, 350);
}

/* Two sinks may use one ID at a time: that is no change of its owner, and each buffer has that of its own sink. */
static void an_id_in_two_sinks(void **state)
{
	unsigned int sinks;

	(void)state;
	for (sinks = 0; sinks < 2; sinks++) {
		struct pdb data = { 0 }, trace = { 0 };
		struct session *ss;
		struct result r;

		two_processes(&data, CID | TS, IDR2(4, 0));
		r_hw_id(&data, 20, 2, 1, 0x20, 7);
		r_hw_id(&data, 30, 3, 1, 0x20, sinks ? 8 : 7);
		r_hw_id(&data, 40, 2, 1, 0x20, 7);
		four_stretches(&trace);
		ss = decode_as(&data, &trace, 2, 0x20, CONTEXTID_AUTO, NULL, &r);
		assert_int_equal(ss->ids_change, !sinks);
		assert_int_equal(r.part[0].cpu, 2);
		session_close(ss);
	}
}

/* In a buffer that follows a thread, an ID is that of the CPU on which this thread's event announced it. */
static void ids_of_a_threads_buffer(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		bool sinks = i & 1, second = i & 2;
		struct pdb data = { 0 }, trace = { 0 };
		struct session *ss;
		struct result r;

		two_processes(&data, CID | TS, IDR2(4, 0));
		r_hw_id(&data, 20, 2, 1000, 0x20, sinks ? 7 : 0);
		r_hw_id(&data, 30, 3, 2000, 0x20, sinks ? 8 : 0);
		r_hw_id(&data, 40, 4, 3000, 0x20, sinks ? 9 : 0);
		t_sync(&trace);
		asid_stretch(&trace, 100, second ? 2000 : 1000);
		buffer_of_thread = second ? 2000 : 1000;
		ss = decode_as(&data, &trace, second ? 3 : 2, 0x20, CONTEXTID_AUTO, NULL, &r);
		buffer_of_thread = 0;
		assert_int_equal(r.nr, 1);
		check_part(&r, 0, second ? 2000 : 1000, second ? 2000 : 1000, second ? 3 : 2, NR_LOOP);
		assert_int_equal(r.part[0].cpu, second ? 3 : 2);
		session_close(ss);
	}
}

/* Definitions that cannot be: each is left out and counted, the file is decoded. */
static void bad_definitions(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;
	size_t at;

	(void)state;
	two_processes(&data, CID, IDR2(4, 0));
	r_define(&data, 10, 2, 0, CID, IDR2(4, 0));
	r_define(&data, 10, 2, 0x70, CID, IDR2(4, 0));
	at = data.len;
	r_define(&data, 10, 2, 0x14, CID, IDR2(4, 0));
	data.p[at + 8 + 6] = 9;		/* unit */
	at = data.len;
	r_define(&data, 10, 2, 0x14, CID, IDR2(4, 0));
	data.p[at + 24] = 99;		/* register */
	at = data.len;
	r_define(&data, 10, 2, 0x14, CID, IDR2(4, 0));
	data.p[at + 11] = 0x80;		/* CPU */
	t_sync(&trace);
	asid_stretch(&trace, 0, 2000);
	ss = decode_as(&data, &trace, 2, 0x14, CONTEXTID_AUTO, NULL, &r);
	assert_int_equal(ss->bad_records, 5);
	assert_int_equal(r.nr, 1);
	check_part(&r, 0, 2000, 2000, 3, NR_LOOP);
	session_close(ss);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(low_bits_that_one_thread_has),
		cmocka_unit_test(low_bits_of_a_process_that_was_mapped_long_ago),
		cmocka_unit_test(low_bits_that_several_threads_have),
		cmocka_unit_test(low_bits_within_one_process),
		cmocka_unit_test(thread_above_the_asid),
		cmocka_unit_test(before_the_first_id),
		cmocka_unit_test(declared_asids),
		cmocka_unit_test(declared_asids_are_recognised),
		cmocka_unit_test(learned_asids),
		cmocka_unit_test(nothing_to_learn_from),
		cmocka_unit_test(by_switch_records_and_by_samples),
		cmocka_unit_test(uncertain_stretches),
		cmocka_unit_test(the_only_process),
		cmocka_unit_test(context_ids_of_zero),
		cmocka_unit_test(guests_are_not_decoded),
		cmocka_unit_test(secure_code_is_not_decoded),
		cmocka_unit_test(guests_of_a_host_at_el2),
		cmocka_unit_test(defined_anew),
		cmocka_unit_test(an_id_changes_hands),
		cmocka_unit_test(an_id_in_two_sinks),
		cmocka_unit_test(ids_of_a_threads_buffer),
		cmocka_unit_test(bad_definitions),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
