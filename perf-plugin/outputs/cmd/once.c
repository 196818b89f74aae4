/* SPDX-License-Identifier: GPL-2.0-only */
/* once.c - keeps a digest of each line. */
#include "outputs/cmd/once.h"

#include <string.h>

#include "base/sha1.h"

/* Counts have commas in them. */
static bool is_number(char c)
{
	return (c >= '0' && c <= '9') || c == ',';
}

bool once_said(struct once *o, const char *line)
{
	uint8_t digest[SHA1_SIZE];
	struct sha1 sha;
	int64_t key;
	size_t n;

	sha1_init(&sha);
	for (; *line; line += n) {
		line += strspn(line, "0123456789,");
		for (n = 0; line[n] && !is_number(line[n]); n++)
			;
		sha1_add(&sha, (const uint8_t *)line, n);
	}
	sha1_end(&sha, digest);
	memcpy(&key, digest, sizeof(key));
	if (intmap_get(&o->lines, key))
		return true;
	intmap_put(&o->lines, key, o);
	return false;
}

void once_free(struct once *o)
{
	intmap_free(&o->lines);
}
