/* SPDX-License-Identifier: GPL-2.0-only */
/* branch_list_write.c - writes branch lists in one of their forms. */
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "base/alloc.h"
#include "base/protobuf.h"
#include "perfdata/branch_list.h"

/*
 * A message is ended when it has this number of bytes: a reader needs memory for one of them, and
 * protocol buffers can have at most 2 GiB.
 */
#define MESSAGE_SIZE (16u << 20)
/* Compression level: the default of zstd, which simpleperf uses. */
#define LEVEL 3

enum { LISTS_MAGIC = 1, LISTS_BINARY = 2 };
enum { BINARY_PATH = 1, BINARY_ID, BINARY_ADDRESSES, BINARY_TYPE, BINARY_KERNEL };
enum { KERNEL_START = 1 };
enum { ADDRESS = 1, ADDRESS_BRANCHES };
enum { BRANCHES_BITS = 1, BRANCHES_NUMBER, BRANCHES_COUNT };

struct writing {
	enum branch_list_form form;
	struct pd_output *out;
	struct protobuf m;
};

static void put32(struct pd_output *out, uint32_t v)
{
	const uint8_t bytes[4] = { (uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16),
				   (uint8_t)(v >> 24) };

	pd_output_write(out, bytes, sizeof(bytes));
}

#ifdef HAVE_ZSTD
bool branch_lists_can_pack(void)
{
	return true;
}

static void put_packed(struct pd_output *out, const struct protobuf *m)
{
	const size_t bound = ZSTD_compressBound(m->n);
	void *bytes = mem_new(bound);
	size_t n = ZSTD_compress(bytes, bound, m->bytes, m->n, LEVEL);

	/* what else can fail is a buffer that is too small */
	if (ZSTD_isError(n))
		mem_refused(0);
	put32(out, (uint32_t)n);
	pd_output_write(out, bytes, n);
	free(bytes);
}
#else
bool branch_lists_can_pack(void)
{
	return false;
}

static void put_packed(struct pd_output *out, const struct protobuf *m)
{
	(void)out;
	(void)m;
}
#endif

/* Writes the message so far; of the old form a part of the only one. */
static void put_message(struct writing *w)
{
	if (w->form == BRANCH_LIST_PACKED) {
		put_packed(w->out, &w->m);
	} else {
		if (w->form == BRANCH_LIST_PLAIN)
			put32(w->out, (uint32_t)w->m.n);
		pd_output_write(w->out, w->m.bytes, w->m.n);
	}
	w->m.n = 0;
}

static void put_id(struct protobuf *m, const struct branch_list_binary *b)
{
	char text[2 * BRANCH_LIST_ID_MAX + 1];
	size_t i;

	if (!b->id_len)
		return;
	for (i = 0; i < BRANCH_LIST_ID_MAX; i++) {
		text[2 * i] = "0123456789abcdef"[b->id[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[b->id[i] & 15];
	}
	text[2 * i] = 0;
	protobuf_text(m, BINARY_ID, text);
}

/* Writes the lists of one address. Returns the next list. */
static size_t put_address(struct protobuf *m, const struct branch_list_binary *b, size_t i)
{
	const uint64_t addr = b->v[i].addr;
	const size_t begin = protobuf_begin(m, BINARY_ADDRESSES);
	size_t inner;

	protobuf_nonzero(m, ADDRESS, addr);
	for (; i < b->nr && b->v[i].addr == addr; i++) {
		inner = protobuf_begin(m, ADDRESS_BRANCHES);
		protobuf_bytes(m, BRANCHES_BITS, b->bytes + b->v[i].bits,
			       ((size_t)b->v[i].nr_bits + 7) / 8);
		protobuf_number(m, BRANCHES_NUMBER, b->v[i].nr_bits);
		protobuf_number(m, BRANCHES_COUNT, b->v[i].count);
		protobuf_end(m, inner);
	}
	protobuf_end(m, begin);
	return i;
}

/*
 * Writes a binary with its lists from `i` on. Returns the first list that is left for the next
 * message.
 */
static size_t put_binary(struct writing *w, const struct branch_list_binary *b, size_t i)
{
	const size_t begin = protobuf_begin(&w->m, LISTS_BINARY);
	size_t kernel;

	protobuf_text(&w->m, BINARY_PATH, b->path);
	put_id(&w->m, b);
	while (i < b->nr && (w->m.n < MESSAGE_SIZE || w->form == BRANCH_LIST_OLD))
		i = put_address(&w->m, b, i);
	protobuf_nonzero(&w->m, BINARY_TYPE, b->type);
	/* of a kernel it is there without an address, too */
	if (b->type == BRANCH_LIST_KERNEL) {
		kernel = protobuf_begin(&w->m, BINARY_KERNEL);
		protobuf_nonzero(&w->m, KERNEL_START, b->kernel_start);
		protobuf_end(&w->m, kernel);
	}
	protobuf_end(&w->m, begin);
	return i;
}

void branch_lists_write(const struct branch_lists *l, enum branch_list_form form,
			struct pd_output *out)
{
	struct writing w = { .form = form, .out = out };
	size_t i, next;

	if (form == BRANCH_LIST_OLD) {
		protobuf_text(&w.m, LISTS_MAGIC, BRANCH_LIST_MAGIC);
	} else {
		pd_output_write(out, BRANCH_LIST_MAGIC, strlen(BRANCH_LIST_MAGIC));
		put32(out, 1);
		pd_output_write(out, &(uint8_t){ form == BRANCH_LIST_PACKED }, 1);
	}
	for (i = 0; i < l->nr; i++) {
		next = 0;
		/* at least once: an address has a list */
		do {
			if (w.m.n >= MESSAGE_SIZE)
				put_message(&w);
			next = put_binary(&w, &l->v[i], next);
		} while (next < l->v[i].nr);
	}
	if (w.m.n)
		put_message(&w);
	protobuf_free(&w.m);
}
