/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ptm.h - internal interface of the PTM (Program Flow Trace) decoder: packet parser and element stage.
 */
#ifndef CST_LIB_PROTOCOLS_PTM_PTM_H
#define CST_LIB_PROTOCOLS_PTM_PTM_H

#include <cstrace/config.h>
#include <cstrace/element.h>
#include <cstrace/packet.h>
#include <cstrace/packet_ptm.h>

#include "bytes/reader/times.h"
#include "flow/flow_int.h"

struct cst_stats;
struct cst_generic;
struct fast;

#define PTM_ASYNC_ZEROS 5	/* minimum zeros of an A-sync, before its 0x80 (IHI 0035B 4.5.1) */
#define PTM_MAX_PACKET 64	/* maximum size of a packet in bytes */
#define PTM_MAX_ZEROS (PTM_MAX_PACKET - 3)	/* maximum zeros of an A-sync packet; of a longer one the last zeros are found */
#define PTM_MAX_ADDRESS 5	/* maximum address bytes */

/*
 * State of the parser between packets: packets omit bits of addresses and timestamps that have not changed. Plain data,
 * so that a copy can read ahead.
 */
struct ptm_parser {
	const struct cst_config *cfg;
	struct times ts;
	uint32_t addr;
	uint8_t isa;		/* enum cst_isa of addr */
	uint8_t alt_isa;	/* last AltISA bit; 1: Thumb code is ThumbEE */
	uint8_t addr_known;	/* number of low bits of addr that were traced since the start */
	uint8_t ns, hyp;	/* last NS and Hyp bits */
	uint8_t zeros;		/* zeros at the end of the last packet, up to PTM_ASYNC_ZEROS */
	uint8_t synced;		/* A-sync seen */
	uint8_t listing;	/* unsynchronised bytes are returned in the pieces of the reference's listings */
};

/* Atoms by bits 6:1 of the header, when no cycle counts are traced. */
extern const struct atom_code cst_ptm_atoms[64];

void cst_ptm_parser_init(void *parser, const struct cst_config *cfg, void *user);
/* Functions of struct cst_protocol_ops: parse and parse_rest. */
unsigned int cst_ptm_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
void cst_ptm_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
size_t cst_ptm_packet_text(const struct cst_packet *pkt, char *out, size_t cap);

extern const uint8_t cst_ptm_roles[CST_PTM_PKT_TYPES]; /* enum cst_packet_role by type */

enum ptm_sync {
	PTM_WAIT_ASYNC,		/* before an A-sync */
	PTM_WAIT_ISYNC,		/* after an A-sync, before an I-sync */
	PTM_SYNCED,
};

/* Maximum number of elements of a packet. */
#define PTM_QUEUE 8

/* Element stage: every element is final at once; the queue holds those of one packet. */
struct ptm_stage {
	const struct cst_config *cfg;
	struct cst_stats *stats;
	struct cst_element elem[PTM_QUEUE];
	uint8_t next, count;	/* elem[next..count) have not been taken */
	uint8_t state;		/* enum ptm_sync */
	uint8_t started;	/* the first NO_SYNC was reported */
	uint8_t reason;		/* enum cst_unsync_reason of that NO_SYNC */
	uint8_t config;		/* it starts a new configuration */
	uint8_t ended;
	uint8_t running;	/* a Trace On was reported, and synchronisation was not lost since */
	uint8_t ctx_reported;	/* `ctx` was emitted as an element */
	struct cst_context ctx;
	uint64_t last_index;	/* of the last packet */
};

int cst_ptm_stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user);
void cst_ptm_stage_reset(void *stage, uint8_t reason, int config);
void cst_ptm_stage_restart(void *stage, uint64_t index);
void cst_ptm_stage_packet(void *stage, const struct cst_packet *pkt);
void cst_ptm_stage_end(void *stage);
const struct cst_element *cst_ptm_stage_take(void *stage);

/* struct protocol.queue_address. */
int cst_ptm_stage_address(const void *stage, uint64_t *addr);
/* struct protocol.stage_digest. */
uint64_t cst_ptm_stage_digest(const void *stage, uint64_t digest);

/* struct protocol.run: atoms and branches. */
enum fast_end cst_ptm_run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap);

#endif
