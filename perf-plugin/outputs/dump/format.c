/* SPDX-License-Identifier: GPL-2.0-only */
/* format.c - records of the dump command as lines: as the reference lister writes them, and as text. */
#include <string.h>

#include "base/error.h"
#include "base/name.h"
#include "outputs/dump/dump.h"
#include "outputs/dump/reference.h"

#define PACKET_COLUMN 24	/* bytes of a packet shown in line before its text, in the text form */

static char *idx_id(char *p, uint64_t index, unsigned int id)
{
	p = dump_str(p, "Idx:");
	p = dump_dec(p, index);
	p = dump_str(p, "; ID:");
	p = dump_hex(p, id, 1);
	return dump_str(p, "; ");
}

/* Index and ID in columns: the start of every line in the text form. */
static char *columns(char *p, uint64_t index, unsigned int id)
{
	char *start = p;

	p = dump_dec(p, index);
	while (p - start < 10)
		*p++ = ' ';
	*p++ = ' ';
	p = dump_hex(p, id, 2);
	*p++ = ' ';
	return p;
}

static void opencsd_packet(struct dump *d, const struct cst_decoder *dec, struct cst_packet pkt,
			   unsigned int id)
{
	char *p = dump_out_line(&d->out);
	unsigned int i;

	reference_packet(&pkt);
	p = idx_id(p, pkt.index, d->id.raw ? 0 : id);
	*p++ = '[';
	for (i = 0; i < pkt.nbytes; i++) {
		p = dump_str(p, "0x");
		p = dump_hex(p, pkt.bytes[i], 2);
		*p++ = ' ';
	}
	if (pkt.size > pkt.nbytes) {
		*p++ = '+';
		p = dump_dec(p, (uint64_t)pkt.size - pkt.nbytes);
		*p++ = ' ';
	}
	p = dump_str(p, "];\t");
	p += cst_decoder_packet_text(dec, &pkt, p, DUMP_LINE_MAX / 2);
	*p++ = '\n';
	dump_out_done(&d->out, p);
}

static void text_packet(struct dump *d, const struct cst_decoder *dec, const struct cst_packet *pkt, unsigned int id)
{
	char *p = columns(dump_out_line(&d->out), pkt->index, id), *start = p;
	unsigned int i;

	for (i = 0; i < pkt->nbytes; i++)
		p = dump_hex(p, pkt->bytes[i], 2);
	if (pkt->size > pkt->nbytes) {
		*p++ = '+';
		p = dump_dec(p, (uint64_t)pkt->size - pkt->nbytes);
	}
	do
		*p++ = ' ';
	while (p - start < PACKET_COLUMN);
	p += cst_decoder_packet_text(dec, pkt, p, DUMP_LINE_MAX / 2);
	*p++ = '\n';
	dump_out_done(&d->out, p);
}

void dump_packet(struct dump *d, const struct cst_decoder *dec, const struct cst_packet *pkt)
{
	unsigned int id = cst_decoder_config(dec)->trace_id;

	if (!d->show.packets || (d->id.only_id >= 0 && (unsigned int)d->id.only_id != id) ||
	    (d->range && !dump_range_packet(d->range, dec, pkt)))
		return;
	if (d->format == DUMP_OPENCSD)
		opencsd_packet(d, dec, *pkt, id);
	else if (d->format == DUMP_TEXT)
		text_packet(d, dec, pkt, id);
	else if (d->format == DUMP_JSON)
		dump_json_packet(d, dec, pkt, id);
}

static bool lists_elements(const struct dump *d, unsigned int id)
{
	return d->show.elements && !d->id.packets_only[id & 0x7f];
}

static void opencsd_element(struct dump *d, struct cst_generic g, unsigned int protocol)
{
	char *p;

	if (!reference_element(&g, protocol))
		return;
	if (lists_elements(d, g.trace_id)) {
		p = idx_id(dump_out_line(&d->out), g.index, g.trace_id);
		p += cst_generic_text(&g, p, DUMP_LINE_MAX / 2);
		*p++ = '\n';
		dump_out_done(&d->out, p);
	}
	/* The reference's packet lister says by itself that its stream ended. */
	if (d->show.packets && g.kind == CST_GEN_EO_TRACE) {
		p = dump_str(dump_out_line(&d->out), "ID:");
		p = dump_hex(p, d->id.raw ? 0 : g.trace_id, 1);
		p = dump_str(p, "\tEND OF TRACE DATA\n");
		dump_out_done(&d->out, p);
	}
}

static void count_element(struct dump *d, const struct cst_generic *g)
{
	struct cst_stats *s = &d->sums.passed;

	if (!d->sums.filtered || d->id.packets_only[g->trace_id & 0x7f])
		return;
	s->elements++;
	if (g->kind != CST_GEN_RANGE)
		return;
	s->ranges++;
	s->insns += g->n_insn;
	s->branches += g->flags & CST_GF_EXEC && cst_insn_is_branch(g->last_type);
}

void dump_element(struct dump *d, const struct cst_decoder *dec, const struct cst_generic *g)
{
	if ((d->id.only_id >= 0 && (unsigned int)d->id.only_id != g->trace_id) ||
	    (d->range && !dump_range_element(d->range, g)))
		return;
	if (d->format == DUMP_NONE)
		count_element(d, g);
	else if (d->format == DUMP_OPENCSD)
		opencsd_element(d, *g, cst_decoder_config(dec)->protocol);
	else if (!lists_elements(d, g->trace_id))
		return;
	else if (d->format == DUMP_TEXT)
		dump_text_element(d, g);
	else if (d->format == DUMP_JSON)
		dump_json_element(d, g);
}

/* What a fragment of a listing is, by itself; NULL for bytes of a trace ID. */
static const char *fragment_name(unsigned int kind)
{
	static const char *const names[] = {
		[CST_FRAG_RESET] = "barrier", [CST_FRAG_ERROR] = "error",
		[CST_FRAG_FINDING] = "finding", [CST_FRAG_FRAME] = "frame",
		[CST_FRAG_FSYNC] = "fsync", [CST_FRAG_HSYNC] = "hsync",
	};

	return names[kind];
}

static char *hex_bytes(char *p, const uint8_t *data, unsigned int n, const char *after)
{
	const char *start = p;
	unsigned int i;

	for (i = 0; i < n && p - start < DUMP_LINE_MAX / 2; i++)
		p = dump_str(dump_hex(p, data[i], 2), after);
	return p;
}

/* The reference lists bytes, packed frames and synchronisation; barriers and errors it does not. */
static void opencsd_fragment(struct dump *d, const struct cst_fragment *f, const uint8_t *data)
{
	char *p = dump_out_line(&d->out), number[20];
	unsigned int i, digits = (unsigned int)(dump_dec(number, f->offset) - number);

	p = dump_str(p, "Frame Data; Index");
	for (i = digits; i < 7; i++)
		*p++ = ' ';
	memcpy(p, number, digits);
	p += digits;
	p = dump_str(p, "; ");
	if (f->kind == CST_FRAG_FRAME) {
		p = dump_str(p, "   RAW_PACKED; ");
	} else if (f->kind != CST_FRAG_DATA) {
		p = dump_str(p, f->kind == CST_FRAG_FSYNC ? "        FSYNC; " : "        HSYNC; ");
	} else if (f->id == CST_ID_UNKNOWN) {
		p = dump_str(p, "  ID_DATA[????]; ");
	} else {
		p = dump_hex(dump_str(p, "  ID_DATA[0x"), f->id, 2);
		p = dump_str(p, "]; ");
	}
	p = hex_bytes(p, data, f->len, " ");
	*p++ = '\n';
	dump_out_done(&d->out, p);
}

static void text_fragment(struct dump *d, const struct cst_fragment *f, const uint8_t *data)
{
	char *p = dump_out_line(&d->out);
	const char *name = fragment_name(f->kind);

	if (f->kind == CST_FRAG_FRAME || f->kind == CST_FRAG_FSYNC || f->kind == CST_FRAG_HSYNC) {
		p = columns(p, f->offset, 0);
		p = dump_str(dump_str(p - 3, "== "), name);
		*p++ = ' ';
	} else {
		p = columns(p, f->offset, f->id);
		if (name)
			p = dump_str(p, name);
	}
	if (f->kind == CST_FRAG_ERROR) {
		p = dump_str(dump_str(p, ": "), error_text(f->error));
		p = dump_dec(dump_str(p, "; "), f->len);
		p = dump_str(p, " bytes skipped");
	} else if (f->kind == CST_FRAG_FINDING) {
		p = dump_str(dump_str(p, ": "), cst_finding_text((unsigned int)f->error));
	} else {
		p = hex_bytes(p, data, f->len, "");
	}
	*p++ = '\n';
	dump_out_done(&d->out, p);
}

static void json_fragment(struct dump *d, const struct cst_fragment *f, const uint8_t *data)
{
	char *p = dump_out_line(&d->out);

	p = dump_str(p, "{\"record\":\"frame\",\"index\":");
	p = dump_dec(p, f->offset);
	if (f->kind == CST_FRAG_RESET) {
		p = dump_key_true(p, "barrier");
	} else if (f->kind == CST_FRAG_ERROR) {
		p = dump_key_str(p, "error", error_text(f->error));
		p = dump_key_dec(p, "skipped", f->len);
	} else if (f->kind == CST_FRAG_FINDING) {
		p = dump_key_str(p, "finding", cst_finding_text((unsigned int)f->error));
	} else {
		if (f->kind != CST_FRAG_DATA)
			p = dump_key_str(p, "packed", fragment_name(f->kind));
		else if (f->id == CST_ID_UNKNOWN)
			p = dump_str(p, ",\"id\":null");
		else
			p = dump_key_dec(p, "id", f->id);
		p = hex_bytes(dump_str(p, ",\"bytes\":\""), data, f->len, "");
		*p++ = '"';
	}
	p = dump_str(p, "}\n");
	dump_out_done(&d->out, p);
}

/* Kinds that the reference has a line for. */
static bool in_reference(unsigned int kind)
{
	return kind == CST_FRAG_DATA || kind == CST_FRAG_FRAME || kind == CST_FRAG_FSYNC || kind == CST_FRAG_HSYNC;
}

void dump_fragment(struct dump *d, const struct cst_fragment *f, const uint8_t *data)
{
	if (d->id.only_id >= 0 && f->kind == CST_FRAG_DATA) {
		if (d->id.only_id != f->id)
			return;
		d->id.has_id = true;
	}
	if (d->format == DUMP_OPENCSD && in_reference(f->kind))
		opencsd_fragment(d, f, data);
	else if (d->format == DUMP_TEXT)
		text_fragment(d, f, data);
	else if (d->format == DUMP_JSON)
		json_fragment(d, f, data);
}

static char *cut_str(char *p, const char *s, const char *end)
{
	while (*s && p < end)
		*p++ = *s++;
	return p;
}

void dump_section(struct dump *d, const char *name, const char *detail)
{
	char *p, *end;

	if (d->format == DUMP_NONE)
		return;
	p = dump_out_line(&d->out);
	end = p + DUMP_LINE_MAX - 64;
	if (d->format == DUMP_JSON) {
		p = dump_str(p, "{\"record\":\"section\",\"name\":");
		p = name_json(p, p + 512, name);
		p = dump_str(p, ",\"detail\":");
		p = name_json(p, p + 512, detail);
		p = dump_str(p, "}\n");
	} else if (d->format == DUMP_TEXT) {
		p = cut_str(dump_str(p, "# "), name_shown(name), end);
		p = cut_str(dump_str(p, ": "), name_shown(detail), end);
		*p++ = '\n';
	} else {
		p = dump_str(p, "Using ");
		p = cut_str(p, name_shown(name), end);
		p = dump_str(p, " as trace source\n");
	}
	dump_out_done(&d->out, p);
}
