/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The code of a snapshot: whole maps, what ran where maps overlap, limits; which files may be
 * copied.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <cstrace/cstrace.h>

#include "base/error.h"
#include "outputs/export/code.h"
#include "outputs/export/copying.h"
#include "session/decode/locate.h"
#include "unit/temp_dir.h"

TEMP_DIR("code")

static const char no_elf[] = "it is not an ELF file, and raw code is only copied from a --symfs other than /";
static const char of_host[] = "it is a file of this machine, and no build-id says that it is the recorded one; if the recording "
			      "was made here, say so with --symfs /";

static const struct copy_origin origin = { .input = "/nowhere" };

/* ---- address space --------------------------------------------------------------------------------- */

#define MAX_MAPS 4

/* What the thread has mapped now. The bytes from `missing` on cannot be read. */
static struct made_map {
	uint64_t start, end, offset, missing;
	struct dso *dso;
	bool kernel;
} maps[MAX_MAPS];

static const struct made_map *map_at(uint64_t addr)
{
	size_t i;

	for (i = 0; i < MAX_MAPS; i++)
		if (addr >= maps[i].start && addr < maps[i].end)
			return &maps[i];
	return NULL;
}

bool __wrap_session_locate(const struct stream *s, uint64_t addr, struct session_loc *loc);
size_t __wrap_session_read_code(const struct stream *s, uint64_t addr, void *buf, size_t len);

bool __wrap_session_locate(const struct stream *s, uint64_t addr, struct session_loc *loc)
{
	const struct made_map *m = map_at(addr);

	(void)s;
	if (m)
		*loc = (struct session_loc){ .dso = m->dso, .map_start = m->start, .map_end = m->end,
					     .offset = m->offset + (addr - m->start), .kernel = m->kernel };
	return m;
}

static uint8_t byte_at(const struct made_map *m, uint64_t addr)
{
	return (uint8_t)((addr >> 8) + addr + m->offset);
}

/* At most 50000 bytes at a time. */
size_t __wrap_session_read_code(const struct stream *s, uint64_t addr, void *buf, size_t len)
{
	const struct made_map *m = map_at(addr);
	uint8_t *p = buf;
	size_t i;

	(void)s;
	for (i = 0; i < len && i < 50000 && addr + i < m->missing; i++)
		p[i] = byte_at(m, addr + i);
	return i;
}

static void map(unsigned int i, uint64_t start, uint64_t end, uint64_t offset)
{
	maps[i] = (struct made_map){ .start = start, .end = end, .offset = offset, .missing = end };
}

static void ran(struct code *c, uint64_t addr, uint64_t end, uint32_t section, uint32_t offset)
{
	const struct cst_generic g = { .kind = CST_GEN_RANGE, .addr = addr, .end = end, .section = section, .sect_off = offset };

	code_range(c, NULL, &g);
}

struct want {
	uint64_t address, len;
	unsigned int map;
};

static void check_pieces(struct code *c, const struct want *want, size_t nr)
{
	struct code_piece *p;
	size_t i, k;

	assert_int_equal(code_pieces(c, &p), nr);
	for (i = 0; i < nr; i++) {
		const struct made_map *m = &maps[want[i].map];

		assert_int_equal(p[i].address, want[i].address);
		assert_int_equal(p[i].len, want[i].len);
		assert_int_equal(p[i].kernel, m->kernel);
		for (k = 0; k < p[i].len; k++)
			assert_int_equal(p[i].bytes[k], byte_at(m, p[i].address + k));
	}
	free(p);
}

/* ---- maps ------------------------------------------------------------------------------------------ */

/* A map of which something ran is kept up to its first byte that is missing, whatever ran of it. */
static void whole_maps(void **state)
{
	static const struct want want[] = { { 0x10000, 0x20000, 1 }, { 0x30000, 0x2f00, 0 }, { 0x40000, 0x1000, 2 } };
	struct code c;

	(void)state;
	map(0, 0x30000, 0x34000, 0x5000);
	maps[0].missing = 0x32f00;
	map(1, 0x10000, 0x30000, 0);
	map(2, 0x40000, 0x41000, 0x100);
	maps[2].kernel = true;
	map(3, 0x50000, 0x51000, 0);
	code_init(&c, 1 << 20, &origin);
	check_pieces(&c, NULL, 0);
	ran(&c, 0x30010, 0x30020, 1, 0x10);
	ran(&c, 0x10000, 0x10004, 2, 0);
	ran(&c, 0x40ffc, 0x41000, 3, 0xffc);
	ran(&c, 0x50000, 0x50004, 0, 0);	/* code of no section */
	ran(&c, 0x50004, 0x50004, 4, 4);	/* no code */
	ran(&c, 0x60000, 0x60004, 4, 0);	/* no map */
	assert_int_equal(c.nr_regions, 3);
	assert_int_equal(c.used, 3);
	assert_int_equal(c.bytes, 0x20000 + 0x2f00 + 0x1000);
	assert_int_equal(c.conflicts, 0);
	assert_false(c.over_limit);
	check_pieces(&c, want, 3);
	/* the place is known later */
	map(3, 0x60000, 0x60000, 0);
	ran(&c, 0x60000, 0x60004, 4, 0);
	assert_int_equal(c.nr_regions, 3);
	map(3, 0x60000, 0x61000, 0);
	ran(&c, 0x60000, 0x60004, 4, 0);
	assert_int_equal(c.nr_regions, 4);
	code_free(&c);
	assert_int_equal(c.nr_regions + c.nr_slots + c.used + c.bytes, 0);
}

/* Of maps that overlap only what ran is certain, in granules that are cut to the bytes of the map. */
static void overlapping_maps(void **state)
{
	static const struct want want[] = {
		{ 0xf000, 0x1000, 1 },		/* up to the first map */
		{ 0x10000, 0xc0, 0 }, { 0x10140, 0x40, 0 }, { 0x17fc0, 0x40, 0 }, { 0x18020, 0x60, 2 }, { 0x18100, 0x18, 2 },
		{ 0x28020, 0x1000, 3 },		/* from the end of the last one on */
	};
	struct code c;
	unsigned int i;

	(void)state;
	memset(maps, 0, sizeof(maps));
	code_init(&c, 1 << 20, &origin);
	map(0, 0x10000, 0x20000, 0x1000);
	map(1, 0xf000, 0x10000, 0);
	ran(&c, 0x10150, 0x10154, 1, 0x1150);
	ran(&c, 0x10010, 0x10090, 1, 0x1010);
	ran(&c, 0x17ffc, 0x18000, 1, 0x8ffc);
	ran(&c, 0xf000, 0xf004, 1, 0);
	for (i = 0; i < 2; i++)
		assert_false(c.regions[i].shared);
	/* a part of the first map is replaced */
	map(0, 0x18020, 0x28020, 0x30);
	maps[0].missing = 0x18118;
	map(3, 0x28020, 0x29020, 0);
	ran(&c, 0x18020, 0x18080, 2, 0x30);
	ran(&c, 0x18110, 0x18120, 2, 0x120);
	ran(&c, 0x18140, 0x18144, 2, 0x150);	/* its bytes are missing */
	ran(&c, 0x28020, 0x28024, 3, 0);
	assert_int_equal(c.nr_regions, 4);
	assert_true(c.regions[0].shared && !c.regions[1].shared && c.regions[2].shared && !c.regions[3].shared);
	maps[2] = maps[0];
	map(0, 0x10000, 0x20000, 0x1000);
	check_pieces(&c, want, sizeof(want) / sizeof(want[0]));
	code_free(&c);
}

/* The limit is for the bytes of all maps; what does not fit any more is cut. */
static void limits(void **state)
{
	static const struct {
		uint64_t limit, first, second, bytes;
		bool over;
	} cases[] = {
		{ 0x20000, 0x20000, 0, 0x20000, false }, { 0x1ffff, 0x20000, 0, 0x1ffff, true },
		{ 0x10000, 0x10000, 0, 0x10000, false }, { 0xffff, 0x10000, 0, 0xffff, true },
		{ 0x14000, 0x20000, 0, 0x14000, true }, { 0x20000, 0x10000, 0x10000, 0x20000, false },
		{ 0x20000, 0x10000, 0x10040, 0x20000, true }, { 0x20000, 0x20000, 0x40, 0x20000, true },
		{ 0x20040, 0x20000, 0x40, 0x20040, false }, { 0, 0x40, 0, 0, true },
	};
	struct code c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(maps, 0, sizeof(maps));
		map(0, 0x100000, 0x100000 + cases[i].first, 0);
		map(1, 0x200000, 0x200000 + cases[i].second, 0);
		code_init(&c, cases[i].limit, &origin);
		ran(&c, 0x100000, 0x100004, 1, 0);
		if (cases[i].second)
			ran(&c, 0x200000, 0x200004, 2, 0);
		assert_int_equal(c.bytes, cases[i].bytes);
		assert_int_equal(c.over_limit, cases[i].over);
		code_free(&c);
	}
	/* more maps than a snapshot may have */
	code_init(&c, 1 << 20, &origin);
	for (i = 1; i <= CODE_REGIONS + 1; i++) {
		map(0, 0x1000 * i, 0x1000 * i + 4, 0);
		ran(&c, 0x1000 * i, 0x1000 * i + 4, 1, 0);
	}
	assert_int_equal(c.nr_regions, CODE_REGIONS);
	assert_true(c.over_limit);
	code_free(&c);
}

/* Granules of which more ran than the table has room for at first. */
static void many_granules(void **state)
{
	static const struct want want = { 0x100000, 0x80000, 0 };
	struct code c;

	(void)state;
	memset(maps, 0, sizeof(maps));
	map(0, 0x100000, 0x180000, 0);
	code_init(&c, 1 << 20, &origin);
	ran(&c, 0x100000, 0x100000 + 2048 * CODE_GRANULE, 1, 0);
	assert_int_equal(c.used, 2048);
	assert_int_equal(c.nr_slots, 4096);
	ran(&c, 0x100000, 0x100001 + 2048 * CODE_GRANULE, 1, 0);
	assert_int_equal(c.used, 2049);
	assert_int_equal(c.nr_slots, 8192);
	ran(&c, 0x100000, 0x180000, 1, 0);
	assert_int_equal(c.used, 8192);
	assert_int_equal(c.conflicts, 0);
	check_pieces(&c, &want, 1);
	code_free(&c);
}

/* ---- files ----------------------------------------------------------------------------------------- */

static void refused_files(void **state)
{
	static const struct build_id id = { 2, { 1, 2 } }, other = { 2, { 1, 3 } };
	struct copy_origin from = { .input = temp_path(dir, "input") }, here = { .input = "/" };
	struct dso dso = { .image.file = NULL, .kind = DSO_MODULE };

	(void)state;
	temp_write(dir, "input/dump", "a", 1);
	temp_write(dir, "inputs/dump", "a", 1);
	assert_null(copy_refused(&dso, &from));			/* no file */
	dso.image.file = (char *)temp_path(dir, "inputs/dump");
	assert_string_equal(copy_refused(&dso, &from), no_elf);
	dso.kind = DSO_KCORE;
	assert_null(copy_refused(&dso, &from));
	dso.kind = DSO_FILE;
	/* beside the trace */
	dso.where.from_input = true;
	assert_string_equal(copy_refused(&dso, &from), no_elf);	/* in another folder, whose name begins alike */
	assert_null(copy_refused(&dso, &here));
	dso.image.file = (char *)temp_path(dir, "input/dump");
	assert_null(copy_refused(&dso, &from));
	dso.where.from_input = false;
	assert_string_equal(copy_refused(&dso, &from), no_elf);
	/* a copy of the recorded machine's files */
	from.symfs = "";
	assert_string_equal(copy_refused(&dso, &from), no_elf);
	from.symfs = "/";
	assert_string_equal(copy_refused(&dso, &from), no_elf);
	from.symfs = "/nowhere";
	assert_string_equal(copy_refused(&dso, &from), no_elf);
	from.symfs = dir;
	assert_null(copy_refused(&dso, &from));
	from.symfs = NULL;
	/* ELF files of this machine */
	dso.image.is_elf = true;
	assert_null(copy_refused(&dso, &from));
	dso.where.from_host = true;
	assert_string_equal(copy_refused(&dso, &from), of_host);
	dso.image.found = id;
	assert_string_equal(copy_refused(&dso, &from), of_host);
	dso.recorded = other;
	assert_string_equal(copy_refused(&dso, &from), of_host);
	from.force = true;
	assert_null(copy_refused(&dso, &from));
	from.force = false;
	dso.recorded = id;
	assert_null(copy_refused(&dso, &from));
}

/* Of a file that may not be copied no byte is kept. */
static void code_of_refused_files(void **state)
{
	struct dso dso = { .image.file = (char *)"/nowhere/file", .kind = DSO_FILE };
	struct code c;

	(void)state;
	memset(maps, 0, sizeof(maps));
	map(0, 0x10000, 0x20000, 0);
	maps[0].dso = &dso;
	code_init(&c, 16, &origin);
	ran(&c, 0x10000, 0x10004, 1, 0);
	assert_int_equal(c.nr_regions, 1);
	assert_string_equal(c.regions[0].refused, no_elf);
	assert_int_equal(c.regions[0].len + c.bytes, 0);
	assert_false(c.over_limit);
	check_pieces(&c, NULL, 0);
	code_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_maps), cmocka_unit_test(overlapping_maps),
		cmocka_unit_test(limits), cmocka_unit_test(many_granules),
		cmocka_unit_test(refused_files), cmocka_unit_test(code_of_refused_files),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
