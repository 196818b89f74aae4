/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_export_events.c - records of perf.data as events of a package's log: whatever the record, the line
 * of text gives the same bytes again. And what events become that no record was the origin of.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/export/event_of.h"
#include "perfdata/auxinfo.h"
#include "perfdata/layout.h"
#include "perfdata/writer.h"
#include "session/import/events.h"
#include "session/import/header.h"
#include "unit/perf-plugin/perfdata_build.h"

#define MAX_TEXT	(1u << 19)
#define MAX_RECORDS	16

struct made {
	uint8_t bytes[MAX_RECORDS][PD_MAX_RECORD + 1];
	size_t size[MAX_RECORDS];
	size_t nr;
};

static struct made made;
static struct event_build build;
static char text[MAX_TEXT];
static struct source_names names;

static int take(void *data, const void *record, size_t size)
{
	struct made *m = data;
	struct perf_event_header h;

	assert_true(size >= sizeof(h) && size <= PD_MAX_RECORD);
	memcpy(&h, record, sizeof(h));
	assert_int_equal(h.size, size);
	assert_true(m->nr < MAX_RECORDS);
	memcpy(m->bytes[m->nr], record, size);
	m->size[m->nr++] = size;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	names.v = calloc(2, sizeof(*names.v));
	assert_non_null(names.v);
	strcpy(names.v[0].name, "cpu0");
	strcpy(names.v[1].name, "etm 1");
	names.v[0].unit = AUX_ETMV4;
	names.v[1].unit = AUX_ETE;
	names.v[1].cpu = 1;
	names.nr = 2;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(names.v);
	return 0;
}

/* The events of a text as records. */
static void read_text(struct record_maker *m, const char *line, size_t len)
{
	struct cst_event_reader *r;
	struct cst_problem why;
	struct cst_event ev;
	int rc;

	assert_int_equal(cst_event_reader_new(&r, line, len, 0), 0);
	while ((rc = cst_event_next(r, &ev, &why))) {
		assert_int_equal(rc, 1);
		assert_int_equal(records_of_event(m, &ev, ev.time == CST_EVENT_NO_TIME ? 0 : ev.time), 0);
	}
	cst_event_reader_free(r);
}

/* ---- records of a file ------------------------------------------------------------------------- */

static const uint64_t ids[] = { 7, 8 };

/* A perf.data in memory with these records; two events, so that ids matter. */
static struct perfdata *file_of(const uint8_t *records, size_t len, uint64_t sample_type, uint8_t **copy)
{
	struct pd_file_header h = { .magic = PD_MAGIC, .size = PD_FILE_HEADER_SIZE };
	struct perf_event_attr attr = { .size = PD_ATTR_SIZE_OUT, .sample_type = sample_type,
					.sample_id_all = 1 };
	struct pd_section at = { PD_FILE_HEADER_SIZE, 8 };
	struct perfdata *pd;
	struct error err;
	uint8_t *p;
	unsigned int i;

	h.attr_size = PD_ATTR_SIZE_OUT + sizeof(at);
	h.attrs.offset = PD_FILE_HEADER_SIZE + sizeof(ids);
	h.attrs.size = 2 * h.attr_size;
	h.data.offset = h.attrs.offset + h.attrs.size;
	h.data.size = len;
	*copy = p = malloc(h.data.offset + len);
	assert_non_null(p);
	memcpy(p, &h, sizeof(h));
	memcpy(p + PD_FILE_HEADER_SIZE, ids, sizeof(ids));
	for (i = 0; i < 2; i++) {
		at.offset = PD_FILE_HEADER_SIZE + 8 * i;
		memcpy(p + h.attrs.offset + i * h.attr_size, &attr, PD_ATTR_SIZE_OUT);
		memcpy(p + h.attrs.offset + i * h.attr_size + PD_ATTR_SIZE_OUT, &at, sizeof(at));
	}
	if (len)
		memcpy(p + h.data.offset, records, len);
	pd = perfdata_open_memory(p, h.data.offset + len, "memory", &err);
	assert_non_null(pd);
	return pd;
}

/* Every record of the file as text and back. Returns how many there were. */
static unsigned int round_trip(struct perfdata *pd)
{
	struct record_maker m = { .header = pd, .sources = &names, .own = true, .emit = take, .data = &made };
	struct pd_record rec;
	unsigned int n = 0;
	int64_t len;
	int rc;

	while ((rc = perfdata_next(pd, &rec))) {
		if (rc < 0 || rec.ev->header.type == PERF_RECORD_AUXTRACE)
			continue;
		event_of_record(&build, &rec, &names, pd);
		len = cst_event_write(&build.ev, text, sizeof(text));
		assert_true(len > 0 && len <= (int64_t)sizeof(text));
		made.nr = 0;
		read_text(&m, text, (size_t)len);
		assert_int_equal(made.nr, 1);
		assert_int_equal(made.size[0], rec.ev->header.size);
		assert_memory_equal(made.bytes[0], rec.ev, made.size[0]);
		n++;
	}
	return n;
}

static const uint32_t types[] = {
	PERF_RECORD_MMAP, PERF_RECORD_LOST, PERF_RECORD_COMM, PERF_RECORD_EXIT, PERF_RECORD_FORK,
	PERF_RECORD_SAMPLE, PERF_RECORD_MMAP2, PERF_RECORD_AUX, PERF_RECORD_ITRACE_START,
	PERF_RECORD_LOST_SAMPLES, PERF_RECORD_SWITCH, PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_NAMESPACES,
	PERF_RECORD_KSYMBOL, PERF_RECORD_BPF_EVENT, PERF_RECORD_CGROUP, PERF_RECORD_TEXT_POKE,
	PERF_RECORD_AUX_OUTPUT_HW_ID, PERF_RECORD_FINISHED_ROUND, PERF_RECORD_ID_INDEX,
	PERF_RECORD_AUXTRACE_ERROR, PERF_RECORD_THREAD_MAP, PERF_RECORD_TIME_CONV,
	PERF_RECORD_FINISHED_INIT, 60, 95,
	PD_RECORD_CST_UNMAP, PD_RECORD_CST_CODE, PD_RECORD_CST_ASID, PD_RECORD_CST_DEFINE_TRACE,
};

static const uint64_t layouts[] = {
	PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID,
	PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
		PERF_SAMPLE_IDENTIFIER,
	PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME,
};

/* Records of every type, with fields that are small, large, or anything. */
static void test_any_record(void **state)
{
	static uint8_t buf[4096];
	unsigned int seed, n = 0, k, i;
	struct perf_event_header h;
	struct perfdata *pd;
	uint8_t *copy;
	size_t size;

	(void)state;
	for (seed = 1; seed <= 6000; seed++) {
		unsigned int s = seed;

		h.type = types[(unsigned int)rand_r(&s) % (sizeof(types) / sizeof(types[0]))];
		h.misc = (uint16_t)(rand_r(&s) % 3 ? rand_r(&s) & 3 : rand_r(&s));
		size = 8 + 8 * ((unsigned int)rand_r(&s) % 32);
		h.size = (uint16_t)size;
		k = (unsigned int)rand_r(&s) % 4;
		for (i = 0; i < size; i++)
			buf[i] = k == 0 ? 0 : k == 1 ? (uint8_t)(i % 4 ? 0 : rand_r(&s) % 5) :
				 k == 2 ? (uint8_t)(rand_r(&s) % 3 ? 0 : rand_r(&s)) : (uint8_t)rand_r(&s);
		memcpy(buf, &h, sizeof(h));
		/* an id that one of the events has, more often than not */
		if (size >= 16 && rand_r(&s) % 4)
			memcpy(buf + size - 8, &ids[seed % 2], 8);
		pd = file_of(buf, size, layouts[seed % 4], &copy);
		n += round_trip(pd);
		perfdata_close(pd);
		free(copy);
	}
	/* most of them are records that a reader takes */
	assert_true(n > 2000);
}

/* ---- what a recorder writes has a verb of its own ---------------------------------------------- */

struct rec_mmap2 {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, gen;
	uint32_t prot, flags;
	char name[8];
	uint64_t id_tail[4];
};

#define TAIL(tid_, time_) { (uint64_t)(tid_) << 32 | 100, time_, 1, 7 }

static const char *text_in(const void *rec, size_t size, uint64_t layout)
{
	struct perfdata *pd;
	struct pd_record r;
	uint8_t *copy;
	int64_t len;

	pd = file_of(rec, size, layout, &copy);
	assert_int_equal(round_trip(pd), 1);
	perfdata_rewind(pd);
	assert_int_equal(perfdata_next(pd, &r), 1);
	event_of_record(&build, &r, &names, pd);
	len = cst_event_write(&build.ev, text, sizeof(text) - 1);
	assert_true(len > 0);
	text[len] = '\0';
	perfdata_close(pd);
	free(copy);
	return text;
}

static const char *text_of(const void *rec, size_t size)
{
	return text_in(rec, size, layouts[0]);
}

static void test_verbs(void **state)
{
	const struct rec_mmap2 map = {
		{ PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof(map) }, 100, 101, 0x400000, 0x1000, 0x2000,
		8, 1, 5, 0, 5, 2, "/bin/x", TAIL(101, 55) };
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		char comm[8];
		uint64_t tail[4];
	} exec = { { PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof(exec) }, 100, 100, "x y", TAIL(100, 9) }, plain = exec;
	char want[200];
	const struct {
		struct perf_event_header h;
		uint32_t pid, ppid, tid, ptid;
		uint64_t time, tail[4];
	} thread = { { PERF_RECORD_FORK, 0, sizeof(thread) }, 100, 100, 102, 100, 77, TAIL(100, 77) },
	  child = { { PERF_RECORD_FORK, 0, sizeof(child) }, 200, 100, 200, 101, 78, TAIL(100, 78) },
	  gone = { { PERF_RECORD_EXIT, 0, sizeof(gone) }, 200, 100, 200, 100, 79, TAIL(200, 79) };
	const struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t start, len, tail[4];
	} unmap = { { PD_RECORD_CST_UNMAP, 0, sizeof(unmap) }, 100, 100, 0x1000, 0x2000, TAIL(100, 4) };
	const struct {
		struct perf_event_header h;
		uint32_t pid, asid, state, pad;
		uint64_t tail[4];
	} asid = { { PD_RECORD_CST_ASID, 0, sizeof(asid) }, 100, 0x33, PD_CST_END, 0, TAIL(100, 4) };
	const struct {
		struct perf_event_header h;
		uint64_t hw_id, tail[4];
	} hw_id = { { PERF_RECORD_AUX_OUTPUT_HW_ID, 0, sizeof(hw_id) }, 0x0100000000000512, TAIL(100, 3) };
	const struct {
		struct perf_event_header h;
		uint64_t addr;
		uint16_t old_len, new_len;
		uint8_t before[4], after[4], pad[4];
		uint64_t tail[4];
	} poke = { { PERF_RECORD_TEXT_POKE, PERF_RECORD_MISC_KERNEL, sizeof(poke) }, 0xffff800010080000, 4, 4, { 1, 2, 3, 4 },
		   { 5, 6, 7, 8 }, { 0 }, TAIL(0, 6) };

	(void)state;
	assert_string_equal(text_of(&map, sizeof(map)),
			    "55 declare_library(START, 100, 0x400000, \"/bin/x\", size=0x1000, offset=0x2000, tid=101, "
			    "prot=0x5, flags=0x2, maj=0x8, min=0x1, ino=0x5, gen=0x0, at_pid=100, at_tid=101, at_cpu=1, "
			    "at_id=0x7)\n");
	assert_string_equal(text_of(&exec, sizeof(exec)),
			    "9 declare_process(START, 100, None, None, comm=\"x y\", at_pid=100, at_tid=100, at_cpu=1, "
			    "at_id=0x7)\n");
	for (plain.h.misc = 0; plain.h.misc < 3; plain.h.misc++) {
		snprintf(want, sizeof(want), "9 declare_process(CURRENT, 100, None, None, comm=\"x y\", %sat_pid=100, at_tid=100, at_cpu=1, at_id=0x7)\n",
			 (const char *[]){ "", "misc=0x1, ", "misc=0x2, " }[plain.h.misc]);
		assert_string_equal(text_of(&plain, sizeof(plain)), want);
	}
	assert_string_equal(text_of(&thread, sizeof(thread)),
			    "77 declare_thread(START, 102, 100, at_pid=100, at_tid=100, at_cpu=1, at_id=0x7)\n");
	assert_string_equal(text_of(&child, sizeof(child)),
			    "78 declare_process(START, 200, None, None, inherit=100, ptid=101, at_pid=100, at_tid=100, "
			    "at_cpu=1, at_id=0x7)\n");
	assert_string_equal(text_of(&gone, sizeof(gone)),
			    "79 declare_process(END, 200, None, None, ppid=100, ptid=100, at_pid=100, at_tid=200, "
			    "at_cpu=1, at_id=0x7)\n");
	assert_string_equal(text_of(&unmap, sizeof(unmap)),
			    "4 declare_library(END, 100, 0x1000, None, size=0x2000, at_pid=100, at_tid=100, at_cpu=1, "
			    "at_id=0x7)\n");
	assert_string_equal(text_of(&asid, sizeof(asid)),
			    "4 declare_asid(END, 0x33, 100, at_pid=100, at_tid=100, at_cpu=1, at_id=0x7)\n");
	assert_string_equal(text_of(&poke, sizeof(poke)),
			    "6 patch_code(0, 0xffff800010080000, 0x4, <05060708>, old=<01020304>, at_pid=100, at_tid=0, "
			    "at_cpu=1, at_id=0x7)\n");
	assert_string_equal(text_of(&hw_id, sizeof(hw_id)),
			    "3 define_trace(START, 0x12, \"etm 1\", hw_id=0x100000000000500, at_pid=100, at_tid=100, "
			    "at_cpu=1, at_id=0x7)\n");
}

/* The text of a record of these fields: "w" and "q" are numbers of 32 and 64 bits, "s" is a text. */
static const char *line_of(unsigned int layout, const struct pdb_sid *sid, uint32_t type, uint16_t misc, const char *fields, ...)
{
	struct pdb b = { 0 };
	size_t at = pdb_begin(&b, type, misc);
	const char *line;
	va_list args;

	va_start(args, fields);
	for (; *fields; fields++)
		switch (*fields) {
		case 'w':
			pdb_u32(&b, va_arg(args, unsigned int));
			break;
		case 'q':
			pdb_u64(&b, va_arg(args, unsigned long long));
			break;
		default:
			pdb_str8(&b, va_arg(args, const char *));
		}
	va_end(args);
	pdb_sid_put(&b, layouts[layout], sid);
	pdb_end(&b, at);
	line = text_in(b.p, b.len, layouts[layout]);
	pdb_free(&b);
	return line;
}

#define AT	", at_pid=100, at_tid=101, at_cpu=1, at_id=0x7)\n"

/* Values that are as usual are left out; the others each have a parameter, so that no text needs the record as well. */
static void test_parameters(void **state)
{
	const struct pdb_sid sid = { 100, 101, 5, 7, 1 }, start = { 100, 101, 0, 7, 1 }, cpu9 = { 100, 101, 5, 7, 9 };
	const uint32_t kernel = UINT32_MAX;

	(void)state;
	/* maps */
#define MAP	0x400000ull, 0x1000ull, 0x2000ull
	assert_string_equal(line_of(0, &sid, PERF_RECORD_MMAP, 2, "wwqqqs", 100, 100, MAP, "/bin/x"),
			    "5 declare_library(START, 100, 0x400000, \"/bin/x\", size=0x1000, offset=0x2000, record=mmap" AT);
	assert_string_equal(line_of(0, &start, PERF_RECORD_MMAP, 2, "wwqqqs", 100, 102, MAP, "/bin/x"),
			    "0 declare_library(CURRENT, 100, 0x400000, \"/bin/x\", size=0x1000, offset=0x2000, tid=102, "
			    "record=mmap" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_MMAP, 1, "wwqqqs", kernel, 0, MAP, "[kernel]"),
			    "5 declare_library(START, 0, 0x400000, \"[kernel]\", size=0x1000, offset=0x2000, record=mmap" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_MMAP, 2, "wwqqqs", kernel, kernel, MAP, "[kernel]"),
			    "5 declare_library(START, 0, 0x400000, \"[kernel]\", size=0x1000, offset=0x2000, tid=-1, record=mmap, "
			    "misc=0x2" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_MMAP, 1, "wwqqqs", 100, 100, MAP, "/bin/x"),
			    "5 declare_library(START, 100, 0x400000, \"/bin/x\", size=0x1000, offset=0x2000, record=mmap, "
			    "misc=0x1" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_MMAP2, 0x4002, "wwqqqqqqwws", 100, 100, MAP, 0x0403020100000014ull,
				    0x0c0b0a0908070605ull, 0x14131211100f0e0dull, 5, 2, "/bin/x"),
			    "5 declare_library(START, 100, 0x400000, \"/bin/x\", 0102030405060708090a0b0c0d0e0f1011121314, "
			    "size=0x1000, offset=0x2000, prot=0x5, flags=0x2" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_MMAP2, 0x4001, "wwqqqqqqwws", kernel, 0, MAP, 0xdcba00000002ull, 0ull, 0ull,
				    5, 2, "/bin/x"),
			    "5 declare_library(START, 0, 0x400000, \"/bin/x\", badc, size=0x1000, offset=0x2000, prot=0x5, "
			    "flags=0x2" AT);
	/* tasks */
	assert_string_equal(line_of(0, &sid, PERF_RECORD_COMM, 0, "wws", 100, 101, "x y"),
			    "5 x_comm(pid=100, tid=101, comm=\"x y\"" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_COMM, 0x2000, "wws", 100, 101, "x"),
			    "5 x_comm(pid=100, tid=101, comm=x, misc=0x2000" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_EXIT, 0, "wwwwq", 100, 100, 101, 100, 5ull),
			    "5 declare_thread(END, 101, 100" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_EXIT, 1, "wwwwq", 100, 90, 101, 91, 5ull),
			    "5 declare_thread(END, 101, 100, ppid=90, ptid=91, misc=0x1" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_FORK, 0, "wwwwq", 200, 100, 201, 200, 4ull),
			    "5 declare_process(START, 200, None, None, tid=201, inherit=100, time=0x4" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_FORK, 0, "wwwwq", 100, 100, 101, 102, 5ull),
			    "5 declare_thread(START, 101, 100, ptid=102" AT);
	/* code */
	assert_string_equal(line_of(0, &sid, PD_RECORD_CST_UNMAP, 1, "wwqq", 100, 101, 0x1000ull, 0x2000ull),
			    "5 declare_library(END, 100, 0x1000, None, size=0x2000, tid=101, misc=0x1" AT);
	assert_string_equal(line_of(0, &sid, PD_RECORD_CST_CODE, 0, "wwqqq", 100, 100, 0x1000ull, 8ull, 0x0807060504030201ull),
			    "5 patch_code(100, 0x1000, 0x8, <0102030405060708>" AT);
	assert_string_equal(line_of(0, &sid, PD_RECORD_CST_CODE, 1, "wwqqq", 100, 101, 0x1000ull, 3ull, 0x030201ull),
			    "5 patch_code(100, 0x1000, 0x3, <010203>, tid=101, misc=0x1" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_TEXT_POKE, 2, "qq", 0x1000ull, 0x0000000a00010000ull),
			    "5 patch_code(0, 0x1000, 0x1, <0a>, old=\"\", misc=0x2" AT);
	/* address spaces and trace units */
	assert_string_equal(line_of(0, &sid, PD_RECORD_CST_ASID, 0, "wwww", 100, 0x33, PD_CST_START, 0),
			    "5 declare_asid(START, 0x33, 100" AT);
	assert_string_equal(line_of(0, &sid, PD_RECORD_CST_ASID, 1, "wwww", kernel, 0x33, PD_CST_CURRENT, 0),
			    "5 declare_asid(CURRENT, 0x33, 0, misc=0x1" AT);
	assert_string_equal(line_of(0, &sid, PD_RECORD_CST_DEFINE_TRACE, 1, "wwwwwwq", 1, 0x030211, 1, 0, AUX_REG_TRCCONFIGR, 0,
				    0xc1ull),
			    "5 define_trace(CURRENT, 0x11, \"etm 1\", cpu=1, unit=3, TRCCONFIGR=0xc1, misc=0x1" AT);
	assert_string_equal(line_of(0, &sid, PD_RECORD_CST_DEFINE_TRACE, 0, "wwww", 9, 0x030112, 0, 0),
			    "5 define_trace(END, 0x12, \"\", cpu=9, unit=3" AT);
	assert_string_equal(line_of(0, &cpu9, PERF_RECORD_AUX_OUTPUT_HW_ID, 1, "q", 0x12ull),
			    "5 define_trace(START, 0x12, \"\", misc=0x1, at_pid=100, at_tid=101, at_cpu=9, at_id=0x7)\n");
	/* records of the recorder */
	assert_string_equal(line_of(0, &sid, PERF_RECORD_AUX, 1, "qqq", 0x10ull, 0x20ull, 1ull),
			    "5 x_fragment(offset=0x10, size=0x20, flags=0x1, misc=0x1" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_ITRACE_START, 0, "ww", 100, kernel), "5 x_itrace_start(pid=100, tid=-1" AT);
	assert_string_equal(line_of(0, &sid, PERF_RECORD_SWITCH, 0x2000, ""), "5 x_switch(misc=0x2000" AT);
	/* other layouts of what follows a record */
	assert_string_equal(line_of(1, &sid, PERF_RECORD_SWITCH, 0, ""), "- x_switch(at_pid=100, at_tid=101, at_id=0x7)\n");
	assert_string_equal(line_of(2, &sid, PERF_RECORD_SWITCH, 0, ""),
			    "5 x_switch(at_pid=100, at_tid=101, at_cpu=1, at_id=0x7, at_stream=0x3ef)\n");
	assert_string_equal(line_of(3, &sid, PERF_RECORD_SWITCH, 0, ""), "5 x_switch(at_id=0x7)\n");
	assert_string_equal(line_of(1, &sid, PERF_RECORD_MMAP, 2, "wwqqqs", 100, 100, MAP, "/bin/x"),
			    "- declare_library(CURRENT, 100, 0x400000, \"/bin/x\", size=0x1000, offset=0x2000, record=mmap, at_pid=100, "
			    "at_tid=101, at_id=0x7)\n");
#undef MAP
}

/* A record with more values than an event has parameters is kept as it is; with one less its bytes follow the others. */
static void test_many_values(void **state)
{
	struct {
		struct pd_record_cst_define_trace r;
		struct { uint32_t reg, pad; uint64_t value; } regs[64];
		uint64_t tail[4];
	} *rec = calloc(1, sizeof(*rec));
	static const uint64_t tail[4] = TAIL(100, 5);
	const char *line;
	uint32_t n, i;
	size_t size;

	(void)state;
	assert_non_null(rec);
	/* cpu, unit, and four of the trailer */
	for (n = CST_EVENT_PARAMS - 6 - 1; n <= CST_EVENT_PARAMS - 6 + 1; n++) {
		size = sizeof(rec->r) + 16 * n + sizeof(tail);
		rec->r.header = (struct perf_event_header){ PD_RECORD_CST_DEFINE_TRACE, 0, (uint16_t)size };
		rec->r.cpu = 1;
		rec->r.trace_id = 0x11;
		rec->r.unit = AUX_ETMV4;
		rec->r.nr_regs = n;
		memset(rec->regs, 0, sizeof(rec->regs));
		for (i = 0; i < n; i++)
			rec->regs[i].value = 7;
		memcpy((uint8_t *)rec->regs + 16 * n, tail, sizeof(tail));
		line = text_of(rec, size);
		if (n < CST_EVENT_PARAMS - 6) {
			assert_ptr_equal(strstr(line, "5 define_trace(START, 0x11, \"etm 1\", cpu=1, unit=2, TRCCONFIGR=0x7, "), line);
			assert_non_null(strstr(line, "at_id=0x7, perf=<"));
		} else {
			assert_memory_equal(line, "5 x_perf(<", 10);
			assert_non_null(strstr(line, ">, type="));
		}
	}
	free(rec);
}

/* ---- events that somebody else wrote ----------------------------------------------------------- */

static uint32_t type_of(size_t n)
{
	struct perf_event_header h;

	memcpy(&h, made.bytes[n], sizeof(h));
	return h.type;
}

/* In the sample_id, before the identifier. */
static uint32_t cpu_of(size_t n)
{
	uint32_t cpu;

	memcpy(&cpu, made.bytes[n] + made.size[n] - 16, sizeof(cpu));
	return cpu;
}

static void from_text(const char *line, bool own, uint64_t *drops)
{
	static const uint64_t id = 1;
	struct pd_attr attr;
	struct record_maker m = { .attr = &attr, .sources = &names, .own = own, .emit = take, .data = &made };

	memset(&attr, 0, sizeof(attr));
	header_default_attr(&attr, &id, true);
	made.nr = 0;
	read_text(&m, line, strlen(line));
	memcpy(drops, m.drops, sizeof(m.drops));
}

static void test_written_by_others(void **state)
{
	uint64_t d[DROP__COUNT];
	const struct perf_record_mmap2 *map = (const void *)made.bytes[1];
	const struct pd_record_cst_define_trace *def = (const void *)made.bytes[0];
	const struct perf_record_text_poke_event *poke = (const void *)made.bytes[0];
	static const struct {
		const char *line;
		unsigned int cpu;
	} cpus[] = {
		{ "1 define_trace(START, 0x11, \"etm 1\")\n", 1 }, { "1 define_trace(START, 0x11, \"etm 1\", cpu=0)\n", 0 },
		{ "1 define_trace(START, 0x11, \"etm 1\", cpu=12)\n", 12 },
		{ "1 define_trace(START, 0x11, \"other\", cpu=4095)\n", 4095 },
		{ "1 define_trace(START, 0x11, \"etm 1\", cpu=7, at_cpu=3)\n", 3 },
	};
	unsigned int n;
	char *line, *at;

	(void)state;
	from_text("5 declare_process(START, 9, 0x8000, \"/bin/ls\", 0a0b, size=0x100, offset=0x40)\n", false, d);
	assert_int_equal(made.nr, 2);
	assert_int_equal(type_of(0), PERF_RECORD_COMM);
	assert_string_equal(((const struct perf_record_comm *)made.bytes[0])->comm, "ls");
	assert_int_equal(type_of(1), PERF_RECORD_MMAP2);
	assert_true(map->pid == 9 && map->start == 0x8000 && map->len == 0x100 && map->pgoff == 0x40);
	assert_true(map->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID && map->build_id_size == 2);
	assert_int_equal(map->build_id[1], 0x0b);
	/* no size, and no image to ask */
	from_text("5 declare_library(START, 9, 0x8000, \"/lib/x\")\n", false, d);
	assert_int_equal(made.nr, 0);
	assert_int_equal(d[DROP_SIZE], 1);
	/* the kernel's */
	from_text("- declare_library(CURRENT, 0, 0xffff000000000000, \"a.ko\", size=16)\n", false, d);
	assert_int_equal(made.nr, 1);
	assert_int_equal((int)((const struct perf_record_mmap2 *)made.bytes[0])->pid, -1);
	from_text("- declare_library(END, 9, 0x8000, \"/lib/x\", size=16)\n", false, d);
	assert_int_equal(made.nr, 0);
	assert_int_equal(d[DROP_UNMAP], 1);
	from_text("- declare_library(END, 9, 0x8000, \"/lib/x\", size=16)\n", true, d);
	assert_int_equal(type_of(0), PD_RECORD_CST_UNMAP);
	/* patches */
	from_text("1 patch_code(0, 0x1000, 4, <01020304>)\n", false, d);
	assert_int_equal(type_of(0), PERF_RECORD_TEXT_POKE);
	assert_true(poke->addr == 0x1000 && !poke->old_len && poke->new_len == 4 && poke->bytes[3] == 4);
	from_text("1 patch_code(9, 0x1000, 4, <01020304>)\n", false, d);
	assert_int_equal(made.nr, 0);
	assert_int_equal(d[DROP_CODE], 1);
	from_text("1 patch_code(9, 0x1000, 4, <01020304>)\n", true, d);
	assert_int_equal(type_of(0), PD_RECORD_CST_CODE);
	from_text("1 patch_code(9, 0x1000, 4, None)\n", true, d);
	assert_int_equal(type_of(0), PD_RECORD_CST_UNMAP);
	/* a record holds less than 64 KiB: of what was there and of what comes */
	line = malloc(200000);
	assert_non_null(line);
	for (n = 20000; n <= 40000; n += 20000) {
		at = line + sprintf(line, "1 patch_code(0, 0x1000, %u, <", n);
		memset(at, '1', 2 * n);
		at += 2 * n;
		at += sprintf(at, ">, old=<");
		memset(at, '2', 2 * n);
		strcpy(at + 2 * n, ">)\n");
		from_text(line, false, d);
		assert_int_equal(made.nr, n == 20000);
		assert_int_equal(d[DROP_BAD], n != 20000);
		if (made.nr)
			assert_true(poke->old_len == n && poke->new_len == n && poke->bytes[0] == 0x22 && poke->bytes[n] == 0x11);
	}
	free(line);
	/* trace units */
	from_text("1 define_trace(START, 0x11, \"etm 1\", TRCCONFIGR=0xc1)\n", true, d);
	assert_int_equal(made.nr, 1);
	assert_int_equal(type_of(0), PD_RECORD_CST_DEFINE_TRACE);
	assert_true(def->cpu == 1 && def->trace_id == 0x11 && def->unit == AUX_ETE && def->nr_regs == 1);
	assert_true(def->regs[0].reg == AUX_REG_TRCCONFIGR && def->regs[0].value == 0xc1);
	from_text("1 define_trace(START, 0x11, \"etm 1\", TRCIDR2=0x488, TRCTRACEIDR=0x11, TRCIDR0=7)\n", true, d);
	assert_int_equal(def->nr_regs, 3);
	for (n = 0; n < 3; n++)
		assert_int_equal(def->regs[n].value, def->regs[n].reg == AUX_REG_TRCIDR2 ? 0x488 :
				 def->regs[n].reg == AUX_REG_TRCTRACEIDR ? 0x11 : 7);
	assert_int_equal(def->regs[0].reg + def->regs[1].reg + def->regs[2].reg,
			 AUX_REG_TRCIDR2 + AUX_REG_TRCTRACEIDR + AUX_REG_TRCIDR0);
	from_text("1 define_trace(START, 0x11, \"etm 1\", TRCCONFIGR=0xc1)\n", false, d);
	assert_int_equal(type_of(0), PERF_RECORD_AUX_OUTPUT_HW_ID);
	assert_int_equal(d[DROP_TRACE], 1);
	/* its CPU is that of the record: the one of the event, else that of the source, if nothing else is said */
	for (n = 0; n < sizeof(cpus) / sizeof(cpus[0]); n++) {
		from_text(cpus[n].line, false, d);
		assert_int_equal(made.nr, 1);
		assert_int_equal(cpu_of(0), cpus[n].cpu);
	}
	from_text("1 declare_asid(START, 3, 9)\n", false, d);
	assert_int_equal(d[DROP_ASID], 1);
	/* whole records must be ones */
	from_text("1 x_perf(<0102>)\n1 x_perf(<47000000000030000000000000000000>)\n1 x_perf()\n"
		  "1 x_perf(<00747363000008000000>)\n", false, d);
	assert_int_equal(made.nr, 0);
	assert_int_equal(d[DROP_BAD], 4);
	/* somebody's own */
	from_text("1 x_mine(a, b=2)\n", false, d);
	assert_int_equal(made.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_record),
		cmocka_unit_test(test_verbs),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_many_values),
		cmocka_unit_test(test_written_by_others),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
