/* SPDX-License-Identifier: GPL-2.0-only */
/* branch_list.c - what a file of branch lists holds, which needs no programs. */
#include <inttypes.h>
#include <stdio.h>

#include "base/name.h"
#include "counting/countfiles/lost.h"
#include "counting/counts/model.h"
#include "outputs/info/info.h"
#include "perfdata/branch_list.h"
#include "session/losses/report.h"

static const char *const kinds[] = {
	[BRANCH_LIST_ELF] = "ELF file",
	[BRANCH_LIST_KERNEL] = "kernel",
	[BRANCH_LIST_MODULE] = "kernel module",
};

/* Branches of the lists, times their counts. */
static uint64_t branches_of(const struct branch_list_binary *b)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < b->nr; i++)
		n = model_sum(n, model_product(b->v[i].nr_bits, b->v[i].count));
	return n;
}

static void put_binary(const struct branch_list_binary *b)
{
	char text[32];
	size_t i;

	printf("  %s: %s, ", name_shown(b->path), kinds[b->type]);
	if (b->id_len)
		printf("build-id ");
	for (i = 0; i < b->id_len; i++)
		printf("%02x", b->id[i]);
	printf("%s%zu lists, %s branches\n", b->id_len ? ", " : "no build-id, ", b->nr,
	       losses_grouped(branches_of(b), text));
	if (b->kernel_start)
		printf("    addresses of a running kernel, whose text began at %#" PRIx64 "\n",
		       b->kernel_start);
}

/* All lists of a file. */
struct sums {
	uint64_t lists, branches;
};

static void print_text(const char *path, const struct branch_lists *l, const struct sums *sums)
{
	char text[32];
	size_t i;

	printf("%s: branch lists of simpleperf: %zu binaries, %" PRIu64 " lists, %s branches\n",
	       name_shown(path), l->nr, sums->lists, losses_grouped(sums->branches, text));
	for (i = 0; i < l->nr; i++)
		put_binary(&l->v[i]);
	if (l->samples)
		printf("  %" PRIu64
		       " samples of branch records, which are not of a trace: not read\n",
		       l->samples);
	printf("  losses of what was recorded: " LOST_UNKNOWN_WORDS "\n");
	printf("next, with the target's files below DIR:\n"
	       "  perf-cstrace profile -i FILE --symfs DIR --format=autofdo --binary PATH "
	       "-o counts.txt\n");
}

static void put_string(const char *s)
{
	char text[6 * 4096 + 2];

	fwrite(text, 1, (size_t)(name_json(text, text + sizeof(text), s) - text), stdout);
}

static void put_object(const struct branch_list_binary *b)
{
	size_t i;

	printf("\n  {\"path\":");
	put_string(b->path);
	printf(",\"kind\":\"%s\",\"build_id\":%s", kinds[b->type], b->id_len ? "\"" : "null");
	for (i = 0; i < b->id_len; i++)
		printf("%02x", b->id[i]);
	printf("%s,\"lists\":%zu,\"branches\":%" PRIu64, b->id_len ? "\"" : "", b->nr,
	       branches_of(b));
	if (b->kernel_start)
		printf(",\"kernel_start\":%" PRIu64, b->kernel_start);
	printf("}");
}

static void print_json(const char *path, const struct branch_lists *l, const struct sums *sums)
{
	size_t i;

	printf("{\"file\":");
	put_string(path);
	printf(",\"kind\":\"branch lists\",\n \"lists\":%" PRIu64 ",\"branches\":%" PRIu64
	       ",\"samples\":%" PRIu64 ",\n \"binaries\":[",
	       sums->lists, sums->branches, l->samples);
	for (i = 0; i < l->nr; i++) {
		printf("%s", i ? "," : "");
		put_object(&l->v[i]);
	}
	/* nothing says what was lost */
	printf("],\n \"losses\":null\n}\n");
}

int info_branch_lists(const char *path, bool json)
{
	struct branch_lists l = { .v = NULL };
	struct error err = { .code = 0 };
	int rc = branch_lists_read(&l, path, 1, &err);
	struct sums sums = { 0, 0 };
	size_t i;

	if (rc) {
		fprintf(stderr, "cstrace info: %s\n", err.msg);
		branch_lists_free(&l);
		return rc;
	}
	branch_lists_join(&l);
	for (i = 0; i < l.nr; i++) {
		sums.lists += l.v[i].nr;
		sums.branches = model_sum(sums.branches, branches_of(&l.v[i]));
	}
	if (json)
		print_json(path, &l, &sums);
	else
		print_text(path, &l, &sums);
	branch_lists_free(&l);
	return 0;
}
