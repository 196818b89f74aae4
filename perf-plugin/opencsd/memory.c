/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - memory accessors: buffers, files and callbacks by address range and memory space. The
 * address space of a source is filled on demand, and emptied whenever something may have changed: with each context too,
 * so it has the code of one memory space at a time.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

static bool covers(const struct accessor *a, uint64_t addr, unsigned int space)
{
	return addr >= a->start && addr <= a->last && a->space & space;
}

static struct accessor *find(const struct ocsd_tree *t, uint64_t addr, unsigned int space)
{
	size_t i;

	for (i = 0; i < t->mem.nr_accessors; i++)
		if (covers(&t->mem.accessors[i], addr, space))
			return &t->mem.accessors[i];
	return NULL;
}

/* The decoder needs code at an unmapped address: most often a page that was used before, and unmapped since. */
static int map_known(void *data, struct cst_space *sp, uint64_t addr)
{
	struct source *s = data;
	struct ocsd_tree *t = s->tree;
	const struct accessor *a = find(t, addr, s->space);
	bool mapped;

	(void)sp;
	if (!a || a->bytes)
		return 0;
	/* nothing is unmapped, and no section given up, inside of the client's callback: the decoder uses them */
	t->decoding = true;
	mapped = page_map_known(t, s, a, addr);
	t->decoding = false;
	return mapped;
}

struct cst_space *memory_space(struct ocsd_tree *t, struct source *s)
{
	if (!t->mem.image && cst_image_new(&t->mem.image, OCSD_CACHE_LIMIT))
		return NULL;
	if (!s->code) {
		if (cst_space_new(&s->code, t->mem.image))
			return s->code = NULL;
		cst_space_set_on_demand(s->code, 1);
		cst_space_set_mapper(s->code, map_known, s);
	}
	return s->code;
}

void memory_unmap(struct ocsd_tree *t)
{
	unsigned int i;

	t->mem.mapped = false;
	for (i = 0; i < t->nr_all; i++)
		if (t->all[i]->code)
			cst_space_unmap(t->all[i]->code, 0, UINT64_MAX);
}

int memory_map(struct ocsd_tree *t, struct source *s, uint64_t start, uint64_t len, struct cst_section *sec)
{
	struct cst_space *sp = memory_space(t, s);

	if (!sp)
		return -CST_ERR_NOMEM;
	t->mem.mapped = true;
	return cst_space_map(sp, start, len, sec, start & 3);
}

void memory_drop(struct ocsd_tree *t, struct source *s)
{
	cst_space_free(s->code);
	s->code = NULL;
	pages_drop(t, s->id);
}

/* Nothing is there: up to where the next accessor begins, or the end of the page. */
static int map_hole(struct ocsd_tree *t, struct source *s, uint64_t addr)
{
	uint64_t end = addr | 0xfff;
	size_t i;

	for (i = 0; i < t->mem.nr_accessors; i++) {
		const struct accessor *a = &t->mem.accessors[i];

		if (a->space & s->space && a->start > addr && a->start <= end)
			end = a->start - 1;
	}
	return page_hole(t, s, addr, end - addr + 1);
}

int memory_want(struct ocsd_tree *t, struct source *s, uint64_t addr)
{
	struct accessor *a = find(t, addr, s->space);
	uint64_t skip, len;
	int err;

	if (!a)
		return map_hole(t, s, addr);
	if (!a->bytes)
		return page_map(t, s, a, addr);
	/* a section begins with a word: what precedes the first one is a page, as memory behind a callback is */
	skip = -a->start & 3;
	len = a->last - a->start + 1;
	if (addr - a->start < skip)
		return page_map(t, s, a, addr);
	if (!a->section) {
		err = cst_section_new(&a->section, t->mem.image, a->bytes + skip, len - skip, NULL);
		if (err)
			return err;
	}
	return memory_map(t, s, a->start + skip, len - skip, a->section);
}

uint32_t memory_read(struct ocsd_tree *t, uint64_t addr, unsigned int space, uint8_t id, uint32_t len,
		     uint8_t *buf)
{
	struct accessor *a = find(t, addr, space);
	bool busy = t->busy;	/* already, when a custom decoder reads */
	uint32_t n;

	if (!a)
		return 0;
	if (len && a->last - addr < len - 1)
		len = (uint32_t)(a->last - addr + 1);
	if (a->bytes) {
		memcpy(buf, a->bytes + (addr - a->start), len);
		return len;
	}
	t->busy = true;
	if (a->fn_id)
		n = a->fn_id(a->ctx, addr, (ocsd_mem_space_acc_t)space, id, len, buf);
	else
		n = a->fn(a->ctx, addr, (ocsd_mem_space_acc_t)space, len, buf);
	t->busy = busy;
	return n <= len ? n : 0;
}

/* The bits of the client's mask are those of enum cst_memspace. */
static unsigned int spaces_of(struct ocsd_tree *t, ocsd_mem_space_acc_t space)
{
	level_sign_space(t, (unsigned int)space);
	return (unsigned int)space & SPACES_1_8;
}

static ocsd_err_t add(struct ocsd_tree *t, const struct accessor *a)
{
	struct accessor *v;
	size_t i, cap;

	t->mem.used = true;
	if (!a->space || a->last < a->start)
		return OCSD_ERR_MEM_ACC_RANGE_INVALID;
	for (i = 0; i < t->mem.nr_accessors; i++)
		if (t->mem.accessors[i].space & a->space && t->mem.accessors[i].start <= a->last &&
		    a->start <= t->mem.accessors[i].last)
			return OCSD_ERR_MEM_ACC_OVERLAP;
	if (t->mem.nr_accessors == t->mem.cap_accessors) {
		cap = t->mem.cap_accessors ? t->mem.cap_accessors * 2 : 8;
		v = realloc(t->mem.accessors, cap * sizeof(*v));
		if (!v)
			return OCSD_ERR_MEM;
		t->mem.accessors = v;
		t->mem.cap_accessors = cap;
	}
	t->mem.accessors[t->mem.nr_accessors++] = *a;
	if (!t->decoding)
		memory_doubt(t);
	return OCSD_OK;
}

OCSD_EXPORT ocsd_err_t ocsd_dt_add_buffer_mem_acc(const dcd_tree_handle_t handle, const ocsd_vaddr_t address,
						  const ocsd_mem_space_acc_t space, const uint8_t *bytes,
						  const uint32_t len)
{
	struct ocsd_tree *t = tree_get(handle);
	struct accessor a = { .start = address, .last = address + len - 1, .bytes = bytes };

	if (!t || !bytes || !len)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	a.space = spaces_of(t, space);
	return err_last(add(t, &a));
}

static ocsd_err_t add_callback(struct ocsd_tree *t, struct accessor *a, ocsd_mem_space_acc_t space)
{
	if (!t || (!a->fn && !a->fn_id))
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	a->space = spaces_of(t, space);
	return err_last(add(t, a));
}

OCSD_EXPORT ocsd_err_t ocsd_dt_add_callback_mem_acc(const dcd_tree_handle_t handle, const ocsd_vaddr_t start,
						    const ocsd_vaddr_t last, const ocsd_mem_space_acc_t space,
						    Fn_MemAcc_CB fn, const void *ctx)
{
	struct accessor a = { .start = start, .last = last, .fn = fn, .ctx = ctx };

	return add_callback(tree_get(handle), &a, space);
}

OCSD_EXPORT ocsd_err_t ocsd_dt_add_callback_trcid_mem_acc(const dcd_tree_handle_t handle,
							  const ocsd_vaddr_t start, const ocsd_vaddr_t last,
							  const ocsd_mem_space_acc_t space,
							  Fn_MemAccID_CB fn, const void *ctx)
{
	struct accessor a = { .start = start, .last = last, .fn_id = fn, .ctx = ctx };

	return add_callback(tree_get(handle), &a, space);
}

/* The whole file; NULL: it cannot be read or is empty. */
static void *map_file(const char *path, size_t *len)
{
	void *p = NULL;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		*len = (size_t)st.st_size;
		p = mmap(NULL, *len, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED)
			p = NULL;
	}
	close(fd);
	return p;
}

OCSD_EXPORT ocsd_err_t ocsd_dt_add_binfile_region_mem_acc(const dcd_tree_handle_t handle,
							  const ocsd_file_mem_region_t *regions,
							  const int nr, const ocsd_mem_space_acc_t space,
							  const char *path)
{
	struct ocsd_tree *t = tree_get(handle);
	struct accessor a = { .file = true };
	ocsd_err_t err = OCSD_OK;
	size_t len = 0, before;
	uint8_t *file;
	int i;

	if (!t || !regions || nr <= 0 || !path)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	file = map_file(path, &len);
	if (!file)
		return err_last(OCSD_ERR_MEM_ACC_FILE_NOT_FOUND);
	a.space = spaces_of(t, space);
	before = t->mem.nr_accessors;
	a.path = strdup(path);
	if (!a.path)
		err = OCSD_ERR_MEM;
	for (i = 0; i < nr && !err; i++) {
		const ocsd_file_mem_region_t *r = &regions[i];

		if (!r->region_size || r->file_offset > len || r->region_size > len - r->file_offset) {
			err = OCSD_ERR_MEM_ACC_RANGE_INVALID;
			break;
		}
		a.start = r->start_address;
		a.last = r->start_address + r->region_size - 1;
		a.bytes = file + r->file_offset;
		a.same_file = i > 0;
		err = add(t, &a);
	}
	if (err) {
		t->mem.nr_accessors = before;
		free(a.path);
		munmap(file, len);
		return err_last(err);
	}
	t->mem.accessors[before].mapped = file;
	t->mem.accessors[before].mapped_len = len;
	return OCSD_OK;
}

OCSD_EXPORT ocsd_err_t ocsd_dt_add_binfile_mem_acc(const dcd_tree_handle_t handle, const ocsd_vaddr_t address,
						   const ocsd_mem_space_acc_t space, const char *path)
{
	ocsd_file_mem_region_t whole = { .start_address = address };
	struct stat st;

	if (!path)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	if (stat(path, &st) || st.st_size <= 0)
		return err_last(OCSD_ERR_MEM_ACC_FILE_NOT_FOUND);
	whole.region_size = (size_t)st.st_size;
	return ocsd_dt_add_binfile_region_mem_acc(handle, &whole, 1, space, path);
}

/* What an accessor holds; of a file the first region does. */
static void give_back(const struct accessor *a)
{
	if (!a->mapped)
		return;
	munmap(a->mapped, a->mapped_len);
	free(a->path);
}

/* A file of several regions is one accessor to the client: they all go. */
static void release(struct ocsd_tree *t, size_t first)
{
	size_t end = first + 1, i;

	while (t->mem.accessors[first].same_file)
		first--;
	while (end < t->mem.nr_accessors && t->mem.accessors[end].same_file)
		end++;
	/* their bytes are not ours any more: nothing decoded from them may be looked at again */
	for (i = first; i < end; i++)
		if (t->mem.accessors[i].section)
			cst_section_renew(t->mem.accessors[i].section, NULL, 0);
	give_back(&t->mem.accessors[first]);
	memmove(&t->mem.accessors[first], &t->mem.accessors[end],
		(t->mem.nr_accessors - end) * sizeof(*t->mem.accessors));
	t->mem.nr_accessors -= end - first;
}

/* Any address of an accessor means it, as for the reference. */
OCSD_EXPORT ocsd_err_t ocsd_dt_remove_mem_acc(const dcd_tree_handle_t handle, const ocsd_vaddr_t addr,
					      const ocsd_mem_space_acc_t space)
{
	struct ocsd_tree *t = tree_get(handle);
	struct accessor *a;

	if (!t || t->decoding)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	a = find(t, addr, spaces_of(t, space));
	if (!a)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	memory_doubt(t);
	release(t, (size_t)(a - t->mem.accessors));
	return OCSD_OK;
}

/* What OpenCSD's cache can have: bytes of a page, and pages. */
#define MIN_CACHE_PAGE	64
#define MAX_CACHE_PAGE	16384
#define MIN_CACHE_PAGES	4
#define MAX_CACHE_PAGES	256

OCSD_EXPORT ocsd_err_t ocsd_dt_set_mem_acc_cacheing(const dcd_tree_handle_t handle, const int enable,
						    const uint16_t page_size, const int nr_pages)
{
	struct ocsd_tree *t = tree_get(handle);

	if (!t)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	level_sign(t, CLIENT_1_8);
	if (!t->mem.used)
		return err_last(OCSD_ERR_NOT_INIT);
	/* What is decoded is never older than what the client would answer now: there is nothing to turn off. */
	if (enable && (page_size < MIN_CACHE_PAGE || page_size > MAX_CACHE_PAGE ||
		       nr_pages < MIN_CACHE_PAGES || nr_pages > MAX_CACHE_PAGES))
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	return OCSD_OK;
}

/*
 * The text for a mask of memory spaces, in the words of the interface: a name, or those of the bits
 * with commas.
 */
static void space_name(unsigned int space, char *buf, size_t size)
{
	static const struct {
		unsigned int space;
		const char *name;
	} names[] = {
		{ CST_MEM_EL1S, "EL1S" }, { CST_MEM_EL1N, "EL1N" }, { CST_MEM_EL2N, "EL2N" },
		{ CST_MEM_EL3, "EL3" },	  { CST_MEM_EL2S, "EL2S" }, { CST_MEM_EL1R, "EL1R" },
		{ CST_MEM_EL2R, "EL2R" }, { CST_MEM_ROOT, "Root" }, { SPACES_S, "Any S" },
		{ SPACES_N, "Any NS" },	  { SPACES_R, "Any R" },    { SPACES_1_3, "Any" },
		{ SPACES_1_8, "Any" },
	};
	size_t i, n = 0;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].space == space) {
			snprintf(buf, size, "%s", names[i].name);
			return;
		}
		if (i < 8 && names[i].space & space)
			n += (size_t)snprintf(buf + n, size - n, "%s,", names[i].name);
	}
}

/* An accessor is one message: a line for each of its `n` regions, and the name of the file. */
static void log_accessor(const struct accessor *a, size_t n)
{
	const char *kind = a->file ? "FileAcc" : a->bytes ? "BuffAcc" : "CB  Acc";
	char space[64], *text = NULL;
	size_t i, len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return;
	space_name(a->space, space, sizeof(space));
	for (i = 0; i < n; i++)
		fprintf(f, "%s; Range::0x%02llx:%llx; Mem Space::%s\n", kind,
			(unsigned long long)a[i].start, (unsigned long long)a[i].last, space);
	if (a->file)
		fprintf(f, "Filename=%s\n", a->path);
	if (!fclose(f))
		log_message(OCSD_ERR_SEV_INFO, LOG_GENERAL, text);
	free(text);
}

OCSD_EXPORT void ocsd_tl_log_mapped_mem_ranges(const dcd_tree_handle_t handle)
{
	struct ocsd_tree *t = tree_get(handle);
	size_t i = 0, n;

	if (!t || !t->mem.used)
		return;
	log_message(OCSD_ERR_SEV_INFO, LOG_GENERAL, "Mapped Memory Accessors");
	for (; i < t->mem.nr_accessors; i += n) {
		for (n = 1; i + n < t->mem.nr_accessors && t->mem.accessors[i + n].same_file; n++)
			;
		log_accessor(&t->mem.accessors[i], n);
	}
	log_message(OCSD_ERR_SEV_INFO, LOG_GENERAL, "========================");
}

void memory_free(struct ocsd_tree *t)
{
	size_t i;

	cst_image_free(t->mem.image);
	t->mem.image = NULL;
	for (i = 0; i < t->mem.nr_accessors; i++)
		give_back(&t->mem.accessors[i]);
	free(t->mem.accessors);
	pages_free(t);
}
