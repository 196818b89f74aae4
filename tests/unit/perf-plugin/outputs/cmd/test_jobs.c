/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU time that control groups grant: versions 1 and 2, groups above one's own, and files that are not there. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "outputs/cmd/jobs.h"
#include "unit/temp_dir.h"

#define PATH_ROOM 4096	/* as in cmd/jobs.c */

static char root[] = "/tmp/cstrace-cgroup-XXXXXX";

static void put(const char *path, const char *text)
{
	temp_write(root, path + 1, text, strlen(text));
}

static int make_root(void **state)
{
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	(void)state;
	return temp_remove(root);
}

static void no_groups(void **state)
{
	(void)state;
	assert_int_equal(jobs_cgroup_cpus(root), UINT_MAX);
}

static void version_2(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "0::/a/b\n");
	put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	assert_int_equal(jobs_cgroup_cpus(root), UINT_MAX);
	put("/sys/fs/cgroup/a/b/cpu.max", "250000 100000\n");
	assert_int_equal(jobs_cgroup_cpus(root), 3);
	/* the group above has less */
	put("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
	assert_int_equal(jobs_cgroup_cpus(root), 2);
	put("/sys/fs/cgroup/a/b/cpu.max", "10000 100000\n");
	assert_int_equal(jobs_cgroup_cpus(root), 1);
}

/* In a container the group's path can be the host's. */
static void path_of_the_host(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "0::/docker/0123\n");
	put("/sys/fs/cgroup/cpu.max", "400000 100000\n");
	assert_int_equal(jobs_cgroup_cpus(root), 4);
}

static void version_1(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/x\n1:name=systemd:/x\n");
	put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "-1\n");
	put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
	assert_int_equal(jobs_cgroup_cpus(root), UINT_MAX);
	put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "150000\n");
	assert_int_equal(jobs_cgroup_cpus(root), 2);
	put("/proc/self/cgroup", "4:cpuacct:/x\n");
	assert_int_equal(jobs_cgroup_cpus(root), UINT_MAX);
}

static void odd_files(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "nonsense\n0:\n0::\n0::/a\n");
	put("/sys/fs/cgroup/a/cpu.max", "0 0\n");
	assert_int_equal(jobs_cgroup_cpus(root), UINT_MAX);
	put("/sys/fs/cgroup/a/cpu.max", "");
	assert_int_equal(jobs_cgroup_cpus(root), UINT_MAX);
	put("/sys/fs/cgroup/a/cpu.max", "9223372036854775807 1\n");
	assert_int_equal(jobs_cgroup_cpus(root), UINT_MAX);
}

/* Of a group whose path, or whose files' paths, are too long the limits above it hold. */
static void long_paths(void **state)
{
	static const struct {
		const char *line, *file, *quota;
		size_t more;	/* bytes that the path of a file has behind that of the group */
	} cases[] = {
		{ "0::/a/", "/sys/fs/cgroup/%scpu.max", "200000 100000\n", sizeof("/cpu.max") },
		{ "1:cpu:/a/", "/sys/fs/cgroup/cpu/%scpu.cfs_quota_us", "200000\n", sizeof("/cpu.cfs_quota_us") },
	};
	char line[2 * PATH_MAX], file[PATH_MAX];
	size_t i, k, n, at;

	(void)state;
	for (i = 0; i < 2; i++) {
		put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
		put("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
		snprintf(file, sizeof(file), cases[i].file, "");
		put(file, i ? "400000\n" : "400000 100000\n");
		snprintf(file, sizeof(file), cases[i].file, "a/");
		put(file, cases[i].quota);
		at = strlen(root) + (size_t)(strchr(cases[i].file, '%') - cases[i].file) - 1 + strlen("/a/");
		for (k = 0; k < 2; k++) {
			/* the path of the group fits, or does not */
			n = PATH_ROOM - at - (k ? 0 : cases[i].more - 1);
			snprintf(line, sizeof(line), "%s%0*d\n", cases[i].line, (int)n, 0);
			put("/proc/self/cgroup", line);
			assert_int_equal(jobs_cgroup_cpus(root), k ? 4 : 2);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_groups, make_root, remove_root),
		cmocka_unit_test_setup_teardown(version_2, make_root, remove_root),
		cmocka_unit_test_setup_teardown(path_of_the_host, make_root, remove_root),
		cmocka_unit_test_setup_teardown(version_1, make_root, remove_root),
		cmocka_unit_test_setup_teardown(long_paths, make_root, remove_root),
		cmocka_unit_test_setup_teardown(odd_files, make_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
