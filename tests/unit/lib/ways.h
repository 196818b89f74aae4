/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ways.h - one trace on the ways that a decoder has for it: all input is there (the fast way, as far as it goes), it
 * comes byte by byte, and packets are listed. They must make the same elements, stops and counts.
 */
#ifndef CSTRACE_TESTS_UNIT_WAYS_H
#define CSTRACE_TESTS_UNIT_WAYS_H

#include "unit/lib_decode.h"
#include "util.h"

enum {
	MAX_OUT = 1024,
	MAX_STOPS = 512,
};

/* What one way makes of the trace, and where it stopped for the caller. */
struct result {
	struct cst_generic gen[MAX_OUT];
	unsigned int n, stops;
	struct { unsigned int at, why; } stop[MAX_STOPS];
	struct cst_stats stats;
};

enum way { WHOLE, BYTES_ALONE, LISTED };

struct sample {
	struct cst_config cfg, next;
	struct gbuf trace;
	size_t renew;		/* `next` is told of before this byte; 0: never */
	unsigned int stop_mask;
};

/* All that is there; the last pull says so. */
static inline void take(struct cst_decoder *dec, enum way way, struct result *r)
{
	struct cst_packet pkt = { 0 };
	struct cst_pull p;
	unsigned int cap = way == BYTES_ALONE ? CST_PULL_MIN : 200;
	int got, more;

	do {
		more = way == LISTED && cst_decoder_next_packet(dec, &pkt, &p);
		for (;;) {
			assert_true(r->n + cap <= MAX_OUT);
			got = cst_decoder_pull(dec, r->gen + r->n, cap, &p);
			assert_true(got >= 0 && got <= (int)cap);
			r->n += (unsigned int)got;
			if (!got)
				break;
			if (p.why != CST_STOP_NONE) {
				assert_true(r->stops < MAX_STOPS);
				r->stop[r->stops].at = r->n;
				r->stop[r->stops++].why = p.why;
			}
		}
	} while (more);
}

static inline void decode(const struct sample *s, struct cst_space *space, enum way way, struct result *r)
{
	struct cst_decoder *dec;
	size_t at, n, len = s->trace.len;

	r->n = r->stops = 0;
	assert_int_equal(cst_decoder_new(&dec, &s->cfg), 0);
	cst_decoder_set_space(dec, space);
	cst_decoder_set_stop(dec, s->stop_mask);
	for (at = 0; at < len; at += n) {
		if (at && at == s->renew)
			assert_int_equal(cst_decoder_reconfigure(dec, &s->next), 0);
		n = way == BYTES_ALONE ? 1 : at < s->renew ? s->renew - at : len - at;
		assert_int_equal(cst_decoder_feed(dec, s->trace.p + at, n, 0x1000 + at), 0);
		take(dec, way, r);
	}
	cst_decoder_end(dec);
	take(dec, way, r);
	r->stats = *cst_decoder_stats(dec);
	cst_decoder_free(dec);
}

static inline void fail_at(unsigned int seed, enum way way, const char *what)
{
	fprintf(stderr, "seed %u, way %d: %s\n", seed, way, what);
	fail();
}

static inline void compare(unsigned int seed, enum way way, const struct result *a, struct result *b)
{
	char one[256], two[256];
	unsigned int i;

	/* bytes that are not in step are passed over in pieces, as they come or as a listing shows them: the last one */
	if (a->stats.unsynced && b->n && b->gen[b->n - 1].kind == CST_GEN_EO_TRACE && a->n == b->n)
		b->gen[b->n - 1].index = a->gen[b->n - 1].index;
	for (i = 0; i < a->n && i < b->n; i++)
		if (memcmp(&a->gen[i], &b->gen[i], sizeof(a->gen[i]))) {
			cst_generic_text(&a->gen[i], one, sizeof(one));
			cst_generic_text(&b->gen[i], two, sizeof(two));
			fprintf(stderr, "element %u: %s / %s\n", i, one, two);
			fail_at(seed, way, "elements differ");
		}
	if (a->n != b->n)
		fail_at(seed, way, "more or fewer elements");
	if (a->stops != b->stops || memcmp(a->stop, b->stop, a->stops * sizeof(a->stop[0])))
		fail_at(seed, way, "other stops");
	if (memcmp(&a->stats, &b->stats, sizeof(a->stats)))
		fail_at(seed, way, "other counts");
}

/* All ways; `whole` is what the first one makes. */
static inline void compare_ways(unsigned int seed, const struct sample *s, struct cst_space *space, struct result *whole)
{
	static struct result other;
	enum way way;

	decode(s, space, WHOLE, whole);
	for (way = BYTES_ALONE; way <= LISTED; way++) {
		decode(s, space, way, &other);
		compare(seed, way, whole, &other);
	}
}

#endif
