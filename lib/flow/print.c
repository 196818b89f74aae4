/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * print.c - generic trace elements as text, in the format of the reference lister including its odd spaces, since
 * listings are compared byte by byte.
 */
#include <cstrace/flow.h>
#include <cstrace/isa.h>
#include <cstrace/packet.h>

#include "base/text.h"

#define NAMES(table) (sizeof(table) / sizeof((table)[0]))

/* Without a default case, so that the compiler warns about a kind that has no name. */
static const char *kind_name(unsigned int kind)
{
	switch ((enum cst_generic_kind)kind) {
	case CST_GEN_UNKNOWN:
		break;
	case CST_GEN_NO_SYNC:
		return "NO_SYNC";
	case CST_GEN_TRACE_ON:
		return "TRACE_ON";
	case CST_GEN_EO_TRACE:
		return "EO_TRACE";
	case CST_GEN_PE_CONTEXT:
		return "PE_CONTEXT";
	case CST_GEN_RANGE:
		return "INSTR_RANGE";
	case CST_GEN_NOPATH:
		return "I_RANGE_NOPATH";
	case CST_GEN_NACC:
		return "ADDR_NACC";
	case CST_GEN_ADDR_UNKNOWN:
		return "ADDR_UNKNOWN";
	case CST_GEN_EXCEPTION:
		return "EXCEPTION";
	case CST_GEN_EXCEPTION_RET:
		return "EXCEPTION_RET";
	case CST_GEN_TIMESTAMP:
		return "TIMESTAMP";
	case CST_GEN_CYCLE_COUNT:
		return "CYCLE_COUNT";
	case CST_GEN_EVENT:
		return "EVENT";
	case CST_GEN_SWTRACE:
		return "SWTRACE";
	case CST_GEN_SYNC_MARKER:
		return "SYNC_MARKER";
	case CST_GEN_MEMTRANS:
		return "MEMTRANS";
	case CST_GEN_INSTRUMENTATION:
		return "INSTRUMENTATION";
	case CST_GEN_ITMTRACE:
		return "ITMTRACE";
	case CST_GEN_COUNTED:
		return "INSTR_COUNTED";
	case CST_GEN_SKIPPED:
		return "INSTR_SKIPPED";
	case CST_GEN_LISTED:
		return "INSTR_LISTED";
	case CST_GEN_CUSTOM:
		return "CUSTOM";
	case CST_GEN_DATA:
		return "DATA";
	case CST_GEN_COND:
		return "COND_INSTR";
	case CST_GEN_BARRIER:
		return "BARRIER";
	}
	return "UNKNOWN";
}

static const char *const isa_names[] = { "A32", "T32", "A64", "TEE", "Jaz", "Cst", "Unk" };

static const char *const insn_types[] = {
	[CST_INSN_OTHER] = "--- ",
	[CST_INSN_BRANCH] = "BR  ",
	[CST_INSN_INDIRECT] = "iBR ",
	[CST_INSN_ISB] = "ISB ",
	[CST_INSN_BARRIER] = "DSB.DMB",
	[CST_INSN_WFX] = "WFI.WFE",
	[CST_INSN_TSTART] = "TSTART",
	[CST_INSN_LOAD] = "LD  ",
	[CST_INSN_STORE] = "ST  ",
};

static const char *const insn_subtypes[] = {
	[CST_INSN_PLAIN] = "",
	[CST_INSN_LINK] = "b+link ",
	[CST_INSN_RET] = "A64:ret ",
	[CST_INSN_ERET] = "A64:eret ",
	[CST_INSN_IMPLIED_RET] = "V7:impl ret",
};

static const char *const security_names[] = {
	[CST_SEC_SECURE] = "S; ",
	[CST_SEC_NONSECURE] = "N; ",
	[CST_SEC_ROOT] = "Root; ",
	[CST_SEC_REALM] = "Realm; ",
};

static const char *const trace_on_reasons[] = {
	[CST_ON_NORMAL] = "begin or filter",
	[CST_ON_OVERFLOW] = "overflow",
	[CST_ON_DEBUG] = "debug restart",
};

static const char *const unsync_reasons[] = {
	[CST_UNSYNC_UNKNOWN] = "undefined",
	[CST_UNSYNC_INIT] = "init-decoder",
	[CST_UNSYNC_RESET] = "reset-decoder",
	[CST_UNSYNC_OVERFLOW] = "overflow",
	[CST_UNSYNC_DISCARD] = "discard",
	[CST_UNSYNC_BAD_PACKET] = "bad-packet",
	[CST_UNSYNC_BAD_IMAGE] = "bad-program-image",
	[CST_UNSYNC_END] = "end-of-trace",
};

static const char *const memtrans_names[] = {
	[CST_TRANS_INIT] = "Init",
	[CST_TRANS_START] = "Start",
	[CST_TRANS_COMMIT] = "Commit",
	[CST_TRANS_FAIL] = "Fail",
};

static const char *const itm_delays[] = {
	[CST_ITM_TS_SYNC] = "TS Sync",
	[CST_ITM_TS_DELAY] = "TS Delay",
	[CST_ITM_TS_PKT_DELAY] = "Packet Delay",
	[CST_ITM_TS_PKT_TS_DELAY] = "TS and Packet Delay",
};

static const struct {
	unsigned int space;
	const char *name;
} memspaces[] = {
	{ CST_MEM_EL1S, "EL1S" },
	{ CST_MEM_EL1N, "EL1N" },
	{ CST_MEM_EL2N, "EL2N" },
	{ CST_MEM_EL3, "EL3" },
	{ CST_MEM_EL2S, "EL2S" },
	{ CST_MEM_EL1R, "EL1R" },
	{ CST_MEM_EL2R, "EL2R" },
	{ CST_MEM_ROOT, "Root" },
	{ CST_MEM_EL1S | CST_MEM_EL2S | CST_MEM_EL3, "Any S" },
	{ CST_MEM_EL1N | CST_MEM_EL2N, "Any NS" },
	{ CST_MEM_EL1R | CST_MEM_EL2R, "Any R" },
	{ CST_MEM_ANY, "Any" },
	{ 0, "None" },
};

static void name_of(struct cst_text *t, const char *const *table, size_t entries, unsigned int i)
{
	if (i < entries && table[i])
		cst_text_str(t, table[i]);
}

static void reason(struct cst_text *t, const char *const *table, size_t entries, unsigned int i)
{
	cst_text_str(t, " [");
	name_of(t, table, entries, i);
	cst_text_char(t, ']');
}

static void range(struct cst_text *t, const struct cst_generic *g)
{
	cst_text_hex_in(t, "exec range=0x", g->addr, 1, "");
	cst_text_hex_in(t, ":[0x", cst_generic_reached(g), 1, "] ");
	cst_text_dec_in(t, "num_i(", g->n_insn, ") ");
	cst_text_dec_in(t, "last_sz(", g->last_size, ") (ISA=");
	name_of(t, isa_names, NAMES(isa_names), g->isa);
	cst_text_str(t, g->flags & CST_GF_EXEC ? ") E " : ") N ");
	name_of(t, insn_types, NAMES(insn_types), g->last_type);
	/* the reference lister marks exception returns in A64 only */
	if (g->last_subtype != CST_INSN_ERET || g->isa == CST_ISA_A64)
		name_of(t, insn_subtypes, NAMES(insn_subtypes), g->last_subtype);
	if (g->flags & CST_GF_COND)
		cst_text_str(t, " <cond>");
}

static void nopath(struct cst_text *t, const struct cst_generic *g)
{
	cst_text_hex_in(t, "first 0x", g->addr, 1, "");
	cst_text_hex_in(t, ":[next 0x", g->end, 1, "] ");
	cst_text_dec_in(t, "num_i(", g->n_insn, ") ");
}

static void nacc(struct cst_text *t, const struct cst_generic *g)
{
	size_t i;

	cst_text_hex_in(t, " 0x", g->addr, 1, "; ");
	cst_text_hex_in(t, "Memspace [0x", g->num, 1, ":");
	for (i = 0; i < NAMES(memspaces); i++)
		if (memspaces[i].space == g->num)
			cst_text_str(t, memspaces[i].name);
	cst_text_str(t, "] ");
}

static void exception(struct cst_text *t, const struct cst_generic *g)
{
	if (g->flags & CST_GF_RET_ADDR) {
		cst_text_hex_in(t, "pref ret addr:0x", g->end, 1, "");
		if (g->flags & CST_GF_BR_TARGET)
			cst_text_str(t, " [addr also prev br tgt]");
		cst_text_str(t, "; ");
	}
	cst_text_hex_in(t, "excep num (0x", g->num, 2, ") ");
}

static void pe_context(struct cst_text *t, const struct cst_generic *g)
{
	cst_text_str(t, "(ISA=");
	name_of(t, isa_names, NAMES(isa_names), g->isa);
	cst_text_str(t, ") ");
	if (g->flags & CST_GF_EL)
		cst_text_dec_in(t, "EL", g->el, "");
	name_of(t, security_names, NAMES(security_names), g->security);
	cst_text_str(t, g->flags & CST_GF_BITS64 ? "64-bit; " : "32-bit; ");
	if (g->flags & CST_GF_VMID)
		cst_text_hex_in(t, "VMID=0x", g->vmid, 1, "; ");
	if (g->flags & CST_GF_CID)
		cst_text_hex_in(t, "CTXTID=0x", g->context_id, 1, "; ");
}

/* Data transfers are not in the reference's interface; the text uses its words where it has them. */
static void data(struct cst_text *t, const struct cst_generic *g)
{
	if (g->num & CST_DATA_ADDR)
		cst_text_hex_in(t, "addr:0x", g->addr, 1, "; ");
	if (g->num & CST_DATA_VALUE)
		cst_text_hex_in(t, "value:0x", g->value, g->size < 8 ? g->size * 2 : 16, "; ");
	if (g->num & CST_DATA_INSN)
		cst_text_hex_in(t, "insn:0x", g->insn, 1, "; ");
	if (g->num & ~(CST_DATA_ADDR | CST_DATA_VALUE | CST_DATA_INSN))
		cst_text_hex_in(t, "flags:0x", g->num & ~(CST_DATA_ADDR | CST_DATA_VALUE | CST_DATA_INSN), 1, "; ");
}

/* A write of an STM master; for GERR the master is unknown. */
static void software(struct cst_text *t, const struct cst_generic *g)
{
	if (g->num & CST_SW_GLOBAL_ERR) {
		cst_text_str(t, "{Global Error.}");
		return;
	}
	if (g->num & CST_SW_ID) {
		cst_text_hex_in(t, " (Ma:0x", g->master, 2, "; ");
		cst_text_hex_in(t, "Ch:0x", g->channel, 2, ") ");
	} else {
		cst_text_str(t, "(Ma:0x?\?; Ch:0x?\?) ");
	}
	if (g->size)
		cst_text_hex_in(t, "0x", g->payload, g->size < 64 ? g->size / 4 : 16, "; ");
	if (g->num & CST_SW_MARKER)
		cst_text_str(t, "+Mrk ");
	if (g->num & CST_SW_TRIGGER)
		cst_text_str(t, "Trig ");
	if (g->flags & CST_GF_TS)
		cst_text_hex_in(t, " [ TS=0x", g->ts, 12, "]; ");
	if (g->num & CST_SW_FREQ)
		cst_text_str(t, "Freq");
	if (g->num & CST_SW_MASTER_ERR)
		cst_text_str(t, "{Master Error.}");
}

static void itm(struct cst_text *t, const struct cst_generic *g)
{
	if (g->num & CST_SW_OVERFLOW)
		cst_text_str(t, "ITM_OVERFLOW; ");
	switch (g->last_type) {
	case CST_ITM_SWIT:
	case CST_ITM_DWT:
		cst_text_str(t, g->last_type == CST_ITM_SWIT ? "ITM_SWIT (ch: " : "ITM_DWT (desc: ");
		cst_text_hex_in(t, "0x", g->channel, 1, "");
		cst_text_hex_in(t, "; Data: 0x", g->payload, g->size < 8 ? 2 * g->size : 16, ") ");
		break;
	case CST_ITM_TS_GLOBAL:
		cst_text_hex_in(t, "ITM_TS_GLOBAL ( TS: 0x", g->ts, 16, ") ");
		break;
	default:
		cst_text_hex_in(t, "ITM_TS_LOCAL ( TS delta: 0x", g->payload, 8, ", { ");
		name_of(t, itm_delays, NAMES(itm_delays), g->last_type);
		cst_text_hex_in(t, "}; TS cumulative: 0x", g->ts, 16, ") ");
	}
}

static void condition(struct cst_text *t, const struct cst_generic *g)
{
	if (g->num & CST_COND_INSN)
		cst_text_hex_in(t, "insn:0x", g->addr, 1, "; ");
	cst_text_hex_in(t, "key:0x", g->end, 1, "");
	cst_text_str(t, g->num & CST_COND_PASSED ? "; passed; " : g->num & CST_COND_FAILED ? "; failed; " : "; unknown; ");
	if (g->num & CST_COND_FLAGS)
		cst_text_hex_in(t, "NZCV:0x", g->num >> CST_COND_FLAGS_SHIFT, 1, "; ");
}

static void details(struct cst_text *t, const struct cst_generic *g)
{
	switch (g->kind) {
	case CST_GEN_RANGE:
		range(t, g);
		break;
	case CST_GEN_NOPATH:
		nopath(t, g);
		break;
	case CST_GEN_NACC:
		nacc(t, g);
		break;
	case CST_GEN_EXCEPTION:
		exception(t, g);
		break;
	case CST_GEN_PE_CONTEXT:
		pe_context(t, g);
		break;
	case CST_GEN_TRACE_ON:
		reason(t, trace_on_reasons, NAMES(trace_on_reasons), g->num);
		break;
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
		reason(t, unsync_reasons, NAMES(unsync_reasons), g->num);
		break;
	case CST_GEN_TIMESTAMP:
		cst_text_hex_in(t, " [ TS=0x", g->addr, 12, "]; ");
		break;
	case CST_GEN_EVENT:
		if (g->num & CST_EVENT_TRIGGER) {
			cst_text_str(t, " Trigger; ");
			break;
		}
		cst_text_dec_in(t, " Numbered:", g->num, "; ");
		break;
	case CST_GEN_SWTRACE:
		software(t, g);
		break;
	case CST_GEN_ITMTRACE:
		itm(t, g);
		break;
	case CST_GEN_SYNC_MARKER:
		cst_text_hex_in(t, g->num ? " [Data sync marker(0x" : " [Timestamp marker(0x",
				g->num ? g->addr : 0, 8, ")]");
		break;
	case CST_GEN_MEMTRANS:
		name_of(t, memtrans_names, NAMES(memtrans_names), g->num);
		break;
	case CST_GEN_INSTRUMENTATION:
		cst_text_dec_in(t, "EL", g->el, "; ");
		cst_text_hex_in(t, "0x", g->addr, 16, "");
		break;
	case CST_GEN_COND:
		condition(t, g);
		break;
	case CST_GEN_DATA:
		data(t, g);
		break;
	}
}

size_t cst_generic_text(const struct cst_generic *gen, char *out, size_t cap)
{
	struct cst_text t;

	cst_text_init(&t, out, cap);
	cst_text_str_in(&t, "OCSD_GEN_TRC_ELEM_", kind_name(gen->kind), "(");
	details(&t, gen);
	/* A cycle count of unknown value is printed as 0, as the reference lister does. */
	if (gen->flags & CST_GF_CC || gen->kind == CST_GEN_CYCLE_COUNT)
		cst_text_dec_in(&t, " [CC=", gen->flags & CST_GF_CC ? gen->cc : 0, "]; ");
	cst_text_char(&t, ')');
	return cst_text_end(&t);
}
