/* SPDX-License-Identifier: GPL-2.0-only */
/* reasons.h - why something was lost, in words that fit what made the recording. */
#ifndef CSTRACE_SESSION_LOSSES_REASONS_H
#define CSTRACE_SESSION_LOSSES_REASONS_H

#include "session/losses/losses.h"

/* As loss_why(), without processes, threads and records of perf for trace that no operating system recorded. */
const char *loss_reason(enum loss cause, enum session_recorder by);

#endif
