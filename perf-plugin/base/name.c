/* SPDX-License-Identifier: GPL-2.0-only */
/* name.c - names out of files, escaped for messages and for JSON. */
#include "base/name.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define COPIES	8u
#define ESCAPED	4u	/* bytes of \xNN */

static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* Bytes of the UTF-8 character at `p`, of `left` bytes; 0: it is none, or a control character (Unicode, table 3-7). */
static size_t character(const uint8_t *p, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3 :
		   *p >= 0xf0 && *p < 0xf5 ? 4 : 0, i;
	uint32_t c = n == 1 ? *p : *p & (0x7fu >> n);

	if (!n || n > left)
		return 0;
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || is_control(c))
		return 0;
	return n;
}

/* Whether eight bytes are all from 0x20 to 0x7e. Nearly all names are nothing else. */
static bool is_printable(const char *p)
{
	const uint64_t ones = 0x0101010101010101u, high = 0x80 * ones;
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	/* No byte carries into its neighbour: 0x7f + 1 is 0x80, and a byte from 0x80 up has its bit in v itself. */
	return !((v | (v + ones)) & high) && ((v + 0x60 * ones) & high) == high;
}

/* How many bytes of the name can be shown as they are. */
static size_t plain(const char *name, size_t len)
{
	const uint8_t *p = (const uint8_t *)name;
	size_t at = 0, n;

	while (len - at >= sizeof(uint64_t) && is_printable(name + at))
		at += sizeof(uint64_t);
	if (len >= sizeof(uint64_t) && len - at < sizeof(uint64_t) && is_printable(name + len - sizeof(uint64_t)))
		return len;
	for (; at < len; at += n) {
		n = p[at] >= 0x20 && p[at] < 0x7f ? 1 : character(p + at, len - at);
		if (!n)
			break;
	}
	return at;
}

static char *put_byte(char *p, uint8_t c)
{
	p[0] = '\\';
	p[1] = 'x';
	p[2] = "0123456789abcdef"[c >> 4];
	p[3] = "0123456789abcdef"[c & 15];
	return p + ESCAPED;
}

/* Escape all of `name` into `size` bytes; false: it was cut. */
static bool escape(char *out, size_t size, const char *name, size_t len)
{
	char *p = out, *end = out + size - 1;
	size_t at = 0, n;

	while (at < len) {
		n = character((const uint8_t *)name + at, len - at);
		if ((size_t)(end - p) < (n ? n : ESCAPED))
			break;
		if (n) {
			memcpy(p, name + at, n);
			p += n;
		} else {
			p = put_byte(p, (uint8_t)name[at]);
		}
		at += n ? n : 1;
	}
	*p = 0;
	return at == len;
}

/*
 * The last copies of a thread. Most need none: as thread-local data they would make each one begin
 * with 32 page faults.
 */
struct copies {
	unsigned int next;
	char text[COPIES][NAME_SHOWN_MAX + sizeof("...")];
};

static pthread_key_t copies_key;

static void make_key(void)
{
	if (pthread_key_create(&copies_key, free))
		mem_refused(0);
}

static struct copies *copies_of_thread(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct copies *c;

	pthread_once(&once, make_key);
	c = pthread_getspecific(copies_key);
	if (!c) {
		c = mem_new(sizeof(*c));
		c->next = 0;
		if (pthread_setspecific(copies_key, c))
			mem_refused(0);
	}
	return c;
}

static const char *shown_copy(const char *name, size_t len)
{
	struct copies *c = copies_of_thread();
	char *copy = c->text[c->next++ % COPIES];

	if (!escape(copy, NAME_SHOWN_MAX + 1, name, len))
		strcat(copy, "...");
	return copy;
}

const char *name_shown(const char *name)
{
	size_t len = strlen(name);

	return plain(name, len) == len ? name : shown_copy(name, len);
}

size_t name_plain_len(const char *name)
{
	size_t len = strlen(name);

	return plain(name, len) == len ? len : 0;
}

void name_escape(char *text, size_t size)
{
	const char *shown = name_shown(text);
	size_t len = strlen(shown);

	if (shown == text || !size)
		return;
	len = len < size ? len : size - 1;
	memcpy(text, shown, len);
	text[len] = 0;
}

char *name_word(const char *name)
{
	static const char plain[] = "\t\n\\", escaped[] = "tn\\";
	char *word = mem_new(2 * strlen(name) + 1), *to = word;
	const char *found;

	for (; *name; name++) {
		found = strchr(plain, *name);
		if (found)
			*to++ = '\\';
		*to++ = found ? escaped[found - plain] : *name;
	}
	*to = 0;
	return word;
}

char *name_json(char *out, const char *end, const char *name)
{
	static const char hex[] = "0123456789abcdef";

	*out++ = '"';
	for (; *name; name++) {
		uint8_t c = (uint8_t)*name;
		size_t n = c == '"' || c == '\\' ? 2 : c < 0x20 || c >= 0x7f ? 6 : 1;

		if ((size_t)(end - out) <= n)
			break;
		if (n == 2)
			*out++ = '\\';
		if (n == 6) {
			memcpy(out, "\\u00", 4);
			out[4] = hex[c >> 4];
			out[5] = hex[c & 15];
			out += 6;
		} else {
			*out++ = (char)c;
		}
	}
	*out++ = '"';
	return out;
}
