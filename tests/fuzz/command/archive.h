/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * archive.h - the input of fuzz_command: a command line, and the files that it is run with.
 *
 *   command (1), number of options (1), options, files up to the end
 *   option: row of the table in options.c (1), length (1), value
 *   file:   length of the name (1), name, length of the content (4, little endian), content
 *
 * Numbers beyond their range are taken modulo it, lengths end with the input: each input is an archive.
 */
#ifndef CSTRACE_TESTS_FUZZ_COMMAND_ARCHIVE_H
#define CSTRACE_TESTS_FUZZ_COMMAND_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#define ARCHIVE_OPTIONS 12u
#define ARCHIVE_FILES 24u
#define ARCHIVE_NAME 96u
#define ARCHIVE_VALUE 64u

struct archive_option {
	uint8_t row;
	uint8_t len;
	uint8_t value[ARCHIVE_VALUE];
};

struct archive_file {
	char name[ARCHIVE_NAME + 1];
	const uint8_t *data;	/* in the input, or the caller's */
	size_t len;
};

struct archive {
	uint8_t command;
	unsigned int nr_options, nr_files;
	struct archive_option options[ARCHIVE_OPTIONS];
	struct archive_file files[ARCHIVE_FILES];
};

void packed_read(struct archive *a, const uint8_t *data, size_t size);
/* Returns the length, or 0 if `max` bytes are too few. `out` may not overlap the content of the files. */
size_t archive_write(const struct archive *a, uint8_t *out, size_t max);
/* NULL: there is none. */
struct archive_file *packed_find(struct archive *a, const char *name);

#endif
