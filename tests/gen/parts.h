/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parts.h - the libraries that a build may be without (NO_ZSTD, NO_LZMA): what tests pack with. Where one is left out its
 * functions end the program, and tests that need it skip.
 */
#ifndef GEN_PARTS_H
#define GEN_PARTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline size_t part_left_out(const char *what)
{
	fprintf(stderr, "made without %s\n", what);
	exit(77);
}

#ifdef HAVE_ZSTD
#include <zstd.h>
#define HAS_ZSTD 1
#else
#define HAS_ZSTD 0
typedef void ZSTD_CStream;
typedef struct { const void *src; size_t size, pos; } ZSTD_inBuffer;
typedef struct { void *dst; size_t size, pos; } ZSTD_outBuffer;
#define ZSTD_createCStream() (part_left_out("zstd"), (ZSTD_CStream *)NULL)
#define ZSTD_initCStream(z, level) ((void)(z))
#define ZSTD_freeCStream(z) ((void)(z))
#define ZSTD_compressStream(z, out, in) ((void)(z), (void)(out), (in)->pos = (in)->size)
#define ZSTD_flushStream(z, out) ((void)(z), (void)(out), (size_t)0)
#define ZSTD_compress(to, room, from, n, level) ((void)(to), (void)(from), part_left_out("zstd"))
#define ZSTD_isError(rc) ((void)(rc), 0)
#endif

#ifdef HAVE_LZMA
#include <lzma.h>
#define HAS_LZMA 1
#else
#define HAS_LZMA 0
enum { LZMA_OK, LZMA_CHECK_CRC32 };
#define lzma_stream_buffer_bound(n) (n)
#define lzma_easy_buffer_encode(level, check, alloc, from, n, to, at, room) \
	((void)(from), (void)(to), (void)(at), (int)part_left_out("lzma"))
#endif

#ifdef HAVE_LIBTRACEEVENT
#define HAS_LIBTRACEEVENT 1
#else
#define HAS_LIBTRACEEVENT 0
#endif

/* In a test that needs a part: skips it with the reason. */
#define NEEDS(part) do { if (!HAS_##part) { print_message("made without " #part "\n"); skip(); } } while (0)

#endif
