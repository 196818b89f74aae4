/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SESSION_BUILD_H
#define TESTS_SESSION_BUILD_H

/*
 * A small recording in memory: one process of two threads, and ETMv4 trace of CPU 2 in which one of them
 * goes round a loop.
 */
#include <linux/perf_event.h>

#include "perfdata_build.h"

#define SB_ST	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define SB_BASE		0x400000u
#define SB_ATOMS	24u
#define SB_PID		100u
#define SB_TID		101u
#define SB_TIME		5000u
#define SB_RAW		0x100u		/* flags of an AUX record: one stream without frames */
#define SB_CONFIGR	0x41u		/* context IDs */
#define SB_TIMESTAMPS	0x800u		/* the same register: timestamps */

extern const struct pdb_attr sb_attr;

/* The code of the loop, which a test writes as the file of its map: nop; b .-4 */
extern const uint32_t sb_loop[2];

struct pdb_sid sb_sid(uint64_t time);
/* A-sync, Trace Info, Trace On, address and context with the thread's ID (0: none), SB_ATOMS times E. */
void sb_trace_at(struct pdb *b, uint32_t tid, uint64_t addr, unsigned int el);
/* At SB_BASE in EL0. */
void sb_trace(struct pdb *b, uint32_t tid);
/* The same in formatter frames, 14 bytes of the ID in each. */
void sb_frames(struct pdb *out, const struct pdb *raw, uint8_t id);

void sb_aux_info(struct pdb *b, unsigned int version, uint64_t configr, uint64_t traceid);
/* The same of `cpus` CPUs from 2 on, whose trace IDs follow each other. */
void sb_aux_info_of(struct pdb *b, unsigned int version, uint64_t configr, uint64_t traceid, unsigned int cpus);
void sb_fork(struct pdb *b, uint32_t pid, uint32_t ppid, uint32_t tid, uint64_t time);
/* Everything before the trace: metadata, one process of two threads, one map of `file`. */
void sb_side_band(struct pdb *b, const char *file);
void sb_aux(struct pdb *b, uint64_t offset, uint64_t size, uint64_t flags, uint64_t time);
/* Trace as one stretch of the buffer of CPU 2: an AUX record of time SB_TIME with these flags, and the bytes. */
void sb_stretch(struct pdb *b, const struct pdb *trace, uint64_t offset, uint64_t flags);
/* A map of the kernel's address space. */
void sb_kernel_map(struct pdb *b, uint64_t time, uint64_t addr, uint64_t size, uint64_t pgoff, const char *path);
/* The kernel replaces one instruction. */
void sb_text_poke(struct pdb *b, uint64_t time, uint64_t addr, uint32_t before, uint32_t after);

#endif
