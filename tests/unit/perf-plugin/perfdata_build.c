/* SPDX-License-Identifier: BSD-3-Clause */
#include "perfdata_build.h"
#include "parts.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

void pdb_free(struct pdb *b)
{
	free(b->p);
	b->p = NULL;
	b->len = 0;
	b->cap = 0;
}

void pdb_bytes(struct pdb *b, const void *data, size_t len)
{
	if (b->len + len > b->cap) {
		b->cap = (b->len + len) * 2 + 256;
		b->p = realloc(b->p, b->cap);
		if (!b->p)
			abort();
	}
	if (len)
		memcpy(b->p + b->len, data, len);
	b->len += len;
}

void pdb_zero(struct pdb *b, size_t len)
{
	static const uint8_t zero;

	while (len--)
		pdb_bytes(b, &zero, 1);
}

static void put(struct pdb *b, uint64_t v, unsigned int size)
{
	uint8_t bytes[8], out[8];
	unsigned int i;

	memcpy(bytes, &v, 8);	/* the suite runs on little endian hosts */
	for (i = 0; i < size; i++)
		out[i] = b->swap ? bytes[size - 1 - i] : bytes[i];
	pdb_bytes(b, out, size);
}

void pdb_u16(struct pdb *b, uint16_t v)
{
	put(b, v, 2);
}

void pdb_u32(struct pdb *b, uint32_t v)
{
	put(b, v, 4);
}

void pdb_u64(struct pdb *b, uint64_t v)
{
	put(b, v, 8);
}

void pdb_str8(struct pdb *b, const char *s)
{
	size_t n = strlen(s) + 1;

	pdb_bytes(b, s, n);
	pdb_zero(b, -n & 7);
}

void pdb_feat_str(struct pdb *b, const char *s)
{
	size_t n = strlen(s) + 1;

	pdb_u32(b, (uint32_t)((n + 63) & ~(size_t)63));
	pdb_bytes(b, s, n);
	pdb_zero(b, -n & 63);
}

void pdb_attr_body(struct pdb *b, const struct pdb_attr *a)
{
	size_t at = b->len;
	uint8_t flags[8] = { 0 };
	unsigned int i;

	pdb_u32(b, a->type);
	pdb_u32(b, a->size);
	pdb_u64(b, a->config);
	pdb_u64(b, 1);			/* period */
	pdb_u64(b, a->sample_type);
	pdb_u64(b, 0);			/* read_format */
	/* sample_id_all is bit 18; compilers of big endian machines count from the other end. */
	if (a->sample_id_all)
		flags[2] = b->swap ? 0x80 >> 2 : 1 << 2;
	if (a->monotonic)	/* use_clockid is bit 25 */
		flags[3] = b->swap ? 0x80 >> 1 : 1 << 1;
	for (i = 0; i < 8; i++)
		flags[i] |= (uint8_t)(a->more_flags >> 8 * i);
	pdb_bytes(b, flags, 8);
	pdb_u32(b, 7);			/* wakeup_events */
	pdb_u32(b, 0);
	pdb_u64(b, 0x1111);		/* config1 */
	if (a->size > 64)
		pdb_u64(b, 0x2222);	/* config2 */
	pdb_zero(b, at + a->size - b->len);
	if (a->monotonic)
		b->p[at + (b->swap ? 95 : 92)] = 1;	/* clockid */
}

void pdb_file(struct pdb *b, const struct pdb_attr *attrs, unsigned int nr, size_t entry,
	      const struct pdb *data, const struct pdb_feature *feat, unsigned int nr_feat)
{
	uint64_t ids_at, map[4] = { 0 }, at;
	size_t total_ids = 0, ids = 0;
	unsigned int i, j;

	for (i = 0; i < nr; i++)
		total_ids += attrs[i].nr_ids;
	if (!entry)
		entry = attrs[0].size + 16;
	for (i = 0; i < nr_feat; i++)
		map[feat[i].bit / 64] |= 1ULL << (feat[i].bit % 64);
	ids_at = 104;
	at = ids_at + total_ids * 8 + nr * entry;
	pdb_u64(b, 0x32454c4946524550ULL);
	pdb_u64(b, 104);
	pdb_u64(b, entry);
	pdb_u64(b, ids_at + total_ids * 8);
	pdb_u64(b, nr * entry);
	pdb_u64(b, at);
	pdb_u64(b, data->len);
	pdb_u64(b, 0);
	pdb_u64(b, 0);
	for (i = 0; i < 4; i++)
		pdb_u64(b, map[i]);
	for (i = 0; i < nr; i++)
		for (j = 0; j < attrs[i].nr_ids; j++)
			pdb_u64(b, attrs[i].ids[j]);
	for (i = 0; i < nr; i++) {
		size_t start = b->len;

		pdb_attr_body(b, &attrs[i]);
		pdb_zero(b, start + entry - 16 - b->len);
		pdb_u64(b, ids_at + ids * 8);
		pdb_u64(b, attrs[i].nr_ids * 8);
		ids += attrs[i].nr_ids;
	}
	pdb_bytes(b, data->p, data->len);
	at += data->len + nr_feat * 16;
	for (i = 0; i < nr_feat; i++) {
		pdb_u64(b, at);
		pdb_u64(b, feat[i].body->len);
		at += feat[i].body->len;
	}
	for (i = 0; i < nr_feat; i++)
		pdb_bytes(b, feat[i].body->p, feat[i].body->len);
}

void pdb_pipe_header(struct pdb *b)
{
	pdb_u64(b, 0x32454c4946524550ULL);
	pdb_u64(b, 16);
}

size_t pdb_begin(struct pdb *b, uint32_t type, uint16_t misc)
{
	size_t at = b->len;

	pdb_u32(b, type);
	pdb_u16(b, misc);
	pdb_u16(b, 0);
	return at;
}

static void store_size(struct pdb *b, size_t at)
{
	size_t size = b->len - at;

	b->p[at + 6] = (uint8_t)(b->swap ? size >> 8 : size);
	b->p[at + 7] = (uint8_t)(b->swap ? size : size >> 8);
}

void pdb_end(struct pdb *b, size_t at)
{
	pdb_zero(b, -(b->len - at) & 7);
	store_size(b, at);
}

void pdb_sid_put(struct pdb *b, uint64_t st, const struct pdb_sid *s)
{
	if (st & PERF_SAMPLE_TID) {
		pdb_u32(b, s->pid);
		pdb_u32(b, s->tid);
	}
	if (st & PERF_SAMPLE_TIME)
		pdb_u64(b, s->time);
	if (st & PERF_SAMPLE_ID)
		pdb_u64(b, s->id);
	if (st & PERF_SAMPLE_STREAM_ID)
		pdb_u64(b, s->id + 1000);
	if (st & PERF_SAMPLE_CPU) {
		pdb_u32(b, s->cpu);
		pdb_u32(b, 0);
	}
	if (st & PERF_SAMPLE_IDENTIFIER)
		pdb_u64(b, s->id);
}

void pdb_comm(struct pdb *b, uint32_t pid, uint32_t tid, const char *comm, uint64_t st,
	      const struct pdb_sid *s)
{
	size_t at = pdb_begin(b, PERF_RECORD_COMM, 0);

	pdb_u32(b, pid);
	pdb_u32(b, tid);
	pdb_str8(b, comm);
	pdb_sid_put(b, st, s);
	pdb_end(b, at);
}

void pdb_mmap2(struct pdb *b, uint32_t pid, uint64_t start, uint64_t len, uint64_t pgoff,
	       const char *name, uint64_t st, const struct pdb_sid *s)
{
	pdb_mmap2_prot(b, pid, start, len, pgoff, 5, name, st, s);
}

void pdb_mmap2_prot(struct pdb *b, uint32_t pid, uint64_t start, uint64_t len, uint64_t pgoff, uint32_t prot,
		    const char *name, uint64_t st, const struct pdb_sid *s)
{
	size_t at = pdb_begin(b, PERF_RECORD_MMAP2, 2);

	pdb_u32(b, pid);
	pdb_u32(b, pid);
	pdb_u64(b, start);
	pdb_u64(b, len);
	pdb_u64(b, pgoff);
	pdb_u32(b, 8);
	pdb_u32(b, 1);
	pdb_u64(b, 0x1234);
	pdb_u64(b, 0);
	pdb_u32(b, prot);
	pdb_u32(b, 2);
	pdb_str8(b, name);
	pdb_sid_put(b, st, s);
	pdb_end(b, at);
}

void pdb_aux(struct pdb *b, uint64_t offset, uint64_t size, uint64_t flags, uint64_t st,
	     const struct pdb_sid *s)
{
	size_t at = pdb_begin(b, PERF_RECORD_AUX, 0);

	pdb_u64(b, offset);
	pdb_u64(b, size);
	pdb_u64(b, flags);
	pdb_sid_put(b, st, s);
	pdb_end(b, at);
}

void pdb_auxtrace(struct pdb *b, uint64_t offset, const void *data, size_t len, uint32_t cpu,
		  uint32_t tid)
{
	size_t at = pdb_begin(b, 71, 0);

	pdb_u64(b, len);
	pdb_u64(b, offset);
	pdb_u64(b, 0xabcdef);
	pdb_u32(b, 3);
	pdb_u32(b, tid);
	pdb_u32(b, cpu);
	pdb_u32(b, 0);
	pdb_end(b, at);
	pdb_bytes(b, data, len);
}

void pdb_attr_record(struct pdb *b, const struct pdb_attr *a)
{
	size_t at = pdb_begin(b, 64, 0);
	unsigned int i;

	pdb_attr_body(b, a);
	for (i = 0; i < a->nr_ids; i++)
		pdb_u64(b, a->ids[i]);
	pdb_end(b, at);
}

void pdb_compressed(struct pdb *b, const struct pdb *raw, size_t piece, bool type2)
{
	ZSTD_CStream *z = ZSTD_createCStream();
	uint8_t out[32 << 10];
	size_t pos = 0;

	ZSTD_initCStream(z, 1);
	while (pos < raw->len) {
		size_t n = raw->len - pos < piece ? raw->len - pos : piece, at;
		ZSTD_inBuffer in = { raw->p + pos, n, 0 };
		ZSTD_outBuffer o = { out, sizeof(out), 0 };

		while (in.pos < in.size)
			ZSTD_compressStream(z, &o, &in);
		if (ZSTD_flushStream(z, &o))
			abort();	/* @piece is too large for the buffer */
		at = pdb_begin(b, type2 ? 83 : 81, 0);
		if (type2)
			pdb_u64(b, o.pos);
		pdb_bytes(b, out, o.pos);
		if (type2) {
			pdb_end(b, at);
		} else {
			store_size(b, at);	/* the old type is not padded */
		}
		pos += n;
	}
	ZSTD_freeCStream(z);
}
