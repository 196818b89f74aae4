/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_session_index_book.c - the indexes of an input: where their file is, which of them fit a section and what is said of the
 * others, and what is written.
 */
#include <sys/stat.h>

#include "base/error.h"
#include "base/files/input.h"
#include "session/indexes/index_book.h"
#include "unit/lib_decode.h"
#include "unit/perf-plugin/said.h"
#include "unit/temp_dir.h"

TEMP_DIR("index-book")

#define OFFSET 0x1000

/* Two frames: 14 bytes of trace ID 0x10, and 14 of 0x11. */
static const uint8_t trace[32] = { 0x21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0, 0,
				   0x23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0, 0 };

/* A section with a decoder for each of `n` trace IDs from 0x10 on. */
static struct index_section section_of(unsigned int flags, unsigned int n, const struct cst_config *cfg)
{
	struct index_section s = { .data = trace, .offset = OFFSET, .size = sizeof(trace), .name = "buffer 0" };
	struct cst_config c = *cfg;
	struct cst_decoder *dec;

	assert_int_equal(cst_tree_new(&s.tree, CST_TREE_FRAMES, flags), 0);
	for (; n; n--, c.trace_id++)
		assert_int_equal(cst_tree_add(s.tree, &c, &dec), 0);
	return s;
}

static struct index_book book_of(const char *input, const char *file)
{
	struct index_book b = { .opts.granularity = 0 };

	index_book_init(&b, "test", input, file);
	input_forget_all();
	return b;
}

/* Writes an index of the section to the file of `input`; `change` makes of it what the test needs. */
static void write_index(const char *input, const struct index_section *s, void (*change)(struct cst_index *ix))
{
	struct index_book b = book_of(input, NULL);

	b.opts.granularity = 777;
	b.opts.full = 1;
	assert_int_equal(index_book_make(&b, s), 0);
	if (change)
		change(b.made[0]);
	assert_int_equal(index_book_write(&b), 0);
	index_book_free(&b);
}

/* ---- where the file is ---------------------------------------------------------------------------- */

static void places(void **state)
{
	struct index_book b = book_of("perf.data", NULL);
	char want[128];

	(void)state;
	assert_string_equal(b.path, "perf.data.cstidx");
	assert_false(b.keep);
	assert_int_equal(b.only_id, -1);
	index_book_free(&b);
	b = book_of(dir, NULL);
	snprintf(want, sizeof(want), "%s/cstrace.cstidx", dir);
	assert_string_equal(b.path, want);
	index_book_free(&b);
	b = book_of(dir, "mine");
	assert_string_equal(b.path, "mine");
	assert_true(b.keep);
	index_book_free(&b);
	/* the standard input has no file beside it */
	b = book_of("-", NULL);
	assert_null(b.path);
	assert_int_equal(index_book_read(&b), 0);
	assert_false(b.was_read || b.refused);
	index_book_free(&b);
}

/* ---- which index fits ----------------------------------------------------------------------------- */

static void other_offset(struct cst_index *ix)
{
	ix->trace_offset--;
	ix->end--;
}

static void other_size(struct cst_index *ix)
{
	ix->trace_size++;
}

static void other_digest(struct cst_index *ix)
{
	ix->trace_digest = 1;
}

static void other_flags(struct cst_index *ix)
{
	ix->flags = CST_FRAME_RESET_4X;
}

static void other_format(struct cst_index *ix)
{
	ix->format = CST_TREE_RAW;
}

static void other_name(struct cst_index *ix)
{
	ix->name[0] = 'B';
}

static void strict_frames(struct cst_index *ix)
{
	ix->flags |= CST_FRAME_STRICT;
}

static void other_config(struct cst_index *ix)
{
	ix->streams[0].config = 5;
}

static void without_second(struct cst_index *ix)
{
	struct cst_index_stream *s = &ix->streams[--ix->n_streams];

	free(s->blocks);
	free(s->records);
}

static void without_second_bytes(struct cst_index *ix)
{
	without_second(ix);
	ix->sources[0].ids[0] = 1ull << 0x10;
}

static const struct {
	const char *name;
	void (*change)(struct cst_index *ix);
	const char *says;	/* behind the path, NULL: nothing */
	bool refused, added, made;
} verdicts[] = {
	{ "fits", NULL, NULL, false, false, false },
	{ "no bytes of that ID", without_second_bytes, NULL, false, false, false },
	{ "offset", other_offset, "buffer 0: bytes of the trace: found 0x20, expected 0x20: this index is not used; it is made anew\n",
	  true, false, true },
	{ "size", other_size, "buffer 0: bytes of the trace: found 0x21, expected 0x20: this index is not used; it is made anew\n",
	  true, false, true },
	{ "digest", other_digest, "buffer 0: made of another trace (digest): found 0x1, expected 0x", true, false, true },
	{ "flags", other_flags, "buffer 0: layout of the buffer: found 0x104, expected 0x100: this index is not used; it is made anew\n",
	  true, false, true },
	{ "format", other_format, "buffer 0: layout of the buffer: found 0x0, expected 0x100: this index is not used; it is made anew\n",
	  true, false, true },
	{ "configuration", other_config, "buffer 0: trace ID 0x10: made for another configuration: found 0x5, expected 0x", true, false,
	  true },
	{ "stream", without_second, "buffer 0: streams of trace ID 0x11: found 0x0, expected 0x1: this index is not used; it is made anew\n",
	  true, false, true },
	{ "strict frames", strict_frames, "this index is for listings with other options (--strict, --format=opencsd): one is made for "
	  "these, too\n", false, true, true },
	{ "name", other_name, "there is no index of 'buffer 0' in it: decoding begins at the beginning ('perf-cstrace index' writes one)\n",
	  false, false, false },
};

/* What does not fit is said once, and made anew as fine as it was; for other options one more is made. */
static void fitting(void **state)
{
	const struct cst_config cfg = etm_config(4, 0);
	struct index_section s = section_of(0, 2, &cfg);
	char want[512];
	struct said said;
	size_t i;

	(void)state;
	assert_int_equal(CST_TREE_FRAMES, 1);
	for (i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		const struct cst_index *ix;
		struct index_book b;

		write_index(temp_path(dir, "in"), &s, verdicts[i].change);
		b = book_of(temp_path(dir, "in"), NULL);
		assert_int_equal(index_book_read(&b), 1);
		said_begin(&said);
		ix = index_book_get(&b, &s);
		/* the second time there is no message and no index */
		assert_ptr_equal(index_book_get(&b, &s), ix);
		said_end(&said);
		snprintf(want, sizeof(want), "test: %s/in.cstidx: ", dir);
		if (verdicts[i].says) {
			assert_memory_equal(said.text, want, strlen(want));
			if (strncmp(said.text + strlen(want), verdicts[i].says, strlen(verdicts[i].says)))
				fail_msg("%s: %s", verdicts[i].name, said.text);
			assert_ptr_equal(strchr(said.text, '\n') + 1, said.text + strlen(said.text));
		} else {
			assert_string_equal(said.text, "");
		}
		if (b.refused != verdicts[i].refused || b.added != verdicts[i].added || b.nr_made != verdicts[i].made)
			fail_msg("%s: refused %d, added %d, made %zu", verdicts[i].name, b.refused, b.added, b.nr_made);
		if (verdicts[i].made) {
			assert_ptr_equal(ix, b.made[0]);
			assert_int_equal(ix->granularity, 777);
			assert_int_equal(ix->full, 1);
			assert_string_equal(ix->name, "buffer 0");
			assert_int_equal(ix->trace_offset, OFFSET);
			assert_int_equal(ix->trace_size, sizeof(trace));
			assert_int_equal(ix->trace_digest, cst_index_sample(0, trace, sizeof(trace)));
			assert_int_equal(ix->n_streams, 2);
		} else if (verdicts[i].change == other_name) {
			assert_null(ix);
		} else {
			assert_ptr_equal(ix, b.file->indexes[0]);
		}
		assert_int_equal(b.dropped[0], verdicts[i].refused);
		index_book_free(&b);
	}
	cst_tree_free(s.tree);
}

/* A block whose bytes are not those of the index is found when decoding begins there. */
static void checked(void **state)
{
	const struct cst_config cfg = etm_config(4, 0);
	struct index_section s = section_of(0, 2, &cfg);
	const struct cst_index *ix, *again;
	struct cst_index_source *src;
	struct index_book b;
	struct said said;
	char want[512];
	unsigned int i;

	(void)state;
	write_index(temp_path(dir, "in"), &s, NULL);
	for (i = 0; i < 5; i++) {
		b = book_of(temp_path(dir, "in"), NULL);
		assert_int_equal(index_book_read(&b), 1);
		ix = index_book_get(&b, &s);
		assert_ptr_equal(ix, b.file->indexes[0]);
		src = b.file->indexes[0]->sources;
		src->digest ^= i == 1;
		/* a file may say anything: blocks before the section, and behind it */
		src->offset -= i == 2 ? 1 : 0;
		b.file->indexes[0]->end += i == 3 ? 1 : 0;
		said_begin(&said);
		again = index_book_check(&b, ix, &s, i == 4 ? OFFSET - 1 : OFFSET + 5);
		said_end(&said);
		if (i == 0 || i == 4) {
			assert_ptr_equal(again, ix);
			assert_string_equal(said.text, "");
			assert_false(b.refused || b.dropped[0]);
		} else {
			assert_int_equal(b.nr_made, 1);
			assert_ptr_equal(again, b.made[0]);
			assert_true(b.refused && b.dropped[0]);
			snprintf(want, sizeof(want), "test: %s/in.cstidx: buffer 0: bytes at offset %u (digest): found 0x%llx, expected 0x%llx: "
				 "this index is not used; it is made anew\n", dir, OFFSET - (i == 2), (unsigned long long)src->digest,
				 i == 1 ? (unsigned long long)cst_index_digest(0, trace, sizeof(trace)) : 0);
			assert_string_equal(said.text, want);
		}
		index_book_free(&b);
	}
	cst_tree_free(s.tree);
}

/* One message in a run names the first section that has no index, or whose index is not used. */
static void reported_once(void **state)
{
	const struct cst_config cfg = etm_config(4, 0);
	struct index_section s = section_of(0, 1, &cfg), other = s;
	struct index_book b;
	struct said said;
	char want[512];
	unsigned int way;

	(void)state;
	write_index(temp_path(dir, "in"), &s, NULL);
	snprintf(other.name, sizeof(other.name), "buffer 1");
	for (way = 0; way < 3; way++) {
		b = book_of(temp_path(dir, "in"), NULL);
		/* without a file nothing is reported */
		if (way)
			assert_int_equal(index_book_read(&b), 1);
		said_begin(&said);
		if (way == 2)
			index_book_unused(&b, &s, "no reason");
		assert_null(index_book_get(&b, &other));
		assert_null(index_book_get(&b, &other));
		index_book_unused(&b, &s, "another reason");
		said_end(&said);
		snprintf(want, sizeof(want), way == 1 ? "test: %s/in.cstidx: there is no index of 'buffer 1' in it: decoding begins at the "
			 "beginning ('perf-cstrace index' writes one)\n" : way ? "test: %s/in.cstidx: 'buffer 0' is decoded from its "
			 "beginning in spite of its index: no reason\n" : "%.0s", dir);
		assert_string_equal(said.text, want);
		assert_int_equal(b.reported, way > 0);
		index_book_free(&b);
	}
	/* an index that could not be read is made for each section */
	temp_write(dir, "in.cstidx", "nonsense", 8);
	b = book_of(temp_path(dir, "in"), NULL);
	said_begin(&said);
	assert_int_equal(index_book_read(&b), ERR_REPORTED);
	assert_non_null(index_book_get(&b, &s));
	assert_non_null(index_book_get(&b, &other));
	said_end(&said);
	assert_int_equal(b.nr_made, 2);
	index_book_free(&b);
	cst_tree_free(s.tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		cmocka_unit_test(fitting),
		cmocka_unit_test(checked),
		cmocka_unit_test(reported_once),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
