/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packages that another recorder wrote as records: the clock, the trace units, the memory contents and buffers that no
 * event is about, the state before the log, and what is dropped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "perfdata/auxinfo.h"
#include "perfdata/reader.h"
#include "session/import/import.h"
#include "unit/perf-plugin/said.h"
#include "unit/temp_dir.h"

TEMP_DIR("package")

#define UNIT "format: ETMv4.2\nTRCCONFIGR=0x41\nTRCIDR0=0x28000ea1\nTRCIDR1=0x4100f422\nTRCIDR2=0x488\nTRCIDR8=0\n"

static struct said said;
static char reported[8192], failed[512];
static uint64_t dropped;
static unsigned int nr_cpus;	/* as the header says */
static uint64_t version;	/* of the last AUXTRACE_INFO record */

static void write_text(const char *name, const char *text)
{
	temp_write(dir, name, text, strlen(text));
}

/* The trace metadata has a unit with trace ID 0x10 on a CPU without a number; `more` follows the section [trace]. */
static void package(const char *more, const char *log)
{
	char text[1024];

	assert_true(snprintf(text, sizeof(text), "[trace]\nmetadata=trace.ini\nbuffer0=b0.bin\n%s", more) < (int)sizeof(text));
	write_text("contents.ini", text);
	write_text("trace.ini", "[buffer]\nformat: coresight\n[trace_16]\n" UNIT);
	write_text("log", log);
	write_text("b0.bin", "0123456789abcdef");
}

static size_t put_info(char *to, size_t size, const struct pd_record *rec)
{
	struct auxinfo info = { .nr_cpu = 0 };
	struct error err;
	unsigned int i;
	size_t n;

	assert_int_equal(auxinfo_parse(&info, &rec->ev->auxtrace_info, rec->ev->header.size, "", rec->offset, &err), 0);
	version = info.version;
	n = (size_t)snprintf(to, size, "info pmu %u%s:", info.pmu_type, info.snapshot ? " snapshot" : "");
	for (i = 0; i < info.nr_cpu; i++)
		n += (size_t)snprintf(to + n, size - n, " %d=%x", (int)info.cpu[i].cpu,
				      (unsigned int)info.cpu[i].reg[AUX_REG_TRCTRACEIDR]);
	auxinfo_free(&info);
	return n + (size_t)snprintf(to + n, size - n, "\n");
}

/* The bytes of the trace, with '|' behind each record and '.' for 0. */
static char bytes[512];

static void put_bytes(const struct pd_record *rec)
{
	size_t n = strlen(bytes), i;

	assert_true(n + rec->aux.size + 2 <= sizeof(bytes));
	for (i = 0; i < rec->aux.size; i++)
		bytes[n++] = rec->aux.data[i] ? (char)rec->aux.data[i] : '.';
	memcpy(bytes + n, "|", 2);
}

/* A record as a line; no text for others than those that the tests are about. */
static size_t put_record(char *to, size_t size, const struct pd_record *rec)
{
	const union perf_event *ev = rec->ev;
	const unsigned long long time = rec->sid.time;

	switch (ev->header.type) {
	case PERF_RECORD_TIME_CONV:
		return (size_t)snprintf(to, size, "clock *%llu>>%llu +%llu %d %d\n", (unsigned long long)ev->time_conv.time_mult,
					(unsigned long long)ev->time_conv.time_shift, (unsigned long long)ev->time_conv.time_zero,
					ev->time_conv.cap_user_time_zero, ev->time_conv.cap_user_time_short);
	case PERF_RECORD_AUXTRACE_INFO:
		return put_info(to, size, rec);
	case PERF_RECORD_COMM:
		return (size_t)snprintf(to, size, "%llu comm %d/%d %s\n", time, (int)ev->comm.pid, (int)ev->comm.tid, ev->comm.comm);
	case PERF_RECORD_FORK:
		return (size_t)snprintf(to, size, "%llu fork %d/%d of %d\n", time, (int)ev->fork.pid, (int)ev->fork.tid,
					(int)ev->fork.ppid);
	case PERF_RECORD_MMAP2:
		return (size_t)snprintf(to, size, "%llu map %d %llx+%llx @%llx %s\n", time, (int)ev->mmap2.pid,
					(unsigned long long)ev->mmap2.start, (unsigned long long)ev->mmap2.len,
					(unsigned long long)ev->mmap2.pgoff, ev->mmap2.filename);
	case PERF_RECORD_MMAP:
		return (size_t)snprintf(to, size, "%llu kernel map %llx+%llx @%llx %s\n", time, (unsigned long long)ev->mmap.start,
					(unsigned long long)ev->mmap.len, (unsigned long long)ev->mmap.pgoff, ev->mmap.filename);
	case PERF_RECORD_AUX:
		return (size_t)snprintf(to, size, "%llu cpu %d aux %llx+%llx flags %llx\n", time, (int)rec->sid.cpu,
					(unsigned long long)ev->aux.aux_offset, (unsigned long long)ev->aux.aux_size,
					(unsigned long long)ev->aux.flags);
	case PERF_RECORD_AUXTRACE:
		put_bytes(rec);
		return (size_t)snprintf(to, size, "cpu %d tid %d trace %llx+%llx buffer %u reference %llx\n", (int)ev->auxtrace.cpu,
					(int)ev->auxtrace.tid, (unsigned long long)ev->auxtrace.offset,
					(unsigned long long)ev->auxtrace.size, ev->auxtrace.idx,
					(unsigned long long)ev->auxtrace.reference);
	}
	return 0;
}

/* The records of the package; messages are in `reported`, and the error of one that cannot be used is in `failed`. */
static const char *records(void)
{
	static char text[8192], hidden[8192];
	struct import_input in;
	struct error err = { .msg = "" };
	struct pd_record rec;
	size_t n = 0;
	int rc;

	memset(&in, 0, sizeof(in));
	said_begin(&said);
	rc = import_open(&in, dir, NULL, &err);
	said_end(&said);
	temp_hide(dir, said.text, reported, sizeof(reported));
	temp_hide(dir, err.msg, failed, sizeof(failed));
	dropped = in.dropped;
	*text = *bytes = '\0';
	if (!rc) {
		while ((rc = perfdata_next(in.pd, &rec))) {
			assert_int_equal(rc, 1);
			/* records of the kernel are those of the only event */
			assert_int_equal(rec.sid.id, rec.attr ? 1 : 0);
			n += put_record(text + n, sizeof(text) - n, &rec);
			assert_true(n < sizeof(text));
		}
		nr_cpus = perfdata_env(in.pd)->nrcpus_avail;
		perfdata_close(in.pd);
		free(in.configs.v);
	}
	dso_bundle_free(&in.bundle);
	temp_hide(dir, text, hidden, sizeof(hidden));
	return hidden;
}

/* The records between the metadata of one unit and the trace of the only buffer, in a log of the last event at `last`. */
static void check_log(const char *more, const char *log, unsigned long long last, const char *want)
{
	char text[2048];

	package(more, log);
	snprintf(text, sizeof(text), "%s%llu cpu 0 aux 0+10 flags 0\ncpu 0 tid -1 trace 0+10 buffer 0 reference 0\n", want,
		 last + 1000000000000);
	assert_string_equal(records(), text);
}

/* ---- times ----------------------------------------------------------------------------------------- */

/* Times in ticks become nanoseconds, and their conversion precedes the metadata; the trace is later than all events. */
static void times(void **state)
{
	static const char process[] = "5 declare_process(START, 7, None, None)\n3 declare_process(START, 8, None, None)\n";

	(void)state;
	check_log("", "", 0, "info pmu 8: 0=10\n");
	check_log("event_log=log\nevent_time=ns\n", process, 5, "info pmu 8: 0=10\n5 comm 7/7 \n3 comm 8/8 \n");
	check_log("event_log=log\nevent_time=ticks\nevent_frequency=1000000000\n", process, 5,
		  "info pmu 8: 0=10\n5 comm 7/7 \n3 comm 8/8 \n");
	check_log("event_log=log\nevent_time=ticks\nevent_frequency=1000000\n", process, 5000,
		  "clock *1048576000>>20 +0 1 0\ninfo pmu 8: 0=10\n5000 comm 7/7 \n3000 comm 8/8 \n");
	check_log("event_log=log\nevent_time=ticks\nevent_frequency=281474976710655\n",
		  "5000000000000 declare_process(START, 7, None, None)\n", 17763568,
		  "clock *3>>20 +0 1 0\ninfo pmu 8: 0=10\n17763568 comm 7/7 \n");
	/* slower than the conversion can say */
	check_log("event_log=log\nevent_time=ticks\nevent_frequency=1048576000000001\n",
		  "1048576000000001 declare_process(START, 7, None, None)\n", 1000000000,
		  "clock *1>>20 +0 1 0\ninfo pmu 8: 0=10\n1000000000 comm 7/7 \n");
	assert_string_equal(reported, "");
	assert_int_equal(dropped, 0);
}

/* What a recorder said of its metadata is in the record. */
static void info(void **state)
{
	static const struct {
		const char *event, *want;
		uint64_t version;
	} cases[] = {
		{ "5 x_auxtrace_info(version=1, pmu_type=33, snapshot=1)\n", "\ninfo pmu 33 snapshot: 0=10\n", 1 },
		{ "5 x_auxtrace_info(version=0, snapshot=2)\n", "\ninfo pmu 8 snapshot: 0=10\n", 0 },
		{ "5 x_auxtrace_info(pmu_type=4294967295)\n", "\ninfo pmu 4294967295: 0=10\n", 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		package("event_log=log\nevent_time=ns\n", cases[i].event);
		if (!strstr(records(), cases[i].want))
			fail_msg("%sgives %s%s", cases[i].event, records(), failed);
		assert_int_equal(version, cases[i].version);
	}
}

/* ---- memory and maps ------------------------------------------------------------------------------- */

/* Memory contents are maps from the beginning, and again of a process that starts; as far as their files have them. */
static void memory(void **state)
{
	(void)state;
	write_text("code", "12345678");
	check_log("event_log=log\nevent_time=ns\n[memory0]\nfile=code\naddress=0x1000\npid=7\n"
		  "[memory1]\nfile=code\naddress=0x2000\npid=8\nlength=4\n[memory2]\nfile=code\naddress=0x3000\noffset=2\nlength=7\n"
		  "[memory3]\nfile=code\naddress=0x4000\noffset=2\npid=7\nlength=6\n[memory4]\nfile=none\naddress=0x5000\npid=7\n"
		  "[memory5]\nfile=code\naddress=0x6000\noffset=8\npid=7\n[memory6]\nfile=code\naddress=0x7000\noffset=7\npid=7\n",
		  "5 declare_process(START, 7, None, None)\n8 declare_process(CURRENT, 8, None, None)\n", 8,
		  "info pmu 8: 0=10\n0 comm 8/8 \n0 map 7 1000+8 @0 DIR/code\n0 map 8 2000+4 @0 DIR/code\n"
		  "0 map -1 3000+6 @2 DIR/code\n0 map 7 4000+6 @2 DIR/code\n0 map 7 7000+1 @7 DIR/code\n5 comm 7/7 \n"
		  "5 map 7 1000+8 @0 DIR/code\n5 map 7 4000+6 @2 DIR/code\n5 map 7 7000+1 @7 DIR/code\n8 comm 8/8 \n");
	assert_string_equal(reported, "cstrace: DIR: dropped: memory contents none, which cannot be read\n"
			    "cstrace: DIR: dropped: memory contents code, which cannot be read\n");
	assert_int_equal(dropped, 2);
}

/* Without a size in the event that of the package's file counts; an event that others imply is no record, but has a time. */
static void images(void **state)
{
	static const char log[] = "5 declare_process(START, 7, 0x400000, \"/bin/p\")\n6 declare_library(START, 7, 0x500000, \"/lib\")\n"
				  "9 declare_library(START, 7, 0x600000, \"/other\", size=0x1000, implied=1)\n";

	(void)state;
	write_text("code", "12345678");
	check_log("event_log=log\nevent_time=ns\n[image0]\nfile=code\nname=/bin/p\n", log, 9,
		  "info pmu 8: 0=10\n5 comm 7/7 p\n5 map 7 400000+8 @0 /bin/p\n");
	assert_string_equal(reported, "cstrace: DIR: dropped: 1 images whose size neither the event nor a file of the package "
			    "tells\n");
	assert_int_equal(dropped, 1);
}

/* Sections of contents.ini that cannot be used count as dropped. */
static void left_out(void **state)
{
	(void)state;
	check_log("[image0]\nname=/bin/p\n[memory0]\nfile=code\n", "", 0, "info pmu 8: 0=10\n");
	assert_non_null(strstr(reported, "section without a file is left out"));
	assert_non_null(strstr(reported, "memory without an address is left out"));
	assert_int_equal(dropped, 2);
}

/* Lines that are no events are counted, and the first ten are named. */
static void bad_lines(void **state)
{
	char log[1000], want[2000];
	unsigned int i;
	size_t n = 0, m = 0;

	(void)state;
	for (i = 0; i < 11; i++) {
		n += (size_t)snprintf(log + n, sizeof(log) - n, "%u declare_process(START, %u, None, None)\nbad\n", i, i + 1);
		if (i < 10)
			m += (size_t)snprintf(want + m, sizeof(want) - m, "cstrace: DIR/log:%u: line does not begin with a time or "
					      "'-'; the event is left out\n", 2 * i + 2);
	}
	snprintf(want + m, sizeof(want) - m, "cstrace: DIR: dropped: 11 lines of the event log that are no events\n");
	package("event_log=log\nevent_time=ns\n", log);
	assert_non_null(strstr(records(), "\n10 comm 11/11 \n"));
	assert_string_equal(reported, want);
	assert_int_equal(dropped, 11);
}

/* ---- buffers --------------------------------------------------------------------------------------- */

/* A buffer that an event is about is where that says, as far as the buffer goes; the others follow on their CPU. */
static void buffers(void **state)
{
	(void)state;
	package("event_log=log\nevent_time=ns\nbuffer1=b1.bin, none.bin,b0.bin\nbuffer2=b0.bin\nbuffer3=b1.bin\n"
		"buffer4=b1.bin,b0.bin,b1.bin\n",
		"1000 x_fragment(offset=0, size=16)\n"
		"20 x_auxtrace(buffer=buffer0, at=0, size=8, offset=0x100, reference=7, idx=3, tid=5, cpu=2)\n"
		"20 x_auxtrace(buffer=buffer0, at=4, size=12, offset=0x31, cpu=0)\n"
		"20 x_auxtrace(buffer=buffer4, at=1, size=20, offset=0x200, cpu=3)\n"
		"20 x_auxtrace(buffer=buffer4, at=4, size=3, offset=0x300, cpu=3)\n"
		"20 x_auxtrace(buffer=buffer0, at=8, size=9, offset=48)\n"
		"20 x_auxtrace(buffer=buffer0, at=16, size=0)\n"
		"20 x_auxtrace(buffer=buffer0, at=17, size=1)\n"
		"20 x_auxtrace(buffer=buffer9, at=17, size=1)\n"
		"20 x_auxtrace(buffer=buffer0, size=1)\n"
		"20 x_auxtrace(buffer=buffer0, at=1)\n"
		"30 x_auxtrace(buffer=buffer3, at=0, size=3, implied=1)\n");
	write_text("b1.bin", "xyz");
	assert_string_equal(records(),
		"info pmu 8: 0=10\n1000 cpu 0 aux 0+10 flags 0\ncpu 2 tid 5 trace 100+8 buffer 3 reference 7\n"
		"cpu 0 tid -1 trace 31+10 buffer 0 reference 0\ncpu 3 tid -1 trace 200+18 buffer 0 reference 0\n"
		"cpu 3 tid -1 trace 300+8 buffer 0 reference 0\ncpu -1 tid -1 trace 30+8 buffer 0 reference 0\n"
		"cpu -1 tid -1 trace 0+0 buffer 0 reference 0\ncpu -1 tid -1 trace 0+0 buffer 0 reference 0\n"
		"1000000001000 cpu 0 aux 40+13 flags 0\ncpu 0 tid -1 trace 40+18 buffer 1 reference 0\n"
		"1000000001000 cpu 0 aux 60+10 flags 0\ncpu 0 tid -1 trace 60+10 buffer 2 reference 0\n"
		"1000000001000 cpu 0 aux 70+3 flags 0\ncpu 0 tid -1 trace 70+8 buffer 3 reference 0\n");
	assert_string_equal(bytes, "01234567|456789abcdef....|yz0123456789abcdefxy....|123.....|89abcdef|||xyz0123456789abcdef.....|"
			    "0123456789abcdef|xyz.....|");
	assert_string_equal(reported, "cstrace: DIR: dropped: 6 stretches of trace that no buffer holds, or not completely\n");
	assert_int_equal(dropped, 6);
}

/* The CPU of a buffer: its own number, that of its source, that of the first source, or of the first unit. */
static void cpus_of_buffers(void **state)
{
	static const struct {
		const char *trace, *info, *aux;
		unsigned int nr_cpus;
	} cases[] = {
		{ "[buffer0]\nformat: source_data\ncpu: 5\n[source_A]\ncpu: 1\n" UNIT, "1=0", "cpu 5 aux 0+10 flags 100", 2 },
		{ "[buffer0]\nformat: source_data\ncpu: 0x7fffffff\n[source_A]\ncpu: 1\n" UNIT, "1=0",
		  "cpu 2147483647 aux 0+10 flags 100", 2 },
		{ "[buffer0]\nformat: source_data\ncpu: 0x80000000\n[source_A]\ncpu: 1\n" UNIT, "1=0", "cpu 1 aux 0+10 flags 100", 2 },
		{ "[buffer0]\nformat: source_data\nsource: B\n[source_A]\ncpu: 1\n" UNIT "[source_B]\ncpu: 4\n" UNIT, "1=0 4=0",
		  "cpu 4 aux 0+10 flags 100", 5 },
		{ "[buffer0]\nformat: source_data\nsource: C\n[source_A]\ncpu: 1\n" UNIT "[source_B]\ncpu: 4\n" UNIT, "1=0 4=0",
		  "cpu 1 aux 0+10 flags 100", 5 },
		{ "[buffer0]\nformat: coresight\n[source_A]\n" UNIT "[source_B]\ncpu: 0\n" UNIT, "0=0 1=0", "cpu 1 aux 0+10 flags 0", 2 },
		{ "[buffer0]\nformat: coresight\n[trace_16]\n" UNIT "[trace_17]\ncpu: 4\n" UNIT, "4=11 0=10", "cpu 4 aux 0+10 flags 0", 5 },
		{ "[buffer0]\nformat: coresight\n[trace_17]\ncpu: 4\n" UNIT "[trace_16]\n" UNIT, "4=11 0=10", "cpu 4 aux 0+10 flags 0", 6 },
	};
	char want[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		package("", "");
		write_text("trace.ini", cases[i].trace);
		snprintf(want, sizeof(want), "info pmu 8: %s\n1000000000000 %s\ncpu ", cases[i].info, cases[i].aux);
		if (strncmp(records(), want, strlen(want)))
			fail_msg("case %zu: found\n%s%sexpected\n%s", i, records(), failed, want);
		if (nr_cpus != cases[i].nr_cpus)
			fail_msg("case %zu: found %u CPUs, expected %u", i, nr_cpus, cases[i].nr_cpus);
	}
	package("", "");
	write_text("trace.ini", "[buffer0]\nformat: tpiu\n[trace_16]\n" UNIT);
	assert_string_equal(records(), "info pmu 8: 0=10\n");
	assert_string_equal(reported, "cstrace: DIR: dropped: buffer0, whose format is neither coresight nor source_data\n");
	assert_int_equal(dropped, 1);
}

/* ---- errors ---------------------------------------------------------------------------------------- */

static void errors(void **state)
{
	static const struct {
		const char *more, *error;
	} cases[] = {
		{ "event_log=gone\nevent_time=ns\n", "DIR: gone: the event log cannot be read: No such file or directory" },
		{ "[perf]\nheader=gone\n", "DIR: contents.ini: [perf] header: 'gone' cannot be read: No such file or directory" },
		{ "[perf]\nheader=empty\n", "empty: is empty, expected perf.data; was the recorder stopped before it wrote anything?" },
		{ "event_log=log\n", "DIR: the package cannot be used: not found" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		package(cases[i].more, "");
		write_text("empty", "");
		assert_string_equal(records(), "");
		assert_string_equal(failed, cases[i].error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times), cmocka_unit_test(info), cmocka_unit_test(memory), cmocka_unit_test(images),
		cmocka_unit_test(left_out), cmocka_unit_test(bad_lines),
		cmocka_unit_test(buffers), cmocka_unit_test(cpus_of_buffers), cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
