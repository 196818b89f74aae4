/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recorded snapshots, damaged: every buffer cut at every byte (long ones at every 257th), bits flipped, the text
 * files cut. Asked of each: decoding ends by itself, with an end for every stream; every byte is in one packet;
 * elements are no more than the bytes can say; texts are never empty; and the quick way of decoding says the same
 * as listing packet by packet does.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <cmocka.h>

#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>

#include "session/import/folder.h"

#define SHORT_BUFFER 5000	/* cut at every byte */
#define STEP 257		/* others at every 257th */
#define WINDOW 16384		/* of a very long one only so much before the cut is decoded */
#define LONG_BUFFER (128u << 10)
#define PER_BYTE 64		/* elements that a byte can make, at most */
#define BATCH 256
#define MEMORY_LIMIT (512L << 10) /* KB */

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static char corpus[300];
static unsigned int flips, text_step, list_step;

struct subject {
	struct folder files;
	struct cst_snapshot *ss;
	struct cst_image *img;
	struct cst_snap_memory *mem;
	char dir[700];
};

struct mode {
	uint8_t listing, strict, as_reference, log;
};

struct result {
	uint64_t hash[128], elements, bytes, packets;
	unsigned int ends, decoders, no_sync;
	bool started_anew;	/* bad frames or barriers */
};

static void mix(uint64_t *h, uint64_t v)
{
	*h = (*h ^ v) * 0x100000001b3ull;
	*h ^= *h >> 29;
}

static void take_element(struct result *r, const struct cst_generic *g)
{
	uint64_t *h = &r->hash[g->trace_id & 0x7f];
	char text[512];

	if (g->kind == CST_GEN_NO_SYNC) {
		r->no_sync++;
		return;
	}
	r->elements++;
	r->ends += g->kind == CST_GEN_EO_TRACE;
	mix(h, g->kind | (uint64_t)g->flags << 8 | (uint64_t)g->num << 24 | (uint64_t)g->isa << 40);
	mix(h, g->addr);
	mix(h, g->end);
	mix(h, g->n_insn | (uint64_t)g->cc << 32);
	mix(h, g->context_id | (uint64_t)g->vmid << 32);
	if (r->elements % 16 == 0)
		assert_in_range(cst_generic_text(g, text, sizeof(text)), 10, sizeof(text) - 1);
}

static void pull(struct cst_tree *tree, struct result *r, uint64_t limit)
{
	struct cst_generic g[BATCH];
	struct cst_pull p;
	int n, i;

	while ((n = cst_tree_pull(tree, g, BATCH, &p))) {
		assert_in_range(n, 1, BATCH);
		for (i = 0; p.dec && i < n; i++)
			take_element(r, &g[i]);
		assert_true(r->elements + r->no_sync <= limit);
	}
}

static void list(struct cst_tree *tree, struct result *r, uint64_t limit)
{
	struct cst_packet pkt = { 0 };
	struct cst_pull p;
	char text[1024];
	int n;

	while ((n = cst_tree_next_packet(tree, &pkt, &p))) {
		assert_true(n > 0);
		if (p.why == CST_STOP_PACKET) {
			r->packets++;
			r->bytes += pkt.size;
			assert_in_range(cst_decoder_packet_text(p.dec, &pkt, text, sizeof(text)), 1, sizeof(text) - 1);
			assert_true(pkt.nbytes <= CST_PACKET_BYTES);
		}
		pull(tree, r, limit);
	}
}

static void add_decoders(struct subject *s, const struct cst_snap_buffer *buf, struct cst_tree *tree,
			 const struct mode *m, struct result *r)
{
	bool raw = buf->format == CST_SNAP_FMT_SOURCE_DATA;
	const struct cst_snap_device *dev, *core;
	struct cst_decoder *dec;
	struct cst_config cfg = { 0 };
	size_t i;
	int err;

	for (i = 0; i < s->ss->n_devices; i++) {
		dev = &s->ss->devices[i];
		if (dev->class_ != CST_SNAP_SOURCE || !cst_snapshot_feeds(s->ss, dev, buf) || (raw && r->decoders))
			continue;
		core = cst_snapshot_core(s->ss, dev);
		err = cst_snap_config(dev, core, 0, &cfg, NULL, NULL);
		if (err == -CST_ERR_PROTOCOL || err == -CST_ERR_NOT_FOUND)
			continue;
		cfg.strict = m->strict;
		cfg.as_reference = m->as_reference;
		if (cst_tree_add(tree, &cfg, &dec))
			continue;
		r->decoders++;
		cst_decoder_set_images(dec, cst_snap_memory_images(s->mem, core));
	}
}

static unsigned int frame_flags(const struct cst_snap_buffer *buf, const struct mode *m)
{
	unsigned int flags = buf->format == CST_SNAP_FMT_DSTREAM ? CST_FRAME_FSYNC | CST_FRAME_DSTREAM :
			     CST_FRAME_ALIGNED | CST_FRAME_RESET_4X;

	return flags | (m->strict ? CST_FRAME_STRICT : 0);
}

static void decode(struct subject *s, const struct cst_snap_buffer *buf, const uint8_t *data, size_t len,
		   const struct mode *m, struct result *r)
{
	bool raw = buf->format == CST_SNAP_FMT_SOURCE_DATA;
	uint64_t limit = 64 * 128 + (uint64_t)len * PER_BYTE, fed = 0;
	void (*run)(struct cst_tree *, struct result *, uint64_t) = m->listing ? list : pull;
	const struct cst_frame_stats *stats;
	const struct cst_decoder *dec;
	struct cst_log *log = NULL;
	struct cst_tree *tree;
	unsigned int id;

	memset(r, 0, sizeof(*r));
	assert_int_equal(cst_tree_new(&tree, raw ? CST_TREE_RAW : CST_TREE_FRAMES, raw ? 0 : frame_flags(buf, m)), 0);
	if (m->log) {
		assert_int_equal(cst_log_new(&log, 16), 0);
		cst_tree_set_log(tree, log);
	}
	add_decoders(s, buf, tree, m, r);
	assert_int_equal(cst_tree_feed(tree, data, len, 0), 0);
	run(tree, r, limit);
	cst_tree_end(tree);
	run(tree, r, limit);
	assert_int_equal(r->ends, r->decoders);
	for (id = 0; id < 0x80; id++) {
		dec = cst_tree_decoder(tree, (uint8_t)id);
		if (dec)
			fed += cst_decoder_stats(dec)->bytes;
	}
	assert_true(fed <= len);
	/* at a bad frame the decoders start anew, without what they had of a packet */
	stats = raw ? NULL : cst_tree_frame_stats(tree);
	r->started_anew = stats && stats->errors + stats->barriers;
	if (m->listing && !r->started_anew)
		assert_int_equal(r->bytes, fed);
	assert_true(r->bytes <= fed);
	cst_tree_free(tree);
	cst_log_free(log);
}

/* One piece of damaged trace, decoded as the seed says; both ways now and then. */
static void try(struct subject *s, const struct cst_snap_buffer *buf, const uint8_t *data, size_t len,
		unsigned int seed)
{
	struct mode m = { 0, seed & 1, seed >> 1 & 1, seed >> 2 & 1 };
	struct result quick, listed;
	unsigned int id;

	decode(s, buf, data, len, &m, &quick);
	if (seed % list_step)
		return;
	m.listing = 1;
	m.log = !m.log;
	decode(s, buf, data, len, &m, &listed);
	assert_int_equal(quick.elements, listed.elements);
	/* a listing collects bytes before it shows them as unsynchronised: at a bad frame they are dropped */
	assert_true(quick.no_sync >= listed.no_sync);
	assert_true(quick.no_sync == listed.no_sync || quick.started_anew);
	for (id = 0; id < 0x80; id++)
		assert_true(quick.hash[id] == listed.hash[id]);
}

static void open_subject(struct subject *s, const char *name)
{
	struct cst_snap_io io = { .ctx = &s->files, .open = folder_open };

	memset(s, 0, sizeof(*s));
	snprintf(s->dir, sizeof(s->dir), "%s/%s", corpus, name);
	s->files.dir = s->dir;
	s->files.who = "test";
	assert_int_equal(cst_snapshot_read(&s->ss, &io, NULL), 0);
	assert_int_equal(cst_image_new(&s->img, 0), 0);
	assert_int_equal(cst_snap_memory_new(&s->mem, s->ss, s->img, &io, NULL), 0);
}

static void close_subject(struct subject *s)
{
	cst_image_free(s->img);
	cst_snap_memory_free(s->mem);
	cst_snapshot_free(s->ss);
	folder_free(&s->files);
}

typedef void (*buffer_fn)(struct subject *s, const struct cst_snap_buffer *buf, const uint8_t *data, size_t len);

static void each_buffer(buffer_fn fn)
{
	DIR *d = opendir(corpus);
	struct dirent *e;
	struct subject s;
	const uint8_t *data;
	size_t i, len, n = 0;

	if (!d) {
		print_message("no recorded snapshots at %s (CSTRACE_SHARED)\n", corpus);
		skip();
	}
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		open_subject(&s, e->d_name);
		for (i = 0; i < s.ss->n_buffers; i++)
			if (!folder_open(&s.files, s.ss->buffers[i].files[0], &data, &len)) {
				fn(&s, &s.ss->buffers[i], data, len);
				n++;
			}
		close_subject(&s);
	}
	closedir(d);
	assert_true(n > 20);
}

/* Exact copies: a read past the end of what is fed is seen by the sanitizer. */
static uint8_t *copy_of(const uint8_t *data, size_t len)
{
	uint8_t *p = malloc(len ? len : 1);

	assert_non_null(p);
	if (len)
		memcpy(p, data, len);
	return p;
}

static void cut_buffer(struct subject *s, const struct cst_snap_buffer *buf, const uint8_t *data, size_t len)
{
	size_t step = len <= SHORT_BUFFER ? SANITIZED ? 7 : 1 : SANITIZED ? STEP * 8 : STEP, cut, from;
	uint8_t *copy;

	for (cut = 0; cut <= len; cut += step) {
		from = len > LONG_BUFFER && cut > WINDOW ? (cut - WINDOW) & ~(size_t)15 : 0;
		copy = copy_of(data + from, cut - from);
		try(s, buf, copy, cut - from, (unsigned int)(cut / step));
		free(copy);
	}
}

static uint32_t next_random(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33) % below;
}

static void flip_buffer(struct subject *s, const struct cst_snap_buffer *buf, const uint8_t *data, size_t len)
{
	uint64_t state = 88172645463325252ull + len;
	unsigned int i, k, bits;
	size_t from, n;
	uint8_t *copy;

	for (i = 0; len && i < flips; i++) {
		n = len < WINDOW ? len : WINDOW;
		from = next_random(&state, (uint32_t)(len - n + 1)) & ~15u;
		copy = copy_of(data + from, n);
		bits = 1 + next_random(&state, i % 4 ? 4 : 64);
		for (k = 0; k < bits; k++)
			copy[next_random(&state, (uint32_t)n)] ^= (uint8_t)(1u << next_random(&state, 8));
		try(s, buf, copy, n, i);
		free(copy);
	}
}

static void test_cuts(void **state)
{
	(void)state;
	each_buffer(cut_buffer);
}

static void test_flips(void **state)
{
	(void)state;
	each_buffer(flip_buffer);
}

/* The files of a snapshot, one of them cut. */
struct cut_files {
	struct folder *files;
	const char *name;
	size_t cut;
};

static int open_cut(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	struct cut_files *c = ctx;
	int err = folder_open(c->files, name, data, len);

	if (!err && !strcmp(name, c->name) && *len > c->cut)
		*len = c->cut;
	return err;
}

static void read_cut(struct cut_files *c)
{
	struct cst_snap_io io = { .ctx = c, .open = open_cut };
	struct cst_snap_memory *mem = NULL;
	struct cst_image *img = NULL;
	struct cst_snapshot *ss;
	struct cst_config cfg = { 0 };
	size_t i;
	int err = cst_snapshot_read(&ss, &io, NULL);

	if (err) {
		assert_true(err < 0);
		return;
	}
	for (i = 0; i < ss->n_devices; i++)
		cst_snap_config(&ss->devices[i], cst_snapshot_core(ss, &ss->devices[i]), 0, &cfg, NULL, NULL);
	assert_int_equal(cst_image_new(&img, 0), 0);
	assert_int_equal(cst_snap_memory_new(&mem, ss, img, &io, NULL), 0);
	cst_image_free(img);
	cst_snap_memory_free(mem);
	cst_snapshot_free(ss);
}

static void test_text_cuts(void **state)
{
	DIR *d = opendir(corpus);
	struct cut_files c;
	struct subject s;
	struct dirent *e;
	const uint8_t *data;
	size_t i, len;

	(void)state;
	if (!d) {
		print_message("no recorded snapshots at %s (CSTRACE_SHARED)\n", corpus);
		skip();
	}
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		open_subject(&s, e->d_name);
		c.files = &s.files;
		for (i = 0; i < s.ss->n_devices + 2; i++) {
			c.name = i < s.ss->n_devices ? s.ss->devices[i].file :
				 i == s.ss->n_devices ? "snapshot.ini" : "trace.ini";
			if (folder_open(&s.files, c.name, &data, &len))
				continue;
			for (c.cut = 0; c.cut < len; c.cut += text_step)
				read_cut(&c);
		}
		close_subject(&s);
	}
	closedir(d);
}

/* Runs last: nothing above took much memory, whatever the trace said. */
static void test_memory(void **state)
{
	struct rusage use;

	(void)state;
	assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
	if (!SANITIZED)
		assert_true(use.ru_maxrss < MEMORY_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuts), cmocka_unit_test(test_flips), cmocka_unit_test(test_text_cuts),
		cmocka_unit_test(test_memory),
	};
	const char *shared = getenv("CSTRACE_SHARED");
	bool nightly = getenv("CSTRACE_NIGHTLY") != NULL;

	snprintf(corpus, sizeof(corpus), "%s/corpus/snapshots", shared ? shared : "../shared");
	flips = nightly ? (SANITIZED ? 400 : 2000) : SANITIZED ? 20 : 100;
	text_step = nightly ? (SANITIZED ? 5 : 1) : 37;
	list_step = nightly && !SANITIZED ? 1 : 4;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
