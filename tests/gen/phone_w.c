/* SPDX-License-Identifier: BSD-3-Clause */
#include "phone_w.h"

#include <string.h>

enum { KERNEL_SYMBOL = 32769, SPLIT = 32772, SPLIT_END = 32773 };

/* header.size of a piece is not a multiple of 8 */
#define PIECE (65535u - 8)

/* numbers of the fields, and how they are coded */
enum { PATH = 1, TYPE, MIN_VADDR, SYMBOL, DEX_INFO, ELF_INFO, MODULE_INFO };
enum { VARINT = 0, BYTES = 2 };

static void varint(struct gbuf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		gbuf_u8(b, (uint8_t)(v | 0x80));
	gbuf_u8(b, (uint8_t)v);
}

static void key(struct gbuf *b, unsigned int field, unsigned int coding)
{
	varint(b, field << 3 | coding);
}

/* a number of 0 is not written */
static void number(struct gbuf *b, unsigned int field, uint64_t v)
{
	if (!v)
		return;
	key(b, field, VARINT);
	varint(b, v);
}

static void bytes(struct gbuf *b, unsigned int field, const void *p, size_t n)
{
	key(b, field, BYTES);
	varint(b, n);
	gbuf_put(b, p, n);
}

static void message(const struct phone_file *f, struct gbuf *out)
{
	struct gbuf inner = { 0 };

	bytes(out, PATH, f->path, strlen(f->path));
	number(out, TYPE, f->type);
	number(out, MIN_VADDR, f->vaddr);
	number(&inner, 1, f->vaddr);
	number(&inner, 2, 16);
	bytes(&inner, 3, "symbol", 6);
	bytes(out, SYMBOL, inner.p, inner.len);
	inner.len = 0;
	number(&inner, 1, f->offset);
	if (f->type == PHONE_DEX)
		bytes(out, DEX_INFO, "\x0a\x02\x30\x40", 4);
	else if (f->type != PHONE_KERNEL)
		bytes(out, f->type == PHONE_ELF ? ELF_INFO : MODULE_INFO, inner.p, inner.len);
	gbuf_free(&inner);
}

static void old_form(const struct phone_file *f, struct gbuf *out)
{
	gbuf_put(out, f->path, strlen(f->path) + 1);
	gbuf_u32(out, f->type);
	gbuf_u64(out, f->vaddr);
	gbuf_u32(out, 1);
	gbuf_u64(out, f->vaddr);
	gbuf_u32(out, 16);
	gbuf_put(out, "symbol", 7);
	if (f->type == PHONE_DEX) {
		gbuf_u32(out, 1);
		gbuf_u64(out, 0x30);
	} else if (f->type != PHONE_KERNEL) {
		gbuf_u64(out, f->offset);
	}
}

void phone_file(struct gbuf *section, const struct phone_file *f, int old)
{
	struct gbuf body = { 0 };

	if (old)
		old_form(f, &body);
	else
		message(f, &body);
	gbuf_u32(section, (uint32_t)body.len);
	gbuf_put(section, body.p, body.len);
	gbuf_free(&body);
}

/* the size of a record of simpleperf's own has 32 bits: the upper ones are where others have misc */
static void header(struct gbuf *b, uint32_t type, size_t size)
{
	gbuf_u32(b, type);
	gbuf_u16(b, (uint16_t)(size >> 16));
	gbuf_u16(b, (uint16_t)size);
}

void phone_kallsyms(struct perfw *w, const char *text)
{
	size_t n = strlen(text), padded = (n + 7) & ~(size_t)7, at, part;
	struct gbuf whole = { 0 }, r = { 0 };

	header(&whole, KERNEL_SYMBOL, 8 + 4 + padded);
	gbuf_u32(&whole, (uint32_t)n);
	gbuf_put(&whole, text, n);
	gbuf_zero(&whole, padded - n);
	if (whole.len <= 65535) {
		perfw_record(w, whole.p, whole.len);
		gbuf_free(&whole);
		return;
	}
	for (at = 0; at < whole.len; at += part) {
		part = whole.len - at < PIECE ? whole.len - at : PIECE;
		r.len = 0;
		header(&r, SPLIT, 8 + part);
		gbuf_put(&r, whole.p + at, part);
		perfw_record(w, r.p, r.len);
	}
	r.len = 0;
	header(&r, SPLIT_END, 8);
	perfw_record(w, r.p, r.len);
	gbuf_free(&whole);
	gbuf_free(&r);
}
