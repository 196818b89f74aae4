/* SPDX-License-Identifier: GPL-2.0-only */
/* bytes.h - unaligned loads and stores in host byte order, and a bounded cursor for feature sections. */
#ifndef CSTRACE_PERFDATA_BYTES_H
#define CSTRACE_PERFDATA_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t pd_load32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t pd_load64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void pd_swap16(void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void pd_swap32(void *p)
{
	uint32_t v = __builtin_bswap32(pd_load32(p));

	memcpy(p, &v, sizeof(v));
}

static inline void pd_swap64(void *p)
{
	uint64_t v = __builtin_bswap64(pd_load64(p));

	memcpy(p, &v, sizeof(v));
}

/*
 * Reads past the end give zeroes and set @bad; callers check once at the end instead of after
 * every field.
 */
struct pd_cursor {
	const uint8_t *p;
	const uint8_t *end;
	bool swap;
	bool bad;
};

static inline const void *pd_cur_bytes(struct pd_cursor *c, uint64_t n)
{
	const void *p = c->p;

	if (c->bad || n > (uint64_t)(c->end - c->p)) {
		c->bad = true;
		return NULL;
	}
	c->p += n;
	return p;
}

static inline uint32_t pd_cur_u32(struct pd_cursor *c)
{
	const void *p = pd_cur_bytes(c, 4);
	uint32_t v = p ? pd_load32(p) : 0;

	return c->swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t pd_cur_u64(struct pd_cursor *c)
{
	const void *p = pd_cur_bytes(c, 8);
	uint64_t v = p ? pd_load64(p) : 0;

	return c->swap ? __builtin_bswap64(v) : v;
}

/* A string that its terminator ends. NULL when there is none. */
static inline const char *pd_cur_text(struct pd_cursor *c)
{
	const char *s = (const char *)c->p;
	const uint8_t *end = c->bad ? NULL : memchr(s, 0, (size_t)(c->end - c->p));

	if (!end) {
		c->bad = true;
		return NULL;
	}
	c->p = end + 1;
	return s;
}

/* perf's string: u32 length (with padding), then the bytes. NULL when it is not terminated. */
static inline const char *pd_cur_str(struct pd_cursor *c)
{
	uint32_t n = pd_cur_u32(c);
	const char *s = pd_cur_bytes(c, n);

	if (s && !memchr(s, 0, n)) {
		c->bad = true;
		return NULL;
	}
	return s;
}

#endif
