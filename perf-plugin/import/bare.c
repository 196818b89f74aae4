/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bare.c - the files of a snapshot for trace that has none: snapshot.ini, trace.ini, a device file for each core and
 * trace source, and one whose memory dumps are the segments of the program files.
 */
#include "import/bare.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstrace/frame.h>

#include "base/name.h"
#include "files/input.h"
#include "import/frames.h"
#include "import/program.h"

#define MAX_INDEX	(1u << 20)	/* bytes of snapshot.ini */
#define DEFAULT_ID	1		/* of raw trace, which has no IDs */

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

struct trace {
	char *path, *alias;
	int id;
};

struct maker {
	const struct bare_opts *o;
	struct folder *f;
	struct error *err;
	uint64_t *lost;
	struct trace traces[BARE_MAX];
	struct bare_source sources[BARE_MAX];
	size_t nr_sources;
};

static int no_memory(const struct maker *m)
{
	return error_set(m->err, ERR_NOMEM, 0, "out of memory while the trace was described");
}

/* ---- files of trace ---------------------------------------------------------------------------- */

/* FILE:ID, unless there is a file of that name. */
static int split(struct maker *m, struct trace *t, const char *arg)
{
	const char *colon = strrchr(arg, ':');
	char *end;
	unsigned long id;

	t->id = BARE_ANY;
	if (!colon || !access(arg, F_OK)) {
		t->path = strdup(arg);
	} else {
		errno = 0;
		id = strtoul(colon + 1, &end, 0);
		if (colon[1] < '0' || colon[1] > '9' || *end || errno || !id || id > 0x6f)
			return error_set(m->err, ERR_FORMAT, 0, "--trace %s: found '%s' as the trace ID, expected a number from "
					 "0x01 to 0x6f; and there is no file of this name", arg, colon + 1);
		t->id = (int)id;
		t->path = strndup(arg, (size_t)(colon - arg));
	}
	return t->path ? 0 : no_memory(m);
}

/* Adds the buffer to the folder, and the bytes of its trace IDs to `count`. */
static int read_trace(struct maker *m, struct trace *t, uint64_t count[128])
{
	unsigned int flags = formats[m->o->format].flags;
	uint64_t lost = 0;
	uint8_t *frames;
	size_t size, n;
	void *data = input_map(t->path, PROT_READ, &size);
	int rc;

	if (!data)
		return error_set(m->err, ERR_IO, 0, "--trace %s: %s", t->path, input_error(errno));
	t->alias = program_alias(m->f, t->path);
	rc = t->alias ? 0 : ERR_NOMEM;
	if (m->o->format != BARE_RAW)
		frames_count_ids(data, size, flags, count);
	if (!rc && m->o->format == BARE_TPIU) {
		rc = frames_align(data, size, flags, &frames, &n, &lost);
		if (!rc)
			rc = folder_add_data(m->f, t->alias, frames, n);
	} else if (!rc) {
		rc = folder_add_path(m->f, t->alias, t->path);
	}
	input_unmap(data, size);
	if (lost)
		fprintf(stderr, "%s: --trace %s: %" PRIu64 " of %zu bytes are in no whole frame of --trace-format tpiu\n",
			m->f->who, name_shown(t->path), lost, size);
	*m->lost += lost;
	return rc ? no_memory(m) : 0;
}

/* ---- trace sources ----------------------------------------------------------------------------- */

/* A register of a source as an option gives it, the last one if there are several: 1 and *value, or 0. */
static int given(const struct maker *m, const struct bare_source *s, const char *name, uint64_t *value)
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
static int id_of_register(const struct maker *m, const struct bare_source *s)
{
	const struct core_reg *r;
	uint64_t value;

	for (r = core_regs(s->core->kind); r->name; r++)
		if (r->rule == REG_TRACE_ID && given(m, s, r->name, &value))
			return (int)(value >> r->shift & 0x7f);
	return BARE_ANY;
}

static void list_regs(enum core_kind kind, char *text, size_t size)
{
	const struct core_reg *r;
	size_t at = 0;

	for (r = core_regs(kind), *text = 0; r->name && at < size; r++)
		at += (size_t)snprintf(text + at, size - at, " %s", r->name);
}

/* A register that no source has is one that was spelled wrong. `ids`: the trace IDs of all sources are known. */
static int check_regs(const struct maker *m, bool ids)
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
			return error_set(m->err, ERR_FORMAT, 0, "--reg %.*s: no trace source has the ID 0x%02x", (int)r->name_len,
					 r->name, (unsigned int)r->id);
		list_regs(m->sources[k].core->kind, list, sizeof(list));
		return error_set(m->err, ERR_FORMAT, 0, "--reg %.*s: found a register that %s does not have, expected one of%s",
				 (int)r->name_len, r->name, m->sources[k].core->name, list);
	}
	return 0;
}

/* The only trace ID in the frames. */
static int find_id(struct maker *m, const uint64_t count[128], int *id)
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
		return error_set(m->err, ERR_FORMAT, 0, "--trace %s: no trace ID in the frames; --trace-format says what the file "
				 "holds: aligned (default), tpiu, dstream or raw", m->traces[0].path);
	return error_set(m->err, ERR_FORMAT, 0, "--trace %s: found trace IDs%s, expected one; --trace FILE:ID takes one of them, "
			 "--trace-source ID=NAME several", m->traces[0].path, list);
}

static int only_source(struct maker *m, const uint64_t count[128])
{
	struct bare_source *s = &m->sources[0];
	size_t i;

	m->nr_sources = 1;
	*s = (struct bare_source){ BARE_ANY, m->o->core };
	for (i = 0; i < m->o->nr_traces; i++)
		if (m->traces[i].id != BARE_ANY) {
			if (s->id != BARE_ANY && s->id != m->traces[i].id)
				return error_set(m->err, ERR_FORMAT, 0, "--trace %s: found trace IDs 0x%02x and 0x%02x, expected a "
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

/* Raw trace is that of one source. */
static int feeds(const struct maker *m, const struct bare_source *s, const struct trace *t)
{
	return m->o->format != BARE_RAW || t->id == BARE_ANY || t->id == s->id;
}

static int find_sources(struct maker *m, const uint64_t count[128])
{
	size_t i, k;

	if (!m->o->nr_sources)
		return only_source(m, count);
	memcpy(m->sources, m->o->sources, sizeof(m->sources));
	m->nr_sources = m->o->nr_sources;
	for (i = 0; i < m->nr_sources; i++)
		for (k = 0; k < i; k++)
			if (m->sources[i].id == m->sources[k].id)
				return error_set(m->err, ERR_FORMAT, 0, "--trace-source: trace ID 0x%02x is given twice",
						 (unsigned int)m->sources[i].id);
	for (i = 0; i < m->o->nr_traces; i++) {
		for (k = 0; k < m->nr_sources && m->sources[k].id != m->traces[i].id; k++)
			;
		if (m->traces[i].id != BARE_ANY && k == m->nr_sources)
			return error_set(m->err, ERR_FORMAT, 0, "--trace %s: trace ID 0x%02x has no --trace-source",
					 m->traces[i].path, (unsigned int)m->traces[i].id);
		if (m->o->format == BARE_RAW && m->traces[i].id == BARE_ANY && m->nr_sources > 1)
			return error_set(m->err, ERR_FORMAT, 0, "--trace %s: raw trace is of one source, and there are %zu: expected "
					 "--trace FILE:ID", m->traces[i].path, m->nr_sources);
	}
	return 0;
}

/* ---- texts ------------------------------------------------------------------------------------- */

/* A text that is printed, and then becomes a file of the folder. */
struct text {
	FILE *out;
	char *p;
	size_t len;
};

static int text_begin(struct maker *m, struct text *t)
{
	t->p = NULL;
	t->out = open_memstream(&t->p, &t->len);
	return t->out ? 0 : no_memory(m);
}

static int text_end(struct maker *m, struct text *t, const char *name)
{
	if (fclose(t->out)) {
		free(t->p);
		return no_memory(m);
	}
	return folder_add_data(m->f, name, t->p, t->len) ? no_memory(m) : 0;
}

static const char *source_stem(const struct bare_source *s)
{
	static const char *const stems[KIND__COUNT] = {
		[KIND_ETMV3] = "ETM", [KIND_PTM] = "PTM", [KIND_ETMV4] = "ETM", [KIND_ETE] = "ETE", [KIND_ITM] = "ITM",
		[KIND_STM] = "STM",
	};

	return stems[s->core->kind];
}

static void say_assumed(const struct maker *m, const struct bare_source *s, const struct core_reg *r, uint64_t value)
{
	fprintf(stderr, "%s: %s, trace ID 0x%02x: no %s: 0x%" PRIx64 " is assumed (%s); --reg %s=VALUE gives it\n", m->f->who,
		s->core->name, (unsigned int)s->id, r->name, value, r->meaning, r->name);
}

static int print_reg(struct maker *m, const struct bare_source *s, const struct core_reg *r, FILE *out)
{
	uint64_t value, idr0;

	if (!given(m, s, r->name, &value) && !core_reg_value(s->core, r->name, &value)) {
		value = r->value;
		switch (r->rule) {
		case REG_OPTIONAL:
			return 0;
		case REG_REQUIRED:
			return error_set(m->err, ERR_FORMAT, 0, "%s, trace ID 0x%02x: register %s is missing, and nothing can be "
					 "decoded without it; --reg %s=VALUE gives it", s->core->name, (unsigned int)s->id,
					 r->name, r->name);
		case REG_TRACE_ID:
			value |= (uint64_t)s->id << r->shift;
			break;
		case REG_CONFIG:
			/* TRCIDR0.RETSTACK, TRCCONFIGR.RS */
			if (given(m, s, "TRCIDR0", &idr0) || core_reg_value(s->core, "TRCIDR0", &idr0))
				value |= (idr0 >> 9 & 1) << 12;
			break;
		case REG_ASSUMED:
			break;
		}
		if (r->meaning)
			say_assumed(m, s, r, value);
	}
	fprintf(out, "%s=0x%" PRIx64 "\n", r->name, value);
	return 0;
}

static int write_source(struct maker *m, size_t n)
{
	const struct bare_source *s = &m->sources[n];
	const struct core_reg *r;
	struct text t;
	char name[40];
	int rc;

	if (s->core->type) {
		if (text_begin(m, &t))
			return ERR_NOMEM;
		fprintf(t.out, "[device]\nname=cpu_%zu\nclass=core\ntype=%s\n", n, s->core->type);
		snprintf(name, sizeof(name), "cpu_%zu.ini", n);
		if (text_end(m, &t, name))
			return ERR_NOMEM;
	}
	if (text_begin(m, &t))
		return ERR_NOMEM;
	fprintf(t.out, "[device]\nname=%s_%zu\nclass=trace_source\ntype=%s\n\n[regs]\n", source_stem(s), n,
		core_source_type(s->core->kind));
	for (r = core_regs(s->core->kind), rc = 0; !rc && r->name; r++)
		rc = print_reg(m, s, r, t.out);
	snprintf(name, sizeof(name), "%s_%zu.ini", source_stem(s), n);
	return text_end(m, &t, name) || rc ? m->err->code : 0;
}

static int write_programs(struct maker *m)
{
	struct text t;
	size_t i;
	int rc = 0;

	if (text_begin(m, &t))
		return ERR_NOMEM;
	fprintf(t.out, "[device]\nname=" BARE_PROGRAM "\nclass=memory_space\ntype=program\n");
	for (i = 0; !rc && i < m->o->nr_programs; i++)
		rc = program_add(m->f, m->o->programs[i], t.out, m->err);
	return text_end(m, &t, BARE_PROGRAM ".ini") ? ERR_NOMEM : rc;
}

static int write_trace(struct maker *m)
{
	struct text t;
	size_t i, k, n;

	if (text_begin(m, &t))
		return ERR_NOMEM;
	fprintf(t.out, "[trace_buffers]\nbuffers=");
	for (i = 0; i < m->o->nr_traces; i++)
		fprintf(t.out, "%sbuffer%zu", i ? "," : "", i);
	for (i = 0; i < m->o->nr_traces; i++)
		fprintf(t.out, "\n\n[buffer%zu]\nname=%s\nfile=%s\nformat=%s", i, m->traces[i].alias, m->traces[i].alias,
			formats[m->o->format].name);
	fprintf(t.out, "\n\n[source_buffers]\n");
	for (i = 0; i < m->nr_sources; i++) {
		for (k = 0, n = 0; k < m->o->nr_traces; k++)
			if (feeds(m, &m->sources[i], &m->traces[k])) {
				if (n)
					fprintf(t.out, ",%s", m->traces[k].alias);
				else
					fprintf(t.out, "%s_%zu=%s", source_stem(&m->sources[i]), i, m->traces[k].alias);
				n++;
			}
		fprintf(t.out, "\n");
	}
	fprintf(t.out, "\n[core_trace_sources]\n");
	for (i = 0; i < m->nr_sources; i++)
		if (m->sources[i].core->type)
			fprintf(t.out, "cpu_%zu=%s_%zu\n", i, source_stem(&m->sources[i]), i);
	return text_end(m, &t, "trace.ini");
}

static int write_index(struct maker *m)
{
	struct text t;
	size_t i, n = 0;

	if (text_begin(m, &t))
		return ERR_NOMEM;
	fprintf(t.out, "[snapshot]\nversion=1.0\ndescription=trace and program files\n\n[device_list]\n");
	for (i = 0; i < m->nr_sources; i++) {
		if (m->sources[i].core->type)
			fprintf(t.out, "device%zu=cpu_%zu.ini\n", n++, i);
		fprintf(t.out, "device%zu=%s_%zu.ini\n", n++, source_stem(&m->sources[i]), i);
	}
	if (m->o->nr_programs)
		fprintf(t.out, "device%zu=" BARE_PROGRAM ".ini\n", n);
	fprintf(t.out, "\n[trace]\nmetadata=trace.ini\n");
	return text_end(m, &t, "snapshot.ini");
}

/* The index of the snapshot in the folder, with one device more at its end. */
static int extend_index(struct maker *m)
{
	char *path, *old;
	struct text t;
	size_t len;
	int rc;

	if (asprintf(&path, "%s/snapshot.ini", m->f->dir) < 0)
		return no_memory(m);
	old = input_read(path, MAX_INDEX, &len);
	rc = old ? text_begin(m, &t) : error_set(m->err, ERR_IO, 0, "%s: %s", path, input_error(errno));
	if (!rc) {
		fwrite(old, 1, len, t.out);
		fprintf(t.out, "\n[device_list]\n" BARE_PROGRAM "=" BARE_PROGRAM ".ini\n");
		rc = text_end(m, &t, "snapshot.ini");
	}
	free(path);
	free(old);
	return rc;
}

static int make_all(struct maker *m)
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
	for (i = 0; !rc && i < m->nr_sources; i++)
		rc = write_source(m, i);
	if (!rc && m->o->nr_programs)
		rc = write_programs(m);
	if (!rc)
		rc = write_trace(m);
	return rc ? rc : write_index(m);
}

int bare_make(const struct bare_opts *o, struct folder *f, uint64_t *lost, struct error *err)
{
	struct maker *m;
	size_t i;
	int rc;

	if (!o || (!o->nr_traces && !o->nr_programs))
		return 0;
	m = calloc(1, sizeof(*m));
	if (!m)
		return error_set(err, ERR_NOMEM, 0, "out of memory while the trace was described");
	*m = (struct maker){ .o = o, .f = f, .err = err, .lost = lost };
	if (o->nr_traces) {
		rc = make_all(m);
	} else {
		rc = write_programs(m);
		if (!rc)
			rc = extend_index(m);
	}
	for (i = 0; i < o->nr_traces; i++) {
		free(m->traces[i].path);
		free(m->traces[i].alias);
	}
	free(m);
	return rc;
}
