/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * print.c - PTM packets as text, in the words of the reference lister. Its spaces and its spelling are kept:
 * listings are compared byte by byte.
 */
#include <cstrace/packet.h>

#include "base/text.h"
#include "protocols/ptm/ptm.h"

static const struct {
	const char *name, *text;
} types[CST_PTM_PKT_TYPES] = {
	[CST_PTM_PKT_NOT_SYNC] = { "NOTSYNC", "PTM Not Synchronised" },
	[CST_PTM_PKT_INCOMPLETE] = { "INCOMPLETE_EOT", "Incomplete packet flushed at end of trace" },
	[CST_PTM_PKT_BAD_SEQUENCE] = { "BAD_SEQUENCE", "Invalid sequence in packet" },
	[CST_PTM_PKT_RESERVED] = { "RESERVED", "Reserved Packet Header" },
	[CST_PTM_PKT_ASYNC] = { "ASYNC", "Alignment Synchronisation Packet" },
	[CST_PTM_PKT_ISYNC] = { "ISYNC", "Instruction Synchronisation packet" },
	[CST_PTM_PKT_BRANCH] = { "BRANCH_ADDRESS", "Branch address packet" },
	[CST_PTM_PKT_EXCEPTION] = { "BRANCH_ADDRESS", "Branch address packet" },
	[CST_PTM_PKT_ATOM] = { "ATOM", "Atom packet" },
	[CST_PTM_PKT_WAYPOINT] = { "WP_UPDATE", "Waypoint update packet" },
	[CST_PTM_PKT_TRIGGER] = { "TRIGGER", "Trigger Event packet" },
	[CST_PTM_PKT_CONTEXT_ID] = { "CTXTID", "Context ID packet" },
	[CST_PTM_PKT_VMID] = { "VMID", "VM ID packet" },
	[CST_PTM_PKT_TIMESTAMP] = { "TIMESTAMP", "Timestamp packet" },
	[CST_PTM_PKT_EXC_RETURN] = { "ERET", "Exception return packet" },
	[CST_PTM_PKT_IGNORE] = { "IGNORE", "Ignore packet" },
};

static const char *const isa_names[] = {
	[CST_ISA_A32] = "ARM(32); ", [CST_ISA_T32] = "Thumb2; ", [CST_ISA_A64] = "AArch64; ",
	[CST_ISA_TEE] = "ThumbEE; ", [CST_ISA_JAZELLE] = "Jazelle; ",
};

/* Number 5 is a ThumbEE check failure, which the reference names "Jazelle". */
static const char *const exceptions[] = {
	"No Exception", "Debug Halt", "SMC", "Hyp", "Async Data Abort", "Jazelle", "Reserved", "Reserved",
	"PE Reset", "Undefined Instr", "SVC", "Prefetch Abort", "Data Fault", "Generic", "IRQ", "FIQ",
};

static const char *const isync_reasons[] = {
	[CST_PTM_ISYNC_PERIODIC] = "Periodic", [CST_PTM_ISYNC_TRACE_ON] = "Trace Enable",
	[CST_PTM_ISYNC_OVERFLOW] = "Restart Overflow", [CST_PTM_ISYNC_DEBUG] = "Debug Exit",
};

#define ADDR_BITS 32

static void isa(struct cst_text *t, unsigned int set)
{
	cst_text_str(t, "ISA=");
	cst_text_str(t, set < sizeof(isa_names) / sizeof(isa_names[0]) ? isa_names[set] : "Unknown; ");
}

/* Writes a value of which the low `known` bits are known and the low `carried` bits were in the packet. */
static void value(struct cst_text *t, uint64_t v, unsigned int width, unsigned int known, unsigned int carried)
{
	unsigned int digits = (known + 3) / 4, i;

	cst_text_str(t, "0x");
	for (i = digits; i < width / 4; i++)
		cst_text_char(t, '?');
	if (known)
		cst_text_hex_upper(t, known < 64 ? v & ((UINT64_C(1) << known) - 1) : v, digits);
	if (known < width)
		cst_text_dec_in(t, " (", known - !!known, ":0)");
	if (!carried)
		return;
	cst_text_str(t, " ~[0x");
	cst_text_hex_upper(t, carried < 64 ? v & ((UINT64_C(1) << carried) - 1) : v, 1);
	cst_text_char(t, ']');
}

static void cycles(struct cst_text *t, const struct cst_packet *p)
{
	if (!(p->flags & CST_PF_CC))
		return;
	cst_text_dec_in(t, "Cycles=", p->cc, "; ");
}

static void branch(struct cst_text *t, const struct cst_packet *p)
{
	cst_text_str(t, "Addr=");
	value(t, p->addr, ADDR_BITS, p->info, p->addr_bits);
	cst_text_str(t, "; ");
	if (p->flags & CST_PTM_PF_ISA)
		isa(t, p->isa);
	if (p->flags & CST_PF_CONTEXT) {
		cst_text_str(t, p->security == CST_SEC_NONSECURE ? "NS; " : "S; ");
		cst_text_str(t, p->flags & CST_PTM_PF_HYP ? "Hyp; " : "");
	}
	if (p->flags & CST_PTM_PF_EXCEPTION) {
		cst_text_str(t, "Excep=");
		cst_text_str(t, p->exc_type < sizeof(exceptions) / sizeof(exceptions[0]) ?
				exceptions[p->exc_type] : "Unknown");
		cst_text_hex_in(t, " [", p->exc_type, 2, "]; ");
	}
	cycles(t, p);
}

static void isync(struct cst_text *t, const struct cst_packet *p)
{
	cst_text_char(t, '(');
	cst_text_str(t, isync_reasons[p->event & 3]);
	cst_text_hex_in(t, "); Addr=0x", p->addr, ADDR_BITS / 4, "");
	cst_text_str(t, p->security == CST_SEC_NONSECURE ? "; NS; " : "; S; ");
	cst_text_str(t, p->flags & CST_PTM_PF_HYP ? "Hyp; " : " ");
	if (p->flags & CST_PF_CID)
		cst_text_hex_in(t, "CtxtID=", p->cid, 8, "; ");
	isa(t, p->isa);
	cycles(t, p);
}

static void atoms(struct cst_text *t, const struct cst_packet *p)
{
	unsigned int i;

	for (i = 0; i < p->n_atoms && i < 32; i++)
		cst_text_char(t, p->atoms >> i & 1 ? 'E' : 'N');
	cst_text_str(t, "; ");
	cycles(t, p);
}

static void details(struct cst_text *t, const struct cst_packet *p)
{
	switch (p->type) {
	case CST_PTM_PKT_BAD_SEQUENCE:
		cst_text_char(t, '[');
		cst_text_str(t, p->bad_type < CST_PTM_PKT_TYPES ? types[p->bad_type].name : "NO_ERROR");
		cst_text_str(t, "]; ");
		break;
	case CST_PTM_PKT_ATOM:
		atoms(t, p);
		break;
	case CST_PTM_PKT_BRANCH:
	case CST_PTM_PKT_EXCEPTION:
	case CST_PTM_PKT_WAYPOINT:
		branch(t, p);
		break;
	case CST_PTM_PKT_ISYNC:
		isync(t, p);
		break;
	case CST_PTM_PKT_CONTEXT_ID:
		cst_text_hex_in(t, "CtxtID=0x", p->cid, 8, "; ");
		break;
	case CST_PTM_PKT_VMID:
		cst_text_hex_in(t, "VMID=0x", p->vmid, 2, "; ");
		break;
	case CST_PTM_PKT_TIMESTAMP:
		cst_text_str(t, "TS=");
		value(t, p->ts, 64, 64, p->ts_bits);
		cst_text_char(t, '(');
		cst_text_dec(t, p->ts);
		cst_text_str(t, "); ");
		cycles(t, p);
		break;
	}
}

size_t cst_ptm_packet_text(const struct cst_packet *pkt, char *out, size_t cap)
{
	struct cst_text t;

	cst_text_init(&t, out, cap);
	if (pkt->type >= CST_PTM_PKT_TYPES) {
		cst_text_str(&t, "UNKNOWN : Unknown packet type; ");
		return cst_text_end(&t);
	}
	cst_text_str(&t, types[pkt->type].name);
	cst_text_str(&t, " : ");
	cst_text_str(&t, types[pkt->type].text);
	cst_text_str(&t, "; ");
	details(&t, pkt);
	return cst_text_end(&t);
}
