/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log_int.h - how the stages of the decoder report to a log.
 */
#ifndef CST_LIB_BASE_LOG_INT_H
#define CST_LIB_BASE_LOG_INT_H

#include <cstrace/log.h>
#include <cstrace/packet.h>

#define PACKET_FINDINGS (sizeof(((struct cst_packet *)0)->finding) / sizeof(((struct cst_packet *)0)->finding[0]))

/* A parser found something in the packet: each thing once, as many as there is room for. */
static inline void packet_finding(struct cst_packet *pkt, enum cst_finding finding)
{
	unsigned int i;

	for (i = 0; i < PACKET_FINDINGS; i++) {
		if (pkt->finding[i] == finding)
			return;
		if (!pkt->finding[i]) {
			pkt->finding[i] = finding;
			return;
		}
	}
}

/* A finding once more, which is counted only: how often it was, cst_log_rest() says in one record. */
void cst_log_again(struct cst_log *log, unsigned int trace_id, unsigned int finding);
void cst_log_rest(struct cst_log *log, enum cst_component component, unsigned int trace_id, uint64_t index,
		  unsigned int finding, uint64_t count);
/* What the parser found in a packet. */
void cst_log_packet(struct cst_log *log, unsigned int trace_id, const struct cst_packet *pkt, int strict);
/* Records why decoding restarts, from a NO_SYNC element. */
void cst_log_no_sync(struct cst_log *log, unsigned int trace_id, uint64_t index, unsigned int reason,
		     unsigned int error);

#endif
