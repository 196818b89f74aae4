/* SPDX-License-Identifier: BSD-3-Clause */
/* What simpleperf has in perf.data and perf has not: the sections FILE, FILE2 and INIT_MAP, and damage to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "perfdata/reader.h"
#include "perfdata/simpleperf.h"
#include "unit/perf-plugin/perfdata_open.h"

/* An entry, and what it says; path NULL: it is damaged. */
struct entry {
	const char *bytes;
	size_t len;
	const char *path;
	uint32_t type;
	uint64_t vaddr;
	bool has_offset;
	uint64_t offset;
};

#define BYTES(s) s, sizeof(s) - 1

static const struct entry new_form[] = {
	{ BYTES("\x0a\x04/a.o\x10\x01\x18\xc0\x80\x01\x3a\x03\x08\x80\x10"), "/a.o", PD_SP_MODULE, 0x4040, true, 0x800 },
	/* Fields in another order, and of kinds that nobody writes yet: 64 bits, 32 bits, bytes, a number. */
	{ BYTES("\x32\x02\x08\x05\x41" "12345678" "\x45" "1234\x4a\x02xy\x50\x07\x18\x03\x10\x02\x0a\x01z"), "z", PD_SP_ELF,
	  3, true, 5 },
	/* Symbols; a module whose place is its start: a value of 0 is not written. */
	{ BYTES("\x0a\x01m\x10\x01\x18\x40\x22\x07\x08\x40\x10\x04\x1a\x01s\x3a\x00"), "m", PD_SP_MODULE, 0x40, true, 0 },
	{ BYTES("\x0a\x01k"), "k", PD_SP_KERNEL, 0, false, 0 },
	{ BYTES("\x0a\x01" "d\x10\x03\x2a\x03\x0a\x01\x10"), "d", PD_SP_DEX, 0, false, 0 },
	{ BYTES("\x0a\x00\x10\x63"), "", 99, 0, false, 0 },
	/* The last one of two counts. */
	{ BYTES("\x0a\x01x\x18\x01\x0a\x02yy\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "yy", PD_SP_KERNEL, UINT64_MAX,
	  false, 0 },
	{ BYTES(""), NULL, 0, 0, false, 0 },			/* no path */
	{ BYTES("\x10\x01\x3a\x00"), NULL, 0, 0, false, 0 },
	{ BYTES("\x0a\x05/a.o"), NULL, 0, 0, false, 0 },		/* longer than the entry */
	{ BYTES("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x"), NULL, 0, 0, false, 0 },
	{ BYTES("\x0a\x01x\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), NULL, 0, 0, false, 0 }, /* of 11 bytes */
	{ BYTES("\x0a\x01x\x18\x80"), NULL, 0, 0, false, 0 },
	{ BYTES("\x0a\x01x\x1b\x1c"), NULL, 0, 0, false, 0 },	/* a group */
	{ BYTES("\x0a\x01x\x02\x00"), NULL, 0, 0, false, 0 },	/* field 0 */
	{ BYTES("\x0a\x01x\x3a\x02\x08\x80"), NULL, 0, 0, false, 0 }, /* its inner message is cut */
	{ BYTES("\x0a\x01x\x49" "1234567"), NULL, 0, 0, false, 0 },
	{ BYTES("\x0a\x01x\x4d" "123"), NULL, 0, 0, false, 0 },
};

static const struct entry old_form[] = {
	{ BYTES("/a.o\0" "\1\0\0\0" "\x40\0\0\0\0\0\0\0" "\1\0\0\0" "\x40\0\0\0\0\0\0\0" "\4\0\0\0" "sym\0"
		"\x80\1\0\0\0\0\0\0"), "/a.o", PD_SP_MODULE, 0x40, true, 0x180 },
	{ BYTES("e\0" "\2\0\0\0" "\0\x10\0\0\0\0\0\0" "\0\0\0\0" "\0\x20\0\0\0\0\0\0"), "e", PD_SP_ELF, 0x1000, true,
	  0x2000 },
	/* Older still: without a place; or one that was not known. */
	{ BYTES("m\0" "\1\0\0\0" "\0\x10\0\0\0\0\0\0" "\0\0\0\0"), "m", PD_SP_MODULE, 0x1000, false, 0 },
	{ BYTES("m\0" "\1\0\0\0" "\0\x10\0\0\0\0\0\0" "\0\0\0\0" "\xff\xff\xff\xff\xff\xff\xff\xff"), "m", PD_SP_MODULE,
	  0x1000, false, UINT64_MAX },
	{ BYTES("d\0" "\3\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0" "\1\0\0\0" "\x30\0\0\0\0\0\0\0"), "d", PD_SP_DEX, 0, false,
	  0 },
	{ BYTES("k\0" "\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0"), "k", PD_SP_KERNEL, 0, false, 0 },
	{ BYTES("no end"), NULL, 0, 0, false, 0 },
	{ BYTES("k\0" "\0\0\0\0" "\0\0\0\0\0\0\0\0" "\xff\xff\xff\xff" "\0\0\0\0\0\0\0\0" "\0\0\0\0" "s\0"), NULL, 0, 0,
	  false, 0 },
	{ BYTES("d\0" "\3\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0" "\xff\xff\xff\xff" "\x30\0\0\0\0\0\0\0"), NULL, 0, 0,
	  false, 0 },
	{ BYTES("m\0" "\1\0\0\0" "\0\x10\0\0\0\0\0\0" "\0\0\0\0" "\1\0\0"), NULL, 0, 0, false, 0 },
};

static void check_entry(const struct entry *e, bool old)
{
	struct pdb b = { .p = NULL };
	struct pd_sp_files files;
	struct pd_sp_file f;
	uint8_t *exact;

	pdb_u32(&b, (uint32_t)e->len);
	pdb_bytes(&b, e->bytes, e->len);
	/* so that the sanitizer sees what is read behind it */
	exact = malloc(b.len);
	assert_non_null(exact);
	memcpy(exact, b.p, b.len);
	pd_sp_files_start(&files, exact, b.len, old, false);
	assert_int_equal(pd_sp_files_next(&files, &f), e->path ? 1 : -1);
	assert_ptr_equal(files.entry, exact);
	if (e->path) {
		assert_int_equal(f.path_len, strlen(e->path));
		assert_memory_equal(f.path, e->path, f.path_len);
		assert_int_equal(f.type, e->type);
		assert_int_equal(f.vaddr, e->vaddr);
		assert_int_equal(f.has_offset, e->has_offset);
		assert_int_equal(f.offset, e->offset);
	}
	assert_int_equal(pd_sp_files_next(&files, &f), e->path ? 0 : -1);
	free(exact);
	pdb_free(&b);
}

static void test_entries(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(new_form) / sizeof(new_form[0]); i++)
		check_entry(&new_form[i], false);
	for (i = 0; i < sizeof(old_form) / sizeof(old_form[0]); i++)
		check_entry(&old_form[i], true);
}

/* A section that is cut gives its whole entries, and says that there is more. */
static void check_cut(const struct entry *e, size_t n, bool old)
{
	struct pdb b = { .p = NULL };
	size_t i, ends[16], cut, whole, got;
	struct pd_sp_files files;
	struct pd_sp_file f;
	int rc;

	for (i = 0; i < n && e[i].path; i++) {
		pdb_u32(&b, (uint32_t)e[i].len);
		pdb_bytes(&b, e[i].bytes, e[i].len);
		ends[i] = b.len;
	}
	n = i;
	for (cut = 0; cut <= b.len; cut++) {
		uint8_t *exact = malloc(cut ? cut : 1);

		assert_non_null(exact);
		memcpy(exact, b.p, cut);
		for (whole = 0; whole < n && ends[whole] <= cut; whole++)
			;
		pd_sp_files_start(&files, exact, cut, old, false);
		for (got = 0; (rc = pd_sp_files_next(&files, &f)) > 0; got++)
			;
		assert_int_equal(got, whole);
		assert_int_equal(rc, cut == (whole ? ends[whole - 1] : 0) ? 0 : -1);
		free(exact);
	}
	pdb_free(&b);
}

static void test_cut(void **state)
{
	(void)state;
	check_cut(new_form, sizeof(new_form) / sizeof(new_form[0]), false);
	check_cut(old_form, sizeof(old_form) / sizeof(old_form[0]), true);
}

#define ST (PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static const struct pdb_attr one_attr = { .type = 8, .size = 128, .sample_type = ST, .sample_id_all = true,
					  .ids = { 7 }, .nr_ids = 1 };
static const struct pdb_sid sid = { .pid = 5, .tid = 5, .time = 0, .id = 7 };

/* The section may be cut anywhere: the data are read all the same. */
static void test_init_map_cut(void **state)
{
	struct pdb maps = { .p = NULL }, data = { .p = NULL }, part;
	const struct pdb_feature feat = { PD_FEAT_SP_INIT_MAP, &part };
	size_t first;

	(void)state;
	pdb_comm(&maps, 1, 1, "first", ST, &sid);
	first = maps.len;
	pdb_comm(&maps, 2, 2, "second", ST, &sid);
	for (part = maps, part.len = 0; part.len < maps.len; part.len++) {
		unsigned int records = 0, errors = 0;
		struct pd_record rec;
		struct perfdata *pd;
		int rc;

		pdb_comm(&data, 3, 3, "data", ST, &sid);
		pdb_comm(&data, 4, 4, "data", ST, &sid);
		pd = pdb_open(&one_attr, 1, &data, &feat, 1);
		while ((rc = perfdata_next(pd, &rec))) {
			records += rc > 0;
			errors += rc < 0;
			if (rc < 0)
				assert_non_null(strstr(perfdata_error(pd)->msg, "INIT_MAP"));
		}
		assert_int_equal(rec.ev->comm.pid, 4);
		assert_int_equal(records, 2 + (part.len >= first));
		assert_int_equal(errors, part.len && part.len != first);
		perfdata_close(pd);
	}
	pdb_free(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_init_map_cut),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
