/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jitdump.h - files that a just-in-time compiler writes (jit-PID.dump): bytes, address and time of each version of each
 * function.
 */
#ifndef CSTRACE_MACHINE_IMAGES_JITDUMP_H
#define CSTRACE_MACHINE_IMAGES_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `len` bytes of code at `addr` from `time` on. */
struct jit_event {
	uint64_t time;		/* as in the file */
	uint64_t addr, len;
	uint64_t at;		/* offset of the bytes, see jitdump_code() */
	uint64_t nr;		/* order in the file */
};

/* One JIT_CODE_LOAD. */
struct jit_code {
	uint64_t at, size, addr;
	uint64_t file_offset;
	const char *name;	/* points into the file's bytes */
};

struct jitdump {
	const uint8_t *p;
	size_t size;
	bool swap;
	bool arch_time;		/* times are ticks of the counter, not CLOCK_MONOTONIC */
	uint32_t machine, pid;
	/*
	 * process of the recording whose code it is; that of another PID namespace has another
	 * number
	 */
	int owner;
	bool recorded;		/* a record names the file */
	struct jit_event *ev;	/* sorted by time */
	size_t nr_ev, cap_ev;
	struct jit_code *code;	/* in file order, `at` ascending */
	size_t nr_code, cap_code;
	uint64_t code_size;	/* size of all code in the layout of `at` */
	uint64_t bad_records;	/* damaged records, which are left out */
	uint64_t lost_bytes;	/* at the end of the file: cut, or after an impossible size */
};

enum jitdump_error {
	JITDUMP_OK,
	JITDUMP_SHORT,		/* no complete header */
	JITDUMP_MAGIC,
	JITDUMP_VERSION,
	JITDUMP_MACHINE,	/* not for Arm */
};

/* Reads `size` bytes at `p`, which the caller keeps until `jd` is freed. Returns enum jitdump_error. */
int jitdump_read(struct jitdump *jd, const uint8_t *p, size_t size);
void jitdump_free(struct jitdump *jd);
const char *jitdump_error_text(int error);

/*
 * Returns a copy of all code, jd->code_size bytes, each function at its offset `at`, which has the alignment of its
 * address modulo 4.
 */
uint8_t *jitdump_code(const struct jitdump *jd);

/* Returns the number of loads and moves of code to a place in [start, end). */
size_t jitdump_within(const struct jitdump *jd, uint64_t start, uint64_t end);

/* Returns the number in ".../jit-1234.dump", -1 for another name. */
int jitdump_path_pid(const char *path);

struct dso_table;
struct dso;

/* Makes a dso of `jd` (from malloc), which it takes over with the mapping of its file. */
struct dso *jitdump_dso(struct dso_table *t, const char *path, const char *file, struct jitdump *jd);
/* Assembles the code. This and the next function are for dso.c. */
void jitdump_dso_load(struct dso *d);
void jitdump_dso_free(struct dso *d);

#endif
