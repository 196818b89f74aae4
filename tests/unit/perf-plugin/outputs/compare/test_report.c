/* SPDX-License-Identifier: BSD-3-Clause */
/* What compare prints of differences, of sums and of the packets around a difference; and the gaps of a trace. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/thread.h"
#include "outputs/compare/compare.h"
#include "outputs/compare/packets.h"
#include "outputs/compare/report.h"
#include "outputs/compare/sides.h"
#include "session/decode/decode.h"
#include "unit/perf-plugin/checked_locks.h"
#include "unit/perf-plugin/output_text.h"
#include "unit/perf-plugin/said.h"
#include "unit/temp_dir.h"

#define INSNS	200u

static void assert_text(struct output_text *t, const char *want)
{
	char text[8192];

	output_end(t, text, sizeof(text));
	assert_string_equal(text, want);
}

/* ---- differences --------------------------------------------------------------------------------- */

struct sides {
	struct align_insn trace[INSNS], other[INSNS];
	size_t n, m, at;
	struct align *al;
	struct report report;
	uint64_t differences;
};

static int next(void *data, struct align_insn *insn)
{
	struct sides *s = data;

	if (s->at == s->m)
		return 0;
	*insn = s->other[s->at++];
	return 1;
}

static int difference(void *data, const struct align_diff *diff)
{
	struct sides *s = data;

	report_difference(&s->report, s->al, diff, ++s->differences);
	return 0;
}

/* Both sides execute the same; the places of the other side are lines. */
static struct sides *new_sides(void)
{
	struct sides *s = calloc(1, sizeof(*s));
	unsigned int i;

	assert_non_null(s);
	for (i = 0; i < INSNS; i++) {
		s->trace[i] = (struct align_insn){ .addr = 0x400000 + 4 * i, .opcode = 0x1000 + i, .size = 4, .isa = CST_ISA_A64,
						   .el = 1, .security = CST_SEC_NONSECURE, .flags = ALIGN_HAS_OPCODE,
						   .pos = 0x80 + i, .where = 2 };
		s->other[i] = s->trace[i];
		s->other[i].pos = 1 + i;
		s->other[i].where = 5;
	}
	s->n = s->m = INSNS;
	return s;
}

/* Takes instructions out of a side. */
static void leave_out(struct align_insn *v, size_t *n, size_t at, size_t count)
{
	*n -= count;
	memmove(v + at, v + at + count, (*n - at) * sizeof(*v));
}

static void assert_differences(struct sides *s, bool text, const char *want)
{
	struct align_ops ops = { .next = next, .source = s, .difference = difference, .data = s };
	struct output_text t;
	size_t i;

	s->report = (struct report){ .out = output_begin(&t), .trace = "CPU 3", .other = "cpu3", .other_file = "model.txt",
				     .other_is_text = text };
	s->al = align_new(&ops);
	assert_non_null(s->al);
	for (i = 0; i < s->n; i++)
		assert_int_equal(align_put(s->al, &s->trace[i]), 0);
	assert_int_equal(align_end(s->al), 0);
	align_free(s->al);
	assert_text(&t, want);
	free(s);
}

/* Each field by itself and with others, beside instructions of which not all is known. */
static void fields(void **state)
{
	struct sides *s = new_sides();
	unsigned int i;

	(void)state;
	/* at the begin there is one instruction before it */
	s->other[1].opcode = 0xabc;
	for (i = 0; i < 2; i++) {
		s->trace[100 + i].size = s->other[100 + i].size = 2;
		s->trace[100 + i].isa = s->other[100 + i].isa = i ? CST_ISA_TEE : CST_ISA_T32;
		s->trace[102 + i].isa = s->other[102 + i].isa = i ? CST_ISA_UNKNOWN : CST_ISA_A32;
	}
	s->other[100].el = ALIGN_UNKNOWN;
	s->other[101].flags = 0;
	s->other[102].security = CST_SEC_SECURE;
	s->other[102].el = 3;
	s->other[102].opcode = 0;
	s->trace[103].security = s->other[103].security = CST_SEC_ROOT;
	s->trace[104].security = ALIGN_UNKNOWN;
	s->trace[105].security = s->other[105].security = CST_SEC_REALM;
	s->trace[105].result = s->other[105].result = 1;
	s->other[106].opcode = 1;
	s->other[198].el = 0;
	assert_differences(s, true,
			   "CPU 3: difference 1: opcode\n  trace: buffer 2, trace offset 0x81; model.txt: line 2\n"
			   "  both   0000000000400000 A64 00001000 EL1 ns  (buffer 2, trace offset 0x80)\n"
			   "  trace  0000000000400004 A64 00001001 EL1 ns  (buffer 2, trace offset 0x81)\n"
			   "  other  0000000000400004 A64 00000abc EL1 ns  (line 2)\n"
			   "CPU 3: difference 2: opcode, exception level, security state\n"
			   "  trace: buffer 2, trace offset 0xe6; model.txt: line 103\n"
			   "  both   000000000040018c A64 00001063 EL1 ns  (buffer 2, trace offset 0xe3)\n"
			   "  both   0000000000400190 T32 1064     EL1 ns  (buffer 2, trace offset 0xe4)\n"
			   "  both   0000000000400194 TEE 1065     EL1 ns  (buffer 2, trace offset 0xe5)\n"
			   "  trace  0000000000400198 A32 00001066 EL1 ns  (buffer 2, trace offset 0xe6)\n"
			   "  other  0000000000400198 A32 00000000 EL3 s  (line 103)\n"
			   "CPU 3: difference 3: opcode\n  trace: buffer 2, trace offset 0xea; model.txt: line 107\n"
			   "  both   000000000040019c ? 00001067 EL1 root  (buffer 2, trace offset 0xe7)\n"
			   "  both   00000000004001a0 A64 00001068 EL1  (buffer 2, trace offset 0xe8)\n"
			   "  both   00000000004001a4 A64 00001069 failed EL1 realm  (buffer 2, trace offset 0xe9)\n"
			   "  trace  00000000004001a8 A64 0000106a EL1 ns  (buffer 2, trace offset 0xea)\n"
			   "  other  00000000004001a8 A64 00000001 EL1 ns  (line 107)\n"
			   "CPU 3: difference 4: exception level\n  trace: buffer 2, trace offset 0x146; model.txt: line 199\n"
			   "  both   000000000040030c A64 000010c3 EL1 ns  (buffer 2, trace offset 0x143)\n"
			   "  both   0000000000400310 A64 000010c4 EL1 ns  (buffer 2, trace offset 0x144)\n"
			   "  both   0000000000400314 A64 000010c5 EL1 ns  (buffer 2, trace offset 0x145)\n"
			   "  trace  0000000000400318 A64 000010c6 EL1 ns  (buffer 2, trace offset 0x146)\n"
			   "  other  0000000000400318 A64 000010c6 EL0 ns  (line 199)\n");
}

/* Of many instructions that one side does not have, the first eight. */
static void left_out(void **state)
{
	struct sides *s = new_sides();

	(void)state;
	leave_out(s->other, &s->m, 50, 10);
	leave_out(s->trace, &s->n, 140, 8);
	/* what could not be compared is known of neither side */
	s->other[49].el = s->trace[49].el = ALIGN_UNKNOWN;
	s->other[50].flags = 0;
	assert_differences(s, false,
			   "CPU 3: difference 1: 10 instructions only in the trace, 0 only in the other\n"
			   "  trace: buffer 2, trace offset 0xb2; model.txt: buffer 5, trace offset 0x3d\n"
			   "  both   00000000004000bc A64 0000102f EL1 ns  (buffer 2, trace offset 0xaf)\n"
			   "  both   00000000004000c0 A64 00001030 EL1 ns  (buffer 2, trace offset 0xb0)\n"
			   "  both   00000000004000c4 A64 00001031  (buffer 2, trace offset 0xb1)\n"
			   "  trace  00000000004000c8 A64 00001032 EL1 ns  (buffer 2, trace offset 0xb2)\n"
			   "  trace  00000000004000cc A64 00001033 EL1 ns  (buffer 2, trace offset 0xb3)\n"
			   "  trace  00000000004000d0 A64 00001034 EL1 ns  (buffer 2, trace offset 0xb4)\n"
			   "  trace  00000000004000d4 A64 00001035 EL1 ns  (buffer 2, trace offset 0xb5)\n"
			   "  trace  00000000004000d8 A64 00001036 EL1 ns  (buffer 2, trace offset 0xb6)\n"
			   "  trace  00000000004000dc A64 00001037 EL1 ns  (buffer 2, trace offset 0xb7)\n"
			   "  trace  00000000004000e0 A64 00001038 EL1 ns  (buffer 2, trace offset 0xb8)\n"
			   "  trace  00000000004000e4 A64 00001039 EL1 ns  (buffer 2, trace offset 0xb9)\n"
			   "  trace  ... 2 more\n"
			   "  both   00000000004000f0 A64 -        EL1 ns  (buffer 5, trace offset 0x3d)\n"
			   "  both   00000000004000f4 A64 0000103d EL1 ns  (buffer 5, trace offset 0x3e)\n"
			   "  both   00000000004000f8 A64 0000103e EL1 ns  (buffer 5, trace offset 0x3f)\n"
			   "CPU 3: difference 2: 0 instructions only in the trace, 8 only in the other\n"
			   "  trace: buffer 2, trace offset 0x114; model.txt: buffer 5, trace offset 0x8d\n"
			   "  both   0000000000400224 A64 00001089 EL1 ns  (buffer 2, trace offset 0x109)\n"
			   "  both   0000000000400228 A64 0000108a EL1 ns  (buffer 2, trace offset 0x10a)\n"
			   "  both   000000000040022c A64 0000108b EL1 ns  (buffer 2, trace offset 0x10b)\n"
			   "  other  0000000000400230 A64 0000108c EL1 ns  (buffer 5, trace offset 0x8d)\n"
			   "  other  0000000000400234 A64 0000108d EL1 ns  (buffer 5, trace offset 0x8e)\n"
			   "  other  0000000000400238 A64 0000108e EL1 ns  (buffer 5, trace offset 0x8f)\n"
			   "  other  000000000040023c A64 0000108f EL1 ns  (buffer 5, trace offset 0x90)\n"
			   "  other  0000000000400240 A64 00001090 EL1 ns  (buffer 5, trace offset 0x91)\n"
			   "  other  0000000000400244 A64 00001091 EL1 ns  (buffer 5, trace offset 0x92)\n"
			   "  other  0000000000400248 A64 00001092 EL1 ns  (buffer 5, trace offset 0x93)\n"
			   "  other  000000000040024c A64 00001093 EL1 ns  (buffer 5, trace offset 0x94)\n"
			   "  both   0000000000400250 A64 00001094 EL1 ns  (buffer 5, trace offset 0x95)\n"
			   "  both   0000000000400254 A64 00001095 EL1 ns  (buffer 5, trace offset 0x96)\n"
			   "  both   0000000000400258 A64 00001096 EL1 ns  (buffer 5, trace offset 0x97)\n");
}

#define SUMS "CPU 3, model.txt cpu3: 10 instructions equal, 11 differ in a field, 12 only in the trace, 13 only in the other; " \
	"14 differences\n"

static void sums(void **state)
{
	struct align_counts c = { .equal = 10, .changed = 11, .only_trace = 12, .only_other = 13, .differences = 14 };
	struct report r = { .trace = "CPU 3", .other = "cpu3", .other_file = "model.txt" };
	struct output_text t;

	(void)state;
	r.out = output_begin(&t);
	report_sums(&r, &c);
	assert_text(&t, SUMS);
	c.started = 15;
	c.missing[GAP_BEGIN][0] = 1;
	c.missing[GAP_BEGIN][4] = 20;
	c.missing[GAP_FILTERED][3] = 300;
	c.missing[GAP_END][2] = 4000;
	c.missing[GAP_END][1] = 50000;
	c.extra[GAP_BEGIN] = 6;
	c.extra[GAP_OVERFLOW] = c.extra[GAP_DISCARD] = c.extra[GAP_ERROR] = c.extra[GAP_NO_CODE] = c.extra[GAP_ADDRESS] = 7;
	c.extra[GAP_BUFFER] = 8;
	c.extra[GAP_END] = 9;
	/* EL0 and EL1 are traced */
	c.els = 3;
	r.out = output_begin(&t);
	report_sums(&r, &c);
	assert_text(&t, SUMS
		    "  started and not executed, because an exception was taken at them: 15\n"
		    "  only in model.txt, before the beginning: 21\n"
		    "  only in model.txt, while tracing was off (filters, exception levels): 300, of these 300 at exception levels that "
		    "are not traced\n"
		    "  only in model.txt, behind the end: 54000, of these 4000 at exception levels that are not traced\n"
		    "  only in the trace, before the beginning of the other: 6\n"
		    "  only in the trace, in overflows of the trace unit of the other: 7\n"
		    "  only in the trace, in discarded trace of the other: 7\n"
		    "  only in the trace, in bad trace, up to the next synchronisation of the other: 7\n"
		    "  only in the trace, where the code is not known of the other: 7\n"
		    "  only in the trace, where addresses are not traced of the other: 7\n"
		    "  only in the trace, between AUX records of the other: 8\n"
		    "  only in the trace, behind the end of the other: 9\n");
	/* no exception level is known */
	memset(c.extra, 0, sizeof(c.extra));
	c.els = c.started = 0;
	r.out = output_begin(&t);
	report_sums(&r, &c);
	assert_text(&t, SUMS
		    "  only in model.txt, before the beginning: 21\n"
		    "  only in model.txt, while tracing was off (filters, exception levels): 300\n"
		    "  only in model.txt, behind the end: 54000\n");
}

/* ---- the trace's side ---------------------------------------------------------------------------- */

void __wrap_insns_begin(struct insns *in, const struct stream *s, const struct cst_generic *g, struct insn_it *it);
bool __wrap_insns_next(struct insns *in, struct insn *insn);

#define NO_CODE	0x2000u	/* there is no code from here on */

void __wrap_insns_begin(struct insns *in, const struct stream *s, const struct cst_generic *g, struct insn_it *it)
{
	*in = (struct insns){ .s = s, .g = g, .it = it, .addr = g->addr };
}

/* Instructions of 4 bytes; the results take turns. */
bool __wrap_insns_next(struct insns *in, struct insn *insn)
{
	if (in->addr >= in->g->end || in->addr >= NO_CODE)
		return false;
	*insn = (struct insn){ .addr = in->addr, .opcode = (uint32_t)in->addr * 3, .size = 4, .isa = CST_ISA_A64,
			       .result = (uint8_t)(in->addr / 4 % 3) };
	in->addr += 4;
	return true;
}

struct taken {
	struct align_insn v[32];
	size_t n, most;
};

static int put(void *data, const struct align_insn *insn)
{
	struct taken *t = data;

	t->v[t->n++] = *insn;
	return t->n == t->most ? -3 : 0;
}

#define RANGE(at, to)	{ .kind = CST_GEN_RANGE, .addr = at, .end = to, .index = at, .isa = CST_ISA_A64 }

/* The instructions of ranges, and what may be missing before them. */
static void traced(void **state)
{
	static const struct {
		struct cst_generic g[2];	/* without execution */
		enum align_gap gap;
	} row[] = {
		{ { { .kind = CST_GEN_EVENT }, { .kind = CST_GEN_EXCEPTION } }, GAP_NONE },
		{ { { .kind = CST_GEN_TRACE_ON, .num = CST_ON_NORMAL } }, GAP_FILTERED },
		{ { { .kind = CST_GEN_TRACE_ON, .num = CST_ON_OVERFLOW } }, GAP_OVERFLOW },
		{ { { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_OVERFLOW }, { .kind = CST_GEN_TRACE_ON } }, GAP_OVERFLOW },
		{ { { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_DISCARD }, { .kind = CST_GEN_TRACE_ON, .num = CST_ON_OVERFLOW } },
		  GAP_DISCARD },
		{ { { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_BAD_PACKET }, { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_DISCARD } },
		  GAP_ERROR },
		{ { { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_BAD_IMAGE } }, GAP_ERROR },
		{ { { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_END }, { .kind = CST_GEN_TRACE_ON } }, GAP_BUFFER },
		{ { { .kind = CST_GEN_EO_TRACE } }, GAP_BUFFER },
		{ { { .kind = CST_GEN_NACC }, { .kind = CST_GEN_ADDR_UNKNOWN } }, GAP_NO_CODE },
		{ { { .kind = CST_GEN_NACC }, { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_OVERFLOW } }, GAP_OVERFLOW },
		{ { { .kind = CST_GEN_ADDR_UNKNOWN }, { .kind = CST_GEN_EO_TRACE } }, GAP_ADDRESS },
		{ { { .kind = CST_GEN_NOPATH }, { .kind = CST_GEN_TRACE_ON } }, GAP_ADDRESS },
	};
	const struct stream s = { .queue = 4 };
	struct traced *t = calloc(1, sizeof(*t));
	struct cst_generic first = RANGE(0x1000, 0x100c), more = RANGE(0x1100, 0x1108), cut = RANGE(0x1ff8, 0x2008);
	struct taken got = { .n = 0 };
	size_t i;

	(void)state;
	assert_non_null(t);
	first.flags = CST_GF_EL;
	first.el = 2;
	first.security = CST_SEC_REALM;
	/* whatever comes before it, the first gap is the beginning */
	assert_int_equal(traced_batch(t, &s, (struct cst_generic[]){ row[5].g[0], first }, 2, put, &got), 0);
	assert_int_equal(got.n, 3);
	for (i = 0; i < 3; i++) {
		const struct align_insn *v = &got.v[i];

		assert_int_equal(v->addr, 0x1000 + 4 * i);
		assert_int_equal(v->opcode, 3 * v->addr);
		assert_int_equal(v->pos, 0x1000);
		assert_int_equal(v->where, 4);
		assert_int_equal(v->size, 4);
		assert_int_equal(v->isa, CST_ISA_A64);
		assert_int_equal(v->el, 2);
		assert_int_equal(v->security, CST_SEC_REALM);
		assert_int_equal(v->flags, ALIGN_HAS_OPCODE);
		assert_int_equal(v->gap, i ? GAP_NONE : GAP_BEGIN);
		assert_int_equal(v->result, v->addr / 4 % 3 == 2 ? ALIGN_UNKNOWN : v->addr / 4 % 3);
	}
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		got.n = 0;
		assert_int_equal(traced_batch(t, &s, row[i].g, row[i].g[1].kind ? 2 : 1, put, &got), 0);
		assert_int_equal(traced_batch(t, &s, &more, 1, put, &got), 0);
		assert_int_equal(got.n, 2);
		assert_int_equal(got.v[0].gap, row[i].gap);
		assert_int_equal(got.v[1].gap, GAP_NONE);
		assert_int_equal(got.v[0].el, ALIGN_UNKNOWN);
		assert_int_equal(got.v[0].security, ALIGN_UNKNOWN);
	}
	/* code that cannot be read to its end */
	got.n = 0;
	assert_int_equal(traced_batch(t, &s, (struct cst_generic[]){ cut, more }, 2, put, &got), 0);
	assert_int_equal(got.n, 4);
	assert_int_equal(got.v[1].addr, 0x1ffc);
	assert_int_equal(got.v[2].gap, GAP_NO_CODE);
	/* the consumer ends it */
	got.n = 0;
	got.most = 3;
	assert_int_equal(traced_batch(t, &s, (struct cst_generic[]){ more, first, more }, 3, put, &got), -3);
	assert_int_equal(got.n, 3);
	free(t);
}

/* ---- packets ------------------------------------------------------------------------------------- */

int __wrap_session_run(struct session *ss, const struct consumer *con);
size_t __wrap_cst_decoder_packet_text_sized(const struct cst_decoder *dec, const struct cst_packet *pkt, size_t size, char *out,
					     size_t cap);

static unsigned int runs;

static struct second_run {
	const struct session *ss;
	unsigned int ranges;	/* of 1024 instructions each */
	int rc;			/* behind them */
	unsigned int delivered;	/* ranges that the consumer took */
} second;

/* The other recording's session: a stream of CPU 3, and one whose CPU is not known in its last range. */
static int run_second(const struct consumer *con)
{
	void *priv[2] = { NULL, NULL };
	struct stream s[2] = { { .cpu = 3, .queue = 7, .priv = &priv[0] }, { .cpu = -1, .queue = 8, .priv = &priv[1] } };
	unsigned int i, of;
	int rc = 0;

	for (i = 0; i < second.ranges && !rc; i++) {
		struct cst_generic g = { .kind = CST_GEN_RANGE, .addr = 0x1000, .end = 0x2000, .index = i, .isa = CST_ISA_A64 };

		of = i == second.ranges - 1;
		rc = con->batch(con->data, &s[of], &g, 1);
		second.delivered += !rc;
	}
	for (i = 0; i < 2; i++)
		con->stream_end(con->data, &s[i]);
	assert_true(!priv[0] && !priv[1]);
	return rc ? rc : second.rc;
}

/* For compare_run(): the session has one stream, of this CPU, with these elements. */
static struct {
	int cpu;
	const struct cst_generic *g;
	size_t n;
} executed;

/* Three fragments of 0x100 bytes in each of two buffers, with a packet of two trace IDs every four bytes. */
int __wrap_session_run(struct session *ss, const struct consumer *con)
{
	struct session_fragment f = { .size = 0x100 };
	struct cst_packet pkt;
	uint64_t start;
	struct stream s;

	if (second.ss && ss == second.ss)
		return run_second(con);
	if (con->batch) {
		void *priv = NULL;
		int rc;

		s = (struct stream){ .cpu = executed.cpu, .queue = 1, .trace_id = 0x11, .priv = &priv };
		rc = con->batch(con->data, &s, executed.g, executed.n);
		con->stream_end(con->data, &s);
		return rc;
	}
	runs++;
	for (f.queue = 0; f.queue < 2; f.queue++)
		for (f.offset = 0x100; f.offset < 0x400; f.offset += f.size) {
			start = 0;
			assert_int_equal(con->fragment(con->data, &(struct fragment_event){ .fragment = &f, .start = &start }), 0);
			assert_true(start == f.offset || start == f.offset + f.size);
			for (; start < f.offset + f.size; start += 4) {
				s = (struct stream){ .queue = f.queue, .trace_id = (uint8_t)(0x10 + start / 4 % 2) };
				pkt = (struct cst_packet){ .index = start };
				assert_int_equal(con->wants.packet(con->data, &s, &pkt), 0);
			}
		}
	return 0;
}

size_t __wrap_cst_decoder_packet_text_sized(const struct cst_decoder *dec, const struct cst_packet *pkt, size_t size, char *out,
					     size_t cap)
{
	(void)dec;
	assert_int_equal(size, sizeof(*pkt));
	return (size_t)snprintf(out, cap, "packet %x", (unsigned int)pkt->index / 8);
}

static void packets(void **state)
{
	/* in the middle, at both ends of a fragment, and in none */
	const struct packets_place place[] = {
		{ 0, 0x10, 0x180, (char *)"CPU 0" }, { 1, 0x11, 0x204, (char *)"CPU 1" }, { 1, 0x11, 0x3ff, (char *)"CPU 2" },
		{ 0, 0x10, 0x400, (char *)"CPU 3" }, { 2, 0x10, 0x180, (char *)"CPU 4" },
	};
	struct output_text t;

	(void)state;
	assert_int_equal(packets_print(NULL, output_begin(&t), place, 0), 0);
	assert_int_equal(runs, 0);
	assert_text(&t, "");
	assert_int_equal(packets_print(NULL, output_begin(&t), place, 5), 0);
	assert_int_equal(runs, 1);
	assert_text(&t, "CPU 0: packets around trace offset 0x180 of buffer 0, trace ID 0x10\n"
		    "    0x168        packet 2d\n    0x170        packet 2e\n    0x178        packet 2f\n"
		    "  > 0x180        packet 30\n    0x188        packet 31\n"
		    "CPU 1: packets around trace offset 0x204 of buffer 1, trace ID 0x11\n"
		    "  > 0x204        packet 40\n    0x20c        packet 41\n"
		    "CPU 2: packets around trace offset 0x3ff of buffer 1, trace ID 0x11\n"
		    "    0x3ec        packet 7d\n    0x3f4        packet 7e\n    0x3fc        packet 7f\n");
}

/* ---- Tarmac text as the other side --------------------------------------------------------------- */

TEMP_DIR("compare-report")

static unsigned int reads, failing_read;	/* of pread(), from 1; 0: none fails */

ssize_t __real_pread64(int fd, void *buf, size_t n, off_t offset);
ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t offset);
ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t offset)
{
	if (++reads != failing_read)
		return __real_pread64(fd, buf, n, offset);
	errno = EIO;
	return -1;
}

void __wrap_session_print_end(const struct session *ss, FILE *out);
void __wrap_session_print_end(const struct session *ss, FILE *out)
{
	(void)ss;
	fputs("the end of the session\n", out);
}

/* What a core of the name executes from 0x1000 on, with this opcode at instruction 20 if it is not 0. */
static size_t core_text(char *text, size_t size, const char *core, unsigned int opcode)
{
	unsigned int addr, i;
	size_t len = 0;

	for (i = 0; i < 40; i++) {
		addr = 0x1000 + 4 * i;
		len += (size_t)snprintf(text + len, size - len, "%u clk %s %s (%u) %08x %08x O EL1h_ns : X\n", i, core,
					addr / 4 % 3 == 1 ? "IS" : "IT", i, addr, i == 20 && opcode ? opcode : 3 * addr);
		assert_true(len < size);
	}
	return len;
}

static void tarmac(void **state)
{
	static const struct compare_core cores[] = { { 7, "cpu1" } };
	static const struct {
		const char *what;
		int cpu;
		unsigned int opcode, failing_read, nr_cores, shown;
		const char *more_text;
		int rc;
		uint64_t equal, differences;
		bool incomplete;
		const char *out[3], *said[2];	/* parts; nothing more where the first one is "" */
	} rows[] = {
		{ "equal", 1, 0, 0, 0, 1, "", 0, 40, 0, false,
		  { "CPU 1, @ cpu1: 40 instructions equal, 0 differ in a field, 0 only in the trace, 0 only in the other; 0 differences\n",
		    "@: the instructions of core 'cpu0' are not compared: the trace has no stream of it\n", NULL },
		  { "the end of the session\n", NULL } },
		{ "a difference", 1, 0xabcd, 0, 0, 1, "", 0, 39, 1, false,
		  { "CPU 1: difference 1: opcode\n  trace: buffer 1, trace offset 0x204; @: line 61\n", "; 1 differences\n",
		    "CPU 1: packets around trace offset 0x204 of buffer 1, trace ID 0x11\n  > 0x204        packet 40\n" }, { NULL, NULL } },
		{ "a difference that is not shown", 1, 0xabcd, 0, 0, 0, "", 0, 39, 1, false,
		  { "CPU 1, @ cpu1: 39 instructions equal, 1 differ in a field", NULL, NULL }, { NULL, NULL } },
		{ "named by the user", 7, 0, 0, 1, 1, "", 0, 40, 0, false, { "CPU 7, @ cpu1: 40 instructions equal", NULL, NULL }, { NULL, NULL } },
		{ "no core", 7, 0, 0, 0, 1, "", 0, 0, 0, true,
		  { "@: the instructions of core 'cpu0' are not compared", "@: the instructions of core 'cpu1' are not compared", NULL },
		  { "who: CPU 7 of the trace is not compared: @ has no core", "who: @: no instruction was compared" } },
		{ "lines that are not understood", 1, 0, 0, 0, 1, "3 clk cpu1 IT (3) 1zz0 00003000 O EL1h_ns : X\n4 clk cpu1 IT (3) x\n", 0, 40, 0,
		  true, { "CPU 1, @ cpu1: 40 instructions equal", NULL, NULL },
		  { "who: @: 2 lines are not understood; the first is line 81, column ", NULL } },
		{ "the text cannot be read", 1, 0, 1, 0, 1, "", ERR_REPORTED, 0, 0, false, { "", NULL, NULL },
		  { "who: @: offset 0: Input/output error\n", NULL } },
		{ "the text cannot be read again", 1, 0, 2, 0, 1, "", ERR_REPORTED, 0, 0, false, { "", NULL, NULL },
		  { "who: @: offset 0: Input/output error\n", NULL } },
	};
	const struct cst_generic g = { .kind = CST_GEN_RANGE, .addr = 0x1000, .end = 0x10a0, .index = 0x204, .isa = CST_ISA_A64,
				       .flags = CST_GF_EL, .el = 1, .security = CST_SEC_NONSECURE };
	static char text[16384], got[16384], want[1024];
	const char *path, *out;
	struct said said;
	size_t i, k, len;

	(void)state;
	path = strdup(temp_path(dir, "model.txt"));
	out = strdup(temp_path(dir, "report.txt"));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct compare_opts o = { .who = "who", .tarmac = path, .output = out, .shown = rows[i].shown, .cores = cores,
					  .nr_cores = rows[i].nr_cores };
		struct compare_result result;
		FILE *f;
		int rc;

		len = core_text(text, sizeof(text), "cpu0", 0);
		len += core_text(text + len, sizeof(text) - len, "cpu1", rows[i].opcode);
		strcpy(text + len, rows[i].more_text);
		temp_write(dir, "model.txt", text, strlen(text));
		remove(out);
		executed.cpu = rows[i].cpu;
		executed.g = &g;
		executed.n = 1;
		reads = 0;
		failing_read = rows[i].failing_read;
		said_begin(&said);
		rc = compare_run(NULL, &o, &result);
		failing_read = 0;
		said_end(&said);
		if (rc != rows[i].rc || result.equal != rows[i].equal || result.differences != rows[i].differences ||
		    result.incomplete != rows[i].incomplete)
			fail_msg("%s: returned %d, %llu equal, %llu differences, incomplete %d; %s", rows[i].what, rc,
				 (unsigned long long)result.equal, (unsigned long long)result.differences, result.incomplete, said.text);
		f = fopen(out, "r");
		len = f ? fread(got, 1, sizeof(got) - 1, f) : 0;
		got[len] = 0;
		if (f)
			fclose(f);
		for (k = 0; k < 5; k++) {
			const char *part = k < 3 ? rows[i].out[k] : rows[i].said[k - 3], *at;

			if (!part)
				continue;
			at = strchr(part, '@');
			snprintf(want, sizeof(want), "%.*s%s%s", (int)(at ? (size_t)(at - part) : strlen(part)), part, at ? path : "",
				 at ? at + 1 : "");
			if (!*part ? len != 0 : !strstr(k < 3 ? got : said.text, want))
				fail_msg("%s: \"%s\" is missing in:\n%s", rows[i].what, want, k < 3 ? got : said.text);
		}
	}
	free((void *)path);
	free((void *)out);
}

/* ---- another recording as the other side --------------------------------------------------------- */

static unsigned int opened, closed;
static bool no_session, no_thread;

struct session *__wrap_session_open(const struct session_opts *opts);
struct session *__wrap_session_open(const struct session_opts *opts)
{
	/* it is decoded beside the first recording, by one thread that does not print */
	assert_int_equal(opts->jobs, 1);
	assert_false(opts->progress);
	opened++;
	return no_session ? NULL : (struct session *)(uintptr_t)second.ss;
}

void __wrap_session_close(struct session *ss);
void __wrap_session_close(struct session *ss)
{
	assert_ptr_equal(ss, second.ss);
	closed++;
}

static bool lost;		/* something, in the other recording */

bool __wrap_session_incomplete(const struct session *ss);
bool __wrap_session_incomplete(const struct session *ss)
{
	assert_ptr_equal(ss, second.ss);
	return lost;
}

int __real_thread_start(pthread_t *t, void *(*run)(void *arg), void *arg);
int __wrap_thread_start(pthread_t *t, void *(*run)(void *arg), void *arg);
int __wrap_thread_start(pthread_t *t, void *(*run)(void *arg), void *arg)
{
	return no_thread ? EAGAIN : __real_thread_start(t, run, arg);
}

/* Instructions come in order, however many there are; an error comes behind them; a reader may stop early. */
static void recordings(void **state)
{
	static const struct {
		unsigned int ranges;
		int cpu, rc;		/* what the session returns */
		unsigned int want;	/* ranges */
		int end;
	} rows[] = {
		{ 0, 3, 0, 0, 0 }, { 1, 3, 0, 1, 0 }, { 16, 3, 0, 16, 0 }, { 17, 3, 0, 17, 0 }, { 32, 3, 0, 32, 0 }, { 33, 3, 0, 33, 0 },
		{ 48, 3, 0, 48, 0 }, { 100, 3, 0, 100, 0 },
		{ 0, 3, ERR_REPORTED, 0, ERR_REPORTED }, { 17, 3, ERR_NOMEM, 17, ERR_NOMEM }, { 32, 3, ERR_REPORTED, 32, ERR_REPORTED },
		{ 17, 3, 5, 17, 0 },
		/* of another CPU only what may be of any; of any CPU all */
		{ 40, 4, 0, 1, 0 }, { 40, -1, 0, 40, 0 },
	};
	const struct session_opts opts = { .input = "second", .jobs = 8, .progress = true };
	struct second_facts facts = { .nr = 0 };
	struct align_insn insn;
	struct other other;
	struct said said;
	unsigned int n, want, k;
	size_t i;
	int rc;

	(void)state;
	second.ss = (const struct session *)(const void *)&second;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		second.ranges = rows[i].ranges;
		second.rc = rows[i].rc;
		opened = closed = 0;
		assert_int_equal(second_core(&opts, rows[i].cpu, &facts, &other), 0);
		want = 1024 * rows[i].want;
		for (n = 0; (rc = other.next(other.source, &insn)) == 1; n++) {
			assert_true(n < want);
			k = rows[i].want == rows[i].ranges ? n / 1024 : rows[i].ranges - 1;
			assert_int_equal(insn.addr, 0x1000 + 4 * (n % 1024));
			assert_int_equal(insn.pos, k);
			assert_int_equal(insn.where, k == rows[i].ranges - 1 ? 8 : 7);
		}
		if (n != want || rc != rows[i].end)
			fail_msg("row %zu: %u instructions, then %d", i, n, rc);
		/* the end remains */
		assert_int_equal(other.next(other.source, &insn), rows[i].end);
		assert_int_equal(closed, 0);
		other.close(other.source);
		assert_int_equal(opened, 1);
		assert_int_equal(closed, 1);
		/* of all CPUs, whichever is compared */
		assert_int_equal(second_has_cpu(&facts, 3), rows[i].ranges > 1 || facts.nr);
		assert_false(second_has_cpu(&facts, 4) || facts.incomplete);
	}
	lost = true;
	second.ranges = 200;
	second.rc = 0;
	for (n = 0; n < 3; n++) {
		second.delivered = closed = 0;
		assert_int_equal(second_core(&opts, 3, &facts, &other), 0);
		for (k = 0; k < n * 20000; k++)
			assert_int_equal(other.next(other.source, &insn), 1);
		other.close(other.source);
		assert_int_equal(closed, 1);
		/* two halves are filled, and one or two more for each that was read */
		assert_in_range(second.delivered, 0, 32 + 32 * n);
	}
	closed = 0;
	no_thread = true;
	said_begin(&said);
	rc = second_core(&opts, 3, &facts, &other);
	said_end(&said);
	no_thread = false;
	assert_int_equal(rc, ERR_REPORTED);
	assert_int_equal(closed, 1);
	assert_string_equal(said.text, "cstrace compare: no thread for the second recording\n");
	no_session = true;
	assert_int_equal(second_core(&opts, 3, &facts, &other), ERR_REPORTED);
	no_session = false;
	assert_int_equal(closed, 1);
	assert_true(facts.incomplete);
	lost = false;
	free(facts.cpus);
	second.ss = NULL;
	/* the two threads hold the lock where they share fields */
	assert_int_equal(locks_wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(fields), cmocka_unit_test(left_out), cmocka_unit_test(sums),
					    cmocka_unit_test(traced), cmocka_unit_test(packets), cmocka_unit_test(tarmac),
					    cmocka_unit_test(recordings) };

	return cmocka_run_group_tests_name("compare report", tests, make_dir, remove_dir);
}
