/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.c - the kernel of the target: its version, configuration, modules, and what it does
 * with thread and trace IDs.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/format.h"
#include "outputs/target/internal.h"

/* ---- configuration ---------------------------------------------------------------------- */

/* The text of a gzip file, to be freed; NULL: it is none, or longer than a configuration. */
static char *inflate_text(const char *bytes, size_t size)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size };
	char *text;
	int rc;

	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return NULL;
	text = mem_new(TREE_MAX_TEXT + 1);
	z.next_out = (Bytef *)text;
	z.avail_out = TREE_MAX_TEXT;
	rc = inflate(&z, Z_FINISH);
	text[z.total_out] = 0;
	inflateEnd(&z);
	if (rc == Z_STREAM_END)
		return text;
	free(text);
	return NULL;
}

static char *config_text(struct tree *tr, const char *path, enum target_seen *seen)
{
	size_t size;
	char *text = tree_bytes(tr, path, TREE_MAX_TEXT, &size, seen), *bytes = text;

	if (!text)
		return NULL;
	if (size > 1 && !memcmp(bytes, "\x1f\x8b", 2)) {
		text = inflate_text(bytes, size);
		free(bytes);
	}
	if (text && strstr(text, "CONFIG_"))
		return text;
	*seen = TARGET_ODD;
	free(text);
	return NULL;
}

/* 'y' or 'm'; an option that a configuration does not set is off, named or not. */
static char option_value(const char *text, const char *name)
{
	char *key = format_text("%s=", name), *value = text_value(text, key);
	char c = value && (*value == 'y' || *value == 'm') && !value[1] ? *value : 'n';

	free(value);
	free(key);
	return c;
}

static bool take_config(struct tree *tr, char *path)
{
	struct target_kernel *k = &tr->t->kernel;
	enum target_seen seen;
	char *text = config_text(tr, path, &seen);
	int i;

	if (seen > k->config)
		k->config = seen;
	if (!text) {
		free(path);
		return false;
	}
	for (i = 0; i < NR_TARGET_OPTIONS; i++)
		k->option[i] = option_value(text, target_option_name(i));
	k->config_path = path;
	free(text);
	return true;
}

static void read_config(struct tree *tr)
{
	const char *release = tr->t->kernel.release;

	if (take_config(tr, mem_text("/proc/config.gz")) || !release)
		return;
	if (!take_config(tr, format_text("/boot/config-%s", release)))
		take_config(tr, format_text("/lib/modules/%s/config", release));
}

/* ---- modules ---------------------------------------------------------------------------- */

/* True if these name one module: files may have '_' for '-', and suffixes as .ko.xz. */
static bool same_module(const char *name, const char *module)
{
	while (*module && (*name == *module || (*name == '_' && *module == '-'))) {
		name++;
		module++;
	}
	return !*module && (!*name || !strncmp(name, ".ko", 3));
}

static void note_files(struct tree *tr, const char *folder)
{
	struct tree_list names;
	size_t i;
	int m;

	tree_names(tr, folder, false, &names);
	for (i = 0; i < names.nr; i++)
		for (m = 0; m < NR_TARGET_MODULES; m++)
			if (same_module(names.v[i], target_module_name(m)))
				tr->t->kernel.module[m].present = true;
	tree_names_free(&names);
}

/* Each line of /proc/modules begins with a name. */
static void note_loaded(struct target_kernel *k, char *text)
{
	char *line, *save;
	int m;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line[strcspn(line, " ")] = 0;
		for (m = 0; m < NR_TARGET_MODULES; m++)
			if (same_module(line, target_module_name(m)))
				k->module[m].loaded = true;
	}
}

static void read_modules(struct tree *tr)
{
	struct target_kernel *k = &tr->t->kernel;
	enum target_seen seen;
	char *text = tree_text(tr, "/proc/modules", TREE_MAX_TEXT, &seen), *folder;

	if (text)
		note_loaded(k, text);
	free(text);
	if (k->release) {
		folder = format_text("/lib/modules/%s/kernel/drivers/hwtracing/coresight",
				     k->release);
		note_files(tr, folder);
		free(folder);
	}
	if (tr->t->android) {
		note_files(tr, "/vendor/lib/modules");
		note_files(tr, "/vendor_dlkm/lib/modules");
	}
}

/* ---- the rest --------------------------------------------------------------------------- */

/*
 * A mitigation of Meltdown is the only use that AArch64 has for it, besides KASLR, for which it
 * is on, too.
 */
static enum target_answer read_kpti(struct tree *tr)
{
	char *text = tree_word(tr, "/sys/devices/system/cpu/vulnerabilities/meltdown");
	enum target_answer kpti = !text		      ? TARGET_UNKNOWN :
				  strstr(text, "PTI") ? TARGET_YES :
							TARGET_NO;

	free(text);
	return kpti;
}

/* The term contextid is an alias of the register that holds the thread. */
static enum target_answer read_vhe(const struct target *t)
{
	const struct target_term *term = target_term(t, "contextid");

	if (!term)
		return TARGET_UNKNOWN;
	return !strcmp(term->bits, "config:15") ? TARGET_YES :
	       !strcmp(term->bits, "config:14") ? TARGET_NO :
						  TARGET_UNKNOWN;
}

/*
 * Trace IDs are allocated since 6.3; a distribution can have that earlier, and cc_threshold, of
 * 6.7, came after it.
 */
static enum target_answer read_ids(const struct target *t)
{
	const struct target_kernel *k = &t->kernel;

	if (target_term(t, "cc_threshold"))
		return TARGET_YES;
	if (!k->major)
		return TARGET_UNKNOWN;
	return k->major > 6 || (k->major == 6 && k->minor >= 3) ? TARGET_YES : TARGET_NO;
}

void read_kernel(struct tree *tr)
{
	struct target_kernel *k = &tr->t->kernel;

	k->release = tree_word(tr, "/proc/sys/kernel/osrelease");
	if (k->release)
		text_version(k->release, &k->major, &k->minor);
	/* a name that leads elsewhere is none */
	if (k->release && (!*k->release || strchr(k->release, '/'))) {
		free(k->release);
		k->release = NULL;
	}
	read_config(tr);
	read_modules(tr);
	k->kpti = read_kpti(tr);
	k->vhe = read_vhe(tr->t);
	k->ids_dynamic = read_ids(tr->t);
	k->kcore = tree_seen(tr, "/proc/kcore");
}
