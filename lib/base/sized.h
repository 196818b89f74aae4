/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sized.h - structs of a caller that was compiled with another version of the headers, which begin
 * with `struct_size` (cstrace.h, "Sizes of structs").
 */
#ifndef CST_LIB_BASE_SIZED_H
#define CST_LIB_BASE_SIZED_H

#include <stddef.h>

/*
 * The last member of each struct in the first release, up to which a struct_size of 0 reaches.
 * Members that are added later change no row; they begin behind the padding of the struct.
 */
#define LAST_cst_config q_off
#define LAST_cst_emit_opts period
#define LAST_cst_etmv3_regs traceidr
#define LAST_cst_etmv4_regs devarch
#define LAST_cst_event n_params
#define LAST_cst_image_key vmid
#define LAST_cst_index_opts max_records
#define LAST_cst_index_query from
#define LAST_cst_itm_regs tcr
#define LAST_cst_packet bytes
#define LAST_cst_protocol_ops stage_take
#define LAST_cst_snap_io limits.dumps
#define LAST_cst_snap_sink note
#define LAST_cst_state_counts memory
#define LAST_cst_state_limits inherited
#define LAST_cst_stm_regs hwfeatr
#define LAST_cst_tarmac_opts isa
#define LAST_cst_tarmac_record u
#define LAST_cst_unwrapped trigger

/* Size of a struct up to `last`, with its padding. */
#define SIZE_UP_TO(type, last) \
	((offsetof(type, last) + sizeof(((type *)NULL)->last) + _Alignof(type) - 1) / \
	 _Alignof(type) * _Alignof(type))
#define SIZE_FIRST(name) SIZE_UP_TO(struct name, LAST_##name)

/* Upper limit of struct_size: a larger one was not initialised. */
#define SIZED_MAX 4096u

/* Returns the size of a caller's struct. `first`: its size in the first release. */
static inline size_t sized_size(const void *given, size_t first)
{
	const size_t size = *(const size_t *)given;

	return size ? size : first;
}

/* cst_take_sized() for a struct that has another size than the library's. */
const void *cst_take_other(const void *given, size_t first, void *own, size_t own_size);

/*
 * Returns a caller's struct with all members of the library's: itself if it has the same size, else
 * a copy in `own`. NULL: there is none, or it is refused.
 */
static inline const void *cst_take_sized(const void *given, size_t first, void *own,
					 size_t own_size)
{
	return given && sized_size(given, first) != own_size ?
		       cst_take_other(given, first, own, own_size) :
		       given;
}

/*
 * Copies the library's struct to the caller's, but for struct_size, as far as both reach. Returns
 * 0, or -CST_ERR_INVAL if the caller's is refused.
 */
int cst_give_sized(void *given, size_t first, const void *own, size_t own_size);

#define TAKE(name, given, own) cst_take_sized(given, SIZE_FIRST(name), &(own), sizeof(own))
#define GIVE(name, given, own) cst_give_sized(given, SIZE_FIRST(name), &(own), sizeof(own))

#endif
