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
	const char *name;

	/*
	 * Packet stage. The parser's state is plain data of `parser_size` bytes: a copy of it reads ahead.
	 * `parse` parses one packet from [p, end) and returns its size, or 0 when it is not complete (then
	 * it has changed nothing); it fills the fields of *pkt that the type has, pkt->type and
	 * pkt->protocol, but not index, size and bytes. It never reads outside [p, end), and needs no more
	 * than `max_packet` (at most CST_MAX_PACKET) bytes to decide. A bad packet has its size, too: at
	 * least 1. Out of synchronisation it returns the bytes up to the next alignment synchronisation as a
	 * packet of role NOT_SYNC, at most 0xffff at a time; with `listing` set before, as the reference
	 * decoder's listings cut them. A size that cannot be (more than there is, or nothing of CST_MAX_PACKET bytes
	 * and more) makes one byte an incomplete packet, for parse_rest to fill in.
	 */
	uint32_t parser_size;
	uint32_t max_packet;
	/*
	 * 1: a packet may end within a byte, so that the next one may have no byte of its own: `parse` is called
	 * with an empty range, too, and returns CST_PARSE_NO_BYTE for such a packet.
	 */
	uint8_t sub_byte;
	/*
	 * 1: a listing shows unsynchronised bytes as they come, each run of consecutive trace offsets by itself;
	 * `parse` must not depend on where such a packet was cut.
	 */
	uint8_t piece_by_run;
	/*
	 * With piece_by_run: a piece that was told apart from an A-sync only in a later run goes on to the end of
	 * that one, before a zero, and has at most this many bytes (CST_MAX_PACKET or fewer). 0: it does not.
	 */
	uint8_t piece_max;
	void (*parser_init)(void *parser, const struct cst_config *cfg, void *user);
	/* set when packets are listed one by one (cst_decoder_next_packet); NULL: makes no difference */
	void (*parser_listing)(void *parser);
	unsigned int (*parse)(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
	/*
	 * What the rest [p, end) is when the trace ends in it: NOT_SYNC, or an incomplete packet. With `sub_byte`
	 * it is called with an empty range, too, and sets CST_PF_LEAD when part of a byte is left.
	 */
	void (*parse_rest)(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);
	/*
	 * Synchronised from here on, as after an alignment synchronisation that was parsed under another
	 * configuration. `parser_init` comes before, but not with `sub_byte`, where part of a byte may be left.
	 */
	void (*parser_synced)(void *parser);
	const uint8_t *roles;	/* enum cst_packet_role by pkt->type */
	uint32_t n_types;
	/* Writes a packet's text as cst_packet_text(). NULL: packets have no text. */
	size_t (*packet_text)(const struct cst_packet *pkt, char *out, size_t cap);

	/*
	 * Element stage, `stage_size` bytes, zeroed before `stage_init`. What it counts goes to `stats`.
	 * `packet` turns a packet into elements; they are taken until `take` returns NULL before the next one.
	 * An element is valid until the next call. `end`: no more packets; queue what is left and CST_EL_END.
	 * `reset`: as after init, the next NO_SYNC element says `reason`. `restart`: a new configuration holds
	 * from the alignment synchronisation at `index` on; what is queued ends with a NO_SYNC element with
	 * CST_EL_F_CONFIG (flagged also after `reset` with `config` set).
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
