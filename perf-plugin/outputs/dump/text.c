/* SPDX-License-Identifier: GPL-2.0-only */
/* text.c - generic trace elements as lines made for reading. */
#include "base/error.h"
#include "outputs/dump/dump.h"
#include "outputs/dump/names.h"

/* " EL1 non-secure cid=0x.. vmid=0x.."; unknown fields are left out. */
static char *text_context(char *p, const struct cst_generic *g)
{
	if (g->flags & CST_GF_EL) {
		p = dump_dec(dump_str(p, " EL"), g->el);
		*p++ = ' ';
		p = dump_str(p, dump_name_security(g->security));
	}
	if (g->context_id || g->flags & CST_GF_CID)
		p = dump_address(dump_str(p, " cid="), g->context_id);
	if (g->vmid || g->flags & CST_GF_VMID)
		p = dump_address(dump_str(p, " vmid="), g->vmid);
	return p;
}

static char *text_range(const struct dump *d, char *p, const struct cst_generic *g)
{
	*p++ = ' ';
	p = dump_address(p, g->addr);
	*p++ = '-';
	p = dump_address(p, cst_generic_reached(g));
	p = dump_dec(dump_str(p, " n="), g->n_insn);
	*p++ = ' ';
	p = dump_str(p, dump_name_isa(g->isa));
	if (g->kind == CST_GEN_RANGE) {
		*p++ = ' ';
		p = dump_str(p, dump_name_insn(g->last_type));
		if (g->last_subtype) {
			*p++ = '-';
			p = dump_str(p, dump_name_insn_subtype(g->last_subtype));
		}
		p = dump_str(p, g->flags & CST_GF_EXEC ? " E" : " N");
		if (g->flags & CST_GF_COND)
			p = dump_str(p, " cond");
		if (g->num & CST_RANGE_PART)
			p = dump_str(p, " in-part");
	}
	p = text_context(p, g);
	return d->at.tid >= 0 ? dump_dec(dump_str(p, " tid="), (uint64_t)d->at.tid) : p;
}

static char *text_details(const struct dump *d, char *p, const struct cst_generic *g)
{
	switch (g->kind) {
	case CST_GEN_RANGE:
	case CST_GEN_NOPATH:
		return text_range(d, p, g);
	case CST_GEN_PE_CONTEXT:
		*p++ = ' ';
		p = dump_str(p, dump_name_isa(g->isa));
		/* ETMv3 and PTM trace the security state and no exception level */
		if (!(g->flags & CST_GF_EL))
			p = dump_str(dump_str(p, " "), dump_name_security(g->security));
		return text_context(p, g);
	case CST_GEN_NACC:
		return text_context(dump_address(dump_str(p, " "), g->addr), g);
	case CST_GEN_EXCEPTION:
		p = dump_address(dump_str(p, " "), g->num);
		if (g->flags & CST_GF_RET_ADDR)
			p = dump_address(dump_str(p, " return="), g->end);
		if (g->flags & CST_GF_BR_TARGET)
			p = dump_str(p, " at branch target");
		return p;
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
		*p++ = ' ';
		p = dump_str(p, dump_name_unsync(g->num));
		if (g->kind == CST_GEN_NO_SYNC && g->error) {
			p = dump_str(p, ": ");
			p = dump_str(p, error_text((int)g->error));
		}
		return p;
	case CST_GEN_TRACE_ON:
		*p++ = ' ';
		return dump_str(p, dump_name_trace_on(g->num));
	case CST_GEN_MEMTRANS:
		*p++ = ' ';
		return dump_str(p, dump_name_memtrans(g->num));
	case CST_GEN_TIMESTAMP:
		return dump_address(dump_str(p, " "), g->addr);
	case CST_GEN_INSTRUMENTATION:
		p = dump_dec(dump_str(p, " EL"), g->el);
		return dump_address(dump_str(p, " "), g->addr);
	case CST_GEN_EVENT:
		return g->num & CST_EVENT_TRIGGER ? dump_str(p, " trigger") : dump_address(dump_str(p, " mask="), g->num);
	case CST_GEN_ADDR_UNKNOWN:
		return g->error ? dump_str(dump_str(p, " "), error_text((int)g->error)) : p;
	case CST_GEN_SWTRACE:
		return dump_text_sw(p, g);
	case CST_GEN_ITMTRACE:
		return dump_text_itm(p, g);
	case CST_GEN_COND:
		return dump_text_condition(p, g);
	case CST_GEN_DATA:
		return dump_text_data(p, g);
	case CST_GEN_SYNC_MARKER:
		if (g->num == CST_MARK_DATA_NUMBERED)
			return dump_dec(dump_str(p, " number="), g->addr);
		return g->addr ? dump_dec(dump_str(p, " atoms="), g->addr) : p;
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
	p = dump_str(p, dump_name_element(g));
	p = text_details(d, p, g);
	if (g->flags & CST_GF_CC)
		p = dump_dec(dump_str(p, " cycles="), g->cc);
	else if (g->kind == CST_GEN_CYCLE_COUNT)
		p = dump_str(p, " unknown");
	*p++ = '\n';
	dump_out_done(&d->out, p);
}
