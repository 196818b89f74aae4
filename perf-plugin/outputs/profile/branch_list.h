/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * branch_list.h - counts as branch lists of simpleperf (perfdata/branch_list.h), of all binaries.
 */
#ifndef CSTRACE_OUTPUTS_PROFILE_BRANCH_LIST_H
#define CSTRACE_OUTPUTS_PROFILE_BRANCH_LIST_H

#include "base/files/output.h"
#include "outputs/profile/whole.h"

/*
 * Return 1 if there would be no list. On stderr: what lists cannot say, and whose file is missing.
 */
int branch_list_write(struct pd_output *out, const struct whole *w);
int branch_list_write_packed(struct pd_output *out, const struct whole *w);
int branch_list_write_old(struct pd_output *out, const struct whole *w);

#endif
