/* SPDX-License-Identifier: GPL-2.0-only */
/* messages.c - compiles the code that protoc-c made. */
#ifdef HAVE_PROTOBUF_C
#include <pprof.pb-c.c>
#include <propeller.pb-c.c>
#endif
