/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event.c - the verbs of the event log, parameters, and events as text.
 */
#include "base/sized.h"
#include "files/history/event_int.h"

#include <string.h>

#include <cstrace/error.h>

#include "files/ini/ini.h"
#include "files/ini/quote.h"

const struct cst_event_verb_row cst_event_verbs[CST_EVENT_OTHER] = {
	[CST_EVENT_PROCESS] = { "declare_process", 5,
				{ ARG_STATE, ARG_PID, ARG_BASE, ARG_NAME, ARG_UUID } },
	[CST_EVENT_THREAD] = { "declare_thread", 3, { ARG_STATE, ARG_TID, ARG_PID } },
	[CST_EVENT_LIBRARY] = { "declare_library", 5,
				{ ARG_STATE, ARG_PID, ARG_BASE, ARG_NAME, ARG_UUID } },
	[CST_EVENT_PATCH] = { "patch_code", 4, { ARG_PID, ARG_START, ARG_LENGTH, ARG_CODE } },
	[CST_EVENT_ASID] = { "declare_asid", 3, { ARG_STATE, ARG_ASID, ARG_PID } },
	[CST_EVENT_TRACE] = { "define_trace", 3, { ARG_STATE, ARG_TRACE_ID, ARG_NAME } },
};

const char *const cst_event_states[3] = { "START", "END", "CURRENT" };

int cst_event_is_key(struct cst_str s)
{
	size_t i;
	char c;

	for (i = 0; i < s.n; i++) {
		c = s.p[i];
		if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
		      (i && ((c >= '0' && c <= '9') || c == '.'))))
			return 0;
	}
	return s.n != 0;
}

struct cst_str cst_event_param(const struct cst_event *ev, const char *key)
{
	struct cst_str none = { NULL, 0 };
	size_t n = strlen(key), i;

	for (i = 0; i < ev->n_params; i++)
		if (ev->params[i].key.n == n && n && !memcmp(ev->params[i].key.p, key, n))
			return ev->params[i].value;
	return none;
}

int cst_event_parse_signed(struct cst_str s, int64_t *value)
{
	int minus = s.n > 1 && *s.p == '-';
	uint64_t v;

	if (minus) {
		s.p++;
		s.n--;
	}
	if (!s.p || cst_ini_number(s, &v) || v > (uint64_t)INT64_MAX)
		return -CST_ERR_SYNTAX;
	*value = minus ? -(int64_t)v : (int64_t)v;
	return 0;
}

int cst_event_number(const struct cst_event *ev, const char *key, int64_t *value)
{
	return !cst_event_parse_signed(cst_event_param(ev, key), value);
}

static void signed_number(struct cst_text *t, int64_t v)
{
	if (v < 0)
		cst_text_char(t, '-');
	cst_text_dec(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* Names of files are always quoted, as the specification shows them. */
static void name(struct cst_text *t, struct cst_str s)
{
	if (!s.p) {
		cst_text_str(t, "None");
		return;
	}
	cst_text_char(t, '"');
	cst_quote(t, s);
	cst_text_char(t, '"');
}

static void bytes(struct cst_text *t, struct cst_str s)
{
	size_t i;

	cst_text_char(t, '<');
	for (i = 0; i < s.n; i++)
		cst_text_hex(t, (unsigned char)s.p[i], 2);
	cst_text_char(t, '>');
}

/* Quoted, unless more than a quarter of it would be escapes. */
static void value(struct cst_text *t, struct cst_str s)
{
	size_t i, odd = 0;

	if (s.p && cst_quote_bare(s, CST_QUOTE_EVENT)) {
		cst_text_mem(t, s.p, s.n);
	} else {
		for (i = 0; s.p && i < s.n; i++)
			odd += (unsigned char)s.p[i] < 0x20 || (unsigned char)s.p[i] >= 0x7f;
		if (odd > s.n / 4)
			bytes(t, s);
		else
			name(t, s);
	}
}

static void code(struct cst_text *t, const struct cst_event *ev)
{
	if (ev->code_kind == CST_CODE_BYTES)
		bytes(t, ev->code);
	else if (ev->code_kind == CST_CODE_ID && cst_quote_bare(ev->code, CST_QUOTE_EVENT))
		cst_text_mem(t, ev->code.p, ev->code.n);
	else if (ev->code_kind == CST_CODE_ID)
		name(t, ev->code);	/* never as <bytes>, which are code */
	else
		cst_text_str(t, "None");
}

static void argument(struct cst_text *t, const struct cst_event *ev, enum cst_event_arg arg)
{
	switch (arg) {
	case ARG_STATE:
		cst_text_str(t, cst_event_states[ev->state]);
		break;
	case ARG_PID:
		signed_number(t, ev->pid);
		break;
	case ARG_TID:
		signed_number(t, ev->tid);
		break;
	case ARG_ASID:
		cst_text_hex_in(t, "0x", ev->asid, 1, "");
		break;
	case ARG_TRACE_ID:
		cst_text_hex_in(t, "0x", ev->trace_id, 1, "");
		break;
	case ARG_BASE:
		if (!ev->has_base)
			cst_text_str(t, "None");
		else
			cst_text_hex_in(t, "0x", ev->base, 1, "");
		break;
	case ARG_START:
		cst_text_hex_in(t, "0x", ev->base, 1, "");
		break;
	case ARG_LENGTH:
		cst_text_hex_in(t, "0x", ev->size, 1, "");
		break;
	case ARG_NAME:
		name(t, ev->name);
		break;
	case ARG_UUID:
		value(t, ev->uuid);
		break;
	case ARG_CODE:
		code(t, ev);
		break;
	}
}

static void key(struct cst_text *t, const char *k, int *first)
{
	if (!*first)
		cst_text_str(t, ", ");
	*first = 0;
	cst_text_str(t, k);
}

static int write_params(struct cst_text *t, const struct cst_event *ev, int first)
{
	const struct cst_event_param *p;
	size_t i;

	for (i = 0; i < ev->n_params; i++) {
		p = &ev->params[i];
		if (p->key.n ? !cst_event_is_key(p->key) : ev->verb != CST_EVENT_OTHER)
			return -CST_ERR_INVAL;
		key(t, "", &first);
		if (p->key.n) {
			cst_text_mem(t, p->key.p, p->key.n);
			cst_text_char(t, '=');
		}
		value(t, p->value);
	}
	return 0;
}

static int write_args(struct cst_text *t, const struct cst_event *ev)
{
	const struct cst_event_verb_row *row = &cst_event_verbs[ev->verb];
	int ranged = ev->verb == CST_EVENT_PROCESS || ev->verb == CST_EVENT_LIBRARY;
	int first = 1;
	size_t i;

	if (ev->state > CST_STATE_CURRENT || ev->code_kind > CST_CODE_BYTES)
		return -CST_ERR_INVAL;
	cst_text_str(t, row->name);
	cst_text_char(t, '(');
	for (i = 0; i < row->n_args; i++) {
		if (row->args[i] == ARG_UUID && !ev->uuid.p)
			break;
		key(t, "", &first);
		argument(t, ev, row->args[i]);
	}
	if (ev->verb == CST_EVENT_PATCH && ev->state != CST_STATE_START) {
		key(t, "state=", &first);
		cst_text_str(t, cst_event_states[ev->state]);
	}
	if (ranged && ev->has_size) {
		key(t, "size=", &first);
		cst_text_hex_in(t, "0x", ev->size, 1, "");
	}
	if ((ranged || ev->verb == CST_EVENT_PATCH) && ev->offset) {
		key(t, "offset=", &first);
		cst_text_hex_in(t, "0x", ev->offset, 1, "");
	}
	return write_params(t, ev, first);
}

int64_t cst_event_write(const struct cst_event *ev, char *out, size_t cap)
{
	struct cst_event own;
	struct cst_text t;
	int err;

	ev = TAKE(cst_event, ev, own);
	if (!ev)
		return -CST_ERR_INVAL;
	cst_text_init(&t, out, cap);
	if (ev->n_params > CST_EVENT_PARAMS)
		return -CST_ERR_INVAL;
	if (ev->time == CST_EVENT_NO_TIME)
		cst_text_char(&t, '-');
	else
		cst_text_dec(&t, ev->time);
	cst_text_char(&t, ' ');
	if (ev->verb == CST_EVENT_OTHER) {
		if (ev->name.n < 3 || memcmp(ev->name.p, "x_", 2) || !cst_event_is_key(ev->name))
			return -CST_ERR_INVAL;
		cst_text_mem(&t, ev->name.p, ev->name.n);
		cst_text_char(&t, '(');
		err = write_params(&t, ev, 1);
	} else {
		err = ev->verb < CST_EVENT_OTHER ? write_args(&t, ev) : -CST_ERR_INVAL;
	}
	if (err)
		return err;
	cst_text_str(&t, ")\n");
	return (int64_t)t.len;
}
