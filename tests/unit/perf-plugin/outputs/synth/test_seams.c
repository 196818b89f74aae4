/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of pieces that are decoded by themselves and joined are those of one run over all of
 * them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "outputs/synth/sampler.h"
#include "session/decode/stream.h"
#include "session/filter/filter.h"
#include "unit/perf-plugin/synth_elements.h"

#define MAX_BATCHES	12
#define MAX_ELEMENTS	12

/* What came out, as text. */
struct result {
	char text[1 << 15];
	size_t used;
};

static void put(struct result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	r->used += (size_t)vsnprintf(r->text + r->used, sizeof(r->text) - r->used, fmt, ap);
	va_end(ap);
	assert_true(r->used < sizeof(r->text));
}

/* Calls of the functions below, and the one that refuses its sample, from 1; 0: none does. */
static unsigned int calls, refused;
#define REFUSAL 7

static int taken(void)
{
	return ++calls == refused ? REFUSAL : 0;
}

static int on_branch(void *data, const struct stream *s, const struct branch *b)
{
	put(data, "b%llx>%llx kind %u%s thread %d/%d CPU %d time %llu cycles %u\n", (unsigned long long)b->from,
	    (unsigned long long)b->to, b->kind, b->ends_trace ? " ends" : "", b->pid, b->tid, s->cpu, (unsigned long long)b->time,
	    b->cycles);
	return taken();
}

static int on_insn(void *data, const struct stream *s, const struct insn_sample *i)
{
	struct result *r = data;
	struct ring_entry e[16];
	uint32_t n, k;

	put(r, "i%llx thread %d/%d CPU %d time %llu period %llu size %u", (unsigned long long)i->ip, i->pid, i->tid, s->cpu,
	    (unsigned long long)i->time, (unsigned long long)i->period, i->size);
	n = i->stack ? ring_copy(i->stack, e) : 0;
	for (k = 0; k < n; k++)
		put(r, " %llx>%llx+%u", (unsigned long long)e[k].from, (unsigned long long)e[k].to, ring_cycles_of(&e[k]));
	put(r, "\n");
	return taken();
}

static int on_error(void *data, const struct stream *s, const struct error_sample *e)
{
	put(data, "e%d at %llx thread %d CPU %d time %llu\n", e->code, (unsigned long long)e->ip, e->tid, s->cpu,
	    (unsigned long long)e->time);
	return taken();
}

static size_t read_code(const struct stream *s, uint64_t addr, void *buf, size_t len)
{
	static const uint8_t svc[4] = { 0x01, 0x00, 0x00, 0xd4 };

	(void)s;
	if (addr % 64 || len != 4)
		return 0;
	memcpy(buf, svc, 4);
	return 4;
}

struct batch {
	struct cst_generic g[MAX_ELEMENTS];
	size_t n;
	int tid;
	uint64_t time;
	bool unwanted;
};

struct part {
	struct batch v[MAX_BATCHES];
	size_t n;
};

static struct sampler *new_sampler(const char *itrace, bool tiles, struct result *r)
{
	const struct sample_ops ops = { .branch = on_branch, .insn = on_insn, .error = on_error, .data = r };
	struct itrace_opts o;
	struct sampler *sp;
	char msg[400];

	assert_true(itrace_parse(&o, itrace, msg, sizeof(msg)));
	o.tiles = tiles;
	sp = sampler_new(&o, &ops, read_code);
	assert_non_null(sp);
	return sp;
}

static void run_part(struct sampler *sp, struct stream *s, const struct part *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		s->pid = f->v[i].tid + 100;
		s->tid = f->v[i].tid;
		s->time = f->v[i].time;
		s->fragment_start = !i;
		s->selected.excluded = f->v[i].unwanted;
		assert_int_equal(sampler_batch(sp, s, f->v[i].g, f->v[i].n), 0);
	}
	assert_int_equal(sampler_fragment_end(sp, s), 0);
}

static const struct cst_config etmv4 = { .protocol = CST_PROTO_ETMV4 };

#define STREAM(word) { .cpu = 3, .place = 77, .time_known = true, .config = &etmv4, .priv = (word) }

static void run_whole(const char *itrace, bool tiles, const struct part *f, size_t n, struct filter *filter, struct result *r)
{
	void *word = NULL;
	struct stream s = STREAM(&word);
	struct sampler *sp = new_sampler(itrace, tiles, r);
	size_t i;

	s.selected.filter = filter;
	for (i = 0; i < n; i++)
		run_part(sp, &s, &f[i]);
	if (word)
		sampler_stream_end(sp, &s);
	sampler_free(sp);
}

static void *lane_of(void *data, const struct sampler_seam *was)
{
	assert_true(was->place == 77 || was->place == 78);
	return data;
}

/* Each fragment by itself, and once more with the state before where that matters. Returns how often it did. */
static unsigned int run_pieces(const char *itrace, bool tiles, const struct part *f, size_t n, struct result *r)
{
	static struct result piece;
	struct sampler *whole = new_sampler(itrace, tiles, r), *sp;
	unsigned int again = 0;
	bool continued;
	size_t i;

	for (i = 0; i < n; i++) {
		for (continued = false;; continued = true) {
			void *word = NULL;
			struct stream s = STREAM(&word);

			piece.used = 0;
			piece.text[0] = '\0';
			sp = new_sampler(itrace, tiles, &piece);
			if (continued)
				sampler_continue(sp, whole);
			run_part(sp, &s, &f[i]);
			if (word)
				sampler_stream_end(sp, &s);
			if (continued || sampler_fits(whole, sp))
				break;
			sampler_free(sp);
			again++;
		}
		assert_int_equal(sampler_join(whole, sp, lane_of, r), 0);
		put(r, "%s", piece.text);
		sampler_free(sp);
	}
	sampler_free(whole);
	return again;
}

static uint64_t seed;

static unsigned int draw(unsigned int n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(seed >> 33) % n;
}

static struct cst_generic random_range(void)
{
	const uint64_t addr = 0x10000 + draw(0x100) * 0x40;
	const unsigned int n = 1 + draw(5);

	switch (draw(6)) {
	case 0: return EL_B(addr, n);
	case 1: return EL_BCC_N(addr, n);
	case 2: return EL_BL(addr, n);
	case 3: return EL_RET(addr, n);
	case 4: return EL_CUT(addr, n);
	default: return EL_BCC(addr, n);
	}
}

static struct cst_generic random_element(void)
{
	struct cst_generic g;

	if (draw(3))
		return random_range();
	switch (draw(10)) {
	case 0: return el_plain(CST_GEN_TRACE_ON);
	case 1: return el_no_sync(CST_UNSYNC_OVERFLOW, draw(2) ? CST_GF_DOUBTFUL : 0);
	case 2: return el_no_sync(CST_UNSYNC_DISCARD, 0);
	case 3: return el_plain(CST_GEN_ADDR_UNKNOWN);
	case 4:
		g = el_plain(CST_GEN_NACC);
		g.addr = 0x55000;
		return g;
	case 5:
		g = el_plain(CST_GEN_NOPATH);
		g.addr = 0x66000;
		return g;
	case 6: return el_next(CST_GEN_TRACE_ON, 0x77000);
	case 7: return el_exception(14, 0x10000 + draw(0x100) * 0x40);
	case 8: return el_cycles(1 + draw(9));
	default: return el_doubtful(el_plain(CST_GEN_TRACE_ON));
	}
}

static struct cst_generic random_end(void)
{
	switch (draw(4)) {
	case 0: return el_next(CST_GEN_EO_TRACE, 0x88000);
	case 1: return el_doubtful(el_plain(CST_GEN_EO_TRACE));
	default: return el_plain(CST_GEN_EO_TRACE);
	}
}

static void random_part(struct part *f, uint64_t *time)
{
	struct batch *b;
	size_t i, k;

	f->n = 1 + draw(3);
	for (i = 0; i < f->n; i++) {
		b = &f->v[i];
		b->unwanted = false;
		b->tid = 1 + (int)draw(2);
		b->time = *time += draw(100);
		b->n = 1 + draw(i ? 5 : 3);
		for (k = 0; k < b->n; k++)
			b->g[k] = random_element();
	}
	b = &f->v[f->n - 1];
	b->g[b->n++] = random_end();
}

static void pieces(void **state)
{
	static const struct {
		const char *itrace;
		bool tiles;
	} ways[] = { { "b", false }, { "be", false }, { "cre", false }, { "i4il3", false }, { "i4iel3", false }, { "i4il3", true },
		     { "bei5il3", false } };
	static struct result one, joined;
	struct part f[6];
	unsigned int again, all, i;
	uint64_t time, run;
	size_t way, n;

	(void)state;
	for (way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		again = all = 0;
		for (run = 0; run < 4000; run++) {
			seed = run * 7919 + way + 1;
			time = 1000;
			n = 2 + draw(5);
			for (i = 0; i < n; i++)
				random_part(&f[i], &time);
			one.used = joined.used = 0;
			one.text[0] = joined.text[0] = '\0';
			run_whole(ways[way].itrace, ways[way].tiles, f, n, NULL, &one);
			again += run_pieces(ways[way].itrace, ways[way].tiles, f, n, &joined);
			all += (unsigned int)n;
			if (strcmp(one.text, joined.text)) {
				fprintf(stderr, "%s, run %u:\n%s-- in pieces:\n%s", ways[way].itrace, (unsigned int)run, one.text,
					joined.text);
				fail();
			}
		}
		/* pieces are of use only if most of them need not be decoded again: branches alone never */
		assert_true(again < (way ? all / 2 : 1));
	}
}

/*
 * The digest of a sampler after `before` and then `last`, which is not the end of the bytes. `r` gets the branches of `next`.
 */
static uint64_t digest_after(const struct part *before, const struct batch *last, const struct part *next, struct result *r)
{
	static struct result dropped;
	void *word = NULL;
	struct stream s = STREAM(&word);
	struct sampler *sp = new_sampler("b", false, &dropped), *to = new_sampler("b", false, r);
	uint64_t digest;

	dropped.used = r->used = 0;
	r->text[0] = '\0';
	run_part(sp, &s, before);
	run_part(sp, &s, &(const struct part){ .v = { *last }, .n = 1 });
	digest = sampler_digest(&s, 1);
	run_part(to, &s, next);
	sampler_stream_end(to, &s);
	sampler_free(sp);
	sampler_free(to);
	return digest;
}

/* Draws the parts before two samplers: other ones, or the same in another thread, or with another branch at the end. */
static void random_pair(struct part *one, struct part *other)
{
	struct batch *a, *b;
	uint64_t time = 0;
	size_t i;

	random_part(one, &time);
	one->v[one->n - 1].n--;		/* without the end of the bytes */
	*other = *one;
	a = &one->v[one->n - 1];
	b = &other->v[one->n - 1];
	switch (draw(3)) {
	case 0:
		random_part(other, &time);
		other->v[other->n - 1].n--;
		break;
	case 1:
		for (i = 0; i < other->n; i++)
			other->v[i].tid = 3 - other->v[i].tid;
		break;
	default:
		a->g[a->n - 1] = random_range();
		b->g[a->n - 1] = random_range();
		b->g[a->n - 1].addr = a->g[a->n - 1].addr;
		b->g[a->n - 1].end = a->g[a->n - 1].end;
		break;
	}
}

/* Samplers with the same digest have the same branches from there on, whatever they had before. */
static void digests(void **state)
{
	enum { RUNS = 20000 };
	static struct result one, other;
	unsigned int i, k, same = 0, differ = 0;
	struct part before[2], next;
	struct batch last;
	uint64_t time = 0, a, b;

	(void)state;
	for (i = 0; i < RUNS; i++) {
		seed = i * 7919 + 5;
		random_pair(&before[0], &before[1]);
		random_part(&next, &time);
		last = before[draw(2)].v[0];
		last.n = draw(3);
		/* samplers without times */
		for (k = 0; k < MAX_BATCHES; k++)
			before[0].v[k].time = before[1].v[k].time = next.v[k].time = last.time = 0;
		a = digest_after(&before[0], &last, &next, &one);
		b = digest_after(&before[1], &last, &next, &other);
		if (a == b && strcmp(one.text, other.text)) {
			fprintf(stderr, "run %u:\n%s-- other:\n%s", i, one.text, other.text);
			fail();
		}
		same += a == b;
		differ += a != b;
		assert_int_equal(a, digest_after(&before[0], &last, &next, &one));
	}
	assert_in_range(same, RUNS / 10, RUNS);
	assert_in_range(differ, RUNS / 10, RUNS);
}

/* Joins a piece of one batch. `last`: the time of its last sample, as the consumer stores it. Returns the floor of its times. */
static uint64_t join_one(struct sampler *whole, struct result *r, uint64_t place, uint64_t time, uint64_t last,
			 struct cst_generic a, struct cst_generic b)
{
	struct sampler *sp = new_sampler("b", false, r);
	void *word = NULL;
	struct stream s = STREAM(&word);
	const struct cst_generic g[] = { a, b };
	uint64_t floor;

	s.place = place;
	s.tid = 1;
	s.time = time;
	assert_int_equal(sampler_batch(sp, &s, g, 2), 0);
	sampler_stream_end(sp, &s);
	sampler_last_seam(sp)->last = last;
	assert_true(sampler_fits(whole, sp));
	assert_int_equal(sampler_join(whole, sp, lane_of, r), 0);
	floor = sampler_nth_seam(sp, 0)->floor;
	assert_null(sampler_nth_seam(sp, 1));
	sampler_free(sp);
	return floor;
}

/* The times of a stream do not go back from one piece to the next, whatever times the consumer gave to its samples. */
static void floors(void **state)
{
	static struct result r;
	struct sampler *whole = new_sampler("b", false, &r);

	(void)state;
	assert_null(sampler_last_seam(whole));
	assert_int_equal(join_one(whole, &r, 77, 100, 110, EL_B(0x1000, 1), el_plain(CST_GEN_EO_TRACE)), 0);
	/* the piece ends the stretch: its branch is of time 100, the last sample of 110 */
	r.used = 0;
	assert_int_equal(join_one(whole, &r, 77, 90, 95, el_plain(CST_GEN_TRACE_ON), EL_B(0x2000, 1)), 110);
	assert_non_null(strstr(r.text, "b1000>0 kind 2 ends thread 0/1 CPU 3 time 100"));
	assert_int_equal(sampler_seam(whole, 77)->last, 110);
	/* a sample of the piece is later than the floor */
	assert_int_equal(join_one(whole, &r, 77, 120, 130, EL_B(0x3000, 1), el_plain(CST_GEN_EO_TRACE)), 110);
	assert_int_equal(sampler_seam(whole, 77)->last, 130);
	/* another stream has times of its own */
	assert_int_equal(join_one(whole, &r, 78, 10, 20, EL_B(0x3000, 1), el_plain(CST_GEN_EO_TRACE)), 0);
	assert_int_equal(sampler_seam(whole, 78)->last, 20);
	assert_int_equal(sampler_seam(whole, 77)->last, 130);
	assert_ptr_equal(sampler_nth_seam(whole, 1), sampler_seam(whole, 78));
	assert_null(sampler_seam(whole, 79));
	/* the branch that is reported late is later than the last sample that the consumer knows */
	assert_int_equal(join_one(whole, &r, 78, 30, 25, EL_B(0x3000, 1), el_plain(CST_GEN_EO_TRACE)), 20);
	assert_int_equal(join_one(whole, &r, 78, 5, 6, el_plain(CST_GEN_TRACE_ON), EL_B(0x2000, 1)), 30);
	assert_int_equal(sampler_seam(whole, 78)->last, 30);
	sampler_free(whole);
}

/* A piece in which nothing was executed leaves a stretch open that an earlier one has begun, and its last address. */
static void nothing_executed(void **state)
{
	static struct result r;
	struct sampler *whole = new_sampler("b", false, &r);
	char user;

	(void)state;
	join_one(whole, &r, 77, 100, 110, EL_B(0x1000, 1), el_plain(CST_GEN_EO_TRACE));
	sampler_seam(whole, 77)->user = &user;
	r.used = 0;
	join_one(whole, &r, 77, 120, 120, el_cycles(2), el_cycles(3));
	assert_int_equal(r.used, 0);
	assert_ptr_equal(sampler_seam(whole, 77)->user, &user);
	join_one(whole, &r, 77, 130, 130, el_plain(CST_GEN_TRACE_ON), EL_B(0x2000, 1));
	assert_non_null(strstr(r.text, "b1000>0 kind 2 ends thread 0/1 CPU 3 time 100"));
	assert_null(sampler_seam(whole, 77)->user);
	sampler_free(whole);
}

/* Until a call returns something else than 0, which it does. */
static int run_until(const char *itrace, bool tiles, const struct part *f, size_t n, struct filter *filter)
{
	static struct result r;
	struct sampler *sp;
	void *word = NULL;
	struct stream s = STREAM(&word);
	size_t i, k;
	int rc = 0;

	r.used = 0;
	calls = 0;
	sp = new_sampler(itrace, tiles, &r);
	s.selected.filter = filter;
	for (i = 0; i < n && !rc; i++) {
		for (k = 0; k < f[i].n && !rc; k++) {
			s.pid = f[i].v[k].tid + 100;
			s.tid = f[i].v[k].tid;
			s.time = f[i].v[k].time;
			s.fragment_start = !k;
			s.selected.excluded = filter && f[i].v[k].tid != 1;
			rc = sampler_batch(sp, &s, f[i].v[k].g, f[i].v[k].n);
		}
		if (!rc)
			rc = sampler_fragment_end(sp, &s);
	}
	if (word)
		sampler_stream_end(sp, &s);
	sampler_free(sp);
	return rc;
}

/* What a consumer of samples returns ends the batch at once and is returned, whichever sample it refuses. */
static void refused_samples(void **state)
{
	static const struct filter_opts first = { .tid = "1" };
	static const struct {
		const char *itrace;
		bool tiles, filtered;
	} ways[] = {
		{ "be", false, false }, { "be", false, true }, { "i3ie", false, false }, { "bi3ie", false, true },
		{ "i4iel3", false, false }, { "i4iel3", false, true }, { "i4iel3", true, false }, { "bei5il3", false, false },
		{ "bei5il3", true, false }, { "bei5il3", false, true },
	};
	struct part f[4];
	size_t way, i;

	(void)state;
	for (way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		struct filter *filter = NULL;
		uint64_t run, time;
		unsigned int all;

		if (ways[way].filtered)
			filter_new(&filter, &first);
		for (run = 0; run < 60; run++) {
			seed = run * 7919 + way + 1;
			time = 1000;
			for (i = 0; i < 4; i++)
				random_part(&f[i], &time);
			refused = 0;
			assert_int_equal(run_until(ways[way].itrace, ways[way].tiles, f, 4, filter), 0);
			all = calls;
			for (refused = 1; refused <= all; refused++) {
				const int rc = run_until(ways[way].itrace, ways[way].tiles, f, 4, filter);

				if (rc != REFUSAL || calls != refused)
					fail_msg("%s%s%s, run %u: sample %u was refused: %d, %u samples", ways[way].itrace,
						 ways[way].tiles ? " (tiles)" : "", filter ? " (filtered)" : "", (unsigned int)run,
						 refused, rc, calls);
			}
			refused = 0;
		}
		filter_free(filter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces), cmocka_unit_test(digests), cmocka_unit_test(floors),
		cmocka_unit_test(nothing_executed), cmocka_unit_test(refused_samples),
	};

	return cmocka_run_group_tests_name("synth seams", tests, NULL, NULL);
}
