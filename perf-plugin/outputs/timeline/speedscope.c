/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * speedscope.c - a timeline as an evented profile for each track, in speedscope's own format
 * (speedscope.app/file-format-schema.json). There, a function is one frame, whatever its calls did, so that it can be
 * summed over them; instructions and messages have no place in it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/name.h"
#include "base/strings.h"
#include "outputs/timeline/events.h"
#include "outputs/timeline/text.h"

struct named_track {
	int pid, tid;
	char *name;
};

struct speedscope {
	struct text text;
	bool by_insns;
	struct strings frames;	/* a name, a newline, the file */
	char process[64];	/* of tracks of CPUs: what they show */
	struct named_track *tracks;
	size_t nr_tracks, cap_tracks;
	size_t open;		/* number of its track, of the profile that is written up to `end`; 0: none */
	uint64_t end;
	uint32_t *begun;	/* frames that have not ended */
	size_t nr_begun, cap_begun;
	bool some, some_events;	/* profiles, and events of this one, were written */
};

static void on_process(void *data, const struct event_track *t, const char *name)
{
	struct speedscope *s = data;

	if (t->cpu)
		snprintf(s->process, sizeof(s->process), "%s, ", name);
}

static void on_track(void *data, const struct event_track *t, const char *name)
{
	struct speedscope *s = data;
	struct named_track *to = ARRAY_ADD(s->tracks, s->nr_tracks, s->cap_tracks);
	const char *shown = name_shown(name);
	const size_t size = strlen(shown) + sizeof(s->process) + 16;

	*to = (struct named_track){ .pid = t->pid, .tid = t->tid, .name = mem_new(size) };
	if (t->thread)
		snprintf(to->name, size, "%s, %d", shown, t->tid);
	else
		snprintf(to->name, size, "%s%s", t->cpu ? s->process : "", shown);
}

static void end_profile(struct speedscope *s)
{
	if (s->open)
		text_put(&s->text, "\n],\"endValue\":%" PRIu64 "}", s->end);
	s->open = 0;
}

static bool is_track(const struct named_track *named, const struct event_track *t)
{
	return named->pid == t->pid && named->tid == t->tid;
}

static void begin_profile(struct speedscope *s, const struct event *e)
{
	if (s->open && is_track(&s->tracks[s->open - 1], &e->track))
		return;
	end_profile(s);
	/* events of a track follow it */
	for (s->open = s->nr_tracks; s->open > 1; s->open--)
		if (is_track(&s->tracks[s->open - 1], &e->track))
			break;
	text_put(&s->text, "%s\n{\"type\":\"evented\",\"name\":", s->some ? "," : "");
	text_name(&s->text, s->tracks[s->open - 1].name);
	text_put(&s->text, ",\"unit\":\"%s\",\"startValue\":%" PRIu64 ",\"events\":[", s->by_insns ? "none" : "nanoseconds",
		 e->begin);
	s->some = true;
	s->some_events = false;
}

/* Writes the begin (type O) or the end (type C) of a frame. */
static void put_event(struct speedscope *s, const char *type, uint32_t frame, uint64_t at)
{
	text_put_words(&s->text, s->some_events ? ",\n{\"type\":\"" : "\n{\"type\":\"");
	text_put_words(&s->text, type);
	text_put_words(&s->text, "\",\"frame\":");
	text_put_number(&s->text, frame);
	text_put_words(&s->text, ",\"at\":");
	text_put_number(&s->text, at);
	text_put_words(&s->text, "}");
	s->some_events = true;
	s->end = at;
}

static const char *file_of(const struct event *e)
{
	unsigned int i;

	for (i = 0; i < e->nr_args; i++)
		if (!strcmp(e->args[i].key, "file"))
			return e->args[i].text;
	return "";
}

static uint32_t frame_of(struct speedscope *s, const struct event *e)
{
	char text[2048];

	/* name_shown() leaves no newline in a name */
	snprintf(text, sizeof(text), "%.1000s\n%.1000s", name_shown(e->name), name_shown(file_of(e)));
	return strings_number(&s->frames, text);
}

static void on_event(void *data, const struct event *e)
{
	struct speedscope *s = data;
	uint32_t *frame;

	if (e->instant)
		return;
	frame = ARRAY_ADD(s->begun, s->nr_begun, s->cap_begun);
	begin_profile(s, e);
	*frame = frame_of(s, e);
	put_event(s, "O", *frame, e->begin);
}

static void on_end(void *data, const struct event_track *t, uint64_t time)
{
	struct speedscope *s = data;

	(void)t;
	if (s->nr_begun)
		put_event(s, "C", s->begun[--s->nr_begun], time);
}

static void put_frames(struct speedscope *s)
{
	char *file;
	size_t i;

	text_put(&s->text, "],\n\"shared\":{\"frames\":[");
	for (i = 0; i < s->frames.n; i++) {
		file = strchr(s->frames.v[i], '\n');
		*file++ = '\0';
		text_put(&s->text, "%s\n{\"name\":", i ? "," : "");
		text_name(&s->text, s->frames.v[i]);
		if (*file) {
			text_put(&s->text, ",\"file\":");
			text_name(&s->text, file);
		}
		text_put(&s->text, "}");
	}
	text_put(&s->text, "\n]}}\n");
}

uint64_t timeline_speedscope(const struct timeline *t, struct pd_output *out)
{
	static const struct event_sink sink = { on_process, on_track, on_event, on_end };
	struct speedscope *s = mem_zeroed(1, sizeof(*s));
	uint64_t written;
	size_t i;

	s->text.out = out;
	s->by_insns = t->by_insns;
	text_put(&s->text, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"cstrace\","
			   "\"activeProfileIndex\":0,\"profiles\":[");
	timeline_events(t, &sink, s);
	end_profile(s);
	put_frames(s);
	text_flush(&s->text);
	written = s->text.written;
	for (i = 0; i < s->nr_tracks; i++)
		free(s->tracks[i].name);
	free(s->tracks);
	free(s->begun);
	strings_free(&s->frames);
	free(s);
	return written;
}
