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

/* Returns the memory space that code at exception level `el` (0..3) is fetched from. */
CST_API enum cst_memspace cst_memspace_of(unsigned int el, enum cst_security security);

/*
 * Creates an image. `cache_limit` bounds the block cache in bytes (0: 128 MiB); a full cache is emptied. Sections in
 * which no branches were found yet cost another thousandth of their size. -CST_ERR_NOMEM.
 */
CST_API int cst_image_new(struct cst_image **img, size_t cache_limit);
/* Frees the image with its sections and spaces. The bytes of sections belong to the caller. */
CST_API void cst_image_free(struct cst_image *img);

/*
 * Adds a section of `size` bytes of little-endian code at `bytes`, which must stay valid and unchanged for the life of
 * the image. With `bytes` NULL the section is lazy: a decoder with CST_STOP_SECTION enabled (cst_decoder_set_stop() in
 * decoder.h) stops at its first use, and the caller then calls cst_section_set_bytes(). `cookie` is for the caller's own
 * use. -CST_ERR_LIMIT: more than 8 GiB; -CST_ERR_NOMEM.
 */
CST_API int cst_section_new(struct cst_section **sec, struct cst_image *img, const void *bytes,
			    uint64_t size, void *cookie);
/*
 * Supplies the bytes of a lazy section. `bytes` NULL: they are not available, and every address in the section counts
 * as inaccessible. `size` may be smaller than at creation. -CST_ERR_INVAL: it is larger, or the section has bytes
 * already.
 */
CST_API int cst_section_set_bytes(struct cst_section *sec, const void *bytes, uint64_t size);
/*
 * Replaces the bytes of a section (NULL: none), for clients with a limited number of sections and many contents. The
 * section must not be mapped in any space. Empties the block cache of the image if code of the section was decoded.
 * `size` is at most the size at creation.
 */
CST_API void cst_section_renew(struct cst_section *sec, const void *bytes, uint64_t size);
CST_API void *cst_section_cookie(const struct cst_section *sec);
/* Small number, unique in the image, from 1 in order of creation; cst_generic.section. */
CST_API uint32_t cst_section_id(const struct cst_section *sec);
/* Returns the section with this number, NULL if there is none. */
CST_API struct cst_section *cst_image_section(const struct cst_image *img, uint32_t id);

/* Creates an empty address space. -CST_ERR_NOMEM. */
CST_API int cst_space_new(struct cst_space **space, struct cst_image *img);
CST_API void cst_space_free(struct cst_space *space);
/*
 * Maps [start, start + len) to `sec` from offset `off`. Earlier maps of these addresses are replaced, in part if they
 * overlap in part, as with mmap(2). -CST_ERR_INVAL: (start - off) is not a multiple of 4, the range wraps, or the
 * section is of another image; -CST_ERR_NOMEM: the space is unchanged.
 */
CST_API int cst_space_map(struct cst_space *space, uint64_t start, uint64_t len,
			  struct cst_section *sec, uint64_t off);
CST_API int cst_space_unmap(struct cst_space *space, uint64_t start, uint64_t len);
/*
 * Reads code at `addr`: sets *bytes and returns the number of bytes that follow in the same map (at most `max`), 0 if
 * nothing is mapped, -CST_ERR_BUSY if the section is lazy and not loaded. *sec and *off are its section and offset;
 * either may be NULL.
 */
CST_API int64_t cst_space_read(struct cst_space *space, uint64_t addr, uint64_t max,
			       const uint8_t **bytes, struct cst_section **sec, uint64_t *off);
/*
 * Makes a space load maps on demand, for clients whose memory is behind a function. At an unmapped address a decoder
 * with CST_STOP_SECTION enabled stops without a section; the caller maps something at cst_decoder_wanted() (a lazy
 * section set to no bytes if no code is available) and pulls again.
 */
CST_API void cst_space_set_on_demand(struct cst_space *space, int on);
/*
 * Has a decoder ask `mapper` before it stops for an unmapped address of a space on demand, which saves most of what a stop
 * costs. It returns 1 if it has mapped something at `addr` with cst_space_map(), 0 if the decoder is to stop; it may then be
 * asked again before the stop. It is called inside of a pull: nothing else of the space or its image may be changed, no map
 * replaced, and no section made. `mapper` NULL: the decoder always stops. The space keeps `data`, which it does not own.
 */
typedef int (*cst_space_mapper)(void *data, struct cst_space *space, uint64_t addr);
CST_API void cst_space_set_mapper(struct cst_space *space, cst_space_mapper mapper, void *data);

/*
 * Table of address spaces by context: memory space, context ID and VMID, each of which may be a wildcard. A decoder
 * with a table (cst_decoder_set_images() in decoder.h) selects its space at each context element. The table does not own
 * the spaces. Several threads may read it as long as none changes it.
 */
struct cst_images;

struct cst_image_key {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	uint8_t spaces;		/* mask of enum cst_memspace; CST_MEM_ANY: all */
	uint8_t ids;		/* CST_CTX_CID, CST_CTX_VMID: the key matches only contexts with this traced ID */
	uint32_t context_id, vmid;
};

CST_EXPERIMENTAL
/* Creates an empty table. -CST_ERR_NOMEM. */
CST_API int cst_images_new(struct cst_images **images);
CST_EXPERIMENTAL
CST_API void cst_images_free(struct cst_images *images);
/*
 * Sets the space of a key, replacing that of an equal key. `space` NULL: no code, even if a less specific key has some.
 * -CST_ERR_INVAL: the key has no memory space or an unknown ID flag. Decoders use the change from their next context
 * on.
 */
CST_EXPERIMENTAL
CST_API int cst_images_set(struct cst_images *images, const struct cst_image_key *key,
			   struct cst_space *space);
/* Removes a key. -CST_ERR_NOT_FOUND: there is no such key. */
CST_EXPERIMENTAL
CST_API int cst_images_remove(struct cst_images *images, const struct cst_image_key *key);
/*
 * Returns the space of the most specific key that matches: one with both IDs before one with the context ID, then the
 * VMID, then neither; among equals the one with the fewest memory spaces. `spaces` is a mask, any of which may match;
 * ctx->flags says which IDs were traced. NULL if no key matches.
 */
CST_EXPERIMENTAL
CST_API struct cst_space *cst_images_find(const struct cst_images *images, unsigned int spaces,
					  const struct cst_context *ctx);

CST_END

#endif
