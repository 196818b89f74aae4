/* SPDX-License-Identifier: BSD-3-Clause */
/* archive.c - reads and writes the input of fuzz_command. */
#include <string.h>

#include "fuzz/command/archive.h"

struct bytes {
	const uint8_t *p, *end;
};

static uint8_t take(struct bytes *b)
{
	return b->p < b->end ? *b->p++ : 0;
}

static const uint8_t *take_run(struct bytes *b, size_t *len)
{
	const uint8_t *p = b->p;

	if (*len > (size_t)(b->end - b->p))
		*len = (size_t)(b->end - b->p);
	b->p += *len;
	return p;
}

static void read_option(struct archive_option *o, struct bytes *b)
{
	size_t len;

	o->row = take(b);
	len = take(b) % (ARCHIVE_VALUE + 1);
	memcpy(o->value, take_run(b, &len), len);
	o->len = (uint8_t)len;
}

static void read_file(struct archive_file *f, struct bytes *b)
{
	size_t len = take(b) % (ARCHIVE_NAME + 1);
	unsigned int i;

	memcpy(f->name, take_run(b, &len), len);
	f->name[len] = 0;
	for (len = 0, i = 0; i < 4; i++)
		len |= (size_t)take(b) << 8 * i;
	f->data = take_run(b, &len);
	f->len = len;
}

void packed_read(struct archive *a, const uint8_t *data, size_t size)
{
	static const uint8_t empty;
	struct bytes b = { size ? data : &empty, (size ? data : &empty) + size };
	unsigned int i;

	memset(a, 0, sizeof(*a));
	a->command = take(&b);
	a->nr_options = take(&b) % (ARCHIVE_OPTIONS + 1);
	for (i = 0; i < a->nr_options; i++)
		read_option(&a->options[i], &b);
	while (b.p < b.end && a->nr_files < ARCHIVE_FILES)
		read_file(&a->files[a->nr_files++], &b);
}

size_t archive_write(const struct archive *a, uint8_t *out, size_t max)
{
	size_t at = 2, n, need = 2;
	unsigned int i, k;

	for (i = 0; i < a->nr_options; i++)
		need += 2u + a->options[i].len;
	for (i = 0; i < a->nr_files; i++)
		need += 5 + strlen(a->files[i].name) + a->files[i].len;
	if (need > max)
		return 0;
	out[0] = a->command;
	out[1] = (uint8_t)a->nr_options;
	for (i = 0; i < a->nr_options; i++) {
		out[at++] = a->options[i].row;
		out[at++] = a->options[i].len;
		memcpy(out + at, a->options[i].value, a->options[i].len);
		at += a->options[i].len;
	}
	for (i = 0; i < a->nr_files; i++) {
		const struct archive_file *f = &a->files[i];

		n = strlen(f->name);
		out[at++] = (uint8_t)n;
		memcpy(out + at, f->name, n);
		at += n;
		for (k = 0; k < 4; k++)
			out[at++] = (uint8_t)(f->len >> 8 * k);
		if (f->len)
			memcpy(out + at, f->data, f->len);
		at += f->len;
	}
	return at;
}

struct archive_file *packed_find(struct archive *a, const char *name)
{
	unsigned int i;

	for (i = 0; i < a->nr_files; i++)
		if (!strcmp(a->files[i].name, name))
			return &a->files[i];
	return NULL;
}
