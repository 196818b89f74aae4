/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * facts.h - what the attributes, metadata and command lines show of how a recording was made, and
 * is read.
 */
#ifndef CSTRACE_SESSION_FACTS_H
#define CSTRACE_SESSION_FACTS_H

#include "session/losses/cures.h"

struct session;

struct cure_case session_made(const struct session *ss);

#endif
