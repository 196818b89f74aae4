/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of one recording in several threads: messages once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "session/decode/decode.h"
#include "session/internal.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

TEMP_DIR("learned")

/* A consumer whose pieces have no result; `refuse` is the number of one that does not fit, from 1. */
struct taken {
	unsigned int pieces, refuse, continued;
};

static void *shard_make(void *data, struct session *ss)
{
	(void)data;
	return ss ? calloc(1, 1) : NULL;
}

static bool shard_fits(void *data, void *piece)
{
	const struct taken *t = data;

	(void)piece;
	return t->pieces + 1 != t->refuse;
}

static void shard_resume(void *data, void *piece)
{
	(void)piece;
	((struct taken *)data)->continued++;
}

static int shard_take(void *data, void *piece)
{
	(void)piece;
	((struct taken *)data)->pieces++;
	return 0;
}

static struct consumer consumer(struct taken *t)
{
	static const struct shard_ops shards = { .make = shard_make, .fits = shard_fits, .resume = shard_resume,
						 .take = shard_take, .free = free, .by_fragment = true, .max_size = 1,
						 .max_ahead = 1 };

	return (struct consumer){ .data = t, .shards = &shards };
}

/* Of a unit without a decoder there is one message, whichever of its records is decoded in a thread and then again. */
static void message_of_refused_piece(void **state)
{
	static const char want[] = "cstrace: test: CPU 3 has an ETMv4 trace unit, which cannot be decoded yet; its trace is left out\n";
	unsigned int refuse, i;

	(void)state;
	for (refuse = 1; refuse <= 4; refuse++) {
		const struct session_opts so = { .symfs = dir, .buildid_dir = "/nonexistent", .jobs = refuse > 1 ? 2 : 1,
						 .jobs_asked = true };
		struct pdb trace = { 0 }, data = { 0 };
		struct taken t = { .refuse = refuse };
		const struct consumer con = consumer(&t);
		struct session *ss;
		struct said said;
		size_t len;
		int rc;

		sb_trace(&trace, SB_TID);
		sb_aux_info_of(&data, 1, SB_CONFIGR, 0x14, 2);
		for (i = 0; i < 3; i++) {
			const unsigned int cpu = i ? 3 : 2;
			const uint64_t offset = i == 2 ? trace.len : 0;
			struct pdb_sid s = sb_sid(2000 + i);

			s.cpu = cpu;
			pdb_aux(&data, offset, trace.len, SB_RAW, SB_ST, &s);
			pdb_auxtrace(&data, offset, trace.p, trace.len, cpu, (uint32_t)-1);
		}
		len = trace.len;
		pdb_free(&trace);
		ss = sb_open(&data, &so, NULL);
		ss->units.v[1].config_error = -CST_ERR_PROTOCOL;
		said_begin(&said);
		rc = session_run(ss, &con);
		assert_string_equal(said_end(&said), want);
		assert_int_equal(rc, 0);
		/* its trace is counted once, too */
		assert_int_equal(session_totals(ss)->unrouted, 2 * len);
		assert_int_equal(ss->losses.cause[LOSS_UNROUTED].count, 2 * len);
		assert_int_equal(ss->losses.cause[LOSS_UNROUTED].bytes, 2 * len);
		assert_int_equal(t.continued > 0, refuse == 2 || refuse == 3);	/* 4: none is refused */
		session_close(ss);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(message_of_refused_piece) };

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
