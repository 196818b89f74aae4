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
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfdata/reader.h"
#include "perfdata_build.h"
#include "session/session.h"

#define ST	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define BASE	0x400000u
#define ATOMS	24u
#define TID	101u
#define PID	100u

static const struct pdb_attr attr = { .type = 8, .size = 128, .sample_type = ST, .sample_id_all = true,
				      .ids = { 50 }, .nr_ids = 1 };

static char symfs[] = "/tmp/cstrace-session-XXXXXX";

static struct pdb_sid sid_at(uint64_t time)
{
	struct pdb_sid s = { .pid = PID, .tid = TID, .time = time, .id = 50, .cpu = 2 };

	return s;
}

/* nop; b .-4, or with `longer` nop; nop; b .-8 */
static void write_code(const char *name, int longer)
{
	static const uint32_t two[] = { 0xd503201f, 0x17ffffff };
	static const uint32_t three[] = { 0xd503201f, 0xd503201f, 0x17fffffe };
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", symfs, name);
	f = fopen(path, "wb");
	assert_non_null(f);
	if (longer)
		fwrite(three, sizeof(three), 1, f);
	else
		fwrite(two, sizeof(two), 1, f);
	fclose(f);
}

static int make_files(void **state)
{
	(void)state;
	if (!mkdtemp(symfs))
		return -1;
	write_code("two.bin", 0);
	write_code("three.bin", 1);
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

/* A-sync, Trace Info, Trace On, address and context of EL0 with the thread's ID, `ATOMS` times E. */
static void trace_of(struct pdb *b, uint32_t tid)
{
	static const uint8_t start[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x04, 0x85 };
	static const uint8_t address[] = { (BASE >> 2) & 0x7f, (BASE >> 9) & 0x7f, (BASE >> 16) & 0xff,
					   0, 0, 0, 0, 0 };
	unsigned int i;

	pdb_bytes(b, start, sizeof(start));
	pdb_bytes(b, address, sizeof(address));
	pdb_bytes(b, "\xb0", 1);	/* context ID follows, non-secure, AArch64, EL0 */
	pdb_u32(b, tid);
	for (i = 0; i < ATOMS; i++)
		pdb_bytes(b, "\xf7", 1);
}

/* The same in formatter frames, 14 bytes of the ID in each. */
static void frames_of(struct pdb *out, const struct pdb *raw, uint8_t id)
{
	uint8_t frame[16];
	size_t at = 0;
	unsigned int i;

	while (at < raw->len) {
		memset(frame, 0, sizeof(frame));
		frame[0] = id << 1 | 1;
		for (i = 1; i < 15; i++) {
			if (at == raw->len) {
				if (i & 1)
					i++;
				if (i < 15)
					frame[i] = 0x01;	/* ID 0: padding */
				break;
			}
			frame[i] = raw->p[at];
			if (!(i & 1)) {
				frame[i] &= 0xfe;
				frame[15] |= (raw->p[at] & 1) << (i / 2);
			}
			at++;
		}
		/* a byte at the last odd place before padding would be the old ID's */
		pdb_bytes(out, frame, sizeof(frame));
	}
}

static void aux_info(struct pdb *b, unsigned int version, uint64_t traceid)
{
	const uint64_t words[] = { version, 8ull << 32 | 1, 0, 0x4040404040404040ull, 2, 7, 0x41, traceid,
				   0x28000ea1, 0x4100f423, 0x488, 0, 0xcc };
	size_t at = pdb_begin(b, 70, 0), i;

	pdb_u32(b, 3);
	pdb_u32(b, 0);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		pdb_u64(b, words[i]);
	pdb_end(b, at);
}

static void fork_record(struct pdb *b, uint32_t pid, uint32_t ppid, uint32_t tid, uint64_t time)
{
	struct pdb_sid s = sid_at(time);
	size_t at = pdb_begin(b, 7, 0);

	pdb_u32(b, pid);
	pdb_u32(b, ppid);
	pdb_u32(b, tid);
	pdb_u32(b, ppid);
	pdb_u64(b, time);
	pdb_sid_put(b, ST, &s);
	pdb_end(b, at);
}

/* Everything before the trace: one process of two threads, one map. */
static void side_band(struct pdb *b, const char *file)
{
	struct pdb_sid s = sid_at(1000);

	aux_info(b, 1, 0x14);
	pdb_comm(b, PID, PID, "loop", ST, &s);
	fork_record(b, PID, PID, TID, 1000);
	pdb_mmap2(b, PID, BASE, 0x1000, 0, file, ST, &s);
}

static void aux_record(struct pdb *b, uint64_t offset, uint64_t size, uint64_t flags, uint64_t time)
{
	struct pdb_sid s = sid_at(time);

	pdb_aux(b, offset, size, flags, ST, &s);
}

struct result {
	unsigned int ranges, insns, nacc, fragments, ends, streams;
	unsigned int parts[8];
	uint64_t offset[8], size[8];
	bool raw[8];
	int pid, tid, cpu;
	uint64_t time;
	char comm[16];
	char located[64];
	uint64_t located_offset;
	unsigned int packets;
};

static int on_batch(void *data, struct stream *s, const struct cst_generic *g, size_t n)
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
		snprintf(r->located, sizeof(r->located), "%s", dso_path(loc.dso));
		r->located_offset = loc.offset;
		assert_int_equal(session_read_code(s, BASE, &code, 4), 4);
		assert_int_equal(code, 0xd503201f);
	}
	return 0;
}

static int on_begin(void *data, const struct session_fragment *f)
{
	struct result *r = data;

	assert_in_range(r->fragments, 0, 7);
	r->parts[r->fragments] = f->nr_parts;
	r->offset[r->fragments] = f->offset;
	r->size[r->fragments] = f->size;
	r->raw[r->fragments++] = f->raw;
	return 0;
}

static int on_end(void *data, struct stream *s)
{
	(void)s;
	((struct result *)data)->ends++;
	return 0;
}

static void on_stream_end(void *data, struct stream *s)
{
	(void)s;
	((struct result *)data)->streams++;
}

static int on_packet(void *data, struct stream *s, const struct cst_packet *pkt)
{
	(void)s;
	(void)pkt;
	((struct result *)data)->packets++;
	return 0;
}

static struct session *decode(struct pdb *data, struct result *r, bool packets)
{
	struct session_opts so = { .symfs = symfs };
	struct session_consumer con = { .data = r, .batch = on_batch, .fragment_begin = on_begin,
					.fragment_end = on_end, .stream_end = on_stream_end,
					.packet = packets ? on_packet : NULL };
	static struct pdb file;
	struct perfdata *pd;
	struct pd_error err;
	struct session *ss;

	pdb_free(&file);
	memset(&file, 0, sizeof(file));
	pdb_file(&file, &attr, 1, 0, data, NULL, 0);
	pdb_free(data);
	pd = perfdata_open_memory(file.p, file.len, "test", &err);
	assert_non_null(pd);
	ss = session_open_perfdata(&so, pd);
	assert_non_null(ss);
	memset(r, 0, sizeof(*r));
	assert_int_equal(session_run(ss, &con), 0);
	return ss;
}

static void check_good(const struct result *r, unsigned int fragments)
{
	assert_int_equal(r->ranges, ATOMS * fragments);
	assert_int_equal(r->insns, 2 * ATOMS * fragments);
	assert_int_equal(r->pid, PID);
	assert_int_equal(r->tid, TID);
	assert_int_equal(r->cpu, 2);
	assert_string_equal(r->comm, "loop");
	assert_string_equal(r->located, "/two.bin");
	assert_int_equal(r->located_offset, 4);
	assert_int_equal(r->fragments, fragments);
	assert_int_equal(r->ends, fragments);
}

static void raw_per_cpu(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	trace_of(&trace, TID);
	side_band(&data, "/two.bin");
	aux_record(&data, 0x40, trace.len, 0x100, 5000);
	pdb_auxtrace(&data, 0x40, trace.p, trace.len, 2, (uint32_t)-1);
	ss = decode(&data, &r, false);
	check_good(&r, 1);
	assert_true(r.raw[0]);
	assert_int_equal(r.time, 5000);
	assert_int_equal(r.streams, 1);
	assert_false(session_has_losses(ss));
	assert_int_equal(session_totals(ss)->dec.insns, 2 * ATOMS);
	assert_int_equal(session_totals(ss)->aux_bytes, trace.len);
	assert_int_equal(session_max_streams(ss), 1);
	assert_int_equal(session_pmu_type(ss), 8);
	session_close(ss);
	pdb_free(&trace);
}

/* What follows the fragment in the chunk is padding or another fragment and must not be decoded. */
static void frames_and_two_fragments(void **state)
{
	struct pdb data = { 0 }, trace = { 0 }, framed = { 0 };
	struct session *ss;
	struct result r;
	size_t one;

	(void)state;
	trace_of(&trace, TID);
	frames_of(&framed, &trace, 0x14);
	one = framed.len;
	frames_of(&framed, &trace, 0x14);
	side_band(&data, "/two.bin");
	aux_record(&data, 0, one, 0, 5000);
	aux_record(&data, one, one, 0, 6000);
	pdb_auxtrace(&data, 0, framed.p, framed.len, 2, (uint32_t)-1);
	ss = decode(&data, &r, false);
	check_good(&r, 2);
	assert_false(r.raw[0]);
	assert_int_equal(r.offset[1], one);
	assert_int_equal(r.time, 6000);
	assert_int_equal(r.streams, 1);
	assert_false(session_has_losses(ss));
	session_close(ss);
	pdb_free(&trace);
	pdb_free(&framed);
}

static void record_across_two_chunks(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	trace_of(&trace, TID);
	side_band(&data, "/two.bin");
	pdb_auxtrace(&data, 0, trace.p, 24, 2, (uint32_t)-1);
	aux_record(&data, 0, trace.len, 0x100, 5000);
	pdb_auxtrace(&data, 24, trace.p + 24, trace.len - 24, 2, (uint32_t)-1);
	ss = decode(&data, &r, false);
	check_good(&r, 1);
	assert_int_equal(r.parts[0], 2);
	assert_false(session_has_losses(ss));
	session_close(ss);
	pdb_free(&trace);
}

static void without_aux_records(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	trace_of(&trace, TID);
	side_band(&data, "/two.bin");
	pdb_auxtrace(&data, 0, trace.p, 32, 2, (uint32_t)-1);
	pdb_auxtrace(&data, 32, trace.p + 32, trace.len - 32, 2, (uint32_t)-1);
	ss = decode(&data, &r, false);
	check_good(&r, 1);
	assert_true(r.raw[0]);
	assert_int_equal(r.size[0], trace.len);
	session_close(ss);
	pdb_free(&trace);
}

/* A snapshot's record points behind the data and may give the size of the whole buffer. */
static void snapshot(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	trace_of(&trace, TID);
	side_band(&data, "/two.bin");
	aux_record(&data, 0x2000, 0x1000, 0x102, 4000);		/* written over, not in the file */
	aux_record(&data, 0x10000 + trace.len, 0x1000, 0x102, 5000);
	pdb_auxtrace(&data, 0x10000, trace.p, trace.len, 2, (uint32_t)-1);
	ss = decode(&data, &r, false);
	check_good(&r, 1);
	assert_int_equal(r.offset[0], 0x10000);
	assert_false(session_has_losses(ss));
	session_close(ss);
	pdb_free(&trace);
}

static void missing_data_is_counted(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	trace_of(&trace, TID);
	side_band(&data, "/two.bin");
	aux_record(&data, 0, trace.len + 100, 0x101, 5000);
	aux_record(&data, 0x9000, 0x500, 0x100, 6000);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	ss = decode(&data, &r, false);
	assert_int_equal(r.ranges, ATOMS);
	assert_int_equal(session_totals(ss)->aux_missing, 100 + 0x500);
	assert_int_equal(session_totals(ss)->aux_truncated, 1);
	assert_true(session_has_losses(ss));
	session_close(ss);
	pdb_free(&trace);
}

/* Two records must not make the same bytes count twice, however damaged the file is. */
static void overlapping_records(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;
	unsigned int i;

	(void)state;
	trace_of(&trace, TID);
	side_band(&data, "/two.bin");
	for (i = 0; i < 5; i++)
		aux_record(&data, 0, trace.len, 0x100, 5000 + i);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	ss = decode(&data, &r, false);
	check_good(&r, 1);
	assert_int_equal(session_totals(ss)->aux_missing, 4 * trace.len);
	session_close(ss);
	pdb_free(&trace);
}

/* The record of another CPU, in a buffer that follows its thread. */
static void per_thread(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	trace_of(&trace, TID);
	side_band(&data, "/two.bin");
	aux_record(&data, 0, trace.len, 0x100, 5000);
	pdb_auxtrace(&data, 0, trace.p, trace.len, (uint32_t)-1, TID);
	ss = decode(&data, &r, false);
	check_good(&r, 1);
	session_close(ss);
	pdb_free(&trace);
}

static void ids_from_hw_id_records(void **state)
{
	struct pdb data = { 0 }, trace = { 0 }, framed = { 0 };
	struct pdb_sid s = sid_at(900);
	struct session *ss;
	struct result r;
	size_t at;

	(void)state;
	trace_of(&trace, TID);
	frames_of(&framed, &trace, 0x2a);
	frames_of(&framed, &trace, 0x2b);
	aux_info(&data, 2, 0x80000000u | 0x14);
	at = pdb_begin(&data, 21, 0);
	pdb_u64(&data, 0x2a | 7ull << 8 | 1ull << 56);	/* ID 0x2a in sink 7, version 0.1 */
	pdb_sid_put(&data, ST, &s);
	pdb_end(&data, at);
	pdb_comm(&data, PID, PID, "loop", ST, &s);
	fork_record(&data, PID, PID, TID, 1000);
	pdb_mmap2(&data, PID, BASE, 0x1000, 0, "/two.bin", ST, &s);
	aux_record(&data, 0, framed.len, 0, 5000);
	pdb_auxtrace(&data, 0, framed.p, framed.len, 2, (uint32_t)-1);
	ss = decode(&data, &r, false);
	check_good(&r, 1);
	/* nobody announced 0x2b */
	assert_int_equal(session_totals(ss)->unrouted, trace.len);
	assert_true(session_has_losses(ss));
	session_close(ss);
	pdb_free(&trace);
	pdb_free(&framed);
}

/* The same address holds other code in the second fragment. */
static void code_of_its_time(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct pdb_sid s = sid_at(5500);
	struct session *ss;
	struct result r;
	size_t one;

	(void)state;
	trace_of(&trace, TID);
	one = trace.len;
	trace_of(&trace, TID);
	side_band(&data, "/two.bin");
	aux_record(&data, 0, one, 0x100, 5000);
	aux_record(&data, one, one, 0x100, 6000);
	pdb_mmap2(&data, PID, BASE, 0x1000, 0, "/three.bin", ST, &s);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	ss = decode(&data, &r, false);
	assert_int_equal(r.ranges, 2 * ATOMS);
	assert_int_equal(r.insns, (2 + 3) * ATOMS);
	assert_string_equal(r.located, "/three.bin");
	assert_false(session_has_losses(ss));
	session_close(ss);
	pdb_free(&trace);
}

static void missing_file_is_explained(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;
	char text[512] = "";
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");

	(void)state;
	trace_of(&trace, TID);
	side_band(&data, "/no-such.bin");
	aux_record(&data, 0, trace.len, 0x100, 5000);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	ss = decode(&data, &r, false);
	assert_int_equal(r.ranges, 0);
	assert_int_equal(r.nacc, session_totals(ss)->dec.nacc);
	assert_true(r.nacc > 0);
	assert_true(session_has_losses(ss));
	assert_int_equal(session_print_missing(ss, out), 1);
	fclose(out);
	assert_non_null(strstr(text, "/no-such.bin"));
	assert_non_null(strstr(text, "--symfs"));
	session_close(ss);
	pdb_free(&trace);
}

static void unknown_thread_is_a_loss(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	trace_of(&trace, 4711);
	side_band(&data, "/two.bin");
	aux_record(&data, 0, trace.len, 0x100, 5000);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	ss = decode(&data, &r, false);
	assert_int_equal(r.ranges, 0);
	assert_true(session_has_losses(ss));
	session_close(ss);
	pdb_free(&trace);
}

static void packets_for_listings(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	trace_of(&trace, TID);
	side_band(&data, "/two.bin");
	aux_record(&data, 0, trace.len, 0x100, 5000);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	ss = decode(&data, &r, true);
	check_good(&r, 1);
	/* A-sync, Trace Info, Trace On, address with context, atoms */
	assert_int_equal(r.packets, 4 + ATOMS);
	session_close(ss);
	pdb_free(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_per_cpu),
		cmocka_unit_test(frames_and_two_fragments),
		cmocka_unit_test(record_across_two_chunks),
		cmocka_unit_test(without_aux_records),
		cmocka_unit_test(snapshot),
		cmocka_unit_test(missing_data_is_counted),
		cmocka_unit_test(overlapping_records),
		cmocka_unit_test(per_thread),
		cmocka_unit_test(ids_from_hw_id_records),
		cmocka_unit_test(code_of_its_time),
		cmocka_unit_test(missing_file_is_explained),
		cmocka_unit_test(unknown_thread_is_a_loss),
		cmocka_unit_test(packets_for_listings),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
