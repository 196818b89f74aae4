/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What info says after decoding, in states that are made here: the commands that come next, where it was known from who ran, and
 * what the files of the code hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/images/elf_facts.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "session/import/bare.h"
#include "outputs/info/info.h"
#include "outputs/info/internal.h"
#include "unit/perf-plugin/said.h"
#include "session/internal.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

#define PROGRAMS	6u
#define STRETCHES	8u

TEMP_DIR("info-result")

static struct session *ss;
static struct said said;
static char lines[8][8192];
static unsigned int nr_lines;

/* Facts of /program0 to /program3, which the Makefile lets come from here; other files are no ELF files. */
static const struct elf_facts facts[] = {
	{ .symtab = true, .dynsym = true, .dwarf_low = 2, .dwarf_high = 5 }, { .dynsym = true, .dwarf_low = 4, .dwarf_high = 4 },
	{ .debuglink = "other\n.debug" }, { .symtab = true, .dwarf_low = 5, .dwarf_high = 5, .debuglink = "unused" },
};

bool __wrap_dso_facts(const struct dso *d, struct elf_facts *f);
bool __wrap_dso_facts(const struct dso *d, struct elf_facts *f)
{
	unsigned int i = (unsigned int)d->path[strlen(d->path) - 1] - '0';

	*f = i < sizeof(facts) / sizeof(facts[0]) ? facts[i] : (struct elf_facts){ .sections = false };
	return i < sizeof(facts) / sizeof(facts[0]);
}

/* A recording with PROGRAMS mapped files and, of CPU 2, STRETCHES of trace in the first one, a microsecond each. */
static struct session *open_with(struct session_opts so)
{
	struct pdb data = { .p = NULL }, trace = { .p = NULL };
	struct pdb_sid s = sb_sid(1000);
	char name[24];
	unsigned int i;

	sb_side_band(&data, "/program0");
	for (i = 1; i < PROGRAMS; i++) {
		snprintf(name, sizeof(name), "/program%u", i);
		pdb_mmap2(&data, SB_PID, 0x1000000 + i * 0x10000, 0x1000, 0, name, SB_ST, &s);
	}
	sb_trace(&trace, SB_TID);
	for (i = 0; i < STRETCHES; i++) {
		sb_aux(&data, i * 0x1000, trace.len, SB_RAW, 3000000000u + 1000 * i);
		pdb_auxtrace(&data, i * 0x1000, trace.p, trace.len, 2, (uint32_t)-1);
	}
	pdb_free(&trace);
	so.buildid_dir = "/nonexistent";
	return sb_open(&data, &so, NULL);
}

static int set_up(void **state)
{
	(void)state;
	ss = open_with((struct session_opts){ .input = NULL });
	ss->opts.buildid_dir = NULL;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	session_close(ss);
	return 0;
}

static void put(void *data, const char *line)
{
	(void)data;
	assert_true(nr_lines < sizeof(lines) / sizeof(lines[0]));
	snprintf(lines[nr_lines++], sizeof(lines[0]), "%s", line);
}

static void next(unsigned int want)
{
	nr_lines = 0;
	info_next(ss, put, NULL);
	if (nr_lines != want)
		fail_msg("%u lines, the first one is: %s", nr_lines, nr_lines ? lines[0] : "");
}

/* Each kind of missing code, alone: the option that helps, until it is given. What no option helps against has no line. */
static void options_that_help(void **state)
{
	static const struct {
		enum loss cause;
		const char *option;
	} cases[] = {
		{ LOSS_NO_FILE, "--symfs DIR" }, { LOSS_BUILD_ID, "--symfs DIR" }, { LOSS_UNFIT, "--symfs DIR" },
		{ LOSS_NO_TEXT, "--symfs DIR" }, { LOSS_SHORT, "--symfs DIR" }, { LOSS_MODULE, "--symfs DIR" },
		{ LOSS_KERNEL, "--vmlinux FILE" }, { LOSS_JIT, "--jitdump FILE" }, { LOSS_VDSO, "--buildid-dir DIR" },
		{ LOSS_BPF, NULL }, { LOSS_NO_MAP, NULL }, { LOSS_NO_THREAD, NULL }, { LOSS_BAD_PACKET, NULL },
	};
	struct loss_amount *amount;
	char want[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		amount = &ss->losses.cause[cases[i].cause];
		amount->count = 1;
		ss->opts.symfs = ss->opts.vmlinux = ss->opts.jitdump = ss->opts.buildid_dir = NULL;
		next(cases[i].option ? 2 : 1);
		snprintf(want, sizeof(want), "perf-cstrace info -i perf.data %s", cases[i].option ? cases[i].option : "");
		if (cases[i].option)
			assert_string_equal(lines[0], want);
		assert_string_equal(lines[nr_lines - 1], "perf-cstrace dump -i perf.data --packets --log");
		ss->opts.symfs = ss->opts.vmlinux = ss->opts.jitdump = ss->opts.buildid_dir = "x";
		next(1);
		amount->count = 0;
	}
	/* several at a time */
	ss->opts.vmlinux = ss->opts.jitdump = ss->opts.buildid_dir = NULL;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ss->losses.cause[cases[i].cause].count = 1;
	next(2);
	assert_string_equal(lines[0], "perf-cstrace info -i perf.data --symfs x --vmlinux FILE --jitdump FILE --buildid-dir DIR");
}

/* The lines have the options of this run, as a shell reads them. */
static void options_that_were_given(void **state)
{
	struct bare_opts bare = { .nr_traces = 1, .nr_words = 2, .words = { { "trace", "a b" }, { "elf", "c@0x8000" } } };

	(void)state;
	ss->opts = (struct session_opts){ .input = "it's", .symfs = "a dir", .vmlinux = "vm$x", .kcore = "k\ncore", .kallsyms = "~/sy",
					  .jitdump = "plain-_./:=@%+,09azAZ", .buildid_dir = "", .force = true };
	next(1);
	assert_string_equal(lines[0], "perf-cstrace dump -i 'it'\\''s' --symfs 'a dir' --vmlinux 'vm$x' --kcore 'k\\x0acore' "
			    "--kallsyms '~/sy' --jitdump plain-_./:=@%+,09azAZ -f --packets --log");
	ss->opts = (struct session_opts){ .contextid = CONTEXTID_TID_ASID, .ts_freq = 50000000,
					  .max_expand = 1, .no_text_copies = true, .force = true,
					  .filter = { "1,2 3,", "0-3", "5", "6,7", "a b" } };
	next(1);
	assert_string_equal(lines[0], "perf-cstrace dump -i perf.data --contextid tid-asid "
			    "--ts-freq 50000000 --max-expand 1 --no-text-copies -f "
			    "--time '1,2 3,' --cpu 0-3 --pid 5 --tid 6,7 --comm 'a b' --packets --log");
	/* what is read with --trace has neither times nor threads */
	ss->opts.bare = &bare;
	next(1);
	assert_string_equal(lines[0], "perf-cstrace dump --trace 'a b' --elf c@0x8000 --contextid tid-asid --ts-freq 50000000 "
			    "--max-expand 1 --no-text-copies -f --packets --log");
	ss->opts = (struct session_opts){ .input = "a b", .buildid_dir = "ids", .bare = &bare };
	next(1);
	assert_string_equal(lines[0], "perf-cstrace dump --trace 'a b' --elf c@0x8000 --buildid-dir ids --packets --log");
	bare.nr_traces = 0;
	next(1);
	assert_string_equal(lines[0], "perf-cstrace dump -i 'a b' --trace 'a b' --elf c@0x8000 --buildid-dir ids --packets --log");
	ss->opts.bare = NULL;
}

static struct dso *program(unsigned int i)
{
	char name[24];
	size_t k;

	snprintf(name, sizeof(name), "/program%u", i);
	for (k = 0; k < ss->images.dsos.nr; k++)
		if (!strcmp(ss->images.dsos.all[k]->path, name))
			return ss->images.dsos.all[k];
	fail_msg("no %s", name);
	return NULL;
}

/* A profile is proposed of the busiest program, and of a busier module only if there is none. */
static void profile_of_the_busiest(void **state)
{
	unsigned int i;

	(void)state;
	ss->totals.dec.insns = 100;
	ss->opts.symfs = "images";
	next(3);
	for (i = 0; i < 5; i++) {
		program(i)->insns = 10 * (i + 1);
		program(i)->is_elf = i != 4;
		program(i)->kind = i == 3 ? DSO_KCORE : i == 2 ? DSO_MODULE : DSO_FILE;
	}
	program(5)->nacc = 1;
	program(5)->is_elf = true;
	next(4);
	assert_string_equal(lines[0], "perf-cstrace script -i perf.data --symfs images --itrace=b -F comm,pid,tid,cpu,time,ip,sym,addr");
	assert_string_equal(lines[1], "perf-cstrace inject -i perf.data --symfs images --itrace=i1000il64 -o samples.data && perf report "
			    "-i samples.data --symfs images");
	assert_string_equal(lines[2], "perf-cstrace profile -i perf.data --symfs images --binary /program1 --format=autofdo -o counts.txt");
	assert_string_equal(lines[3], "perf-cstrace report -i perf.data --symfs images -o pages");
	program(0)->is_elf = program(1)->is_elf = false;
	next(4);
	assert_non_null(strstr(lines[2], "--binary /program2 "));
	program(0)->is_elf = program(1)->is_elf = true;
	/* of equally busy ones the first by name */
	program(0)->insns = program(1)->insns = 35;
	next(4);
	assert_non_null(strstr(lines[2], "--binary /program0 "));
	/* nothing was decoded in any */
	for (i = 0; i < 5; i++)
		program(i)->insns = 0;
	next(3);
	assert_null(strstr(lines[1], "profile"));
}

static void who_says(const char *want)
{
	said_begin_of(&said, stdout);
	info_who(ss);
	assert_string_equal(said_end(&said), want);
}

#define NO_SWITCHES "  no context switches are recorded\n"

/* Each source of who ran has its line, and no other. */
static void who_ran(void **state)
{
	struct who_counts *c = &ss->totals.who;
	struct session_tasks *t = &ss->tasks;

	(void)state;
	who_says("\nWho ran:\n  context IDs hold nothing that was decoded\n");
	t->contextid.seen[CONTEXTID_NONE] = true;
	who_says("\nWho ran:\n  context IDs hold nothing (a kernel without PID_IN_CONTEXTIDR)\n");
	t->contextid.seen[CONTEXTID_TID] = t->contextid.seen[CONTEXTID_ASID] = true;
	t->contextid.forced = CONTEXTID_ASID;
	who_says("\nWho ran:\n  context IDs hold, as --contextid says, the thread; or an ASID; or nothing (a kernel without "
		 "PID_IN_CONTEXTIDR)\n");
	/* of any unit, in either register */
	ss->units.v[0].pid.contextidr_el1 = false;
	who_says("\nWho ran:\n" NO_SWITCHES);
	ss->units.v[0].pid.contextidr_el2 = true;
	memset(t->contextid.seen, 0, sizeof(t->contextid.seen));
	t->contextid.forced = CONTEXTID_AUTO;
	t->contextid.seen[CONTEXTID_TID_ASID] = true;
	who_says("\nWho ran:\n  context IDs hold the thread in bits 31:8, an ASID below\n");
	ss->units.v[0].pid.contextidr_el2 = false;
	assert_int_equal(running_add(&t->running, 0, 1, RUN_IN, 5, -1), 0);
	assert_int_equal(running_add(&t->running, 0, 2, RUN_IN, 6, -1), 0);
	who_says("\nWho ran:\n  2 switches on 1 CPU\n");
	assert_int_equal(running_add(&t->running, 3, 3, RUN_IN, 7, -1), 0);
	t->sched = (struct tracepoint *)&said;
	who_says("\nWho ran:\n  3 switches on 2 CPUs, with samples of sched:sched_switch\n");
	t->sched = NULL;
	running_free(&t->running);
	memset(&t->running, 0, sizeof(t->running));
	t->asids.learned = 4;
	t->asids.changed = 1;
	who_says("\nWho ran:\n" NO_SWITCHES "  ASIDs: 0 declarations; 4 owners learned from switches, 1 of them in place of another one\n");
	t->asids.learned = t->asids.changed = 0;
	assert_int_equal(asids_declare(&t->asids, 7, 1, 100), 0);
	assert_int_equal(asids_declare(&t->asids, 7, 2, 101), 0);
	assert_int_equal(asids_declare(&t->asids, 8, 2, 102), 0);
	who_says("\nWho ran:\n" NO_SWITCHES "  ASIDs: 3 declarations; 0 owners learned from switches, 0 of them in place of another one\n");
	asids_free(&t->asids);
	memset(&t->asids, 0, sizeof(t->asids));
	*c = (struct who_counts){ .only_process = 2, .only_pid = 77, .secure = 4, .firmware = 5 };
	who_says("\nWho ran:\n" NO_SWITCHES "  nothing said which thread ran: all user trace was taken as that of process 77, the only one with code, "
		 "2 times\n"
		 "  secure world: 4 stretches, not decoded\n  EL3: 5 stretches, not decoded\n");
}

/* What was printed, with DIR for the test's folder. */
static const char *hidden(void)
{
	static char text[sizeof(said.text)];

	temp_hide(dir, said.text, text, sizeof(text));
	return text;
}

static void has(const char *want)
{
	const char *text = hidden();

	if (!strstr(text, want))
		fail_msg("no '%s' in: %s", want, text);
}

static struct build_id id_of(uint8_t byte, uint8_t len)
{
	struct build_id id = { .len = len };

	memset(id.id, byte, len);
	return id;
}

static bool more_files;		/* other files than /program0 are used, too */
static int failure;		/* what decoding returns in place of being done; 0: it is done */

int __real_session_run(struct session *session, const struct consumer *con);
int __wrap_session_run(struct session *session, const struct consumer *con);
/* After decoding it is as if code of all files had been needed, and 96 instructions of no file. */
int __wrap_session_run(struct session *session, const struct consumer *con)
{
	int rc = failure ? failure : __real_session_run(session, con);
	unsigned int i;

	for (i = 1; more_files && i < PROGRAMS; i++) {
		program(i)->insns = i == 5 ? 0 : 96 - i * 16;
		program(i)->recorded = id_of((uint8_t)(0xa0 + i), 4);
		if (i == 5)
			continue;
		program(i)->state = DSO_LOADED;
		if (i == 4)
			continue;
		program(i)->file = strdup("a\nfile");
		if (i != 2)
			program(i)->found = id_of((uint8_t)(0xb0 + i), 3);
	}
	if (more_files) {
		program(5)->state = DSO_REFUSED;
		program(5)->trouble = DSO_BUILD_ID;
		program(5)->nacc = 7;
		program(5)->nacc_bytes = 8;
		program(3)->conflicts = 9;
		session->losses.cause[LOSS_SHORT] = (struct loss_amount){ .count = 2, .bytes = 30 };
		session->losses.cause[LOSS_ATOMS] = (struct loss_amount){ .count = 4 };
		((struct info_counts *)con->data)->elsewhere = 96;
	}
	return rc;
}

static bool nowhere;		/* code is in no file */

struct dso *__real_session_section_dso(struct session *session, const struct stream *s, uint32_t section);
struct dso *__wrap_session_section_dso(struct session *session, const struct stream *s, uint32_t section);
struct dso *__wrap_session_section_dso(struct session *session, const struct stream *s, uint32_t section)
{
	return nowhere ? NULL : __real_session_section_dso(session, s, section);
}

static void open_programs(unsigned int jobs)
{
	static const uint32_t loop[] = { 0xd503201f, 0x17ffffff };

	temp_write(dir, "program0", loop, sizeof(loop));
	ss = open_with((struct session_opts){ .symfs = dir, .jobs = jobs, .jobs_asked = true });
}

static void files_in_words(void **state)
{
	(void)state;
	open_programs(1);
	more_files = true;
	said_begin_of(&said, stdout);
	assert_int_equal(info_text(ss, true, false), 0);
	said_end(&said);
	session_close(ss);
	more_files = false;
	has("\nBinaries, by instructions:\n"
	    "   54.5 %  /program0\n           DIR/program0, build-id none, symbols, DWARF 2 to 5\n"
	    "   11.4 %  /program1\n           a\\x0afile, build-id b1b1b1, symbols of what it exports only, DWARF 4\n"
	    "    9.1 %  /program2\n           a\\x0afile, build-id none, no symbols, debug information in other\\x0a.debug\n"
	    "    6.8 %  /program3\n           a\\x0afile, build-id b3b3b3, symbols, DWARF 5\n"
	    "    4.5 %  /program4\n           no file: its code is in the recording; recorded build-id a4a4a4a4\n"
	    "    0.0 %  /program5\n           no file was used, see Images; recorded build-id a5a5a5a5\n"
	    "   13.6 %  in no file\n\nImages:\n");
	has("\n  covered: 3.000000000 to 3.000007000 s, 0.000007000 s\n");
}

static void files_in_json(void **state)
{
	(void)state;
	open_programs(1);
	more_files = true;
	said_begin_of(&said, stdout);
	assert_int_equal(info_json(ss), 0);
	said_end(&said);
	session_close(ss);
	more_files = false;
	has("{\"file\":\"test\",\"recorder\":\"perf\",\n \"bytes\":");
	has(",\n \"time\":{\"first\":3000000000,\"last\":3000007000},\n \"binaries\":[\n"
	    "  {\"path\":\"/program0\",\"instructions\":384,\"file\":\"DIR/program0\","
	    "\"build_id\":null,\"symbols\":\"all\",\"dwarf\":[2,5]},\n"
	    "  {\"path\":\"/program1\",\"instructions\":80,\"file\":\"a\\u000afile\","
	    "\"build_id\":\"b1b1b1\",\"symbols\":\"exported\",\"dwarf\":[4,4]},\n"
	    "  {\"path\":\"/program2\",\"instructions\":64,\"file\":\"a\\u000afile\","
	    "\"build_id\":\"a2a2a2a2\",\"symbols\":\"none\",\"dwarf\":[0,0]},\n"
	    "  {\"path\":\"/program3\",\"instructions\":48,\"file\":\"a\\u000afile\","
	    "\"build_id\":\"b3b3b3\",\"symbols\":\"all\",\"dwarf\":[5,5]},\n"
	    "  {\"path\":\"/program4\",\"instructions\":32,\"file\":null,"
	    "\"build_id\":\"a4a4a4a4\",\"symbols\":null,\"dwarf\":null},\n"
	    "  {\"path\":\"/program5\",\"instructions\":0,\"file\":null,"
	    "\"build_id\":\"a5a5a5a5\",\"symbols\":null,\"dwarf\":null}],\n"
	    " \"done\":[");
	has(" \"losses\":[\n"
	    "  {\"cause\":\"short\",\"count\":2,\"bytes\":30,\"counted\":\"places behind the end of their file\","
	    "\"why\":\"the file is shorter than what was mapped\",\"cure\":\"");
	has("\"},\n"
	    "  {\"cause\":\"atoms\",\"count\":4,\"bytes\":0,\"counted\":\"atoms without an address or context\","
	    "\"why\":\"what follows a loss, until the next address\",\"cure\":null}],\n");
	has(" \"files\":[\n  {\"path\":\"/program3\",\"cause\":\"conflict\",\"count\":0,\"bytes\":0,\"conflicts\":9},\n"
	    "  {\"path\":\"/program5\",\"cause\":\"build-id\",\"count\":7,\"bytes\":8,\"conflicts\":0}]\n}\n");
}

/* Threads that decode parts of the trace count as one does. */
static void threads_count_alike(void **state)
{
	static char alone[sizeof(said.text)];
	unsigned int jobs;

	(void)state;
	for (jobs = 1; jobs <= 3; jobs++) {
		open_programs(jobs);
		said_begin_of(&said, stdout);
		assert_int_equal(info_text(ss, true, true), 0);
		said_end(&said);
		session_close(ss);
		if (jobs == 1)
			strcpy(alone, said.text);
		assert_string_equal(said.text, alone);
	}
}

/* Instructions of no file are counted, too, by whichever thread. */
static void code_of_no_file(void **state)
{
	unsigned int jobs;

	(void)state;
	nowhere = true;
	for (jobs = 1; jobs <= 3; jobs += 2) {
		open_programs(jobs);
		said_begin_of(&said, stdout);
		assert_int_equal(info_text(ss, true, false), 0);
		said_end(&said);
		session_close(ss);
		has("\nBinaries, by instructions:\n  100.0 %  in no file\n\nImages:\n");
	}
	nowhere = false;
}

/* Where decoding fails, there is neither a result in words nor JSON. */
static void failures(void **state)
{
	(void)state;
	open_programs(1);
	failure = ERR_REPORTED;
	said_begin_of(&said, stdout);
	assert_int_equal(info_text(ss, true, true), ERR_REPORTED);
	assert_null(strstr(said_end(&said), "Who ran"));
	said_begin_of(&said, stdout);
	assert_int_equal(info_json(ss), ERR_REPORTED);
	assert_string_equal(said_end(&said), "");
	failure = 0;
	session_close(ss);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(options_that_help, set_up, tear_down),
		cmocka_unit_test_setup_teardown(options_that_were_given, set_up, tear_down),
		cmocka_unit_test_setup_teardown(profile_of_the_busiest, set_up, tear_down),
		cmocka_unit_test_setup_teardown(who_ran, set_up, tear_down),
		cmocka_unit_test(files_in_words),
		cmocka_unit_test(files_in_json),
		cmocka_unit_test(threads_count_alike),
		cmocka_unit_test(code_of_no_file),
		cmocka_unit_test(failures),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
