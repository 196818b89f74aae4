/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * boundary.c - finds where packets of an ITM begin without a synchronisation packet. A packet has no mark of its own:
 * each byte may be a header. Packets that are read from a wrong place on fall into step within a few packets, so the
 * bytes are parsed once from each place, and the packets up to the place where the paths meet decide.
 */
#include <string.h>

#include "protocols/itm/itm.h"

/* A path is worth what its packets are: their bytes if they are plausible. */
#define REPEATED 2		/* a header that is seen more than once counts twice */
#define IMPLAUSIBLE (-2)	/* each byte of a packet that an ITM does not send here */
#define IMPOSSIBLE (-16)	/* a reserved header or a payload without an end; the path continues at any place behind it */
#define CERTAIN 64		/* a synchronisation packet; the path ends */
#define ENOUGH 16		/* the least worth of a place that is taken, if there are as many bytes */

enum { PLAUSIBLE, RARE, UNLIKELY, NONE, SYNC, CUT };

struct place {
	uint8_t size;	/* of the packet that begins here */
	uint8_t what;
	uint8_t header;
	uint8_t is_local_ts;
	int16_t worth;	/* of the path that begins here */
	uint8_t odd;	/* a packet of that path is not plausible */
};

struct window {
	struct place at[ITM_WINDOW];
	unsigned int size;
	uint8_t count[256];	/* how often a header is in the best path */
};

/* A timestamp ends in a group of seven bits that are not all zero; 1 to 6 in step have a packet of one byte. */
static int shortest(const struct cst_packet *pkt, const uint8_t *p)
{
	if (!(pkt->header & 0x80))
		return 1;
	if (pkt->vsize > 1)
		return p[pkt->vsize] != 0;
	return pkt->event || !pkt->value || pkt->value > 6;
}

static int judge(const struct cst_packet *pkt, const uint8_t *p)
{
	switch (pkt->type) {
	case CST_ITM_PKT_ASYNC:
		return SYNC;
	case CST_ITM_PKT_BAD_SEQUENCE:
	case CST_ITM_PKT_RESERVED:
		return NONE;
	case CST_ITM_PKT_EXTENSION:
		return RARE;
	case CST_ITM_PKT_LOCAL_TS:
		return pkt->finding[0] ? UNLIKELY : shortest(pkt, p) ? PLAUSIBLE : RARE;
	default:
		return pkt->finding[0] ? UNLIKELY : PLAUSIBLE;
	}
}

static void read_packet(struct itm_parser *ps, const uint8_t *p, const uint8_t *end, struct place *x)
{
	struct cst_packet pkt;

	memset(pkt.finding, 0, sizeof(pkt.finding));
	ps->synced = 1;
	ps->zeros = 0;
	x->header = *p;
	x->size = cst_itm_packet(ps, p, end, &pkt);
	x->what = x->size ? judge(&pkt, p) : CUT;
	x->is_local_ts = x->size && pkt.type == CST_ITM_PKT_LOCAL_TS;
}

/* Worth of the packet at x, behind which `next` begins (NULL: the window ends). */
static int worth(const struct window *w, const struct place *x, const struct place *next)
{
	int repeated = w->count[x->header] > 1;

	switch (x->what) {
	case PLAUSIBLE:
		/* a local timestamp belongs to the data before it */
		if (next && x->is_local_ts && next->is_local_ts)
			return IMPLAUSIBLE * x->size;
		return repeated ? REPEATED * x->size : x->size;
	case RARE:
		return repeated ? x->size : IMPLAUSIBLE;
	case UNLIKELY:
		return IMPLAUSIBLE * x->size;
	case SYNC:
		return CERTAIN;
	default:
		return x->what == NONE ? IMPOSSIBLE : 0;
	}
}

/* Sums the worth of the path of each place, from the last one on. */
static void sum_up(struct window *w)
{
	struct place *x, *next;
	unsigned int i, to;
	int own, rest, behind = 0;	/* `behind`: of the best place behind x */

	for (i = w->size; i-- > 0;) {
		x = &w->at[i];
		to = i + x->size;
		next = x->what < NONE && to < w->size ? &w->at[to] : NULL;
		own = worth(w, x, next);
		rest = next ? next->worth : x->what == NONE ? behind : 0;
		x->worth = (int16_t)(own + rest);
		x->odd = own < 0 || (next && next->odd);
		behind = x->worth > behind ? x->worth : behind;
	}
}

/* Returns the place up to `most` that is worth most, the first of several, or w->size if no packet begins there. */
static unsigned int best(const struct window *w, unsigned int most)
{
	unsigned int i, found = w->size;

	for (i = 0; i <= most && i < w->size; i++)
		if (w->at[i].what != NONE && w->at[i].what != CUT &&
		    (found == w->size || w->at[i].worth > w->at[found].worth))
			found = i;
	return found;
}

static void count_headers(struct window *w, unsigned int i)
{
	const struct place *x;

	for (; i < w->size; i += x->size) {
		x = &w->at[i];
		if (x->what >= NONE)
			return;
		w->count[x->header]++;
	}
}

unsigned int cst_itm_boundary(struct itm_parser *ps, const uint8_t *p, const uint8_t *end, unsigned int most, int first)
{
	const uint8_t synced = ps->synced, zeros = ps->zeros;
	struct window w = { .size = (unsigned int)(end - p) };
	const int enough = w.size < ENOUGH ? (int)w.size : ENOUGH;
	unsigned int i;

	for (i = 0; i < w.size; i++)
		read_packet(ps, p + i, end, &w.at[i]);
	ps->synced = synced;
	ps->zeros = zeros;
	sum_up(&w);
	if (first && !w.at[0].odd)
		return 0;
	count_headers(&w, best(&w, most));
	sum_up(&w);
	i = best(&w, most);
	return i < w.size && w.at[i].worth >= enough ? i : w.size;
}
