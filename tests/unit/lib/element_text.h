/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element_text.h - all fields of the elements that a protocol makes of trace bytes as text, and what is counted of losses.
 */
#ifndef CSTRACE_TESTS_UNIT_ELEMENT_TEXT_H
#define CSTRACE_TESTS_UNIT_ELEMENT_TEXT_H

#include <inttypes.h>

#include <cstrace/element.h>

#include "protocols/protocol/protocol_int.h"
#include "unit/lib_decode.h"

/*
 * Writes an element: the trace offset of its packet, its kind, and each field that has a meaning for the kind. `waypoint`:
 * of ETMv3 and PTM, whose timestamps have their value as it was sent, too.
 */
static inline void element_text(const struct cst_element *e, int waypoint, char *s, size_t n)
{
	static const char *const names[] = {
		[CST_EL_ATOMS] = "atoms", [CST_EL_ADDRESS] = "addr", [CST_EL_CONTEXT] = "ctx", [CST_EL_EXCEPTION] = "exc",
		[CST_EL_EXC_RETURN] = "eret", [CST_EL_Q] = "q", [CST_EL_SOURCE_ADDRESS] = "src", [CST_EL_TRACE_ON] = "on",
		[CST_EL_TRACE_INFO] = "info", [CST_EL_TIMESTAMP] = "ts", [CST_EL_CYCLE_COUNT] = "cc", [CST_EL_EVENT] = "event",
		[CST_EL_TS_MARKER] = "marker", [CST_EL_INSTRUMENTATION] = "ite", [CST_EL_TRANS_START] = "start",
		[CST_EL_TRANS_COMMIT] = "commit", [CST_EL_TRANS_FAIL] = "fail", [CST_EL_FUNC_RETURN] = "fret",
		[CST_EL_NO_SYNC] = "nosync", [CST_EL_END] = "end", [CST_EL_FINDING] = "finding", [CST_EL_COND_FLUSH] = "flush",
		[CST_EL_COND_INSN] = "insn", [CST_EL_COND_RESULT] = "result", [CST_EL_BRANCH] = "branch",
		[CST_EL_WAYPOINT] = "waypoint", [CST_EL_VECTOR] = "vector", [CST_EL_DATA] = "data",
		[CST_EL_READY] = "ready",
	};
	const char *name = e->kind < sizeof(names) / sizeof(names[0]) && names[e->kind] ? names[e->kind] : "unknown";
	const uint32_t atoms = (1u << (e->n & 31)) - 1;
	const struct cst_generic *g;
	char cycles[40];
	size_t at;

	if (e->flags & CST_EL_F_CC)
		snprintf(cycles, sizeof(cycles), " cc%u f%x", e->cc, e->flags);
	else
		snprintf(cycles, sizeof(cycles), " f%x", e->flags);
	at = (size_t)snprintf(s, n, "%" PRIu64 ":%s", e->index, name);
	switch (e->kind) {
	case CST_EL_ATOMS:
		at += (size_t)snprintf(s + at, n - at, "(%u %x %x", e->n, e->bits & atoms, e->first_e & atoms);
		/* the cycles of each atom after the first one */
		if (e->flags & CST_EL_F_CC)
			at += (size_t)snprintf(s + at, n - at, "%s each%u", cycles, e->num);
		snprintf(s + at, n - at, ")");
		break;
	case CST_EL_ADDRESS:
	case CST_EL_SOURCE_ADDRESS:
		at += (size_t)snprintf(s + at, n - at, "(%" PRIx64 " is%u", e->addr, e->is);
		if (e->flags)
			at += (size_t)snprintf(s + at, n - at, " f%x", e->flags);
		if (e->flags & CST_EL_F_LSIP)
			at += (size_t)snprintf(s + at, n - at, " of%" PRIx64, e->value);
		snprintf(s + at, n - at, ")");
		break;
	case CST_EL_CONTEXT:
		at += (size_t)snprintf(s + at, n - at, "(el%u sec%u %s cid%x vmid%x has%x", e->ctx.el, e->ctx.security,
				       e->ctx.bits64 ? "a64" : "a32", e->ctx.context_id, e->ctx.vmid, e->ctx.flags);
		if (waypoint && e->flags & CST_EL_F_CC)
			at += (size_t)snprintf(s + at, n - at, " cc%u", e->cc);
		snprintf(s + at, n - at, e->flags & CST_EL_F_ADDRESS ? " f%x is%u)" : " f%x)", e->flags, e->is);
		break;
	case CST_EL_EXCEPTION:
		snprintf(s + at, n - at, "(%x @%" PRIx64 " is%u f%x)", e->num, e->addr, e->is, e->flags);
		break;
	case CST_EL_Q:
		at += (size_t)snprintf(s + at, n - at, "(f%x n%" PRIu64, e->flags, e->flags & CST_EL_F_COUNT ? e->value : 0);
		if (e->flags & CST_EL_F_ADDRESS)
			at += (size_t)snprintf(s + at, n - at, " @%" PRIx64 " is%u", e->addr, e->is);
		snprintf(s + at, n - at, ")");
		break;
	case CST_EL_COND_INSN:
		snprintf(s + at, n - at, "(%" PRIu64 ")", e->value);
		break;
	case CST_EL_TIMESTAMP:
	case CST_EL_TS_MARKER:
	case CST_EL_INSTRUMENTATION:
		at += (size_t)snprintf(s + at, n - at, "(%u %" PRIx64, e->num, e->value);
		if (waypoint)
			at += (size_t)snprintf(s + at, n - at, " sent%" PRIx64, e->addr);
		snprintf(s + at, n - at, "%s)", cycles);
		break;
	case CST_EL_EVENT:
	case CST_EL_CYCLE_COUNT:
	case CST_EL_TRACE_ON:
		snprintf(s + at, n - at, "(%u%s)", e->num, waypoint || e->kind != CST_EL_TRACE_ON ? cycles : "");
		break;
	case CST_EL_BRANCH:
	case CST_EL_VECTOR:
		/* the number of the exception: 0 of a branch, since it is part of the digests of an index */
		snprintf(s + at, n - at, "(%u @%" PRIx64 " is%u%s)", e->num, e->addr, e->is, cycles);
		break;
	case CST_EL_WAYPOINT:
		snprintf(s + at, n - at, "(%" PRIx64 " is%u)", e->addr, e->is);
		break;
	case CST_EL_DATA:
		snprintf(s + at, n - at, "(num%x @%" PRIx64 " %" PRIx64 " bytes%u tag%u)", e->num, e->num & CST_DATA_ADDR ? e->addr : 0,
			 e->value, e->n, e->is);
		break;
	case CST_EL_READY:
		g = e->ready;
		snprintf(s + at, n - at, "(kind%u type%u num%x value%" PRIx64 " size%u channel%x master%x ts%" PRIx64 " f%x rest%x at%" PRIu64 ")",
			 g->kind, g->last_type, g->num, g->payload, g->size, g->channel, g->master, g->ts, g->flags,
			 g->cc | g->section | g->el | g->security | g->isa | g->last_subtype | g->last_size | g->error | g->sect_off,
			 g->index);
		at = strlen(s);
		/* the element has nothing else */
		if (e->num || e->flags || e->cc || e->addr)
			snprintf(s + at, n - at, "+(%u f%x cc%u %" PRIx64 ")", e->num, e->flags, e->cc, e->addr);
		break;
	case CST_EL_NO_SYNC:
		snprintf(s + at, n - at, "(%u error%" PRIu64 " f%x)", e->num, e->value, e->flags);
		break;
	default:
		snprintf(s + at, n - at, e->flags ? "(%u f%x)" : "(%u)", e->num, e->flags);
	}
}

/* A parser and an element stage of their own. */
struct element_feed {
	const struct cst_protocol_ops *ops;
	void *parser, *stage;
	struct cst_stats stats;
	char text[4096];
	int waypoint, flow;	/* of ETMv3 and PTM; of instruction trace */
};

static inline void element_feed_new(struct element_feed *f, const struct protocol *pr, const struct cst_config *cfg)
{
	static const uint8_t nothing[1] = { 0 };
	struct cst_packet pkt;

	memset(f, 0, sizeof(*f));
	f->ops = &pr->ops;
	f->waypoint = cfg->protocol == CST_PROTO_ETMV3 || cfg->protocol == CST_PROTO_PTM;
	f->flow = f->waypoint || cfg->protocol == CST_PROTO_ETMV4 || cfg->protocol == CST_PROTO_ETE;
	f->parser = malloc(f->ops->parser_size);
	f->stage = calloc(1, f->ops->stage_size);
	assert_true(f->parser && f->stage);
	f->ops->parser_init(f->parser, cfg, NULL);
	/* no byte is no packet, unless one may be in the rest of a byte */
	if (!f->ops->sub_byte)
		assert_int_equal(f->ops->parse(f->parser, nothing, nothing, &pkt), 0);
	assert_int_equal(f->ops->stage_init(f->stage, cfg, &f->stats, NULL), 0);
}

static inline void element_feed_free(struct element_feed *f)
{
	f->ops->stage_fini(f->stage);
	free(f->stage);
	free(f->parser);
}

/* Appends the elements that can be taken. */
static inline void element_feed_take(struct element_feed *f)
{
	const struct cst_element *e;
	size_t at;

	while ((e = f->ops->stage_take(f->stage))) {
		at = strlen(f->text);
		assert_true(at + 300 < sizeof(f->text));
		if (at)
			f->text[at++] = ' ';
		element_text(e, f->waypoint, f->text + at, sizeof(f->text) - at);
	}
}

/* Parses each part of a packet from its first byte on: what is incomplete leaves the parser as it was. */
static inline void element_feed_parts(struct element_feed *f, const uint8_t *p, unsigned int size)
{
	void *before = malloc(f->ops->parser_size);
	struct cst_packet pkt;
	unsigned int n;

	assert_non_null(before);
	memcpy(before, f->parser, f->ops->parser_size);
	for (n = 1; n < size; n++) {
		pkt.finding[0] = pkt.finding[1] = 0;
		if (!f->ops->parse(f->parser, p, p + n, &pkt) && memcmp(f->parser, before, f->ops->parser_size))
			fail_msg("%u bytes of %u of packet 0x%02x change the state of the parser", n, size, *p);
		memcpy(f->parser, before, f->ops->parser_size);
	}
	free(before);
}

/* Appends the elements of these bytes. No field of a packet is left for the next one. */
static inline void element_feed_bytes(struct element_feed *f, const uint8_t *p, size_t len)
{
	struct cst_packet pkt;
	unsigned int size;
	size_t at;

	for (at = 0; at < len; at += pkt.size) {
		element_feed_parts(f, p + at, len - at < 64 ? (unsigned int)(len - at) : 64);
		memset(&pkt, 0xa5, sizeof(pkt));
		pkt.finding[0] = pkt.finding[1] = 0;
		size = f->ops->parse(f->parser, p + at, p + len, &pkt);
		/* STM: a packet in the rest of a byte */
		pkt.size = size == CST_PARSE_NO_BYTE ? 0 : (uint16_t)size;
		if (!size) {
			f->ops->parse_rest(f->parser, p + at, p + len, &pkt);
			pkt.size = pkt.size ? pkt.size : (uint16_t)(len - at);
		}
		pkt.index = at;
		f->ops->stage_packet(f->stage, &pkt);
		element_feed_take(f);
	}
}

/* Appends the counters that are not 0. */
static inline void element_feed_losses(struct element_feed *f)
{
	const struct cst_stats *s = &f->stats;
	const struct {
		const char *name;
		uint64_t n;
	} rows[] = {
		{ "overflows", s->overflows }, { "discards", s->discards }, { "bad", s->bad_packets },
		{ "resyncs", s->resyncs }, { "unsynced", s->unsynced }, { "uncommitted", s->uncommitted },
		{ "failed", s->trans_failed }, { "times", s->times_unknown }, { "atoms", s->atoms_lost },
		{ "data", s->data_lost }, { "masters", s->master_errors }, { "globals", s->global_errors },
		{ "tried", s->boundaries_tried },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].n)
			sprintf(f->text + strlen(f->text), " %s=%" PRIu64, rows[i].name, rows[i].n);
}

/* Appends the end of the trace, which a stage of instruction trace reports once, and the counters. */
static inline void element_feed_end(struct element_feed *f)
{
	f->ops->stage_end(f->stage);
	element_feed_take(f);
	element_feed_losses(f);
	if (!f->flow)
		return;
	f->ops->stage_end(f->stage);
	assert_null(f->ops->stage_take(f->stage));
}

/* The parsers of two streams that end alike go on alike: nothing of the bytes before is left. */
static inline void expect_same_parsers(const struct protocol *pr, const struct cst_config *cfg, const uint8_t *p, size_t len,
				       const uint8_t *q, size_t q_len)
{
	struct element_feed one, other;

	element_feed_new(&one, pr, cfg);
	element_feed_new(&other, pr, cfg);
	element_feed_bytes(&one, p, len);
	element_feed_bytes(&other, q, q_len);
	assert_memory_equal(one.parser, other.parser, pr->ops.parser_size);
	element_feed_free(&one);
	element_feed_free(&other);
}

#endif
