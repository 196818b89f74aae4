/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - the option table of a command. One table drives parsing, usage, --help, --list-opts and,
 * through the latter, the check of the man pages.
 */
#ifndef CSTRACE_OUTPUTS_CMD_OPTIONS_H
#define CSTRACE_OUTPUTS_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cmd_opt_kind {
	CMD_OPT_FLAG,		/* bool *: set to true */
	CMD_OPT_STRING,		/* const char **: needs a value */
	CMD_OPT_FILE,		/* the same, and names a file that is there; "" names none */
	CMD_OPT_FILES,		/* several, with commas between them; also as PID:FILE */
	CMD_OPT_FOLDER,		/* a folder that is there */
	CMD_OPT_PLACE,		/* one of the two */
	CMD_OPT_OPTIONAL,	/* const char **: the value only as --name=VALUE or -xVALUE; "" without one */
	CMD_OPT_FILTER,		/* const char **: an argument of the filter of this name, checked */
	CMD_OPT_NUMBER,		/* uint64_t *: decimal, 0x.., with k, m or g */
	/* int (*)(void *data, const char *arg) in `call`: 0, -1 after a message, 1 after a list */
	CMD_OPT_CALL,
	CMD_OPT_EACH,		/* the same, for an option that may be given several times */
	CMD_OPT_HEADING,	/* no option: --help prints `help` above those that follow */
};

struct cmd_opt {
	char letter;		/* 0: none */
	const char *name;	/* long name, never NULL */
	enum cmd_opt_kind kind;
	void *value;		/* where the value goes; data for `call` */
	const char *arg;	/* what the usage calls the value; NULL for a flag */
	const char *help;
	int (*call)(void *data, const char *arg);
};

/*
 * A table begins with the options of its command alone; the groups that commands share follow, each
 * behind a heading.
 */
#define CMD_HEADING(text) { 0, "", CMD_OPT_HEADING, NULL, NULL, text, NULL }

/* The last entry of a table. */
#define CMD_OPT_END { 0, NULL, CMD_OPT_FLAG, NULL, NULL, NULL, NULL }

struct cmd_desc {
	const char *name;	/* "inject" */
	const char *summary;	/* one line */
	const char *operands;	/* as shown in the usage; NULL: the command takes none */
	const struct cmd_opt *opts;
	const char *more;	/* text after the options in --help; may be NULL */
};

#define CMD_GO_ON	(-1)
#define CMD_OK		0
#define CMD_ERROR	1	/* could not do it */
#define CMD_LOSSES	3	/* more was lost than --max-loss accepts: counted on stderr */
#define CMD_DIFFERENT	4	/* compare: the two sides differ; verify: rules are violated */
#define CMD_NOTHING	5	/* nothing was decoded or written, or nothing fitted the filters */
#define CMD_USAGE	129

/*
 * Parses argv[1..*argc). Returns CMD_GO_ON if the command is to run; argv[0..*argc) then are its operands.
 * Else the exit code: CMD_OK after help or a list, CMD_USAGE after a message, CMD_ERROR after one
 * about a file or folder that an option names and that is not there. An option with two different values is wrong
 * usage, with the same value twice a warning; a flag, and an option of the kind CMD_OPT_EACH, may be given several
 * times.
 */
int cmd_options(const struct cmd_desc *cmd, int *argc, const char **argv);
/* The same for a command line that has another one in it: its first operand ends the options. */
int cmd_options_before(const struct cmd_desc *cmd, int *argc, const char **argv);

/* Calls `visit` with the table of the command whose entry is `run`, and does no more. */
void cmd_visit(int (*run)(int argc, const char **argv),
	       void (*visit)(void *data, const struct cmd_desc *cmd), void *data);

/*
 * Warn of each option that was given and has no effect, as `why` says: those in `names` (long names with spaces
 * between them), or those whose values are in the `size` bytes at `values`, but not those in `but`.
 */
void cmd_no_effect(const struct cmd_desc *cmd, const char *names, const char *why);
void cmd_no_effect_in(const struct cmd_desc *cmd, const void *values, size_t size, const char *but, const char *why);

/* True if `name` is in `list`, whose names are separated by spaces. */
bool cmd_is_named(const char *list, const char *name);

/*
 * given.c, for cmd_options(): starts a command line; notes an option (value NULL: none); checks
 * that the files and folders of all options exist, and records the files as inputs.
 */
void cmd_given_start(void);
int cmd_given_add(const struct cmd_desc *cmd, const struct cmd_opt *o, const char *value);
int cmd_given_exist(const struct cmd_desc *cmd);

/* True if the option of this long name was given. */
bool cmd_was_given(const char *name);

/* Complain on stderr with the command's name and the hint where help is; returns CMD_USAGE. */
int cmd_usage_error(const struct cmd_desc *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Complain about a value of an option that is none of `names`, a text. Returns CMD_USAGE. */
int cmd_value_error(const struct cmd_desc *cmd, const char *option, const char *value,
		    const char *names);
/* Print `text`, which lists values of an option, and which of them `value` may mean. Returns -1. */
int cmd_values(const char *text, const char *value);

/* A number with an optional k, m or g; false when `text` is something else. */
bool cmd_number(const char *text, uint64_t *value);

/* contextid.c: for CMD_OPT_CALL; `data` is an enum contextid_format *. */
int cmd_contextid(void *data, const char *arg);
/* guest.c: for CMD_OPT_EACH; `data` is a struct guests_given *. */
int cmd_guest(void *data, const char *arg);

/* jobs.c: for CMD_OPT_CALL; `data` is a struct session_opts. */
int cmd_jobs(void *data, const char *arg);

/* Where programs are searched; `so` is a struct session_opts. */
#define CMD_SYMFS_OPT(so)									\
	{ 0, "symfs", CMD_OPT_FOLDER, &(so).symfs, "DIR",					\
	  "look up recorded paths under DIR; then by build-id, then by name", NULL }
#define CMD_VMLINUX_OPT(so)									\
	{ 'k', "vmlinux", CMD_OPT_FILE, &(so).vmlinux, "FILE",					\
	  "kernel image with code, for traced kernel execution", NULL }
#define CMD_BUILDID_OPT(so)									\
	{ 0, "buildid-dir", CMD_OPT_FOLDER, &(so).buildid_dir, "DIR",				\
	  "build-id cache (default: ~/.debug)", NULL }
#define CMD_DEBUGINFOD_OPT(so)									\
	{ 0, "debuginfod", CMD_OPT_FLAG, &(so).debuginfod, NULL,				\
	  "ask the servers in $DEBUGINFOD_URLS for programs and debug files that are not here",	\
	  NULL }
#define CMD_SEARCH_OPTS(so)									\
	CMD_SYMFS_OPT(so), CMD_VMLINUX_OPT(so), CMD_BUILDID_OPT(so), CMD_DEBUGINFOD_OPT(so)

/* The options of every command that reads perf.data; `so` is a struct session_opts. */
#define CMD_SESSION_OPTS(so)									\
	CMD_HEADING("The recording, and the programs that ran"),				\
	{ 'i', "input", CMD_OPT_STRING, &(so).input, "FILE",					\
	  "perf.data, - for stdin, or folder of a package or snapshot (default: perf.data)", NULL },	\
	{ 'j', "jobs", CMD_OPT_CALL, &(so), "N",						\
	  "use N threads, where they are of use; the output does not depend on N (default: "	\
	  "CSTRACE_JOBS, else the CPUs that this process may use)", cmd_jobs },			\
	CMD_SYMFS_OPT(so),									\
	CMD_VMLINUX_OPT(so),									\
	{ 0, "kcore", CMD_OPT_PLACE, &(so).kcore, "FILE",					\
	  "copy of /proc/kcore, or the directory with it and kallsyms", NULL },			\
	{ 0, "kallsyms", CMD_OPT_FILE, &(so).kallsyms, "FILE",				\
	  "copy of /proc/kallsyms: symbols of the kernel, places of modules", NULL },		\
	{ 0, "jitdump", CMD_OPT_FILES, &(so).jitdump, "FILE[,FILE]",				\
	  "jitdump files with generated code, where they are not at their recorded path; PID:FILE " \
	  "says whose code it is", NULL },							\
	CMD_BUILDID_OPT(so),									\
	CMD_DEBUGINFOD_OPT(so),									\
	{ 0, "guest", CMD_OPT_EACH, &(so).guests, "ID:KEY=VALUE[,...]",			\
	  "files of a virtual machine: vmlinux, kallsyms, modules, symfs, data (its perf.data); " \
	  "pid, offset", cmd_guest },								\
	{ 0, "guestmount", CMD_OPT_FOLDER, &(so).guests.mount, "DIR",				\
	  "file systems of virtual machines, in directories named by the processes that run them", \
	  NULL },										\
	{ 0, "guestvmlinux", CMD_OPT_FILE, &(so).guests.vmlinux, "FILE",			\
	  "kernel image of the virtual machines that are not named otherwise", NULL },		\
	{ 0, "guestkallsyms", CMD_OPT_FILE, &(so).guests.kallsyms, "FILE",			\
	  "copy of their /proc/kallsyms", NULL },						\
	{ 0, "guestmodules", CMD_OPT_FILE, &(so).guests.modules, "FILE",			\
	  "copy of their /proc/modules", NULL },						\
	{ 0, "contextid", CMD_OPT_CALL, &(so).contextid, "FORMAT",				\
	  "what context IDs hold: auto (default), tid, tid-asid, asid or none", cmd_contextid },	\
	{ 0, "ts-freq", CMD_OPT_NUMBER, &(so).ts_freq, "HZ",					\
	  "ticks per second of trace timestamps when the file does not say (default: 1g)", NULL }, \
	{ 0, "max-expand", CMD_OPT_NUMBER, &(so).max_expand, "SIZE",				\
	  "bytes that compressed records may expand to (default: 64m, or 200 times their size)", NULL },	\
	{ 0, "no-text-copies", CMD_OPT_FLAG, &(so).no_text_copies, NULL,			\
	  "do not take memory in the place of a file's text for a copy of it (huge pages)", NULL }, \
	{ 'f', "force", CMD_OPT_FLAG, &(so).force, NULL,					\
	  "use images whose build-id differs from the recorded one", NULL }

/* Trace without a recording, and program files for a snapshot; `bo` is a struct bare_opts (import/bare.h). */
#define CMD_BARE_OPTS(bo)									\
	CMD_HEADING("Trace without a recording"),						\
	{ 0, "trace", CMD_OPT_EACH, &(bo), "FILE[:ID]",						\
	  "a file of trace from a probe or a trace buffer, instead of -i; several make several buffers", cmd_bare_trace }, \
	{ 0, "trace-format", CMD_OPT_CALL, &(bo), "NAME",					\
	  "with --trace: frames that are aligned (default), tpiu (with synchronisation) or dstream; raw: no frames",	\
	  cmd_bare_format },									\
	{ 0, "core-type", CMD_OPT_CALL, &(bo), "NAME",						\
	  "with --trace: the core that was traced, as cortex-m33, or itm, stm; list lists them", cmd_bare_core }, \
	{ 0, "trace-source", CMD_OPT_EACH, &(bo), "ID=NAME",					\
	  "the same for one of several trace IDs", cmd_bare_source },				\
	{ 0, "reg", CMD_OPT_EACH, &(bo), "[ID:]NAME=VALUE",					\
	  "with --trace: a register of the trace unit, as TRCCONFIGR=0x1001", cmd_bare_reg },	\
	{ 0, "elf", CMD_OPT_EACH, &(bo), "FILE[@ADDR]",						\
	  "with --trace or a snapshot: a program that ran: code, symbols and lines", cmd_bare_program }

struct bare_opts;
struct session_opts;
int cmd_bare_trace(void *bare, const char *arg);
int cmd_bare_format(void *bare, const char *arg);
int cmd_bare_core(void *bare, const char *arg);
int cmd_bare_source(void *bare, const char *arg);
int cmd_bare_reg(void *bare, const char *arg);
int cmd_bare_program(void *bare, const char *arg);
/*
 * After cmd_options(): sets the input and so->bare. `snapshot` is the value of -s, NULL without. CMD_GO_ON, or CMD_USAGE
 * after a message about options that exclude each other.
 */
int cmd_bare_check(const struct cmd_desc *cmd, const struct bare_opts *o, struct session_opts *so, const char *snapshot);

/*
 * The beginning of a command that reads a recording, or trace without one: cmd_options(),
 * cmd_bare_check() and cmd_jobs_default(). Returns as cmd_options().
 */
int cmd_input(const struct cmd_desc *cmd, int *argc, const char **argv,
	      const struct bare_opts *bare, struct session_opts *so);

/* The filters; `fo` is a struct filter_opts. */
#define CMD_FILTER_OPTS(fo)									\
	CMD_HEADING("Which part of the recording"),						\
	{ 0, "time", CMD_OPT_FILTER, &(fo).time, "RANGES",					\
	  "only START,STOP in seconds (several with spaces), or A%-B% or A%/N of the recording",	\
	  NULL },										\
	{ 'C', "cpu", CMD_OPT_FILTER, &(fo).cpu, "LIST", "only these CPUs, as 0-3,5", NULL },	\
	{ 0, "pid", CMD_OPT_FILTER, &(fo).pid, "LIST", "only these processes", NULL },		\
	{ 0, "tid", CMD_OPT_FILTER, &(fo).tid, "LIST", "only these threads", NULL },		\
	{ 'c', "comm", CMD_OPT_FILTER, &(fo).comm, "LIST", "only threads with these names", NULL }

/* result.c: for CMD_OPT_CALL; `data` is a uint32_t, in millionths. */
int cmd_max_loss(void *data, const char *arg);

#define CMD_MAX_LOSS_OPT(max)									\
	{ 0, "max-loss", CMD_OPT_CALL, &(max), "SHARE",						\
	  "exit code 3 only if more of the trace is lost, as 0.5% (default: 0%)", cmd_max_loss }

/* All of them, of the commands that decode what they select. */
#define CMD_TRACE_OPTS(so, bo)									\
	CMD_SESSION_OPTS(so), CMD_MAX_LOSS_OPT((so).max_loss), CMD_FILTER_OPTS((so).filter),	\
	CMD_BARE_OPTS(bo)

struct loss_share;
/*
 * True if the share of counts is above `max`, or if --max-loss was given, with less than all, and
 * the share is not known, which is said.
 */
bool cmd_loss_above(const struct loss_share *s, uint32_t max);

struct session;
/*
 * The exit code of a command that decoded and wrote its output. `lacks`: the output lacks something
 * for another reason than the losses of the trace.
 */
int cmd_decoded(const struct session *ss, bool lacks);

#endif
