/* SPDX-License-Identifier: BSD-3-Clause */
/* images.c - from a code address to a file, by way of /proc/self/maps. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "images.h"

#define MAX_FILES 4096

struct host_map {
	uintptr_t start, end;
	uint64_t offset;
	unsigned long inode;
	char path[PATH_MAX];
};

struct region {
	struct image_map map;
	uint8_t *copy;		/* nameless code: the bytes as written to the file */
	unsigned int checked;	/* the value of epoch it was last found unchanged at */
};

static struct region *regions;
static size_t n_regions, max_regions;
static char *files[MAX_FILES];
static uint32_t n_files, n_copies;
static unsigned int epoch;
static FILE *list;
static char flow_path[PATH_MAX], root_path[PATH_MAX];

int images_init(const char *flow, const char *root)
{
	char name[PATH_MAX + 16];

	snprintf(flow_path, sizeof(flow_path), "%s", flow);
	if (root && !realpath(root, root_path))
		return -1;
	snprintf(name, sizeof(name), "%s.images", flow);
	list = fopen(name, "w");
	return list ? 0 : -1;
}

void images_changed(void)
{
	epoch++;
}

void images_close(void)
{
	if (list)
		fclose(list);
	list = NULL;
}

static const char *recorded(const char *path)
{
	size_t n = strlen(root_path);

	return n && !strncmp(path, root_path, n) && path[n] == '/' ? path + n : path;
}

static uint32_t file_number(const char *path)
{
	uint32_t i;

	for (i = 0; i < n_files; i++)
		if (!strcmp(files[i], path))
			return i + 1;
	if (n_files == MAX_FILES)
		return 0;
	files[n_files] = strdup(path);
	if (!files[n_files])
		return 0;
	fprintf(list, "%" PRIu32 "\t%s\t%s\n", n_files + 1, path, recorded(path));
	fflush(list);
	return ++n_files;
}

/* The line of /proc/self/maps that holds @host. */
static int find_host(uintptr_t host, struct host_map *m)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[PATH_MAX + 128];
	int found = 0, at;

	if (!f)
		return 0;
	while (!found && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %" SCNx64 " %*s %lu %n", &m->start,
			   &m->end, &m->offset, &m->inode, &at) < 4)
			continue;
		if (host < m->start || host >= m->end)
			continue;
		line[strcspn(line, "\n")] = 0;
		snprintf(m->path, sizeof(m->path), "%s", line + at);
		found = 1;
	}
	fclose(f);
	return found;
}

static uint32_t write_copy(const void *host, size_t len)
{
	char name[PATH_MAX + 32], real[PATH_MAX];
	FILE *f;
	size_t done;

	snprintf(name, sizeof(name), "%s.code%" PRIu32, flow_path, n_copies++);
	f = fopen(name, "w");
	if (!f)
		return 0;
	done = fwrite(host, 1, len, f);
	if (fclose(f) || done != len || !realpath(name, real))
		return 0;
	return file_number(real);
}

static void forget_overlapping(uint64_t start, uint64_t len)
{
	size_t i, k = 0;

	for (i = 0; i < n_regions; i++) {
		struct image_map *m = &regions[i].map;

		if (m->start < start + len && start < m->start + m->len)
			free(regions[i].copy);
		else
			regions[k++] = regions[i];
	}
	n_regions = k;
}

static struct region *known(uint64_t pc, size_t len)
{
	static size_t last;
	size_t i;

	if (last < n_regions && pc - regions[last].map.start < regions[last].map.len &&
	    regions[last].map.start + regions[last].map.len - pc >= len)
		return &regions[last];
	for (i = 0; i < n_regions; i++) {
		if (pc - regions[i].map.start < regions[i].map.len) {
			last = i;
			return &regions[i];
		}
	}
	return NULL;
}

static int same_bytes(const struct region *r, uint64_t pc, const void *host, size_t len)
{
	uint64_t at = pc - r->map.start;

	if (!r->copy)
		return 1;
	if (len > r->map.len - at)
		len = r->map.len - at;
	return !memcmp(r->copy + at, host, len);
}

int images_find(uint64_t pc, const void *host, size_t len, struct image_map *map)
{
	struct region *r = known(pc, len);
	struct host_map m;
	uint8_t *copy = NULL;
	int keep;

	if (r && r->checked == epoch && same_bytes(r, pc, host, len))
		return 0;
	if (!find_host((uintptr_t)host, &m))
		return 0;
	map->start = pc - ((uintptr_t)host - m.start);
	map->len = m.end - m.start;
	map->offset = m.inode ? m.offset : 0;
	map->file = m.inode ? file_number(m.path) : 0;
	keep = r && r->map.start == map->start && r->map.len == map->len &&
	       (m.inode ? r->map.file == map->file && r->map.offset == map->offset :
			  r->copy && same_bytes(r, pc, host, len));
	if (keep) {
		r->checked = epoch;
		return 0;
	}
	if (!m.inode) {
		copy = malloc(map->len);
		if (!copy)
			return 0;
		memcpy(copy, (const void *)m.start, map->len);
		map->file = write_copy(copy, map->len);
	}
	forget_overlapping(map->start, map->len);
	if (n_regions == max_regions) {
		size_t n = max_regions ? 2 * max_regions : 64;
		struct region *p = realloc(regions, n * sizeof(*p));

		if (!p) {
			free(copy);
			return 0;
		}
		regions = p;
		max_regions = n;
	}
	regions[n_regions++] = (struct region){ *map, copy, epoch };
	return map->file != 0;
}
