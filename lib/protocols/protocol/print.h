/* SPDX-License-Identifier: BSD-3-Clause */
/* print.h - fields that the texts of packets of several protocols have. */
#ifndef CST_LIB_PROTOCOLS_PROTOCOL_PRINT_H
#define CST_LIB_PROTOCOLS_PROTOCOL_PRINT_H

#include <cstrace/packet.h>

#include "base/text.h"

/* Writes the atoms of a packet. */
void cst_print_atoms(struct cst_text *t, const struct cst_packet *p);
/* Writes the low `bits` bits of a value, those that were in the packet. */
void cst_print_sent(struct cst_text *t, uint64_t v, unsigned int bits);
/* Writes a value: the low `known` bits are known, and the low `sent` bits were in the packet. */
void cst_print_known(struct cst_text *t, uint64_t v, unsigned int width, unsigned int known,
		     unsigned int sent);

/* ETMv3 and PTM: an instruction set, an exception, a reason of an I-sync. */
void cst_print_isa(struct cst_text *t, unsigned int isa);
const char *cst_print_exception(unsigned int number);
const char *cst_print_isync_reason(unsigned int reason);

#endif
