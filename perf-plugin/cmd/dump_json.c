/* SPDX-License-Identifier: GPL-2.0-only */
/* dump_json.c - packets and generic trace elements as JSON, one object in a line. */
#include "cmd/dump.h"
#include "cmd/dump_names.h"

static char *json_context(char *p, const struct cst_generic *g)
{
	if (g->flags & CST_GF_EL) {
		p = dump_key_dec(p, "el", g->el);
		p = dump_key_str(p, "security", dump_name_security(g->security));
	}
	if (g->context_id || g->flags & CST_GF_CID)
		p = dump_key_dec(p, "context_id", g->context_id);
	if (g->vmid || g->flags & CST_GF_VMID)
		p = dump_key_dec(p, "vmid", g->vmid);
	return p;
}

static char *json_range(char *p, const struct cst_generic *g)
{
	p = dump_key_hex(p, "start", g->addr);
	p = dump_key_hex(p, "end", g->end);
	p = dump_key_dec(p, "insns", g->n_insn);
	p = dump_key_str(p, "isa", dump_name_isa(g->isa));
	if (g->kind == CST_GEN_RANGE) {
		p = dump_key_str(p, "last", dump_name_insn(g->last_type));
		if (g->last_subtype)
			p = dump_key_str(p, "subtype", dump_name_insn_subtype(g->last_subtype));
		p = dump_key_dec(p, "last_size", g->last_size);
		p = dump_str(p, g->flags & CST_GF_EXEC ? ",\"executed\":true" : ",\"executed\":false");
		if (g->flags & CST_GF_COND)
			p = dump_key_true(p, "conditional");
	}
	return json_context(p, g);
}

static char *json_details(char *p, const struct cst_generic *g)
{
	switch (g->kind) {
	case CST_GEN_RANGE:
	case CST_GEN_NOPATH:
		return json_range(p, g);
	case CST_GEN_PE_CONTEXT:
		p = dump_key_str(p, "isa", dump_name_isa(g->isa));
		p = dump_key_dec(p, "bits", g->flags & CST_GF_BITS64 ? 64 : 32);
		return json_context(p, g);
	case CST_GEN_NACC:
		p = dump_key_hex(p, "address", g->addr);
		p = dump_key_dec(p, "space", g->num);
		return json_context(p, g);
	case CST_GEN_EXCEPTION:
		p = dump_key_dec(p, "number", g->num);
		if (g->flags & CST_GF_RET_ADDR)
			p = dump_key_hex(p, "return", g->end);
		if (g->flags & CST_GF_BR_TARGET)
			p = dump_key_true(p, "at_branch_target");
		return p;
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
		p = dump_key_str(p, "reason", dump_name_unsync(g->num));
		return g->kind == CST_GEN_NO_SYNC && g->error ?
			dump_key_str(p, "error", cst_strerror((int)g->error)) : p;
	case CST_GEN_TRACE_ON:
		return dump_key_str(p, "reason", dump_name_trace_on(g->num));
	case CST_GEN_MEMTRANS:
		return dump_key_str(p, "state", dump_name_memtrans(g->num));
	case CST_GEN_TIMESTAMP:
		return dump_key_hex(p, "value", g->addr);
	case CST_GEN_INSTRUMENTATION:
		p = dump_key_dec(p, "el", g->el);
		return dump_key_hex(p, "value", g->addr);
	case CST_GEN_EVENT:
		return g->num & CST_EVENT_TRIGGER ? dump_key_true(p, "trigger") : dump_key_dec(p, "mask", g->num);
	case CST_GEN_ADDR_UNKNOWN:
		return g->error ? dump_key_str(p, "error", cst_strerror((int)g->error)) : p;
	case CST_GEN_SWTRACE:
		return dump_json_sw(p, g);
	case CST_GEN_ITMTRACE:
		return dump_json_itm(p, g);
	case CST_GEN_DATA:
		return dump_json_data(p, g);
	}
	return p;
}

void dump_json_element(struct dump *d, const struct cst_generic *g)
{
	char *p = dump_out_line(&d->out);

	p = dump_str(p, "{\"record\":\"element\",\"index\":");
	p = dump_dec(p, g->index);
	p = dump_key_dec(p, "id", g->trace_id);
	p = dump_key_str(p, "kind", dump_name_kind(g->kind));
	p = json_details(p, g);
	if (g->flags & CST_GF_CC)
		p = dump_key_dec(p, "cycles", g->cc);
	if (d->cpu >= 0)
		p = dump_key_dec(p, "cpu", (uint64_t)d->cpu);
	if (d->pid >= 0)
		p = dump_key_dec(p, "pid", (uint64_t)d->pid);
	if (d->tid >= 0)
		p = dump_key_dec(p, "tid", (uint64_t)d->tid);
	p = dump_str(p, "}\n");
	dump_out_done(&d->out, p);
}

/* "E" and "N" of each atom, the oldest one first. */
static char *atoms(char *p, const struct cst_packet *pkt)
{
	unsigned int i;

	p = dump_str(p, ",\"atoms\":\"");
	for (i = 0; i < pkt->n_atoms && i < 32; i++)
		*p++ = pkt->atoms >> i & 1 ? 'E' : 'N';
	*p++ = '"';
	return p;
}

/* Fields that a packet of any protocol may have; its flags tell which it has. */
static char *packet_fields(char *p, const struct cst_packet *pkt)
{
	if (pkt->n_atoms)
		p = atoms(p, pkt);
	if (pkt->flags & CST_PF_ADDR)
		p = dump_key_hex(p, "address", pkt->addr);
	if (pkt->flags & CST_PF_CONTEXT) {
		p = dump_key_dec(p, "el", pkt->el);
		p = dump_key_str(p, "security", dump_name_security(pkt->security));
		p = dump_key_dec(p, "bits", pkt->sf ? 64 : 32);
	}
	if (pkt->flags & CST_PF_CID)
		p = dump_key_dec(p, "context_id", pkt->cid);
	if (pkt->flags & CST_PF_VMID)
		p = dump_key_dec(p, "vmid", pkt->vmid);
	if (pkt->ts_bits)
		p = dump_key_hex(p, "timestamp", pkt->ts);
	if (pkt->flags & CST_PF_CC_UNKNOWN)
		p = dump_str(p, ",\"cycles\":null");
	else if (pkt->flags & CST_PF_CC)
		p = dump_key_dec(p, "cycles", pkt->cc);
	if (pkt->flags & CST_PF_COMMIT)
		p = dump_key_dec(p, "commit", pkt->commit);
	if (pkt->flags & CST_PF_COUNT)
		p = dump_key_dec(p, "count", pkt->count);
	if (pkt->vsize) {
		p = dump_key_dec(p, pkt->protocol == CST_PROTO_STM ? "value_bits" : "value_bytes", pkt->vsize);
		p = dump_key_hex(p, "value", pkt->value);
	}
	return p;
}

/* The packet's name is what its text begins with. */
static char *packet_name(char *p, const char *text, const char *end)
{
	const char *at = text;

	p = dump_str(p, ",\"name\":\"");
	while (at < end && *at != ' ' && *at != ':')
		*p++ = *at++;
	*p++ = '"';
	return p;
}

static char *findings(char *p, const struct cst_packet *pkt)
{
	size_t i, n = sizeof(pkt->finding) / sizeof(pkt->finding[0]);

	if (!pkt->finding[0])
		return p;
	p = dump_str(p, ",\"findings\":[");
	for (i = 0; i < n && pkt->finding[i]; i++) {
		p = dump_str(p, i ? ",\"" : "\"");
		p = dump_str(p, cst_finding_text(pkt->finding[i]));
		*p++ = '"';
	}
	*p++ = ']';
	return p;
}

void dump_json_packet(struct dump *d, const struct cst_decoder *dec, const struct cst_packet *pkt, unsigned int id)
{
	char *p = dump_out_line(&d->out), *text;
	unsigned int i;

	p = dump_str(p, "{\"record\":\"packet\",\"index\":");
	p = dump_dec(p, pkt->index);
	p = dump_key_dec(p, "id", id);
	p = dump_key_dec(p, "size", pkt->size);
	p = dump_str(p, ",\"bytes\":\"");
	for (i = 0; i < pkt->nbytes; i++)
		p = dump_hex(p, pkt->bytes[i], 2);
	/* the text has no character that JSON would want escaped */
	p = dump_str(p, "\",\"text\":\"");
	text = p;
	p += cst_decoder_packet_text(dec, pkt, p, DUMP_LINE_MAX / 2);
	*p++ = '"';
	p = packet_name(p, text, p - 1);
	p = dump_key_str(p, "protocol", dump_name_protocol(pkt->protocol));
	p = dump_key_str(p, "role", dump_name_role(cst_decoder_packet_role(dec, pkt)));
	p = packet_fields(p, pkt);
	p = findings(p, pkt);
	p = dump_str(p, "}\n");
	dump_out_done(&d->out, p);
}
