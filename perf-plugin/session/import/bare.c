/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bare.c - finds out what the options for trace without a recording describe: files, trace IDs, sources and their
 * registers. bare_text.c describes it as a snapshot.
 */
#include "base/alloc.h"
#include "base/messages.h"
#include "session/import/bare_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstrace/frame.h>

#include "base/files/input.h"
#include "base/files/outdir.h"
#include "base/name.h"
#include "base/number.h"
#include "session/import/frames.h"
#include "session/import/program.h"

#define DEFAULT_ID	1	/* of raw trace, which has no IDs */

static const struct {
	const char *name;		/* in trace.ini */
	unsigned int flags;		/* enum cst_frame_flags */
} formats[] = {
	[BARE_ALIGNED] = { "coresight", CST_FRAME_ALIGNED | CST_FRAME_RESET_4X },
	/* snapshots have no name for these frames: the synchronisation between them is taken out */
	[BARE_TPIU] = { "coresight", CST_FRAME_FSYNC | CST_FRAME_HSYNC },
	[BARE_DSTREAM] = { "dstream_coresight", CST_FRAME_FSYNC | CST_FRAME_DSTREAM },
	[BARE_RAW] = { "source_data", 0 },
};

const char *bare_format_name(enum bare_format format)
{
	return formats[format].name;
}

/* ---- files of trace ---------------------------------------------------------------------------- */

/* FILE:ID, unless there is a file of that name. */
static int split(struct bare_maker *m, struct bare_trace *t, const char *arg)
{
	const char *colon = strrchr(arg, ':'), *end;
	uint64_t id;

	t->id = BARE_ANY;
	if (!colon || !access(arg, F_OK)) {
		t->path = mem_text(arg);
	} else {
		end = number_read(colon + 1, &id);
		if (!end || *end || !id || id > 0x6f)
			return error_set(m->err, ERR_FORMAT, "--trace %s: found '%s' as the trace ID, expected a number from "
					 "0x01 to 0x6f; and there is no file of this name", arg, colon + 1);
		t->id = (int)id;
		t->path = mem_text_part(arg, (size_t)(colon - arg));
	}
	return 0;
}

/* What nothing in the trace proves. */
static void report_begin(const struct bare_maker *m, const struct bare_trace *t, int begin)
{
	if (begin > 0 || (!begin && m->o->format == BARE_TPIU))
		fprintf(message_stream(), "%s: --trace %s: no synchronisation says where frames begin: byte %d is assumed, from which the trace "
			"IDs are fewest and contradict the padding least\n", m->f->who, name_shown(t->path), begin);
}

/* Adds the buffer to the folder, and the bytes of its trace IDs to `count`. */
static int read_trace(struct bare_maker *m, struct bare_trace *t, uint64_t count[128])
{
	unsigned int flags = formats[m->o->format].flags;
	uint64_t lost = 0;
	uint8_t *frames;
	size_t size, n;
	void *data = input_map(t->path, PROT_READ, &size);
	int begin;

	if (!data)
		return error_set(m->err, ERR_IO, "--trace %s: %s", t->path, input_error(errno));
	t->alias = program_alias(m->f, t->path);
	begin = m->o->format == BARE_RAW ? FRAMES_SEARCH : frames_begin(data, size, flags);
	report_begin(m, t, begin);
	if (m->o->format != BARE_RAW)
		frames_count_ids(data, size, flags, begin, count);
	if (m->o->format == BARE_TPIU || begin > 0) {
		frames_align(data, size, flags, begin, &frames, &n, &lost);
		folder_add_data(m->f, t->alias, frames, n);
	} else {
		folder_add_path(m->f, t->alias, t->path);
	}
	input_unmap(data, size);
	if (lost)
		fprintf(message_stream(), "%s: --trace %s: %" PRIu64 " of %zu bytes are in no whole frame of --trace-format %s\n",
			m->f->who, name_shown(t->path), lost, size, m->o->format == BARE_TPIU ? "tpiu" : "aligned");
	*m->lost += lost;
	return 0;
}

/* ---- trace sources ----------------------------------------------------------------------------- */

int bare_given(const struct bare_maker *m, const struct bare_source *s, const char *name, uint64_t *value)
{
	const struct bare_reg *r;
	size_t i;

	for (i = m->o->nr_regs; i-- > 0;) {
		r = &m->o->regs[i];
		if ((r->id == BARE_ANY || r->id == s->id) &&
		    core_reg_by_name(s->core->kind, r->name, r->name_len) == core_reg_by_name(s->core->kind, name, strlen(name))) {
			*value = r->value;
			return 1;
		}
	}
	return 0;
}

/* The ID that --reg gives the only source, or BARE_ANY. */
static int id_of_register(const struct bare_maker *m, const struct bare_source *s)
{
	const struct core_reg *r;
	uint64_t value;

	for (r = NULL; (r = core_next_reg(s->core->kind, r));)
		if (r->rule == REG_TRACE_ID && bare_given(m, s, r->name, &value))
			return (int)(value >> r->shift & 0x7f);
	return BARE_ANY;
}

static void list_regs(enum core_kind kind, char *text, size_t size)
{
	const struct core_reg *r;
	size_t at = 0;

	for (r = NULL, *text = 0; at < size && (r = core_next_reg(kind, r));)
		at += (size_t)snprintf(text + at, size - at, " %s", r->name);
}

/* A register that no source has is one that was spelled wrong. `ids`: the trace IDs of all sources are known. */
static int check_regs(const struct bare_maker *m, bool ids)
{
	const struct bare_reg *r;
	char list[300];
	size_t i, k;

	for (i = 0; i < m->o->nr_regs; i++) {
		r = &m->o->regs[i];
		for (k = 0; k < m->nr_sources; k++)
			if ((!ids || r->id == BARE_ANY || r->id == m->sources[k].id) &&
			    core_reg_by_name(m->sources[k].core->kind, r->name, r->name_len))
				break;
		if (k < m->nr_sources)
			continue;
		for (k = 0; k + 1 < m->nr_sources && r->id != m->sources[k].id; k++)
			;
		if (ids && r->id != BARE_ANY && r->id != m->sources[k].id)
			return error_set(m->err, ERR_FORMAT, "--reg %.*s: no trace source has the ID 0x%02x", (int)r->name_len,
					 r->name, (unsigned int)r->id);
		list_regs(m->sources[k].core->kind, list, sizeof(list));
		return error_set(m->err, ERR_FORMAT, "--reg %.*s: found a register that %s does not have, expected one of%s",
				 (int)r->name_len, r->name, m->sources[k].core->name, list);
	}
	return 0;
}

/* The only trace ID in the frames. */
static int find_id(struct bare_maker *m, const uint64_t count[128], int *id)
{
	char list[300] = "";
	unsigned int i, nr = 0;
	size_t at = 0;

	for (i = 1; i < 0x70; i++) {
		if (!count[i])
			continue;
		nr++;
		*id = (int)i;
		if (at < sizeof(list) - 40)
			at += (size_t)snprintf(list + at, sizeof(list) - at, " 0x%02x (%" PRIu64 " bytes)", i, count[i]);
	}
	if (nr == 1)
		return 0;
	if (!nr)
		return error_set(m->err, ERR_FORMAT, "--trace %s: no trace ID in the frames; --trace-format says what the file "
				 "holds: aligned (default), tpiu, dstream or raw", m->traces[0].path);
	return error_set(m->err, ERR_FORMAT, "--trace %s: found trace IDs%s, expected one; --trace FILE:ID takes one of them, "
			 "--trace-source ID=NAME several", m->traces[0].path, list);
}

static int only_source(struct bare_maker *m, const uint64_t count[128])
{
	struct bare_source *s = &m->sources[0];
	size_t i;

	m->nr_sources = 1;
	*s = (struct bare_source){ BARE_ANY, m->o->core };
	for (i = 0; i < m->o->nr_traces; i++)
		if (m->traces[i].id != BARE_ANY) {
			if (s->id != BARE_ANY && s->id != m->traces[i].id)
				return error_set(m->err, ERR_FORMAT, "--trace %s: found trace IDs 0x%02x and 0x%02x, expected a "
						 "--trace-source for each", m->traces[i].path, (unsigned int)s->id,
						 (unsigned int)m->traces[i].id);
			s->id = m->traces[i].id;
		}
	if (s->id == BARE_ANY)
		s->id = id_of_register(m, s);
	if (s->id != BARE_ANY)
		return 0;
	if (check_regs(m, false))
		return m->err->code;
	if (m->o->format != BARE_RAW)
		return find_id(m, count, &s->id);
	s->id = DEFAULT_ID;
	return 0;
}

static int find_sources(struct bare_maker *m, const uint64_t count[128])
{
	size_t i, k;

	if (!m->o->nr_sources)
		return only_source(m, count);
	memcpy(m->sources, m->o->sources, sizeof(m->sources));
	m->nr_sources = m->o->nr_sources;
	for (i = 0; i < m->nr_sources; i++)
		for (k = 0; k < i; k++)
			if (m->sources[i].id == m->sources[k].id)
				return error_set(m->err, ERR_FORMAT, "--trace-source: trace ID 0x%02x is given twice",
						 (unsigned int)m->sources[i].id);
	for (i = 0; i < m->o->nr_traces; i++) {
		for (k = 0; k < m->nr_sources && m->sources[k].id != m->traces[i].id; k++)
			;
		if (m->traces[i].id != BARE_ANY && k == m->nr_sources)
			return error_set(m->err, ERR_FORMAT, "--trace %s: trace ID 0x%02x has no --trace-source",
					 m->traces[i].path, (unsigned int)m->traces[i].id);
		if (m->o->format == BARE_RAW && m->traces[i].id == BARE_ANY && m->nr_sources > 1)
			return error_set(m->err, ERR_FORMAT, "--trace %s: raw trace is of one source, and there are %zu: expected "
					 "--trace FILE:ID", m->traces[i].path, m->nr_sources);
	}
	return 0;
}

static int make_all(struct bare_maker *m)
{
	uint64_t count[128] = { 0 };
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < m->o->nr_traces; i++) {
		rc = split(m, &m->traces[i], m->o->traces[i]);
		if (!rc)
			rc = read_trace(m, &m->traces[i], count);
	}
	if (!rc)
		rc = find_sources(m, count);
	if (!rc)
		rc = check_regs(m, true);
	return rc ? rc : bare_write_texts(m);
}

int bare_make(const struct bare_opts *o, struct folder *f, uint64_t *lost, struct error *err)
{
	struct bare_maker *m;
	size_t i;
	int rc;

	if (!o || (!o->nr_traces && !o->nr_programs))
		return 0;
	m = mem_zeroed(1, sizeof(*m));
	*m = (struct bare_maker){ .o = o, .f = f, .err = err, .lost = lost };
	rc = o->nr_traces ? make_all(m) : bare_extend_texts(m);
	for (i = 0; i < o->nr_traces; i++) {
		free(m->traces[i].path);
		free(m->traces[i].alias);
	}
	free(m);
	return rc;
}

int bare_write(const struct bare_opts *o, const char *output, struct drops *drops,
	       struct error *err)
{
	struct folder f = { .dir = o->traces[0], .who = "cstrace convert" };
	const struct folder_extra *e;
	struct outdir out;
	size_t i;
	int rc = bare_make(o, &f, &drops->count, err);

	if (!rc) {
		rc = outdir_open(&out, output, err);
		for (i = 0; !rc && i < f.nr_extra; i++) {
			e = &f.extra[i];
			rc = e->path ? outdir_copy(&out, e->name, e->path, err) :
				       outdir_file(&out, e->name, e->data, e->len, err);
			if (rc)
				outdir_abort(&out);
		}
		if (!rc)
			rc = outdir_finish(&out, err);
	}
	folder_free(&f);
	return rc;
}
