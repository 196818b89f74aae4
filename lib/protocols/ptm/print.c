/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * print.c - PTM packets as text, in the words of the reference lister. Its spaces and its spelling are kept:
 * listings are compared byte by byte.
 */
#include <cstrace/packet.h>

#include "protocols/protocol/print.h"
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

#define ADDR_BITS 32

static void cycles(struct cst_text *t, const struct cst_packet *p)
{
	if (!(p->flags & CST_PF_CC))
		return;
	cst_text_dec_in(t, "Cycles=", p->cc, "; ");
}

static void branch(struct cst_text *t, const struct cst_packet *p)
{
	cst_text_str(t, "Addr=");
	cst_print_known(t, p->addr, ADDR_BITS, p->info, p->addr_bits);
	cst_text_str(t, "; ");
	if (p->flags & CST_PTM_PF_ISA)
		cst_print_isa(t, p->isa);
	if (p->flags & CST_PF_CONTEXT) {
		cst_text_str(t, p->security == CST_SEC_NONSECURE ? "NS; " : "S; ");
		cst_text_str(t, p->flags & CST_PTM_PF_HYP ? "Hyp; " : "");
	}
	if (p->flags & CST_PTM_PF_EXCEPTION) {
		cst_text_str_in(t, "Excep=", cst_print_exception(p->exc_type), " [");
		cst_text_hex_in(t, "", p->exc_type, 2, "]; ");
	}
	cycles(t, p);
}

static void isync(struct cst_text *t, const struct cst_packet *p)
{
	cst_text_str_in(t, "(", cst_print_isync_reason(p->event), "); ");
	cst_text_hex_in(t, "Addr=0x", p->addr, ADDR_BITS / 4, "");
	cst_text_str(t, p->security == CST_SEC_NONSECURE ? "; NS; " : "; S; ");
	cst_text_str(t, p->flags & CST_PTM_PF_HYP ? "Hyp; " : " ");
	if (p->flags & CST_PF_CID)
		cst_text_hex_in(t, "CtxtID=", p->cid, 8, "; ");
	cst_print_isa(t, p->isa);
	cycles(t, p);
}

static void atoms(struct cst_text *t, const struct cst_packet *p)
{
	cst_print_atoms(t, p);
	cst_text_str(t, "; ");
	cycles(t, p);
}

static void details(struct cst_text *t, const struct cst_packet *p)
{
	switch (p->type) {
	case CST_PTM_PKT_BAD_SEQUENCE:
		cst_text_str_in(t, "[", p->bad_type < CST_PTM_PKT_TYPES ?
				types[p->bad_type].name : "NO_ERROR", "]; ");
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
		cst_print_known(t, p->ts, 64, 64, p->ts_bits);
		cst_text_dec_in(t, "(", p->ts, "); ");
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
	cst_text_str_in(&t, types[pkt->type].name, " : ", types[pkt->type].text);
	cst_text_str(&t, "; ");
	details(&t, pkt);
	return cst_text_end(&t);
}
