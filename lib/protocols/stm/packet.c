/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet.c - STPv2 nibbles to packets (DDI 0444 "STPv2 packets"; MIPI STP 2). The first nibble of a byte is its
 * lower half; values of several nibbles have the most significant one first.
 */
#include <string.h>

#include "base/bits.h"
#include "base/log_int.h"
#include "protocols/stm/stm.h"

#define ASYNC_NIBBLES 21	/* nibbles F of an ASYNC, before its 0 */
#define MAX_RUN 0xff
/* In synchronisation, an ASYNC with more nibbles F is a bad sequence. */
#define MAX_ASYNC (2 * STM_MAX_PACKET - 8)

#define VERSION_BINARY 3
#define VERSION_GRAY 4

#define TS_BAD 0xf	/* reserved length nibble */

struct op {
	uint8_t type, payload, flags;
};

enum op_flags { M = 1, T = 2, X = 4 };

#define OP1(n, t, size, f) [n] = { CST_STM_PKT_##t, size, f },
static const struct op op1[16] = {
#include "protocols/stm/packets.def"
};
#define OP2(n, t, size, f) [n] = { CST_STM_PKT_##t, size, f },
static const struct op op2[16] = {
#include "protocols/stm/packets.def"
};
#define OP3(n, t, size, f) [n] = { CST_STM_PKT_##t, size, f },
static const struct op op3[16] = {
#include "protocols/stm/packets.def"
};

/* enum cst_packet_role by type */
#define TYPE(t, role) [CST_STM_PKT_##t] = CST_ROLE_##role,
const uint8_t cst_stm_roles[CST_STM_PKT_TYPES] = {
#include "protocols/stm/packets.def"
};

/* Nibbles of a timestamp by its length nibble. */
static const uint8_t ts_nibbles[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 0 };

void cst_stm_parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	struct stm_parser *ps = parser;

	(void)user;
	memset(ps, 0, sizeof(*ps));
	ps->cfg = cfg;
}

static unsigned int nibble(const uint8_t *p, size_t k)
{
	return p[k >> 1] >> (k & 1) * 4 & 0xf;
}

static uint64_t reverse_nibbles(uint64_t v)
{
	v = __builtin_bswap64(v);
	return (v & 0x0f0f0f0f0f0f0f0f) << 4 | (v >> 4 & 0x0f0f0f0f0f0f0f0f);
}

/* Returns the n nibbles from the k-th on, at most 16; the first one is the most significant. */
static inline uint64_t take(const uint8_t *p, const uint8_t *end, size_t k, unsigned int n)
{
	const uint8_t *at = p + (k >> 1);
	uint64_t v = 0;
	unsigned int i;

	if (!n)
		return 0;
	if (end - at > 8) {
		memcpy(&v, at, sizeof(v));
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			v = __builtin_bswap64(v);
		if (k & 1)
			v = v >> 4 | (uint64_t)at[8] << 60;
		return reverse_nibbles(v) >> (64 - 4 * n);
	}
	for (i = 0; i < n; i++)
		v = v << 4 | nibble(p, k + i);
	return v;
}

static uint8_t add_run(uint8_t run, size_t n)
{
	return n < (size_t)(MAX_RUN - run) ? run + n : MAX_RUN;
}

/* Returns the length of the run of nibbles F that ends before nibble k, including those before p. */
static uint8_t run_before(const struct stm_parser *ps, const uint8_t *p, size_t k)
{
	size_t n = 0;

	while (n < k && nibble(p, k - 1 - n) == 0xf)
		n++;
	if (n < k)
		return add_run(0, n);
	if (ps->has_nibble) {
		if (ps->nibble != 0xf)
			return add_run(0, n);
		n++;
	}
	return add_run(ps->run, n);
}

/* Ends a packet before nibble k and returns its size. An upper nibble that is left is the next packet's first. */
static unsigned int finish(struct stm_parser *ps, const uint8_t *p, size_t k)
{
	ps->has_nibble = k & 1;
	if (k & 1)
		ps->nibble = p[k >> 1] >> 4;
	return k ? (k + 1) >> 1 : CST_PARSE_NO_BYTE;
}

/*
 * Ends synchronisation: makes a bad packet of `type` of the nibbles before the k-th, and resets the parser. The nibbles
 * F at its end are counted in ps->run, since the next ASYNC may begin with them.
 */
static unsigned int lose(struct stm_parser *ps, const uint8_t *p, size_t k, struct cst_packet *pkt,
			 enum cst_stm_packet_type type)
{
	uint8_t run = run_before(ps, p, k);
	const struct cst_config *cfg = ps->cfg;
	unsigned int size;

	pkt->bad_type = pkt->type;
	pkt->type = type;
	size = finish(ps, p, k);
	if (ps->has_nibble)
		run = ps->nibble == 0xf ? add_run(run, 1) : 0;
	cst_stm_parser_init(ps, cfg, NULL);
	ps->run = run;
	return size;
}

/*
 * Searches for an ASYNC, 21 nibbles F and a 0. Returns the bytes before it, or the ASYNC if p is in it: its first nibbles
 * may be in earlier bytes (ps->run).
 */
static unsigned int hunt(struct stm_parser *ps, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	size_t n = 2 * (size_t)(end - p < UINT16_MAX ? end - p : UINT16_MAX), k, count = ps->run, start;
	unsigned int v;

	pkt->type = CST_STM_PKT_NOT_SYNC;
	for (k = 0; k < n; k++) {
		v = nibble(p, k);
		if (v == 0xf)
			count++;
		else if (!v && count >= ASYNC_NIBBLES)
			break;
		else
			count = 0;
	}
	if (count > ASYNC_NIBBLES)
		count = ASYNC_NIBBLES;
	if (count >= k) {
		if (k == n)
			return 0;
		pkt->type = CST_STM_PKT_ASYNC;
		ps->synced = 1;
		ps->run = 0;
		return finish(ps, p, k + 1);
	}
	start = k - count;
	ps->run = start & 1;
	return (start + 1) >> 1;
}

/* Parses a packet that begins with F F, from nibble k on. */
static unsigned int parse_async(struct stm_parser *ps, const uint8_t *p, size_t n, size_t k, struct cst_packet *pkt)
{
	size_t count = k + ps->has_nibble;

	pkt->type = CST_STM_PKT_ASYNC;
	while (k < n && nibble(p, k) == 0xf && count < MAX_ASYNC) {
		count++;
		k++;
	}
	if (k == n)
		return 0;
	if (count >= ASYNC_NIBBLES && !nibble(p, k)) {
		if (count > ASYNC_NIBBLES) {
			packet_finding(pkt, CST_FIND_STM_LONG_ASYNC);
			if (ps->cfg->strict)
				return lose(ps, p, k & ~(size_t)1, pkt, CST_STM_PKT_BAD_SEQUENCE);
		}
		ps->run = 0;
		return finish(ps, p, k + 1);
	}
	/* with nibbles F at the end of the packet before, it may be an ASYNC, for which hunt() searches */
	return lose(ps, p, k & ~(size_t)1, pkt, CST_STM_PKT_BAD_SEQUENCE);
}

/* Replaces the low nibbles of the timestamp, in Gray code if the packets carry that. */
static void update_ts(struct stm_parser *ps, uint64_t value, unsigned int nibbles)
{
	uint64_t mask = nibbles < 16 ? ((uint64_t)1 << 4 * nibbles) - 1 : ~(uint64_t)0;

	if (ps->ts_type == STM_TS_GRAY)
		ps->ts = gray_to_binary((binary_to_gray(ps->ts) & ~mask) | value);
	else
		ps->ts = (ps->ts & ~mask) | value;
}

/* Updates master, channel and form of timestamps. Returns 0 if the packet's value is reserved. */
static int update(struct stm_parser *ps, unsigned int type, uint64_t value)
{
	switch (type) {
	case CST_STM_PKT_VERSION:
		if (value != VERSION_BINARY && value != VERSION_GRAY)
			return 0;
		ps->ts_type = value == VERSION_GRAY ? STM_TS_GRAY : STM_TS_BINARY;
		ps->master = ps->channel = 0;
		break;
	case CST_STM_PKT_M8:
	case CST_STM_PKT_M16:
		ps->master = value;
		ps->channel = 0;
		break;
	case CST_STM_PKT_GERR:
		ps->master = ps->channel = 0;
		break;
	case CST_STM_PKT_MERR:
		ps->channel = 0;
		break;
	case CST_STM_PKT_C8:
		ps->channel = (ps->channel & 0xff00) | value;
		break;
	case CST_STM_PKT_C16:
		ps->channel = value;
		break;
	}
	return 1;
}

static void begin(const struct stm_parser *ps, struct cst_packet *pkt)
{
	pkt->protocol = ps->cfg->protocol;
	pkt->type = 0;
	pkt->header = 0;
	pkt->flags = 0;
	pkt->value = pkt->ts = 0;
	pkt->vsize = pkt->ts_bits = 0;
	if (ps->has_nibble) {
		pkt->flags = CST_PF_LEAD;
		pkt->lead = ps->nibble << 4;
	}
}

/* Returns the row of the opcode, and in *k the nibble after it; NULL if the input ends in it. */
static inline const struct op *opcode(const struct stm_parser *ps, const uint8_t *p, size_t n, size_t *k,
				      struct cst_packet *pkt)
{
	unsigned int v;

	if (ps->has_nibble)
		v = ps->nibble;
	else if (*k < n)
		v = nibble(p, (*k)++);
	else
		return NULL;
	pkt->header = v;
	pkt->value = v;
	if (v != 0xf)
		return &op1[v];
	if (*k >= n)
		return NULL;
	v = nibble(p, (*k)++);
	pkt->value |= v << 4;
	if (v)
		return &op2[v];
	if (*k >= n)
		return NULL;
	v = nibble(p, (*k)++);
	pkt->value |= v << 8;
	return &op3[v];
}

unsigned int cst_stm_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct stm_parser *ps = parser;
	size_t n = 2 * (size_t)(end - p), k = 0;
	unsigned int ts_size;
	const struct op *op;
	uint64_t ts;

	begin(ps, pkt);
	if (!ps->synced)
		return hunt(ps, p, end, pkt);
	op = opcode(ps, p, n, &k, pkt);
	if (!op)
		return 0;
	if (pkt->value == 0xff)
		return parse_async(ps, p, n, k, pkt);
	if (op->flags & X)
		packet_finding(pkt, CST_FIND_STM_NOT_SENT);
	if (!op->type || (op->flags & X && ps->cfg->strict))
		return lose(ps, p, k, pkt, CST_STM_PKT_RESERVED);
	pkt->type = op->type;
	if (op->flags & M)
		pkt->flags |= CST_STM_PF_MARKER;
	if (n - k < op->payload)
		return 0;
	pkt->vsize = 4 * op->payload;
	pkt->value = take(p, end, k, op->payload);
	k += op->payload;
	if (op->flags & T) {
		if (k >= n)
			return 0;
		ts_size = nibble(p, k++);
		pkt->flags |= CST_STM_PF_TS;
		if (ts_size == TS_BAD)
			return lose(ps, p, k, pkt, CST_STM_PKT_BAD_SEQUENCE);
		ts_size = ts_nibbles[ts_size];
		if (n - k < ts_size)
			return 0;
		ts = take(p, end, k, ts_size);
		k += ts_size;
		if (ps->ts_type == STM_TS_UNKNOWN)
			return lose(ps, p, k, pkt, CST_STM_PKT_BAD_SEQUENCE);
		update_ts(ps, ts, ts_size);
		pkt->ts = ps->ts;
		pkt->ts_bits = 4 * ts_size;
	}
	if (op->type < CST_STM_PKT_FLAG && !update(ps, op->type, pkt->value))
		return lose(ps, p, k, pkt, CST_STM_PKT_BAD_SEQUENCE);
	pkt->cid = ps->master;
	pkt->vmid = ps->channel;
	ps->run = k && nibble(p, k - 1) == 0xf ? run_before(ps, p, k) : 0;
	return finish(ps, p, k);
}

void cst_stm_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct stm_parser *ps = parser;
	const struct op *op;
	size_t k = 0;

	begin(ps, pkt);
	pkt->type = CST_STM_PKT_NOT_SYNC;
	if (ps->synced) {
		op = opcode(ps, p, 2 * (size_t)(end - p), &k, pkt);
		pkt->type = CST_STM_PKT_INCOMPLETE;
		pkt->bad_type = pkt->value == 0xff ? CST_STM_PKT_ASYNC : op ? op->type : CST_STM_PKT_RESERVED;
	}
	cst_stm_parser_init(ps, ps->cfg, NULL);
}
