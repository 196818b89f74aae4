/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c - strings and numbers behind the text that is there, counted where they do not fit. */
#include "text.h"

#include <string.h>

void cst_text_mem(struct cst_text *t, const char *s, size_t len)
{
	if (t->len < t->cap) {
		size_t room = t->cap - t->len;

		memcpy(t->out + t->len, s, len < room ? len : room);
	}
	t->len += len;
}

void cst_text_str(struct cst_text *t, const char *s)
{
	cst_text_mem(t, s, strlen(s));
}

static void hex(struct cst_text *t, uint64_t value, unsigned int digits, const char *alphabet)
{
	char buf[16];
	unsigned int i = sizeof(buf);

	do {
		buf[--i] = alphabet[value & 0xf];
		value >>= 4;
	} while (value);
	while (i && sizeof(buf) - i < digits)
		buf[--i] = '0';
	cst_text_mem(t, buf + i, sizeof(buf) - i);
}

void cst_text_hex(struct cst_text *t, uint64_t value, unsigned int digits)
{
	hex(t, value, digits, "0123456789abcdef");
}

void cst_text_hex_upper(struct cst_text *t, uint64_t value, unsigned int digits)
{
	hex(t, value, digits, "0123456789ABCDEF");
}

void cst_text_dec(struct cst_text *t, uint64_t value)
{
	char buf[20];
	unsigned int i = sizeof(buf);

	do {
		buf[--i] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	cst_text_mem(t, buf + i, sizeof(buf) - i);
}

void cst_text_str_in(struct cst_text *t, const char *before, const char *s, const char *after)
{
	cst_text_str(t, before);
	cst_text_str(t, s);
	cst_text_str(t, after);
}

void cst_text_hex_in(struct cst_text *t, const char *before, uint64_t value, unsigned int digits, const char *after)
{
	cst_text_str(t, before);
	cst_text_hex(t, value, digits);
	cst_text_str(t, after);
}

void cst_text_dec_in(struct cst_text *t, const char *before, uint64_t value, const char *after)
{
	cst_text_str(t, before);
	cst_text_dec(t, value);
	cst_text_str(t, after);
}

size_t cst_text_end(struct cst_text *t)
{
	if (t->cap)
		t->out[t->len < t->cap ? t->len : t->cap - 1] = '\0';
	return t->len;
}
