/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * print.c - ETMv3 packets as text, in the words of the reference lister.
 */
#include <cstrace/config.h>
#include <cstrace/packet.h>

#include "protocols/etmv3/etmv3.h"
#include "protocols/protocol/print.h"

static const struct {
	const char *name, *text;
} types[CST_ETMV3_PKT_TYPES] = {
	[CST_ETMV3_PKT_NOT_SYNC] = { "NOTSYNC", "Trace Stream not synchronised" },
	[CST_ETMV3_PKT_INCOMPLETE] = { "INCOMPLETE_EOT.", "Incomplete packet at end of trace data." },
	[CST_ETMV3_PKT_BAD_SEQUENCE] = { "BAD_SEQUENCE", "Invalid sequence for packet type." },
	[CST_ETMV3_PKT_BAD_TRACEMODE] = { "BAD_TRACEMODE", "Invalid packet type for this trace mode." },
	[CST_ETMV3_PKT_RESERVED] = { "I_RESERVED", "Reserved Packet Header" },
	[CST_ETMV3_PKT_BRANCH] = { "BRANCH_ADDRESS", "Branch address." },
	[CST_ETMV3_PKT_BRANCH_INFO] = { "BRANCH_ADDRESS", "Branch address." },
	[CST_ETMV3_PKT_ASYNC] = { "A_SYNC", "Alignment Synchronisation." },
	[CST_ETMV3_PKT_CYCLE_COUNT] = { "CYCLE_COUNT", "Cycle Count." },
	[CST_ETMV3_PKT_ISYNC] = { "I_SYNC", "Instruction Packet synchronisation." },
	[CST_ETMV3_PKT_ISYNC_CYCLE] = { "I_SYNC_CYCLE", "Instruction Packet synchronisation with cycle count." },
	[CST_ETMV3_PKT_TRIGGER] = { "TRIGGER", "Trace Trigger Event." },
	[CST_ETMV3_PKT_PHDR] = { "P_HDR", "Atom P-header." },
	[CST_ETMV3_PKT_STORE_FAILED] = { "STORE_FAIL", "Data Store Failed." },
	[CST_ETMV3_PKT_OOO_DATA] = { "OOO_DATA", "Out of Order data value packet." },
	[CST_ETMV3_PKT_OOO_PLACE] = { "OOO_ADDR_PLC", "Out of Order data address placeholder." },
	[CST_ETMV3_PKT_DATA] = { "NORM_DATA", "Data trace packet." },
	[CST_ETMV3_PKT_SUPPRESSED] = { "DATA_SUPPRESSED", "Data trace suppressed." },
	[CST_ETMV3_PKT_NOT_TRACED] = { "VAL_NOT_TRACED", "Data trace value not traced." },
	[CST_ETMV3_PKT_IGNORE] = { "IGNORE", "Packet ignored." },
	[CST_ETMV3_PKT_CONTEXT_ID] = { "CONTEXT_ID", "Context ID change." },
	[CST_ETMV3_PKT_VMID] = { "VMID", "VMID change." },
	[CST_ETMV3_PKT_EXC_ENTRY] = { "EXCEPTION_ENTRY", "Exception entry data marker." },
	[CST_ETMV3_PKT_EXC_EXIT] = { "EXCEPTION_EXIT", "Exception return." },
	[CST_ETMV3_PKT_TIMESTAMP] = { "TIMESTAMP", "Timestamp Value." },
};

/* Exceptions of v7-M; numbers from 24 on are interrupts. */
static const char *const m_exceptions[24] = {
	"No Exception", "IRQ1", "IRQ2", "IRQ3", "IRQ4", "IRQ5", "IRQ6", "IRQ7", "IRQ0", "usage Fault", "NMI", "SVC",
	"DebugMonitor", "Mem Manage", "PendSV", "SysTick", "Reserved", "PE Reset", "Reserved", "HardFault",
	"Reserved", "BusFault", "Reserved", "Reserved",
};

#define M_IRQ_BASE 0x10

/* Maximum atoms and cycles of a P-header. */
#define MAX_ATOMS 16
#define MAX_CYCLES 8

static void address(struct cst_text *t, const struct cst_packet *p)
{
	cst_print_known(t, (uint32_t)p->addr, 32, p->match < 32 ? p->match : 32, p->addr_bits);
}

static void exception(struct cst_text *t, const struct cst_packet *p)
{
	cst_text_str(t, "Exception=");
	if (p->flags & CST_PF_M_PROFILE) {
		if (p->exc_type < sizeof(m_exceptions) / sizeof(m_exceptions[0]))
			cst_text_str(t, m_exceptions[p->exc_type]);
		else
			cst_text_dec_in(t, "IRQ", p->exc_type - M_IRQ_BASE, "");
		if (p->event)
			cst_text_dec_in(t, "; Resume=", p->event, "");
	} else {
		cst_text_str_in(t, cst_print_exception(p->exc_type & 15), "; ", "");
	}
	if (p->flags & CST_ETMV3_PF_CANCEL)
		cst_text_str(t, "; Cancel prev instr");
}

static void branch(struct cst_text *t, const struct cst_packet *p)
{
	cst_text_str(t, "; Addr=");
	address(t, p);
	cst_text_str(t, "; ");
	if (p->flags & CST_ETMV3_PF_ISA)
		cst_print_isa(t, p->isa);
	if (p->flags & CST_ETMV3_PF_STATE) {
		cst_text_str(t, p->security == CST_SEC_NONSECURE ? "NS; " : "S; ");
		cst_text_str(t, p->el == 2 ? "Hyp; " : "");
	}
	if (p->flags & CST_ETMV3_PF_EXCEPTION)
		exception(t, p);
}

static void isync(struct cst_text *t, const struct cst_packet *p)
{
	cst_text_str_in(t, "; (", cst_print_isync_reason(p->count), "); ");
	if (p->flags & CST_PF_ADDR) {
		int lsip = !!(p->flags & CST_ETMV3_PF_LSIP);

		cst_text_hex_in(t, lsip ? "Data Instr Addr=0x" : "Addr=0x",
				lsip ? p->value : p->addr, 8, "; ");
	}
	cst_text_str(t, p->security == CST_SEC_NONSECURE ? "NS; " : "S; ");
	cst_text_str(t, p->el == 2 ? "Hyp; " : " ");
	if (p->flags & CST_PF_CID)
		cst_text_hex_in(t, "CtxtID=", p->cid, 1, "; ");
	if (!(p->flags & CST_PF_ADDR))
		return;
	cst_print_isa(t, p->isa);
	if (p->flags & CST_PF_CC)
		cst_text_dec_in(t, "Cycles=", p->cc, "; ");
	if (p->flags & CST_ETMV3_PF_LSIP) {
		cst_text_str(t, "Curr Instr Addr=");
		address(t, p);
		cst_text_char(t, ';');
	}
}

static void phdr(struct cst_text *t, const struct cst_packet *p)
{
	unsigned int i, n = p->n_atoms < MAX_ATOMS ? p->n_atoms : MAX_ATOMS;

	cst_text_str(t, "; ");
	/* W is a cycle: before each atom in format 1, else before all of them */
	for (i = 0; p->flags & CST_PF_CC && p->count != 1 && i < p->cc && i < MAX_CYCLES; i++)
		cst_text_char(t, 'W');
	for (i = 0; i < n; i++) {
		if (p->flags & CST_PF_CC && p->count == 1)
			cst_text_char(t, 'W');
		cst_text_char(t, p->atoms >> i & 1 ? 'E' : 'N');
	}
	if (p->cc)
		cst_text_dec_in(t, "; Cycles=", p->cc, "");
}

static void data(struct cst_text *t, const struct cst_packet *p)
{
	if (p->flags & CST_PF_ADDR) {
		cst_text_str(t, "; Addr=");
		address(t, p);
	}
	if (p->flags & CST_ETMV3_PF_VALUE)
		cst_text_hex_in(t, "; Val=0x", p->value, 1, "");
	if (p->tag)
		cst_text_hex_in(t, "; OO_Tag=0x", p->tag, 1, "");
}

static void details(struct cst_text *t, const struct cst_packet *p)
{
	switch (p->type) {
	case CST_ETMV3_PKT_BAD_SEQUENCE:
	case CST_ETMV3_PKT_BAD_TRACEMODE:
		cst_text_str_in(t, "[", p->bad_type < CST_ETMV3_PKT_TYPES ?
				types[p->bad_type].name : "I_RESERVED", "]");
		break;
	case CST_ETMV3_PKT_BRANCH:
	case CST_ETMV3_PKT_BRANCH_INFO:
		branch(t, p);
		break;
	case CST_ETMV3_PKT_ISYNC:
	case CST_ETMV3_PKT_ISYNC_CYCLE:
		isync(t, p);
		break;
	case CST_ETMV3_PKT_PHDR:
		phdr(t, p);
		break;
	case CST_ETMV3_PKT_CYCLE_COUNT:
		cst_text_dec_in(t, "; Cycles=", p->cc, "");
		break;
	case CST_ETMV3_PKT_CONTEXT_ID:
		cst_text_hex_in(t, "; CtxtID=0x", p->cid, 1, "");
		break;
	case CST_ETMV3_PKT_VMID:
		cst_text_hex_in(t, "; VMID=0x", p->vmid, 1, "");
		break;
	case CST_ETMV3_PKT_TIMESTAMP:
		cst_text_hex_in(t, "; TS=0x", p->ts, 1, "");
		cst_text_dec_in(t, " (", p->ts, ") ");
		break;
	case CST_ETMV3_PKT_DATA:
	case CST_ETMV3_PKT_OOO_DATA:
	case CST_ETMV3_PKT_OOO_PLACE:
	case CST_ETMV3_PKT_NOT_TRACED:
		data(t, p);
		break;
	}
}

size_t cst_etmv3_packet_text(const struct cst_packet *pkt, char *out, size_t cap)
{
	unsigned int type = pkt->type < CST_ETMV3_PKT_TYPES ? pkt->type : CST_ETMV3_PKT_RESERVED;
	struct cst_text t;

	cst_text_init(&t, out, cap);
	cst_text_str_in(&t, types[type].name, " : ", types[type].text);
	details(&t, pkt);
	return cst_text_end(&t);
}
