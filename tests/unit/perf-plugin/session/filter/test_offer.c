/* SPDX-License-Identifier: BSD-3-Clause */
/* What a recording has for each filter option, which is printed when no trace fits: whole texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unit/perf-plugin/session_open.h"

static struct pdb data, trace;

static int tear_down(void **state)
{
	(void)state;
	pdb_free(&data);
	pdb_free(&trace);
	memset(&data, 0, sizeof(data));
	memset(&trace, 0, sizeof(trace));
	return 0;
}

/* Opens the recording of `data`, and checks what it offers for the options. */
static void offers(const struct filter_opts *f, const char *want)
{
	const struct session_opts so = { .buildid_dir = "/nonexistent", .filter = *f };
	struct session *ss = sb_open(&data, &so, NULL);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	session_print_offer(ss, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, want);
	free(text);
	session_close(ss);
}

static void comm(uint32_t pid, uint32_t tid, const char *name, uint64_t time)
{
	struct pdb_sid s = sb_sid(time);

	pdb_comm(&data, pid, tid, name, SB_ST, &s);
}

/* AUX_OUTPUT_HW_ID: from a time on the trace ID is that of the CPU. */
static void owner(uint8_t id, unsigned int cpu, uint64_t time)
{
	struct pdb_sid s = sb_sid(time);
	size_t at = pdb_begin(&data, 21, 0);

	s.cpu = cpu;
	pdb_u64(&data, id);
	pdb_sid_put(&data, SB_ST, &s);
	pdb_end(&data, at);
}

/* Frames of one ID in the buffer of a CPU; -1: in that of a thread. */
static void frames_of(uint8_t id, uint64_t offset, int cpu)
{
	struct pdb frames = { .p = NULL };

	sb_frames(&frames, &trace, id);
	pdb_auxtrace(&data, offset, frames.p, frames.len, (uint32_t)cpu, cpu < 0 ? SB_TID : (uint32_t)-1);
	pdb_free(&frames);
}

/* Metadata of `nr` CPUs, which are numbered 0, 2, 4 ..., and whose trace IDs follow each other. */
static void metadata_from(unsigned int nr, uint64_t first_id)
{
	size_t at = pdb_begin(&data, 70, 0);
	unsigned int i, k;

	pdb_u32(&data, 3);
	pdb_u32(&data, 0);
	pdb_u64(&data, 1);
	pdb_u64(&data, 8ull << 32 | nr);
	pdb_u64(&data, 0);
	for (i = 0; i < nr; i++) {
		const uint64_t words[] = { 0x4040404040404040ull, 2 * i, 7, SB_CONFIGR, first_id + i, 0x28000ea1, 0x4100f423, 0x488,
					   0, 0xcc };

		for (k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			pdb_u64(&data, words[k]);
	}
	pdb_end(&data, at);
}

static void metadata(unsigned int nr)
{
	metadata_from(nr, 0x10);
}

static void nothing(void **state)
{
	const struct filter_opts f = { .time = "1,2", .cpu = "0", .pid = "1", .tid = "1", .comm = "x" };

	(void)state;
	metadata(1);
	comm(0, 0, "swapper", 0);
	comm((uint32_t)-1, (uint32_t)-1, "kernel", UINT64_MAX);
	offers(&f, "cstrace: test: no trace fits what was asked for:\n"
		   "  --time 1,2: neither the records nor the trace have times\n"
		   "  --cpu 0: there is no trace of any CPU\n"
		   "  --pid 1: the file names no process\n"
		   "  --tid 1: the file names no thread\n"
		   "  --comm x: the file names no thread\n");
}

/* Lists of 12 are whole; of longer ones the lowest numbers, and the names of the lowest threads that have one, are shown. */
static void long_lists(void **state)
{
	static const struct filter_opts f = { .time = "1%", .pid = "1", .tid = "1", .comm = "x" };
	static const char *const twelve = "cstrace: test: no trace fits what was asked for:\n"
		"  --time 1%: the records are from 0.000000950 to 0.000002000 s\n"
		"  --pid 1: the file has processes 201 (a), 202 (b), 203 (c), 204 (d), 205 (e), 206 (f), 207 (g), 208 (h), "
		"209 (i), 210 (j), 211 (k), 212 (l)\n"
		"  --tid 1: the file has threads 201 (a), 202 (b), 203 (c), 204 (d), 205 (e), 206 (f), 207 (g), 208 (h), "
		"209 (i), 210 (j), 211 (k), 212 (l)\n"
		"  --comm x: the file has a, b, c, d, e, f, g, h, i, j, k, l\n";
	static const char *const more = "cstrace: test: no trace fits what was asked for:\n"
		"  --time 1%: the records are from 0.000000950 to 0.000003000 s\n"
		"  --pid 1: the file has processes 199 (:199), 200 (b), 201 (a), 202 (b), 203 (c), 204 (d), 205 (e), 206 (f), "
		"207 (g), 208 (h), 209 (i), 210 (j) and 3 more\n"
		"  --tid 1: the file has threads 199 (:199), 200 (b), 201 (a), 202 (b), 203 (c), 204 (d), 205 (e), 206 (f), "
		"207 (g), 208 (h), 209 (i), 210 (j) and 3 more\n"
		"  --comm x: the file has b, a, c, d, e, f, g, h, i, j, k, l and more\n";
	int round, i;

	(void)state;
	for (round = 0; round < 2; round++) {
		metadata(1);
		if (round) {
			comm(213, 213, "m", 3000);
			sb_fork(&data, 199, 0, 199, 1000);
			comm(200, 200, "b", 1000);
		}
		comm(212, 212, "l", 2000);
		for (i = 211; i > 200; i--)
			comm((uint32_t)i, (uint32_t)i, (const char[]){ (char)('a' + i - 201), 0 }, i == 205 ? 950 : 1000);
		offers(&f, round ? more : twelve);
	}
}

/* The CPUs of trace: those of the buffers, in the order of the metadata, 12 of them at most. */
static void cpus(void **state)
{
	const struct filter_opts f = { .cpu = "1" };
	unsigned int i, nr;

	(void)state;
	sb_trace(&trace, SB_TID);
	for (nr = 12; nr <= 14; nr++) {
		metadata(16);
		for (i = nr; i-- > 0;)
			pdb_auxtrace(&data, 0, trace.p, trace.len, 2 * i, (uint32_t)-1);
		offers(&f, nr == 12 ? "cstrace: test: no trace fits what was asked for:\n"
			   "  --cpu 1: there is trace of CPU 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22\n" :
			   nr == 13 ? "cstrace: test: no trace fits what was asked for:\n"
			   "  --cpu 1: there is trace of CPU 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 1 more\n" :
			   "cstrace: test: no trace fits what was asked for:\n"
			   "  --cpu 1: there is trace of CPU 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 2 more\n");
	}
}

/* A trace ID that one CPU has after another is that of both; IDs are from 1 to 0x6f. */
static void cpus_of_ids(void **state)
{
	static const struct {
		unsigned int first;	/* ID of the first CPU in the metadata */
		uint8_t id;		/* in the frames */
		const char *want;
	} ids[] = {
		{ 0x00, 0x01, "there is trace of CPU 2" },
		{ 0x6d, 0x6f, "there is trace of CPU 4" },
		{ 0x6d, 0x70, "there is no trace of any CPU" },
	};
	const struct filter_opts f = { .cpu = "1" };
	char want[200];
	size_t i;

	(void)state;
	sb_trace(&trace, SB_TID);
	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		metadata_from(4, ids[i].first);
		frames_of(ids[i].id, 0, -1);
		frames_of(0x6a, 0x1000, -1);	/* of no unit */
		snprintf(want, sizeof(want), "cstrace: test: no trace fits what was asked for:\n  --cpu 1: %s\n", ids[i].want);
		offers(&f, want);
	}
	metadata(4);
	owner(0x30, 6, 0);
	owner(0x30, 0, 1);
	owner(0x30, 2, 2000);
	owner(0x31, 4, 3000);
	frames_of(0x30, 0, -1);
	offers(&f, "cstrace: test: no trace fits what was asked for:\n"
		   "  --cpu 1: there is trace of CPU 0, 2, 6\n");
	/* several CPUs write into the buffer of one */
	metadata(4);
	frames_of(0x13, 0, 2);
	frames_of(0x10, 0x1000, 2);
	offers(&f, "cstrace: test: no trace fits what was asked for:\n"
		   "  --cpu 1: there is trace of CPU 0, 6\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(nothing, tear_down),
		cmocka_unit_test_teardown(long_lists, tear_down),
		cmocka_unit_test_teardown(cpus, tear_down),
		cmocka_unit_test_teardown(cpus_of_ids, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
