/* SPDX-License-Identifier: BSD-3-Clause */
/* Who ran, by which records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "session/internal.h"
#include "unit/perf-plugin/session_open.h"

static struct pdb data;

/* SWITCH, or SWITCH_CPU_WIDE, which also names the other thread. */
static void put_switch(uint64_t sample_type, uint32_t cpu, uint64_t time, bool out, int other)
{
	struct pdb_sid s = sb_sid(time);
	size_t at = pdb_begin(&data, other < 0 ? 14 : 15, out ? 0x2000 : 0);

	s.cpu = cpu;
	if (other >= 0) {
		pdb_u32(&data, (uint32_t)other);
		pdb_u32(&data, (uint32_t)other);
	}
	pdb_sid_put(&data, sample_type, &s);
	pdb_end(&data, at);
}

/* ITRACE_START: trace begins with this thread. */
static void put_start(uint64_t sample_type, uint32_t cpu, uint64_t time, uint32_t tid)
{
	struct pdb_sid s = sb_sid(time);
	size_t at = pdb_begin(&data, 12, 0);

	s.cpu = cpu;
	pdb_u32(&data, tid);
	pdb_u32(&data, tid);
	pdb_sid_put(&data, sample_type, &s);
	pdb_end(&data, at);
}

/* What a record does not name is unknown, -1; one without a time or a CPU says nothing of who ran. */
static void switch_records(void **state)
{
	static const struct {
		uint64_t sample_type;
		bool out;
		int other;
		bool known;
		int before, after;
	} rows[] = {
		{ SB_ST, false, -1, true, -1, SB_TID },
		{ SB_ST, true, -1, true, SB_TID, -1 },
		{ SB_ST, false, 55, true, 55, SB_TID },
		{ SB_ST, true, 55, true, SB_TID, 55 },
		{ SB_ST & ~(uint64_t)PERF_SAMPLE_TID, false, -1, true, -1, -1 },
		{ SB_ST & ~(uint64_t)PERF_SAMPLE_TID, true, 55, true, -1, 55 },
		{ SB_ST & ~(uint64_t)PERF_SAMPLE_TIME, false, 55, false, -1, -1 },
		{ SB_ST & ~(uint64_t)PERF_SAMPLE_CPU, false, 55, false, -1, -1 },
	};
	const struct session_opts so = { .buildid_dir = "/nonexistent" };
	struct pdb_attr attr = sb_attr;
	const struct running *r;
	struct session *ss;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		attr.sample_type = rows[i].sample_type;
		sb_aux_info(&data, 1, SB_CONFIGR, 0x10);
		put_switch(rows[i].sample_type, 0, 100, rows[i].out, rows[i].other);
		put_start(rows[i].sample_type, 0, 150, 77);
		ss = sb_open_of(&attr, &data, &so, NULL);
		r = &ss->tasks.running;
		if (running_known(r, 0) != rows[i].known || running_thread(r, 0, 99) != rows[i].before ||
		    running_thread(r, 0, 100) != rows[i].after || running_thread(r, 0, 150) != (rows[i].known ? 77 : -1) ||
		    r->nr != rows[i].known)
			fail_msg("row %zu: %zu CPUs, %sknown, thread %d, then %d, then %d", i, r->nr,
				 running_known(r, 0) ? "" : "not ", running_thread(r, 0, 99), running_thread(r, 0, 100),
				 running_thread(r, 0, 150));
		session_close(ss);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(switch_records) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
