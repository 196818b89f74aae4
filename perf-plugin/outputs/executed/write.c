/* SPDX-License-Identifier: GPL-2.0-only */
/* write.c - the instruction streams of a recording as lines of Tarmac. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "session/decode/decode.h"
#include "outputs/disasm/disasm.h"
#include "base/files/output.h"
#include "outputs/executed/executed.h"

#define BUFFER (256u << 10)
#define LINE_SIZE 1024u

/* Instructions of the range before whose results may follow it (CST_GEN_COND). */
#define HELD 64u

/* What the times of a stream are. */
enum time_kind {
	TIME_NONE,		/* not decided yet */
	TIME_INSNS,		/* instructions */
	TIME_CYCLES,
	TIME_NS,		/* perf time */
};

/* A stream: its own instructions, times and context. */
struct written_stream {
	struct insn_it it;
	uint64_t insns;		/* so far */
	uint64_t cycles;
	uint64_t time;		/* of the last line */
	enum time_kind kind;
	uint32_t context_id;
	bool context_known;
	bool has_exception;
	struct cst_generic exception; /* whose event waits for the address of its vector */
	uint64_t last;		/* address of the last instruction */
	char cpu[24];
};

struct dump {
	struct session *ss;
	const struct executed_opts *o;
	struct executed_result *result;
	struct disasm *disasm;
	struct pd_output out;
	char *buf;
	size_t fill;
	struct insns insns;
	/* instructions of a range that are not written yet */
	struct insn held[HELD];
	unsigned int nr_held;
	uint64_t refused;	/* records that the dialect cannot express */
};

static void flush(struct dump *d)
{
	pd_output_write(&d->out, d->buf, d->fill);
	d->fill = 0;
}

/* Where the next line goes. */
static char *room(struct dump *d)
{
	if (BUFFER - d->fill < LINE_SIZE)
		flush(d);
	return d->buf + d->fill;
}

static void put(struct dump *d, const struct written_stream *ln, struct cst_tarmac_record *rec)
{
	int64_t n;

	rec->time = ln->time;
	rec->unit = ln->kind == TIME_NS ? CST_TARMAC_NS : CST_TARMAC_CLK;
	rec->cpu = (struct cst_str){ ln->cpu, strlen(ln->cpu) };
	n = cst_tarmac_write(rec, d->o->dialect, room(d), LINE_SIZE);
	if (n > 0 && n <= LINE_SIZE)
		d->fill += (size_t)n;
	else
		d->refused++;
}

static void put_comment(struct dump *d, const struct written_stream *ln, const char *text)
{
	d->fill += (size_t)snprintf(room(d), LINE_SIZE, "# %s: %s\n", ln->cpu, text);
}

/* What interrupts the instructions. Those of a Q element are counted: their number is known, their addresses are not. */
static void put_gap(struct dump *d, struct written_stream *ln, const struct cst_generic *g)
{
	char text[128];

	if (g->kind != CST_GEN_NOPATH) {
		put_comment(d, ln, executed_gap_of(g));
		return;
	}
	ln->insns += g->n_insn;
	snprintf(text, sizeof(text), "%" PRIu32 " %s", g->n_insn, executed_gap_of(g));
	put_comment(d, ln, text);
}

static void put_insn(struct dump *d, const struct stream *s, struct written_stream *ln, const struct cst_generic *g,
		     const struct insn *insn)
{
	struct cst_tarmac_record rec = { .kind = CST_TARMAC_INSN };
	const char *text;

	executed_insn_of(insn, &rec.u.insn);
	executed_mode_of(s, g, &rec.u.insn.mode);
	rec.u.insn.index = ++ln->insns;
	if (ln->kind == TIME_INSNS)
		ln->time = ln->insns;
	if (d->disasm) {
		text = disasm_text(d->disasm, (enum cst_isa)insn->isa, (enum cst_profile)s->config->profile, insn->addr,
				   insn->opcode, insn->size);
		rec.u.insn.disassembly = (struct cst_str){ text, strlen(text) };
	}
	ln->last = insn->addr;
	put(d, ln, &rec);
}

/* Writes the instructions whose results could still come; those without a result as executed. */
static void put_held(struct dump *d, const struct stream *s, struct written_stream *ln, const struct cst_generic *g)
{
	unsigned int i;

	for (i = 0; i < d->nr_held; i++)
		put_insn(d, s, ln, g, &d->held[i]);
	d->nr_held = 0;
}

static void put_context(struct dump *d, struct written_stream *ln, const struct cst_generic *g)
{
	struct cst_tarmac_record rec = { .kind = CST_TARMAC_REG };
	static const char name[] = "CONTEXTIDR_EL1";
	char digits[9];

	if (!(g->flags & CST_GF_CID) || (ln->context_known && ln->context_id == g->context_id))
		return;
	ln->context_known = true;
	ln->context_id = g->context_id;
	snprintf(digits, sizeof(digits), "%08x", g->context_id);
	rec.u.reg.name = (struct cst_str){ name, sizeof(name) - 1 };
	rec.u.reg.digits = (struct cst_str){ digits, 8 };
	rec.u.reg.value = g->context_id;
	rec.u.reg.bits = 32;
	put(d, ln, &rec);
}

/* The event of an exception that waits; `next`: the range that follows it, or NULL. */
static void put_exception(struct dump *d, const struct stream *s, struct written_stream *ln, const struct cst_generic *next)
{
	struct cst_tarmac_record rec = { .kind = CST_TARMAC_EVENT };
	const struct cst_generic *e = &ln->exception;
	char text[128];
	int n;

	if (!ln->has_exception)
		return;
	ln->has_exception = false;
	if (executed_event_of(s, e, ln->last, next, d->o->dialect, &rec.u.event)) {
		put(d, ln, &rec);
		return;
	}
	n = snprintf(text, sizeof(text), "exception %u", e->num);
	if (e->flags & CST_GF_RET_ADDR)
		snprintf(text + n, sizeof(text) - (size_t)n, ", preferred return address 0x%" PRIx64, e->end);
	put_comment(d, ln, text);
}

static void put_memory(struct dump *d, const struct stream *s, struct written_stream *ln, const struct cst_generic *g)
{
	struct cst_tarmac_record rec = { .kind = CST_TARMAC_MEMORY };

	if (executed_memory_of(s, g, &rec.u.memory))
		put(d, ln, &rec);
}

/* A result of a conditional instruction of the range before. */
static void take_result(struct dump *d, const struct cst_generic *g)
{
	unsigned int i;

	for (i = 0; i < d->nr_held; i++)
		if (g->num & CST_COND_INSN && d->held[i].addr == g->addr && d->held[i].result == INSN_EITHER) {
			d->held[i].result = g->num & CST_COND_FAILED ? INSN_FAILED : INSN_PASSED;
			return;
		}
}

/* The time of an instruction of the batch, of whose instructions `done` ran before. */
static void set_time(struct written_stream *ln, const struct stream *s, uint64_t done)
{
	uint64_t time = s->time;

	if (ln->kind == TIME_CYCLES)
		time = ln->cycles;
	else if (ln->kind != TIME_NS || !s->time_known)
		return;
	else if (s->n_insn && s->time_end > s->time)
		time += (uint64_t)((double)(s->time_end - s->time) * (double)done / s->n_insn);
	if (time > ln->time)
		ln->time = time;
}

static void put_range(struct dump *d, const struct stream *s, struct written_stream *ln, const struct cst_generic *g,
		      uint64_t *done)
{
	struct insn insn;

	if (g->flags & CST_GF_CC)
		ln->cycles += g->cc;
	put_context(d, ln, g);
	insns_begin(&d->insns, s, g, &ln->it);
	while (insns_next(&d->insns, &insn)) {
		set_time(ln, s, (*done)++);
		if (!s->config->cond_trace) {
			put_insn(d, s, ln, g, &insn);
			continue;
		}
		if (d->nr_held == HELD) {
			put_insn(d, s, ln, g, &d->held[0]);
			memmove(d->held, d->held + 1, --d->nr_held * sizeof(d->held[0]));
		}
		d->held[d->nr_held++] = insn;
	}
	if (insns_left(&d->insns))
		put_comment(d, ln, "code that cannot be read any more");
}

static struct written_stream *state_of(const struct stream *s)
{
	struct written_stream *ln = *s->priv;

	if (!ln)
		ln = *s->priv = mem_zeroed(1, sizeof(*ln));
	executed_cpu_name(s, ln->cpu, sizeof(ln->cpu));
	if (!ln->kind)
		ln->kind = s->config->cycle_count ? TIME_CYCLES :
			   s->time_known ? TIME_NS : TIME_INSNS;
	return ln;
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	const struct cst_generic *end = g + n, *range = NULL;
	struct dump *d = data;
	struct written_stream *ln;
	uint64_t done = 0;

	if (d->o->only_id >= 0 && s->trace_id != d->o->only_id)
		return 0;
	ln = state_of(s);
	for (; g < end; g++) {
		if (g->kind == CST_GEN_COND) {
			take_result(d, g);
			continue;
		}
		if (range)
			put_held(d, s, ln, range);
		if (g->kind == CST_GEN_RANGE) {
			put_exception(d, s, ln, g);
			put_range(d, s, ln, g, &done);
			range = g;
		} else if (g->kind == CST_GEN_EXCEPTION) {
			put_exception(d, s, ln, NULL);
			ln->exception = *g;
			ln->has_exception = true;
		} else if (g->kind == CST_GEN_DATA) {
			put_memory(d, s, ln, g);
		} else if (g->kind == CST_GEN_CYCLE_COUNT) {
			ln->cycles += g->flags & CST_GF_CC ? g->cc : 0;
		} else if (executed_gap_of(g)) {
			put_exception(d, s, ln, NULL);
			put_gap(d, ln, g);
		}
	}
	if (range)
		put_held(d, s, ln, range);
	return pd_output_failed(&d->out);
}

/* The stream ends: what waits for its vector has none. */
static void on_stream_end(void *data, const struct stream *s)
{
	struct written_stream *ln = *s->priv;
	struct dump *d = data;

	if (ln)
		put_exception(d, s, ln, NULL);
	free(ln);
	*s->priv = NULL;
	d->result->has_id |= s->trace_id == d->o->only_id;
}

static int open_dump(struct dump *d)
{
	const char *why = NULL;

	d->buf = mem_new(BUFFER);
	if (d->o->disassemble) {
		d->disasm = disasm_new(&why);
		if (why)
			fprintf(stderr, "%s: instructions have no text: %s\n", d->o->who, why);
	}
	return pd_output_begin(&d->out, d->o->who, d->o->output, false);
}

static int executed_decode(struct dump *d)
{
	struct consumer con = { .data = d, .batch = on_batch, .stream_end = on_stream_end,
				.wants.times = true };
	int rc = session_run(d->ss, &con);

	flush(d);
	if (rc && !pd_output_failed(&d->out)) {
		pd_output_abort(&d->out);
		return rc;
	}
	if (d->refused)
		fprintf(stderr, "%s: %" PRIu64 " records cannot be written in this dialect and are left out; --format=tarmac and "
			"--format=tarmac-es differ in what they can express\n", d->o->who, d->refused);
	d->result->refused = d->refused;
	return pd_output_end_if(&d->out, d->o->who,
				(d->o->only_id < 0 || d->result->has_id) && session_decoded(d->ss));
}

int executed_dump(struct session *ss, const struct executed_opts *opts, struct executed_result *result)
{
	struct dump *d = mem_zeroed(1, sizeof(*d));
	int rc;

	*result = (struct executed_result){ .refused = false };
	d->ss = ss;
	d->o = opts;
	d->result = result;
	rc = open_dump(d);
	if (!rc)
		rc = executed_decode(d);
	disasm_free(d->disasm);
	free(d->buf);
	free(d);
	return rc ? ERR_REPORTED : 0;
}
