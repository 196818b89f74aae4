/* SPDX-License-Identifier: GPL-2.0-only */
/* segments.c - reads the program headers of a package's images for their executable segments. */
#include "session/import/segments.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "machine/finder/elf_links.h"

#define PAGE	4096u
#define MAX_SAME	256	/* images looked at for a uuid */

void segments_init(struct segments *s, const struct cst_package *pkg)
{
	memset(s, 0, sizeof(*s));
	names_make(&s->images, pkg->n_images ? &pkg->images->name : NULL, pkg->n_images,
			  sizeof(*pkg->images));
}

static void forget(struct segments *s)
{
	free(s->name);
	free(s->v);
	s->name = NULL;
	s->v = NULL;
	s->nr = s->cap = 0;
	s->fixed = false;
}

void segments_free(struct segments *s)
{
	forget(s);
	names_free(&s->images);
}

/* Of images with one name the one that has the uuid, if the event gives one. */
static const struct cst_package_image *find_image(const struct segments *s, const struct cst_package *pkg,
						  const struct cst_event *ev)
{
	long n = names_find(&s->images, ev->name);
	const struct cst_package_image *img;
	size_t i;

	if (n < 0)
		return NULL;
	if (!ev->uuid.p || !*pkg->images[n].uuid)
		return &pkg->images[n];
	for (i = (size_t)n; i < pkg->n_images && i < (size_t)n + MAX_SAME; i++) {
		img = &pkg->images[i];
		if (cst_str_is(ev->name, img->name) && cst_str_is(ev->uuid, img->uuid))
			return img;
	}
	return NULL;
}

static void add(struct segments *s, uint64_t start, uint64_t size, uint64_t offset)
{
	*ARRAY_ADD(s->v, s->nr, s->cap) = (struct segment){ start, size, offset };
}

static void read_elf(struct segments *s, Elf *elf)
{
	uint64_t base = 0, slack;
	bool have_base = false;
	size_t n = 0, i;
	GElf_Ehdr eh;
	GElf_Phdr ph;

	if (!gelf_getehdr(elf, &eh) || elf_getphdrnum(elf, &n))
		return;
	s->fixed = eh.e_type == ET_EXEC;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		if (!have_base && !s->fixed)
			base = ph.p_vaddr & ~(uint64_t)(PAGE - 1);
		have_base = true;
		if (!(ph.p_flags & PF_X) || !ph.p_filesz)
			continue;
		slack = ph.p_vaddr & (PAGE - 1);
		if (slack > ph.p_offset)
			slack = 0;
		add(s, ph.p_vaddr - slack - base, ph.p_filesz + slack, ph.p_offset - slack);
	}
}

static void load(struct segments *s, const struct cst_package_image *img, struct folder *files)
{
	const uint8_t *data;
	Elf *elf;
	size_t len;

	if (folder_open(files, img->file, &data, &len) || !len)
		return;
	if (len < 4 || memcmp(data, ELFMAG, SELFMAG)) {
		add(s, 0, len, 0);
		return;
	}
	elf = elf_links_open(data, len);
	if (!elf)
		return;
	read_elf(s, elf);
	elf_links_close(elf);
}

bool segments_get(struct segments *s, const struct cst_package *pkg, struct folder *files,
		  const struct cst_event *ev, unsigned int nth, uint64_t *start, uint64_t *size,
		  uint64_t *offset)
{
	const struct cst_package_image *img;

	if (!nth) {
		img = find_image(s, pkg, ev);
		if (!img)
			return false;
		if (!s->name || strcmp(s->name, img->file)) {
			forget(s);
			s->name = mem_text(img->file);
			load(s, img, files);
		}
	}
	if (nth >= s->nr || (!s->fixed && !ev->has_base))
		return false;
	*start = s->v[nth].start + (s->fixed ? 0 : ev->base);
	*size = s->v[nth].size;
	*offset = s->v[nth].offset;
	return true;
}
