/* SPDX-License-Identifier: GPL-2.0-only */
/* session.c - opens and closes a session, and answers queries about it. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/messages.h"
#include "base/files/input.h"
#include "base/name.h"
#include "machine/buffers/assumed.h"
#include "machine/buffers/owners.h"
#include "machine/images/jitdump.h"
#include "machine/images/perfmap.h"
#include "machine/sideband/jit.h"
#include "session/carried.h"
#include "session/guest_clocks.h"
#include "session/import/import.h"
#include "session/internal.h"
#include "session/named.h"

static int make_clocks(struct session *ss)
{
	int rc = clocks_make(&ss->clocks, &ss->queues);

	if (ss->opts.ts_freq && !ss->clocks.timestamps)
		fprintf(message_stream(), "cstrace: %s: warning: --ts-freq has no effect: the trace has no timestamps\n", ss->name);
	if (ss->opts.kernel_time && !(ss->clocks.timestamps && ss->clocks.have_conv))
		fprintf(message_stream(), "cstrace: %s: warning: T in --itrace has no effect: %s\n", ss->name,
			ss->clocks.timestamps ? "the file does not say how to convert timestamps (TIME_CONV)" :
			"the trace has no timestamps");
	if (!rc)
		return 0;
	fprintf(message_stream(), "cstrace: %s: the clocks of its trace units cannot be made: %s\n", ss->name,
		error_text(rc));
	return ERR_REPORTED;
}

/*
 * True if the environment is that of simpleperf, which is recognised by its features and its name in the command line.
 */
static bool is_simpleperf(const struct pd_env *env)
{
	unsigned int i;

	for (i = PD_FEAT_PRIVATE; i < PD_FEATURE_BITS; i++)
		if (env->raw[i].ptr)
			return true;
	return env->nr_cmdline && strstr(env->cmdline[0], "simpleperf");
}

static int index_file(struct session *ss)
{
	const struct pd_env *env;
	unsigned int i;
	int rc;

	for (i = 0; i < perfdata_nr_warnings(ss->pd); i++)
		fprintf(message_stream(), "cstrace: warning: %s\n", name_shown(perfdata_warning(ss->pd, i)));
	rc = mem_code(session_index(ss));
	if (rc)
		return ERR_REPORTED;
	if (!ss->units.have_info && perfdata_env(ss->pd)->raw[PD_FEAT_SP_BRANCH_LIST].ptr) {
		fprintf(message_stream(),
			"cstrace: %s: has branch lists of simpleperf, and no trace: it was decoded "
			"while it was recorded; 'perf-cstrace profile -i FILE', with its name, "
			"makes profiles of them\n",
			ss->name);
		return ERR_REPORTED;
	}
	if (!ss->units.have_info) {
		fprintf(message_stream(), "cstrace: %s: no CoreSight trace in this file (no AUXTRACE_INFO record); record with %s\n",
			ss->name, is_simpleperf(perfdata_env(ss->pd)) ? "'simpleperf record -e cs-etm:u'" :
			"'perf record -e cs_etm//u', and note that 'perf inject --strip' removes the trace");
		return ERR_REPORTED;
	}
	env = perfdata_env(ss->pd);
	if (is_simpleperf(env))
		ss->recorder = RECORDER_SIMPLEPERF;
	ss->images.dsos.search.other_recorder = ss->recorder != RECORDER_PERF;
	ss->images.dsos.search.osrelease = env->osrelease;
	contextid_init(&ss->tasks.contextid, ss->opts.contextid, env->arch);
	mem_doing("preparing to decode");
	units_make(&ss->units);
	owners_finish(&ss->units, &ss->queues, ss->opts.jobs);
	assumed_report(&ss->units);
	ss->totals.aux_missing = ss->queues.missing;
	ss->totals.aux_unclaimed = ss->queues.unclaimed;
	session_start_losses(ss);
	if (ss->queues.refused)
		fprintf(message_stream(), "cstrace: %s: AUX data in format 0x%llx, known are 0 (frames) and 0x100 (raw): "
			"left out\n", ss->name, (unsigned long long)ss->queues.refused_format);
	if (!ss->queues.nr)
		fprintf(message_stream(), "cstrace: %s: the file describes trace units but holds no AUX data; the traced "
			"program may not have run on a CPU with trace\n", ss->name);
	return 0;
}

/*
 * True if a jitdump file or a perf map of the process describes code in [start, end), or if the
 * user lets no text be assumed.
 */
static bool is_generated(void *data, int pid, uint64_t start, uint64_t end)
{
	struct session *ss = data;
	struct session_images *images = &ss->images;
	const struct perf_map *pm;
	size_t i;

	if (ss->opts.no_text_copies)
		return true;
	pm = perf_maps_get(&images->perf_maps, pid);
	for (i = 0; i < images->dsos.nr; i++) {
		const struct dso *d = images->dsos.all[i];
		const struct jitdump *jd = d->table == &images->dsos ? d->made.jit : NULL;

		if (jd && jd->owner == pid && jitdump_within(jd, start, end))
			return true;
	}
	return perf_map_within(pm, start, end);
}

void session_init_own(struct session *ss)
{
	const struct session_opts *opts = &ss->opts;

	dso_table_init(&ss->images.dsos);
	side_events_init(&ss->side);
	ss->side.pd = ss->pd;
	ss->side.name = ss->name;
	ss->side.dsos = &ss->images.dsos;
	ss->side.kernel = &ss->images.kernel;
	if (opts->keep_events)
		ss->side.order.keep = opts->keep_events;
	threads_init(&ss->tasks.threads, &ss->side.order);
	ss->tasks.threads.hooks.release = versions_release;
	ss->tasks.threads.hooks.generated = is_generated;
	ss->tasks.threads.hooks.generated_data = ss;
	ss->images.dsos.search.symfs = opts->symfs && opts->symfs[0] ? opts->symfs : NULL;
	ss->images.perf_maps.symfs = ss->images.dsos.search.symfs;
	ss->images.perf_maps.hostname = perfdata_env(ss->pd)->hostname;
	ss->images.dsos.search.vmlinux = opts->vmlinux;
	ss->images.dsos.search.buildid_dir = opts->buildid_dir;
	ss->images.dsos.search.debuginfod = opts->debuginfod;
	ss->images.dsos.search.kcore = opts->kcore;
	ss->images.dsos.search.kallsyms = opts->kallsyms;
	ss->images.dsos.search.jitdump = opts->jitdump;
	ss->images.dsos.search.force = opts->force;
	ss->images.dsos.search.kernel = &ss->images.kernel;
	losses_init(&ss->losses);
	spaces_init(&ss->images.spaces, opts->cache_limit);
	ss->images.spaces.kernel = &ss->images.kernel;
	ss->images.spaces.kernel_process = &ss->tasks.threads.known.kernel;
}

int session_open_guests(struct session *ss, const struct session *like)
{
	const struct guest_host host = { .dsos = &ss->images.dsos, .spaces = &ss->images.spaces };
	size_t i;
	int rc = mem_code(guests_open(&ss->images.guests, &ss->opts.guests, &host,
				      like ? &like->images.guests : NULL));

	for (i = 0; i < ss->images.guests.nr; i++)
		ss->lost.bad_records += ss->images.guests.v[i]->bad_records;
	return rc ? ERR_REPORTED : 0;
}

void session_free_spaces(struct session *ss)
{
	guests_free_spaces(&ss->images.guests);
	spaces_free(&ss->images.spaces, &ss->tasks.threads);
}

void session_free_own(struct session *ss)
{
	session_free_spaces(ss);
	losses_free(&ss->losses);
	filter_free(ss->chosen.filter);
	threads_free(&ss->tasks.threads);
	side_events_free(&ss->side);
	dso_table_free(&ss->images.dsos);
	guests_free(&ss->images.guests);
	free(ss->undecodable.v);
	asids_free(&ss->tasks.asids);
	asids_free(&ss->declared);
	short_ids_free(&ss->tasks.short_ids);
	kernel_free(&ss->images.kernel);
	perf_maps_free(&ss->images.perf_maps);
}

int session_make_filter(struct session *ss)
{
	if (filter_open(&ss->chosen.filter, &ss->opts.filter, ss->pd, ss->name))
		return ERR_REPORTED;
	ss->chosen.selection = (struct selection){
		.filter = ss->chosen.filter, .units = &ss->units, .running = &ss->tasks.running,
		.lost_records = ss->losses.lost_records > 0, .timestamps = ss->clocks.timestamps,
	};
	return 0;
}

/* alone: struct clocks. */
static struct session *open_session(const struct session_opts *opts, struct perfdata *pd,
				    struct dso_bundle *bundle, struct unit_configs configs,
				    bool alone, const struct session_carried *carried)
{
	struct session *ss = mem_zeroed(1, sizeof(*ss));

	ss->pd = pd;
	ss->name = mem_text(name_shown(perfdata_name(pd)));
	ss->opts = *opts;
	ss->units = (struct trace_units){
		.pd = pd, .name = ss->name, .given = configs,
		.opts = {
			.report_transactions = opts->report_transactions, .as_reference = opts->as_reference,
			.strict = opts->strict, .insn_ranges = opts->insn_ranges,
			.split_source = opts->split_source,
		},
	};
	ss->clocks.units = &ss->units;
	ss->clocks.ts_freq = opts->ts_freq;
	ss->clocks.kernel_time = opts->kernel_time;
	ss->clocks.alone = alone;
	session_init_own(ss);
	ss->images.dsos.search.bundle = *bundle;
	carried_begin(ss, carried);
	if (index_file(ss) || session_open_guests(ss, NULL) || make_clocks(ss) ||
	    session_guest_clocks(ss) || session_make_filter(ss)) {
		session_close(ss);
		return NULL;
	}
	carried_apply(ss, carried);
	return ss;
}

/* Registers the files that the user named, so that no output overwrites one, whether it is read or not. */
static void note_named(const struct session_opts *o)
{
	const char *const names[] = { o->vmlinux, o->kcore, o->kallsyms };
	char path[4096];
	const char *list = o->jitdump;
	size_t i;
	int pid;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i])
			input_note_path(names[i]);
	while (jit_next_given(&list, path, sizeof(path), &pid))
		input_note_path(path);
}

int session_check_named(const struct session_opts *opts)
{
	note_named(opts);
	return named_check(opts);
}

struct session *session_open(const struct session_opts *opts)
{
	struct import_input in;
	struct session *ss;
	struct error err;

	if (session_check_named(opts))
		return NULL;
	if (import_open(&in, opts->input ? opts->input : "perf.data", opts->bare, &err)) {
		fprintf(message_stream(), "cstrace: %s\n", err.msg);
		return NULL;
	}
	perfdata_set_max_expand(in.pd, opts->max_expand);
	ss = open_session(opts, in.pd, &in.bundle, in.configs, in.kind == IMPORT_SNAPSHOT, NULL);
	if (!ss)
		return NULL;
	ss->lost.bad_records += in.dropped;
	if (in.kind == IMPORT_SNAPSHOT) {
		ss->recorder = RECORDER_SNAPSHOT;
		ss->images.dsos.search.other_recorder = true;
	}
	return ss;
}

struct session *session_open_perfdata(const struct session_opts *opts, struct perfdata *pd)
{
	struct dso_bundle none = { .kcore = NULL };

	return open_session(opts, pd, &none, (struct unit_configs){ NULL, 0 }, false, NULL);
}

struct session *session_open_piece(const struct session_opts *opts, struct perfdata *pd,
				   const struct session_piece *piece,
				   const struct session_carried *c)
{
	struct dso_bundle none = { .kcore = NULL };
	struct session *ss =
		open_session(opts, pd, &none, (struct unit_configs){ NULL, 0 }, false, c);

	if (!ss)
		return NULL;
	ss->lost.bad_records += piece->bad_records;
	ss->lost.lost_compressed += piece->lost_compressed;
	ss->totals.file_cut |= piece->cut;
	return ss;
}

void session_close(struct session *ss)
{
	if (!ss)
		return;
	session_free_own(ss);
	queues_free(&ss->queues);
	units_free(&ss->units);
	running_free(&ss->tasks.running);
	identity_free(&ss->tasks.identity);
	tracepoint_free(ss->tasks.sched);
	clocks_free(&ss->clocks);
	perfdata_close(ss->pd);
	free(ss->name);
	free(ss);
}

struct perfdata *session_perfdata(const struct session *ss)
{
	return ss->pd;
}

const char *session_name(const struct session *ss)
{
	return ss->name;
}

struct dso *session_next_used(const struct session *ss, size_t *pos)
{
	struct dso *d;

	while (*pos < ss->images.dsos.nr) {
		d = ss->images.dsos.all[(*pos)++];
		if (d->counts.used && d->state == DSO_LOADED &&
		    (d->counts.shown || !filter_has_time(ss->chosen.filter)))
			return d;
	}
	return NULL;
}

/* True if the code of a member of the archive was decoded. */
static bool member_used(const struct session *ss, const struct dso *archive)
{
	const struct dso_table *t = &ss->images.dsos;
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (t->all[i]->zip.archive == archive && t->all[i]->counts.used)
			return true;
	return false;
}

struct dso *session_next_read(const struct session *ss, size_t *pos)
{
	struct dso *d;

	while (*pos < ss->images.dsos.nr) {
		d = ss->images.dsos.all[(*pos)++];
		/* what is given of guests is given again */
		if (d->table != &ss->images.dsos)
			continue;
		if (d->kind == DSO_JIT || d->kind == DSO_KCORE)
			return d;
		if (d->state != DSO_LOADED || !d->image.file)
			continue;
		/* records name the archive, and so it is what holds its members */
		if (dso_is_archive(d) ? member_used(ss, d) :
		    !d->zip.archive && (d->counts.used || d->kind == DSO_VMLINUX))
			return d;
	}
	return NULL;
}

const char *session_kallsyms(const struct session *ss)
{
	return ss->images.kernel.kallsyms_path;
}

uint32_t session_pmu_type(const struct session *ss)
{
	return ss->units.info.pmu_type;
}

bool session_timestamps(const struct session *ss)
{
	return ss->clocks.timestamps;
}
