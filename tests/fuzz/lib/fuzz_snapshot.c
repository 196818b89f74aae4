/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_snapshot.c - any text as a snapshot: the input is cut at 0xFF bytes into files, the first of which
 * is the index; the others are known by the names "1", "2" and so on, and by names common in snapshots.
 * What is read is then asked for everything, its memory is mapped, and read back.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cstrace/error.h>
#include <cstrace/files/snapshot.h>

#define MAX_FILES 8
#define CUT 0xff

struct files {
	uint8_t *data[MAX_FILES];	/* exact allocations */
	size_t len[MAX_FILES];
	unsigned int n;
	unsigned int notes;
};

static void check(int ok)
{
	if (!ok)
		abort();
}

static int open_file(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	static const char *const names[MAX_FILES] = {
		"snapshot.ini", "cpu_0.ini", "device_6.ini", "trace.ini", "dump.bin", "cstrace.bin",
	};
	struct files *fs = ctx;
	unsigned int i;

	for (i = 0; i < fs->n; i++)
		if ((names[i] && !strcmp(name, names[i])) || (name[0] == (char)('0' + i) && !name[1])) {
			*data = fs->data[i];
			*len = fs->len[i];
			return 0;
		}
	return -1;
}

static void note(void *ctx, const struct cst_snap_note *n)
{
	struct files *fs = ctx;

	check(n->error < 0 && n->text && n->file);
	check(strcmp(cst_strerror(n->error), cst_strerror(0)) != 0);
	fs->notes++;
}

static void ask(const struct cst_snapshot *ss)
{
	struct cst_config cfg = { 0 };
	const char *missing = NULL;
	unsigned int assumed, stream;
	uint64_t v;
	size_t i, k;
	int err;

	for (i = 0; i < ss->n_devices; i++) {
		const struct cst_snap_device *d = &ss->devices[i];

		check(cst_snapshot_device(ss, d->name) == d);
		check(d->class_ <= CST_SNAP_MEMORY && d->type && d->location && d->file);
		for (k = 0; k < d->n_regs; k++)
			check(cst_snap_reg(d, d->regs[k].name, &v) == 1 && d->regs[k].bits <= 64);
		for (k = 0; k < d->n_dumps; k++)
			check(d->dumps[k].file && d->dumps[k].space);
		for (stream = 0; stream < 3; stream++) {
			err = cst_snap_config(d, cst_snapshot_core(ss, d), stream, &cfg, &assumed, &missing);
			check(err != -CST_ERR_NOT_FOUND || missing);
			check(err || (cfg.protocol != CST_PROTO_NONE && cfg.trace_id < 0x80));
		}
		for (k = 0; k < ss->n_buffers; k++)
			cst_snapshot_feeds(ss, d, &ss->buffers[k]);
	}
	for (i = 0; i < ss->n_buffers; i++)
		check(ss->buffers[i].n_files && ss->buffers[i].files[0] && ss->buffers[i].name);
	for (i = 0; i < ss->n_clusters; i++)
		check(ss->clusters[i].from && ss->clusters[i].to);
}

static void read_memory(struct cst_snap_memory *mem, const struct cst_snapshot *ss)
{
	const struct cst_snap_device *d;
	const uint8_t *bytes;
	struct cst_space *space;
	volatile uint8_t sum = 0;
	unsigned int bit;
	size_t i, k;
	int64_t n;

	for (i = 0; i < ss->n_devices && i < 4; i++) {
		d = &ss->devices[i];
		for (bit = 0; bit < 8; bit++) {
			space = cst_snap_memory_space(mem, d, 1u << bit);
			for (k = 0; space && k < d->n_dumps; k++) {
				n = cst_space_read(space, d->dumps[k].address, 4, &bytes, NULL, NULL);
				check(n >= 0 && n <= 4);
				while (n--)
					sum += bytes[n];
			}
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t len)
{
	struct files fs = { .n = 0 };
	struct cst_snap_io io = {
		.ctx = &fs,
		.open = open_file,
		.note = note,
		.limits = { .text = 4096, .memory = 1 << 20, .files = 16, .dumps = 256 }
	};
	struct cst_snap_memory *mem = NULL;
	struct cst_snapshot *ss = NULL;
	struct cst_image *img = NULL;
	const uint8_t *end = in + len, *cut;
	size_t missing;

	while (fs.n < MAX_FILES && in <= end) {
		cut = in < end ? memchr(in, CUT, (size_t)(end - in)) : NULL;
		fs.len[fs.n] = (size_t)((cut ? cut : end) - in);
		fs.data[fs.n] = malloc(fs.len[fs.n] ? fs.len[fs.n] : 1);
		check(fs.data[fs.n] != NULL);
		if (fs.len[fs.n])
			memcpy(fs.data[fs.n], in, fs.len[fs.n]);
		in += fs.len[fs.n++] + 1;
	}
	if (cst_snapshot_read(&ss, &io, NULL)) {
		check(!ss && fs.notes);
	} else {
		check(ss->n_skipped <= fs.notes);
		ask(ss);
		check(!cst_image_new(&img, 1 << 20));
		if (!cst_snap_memory_new(&mem, ss, img, &io, &missing))
			read_memory(mem, ss);
		cst_image_free(img);
		cst_snap_memory_free(mem);
		cst_snapshot_free(ss);
	}
	while (fs.n)
		free(fs.data[--fs.n]);
	return 0;
}
