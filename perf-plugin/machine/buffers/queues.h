/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * queues.h - AUX buffers: the chunks of trace that the file holds (AUXTRACE records), the AUX records
 * that say which stretches of a buffer were written in one go, and the fragments that follow from
 * both, or from the AUX windows of samples (windows.h).
 */
#ifndef CSTRACE_MACHINE_BUFFERS_QUEUES_H
#define CSTRACE_MACHINE_BUFFERS_QUEUES_H

#include "machine/buffers/windows.h"
#include "perfdata/reader.h"

#define AUX_FORMAT_MASK	0xff00u
#define AUX_FORMAT_RAW	0x0100u

#define AUX_FLAG_TRUNCATED	0x01u
#define AUX_FLAG_OVERWRITE	0x02u
#define AUX_FLAG_PARTIAL	0x04u
#define AUX_FLAG_COLLISION	0x08u

/* One contiguous stretch of trace: what an AUX record covers, or a buffer without AUX records. */
struct session_fragment {
	unsigned int queue;	/* number of the buffer, from 0, in file order */
	int cpu, tid;		/* of the buffer; -1: none */
	bool raw;		/* one stream without frames */
	bool from_aux;		/* an AUX record describes it; else the whole buffer is one fragment */
	/* an AUX window, up to its sample; time and place in the file are the sample's */
	bool window;
	uint64_t offset;	/* in the AUX buffer (AUXTRACE.offset plus position) */
	uint64_t size;
	/* bytes at its begin that belong to windows before, and are decoded for the state */
	uint64_t lead;
	uint64_t flags;		/* PERF_AUX_FLAG_* */
	uint64_t time;		/* of the AUX record; UINT64_MAX: none */
	const uint8_t *data;	/* its bytes in one piece, while it is being decoded */
};

/* The recorder pads chunks to a multiple of 8. */
#define MAX_PADDING 7

/* An AUXTRACE record. */
struct chunk {
	uint64_t offset;	/* in the AUX buffer */
	uint64_t size;		/* bytes that are there */
	uint64_t end;		/* of what belongs to this chunk: padding, and what the next one repeats, is left out */
	uint64_t covered;	/* bytes that fragments use */
	uint64_t seq;
	unsigned int span;	/* number of the time that the buffer was open, in the order of the file (spans.h) */
	const uint8_t *data;
};

struct span;
struct workers;

/* An AUX record. */
struct aux_record {
	uint64_t offset, size, flags;
	uint64_t time;		/* NO_TIME: none */
	uint64_t seq;
	int cpu, pid, tid;	/* of the record's sample_id; -1: none */
	bool matched;
	bool of_thread;		/* its buffer follows a thread */
	bool refused;		/* unknown format */
	bool fragments;		/* has some */
	bool counted;		/* what it lost, in this run */
	uint64_t missing;	/* bytes that the file does not hold */
	struct span *span;	/* whose offsets it has; NULL: those of any */
	size_t era;		/* of spans.c: number from 1 of the times that offsets began again; 0: not looked at */
	bool lost;		/* the file has no data of its era */
};

/* The bytes that one chunk has of a fragment. */
struct fragment_part {
	const uint8_t *data;
	uint64_t size;
};

struct fragment {
	struct session_fragment pub;
	size_t first_part;	/* of the queue's parts; its bytes in the AUX buffer are contiguous */
	unsigned int nr_parts;
	int aux_cpu, aux_tid;	/* where the AUX record was written, and by whom; -1: unknown */
	uint64_t since;		/* time of the AUX record before; 0: none */
	uint64_t since_seq;	/* its place in the file; 0: none */
	uint64_t seq;
	struct aux_record *aux;	/* NULL: none */
};

#define QUEUE_SINKS 8

struct queue {
	unsigned int number;
	uint32_t idx;
	int cpu, tid;
	struct {
		struct chunk *chunks;
		size_t nr_chunks, cap_chunks;
		struct span *spans;
		size_t nr_spans, cap_spans;
		struct fragment_part *parts;
		size_t nr_parts, cap_parts;
	} found;
	struct fragment *frags;
	size_t nr_frags, cap_frags;
	bool any_aux;
	uint64_t unclaimed;	/* bytes that no AUX record covers */
	bool any_raw, any_frames;
	struct {
		unsigned int nr_sinks;	/* sinks that wrote into it, of owners_finish() */
		uint32_t sinks[QUEUE_SINKS];
	} wrote;
	uint64_t ids[2];	/* trace IDs in the frames: after queue_find_ids() */
	_Atomic bool ids_known;		/* `ids` are complete */
	struct workers *ids_search;	/* a job for each fragment */
	uint64_t ids_read;		/* bytes searched since memory of the file was freed */
};

/* The last AUX record of a buffer in the pieces of a pipe before this one. */
struct aux_before {
	uint32_t idx;
	int cpu, tid;
	uint64_t time, seq;
};

struct queues {
	struct queue **q;
	size_t nr, cap;
	struct aux_record *aux;
	size_t nr_aux, cap_aux;
	struct aux_before *before;
	size_t nr_before, cap_before;
	bool snapshot;		/* AUXTRACE_INFO says so */
	struct windows windows;
	/* Losses, filled by queues_finish(). */
	uint64_t missing;	/* bytes that AUX records announce and the file does not hold */
	uint64_t unclaimed;	/* bytes that no AUX record covers in buffers that have AUX records */
	uint64_t refused;	/* AUX records of an unknown format */
	uint64_t refused_format; /* the first of them */
};

void queues_add_chunk(struct queues *qs, const struct pd_record *rec);
void queues_add_aux(struct queues *qs, const struct pd_record *rec);
/* A PD_RECORD_CST_AUX_BEFORE. */
void queues_note_before(struct queues *qs, const struct pd_record *rec);
/* A buffer, and a fragment of one without bytes: for windows.c. */
struct queue *queue_add(struct queues *qs, uint32_t idx, int cpu, int tid);
struct fragment *fragment_add(struct queue *q, uint64_t offset);
/* Make the fragments. */
void queues_finish(struct queues *qs);
void queues_free(struct queues *qs);

/* Room for the bytes of one fragment; all zero to begin with. */
struct joined {
	uint8_t *data;
	uint64_t cap;
};

/*
 * The bytes of a fragment in one piece: where the file's records cut a buffer says nothing about the trace, and
 * a decoder or a scan must not see less because of it. Those of several AUXTRACE records
 * are copied to `j` and valid until its next use.
 */
const uint8_t *fragment_bytes(struct joined *j, const struct queue *q, const struct fragment *f);
void joined_free(struct joined *j);
/* Trace IDs in formatter frames: sets bits of `ids` (one per ID). */
void frame_ids(const struct queue *q, const struct fragment *f, uint64_t ids[2]);

/* Finds the trace IDs in the frames of a queue (queue.ids), once. Threads that call it at a time divide the fragments. */
void queue_find_ids(struct queue *q);
/* As queue_find_ids(), for several queues, in the calling thread and others: `threads` together. */
void queues_find_ids(struct queue *const *q, size_t nr, unsigned int threads);
/* Nothing in the fragment is older: the time of the AUX record before, 0 if that is not known. */
uint64_t fragment_floor(const struct fragment *f);
/* Bytes of the fragment that no other has. */
static inline uint64_t fragment_fresh(const struct fragment *f)
{
	return f->pub.size - f->pub.lead;
}

#endif
