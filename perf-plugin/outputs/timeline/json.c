/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json.c - a timeline as JSON in Chrome's Trace Event Format: complete events (ph X) with their begin and length in
 * microseconds, for viewers like Perfetto's.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "outputs/timeline/events.h"
#include "outputs/timeline/text.h"

struct json {
	struct text text;
	bool some;		/* events were written */
};

static void begin_event(struct json *j, const char *phase, const struct event_track *t)
{
	text_put_words(&j->text, j->some ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	text_put_words(&j->text, phase);
	text_put_words(&j->text, "\",\"pid\":");
	text_put_integer(&j->text, t->pid);
	text_put_words(&j->text, ",\"tid\":");
	text_put_integer(&j->text, t->tid);
	j->some = true;
}

static void put_metadata(struct json *j, const char *what, const struct event_track *t, const char *name)
{
	begin_event(j, "M", t);
	text_put(&j->text, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	text_name(&j->text, name);
	text_put(&j->text, "}}");
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
static void put_time(struct json *j, const char *before, uint64_t ns)
{
	const unsigned int rest = (unsigned int)(ns % 1000);
	const char decimals[] = { '.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
				  (char)('0' + rest % 10), 0 };

	text_put_words(&j->text, before);
	text_put_number(&j->text, ns / 1000);
	text_put_words(&j->text, decimals);
}

static void on_event(void *data, const struct event *e)
{
	struct json *j = data;
	unsigned int i;

	begin_event(j, e->instant ? "i" : "X", &e->track);
	put_time(j, ",\"ts\":", e->begin);
	if (e->instant)
		text_put_words(&j->text, ",\"s\":\"t\"");
	else
		put_time(j, ",\"dur\":", e->end - e->begin);
	text_put_words(&j->text, ",\"cat\":\"");
	text_put_words(&j->text, e->category);
	text_put_words(&j->text, "\",\"name\":");
	text_name(&j->text, e->name);
	text_put_words(&j->text, ",\"args\":{");
	for (i = 0; i < e->nr_args; i++) {
		text_put_words(&j->text, i ? ",\"" : "\"");
		text_put_words(&j->text, e->args[i].key);
		text_put_words(&j->text, "\":");
		if (e->args[i].text)
			text_name(&j->text, e->args[i].text);
		else
			text_put_number(&j->text, e->args[i].number);
	}
	text_put_words(&j->text, "}}");
}

uint64_t timeline_json(const struct timeline *t, struct pd_output *out)
{
	static const struct event_sink sink = { on_process, on_track, on_event, NULL };
	struct json *j = mem_zeroed(1, sizeof(*j));
	uint64_t written;

	j->text.out = out;
	text_put(&j->text, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"axis\":\"%s\",\"left out\":\"%" PRIu64 "\"},\"traceEvents\":[",
		 t->by_insns ? "instructions: 1 ns is one" : "perf time", t->left_out + t->tracks.left_out + t->tracks.messages_left_out + t->tracks.messages_untimed);
	timeline_events(t, &sink, j);
	text_put(&j->text, "\n]}\n");
	text_flush(&j->text);
	written = j->text.written;
	free(j);
	return written;
}
