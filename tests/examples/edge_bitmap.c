/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The edges of a program as a fuzzer's bitmap, as lib/bindings/python/examples/edge_bitmap.py makes
 * it, and the time of counting. edge_bitmap PERF.DATA PROGRAM OUT [SYMFS]
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cstrace/perf/recording.h>

static unsigned char bitmap[1 << 16];

static int on_counts(void *data, const struct cst_recording_counts *c)
{
	const char *program = data;
	const size_t len = strlen(c->file->path), own = strlen(program);
	size_t i;

	if (len < own || strcmp(c->file->path + len - own, program))
		return 0;
	for (i = 0; i < c->n_edges; i++) {
		const struct cst_pair *e = &c->edges[i];
		unsigned char *at = &bitmap[(e->a >> 2 ^ e->b >> 1) & 0xffff];

		if (e->b != CST_COUNTS_OUTSIDE)
			*at = (unsigned char)(*at + e->count < 255 ? *at + e->count : 255);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct cst_recording_opts opts;
	struct cst_recording *rec;
	clock_t begun = clock();
	FILE *out;
	int rc;

	if (argc < 4)
		return 2;
	memset(&opts, 0, sizeof(opts));
	opts.struct_size = sizeof(opts);
	opts.input = argv[1];
	opts.symfs = argv[4];
	if (cst_recording_open(&rec, &opts))
		return 1;
	rc = cst_recording_count(rec, 0, on_counts, argv[2]);
	printf("%.0f us\n", 1e6 * (double)(clock() - begun) / CLOCKS_PER_SEC);
	out = fopen(argv[3], "wb");
	if (!out || fwrite(bitmap, sizeof(bitmap), 1, out) != 1 || fclose(out))
		return 1;
	if (cst_recording_losses(rec, NULL, NULL))
		rc = 3;
	cst_recording_close(rec);
	return rc;
}
