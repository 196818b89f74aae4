/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * opencsd_c_api.h - OpenCSD's C interface, as cstrace implements it (libopencsd_c_api).
 *
 * These headers are written for cstrace: names, values and layout are those of OpenCSD 1.8, so that
 * a program that is written for OpenCSD compiles with either. The section "live" of perf-cstrace(1)
 * says what the library does differently.
 *
 *     tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN);
 *     ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_FULL_DECODER, &cfg,
 *                            &id);
 *     ocsd_dt_add_buffer_mem_acc(tree, address, OCSD_MEM_SPACE_ANY, code, size);
 *     ocsd_dt_set_gen_elem_outfn(tree, on_element, context);
 *     ocsd_dt_process_data(tree, OCSD_OP_DATA, 0, size, trace, &used);
 *     ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
 *     ocsd_destroy_dcd_tree(tree);
 *
 * A tree is for one thread at a time; the log is common to all. Functions that return ocsd_err_t
 * return OCSD_OK, or why they did nothing; ocsd_get_last_err() gives the text.
 */
#ifndef CSTRACE_OPENCSD_C_API_OPENCSD_C_API_H
#define CSTRACE_OPENCSD_C_API_OPENCSD_C_API_H

#ifdef __cplusplus
#define OCSD_C_API extern "C"
#else
#define OCSD_C_API
#endif

#include <opencsd/c_api/ocsd_c_api_custom.h>
#include <opencsd/c_api/ocsd_c_api_types.h>

/*
 * The version that the client was compiled for: each of its objects defines it, of which the linker
 * keeps one, and the library reads it. Clients that were compiled with OpenCSD's headers have none.
 */
#if defined(__GNUC__) && !defined(OCSD_NO_CLIENT_VERSION)
#ifdef __cplusplus
extern "C" {
#endif
extern uint32_t cstrace_ocsd_client;
uint32_t cstrace_ocsd_client __attribute__((weak, used, visibility("default"))) = OCSD_VER_NUM;
#ifdef __cplusplus
}
#endif
#endif

/* ---- version: OCSD_VER_NUM and OCSD_VER_STRING of the library that the program runs with ---- */

OCSD_C_API uint32_t ocsd_get_version(void);
OCSD_C_API const char *ocsd_get_version_str(void);

/* ---- trees ---- */

/*
 * Makes a tree; C_API_INVALID_TREE_HANDLE: out of memory, or flags that contradict each other.
 * `deformatterCfgFlags` is a mask of OCSD_DFRMTR_*, of a tree of frames; a tree of a single source
 * has none.
 */
OCSD_C_API dcd_tree_handle_t ocsd_create_dcd_tree(const ocsd_dcd_tree_src_t src_type,
						  const uint32_t deformatterCfgFlags);

/* Destroys a tree and all that belongs to it; not inside of a callback. */
OCSD_C_API void ocsd_destroy_dcd_tree(const dcd_tree_handle_t handle);

/*
 * Passes `dataBlockSize` bytes of trace at `index` to the decoders, or another operation (no
 * bytes). The client's functions are called before it returns. *numBytesProcessed is what the
 * client need not pass again: fewer than all after a WAIT, upon which it calls with OCSD_OP_FLUSH
 * until the answer is CONT and continues behind these bytes.
 */
OCSD_C_API ocsd_datapath_resp_t ocsd_dt_process_data(const dcd_tree_handle_t handle,
						     const ocsd_datapath_op_t op,
						     const ocsd_trc_index_t index,
						     const uint32_t dataBlockSize,
						     const uint8_t *pDataBlock,
						     uint32_t *numBytesProcessed);

/* Sets the receiver of the elements of all sources. */
OCSD_C_API ocsd_err_t ocsd_dt_set_gen_elem_outfn(const dcd_tree_handle_t handle, FnTraceElemIn pFn,
						 const void *p_context);

/* ---- decoders ---- */

/*
 * Adds a decoder: OCSD_BUILTIN_DCD_* with the configuration of its protocol (ocsd_etmv4_cfg and so
 * on), or one that the client registered. `create_flags` is OCSD_CREATE_FLG_FULL_DECODER or
 * _PACKET_PROC, and OCSD_OPFLG_*. *pCSID gets its trace ID, by which the functions below find it;
 * in a tree of a single source they ignore the ID.
 */
OCSD_C_API ocsd_err_t ocsd_dt_create_decoder(const dcd_tree_handle_t handle,
					     const char *decoder_name, const int create_flags,
					     const void *decoder_cfg, unsigned char *pCSID);

OCSD_C_API ocsd_err_t ocsd_dt_remove_decoder(const dcd_tree_handle_t handle,
					     const unsigned char CSID);

/*
 * Attaches a receiver of packets, FnDefPktDataIn or FnDefPktDataMon; the last one replaces the one
 * before.
 */
OCSD_C_API ocsd_err_t ocsd_dt_attach_packet_callback(const dcd_tree_handle_t handle,
						     const unsigned char CSID,
						     const ocsd_c_api_cb_types callback_type,
						     void *p_fn_callback_data,
						     const void *p_context);

/* Gives the counts of a source. The block is the library's, and is filled in at each call. */
OCSD_C_API ocsd_err_t ocsd_dt_get_decode_stats(const dcd_tree_handle_t handle,
					       const unsigned char CSID,
					       ocsd_decode_stats_t **p_stats_block);
OCSD_C_API ocsd_err_t ocsd_dt_reset_decode_stats(const dcd_tree_handle_t handle,
						 const unsigned char CSID);

/*
 * ---- memory: code that was executed, by address and memory space; ranges of one space do not
 * overlap ----
 */

/* A whole file. */
OCSD_C_API ocsd_err_t ocsd_dt_add_binfile_mem_acc(const dcd_tree_handle_t handle,
						  const ocsd_vaddr_t address,
						  const ocsd_mem_space_acc_t mem_space,
						  const char *filepath);

/* Parts of a file. */
OCSD_C_API ocsd_err_t ocsd_dt_add_binfile_region_mem_acc(const dcd_tree_handle_t handle,
							 const ocsd_file_mem_region_t *region_array,
							 const int num_regions,
							 const ocsd_mem_space_acc_t mem_space,
							 const char *filepath);

/* Bytes, which have to stay as they are while the accessor exists. */
OCSD_C_API ocsd_err_t ocsd_dt_add_buffer_mem_acc(const dcd_tree_handle_t handle,
						 const ocsd_vaddr_t address,
						 const ocsd_mem_space_acc_t mem_space,
						 const uint8_t *p_mem_buffer,
						 const uint32_t mem_length);

/* A function of the client, for addresses from `st_address` to `en_address` inclusive. */
OCSD_C_API ocsd_err_t ocsd_dt_add_callback_mem_acc(const dcd_tree_handle_t handle,
						   const ocsd_vaddr_t st_address,
						   const ocsd_vaddr_t en_address,
						   const ocsd_mem_space_acc_t mem_space,
						   Fn_MemAcc_CB p_cb_func, const void *p_context);
OCSD_C_API ocsd_err_t ocsd_dt_add_callback_trcid_mem_acc(const dcd_tree_handle_t handle,
							 const ocsd_vaddr_t st_address,
							 const ocsd_vaddr_t en_address,
							 const ocsd_mem_space_acc_t mem_space,
							 Fn_MemAccID_CB p_cb_func,
							 const void *p_context);

/* Removes the accessor that contains the address. */
OCSD_C_API ocsd_err_t ocsd_dt_remove_mem_acc(const dcd_tree_handle_t handle,
					     const ocsd_vaddr_t st_address,
					     const ocsd_mem_space_acc_t mem_space);

/* Prints all accessors to the log. */
OCSD_C_API void ocsd_tl_log_mapped_mem_ranges(const dcd_tree_handle_t handle);

/*
 * OpenCSD: sets its cache of memory behind callbacks. This library has a cache of its own, which
 * asks a callback again before it uses older bytes; the arguments have no effect. Not in 1.3.
 */
OCSD_C_API ocsd_err_t ocsd_dt_set_mem_acc_cacheing(const dcd_tree_handle_t handle, const int enable,
						   const uint16_t page_size, const int nr_pages);

/* ---- the log ---- */

/* Sets what is logged; without `create_output_logger` nothing is printed. */
OCSD_C_API ocsd_err_t ocsd_def_errlog_init(const ocsd_err_severity_t verbosity,
					   const int create_output_logger);

/* Sets where to: a mask of C_API_MSGLOGOUT_FLG_*, and the name of the file. */
OCSD_C_API ocsd_err_t ocsd_def_errlog_config_output(const int output_flags,
						    const char *log_file_name);

/* Sets a function of the client that gets all lines as well. */
OCSD_C_API ocsd_err_t ocsd_def_errlog_set_strprint_cb(const dcd_tree_handle_t handle,
						      void *p_context,
						      FnDefLoggerPrintStrCB p_str_print_cb);

OCSD_C_API void ocsd_def_errlog_msgout(const char *msg);

/* Writes name and text of an error. */
OCSD_C_API void ocsd_err_str(const ocsd_err_t err, char *buffer, const int buffer_size);

/*
 * Returns the last error, OCSD_OK: there was none. OCSD_BAD_TRC_INDEX and OCSD_BAD_CS_SRC_ID: it
 * has no such.
 */
OCSD_C_API ocsd_err_t ocsd_get_last_err(ocsd_trc_index_t *index, uint8_t *chan_id, char *message,
					const int message_len);

/* ---- texts ---- */

OCSD_C_API ocsd_err_t ocsd_pkt_str(const ocsd_trace_protocol_t pkt_protocol, const void *p_pkt,
				   char *buffer, const int buffer_size);
OCSD_C_API ocsd_err_t ocsd_gen_elem_str(const ocsd_generic_trace_elem *p_pkt, char *buffer,
					const int buffer_size);

/* Makes an element of that type, without flags. */
OCSD_C_API void ocsd_gen_elem_init(ocsd_generic_trace_elem *p_pkt,
				   const ocsd_gen_trc_elem_t elem_type);

/* ---- printers: lines to the log in place of a receiver ---- */

/* Frames: OCSD_DFRMTR_PACKED_RAW_OUT, OCSD_DFRMTR_UNPACKED_RAW_OUT. */
OCSD_C_API ocsd_err_t ocsd_dt_set_raw_frame_printer(const dcd_tree_handle_t handle, int flags);

/* Elements of all sources. */
OCSD_C_API ocsd_err_t ocsd_dt_set_gen_elem_printer(const dcd_tree_handle_t handle);

/* Packets of a source; `monitor` is 0 for a decoder that makes packets only. */
OCSD_C_API ocsd_err_t ocsd_dt_set_pkt_protocol_printer(const dcd_tree_handle_t handle,
						       uint8_t cs_id, int monitor);

/* ---- decoders of the client (ocsd_c_api_custom.h) ---- */

/* Registers a factory and sets its protocol_id; the structure has to stay. */
OCSD_C_API ocsd_err_t ocsd_register_custom_decoder(const char *name,
						   ocsd_extern_dcd_fact_t *p_dcd_fact);

/* Forgets all factories. */
OCSD_C_API ocsd_err_t ocsd_deregister_decoders(void);

/* The text of a packet of a client's protocol. */
OCSD_C_API ocsd_err_t ocsd_cust_protocol_to_str(const ocsd_trace_protocol_t pkt_protocol,
						const void *trc_pkt, char *buffer,
						const int buflen);

#endif
