/* SPDX-License-Identifier: GPL-2.0-only */
/* script.c - perf-cstrace script: samples as text, as perf script prints them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "outputs/cmd/commands.h"
#include "outputs/cmd/counted.h"
#include "outputs/cmd/options.h"
#include "outputs/listing/listing.h"
#include "outputs/timeline/timeline.h"
#include "session/import/bare.h"

static const char more[] =
	"Fields: comm pid tid cpu time period event flags ip sym symoff dso addr brstack brstacksym\n"
	"brstackinsn brstackdisasm insn insnlen disasm srcline callindent ipc machine_pid\n"
	"synth; +FIELD and -FIELD change the default list. --itrace as in 'inject'; the default\n"
	"is ce.\n";

/* --function-graph, and what to show of it. */
struct graph {
	bool is;
	const char *functions, *opts;
};

struct views {
	const char *insns;	/* NULL: not asked for */
	const char *xed;	/* perf's word for text instead of bytes; NULL: not given */
	bool calls, call_returns;
};

static int script_run(struct session *ss, const struct listing_opts *o)
{
	struct listing *l = listing_open(ss, o);
	int rc;

	if (!l)
		return CMD_ERROR;
	rc = listing_run(l);
	if (rc >= 0)
		session_print_end(ss, stderr);
	listing_close(l);
	if (rc < 0)
		return CMD_ERROR;
	return cmd_decoded(ss, rc);
}

/* Sets *view to the one asked for, NULL: none. Returns CMD_GO_ON or an exit code. */
static int choose_view(const struct cmd_desc *cmd, const struct views *v, const char *itrace,
		       const struct listing_view **view)
{
	const char *how = v->xed && v->insns && !*v->insns ? "disasm" : v->insns;

	*view = NULL;
	if (!!v->insns + v->calls + v->call_returns > 1)
		return cmd_usage_error(cmd, "--insn-trace, --call-trace and --call-ret-trace: choose one of them");
	if (v->insns)
		*view = listing_view("insn-trace", how);
	if (v->insns && !*view)
		return cmd_usage_error(cmd, "--insn-trace=%s: instructions are printed as raw (bytes) or disasm (text)",
				       v->insns);
	if (v->calls)
		*view = listing_view("call-trace", NULL);
	if (v->call_returns)
		*view = listing_view("call-ret-trace", NULL);
	if (*view && itrace)
		return cmd_usage_error(cmd, "--itrace and --%s: the view has letters of its own, %s", (*view)->name,
				       (*view)->itrace);
	return CMD_GO_ON;
}

/* Call chains of at most `most` entries. */
static void limit_chain(const struct cmd_desc *cmd, struct itrace_opts *o, uint64_t most)
{
	if (!o->chain)
		cmd_no_effect(cmd, "max-stack hide-call-graph",
			      "without g in --itrace there are no call chains");
	if (o->chain > most)
		o->chain = (unsigned int)most;
}

/* Refuses fields that the samples do not have. Returns CMD_GO_ON or an exit code. */
static int check_fields(const struct cmd_desc *cmd, const struct itrace_opts *o, unsigned int fields, const char *itrace)
{
	if (!o->instructions && (o->stack || o->chain))
		return cmd_usage_error(cmd, "--itrace=%s: l and g add to instructions samples: use them with i", itrace);
	if (!o->instructions && !o->branches && !o->errors && !itrace_events(o) &&
	    (o->add_stack || o->add_chain))
		return cmd_usage_error(cmd, "--itrace=%s: L and G add to samples that perf "
				       "recorded, which are not printed here: use 'perf-cstrace "
				       "inject --itrace=%s -o FILE' and 'perf script -i FILE'",
				       itrace, itrace);
	if (o->add_stack || o->add_chain)
		fprintf(stderr, "cstrace script: warning: L and G in --itrace have no effect: "
			"'perf-cstrace inject' adds to samples that perf recorded\n");
	if (!o->instructions && !o->branches && !o->errors && !itrace_events(o))
		return cmd_usage_error(cmd, "--itrace=%s: nothing to print is asked for: use i, b, "
				       "c, r, x, w, I or e", itrace);
	if (o->stack && !(fields & LISTING_STACK))
		fprintf(stderr, "cstrace script: warning: l in --itrace has no effect: -F +brstack prints branch stacks\n");
	if (fields & LISTING_STACK && !(o->instructions && o->stack))
		return cmd_usage_error(cmd, "-F brstack: there are branch stacks only with --itrace=i..l");
	if (fields & LIST_CALLINDENT && !o->branches)
		return cmd_usage_error(cmd, "-F callindent: there are calls only with --itrace=b, c or r");
	return CMD_GO_ON;
}

/* Parses --graph-opts: depth=N and thresh=US with a comma between them. */
static bool parse_graph_opts(struct timeline_opts *o, const char *text)
{
	char room[64];
	uint64_t n;
	size_t len;

	for (; *text; text += len + (text[len] == ',')) {
		len = strcspn(text, ",");
		snprintf(room, sizeof(room), "%.*s", (int)(len < 63 ? len : 63), text);
		if (!strncmp(room, "depth=", 6) && cmd_number(room + 6, &n) && n && n < UINT32_MAX)
			o->graph_depth = (uint32_t)n;
		else if (!strncmp(room, "thresh=", 7) && cmd_number(room + 7, &n) &&
			 n < UINT64_MAX / 1000)
			o->min = n;
		else
			return false;
	}
	return true;
}

/* Prints the graph of functions, in which no samples are. Returns an exit code. */
static int graph_run(const struct cmd_desc *cmd, const struct graph *g, struct session_opts *so,
		     const char *output)
{
	struct timeline_opts o = { .format = &timeline_graph,
				   .output = output,
				   .who = "cstrace script",
				   .functions = g->functions };
	struct session *ss;
	int rc;

	if (g->opts && !parse_graph_opts(&o, g->opts))
		return cmd_usage_error(cmd, "--graph-opts=%s: depth=N (levels) and thresh=US "
				       "(microseconds) are known, with a comma between them",
				       g->opts);
	cmd_no_effect(cmd, "jobs", "--function-graph is made in one thread");
	so->split_source = true;
	ss = session_open(so);
	if (!ss)
		return CMD_ERROR;
	/* without timestamps both are instructions */
	o.min *= session_timestamps(ss) ? 1000 : 1;
	rc = cmd_timeline_write(ss, &o);
	session_close(ss);
	return rc;
}

int cmd_script(int argc, const char **argv)
{
	struct bare_opts bare = { .nr_words = 0 };
	struct session_opts so = { .input = NULL };
	struct listing_opts lo = { .fields = LISTING_DEFAULT, .output = "-" };
	const struct listing_view *view;
	struct views views = { .insns = NULL };
	struct graph graph = { .is = false };
	const char *itrace = NULL, *list = NULL, *lacks, *cure;
	bool ns = false, no_chain = false, plain = false;
	uint64_t max_stack = ITRACE_MAX_DEPTH;
	char msg[400];
	const struct cmd_opt opts[] = {
		{ 0, "itrace", CMD_OPT_OPTIONAL, &itrace, "LETTERS",
		  "which samples to make of the trace (default: ce)", NULL },
		{ 'F', "fields", CMD_OPT_STRING, &list, "LIST", "what to print of each, see below",
		  NULL },
		{ 0, "insn-trace", CMD_OPT_OPTIONAL, &views.insns, "HOW",
		  "each instruction that was executed: raw (bytes, the default) or disasm (text)", NULL },
		{ 0, "call-trace", CMD_OPT_FLAG, &views.calls, NULL, "calls, indented by their depth", NULL },
		{ 0, "call-ret-trace", CMD_OPT_FLAG, &views.call_returns, NULL, "calls and returns, indented", NULL },
		{ 0, "xed", CMD_OPT_OPTIONAL, &views.xed, "ARGS",
		  "text of instructions, as with -F +disasm; ARGS of xed are not used", NULL },
		{ 'G', "hide-call-graph", CMD_OPT_FLAG, &no_chain, NULL,
		  "no call chains: g of --itrace is left out", NULL },
		{ 0, "max-stack", CMD_OPT_NUMBER, &max_stack, "N",
		  "at most N entries of call chains", NULL },
		{ 0, "no-demangle", CMD_OPT_FLAG, &plain, NULL,
		  "names as in the symbol table (as they are in any case)", NULL },
		{ 0, "function-graph", CMD_OPT_FLAG, &graph.is, NULL,
		  "calls with their durations, as ftrace's function_graph tracer prints them",
		  NULL },
		{ 0, "graph-funcs", CMD_OPT_STRING, &graph.functions, "FUNCS",
		  "only these functions (patterns, with commas) and what they call", NULL },
		{ 0, "graph-opts", CMD_OPT_STRING, &graph.opts, "OPTS",
		  "depth=N levels, thresh=US: no shorter calls", NULL },
		{ 0, "ns", CMD_OPT_FLAG, &ns, NULL, "times in nanoseconds (default: microseconds)", NULL },
		{ 'o', "output", CMD_OPT_STRING, &lo.output, "FILE", "write to FILE instead of stdout",
		  NULL },
		CMD_TRACE_OPTS(so, bare),
		CMD_OPT_END,
	};
	const struct cmd_desc cmd = { "script", "print samples as perf script does", NULL, opts, more };
	struct session *ss;
	int rc = cmd_input(&cmd, &argc, argv, &bare, &so);

	if (rc != CMD_GO_ON)
		return rc;
	/* lines of text on a terminal show themselves how far it is */
	so.progress = strcmp(lo.output, "-") || !isatty(STDOUT_FILENO);
	if (graph.is && (views.insns || views.calls || views.call_returns || itrace || list || ns))
		return cmd_usage_error(&cmd, "--function-graph prints no samples: --itrace, "
				       "--fields, --ns, --insn-trace, --call-trace and "
				       "--call-ret-trace are of another form");
	if (graph.is)
		return graph_run(&cmd, &graph, &so, lo.output);
	cmd_no_effect(&cmd, "graph-funcs graph-opts", "there is no --function-graph");
	rc = choose_view(&cmd, &views, itrace, &view);
	if (rc != CMD_GO_ON)
		return rc;
	if (view) {
		itrace = view->itrace;
		listing_fields(&lo.fields, view->fields, msg, sizeof(msg));
	}
	if (!itrace || !*itrace)
		itrace_default(&lo.itrace, true);
	else if (!itrace_parse(&lo.itrace, itrace, msg, sizeof(msg)))
		return cmd_usage_error(&cmd, "%s", msg);
	if (list && !listing_fields(&lo.fields, list, msg, sizeof(msg)))
		return cmd_usage_error(&cmd, "%s", msg);
	if (views.xed && !views.insns)
		listing_fields(&lo.fields, "+disasm", msg, sizeof(msg));
	limit_chain(&cmd, &lo.itrace, no_chain ? 0 : max_stack);
	if (lo.itrace.approximate_ipc && !(lo.fields & LIST_IPC))
		fprintf(stderr,
			"cstrace script: warning: A in --itrace has no effect: -F +ipc prints "
			"instructions per cycle\n");
	if (lo.itrace.unused[0])
		fprintf(stderr, "cstrace script: --itrace letters without a meaning for CoreSight: %s\n",
			lo.itrace.unused);
	rc = check_fields(&cmd, &lo.itrace, lo.fields, itrace);
	if (rc != CMD_GO_ON)
		return rc;
	if (ns && !(lo.fields & LIST_TIME))
		cmd_no_effect(&cmd, "ns", "time is not among the fields (-F)");
	lo.fields |= ns || view ? LIST_NS : 0;
	lo.period = list && *list != '+' && *list != '-';
	so.kernel_time = lo.itrace.kernel_time;
	ss = session_open(&so);
	if (!ss)
		return CMD_ERROR;
	lacks = lo.fields & LIST_IPC ? counted_lacks(ss, METRIC_CYCLES, &cure) : NULL;
	if (lacks)
		fprintf(stderr, "cstrace script: warning: -F ipc has no effect: %s; %s\n", lacks,
			cure);
	rc = script_run(ss, &lo);
	session_close(ss);
	return rc;
}
