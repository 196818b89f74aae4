/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scenario.h - recordings of machines (world.h) on which something happens that a decoder must
 * follow.
 *
 * A scenario is written as perf.data, the files of the machine, and what is expected:
 *   branches.cpuC.tidT  what each thread executed (truth_w.h)
 *   threads             TID PID, one line for each thread
 *   unknown             TID START END: code whose bytes nobody has; its branches cannot be found
 *   expect              words, one line each:
 *     exit CODE         of script; any: 0 or, with losses, 3
 *     option WORD       for the program, after the usual ones; @ stands for the folder of files
 *     stderr TEXT       script says so
 *     never TEXT        script does not say so
 *     info TEXT         info says so
 *     also PATH         the file in the folder that is the recording is read as the folder is
 *     no-cpu            the CPU of all branches is unknown
 *     back WORD         option for a recording that was made of the package
 *     profile BINARY SHIFT START END
 *                       profile counts what the branches within [START, END) show, SHIFT (hexadecimal) further on
 *     event TIME TEXT   for the log of a package, without which the recording says too little
 *     guess             code is assumed that was not there, which is reported; no branch is compared
 *     machine PID BASE  a guest is run by this process of the host; its threads have numbers
 *                       from BASE on in the truth
 *     as-host           threads of guests are not known: all are those of the host that run them
 *     no-package        a package has no place for the trace, which is said
 *     subset PERCENT    not all can be found, but so many, and nothing that was not executed
 */
#ifndef CSTRACE_TESTS_GEN_SCENARIO_H
#define CSTRACE_TESTS_GEN_SCENARIO_H

#include "world.h"

struct scenario {
	struct world *w;
	uint64_t seed;
	struct gbuf expect, unknown;
	const char *perf;
	int directory;	/* the recording is a folder: world_write_in(w, perf, ...) adds to it */
};

struct scenario_row {
	const char *name, *what;
	/* options beyond what the seed chose; may be NULL */
	void (*setup)(struct world_opts *o);
	void (*run)(struct scenario *s);
};

/* rows end with a name of NULL */
extern const struct scenario_row scenario_user[], scenario_maps[], scenario_kernel[],
	scenario_who[], scenario_phone[], scenario_buffers[], scenario_container[],
	scenario_guest[], scenario_windows[];

const struct scenario_row *scenario_find(const char *name);
void scenario_list(void);
/* tarmac: file for what was executed, or NULL; 0, or -1 with errno */
int scenario_make(const struct scenario_row *row, uint64_t seed, const char *perf,
		  const char *truth, const char *symfs, const char *tarmac);

/* for the scenarios */
void expect(struct scenario *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void unknown_code(struct scenario *s, const struct wthread *t, uint64_t va, uint64_t end);
/* a process that runs a program of its own, with records as of its start */
struct wthread *start_process(struct scenario *s, int cpu, uint32_t pid, const char *comm);
/* code in a file of the machine */
const struct code *image(struct scenario *s, const char *path);
/* a slice of one thread; several of two threads in turn, on CPU 0 */
void run_some(struct scenario *s, int cpu, struct wthread *t);
void take_turns(struct scenario *s, struct wthread *a, struct wthread *b);

/* a kernel that is traced, with an image */
struct kernel {
	struct code *code;	/* as it stands in memory */
	uint64_t base;
};

struct kernel start_kernel(struct scenario *s);

#define PAGE_INSNS 1024u
#define IMAGE_INSNS (2 * PAGE_INSNS)
#define IMAGE_SIZE (4ull * IMAGE_INSNS)
#define PROGRAM 0x400000ull
#define LIBRARY 0xffff90000000ull
#define JIT 0xffffa0000000ull

#endif
