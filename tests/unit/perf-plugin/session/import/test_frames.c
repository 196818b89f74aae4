/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of captured trace: which of them go into perf.data, the bytes of one trace ID, and how many each ID has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <cstrace/frame.h>

#include "session/import/frames.h"
#include "unit/perf-plugin/perfdata_build.h"

#define FRAME	16u
#define MANY	2000u

static const uint8_t barrier[FRAME] = { 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
					0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f };

/* 7 bytes of the first ID and 6 of the second: `value` and, at even places, the same without its lowest bit. */
static void frame(struct pdb *b, uint8_t first, uint8_t second, uint8_t value)
{
	uint8_t f[FRAME];
	unsigned int i;

	for (i = 0; i < FRAME; i++)
		f[i] = i & 1 ? value : value & 0xfe;
	f[0] = (uint8_t)(first << 1 | 1);
	f[8] = (uint8_t)(second << 1 | 1);
	f[15] = 0;
	pdb_bytes(b, f, FRAME);
}

/* A frame that begins without an ID. */
static void frame_without_id(struct pdb *b)
{
	static const uint8_t f[FRAME] = { 2, 2, 2, 2 };

	pdb_bytes(b, f, FRAME);
}

/* More bytes, and more changes of the ID, than are taken apart at a time. */
static void bytes_of_an_id(void **state)
{
	struct pdb in = { 0 };
	uint64_t others = 5, count[128] = { [0x10] = 1 };
	uint8_t *out;
	size_t len, i, k;

	(void)state;
	frame_without_id(&in);
	for (i = 0; i < MANY; i++)
		frame(&in, i & 1 ? 0x10 : 0x20, i & 1 ? 0x30 : 0x10, (uint8_t)i);
	frame(&in, 0, 0x6f, 4);
	pdb_bytes(&in, barrier, 9);	/* cut */
	frames_of_id(in.p, in.len, 0x10, &out, &len, &others);
	assert_int_equal(len, MANY / 2 * 13);
	/* no ID yet, other IDs, no padding, and the cut frame */
	assert_int_equal(others, 5 + 15 + MANY / 2 * 13 + 6 + 9);
	for (i = 0, k = 0; i < MANY; i++) {
		unsigned int n, nr = i & 1 ? 7 : 6;

		for (n = 0; n < nr; n++, k++)
			assert_int_equal(out[k], n & 1 ? (uint8_t)i & 0xfe : (uint8_t)i);
	}
	assert_int_equal(k, len);
	free(out);
	frames_count_ids(in.p, in.len, CST_FRAME_ALIGNED, FRAMES_SEARCH, count);
	for (i = 0; i < 128; i++)
		assert_int_equal(count[i], i == 0 ? 7 : i == 0x10 ? 1 + MANY / 2 * 13 : i == 0x20 ? MANY / 2 * 7 :
				 i == 0x30 ? MANY / 2 * 6 : i == 0x6f ? 6 : 0);
	pdb_free(&in);
	others = 0;
	frames_of_id(NULL, 0, 0x10, &out, &len, &others);
	assert_int_equal(len, 0);
	assert_int_equal(others, 0);
	free(out);
}

/* A barrier resets the decoders and belongs to no ID. */
static void barriers(void **state)
{
	struct pdb in = { 0 };
	uint64_t others = 0;
	uint8_t *out;
	size_t len;

	(void)state;
	frame(&in, 0x10, 0x10, 1);
	pdb_bytes(&in, barrier, FRAME);
	frame(&in, 0x10, 0x10, 2);
	frames_of_id(in.p, in.len, 0x10, &out, &len, &others);
	assert_int_equal(len, 26);
	assert_int_equal(others, 0);
	free(out);
	pdb_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_of_an_id),
		cmocka_unit_test(barriers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
