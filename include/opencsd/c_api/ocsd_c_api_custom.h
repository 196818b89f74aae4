/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocsd_c_api_custom.h - decoders of the client: what the client implements, and what the library
 * calls it with.
 *
 * The client registers a factory under a name (ocsd_register_custom_decoder());
 * ocsd_dt_create_decoder() with this name has the factory make an instance, which gets the bytes of
 * its trace ID and delivers packets and elements through the functions of the library.
 */
#ifndef CSTRACE_OPENCSD_C_API_OCSD_C_API_CUSTOM_H
#define CSTRACE_OPENCSD_C_API_OCSD_C_API_CUSTOM_H

#include <opencsd/c_api/ocsd_c_api_types.h>

/* ---- an instance: filled in by the factory ---- */

/* Takes an operation of the data path; the arguments are those of ocsd_dt_process_data(). */
typedef ocsd_datapath_resp_t (*fnTraceDataIn)(const void *decoder_handle,
					      const ocsd_datapath_op_t op,
					      const ocsd_trc_index_t index,
					      const uint32_t dataBlockSize,
					      const uint8_t *pDataBlock,
					      uint32_t *numBytesProcessed);

/* Sets which receivers of packets there are. */
typedef void (*fnUpdatePktMonFlags)(const void *decoder_handle, const int flags);

#define OCSD_CUST_DCD_PKT_CB_USE_MON 0x1	/* the monitor */
#define OCSD_CUST_DCD_PKT_CB_USE_SINK 0x2	/* the sink of a decoder that makes packets only */

typedef struct _ocsd_extern_dcd_inst {
	fnTraceDataIn fn_data_in;
	fnUpdatePktMonFlags fn_update_pkt_mon;
	void *decoder_handle;		/* the first argument of both */
	char *p_decoder_name;
	uint8_t cs_id;			/* trace ID */
} ocsd_extern_dcd_inst_t;

/* ---- functions of the library: the first argument is lib_context ---- */

typedef ocsd_datapath_resp_t (*fnGenElemOpCB)(const void *lib_context,
					      const ocsd_trc_index_t index_sop,
					      const uint8_t trc_chan_id,
					      const ocsd_generic_trace_elem *elem);

typedef void (*fnLogErrorCB)(const void *lib_context, const ocsd_err_severity_t filter_level,
			     const ocsd_err_t code, const ocsd_trc_index_t idx,
			     const uint8_t chan_id, const char *pMsg);

typedef void (*fnLogMsgCB)(const void *lib_context, const ocsd_err_severity_t filter_level,
			   const char *msg);

/* Classifies an A32, T32 or A64 instruction. */
typedef ocsd_err_t (*fnDecodeArmInstCB)(const void *lib_context, ocsd_instr_info *instr_info);

/*
 * Reads from the tree's accessors: at most *num_bytes bytes, of which it returns the number there,
 * 0 for none.
 */
typedef ocsd_err_t (*fnMemAccessCB)(const void *lib_context, const ocsd_vaddr_t address,
				    const uint8_t cs_trace_id, const ocsd_mem_space_acc_t mem_space,
				    uint32_t *num_bytes, uint8_t *p_buffer);

typedef void (*fnPktMonCB)(const void *lib_context, const ocsd_datapath_op_t op,
			   const ocsd_trc_index_t index_sop, const void *pkt, const uint32_t size,
			   const uint8_t *p_data);

typedef ocsd_datapath_resp_t (*fnPktDataSinkCB)(const void *lib_context,
						const ocsd_datapath_op_t op,
						const ocsd_trc_index_t index_sop, const void *pkt);

/* An instance copies this when it is made. */
typedef struct _ocsd_extern_dcd_cb_fns {
	fnGenElemOpCB fn_gen_elem_out;
	fnLogErrorCB fn_log_error;
	fnLogMsgCB fn_log_msg;
	fnDecodeArmInstCB fn_arm_instruction_decode;
	fnMemAccessCB fn_memory_access;
	fnPktMonCB fn_packet_mon;
	fnPktDataSinkCB fn_packet_data_sink;
	int packetCBFlags;		/* OCSD_CUST_DCD_PKT_CB_* */
	const void *lib_context;
} ocsd_extern_dcd_cb_fns;

/* ---- the factory ---- */

/*
 * `create_flags` and `decoder_cfg` are those of ocsd_dt_create_decoder(). Fills in *p_decoder_inst.
 */
typedef ocsd_err_t (*fnCreateCustomDecoder)(const int create_flags, const void *decoder_cfg,
					    const ocsd_extern_dcd_cb_fns *p_lib_callbacks,
					    ocsd_extern_dcd_inst_t *p_decoder_inst);

typedef ocsd_err_t (*fnDestroyCustomDecoder)(const void *decoder_handle);

/* Gives the trace ID of a configuration. */
typedef ocsd_err_t (*fnGetCSIDFromConfig)(const void *decoder_cfg, unsigned char *p_csid);

/* Writes the text of a packet. */
typedef ocsd_err_t (*fnPacketToString)(const void *trc_pkt, char *buffer, const int buflen);

typedef struct _ocsd_extern_dcd_fact {
	fnCreateCustomDecoder createDecoder;
	fnDestroyCustomDecoder destroyDecoder;
	fnGetCSIDFromConfig csidFromConfig;
	fnPacketToString pktToString;

	ocsd_trace_protocol_t protocol_id;	/* set by ocsd_register_custom_decoder() */
} ocsd_extern_dcd_fact_t;

#endif
