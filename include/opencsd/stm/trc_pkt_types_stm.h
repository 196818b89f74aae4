/* SPDX-License-Identifier: BSD-3-Clause */
/* trc_pkt_types_stm.h - packets and registers of STM (IHI 0054). */
#ifndef CSTRACE_OPENCSD_STM_TRC_PKT_TYPES_STM_H
#define CSTRACE_OPENCSD_STM_TRC_PKT_TYPES_STM_H

#include <opencsd/trc_pkt_types.h>

typedef enum _ocsd_stm_pkt_type {
	STM_PKT_NOTSYNC,		/* bytes before synchronisation */
	STM_PKT_INCOMPLETE_EOT,		/* the trace ends inside of a packet */
	STM_PKT_NO_ERR_TYPE,		/* err_type of a sound packet */

	STM_PKT_ASYNC,
	STM_PKT_VERSION,
	STM_PKT_FREQ,
	STM_PKT_NULL,
	STM_PKT_TRIG,
	STM_PKT_GERR,			/* an error of an unknown master */
	STM_PKT_MERR,			/* an error of this master */
	STM_PKT_M8,			/* master */
	STM_PKT_C8,			/* channel, the lower half */
	STM_PKT_C16,			/* channel */
	STM_PKT_FLAG,
	STM_PKT_D4,			/* data, by their bits */
	STM_PKT_D8,
	STM_PKT_D16,
	STM_PKT_D32,
	STM_PKT_D64,

	STM_PKT_BAD_SEQUENCE,
	STM_PKT_RESERVED,

} ocsd_stm_pkt_type;

/* How timestamps are encoded, by the version packet. */
typedef enum _ocsd_stm_ts_type {
	STM_TS_UNKNOWN,
	STM_TS_NATBINARY,
	STM_TS_GREY
} ocsd_stm_ts_type;

/* Master, channel and timestamp hold from packet to packet. */
typedef struct _ocsd_stm_pkt {
	ocsd_stm_pkt_type type;
	uint8_t master;
	uint16_t channel;
	uint64_t timestamp;		/* binary, however it was encoded */
	uint8_t pkt_ts_bits;		/* number of its bits in this packet */
	uint8_t pkt_has_ts;
	ocsd_stm_ts_type ts_type;
	uint8_t pkt_has_marker;
	union {
		uint8_t D8;		/* also D4, and the parameter of other packets */
		uint16_t D16;		/* also the nibbles of a reserved header */
		uint32_t D32;		/* also a frequency */
		uint64_t D64;
	} payload;
	ocsd_stm_pkt_type err_type;	/* by its header, of a bad packet */
} ocsd_stm_pkt;

/* Trace of hardware events. */
typedef enum _hw_event_feat {
	HwEvent_Unknown_Disabled,
	HwEvent_Enabled,		/* of master reg_hwev_mast, whatever the registers say */
	HwEvent_UseRegisters
} hw_event_feat_t;

typedef struct _ocsd_stm_cfg {
	uint32_t reg_tcsr;		/* STMTCSR: the trace ID */
	uint32_t reg_feat3r;		/* STMSPFEAT3R: masters */
	uint32_t reg_devid;		/* STMDEVID: channels */
	uint32_t reg_feat1r;		/* STMSPFEAT1R */
	uint32_t reg_hwev_mast;		/* STMHEMASTR */
	hw_event_feat_t hw_event;
} ocsd_stm_cfg;

#endif
