/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * digest.h - numbers that stand for bytes and for trace elements: to compare them, not to keep secrets.
 */
#ifndef CST_LIB_BASE_DIGEST_H
#define CST_LIB_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct cst_context;
struct cst_element;

#define DIGEST_START 0x243f6a8885a308d3ull

/* One word more. For a given word a bijection of the digest, and the reverse: one changed word always shows. */
static inline uint64_t digest_word(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * 0x9e3779b97f4a7c15ull;
	return digest ^ digest >> 29;
}

/* The same for bytes, of any number and alignment, and their number. */
uint64_t cst_digest_bytes(uint64_t digest, const void *data, size_t len);
uint64_t cst_digest_context(uint64_t digest, const struct cst_context *c);
/* What an element of its kind means; fields that the kind does not have make no difference. */
uint64_t cst_digest_element(uint64_t digest, const struct cst_element *e);

#endif
