/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * etmv3.h - inside the ETMv3 decoder: packet parser and element stage.
 */
#ifndef CST_LIB_ETMV3_ETMV3_H
#define CST_LIB_ETMV3_ETMV3_H

#include <cstrace/config.h>
#include <cstrace/element.h>
#include <cstrace/flow.h>
#include <cstrace/packet.h>
#include <cstrace/packet_etmv3.h>

#include "flow/insn_step.h"
#include "protocol/protocol_int.h"
#include "reader/times.h"

struct cst_stats;

#define ETMV3_ASYNC_ZEROS 5	/* at least; then 0x80 */
#define ETMV3_MAX_PACKET 64

/* Headers. */
#define ETMV3_ISYNC 0x08
#define ETMV3_ISYNC_CYCLE 0x70
#define ETMV3_CONTEXT_ID 0x6e
#define ETMV3_VMID 0x3c

/* Unsynchronised bytes that a listing shows as one piece. */
#define ETMV3_UNSYNCED_PIECE 16

/* What a parser remembers between packets. Plain data, so that a copy can look ahead. */
struct etmv3_parser {
	const struct cst_config *cfg;
	uint8_t synced;		/* A-sync seen */
	uint8_t listing;
	uint8_t isa;		/* of the last I-sync or five-byte branch address */
	uint8_t alt_isa;	/* AltISA bit of the last packet that had one */
	uint8_t security, el;	/* el: 2 hypervisor, else 0 */
	uint8_t state_known;	/* security and el were traced */
	uint8_t big_endian;	/* data transfers */
	uint8_t addr_known;	/* low bits of addr that were traced */
	uint8_t data_known;
	uint8_t zeros;		/* that the last packet ended with */
	uint8_t type[256];	/* header -> enum cst_etmv3_packet_type, by configuration */
	uint32_t addr;		/* last instruction address sent */
	uint32_t data_addr;	/* last data address sent */
	uint32_t cid, vmid;
	struct times ts;
	struct insn_code phdr[256]; /* header -> atoms, and whether it settles those before; form: enum etmv3_phdr_form */
};

/* Of a P-header: 0 to 4, or BAD; with ODD: as far as the bits in use go. */
enum etmv3_phdr_form { ETMV3_PHDR_BAD = 0x40, ETMV3_PHDR_ODD = 0x80 };

/* Decoded P-headers of a configuration. */
void cst_etmv3_phdrs(struct etmv3_parser *ps);

void cst_etmv3_parser_init(void *parser, const struct cst_config *cfg, void *user);
/* As struct cst_protocol_ops says. */
unsigned int cst_etmv3_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
void cst_etmv3_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
/* What follows the header; nothing in *ps changes when the packet is not complete, or is bad. */
void cst_etmv3_parse_branch(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt);
void cst_etmv3_parse_isync(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt);
void cst_etmv3_parse_data(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt);
size_t cst_etmv3_packet_text(const struct cst_packet *pkt, char *out, size_t cap);

/* A branch address, as it is read. */
struct etmv3_branch {
	const uint8_t *at;	/* the packet */
	uint32_t bits;		/* as sent: from the lowest bit that the instruction set's addresses have */
	uint8_t count;		/* how many */
	uint8_t isa;		/* with five bytes */
	uint8_t full;		/* five bytes */
	uint8_t info;		/* exception information follows */
	uint8_t old_exc;	/* deprecated fifth byte: exception, in `exc` and `cancel` */
	uint8_t exc, cancel;
};

/*
 * A branch address of less than five bytes, without exception information, at [p, end): its size. 0: the packet is something
 * else, or not complete.
 */
unsigned int cst_etmv3_read_branch(const struct etmv3_parser *ps, const uint8_t *p, const uint8_t *end,
				   struct etmv3_branch *br);
/* That packet, of `size` bytes, is parsed: ps->addr is where it goes. */
void cst_etmv3_take_branch(struct etmv3_parser *ps, const struct etmv3_branch *br, unsigned int size);

extern const uint8_t cst_etmv3_roles[CST_ETMV3_PKT_TYPES]; /* enum cst_packet_role by type */

/*
 * Element stage. An exception can cancel the last instruction traced: its atom is held, and what came after it,
 * until a packet shows that it ran. Elements [head, ready) may be taken; [ready, count) are held.
 */
#define ETMV3_HELD 256

enum etmv3_sync { ETMV3_WAIT_ASYNC, ETMV3_WAIT_ISYNC, ETMV3_SYNCED };

struct etmv3_stage {
	const struct cst_config *cfg;
	struct cst_stats *stats;
	uint8_t state;		/* enum etmv3_sync */
	uint8_t started;	/* the first NO_SYNC was reported */
	uint8_t reason;		/* enum cst_unsync_reason of that NO_SYNC */
	uint8_t config;		/* it starts a new configuration */
	uint8_t ended;
	uint8_t next_addr_known;	/* address of a transfer that has none of its own */
	uint32_t next_addr;
	struct cst_context ctx;
	uint64_t last_index;
	uint32_t head, ready, count;
	struct cst_element elem[ETMV3_HELD + 8];
};

int cst_etmv3_stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user);
void cst_etmv3_stage_reset(void *stage, uint8_t reason, int config);
/* Decoding starts anew with the A-sync at `index`. */
void cst_etmv3_stage_restart(void *stage, uint64_t index);
void cst_etmv3_stage_packet(void *stage, const struct cst_packet *pkt);
void cst_etmv3_stage_end(void *stage);
const struct cst_element *cst_etmv3_stage_take(void *stage);
int cst_etmv3_stage_address(const void *stage, uint64_t *addr);

/* The same in a loop over packets. */
static inline const struct cst_element *etmv3_stage_next(void *stage)
{
	struct etmv3_stage *s = stage;

	return s->head < s->ready ? &s->elem[s->head++] : cst_etmv3_stage_take(s);
}

/* Nothing waits, and packets can be decoded as they come. */
static inline int cst_etmv3_stage_direct(const struct etmv3_stage *s)
{
	return s->state == ETMV3_SYNCED && s->head == s->count;
}

static inline int cst_etmv3_stage_holds(const struct etmv3_stage *s)
{
	return s->ready != s->count;
}

/* Reasons of an I-sync; the periodic one begins no stretch of trace. */
#define ETMV3_PERIODIC 0
#define ETMV3_OVERFLOW 2

/* Runs of P-headers and branches (struct protocol). */
enum fast_end cst_etmv3_run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap);

/* What is held ran. */
static inline void cst_etmv3_stage_settle(struct etmv3_stage *s)
{
	s->ready = s->count;
}

#endif
