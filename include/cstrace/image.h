/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * image.h - program images: code sections, and address spaces that map them.
 *
 * A section is an immutable range of code bytes with an identity (a file range of a build-id, a vDSO,
 * one version of kernel text). An address space maps virtual ranges to sections. Decoded blocks are
 * cached per section, so a context switch, exec or dlopen costs a lookup and never a re-decode; bytes
 * that change become a new section and nothing stale survives.
 *
 * An image, its sections and spaces belong to one thread at a time. Two images in two threads may
 * share the section bytes.
 */
#ifndef CSTRACE_IMAGE_H
#define CSTRACE_IMAGE_H

#include <cstrace/types.h>

CST_BEGIN

struct cst_image;
struct cst_section;
struct cst_space;

/* Memory space that code at exception level `el` (0..3) is fetched from. */
CST_API enum cst_memspace cst_memspace_of(unsigned int el, enum cst_security security);

/*
 * Create an image. `cache_limit` bounds the block cache in bytes (0: 128 MiB); it is emptied when full. A thousandth of
 * the size of sections without branches is kept beside it. -CST_ERR_NOMEM.
 */
CST_API int cst_image_new(struct cst_image **img, size_t cache_limit);
/* Frees the image with its sections and spaces. Section bytes stay the caller's. */
CST_API void cst_image_free(struct cst_image *img);

/*
 * Add a section of `size` bytes at `bytes` (little endian code), which must stay valid and unchanged
 * for the life of the image. With `bytes` NULL the section is lazy: a decoder that was asked to (cst_decoder_set_stop()
 * in tree.h) stops with CST_STOP_SECTION at its first use, and the caller answers with cst_section_set_bytes().
 * `cookie` is the caller's. -CST_ERR_LIMIT: more than 8 GiB; -CST_ERR_NOMEM.
 */
CST_API int cst_section_new(struct cst_section **sec, struct cst_image *img, const void *bytes,
			    uint64_t size, void *cookie);
/*
 * Supply the bytes of a lazy section; `bytes` NULL: they cannot be had, and every address in it is
 * reported as inaccessible from now on. `size` may be smaller than announced. -CST_ERR_INVAL: it is larger, or the section
 * has bytes.
 */
CST_API int cst_section_set_bytes(struct cst_section *sec, const void *bytes, uint64_t size);
/*
 * Use a section again for other bytes (NULL: none). It must not be mapped in any space. Empties the block
 * cache of the image if code of the section was decoded: for clients that have a limited number of
 * sections and many contents. `size` is at most what the section was made with.
 */
CST_API void cst_section_renew(struct cst_section *sec, const void *bytes, uint64_t size);
CST_API void *cst_section_cookie(const struct cst_section *sec);
/* Small number, unique in the image, from 1 in order of creation; cst_generic.section. */
CST_API uint32_t cst_section_id(const struct cst_section *sec);
/* Section by number; NULL when there is none. */
CST_API struct cst_section *cst_image_section(const struct cst_image *img, uint32_t id);

/* -CST_ERR_NOMEM. */
CST_API int cst_space_new(struct cst_space **space, struct cst_image *img);
CST_API void cst_space_free(struct cst_space *space);
/* A new space with the same maps (fork). -CST_ERR_NOMEM. */
CST_EXPERIMENTAL
CST_API int cst_space_clone(struct cst_space **copy, const struct cst_space *space);
/*
 * Map [start, start + len) to `sec` from offset `off`. What was mapped there before is replaced,
 * partially where it overlaps only partially, as mmap(2) does. -CST_ERR_INVAL: (start - off) is not a multiple of 4, the
 * range wraps, or the section is of another image; -CST_ERR_NOMEM: the space is as before.
 */
CST_API int cst_space_map(struct cst_space *space, uint64_t start, uint64_t len,
			  struct cst_section *sec, uint64_t off);
CST_API int cst_space_unmap(struct cst_space *space, uint64_t start, uint64_t len);
/*
 * Code at `addr`: *bytes gets a pointer to it; returns how many bytes follow there in the same map
 * (at most `max`), 0 when nothing is mapped, -CST_ERR_BUSY when the section is lazy and not loaded
 * (*sec tells which). *sec and *off may be NULL.
 */
CST_API int64_t cst_space_read(struct cst_space *space, uint64_t addr, uint64_t max,
			       const uint8_t **bytes, struct cst_section **sec, uint64_t *off);
/*
 * On demand: at an address where nothing is mapped the decoder stops, if asked to, with CST_STOP_SECTION, no
 * section, and cst_decoder_wanted(); the caller maps something there, a lazy section set to no bytes
 * if nothing can be had, and goes on. For clients whose memory is behind a function.
 */
CST_API void cst_space_set_on_demand(struct cst_space *space, int on);
/* Number of maps now. */
CST_EXPERIMENTAL
CST_API size_t cst_space_count(const struct cst_space *space);

/*
 * Images by context: which address space a processing element fetches from, by memory space, context ID and
 * VMID, each of which may be left open. Given to a decoder (cst_decoder_set_images() in tree.h), which then
 * changes spaces by itself at each context that is traced. Owns no spaces. May be read by several threads as
 * long as none changes it.
 */
struct cst_images;

struct cst_image_key {
	uint8_t spaces;		/* mask of enum cst_memspace; CST_MEM_ANY: all */
	uint8_t ids;		/* CST_CTX_CID, CST_CTX_VMID: the context must have been traced with this one */
	uint32_t context_id, vmid;
};

CST_EXPERIMENTAL
/* -CST_ERR_NOMEM. */
CST_API int cst_images_new(struct cst_images **images);
CST_EXPERIMENTAL
CST_API void cst_images_free(struct cst_images *images);
/*
 * Set the space of a key, replacing what an equal key had. `space` NULL: there is no code, also where a less
 * specific key has some. -CST_ERR_INVAL when no memory space, or an ID that is not known, is asked for. Counts
 * from the next context on that a decoder meets.
 */
CST_EXPERIMENTAL
CST_SIZED int cst_images_set(struct cst_images *images, const struct cst_image_key *key, struct cst_space *space);
/* -CST_ERR_NOT_FOUND when there is no such key. */
CST_EXPERIMENTAL
CST_SIZED int cst_images_remove(struct cst_images *images, const struct cst_image_key *key);
CST_EXPERIMENTAL
CST_API size_t cst_images_count(const struct cst_images *images);
/*
 * The space of the most specific key that fits: one that asks for both IDs comes before one that asks for the
 * context ID, then the VMID, then neither; among these the one with the fewest memory spaces. `spaces`: mask, any
 * of which fits; ctx->flags says which IDs were traced. NULL when none fits.
 */
CST_EXPERIMENTAL
CST_API struct cst_space *cst_images_find(const struct cst_images *images, unsigned int spaces,
					  const struct cst_context *ctx);

/* What the functions of these names call with the sizes that a caller was compiled with (cstrace.h). */
CST_API int cst_images_set_sized(struct cst_images *images, const struct cst_image_key *key, size_t size,
				 struct cst_space *space);
CST_API int cst_images_remove_sized(struct cst_images *images, const struct cst_image_key *key, size_t size);
#ifndef CST_BUILDING
CST_SIZED int cst_images_set(struct cst_images *images, const struct cst_image_key *key, struct cst_space *space)
{
	return cst_images_set_sized(images, key, sizeof(*key), space);
}

CST_SIZED int cst_images_remove(struct cst_images *images, const struct cst_image_key *key)
{
	return cst_images_remove_sized(images, key, sizeof(*key));
}
#endif

CST_END

#endif
