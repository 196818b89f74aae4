/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perfdata_w.h - writes perf.data files with CoreSight trace, as `perf record -e cs_etm//u`
 * would, in all the forms that recorders use. The caller gives the records in the order in which
 * they shall stand.
 */
#ifndef CSTRACE_TESTS_GEN_PERFDATA_W_H
#define CSTRACE_TESTS_GEN_PERFDATA_W_H

#include "encode.h"
#include "util.h"

#define PERFW_TIME_BASE 1000000000ull	/* perf time of tick 0; one tick is one nanosecond */

#define PERFW_SCHED_SWITCH 314	/* number of the tracepoint */
#define PERFW_WINDOW_EVENTS 3 /* cycles, cache misses, a tracepoint */
#define PERFW_TRACEPOINT 315 /* number of that one */

/* AUX record flags */
#define PERFW_AUX_TRUNCATED 0x01u
#define PERFW_AUX_OVERWRITE 0x02u
#define PERFW_AUX_PARTIAL 0x04u
#define PERFW_AUX_COLLISION 0x08u
#define PERFW_AUX_RAW 0x100u

/* What the trace event was opened for, as ID_INDEX and the attribute say it. */
enum perfw_scope {
	PERFW_UNSAID,		/* inherited if the buffers are of CPUs */
	PERFW_TASKS,		/* tasks and their children, with a buffer for each CPU */
	PERFW_CPUS,
};

struct perfw_opts {
	uint8_t version;	/* of the metadata: 0, 1, 2 */
	uint8_t per_cpu;	/* else per thread */
	uint8_t with_time;	/* TIME and CPU in the records */
	uint8_t time_conv;
	uint8_t snapshot;
	uint8_t compress;	/* 0, 1: COMPRESSED, 2: COMPRESSED2 */
	uint8_t pipe;
	uint8_t no_index;	/* no AUXTRACE feature */
	uint8_t no_identifier;	/* sample type without IDENTIFIER, as simpleperf writes it */
	/*
	 * kernel records wait in a ring for each CPU, and stand in the file as perf reads them:
	 * a round takes one ring after the other, so that the file is not in time order
	 */
	uint8_t rings;
	uint8_t no_switch;	/* the recorder did not ask for SWITCH records */
	uint8_t own_switches;	/* SWITCH records of the traced tasks alone, also with a buffer for each CPU */
	uint8_t scope;		/* enum perfw_scope */
	uint8_t kernel_events;	/* it asked for KSYMBOL, BPF_EVENT, TEXT_POKE */
	uint8_t sched_switch;	/* a third event: the tracepoint, with samples */
	/* bytes of trace in the samples of further events; 0: there are none */
	uint32_t window;
	/*
	 * as simpleperf writes it: the AUXTRACE feature has no count, records may stand in the feature INIT_MAP
	 */
	uint8_t simpleperf;
	uint8_t other_block;	/* the metadata of an ETMv4 is in a block for an ETE, and the other way round */
	uint16_t attr_size;	/* 0: 128 */
	uint32_t compress_block; /* bytes of records per compressed record, 0: 8192 */
	const char *cmdline;
};

struct perfw_cpu {
	int cpu;
	struct tu_regs regs;
	int64_t ts_source;	/* -2: not written */
	/* 0: regs.traceidr; else the metadata word, e.g. with the "unused" flag */
	uint64_t id_word;
};

/* who and when: the trailer of a record */
struct perfw_at {
	uint32_t pid, tid;
	uint64_t time;		/* perf time */
	uint32_t cpu;
};

struct perfw;

struct perfw *perfw_new(const struct perfw_opts *o, const struct perfw_cpu *cpus, int ncpus);
void perfw_free(struct perfw *w);
void perfw_comm(struct perfw *w, const struct perfw_at *at, const char *name, int exec);
/* what an MMAP2 record says beside the place */
struct perfw_map {
	uint32_t prot, flags;	/* of mmap(); 0: readable, executable and private */
	const uint8_t *build_id;	/* 20 bytes; NULL: none */
};

void perfw_mmap2(struct perfw *w, const struct perfw_at *at, uint64_t va, uint64_t len,
		 uint64_t offset,
		 const char *path, const struct perfw_map *map);
/* MMAP2 of a process; kernel: MMAP of the kernel */
void perfw_mmap(struct perfw *w, const struct perfw_at *at, uint64_t va, uint64_t len,
		uint64_t offset, const char *path, int kernel);
void perfw_fork(struct perfw *w, const struct perfw_at *at, uint32_t ppid, uint32_t ptid, int exit);
/* FORK and EXIT as the kernel tells them: at is who forks, or who is gone */
void perfw_task(struct perfw *w, const struct perfw_at *at, uint32_t pid, uint32_t tid,
		uint32_t ppid, uint32_t ptid, int exit);
/* n records did not fit into the ring of at->cpu */
void perfw_lost(struct perfw *w, const struct perfw_at *at, uint64_t n);
/* kernel code that came (or with gone went) without a module: type 1 BPF, 2 out of line */
void perfw_ksymbol(struct perfw *w, const struct perfw_at *at, uint64_t addr, uint32_t len,
		   uint16_t type, int gone, const char *name);
/* type 1: loaded, 2: unloaded */
void perfw_bpf_event(struct perfw *w, const struct perfw_at *at, uint16_t type, uint32_t id,
		     const uint8_t tag[8]);
/* a sample of the third event, taken in at when next gets the CPU; prev_tid and next_tid are the machine's numbers */
void perfw_sched_switch(struct perfw *w, const struct perfw_at *at, uint32_t prev_tid, const char *prev_comm,
			uint32_t next_tid, const char *next_comm);
/*
 * a sample of an event with AUX windows, by its number, with the newest trace; n is a multiple of 8
 */
void perfw_window(struct perfw *w, const struct perfw_at *at, int event, uint64_t ip,
		  const uint8_t *p, size_t n);
/* bytes that such a record has room for */
size_t perfw_window_max(const struct perfw *w, int event);
void perfw_itrace_start(struct perfw *w, const struct perfw_at *at);
void perfw_switch(struct perfw *w, const struct perfw_at *at, uint32_t other_pid,
		  uint32_t other_tid, int out);
void perfw_text_poke(struct perfw *w, const struct perfw_at *at, uint64_t addr,
		     const uint8_t *before, uint16_t nbefore, const uint8_t *after,
		     uint16_t nafter);
void perfw_hw_id(struct perfw *w, const struct perfw_at *at, uint8_t trace_id, int minor,
		 uint32_t sink);
void perfw_aux(struct perfw *w, const struct perfw_at *at, uint64_t offset, uint64_t size,
	       uint64_t flags);
/* what waits in the rings comes first */
void perfw_finished_round(struct perfw *w);
/* until it is ended, records of the kernel go to simpleperf's feature INIT_MAP instead of the data */
void perfw_init_map(struct perfw *w, int begin);
/* a feature section of the file */
void perfw_feature(struct perfw *w, int bit, const void *p, size_t n);
/* idx: which buffer; cpu -1: of thread tid */
void perfw_auxtrace(struct perfw *w, uint64_t offset, uint32_t idx, int32_t tid, int32_t cpu,
		    uint64_t reference, const uint8_t *p, size_t n);
/* any record: header included */
void perfw_record(struct perfw *w, const void *rec, size_t n);
/* the complete file */
void perfw_finish(struct perfw *w, struct gbuf *file);

#endif
