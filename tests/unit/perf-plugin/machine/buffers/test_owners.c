/* SPDX-License-Identifier: BSD-3-Clause */
/* Which trace unit a trace ID belongs to: units set up anew, sinks, units that are alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/buffers/owners.h"
#include "unit/perf-plugin/perfdata_open.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/who_build.h"

/* ---- trace units that are set up anew -------------------------------------------------------------- */

/* A fragment without trace, so that the next one is known to have begun after it. */
static void fragment_before(struct pdb *data, uint64_t time)
{
	static const uint8_t frame[16] = { 1 };		/* ID 0 */
	struct pdb_sid s = at_time(time, 1, 2);

	pdb_aux(data, 0x10000, sizeof(frame), 0, SB_ST, &s);
	pdb_auxtrace(data, 0x10000, frame, sizeof(frame), 2, (uint32_t)-1);
}

/* The ID stays, the context ID becomes shorter and the CPU another one, at a synchronisation in between. */
static void defined_anew(void **state)
{
	struct session *ss;
	struct result r;
	int early;

	(void)state;
	for (early = 0; early < 2; early++) {
		struct pdb data = { 0 }, trace = { 0 };

		two_processes(&data, CID | TS, IDR2(4, 0));
		r_define(&data, 10, 2, 0x14, CID | TS, IDR2(4, 0));
		r_define(&data, early ? 20 : 220, 3, 0x14, CID | TS, IDR2(2, 0));
		if (!early) {
			fragment_before(&data, 50);
			t_sync(&trace);
			asid_stretch(&trace, 100, 1000);
			t_sync(&trace);
			asid_stretch(&trace, 200, 2000);
		}
		t_sync(&trace);
		t_on(&trace);
		t_time(&trace, 300);
		t_context(&trace, 0, 1000, 2, 0, 0);
		t_run(&trace);
		t_sync(&trace);
		t_on(&trace);
		t_time(&trace, 400);
		t_context(&trace, 0, 2000, 2, 0, 0);
		t_run(&trace);
		ss = decode_as(&data, &trace, 2, 0x14, CONTEXTID_AUTO, NULL, &r);
		assert_int_equal(r.nr, early ? 2 : 4);
		if (!early) {
			check_part(&r, 0, 1000, 1000, 2, NR_LOOP);
			check_part(&r, 1, 2000, 2000, 3, NR_LOOP);
			assert_int_equal(r.part[1].cpu, 2);
		}
		check_part(&r, r.nr - 2, 1000, 1000, 2, NR_LOOP);
		check_part(&r, r.nr - 1, 2000, 2000, 3, NR_LOOP);
		assert_int_equal(r.part[r.nr - 2].cpu, 3);
		assert_int_equal(r.part[r.nr - 1].cpu, 3);
		assert_int_equal(session_totals(ss)->dec.bad_packets, 0);
		assert_false(session_has_losses(ss));
		session_close(ss);
	}
}

/* A unit that is set up anew before each fragment, more often than trees are kept: nothing of those before is lost. */
static void defined_again_and_again(void **state)
{
	enum { TIMES = 1026 };
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;
	unsigned int i;

	(void)state;
	two_processes(&data, CID, IDR2(4, 0));
	t_sync(&trace);
	asid_stretch(&trace, 0, 1000);
	for (i = 0; i < TIMES - 1; i++) {
		struct pdb_sid s = at_time(100 + 2 * i, 1, 2);

		r_define(&data, 99 + 2 * i, 2, 0x14, CID, IDR2(4, 0));
		pdb_aux(&data, 0x100 * (i + 1), trace.len, SB_RAW, SB_ST, &s);
		pdb_auxtrace(&data, 0x100 * (i + 1), trace.p, trace.len, 2, (uint32_t)-1);
	}
	r_define(&data, 99 + 2 * i, 2, 0x14, CID, IDR2(4, 0));
	ss = decode(&data, &trace, &r);
	assert_int_equal(r.nr, 1);
	check_part(&r, 0, 1000, 1000, 2, TIMES * NR_LOOP);
	assert_int_equal(session_totals(ss)->dec.insns, TIMES * 2 * NR_LOOP);
	assert_false(session_has_losses(ss));
	session_close(ss);
}

/* The unit that a CPU has at a time: the last one set up by then; the first one before, if the metadata has none. */
static void unit_of_cpu(void **state)
{
	struct trace_unit unit[4];
	struct id_owner ids[] = {
		{ .cpu = 2, .time = 100, .seq = 3, .unit = &unit[0] }, { .cpu = 3, .time = 50, .seq = 2, .unit = &unit[1] },
		{ .cpu = 2, .time = 300, .seq = 7, .unit = &unit[2] }, { .cpu = 2, .time = 200, .seq = 5 },
		{ .cpu = 2, .time = 250, .seq = 6, .unit = &unit[3] },
	};
	static const struct {
		int cpu;
		uint64_t time, seq;
		int unit;	/* -1: none */
	} cases[] = {
		{ 2, 100, 0, 0 }, { 2, 249, 0, 0 }, { 2, 250, 0, 3 }, { 2, 299, 0, 3 }, { 2, 300, 0, 2 }, { 2, 1000, 0, 2 },
		{ 2, 99, 0, 0 }, { 2, 1, 0, 0 }, { 3, 50, 0, 1 }, { 3, 49, 0, 1 }, { 3, 1000, 0, 1 }, { 4, 1000, 0, -1 },
		/* without times, by the order of records */
		{ 2, NO_TIME, 3, 0 }, { 2, NO_TIME, 5, 0 }, { 2, NO_TIME, 6, 3 }, { 2, NO_TIME, 7, 2 }, { 2, NO_TIME, 1, 0 },
	};
	struct trace_units tu = { .ids = ids, .nr_ids = sizeof(ids) / sizeof(ids[0]) };
	struct aux_cpu cpu = { .cpu = 2 };
	const struct trace_unit *want;
	size_t i;

	(void)state;
	assert_null(owners_unit_of_cpu(&tu, 2, 1000, 0));	/* none is set up by a record */
	tu.defined = (struct defined_unit *)&unit;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		want = cases[i].unit < 0 ? NULL : &unit[cases[i].unit];
		assert_ptr_equal(owners_unit_of_cpu(&tu, cases[i].cpu, cases[i].time, cases[i].seq), want);
	}
	tu.info.cpu = &cpu;
	tu.info.nr_cpu = 1;
	assert_null(owners_unit_of_cpu(&tu, 2, 99, 0));
	assert_ptr_equal(owners_unit_of_cpu(&tu, 2, 100, 0), &unit[0]);
	assert_ptr_equal(owners_unit_of_cpu(&tu, 3, 49, 0), &unit[1]);
}

#define REFUSED(nr, what) "cstrace: test: record " nr " that defines a trace has " what "; it is left out\n"

/* Ten definitions that cannot be are named, all are counted. */
static void bad_definitions_are_named(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct said said;
	struct session *ss;
	struct result r;
	unsigned int i;
	const char *text;
	size_t at;

	(void)state;
	two_processes(&data, CID, IDR2(4, 0));
	r_define(&data, 10, 2, 0, CID, IDR2(4, 0));
	r_define(&data, 10, 2, 0x70, CID, IDR2(4, 0));
	r_define(&data, 10, 2, 0x6f, CID, IDR2(4, 0));	/* the last that there is */
	at = data.len;
	r_define(&data, 10, 2, 0x14, CID, IDR2(4, 0));
	data.p[at + 8 + 6] = 5;		/* unit */
	at = data.len;
	r_define(&data, 10, 2, 0x14, CID, IDR2(4, 0));
	data.p[at + 24] = 99;		/* register */
	at = data.len;
	r_hw_id(&data, 10, 2, 1, 0x14, 0);
	data.p[at + 8 + 7] = 0x10;	/* major version */
	at = data.len;
	r_define(&data, 10, 2, 0x14, CID, IDR2(4, 0));
	data.p[at + 11] = 0x80;		/* CPU */
	for (i = 0; i < 5; i++)
		r_define(&data, 10, 2, 0x7f, CID, IDR2(4, 0));
	at = data.len;
	r_hw_id(&data, 10, 2, 1, 0x14, 0);
	data.p[at + 8 + 7] = 0x20;
	t_sync(&trace);
	asid_stretch(&trace, 0, 2000);
	said_begin(&said);
	ss = decode_as(&data, &trace, 2, 0x14, CONTEXTID_AUTO, NULL, &r);
	text = said_end(&said);
	assert_int_equal(ss->units.bad_records, 12);
	assert_string_equal(text,
			    REFUSED("6", "trace ID 0, expected 1 to 111")
			    REFUSED("7", "trace ID 112, expected 1 to 111")
			    REFUSED("9", "trace unit kind 5, expected 0 to 3")
			    REFUSED("10", "register number 99, expected 0 to 7")
			    "cstrace: test: offset 0x698: found trace ID information of version 1, expected 0; the kernel that "
			    "recorded it is newer than this program\n"
			    REFUSED("12", "CPU 2147483650, expected 0 to 2147483647")
			    REFUSED("13", "trace ID 127, expected 1 to 111")
			    REFUSED("14", "trace ID 127, expected 1 to 111")
			    REFUSED("15", "trace ID 127, expected 1 to 111")
			    REFUSED("16", "trace ID 127, expected 1 to 111"));
	session_close(ss);
}

/* True if units_make() makes a unit without a CPU. */
static bool made_of_no_cpu(const struct aux_cpu *cpu, uint32_t nr)
{
	struct trace_units tu = { .name = "test", .info = { .nr_cpu = nr } };
	bool made;

	tu.info.cpu = malloc(nr * sizeof(*cpu));
	assert_non_null(tu.info.cpu);
	memcpy(tu.info.cpu, cpu, nr * sizeof(*cpu));
	units_make(&tu);
	made = tu.of_no_cpu;
	if (made) {
		assert_int_equal(unit_cpu(tu.of_no_cpu), nr == 1 ? (int)cpu->cpu : -1);
		assert_int_equal(tu.of_no_cpu->aux->reg[0], cpu->reg[0]);
	}
	units_free(&tu);
	return made;
}

/* Without a CPU, one without a number is taken where all are set up alike; without frames, one of several is taken. */
static void units_that_are_alike(void **state)
{
	const struct id_owner of_no_cpu = { .id = 0x33, .cpu = -1 }, of_cpu = { .id = 0x33, .cpu = 3 };
	struct aux_cpu cpu[3];
	struct trace_unit unit[3], none;
	struct trace_units tu = { .info = { .cpu = cpu }, .v = unit };
	struct queue q = { .cpu = -1 };
	struct fragment f = { .aux_cpu = -1, .pub = { .time = NO_TIME } };
	unsigned int i;

	(void)state;
	memset(cpu, 0, sizeof(cpu));
	assert_null(units_of_owner(&tu, &of_no_cpu, 0x33));
	assert_null(units_of_raw(&tu, &q, &f));
	tu.info.nr_cpu = 3;
	for (i = 0; i < 3; i++) {
		cpu[i].cpu = 2 + i;
		cpu[i].unit = AUX_ETMV4;
		cpu[i].trace_id = 0x10 + i;
		cpu[i].reg[AUX_REG_TRCTRACEIDR] = 0x10 + i;
	}
	tu.of_no_cpu = &none;
	assert_ptr_equal(units_of_owner(&tu, &of_no_cpu, 0x33), &none);
	assert_ptr_equal(units_of_owner(&tu, &of_no_cpu, 0x12), &unit[2]);
	assert_ptr_equal(units_of_owner(&tu, &of_cpu, 0x33), &unit[1]);
	assert_null(units_of_owner(&tu, NULL, 0x33));	/* an ID that nobody announced */
	assert_true(made_of_no_cpu(cpu, 3));
	assert_true(made_of_no_cpu(cpu, 1));
	cpu[2].reg[AUX_NR_REGS - 1] = 1;
	assert_false(made_of_no_cpu(cpu, 3));
	assert_true(made_of_no_cpu(cpu, 2));
	cpu[2].reg[AUX_NR_REGS - 1] = 0;
	cpu[1].reg[0] = 1;
	assert_false(made_of_no_cpu(cpu, 3));
	cpu[1].reg[0] = 0;
	cpu[0].ts_source = AUX_TS_VIRTUAL;
	assert_false(made_of_no_cpu(cpu, 3));
	cpu[0].ts_source = 0;
	cpu[2].unit = AUX_ETE;
	assert_false(made_of_no_cpu(cpu, 3));

	assert_ptr_equal(units_of_raw(&tu, &q, &f), &unit[0]);
	f.aux_cpu = 4;
	assert_ptr_equal(units_of_raw(&tu, &q, &f), &unit[2]);
	f.aux_cpu = 9;
	assert_null(units_of_raw(&tu, &q, &f));
	q.cpu = 3;
	assert_ptr_equal(units_of_raw(&tu, &q, &f), &unit[1]);
	q.cpu = 9;
	assert_null(units_of_raw(&tu, &q, &f));
	q.cpu = 0;
	f.aux_cpu = -1;
	assert_null(units_of_raw(&tu, &q, &f));
	cpu[1].cpu = 0;
	assert_ptr_equal(units_of_raw(&tu, &q, &f), &unit[1]);
	assert_ptr_equal(units_of_owner(&tu, &(struct id_owner){ .cpu = 0 }, 0x12), &unit[1]);
	q.cpu = 9;
	tu.info.nr_cpu = 1;
	assert_ptr_equal(units_of_raw(&tu, &q, &f), &unit[0]);
}

/* The first metadata counts. It names an STM by no CPU, and a unit by the number of its CPU, which may be 0. */
static void metadata_of_units(void **state)
{
	struct trace_units tu = { .name = "test" };
	struct pdb b = { 0 }, none = { 0 };
	struct aux_cpu cpu = { .cpu = 0, .unit = AUX_ETMV4 };
	struct trace_unit unit = { .aux = &cpu };
	struct pd_record rec;
	size_t second;

	(void)state;
	sb_aux_info(&b, 1, SB_CONFIGR, 0x14);
	second = b.len;
	sb_aux_info(&b, 1, SB_CONFIGR, 0x15);
	rec = (struct pd_record){ .ev = (const void *)b.p };
	tu.pd = pdb_open(attrs, 2, &none, NULL, 0);
	assert_int_equal(units_read_info(&tu, &rec), 0);
	assert_true(tu.have_info);
	assert_int_equal(tu.info.nr_cpu, 1);
	rec.ev = (const void *)(b.p + second);
	assert_int_equal(units_read_info(&tu, &rec), 0);
	assert_int_equal(tu.info.cpu[0].trace_id, 0x14);
	units_free(&tu);
	perfdata_close(tu.pd);
	pdb_free(&b);

	assert_int_equal(unit_cpu(&unit), 0);
	cpu.cpu = 3;
	assert_int_equal(unit_cpu(&unit), 3);
	cpu.unit = AUX_STM;
	assert_int_equal(unit_cpu(&unit), -1);
}

/* Reads the records of `data`, which become empty, that say who has which ID. */
static void read_owners(struct trace_units *tu, struct pdb *data)
{
	struct pd_record rec;

	tu->pd = pdb_open(attrs, 2, data, NULL, 0);
	while (perfdata_next(tu->pd, &rec) > 0)
		rec.ev->header.type == PERF_RECORD_AUX_OUTPUT_HW_ID ? owners_hw_id(tu, &rec) :
				 owners_define_trace(tu, &rec);
	perfdata_close(tu->pd);
}

/* What is current holds from the beginning, what ends changes nothing. After a million owners none is taken. */
static void records_of_owners(void **state)
{
	static const struct {
		uint8_t state;
		unsigned int nr;
		uint64_t time;
	} cases[] = { { PD_CST_START, 1, 500 }, { PD_CST_CURRENT, 1, 0 }, { PD_CST_END, 0, 0 } };
	struct pdb data = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct trace_units tu = { .name = "test" };

		r_define(&data, 500, 2, 0x14, CID, IDR2(4, 0));
		data.p[8 + 5] = cases[i % 3].state;
		if (i == 3) {
			r_hw_id(&data, 500, 2, 1, 0x14, 0);
			tu.nr_ids = 1u << 20;
			read_owners(&tu, &data);
			assert_int_equal(tu.nr_ids, 1u << 20);
			assert_int_equal(tu.bad_records, 2);
			assert_null(tu.ids);
			assert_null(tu.defined);
			continue;
		}
		read_owners(&tu, &data);
		assert_int_equal(tu.bad_records, 0);
		assert_int_equal(tu.nr_ids, cases[i].nr);
		assert_int_equal(tu.defined != NULL, cases[i].nr);
		if (cases[i].nr)
			assert_int_equal(tu.ids[0].time, cases[i].time);
		owners_free(&tu);
	}
}

/* Each buffer has the sinks of its CPU or thread, each once, and no more than there is room for. */
static void sinks_of_buffers(void **state)
{
	struct queue cpu = { .cpu = 2, .tid = -1 }, thread = { .cpu = -1, .tid = 1000 };
	struct queue *all[] = { &cpu, &thread };
	const struct queues qs = { .q = all, .nr = 2 };
	struct trace_units tu = { .name = "test" };
	struct pdb data = { 0 };
	unsigned int i, k;

	(void)state;
	for (i = 0; i < QUEUE_SINKS + 2; i++)
		for (k = 0; k < 2; k++)
			r_hw_id(&data, 10 + i, 2, i < 3 ? 1000 : 2000, (uint8_t)(0x20 + k), 100 + i);
	r_hw_id(&data, 5, 3, 3000, 0x20, 99);
	read_owners(&tu, &data);
	owners_finish(&tu, &qs, 1);
	assert_int_equal(cpu.wrote.nr_sinks, QUEUE_SINKS);
	assert_int_equal(thread.wrote.nr_sinks, 3);
	for (i = 0; i < QUEUE_SINKS; i++)
		assert_int_equal(cpu.wrote.sinks[i], 100 + i);
	for (i = 0; i < 3; i++)
		assert_int_equal(thread.wrote.sinks[i], 100 + i);
	assert_int_equal(owners_change(&tu, &cpu, 0x20, 0, UINT64_MAX)->time, 10);
	assert_int_equal(owners_change(&tu, &cpu, 0x21, 10, UINT64_MAX)->time, 11);
	assert_null(owners_change(&tu, &cpu, 0x21, 10, 10));
	assert_null(owners_change(&tu, &cpu, 0x20, NO_TIME, UINT64_MAX));
	owners_free(&tu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defined_anew), cmocka_unit_test(defined_again_and_again),
		cmocka_unit_test(unit_of_cpu), cmocka_unit_test(bad_definitions_are_named),
		cmocka_unit_test(records_of_owners), cmocka_unit_test(sinks_of_buffers),
		cmocka_unit_test(units_that_are_alike), cmocka_unit_test(metadata_of_units),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
