/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * messages.h - where the messages of a thread go while it decodes: to stderr, or into a record that another thread
 * prints when its turn comes. Each thread loads its own files, so that two records can hold the same message;
 * messages_print() prints it once.
 */
#ifndef CSTRACE_BASE_MESSAGES_H
#define CSTRACE_BASE_MESSAGES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Subjects of messages. Two messages are the same if their subjects and their texts are equal. */
#define SUBJECT_OTHER		0u
#define SUBJECT_KALLSYMS	1u
#define SUBJECT_DSO		(1ull << 32)	/* | number of the dso */
#define SUBJECT_UNIT		(2ull << 32)	/* | CPU */

struct messages {
	struct message {
		uint64_t subject;
		char *text;
	} *v;
	size_t nr, cap;
};

/* The stream for messages of this thread. */
FILE *message_stream(void);
/* Sets the subject of the messages of this thread that follow, and returns that of those before. */
uint64_t message_subject(uint64_t subject);

/*
 * From now on messages of this thread go to `to`; NULL: to stderr. `to` is complete after the next
 * call. Returns where they went before.
 */
struct messages *messages_record(struct messages *to);
/* Prints on message_stream() the messages of `m` that `printed` does not hold yet, and adds them to it. Empties `m`. */
void messages_print(struct messages *m, struct messages *printed);
void messages_free(struct messages *m);

#endif
