/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * world.h - a small machine: processes whose address spaces change, threads that take turns on CPUs, a
 * kernel. Its CPUs are traced (session.h) and its kernel writes perf's records at their times.
 *
 * Between two calls every CPU is in the kernel. world_run() lets a thread execute user code on a CPU;
 * everything else happens in the kernel of the CPU that it names, at the time of that CPU. Each CPU has
 * its own time; world_sync() lets all wait for the last one.
 */
#ifndef CSTRACE_TESTS_GEN_WORLD_H
#define CSTRACE_TESTS_GEN_WORLD_H

#include "code.h"
#include "session.h"

#define WORLD_CPUS 4
#define WORLD_MAPS 32
#define WORLD_SHADOW 16

struct wmap {
	uint64_t va, end;
	const struct code *code;
	uint32_t first;		/* instruction of code that stands at va */
	uint8_t quiet;		/* indirect branches do not lead here */
};

struct wproc {
	uint32_t pid, asid;
	uint8_t kernel;		/* code as a kernel has it (code.h) */
	struct wmap map[WORLD_MAPS];	/* sorted by address */
	int n;
};

struct wthread {
	uint32_t tid;
	uint32_t machine;	/* the number outside of the recorder's PID namespace; 0: the same */
	uint8_t outside;	/* it has none inside */
	/* the host's thread that runs it; `machine` is its number in the guest; NULL: the host's */
	struct wthread *vcpu;
	char comm[16];
	struct wproc *p;
	uint64_t pc;		/* 0: at some place of the process */
	uint64_t shadow[WORLD_SHADOW];
	int depth;
};

struct world_opts {
	uint64_t seed;
	struct session_opts s;
	uint8_t kernel_traced;
	uint8_t user_untraced;	/* with kernel_traced: programs run in the dark */
	uint8_t kernel_el;	/* 1, or 2 with the virtualisation host extensions */
	uint32_t slack;		/* ticks around what the side band says, 0: 40 */
	uint8_t cut_often;	/* an AUX fragment ends whenever the side band says something */
	uint16_t p_irq;		/* per mille of user instructions */
	const char *symfs;	/* where the files of the machine go */
	const char *tarmac;	/* what was executed goes there, too; NULL: nowhere */
};

struct wcpu {
	uint64_t now;
	struct wthread *cur;
	uint64_t kpc, kshadow[WORLD_SHADOW];
	int kdepth;
	uint8_t el;
	const struct wproc *guest;	/* kernel of the guest that runs; NULL: none */
	uint8_t ran;
	uint64_t lost;		/* records that did not fit into the ring */
};

struct world {
	struct world_opts o;
	struct rng rng;
	struct session *s;
	struct wcpu cpu[WORLD_CPUS];
	struct wproc kernel;
	struct wproc guest;	/* kernel of a guest that nobody knows */
	/* a thread of a guest begins to run at the time of a CPU; NULL: nobody notes it */
	void (*guest_turn)(void *ctx, int cpu, const struct wthread *t);
	void *guest_ctx;
	uint8_t guests;		/* guests run: the trace unit does not speculate */
	struct wthread *idle;
	struct wthread **threads;
	size_t nthreads;
	struct wproc **procs;
	size_t nprocs;
	struct code **codes;	/* to be freed */
	size_t ncodes;
	int error;
};

struct world *world_new(const struct world_opts *o, struct truth *truth);
void world_free(struct world *w);
/* ends the recording */
void world_finish(struct world *w, struct gbuf *file);

/* world.c: what CONTEXTIDR holds while a thread runs, for tu_opts.contextidr */
uint32_t world_machine_tid(void *world, uint32_t tid);
/* execution */
struct wproc *world_proc(struct world *w, uint32_t pid);
struct wthread *world_thread(struct world *w, struct wproc *p, uint32_t tid, const char *comm);
const struct code *world_code(struct world *w, uint32_t insns, int kernel);
struct code *world_code_copy(struct world *w, const struct code *c);
void world_run(struct world *w, int cpu, struct wthread *t, uint32_t insns);
/* runs until the thread is out of [va, end), keeps it out and forgets calls from there */
void world_avoid(struct world *w, int cpu, struct wthread *t, uint64_t va, uint64_t end);
/* lets a thread go on at an address: jumps there when it runs next */
void world_jump(struct world *w, int cpu, struct wthread *t, uint64_t to);
void world_kernel_run(struct world *w, int cpu, uint32_t insns);
/* every CPU that has run passes a context synchronisation in the kernel, all at one time */
void world_barrier(struct world *w);
/*
 * the kernel of a CPU, in the thread that runs the guest, lets threads of the guest take turns for
 * a while
 */
void world_guest_run(struct world *w, int cpu, const struct wproc *kernel, struct wthread *const *t,
		     int n, uint32_t insns);
/* the same of w->guest, as thread t (whose code nobody has) */
void world_guest(struct world *w, int cpu, struct wthread *t, uint32_t insns);
void world_pause(struct world *w, int cpu, uint64_t ticks);
void world_sync(struct world *w);

/* world_side.c: the side band; each call takes a little time on its CPU */
struct perfw_at world_at(struct world *w, int cpu);
/* puts code into an address space, and says nothing */
void world_place(struct wproc *p, uint64_t va, const struct code *c, uint32_t first, uint32_t n);
void world_unmap(struct wproc *p, uint64_t va, uint64_t end);
void world_map(struct world *w, int cpu, struct wproc *p, uint64_t va, const struct code *c,
	       uint32_t first, uint32_t n, const char *path);
/* the same, but the record is lost */
void world_map_lost(struct world *w, int cpu, struct wproc *p, uint64_t va, const struct code *c,
		    uint32_t first, uint32_t n);
void world_mmap_record(struct world *w, int cpu, struct wproc *p, uint64_t va, uint64_t len,
		       uint64_t offset, const char *path);
/* the same as the process's own, with more in the record */
void world_mmap2_record(struct world *w, int cpu, struct wproc *p, uint64_t va, uint64_t len,
			uint64_t offset,
			const char *path, const struct perfw_map *map);
void world_comm(struct world *w, int cpu, struct wthread *t, const char *comm, int exec);
/* records that do not fit into the ring of a CPU until the next one does */
void world_lose(struct world *w, int cpu, uint64_t records);
/* fork: a new process that inherits; clone: a thread of the same */
struct wthread *world_fork(struct world *w, int cpu, struct wthread *parent, uint32_t pid);
struct wthread *world_fork_lost(struct world *w, int cpu, struct wthread *parent, uint32_t pid);
struct wthread *world_clone(struct world *w, int cpu, struct wthread *t, uint32_t tid);
/* the thread becomes another program: maps are gone */
void world_exec(struct world *w, int cpu, struct wthread *t, const char *comm);
void world_exit(struct world *w, int cpu, struct wthread *t);
void world_switch_records(struct world *w, int cpu, struct wthread *from, struct wthread *to);
void world_round(struct world *w);
void world_cut(struct world *w, int cpu);
/* a file of the machine under symfs; path as recorded */
void world_write(struct world *w, const char *path, const void *p, size_t n);
void world_write_in(struct world *w, const char *dir, const char *path, const void *p, size_t n);
/* an ELF file whose code is c, for world_map() */
void world_image(struct world *w, const char *path, const struct code *c);

#endif
