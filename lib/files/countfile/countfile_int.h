/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * countfile_int.h - what reader and writer of count files share: the layout of the file (man page cstrace-profile(5)), and the
 * last record with the rules for the next one.
 */
#ifndef CST_LIB_FILES_COUNTFILE_COUNTFILE_INT_H
#define CST_LIB_FILES_COUNTFILE_COUNTFILE_INT_H

#include <cstrace/files/countfile.h>

#include "files/countfile/number.h"

#define FILE_HEADER	16
#define BLOCK_HEADER	12	/* bytes that follow, their complement, digest */
#define BLOCK_MAX	32768	/* bytes of a block's content */
#define END_CONTENT	8	/* number of records */
/* The longest record: a binary, with the begin of its table. */
#define RECORD_MAX	(CST_COUNT_NAME_MAX + CST_COUNT_ID_MAX + 8 * NUMBER_MAX)

extern const uint8_t cst_count_file_header[FILE_HEADER];

/* First byte of a BINARY table's entries: a segment, or this plus kind and length of an id. */
#define ENTRY_SEGMENT	1u
#define ENTRY_BINARY	2u

/* Which fields of a node are given, and not those of its parent or of the call. */
enum node_flags {
	NODE_KIND = 7,		/* mask of enum cst_count_node_kind */
	NODE_FROM_BINARY = 8,	/* from_binary is not the parent's binary */
	NODE_BINARY = 16,	/* binary is not from_binary */
	NODE_FROM_OUTSIDE = 32,
	NODE_ENTRY_OUTSIDE = 64,
	NODE_ALL = 127,
};

/* A node without its counts: siblings differ in these. */
struct count_node {
	uint64_t from, entry;
	uint32_t from_binary, binary;
	uint8_t kind;
};

/* The last record of a file, as far as the rules for the next one and its encoding depend on it. */
struct count_state {
	/* what every record of counts or calls needs, in one line of the cache: a merge has many of these */
	uint64_t at, to;		/* start, from or offset; last or to */
	uint64_t records;
	uint32_t binaries;
	uint32_t binary;		/* of counts; of the last table of counts even behind it */
	uint32_t levels;		/* of the path */
	size_t levels_cap;
	struct count_node *path;	/* the last node and its ancestors, by depth */
	uint8_t kind;			/* 0: there is none yet */
	uint8_t flags;			/* of a range */
	uint8_t has_segment;		/* the last binary has one */
	uint8_t id_kind, id_len, id[CST_COUNT_ID_MAX];
	struct cst_count_segment segment;
	char name[CST_COUNT_TOTAL_MAX + 1];	/* of a total */
	const char *what;		/* what the last check found and expected */
};

/* The table in which a record is: its kind; segments are in that of the binaries. */
static inline uint8_t count_table(const struct cst_count_record *rec)
{
	return rec->kind == CST_COUNT_SEGMENT ? CST_COUNT_BINARY : rec->kind;
}

/* Tables of these kinds belong to a binary. */
static inline int count_of_binary(unsigned int kind)
{
	return kind >= CST_COUNT_RANGE && kind <= CST_COUNT_ENTRY;
}

/* The parent of a node at `depth`, for depth 0 one without place. */
const struct count_node *cst_count_parent(const struct count_state *s, uint32_t depth);
/*
 * Returns 0 if the record can follow the last one, -CST_ERR_INVAL with s->what if it cannot, or -CST_ERR_NOMEM. Makes room
 * for it in the path.
 */
int cst_count_check(struct count_state *s, const struct cst_count_record *rec);
/* Makes a record that was checked the last one. */
void cst_count_advance(struct count_state *s, const struct cst_count_record *rec);

/* The count of a record, for the kinds that have one; NULL for others. */
static inline uint64_t *count_value(const struct cst_count_record *rec)
{
	static const uint8_t at[CST_COUNT_NODE + 1] = {
		[CST_COUNT_TOTAL] = offsetof(struct cst_count_record, total.value),
		[CST_COUNT_RANGE] = offsetof(struct cst_count_record, range.count),
		[CST_COUNT_NOT_TAKEN] = offsetof(struct cst_count_record, not_taken.count),
		[CST_COUNT_EDGE] = offsetof(struct cst_count_record, edge.count),
		[CST_COUNT_ENTRY] = offsetof(struct cst_count_record, entry.count),
	};

	return at[rec->kind] ? (uint64_t *)((char *)rec + at[rec->kind]) : NULL;
}

/* Offsets that those of a node are relative to: a call to the begin of its function, a callee in the same binary to the call. */
static inline uint64_t count_from_base(unsigned int flags, const struct count_node *parent)
{
	return flags & NODE_FROM_BINARY || parent->entry == CST_COUNT_OUTSIDE ? 0 : parent->entry;
}

static inline uint64_t count_entry_base(unsigned int flags, uint64_t from)
{
	return flags & (NODE_BINARY | NODE_FROM_OUTSIDE) ? 0 : from;
}

static inline struct count_node count_node_of(const struct cst_count_node *n)
{
	struct count_node key = { n->from, n->entry, n->from_binary, n->binary, n->kind };

	return key;
}

#endif
