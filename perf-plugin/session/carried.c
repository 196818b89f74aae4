/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * carried.c - writes and reads facts as they are in memory, since only a process of this program
 * reads them.
 */
#include "session/carried.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/files/output.h"
#include "session/internal.h"

void carried_begin(struct session *ss, const struct session_carried *c)
{
	size_t i, thin;

	if (!c)
		return;
	identity_restore(&ss->tasks.identity, &c->facts.seen, c->pairs, c->facts.nr_pairs);
	thin = c->facts.nr_brackets > CARRIED_WINDOWS ? 2 : 1;
	for (i = 0; i < c->facts.nr_brackets; i += thin)
		clocks_restore(&ss->clocks, &c->brackets[i], 1);
}

void carried_apply(struct session *ss, const struct session_carried *c)
{
	if (!c)
		return;
	ss->tasks.own = c->facts.learned.own;
	ss->tasks.contextid = c->facts.learned.contextid;
	ss->losses.lost_records += c->facts.lost_records;
}

int session_carry(const struct session *ss, int fd)
{
	struct carried_facts f;
	struct id_pair *pairs;
	int rc;

	/* written as bytes, with those between members */
	memset(&f, 0, sizeof(f));
	f.learned = (struct learned){ .own = ss->tasks.own, .contextid = ss->tasks.contextid };
	f.lost_records = ss->losses.lost_records;
	pairs = identity_save(&ss->tasks.identity, &f.seen, &f.nr_pairs);
	f.nr_brackets = ss->clocks.brackets.nr;
	rc = output_write_all(fd, &f, sizeof(f));
	if (!rc)
		rc = output_write_all(fd, pairs, f.nr_pairs * sizeof(*pairs));
	if (!rc)
		rc = output_write_all(fd, ss->clocks.brackets.v,
				      f.nr_brackets * sizeof(*ss->clocks.brackets.v));
	free(pairs);
	return rc;
}

/* All of `size` bytes, or false. */
static bool read_all(int fd, void *to, size_t size, off_t *at)
{
	uint8_t *p = to;
	ssize_t n;

	while (size) {
		n = pread(fd, p, size, *at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		size -= (size_t)n;
		*at += n;
	}
	return true;
}

struct session_carried *session_carried_read(int fd)
{
	struct session_carried *c = mem_zeroed(1, sizeof(*c));
	off_t at = 0;

	if (!read_all(fd, &c->facts, sizeof(c->facts), &at)) {
		free(c);
		return NULL;
	}
	c->pairs = mem_array(c->facts.nr_pairs, sizeof(*c->pairs));
	c->brackets = mem_array(c->facts.nr_brackets, sizeof(*c->brackets));
	if (read_all(fd, c->pairs, c->facts.nr_pairs * sizeof(*c->pairs), &at) &&
	    read_all(fd, c->brackets, c->facts.nr_brackets * sizeof(*c->brackets), &at))
		return c;
	session_carried_free(c);
	return NULL;
}

void session_carried_free(struct session_carried *c)
{
	if (!c)
		return;
	free(c->pairs);
	free(c->brackets);
	free(c);
}
