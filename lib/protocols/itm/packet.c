/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet.c - bytes of an ITM to packets (DDI 0403 D4).
 */
#include <string.h>

#include "base/log_int.h"
#include "protocols/itm/itm.h"
#include "bytes/reader/async.h"

#define ASYNC_ZEROS 5		/* minimum zero bytes of a synchronisation packet */
/* Of a synchronisation packet with more zeros than this, the first ones are unsynchronised bytes. */
#define MAX_ZEROS (ITM_MAX_PACKET - 2)
#define MAX_RUN 0xff

#define CONTINUES 0x80
#define LOCAL_TS_RESERVED 0xc0	/* header bits that are both set in a local timestamp 1; 10xx0000 is reserved */
/* fourth byte of a global timestamp 1: two flags and the last bits of the value */
#define GTS1_CLOCK 0x20
#define GTS1_WRAP 0x40
#define GTS1_LAST 0x1f
#define GTS2_BITS_48 22		/* TS[47:26] in four bytes */
#define GTS2_BITS_64 38		/* TS[63:26] in six */
#define EXT_HARDWARE 0x04
#define EXT_LAST 4		/* the fourth byte has eight bits of value */

#define DWT_EXCEPTION_RESERVED 0xce00	/* bits of the payload: 15:14, 11:9 */

/*
 * Payload sizes of each DWT discriminator (DDI 0403 D4 "DWT packet formats"). Armv8-M adds PMU overflows, matches of one
 * byte, PCs of two bytes, and addresses of one and four (DDI 0553 D1, "Data Trace Match", "Data Trace PC Value", "Data
 * Trace Data Address").
 */
enum dwt_size { S1 = 1, S2 = 2, S4 = 4 };

static const uint8_t dwt_sizes[32] = {
	S1, S2, S1 | S4, S1, 0, 0, 0, 0,
	/* data trace of each comparator: match or PC, and address; then values read and written */
	S1 | S2 | S4, S1 | S2 | S4, S1 | S2 | S4, S1 | S2 | S4,
	S1 | S2 | S4, S1 | S2 | S4, S1 | S2 | S4, S1 | S2 | S4,
	S1 | S2 | S4, S1 | S2 | S4, S1 | S2 | S4, S1 | S2 | S4,
	S1 | S2 | S4, S1 | S2 | S4, S1 | S2 | S4, S1 | S2 | S4,
};

enum dwt_source { DWT_EVENTS = 0, DWT_EXCEPTION = 1, DWT_PC = 2 };

/* The only values of a PC sample of one byte: the processor sleeps; sampling is prohibited. */
#define PC_SLEEPS 0
#define PC_PROHIBITED 0xff

static const struct {
	uint8_t mask, value, type;
} rows[] = {
#define PKT(mask, value, type) { mask, value, CST_ITM_PKT_##type },
#include "protocols/itm/packets.def"
};

/* enum cst_packet_role by type */
#define TYPE(t, role) [CST_ITM_PKT_##t] = CST_ROLE_##role,
const uint8_t cst_itm_roles[CST_ITM_PKT_TYPES] = {
#include "protocols/itm/packets.def"
};

void cst_itm_parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	struct itm_parser *ps = parser;
	unsigned int h, i;

	(void)user;
	memset(ps, 0, sizeof(*ps));
	ps->cfg = cfg;
	ps->sync = cfg->as_reference ? CST_ITM_SYNC_PACKET : cfg->itm_sync;
	for (h = 0; h < 256; h++) {
		ps->type[h] = CST_ITM_PKT_RESERVED;
		for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if ((h & rows[i].mask) == rows[i].value) {
				ps->type[h] = rows[i].type;
				break;
			}
	}
}

/* Ends a packet of `size` bytes and counts the zeros at its end. */
static inline unsigned int finish(struct itm_parser *ps, const uint8_t *p, unsigned int size)
{
	ps->zeros = p[size - 1] ? 0 : zeros_after(p, p + size, ps->zeros, MAX_RUN);
	return size;
}

static unsigned int lose(struct itm_parser *ps, const uint8_t *p, unsigned int size, struct cst_packet *pkt,
			 enum cst_itm_packet_type type)
{
	pkt->bad_type = pkt->type;
	pkt->type = type;
	ps->synced = 0;
	return finish(ps, p, size);
}

/* Handles an impossible value in the packet: parsing continues after it unless the decoder is strict. */
static inline unsigned int finish_unless(struct itm_parser *ps, const uint8_t *p, unsigned int size,
				  struct cst_packet *pkt)
{
	if (pkt->finding[0] && ps->cfg->strict)
		return lose(ps, p, size, pkt, CST_ITM_PKT_BAD_SEQUENCE);
	return finish(ps, p, size);
}

/* Searches for a synchronisation packet. Returns the bytes before it, or that packet at p. */
static unsigned int hunt(struct itm_parser *ps, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	unsigned int size = cst_async_hunt(p, end, &ps->zeros, ASYNC_ZEROS, MAX_ZEROS,
					   &ps->synced);

	pkt->type = ps->synced ? CST_ITM_PKT_ASYNC : CST_ITM_PKT_NOT_SYNC;
	return size;
}

/*
 * As hunt(), in pieces as the reference lists them: eight bytes, or up to the next 0. Bytes that began like a
 * synchronisation packet are in one piece with the bytes after them.
 */
static unsigned int unsynced_piece(struct itm_parser *ps, const uint8_t *p, const uint8_t *end,
				   struct cst_packet *pkt)
{
	unsigned int size, i = 0;
	const uint8_t *q = p;

	/* a packet that begins in the piece ends in these bytes; all that follow would be searched for each piece */
	while (q < end && !*q && q - p < UINT16_MAX)
		q++;
	if (end - q > ITM_UNSYNCED_PIECE + ITM_MAX_PACKET)
		end = q + ITM_UNSYNCED_PIECE + ITM_MAX_PACKET;
	size = hunt(ps, p, end, pkt);
	if (pkt->type != CST_ITM_PKT_NOT_SYNC || !size)
		return size;
	while (i < size && !p[i])
		i++;
	if (i && i < size)
		i++;
	while (i < size && i < ITM_UNSYNCED_PIECE && p[i])
		i++;
	return i;
}

static unsigned int not_sync(struct itm_parser *ps, struct cst_packet *pkt, unsigned int size)
{
	pkt->type = CST_ITM_PKT_NOT_SYNC;
	ps->zeros = 0;
	ps->begun = 1;
	return size;
}

/*
 * As hunt(), but packets may also begin where the bytes that follow make plausible packets. It is decided when ITM_WINDOW
 * bytes are there, or `last`: there are no more. Returns 0 if more bytes are needed.
 */
static unsigned int try_boundary(struct itm_parser *ps, const uint8_t *p, const uint8_t *end, int last,
				 struct cst_packet *pkt)
{
	const unsigned int size = end - p > ITM_WINDOW ? ITM_WINDOW : (unsigned int)(end - p);
	const struct async_place at = cst_async_find(p, p + size, ps->zeros, ASYNC_ZEROS, MAX_ZEROS);
	const int first = !ps->begun && ps->sync == CST_ITM_SYNC_START;
	unsigned int most = last ? size : ITM_TRIED, skip;

	/* the first zeros of a synchronisation packet may be in a packet that damage made longer */
	if (!at.skip && at.size)
		return hunt(ps, p, p + size, pkt);
	if (size < ITM_WINDOW && !last)
		return 0;
	if (most > at.skip)
		most = at.skip;
	skip = at.skip ? cst_itm_boundary(ps, p, p + size, most, first) : size;
	if (skip == size && !last)	/* no place is plausible */
		return not_sync(ps, pkt, most);
	ps->synced = skip < size;
	if (skip)
		return not_sync(ps, pkt, skip);
	ps->zeros = 0;
	return cst_itm_packet(ps, p, p + size, pkt);
}

static unsigned int parse_async(struct itm_parser *ps, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	unsigned int n = 0;

	while (p + n < end && !p[n] && n < MAX_ZEROS)
		n++;
	if (p + n == end)
		return 0;
	if (n < ASYNC_ZEROS || p[n] != ASYNC_END)
		/* with zeros at the end of the packet before, it may be one, for which hunt() searches */
		return lose(ps, p, n, pkt, CST_ITM_PKT_BAD_SEQUENCE);
	ps->zeros = 0;
	return n + 1;
}

/*
 * Returns the size of a payload whose bytes have bit 7 set if another one follows, 0 if the input ends in it, -1 if it
 * has more than `max` bytes.
 */
static int payload(const uint8_t *p, const uint8_t *end, int max)
{
	int n;

	for (n = 1; n <= max; n++) {
		if (p + n >= end)
			return 0;
		if (!(p[n] & CONTINUES))
			return n;
	}
	return -1;
}

/* Value of a payload of n bytes with seven bits each, the lowest first. */
static uint64_t payload_value(const uint8_t *p, int n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 7 | (p[1 + n] & 0x7f);
	return v;
}

static unsigned int parse_local_ts(struct itm_parser *ps, const uint8_t *p, const uint8_t *end,
				   struct cst_packet *pkt)
{
	int n;

	if (!(*p & CONTINUES)) {
		pkt->value = *p >> 4;
		pkt->vsize = 1;
		return finish(ps, p, 1);
	}
	pkt->event = *p >> 4 & 3;
	n = payload(p, end, 4);
	if (!n)
		return 0;
	if (n < 0)
		return lose(ps, p, 1 + 4, pkt, CST_ITM_PKT_BAD_SEQUENCE);
	pkt->value = payload_value(p, n);
	pkt->vsize = n;
	if ((*p & LOCAL_TS_RESERVED) != LOCAL_TS_RESERVED)
		packet_finding(pkt, CST_FIND_ITM_LOCAL_TS);
	return finish_unless(ps, p, 1 + n, pkt);
}

static unsigned int parse_global_ts1(struct itm_parser *ps, const uint8_t *p, const uint8_t *end,
				     struct cst_packet *pkt)
{
	int n = payload(p, end, 4);

	if (!n)
		return 0;
	if (n < 0)
		return lose(ps, p, 1 + 4, pkt, CST_ITM_PKT_BAD_SEQUENCE);
	pkt->value = payload_value(p, n);
	pkt->vsize = n;
	if (n == 4) {
		pkt->value &= 0x1fffff | GTS1_LAST << 21;
		pkt->flags |= (p[4] & GTS1_CLOCK ? CST_ITM_PF_CLOCK : 0) | (p[4] & GTS1_WRAP ? CST_ITM_PF_WRAP : 0);
	}
	return finish(ps, p, 1 + n);
}

static unsigned int parse_global_ts2(struct itm_parser *ps, const uint8_t *p, const uint8_t *end,
				     struct cst_packet *pkt)
{
	int n = payload(p, end, 6);
	unsigned int bits;

	if (!n)
		return 0;
	if (n < 0)
		return lose(ps, p, 1 + 6, pkt, CST_ITM_PKT_BAD_SEQUENCE);
	pkt->value = payload_value(p, n);
	pkt->vsize = n;
	bits = n <= 4 ? GTS2_BITS_48 : GTS2_BITS_64;
	if (n != 4 && n != 6)
		packet_finding(pkt, CST_FIND_ITM_GLOBAL_TS);
	if (pkt->value >> bits) {
		packet_finding(pkt, CST_FIND_RESERVED_BITS);
		pkt->value &= ((uint64_t)1 << bits) - 1;
	}
	return finish_unless(ps, p, 1 + n, pkt);
}

static unsigned int parse_extension(struct itm_parser *ps, const uint8_t *p, const uint8_t *end,
				    struct cst_packet *pkt)
{
	static const uint8_t bits[] = { 3, 10, 17, 24, 32 };
	int n = 0;

	if (*p & CONTINUES) {
		n = payload(p, end, EXT_LAST);
		if (!n)
			return 0;
		if (n < 0)
			n = EXT_LAST;
	}
	pkt->value = (uint32_t)payload_value(p, n) << 3 | (*p >> 4 & 7);
	if (n == EXT_LAST)
		pkt->value |= (uint32_t)(p[EXT_LAST] & 0x80) << 24;
	pkt->vsize = n;
	pkt->count = bits[n];
	if (*p & EXT_HARDWARE)
		pkt->flags |= CST_ITM_PF_HARDWARE;
	return finish(ps, p, 1 + n);
}

/* True if bits of the value are set, or not, against what the architecture reserves. */
static int dwt_reserved_bits(const struct cst_packet *pkt)
{
	switch (pkt->event) {
	case DWT_EVENTS:
		return pkt->value >> 6 != 0;
	case DWT_EXCEPTION:
		return pkt->value & DWT_EXCEPTION_RESERVED || !(pkt->value >> 12);
	case DWT_PC:
		return pkt->vsize == 1 && pkt->value != PC_SLEEPS && pkt->value != PC_PROHIBITED;
	default:
		return 0;
	}
}

/* Adds a finding if the DWT cannot have sent the packet. */
static void check_dwt(struct cst_packet *pkt)
{
	uint8_t sizes = dwt_sizes[pkt->event];

	if (!sizes)
		packet_finding(pkt, CST_FIND_DWT_RESERVED);
	else if (!(sizes & pkt->vsize))
		packet_finding(pkt, CST_FIND_DWT_SIZE);
	else if (dwt_reserved_bits(pkt))
		packet_finding(pkt, CST_FIND_RESERVED_BITS);
}

static unsigned int parse_source(struct itm_parser *ps, const uint8_t *p, const uint8_t *end,
				 struct cst_packet *pkt)
{
	unsigned int n = 1u << ((*p & 3) - 1), i;

	if ((size_t)(end - p) <= n)
		return 0;
	for (i = n; i; i--)
		pkt->value = pkt->value << 8 | p[i];
	pkt->vsize = n;
	pkt->event = *p >> 3;
	if (pkt->type == CST_ITM_PKT_DWT)
		check_dwt(pkt);
	return finish_unless(ps, p, 1 + n, pkt);
}

static void begin(const struct itm_parser *ps, struct cst_packet *pkt)
{
	pkt->protocol = ps->cfg->protocol;
	pkt->flags = 0;
	pkt->value = pkt->ts = 0;
	pkt->vsize = 0;
	pkt->event = 0;
	pkt->count = 0;
}

unsigned int cst_itm_packet(struct itm_parser *ps, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	begin(ps, pkt);
	pkt->header = *p;
	pkt->type = ps->type[*p];
	switch (pkt->type) {
	case CST_ITM_PKT_SWIT:
	case CST_ITM_PKT_DWT:
		return parse_source(ps, p, end, pkt);
	case CST_ITM_PKT_ASYNC:
		return parse_async(ps, p, end, pkt);
	case CST_ITM_PKT_LOCAL_TS:
		return parse_local_ts(ps, p, end, pkt);
	case CST_ITM_PKT_GLOBAL_TS1:
		return parse_global_ts1(ps, p, end, pkt);
	case CST_ITM_PKT_GLOBAL_TS2:
		return parse_global_ts2(ps, p, end, pkt);
	case CST_ITM_PKT_EXTENSION:
		return parse_extension(ps, p, end, pkt);
	case CST_ITM_PKT_OVERFLOW:
		return finish(ps, p, 1);
	default:
		pkt->type = 0;
		return lose(ps, p, 1, pkt, CST_ITM_PKT_RESERVED);
	}
}

static unsigned int unsynced(struct itm_parser *ps, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	begin(ps, pkt);
	pkt->header = *p;
	if (ps->sync != CST_ITM_SYNC_PACKET)
		return try_boundary(ps, p, end, 0, pkt);
	return ps->listing ? unsynced_piece(ps, p, end, pkt) : hunt(ps, p, end, pkt);
}

unsigned int cst_itm_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct itm_parser *ps = parser;

	if (p >= end)
		return 0;
	return ps->synced ? cst_itm_packet(ps, p, end, pkt) : unsynced(ps, p, end, pkt);
}

void cst_itm_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct itm_parser *ps = parser;

	begin(ps, pkt);
	pkt->header = *p;
	if (!ps->synced && ps->sync != CST_ITM_SYNC_PACKET) {
		pkt->size = try_boundary(ps, p, end, 1, pkt);
		if (pkt->size)
			return;
	}
	pkt->type = ps->synced ? CST_ITM_PKT_INCOMPLETE : CST_ITM_PKT_NOT_SYNC;
	pkt->bad_type = ps->type[*p];
}
