/* SPDX-License-Identifier: GPL-2.0-only */
/* listing.c - runs a session and prints a line for each sample. */
#include "synth/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/name.h"
#include "decode/decode.h"
#include "decode/locate.h"
#include "synth/evname.h"
#include "synth/merge.h"
#include "synth/symbols.h"
#include "synth/text.h"
#include "tasks/comms.h"

/* Maximum size of a line's fixed part, and of an entry of a branch stack or call chain, without names. */
#define ROOM	512u
#define OUT_BUFFER	(1u << 20)
/* width of pid and tid up to perf 6.4; 7 in later versions */
#define ID_WIDTH	5

/* Text that is common to lines of the same thread, CPU, event and printed time. */
struct line_start {
	size_t len;		/* 0: empty */
	uint64_t time;		/* in the printed unit */
	uint64_t from, until;	/* span in which the thread has this name */
	uint64_t period;
	const char *event;
	int pid, tid, cpu;
	char text[256];
};

/* Text of one value of the field "flags". */
struct flags_text {
	unsigned int flags;
	uint8_t len;		/* 0: empty */
	char text[2 * TEXT_SPARE];
};

#define FLAGS_TEXTS 64u

/* State per stream. */
struct line_lane {
	struct merge_lane *ln;
	struct symbol_at last;	/* names of the source of an open branch */
	int last_tid;
	struct line_lane *next;	/* next in the list of lanes whose streams have ended */
};

struct listing {
	struct session *ss;
	struct itrace_opts o;
	unsigned int fields;
	bool names;		/* files or symbols are printed */
	char branches[EVNAME_MAX], insns[EVNAME_MAX];
	size_t event_width;
	struct pd_output out;
	bool open;
	uint8_t *buf;
	size_t fill;
	struct merge *m;
	struct merge_lane *single;
	/* of a piece decoded in another thread: its lanes in the merge of the whole output */
	struct merge_lanes lanes;
	bool is_piece, taken;
	struct line_lane *done;	/* lanes that seams refer to */
	struct listing *from;	/* the listing of the pieces before, whose streams this piece continues; NULL: none */
	uint64_t pieces;	/* of the whole output: number of pieces taken */
	struct sampler *sp;
	struct comms *comms;
	struct symbols symbols;
	struct line_start start;
	struct flags_text flags[FLAGS_TEXTS];
	/* the line being written */
	struct line_lane *lane;
	struct merge_lane *ln;
	uint64_t time;
	char *p;
};

/* ---- output ----------------------------------------------------------------------------------- */

static void sink_write(void *data, const void *bytes, size_t len)
{
	struct listing *l = data;

	const bool large = len >= OUT_BUFFER / 32;	/* avoids a copy */

	if (large || l->fill + len > OUT_BUFFER) {
		pd_output_write(&l->out, l->buf, l->fill);
		l->fill = 0;
	}
	if (large) {
		pd_output_write(&l->out, bytes, len);
		return;
	}
	memcpy(l->buf + l->fill, bytes, len);
	l->fill += len;
}

/* Copies the names at a seam, which are valid as long as the session. */
static void copy_last(struct line_lane *lane, const struct line_lane *was)
{
	if (!was)
		return;
	lane->last = was->last;
	lane->last_tid = was->last_tid;
}

static struct line_lane *lane_of(struct listing *l, const struct stream *s)
{
	const struct sampler_seam *was;
	void **slot = sampler_slot(s);
	struct line_lane *lane = *slot;

	if (lane)
		return lane;
	lane = calloc(1, sizeof(*lane));
	if (!lane)
		return NULL;
	lane->ln = l->single && !l->is_piece ? l->single : merge_lanes_add(&l->lanes, l->m, 0, s->place);
	if (!lane->ln) {
		free(lane);
		return NULL;
	}
	was = l->from ? sampler_seam(l->from->sp, s->place) : NULL;
	if (was) {
		lane->ln->time = was->last;
		copy_last(lane, was->user);
	}
	*slot = lane;
	return lane;
}

static bool line_begin(struct listing *l, const struct stream *s, uint64_t time)
{
	l->lane = lane_of(l, s);
	if (!l->lane)
		return false;
	l->ln = l->lane->ln;
	l->time = time;
	l->p = merge_reserve(l->ln, time);
	return true;
}

static void line_end(struct listing *l)
{
	*l->p++ = '\n';
	merge_commit(l->ln, (size_t)(l->p - (char *)l->ln->cur));
}

/* Makes room for `n` bytes, n <= MERGE_PIECE; a long line consists of several pieces. */
static inline void room(struct listing *l, size_t n)
{
	if ((size_t)((char *)l->ln->end - l->p) >= n)
		return;
	merge_commit(l->ln, (size_t)(l->p - (char *)l->ln->cur));
	l->p = merge_reserve(l->ln, l->time);
}

/* Appends `n` bytes of text without control characters, aligned to the right. */
static inline void put_text(struct listing *l, const char *s, size_t n, size_t width)
{
	l->p = text_pad(l->p, n, width, ' ');
	if (n > MERGE_PIECE / 2)
		n = MERGE_PIECE / 2;
	room(l, n + ROOM);
	l->p = text_bytes(l->p, s, n);
}

/* Appends a recorded name; `plain` is its name_plain_len(). */
static inline void put_name(struct listing *l, const char *s, size_t plain, size_t width)
{
	if (!plain) {
		s = name_shown(s);
		plain = strlen(s);
	}
	put_text(l, s, plain, width);
}

static void put_string(struct listing *l, const char *s)
{
	put_text(l, s, strlen(s), 0);
}

/* ---- fields ----------------------------------------------------------------------------------- */

static void put_comm(struct listing *l, const char *name, bool padded)
{
	put_name(l, name, name_plain_len(name), padded ? 16 : 0);
	*l->p++ = ' ';
}

static void put_time(struct listing *l, uint64_t time)
{
	char tmp[40 + TEXT_SPARE], *p;

	p = text_dec(tmp, (int64_t)(time / 1000000000u), 0, ' ');
	*p++ = '.';
	if (l->fields & LIST_NS)
		p = text_dec(p, (int64_t)(time % 1000000000u), 9, '0');
	else
		p = text_dec(p, (int64_t)(time % 1000000000u / 1000), 6, '0');
	l->p = text_pad(l->p, (size_t)(p - tmp), 12, ' ');
	l->p = text_bytes(l->p, tmp, (size_t)(p - tmp));
	l->p = text_lit(l->p, ": ");
}

static void put_who(struct listing *l, const struct stream *s, const char *comm, int pid, int tid, uint64_t time,
		    bool with_chain)
{
	if (l->fields & LIST_COMM)
		put_comm(l, comm, !with_chain);
	if (l->fields & LIST_PID && l->fields & LIST_TID) {
		char *start;

		l->p = text_dec(l->p, pid, ID_WIDTH, ' ');
		*l->p++ = '/';
		start = l->p;
		l->p = text_dec(l->p, tid, 0, ' ');
		l->p = text_pad(l->p, (size_t)(l->p - start), ID_WIDTH, ' ');
		*l->p++ = ' ';
	} else if (l->fields & (LIST_PID | LIST_TID)) {
		l->p = text_dec(l->p, l->fields & LIST_PID ? pid : tid, ID_WIDTH, ' ');
		*l->p++ = ' ';
	}
	if (l->fields & LIST_CPU) {
		*l->p++ = '[';
		if (s->cpu < 0)
			l->p = text_lit(l->p, "-01");	/* as printf fills a negative number */
		else
			l->p = text_dec(l->p, s->cpu, 3, '0');
		l->p = text_lit(l->p, "] ");
	}
	if (l->fields & LIST_TIME)
		put_time(l, time);
}

static void put_period(struct listing *l, uint64_t period)
{
	if (!(l->fields & LIST_PERIOD))
		return;
	l->p = text_dec(l->p, (int64_t)period, 10, ' ');
	*l->p++ = ' ';
}

static void put_event(struct listing *l, const char *name)
{
	if (!(l->fields & LIST_EVENT))
		return;
	put_text(l, name, strlen(name), l->event_width);
	l->p = text_lit(l->p, ": ");
}

/* Prints a line up to and including its event. */
static void put_start(struct listing *l, const struct stream *s, int pid, int tid, uint64_t time, bool with_chain,
		      uint64_t period, const char *event)
{
	const uint64_t shown = l->fields & LIST_NS ? time : time / 1000;
	struct line_start *start = &l->start;
	const char *comm, *at = l->p;
	const uint8_t *piece = l->ln->cur;
	size_t len;

	if (start->len && start->time == shown && time >= start->from && time < start->until && start->tid == tid &&
	    start->event == event && start->pid == pid && start->cpu == s->cpu && start->period == period && !with_chain) {
		l->p = text_short(l->p, start->text, start->len);
		return;
	}
	comm = comms_span(l->comms, tid, time, &start->from, &start->until);
	put_who(l, s, comm, pid, tid, time, with_chain);
	put_period(l, period);
	put_event(l, event);
	len = (size_t)(l->p - at);
	/* a long name splits the line into pieces */
	if (with_chain || l->ln->cur != piece || len > sizeof(start->text) - TEXT_SPARE) {
		start->len = 0;
		return;
	}
	memcpy(start->text, at, len);
	start->len = len;
	start->time = shown;
	start->tid = tid;
	start->pid = pid;
	start->cpu = s->cpu;
	start->event = event;
	start->period = period;
}

static const struct {
	uint16_t flags;
	const char *name;
} flag_names[] = {
	{ 0x003, "call" },
	{ 0x005, "return" },
	{ 0x009, "jcc" },
	{ 0x001, "jmp" },
	{ 0x043, "int" },
	{ 0x045, "iret" },
	{ 0x013, "syscall" },
	{ 0x015, "sysret" },
	{ 0x021, "async" },
	{ 0x063, "hw int" },
	{ 0x101, "tr strt" },
	{ 0x201, "tr end" },
};

static const char *flag_name(unsigned int flags)
{
	size_t i;

	for (i = 0; i < sizeof(flag_names) / sizeof(flag_names[0]); i++)
		if (flag_names[i].flags == flags)
			return flag_names[i].name;
	return NULL;
}

static void make_flags_text(struct flags_text *t, unsigned int flags)
{
	const unsigned int trace_end = 0x200;
	const char *name = flag_name(flags), *end = NULL;
	char tmp[24], *p = tmp, *to = t->text;

	if (!name && flags & trace_end)
		end = flag_name(flags & ~trace_end);
	if (name) {
		p = text_bytes(p, name, strlen(name));
	} else if (end) {
		p = text_lit(p, "tr end  ");
		p = text_bytes(p, end, strlen(end));
	}
	to = text_lit(to, "  ");
	to = text_bytes(to, tmp, (size_t)(p - tmp));
	to = text_pad(to, (size_t)(p - tmp), 21, ' ');
	*to++ = ' ';
	t->flags = flags;
	t->len = (uint8_t)(to - t->text);
}

static void put_flags(struct listing *l, unsigned int flags)
{
	struct flags_text *t = &l->flags[(flags ^ flags >> 5) % FLAGS_TEXTS];

	if (!(l->fields & LIST_FLAGS))
		return;
	if (!t->len || t->flags != flags)
		make_flags_text(t, flags);
	l->p = text_short(l->p, t->text, t->len);
}

static void put_dso(struct listing *l, const struct symbol_at *at)
{
	if (at->dso)
		put_name(l, at->dso, at->dso_plain, 0);
	else
		put_string(l, "[unknown]");
}

static void put_symbol(struct listing *l, const struct symbol_at *at)
{
	if (l->fields & LIST_SYM) {
		*l->p++ = ' ';
		if (at->name)
			put_name(l, at->name, at->name_plain, 0);
		else
			put_string(l, "[unknown]");
		if (at->name && l->fields & LIST_SYMOFF) {
			l->p = text_lit(l->p, "+0x");
			l->p = text_hex(l->p, at->offset, 0);
		}
	}
	if (l->fields & LIST_DSO) {
		l->p = text_lit(l->p, " (");
		put_dso(l, at);
		*l->p++ = ')';
	}
}

/* As put_symbol() for an entry of l->symbols, whose text is cached. */
static void put_found(struct listing *l, const struct symbol_at *found)
{
	const size_t slot = (size_t)(found - l->symbols.slot);
	struct symbol_at *at = &l->symbols.slot[slot];
	char *text = l->symbols.text[slot];
	const uint8_t *piece;
	const char *start;

	room(l, ROOM);
	if (at->text_len) {
		l->p = text_short(l->p, text, at->text_len);
		return;
	}
	start = l->p;
	piece = l->ln->cur;
	put_symbol(l, at);
	if (l->ln->cur == piece && (size_t)(l->p - start) <= SYMBOL_TEXT - TEXT_SPARE) {
		at->text_len = (uint16_t)(l->p - start);
		memcpy(text, start, at->text_len);
	}
}

/* Prints symbol and file of an address that thread `tid` executed. */
static void put_names(struct listing *l, const struct stream *s, uint64_t addr, int tid)
{
	static const struct symbol_at unknown;

	if (!(l->fields & (LIST_SYM | LIST_DSO)))
		return;
	/* an exception or a switch may have changed the address space meanwhile */
	if (l->lane->last.addr == addr && l->lane->last_tid == tid && addr)
		put_symbol(l, &l->lane->last);
	else if (tid == s->tid)
		put_found(l, symbols_find(&l->symbols, s, addr));
	else
		put_symbol(l, &unknown);
}

static void put_insn(struct listing *l, const struct stream *s, uint64_t addr, unsigned int size)
{
	uint8_t code[4];
	size_t n, i;

	if (l->fields & LIST_INSNLEN) {
		l->p = text_lit(l->p, " ilen: ");
		l->p = text_dec(l->p, size, 0, ' ');
	}
	if (!(l->fields & LIST_INSN) || !size)
		return;
	n = session_read_code(s, addr, code, size < 4 ? size : 4);
	if (!n)
		return;
	l->p = text_lit(l->p, " insn:");
	for (i = 0; i < n; i++) {
		*l->p++ = ' ';
		*l->p++ = "0123456789abcdef"[code[i] >> 4];
		*l->p++ = "0123456789abcdef"[code[i] & 15];
	}
}

static const char *const type_names[] = {
	"", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET", "COND_CALL",
	"COND_RET", "ERET", "IRQ", "SERROR", "NO_TX", "",
};

static void put_stack_addr(struct listing *l, const struct stream *s, const char *before, uint64_t addr)
{
	const struct symbol_at *at;

	room(l, ROOM);
	put_string(l, before);
	l->p = text_hex(l->p, addr, 0);
	if (!(l->fields & LIST_DSO))
		return;
	at = symbols_find(&l->symbols, s, addr);
	*l->p++ = '(';
	put_dso(l, at);
	*l->p++ = ')';
}

static void put_stack(struct listing *l, const struct stream *s, const struct ring *r)
{
	const struct ring_entry *e;
	uint32_t i, at;

	for (i = 0; i < r->count; i++) {
		at = r->head + i;
		e = &r->e[at < r->size ? at : at - r->size];
		put_stack_addr(l, s, " 0x", e->from);
		put_stack_addr(l, s, "/0x", e->to);
		l->p = text_lit(l->p, "/P/-/-/");
		l->p = text_dec(l->p, e->flags >> RING_CYCLES_SHIFT & RING_CYCLES_MAX, 0, ' ');
		*l->p++ = '/';
		put_string(l, type_names[e->flags >> RING_TYPE_SHIFT & 15]);
		*l->p++ = ' ';
	}
}

static void put_chain(struct listing *l, const struct stream *s, const uint64_t *chain, unsigned int n)
{
	unsigned int i;

	*l->p++ = '\n';
	for (i = 0; i < n; i++) {
		/* context markers are addresses in the last page */
		if (chain[i] >= (uint64_t)-4095)
			continue;
		room(l, ROOM);
		*l->p++ = '\t';
		l->p = text_hex16(l->p, symbols_find(&l->symbols, s, chain[i])->shown);
		put_names(l, s, chain[i], s->tid);
		*l->p++ = '\n';
	}
}

/* ---- samples ---------------------------------------------------------------------------------- */

static int on_branch(void *data, const struct stream *s, const struct branch *b)
{
	struct listing *l = data;

	if (!line_begin(l, s, b->time))
		return ERR_NOMEM;
	put_start(l, s, b->pid, b->tid, b->time, false, 1, l->branches);
	put_flags(l, branch_ip_flags(b));
	if (l->fields & LIST_IP) {
		*l->p++ = ' ';
		l->p = text_hex16(l->p, b->from);
		put_names(l, s, b->from, b->tid);
	}
	if (l->fields & LIST_ADDR) {
		l->p = text_lit(l->p, " => ");
		l->p = text_hex16(l->p, b->to);
		put_names(l, s, b->to, s->tid);
	}
	if (l->fields & (LIST_INSN | LIST_INSNLEN))
		put_insn(l, s, b->from, b->size);
	line_end(l);
	return 0;
}

static int on_insn(void *data, const struct stream *s, const struct insn_sample *i)
{
	struct listing *l = data;

	if (!line_begin(l, s, i->time))
		return ERR_NOMEM;
	put_start(l, s, i->pid, i->tid, i->time, i->nr_chain != 0, i->period, l->insns);
	put_flags(l, 0);
	if (l->fields & LIST_IP) {
		if (i->nr_chain) {
			put_chain(l, s, i->chain, i->nr_chain);
		} else {
			*l->p++ = ' ';
			l->p = text_hex16(l->p, i->ip);
			put_names(l, s, i->ip, i->tid);
		}
	}
	if (l->fields & LIST_BRSTACK && i->stack)
		put_stack(l, s, i->stack);
	if (l->fields & (LIST_INSN | LIST_INSNLEN))
		put_insn(l, s, i->ip, i->size);
	line_end(l);
	return 0;
}

static int on_error(void *data, const struct stream *s, const struct error_sample *e)
{
	struct listing *l = data;

	if (!line_begin(l, s, e->time))
		return ERR_NOMEM;
	l->p = text_lit(l->p, " instruction trace error type 1 time ");
	if (e->time) {
		l->p = text_dec(l->p, (int64_t)(e->time / 1000000000u), 0, ' ');
		*l->p++ = '.';
		l->p = text_dec(l->p, (int64_t)(e->time % 1000000000u), 9, '0');
	} else {
		*l->p++ = '0';
	}
	l->p = text_lit(l->p, " cpu ");
	l->p = text_dec(l->p, s->cpu, 0, ' ');
	l->p = text_lit(l->p, " pid ");
	l->p = text_dec(l->p, e->pid, 0, ' ');
	l->p = text_lit(l->p, " tid ");
	l->p = text_dec(l->p, e->tid, 0, ' ');
	l->p = text_lit(l->p, " ip ");
	if (e->ip)
		l->p = text_lit(l->p, "0x");
	l->p = text_hex(l->p, e->ip, 0);
	l->p = text_lit(l->p, " code ");
	l->p = text_dec(l->p, e->code, 0, ' ');
	l->p = text_lit(l->p, ": ");
	put_name(l, e->text, 0, 0);
	line_end(l);
	return 0;
}

/* ---- batches ---------------------------------------------------------------------------------- */

static int remember_last(struct listing *l, const struct stream *s)
{
	struct line_lane *lane = lane_of(l, s);
	uint64_t last;
	int tid;

	if (!lane)
		return ERR_NOMEM;
	last = sampler_last(s, &tid);
	if (last && tid == s->tid && (last != lane->last.addr || lane->last_tid != tid)) {
		lane->last = *symbols_find(&l->symbols, s, last);
		lane->last_tid = s->tid;
	}
	return 0;
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct listing *l = data;
	int rc;

	if (l->names)
		symbols_begin(&l->symbols);
	rc = sampler_batch(l->sp, s, g, n);
	if (!rc && l->names)
		rc = remember_last(l, s);
	return rc;
}

static int on_fragment_end(void *data, const struct stream *s)
{
	struct listing *l = data;

	if (!l->is_piece && l->out.error)
		return -CST_ERR_IO;
	return sampler_fragment_end(l->sp, s);
}

static void on_stream_end(void *data, const struct stream *s)
{
	struct line_lane *lane = *s->priv ? *sampler_slot(s) : NULL;
	struct sampler_seam *seam;
	struct listing *l = data;

	sampler_stream_end(l->sp, s);
	seam = sampler_last_seam(l->sp);
	if (!lane)
		return;
	lane->next = l->done;
	l->done = lane;
	if (!seam)
		return;
	seam->first = lane->ln->first;
	seam->last = lane->ln->time;
	seam->user = lane;
}

/* ---- pieces that are decoded in other threads ------------------------------------------------- */

static struct sample_ops make_ops(struct listing *l)
{
	return (struct sample_ops){ .branch = on_branch, .insn = on_insn, .error = on_error, .data = l };
}

static void free_lanes(struct line_lane *lane)
{
	struct line_lane *next;

	for (; lane; lane = next) {
		next = lane->next;
		free(lane);
	}
}

static void piece_free(void *piece)
{
	struct listing *l = piece;

	if (!l->taken)
		merge_lanes_drop(&l->lanes);
	merge_lanes_free(&l->lanes);
	free_lanes(l->done);
	sampler_free(l->sp);
	comms_free(l->comms);
	free(l);
}

static bool piece_fits(void *data, void *piece)
{
	const struct listing *l = data, *more = piece;

	return sampler_fits(l->sp, more->sp);
}

static void piece_continue(void *data, void *piece)
{
	struct listing *l = data, *more = piece;

	more->from = l;
	sampler_continue(more->sp, l->sp);
}

/* Returns the lane for the end of a stretch that the previous piece left open; it precedes the next piece. */
static void *seam_lane(void *data, const struct sampler_seam *was)
{
	struct line_lane *lane = calloc(1, sizeof(*lane));
	struct merge_lanes one = { .v = NULL };
	struct listing *l = data;

	if (!lane)
		return NULL;
	lane->next = l->done;
	l->done = lane;
	copy_last(lane, was->user);
	lane->ln = l->single ? l->single : merge_lanes_add(&one, l->m, 0, was->place);
	symbols_begin(&l->symbols);
	if (!l->single && lane->ln)
		lane->ln->time = was->last;
	merge_lanes_order(&one, l->pieces);
	merge_lanes_free(&one);
	return lane->ln ? lane : NULL;
}

static void *piece_new(void *data, struct session *ss)
{
	const struct listing *whole = data;
	struct listing *l = calloc(1, sizeof(*l));
	struct sample_ops ops = make_ops(l);

	if (!l)
		return NULL;
	l->ss = ss;
	l->fields = whole->fields;
	l->names = whole->names;
	memcpy(l->branches, whole->branches, sizeof(l->branches));
	memcpy(l->insns, whole->insns, sizeof(l->insns));
	l->event_width = whole->event_width;
	l->m = whole->m;
	l->is_piece = true;
	l->sp = sampler_new(&whole->o, &ops, session_read_code);
	l->comms = comms_share(whole->comms);
	if (l->sp && l->comms)
		return l;
	piece_free(l);
	return NULL;
}

static int piece_take(void *data, void *piece)
{
	struct listing *l = data, *more = piece;
	const struct sampler_seam *seam;
	struct line_lane **last;
	size_t i;
	int rc;

	l->pieces += 2;
	rc = sampler_join(l->sp, more->sp, seam_lane, l);
	merge_lanes_order(&more->lanes, l->pieces + 1);
	for (i = 0; (seam = sampler_nth_seam(more->sp, i)); i++)
		if (seam->user)
			merge_lane_floor(((struct line_lane *)seam->user)->ln, seam->floor);
	for (i = 0; l->single && i < more->lanes.nr && !rc; i++)
		if (merge_direct_lane(l->m, more->lanes.v[i]))
			rc = -CST_ERR_IO;
	/* seams refer to these lanes */
	for (last = &l->done; *last; last = &(*last)->next)
		;
	*last = more->done;
	more->done = NULL;
	more->taken = !rc;
	return rc ? rc : l->out.error ? -CST_ERR_IO : 0;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static void widen(struct listing *l, const char *name)
{
	size_t n = name ? strlen(name) : 0;

	if (n > l->event_width && n < ROOM / 2)
		l->event_width = n;
}

/* perf aligns to the longest name of all events, including those of the input */
static void name_events(struct listing *l, const struct itrace_opts *o)
{
	const struct perfdata *pd = session_perfdata(l->ss);
	const struct perf_event_attr *a = evname_find(pd, session_pmu_type(l->ss));
	unsigned int i;

	evname_make(l->branches, sizeof(l->branches), "branches", a);
	evname_make(l->insns, sizeof(l->insns), "instructions", a);
	name_escape(l->branches, sizeof(l->branches));
	name_escape(l->insns, sizeof(l->insns));
	if (o->branches)
		widen(l, l->branches);
	if (o->instructions)
		widen(l, l->insns);
	for (i = 0; i < perfdata_nr_attrs(pd); i++)
		widen(l, perfdata_attr(pd, i)->name);
}

struct listing *listing_open(struct session *ss, const struct itrace_opts *o, unsigned int fields,
			     const char *output)
{
	struct listing *l = calloc(1, sizeof(*l));
	struct sample_ops ops = make_ops(l);
	struct merge_sink sink = { .write = sink_write, .data = l };
	struct error err = { .code = 0 };

	if (!l)
		goto nomem;
	l->ss = ss;
	l->o = *o;
	l->fields = fields;
	l->names = fields & (LIST_SYM | LIST_DSO) || o->chain;
	name_events(l, o);
	l->buf = malloc(OUT_BUFFER);
	l->m = merge_new(&sink, NULL);
	l->sp = sampler_new(o, &ops, session_read_code);
	l->comms = comms_new(session_perfdata(ss));
	if (!l->buf || !l->m || !l->sp || !l->comms)
		goto nomem;
	if (pd_output_open(&l->out, output, &err)) {
		fprintf(stderr, "cstrace script: %s\n", err.msg);
		listing_close(l);
		return NULL;
	}
	l->open = true;
	if (session_max_streams(ss) == 1) {
		l->single = merge_lane_new(l->m, 0, 0);
		if (!l->single || merge_direct(l->m, l->single))
			goto nomem;
	}
	return l;
nomem:
	fprintf(stderr, "cstrace script: out of memory\n");
	listing_close(l);
	return NULL;
}

int listing_run(struct listing *l)
{
	struct session_consumer c = { .data = l, .batch = on_batch, .fragment_end = on_fragment_end,
				      .stream_end = on_stream_end };
	struct error err = { .code = 0 };
	int rc;

	sampler_consumer(l->sp, &c);
	/* the bytes of an instruction are read when its line is printed, possibly in the next piece */
	c.by_fragment = sampler_unit(l->sp) == SAMPLER_FRAGMENT && !(l->fields & LIST_INSN);
	/* with one stream, lines of all branches, a hundred times the size of the trace, are written directly */
	c.by_fragment &= !(l->single && l->o.branches);
	if (sampler_unit(l->sp) != SAMPLER_ALL && (c.by_fragment || !l->single)) {
		c.piece_new = piece_new;
		c.piece_fits = piece_fits;
		c.piece_continue = piece_continue;
		c.piece_take = piece_take;
		c.piece_free = piece_free;
	}
	rc = session_run(l->ss, &c);
	if (rc == ERR_NOMEM)
		fprintf(stderr, "cstrace script: out of memory\n");
	if (rc && !l->out.error)
		return rc;
	if (!rc) {
		rc = merge_finish(l->m);
		if (rc) {
			fprintf(stderr, "cstrace script: temporary file: %s\n", merge_why(l->m));
			return rc;
		}
		pd_output_write(&l->out, l->buf, l->fill);
	}
	rc = pd_output_finish(&l->out, &err);
	l->open = false;
	if (rc)
		fprintf(stderr, "cstrace script: %s\n", err.msg);
	return rc;
}

void listing_close(struct listing *l)
{
	if (!l)
		return;
	if (l->open)
		pd_output_abort(&l->out);
	sampler_free(l->sp);
	merge_lanes_free(&l->lanes);
	free_lanes(l->done);
	merge_free(l->m);
	comms_free(l->comms);
	free(l->buf);
	free(l);
}
