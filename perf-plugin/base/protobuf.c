/* SPDX-License-Identifier: GPL-2.0-only */
/* protobuf.c - messages of protobuf: fields with a tag, a number or a length, and bytes. */
#include "base/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Room for `more` bytes behind the last one. */
static uint8_t *reserve(struct protobuf *m, size_t more)
{
	array_room(&m->bytes, m->n, more, &m->room, 1);
	return m->bytes + m->n;
}

static void advance(struct protobuf *m, const uint8_t *end)
{
	m->n = (size_t)(end - m->bytes);
}

void protobuf_number(struct protobuf *m, unsigned int field, uint64_t v)
{
	uint8_t *p = reserve(m, 2 * PROTOBUF_NUMBER);

	advance(m, protobuf_put(protobuf_put(p, PROTOBUF_TAG(field, PROTOBUF_VARINT)), v));
}

void protobuf_nonzero(struct protobuf *m, unsigned int field, uint64_t v)
{
	if (v)
		protobuf_number(m, field, v);
}

void protobuf_bytes(struct protobuf *m, unsigned int field, const void *bytes, size_t len)
{
	uint8_t *p = reserve(m, 2 * PROTOBUF_NUMBER + len);

	p = protobuf_put(protobuf_put(p, PROTOBUF_TAG(field, PROTOBUF_LEN)), len);
	memcpy(p, bytes, len);
	advance(m, p + len);
}

void protobuf_text(struct protobuf *m, unsigned int field, const char *text)
{
	protobuf_bytes(m, field, text, strlen(text));
}

size_t protobuf_begin(struct protobuf *m, unsigned int field)
{
	uint8_t *p = reserve(m, PROTOBUF_NUMBER);

	advance(m, protobuf_put(p, PROTOBUF_TAG(field, PROTOBUF_LEN)));
	return m->n;
}

/*
 * The length stands before the message and is known behind it: most are short, and move by one
 * byte.
 */
void protobuf_end(struct protobuf *m, size_t begin)
{
	const size_t len = m->n - begin, size = protobuf_size(len);

	reserve(m, size);
	memmove(m->bytes + begin + size, m->bytes + begin, len);
	protobuf_put(m->bytes + begin, len);
	m->n += size;
}

void protobuf_free(struct protobuf *m)
{
	free(m->bytes);
}
