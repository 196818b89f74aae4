/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * index_book.h - the indexes of an input: the file that keeps them, whether they belong to the trace, making them.
 */
#ifndef CSTRACE_SESSION_INDEXES_INDEX_BOOK_H
#define CSTRACE_SESSION_INDEXES_INDEX_BOOK_H

#include <stdbool.h>

#include <cstrace/cstrace.h>

struct session_fragment;

/* A buffer, or an AUX fragment of one, with the tree that is to decode it. */
struct index_section {
	char name[128];
	const uint8_t *data;
	uint64_t offset, size;
	struct cst_tree *tree;
	bool by_world;		/* the code depends on whose it is: the recorded system's, a guest's, Secure state's */
};

struct index_book {
	const char *who;	/* "cstrace dump": begins messages */
	char *path;		/* NULL: the input has no place for a file */
	bool keep;		/* the file stays as it is: the user named it, or what is made is not for all streams */
	bool reported;		/* why it is not used */
	bool added;		/* something was made for options that the file had none for */
	bool *dropped;		/* which indexes of the file are no good */
	bool no_trace;		/* the file alone is looked at: nothing can be made */
	bool was_read;		/* the file at path was read and is recorded as input */
	bool refused;		/* an index was there and could not be used */
	int only_id;		/* -1: all */
	struct cst_index_opts opts;
	struct cst_index_file *file;
	struct cst_index **made;
	size_t nr_made, cap_made;
};

/* `input`: perf.data or a folder; `file`: the user's choice, or NULL. */
void index_book_init(struct index_book *b, const char *who, const char *input, const char *file);
void index_book_free(struct index_book *b);
/* Read the file. 1: there is one; 0: none; ERR_REPORTED: refused or, if not `refused`, it cannot be read. */
int index_book_read(struct index_book *b);
/* The section that a fragment of perf.data is, without its tree. Valid as long as the fragment is being decoded. */
void index_book_section(struct index_section *s, const struct session_fragment *f);
/*
 * Returns the valid index of a section. An invalid index in the file is reported and built again in memory. A valid one
 * for other options is reported and kept, and one for the present options is built in memory.
 */
const struct cst_index *index_book_get(struct index_book *b, const struct index_section *s);
/* Returns `ix` if the buffer's block at `start` has the indexed content; else, after a message, an index built again. */
const struct cst_index *index_book_check(struct index_book *b, const struct cst_index *ix,
					 const struct index_section *s, uint64_t start);
/* Says, once for a run, that the section is decoded from its beginning in spite of its index. */
void index_book_unused(struct index_book *b, const struct index_section *s, const char *reason);
/* Make one. 0, or ERR_REPORTED. */
int index_book_make(struct index_book *b, const struct index_section *s);
/* Write what was made, and what was read and is still good. 0, or ERR_REPORTED. */
int index_book_write(struct index_book *b);
/* The same at the end of a run, if something was made in place of what the file had, or for other options. */
void index_book_finish(struct index_book *b);

#endif
