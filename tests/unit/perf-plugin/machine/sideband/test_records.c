/* SPDX-License-Identifier: BSD-3-Clause */
/* The event that a single record about threads, maps or changed code becomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/sideband/side_events.h"
#include "machine/sideband/side_perf.h"
#include "perfdata/records.h"
#include "unit/perf-plugin/bpf_build.h"
#include "unit/perf-plugin/perfdata_build.h"

#define KERNEL	0xffff800008000000ull
#define TIMED	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static struct fixture {
	struct pdb file;
	struct dso_table dsos;
	struct kernel_images kernel;
	struct side_events se;
	uint64_t seq;
} fx;

/* A recording of this architecture (NULL: it does not say), with this section about BPF programs (NULL: none). */
static void start(const char *arch, const struct pdb *bpf)
{
	static const struct pdb_attr attr = { .sample_type = TIMED, .type = 8, .size = 112, .sample_id_all = true };
	struct pdb data = { 0 }, name = { 0 };
	struct pdb_feature f[2];
	struct error err;
	unsigned int n = 0;

	memset(&fx, 0, sizeof(fx));
	if (arch) {
		pdb_feat_str(&name, arch);
		f[n++] = (struct pdb_feature){ PD_FEAT_ARCH, &name };
	}
	if (bpf)
		f[n++] = (struct pdb_feature){ PD_FEAT_BPF_PROG_INFO, bpf };
	pdb_comm(&data, 1, 1, "a", TIMED, &(struct pdb_sid){ .time = 1 });
	pdb_file(&fx.file, &attr, 1, 0, &data, f, n);
	dso_table_init(&fx.dsos);
	fx.dsos.search.kernel = &fx.kernel;
	side_events_init(&fx.se);
	fx.se.pd = perfdata_open_memory(fx.file.p, fx.file.len, "test", &err);
	assert_non_null(fx.se.pd);
	fx.se.name = "test";
	fx.se.dsos = &fx.dsos;
	fx.se.kernel = &fx.kernel;
	assert_int_equal(side_events_start(&fx.se), 0);
	pdb_free(&data);
	pdb_free(&name);
}

static void end(void)
{
	patches_free(&fx.kernel.patches);
	side_events_free(&fx.se);
	perfdata_close(fx.se.pd);
	kernel_free(&fx.kernel);
	dso_table_free(&fx.dsos);
	pdb_free(&fx.file);
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
	memset(b, 0, sizeof(*b));
	return rc;
}

struct mmap_row {
	uint32_t pid;
	uint16_t misc;
	uint64_t start, len, pgoff;
	uint32_t prot;
	const char *name;
	int rc;
	/* of the event */
	uint64_t end, off;
	int kind;		/* of the file; -1: none */
	const char *path;
	uint64_t extent;
};

static void put_mmap(struct pdb *b, const struct mmap_row *r, bool old)
{
	size_t at = pdb_begin(b, old ? PERF_RECORD_MMAP : PERF_RECORD_MMAP2, r->misc);

	pdb_u32(b, r->pid);
	pdb_u32(b, r->pid + 1);
	pdb_u64(b, r->start);
	pdb_u64(b, r->len);
	pdb_u64(b, r->pgoff);
	if (!old) {
		pdb_zero(b, 24);
		pdb_u32(b, r->prot);
		pdb_u32(b, 0);
	}
	pdb_str8(b, r->name);
	pdb_end(b, at);
}

#define RX	(PROT_READ | PROT_EXEC)
#define USER	PERF_RECORD_MISC_USER
#define KERN	PERF_RECORD_MISC_KERNEL
#define BIG	DSO_MAX_EXTENT

static void maps(void **state)
{
	static const struct mmap_row rows[] = {
		{ 7, USER, 0x1000, 0x2000, 0x3000, RX, "/bin/a", 1, 0x3000, 0x3000, DSO_FILE, "/bin/a", 0x5000 },
		/* a map of less of it, and one that begins nowhere near code: the file is as large as before */
		{ 7, USER, 0x9000, 0x1000, 0x2000, RX, "/bin/a", 1, 0xa000, 0x2000, DSO_FILE, "/bin/a", 0x5000 },
		{ 7, USER, 0x9000, 0x1000, BIG - 0xfff, RX, "/bin/a", 1, 0xa000, BIG - 0xfff, DSO_FILE, "/bin/a", 0x5000 },
		{ 7, USER, 0x9000, 0x1000, BIG - 0x1000, RX, "/bin/a", 1, 0xa000, BIG - 0x1000, DSO_FILE, "/bin/a", BIG },
		/* data */
		{ 7, USER, 0x1000, 0x2000, 0x3000, PROT_READ | PROT_WRITE, "/bin/d", 1, 0x3000, 0x3000, -1, NULL, 0 },
		{ 7, USER, 0x1000, 0x2000, 0x1000, PROT_READ | PROT_WRITE, "//anon", 1, 0x3000, 0x1000, -1, NULL, 0 },
		/* up to the end of the address space, and beyond */
		{ 7, USER, -0x2000ull, 0x1fff, 0, RX, "/bin/b", 1, -1ull, 0, DSO_FILE, "/bin/b", 0x1fff },
		{ 7, USER, -0x2000ull, 0x2000, 0, RX, "/bin/b", 0, 0, 0, -1, NULL, 0 },
		{ 7, USER, 0x1000, 0, 0, RX, "/bin/b", 0, 0, 0, -1, NULL, 0 },
		{ 7, USER, 0x1000, 0x1000, -0x1000ull, RX, "/bin/b", 0, 0, 0, -1, NULL, 0 },
		{ 7, USER, 0x1000, 0x0fff, -0x1000ull, RX, "/bin/b", 1, 0x1fff, -0x1000ull, DSO_FILE, "/bin/b", 0x1fff },
		/* guests and the hypervisor have address spaces of their own */
		{ 7, PERF_RECORD_MISC_HYPERVISOR, 0x1000, 0x1000, 0, RX, "/bin/b", 0, 0, 0, -1, NULL, 0 },
		{ 7, PERF_RECORD_MISC_GUEST_USER, 0x1000, 0x1000, 0, RX, "/bin/b", 0, 0, 0, -1, NULL, 0 },
		/* the kernel: by its mode, or by its process */
		{ 0, KERN, KERNEL, 0x1000, 0x5000, RX, "/lib/odd", 1, KERNEL + 0x1000, 0x5000, DSO_FILE, "/lib/odd", 0x6000 },
		{ UINT32_MAX, USER, KERNEL, 0x1000, -1ull, RX, "/lib/odd", 1, KERNEL + 0x1000, -1ull, DSO_FILE, "/lib/odd",
		  0x6000 },
		{ UINT32_MAX, KERN, KERNEL, -1ull, KERNEL + 0x40, RX, "[kernel.kallsyms]_text", 1, -1ull, 0, DSO_VMLINUX,
		  "[kernel.kallsyms]", BIG },
		{ UINT32_MAX, KERN, 0, -1ull, 0, RX, "[kernel.kallsyms]", 1, -1ull, 0, DSO_VMLINUX, "[kernel.kallsyms]", BIG },
		{ UINT32_MAX, KERN, 0, -1ull, 0, RX, "[code that is made]", 0, 0, 0, -1, NULL, 0 },
		{ UINT32_MAX, KERN, 4, -1ull, 0, RX, "[code that is made]", 1, -1ull, 0, DSO_FILE, "[code that is made]", 0 },
		{ UINT32_MAX, KERN, KERNEL + 0x8000, 0x4000, 0x777, RX, "[xfs]", 1, KERNEL + 0xc000, 0, DSO_MODULE, "[xfs]", 0x4777 },
		/* a process is no place for either */
		{ 7, USER, 0x1000, 0x1000, 0x10, RX, "[kernel.kallsyms]_text", 1, 0x2000, 0x10, DSO_FILE,
		  "[kernel.kallsyms]_text", 0x1010 },
		/* the vDSO of 32-bit programs: below 4 GB, to the last byte */
		{ 7, USER, 0xfffff000, 0x1000, 0, RX, "[vdso]", 1, 0x100000000, 0, DSO_FILE, "[vdso32]", 0x1000 },
		{ 7, USER, 0xfffff000, 0x1001, 0, RX, "[vdso]", 1, 0x100000001, 0, DSO_FILE, "[vdso]", 0x1001 },
		{ 7, USER, 0xff000, 0x1000, 0, RX, "[vdso2]", 1, 0x100000, 0, DSO_FILE, "[vdso2]", 0x1000 },
	};
	struct side_event e;
	struct pdb b = { 0 };
	size_t i;
	int old, rc;

	(void)state;
	for (old = 0; old < 2; old++) {
		start(old ? "arm64" : "aarch64", NULL);
		for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct mmap_row r = rows[i];

			if (old && !(r.prot & PROT_EXEC))
				r.misc |= PERF_RECORD_MISC_MMAP_DATA;
			put_mmap(&b, &r, old);
			rc = take(&b, TIMED, &e);
			if (rc != r.rc)
				fail_msg("row %zu: returns %d", i, rc);
			if (!rc)
				continue;
			assert_int_equal(e.kind, r.kind < 0 ? SIDE_UNMAP : SIDE_MAP);
			assert_int_equal(e.anon, e.kind == SIDE_UNMAP && !strcmp(r.name, "//anon"));
			assert_int_equal(e.kernel, (r.misc & PERF_RECORD_MISC_CPUMODE_MASK) == KERN || r.pid == UINT32_MAX);
			assert_int_equal(e.pid, (int)r.pid);
			assert_int_equal(e.tid, (int)(r.pid + 1));
			assert_int_equal(e.time, 500);
			assert_int_equal(e.seq, i);
			if (e.map.start != r.start || e.map.end != r.end || e.map.off != r.off)
				fail_msg("row %zu: 0x%llx to 0x%llx at 0x%llx", i, (unsigned long long)e.map.start,
					 (unsigned long long)e.map.end, (unsigned long long)e.map.off);
			if (r.kind < 0) {
				assert_null(e.map.dso);
				continue;
			}
			assert_non_null(e.map.dso);
			assert_string_equal(e.map.dso->path, r.path);
			if (e.map.dso->extent != r.extent)
				fail_msg("row %zu: the file extends to 0x%llx", i, (unsigned long long)e.map.dso->extent);
		}
		end();
	}
	/* a 32-bit kernel, or one that is not named, has one vDSO */
	for (i = 0; i < 2; i++) {
		start(i ? "armv7l" : NULL, NULL);
		put_mmap(&b, &rows[sizeof(rows) / sizeof(rows[0]) - 3], false);
		assert_int_equal(take(&b, 0, &e), 1);
		assert_string_equal(e.map.dso->path, "[vdso]");
		assert_int_equal(e.time, 0);
		end();
	}
}

/* The first map of a kernel that names a symbol says where that is: at the offset, or where the map begins. */
static void symbols_of_kernel_maps(void **state)
{
	static const struct {
		const char *name;
		uint64_t start, pgoff;
		const char *symbol;
		uint64_t addr;
	} rows[] = {
		{ "[kernel.kallsyms]_text", KERNEL, KERNEL + 0x40, "_text", KERNEL + 0x40 },
		{ "[kernel.kallsyms]_stext", KERNEL, 0, "_stext", KERNEL },
		{ "[kernel.kallsyms]", KERNEL, KERNEL, "", 0 },
		{ "[kernel.kallsyms]_text", 0, 0, "", 0 },
		{ "[kernel.kallsyms]s", KERNEL, 0x10, "s", 0x10 },
		{ "[kernel.kallsyms]fifteen_letters", KERNEL, 0x10, "fifteen_letters", 0x10 },
		{ "[kernel.kallsyms]sixteen__letters", KERNEL, 0x10, "", 0 },
	};
	struct mmap_row r = { .pid = UINT32_MAX, .misc = KERN, .len = 0x1000, .prot = RX };
	struct side_event e;
	struct pdb b = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(NULL, NULL);
		r.name = rows[i].name;
		r.start = rows[i].start;
		r.pgoff = rows[i].pgoff;
		put_mmap(&b, &r, false);
		assert_int_equal(take(&b, TIMED, &e), 1);
		assert_string_equal(e.map.dso->ref_sym, rows[i].symbol);
		assert_int_equal(e.map.dso->ref_addr, rows[i].addr);
		assert_int_equal(e.map.dso->extent, 0x1000);
		/* a further one changes nothing of that */
		r.name = "[kernel.kallsyms]_etext";
		r.pgoff = KERNEL + 0x9000;
		put_mmap(&b, &r, false);
		assert_int_equal(take(&b, TIMED, &e), 1);
		assert_string_equal(e.map.dso->ref_sym, rows[i].symbol[0] ? rows[i].symbol : "_etext");
		assert_int_equal(e.map.dso->ref_addr, rows[i].symbol[0] ? rows[i].addr : KERNEL + 0x9000);
		end();
	}
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
	start(NULL, NULL);
	for (i = 0; i < 20; i++)
		id[i] = (uint8_t)(0x30 + i);
	for (i = 0; i < 4; i++) {
		at = pdb_begin(&b, PERF_RECORD_MMAP2, USER | (i < 3 ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
		pdb_u32(&b, 7);
		pdb_u32(&b, 7);
		pdb_u64(&b, 0x1000);
		pdb_u64(&b, 0x1000);
		pdb_u64(&b, 0);
		pdb_bytes(&b, (const uint8_t[]){ i == 0 ? 8 : i == 1 ? 20 : 200, 0, 0, 0 }, 4);
		pdb_bytes(&b, id, 20);
		pdb_u32(&b, RX);
		pdb_u32(&b, 0);
		pdb_str8(&b, i == 0 ? "/a" : i == 1 ? "/b" : i == 2 ? "/c" : "/d");
		pdb_end(&b, at);
		assert_int_equal(take(&b, TIMED, &e), 1);
		assert_int_equal(e.map.dso->recorded.len, i == 0 ? 8 : i == 3 ? 0 : 20);
		assert_memory_equal(e.map.dso->recorded.id, id, e.map.dso->recorded.len);
	}
	end();
}

static void put_task_of(struct pdb *b, uint32_t type, uint16_t misc, uint32_t a, uint32_t b2, uint32_t c, uint32_t d)
{
	size_t at = pdb_begin(b, type, misc);

	pdb_u32(b, a);
	pdb_u32(b, b2);
	pdb_u32(b, c);
	pdb_u32(b, d);
	pdb_u64(b, 499);
	pdb_end(b, at);
}

static void put_task(struct pdb *b, uint32_t type, uint32_t a, uint32_t b2, uint32_t c, uint32_t d)
{
	put_task_of(b, type, 0, a, b2, c, d);
}

static void threads_and_names(void **state)
{
	struct side_event e;
	struct pdb b = { 0 };
	size_t at;
	int exec;

	(void)state;
	start(NULL, NULL);
	for (exec = 0; exec < 2; exec++) {
		at = pdb_begin(&b, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
		pdb_u32(&b, 3);
		pdb_u32(&b, 4);
		pdb_str8(&b, "sh");
		pdb_end(&b, at);
		assert_int_equal(take(&b, TIMED, &e), 1);
		assert_int_equal(e.kind, exec ? SIDE_EXEC : SIDE_COMM);
		assert_int_equal(e.pid, 3);
		assert_int_equal(e.tid, 4);
		assert_false(e.kernel);
	}
	put_task(&b, PERF_RECORD_FORK, 3, 2, 4, 1);
	assert_int_equal(take(&b, TIMED, &e), 1);
	assert_int_equal(e.kind, SIDE_FORK);
	assert_int_equal(e.pid, 3);
	assert_int_equal(e.fork.ppid, 2);
	assert_int_equal(e.tid, 4);
	assert_int_equal(e.fork.ptid, 1);
	assert_int_equal(e.time, 500);	/* that of all records, not the field of its own */
	assert_false(e.fork.described);
	put_task_of(&b, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, 3, 2, 4, 1);
	assert_int_equal(take(&b, 0, &e), 1);
	assert_int_equal(e.kind, SIDE_FORK);
	assert_true(e.fork.described);
	put_task(&b, PERF_RECORD_EXIT, 3, 2, 4, 1);
	assert_int_equal(take(&b, 0, &e), 1);
	assert_int_equal(e.kind, SIDE_EXIT);
	assert_int_equal(e.pid, 3);
	assert_int_equal(e.tid, 4);
	assert_int_equal(e.time, 0);
	put_task(&b, PERF_RECORD_LOST, 3, 2, 4, 1);
	assert_int_equal(take(&b, TIMED, &e), 0);
	end();
}

/* Records that tell in passing which process a thread is of: each thread once, and again when another one came between. */
static void threads_in_passing(void **state)
{
	static const struct {
		uint32_t pid, tid;
		int rc;
	} rows[] = {
		{ 3, 4, 1 }, { 3, 4, 0 }, { 5, 4, 1 }, { 5, 4, 0 }, { 0, 6, 1 }, { 3, 0, 0 }, { -1u, 8, 0 }, { 3, -1u, 0 },
		{ 5, 4 + 1024, 1 }, { 5, 4, 1 }, { 5, 4 + 512, 1 }, { 5, 4, 0 }, { 0, 1, 1 },
	};
	struct side_event e;
	struct pdb b = { 0 };
	size_t i, at;

	(void)state;
	start(NULL, NULL);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		at = pdb_begin(&b, PERF_RECORD_ITRACE_START, 0);
		pdb_u32(&b, rows[i].pid);
		pdb_u32(&b, rows[i].tid);
		pdb_end(&b, at);
		if (take(&b, TIMED, &e) != rows[i].rc)
			fail_msg("row %zu", i);
		if (!rows[i].rc)
			continue;
		assert_int_equal(e.kind, SIDE_THREAD);
		assert_int_equal(e.pid, rows[i].pid);
		assert_int_equal(e.tid, rows[i].tid);
	}
	/* a switch is about the thread of its trailer, if it has one */
	pdb_end(&b, pdb_begin(&b, PERF_RECORD_SWITCH, 0));
	assert_int_equal(take(&b, PERF_SAMPLE_TIME, &e), 0);
	pdb_end(&b, pdb_begin(&b, PERF_RECORD_SWITCH, 0));
	assert_int_equal(take(&b, PERF_SAMPLE_TID, &e), 1);
	assert_int_equal(e.pid, 7);
	assert_int_equal(e.tid, 70);
	put_task(&b, PERF_RECORD_SWITCH_CPU_WIDE, 1, 2, 3, 4);
	assert_int_equal(take(&b, TIMED, &e), 0);
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
	start(NULL, NULL);
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
		assert_int_equal(dso->size, 27);
		assert_int_equal(dso->extent, 27);
		assert_int_equal(dso->state, DSO_LOADED);
		assert_int_equal(dso->recorded.len, 0);
		assert_memory_equal(dso->data, "abcde\0\0\0\0\0bcd\0\0\0\0cdef\0\0\0fgh", 27);
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

static void put_poke(struct pdb *b, uint64_t addr, uint16_t old_len, uint16_t new_len)
{
	size_t at = pdb_begin(b, PERF_RECORD_TEXT_POKE, 0);

	pdb_u64(b, addr);
	pdb_u16(b, old_len);
	pdb_u16(b, new_len);
	pdb_bytes(b, "01234567abcd", 12);	/* without padding */
	pdb_end(b, at);
}

/* The kernel changes its text: bytes of the record at an aligned address, as many as the record has. */
static void changes_of_kernel_text(void **state)
{
	static const struct {
		uint64_t addr;
		uint16_t old_len, new_len;
		int rc;
		uint64_t len, off;
	} rows[] = {
		{ KERNEL, 4, 4, 1, 4, 0 }, { KERNEL + 8, 0, 8, 1, 8, 4 }, { KERNEL + 16, 8, 0, 1, 8, 0 },
		{ KERNEL, 0, 0, 0, 0, 0 }, { KERNEL + 2, 4, 4, 0, 0, 0 }, { KERNEL + 1, 4, 4, 0, 0, 0 },
		{ KERNEL, 8, 4, 1, 4, 12 }, { KERNEL, 8, 5, 0, 0, 0 }, { KERNEL, 9, 4, 0, 0, 0 },
		{ -0x10000ull, 4, 4, 1, 4, 0 }, { -0xfffcull, 4, 4, 0, 0, 0 },
	};
	struct side_event e;
	struct pdb b = { 0 };
	size_t i;
	int rc, pass;

	(void)state;
	start(NULL, NULL);
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			put_poke(&b, rows[i].addr, rows[i].old_len, rows[i].new_len);
			rc = take(&b, i & 1 ? TIMED : 0, &e);
			if (rc != rows[i].rc)
				fail_msg("row %zu: returns %d", i, rc);
			if (!rc)
				continue;
			assert_int_equal(e.kind, rows[i].new_len ? SIDE_MAP : SIDE_UNMAP);
			assert_true(e.kernel);
			assert_int_equal(e.pid, KERNEL_PID);
			assert_int_equal(e.time, i & 1 ? 500 : 0);
			assert_int_equal(e.map.start, rows[i].addr);
			assert_int_equal(e.map.end, rows[i].addr + rows[i].len);
			assert_int_equal(e.map.dso != NULL, rows[i].new_len != 0);
			if (rows[i].new_len)
				assert_int_equal(e.map.off, rows[i].off);
		}
		if (pass)
			break;
		assert_int_equal(patches_finish(&fx.kernel.patches, &fx.dsos), 0);
		assert_memory_equal(fx.kernel.patches.dso->data, "4567" "01234567" "abcd", 16);
	}
	/* later passes add no original bytes */
	assert_int_equal(fx.kernel.patches.nr_word, 0);
	end();
}

static void put_ksymbol(struct pdb *b, uint64_t addr, uint32_t len, uint16_t flags, const char *name)
{
	size_t at = pdb_begin(b, PERF_RECORD_KSYMBOL, 0);

	pdb_u64(b, addr);
	pdb_u32(b, len);
	pdb_u16(b, 1);
	pdb_u16(b, flags);
	pdb_str8(b, name);
	pdb_end(b, at);
}

/* Functions that the kernel makes: with code if a program of that tag is in the file, fits and is at this address. */
static void functions_of_the_kernel(void **state)
{
	static const uint32_t code[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const struct bpf_prog progs[] = {
		{ 1, "two", 0x20, 1, { KERNEL }, { code }, { 8 } }, { 2, "one", 0x10, 1, { KERNEL }, { code + 2 }, { 8 } },
		{ 3, "long", 0x10, 1, { KERNEL }, { code }, { 16 } }, { 4, "else", 0x10, 1, { KERNEL + 0x100 }, { code }, { 4 } },
		{ 5, "odd", 0x50, 1, { KERNEL + 0x202 }, { code }, { 4 } },
		{ 6, "last", 0x60, 1, { KERNEL + 0x300 }, { code }, { 4 } },
	};
	static const struct {
		uint64_t addr;
		uint32_t len;
		uint16_t flags;
		const char *name;
		int rc;
		const char *path;	/* NULL: no file */
		uint64_t end;
		bool loaded;
	} rows[] = {
		{ KERNEL, 64, 0, "bpf_prog_1010101010101010_x", 1, "bpf_prog_1010101010101010_one", KERNEL + 8, true },
		{ KERNEL, 8, 0, "bpf_prog_2020202020202020", 1, "bpf_prog_2020202020202020_two", KERNEL + 8, true },
		/* too short for either program of this tag */
		{ KERNEL, 4, 0, "bpf_prog_1010101010101010_x", 1, "bpf_prog_1010101010101010_x", KERNEL + 4, false },
		{ KERNEL + 4, 4, 0, "bpf_prog_1010101010101010_x", 1, "bpf_prog_1010101010101010_x", KERNEL + 8, false },
		{ KERNEL, 64, 1, "bpf_prog_1010101010101010_x", 1, NULL, KERNEL + 64, false },
		{ KERNEL, 64, 2, "bpf_trampoline_9", 1, "bpf_trampoline_9", KERNEL + 64, false },
		{ KERNEL, 0, 0, "bpf_trampoline_9", 0, NULL, 0, false },
		{ KERNEL + 0x202, 4, 0, "bpf_prog_5050505050505050_odd", 0, NULL, 0, false },
		{ KERNEL + 0x201, 4, 0, "bpf_trampoline_9", 0, NULL, 0, false },
		{ -4ull, 4, 0, "bpf_trampoline_9", 0, NULL, 0, false },
		{ -4ull, 3, 0, "bpf_trampoline_9", 1, "bpf_trampoline_9", -1ull, false },
	};
	struct pdb section = { 0 }, b = { 0 };
	const struct dso *d;
	struct side_event e;
	size_t i;
	int rc;

	(void)state;
	bpf_section(&section, progs, 6);
	start(NULL, &section);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_ksymbol(&b, rows[i].addr, rows[i].len, rows[i].flags, rows[i].name);
		rc = take(&b, TIMED, &e);
		if (rc != rows[i].rc)
			fail_msg("row %zu: returns %d", i, rc);
		if (!rc)
			continue;
		assert_int_equal(e.kind, rows[i].path ? SIDE_MAP : SIDE_UNMAP);
		assert_true(e.kernel);
		assert_int_equal(e.pid, KERNEL_PID);
		assert_int_equal(e.time, 500);
		assert_int_equal(e.map.start, rows[i].addr);
		if (e.map.end != rows[i].end)
			fail_msg("row %zu: ends at 0x%llx", i, (unsigned long long)e.map.end);
		assert_int_equal(e.map.dso != NULL, rows[i].path != NULL);
		if (!rows[i].path)
			continue;
		assert_string_equal(e.map.dso->path, rows[i].path);
		assert_int_equal(e.map.dso->state, rows[i].loaded ? DSO_LOADED : DSO_MISSING);
		assert_int_equal(e.map.dso->trouble, rows[i].loaded ? DSO_FINE : DSO_NOT_FOUND);
		assert_int_equal(e.map.dso->nr_syms, 1);
		assert_true(e.map.dso->symbols_read);
		assert_string_equal(e.map.dso->syms[0].name, e.map.dso->path);
		assert_int_equal(e.map.dso->syms[0].size, rows[i].loaded ? 8 : UINT64_MAX);
		if (rows[i].loaded)
			assert_memory_equal(e.map.dso->data, code + (i ? 0 : 2), 8);
	}
	/* one name is one file, as long as the longest of its functions */
	d = dso_table_find(&fx.dsos, "bpf_trampoline_9", DSO_BPF);
	assert_non_null(d);
	assert_int_equal(d->extent, 64);
	assert_int_equal(dso_table_find(&fx.dsos, "bpf_prog_1010101010101010_x", DSO_BPF)->extent, 4);
	assert_null(dso_table_find(&fx.dsos, "bpf_prog_5050505050505050_odd", DSO_BPF));
	/* those that no record mentions were there all the time */
	assert_int_equal(side_kernel_finish(&fx.se), 0);
	assert_int_equal(side_order_finish(&fx.se.order), 0);
	for (i = 0; i < 2; i++) {
		static const char *const left[] = { "bpf_prog_1010101010101010_long", "bpf_prog_1010101010101010_else",
						    "bpf_prog_6060606060606060_last" };
		size_t n = 0;

		while ((rc = side_order_next(&fx.se.order, &e)) == 1) {
			if (e.kind != SIDE_MAP)
				continue;	/* the name in the file */
			assert_in_range(n, 0, 2);
			assert_string_equal(e.map.dso->path, left[n++]);
			assert_true(e.kernel);
			assert_int_equal(e.pid, KERNEL_PID);
			assert_int_equal(e.time, 0);
			assert_int_equal(e.map.start, e.map.dso->syms[0].vaddr);
			assert_int_equal(e.map.end - e.map.start, e.map.dso->size);
		}
		assert_int_equal(rc, 0);
		assert_int_equal(n, 3);
		assert_int_equal(side_order_rewind(&fx.se.order), 0);
	}
	end();
	pdb_free(&section);
}

static int phone(uint32_t type, const void *body, size_t n)
{
	static _Alignas(8) uint8_t raw[65536];
	const struct perf_event_header h = { type, 0, (uint16_t)(8 + n) };
	const struct pd_record rec = { .ev = (const void *)raw, .known = true };

	memcpy(raw, &h, sizeof(h));
	if (n)
		memcpy(raw + sizeof(h), body, n);
	return phone_record(&fx.se, &rec);
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
		start(NULL, NULL);
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
	start(NULL, NULL);
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
		cmocka_unit_test(maps), cmocka_unit_test(symbols_of_kernel_maps), cmocka_unit_test(build_ids),
		cmocka_unit_test(threads_and_names), cmocka_unit_test(threads_in_passing),
		cmocka_unit_test(records_of_packages), cmocka_unit_test(changes_of_kernel_text),
		cmocka_unit_test(functions_of_the_kernel), cmocka_unit_test(pieces_of_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
