/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live.c - runs perf with the drop-in for libopencsd: perf's own commands decode with cstrace. The
 * drop-in lies beside this program when it runs from the build folder; where it is installed, in
 * ../lib/cstrace or in the folder of ../lib that Debian has for libraries of this architecture.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/format.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"

#define LIBRARY "libopencsd_c_api.so.1"
#ifndef MULTIARCH
#define MULTIARCH	""	/* or "x86_64-linux-gnu/" */
#endif

static bool find_drop_in(char *dir, size_t size)
{
	static const char *const places[] = {
		"opencsd", "../lib/" MULTIARCH "cstrace", "../lib/cstrace", "../lib64/cstrace",
	};
	char exe[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;
	size_t i;

	if (n <= 0)
		return false;
	exe[n] = 0;
	slash = strrchr(exe, '/');
	if (!slash)
		return false;
	*slash = 0;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (snprintf(path, sizeof(path), "%s/%s/" LIBRARY, exe, places[i]) >= (int)sizeof(path) ||
		    access(path, R_OK))
			continue;
		return snprintf(dir, size, "%s/%s", exe, places[i]) < (int)size;
	}
	return false;
}

/* The drop-in first, then what was there. */
static void set_library_path(const char *dir)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	char *path = format_text("%s%s%s", dir, old && *old ? ":" : "", old ? old : "");

	if (setenv("LD_LIBRARY_PATH", path, 1))
		mem_refused(0);
	free(path);
}

int cmd_live(int argc, const char **argv)
{
	const char *perf = "perf";
	bool where = false;
	const struct cmd_opt opts[] = {
		{ 0, "perf", CMD_OPT_STRING, &perf, "FILE", "the perf to run (default: perf, from PATH)", NULL },
		{ 0, "where", CMD_OPT_FLAG, &where, NULL, "print the folder of the drop-in, and stop", NULL },
		CMD_OPT_END
	};
	const struct cmd_desc cmd = {
		.name = "live", .summary = "run perf, which then decodes CoreSight trace with cstrace",
		.operands = "[--] PERF-COMMAND...", .opts = opts,
		.more = "Example: perf cstrace live -- report -i perf.data",
	};
	char dir[PATH_MAX];
	const char **run;
	int rc = cmd_options_before(&cmd, &argc, argv);

	if (rc != CMD_GO_ON)
		return rc;
	if (!find_drop_in(dir, sizeof(dir))) {
		fprintf(stderr, "cstrace: " LIBRARY " was not found beside this program or in ../lib/cstrace; it is "
			"built by 'make'\n");
		return CMD_ERROR;
	}
	if (where) {
		puts(dir);
		return CMD_OK;
	}
	if (!argc)
		return cmd_usage_error(&cmd, "a command of perf is missing");
	run = mem_zeroed((size_t)argc + 2, sizeof(*run));
	set_library_path(dir);
	run[0] = perf;
	memcpy(run + 1, argv, (size_t)argc * sizeof(*run));
	execvp(perf, (char *const *)(uintptr_t)run);
	fprintf(stderr, "cstrace: cannot run %s: %s; --perf names another one\n", perf, strerror(errno));
	free(run);
	return CMD_ERROR;
}
