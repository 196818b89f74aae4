/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What info says about trace units, trace IDs, buffers and clocks in states that recordings of today rarely have, and about many
 * binaries: whole lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <unistd.h>

#include "machine/buffers/owners.h"
#include "outputs/info/info.h"
#include "session/internal.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

#define CPUS 4u

TEMP_DIR("info")

static struct pdb data, trace;
static struct session *ss;
static char text[200000];

static int set_up(void **state)
{
	size_t at = pdb_begin(&data, 70, 0);
	unsigned int i, k;

	(void)state;
	pdb_u32(&data, 3);
	pdb_u32(&data, 0);
	pdb_u64(&data, 1);
	pdb_u64(&data, 8ull << 32 | CPUS);
	pdb_u64(&data, 0);
	for (i = 0; i < CPUS; i++) {
		const uint64_t words[] = { 0x4040404040404040ull, i, 7, SB_CONFIGR, 0x10 + i, 0x28000ea1, 0x4100f423, 0x488,
					   0, 0xcc };

		for (k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			pdb_u64(&data, words[k]);
	}
	pdb_end(&data, at);
	sb_trace(&trace, SB_TID);
	for (i = 0; i < 20; i++) {
		sb_aux(&data, 0, trace.len, SB_RAW, SB_TIME);
		pdb_auxtrace(&data, 0, trace.p, trace.len, i, (uint32_t)-1);
	}
	ss = sb_open(&data, &(struct session_opts){ .buildid_dir = "/nonexistent" }, NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	session_close(ss);
	pdb_free(&data);
	pdb_free(&trace);
	memset(&data, 0, sizeof(data));
	memset(&trace, 0, sizeof(trace));
	return 0;
}

/* What info prints; with `json` the others do not matter. */
static const char *printed_as(bool json, bool decoded, bool all)
{
	FILE *f = tmpfile();
	int saved = dup(STDOUT_FILENO), rc;
	size_t n;

	assert_non_null(f);
	assert_true(saved >= 0);
	fflush(stdout);
	dup2(fileno(f), STDOUT_FILENO);
	rc = json ? info_json(ss) : info_text(ss, decoded, all);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	assert_int_equal(rc, 0);
	return text;
}

static const char *printed(bool decoded, bool all)
{
	return printed_as(false, decoded, all);
}

/* What info prints without decoding. */
static const char *info(bool all)
{
	return printed(false, all);
}

static void says(const char *lines)
{
	if (!strstr(info(false), lines))
		fail_msg("no '%s' in: %s", lines, text);
}

static void says_not(const char *words)
{
	if (strstr(info(false), words))
		fail_msg("'%s' in: %s", words, text);
}

static void timestamp_sources(void **state)
{
	static const struct {
		int source;
		const char *text;
	} sources[CPUS] = { { AUX_TS_VIRTUAL, "virtual counter" }, { AUX_TS_GUEST_PHYSICAL, "guest physical counter" },
			    { AUX_TS_PHYSICAL, "physical counter" }, { 99, "unknown source" } };
	char want[200];
	unsigned int i;

	(void)state;
	for (i = 0; i < CPUS; i++) {
		ss->units.v[i].timestamps = true;
		ss->units.info.cpu[i].has_ts_source = true;
		ss->units.info.cpu[i].ts_source = sources[i].source;
	}
	for (i = 0; i < CPUS; i++) {
		snprintf(want, sizeof(want), "  CPU %u: ETMv4.2, TRCCONFIGR 0x41\n    thread: context ID with 32 bits\n    timestamps: on, "
			 "%s\n    cycle counts: off\n", i, sources[i].text);
		says(want);
	}
	for (i = 0; i < CPUS; i++)
		ss->units.info.cpu[i].has_ts_source = false;
	says("    timestamps: on, source not recorded\n");
}

static void configurations(void **state)
{
	static const struct {
		bool addr, value;
		const char *text;
	} kinds[] = { { true, false, "    data trace: addresses\n" }, { false, true, "    data trace: values\n" },
		      { true, true, "    data trace: addresses and values\n" } };
	struct cst_config *c = &ss->units.v[0].config;
	size_t i;

	(void)state;
	says("Trace units: metadata version 1, 4 CPUs\n  CPU 0,1,2,3: ETMv4.2, TRCCONFIGR 0x41\n");
	says_not("data trace");
	ss->units.v[0].config_error = -CST_ERR_PROTOCOL;
	says("  CPU 0,1,2,3: ETMv4.2 (");
	says(error_text(-CST_ERR_PROTOCOL));
	c->data_trace = true;
	says_not("data trace");
	c->protocol = CST_PROTO_ETMV3;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		c->data_addr = kinds[i].addr;
		c->data_value = kinds[i].value;
		says(kinds[i].text);
	}
	c->data_trace = false;
	says_not("data trace");
}

/* Each field of a configuration has its words, whatever the others are. */
static void fields(void **state)
{
#define HEAD	"    timestamps: off; order and time are those of the AUX records\n"
#define OFF	"    cycle counts: off\n"
#define REST	"    return stack off, branch broadcast off, speculation depth 0"
	static const struct {
		struct cst_config c;
		const char *text;
	} cases[] = {
		{ { .ia64 = true }, HEAD OFF REST "\n" },
		{ { .ia64 = true, .cc_bits = 12 }, HEAD OFF REST "\n" },
		{ { .ia64 = true, .cycle_count = true }, HEAD "    cycle counts: on\n" REST "\n" },
		{ { .ia64 = true, .cycle_count = true, .cc_bits = 12 }, HEAD "    cycle counts: on, 12 bits\n" REST "\n" },
		{ { .ia64 = true, .ret_stack = true },
		  HEAD OFF "    return stack on, branch broadcast off, speculation depth 0\n" },
		{ { .ia64 = true, .branch_broadcast = true },
		  HEAD OFF "    return stack off, branch broadcast on, speculation depth 0\n" },
		{ { .ia64 = true, .max_spec = 7 }, HEAD OFF "    return stack off, branch broadcast off, speculation depth 7\n" },
		{ { .ia64 = true, .qsupp = 2 }, HEAD OFF REST ", Q elements possible\n" },
		{ { .ia64 = false }, HEAD OFF REST ", 32-bit addresses\n" },
	};
	static const struct {
		enum aux_unit unit;
		unsigned int version;
		const char *text;
	} units[] = { { AUX_ETMV3, 0x15, "ETMv3.5, ETMCR 0x41\n" }, { AUX_PTM, 0x31, "PFT 1.1, ETMCR 0x41\n" },
		      { AUX_ETE, 2, "ETE 1.2, TRCCONFIGR 0x41\n" }, { AUX_ETMV4, 0x46, "ETMv4.6, TRCCONFIGR 0x41\n" } };
	struct trace_unit *u = &ss->units.v[0];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		u->config = cases[i].c;
		says(cases[i].text);
	}
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		ss->units.info.cpu[0].unit = units[i].unit;
		u->config.version = (uint8_t)units[i].version;
		says(units[i].text);
	}
	/* the two registers of the thread */
	u->config.cid_bytes = 2;
	u->config.vmid_bytes = 4;
	says("    thread: context ID with 16 bits\n");
	u->pid.contextidr_el2 = true;
	says("    thread: CONTEXTIDR_EL2, traced as VMID with 32 bits\n");
	u->pid.contextidr_el1 = u->pid.contextidr_el2 = false;
	says("    thread: not traced; taken from the buffer, from context switches, or from the only process\n");
}

/* The identifier of the virtual machine is traced if the unit has one, the register asks for it, and it is no context ID. */
static void virtual_machines(void **state)
{
	static const struct {
		enum aux_unit unit;
		uint64_t control;
		unsigned int bytes;
		bool is_cid2, traced;
	} cases[] = {
		{ AUX_ETMV4, 0x80, 1, false, true }, { AUX_ETMV4, 0x80, 0, false, false }, { AUX_ETMV4, 0x80, 1, true, false },
		{ AUX_ETMV4, 0x40000000, 1, false, false }, { AUX_ETE, 0x80, 4, false, true }, { AUX_PTM, 0x40000000, 1, false, true },
		{ AUX_ETMV3, 0x40000000, 1, false, true }, { AUX_PTM, 0x80, 1, false, false }, { AUX_ETMV3, 0x80, 1, false, false },
		{ AUX_PTM, 0x20000000, 1, false, false },
	};
	struct aux_cpu *a = &ss->units.info.cpu[0];
	struct cst_config *c = &ss->units.v[0].config;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		a->unit = cases[i].unit;
		a->reg[0] = cases[i].control;
		c->vmid_bytes = (uint8_t)cases[i].bytes;
		c->vmid_is_cid2 = cases[i].is_cid2;
		if (!!strstr(info(false), "    virtual machine identifier traced\n") != cases[i].traced)
			fail_msg("case %zu: %s", i, text);
	}
}

/* Fields with values that the architecture reserves, each in a line. */
static void reserved_fields(void **state)
{
#define COMPARE "    the trace is read as the registers say; if it decodes badly, compare them with the trace unit's manual\n"
	unsigned int i;

	(void)state;
	says_not("reserves");
	says_not("manual");
	for (i = 0; i < CPUS; i++)
		ss->units.info.cpu[i].reg[AUX_REG_TRCIDR2] = 8 | 5 << 5 | 3 << 10;
	says("    TRCIDR2.CIDSIZE holds 5, which the architecture reserves in an ETMv4\n"
	     "    TRCIDR2.VMIDSIZE holds 3, which the architecture reserves in an ETMv4\n" COMPARE);
	ss->units.v[0].config.protocol = CST_PROTO_ETE;
	says("    TRCIDR2.VMIDSIZE holds 3, which the architecture reserves in an ETE\n" COMPARE);
}

/* Units that differ in anything but their trace ID have paragraphs of their own. */
static void equal_units(void **state)
{
	struct aux_cpu *a = &ss->units.info.cpu[2], kept = *a;

	(void)state;
	a->reg[AUX_REG_TRCTRACEIDR]++;
	says("  CPU 0,1,2,3: ");
	a->reg[AUX_REG_TRCDEVARCH]++;
	says("  CPU 0,1,3: ");
	says("  CPU 2: ");
	*a = kept;
	a->present ^= 1u << AUX_REG_TRCDEVARCH;
	says("  CPU 0,1,3: ");
	*a = kept;
	a->ts_source = AUX_TS_PHYSICAL;
	says("  CPU 0,1,3: ");
	*a = kept;
	a->unit = AUX_ETE;
	says("  CPU 0,1,3: ");
	*a = kept;
	ss->units.info.snapshot = true;
	says("4 CPUs, snapshot mode\n");
	ss->units.info.nr_cpu = 1;
	says("1 CPU, snapshot mode\n  CPU 0: ");
	ss->units.info.nr_cpu = CPUS;
}

/* A trace ID that several CPUs have, in time or by sink. */
static void owners(void **state)
{
	struct id_owner *kept = ss->units.ids, v[] = {
		{ .id = 0x20, .cpu = 0, .time = 5 }, { .id = 0x20, .cpu = 1, .time = 3000000007u }, { .id = 0x20, .cpu = 2 },
		{ .id = 0x20, .cpu = 2, .has_sink = true, .sink = 0x1f }, { .id = 0x20, .cpu = 2, .has_sink = true, .sink = 0x1f, .tid = 9 },
		{ .id = 0x20, .cpu = 2, .has_sink = true, .sink = 0x1f, .unit = &ss->units.v[0] },
		{ .id = 0x21, .cpu = 2, .has_sink = true, .sink = 0x1f, .unit = &ss->units.v[0], .time = 8 },
	};

	(void)state;
	ss->units.ids = v;
	ss->units.nr_ids = sizeof(v) / sizeof(v[0]);
	ss->units.defined = (struct defined_unit *)&data;	/* whether there are any */
	says("\nTrace IDs: from define_trace records\n  0x20: CPU 0\n  0x20: CPU 1 from 3.000000007 s on\n  0x20: CPU 2\n"
	     "  0x20: CPU 2 in sink 0x1f\n  0x20: CPU 2 in sink 0x1f\n  0x21: CPU 2 in sink 0x1f\n\nTrace: ");
	ss->units.defined = NULL;
	ss->units.ids = kept;
	ss->units.nr_ids = 0;
}

/* What the header says about the recording. */
static void origin(void **state)
{
	struct pd_env *env = (struct pd_env *)(uintptr_t)perfdata_env(session_perfdata(ss)), kept = *env;
	const char *words[] = { "/usr/bin/perf", "re\ncord" };

	(void)state;
	says("File: test\nRecorded: on unknown host, unknown architecture, Linux unknown, by perf of unknown version\n\nTrace units: ");
	env->hostname = "ho\nst";
	says("Recorded: on ho\\x0ast, unknown architecture, Linux unknown, by perf of unknown version\n");
	env->arch = "aarch64";
	env->osrelease = "6.1.0";
	env->version = "6.2.g1";
	env->cmdline = words;
	env->nr_cmdline = 2;
	says("Recorded: on ho\\x0ast, aarch64, Linux 6.1.0, by perf 6.2.g1\nCommand: /usr/bin/perf re\\x0acord\n\nTrace units: ");
	ss->recorder = RECORDER_SIMPLEPERF;
	env->version = NULL;
	says("Linux 6.1.0, by simpleperf\nCommand: ");
	ss->recorder = RECORDER_SNAPSHOT;
	says("File: test\nRecorded: a snapshot, without times and threads of an operating system\n\nTrace units: ");
	ss->recorder = RECORDER_PERF;
	*env = kept;
}

/* A buffer: whose it is, and what is in it. */
static void buffer(void **state)
{
	struct queue *q = ss->queues.q[2];

	(void)state;
	says("  buffer 2, CPU 2: 53 bytes in 1 piece; 1 fragment with 53 bytes, unframed\n");
	says("  buffer 0, CPU 0: 53 bytes in 1 piece; 1 fragment with 53 bytes (no AUX records: taken whole), unframed\n");
	q->cpu = -1;
	q->tid = 77;
	q->any_aux = q->any_raw = false;
	q->any_frames = true;
	q->ids_begun = q->ids_done = q->nr_frags;
	q->ids[0] = 1ull << 1 | 1ull << 63 | 1;
	q->ids[1] = 1ull << 0 | 1ull << 0x2f | 1ull << 0x30;
	says("  buffer 2, thread 77: 53 bytes in 1 piece; 1 fragment with 53 bytes (no AUX records: taken whole), frames with trace ID "
	     "0x01, 0x3f, 0x40, 0x6f\n");
	q->nr_frags = 0;
	says("; 0 fragments with 0 bytes (no");
	q->nr_frags = 1;
	q->nr_chunks = 0;
	says(": 0 bytes in 0 pieces; 1 fragment with ");
	q->nr_chunks = 1;
	ss->queues.nr_aux = 1;
	says("\nTrace: 20 buffers, 1 AUX record\n");
	ss->queues.nr_aux = 20;
	ss->queues.nr = 1;
	says("\nTrace: 1 buffer, 20 AUX records\n");
	says_not(" more (--all");
	ss->queues.nr = 16;
	says("  buffer 15, ");
	says_not(" more (--all");
	ss->queues.nr = 20;
}

static void trace_ids(void **state)
{
	struct id_owner *kept = ss->units.ids, many[18];
	char want[1000], *p = want;
	unsigned int i;

	(void)state;
	says("\nTrace IDs: from the metadata\n  0x10: CPU 0, 0x11: CPU 1, 0x12: CPU 2, 0x13: CPU 3\n");
	ss->units.info.cpu[1].trace_id = ss->units.info.cpu[3].trace_id = -1;
	says("\nTrace IDs: from the metadata\n  0x10: CPU 0, CPU 1 has none, 0x12: CPU 2, CPU 3 has none\n");
	ss->units.info.cpu[2].trace_id = 0;
	says("0x00: CPU 2, CPU 3 has none\n");
	memset(many, 0, sizeof(many));
	for (i = 0; i < 18; i++) {
		many[i].id = (uint8_t)(0x20 + i);
		many[i].cpu = (int)i;
	}
	/* listed once */
	many[1] = many[0];
	ss->units.ids = many;
	p += sprintf(p, "\nTrace IDs: from AUX_OUTPUT_HW_ID records\n");
	for (i = 0; i < 17; i++)
		if (i != 1)
			p += sprintf(p, "  0x%02x: CPU %u\n", 0x20 + i, i);
	ss->units.nr_ids = 17;
	says(want);
	says_not("and more");
	ss->units.nr_ids = 18;
	strcpy(p, "  and more (--all lists them)\n");
	says(want);
	assert_non_null(strstr(info(true), "  0x30: CPU 16\n  0x31: CPU 17\n"));
	assert_null(strstr(text, "and more"));
	ss->units.ids = kept;
	ss->units.nr_ids = 0;
}

static void buffers(void **state)
{
	const char *p;
	unsigned int n = 0;

	(void)state;
	says("\nTrace: 20 buffers, 20 AUX records\n");
	says("  and 4 more (--all lists them)\n");
	for (p = text; (p = strstr(p, "  buffer ")); p++)
		n++;
	assert_int_equal(n, 16);
	assert_non_null(strstr(info(true), "  buffer 19, "));
	assert_null(strstr(text, " more (--all"));
}

static struct trace_clock *clock_of(unsigned int i, struct trace_clock c)
{
	ss->clocks.v[i] = c;
	return &ss->clocks.v[i];
}

static void clocks(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} times[] = { { 0, "0 ns" }, { 9999, "9999 ns" }, { 10000, "10.0 us" }, { 9999900, "9999.9 us" }, { 10000000, "10.0 ms" } };
	const struct trace_clock none = { .kind = CLOCK_NONE }, estimated = { .kind = CLOCK_ESTIMATED, .rate = CLOCK_RATE_ASSUMED,
		.ns_per_tick = 2.5, .paired = true, .pair_ticks = 77, .pair_ns = 3000000005u, .error_ns = UINT64_MAX, .windows = 12 };
	const struct trace_clock converted = { .kind = CLOCK_CONVERTED };
	struct trace_clock *c;
	char want[400];
	size_t i;

	(void)state;
	says("\nTime: the trace has no timestamps; samples get the time of their AUX record\n");
	ss->clocks.timestamps = true;
	clock_of(0, none);
	clock_of(1, estimated);
	clock_of(2, none);
	clock_of(3, converted);
	says("\nTime: \n  CPU 0,2: no timestamps; samples get the time of their AUX record\n"
	     "  CPU 1: estimated: the file does not say how timestamps relate to perf time; 2.5 ns per tick, assumed (--ts-freq "
	     "changes it); timestamp 77 taken as 3.000000005 s or earlier\n"
	     "  CPU 3: timestamps of the virtual counter, converted as the file says (TIME_CONV)\n");
	clock_of(0, estimated);
	clock_of(2, estimated)->pair_ticks++;
	clock_of(3, estimated)->pair_ns++;
	says("\n  CPU 0,1: estimated: ");
	says("\n  CPU 2: estimated: ");
	says("\n  CPU 3: estimated: ");
	for (i = 0; i < CPUS; i++)
		clock_of((unsigned int)i, estimated);
	says("\nTime: estimated: ");
	c = &ss->clocks.v[0];
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		c->contradicted = false;
		c->error_ns = times[i].ns;
		snprintf(want, sizeof(want), "timestamp 77 taken as 3.000000005 s, at most %s too early\n", times[i].text);
		says(want);
		c->contradicted = true;
		snprintf(want, sizeof(want), "timestamp 77 taken as 3.000000005 s, but the 12 timestamps that were compared with records "
			 "contradict each other by %s\n", times[i].text);
		says(want);
	}
	c->paired = false;
	says("assumed (--ts-freq changes it), but no record bounds the time of any timestamp\n");
	ss->totals.backward_timestamps = 3;
	says("any timestamp\n  3 timestamps are earlier than the one before: time stands still there\n");
}

/* Processes with one map or several, with and without names and threads, and maps of the kernel. */
static int set_up_tasks(void **state)
{
	struct pdb_sid s = sb_sid(1000);
	unsigned int i;

	(void)state;
	sb_side_band(&data, "/program");
	for (i = 0; i < 2; i++)
		pdb_mmap2(&data, 300 - 100 * i, SB_BASE, 0x1000, 0, "/program", SB_ST, &s);
	pdb_mmap2(&data, 200, SB_BASE + 0x10000, 0x1000, 0, "/other", SB_ST, &s);
	pdb_comm(&data, 200, 200, "first", SB_ST, &s);
	s.time = 2000;
	pdb_comm(&data, 200, 200, "t\nwo", SB_ST, &s);
	/* a number of a thread that another process has later */
	sb_fork(&data, 300, 300, SB_TID, 1500);
	/* forks without a map of its own */
	sb_fork(&data, 400, 400, 401, 1500);
	sb_kernel_map(&data, 500, 0xffff800008000000, 0x1000000, 0xffff800008000000, "[kernel.kallsyms]_text");
	sb_trace(&trace, SB_TID);
	sb_stretch(&data, &trace, 0, SB_RAW);
	ss = sb_open(&data, &(struct session_opts){ .buildid_dir = "/nonexistent" }, NULL);
	return 0;
}

static void tasks(void **state)
{
	(void)state;
	says("\n  100 loop: 2 threads, 1 map event\n  200 t\\x0awo: 1 thread, 2 map events\n  300 (no name): 2 threads, 1 map event\n"
	     "  kernel: 1 map event\n\nTime: ");
	ss->tasks.threads.total_replaced = 5;
	ss->tasks.threads.total_processes += 3;
	ss->tasks.threads.kernel.nr_maps = 2;
	ss->images.kernel.kcore = (struct dso *)&data;	/* whether there is one */
	says("  300 (no name): 2 threads, 1 map event\n  and 3 that ended long before the recording did\n"
	     "  code was replaced by other code 5 times (exec or mapping)\n"
	     "  kernel: 2 map events, with a copy of its memory (kcore)\n\nTime: ");
	ss->images.kernel.kcore = NULL;
}

#define PROGRAMS 18u

/* 18 programs, the n-th of which goes n + 1 times round its loop, and stretches in EL3 and in the secure world. */
static int set_up_programs(void **state)
{
	static const uint32_t loop[] = { 0xd503201f, 0x17ffffff };
	struct pdb_sid s = sb_sid(1000);
	unsigned int i, k;
	char name[24];

	(void)state;
	sb_side_band(&data, "/program");
	for (i = 0; i < PROGRAMS; i++) {
		snprintf(name, sizeof(name), "program%u", i);
		temp_write(dir, name, loop, sizeof(loop));
		snprintf(name, sizeof(name), "/program%u", i);
		pdb_mmap2(&data, SB_PID, 0x1000000 + i * 0x10000, 0x1000, 0, name, SB_ST, &s);
		for (k = 0; k <= i; k++)
			sb_trace_at(&trace, SB_TID, 0x1000000 + i * 0x10000, 0);
	}
	sb_trace_at(&trace, SB_TID, 0x1000, 3);
	sb_trace_at(&trace, SB_TID, 0x2000, 3);
	sb_trace_at(&trace, SB_TID, 0x2000, 1);
	trace.p[trace.len - SB_ATOMS - 5] &= 0xdf;
	sb_stretch(&data, &trace, 0, SB_RAW);
	ss = sb_open(&data, &(struct session_opts){ .symfs = dir, .buildid_dir = "/nonexistent" }, NULL);
	return 0;
}

static void decoded(void **state)
{
	char want[4000], *p = want;
	unsigned int i;

	(void)state;
	printed(true, false);
	if (!strstr(text, "\n  secure world: 1 stretches, not decoded\n  EL3: 2 stretches, not decoded\n\nBinaries"))
		fail_msg("stretches: %s", text);
	p += sprintf(p, "\nBinaries, by instructions:\n");
	for (i = PROGRAMS; i > 2; i--)
		p += sprintf(p, "  %5.1f %%  /program%u\n           %s/program%u, build-id none, no ELF file\n",
			     100.0 * i / (PROGRAMS * (PROGRAMS + 1) / 2), i - 1, dir, i - 1);
	strcpy(p, "  and 2 more (--all lists them)\n\nImages:\n");
	if (!strstr(text, want))
		fail_msg("no '%s' in %s", want, text);
	p += sprintf(p, "    1.2 %%  /program1\n           %s/program1, build-id none, no ELF file\n"
		     "    0.6 %%  /program0\n           %s/program0, build-id none, no ELF file\n\nImages:\n", dir, dir);
	printed(true, true);
	if (!strstr(text, want))
		fail_msg("no '%s' in %s", want, text);
}

#define PROCESSES 513u

/* Processes that run where nothing is mapped, with two causes each: 1026 rows, and the table has 1024. */
static int set_up_processes(void **state)
{
	struct pdb_sid s = sb_sid(1000);
	unsigned int i;

	(void)state;
	sb_side_band(&data, "/program");
	for (i = 0; i < PROCESSES; i++) {
		pdb_comm(&data, 1000 + i, 1000 + i, "lost", SB_ST, &s);
		sb_trace_at(&trace, 1000 + i, 0x7000, 0);
	}
	sb_stretch(&data, &trace, 0, SB_RAW);
	ss = sb_open(&data, &(struct session_opts){ .symfs = dir, .buildid_dir = "/nonexistent" }, NULL);
	return 0;
}

/* Rows that were dropped are sums without a number: half of 1024, those that lost no bytes. */
static void json_of_many(void **state)
{
	const char *table, *want;

	(void)state;
	printed_as(true, true, true);
	table = strstr(text, " \"processes\":[");
	if (!table)
		fail_msg("no table in %s", text);
	want = "\n  {\"pid\":1511,\"comm\":\"lost\",\"cause\":\"no-map\",\"count\":1,\"bytes\":53},"
	       "\n  {\"pid\":1512,\"comm\":\"lost\",\"cause\":\"no-map\",\"count\":1,\"bytes\":24},"
	       "\n  {\"pid\":1512,\"comm\":\"lost\",\"cause\":\"atoms\",\"count\":23,\"bytes\":0},"
	       "\n  {\"pid\":null,\"cause\":\"atoms\",\"count\":11776,\"bytes\":0}],\n";
	if (!strstr(table, want))
		fail_msg("no '%s' in %s", want, text);
	assert_non_null(strstr(table, "{\"pid\":1000,\"comm\":\"lost\",\"cause\":\"no-map\",\"count\":1,\"bytes\":53},"));
	assert_null(strstr(table, "{\"pid\":1000,\"comm\":\"lost\",\"cause\":\"atoms\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(timestamp_sources, set_up, tear_down),
		cmocka_unit_test_setup_teardown(configurations, set_up, tear_down),
		cmocka_unit_test_setup_teardown(fields, set_up, tear_down),
		cmocka_unit_test_setup_teardown(virtual_machines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reserved_fields, set_up, tear_down),
		cmocka_unit_test_setup_teardown(equal_units, set_up, tear_down),
		cmocka_unit_test_setup_teardown(owners, set_up, tear_down),
		cmocka_unit_test_setup_teardown(origin, set_up, tear_down),
		cmocka_unit_test_setup_teardown(buffer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(trace_ids, set_up, tear_down),
		cmocka_unit_test_setup_teardown(buffers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(clocks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tasks, set_up_tasks, tear_down),
		cmocka_unit_test_setup_teardown(decoded, set_up_programs, tear_down),
		cmocka_unit_test_setup_teardown(json_of_many, set_up_processes, tear_down),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
