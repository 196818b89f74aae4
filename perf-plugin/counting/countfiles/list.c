/* SPDX-License-Identifier: GPL-2.0-only */
/* list.c - the files that are added, with their weights: from the command line or from a list. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "counting/countfiles/merge.h"

void merge_list_add(struct merge_list *list, const char *path, size_t len, uint64_t weight)
{
	*ARRAY_ADD(list->v, list->nr, list->cap) =
		(struct merge_file){ mem_text_part(path, len), weight };
}

/* A name that begins with digits and a comma is written behind a weight, or as ./NAME. */
int merge_list_add_text(struct merge_list *list, const char *text, size_t len)
{
	uint64_t weight = 0, digit;
	bool fits = true;
	size_t i;

	for (i = 0; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
		digit = (uint64_t)(text[i] - '0');
		fits = fits && weight <= (UINT64_MAX - digit) / 10;
		weight = 10 * weight + digit;
	}
	if (!i || i == len || text[i] != ',') {
		if (!len)
			return ERR_USAGE;
		merge_list_add(list, text, len, 1);
		return 0;
	}
	if (!weight || !fits || i + 1 == len)
		return ERR_USAGE;
	merge_list_add(list, text + i + 1, len - i - 1, weight);
	return 0;
}

static int read_lines(struct merge_list *list, FILE *f, const char *name, struct error *err)
{
	char *line = NULL;
	size_t size = 0, number = 0, len;
	ssize_t n;
	int rc = 0;

	while (!rc && (n = getline(&line, &size, f)) >= 0) {
		number++;
		len = (size_t)n;
		if (memchr(line, 0, len)) {
			rc = error_set(err, ERR_USAGE, "%s: line %zu: has a byte 0; expected a text with the name of a file "
				       "in each line", name, number);
			break;
		}
		while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
			len--;
		if (!len || line[0] == '#')
			continue;
		line[len] = 0;
		rc = merge_list_add_text(list, line, len);
		if (rc)
			error_set(err, rc, "%s: line %zu: '%s' is not understood; expected FILE or WEIGHT,FILE with a weight "
				  "from 1 to 18446744073709551615", name, number, line);
	}
	if (!rc && !feof(f))
		mem_check(errno);
	if (!rc && ferror(f))
		rc = error_set(err, ERR_IO, "%s: cannot be read: %s", name, strerror(errno));
	free(line);
	return rc;
}

int merge_list_read(struct merge_list *list, const char *path, struct error *err)
{
	FILE *f;
	int rc;

	if (!strcmp(path, "-"))
		return read_lines(list, stdin, "standard input", err);
	f = fopen(path, "re");
	if (!f) {
		mem_check(errno);
		return error_set(err, ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
	}
	rc = read_lines(list, f, path, err);
	fclose(f);
	return rc;
}

void merge_list_free(struct merge_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		free(list->v[i].path);
	free(list->v);
}
