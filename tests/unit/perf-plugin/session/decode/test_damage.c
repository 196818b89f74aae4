/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damaged recordings: cut at every byte, every single bit of everything flipped. Nothing may crash,
 * nothing may take long, and no more may come out than was put in.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfdata/reader.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "session/session.h"
#include "unit/perf-plugin/session_build.h"

struct sums {
	uint64_t elements, atoms, fragments;
};

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct sums *sum = data;
	struct session_loc loc;
	uint8_t code[8];
	size_t i;

	sum->elements += n;
	for (i = 0; i < n; i++) {
		sum->atoms += g[i].kind == CST_GEN_RANGE || g[i].kind == CST_GEN_NACC;
		session_locate(s, g[i].addr, &loc);
		session_read_code(s, g[i].addr, code, sizeof(code));
	}
	return 0;
}

static int on_fragment(void *data, const struct fragment_event *e)
{
	if (e->ended)
		return 0;
	((struct sums *)data)->fragments++;
	return 0;
}

static const struct session_opts no_files = { .symfs = "/nonexistent", .cache_limit = 1 << 20 };

/* False when it cannot even be opened. */
static bool run(const uint8_t *p, size_t len, struct sums *sum)
{
	struct consumer con = { .data = sum, .batch = on_batch, .fragment = on_fragment };
	struct perfdata *pd;
	struct error err;
	struct session *ss;

	memset(sum, 0, sizeof(*sum));
	pd = perfdata_open_memory(p, len, "damaged", &err);
	if (!pd) {
		assert_true(err.msg[0]);
		return false;
	}
	ss = session_open_perfdata(&no_files, pd);
	if (!ss)
		return false;
	session_run(ss, &con);
	if (!sum->fragments)
		assert_int_equal(sum->elements, 0);
	session_close(ss);
	return true;
}

/* Two fragments, raw and framed, and everything the index knows. */
static void make(struct pdb *file)
{
	struct pdb data = { 0 }, raw = { 0 }, framed = { 0 };
	struct pdb_sid s = sb_sid(900);
	size_t at;

	sb_trace(&raw, SB_TID);
	sb_frames(&framed, &raw, 0x14);
	sb_side_band(&data, "/two.bin");
	at = pdb_begin(&data, 21, 0);
	pdb_u64(&data, 0x14 | 7ull << 8 | 1ull << 56);
	pdb_sid_put(&data, SB_ST, &s);
	pdb_end(&data, at);
	at = pdb_begin(&data, 12, 0);
	pdb_u32(&data, SB_PID);
	pdb_u32(&data, SB_TID);
	pdb_sid_put(&data, SB_ST, &s);
	pdb_end(&data, at);
	sb_aux(&data, 0, framed.len, 0, 5000);
	sb_aux(&data, framed.len, raw.len, 0x100, 5500);
	pdb_bytes(&framed, raw.p, raw.len);
	pdb_auxtrace(&data, 0, framed.p, framed.len, 2, (uint32_t)-1);
	pdb_file(file, &sb_attr, 1, 0, &data, NULL, 0);
	pdb_free(&data);
	pdb_free(&raw);
	pdb_free(&framed);
}

/* Thousands of messages are right here, and of no interest. */
static int quiet_fd = -1;

static int be_quiet(void **state)
{
	int null = open("/dev/null", O_WRONLY);

	(void)state;
	fflush(stderr);
	quiet_fd = dup(STDERR_FILENO);
	dup2(null, STDERR_FILENO);
	close(null);
	return 0;
}

static int be_loud(void **state)
{
	(void)state;
	fflush(stderr);
	dup2(quiet_fd, STDERR_FILENO);
	close(quiet_fd);
	return 0;
}

static void cut_everywhere(void **state)
{
	struct pdb file = { 0 };
	struct sums sum;
	size_t len;

	(void)state;
	make(&file);
	assert_true(run(file.p, file.len, &sum));
	assert_int_equal(sum.fragments, 2);
	for (len = 0; len < file.len; len++) {
		uint8_t *copy = malloc(len ? len : 1);	/* so that reading on is seen */

		memcpy(copy, file.p, len);
		run(copy, len, &sum);
		assert_in_range(sum.fragments, 0, 2);
		free(copy);
	}
	pdb_free(&file);
}

static void every_bit_flipped(void **state)
{
	struct pdb file = { 0 };
	struct timespec a, b;
	struct sums sum;
	size_t bit, runs = 0;

	(void)state;
	make(&file);
	for (bit = 0; bit < file.len * 8; bit++) {
		file.p[bit / 8] ^= 1u << bit % 8;
		clock_gettime(CLOCK_MONOTONIC, &a);
		runs += run(file.p, file.len, &sum);
		clock_gettime(CLOCK_MONOTONIC, &b);
		assert_in_range(b.tv_sec - a.tv_sec, 0, 10);
		/* 2 * 24 atoms; a flipped header makes up to 24 atoms out of one */
		assert_in_range(sum.atoms, 0, 2 * SB_ATOMS + 100);
		file.p[bit / 8] ^= 1u << bit % 8;
	}
	/* most bits are inside the trace and the names */
	assert_true(runs > file.len * 4);
	pdb_free(&file);
}

/*
 * AUXTRACE records of size 0 make a queue that has no bytes to cut fragments from. The seed queue-without-data of
 * fuzz_session is the second case for clang's sanitizer, which reports offset 0 from a null pointer; gcc's does not.
 */
static void queue_without_data(void **state)
{
	static const struct {
		unsigned int chunks;
		bool aux;	/* with an AUX record, which then finds none of its bytes */
	} cases[] = { { 0, false }, { 1, false }, { 3, false }, { 0, true }, { 1, true } };
	unsigned int i, k;
	struct sums sum;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pdb data = { 0 }, file = { 0 };

		sb_side_band(&data, "/two.bin");
		if (cases[i].aux)
			sb_aux(&data, 0, 64, 0, 5000);
		for (k = 0; k < cases[i].chunks; k++)
			pdb_auxtrace(&data, 0, NULL, 0, 2, (uint32_t)-1);
		pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
		assert_true(run(file.p, file.len, &sum));
		assert_int_equal(sum.fragments, 0);
		pdb_free(&data);
		pdb_free(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cut_everywhere, be_quiet, be_loud),
		cmocka_unit_test_setup_teardown(every_bit_flipped, be_quiet, be_loud),
		cmocka_unit_test_setup_teardown(queue_without_data, be_quiet, be_loud),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
