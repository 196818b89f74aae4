/* SPDX-License-Identifier: GPL-2.0-only */
/* messages.c - what protoc-c made of perfetto.proto (scripts/config). */
#ifdef HAVE_PROTOBUF_C
#include <perfetto.pb-c.c>
#endif
