/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches and losses of several streams in one buffer. A decoder stops where code has to be read from a file, with elements that
 * belong to the batch that it goes on with; of an ETMv3 that batch can end there, since its next range is still open.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "session/decode/decode.h"
#include "session/internal.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

#define FAR	0x2000u		/* from the first file to the second one */
#define FIRST	0x10u		/* trace IDs */
#define SECOND	0x12u

TEMP_DIR("batches")

static int make_files(void **state)
{
	static const uint32_t first[] = { 0xe320f000, 0xea0007fd }, second[] = { 0xe320f000, 0xeafffffe };	/* nop; b */

	static const uint32_t a64[] = { 0xd503201f, 0x17ffffff };		/* nop; b .-4 */

	if (make_dir(state))
		return -1;
	temp_write(dir, "a64.bin", a64, sizeof(a64));
	temp_write(dir, "first.bin", first, sizeof(first));
	temp_write(dir, "second.bin", second, sizeof(second));
	return 0;
}

/* What the consumer received. */
struct seen {
	char text[512];		/* a line per range and Trace On */
	int end;		/* returned for a range of the first stream */
};

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct seen *seen = data;
	size_t i, len;
	int rc = 0;

	for (i = 0; i < n; i++) {
		if (g[i].trace_id != s->trace_id)
			fail_msg("an element of trace ID 0x%02x in a batch of 0x%02x", g[i].trace_id, s->trace_id);
		len = strlen(seen->text);
		if (g[i].kind == CST_GEN_TRACE_ON)
			snprintf(seen->text + len, sizeof(seen->text) - len, "%02x on\n", s->trace_id);
		else if (g[i].kind == CST_GEN_RANGE)
			snprintf(seen->text + len, sizeof(seen->text) - len, "%02x %llx-%llx\n", s->trace_id,
				 (unsigned long long)g[i].addr - SB_BASE, (unsigned long long)g[i].end - SB_BASE);
		if (g[i].kind == CST_GEN_RANGE && s->trace_id == FIRST)
			rc = seen->end;
	}
	return rc;
}

static int on_packet(void *data, const struct stream *s, const struct cst_packet *pkt)
{
	(void)data;
	(void)pkt;
	(void)s;
	return 0;
}

/* Two ETMv3 write frames into one buffer; the first one has executed an instruction of the second file at its end. */
static struct session *open_two(void)
{
	static const uint8_t start[] = { 0, 0, 0, 0, 0, 0x80, 0x08, 0x21 };
	const uint64_t unit[] = { 0, 3, 0, 2, 0, FIRST, 0x34c01ac2, 0x410cf250, 0, 3, 0, SECOND, 0x34c01ac2, 0x410cf250 };
	const struct session_opts so = { .symfs = dir };
	struct pdb data = { 0 }, raw = { 0 }, frames = { 0 };
	struct pdb_sid s = sb_sid(1000);
	size_t at, i;

	at = pdb_begin(&data, 70, 0);
	pdb_u32(&data, 3);
	pdb_u32(&data, 0);
	pdb_u64(&data, 0);
	pdb_u64(&data, 8ull << 32 | 2);
	pdb_u64(&data, 0);
	for (i = 2; i < sizeof(unit) / sizeof(unit[0]); i++)
		pdb_u64(&data, i == 2 || i == 8 ? 0x3030303030303030ull : unit[i]);
	pdb_end(&data, at);
	pdb_comm(&data, SB_PID, SB_PID, "loop", SB_ST, &s);
	sb_fork(&data, SB_PID, SB_PID, SB_TID, 1000);
	pdb_mmap2(&data, SB_PID, SB_BASE, 0x1000, 0, "/first.bin", SB_ST, &s);
	pdb_mmap2(&data, SB_PID, SB_BASE + FAR, 0x1000, 0, "/second.bin", SB_ST, &s);
	pdb_bytes(&raw, start, sizeof(start));
	pdb_u32(&raw, SB_BASE);
	pdb_bytes(&raw, "\x8c\x84", 2);	/* EEE; E, before which the last one of the three is open */
	sb_frames(&frames, &raw, FIRST);
	sb_frames(&frames, &raw, SECOND);
	sb_stretch(&data, &frames, 0, 0);
	pdb_free(&raw);
	pdb_free(&frames);
	return sb_open(&data, &so, NULL);
}

/* Elements before a stop for code come in a batch of their own stream before those of the next one. */
static void next_stream_after_a_stop(void **state)
{
	static const struct {
		const char *name;
		bool times, packets;
	} ways[] = { { "with times", true, false }, { "without times", false, false }, { "with packets", true, true } };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct session *ss = open_two();
		struct seen seen = { .text = "" };
		const struct consumer con = { .data = &seen, .wants.times = ways[i].times,
					.wants.packet = ways[i].packets ? on_packet : NULL, .batch = on_batch };

		assert_int_equal(session_run(ss, &con), 0);
		if (strcmp(seen.text, "10 on\n10 0-8\n12 on\n12 0-8\n10 2000-2008\n12 2000-2008\n"))
			fail_msg("%s:\n%s", ways[i].name, seen.text);
		session_close(ss);
	}
}

/* A consumer that ends the run at such a batch receives nothing of the next stream. */
static void end_at_a_stop(void **state)
{
	struct seen seen = { .text = "", .end = 7 };
	const struct consumer con = { .data = &seen, .batch = on_batch };
	struct session *ss = open_two();

	(void)state;
	assert_int_equal(session_run(ss, &con), 7);
	assert_string_equal(seen.text, "10 on\n10 0-8\n");
	session_close(ss);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next_stream_after_a_stop),
		cmocka_unit_test(end_at_a_stop),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
