/* SPDX-License-Identifier: GPL-2.0-only */
/* phone.c - takes kernel symbols and places of modules out of the records and sections of simpleperf. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/messages.h"
#include "machine/sideband/side_events.h"
#include "perfdata/simpleperf.h"

/* No /proc/kallsyms is larger: it has about 200,000 lines. Compressed records may expand to any size. */
#define SYMBOLS_MAX (128u << 20)

void phone_free(struct phone *p)
{
	free(p->piece);
	memset(p, 0, sizeof(*p));
}

/* The text of a KERNEL_SYMBOL record of `len` bytes. The first one counts. */
static void take_symbols(struct side_events *se, const void *record, size_t len)
{
	const struct pd_record_sp_kernel_symbol *r = record;
	struct kernel_images *k = se->kernel;
	size_t fixed = offsetof(struct pd_record_sp_kernel_symbol, text), n;

	if (len < fixed || k->recorded_kallsyms)
		return;
	n = r->size;
	if (n > len - fixed) {
		se->bad_records++;
		return;
	}
	if (!n)
		return;
	k->recorded_kallsyms = mem_new(n);
	memcpy(k->recorded_kallsyms, r->text, n);
	k->recorded_kallsyms_len = n;
}

static void add_piece(struct phone *p, const uint8_t *bytes, size_t n)
{
	if (p->too_long || n > SYMBOLS_MAX - p->len) {
		p->too_long = 1;
		return;
	}
	array_room(&p->piece, p->len, n, &p->cap, 1);
	if (n)
		memcpy(p->piece + p->len, bytes, n);
	p->len += n;
}

/* The pieces are one record now. Others than that with the kernel's symbols are not of use here. */
static void end_pieces(struct side_events *se)
{
	struct phone *p = &se->phone;
	struct perf_event_header h;

	if (p->too_long || p->len < sizeof(h)) {
		se->bad_records++;
	} else {
		memcpy(&h, p->piece, sizeof(h));
		if (h.type == PD_RECORD_SP_KERNEL_SYMBOL)
			take_symbols(se, p->piece, p->len);
	}
	phone_free(p);
}

void phone_record(struct side_events *se, const struct pd_record *rec)
{
	const struct perf_event_header *h = &rec->ev->header;

	/* Phones are little-endian; nobody has seen what another byte order would look like. */
	if (perfdata_is_swapped(se->pd))
		return;
	switch (h->type) {
	case PD_RECORD_SP_KERNEL_SYMBOL:
		take_symbols(se, rec->ev, h->size);
		return;
	case PD_RECORD_SP_SPLIT:
		add_piece(&se->phone, (const uint8_t *)(h + 1), h->size - sizeof(*h));
		return;
	case PD_RECORD_SP_SPLIT_END:
		end_pieces(se);
		return;
	}
}

/* FILE2, or FILE of older recorders: of a module they have a place in .text and where it was in memory. */
static void read_files(struct side_events *se, unsigned int feature)
{
	const struct pd_feature_bytes *raw = &perfdata_env(se->pd)->raw[feature];
	struct pd_sp_files files;
	struct pd_sp_file f;
	char path[4096];
	int rc;

	if (!raw->ptr)
		return;
	pd_sp_files_start(&files, raw->ptr, raw->len, feature == PD_FEAT_SP_FILE, perfdata_is_swapped(se->pd));
	while ((rc = pd_sp_files_next(&files, &f)) > 0) {
		/* Both are 0 where the recorder did not find the module's file. */
		if (f.type != PD_SP_MODULE || !f.has_offset || (!f.vaddr && !f.offset) || f.path_len >= sizeof(path) ||
		    memchr(f.path, 0, f.path_len))
			continue;
		memcpy(path, f.path, f.path_len);
		path[f.path_len] = 0;
		dso_table_set_text(se->dsos, path, f.vaddr, f.offset);
	}
	if (rc < 0) {
		fprintf(message_stream(), "cstrace: %s: offset 0x%llx: feature %u (%s): the entry at 0x%llx is damaged: where the "
			"modules from there on were is not known; give the kernel's symbols with --kallsyms\n", se->name,
			(unsigned long long)raw->offset, feature, pd_feature_name(feature),
			(unsigned long long)(raw->offset + (uint64_t)(files.entry - raw->ptr)));
		se->bad_records++;
	}
}

void phone_finish(struct side_events *se)
{
	if (se->phone.len || se->phone.too_long)
		se->bad_records++;	/* its last piece is missing */
	phone_free(&se->phone);
	/* Recorders write one of the two. */
	read_files(se, PD_FEAT_SP_FILE);
	read_files(se, PD_FEAT_SP_FILE2);
}
