/* SPDX-License-Identifier: GPL-2.0-only */
/* out.c - output of the dump command: numbers and lines without stdio. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "outputs/dump/dump.h"
#include "session/indexes/index_book.h"

int dump_out_open(struct dump_out *o, const char *path)
{
	if (pd_output_begin(&o->file, "cstrace dump", path, false))
		return ERR_REPORTED;
	o->len = 0;
	o->buf = mem_new(DUMP_OUT_SIZE);
	return 0;
}

int dump_out_close(struct dump_out *o, bool anything)
{
	pd_output_write(&o->file, o->buf, o->len);
	free(o->buf);
	return pd_output_end_if(&o->file, "cstrace dump", anything);
}

void dump_out_abort(struct dump_out *o)
{
	/* What a reader of standard output was shown so far ends at a line. */
	if (o->file.stream)
		pd_output_write(&o->file, o->buf, o->len);
	pd_output_abort(&o->file);
	free(o->buf);
}

int dump_check_output(const struct dump *d)
{
	const char *path = !d->make ? d->out.file.path : d->make->was_read ? NULL : d->make->path;
	struct error err = { 0 };

	if (!path || !output_check(path, d->make ? path : d->out.file.name, &err))
		return 0;
	fprintf(stderr, "%s: %s\n", d->who ? d->who : "cstrace dump", err.msg);
	return ERR_REPORTED;
}

char *dump_out_line(struct dump_out *o)
{
	if (DUMP_OUT_SIZE - o->len < DUMP_LINE_MAX) {
		pd_output_write(&o->file, o->buf, o->len);
		o->len = 0;
	}
	return o->buf + o->len;
}

char *dump_str(char *p, const char *s)
{
	size_t n = strlen(s);

	memcpy(p, s, n);
	return p + n;
}

char *dump_hex(char *p, uint64_t v, unsigned int digits)
{
	unsigned int n = v ? (67 - (unsigned int)__builtin_clzll(v)) / 4 : 1, i;

	if (n < digits)
		n = digits;
	for (i = n; i--; v >>= 4)
		p[i] = "0123456789abcdef"[v & 15];
	return p + n;
}

char *dump_dec(char *p, uint64_t v)
{
	char buf[20];
	unsigned int i = sizeof(buf);

	do
		buf[--i] = (char)('0' + v % 10);
	while (v /= 10);
	memcpy(p, buf + i, sizeof(buf) - i);
	return p + sizeof(buf) - i;
}

char *dump_address(char *p, uint64_t v)
{
	return dump_hex(dump_str(p, "0x"), v, 1);
}

char *dump_key_str(char *p, const char *key, const char *value)
{
	p = dump_str(dump_str(dump_str(p, ",\""), key), "\":\"");
	p = dump_str(p, value);
	*p++ = '"';
	return p;
}

char *dump_key_dec(char *p, const char *key, uint64_t value)
{
	return dump_dec(dump_str(dump_str(dump_str(p, ",\""), key), "\":"), value);
}

/* 64-bit values are strings: readers of JSON keep only 53 bits of a number. */
char *dump_key_hex(char *p, const char *key, uint64_t value)
{
	p = dump_str(dump_str(dump_str(p, ",\""), key), "\":\"");
	p = dump_address(p, value);
	*p++ = '"';
	return p;
}

char *dump_key_true(char *p, const char *key)
{
	return dump_str(dump_str(dump_str(p, ",\""), key), "\":true");
}
