/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What info says of trace units, trace IDs and clocks in states that recordings of today rarely
 * have, and of many binaries and processes.
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
#include "machine/images/elf_facts.h"
#include "outputs/info/info.h"
#include "session/decode/decode.h"
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
	const struct trace_clock none = { .kind = CLOCK_NONE },
				 estimated = { .kind = CLOCK_ESTIMATED,
					       .rate = CLOCK_RATE_ASSUMED,
					       .ns_per_tick = 2.5,
					       .paired = true,
					       .pair_ticks = 77,
					       .pair_ns = 3000000005u,
					       .error_ns = UINT64_MAX,
					       .brackets = 12 };
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

/* Two of the files are taken for ELF files. */
bool __wrap_dso_facts(const struct dso *d, struct elf_facts *f);
bool __wrap_dso_facts(const struct dso *d, struct elf_facts *f)
{
	*f = (struct elf_facts){ .debuglink = "p.debug" };
	if (!strcmp(d->path, "/program17"))
		*f = (struct elf_facts){ .symtab = true, .dwarf_low = 2, .dwarf_high = 5 };
	return !strcmp(d->path, "/program16") || !strcmp(d->path, "/program17");
}

static int failure;

int __real_session_run(struct session *session, const struct consumer *con);
int __wrap_session_run(struct session *session, const struct consumer *con);
int __wrap_session_run(struct session *session, const struct consumer *con)
{
	return failure ? failure : __real_session_run(session, con);
}

static void decoded(void **state)
{
	char want[4000], *p = want;
	const char *facts;
	unsigned int i;

	(void)state;
	printed(true, false);
	if (!strstr(text, "\n  secure world: 1 stretches, not decoded\n  EL3: 2 stretches, not decoded\n\nBinaries"))
		fail_msg("stretches: %s", text);
	p += sprintf(p, "\nBinaries, by instructions:\n");
	for (i = PROGRAMS; i > 2; i--) {
		facts = i == 18 ? "symbols, DWARF 2 to 5" :
			i == 17 ? "no symbols, debug information in p.debug" :
				  "no ELF file";
		p += sprintf(p,
			     "  %5.1f %%  /program%u\n           %s/program%u, build-id none, %s\n",
			     100.0 * i / (PROGRAMS * (PROGRAMS + 1) / 2), i - 1, dir, i - 1, facts);
	}
	strcpy(p, "  and 2 more (--all lists them)\n\nImages:\n");
	if (!strstr(text, want))
		fail_msg("no '%s' in %s", want, text);
	p += sprintf(p, "    1.2 %%  /program1\n           %s/program1, build-id none, no ELF file\n"
		     "    0.6 %%  /program0\n           %s/program0, build-id none, no ELF file\n\nImages:\n", dir, dir);
	ss->tasks.threads.totals.total_processes += 3;
	printed(true, true);
	if (!strstr(text, want) ||
	    !strstr(text, "\n  and 3 that ended long before the recording did\n"))
		fail_msg("no '%s' in %s", want, text);
	/* where decoding fails, there is no JSON */
	failure = ERR_REPORTED;
	assert_int_equal(info_json(ss), ERR_REPORTED);
	failure = 0;
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
		cmocka_unit_test_setup_teardown(trace_ids, set_up, tear_down),
		cmocka_unit_test_setup_teardown(clocks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(decoded, set_up_programs, tear_down),
		cmocka_unit_test_setup_teardown(json_of_many, set_up_processes, tear_down),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
