/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * to_snapshot.c - perf.data to an Arm snapshot: the trace of one process, a buffer per stretch of trace
 * that was written in one go, since a buffer has no mark at which readers reset their state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/files/outdir.h"
#include "base/intmap.h"
#include "machine/images/dso.h"
#include "outputs/export/code.h"
#include "outputs/export/export.h"
#include "perfdata/auxinfo.h"
#include "perfdata/reader.h"
#include "session/decode/decode.h"

#define CODE_LIMIT	(1ull << 30)
#define MAX_BUFFERS	256	/* readers take no more */
#define MAX_LISTED	8	/* processes in a message */
#define NAME_SIZE	48
#define BARRIER_WORD	0x7fffffffu	/* four of them reset every decoder */

/* A buffer of the snapshot. */
struct snap_buf {
	char id[NAME_SIZE], name[NAME_SIZE], file[NAME_SIZE];
	const char *file_list;
	unsigned int queue;
	bool raw;
	uint64_t fragments;
};

/*
 * A trace unit in a buffer: a CPU with a trace ID. Each buffer has devices of its own, since the
 * reference's reader takes a source for one buffer only.
 */
struct snap_src {
	int cpu;
	uint8_t id;
	size_t buf;
	struct cst_config config;
	char core[NAME_SIZE], name[NAME_SIZE], core_file[NAME_SIZE], file[NAME_SIZE + 4], type[NAME_SIZE];
	const char *core_type;
	struct cst_snap_reg regs[AUX_NR_REGS + 1];
	size_t nr_regs;
	bool core_named_before;	/* another source has the same core */
	bool again;		/* and the same buffer */
};

struct exporter {
	struct session *ss;
	const struct export_snapshot_opts *o;
	struct drops *drops;
	struct error *err;
	struct outdir out;
	struct auxinfo info;
	struct code code;
	struct intmap pids;	/* pid + 2 -> ranges */
	uint64_t others;	/* ranges of other processes */
	int pid;
	bool joined;		/* one buffer per queue instead of one per fragment */
	uint64_t fragments;
	size_t now;		/* the buffer that is being filled */
	struct snap_buf *bufs;
	size_t nr_bufs, cap_bufs;
	struct snap_src *srcs;
	size_t nr_srcs, cap_srcs;
};

/* ---- who was traced ---------------------------------------------------------------------------- */

static int count_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct exporter *x = data;
	intptr_t old;

	for (; n; n--, g++) {
		if (g->kind != CST_GEN_RANGE)
			continue;
		/* the kernel is part of every process's trace */
		if (s->guest || (g->flags & CST_GF_EL && g->el))
			continue;
		old = (intptr_t)intmap_get(&x->pids, s->pid);
		intmap_put(&x->pids, s->pid, (void *)(old + 1));
	}
	return 0;
}

static int count_fragment(void *data, const struct fragment_event *e)
{
	struct exporter *x = data;

	x->fragments += !e->ended;
	return 0;
}

static int refuse_processes(struct exporter *x)
{
	char list[200] = "";
	unsigned int listed = 0;
	size_t i, at = 0;

	for (i = 0; i < x->pids.size && listed < MAX_LISTED; i++)
		if (x->pids.slot[i].value && x->pids.slot[i].key > 0) {
			int n = snprintf(list + at, sizeof(list) - at, "%s%d", listed++ ? ", " : "",
					 (int)x->pids.slot[i].key);

			at += n > 0 && (size_t)n < sizeof(list) - at ? (size_t)n : 0;
		}
	return error_set(x->err, ERR_USAGE, "%s: %zu processes were traced (%s%s), and a snapshot holds the "
			 "memory of one: choose it with --pid, or convert to a package", perfdata_name(
			 session_perfdata(x->ss)), x->pids.used, list, listed < x->pids.used ? ", ..." : "");
}

static int choose_process(struct exporter *x)
{
	const struct consumer c = { .data = x, .batch = count_batch, .fragment = count_fragment };
	size_t i;
	int rc = session_run(x->ss, &c);

	if (rc)
		return x->err->code ? rc :
		       error_set(x->err, rc, "%s: %s", x->o->output, error_text(rc));
	x->pid = x->o->pid;
	if (x->pid < 0 && x->pids.used > 1)
		return refuse_processes(x);
	for (i = 0; i < x->pids.size; i++) {
		if (!x->pids.slot[i].value)
			continue;
		if (x->pid < 0)
			x->pid = (int)x->pids.slot[i].key;
		if (x->pids.slot[i].key != x->pid)
			x->others += (uint64_t)(intptr_t)x->pids.slot[i].value;
	}
	if (x->o->pid >= 0 && !intmap_get(&x->pids, x->pid))
		return error_set(x->err, ERR_USAGE, "%s: nothing was traced of process %d; 'info' lists those "
				 "that were", perfdata_name(session_perfdata(x->ss)), x->pid);
	return 0;
}

/* ---- buffers ----------------------------------------------------------------------------------- */

static struct snap_buf *buffer_of(struct exporter *x, const struct session_fragment *f)
{
	struct snap_buf *b;
	size_t i;

	for (i = 0; x->joined && i < x->nr_bufs; i++)
		if (x->bufs[i].queue == f->queue && x->bufs[i].raw == f->raw)
			return &x->bufs[i];
	b = ARRAY_ADD(x->bufs, x->nr_bufs, x->cap_bufs);
	*b = (struct snap_buf){ .queue = f->queue, .raw = f->raw };
	snprintf(b->id, sizeof(b->id), "buffer%zu", x->nr_bufs - 1);
	snprintf(b->file, sizeof(b->file), "trace%zu.bin", x->nr_bufs - 1);
	if (x->joined)
		snprintf(b->name, sizeof(b->name), "ETB_%u%s", f->queue, f->raw ? "_raw" : "");
	else
		snprintf(b->name, sizeof(b->name), "ETB_%u_%zu", f->queue, x->nr_bufs - 1);
	return b;
}

static int begin_fragment(struct exporter *x, const struct session_fragment *f)
{
	static const uint32_t barrier[4] = { BARRIER_WORD, BARRIER_WORD, BARRIER_WORD, BARRIER_WORD };
	struct snap_buf *b = buffer_of(x, f);
	int rc = 0;

	x->now = (size_t)(b - x->bufs);
	if (b->fragments++ && !f->raw)
		rc = outdir_append(&x->out, b->file, barrier, sizeof(barrier), x->err);
	/* an empty buffer has a file, too */
	if (!rc)
		rc = outdir_append(&x->out, b->file, "", 0, x->err);
	if (!rc)
		rc = outdir_append(&x->out, b->file, f->data, (size_t)f->size, x->err);
	return rc;
}

static int on_fragment(void *data, const struct fragment_event *e)
{
	return e->ended ? 0 : begin_fragment(data, e->fragment);
}

/* ---- trace units ------------------------------------------------------------------------------- */

static void add_reg(struct snap_src *s, const char *name, uint64_t value)
{
	s->regs[s->nr_regs++] = (struct cst_snap_reg){ .name = name, .value = value & UINT32_MAX, .bits = 32 };
}

/* The type gives the profile to readers (cst_snap_profile()). */
static const char *core_type(bool v7, enum cst_profile profile)
{
	switch (profile) {
	case CST_PROFILE_M:
		return v7 ? "ARMv7-M" : "ARMv8-M";
	case CST_PROFILE_R:
		return v7 ? "ARMv7-R" : "ARMv8-R";
	default:
		return v7 ? "ARMv7-A" : "ARM-AA64";
	}
}

static void describe(struct snap_src *s, const struct aux_cpu *a)
{
	const unsigned int minor = (unsigned int)(a->reg[AUX_REG_ETMIDR] >> 4 & 15);
	const char *name;
	unsigned int i;

	snprintf(s->core, sizeof(s->core), "cpu_%d", s->cpu);
	snprintf(s->core_file, sizeof(s->core_file), "cpu_%d.ini", s->cpu);
	if (!s->core_named_before)
		snprintf(s->name, sizeof(s->name), "ETM_%d", s->cpu);
	else if (!s->again)
		snprintf(s->name, sizeof(s->name), "ETM_%d_%zu", s->cpu, s->buf);
	else
		snprintf(s->name, sizeof(s->name), "ETM_%d_%zu_0x%02x", s->cpu, s->buf, s->id);
	snprintf(s->file, sizeof(s->file), "%s.ini", s->name);
	switch (a->unit) {
	case AUX_ETMV3:
		snprintf(s->type, sizeof(s->type), "ETM3.%u", minor);
		break;
	case AUX_PTM:
		snprintf(s->type, sizeof(s->type), "PTM1.%u", minor);
		break;
	case AUX_ETE:
		snprintf(s->type, sizeof(s->type), "ETE");
		break;
	default:
		snprintf(s->type, sizeof(s->type), "ETM%u.%u", s->config.version >> 4, s->config.version & 15);
	}
	s->core_type = core_type(a->unit == AUX_ETMV3 || a->unit == AUX_PTM, (enum cst_profile)s->config.profile);
	for (i = 0; i < AUX_NR_REGS && (name = aux_reg_name(a->unit, i)); i++)
		if (i == AUX_REG_TRCTRACEIDR)
			add_reg(s, name, s->id);
		else if (i == AUX_REG_TRCCONFIGR || a->present & 1u << i)
			add_reg(s, name, a->reg[i]);
}

static void add_source(struct exporter *x, const struct stream *st, size_t buf)
{
	const struct aux_cpu *a = auxinfo_cpu(&x->info, (uint32_t)st->cpu);
	struct snap_src *s;
	bool before = false, again = false;
	int cpu;
	size_t i;

	/* a stream of an unknown CPU gets the first unit's registers */
	if (!a && x->info.nr_cpu)
		a = &x->info.cpu[0];
	if (!a || !st->config)
		return;
	cpu = st->cpu < 0 ? (int)a->cpu : st->cpu;
	for (i = x->nr_srcs; i-- > 0;) {
		if (x->srcs[i].cpu != cpu)
			continue;
		before = true;
		if (x->srcs[i].buf != buf)
			continue;
		if (x->srcs[i].id == st->trace_id)
			return;
		again = true;
	}
	s = ARRAY_ADD(x->srcs, x->nr_srcs, x->cap_srcs);
	*s = (struct snap_src){ .cpu = cpu, .id = st->trace_id, .buf = buf, .config = *st->config,
				.core_named_before = before, .again = again };
	describe(s, a);
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct exporter *x = data;

	if (s->fragment_start)
		add_source(x, s, x->now);
	if (s->guest || (s->pid != x->pid && !(n && g->flags & CST_GF_EL && g->el)))
		return 0;
	for (; n; n--, g++)
		if (g->kind == CST_GEN_RANGE)
			code_range(&x->code, s, g);
	return 0;
}

static int read_registers(struct exporter *x)
{
	struct perfdata *pd = session_perfdata(x->ss);
	struct pd_record rec;
	int rc;

	perfdata_rewind(pd);
	while ((rc = perfdata_next(pd, &rec)))
		if (rc > 0 && rec.ev->header.type == PERF_RECORD_AUXTRACE_INFO)
			return auxinfo_parse(&x->info, (const void *)rec.ev, rec.ev->header.size,
					     perfdata_name(pd), rec.offset, x->err);
	return error_set(x->err, ERR_AUXINFO, "%s: no trace metadata", perfdata_name(pd));
}

/* ---- the snapshot ------------------------------------------------------------------------------ */

struct model {
	struct cst_snapshot ss;
	struct cst_snap_device *dev;
	struct cst_snap_buffer *buf;
	struct cst_snap_link *core, *src;
	struct cst_snap_dump *dumps;
	char (*dump_files)[NAME_SIZE];
	char description[200];
};

static void free_model(struct model *m)
{
	free(m->dev);
	free(m->buf);
	free(m->core);
	free(m->src);
	free(m->dumps);
	free(m->dump_files);
}

static int sink_write(void *ctx, const char *name, const void *data, size_t len)
{
	struct exporter *x = ctx;

	return outdir_file(&x->out, name, data, len, x->err);
}

static void sink_note(void *ctx, const struct cst_snap_note *n)
{
	struct exporter *x = ctx;

	if (!x->err->code)
		error_set(x->err, ERR_USAGE, "%s: %s: %s", x->o->output, n->file, n->text);
}

static int write_dumps(struct exporter *x, struct model *m, const struct code_piece *p, size_t n)
{
	size_t i;

	m->dumps = mem_zeroed(n + 1, sizeof(*m->dumps));
	m->dump_files = mem_zeroed(n + 1, sizeof(*m->dump_files));
	for (i = 0; i < n; i++) {
		snprintf(m->dump_files[i], NAME_SIZE, "mem%zu.bin", i);
		m->dumps[i] = (struct cst_snap_dump){ .file = m->dump_files[i], .address = p[i].address,
						      .length = p[i].len, .space = CST_MEM_ANY };
		if (outdir_file(&x->out, m->dump_files[i], p[i].bytes, p[i].len, x->err))
			return x->err->code;
	}
	return 0;
}

/* The first core holds the memory: readers look there for what other cores lack. */
static void add_devices(struct exporter *x, struct model *m, size_t n_dumps)
{
	size_t i, nr = 0;

	m->dev = mem_zeroed(x->nr_srcs * 2 + 1, sizeof(*m->dev));
	m->core = mem_zeroed(x->nr_srcs + 1, sizeof(*m->core));
	for (i = 0; i < x->nr_srcs; i++) {
		struct snap_src *s = &x->srcs[i];

		if (!s->core_named_before)
			m->dev[nr++] = (struct cst_snap_device){
				.file = s->core_file, .name = s->core, .type = s->core_type, .location = "",
				.class_ = CST_SNAP_CORE, .dumps = m->dumps, .n_dumps = n_dumps };
		m->core[i] = (struct cst_snap_link){ .from = s->core, .to = s->name };
	}
	for (i = 0; i < x->nr_srcs; i++) {
		struct snap_src *s = &x->srcs[i];

		m->dev[nr++] = (struct cst_snap_device){
			.file = s->file, .name = s->name, .type = s->type, .location = "",
			.class_ = CST_SNAP_SOURCE, .regs = s->regs, .n_regs = s->nr_regs };
	}
	m->ss.devices = m->dev;
	m->ss.n_devices = nr;
	m->ss.core_sources = m->core;
	m->ss.n_core_sources = x->nr_srcs;
}

static void add_buffers(struct exporter *x, struct model *m)
{
	size_t i;

	m->buf = mem_zeroed(x->nr_bufs + 1, sizeof(*m->buf));
	m->src = mem_zeroed(x->nr_srcs + 1, sizeof(*m->src));
	for (i = 0; i < x->nr_bufs; i++) {
		struct snap_buf *b = &x->bufs[i];

		b->file_list = b->file;
		m->buf[i] = (struct cst_snap_buffer){
			.id = b->id, .name = b->name, .files = &b->file_list, .n_files = 1,
			.format_name = b->raw ? "source_data" : "coresight" };
	}
	for (i = 0; i < x->nr_srcs; i++)
		m->src[i] = (struct cst_snap_link){ .from = x->srcs[i].name,
						    .to = x->bufs[x->srcs[i].buf].name };
	m->ss.buffers = m->buf;
	m->ss.n_buffers = x->nr_bufs;
	m->ss.source_buffers = m->src;
	m->ss.n_source_buffers = x->nr_srcs;
}

static int write_snapshot(struct exporter *x)
{
	const struct cst_snap_sink sink = { .ctx = x, .write = sink_write, .note = sink_note };
	struct code_piece *pieces = NULL;
	struct model m = { .dev = NULL };
	size_t n = code_pieces(&x->code, &pieces);
	int rc;

	if (x->pid >= 0)
		snprintf(m.description, sizeof(m.description), "process %d, ", x->pid);
	strcat(m.description, "converted by cstrace " CST_VERSION_TEXT);
	m.ss.description = m.description;
	rc = write_dumps(x, &m, pieces, n);
	if (!rc) {
		add_devices(x, &m, n);
		add_buffers(x, &m);
		rc = mem_code(cst_snapshot_write(&m.ss, &sink, NULL, NULL));
	}
	free_model(&m);
	free(pieces);
	return rc;
}

/* What a snapshot has no form for ends the conversion, or is dropped with --force. */
static int check_losses(struct exporter *x)
{
	const char *name = perfdata_name(session_perfdata(x->ss));

	if (x->code.over_limit)
		return error_set(x->err, ERR_USAGE, "%s: the code of process %d has more than %llu MiB or %u "
				 "maps; convert to a package", name, x->pid, CODE_LIMIT >> 20, CODE_REGIONS);
	if (x->code.conflicts && !x->o->force)
		return error_set(x->err, ERR_USAGE, "%s: at 0x%llx of process %d different code ran at "
				 "different times, and a snapshot holds one image: convert to a package, or keep "
				 "the first with --force", name, (unsigned long long)x->code.conflict_addr, x->pid);
	if (x->others && !x->o->force)
		return error_set(x->err, ERR_USAGE, "%s: other processes ran in the same buffers as process %d, "
				 "and a snapshot holds the memory of one: convert to a package, or use --force and "
				 "take their trace for code of this one", name, x->pid);
	if (x->code.conflicts)
		drops_add(x->drops, x->code.conflicts, "code that changed while it was traced (%llu ranges, the "
			  "first at 0x%llx): the first version stays",
			  (unsigned long long)x->code.conflicts, (unsigned long long)x->code.conflict_addr);
	if (x->others)
		drops_add(x->drops, x->others, "the code of other processes (%llu ranges): their trace is still "
			  "in the buffers", (unsigned long long)x->others);
	return 0;
}

static int check_buffers(struct exporter *x)
{
	if (x->fragments <= MAX_BUFFERS)
		return 0;
	if (!x->o->force)
		return error_set(x->err, ERR_USAGE, "%s: the trace was written in %llu pieces, after each of which "
				 "decoding starts anew, and a snapshot has %u buffers at most: convert to a package, "
				 "or use --force to join the pieces of a buffer",
				 perfdata_name(session_perfdata(x->ss)), (unsigned long long)x->fragments,
				 MAX_BUFFERS);
	x->joined = true;
	drops_add(x->drops, x->fragments, "%llu starts of trace: pieces are joined, with a barrier that not "
		  "every reader knows between those with frames", (unsigned long long)x->fragments);
	return 0;
}

/* Once for each file whose code is not kept. */
static void report_refused(struct exporter *x)
{
	const struct code_region *r = x->code.regions;
	size_t i, k;

	for (i = 0; i < x->code.nr_regions; i++) {
		if (!r[i].refused)
			continue;
		for (k = 0; r[k].dso != r[i].dso; k++)
			;
		if (k == i)
			drops_add(x->drops, 1, "the code of %s (%s): %s", dso_path(r[i].dso),
				  r[i].dso->image.file, r[i].refused);
	}
}

static int snapshot_export(struct exporter *x)
{
	const struct consumer c = { .data = x, .batch = on_batch, .fragment = on_fragment };
	int rc;

	rc = choose_process(x);
	if (!rc)
		rc = check_buffers(x);
	if (!rc)
		rc = read_registers(x);
	if (!rc)
		rc = outdir_open(&x->out, x->o->output, x->err);
	if (rc)
		return rc;
	rc = session_run(x->ss, &c);
	if (rc && !x->err->code)
		error_set(x->err, rc, "%s: %s", x->o->output, error_text(rc));
	report_refused(x);
	if (!rc)
		rc = check_losses(x);
	if (!rc && !x->nr_srcs)
		rc = error_set(x->err, ERR_USAGE, "%s: no trace was decoded; 'info' tells why",
			       perfdata_name(session_perfdata(x->ss)));
	if (!rc)
		rc = write_snapshot(x);
	if (!rc)
		return outdir_finish(&x->out, x->err);
	outdir_abort(&x->out);
	return rc;
}

int export_snapshot(struct session *ss, const struct export_snapshot_opts *o, struct drops *drops,
		    struct error *err)
{
	struct exporter x = { .ss = ss, .o = o, .drops = drops, .err = err };
	int rc;

	err->code = 0;
	code_init(&x.code, CODE_LIMIT, &o->origin);
	rc = snapshot_export(&x);
	code_free(&x.code);
	intmap_free(&x.pids);
	auxinfo_free(&x.info);
	free(x.bufs);
	free(x.srcs);
	return rc;
}
