/* SPDX-License-Identifier: GPL-2.0-only */
/* dump_records.c - generic trace elements in the tool's own forms: compact text, and JSON. */
#include "cmd/dump.h"

#define NAMES(table) (sizeof(table) / sizeof((table)[0]))

static const char *const kinds[] = {
	[CST_GEN_UNKNOWN] = "unknown", [CST_GEN_NO_SYNC] = "no-sync", [CST_GEN_TRACE_ON] = "trace-on",
	[CST_GEN_EO_TRACE] = "end", [CST_GEN_PE_CONTEXT] = "context", [CST_GEN_RANGE] = "range",
	[CST_GEN_NOPATH] = "no-path", [CST_GEN_NACC] = "no-code", [CST_GEN_ADDR_UNKNOWN] = "no-address",
	[CST_GEN_EXCEPTION] = "exception", [CST_GEN_EXCEPTION_RET] = "exception-return",
	[CST_GEN_TIMESTAMP] = "timestamp", [CST_GEN_CYCLE_COUNT] = "cycles", [CST_GEN_EVENT] = "event",
	[CST_GEN_SWTRACE] = "software", [CST_GEN_SYNC_MARKER] = "timestamp-marker",
	[CST_GEN_MEMTRANS] = "transaction", [CST_GEN_INSTRUMENTATION] = "instrumentation",
	[CST_GEN_ITMTRACE] = "itm", [CST_GEN_CUSTOM] = "custom",
};

static const char *const isas[] = {
	[CST_ISA_A32] = "A32", [CST_ISA_T32] = "T32", [CST_ISA_A64] = "A64",
	[CST_ISA_UNKNOWN] = "unknown",
};

static const char *const insn_types[] = {
	[CST_INSN_OTHER] = "other", [CST_INSN_BRANCH] = "branch", [CST_INSN_INDIRECT] = "indirect",
	[CST_INSN_ISB] = "isb", [CST_INSN_BARRIER] = "barrier", [CST_INSN_WFX] = "wfx",
	[CST_INSN_TSTART] = "tstart",
};

static const char *const insn_subtypes[] = {
	[CST_INSN_PLAIN] = "", [CST_INSN_LINK] = "link", [CST_INSN_RET] = "return",
	[CST_INSN_ERET] = "exception-return", [CST_INSN_IMPLIED_RET] = "return",
};

static const char *const securities[] = {
	[CST_SEC_SECURE] = "secure", [CST_SEC_NONSECURE] = "non-secure", [CST_SEC_ROOT] = "root",
	[CST_SEC_REALM] = "realm",
};

static const char *const on_reasons[] = {
	[CST_ON_NORMAL] = "begin", [CST_ON_OVERFLOW] = "overflow", [CST_ON_DEBUG] = "debug",
};

static const char *const unsync_reasons[] = {
	[CST_UNSYNC_UNKNOWN] = "unknown", [CST_UNSYNC_INIT] = "start", [CST_UNSYNC_RESET] = "reset",
	[CST_UNSYNC_OVERFLOW] = "overflow", [CST_UNSYNC_DISCARD] = "discard",
	[CST_UNSYNC_BAD_PACKET] = "bad-packet", [CST_UNSYNC_BAD_IMAGE] = "bad-image",
	[CST_UNSYNC_END] = "end",
};

static const char *const transactions[] = {
	[CST_TRANS_INIT] = "inside", [CST_TRANS_START] = "start", [CST_TRANS_COMMIT] = "commit",
	[CST_TRANS_FAIL] = "fail",
};

static const char *name_of(const char *const *table, size_t n, unsigned int i)
{
	return i < n && table[i] ? table[i] : "unknown";
}

#define NAME(table, i) name_of(table, NAMES(table), i)

static char *address(char *p, uint64_t v)
{
	return dump_hex(dump_str(p, "0x"), v, 1);
}

/* " EL1 non-secure cid=0x.. vmid=0x..": only what is known. */
static char *text_context(char *p, const struct cst_generic *g)
{
	if (g->flags & CST_GF_EL) {
		p = dump_dec(dump_str(p, " EL"), g->el);
		*p++ = ' ';
		p = dump_str(p, NAME(securities, g->security));
	}
	if (g->context_id || g->flags & CST_GF_CID)
		p = address(dump_str(p, " cid="), g->context_id);
	if (g->vmid || g->flags & CST_GF_VMID)
		p = address(dump_str(p, " vmid="), g->vmid);
	return p;
}

static char *text_range(const struct dump *d, char *p, const struct cst_generic *g)
{
	*p++ = ' ';
	p = address(p, g->addr);
	*p++ = '-';
	p = address(p, g->end);
	p = dump_dec(dump_str(p, " n="), g->n_insn);
	*p++ = ' ';
	p = dump_str(p, NAME(isas, g->isa));
	if (g->kind == CST_GEN_RANGE) {
		*p++ = ' ';
		p = dump_str(p, NAME(insn_types, g->last_type));
		if (g->last_subtype) {
			*p++ = '-';
			p = dump_str(p, NAME(insn_subtypes, g->last_subtype));
		}
		p = dump_str(p, g->flags & CST_GF_EXEC ? " E" : " N");
		if (g->flags & CST_GF_COND)
			p = dump_str(p, " cond");
	}
	p = text_context(p, g);
	return d->tid >= 0 ? dump_dec(dump_str(p, " tid="), (uint64_t)d->tid) : p;
}

static char *text_details(const struct dump *d, char *p, const struct cst_generic *g)
{
	switch (g->kind) {
	case CST_GEN_RANGE:
	case CST_GEN_NOPATH:
		return text_range(d, p, g);
	case CST_GEN_PE_CONTEXT:
		*p++ = ' ';
		p = dump_str(p, NAME(isas, g->isa));
		return text_context(p, g);
	case CST_GEN_NACC:
		return text_context(address(dump_str(p, " "), g->addr), g);
	case CST_GEN_EXCEPTION:
		p = address(dump_str(p, " "), g->num);
		if (g->flags & CST_GF_RET_ADDR)
			p = address(dump_str(p, " return="), g->end);
		if (g->flags & CST_GF_BR_TARGET)
			p = dump_str(p, " at branch target");
		return p;
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
		*p++ = ' ';
		p = dump_str(p, NAME(unsync_reasons, g->num));
		if (g->kind == CST_GEN_NO_SYNC && g->error) {
			p = dump_str(p, ": ");
			p = dump_str(p, cst_strerror((int)g->error));
		}
		return p;
	case CST_GEN_TRACE_ON:
		*p++ = ' ';
		return dump_str(p, NAME(on_reasons, g->num));
	case CST_GEN_MEMTRANS:
		*p++ = ' ';
		return dump_str(p, NAME(transactions, g->num));
	case CST_GEN_TIMESTAMP:
		return address(dump_str(p, " "), g->addr);
	case CST_GEN_INSTRUMENTATION:
		p = dump_dec(dump_str(p, " EL"), g->el);
		return address(dump_str(p, " "), g->addr);
	case CST_GEN_EVENT:
		return address(dump_str(p, " mask="), g->num);
	}
	return p;
}

void dump_text_element(struct dump *d, const struct cst_generic *g)
{
	char *p = dump_out_line(&d->out), *start = p;

	p = dump_dec(p, g->index);
	while (p - start < 10)
		*p++ = ' ';
	*p++ = ' ';
	p = dump_hex(p, g->trace_id, 2);
	p = dump_str(p, " * ");
	p = dump_str(p, NAME(kinds, g->kind));
	p = text_details(d, p, g);
	if (g->flags & CST_GF_CC)
		p = dump_dec(dump_str(p, " cycles="), g->cc);
	else if (g->kind == CST_GEN_CYCLE_COUNT)
		p = dump_str(p, " unknown");
	*p++ = '\n';
	dump_out_done(&d->out, p);
}

static char *key_str(char *p, const char *key, const char *value)
{
	p = dump_str(dump_str(dump_str(p, ",\""), key), "\":\"");
	p = dump_str(p, value);
	*p++ = '"';
	return p;
}

static char *key_dec(char *p, const char *key, uint64_t value)
{
	return dump_dec(dump_str(dump_str(dump_str(p, ",\""), key), "\":"), value);
}

/* 64-bit values are strings: readers of JSON keep only 53 bits of a number. */
static char *key_hex(char *p, const char *key, uint64_t value)
{
	p = dump_str(dump_str(dump_str(p, ",\""), key), "\":\"");
	p = address(p, value);
	*p++ = '"';
	return p;
}

static char *key_true(char *p, const char *key)
{
	return dump_str(dump_str(dump_str(p, ",\""), key), "\":true");
}

static char *json_context(char *p, const struct cst_generic *g)
{
	if (g->flags & CST_GF_EL) {
		p = key_dec(p, "el", g->el);
		p = key_str(p, "security", NAME(securities, g->security));
	}
	if (g->context_id || g->flags & CST_GF_CID)
		p = key_dec(p, "context_id", g->context_id);
	if (g->vmid || g->flags & CST_GF_VMID)
		p = key_dec(p, "vmid", g->vmid);
	return p;
}

static char *json_range(char *p, const struct cst_generic *g)
{
	p = key_hex(p, "start", g->addr);
	p = key_hex(p, "end", g->end);
	p = key_dec(p, "insns", g->n_insn);
	p = key_str(p, "isa", NAME(isas, g->isa));
	if (g->kind == CST_GEN_RANGE) {
		p = key_str(p, "last", NAME(insn_types, g->last_type));
		if (g->last_subtype)
			p = key_str(p, "subtype", NAME(insn_subtypes, g->last_subtype));
		p = key_dec(p, "last_size", g->last_size);
		p = dump_str(p, g->flags & CST_GF_EXEC ? ",\"executed\":true" : ",\"executed\":false");
		if (g->flags & CST_GF_COND)
			p = key_true(p, "conditional");
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
		p = key_str(p, "isa", NAME(isas, g->isa));
		p = key_dec(p, "bits", g->flags & CST_GF_BITS64 ? 64 : 32);
		return json_context(p, g);
	case CST_GEN_NACC:
		p = key_hex(p, "address", g->addr);
		p = key_dec(p, "space", g->num);
		return json_context(p, g);
	case CST_GEN_EXCEPTION:
		p = key_dec(p, "number", g->num);
		if (g->flags & CST_GF_RET_ADDR)
			p = key_hex(p, "return", g->end);
		if (g->flags & CST_GF_BR_TARGET)
			p = key_true(p, "at_branch_target");
		return p;
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
		p = key_str(p, "reason", NAME(unsync_reasons, g->num));
		return g->kind == CST_GEN_NO_SYNC && g->error ?
			key_str(p, "error", cst_strerror((int)g->error)) : p;
	case CST_GEN_TRACE_ON:
		return key_str(p, "reason", NAME(on_reasons, g->num));
	case CST_GEN_MEMTRANS:
		return key_str(p, "state", NAME(transactions, g->num));
	case CST_GEN_TIMESTAMP:
		return key_hex(p, "value", g->addr);
	case CST_GEN_INSTRUMENTATION:
		p = key_dec(p, "el", g->el);
		return key_hex(p, "value", g->addr);
	case CST_GEN_EVENT:
		return key_dec(p, "mask", g->num);
	}
	return p;
}

void dump_json_element(struct dump *d, const struct cst_generic *g)
{
	char *p = dump_out_line(&d->out);

	p = dump_str(p, "{\"record\":\"element\",\"index\":");
	p = dump_dec(p, g->index);
	p = key_dec(p, "id", g->trace_id);
	p = key_str(p, "kind", NAME(kinds, g->kind));
	p = json_details(p, g);
	if (g->flags & CST_GF_CC)
		p = key_dec(p, "cycles", g->cc);
	if (d->cpu >= 0)
		p = key_dec(p, "cpu", (uint64_t)d->cpu);
	if (d->pid >= 0)
		p = key_dec(p, "pid", (uint64_t)d->pid);
	if (d->tid >= 0)
		p = key_dec(p, "tid", (uint64_t)d->tid);
	p = dump_str(p, "}\n");
	dump_out_done(&d->out, p);
}

void dump_json_packet(struct dump *d, const struct cst_decoder *dec, const struct cst_packet *pkt, unsigned int id)
{
	char *p = dump_out_line(&d->out);
	unsigned int i;

	p = dump_str(p, "{\"record\":\"packet\",\"index\":");
	p = dump_dec(p, pkt->index);
	p = key_dec(p, "id", id);
	p = key_dec(p, "size", pkt->size);
	p = dump_str(p, ",\"bytes\":\"");
	for (i = 0; i < pkt->nbytes; i++)
		p = dump_hex(p, pkt->bytes[i], 2);
	/* the text has no character that JSON would want escaped */
	p = dump_str(p, "\",\"text\":\"");
	p += cst_decoder_packet_text(dec, pkt, p, DUMP_LINE_MAX / 2);
	p = dump_str(p, "\"}\n");
	dump_out_done(&d->out, p);
}
