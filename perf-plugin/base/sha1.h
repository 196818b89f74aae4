/* SPDX-License-Identifier: GPL-2.0-only */
/* sha1.h - SHA-1 (FIPS 180-4): identities of files and code, as a build-id is one. It protects nothing. */
#ifndef CSTRACE_BASE_SHA1_H
#define CSTRACE_BASE_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define SHA1_SIZE	20u

struct sha1 {
	uint32_t h[5];
	uint64_t len;		/* bytes so far */
	uint8_t block[64];	/* the last len % 64 bytes */
};

void sha1_init(struct sha1 *s);
void sha1_add(struct sha1 *s, const void *data, size_t len);
void sha1_end(struct sha1 *s, uint8_t out[SHA1_SIZE]);

#endif
