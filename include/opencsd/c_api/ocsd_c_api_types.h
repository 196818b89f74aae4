/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocsd_c_api_types.h - types of OpenCSD's C interface alone: handles, the client's functions, flags
 * of the log.
 */
#ifndef CSTRACE_OPENCSD_C_API_OCSD_C_API_TYPES_H
#define CSTRACE_OPENCSD_C_API_OCSD_C_API_TYPES_H

#include <opencsd/ocsd_if_types.h>
#include <opencsd/ocsd_if_version.h>
#include <opencsd/trc_gen_elem_types.h>
#include <opencsd/trc_pkt_types.h>

#include <opencsd/ete/trc_pkt_types_ete.h>
#include <opencsd/etmv3/trc_pkt_types_etmv3.h>
#include <opencsd/etmv4/trc_pkt_types_etmv4.h>
#include <opencsd/itm/trc_pkt_types_itm.h>
#include <opencsd/ptm/trc_pkt_types_ptm.h>
#include <opencsd/stm/trc_pkt_types_stm.h>

typedef void *dcd_tree_handle_t;
#define C_API_INVALID_TREE_HANDLE ((dcd_tree_handle_t)0)

/* Where the log goes, a mask: ocsd_def_errlog_config_output(). */
#define C_API_MSGLOGOUT_FLG_NONE 0x0
#define C_API_MSGLOGOUT_FLG_FILE 0x1
#define C_API_MSGLOGOUT_FLG_STDERR 0x2
#define C_API_MSGLOGOUT_FLG_STDOUT 0x4
#define C_API_MSGLOGOUT_MASK 0x7

/*
 * Functions of the client. `index_sop` is the index of the packet that the element or packet is
 * made of. What pointers lead to is valid during the call only.
 */

/* Receives elements. */
typedef ocsd_datapath_resp_t (*FnTraceElemIn)(const void *p_context,
					      const ocsd_trc_index_t index_sop,
					      const uint8_t trc_chan_id,
					      const ocsd_generic_trace_elem *elem);

/*
 * Receives packets of a decoder that makes packets only; `p_packet_in` is ocsd_etmv4_i_pkt and so
 * on, by protocol.
 */
typedef ocsd_datapath_resp_t (*FnDefPktDataIn)(const void *p_context, const ocsd_datapath_op_t op,
					       const ocsd_trc_index_t index_sop,
					       const void *p_packet_in);

/* Receives packets of any decoder, with their bytes. */
typedef void (*FnDefPktDataMon)(const void *p_context, const ocsd_datapath_op_t op,
				const ocsd_trc_index_t index_sop, const void *p_packet_in,
				const uint32_t size, const uint8_t *p_data);

/* Receives lines of the log and of printers. */
typedef void (*FnDefLoggerPrintStrCB)(const void *p_context, const char *psz_msg_str,
				      const int str_len);

/* Which function ocsd_dt_attach_packet_callback() is passed. */
typedef enum _ocsd_c_api_cb_types {
	OCSD_C_API_CB_PKT_SINK,		/* FnDefPktDataIn */
	OCSD_C_API_CB_PKT_MON,		/* FnDefPktDataMon */
} ocsd_c_api_cb_types;

#endif
