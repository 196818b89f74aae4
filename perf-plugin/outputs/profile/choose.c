/* SPDX-License-Identifier: GPL-2.0-only */
/* choose.c - finds a binary of the model by name, and lists them all. */
#include "outputs/profile/choose.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/name.h"
#include "base/path.h"
#include "machine/images/dso.h"
#include "machine/images/library.h"

static const char *file_of(const struct model_binary *b)
{
	return b->dso ? dso_file(b->dso) : NULL;
}

/* By the last part of the recorded path, or of that of the file that was found for it (vmlinux for the kernel). */
static bool named(const struct model_binary *b, const char *name)
{
	const char *file = file_of(b);

	return !strcmp(path_base(b->is.name), name) || (file && !strcmp(path_base(file), name));
}

#define BUILD_ID "build-id:"

#define ID_TEXT	(2 * CST_COUNT_ID_MAX + 1)

/* Writes the hexadecimal digits of an id. Returns their number. */
static size_t id_text(const struct model_binary *b, char text[ID_TEXT])
{
	size_t i;

	text[0] = 0;
	for (i = 0; i < b->is.id_len; i++)
		snprintf(text + 2 * i, 3, "%02x", b->is.id[i]);
	return 2 * i;
}

/* True if `want` has the hexadecimal digits of the binary's build-id, or the first of them. */
static bool has_build_id(const struct model_binary *b, const char *want)
{
	char text[ID_TEXT];
	size_t n = strlen(want), all = id_text(b, text);

	return b->is.id_kind == CST_COUNT_ID_BUILD && n && n <= all && !strncasecmp(text, want, n);
}

/* NULL: none, or several. */
static struct model_binary *with_build_id(struct model_binary *const *v, size_t n, const char *digits)
{
	struct model_binary *found = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!has_build_id(v[i], digits))
			continue;
		if (found)
			return NULL;
		found = v[i];
	}
	return found;
}

/* How many have a path, recorded or found. *found: the only one; of several, the only one whose file is here; or NULL. */
static size_t with_path(struct model_binary *const *v, size_t n, const char *path, struct model_binary **found)
{
	struct model_binary *first = NULL, *here = NULL;
	size_t i, all = 0, files = 0;

	for (i = 0; i < n; i++) {
		const char *file = file_of(v[i]);

		if (strcmp(v[i]->is.name, path) && (!file || strcmp(file, path)))
			continue;
		first = first ? first : v[i];
		all++;
		if (file) {
			here = v[i];
			files++;
		}
	}
	/* methods of generated code have no files, and many have one name: the one with most instructions */
	*found = all && (all == 1 || model_without_file(first)) ? first : files == 1 ? here : NULL;
	return all;
}

struct model_binary *choose_named(struct model_binary *const *v, size_t n, const char *want)
{
	struct model_binary *found = NULL;
	size_t i;

	if (!strncmp(want, BUILD_ID, strlen(BUILD_ID)))
		return with_build_id(v, n, want + strlen(BUILD_ID));
	if (with_path(v, n, want, &found))
		return found;
	for (i = 0; i < n; i++) {
		if (!named(v[i], path_base(want)))
			continue;
		/* two files of the same name, so the full path is required */
		if (found)
			return NULL;
		found = v[i];
	}
	return found;
}

/* False for libraries, the kernel and its modules, and for code that is in no file, as methods of generated code. */
static bool is_program(const struct model_binary *b)
{
	return !model_without_file(b) && !library_name(b->is.name);
}

struct model_binary *choose_main(struct model_binary *const *v, size_t n)
{
	struct model_binary *found = NULL;
	size_t i;

	if (n == 1)
		return v[0];
	for (i = 0; i < n; i++) {
		if (!is_program(v[i]))
			continue;
		if (found)
			return NULL;
		found = v[i];
	}
	return found;
}

const struct model_binary *choose_first(struct model_binary *const *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (is_program(v[i]))
			return v[i];
	return n ? v[0] : NULL;
}

bool choose_empty(const struct model_binary *b)
{
	return !b->nr_ranges && !b->nr_edges;
}

/* True if another binary has the same path, so that only the build-ids differ. */
static bool needs_id(struct model_binary *const *v, size_t n, const struct model_binary *b)
{
	size_t i;

	for (i = 0; i < n && b->is.id_kind == CST_COUNT_ID_BUILD; i++)
		if (v[i] != b && v[i]->is.id_kind == CST_COUNT_ID_BUILD && !strcmp(v[i]->is.name, b->is.name))
			return true;
	return false;
}

void choose_list(FILE *out, struct model_binary *const *v, size_t n, uint64_t elsewhere,
		 const char *unit)
{
	char id[ID_TEXT];
	size_t i;

	if (!n)
		fprintf(out, "  no instruction could be decoded: see the lines above, and 'perf-cstrace info'\n");
	for (i = 0; i < n; i++) {
		fprintf(out, "  %15" PRIu64 " %s  %s", v[i]->insns, unit,
			name_shown(v[i]->is.name));
		if (needs_id(v, n, v[i]) && id_text(v[i], id))
			fprintf(out, " (" BUILD_ID "%s)", id);
		fputc('\n', out);
	}
	if (elsewhere)
		fprintf(out, "  %15" PRIu64 " %s  in no single file\n", elsewhere, unit);
}
