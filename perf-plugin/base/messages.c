/* SPDX-License-Identifier: GPL-2.0-only */
/* messages.c - collects the messages of a thread by subject, and prints each text once. */
#include "base/messages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Of a thread: the record, and the messages of one subject that are being written. */
static _Thread_local struct {
	struct messages *to;
	FILE *out;		/* NULL: no message of this subject yet */
	char *text;
	size_t len;
	uint64_t subject;
} now;

static void add(struct messages *m, uint64_t subject, char *text)
{
	*ARRAY_ADD(m->v, m->nr, m->cap) = (struct message){ subject, text };
}

static void close_message(void)
{
	if (!now.out)
		return;
	if (fclose(now.out) || !now.text)
		mem_refused(0);
	now.out = NULL;
	if (now.len)
		add(now.to, now.subject, now.text);
	else
		free(now.text);
	now.text = NULL;
}

FILE *message_stream(void)
{
	if (!now.to)
		return stderr;
	if (!now.out)
		now.out = open_memstream(&now.text, &now.len);
	if (!now.out)
		mem_refused(0);
	return now.out;
}

uint64_t message_subject(uint64_t subject)
{
	uint64_t was = now.subject;

	close_message();
	now.subject = subject;
	return was;
}

struct messages *messages_record(struct messages *to)
{
	struct messages *was = now.to;

	close_message();
	now.to = to;
	return was;
}

static bool holds(const struct messages *m, const struct message *message)
{
	size_t i;

	for (i = 0; i < m->nr; i++)
		if (m->v[i].subject == message->subject && !strcmp(m->v[i].text, message->text))
			return true;
	return false;
}

void messages_print(struct messages *m, struct messages *printed)
{
	size_t i;

	for (i = 0; i < m->nr; i++) {
		if (holds(printed, &m->v[i])) {
			free(m->v[i].text);
			continue;
		}
		fputs(m->v[i].text, message_stream());
		add(printed, m->v[i].subject, m->v[i].text);
	}
	m->nr = 0;
}

void messages_free(struct messages *m)
{
	size_t i;

	for (i = 0; i < m->nr; i++)
		free(m->v[i].text);
	free(m->v);
	memset(m, 0, sizeof(*m));
}
