/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_dump_snapshot.c - dump -s of small snapshots: which buffers and sources are listed, and what is reported of those that
 * cannot be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"
#include "outputs/dump/dump.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/texts.h"
#include "unit/temp_dir.h"

TEMP_DIR("dump-snapshot")

/* A-sync, Trace Info, Trace On, 0x1000 in A64 EL0 Non-secure, an atom. */
#define TRACE "\0\0\0\0\0\0\0\0\0\0\0\x80" "\x01\0" "\x04" "\x85\0\x08\0\0\0\0\0\0\x30" "\xf7"
/* The same in frames of ID 0x10; the second frame ends with padding. */
#define FRAMES								\
	"\x21\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\0"			\
	"\x21\x04\x84\0\x08\0\0\0\0\0\0\x30\xf6\x01\0\x42"

#define BARRIER "\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f"

#define ETM4	"TRCCONFIGR=1\nTRCTRACEIDR=0x10\nTRCIDR0=0x28000ea1\nTRCIDR1=0x4100f423\nTRCIDR2=0x488\n"

#define SOURCE(name, type, regs) "[device]\nname=" name "\nclass=trace_source\ntype=" type "\n[regs]\n" regs
#define BUFFER(n, files, format) "[buffer" n "]\nname=ETB_" n "\nfile=" files "\nformat=" format "\n"
#define ONE "[trace_buffers]\nbuffers=buffer0\n"
#define TWO "[trace_buffers]\nbuffers=buffer0,buffer1\n"
#define LINKS "[core_trace_sources]\ncpu_0=ETM_0\n[source_buffers]\nETM_0=ETB_0\n"
#define RAW_ONE ONE BUFFER("0", "raw.bin", "source_data") LINKS

/* Files of a snapshot that differ from the usual ones; NULL: as usual. */
struct snap {
	const char *index, *source, *source2, *trace;
};

static char out[16384], errors[16384];

static void write_text(const char *name, const char *text)
{
	temp_write(dir, name, text, strlen(text));
}

static void make_snapshot(const struct snap *s)
{
	write_text("snapshot.ini", s->index ? s->index :
		   "[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\ndevice1=ETM_0.ini\ndevice2=ETM_1.ini\n"
		   "[trace]\nmetadata=trace.ini\n");
	write_text("cpu_0.ini", "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[dump0]\nfile=mem.bin\naddress=0x1000\n"
		   "length=4\n");
	write_text("ETM_0.ini", s->source ? s->source : SOURCE("ETM_0", "ETM4", ETM4));
	write_text("ETM_1.ini", s->source2 ? s->source2 : SOURCE("ETM_1", "ETM4", ETM4));
	write_text("trace.ini", s->trace ? s->trace : RAW_ONE);
	temp_write(dir, "mem.bin", "\0\0\0\x14", 4);	/* b . */
	temp_write(dir, "raw.bin", TRACE, sizeof(TRACE) - 1);
	temp_write(dir, "first.bin", TRACE, 13);
	temp_write(dir, "second.bin", TRACE + 13, sizeof(TRACE) - 1 - 13);
	temp_write(dir, "frames.bin", FRAMES, sizeof(FRAMES) - 1);
	temp_write(dir, "barrier.bin", FRAMES BARRIER, sizeof(FRAMES BARRIER) - 1);
	temp_write(dir, "empty.bin", "", 0);
}

static struct dump listing(void)
{
	return (struct dump){
		.show.elements = true, .id.only_id = -1, .at.cpu = -1, .at.pid = -1, .at.tid = -1
	};
}

/* What is listed is in `out`, what is reported in `errors`, where the folder of the snapshot is DIR. */
static int run_to(struct dump *d, const char *source, const char *path)
{
	struct said said;
	int rc;

	assert_int_equal(dump_out_open(&d->out, path), 0);
	said_begin(&said);
	rc = dump_snapshot(d, dir, NULL, source);
	temp_hide(dir, said_end(&said), errors, sizeof(errors));
	*out = 0;
	if (rc) {
		dump_out_abort(&d->out);
		return rc;
	}
	assert_int_equal(dump_out_close(&d->out, true), 0);
	temp_read(path, out, sizeof(out));
	return rc;
}

static int run(struct dump *d, const char *source)
{
	return run_to(d, source, temp_path(dir, "listing"));
}

/* What is listed of the trace in a raw buffer, and in frames. */
#define RAW_LISTED							\
	"0          10 * no-sync start\n"				\
	"14         10 * trace-on begin\n"				\
	"15         10 * context A64 EL0 non-secure\n"			\
	"25         10 * range 0x1000-0x1004 n=1 A64 branch E EL0 non-secure\n" \
	"25         10 * end end\n"
#define FRAMES_LISTED							\
	"0          10 * no-sync start\n"				\
	"16         10 * trace-on begin\n"				\
	"17         10 * context A64 EL0 non-secure\n"			\
	"27         10 * range 0x1000-0x1004 n=1 A64 branch E EL0 non-secure\n" \
	"28         10 * end end\n"
#define UNSYNCED "0          10 * no-sync start\n29         10 * end end\n"
#define NOT_ETM3 "cstrace dump: lost: 22 bytes before a synchronisation point, 1 bad packets\n"
#define SAID(text) "cstrace dump: DIR: " text "\n"
#define BUFFERS "neither a trace buffer nor a trace source of the snapshot; its buffers are:\n  ETB_0\n  ETB_1"
#define IN_FRAMES ONE BUFFER("0", "frames.bin", "coresight")
#define BOTH TWO BUFFER("0", "frames.bin", "coresight") BUFFER("1", "raw.bin", "source_data") LINKS "ETM_1=ETB_1\n"
#define NO_INDEX "[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\n"

static const struct {
	const char *what;
	struct snap snap;
	const char *source, *listed, *reported;	/* listed: NULL: it fails */
	bool losses;
} cases[] = {
	{ "a buffer without frames", { NULL }, NULL, "# ETB_0: source_data\n" RAW_LISTED, "", false },
	{ "a buffer of three files, one of them empty",
	  { .trace = ONE BUFFER("0", "first.bin,empty.bin,second.bin", "source_data") LINKS }, NULL,
	  "# ETB_0: source_data\n" RAW_LISTED, "", false },
	{ "frames", { .trace = IN_FRAMES LINKS }, NULL, "# ETB_0: coresight\n" FRAMES_LISTED, "", false },
	{ "a source that feeds two buffers",
	  { .trace = TWO BUFFER("0", "frames.bin", "coresight") BUFFER("1", "raw.bin", "source_data") LINKS "ETM_0=ETB_1\n" },
	  "ETM_0", "# ETB_0: coresight\n" FRAMES_LISTED "# ETB_1: source_data\n" RAW_LISTED, "", false },
	/* a barrier is no element of a source */
	{ "frames and a barrier", { .trace = ONE BUFFER("0", "barrier.bin", "coresight") LINKS }, NULL, "# ETB_0: coresight\n" FRAMES_LISTED, "",
	  false },
	{ "a trace ID without a source", { .source = SOURCE("ETM_0", "ETM4", "TRCCONFIGR=1\nTRCTRACEIDR=0x11\nTRCIDR0=0x28000ea1\nTRCIDR1=0x4100f423\n"
							   "TRCIDR2=0x488\n"), .trace = IN_FRAMES LINKS }, NULL, "# ETB_0: coresight\n0          11 * end end\n",
	  "cstrace dump: lost: 28 bytes of trace IDs without a decoder\n", true },
	/* registers that older snapshots lack */
	{ "no TRCDEVARCH", { .source = SOURCE("ETM_0", "ETE", ETM4) }, NULL, "# ETB_0: source_data\n" RAW_LISTED,
	  SAID("ETM_0: no TRCDEVARCH: ETE 1.0 is assumed"), false },
	{ "no TRCIDR1", { .source = SOURCE("ETM_0", "ETM4", "TRCCONFIGR=1\nTRCTRACEIDR=0x10\nTRCIDR0=0x28000ea1\nTRCIDR2=0x488\n") },
	  NULL, "# ETB_0: source_data\n" RAW_LISTED, SAID("ETM_0: no TRCIDR1: ETMv4.0 is assumed"), false },
	{ "no ETMCCER", { .source = SOURCE("ETM_0", "ETM3", "ETMCR=0\nETMTRACEIDR=0x10\nETMIDR=0x4100f242\n"),
			  .trace = IN_FRAMES LINKS }, NULL, "# ETB_0: coresight\n" UNSYNCED,
	  SAID("ETM_0: no ETMCCER: no extensions are assumed") NOT_ETM3, true },
	/* sources that cannot be decoded, or whose packets only */
	{ "no TRCIDR2", { .source = SOURCE("ETM_0", "ETM4", "TRCCONFIGR=1\nTRCTRACEIDR=0x10\nTRCIDR0=0x28000ea1\nTRCIDR1=0x4100f423\n"),
			  .trace = IN_FRAMES LINKS }, NULL, NULL,
	  SAID("ETM_0: register TRCIDR2 is missing; its trace is skipped") SAID("ETB_0: no source of this buffer can be decoded"), false },
	{ "another protocol", { .source = SOURCE("ETM_0", "HTM", ETM4) }, NULL, NULL,
	  SAID("ETM_0: protocol 'HTM' has no decoder; its trace is skipped") SAID("ETB_0: no source of this buffer can be decoded"), false },
	{ "an old ETMv3", { .source = SOURCE("ETM_0", "ETM3", "ETMCR=0\nETMTRACEIDR=0x10\nETMIDR=0x4100f142\nETMCCER=0\n"),
			    .trace = IN_FRAMES LINKS }, NULL, "# ETB_0: coresight\n",
	  SAID("ETM_0: version is not supported (ETMIDR 0x4100f142): packets only") NOT_ETM3, true },
	{ "another configuration", { .source = SOURCE("ETM_0", "ETM4", "TRCCONFIGR=7\nTRCTRACEIDR=0x10\nTRCIDR0=0x28000ea0\n"
						      "TRCIDR1=0x4100f443\nTRCIDR2=0x488\n") },
	  NULL, "# ETB_0: source_data\n", SAID("ETM_0: configuration is not supported (TRCCONFIGR 0x7): packets only"), true },
	{ "one trace ID twice", { .trace = IN_FRAMES LINKS "ETM_1=ETB_0\n" }, NULL, "# ETB_0: coresight\n" FRAMES_LISTED,
	  SAID("ETM_1: trace ID 0x10: invalid argument; its trace is skipped"), false },
	{ "two sources of a buffer without frames", { .trace = RAW_ONE "ETM_1=ETB_0\n" }, NULL, "# ETB_0: source_data\n" RAW_LISTED,
	  SAID("ETM_1: second source of an unformatted buffer; it is skipped"), false },
	/* buffers and snapshots that cannot be read */
	{ "an unknown format", { .trace = ONE BUFFER("0", "frames.bin", "foo") LINKS }, NULL, NULL,
	  SAID("ETB_0: format= is not coresight, source_data or dstream_coresight"), false },
	{ "a file that is not there", { .trace = ONE BUFFER("0", "first.bin,none.bin", "coresight") LINKS }, NULL, NULL,
	  SAID("none.bin: trace buffer cannot be read: check file= in the trace metadata"), false },
	{ "no trace", { .index = NO_INDEX }, NULL, NULL,
	  SAID("snapshot.ini: the snapshot has no trace ([trace] metadata= is missing)"), false },
	{ "another version", { .index = "[snapshot]\nversion=9.0\n" }, NULL, NULL,
	  "cstrace dump: DIR/snapshot.ini: version of the snapshot is not 1.0\n"
	  SAID("snapshot cannot be used: version is not supported"), false },
	/* which of two buffers */
	{ "the first one", { .trace = BOTH }, NULL, "# ETB_0: coresight\n" FRAMES_LISTED, "", false },
	{ "all", { .trace = BOTH }, "all", "# ETB_0: coresight\n" FRAMES_LISTED "# ETB_1: source_data\n" RAW_LISTED, "", false },
	{ "a buffer by its name", { .trace = BOTH }, "ETB_1", RAW_LISTED, "", false },
	{ "a buffer by its section", { .trace = BOTH }, "buffer0", FRAMES_LISTED, "", false },
	{ "a source", { .trace = BOTH }, "ETM_1", RAW_LISTED, "", false },
	{ "a core", { .trace = BOTH }, "cpu_0", NULL, SAID("cpu_0: " BUFFERS), false },
	{ "another name", { .trace = BOTH }, "x", NULL, SAID("x: " BUFFERS), false },
	{ "one of two sources of a buffer",
	  { .source2 = SOURCE("ETM_1", "ETM4", "TRCCONFIGR=1\nTRCTRACEIDR=0x11\nTRCIDR0=0x28000ea1\nTRCIDR1=0x4100f423\nTRCIDR2=0x488\n"),
	    .trace = IN_FRAMES LINKS "ETM_1=ETB_0\n" }, "ETM_0", FRAMES_LISTED, "", false },
	{ "all, and one has no source", { .trace = TWO BUFFER("0", "frames.bin", "coresight") BUFFER("1", "raw.bin", "source_data") LINKS },
	  "all", "# ETB_0: coresight\n" FRAMES_LISTED "# ETB_1: source_data\n",
	  SAID("ETB_1: no source of this buffer can be decoded"), true },
	{ "all, and the first has no source", { .trace = TWO BUFFER("0", "frames.bin", "coresight") BUFFER("1", "raw.bin", "source_data")
						 "[source_buffers]\nETM_1=ETB_1\n" },
	  "all", "# ETB_0: coresight\n# ETB_1: source_data\n" RAW_LISTED, SAID("ETB_0: no source of this buffer can be decoded"), true },
	{ "all, and none has a source", { .trace = BOTH, .source = SOURCE("ETM_0", "HTM", ETM4), .source2 = SOURCE("ETM_1", "HTM", ETM4) },
	  "all", NULL,
	  SAID("ETM_0: protocol 'HTM' has no decoder; its trace is skipped") SAID("ETB_0: no source of this buffer can be decoded")
	  SAID("ETM_1: protocol 'HTM' has no decoder; its trace is skipped") SAID("ETB_1: no source of this buffer can be decoded"), true },
	{ "all, and the first cannot be read", { .trace = TWO BUFFER("0", "frames.bin", "foo") BUFFER("1", "raw.bin", "source_data") LINKS
						 "ETM_1=ETB_1\n" }, "all", NULL,
	  SAID("ETB_0: format= is not coresight, source_data or dstream_coresight"), false },
};

static void test_buffers(void **state)
{
	struct dump d;
	size_t i;
	int rc;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_snapshot(&cases[i].snap);
		d = listing();
		rc = run(&d, cases[i].source);
		if (rc != (cases[i].listed ? 0 : ERR_REPORTED) || d.sums.losses != cases[i].losses)
			fail_msg("%s: returns %d, losses %d", cases[i].what, rc, d.sums.losses);
		assert_text(cases[i].what, errors, cases[i].reported);
		assert_text(cases[i].what, out, cases[i].listed ? cases[i].listed : "");
	}
}

/* Of several listings of the same frames their losses and log records are counted once. */
static void test_frames(void **state)
{
	static const struct snap snap = { .trace = ONE BUFFER("0", "cut.bin", "coresight") LINKS };
	static const struct {
		bool packed, frames, elements;
	} lists[] = { { true, false, false }, { false, true, false }, { true, true, false }, { false, true, true }, { true, true, true } };
	static const char want[] =
		"Idx:32; frame; error: incomplete formatter frame at the end of the trace: 5 bytes (IHI 0029 D4.2)\n"
		"cstrace dump: lost: 1 bad frames, 5 bytes of bad or cut frames\n";
	static const char packed[] = "0          == frame 21000000000000000000000080010000\n"
				     "16         == frame 210484000800000000000030f6010042\n";
	static const char frames[] = "0          10 0000000000000000000000800100\n16         10 0485000800000000000030f70100\n";
	char cut[sizeof(FRAMES) - 1 + 5], lines[1024];
	struct dump d;
	size_t i;

	(void)state;
	make_snapshot(&snap);
	memcpy(cut, FRAMES, sizeof(FRAMES) - 1);
	memset(cut + sizeof(FRAMES) - 1, 0, 5);
	temp_write(dir, "cut.bin", cut, sizeof(cut));
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		d = listing();
		d.show.packed = lists[i].packed;
		d.show.frames = lists[i].frames;
		d.show.elements = lists[i].elements;
		dump_log_open(&d, CST_LOG_INFO);
		assert_int_equal(run(&d, NULL), 0);
		snprintf(lines, sizeof(lines), "# ETB_0: coresight\n%s%s%s",
			 d.show.packed ? packed : "", d.show.frames ? frames : "",
			 d.show.elements ? FRAMES_LISTED : "");
		assert_text("listed", out, lines);
		assert_text("reported", errors, want);
		assert_true(d.sums.losses);
		assert_int_equal(cst_log_count(d.log, CST_LOG_ALL_IDS, CST_LOG_ERROR), 1);
		cst_log_free(d.log);
	}
	/* what loses nothing is logged as well: ID 0 at the end of the last frame, with an auxiliary bit */
	memcpy(cut, FRAMES, sizeof(FRAMES) - 1);
	memcpy(cut + sizeof(FRAMES) - 4, "\xf7\x01", 2);
	cut[sizeof(FRAMES) - 2] |= (char)0x80;
	temp_write(dir, "cut.bin", cut, sizeof(FRAMES) - 1);
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		d = listing();
		d.show.packed = lists[i].packed;
		d.show.frames = lists[i].frames;
		d.show.elements = lists[i].elements;
		dump_log_open(&d, CST_LOG_INFO);
		assert_int_equal(run(&d, NULL), 0);
		assert_text("reported", errors, "Idx:30; frame; info: auxiliary bit of a frame's last ID byte is set, which has no "
			    "meaning (IHI 0029 D4.2.2)\n");
		assert_int_equal(cst_log_count(d.log, CST_LOG_ALL_IDS, CST_LOG_INFO), 1);
		cst_log_free(d.log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buffers), cmocka_unit_test(test_frames),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
