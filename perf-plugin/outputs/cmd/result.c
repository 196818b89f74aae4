/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * result.c - the exit codes of commands that decode: what was lost, and how much of it is accepted.
 */
#include <stdio.h>

#include "counting/countfiles/lost.h"
#include "outputs/cmd/options.h"
#include "session/losses/share.h"
#include "session/session.h"

int cmd_max_loss(void *data, const char *arg)
{
	if (loss_share_read(arg, data))
		return 0;
	fprintf(stderr,
		"cstrace: --max-loss: found '%s', expected a share from 0%% to 100%%, as 0.5%%\n",
		arg);
	return -1;
}

bool cmd_loss_above(const struct loss_share *s, uint32_t max)
{
	const bool asked = s->unknown && cmd_was_given("max-loss");

	if (asked)
		fprintf(stderr,
			"cstrace: the share of the trace that is lost is " LOST_UNKNOWN_WORDS
			"; --max-loss=100%% accepts that\n");
	return (asked && max < LOSS_SHARE_ALL) || loss_share_above(s, max);
}

int cmd_decoded(const struct session *ss, bool lacks)
{
	if (!session_decoded(ss))
		return CMD_NOTHING;
	return lacks || session_lossy(ss) ? CMD_LOSSES : CMD_OK;
}
