/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trc_pkt_types_itm.h - packets and registers of ITM and DWT (DDI 0403, appendix D4). Not in 1.3.
 */
#ifndef CSTRACE_OPENCSD_ITM_TRC_PKT_TYPES_ITM_H
#define CSTRACE_OPENCSD_ITM_TRC_PKT_TYPES_ITM_H

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

typedef enum _ocsd_itm_pkt_type {
	ITM_PKT_NOTSYNC,		/* bytes before synchronisation */
	ITM_PKT_INCOMPLETE_EOT,		/* the trace ends inside of a packet */
	ITM_PKT_NO_ERR_TYPE,		/* err_type of a sound packet */

	ITM_PKT_ASYNC,
	ITM_PKT_OVERFLOW,
	ITM_PKT_SWIT,			/* a write to a stimulus port */
	ITM_PKT_DWT,			/* hardware source */
	ITM_PKT_TS_LOCAL,
	ITM_PKT_TS_GLOBAL_1,		/* bits 25:0 */
	ITM_PKT_TS_GLOBAL_2,		/* bits 47:26 or 63:26 */
	ITM_PKT_EXTENSION,

	ITM_PKT_BAD_SEQUENCE,
	ITM_PKT_RESERVED,

} ocsd_itm_pkt_type;

typedef struct _ocsd_itm_pkt {
	ocsd_itm_pkt_type type;
	/*
	 * SWIT: port; DWT: discriminator; TS_LOCAL: TC; TS_GLOBAL_1: 1 clock change, 2 wrap;
	 * EXTENSION: 0x80 of hardware, and the number of the value's highest bit.
	 */
	uint8_t src_id;
	uint32_t value;
	uint8_t val_sz;			/* bytes of the value */
	uint8_t val_ext;		/* TS_GLOBAL_2: its bits above 32 */
	ocsd_itm_pkt_type err_type;	/* by its header, of a bad packet */
} ocsd_itm_pkt;

typedef struct _ocsd_itm_cfg {
	uint32_t reg_tcr;		/* ITM_TCR: trace ID, prescaler of timestamps */
} ocsd_itm_cfg;

/* Bits of the DWT's packet of event counters, which have wrapped. */
typedef enum _ocsd_itm_dwt_ecntr {
	ITM_DWT_ECNTR_CPI = 0x01,
	ITM_DWT_ECNTR_EXC = 0x02,
	ITM_DWT_ECNTR_SLP = 0x04,
	ITM_DWT_ECNTR_LSU = 0x08,
	ITM_DWT_ECNTR_FLD = 0x10,
	ITM_DWT_ECNTR_CYC = 0x20,
} ocsd_itm_dwt_ecntr;

#endif
