/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_case.h"

enum kind { FLAG, NUMBER, TEXT, FLOWS, HEADING };

struct option_row {
	const char *name;
	enum kind kind;
	uint16_t offset, size;
	const char *help;
};

#define CLI(name, kind, field, help) \
	{ name, kind, offsetof(struct cli, field), sizeof(((struct cli *)0)->field), help }
#define TU(name, kind, field, help) CLI(name, kind, s.tu.field, help)
#define PW(name, kind, field, help) CLI(name, kind, s.perf.field, help)
#define HEAD(text) { NULL, HEADING, 0, 0, text }

static const struct option_row rows[] = {
	HEAD("Input and output"),
	CLI("flow", FLOWS, flows, "encode: flow file (flow.h); several: processes sharing CPUs"),
	CLI("images", TEXT, images,
	    "encode: lines NUMBER<tab>FILE<tab>RECORDED-PATH (default: FLOW.images); "
	    "random: folder for code files"),
	CLI("prefix", TEXT, prefix, "random: recorded path of that folder (default: the folder)"),
	CLI("perf", TEXT, perf, "write a perf.data file"),
	CLI("snapshot", TEXT, snapshot, "write an Arm snapshot directory"),
	CLI("truth", TEXT, truth, "folder for ranges, branches and a summary of what was executed"),
	CLI("tarmac", TEXT, tarmac,
	    "what was executed as Tarmac text: a line for each instruction"),
	CLI("symfs", TEXT, symfs, "scenario: folder for the files of the machine"),
	CLI("print", FLAG, print, "random: print the expected events"),
	HEAD("random"),
	CLI("case", NUMBER, case_seed, "draw all options from this seed"),
	CLI("insns", NUMBER, insns, "instructions to execute"),
	CLI("exclude", TEXT, exclude_list,
	    "features not to use: spec,q,src,tx,overflow,aarch32,threads,e10,time,events,sync,"
	    "newest,mprofile,retstack,bb,forms,reset,ete,cut"),
	CLI("p-irq", NUMBER, prog.p_irq, "per mille: interrupts"),
	CLI("p-trap", NUMBER, prog.p_trap, "per mille: traps"),
	CLI("p-off", NUMBER, prog.p_off, "per mille: tracing stops"),
	CLI("p-switch", NUMBER, prog.p_switch, "per mille of kernel entries: thread switch"),
	CLI("threads", NUMBER, prog.threads, "threads with code of their own"),
	CLI("sections", NUMBER, prog.sections, "code sections of a thread"),
	CLI("user-isas", NUMBER, prog.user_isas, "mask: 1 A32, 2 T32, 4 A64"),
	CLI("kernel-traced", FLAG, prog.kernel_traced, "the kernel is traced"),
	HEAD("Recording"),
	CLI("buf", TEXT, buffers, "thread (default), cpu, or one sink for all CPUs"),
	CLI("raw", FLAG, s.raw, "no frames, as TRBE"),
	CLI("cpus", NUMBER, s.ncpus, "CPUs known to the recorder"),
	CLI("fragment", NUMBER, s.fragment, "bytes after which an AUX fragment ends"),
	CLI("chunk", NUMBER, s.chunk, "bytes after which an AUXTRACE record is written"),
	CLI("barriers", FLAG, s.barriers, "barrier packets where a fragment begins"),
	CLI("aux-flags", NUMBER, s.aux_flags, "AUX records also have these flags, e.g. 4 PARTIAL"),
	CLI("frame-repeat", NUMBER, s.p_frame_repeat, "per mille: ID named again in a frame"),
	CLI("frame-null", NUMBER, s.p_frame_null, "per mille: padding inside frames"),
	CLI("hw-id", TEXT, hw_id, "trace IDs: none (metadata), global, sink"),
	PW("meta", NUMBER, version, "metadata version 0, 1, 2"),
	PW("snapshot-mode", FLAG, snapshot, "AUX records with OVERWRITE"),
	PW("window", NUMBER, window,
	   "bytes of AUX windows in samples, in place of AUXTRACE records"),
	CLI("window-insns", NUMBER, s.window_insns,
	    "instructions between two such samples, at most"),
	PW("compress", NUMBER, compress, "1: COMPRESSED records, 2: COMPRESSED2"),
	PW("pipe", FLAG, pipe, "pipe form"),
	PW("no-index", FLAG, no_index, "no AUXTRACE feature"),
	PW("no-identifier", FLAG, no_identifier, "no sample identifier"),
	PW("attr-size", NUMBER, attr_size, "size of the event attributes"),
	PW("command-line", TEXT, cmdline, "of the recorder; a newline ends a word"),
	CLI("timeless", FLAG, timeless, "records without time and CPU (default with --buf=thread)"),
	CLI("timed", FLAG, timed, "records with time and CPU also with --buf=thread"),
	CLI("no-time-conv", FLAG, no_time_conv, "no TIME_CONV, unknown timestamp source"),
	HEAD("Trace unit"),
	TU("seed", NUMBER, seed, "of all choices of the unit"),
	CLI("v7", TEXT, v7, "encode: an etmv3 or ptm, as on Armv7, instead"),
	TU("ete", FLAG, ete, "ETE 1.MINOR instead of ETMv4.MINOR"),
	TU("minor", NUMBER, minor, "architecture minor version"),
	TU("id", NUMBER, trace_id, "trace ID of CPU 0; CPU n has ID + 2n"),
	TU("ia32", FLAG, ia32, "32-bit instruction addresses"),
	TU("mprofile", FLAG, mprofile, "M profile exceptions"),
	TU("vmid-bytes", NUMBER, vmid_bytes, "0, 1, 2, 4"),
	TU("commopt", NUMBER, commopt, "TRCIDR0.COMMOPT"),
	TU("commtrans", NUMBER, comm_trans, "TRCIDR0.COMMTRANS"),
	TU("wfxmode", FLAG, wfxmode, "WFI and WFE are P0 elements"),
	TU("ccsize", NUMBER, ccsize, "bits of the cycle counter, 12 to 20"),
	TU("qsupp", NUMBER, qsupp, "TRCIDR0.QSUPP"),
	TU("ts48", FLAG, ts48, "48-bit timestamps"),
	TU("tsmark", FLAG, tsmark, "timestamp markers"),
	TU("ite", FLAG, ite, "instrumentation"),
	TU("events", NUMBER, nevents, "number of events, 1 to 4"),
	TU("maxspec", NUMBER, maxspec, "TRCIDR8.MAXSPEC"),
	CLI("cid", TEXT, cid,
	    "what CONTEXTIDR holds: tid (default), asid, tid-asid (default of --v7)"),
	CLI("no-cid", FLAG, no_cid, "context ID not traced"),
	CLI("vmid", NUMBER, vmid_set, "trace this VMID"),
	TU("vmid-on", FLAG, vmid, "trace the VMID"),
	TU("vmid-pid", FLAG, vmid_is_tid, "the VMID is CONTEXTIDR_EL2, the thread"),
	CLI("no-ts", FLAG, no_ts, "no timestamps"),
	TU("ts", NUMBER, ts_every, "P0 elements between timestamps"),
	CLI("cc", NUMBER, cc, "cycle counting with this threshold"),
	CLI("no-retstack", FLAG, no_rs, "return stack off"),
	TU("bb", FLAG, bb, "branch broadcasting"),
	TU("sync", NUMBER, sync_every, "bytes between synchronisations"),
	TU("ticks", NUMBER, ticks_per_insn, "ticks per instruction when the flow has no time"),
	TU("cut", NUMBER, cut_sync, "random --snapshot: begin at the n-th synchronisation"),
	HEAD("Choices of the trace unit, per mille"),
	TU("p-atom", NUMBER, p_atom, "atom packets shorter than possible"),
	TU("p-addr-form", NUMBER, p_addr_form, "address packets longer than needed"),
	TU("p-addr-more", NUMBER, p_addr_more, "addresses not needed"),
	TU("p-ctx-more", NUMBER, p_ctx_more, "contexts not needed"),
	TU("p-bb", NUMBER, p_bb, "direct branches inside a broadcast range"),
	TU("p-cc", NUMBER, p_cc, "cycle counts"),
	TU("p-event", NUMBER, p_event, "events"),
	TU("p-ignore", NUMBER, p_ignore, "ignore packets"),
	TU("p-marker", NUMBER, p_marker, "timestamp markers"),
	TU("p-ite", NUMBER, p_ite, "instrumentation packets"),
	TU("p-e10", NUMBER, p_e10, "exceptions at a branch target as E1:E0 = 10"),
	TU("p-q", NUMBER, p_q, "Q elements"),
	TU("p-src", NUMBER, p_src, "Source Address elements"),
	TU("p-commit", NUMBER, p_commit, "commits"),
	TU("p-mispredict", NUMBER, p_mispredict, "mispredicted conditional branches"),
	TU("p-phantom", NUMBER, p_phantom, "speculation that is cancelled"),
	TU("p-ovf", NUMBER, p_ovf, "overflows"),
	TU("p-disc", NUMBER, p_disc, "Discard when tracing stops"),
	TU("p-soft", NUMBER, p_soft, "late context and address after Trace Info"),
	TU("p-off-commit", NUMBER, p_off_commit, "commit when tracing stops"),
	TU("p-ts-zero", NUMBER, p_ts_zero, "timestamps of unknown time"),
	TU("p-no-rs", NUMBER, p_no_rs, "addresses that the return stack has"),
};

#define NROWS (sizeof(rows) / sizeof(rows[0]))

static const char *const features[] = {
	"spec", "q", "src", "tx", "overflow", "aarch32", "threads", "e10", "time", "events", "sync",
	"newest", "mprofile", "retstack", "bb", "forms", "reset", "ete", "cut",
};

void cli_help(void)
{
	static const char *const value[] = { [FLAG] = "", [NUMBER] = "=N", [TEXT] = "=X",
					   [FLOWS] = "=X" };
	size_t i;

	puts("cst-gen: traces with known contents\n\n"
	     "  cst-gen encode --flow FILE [options] (--perf OUT | --snapshot DIR) [--truth DIR]\n"
	     "  cst-gen random --case N [options] (--perf OUT --images DIR | --snapshot DIR | --print)\n"
	     "                 [--truth DIR] [--tarmac FILE]\n"
	     "  cst-gen scenario [NAME --case N --perf OUT --truth DIR --symfs DIR]");
	for (i = 0; i < NROWS; i++) {
		if (rows[i].kind == HEADING)
			printf("\n%s\n", rows[i].help);
		else
			printf("  --%s%-*s %s\n", rows[i].name, 16 - (int)strlen(rows[i].name),
			       value[rows[i].kind], rows[i].help);
	}
}

static void store(struct cli *c, const struct option_row *r, uint64_t v)
{
	uint8_t *p = (uint8_t *)c + r->offset;
	uint8_t v8 = (uint8_t)v;
	uint16_t v16 = (uint16_t)v;
	uint32_t v32 = (uint32_t)v;

	if (r->size == 1)
		memcpy(p, &v8, 1);
	else if (r->size == 2)
		memcpy(p, &v16, 2);
	else if (r->size == 4)
		memcpy(p, &v32, 4);
	else
		memcpy(p, &v, 8);
}

static int one_option(struct cli *c, const char *arg, const char *next)
{
	const char *eq = strchr(arg, '='), *val;
	size_t n = eq ? (size_t)(eq - arg) : strlen(arg), i;
	char *end;

	for (i = 0; i < NROWS; i++)
		if (rows[i].name && strlen(rows[i].name) == n && !strncmp(rows[i].name, arg, n))
			break;
	if (i == NROWS) {
		fprintf(stderr, "cst-gen: unknown option --%s (see --help)\n", arg);
		return -1;
	}
	if (rows[i].kind == FLAG && !eq) {
		store(c, &rows[i], 1);
		return 0;
	}
	val = eq ? eq + 1 : next;
	if (!val) {
		fprintf(stderr, "cst-gen: --%s needs a value\n", rows[i].name);
		return -1;
	}
	if (rows[i].kind == FLOWS) {
		if (c->nflows == (int)(sizeof(c->flows) / sizeof(c->flows[0]))) {
			fprintf(stderr, "cst-gen: too many flow files\n");
			return -1;
		}
		c->flows[c->nflows++] = val;
		return eq ? 0 : 1;
	}
	if (rows[i].kind == TEXT) {
		memcpy((uint8_t *)c + rows[i].offset, &val, sizeof(val));
		return eq ? 0 : 1;
	}
	errno = 0;
	store(c, &rows[i], strtoull(val, &end, 0));
	if (*end || end == val || errno) {
		fprintf(stderr, "cst-gen: --%s=%s is not a number\n", rows[i].name, val);
		return -1;
	}
	return eq ? 0 : 1;
}

static int feature_list(const char *s, uint32_t *mask)
{
	size_t n, i;

	*mask = 0;
	for (; s && *s; s += n + (s[n] == ',')) {
		n = strcspn(s, ",");
		for (i = 0; i < sizeof(features) / sizeof(features[0]); i++)
			if (strlen(features[i]) == n && !strncmp(features[i], s, n))
				break;
		if (i == sizeof(features) / sizeof(features[0])) {
			fprintf(stderr, "cst-gen: unknown feature in --exclude: %.*s\n", (int)n, s);
			return -1;
		}
		*mask |= 1u << i;
	}
	return 0;
}

static int which(const char *value, const char *option, const char *const *names, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(value, names[i]))
			return i;
	fprintf(stderr, "cst-gen: --%s=%s: not one of", option, value);
	for (i = 0; i < n; i++)
		fprintf(stderr, " %s", names[i]);
	fputc('\n', stderr);
	return -1;
}

static uint32_t only_tid(void *ctx, uint32_t tid)
{
	(void)ctx;
	return tid;
}

static uint32_t only_asid(void *ctx, uint32_t tid)
{
	(void)ctx;
	return 1 + tid / 100;
}

static uint32_t tid_asid(void *ctx, uint32_t tid)
{
	return tid << 8 | only_asid(ctx, tid);
}

static int combine(struct cli *c)
{
	static const char *const cids[] = { "tid", "asid", "tid-asid" };
	static uint32_t (*const contextidr[])(void *ctx, uint32_t tid) = { only_tid, only_asid, tid_asid };
	static const char *const bufs[] = { "thread", "cpu", "one" };
	static const char *const ids[] = { "none", "global", "sink" };
	static const char *const v7[] = { [TU_V8] = "none", [TU_ETMV3] = "etmv3", [TU_PTM] = "ptm" };
	struct tu_opts *t = &c->s.tu;
	int i;

	if (c->buffers) {
		i = which(c->buffers, "buf", bufs, 3);
		if (i < 0)
			return -1;
		c->s.buffers = (enum session_buffers)i;
	}
	if (c->hw_id) {
		i = which(c->hw_id, "hw-id", ids, 3);
		if (i < 0)
			return -1;
		c->s.hw_id = (uint8_t)i;
		if (i)
			c->s.perf.version = 2;
	}
	if (c->v7) {
		i = which(c->v7, "v7", v7, 3);
		if (i < 0)
			return -1;
		t->v7 = (uint8_t)i;
	}
	i = c->cid ? which(c->cid, "cid", cids, 3) : t->v7 ? 2 : 0;
	if (i < 0)
		return -1;
	t->contextidr = contextidr[i];
	c->s.perf.per_cpu = c->s.buffers != SESSION_PER_THREAD;
	c->s.perf.with_time = !c->timeless && (c->s.perf.per_cpu || c->timed);
	/* the kernel for Armv7 tells nothing of its counter */
	c->s.perf.time_conv = !c->no_time_conv && !t->v7;
	if (c->no_ts)
		t->ts = 0;
	if (c->no_cid)
		t->cid = 0;
	if (c->no_rs)
		t->retstack = 0;
	if (c->cc) {
		t->cci = 1;
		t->cc_threshold = c->cc;
	}
	if (c->vmid_set) {
		t->vmid = 1;
		t->vmid_value = c->vmid_set;
	}
	if (t->vmid_is_tid)
		t->vmid = t->vmidopt = 1;
	if (t->p_q && !t->qsupp)
		t->qsupp = 1;
	if (c->s.ncpus < 1 || c->s.ncpus > 46 || t->trace_id + 2 * (c->s.ncpus - 1) > 0x6f) {
		fprintf(stderr, "cst-gen: --cpus and --id leave no valid trace IDs\n");
		return -1;
	}
	return feature_list(c->exclude_list, &c->exclude);
}

static int all_options(struct cli *c, int argc, char **argv)
{
	int i, used;

	for (i = 0; i < argc; i++) {
		if (strncmp(argv[i], "--", 2)) {
			fprintf(stderr, "cst-gen: unexpected argument %s\n", argv[i]);
			return -1;
		}
		used = one_option(c, argv[i] + 2, i + 1 < argc ? argv[i + 1] : NULL);
		if (used < 0)
			return -1;
		i += used;
	}
	return combine(c);
}

int cli_parse(struct cli *c, int argc, char **argv)
{
	memset(c, 0, sizeof(*c));
	tu_opts_init(&c->s.tu);
	c->s.tu.seed = 1;
	c->s.ncpus = 1;
	c->s.perf.version = 1;
	return all_options(c, argc, argv);
}

int cli_reapply(struct cli *c, int argc, char **argv)
{
	return all_options(c, argc, argv);
}
