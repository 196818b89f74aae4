/* SPDX-License-Identifier: BSD-3-Clause */
/* cli.h - the options of cst-gen: one table drives parsing and help. */
#ifndef CSTRACE_TESTS_GEN_CLI_H
#define CSTRACE_TESTS_GEN_CLI_H

#include "session.h"
#include "random.h"

struct cli {
	struct session_opts s;
	struct prog_opts prog;
	const char *flows[16], *images, *perf, *snapshot, *truth, *prefix, *symfs, *tarmac;
	uint64_t case_seed, insns;
	uint32_t exclude;
	uint32_t cc, vmid_set;
	int nflows;
	uint8_t print, no_ts, no_cid, no_rs, no_time_conv, timeless, timed;
	const char *buffers, *hw_id, *v7, *cid, *exclude_list;
};

/* 0, or -1 after a message */
int cli_parse(struct cli *c, int argc, char **argv);
/* applies the options that were given on top of options drawn from a seed */
int cli_reapply(struct cli *c, int argc, char **argv);
void cli_help(void);

#endif
