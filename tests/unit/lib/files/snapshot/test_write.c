/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_snapshot_write.c - the writer of Arm snapshots: what was written reads back as the same snapshot,
 * and what the format cannot say is refused before a file is written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/error.h>
#include <cstrace/files/snapshot.h>

#define MAX_FILES 64

struct files {
	struct {
		char name[64];
		uint8_t *data;
		size_t len;
	} f[MAX_FILES];
	size_t n;
	size_t fail_at;		/* the write that fails, from 1; 0: none */
	size_t writes;
	int notes;
};

static int put_file(void *ctx, const char *name, const void *data, size_t len)
{
	struct files *fs = ctx;

	if (++fs->writes == fs->fail_at)
		return -1;
	assert_true(fs->n < MAX_FILES);
	snprintf(fs->f[fs->n].name, sizeof(fs->f[0].name), "%s", name);
	fs->f[fs->n].data = malloc(len + 1);
	assert_non_null(fs->f[fs->n].data);
	memcpy(fs->f[fs->n].data, data, len);
	fs->f[fs->n++].len = len;
	return 0;
}

static int open_file(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	struct files *fs = ctx;
	size_t i;

	for (i = 0; i < fs->n; i++)
		if (!strcmp(fs->f[i].name, name)) {
			*data = fs->f[i].data;
			*len = fs->f[i].len;
			return 0;
		}
	return -1;
}

static void note(void *ctx, const struct cst_snap_note *n)
{
	struct files *fs = ctx;

	assert_non_null(n->text);
	assert_non_null(n->file);
	assert_true(n->error < 0);
	fs->notes++;
}

static void forget(struct files *fs)
{
	while (fs->n)
		free(fs->f[--fs->n].data);
	memset(fs, 0, sizeof(*fs));
}

static int write_to(struct files *fs, const struct cst_snapshot *ss)
{
	struct cst_snap_sink sink = { .ctx = fs, .write = put_file, .note = note };

	return cst_snapshot_write(ss, &sink, NULL, NULL);
}

/* ---- equality ---------------------------------------------------------------------------------- */

static void same_text(const char *a, const char *b)
{
	assert_string_equal(a ? a : "", b ? b : "");
}

static void same_links(const struct cst_snap_link *a, size_t na, const struct cst_snap_link *b, size_t nb)
{
	assert_int_equal(na, nb);
	for (; na; na--, a++, b++) {
		assert_string_equal(a->from, b->from);
		assert_string_equal(a->to, b->to);
		assert_int_equal(a->stream, b->stream);
		assert_int_equal(a->has_stream, b->has_stream);
	}
}

static void same_device(const struct cst_snap_device *a, const struct cst_snap_device *b)
{
	size_t i;

	same_text(a->file, b->file);
	same_text(a->name, b->name);
	same_text(a->type, b->type);
	same_text(a->location, b->location);
	assert_int_equal(a->class_, b->class_);
	assert_int_equal(a->n_regs, b->n_regs);
	assert_int_equal(a->n_dumps, b->n_dumps);
	for (i = 0; i < a->n_regs; i++) {
		assert_string_equal(a->regs[i].name, b->regs[i].name);
		assert_true(a->regs[i].value == b->regs[i].value);
		assert_int_equal(a->regs[i].has_id, b->regs[i].has_id);
		assert_int_equal(a->regs[i].bits, b->regs[i].bits);
		if (a->regs[i].has_id)
			assert_int_equal(a->regs[i].id, b->regs[i].id);
	}
	for (i = 0; i < a->n_dumps; i++) {
		assert_string_equal(a->dumps[i].file, b->dumps[i].file);
		assert_true(a->dumps[i].address == b->dumps[i].address);
		assert_true(a->dumps[i].offset == b->dumps[i].offset);
		assert_true(a->dumps[i].length == b->dumps[i].length);
		assert_int_equal(a->dumps[i].space, b->dumps[i].space);
	}
}

static void same_snapshot(const struct cst_snapshot *a, const struct cst_snapshot *b)
{
	size_t i, k;

	same_text(a->description, b->description);
	assert_int_equal(a->n_devices, b->n_devices);
	assert_int_equal(a->n_buffers, b->n_buffers);
	assert_int_equal(b->n_skipped, 0);
	for (i = 0; i < a->n_devices; i++)
		same_device(&a->devices[i], &b->devices[i]);
	for (i = 0; i < a->n_buffers; i++) {
		same_text(a->buffers[i].id, b->buffers[i].id);
		same_text(a->buffers[i].name, b->buffers[i].name);
		same_text(a->buffers[i].format_name, b->buffers[i].format_name);
		assert_int_equal(a->buffers[i].n_files, b->buffers[i].n_files);
		for (k = 0; k < a->buffers[i].n_files; k++)
			same_text(a->buffers[i].files[k], b->buffers[i].files[k]);
	}
	same_links(a->core_sources, a->n_core_sources, b->core_sources, b->n_core_sources);
	same_links(a->source_buffers, a->n_source_buffers, b->source_buffers, b->n_source_buffers);
	same_links(a->clusters, a->n_clusters, b->clusters, b->n_clusters);
}

static void round_trip(const struct cst_snapshot *ss)
{
	struct files fs = { .n = 0 };
	struct cst_snap_io io = { .ctx = &fs, .open = open_file, .note = note };
	struct cst_snapshot *back;

	assert_int_equal(write_to(&fs, ss), 0);
	assert_int_equal(cst_snapshot_read(&back, &io, NULL), 0);
	assert_int_equal(fs.notes, 0);
	same_snapshot(ss, back);
	cst_snapshot_free(back);
	forget(&fs);
}

/* ---- a snapshot with everything ---------------------------------------------------------------- */

struct full {
	struct cst_snapshot ss;
	struct cst_snap_device dev[3];
	struct cst_snap_reg core_regs[2], etm_regs[3];
	struct cst_snap_dump dumps[2];
	struct cst_snap_buffer buf[2];
	const char *files[3];
	struct cst_snap_link clusters[3], core[1], src[3];
};

static void make_full(struct full *f)
{
	*f = (struct full){
		.core_regs = { { "PC", 0xffffffc000081000, 0, 0, 64 }, { "CPSR", 5, 0, 0, 32 } },
		.etm_regs = { { "TRCCONFIGR", 0xc1, 4, 1, 32 }, { "TRCTRACEIDR", 0x10, 0x10, 1, 64 },
			      { "odd", 0, 0, 1, 7 } },
		.dumps = { { "code.bin", 0x400000, 0, 0x1000, 0, CST_MEM_ANY },
			   { "code.bin", 0xffff000000000000, 0x1000, 0, 0, CST_MEM_EL2N } },
		.files = { "a.bin", "sub/b.bin", "c.bin" },
		.clusters = { { "Cluster 0", "cpu_0", 0, 0 }, { "Cluster 0", "cpu_1", 0, 0 }, { "C1", "x", 0, 0 } },
		.core = { { "cpu_0", "@address:0x10", 0, 0 } },
		.src = { { "ETM_0", "ETB_0", 0, 1 }, { "ETM_0", "ETB_1", 0, 0 }, { "ETM_0", "ETB_1", 1, 1 } },
	};
	f->dev[0] = (struct cst_snap_device){ "cpu_0.ini", "cpu_0", "Cortex-A53", "address:0x10",
					      CST_SNAP_CORE, f->core_regs, f->dumps, 2, 2 };
	f->dev[1] = (struct cst_snap_device){ "etm.ini", "ETM_0", "ETM4.2", "", CST_SNAP_SOURCE,
					      f->etm_regs, NULL, 3, 0 };
	f->dev[2] = (struct cst_snap_device){ "ram.ini", "ram", "", "", CST_SNAP_MEMORY, NULL, NULL, 0, 0 };
	f->buf[0] = (struct cst_snap_buffer){ "b0", "ETB_0", "coresight", f->files, 2, 0 };
	f->buf[1] = (struct cst_snap_buffer){ "b1", "ETB_1", "source_data", f->files + 2, 1, 0 };
	f->ss = (struct cst_snapshot){ "1.0", "two words", f->dev, f->buf, f->core, f->src, f->clusters,
				       3, 2, 1, 3, 3, 0 };
}

static void test_everything(void **state)
{
	struct full f;

	(void)state;
	make_full(&f);
	round_trip(&f.ss);
	f.ss.description = NULL;
	f.ss.version = NULL;
	f.ss.n_clusters = f.ss.n_core_sources = f.ss.n_source_buffers = 0;
	round_trip(&f.ss);
	f.ss.n_buffers = 0;
	f.ss.n_devices = 1;
	round_trip(&f.ss);
}

static void test_spaces(void **state)
{
	static const uint8_t spaces[] = {
		CST_MEM_EL1N, CST_MEM_EL2N, CST_MEM_EL1S, CST_MEM_EL2S, CST_MEM_EL3, CST_MEM_EL1R,
		CST_MEM_EL2R, CST_MEM_ROOT, CST_MEM_EL1N | CST_MEM_EL2N,
		CST_MEM_EL1S | CST_MEM_EL2S | CST_MEM_EL3, CST_MEM_EL1R | CST_MEM_EL2R, CST_MEM_ANY,
	};
	struct full f;
	size_t i;

	(void)state;
	make_full(&f);
	for (i = 0; i < sizeof(spaces); i++) {
		f.dumps[1].space = spaces[i];
		round_trip(&f.ss);
	}
}

/* Snapshots of random size and content; names from letters that the format leaves alone. */
static const char *random_name(char *out, unsigned int *seed, unsigned int number)
{
	static const char letters[] = "abcXYZ019_-.@: /\\()\xc3\xa9";
	size_t i, n = 1 + (unsigned int)rand_r(seed) % 12;

	out[0] = 'n';
	for (i = 1; i < n; i++)
		out[i] = letters[(unsigned int)rand_r(seed) % (sizeof(letters) - 1)];
	snprintf(out + n, 16, "z%u", number);
	return out;
}

static void test_random(void **state)
{
	static char names[64][40];
	struct full f;
	unsigned int seed, s, k;
	size_t i;

	(void)state;
	for (seed = 1; seed <= 400; seed++) {
		s = seed;
		make_full(&f);
		for (k = 0; k < 64; k++)
			random_name(names[k], &s, k);
		f.ss.n_devices = 1 + (unsigned int)rand_r(&s) % 3;
		for (i = 0; i < f.ss.n_devices; i++) {
			f.dev[i].file = names[i];
			f.dev[i].name = names[3 + i];
			f.dev[i].type = names[6 + i];
			f.dev[i].class_ = (uint8_t)((unsigned int)rand_r(&s) % 4);
			f.dev[i].n_regs = f.dev[i].regs ? (unsigned int)rand_r(&s) % 3 : 0;
		}
		f.etm_regs[0].value = (uint64_t)rand_r(&s) << 33 ^ (unsigned int)rand_r(&s);
		f.etm_regs[0].bits = (uint8_t)((unsigned int)rand_r(&s) % 65);
		if (f.etm_regs[0].bits < 64)
			f.etm_regs[0].value &= ((uint64_t)1 << f.etm_regs[0].bits) - 1;
		f.etm_regs[1].id = (uint32_t)rand_r(&s);
		f.dumps[0].file = names[20];
		f.dumps[0].address = (uint64_t)rand_r(&s) << 40;
		f.dumps[1].offset = (uint64_t)rand_r(&s);
		f.buf[0].name = names[21];
		f.files[0] = names[22];
		f.src[1].stream = (uint8_t)rand_r(&s);
		f.src[1].has_stream = 1;
		f.core[0].to = names[23];
		f.clusters[1].to = names[24];
		f.ss.description = names[25];
		round_trip(&f.ss);
	}
}

/* ---- what is refused --------------------------------------------------------------------------- */

static void refused(struct full *f, int error)
{
	struct files fs = { .n = 0 };

	assert_int_equal(write_to(&fs, &f->ss), error);
	assert_int_equal(fs.notes, 1);
	assert_int_equal(fs.n, 0);
	forget(&fs);
	make_full(f);
}

static void test_refused(void **state)
{
	static const char *const bad[] = { "", " a", "a ", "a\nb", "a;b", "a#b", "a\tb\r" };
	static struct cst_snap_buffer many[257];
	static char ids[257][8];
	struct full f;
	size_t i;

	(void)state;
	make_full(&f);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		f.dev[0].name = bad[i];
		refused(&f, -CST_ERR_INVAL);
		f.dev[1].file = bad[i];
		refused(&f, -CST_ERR_INVAL);
		f.etm_regs[2].name = bad[i];
		refused(&f, -CST_ERR_INVAL);
		f.dumps[1].file = bad[i];
		refused(&f, -CST_ERR_INVAL);
		f.buf[1].id = bad[i];
		refused(&f, -CST_ERR_INVAL);
		f.files[2] = bad[i];
		refused(&f, -CST_ERR_INVAL);
		f.src[2].to = bad[i];
		refused(&f, -CST_ERR_INVAL);
		f.clusters[0].from = bad[i];
		refused(&f, -CST_ERR_INVAL);
		if (*bad[i]) {
			f.ss.description = bad[i];
			refused(&f, -CST_ERR_INVAL);
		}
	}
	f.files[0] = "a,b";
	refused(&f, -CST_ERR_INVAL);
	f.src[0].to = "a,b";
	refused(&f, -CST_ERR_INVAL);
	f.src[0].from = "a(b";
	refused(&f, -CST_ERR_INVAL);
	f.core[0].from = "a=b";
	refused(&f, -CST_ERR_INVAL);
	f.buf[0].id = "Trace_Buffers";
	refused(&f, -CST_ERR_INVAL);
	f.buf[0].id = "b1";
	refused(&f, -CST_ERR_INVAL);
	f.buf[0].n_files = 0;
	refused(&f, -CST_ERR_INVAL);
	f.dumps[0].space = CST_MEM_EL1N | CST_MEM_EL3;
	refused(&f, -CST_ERR_INVAL);
	f.dev[1].name = "cpu_0";
	refused(&f, -CST_ERR_INVAL);
	f.dev[1].file = "cpu_0.ini";
	refused(&f, -CST_ERR_INVAL);
	f.dev[1].file = "trace.ini";
	refused(&f, -CST_ERR_INVAL);
	f.dev[1].file = "snapshot.ini";
	refused(&f, -CST_ERR_INVAL);
	f.ss.n_devices = 0;
	refused(&f, -CST_ERR_INVAL);
	f.ss.n_buffers = 0;
	refused(&f, -CST_ERR_INVAL);
	f.ss.version = "2.0";
	refused(&f, -CST_ERR_VERSION);
	/* as many buffers as are read, and one more */
	for (i = 0; i < 257; i++) {
		snprintf(ids[i], sizeof(ids[i]), "b%zu", i);
		many[i] = (struct cst_snap_buffer){ ids[i], "ETB", "coresight", f.files, 1, 0 };
	}
	f.ss.buffers = many;
	f.ss.n_buffers = 256;
	round_trip(&f.ss);
	f.ss.n_buffers = 257;
	refused(&f, -CST_ERR_LIMIT);
}

/* Names of the two files that a caller chooses. */
static void test_own_names(void **state)
{
	static const struct {
		const char *index, *metadata;
		int error;
	} rows[] = {
		{ "a.ini", "b.ini", 0 }, { NULL, "b.ini", 0 }, { "a.ini", NULL, 0 },
		{ "a.ini", "a.ini", -CST_ERR_INVAL }, { "trace.ini", NULL, -CST_ERR_INVAL }, { "", "b.ini", -CST_ERR_INVAL },
		{ "a.ini", "", -CST_ERR_INVAL }, { "a;b", NULL, -CST_ERR_INVAL }, { NULL, "b\n", -CST_ERR_INVAL },
		{ "etm.ini", NULL, -CST_ERR_INVAL }, { NULL, "etm.ini", -CST_ERR_INVAL },
	};
	struct cst_snap_io io = { .open = open_file, .note = note };
	struct cst_snapshot *back;
	struct full f;
	size_t i;

	(void)state;
	make_full(&f);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct files fs = { .n = 0 };
		struct cst_snap_sink sink = { .ctx = &fs, .write = put_file, .note = note };

		assert_int_equal(cst_snapshot_write(&f.ss, &sink, rows[i].index, rows[i].metadata), rows[i].error);
		assert_int_equal(fs.notes, rows[i].error != 0);
		assert_int_equal(fs.n, rows[i].error ? 0 : 5);
		if (!rows[i].error) {
			io.ctx = &fs;
			assert_int_equal(cst_snapshot_read(&back, &io, rows[i].index), 0);
			same_snapshot(&f.ss, back);
			cst_snapshot_free(back);
		}
		forget(&fs);
	}
}

static void test_failing_sink(void **state)
{
	struct files fs = { .n = 0 };
	struct full f;
	size_t i;

	(void)state;
	make_full(&f);
	for (i = 1; i <= 5; i++) {
		fs.fail_at = i;
		assert_int_equal(write_to(&fs, &f.ss), -CST_ERR_IO);
		assert_int_equal(fs.n, i - 1);
		assert_int_equal(fs.notes, 1);
		forget(&fs);
	}
	assert_int_equal(write_to(&fs, &f.ss), 0);
	assert_int_equal(fs.n, 5);
	forget(&fs);
	assert_int_equal(cst_snapshot_write(&f.ss, NULL, NULL, NULL), -CST_ERR_INVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_spaces),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_own_names),
		cmocka_unit_test(test_failing_sink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
