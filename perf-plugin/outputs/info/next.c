/* SPDX-License-Identifier: GPL-2.0-only */
/* next.c - the command lines that come next for a recording, with the options that this run was given. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"
#include "base/quote.h"
#include "machine/images/library.h"
#include "outputs/info/internal.h"
#include "session/import/bare.h"

#define LINE 8192

static void append(char *line, const char *text)
{
	size_t at = strlen(line);

	snprintf(line + at, LINE - at, "%s", text);
}

static void append_word(char *line, const char *word)
{
	char *quoted = quote_word(word);

	append(line, " ");
	append(line, quoted);
	free(quoted);
}

static void append_option(char *line, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	append(line, name);
	append_word(line, value);
}

/* A number of 0 was not given. */
static void append_number(char *line, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	append_option(line, name, value ? text : NULL);
}

/* "perf-cstrace COMMAND -i INPUT" with the options that say where program files are, how to decode, and what to select. */
static void begin(const struct session *ss, char *line, const char *command)
{
	const struct session_opts *o = session_opts(ss);
	size_t i;

	snprintf(line, LINE, "perf-cstrace %s", command);
	if (!o->bare || !o->bare->nr_traces)
		append_option(line, " -i", o->input ? o->input : "perf.data");
	for (i = 0; o->bare && i < o->bare->nr_words; i++) {
		append(line, " --");
		append(line, o->bare->words[i].option);
		append_word(line, o->bare->words[i].value);
	}
	append_option(line, " --symfs", o->symfs);
	append_option(line, " --vmlinux", o->vmlinux);
	append_option(line, " --kcore", o->kcore);
	append_option(line, " --kallsyms", o->kallsyms);
	append_option(line, " --jitdump", o->jitdump);
	for (i = 0; i < o->guests.nr; i++)
		append_option(line, " --guest", o->guests.guest[i]);
	append_option(line, " --guestmount", o->guests.mount);
	append_option(line, " --guestvmlinux", o->guests.vmlinux);
	append_option(line, " --guestkallsyms", o->guests.kallsyms);
	append_option(line, " --guestmodules", o->guests.modules);
	append_option(line, " --buildid-dir", o->buildid_dir);
	if (o->contextid != CONTEXTID_AUTO)
		append_option(line, " --contextid", contextid_name(o->contextid));
	append_number(line, " --ts-freq", o->ts_freq);
	append_number(line, " --max-expand", o->max_expand);
	if (o->no_text_copies)
		append(line, " --no-text-copies");
	if (o->force)
		append(line, " -f");
	/* dump takes no filters with --trace, whose bytes have neither times nor threads of perf */
	if (o->bare && o->bare->nr_traces && !strcmp(command, "dump"))
		return;
	append_option(line, " --time", o->filter.time);
	append_option(line, " --cpu", o->filter.cpu);
	append_option(line, " --pid", o->filter.pid);
	append_option(line, " --tid", o->filter.tid);
	append_option(line, " --comm", o->filter.comm);
}

/* Appends the options that name missing files. False: all of them were given. */
static bool append_cures(const struct session *ss, char *line)
{
	const struct session_opts *o = session_opts(ss);
	size_t len = strlen(line);
	const struct loss_amount *l = session_losses(ss)->cause;
	bool files = l[LOSS_NO_FILE].count || l[LOSS_BUILD_ID].count || l[LOSS_UNFIT].count || l[LOSS_NO_TEXT].count ||
		     l[LOSS_SHORT].count || l[LOSS_MODULE].count, kernel = l[LOSS_KERNEL].count;

	append(line, files && !o->symfs ? " --symfs DIR" : "");
	append(line, kernel && !o->vmlinux ? " --vmlinux FILE" : "");
	append(line, l[LOSS_JIT].count && !o->jitdump ? " --jitdump FILE" : "");
	append(line, l[LOSS_VDSO].count && !o->buildid_dir ? " --buildid-dir DIR" : "");
	return strlen(line) > len;
}

/* True if a thread has, or had, the name of the file, of which the kernel keeps 15 characters. */
static bool names_thread(const struct threads *ts, const char *path)
{
	const char *name = path_base(path);
	const struct thread *t;
	size_t i, k;

	for (i = 0; (t = intmap_next(&ts->known.threads, &i));)
		for (k = 0; k < t->comms.nr; k++)
			if (t->comms.v[k].comm && *name && !strncmp(t->comms.v[k].comm, name, 15))
				return true;
	return false;
}

/* How likely it is that a file is the one to optimise: 3 a program that gave a thread its name, 2 a program, 1 a library of its own. */
static unsigned int rank_of(const struct threads *ts, const struct dso *d)
{
	if (d->kind != DSO_FILE || library_of_all(d->path))
		return 0;
	if (library_name(d->path))
		return 1;
	return names_thread(ts, d->path) ? 3 : 2;
}

/* The program that a profile is made for: of those with the highest rank the busiest one. NULL: there is no file. */
static const char *main_binary(const struct session *ss)
{
	/* of threads only the names are read, as they are known now */
	const struct threads *ts = session_threads((struct session *)ss);
	const char *path = NULL;
	struct dso **list;
	size_t i, n = info_binaries(ss, &list);
	unsigned int best = 0, rank;

	for (i = 0; i < n; i++) {
		if (!list[i]->counts.insns || !list[i]->image.is_elf || list[i]->kind > DSO_MODULE)
			continue;
		rank = rank_of(ts, list[i]);
		if (path && rank <= best)
			continue;
		path = list[i]->path;
		best = rank;
	}
	free(list);
	return path;
}

const char *info_recorder(const struct session *ss)
{
	static const char *const names[] = {
		[RECORDER_PERF] = "perf", [RECORDER_SIMPLEPERF] = "simpleperf", [RECORDER_SNAPSHOT] = "snapshot",
	};

	return names[session_recorder(ss)];
}

void info_next(const struct session *ss, void (*put)(void *data, const char *line), void *data)
{
	const char *binary = main_binary(ss);
	char *line = mem_zeroed(1, LINE);

	if (losses_missing_code(session_losses(ss))) {
		begin(ss, line, "info");
		if (append_cures(ss, line))
			put(data, line);
	}
	if (!session_totals(ss)->dec.insns) {
		begin(ss, line, "dump");
		append(line, " --packets --log");
		put(data, line);
		free(line);
		return;
	}
	begin(ss, line, "script");
	append(line, " --itrace=b -F comm,pid,tid,cpu,time,ip,sym,addr");
	put(data, line);
	begin(ss, line, "inject");
	append(line, " --itrace=i1000il64 -o samples.data; perf report -i samples.data");
	append_option(line, " --symfs", session_opts(ss)->symfs);
	put(data, line);
	if (binary) {
		begin(ss, line, "profile");
		append_option(line, " --binary", binary);
		append(line, " --format=autofdo -o counts.txt");
		put(data, line);
	}
	begin(ss, line, "report");
	append(line, " -o pages");
	put(data, line);
	free(line);
}
