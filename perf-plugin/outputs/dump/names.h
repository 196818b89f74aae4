/* SPDX-License-Identifier: GPL-2.0-only */
/* names.h - words for the values of the library's enumerations; "unknown" for a number that is none. */
#ifndef CSTRACE_OUTPUTS_DUMP_NAMES_H
#define CSTRACE_OUTPUTS_DUMP_NAMES_H

#include <cstrace/cstrace.h>

const char *dump_name_kind(unsigned int value);	/* enum cst_generic_kind */
/* The name of the element's kind; a marker of data trace has one of its own. */
const char *dump_name_element(const struct cst_generic *g);
const char *dump_name_isa(unsigned int value);	/* enum cst_isa */
const char *dump_name_insn(unsigned int value);	/* enum cst_insn_type */
const char *dump_name_insn_subtype(unsigned int value);	/* enum cst_insn_subtype */
const char *dump_name_security(unsigned int value);	/* enum cst_security */
const char *dump_name_trace_on(unsigned int value);	/* enum cst_trace_on_reason */
const char *dump_name_unsync(unsigned int value);	/* enum cst_unsync_reason */
const char *dump_name_memtrans(unsigned int value);	/* enum cst_memtrans */
const char *dump_name_itm(unsigned int value);	/* enum cst_itm_kind */
const char *dump_name_protocol(unsigned int value);	/* enum cst_protocol */
const char *dump_name_role(unsigned int value);	/* enum cst_packet_role */

#endif
