/* SPDX-License-Identifier: GPL-2.0-only */
/* guest_opts.c - parses the argument of --guest. */
#include "machine/guests/guest_opts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define KEYS "vmlinux, kallsyms, modules, symfs, data, pid or offset"

static const char *const file_keys[NR_GUEST_FILES] = {
	[GUEST_VMLINUX] = "vmlinux", [GUEST_KALLSYMS] = "kallsyms", [GUEST_MODULES] = "modules",
	[GUEST_SYMFS] = "symfs", [GUEST_DATA] = "data",
};

/* Reads a decimal number that is the whole text. */
static bool whole_number(const char *text, int64_t min, int64_t max, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 10);
	return end != text && !*end && !errno && *value >= min && *value <= max;
}

static char **file_slot(struct guest_opts *o, const char *key, size_t len)
{
	unsigned int i;

	for (i = 0; i < NR_GUEST_FILES; i++)
		if (strlen(file_keys[i]) == len && !strncmp(file_keys[i], key, len))
			return &o->file[i];
	return NULL;
}

/* Takes "KEY=VALUE". Returns NULL, or what is wrong with it. */
static const char *take_word(struct guest_opts *o, char *word)
{
	char *value = strchr(word, '='), **slot;
	int64_t n;

	if (!value || !value[1])
		return "expected KEY=VALUE with " KEYS;
	slot = file_slot(o, word, (size_t)(value - word));
	*value++ = 0;
	if (slot) {
		if (*slot)
			return "is given twice";
		*slot = mem_text(value);
	} else if (!strcmp(word, "pid")) {
		if (!whole_number(value, 1, INT32_MAX, &n))
			return "expected the number of a process";
		o->pid = (int)n;
	} else if (!strcmp(word, "offset")) {
		if (!whole_number(value, INT64_MIN / 2, INT64_MAX / 2, &o->offset))
			return "expected a number of nanoseconds";
		o->has_offset = true;
	} else {
		return "expected " KEYS;
	}
	return NULL;
}

static bool take_words(struct guest_opts *o, char *words, char *msg, size_t len)
{
	const char *wrong;
	char *word;

	while ((word = strsep(&words, ","))) {
		wrong = take_word(o, word);
		if (!wrong)
			continue;
		snprintf(msg, len, "'%.200s': %s", word, wrong);
		return false;
	}
	if (o->has_offset && !o->file[GUEST_DATA]) {
		snprintf(msg, len,
			 "'offset' without 'data=FILE', the recording whose clock it is about");
		return false;
	}
	return true;
}

bool guest_parse(struct guest_opts *o, const char *text, char *msg, size_t len)
{
	const char *colon = strchr(text, ':');
	char *id = colon ? mem_text_part(text, (size_t)(colon - text)) : NULL, *words;
	int64_t n = 0;
	bool good;

	memset(o, 0, sizeof(*o));
	o->pid = -1;
	good = id && whole_number(id, 0, UINT32_MAX, &n);
	o->id = (uint32_t)n;
	free(id);
	if (!good) {
		snprintf(msg, len,
			 "found '%.200s', expected ID:KEY=VALUE[,KEY=VALUE], as 3:vmlinux=FILE",
			 text);
		return false;
	}
	words = mem_text(colon + 1);
	good = take_words(o, words, msg, len);
	free(words);
	if (!good)
		guest_opts_free(o);
	return good;
}

bool guest_check(const char *text, char *msg, size_t len)
{
	struct guest_opts o;

	if (!guest_parse(&o, text, msg, len))
		return false;
	guest_opts_free(&o);
	return true;
}

void guest_opts_free(struct guest_opts *o)
{
	unsigned int i;

	for (i = 0; i < NR_GUEST_FILES; i++)
		free(o->file[i]);
	memset(o->file, 0, sizeof(o->file));
}
