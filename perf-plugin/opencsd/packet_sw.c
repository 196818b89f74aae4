/* SPDX-License-Identifier: BSD-3-Clause */
/* packet_sw.c - STM and ITM packets in the client's structures, and back for their texts. */
#include <string.h>

#include "packet.h"

static const uint8_t stm_types[CST_STM_PKT_TYPES] = {
	[CST_STM_PKT_NOT_SYNC] = STM_PKT_NOTSYNC,
	[CST_STM_PKT_INCOMPLETE] = STM_PKT_INCOMPLETE_EOT,
	[CST_STM_PKT_BAD_SEQUENCE] = STM_PKT_BAD_SEQUENCE,
	[CST_STM_PKT_RESERVED] = STM_PKT_RESERVED,
	[CST_STM_PKT_ASYNC] = STM_PKT_ASYNC,
	[CST_STM_PKT_VERSION] = STM_PKT_VERSION,
	[CST_STM_PKT_NULL] = STM_PKT_NULL,
	[CST_STM_PKT_FREQ] = STM_PKT_FREQ,
	[CST_STM_PKT_TRIG] = STM_PKT_TRIG,
	[CST_STM_PKT_XSYNC] = STM_PKT_RESERVED,	/* a CoreSight STM has no such packets, and no 16-bit masters */
	[CST_STM_PKT_GERR] = STM_PKT_GERR,
	[CST_STM_PKT_MERR] = STM_PKT_MERR,
	[CST_STM_PKT_M8] = STM_PKT_M8,
	[CST_STM_PKT_M16] = STM_PKT_RESERVED,
	[CST_STM_PKT_C8] = STM_PKT_C8,
	[CST_STM_PKT_C16] = STM_PKT_C16,
	[CST_STM_PKT_FLAG] = STM_PKT_FLAG,
	[CST_STM_PKT_D4] = STM_PKT_D4,
	[CST_STM_PKT_D8] = STM_PKT_D8,
	[CST_STM_PKT_D16] = STM_PKT_D16,
	[CST_STM_PKT_D32] = STM_PKT_D32,
	[CST_STM_PKT_D64] = STM_PKT_D64,
};

/* Bits of the payload, by type. */
static const uint8_t stm_sizes[CST_STM_PKT_TYPES] = {
	[CST_STM_PKT_VERSION] = 8, [CST_STM_PKT_FREQ] = 32, [CST_STM_PKT_TRIG] = 8, [CST_STM_PKT_GERR] = 8,
	[CST_STM_PKT_MERR] = 8, [CST_STM_PKT_M8] = 8, [CST_STM_PKT_C8] = 8, [CST_STM_PKT_C16] = 16,
	[CST_STM_PKT_D4] = 4, [CST_STM_PKT_D8] = 8, [CST_STM_PKT_D16] = 16, [CST_STM_PKT_D32] = 32,
	[CST_STM_PKT_D64] = 64,
};

/* STPv2: the kind of timestamps in the VERSION packet. */
#define VERSION_NATURAL 3
#define VERSION_GRAY 4

void packet_stm_reset(ocsd_stm_pkt *o)
{
	o->type = STM_PKT_NOTSYNC;
	o->err_type = STM_PKT_NO_ERR_TYPE;
	o->ts_type = STM_TS_UNKNOWN;
}

void packet_stm_to(ocsd_stm_pkt *o, const struct cst_packet *p)
{
	o->type = (ocsd_stm_pkt_type)stm_types[p->type];
	o->err_type = p->type == CST_STM_PKT_BAD_SEQUENCE || p->type == CST_STM_PKT_INCOMPLETE ?
		      (ocsd_stm_pkt_type)stm_types[p->bad_type] : STM_PKT_NO_ERR_TYPE;
	o->master = (uint8_t)p->cid;
	o->channel = (uint16_t)p->vmid;
	o->pkt_has_marker = !!(p->flags & CST_STM_PF_MARKER);
	o->pkt_has_ts = !!(p->flags & CST_STM_PF_TS);
	o->pkt_ts_bits = 0;
	if (o->pkt_has_ts) {
		o->timestamp = p->ts;
		o->pkt_ts_bits = p->ts_bits;
	}
	o->payload.D64 = 0;
	switch (stm_sizes[p->type]) {
	case 4:
	case 8:
		o->payload.D8 = (uint8_t)p->value;
		break;
	case 16:
		o->payload.D16 = (uint16_t)p->value;
		break;
	case 32:
		o->payload.D32 = (uint32_t)p->value;
		break;
	case 64:
		o->payload.D64 = p->value;
		break;
	default:
		if (p->type == CST_STM_PKT_RESERVED)
			o->payload.D16 = (uint16_t)p->value;
	}
	if (p->type == CST_STM_PKT_VERSION)
		o->ts_type = p->value == VERSION_NATURAL ? STM_TS_NATBINARY :
			     p->value == VERSION_GRAY ? STM_TS_GREY : STM_TS_UNKNOWN;
}

void packet_stm_from(struct cst_packet *p, const ocsd_stm_pkt *o)
{
	p->protocol = CST_PROTO_STM;
	p->type = packet_type_from(stm_types, CST_STM_PKT_TYPES, o->type, CST_STM_PKT_RESERVED);
	p->bad_type =
		packet_type_from(stm_types, CST_STM_PKT_TYPES, o->err_type, CST_STM_PKT_TYPES);
	p->cid = o->master;
	p->vmid = o->channel;
	p->vsize = stm_sizes[p->type];
	p->ts = o->timestamp;
	p->ts_bits = o->pkt_ts_bits < 64 ? o->pkt_ts_bits : 64;
	p->flags = (o->pkt_has_marker ? CST_STM_PF_MARKER : 0) | (o->pkt_has_ts ? CST_STM_PF_TS : 0);
	switch (p->vsize) {
	case 4:
	case 8:
		p->value = o->payload.D8;
		break;
	case 16:
		p->value = o->payload.D16;
		break;
	case 32:
		p->value = o->payload.D32;
		break;
	case 64:
		p->value = o->payload.D64;
		break;
	}
}

static const uint8_t itm_types[CST_ITM_PKT_TYPES] = {
	[CST_ITM_PKT_NOT_SYNC] = ITM_PKT_NOTSYNC, [CST_ITM_PKT_INCOMPLETE] = ITM_PKT_INCOMPLETE_EOT,
	[CST_ITM_PKT_ASYNC] = ITM_PKT_ASYNC, [CST_ITM_PKT_OVERFLOW] = ITM_PKT_OVERFLOW,
	[CST_ITM_PKT_SWIT] = ITM_PKT_SWIT, [CST_ITM_PKT_DWT] = ITM_PKT_DWT,
	[CST_ITM_PKT_LOCAL_TS] = ITM_PKT_TS_LOCAL, [CST_ITM_PKT_GLOBAL_TS1] = ITM_PKT_TS_GLOBAL_1,
	[CST_ITM_PKT_GLOBAL_TS2] = ITM_PKT_TS_GLOBAL_2, [CST_ITM_PKT_EXTENSION] = ITM_PKT_EXTENSION,
	[CST_ITM_PKT_BAD_SEQUENCE] = ITM_PKT_BAD_SEQUENCE,
	[CST_ITM_PKT_RESERVED] = ITM_PKT_RESERVED,
};

/* src_id of global timestamps and extensions. */
#define ITM_WRAP	2
#define ITM_CLOCK	1
#define ITM_HARDWARE	0x80

void packet_itm_to(ocsd_itm_pkt *o, const struct cst_packet *p)
{
	memset(o, 0, sizeof(*o));
	o->type = (ocsd_itm_pkt_type)itm_types[p->type];
	o->err_type = p->type == CST_ITM_PKT_BAD_SEQUENCE || p->type == CST_ITM_PKT_INCOMPLETE ?
		      (ocsd_itm_pkt_type)itm_types[p->bad_type] : ITM_PKT_NO_ERR_TYPE;
	o->value = (uint32_t)p->value;
	o->val_sz = p->vsize;
	switch (p->type) {
	case CST_ITM_PKT_SWIT:
	case CST_ITM_PKT_DWT:
	case CST_ITM_PKT_LOCAL_TS:
		o->src_id = (uint8_t)p->event;
		break;
	case CST_ITM_PKT_GLOBAL_TS1:
		o->src_id = (p->flags & CST_ITM_PF_WRAP ? ITM_WRAP : 0) | (p->flags & CST_ITM_PF_CLOCK ? ITM_CLOCK : 0);
		break;
	case CST_ITM_PKT_GLOBAL_TS2:
		o->val_ext = (uint8_t)(p->value >> 32);
		break;
	case CST_ITM_PKT_EXTENSION:
		o->src_id = (uint8_t)((p->flags & CST_ITM_PF_HARDWARE ? ITM_HARDWARE : 0) |
				      ((p->count ? p->count - 1 : 0) & 0x1f));
		break;
	}
}

void packet_itm_from(struct cst_packet *p, const ocsd_itm_pkt *o)
{
	p->protocol = CST_PROTO_ITM;
	p->type = packet_type_from(itm_types, CST_ITM_PKT_TYPES, o->type, CST_ITM_PKT_RESERVED);
	p->bad_type =
		packet_type_from(itm_types, CST_ITM_PKT_TYPES, o->err_type, CST_ITM_PKT_TYPES);
	p->value = o->value;
	p->vsize = o->val_sz < 8 ? o->val_sz : 8;
	switch (p->type) {
	case CST_ITM_PKT_GLOBAL_TS1:
		p->flags = (o->src_id & ITM_WRAP ? CST_ITM_PF_WRAP : 0) | (o->src_id & ITM_CLOCK ? CST_ITM_PF_CLOCK : 0);
		break;
	case CST_ITM_PKT_GLOBAL_TS2:
		p->value |= (uint64_t)o->val_ext << 32;
		break;
	case CST_ITM_PKT_EXTENSION:
		p->flags = o->src_id & ITM_HARDWARE ? CST_ITM_PF_HARDWARE : 0;
		p->count = (o->src_id & 0x1f) + 1;
		break;
	default:
		p->event = o->src_id & 0x1f;
	}
}
