/* SPDX-License-Identifier: GPL-2.0-only */
/* space.c - builds the cst_space of a process for an epoch, loads its files, and frees unused versions. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include <cstrace/counts.h>

#include "machine/images/kernel.h"
#include "machine/tasks/space.h"

/* unused spaces kept per process */
#define MAX_IDLE 4

void spaces_init(struct spaces *sp, size_t cache_limit)
{
	memset(sp, 0, sizeof(*sp));
	sp->last_serial = &sp->own_serial;
	mem_code(cst_image_new(&sp->image, cache_limit));
}

void spaces_init_guest(struct spaces *sp, struct spaces *host)
{
	memset(sp, 0, sizeof(*sp));
	sp->image = host->image;
	sp->last_serial = host->last_serial;
}

static void version_free(struct version *v)
{
	cst_space_free(v->space);
	maplist_unref(v->maps);
	free(v);
}

/* Frees the versions of a process without users, but for the `keep` that were used last. */
static void drop_idle(struct process *p, unsigned int keep)
{
	struct version **link = &p->versions, *v;
	unsigned int idle = 0;

	while ((v = *link)) {
		if (!v->users && ++idle > keep) {
			*link = v->next;
			version_free(v);
		} else {
			link = &v->next;
		}
	}
}

bool versions_release(struct process *p)
{
	drop_idle(p, 0);
	return !p->versions;
}

void spaces_release(struct threads *ts)
{
	struct process *p;
	size_t i;

	for (i = 0; (p = intmap_next(&ts->known.processes, &i));)
		versions_release(p);
	versions_release(&ts->known.kernel);
}

void spaces_free(struct spaces *sp, struct threads *ts)
{
	spaces_release(ts);
	cst_counts_free(sp->counts);
	sp->counts = NULL;
	cst_image_free(sp->image);
	sp->image = NULL;
}

/* Sets a map in the version's own list, which is copied from the process's list first. */
static void note_map(struct version *v, const struct map *m)
{
	v->maps = maplist_own(v->maps);
	maplist_set(v->maps, m);
}

static void unmap(struct version *v, const struct map *m)
{
	mem_code(cst_space_unmap(v->space, m->start, m->end - m->start));
}

/* Unmaps a range that has no bytes, and notes why of its file. */
static void map_nothing(struct spaces *sp, struct version *v, const struct map *m)
{
	struct dso *d = m->dso;

	sp->bad_maps++;
	if (d->kind != DSO_ANON)
		d->trouble = DSO_UNALIGNED;
	unmap(v, m);
}

/* Notes that a process whose trace is decoded has a copy of the file's text in other memory. */
static void note_copy(struct dso *d)
{
	d->copy.copied = true;
	if (d->state == DSO_LOADED && d->counts.used)
		dso_assume(d);
}

static void map_section(struct spaces *sp, struct version *v, const struct map *m, uint64_t len)
{
	struct dso *d = m->dso;
	int err = 0;

	if (!d->section)
		err = cst_section_new(&d->section, sp->image, NULL, d->extent, d);
	if (err)
		d->section = NULL;
	if (d->kind == DSO_FILE && m->memory)
		note_copy(d);
	if (!err)
		err = cst_space_map(v->space, m->start, len, d->section, m->off);
	if (err == -CST_ERR_INVAL || err == -CST_ERR_LIMIT)
		map_nothing(sp, v, m);
	else
		mem_code(err);
}

static void map_bytes(struct spaces *sp, struct version *v, const struct map *m)
{
	uint64_t len = m->end - m->start;
	bool fits = m->off < DSO_MAX_EXTENT;

	if (fits && len > DSO_MAX_EXTENT - m->off) {
		fits = m->dso->kind == DSO_VMLINUX;
		/* the map of a kernel may extend to the end of the address space; its code is at the begin */
		len = DSO_MAX_EXTENT - m->off;
	}
	if (fits)
		map_section(sp, v, m, len);
	else
		map_nothing(sp, v, m);
}

static void map_range(struct spaces *sp, struct version *v, const struct map *m)
{
	note_map(v, m);
	map_bytes(sp, v, m);
}

/* Maps kernel text that is patched later as it was before the first patch. */
static void map_unpatched(struct spaces *sp, struct version *v, uint64_t start, uint64_t end)
{
	const struct patches *ps = &sp->kernel->patches;
	const struct patch_run *r;
	struct map m = { .dso = ps->dso };

	for (r = patches_next(ps, start); r && r < ps->run + ps->nr_run && r->start < end; r++) {
		m.start = r->start > start ? r->start : start;
		m.end = r->end < end ? r->end : end;
		m.off = r->at + (m.start - r->start);
		map_range(sp, v, &m);
	}
}

/* Maps a file by the addresses in its program headers plus `delta`, within [start, end). */
static void map_segments(struct spaces *sp, struct version *v, struct dso *d, uint64_t delta,
			 uint64_t start, uint64_t end)
{
	struct map m = { .dso = d };
	size_t i;

	for (i = 0; i < d->image.nr_segs; i++) {
		const struct dso_segment *g = &d->image.segs[i];

		if (!g->exec || g->offset >= d->image.size)
			continue;
		m.start = g->vaddr + delta;
		m.off = g->offset;
		m.end = m.start + (g->filesz < d->image.size - g->offset ?
					   g->filesz :
					   d->image.size - g->offset);
		if (m.start < start) {
			m.off += start - m.start;
			m.start = start;
		}
		if (m.end > end)
			m.end = end;
		if (m.start >= m.end)
			continue;
		map_range(sp, v, &m);
		map_unpatched(sp, v, m.start, m.end);
	}
}

static bool linked_address(struct dso *d, const char *name, uint64_t *addr)
{
	return dso_symbol_address(d, name, addr) || dso_kernel_anchor(d, name, addr);
}

/*
 * Computes the difference between the run-time and the link-time address of the kernel, from the symbol that the
 * recorder noted or from kallsyms. Returns false if the image lacks that symbol.
 */
static bool kernel_delta(struct spaces *sp, struct dso *d, uint64_t *delta)
{
	static const char *const anchors[] = { "_stext", "_text" };
	uint64_t linked, addr;
	struct kallsyms *ks;
	size_t i;

	*delta = 0;
	if (d->kernel.ref_sym[0]) {
		if (!linked_address(d, d->kernel.ref_sym, &linked))
			return false;
		*delta = d->kernel.ref_addr - linked;
		return true;
	}
	ks = kernel_kallsyms(sp->kernel);
	for (i = 0; ks && i < sizeof(anchors) / sizeof(anchors[0]); i++)
		if (kallsyms_address(ks, anchors[i], NULL, &addr) && linked_address(d, anchors[i], &linked)) {
			*delta = addr - linked;
			break;
		}
	return true;
}

static void map_vmlinux(struct spaces *sp, struct version *v, const struct map *m)
{
	struct dso *d = m->dso;
	uint64_t delta = 0;

	if (dso_load(d) && !kernel_delta(sp, d, &delta)) {
		d->state = DSO_REFUSED;
		d->trouble = DSO_NO_SYMBOL;
	}
	/* map the range without code, too, so that the missing file is reported */
	if (d->state != DSO_LOADED || !d->image.nr_segs) {
		map_range(sp, v, m);
		return;
	}
	d->extent = d->image.size;
	sp->kernel->vmlinux = d;
	sp->kernel->delta = delta;
	map_segments(sp, v, d, delta, m->start, m->end);
}

/*
 * Maps a module as a section of its own. The layout of its code is known only after its file was read, which is done
 * when code of it is executed.
 */
static void map_module(struct spaces *sp, struct version *v, const struct map *m)
{
	struct dso *d = m->dso;
	int err;

	if (!d->module.unlinked &&
	    cst_section_new(&d->module.unlinked, sp->image, NULL, UINT32_MAX, d))
		mem_refused(0);
	note_map(v, m);
	err = mem_code(cst_space_map(v->space, m->start, m->end - m->start, d->module.unlinked,
				     m->start & 3));
	if (err)
		map_nothing(sp, v, m);
	else if (d->state == DSO_LOADED)
		map_segments(sp, v, d, 0, m->start, m->end);
}

static int load_module(struct spaces *sp, struct dso *d)
{
	struct version *v;
	const struct map *m;
	uint64_t at;
	int err = cst_section_set_bytes(d->module.unlinked, NULL, 0);

	if (err || !dso_load(d))
		return err;
	d->extent = d->image.size;
	for (v = sp->kernel_process->versions; v; v = v->next)
		for (m = maplist_next(v->maps, 0); m; m = maplist_next(v->maps, at)) {
			at = m->end;
			if (m->dso == d)
				map_segments(sp, v, d, 0, m->start, m->end);
		}
	return 0;
}

/* True if the kernel memory copy has the code. At the place of code that was made later it has older bytes. */
static bool in_kcore(const struct spaces *sp, const struct version *v, const struct map *m)
{
	if (v->process->pid != KERNEL_PID || !sp->kernel->kcore || sp->kernel->kcore->state != DSO_LOADED || !m->dso)
		return false;
	return m->dso->kind == DSO_VMLINUX || m->dso->kind == DSO_MODULE ||
	       (m->dso->kind == DSO_BPF && m->dso->state != DSO_LOADED &&
		!(m->dso->made.made_later && sp->kernel->kcore_of_start));
}

static void apply_map(struct spaces *sp, struct version *v, const struct map *m)
{
	if (in_kcore(sp, v, m))
		return;
	if (m->dso && m->dso->kind == DSO_VMLINUX) {
		map_vmlinux(sp, v, m);
	} else if (m->dso && m->dso->kind == DSO_MODULE) {
		map_module(sp, v, m);
	} else if (m->dso) {
		map_range(sp, v, m);
	} else {
		note_map(v, m);
		unmap(v, m);
	}
}

/* Applies map events; none of them is an exec or fork (is_base). */
static void apply_events(struct spaces *sp, struct version *v, size_t first, size_t last)
{
	const struct process *p = v->process;
	size_t i;

	for (i = first; i < last; i++) {
		apply_map(sp, v, &p->ev[i].map);
		v->applied = p->ev[i].order + 1;
	}
}

/* Records that all events of the process so far are in the version's maps. */
static void caught_up(struct spaces *sp, struct version *v)
{
	v->seen = v->process->nr_maps;
	v->serial = ++*sp->last_serial;
}

/*
 * Builds a version from the maps at the last exec or fork, or before the events that are kept, and
 * all events since.
 */
static void build(struct spaces *sp, struct version *v, uint32_t epoch)
{
	const struct process *p = v->process;
	struct maplist *base;
	const struct map *m;
	size_t first, last, i;

	process_epoch_events(p, epoch, &first, &last);
	for (i = last; i > p->first && !p->ev[i - 1].is_base; i--)
		;
	base = i > p->first ? p->ev[i - 1].base : process_base(p);
	if (p->pid == KERNEL_PID && sp->kernel->kcore && dso_load(sp->kernel->kcore)) {
		sp->kernel->kcore->extent = sp->kernel->kcore->image.size;
		map_segments(sp, v, sp->kernel->kcore, 0, 0, UINT64_MAX);
	}
	/* the kernel's maps can differ from the recorded ones, a process's cannot */
	if (base && p->pid != KERNEL_PID) {
		maplist_unref(v->maps);
		v->maps = maplist_ref(base);
	}
	for (m = base ? maplist_next(base, 0) : NULL; m; m = maplist_next(base, m->end)) {
		if (p->pid == KERNEL_PID)
			apply_map(sp, v, m);
		else
			map_bytes(sp, v, m);
	}
	v->applied = i > p->first ? p->ev[i - 1].order + 1 : p->forgotten;
	apply_events(sp, v, i, last);
	v->epoch = epoch;
	caught_up(sp, v);
}

static struct version *version_new(struct spaces *sp, struct process *p, uint32_t epoch)
{
	struct version *v = mem_zeroed(1, sizeof(*v));

	v->process = p;
	v->maps = maplist_new();
	if (cst_space_new(&v->space, sp->image))
		mem_refused(0);
	build(sp, v, epoch);
	v->next = p->versions;
	p->versions = v;
	return v;
}

/*
 * True if events alone can advance a version to the end of an epoch: not across an exec, nor over events that were
 * dropped.
 */
static bool can_advance(const struct version *v, uint32_t epoch, size_t *first, size_t *last)
{
	const struct process *p = v->process;
	size_t i;

	if (v->applied < p->forgotten)
		return false;
	process_epoch_events(p, epoch, first, last);
	for (i = *last; i > p->first && p->ev[i - 1].order >= v->applied; i--)
		if (p->ev[i - 1].is_base)
			return false;
	*first = i;
	return true;
}

static void to_front(struct process *p, struct version *v)
{
	struct version **link = &p->versions;

	while (*link != v)
		link = &(*link)->next;
	*link = v->next;
	v->next = p->versions;
	p->versions = v;
}

/* True if the version has the maps of the epoch; adds code that was mapped since. */
static bool is_current(struct spaces *sp, struct version *v, uint32_t epoch)
{
	size_t first, last;

	if (v->epoch != epoch)
		return false;
	if (v->seen == v->process->nr_maps)
		return true;
	if (!can_advance(v, epoch, &first, &last))
		return false;
	apply_events(sp, v, first, last);
	caught_up(sp, v);
	return true;
}

struct version *version_get(struct spaces *sp, struct process *p, uint64_t limit, struct version *have)
{
	uint32_t epoch = process_epoch(p, limit);
	struct version *v, *near = NULL;
	size_t first = 0, last = 0;

	if (have && have->process == p && is_current(sp, have, epoch))
		return have;
	version_put(have);
	for (v = p->versions; v && !is_current(sp, v, epoch); v = v->next)
		if (!v->users && v->epoch < epoch && (!near || v->epoch > near->epoch))
			near = v;
	if (!v && near && can_advance(near, epoch, &first, &last)) {
		apply_events(sp, near, first, last);
		near->epoch = epoch;
		caught_up(sp, near);
		v = near;
	}
	if (!v)
		v = version_new(sp, p, epoch);
	to_front(p, v);
	v->users++;
	drop_idle(p, MAX_IDLE);
	return v;
}

void version_hold(struct version *v)
{
	if (v)
		v->users++;
}

void version_put(struct version *v)
{
	if (v)
		v->users--;
}

int space_load_section(struct spaces *sp, struct cst_section *sec)
{
	struct dso *d = cst_section_cookie(sec);
	uint64_t size;

	d->counts.used++;
	if (sec == d->module.unlinked)
		return load_module(sp, d);
	if (!dso_load(d))
		return cst_section_set_bytes(sec, NULL, 0);
	if (d->copy.copied)
		dso_assume(d);
	size = d->image.size < d->extent ? d->image.size : d->extent;
	return cst_section_set_bytes(sec, d->image.data, size);
}

size_t space_read(struct spaces *sp, struct version *v, uint64_t addr, void *buf, size_t len)
{
	struct cst_section *sec;
	const uint8_t *bytes;
	size_t done = 0;
	int64_t n;

	if (!v)
		return 0;
	while (done < len) {
		n = cst_space_read(v->space, addr + done, len - done, &bytes, &sec, NULL);
		if (n == -CST_ERR_BUSY) {
			if (space_load_section(sp, sec))
				break;
			continue;
		}
		if (n <= 0)
			break;
		memcpy((uint8_t *)buf + done, bytes, n);
		done += n;
	}
	return done;
}
