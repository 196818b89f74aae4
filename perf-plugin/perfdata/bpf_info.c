/* SPDX-License-Identifier: GPL-2.0-only */
/* bpf_info.c - walks the arrays of a bpf_prog_info, whose size differs between kernels. */
#include "perfdata/bpf_info.h"

#include <linux/bpf.h>

/* Which arrays came along: bits of perf_bpil.arrays. */
enum bpil_array {
	BPIL_JITED_INSNS	= 0,
	BPIL_JITED_KSYMS	= 3,
	BPIL_JITED_FUNC_LENS	= 4,
	BPIL_PROG_TAGS		= 8,
};

/* Recorders from before a field was there wrote a shorter structure: the field is zero then. */
static uint32_t info32(const struct pd_bpf_reader *r, size_t at)
{
	uint32_t v = 0;

	if (at + sizeof(v) <= r->info_len)
		v = pd_load32(r->info + at);
	return r->c.swap ? __builtin_bswap32(v) : v;
}

static uint64_t info64(const struct pd_bpf_reader *r, size_t at)
{
	uint64_t v = 0;

	if (at + sizeof(v) <= r->info_len)
		v = pd_load64(r->info + at);
	return r->c.swap ? __builtin_bswap64(v) : v;
}

#define INFO32(r, field) info32(r, offsetof(struct bpf_prog_info, field))
#define INFO64(r, field) info64(r, offsetof(struct bpf_prog_info, field))

/* An array of `nr` entries in the program's data; NULL when it is not there or does not fit. */
static const uint8_t *array(const struct pd_bpf_reader *r, enum bpil_array bit, uint64_t at, uint64_t nr,
			    size_t size)
{
	if (!(r->arrays >> bit & 1) || at > r->data_len || nr > (r->data_len - at) / size)
		return NULL;
	return r->data + at;
}

void pd_bpf_start(struct pd_bpf_reader *r, const uint8_t *p, uint64_t len, bool swap)
{
	memset(r, 0, sizeof(*r));
	r->c = (struct pd_cursor){ .p = p, .end = p + len, .swap = swap };
	r->progs = pd_cur_u32(&r->c);
}

static bool next_prog(struct pd_bpf_reader *r)
{
	uint32_t syms, lens;

	r->progs--;
	r->info_len = pd_cur_u32(&r->c);
	r->data_len = pd_cur_u32(&r->c);
	r->arrays = pd_cur_u64(&r->c);
	r->info = pd_cur_bytes(&r->c, r->info_len);
	r->data = pd_cur_bytes(&r->c, r->data_len);
	r->next_func = 0;
	r->code_pos = 0;
	if (r->c.bad)
		return false;
	syms = INFO32(r, nr_jited_ksyms);
	lens = INFO32(r, nr_jited_func_lens);
	r->nr_funcs = syms < lens ? syms : lens;
	return true;
}

static void copy_tag(const struct pd_bpf_reader *r, uint32_t nr, uint8_t tag[PD_BPF_TAG])
{
	const uint8_t *tags = array(r, BPIL_PROG_TAGS, INFO64(r, prog_tags), INFO32(r, nr_prog_tags),
				    PD_BPF_TAG);
	size_t at = offsetof(struct bpf_prog_info, tag);

	memset(tag, 0, PD_BPF_TAG);
	if (tags && nr < INFO32(r, nr_prog_tags))
		memcpy(tag, tags + (size_t)nr * PD_BPF_TAG, PD_BPF_TAG);
	else if (at + PD_BPF_TAG <= r->info_len)
		memcpy(tag, r->info + at, PD_BPF_TAG);
}

/* False: this program has no code that fits its own description. */
static bool next_func(struct pd_bpf_reader *r, struct pd_bpf_func *f)
{
	const uint8_t *syms, *lens, *code;
	uint32_t code_len = INFO32(r, jited_prog_len), nr = r->next_func++;
	size_t at = offsetof(struct bpf_prog_info, name);

	syms = array(r, BPIL_JITED_KSYMS, INFO64(r, jited_ksyms), INFO32(r, nr_jited_ksyms), 8);
	lens = array(r, BPIL_JITED_FUNC_LENS, INFO64(r, jited_func_lens), INFO32(r, nr_jited_func_lens), 4);
	code = array(r, BPIL_JITED_INSNS, INFO64(r, jited_prog_insns), code_len, 1);
	if (!syms || !lens || !code)
		return false;
	memset(f, 0, sizeof(*f));
	f->addr = pd_load64(syms + (size_t)nr * 8);
	f->len = pd_load32(lens + (size_t)nr * 4);
	if (r->c.swap) {
		f->addr = __builtin_bswap64(f->addr);
		f->len = __builtin_bswap32(f->len);
	}
	if (f->len > code_len - r->code_pos)
		return false;
	f->code = code + r->code_pos;
	r->code_pos += f->len;
	f->prog_id = INFO32(r, id);
	f->nr = nr;
	copy_tag(r, nr, f->tag);
	if (at + PD_BPF_NAME <= r->info_len)
		memcpy(f->name, r->info + at, PD_BPF_NAME);
	return true;
}

int pd_bpf_next(struct pd_bpf_reader *r, struct pd_bpf_func *f)
{
	for (;;) {
		while (r->next_func < r->nr_funcs) {
			if (next_func(r, f))
				return 1;
			r->nr_funcs = 0;
		}
		if (r->c.bad)
			return -1;
		if (!r->progs)
			return 0;
		if (!next_prog(r))
			return -1;
	}
}
