/* SPDX-License-Identifier: GPL-2.0-only */
/* check.c - the verdict of all findings. */
#include "outputs/check/check.h"

enum able check_verdict(const struct target_findings *fs)
{
	int a;

	if (findings_able(fs, ABLE_USER, NULL) == ABLE_NO)
		return ABLE_NO;
	for (a = 0; a < NR_ABILITIES; a++)
		if (findings_able(fs, (enum target_ability)a, NULL) != ABLE_YES)
			return ABLE_LIMITED;
	return ABLE_YES;
}
