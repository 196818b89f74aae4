/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - the commands and options that fuzz_command runs, and values that are worth a try. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/command/options.h"
#include "outputs/cmd/commands.h"

enum {
	INJECT = 1, SCRIPT = 2, DUMP = 4, PROFILE = 8, INFO = 16, CONVERT = 32, INDEX = 64, COMPARE = 128, VERIFY = 256,
	MERGE = 512,	/* reads no recording */
	TIMELINE = 1024, REPORT = 2048,
	ALL = 511 | TIMELINE | REPORT,
	SAMPLES = INJECT | SCRIPT | PROFILE | DUMP | COMPARE | VERIFY | TIMELINE,
	FILTERED = SAMPLES | INFO | REPORT,
};

const struct command_row command_rows[] = {
	{ "inject", cmd_inject }, { "script", cmd_script }, { "dump", cmd_dump }, { "profile", cmd_profile },
	{ "info", cmd_info }, { "convert", cmd_convert }, { "index", cmd_index }, { "compare", cmd_compare },
	{ "verify", cmd_verify }, { "merge", cmd_merge }, { "timeline", cmd_timeline },
	{ "report", cmd_report },
};
const unsigned int nr_command_rows = sizeof(command_rows) / sizeof(command_rows[0]);

#define VALUES (const char *const [])

const struct option_row option_rows[] = {
	{ "input", ALL, OPTION_CHOICE, VALUES { "@/perf.data", "-", "@/rec", "@/package", "@/snapshot", NULL } },
	{ "symfs", ALL, OPTION_CHOICE, VALUES { "@/symfs", "@/package/images", "@", "", NULL } },
	{ "vmlinux", ALL, OPTION_CHOICE, VALUES { "@/symfs/boot/vmlinux", "@/symfs/vmlinux", "@/perf.data", NULL } },
	{ "kcore", ALL, OPTION_CHOICE, VALUES { "@/kcore_dir", "@/kcore_dir/kcore", "@/symfs/proc/kcore",
		"@/rec/kcore_dir", "@/symfs/boot/vmlinux", NULL } },
	{ "kallsyms", ALL, OPTION_CHOICE, VALUES { "@/symfs/proc/kallsyms", "@/symfs/kallsyms",
		"@/kcore_dir/kallsyms", "@/perf.data", NULL } },
	{ "jitdump", ALL, OPTION_CHOICE, VALUES { "@/symfs/tmp/jit-1000.dump", "@/symfs/tmp/jit-7.dump", "@/jit.dump",
		"@/jit.dump,@/symfs/tmp/jit-1000.dump", NULL } },
	{ "buildid-dir", ALL, OPTION_CHOICE, VALUES { "@/buildid", "@", NULL } },
	{ "contextid", ALL, OPTION_TEXT, VALUES { "auto", "tid", "tid-asid", "asid", "none", NULL } },
	{ "ts-freq", ALL, OPTION_TEXT, VALUES { "1g", "50m", "1", "0", "19200000", NULL } },
	{ "max-expand", ALL, OPTION_CHOICE, VALUES { "16m", "64k", "1", "0", NULL } },
	{ "force", ALL, OPTION_FLAG, NULL },
	{ "demangle", PROFILE | TIMELINE | REPORT, OPTION_FLAG, NULL },
	{ "min-duration", TIMELINE, OPTION_TEXT, VALUES { "0", "1", "100", "100000", NULL } },
	{ "depth", TIMELINE, OPTION_TEXT, VALUES { "1", "2", "5", "4294967296", NULL } },
	{ "no-calls", PROFILE, OPTION_FLAG, NULL },
	{ "max-stack", PROFILE, OPTION_TEXT, VALUES { "1", "3", "100", "0", NULL } },
	{ "time", FILTERED, OPTION_TEXT, VALUES { "0%-50%", "50%-", "10%/2", "1,2", "1.000001,1.000009 1.00002,", ",1.00001",
		"30%-31%,60%-61%", NULL } },
	{ "cpu", FILTERED, OPTION_TEXT, VALUES { "0", "0-1", "1", "99", "0,1,2-5", NULL } },
	{ "pid", FILTERED, OPTION_TEXT, VALUES { "1000", "1001", "1000,1001", "-1", "0", NULL } },
	{ "tid", FILTERED, OPTION_TEXT, VALUES { "1000", "1001", "1002,1003", NULL } },
	{ "comm", FILTERED, OPTION_TEXT, VALUES { "sample", "one", "swapper,one", "plugins", NULL } },
	{ "index", DUMP, OPTION_CHOICE, VALUES { "@/perf.data.cstidx", "@/ix", "@/perf.data", NULL } },
	{ "no-index", DUMP, OPTION_FLAG, NULL },
	{ "output", SAMPLES | MERGE, OPTION_CHOICE, VALUES { "@/out", "-", "@/perf.data", "@/absent/out", NULL } },
	{ "itrace", INJECT | SCRIPT, OPTION_TEXT, VALUES { "b", "i100il64", "i1000il16g16", "i1us", "cre", "e-o-l", "i1000ig8be",
		"i1msZ", "s10i100i", "bxwI", "i50tl8", "L16G", "bl", "Ab", NULL } },
	{ "strip", INJECT, OPTION_FLAG, NULL },
	{ "hw-index", INJECT, OPTION_FLAG, NULL },
	{ "no-branch-view", INJECT, OPTION_FLAG, NULL },
	{ "switch-events", INJECT, OPTION_FLAG, NULL },
	{ "tiles", INJECT, OPTION_FLAG, NULL },
	{ "compression-level", INJECT, OPTION_TEXT, VALUES { "", "1", "5", "22", "23", NULL } },
	{ "fields", SCRIPT, OPTION_TEXT, VALUES { "comm,pid,tid,cpu,time,period,event,flags,ip,sym,symoff,dso,addr,insn,insnlen",
		"+brstack", "+insn", "ip,sym,symoff,dso", "-time,+addr", "pid,tid,cpu,ip,addr", "+disasm,+srcline",
		"+brstackdisasm,+srcline", "ip,brstackinsn", "+brstacksym", "callindent,flags", NULL } },
	{ "insn-trace", SCRIPT, OPTION_CHOICE, VALUES { "raw", "disasm", "xed", NULL } },
	{ "call-trace", SCRIPT, OPTION_FLAG, NULL },
	{ "call-ret-trace", SCRIPT, OPTION_FLAG, NULL },
	{ "ns", SCRIPT, OPTION_FLAG, NULL },
	{ "snapshot", DUMP | INDEX, OPTION_CHOICE, VALUES { "@/snapshot", "@/package", "@/symfs", NULL } },
	{ "source", DUMP, OPTION_TEXT, VALUES { "all", "ETB_0", "buffer0", "cstmc0", "ETM_0", NULL } },
	{ "frames", DUMP, OPTION_FLAG, NULL },
	{ "raw", DUMP, OPTION_FLAG, NULL },
	{ "packets", DUMP, OPTION_FLAG, NULL },
	{ "elements", DUMP, OPTION_FLAG, NULL },
	{ "id", DUMP | INDEX, OPTION_TEXT, VALUES { "16", "0x10", "17", "18", NULL } },
	{ "tarmac", COMPARE, OPTION_CHOICE, VALUES { "@/text.tarmac", "@/perf.data", NULL } },
	{ "with", COMPARE, OPTION_CHOICE, VALUES { "@/perf.data", "@/snapshot", "-", NULL } },
	{ "with-symfs", COMPARE, OPTION_CHOICE, VALUES { "@/symfs", NULL } },
	{ "core", COMPARE, OPTION_TEXT, VALUES { "0=cpu0", "0=cpu1,1=cpu0", "=", "1=", NULL } },
	{ "ignore", COMPARE, OPTION_TEXT, VALUES { "opcode", "result,el,security", "", NULL } },
	{ "shown", COMPARE, OPTION_TEXT, VALUES { "0", "1", "1000", NULL } },
	{ "no-disassembly", DUMP, OPTION_FLAG, NULL },
	{ "strict", DUMP | VERIFY, OPTION_FLAG, NULL },
	{ "insn-ranges", DUMP, OPTION_FLAG, NULL },
	{ "log", DUMP, OPTION_TEXT, VALUES { "", "error", "warning", "info", NULL } },
	{ "format", DUMP | PROFILE | INFO | VERIFY | TIMELINE, OPTION_TEXT, VALUES { "text", "json", "opencsd", "none", "autofdo", "llvm", "bolt",
		"callgrind", "lcov", "pprof", "propeller", "folded", "top", "cstrace", "tarmac", "tarmac-es",
		"perfetto", "sqlite", NULL } },
	{ "from", DUMP, OPTION_TEXT, VALUES { "time=100", "offset=64", "event", "event=1", "context=1001", "offset=0x400", NULL } },
	{ "to", DUMP, OPTION_TEXT, VALUES { "time=100000", "offset=4096", "event=2", "context=1002", NULL } },
	{ "address", PROFILE, OPTION_TEXT, VALUES { "offset", "vaddr", NULL } },
	{ "binary", PROFILE | REPORT, OPTION_TEXT, VALUES { "sample.a64", "one", "vmlinux", "[kernel.kallsyms]", "first", "plugins", NULL } },
	{ "no-decode", INFO, OPTION_FLAG, NULL },
	{ "all", INFO, OPTION_FLAG, NULL },
	{ "to", CONVERT, OPTION_TEXT, VALUES { "perf", "package", "snapshot", NULL } },
	{ "pid", CONVERT, OPTION_TEXT, VALUES { "1000", "1001", "1", NULL } },
	{ "output", CONVERT | INDEX | REPORT, OPTION_CHOICE, VALUES { "@/out", "@/perf.data", "@/absent/out", "@/symfs", NULL } },
	{ "images", CONVERT, OPTION_FLAG, NULL },
	{ "granularity", INDEX, OPTION_TEXT, VALUES { "1024", "64k", "1", "4096", NULL } },
	{ "sparse", INDEX, OPTION_FLAG, NULL },
	{ "full", INDEX, OPTION_FLAG, NULL },
	{ "show", INDEX, OPTION_FLAG, NULL },
	{ "help", ALL | MERGE, OPTION_FLAG, NULL },
	{ "list-opts", ALL | MERGE, OPTION_FLAG, NULL },
	{ "weighted-input", MERGE, OPTION_CHOICE, VALUES { "1,@/a.cst", "3,@/b.cst", "18446744073709551615,@/a.cst", "1,@/perf.data",
		"2,-", NULL } },
	{ "input-files", MERGE, OPTION_CHOICE, VALUES { "@/list", "@/a.cst", "-", NULL } },
	{ "functions", REPORT, OPTION_TEXT, VALUES { "0", "1", "200", "1m", NULL } },
	{ "files", REPORT, OPTION_TEXT, VALUES { "0", "1", "300", NULL } },
	{ "source", REPORT, OPTION_CHOICE, VALUES { "@/symfs", "@", "", NULL } },
	{ "jobs", ALL, OPTION_TEXT, VALUES { "1", "2", "3", "8", NULL } },
	{ "trace", FILTERED | CONVERT, OPTION_CHOICE, VALUES { "@/trace.bin", "@/trace.bin:17", "@/perf.data", NULL } },
	{ "trace-format", FILTERED | CONVERT, OPTION_TEXT, VALUES { "aligned", "tpiu", "dstream", "raw", NULL } },
	{ "core-type", FILTERED | CONVERT, OPTION_TEXT, VALUES { "cortex-a53", "cortex-m33", "cortex-m4", "cortex-a15", "itm", "stm", NULL } },
	{ "trace-source", FILTERED | CONVERT, OPTION_TEXT, VALUES { "0x10=cortex-a53", "17=itm", "0x20=stm", "1=", NULL } },
	{ "reg", FILTERED | CONVERT, OPTION_TEXT, VALUES { "TRCCONFIGR=0x1001", "ETMCR=0x1000", "0x10:TRCIDR8=4", "=", NULL } },
	{ "elf", FILTERED | CONVERT, OPTION_CHOICE, VALUES { "@/elf", "@/trace.bin", NULL } },
	{ "no-text-copies", ALL, OPTION_FLAG, NULL },
	{ "reader", PROFILE, OPTION_TEXT,
	  VALUES { "bolt-16", "bolt-22", "bolt-", NULL } },
	{ "untraced", PROFILE | REPORT, OPTION_TEXT, VALUES { "covered", "uncovered", "", NULL } },
	{ "itm-sync", DUMP, OPTION_FLAG, NULL },
	{ "xed", SCRIPT, OPTION_TEXT, VALUES { "", "-F", NULL } },
	{ "hide-call-graph", SCRIPT, OPTION_FLAG, NULL },
	{ "max-stack", SCRIPT, OPTION_TEXT, VALUES { "0", "1", "64", NULL } },
	{ "no-demangle", SCRIPT, OPTION_FLAG, NULL },
	/* those of the generator's guests, and files that do not fit */
	{ "guest", ALL, OPTION_CHOICE, VALUES {
		"2000:vmlinux=@/symfs/guest1/vmlinux,data=@/symfs/guest1/perf.data"
		",symfs=@/symfs/guest1,offset=5001000",
		"2100:vmlinux=@/symfs/guest2/vmlinux,data=@/symfs/guest2/perf.data"
		",symfs=@/symfs/guest2,offset=-400000000",
		"5:vmlinux=@/symfs/guest1/vmlinux,data=@/symfs/guest1/perf.data"
		",symfs=@/symfs/guest1,offset=5001000,pid=2000",
		"6:vmlinux=@/symfs/guest2/vmlinux,data=@/symfs/guest2/perf.data"
		",symfs=@/symfs/guest2,offset=-400000000,pid=2100",
		"2000:vmlinux=@/symfs/guest1/vmlinux,data=@/symfs/guest1/perf.data"
		",symfs=@/symfs/guest1",
		"2100:vmlinux=@/symfs/guest2/vmlinux,data=@/symfs/guest2/perf.data"
		",symfs=@/symfs/guest2",
		"5:vmlinux=@/symfs/guest1/vmlinux,kallsyms=@/symfs/guest1/kallsyms",
		"2000:vmlinux=@/perf.data,kallsyms=@/perf.data,data=@/perf.data", NULL } },
	{ "metric", PROFILE | REPORT, OPTION_TEXT,
	  VALUES { "cycles", "time", "instructions", "x", NULL } },
	{ "function-graph", SCRIPT, OPTION_FLAG, NULL },
	{ "graph-funcs", SCRIPT, OPTION_TEXT, VALUES { "*", "f*,main", "[", ",", NULL } },
	{ "graph-opts", SCRIPT, OPTION_TEXT,
	  VALUES { "depth=1", "thresh=1,depth=3", "depth=0", NULL } },
};
const unsigned int nr_option_rows = sizeof(option_rows) / sizeof(option_rows[0]);

unsigned int option_nr_values(const struct option_row *row)
{
	unsigned int n = 0;

	while (row->values && row->values[n])
		n++;
	return n;
}

/* `text` with the folder for each @. */
static void expand(char *out, size_t size, const char *text, const char *folder)
{
	size_t at = strlen(out);

	for (; *text && at + 1 < size; text++)
		at += (size_t)snprintf(out + at, size - at, "%.*s", *text == '@' ? (int)size : 1,
				       *text == '@' ? folder : text);
}

/* Free text: what people can type. Their own control characters may come back in messages. */
static void add_text(char *out, size_t size, const struct archive_option *o)
{
	size_t i;

	for (i = 0; i < o->len && i + 2 < size; i++)
		out[i + 1] = o->value[i] >= 0x20 && o->value[i] < 0x7f ? (char)o->value[i] : '?';
	out[0] = '=';
	out[i + 1] = 0;
}

static void add_word(struct command_line *l, const struct archive_option *o, const char *folder)
{
	const struct option_row *row = &option_rows[o->row % nr_option_rows];
	char *word = l->words[l->argc];
	int n = snprintf(word, COMMAND_LINE_WORD, "--%s", row->name);

	if (!(row->commands & 1u << (l->command - command_rows)))
		return;
	if (row->kind == OPTION_TEXT)
		add_text(word + n, COMMAND_LINE_WORD - (size_t)n, o);
	else if (row->kind == OPTION_CHOICE) {
		strcat(word, "=");
		expand(word, COMMAND_LINE_WORD, row->values[(o->len ? o->value[0] : 0u) % option_nr_values(row)], folder);
	}
	l->argv[l->argc] = word;
	l->argc++;
}

void command_line(struct command_line *l, const struct archive *a, const char *folder)
{
	static const struct archive_option input = { .row = 0 }, limit = { .row = 9 };
	unsigned int i;

	l->command = &command_rows[a->command % nr_command_rows];
	l->argv[0] = l->command->name;
	l->argc = 1;
	for (i = 0; i < a->nr_options; i++)
		add_word(l, &a->options[i], folder);
	if (!command_line_value(l, "input") && !command_line_value(l, "snapshot") && !command_line_value(l, "trace"))
		add_word(l, &input, folder);
	if (!command_line_value(l, "max-expand"))
		add_word(l, &limit, folder);
	l->argv[l->argc] = NULL;
}

const char *command_line_value(const struct command_line *l, const char *name)
{
	size_t len = strlen(name);
	int i;

	for (i = 1; i < l->argc; i++)
		if (!strncmp(l->argv[i] + 2, name, len) && (!l->argv[i][len + 2] || l->argv[i][len + 2] == '='))
			return l->argv[i] + len + 2 + (l->argv[i][len + 2] == '=');
	return NULL;
}
