/* SPDX-License-Identifier: BSD-3-Clause */
/* temp_dir.h - a folder below /tmp with the files of a test, which exists while the test runs. */
#ifndef TESTS_TEMP_DIR_H
#define TESTS_TEMP_DIR_H

#include <stddef.h>
#include <stdlib.h>

/* Writes dir/name, and makes the folders of `name`. A test that cannot write fails. */
void temp_write(const char *dir, const char *name, const void *data, size_t len);
/* dir/name; valid until the eighth call after this one. */
const char *temp_path(const char *dir, const char *name);
/* Reads a text of fewer than size - 1 bytes. A test that cannot read it fails. */
void temp_read(const char *path, char *text, size_t size);
/* Returns the bytes of the file, with a 0 behind them, which become the caller's. `n`: their number. */
char *temp_content(const char *path, size_t *n);
/* Copies a text, with DIR where it names the folder. */
void temp_hide(const char *dir, const char *text, char *to, size_t size);
/* How many descriptors this process has open: the same before and after what closes all that it opens. */
unsigned int temp_descriptors(void);
/* Removes the folder with all that is in it. 0, else what system() returns: the result of a cmocka teardown. */
int temp_remove(const char *dir);

/* Defines the folder `dir` of a test program, with make_dir() and remove_dir() for cmocka_run_group_tests(). */
#define TEMP_DIR(name)						\
	static char dir[] = "/tmp/cstrace-" name "-XXXXXX";	\
								\
	static int make_dir(void **state)			\
	{							\
		(void)state;					\
		return mkdtemp(dir) ? 0 : -1;			\
	}							\
								\
	static int remove_dir(void **state)			\
	{							\
		(void)state;					\
		return temp_remove(dir);			\
	}

#endif
