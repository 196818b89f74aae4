/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c - the protocols of the library. */
#include "base/sized.h"
#include "protocols/protocol/protocol_int.h"

void cst_stage_fini(void *stage)
{
	(void)stage;
}

const struct protocol *cst_protocol_find(enum cst_protocol id)
{
	static const struct protocol *const table[CST_PROTOCOLS] = {
		[CST_PROTO_ETMV4] = &cst_protocol_etmv4,
		[CST_PROTO_ETE] = &cst_protocol_etmv4,
		[CST_PROTO_ETMV4_DATA] = &cst_protocol_etmv4_data,
		[CST_PROTO_ETMV3] = &cst_protocol_etmv3,
		[CST_PROTO_STM] = &cst_protocol_stm,
		[CST_PROTO_ITM] = &cst_protocol_itm,
		[CST_PROTO_PTM] = &cst_protocol_ptm,
	};

	return id < CST_PROTOCOLS ? table[id] : NULL;
}

int cst_protocol_resumes(const struct protocol *pr, const struct cst_config *cfg)
{
	return !cfg->cond_trace && !cfg->checks && !(pr->is_flow && (cfg->data_addr || cfg->data_value || cfg->data_only));
}

size_t cst_packet_text(const struct cst_packet *pkt, char *out, size_t cap)
{
	const struct protocol *pr;
	struct cst_packet own;

	pkt = TAKE(cst_packet, pkt, own);
	pr = pkt ? cst_protocol_find(pkt->protocol) : NULL;
	if (!pr) {
		if (cap)
			*out = 0;
		return 0;
	}
	return pr->ops.packet_text(pkt, out, cap);
}

enum cst_packet_role cst_packet_role(const struct cst_packet *pkt)
{
	const struct protocol *pr = cst_protocol_find(pkt->protocol);

	return pr && pkt->type < pr->ops.n_types ? pr->ops.roles[pkt->type] : CST_ROLE_OTHER;
}
