/* SPDX-License-Identifier: GPL-2.0-only */
/* model.c - Tarmac text as the other side: what a model or a simulated processor executed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cstrace/files/tarmac.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/files/input.h"
#include "base/name.h"
#include "outputs/compare/sides.h"

/* Text that is read at a time. */
#define PIECE (1u << 20)

/* Where names of cores are looked for: cores that have not executed anything by then are not found. */
#define SEARCHED (64u << 20)

struct model {
	const char *who, *path;	/* for messages */
	int fd;
	uint64_t size;
	char **names;
	size_t nr, cap;
	struct model_errors errors;
	uint64_t last_error;	/* line */
};

/* The text, read from its beginning. */
struct text {
	struct model *m;
	struct cst_tarmac_reader *reader;
	uint64_t at, end;	/* bytes that were read; that are to be read */
	char *piece;
};

/* One core's instructions. */
struct core {
	struct text text;
	const char *name;
	struct align_insn held;	/* the last instruction, until it is known whether an exception was taken at it */
	bool has_held;
};

static bool is_core(const struct cst_tarmac_record *rec, const char *name)
{
	return cst_str_is(rec->cpu, name);
}

static void note_name(struct model *m, const struct cst_tarmac_record *rec)
{
	size_t i;

	for (i = m->nr; i-- > 0;)
		if (is_core(rec, m->names[i]))
			return;
	*ARRAY_ADD(m->names, m->nr, m->cap) =
		mem_text_part(rec->cpu.p ? rec->cpu.p : "", rec->cpu.n);
}

static void text_open(struct text *t, struct model *m, uint64_t end)
{
	*t = (struct text){ .m = m, .end = end };
	t->piece = mem_new(PIECE);
	if (cst_tarmac_reader_new(&t->reader, NULL))
		mem_refused(0);
}

static void text_close(struct text *t)
{
	cst_tarmac_reader_free(t->reader);
	free(t->piece);
}

/* Reads and feeds the next piece. 1; 0: the end of the text; or negative. */
static int feed(struct text *t)
{
	size_t len = t->end - t->at < PIECE ? (size_t)(t->end - t->at) : PIECE;
	ssize_t n = len ? pread(t->m->fd, t->piece, len, (off_t)t->at) : 0;

	if (n < 0) {
		fprintf(stderr, "%s: %s: offset %llu: %s\n", t->m->who, name_shown(t->m->path), (unsigned long long)t->at, strerror(errno));
		return ERR_REPORTED;
	}
	if (!n)
		return 0;
	t->at += (uint64_t)n;
	if (cst_tarmac_feed(t->reader, t->piece, (size_t)n))
		mem_refused(0);
	if (t->at == t->m->size)
		cst_tarmac_end(t->reader);
	return 1;
}

/* The next record: 1, 0 at the end, or negative. */
static int text_next(struct text *t, const struct cst_tarmac_record **rec)
{
	int rc;

	while (!(rc = cst_tarmac_next(t->reader, rec))) {
		rc = feed(t);
		if (rc <= 0)
			return rc;
	}
	if (rc < 0)
		mem_refused(0);
	return 1;
}

static int find_names(struct model *m)
{
	const struct cst_tarmac_record *rec;
	struct text text;
	int rc = 0;

	text_open(&text, m, m->size < SEARCHED ? m->size : SEARCHED);
	while (!rc && (rc = text_next(&text, &rec)) > 0) {
		if (rec->kind == CST_TARMAC_INSN)
			note_name(m, rec);
		rc = 0;
	}
	text_close(&text);
	return rc;
}

static struct model *fail(struct model *m, const char *why)
{
	if (why)
		fprintf(stderr, "%s: %s: %s\n", m->who, name_shown(m->path), why);
	model_close(m);
	return NULL;
}

struct model *model_open(const char *who, const char *path)
{
	struct model *m = mem_zeroed(1, sizeof(*m));
	struct stat st;
	int rc;

	m->who = who;
	m->path = path;
	m->fd = input_open(path, &st);
	if (m->fd < 0)
		return fail(m, input_error(errno));
	m->size = (uint64_t)st.st_size;
	rc = find_names(m);
	if (rc)
		return fail(m, NULL);
	return m->nr ? m : fail(m, "found no instruction (IT, IS or ES), expected Tarmac text");
}

void model_close(struct model *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->nr; i++)
		free(m->names[i]);
	free(m->names);
	if (m->fd >= 0)
		close(m->fd);
	free(m);
}

size_t model_cores(const struct model *m, const char *const **names)
{
	*names = (const char *const *)m->names;
	return m->nr;
}

const struct model_errors *model_errors(const struct model *m)
{
	return &m->errors;
}

static void note_error(struct model *m, const struct cst_tarmac_record *rec)
{
	struct model_errors *e = &m->errors;

	if (!rec->error || rec->line <= m->last_error)
		return;	/* it was counted with another core */
	m->last_error = rec->line;
	if (e->count++)
		return;
	e->line = rec->line;
	e->column = rec->column;
	e->reason = rec->reason;
}

static void convert(const struct cst_tarmac_record *rec, struct align_insn *out)
{
	const struct cst_tarmac_insn *i = &rec->u.insn;

	*out = (struct align_insn){ .addr = i->address.address, .pos = rec->line, .opcode = i->opcode, .size = i->size,
				    .isa = i->isa, .el = ALIGN_UNKNOWN, .security = ALIGN_UNKNOWN };
	out->result = i->outcome == CST_TARMAC_CC_FAIL ? INSN_FAILED : INSN_PASSED;
	if (i->outcome == CST_TARMAC_FETCH_FAIL)
		out->flags |= ALIGN_STARTED;
	else
		out->flags |= ALIGN_HAS_OPCODE;
	if (i->mode.kind != CST_TARMAC_NO_MODE && i->mode.kind != CST_TARMAC_MODE_OTHER)
		out->el = i->mode.el;
	if (i->mode.has_security)
		out->security = i->mode.security;
}

/* An exception right behind the instruction was taken at it, if it names the instruction's address, or none. */
static bool taken_at(const struct cst_tarmac_event *e, const struct align_insn *insn)
{
	if (e->has_number && e->number == CST_TARMAC_E_MODE_CHANGE)
		return false;
	return !e->has_value || e->value.address == insn->addr;
}

/* align_ops.next */
static int core_next(void *source, struct align_insn *insn)
{
	const struct cst_tarmac_record *rec;
	struct core *c = source;
	int rc;

	while ((rc = text_next(&c->text, &rec)) > 0) {
		note_error(c->text.m, rec);
		if (!is_core(rec, c->name))
			continue;
		if (rec->kind == CST_TARMAC_EVENT && c->has_held && taken_at(&rec->u.event, &c->held))
			c->held.flags |= ALIGN_STARTED;
		if (rec->kind != CST_TARMAC_INSN)
			continue;
		*insn = c->held;
		convert(rec, &c->held);
		if (c->has_held)
			return 1;
		c->has_held = true;
	}
	if (rc < 0)
		return rc;
	*insn = c->held;
	rc = c->has_held;
	c->has_held = false;
	return rc;
}

static void core_close(void *source)
{
	struct core *c = source;

	text_close(&c->text);
	free(c);
}

void model_core(struct model *m, const char *name, struct other *out)
{
	struct core *c = mem_zeroed(1, sizeof(*c));

	c->name = name;
	text_open(&c->text, m, m->size);
	*out = (struct other){ core_next, core_close, c };
}
