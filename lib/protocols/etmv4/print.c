/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * print.c - ETMv4 and ETE packets as text, in the words of the reference lister. Its spelling is kept
 * where it is odd (SCR_ADDR): listings are compared byte by byte.
 */
#include <cstrace/config.h>
#include <cstrace/packet.h>

#include "protocols/etmv4/etmv4.h"
#include "protocols/protocol/print.h"

struct type_text {
	const char *name[2];	/* by sub-ISA; [1] NULL: the same for both */
	const char *text[2];
};

#define ONE(n, t) { { n, NULL }, { t, NULL } }
#define BY_IS(n, t) { { n "IS0", n "IS1" }, { t "IS0.", t "IS1." } }

static const struct type_text types[CST_PKT_TYPES] = {
	[CST_PKT_NOT_SYNC] = ONE("I_NOT_SYNC", "I Stream not synchronised"),
	[CST_PKT_INCOMPLETE] = ONE("I_INCOMPLETE_EOT", "Incomplete packet at end of trace."),
	[CST_PKT_BAD_SEQUENCE] = ONE("I_BAD_SEQUENCE", "Invalid Sequence in packet."),
	[CST_PKT_RESERVED] = ONE("I_RESERVED", "Reserved Packet Header"),
	[CST_PKT_RESERVED_CFG] = ONE("I_RESERVED_CFG", "Reserved header for current configuration."),
	[CST_PKT_ASYNC] = ONE("I_ASYNC", "Alignment Synchronisation."),
	[CST_PKT_DISCARD] = ONE("I_DISCARD", "Discard."),
	[CST_PKT_OVERFLOW] = ONE("I_OVERFLOW", "Overflow."),
	[CST_PKT_TRACE_INFO] = ONE("I_TRACE_INFO", "Trace Info."),
	[CST_PKT_TIMESTAMP] = ONE("I_TIMESTAMP", "Timestamp."),
	[CST_PKT_TRACE_ON] = ONE("I_TRACE_ON", "Trace On."),
	[CST_PKT_FUNC_RETURN] = ONE("I_FUNC_RET", "V8M - function return."),
	[CST_PKT_EXCEPTION] = ONE("I_EXCEPT", "Exception."),
	[CST_PKT_EXC_RETURN] = ONE("I_EXCEPT_RTN", "Exception Return."),
	[CST_PKT_ITE] = ONE("I_ITE", "Instrumentation"),
	[CST_PKT_TRANS_START] = ONE("I_TRANS_ST", "Transaction Start."),
	[CST_PKT_TRANS_COMMIT] = ONE("I_TRANS_COMMIT", "Transaction Commit."),
	[CST_PKT_TRANS_FAIL] = ONE("I_TRANS_FAIL", "Transaction Fail."),
	[CST_PKT_PE_RESET] = ONE("I_PE_RESET", "PE Reset."),
	[CST_PKT_CCNT_F1] = ONE("I_CCNT_F1", "Cycle Count format 1."),
	[CST_PKT_CCNT_F2] = ONE("I_CCNT_F2", "Cycle Count format 2."),
	[CST_PKT_CCNT_F3] = ONE("I_CCNT_F3", "Cycle Count format 3."),
	[CST_PKT_DATA_SYNC_NUM] = ONE("I_NUM_DS_MKR", "Data Synchronisation Marker - Numbered."),
	[CST_PKT_DATA_SYNC] = ONE("I_UNNUM_DS_MKR", "Data Synchronisation Marker - Unnumbered."),
	[CST_PKT_COMMIT] = ONE("I_COMMIT", "Commit"),
	[CST_PKT_CANCEL_F1] = ONE("I_CANCEL_F1", "Cancel Format 1."),
	[CST_PKT_CANCEL_F1_MISP] = ONE("I_CANCEL_F1_MISPRED", "Cancel Format 1 + Mispredict."),
	[CST_PKT_CANCEL_F2] = ONE("I_CANCEL_F2", "Cancel Format 2."),
	[CST_PKT_CANCEL_F3] = ONE("I_CANCEL_F3", "Cancel Format 3."),
	[CST_PKT_MISPREDICT] = ONE("I_MISPREDICT", "Mispredict."),
	[CST_PKT_COND_I_F1] = ONE("I_COND_I_F1", "Conditional Instruction, format 1."),
	[CST_PKT_COND_I_F2] = ONE("I_COND_I_F2", "Conditional Instruction, format 2."),
	[CST_PKT_COND_I_F3] = ONE("I_COND_I_F3", "Conditional Instruction, format 3."),
	[CST_PKT_COND_FLUSH] = ONE("I_COND_FLUSH", "Conditional Flush."),
	[CST_PKT_COND_R_F1] = ONE("I_COND_RES_F1", "Conditional Result, format 1."),
	[CST_PKT_COND_R_F2] = ONE("I_COND_RES_F2", "Conditional Result, format 2."),
	[CST_PKT_COND_R_F3] = ONE("I_COND_RES_F3", "Conditional Result, format 3."),
	[CST_PKT_COND_R_F4] = ONE("I_COND_RES_F4", "Conditional Result, format 4."),
	[CST_PKT_IGNORE] = ONE("I_IGNORE", "Ignore."),
	[CST_PKT_EVENT] = ONE("I_EVENT", "Trace Event."),
	[CST_PKT_CONTEXT] = ONE("I_CTXT", "Context Packet."),
	[CST_PKT_ADDR_CTXT_32] = BY_IS("I_ADDR_CTXT_L_32", "Address & Context, Long, 32 bit, "),
	[CST_PKT_ADDR_CTXT_64] = BY_IS("I_ADDR_CTXT_L_64", "Address & Context, Long, 64 bit, "),
	[CST_PKT_TS_MARKER] = ONE("I_TS_MARKER", "Timestamp Marker"),
	[CST_PKT_ADDR_MATCH] = ONE("I_ADDR_MATCH", "Exact Address Match."),
	[CST_PKT_ADDR_SHORT] = BY_IS("I_ADDR_S_", "Address, Short, "),
	[CST_PKT_ADDR_32] = BY_IS("I_ADDR_L_32", "Address, Long, 32 bit, "),
	[CST_PKT_ADDR_64] = BY_IS("I_ADDR_L_64", "Address, Long, 64 bit, "),
	[CST_PKT_Q] = ONE("I_Q", "Q Packet."),
	[CST_PKT_SRC_MATCH] = ONE("I_SRC_ADDR_MATCH", "Exact Source Address Match."),
	[CST_PKT_SRC_SHORT] = BY_IS("I_SRC_ADDR_S_", "Source Address, Short, "),
	[CST_PKT_SRC_32] = { { "I_SCR_ADDR_L_32IS0", "I_SRC_ADDR_L_32IS1" },
			     { "Source Address, Long, 32 bit, IS0.",
			       "Source Address, Long, 32 bit, IS1." } },
	[CST_PKT_SRC_64] = BY_IS("I_SRC_ADDR_L_64", "Source Address, Long, 64 bit, "),
	[CST_PKT_ATOM_F1] = ONE("I_ATOM_F1", "Atom format 1."),
	[CST_PKT_ATOM_F2] = ONE("I_ATOM_F2", "Atom format 2."),
	[CST_PKT_ATOM_F3] = ONE("I_ATOM_F3", "Atom format 3."),
	[CST_PKT_ATOM_F4] = ONE("I_ATOM_F4", "Atom format 4."),
	[CST_PKT_ATOM_F5] = ONE("I_ATOM_F5", "Atom format 5."),
	[CST_PKT_ATOM_F6] = ONE("I_ATOM_F6", "Atom format 6."),
	[CST_PKT_BF_FLUSH] = ONE("I_BF_FLUSH", "Branch future flush."),
};

/* Exception TYPE, A and R profile; the gaps are reserved. */
static const char *const exceptions[] = {
	[0x00] = "PE Reset", [0x01] = "Debug Halt", [0x02] = "Call", [0x03] = "Trap",
	[0x04] = "System Error", [0x06] = "Inst Debug", [0x07] = "Data Debug", [0x0a] = "Alignment",
	[0x0b] = "Inst Fault", [0x0c] = "Data Fault", [0x0e] = "IRQ", [0x0f] = "FIQ",
};

/* Exception TYPE, M profile, without the interrupts from number 8 on. */
static const char *const m_exceptions[] = {
	[0x01] = "PE Reset", [0x02] = "NMI", [0x03] = "HardFault", [0x04] = "MemManage",
	[0x05] = "BusFault", [0x06] = "UsageFault", [0x0b] = "SVC", [0x0c] = "DebugMonitor",
	[0x0e] = "PendSV", [0x0f] = "SysTick", [0x10] = "IRQ0", [0x11] = "IRQ1", [0x12] = "IRQ2",
	[0x13] = "IRQ3", [0x14] = "IRQ4", [0x15] = "IRQ5", [0x16] = "IRQ6", [0x17] = "IRQ7",
	[0x18] = "DebugHalt", [0x19] = "LazyFP Push", [0x1a] = "Lockup",
};

#define M_IRQ_FIRST 0x208
#define M_IRQ_LAST 0x3ef
#define M_IRQ_BASE 0x200

#define INFO_CC_ENABLED 0x01
#define INFO_IN_TRANSACTION 0x40

static const char *by_is(const char *const pair[2], unsigned int is)
{
	return is && pair[1] ? pair[1] : pair[0];
}

static int is1_header(unsigned int h)
{
	return h == 0x83 || h == 0x86 || h == 0x96 || h == 0x9b || h == 0x9e || h == 0xb5 || h == 0xb7 ||
	       h == 0xb9;
}

/* Name of a type that a bad or cut packet began as. */
static const char *began_as(const struct cst_packet *p)
{
	const struct type_text *type;

	if (p->bad_type >= CST_PKT_TYPES || !types[p->bad_type].name[0])
		return "I_NO_ERR_TYPE";
	type = &types[p->bad_type];
	/* A zero byte opens several packets; it is an A-sync from the second zero on. */
	if (p->bad_type == CST_PKT_ASYNC && (p->nbytes < 2 || p->bytes[1]))
		return "I_EXTENSION";
	/* the packet may end before its address, so that the sub-ISA is that of the header */
	return by_is(type->name, is1_header(p->header));
}

/* Writes the address, and the low bits that were in the packet if it had fewer than 64. */
static void address(struct cst_text *t, const struct cst_packet *p, unsigned int bits)
{
	cst_text_str(t, "; Addr=0x");
	cst_text_hex_upper(t, p->addr, 16);
	if (bits && bits < 64)
		cst_print_sent(t, p->addr, bits);
}

static void match_entry(struct cst_text *t, const struct cst_packet *p)
{
	cst_text_dec_in(t, "[", p->match, "]");
}

static void context(struct cst_text *t, const struct cst_packet *p)
{
	static const char *const security[] = {
		[CST_SEC_SECURE] = "S; ", [CST_SEC_NONSECURE] = "NS; ",
		[CST_SEC_ROOT] = "Root; ", [CST_SEC_REALM] = "Realm; ",
	};

	if (!(p->flags & CST_PF_CONTEXT)) {
		cst_text_str(t, "Ctxt: Same");
		return;
	}
	cst_text_dec_in(t, p->sf ? "Ctxt: AArch64,EL" : "Ctxt: AArch32, EL", p->el, ", ");
	cst_text_str(t, security[p->security & 3]);
	if (p->flags & CST_PF_CID)
		cst_text_hex_in(t, "CID=0x", p->cid, 8, "; ");
	if (p->flags & CST_PF_VMID)
		cst_text_hex_in(t, "VMID=0x", p->vmid, 4, "; ");
}

static void exception(struct cst_text *t, const struct cst_packet *p)
{
	const char *name = NULL;
	unsigned int type = p->exc_type;

	cst_text_str(t, ";  ");
	if (!(p->flags & CST_PF_M_PROFILE)) {
		if (type < sizeof(exceptions) / sizeof(exceptions[0]))
			name = exceptions[type];
	} else if (type < sizeof(m_exceptions) / sizeof(m_exceptions[0])) {
		name = m_exceptions[type];
	} else if (type >= M_IRQ_FIRST && type <= M_IRQ_LAST) {
		cst_text_dec_in(t, "IRQ", type - M_IRQ_BASE, "");
		name = "";
	}
	cst_text_str(t, name ? name : "Reserved");
	cst_text_char(t, ';');
	if (p->flags & CST_PF_P)
		cst_text_str(t, " Fault Pending;");
	if ((p->flags & (CST_PF_E0 | CST_PF_E1)) == CST_PF_E0)
		cst_text_str(t, " Ret Addr Follows;");
	else if ((p->flags & (CST_PF_E0 | CST_PF_E1)) == CST_PF_E1)
		cst_text_str(t, " Ret Addr Follows, Match Prev;");
}

static void trace_info(struct cst_text *t, const struct cst_packet *p)
{
	cst_text_hex_in(t, "; INFO=0x", p->info, 1, "");
	cst_text_dec_in(t, " { CC.", p->info & INFO_CC_ENABLED, "");
	if (p->protocol == CST_PROTO_ETE)
		cst_text_dec_in(t, ", TSTATE.", !!(p->info & INFO_IN_TRANSACTION), "");
	cst_text_str(t, " }");
	if (p->info & INFO_CC_ENABLED)
		cst_text_hex_in(t, "; CC_THRESHOLD=0x", p->flags & CST_PF_CYCT ? p->cyct : 0, 1, "");
	if (p->flags & CST_PF_SYNC_POINT)
		cst_text_str(t, "; Decoder Sync point TINFO");
}

/* Writes a Cancel or Mispredict packet: its atoms, the number of cancelled elements, and the mispredict. */
static void speculation(struct cst_text *t, const struct cst_packet *p)
{
	cst_text_str(t, "; ");
	if (p->n_atoms) {
		cst_text_str(t, "Atom: ");
		cst_print_atoms(t, p);
		cst_text_str(t, ", ");
	}
	if (p->type != CST_PKT_MISPREDICT)
		cst_text_dec_in(t, "Cancel(", p->commit, p->type == CST_PKT_CANCEL_F1 ? ")" : "), ");
	if (p->type != CST_PKT_CANCEL_F1)
		cst_text_str(t, "Mispredict");
}

static void q(struct cst_text *t, const struct cst_packet *p)
{
	if (p->flags & CST_PF_COUNT)
		cst_text_dec_in(t, "; Count(", p->count, ")");
	else
		cst_text_str(t, "; Count(Unknown)");
	if (p->q_type <= 2) {
		cst_text_str(t, "; ");
		match_entry(t, p);
	}
	if (p->flags & CST_PF_ADDR)
		address(t, p, p->addr_bits);
}

/* True for a Q header of a trace unit without Q elements: the reference lists it as reserved, not as RESERVED_CFG. */
static int is_reserved_q(const struct cst_packet *p)
{
	return p->type == CST_PKT_RESERVED_CFG && p->bad_type == CST_PKT_Q;
}

/* Addresses, contexts and P0 elements. */
static void flow_details(struct cst_text *t, const struct cst_packet *p)
{
	switch (p->type) {
	case CST_PKT_EXCEPTION:
		exception(t, p);
		break;
	case CST_PKT_CONTEXT:
		cst_text_str(t, "; ");
		context(t, p);
		break;
	case CST_PKT_ADDR_CTXT_32:
	case CST_PKT_ADDR_CTXT_64:
		address(t, p, 0);
		cst_text_str(t, "; ");
		context(t, p);
		break;
	case CST_PKT_ADDR_MATCH:
	case CST_PKT_SRC_MATCH:
		cst_text_str(t, ", ");
		match_entry(t, p);
		/* fall through */
	case CST_PKT_ADDR_32:
	case CST_PKT_ADDR_64:
	case CST_PKT_SRC_32:
	case CST_PKT_SRC_64:
		address(t, p, 0);
		cst_text_str(t, "; ");
		break;
	case CST_PKT_ADDR_SHORT:
	case CST_PKT_SRC_SHORT:
		address(t, p, p->addr_bits);
		break;
	case CST_PKT_Q:
		q(t, p);
		break;
	case CST_PKT_ATOM_F1:
	case CST_PKT_ATOM_F2:
	case CST_PKT_ATOM_F3:
	case CST_PKT_ATOM_F4:
	case CST_PKT_ATOM_F5:
	case CST_PKT_ATOM_F6:
		cst_text_str(t, "; ");
		cst_print_atoms(t, p);
		break;
	}
}

static void details(struct cst_text *t, const struct cst_packet *p)
{
	switch (p->type) {
	case CST_PKT_INCOMPLETE:
	case CST_PKT_BAD_SEQUENCE:
	case CST_PKT_RESERVED_CFG:
		if (is_reserved_q(p))
			break;
		cst_text_str_in(t, "[", began_as(p), "]");
		break;
	case CST_PKT_TRACE_INFO:
		trace_info(t, p);
		break;
	case CST_PKT_TIMESTAMP:
		cst_text_hex_in(t, "; Updated val = 0x", p->ts, 1, "");
		if (p->flags & CST_PF_CC)
			cst_text_hex_in(t, "; CC=0x", p->cc, 1, "");
		break;
	case CST_PKT_ITE:
		cst_text_dec_in(t, "; EL", p->el, "");
		cst_text_hex_in(t, "; Payload=0x", p->ts, 1, "");
		break;
	case CST_PKT_CCNT_F1:
	case CST_PKT_CCNT_F2:
	case CST_PKT_CCNT_F3:
		cst_text_hex_in(t, "; Count=0x", p->flags & CST_PF_CC_UNKNOWN ? 0 : p->cc, 1, "");
		if (p->flags & CST_PF_COMMIT)
			cst_text_dec_in(t, "; Commit(", p->commit, ")");
		break;
	case CST_PKT_COMMIT:
		cst_text_dec_in(t, "; Commit(", p->commit, ")");
		break;
	case CST_PKT_CANCEL_F1:
	case CST_PKT_CANCEL_F1_MISP:
	case CST_PKT_CANCEL_F2:
	case CST_PKT_CANCEL_F3:
	case CST_PKT_MISPREDICT:
		speculation(t, p);
		break;
	default:
		flow_details(t, p);
	}
}

size_t cst_etmv4_packet_text(const struct cst_packet *pkt, char *out, size_t cap)
{
	const struct type_text *type;
	struct cst_text t;

	cst_text_init(&t, out, cap);
	if (pkt->type >= CST_PKT_TYPES) {
		cst_text_str(&t, "I_UNKNOWN : Unknown Packet Header");
		return cst_text_end(&t);
	}
	type = &types[is_reserved_q(pkt) ? CST_PKT_RESERVED : pkt->type];
	cst_text_str_in(&t, by_is(type->name, pkt->is), " : ", by_is(type->text, pkt->is));
	details(&t, pkt);
	return cst_text_end(&t);
}
