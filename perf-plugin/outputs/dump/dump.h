/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dump.h - listings of trace: what to list, where it goes, and the two kinds of input. The commands dump and index
 * are made of it.
 */
#ifndef CSTRACE_OUTPUTS_DUMP_DUMP_H
#define CSTRACE_OUTPUTS_DUMP_DUMP_H

#include <stdbool.h>

#include <cstrace/cstrace.h>

#include "base/files/output.h"
#include "outputs/dump/range.h"

enum dump_format { DUMP_TEXT, DUMP_OPENCSD, DUMP_JSON, DUMP_NONE };

/* Lines are collected and written in large pieces. */
struct dump_out {
	struct pd_output file;
	char *buf;
	size_t len;
};

#define DUMP_OUT_SIZE (256u << 10)
#define DUMP_LINE_MAX 2048	/* no line is longer, except those made of several reservations */

/* 0, or ERR_REPORTED. */
int dump_out_open(struct dump_out *o, const char *path);
/* 0, or ERR_REPORTED. Without anything a file does not appear (pd_output_end_if()). */
int dump_out_close(struct dump_out *o, bool anything);
/* After an error: no file appears, or the one that was there stays. */
void dump_out_abort(struct dump_out *o);
/* Room for one line; the caller writes there and calls dump_out_done with its end. */
char *dump_out_line(struct dump_out *o);
static inline void dump_out_done(struct dump_out *o, const char *end)
{
	o->len = (size_t)(end - o->buf);
}

/* Pieces of a line; each returns the new end. */
char *dump_str(char *p, const char *s);
char *dump_hex(char *p, uint64_t v, unsigned int digits);
char *dump_dec(char *p, uint64_t v);
char *dump_address(char *p, uint64_t v);	/* 0x.. */
/* A member of a JSON object that is not the first one. */
char *dump_key_str(char *p, const char *key, const char *value);
char *dump_key_dec(char *p, const char *key, uint64_t value);
char *dump_key_hex(char *p, const char *key, uint64_t value);
char *dump_key_true(char *p, const char *key);

struct dump {
	const char *who;	/* begins messages; NULL: "cstrace dump" */
	struct dump_out out;
	enum dump_format format;
	struct {
		bool frames, packets, elements;
		bool packed;		/* frames as they stand */
	} show;
	struct {
		int only_id;		/* trace ID, -1: all */
		bool one_source;	/* --source names one of the trace sources of a buffer */
		bool has_id;		/* there is trace of only_id, or a source that has it */
		bool raw;		/* section without frames: packets belong to no ID */
		/* trace IDs of this buffer whose configuration is refused: they have no elements */
		bool packets_only[128];
	} id;
	struct {
		bool losses;		/* in any section; of a recording, more than is accepted */
		bool unmatched;		/* nothing fits the filters */
		struct cst_stats stats;	/* sums over all decoders */
		/* not all elements are listed: DUMP_NONE counts those that would be, in `passed` */
		bool filtered;
		struct cst_stats passed;
		struct cst_frame_stats frame_stats;
		uint64_t unrouted;
	} sums;
	bool strict;		/* config.strict = 1 */
	bool insn_ranges;	/* config.insn_ranges = 1 */
	bool itm_sync;		/* config.itm_sync = CST_ITM_SYNC_PACKET */
	struct dump_range *range; /* --from, --to; NULL: all */
	struct index_book *make; /* instead of a listing: indexes */
	struct {
		const char *section;	/* name of the buffer (-s) */
		unsigned int buffer;	/* its number (-i) */
		unsigned int *reading;	/* gets it, for who owns `log`; NULL: nobody */
		int cpu, pid, tid;	/* of the elements that follow; -1: not known */
	} at;
	struct cst_log *log;	/* NULL: none was asked for */
};

/* Fails if the listing, or the index that is made, would replace a file that is read. 0, or ERR_REPORTED. */
int dump_check_output(const struct dump *d);

/* One line each, in the chosen format. */
void dump_packet(struct dump *d, const struct cst_decoder *dec, const struct cst_packet *pkt);
void dump_element(struct dump *d, const struct cst_decoder *dec, const struct cst_generic *g);
void dump_fragment(struct dump *d, const struct cst_fragment *frag, const uint8_t *data);
/* A new buffer or AUX fragment; `detail` is shown to people only. */
void dump_section(struct dump *d, const char *name, const char *detail);
void dump_counts(struct dump *d);
/* The losses summed up on stderr; sets d->losses. */
void dump_losses(struct dump *d);

/* log.c: --log. Its levels by name ("": all); false for another word. */
bool dump_log_level(const char *name, enum cst_severity *level);
/* Makes d->log, which prints each record when it is made. */
void dump_log_open(struct dump *d, enum cst_severity level);
/* How many there were, on stderr. */
void dump_log_sum(const struct dump *d);

void dump_text_element(struct dump *d, const struct cst_generic *g);
/* sw.c: what is particular to software trace and data trace. */
char *dump_text_sw(char *p, const struct cst_generic *g);
char *dump_text_itm(char *p, const struct cst_generic *g);
char *dump_text_data(char *p, const struct cst_generic *g);
char *dump_text_condition(char *p, const struct cst_generic *g);
char *dump_json_sw(char *p, const struct cst_generic *g);
char *dump_json_itm(char *p, const struct cst_generic *g);
char *dump_json_data(char *p, const struct cst_generic *g);
char *dump_json_condition(char *p, const struct cst_generic *g);
void dump_json_packet(struct dump *d, const struct cst_decoder *dec, const struct cst_packet *pkt, unsigned int id);
void dump_json_element(struct dump *d, const struct cst_generic *g);

/*
 * List one buffer: feed, take packets and elements in order, end. `tree` has its decoders; they and
 * the tree are added to the sums.
 */
int dump_tree(struct dump *d, struct cst_tree *tree, const uint8_t *data, size_t len, uint64_t offset);
/* Frame flags of a tree made for a listing: those of the buffer, and what the options ask for. */
unsigned int dump_frame_flags(const struct dump *d, unsigned int flags, bool packed);
/* List the frames of a piece of a buffer or what is in them; the tree is for nothing else. */
int dump_frames(struct dump *d, struct cst_tree *tree, const uint8_t *data, size_t len, uint64_t offset);

/* Add what the tree's frames lost to the sums. */
void dump_sum_frames(struct dump *d, const struct cst_tree *tree);

struct bare_opts;
struct session_opts;
/* The two inputs. 0, also with losses (d->losses); or ERR_REPORTED. `bare` may be NULL (import/bare.h). */
int dump_snapshot(struct dump *d, const char *dir, const struct bare_opts *bare, const char *source);
int dump_session(struct dump *d, const struct session_opts *opts);

#endif
