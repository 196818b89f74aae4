/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json.c - a timeline as JSON in Chrome's Trace Event Format: complete events (ph X) with their begin and length in
 * microseconds, for a viewer as Perfetto's or speedscope.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "timeline/events.h"

struct json {
	struct pd_output *out;	/* NULL: only counted */
	uint64_t written;
	bool first;
	size_t fill;
	char buf[1 << 16];
};

static void flush(struct json *j)
{
	if (j->out)
		pd_output_write(j->out, j->buf, j->fill);
	j->written += j->fill;
	j->fill = 0;
}

static void put(struct json *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Texts of at most a few hundred bytes. */
static void put(struct json *j, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (sizeof(j->buf) - j->fill < 1024)
		flush(j);
	va_start(ap, fmt);
	n = vsnprintf(j->buf + j->fill, sizeof(j->buf) - j->fill, fmt, ap);
	va_end(ap);
	if (n > 0)
		j->fill += (size_t)n < sizeof(j->buf) - j->fill ? (size_t)n : sizeof(j->buf) - j->fill - 1;
}

#define LONGEST_NAME	1024u	/* bytes; a longer one is cut: viewers show less */

/* A name in quotes. Viewers show it, so it stays UTF-8; other bytes and control characters are shown as \xNN. */
static void put_name(struct json *j, const char *name)
{
	const char *text = name_shown(name);
	size_t n = strlen(text), i;

	for (i = LONGEST_NAME; n > LONGEST_NAME; i--)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			n = i;
	if (sizeof(j->buf) - j->fill < 2 * LONGEST_NAME + 2)
		flush(j);
	j->buf[j->fill++] = '"';
	for (i = 0; i < n; i++) {
		if (text[i] == '"' || text[i] == '\\')
			j->buf[j->fill++] = '\\';
		j->buf[j->fill++] = text[i];
	}
	j->buf[j->fill++] = '"';
}

static void begin_event(struct json *j, const char *phase, const struct event_track *t)
{
	put(j, "%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%d", j->first ? "\n" : ",\n", phase, t->pid, t->tid);
	j->first = false;
}

static void put_metadata(struct json *j, const char *what, const struct event_track *t, const char *name)
{
	begin_event(j, "M", t);
	put(j, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	put_name(j, name);
	put(j, "}}");
}

static void on_process(void *data, const struct event_track *t, const char *name)
{
	put_metadata(data, "process_name", t, name);
}

static void on_track(void *data, const struct event_track *t, const char *name)
{
	put_metadata(data, "thread_name", t, name);
}

/* Microseconds with three decimals; an instruction is shown as a nanosecond. */
static void put_time(struct json *j, const char *key, uint64_t ns)
{
	put(j, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned int)(ns % 1000));
}

static void on_event(void *data, const struct event *e)
{
	struct json *j = data;
	unsigned int i;

	begin_event(j, e->instant ? "i" : "X", &e->track);
	put_time(j, "ts", e->begin);
	if (e->instant)
		put(j, ",\"s\":\"t\"");
	else
		put_time(j, "dur", e->end - e->begin);
	put(j, ",\"cat\":\"%s\",\"name\":", e->category);
	put_name(j, e->name);
	put(j, ",\"args\":{");
	for (i = 0; i < e->nr_args; i++) {
		put(j, "%s\"%s\":", i ? "," : "", e->args[i].key);
		if (e->args[i].text)
			put_name(j, e->args[i].text);
		else
			put(j, "%" PRIu64, e->args[i].number);
	}
	put(j, "}}");
}

uint64_t timeline_json(const struct timeline *t, struct pd_output *out)
{
	static const struct event_sink sink = { on_process, on_track, on_event };
	struct json *j = calloc(1, sizeof(*j));
	uint64_t written;

	if (!j)
		return UINT64_MAX;
	j->out = out;
	j->first = true;
	put(j, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"axis\":\"%s\",\"left out\":\"%" PRIu64 "\"},\"traceEvents\":[",
	    t->by_insns ? "instructions: 1 ns is one" : "perf time", t->left_out + t->tracks.left_out);
	timeline_events(t, &sink, j);
	put(j, "\n]}\n");
	flush(j);
	written = j->written;
	free(j);
	return written;
}
