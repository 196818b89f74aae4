/* SPDX-License-Identifier: BSD-3-Clause */
/* Losses that are many. Each cause, and how `info` prints it, is in tests/data/recordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "session/decode/decode.h"
#include "session/internal.h"
#include "session/parts.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

TEMP_DIR("losses")

static int make_files(void **state)
{
	static const uint32_t branches[] = { 0x14000001, 0x17ffffff };	/* b .+4; b .-4 */

	if (make_dir(state))
		return -1;
	temp_write(dir, "branches.bin", branches, sizeof(branches));
	return 0;
}

static struct session *open_recording(struct pdb *data)
{
	const struct session_opts so = { .symfs = dir, .buildid_dir = "/nonexistent" };

	return sb_open(data, &so, NULL);
}

/* Each atom N of an unconditional branch counts for its file, also where ranges are counted. */
static void contradictions(void **state)
{
	enum { TIMES = 3 * UINT16_MAX + 5 };	/* more than one run of counted ranges has */
	const struct consumer counting = { .wants.counts = true }, nothing = { .data = NULL };
	struct pdb data = { 0 }, trace = { 0 };
	const struct dso_table *files;
	struct session *ss;
	uint64_t sum;
	size_t i;
	int k;

	(void)state;
	sb_trace(&trace, SB_TID);
	for (k = 0; k < TIMES; k++)
		pdb_bytes(&trace, "\xda", 1);	/* N, E */
	sb_side_band(&data, "/branches.bin");
	sb_stretch(&data, &trace, 0, SB_RAW);
	ss = open_recording(&data);
	for (k = 0; k < 2; k++) {
		assert_int_equal(session_run(ss, k ? &nothing : &counting), 0);
		assert_int_equal(ss->losses.cause[LOSS_CONFLICT].count, TIMES);
		files = session_dsos(ss);
		for (sum = i = 0; i < files->nr; i++)
			sum += files->all[i]->counts.conflicts;
		assert_int_equal(sum, TIMES);
	}
	session_close(ss);
	pdb_free(&trace);
}

/* Damaged records are reported one by one, up to ten, and all are counted, run after run. */
static void damaged_records(void **state)
{
	const struct consumer nothing = { .data = NULL };
	static struct said said;
	struct session *ss;
	const char *p;
	unsigned int n, i, lines;

	(void)state;
	for (n = 10; n <= 11; n++) {
		struct pdb data = { 0 };

		sb_side_band(&data, "/branches.bin");
		for (i = 0; i < n; i++)
			pdb_end(&data, pdb_begin(&data, PERF_RECORD_COMM, 0));
		said_begin(&said);
		ss = open_recording(&data);
		said_end(&said);
		for (lines = 0, p = said.text; (p = strstr(p, "too small for its sample_id; it is left out\n")); p++)
			lines++;
		assert_int_equal(lines, 10);
		p = strstr(said.text, "cstrace: test: more errors of this kind are only counted\n");
		assert_int_equal(p != NULL, n > 10);
		for (i = 0; i < 2; i++) {
			assert_int_equal(session_run(ss, &nothing), 0);
			assert_int_equal(ss->losses.cause[LOSS_BAD_RECORD].count, n);
		}
		session_close(ss);
	}
}

/* The same number twice is two processes when the names differ. */
static void reused_process_ids(void **state)
{
	struct losses ls;

	(void)state;
	memset(&ls, 0, sizeof(ls));
	losses_init(&ls);
	losses_add(&ls, LOSS_NO_FILE, 0, 42, "old", 1, 2);
	losses_add(&ls, LOSS_NO_FILE, 0, 42, "new", 1, 2);
	losses_add(&ls, LOSS_NO_FILE, 0, 42, "a name that is longer than the kernel's", 1, 2);
	assert_int_equal(ls.process.nr, 3);
	assert_string_equal(ls.process.rows[2].comm, "a name that is ");
	losses_free(&ls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contradictions),
		cmocka_unit_test(damaged_records),
		cmocka_unit_test(reused_process_ids),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
