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

static void take(void *data, const void *record, size_t size)
{
	struct made *m = data;
	struct perf_event_header h;

	assert_true(size >= sizeof(h) && size <= PD_MAX_RECORD);
	memcpy(&h, record, sizeof(h));
	assert_int_equal(h.size, size);
	assert_true(m->nr < MAX_RECORDS);
	memcpy(m->bytes[m->nr], record, size);
	m->size[m->nr++] = size;
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
	struct cst_event ev = { 0 };
	int rc;

	assert_int_equal(cst_event_reader_new(&r, line, len, 0), 0);
	while ((rc = cst_event_next(r, &ev, &why))) {
		assert_int_equal(rc, 1);
		records_of_event(m, &ev, ev.time == CST_EVENT_NO_TIME ? 0 : ev.time);
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
	struct pd_attr attr;
	struct record_maker m = { .attr = &attr, .sources = &names, .own = own, .emit = take, .data = &made };

	memset(&attr, 0, sizeof(attr));
	header_default_attr(&attr, true);
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
		cmocka_unit_test(test_any_record), cmocka_unit_test(test_many_values),
		cmocka_unit_test(test_written_by_others),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
