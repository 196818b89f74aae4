/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "session/textfile.h"

/* A kernel with everything built in has about 20 MB of names. */
#define FIRST_TEXT	(1u << 20)
#define MAX_TEXT	(256u << 20)

/* Files of /proc have no size, so they are read until they end. */
static char *read_all(int fd)
{
	size_t len = 0, cap = FIRST_TEXT;
	char *text = malloc(cap + 1), *bigger;
	ssize_t n = 0;

	while (text && (n = read(fd, text + len, cap - len)) > 0) {
		len += (size_t)n;
		if (len < cap)
			continue;
		bigger = cap < MAX_TEXT ? realloc(text, 2 * cap + 1) : NULL;
		if (!bigger) {
			free(text);
			errno = cap < MAX_TEXT ? ENOMEM : EFBIG;
			return NULL;
		}
		text = bigger;
		cap *= 2;
	}
	if (text && n < 0) {
		free(text);
		return NULL;
	}
	if (text)
		text[len] = 0;
	return text;
}

char *text_file_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), saved;
	char *text;

	if (fd < 0)
		return NULL;
	text = read_all(fd);
	saved = errno;
	close(fd);
	errno = saved;
	return text;
}
