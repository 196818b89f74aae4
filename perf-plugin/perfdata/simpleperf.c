/* SPDX-License-Identifier: GPL-2.0-only */
/* simpleperf.c - reads the entries of simpleperf's sections FILE and FILE2. */
#include "perfdata/simpleperf.h"

#include "perfdata/wire.h"

enum { FIELD_PATH = 1, FIELD_TYPE = 2, FIELD_VADDR = 3, FIELD_ELF = 6, FIELD_MODULE = 7 };
enum { FIELD_OFFSET = 1 };	/* of the inner messages */

void pd_sp_files_start(struct pd_sp_files *r, const uint8_t *p, uint64_t len, bool old, bool swap)
{
	*r = (struct pd_sp_files){ .c = { .p = p, .end = p + len, .swap = swap }, .old = old, .entry = p };
}

/* The inner message of an ELF file or a module. A field whose value is 0 is left out. */
static bool read_place(struct pd_cursor *c, struct pd_sp_file *f)
{
	struct wire_field in;

	f->has_offset = true;
	while (wire_next(c, &in))
		if (in.number == FIELD_OFFSET && in.wire == WIRE_VARINT)
			f->offset = in.value;
	return !c->bad;
}

static bool read_message(struct pd_cursor *c, struct pd_sp_file *f)
{
	struct wire_field in;

	while (wire_next(c, &in)) {
		if (in.number == FIELD_PATH && in.wire == WIRE_BYTES) {
			f->path = (const char *)in.bytes.p;
			f->path_len = (size_t)(in.bytes.end - in.bytes.p);
		} else if (in.number == FIELD_TYPE && in.wire == WIRE_VARINT) {
			f->type = (uint32_t)in.value;
		} else if (in.number == FIELD_VADDR && in.wire == WIRE_VARINT) {
			f->vaddr = in.value;
		} else if ((in.number == FIELD_ELF || in.number == FIELD_MODULE) && in.wire == WIRE_BYTES &&
			   !read_place(&in.bytes, f)) {
			return false;
		}
	}
	return !c->bad && f->path;
}

static bool read_old(struct pd_cursor *c, struct pd_sp_file *f)
{
	uint32_t symbols, places;

	f->path = pd_cur_text(c);
	f->path_len = f->path ? strlen(f->path) : 0;
	f->type = pd_cur_u32(c);
	f->vaddr = pd_cur_u64(c);
	for (symbols = pd_cur_u32(c); symbols && !c->bad; symbols--) {
		pd_cur_u64(c);
		pd_cur_u32(c);
		pd_cur_text(c);
	}
	if (f->type == PD_SP_DEX) {
		places = pd_cur_u32(c);
		pd_cur_bytes(c, (uint64_t)places * 8);
	} else if ((f->type == PD_SP_ELF || f->type == PD_SP_MODULE) && c->p != c->end) {
		f->offset = pd_cur_u64(c);
		f->has_offset = f->offset != UINT64_MAX;
	}
	return !c->bad;
}

int pd_sp_files_next(struct pd_sp_files *r, struct pd_sp_file *f)
{
	struct pd_cursor in = { .swap = r->c.swap };
	uint32_t len;

	memset(f, 0, sizeof(*f));
	if (r->c.bad)
		return -1;
	if (r->c.p == r->c.end)
		return 0;
	r->entry = r->c.p;
	len = pd_cur_u32(&r->c);
	in.p = pd_cur_bytes(&r->c, len);
	in.end = r->c.p;
	if (r->c.bad)
		return -1;
	if (r->old ? !read_old(&in, f) : !read_message(&in, f))
		r->c.bad = true;
	return r->c.bad ? -1 : 1;
}
