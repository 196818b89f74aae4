/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd_memory.c - memory accessors of the OpenCSD interface: where code is missing and where it begins again,
 * ranges that are refused, files that cannot be mapped or are not needed any more, pages beyond those that are kept.
 */
#include "unit/perf-plugin/opencsd_lines.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstrace/cstrace.h>
#include <opencsd/c_api/opencsd_c_api.h>

#include "opencsd/internal.h"
#include "unit/perf-plugin/opencsd_trace.h"
#include "unit/temp_dir.h"

TEMP_DIR("opencsd-memory")

#define INVALID OCSD_ERR_INVALID_PARAM_VAL

struct seen {
	struct lines l;		/* ranges, and addresses without code */
	uint64_t ranges, nacc;
	bool quiet;		/* counts only */
};

static ocsd_datapath_resp_t on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	struct seen *s = (struct seen *)(uintptr_t)ctx;
	char text[64];

	(void)index;
	s->ranges += e->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE;
	s->nacc += e->elem_type == OCSD_GEN_TRC_ELEM_ADDR_NACC;
	if (s->quiet)
		return OCSD_RESP_CONT;
	if (e->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE)
		snprintf(text, sizeof(text), "%" PRIx64 "-%" PRIx64, e->st_addr, e->en_addr);
	else if (e->elem_type == OCSD_GEN_TRC_ELEM_ADDR_NACC)
		snprintf(text, sizeof(text), "%" PRIx64 " missing", e->st_addr);
	else
		return OCSD_RESP_CONT;
	add_line(&s->l, 0, id, text);
	return OCSD_RESP_CONT;
}

#define CHECK(s, ...) check_lines(&(s)->l, strlen("0 10 "), LINES(__VA_ARGS__))

static dcd_tree_handle_t make(struct seen *s)
{
	static const ocsd_etmv4_cfg cfg = {
		.reg_idr1 = 0x400, .reg_idr2 = 8, .reg_traceidr = 0x10, .arch_ver = ARCH_V8,
		.core_prof = profile_CortexA,
	};
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	unsigned char id;

	memset(s, 0, sizeof(*s));
	assert_non_null(t);
	assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id), OCSD_OK);
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, on_element, s), OCSD_OK);
	return t;
}

static void feed(dcd_tree_handle_t t, const uint8_t *p, uint32_t n)
{
	static ocsd_trc_index_t at;
	uint32_t used;

	assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, at, n, p, &used), OCSD_RESP_CONT);
	assert_int_equal(used, n);
	at += n;
}

#define FEED(t, ...) feed(t, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* Code is missing up to where the next accessor of that memory space begins, which is found in the same call. */
static void test_hole(void **state)
{
	static const uint32_t loop[2] = { NOP, B(-1) };
	const uint8_t *code = (const uint8_t *)loop;
	dcd_tree_handle_t t;
	struct seen s;

	(void)state;
	t = make(&s);
	assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x400ff8, OCSD_MEM_SPACE_N, code, 8), OCSD_OK);
	assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x400104, OCSD_MEM_SPACE_N, code, 8), OCSD_OK);
	assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x400080, OCSD_MEM_SPACE_S, code, 8), OCSD_OK);
	/* a hole before an accessor, one behind it, one at an address that another space has */
	FEED(t, SYNC, A64_AT(0x100), E, A64_TO(0x104), E, A64_TO(0x10c), E, A64_TO(0xff8), E, A64_TO(0x80), E,
	     A64_TO(0x100), E, A64_TO(0x104), E);
	CHECK(&s, "400100 missing", "400104-40010c", "40010c missing", "400ff8-401000", "400080 missing",
	      "400100 missing", "400104-40010c");
	/* in the other order: no hole covers what was found before */
	FEED(t, A64_AT(0x104), E, A64_TO(0x0), E, A64_TO(0x104), E, A64_TO(0xff8), E);
	CHECK(&s, "400104-40010c", "400000 missing", "400104-40010c", "400ff8-401000");
	ocsd_destroy_dcd_tree(t);
}

/* Each memory space has code of its own at an address, whichever was found there last. */
static void test_two_spaces(void **state)
{
	static const uint32_t loop[2] = { NOP, B(-1) }, self = B(0);
	dcd_tree_handle_t t;
	struct seen s;
	unsigned int i;

	(void)state;
	t = make(&s);
	assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x400100, OCSD_MEM_SPACE_N, (const uint8_t *)loop, 8), OCSD_OK);
	assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x400100, OCSD_MEM_SPACE_S, (const uint8_t *)&self, 4), OCSD_OK);
	FEED(t, SYNC);
	for (i = 0; i < 2; i++) {
		FEED(t, A64_AT(0x100), E, A64_SECURE_AT(0x100), E);
		CHECK(&s, "400100-400108", "400100-400104");
	}
	ocsd_destroy_dcd_tree(t);
}

struct halfwords {
	uint64_t first;		/* nothing is there below */
	uint64_t end;		/* nor from here on; 0: there is no end */
	unsigned int calls;
};

/* T32: a branch to itself at every address. */
static uint32_t read_t32(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
			 const uint32_t want, uint8_t *buf)
{
	struct halfwords *h = (struct halfwords *)(uintptr_t)ctx;
	uint32_t i;

	assert_int_equal(space, OCSD_MEM_SPACE_EL1N);
	h->calls++;
	if (addr < h->first)
		return 0;
	for (i = 0; i < want && (!h->end || addr + i < h->end); i++)
		buf[i] = (addr + i) & 1 ? 0xe7 : 0xfe;
	return i;
}

/*
 * A buffer and a file of the same: its first instruction has four bytes, which reach over the word's end. Another accessor
 * ends where it begins, in the same word.
 */
static void test_odd_buffer(void **state)
{
	/* nop.w; nop; b to itself */
	static const uint8_t code[] = { 0xaf, 0xf3, 0x00, 0x80, 0x00, 0xbf, 0xfe, 0xe7 };
	static const uint8_t before[] = { 0x00, 0xbf, 0xfd, 0xe7 };	/* nop; b to the nop before it */
	unsigned int how;
	dcd_tree_handle_t t;
	char path[100];
	struct seen s;

	(void)state;
	temp_write(dir, "odd", code, sizeof(code));
	snprintf(path, sizeof(path), "%s/odd", dir);
	for (how = 0; how < 2; how++) {
		t = make(&s);
		if (how)
			assert_int_equal(ocsd_dt_add_binfile_mem_acc(t, 0x400102, OCSD_MEM_SPACE_ANY, path), OCSD_OK);
		else
			assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x400102, OCSD_MEM_SPACE_ANY, code, sizeof(code)), OCSD_OK);
		assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x4000fe, OCSD_MEM_SPACE_ANY, before, sizeof(before)), OCSD_OK);
		FEED(t, SYNC, T32_AT(0x102), E, E, T32_TO(0xfe), E, T32_TO(0x100), E, T32_TO(0x10a), E);
		CHECK(&s, "400102-40010a", "400108-40010a", "4000fe-400102", "400100-400102", "40010a missing");
		ocsd_destroy_dcd_tree(t);
		/* an odd byte, and a word that it does not fill */
		t = make(&s);
		assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x400101, OCSD_MEM_SPACE_ANY, code + how, 7), OCSD_OK);
		FEED(t, SYNC, T32_AT(0x100), E);
		CHECK(&s, "400100 missing");
		ocsd_destroy_dcd_tree(t);
	}
}

/* Ranges that end before they begin, and memory spaces that do not exist. */
static void test_ranges(void **state)
{
	static const uint8_t code[16];
	const ocsd_file_mem_region_t last = { 0, UINT64_MAX - 3, 4 }, beyond = { 0, UINT64_MAX - 2, 4 };
	const ocsd_err_t bad = OCSD_ERR_MEM_ACC_RANGE_INVALID;
	struct halfwords h = { .first = 0 };
	char path[100], text[100];
	dcd_tree_handle_t t;
	struct seen s;

	(void)state;
	t = make(&s);
	temp_write(dir, "ranges", code, sizeof(code));
	snprintf(path, sizeof(path), "%s/ranges", dir);
	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 0x1001, 0x1000, OCSD_MEM_SPACE_ANY, read_t32, &h), bad);
	assert_int_equal(ocsd_get_last_err(NULL, NULL, text, sizeof(text)), bad);
	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 0x1000, 0x1fff, (ocsd_mem_space_acc_t)0, read_t32, &h), bad);
	assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, UINT64_MAX - 14, OCSD_MEM_SPACE_ANY, code, 16), bad);
	assert_int_equal(ocsd_dt_add_binfile_region_mem_acc(t, &beyond, 1, OCSD_MEM_SPACE_ANY, path), bad);
	assert_int_equal(tree_get(t)->mem.nr_accessors, 0);
	/* one byte, and the end of the address space */
	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 0x1000, 0x1000, OCSD_MEM_SPACE_ANY, read_t32, &h), OCSD_OK);
	assert_int_equal(ocsd_dt_add_binfile_region_mem_acc(t, &last, 1, OCSD_MEM_SPACE_ANY, path), OCSD_OK);
	assert_int_equal(ocsd_dt_remove_mem_acc(t, UINT64_MAX - 3, OCSD_MEM_SPACE_ANY), OCSD_OK);
	assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, UINT64_MAX - 15, OCSD_MEM_SPACE_ANY, code, 16), OCSD_OK);
	assert_int_equal(tree_get(t)->mem.nr_accessors, 2);
	/* they overlap from the first byte to the last one */
	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 0xf00, 0x1000, OCSD_MEM_SPACE_ANY, read_t32, &h),
			 OCSD_ERR_MEM_ACC_OVERLAP);
	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 0x1000, 0x1001, OCSD_MEM_SPACE_ANY, read_t32, &h),
			 OCSD_ERR_MEM_ACC_OVERLAP);
	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 0xf00, 0xfff, OCSD_MEM_SPACE_ANY, read_t32, &h), OCSD_OK);
	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 0x1001, 0x1001, OCSD_MEM_SPACE_ANY, read_t32, &h), OCSD_OK);
	ocsd_destroy_dcd_tree(t);
}

/* Number of mappings of a file. */
static unsigned int mappings(const char *path)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned int n = 0;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		n += strstr(line, path) != NULL;
	fclose(f);
	return n;
}

/* The regions of a file are one accessor: any address in one of them removes them all, and the file is unmapped. */
static void test_file(void **state)
{
	static const uint32_t code[6] = { NOP, B(-1), NOP, B(-1), NOP, B(-1) };
	ocsd_file_mem_region_t regions[3] = { { 0, 0x400000, 8 }, { 8, 0x400100, 8 }, { 16, 0x400200, 8 } };
	static const uint32_t other[2] = { NOP, B(-1) };
	static const unsigned int removed_at[] = { 0x400000, 0x400104, 0x400207 };
	dcd_tree_handle_t t;
	unsigned int i;
	char path[100];
	struct seen s;

	(void)state;
	temp_write(dir, "regions", code, sizeof(code));
	snprintf(path, sizeof(path), "%s/regions", dir);
	t = make(&s);
	FEED(t, SYNC);
	/* accessors before and behind it stay */
	assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x400300, OCSD_MEM_SPACE_N, (const uint8_t *)other, 8), OCSD_OK);
	for (i = 0; i < 3; i++) {
		assert_int_equal(ocsd_dt_add_binfile_region_mem_acc(t, regions, 3, OCSD_MEM_SPACE_N, path), OCSD_OK);
		FEED(t, A64_AT(0), E, A64_AT(0x100), E, A64_AT(0x200), E);
		CHECK(&s, "400000-400008", "400100-400108", "400200-400208");
		assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x400400, OCSD_MEM_SPACE_N, (const uint8_t *)other, 8),
				 OCSD_OK);
		assert_int_equal(mappings(path), 1);
		assert_int_equal(ocsd_dt_remove_mem_acc(t, removed_at[i], OCSD_MEM_SPACE_S), INVALID);
		assert_int_equal(ocsd_dt_remove_mem_acc(t, 0x400108, OCSD_MEM_SPACE_N), INVALID);
		assert_int_equal(ocsd_dt_remove_mem_acc(t, removed_at[i], OCSD_MEM_SPACE_N), OCSD_OK);
		assert_int_equal(mappings(path), 0);
		assert_int_equal(ocsd_dt_remove_mem_acc(t, removed_at[i], OCSD_MEM_SPACE_N), INVALID);
		FEED(t, A64_AT(0), E, A64_AT(0x100), E, A64_AT(0x200), E, A64_AT(0x300), E, A64_AT(0x400), E);
		CHECK(&s, "400000 missing", "400100 missing", "400200 missing", "400300-400308", "400400-400408");
		assert_int_equal(ocsd_dt_remove_mem_acc(t, 0x400400, OCSD_MEM_SPACE_N), OCSD_OK);
	}
	/* the second of two regions is refused: the first one is not there, either */
	regions[1].region_size = 17;
	assert_int_equal(ocsd_dt_add_binfile_region_mem_acc(t, regions, 2, OCSD_MEM_SPACE_N, path),
			 OCSD_ERR_MEM_ACC_RANGE_INVALID);
	regions[1].region_size = 16;
	regions[2].start_address = 0x40010f;
	assert_int_equal(ocsd_dt_add_binfile_region_mem_acc(t, regions, 3, OCSD_MEM_SPACE_N, path),
			 OCSD_ERR_MEM_ACC_OVERLAP);
	assert_int_equal(mappings(path), 0);
	FEED(t, A64_AT(0), E);
	CHECK(&s, "400000 missing");
	/* as much as the file has, from where it is asked for; the tree takes it along */
	assert_int_equal(ocsd_dt_add_binfile_region_mem_acc(t, regions, 2, OCSD_MEM_SPACE_N, path), OCSD_OK);
	assert_int_equal(mappings(path), 1);
	ocsd_destroy_dcd_tree(t);
	assert_int_equal(mappings(path), 0);
}

/* Files without bytes, and a file for which there is no room in the address space. */
static void test_no_file(void **state)
{
	const ocsd_file_mem_region_t region = { 0, 0x400000, 8 };
	const ocsd_err_t missing = OCSD_ERR_MEM_ACC_FILE_NOT_FOUND;
	struct rlimit was, none;
	dcd_tree_handle_t t;
	char path[100];
	struct seen s;
	ocsd_err_t err;

	(void)state;
	t = make(&s);
	assert_int_equal(ocsd_dt_add_binfile_region_mem_acc(t, &region, 1, OCSD_MEM_SPACE_ANY, "/does/not/exist"),
			 missing);
	assert_int_equal(ocsd_get_last_err(NULL, NULL, NULL, 0), missing);
	assert_int_equal(ocsd_dt_add_binfile_region_mem_acc(t, &region, 1, OCSD_MEM_SPACE_ANY, dir), missing);
	assert_int_equal(ocsd_dt_add_binfile_mem_acc(t, 0x400000, OCSD_MEM_SPACE_ANY, dir), missing);
	temp_write(dir, "empty", "", 0);
	snprintf(path, sizeof(path), "%s/empty", dir);
	assert_int_equal(ocsd_dt_add_binfile_region_mem_acc(t, &region, 1, OCSD_MEM_SPACE_ANY, path), missing);
	assert_int_equal(ocsd_dt_add_binfile_mem_acc(t, 0x400000, OCSD_MEM_SPACE_ANY, path), missing);
	temp_write(dir, "eight", "12345678", 8);
	snprintf(path, sizeof(path), "%s/eight", dir);
	assert_int_equal(getrlimit(RLIMIT_AS, &was), 0);
	none = was;
	none.rlim_cur = 1;
	assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
	err = ocsd_dt_add_binfile_region_mem_acc(t, &region, 1, OCSD_MEM_SPACE_ANY, path);
	assert_int_equal(setrlimit(RLIMIT_AS, &was), 0);
	assert_int_equal(err, missing);
	assert_int_equal(tree_get(t)->mem.nr_accessors, 0);
	assert_int_equal(ocsd_dt_add_binfile_mem_acc(t, 0x400000, OCSD_MEM_SPACE_ANY, path), OCSD_OK);
	assert_int_equal(tree_get(t)->mem.accessors[0].last, 0x400007);
	ocsd_destroy_dcd_tree(t);
}

/* A64: each word is a branch to the same place in the next page. */
static uint32_t read_a64(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space, const uint8_t id,
			 const uint32_t want, uint8_t *buf)
{
	static const uint32_t next = B(1024);
	uint32_t i;

	(void)space;
	assert_int_equal(id, 0x10);
	assert_int_equal(addr & 0xfff, 0);
	assert_int_equal(want, 4096);
	++*(unsigned int *)(uintptr_t)ctx;
	for (i = 0; i < want; i++)
		buf[i] = ((const uint8_t *)&next)[i & 3];
	return want;
}

/* Pages of equal contents: 32768 are kept, then all are given up. Each page is fetched once. */
static void test_many_pages(void **state)
{
	enum { KEPT = 32768 };
	static uint8_t atoms[KEPT + 10];
	unsigned int calls = 0;
	dcd_tree_handle_t t;
	struct seen s;

	(void)state;
	t = make(&s);
	s.quiet = true;
	memset(atoms, E, sizeof(atoms));
	assert_int_equal(ocsd_dt_add_callback_trcid_mem_acc(t, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, read_a64, &calls),
			 OCSD_OK);
	FEED(t, SYNC, A64_AT(0));
	feed(t, atoms, KEPT);
	assert_int_equal(s.ranges, KEPT);
	assert_int_equal(tree_get(t)->mem.nr_pages, KEPT);
	assert_int_equal(tree_get(t)->mem.nr_contents, 1);
	feed(t, atoms, 10);
	assert_int_equal(s.ranges, KEPT + 10);
	assert_int_equal(s.nacc, 0);
	assert_int_equal(calls, KEPT + 10);
	assert_int_equal(tree_get(t)->mem.nr_pages, 10);
	assert_int_equal(tree_get(t)->mem.nr_contents, 1);
	ocsd_destroy_dcd_tree(t);
}

/* Pages belong to a source: they go with its decoder, and those of others remain. */
static void test_pages_of_two(void **state)
{
	static const uint8_t sync[] = { SYNC, T32_AT(0), E, E };
	ocsd_etmv4_cfg cfg = {
		.reg_idr1 = 0x400, .reg_idr2 = 8, .reg_traceidr = 0x10, .arch_ver = ARCH_V8,
		.core_prof = profile_CortexA,
	};
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN);
	struct seen s = { .quiet = true };
	struct halfwords h = { .first = 0 };
	uint8_t frames[4][16], bytes[2 * IN_FRAME];
	unsigned int i;
	unsigned char id;
	uint32_t used;

	(void)state;
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, on_element, &s), OCSD_OK);
	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, read_t32, &h), OCSD_OK);
	for (i = 0; i < 2; i++) {
		cfg.reg_traceidr = 0x10 + i;
		assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id), OCSD_OK);
	}
	assert_true(sizeof(sync) <= sizeof(bytes));
	memset(bytes, E, sizeof(bytes));
	memcpy(bytes, sync, sizeof(sync));
	for (i = 0; i < 4; i++)
		frame(frames[i], 0x10 + i / 2, bytes + i % 2 * IN_FRAME);
	assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, 0, sizeof(frames), frames[0], &used), OCSD_RESP_CONT);
	assert_int_equal(s.ranges, 2 * (sizeof(bytes) - sizeof(sync) + 2));
	assert_int_equal(h.calls, 2);
	assert_int_equal(tree_get(t)->mem.nr_pages, 2);
	assert_int_equal(ocsd_dt_remove_decoder(t, 0x11), OCSD_OK);
	assert_int_equal(tree_get(t)->mem.nr_pages, 1);
	/* the page of the other one is asked for again, and equal */
	assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, 64, 16, frames[1], &used), OCSD_RESP_CONT);
	assert_int_equal(tree_get(t)->mem.nr_pages, 1);
	assert_int_equal(tree_get(t)->mem.nr_contents, 1);
	assert_int_equal(ocsd_dt_remove_decoder(t, 0x10), OCSD_OK);
	assert_int_equal(tree_get(t)->mem.nr_pages, 0);
	ocsd_destroy_dcd_tree(t);
}

/* A64: each word is a branch to the next one; with `other` each second one is a NOP. */
struct code {
	dcd_tree_handle_t t;
	bool other;
	unsigned int calls;
	ocsd_err_t add, remove;		/* what it got for changes of the memory inside of the callback */
};

static uint32_t read_code(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space, const uint32_t want,
			  uint8_t *buf)
{
	static const uint32_t next = B(1), nop = 0xd503201f;
	struct code *c = (struct code *)(uintptr_t)ctx;
	uint32_t i;

	(void)space;
	c->calls++;
	c->add = ocsd_dt_add_buffer_mem_acc(c->t, 0x700000, OCSD_MEM_SPACE_ANY, (const uint8_t *)&next, 4);
	c->remove = ocsd_dt_remove_mem_acc(c->t, 0x700000, OCSD_MEM_SPACE_ANY);
	for (i = 0; i + 4 <= want; i += 4)
		memcpy(buf + i, c->other && (addr + i) % 8 == 0 ? &nop : &next, 4);
	return i;
}

/*
 * A page that was used before is asked for in the middle of decoding: once if its bytes are the same. If they are others they
 * are read again, outside, and decoded. In the middle of decoding memory can be added, but not removed.
 */
static void test_page_again(void **state)
{
	struct code c = { .other = false };
	struct seen s;

	(void)state;
	c.t = make(&s);
	assert_int_equal(ocsd_dt_add_callback_mem_acc(c.t, 0x400000, 0x400fff, OCSD_MEM_SPACE_ANY, read_code, &c), OCSD_OK);
	FEED(c.t, SYNC, A64_AT(0x100), E);
	CHECK(&s, "400100-400104");
	assert_int_equal(c.calls, 1);
	assert_int_equal(c.add, OCSD_OK);
	assert_int_equal(c.remove, OCSD_OK);
	FEED(c.t, E, E);
	CHECK(&s, "400104-400108", "400108-40010c");
	assert_int_equal(c.calls, 2);
	assert_int_equal(c.add, OCSD_OK);
	assert_int_equal(c.remove, OCSD_ERR_INVALID_PARAM_VAL);
	c.other = true;
	FEED(c.t, E, E);
	CHECK(&s, "40010c-400110", "400110-400118");
	assert_int_equal(c.calls, 4);
	assert_int_equal(c.add, OCSD_ERR_MEM_ACC_OVERLAP);
	assert_int_equal(c.remove, OCSD_OK);
	FEED(c.t, E);
	CHECK(&s, "400118-400120");
	assert_int_equal(c.calls, 5);
	assert_int_equal(tree_get(c.t)->mem.nr_contents, 2);
	assert_int_equal(c.remove, OCSD_ERR_INVALID_PARAM_VAL);
	assert_int_equal(ocsd_dt_remove_mem_acc(c.t, 0x700000, OCSD_MEM_SPACE_ANY), OCSD_OK);
	ocsd_destroy_dcd_tree(c.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hole),
		cmocka_unit_test(test_two_spaces),
		cmocka_unit_test(test_odd_buffer),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_many_pages),
		cmocka_unit_test(test_pages_of_two),
		cmocka_unit_test(test_page_again),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
