/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event_read.c - a log of system events, line by line in both directions.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

#include "base/grow.h"
#include "base/sized.h"
#include "files/history/event_int.h"
#include "files/ini/doc_int.h"
#include "files/ini/quote.h"

#define DEFAULT_LINE ((size_t)16 << 20)

struct cst_event_reader {
	const char *text, *end;
	const char *pos;
	unsigned int line;	/* lines before pos */
	size_t limit;
	cst_event_passed_fn *passed;	/* or NULL */
	void *passed_ctx;
	size_t step, bytes;	/* how often it is called; bytes since the last call */
	char *scratch;		/* what values of a line stand for */
	size_t cap;
	struct cst_event_param params[CST_EVENT_PARAMS];
};

/* One line while it is read. */
struct parse {
	struct cst_event_reader *r;
	const char *p, *end;
	char *out;		/* into scratch */
	const char *wrong;
	char closed;		/* a value was read, ',' or ')' follows */
};

enum value_kind {
	VALUE_NONE,
	VALUE_TEXT,
	VALUE_BYTES,
};

struct value {
	enum value_kind kind;
	struct cst_str s;	/* p NULL: None */
};

int cst_event_reader_new(struct cst_event_reader **out, const void *text, size_t len, size_t line)
{
	struct cst_event_reader *r = calloc(1, sizeof(*r));

	*out = r;
	if (!r)
		return -CST_ERR_NOMEM;
	r->text = r->pos = len ? text : "";
	r->end = r->text + len;
	r->limit = line ? line : DEFAULT_LINE;
	return 0;
}

void cst_event_reader_watch(struct cst_event_reader *r, size_t step, cst_event_passed_fn *fn, void *ctx)
{
	r->passed = fn;
	r->passed_ctx = ctx;
	r->step = step;
	r->bytes = 0;
}

void cst_event_reader_free(struct cst_event_reader *r)
{
	if (!r)
		return;
	free(r->scratch);
	free(r);
}

void cst_event_rewind(struct cst_event_reader *r, int end)
{
	const char *p = r->text;

	r->line = 0;
	r->pos = end ? r->end : r->text;
	while (end && p < r->end) {
		p = memchr(p, '\n', (size_t)(r->end - p));
		p = p ? p + 1 : r->end;
		r->line++;
	}
}

size_t cst_event_tell(const struct cst_event_reader *r)
{
	return (size_t)(r->pos - r->text);
}

void cst_event_seek(struct cst_event_reader *r, size_t offset)
{
	r->pos = r->text + offset;
}

static void blanks(struct parse *ps)
{
	while (ps->p < ps->end && (*ps->p == ' ' || *ps->p == '\t'))
		ps->p++;
}

static int take(struct parse *ps, char c)
{
	if (ps->p == ps->end || *ps->p != c)
		return 0;
	ps->p++;
	return 1;
}

static int wrong(struct parse *ps, const char *text)
{
	if (!ps->wrong)
		ps->wrong = text;
	return -CST_ERR_SYNTAX;
}

static struct cst_str word(struct parse *ps)
{
	struct cst_str s = { ps->p, 0 };

	while (ps->p < ps->end && cst_quote_word(*ps->p))
		ps->p++;
	s.n = (size_t)(ps->p - s.p);
	return s;
}

static int read_bytes(struct parse *ps, struct value *v)
{
	int hi, lo;

	v->kind = VALUE_BYTES;
	v->s.p = ps->out;
	for (ps->p++; ps->p < ps->end && *ps->p != '>'; ps->p += 2) {
		hi = cst_ini_digit(*ps->p, 16);
		lo = ps->end - ps->p > 1 ? cst_ini_digit(ps->p[1], 16) : -1;
		if (hi < 0 || lo < 0)
			return wrong(ps, "<bytes> are not pairs of hexadecimal digits");
		*ps->out++ = (char)(hi << 4 | lo);
	}
	v->s.n = (size_t)(ps->out - v->s.p);
	return take(ps, '>') ? 0 : wrong(ps, "<bytes> without '>'");
}

static int read_quoted(struct parse *ps, struct value *v)
{
	struct cst_str rest = { ps->p, (size_t)(ps->end - ps->p) };
	int64_t used;

	v->kind = VALUE_TEXT;
	v->s.p = ps->out;
	used = cst_ini_unquote(rest, ps->out, &v->s.n);
	if (used < 0)
		return wrong(ps, "\"text\" without its end or with an unknown escape");
	ps->out += v->s.n;
	ps->p += used;
	return 0;
}

/* [KEY=]VALUE; key->n 0: there is none. */
static int read_argument(struct parse *ps, struct cst_str *key, struct value *v)
{
	struct cst_str w;

	key->p = "";
	key->n = 0;
	blanks(ps);
	w = word(ps);
	if (w.n && take(ps, '=')) {
		if (!cst_event_is_key(w))
			return wrong(ps, "a key is not a name");
		*key = w;
		w = word(ps);
	}
	if (w.n) {
		v->kind = cst_str_is(w, "None") ? VALUE_NONE : VALUE_TEXT;
		v->s = v->kind == VALUE_TEXT ? w : (struct cst_str){ NULL, 0 };
	} else if (ps->p < ps->end && *ps->p == '"') {
		if (read_quoted(ps, v))
			return -CST_ERR_SYNTAX;
	} else if (ps->p < ps->end && *ps->p == '<') {
		if (read_bytes(ps, v))
			return -CST_ERR_SYNTAX;
	} else {
		return wrong(ps, "neither a word, \"text\", <bytes> nor None");
	}
	blanks(ps);
	if (take(ps, ')'))
		ps->closed = 1;
	else if (!take(ps, ','))
		return wrong(ps, "no ',' or ')' after a value");
	return 0;
}

static int number(struct parse *ps, const struct value *v, uint64_t max, uint64_t *to, const char *text)
{
	if (v->kind != VALUE_TEXT || cst_ini_number(v->s, to) || *to > max)
		return wrong(ps, text);
	return 0;
}

static int read_state(struct parse *ps, const struct value *v, uint8_t *state)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (v->kind == VALUE_TEXT && cst_str_is(v->s, cst_event_states[i])) {
			*state = (uint8_t)i;
			return 0;
		}
	return wrong(ps, "state is not START, END or CURRENT");
}

static int set_argument(struct parse *ps, struct cst_event *ev, enum cst_event_arg arg,
			const struct value *v)
{
	uint64_t n = 0;
	int err = 0;

	switch (arg) {
	case ARG_STATE:
		return read_state(ps, v, &ev->state);
	case ARG_PID:
		return cst_event_parse_signed(v->s, &ev->pid) ? wrong(ps, "pid is not a number") : 0;
	case ARG_TID:
		return cst_event_parse_signed(v->s, &ev->tid) ? wrong(ps, "tid is not a number") : 0;
	case ARG_ASID:
		err = number(ps, v, UINT32_MAX, &n, "asid is not a number of 32 bits");
		ev->asid = (uint32_t)n;
		return err;
	case ARG_TRACE_ID:
		err = number(ps, v, UINT32_MAX, &n, "trace ID is not a number of 32 bits");
		ev->trace_id = (uint32_t)n;
		return err;
	case ARG_BASE:
		ev->has_base = v->kind != VALUE_NONE;
		return ev->has_base ? number(ps, v, UINT64_MAX, &ev->base,
					     "base address is neither a number nor None") : 0;
	case ARG_START:
		ev->has_base = 1;
		return number(ps, v, UINT64_MAX, &ev->base, "start address is not a number");
	case ARG_LENGTH:
		ev->has_size = 1;
		return number(ps, v, UINT64_MAX, &ev->size, "length is not a number");
	case ARG_NAME:
		ev->name = v->s;
		return 0;
	case ARG_UUID:
		ev->uuid = v->s;
		return 0;
	case ARG_CODE:
		ev->code_kind = v->kind == VALUE_BYTES ? CST_CODE_BYTES :
				v->kind == VALUE_TEXT ? CST_CODE_ID : CST_CODE_NONE;
		ev->code = v->s;
		return 0;
	}
	return 0;
}

/* A parameter that has a field of its own: 1, 0 when it has none, or negative. */
static int set_known(struct parse *ps, struct cst_event *ev, struct cst_str key, const struct value *v)
{
	int ranged = ev->verb == CST_EVENT_PROCESS || ev->verb == CST_EVENT_LIBRARY;
	int err;

	if (ev->verb == CST_EVENT_PATCH && cst_str_is(key, "state")) {
		err = read_state(ps, v, &ev->state);
	} else if (ranged && cst_str_is(key, "size")) {
		ev->has_size = 1;
		err = number(ps, v, UINT64_MAX, &ev->size, "size= is not a number");
	} else if ((ranged || ev->verb == CST_EVENT_PATCH) && cst_str_is(key, "offset")) {
		err = number(ps, v, UINT64_MAX, &ev->offset, "offset= is not a number");
	} else {
		return 0;
	}
	return err ? err : 1;
}

static int add_param(struct parse *ps, struct cst_event *ev, struct cst_str key, const struct value *v)
{
	if (ev->n_params == CST_EVENT_PARAMS)
		return wrong(ps, "more than 64 parameters");
	ps->r->params[ev->n_params].key = key;
	ps->r->params[ev->n_params++].value = v->s;
	return 0;
}

static int read_arguments(struct parse *ps, struct cst_event *ev)
{
	const struct cst_event_verb_row *row = ev->verb < CST_EVENT_OTHER ? &cst_event_verbs[ev->verb]
									 : NULL;
	unsigned int given = 0, required = 0;
	struct cst_str key;
	struct value v;
	int err = 0;

	if (row)
		required = row->n_args - (row->args[row->n_args - 1] == ARG_UUID);
	blanks(ps);
	ps->closed = (char)take(ps, ')');
	while (!err && !ps->closed) {
		err = read_argument(ps, &key, &v);
		if (err)
			break;
		if (!row) {
			err = add_param(ps, ev, key, &v);
		} else if (!key.n) {
			if (given == row->n_args)
				return wrong(ps, "more arguments than the verb has");
			err = set_argument(ps, ev, row->args[given++], &v);
		} else {
			err = set_known(ps, ev, key, &v);
			if (!err)
				err = add_param(ps, ev, key, &v);
			else if (err > 0)
				err = 0;
		}
	}
	if (!err && given < required)
		err = wrong(ps, "arguments of the verb are missing");
	return err;
}

static int read_event(struct parse *ps, struct cst_event *ev)
{
	struct cst_str w = word(ps);
	unsigned int i;

	if (w.n == 1 && *w.p == '-')
		ev->time = CST_EVENT_NO_TIME;
	else if (cst_ini_number(w, &ev->time) || ev->time == CST_EVENT_NO_TIME)
		return wrong(ps, "line does not begin with a time or '-'");
	blanks(ps);
	w = word(ps);
	for (i = 0; i < CST_EVENT_OTHER; i++)
		if (cst_str_is(w, cst_event_verbs[i].name))
			break;
	ev->verb = (uint8_t)i;
	if (i == CST_EVENT_OTHER) {
		if (w.n < 3 || memcmp(w.p, "x_", 2) || !cst_event_is_key(w))
			return wrong(ps, "unknown verb");
		ev->name = w;
	}
	if (!take(ps, '('))
		return wrong(ps, "no '(' after the verb");
	if (read_arguments(ps, ev))
		return -CST_ERR_SYNTAX;
	blanks(ps);
	if (ps->p < ps->end && *ps->p != '#')
		return wrong(ps, "text after ')'");
	return 0;
}

/* 1 an event, 0 nothing but blanks or a comment, or negative. */
static int read_line(struct cst_event_reader *r, const char *p, const char *end, struct cst_event *ev,
		     struct cst_problem *why)
{
	struct parse ps = { .r = r, .p = p, .end = end };
	int err;

	if (ps.end > ps.p && ps.end[-1] == '\r')
		ps.end--;
	blanks(&ps);
	if (ps.p == ps.end || *ps.p == '#')
		return 0;
	if ((size_t)(ps.end - ps.p) > r->limit)
		return cst_problem_set(why, -CST_ERR_LIMIT, NULL, "", r->line, "line is too long");
	/* what the values of a line stand for is never longer than the line */
	err = array_reserve(&r->scratch, &r->cap, (size_t)(ps.end - ps.p), 1);
	if (err)
		return cst_problem_set(why, err, NULL, "", r->line, "no memory for a line");
	memset(ev, 0, sizeof(*ev));
	ev->line = r->line;
	ev->params = r->params;
	ps.out = r->scratch;
	err = read_event(&ps, ev);
	return err ? cst_problem_set(why, err, NULL, "", r->line, ps.wrong) : 1;
}

int cst_event_next(struct cst_event_reader *r, struct cst_event *out, struct cst_problem *why)
{
	const char *start, *nl;
	struct cst_event ev;
	int got = 0;

	while (!got && r->pos < r->end) {
		start = r->pos;
		nl = memchr(start, '\n', (size_t)(r->end - start));
		r->pos = nl ? nl + 1 : r->end;
		r->line++;
		r->bytes += (size_t)(r->pos - start);
		if (r->passed && r->bytes >= r->step) {
			r->bytes = 0;
			r->passed(r->passed_ctx);
		}
		got = read_line(r, start, nl ? nl : r->end, &ev, why);
	}
	return got > 0 && GIVE(cst_event, out, ev) ? -CST_ERR_INVAL : got;
}

int cst_event_prev(struct cst_event_reader *r, struct cst_event *out, struct cst_problem *why)
{
	const char *start, *stop;
	struct cst_event ev;
	int got = 0;

	while (!got && r->pos > r->text) {
		stop = r->pos[-1] == '\n' ? r->pos - 1 : r->pos;
		for (start = stop; start > r->text && start[-1] != '\n'; start--)
			;
		r->pos = start;
		got = read_line(r, start, stop, &ev, why);
		r->line--;
	}
	return got > 0 && GIVE(cst_event, out, ev) ? -CST_ERR_INVAL : got;
}
