/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a timeline shows of each CPU, out of elements that are made by hand: losses, the shortest
 * spans, long names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "outputs/timeline/events.h"
#include "outputs/timeline/text.h"

static const struct cst_config config = { .protocol = CST_PROTO_ETMV4 };

static struct stream stream_of(int cpu, int pid, int tid)
{
	return (struct stream){ .cpu = cpu, .pid = pid, .tid = tid, .config = &config };
}

/* A range of as many instructions. */
static struct cst_generic range(uint32_t insns)
{
	return (struct cst_generic){ .kind = CST_GEN_RANGE, .n_insn = insns };
}

static void take(struct tracks *t, struct track_stream *ts, const struct stream *s, struct cst_generic g)
{
	tracks_batch(t, ts, s, &g, 1);
}

static void assert_span(const struct track_span *s, enum track_kind kind, uint64_t begin, uint64_t end, uint64_t value)
{
	assert_int_equal(s->kind, kind);
	assert_int_equal(s->begin, begin);
	assert_int_equal(s->end, end);
	assert_int_equal(s->value, value);
}

/* What each loss is; the first one counts until execution is known again. */
static void losses(void **state)
{
	static const struct {
		struct cst_generic g;
		int loss;	/* -1: none */
		const char *text;
	} row[] = {
		{ { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_OVERFLOW }, TRACK_LOST_OVERFLOW, "trace unit overflow" },
		{ { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_DISCARD }, TRACK_LOST_DISCARD, "trace discarded" },
		{ { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_BAD_IMAGE }, TRACK_LOST_IMAGE, "code that contradicts the trace" },
		{ { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_BAD_PACKET }, TRACK_LOST_PACKET, "bytes that are no packets" },
		{ { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_END, .error = 1 }, TRACK_LOST_PACKET, "bytes that are no packets" },
		{ { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_END }, -1, NULL },
		{ { .kind = CST_GEN_TRACE_ON, .num = CST_ON_OVERFLOW }, TRACK_LOST_OVERFLOW, "trace unit overflow" },
		{ { .kind = CST_GEN_TRACE_ON, .num = CST_ON_NORMAL }, -1, NULL },
		{ { .kind = CST_GEN_ADDR_UNKNOWN }, TRACK_LOST_ADDRESS, "unknown address" },
	};
	const struct stream s = stream_of(3, 10, 11);
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct tracks t = { .by_insns = true };
		struct track_stream ts = { .key = UINT64_MAX };

		take(&t, &ts, &s, range(10));
		take(&t, &ts, &s, row[i].g);
		take(&t, &ts, &s, (struct cst_generic){ .kind = CST_GEN_ADDR_UNKNOWN });
		take(&t, &ts, &s, (struct cst_generic){ .kind = CST_GEN_NACC, .addr = 0x1000 });
		take(&t, &ts, &s, (struct cst_generic){ .kind = CST_GEN_NACC, .addr = 0x2000 });
		take(&t, &ts, &s, range(5));
		take(&t, &ts, &s, range(5));
		tracks_stream_end(&t, &ts, &s);
		tracks_sort(&t);
		assert_int_equal(t.nr_spans, 3);
		assert_span(&t.spans[0], TRACK_RUN, 0, 20, 0);
		assert_int_equal(t.spans[0].key, 11);
		assert_span(&t.spans[1], TRACK_LOSS, 10, 10, row[i].loss < 0 ? TRACK_LOST_ADDRESS : (uint64_t)row[i].loss);
		assert_int_equal(t.spans[1].cpu, 3);
		if (row[i].text)
			assert_string_equal(track_loss_text(t.spans[1].value), row[i].text);
		assert_span(&t.spans[2], TRACK_NO_CODE, 10, 10, 0x1000);
		tracks_free(&t);
	}
}

/* Of too many spans the longest stay, and all messages up to their own limit. */
static void shortest(void **state)
{
	static const uint32_t length[] = { 10, 50, 20, 40, 30 };
	struct tracks t = { .by_insns = true, .max = 2 };
	struct track_stream ts = { .key = UINT64_MAX };
	struct stream s;
	int i;

	(void)state;
	/* a span ends where the next thread begins: the fifth one makes more than twice as many as there may be */
	for (i = 0; i < 5; i++) {
		s = stream_of(0, 1, 11 + i);
		take(&t, &ts, &s, range(length[i]));
		take(&t, &ts, &s, (struct cst_generic){ .kind = CST_GEN_EVENT, .num = (uint32_t)i });
	}
	assert_int_equal(t.left_out, 0);
	assert_int_equal(t.nr_spans, 4 + 2);
	assert_int_equal(t.nr_messages, 2);
	assert_int_equal(t.messages_left_out, 3);
	s = stream_of(0, 1, 20);
	take(&t, &ts, &s, range(29));
	/* two, and half as many again */
	assert_int_equal(t.min, 30);
	assert_int_equal(t.left_out, 2);
	assert_int_equal(t.nr_spans, 3 + 2);
	/* shorter ones are not taken any more */
	s = stream_of(0, 1, 21);
	take(&t, &ts, &s, range(40));
	assert_int_equal(t.left_out, 3);
	s = stream_of(0, 1, 22);
	take(&t, &ts, &s, range(1));
	assert_int_equal(t.left_out, 3);
	tracks_sort(&t);
	assert_int_equal(t.nr_spans, 4 + 2);
	assert_span(&t.spans[0], TRACK_RUN, 10, 60, 0);
	assert_span(&t.spans[1], TRACK_RUN, 80, 120, 0);
	assert_span(&t.spans[2], TRACK_RUN, 120, 150, 0);
	assert_span(&t.spans[3], TRACK_RUN, 179, 219, 0);
	assert_span(&t.spans[4], TRACK_MESSAGE, 10, 10, 0);
	assert_span(&t.spans[5], TRACK_MESSAGE, 60, 60, 1);
	tracks_free(&t);
}

/* A name is cut at 1024 bytes, not within a character. */
static void long_names(void **state)
{
	static struct text t;
	static char name[1100];

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	text_name(&t, name);
	assert_int_equal(t.fill, 1 + 1024 + 1);
	assert_int_equal(t.buf[t.fill - 1], '"');
	t.fill = 0;
	/* the character at 1022 ends at the limit */
	memcpy(name + 1022, "\xc3\xa9", 2);
	text_name(&t, name);
	assert_int_equal(t.fill, 1 + 1024 + 1);
	assert_memory_equal(t.buf + 1 + 1022, "\xc3\xa9\"", 3);
	t.fill = 0;
	memcpy(name + 1022, "a\xe2\x82\xac", 4);
	text_name(&t, name);
	assert_int_equal(t.fill, 1 + 1023 + 1);
	assert_memory_equal(t.buf + 1 + 1022, "a\"", 2);
	t.fill = 0;
	name[1024] = 0;
	memset(name, 'b', 1024);
	text_name(&t, name);
	assert_int_equal(t.fill, 1 + 1024 + 1);
	assert_int_equal(t.written, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses), cmocka_unit_test(shortest), cmocka_unit_test(long_names),
	};

	return cmocka_run_group_tests_name("timeline tracks", tests, NULL, NULL);
}
