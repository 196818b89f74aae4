/* SPDX-License-Identifier: GPL-2.0-only */
/* jobs.h - how many threads decode: -j, CSTRACE_JOBS, or the CPUs that this process may use. */
#ifndef CSTRACE_OUTPUTS_CMD_JOBS_H
#define CSTRACE_OUTPUTS_CMD_JOBS_H

#include "outputs/cmd/options.h"
#include "session/session.h"

#define JOBS_MAX 1024u

/* The option of every command that decodes; `so` is a struct session_opts. */
#define CMD_JOBS_OPT(so)									\
	{ 'j', "jobs", CMD_OPT_CALL, &(so), "N",						\
	  "decode in N threads; the output does not depend on N (default: CSTRACE_JOBS, else the CPUs that this "	\
	  "process may use)", cmd_jobs }

/* For CMD_OPT_CALL; `data` is a struct session_opts. */
int cmd_jobs(void *data, const char *arg);
/* Without -j. CMD_GO_ON, or CMD_USAGE after a message about CSTRACE_JOBS. */
int cmd_jobs_default(const struct cmd_desc *cmd, struct session_opts *so);

/*
 * CPU time that the control groups of this process grant it, in CPUs, rounded up (cgroup v2: cpu.max; v1:
 * cpu.cfs_quota_us and cpu.cfs_period_us; the groups above it count as well). UINT_MAX: no limit. `root` is put
 * before /proc and /sys: "" but in tests.
 */
unsigned int jobs_cgroup_cpus(const char *root);

#endif
