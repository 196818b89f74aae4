/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_print.c - packets and elements as text: the forms that recorded traces do not have, any value of
 * any field, and buffers of every size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/config.h>
#include <cstrace/flow.h>
#include <cstrace/isa.h>
#include <cstrace/packet.h>

#include "base/text.h"
#include "protocols/etmv4d/etmv4d.h"

static const struct {
	struct cst_generic g;
	const char *text;
} elements[] = {
	{ { .kind = CST_GEN_UNKNOWN }, "UNKNOWN()" },
	{ { .kind = 99 }, "UNKNOWN()" },
	{ { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_UNKNOWN }, "NO_SYNC( [undefined])" },
	{ { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_RESET }, "NO_SYNC( [reset-decoder])" },
	{ { .kind = CST_GEN_NO_SYNC, .num = CST_UNSYNC_BAD_IMAGE }, "NO_SYNC( [bad-program-image])" },
	{ { .kind = CST_GEN_NO_SYNC, .num = 77 }, "NO_SYNC( [])" },
	{ { .kind = CST_GEN_TRACE_ON, .num = CST_ON_DEBUG }, "TRACE_ON( [debug restart])" },
	{ { .kind = CST_GEN_EO_TRACE, .num = CST_UNSYNC_END }, "EO_TRACE( [end-of-trace])" },
	{ { .kind = CST_GEN_PE_CONTEXT, .isa = CST_ISA_T32, .security = CST_SEC_SECURE },
	  "PE_CONTEXT((ISA=T32) S; 32-bit; )" },
	{ { .kind = CST_GEN_PE_CONTEXT, .isa = CST_ISA_A64, .el = 3, .security = CST_SEC_ROOT,
	    .flags = CST_GF_EL | CST_GF_BITS64 | CST_GF_CID | CST_GF_VMID, .context_id = 0xabc, .vmid = 0x12 },
	  "PE_CONTEXT((ISA=A64) EL3Root; 64-bit; VMID=0x12; CTXTID=0xabc; )" },
	{ { .kind = CST_GEN_PE_CONTEXT, .isa = CST_ISA_UNKNOWN, .el = 2, .security = CST_SEC_REALM,
	    .flags = CST_GF_EL | CST_GF_BITS64 }, "PE_CONTEXT((ISA=Unk) EL2Realm; 64-bit; )" },
	{ { .kind = CST_GEN_RANGE, .addr = 0x8000, .end = 0x8006, .n_insn = 2, .last_size = 2,
	    .isa = CST_ISA_T32, .last_type = CST_INSN_INDIRECT, .last_subtype = CST_INSN_IMPLIED_RET,
	    .flags = CST_GF_EXEC | CST_GF_COND },
	  "INSTR_RANGE(exec range=0x8000:[0x8006] num_i(2) last_sz(2) (ISA=T32) E iBR V7:impl ret <cond>)" },
	{ { .kind = CST_GEN_RANGE, .addr = UINT64_MAX - 3, .end = 0, .n_insn = UINT32_MAX, .last_size = 4,
	    .isa = CST_ISA_A64, .last_type = CST_INSN_BARRIER },
	  "INSTR_RANGE(exec range=0xfffffffffffffffc:[0x0] num_i(4294967295) last_sz(4) (ISA=A64) N DSB.DMB)" },
	{ { .kind = CST_GEN_NOPATH, .addr = 0x100, .end = 0x200, .n_insn = 7 },
	  "I_RANGE_NOPATH(first 0x100:[next 0x200] num_i(7) )" },
	{ { .kind = CST_GEN_NACC, .addr = 0x40, .num = CST_MEM_ROOT },
	  "ADDR_NACC( 0x40; Memspace [0x80:Root] )" },
	{ { .kind = CST_GEN_NACC, .addr = 0x40, .num = 0x19 }, "ADDR_NACC( 0x40; Memspace [0x19:Any S] )" },
	{ { .kind = CST_GEN_NACC, .addr = 0x40, .num = 0x06 }, "ADDR_NACC( 0x40; Memspace [0x6:Any NS] )" },
	{ { .kind = CST_GEN_NACC, .addr = 0x40, .num = 0x60 }, "ADDR_NACC( 0x40; Memspace [0x60:Any R] )" },
	{ { .kind = CST_GEN_NACC, .addr = 0x40, .num = 0 }, "ADDR_NACC( 0x40; Memspace [0x0:None] )" },
	{ { .kind = CST_GEN_NACC, .addr = 0x40, .num = CST_MEM_ANY }, "ADDR_NACC( 0x40; Memspace [0xff:Any] )" },
	{ { .kind = CST_GEN_ADDR_UNKNOWN, .flags = CST_GF_CC, .cc = 9 }, "ADDR_UNKNOWN( [CC=9]; )" },
	{ { .kind = CST_GEN_EXCEPTION, .num = 0xe, .flags = CST_GF_RET_ADDR | CST_GF_BR_TARGET, .end = 0x10 },
	  "EXCEPTION(pref ret addr:0x10 [addr also prev br tgt]; excep num (0x0e) )" },
	{ { .kind = CST_GEN_EXCEPTION, .num = 0x208, .flags = CST_GF_TAIL_CHAIN },
	  "EXCEPTION(excep num (0x208) )" },
	{ { .kind = CST_GEN_EXCEPTION_RET }, "EXCEPTION_RET()" },
	{ { .kind = CST_GEN_TIMESTAMP, .addr = 0x1234567890abcdef },
	  "TIMESTAMP( [ TS=0x1234567890abcdef]; )" },
	{ { .kind = CST_GEN_TIMESTAMP, .addr = 5, .flags = CST_GF_CC },
	  "TIMESTAMP( [ TS=0x000000000005];  [CC=0]; )" },
	{ { .kind = CST_GEN_CYCLE_COUNT, .cc = 3 }, "CYCLE_COUNT( [CC=0]; )" },
	{ { .kind = CST_GEN_CYCLE_COUNT, .cc = 3, .flags = CST_GF_CC }, "CYCLE_COUNT( [CC=3]; )" },
	{ { .kind = CST_GEN_EVENT, .num = 12 }, "EVENT( Numbered:12; )" },
	{ { .kind = CST_GEN_SYNC_MARKER }, "SYNC_MARKER( [Timestamp marker(0x00000000)])" },
	{ { .kind = CST_GEN_MEMTRANS, .num = CST_TRANS_INIT }, "MEMTRANS(Init)" },
	{ { .kind = CST_GEN_MEMTRANS, .num = CST_TRANS_FAIL }, "MEMTRANS(Fail)" },
	{ { .kind = CST_GEN_COND, .num = CST_COND_PASSED }, "COND_INSTR(key:0x0; passed; )" },
	{ { .kind = CST_GEN_DATA, .num = CST_DATA_ADDR, .addr = 0x20 }, "DATA(addr:0x20; )" },
	{ { .kind = CST_GEN_INSTRUMENTATION, .addr = 0xfffff, .el = 1 },
	  "INSTRUMENTATION(EL1; 0x00000000000fffff)" },
};

static const struct {
	struct cst_packet p;
	const char *text;
} packets[] = {
	{ { .type = CST_PKT_TYPES }, "I_UNKNOWN : Unknown Packet Header" },
	{ { .type = CST_PKT_BAD_SEQUENCE, .bad_type = CST_PKT_ASYNC, .nbytes = 2, .bytes = { 0, 7 } },
	  "I_BAD_SEQUENCE : Invalid Sequence in packet.[I_EXTENSION]" },
	{ { .type = CST_PKT_BAD_SEQUENCE, .bad_type = CST_PKT_ASYNC, .nbytes = 3, .bytes = { 0, 0, 7 } },
	  "I_BAD_SEQUENCE : Invalid Sequence in packet.[I_ASYNC]" },
	{ { .type = CST_PKT_INCOMPLETE, .bad_type = CST_PKT_ASYNC, .nbytes = 1 },
	  "I_INCOMPLETE_EOT : Incomplete packet at end of trace.[I_EXTENSION]" },
	{ { .type = CST_PKT_INCOMPLETE, .bad_type = CST_PKT_ADDR_64, .header = 0x9e, .nbytes = 1 },
	  "I_INCOMPLETE_EOT : Incomplete packet at end of trace.[I_ADDR_L_64IS1]" },
	{ { .type = CST_PKT_INCOMPLETE, .bad_type = CST_PKT_ADDR_64, .header = 0x9d, .is = 1, .nbytes = 1 },
	  "I_INCOMPLETE_EOT : Incomplete packet at end of trace.[I_ADDR_L_64IS0]" },
	{ { .type = CST_PKT_BAD_SEQUENCE, .bad_type = 200 },
	  "I_BAD_SEQUENCE : Invalid Sequence in packet.[I_NO_ERR_TYPE]" },
	{ { .type = CST_PKT_EXCEPTION, .exc_type = 0x16, .flags = CST_PF_E0 },
	  "I_EXCEPT : Exception.;  Reserved; Ret Addr Follows;" },
	{ { .type = CST_PKT_EXCEPTION, .exc_type = 0x16, .flags = CST_PF_E0 | CST_PF_M_PROFILE },
	  "I_EXCEPT : Exception.;  IRQ6; Ret Addr Follows;" },
	{ { .type = CST_PKT_EXCEPTION, .exc_type = 0x3ef, .flags = CST_PF_E1 | CST_PF_M_PROFILE | CST_PF_P },
	  "I_EXCEPT : Exception.;  IRQ495; Fault Pending; Ret Addr Follows, Match Prev;" },
	{ { .type = CST_PKT_EXCEPTION, .exc_type = 0x3f0, .flags = CST_PF_M_PROFILE },
	  "I_EXCEPT : Exception.;  Reserved;" },
	{ { .type = CST_PKT_EXCEPTION, .exc_type = 5, .flags = CST_PF_E0 },
	  "I_EXCEPT : Exception.;  Reserved; Ret Addr Follows;" },
	{ { .type = CST_PKT_TRACE_INFO, .protocol = CST_PROTO_ETE, .info = 0x41, .cyct = 0x16,
	    .flags = CST_PF_CYCT | CST_PF_SYNC_POINT },
	  "I_TRACE_INFO : Trace Info.; INFO=0x41 { CC.1, TSTATE.1 }; CC_THRESHOLD=0x16; Decoder Sync point TINFO" },
	{ { .type = CST_PKT_TRACE_INFO, .protocol = CST_PROTO_ETMV4, .info = 0x40, .cyct = 0x16,
	    .flags = CST_PF_CYCT }, "I_TRACE_INFO : Trace Info.; INFO=0x40 { CC.0 }" },
	{ { .type = CST_PKT_CANCEL_F3, .n_atoms = 1, .atoms = 1, .commit = 5 },
	  "I_CANCEL_F3 : Cancel Format 3.; Atom: E, Cancel(5), Mispredict" },
	{ { .type = CST_PKT_MISPREDICT, .n_atoms = 2, .atoms = 3 },
	  "I_MISPREDICT : Mispredict.; Atom: EE, Mispredict" },
	{ { .type = CST_PKT_CCNT_F1, .flags = CST_PF_CC_UNKNOWN | CST_PF_COMMIT, .cc = 7, .commit = 2 },
	  "I_CCNT_F1 : Cycle Count format 1.; Count=0x0; Commit(2)" },
	{ { .type = CST_PKT_Q, .q_type = 15, .addr = 4 }, "I_Q : Q Packet.; Count(Unknown)" },
	{ { .type = CST_PKT_Q, .q_type = 1, .match = 1, .flags = CST_PF_COUNT | CST_PF_ADDR, .count = 5,
	    .addr = 0x10, .addr_bits = 9 }, "I_Q : Q Packet.; Count(5); [1]; Addr=0x0000000000000010 ~[0x10]" },
	{ { .type = CST_PKT_RESERVED_CFG, .bad_type = CST_PKT_COND_I_F2, .header = 0x40 },
	  "I_RESERVED_CFG : Reserved header for current configuration.[I_COND_I_F2]" },
	{ { .type = CST_PKT_RESERVED_CFG, .bad_type = CST_PKT_DATA_SYNC_NUM, .header = 0x20 },
	  "I_RESERVED_CFG : Reserved header for current configuration.[I_NUM_DS_MKR]" },
	{ { .type = CST_PKT_RESERVED_CFG, .bad_type = CST_PKT_Q, .header = 0xa0 },
	  "I_RESERVED : Reserved Packet Header" },
	{ { .type = CST_PKT_ADDR_CTXT_32, .is = 1, .addr = 0x10 },
	  "I_ADDR_CTXT_L_32IS1 : Address & Context, Long, 32 bit, IS1.; Addr=0x0000000000000010; Ctxt: Same" },
	{ { .type = CST_PKT_SRC_32, .is = 1, .addr = 0x10 },
	  "I_SRC_ADDR_L_32IS1 : Source Address, Long, 32 bit, IS1.; Addr=0x0000000000000010; " },
	{ { .type = CST_PKT_SRC_32, .addr = 0x10 },
	  "I_SCR_ADDR_L_32IS0 : Source Address, Long, 32 bit, IS0.; Addr=0x0000000000000010; " },
	{ { .type = CST_PKT_ADDR_CTXT_64, .is = 1, .addr = 0x10, .flags = CST_PF_CONTEXT | CST_PF_VMID | CST_PF_CID,
	    .el = 2, .security = CST_SEC_NONSECURE, .vmid = 0xabcde, .cid = 1 },
	  "I_ADDR_CTXT_L_64IS1 : Address & Context, Long, 64 bit, IS1.; Addr=0x0000000000000010; "
	  "Ctxt: AArch32, EL2, NS; CID=0x00000001; VMID=0xabcde; " },
	{ { .type = CST_PKT_ATOM_F6, .n_atoms = 24, .atoms = 0x7fffff },
	  "I_ATOM_F6 : Atom format 6.; EEEEEEEEEEEEEEEEEEEEEEEN" },
};

typedef size_t print_fn(const void *what, char *out, size_t cap);

static size_t print_packet(const void *what, char *out, size_t cap)
{
	return cst_packet_text(what, out, cap);
}

static size_t print_element(const void *what, char *out, size_t cap)
{
	return cst_generic_text(what, out, cap);
}

/* snprintf's rule at every size: exact allocations let the sanitizer see a byte too many. */
static void check_sizes(print_fn *print, const void *what)
{
	char whole[1024], *part;
	size_t n = print(what, whole, sizeof(whole)), cap;

	assert_in_range(n, 1, 400);
	assert_int_equal(strlen(whole), n);
	assert_int_equal(print(what, NULL, 0), n);
	for (cap = 1; cap <= n + 2; cap++) {
		part = malloc(cap);
		assert_non_null(part);
		assert_int_equal(print(what, part, cap), n);
		assert_int_equal(strlen(part), cap <= n ? cap - 1 : n);
		assert_memory_equal(part, whole, strlen(part));
		free(part);
	}
}

static void test_sizes(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		struct cst_packet p = packets[i].p;

		if (!p.protocol)
			p.protocol = CST_PROTO_ETMV4;
		check_sizes(print_packet, &p);
	}
	for (i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		check_sizes(print_element, &elements[i].g);
}

/* Listings put texts into lines, and JSON between quotes. */
static void check_text(const char *text)
{
	assert_null(strstr(text, "(null)"));
	for (; *text; text++)
		assert_true(*text >= ' ' && *text < 0x7f && *text != '"' && *text != '\\');
}

/* Every type of every protocol has a text; no field, whatever it holds, leads out of a table. */
static void test_any_packet(void **state)
{
	static const unsigned int types[CST_PROTOCOLS] = {
		[CST_PROTO_ETMV4] = 256, [CST_PROTO_ETE] = 256, [CST_PROTO_ETMV3] = CST_ETMV3_PKT_TYPES,
		[CST_PROTO_PTM] = CST_PTM_PKT_TYPES, [CST_PROTO_STM] = CST_STM_PKT_TYPES,
		[CST_PROTO_ITM] = CST_ITM_PKT_TYPES, [CST_PROTO_ETMV4_DATA] = CST_ETMV4D_PKT_TYPES,
	};
	struct cst_packet p;
	char out[512];
	unsigned int protocol, type, fill;

	(void)state;
	for (protocol = CST_PROTO_ETMV4; protocol < CST_PROTOCOLS; protocol++)
		for (type = 0; type < 256; type++)
			for (fill = 0; fill < 256; fill += 15) {
				memset(&p, (int)fill, sizeof(p));
				p.type = (uint8_t)type;
				p.protocol = (uint8_t)protocol;
				assert_true(cst_packet_text(&p, out, sizeof(out)) < sizeof(out));
				check_text(out);
				if (type < types[protocol])
					assert_non_null(strchr(out, ':'));
				if (protocol == CST_PROTO_ETMV4 || protocol == CST_PROTO_ETE)
					assert_memory_equal(out, "I_", 2);
			}
}

static void test_any_element(void **state)
{
	struct cst_generic g;
	char out[512];
	unsigned int type, fill;

	(void)state;
	for (type = 0; type < 256; type++)
		for (fill = 0; fill < 256; fill += 15) {
			memset(&g, (int)fill, sizeof(g));
			g.kind = (uint8_t)type;
			assert_true(cst_generic_text(&g, out, sizeof(out)) < sizeof(out));
			check_text(out);
			assert_int_equal(out[strlen(out) - 1], ')');
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes), cmocka_unit_test(test_any_packet), cmocka_unit_test(test_any_element),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
