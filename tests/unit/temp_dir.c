/* SPDX-License-Identifier: BSD-3-Clause */
#include "temp_dir.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

void temp_write(const char *dir, const char *name, const void *data, size_t len)
{
	char path[256], *slash;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (slash = strchr(path + strlen(dir) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0755);
		*slash = '/';
	}
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

void temp_read(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, size - 1, f);
	assert_true(n < size - 1);
	text[n] = 0;
	fclose(f);
}

void temp_hide(const char *dir, const char *text, char *to, size_t size)
{
	const char *at;
	size_t n = 0;

	for (; (at = strstr(text, dir)); text = at + strlen(dir))
		n += (size_t)snprintf(to + n, size - n, "%.*sDIR", (int)(at - text), text);
	snprintf(to + n, size - n, "%s", text);
}

const char *temp_path(const char *dir, const char *name)
{
	static char path[8][300];
	static unsigned int n;

	n = (n + 1) % 8;
	assert_true(snprintf(path[n], sizeof(path[n]), "%s/%s", dir, name) < (int)sizeof(path[n]));
	return path[n];
}

unsigned int temp_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

int temp_remove(const char *dir)
{
	char cmd[96];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	return system(cmd);
}

char *temp_content(const char *path, size_t *n)
{
	FILE *f = fopen(path, "re");
	char *p;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*n = (size_t)ftell(f);
	p = malloc(*n + 1);
	assert_non_null(p);
	rewind(f);
	assert_int_equal(fread(p, 1, *n, f), *n);
	p[*n] = 0;
	fclose(f);
	return p;
}
