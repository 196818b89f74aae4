/* SPDX-License-Identifier: BSD-3-Clause */
/* --itrace letters and -F lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "outputs/synth/evname.h"
#include "outputs/synth/itrace.h"
#include "outputs/listing/listing.h"

static struct itrace_opts parse(const char *text)
{
	struct itrace_opts o;
	char msg[400];

	if (!itrace_parse(&o, text, msg, sizeof(msg)))
		fail_msg("%s: %s", text, msg);
	return o;
}

static void periods(void **state)
{
	static const struct {
		const char *text;
		enum itrace_unit unit;
		uint64_t period;
	} cases[] = {
		{ "i", ITRACE_NS, 100000 },
		{ "i500", ITRACE_NS, 500 },
		{ "i1000i", ITRACE_INSNS, 1000 },
		{ "i7t", ITRACE_TICKS, 7 },
		{ "i3ns", ITRACE_NS, 3 },
		{ "i3us", ITRACE_NS, 3000 },
		{ "i3ms", ITRACE_NS, 3000000 },
		{ "i, 20, us", ITRACE_NS, 20000 },
		{ "i0ns", ITRACE_INSNS, 1 },
		{ "bi10i", ITRACE_INSNS, 10 },
		{ "i18446744073709551615i", ITRACE_INSNS, UINT64_MAX },
	};
	struct itrace_opts o;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		o = parse(cases[i].text);
		assert_true(o.instructions);
		assert_int_equal(o.unit, cases[i].unit);
		assert_true(o.period == cases[i].period);
	}
}

static void letters(void **state)
{
	struct itrace_opts o = parse("i100il32g8s5qqZe-o");

	(void)state;
	assert_true(o.period == 100 && o.stack == 32 && o.chain == 8 && o.skip == 5 && o.quick == 2);
	assert_true(o.timeless && o.errors && o.no_overflow_errors && !o.no_lost_errors && !o.branches);
	o = parse("il");
	assert_int_equal(o.stack, 64);
	o = parse("ig l 1024");
	assert_int_equal(o.chain, 16);
	assert_int_equal(o.stack, 1024);
	o = parse("b ,i20i ");
	assert_true(o.branches && o.instructions && o.period == 20 && !*o.unused);
	o = parse("cr");
	assert_true(o.branches && o.calls && o.returns && !o.instructions);
	o = parse("be+o-l");
	assert_true(o.branches && o.no_lost_errors && !o.no_overflow_errors);
	/* letters of other kinds of trace are taken and named once */
	o = parse("bxwpIoG9L3d+a-ex");
	assert_string_equal(o.unused, "xwpIoGLd");
	/* the default of perf 6.12, and all its letters */
	o = parse("iybxwpe");
	assert_true(o.instructions && o.branches && o.errors && o.period == ITRACE_DEFAULT_PERIOD && o.unit == ITRACE_NS);
	assert_string_equal(o.unused, "yxwp");
	o = parse("y100i");
	assert_true(!o.instructions && !o.branches && !o.kernel_time);
	o = parse("iybcrxwpoIedfmMtagGlLs1qAZT");
	assert_string_equal(o.unused, "yxwpoIdfmMtaGLA");
	assert_true(o.kernel_time && o.timeless && o.skip == 1);
}

static void refused(void **state)
{
	static const char *const bad[] = {
		"k", "b,k", "l0", "il1025", "g0i", "s", "sx", "i5m", "i5u", "i5x", "e-", "e-O", "d+1",
		"i18446744073709551616i", "i18446744073709551615us", "i5nm",
	};
	struct itrace_opts o;
	char msg[400];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		msg[0] = 0;
		if (itrace_parse(&o, bad[i], msg, sizeof(msg)))
			fail_msg("%s was accepted", bad[i]);
		assert_non_null(strstr(msg, bad[i]));
	}
	assert_false(itrace_parse(&o, "b,k", msg, sizeof(msg)));
	assert_non_null(strstr(msg, "'k' at position 3"));
}

static void defaults(void **state)
{
	struct itrace_opts o;

	(void)state;
	itrace_default(&o, false);
	assert_true(o.instructions && o.branches && o.errors && !o.calls && o.period == 100000);
	itrace_default(&o, true);
	assert_true(!o.instructions && o.branches && o.errors && o.calls);
}

static void fields(void **state)
{
	unsigned int f;
	char msg[400];

	(void)state;
	assert_true(listing_fields(&f, "pid,tid,cpu,ip,addr", msg, sizeof(msg)));
	assert_int_equal(f, LIST_PID | LIST_TID | LIST_CPU | LIST_IP | LIST_ADDR);
	f = LISTING_DEFAULT;
	assert_true(listing_fields(&f, "+pid,-time", msg, sizeof(msg)));
	assert_int_equal(f, (LISTING_DEFAULT | LIST_PID) & ~LIST_TIME);
	assert_false(listing_fields(&f, "ip,colour", msg, sizeof(msg)));
	assert_non_null(strstr(msg, "'colour'"));
	assert_false(listing_fields(&f, "pid,sym", msg, sizeof(msg)));
	assert_false(listing_fields(&f, "", msg, sizeof(msg)));
	assert_string_equal(msg, "-F : no field is left to print");
	/* a list without a sign in front begins with nothing */
	f = LISTING_DEFAULT;
	assert_true(listing_fields(&f, "pid,-pid,+ip,", msg, sizeof(msg)));
	assert_int_equal(f, LIST_IP);
	assert_false(listing_fields(&f, "-ip", msg, sizeof(msg)));
	assert_int_equal(f, LIST_IP);
}

/* Each field by its name, and those that are about an address only with one. */
static void field_names(void **state)
{
	static const char names[] = " comm pid tid cpu time period event flags ip sym symoff dso addr brstack insn insnlen srcline "
				    "disasm callindent brstacksym brstackinsn brstackdisasm";
	static const char *const about[] = { "sym", "symoff", "dso", "srcline" };
	static const char *const addresses[] = { "ip", "addr", "callindent", "brstack", "brstacksym", "brstackinsn", "brstackdisasm" };
	char list[sizeof(names)], text[64], msg[400], want[400], *name, *end;
	unsigned int f, bits = LIST_SYM | LIST_SYMOFF | LIST_DSO | LIST_SRCLINE, i = 0, k;

	(void)state;
	strcpy(list, names);
	for (name = strtok_r(list, " ", &end); name; name = strtok_r(NULL, " ", &end), i++) {
		snprintf(text, sizeof(text), "%s", name);
		assert_int_equal(listing_fields(&f, text, msg, sizeof(msg)), !(1u << i & bits));
		snprintf(text, sizeof(text), "%s,ip", name);
		assert_true(listing_fields(&f, text, msg, sizeof(msg)));
		assert_int_equal(f, 1u << i | LIST_IP);
	}
	assert_int_equal(1u << i, LIST_NS);
	for (i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "comm,%s", about[i]);
		assert_false(listing_fields(&f, text, msg, sizeof(msg)));
		snprintf(want, sizeof(want), "-F %s: sym, symoff, dso and srcline tell about ip and addr: ask for one of them, too",
			 text);
		assert_string_equal(msg, want);
		for (k = 0; k < 7; k++) {
			snprintf(text, sizeof(text), "%s,%s", addresses[k], about[i]);
			assert_true(listing_fields(&f, text, msg, sizeof(msg)));
		}
	}
	/* a part of a name, and a longer one */
	assert_false(listing_fields(&f, "symof,ip", msg, sizeof(msg)));
	assert_false(listing_fields(&f, "ip,pids", msg, sizeof(msg)));
	snprintf(want, sizeof(want), "-F: field 'pids' is not known; there are%s", names);
	assert_string_equal(msg, want);
	/* a short message is cut */
	assert_false(listing_fields(&f, "ip,pids", msg, 50));
	want[49] = 0;
	assert_string_equal(msg, want);
}

/* The options that choose letters and fields together. */
static void views(void **state)
{
	static const struct {
		const char *option, *value, *itrace, *fields;
	} row[] = {
		{ "insn-trace", NULL, "i0nse", "+insn,-event,-period" }, { "insn-trace", "", "i0nse", "+insn,-event,-period" },
		{ "insn-trace", "raw", "i0nse", "+insn,-event,-period" }, { "insn-trace", "disasm", "i0nse", "+disasm,-event,-period" },
		{ "call-trace", NULL, "ce", "-ip,-addr,-event,-period,+callindent" },
		{ "call-ret-trace", NULL, "cre", "-ip,-addr,-event,-period,+callindent,+flags" },
	};
	const struct listing_view *v;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		v = listing_view(row[i].option, row[i].value);
		assert_non_null(v);
		assert_string_equal(v->itrace, row[i].itrace);
		assert_string_equal(v->fields, row[i].fields);
	}
	assert_null(listing_view("insn-trace", "ra"));
	assert_null(listing_view("insn-trace", "raw2"));
	assert_null(listing_view("call-trace", "raw"));
	assert_null(listing_view("insn", NULL));
	assert_null(listing_view("insn", "trace=raw"));
}

/* As perf prints the modifiers: the levels that were chosen, then the host or the guest unless that is the default. */
static void event_names(void **state)
{
	static const struct {
		const char *levels;	/* of kernel, user, hypervisor, host and guest those that are left out */
		const char *name;
	} rows[] = {
		{ "", "branches:HG" }, { "G", "branches" }, { "H", "branches:G" }, { "HG", "branches" }, { "kh", "branches:u" },
		{ "u", "branches:kh" }, { "uh", "branches:k" }, { "ku", "branches:h" }, { "k", "branches:uh" }, { "kuh", "branches" },
		{ "khG", "branches:uH" }, { "khH", "branches:uG" }, { "h", "branches:ku" }, { "uhHG", "branches:k" },
	};
	char name[EVNAME_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct perf_event_attr a = {
			.exclude_kernel = strchr(rows[i].levels, 'k') != NULL, .exclude_user = strchr(rows[i].levels, 'u') != NULL,
			.exclude_hv = strchr(rows[i].levels, 'h') != NULL, .exclude_host = strchr(rows[i].levels, 'H') != NULL,
			.exclude_guest = strchr(rows[i].levels, 'G') != NULL,
		};

		evname_make(name, sizeof(name), "branches", &a);
		assert_string_equal(name, rows[i].name);
	}
	evname_make(name, sizeof(name), "branches", NULL);
	assert_string_equal(name, "branches:HG");
	evname_make(name, 6, "branches", NULL);
	assert_string_equal(name, "branc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(periods), cmocka_unit_test(letters), cmocka_unit_test(event_names), cmocka_unit_test(refused),
		cmocka_unit_test(defaults), cmocka_unit_test(fields), cmocka_unit_test(field_names), cmocka_unit_test(views),
	};

	return cmocka_run_group_tests_name("synth itrace", tests, NULL, NULL);
}
