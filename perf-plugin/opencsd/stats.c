/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - what was decoded and lost, in the client's structure. */
#include <string.h>

#include "internal.h"

void stats_error(struct source *s, const struct cst_generic *g)
{
	s->stats.bad_headers += g->error == CST_ERR_BAD_HEADER || g->error == CST_ERR_UNSUP_HEADER;
}

/*
 * Bytes that neither a decoder of the library nor a custom decoder takes. Those of custom decoders are counted when they are
 * passed on, which may be before the library counts them.
 */
static uint64_t no_decoder(const struct ocsd_tree *t)
{
	uint64_t n = cst_tree_unrouted(t->tree);

	return n > t->custom_bytes ? n - t->custom_bytes : 0;
}

OCSD_EXPORT ocsd_err_t ocsd_dt_get_decode_stats(const dcd_tree_handle_t handle, const unsigned char id,
						ocsd_decode_stats_t **block)
{
	struct ocsd_tree *t = tree_get(handle);
	struct source *s = t ? tree_source(t, id) : NULL;
	const struct cst_frame_stats *f;
	const struct cst_stats *c;
	uint64_t bad, headers;
	ocsd_decode_stats_t *o;

	if (!s || !block)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	if (!s->dec)
		return err_last(OCSD_ERR_NOT_INIT);
	c = cst_decoder_stats(s->dec);
	f = cst_tree_frame_stats(t->tree);
	o = &s->stats.given;
	o->version = OCSD_VER_NUM;
	o->revision = OCSD_STATS_REVISION;
	o->channel_total = c->bytes - s->stats.base.bytes;
	o->channel_unsynced = c->unsynced - s->stats.base.unsynced;
	/* headers are counted when the client has their elements, packets when they are decoded, which is earlier */
	bad = c->bad_packets - s->stats.base.bad_packets;
	headers = s->stats.bad_headers - s->stats.base_headers;
	headers = headers < bad ? headers : bad;
	o->bad_header_errs = (uint32_t)headers;
	o->bad_sequence_errs = (uint32_t)(bad - headers);
	memset(&o->demux, 0, sizeof(o->demux));
	if (!t->single) {
		o->demux.no_id_bytes = no_decoder(t);
		o->demux.valid_id_bytes = f->data - o->demux.no_id_bytes;
		o->demux.reserved_id_bytes = f->reserved + f->null;
		o->demux.unknown_id_bytes = f->unknown;
		o->demux.frame_bytes = f->overhead;
	}
	*block = o;
	return OCSD_OK;
}

OCSD_EXPORT ocsd_err_t ocsd_dt_reset_decode_stats(const dcd_tree_handle_t handle, const unsigned char id)
{
	struct ocsd_tree *t = tree_get(handle);
	struct source *s = t ? tree_source(t, id) : NULL;

	if (!s || !s->dec)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	s->stats.base = *cst_decoder_stats(s->dec);
	s->stats.base_headers = s->stats.bad_headers;
	return OCSD_OK;
}
