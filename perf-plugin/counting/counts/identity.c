/* SPDX-License-Identifier: GPL-2.0-only */
/* identity.c - identities of binaries: build-ids, and digests of what has none. */
#include "counting/counts/identity.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cstrace/isa.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/files/input.h"
#include "base/sha1.h"
#include "machine/images/dso.h"

/* Bytes that are read for a digest: more than the code of any program. */
#define IDENTITY_MAX	(256u << 20)

static uint8_t type_of(const struct dso *d)
{
	switch (d->kind) {
	case DSO_FILE:
		return CST_COUNT_FILE;
	case DSO_VMLINUX:
		return CST_COUNT_KERNEL;
	case DSO_MODULE:
		return CST_COUNT_MODULE;
	case DSO_JIT:
		return CST_COUNT_JIT;
	}
	return CST_COUNT_MEMORY;
}

static const struct dso_symbol_entry *method_of(const struct binary *b)
{
	return b->method == COUNTS_WHOLE ? NULL : &b->dso->symbols.syms[b->method];
}

uint64_t identity_base(const struct binary *b)
{
	return b->method == COUNTS_WHOLE ? 0 : method_of(b)->offset;
}

static int compare_segments(const void *pa, const void *pb)
{
	const struct cst_count_segment *a = pa, *b = pb;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

/* True for a segment that a record can have: its file has bytes of it, and their offsets are numbers of 64 bits. */
static bool recordable(const struct dso_segment *s)
{
	return s->filesz && s->offset < UINT64_MAX - s->filesz;
}

/* Segments by offset; the first one of several at one offset. */
static struct cst_count_segment *segments(const struct dso *d, size_t *nr)
{
	struct cst_count_segment *v = mem_array(d->image.nr_segs + 1, sizeof(*v));
	size_t i, n = 0;

	*nr = 0;
	for (i = 0; i < d->image.nr_segs; i++)
		if (recordable(&d->image.segs[i]))
			v[n++] = (struct cst_count_segment){ .offset = d->image.segs[i].offset,
							     .size = d->image.segs[i].filesz,
							     .vaddr = d->image.segs[i].vaddr,
							     .exec = d->image.segs[i].exec };
	ARRAY_SORT(v, n, compare_segments);
	for (i = 0; i < n; i++)
		if (!*nr || v[*nr - 1].offset != v[i].offset)
			v[(*nr)++] = v[i];
	return v;
}

struct cst_count_segment *identity_segments(const struct dso *d, size_t *nr)
{
	static const struct dso none;

	return segments(d->kind == DSO_FILE || d->kind == DSO_VMLINUX ? d : &none, nr);
}

static void add_number(struct sha1 *s, uint64_t v)
{
	uint8_t bytes[8];
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(v >> 8 * i);
	sha1_add(s, bytes, sizeof(bytes));
}

/*
 * Adds the part [offset, offset + size) of the file that is there, while *left lasts. What has more code than that is a sparse
 * file: its size stands for the rest.
 */
static void add_part(struct sha1 *s, const struct dso *d, uint64_t offset, uint64_t size, uint64_t *left)
{
	if (offset >= d->image.size)
		return;
	if (size > d->image.size - offset)
		size = d->image.size - offset;
	sha1_add(s, d->image.data + offset, size < *left ? size : *left);
	if (size <= *left) {
		*left -= size;
		return;
	}
	*left = 0;
	add_number(s, size);
}

static void add_code(struct sha1 *s, const struct binary *b)
{
	const struct dso_symbol_entry *m = method_of(b);
	const struct dso *d = b->dso;
	struct cst_count_segment *v;
	uint64_t left = IDENTITY_MAX;
	size_t i, nr, exec = 0;

	if (m) {
		add_part(s, d, m->offset, m->size, &left);
		sha1_add(s, m->name, strlen(m->name));
		return;
	}
	v = identity_segments(d, &nr);
	for (i = 0; i < nr; i++) {
		if (!v[i].exec)
			continue;
		add_part(s, d, v[i].offset, v[i].size, &left);
		exec++;
	}
	if (!exec)
		add_part(s, d, 0, d->image.size, &left);
	free(v);
}

/* Adds a module's file as it is stored: what was read of it is linked to the addresses of one boot. Returns 0 or errno. */
static int add_file(struct sha1 *s, const struct dso *d)
{
	size_t size = 0;
	const void *p = input_map(d->image.file, PROT_READ, &size);

	if (!p)
		return errno;
	sha1_add(s, p, size < IDENTITY_MAX ? size : IDENTITY_MAX);
	input_unmap(p, size);
	return 0;
}

/* Two copies of kernel memory of one name differ in their segments. */
static void add_name(struct sha1 *s, const struct dso *d)
{
	struct cst_count_segment *v;
	size_t i, nr;

	sha1_add(s, d->path, strlen(d->path));
	v = d->kind == DSO_KCORE ? segments(d, &nr) : NULL;
	for (i = 0; v && i < nr; i++) {
		add_number(s, v[i].offset);
		add_number(s, v[i].size);
		add_number(s, v[i].vaddr);
	}
	free(v);
}

int identity_by_code(const struct binary *b, struct cst_count_binary *is)
{
	const struct dso *d = b->dso;
	const bool module = d->kind == DSO_MODULE;
	bool named = d->kind == DSO_KCORE || d->state != DSO_LOADED || (module && !d->image.file);
	struct sha1 s;
	int why = 0;

	sha1_init(&s);
	if (!named && module) {
		why = add_file(&s, d);
		named = why;
	} else if (!named) {
		add_code(&s, b);
	}
	if (named)
		add_name(&s, d);
	is->id_kind = named ? CST_COUNT_ID_NAME : CST_COUNT_ID_DIGEST;
	is->id_len = SHA1_SIZE;
	sha1_end(&s, is->id);
	return why;
}

int identity_of(const struct binary *b, struct cst_count_binary *is)
{
	const struct dso *d = b->dso;
	size_t len = 0;
	const uint8_t *id = d->kind <= DSO_MODULE ? dso_build_id(d, &len) : NULL;

	*is = (struct cst_count_binary){ .type = type_of(d), .machine = d->image.machine,
					 .name = method_of(b) ? method_of(b)->name : dso_path(d) };
	if (!is->machine && b->insns)
		is->machine = b->isa == CST_ISA_A64 ? EM_AARCH64 : EM_ARM;
	if (!id)
		return identity_by_code(b, is);
	is->id_kind = CST_COUNT_ID_BUILD;
	is->id_len = (uint8_t)len;
	memcpy(is->id, id, len);
	return 0;
}

int identity_compare(const struct cst_count_binary *a, const struct cst_count_binary *b)
{
	if (a->id_kind != b->id_kind)
		return a->id_kind < b->id_kind ? -1 : 1;
	if (a->id_len != b->id_len)
		return a->id_len < b->id_len ? -1 : 1;
	return memcmp(a->id, b->id, a->id_len);
}
