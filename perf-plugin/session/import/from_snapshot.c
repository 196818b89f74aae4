/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * from_snapshot.c - an Arm snapshot as records. It holds one image: every context ID in its trace becomes a
 * process with the same maps, those of the memory dumps, and the kernel sees them as well.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/format.h"
#include "base/intmap.h"
#include "base/messages.h"
#include "base/name.h"
#include "session/import/auxdata.h"
#include "session/import/folder.h"
#include "session/import/frames.h"
#include "session/import/header.h"
#include "session/import/import.h"
#include "session/import/metadata.h"
#include "session/import/snapshot_maps.h"

#define MAX_CONTEXTS	4096
#define FIRST_PID	1	/* when the trace names none */
#define BATCH		256
#define NAME		"snapshot"	/* of all processes */

/* A trace source as a unit of perf.data: sources of one core with the same registers are one. */
struct unit {
	const struct cst_snap_device *core;
	struct aux_cpu aux;
	struct cst_config config;
	int error;			/* of cst_snap_config() */
};

/* A System Trace Macrocell. */
struct stm {
	const struct cst_snap_device *dev;
	struct cst_config config;
	uint32_t cpu;			/* a number that no core has, for its AUX area */
};

#define SOFTWARE	(-2)

struct importer {
	const char *dir;
	const struct bare_opts *bare;	/* NULL: only the folder */
	struct perf_writer *w;
	struct import_input *in;	/* NULL: the output is perf.data for any reader */
	struct drops *drops;
	struct error *err;
	struct folder files;
	struct cst_snap_io io;
	struct cst_snapshot *ss;
	struct {
		struct unit *units;
		size_t nr_units, cap_units;
		uint32_t free_cpu;		/* all below are taken */
		/* -1: none; SOFTWARE: a source of software trace, which is not read here */
		int *unit_of_dev;
		struct stm *stm;		/* with `in` */
		size_t nr_stm, cap_stm;
	} traced;
	struct {
		struct intmap contexts;
		int first_context;
		uint64_t too_many;
	} ids;
	struct snapshot_maps maps;
	struct pd_attr attr;
	struct record_maker maker;
	struct aux_index index;
	struct auxdata_out aux;
};

static void emit(void *data, const void *record, size_t size)
{
	struct importer *im = data;

	pw_write(im->w, record, size);
}

/* ---- trace units ------------------------------------------------------------------------------- */

static bool cpu_taken(const struct importer *im, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < im->traced.nr_units; i++)
		if (im->traced.units[i].aux.cpu == cpu)
			return true;
	return false;
}

/* "cpu_3" is CPU 3, if no other is. */
static uint32_t choose_cpu(struct importer *im, const struct cst_snap_device *core)
{
	const char *p = core ? core->name + strlen(core->name) : "";
	uint32_t cpu;

	if (core) {
		while (p > core->name && isdigit((unsigned char)p[-1]))
			p--;
		if (*p && strlen(p) < 5) {
			cpu = (uint32_t)strtoul(p, NULL, 10);
			if (!cpu_taken(im, cpu))
				return cpu;
		}
	}
	while (cpu_taken(im, im->traced.free_cpu))
		im->traced.free_cpu++;
	return im->traced.free_cpu;
}

static void fill_v8(struct unit *u, const struct cst_snap_device *dev)
{
	struct cst_etmv4_regs r = { 0 };
	uint64_t auth = 0;
	int ete;

	if (cst_snap_etmv4(dev, &r, &ete, NULL, NULL))
		return;
	cst_snap_reg(dev, "TRCAUTHSTATUS", &auth);
	r.traceidr &= 0x7f;
	metadata_set_etmv4(&u->aux, &r, ete, (uint32_t)auth);
}

static void fill_v7(struct unit *u, const struct cst_snap_device *dev)
{
	uint64_t value;
	unsigned int i;

	u->aux.unit = u->config.protocol == CST_PROTO_PTM ? AUX_PTM : AUX_ETMV3;
	for (i = 0; aux_reg_name(u->aux.unit, i); i++)
		if (cst_snap_reg(dev, aux_reg_name(u->aux.unit, i), &value))
			u->aux.reg[i] = (uint32_t)value;
}

/* Why a source has no place in perf.data; NULL: it has one. */
static const char *no_place(const struct unit *u, int rc)
{
	if (rc == -CST_ERR_NOT_FOUND)
		return "the source %s: register %s is missing";
	if (rc == -CST_ERR_PROTOCOL)
		return "the source %s: protocol '%s' has no decoder";
	return u->config.protocol == CST_PROTO_STM || u->config.protocol == CST_PROTO_ITM ?
	       "the source %s: perf.data has no place for protocol '%s'" : NULL;
}

static void add_source(struct importer *im, size_t n)
{
	const struct cst_snap_device *dev = &im->ss->devices[n];
	struct unit u = { .core = cst_snapshot_core(im->ss, dev) };
	const char *missing = "", *why;
	size_t i;
	int rc;

	rc = cst_snap_config(dev, u.core, 0, &u.config, NULL, &missing);
	if (!rc && im->in && u.config.protocol == CST_PROTO_STM) {
		*ARRAY_ADD(im->traced.stm, im->traced.nr_stm, im->traced.cap_stm) =
			(struct stm){ .dev = dev, .config = u.config };
		return;
	}
	why = no_place(&u, rc);
	if (why && im->in && !rc) {
		/* nothing of the instruction trace is missing */
		im->traced.unit_of_dev[n] = SOFTWARE;
		im->in->software++;
		fprintf(message_stream(), "%s: %s: the source %s is of software trace (%s) and is left out: 'perf-cstrace dump' lists what "
			"it wrote\n",
			im->drops->who ? im->drops->who : "cstrace", name_shown(im->drops->name), dev->name, dev->type);
		return;
	}
	if (why) {
		drops_add(im->drops, 1, why, dev->name, rc == -CST_ERR_NOT_FOUND ? missing : dev->type);
		return;
	}
	u.error = rc;
	u.aux.ts_source = AUX_TS_UNKNOWN;
	if (u.config.protocol == CST_PROTO_ETMV4 || u.config.protocol == CST_PROTO_ETE)
		fill_v8(&u, dev);
	else
		fill_v7(&u, dev);
	for (i = 0; i < im->traced.nr_units; i++)
		if (u.core && im->traced.units[i].core == u.core &&
		    im->traced.units[i].aux.unit == u.aux.unit &&
		    !memcmp(im->traced.units[i].aux.reg, u.aux.reg, sizeof(u.aux.reg)))
			break;
	im->traced.unit_of_dev[n] = (int)i;
	if (i < im->traced.nr_units)
		return;
	u.aux.cpu = choose_cpu(im, u.core);
	*ARRAY_ADD(im->traced.units, im->traced.nr_units, im->traced.cap_units) = u;
}

static int read_units(struct importer *im)
{
	size_t i;

	im->traced.unit_of_dev = mem_array(im->ss->n_devices + 1, sizeof(*im->traced.unit_of_dev));
	for (i = 0; i < im->ss->n_devices; i++) {
		im->traced.unit_of_dev[i] = -1;
		if (im->ss->devices[i].class_ == CST_SNAP_SOURCE)
			add_source(im, i);
	}
	if (!im->traced.nr_units)
		return error_set(im->err, ERR_AUXINFO, "%s: perf.data has no place for any source of the snapshot; "
				 "'perf-cstrace dump %s' lists what others wrote",
				 im->dir, im->bare && im->bare->nr_traces ? "--trace" : "-s");
	return 0;
}

/* What AUXTRACE_INFO does not hold: the profile, and registers that perf does not record. */
static void keep_configs(struct importer *im)
{
	struct unit_config *v;
	size_t i, n = 0;

	if (!im->in) {
		for (i = 0; i < im->traced.nr_units; i++)
			if (im->traced.units[i].config.profile != CST_PROFILE_A)
				drops_profile(im->drops, im->traced.units[i].aux.cpu);
		return;
	}
	v = mem_zeroed(im->traced.nr_units + im->traced.nr_stm, sizeof(*v));
	for (i = 0; i < im->traced.nr_units; i++)
		v[n++] = (struct unit_config){ im->traced.units[i].aux.cpu,
					       im->traced.units[i].config,
					       im->traced.units[i].error };
	for (i = 0; i < im->traced.nr_stm; i++)
		v[n++] = (struct unit_config){ .cpu = im->traced.stm[i].cpu,
					       .config = im->traced.stm[i].config };
	im->in->configs = (struct unit_configs){ v, n };
}

static int write_info(struct importer *im)
{
	struct auxinfo info = { .pmu_type = HEADER_PMU, .nr_cpu = (uint32_t)im->traced.nr_units };
	size_t i;
	int rc;

	info.cpu = mem_array(im->traced.nr_units, sizeof(*info.cpu));
	for (i = 0; i < im->traced.nr_units; i++)
		info.cpu[i] = im->traced.units[i].aux;
	rc = metadata_put(&info, 1, im->w, im->dir, im->err);
	free(info.cpu);
	return rc;
}

/* ---- context IDs ------------------------------------------------------------------------------- */

static void note_context(struct importer *im, const struct cst_generic *g,
			 const struct cst_config *cfg)
{
	bool el2 = cfg->vmid_is_cid2 && cfg->vmid_bytes;
	int id = (int)(el2 ? g->vmid : g->context_id);

	im->maps.high_el |= g->flags & CST_GF_EL && g->el;
	if (!(g->flags & (el2 ? CST_GF_VMID : CST_GF_CID)) || id <= 0 ||
	    intmap_get(&im->ids.contexts, id))
		return;
	if (im->ids.contexts.used == MAX_CONTEXTS) {
		im->ids.too_many++;
		return;
	}
	if (!im->ids.contexts.used)
		im->ids.first_context = id;
	intmap_put(&im->ids.contexts, id, im);
}

static void pull(struct importer *im, struct cst_tree *tree)
{
	struct cst_generic g[BATCH];
	struct cst_pull p;
	int n, i;

	while ((n = mem_code(cst_tree_pull(tree, g, BATCH, &p))) > 0)
		for (i = 0; i < n; i++)
			if (g[i].kind == CST_GEN_PE_CONTEXT)
				note_context(im, &g[i], cst_decoder_config(p.dec));
}

static int add_decoders(struct importer *im, const struct cst_snap_buffer *buf, struct cst_tree *tree)
{
	struct cst_decoder *dec;
	int n = 0;
	size_t i;

	for (i = 0; i < im->ss->n_devices; i++) {
		int u = im->traced.unit_of_dev[i];

		if (u >= 0 && !im->traced.units[u].error &&
		    cst_snapshot_feeds(im->ss, &im->ss->devices[i], buf) &&
		    !mem_code(cst_tree_add(tree, &im->traced.units[u].config, &dec)))
			n++;
	}
	return n;
}

/* Collects the contexts in the trace of a buffer, for which no code is needed. */
static void find_contexts(struct importer *im, const struct cst_snap_buffer *buf)
{
	bool raw = buf->format == CST_SNAP_FMT_SOURCE_DATA;
	struct cst_tree *tree;
	const uint8_t *data;
	uint64_t at = 0;
	size_t len, i;

	if (cst_tree_new(&tree, raw ? CST_TREE_RAW : CST_TREE_FRAMES,
			 raw ? 0 : CST_FRAME_ALIGNED | CST_FRAME_RESET_4X))
		mem_refused(0);
	if (add_decoders(im, buf, tree)) {
		for (i = 0; i < buf->n_files; i++)
			if (!folder_open(&im->files, buf->files[i], &data, &len) && len) {
				/* a frame, or a packet, may begin in one file and end in the next one */
				if (!mem_code(cst_tree_feed(tree, data, len, at)))
					pull(im, tree);
				at += len;
			}
		cst_tree_end(tree);
		pull(im, tree);
	}
	cst_tree_free(tree);
}

/* ---- processes and their memory ---------------------------------------------------------------- */

/* An event of a process with one parameter. */
static void write_event(struct importer *im, int pid, enum cst_event_state state, const char *key,
			const char *value)
{
	struct cst_event_param p = { { key, strlen(key) }, { value, strlen(value) } };
	struct cst_event ev = { .verb = CST_EVENT_PROCESS, .state = state, .pid = pid, .params = &p,
				.n_params = 1 };

	records_of_event(&im->maker, &ev, 0);
}

static void write_processes(struct importer *im)
{
	int first = im->ids.contexts.used ? im->ids.first_context : FIRST_PID, pid;
	char parent[16];
	size_t i;

	/* perf cannot stand a kernel where programs are, so it is there only when it ran */
	if (im->maps.high_el)
		snapshot_maps_write(&im->maps, true, 0);
	write_event(im, first, CST_STATE_CURRENT, "comm", NAME);
	snapshot_maps_write(&im->maps, false, first);
	if (im->maps.pages_differ)
		fprintf(message_stream(), "cstrace: --elf: %llu pages differ from the memory in %s, which is used there, without "
			"symbols and lines\n", (unsigned long long)im->maps.pages_differ, name_shown(im->dir));
	snprintf(parent, sizeof(parent), "%d", first);
	for (i = 0; i < im->ids.contexts.size; i++) {
		pid = im->ids.contexts.slot[i].key;
		if (!im->ids.contexts.slot[i].value || pid == first)
			continue;
		write_event(im, pid, CST_STATE_START, "inherit", parent);
		write_event(im, pid, CST_STATE_CURRENT, "comm", NAME);
	}
	if (im->ids.too_many)
		drops_add(im->drops, im->ids.too_many, "contexts after the first %d", MAX_CONTEXTS);
}

/* ---- buffers ----------------------------------------------------------------------------------- */

/* The CPU of one of the trace units that feed a buffer, or the number of the only STM that does; -1: no source. */
static int cpu_of(const struct importer *im, const struct cst_snap_buffer *buf)
{
	size_t i;

	for (i = 0; i < im->ss->n_devices; i++)
		if (im->traced.unit_of_dev[i] >= 0 &&
		    cst_snapshot_feeds(im->ss, &im->ss->devices[i], buf))
			return (int)im->traced.units[im->traced.unit_of_dev[i]].aux.cpu;
	for (i = 0; i < im->traced.nr_stm; i++)
		if (cst_snapshot_feeds(im->ss, im->traced.stm[i].dev, buf))
			return (int)im->traced.stm[i].cpu;
	return -1;
}

/* True if a source of software trace that is not read feeds the buffer. */
static bool of_software(const struct importer *im, const struct cst_snap_buffer *buf)
{
	size_t i;

	for (i = 0; i < im->ss->n_devices; i++)
		if (im->traced.unit_of_dev[i] == SOFTWARE &&
		    cst_snapshot_feeds(im->ss, &im->ss->devices[i], buf))
			return true;
	return false;
}

static void report_missing(struct importer *im, const struct cst_snap_buffer *buf, size_t missing)
{
	if (missing)
		drops_add(im->drops, missing, "%zu files of the buffer %s, which cannot be read%s", missing, buf->name,
			  folder_refused(&im->files));
}

static void write_buffer(struct importer *im, size_t n)
{
	const struct cst_snap_buffer *buf = &im->ss->buffers[n];
	const struct auxdata d = { &im->files, buf->files, buf->n_files };
	size_t missing;
	int cpu = cpu_of(im, buf);

	if (buf->format != CST_SNAP_FMT_CORESIGHT && buf->format != CST_SNAP_FMT_SOURCE_DATA) {
		drops_add(im->drops, 1, "the buffer %s: perf.data has no format %s", buf->name, buf->format_name);
		return;
	}
	if (cpu < 0 && of_software(im, buf))
		return;
	if (cpu < 0) {
		drops_add(im->drops, 1, "the buffer %s, which no source feeds", buf->name);
		return;
	}
	auxdata_size(&d, &missing);
	report_missing(im, buf, missing);
	auxdata_write_all(&im->aux, &d, (uint32_t)n, cpu, buf->format == CST_SNAP_FMT_SOURCE_DATA,
			  0);
}

/* The bytes of a buffer's files, without those that cannot be read, for the caller to free. */
static uint8_t *read_buffer(struct importer *im, const struct cst_snap_buffer *buf, size_t *size)
{
	const struct auxdata d = { &im->files, buf->files, buf->n_files };
	const uint8_t *data;
	size_t missing, len, i;
	uint8_t *all = mem_new(auxdata_size(&d, &missing) + 1);

	*size = 0;
	for (i = 0; i < buf->n_files; i++)
		if (!folder_open(&im->files, buf->files[i], &data, &len) && len) {
			memcpy(all + *size, data, len);
			*size += len;
		}
	report_missing(im, buf, missing);
	return all;
}

/*
 * Replaces the frames of a buffer: those of a probe by aligned ones, as perf.data has them, or those that only an STM feeds by the
 * bytes of the STM. The new bytes are freed with the importer.
 */
static void rewrite_buffer(struct importer *im, struct cst_snap_buffer *buf, const struct stm *stm)
{
	size_t len, n;
	uint8_t *all = read_buffer(im, buf, &len), *bytes;
	uint64_t lost = 0;
	char *name;

	if (stm)
		frames_of_id(all, len, stm->config.trace_id, &bytes, &n, &lost);
	else
		frames_align(all, len, CST_FRAME_FSYNC | CST_FRAME_DSTREAM, FRAMES_SEARCH, &bytes,
			     &n, &lost);
	free(all);
	name = format_text("%s.%s", buf->files[0], stm ? "stm" : "frames");
	folder_add_data(&im->files, name, bytes, n);
	free(name);
	if (lost)
		drops_add(im->drops, 1, stm ? "%llu bytes of the buffer %s, which are not those of the STM that feeds it" :
			  "%llu bytes of the buffer %s, which are in no whole frame", (unsigned long long)lost, buf->name);
	buf->files[0] = im->files.extra[im->files.nr_extra - 1].name;
	buf->n_files = 1;
	buf->format = stm ? CST_SNAP_FMT_SOURCE_DATA : CST_SNAP_FMT_CORESIGHT;
}

/* Numbers the STMs, behind the cores, and unpacks their buffers. */
static void prepare_stm(struct importer *im)
{
	struct cst_snap_buffer *buf;
	size_t i, k;

	for (k = 0; k < im->traced.nr_stm; k++) {
		for (i = 0; i < im->traced.nr_units; i++)
			if (im->traced.units[i].aux.cpu >= im->traced.free_cpu)
				im->traced.free_cpu = im->traced.units[i].aux.cpu + 1;
		im->traced.stm[k].cpu = im->traced.free_cpu + (uint32_t)k;
	}
	for (i = 0; i < im->ss->n_buffers; i++)
		for (k = 0, buf = &im->ss->buffers[i]; k < im->traced.nr_stm; k++)
			if (buf->format == CST_SNAP_FMT_CORESIGHT &&
			    cpu_of(im, buf) == (int)im->traced.stm[k].cpu)
				rewrite_buffer(im, buf, &im->traced.stm[k]);
}

/* ---- the whole --------------------------------------------------------------------------------- */

static int write_records(struct importer *im)
{
	uint32_t cpus = 1;
	size_t i;
	int rc;

	for (i = 0; i < im->traced.nr_units; i++)
		cpus = im->traced.units[i].aux.cpu < cpus ? cpus : im->traced.units[i].aux.cpu + 1;
	cpus += (uint32_t)im->traced.nr_stm;
	rc = header_default(im->w, &im->attr, false, cpus, im->err);
	if (!rc)
		rc = pw_start(im->w, im->err);
	if (!rc)
		rc = write_info(im);
	if (rc)
		return rc;
	for (i = 0; i < im->ss->n_buffers; i++)
		find_contexts(im, &im->ss->buffers[i]);
	write_processes(im);
	for (i = 0; i < im->ss->n_buffers; i++)
		write_buffer(im, i);
	aux_index_finish(&im->index, im->w);
	return 0;
}

static int snapshot_import(struct importer *im)
{
	uint64_t lost = 0;
	size_t i;
	int rc = bare_make(im->bare, &im->files, &lost, im->err);

	if (rc)
		return rc;
	im->drops->count += lost;
	errno = 0;
	rc = cst_snapshot_read(&im->ss, &im->io, NULL);
	if (rc) {
		mem_check(errno);	/* it is CST_ERR_LIMIT, too */
		return error_set(im->err, ERR_FORMAT, "%s: the snapshot cannot be used: %s", im->dir, error_text(rc));
	}
	im->drops->count += im->ss->n_skipped;
	if (!im->ss->n_buffers)
		return error_set(im->err, ERR_FORMAT, "%s: the snapshot has no trace", im->dir);
	for (i = 0; i < im->ss->n_buffers; i++)
		if (im->ss->buffers[i].format == CST_SNAP_FMT_DSTREAM)
			rewrite_buffer(im, &im->ss->buffers[i], NULL);
	im->maker = (struct record_maker){ .attr = &im->attr, .emit = emit, .data = im };
	im->maps = (struct snapshot_maps){ .ss = im->ss, .files = &im->files, .maker = &im->maker, .drops = im->drops,
					   .bundle = im->in ? &im->in->bundle : NULL };
	im->aux = (struct auxdata_out){ .maker = &im->maker, .w = im->w, .index = &im->index };
	rc = read_units(im);
	if (rc)
		return rc;
	prepare_stm(im);
	keep_configs(im);
	return write_records(im);
}

int import_snapshot(const char *dir, const struct bare_opts *bare, struct perf_writer *w, struct import_input *in,
		    struct drops *drops, struct error *err)
{
	struct importer im = { .dir = dir, .bare = bare, .w = w, .in = in, .drops = drops, .err = err };
	int rc;

	err->code = 0;
	im.files = (struct folder){ .dir = dir, .who = "cstrace" };
	im.io = (struct cst_snap_io){ .ctx = &im.files, .open = folder_open, .note = folder_note };
	rc = snapshot_import(&im);
	mem_code(rc);
	free(im.index.v);
	auxdata_out_free(&im.aux);
	free(im.traced.units);
	free(im.traced.unit_of_dev);
	free(im.traced.stm);
	intmap_free(&im.ids.contexts);
	cst_snapshot_free(im.ss);
	folder_free(&im.files);
	return rc;
}
