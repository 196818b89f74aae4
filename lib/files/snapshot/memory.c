/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - memory dumps as code sections and address spaces. Equal dumps of several cores become one
 * section, so that the blocks decoded from it are shared.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "files/snapshot/snapshot_int.h"

#define SPACES 8	/* one per bit of enum cst_memspace */
#define DEFAULT_DUMPS 16384
#define CODE_ALIGN 4	/* a map's address and offset must agree in these low bits */

/* A dump file that was opened; several devices may list it. */
struct region {
	const struct cst_snap_dump *dump;	/* the first that named it */
	struct cst_section *sec;		/* NULL: cannot be had */
	uint8_t *copy;
	uint64_t len;
	uint64_t pad;				/* bytes before the dump's first in the section */
};

/* What one core sees; made when it is first asked for. */
struct view {
	uint8_t ready;
	struct cst_space *space[SPACES];	/* all equal if no dump distinguishes them */
	struct cst_images *images;
};

struct cst_snap_memory {
	const struct cst_snapshot *ss;
	struct cst_image *img;
	struct region *regions;
	size_t n_regions;
	uint32_t *of_dump;	/* region of each dump, counted through all devices */
	uint32_t *first;	/* per device: number of its first dump */
	struct view *views;	/* per device, and one for no core */
	int single;		/* every dump belongs to every space */
};

struct builder {
	struct cst_snap_memory *mem;
	const struct cst_snap_io *io;
	size_t missing;
	uint32_t *hash;		/* region number + 1 */
	size_t hash_mask;
};

static int same_region(const struct cst_snap_dump *a, const struct cst_snap_dump *b)
{
	return a->offset == b->offset && a->length == b->length &&
	       a->address % CODE_ALIGN == b->address % CODE_ALIGN && !strcmp(a->file, b->file);
}

static uint64_t hash_dump(const struct cst_snap_dump *d)
{
	uint64_t h = 0xcbf29ce484222325u ^ d->offset;
	const char *p;

	h = h * 0x100000001b3u ^ d->length;
	for (p = d->file; *p; p++)
		h = (h ^ (uint8_t)*p) * 0x100000001b3u;
	return h ^ h >> 29;
}

/* Slot of a dump's region in the hash: empty, or that region's. */
static uint32_t *find_region(struct builder *b, const struct cst_snap_dump *dump)
{
	size_t i = hash_dump(dump) & b->hash_mask;

	while (b->hash[i] && !same_region(b->mem->regions[b->hash[i] - 1].dump, dump))
		i = (i + 1) & b->hash_mask;
	return &b->hash[i];
}

static int lost(struct builder *b, const struct cst_snap_device *dev, const struct cst_snap_dump *dump,
		int error, const char *text)
{
	b->missing++;
	cst_snap_say(b->io, dev->file, dump->line, error, text);
	return 0;
}

static int load_region(struct builder *b, const struct cst_snap_device *dev,
		       const struct cst_snap_dump *dump)
{
	struct region *r = &b->mem->regions[b->mem->n_regions++];
	const uint8_t *data = NULL;
	uint64_t len;
	size_t size = 0;

	r->dump = dump;
	if (b->io->open(b->io->ctx, dump->file, &data, &size) < 0)
		return lost(b, dev, dump, -CST_ERR_IO, "file of a memory dump cannot be read");
	if (dump->offset >= size)
		return lost(b, dev, dump, -CST_ERR_IO, "memory dump starts behind the end of its file");
	len = size - dump->offset;
	if (dump->length > len)
		lost(b, dev, dump, -CST_ERR_IO, "memory dump is longer than its file; it is cut");
	else if (dump->length)
		len = dump->length;
	if (len > UINT64_MAX - dump->address)
		len = UINT64_MAX - dump->address;
	data += dump->offset;
	r->pad = dump->address % CODE_ALIGN;
	if (r->pad) {
		r->copy = calloc(1, (size_t)(len + r->pad));
		if (!r->copy)
			return -CST_ERR_NOMEM;
		memcpy(r->copy + r->pad, data, (size_t)len);
		data = r->copy;
	}
	r->len = len;
	return cst_section_new(&r->sec, b->mem->img, data, len + r->pad, NULL);
}

static int load_device(struct builder *b, size_t device)
{
	const struct cst_snap_device *dev = &b->mem->ss->devices[device];
	uint32_t *slot;
	size_t i;
	int err = 0;

	for (i = 0; i < dev->n_dumps && !err; i++) {
		slot = find_region(b, &dev->dumps[i]);
		if (!*slot) {
			err = load_region(b, dev, &dev->dumps[i]);
			*slot = (uint32_t)b->mem->n_regions;
		}
		b->mem->of_dump[b->mem->first[device] + i] = *slot - 1;
	}
	return err;
}

/* Maps replace what was there, and the first dump is to win: from the last to the first. */
static int map_device(struct cst_snap_memory *mem, size_t device, struct cst_space *space,
		      unsigned int mask)
{
	const struct cst_snap_device *dev = &mem->ss->devices[device];
	const struct cst_snap_dump *dump;
	const struct region *r;
	size_t i = dev->n_dumps;
	int err = 0;

	while (i-- && !err) {
		dump = &dev->dumps[i];
		r = &mem->regions[mem->of_dump[mem->first[device] + i]];
		if (r->sec && r->len && (dump->space & mask))
			err = cst_space_map(space, dump->address, r->len, r->sec, r->pad);
	}
	return err;
}

/* Other cores come first, then memory spaces, then the core itself: the last one maps over the rest. */
static int map_space(struct cst_snap_memory *mem, size_t core, unsigned int mask, struct cst_space **out)
{
	static const uint8_t order[] = { CST_SNAP_CORE, CST_SNAP_MEMORY };
	const struct cst_snapshot *ss = mem->ss;
	size_t i, pass;
	int err;

	err = cst_space_new(out, mem->img);
	for (pass = 0; pass < sizeof(order); pass++)
		for (i = ss->n_devices; i-- && !err;)
			if (i != core && ss->devices[i].class_ == order[pass])
				err = map_device(mem, i, *out, mask);
	if (!err && core < ss->n_devices)
		err = map_device(mem, core, *out, mask);
	return err;
}

/* True if all dumps belong to every space. */
static int one_space(const struct cst_snapshot *ss)
{
	size_t i, k;

	for (i = 0; i < ss->n_devices; i++)
		for (k = 0; k < ss->devices[i].n_dumps; k++)
			if (ss->devices[i].dumps[k].space != CST_MEM_ANY)
				return 0;
	return 1;
}

static int load_all(struct builder *b)
{
	struct cst_snap_memory *mem = b->mem;
	const struct cst_snapshot *ss = mem->ss;
	size_t limit = b->io->limits.dumps ? b->io->limits.dumps : DEFAULT_DUMPS;
	size_t i, dumps = 0, slots = 16;
	int err = 0;

	mem->first = calloc(ss->n_devices + 1, sizeof(*mem->first));
	mem->views = calloc(ss->n_devices + 1, sizeof(*mem->views));
	if (!mem->first || !mem->views)
		return -CST_ERR_NOMEM;
	for (i = 0; i < ss->n_devices; i++) {
		mem->first[i] = (uint32_t)dumps;
		dumps += ss->devices[i].n_dumps;
		if (dumps > limit || dumps > UINT32_MAX / 4)
			return cst_snap_say(b->io, ss->devices[i].file, 0, -CST_ERR_LIMIT,
					    "more memory dumps than allowed");
	}
	while (slots < dumps * 2)
		slots *= 2;
	b->hash_mask = slots - 1;
	b->hash = calloc(slots, sizeof(*b->hash));
	mem->regions = calloc(dumps + 1, sizeof(*mem->regions));
	mem->of_dump = calloc(dumps + 1, sizeof(*mem->of_dump));
	if (!b->hash || !mem->regions || !mem->of_dump)
		return -CST_ERR_NOMEM;
	mem->single = one_space(ss);
	for (i = 0; i < ss->n_devices && !err; i++)
		err = load_device(b, i);
	return err;
}

int cst_snap_memory_new(struct cst_snap_memory **mem, const struct cst_snapshot *ss,
			struct cst_image *img, const struct cst_snap_io *io, size_t *missing)
{
	struct cst_snap_io own;
	struct builder b = { .io = TAKE(cst_snap_io, io, own) };
	int err;

	*mem = NULL;
	if (!b.io)
		return -CST_ERR_INVAL;
	b.mem = calloc(1, sizeof(*b.mem));
	if (!b.mem)
		return -CST_ERR_NOMEM;
	b.mem->ss = ss;
	b.mem->img = img;
	err = load_all(&b);
	free(b.hash);
	if (missing)
		*missing = b.missing;
	if (err) {
		cst_snap_memory_free(b.mem);
		return err;
	}
	*mem = b.mem;
	return 0;
}

void cst_snap_memory_free(struct cst_snap_memory *mem)
{
	size_t i;

	if (!mem)
		return;
	for (i = 0; i < mem->n_regions; i++)
		free(mem->regions[i].copy);
	for (i = 0; mem->views && i <= mem->ss->n_devices; i++)
		cst_images_free(mem->views[i].images);
	free(mem->regions);
	free(mem->of_dump);
	free(mem->first);
	free(mem->views);
	free(mem);
}

/* NULL when there is not enough memory for it. */
static struct view *view_of(struct cst_snap_memory *mem, const struct cst_snap_device *core)
{
	size_t device = core ? (size_t)(core - mem->ss->devices) : mem->ss->n_devices;
	struct view *v = &mem->views[device];
	unsigned int i;

	for (i = 0; i < SPACES && !v->ready; i++) {
		if (mem->single && i)
			v->space[i] = v->space[0];
		else if (map_space(mem, device, 1u << i, &v->space[i]))
			return NULL;
	}
	v->ready = 1;
	return v;
}

struct cst_space *cst_snap_memory_space(struct cst_snap_memory *mem, const struct cst_snap_device *core,
					enum cst_memspace space)
{
	const struct view *v = view_of(mem, core);
	unsigned int i;

	for (i = 0; i + 1 < SPACES; i++)
		if ((unsigned int)space & 1u << i)
			break;
	return v ? v->space[i] : NULL;
}

const struct cst_images *cst_snap_memory_images(struct cst_snap_memory *mem, const struct cst_snap_device *core)
{
	struct view *v = view_of(mem, core);
	struct cst_image_key key = { .ids = 0 };
	unsigned int i;
	int err = 0;

	if (!v || v->images)
		return v ? v->images : NULL;
	if (cst_images_new(&v->images))
		return NULL;
	for (i = 0; i < (mem->single ? 1 : SPACES) && !err; i++) {
		key.spaces = mem->single ? CST_MEM_ANY : 1u << i;
		err = cst_images_set(v->images, &key, v->space[i]);
	}
	if (err) {
		cst_images_free(v->images);
		v->images = NULL;
	}
	return v->images;
}
