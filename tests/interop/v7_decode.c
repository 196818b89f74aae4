/* SPDX-License-Identifier: BSD-3-Clause */
/* v7_decode - our full decode of a buffer of ETMv3 and PTM trace, many times in one process; elements are counted. */
#include <cstrace/cstrace.h>

#include "v7_args.h"

#define OUT 1024

static void look(struct v7_counts *c, const struct cst_generic *g)
{
	if (g->flags & CST_GF_CC)
		c->cycles += g->cc;
	if (g->kind == CST_GEN_RANGE)
		v7_range(c, g->trace_id, g->addr, g->end, g->flags & CST_GF_EXEC);
}

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "v7_decode: %s: %s\n", what, cst_strerror(err));
	exit(1);
}

int main(int argc, char **argv)
{
	static struct cst_generic out[OUT];
	struct v7_counts c = { 0 };
	struct cst_section *sec;
	struct cst_space *space;
	struct cst_decoder *dec;
	struct cst_image *img;
	struct cst_tree *tree;
	struct timespec a, b;
	struct v7_args args;
	unsigned long k;
	int i, n;

	v7_parse(&args, argc, argv);
	check(cst_image_new(&img, 0), "image");
	check(cst_section_new(&sec, img, args.image, args.image_len, NULL), "section");
	check(cst_space_new(&space, img), "space");
	check(cst_space_map(space, args.address, args.image_len, sec, 0), "map");
	check(cst_tree_new(&tree, CST_TREE_FRAMES, 0), "tree");
	/* whoever counts does not ask which source's element came first */
	check(cst_tree_set_order(tree, CST_ORDER_BY_ID), "order");
	for (i = 0; i < args.sources; i++) {
		const struct v7_source *s = &args.source[i];
		struct cst_etmv3_regs regs = { .cr = s->cr, .ccer = s->ccer, .idr = s->idr, .traceidr = s->traceidr };
		struct cst_config cfg;

		check(s->ptm ? cst_config_ptm(&cfg, &regs) : cst_config_etmv3(&cfg, &regs, CST_PROFILE_A), "registers");
		cfg.insn_ranges = (uint8_t)s->each;
		check(cst_tree_add(tree, &cfg, &dec), "decoder");
		cst_decoder_set_space(dec, space);
	}
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (k = 0; k < args.times; k++) {
		check(cst_tree_feed(tree, args.trace, args.trace_len, 0), "feed");
		for (i = 0; i < 2; i++) {
			while ((n = cst_tree_pull(tree, out, OUT, NULL)) > 0) {
				const struct cst_generic *g;

				c.elements += (unsigned int)n;
				for (g = out; g < out + n; g++)
					if (g->kind == CST_GEN_RANGE) {
						c.ranges++;
						c.insns += g->n_insn;
					}
				for (g = out; !k && g < out + n; g++)
					look(&c, g);
			}
			check(n, "pull");
			cst_tree_end(tree);
		}
		cst_tree_reset(tree);
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	v7_print(&c, &a, &b);
	cst_tree_free(tree);
	cst_image_free(img);
	free(args.trace);
	free(args.image);
	return 0;
}
