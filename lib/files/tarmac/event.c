/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event.c - exceptions, interrupts and changes of mode (Fast Models, "Event trace"; EXC of ES).
 */
#include "files/tarmac/tarmac_int.h"

bool cst_tarmac_at_value(const struct scan *s)
{
	const char *p = s->p;

	while (scan_char(*p) < 16)
		p++;
	return p > s->p && (p == s->end || scan_char(*p) > TARMAC_WORD);
}

/* Returns true if the next word consists of hexadecimal digits. */
static bool at_number(const struct scan *s)
{
	struct scan next = *s;

	scan_blanks(&next);
	return cst_tarmac_at_value(&next);
}

static bool number32(struct scan *s, uint32_t *to)
{
	const char *at;
	uint64_t v;

	scan_blanks(s);
	at = s->p;
	if (!scan_hex(s, &v, "expected the number of the event"))
		return false;
	*to = (uint32_t)v;
	return v <= UINT32_MAX || scan_fail(s, at, -CST_ERR_LIMIT, "number of an event of more than 32 bits");
}

/* Reads {<value1>} <number>. */
static bool numbers(struct scan *s, struct cst_tarmac_event *e)
{
	const char *at = s->p;

	if (!at_number(s)) {
		scan_blanks(s);
		return scan_wrong(s, s->p, "expected the number of the event");
	}
	if (!scan_hex(s, &e->value1, "expected a number"))
		return false;
	e->has_number = 1;
	if (at_number(s)) {
		e->has_value1 = 1;
		return number32(s, &e->number);
	}
	e->value1 = 0;
	s->p = at;
	return number32(s, &e->number);
}

bool cst_tarmac_parse_event(struct scan *s)
{
	struct cst_tarmac_event *e = &s->rec->u.event;
	struct cst_str word;
	const char *p;

	s->rec->kind = CST_TARMAC_EVENT;
	scan_blanks(s);
	/* DebugEvent_... begins with its name. */
	if (s->p < s->end && !cst_tarmac_at_value(s)) {
		e->name = scan_long_word(s);
		e->text = scan_rest(s);
		return true;
	}
	if (!cst_tarmac_parse_address(s, &e->value, "expected a value or a name"))
		return false;
	e->has_value = 1;
	scan_blanks(s);
	p = s->p;
	word = scan_word(s);
	if (cst_tarmac_is_mode(word))
		cst_tarmac_parse_mode(&e->mode, word);
	else
		s->p = p;
	if (!numbers(s, e))
		return false;
	e->name = scan_rest(s);
	return e->name.n || scan_wrong(s, e->name.p, "expected the name of the event");
}

/* Reads "[0x200] Synchronous ..." behind EXC; each part may be missing. */
bool cst_tarmac_parse_exception(struct scan *s)
{
	struct cst_tarmac_event *e = &s->rec->u.event;

	s->rec->kind = CST_TARMAC_EVENT;
	s->rec->dialect = CST_TARMAC_ES;
	if (scan_take(s, '[')) {
		scan_blanks(s);
		if (s->p[0] == '0' && (s->p[1] | 0x20) == 'x')
			s->p += 2;
		if (!number32(s, &e->number) || !scan_expect(s, ']', "expected ']'"))
			return false;
		e->has_number = 1;
	}
	e->name = scan_rest(s);
	return true;
}
