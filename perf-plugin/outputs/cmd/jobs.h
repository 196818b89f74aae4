/* SPDX-License-Identifier: GPL-2.0-only */
/* jobs.h - how many threads decode: -j, CSTRACE_JOBS, or the CPUs that this process may use. */
#ifndef CSTRACE_OUTPUTS_CMD_JOBS_H
#define CSTRACE_OUTPUTS_CMD_JOBS_H

#include "outputs/cmd/options.h"
#include "session/session.h"

#define JOBS_MAX 1024u

/* Without -j. CMD_GO_ON, or CMD_USAGE after a message about CSTRACE_JOBS. */
int cmd_jobs_default(const struct cmd_desc *cmd, struct session_opts *so);

/*
 * CPU time that the control groups of this process grant it, in CPUs, rounded up (cgroup v2: cpu.max; v1:
 * cpu.cfs_quota_us and cpu.cfs_period_us; the groups above it count as well). UINT_MAX: no limit. `root` is put
 * before /proc and /sys: "" but in tests.
 */
unsigned int jobs_cgroup_cpus(const char *root);

#endif
