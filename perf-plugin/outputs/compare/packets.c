/* SPDX-License-Identifier: GPL-2.0-only */
/* packets.c - lists the packets around differences, in a second pass over the AUX fragments that have one. */
#include "outputs/compare/packets.h"

#include <inttypes.h>

#include "session/decode/decode.h"

/* Bytes of the trace before and behind a difference whose packets are listed. */
#define BEFORE 24u
#define BEHIND 12u

#define TEXT 512u

struct packets {
	struct pd_output *out;
	const struct packets_place *places;
	size_t nr;
	const struct packets_place *titled;	/* its title was printed last */
};

static bool is_near(const struct packets_place *p, unsigned int buffer, uint64_t offset)
{
	return p->buffer == buffer && offset + BEFORE >= p->offset && offset <= p->offset + BEHIND;
}

/* Fragments without a difference are not decoded. */
static int on_fragment(void *data, const struct fragment_event *e)
{
	const struct session_fragment *f = e->fragment;
	const struct packets *ps = data;
	size_t i;

	if (e->ended)
		return 0;
	*e->start = f->offset + f->size;
	for (i = 0; i < ps->nr; i++)
		if (ps->places[i].buffer == f->queue && ps->places[i].offset >= f->offset &&
		    ps->places[i].offset < f->offset + f->size)
			*e->start = f->offset;
	return 0;
}

static int on_packet(void *data, const struct stream *s, const struct cst_packet *pkt)
{
	struct packets *ps = data;
	char text[TEXT];
	size_t i;

	for (i = 0; i < ps->nr; i++) {
		const struct packets_place *p = &ps->places[i];

		if (p->trace_id != s->trace_id || !is_near(p, s->queue, pkt->index))
			continue;
		if (ps->titled != p)
			pd_output_printf(ps->out, "%s: packets around trace offset 0x%" PRIx64 " of buffer %u, trace ID 0x%x\n",
					 p->title, p->offset, p->buffer, p->trace_id);
		ps->titled = p;
		cst_decoder_packet_text(s->decoder, pkt, text, sizeof(text));
		pd_output_printf(ps->out, "  %s 0x%-10" PRIx64 " %s\n", pkt->index == p->offset ? ">" : " ", pkt->index, text);
	}
	return 0;
}

int packets_print(struct session *ss, struct pd_output *out, const struct packets_place *places, size_t nr)
{
	struct packets ps = { .out = out, .places = places, .nr = nr };
	const struct consumer con = { .data = &ps, .wants.packet = on_packet, .fragment = on_fragment };

	return nr ? session_run(ss, &con) : 0;
}
