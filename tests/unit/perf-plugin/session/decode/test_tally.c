/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Into how many parts the trace can be divided, and the counts of pieces that threads decode, added to those of the
 * session.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <cstrace/log.h>

#include "session/decode/decode.h"
#include "session/decode/tally.h"
#include "unit/perf-plugin/session_open.h"

/* One AUX record, one program file. */
static struct session *open_recording(void)
{
	const struct session_opts so = { .symfs = "/nonexistent", .buildid_dir = "/nonexistent" };
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;

	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/loop.bin");
	sb_stretch(&data, &trace, 0, SB_RAW);
	pdb_free(&trace);
	ss = sb_open(&data, &so, NULL);
	assert_true(ss->images.dsos.nr > 0);
	return ss;
}

#define WORDS(s) (sizeof(s) / sizeof(uint64_t))

/* What a piece counts: every counter has a value of its own, `step` times it. */
static void count_piece(struct session *rep, uint64_t step)
{
	struct session_totals *t = &rep->totals;
	struct dso *d = rep->images.dsos.all[0];
	uint64_t *dec = (uint64_t *)&t->dec, *frame = (uint64_t *)&t->frame;
	size_t i;

	session_zero_counts(rep);
	for (i = 0; i < WORDS(t->dec); i++)
		dec[i] = step * (100 + i);
	for (i = 0; i < WORDS(t->frame); i++)
		frame[i] = step * (200 + i);
	t->aux_bytes = step;
	t->backward_timestamps = 2 * step;
	t->filtered_bytes = 3 * step;
	t->unrouted = 4 * step;
	t->unknown_context = 5 * step;
	t->who.absent = 6 * step;
	t->who.only_process = 7 * step;
	t->who.only_pid = (int)(1000 + step);
	t->who.secure = 8 * step;
	t->who.firmware = 9 * step;
	guests_add(&t->who.guests, &(struct guest_count){ .id = 3, .stretches = 1 });
	rep->lost.unrouted_ids[0] = step;
	rep->lost.unrouted_ids[1] = step << 8;
	rep->chosen.matched = step == 1;
	d->counts.shown = step == 1;
	d->counts.used = 10 * step;
	d->counts.insns = 11 * step;
	d->counts.nacc = 12 * step;
	d->counts.nacc_bytes = 13 * step;
	d->counts.conflicts = 14 * step;
	losses_add(&rep->losses, LOSS_ASID, 2, -1, NULL, 15 * step, 16 * step);
}

/* The parts of pieces give the sums, file by file; counts of the recording itself are not added. */
static void parts(void **state)
{
	struct session *ss = open_recording(), *rep;
	const struct session_totals *t = &ss->totals;
	const struct dso *d = ss->images.dsos.all[0];
	const uint64_t *dec = (const uint64_t *)&t->dec, *frame = (const uint64_t *)&t->frame;
	const uint64_t records = t->aux_records;
	struct tally tally;
	uint64_t step;
	size_t i;

	(void)state;
	session_before_replicas(ss);
	rep = session_replica(ss);
	assert_non_null(rep);
	session_zero_counts(ss);
	for (step = 1; step <= 4; step *= 4) {
		count_piece(rep, step);
		if (step == 4)
			rep->totals.who.only_process = 0;
		tally_take(&tally, rep);
		assert_int_equal(rep->losses.cause[LOSS_ASID].count, 0);
		assert_true(tally_add(ss, &tally));
		tally_free(&tally);
	}
	for (i = 0; i < WORDS(t->dec); i++)
		assert_int_equal(dec[i], 5 * (100 + i));
	for (i = 0; i < WORDS(t->frame); i++)
		assert_int_equal(frame[i], 5 * (200 + i));
	assert_int_equal(t->aux_bytes, 5);
	assert_int_equal(t->backward_timestamps, 10);
	assert_int_equal(t->filtered_bytes, 15);
	assert_int_equal(t->unrouted, 20);
	assert_int_equal(t->unknown_context, 25);
	assert_int_equal(t->who.absent, 30);
	assert_int_equal(t->who.only_process, 7);
	assert_int_equal(t->who.only_pid, 1001);	/* of a tally that has assigned some */
	assert_int_equal(t->who.secure, 40);
	assert_int_equal(t->who.firmware, 45);
	assert_int_equal(t->who.guests.nr, 1);
	assert_int_equal(t->who.guests.v[0].stretches, 2);
	assert_int_equal(t->aux_records, records);
	assert_int_equal(ss->lost.unrouted_ids[0], 5);
	assert_int_equal(ss->lost.unrouted_ids[1], 5 << 8);
	assert_true(ss->chosen.matched);
	assert_true(d->counts.shown);
	assert_int_equal(d->counts.used, 50);
	assert_int_equal(d->counts.insns, 55);
	assert_int_equal(d->counts.nacc, 60);
	assert_int_equal(d->counts.nacc_bytes, 65);
	assert_int_equal(d->counts.conflicts, 70);
	assert_int_equal(ss->losses.cause[LOSS_ASID].count, 75);
	assert_int_equal(ss->losses.cause[LOSS_ASID].bytes, 80);
	/* more machines than are counted one by one: the order of the pieces would show */
	count_piece(rep, 1);
	for (i = 0; i <= NR_GUESTS; i++)
		guests_add(&rep->totals.who.guests,
			   &(struct guest_count){ .id = (uint32_t)(10 + i), .stretches = 1 });
	tally_take(&tally, rep);
	assert_false(tally_add(ss, &tally));
	assert_int_equal(t->aux_bytes, 5);
	assert_int_equal(ss->losses.cause[LOSS_ASID].count, 75);
	tally_free(&tally);
	/* and counting begins anew */
	session_zero_counts(ss);
	for (i = 0; i < WORDS(t->dec); i++)
		assert_int_equal(dec[i], 0);
	for (i = 0; i < WORDS(t->frame); i++)
		assert_int_equal(frame[i], 0);
	assert_true(!t->aux_bytes && !t->backward_timestamps && !t->filtered_bytes && !t->unrouted && !t->unknown_context);
	assert_true(!t->who.absent && !t->who.only_process && !t->who.guests.nr && !t->who.secure && !t->who.firmware);
	assert_true(!ss->lost.unrouted_ids[0] && !ss->lost.unrouted_ids[1] && !ss->chosen.matched &&
		    !ss->lost.left_undone);
	assert_true(!d->counts.shown && !d->counts.insns && !d->counts.nacc &&
		    !d->counts.nacc_bytes && !d->counts.conflicts);
	assert_int_equal(ss->losses.cause[LOSS_ASID].count, 0);
	assert_int_equal(t->aux_records, records);
	session_replica_free(rep);
	session_close(ss);
}

/* Fragments are parts; with a filter, which carries over from one to the next, or a log, which has an order, buffers are. */
static void largest_part(void **state)
{
	static const struct {
		unsigned int cpu, size;
	} records[] = { { 2, 2 }, { 2, 1 }, { 2, 1 }, { 3, 3 } };
	unsigned int i, way, offset[4] = { 0 };
	struct pdb trace = { 0 };
	struct cst_log *log;
	uint64_t largest;

	(void)state;
	assert_int_equal(cst_log_new(&log, 1), 0);
	for (i = 0; i < 3; i++)
		sb_trace(&trace, SB_TID);
	for (way = 0; way < 3; way++) {
		const struct session_opts so = { .symfs = "/nonexistent", .buildid_dir = "/nonexistent",
						 .filter = { .cpu = way == 1 ? "2-3" : NULL }, .log = way == 2 ? log : NULL };
		struct pdb data = { 0 };
		struct session *ss;

		sb_aux_info_of(&data, 1, SB_CONFIGR, 0x14, 2);
		memset(offset, 0, sizeof(offset));
		for (i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
			const unsigned int cpu = records[i].cpu;
			const size_t len = records[i].size * trace.len / 3;
			struct pdb_sid s = sb_sid(1000 * (i + 1));

			s.cpu = cpu;
			pdb_aux(&data, offset[cpu], len, SB_RAW, SB_ST, &s);
			pdb_auxtrace(&data, offset[cpu], trace.p, len, cpu, (uint32_t)-1);
			offset[cpu] += len;
		}
		ss = sb_open(&data, &so, NULL);
		assert_int_equal(session_parts(ss, &largest), way ? 2 : 4);
		assert_int_equal(largest, way ? trace.len * 4 / 3 : trace.len);
		session_close(ss);
	}
	cst_log_free(log);
	pdb_free(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(largest_part),
		cmocka_unit_test(parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
