/* SPDX-License-Identifier: GPL-2.0-only */
/* jobs.c - how many CPUs the process may use (affinity, cgroup), and the option -j. */
#include "outputs/cmd/jobs.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CPUS	4096
#define PATH_ROOM	4096
#define LINE_ROOM	4096

/* The first line of a file, without its end; false: there is none. */
static bool read_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(line, (int)size, f);

	if (f)
		fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = 0;
	return ok;
}

static bool read_number(const char *dir, const char *name, long long *v)
{
	char path[PATH_ROOM], line[64];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
		return false;
	return read_line(path, line, sizeof(line)) && sscanf(line, "%lld", v) == 1;
}

static unsigned int cpus_of(long long quota, long long period)
{
	long long n;

	if (quota <= 0 || period <= 0)
		return UINT_MAX;
	n = quota / period + (quota % period != 0);
	return n < UINT_MAX ? (unsigned int)n : UINT_MAX;
}

/* cpu.max: "QUOTA PERIOD", or "max PERIOD". */
static unsigned int limit_v2(const char *dir)
{
	char path[PATH_ROOM], line[128];
	long long quota, period;

	if ((size_t)snprintf(path, sizeof(path), "%s/cpu.max", dir) >= sizeof(path) ||
	    !read_line(path, line, sizeof(line)) || sscanf(line, "%lld %lld", &quota, &period) != 2)
		return UINT_MAX;
	return cpus_of(quota, period);
}

static unsigned int limit_v1(const char *dir)
{
	long long quota, period;

	if (!read_number(dir, "cpu.cfs_quota_us", &quota) || !read_number(dir, "cpu.cfs_period_us", &period))
		return UINT_MAX;
	return cpus_of(quota, period);
}

/*
 * Lowers *min to the limits of a group and those above it. In a container the group's path may be
 * the host's: then only the root of what is mounted is there.
 */
static void lower(unsigned int *min, const char *root, const char *mounted, const char *group,
		  unsigned int (*limit)(const char *))
{
	char mount[PATH_ROOM], dir[PATH_ROOM];
	unsigned int n;

	snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup%s", root, mounted);
	n = limit(mount);
	*min = n < *min ? n : *min;
	if ((size_t)snprintf(dir, sizeof(dir), "%s%s", mount, group) >= sizeof(dir))
		return;
	while (strlen(dir) > strlen(mount)) {
		n = limit(dir);
		*min = n < *min ? n : *min;
		*strrchr(dir, '/') = 0;
	}
}

/* True if "cpu" is in a list such as "cpu,cpuacct". */
static bool has_cpu(const char *list)
{
	const char *p = list;
	size_t n;

	while (*p) {
		n = strcspn(p, ",");
		if (n == 3 && !strncmp(p, "cpu", 3))
			return true;
		p += n + (p[n] == ',');
	}
	return false;
}

/* A line of /proc/self/cgroup: "NUMBER:CONTROLLERS:GROUP"; version 2 has no controllers. */
static void lower_by_line(unsigned int *min, const char *root, char *line)
{
	char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;

	if (!group)
		return;
	*list = '/';
	*group++ = 0;
	group[strcspn(group, "\n")] = 0;
	if (!list[1]) {
		lower(min, root, "", group, limit_v2);
		lower(min, root, "/unified", group, limit_v2);
	} else if (has_cpu(list + 1)) {
		lower(min, root, list, group, limit_v1);
		lower(min, root, "/cpu", group, limit_v1);
	}
}

unsigned int jobs_cgroup_cpus(const char *root)
{
	char path[PATH_ROOM], line[LINE_ROOM];
	unsigned int min = UINT_MAX;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		lower_by_line(&min, root, line);
	if (f)
		fclose(f);
	return min;
}

static unsigned int cpus_allowed(void)
{
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	int n = set && !sched_getaffinity(0, size, set) ? CPU_COUNT_S(size, set) : 1;

	CPU_FREE(set);
	return n > 0 ? (unsigned int)n : 1;
}

static bool parse(const char *text, unsigned int *n)
{
	uint64_t v;

	if (!cmd_number(text, &v) || !v || v > JOBS_MAX)
		return false;
	*n = (unsigned int)v;
	return true;
}

int cmd_jobs(void *data, const char *arg)
{
	struct session_opts *so = data;

	so->jobs_asked = true;
	if (parse(arg, &so->jobs))
		return 0;
	fprintf(stderr, "cstrace: --jobs: found '%s', expected a number of threads from 1 to %u\n", arg, JOBS_MAX);
	return -1;
}

int cmd_jobs_default(const struct cmd_desc *cmd, struct session_opts *so)
{
	const char *env = getenv("CSTRACE_JOBS");
	unsigned int cpus, quota;

	if (so->jobs_asked)
		return CMD_GO_ON;
	if (env && *env) {
		so->jobs_asked = true;
		if (parse(env, &so->jobs))
			return CMD_GO_ON;
		return cmd_usage_error(cmd, "CSTRACE_JOBS: found '%s', expected a number of threads from 1 to %u", env,
				       JOBS_MAX);
	}
	cpus = cpus_allowed();
	quota = jobs_cgroup_cpus("");
	so->jobs = quota < cpus ? quota : cpus;
	if (so->jobs > JOBS_MAX)
		so->jobs = JOBS_MAX;
	return CMD_GO_ON;
}
