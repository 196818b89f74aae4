/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.h - interface between the decode tree and a trace protocol, the same for the library's own protocols and for
 * custom decoders: a packet stage (bytes to packets) and an element stage (packets to trace elements). Both are tables
 * of functions over memory that the decoder allocates once.
 */
#ifndef CSTRACE_PROTOCOL_H
#define CSTRACE_PROTOCOL_H

#include <cstrace/config.h>
#include <cstrace/element.h>
#include <cstrace/flow.h>
#include <cstrace/packet.h>

CST_BEGIN

struct cst_stats;

#define CST_MAX_PACKET 64		/* maximum size of a packet in bytes */
#define CST_PARSE_NO_BYTE 0xffffffffu

struct cst_protocol_ops {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	const char *name;

	/*
	 * Packet stage. The parser's state is plain data of `parser_size` bytes: the decoder copies it to read ahead.
	 * `parse` parses one packet from [p, end) and returns its size, or 0 if it is incomplete; the state is then
	 * unchanged. It sets pkt->type, pkt->protocol and the fields that the type has, but not index, size and bytes.
	 * It reads nothing outside [p, end) and needs no more than `max_packet` (at most CST_MAX_PACKET) bytes. The
	 * size of a bad packet is at least 1. Out of synchronisation it returns the bytes up to the next alignment synchronisation as a
	 * packet of role NOT_SYNC, at most 0xffff at a time; with `listing` set before, as the reference
	 * decoder's listings cut them. A size that cannot be (more than there is, or nothing of CST_MAX_PACKET bytes
	 * and more) makes one byte an incomplete packet, for parse_rest to fill in.
	 */
	uint32_t parser_size;
	uint32_t max_packet;
	/*
	 * 1: a packet may end within a byte, and the next one may be in the rest of that byte: `parse` is also called
	 * with an empty range, and returns CST_PARSE_NO_BYTE for a packet without a byte of its own.
	 */
	uint8_t sub_byte;
	/*
	 * 1: a listing shows unsynchronised bytes as they come, each run of consecutive trace offsets by itself;
	 * `parse` must not depend on where such a packet was cut.
	 */
	uint8_t piece_by_run;
	/*
	 * With piece_by_run: limit in bytes, up to CST_MAX_PACKET, of a piece that began like an A-sync and is
	 * extended into a later run, up to that run's end or its first zero. 0: pieces are not extended.
	 */
	uint8_t piece_max;
	void (*parser_init)(void *parser, const struct cst_config *cfg, void *user);
	/* set when packets are listed one by one (cst_decoder_next_packet); NULL: makes no difference */
	void (*parser_listing)(void *parser);
	unsigned int (*parse)(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
	/*
	 * Makes a packet of the bytes [p, end) left at the end of the trace: NOT_SYNC, or an incomplete packet. With
	 * `sub_byte` it is also called with an empty range, and sets CST_PF_LEAD if part of a byte is left. pkt->size is 0;
	 * a parser that has read ahead sets it to the size of the first packet, and `parse` is called for the others.
	 */
	void (*parse_rest)(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
	/*
	 * Puts the parser into the state after an alignment synchronisation, which was parsed with another
	 * configuration. `parser_init` is called before it, but not with `sub_byte`, since part of a byte may be left.
	 */
	void (*parser_synced)(void *parser);
	const uint8_t *roles;	/* enum cst_packet_role by pkt->type */
	uint32_t n_types;
	/* Writes a packet's text as cst_packet_text(). NULL: packets have no text. */
	size_t (*packet_text)(const struct cst_packet *pkt, char *out, size_t cap);

	/*
	 * Element stage, with a state of `stage_size` bytes that is zeroed before `stage_init`. It counts in `stats`.
	 * `packet` queues the elements of a packet; the decoder calls `take` until it returns NULL before the next
	 * packet. An element is valid until the next call. `end`, after the last packet, queues the remaining elements
	 * and CST_EL_END. `reset` restores the state after init; the next NO_SYNC element has `reason`. `restart`
	 * begins a new configuration at the alignment synchronisation at `index`, and queues a NO_SYNC element with
	 * CST_EL_F_CONFIG after the elements of the old one (`reset` with `config` set does so, too).
	 */
	uint32_t stage_size;
	int (*stage_init)(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user);
	void (*stage_fini)(void *stage);
	void (*stage_reset)(void *stage, uint8_t reason, int config);
	void (*stage_restart)(void *stage, uint64_t index);
	void (*stage_packet)(void *stage, const struct cst_packet *pkt);
	void (*stage_end)(void *stage);
	const struct cst_element *(*stage_take)(void *stage);
};

CST_END

#endif
