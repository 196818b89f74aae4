/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * protobuf.h - writes messages of protobuf in memory ("Encoding" of protobuf.dev): fields in the
 * order of their numbers, as other writers do.
 */
#ifndef CSTRACE_BASE_PROTOBUF_H
#define CSTRACE_BASE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#define PROTOBUF_NUMBER	10u	/* bytes of a number, at most */

struct protobuf {
	uint8_t *bytes;
	size_t n, room;
};

/* Wire types: the lower three bits of a field's tag. */
enum { PROTOBUF_VARINT = 0, PROTOBUF_LEN = 2 };
#define PROTOBUF_TAG(field, type)	((field) << 3 | (type))

/* A number at p, with PROTOBUF_NUMBER bytes of room; returns its end. */
static inline uint8_t *protobuf_put(uint8_t *p, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static inline size_t protobuf_size(uint64_t v)
{
	size_t n = 1;

	for (; v > 0x7f; v >>= 7)
		n++;
	return n;
}

/* A negative number is passed as its 64-bit two's complement, whatever the width of the field. */
void protobuf_number(struct protobuf *m, unsigned int field, uint64_t v);
/* As protobuf_number(), but 0 is left out: it is what a reader assumes of a field of proto3. */
void protobuf_nonzero(struct protobuf *m, unsigned int field, uint64_t v);
/* Bytes, which may be those of a message. */
void protobuf_bytes(struct protobuf *m, unsigned int field, const void *bytes, size_t len);
void protobuf_text(struct protobuf *m, unsigned int field, const char *text);
/* What is added between the two is a message in a field; `begin` is what the first one returned. */
size_t protobuf_begin(struct protobuf *m, unsigned int field);
void protobuf_end(struct protobuf *m, size_t begin);
void protobuf_free(struct protobuf *m);

#endif
