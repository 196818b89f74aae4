/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whose trace IDs are that no record names: what buffers, AUX records, the kernel's numbering and
 * equal units say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/workers.h"
#include "machine/buffers/assumed.h"
#include "machine/buffers/owners.h"
#include "machine/buffers/queues.h"
#include "machine/buffers/units.h"

#define MAX	4

/*
 * `cpus`: the numbers of the metadata's CPUs, with "!" before one that is set up otherwise, and
 * "=ID" if the metadata has an ID. `announced`: ID:CPU of records. `buffers`: CPU:IDs of each, in
 * hexadecimal. `want`: ID:CPU@BUFFER/evidence.
 */
static const struct {
	const char *what, *cpus, *announced, *buffers, *want;
} cases[] = {
	{ "each its own", "0 1", "", "0:10 1:12", "10:0@0/B 12:1@1/B" },
	{ "odd IDs", "0 1", "", "0:31 1:33", "31:0@0/B 33:1@1/B" },
	{ "exchanged", "0 1", "", "0:12 1:10", "10:1@1/B 12:0@0/B" },
	{ "set up differently", "0 !1", "", "0:31 1:33", "31:0@0/B 33:1@1/B" },
	{ "one sink", "0 1", "", "0:10,12", "10:0@0/N 12:1@0/N" },
	{ "one sink, set up differently", "0 !1", "", "0:10,12", "10:0@0/N 12:1@0/N" },
	{ "one sink, odd IDs", "0 1", "", "0:31,33", "31:-1@0/E 33:-1@0/E" },
	{ "one sink, odd IDs, set up differently", "0 !1", "", "0:31,33", "" },
	{ "one sink, read by both", "0 1", "", "0:10,12 1:10", "10:0@0/N 10:0@1/N 12:1@0/N" },
	{ "one sink, read by both, set up differently", "0 !1", "", "0:10,12 1:10", "10:0@0/N 10:0@1/N 12:1@0/N" },
	{ "one sink, each read what the other wrote", "0 1 2", "", "0:10,12 1:14", "10:0@0/N 12:1@0/N 14:2@1/N" },
	{ "one sink, one read its own", "0 1 2", "", "0:12,14 1:12", "12:1@0/N 12:1@1/B 14:2@0/N" },
	{ "an ID in two sinks", "0 1", "", "0:31 1:31", "31:0@0/B 31:1@1/B" },
	{ "an ID in two buffers, which is one CPU's", "0 1", "", "0:10 1:10", "10:0@0/B 10:-1@1/E" },
	{ "CPUs without a number of their own", "0 50", "", "0:10,12", "10:-1@0/E 12:-1@0/E" },
	{ "a number of no CPU", "0 2", "", "0:10,12", "10:0@0/N 12:-1@0/E" },
	{ "one record lost", "0 1", "10:0", "0:10 1:33", "33:1@1/B" },
	{ "one record lost, one sink", "0 1", "10:0", "0:10,12", "12:1@0/N" },
	{ "the number of a CPU with another ID", "0 1", "33:0", "0:10,33", "10:-1@0/E" },
	{ "a buffer of no CPU of the metadata", "0 1", "", "5:31", "31:-1@0/E" },
	{ "none lost", "0 1", "10:0 12:1", "0:10,33", "" },
	{ "IDs in the metadata", "0=10 1=12", "", "0:10,33", "" },
	{ "one of them in the metadata", "0=10 1", "", "0:10 1:12", "12:1@1/B" },
	{ "announced without a CPU", "0 1", "10:-1 33:-1", "0:10,33", "10:0@*/N" },
	{ "announced without a CPU, but the metadata", "0 1=10", "10:-1", "0:10", "" },
	{ "one CPU", "3", "", "3:31,33", "31:3@0/E 33:3@0/E" },
	{ "reserved IDs and none", "0", "", "0:0,70,7f,31", "31:0@0/B" },
};

static void add_cpus(struct trace_units *tu, const char *text)
{
	char *end;

	tu->info.cpu = calloc(MAX, sizeof(*tu->info.cpu));
	assert_non_null(tu->info.cpu);
	while (*text) {
		struct aux_cpu *a = &tu->info.cpu[tu->info.nr_cpu++];

		a->unit = AUX_ETMV4;
		a->trace_id = -1;
		a->reg[AUX_REG_TRCIDR0] = *text == '!';
		a->cpu = (uint32_t)strtoul(text + (*text == '!'), &end, 10);
		if (*end == '=')
			a->trace_id = (int)strtoul(end + 1, &end, 16);
		text = end + (*end == ' ');
	}
	units_make(tu);
}

static void add_announced(struct trace_units *tu, const char *text)
{
	struct id_owner *o;
	char *end;

	tu->ids = calloc(MAX, sizeof(*tu->ids));
	assert_non_null(tu->ids);
	while (*text) {
		o = &tu->ids[tu->nr_ids++];
		o->id = (uint8_t)strtoul(text, &end, 16);
		o->cpu = (int)strtol(end + 1, &end, 10);
		o->tid = -1;
		text = end + (*end == ' ');
	}
}

/* Buffers whose IDs were found, as queue_find_ids() leaves them. */
static void add_buffers(struct queue q[MAX], struct queue *list[MAX], struct queues *qs, const char *text)
{
	unsigned long id;
	char *end;

	while (*text) {
		q[qs->nr] = (struct queue){ .number = (unsigned int)qs->nr, .tid = -1,
					    .any_frames = true, .ids_known = true };
		q[qs->nr].cpu = (int)strtol(text, &end, 10);
		do {
			id = strtoul(end + 1, &end, 16);
			q[qs->nr].ids[id >> 6] |= 1ull << (id & 63);
		} while (*end == ',');
		list[qs->nr] = &q[qs->nr];
		qs->nr++;
		text = end + (*end == ' ');
	}
	qs->q = list;
}

static void owners_assumed(void **state)
{
	static const char letters[] = { [ID_BY_BUFFER] = 'B', [ID_BY_RECORDS] = 'R', [ID_BY_NUMBER] = 'N', [ID_OF_EQUALS] = 'E' };
	char text[200];
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trace_units tu = { .name = "test" };
		struct queue q[MAX], *list[MAX];
		struct queues qs = { .nr = 0 };

		add_cpus(&tu, cases[i].cpus);
		add_announced(&tu, cases[i].announced);
		add_buffers(q, list, &qs, cases[i].buffers);
		owners_finish(&tu, &qs, 1);
		assert_false(tu.ids_change);
		*text = '\0';
		for (k = 0; k < tu.nr_ids; k++) {
			const struct id_owner *o = &tu.ids[k];
			const struct trace_unit *u = o->witness ? units_of_owner(&tu, o, o->id) : NULL;

			if (!o->witness) {
				assert_null(assumed_text(o));
				continue;
			}
			assert_non_null(u);
			assert_ptr_equal(owners_at(&tu, o->only ? o->only : &q[0], o->id, 5, 5), o);
			assert_non_null(assumed_text(o));
			sprintf(text + strlen(text), "%s%x:%d@%c/%c", *text ? " " : "", o->id, unit_cpu(u),
				o->only ? '0' + (char)o->only->number : '*', letters[o->witness]);
		}
		if (strcmp(text, cases[i].want))
			print_error("%s:\n", cases[i].what);
		assert_string_equal(text, cases[i].want);
		units_free(&tu);
	}
}

/* In the buffer of a thread the AUX records say where it ran; frames with one ID, or with two. */
static void owners_of_a_thread(void **state)
{
	static const struct {
		const char *what;
		struct {
			int cpu;
			uint8_t id, other;	/* other: a second ID in the fragment, or 0 */
		} part[3];
		const char *want;
	} rows[] = {
		{ "on one CPU", { { 0, 0x31, 0 }, { 0, 0x31, 0 }, { 0, 0x31, 0 } }, "31:0R" },
		{ "on two CPUs", { { 0, 0x31, 0 }, { 1, 0x33, 0 }, { 0, 0x31, 0 } }, "31:0R 33:1R" },
		{ "an ID on both", { { 0, 0x31, 0 }, { 1, 0x31, 0 }, { 0, 0x31, 0 } }, "31:-1E" },
		{ "two in a fragment", { { 0, 0x31, 0x33 }, { 1, 0x33, 0 }, { 0, 0x35, 0 } }, "31:-1E 33:-1E 35:0R" },
		{ "no CPU in the records", { { -1, 0x31, 0 }, { -1, 0x31, 0 }, { -1, 0x12, 0 } }, "12:1N 31:-1E" },
		{ "records against the numbering", { { 1, 0x10, 0 }, { 1, 0x10, 0 }, { 0, 0x12, 0 } }, "10:1R 12:0R" },
	};
	uint8_t frame[3][16];
	char text[100];
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct trace_units tu = { .name = "test" };
		struct fragment frags[3];
		struct fragment_part parts[3];
		struct queue q = { .cpu = -1,
				   .tid = 7,
				   .any_frames = true,
				   .frags = frags,
				   .nr_frags = 3,
				   .found.parts = parts,
				   .found.nr_parts = 3 };
		struct queue *list[] = { &q };
		struct queues qs = { .q = list, .nr = 1 };

		add_cpus(&tu, "0 1");
		q.ids_search = workers_new(0, 3, 3);
		for (k = 0; k < 3; k++) {
			memset(frame[k], 0, 16);
			frame[k][0] = (uint8_t)(rows[i].part[k].id << 1 | 1);
			if (rows[i].part[k].other)
				frame[k][2] = (uint8_t)(rows[i].part[k].other << 1 | 1);
			parts[k] = (struct fragment_part){ frame[k], 16 };
			frags[k] = (struct fragment){ .first_part = k, .nr_parts = 1, .aux_cpu = rows[i].part[k].cpu };
		}
		owners_finish(&tu, &qs, 1);
		*text = '\0';
		for (k = 0; k < tu.nr_ids; k++)
			sprintf(text + strlen(text), "%s%x:%d%c", *text ? " " : "", tu.ids[k].id,
				unit_cpu(units_of_owner(&tu, &tu.ids[k], tu.ids[k].id)),
				tu.ids[k].witness == ID_BY_RECORDS ? 'R' : tu.ids[k].witness == ID_BY_NUMBER ? 'N' : 'E');
		if (strcmp(text, rows[i].want))
			print_error("%s:\n", rows[i].what);
		assert_string_equal(text, rows[i].want);
		workers_free(q.ids_search);
		units_free(&tu);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owners_assumed), cmocka_unit_test(owners_of_a_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
