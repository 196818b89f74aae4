/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session.h - a recording: trace units of several CPUs, the buffers their trace goes to, the
 * records perf writes beside it. The flow says which CPU executes which thread when.
 */
#ifndef CSTRACE_TESTS_GEN_SESSION_H
#define CSTRACE_TESTS_GEN_SESSION_H

#include "perfdata_w.h"
#include "tarmac_w.h"
#include "truth_w.h"

enum session_buffers {
	SESSION_PER_THREAD,
	SESSION_PER_CPU,
	SESSION_ONE,		/* one sink for the trace of all CPUs */
};

struct session_opts {
	struct tu_opts tu;	/* of every CPU, but for trace ID and seed */
	struct perfw_opts perf;
	enum session_buffers buffers;
	uint8_t raw;		/* no frames */
	uint32_t claim;		/* bits of TRCCONFIGR that only the metadata has */
	uint8_t hw_id;		/* 0: IDs in the metadata, 1: HW_ID records, 2: HW_ID with sinks */
	uint8_t hw_id_lost;	/* the HW_ID records are not in the file */
	uint8_t barriers;	/* a barrier where a fragment begins */
	uint16_t aux_flags;	/* more flags for the AUX records, e.g. PARTIAL */
	uint16_t ncpus;		/* known to the recorder */
	/* end an AUX fragment when it has this many bytes and tracing stops; 0: never */
	uint64_t fragment;
	/* write an AUXTRACE record when this many bytes wait; 0: at the end */
	uint64_t chunk;
	uint64_t overlap;	/* of a snapshot: bytes that an AUXTRACE record has in common with the one before */
	uint16_t p_frame_repeat, p_frame_null;
	/*
	 * No AUXTRACE records, but samples with the newest bytes of a buffer (perf.window), after 1
	 * to this number of user instructions of a CPU: each is an interrupt that stops tracing for
	 * a moment
	 */
	uint32_t window_insns;
	struct tarmac_w *tarmac;	/* gets the flow, too; NULL: none */
	/*
	 * The caller knows more than the flow says: processes of threads (default: tid / 100 * 100),
	 * and it writes itself what the kernel tells of them, with session_at(). scheduled: the
	 * thread now runs on the CPU, instead of old (SESSION_NOBODY: nobody did).
	 */
	void *ctx;
	uint32_t (*pid_of)(void *ctx, uint32_t tid);
	void (*scheduled)(void *ctx, int cpu, uint32_t tid, uint32_t old);
	/* the number that records have for a thread, or 0; NULL: its own */
	uint32_t (*recorded)(void *ctx, uint32_t tid);
};

#define SESSION_NOBODY 0xffffffffu

struct session_image {
	uint32_t num;
	char *path;		/* as recorded */
	char *file;		/* where it is now */
};

struct session;

struct session *session_new(const struct session_opts *o, const struct session_image *images,
			    int nimages,
			    int (*insn)(void *ctx, uint64_t pc, uint8_t isa, uint32_t tid,
					uint8_t el, struct flow_rec *out),
			    void *insn_ctx, struct truth *truth);
void session_map(struct session *s, uint32_t pid, int cpu, uint64_t va, uint64_t len,
		 uint64_t offset, const char *path, int kernel);
void session_flow(struct session *s, const struct flow_rec *r);
void session_end(struct session *s);
/* the records of the file, and the trailer of one that tid causes on a CPU at its present time */
struct perfw *session_perf(struct session *s);
struct perfw_at session_at(const struct session *s, int cpu, uint32_t tid);
/* time passes on a CPU until this tick */
void session_wait(struct session *s, int cpu, uint64_t ticks);
/* the AUX fragment that receives the trace of a CPU ends here, also while the CPU is traced */
void session_cut(struct session *s, int cpu);
/* ... and its buffer is opened anew: offsets begin again at 0; as buffer number idx of the file, negative: the same as before */
void session_reopen(struct session *s, int cpu, int idx);
/* from the next fragment on a CPU traces with this ID */
void session_trace_id(struct session *s, int cpu, uint8_t id);
/* ... with these options (but its own trace ID): the metadata of the file does not say so */
void session_program(struct session *s, int cpu, const struct tu_opts *o);
void session_file(struct session *s, struct gbuf *file);
/* for a snapshot: the bytes of a buffer, and its registers */
int session_buffers(const struct session *s);
const struct gbuf *session_buffer(const struct session *s, int i, int *cpu);
const struct tu_regs *session_regs(const struct session *s, int cpu);
const struct tu_stats *session_stats(const struct session *s, int cpu);
void session_free(struct session *s);

#endif
