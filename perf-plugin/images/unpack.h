/* SPDX-License-Identifier: GPL-2.0-only */
/* unpack.h - compressed files: kernel modules and kernel images come as .gz, .xz and .zst. */
#ifndef CSTRACE_IMAGES_UNPACK_H
#define CSTRACE_IMAGES_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * No module or kernel image is larger, and none is smaller by this factor when it is packed (5 is usual, of
 * xz; a file of zeros reaches thousands): a file that unpacks to more is not used. So all files together take
 * memory by their size on disk.
 */
#define UNPACK_MAX (256u << 20)
#define UNPACK_RATIO 64

enum unpack_result {
	UNPACK_DONE,
	UNPACK_DAMAGED,		/* or a format that this program does not know */
	UNPACK_LEFT_OUT,	/* made without the library that the format needs (NO_LZMA, NO_ZSTD) */
	UNPACK_LARGE,
	UNPACK_NO_MEMORY,
};

bool is_packed(const uint8_t *p, size_t len);
/* On success *out, from malloc(), holds *out_len bytes. */
enum unpack_result unpack(const uint8_t *p, size_t len, uint8_t **out, size_t *out_len);

#endif
