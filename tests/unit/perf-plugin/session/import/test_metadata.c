/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace units as the metadata of a package and as the record of perf.data, there and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "session/import/metadata.h"

#define NR	8

static const uint64_t etmv4[] = { 0x1801, 0x10, 0x28000ea1, 0x4100f403, 0x488, 0, 0xcc };

static const struct {
	uint32_t cpu;
	enum aux_unit unit;
	int trace_id;
	uint64_t traceid_reg;
	bool has_ts_source;
	int ts_source;
	const char *begin, *end;	/* of its section */
} units[NR] = {
	{ 0, AUX_ETMV4, 0x10, 0x10, true, AUX_TS_VIRTUAL,
	  "[trace_16]\nformat=ETMv4.0\nTRCCONFIGR=0x1801\nTRCTRACEIDR=0x10\n",
	  "TRCAUTHSTATUS=0xcc\nsource=cpu0\ncpu=0\nts_source=virtual\n" },
	{ 1, AUX_ETE, 0x11, 0x11, true, AUX_TS_PHYSICAL,
	  "[trace_17]\nformat=ETE1.0\nTRCCONFIGR=0x1801\nTRCTRACEIDR=0x11\n",
	  "TRCAUTHSTATUS=0xcc\nsource=cpu1\ncpu=1\nts_source=physical\n" },
	{ 2, AUX_ETMV3, 0x12, 0x12, false, AUX_TS_UNKNOWN,
	  "[trace_18]\nformat=ETM3.5\nETMCR=0x100\nETMTRACEIDR=0x12\nETMCCER=0x102\n",
	  "ETMIDR=0x4104f253\nsource=cpu2\ncpu=2\n" },
	{ 5, AUX_PTM, 0x13, 0x113, false, AUX_TS_UNKNOWN,	/* more than an ID in its register */
	  "[trace_19]\nformat=PFT1.1\nETMCR=0x200\nETMTRACEIDR=0x113\nETMCCER=0x202\n",
	  "ETMIDR=0x411cf312\nsource=cpu5\ncpu=5\nperf_traceid=0x113\n" },
	{ 3, AUX_ETMV4, 0x14, 0x14, false, AUX_TS_UNKNOWN,	/* two units have this ID */
	  "[source_cpu3]\nformat=ETMv4.0\nTRCCONFIGR=0x1801\nTRCTRACEIDR=0x14\n",
	  "TRCAUTHSTATUS=0xcc\ncpu=3\nperf_traceid=0x14\n" },
	{ 4, AUX_ETE, 0x14, 0x14, true, AUX_TS_GUEST_PHYSICAL,
	  "[source_cpu4]\nformat=ETE1.0\nTRCCONFIGR=0x1801\nTRCTRACEIDR=0x14\n",
	  "TRCAUTHSTATUS=0xcc\ncpu=4\nperf_traceid=0x14\nts_source=guest_physical\n" },
	{ 6, AUX_ETMV4, -1, 0, true, AUX_TS_UNKNOWN,	/* records tell its ID */
	  "[source_cpu6]\nformat=ETMv4.0\nTRCCONFIGR=0x1801\nTRCTRACEIDR=0x0\n",
	  "TRCAUTHSTATUS=0xcc\ncpu=6\nts_source=unknown\n" },
	{ 7, AUX_ETMV3, -1, 0x55, false, AUX_TS_UNKNOWN,
	  "[source_cpu7]\nformat=ETM3.5\nETMCR=0x100\nETMTRACEIDR=0x55\nETMCCER=0x102\n",
	  "ETMIDR=0x4104f253\ncpu=7\nperf_traceid=0x55\n" },
};

static void make_units(struct auxinfo *info, struct aux_cpu cpu[NR])
{
	unsigned int i, k;

	*info = (struct auxinfo){ .version = 1, .pmu_type = 8, .nr_cpu = NR, .cpu = cpu };
	memset(cpu, 0, NR * sizeof(*cpu));
	for (i = 0; i < NR; i++) {
		cpu[i].cpu = units[i].cpu;
		cpu[i].unit = units[i].unit;
		cpu[i].trace_id = units[i].trace_id;
		cpu[i].has_ts_source = units[i].has_ts_source;
		cpu[i].ts_source = units[i].ts_source;
		for (k = 0; aux_reg_name(units[i].unit, k); k++) {
			cpu[i].reg[k] = units[i].unit == AUX_ETMV3 ? (k == AUX_REG_ETMIDR ? 0x4104f253 : 0x100 + k) :
					units[i].unit == AUX_PTM ? (k == AUX_REG_ETMIDR ? 0x411cf312 : 0x200 + k) :
					k < 7 ? etmv4[k] : 0x47705a13;
			cpu[i].present |= 1u << k;
		}
		cpu[i].reg[AUX_REG_TRCTRACEIDR] = units[i].traceid_reg;
	}
}

static int append(void *ctx, const void *data, size_t len)
{
	strncat(ctx, data, len);
	return 0;
}

static void text_of(const struct auxinfo *info, char *text)
{
	const struct cst_sink sink = { .ctx = text, .write = append };
	struct source_names names = { .nr = 0 };
	struct cst_doc *doc;
	unsigned int i;
	char name[16];

	assert_int_equal(cst_doc_new(&doc, 0), 0);
	assert_int_equal(metadata_write(doc, &names, info), 0);
	assert_int_equal(names.nr, info->nr_cpu);
	for (i = 0; i < info->nr_cpu; i++) {
		snprintf(name, sizeof(name), "cpu%u", info->cpu[i].cpu);
		assert_string_equal(names.v[i].name, name);
		assert_int_equal(names.v[i].cpu, info->cpu[i].cpu);
		assert_int_equal(names.v[i].unit, info->cpu[i].unit);
	}
	*text = '\0';
	assert_int_equal(cst_doc_write(doc, &sink), 0);
	cst_doc_free(doc);
	free(names.v);
}

static int read_text(const char *text, bool ticks, struct auxinfo *info, struct source_names *names, struct error *err)
{
	struct cst_package pkg = { .n_metadata = 1 };
	struct cst_metadata *md = NULL;
	struct cst_problem why;
	int rc;

	assert_int_equal(cst_metadata_read(&md, text, strlen(text), &why), 0);
	pkg.metadata = &md;
	*names = (struct source_names){ .nr = 0 };
	rc = metadata_read(info, names, &pkg, ticks, "dir", err);
	cst_metadata_free(md);
	return rc;
}

/* Sections are named by the trace ID where only one unit has it. */
static void text(void **state)
{
	struct aux_cpu cpu[NR];
	struct auxinfo info;
	char have[8192], *p = have, *end;
	unsigned int i;

	(void)state;
	make_units(&info, cpu);
	text_of(&info, have);
	for (i = 0; i < NR; i++, p = end + 2) {
		assert_int_equal(strncmp(p, units[i].begin, strlen(units[i].begin)), 0);
		end = strstr(p, "\n\n");
		if (i == NR - 1) {
			assert_null(end);
			assert_string_equal(p + strlen(units[i].begin), units[i].end);
			break;
		}
		end[1] = '\0';
		assert_string_equal(end + 1 - strlen(units[i].end), units[i].end);
		assert_true(p + strlen(units[i].begin) <= end + 1 - strlen(units[i].end));
	}
	/* a register that was not recorded */
	info.nr_cpu = 1;
	cpu[0].present &= ~(1u << AUX_REG_TRCAUTHSTATUS);
	text_of(&info, have);
	assert_null(strstr(have, "TRCAUTHSTATUS"));
}

/* What is read is what was written; registers that were not recorded are 0. */
static void there_and_back(void **state)
{
	static uint64_t record[8192];
	struct auxinfo info, back, parsed;
	struct source_names names;
	struct aux_cpu cpu[NR];
	struct error err;
	char have[8192];
	unsigned int i;
	struct perf_event_header h;
	size_t n, words;

	(void)state;
	make_units(&info, cpu);
	text_of(&info, have);
	assert_int_equal(read_text(have, false, &back, &names, &err), 0);
	assert_int_equal(back.nr_cpu, NR);
	assert_int_equal(names.nr, NR);
	for (i = 0; i < NR; i++) {
		assert_int_equal(back.cpu[i].cpu, cpu[i].cpu);
		assert_int_equal(back.cpu[i].unit, cpu[i].unit);
		assert_memory_equal(back.cpu[i].reg, cpu[i].reg, sizeof(cpu[i].reg));
		assert_int_equal(back.cpu[i].trace_id, i == 4 || i == 5 ? -1 : cpu[i].trace_id);
		assert_int_equal(back.cpu[i].has_ts_source, cpu[i].has_ts_source);
		assert_int_equal(back.cpu[i].ts_source, cpu[i].ts_source);
		assert_int_equal(names.v[i].cpu, cpu[i].cpu);
		assert_int_equal(names.v[i].unit, cpu[i].unit);
	}
	back.pmu_type = 8;
	back.snapshot = true;
	n = metadata_record(&back, 1, record, sizeof(record));
	words = 3 + NR * 3 + 4 + 3 * 7 + 2 * 8 + 3 * 4;
	assert_int_equal(n, sizeof(struct perf_record_auxtrace_info) + 8 * words);
	memcpy(&h, record, sizeof(h));
	assert_int_equal(h.type, PERF_RECORD_AUXTRACE_INFO);
	assert_int_equal(h.size, n);
	assert_int_equal(auxinfo_parse(&parsed, (const void *)record, (uint32_t)n, "test", 0, &err), 0);
	assert_int_equal(parsed.version, 1);
	assert_int_equal(parsed.pmu_type, 8);
	assert_true(parsed.snapshot);
	assert_int_equal(parsed.nr_cpu, NR);
	for (i = 0; i < NR; i++) {
		assert_int_equal(parsed.cpu[i].cpu, cpu[i].cpu);
		assert_int_equal(parsed.cpu[i].unit, cpu[i].unit);
		assert_memory_equal(parsed.cpu[i].reg, cpu[i].reg, sizeof(cpu[i].reg));
		assert_int_equal(parsed.cpu[i].has_ts_source, cpu[i].has_ts_source);
		assert_int_equal(parsed.cpu[i].ts_source, cpu[i].ts_source);
	}
	auxinfo_free(&parsed);
	/* version 0 has no numbers of registers */
	info.cpu = cpu + 2;
	info.nr_cpu = 2;
	n = metadata_record(&info, 0, record, sizeof(record));
	assert_int_equal(n, sizeof(struct perf_record_auxtrace_info) + 8 * (3 + 2 * (2 + 4)));
	assert_int_equal(auxinfo_parse(&parsed, (const void *)record, (uint32_t)n, "test", 0, &err), 0);
	assert_int_equal(parsed.version, 0);
	assert_false(parsed.snapshot);
	assert_int_equal(parsed.nr_cpu, 2);
	for (i = 0; i < 2; i++) {
		assert_int_equal(parsed.cpu[i].cpu, cpu[2 + i].cpu);
		assert_memory_equal(parsed.cpu[i].reg, cpu[2 + i].reg, sizeof(cpu[i].reg));
	}
	auxinfo_free(&parsed);
	free(back.cpu);
	free(names.v);
}

/* A record that does not fit is not written. */
static void room(void **state)
{
	static uint64_t record[100];
	struct aux_cpu cpu[NR];
	struct auxinfo info;
	size_t n;

	(void)state;
	make_units(&info, cpu);
	info.nr_cpu = 2;	/* the last one has a source of its timestamps */
	n = metadata_record(&info, 1, record, sizeof(record));
	assert_int_not_equal(n, 0);
	assert_int_equal(metadata_record(&info, 1, record, n), n);
	assert_int_equal(metadata_record(&info, 1, record, n - 1), 0);
	assert_int_equal(metadata_record(&info, 1, record, n - 8), 0);
}

#define SOURCE "format=ETM3.5\nETMIDR=0x4104f253\n"

/* A source without a CPU has the first that no other one has; of two with one CPU the first counts. */
static void cpus(void **state)
{
	static const char text_in[] = "[source_a]\n" SOURCE "[source_b]\ncpu=0\n" SOURCE "[source_c]\ncpu=2\n" SOURCE
				      "[source_d]\n" SOURCE "[source_e]\ncpu=0\n" SOURCE "[source_f]\n" SOURCE;
	static const struct {
		const char *name;
		uint32_t cpu;
	} want[] = { { "b", 0 }, { "c", 2 }, { "a", 1 }, { "d", 3 }, { "f", 4 } };
	struct source_names names;
	struct auxinfo info;
	struct error err;
	size_t i;

	(void)state;
	assert_int_equal(read_text(text_in, true, &info, &names, &err), 0);
	assert_int_equal(info.nr_cpu, 5);
	for (i = 0; i < 5; i++) {
		assert_int_equal(info.cpu[i].cpu, want[i].cpu);
		assert_int_equal(names.v[i].cpu, want[i].cpu);
		assert_string_equal(names.v[i].name, want[i].name);
		/* times of an event log in ticks are those of the virtual counter */
		assert_true(info.cpu[i].has_ts_source);
		assert_int_equal(info.cpu[i].ts_source, AUX_TS_VIRTUAL);
		assert_int_equal(info.cpu[i].reg[AUX_REG_ETMIDR], 0x4104f253);
	}
	free(info.cpu);
	free(names.v);
}

/* 1024 units are read, and no more. */
static void many_units(void **state)
{
	static char many[1025 * 80];
	struct source_names names;
	struct auxinfo info;
	struct error err;
	unsigned int i, extra;

	(void)state;
	for (extra = 0; extra < 2; extra++) {
		size_t at = 0;

		for (i = 0; i < 1024 + extra; i++)
			at += (size_t)snprintf(many + at, sizeof(many) - at, "[source_s%u]\ncpu=%u\n" SOURCE, i, i);
		if (extra) {
			assert_int_equal(read_text(many, false, &info, &names, &err), ERR_AUXINFO);
			assert_string_equal(err.msg, "dir: more than 1024 trace units");
		} else {
			assert_int_equal(read_text(many, false, &info, &names, &err), 0);
		}
		assert_int_equal(info.nr_cpu, 1024);
		assert_int_equal(info.cpu[1023].cpu, 1023);
		free(info.cpu);
		free(names.v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text), cmocka_unit_test(there_and_back), cmocka_unit_test(room), cmocka_unit_test(cpus),
		cmocka_unit_test(many_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
