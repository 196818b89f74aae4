/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h - layout of an index file (man page cstrace-index(5)), shared by writer and reader. */
#ifndef CST_LIB_DECODER_INDEX_FILE_H
#define CST_LIB_DECODER_INDEX_FILE_H

#include "decoder/index/index_int.h"

#define INDEX_MAGIC 0x0a0d584449545343ull	/* "CSTIDX\r\n" */
#define INDEX_VERSION 2
#define INDEX_HEADER 40
#define INDEX_LENGTH_AT 16
#define INDEX_SUM_AT 24
#define INDEX_NAME_MAX 4096

/* First byte of a source block: which fields follow. */
enum source_flags {
	SOURCE_IDS = 1,		/* other trace IDs than in the last block */
	SOURCE_TRIGGERS = 2,
	SOURCE_BARRIERS = 4,
	SOURCE_ERRORS = 8,
	SOURCE_SYNCS = 16,
	SOURCE_ALL = 31,
};

/* First byte of a stream block: one bit per kind with a count, and these. */
enum block_flags {
	BLOCK_RANGE = 0x40,	/* times do not ascend */
	BLOCK_CONTEXTS = 0x80,	/* other contexts than in the last block */
};

#endif
