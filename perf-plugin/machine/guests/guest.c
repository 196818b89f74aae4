/* SPDX-License-Identifier: GPL-2.0-only */
/* guest.c - opens the files of guests, and finds the guest of a VMID or of a host's thread. */
#include "machine/guests/guest.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/files/input.h"
#include "base/format.h"
#include "base/messages.h"
#include "base/name.h"
#include "perfdata/decode.h"

/* The most bytes of /proc/version. */
#define MAX_VERSION 4096u

/* ---- files ----------------------------------------------------------------------------------- */

/* Returns the path of a file of the guest's file system; NULL: it has none. */
static char *file_in_root(const struct guest *g, const char *path)
{
	char *file = g->o.file[GUEST_SYMFS] ? input_in_root(g->o.file[GUEST_SYMFS], path) : NULL;

	if (file && access(file, R_OK)) {
		free(file);
		file = NULL;
	}
	return file;
}

/* Takes what the guest's file system has of its kernel and was not given. */
static void take_root(struct guest *g)
{
	static const struct {
		enum guest_file file;
		const char *path;
	} rows[] = { { GUEST_KALLSYMS, "/proc/kallsyms" }, { GUEST_MODULES, "/proc/modules" } };
	char *path, *text;
	size_t i, size;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!g->o.file[rows[i].file])
			g->o.file[rows[i].file] = file_in_root(g, rows[i].path);
	path = file_in_root(g, "/proc/version");
	text = path ? input_read(path, MAX_VERSION, &size) : NULL;
	if (text && !strncmp(text, "Linux version ", 14))
		g->osrelease = mem_text_part(text + 14, strcspn(text + 14, " \n"));
	free(text);
	free(path);
}

/* Reports a file that is not there, and notes the others as inputs. */
static int check_files(const struct guest *g)
{
	unsigned int i;

	for (i = 0; i < NR_GUEST_FILES; i++) {
		const char *file = g->o.file[i];

		if (!file)
			continue;
		if (access(file, R_OK)) {
			fprintf(message_stream(), "cstrace: %s: %s: %s\n", g->name,
				name_shown(file), strerror(errno));
			return ERR_REPORTED;
		}
		if (i != GUEST_SYMFS)
			input_note_path(file);
	}
	return 0;
}

static void init_search(struct guest *g, const struct guest_host *host)
{
	const struct dso_search *of = &host->dsos->search;
	struct dso_search *s = &g->dsos.search;

	s->symfs = g->o.file[GUEST_SYMFS];
	s->vmlinux = g->o.file[GUEST_VMLINUX];
	s->kallsyms = g->o.file[GUEST_KALLSYMS];
	s->buildid_dir = of->buildid_dir;
	s->debuginfod = of->debuginfod;
	s->force = of->force;
	s->osrelease = g->osrelease;
	s->kernel = &g->kernel;
}

/* ---- records --------------------------------------------------------------------------------- */

static bool is_kernel_image(const struct side_event *e)
{
	return e->kind == SIDE_MAP && e->kernel && e->map.dso && e->map.dso->kind == DSO_VMLINUX;
}

/* Reads the records of the guest's own recording. Returns true if they have its kernel. */
static bool read_records(struct guest *g)
{
	struct side_event e;
	struct pd_record rec;
	bool kernel = false;
	int rc;

	side_events_start(&g->side);
	while ((rc = perfdata_next(g->pd, &rec))) {
		if (rc < 0 && !g->bad_records++)
			fprintf(message_stream(), "cstrace: %s: %s\n", g->name,
				perfdata_error(g->pd)->msg);
		if (rc < 0 || !side_events_take(&g->side, &rec, &e))
			continue;
		threads_note(&g->threads, &e);
		kernel |= is_kernel_image(&e);
	}
	return kernel;
}

static int open_data(struct guest *g, const struct guest *like)
{
	struct error err;

	if (!g->o.file[GUEST_DATA])
		return 0;
	g->pd = like ? perfdata_cursor(like->pd) : perfdata_open(g->o.file[GUEST_DATA], &err);
	if (g->pd) {
		g->side.pd = g->pd;
		return 0;
	}
	fprintf(message_stream(), "cstrace: %s: %s\n", g->name, err.msg);
	return ERR_REPORTED;
}

/* True if files of a kernel are given. */
static bool has_kernel(const struct guest *g)
{
	return g->o.file[GUEST_VMLINUX] || g->o.file[GUEST_KALLSYMS] || g->o.file[GUEST_SYMFS];
}

static int finish_side(struct guest *g)
{
	int rc;

	if (g->pd)
		return side_events_finish(&g->side);
	rc = kernel_find_kcore(&g->kernel, &g->dsos, NULL);
	if (!rc)
		side_order_finish(&g->side.order);
	return rc;
}

/*
 * Reads the guest's kernel, threads and maps from its recording, or its kernel from the files that
 * are given.
 */
static int read_side(struct guest *g)
{
	bool kernel = false;
	int rc = 0;

	if (g->pd) {
		kernel = read_records(g);
		if (perfdata_env(g->pd)->osrelease)
			g->dsos.search.osrelease = perfdata_env(g->pd)->osrelease;
	}
	if (g->o.file[GUEST_KALLSYMS])
		g->kernel.kallsyms_path = mem_text(g->o.file[GUEST_KALLSYMS]);
	if (!kernel && has_kernel(g))
		rc = guest_add_kernel(g);
	free(g->kernel.kallsyms_path);
	g->kernel.kallsyms_path = NULL;
	if (!rc)
		rc = finish_side(g);
	if (!rc)
		threads_begin(&g->threads);
	return rc;
}

static int open_guest(struct guest *g, const struct guest_host *host, const struct guest *like)
{
	int rc;

	dso_table_init(&g->dsos);
	side_events_init(&g->side);
	g->dsos.host = host->dsos;
	g->dsos.name = g->name;
	g->dsos.kernel_name = g->kernel_name;
	g->side.order.keep = SIZE_MAX;	/* so that any moment of it can be looked up */
	g->side.name = g->name;
	g->side.dsos = &g->dsos;
	g->side.kernel = &g->kernel;
	threads_init(&g->threads, &g->side.order);
	g->threads.hooks.release = versions_release;
	spaces_init_guest(&g->spaces, host->spaces);
	g->spaces.kernel = &g->kernel;
	g->spaces.kernel_process = &g->threads.known.kernel;
	g->offset = g->o.has_offset ? g->o.offset : like ? like->offset : 0;
	take_root(g);
	init_search(g, host);
	rc = check_files(g);
	if (!rc)
		rc = open_data(g, like);
	if (!rc)
		rc = read_side(g);
	return rc;
}

/* ---- the set --------------------------------------------------------------------------------- */

/* Adds a guest that is not opened yet, and takes over `o`. */
static void add_guest(struct guest_set *gs, const struct guest_opts *o)
{
	struct guest *g = mem_zeroed(1, sizeof(*g));

	g->o = *o;
	*ARRAY_ADD(gs->v, gs->nr, gs->cap) = g;
	g->number = (unsigned int)gs->nr;
	if (o->any) {
		g->name = mem_text("guests");
		g->kernel_name = mem_text("[guest.kernel.kallsyms]");
		return;
	}
	g->name = format_text("guest %" PRIu32, o->id);
	g->kernel_name = format_text("[guest.kernel.kallsyms.%" PRIu32 "]",
				     o->pid >= 0 ? (uint32_t)o->pid : o->id);
}

static int is_number(const struct dirent *d)
{
	return d->d_name[0] && !d->d_name[strspn(d->d_name, "0123456789")];
}

/* Adds the guests whose file systems are below `dir`, named by the processes that run them. */
static int add_mounted(struct guest_set *gs, const char *dir)
{
	struct guest_opts o = { .pid = -1 };
	struct dirent **list = NULL;
	int i, n = scandir(dir, &list, is_number, versionsort);

	if (n < 0) {
		fprintf(message_stream(), "cstrace: --guestmount %s: %s\n", name_shown(dir),
			strerror(errno));
		return ERR_REPORTED;
	}
	for (i = 0; i < n; i++) {
		o.id = (uint32_t)strtoul(list[i]->d_name, NULL, 10);
		o.pid = (int)o.id;
		o.file[GUEST_SYMFS] = format_text("%s/%s", dir, list[i]->d_name);
		add_guest(gs, &o);
		free(list[i]);
	}
	free(list);
	return 0;
}

static char *copy_of(const char *text)
{
	return text && text[0] ? mem_text(text) : NULL;
}

static int add_all(struct guest_set *gs, const struct guests_given *given)
{
	struct guest_opts o;
	char msg[512];
	unsigned int i;
	int rc = 0;

	for (i = 0; i < given->nr; i++)
		if (guest_parse(&o, given->guest[i], msg, sizeof(msg)))
			add_guest(gs, &o);
	if (given->mount)
		rc = add_mounted(gs, given->mount);
	if (rc || !(given->vmlinux || given->kallsyms || given->modules))
		return rc;
	o = (struct guest_opts){ .any = true, .pid = -1 };
	o.file[GUEST_VMLINUX] = copy_of(given->vmlinux);
	o.file[GUEST_KALLSYMS] = copy_of(given->kallsyms);
	o.file[GUEST_MODULES] = copy_of(given->modules);
	add_guest(gs, &o);
	return 0;
}

int guests_open(struct guest_set *gs, const struct guests_given *given,
		const struct guest_host *host, const struct guest_set *like)
{
	size_t i;
	int rc = add_all(gs, given);

	if (!rc && like && like->nr != gs->nr)
		rc = ERR_REPORTED;
	for (i = 0; i < gs->nr && !rc; i++)
		rc = open_guest(gs->v[i], host, like ? like->v[i] : NULL);
	return rc;
}

void guests_free_spaces(struct guest_set *gs)
{
	size_t i;

	for (i = 0; i < gs->nr; i++)
		spaces_release(&gs->v[i]->threads);
}

static void free_guest(struct guest *g)
{
	threads_free(&g->threads);
	side_events_free(&g->side);
	dso_table_free(&g->dsos);
	kernel_free(&g->kernel);
	perfdata_close(g->pd);
	guest_opts_free(&g->o);
	free(g->osrelease);
	free(g->kernel_name);
	free(g->name);
	free(g);
}

void guests_free(struct guest_set *gs)
{
	size_t i;

	for (i = 0; i < gs->nr; i++)
		free_guest(gs->v[i]);
	free(gs->v);
	memset(gs, 0, sizeof(*gs));
}

/* True if the guest is given for this VMID or host's process or thread. */
static bool is_meant(const struct guest *g, bool has_vmid, uint32_t vmid, int pid, int tid)
{
	if (g->o.any)
		return false;
	if (g->o.pid >= 0 && pid == g->o.pid)
		return true;
	if (has_vmid)
		return g->o.id == vmid;
	return (pid >= 0 && g->o.id == (uint32_t)pid) || (tid >= 0 && g->o.id == (uint32_t)tid);
}

struct guest *guests_find(const struct guest_set *gs, bool has_vmid, uint32_t vmid, int pid,
			  int tid)
{
	size_t i;

	for (i = 0; i < gs->nr; i++)
		if (is_meant(gs->v[i], has_vmid, vmid, pid, tid))
			return gs->v[i];
	return gs->nr && gs->v[gs->nr - 1]->o.any ? gs->v[gs->nr - 1] : NULL;
}

bool guest_is_given(const struct guest *g, bool kernel)
{
	return g && (kernel ? g->threads.known.kernel.mapped : g->pd != NULL);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Adds an offset, within the range of times that are known. */
static uint64_t shifted(uint64_t time, int64_t by)
{
	if (by < 0)
		return time > -(uint64_t)by ? time - -(uint64_t)by : 0;
	return time < NO_TIME - 1 - (uint64_t)by ? time + (uint64_t)by : NO_TIME - 1;
}

uint64_t guest_limit(const struct guest *g, uint64_t time)
{
	if (!g->threads.have_time || time == NO_TIME)
		return threads_limit(&g->threads, NO_TIME, UINT64_MAX);
	return threads_limit(&g->threads, shifted(time, g->offset), 0);
}

uint64_t guest_to_host(const struct guest *g, uint64_t time)
{
	return shifted(time, -g->offset);
}

uint64_t guest_time(const struct guest *g, uint64_t limit)
{
	uint64_t time = g->threads.have_time ? threads_time(&g->threads, limit) : 0;

	return time ? guest_to_host(g, time) : 0;
}
