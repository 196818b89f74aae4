/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_dump_session.c - dump -i of small recordings: the headings of AUX fragments, frames and their log, parts of a listing
 * over several buffers, and the losses that are reported.
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

#include "base/error.h"
#include "outputs/dump/dump.h"
#include "session/session.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/perf-plugin/texts.h"
#include "unit/temp_dir.h"

TEMP_DIR("dump-session")

#define NO_CPU ((uint32_t)-1)

static char out[65536], errors[16384];

/* A piece of trace in an AUX buffer, of a CPU or of a thread. */
static void piece(struct pdb *data, const struct pdb *trace, uint64_t offset, uint64_t flags, uint32_t cpu, uint32_t tid)
{
	struct pdb_sid s = sb_sid(SB_TIME + offset);

	s.cpu = cpu == NO_CPU ? 2 : cpu;
	pdb_aux(data, offset, trace->len, flags, SB_ST, &s);
	pdb_auxtrace(data, offset, trace->p, trace->len, cpu, tid);
}

static void begin(struct pdb *data)
{
	static const uint32_t loop[] = { 0xd503201f, 0x17ffffff };	/* nop; b .-4 */
	struct pdb_sid s = sb_sid(1000);

	memset(data, 0, sizeof(*data));
	temp_write(dir, "program", loop, sizeof(loop));
	sb_aux_info_of(data, 1, SB_CONFIGR, 0x14, 2);
	pdb_comm(data, SB_PID, SB_PID, "loop", SB_ST, &s);
	sb_fork(data, SB_PID, SB_PID, SB_TID, 1000);
	pdb_mmap2(data, SB_PID, SB_BASE, 0x1000, 0, "/program", SB_ST, &s);
}

static const char *input = "data", *symfs = dir;

static void finish(struct pdb *data)
{
	struct pdb file = { .p = NULL };

	pdb_file(&file, &sb_attr, 1, 0, data, NULL, 0);
	temp_write(dir, input, file.p, file.len);
	pdb_free(&file);
	pdb_free(data);
}

static struct dump listing(void)
{
	return (struct dump){ .only_id = -1, .cpu = -1, .pid = -1, .tid = -1 };
}

static int run_to(struct dump *d, const char *path)
{
	const struct session_opts so = { .input = temp_path(dir, input), .symfs = symfs, .buildid_dir = "/nonexistent" };
	struct said said;
	int rc;

	assert_int_equal(dump_out_open(&d->out, path), 0);
	said_begin(&said);
	rc = dump_session(d, &so);
	snprintf(errors, sizeof(errors), "%s", said_end(&said));
	*out = 0;
	if (rc) {
		dump_out_abort(&d->out);
		return rc;
	}
	assert_int_equal(dump_out_close(&d->out), 0);
	temp_read(path, out, sizeof(out));
	return rc;
}

static int run(struct dump *d)
{
	return run_to(d, temp_path(dir, "listing"));
}

#define DONE(bytes, insns, branches) "cstrace: " bytes " bytes, " insns " instructions, " branches " branches, losses: none\n"
#define RANGE(index, id) index "         " id " * range 0x400000-0x400008 n=2 A64 branch E EL0 non-secure cid=0x65 tid=101\n"

static struct pdb raw, frames[2];

static int make_traces(void **state)
{
	sb_trace(&raw, SB_TID);
	sb_frames(&frames[0], &raw, 0x14);
	sb_frames(&frames[1], &raw, 0x15);
	return make_dir(state);
}

static int free_traces(void **state)
{
	pdb_free(&raw);
	pdb_free(&frames[0]);
	pdb_free(&frames[1]);
	return remove_dir(state);
}

/* The buffer of each fragment, its place in it, and what the AUX record says. */
static void test_headings(void **state)
{
	struct pdb data;
	struct dump d;

	(void)state;
	begin(&data);
	piece(&data, &raw, 0, SB_RAW, 2, NO_CPU);
	piece(&data, &raw, raw.len, SB_RAW | 1, 2, NO_CPU);
	piece(&data, &frames[1], 0, 0, 0, NO_CPU);
	finish(&data);
	d = listing();
	assert_int_equal(run(&d), 0);
	assert_text("CPUs", out, "# buffer 0, CPU 2: raw, offset 0, 53 bytes, flags 0x100\n"
	   "# buffer 0, CPU 2: raw, offset 53, 53 bytes, flags 0x101\n"
	   "# buffer 1, CPU 0: frames, offset 0, 64 bytes\n");
	assert_text("CPUs", errors, "cstrace dump: lost:\n"
	   "  1 truncated AUX records: the AUX buffer was full: a gap of unknown length at the end of each\n"
	   "    -> record with a larger buffer (perf record -m ,16M); or trace less (-e cs_etm//u); or trace a part of the "
	   "program (--filter)\n"
	   "cstrace: 170 bytes, 144 instructions, 72 branches, losses: 1 truncated AUX records\n");
	assert_true(d.losses);
	begin(&data);
	piece(&data, &frames[0], 0, 0, NO_CPU, SB_TID);
	finish(&data);
	d = listing();
	assert_int_equal(run(&d), 0);
	assert_text("a thread", out, "# buffer 0, thread 101: frames, offset 0, 64 bytes\n");
	assert_text("a thread", errors, DONE("64", "48", "24"));
	assert_false(d.losses);
	begin(&data);
	pdb_auxtrace(&data, 0, frames[0].p, frames[0].len, 2, NO_CPU);
	finish(&data);
	d = listing();
	assert_int_equal(run(&d), 0);
	assert_text("no AUX record", out, "# buffer 0, CPU 2: frames, offset 0, 64 bytes, no AUX record\n");
	d = listing();
	d.format = DUMP_NONE;
	assert_int_equal(run(&d), 0);
	assert_text("nothing", out, "");
	assert_int_equal(d.stats.bytes, 53);
	assert_int_equal(d.stats.insns, 48);
	assert_int_equal(d.stats.branches, 24);
}

/* A program that is not there is named, and what its lack cost. */
static void test_missing(void **state)
{
	struct pdb data;
	struct dump d;

	(void)state;
	begin(&data);
	piece(&data, &raw, 0, SB_RAW, 2, NO_CPU);
	finish(&data);
	d = listing();
	d.elements = true;
	symfs = "/nonexistent";
	assert_int_equal(run(&d), 0);
	symfs = dir;
	assert_true(d.losses);
	assert_text("missing", errors, "cstrace dump: lost:\n"
	   "  1 places whose file was not found, 24 bytes of trace, 45.3 %: a mapped file is not on this machine\n"
	   "    -> copy the missing files below the directory of --symfs, too\n"
	   "  23 atoms without an address or context: what follows a loss, until the next address\n"
	   "cstrace: missing code, 1 times (24 bytes of trace, 45.3 %): /program: file not found; give the directory with the target's "
	   "files with --symfs DIR\n"
	   "cstrace: 53 bytes, 0 instructions, 0 branches, losses: 1 places without code, 23 atoms without an address or context\n");
}

/* Lists frames as they stand, and what is in them; bytes without frames have neither. */
static void test_frames(void **state)
{
	static const char packed[] =
		"0          == frame 2b000000000000000000000080010000\n"
		"16         == frame 2b04840000400000000000b064000042\n"
		"32         == frame 2b00f6f7f6f7f6f7f6f7f6f7f6f7f6fe\n"
		"48         == frame 2bf7f6f7f6f7f6f7f6f7f6f70100003e\n";
	static const char unpacked[] =
		"0          15 0000000000000000000000800100\n"
		"16         15 04850000400000000000b0650000\n"
		"32         15 00f7f7f7f7f7f7f7f7f7f7f7f7f7\n"
		"48         15 f7f7f7f7f7f7f7f7f7f7f7\n"
		"60         00 0000\n";
	char want[1024];
	struct pdb data;
	struct dump d;
	unsigned int i;

	(void)state;
	begin(&data);
	piece(&data, &raw, 0, SB_RAW, 2, NO_CPU);
	piece(&data, &frames[1], 0, 0, 3, NO_CPU);
	finish(&data);
	for (i = 1; i < 4; i++) {
		d = listing();
		d.packed = i & 1;
		d.frames = i & 2;
		assert_int_equal(run(&d), 0);
		snprintf(want, sizeof(want), "# buffer 0, CPU 2: raw, offset 0, 53 bytes, flags 0x100\n"
			 "# buffer 1, CPU 3: frames, offset 0, 64 bytes\n%s%s", d.packed ? packed : "", d.frames ? unpacked : "");
		assert_text("frames", out, want);
		assert_text("frames", errors, DONE("117", "96", "48"));
	}
}

/* A barrier between frames, which a frame sink writes when its trace does not continue what came before. */
static void test_barrier(void **state)
{
	static const uint8_t barrier[16] = { 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f };
	struct pdb two = { .p = NULL }, data;
	const char *at;
	struct dump d;

	(void)state;
	pdb_bytes(&two, frames[1].p, frames[1].len);
	pdb_bytes(&two, barrier, sizeof(barrier));
	pdb_bytes(&two, frames[1].p, frames[1].len);
	begin(&data);
	piece(&data, &two, 0, 0, 3, NO_CPU);
	finish(&data);
	d = listing();
	d.frames = true;
	assert_int_equal(run(&d), 0);
	at = strstr(out, "\n60         00 0000\n");
	assert_non_null(at);
	assert_text_begins("frames", at, "\n60         00 0000\n64         ff barrier\n80         15 0000000000000000000000800100\n");
	pdb_free(&two);
}

#define ODD "auxiliary bit of a frame's last ID byte is set, which has no meaning"

/* What is wrong in a frame is logged once, however often the frame is listed. */
static void test_log(void **state)
{
	static const struct {
		bool packed, frames, packets, elements;
		unsigned int findings;
	} lists[] = {
		{ true, false, false, false, 2 }, { false, true, false, false, 2 }, { true, true, false, false, 2 },
		{ false, true, true, false, 0 }, { true, false, false, true, 0 }, { true, true, true, true, 0 },
	};
	struct pdb odd = { .p = NULL }, two = { .p = NULL }, data;
	unsigned int n;
	struct dump d;
	const char *p;
	size_t i;

	(void)state;
	/* ID 0 at the end of the last frame, with an auxiliary bit */
	pdb_bytes(&odd, frames[1].p, frames[1].len);
	odd.p[odd.len - 2] = 0x01;
	odd.p[odd.len - 1] |= 0x80;
	pdb_bytes(&two, odd.p, odd.len);
	pdb_bytes(&two, odd.p, odd.len);
	begin(&data);
	piece(&data, &two, 0, 0, 3, NO_CPU);
	finish(&data);
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		d = listing();
		d.packed = lists[i].packed;
		d.frames = lists[i].frames;
		d.packets = lists[i].packets;
		d.elements = lists[i].elements;
		assert_int_equal(dump_log_open(&d, CST_LOG_INFO), 0);
		assert_int_equal(run(&d), 0);
		assert_text("log", errors, "Idx:62; frame; info: " ODD " (IHI 0029 D4.2.2)\nIdx:126; frame; info: " ODD " (IHI 0029 D4.2.2)\n"
		   DONE("128", "96", "48"));
		assert_int_equal(cst_log_count(d.log, CST_LOG_ALL_IDS, CST_LOG_INFO), 2);
		/* a listing of frames alone has a line for each */
		for (p = out, n = 0; (p = strstr(p, "finding: " ODD "\n")); p++)
			n++;
		if (n != lists[i].findings)
			fail_msg("list %zu: %u findings: %s", i, n, out);
		cst_log_free(d.log);
	}
	pdb_free(&odd);
	pdb_free(&two);
}

/* A bit without a meaning is a note; with --strict the frame is an error, and what it holds is lost. */
static void test_strict(void **state)
{
	struct pdb odd = { .p = NULL }, data;
	struct dump d;
	unsigned int strict;

	(void)state;
	pdb_bytes(&odd, frames[1].p, frames[1].len);
	odd.p[odd.len - 2] = 0x01;
	odd.p[odd.len - 1] |= 0x80;
	begin(&data);
	piece(&data, &odd, 0, 0, 3, NO_CPU);
	finish(&data);
	for (strict = 0; strict < 2; strict++) {
		d = listing();
		d.elements = true;
		d.strict = strict;
		assert_int_equal(run(&d), 0);
		assert_int_equal(d.losses, strict);
		assert_int_equal(strstr(errors, "losses: none") == NULL, strict);
	}
	pdb_free(&odd);
}

/* A listing is not written over the recording that it is made of. */
static void test_own_input(void **state)
{
	struct pdb data;
	struct dump d;

	(void)state;
	/* one that was not read before */
	input = "fresh";
	begin(&data);
	piece(&data, &frames[1], 0, 0, 3, NO_CPU);
	finish(&data);
	d = listing();
	d.elements = true;
	assert_int_equal(run_to(&d, temp_path(dir, "fresh")), ERR_REPORTED);
	input = "data";
	assert_non_null(strstr(errors, "/fresh: is one of the files that are read; the output needs another name: choose one with -o\n"));
}

static int run_range(struct dump *d, struct dump_place from, struct dump_place to)
{
	struct dump_range *r = calloc(1, sizeof(*r));
	int rc;

	assert_non_null(r);
	assert_int_equal(index_book_init(&r->book, "cstrace dump", temp_path(dir, "data"), NULL), 0);
	r->from = from;
	r->to = to;
	d->range = r;
	rc = run(d);
	index_book_free(&r->book);
	free(r);
	return rc;
}

/* Each buffer is listed from the place on, and fragments of a buffer continue it. */
static void test_ranges(void **state)
{
	const struct dump_place none = { .set = false }, from = { true, CST_INDEX_KINDS, 50 }, to = { true, CST_INDEX_KINDS, 52 },
				late = { true, CST_INDEX_KINDS, 104 };
	struct pdb data;
	struct dump d;

	(void)state;
	begin(&data);
	piece(&data, &raw, 0, SB_RAW, 2, NO_CPU);
	piece(&data, &raw, raw.len, SB_RAW, 2, NO_CPU);
	piece(&data, &frames[1], 0, 0, 3, NO_CPU);
	finish(&data);
	d = listing();
	d.elements = true;
	assert_int_equal(run_range(&d, from, to), 0);
	assert_text("from 50 to 52", out, "# buffer 0, CPU 2: raw, offset 0, 53 bytes, flags 0x100\n" RANGE("50", "14") RANGE("51", "14")
	   "# buffer 0, CPU 2: raw, offset 53, 53 bytes, flags 0x100\n"
	   "# buffer 1, CPU 3: frames, offset 0, 64 bytes\n" RANGE("50", "15") RANGE("51", "15"));
	d = listing();
	d.elements = true;
	assert_int_equal(run_range(&d, late, none), 0);
	assert_text("from 104", out, "# buffer 0, CPU 2: raw, offset 0, 53 bytes, flags 0x100\n"
	   "# buffer 0, CPU 2: raw, offset 53, 53 bytes, flags 0x100\n"
	   "104        14 * range 0x400000-0x400008 n=2 A64 branch E EL0 non-secure cid=0x65 tid=101\n"
	   "105        14 * range 0x400000-0x400008 n=2 A64 branch E EL0 non-secure cid=0x65 tid=101\n"
	   "105        14 * end end\n"
	   "# buffer 1, CPU 3: frames, offset 0, 64 bytes\n");
	/* what was not listed is decoded all the same */
	d = listing();
	d.packets = true;
	d.format = DUMP_OPENCSD;
	d.only_id = 0x15;
	assert_int_equal(run_range(&d, from, to), 0);
	assert_text("packets", out, "Using buffer 0, CPU 2 as trace source\nUsing buffer 0, CPU 2 as trace source\n"
	   "Using buffer 1, CPU 3 as trace source\n"
	   "Idx:50; ID:15; [0xf7 ];\tI_ATOM_F1 : Atom format 1.; E\nIdx:51; ID:15; [0xf7 ];\tI_ATOM_F1 : Atom format 1.; E\n");
}

/* Each buffer has a part of its own, also of the same trace ID; a fragment continues the one before it in its buffer. */
static void test_parts_of_buffers(void **state)
{
	const struct dump_place context = { true, CST_INDEX_CONTEXT, SB_TID }, none = { .set = false };
	const struct dump_place from = { true, CST_INDEX_KINDS, 57 }, to = { true, CST_INDEX_KINDS, 58 };
	struct pdb data;
	const char *at;
	struct dump d;

	(void)state;
	begin(&data);
	piece(&data, &frames[0], 0, 0, 2, NO_CPU);
	piece(&data, &frames[0], 0, 0, 3, NO_CPU);
	piece(&data, &frames[0], frames[0].len, 0, 3, NO_CPU);
	finish(&data);
	d = listing();
	d.elements = true;
	assert_int_equal(run_range(&d, from, to), 0);
	assert_text("from 57 to 58", out, "# buffer 0, CPU 2: frames, offset 0, 64 bytes\n" RANGE("57", "14")
		    "# buffer 1, CPU 3: frames, offset 0, 64 bytes\n" RANGE("57", "14")
		    "# buffer 1, CPU 3: frames, offset 64, 64 bytes\n");
	/* the last fragment is not read: its buffer is done */
	assert_text("from 57 to 58", errors, DONE("128", "96", "48"));
	d = listing();
	d.elements = true;
	assert_int_equal(run_range(&d, context, none), 0);
	at = strstr(out, "# buffer 1, CPU 3: frames, offset 0, 64 bytes\n17         14 * context A64 EL0 non-secure cid=0x65\n");
	assert_non_null(at);
	at = strstr(at, "offset 64, 64 bytes\n");
	assert_non_null(at);
	assert_text_begins("the next fragment", at, "offset 64, 64 bytes\n64         14 * no-sync reset\n80         14 * trace-on begin\n");
}

/* Where an element ran is known of its stream. */
static void test_streams(void **state)
{
	const struct dump_place none = { .set = false };
	uint64_t counted[4];
	struct pdb data;
	struct dump d;
	int i;

	(void)state;
	begin(&data);
	piece(&data, &frames[0], 0, 0, 2, NO_CPU);
	piece(&data, &frames[1], 0, 0, 3, NO_CPU);
	finish(&data);
	d = listing();
	d.elements = true;
	d.format = DUMP_JSON;
	d.only_id = 0x15;
	assert_int_equal(run_range(&d, (struct dump_place){ true, CST_INDEX_KINDS, 58 }, none), 0);
	assert_text("json", out, "{\"record\":\"section\",\"name\":\"buffer 0, CPU 2\",\"detail\":\"frames, offset 0, 64 bytes\"}\n"
	   "{\"record\":\"section\",\"name\":\"buffer 1, CPU 3\",\"detail\":\"frames, offset 0, 64 bytes\"}\n"
	   "{\"record\":\"element\",\"index\":58,\"id\":21,\"kind\":\"range\",\"start\":\"0x400000\",\"end\":\"0x400008\",\"insns\":2,"
	   "\"isa\":\"A64\",\"last\":\"branch\",\"last_size\":4,\"executed\":true,\"el\":0,\"security\":\"non-secure\",\"context_id\":101,"
	   "\"cpu\":3,\"pid\":100,\"tid\":101}\n"
	   "{\"record\":\"element\",\"index\":58,\"id\":21,\"kind\":\"end\",\"reason\":\"end\",\"cpu\":3,\"pid\":100,\"tid\":101}\n");
	/* counts are those of the stream */
	for (i = 0; i < 4; i++) {
		d = listing();
		d.format = DUMP_NONE;
		d.only_id = i ? 0x13 + i : -1;
		assert_int_equal(run(&d), 0);
		counted[i] = d.stats.insns;
		assert_int_equal(d.has_id, i == 1 || i == 2);
	}
	assert_true(counted[1] && counted[2]);
	assert_int_equal(counted[1] + counted[2], counted[0]);
	assert_int_equal(counted[3], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headings),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_barrier),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_own_input),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_parts_of_buffers),
		cmocka_unit_test(test_streams),
	};

	return cmocka_run_group_tests(tests, make_traces, free_traces);
}
