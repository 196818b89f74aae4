/* SPDX-License-Identifier: GPL-2.0-only */
/* unpack.h - compressed kernel modules and kernel images (.gz, .xz, .zst). */
#ifndef CSTRACE_MACHINE_IMAGES_UNPACK_H
#define CSTRACE_MACHINE_IMAGES_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Limit of the decompressed size. No module or kernel image is larger, or compresses by a larger factor (xz has about
 * 5, a file of zeros reaches thousands). It bounds the memory of all files together by their size on disk.
 */
#define UNPACK_MAX (256u << 20)
#define UNPACK_RATIO 64

enum unpack_result {
	UNPACK_DONE,
	UNPACK_DAMAGED,		/* damaged, or an unknown format */
	UNPACK_LEFT_OUT,	/* built without the library of the format (NO_LZMA, NO_ZSTD) */
	UNPACK_LARGE,
};

bool is_packed(const uint8_t *p, size_t len);
/* Decompresses into *out (malloc) of *out_len bytes. */
enum unpack_result unpack(const uint8_t *p, size_t len, uint8_t **out, size_t *out_len);

#endif
