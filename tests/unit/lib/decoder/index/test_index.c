/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_index.c - indexes of trace buffers: decoding from every place that they know gives what decoding from the
 * beginning does.
 */
#include <dirent.h>

#include <cstrace/files/files.h>

#include "unit/lib/index_gen.h"

#define INSNS 5000

#define WINDOW 3000

static bool nightly(void)
{
	return getenv("CSTRACE_NIGHTLY") != NULL;
}

static void test_generated(void **state)
{
	unsigned int seed, seeds = nightly() ? (getenv("SANITIZED") ? 2500 : 10000) : 300;
	struct check_sums sums = { 0 };
	struct gen_buffer g;

	(void)state;
	for (seed = 0; seed < seeds; seed++) {
		gen_open(&g, seed, seed / 2 & 1, INSNS);
		g.b.window = WINDOW;
		check_points(&g.b, &sums);
		gen_close(&g);
	}
	print_message("%llu streams, %llu places, %llu elements compared\n", (unsigned long long)sums.buffers,
		      (unsigned long long)sums.points, (unsigned long long)sums.elements);
	assert_true(sums.streams > seeds / 2);
	assert_true(sums.points > 10 * seeds);
}

/* ---- snapshots ---------------------------------------------------------------------------------- */

static const char *shared(void)
{
	const char *s = getenv("CSTRACE_SHARED");

	return s ? s : "../shared";
}

#define MAX_FILES 256

struct folder {
	const char *dir;
	uint8_t *data[MAX_FILES];
	unsigned int n;
};

static int open_file(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	struct folder *f = ctx;
	char path[1024];
	FILE *in;
	long size;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	in = f->n < MAX_FILES ? fopen(path, "rb") : NULL;
	if (!in)
		return -1;
	fseek(in, 0, SEEK_END);
	size = ftell(in);
	rewind(in);
	f->data[f->n] = malloc((size_t)size + 1);
	assert_non_null(f->data[f->n]);
	*len = fread(f->data[f->n], 1, (size_t)size, in);
	*data = f->data[f->n++];
	fclose(in);
	return 0;
}

struct snap {
	struct folder f;
	struct cst_snap_io io;
	struct cst_snapshot *ss;
	struct cst_image *img;
	struct cst_snap_memory *mem;
	const struct cst_snap_device *core[128];
};

static struct cst_space *snap_space(void *ctx, const struct cst_config *cfg, const struct cst_generic *g)
{
	struct snap *s = ctx;

	return cst_snap_memory_space(s->mem, s->core[cfg->trace_id],
				     g ? cst_memspace_of(g->el, g->security) : CST_MEM_EL1N);
}

static unsigned int snap_configs(struct snap *s, const struct cst_snap_buffer *buf, struct cst_config *cfg,
				 unsigned int max)
{
	const struct cst_snap_device *dev;
	struct cst_index_opts opts = { 0 };
	struct cst_index_builder *probe;
	unsigned int n = 0, stream;
	uint64_t seen[2] = { 0, 0 };
	struct cst_config c = { 0 };
	size_t i;

	for (i = 0; i < s->ss->n_devices; i++)
		for (stream = 0; stream < 2; stream++) {
			dev = &s->ss->devices[i];
			if (dev->class_ != CST_SNAP_SOURCE || n == max ||
			    !cst_snapshot_feeds_stream(s->ss, dev, stream, buf) ||
			    cst_snap_config(dev, cst_snapshot_core(s->ss, dev), stream, &c, NULL, NULL))
				continue;
			if (seen[c.trace_id >> 6] >> (c.trace_id & 63) & 1 || (buf->format == CST_SNAP_FMT_SOURCE_DATA && n))
				continue;
			/* protocols that have no decoder are left out */
			assert_int_equal(cst_index_builder_new(&probe, CST_TREE_RAW, 0, &opts), 0);
			if (!cst_index_builder_add(probe, &c)) {
				seen[c.trace_id >> 6] |= 1ull << (c.trace_id & 63);
				s->core[c.trace_id] = cst_snapshot_core(s->ss, dev);
				cfg[n++] = c;
			}
			cst_index_builder_free(probe);
		}
	return n;
}

static void snap_buffer(struct snap *s, const struct cst_snap_buffer *buf, struct check_sums *sums)
{
	struct check_buffer b = { .space = snap_space, .ctx = s, .window = WINDOW };
	struct cst_config cfg[64];
	uint8_t *all = NULL;
	const uint8_t *p;
	size_t i, n;

	for (i = 0; i < buf->n_files; i++) {
		if (open_file(&s->f, buf->files[i], &p, &n))
			break;
		all = realloc(all, b.len + n + 1);
		assert_non_null(all);
		memcpy(all + b.len, p, n);
		b.len += n;
	}
	b.data = all;
	b.format = buf->format == CST_SNAP_FMT_SOURCE_DATA ? CST_TREE_RAW : CST_TREE_FRAMES;
	b.flags = buf->format == CST_SNAP_FMT_DSTREAM ? CST_FRAME_FSYNC | CST_FRAME_DSTREAM : CST_FRAME_RESET_4X;
	b.cfg = cfg;
	b.n_cfg = snap_configs(s, buf, cfg, 64);
	if (b.n_cfg && b.len)
		check_points(&b, sums);
	free(all);
}

static void snapshot(const char *dir, struct check_sums *sums)
{
	struct snap s = { .f = { .dir = dir } };
	uint64_t points = sums->points, streams = sums->streams, elements = sums->elements;
	unsigned int i;
	size_t k;

	s.io.ctx = &s.f;
	s.io.open = open_file;
	if (!cst_snapshot_read(&s.ss, &s.io, NULL)) {
		assert_int_equal(cst_image_new(&s.img, 0), 0);
		assert_int_equal(cst_snap_memory_new(&s.mem, s.ss, s.img, &s.io, NULL), 0);
		for (k = 0; k < s.ss->n_buffers; k++)
			snap_buffer(&s, &s.ss->buffers[k], sums);
		print_message("%-60s %llu streams, %llu places, %llu elements\n", strrchr(dir, '/') + 1,
			      (unsigned long long)(sums->streams - streams),
			      (unsigned long long)(sums->points - points),
			      (unsigned long long)(sums->elements - elements));
		cst_image_free(s.img);
		cst_snap_memory_free(s.mem);
		cst_snapshot_free(s.ss);
	}
	for (i = 0; i < s.f.n; i++)
		free(s.f.data[i]);
}

/* Snapshots in the folders below; *n counts them. */
static void snapshots_in(const char *top, struct check_sums *sums, unsigned int *n)
{
	struct dirent **names;
	int i, count = scandir(top, &names, NULL, alphasort);
	char path[1024];
	FILE *f;

	for (i = 0; i < count; i++) {
		if (names[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s/snapshot.ini", top, names[i]->d_name);
			f = fopen(path, "r");
			if (!f) {
				snprintf(path, sizeof(path), "%s/%s/snapshot/snapshot.ini", top, names[i]->d_name);
				f = fopen(path, "r");
			}
			if (f) {
				fclose(f);
				*strrchr(path, '/') = 0;
				snapshot(path, sums);
				++*n;
			}
		}
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

static void test_snapshots(void **state)
{
	struct check_sums sums = { 0 };
	unsigned int n = 0;
	char path[1024];

	(void)state;
	snprintf(path, sizeof(path), "%s/corpus/snapshots", shared());
	snapshots_in(path, &sums, &n);
	snprintf(path, sizeof(path), "%s/truth", shared());
	snapshots_in(path, &sums, &n);
	if (!n) {
		print_message("no snapshots in %s\n", path);
		skip();
	}
	print_message("%u snapshots, %llu buffers, %llu places, %llu elements compared, %llu times to the end\n", n,
		      (unsigned long long)sums.buffers, (unsigned long long)sums.points,
		      (unsigned long long)sums.elements, (unsigned long long)sums.whole);
	assert_true(sums.points > 100);
}

/* Bytes before the first trace ID of a buffer belong to none. */
static void test_no_id_yet(void **state)
{
	static const uint8_t frame[32] = { 0x02, 0x55, 0x04, [16] = 0x10 << 1 | 1, 0x55 };
	const struct cst_index_source *src;
	struct cst_index_builder *b;
	struct cst_index *ix;

	(void)state;
	assert_int_equal(cst_index_builder_new(&b, CST_TREE_FRAMES, 0, NULL), 0);
	assert_int_equal(cst_index_builder_feed(b, frame, sizeof(frame), 0), 0);
	assert_int_equal(cst_index_builder_take(b, &ix), 0);
	assert_int_equal(ix->n_sources, 1);
	src = ix->sources;
	assert_int_equal(src->ids[0], 1 << 0x10);
	assert_int_equal(src->ids[1], 0);
	assert_true(src->digest == cst_index_digest(0, frame, sizeof(frame)));
	assert_int_equal(src->triggers + src->barriers + src->errors + src->syncs, 0);
	cst_index_free(ix);
	cst_index_builder_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_id_yet),
		cmocka_unit_test(test_generated),
		cmocka_unit_test(test_snapshots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
