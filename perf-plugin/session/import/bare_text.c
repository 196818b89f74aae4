/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bare_text.c - the files of a snapshot for trace that has none: snapshot.ini, trace.ini, a device file for each core and
 * trace source, and one whose memory dumps are the segments of the program files.
 */
#include "base/alloc.h"
#include "session/import/bare_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/files/input.h"
#include "base/format.h"
#include "base/messages.h"
#include "session/import/program.h"

#define MAX_INDEX	(1u << 20)	/* bytes of snapshot.ini */

/* Raw trace is that of one source. */
static int feeds(const struct bare_maker *m, const struct bare_source *s, const struct bare_trace *t)
{
	return m->o->format != BARE_RAW || t->id == BARE_ANY || t->id == s->id;
}

/* A text that is printed, and then becomes a file of the folder. */
struct text {
	FILE *out;
	char *p;
	size_t len;
};

static void text_begin(struct text *t)
{
	t->p = NULL;
	t->out = open_memstream(&t->p, &t->len);
	if (!t->out)
		mem_refused(0);
}

static void text_end(struct bare_maker *m, struct text *t, const char *name)
{
	if (fclose(t->out) || !t->p)
		mem_refused(0);
	folder_add_data(m->f, name, t->p, t->len);
}

static const char *source_stem(const struct bare_source *s)
{
	static const char *const stems[KIND__COUNT] = {
		[KIND_ETMV3] = "ETM", [KIND_PTM] = "PTM", [KIND_ETMV4] = "ETM", [KIND_ETE] = "ETE", [KIND_ITM] = "ITM",
		[KIND_STM] = "STM",
	};

	return stems[s->core->kind];
}

static void say_assumed(const struct bare_maker *m, const struct bare_source *s, const struct core_reg *r, uint64_t value)
{
	fprintf(message_stream(), "%s: %s, trace ID 0x%02x: no %s: 0x%" PRIx64 " is assumed (%s); --reg %s=VALUE gives it\n", m->f->who,
		s->core->name, (unsigned int)s->id, r->name, value, r->meaning, r->name);
}

static int print_reg(struct bare_maker *m, const struct bare_source *s, const struct core_reg *r, FILE *out)
{
	uint64_t value, idr0;

	if (!bare_given(m, s, r->name, &value) && !core_reg_value(s->core, r->name, &value)) {
		value = r->value;
		switch (r->rule) {
		case REG_OPTIONAL:
			return 0;
		case REG_REQUIRED:
			return error_set(m->err, ERR_FORMAT, "%s, trace ID 0x%02x: register %s is missing, and nothing can be "
					 "decoded without it; --reg %s=VALUE gives it", s->core->name, (unsigned int)s->id,
					 r->name, r->name);
		case REG_TRACE_ID:
			value |= (uint64_t)s->id << r->shift;
			break;
		case REG_CONFIG:
			if (!bare_given(m, s, "TRCIDR0", &idr0) &&
			    !core_reg_value(s->core, "TRCIDR0", &idr0))
				break;
			/* TRCIDR0.RETSTACK and QSUPP, TRCCONFIGR.RS and QE */
			value |= (idr0 >> 9 & 1) << 12;
			value |= idr0 >> 15 & 3 ? 3 << 13 : 0;
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

static int write_source(struct bare_maker *m, size_t n)
{
	const struct bare_source *s = &m->sources[n];
	const struct core_reg *r;
	struct text t;
	char name[40];
	int rc;

	if (s->core->type) {
		text_begin(&t);
		fprintf(t.out, "[device]\nname=cpu_%zu\nclass=core\ntype=%s\n", n, s->core->type);
		snprintf(name, sizeof(name), "cpu_%zu.ini", n);
		text_end(m, &t, name);
	}
	text_begin(&t);
	fprintf(t.out, "[device]\nname=%s_%zu\nclass=trace_source\ntype=%s\n\n[regs]\n", source_stem(s), n,
		core_source_type(s->core->kind));
	for (r = NULL, rc = 0; !rc && (r = core_next_reg(s->core->kind, r));)
		rc = print_reg(m, s, r, t.out);
	snprintf(name, sizeof(name), "%s_%zu.ini", source_stem(s), n);
	text_end(m, &t, name);
	return rc;
}

static int write_programs(struct bare_maker *m)
{
	struct text t;
	size_t dumps = 0, i;
	int rc = 0;

	text_begin(&t);
	fprintf(t.out, "[device]\nname=" BARE_PROGRAM "\nclass=memory_space\ntype=program\n");
	for (i = 0; !rc && i < m->o->nr_programs; i++)
		rc = program_add(m->f, m->o->programs[i], t.out, &dumps, m->err);
	text_end(m, &t, BARE_PROGRAM ".ini");
	return rc;
}

static void write_trace(struct bare_maker *m)
{
	struct text t;
	size_t i, k, n;

	text_begin(&t);
	fprintf(t.out, "[trace_buffers]\nbuffers=");
	for (i = 0; i < m->o->nr_traces; i++)
		fprintf(t.out, "%sbuffer%zu", i ? "," : "", i);
	for (i = 0; i < m->o->nr_traces; i++)
		fprintf(t.out, "\n\n[buffer%zu]\nname=%s\nfile=%s\nformat=%s", i, m->traces[i].alias, m->traces[i].alias,
			bare_format_name(m->o->format));
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
	text_end(m, &t, "trace.ini");
}

static void write_index(struct bare_maker *m)
{
	struct text t;
	size_t i, n = 0;

	text_begin(&t);
	fprintf(t.out, "[snapshot]\nversion=1.0\ndescription=trace and program files\n\n[device_list]\n");
	for (i = 0; i < m->nr_sources; i++) {
		if (m->sources[i].core->type)
			fprintf(t.out, "device%zu=cpu_%zu.ini\n", n++, i);
		fprintf(t.out, "device%zu=%s_%zu.ini\n", n++, source_stem(&m->sources[i]), i);
	}
	if (m->o->nr_programs)
		fprintf(t.out, "device%zu=" BARE_PROGRAM ".ini\n", n);
	fprintf(t.out, "\n[trace]\nmetadata=trace.ini\n");
	text_end(m, &t, "snapshot.ini");
}

/* The index of the snapshot in the folder, with one device more at its end. */
static int extend_index(struct bare_maker *m)
{
	char *path, *old;
	struct text t;
	size_t len;
	int rc;

	path = format_text("%s/snapshot.ini", m->f->dir);
	old = input_read(path, MAX_INDEX, &len);
	rc = old ? 0 : error_set(m->err, ERR_IO, "%s: %s", path, input_error(errno));
	if (old) {
		text_begin(&t);
		fwrite(old, 1, len, t.out);
		fprintf(t.out, "\n[device_list]\n" BARE_PROGRAM "=" BARE_PROGRAM ".ini\n");
		text_end(m, &t, "snapshot.ini");
	}
	free(path);
	free(old);
	return rc;
}

int bare_write_texts(struct bare_maker *m)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < m->nr_sources; i++)
		rc = write_source(m, i);
	if (!rc && m->o->nr_programs)
		rc = write_programs(m);
	if (rc)
		return rc;
	write_trace(m);
	write_index(m);
	return 0;
}

int bare_extend_texts(struct bare_maker *m)
{
	int rc = write_programs(m);

	return rc ? rc : extend_index(m);
}
