/* SPDX-License-Identifier: GPL-2.0-only */
/* tracepoint.c - parses the format of sched_switch with libtraceevent, and reads samples by it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LIBTRACEEVENT
#include <traceevent/event-parse.h>
#else
struct tep_handle;
#endif

#include "machine/sideband/tracepoint.h"
#include "base/alloc.h"
#include "perfdata/bytes.h"

#define MAX_FORMAT	(64u << 10)	/* the text of one event's format has some kilobytes */
#define MAX_SYSTEMS	4096u

static const char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
/* Only the fields are of interest; what prints them is an expression in C that need not be parsed. */
static const char no_print[] = "\nprint fmt: \"\"\n";

struct tracepoint {
	struct tep_handle *tep;
	uint64_t id;
	struct tracepoint_field {
		uint32_t offset, size;
	} type, prev, next;
};

static void skip_block(struct pd_cursor *c, const char *name)
{
	const char *found = pd_cur_text(c);

	if (!found || strcmp(found, name))
		c->bad = true;
	pd_cur_bytes(c, pd_cur_u64(c));
}

static bool starts(const char *p, uint64_t len, const char *word)
{
	return len > strlen(word) && !memcmp(p, word, strlen(word));
}

/* The formats of all events, one by one; sched_switch is copied. */
static char *find_format(struct pd_cursor *c, size_t *size)
{
	uint32_t systems, events, i, k;
	uint64_t len, head;
	const char *p, *name, *end;
	char *copy;

	for (i = pd_cur_u32(c); i && !c->bad; i--)	/* formats of the function tracer */
		pd_cur_bytes(c, pd_cur_u64(c));
	systems = pd_cur_u32(c);
	for (i = 0; i < systems && i < MAX_SYSTEMS && !c->bad; i++) {
		name = pd_cur_text(c);
		events = pd_cur_u32(c);
		for (k = 0; k < events && !c->bad; k++) {
			len = pd_cur_u64(c);
			p = pd_cur_bytes(c, len);
			if (!p || strcmp(name, "sched") || !starts(p, len, "name: sched_switch\n"))
				continue;
			end = memmem(p, len, "\nprint fmt:", 11);
			head = end ? (uint64_t)(end - p) : len;
			if (head > MAX_FORMAT || memchr(p, 0, head)) {
				c->bad = true;
				return NULL;
			}
			copy = mem_new(head + sizeof(no_print));
			memcpy(copy, p, head);
			memcpy(copy + head, no_print, sizeof(no_print));
			*size = head + sizeof(no_print) - 1;
			return copy;
		}
	}
	return NULL;
}

#ifdef HAVE_LIBTRACEEVENT
/*
 * libtraceevent trusts the kernel's text and crashes over another one, so it gets only what has this form:
 * name, ID, "format:", then lines of fields, each with type and name, offset, size and sign.
 */
static bool word(const char **p, const char *w)
{
	size_t n = strlen(w);

	if (strncmp(*p, w, n))
		return false;
	*p += n;
	return true;
}

static bool digits(const char **p)
{
	size_t n = strspn(*p, "0123456789");

	*p += n;
	return n && n <= 6;
}

static bool identifier(const char **p)
{
	size_t n = strspn(*p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	if (!n || n > 64 || (**p >= '0' && **p <= '9'))
		return false;
	*p += n;
	return true;
}

static bool well_formed_field(const char **p)
{
	unsigned int words = 0;

	do {
		if (!identifier(p))
			return false;
		words++;
	} while (word(p, " "));
	return words >= 2 && words <= 8 && (!word(p, "[") || (digits(p) && word(p, "]"))) &&
	       word(p, ";\toffset:") && digits(p) && word(p, ";\tsize:") && digits(p) &&
	       (!word(p, ";\tsigned:") || word(p, "0") || word(p, "1")) && word(p, ";\n");
}

static bool well_formed(const char *p)
{
	unsigned int fields = 0;

	if (!word(&p, "name: sched_switch\nID: ") || !digits(&p) || !word(&p, "\nformat:\n"))
		return false;
	while (!word(&p, no_print + 1)) {
		if (word(&p, "\n"))
			continue;
		if (!word(&p, "\tfield:") || !well_formed_field(&p) || ++fields > 64)
			return false;
	}
	return fields > 0;
}

static bool take_field(struct tep_format_field *f, struct tracepoint_field *out)
{
	if (!f || f->offset < 0 || f->offset > 4096 || (f->size != 2 && f->size != 4))
		return false;
	out->offset = (uint32_t)f->offset;
	out->size = (uint32_t)f->size;
	return true;
}

/* `longs`: bytes of a long where it was recorded. */
static const char *parse(struct tracepoint *tp, const char *format, size_t size, bool big, int longs)
{
	struct tep_event *ev;

	tp->tep = tep_alloc();
	if (!tp->tep)
		mem_refused(0);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(tp->tep, big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(tp->tep, longs);
	if (!well_formed(format) || tep_parse_event(tp->tep, format, size, "sched"))
		return "its format cannot be read";
	ev = tep_find_event_by_name(tp->tep, "sched", "sched_switch");
	if (!ev || !take_field(tep_find_common_field(ev, "common_type"), &tp->type) ||
	    !take_field(tep_find_field(ev, "prev_pid"), &tp->prev) ||
	    !take_field(tep_find_field(ev, "next_pid"), &tp->next))
		return "its format has not the fields common_type, prev_pid and next_pid";
	tp->id = (uint64_t)ev->id;
	return NULL;
}

static uint64_t read_number(const struct tracepoint *tp, const uint8_t *p, uint32_t size)
{
	return tep_read_number(tp->tep, p, (int)size);
}

static void close_parser(struct tracepoint *tp)
{
	if (tp->tep)
		tep_free(tp->tep);
}

#else	/* every format is refused, so that no numbers are read */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

static const char *parse(struct tracepoint *tp, const char *format, size_t size, bool big, int longs)
{
	return "this program was made without libtraceevent (NO_LIBTRACEEVENT)";
}

static uint64_t read_number(const struct tracepoint *tp, const uint8_t *p, uint32_t size)
{
	return 0;
}

static void close_parser(struct tracepoint *tp)
{
}

#pragma GCC diagnostic pop
#endif

struct tracepoint *tracepoint_new(const void *data, size_t len, const char **problem)
{
	struct pd_cursor c = { .p = data, .end = (const uint8_t *)data + len };
	const uint8_t *head = data;
	struct tracepoint *tp;
	char *format;
	size_t size = 0;
	bool big;

	*problem = NULL;
	if (len < sizeof(magic) || memcmp(head, magic, sizeof(magic))) {
		*problem = "it does not start as tracing data does";
		return NULL;
	}
	pd_cur_bytes(&c, sizeof(magic));
	pd_cur_text(&c);	/* version */
	head = pd_cur_bytes(&c, 2);
	big = head && head[0];
	c.swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	pd_cur_u32(&c);	/* page size */
	skip_block(&c, "header_page");
	skip_block(&c, "header_event");
	format = find_format(&c, &size);
	if (c.bad)
		*problem = "it ends early, or a size in it is wrong";
	if (!format)
		return NULL;
	tp = mem_zeroed(1, sizeof(*tp));
	errno = 0;
	*problem = parse(tp, format, size, big, head[1]);
	free(format);
	if (*problem) {
		mem_check(errno);
		tracepoint_free(tp);
		return NULL;
	}
	return tp;
}

void tracepoint_free(struct tracepoint *tp)
{
	if (!tp)
		return;
	close_parser(tp);
	free(tp);
}

uint64_t tracepoint_id(const struct tracepoint *tp)
{
	return tp->id;
}

static bool number(const struct tracepoint *tp, const struct tracepoint_field *f, const void *raw, size_t size,
		   uint64_t *v)
{
	if (size < f->offset || size - f->offset < f->size)
		return false;
	*v = read_number(tp, (const uint8_t *)raw + f->offset, f->size);
	return true;
}

bool tracepoint_switch(const struct tracepoint *tp, const void *raw, size_t size, struct sched_switch *sw)
{
	uint64_t type, prev, next;

	if (!raw || !number(tp, &tp->type, raw, size, &type) || type != tp->id ||
	    !number(tp, &tp->prev, raw, size, &prev) || !number(tp, &tp->next, raw, size, &next))
		return false;
	sw->prev = (int)(uint32_t)prev;
	sw->next = (int)(uint32_t)next;
	return sw->prev >= 0 && sw->next >= 0;
}
