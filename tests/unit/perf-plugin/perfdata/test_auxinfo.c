/* SPDX-License-Identifier: BSD-3-Clause */
/* The trace metadata in every version that recorders wrote, and what is wrong with broken ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "perfdata/auxinfo.h"

#define ETMV3	0x3030303030303030ULL
#define ETMV4	0x4040404040404040ULL
#define ETE	0x5050505050505050ULL

struct rec {
	struct perf_event_header header;
	uint32_t type;
	uint32_t pad;
	uint64_t w[64];
};

static struct auxinfo info;
static struct error err;

static int parse(const uint64_t *w, size_t n)
{
	struct rec r = { .header = { .type = 70 }, .type = 3 };

	memcpy(r.w, w, n * 8);
	r.header.size = (uint16_t)(16 + n * 8);
	memset(&info, 0, sizeof(info));
	memset(&err, 0, sizeof(err));
	return auxinfo_parse(&info, (const struct perf_record_auxtrace_info *)&r, r.header.size, "f",
			     0x100, &err);
}

#define PARSE(...)	parse((const uint64_t[]){ __VA_ARGS__ }, \
			      sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

/* The blocks of version 0 are found by their marks, whatever number of registers they have. */
static void test_v0_lengths(void **state)
{
	(void)state;
	assert_int_equal(PARSE(0, 8ULL << 32 | 4, 0,
			       ETMV4, 0, 0x18c1, 0x10, 0x28000ea1, 0x4100f403, 0x488, 5, 0xcc, 1,
			       ETMV3, 1, 0x4000, 0x12, 0x34c01ac2, 0x410cf250, 7, 8, 9,
			       ETMV4, 2, 0x18c1, 0x14, 0x28000ea1,
			       ETMV4, 3, 0x18c1, 0x16, 0x28000ea1, 0x4100f403, 0x488, 5, 0xcc, 0, 0), 0);
	assert_int_equal(info.nr_cpu, 4);
	assert_int_equal(info.missing, 0);
	assert_int_equal(info.unknown, 0);
	assert_int_equal(info.cpu[0].present, 0x7f);
	assert_int_equal(info.cpu[0].reg[AUX_REG_TRCAUTHSTATUS], 0xcc);
	assert_false(info.cpu[0].has_ts_source);	/* the further word is not known to be that */
	assert_int_equal(info.cpu[1].present, 0xf);
	assert_int_equal(info.cpu[1].reg[AUX_REG_ETMIDR], 0x410cf250);
	assert_int_equal(info.cpu[2].present, 7);
	assert_int_equal(info.cpu[2].trace_id, 0x14);
	assert_int_equal(info.cpu[3].reg[AUX_REG_TRCIDR8], 5);
	auxinfo_free(&info);
	/* a register with the value of a mark: no CPU number follows */
	assert_int_equal(PARSE(0, 2, 0, ETMV4, 0, 0x18c1, 0x10, ETMV3, ~0ULL, 2, 5, 0xcc,
			       ETMV4, 7, 1, 0x12, 3, 4, 5, 6, 7), 0);
	assert_int_equal(info.nr_cpu, 2);
	assert_int_equal(info.cpu[0].reg[AUX_REG_TRCIDR0], ETMV3);
	assert_int_equal(info.cpu[1].cpu, 7);
	auxinfo_free(&info);
}

/* Blocks of kinds of the future, or with a broken mark, and words between blocks are skipped and named. */
static void test_unknown_blocks(void **state)
{
	(void)state;
	assert_int_equal(PARSE(1, 3, 0, ETMV4, 0, 7, 0x40, 0x10, 1, 2, 3, 4, 5,
			       0x6060606060606060, 1, 3, 1, 2, 3,
			       ETE, 2, 8, 0x40, 0x14, 1, 2, 3, 4, 5, 0x47705a13), 0);
	assert_int_equal(info.nr_cpu, 2);
	assert_int_equal(info.missing, 1);
	assert_int_equal(info.unknown, 1);
	assert_int_equal(info.unknown_mark, 0x6060606060606060);
	assert_int_equal(info.unknown_at, 13);
	assert_int_equal(info.cpu[1].cpu, 2);
	auxinfo_free(&info);
	/* the number of parameters is too small by two */
	assert_int_equal(PARSE(2, 2, 0, ETMV4, 0, 5, 0x40, 0x10, 1, 2, 3, 4, 5, ETMV4, 1, 7, 0x40, 0x12, 1, 2, 3, 4, 5), 0);
	assert_int_equal(info.nr_cpu, 2);
	assert_int_equal(info.missing, 0);
	assert_int_equal(info.unknown, 1);
	assert_int_equal(info.cpu[1].trace_id, 0x12);
	auxinfo_free(&info);
	assert_int_equal(PARSE(0, 2, 0, 0x6060606060606060, 0, 1, 2, 3, ETMV3, 1, 0x4000, 0x12, 0x34c01ac2, 0x410cf250), 0);
	assert_int_equal(info.nr_cpu, 1);
	assert_int_equal(info.missing, 1);
	auxinfo_free(&info);
}

/* The VMID of a guest is not a PID. */
static void test_vmid_without_vmidopt(void **state)
{
	(void)state;
	assert_int_equal(PARSE(1, 1, 0, ETMV4, 0, 7, 0x80, 0x10, 1, 2, 3, 4, 5), 0);
	assert_false(aux_cpu_pid_source(&info.cpu[0]).contextidr_el2);
	assert_false(aux_cpu_pid_source(&info.cpu[0]).contextidr_el1);
	auxinfo_free(&info);
}

/* Registers that an old recorder did not write are absent, not an error. */
static void test_short_block(void **state)
{
	(void)state;
	assert_int_equal(PARSE(1, 2, 0, ETMV4, 0, 2, 0x18c1, 0x10, ETE, 1, 7, 0, 0x12, 1, 2, 3, 4, 5), 0);
	assert_int_equal(info.nr_cpu, 2);
	assert_int_equal(info.cpu[0].present, 3);
	assert_int_equal(info.cpu[0].reg[AUX_REG_TRCIDR0], 0);
	assert_int_equal(info.cpu[1].present, 0x7f);
	auxinfo_free(&info);
}

static void test_ends_early(void **state)
{
	(void)state;
	assert_int_equal(PARSE(1, 4, 0, ETMV4, 0, 7, 0, 0x10, 1, 2, 3, 4, 5, ETMV4, 1, 7, 0), 0);
	assert_int_equal(info.nr_cpu, 1);
	assert_int_equal(info.missing, 3);
	auxinfo_free(&info);
	assert_int_equal(PARSE(1, 0xffffffff, 0, ETMV4, 0, 7, 0), ERR_AUXINFO);
	assert_non_null(strstr(err.msg, "first of 4294967295 CPUs"));
	/* A length that overflows when it is added up. */
	assert_int_equal(PARSE(1, 1, 0, ETMV4, 0, ~0ULL, 0), ERR_AUXINFO);
}

static void test_refused(void **state)
{
	struct rec r = { .header = { .type = 70 }, .type = 1 };

	(void)state;
	assert_int_equal(PARSE(3, 1, 0, ETMV4, 0, 7, 0, 0x10, 1, 2, 3, 4, 5), ERR_AUXINFO);
	assert_non_null(strstr(err.msg, "version 3"));
	assert_non_null(strstr(err.msg, "offset 0x110"));
	assert_int_equal(PARSE(1, 0, 0), ERR_AUXINFO);
	assert_int_equal(PARSE(1, 1), ERR_AUXINFO);
	assert_int_equal(PARSE(1, 1, 0, 0x6060606060606060, 0, 7, 0, 0, 0, 0, 0, 0, 0), ERR_AUXINFO);
	assert_non_null(strstr(err.msg, "0x6060606060606060"));
	assert_non_null(strstr(err.msg, "offset 0x128"));
	assert_int_equal(PARSE(0, 1, 0, ETE, 0, 7, 0, 0, 0, 0, 0, 0, 0), ERR_AUXINFO);
	assert_int_equal(PARSE(1, 1, 0, ETMV4, 1ULL << 32, 1, 0), ERR_AUXINFO);
	assert_int_equal(PARSE(1, 2, 0, ETMV4, 1, 1, 0, ETMV4, 1, 1, 0), ERR_AUXINFO);
	assert_int_equal(PARSE(1, 1, 0, ETMV4, 1, 0), ERR_AUXINFO);
	assert_null(info.cpu);
	/* Intel PT's records have the same number. */
	r.header.size = 16 + 24;
	assert_int_equal(auxinfo_parse(&info, (const struct perf_record_auxtrace_info *)&r, r.header.size,
				       "f", 0, &err), ERR_AUXINFO);
	assert_non_null(strstr(err.msg, "cs_etm"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v0_lengths), cmocka_unit_test(test_unknown_blocks),
		cmocka_unit_test(test_vmid_without_vmidopt), cmocka_unit_test(test_short_block),
		cmocka_unit_test(test_ends_early), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("perfdata auxinfo", tests, NULL, NULL);
}
