/* SPDX-License-Identifier: GPL-2.0-only */
/* messages.h - the messages of pprof.proto and propeller.proto, which protoc-c makes C code of (scripts/config). */
#ifndef CSTRACE_OUTPUTS_PROFILE_MESSAGES_H
#define CSTRACE_OUTPUTS_PROFILE_MESSAGES_H

#ifdef HAVE_PROTOBUF_C
#include <pprof.pb-c.h>
#include <propeller.pb-c.h>
#endif

#endif
