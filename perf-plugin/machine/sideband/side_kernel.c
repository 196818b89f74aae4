/* SPDX-License-Identifier: GPL-2.0-only */
/* side_kernel.c - records about kernel code that changes, as events: patched text, BPF programs, trampolines. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/messages.h"
#include "machine/sideband/side_events.h"
#include "machine/sideband/side_kernel.h"
#include "perfdata/bpf_info.h"

#define KSYMBOL_UNREGISTER 1u

/* Programs at one address that are looked at: they were loaded at the same time, so there should be one. */
#define MAX_SAME_PLACE 64

static void start_event(struct side_event *e, const struct pd_record *rec, uint8_t kind, uint64_t start,
			uint64_t len)
{
	side_start(e, rec, kind, KERNEL_PID, 0);
	e->kernel = true;
	e->map.start = start;
	e->map.end = start + len;
}

/* The kernel changed its own code: new bytes at an address, from now on. */
int side_text_poke(struct side_events *se, const struct pd_record *rec, struct side_event *e)
{
	const struct perf_record_text_poke_event *r = (const void *)rec->ev;
	size_t need = offsetof(struct perf_record_text_poke_event, bytes) + (size_t)r->old_len + r->new_len;
	struct patches *ps = &se->kernel->patches;
	uint64_t len = r->new_len ? r->new_len : r->old_len;

	if (!len || need > rec->body_size || r->addr & 3 || r->addr > UINT64_MAX - UINT16_MAX)
		return 0;
	start_event(e, rec, r->new_len ? SIDE_MAP : SIDE_UNMAP, r->addr, len);
	if (!ps->finished)
		patches_note(ps, r->addr, e->time, e->seq, r->bytes, r->old_len);
	if (!r->new_len)
		return 1;
	patches_place(ps, se->dsos, r->bytes + r->old_len, r->new_len, &e->map.off);
	e->map.dso = ps->dso;
	return 1;
}

static int compare_bpf(const void *a, const void *b)
{
	const struct bpf_code *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	/* one place that was used again: in an order of its own, the table is searched from its front */
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return strcmp(x->tag, y->tag);
}

/* A symbol of its own, with or without code. */
static void make_symbol(struct dso *d, uint64_t addr, uint64_t len)
{
	d->symbols.syms = mem_zeroed(1, sizeof(*d->symbols.syms));
	d->symbols.syms[0] =
		(struct dso_symbol_entry){ .vaddr = addr, .size = len, .name = d->path };
	d->symbols.nr_syms = 1;
	d->symbols.symbols_read = true;
}

static void add_bpf(struct side_events *se, const struct pd_bpf_func *f)
{
	struct bpf_programs *b = &se->bpf;
	struct build_id id = { .len = PD_BPF_TAG };
	char name[96], hex[2 * BUILD_ID_MAX + 1];
	struct bpf_code *c;
	uint8_t *code;

	if (!f->len || f->addr & 3 || f->addr > UINT64_MAX - f->len)
		return;
	memcpy(id.id, f->tag, PD_BPF_TAG);
	build_id_text(&id, hex);
	snprintf(name, sizeof(name), "bpf_prog_%s_%s", hex, f->nr ? "F" : f->name[0] ? f->name : "");
	if (!f->nr && !f->name[0])
		name[strlen(name) - 1] = 0;
	c = ARRAY_ADD(b->v, b->nr, b->cap);
	*c = (struct bpf_code){ .addr = f->addr, .len = f->len };
	memcpy(c->tag, hex, sizeof(c->tag));
	c->dso = dso_table_add(se->dsos, name, DSO_BPF);
	code = mem_new(f->len);
	make_symbol(c->dso, f->addr, f->len);
	memcpy(code, f->code, f->len);
	dso_own(c->dso, code, f->len);
}

static void read_bpf(struct side_events *se)
{
	const struct pd_feature_bytes *raw = &perfdata_env(se->pd)->raw[PD_FEAT_BPF_PROG_INFO];
	struct pd_bpf_reader r;
	struct pd_bpf_func f;
	int rc;

	if (se->bpf.read || !raw->ptr)
		return;
	se->bpf.read = true;
	pd_bpf_start(&r, raw->ptr, raw->len, perfdata_is_swapped(se->pd));
	while ((rc = pd_bpf_next(&r, &f)) > 0)
		add_bpf(se, &f);
	if (rc < 0) {
		fprintf(message_stream(), "cstrace: %s: offset 0x%llx: the section about BPF programs (BPF_PROG_INFO) ends "
			"inside a program: those from there on have no code\n", se->name,
			(unsigned long long)raw->offset);
		se->bad_records++;
	}
	ARRAY_SORT(se->bpf.v, se->bpf.nr, compare_bpf);
}

/* The program at this address whose tag is in the name. */
static struct bpf_code *find_bpf(struct bpf_programs *b, uint64_t addr, uint64_t len, const char *name)
{
	size_t lo = 0, hi = b->nr;

	BISECT(lo, hi, mid, b->v[mid].addr < addr);
	for (hi = lo; lo < b->nr && b->v[lo].addr == addr && lo - hi < MAX_SAME_PLACE; lo++)
		if (strstr(name, b->v[lo].tag) && b->v[lo].len <= len)
			return &b->v[lo];
	return NULL;
}

/* Finds a program without code, which the kernel made before or after the trace began. */
static struct dso *find_unknown(const struct dso_table *t, const char *name, bool later)
{
	struct dso *d = dso_table_find(t, name, DSO_BPF);

	while (d && (d->kind != DSO_BPF || d->state == DSO_LOADED || d->made.made_later != later ||
		     strcmp(d->path, name)))
		d = d->next;
	return d;
}

int side_ksymbol(struct side_events *se, const struct pd_record *rec, struct side_event *e)
{
	const struct perf_record_ksymbol *r = (const void *)rec->ev;
	bool gone = r->flags & KSYMBOL_UNREGISTER;
	struct bpf_code *c;
	struct dso *d;

	if (!r->len || r->addr & 3 || r->addr > UINT64_MAX - r->len)
		return 0;
	start_event(e, rec, gone ? SIDE_UNMAP : SIDE_MAP, r->addr, r->len);
	if (gone)
		return 1;
	read_bpf(se);
	c = find_bpf(&se->bpf, r->addr, r->len, r->name);
	if (c) {
		c->seen = true;
		e->map.dso = c->dso;
		e->map.end = r->addr + c->len;
		return 1;
	}
	/* the recorder describes those that were there before without a time */
	d = find_unknown(se->dsos, r->name, e->time != 0);
	if (!d) {
		d = dso_table_add(se->dsos, r->name, DSO_BPF);
		make_symbol(d, r->addr, UINT64_MAX);
		d->made.made_later = e->time != 0;
		d->state = DSO_MISSING;
		d->trouble = DSO_NOT_FOUND;
	}
	if (d->extent < r->len)
		d->extent = r->len;
	e->map.dso = d;
	return 1;
}

/* Source of programs that no record mentions, which were loaded all the time. */
struct bpf_source {
	struct side_source src;
	const struct bpf_programs *bpf;
};

static bool next_bpf(struct side_source *src, struct side_event *e)
{
	struct bpf_source *bs = (struct bpf_source *)src;
	const struct bpf_code *c;

	while (src->pos < bs->bpf->nr) {
		c = &bs->bpf->v[src->pos++];
		if (c->seen)
			continue;
		*e = (struct side_event){
			.kind = SIDE_MAP, .pid = KERNEL_PID, .kernel = true,
			.map = { .start = c->addr, .end = c->addr + c->len, .dso = c->dso },
		};
		return true;
	}
	return false;
}

static void add_unseen_bpf(struct side_events *se)
{
	struct bpf_source *bs;
	size_t i;

	for (i = 0; i < se->bpf.nr && se->bpf.v[i].seen; i++)
		;
	if (i == se->bpf.nr)
		return;
	bs = mem_zeroed(1, sizeof(*bs));
	bs->src.next = next_bpf;
	bs->bpf = &se->bpf;
	side_order_add(&se->order, &bs->src);
}

void side_kernel_finish(struct side_events *se)
{
	read_bpf(se);
	patches_finish(&se->kernel->patches, se->dsos);
	add_unseen_bpf(se);
}
