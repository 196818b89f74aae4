/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * etmv3.h - internal interface of the ETMv3 decoder: packet parser and element stage.
 */
#ifndef CST_LIB_PROTOCOLS_ETMV3_ETMV3_H
#define CST_LIB_PROTOCOLS_ETMV3_ETMV3_H

#include <cstrace/config.h>
#include <cstrace/element.h>
#include <cstrace/flow.h>
#include <cstrace/packet.h>
#include <cstrace/packet_etmv3.h>

#include "bytes/reader/times.h"
#include "flow/insn_step.h"
#include "protocols/protocol/protocol_int.h"

struct cst_stats;

#define ETMV3_ASYNC_ZEROS 5	/* minimum zeros of an A-sync, before its 0x80 */
#define ETMV3_MAX_PACKET 64

/* Headers. */
#define ETMV3_ISYNC 0x08
#define ETMV3_ISYNC_CYCLE 0x70
#define ETMV3_CONTEXT_ID 0x6e
#define ETMV3_VMID 0x3c

/* Bytes of a full unsynchronised piece in a listing. */
#define ETMV3_UNSYNCED_PIECE 16

/* State of the parser between packets. Plain data, so that a copy can read ahead. */
struct etmv3_parser {
	const struct cst_config *cfg;
	uint8_t synced;		/* A-sync seen */
	uint8_t listing;
	uint8_t isa;		/* of the last I-sync or five-byte branch address */
	uint8_t alt_isa;	/* AltISA bit of the last packet that had one */
	uint8_t security, el;	/* el: exception level, 2 in Hyp mode, else 0 */
	uint8_t state_known;	/* security and el were traced */
	uint8_t big_endian;	/* data transfers are big-endian (the last fifth byte of a data address) */
	uint8_t addr_known;	/* number of low bits of addr that were traced */
	uint8_t data_known;	/* number of low bits of data_addr that were traced */
	uint8_t zeros;		/* zeros at the end of the last packet */
	uint8_t type[256];	/* header -> enum cst_etmv3_packet_type, by configuration */
	uint32_t addr;		/* last instruction address sent */
	uint32_t data_addr;	/* last data address sent */
	uint32_t cid, vmid;
	struct times ts;
	struct insn_code phdr[256]; /* by header: its atoms, and if the instructions before are final; form: enum etmv3_phdr_form */
};

/* Format of a P-header, 0 to 4, or BAD. ODD is added to that of a reserved or deprecated encoding, which is decoded. */
enum etmv3_phdr_form { ETMV3_PHDR_BAD = 0x40, ETMV3_PHDR_ODD = 0x80 };

/* Fills ps->phdr for the configuration. */
void cst_etmv3_phdrs(struct etmv3_parser *ps);

void cst_etmv3_parser_init(void *parser, const struct cst_config *cfg, void *user);
/* Functions of struct cst_protocol_ops. */
unsigned int cst_etmv3_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
void cst_etmv3_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
/* These parse the bytes after the header. *ps does not change if the packet is incomplete or r->bad is set. */
void cst_etmv3_parse_branch(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt);
void cst_etmv3_parse_isync(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt);
void cst_etmv3_parse_data(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt);
size_t cst_etmv3_packet_text(const struct cst_packet *pkt, char *out, size_t cap);

/* The address bytes of a branch packet, before they are combined with the last address. */
struct etmv3_branch {
	const uint8_t *at;	/* first byte of the packet */
	uint32_t bits;		/* address bits sent, the lowest in bit 0 */
	uint8_t count;		/* number of bits sent */
	uint8_t isa;		/* enum cst_isa, of an address of five bytes */
	uint8_t full;		/* the address has five bytes */
	uint8_t info;		/* exception information bytes follow */
	uint8_t old_exc;	/* deprecated fifth byte: exception, in `exc` and `cancel` */
	uint8_t exc, cancel;
};

/*
 * Reads a branch packet of less than five bytes, without exception information, from [p, end). Returns its size, or 0 if
 * the packet is incomplete or of another form.
 */
unsigned int cst_etmv3_read_branch(const struct etmv3_parser *ps, const uint8_t *p, const uint8_t *end,
				   struct etmv3_branch *br);
/* Updates the parser by that packet, of `size` bytes: ps->addr is its target. */
void cst_etmv3_take_branch(struct etmv3_parser *ps, const struct etmv3_branch *br, unsigned int size);

extern const uint8_t cst_etmv3_roles[CST_ETMV3_PKT_TYPES]; /* enum cst_packet_role by type */

/*
 * Element stage. An exception can cancel the last instruction traced (IHI 0014Q 7.3.5), so that its atom, with the
 * elements after it, is held until a packet shows that it was executed. Elements [head, ready) may be taken;
 * [ready, count), at most ETMV3_HELD, are held.
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
	uint8_t next_addr_known;	/* next_addr is valid */
	uint8_t gap_uncounted;	/* the cycles before the last non-periodic I-sync are unknown */
	uint8_t left_held;	/* cst_etmv3_stage_leave() was called, and an instruction was held */
	uint8_t doubtful;	/* the last instruction before the first NO_SYNC may have been cancelled */
	uint32_t next_addr;	/* address of the next data transfer if its packet has none */
	struct cst_context ctx;
	uint64_t last_index;
	uint32_t head, ready, count;
	struct cst_element elem[ETMV3_HELD + 8];
};

int cst_etmv3_stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user);
void cst_etmv3_stage_reset(void *stage, uint8_t reason, int config);
/* Restarts decoding at the A-sync at `index`. */
void cst_etmv3_stage_restart(void *stage, uint64_t index);
void cst_etmv3_stage_packet(void *stage, const struct cst_packet *pkt);
void cst_etmv3_stage_end(void *stage);
const struct cst_element *cst_etmv3_stage_take(void *stage);
/* struct protocol.stage_leave. */
int cst_etmv3_stage_leave(void *stage);
/* struct protocol.queue_address. */
int cst_etmv3_stage_address(const void *stage, uint64_t *addr);
/* struct protocol.stage_digest. */
uint64_t cst_etmv3_stage_digest(const void *stage, uint64_t digest);

/* Inline cst_etmv3_stage_take(), for the fast path. */
static inline const struct cst_element *etmv3_stage_next(void *stage)
{
	struct etmv3_stage *s = stage;

	return s->head < s->ready ? &s->elem[s->head++] : cst_etmv3_stage_take(s);
}

/* True if the stage is synchronised and holds no element, so that the fast path can decode the next packet. */
static inline int cst_etmv3_stage_direct(const struct etmv3_stage *s)
{
	return s->state == ETMV3_SYNCED && s->head == s->count;
}

static inline int cst_etmv3_stage_holds(const struct etmv3_stage *s)
{
	return s->ready != s->count;
}

/* Reasons of an I-sync (IHI 0014Q 7.10.5). A periodic one does not mean that tracing was off before. */
#define ETMV3_PERIODIC 0
#define ETMV3_OVERFLOW 2
#define ETMV3_DEBUG 3

/* struct protocol.run: P-headers and branches. */
enum fast_end cst_etmv3_run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap);

/* Makes the held elements final, after a packet that shows that the last instruction was executed. */
static inline void etmv3_settle(struct etmv3_stage *s)
{
	s->ready = s->count;
}

#endif
