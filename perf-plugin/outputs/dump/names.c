/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names.c - what the dump command calls the values of the library's enumerations. Switches without a
 * default: a value that is added to an enumeration and not here does not compile.
 */
#include "outputs/dump/names.h"

const char *dump_name_kind(unsigned int value)
{
	switch ((enum cst_generic_kind)value) {
	case CST_GEN_UNKNOWN:
		return "unknown";
	case CST_GEN_NO_SYNC:
		return "no-sync";
	case CST_GEN_TRACE_ON:
		return "trace-on";
	case CST_GEN_EO_TRACE:
		return "end";
	case CST_GEN_PE_CONTEXT:
		return "context";
	case CST_GEN_RANGE:
		return "range";
	case CST_GEN_NOPATH:
		return "no-path";
	case CST_GEN_NACC:
		return "no-code";
	case CST_GEN_ADDR_UNKNOWN:
		return "no-address";
	case CST_GEN_EXCEPTION:
		return "exception";
	case CST_GEN_EXCEPTION_RET:
		return "exception-return";
	case CST_GEN_TIMESTAMP:
		return "timestamp";
	case CST_GEN_CYCLE_COUNT:
		return "cycles";
	case CST_GEN_EVENT:
		return "event";
	case CST_GEN_SWTRACE:
		return "software";
	case CST_GEN_SYNC_MARKER:
		return "timestamp-marker";
	case CST_GEN_MEMTRANS:
		return "transaction";
	case CST_GEN_INSTRUMENTATION:
		return "instrumentation";
	case CST_GEN_ITMTRACE:
		return "itm";
	case CST_GEN_COUNTED:
		return "counted";
	case CST_GEN_SKIPPED:
		return "skipped";
	case CST_GEN_LISTED:
		return "listed";
	case CST_GEN_CUSTOM:
		return "custom";
	case CST_GEN_DATA:
		return "data";
	case CST_GEN_COND:
		return "condition";
	case CST_GEN_BARRIER:
		return "barrier";
	}
	return "unknown";
}

const char *dump_name_element(const struct cst_generic *g)
{
	if (g->kind == CST_GEN_SYNC_MARKER && g->num != CST_MARK_TIMESTAMP)
		return "data-marker";
	return dump_name_kind(g->kind);
}

const char *dump_name_isa(unsigned int value)
{
	switch ((enum cst_isa)value) {
	case CST_ISA_A32:
		return "A32";
	case CST_ISA_T32:
		return "T32";
	case CST_ISA_A64:
		return "A64";
	case CST_ISA_TEE:
		return "T32EE";
	case CST_ISA_JAZELLE:
		return "Jazelle";
	case CST_ISA_CUSTOM:
		return "custom";
	case CST_ISA_UNKNOWN:
		return "unknown";
	}
	return "unknown";
}

const char *dump_name_insn(unsigned int value)
{
	switch ((enum cst_insn_type)value) {
	case CST_INSN_OTHER:
		return "other";
	case CST_INSN_BRANCH:
		return "branch";
	case CST_INSN_INDIRECT:
		return "indirect";
	case CST_INSN_ISB:
		return "isb";
	case CST_INSN_BARRIER:
		return "barrier";
	case CST_INSN_WFX:
		return "wfx";
	case CST_INSN_TSTART:
		return "tstart";
	case CST_INSN_LOAD:
		return "load";
	case CST_INSN_STORE:
		return "store";
	}
	return "unknown";
}

const char *dump_name_insn_subtype(unsigned int value)
{
	switch ((enum cst_insn_subtype)value) {
	case CST_INSN_PLAIN:
		return "";
	case CST_INSN_LINK:
		return "link";
	case CST_INSN_RET:
		return "return";
	case CST_INSN_ERET:
		return "exception-return";
	case CST_INSN_IMPLIED_RET:
		return "return";
	case CST_INSN_FUTURE:
		return "branch-future";
	}
	return "unknown";
}

const char *dump_name_security(unsigned int value)
{
	switch ((enum cst_security)value) {
	case CST_SEC_SECURE:
		return "secure";
	case CST_SEC_NONSECURE:
		return "non-secure";
	case CST_SEC_ROOT:
		return "root";
	case CST_SEC_REALM:
		return "realm";
	}
	return "unknown";
}

const char *dump_name_trace_on(unsigned int value)
{
	switch ((enum cst_trace_on_reason)value) {
	case CST_ON_NORMAL:
		return "begin";
	case CST_ON_OVERFLOW:
		return "overflow";
	case CST_ON_DEBUG:
		return "debug";
	}
	return "unknown";
}

const char *dump_name_unsync(unsigned int value)
{
	switch ((enum cst_unsync_reason)value) {
	case CST_UNSYNC_UNKNOWN:
		return "unknown";
	case CST_UNSYNC_INIT:
		return "start";
	case CST_UNSYNC_RESET:
		return "reset";
	case CST_UNSYNC_OVERFLOW:
		return "overflow";
	case CST_UNSYNC_DISCARD:
		return "discard";
	case CST_UNSYNC_BAD_PACKET:
		return "bad-packet";
	case CST_UNSYNC_BAD_IMAGE:
		return "bad-image";
	case CST_UNSYNC_END:
		return "end";
	}
	return "unknown";
}

const char *dump_name_memtrans(unsigned int value)
{
	switch ((enum cst_memtrans)value) {
	case CST_TRANS_INIT:
		return "inside";
	case CST_TRANS_START:
		return "start";
	case CST_TRANS_COMMIT:
		return "commit";
	case CST_TRANS_FAIL:
		return "fail";
	}
	return "unknown";
}

const char *dump_name_itm(unsigned int value)
{
	switch ((enum cst_itm_kind)value) {
	case CST_ITM_SWIT:
		return "stimulus";
	case CST_ITM_DWT:
		return "hardware";
	case CST_ITM_TS_SYNC:
		return "local-timestamp";
	case CST_ITM_TS_DELAY:
		return "local-timestamp";
	case CST_ITM_TS_PKT_DELAY:
		return "local-timestamp";
	case CST_ITM_TS_PKT_TS_DELAY:
		return "local-timestamp";
	case CST_ITM_TS_GLOBAL:
		return "global-timestamp";
	}
	return "unknown";
}

const char *dump_name_protocol(unsigned int value)
{
	switch ((enum cst_protocol)value) {
	case CST_PROTO_NONE:
		return "none";
	case CST_PROTO_ETMV4:
		return "ETMv4";
	case CST_PROTO_ETE:
		return "ETE";
	case CST_PROTO_ETMV4_DATA:
		return "ETMv4-data";
	case CST_PROTO_ETMV3:
		return "ETMv3";
	case CST_PROTO_PTM:
		return "PTM";
	case CST_PROTO_STM:
		return "STM";
	case CST_PROTO_ITM:
		return "ITM";
	case CST_PROTO_CUSTOM:
		return "custom";
	case CST_PROTOCOLS:
		break;
	}
	return "unknown";
}

const char *dump_name_role(unsigned int value)
{
	switch ((enum cst_packet_role)value) {
	case CST_ROLE_OTHER:
		return "other";
	case CST_ROLE_NOT_SYNC:
		return "not-sync";
	case CST_ROLE_BAD:
		return "bad";
	case CST_ROLE_ASYNC:
		return "async";
	case CST_ROLE_SYNC:
		return "sync";
	case CST_ROLE_TIMESTAMP:
		return "timestamp";
	case CST_ROLE_CONTEXT:
		return "context";
	case CST_ROLE_ADDRESS:
		return "address";
	case CST_ROLE_ADDRESS_CONTEXT:
		return "address-context";
	case CST_ROLE_FLOW:
		return "flow";
	case CST_ROLE_EXCEPTION:
		return "exception";
	case CST_ROLE_TRACE_ON:
		return "trace-on";
	case CST_ROLE_DISCARD:
		return "discard";
	case CST_ROLE_LOSS:
		return "loss";
	case CST_ROLE_EVENT:
		return "event";
	case CST_ROLE_ASIDE:
		return "aside";
	}
	return "unknown";
}
