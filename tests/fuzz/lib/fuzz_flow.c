/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_flow.c - trace bytes and program images, both from the input: A64, A32 and T32 code, maps of odd
 * sizes that overlap, sections that are supplied late, short or never. The generic elements must be the
 * same for any size of output, any cut of the input (so that the fast and the careful path agree) and
 * any size of the block cache; each must make sense by itself. Counted ranges, and those left out between
 * samples, add up; listed branches are those of their ranges.
 *
 * Input: trace unit (4 bytes), choices (1), number of maps (1), maps (4 bytes each, 12 with an address),
 * code length (2), code, trace.
 */
#include "fuzz/fuzz_input.h"

#define MAX_TRACE 768
#define MAX_CODE 1024
#define MAX_MAPS 6
#define MAX_OUT ((MAX_TRACE + 32) * 40)	/* a byte is up to 27 atoms, or half a packet of 64 conditions */

struct map_choice {
	uint8_t space, sec;
	uint64_t start, len, off;
};

struct program {
	struct cst_config cfg;
	uint8_t code[MAX_CODE];
	size_t code_len;
	uint8_t trace[MAX_TRACE + 16];
	size_t trace_len;
	struct map_choice map[MAX_MAPS];
	unsigned int n_maps;
	uint8_t choices;
};

struct run {
	struct cst_generic gen[MAX_OUT];
	size_t n;
	struct cst_stats stats;
	uint64_t elsewhere;	/* instructions that are in no element */
	uint64_t period;	/* of samples, between which ranges may be left out; 0: none are */
	struct cst_branch_list list; /* v NULL: branches are not listed */
	struct cst_branch branch[MAX_OUT]; /* all branches of runs; `first` refers to these */
	uint32_t branches;
};

/* Addresses near 0 are reached by short address packets; the others are where addresses wrap. */
static const uint64_t bases[8] = {
	0, 0, 0, 0x1000, 0xfffff000, 0xfffffffffffff000ull, 0xffff000000080000ull, 0
};

static void take_maps(struct input *in, struct program *pr)
{
	unsigned int i, k;

	pr->n_maps = take8(in) % (MAX_MAPS + 1);
	for (i = 0; i < pr->n_maps; i++) {
		struct map_choice *m = &pr->map[i];
		uint8_t where = take8(in), at = take8(in), len = take8(in), off = take8(in);

		m->start = bases[where & 7];
		for (k = 0; k < 64 && (where & 7) == 7; k += 8)
			m->start |= (uint64_t)take8(in) << k;
		m->start += at * 4u + (where & 8 ? 2 : 0);
		m->sec = where >> 4 & 3;
		m->space = where >> 6;
		m->len = len < 4 ? 0x2000 : len * 2u;
		m->off = off * 4u + (m->start & 2);
	}
}

/* Sections: 0 all of the code, 1 the half of it, 2 supplied late and cut short, 3 never supplied. */
static void make_image(const struct program *pr, struct cst_image *img, struct cst_section **sec,
		       struct cst_space **space)
{
	unsigned int i;

	CHECK(!cst_section_new(&sec[0], img, pr->code, pr->code_len, NULL));
	CHECK(!cst_section_new(&sec[1], img, pr->code, pr->code_len / 2, NULL));
	CHECK(!cst_section_new(&sec[2], img, NULL, pr->code_len, NULL));
	CHECK(!cst_section_new(&sec[3], img, NULL, pr->code_len, NULL));
	for (i = 0; i < 2; i++)
		CHECK(!cst_space_new(&space[i], img));
	for (i = 0; i < pr->n_maps; i++) {
		const struct map_choice *m = &pr->map[i];
		struct cst_space *sp = space[m->space & 1];

		if (m->space & 2)
			cst_space_unmap(sp, m->start, m->len);
		else
			cst_space_map(sp, m->start, m->len, sec[m->sec], m->off);
	}
}

static void check_element(const struct program *pr, const struct cst_generic *g)
{
	char text[512];

	CHECK(g->trace_id == 0x10 && g->kind > CST_GEN_UNKNOWN && (g->kind <= CST_GEN_CUSTOM || g->kind == CST_GEN_COND ||
	      cst_generic_is_run(g->kind)));
	CHECK(cst_generic_text(g, text, sizeof(text)) < sizeof(text));
	if (g->kind != CST_GEN_RANGE)
		return;
	CHECK(g->n_insn && g->last_size && g->end != g->addr);
	/* nothing outside the code can have been executed, and each instruction has its bytes */
	CHECK(g->n_insn <= 0x2000 * MAX_MAPS);
	if (g->isa == CST_ISA_A64) {
		CHECK(g->end - g->addr == 4ull * g->n_insn);
	} else {
		uint32_t bytes = (uint32_t)g->end - (uint32_t)g->addr;

		CHECK(bytes >= 2 * g->n_insn && bytes <= 4 * g->n_insn);
	}
	if (g->section)
		CHECK(g->section <= 3 && g->sect_off < pr->code_len);
}

static void supply(const struct program *pr, struct cst_section **sec, struct cst_section *lazy)
{
	CHECK(lazy == sec[2] || lazy == sec[3]);
	if (lazy == sec[2])
		CHECK(!cst_section_set_bytes(lazy, pr->code, pr->code_len - pr->code_len / 4));
	else
		CHECK(!cst_section_set_bytes(lazy, NULL, 0));
}

/* Moves the branches of a run out of the list. */
static void keep_branches(struct run *r, struct cst_generic *g)
{
	CHECK(g->first + g->branches <= r->list.n && r->list.n <= r->list.cap && r->branches + g->branches <= MAX_OUT);
	memcpy(r->branch + r->branches, r->list.v + g->first, g->branches * sizeof(*r->branch));
	g->first = r->branches;
	r->branches += g->branches;
}

static void drain(const struct program *pr, struct cst_decoder *dec, struct cst_section **sec,
		  struct cst_space **space, size_t cap, struct run *r)
{
	static struct cst_generic out[1024];
	struct cst_emit_opts opts = { .period = r->period };
	struct cst_pull p;
	int n, i;

	for (;;) {
		opts.next = cst_decoder_stats(dec)->insns + r->period / 2;
		if (r->period)
			CHECK(!cst_decoder_emit(dec, CST_EMIT_SAMPLES, &opts));
		r->list.n = 0;
		n = cst_decoder_pull(dec, out, cap, &p);
		CHECK(n >= 0 && n <= (int)cap && r->n + n <= MAX_OUT);
		for (i = 0; i < n; i++) {
			check_element(pr, &out[i]);
			if (out[i].kind == CST_GEN_LISTED)
				keep_branches(r, &out[i]);
			r->gen[r->n++] = out[i];
		}
		switch (p.why) {
		case CST_STOP_INPUT:
		case CST_STOP_END:
			CHECK(!n);
			return;
		case CST_STOP_SECTION:
			supply(pr, sec, cst_decoder_section(dec));
			break;
		case CST_STOP_CONTEXT:
			CHECK(n && out[n - 1].kind == CST_GEN_PE_CONTEXT);
			cst_decoder_set_space(dec, space[out[n - 1].el & 1]);
			break;
		default:
			CHECK(n);
		}
	}
}

static void check_pairs(const struct program *pr, const struct cst_pairs *p)
{
	size_t i;

	for (i = 0; p->mask && i <= p->mask; i++)
		CHECK(!p->slot[i].count || (p->slot[i].a < pr->code_len && p->slot[i].b < pr->code_len));
}

/* Offsets of what was counted are in the code. Returns the instructions that are in no element. */
static uint64_t check_counts(const struct program *pr, struct cst_counts *c)
{
	const struct cst_pairs *ranges, *edges;
	uint64_t insns, sum = 0;
	const struct cst_exits *x;
	uint32_t section, n;

	for (section = 1; !cst_counts_section(c, section, &ranges, &edges); section++) {
		check_pairs(pr, ranges);
		check_pairs(pr, edges);
		CHECK(!cst_counts_exits(c, section, &x, &n, &insns) && n < 4);
		for (; n; n--, x++) {
			CHECK(x->section != section && x->section < 5);
			check_pairs(pr, &x->edges);
		}
		sum += insns;
	}
	CHECK(section == 5);
	return sum;
}

/* Ranges in `counted` may be runs. All else is the same. */
static void compare_counted(const struct run *whole, const struct run *counted)
{
	uint64_t ranges = 0, insns = counted->elsewhere;
	size_t i = 0, k;

	for (k = 0; k < whole->n; k++)
		insns -= whole->gen[k].kind == CST_GEN_RANGE ? whole->gen[k].n_insn : 0;
	for (k = 0; k < counted->n; k++) {
		if (counted->gen[k].kind == CST_GEN_RANGE ||
		    cst_generic_is_run(counted->gen[k].kind)) {
			insns += counted->gen[k].n_insn;
			ranges +=
				cst_generic_is_run(counted->gen[k].kind) ? counted->gen[k].runs : 1;
			continue;
		}
		while (i < whole->n && whole->gen[i].kind == CST_GEN_RANGE)
			i++;
		CHECK(i < whole->n && !memcmp(&whole->gen[i], &counted->gen[k], sizeof(whole->gen[i])));
		i++;
	}
	CHECK(i == whole->n && !insns && counted->stats.ranges == whole->stats.ranges);
	/* between samples an element may be several ranges */
	CHECK(counted->period ? ranges <= whole->stats.ranges : ranges == whole->stats.ranges);
	CHECK(counted->stats.insns == whole->stats.insns && counted->stats.branches == whole->stats.branches);
}

/* Compares a run with the ranges from *pg on for which it stands; *pg becomes the element after them. */
static void compare_run(const struct run *listed, const struct cst_generic *run, const struct cst_generic **pg,
			const struct cst_generic *end)
{
	const struct cst_branch *b = listed->branch + run->first;
	const struct cst_generic *g = *pg;
	uint64_t insns = 0, conflicts = 0;
	uint32_t n;

	CHECK(run->runs && g < end && g->addr == run->addr);
	for (n = run->runs; n; n--, g++) {
		CHECK(g < end && g->kind == CST_GEN_RANGE);
		insns += g->n_insn;
		conflicts += cst_generic_conflicts(g);
		if (n == 1 || !(g->flags & CST_GF_EXEC) || !(g->flags & CST_GF_WAYPOINT) || !cst_insn_is_branch(g->last_type))
			continue;
		CHECK(b->from == g->end - g->last_size && b->to == g[1].addr && b->flags == g->flags && b->num == g->num &&
		      b->isa == g->isa && b->last_type == g->last_type && b->last_subtype == g->last_subtype &&
		      b->last_size == g->last_size);
		b++;
	}
	CHECK(b == listed->branch + run->first + run->branches && insns == run->n_insn && conflicts == cst_generic_conflicts(run) &&
	      g[-1].end == run->end &&
	      g[-1].index == run->index && !memcmp(&g[-1].isa, &run->isa, 4) && g[-1].flags == run->flags);
	*pg = g;
}

/* Runs in `listed` have the branches of their ranges. All else is the same. */
static void compare_listed(const struct run *whole, const struct run *listed)
{
	const struct cst_generic *g = whole->gen, *end = g + whole->n;
	size_t i;

	for (i = 0; i < listed->n; i++) {
		if (listed->gen[i].kind == CST_GEN_LISTED) {
			CHECK(i && listed->gen[i - 1].kind == CST_GEN_RANGE);
			compare_run(listed, &listed->gen[i], &g, end);
			continue;
		}
		CHECK(g < end && !memcmp(g, &listed->gen[i], sizeof(*g)));
		g++;
	}
	CHECK(g == end && listed->stats.ranges == whole->stats.ranges && listed->stats.insns == whole->stats.insns &&
	      listed->stats.branches == whole->stats.branches);
}

enum counting { UNCOUNTED, EACH, JOINED, SAMPLED, LISTED };

static void decode(const struct program *pr, size_t cache, size_t cap, uint32_t piece, uint32_t seed, enum counting how,
		   struct run *r)
{
	static struct cst_branch list[CST_LIST_MIN + 255];
	struct cst_counts *counts = NULL;
	struct cst_section *sec[4];
	struct cst_space *space[2];
	struct cst_decoder *dec;
	struct cst_image *img;
	size_t at = 0, n;

	r->n = 0;
	r->period = how == SAMPLED ? 1 + seed * 8 : 0;
	r->branches = 0;
	r->list = (struct cst_branch_list){ .v = how == LISTED ? list : NULL, .cap = CST_LIST_MIN + seed % 256 };
	CHECK(!cst_image_new(&img, cache));
	make_image(pr, img, sec, space);
	CHECK(!cst_decoder_new(&dec, &pr->cfg));
	cst_decoder_set_space(dec, space[0]);
	if (how == EACH || how == JOINED)
		CHECK(!cst_counts_new(&counts, img, how == JOINED ? CST_COUNTS_JOINED : 0));
	if (counts)
		CHECK(!cst_decoder_emit(dec, CST_EMIT_COUNTS,
					&(struct cst_emit_opts){ .counts = counts }));
	if (how == LISTED)
		CHECK(!cst_decoder_emit(dec, CST_EMIT_BRANCHES,
					&(struct cst_emit_opts){ .list = &r->list }));
	cst_decoder_set_stop(dec, CST_STOP_SECTION | (pr->choices & 2 ? CST_STOP_CONTEXT : CST_STOP_TIMESTAMP |
			     CST_STOP_EXCEPTION | CST_STOP_TRACE_ON));
	while (at < pr->trace_len) {
		n = piece == 1 ? 1 : 1 + next_random(&seed, piece);
		n = n < pr->trace_len - at ? n : pr->trace_len - at;
		CHECK(!cst_decoder_feed(dec, pr->trace + at, n, at));
		drain(pr, dec, sec, space, cap, r);
		at += n;
	}
	cst_decoder_end(dec);
	drain(pr, dec, sec, space, cap, r);
	CHECK(r->n && r->gen[r->n - 1].kind == CST_GEN_EO_TRACE);
	r->gen[r->n - 1].index = 0;	/* the last packet, which may be a piece of what is skipped */
	r->stats = *cst_decoder_stats(dec);
	CHECK(r->stats.elements == r->n);
	cst_decoder_free(dec);
	r->elsewhere = counts ? check_counts(pr, counts) : 0;
	cst_counts_free(counts);
	cst_image_free(img);
}

static void compare(const struct run *a, const struct run *b)
{
	size_t i;

	for (i = 0; i < a->n && i < b->n; i++)
		if (memcmp(&a->gen[i], &b->gen[i], sizeof(a->gen[i]))) {
			char s[512], t[512];

			cst_generic_text(&a->gen[i], s, sizeof(s));
			cst_generic_text(&b->gen[i], t, sizeof(t));
			fprintf(stderr, "%zu: %s (packet %u, flags %x)\n    %s (packet %u, flags %x)\n", i, s,
				(unsigned int)a->gen[i].index, a->gen[i].flags, t,
				(unsigned int)b->gen[i].index, b->gen[i].flags);
			CHECK(!"same elements");
		}
	CHECK(a->n == b->n);
	CHECK(!memcmp(&a->stats, &b->stats, sizeof(a->stats)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A-sync, Trace Info */
	static const uint8_t start[14] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0 };
	static struct run whole, other;
	static struct program pr;
	struct input in = { data, data + size };
	uint32_t seed;
	size_t n;

	take_config(&in, &pr.cfg, 0x10);
	pr.choices = take8(&in);
	take_maps(&in, &pr);
	n = take16(&in) % (MAX_CODE + 1);
	pr.code_len = n < left(&in) ? n : left(&in);
	memcpy(pr.code, in.p, pr.code_len);
	in.p += pr.code_len;
	pr.trace_len = 0;
	if (pr.choices & 1) {
		memcpy(pr.trace, start, sizeof(start));
		pr.trace_len = sizeof(start);
	}
	n = left(&in) < MAX_TRACE ? left(&in) : MAX_TRACE;
	memcpy(pr.trace + pr.trace_len, in.p, n);
	pr.trace_len += n;

	seed = pr.choices;
	decode(&pr, 1 << 20, 1024, 1u << 20, seed, UNCOUNTED, &whole);
	decode(&pr, 1, 8, 1, seed, UNCOUNTED, &other);
	compare(&whole, &other);
	decode(&pr, seed & 4 ? 1 : 1 << 20, 8 + seed % 90, 2 + seed % 50, seed, UNCOUNTED, &other);
	compare(&whole, &other);
	decode(&pr, seed & 8 ? 1 : 1 << 20, 1024, 1u << 20, seed, seed & 16 ? JOINED : EACH, &other);
	compare_counted(&whole, &other);
	decode(&pr, seed & 8 ? 1 : 1 << 20, 100 + 3 * seed, 1u << 20, seed, SAMPLED, &other);
	compare_counted(&whole, &other);
	decode(&pr, seed & 8 ? 1 : 1 << 20, 8 + 3 * seed, 1u << 20, seed, LISTED, &other);
	compare_listed(&whole, &other);
	return 0;
}
