/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * branch_list.h - branch lists of Android's simpleperf: where execution began, and which of the
 * branches from there on were taken, with a count. A file has them by binary; simpleperf 2024 and
 * later writes one inside of perf.data, too, when it decodes while it records.
 *
 * A bit stands for each P0 instruction from the address on (branches of any kind and ISB), in the
 * order of execution: 1 is taken. What a list cannot say: where an indirect branch led (nothing
 * follows one, unless a return stack left its address out), and what was executed behind the last
 * P0 instruction.
 *
 * Forms: the new one begins with BRANCH_LIST_MAGIC, a 32-bit version (1) and a byte that says
 * whether zstd compressed the messages, each of which has its 32-bit length before it. The old one
 * is a single message, whose first field is the magic; as a whole it may be a zstd frame. All of it
 * is little-endian. Fields of a message: magic (1), binaries (2), samples of branch records (3), or
 * in the oldest form the address of the kernel (3). Of a binary: path (1), build-id as hexadecimal
 * digits (2), addresses (3), type (4), kernel (5) with its address (1). Of an address: address (1),
 * branches (2). Of branches: bits (1), their number (2), count (3).
 */
#ifndef CSTRACE_PERFDATA_BRANCH_LIST_H
#define CSTRACE_PERFDATA_BRANCH_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/files/output.h"

#define BRANCH_LIST_MAGIC "simpleperf:EtmBranchList"
#define BRANCH_LIST_ID_MAX 20u

enum branch_list_type { BRANCH_LIST_ELF, BRANCH_LIST_KERNEL, BRANCH_LIST_MODULE };

struct branch_list {
	/* ELF address of the first instruction; bit 0: T32 */
	uint64_t addr;
	uint64_t count;
	size_t bits;	/* where its bits begin in the binary's bytes, the first one in bit 0 */
	uint32_t nr_bits;	/* not 0 */
};

struct branch_list_binary {
	char *path;	/* as the recorder saw it */
	uint8_t id[BRANCH_LIST_ID_MAX];
	uint8_t id_len;	/* 0: no build-id; else without the zeroes that recorders pad it with */
	uint8_t type;	/* enum branch_list_type */
	/*
	 * KERNEL: addresses are those of a running kernel whose text begins here; 0: those of
	 * vmlinux
	 */
	uint64_t kernel_start;
	struct branch_list *v;
	size_t nr, cap;
	uint8_t *bytes;
	size_t nr_bytes, cap_bytes;
};

struct branch_lists {
	struct branch_list_binary *v;
	size_t nr, cap;
	/* of branch records (LBR, BRBE), which are not trace and are left out */
	uint64_t samples;
};

enum branch_list_form {
	BRANCH_LIST_PLAIN,	/* new */
	BRANCH_LIST_PACKED,	/* new, compressed */
	BRANCH_LIST_OLD,
};

/*
 * True if `path` is a regular file that begins as branch lists do, or a perf.data that has them and
 * no trace.
 */
bool branch_lists_are(const char *path);

/* True if a file begins as branch lists do that are not compressed as a whole. */
bool branch_lists_begin(const uint8_t *p, size_t len);

/*
 * Adds the lists of a file, every count `weight` times. Returns 0, or negative with a message.
 * Unpacked, a file may have BRANCH_LIST_RATIO times its size, or BRANCH_LIST_FLOOR bytes if that is
 * more.
 */
#define BRANCH_LIST_FLOOR (64u << 20)
#define BRANCH_LIST_RATIO 200u
int branch_lists_read(struct branch_lists *l, const char *path, uint64_t weight, struct error *err);
/*
 * The same of bytes in memory, as a file or perf.data's section has them; `name` is for messages.
 */
int branch_lists_read_memory(struct branch_lists *l, const void *p, size_t len, const char *name,
			     uint64_t weight, struct error *err);
void branch_lists_free(struct branch_lists *l);

/* A new binary, whose other fields are 0. It is valid until the next one is added. */
struct branch_list_binary *branch_lists_add_binary(struct branch_lists *l, const char *path,
						   size_t len);
/* Adds a list. Bits of the last byte that have no branch may have any value. */
void branch_list_add(struct branch_list_binary *b, uint64_t addr, const uint8_t *bits,
		     uint32_t nr_bits, uint64_t count);
static inline bool branch_list_bit(const uint8_t *bits, size_t i)
{
	return bits[i >> 3] >> (i & 7) & 1;
}

/*
 * Puts binaries and lists in order (path, build-id, type, address of the kernel; address, number of
 * bits, bits), and adds those that are equal: the same lists in any order are the same bytes when
 * they are written. Counts stay at UINT64_MAX.
 */
void branch_lists_join(struct branch_lists *l);

/*
 * Takes joined lists out of others, which must have each of them as often; lists and binaries of
 * which nothing is left are removed. Returns 0, or negative with a message: then `from` is
 * undefined.
 */
int branch_lists_subtract(struct branch_lists *from, const struct branch_lists *less,
			  struct error *err);

/* BRANCH_LIST_PACKED can be written. False: this program was made without zstd (NO_ZSTD). */
bool branch_lists_can_pack(void);
/* Writes joined lists; `out` has the error, if there is one. */
void branch_lists_write(const struct branch_lists *l, enum branch_list_form form,
			struct pd_output *out);

#endif
