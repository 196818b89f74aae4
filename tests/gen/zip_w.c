/* SPDX-License-Identifier: BSD-3-Clause */
#include "zip_w.h"

#include <string.h>

enum { STORED = 0, DEFLATED = 8, VERSION = 20, ZIP64_VERSION = 45, ZIP64_EXTRA = 1,
      PADDING_EXTRA = 0xd935 };

static uint32_t crc(const uint8_t *p, size_t n)
{
	uint32_t c = UINT32_MAX;
	int i;

	while (n--)
		for (c ^= *p++, i = 0; i < 8; i++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
	return ~c;
}

/* from the version on to the length of the name: the same before the bytes and in the directory */
static void common(struct gbuf *out, const struct zipw_member *m, int zip64)
{
	gbuf_u16(out, zip64 ? ZIP64_VERSION : VERSION);
	gbuf_u16(out, 0);	/* flags */
	gbuf_u16(out, m->compressed ? DEFLATED : STORED);
	gbuf_u32(out, 0x21 << 16);	/* 1980-01-01 */
	gbuf_u32(out, crc(m->p, m->len));
	gbuf_u32(out, zip64 ? UINT32_MAX : (uint32_t)m->len);
	gbuf_u32(out, zip64 ? UINT32_MAX : (uint32_t)m->len + m->compressed);
	gbuf_u16(out, (uint16_t)strlen(m->name));
}

static void put_sizes(struct gbuf *out, const struct zipw_member *m, uint16_t size)
{
	gbuf_u16(out, ZIP64_EXTRA);
	gbuf_u16(out, size);
	gbuf_u64(out, m->len + m->compressed);
	gbuf_u64(out, m->len);
}

/* returns where the header is */
static uint64_t put_member(struct gbuf *out, struct zipw_member *m, int zip64)
{
	const uint64_t header = out->len;
	const size_t extra = zip64 ? 20 : 0;
	size_t end = out->len + 30 + strlen(m->name) + extra, padding = 0;

	if (m->align && end % m->align) {
		padding = m->align - end % m->align;
		padding += padding < 4 ? m->align : 0;
	}
	gbuf_u32(out, 0x04034b50);
	common(out, m, zip64);
	gbuf_u16(out, (uint16_t)(extra + padding));
	gbuf_put(out, m->name, strlen(m->name));
	if (zip64)
		put_sizes(out, m, 16);
	if (padding) {
		gbuf_u16(out, PADDING_EXTRA);
		gbuf_u16(out, (uint16_t)(padding - 4));
		gbuf_zero(out, padding - 4);
	}
	m->at = out->len;
	gbuf_put(out, m->p, m->len);
	return header;
}

static void put_entry(struct gbuf *out, const struct zipw_member *m, uint64_t header, int zip64)
{
	gbuf_u32(out, 0x02014b50);
	gbuf_u16(out, VERSION);
	common(out, m, zip64);
	gbuf_u16(out, zip64 ? 28 : 0);
	gbuf_zero(out, 2 + 2 + 2 + 4);	/* comment, disk, attributes */
	gbuf_u32(out, zip64 ? UINT32_MAX : (uint32_t)header);
	gbuf_put(out, m->name, strlen(m->name));
	if (zip64) {
		put_sizes(out, m, 24);
		gbuf_u64(out, header);
	}
}

static void put_end64(struct gbuf *out, uint64_t start, int n)
{
	const uint64_t end = out->len;

	gbuf_u32(out, 0x06064b50);
	gbuf_u64(out, 44);
	gbuf_u16(out, ZIP64_VERSION);
	gbuf_u16(out, ZIP64_VERSION);
	gbuf_zero(out, 8);	/* disks */
	gbuf_u64(out, (uint64_t)n);
	gbuf_u64(out, (uint64_t)n);
	gbuf_u64(out, end - start);
	gbuf_u64(out, start);
	gbuf_u32(out, 0x07064b50);
	gbuf_u32(out, 0);
	gbuf_u64(out, end);
	gbuf_u32(out, 1);
}

void zipw_write(struct gbuf *out, struct zipw_member *members, int n, int zip64)
{
	uint64_t headers[16], start, end;
	int i;

	GEN_BUG_ON(n > 16);
	for (i = 0; i < n; i++)
		headers[i] = put_member(out, &members[i], zip64);
	start = out->len;
	for (i = 0; i < n; i++)
		put_entry(out, &members[i], headers[i], zip64);
	end = out->len;
	if (zip64)
		put_end64(out, start, n);
	gbuf_u32(out, 0x06054b50);
	gbuf_zero(out, 4);	/* disks */
	gbuf_u16(out, (uint16_t)n);
	gbuf_u16(out, (uint16_t)n);
	gbuf_u32(out, zip64 ? UINT32_MAX : (uint32_t)(end - start));
	gbuf_u32(out, zip64 ? UINT32_MAX : (uint32_t)start);
	gbuf_u16(out, 0);	/* comment */
}
