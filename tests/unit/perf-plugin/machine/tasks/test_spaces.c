/* SPDX-License-Identifier: BSD-3-Clause */
/* Address spaces made of maps: which bytes are at an address, what has none and why, how many spaces are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
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
	ts.release = versions_release;
	assert_int_equal(spaces_init(&sp, &dsos, 0), 0);
	sp.kernel = &kernel;
	sp.kernel_process = &ts.kernel;
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
	return (struct dso){ .kind = kind, .state = DSO_LOADED, .data = bytes, .size = size, .extent = size };
}

/* A map of process 1, or of the kernel. */
static void map(bool of_kernel, uint64_t at, uint64_t len, uint64_t off, struct dso *d)
{
	struct side_event e = { .kind = d ? SIDE_MAP : SIDE_UNMAP, .pid = 1, .tid = 1, .kernel = of_kernel,
				.map = { at, at + len, off, d } };

	assert_int_equal(threads_apply(&ts, &e, order++), 0);
}

static struct process *process(void)
{
	struct process *p = threads_process(&ts, 1);

	assert_non_null(p);
	return p;
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

static void bytes_of_files(void **state)
{
	struct dso a = file_of(DSO_FILE, 0x1800), b = file_of(DSO_FILE, 0x4000);
	uint8_t some[0x30];
	struct version *v;

	(void)state;
	start();
	b.extent = 0x2000;	/* of the file that was found; no more than that was mapped */
	map(false, 0x10000, 0x1000, 0x400, &a);
	map(false, 0x11000, 0x1000, 0x1000, &b);
	map(false, 0x20000, 0x1000, 0x1000, &a);
	v = version_get(&sp, process(), order, NULL);
	assert_non_null(v);
	assert_int_equal(a.used, 0);
	assert_int_equal(space_read(&sp, v, 0x10010, some, 0x20), 0x20);
	assert_memory_equal(some, bytes + 0x410, 0x20);
	assert_int_equal(a.used, 1);
	assert_int_equal(b.used, 0);
	/* from one file into the other */
	assert_int_equal(space_read(&sp, v, 0x10ff0, some, 0x30), 0x30);
	assert_memory_equal(some, bytes + 0x13f0, 0x10);
	assert_memory_equal(some + 0x10, bytes + 0x1000, 0x20);
	assert_int_equal(a.used, 1);	/* its bytes were asked for once */
	assert_int_equal(b.used, 1);
	expect(v, 0x11800, 0x1800, 0x800);
	expect(v, 0x20400, 0x1400, 0x400);	/* the file ends before its map does */
	expect(v, 0x20800, 0, 0);
	expect(v, 0xfff0, 0, 0);
	expect(NULL, 0x10000, 0, 0);
	version_put(v);
	end();
}

/* A map that does not fit together with its file has no bytes, which is counted and noted of a file that could have some. */
static void maps_that_do_not_fit(void **state)
{
	static const struct {
		uint64_t len, off;
		bool bad;
	} rows[] = {
		{ 0x1000, 0x400, false }, { 0x1000, 0x402, true }, { 0x1002, DSO_MAX_EXTENT - 0x1002, false },
		{ 0x1003, DSO_MAX_EXTENT - 0x1002, true }, { 0x1000, DSO_MAX_EXTENT + 2, true },
		{ 0x1000, UINT64_MAX - 0x7ff, true }, { 4, DSO_MAX_EXTENT - 2, true },
	};
	struct version *v;
	struct dso d;
	size_t i;
	int anon;

	(void)state;
	for (i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		anon = i & 1;
		start();
		d = file_of(anon ? DSO_ANON : DSO_FILE, 0x4000);
		d.extent = DSO_MAX_EXTENT;
		map(false, 0x10000, rows[i / 2].len, rows[i / 2].off, &d);
		v = version_get(&sp, process(), order, NULL);
		assert_non_null(v);
		if (sp.bad_maps != rows[i / 2].bad)
			fail_msg("row %zu: %u maps do not fit", i / 2, (unsigned int)sp.bad_maps);
		assert_int_equal(d.trouble, rows[i / 2].bad && !anon ? DSO_UNALIGNED : DSO_FINE);
		assert_non_null(maplist_find(v->maps, 0x10000));
		if (rows[i / 2].bad)
			expect(v, 0x10000, 0, 0);
		version_put(v);
		end();
	}
}

/* Maps of one epoch are added to the space that is there; a replaced one makes another. An unused one may move on. */
static void spaces_in_time(void **state)
{
	struct dso a = file_of(DSO_FILE, 0x2000), b = file_of(DSO_FILE, 0x4000);
	struct version *v, *w;
	uint64_t serial, early;

	(void)state;
	start();
	map(false, 0x10000, 0x1000, 0x1000, &a);
	early = order;
	v = version_get(&sp, process(), order, NULL);
	assert_non_null(v);
	assert_int_equal(v->users, 1);
	serial = v->serial;
	assert_ptr_equal(version_get(&sp, process(), order, v), v);
	assert_int_equal(v->users, 1);
	assert_int_equal(v->serial, serial);
	expect(v, 0x20000, 0, 0);
	map(false, 0x20000, 0x1000, 0x2000, &b);
	assert_ptr_equal(version_get(&sp, process(), order, v), v);
	assert_int_not_equal(v->serial, serial);
	expect(v, 0x20000, 0x2000, 0x1000);
	version_hold(v);
	assert_int_equal(v->users, 2);
	version_hold(NULL);
	version_put(NULL);
	version_put(v);
	/* replaced: whoever is at the earlier moment keeps what was there */
	map(false, 0x10000, 0x1000, 0x3000, &b);
	w = version_get(&sp, process(), order, NULL);
	assert_ptr_not_equal(v, w);
	assert_int_not_equal(w->serial, v->serial);
	expect(v, 0x10000, 0x1000, 0x1000);
	expect(w, 0x10000, 0x3000, 0x1000);
	expect(w, 0x20000, 0x2000, 0x1000);
	assert_ptr_equal(version_get(&sp, process(), early, NULL), v);
	assert_int_equal(v->users, 2);
	version_put(v);
	/* the caller's one is given back for another */
	assert_ptr_equal(version_get(&sp, process(), order, v), w);
	assert_int_equal(v->users, 0);
	assert_int_equal(w->users, 2);
	version_put(w);
	version_put(w);
	/* no longer in use, it goes on to the next change; both its earlier maps and the new one are there */
	map(false, 0x10000, 0x1000, 0x2000, &b);
	assert_ptr_equal(version_get(&sp, process(), order, NULL), w);
	expect(w, 0x10000, 0x2000, 0x1000);
	expect(w, 0x20000, 0x2000, 0x1000);
	expect(v, 0x10000, 0x1000, 0x1000);
	assert_false(versions_release(process()));
	assert_ptr_equal(process()->versions, w);
	assert_null(w->next);
	version_put(w);
	assert_true(versions_release(process()));
	assert_null(process()->versions);
	end();
}

/* A new program: nothing of what was mapped before it, neither in a new space nor in one that was unused. */
static void spaces_of_a_new_program(void **state)
{
	struct side_event exec = { .kind = SIDE_EXEC, .pid = 1, .tid = 1, .comm = "new" };
	struct dso a = file_of(DSO_FILE, 0x2000);
	struct version *v, *w;
	uint64_t before;
	int hold;

	(void)state;
	for (hold = 0; hold < 2; hold++) {
		start();
		a = file_of(DSO_FILE, 0x2000);
		map(false, 0x10000, 0x1000, 0x1000, &a);
		before = order;
		v = version_get(&sp, process(), order, NULL);
		if (!hold)
			version_put(v);
		assert_int_equal(threads_apply(&ts, &exec, order++), 0);
		w = version_get(&sp, process(), order, NULL);
		assert_ptr_not_equal(v, w);
		expect(w, 0x10000, 0, 0);
		/* what it maps is added to that */
		map(false, 0x20000, 0x1000, 0, &a);
		assert_ptr_equal(version_get(&sp, process(), order, w), w);
		expect(w, 0x10000, 0, 0);
		expect(w, 0x20000, 0, 0x1000);
		version_put(w);
		w = version_get(&sp, process(), before, NULL);
		expect(w, 0x10000, 0x1000, 0x1000);
		expect(w, 0x20000, 0, 0);
		version_put(w);
		if (hold)
			version_put(v);
		end();
	}
}

/* Of the spaces that nobody uses, the four that were used last are kept. */
static void spaces_that_are_kept(void **state)
{
	enum { N = 8 };
	struct dso a = file_of(DSO_FILE, 0x2000), b = file_of(DSO_FILE, 0x2000);
	struct version *v[N], *x;
	uint64_t at[N];
	unsigned int i, n;

	(void)state;
	start();
	for (i = 0; i < N; i++) {
		map(false, 0x10000, 0x1000, 0, i & 1 ? &a : &b);
		at[i] = order;
		v[i] = version_get(&sp, process(), order, NULL);
		assert_non_null(v[i]);
	}
	for (i = 0, x = process()->versions; x; x = x->next)
		i++;
	assert_int_equal(i, N);		/* those in use */
	for (i = 1; i < N; i++)
		version_put(v[i]);
	assert_ptr_equal(version_get(&sp, process(), at[2], NULL), v[2]);
	/* the one that was asked for, four more, and the one in use */
	x = process()->versions;
	for (i = 0, n = 0; x; x = x->next, i++) {
		static const unsigned int kept[] = { 2, 7, 6, 5, 4, 0 };

		assert_in_range(i, 0, 5);
		assert_ptr_equal(x, v[kept[i]]);
		n += x->users;
	}
	assert_int_equal(i, 6);
	assert_int_equal(n, 2);
	version_put(v[0]);
	version_put(v[2]);
	end();
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
		d.segs = segs;
		d.nr_segs = 4;
		d.syms = syms;
		d.nr_syms = 1;
		d.symbols_read = true;
		strcpy(d.ref_sym, rows[i].sym);
		d.ref_addr = KERNEL + 0x40 + rows[i].move;
		map(true, rows[i].start, rows[i].len, 0, &d);
		v = version_get(&sp, &ts.kernel, order, NULL);
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
		free(d.name_order);
	}
}

/* A kernel whose image lacks the recorded symbol is refused, and one without segments has no code; the map is there. */
static void kernels_without_code(void **state)
{
	static struct dso_segment seg = { 0x1000, KERNEL, 0x1000, true };
	struct version *v;
	struct dso d;
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		start();
		d = file_of(DSO_VMLINUX, 0x4000);
		d.segs = &seg;
		d.nr_segs = !i;
		d.symbols_read = true;
		strcpy(d.ref_sym, i ? "" : "_other");
		/* the last one up to the end of all addresses, beyond what a file can have */
		d.extent = i == 2 ? DSO_MAX_EXTENT : 0x2000;
		map(true, KERNEL, i == 2 ? UINT64_MAX - KERNEL : 0x2000, 0, &d);
		v = version_get(&sp, &ts.kernel, order, NULL);
		assert_non_null(v);
		assert_int_equal(sp.bad_maps, 0);
		assert_non_null(maplist_find(v->maps, KERNEL + 0x1ffc));
		assert_int_equal(d.state, i ? DSO_LOADED : DSO_REFUSED);
		assert_int_equal(d.trouble, i ? DSO_FINE : DSO_NO_SYMBOL);
		assert_null(kernel.vmlinux);
		version_put(v);
		end();
		free(d.name_order);
	}
}

/* A module is laid out when its code is needed first, in all spaces at once; one that is laid out has it from the begin. */
static void layout_of_modules(void **state)
{
	static struct dso_segment segs[] = { { 0x1000, KERNEL + 0x1000, 0x800, true }, { 0x2000, KERNEL + 0x1900, 0x700, true } };
	struct dso m = file_of(DSO_MODULE, 0x4000), other = file_of(DSO_MODULE, 0x4000), f = file_of(DSO_FILE, 0x4000);
	struct version *v, *w;

	(void)state;
	start();
	m.extent = 0x10;
	m.segs = segs;
	m.nr_segs = 2;
	m.state = DSO_MISSING;
	map(true, KERNEL + 0x1000, 0x1000, 0, &m);
	map(true, KERNEL + 0x8002, 0x1000, 0, &other);	/* its begin need not be a multiple of anything */
	v = version_get(&sp, &ts.kernel, order, NULL);
	assert_non_null(v);
	assert_int_equal(sp.bad_maps, 0);
	assert_ptr_equal(maplist_find(v->maps, KERNEL + 0x1000)->dso, &m);
	map(true, KERNEL + 0x8002, 0x1000, 2, &f);
	w = version_get(&sp, &ts.kernel, order, NULL);
	assert_ptr_not_equal(v, w);
	m.state = DSO_LOADED;
	expect(w, KERNEL + 0x1100, 0x1100, 0x700);
	expect(w, KERNEL + 0x1900, 0x2000, 0x700);
	expect(v, KERNEL + 0x1100, 0x1100, 0x700);
	expect(v, KERNEL + 0x1900, 0x2000, 0x700);
	expect(w, KERNEL + 0x8002, 2, 0x1000);
	assert_int_equal(m.extent, 0x4000);
	/* its first request laid it out, the second was for its bytes */
	assert_int_equal(m.used, 2);
	version_put(w);
	/* another one, now that the layout is known */
	map(true, KERNEL + 0x8002, 0x1000, 0x12, &f);
	map(true, KERNEL + 0x8002, 0x1000, 2, &f);
	assert_true(version_get(&sp, &ts.kernel, order, NULL) != v);
	version_put(sp.kernel_process->versions);
	version_put(v);
	assert_true(versions_release(&ts.kernel));
	v = version_get(&sp, &ts.kernel, order, NULL);
	assert_int_equal(maplist_find(v->maps, KERNEL + 0x1900)->off, 0x2000);
	expect(v, KERNEL + 0x1000, 0x1000, 0x800);
	expect(v, KERNEL + 0x1900, 0x2000, 0x700);
	version_put(v);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_of_files), cmocka_unit_test(maps_that_do_not_fit), cmocka_unit_test(spaces_in_time),
		cmocka_unit_test(spaces_of_a_new_program), cmocka_unit_test(spaces_that_are_kept),
		cmocka_unit_test(segments_of_a_kernel), cmocka_unit_test(kernels_without_code), cmocka_unit_test(layout_of_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
