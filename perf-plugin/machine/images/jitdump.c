/* SPDX-License-Identifier: GPL-2.0-only */
/* jitdump.c - parses jitdump files. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/path.h"
#include "machine/images/jitdump.h"
#include "perfdata/bytes.h"

#define JIT_MAGIC		0x4a695444u
#define JIT_MAGIC_SWAPPED	0x4454694au
#define JIT_VERSION		1u
#define JIT_ARCH_TIMESTAMP	1u
#define JIT_HEADER_SIZE		40u
#define JIT_PREFIX_SIZE		16u

enum jit_record {
	JIT_CODE_LOAD,
	JIT_CODE_MOVE,
};

/* Code by its index, to resolve later JIT_CODE_MOVE records. */
struct jit_index {
	uint64_t index;
	uint64_t nr;
	size_t code;
};

struct jit_move {
	uint64_t time, to, len, index, nr;
};

struct jit_reader {
	struct jitdump *jd;
	struct jit_index *index;
	size_t nr_index, cap_index;
	struct jit_move *move;
	size_t nr_move, cap_move;
	uint64_t nr;		/* records so far */
};

static int read_header(struct jitdump *jd, struct pd_cursor *c)
{
	uint32_t magic = pd_cur_u32(c), version, size;
	const uint8_t *start = c->p - 4;

	if (c->bad)
		return JITDUMP_SHORT;
	if (magic != JIT_MAGIC && magic != JIT_MAGIC_SWAPPED)
		return JITDUMP_MAGIC;
	jd->swap = c->swap = magic == JIT_MAGIC_SWAPPED;
	version = pd_cur_u32(c);
	size = pd_cur_u32(c);
	jd->machine = pd_cur_u32(c);
	pd_cur_u32(c);
	jd->pid = pd_cur_u32(c);
	pd_cur_u64(c);
	jd->arch_time = pd_cur_u64(c) & JIT_ARCH_TIMESTAMP;
	if (c->bad)
		return JITDUMP_SHORT;
	if (version != JIT_VERSION)
		return JITDUMP_VERSION;
	if (jd->machine != EM_AARCH64 && jd->machine != EM_ARM)
		return JITDUMP_MACHINE;
	if (size < JIT_HEADER_SIZE || size > jd->size)
		return JITDUMP_SHORT;
	c->p = start + size;
	return JITDUMP_OK;
}

static void add_event(struct jit_reader *r, uint64_t time, uint64_t addr, uint64_t len, uint64_t at,
		      uint64_t nr)
{
	struct jit_event *e = ARRAY_ADD(r->jd->ev, r->jd->nr_ev, r->jd->cap_ev);

	*e = (struct jit_event){ .time = time, .addr = addr, .len = len, .at = at, .nr = nr };
}

/* Reads the rest of a load record: the name with its terminator, then the code. */
static void read_load(struct jit_reader *r, struct pd_cursor *c, uint64_t time)
{
	struct jitdump *jd = r->jd;
	struct jit_index *ix;
	struct jit_code *code;
	uint64_t addr, size, index;
	const char *name;

	pd_cur_bytes(c, 16);	/* pid, tid, vma */
	addr = pd_cur_u64(c);
	size = pd_cur_u64(c);
	index = pd_cur_u64(c);
	name = pd_cur_text(c);
	if (!name || size > (uint64_t)(c->end - c->p) || addr > UINT64_MAX - size) {
		jd->bad_records++;
		return;
	}
	if (!size)
		return;
	code = ARRAY_ADD(jd->code, jd->nr_code, jd->cap_code);
	ix = ARRAY_ADD(r->index, r->nr_index, r->cap_index);
	jd->code_size = ((jd->code_size + 3) & ~3ull) + (addr & 3);
	*code = (struct jit_code){
		.at = jd->code_size, .size = size, .addr = addr, .name = name,
		.file_offset = (uint64_t)(c->p - jd->p),
	};
	*ix = (struct jit_index){ .index = index, .nr = r->nr, .code = jd->nr_code - 1 };
	jd->code_size += size;
	add_event(r, time, addr, size, code->at, r->nr);
}

static void read_move(struct jit_reader *r, struct pd_cursor *c, uint64_t time)
{
	struct jit_move *m = ARRAY_ADD(r->move, r->nr_move, r->cap_move);

	pd_cur_bytes(c, 16);	/* pid, tid, vma */
	pd_cur_u64(c);		/* old address */
	m->time = time;
	m->to = pd_cur_u64(c);
	m->len = pd_cur_u64(c);
	m->index = pd_cur_u64(c);
	m->nr = r->nr;
	if (c->bad || !m->len || m->to > UINT64_MAX - m->len) {
		r->nr_move--;
		r->jd->bad_records += c->bad || m->len;
	}
}

static void read_record(struct jit_reader *r, struct pd_cursor *c)
{
	uint32_t id = pd_cur_u32(c), size = pd_cur_u32(c);
	struct pd_cursor body;
	uint64_t time = pd_cur_u64(c);

	if (c->bad || size < JIT_PREFIX_SIZE || size - JIT_PREFIX_SIZE > (uint64_t)(c->end - c->p)) {
		c->bad = true;
		return;
	}
	body = *c;
	body.end = c->p + (size - JIT_PREFIX_SIZE);
	if (id == JIT_CODE_LOAD)
		read_load(r, &body, time);
	else if (id == JIT_CODE_MOVE)
		read_move(r, &body, time);
	/* debug, unwinding and unknown records have no code */
	c->p += size - JIT_PREFIX_SIZE;
	r->nr++;
}

static int compare_index(const void *a, const void *b)
{
	const struct jit_index *x = a, *y = b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* Returns the last code with this index that was loaded before record `nr`. */
static const struct jit_code *code_by_index(const struct jit_reader *r, uint64_t index, uint64_t nr)
{
	size_t lo = 0, hi = r->nr_index;

	BISECT(lo, hi, mid, r->index[mid].index < index || (r->index[mid].index == index && r->index[mid].nr < nr));
	if (!lo || r->index[lo - 1].index != index)
		return NULL;
	return &r->jd->code[r->index[lo - 1].code];
}

static void add_moves(struct jit_reader *r)
{
	const struct jit_code *code;
	size_t i;

	if (r->nr_move && r->nr_index)
		qsort(r->index, r->nr_index, sizeof(*r->index), compare_index);
	for (i = 0; i < r->nr_move; i++) {
		const struct jit_move *m = &r->move[i];

		code = code_by_index(r, m->index, m->nr);
		/* code can be moved only to an address with the same offset in a word */
		if (!code || m->len > code->size || ((m->to ^ code->addr) & 3)) {
			r->jd->bad_records++;
			continue;
		}
		add_event(r, m->time, m->to, m->len, code->at, m->nr);
	}
}

static int compare_events(const void *a, const void *b)
{
	const struct jit_event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

int jitdump_read(struct jitdump *jd, const uint8_t *p, size_t size)
{
	struct pd_cursor c = { .p = p, .end = p + size };
	struct jit_reader r = { .jd = jd };
	int err;

	memset(jd, 0, sizeof(*jd));
	jd->p = p;
	jd->size = size;
	err = read_header(jd, &c);
	if (err)
		return err;
	while (c.p < c.end) {
		const uint8_t *start = c.p;

		read_record(&r, &c);
		if (c.bad) {
			jd->bad_records++;
			jd->lost_bytes = (uint64_t)(c.end - start);
			break;
		}
	}
	add_moves(&r);
	ARRAY_SORT(jd->ev, jd->nr_ev, compare_events);
	free(r.index);
	free(r.move);
	return JITDUMP_OK;
}

void jitdump_free(struct jitdump *jd)
{
	free(jd->ev);
	free(jd->code);
	memset(jd, 0, sizeof(*jd));
}

uint8_t *jitdump_code(const struct jitdump *jd)
{
	uint8_t *out = mem_zeroed(1, jd->code_size ? jd->code_size : 1);
	size_t i;

	for (i = 0; i < jd->nr_code; i++)
		memcpy(out + jd->code[i].at, jd->p + jd->code[i].file_offset, jd->code[i].size);
	return out;
}

size_t jitdump_within(const struct jitdump *jd, uint64_t start, uint64_t end)
{
	size_t i, n = 0;

	for (i = 0; i < jd->nr_ev; i++)
		n += jd->ev[i].addr < end && jd->ev[i].addr + jd->ev[i].len > start;
	return n;
}

const char *jitdump_error_text(int error)
{
	static const char *const text[] = {
		[JITDUMP_OK] = "no error",
		[JITDUMP_SHORT] = "it ends inside its header; is the copy complete?",
		[JITDUMP_MAGIC] = "it does not start with the magic number of a jitdump file (JiTD)",
		[JITDUMP_VERSION] = "its version is not 1",
		[JITDUMP_MACHINE] = "its code is not for Arm",
	};

	return text[error];
}

int jitdump_path_pid(const char *path)
{
	const char *base = path_base(path);
	char *end;
	long pid;

	if (strncmp(base, "jit-", 4) || base[4] < '0' || base[4] > '9')
		return -1;
	pid = strtol(base + 4, &end, 10);
	return strcmp(end, ".dump") || pid < 0 || pid > INT32_MAX ? -1 : (int)pid;
}
