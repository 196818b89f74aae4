/* SPDX-License-Identifier: GPL-2.0-only */
/* names.c - what the dump command calls the values of the library's enumerations. */
#include "outputs/dump/names.h"

#define NAME(names, value)	name_of(names, sizeof(names) / sizeof((names)[0]), value)

static const char *name_of(const char *const *names, size_t n, unsigned int value)
{
	return value < n && names[value] ? names[value] : "unknown";
}

/* Without a default: a kind that is added to the enumeration and not here does not compile. */
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
	static const char *const names[] = {
		[CST_ISA_A32] = "A32", [CST_ISA_T32] = "T32", [CST_ISA_A64] = "A64",
		[CST_ISA_TEE] = "T32EE", [CST_ISA_JAZELLE] = "Jazelle",
		[CST_ISA_CUSTOM] = "custom",
	};

	return NAME(names, value);
}

const char *dump_name_insn(unsigned int value)
{
	static const char *const names[] = {
		[CST_INSN_OTHER] = "other", [CST_INSN_BRANCH] = "branch",
		[CST_INSN_INDIRECT] = "indirect", [CST_INSN_ISB] = "isb",
		[CST_INSN_BARRIER] = "barrier", [CST_INSN_WFX] = "wfx",
		[CST_INSN_TSTART] = "tstart", [CST_INSN_LOAD] = "load",
		[CST_INSN_STORE] = "store",
	};

	return NAME(names, value);
}

const char *dump_name_insn_subtype(unsigned int value)
{
	static const char *const names[] = {
		[CST_INSN_PLAIN] = "", [CST_INSN_LINK] = "link", [CST_INSN_RET] = "return",
		[CST_INSN_ERET] = "exception-return", [CST_INSN_IMPLIED_RET] = "return",
		[CST_INSN_FUTURE] = "branch-future",
	};

	return NAME(names, value);
}

const char *dump_name_security(unsigned int value)
{
	static const char *const names[] = {
		[CST_SEC_SECURE] = "secure", [CST_SEC_NONSECURE] = "non-secure",
		[CST_SEC_ROOT] = "root", [CST_SEC_REALM] = "realm",
	};

	return NAME(names, value);
}

const char *dump_name_trace_on(unsigned int value)
{
	static const char *const names[] = {
		[CST_ON_NORMAL] = "begin", [CST_ON_OVERFLOW] = "overflow",
		[CST_ON_DEBUG] = "debug",
	};

	return NAME(names, value);
}

const char *dump_name_unsync(unsigned int value)
{
	static const char *const names[] = {
		[CST_UNSYNC_INIT] = "start", [CST_UNSYNC_RESET] = "reset",
		[CST_UNSYNC_OVERFLOW] = "overflow", [CST_UNSYNC_DISCARD] = "discard",
		[CST_UNSYNC_BAD_PACKET] = "bad-packet", [CST_UNSYNC_BAD_IMAGE] = "bad-image",
		[CST_UNSYNC_END] = "end",
	};

	return NAME(names, value);
}

const char *dump_name_memtrans(unsigned int value)
{
	static const char *const names[] = {
		[CST_TRANS_INIT] = "inside", [CST_TRANS_START] = "start",
		[CST_TRANS_COMMIT] = "commit", [CST_TRANS_FAIL] = "fail",
	};

	return NAME(names, value);
}

const char *dump_name_itm(unsigned int value)
{
	static const char *const names[] = {
		[CST_ITM_SWIT] = "stimulus", [CST_ITM_DWT] = "hardware",
		[CST_ITM_TS_SYNC] = "local-timestamp", [CST_ITM_TS_DELAY] = "local-timestamp",
		[CST_ITM_TS_PKT_DELAY] = "local-timestamp",
		[CST_ITM_TS_PKT_TS_DELAY] = "local-timestamp",
		[CST_ITM_TS_GLOBAL] = "global-timestamp",
	};

	return NAME(names, value);
}

const char *dump_name_protocol(unsigned int value)
{
	static const char *const names[] = {
		[CST_PROTO_NONE] = "none", [CST_PROTO_ETMV4] = "ETMv4", [CST_PROTO_ETE] = "ETE",
		[CST_PROTO_ETMV4_DATA] = "ETMv4-data", [CST_PROTO_ETMV3] = "ETMv3",
		[CST_PROTO_PTM] = "PTM", [CST_PROTO_STM] = "STM", [CST_PROTO_ITM] = "ITM",
		[CST_PROTO_CUSTOM] = "custom",
	};

	return NAME(names, value);
}

const char *dump_name_role(unsigned int value)
{
	static const char *const names[] = {
		[CST_ROLE_OTHER] = "other", [CST_ROLE_NOT_SYNC] = "not-sync",
		[CST_ROLE_BAD] = "bad", [CST_ROLE_ASYNC] = "async", [CST_ROLE_SYNC] = "sync",
		[CST_ROLE_TIMESTAMP] = "timestamp", [CST_ROLE_CONTEXT] = "context",
		[CST_ROLE_ADDRESS] = "address", [CST_ROLE_ADDRESS_CONTEXT] = "address-context",
		[CST_ROLE_FLOW] = "flow", [CST_ROLE_EXCEPTION] = "exception",
		[CST_ROLE_TRACE_ON] = "trace-on", [CST_ROLE_DISCARD] = "discard",
		[CST_ROLE_LOSS] = "loss", [CST_ROLE_EVENT] = "event", [CST_ROLE_ASIDE] = "aside",
	};

	return NAME(names, value);
}
