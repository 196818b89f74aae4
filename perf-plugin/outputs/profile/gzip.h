/* SPDX-License-Identifier: GPL-2.0-only */
/* gzip.h - packs what is written to an output as one gzip file (RFC 1952), fast rather than small. */
#ifndef CSTRACE_OUTPUTS_PROFILE_GZIP_H
#define CSTRACE_OUTPUTS_PROFILE_GZIP_H

#include <stddef.h>

#include "base/files/output.h"

struct gzip;

struct gzip *gzip_new(struct pd_output *out);
void gzip_write(struct gzip *g, const void *data, size_t n);
/* Writes the end of the file, and frees `g`. */
void gzip_end(struct gzip *g);

#endif
