/* SPDX-License-Identifier: BSD-3-Clause */
/* countfile_build.h - count files in memory: written, read, added, and random ones of runs of the same programs. */
#ifndef TESTS_COUNTFILE_BUILD_H
#define TESTS_COUNTFILE_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include <cstrace/files/countfile.h>

struct bytes {
	uint8_t *p;
	size_t len, cap;
};

void bytes_put(struct bytes *b, const void *data, size_t len);
void bytes_free(struct bytes *b);

/* A cst_count_write_fn; data is a struct bytes. */
int bytes_write(void *data, const void *p, size_t len);

/* Bytes that are read in pieces; a cst_count_read_fn. */
struct piecewise {
	const uint8_t *p;
	size_t len, at;
	size_t piece;	/* 0: as much as is asked for */
};

long piecewise_read(void *data, void *buf, size_t size);

/* The file of records; a record that is refused fails the test. */
struct bytes file_of(const struct cst_count_record *recs, size_t n);
/* Adds a record and returns cst_count_write()'s result for a file that begins with `n` good ones. */
int refused(const struct cst_count_record *recs, size_t n, const struct cst_count_record *rec, const char **why);

/* Reads all records. Returns 0, or the error with its place. */
int read_all(const struct bytes *b, size_t piece, struct cst_count_record *last, uint64_t *place, const char **what);
/* Reads and writes it: the same bytes; fails otherwise. */
void assert_canonical(const struct bytes *b, size_t piece);

/* Adds files. Returns cst_count_merge()'s result. */
int merge(const struct bytes *files, const uint64_t *weights, size_t n, struct bytes *sum, size_t *failed, char *name,
	  size_t size);

/* A random file: the programs are drawn from `world`, what ran of them from `run`; `size`: records about, from 1. */
struct bytes random_file(uint32_t world, uint32_t run, unsigned int size);

uint32_t next_random(uint32_t *state, uint32_t below);

#endif
