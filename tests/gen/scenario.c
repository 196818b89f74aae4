/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "parts.h"

static const struct scenario_row *const tables[] = { scenario_user,   scenario_maps,
						     scenario_kernel, scenario_who,
						     scenario_phone,  scenario_buffers,
						     scenario_guest,  scenario_container,
						     scenario_windows };

#define NTABLES (sizeof(tables) / sizeof(tables[0]))

const struct scenario_row *scenario_find(const char *name)
{
	const struct scenario_row *r;
	size_t i;

	for (i = 0; i < NTABLES; i++)
		for (r = tables[i]; r->name; r++)
			if (!strcmp(r->name, name))
				return r;
	return NULL;
}

void scenario_list(void)
{
	const struct scenario_row *r;
	size_t i;

	for (i = 0; i < NTABLES; i++)
		for (r = tables[i]; r->name; r++)
			printf("%-20s %s\n", r->name, r->what);
}

void expect(struct scenario *s, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	gbuf_put(&s->expect, line, strlen(line));
	gbuf_u8(&s->expect, '\n');
}

void unknown_code(struct scenario *s, const struct wthread *t, uint64_t va, uint64_t end)
{
	char line[128];

	snprintf(line, sizeof(line), "%u %" PRIx64 " %" PRIx64 "\n", t->tid, va, end);
	gbuf_put(&s->unknown, line, strlen(line));
}

const struct code *image(struct scenario *s, const char *path)
{
	const struct code *c = world_code(s->w, IMAGE_INSNS, 0);

	world_image(s->w, path, c);
	return c;
}

struct wthread *start_process(struct scenario *s, int cpu, uint32_t pid, const char *comm)
{
	struct world *w = s->w;
	struct wthread *t = world_thread(w, world_proc(w, pid), pid, comm);
	char path[64];

	t->p->asid = pid & 0xff;
	snprintf(path, sizeof(path), "/opt/%s", comm);
	world_comm(w, cpu, t, comm, 1);
	world_map(w, cpu, t->p, PROGRAM, image(s, path), 0, IMAGE_INSNS, path);
	return t;
}

void run_some(struct scenario *s, int cpu, struct wthread *t)
{
	world_run(s->w, cpu, t, rng_range(&s->w->rng, 100, 600));
}

void take_turns(struct scenario *s, struct wthread *a, struct wthread *b)
{
	uint32_t i;

	for (i = rng_range(&s->w->rng, 2, 5); i--;) {
		run_some(s, 0, a);
		run_some(s, 0, b);
	}
}

/* what a seed chooses: the trace unit, the recorder, the clocks */
static void draw_options(struct world_opts *o, uint64_t seed)
{
	struct tu_opts *t = &o->s.tu;
	struct rng r;

	memset(o, 0, sizeof(*o));
	rng_seed(&r, seed + 5000);
	tu_opts_init(t);
	o->seed = t->seed = seed;
	o->kernel_el = 1;
	o->p_irq = (uint16_t)(rng_below(&r, 2) ? 5 : 0);
	o->s.ncpus = 2;
	o->s.buffers = SESSION_PER_CPU;
	o->s.raw = seed >> 1 & 1;
	o->s.barriers = !o->s.raw && rng_below(&r, 2);
	o->s.fragment = rng_below(&r, 2) ? 300 : 0;
	o->s.chunk = rng_below(&r, 2) ? 1000 : 0;
	o->s.hw_id = (uint8_t)rng_below(&r, 3);
	o->s.perf.version = o->s.hw_id ? 2 : 1;
	o->s.perf.per_cpu = 1;
	o->s.perf.with_time = 1;
	o->s.perf.time_conv = 1;
	o->s.perf.rings = 1;
	o->s.perf.kernel_events = 1;
	o->s.perf.compress = (uint8_t)(rng_below(&r, 5) ? 0 : 1 + rng_below(&r, 2)) * HAS_ZSTD;
	o->s.perf.compress_block = 1000;
	o->s.perf.cmdline = "perf record -a -e cs_etm//";
	t->ete = seed & 1;
	t->minor = (uint8_t)(t->ete ? 1 : 2 + rng_below(&r, 3));
	t->ts_every = rng_range(&r, 1, 40);
	t->ts_context = 1;
	t->sync_every = rng_below(&r, 2) ? 200 : 0;
	t->p_atom = (uint16_t)rng_below(&r, 300);
	t->p_addr_form = (uint16_t)rng_below(&r, 300);
	t->p_ctx_more = (uint16_t)rng_below(&r, 100);
	t->p_e10 = (uint16_t)(rng_below(&r, 2) ? 500 : 0);
	t->p_no_rs = (uint16_t)rng_below(&r, 300);
	t->retstack = (uint8_t)rng_below(&r, 4) != 0;
	if (rng_below(&r, 2)) {
		t->cci = 1;
		t->cc_threshold = rng_range(&r, 4, 64);
	}
	if (rng_below(&r, 3) == 0) {
		t->maxspec = rng_range(&r, 1, 20);
		t->p_mispredict = 100;
		t->p_phantom = 30;
		t->commopt = (uint8_t)rng_below(&r, 2);
	}
	if (t->ete)
		t->p_src = (uint16_t)(rng_below(&r, 3) ? 0 : 100);
	/* no clock in the trace: the AUX records say in what order things happened */
	if (seed % 8 == 7) {
		t->ts = 0;
		o->cut_often = 1;
	}
}

static int write_text(const char *dir, const char *name, const struct gbuf *text)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f)
		return -1;
	if (text->len && fwrite(text->p, 1, text->len, f) != text->len)
		errno = EIO;
	else if (!fclose(f))
		return 0;
	return -1;
}

static int write_expectations(const struct scenario *s, const char *dir)
{
	struct gbuf threads = { 0 };
	char line[64];
	size_t i;
	int rc;

	for (i = 0; i < s->w->nthreads; i++) {
		snprintf(line, sizeof(line), "%u %u\n", s->w->threads[i]->tid,
			 s->w->threads[i]->p->pid);
		gbuf_put(&threads, line, strlen(line));
	}
	rc = write_text(dir, "threads", &threads) || write_text(dir, "unknown", &s->unknown) ||
	     write_text(dir, "expect", &s->expect);
	gbuf_free(&threads);
	return rc ? -1 : 0;
}

static int write_perf(const struct scenario *s, const char *name)
{
	struct gbuf file = { 0 };
	char path[4096];
	FILE *f;
	int rc = -1;

	snprintf(path, sizeof(path), "%s%s", name, s->directory ? "/data" : "");
	world_finish(s->w, &file);
	f = fopen(path, "wb");
	if (f && fwrite(file.p, 1, file.len, f) == file.len)
		rc = 0;
	if (f && fclose(f))
		rc = -1;
	gbuf_free(&file);
	return rc;
}

int scenario_make(const struct scenario_row *row, uint64_t seed, const char *perf,
		  const char *truth_dir, const char *symfs, const char *tarmac)
{
	struct scenario s = { .seed = seed, .perf = perf };
	struct truth *truth = truth_new(truth_dir);
	struct world_opts o;
	int rc;

	draw_options(&o, seed);
	o.symfs = symfs;
	o.tarmac = tarmac;
	if (row->setup)
		row->setup(&o);
	s.w = world_new(&o, truth);
	row->run(&s);
	rc = write_perf(&s, perf);
	if (truth_close(truth))
		rc = -1;
	if (tarmac_close(s.w->o.s.tarmac))
		rc = -1;
	if (!rc)
		rc = write_expectations(&s, truth_dir);
	if (!rc && s.w->error) {
		errno = s.w->error;
		rc = -1;
	}
	world_free(s.w);
	gbuf_free(&s.expect);
	gbuf_free(&s.unknown);
	return rc;
}
