/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that only packages have, build-ids of maps, and symbols of a kernel in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/sideband/side_events.h"
#include "machine/sideband/side_perf.h"
#include "perfdata/records.h"
#include "unit/perf-plugin/perfdata_open.h"

#define TIMED	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static struct fixture {
	struct dso_table dsos;
	struct kernel_images kernel;
	struct side_events se;
	uint64_t seq;
} fx;

static void start(void)
{
	static const struct pdb_attr attr = { .sample_type = TIMED, .type = 8, .size = 112, .sample_id_all = true };
	struct pdb data = { 0 };

	memset(&fx, 0, sizeof(fx));
	pdb_comm(&data, 1, 1, "a", TIMED, &(struct pdb_sid){ .time = 1 });
	dso_table_init(&fx.dsos);
	fx.dsos.search.kernel = &fx.kernel;
	side_events_init(&fx.se);
	fx.se.pd = pdb_open(&attr, 1, &data, NULL, 0);
	fx.se.name = "test";
	fx.se.dsos = &fx.dsos;
	fx.se.kernel = &fx.kernel;
	side_events_start(&fx.se);
}

static void end(void)
{
	patches_free(&fx.kernel.patches);
	side_events_free(&fx.se);
	perfdata_close(fx.se.pd);
	kernel_free(&fx.kernel);
	dso_table_free(&fx.dsos);
}

/* Takes the record that was built, which is of thread 70 of process 7, at time 500. */
static int take(struct pdb *b, uint64_t valid, struct side_event *e)
{
	struct pd_record rec = { .ev = (const void *)b->p, .seq = fx.seq++, .known = true,
				 .sid = { .valid = valid, .time = 500, .pid = 7, .tid = 70 } };
	int rc;

	rec.body_size = rec.ev->header.size;
	memset(e, 0xa5, sizeof(*e));
	rc = side_perf_take(fx.se.records, &rec, e);
	pdb_free(b);
	return rc;
}

/* A build-id in the record, also one that says to be longer than it can be. */
static void build_ids(void **state)
{
	struct side_event e;
	struct pdb b = { 0 };
	uint8_t id[20];
	unsigned int i;
	size_t at;

	(void)state;
	start();
	for (i = 0; i < 20; i++)
		id[i] = (uint8_t)(0x30 + i);
	for (i = 0; i < 4; i++) {
		at = pdb_begin(&b, PERF_RECORD_MMAP2, i < 3 ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0);
		pdb_u32(&b, 7);
		pdb_u32(&b, 7);
		pdb_u64(&b, 0x1000);
		pdb_u64(&b, 0x1000);
		pdb_u64(&b, 0);
		pdb_bytes(&b, (const uint8_t[]){ i == 0 ? 8 : i == 1 ? 20 : 200, 0, 0, 0 }, 4);
		pdb_bytes(&b, id, 20);
		pdb_u32(&b, PROT_READ | PROT_EXEC);
		pdb_u32(&b, 0);
		pdb_str8(&b, i == 0 ? "/a" : i == 1 ? "/b" : i == 2 ? "/c" : "/d");
		pdb_end(&b, at);
		assert_int_equal(take(&b, TIMED, &e), 1);
		assert_int_equal(e.map.dso->recorded.len, i == 0 ? 8 : i == 3 ? 0 : 20);
		assert_memory_equal(e.map.dso->recorded.id, id, e.map.dso->recorded.len);
	}
	end();
}

/* What packages carry: code that was written, and ranges that are gone. */
static void records_of_packages(void **state)
{
	static const struct {
		uint32_t pid;
		uint64_t addr, size;
		int rc;
		uint64_t off;
	} code[] = {
		{ 7, 0x1000, 5, 1, 0 }, { 7, 0x2002, 3, 1, 10 }, { UINT32_MAX, 0x3001, 4, 1, 17 }, { 7, 0x4000, 0, 0, 0 },
		{ 7, -4ull, 4, 0, 0 }, { 7, -4ull, 3, 1, 24 },
	}, gone[] = {
		{ 7, 0x1000, 5, 1, 0 }, { UINT32_MAX, 0x1000, 0x800, 1, 0 }, { 7, 0x1000, 0, 0, 0 }, { 7, -4ull, 4, 0, 0 },
		{ 7, -4ull, 3, 1, 0 },
	};
	const struct dso *dso = NULL;
	struct side_event e;
	struct pdb b = { 0 };
	size_t i, at;
	int pass, rc;

	(void)state;
	start();
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < sizeof(code) / sizeof(code[0]); i++) {
			at = pdb_begin(&b, PD_RECORD_CST_CODE, 0);
			pdb_u32(&b, code[i].pid);
			pdb_u32(&b, 8);
			pdb_u64(&b, code[i].addr);
			pdb_u64(&b, code[i].size);
			pdb_bytes(&b, "abcdefgh" + i, code[i].size);
			pdb_end(&b, at);
			rc = take(&b, TIMED, &e);
			if (rc != code[i].rc)
				fail_msg("code %zu: returns %d", i, rc);
			if (!rc)
				continue;
			assert_int_equal(e.kind, SIDE_MAP);
			assert_int_equal(e.kernel, code[i].pid == UINT32_MAX);
			assert_int_equal(e.pid, (int)code[i].pid);
			assert_int_equal(e.tid, 8);
			assert_int_equal(e.map.start, code[i].addr);
			assert_int_equal(e.map.end, code[i].addr + code[i].size);
			assert_int_equal(e.map.off, code[i].off);
			dso = e.map.dso;
		}
		side_perf_finish(fx.se.records);
		assert_int_equal(dso->image.size, 27);
		assert_int_equal(dso->extent, 27);
		assert_int_equal(dso->state, DSO_LOADED);
		assert_int_equal(dso->recorded.len, 0);
		assert_memory_equal(dso->image.data, "abcde\0\0\0\0\0bcd\0\0\0\0cdef\0\0\0fgh", 27);
	}
	for (i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
		at = pdb_begin(&b, PD_RECORD_CST_UNMAP, 0);
		pdb_u32(&b, gone[i].pid);
		pdb_u32(&b, 8);
		pdb_u64(&b, gone[i].addr);
		pdb_u64(&b, gone[i].size);
		pdb_end(&b, at);
		rc = take(&b, TIMED, &e);
		if (rc != gone[i].rc)
			fail_msg("unmap %zu: returns %d", i, rc);
		if (!rc)
			continue;
		assert_int_equal(e.kind, SIDE_UNMAP);
		assert_int_equal(e.kernel, gone[i].pid == UINT32_MAX);
		assert_int_equal(e.pid, (int)gone[i].pid);
		assert_int_equal(e.tid, 8);
		assert_int_equal(e.map.start, gone[i].addr);
		assert_int_equal(e.map.end, gone[i].addr + gone[i].size);
		assert_null(e.map.dso);
	}
	end();
}

static int phone(uint32_t type, const void *body, size_t n)
{
	static _Alignas(8) uint8_t raw[65536];
	const struct perf_event_header h = { type, 0, (uint16_t)(8 + n) };
	const struct pd_record rec = { .ev = (const void *)raw, .known = true };

	memcpy(raw, &h, sizeof(h));
	if (n)
		memcpy(raw + sizeof(h), body, n);
	phone_record(&fx.se, &rec);
	return 0;
}

/* Symbols of a kernel in pieces: up to 128 MiB, the record's own header included; one byte more and there are none. */
static void pieces_of_symbols(void **state)
{
	enum { PIECE = 65520, FIRST = 8 + 4, LIMIT = 128 << 20 };
	static uint8_t piece[PIECE];
	struct perf_event_header h = { PD_RECORD_SP_KERNEL_SYMBOL, 0, 0 };
	uint32_t size = LIMIT - FIRST;
	size_t left, n;
	int more;

	(void)state;
	for (more = 0; more < 2; more++) {
		start();
		memset(piece, 'a', sizeof(piece));
		memcpy(piece, &h, sizeof(h));
		memcpy(piece + 8, more ? &(uint32_t){ 100 } : &size, 4);
		for (left = LIMIT + (size_t)more; left; left -= n) {
			n = left < PIECE ? left : PIECE;
			assert_int_equal(phone(PD_RECORD_SP_SPLIT, piece, n), 0);
			memset(piece, 'a', FIRST);
		}
		assert_int_equal(fx.se.bad_records, 0);
		assert_int_equal(phone(PD_RECORD_SP_SPLIT_END, NULL, 0), 0);
		assert_int_equal(fx.se.bad_records, more);
		assert_int_equal(fx.kernel.recorded_kallsyms_len, more ? 0 : size);
		if (!more) {
			assert_int_equal(fx.kernel.recorded_kallsyms[0], 'a');
			assert_int_equal(fx.kernel.recorded_kallsyms[size - 1], 'a');
		}
		/* the next pieces are another record, the first symbols stay */
		memcpy(piece, &h, sizeof(h));
		memcpy(piece + 8, &(uint32_t){ 3 }, 4);
		assert_int_equal(phone(PD_RECORD_SP_SPLIT, piece, FIRST + 3), 0);
		assert_int_equal(phone(PD_RECORD_SP_SPLIT_END, NULL, 0), 0);
		assert_int_equal(fx.se.bad_records, more);
		assert_int_equal(fx.kernel.recorded_kallsyms_len, more ? 3 : size);
		end();
	}
	/* a record of another type, one that is shorter than a header, and one without an end */
	start();
	memcpy(piece, &(struct perf_event_header){ PERF_RECORD_COMM, 0, 0 }, sizeof(h));
	memcpy(piece + 8, &(uint32_t){ 3 }, 4);
	assert_int_equal(phone(PD_RECORD_SP_SPLIT, piece, FIRST + 3), 0);
	assert_int_equal(phone(PD_RECORD_SP_SPLIT_END, NULL, 0), 0);
	assert_int_equal(fx.se.bad_records, 0);
	assert_null(fx.kernel.recorded_kallsyms);
	/* nothing but a header; a size, and no text */
	memcpy(piece, &h, sizeof(h));
	assert_int_equal(phone(PD_RECORD_SP_SPLIT, piece, 8), 0);
	assert_int_equal(phone(PD_RECORD_SP_SPLIT_END, NULL, 0), 0);
	assert_int_equal(fx.se.bad_records, 0);
	assert_int_equal(phone(PD_RECORD_SP_SPLIT, piece, FIRST), 0);
	assert_int_equal(phone(PD_RECORD_SP_SPLIT_END, NULL, 0), 0);
	assert_int_equal(fx.se.bad_records, 1);
	assert_null(fx.kernel.recorded_kallsyms);
	assert_int_equal(phone(PD_RECORD_SP_SPLIT, piece, 7), 0);
	assert_int_equal(phone(PD_RECORD_SP_SPLIT_END, NULL, 0), 0);
	assert_int_equal(fx.se.bad_records, 2);
	assert_int_equal(phone(PD_RECORD_SP_SPLIT, piece, 8), 0);
	phone_finish(&fx.se);
	assert_int_equal(fx.se.bad_records, 3);
	phone_finish(&fx.se);
	assert_int_equal(fx.se.bad_records, 3);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_ids), cmocka_unit_test(records_of_packages),
		cmocka_unit_test(pieces_of_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
