/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CSTRACE_SESSION_UNPACK_H
#define CSTRACE_SESSION_UNPACK_H

/* Compressed files: kernel modules and kernel images come as .gz, .xz and .zst. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No module or kernel image is larger; a file that claims to be is not unpacked. */
#define UNPACK_MAX (256u << 20)

bool is_packed(const uint8_t *p, size_t len);
/* From malloc(). NULL: damaged, too large, no memory, or a format that this build does not know. */
uint8_t *unpack(const uint8_t *p, size_t len, size_t *out_len);

#endif
