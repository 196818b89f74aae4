/* SPDX-License-Identifier: GPL-2.0-only */
/* main.c - perf-cstrace COMMAND: opens the standard descriptors, finds the command, checks its output at the end. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cstrace/version.h>

#include "base/files/guard.h"
#include "base/files/mapped.h"
#include "base/files/std.h"
#include "base/thread.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"
#include "outputs/disasm/disasm.h"
#include "outputs/timeline/timeline.h"
#include "perfdata/decomp.h"

/* The version, and which of the optional libraries are in (make help). */
static void print_version(void)
{
	const struct {
		const char *name;
		bool in;
	} parts[] = {
		{ "libtraceevent",
#ifdef HAVE_LIBTRACEEVENT
		  true },
#else
		  false },
#endif
		{ "lzma",
#ifdef HAVE_LZMA
		  true },
#else
		  false },
#endif
		{ "zstd", pd_decomp_available() },
		{ "sqlite", timeline_database_available() },
		{ "capstone", disasm_available() },
	};
	size_t i;

	printf("cstrace version %s\n", CST_VERSION_TEXT);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		printf("%s: %s\n", parts[i].name, parts[i].in ? "on" : "off");
}

static int dispatch(int argc, const char **argv)
{
	const struct command *c;

	if (argc < 2) {
		commands_print(stderr);
		return CMD_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		commands_print(stdout);
		return CMD_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-v")) {
		print_version();
		return CMD_OK;
	}
	if (!strcmp(argv[1], "--list-cmds")) {
		commands_list();
		return CMD_OK;
	}
	c = command_find(argv[1]);
	if (!c)
		return CMD_USAGE;
	return c->run(argc - 1, argv + 1);
}

/* A full disk must not look like a short listing, nor a file that was cut while it was read like a whole one. */
static int check_end(int rc)
{
	int error = std_close_output();
	struct error err = { .code = 0 };

	if (rc == CMD_USAGE)
		return rc;
	if (mapped_check(&err) && rc != CMD_ERROR)
		fprintf(stderr, "cstrace: %s\n", err.msg);
	if (error && error != EPIPE)
		fprintf(stderr, "cstrace: writing to standard output failed: %s; what is there is not whole\n",
			error > 0 ? strerror(error) : "the system no longer says why");
	return error || err.code ? CMD_ERROR : rc;
}

int main(int argc, const char **argv)
{
	int rc;

	if (std_open()) {
		fprintf(stderr, "cstrace: descriptors 0 to 2 are not all open, and /dev/null cannot be opened for them: %s\n",
			strerror(errno));
		return CMD_ERROR;
	}
	guard_install();
	rc = thread_run_first(dispatch, argc, argv);
	return check_end(rc);
}
