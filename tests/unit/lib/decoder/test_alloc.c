/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_alloc.c - each allocation of a decode fails in turn. Whatever fails, nothing crashes, nothing is
 * leaked, and the caller is told by a return code or by the counters; where only the cache of decoded
 * code is concerned, the result does not change.
 *
 * Linked with $(WRAP_ALLOC).
 */
#include <cstrace/counts.h>
#include <cstrace/files/files.h>

#include "unit/lib/index_gen.h"

#define MAX_SPACES 16
#define MAX_ELEMENTS 65536

static int armed;
static uint64_t calls, fail_at, fail_from;
static bool counting;	/* decode() counts ranges and branches */
static bool sampling;	/* decode() leaves out ranges between samples */
static struct cst_branch_list *listing; /* decode() lists branches there */

static bool alloc_refused(size_t n)
{
	(void)n;
	if (!armed)
		return false;
	calls++;
	return calls == fail_at || (fail_from && calls >= fail_from);
}

#include "fault/wrap_alloc.h"

struct result {
	int error;	/* of a call; the rest of the decode was not tried */
	struct cst_generic gen[MAX_ELEMENTS];
	size_t n;
	struct cst_stats stats;
	uint64_t counts;	/* with `counting`: a hash of all counts; with `sampling`: instructions, and elements that are no ranges */
};

static uint64_t hash_pairs(const struct cst_pairs *p, uint64_t sections)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; p->mask && i <= p->mask; i++)
		sum += p->slot[i].count * (p->slot[i].a * 0x9e3779b1ull + p->slot[i].b * 0x85ebca77ull + sections * 0xc2b2ae3dull + 1);
	return sum;
}

/* Adds the counts of all sections. Returns what the first call that fails does. */
static int hash_counts(struct cst_counts *c, size_t sections, uint64_t *sum)
{
	const struct cst_pairs *ranges, *edges;
	const struct cst_exits *x;
	uint64_t insns;
	uint32_t i, n;
	int err;

	for (i = 1; i <= sections; i++) {
		err = cst_counts_section(c, i, &ranges, &edges);
		if (!err)
			err = cst_counts_exits(c, i, &x, &n, &insns);
		if (err)
			return err;
		*sum += hash_pairs(ranges, i) + hash_pairs(edges, i << 16);
		for (; n; n--, x++)
			*sum += hash_pairs(&x->edges, i << 16 | x->section);
	}
	return 0;
}

/* Which ranges are left out may depend on memory; what was executed may not. */
static uint64_t sum_elements(const struct result *r)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < r->n; i++)
		sum += r->gen[i].kind == CST_GEN_RANGE || cst_generic_is_run(r->gen[i].kind) ?
			       r->gen[i].n_insn :
			       1ull << 32;
	return sum;
}

/* Everything from the image to the last element; stops at the first call that fails. */
static int decode(const struct gen_case *c, struct result *r)
{
	struct cst_etmv4_regs regs = {
		.configr = c->regs.configr, .traceidr = c->regs.traceidr, .idr0 = c->regs.idr0,
		.idr1 = c->regs.idr1, .idr2 = c->regs.idr2, .idr8 = c->regs.idr8,
		.devarch = c->regs.devarch,
	};
	struct cst_space *space = NULL, *spare = NULL;
	struct cst_image *img = NULL;
	struct cst_tree *tree = NULL;
	struct cst_decoder *dec = NULL;
	struct cst_counts *counts = NULL;
	struct cst_section *sec;
	struct cst_config cfg = { 0 };
	const struct cst_emit_opts often = { .next = 1 << 20, .period = 1 << 20 };
	struct cst_pull p;
	int err, n, pass;
	size_t k;

	r->n = 0;
	r->counts = 0;
	memset(&r->stats, 0, sizeof(r->stats));
	err = cst_config_etmv4(&cfg, &regs, c->regs.ete, c->tu.mprofile ? CST_PROFILE_M : CST_PROFILE_A);
	if (!err)
		err = cst_image_new(&img, 1);
	if (!err)
		err = cst_space_new(&space, img);
	if (!err && counting)
		err = cst_counts_new(&counts, img, 0);
	for (k = 0; !err && k < c->nregions; k++) {
		err = cst_section_new(&sec, img, c->regions[k].bytes, c->regions[k].len, NULL);
		if (!err)
			err = cst_space_map(space, c->regions[k].va, c->regions[k].len, sec, 0);
	}
	if (!err)
		err = cst_space_new(&spare, img);
	if (!err)
		err = cst_space_map(spare, 0, 1 << 20, sec, 0);
	if (!err)
		err = cst_space_unmap(spare, 0x1000, 0x1000);
	if (!err)
		err = cst_tree_new(&tree, CST_TREE_FRAMES, 0);
	if (!err)
		err = cst_tree_add(tree, &cfg, &dec);
	if (!err) {
		cst_decoder_set_space(dec, space);
		if (counts)
			cst_decoder_emit(dec, CST_EMIT_COUNTS,
					 &(struct cst_emit_opts){ .counts = counts });
		else if (listing)
			cst_decoder_emit(dec, CST_EMIT_BRANCHES,
					 &(struct cst_emit_opts){ .list = listing });
		err = cst_tree_feed(tree, c->framed, c->framed_len, 0);
	}
	for (pass = 0; !err && pass < 2; pass++) {
		if (pass)
			cst_tree_end(tree);
		for (;;) {
			if (sampling && !err)
				err = cst_decoder_emit(dec, CST_EMIT_SAMPLES, &often);
			if (listing)
				listing->n = 0;
			n = cst_tree_pull(tree, r->gen + r->n, MAX_ELEMENTS - r->n, &p);
			if (n <= 0)
				break;
			if (counts && p.dec && !err)
				err = cst_counts_add(counts, p.dec, r->gen + r->n, (size_t)n);
			r->n += n;
		}
		assert_int_equal(n, 0);
	}
	if (!err)
		r->stats = *cst_decoder_stats(dec);
	if (!err && counts)
		err = hash_counts(counts, c->nregions, &r->counts);
	if (!err && (sampling || listing))
		r->counts = sum_elements(r);
	cst_tree_free(tree);
	cst_counts_free(counts);
	cst_image_free(img);
	r->error = err;
	return err;
}

static struct result whole, broken;

static void one_case(const struct gen_case *c)
{
	const bool summed = counting || sampling || listing;
	uint64_t total, i, changed = 0, refused = 0;

	fail_at = fail_from = 0;
	calls = 0;
	armed = 1;
	decode(c, &whole);
	armed = 0;
	assert_int_equal(whole.error, 0);
	assert_int_equal(whole.stats.resyncs, 0);
	assert_true(whole.n > 4);
	assert_int_equal(summed, whole.counts != 0);
	total = calls;
	assert_true(total > 10);
	for (i = 1; i <= 2 * total; i++) {
		calls = 0;
		fail_at = i <= total ? i : 0;
		fail_from = i <= total ? 0 : i - total;
		armed = 1;
		decode(c, &broken);
		armed = 0;
		if (broken.error) {
			assert_int_equal(broken.error, -CST_ERR_NOMEM);
			refused++;
			continue;
		}
		assert_int_equal(broken.gen[broken.n - 1].kind, CST_GEN_EO_TRACE);
		assert_true(broken.stats.bytes == whole.stats.bytes);
		if (summed && broken.counts == whole.counts)
			continue;
		if (!summed && broken.n == whole.n && !memcmp(broken.gen, whole.gen, whole.n * sizeof(whole.gen[0])))
			continue;
		/* only the queue's memory can change the result, and that is reported as such */
		changed++;
		assert_true(broken.stats.resyncs > 0);
		for (size_t k = 0;; k++) {
			assert_true(k < broken.n);
			if (broken.gen[k].kind == CST_GEN_NO_SYNC && broken.gen[k].error == CST_ERR_NOMEM)
				break;
		}
	}
	/* the setup's calls say that they failed; the cache and the queue go on */
	assert_true(refused > 8 && refused < 2 * total);
	print_message("seed %u: %u allocations, %u results changed\n", (unsigned int)c->seed,
		      (unsigned int)total, (unsigned int)changed);
}

static void test_generated(void **state)
{
	uint64_t seed;
	unsigned int tried = 0;

	(void)state;
	for (seed = 1; tried < 6; seed++) {
		struct gen_case c;

		gen_random_case_without(seed, GEN_X_THREADS | GEN_X_OVERFLOW | GEN_X_CUT, &c);
		decode(&c, &whole);
		if (!whole.stats.resyncs && !whole.error && c.len < 6000) {
			one_case(&c);
			tried++;
		}
		gen_case_free(&c);
	}
}

/* The same, of counts of ranges and branches, which need memory while the decoder runs. */
static void test_counts(void **state)
{
	counting = true;
	test_generated(state);
	counting = false;
}

/* The same, with runs around samples. */
static void test_samples(void **state)
{
	sampling = true;
	test_generated(state);
	sampling = false;
}

/* The same, with a list of branches. */
static void test_lists(void **state)
{
	static struct cst_branch v[CST_LIST_MIN];
	struct cst_branch_list of_this = { .v = v, .cap = CST_LIST_MIN };

	listing = &of_this;
	test_generated(state);
	listing = NULL;
}

/* A queue that must grow and cannot. */
static void test_queue(void **state)
{
	struct cst_config cfg = ete_config(2, 4000);
	static struct cst_generic out[256];
	static uint8_t bytes[3000] = { SYNC };
	struct cst_decoder *dec;
	struct cst_stats stats;
	int n, i, found = 0;

	(void)state;
	memset(bytes + 14, 0xf7, sizeof(bytes) - 14);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, bytes, sizeof(bytes), 0), 0);
	calls = 0;
	fail_at = 2;
	fail_from = 0;
	armed = 1;
	while ((n = cst_decoder_pull(dec, out, 256, NULL)) > 0)
		for (i = 0; i < n; i++)
			found += out[i].kind == CST_GEN_NO_SYNC && out[i].error == CST_ERR_NOMEM;
	armed = 0;
	assert_int_equal(found, 1);
	stats = *cst_decoder_stats(dec);
	assert_int_equal(stats.resyncs, 1);
	assert_int_equal(stats.uncommitted + stats.unsynced, sizeof(bytes) - 14 - 1);
	cst_decoder_free(dec);
}

static void test_constructors(void **state)
{
	struct cst_config cfg = ete_config(2, 0);
	struct cst_decoder *dec;
	struct cst_image *img;
	struct cst_tree *tree;
	struct cst_log *log;
	int i, err, made = 0;

	(void)state;
	for (i = 1; i < 20; i++) {
		calls = 0;
		fail_at = i;
		armed = 1;
		err = cst_decoder_new(&dec, &cfg);
		if (!err)
			cst_decoder_free(dec);
		made += !err;
		assert_true(!err || err == -CST_ERR_NOMEM);
		calls = 0;
		err = cst_image_new(&img, 0);
		if (!err)
			cst_image_free(img);
		made += !err;
		assert_true(!err || err == -CST_ERR_NOMEM);
		calls = 0;
		err = cst_tree_new(&tree, CST_TREE_FRAMES, 0);
		if (!err)
			cst_tree_free(tree);
		made += !err;
		assert_true(!err || err == -CST_ERR_NOMEM);
		calls = 0;
		err = cst_log_new(&log, 5);
		if (!err)
			cst_log_free(log);
		made += !err;
		armed = 0;
		assert_true(!err || err == -CST_ERR_NOMEM);
	}
	assert_int_equal(made, 4 * 19 - 5 - 2 - 4 - 2);
}

/* ---- packages and their logs ------------------------------------------------------------------- */

static int open_package(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	static const char contents[] = "[trace]\nmetadata=t.ini\nbuffer0=a,b\nevent_log=l\nevent_time=ns\n"
				       "[image]\nfile=i\n[memory]\nfile=m\naddress=1\n[code]\nx=c\n";
	static const char trace[] = "[buffer]\nformat: coresight\n[trace_16]\nformat: ITM\n";
	const char *text = strcmp(name, "t.ini") ? contents : trace;

	(void)ctx;
	*data = (const uint8_t *)text;
	*len = strlen(text);
	return 0;
}

static const char events[] =
	"1 declare_process(START, 7, 0x1000, \"/bin/a\", size=0x100)\n"
	"2 declare_library(START, 7, 0x5000, \"lib\", size=0x1000, offset=0x40, tid=7)\n"
	"5 declare_process(START, 8, 0x1000, \"/bin/a\", inherit=7)\n"
	"4 declare_library(START, 7, 0x5800, \"new\", size=0x100)\n"
	"6 declare_process(END, 7, None, None)\n7 declare_thread(START, 9, 8)\n";

static int append(void *ctx, const void *data, size_t len)
{
	(void)data;
	*(size_t *)ctx += len;
	return 0;
}

/* Events that found no memory are counted by the state. */
static int use_package(size_t *written)
{
	struct cst_snap_io io = { .open = open_package };
	const struct cst_sink sink = { written, append };
	struct cst_event_reader *r = NULL;
	struct cst_package *pkg = NULL;
	struct cst_state_counts counts = { 0 };
	struct cst_state *st = NULL;
	int err = cst_package_read(&pkg, &io, NULL);

	*written = 0;
	if (!err)
		err = cst_doc_write(pkg->contents, &sink);
	if (!err)
		err = cst_event_reader_new(&r, events, strlen(events), 0);
	if (!err)
		err = cst_state_new(&st, NULL);
	if (!err)
		err = cst_state_complete(st, r, &sink, NULL);
	if (!err) {
		cst_state_counts(st, &counts);
		err = counts.dropped ? -CST_ERR_NOMEM : 0;
	}
	cst_state_free(st);
	cst_event_reader_free(r);
	cst_package_free(pkg);
	return err;
}

static void test_package(void **state)
{
	size_t want, written;
	uint64_t i, total;
	int err;

	(void)state;
	calls = fail_at = fail_from = 0;
	armed = 1;
	assert_int_equal(use_package(&want), 0);
	armed = 0;
	total = calls;
	assert_true(total > 20);
	for (i = 1; i <= 2 * total; i++) {
		calls = 0;
		fail_at = i <= total ? i : 0;
		fail_from = i <= total ? 0 : i - total;
		armed = 1;
		err = use_package(&written);
		armed = 0;
		assert_true(err == -CST_ERR_NOMEM || err == -CST_ERR_LIMIT || (!err && written == want));
	}
}

/* A name as long as the memory that a package gets at once, so that more is needed at each place behind it in turn. */
static char long_contents[70000];

static int open_long(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	if (!strcmp(name, "t.ini"))
		return open_package(ctx, name, data, len);
	*data = (const uint8_t *)long_contents;
	*len = strlen(long_contents);
	return 0;
}

static void test_package_chunks(void **state)
{
	static const char head[] = "[trace]\nmetadata=t.ini\nbuffer0=";
	struct cst_snap_io io = { .open = open_long };
	struct cst_package *pkg;
	size_t n;
	int err;

	(void)state;
	memset(long_contents, 'a', sizeof(long_contents));
	memcpy(long_contents, head, strlen(head));
	for (n = 65000; n < 65552; n += 16) {
		memset(long_contents + strlen(head), 'a', n);
		memcpy(long_contents + strlen(head) + n, "\n", 2);
		fail_from = 0;
		for (fail_at = 1, err = -1; err; fail_at++) {
			calls = 0;
			armed = 1;
			err = cst_package_read(&pkg, &io, NULL);
			armed = 0;
			assert_true(!err || (err == -CST_ERR_NOMEM && fail_at < 100) || err == -CST_ERR_LIMIT);
		}
		assert_int_equal(strlen(pkg->buffers[0].files[0]), n);
		cst_package_free(pkg);
	}
	fail_at = 0;
}

/* ---- memory of snapshots ------------------------------------------------------------------------- */

/* One core whose memory spaces are alike, and one whose are not. */
static int open_snapshot(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	static const char *const files[][2] = {
		{ "snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\n" },
		{ "cpu.ini", "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[dump]\nfile=code.bin\naddress=0x1000\n"
		  "[dump]\nfile=code.bin\naddress=0x2002\nlength=4\n" },
		{ "spaces.ini", "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n"
		  "[dump1]\nfile=code.bin\naddress=0x1000\nspace=EL3\n[dump2]\nfile=code.bin\naddress=0x1000\noffset=8\nspace=N\n" },
		{ "code.bin", "0123456789abcdef" },
	};
	const char *want = !strcmp(name, "cpu.ini") && *(const bool *)ctx ? "spaces.ini" : name;
	size_t i;

	for (i = 0; strcmp(files[i][0], want); i++)
		;
	*data = (const uint8_t *)files[i][1];
	*len = strlen(files[i][1]);
	return 0;
}

/* What was refused can be had later. */
static void use_memory(const struct cst_snapshot *ss, const struct cst_snap_io *io)
{
	const struct cst_snap_device *core = &ss->devices[0];
	struct cst_snap_memory *mem = NULL;
	struct cst_image *img;
	const uint8_t *bytes;
	int err;

	armed = 0;
	assert_int_equal(cst_image_new(&img, 0), 0);
	armed = 1;
	err = cst_snap_memory_new(&mem, ss, img, io, NULL);
	assert_true(!err || err == -CST_ERR_NOMEM);
	if (!err && (!cst_snap_memory_space(mem, core, CST_MEM_EL1N) || !cst_snap_memory_images(mem, core))) {
		armed = 0;
		assert_non_null(cst_snap_memory_images(mem, core));
		assert_non_null(cst_snap_memory_space(mem, core, CST_MEM_EL1N));
	}
	armed = 0;
	/* without an error all dumps are there, also one whose bytes are copied to be aligned */
	if (!err && ss->devices[0].dumps[0].space == CST_MEM_ANY)
		assert_int_equal(cst_space_read(cst_snap_memory_space(mem, core, CST_MEM_EL1N), 0x2002, 4, &bytes, NULL, NULL), 4);
	cst_image_free(img);
	cst_snap_memory_free(mem);
}

static void test_snapshot_memory(void **state)
{
	bool spaces;
	struct cst_snap_io io = { .ctx = &spaces, .open = open_snapshot };
	struct cst_snapshot *ss;
	uint64_t i, total;
	int k;

	(void)state;
	for (k = 0; k < 2; k++) {
		spaces = k;
		assert_int_equal(cst_snapshot_read(&ss, &io, NULL), 0);
		assert_int_equal(ss->n_devices, 1);
		calls = fail_at = fail_from = 0;
		use_memory(ss, &io);
		total = calls;
		assert_true(total > 4);
		for (i = 1; i <= total; i++) {
			calls = 0;
			fail_at = i;
			use_memory(ss, &io);
			assert_true(calls >= i);
		}
		fail_at = 0;
		cst_snapshot_free(ss);
	}
}

/* ---- indexes ------------------------------------------------------------------------------------- */

static int build_index(const struct check_buffer *b, uint64_t from, size_t len, struct cst_index **ix)
{
	const struct cst_index_opts opts = { .granularity = 1, .full = 1 };
	struct cst_index_builder *ib;
	int fed, err = cst_index_builder_new(&ib, b->format, b->flags, &opts);

	if (err)
		return err;
	err = cst_index_builder_add(ib, b->cfg);
	if (!err) {
		fed = cst_index_builder_feed(ib, b->data + from, len - from, b->offset + from);
		err = cst_index_builder_take(ib, ix);
		/* a failure ends the building */
		if (fed)
			assert_int_equal(err, fed);
	}
	cst_index_builder_free(ib);
	return err;
}

/* Two parts are indexed, joined, written and read; *digest is of the file. */
static int use_index(const struct check_buffer *b, uint64_t *digest)
{
	struct cst_index *first = NULL, *second = NULL;
	const struct cst_index *list[1];
	struct cst_index_problem problem;
	struct cst_index_file *file;
	uint8_t *data = NULL;
	size_t len;
	int err = build_index(b, 0, b->len / 4 * 3 & ~(size_t)15, &first);

	if (!err)
		err = build_index(b, b->len / 4 & ~(size_t)15, b->len, &second);
	if (!err)
		err = cst_index_merge(first, second);
	list[0] = first;
	if (!err)
		err = cst_index_write(list, 1, &data, &len);
	if (!err) {
		*digest = cst_index_digest(0, data, len);
		err = cst_index_read(&file, data, len, &problem);
	}
	if (!err)
		cst_index_file_free(file);
	free(data);
	cst_index_free(first);
	cst_index_free(second);
	return err;
}

/* An index is complete, or -CST_ERR_NOMEM says that it is not. */
static void test_index(void **state)
{
	unsigned int seed, tried = 0;
	uint64_t want, got, i, total;
	struct gen_buffer g;
	int err;

	(void)state;
	for (seed = 0; tried < 4; seed++) {
		gen_open(&g, seed, tried & 1, 3000);
		calls = fail_at = fail_from = 0;
		armed = 1;
		err = use_index(&g.b, &want);
		armed = 0;
		total = calls;
		for (i = 1; !err && i <= 2 * total; i++) {
			calls = 0;
			fail_at = i <= total ? i : 0;
			fail_from = i <= total ? 0 : i - total;
			armed = 1;
			assert_int_equal(use_index(&g.b, &got), -CST_ERR_NOMEM);
			armed = 0;
		}
		/* parts without a common block do not merge */
		assert_true(!err || err == -CST_ERR_CONFLICT);
		tried += !err;
		gen_close(&g);
	}
}

/* ---- Tarmac text --------------------------------------------------------------------------------- */

/* A refused line stays: the next call has it, whatever its pieces. */
static void test_tarmac(void **state)
{
	static const char text[] = "1 clk cpu0 IT (1) 00008000 d503201f O EL1h_n : NOP\n2 clk cpu0 R X0 0000000000000001\n";
	const struct cst_tarmac_record *rec;
	struct cst_tarmac_reader *r;
	uint64_t refused = 0;
	size_t piece, at, n;
	int got, found;

	(void)state;
	calls = fail_from = 0;
	fail_at = 1;
	armed = 1;
	assert_int_equal(cst_tarmac_reader_new(&r, NULL), -CST_ERR_NOMEM);
	assert_null(r);
	for (piece = 1; piece < sizeof(text); piece++) {
		armed = 0;
		assert_int_equal(cst_tarmac_reader_new(&r, &(struct cst_tarmac_opts){ .max_line = piece % 2 ? 40 : 0 }), 0);
		found = 0;
		for (at = 0; at < sizeof(text) - 1; at += n) {
			n = sizeof(text) - 1 - at < piece ? sizeof(text) - 1 - at : piece;
			assert_int_equal(cst_tarmac_feed(r, text + at, n), 0);
			do {
				/* every other allocation fails */
				calls = 0;
				fail_at = refused % 2 ? 0 : 1;
				armed = 1;
				got = cst_tarmac_next(r, &rec);
				armed = 0;
				refused += got < 0 || fail_at == 0;
				found += got > 0;
			} while (got);
		}
		assert_int_equal(found, 2);
		assert_int_equal(cst_tarmac_reader_counts(r)->lines, 2);
		cst_tarmac_reader_free(r);
	}
	assert_true(refused > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tarmac),
		cmocka_unit_test(test_generated),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_constructors),
		cmocka_unit_test(test_package),
		cmocka_unit_test(test_package_chunks),
		cmocka_unit_test(test_snapshot_memory),
		cmocka_unit_test(test_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
