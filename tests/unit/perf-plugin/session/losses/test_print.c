/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of losses without a recording: which rows a full table keeps, how parts are joined, and how losses are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "session/losses/report.h"

static struct losses ls, more;
static struct guests guests;

static int set_up(void **state)
{
	(void)state;
	memset(&ls, 0, sizeof(ls));
	memset(&more, 0, sizeof(more));
	memset(&guests, 0, sizeof(guests));
	losses_init(&ls);
	losses_init(&more);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	losses_free(&ls);
	losses_free(&more);
	return 0;
}

/* The whole text of losses_print() is `want`. */
static void prints(uint64_t trace_bytes, bool all, const char *want)
{
	const struct loss_report rep = { .losses = &ls, .guests = &guests, .made = { RECORDER_PERF, 0 }, .trace_bytes = trace_bytes };
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	losses_print(&rep, f, all);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, want);
	free(text);
}

/* The row of a process, NULL if the table does not have it. */
static const struct loss_row *process_row(int pid, const char *comm, enum loss cause)
{
	size_t i;

	for (i = 0; i < ls.process.nr; i++) {
		const struct loss_row *r = &ls.process.rows[i];

		if (r->number == pid && r->cause == cause && !strcmp(r->comm, comm))
			return r;
	}
	return NULL;
}

/*
 * 1025 rows, of which 512 are kept when the last one comes: by bytes, then by count, then by process, name and cause. Each
 * pair of rows here differs in one of them only, and the border of 512 lies inside the pair's class.
 */
static void full_table(void **state)
{
	int pid;

	(void)state;
	/* 510 rows that are kept for their bytes, in spite of their numbers */
	for (pid = 5000; pid < 5510; pid++)
		losses_add(&ls, LOSS_STACK, LOSS_NOBODY, pid, "big", 1, 100);
	/* 511: by its count */
	losses_add(&ls, LOSS_STACK, LOSS_NOBODY, 4000, "often", 9, 50);
	/* of these four, which have as many bytes and counts, the first in the order of process, name and cause */
	losses_add(&ls, LOSS_STACK, LOSS_NOBODY, 31, "a", 8, 50);
	losses_add(&ls, LOSS_STACK, LOSS_NOBODY, 30, "b", 8, 50);
	losses_add(&ls, LOSS_STACK, LOSS_NOBODY, 30, "a", 8, 50);
	losses_add(&ls, LOSS_ATOMS, LOSS_NOBODY, 30, "a", 8, 50);
	for (pid = 6000; ls.process.nr < LOSS_ROWS; pid++)
		losses_add(&ls, LOSS_STACK, LOSS_NOBODY, pid, "small", 2, 3);
	assert_int_equal(ls.process.given_up, 0);
	assert_int_equal(pid, 6000 + 1024 - 515);
	losses_add(&ls, LOSS_STACK, LOSS_NOBODY, 1, "last", 1, 1);
	assert_int_equal(ls.process.nr, LOSS_ROWS / 2 + 1);
	assert_int_equal(ls.process.given_up, LOSS_ROWS / 2);
	assert_non_null(process_row(5000, "big", LOSS_STACK));
	assert_non_null(process_row(5509, "big", LOSS_STACK));
	assert_non_null(process_row(4000, "often", LOSS_STACK));
	assert_non_null(process_row(1, "last", LOSS_STACK));
	assert_null(process_row(31, "a", LOSS_STACK));
	assert_null(process_row(30, "b", LOSS_STACK));
	assert_null(process_row(6000, "small", LOSS_STACK));
	assert_true(LOSS_ATOMS < LOSS_STACK);
	assert_non_null(process_row(30, "a", LOSS_ATOMS));
	assert_null(process_row(30, "a", LOSS_STACK));
	assert_int_equal(ls.process.rest[LOSS_ATOMS].count, 0);
	assert_int_equal(ls.process.rest[LOSS_STACK].count, 3 * 8 + 509 * 2);
	assert_int_equal(ls.process.rest[LOSS_STACK].bytes, 3 * 50 + 509 * 3);
	/* what was kept is found again */
	losses_add(&ls, LOSS_ATOMS, LOSS_NOBODY, 30, "a", 1, 0);
	assert_int_equal(process_row(30, "a", LOSS_ATOMS)->amount.count, 9);
	assert_int_equal(ls.process.nr, LOSS_ROWS / 2 + 1);
	/* and the table can be full again */
	for (pid = 8000; pid < 9000 && ls.process.given_up == LOSS_ROWS / 2; pid++)
		losses_add(&ls, LOSS_STACK, LOSS_NOBODY, pid, "small", 1, 1);
	assert_int_equal(pid, 8000 + LOSS_ROWS / 2);
	assert_int_equal(ls.process.given_up, LOSS_ROWS);
}

/* Parts are joined unless a table might overflow; a refusal changes nothing. */
static void joined(void **state)
{
	int cpu;

	(void)state;
	losses_add(&ls, LOSS_ATOMS, 1, 100, "a", 5, 6);
	losses_add(&more, LOSS_ATOMS, 1, 100, "a", 7, 8);
	losses_add(&more, LOSS_STACK, 1, 101, "b", 1, 2);
	ls.no_map[0].count = 1;
	ls.no_map[0].addr = 0x1000;
	more.no_map[0].count = 2;
	more.no_map[0].addr = 0x2000;
	more.no_map[1].count = 3;
	more.no_map[1].addr = 0x3000;
	assert_true(losses_join(&ls, &more));
	assert_int_equal(ls.cause[LOSS_ATOMS].count, 12);
	assert_int_equal(ls.cause[LOSS_STACK].bytes, 2);
	/* the address is the first one without a map */
	assert_int_equal(ls.no_map[0].count, 3);
	assert_int_equal(ls.no_map[0].addr, 0x1000);
	assert_int_equal(ls.no_map[1].count, 3);
	assert_int_equal(ls.no_map[1].addr, 0x3000);
	assert_int_equal(process_row(100, "a", LOSS_ATOMS)->amount.bytes, 14);
	assert_int_equal(process_row(101, "b", LOSS_STACK)->amount.count, 1);
	assert_int_equal(ls.cpu.nr, 2);
	/* 2 + 1022 rows fit */
	losses_clear(&more);
	for (cpu = 0; cpu < LOSS_ROWS - 2; cpu++)
		losses_add(&more, LOSS_DATA, cpu, LOSS_NOBODY, NULL, 1, 0);
	assert_true(losses_join(&ls, &more));
	assert_int_equal(ls.cpu.nr, LOSS_ROWS);
	losses_clear(&more);
	losses_add(&more, LOSS_ATOMS, 1, LOSS_NOBODY, NULL, 1, 0);
	assert_false(losses_join(&ls, &more));
	assert_int_equal(ls.cause[LOSS_ATOMS].count, 12);
	/* one that dropped rows */
	losses_clear(&ls);
	more.process.given_up = 1;
	assert_false(losses_join(&ls, &more));
	assert_false(losses_any(&ls));
	more.process.given_up = 0;
	assert_true(losses_join(&ls, &more));
	assert_true(losses_any(&ls));
}

/* LOST records arrive in any order; those without a time, and CPUs beyond the table, are counted all the same. */
static void lost_records(void **state)
{
	int cpu;

	(void)state;
	losses_note_lost(&ls, 3, 2500000007u, 1000);
	losses_note_lost(&ls, 3, 1500000008u, 200);
	losses_note_lost(&ls, 3, 2000000000u, 30);
	losses_note_lost(&ls, 3, UINT64_MAX, 4);
	losses_note_lost(&ls, 7, UINT64_MAX, 5);
	losses_note_lost(&ls, 9, UINT64_MAX, 1);
	losses_note_lost(&ls, 9, 3000000000u, 1);
	losses_note_lost(&ls, 9, 4000000001u, 1);
	losses_note_lost(&ls, -1, 1000000000u, 50);
	losses_note_lost(&ls, 0, 7000000000000000001, 1);
	losses_note_lost(&ls, 0, 8000000000999999999, 1);
	assert_int_equal(ls.lost_records, 1000 + 200 + 30 + 4 + 5 + 3 + 50 + 2);
	losses_add(&ls, LOSS_LOST, LOSS_NOBODY, LOSS_NOBODY, NULL, ls.lost_records, 0);
	prints(0, false,
	       "  1,294 lost records: maps or thread records may be missing, and code with them\n"
	       "    CPU 3: 1,234, noticed between 1.500000008 and 2.500000007 s\n"
	       "    CPU 9: 3, noticed between 3.000000000 and 4.000000001 s\n"
	       "    CPU 0: 2, noticed between 7000000000.000000001 and 8000000000.999999999 s\n"
	       "    -> record with a larger event buffer (perf record -m 16M,16M)\n");
	for (cpu = 100; ls.nr_lost < NR_LOST_CPUS; cpu++)
		losses_note_lost(&ls, cpu, 1, 1);
	losses_note_lost(&ls, 2000, 1, 10);
	losses_note_lost(&ls, 2001, 1, 10);
	losses_note_lost(&ls, 9, 1, 1);
	assert_int_equal(ls.nr_lost, NR_LOST_CPUS + 1);
	assert_int_equal(ls.lost[NR_LOST_CPUS].cpu, -1);
	assert_int_equal(ls.lost[NR_LOST_CPUS].count, 20);
	assert_int_equal(ls.lost[2].count, 4);
	losses_note_lost(&ls, 3, 1, UINT64_MAX);
	assert_int_equal(ls.lost_records, UINT64_MAX);
}

/* Guests beyond the table are one line, also those of a part. */
static void many_guests(void **state)
{
	const struct cure_case perf = { RECORDER_PERF, 0 };
	char want[1000], cure[CURE_TEXT], *p = want;
	struct guests part = { .nr = 0 };
	uint32_t id;

	(void)state;
	for (id = 1; id <= NR_GUESTS + 2; id++)
		guests_add(&guests, &(struct guest_count){ .id = id, .stretches = 1 });
	guests_add(&guests, &(struct guest_count){ .id = NR_GUESTS, .stretches = 1 });
	guests_add(&guests, &(struct guest_count){ .id = NR_GUESTS + 1, .stretches = 1 });
	assert_int_equal(guests.nr, NR_GUESTS);
	assert_int_equal(guests.rest, 3);
	guests_add(&part, &(struct guest_count){ .id = 1, .stretches = 1 });
	guests_add(&part, &(struct guest_count){ .id = NR_GUESTS + 5, .stretches = 1 });
	guests_join(&guests, &part);
	assert_int_equal(guests.rest, 4);
	losses_add(&ls, LOSS_GUEST, LOSS_NOBODY, LOSS_NOBODY, NULL, 21, 0);
	p += sprintf(p, "  21 %s: %s\n", loss_counted(LOSS_GUEST),
		     loss_reason(LOSS_GUEST, RECORDER_PERF));
	for (id = 1; id <= NR_GUESTS; id++)
		p += sprintf(p, "    guest %u: %s\n", id,
			     id == 1 || id == NR_GUESTS ? "2 stretches" : "1 stretch");
	p += sprintf(p, "    further guests: 4 stretches\n");
	sprintf(p, "    -> %s\n", cure_text(LOSS_GUEST, &perf, cure));
	prints(0, false, want);
}

/* The lines of CPUs and processes: the one that lost most bytes is first, then most events, then by number and name. */
static void order_of_lines(void **state)
{
	(void)state;
	losses_add(&ls, LOSS_ATOMS, 4, 9, "z", 3, 10);
	losses_add(&ls, LOSS_ATOMS, 3, 8, "y", 3, 10);
	losses_add(&ls, LOSS_ATOMS, 2, 8, "x", 4, 10);
	losses_add(&ls, LOSS_ATOMS, -1, 8, "w", 3, 10);
	losses_add(&ls, LOSS_ATOMS, 5, 1, NULL, 2000, 0);
	losses_add(&ls, LOSS_STACK, 5, 1, NULL, 1, 1);
	losses_add(&ls, LOSS_ATOMS, 6, 70, "v", 1, 60);
	prints(101, false,
	       "  2,014 atoms without an address or context, 100 bytes of trace, 99.0 %: what follows a loss, until the next address\n"
	       "  1 returns with an empty return stack, 1 byte of trace, 1.0 %: the call was not seen\n"
	       "    -> record without cs_etm/retstack/\n"
	       "\nLosses by CPU:\n"
	       "  CPU 6, 60 bytes of trace, 59.4 %: 1 atoms without an address or context\n"
	       "  CPU 2, 10 bytes of trace, 9.9 %: 4 atoms without an address or context\n"
	       "  CPU unknown, 10 bytes of trace, 9.9 %: 3 atoms without an address or context\n"
	       "  CPU 3, 10 bytes of trace, 9.9 %: 3 atoms without an address or context\n"
	       "  CPU 4, 10 bytes of trace, 9.9 %: 3 atoms without an address or context\n"
	       "  CPU 5, 1 byte of trace, 1.0 %: 2,000 atoms without an address or context, 1 returns with an empty return stack\n"
	       "\nLosses by process:\n"
	       "  process 70 v, 60 bytes of trace, 59.4 %: 1 atoms without an address or context\n"
	       "  process 8 x, 10 bytes of trace, 9.9 %: 4 atoms without an address or context\n"
	       "  process 8 w, 10 bytes of trace, 9.9 %: 3 atoms without an address or context\n"
	       "  process 8 y, 10 bytes of trace, 9.9 %: 3 atoms without an address or context\n"
	       "  process 9 z, 10 bytes of trace, 9.9 %: 3 atoms without an address or context\n"
	       "  process 1, 1 byte of trace, 1.0 %: 2,000 atoms without an address or context, 1 returns with an empty return stack\n");
}

/* 16 lines, of which the last says how many there are besides; sums of rows that were dropped have a line of their own. */
static void short_lists(void **state)
{
	char want[4000], *p;
	int cpu;

	(void)state;
	for (cpu = 0; cpu < 18; cpu++)
		losses_add(&ls, LOSS_ATOMS, cpu, LOSS_NOBODY, NULL, 1, 0);
	ls.cpu.given_up = 2;
	ls.cpu.rest[LOSS_ATOMS].count = 1001;
	ls.cpu.rest[LOSS_DATA].count = 2;
	p = want + sprintf(want, "  18 %s: %s\n\nLosses by CPU:\n", loss_counted(LOSS_ATOMS),
			   loss_reason(LOSS_ATOMS, RECORDER_PERF));
	for (cpu = 0; cpu < 16; cpu++)
		p += sprintf(p, "  CPU %d: 1 %s\n", cpu, loss_counted(LOSS_ATOMS));
	p += sprintf(p, "  and 2 more (--all lists them)\n  and others that lost little each: %s %s, %s %s\n",
		     LOSS_ATOMS < LOSS_DATA ? "1,001" : "2", loss_counted(LOSS_ATOMS < LOSS_DATA ? LOSS_ATOMS : LOSS_DATA),
		     LOSS_ATOMS < LOSS_DATA ? "2" : "1,001", loss_counted(LOSS_ATOMS < LOSS_DATA ? LOSS_DATA : LOSS_ATOMS));
	prints(0, false, want);
}

static void share(void **state)
{
	struct loss_report rep = { .losses = &ls, .trace_bytes = 1000 };
	char text[100] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	(void)state;
	assert_non_null(f);
	losses_print_share(&rep, 0, f);
	fputc('|', f);
	losses_print_share(&rep, 1, f);
	fputc('|', f);
	losses_print_share(&rep, 2000, f);
	fputc('|', f);
	rep.trace_bytes = 0;
	losses_print_share(&rep, 5, f);
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text, "|1 byte of trace, 0.1 %|1,000 bytes of trace, 100.0 %|");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(full_table, set_up, tear_down),
		cmocka_unit_test_setup_teardown(joined, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lost_records, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_guests, set_up, tear_down),
		cmocka_unit_test_setup_teardown(order_of_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(short_lists, set_up, tear_down),
		cmocka_unit_test_setup_teardown(share, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
