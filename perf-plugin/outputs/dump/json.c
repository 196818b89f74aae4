/* SPDX-License-Identifier: GPL-2.0-only */
/* json.c - generic trace elements as JSON, one object in a line. */
#include "base/error.h"
#include "outputs/dump/dump.h"
#include "outputs/dump/names.h"

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
	p = dump_key_hex(p, "end", cst_generic_reached(g));
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
		if (g->num & CST_RANGE_PART)
			p = dump_key_true(p, "in_part");
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
		/* ETMv3 and PTM trace the security state and no exception level */
		if (!(g->flags & CST_GF_EL))
			p = dump_key_str(p, "security", dump_name_security(g->security));
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
			dump_key_str(p, "error", error_text((int)g->error)) : p;
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
		return g->error ? dump_key_str(p, "error", error_text((int)g->error)) : p;
	case CST_GEN_SWTRACE:
		return dump_json_sw(p, g);
	case CST_GEN_ITMTRACE:
		return dump_json_itm(p, g);
	case CST_GEN_COND:
		return dump_json_condition(p, g);
	case CST_GEN_DATA:
		return dump_json_data(p, g);
	case CST_GEN_SYNC_MARKER:
		if (g->num == CST_MARK_DATA_NUMBERED)
			return dump_key_dec(p, "number", g->addr);
		return g->addr ? dump_key_dec(p, "atoms", g->addr) : p;
	}
	return p;
}

void dump_json_element(struct dump *d, const struct cst_generic *g)
{
	char *p = dump_out_line(&d->out);

	p = dump_str(p, "{\"record\":\"element\",\"index\":");
	p = dump_dec(p, g->index);
	p = dump_key_dec(p, "id", g->trace_id);
	p = dump_key_str(p, "kind", dump_name_element(g));
	p = json_details(p, g);
	if (g->flags & CST_GF_CC)
		p = dump_key_dec(p, "cycles", g->cc);
	else if (g->kind == CST_GEN_CYCLE_COUNT)
		p = dump_str(p, ",\"cycles\":null");
	if (d->at.cpu >= 0)
		p = dump_key_dec(p, "cpu", (uint64_t)d->at.cpu);
	if (d->at.pid >= 0)
		p = dump_key_dec(p, "pid", (uint64_t)d->at.pid);
	if (d->at.tid >= 0)
		p = dump_key_dec(p, "tid", (uint64_t)d->at.tid);
	p = dump_str(p, "}\n");
	dump_out_done(&d->out, p);
}
