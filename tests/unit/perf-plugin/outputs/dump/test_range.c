/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a part of a listing begins at the place that the index has, and when at the beginning: the
 * code depends on contexts before it.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "outputs/dump/range.h"
#include "unit/temp_dir.h"

TEMP_DIR("dump-range")

#define SYNC 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x04
/* What a context has, as in its packet: 0x40: a VMID, 0x80: a context ID. */
#define A64 0x10
#define NS 0x20
#define EL0 (A64 | NS)
#define EL1 (A64 | NS | 1)
#define EL2 (A64 | NS | 2)
/* TRCIDR2 and TRCCONFIGR. */
#define VMID 8 | 1 << 10, 1 << 7
#define CID 8 | 4 << 5, 1 << 6
#define VMID_CID 8 | 4 << 5 | 1 << 10, 1 << 6 | 1 << 7
#define CID2 8 | 4 << 10 | 1 << 29, 1 << 7 | 1 << 15

enum { BLOCKS = 4000, BLOCK = 70, FRAMES = 5 * 16 /* of a block */ };

struct block {
	uint8_t info, vmid, cid;
};

/* A block of trace: synchronisation, 0x400000 in a context, atoms. */
static void put_block(uint8_t *p, const struct block *b, unsigned int vmid_bytes, bool has_cid)
{
	static const uint8_t sync[] = { SYNC, 0x85, 0, 0, 0x40, 0, 0, 0, 0, 0 };
	size_t n = sizeof(sync);

	memset(p, 0xf7, BLOCK);
	memcpy(p, sync, n);
	p[n++] = b->info | (vmid_bytes ? 0x40 : 0) | (has_cid ? 0x80 : 0);
	if (vmid_bytes) {
		memset(p + n, 0, vmid_bytes);
		p[n] = b->vmid;
		n += vmid_bytes;
	}
	if (has_cid) {
		memset(p + n, 0, 4);
		p[n] = b->cid;
	}
}

#define MANY 255	/* a context ID: one of 64 in turn */

/* The trace of one unit: the first three quarters in the first context, the rest in the second one. */
static uint8_t *make_trace(const struct block b[2], unsigned int vmid_bytes, bool has_cid)
{
	uint8_t *p = malloc(BLOCKS * BLOCK);
	unsigned int i;

	assert_non_null(p);
	for (i = 0; i < BLOCKS; i++) {
		struct block one = b[i >= BLOCKS / 4 * 3];

		if (one.cid == MANY)
			one.cid = i % 64;
		put_block(p + i * BLOCK, &one, vmid_bytes, has_cid);
	}
	return p;
}

static uint64_t valid[128];	/* of the last part: the first place of each unit that is listed */
static char index_path[100];	/* of the last one: a file that was read is not written again */

/* A buffer without an index is listed whole, whatever the index of the one before it says. */
static void check_next(struct dump_range *r, const struct index_section *before)
{
	struct index_section next = *before;
	unsigned int id;

	strcpy(next.name, "next");
	next.offset = before->offset + before->size;
	assert_int_equal(dump_range_start(r, &next, -1), next.offset);
	for (id = 0; id < 128; id++)
		assert_int_equal(r->valid[id], 0);
}

/* Returns where decoding begins; `text` gets what was written to stderr. */
static uint64_t start_in(struct index_section *s, struct dump_place from, int only_id, char *text, size_t size)
{
	static unsigned int number;
	struct dump_range *r = calloc(1, sizeof(*r));
	struct index_book made = { 0 };
	char path[100];
	int saved, fd;
	ssize_t n;
	uint64_t at;

	assert_non_null(r);
	snprintf(index_path, sizeof(index_path), "%s/index%u", dir, number++);
	index_book_init(&made, "cstrace dump", "-", index_path);
	assert_int_equal(index_book_make(&made, s), 0);
	assert_int_equal(index_book_write(&made), 0);
	index_book_free(&made);
	index_book_init(&r->book, "cstrace dump", "-", index_path);
	assert_int_equal(index_book_read(&r->book), 1);
	r->from = from;
	fflush(stderr);
	saved = dup(2);
	snprintf(path, sizeof(path), "%s/err", dir);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	dup2(fd, 2);
	at = dump_range_start(r, s, only_id);
	fflush(stderr);
	n = pread(fd, text, size - 1, 0);
	text[n > 0 ? n : 0] = 0;
	memcpy(valid, r->valid, sizeof(valid));
	check_next(r, s);
	fflush(stderr);
	dup2(saved, 2);
	close(saved);
	close(fd);
	index_book_free(&r->book);
	free(r);
	return at;
}

/* The same of the trace of one unit. */
static uint64_t start(const struct cst_config *cfg, const uint8_t *trace, bool by_world, struct dump_place from,
		      char *text, size_t size)
{
	struct index_section s = { .name = "buffer", .data = trace, .size = BLOCKS * BLOCK, .by_world = by_world };
	struct cst_decoder *dec;
	uint64_t at;

	assert_int_equal(cst_tree_new(&s.tree, CST_TREE_RAW, 0), 0);
	assert_int_equal(cst_tree_add(s.tree, cfg, &dec), 0);
	at = start_in(&s, from, -1, text, size);
	cst_tree_free(s.tree);
	return at;
}

static void test_worlds(void **state)
{
	static const char several[] = "the trace has several security states";
	static const char guest[] = "a virtual machine may have run";
	static const struct {
		const char *what;
		uint32_t idr2, configr;
		struct block b[2];
		unsigned int vmid_bytes;
		bool has_cid;
		const char *reason;	/* NULL: decoding begins at the place */
	} cases[] = {
		{ "one world", 8, 0, { { EL0, 0, 0 }, { EL1, 0, 0 } }, 0, false, NULL },
		{ "Secure state as well", 8, 0, { { EL0, 0, 0 }, { EL1 & ~NS, 0, 0 } }, 0, false, several },
		{ "Secure state only", 8, 0, { { EL0 & ~NS, 0, 0 }, { EL1 & ~NS, 0, 0 } }, 0, false, NULL },
		{ "one VMID", VMID, { { EL0, 5, 0 }, { EL1, 5, 0 } }, 1, false, NULL },
		{ "two VMIDs", VMID, { { EL0, 5, 0 }, { EL0, 6, 0 } }, 1, false, guest },
		{ "two context IDs", CID, { { EL0, 0, 5 }, { EL0, 0, 6 } }, 0, true, NULL },
		/* an index records 63 contexts: there may be other VMIDs, if the unit traces them */
		{ "many context IDs", CID, { { EL0, 0, MANY }, { EL0, 0, MANY } }, 0, true, NULL },
		{ "many contexts", VMID_CID, { { EL0, 5, MANY }, { EL0, 5, MANY } }, 1, true, guest },
		/* CONTEXTIDR_EL2: the kernel of the host runs at EL2 */
		{ "a host", CID2, { { EL0, 5, 0 }, { EL2, 6, 0 } }, 4, false, NULL },
		{ "a host and a guest", CID2, { { EL2, 5, 0 }, { EL1, 5, 0 } }, 4, false, guest },
	};
	const struct dump_place late = { true, CST_INDEX_KINDS, BLOCKS * BLOCK / 8 * 7 };
	const struct dump_place early = { true, CST_INDEX_KINDS, BLOCKS * BLOCK / 8 }, none = { .set = false };
	char text[512], want[512];
	struct cst_config cfg = { 0 };
	uint64_t at;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct cst_etmv4_regs regs = { .configr = cases[i].configr, .traceidr = 0x10, .idr1 = 0x400,
						     .idr2 = cases[i].idr2 };
		uint8_t *trace = make_trace(cases[i].b, cases[i].vmid_bytes, cases[i].has_cid);

		assert_int_equal(cst_config_etmv4(&cfg, &regs, 0, CST_PROFILE_A), 0);
		assert_int_equal(cfg.vmid_bytes, cases[i].vmid_bytes);
		at = start(&cfg, trace, true, late, text, sizeof(text));
		snprintf(want, sizeof(want), "cstrace dump: %s: 'buffer' is decoded from its beginning in spite of its "
			 "index: %s\n", index_path, cases[i].reason ? cases[i].reason : "");
		if (cases[i].reason) {
			if (at || strcmp(text, want))
				fail_msg("%s: from %llu, '%s'", cases[i].what, (unsigned long long)at, text);
		} else if (at > late.value || at < late.value / 2 || *text) {
			fail_msg("%s: from %llu, '%s'", cases[i].what, (unsigned long long)at, text);
		}
		/* packets do not depend on code */
		at = start(&cfg, trace, false, late, text, sizeof(text));
		assert_in_range(at, late.value / 2, late.value);
		assert_string_equal(text, "");
		assert_in_range(start(&cfg, trace, false, early, text, sizeof(text)), 0, early.value);
		assert_int_equal(start(&cfg, trace, true, none, text, sizeof(text)), 0);
		assert_string_equal(text, "");
		free(trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worlds),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
