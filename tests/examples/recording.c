/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a recording of perf executed, by file: instructions and taken branches. recording PERF.DATA
 * [SYMFS]
 */
#include <stdio.h>
#include <string.h>

#include <cstrace/isa.h>
#include <cstrace/perf/recording.h>

#define FILES 64

static struct total {
	const struct cst_recording_file *file;
	unsigned long long insns, branches;
} totals[FILES];

static void on_message(void *data, const char *message)
{
	(void)data;
	printf("message: %s\n", message);
}

static int on_batch(void *data, const struct cst_recording_batch *b)
{
	size_t i, k;

	(void)data;
	for (i = 0; i < b->n; i++) {
		const struct cst_generic *g = &b->elements[i];

		if (g->kind != CST_GEN_RANGE)
			continue;
		for (k = 0; k < FILES - 1 && totals[k].insns && totals[k].file != b->files[i]; k++)
			;
		totals[k].file = b->files[i];
		totals[k].insns += g->n_insn;
		totals[k].branches += cst_insn_is_branch(g->last_type) && g->flags & CST_GF_EXEC;
	}
	return 0;
}

static void on_loss(void *data, const struct cst_recording_loss *l)
{
	(void)data;
	printf("lost: %llu %s: %s%s%s\n", (unsigned long long)l->count, l->counted, l->why,
	       l->cure ? " -> " : "", l->cure ? l->cure : "");
}

int main(int argc, char **argv)
{
	struct cst_recording_opts opts;
	struct cst_recording *rec;
	size_t k;
	int rc;

	memset(&opts, 0, sizeof(opts));
	opts.struct_size = sizeof(opts);
	opts.input = argc > 1 ? argv[1] : "perf.data";
	opts.symfs = argc > 2 ? argv[2] : NULL;
	opts.report = on_message;
	if (cst_recording_open(&rec, &opts))
		return 1;
	rc = cst_recording_run(rec, on_batch, NULL);
	if (!rc)
		for (k = 0; k < FILES && totals[k].insns; k++)
			printf("%s: %llu instructions, %llu branches\n",
			       totals[k].file ? totals[k].file->path : "elsewhere", totals[k].insns,
			       totals[k].branches);
	cst_recording_losses(rec, on_loss, NULL);
	cst_recording_close(rec);
	return rc ? 1 : 0;
}
