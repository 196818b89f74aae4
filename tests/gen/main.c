/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - cst-gen: traces with known contents, from flows of real programs or from seeds. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "gen_case.h"
#include "learn.h"
#include "merge.h"
#include "opcodes.h"
#include "scenario.h"
#include "snapshot_w.h"

#define MAX_MEM 256

static int fail(const char *what)
{
	fprintf(stderr, "cst-gen: %s: %s\n", what, strerror(errno));
	return 1;
}

static int write_file(const char *path, const void *p, size_t n)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "wb") : stdout;

	if (!f)
		return fail(path);
	if (n && fwrite(p, 1, n, f) != n)
		return fail(path);
	if (f == stdout ? fflush(f) : fclose(f))
		return fail(path);
	return 0;
}

/* what a snapshot needs beside the trace */
struct memory {
	struct snapshot_mem mem[MAX_MEM];
	int n;
	uint32_t pid;
};

static int write_snapshot(const struct cli *c, const struct session *s, const struct memory *m)
{
	struct snapshot_buffer bufs[64];
	struct snapshot_source src[64];
	int i, j, cpu, n = session_buffers(s), used = 0;

	if (n > 64)
		n = 64;
	for (i = 0; i < n; i++) {
		const struct gbuf *b = session_buffer(s, i, &cpu);

		bufs[i] = (struct snapshot_buffer){ !c->s.raw, b->p, b->len, src + used, 0 };
		/* a sink shared by the CPUs, or a thread that may have run on any: all of them */
		for (j = 0; j < c->s.ncpus && used < 64; j++) {
			if (c->s.buffers == SESSION_PER_CPU && j != cpu)
				continue;
			src[used++] = (struct snapshot_source){ j, "ARM-AA64", session_regs(s, j) };
			bufs[i].nsources++;
		}
	}
	return snapshot_write(c->snapshot, bufs, n, m->mem, m->n) ? fail(c->snapshot) : 0;
}

static int write_results(const struct cli *c, struct session *s, const struct memory *m)
{
	struct gbuf file = { 0 };
	int rc = 0;

	if (c->perf) {
		session_file(s, &file);
		rc = write_file(c->perf, file.p, file.len);
		gbuf_free(&file);
	}
	if (!rc && c->snapshot)
		rc = write_snapshot(c, s, m);
	return rc;
}

static int read_images(const char *path, uint32_t first, struct session_image **list, int *n)
{
	char line[8192], *file, *rec, *end;
	FILE *f = fopen(path, "r");

	if (!f)
		return fail(path);
	while (fgets(line, sizeof(line), f)) {
		struct session_image im;

		im.num = first + (uint32_t)strtoul(line, &end, 10);
		line[strcspn(line, "\n")] = 0;
		file = *end == '\t' ? end + 1 : NULL;
		rec = file ? strchr(file, '\t') : NULL;
		if (!rec) {
			fprintf(stderr, "cst-gen: %s: not NUMBER<tab>FILE<tab>PATH: %s\n", path,
				line);
			fclose(f);
			return 1;
		}
		*rec++ = 0;
		im.file = strdup(file);
		im.path = strdup(rec);
		*list = gen_realloc(*list, (size_t)(*n + 1) * sizeof(**list));
		(*list)[(*n)++] = im;
	}
	fclose(f);
	return 0;
}

static int all_images(const struct cli *c, struct session_image **list, int *n)
{
	char path[4096];
	int i;

	for (i = 0; i < c->nflows; i++) {
		snprintf(path, sizeof(path), "%s.images", c->flows[i]);
		if (read_images(c->images ? c->images : path, (uint32_t)i * MERGE_IMAGES, list, n))
			return 1;
	}
	return 0;
}

static void add_memory(struct memory *m, const struct flow_rec *r, const struct session_image *im,
		       int n)
{
	int i;

	if (!m->pid)
		m->pid = r->tid;
	if (r->tid != m->pid || m->n == MAX_MEM)
		return;
	for (i = 0; i < n; i++)
		if (im[i].num == r->num)
			m->mem[m->n++] = (struct snapshot_mem){ r->pc, r->aux,     r->next,
								NULL,  im[i].file, NULL };
}

static void map(struct memory *m, struct opcodes *code, const struct flow_rec *r, const struct session_image *im, int n)
{
	add_memory(m, r, im, n);
	opcodes_map(code, r);
}

static int encode(struct cli *c)
{
	struct memory *mem = gen_realloc(NULL, sizeof(*mem));
	struct session_image *images = NULL;
	struct learn *learn = NULL;
	struct session *s = NULL;
	struct truth *truth = NULL;
	struct opcodes *code = NULL;
	struct tarmac_opts o = { .bytes = opcodes_bytes, .mprofile = c->s.tu.mprofile, .a32_kernel = c->s.tu.v7 != TU_V8 };
	struct merge *flow;
	struct flow_rec r;
	uint64_t total = 0;
	int nimages = 0, rc = 1, more = 0, i;

	memset(mem, 0, sizeof(*mem));
	flow = merge_open(c->flows, c->nflows, c->s.ncpus);
	if (!flow || all_images(c, &images, &nimages))
		goto out;
	if (c->s.tu.maxspec)
		learn = learn_new();
	truth = truth_new(c->truth);
	o.ctx = code = opcodes_new(images, nimages);
	c->s.tarmac = tarmac_new(c->tarmac, &o);
	s = session_new(&c->s, images, nimages, learn ? learn_insn : NULL, learn, truth);
	while ((more = merge_next(flow, &r)) > 0) {
		if (r.kind == FLOW_MAP)
			map(mem, code, &r, images, nimages);
		if (learn)
			learn_add(learn, &r);
		session_flow(s, &r);
		total += r.kind == FLOW_INSN;
	}
	if (more < 0)
		goto out;
	session_end(s);
	rc = write_results(c, s, mem);
	fprintf(stderr, "cst-gen: %" PRIu64 " instructions, %" PRIu64 " taken branches\n", total,
		truth_branches(truth));
out:
	if (truth && truth_close(truth) && !rc)
		rc = fail(c->truth);
	if (tarmac_close(c->s.tarmac) && !rc)
		rc = fail(c->tarmac);
	session_free(s);
	opcodes_free(code);
	learn_free(learn);
	merge_close(flow);
	for (i = 0; i < nimages; i++) {
		free(images[i].path);
		free(images[i].file);
	}
	free(images);
	free(mem);
	return rc;
}

static int print_case(const struct gen_case *k)
{
	char text[128];
	size_t i;

	for (i = 0; i < k->nevents; i++)
		printf("%" PRIu64 "\t%x\t%s\n", k->events[i].off, k->events[i].flags,
		       gen_event_text(&k->events[i], text, sizeof(text)));
	return 0;
}

/* one stream, as unit tests use it, in a snapshot */
static int case_snapshot(const struct cli *c, struct gen_case *k)
{
	struct snapshot_source src = { 0, k->prog.mprofile ? "Cortex-M33" : "ARM-AA64", &k->regs };
	struct snapshot_buffer buf = { !c->s.raw, c->s.raw ? k->trace : k->framed,
				       c->s.raw ? k->len : k->framed_len, &src, 1 };
	struct snapshot_mem mem[MAX_MEM];
	int n = 0;
	size_t i;

	for (i = 0; i < k->nregions && n < MAX_MEM; i++)
		if (k->regions[i].tid == PROG_ALL_THREADS || k->regions[i].tid == k->prog.first_tid)
			mem[n++] = (struct snapshot_mem){ k->regions[i].va, 0, k->regions[i].len,
							  k->regions[i].bytes, NULL, NULL };
	return snapshot_write(c->snapshot, &buf, 1, mem, n) ? fail(c->snapshot) : 0;
}

static void run_flow(void *ctx, const struct flow_rec *r)
{
	session_flow(ctx, r);
}

static struct tarmac_opts case_tarmac(struct gen_case *k)
{
	return (struct tarmac_opts){ .ctx = k, .bytes = gen_case_bytes, .mprofile = k->prog.mprofile,
				     .a32_kernel = k->prog.kernel_isa != FLOW_A64, .conditions = 1 };
}

static int case_perf(struct cli *c, struct gen_case *k)
{
	const char *prefix = c->prefix ? c->prefix : c->images;
	const struct prog_region *g;
	struct truth *truth = truth_new(c->truth);
	struct tarmac_opts o;
	struct prog *p;
	struct session *s;
	struct memory none = { .n = 0 };
	struct gbuf page = { 0 };
	char path[4096];
	size_t i, n;
	int rc = 0;

	k->prog.first_tid = 100;
	k->prog.tid_step = 100;
	p = prog_new(&k->prog);
	k->program = p;
	k->nregions = prog_regions(p, &k->regions);
	o = case_tarmac(k);
	c->s.tarmac = tarmac_new(c->tarmac, &o);
	s = session_new(&c->s, NULL, 0, prog_insn_at, p, truth);
	n = prog_regions(p, &g);
	if (mkdir(c->images, 0777) && errno != EEXIST)
		rc = fail(c->images);
	for (i = 0; i < n && !rc; i++) {
		int kernel = g[i].tid == PROG_ALL_THREADS;

		snprintf(path, sizeof(path), "%s/code%zu.bin", c->images, i);
		page.len = 0;
		gbuf_zero(&page, g[i].va & 0xfff);
		gbuf_put(&page, g[i].bytes, g[i].len);
		gbuf_zero(&page, 4096 - page.len % 4096);
		rc = write_file(path, page.p, page.len);
		snprintf(path, sizeof(path), "%s/code%zu.bin", prefix, i);
		session_map(s, kernel ? 100 : g[i].tid, 0, g[i].va & ~0xfffull, page.len, 0, path,
			    kernel);
	}
	prog_run(p, c->insns ? c->insns : k->insns, run_flow, s);
	gbuf_free(&page);
	session_end(s);
	if (!rc)
		rc = write_results(c, s, &none);
	if (truth_close(truth) && !rc)
		rc = fail(c->truth);
	if (tarmac_close(c->s.tarmac) && !rc)
		rc = fail(c->tarmac);
	session_free(s);
	prog_free(p);
	return rc;
}

static int random_case(struct cli *c, int argc, char **argv)
{
	struct tarmac_opts o;
	struct gen_case k;
	int rc = 0;

	if (c->s.tu.v7) {
		fprintf(stderr, "cst-gen: --v7 is an option of encode\n");
		return 129;
	}
	gen_case_opts(c->case_seed, c->exclude, &k);
	c->s.tu = k.tu;
	c->prog = k.prog;
	if (cli_reapply(c, argc, argv))
		return 1;
	k.tu = c->s.tu;
	k.prog = c->prog;
	if (c->insns)
		k.insns = c->insns;
	if (c->perf) {
		if (!c->images) {
			fprintf(stderr, "cst-gen: random --perf needs --images DIR for the code\n");
			return 1;
		}
		if (c->snapshot || c->print) {
			fprintf(stderr, "cst-gen: --perf goes without --snapshot and --print\n");
			return 1;
		}
		return case_perf(c, &k);
	}
	o = case_tarmac(&k);
	k.tarmac = tarmac_new(c->tarmac, &o);
	gen_case_build(&k);
	if (tarmac_close(k.tarmac))
		rc = fail(c->tarmac);
	if (!rc && c->snapshot)
		rc = case_snapshot(c, &k);
	if (!rc && c->truth) {
		struct truth *t = truth_new(c->truth);
		size_t i;

		for (i = 0; i < k.nevents; i++)
			truth_event(t, 0, &k.events[i]);
		truth_totals(t, 0, k.stats.insns, k.len);
		if (truth_close(t))
			rc = fail(c->truth);
	}
	if (!rc && c->print)
		rc = print_case(&k);
	gen_case_free(&k);
	return rc;
}

static int scenario(int argc, char **argv)
{
	const struct scenario_row *row;
	struct cli c;

	if (!argc) {
		scenario_list();
		return 0;
	}
	row = scenario_find(argv[0]);
	if (!row) {
		fprintf(stderr, "cst-gen: no scenario is called %s; cst-gen scenario lists them\n",
			argv[0]);
		return 129;
	}
	if (cli_parse(&c, argc - 1, argv + 1))
		return 129;
	if (!c.perf || !c.truth || !c.symfs) {
		fprintf(stderr, "cst-gen: scenario needs --perf, --truth and --symfs\n");
		return 129;
	}
	return scenario_make(row, c.case_seed, c.perf, c.truth, c.symfs, c.tarmac) ? fail(c.perf) : 0;
}

int main(int argc, char **argv)
{
	struct cli c;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		cli_help();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "scenario"))
		return scenario(argc - 2, argv + 2);
	if (argc < 2 || (strcmp(argv[1], "encode") && strcmp(argv[1], "random"))) {
		fprintf(stderr,
			"usage: cst-gen encode|random|scenario [options]; cst-gen --help lists them\n");
		return 129;
	}
	if (cli_parse(&c, argc - 2, argv + 2))
		return 129;
	if (!c.perf && !c.snapshot && !c.truth && !c.print && !c.tarmac) {
		fprintf(stderr,
			"cst-gen: nothing to write: --perf, --snapshot, --truth, --tarmac or --print\n");
		return 129;
	}
	if (c.s.tu.v7 && (c.snapshot || c.s.tu.maxspec)) {
		fprintf(stderr, "cst-gen: --v7 goes without --snapshot and --maxspec\n");
		return 129;
	}
	if (!strcmp(argv[1], "encode") && !c.nflows) {
		fprintf(stderr, "cst-gen: encode needs --flow FILE\n");
		return 129;
	}
	return !strcmp(argv[1], "encode") ? encode(&c) : random_case(&c, argc - 2, argv + 2);
}
