/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zip_w.h - writes zip archives as Android has them: libraries stored and aligned, other members
 * compressed.
 */
#ifndef CSTRACE_TESTS_GEN_ZIP_W_H
#define CSTRACE_TESTS_GEN_ZIP_W_H

#include "util.h"

struct zipw_member {
	const char *name;
	const uint8_t *p;
	size_t len;
	uint8_t compressed;	/* says so; the bytes are written as they are */
	uint32_t align;		/* of the bytes in the archive; 0: none */
	uint64_t at;		/* result: offset of the bytes */
};

/* zip64: sizes and offsets of 64 bits, although none is needed */
void zipw_write(struct gbuf *out, struct zipw_member *members, int n, int zip64);

#endif
