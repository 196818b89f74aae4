/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.c - a number that stands for the state of a decoder between two inputs. */
#include "base/digest.h"
#include "decoder/tree/decoder_int.h"

/* True if a pull would return nothing: all input was used up, and no element waits for the caller. */
static int is_idle(const struct cst_decoder *dec)
{
	return cst_decoder_idle(dec) && !dec->flow.work.busy && !dec->phase.manual &&
	       !dec->phase.ended && !dec->phase.leaving;
}

/* State that a parser has after its configuration: each parser of the library begins with a pointer to that. */
static uint64_t parser(const struct cst_decoder *dec, uint64_t digest)
{
	const size_t skip = sizeof(const struct cst_config *);

	return cst_digest_bytes(digest, (const uint8_t *)dec->parser + skip, dec->pr->ops.parser_size - skip);
}

uint64_t cst_decoder_digest(const struct cst_decoder *dec, uint64_t digest)
{
	const struct cursor *c = &dec->cur;
	uint32_t i;

	if (!dec->pr->stage_digest || !cst_protocol_resumes(dec->pr, &dec->cfg) || !is_idle(dec) ||
	    c->next || dec->phase.switching)
		return 0;
	digest = digest_word(digest, dec->cfg.trace_id | c->no_byte << 8);
	digest = cst_digest_bytes(digest, c->carry, c->carry_len);
	for (i = 0; i < c->carry_len; i++)
		digest = digest_word(digest, c->carry_at[i]);
	if (c->ops->sub_byte)
		digest = digest_word(digest, c->last);
	digest = dec->pr->stage_digest(dec->stage, parser(dec, digest));
	digest = dec->pr->is_flow ? cst_flow_digest(&dec->flow, digest) : digest;
	return digest ? digest : 1;
}
