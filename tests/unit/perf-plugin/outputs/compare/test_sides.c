/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sides of a comparison: the gaps of a trace, another recording that a thread decodes, and a
 * text that cannot be read.
 */
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
#include "outputs/compare/sides.h"
#include "session/decode/decode.h"
#include "unit/perf-plugin/said.h"
#include "unit/temp_dir.h"

/* ---- the trace's side --------------------------------------------------------------------- */

#define NO_CODE	0x2000u	/* there is no code from here on */

void __wrap_insns_begin(struct insns *in, const struct stream *s, const struct cst_generic *g,
			struct insn_it *it)
{
	*in = (struct insns){ .s = s, .g = g, .it = it, .addr = g->addr };
}

/* Instructions of 4 bytes; the results take turns. */
bool __wrap_insns_next(struct insns *in, struct insn *insn)
{
	if (in->addr >= in->g->end || in->addr >= NO_CODE)
		return false;
	*insn = (struct insn){ .addr = in->addr, .opcode = (uint32_t)in->addr * 3, .size = 4,
			       .isa = CST_ISA_A64, .result = (uint8_t)(in->addr / 4 % 3) };
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

#define RANGE(at, to) \
	{ .kind = CST_GEN_RANGE, .addr = at, .end = to, .index = at, .isa = CST_ISA_A64 }

#define LOST(why)	{ .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_##why }
#define ON(why)		{ .kind = CST_GEN_TRACE_ON, .num = CST_ON_##why }

/* The instructions of ranges, and what may be missing before them. */
static void traced(void **state)
{
	static const struct {
		struct cst_generic g[2];	/* without execution */
		enum align_gap gap;
	} row[] = {
		{ { { .kind = CST_GEN_EVENT }, { .kind = CST_GEN_EXCEPTION } }, GAP_NONE },
		{ { ON(NORMAL) }, GAP_FILTERED },
		{ { ON(OVERFLOW) }, GAP_OVERFLOW },
		{ { LOST(OVERFLOW), ON(NORMAL) }, GAP_OVERFLOW },
		{ { LOST(DISCARD), ON(OVERFLOW) }, GAP_DISCARD },
		{ { LOST(BAD_PACKET), LOST(DISCARD) }, GAP_ERROR },
		{ { LOST(BAD_IMAGE) }, GAP_ERROR },
		{ { LOST(END), ON(NORMAL) }, GAP_BUFFER },
		{ { { .kind = CST_GEN_EO_TRACE } }, GAP_BUFFER },
		{ { { .kind = CST_GEN_NACC }, { .kind = CST_GEN_ADDR_UNKNOWN } }, GAP_NO_CODE },
		{ { { .kind = CST_GEN_NACC }, LOST(OVERFLOW) }, GAP_OVERFLOW },
		{ { { .kind = CST_GEN_ADDR_UNKNOWN }, { .kind = CST_GEN_EO_TRACE } }, GAP_ADDRESS },
		{ { { .kind = CST_GEN_NOPATH }, ON(NORMAL) }, GAP_ADDRESS },
	};
	const struct stream s = { .queue = 4 };
	struct traced *t = calloc(1, sizeof(*t));
	struct cst_generic first = RANGE(0x1000, 0x100c), more = RANGE(0x1100, 0x1108),
			   cut = RANGE(0x1ff8, 0x2008);
	struct taken got = { .n = 0 };
	size_t i;

	(void)state;
	assert_non_null(t);
	first.flags = CST_GF_EL;
	first.el = 2;
	first.security = CST_SEC_REALM;
	/* whatever comes before it, the first gap is the beginning */
	assert_int_equal(
		traced_batch(t, &s, (struct cst_generic[]){ row[5].g[0], first }, 2, put, &got), 0);
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
		assert_int_equal(traced_batch(t, &s, row[i].g, row[i].g[1].kind ? 2 : 1, put, &got),
				 0);
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
	assert_int_equal(
		traced_batch(t, &s, (struct cst_generic[]){ more, first, more }, 3, put, &got), -3);
	assert_int_equal(got.n, 3);
	free(t);
}

/* ---- another recording as the other side -------------------------------------------------- */

static struct second_run {
	const struct session *ss;
	unsigned int ranges;	/* of 1024 instructions each */
	int rc;			/* behind them */
	unsigned int delivered;	/* ranges that the consumer took */
} second;

/* The other session: a stream of CPU 3, and one whose CPU is not known in its last range. */
int __wrap_session_run(struct session *ss, const struct consumer *con)
{
	void *priv[2] = { NULL, NULL };
	struct stream s[2] = { { .cpu = 3, .queue = 7, .priv = &priv[0] },
			       { .cpu = -1, .queue = 8, .priv = &priv[1] } };
	unsigned int i, of;
	int rc = 0;

	assert_ptr_equal(ss, second.ss);
	for (i = 0; i < second.ranges && !rc; i++) {
		struct cst_generic g = { .kind = CST_GEN_RANGE,
					 .addr = 0x1000,
					 .end = 0x2000,
					 .index = i,
					 .isa = CST_ISA_A64 };

		of = i == second.ranges - 1;
		rc = con->batch(con->data, &s[of], &g, 1);
		second.delivered += !rc;
	}
	for (i = 0; i < 2; i++)
		con->stream_end(con->data, &s[i]);
	assert_true(!priv[0] && !priv[1]);
	return rc ? rc : second.rc;
}

static unsigned int opened, closed;
static bool no_session, no_thread;

struct session *__wrap_session_open(const struct session_opts *opts)
{
	/* it is decoded beside the first recording, by one thread that does not print */
	assert_int_equal(opts->jobs, 1);
	assert_false(opts->progress);
	opened++;
	return no_session ? NULL : (struct session *)(uintptr_t)second.ss;
}

void __wrap_session_close(struct session *ss)
{
	assert_ptr_equal(ss, second.ss);
	closed++;
}

static bool lost;		/* something, in the other recording */

bool __wrap_session_incomplete(const struct session *ss)
{
	assert_ptr_equal(ss, second.ss);
	return lost;
}

bool __wrap_session_lossy(const struct session *ss)
{
	assert_ptr_equal(ss, second.ss);
	return lost;
}

bool __wrap_session_matched(const struct session *ss)
{
	assert_ptr_equal(ss, second.ss);
	return true;
}

int __real_thread_start(pthread_t *t, void *(*run)(void *arg), void *arg);
int __wrap_thread_start(pthread_t *t, void *(*run)(void *arg), void *arg)
{
	return no_thread ? EAGAIN : __real_thread_start(t, run, arg);
}

/* Instructions come in order; an error comes behind them; a reader may stop early. */
static void recordings(void **state)
{
	static const struct {
		unsigned int ranges;
		int cpu, rc;		/* what the session returns */
		unsigned int want;	/* ranges */
		int end;
	} rows[] = {
		{ 0, 3, 0, 0, 0 }, { 1, 3, 0, 1, 0 }, { 16, 3, 0, 16, 0 }, { 17, 3, 0, 17, 0 },
		{ 32, 3, 0, 32, 0 }, { 33, 3, 0, 33, 0 }, { 48, 3, 0, 48, 0 }, { 17, 3, 5, 17, 0 },
		{ 0, 3, ERR_REPORTED, 0, ERR_REPORTED }, { 17, 3, ERR_NOMEM, 17, ERR_NOMEM },
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
}

/* ---- Tarmac text as the other side -------------------------------------------------------- */

TEMP_DIR("compare-sides")

static bool unreadable;

ssize_t __real_pread64(int fd, void *buf, size_t n, off_t offset);
ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t offset)
{
	errno = EIO;
	return unreadable ? -1 : __real_pread64(fd, buf, n, offset);
}

/* A text that cannot be read is an error with the place, when it is opened or later. */
static void text_unreadable(void **state)
{
	static const char text[] = "1 clk cpu0 IT (1) 00001000 d503201f O EL1h_ns : NOP\n";
	char *path = strdup(temp_path(dir, "text")), want[1024];
	struct align_insn insn;
	struct other other;
	struct model *m;
	struct said said;

	(void)state;
	temp_write(dir, "text", text, sizeof(text) - 1);
	snprintf(want, sizeof(want), "who: %s: offset 0: Input/output error\n", path);
	said_begin(&said);
	unreadable = true;
	m = model_open("who", path);
	unreadable = false;
	assert_string_equal(said_end(&said), want);
	assert_null(m);
	m = model_open("who", path);
	assert_non_null(m);
	said_begin(&said);
	unreadable = true;
	model_core(m, "cpu0", &other);
	assert_int_equal(other.next(other.source, &insn), ERR_REPORTED);
	unreadable = false;
	assert_string_equal(said_end(&said), want);
	other.close(other.source);
	model_close(m);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traced), cmocka_unit_test(recordings),
		cmocka_unit_test(text_unreadable),
	};

	return cmocka_run_group_tests_name("sides of compare", tests, make_dir, remove_dir);
}
