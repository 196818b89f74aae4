/* SPDX-License-Identifier: GPL-2.0-only */
/* text.c - what a perf.data holds, in words: how it was recorded, what can be decoded, what was lost and why. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/name.h"
#include "machine/buffers/assumed.h"
#include "machine/buffers/owners.h"
#include "outputs/info/info.h"
#include "outputs/info/internal.h"

static const char *shown_or(const char *name, const char *unknown)
{
	return name ? name_shown(name) : unknown;
}

static void print_origin(FILE *out, const struct session *ss)
{
	const struct pd_env *env = perfdata_env(session_perfdata(ss));
	uint32_t i;

	fprintf(out, "File: %s%s%s\n", session_name(ss), perfdata_is_pipe(session_perfdata(ss)) ? " (pipe)" : "",
	       perfdata_dir(session_perfdata(ss)) ? " (directory)" : "");
	if (session_recorder(ss) == RECORDER_SNAPSHOT) {
		fprintf(out, "Recorded: a snapshot, without times and threads of an operating system\n");
		return;
	}
	fprintf(out, "Recorded: on %s, %s, Linux %s, by %s%s%s\n", shown_or(env->hostname, "unknown host"),
	       shown_or(env->arch, "unknown architecture"), shown_or(env->osrelease, "unknown"), info_recorder(ss),
	       env->version ? " " : session_recorder(ss) == RECORDER_PERF ? " of unknown version" : "", shown_or(env->version, ""));
	if (env->nr_cmdline) {
		fprintf(out, "Command:");
		for (i = 0; i < env->nr_cmdline; i++)
			fprintf(out, " %s", name_shown(env->cmdline[i]));
		fputc('\n', out);
	}
}

static const char *ts_source_text(const struct aux_cpu *a)
{
	if (!a->has_ts_source)
		return "source not recorded";
	switch (a->ts_source) {
	case AUX_TS_VIRTUAL:
		return "virtual counter";
	case AUX_TS_GUEST_PHYSICAL:
		return "guest physical counter";
	case AUX_TS_PHYSICAL:
		return "physical counter";
	}
	return "unknown source";
}

/* Damaged metadata, a model or a part ahead of the architecture: the trace is read by the registers all the same. */
static void print_reserved(FILE *out, const struct trace_unit *u)
{
	struct cst_reserved_field f[16];
	unsigned int i, n = unit_reserved_fields(u, f, 16);

	for (i = 0; i < n; i++)
		fprintf(out, "    %s holds %u, which the architecture reserves in %s\n", f[i].name, f[i].value,
		       u->config.protocol == CST_PROTO_ETE ? "an ETE" : "an ETMv4");
	if (n)
		fprintf(out, "    the trace is read as the registers say; if it decodes badly, compare them with the trace unit's "
		       "manual\n");
}

/* `snapshot`: made without an operating system. */
static void print_unit(FILE *out, const struct trace_unit *u, bool snapshot)
{
	const struct cst_config *c = &u->config;
	/* ETMCR or TRCCONFIGR */
	uint64_t control = u->aux->reg[0];
	/* that has the virtual machine identifier traced */
	const uint64_t vmid_bit = u->aux->unit == AUX_ETMV3 || u->aux->unit == AUX_PTM ?
				  1u << 30 : 1u << 7;

	fprintf(out, "%s%u", u->aux->unit == AUX_PTM ? "PFT 1." : u->aux->unit == AUX_ETMV3 ? "ETMv3." :
	       u->aux->unit == AUX_ETE ? "ETE 1." : "ETMv4.", c->version & 15u);
	if (u->config_error)
		fprintf(out, " (%s)", error_text(u->config_error));
	fprintf(out, ", %s 0x%" PRIx64 "\n", aux_reg_name(u->aux->unit, 0), control);
	if (u->pid.contextidr_el2)
		fprintf(out, "    thread: CONTEXTIDR_EL2, traced as VMID with %u bits\n", c->vmid_bytes * 8u);
	else if (u->pid.contextidr_el1)
		fprintf(out, "    thread: context ID with %u bits\n", c->cid_bytes * 8u);
	else
		fprintf(out, "%s", snapshot ? "    context IDs: not traced\n" :
			"    thread: not traced; taken from the buffer, from context switches, or from the only process\n");
	if (!c->vmid_is_cid2 && c->vmid_bytes && control & vmid_bit)
		fprintf(out, "    virtual machine identifier traced\n");
	if (u->timestamps)
		fprintf(out, "    timestamps: on, %s\n", ts_source_text(u->aux));
	else
		fprintf(out, "    timestamps: off; order and time are those of the AUX records\n");
	if (c->cycle_count && c->cc_bits)
		fprintf(out, "    cycle counts: on, %u bits\n", c->cc_bits);
	else if (c->cycle_count)
		fprintf(out, "    cycle counts: on\n");
	else
		fprintf(out, "    cycle counts: off\n");
	fprintf(out, "    return stack %s, branch broadcast %s, speculation depth %u%s%s\n",
	       c->ret_stack ? "on" : "off", c->branch_broadcast ? "on" : "off", c->max_spec,
	       c->qsupp ? ", Q elements possible" : "", c->ia64 ? "" : ", 32-bit addresses");
	if (c->protocol == CST_PROTO_ETMV3 && c->data_trace)
		fprintf(out, "    data trace: %s\n", !c->data_value ? "addresses" : !c->data_addr ? "values" :
		       "addresses and values");
	print_reserved(out, u);
}

static bool same_unit(const struct trace_unit *a, const struct trace_unit *b)
{
	uint64_t ra[AUX_NR_REGS], rb[AUX_NR_REGS];

	memcpy(ra, a->aux->reg, sizeof(ra));
	memcpy(rb, b->aux->reg, sizeof(rb));
	ra[AUX_REG_TRCTRACEIDR] = rb[AUX_REG_TRCTRACEIDR] = 0;
	return a->aux->unit == b->aux->unit && a->aux->present == b->aux->present &&
	       a->aux->ts_source == b->aux->ts_source && !memcmp(ra, rb, sizeof(ra));
}

/* CPUs with equal trace units in one paragraph. */
static void print_units(FILE *out, const struct session *ss)
{
	const struct trace_units *tu = session_units(ss);
	const char *sep;
	uint32_t i, k;

	fprintf(out, "\nTrace units: metadata version %u, %u CPU%s%s\n", tu->info.version, tu->info.nr_cpu,
	       tu->info.nr_cpu == 1 ? "" : "s", tu->info.snapshot ? ", snapshot mode" : "");
	for (i = 0; i < tu->info.nr_cpu; i++) {
		for (k = 0; k < i && !same_unit(&tu->v[i], &tu->v[k]); k++)
			;
		if (k < i)
			continue;
		fprintf(out, "  CPU");
		sep = " ";
		for (k = i; k < tu->info.nr_cpu; k++) {
			if (!same_unit(&tu->v[i], &tu->v[k]))
				continue;
			fprintf(out, "%s%u", sep, tu->info.cpu[k].cpu);
			sep = ",";
		}
		fprintf(out, ": ");
		print_unit(out, &tu->v[i], session_recorder(ss) == RECORDER_SNAPSHOT);
	}
	for (i = 0; i < tu->nr_stm; i++)
		fprintf(out, "  STM, trace ID 0x%02x: messages of software, which 'timeline' shows\n", tu->stm[i].aux.trace_id);
}

static bool all_assumed(const struct trace_units *tu)
{
	size_t i;

	for (i = 0; i < tu->nr_ids && tu->ids[i].only; i++)
		;
	return i == tu->nr_ids;
}

static void print_owner(FILE *out, const struct id_owner *o)
{
	fprintf(out, "  0x%02x: ", o->id);
	if (o->cpu >= 0)
		fprintf(out, "CPU %d", o->cpu);
	else
		fprintf(out, "unknown CPU");
	if (o->has_sink)
		fprintf(out, " in sink 0x%x", o->sink);
	if (o->only)
		fprintf(out, " in buffer %u", o->only->number);
	if (o->witness)
		fprintf(out, ", assumed: %s", assumed_text(o));
}

static void print_ids(FILE *out, const struct session *ss, bool all)
{
	const struct trace_units *tu = session_units(ss);
	size_t k, lines = 0;
	uint32_t i;

	fprintf(out, "\nTrace IDs:");
	if (tu->nr_ids) {
		if (all_assumed(tu))
			fprintf(out, " assumed, since the AUX_OUTPUT_HW_ID records are missing\n");
		else
			fprintf(out, " from %s records\n", tu->defined ? "define_trace" : "AUX_OUTPUT_HW_ID");
		for (k = 0; k < tu->nr_ids && (all || lines < INFO_SHORT_LIST); k++) {
			const struct id_owner *o = &tu->ids[k], *p = k ? o - 1 : NULL;

			/* each thread's event has the same record */
			if (p && p->id == o->id && p->cpu == o->cpu && p->sink == o->sink && p->unit == o->unit &&
			    p->only == o->only)
				continue;
			lines++;
			print_owner(out, o);
			if (p && p->id == o->id && o->time)
				fprintf(out, " from %" PRIu64 ".%09" PRIu64 " s on", o->time / 1000000000,
				       o->time % 1000000000);
			fputc('\n', out);
		}
		if (k < tu->nr_ids)
			fprintf(out, "  and more (--all lists them)\n");
		return;
	}
	fprintf(out, " from the metadata\n ");
	for (i = 0; i < tu->info.nr_cpu; i++) {
		if (tu->info.cpu[i].trace_id >= 0)
			fprintf(out, " 0x%02x: CPU %u%s", tu->info.cpu[i].trace_id, tu->info.cpu[i].cpu,
			       i + 1 < tu->info.nr_cpu ? "," : "");
		else
			fprintf(out, " CPU %u has none%s", tu->info.cpu[i].cpu,
			       i + 1 < tu->info.nr_cpu ? "," : "");
	}
	fputc('\n', out);
}

static void print_ns(FILE *out, uint64_t ns)
{
	if (ns < 10000)
		fprintf(out, "%" PRIu64 " ns", ns);
	else if (ns < 10000000)
		fprintf(out, "%.1f us", (double)ns / 1e3);
	else
		fprintf(out, "%.1f ms", (double)ns / 1e6);
}

static void print_estimate(FILE *out, const struct trace_clock *c, bool alone)
{
	static const char *const rates[] = {
		[CLOCK_RATE_ASSUMED] = "assumed (--ts-freq changes it)",
		[CLOCK_RATE_GIVEN] = "as given with --ts-freq",
		[CLOCK_RATE_FILE] = "as the file says (TIME_CONV)",
		[CLOCK_RATE_MEASURED] = "measured by the AUX records (--ts-freq changes it)",
	};

	fprintf(out, "%s; %.6g ns per tick, %s", alone ? "that of the timestamps, since the counter was 0: nothing else has times" :
		"estimated: the file does not say how timestamps relate to perf time", c->ns_per_tick, rates[c->rate]);
	if (alone)
		return;
	if (!c->paired) {
		fprintf(out, ", but no record bounds the time of any timestamp");
		return;
	}
	fprintf(out, "; timestamp %" PRIu64 " taken as %" PRIu64 ".%09" PRIu64 " s", c->pair_ticks,
	       c->pair_ns / 1000000000, c->pair_ns % 1000000000);
	if (c->contradicted) {
		fprintf(out,
			", but the %zu timestamps that were compared with records "
			"contradict each other by ",
			c->brackets);
		print_ns(out, c->error_ns);
	} else if (c->error_ns != UINT64_MAX) {
		fprintf(out, ", at most ");
		print_ns(out, c->error_ns);
		fprintf(out, " too early");
	} else {
		fprintf(out, " or earlier");
	}
}

static bool same_clock(const struct trace_clock *a, const struct trace_clock *b)
{
	return a->kind == b->kind && a->rate == b->rate && a->pair_ticks == b->pair_ticks &&
	       a->pair_ns == b->pair_ns;
}

static void print_clock(FILE *out, const struct session *ss)
{
	const struct clocks *clocks = session_clocks(ss);
	const struct auxinfo *info = &session_units(ss)->info;
	const char *sep;
	uint32_t i, k;

	fprintf(out, "\nTime: ");
	if (!clocks->timestamps) {
		fprintf(out, "the trace has no timestamps; samples get the time of their AUX record\n");
		return;
	}
	for (i = 0; i < info->nr_cpu; i++) {
		const struct trace_clock *c = &clocks->v[i];

		for (k = 0; k < i && !same_clock(c, &clocks->v[k]); k++)
			;
		if (k < i)
			continue;
		for (k = 0; k < info->nr_cpu && same_clock(c, &clocks->v[k]); k++)
			;
		sep = "\n  CPU ";
		if (k < info->nr_cpu) {
			for (k = i; k < info->nr_cpu; k++) {
				if (!same_clock(c, &clocks->v[k]))
					continue;
				fprintf(out, "%s%u", sep, info->cpu[k].cpu);
				sep = ",";
			}
			fprintf(out, ": ");
		}
		if (c->kind == CLOCK_NONE)
			fprintf(out, "no timestamps; samples get the time of their AUX record");
		else if (c->kind == CLOCK_CONVERTED)
			fprintf(out, "timestamps of the virtual counter, converted as the file says (TIME_CONV)");
		else
			print_estimate(out, c, clocks->alone);
	}
	fputc('\n', out);
	if (session_totals(ss)->backward_timestamps)
		fprintf(out, "  %" PRIu64 " timestamps are earlier than the one before: time stands still there\n",
		       session_totals(ss)->backward_timestamps);
}

static void print_queue(FILE *out, struct queue *q)
{
	uint64_t chunks = 0, bytes = 0;
	const char *sep = " ";
	unsigned int id;
	size_t i;

	for (i = 0; i < q->found.nr_chunks; i++)
		chunks += q->found.chunks[i].size;
	for (i = 0; i < q->nr_frags; i++)
		bytes += fragment_fresh(&q->frags[i]);
	fprintf(out, "  buffer %u, ", q->number);
	if (q->cpu >= 0)
		fprintf(out, "CPU %d", q->cpu);
	else
		fprintf(out, "thread %d", q->tid);
	if (q->nr_frags && q->frags[0].pub.window)
		fprintf(out, ": %zu AUX window%s with %" PRIu64 " bytes", q->nr_frags,
			q->nr_frags == 1 ? "" : "s", bytes);
	else
		fprintf(out,
			": %" PRIu64 " bytes in %zu piece%s; %zu fragment%s with %" PRIu64
			" bytes%s",
			chunks, q->found.nr_chunks, q->found.nr_chunks == 1 ? "" : "s", q->nr_frags,
			q->nr_frags == 1 ? "" : "s", bytes,
			q->any_aux ? "" : " (no AUX records: taken whole)");
	if (q->any_raw)
		fprintf(out, ", unframed");
	if (q->any_frames) {
		queue_find_ids(q);
		fprintf(out, ", frames with trace ID");
		for (id = 1; id < 0x70; id++) {
			if (!(q->ids[id >> 6] >> (id & 63) & 1))
				continue;
			fprintf(out, "%s0x%02x", sep, id);
			sep = ", ";
		}
	}
	fputc('\n', out);
}

/* Samples with trace in them, and how much of it is in several. */
static void print_windows(FILE *out, const struct session *ss)
{
	const struct windows *ws = &session_queues(ss)->windows;
	const struct window_counts *c = &ws->counts;

	if (!c->nr)
		return;
	fprintf(out,
		"  %" PRIu64 " AUX window%s in samples, %" PRIu64 " bytes (%" PRIu64 " to %" PRIu64
		" each)",
		c->nr, c->nr == 1 ? "" : "s", c->bytes, c->smallest, c->largest);
	if (ws->beside) {
		fprintf(out, ": left out, since the file has the whole trace\n");
		return;
	}
	fprintf(out,
		"; %" PRIu64 " continue the window before, with which they have %" PRIu64
		" bytes in common\n",
		c->continued, c->repeated);
}

static void print_queues(FILE *out, const struct session *ss, bool all)
{
	const struct queues *qs = session_queues(ss);
	size_t i, n = qs->nr;

	fprintf(out, "\nTrace: %zu buffer%s, %zu AUX record%s\n", n, n == 1 ? "" : "s", qs->nr_aux,
	       qs->nr_aux == 1 ? "" : "s");
	print_windows(out, ss);
	for (i = 0; i < n && (all || i < INFO_SHORT_LIST); i++)
		print_queue(out, qs->q[i]);
	if (i < n)
		fprintf(out, "  and %zu more (--all lists them)\n", n - i);
}

static int compare_processes(const void *a, const void *b)
{
	const struct process *x = *(struct process *const *)a, *y = *(struct process *const *)b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Threads that each process had: pid -> number. */
static void count_threads(const struct threads *ts, struct intmap *counts)
{
	const struct thread *t;
	size_t i, k;

	for (i = 0; (t = intmap_next(&ts->known.threads, &i));)
		for (k = 0; k < t->pids.nr; k++)
			intmap_put(counts, t->pids.v[k].pid,
				   (void *)((intptr_t)intmap_get(counts, t->pids.v[k].pid) + 1));
}

static void print_process(FILE *out, const struct threads *ts, const struct process *p, size_t nr_threads)
{
	const char *comm = threads_comm(ts, p->pid, UINT64_MAX);

	fprintf(out, "  %d %s: %zu thread%s, %" PRIu64 " map event%s\n", p->pid, shown_or(comm, "(no name)"), nr_threads,
	       nr_threads == 1 ? "" : "s", p->nr_maps, p->nr_maps == 1 ? "" : "s");
}

/* Of a long recording, those that are there at its end. */
static void print_processes(FILE *out, struct session *ss, bool all)
{
	struct threads *ts = session_threads(ss);
	struct intmap counts = { .slot = NULL };
	struct process **list, *p;
	size_t i, n = 0;

	threads_seek(ts, NO_TIME, UINT64_MAX, UINT64_MAX);
	if (session_recorder(ss) == RECORDER_SNAPSHOT && ts->totals.total_processes <= 1) {
		/* programs and memory contents are those of one process without a name */
		fprintf(out, "\nPrograms and memory contents: %zu\n", session_dsos(ss)->nr);
		return;
	}
	list = mem_zeroed(ts->known.processes.used + 1, sizeof(*list));
	for (i = 0; (p = intmap_next(&ts->known.processes, &i));)
		if (p->mapped)
			list[n++] = p;
	ARRAY_SORT(list, n, compare_processes);
	fprintf(out, "\nProcesses: %" PRIu64 ", threads: %" PRIu64 ", mapped files: %zu\n",
		ts->totals.total_processes, ts->totals.total_threads, session_dsos(ss)->nr);
	count_threads(ts, &counts);
	for (i = 0; i < n && (all || i < INFO_SHORT_LIST); i++)
		print_process(out, ts, list[i], (size_t)intmap_get(&counts, list[i]->pid));
	if (i < n)
		fprintf(out, "  and %zu more (--all lists them)\n", n - i);
	if (n < ts->totals.total_processes)
		fprintf(out, "  and %" PRIu64 " that ended long before the recording did\n",
			ts->totals.total_processes - n);
	if (ts->totals.total_replaced)
		fprintf(out,
			"  code was replaced by other code %" PRIu64 " times (exec or mapping)\n",
			ts->totals.total_replaced);
	if (ts->known.kernel.nr_maps)
		fprintf(out, "  kernel: %" PRIu64 " map event%s%s\n", ts->known.kernel.nr_maps,
			ts->known.kernel.nr_maps == 1 ? "" : "s",
			session_kernel(ss)->kcore ? ", with a copy of its memory (kcore)" : "");
	intmap_free(&counts);
	free(list);
}

void info_print_recording(struct session *ss, bool all, FILE *out)
{
	print_origin(out, ss);
	print_units(out, ss);
	print_ids(out, ss, all);
	print_queues(out, ss, all);
	print_processes(out, ss, all);
}

static void print_line(void *data, const char *line)
{
	fprintf(data, "  %s\n", line);
}

void info_print_result(const struct session *ss, bool all, FILE *out)
{
	fprintf(out, "\nImages:\n");
	if (!session_print_missing(ss, out))
		fprintf(out, session_matched(ss) && session_totals(ss)->dec.insns ? "  all code that ran was found\n" :
			"  nothing was decoded\n");
	fprintf(out, "\nLosses:\n");
	if (session_has_losses(ss))
		session_print_all_losses(ss, out, all);
	else
		fprintf(out, "  none\n");
	fprintf(out, "\nNext:\n");
	info_next(ss, print_line, out);
}

/* How many AUX windows the decoder could begin in. */
static void print_synchronised(const struct session *ss)
{
	const uint64_t n = session_queues(ss)->windows.counts.nr;
	const uint64_t without = session_losses(ss)->cause[LOSS_WINDOW_UNSYNCED].count;

	if (n && !session_queues(ss)->windows.beside && !session_filtered(ss))
		printf("\nAUX windows:\n  %" PRIu64 " of %" PRIu64
		       " (%.1f %%) are without synchronisation\n",
		       without, n, 100.0 * (double)without / (double)n);
}

static int decode(struct session *ss, bool all)
{
	struct info_counts c;
	int rc = info_count_all(&c, ss);

	print_clock(stdout, ss);
	if (rc)
		return rc;
	info_print_span(&c);
	info_who(ss);
	print_synchronised(ss);
	info_print_binaries(ss, &c, all);
	info_print_result(ss, all, stdout);
	fflush(stdout);
	session_print_summary(ss, stderr);
	return 0;
}

int info_text(struct session *ss, bool decoded, bool all)
{
	info_print_recording(ss, all, stdout);
	if (decoded)
		return decode(ss, all);
	print_clock(stdout, ss);
	return 0;
}
