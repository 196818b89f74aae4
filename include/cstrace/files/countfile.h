/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * countfile.h - execution counts of all binaries of a recording in one file, cstrace-profile(5): exact ranges, taken
 * edges, directions of branches, and calls in their calling contexts.
 *
 * A count file is a sequence of records in one canonical order: equal counts are equal bytes. The same records
 * come out of a reader and go into a writer. cst_count_merge() adds files record by record: it is associative and
 * commutative. It keeps one block per input, the numbers of its binaries in the sum, and the path to the current node of its
 * tree of calls, whatever else the files hold.
 *
 * Canonical order:
 *   TOTAL    by name, bytewise
 *   BINARY   by id (kind, length, bytes), each followed by its SEGMENTs by offset, size, vaddr, exec; binaries are numbered from
 *            0 in this order
 *   for each binary that has counts, in this order:
 *     RANGE by start, last, flags; NOT_TAKEN by offset; EDGE by from, to; ENTRY by offset
 *   NODE     depth first, siblings by kind, from_binary, from, binary, entry
 *
 * Counts are added with saturation at UINT64_MAX; a record with the count 0 is not part of a file, except a NODE. All places are
 * offsets in the binary's file (of the bytes that its id names), so a count file does not depend on where a process had it
 * mapped.
 *
 * Threads: a reader or writer belongs to one thread at a time. Errors are negative enum cst_error.
 */
#ifndef CSTRACE_FILES_COUNTFILE_H
#define CSTRACE_FILES_COUNTFILE_H

#include <cstrace/error.h>
#include <cstrace/types.h>

CST_BEGIN

#define CST_COUNT_MARK		"CSTCNT\r\n"	/* first bytes of a count file */
#define CST_COUNT_VERSION	1
#define CST_COUNT_ID_MAX	20u
#define CST_COUNT_TOTAL_MAX	255u	/* bytes of the name of a total */
#define CST_COUNT_NAME_MAX	4095u	/* bytes of the name of a binary */
#define CST_COUNT_DEPTH_MAX	65535u	/* depth of a node */
/* Target of an edge that leaves its binary, or whose target is not known; also: no binary, no place. */
#define CST_COUNT_OUTSIDE	UINT64_MAX
#define CST_COUNT_NO_BINARY	UINT32_MAX

enum cst_count_kind {
	CST_COUNT_TOTAL = 1,
	CST_COUNT_BINARY,
	CST_COUNT_SEGMENT,
	CST_COUNT_RANGE,
	CST_COUNT_NOT_TAKEN,
	CST_COUNT_EDGE,
	CST_COUNT_ENTRY,
	CST_COUNT_NODE,
};

enum cst_count_id {
	CST_COUNT_ID_BUILD,	/* build-id note */
	CST_COUNT_ID_DIGEST,	/* no build-id: digest of the code */
	CST_COUNT_ID_NAME,	/* neither: digest of the name, e.g. a copy of kernel memory */
};

enum cst_count_binary_type {
	CST_COUNT_FILE,		/* program or shared object */
	CST_COUNT_KERNEL,	/* vmlinux */
	CST_COUNT_MODULE,	/* kernel module, by file offset */
	CST_COUNT_JIT,		/* one method of generated code; offsets from its begin */
	CST_COUNT_MEMORY,	/* code that is in no program file: copies of memory, BPF, patches */
};

enum cst_count_range_flags {
	CST_COUNT_T32 = 1,	/* T32 instructions; else A32 or A64, by the binary's machine */
	/* A return, or a branch or exception return from outside, led to `start`; else a branch of the same binary, or nothing known. */
	CST_COUNT_ARRIVED = 2,
};

enum cst_count_node_kind {
	CST_COUNT_ROOT,		/* the callers are not known: begin of a thread's trace, or after a loss; from_binary is NO_BINARY */
	CST_COUNT_CALL,		/* by a branch with link */
	CST_COUNT_TAIL,		/* by a branch without link to another function, which returns to its caller's caller */
	CST_COUNT_EXCEPTION,	/* exception taken at `from`: traced handler */
	CST_COUNT_SIGNAL,	/* the kernel continued the thread elsewhere than where it left it: signal handlers */
	CST_COUNT_CUT,		/* all that is below the limits of the tree; binary is NO_BINARY */
};

/* A sum over all that was counted: names in cstrace-profile(5). Those that begin with "loss." are losses. */
struct cst_count_total {
	const char *name;	/* 1 to 255 bytes; valid until the reader's next record */
	uint64_t value;
};

struct cst_count_binary {
	uint8_t id_kind;	/* enum cst_count_id */
	uint8_t id_len;		/* 1 to CST_COUNT_ID_MAX */
	uint8_t type;		/* enum cst_count_binary_type */
	uint16_t machine;	/* ELF e_machine; 0 unknown */
	uint8_t id[CST_COUNT_ID_MAX];
	const char *name;	/* path or name as recorded, of several the least bytewise; 1 to 4095 bytes; valid as total.name */
};

/* A loadable segment of the last binary, by which a reader turns offsets into addresses. */
struct cst_count_segment {
	uint64_t offset, size, vaddr;
	uint8_t exec;
};

/*
 * Instructions from `start` to `last` (offset of the last one), executed `count` times one after the other. A range
 * ends at a taken branch, where execution continued elsewhere, or where it is not known to have continued; branches
 * that were not taken and exceptions that returned do not end it.
 */
struct cst_count_range {
	uint32_t binary;
	uint8_t flags;		/* enum cst_count_range_flags */
	/* instructions of one execution: (last - start) / 4 + 1, with CST_COUNT_T32 from that to (last - start) / 2 + 1 */
	uint32_t insns;
	uint64_t start, last, count;
};

/* A branch that was not taken, `count` times. */
struct cst_count_not_taken {
	uint32_t binary;
	uint8_t size;		/* of the instruction: 2 or 4 */
	uint64_t offset, count;
};

/* A taken branch; `to` may be CST_COUNT_OUTSIDE. */
struct cst_count_edge {
	uint32_t binary;
	uint64_t from, to, count;
};

/* How often execution came to `offset` from outside of the binary. */
struct cst_count_entry {
	uint32_t binary;
	uint64_t offset, count;
};

/*
 * A function in its calling context. `depth` is 0 for ROOT nodes, and for no others but CUT; the parent is the last node of
 * depth - 1, which is no CUT. `from` is the place of the call in `from_binary`, `entry` where the callee began.
 */
struct cst_count_node {
	uint32_t depth;
	uint8_t kind;		/* enum cst_count_node_kind */
	uint32_t from_binary, binary;	/* or CST_COUNT_NO_BINARY */
	uint64_t from, entry;	/* or CST_COUNT_OUTSIDE */
	uint64_t calls;
	uint64_t insns;		/* executed in this context itself, without callees */
};

struct cst_count_record {
	uint8_t kind;		/* enum cst_count_kind */
	CST_EXTENSION union {
		struct cst_count_total total;
		struct cst_count_binary binary;
		struct cst_count_segment segment;
		struct cst_count_range range;
		struct cst_count_not_taken not_taken;
		struct cst_count_edge edge;
		struct cst_count_entry entry;
		struct cst_count_node node;
	};
};

struct cst_count_reader;
struct cst_count_writer;

/* Reads up to `size` next bytes into `buf`. Returns their number, 0 at the end, or a negative value, which cst_count_read() returns. */
typedef long (*cst_count_read_fn)(void *data, void *buf, size_t size);
/* Takes the next bytes of the file. A non-zero result ends writing and is returned. */
typedef int (*cst_count_write_fn)(void *data, const void *bytes, size_t size);

CST_API int cst_count_reader_new(struct cst_count_reader **r, cst_count_read_fn read, void *data);
CST_API void cst_count_reader_free(struct cst_count_reader *r);
/*
 * Reads the next record. Returns 1, or 0 after the last one; -CST_ERR_SYNTAX (no count file), -CST_ERR_VERSION,
 * -CST_ERR_DAMAGED, -CST_ERR_INCOMPLETE (the file is cut), -CST_ERR_NOMEM, or what `read` returned. After the end, and after an
 * error, every call returns the same again.
 */
CST_API int cst_count_read(struct cst_count_reader *r, struct cst_count_record *rec);
/* Offset of the error, and what was found and expected there (static text); for messages. */
CST_API uint64_t cst_count_reader_place(const struct cst_count_reader *r, const char **what);

CST_API int cst_count_writer_new(struct cst_count_writer **w, cst_count_write_fn write, void *data);
CST_API void cst_count_writer_free(struct cst_count_writer *w);
/*
 * Writes a record. One with the count 0 is left out, but for nodes. -CST_ERR_INVAL: it is not behind the last one in the
 * canonical order, or a field is out of range; the writer is as before. After an error of `write` every call returns it again.
 */
CST_API int cst_count_write(struct cst_count_writer *w, const struct cst_count_record *rec);
/* What was wrong with the record that was refused last, and expected (static text). */
CST_API const char *cst_count_writer_refused(const struct cst_count_writer *w);
/* Writes the last block and the end mark, without which a reader takes the file for cut. Nothing can be written after it. */
CST_API int cst_count_writer_end(struct cst_count_writer *w);

struct cst_count_input {
	struct cst_count_reader *reader;	/* that nothing was read from yet */
	uint64_t weight;			/* every count of it, totals included, is multiplied by this; not 0 */
	uint64_t counts;			/* result: its records of counts and calls; 0: the input is empty */
};

/* Takes a record of the sum; what it points to is valid until the function returns. A non-zero result ends merging. */
typedef int (*cst_count_record_fn)(void *data, const struct cst_count_record *rec);

/*
 * Adds the inputs and calls `out` with each record of the sum, in the canonical order, so that it can be cst_count_write_record().
 * Binaries are the same if their ids are; a machine of 0 and a binary without segments contradict nothing. On an error
 * *failed is the input that has it, or n: `out`. -CST_ERR_CONFLICT: this input and an earlier one contradict each other
 * about a binary (its machine, type or segments, the instructions of a range, the size of a branch); its name is in `name`, of
 * `size` bytes; it is empty if the counts of one of very many binaries do.
 */
CST_API int cst_count_merge(struct cst_count_input *inputs, size_t n, cst_count_record_fn out, void *data,
			    size_t *failed, char *name, size_t size);

/* cst_count_write() as a cst_count_record_fn. */
static inline int cst_count_write_record(void *writer, const struct cst_count_record *rec)
{
	return cst_count_write((struct cst_count_writer *)writer, rec);
}

CST_END

#endif
