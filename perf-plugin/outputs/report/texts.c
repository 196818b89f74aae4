/* SPDX-License-Identifier: GPL-2.0-only */
/* texts.c - searches and reads source files. */
#include "outputs/report/texts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/files/input.h"

/* Larger ones are not shown: the largest known source, the amalgamation of SQLite, has 9 MB. */
#define MAX_TEXT	(32u << 20)

void texts_init(struct texts *t, const char *source, const char *symfs)
{
	*t = (struct texts){ .source = source && *source ? source : NULL, .symfs = symfs && *symfs ? symfs : NULL };
}

static void release(struct text *t)
{
	free(t->path);
	free(t->bytes);
	free(t->line);
	*t = (struct text){ .used = false };
}

void texts_free(struct texts *t)
{
	unsigned int i;

	for (i = 0; i < TEXTS_KEPT; i++)
		release(&t->v[i]);
}

/* Finds the begins of lines. False: this is no text. */
static bool find_lines(struct text *t)
{
	size_t n = 1, i;

	if (memchr(t->bytes, 0, t->size))
		return false;
	for (i = 0; i < t->size; i++)
		n += t->bytes[i] == '\n';
	t->line = mem_array(n + 1, sizeof(*t->line));
	t->line[0] = 0;
	for (i = 0, n = 1; i < t->size; i++)
		if (t->bytes[i] == '\n')
			t->line[n++] = i + 1;
	/* the text behind the last end of a line is a line, unless it is empty */
	if (t->line[n - 1] == t->size)
		n--;
	t->line[n] = t->size;
	t->nr_lines = n;
	return true;
}

/* Reads the file at `path`, which is freed or kept. False: it is not there, or no text. */
static bool read_text(struct text *t, char *path)
{
	struct stat st;

	t->bytes = path && !stat(path, &st) && S_ISREG(st.st_mode) ? input_read(path, MAX_TEXT, &t->size) : NULL;
	if (t->bytes && find_lines(t)) {
		t->path = path;
		return true;
	}
	free(t->bytes);
	t->bytes = NULL;
	free(path);
	return false;
}

/* Searches `name` below a folder, then what remains of it without its first folders. */
static bool search(struct text *t, const char *folder, const char *name)
{
	while (name && *name) {
		if (read_text(t, input_in_root(folder, name)))
			return true;
		name = strchr(name + strspn(name, "/"), '/');
	}
	return false;
}

static void find(struct texts *ts, struct text *t, const char *name)
{
	if (ts->source && search(t, ts->source, name))
		return;
	/* names come from the programs: with a root they are not those of files of this machine */
	if (ts->symfs)
		read_text(t, input_in_root(ts->symfs, name));
	else if (name[0] == '/')
		read_text(t, mem_text(name));
}

const struct text *texts_of(struct texts *ts, uint32_t file, const char *name)
{
	struct text *t;
	unsigned int i;

	for (i = 0; i < TEXTS_KEPT; i++)
		if (ts->v[i].used && ts->v[i].file == file)
			return &ts->v[i];
	t = &ts->v[ts->next++ % TEXTS_KEPT];
	release(t);
	t->file = file;
	t->used = true;
	find(ts, t, name);
	return t;
}

bool text_line(const struct text *t, unsigned int line, const char **text, size_t *n)
{
	size_t end;

	if (!line || line > t->nr_lines)
		return false;
	end = t->line[line];
	*text = t->bytes + t->line[line - 1];
	*n = end - t->line[line - 1];
	if (*n && (*text)[*n - 1] == '\n')
		--*n;
	return true;
}
