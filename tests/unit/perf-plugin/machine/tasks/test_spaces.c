/* SPDX-License-Identifier: BSD-3-Clause */
/* The address space of a kernel: where its segments are, within the recorded map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/images/dso_table.h"
#include "machine/images/kernel.h"
#include "machine/tasks/space.h"
#include "machine/tasks/threads.h"

#define KERNEL	0xffff800008000000ull

static struct side_order side;
static struct dso_table dsos;
static struct kernel_images kernel;
static struct threads ts;
static struct spaces sp;
static uint64_t order;
static uint8_t bytes[0x4000];

static void start(void)
{
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i >> 4);
	memset(&kernel, 0, sizeof(kernel));
	dso_table_init(&dsos);
	threads_init(&ts, &side);
	ts.hooks.release = versions_release;
	spaces_init(&sp, 0);
	sp.kernel = &kernel;
	sp.kernel_process = &ts.known.kernel;
	order = 0;
}

static void end(void)
{
	spaces_free(&sp, &ts);
	threads_free(&ts);
	dso_table_free(&dsos);
}

/* A file whose bytes are there. */
static struct dso file_of(uint8_t kind, size_t size)
{
	return (struct dso){ .kind = kind,
			     .state = DSO_LOADED,
			     .image.data = bytes,
			     .image.size = size,
			     .extent = size };
}

/* A map of process 1, or of the kernel. */
static void map(bool of_kernel, uint64_t at, uint64_t len, uint64_t off, struct dso *d)
{
	struct side_event e = { .kind = d ? SIDE_MAP : SIDE_UNMAP, .pid = 1, .tid = 1, .kernel = of_kernel,
				.map = { at, at + len, off, d } };

	threads_apply(&ts, &e, order++);
}

/* What is at an address is that of the file's offset, for `len` bytes and no more. */
static void expect(struct version *v, uint64_t addr, uint64_t off, size_t len)
{
	uint8_t got[0x4000];
	size_t n = space_read(&sp, v, addr, got, sizeof(got));

	if (n != len)
		fail_msg("0x%zx bytes at 0x%llx, not 0x%zx", n, (unsigned long long)addr, len);
	assert_memory_equal(got, bytes + off, len);
}

/* A kernel is where its segments with code are, moved by what its symbol moved, within the recorded map. */
static void segments_of_a_kernel(void **state)
{
	static struct dso_symbol_entry syms[] = { { .vaddr = KERNEL + 0x40, .name = "_text" } };
	static struct dso_segment segs[] = {
		{ 0x1000, KERNEL, 0x1000, true },		/* whole */
		{ 0x2000, KERNEL + 0x2000, 0x800, false },	/* data */
		{ 0x3000, KERNEL + 0x3000, 0x4000, true },	/* more than the file has */
		{ 0x4000, KERNEL + 0x9000, 0x1000, true },	/* behind the file's end */
	};
	static const struct {
		uint64_t start, len, move;
		const char *sym;
		/* map of the first segment, and of the third */
		uint64_t first, first_len, first_off, third, third_len;
	} rows[] = {
		{ KERNEL, 0x10000, 0, "", KERNEL, 0x1000, 0x1000, KERNEL + 0x3000, 0x1000 },
		{ KERNEL, 0x10000, 0x200000, "_text", KERNEL + 0x200000, 0, 0, 0, 0 },
		{ KERNEL + 0x200000, 0x10000, 0x200000, "_text", KERNEL + 0x200000, 0x1000, 0x1000, KERNEL + 0x203000, 0x1000 },
		{ KERNEL + 0x400, 0x2c00, 0, "", KERNEL + 0x400, 0xc00, 0x1400, 0, 0 },
		{ KERNEL + 0x400, 0x400, 0, "", KERNEL + 0x400, 0x400, 0x1400, 0, 0 },
		{ KERNEL + 0x1000, 0x2004, 0, "", KERNEL, 0, 0, KERNEL + 0x3000, 4 },
		{ KERNEL, UINT64_MAX - KERNEL, 0, "", KERNEL, 0x1000, 0x1000, KERNEL + 0x3000, 0x1000 },
	};
	struct version *v;
	struct dso d;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start();
		d = file_of(DSO_VMLINUX, 0x4000);
		d.extent = 0x10;	/* whatever the record said */
		d.image.segs = segs;
		d.image.nr_segs = 4;
		d.symbols.syms = syms;
		d.symbols.nr_syms = 1;
		d.symbols.symbols_read = true;
		strcpy(d.kernel.ref_sym, rows[i].sym);
		d.kernel.ref_addr = KERNEL + 0x40 + rows[i].move;
		map(true, rows[i].start, rows[i].len, 0, &d);
		v = version_get(&sp, &ts.known.kernel, order, NULL);
		assert_non_null(v);
		if (rows[i].first_len)
			expect(v, rows[i].first, rows[i].first_off, rows[i].first_len);
		else
			expect(v, rows[i].start, 0, 0);
		if (rows[i].third_len)
			expect(v, rows[i].third, 0x3000, rows[i].third_len);
		expect(v, KERNEL + 0x2000 + rows[i].move, 0, 0);
		assert_null(maplist_find(v->maps, KERNEL + 0x9000 + rows[i].move));
		if (rows[i].start > KERNEL)
			assert_null(maplist_find(v->maps, rows[i].start - 4));
		assert_ptr_equal(kernel.vmlinux, &d);
		assert_int_equal(kernel.delta, rows[i].move);
		assert_int_equal(sp.bad_maps, 0);
		version_put(v);
		end();
		free(d.symbols.name_order);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(segments_of_a_kernel) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
