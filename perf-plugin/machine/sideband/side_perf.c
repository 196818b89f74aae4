/* SPDX-License-Identifier: GPL-2.0-only */
/* side_perf.c - converts the records of perf.data about threads and maps to events. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "machine/sideband/side_kernel.h"
#include "machine/sideband/side_perf.h"
#include "machine/sideband/side_events.h"

/* Threads whose process was reported last; one that is not among them makes an event again. */
#define KNOWN_THREADS 1024u

#define KERNEL_MAP "[kernel.kallsyms]"

/* Room for the name of a kernel, of which the recorders have a few. */
#define KERNEL_NAME_MAX 32

/* Code that was written while tracing, one piece after another. The first pass fills it. */
struct code_store {
	struct dso *dso;
	uint8_t *bytes;
	size_t size, cap;
	size_t pos;		/* of this pass */
};

struct side_perf {
	struct side_source src;
	struct side_events *se;
	struct perfdata *pd;	/* of passes after the first */
	struct known_thread {
		int tid, pid;
	} known[KNOWN_THREADS];
	struct code_store code;
};

static struct side_perf *of(struct side_source *src)
{
	return (struct side_perf *)src;
}

void side_start(struct side_event *e, const struct pd_record *rec, uint8_t kind, uint32_t pid,
		uint32_t tid)
{
	*e = (struct side_event){
		.time = rec->sid.valid & PERF_SAMPLE_TIME ? rec->sid.time : 0, .seq = rec->seq,
		.kind = kind, .pid = (int)pid, .tid = (int)tid,
	};
}

static int take_thread(struct side_perf *sp, const struct pd_record *rec, struct side_event *e, uint32_t pid,
		       uint32_t tid)
{
	struct known_thread *t = &sp->known[tid % KNOWN_THREADS];

	if ((int)pid < 0 || (int)tid <= 0 || (t->tid == (int)tid && t->pid == (int)pid))
		return 0;
	t->tid = (int)tid;
	t->pid = (int)pid;
	side_start(e, rec, SIDE_THREAD, pid, tid);
	return 1;
}

/* Fields that MMAP and MMAP2 have in common. */
struct mmap_fields {
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	const char *name;
	struct build_id id;
	bool exec;
	bool written;	/* shared, or writable and executable; and without a build-id */
};

/* The offset of anonymous memory is its address, and that of a damaged record may be anything. */
static void set_extent(struct dso *d, uint64_t end)
{
	if (d->extent < end && end <= DSO_MAX_EXTENT)
		d->extent = end;
}

/*
 * Where a map ends; 0: nowhere, the record is damaged. That of the kernel may reach the end of the address space,
 * and recorders that do not know where the kernel ends say so: simpleperf, and perf without modules.
 */
static uint64_t map_end(const struct mmap_fields *m, bool kernel)
{
	if (!m->len)
		return 0;
	if (m->len <= UINT64_MAX - m->start)
		return m->start + m->len;
	return kernel ? UINT64_MAX : 0;
}

/* simpleperf maps the whole address space for code that the kernel makes while it runs: no file has that. */
static bool is_made_by_kernel(const struct mmap_fields *m, uint64_t end)
{
	return !m->start && end == UINT64_MAX && strncmp(m->name, KERNEL_MAP, strlen(KERNEL_MAP)) != 0;
}

/*
 * "[kernel.kallsyms]_text": a map of the kernel, named by a symbol. The offset is the symbol's address (perf), or
 * 0 where the map begins at the symbol (simpleperf).
 */
static struct dso *kernel_dso(struct dso_table *dsos, const struct mmap_fields *m, const char *symbol)
{
	uint64_t addr = m->pgoff ? m->pgoff : m->start;
	char name[KERNEL_NAME_MAX];
	struct dso *d;

	memcpy(name, m->name, symbol - m->name);
	name[symbol - m->name] = 0;
	d = dso_table_get(dsos, dsos->kernel_name ? dsos->kernel_name : name, &m->id, true);
	/* the first map of the kernel gives its load address; further maps have other symbols */
	if (!d->kernel.ref_sym[0] && symbol[0] && addr &&
	    strlen(symbol) < sizeof(d->kernel.ref_sym)) {
		strcpy(d->kernel.ref_sym, symbol);
		d->kernel.ref_addr = addr;
	}
	set_extent(d, m->len < DSO_MAX_EXTENT ? m->len : DSO_MAX_EXTENT);
	return d;
}

/*
 * The kernel calls both its vDSOs the same. That of 32-bit programs lies below 4 GB, and the recorder keeps it
 * under another name.
 */
static bool is_vdso32(const struct side_events *se, const struct mmap_fields *m)
{
	const char *arch = perfdata_env(se->pd)->arch;

	return !strcmp(m->name, "[vdso]") && m->start + m->len <= 1ull << 32 && arch &&
	       (!strcmp(arch, "aarch64") || !strcmp(arch, "arm64"));
}

static int take_mmap(struct side_perf *sp, const struct pd_record *rec, struct side_event *e,
		     const struct mmap_fields *m)
{
	unsigned int mode = rec->ev->header.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool kernel = mode == PERF_RECORD_MISC_KERNEL || m->pid == UINT32_MAX;
	struct dso_table *dsos = sp->se->dsos;
	uint64_t end = map_end(m, kernel);
	const char *bracket;
	struct dso *d;

	if (mode > PERF_RECORD_MISC_USER)
		return 0;	/* hypervisor and guests are not traced through this file's maps */
	if (!end || (!kernel && m->pgoff > UINT64_MAX - m->len) || (kernel && is_made_by_kernel(m, end)))
		return 0;
	/* only once: the file is a source of its own */
	if (!sp->pd && !kernel)
		jit_note(&sp->se->jit, m->name, (int)m->pid,
			 rec->sid.valid & PERF_SAMPLE_TIME ? rec->sid.time : 0,
		     rec->seq);
	side_start(e, rec, m->exec ? SIDE_MAP : SIDE_UNMAP, m->pid, m->tid);
	e->kernel = kernel;
	e->map.start = m->start;
	e->map.end = end;
	e->map.off = m->pgoff;
	e->anon = !kernel && !m->id.len && dso_name_is_anon(m->name);
	e->written = !kernel && m->written;
	if (!m->exec)
		return 1;
	bracket = kernel && !strncmp(m->name, "[kernel", 7) ? memchr(m->name, ']', strnlen(m->name, KERNEL_NAME_MAX - 1)) :
							      NULL;
	if (bracket) {
		d = kernel_dso(dsos, m, bracket + 1);
		e->map.off = 0;
	} else if (kernel && dso_is_module(m->name)) {
		d = dso_table_get_module(dsos, m->name, &m->id, m->start);
		e->map.off = 0;
	} else {
		d = dso_table_get(dsos, !kernel && is_vdso32(sp->se, m) ? "[vdso32]" : m->name, &m->id, kernel);
	}
	end = m->pgoff;
	if (!kernel) {
		d = dso_table_member(dsos, d, &e->map.off);
		end = e->map.off;
	}
	if (d->kind != DSO_VMLINUX && end <= UINT64_MAX - m->len)
		set_extent(d, end + m->len);
	e->map.dso = d;
	return 1;
}

static int take_mmap1(struct side_perf *sp, const struct pd_record *rec, struct side_event *e)
{
	const struct perf_record_mmap *r = (const void *)rec->ev;
	struct mmap_fields m = {
		.pid = r->pid, .tid = r->tid, .start = r->start, .len = r->len, .pgoff = r->pgoff,
		.name = r->filename, .exec = !(r->header.misc & PERF_RECORD_MISC_MMAP_DATA),
	};

	return take_mmap(sp, rec, e, &m);
}

static int take_mmap2(struct side_perf *sp, const struct pd_record *rec, struct side_event *e)
{
	const struct perf_record_mmap2 *r = (const void *)rec->ev;
	struct mmap_fields m = {
		.pid = r->pid, .tid = r->tid, .start = r->start, .len = r->len, .pgoff = r->pgoff,
		.name = r->filename, .exec = r->prot & PROT_EXEC,
	};

	if (r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		m.id.len = r->build_id_size < BUILD_ID_MAX ? r->build_id_size : BUILD_ID_MAX;
		memcpy(m.id.id, r->build_id, m.id.len);
		sp->se->dsos->search.build_ids = true;
	} else {
		m.written = r->flags & MAP_SHARED || (m.exec && r->prot & PROT_WRITE);
	}
	return take_mmap(sp, rec, e, &m);
}

/* New bytes at an address, from now on. */
static int take_code(struct side_perf *sp, struct side_event *e, uint64_t addr, const uint8_t *code, size_t n)
{
	struct code_store *st = &sp->code;
	/* as far from a multiple of four as the address */
	size_t off = ((st->pos + 3) & ~(size_t)3) + (addr & 3), end = off + n;
	const struct build_id none = { .len = 0 };

	if (!n || addr > UINT64_MAX - n)
		return 0;
	if (!st->dso)
		st->dso = dso_table_get(sp->se->dsos, "code changed while tracing", &none, false);
	if (end > st->size) {
		array_room(&st->bytes, st->size, end - st->size, &st->cap, 1);
		memset(st->bytes + st->size, 0, end - st->size);
		memcpy(st->bytes + off, code, n);
		st->size = end;
	}
	st->pos = end;
	e->map.start = addr;
	e->map.end = addr + n;
	e->map.off = off;
	e->map.dso = st->dso;
	return 1;
}

static int take_cst_code(struct side_perf *sp, const struct pd_record *rec, struct side_event *e)
{
	const struct pd_record_cst_code *r = (const void *)rec->ev;

	side_start(e, rec, SIDE_MAP, r->pid, r->tid);
	e->kernel = r->pid == UINT32_MAX;
	return take_code(sp, e, r->addr, r->bytes, r->size);
}

static int take_cst_unmap(const struct pd_record *rec, struct side_event *e)
{
	const struct pd_record_cst_unmap *r = (const void *)rec->ev;

	if (!r->len || r->start > UINT64_MAX - r->len)
		return 0;
	side_start(e, rec, SIDE_UNMAP, r->pid, r->tid);
	e->kernel = r->pid == UINT32_MAX;
	e->map.start = r->start;
	e->map.end = r->start + r->len;
	return 1;
}

int side_perf_take(struct side_source *src, const struct pd_record *rec, struct side_event *e)
{
	const union perf_event *ev = rec->ev;
	struct side_perf *sp = of(src);

	switch (ev->header.type) {
	case PERF_RECORD_MMAP:
		return take_mmap1(sp, rec, e);
	case PERF_RECORD_MMAP2:
		return take_mmap2(sp, rec, e);
	case PERF_RECORD_COMM:
		side_start(e, rec, ev->header.misc & PERF_RECORD_MISC_COMM_EXEC ? SIDE_EXEC : SIDE_COMM,
			   ev->comm.pid, ev->comm.tid);
		e->comm = ev->comm.comm;
		return 1;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		side_start(e, rec, ev->header.type == PERF_RECORD_FORK ? SIDE_FORK : SIDE_EXIT, ev->fork.pid,
			   ev->fork.tid);
		e->fork.ppid = (int)ev->fork.ppid;
		e->fork.ptid = (int)ev->fork.ptid;
		e->fork.described = ev->header.misc & PERF_RECORD_MISC_FORK_EXEC;
		return 1;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return rec->sid.valid & PERF_SAMPLE_TID ? take_thread(sp, rec, e, rec->sid.pid, rec->sid.tid) : 0;
	case PERF_RECORD_ITRACE_START:
		return take_thread(sp, rec, e, ev->itrace_start.pid, ev->itrace_start.tid);
	case PERF_RECORD_TEXT_POKE:
		return side_text_poke(sp->se, rec, e);
	case PERF_RECORD_KSYMBOL:
		return side_ksymbol(sp->se, rec, e);
	case PD_RECORD_CST_CODE:
		return take_cst_code(sp, rec, e);
	case PD_RECORD_CST_UNMAP:
		return take_cst_unmap(rec, e);
	}
	return 0;
}

static bool perf_next(struct side_source *src, struct side_event *e)
{
	struct pd_record rec;
	int rc;

	while ((rc = perfdata_next(of(src)->pd, &rec))) {
		/* What cannot be read was reported on the first pass. */
		if (rc > 0 && side_perf_take(src, &rec, e))
			return true;
	}
	return false;
}

void side_perf_finish(struct side_source *src)
{
	struct code_store *st = &of(src)->code;

	st->pos = 0;
	if (!st->dso || st->dso->image.data)
		return;
	dso_own(st->dso, st->bytes, st->size);
}

static void perf_rewind(struct side_source *src)
{
	struct side_perf *sp = of(src);

	memset(sp->known, 0, sizeof(sp->known));
	side_perf_finish(src);
	if (!sp->pd)
		sp->pd = perfdata_cursor(sp->se->pd);
	else
		perfdata_rewind(sp->pd);
}

static void perf_free(struct side_source *src)
{
	struct side_perf *sp = of(src);

	perfdata_close(sp->pd);
	if (!sp->code.dso || !sp->code.dso->image.own_data)
		free(sp->code.bytes);
	free(sp);
}

struct side_source *side_perf_new(struct side_events *se)
{
	struct side_perf *sp = mem_zeroed(1, sizeof(*sp));

	sp->src.next = perf_next;
	sp->src.rewind = perf_rewind;
	sp->src.free = perf_free;
	sp->se = se;
	return &sp->src;
}
