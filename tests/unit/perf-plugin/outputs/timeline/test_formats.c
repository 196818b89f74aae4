/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole text of timelines that are made by hand: threads with calls, CPUs, losses and messages, on both axes. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "outputs/timeline/events.h"
#include "unit/temp_dir.h"

TEMP_DIR("timeline")

/* ---- names --------------------------------------------------------------------------------------- */

const char *__wrap_labels_of(struct labels *n, calls_place entry);
const char *__wrap_labels_file(struct labels *n, calls_place entry);
const char *__wrap_comms_at(struct comms *c, int tid, uint64_t time);
bool __wrap_session_trace_time(const struct stream *s, uint64_t ticks, uint64_t *time);

const char *__wrap_labels_of(struct labels *n, calls_place entry)
{
	static const char *const text[] = { "main", "\"f\\\"", "g\n" };

	(void)n;
	return entry == CALLS_NO_PLACE ? "[unknown]" : text[entry];
}

const char *__wrap_labels_file(struct labels *n, calls_place entry)
{
	(void)n;
	return entry == CALLS_NO_PLACE ? NULL : entry == 2 ? "lib.so" : "prog";
}

const char *__wrap_comms_at(struct comms *c, int tid, uint64_t time)
{
	static char text[64];

	(void)c;
	if (time == UINT64_MAX)
		snprintf(text, sizeof(text), "last %d", tid);
	else
		snprintf(text, sizeof(text), "%d at %" PRIu64, tid, time);
	return text;
}

/* Ticks are microseconds; the clock begins at 100. */
bool __wrap_session_trace_time(const struct stream *s, uint64_t ticks, uint64_t *time)
{
	(void)s;
	*time = 1000 * ticks;
	return ticks >= 100;
}

/* ---- a timeline ---------------------------------------------------------------------------------- */

static const struct cst_config core = { .protocol = CST_PROTO_ETMV4 }, stm = { .protocol = CST_PROTO_STM };

/* Takes elements of a stream, from `begin` to `end` on both axes. */
static void take(struct timeline *t, struct track_stream *ts, int cpu, int pid, int tid, uint64_t begin, uint64_t end,
		 const struct cst_generic *g, size_t n)
{
	const struct stream s = { .cpu = cpu, .pid = pid, .tid = tid, .config = cpu < 0 ? &stm : &core, .time = begin,
				  .time_end = end, .time_known = true };

	assert_int_equal(tracks_batch(&t->tracks, ts, &s, g, n), 0);
}

static void end(struct timeline *t, struct track_stream *ts, int cpu, int tid)
{
	const struct stream s = { .cpu = cpu, .tid = tid, .config = &core };

	assert_int_equal(tracks_stream_end(&t->tracks, ts, &s), 0);
}

static struct cst_generic range(uint32_t insns)
{
	return (struct cst_generic){ .kind = CST_GEN_RANGE, .n_insn = insns };
}

/* Two threads of a process on CPU 0, and the idle one of CPU 12, on which code without an image runs. */
static void make_tracks(struct timeline *t)
{
	struct track_stream ts[2] = { { .key = UINT64_MAX }, { .key = UINT64_MAX } };

	take(t, &ts[0], 0, 10, 10, 1000, 2000, (struct cst_generic[]){ range(1000), { .kind = CST_GEN_EVENT, .num = 5 } }, 2);
	take(t, &ts[0], 0, 10, 11, 2500, 3000,
	     (struct cst_generic[]){ range(500), { .kind = CST_GEN_INSTRUMENTATION, .addr = 0xabcdef0123456789 },
				     { .kind = CST_GEN_TRACE_ON, .num = CST_ON_OVERFLOW } }, 3);
	take(t, &ts[0], 0, 10, 11, 4001, 5000, (struct cst_generic[]){ range(700) }, 1);
	end(t, &ts[0], 0, 11);
	take(t, &ts[1], 12, 0, 0, 1500, 1600, (struct cst_generic[]){ range(10), { .kind = CST_GEN_NACC, .addr = 0x4000 } }, 2);
	end(t, &ts[1], 12, 0);
}

/* An STM's messages, each with its kind of sender and of value. */
static void make_messages(struct timeline *t)
{
	struct track_stream ts = { .key = UINT64_MAX };
	const struct cst_generic g[] = {
		{ .kind = CST_GEN_SWTRACE, .payload = 1, .num = CST_SW_ID, .master = 1, .channel = 2 },
		{ .kind = CST_GEN_SWTRACE, .payload = 2, .num = CST_SW_ID, .master = 1, .channel = 2, .flags = CST_GF_TS, .ts = 99 },
		{ .kind = CST_GEN_SWTRACE, .payload = 0x1f, .num = CST_SW_ID, .master = 0x80, .channel = 0xfffe, .flags = CST_GF_TS,
		  .ts = 200 },
		{ .kind = CST_GEN_SWTRACE, .payload = 300, .num = CST_SW_FREQ, .flags = CST_GF_TS, .ts = 201 },
		{ .kind = CST_GEN_SWTRACE, .payload = 0, .num = CST_SW_MARKER },
		{ .kind = CST_GEN_NO_SYNC, .flags = CST_GF_TS, .ts = 202 },
		{ .kind = CST_GEN_SWTRACE, .payload = 4, .num = CST_SW_ID | CST_SW_TRIGGER | CST_SW_MARKER, .master = 1, .channel = 2,
		  .flags = CST_GF_TS, .ts = 203 },
		{ .kind = CST_GEN_SWTRACE, .payload = 5, .num = CST_SW_ID | CST_SW_MASTER_ERR, .master = 1, .channel = 2 },
		{ .kind = CST_GEN_SWTRACE, .payload = 6, .num = CST_SW_ID | CST_SW_GLOBAL_ERR, .master = 1, .channel = 2 },
	};

	take(t, &ts, -1, -1, -1, 0, 0, g, sizeof(g) / sizeof(g[0]));
}

static struct calls_slice slice(uint64_t thread, uint32_t tree, int32_t depth, uint64_t begin, uint64_t end_at, calls_place entry)
{
	return (struct calls_slice){ .begin = { begin, begin + 7, begin }, .end = { end_at, end_at + 8, begin }, .thread = thread,
				     .tree = tree, .depth = depth, .entry = entry, .kind = CST_COUNT_CALL };
}

/* The text of a format. */
static char *written(const struct timeline *t, uint64_t (*format)(const struct timeline *t, struct pd_output *out))
{
	const char *path = temp_path(dir, "out");
	struct error err = { .code = 0 };
	struct pd_output out;
	char *text;
	size_t n;
	FILE *f;

	assert_int_equal(pd_output_open(&out, path, &err), 0);
	n = format(t, &out);
	assert_int_equal(pd_output_finish(&out, &err), 0);
	assert_int_equal(format(t, NULL), n);
	f = fopen(path, "r");
	text = calloc(1, n + 2);
	assert_non_null(f);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, n + 1, f), n);
	fclose(f);
	return text;
}

/* `want` has ' for ". */
static void assert_written(const struct timeline *t, uint64_t (*format)(const struct timeline *t, struct pd_output *out),
			   const char *want)
{
	char *text = written(t, format), *p;

	for (p = text; (p = strchr(p, '"')); p++)
		*p = '\'';
	assert_string_equal(text, want);
	free(text);
}

/* ---- formats ------------------------------------------------------------------------------------- */

/* Calls of both threads: one begins a new tree, others begin or end where the trace does not show it. */
static void all(void **state)
{
	struct calls_slice v[] = {
		slice(10, 0, -1, 1000, 2000, 0), slice(10, 0, 0, 1000, 1500, 1), slice(10, 0, 1, 1200, 1400, 2),
		slice(10, 0, 0, 1600, 2000, 1), slice(11, 0, 0, 2500, 3000, CALLS_NO_PLACE), slice(11, 1, 0, 4001, 5000, 0),
		slice(11, 1, 1, 4500, 4500, CALLS_NO_PLACE),
	};
	struct timeline t = { .slices = v, .nr_slices = sizeof(v) / sizeof(v[0]), .left_out = 1000,
			      .tracks = { .left_out = 200, .messages_left_out = 30 } };

	(void)state;
	v[0].kind = CST_COUNT_ROOT;
	v[0].flags = CALLS_BEGAN_BEFORE | CALLS_STILL_OPEN;
	v[1].kind = CST_COUNT_TAIL;
	v[1].end.cycles = v[1].begin.cycles + 90;
	v[2].kind = CST_COUNT_EXCEPTION;
	v[3].kind = CST_COUNT_SIGNAL;
	v[4].flags = CALLS_END_LOST;
	v[6].kind = CST_COUNT_CUT;
	make_tracks(&t);
	make_messages(&t);
	assert_int_equal(t.tracks.messages_untimed, 2);
	tracks_sort(&t.tracks);
	assert_written(&t, timeline_json,
		"{'displayTimeUnit':'ns','otherData':{'axis':'perf time','left out':'1232'},'traceEvents':[\n"
		"{'ph':'M','pid':10,'tid':10,'name':'process_name','args':{'name':'last 10'}},\n"
		"{'ph':'M','pid':10,'tid':10,'name':'thread_name','args':{'name':'last 10'}},\n"
		"{'ph':'M','pid':10,'tid':11,'name':'thread_name','args':{'name':'last 11'}},\n"
		"{'ph':'M','pid':0,'tid':4194323,'name':'thread_name','args':{'name':'idle, CPU 12'}},\n"
		"{'ph':'X','pid':10,'tid':10,'ts':1.000,'dur':1.000,'cat':'root','name':'main','args':{'insns':1001,"
		  "'file':'prog','begin':'before the trace','end':'after the trace'}},\n"
		"{'ph':'X','pid':10,'tid':10,'ts':1.000,'dur':0.500,'cat':'tail call','name':'\\'f\\\\\\'',"
		  "'args':{'insns':501,'cycles':90,'file':'prog'}},\n"
		"{'ph':'X','pid':10,'tid':10,'ts':1.200,'dur':0.200,'cat':'exception','name':'g\\\\x0a',"
		  "'args':{'insns':201,'file':'lib.so'}},\n"
		"{'ph':'X','pid':10,'tid':10,'ts':1.600,'dur':0.400,'cat':'signal','name':'\\'f\\\\\\'',"
		  "'args':{'insns':401,'file':'prog'}},\n"
		"{'ph':'X','pid':10,'tid':11,'ts':2.500,'dur':0.500,'cat':'call','name':'[unknown]','args':{'insns':501,"
		  "'end':'trace lost'}},\n"
		"{'ph':'X','pid':10,'tid':11,'ts':4.001,'dur':0.999,'cat':'call','name':'main','args':{'insns':1000,"
		  "'file':'prog'}},\n"
		"{'ph':'X','pid':10,'tid':11,'ts':4.500,'dur':0.000,'cat':'deep calls','name':'[deep calls]',"
		  "'args':{'insns':1}},\n"
		"{'ph':'M','pid':4194305,'tid':0,'name':'process_name','args':{'name':'CPUs'}},\n"
		"{'ph':'M','pid':4194305,'tid':0,'name':'thread_name','args':{'name':'CPU 0'}},\n"
		"{'ph':'X','pid':4194305,'tid':0,'ts':1.000,'dur':1.500,'cat':'run','name':'10 at 1000','args':{'pid':10,"
		  "'tid':10}},\n"
		"{'ph':'X','pid':4194305,'tid':0,'ts':2.500,'dur':2.500,'cat':'run','name':'11 at 2500','args':{'pid':10,"
		  "'tid':11}},\n"
		"{'ph':'M','pid':4194305,'tid':12,'name':'thread_name','args':{'name':'CPU 12'}},\n"
		"{'ph':'X','pid':4194305,'tid':12,'ts':1.500,'dur':0.100,'cat':'run','name':'idle, CPU 12',"
		  "'args':{'pid':0,'tid':0}},\n"
		"{'ph':'M','pid':4194306,'tid':0,'name':'process_name','args':{'name':'lost trace'}},\n"
		"{'ph':'M','pid':4194306,'tid':0,'name':'thread_name','args':{'name':'CPU 0'}},\n"
		"{'ph':'X','pid':4194306,'tid':0,'ts':3.000,'dur':1.001,'cat':'loss','name':'trace unit overflow',"
		  "'args':{}},\n"
		"{'ph':'M','pid':4194307,'tid':12,'name':'process_name','args':{'name':'code without an image'}},\n"
		"{'ph':'M','pid':4194307,'tid':12,'name':'thread_name','args':{'name':'CPU 12'}},\n"
		"{'ph':'X','pid':4194307,'tid':12,'ts':1.600,'dur':0.000,'cat':'loss','name':'no image',"
		  "'args':{'addr':'0x4000'}},\n"
		"{'ph':'M','pid':4194308,'tid':-1,'name':'process_name','args':{'name':'messages'}},\n"
		"{'ph':'M','pid':4194308,'tid':-1,'name':'thread_name','args':{'name':'STM'}},\n"
		"{'ph':'i','pid':4194308,'tid':-1,'ts':200.000,'s':'t','cat':'message','name':'STM','args':{'master':128,"
		  "'channel':65534,'value':'0x1f'}},\n"
		"{'ph':'i','pid':4194308,'tid':-1,'ts':200.000,'s':'t','cat':'message','name':'STM marker',"
		  "'args':{'value':'0x0'}},\n"
		"{'ph':'i','pid':4194308,'tid':-1,'ts':203.000,'s':'t','cat':'message','name':'STM trigger',"
		  "'args':{'master':1,'channel':2,'value':'0x4'}},\n"
		"{'ph':'i','pid':4194308,'tid':-1,'ts':203.000,'s':'t','cat':'message','name':'STM lost messages',"
		  "'args':{'master':1,'channel':2,'code':'0x5'}},\n"
		"{'ph':'i','pid':4194308,'tid':-1,'ts':203.000,'s':'t','cat':'message','name':'STM lost messages',"
		  "'args':{'code':'0x6'}},\n"
		"{'ph':'M','pid':4194308,'tid':0,'name':'thread_name','args':{'name':'CPU 0'}},\n"
		"{'ph':'i','pid':4194308,'tid':0,'ts':2.000,'s':'t','cat':'message','name':'event 0x5','args':{}},\n"
		"{'ph':'i','pid':4194308,'tid':0,'ts':3.000,'s':'t','cat':'message','name':'ITE',"
		  "'args':{'value':'0xabcdef0123456789'}}\n"
		"]}\n");
	assert_written(&t, timeline_speedscope,
		"{'$schema':'https://www.speedscope.app/file-format-schema.json','exporter':'cstrace',"
		  "'activeProfileIndex':0,'profiles':[\n"
		"{'type':'evented','name':'last 10, 10','unit':'nanoseconds','startValue':1000,'events':[\n"
		"{'type':'O','frame':0,'at':1000},\n"
		"{'type':'O','frame':1,'at':1000},\n"
		"{'type':'O','frame':2,'at':1200},\n"
		"{'type':'C','frame':2,'at':1400},\n"
		"{'type':'C','frame':1,'at':1500},\n"
		"{'type':'O','frame':1,'at':1600},\n"
		"{'type':'C','frame':1,'at':2000},\n"
		"{'type':'C','frame':0,'at':2000}\n"
		"],'endValue':2000},\n"
		"{'type':'evented','name':'last 11, 11','unit':'nanoseconds','startValue':2500,'events':[\n"
		"{'type':'O','frame':3,'at':2500},\n"
		"{'type':'C','frame':3,'at':3000},\n"
		"{'type':'O','frame':0,'at':4001},\n"
		"{'type':'O','frame':4,'at':4500},\n"
		"{'type':'C','frame':4,'at':4500},\n"
		"{'type':'C','frame':0,'at':5000}\n"
		"],'endValue':5000},\n"
		"{'type':'evented','name':'CPUs, CPU 0','unit':'nanoseconds','startValue':1000,'events':[\n"
		"{'type':'O','frame':5,'at':1000},\n"
		"{'type':'C','frame':5,'at':2500},\n"
		"{'type':'O','frame':6,'at':2500},\n"
		"{'type':'C','frame':6,'at':5000}\n"
		"],'endValue':5000},\n"
		"{'type':'evented','name':'CPUs, CPU 12','unit':'nanoseconds','startValue':1500,'events':[\n"
		"{'type':'O','frame':7,'at':1500},\n"
		"{'type':'C','frame':7,'at':1600}\n"
		"],'endValue':1600},\n"
		"{'type':'evented','name':'lost trace, CPU 0','unit':'nanoseconds','startValue':3000,'events':[\n"
		"{'type':'O','frame':8,'at':3000},\n"
		"{'type':'C','frame':8,'at':4001}\n"
		"],'endValue':4001},\n"
		"{'type':'evented','name':'code without an image, CPU 12','unit':'nanoseconds','startValue':1600,'events':[\n"
		"{'type':'O','frame':9,'at':1600},\n"
		"{'type':'C','frame':9,'at':1600}\n"
		"],'endValue':1600}],\n"
		"'shared':{'frames':[\n"
		"{'name':'main','file':'prog'},\n"
		"{'name':'\\'f\\\\\\'','file':'prog'},\n"
		"{'name':'g\\\\x0a','file':'lib.so'},\n"
		"{'name':'[unknown]'},\n"
		"{'name':'[deep calls]'},\n"
		"{'name':'10 at 1000'},\n"
		"{'name':'11 at 2500'},\n"
		"{'name':'idle, CPU 12'},\n"
		"{'name':'trace unit overflow'},\n"
		"{'name':'no image'}\n"
		"]}}\n");
	tracks_free(&t.tracks);
}

/* Without timestamps instructions are the axis, and an STM's messages have no place. */
static void instructions(void **state)
{
	const struct calls_slice v[] = { slice(10, 0, 0, 1000, 2000, 0) };
	struct timeline t = { .slices = v, .nr_slices = 1, .by_insns = true, .tracks.by_insns = true };

	(void)state;
	make_tracks(&t);
	make_messages(&t);
	assert_int_equal(t.tracks.messages_untimed, 7);
	tracks_sort(&t.tracks);
	assert_written(&t, timeline_json,
		"{'displayTimeUnit':'ns','otherData':{'axis':'instructions: 1 ns is one','left out':'7'},'traceEvents':[\n"
		"{'ph':'M','pid':10,'tid':10,'name':'process_name','args':{'name':'last 10'}},\n"
		"{'ph':'M','pid':10,'tid':10,'name':'thread_name','args':{'name':'last 10'}},\n"
		"{'ph':'M','pid':10,'tid':11,'name':'thread_name','args':{'name':'last 11'}},\n"
		"{'ph':'M','pid':0,'tid':4194323,'name':'thread_name','args':{'name':'idle, CPU 12'}},\n"
		"{'ph':'X','pid':10,'tid':10,'ts':1.007,'dur':1.001,'cat':'call','name':'main','args':{'insns':1001,"
		  "'file':'prog'}},\n"
		"{'ph':'M','pid':4194305,'tid':0,'name':'process_name','args':{'name':'CPUs'}},\n"
		"{'ph':'M','pid':4194305,'tid':0,'name':'thread_name','args':{'name':'CPU 0'}},\n"
		"{'ph':'X','pid':4194305,'tid':0,'ts':0.000,'dur':1.000,'cat':'run','name':'10 at 0','args':{'pid':10,"
		  "'tid':10}},\n"
		"{'ph':'X','pid':4194305,'tid':0,'ts':1.000,'dur':1.200,'cat':'run','name':'11 at 1000','args':{'pid':10,"
		  "'tid':11}},\n"
		"{'ph':'M','pid':4194305,'tid':12,'name':'thread_name','args':{'name':'CPU 12'}},\n"
		"{'ph':'X','pid':4194305,'tid':12,'ts':0.000,'dur':0.010,'cat':'run','name':'idle, CPU 12',"
		  "'args':{'pid':0,'tid':0}},\n"
		"{'ph':'M','pid':4194306,'tid':0,'name':'process_name','args':{'name':'lost trace'}},\n"
		"{'ph':'M','pid':4194306,'tid':0,'name':'thread_name','args':{'name':'CPU 0'}},\n"
		"{'ph':'X','pid':4194306,'tid':0,'ts':1.500,'dur':0.000,'cat':'loss','name':'trace unit overflow',"
		  "'args':{}},\n"
		"{'ph':'M','pid':4194307,'tid':12,'name':'process_name','args':{'name':'code without an image'}},\n"
		"{'ph':'M','pid':4194307,'tid':12,'name':'thread_name','args':{'name':'CPU 12'}},\n"
		"{'ph':'X','pid':4194307,'tid':12,'ts':0.010,'dur':0.000,'cat':'loss','name':'no image',"
		  "'args':{'addr':'0x4000'}},\n"
		"{'ph':'M','pid':4194308,'tid':0,'name':'process_name','args':{'name':'messages'}},\n"
		"{'ph':'M','pid':4194308,'tid':0,'name':'thread_name','args':{'name':'CPU 0'}},\n"
		"{'ph':'i','pid':4194308,'tid':0,'ts':1.000,'s':'t','cat':'message','name':'event 0x5','args':{}},\n"
		"{'ph':'i','pid':4194308,'tid':0,'ts':1.500,'s':'t','cat':'message','name':'ITE',"
		  "'args':{'value':'0xabcdef0123456789'}}\n"
		"]}\n");
	assert_written(&t, timeline_speedscope,
		"{'$schema':'https://www.speedscope.app/file-format-schema.json','exporter':'cstrace',"
		  "'activeProfileIndex':0,'profiles':[\n"
		"{'type':'evented','name':'last 10, 10','unit':'none','startValue':1007,'events':[\n"
		"{'type':'O','frame':0,'at':1007},\n"
		"{'type':'C','frame':0,'at':2008}\n"
		"],'endValue':2008},\n"
		"{'type':'evented','name':'CPUs, CPU 0','unit':'none','startValue':0,'events':[\n"
		"{'type':'O','frame':1,'at':0},\n"
		"{'type':'C','frame':1,'at':1000},\n"
		"{'type':'O','frame':2,'at':1000},\n"
		"{'type':'C','frame':2,'at':2200}\n"
		"],'endValue':2200},\n"
		"{'type':'evented','name':'CPUs, CPU 12','unit':'none','startValue':0,'events':[\n"
		"{'type':'O','frame':3,'at':0},\n"
		"{'type':'C','frame':3,'at':10}\n"
		"],'endValue':10},\n"
		"{'type':'evented','name':'lost trace, CPU 0','unit':'none','startValue':1500,'events':[\n"
		"{'type':'O','frame':4,'at':1500},\n"
		"{'type':'C','frame':4,'at':1500}\n"
		"],'endValue':1500},\n"
		"{'type':'evented','name':'code without an image, CPU 12','unit':'none','startValue':10,'events':[\n"
		"{'type':'O','frame':5,'at':10},\n"
		"{'type':'C','frame':5,'at':10}\n"
		"],'endValue':10}],\n"
		"'shared':{'frames':[\n"
		"{'name':'main','file':'prog'},\n"
		"{'name':'10 at 0'},\n"
		"{'name':'11 at 1000'},\n"
		"{'name':'idle, CPU 12'},\n"
		"{'name':'trace unit overflow'},\n"
		"{'name':'no image'}\n"
		"]}}\n");
	tracks_free(&t.tracks);
}

/* The first thread of all, one whose process is not known, and code of a thread that is not known. */
static void few_facts(void **state)
{
	struct timeline t = { .nr_slices = 0 };
	struct track_stream ts = { .key = UINT64_MAX };

	(void)state;
	take(&t, &ts, 0, 1, 1, 1000, 2000, (struct cst_generic[]){ range(1) }, 1);
	take(&t, &ts, 0, -1, 12, 2000, 3000, (struct cst_generic[]){ range(1) }, 1);
	take(&t, &ts, 0, -1, -1, 3000, 4000, (struct cst_generic[]){ range(1) }, 1);
	end(&t, &ts, 0, -1);
	tracks_sort(&t.tracks);
	assert_written(&t, timeline_json,
		"{'displayTimeUnit':'ns','otherData':{'axis':'perf time','left out':'0'},'traceEvents':[\n"
		"{'ph':'M','pid':1,'tid':1,'name':'process_name','args':{'name':'last 1'}},\n"
		"{'ph':'M','pid':1,'tid':1,'name':'thread_name','args':{'name':'last 1'}},\n"
		"{'ph':'M','pid':4194310,'tid':12,'name':'thread_name','args':{'name':'last 12'}},\n"
		"{'ph':'M','pid':4194310,'tid':4194311,'name':'thread_name','args':{'name':'unknown thread'}},\n"
		"{'ph':'M','pid':4194305,'tid':0,'name':'process_name','args':{'name':'CPUs'}},\n"
		"{'ph':'M','pid':4194305,'tid':0,'name':'thread_name','args':{'name':'CPU 0'}},\n"
		"{'ph':'X','pid':4194305,'tid':0,'ts':1.000,'dur':1.000,'cat':'run','name':'1 at 1000','args':{'pid':1,'tid':1}},\n"
		"{'ph':'X','pid':4194305,'tid':0,'ts':2.000,'dur':1.000,'cat':'run','name':'12 at 2000','args':{'tid':12}},\n"
		"{'ph':'X','pid':4194305,'tid':0,'ts':3.000,'dur':1.000,'cat':'run','name':'unknown thread','args':{}}\n"
		"]}\n");
	tracks_free(&t.tracks);
}

/* More than a buffer of text: calls one after the other. */
static void long_text(void **state)
{
	enum { CALLS = 5000 };
	struct calls_slice *v = calloc(CALLS, sizeof(*v));
	struct timeline t = { .slices = v, .nr_slices = CALLS };
	char *text, *p, want[96];
	unsigned int i;

	(void)state;
	assert_non_null(v);
	for (i = 0; i < CALLS; i++)
		v[i] = slice(10, 0, 0, 10 * i, 10 * i + 9, 0);
	make_tracks(&t);
	tracks_sort(&t.tracks);
	text = written(&t, timeline_json);
	for (p = text, i = 0; i < CALLS; i++) {
		snprintf(want, sizeof(want), "{\"ph\":\"X\",\"pid\":10,\"tid\":10,\"ts\":%u.%03u,\"dur\":0.009,", i / 100, 10 * i % 1000);
		p = strstr(p, want);
		assert_non_null(p);
	}
	free(text);
	text = written(&t, timeline_speedscope);
	for (p = text, i = 0; i < CALLS; i++) {
		snprintf(want, sizeof(want), "\n{\"type\":\"O\",\"frame\":0,\"at\":%u},\n{\"type\":\"C\",\"frame\":0,\"at\":%u}", 10 * i,
			 10 * i + 9);
		p = strstr(p, want);
		assert_non_null(p);
	}
	free(text);
	free(v);
	tracks_free(&t.tracks);
}

/* Only a format that is no text may not go to a terminal. */
static void kinds(void **state)
{
	static const char *const text[] = { "json", "speedscope" };
	const struct timeline_format *f;
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		f = timeline_format(text[i]);
		assert_non_null(f);
		assert_false(f->binary);
		assert_non_null(strstr(timeline_format_names(), text[i]));
	}
	f = timeline_format("perfetto");
	assert_true(f ? f->binary : !strstr(timeline_format_names(), "perfetto"));
	assert_null(timeline_format("perf"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(all), cmocka_unit_test(instructions), cmocka_unit_test(few_facts), cmocka_unit_test(long_text),
					    cmocka_unit_test(kinds) };

	return cmocka_run_group_tests_name("timeline formats", tests, make_dir, remove_dir);
}
