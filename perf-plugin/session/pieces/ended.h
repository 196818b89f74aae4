/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ended.h - which records about threads and maps no piece needs any more: those of processes that
 * have ended, and maps of before an exec, unless a child still has them. So what pieces have in
 * common does not grow with the processes that ran.
 */
#ifndef CSTRACE_SESSION_PIECES_ENDED_H
#define CSTRACE_SESSION_PIECES_ENDED_H

#include "session/pieces/kept.h"

struct ended_process;

struct ended {
	struct intmap processes;	/* struct ended_process, the current one of each number */
	struct intmap threads;	/* those that run: the struct ended_process of each */
	struct ended_process **v;	/* all */
	size_t nr, cap;
	int mapped;	/* the first process with a map; 0: none */
	bool several, forked;	/* records are kept which show that there is more than one */
};

/* Notes a record that is kept. */
void ended_note(struct ended *e, const struct pd_record *rec, struct kept *k);
/* Marks records KEEP_NOT that no trace from `since` on needs. */
void ended_drop(struct ended *e, struct kept_list *l, uint64_t since);
void ended_free(struct ended *e);

#endif
