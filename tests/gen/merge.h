/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge.h - reads flow files; several of them become processes that share the CPUs. A stretch
 * (FLOW_ON to FLOW_OFF) is what one process executes at a time; it gets the CPU that is free
 * first, and its times move to where CPU and process are free. One file alone passes unchanged.
 */
#ifndef CSTRACE_TESTS_GEN_MERGE_H
#define CSTRACE_TESTS_GEN_MERGE_H

#include "flow.h"

#define MERGE_MAX 16
#define MERGE_IMAGES 1000	/* image numbers of file i begin at i times this */

struct merge;

/* NULL after a message */
struct merge *merge_open(const char *const *paths, int n, int cpus);
/* 1: a record, 0: end, -1: error after a message */
int merge_next(struct merge *m, struct flow_rec *r);
void merge_close(struct merge *m);

#endif
