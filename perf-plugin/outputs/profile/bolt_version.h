/* SPDX-License-Identifier: GPL-2.0-only */
/* bolt_version.h - the version of perf2bolt that a profile is written for. */
#ifndef CSTRACE_OUTPUTS_PROFILE_BOLT_VERSION_H
#define CSTRACE_OUTPUTS_PROFILE_BOLT_VERSION_H

#include <stdbool.h>

/* Reads "bolt-N". False: it is something else, or there is no such version. */
bool bolt_version_read(const char *text, unsigned int *version);

/*
 * Returns the earliest version of perf2bolt in the folders of PATH, where packages have the names
 * perf2bolt-N. 0: there is none, or one that has no number in its name.
 */
unsigned int bolt_version_found(void);

#endif
