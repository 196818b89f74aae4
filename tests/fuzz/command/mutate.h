/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mutate.h - changes to an input of fuzz_command that keep it a command line with files: a file is changed by what is
 * in it, so that sizes, offsets and checksums still hold and readers come to what lies behind them.
 */
#ifndef CSTRACE_TESTS_FUZZ_COMMAND_MUTATE_H
#define CSTRACE_TESTS_FUZZ_COMMAND_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As libFuzzer calls a custom mutator and crossover. */
size_t mutate_archive(uint8_t *data, size_t size, size_t max, uint32_t seed);
size_t mutate_cross(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out, size_t max,
		    uint32_t seed);

/* The content of a file that is changed. */
struct blob {
	uint8_t *p;
	size_t len, cap;
	uint32_t random;	/* state of next_random() */
};

uint32_t blob_random(struct blob *b, uint32_t below);	/* `below` 0: 0 */
uint64_t blob_get(const struct blob *b, size_t at, unsigned int bytes);	/* little endian; 0 beyond the end */
void blob_put(struct blob *b, size_t at, unsigned int bytes, uint64_t v);	/* nothing beyond the end */
/* `remove` bytes at `at` become `add` others, which are zero where `from` is NULL. False: no room. */
bool blob_splice(struct blob *b, size_t at, size_t remove, const uint8_t *from, size_t add);
/* A number in [at, at + size) becomes one that is near, at a border, or from elsewhere in the file. */
void blob_number(struct blob *b, size_t at, size_t size);
/* A few bytes in [at, at + size) are left to libFuzzer; the size stays. */
void blob_bytes(struct blob *b, size_t at, size_t size);

/* False: it is not such a file. */
bool mutate_perf(struct blob *b);
bool mutate_elf(struct blob *b);
bool mutate_index(struct blob *b);
bool mutate_counts(struct blob *b);
bool mutate_jitdump(struct blob *b);
bool mutate_text(struct blob *b);

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#endif
