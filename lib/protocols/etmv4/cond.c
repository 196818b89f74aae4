/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cond.c - conditional non-branch instructions (ETMv4 for the R and M profile): packets to elements.
 *
 * Each conditional instruction makes a C element with a key, each result an R element with the key of its
 * instructions. C keys and R keys are counted modulo the number of ordinary keys, TRCIDR12 - TRCIDR13. A packet with a
 * special key, from that number on, adds 1 to the count.
 *
 * Several public decoders confirm lengths and fields of the packets, two of them the meaning of keys and tokens. It is
 * not public if a Cancel removes R elements. Here it does, and the outstanding results are unknown after a Cancel, a
 * Mispredict or an Exception: a result may be missing, but none is wrong. C and R elements do not change the program
 * flow.
 */
#include <cstrace/flow.h>

#include "etmv4.h"

/*
 * Tokens of Conditional Result format 3 have two bits. The value 3 begins a token of four bits if results are flags
 * (TRCIDR0.CONDTYPE 1); otherwise no token follows.
 */
enum token {
	TOKEN_BITS = 2,
	TOKEN_MORE = 3,
	LONG_TOKEN_BITS = 4,
	LONG_TOKEN_NULL = 0xf,
	ALL_TOKENS = 12,
};

/* Bits of the RESULT field: flags of the APSR. */
enum { FLAG_V = 1, FLAG_C = 2, FLAG_Z = 4, FLAG_N = 8 };

static uint32_t next_key(const struct etmv4_queue *q, uint32_t key, uint32_t steps)
{
	return (key % q->cfg->cond_keys + steps) % q->cfg->cond_keys;
}

static void instruction(struct etmv4_queue *q, uint64_t index, uint32_t key)
{
	struct cst_element *e;

	if (q->state != ETMV4_SYNCED)	/* an element of this packet found the queue full */
		return;
	e = cst_etmv4_queue_push(q, CST_EL_COND_INSN, index);
	if (e)
		e->value = key;
}

/* Queues an R element; `what` has the form of cst_generic.num. */
static void result(struct etmv4_queue *q, uint64_t index, uint32_t key, unsigned int what)
{
	struct cst_element *e;

	if (q->state != ETMV4_SYNCED)
		return;
	e = cst_etmv4_queue_push(q, CST_EL_COND_RESULT, index);
	if (!e)
		return;
	e->value = key;
	e->num = what;
}

static unsigned int flags_result(unsigned int nzcv)
{
	return CST_COND_FLAGS | nzcv << CST_COND_FLAGS_SHIFT;
}

/* Returns the result of a token of two bits. TOKEN_MORE is none: headers with it as their only token are reserved. */
static unsigned int short_token(const struct etmv4_queue *q, unsigned int token)
{
	static const uint8_t flags[4] = { FLAG_C, FLAG_N, FLAG_Z | FLAG_C };
	static const uint8_t passed[4] = { CST_COND_FAILED, CST_COND_PASSED };

	return q->cfg->cond_flags ? flags_result(flags[token]) : passed[token];
}

static unsigned int long_token(unsigned int token)
{
	switch (token >> TOKEN_BITS) {
	case 0:
		return flags_result(FLAG_N | FLAG_C);
	case 1:
		return flags_result(0);
	default:
		return flags_result(FLAG_Z);
	}
}

static void ordinary_instructions(struct etmv4_queue *q, uint64_t index, unsigned int n)
{
	while (n--) {
		q->cond.cond_c = next_key(q, q->cond.cond_c, 1);
		instruction(q, index, q->cond.cond_c);
	}
}

static void keyed_instruction(struct etmv4_queue *q, uint64_t index, uint32_t key)
{
	q->cond.cond_c = key < q->cfg->cond_keys ? key : next_key(q, q->cond.cond_c, 1);
	instruction(q, index, key);
}

static void keyed_result(struct etmv4_queue *q, uint64_t index, uint32_t key, unsigned int bits)
{
	q->cond.cond_r = key < q->cfg->cond_keys ? key : next_key(q, q->cond.cond_r, 1);
	result(q, index, key, q->cfg->cond_flags ? flags_result(bits) : bits & 1 ? CST_COND_PASSED : CST_COND_FAILED);
}

/* Format 3: results of consecutive keys, from bit 0 on. */
static void tokens(struct etmv4_queue *q, uint64_t index, unsigned int bits)
{
	unsigned int at = 0, token, what;

	while (at < ALL_TOKENS) {
		token = bits >> at & 3;
		if (token != TOKEN_MORE) {
			what = short_token(q, token);
			at += TOKEN_BITS;
		} else {
			token = bits >> at & 0xf;
			if (!q->cfg->cond_flags || token == LONG_TOKEN_NULL || at + LONG_TOKEN_BITS > ALL_TOKENS)
				return;
			what = long_token(token);
			at += LONG_TOKEN_BITS;
		}
		q->cond.cond_r = next_key(q, q->cond.cond_r, 1);
		result(q, index, q->cond.cond_r, what);
	}
}

void cst_etmv4_cond_flush(struct etmv4_queue *q, uint64_t index)
{
	if (!q->cfg->cond_trace || q->state != ETMV4_SYNCED)
		return;
	q->cond.cond_r = q->cond.cond_c;
	cst_etmv4_queue_push(q, CST_EL_COND_FLUSH, index);
}

void cst_etmv4_cond_packet(struct etmv4_queue *q, const struct cst_packet *pkt)
{
	uint64_t index = pkt->index;

	/* without TRCIDR12 and TRCIDR13 the number of keys is unknown */
	if (!q->cfg->cond_keys)
		return;
	switch (pkt->type) {
	case CST_PKT_COND_I_F1:
		keyed_instruction(q, index, pkt->count);
		break;
	case CST_PKT_COND_I_F2:
		if ((pkt->event & 3) != 1)
			ordinary_instructions(q, index, 1);
		if ((pkt->event & 3) != 0)
			instruction(q, index, q->cond.cond_c);
		break;
	case CST_PKT_COND_I_F3:
		ordinary_instructions(q, index, pkt->event >> 1 & 0x3f);
		if (pkt->event & 1)
			instruction(q, index, q->cond.cond_c);
		break;
	case CST_PKT_COND_FLUSH:
		cst_etmv4_cond_flush(q, index);
		break;
	case CST_PKT_COND_R_F1:
		if (pkt->event & ETMV4_COND_CI0)
			keyed_instruction(q, index, pkt->count);
		keyed_result(q, index, pkt->count, pkt->event & 15);
		if (!(pkt->event & ETMV4_COND_TWO))
			break;
		if (pkt->event & ETMV4_COND_CI1)
			keyed_instruction(q, index, pkt->key);
		keyed_result(q, index, pkt->key, pkt->event >> 4 & 15);
		break;
	case CST_PKT_COND_R_F2:
		q->cond.cond_r = next_key(q, q->cond.cond_r, 1 + (pkt->header >> 2 & 1));
		result(q, index, q->cond.cond_r, short_token(q, pkt->event & 3));
		break;
	case CST_PKT_COND_R_F3:
		tokens(q, index, pkt->event);
		break;
	case CST_PKT_COND_R_F4:
		q->cond.cond_r = next_key(q, q->cond.cond_r, q->cfg->cond_keys - 1);
		result(q, index, q->cond.cond_r, short_token(q, pkt->event & 3));
		break;
	}
}
