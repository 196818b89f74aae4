/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/say.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "session/array.h"

/* Of a thread: the record, and the messages about one thing that are being written. */
static _Thread_local struct {
	struct says *to;
	FILE *out;		/* NULL: nothing was said about it yet */
	char *text;
	size_t len;
	uint64_t about;
} now;

/* Without memory a message is lost; the refusal is noted (perfdata/memory.h) and ends the command. */
static void add(struct says *s, uint64_t about, char *text)
{
	struct said *said = ARRAY_ADD(s->v, s->nr, s->cap);

	if (said)
		*said = (struct said){ about, text };
	else
		free(text);
}

static void close_message(void)
{
	if (!now.out)
		return;
	fclose(now.out);
	now.out = NULL;
	if (now.text && now.len)
		add(now.to, now.about, now.text);
	else
		free(now.text);
	now.text = NULL;
}

FILE *say_out(void)
{
	if (!now.to)
		return stderr;
	if (!now.out)
		now.out = open_memstream(&now.text, &now.len);
	return now.out ? now.out : stderr;
}

uint64_t say_about(uint64_t what)
{
	uint64_t was = now.about;

	close_message();
	now.about = what;
	return was;
}

void say_record(struct says *to)
{
	close_message();
	now.to = to;
}

static bool is_told(const struct says *told, const struct said *s)
{
	size_t i;

	for (i = 0; i < told->nr; i++)
		if (told->v[i].about == s->about && !strcmp(told->v[i].text, s->text))
			return true;
	return false;
}

void say_print(struct says *s, struct says *told)
{
	size_t i;

	for (i = 0; i < s->nr; i++) {
		if (is_told(told, &s->v[i])) {
			free(s->v[i].text);
			continue;
		}
		fputs(s->v[i].text, stderr);
		add(told, s->v[i].about, s->v[i].text);
	}
	s->nr = 0;
}

void says_free(struct says *s)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		free(s->v[i].text);
	free(s->v);
	memset(s, 0, sizeof(*s));
}
