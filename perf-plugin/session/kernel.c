/* SPDX-License-Identifier: GPL-2.0-only */
/* kernel.c - records about kernel code, and the symbols to go with it. */
#include <stdlib.h>
#include <string.h>

#include "perfdata/bpf_info.h"
#include "perfdata/name.h"
#include "session/array.h"
#include "session/internal.h"
#include "session/kernel.h"
#include "session/messages.h"

#define KSYMBOL_UNREGISTER 1u

/* Programs at one address that are looked at: they were loaded at the same time, so there should be one. */
#define MAX_SAME_PLACE 64

void kernel_free(struct kernel_images *k)
{
	patches_free(&k->patches);
	kallsyms_free(k->kallsyms);
	free(k->bpf);
	free(k->kallsyms_path);
	free(k->recorded_kallsyms);
	free(k->kcore_path);
	memset(k, 0, sizeof(*k));
}

static void start_event(struct side_event *e, const struct pd_record *rec, uint8_t kind, uint64_t start,
			uint64_t len)
{
	memset(e, 0, sizeof(*e));
	e->time = rec->sid.valid & PERF_SAMPLE_TIME ? rec->sid.time : 0;
	e->seq = rec->seq;
	e->pid = KERNEL_PID;
	e->kind = kind;
	e->kernel = true;
	e->map.start = start;
	e->map.end = start + len;
}

/* The kernel changed its own code: new bytes at an address, from now on. */
int kernel_text_poke(struct session *ss, const struct pd_record *rec, struct side_event *e)
{
	const struct perf_record_text_poke_event *r = (const void *)rec->ev;
	size_t need = sizeof(*r) + (size_t)r->old_len + r->new_len;
	struct patches *ps = &ss->kernel.patches;
	uint64_t len = r->new_len ? r->new_len : r->old_len;

	if (!len || need > rec->body_size || r->addr & 3 || r->addr > UINT64_MAX - UINT16_MAX)
		return 0;
	start_event(e, rec, r->new_len ? SIDE_MAP : SIDE_UNMAP, r->addr, len);
	if (!ps->finished && patches_note(ps, r->addr, e->time, e->seq, r->bytes, r->old_len))
		return -CST_ERR_NOMEM;
	if (!r->new_len)
		return 1;
	if (patches_place(ps, &ss->dsos, r->bytes + r->old_len, r->new_len, &e->map.off))
		return -CST_ERR_NOMEM;
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
static bool make_symbol(struct dso *d, uint64_t addr, uint64_t len)
{
	d->syms = calloc(1, sizeof(*d->syms));
	if (!d->syms)
		return false;
	d->syms[0] = (struct dso_symbol_entry){ .vaddr = addr, .size = len, .name = d->path };
	d->nr_syms = 1;
	d->symbols_read = true;
	return true;
}

static int add_bpf(struct session *ss, const struct pd_bpf_func *f)
{
	struct kernel_images *k = &ss->kernel;
	const struct build_id tag = { .len = PD_BPF_TAG };
	struct bpf_code *c;
	char name[96], hex[2 * BUILD_ID_MAX + 1];
	struct build_id id = tag;
	uint8_t *code;

	if (!f->len || f->addr & 3 || f->addr > UINT64_MAX - f->len)
		return 0;
	memcpy(id.id, f->tag, PD_BPF_TAG);
	build_id_text(&id, hex);
	snprintf(name, sizeof(name), "bpf_prog_%s_%s", hex, f->nr ? "F" : f->name[0] ? f->name : "");
	if (!f->nr && !f->name[0])
		name[strlen(name) - 1] = 0;
	c = ARRAY_ADD(k->bpf, k->nr_bpf, k->cap_bpf);
	if (!c)
		return -CST_ERR_NOMEM;
	memset(c, 0, sizeof(*c));
	c->addr = f->addr;
	c->len = f->len;
	memcpy(c->tag, hex, sizeof(c->tag));
	c->dso = dso_table_add(&ss->dsos, name, DSO_BPF);
	code = malloc(f->len);
	if (!c->dso || !code || !make_symbol(c->dso, f->addr, f->len)) {
		free(code);
		return -CST_ERR_NOMEM;
	}
	memcpy(code, f->code, f->len);
	c->dso->data = code;
	c->dso->own_data = true;
	c->dso->size = c->dso->extent = f->len;
	c->dso->state = DSO_LOADED;
	return 0;
}

static int read_bpf(struct session *ss)
{
	const struct pd_feature_bytes *raw = &perfdata_env(ss->pd)->raw[PD_FEAT_BPF_PROG_INFO];
	struct pd_bpf_reader r;
	struct pd_bpf_func f;
	int rc;

	if (ss->kernel.bpf_read || !raw->ptr)
		return 0;
	ss->kernel.bpf_read = true;
	pd_bpf_start(&r, raw->ptr, raw->len, perfdata_is_swapped(ss->pd));
	while ((rc = pd_bpf_next(&r, &f)) > 0)
		if (add_bpf(ss, &f))
			return -CST_ERR_NOMEM;
	if (rc < 0) {
		fprintf(message_stream(), "cstrace: %s: offset 0x%llx: the section about BPF programs (BPF_PROG_INFO) ends "
			"inside a program: those from there on have no code\n", ss->name,
			(unsigned long long)raw->offset);
		ss->bad_records++;
	}
	if (ss->kernel.nr_bpf)
		qsort(ss->kernel.bpf, ss->kernel.nr_bpf, sizeof(*ss->kernel.bpf), compare_bpf);
	return 0;
}

/* The program at this address whose tag is in the name. */
static struct bpf_code *find_bpf(struct kernel_images *k, uint64_t addr, uint64_t len, const char *name)
{
	size_t lo = 0, hi = k->nr_bpf;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->bpf[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (hi = lo; lo < k->nr_bpf && k->bpf[lo].addr == addr && lo - hi < MAX_SAME_PLACE; lo++)
		if (strstr(name, k->bpf[lo].tag) && k->bpf[lo].len <= len)
			return &k->bpf[lo];
	return NULL;
}

int kernel_ksymbol(struct session *ss, const struct pd_record *rec, struct side_event *e)
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
	if (read_bpf(ss))
		return -CST_ERR_NOMEM;
	c = find_bpf(&ss->kernel, r->addr, r->len, r->name);
	if (c) {
		c->seen = true;
		e->map.dso = c->dso;
		e->map.end = r->addr + c->len;
		return 1;
	}
	d = dso_table_find(&ss->dsos, r->name, DSO_BPF);
	if (!d || d->state == DSO_LOADED) {
		d = dso_table_add(&ss->dsos, r->name, DSO_BPF);
		if (!d || !make_symbol(d, r->addr, UINT64_MAX))
			return -CST_ERR_NOMEM;
		d->state = DSO_MISSING;
		d->trouble = DSO_NOT_FOUND;
	}
	if (d->extent < r->len)
		d->extent = r->len;
	e->map.dso = d;
	return 1;
}

/* Programs that no record tells about were there all the time. */
struct bpf_source {
	struct side_source src;
	const struct kernel_images *k;
	size_t pos;
};

static int next_bpf(struct side_source *src, struct side_event *e)
{
	struct bpf_source *bs = (struct bpf_source *)src;
	const struct bpf_code *c;

	while (bs->pos < bs->k->nr_bpf) {
		c = &bs->k->bpf[bs->pos++];
		if (c->seen)
			continue;
		memset(e, 0, sizeof(*e));
		e->kind = SIDE_MAP;
		e->pid = KERNEL_PID;
		e->kernel = true;
		e->map.start = c->addr;
		e->map.end = c->addr + c->len;
		e->map.dso = c->dso;
		return 1;
	}
	return 0;
}

static void rewind_bpf(struct side_source *src)
{
	((struct bpf_source *)src)->pos = 0;
}

static void free_bpf(struct side_source *src)
{
	free(src);
}

static int add_unseen_bpf(struct session *ss)
{
	struct bpf_source *bs;
	size_t i;

	for (i = 0; i < ss->kernel.nr_bpf && ss->kernel.bpf[i].seen; i++)
		;
	if (i == ss->kernel.nr_bpf)
		return 0;
	bs = calloc(1, sizeof(*bs));
	if (!bs)
		return -CST_ERR_NOMEM;
	bs->src = (struct side_source){ next_bpf, rewind_bpf, free_bpf };
	bs->k = &ss->kernel;
	return session_add_source(ss, &bs->src);
}

int kernel_finish(struct session *ss)
{
	phone_finish(ss);
	if (read_bpf(ss) || patches_finish(&ss->kernel.patches, &ss->dsos))
		return -CST_ERR_NOMEM;
	return add_unseen_bpf(ss) ? -CST_ERR_NOMEM : kernel_find_kcore(ss);
}

/* The symbols of the file, if they are of the kernel that was recorded. */
static struct kallsyms *kallsyms_of_file(struct kernel_images *k)
{
	struct kallsyms *ks = kallsyms_open(k->kallsyms_path);
	uint64_t addr;

	if (ks && k->ref_addr && kallsyms_address(ks, k->ref_sym, NULL, &addr) && addr != k->ref_addr) {
		fprintf(message_stream(), "cstrace: %s: %s is at 0x%llx there, the recorded kernel had it at 0x%llx: not used; "
			"give the symbols of the boot that was recorded\n", name_shown(k->kallsyms_path), name_shown(k->ref_sym),
			(unsigned long long)addr, (unsigned long long)k->ref_addr);
		kallsyms_free(ks);
		ks = NULL;
	}
	if (!ks) {
		free(k->kallsyms_path);
		k->kallsyms_path = NULL;
	}
	return ks;
}

struct kallsyms *kernel_kallsyms(struct kernel_images *k)
{
	uint64_t about;

	if (k->kallsyms_tried)
		return k->kallsyms;
	k->kallsyms_tried = true;
	about = message_subject(SUBJECT_KALLSYMS);
	if (k->kallsyms_path)
		k->kallsyms = kallsyms_of_file(k);
	message_subject(about);
	if (!k->kallsyms && k->recorded_kallsyms)
		k->kallsyms = kallsyms_read(k->recorded_kallsyms, k->recorded_kallsyms_len);
	return k->kallsyms;
}

bool kernel_symbol_address(struct kernel_images *k, const char *name, uint64_t *addr)
{
	struct kallsyms *ks = kernel_kallsyms(k);
	uint64_t linked;

	if (ks && kallsyms_address(ks, name, NULL, addr))
		return true;
	if (!k->vmlinux || !dso_symbol_address(k->vmlinux, name, &linked))
		return false;
	*addr = linked + k->delta;
	return true;
}
