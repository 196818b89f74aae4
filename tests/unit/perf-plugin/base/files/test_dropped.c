/* SPDX-License-Identifier: BSD-3-Clause */
/* test_files_dropped.c - parts of mapped files that leave memory, to be read again when they are used. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files/input.h"
#include "base/files/mapped.h"
#include "unit/temp_dir.h"

TEMP_DIR("dropped")

/* True if the page at `p` is in this process's memory. */
static bool has_page(const void *p, size_t page)
{
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &entry, sizeof(entry), (off_t)((uintptr_t)p / page * sizeof(entry))), sizeof(entry));
	close(fd);
	return entry >> 63;
}

/* Of a mapping for reading alone, the whole pages of the part leave memory. */
static void dropped(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 4 * page;
	uint8_t *p, *bytes = malloc(size);
	unsigned int sum = 0;
	char path[60];
	size_t i, n;

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 'x', size);
	temp_write(dir, "file", bytes, size);
	snprintf(path, sizeof(path), "%s/file", dir);
	p = (uint8_t *)(uintptr_t)input_map(path, PROT_READ, &n);
	assert_true(p && n == size);
	for (i = 0; i < size; i++)
		sum += p[i];
	assert_int_equal(sum, size * 'x');
	mapped_drop(p + 1, 3 * page - 2);
	for (i = 0; i < 4; i++)
		assert_int_equal(has_page(p + i * page, page), i != 1);
	mapped_drop(p + 2 * page + 1, page - 2);
	assert_true(has_page(p + 2 * page, page));
	assert_int_equal(p[page], 'x');
	input_unmap(p, n);
	/* what was written stays: of a mapping, and of other memory */
	p = (uint8_t *)(uintptr_t)input_map(path, PROT_READ | PROT_WRITE, &n);
	assert_non_null(p);
	p[page] = 'y';
	mapped_drop(p, size);
	assert_int_equal(p[page], 'y');
	input_unmap(p, n);
	mapped_drop(bytes, size);
	for (i = 0; i < size; i++)
		assert_int_equal(bytes[i], 'x');
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(dropped, make_dir, remove_dir),
	};

	return cmocka_run_group_tests_name("dropped files", tests, NULL, NULL);
}
