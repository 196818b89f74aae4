/* SPDX-License-Identifier: BSD-3-Clause */
/* print.c - fields of packets as text, in the words of the reference lister. */
#include "protocols/protocol/print.h"

#include <cstrace/types.h>

#include "bytes/reader/packet_bytes.h"

#define MAX_ATOMS 32

void cst_print_atoms(struct cst_text *t, const struct cst_packet *p)
{
	unsigned int i;

	for (i = 0; i < p->n_atoms && i < MAX_ATOMS; i++)
		cst_text_char(t, p->atoms >> i & 1 ? 'E' : 'N');
}

void cst_print_sent(struct cst_text *t, uint64_t v, unsigned int bits)
{
	cst_text_str(t, " ~[0x");
	cst_text_hex_upper(t, v & low_bits(bits), 1);
	cst_text_char(t, ']');
}

void cst_print_known(struct cst_text *t, uint64_t v, unsigned int width, unsigned int known,
		     unsigned int sent)
{
	unsigned int digits = (known + 3) / 4, i;

	cst_text_str(t, "0x");
	for (i = digits; i < width / 4; i++)
		cst_text_char(t, '?');
	if (known)
		cst_text_hex_upper(t, v & low_bits(known), digits);
	if (known < width)
		cst_text_dec_in(t, " (", known - !!known, ":0)");
	if (sent)
		cst_print_sent(t, v, sent);
}

void cst_print_isa(struct cst_text *t, unsigned int isa)
{
	static const char *const names[] = {
		[CST_ISA_A32] = "ARM(32)", [CST_ISA_T32] = "Thumb2", [CST_ISA_A64] = "AArch64",
		[CST_ISA_TEE] = "ThumbEE", [CST_ISA_JAZELLE] = "Jazelle",
	};

	cst_text_str_in(t, "ISA=", isa <= CST_ISA_JAZELLE ? names[isa] : "Unknown", "; ");
}

const char *cst_print_exception(unsigned int number)
{
	/* number 5 is a ThumbEE check failure, which the reference names "Jazelle" */
	static const char *const names[] = {
		"No Exception", "Debug Halt", "SMC", "Hyp", "Async Data Abort", "Jazelle",
		"Reserved", "Reserved", "PE Reset", "Undefined Instr", "SVC", "Prefetch Abort",
		"Data Fault", "Generic", "IRQ", "FIQ",
	};

	return number < sizeof(names) / sizeof(names[0]) ? names[number] : "Unknown";
}

const char *cst_print_isync_reason(unsigned int reason)
{
	static const char *const names[] = {
		"Periodic", "Trace Enable", "Restart Overflow", "Debug Exit",
	};

	return names[reason & 3];
}
