/* SPDX-License-Identifier: BSD-3-Clause */
/* state.c - the rules for a record of a count file: its fields, and its place behind the last record. */
#include <string.h>

#include "base/grow.h"
#include "files/countfile/countfile_int.h"

#define SURELY(condition) __builtin_expect(!!(condition), 1)

/* CST_COUNT_MARK, version, size of this header, 0. */
const uint8_t cst_count_file_header[FILE_HEADER] = {
	'C', 'S', 'T', 'C', 'N', 'T', '\r', '\n', CST_COUNT_VERSION, 0, FILE_HEADER, 0, 0, 0, 0, 0
};

static int refuse(struct count_state *s, const char *what)
{
	s->what = what;
	return -CST_ERR_INVAL;
}

static int check_total(struct count_state *s, const struct cst_count_total *t)
{
	size_t len = t->name ? strnlen(t->name, CST_COUNT_TOTAL_MAX + 1) : 0;

	if (!len || len > CST_COUNT_TOTAL_MAX)
		return refuse(s, "length of a total's name; expected 1 to 255");
	if (s->kind && strcmp(t->name, s->name) <= 0)
		return refuse(s, "a total whose name is not above the last one's");
	return 0;
}

static int compare_id(const struct count_state *s, const struct cst_count_binary *b)
{
	if (b->id_kind != s->id_kind)
		return b->id_kind < s->id_kind ? -1 : 1;
	if (b->id_len != s->id_len)
		return b->id_len < s->id_len ? -1 : 1;
	return memcmp(b->id, s->id, b->id_len);
}

static int check_binary(struct count_state *s, const struct cst_count_binary *b)
{
	size_t len = b->name ? strnlen(b->name, CST_COUNT_NAME_MAX + 1) : 0;

	if (b->id_kind > CST_COUNT_ID_NAME)
		return refuse(s, "kind of a binary's id; expected 0 to 2");
	if (!b->id_len || b->id_len > CST_COUNT_ID_MAX)
		return refuse(s, "length of a binary's id; expected 1 to 20");
	if (b->type > CST_COUNT_MEMORY)
		return refuse(s, "type of a binary; expected 0 to 4");
	if (!len || len > CST_COUNT_NAME_MAX)
		return refuse(s, "length of a binary's name; expected 1 to 4095");
	if (s->binaries == CST_COUNT_NO_BINARY)
		return refuse(s, "more binaries than there are numbers for");
	if (s->binaries && compare_id(s, b) <= 0)
		return refuse(s, "a binary whose id is not above the last one's");
	return 0;
}

static int check_segment(struct count_state *s, const struct cst_count_segment *g)
{
	const struct cst_count_segment *last = &s->segment;

	if (!s->binaries)
		return refuse(s, "a segment before the first binary");
	if (g->exec > 1)
		return refuse(s, "whether a segment is executable; expected 0 or 1");
	if (g->offset == CST_COUNT_OUTSIDE || g->size > UINT64_MAX - g->offset)
		return refuse(s, "a segment beyond the largest offset");
	if (!s->has_segment || g->offset > last->offset)
		return 0;
	if (g->offset == last->offset && (g->size > last->size || (g->size == last->size && (g->vaddr > last->vaddr ||
	    (g->vaddr == last->vaddr && g->exec > last->exec)))))
		return 0;
	return refuse(s, "a segment that is not behind the last one by offset, size, address");
}

/* Sizes of instructions (DDI 0487, F1.1, C1.1): 4 bytes, in T32 2 or 4. */
static int check_insns(const struct cst_count_range *r)
{
	uint64_t bytes = r->last - r->start, before = (uint64_t)r->insns - 1;

	if (!(r->flags & CST_COUNT_T32))
		return bytes == 4 * before;
	return !(bytes & 1) && bytes >= 2 * before && bytes <= 4 * before;
}

static int check_range(struct count_state *s, const struct cst_count_range *r, int same_table)
{
	if (r->flags > (CST_COUNT_T32 | CST_COUNT_ARRIVED))
		return refuse(s, "flags of a range; expected 0 to 3");
	if (r->start > r->last || r->last == CST_COUNT_OUTSIDE)
		return refuse(s, "the last instruction of a range; expected an offset from its start on");
	if (!r->insns || !check_insns(r))
		return refuse(s, "instructions of a range; expected as many as fit into its bytes");
	if (SURELY(!same_table || r->start > s->at))
		return 0;
	if (r->start == s->at && (r->last > s->to || (r->last == s->to && r->flags > s->flags)))
		return 0;
	return refuse(s, "a range that is not behind the last one by start, last, flags");
}

static int check_offset(struct count_state *s, uint64_t offset, int same_table)
{
	if (offset == CST_COUNT_OUTSIDE)
		return refuse(s, "an offset beyond the largest one");
	if (same_table && offset <= s->at)
		return refuse(s, "an offset that is not above the last one");
	return 0;
}

static int check_edge(struct count_state *s, const struct cst_count_edge *e, int same_table)
{
	if (e->from == CST_COUNT_OUTSIDE)
		return refuse(s, "an edge from beyond the largest offset");
	if (SURELY(!same_table || e->from > s->at || (e->from == s->at && e->to > s->to)))
		return 0;
	return refuse(s, "an edge that is not behind the last one by from, to");
}

/* The four kinds of counts. */
static int check_counts(struct count_state *s, const struct cst_count_record *rec)
{
	/* Their `binary` is the first member of each. */
	uint32_t binary = rec->range.binary;
	int same_binary = count_of_binary(s->kind) && binary == s->binary;
	int same_table = same_binary && rec->kind == s->kind;

	if (binary >= s->binaries)
		return refuse(s, "number of a binary; expected less than the number of binaries");
	if (count_of_binary(s->kind) && (binary < s->binary || (same_binary && rec->kind < s->kind)))
		return refuse(s, "counts that are not behind the last ones by binary, kind");
	switch (rec->kind) {
	case CST_COUNT_RANGE:
		return check_range(s, &rec->range, same_table);
	case CST_COUNT_NOT_TAKEN:
		if (rec->not_taken.size != 2 && rec->not_taken.size != 4)
			return refuse(s, "size of a branch; expected 2 or 4");
		return check_offset(s, rec->not_taken.offset, same_table);
	case CST_COUNT_EDGE:
		return check_edge(s, &rec->edge, same_table);
	default:
		return check_offset(s, rec->entry.offset, same_table);
	}
}

const struct count_node *cst_count_parent(const struct count_state *s, uint32_t depth)
{
	static const struct count_node none = { 0, 0, CST_COUNT_NO_BINARY, CST_COUNT_NO_BINARY, CST_COUNT_ROOT };

	return depth ? &s->path[depth - 1] : &none;
}

/* Order of nodes below one parent: negative, 0, positive. */
static int node_order(const struct count_node *a, const struct count_node *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->from_binary != b->from_binary)
		return a->from_binary < b->from_binary ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->binary != b->binary)
		return a->binary < b->binary ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static int check_place(struct count_state *s, uint32_t binary, uint64_t place)
{
	if (binary == CST_COUNT_NO_BINARY && place != CST_COUNT_OUTSIDE)
		return refuse(s, "a place of a node in no binary");
	if (binary != CST_COUNT_NO_BINARY && binary >= s->binaries)
		return refuse(s, "number of a node's binary; expected less than the number of binaries");
	return 0;
}

static int check_node(struct count_state *s, const struct cst_count_node *n)
{
	struct count_node key = count_node_of(n);
	int err;

	if (n->kind > CST_COUNT_CUT)
		return refuse(s, "kind of a node; expected 0 to 5");
	if (n->depth > s->levels || n->depth > CST_COUNT_DEPTH_MAX)
		return refuse(s, "depth of a node; expected at most one more than the last one's");
	if (n->depth ? n->kind == CST_COUNT_ROOT : n->kind != CST_COUNT_ROOT && n->kind != CST_COUNT_CUT)
		return refuse(s, "depth of a node; expected 0 for a root, and for no others");
	if (n->depth && cst_count_parent(s, n->depth)->kind == CST_COUNT_CUT)
		return refuse(s, "a node below a cut");
	if (n->kind == CST_COUNT_ROOT && n->from_binary != CST_COUNT_NO_BINARY)
		return refuse(s, "a root with a place of the call");
	if (n->kind == CST_COUNT_CUT && n->binary != CST_COUNT_NO_BINARY)
		return refuse(s, "a cut with a callee");
	err = check_place(s, n->from_binary, n->from);
	if (!err)
		err = check_place(s, n->binary, n->entry);
	if (err)
		return err;
	if (n->depth < s->levels && node_order(&key, &s->path[n->depth]) <= 0)
		return refuse(s, "a node that is not behind the last one beside it");
	return array_reserve(&s->path, &s->levels_cap, (size_t)n->depth + 1, sizeof(*s->path));
}

/* Of kinds in the order of the file; counts are of one rank, whose order check_counts() has. */
static unsigned int rank(unsigned int kind)
{
	return kind == CST_COUNT_SEGMENT ? CST_COUNT_BINARY : count_of_binary(kind) ? CST_COUNT_RANGE : kind;
}

int cst_count_check(struct count_state *s, const struct cst_count_record *rec)
{
	if (!rec->kind || rec->kind > CST_COUNT_NODE)
		return refuse(s, "kind of a record; expected 1 to 8");
	if (rank(rec->kind) < rank(s->kind))
		return refuse(s, "a record of a kind that comes before the last one's");
	switch (rec->kind) {
	case CST_COUNT_TOTAL:
		return check_total(s, &rec->total);
	case CST_COUNT_BINARY:
		return check_binary(s, &rec->binary);
	case CST_COUNT_SEGMENT:
		return check_segment(s, &rec->segment);
	case CST_COUNT_NODE:
		return check_node(s, &rec->node);
	default:
		return check_counts(s, rec);
	}
}

static void advance_binary(struct count_state *s, const struct cst_count_binary *b)
{
	s->id_kind = b->id_kind;
	s->id_len = b->id_len;
	memcpy(s->id, b->id, b->id_len);
	s->has_segment = 0;
	s->segment.offset = 0;	/* the next one is written as the difference to it */
	s->binaries++;
}

void cst_count_advance(struct count_state *s, const struct cst_count_record *rec)
{
	s->records++;
	s->kind = rec->kind;
	switch (rec->kind) {
	case CST_COUNT_TOTAL:
		strcpy(s->name, rec->total.name);
		break;
	case CST_COUNT_BINARY:
		advance_binary(s, &rec->binary);
		break;
	case CST_COUNT_SEGMENT:
		s->segment = rec->segment;
		s->has_segment = 1;
		break;
	case CST_COUNT_RANGE:
		s->binary = rec->range.binary;
		s->at = rec->range.start;
		s->to = rec->range.last;
		s->flags = rec->range.flags;
		break;
	case CST_COUNT_NOT_TAKEN:
		s->binary = rec->not_taken.binary;
		s->at = rec->not_taken.offset;
		break;
	case CST_COUNT_EDGE:
		s->binary = rec->edge.binary;
		s->at = rec->edge.from;
		s->to = rec->edge.to;
		break;
	case CST_COUNT_ENTRY:
		s->binary = rec->entry.binary;
		s->at = rec->entry.offset;
		break;
	case CST_COUNT_NODE:
		s->path[rec->node.depth] = count_node_of(&rec->node);
		s->levels = rec->node.depth + 1;
		break;
	}
}
