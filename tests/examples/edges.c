/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * edges.c - counts the branches of a recording in two threads, or in one when it has an argument. The header
 * "recording.h" is the caller's: `code` and its address, the registers of a trace unit, and `fragment`, an array of what
 * was recorded. Each thread has an image, a tree and counts of its own, and decodes every other fragment.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <cstrace/cstrace.h>
#include "recording.h"

struct share { size_t next, step; int failed; struct cst_pairs edges; };

static void *count(void *arg)
{
	struct share *s = (struct share *)arg;
	struct cst_image *img = NULL; struct cst_section *sec; struct cst_space *space;
	struct cst_tree *tree = NULL; struct cst_decoder *dec;
	struct cst_counts *counts = NULL; const struct cst_pairs *ranges, *edges;
	struct cst_generic g[256];
	struct cst_pull pull;
	struct cst_config cfg;
	struct cst_emit_opts opts;
	int n = 0;

	memset(&cfg, 0, sizeof(cfg));
	memset(&opts, 0, sizeof(opts));
	s->failed = cst_image_new(&img, 0) || cst_section_new(&sec, img, code, sizeof(code), NULL) ||
		cst_space_new(&space, img) || cst_space_map(space, CODE_AT, sizeof(code), sec, 0) ||
		cst_counts_new(&counts, img, 0) || cst_config_etmv4(&cfg, &regs, 0, CST_PROFILE_A) ||
		cst_tree_new(&tree, CST_TREE_FRAMES, 0) || cst_tree_add(tree, &cfg, &dec);
	if (!s->failed) {
		cst_decoder_set_space(dec, space);
		opts.counts = counts;
		cst_decoder_emit(dec, CST_EMIT_COUNTS, &opts);
	}
	for (; !s->failed && s->next < FRAGMENTS; s->next += s->step) {
		cst_tree_reset(tree);
		s->failed = cst_tree_feed(tree, fragment[s->next].bytes, fragment[s->next].size, 0) != 0;
		cst_tree_end(tree);
		while (!s->failed && (n = cst_tree_pull(tree, g, 256, &pull)) > 0)
			s->failed = pull.dec && cst_counts_add(counts, pull.dec, g, (size_t)n);
	}
	s->failed = s->failed || n < 0 || cst_counts_section(counts, cst_section_id(sec), &ranges, &edges) ||
		!cst_pairs_merge(&s->edges, edges);
	cst_tree_free(tree);
	cst_counts_free(counts);
	cst_image_free(img);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct share s[2];
	const struct cst_pair *e;
	pthread_t other;
	int two = argc == 1;
	size_t i;

	(void)argv;
	s[0].step = s[1].step = two ? 2 : 1;
	s[1].next = 1;
	if (two && pthread_create(&other, NULL, count, &s[1]))
		return 1;
	count(&s[0]);
	if (two && pthread_join(other, NULL))
		return 1;
	if (s[0].failed || s[1].failed || !cst_pairs_merge(&s[0].edges, &s[1].edges))
		return 1;
	for (e = cst_pairs_sort(&s[0].edges), i = 0; i < s[0].edges.used; i++)
		printf("%x %x %llu\n", e[i].a, e[i].b, (unsigned long long)e[i].count);
	cst_pairs_free(&s[0].edges);
	cst_pairs_free(&s[1].edges);
	return 0;
}
