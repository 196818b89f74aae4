/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jitdump.h - files in which a just-in-time compiler wrote down the code that it made (jit-PID.dump): each
 * version of each function with its bytes, address and time.
 */
#ifndef CSTRACE_IMAGES_JITDUMP_H
#define CSTRACE_IMAGES_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `len` bytes of code are at `addr` from `time` on. */
struct jit_event {
	uint64_t time;		/* as in the file */
	uint64_t addr, len;
	uint64_t at;		/* place of the bytes, see jitdump_code() */
	uint64_t nr;		/* order in the file */
};

/* One JIT_CODE_LOAD. */
struct jit_code {
	uint64_t at, size, addr;
	uint64_t file_offset;
	const char *name;	/* in the file's bytes */
};

struct jitdump {
	const uint8_t *p;
	size_t size;
	bool swap;
	bool arch_time;		/* times are ticks of the counter, not of CLOCK_MONOTONIC */
	uint32_t machine, pid;
	struct jit_event *ev;	/* in order of time */
	size_t nr_ev, cap_ev;
	struct jit_code *code;	/* in file order; `at` grows */
	size_t nr_code, cap_code;
	uint64_t code_size;	/* of all code when it is put together, to its place `at` */
	uint64_t bad_records;	/* unusable, and left out */
	uint64_t lost_bytes;	/* at the end of the file: cut, or behind a size that cannot be */
};

enum jitdump_error {
	JITDUMP_OK,
	JITDUMP_NO_MEMORY,
	JITDUMP_SHORT,		/* no complete header */
	JITDUMP_MAGIC,
	JITDUMP_VERSION,
	JITDUMP_MACHINE,	/* not for Arm */
};

/* Read `size` bytes at `p`, which stay the caller's and must outlive `jd`; enum jitdump_error. */
int jitdump_read(struct jitdump *jd, const uint8_t *p, size_t size);
void jitdump_free(struct jitdump *jd);
const char *jitdump_error_text(int error);

/*
 * A copy of all code, jd->code_size bytes, each piece where its `at` says and as far from a multiple of 4
 * as its address is; NULL: no memory.
 */
uint8_t *jitdump_code(const struct jitdump *jd);

/* "…/jit-1234.dump": the number; -1 when a path does not look like that. */
int jitdump_path_pid(const char *path);

struct dso_table;
struct dso;

/* Takes over `jd` (from malloc) with the mapping of its file. NULL: no memory, and `jd` is freed. */
struct dso *jitdump_dso(struct dso_table *t, const char *path, const char *file, struct jitdump *jd);
/* Put its code together; false: no memory. For dso.c, as is the next one. */
bool jitdump_dso_load(struct dso *d);
void jitdump_dso_free(struct dso *d);

#endif
