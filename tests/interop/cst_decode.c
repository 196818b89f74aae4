/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cst_decode - the library for speed, beside ocsd_decode: decodes a trace file and looks at no element ("elements"),
 * or counts ranges and edges by place ("counts": counts.h). "check" compares these counts with those of a decoding
 * in which each range is an element. Arguments: one of these words, then those of decode_input.h.
 */
#include <inttypes.h>

#include <cstrace/cstrace.h>

#include "decode_input.h"

#define BATCH 2048

struct run {
	const struct input *in;
	struct cst_image *img;
	struct cst_space *space;
	struct cst_tree *tree;
	struct cst_counts *counts;
	int edges;		/* elements are counted, too */
	struct cst_pairs pairs[INPUT_MAPS + 1];	/* edges, by section */
	uint64_t elements, ranges, instructions;
};

static void must(int rc, const char *what)
{
	if (rc < 0)
		input_die(what, cst_strerror(-rc));
}

/* `counts`: the decoders count, too. */
static void open_run(struct run *r, int counts)
{
	struct cst_section *sec;
	struct cst_decoder *dec;
	struct cst_config cfg = { 0 };
	int i;

	must(cst_image_new(&r->img, 0), "image:");
	must(cst_space_new(&r->space, r->img), "space:");
	if (r->edges)
		must(cst_counts_new(&r->counts, r->img, 0), "counts:");
	for (i = 0; i < r->in->n_maps; i++) {
		const struct input_map *m = &r->in->map[i];

		must(cst_section_new(&sec, r->img, m->bytes, m->end - m->start, NULL), "section:");
		must(cst_space_map(r->space, m->start, m->end - m->start, sec, 0), "map:");
	}
	must(cst_tree_new(&r->tree, r->in->raw ? CST_TREE_RAW : CST_TREE_FRAMES, CST_FRAME_RESET_4X), "tree:");
	for (i = 0; i < r->in->n_sources; i++) {
		const struct input_source *s = &r->in->source[i];
		const struct cst_etmv4_regs regs = {
			.configr = s->reg[REG_CONFIGR], .traceidr = s->reg[REG_TRACEIDR], .idr0 = s->reg[REG_IDR0],
			.idr1 = s->reg[REG_IDR1], .idr2 = s->reg[REG_IDR2], .idr8 = s->reg[REG_IDR8],
			.devarch = s->reg[REG_DEVARCH],
		};

		must(cst_config_etmv4(&cfg, &regs, s->ete, CST_PROFILE_A), "registers:");
		must(cst_tree_add(r->tree, &cfg, &dec), "decoder:");
		cst_decoder_set_space(dec, r->space);
		if (counts)
			cst_decoder_emit(dec, CST_EMIT_COUNTS,
					 &(struct cst_emit_opts){ .counts = r->counts });
	}
}

static void decode(struct run *r)
{
	static struct cst_generic g[BATCH];
	struct cst_pull pull;
	uint64_t pos, len;
	int n;

	for (pos = 0; pos < r->in->size; pos += len) {
		len = r->in->part < r->in->size - pos ? r->in->part : r->in->size - pos;
		must(cst_tree_feed(r->tree, r->in->trace + pos, len, pos), "feed:");
		cst_tree_end(r->tree);
		while ((n = cst_tree_pull(r->tree, g, BATCH, &pull)) > 0) {
			r->elements += (uint64_t)n;
			if (r->edges && pull.dec)
				must(cst_counts_add(r->counts, pull.dec, g, (size_t)n), "counts:");
		}
		must(n, "pull:");
		cst_tree_reset(r->tree);
	}
}

/* What the decoders say that they have decoded. */
static void add_statistics(struct run *r)
{
	int i;

	for (i = 0; i < r->in->n_sources; i++) {
		const struct cst_stats *st = cst_decoder_stats(cst_tree_decoder(r->tree, r->in->source[i].reg[REG_TRACEIDR] & 0x7f));

		r->ranges += st->ranges;
		r->instructions += st->insns;
	}
}

/* The counts outlive the image. */
static void take_counted(struct run *r)
{
	struct cst_pairs ranges;
	int i;

	for (i = 1; i <= r->in->n_maps; i++) {
		must(cst_counts_take(r->counts, (uint32_t)i, &ranges, &r->pairs[i]), "counts:");
		cst_pairs_free(&ranges);
	}
}

static void run(struct run *r, const struct input *in, int counts, int edges)
{
	memset(r, 0, sizeof(*r));
	r->in = in;
	r->edges = edges;
	open_run(r, counts);
	decode(r);
	if (edges)
		take_counted(r);
	add_statistics(r);
	cst_tree_free(r->tree);
	cst_counts_free(r->counts);
	cst_image_free(r->img);
}

/* Taken branches, and how many different ones. */
static uint64_t sum_edges(struct run *r, uint64_t *different)
{
	const struct cst_pair *e;
	uint64_t taken = 0;
	size_t k;
	int i;

	for (*different = 0, i = 1; i <= r->in->n_maps; i++) {
		e = cst_pairs_sort(&r->pairs[i]);
		*different += r->pairs[i].used;
		for (k = 0; k < r->pairs[i].used; k++)
			taken += e[k].count;
	}
	return taken;
}

static void compare(struct run *a, struct run *b)
{
	uint64_t n;
	int i;

	sum_edges(a, &n);
	sum_edges(b, &n);
	for (i = 1; i <= a->in->n_maps; i++)
		if (a->pairs[i].used != b->pairs[i].used ||
		    (a->pairs[i].used && memcmp(a->pairs[i].slot, b->pairs[i].slot, a->pairs[i].used * sizeof(struct cst_pair))))
			input_die("edges differ in", "a section");
	if (a->ranges != b->ranges || a->instructions != b->instructions)
		input_die("ranges or instructions", "differ");
}

int main(int argc, char **argv)
{
	static struct input in;
	static struct run r, other;
	double began, ended;
	uint64_t taken, different;
	int counts, check;

	if (argc < 2)
		input_die("usage: cst_decode elements|counts|check", "and the arguments of decode_input.h");
	check = !strcmp(argv[1], "check");
	counts = check || !strcmp(argv[1], "counts");
	input_read(&in, argc - 2, argv + 2);
	began = input_seconds();
	run(&r, &in, counts, counts);
	ended = input_seconds();
	if (check) {
		run(&other, &in, 0, 1);
		compare(&r, &other);
	}
	printf("ranges %" PRIu64 "\ninstructions %" PRIu64 "\n", r.ranges, r.instructions);
	if (counts) {
		taken = sum_edges(&r, &different);
		printf("taken %" PRIu64 "\nedges %" PRIu64 "\n", taken, different);
	} else {
		printf("elements %" PRIu64 "\n", r.elements);
	}
	printf("bytes %" PRIu64 "\nseconds %.6f\n", in.size, ended - began);
	return 0;
}
