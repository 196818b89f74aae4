/* SPDX-License-Identifier: BSD-3-Clause */
/* temp_dir.h - a folder below /tmp with the files of a test, which exists while the test runs. */
#ifndef TESTS_TEMP_DIR_H
#define TESTS_TEMP_DIR_H

#include <stddef.h>

/* Writes dir/name, and makes the folders of `name`. A test that cannot write fails. */
void temp_write(const char *dir, const char *name, const void *data, size_t len);
/* Removes the folder with all that is in it. 0, else what system() returns: the result of a cmocka teardown. */
int temp_remove(const char *dir);

#endif
