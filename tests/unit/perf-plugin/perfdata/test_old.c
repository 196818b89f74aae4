/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings of old kernels. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "perfdata/reader.h"
#include "unit/perf-plugin/perfdata_open.h"

#define ST	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Without sample_id_all a record is its body, and nothing says when it was. */
static void test_no_sample_ids(void **state)
{
	const struct pdb_attr attr = { .type = 8, .size = 128, .sample_type = ST, .ids = { 100 }, .nr_ids = 1 };
	struct pdb data = { 0 };
	const struct pdb_sid none = { .pid = 0 };
	struct perfdata *pd;
	struct pd_record r;

	(void)state;
	pdb_comm(&data, 5, 6, "worker", 0, &none);
	pdb_mmap2(&data, 5, 0x400000, 0x2000, 0x1000, "/opt/truth/sort", 0, &none);
	pd = pdb_open(&attr, 1, &data, NULL, 0);
	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_string_equal(r.ev->comm.comm, "worker");
	assert_int_equal(r.body_size, r.ev->header.size);
	assert_int_equal(r.sid.valid, 0);
	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_string_equal(r.ev->mmap2.filename, "/opt/truth/sort");
	assert_int_equal(r.body_size, r.ev->header.size);
	assert_int_equal(r.sid.valid, 0);
	assert_int_equal(perfdata_next(pd, &r), 0);
	perfdata_close(pd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_no_sample_ids) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
