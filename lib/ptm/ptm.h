/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ptm.h - inside the PTM (Program Flow Trace) decoder: packet parser and element stage.
 */
#ifndef CST_LIB_PTM_PTM_H
#define CST_LIB_PTM_PTM_H

#include <cstrace/config.h>
#include <cstrace/element.h>
#include <cstrace/packet.h>
#include <cstrace/packet_ptm.h>

#include "flow/flow_int.h"
#include "reader/times.h"

struct cst_stats;
struct cst_generic;
struct fast;

#define PTM_ASYNC_ZEROS 5	/* at least so many 0x00, then 0x80 */
#define PTM_MAX_PACKET 64	/* an A-sync with more zeros is found again by its last ones */
#define PTM_MAX_ZEROS (PTM_MAX_PACKET - 3)	/* of an A-sync; of more, the last ones are found */
#define PTM_MAX_ADDRESS 5	/* address bytes */

/*
 * What a parser remembers between packets: addresses and timestamps are compressed against the last ones.
 * Plain data, so that a copy can look ahead.
 */
struct ptm_parser {
	const struct cst_config *cfg;
	struct times ts;
	uint32_t addr;
	uint8_t isa;		/* enum cst_isa of addr */
	uint8_t alt_isa;	/* AltISA bit last seen: Thumb is ThumbEE */
	uint8_t addr_known;	/* low bits of addr that were traced since the start */
	uint8_t ns, hyp;
	uint8_t zeros;		/* the last packet ended with so many 0x00, up to PTM_ASYNC_ZEROS */
	uint8_t synced;		/* A-sync seen */
	uint8_t listing;	/* unsynchronised bytes come in pieces, as the reference lists them */
};

/* Atoms by header, when no cycle counts are traced: header bits 6:1. */
extern const struct atom_code cst_ptm_atoms[64];

void cst_ptm_parser_init(void *parser, const struct cst_config *cfg, void *user);
/* As struct cst_protocol_ops.parse and parse_rest say. */
unsigned int cst_ptm_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
void cst_ptm_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
size_t cst_ptm_packet_text(const struct cst_packet *pkt, char *out, size_t cap);

extern const uint8_t cst_ptm_roles[CST_PTM_PKT_TYPES]; /* enum cst_packet_role by type */

enum ptm_sync {
	PTM_WAIT_ASYNC,		/* decoding starts at the next A-sync ... */
	PTM_WAIT_ISYNC,		/* ... and the I-sync after it */
	PTM_SYNCED,
};

/* A packet makes at most so many elements. */
#define PTM_QUEUE 8

/* Element stage: every element is final at once; the queue holds those of one packet. */
struct ptm_stage {
	const struct cst_config *cfg;
	struct cst_stats *stats;
	struct cst_element elem[PTM_QUEUE];
	uint8_t next, count;	/* el[next..count) are to be taken */
	uint8_t state;		/* enum ptm_sync */
	uint8_t started;	/* the first NO_SYNC was reported */
	uint8_t reason;		/* enum cst_unsync_reason of that NO_SYNC */
	uint8_t config;		/* it starts a new configuration */
	uint8_t ended;
	uint8_t running;	/* a Trace On was reported, and nothing was lost since */
	uint8_t ctx_reported;	/* `ctx` went out as an element */
	struct cst_context ctx;
	uint64_t last_index;	/* of the last packet */
};

int cst_ptm_stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user);
void cst_ptm_stage_reset(void *stage, uint8_t reason, int config);
void cst_ptm_stage_restart(void *stage, uint64_t index);
void cst_ptm_stage_packet(void *stage, const struct cst_packet *pkt);
void cst_ptm_stage_end(void *stage);
const struct cst_element *cst_ptm_stage_take(void *stage);

/* Will both make the same of what comes? */
int cst_ptm_stage_same(const void *one, const void *other);

/* Runs of atoms and branches (struct protocol). */
enum fast_end cst_ptm_run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap);

#endif
