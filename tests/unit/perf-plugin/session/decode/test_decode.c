/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recordings put together in memory, decoded: how AUX records and AUXTRACE data fit together, whose code
 * it is, and what is said when something is missing. The program is two instructions in a loop, in a
 * file that is not ELF.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "perfdata/reader.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "session/session.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

TEMP_DIR("session")

/* nop; b .-4, or with `longer` nop; nop; b .-8 */
static void write_code(const char *name, int longer)
{
	static const uint32_t two[] = { 0xd503201f, 0x17ffffff };
	static const uint32_t three[] = { 0xd503201f, 0xd503201f, 0x17fffffe };

	temp_write(dir, name, longer ? three : two, longer ? sizeof(three) : sizeof(two));
}

static int make_files(void **state)
{
	if (make_dir(state))
		return -1;
	write_code("two.bin", 0);
	write_code("three.bin", 1);
	return 0;
}

struct result {
	unsigned int ranges, insns, nacc, fragments, ends, streams;
	uint64_t sum[8];	/* of the bytes */
	uint64_t offset[8], size[8];
	bool raw[8];
	int pid, tid, cpu;
	uint64_t time;
	char comm[16];
	char located[64];
	uint64_t located_offset;
	unsigned int packets;
};

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct session_loc loc;
	struct result *r = data;
	uint32_t code;
	size_t i;

	for (i = 0; i < n; i++) {
		r->nacc += g[i].kind == CST_GEN_NACC;
		if (g[i].kind != CST_GEN_RANGE)
			continue;
		r->ranges++;
		r->insns += g[i].n_insn;
		r->pid = s->pid;
		r->tid = s->tid;
		r->cpu = s->cpu;
		r->time = s->time;
		snprintf(r->comm, sizeof(r->comm), "%s", session_comm(s) ? session_comm(s) : "?");
		assert_true(session_locate(s, g[i].addr + 4, &loc));
		assert_false(loc.kernel);
		assert_true(loc.map_start == SB_BASE && loc.map_end == SB_BASE + 0x1000);
		snprintf(r->located, sizeof(r->located), "%s", dso_path(loc.dso));
		r->located_offset = loc.offset;
		assert_int_equal(session_read_code(s, SB_BASE, &code, 4), 4);
		assert_int_equal(code, 0xd503201f);
	}
	return 0;
}

static void begin(struct result *r, const struct session_fragment *f)
{
	uint64_t i;

	assert_in_range(r->fragments, 0, 7);
	for (i = 0; i < f->size; i++)
		r->sum[r->fragments] += f->data[i];
	r->offset[r->fragments] = f->offset;
	r->size[r->fragments] = f->size;
	r->raw[r->fragments++] = f->raw;
}

static int on_fragment(void *data, const struct fragment_event *e)
{
	struct result *r = data;

	if (e->ended)
		r->ends++;
	else
		begin(r, e->fragment);
	return 0;
}

static void on_stream_end(void *data, const struct stream *s)
{
	(void)s;
	((struct result *)data)->streams++;
}

static int on_packet(void *data, const struct stream *s, const struct cst_packet *pkt)
{
	(void)s;
	(void)pkt;
	((struct result *)data)->packets++;
	return 0;
}

/* Of the test that runs: records, trace for them, and what became of both. */
static struct pdb data, trace;
static struct session *ss;
static struct result r;

static int finish(void **state)
{
	(void)state;
	session_close(ss);
	ss = NULL;
	pdb_free(&data);
	pdb_free(&trace);
	memset(&data, 0, sizeof(data));
	memset(&trace, 0, sizeof(trace));
	return 0;
}

static void decode_with(const struct pdb_attr *attr,
			int (*packet)(void *data, const struct stream *s, const struct cst_packet *pkt))
{
	const struct session_opts so = { .symfs = dir };
	const struct consumer con = { .data = &r, .wants.times = true, .wants.packet = packet,
				.batch = on_batch, .fragment = on_fragment,
				.stream_end = on_stream_end };

	session_close(ss);
	ss = sb_open_of(attr, &data, &so, NULL);
	memset(&r, 0, sizeof(r));
	assert_int_equal(session_run(ss, &con), 0);
}

static void decode(void)
{
	decode_with(&sb_attr, NULL);
}

static void check_good(unsigned int fragments)
{
	assert_int_equal(r.ranges, SB_ATOMS * fragments);
	assert_int_equal(r.insns, 2 * SB_ATOMS * fragments);
	assert_int_equal(r.pid, SB_PID);
	assert_int_equal(r.tid, SB_TID);
	assert_int_equal(r.cpu, 2);
	assert_string_equal(r.comm, "loop");
	assert_string_equal(r.located, "/two.bin");
	assert_int_equal(r.located_offset, 4);
	assert_int_equal(r.fragments, fragments);
	assert_int_equal(r.ends, fragments);
}

static void raw_per_cpu(void **state)
{
	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	sb_stretch(&data, &trace, 0x40, SB_RAW);
	decode();
	check_good(1);
	assert_true(r.raw[0]);
	assert_int_equal(r.time, 5000);
	assert_int_equal(r.streams, 1);
	assert_false(session_has_losses(ss));
	assert_int_equal(session_totals(ss)->dec.insns, 2 * SB_ATOMS);
	assert_int_equal(session_totals(ss)->aux_bytes, trace.len);
	assert_int_equal(session_max_streams(ss), 1);
	assert_int_equal(session_pmu_type(ss), 8);
}

/* What follows the fragment in the chunk is padding or another fragment and must not be decoded. */
static void frames_and_two_fragments(void **state)
{
	struct pdb framed = { 0 };
	size_t one;

	(void)state;
	sb_trace(&trace, SB_TID);
	sb_frames(&framed, &trace, 0x14);
	one = framed.len;
	sb_frames(&framed, &trace, 0x14);
	sb_side_band(&data, "/two.bin");
	sb_aux(&data, 0, one, 0, 5000);
	sb_aux(&data, one, one, 0, 6000);
	pdb_auxtrace(&data, 0, framed.p, framed.len, 2, (uint32_t)-1);
	decode();
	check_good(2);
	assert_false(r.raw[0]);
	assert_int_equal(r.offset[1], one);
	assert_int_equal(r.time, 6000);
	assert_int_equal(r.streams, 1);
	assert_false(session_has_losses(ss));
	pdb_free(&framed);
}

static void record_across_two_chunks(void **state)
{
	uint64_t sum = 0;
	size_t i;

	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	pdb_auxtrace(&data, 0, trace.p, 24, 2, (uint32_t)-1);
	sb_aux(&data, 0, trace.len, 0x100, 5000);
	pdb_auxtrace(&data, 24, trace.p + 24, trace.len - 24, 2, (uint32_t)-1);
	decode();
	check_good(1);
	for (i = 0; i < trace.len; i++)
		sum += trace.p[i];
	assert_int_equal(r.sum[0], sum);
	assert_false(session_has_losses(ss));
}

static void without_aux_records(void **state)
{
	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	/* the A-sync packet that tells it from frames is in two records */
	pdb_auxtrace(&data, 0, trace.p, 8, 2, (uint32_t)-1);
	pdb_auxtrace(&data, 8, trace.p + 8, trace.len - 8, 2, (uint32_t)-1);
	decode();
	check_good(1);
	assert_true(r.raw[0]);
	assert_int_equal(r.size[0], trace.len);
}

/* A snapshot's record points behind the data and may give the size of the whole buffer. */
static void snapshot(void **state)
{
	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	sb_aux(&data, 0x2000, 0x1000, 0x102, 4000);		/* written over, not in the file */
	sb_aux(&data, 0x10000 + trace.len, 0x1000, 0x102, 5000);
	pdb_auxtrace(&data, 0x10000, trace.p, trace.len, 2, (uint32_t)-1);
	decode();
	check_good(1);
	assert_int_equal(r.offset[0], 0x10000);
	assert_false(session_has_losses(ss));
}

/* Two snapshots of one buffer, the first with room for both: each record's trace is in the bytes that were saved for it. */
static void snapshots_one_after_the_other(void **state)
{
	struct pdb other = { 0 };
	uint64_t sum = 0;
	size_t i, one;

	(void)state;
	sb_trace(&trace, SB_TID);
	pdb_bytes(&other, "\x71\x71\x71\x71", 4);	/* events before the trace */
	sb_trace(&other, SB_TID);
	sb_side_band(&data, "/two.bin");
	one = trace.len;
	for (i = 0; i < 3; i++)
		sb_trace(&trace, SB_TID);
	sb_aux(&data, 0x10000 + trace.len, one, 0x102, 5000);
	pdb_auxtrace(&data, 0x10000, trace.p, trace.len, 2, (uint32_t)-1);
	sb_aux(&data, 0x20000 + other.len, other.len, 0x102, 6000);
	pdb_auxtrace(&data, 0x20000, other.p, other.len, 2, (uint32_t)-1);
	decode();
	assert_int_equal(r.fragments, 2);
	assert_int_equal(r.ranges, 2 * SB_ATOMS);
	assert_int_equal(r.offset[0], 0x10000 + 3 * one);
	assert_int_equal(r.size[0], one);
	assert_int_equal(r.offset[1], 0x20000);
	assert_int_equal(r.size[1], other.len);
	for (i = 0; i < other.len; i++)
		sum += other.p[i];
	assert_int_equal(r.sum[1], sum);
	assert_int_equal(session_totals(ss)->aux_unclaimed, 3 * one);
	assert_int_equal(session_totals(ss)->aux_missing, 0);
	pdb_free(&other);
}

/* Several stretches in one snapshot, the first of them partly written over. */
static void snapshot_of_several(void **state)
{
	size_t one;

	(void)state;
	pdb_bytes(&trace, "\xf7\xf7\xf7\xf7\xf7\xf7\xf7\xf7", 8);
	sb_trace(&trace, SB_TID);
	one = trace.len - 8;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	sb_aux(&data, 0x10000 + 8, 100, 0x102, 4000);
	sb_aux(&data, 0x10000 + 8 + one, one, 0x102, 5000);
	sb_aux(&data, 0x10000 + 8 + 2 * one, one, 0x102, 6000);
	pdb_auxtrace(&data, 0x10000, trace.p, trace.len, 2, (uint32_t)-1);
	decode();
	assert_int_equal(r.fragments, 3);
	assert_int_equal(r.size[0], 8);
	assert_int_equal(r.offset[1], 0x10000 + 8);
	assert_int_equal(r.offset[2], 0x10000 + 8 + one);
	assert_int_equal(r.ranges, 2 * SB_ATOMS);
	assert_int_equal(session_totals(ss)->dec.unsynced, 8);
	assert_int_equal(session_totals(ss)->aux_unclaimed, 0);
}

static void missing_data_is_counted(void **state)
{
	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	sb_aux(&data, 0, trace.len + 100, 0x101, 5000);
	sb_aux(&data, 0x9000, 0x500, 0x100, 6000);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	decode();
	assert_int_equal(r.ranges, SB_ATOMS);
	assert_int_equal(session_totals(ss)->aux_missing, 100 + 0x500);
	assert_int_equal(session_totals(ss)->aux_truncated, 1);
	assert_true(session_has_losses(ss));
}

/* Two records must not make the same bytes count twice, however damaged the file is. */
static void overlapping_records(void **state)
{
	unsigned int i;

	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	for (i = 0; i < 5; i++)
		sb_aux(&data, 0, trace.len, 0x100, 5000 + i);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	decode();
	check_good(1);
	assert_int_equal(session_totals(ss)->aux_missing, 4 * trace.len);
}

/* The record of another CPU, in a buffer that follows its thread. */
static void per_thread(void **state)
{
	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	sb_aux(&data, 0, trace.len, 0x100, 5000);
	pdb_auxtrace(&data, 0, trace.p, trace.len, (uint32_t)-1, SB_TID);
	decode();
	check_good(1);
}

/* The thread of the buffer is known even when the traced number is cut or wrong. */
static void per_thread_with_other_context_id(void **state)
{
	(void)state;
	sb_trace(&trace, 0x7000 + SB_TID);
	sb_side_band(&data, "/two.bin");
	sb_aux(&data, 0, trace.len, 0x100, 5000);
	pdb_auxtrace(&data, 0, trace.p, trace.len, (uint32_t)-1, SB_TID);
	decode();
	check_good(1);
}

static void ids_from_hw_id_records(void **state)
{
	struct pdb framed = { 0 };
	struct pdb_sid s = sb_sid(900);
	uint64_t sink;
	size_t at;

	(void)state;
	sb_trace(&trace, SB_TID);
	sb_frames(&framed, &trace, 0x2a);
	sb_frames(&framed, &trace, 0x2b);
	sb_aux_info(&data, 2, SB_CONFIGR, 0x80000000u | 0x14);
	for (sink = 7; sink < 9; sink++) {
		at = pdb_begin(&data, 21, 0);
		pdb_u64(&data, 0x2a | sink << 8 | 1ull << 56);	/* ID 0x2a in sink 7, version 0.1 */
		pdb_sid_put(&data, SB_ST, &s);
		pdb_end(&data, at);
		/* later, of another CPU, in a sink into which this one does not write */
		s.cpu++;
		s.time++;
	}
	pdb_comm(&data, SB_PID, SB_PID, "loop", SB_ST, &s);
	sb_fork(&data, SB_PID, SB_PID, SB_TID, 1000);
	pdb_mmap2(&data, SB_PID, SB_BASE, 0x1000, 0, "/two.bin", SB_ST, &s);
	sb_stretch(&data, &framed, 0, 0);
	decode();
	check_good(1);
	/* nobody announced 0x2b */
	assert_int_equal(session_totals(ss)->unrouted, trace.len);
	assert_true(session_has_losses(ss));
	pdb_free(&framed);
}

/* The same address holds other code in the second fragment. */
static void code_of_its_time(void **state)
{
	struct pdb_sid s = sb_sid(5500);
	size_t one;

	(void)state;
	sb_trace(&trace, SB_TID);
	one = trace.len;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	sb_aux(&data, 0, one, 0x100, 5000);
	sb_aux(&data, one, one, 0x100, 6000);
	pdb_mmap2(&data, SB_PID, SB_BASE, 0x1000, 0, "/three.bin", SB_ST, &s);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	decode();
	assert_int_equal(r.ranges, 2 * SB_ATOMS);
	assert_int_equal(r.insns, (2 + 3) * SB_ATOMS);
	assert_string_equal(r.located, "/three.bin");
	assert_false(session_has_losses(ss));
}

/*
 * Records without times, and timestamps that nothing converts: a fragment ran after the AUX record before it, with the maps
 * that stand before that record.
 */
static void code_of_its_place(void **state)
{
	const uint64_t st = SB_ST & ~(uint64_t)PERF_SAMPLE_TIME;
	struct pdb_sid s = sb_sid(0);
	struct pdb_attr attr = sb_attr;
	unsigned int i;

	(void)state;
	attr.sample_type = st;
	sb_trace(&trace, SB_PID);
	pdb_bytes(&trace, "\x02\x10", 2);	/* timestamp */
	sb_aux_info(&data, 1, SB_CONFIGR | 0x800, 0x14);
	pdb_comm(&data, SB_PID, SB_PID, "loop", st, &s);
	for (i = 0; i < 3; i++) {
		if (i < 2)
			pdb_mmap2(&data, SB_PID, SB_BASE, 0x1000, 0, i ? "/three.bin" : "/two.bin", st, &s);
		pdb_aux(&data, i * 0x100, trace.len, SB_RAW, st, &s);
		pdb_auxtrace(&data, i * 0x100, trace.p, trace.len, 2, (uint32_t)-1);
	}
	decode_with(&attr, NULL);
	assert_int_equal(r.ranges, 3 * SB_ATOMS);
	assert_string_equal(r.located, "/three.bin");
	assert_false(session_has_losses(ss));
}

static void switch_in(struct pdb *b, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct pdb_sid s = { .pid = pid, .tid = tid, .time = time, .id = 50, .cpu = 2 };
	size_t at = pdb_begin(b, 14, 0);

	pdb_sid_put(b, SB_ST, &s);
	pdb_end(b, at);
}

/*
 * No context IDs, two processes: the thread is the one that wrote the AUX record, unless another one ran
 * since the record before.
 */
static void thread_of_the_aux_record(void **state)
{
	struct pdb_sid s = sb_sid(1000);
	unsigned int other;

	for (other = 0; other < 2; other++) {
		sb_trace(&trace, 0);
		sb_aux_info(&data, 1, 1, 0x14);
		pdb_comm(&data, SB_PID, SB_PID, "loop", SB_ST, &s);
		sb_fork(&data, SB_PID, SB_PID, SB_TID, 1000);
		pdb_mmap2(&data, SB_PID, SB_BASE, 0x1000, 0, "/two.bin", SB_ST, &s);
		pdb_mmap2(&data, 900, SB_BASE, 0x1000, 0, "/three.bin", SB_ST, &s);
		switch_in(&data, SB_PID, SB_TID, 2000);
		if (other)
			switch_in(&data, 900, 900, 3000);
		sb_stretch(&data, &trace, 0, SB_RAW);
		decode();
		if (!other)
			check_good(1);
		else
			assert_int_equal(r.ranges, 0);
		assert_int_equal(session_has_losses(ss), other);
		finish(state);
	}
}

/* The idle task that wrote the AUX record is not what was traced: without anything else it is the only process with code. */
static void idle_at_the_aux_record(void **state)
{
	struct pdb_sid s = sb_sid(1000);

	(void)state;
	sb_trace(&trace, 0);
	sb_aux_info(&data, 1, 1, 0x14);
	pdb_comm(&data, SB_PID, SB_PID, "loop", SB_ST, &s);
	pdb_mmap2(&data, SB_PID, SB_BASE, 0x1000, 0, "/two.bin", SB_ST, &s);
	s = (struct pdb_sid){ .pid = 0, .tid = 0, .time = SB_TIME, .id = 50, .cpu = 2 };
	pdb_aux(&data, 0, trace.len, SB_RAW, SB_ST, &s);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	decode();
	assert_int_equal(r.ranges, SB_ATOMS);
	assert_int_equal(r.pid, SB_PID);
	assert_int_equal(session_totals(ss)->who.only_process, 1);
}

static void missing_file_is_explained(void **state)
{
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");

	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/no-such.bin");
	sb_stretch(&data, &trace, 0, SB_RAW);
	decode();
	assert_int_equal(r.ranges, 0);
	assert_int_equal(r.nacc, session_totals(ss)->dec.nacc);
	assert_true(r.nacc > 0);
	assert_true(session_has_losses(ss));
	assert_int_equal(session_print_missing(ss, out), 1);
	fclose(out);
	assert_non_null(strstr(text, "/no-such.bin"));
	assert_non_null(strstr(text, "--symfs"));
}

/* Memory that is not executable was mapped over the code: nothing of the file is there any more. */
static void data_over_code(void **state)
{
	const struct pdb_sid s = sb_sid(1100);

	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	pdb_mmap2_prot(&data, SB_PID, SB_BASE, 0x1000, 0, PROT_READ | PROT_WRITE, "/two.bin", SB_ST, &s);
	sb_stretch(&data, &trace, 0, SB_RAW);
	decode();
	assert_int_equal(r.ranges, 0);
	assert_true(r.nacc > 0);
}

/* The map is a page, the file eight bytes. */
static void file_is_too_short(void **state)
{
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");

	(void)state;
	sb_trace_at(&trace, SB_TID, SB_BASE + 0x100, 0);
	sb_side_band(&data, "/two.bin");
	sb_stretch(&data, &trace, 0, SB_RAW);
	decode();
	assert_int_equal(r.ranges, 0);
	assert_int_equal(session_print_missing(ss, out), 1);
	fclose(out);
	assert_non_null(strstr(text, "8 bytes long"));
}

static void unknown_thread_is_a_loss(void **state)
{
	(void)state;
	sb_trace(&trace, 4711);
	sb_side_band(&data, "/two.bin");
	sb_stretch(&data, &trace, 0, SB_RAW);
	decode();
	assert_int_equal(r.ranges, 0);
	assert_true(session_has_losses(ss));
}

static void packets_for_listings(void **state)
{
	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	sb_stretch(&data, &trace, 0, SB_RAW);
	decode_with(&sb_attr, on_packet);
	check_good(1);
	/* A-sync, Trace Info, Trace On, address with context, atoms */
	assert_int_equal(r.packets, 4 + SB_ATOMS);
}

#define TEST(name) cmocka_unit_test_teardown(name, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(raw_per_cpu),
		TEST(frames_and_two_fragments),
		TEST(record_across_two_chunks),
		TEST(without_aux_records),
		TEST(snapshot),
		TEST(snapshots_one_after_the_other),
		TEST(snapshot_of_several),
		TEST(missing_data_is_counted),
		TEST(overlapping_records),
		TEST(per_thread),
		TEST(per_thread_with_other_context_id),
		TEST(ids_from_hw_id_records),
		TEST(code_of_its_time),
		TEST(code_of_its_place),
		TEST(thread_of_the_aux_record),
		TEST(idle_at_the_aux_record),
		TEST(missing_file_is_explained),
		TEST(data_over_code),
		TEST(file_is_too_short),
		TEST(unknown_thread_is_a_loss),
		TEST(packets_for_listings),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
