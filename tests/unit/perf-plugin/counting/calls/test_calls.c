/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks and calling contexts: calls, jumps, exceptions, threads, calls in time, losses. */
#include "unit/perf-plugin/calls_feed.h"

/* ---- calls and returns --------------------------------------------------------------------------- */

static void calls(void **state)
{
	const struct cst_generic simple[] = { EL_BL(0x1000, 2), EL_BCC(0x2000, 3), EL_B(0x2020, 1), EL_RET(0x2010, 2),
					      EL_BL(0x1008, 1), EL_RET(0x2000, 4), EL_CUT(0x100c, 5) };
	const struct cst_generic recursion[] = { EL_BL(0x1000, 1), EL_BL(0x1000, 1), EL_BL(0x1000, 1), EL_RET(0x2000, 1),
						 EL_RET(0x1004, 1), EL_RET(0x1004, 1), EL_CUT(0x1004, 1) };
	/* frames in between are abandoned */
	const struct cst_generic outer[] = { EL_BL(0x1000, 1), EL_BL(0x2000, 1), EL_BL(0x2100, 1), EL_RET(0x2200, 1), EL_CUT(0x1004, 9) };
	const struct cst_generic other[] = { EL_BL(0x1000, 1), in_library(EL_BL(0x9000, 1)), EL_RET(0x2000, 1), in_library(EL_RET(0x9004, 1)),
					     EL_CUT(0x1004, 1) };
	const struct cst_generic nowhere[] = { EL_BL(0x1000, 1), el_range(NOWHERE, 2, CST_INSN_INDIRECT, CST_INSN_RET, EL_TAKEN),
					       EL_CUT(0x1004, 1) };

	(void)state;
	TREE(simple, "R1000 1/8 {C2000@1004 1/6 C2000@1008 1/4}");
	TREE(recursion, "R1000 1/2 {C1000@1000 1/2 {C1000@1000 1/2 {C2000@1000 1/1}}}");
	TREE(outer, "R1000 1/10 {C2000@1000 1/1 {C2100@2000 1/1 {C2200@2100 1/1}}}");
	TREE(other, "R1000 1/2 {C9000@1000 1/2 {C2000@9000 1/1}}");
	((struct cst_generic *)&nowhere[1])->section = 0;
	TREE(nowhere, "R1000 1/2 {C@1000 1/2}");
}

/* Returns to callers from before the trace. */
static void climbs(void **state)
{
	const struct cst_generic one[] = { EL_BL(0x2010, 1), EL_RET(0x3100, 1), EL_RET(0x2014, 1), EL_BL(0x1024, 2), EL_RET(0x2000, 1),
					   EL_RET(0x102c, 1), EL_CUT(0x4044, 1) };
	const struct cst_generic self[] = { EL_RET(0x2010, 1), EL_RET(0x2020, 1), EL_RET(0x2020, 1), EL_CUT(0x1044, 1) };
	const struct cst_generic tails[] = { EL_B(0x2010, 1), EL_RET(0x3100, 2), EL_CUT(0x1010, 4) };
	const struct cst_generic no_call[] = { EL_RET(0x2010, 1), EL_CUT(NO_CALL + 8, 4) };
	const struct cst_generic open[] = { EL_BL(0x2010, 1), EL_RET(0x3100, 2), EL_BL(0x2014, 1), EL_RET(0x3200, 2), EL_CUT(0x1010, 4) };

	(void)state;
	TREE(one, "R4000 1/1 {C1000@4040 1/3 {C2000@1020 1/2 {C3100@2010 1/1} C2000@1028 1/1}}");
	TREE(self, "R1000 1/1 {C2000@1040 1/1 {C2000@201c 1/1 {C2000@201c 1/1}}}");
	TREE(tails, "R1000 1/4 {C2000@100c 1/1 {T3100@2010 1/2}}");
	TREE(no_call, "R2000 1/1 R8008 1/4");
	assert_int_equal(totals.lost, 1);
	/* a known call is open: the return does not lead to its caller */
	TREE(open, "R1000 1/4 R2000 1/2 {C3100@2010 1/2 C3200@2014 1/2}");
	assert_int_equal(totals.lost, 1);
	{
		const struct batch b = { .tid = 7, .g = one, .n = sizeof(one) / sizeof(one[0]) };
		const struct feed two = { .v = &b, .n = 1, .limits.depth = 2 };

		/* the depth is that below the last caller */
		fed(&two, "R4000 1/1 {C1000@4040 1/3 {c 3/4}}");
	}
}

static void tails(void **state)
{
	const struct cst_generic sibling[] = { EL_BL(0x1000, 1), EL_B(0x2000, 1), EL_BR(0x3100, 2), in_library(EL_RET(0x9000, 3)), EL_CUT(0x1004, 1) };
	const struct cst_generic stub[] = { EL_BL(0x1000, 1), EL_BR(0x7000, 4), in_library(EL_BR(0x9100, 1)), in_library(EL_RET(0x9200, 1)), EL_CUT(0x1004, 1) };
	/* the functions branch to each other again and again */
	const struct cst_generic loop[] = { EL_BL(0x1000, 1), EL_B(0x2000, 1), EL_B(0x3100, 1), EL_B(0x2000, 1), EL_B(0x3100, 1), EL_B(0x2000, 1),
					    EL_RET(0x3100, 1), EL_CUT(0x1004, 1) };
	/* a branch to the begin of the same function is a loop; a part that is elsewhere belongs to its function */
	const struct cst_generic own[] = { EL_BL(0x1000, 1), EL_B(0x2000, 1), EL_BCC(0x2000, 1), EL_B(0x5000, 1), EL_BL(0x5080, 1), EL_RET(0x3100, 1),
					   EL_B(0x5084, 1), EL_RET(0x2050, 1), EL_CUT(0x1004, 1) };
	/* without names the part is a function, which leads back to the middle of the one before */
	const struct cst_generic stripped[] = { EL_BL(0x1000, 1), EL_BCC(0x2000, 1), EL_B(0x4000, 1), EL_BL(0x2040, 1), EL_RET(0x3100, 1), EL_RET(0x2044, 1),
						EL_CUT(0x1004, 1) };
	const struct cst_generic middle[] = { EL_BL(0x1000, 1), EL_B(0x2000, 1), EL_B(0x4010, 1), EL_RET(0x4020, 1), EL_CUT(0x1004, 1) };
	const struct cst_generic unknown[] = { EL_BL(0x1000, 1), EL_B(0x7000, 1), EL_B(0x7800, 1), EL_RET(0x7400, 1), EL_CUT(0x1004, 1) };
	/* behind a call of a larger function, the end of the smaller one counts again */
	const struct cst_generic small[] = { EL_BL(0x1000, 1), EL_BL(0x6f00, 3), EL_RET(0x2000, 1), EL_B(0x6f0c, 1), EL_RET(0x6f40, 1),
					     EL_CUT(0x1004, 1) };

	(void)state;
	TREE(small, "R1000 1/2 {C6f00@1000 1/4 {C2000@6f08 1/1 T6f40@6f0c 1/1}}");
	TREE(sibling, "R1000 1/2 {C2000@1000 1/1 {T3100@2000 1/2 {T9000@3104 1/3}}}");
	TREE(stub, "R1000 1/2 {C7000@1000 1/4 {T9100@700c 1/1 {T9200@9100 1/1}}}");
	TREE(loop, "R1000 1/2 {C2000@1000 1/1 {T3100@2000 3/3 {T2000@3100 2/2}}}");
	TREE(own, "R1000 1/2 {C2000@1000 1/6 {C3100@5080 1/1}}");
	TREE(stripped, "R1000 1/2 {C2000@1000 1/3 {C3100@2040 1/1 T4000@2000 1/1}}");
	TREE(middle, "R1000 1/2 {C2000@1000 1/3}");
	TREE(unknown, "R1000 1/2 {C7000@1000 1/3}");
}

/* Of a chain of tail calls 32 are kept, and those behind them replace each other, also where the chain is interrupted. */
static void many_tails(void **state)
{
	enum { TAILS = 40 };
	struct cst_generic v[TAILS + 10] = { EL_BL(0x1000, 1) };
	char want[1024], *p = want;
	unsigned int i, at, n;

	(void)state;
	p += sprintf(p, "R1000 1/2 {C9000@1000 1/1");
	for (i = 0; i < TAILS; i++)
		p += sprintf(p, "%sT%x@%x 1/1", i < 32 ? " {" : " ", 0x9100 + 0x100 * i, 0x9000 + 0x100 * i);
	for (i = 0; i < 33; i++)
		*p++ = '}';
	*p = 0;
	for (at = 0; at < TAILS; at += 5) {
		for (i = 0, n = 1; i < TAILS; i++) {
			v[n++] = in_library(EL_B(0x9000 + 0x100 * i, 1));
			if (i == at) {
				v[n++] = el_exception(14, 0x9000 + 0x100 * (i + 1));
				v[n++] = OFF;
			}
		}
		v[n++] = in_library(EL_RET(0x9000 + 0x100 * i, 1));
		v[n++] = EL_CUT(0x1004, 1);
		{
			const struct batch batch = { .tid = 7, .g = v, .n = n };
			const struct feed feed = { .v = &batch, .n = 1 };

			fed(&feed, want);
		}
	}
}

/* Siblings are ordered by kind, call site and callee, whatever was executed first. */
static void order(void **state)
{
	const struct cst_generic v[] = { EL_CUT(0x4000, 1), EL_CUT(0x1000, 1), el_exception(14, 0x1004), el_plain(CST_GEN_TRACE_ON),
					 EL_RET(0x3100, 1), EL_CUT(NO_CALL, 2), el_exception(2, NO_CALL + 8), el_plain(CST_GEN_TRACE_ON), EL_BL(0x1004, 2),
					 EL_RET(0x2100, 1), EL_B(0x100c, 1), EL_BL(0x1008, 1), EL_RET(0x2000, 1), EL_B(0x100c, 1), EL_BL(0x1000, 1),
					 EL_RET(0x3200, 1), EL_CUT(0x1004, 1) };

	(void)state;
	TREE(v, "R1000 1/8 {C3200@1000 1/1 C2000@1008 1/1 C2100@1008 1/1 S3100@1004 1/3} R4000 1/1");
	assert_int_equal(totals.calls, 3);
	assert_int_equal(totals.insns, 15);
	assert_int_equal(totals.roots, 2);
}

/* All of the program's code is at the begins of pages, and the library is in no file. */
static calls_place page_of(void *data, calls_place p)
{
	(void)data;
	return p >> 32 ? CALLS_NO_PLACE : p & ~(calls_place)0xfff;
}

/* Nodes whose final places are the same are one. */
static void final_places(void **state)
{
	const struct cst_generic v[] = { EL_BL(0x1000, 1), EL_RET(0x2000, 1), EL_BL(0x1004, 1), EL_RET(0x2100, 2), EL_BL(0x1008, 1),
					 in_library(EL_RET(0x9000, 3)), EL_BL(0x100c, 1), EL_RET(0x3100, 4), EL_CUT(0x1010, 5) };
	const struct batch b = { .tid = 7, .g = v, .n = sizeof(v) / sizeof(v[0]) };
	const struct feed feed = { .v = &b, .n = 1, .place = page_of };

	(void)state;
	fed(&feed, "R1000 1/9 {C2000@1000 2/3 C3000@1000 1/4 C@1000 1/3}");
	assert_int_equal(totals.calls, 4);
	assert_int_equal(totals.insns, 19);
}

/* Sections of any number, and code of no file: it is not known to be left for another function. */
static void sections(void **state)
{
	struct cst_generic v[] = { EL_BL(0x1000, 1), EL_BL(0x2000, 1), EL_BL(0x2100, 1), EL_RET(0x2200, 1), EL_RET(0x2104, 1), EL_RET(0x2004, 1),
				   EL_CUT(0x1004, 1) };
	struct cst_generic none[] = { EL_BL(0x1000, 1), EL_B(NOWHERE, 1), EL_B(0x7000, 1), EL_RET(0x9000, 1), EL_CUT(0x1004, 1) };
	unsigned int i;

	(void)state;
	for (i = 1; i < 6; i++)
		v[i].section = i & 1 ? 65 : 161;
	v[3].section = 1000;
	TREE(v, "R1000 1/2 {C2000@1000 1/2 {C2100@2000 1/2 {C2200@2100 1/1}}}");
	none[1].section = 3;
	none[3].section = 2;
	TREE(none, "R1000 1/2 {C@1000 1/2 {T9000@7000 1/1}}");
}

/* ---- longjmp and C++ exceptions ------------------------------------------------------------------ */

static void jumps(void **state)
{
	/* 0x1000 calls setjmp(), then two levels; the second one jumps back */
	const struct cst_generic set[] = { EL_BL(0x1000, 1), EL_RET(SETJMP, 1), EL_BL(0x1004, 1), EL_BL(0x2000, 1), EL_BR(0x4000, 1), EL_BL(0x1004, 1),
					   EL_RET(0x2000, 1), EL_CUT(0x1008, 1) };
	/* each level of the recursion calls setjmp(): the innermost one is meant */
	const struct cst_generic levels[] = { EL_BL(0x1000, 1), EL_RET(SETJMP, 1), EL_BL(0x1004, 1), EL_BL(0x1000, 1), EL_RET(SETJMP, 1), EL_BL(0x1004, 1),
					      EL_BR(0x4000, 1), EL_RET(0x1004, 3), EL_CUT(0x1008, 5) };
	/* only the outer level has called it, through a stub */
	const struct cst_generic once[] = { EL_BL(0x1000, 1), EL_B(0x7000, 1), EL_RET(SETJMP, 1), EL_BL(0x1004, 1), EL_BL(0x1010, 1), EL_BL(0x1020, 1),
					    EL_BR(0x4000, 1), EL_CUT(0x1004, 5) };
	/* the thread is elsewhere between the call of setjmp() and its begin */
	const struct cst_generic lazy[] = { EL_BL(0x1000, 1), EL_CUT(0x7000, 1), IRQ(0x7004), EL_B(0x7004, 1), EL_RET(SETJMP, 1), EL_BL(0x1004, 1),
					    EL_BL(0x1010, 1), EL_BL(0x1020, 1), EL_BR(0x4000, 1), EL_CUT(0x1004, 5) };
	/* without setjmp(): the innermost frame of the function */
	const struct cst_generic into[] = { EL_BL(0x1020, 1), EL_BL(0x2020, 1), EL_BR(0x4000, 1), EL_CUT(0x1060, 5) };
	const struct cst_generic nobody[] = { EL_BL(0x1020, 1), EL_BL(0x2020, 1), EL_BR(0x4000, 1), EL_RET(0x4150, 5), EL_CUT(0x2024, 1) };

	(void)state;
	TREE(set, "R1000 1/4 {C3000@1000 1/1 C2000@1004 2/2 {C4000@2000 1/1}}");
	TREE(levels, "R1000 1/7 {C3000@1000 1/1 C1000@1004 1/5 {C3000@1000 1/1 C4000@1004 1/1}}");
	TREE(once, "R1000 1/7 {C7000@1000 1/1 {T3000@7000 1/1} C1010@1004 1/1 {C1020@1010 1/1 {C4000@1020 1/1}}}");
	TREE(lazy, "R1000 1/7 {C7000@1000 1/2 {T3000@7004 1/1} C1010@1004 1/1 {C1020@1010 1/1 {C4000@1020 1/1}}}");
	TREE(into, "R1000 1/6 {C2020@1020 1/1 {C4000@2020 1/1}}");
	TREE(nobody, "R1000 1/1 {C2020@1020 1/2 {C4000@2020 1/6}}");
}

static void pads(void **state)
{
	/* the second of three levels has a landing pad; the innermost one is of the same function */
	const struct cst_generic recursion[] = { EL_BL(0x1000, 5), EL_BL(0x1000, 2), EL_BL(0x1000, 9), EL_BR(0x4000, 1), EL_CUT(0x1080, 3) };
	/* the unwinder returns to the landing pad */
	const struct cst_generic by_return[] = { EL_BL(0x1000, 5), EL_BL(0x2000, 1), EL_RET(0x4000, 1), EL_CUT(0x1080, 3) };

	(void)state;
	TREE(recursion, "R1000 1/8 {C1000@1010 1/2 {C1000@1004 1/9 {C4000@1020 1/1}}}");
	TREE(by_return, "R1000 1/8 {C2000@1010 1/1 {C4000@2000 1/1}}");
}

/* ---- exceptions ---------------------------------------------------------------------------------- */

static void interrupts(void **state)
{
	const struct cst_generic back[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004), EL_CUT(0x2004, 1), SVC(0x2008), EL_RET(0x2008, 1),
					    EL_CUT(0x1004, 1) };
	/* between a branch and its target */
	const struct cst_generic target[] = { EL_BL(0x1000, 1), IRQ(0x2000), EL_RET(0x2000, 1), IRQ(0x1004), EL_B(0x1004, 1), IRQ(0x1040),
					      EL_CUT(0x1040, 1) };
	const struct cst_generic handled[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004), EL_BL(0x3100, 1), EL_RET(0x3200, 1), EL_RET(0x3104, 1),
					       EL_CUT(NO_CALL, 2), SVC(NO_CALL + 8), EL_RET(0x2004, 1), EL_CUT(0x1004, 1) };
	/* the second handler begins when the first one ends */
	const struct cst_generic pending[] = { EL_CUT(0x1000, 1), SVC(0x1004), EL_RET(0x3100, 1), EL_CUT(NO_CALL, 2), SVC(NO_CALL + 8), EL_RET(0x3200, 1),
					       EL_CUT(NO_CALL, 2), SVC(NO_CALL + 8), EL_CUT(0x1004, 1) };
	/* a signal in a handler */
	const struct cst_generic nested[] = { EL_CUT(0x1000, 1), IRQ(0x1004), EL_CUT(0x3100, 1), IRQ(0x3104), EL_RET(0x3200, 1), EL_CUT(NO_CALL, 2), SVC(NO_CALL + 8),
					      EL_RET(0x3104, 1), EL_CUT(NO_CALL, 2), SVC(NO_CALL + 8), EL_CUT(0x1004, 1) };
	/* the handler jumps to where setjmp() returned */
	const struct cst_generic jump[] = { EL_BL(0x1000, 1), EL_RET(SETJMP, 1), EL_BL(0x1004, 1), EL_CUT(0x2000, 1), IRQ(0x2004), EL_BL(0x3100, 1), EL_BR(0x4000, 1),
					    EL_CUT(0x1004, 1) };
	/* the handler changes where execution continues: behind the instruction, and in the caller */
	const struct cst_generic skip[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), el_exception(11, 0x2004), OFF, EL_RET(0x3100, 1), EL_CUT(NO_CALL, 2),
					    SVC(NO_CALL + 8), EL_CUT(0x2008, 1), el_exception(11, 0x200c), OFF, EL_RET(0x3100, 1), EL_CUT(NO_CALL, 2),
					    SVC(NO_CALL + 8), EL_CUT(0x1040, 1) };
	/* what the handler returns to has no image */
	const struct cst_generic nacc = { .kind = CST_GEN_NACC, .addr = NOWHERE };
	const struct cst_generic vdso[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004), EL_RET(0x3100, 1), nacc, SVC(NOWHERE + 8),
					    EL_RET(0x2004, 1), EL_CUT(0x1004, 1) };
	/* what began without an exception is no handler: it returns to a caller */
	const struct cst_generic called[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004), EL_RET(0x3100, 1), EL_CUT(0x4014, 1) };
	const struct cst_generic start[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), SVC(0x2004), EL_CUT(START, 1) };
	const struct cst_generic restart[] = { EL_CUT(0x1000, 1), IRQ(0x1004), EL_CUT(0x1080, 1) };

	(void)state;
	TREE(back, "R1000 1/2 {C2000@1000 1/3}");
	TREE(target, "R1000 1/3 {C2000@1000 1/1}");
	TREE(handled, "R1000 1/2 {C2000@1000 1/2 {S3100@2004 1/4 {C3200@3100 1/1}}}");
	TREE(pending, "R1000 1/2 {S3100@1000 1/3 S3200@1000 1/3}");
	TREE(nested, "R1000 1/2 {S3100@1004 1/4 {S3200@3104 1/3}}");
	TREE(jump, "R1000 1/3 {C3000@1000 1/1 C2000@1004 1/1 {S3100@2004 1/1 {C4000@3100 1/1}}}");
	TREE(skip, "R1000 1/2 {C2000@1000 1/2 {S3100@2004 1/3 S3100@200c 1/3}}");
	TREE(vdso, "R1000 1/2 {C2000@1000 1/2 {S3100@2004 1/1}}");
	TREE(called, "R1000 1/1 {C2000@1000 1/1 {S3100@2004 1/1}} R4000 1/1");
	TREE(start, "R1000 1/1 {C2000@1000 1/1} R4f00 1/1");
	TREE(restart, "R1000 1/2");
}

/* A signal is taken behind an SVC, which was executed; what any other exception interrupted was not. */
static void system_calls(void **state)
{
	static const struct {
		unsigned int protocol, number;
		uint64_t ret;
		const char *site;
	} row[] = {
		{ CST_PROTO_ETMV4, 2, 0x1004, "1000" }, { CST_PROTO_ETMV4, 10, 0x1004, "1004" }, { CST_PROTO_ETE, 2, 0x1004, "1000" },
		{ CST_PROTO_ETMV3, 10, 0x1004, "1000" }, { CST_PROTO_ETMV3, 2, 0x1004, "1004" },
		{ CST_PROTO_PTM, 10, 0x1004, "1000" }, { CST_PROTO_PTM, 2, 0x1004, "1004" }, { CST_PROTO_ETMV4, 2, 0x1008, "1008" },
	};
	struct cst_generic v[] = { EL_CUT(0x1000, 1), SVC(0), EL_CUT(0x3100, 1) };
	const struct batch b = { .tid = 7, .g = v, .n = 4 };
	char want[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct feed feed = { .v = &b, .n = 1, .protocol = row[i].protocol };

		v[1] = el_exception(row[i].number, row[i].ret);
		sprintf(want, "R1000 1/1 {S3100@%s 1/1}", row[i].site);
		fed(&feed, want);
	}
}

/* The handlers of exceptions are traced. */
static void kernel(void **state)
{
	const struct cst_generic simple[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(14, 0x1004), at_el(1, EL_BL(0x6000, 1)), at_el(1, EL_RET(0x6100, 1)),
					      el_eret(0x6004, 1), at_el(0, EL_CUT(0x1004, 1)) };
	const struct cst_generic nested[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(2, 0x1004), at_el(1, EL_CUT(0x6000, 1)), el_exception(14, 0x6004),
					      at_el(1, EL_B(0x6200, 1)), el_eret(0x6300, 1), el_eret(0x6004, 1), at_el(0, EL_CUT(0x1004, 1)) };
	/* the handler is interrupted before its first instruction */
	const struct cst_generic at_once[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(2, 0x1004), el_exception(14, 0x6000), el_eret(0x6200, 1),
					       el_eret(0x6000, 1), at_el(0, EL_CUT(0x1004, 1)) };
	/* a second exception at the same place, and one without a return address: the handler is that of the first one */
	const struct cst_generic twice[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(2, 0x1004), el_exception(14, 0x1004), at_el(1, EL_CUT(0x6000, 1)),
					     el_eret(0x6004, 1), at_el(0, EL_CUT(0x1004, 1)) };
	struct cst_generic no_address[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(2, 0x1004), el_exception(14, 0x6000), at_el(1, EL_CUT(0x6000, 1)),
					    el_eret(0x6004, 1), at_el(0, EL_CUT(0x1004, 1)) };
	/* the kernel starts a signal handler, and ends it */
	const struct cst_generic signal[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(14, 0x1004), el_eret(0x6000, 1), at_el(0, EL_RET(0x3100, 1)),
					      at_el(0, EL_CUT(NO_CALL, 2)), el_exception(2, NO_CALL + 8), el_eret(0x6000, 1), at_el(0, EL_CUT(0x1004, 1)) };
	const struct cst_generic user[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(14, 0x1004), at_el(0, EL_CUT(0x1004, 1)), el_exception(14, 0x1008),
					    at_el(0, EL_RET(0x3100, 1)), at_el(0, EL_CUT(NO_CALL, 2)), el_exception(2, NO_CALL + 8), at_el(0, EL_CUT(0x1008, 1)) };
	const struct cst_generic begun[] = { at_el(1, EL_CUT(0x6000, 1)), el_eret(0x6004, 1), at_el(0, EL_CUT(0x1004, 1)) };
	/* the begin of the handler is not traced; the kernel continues elsewhere; and the user, at the begin of the same function */
	const struct cst_generic late[] = { at_el(0, EL_CUT(0x1000, 1)), IRQ(0x1004), at_el(1, EL_CUT(0x6010, 1)), el_eret(0x6014, 1),
					    at_el(0, EL_CUT(0x1004, 1)) };
	const struct cst_generic elsewhere[] = { at_el(1, EL_CUT(0x6000, 1)), IRQ(0x6004), at_el(1, EL_CUT(0x6310, 1)) };
	const struct cst_generic again[] = { at_el(0, EL_CUT(0x1000, 1)), IRQ(0x1004), at_el(0, EL_CUT(0x1000, 1)) };
	/* where the handler returns to is not known before it does */
	struct cst_generic unknown[] = { at_el(0, EL_BL(0x1000, 1)), el_exception(14, 0), at_el(1, EL_CUT(0x6000, 1)), el_eret(0x6004, 1),
					 at_el(0, EL_CUT(0x1010, 1)) };

	(void)state;
	TREE(late, "R1000 1/2 {E6010@1004 1/2}");
	TREE(elsewhere, "R6000 1/1 R6300 1/1");
	assert_int_equal(totals.lost, 1);
	TREE(again, "R1000 1/1 {S1000@1004 1/1}");
	unknown[1].flags &= (uint16_t)~CST_GF_RET_ADDR;
	TREE(unknown, "R1000 1/2 {E6000@1000 1/2}");
	TREE(simple, "R1000 1/2 {E6000@1004 1/2 {C6100@6000 1/1}}");
	TREE(nested, "R1000 1/2 {E6000@1000 1/2 {E6200@6004 1/1 {T6300@6200 1/1}}}");
	TREE(at_once, "R1000 1/2 {E6000@1000 1/1 {E6200@6000 1/1}}");
	TREE(twice, "R1000 1/2 {E6000@1000 1/2}");
	no_address[2].flags &= (uint16_t)~CST_GF_RET_ADDR;
	TREE(no_address, "R1000 1/2 {E6000@1000 1/2}");
	TREE(signal, "R1000 1/2 {E6000@1004 1/1 S3100@1004 1/3 {E6000@8004 1/1}}");
	/* what the kernel interrupted is not known */
	TREE(begun, "R1000 1/1 R6000 1/2");
	/* the kernel is traced in part: execution continues at EL0 where it was, in a handler of a signal, and where it was again */
	TREE(user, "R1000 1/3 {S3100@1008 1/3}");
}

/* ---- threads ------------------------------------------------------------------------------------- */

static void threads(void **state)
{
	const struct cst_generic a[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004) }, b[] = { EL_BL(0x1000, 2), EL_CUT(0x2000, 5), IRQ(0x2014) };
	const struct cst_generic a2[] = { EL_RET(0x2004, 1), EL_CUT(0x1004, 1), IRQ(0x1008) }, b2[] = { EL_RET(0x2014, 1), EL_CUT(0x1008, 1) };
	const struct cst_generic a3[] = { EL_CUT(0x4100, 1) };
	const struct batch v[] = { { .tid = 7, N(a) }, { .tid = 8, N(b) }, { .tid = 7, N(a2) }, { .tid = 8, N(b2) }, { .tid = 7, N(a3) } };
	const struct batch unwanted[] = { { .tid = 7, N(a) }, { .tid = 8, .unwanted = true, N(b) }, { .tid = 7, N(a2) } };
	const struct batch window[] = { { .tid = 7, N(a) }, { .tid = 7, .unwanted = true, N(a2) }, { .tid = 7, N(a2) } };
	/* it executed code of no file */
	const struct cst_generic nacc[] = { { .kind = CST_GEN_NACC, .addr = NOWHERE } };
	const struct batch missing[] = { { .tid = 7, N(a) }, { .tid = 7, .unwanted = true, N(nacc) }, { .tid = 7, N(a2) } };
	const struct batch other[] = { { .tid = 7, N(a) }, { .tid = 8, .unwanted = true, N(nacc) }, { .tid = 7, N(a2) } };
	/* another thread did, without an exception before it: the first thread may have executed such code, too */
	const struct batch no_exception[] = { { .tid = 7, .g = a, .n = 2 }, { .tid = 8, N(nacc) }, { .tid = 7, N(a2) } };
	const struct batch after_irq[] = { { .tid = 7, N(a) }, { .tid = 8, N(nacc) }, { .tid = 7, N(a2) } };
	const struct feed doubtful = { .v = no_exception, .n = 3 }, switched = { .v = after_irq, .n = 3 };
	const struct feed hidden = { .v = missing, .n = 3 }, elsewhere = { .v = other, .n = 3 };
	const struct batch idle[] = { { .tid = 0, N(a) }, { .tid = -1, N(a2) } };
	const struct feed all = { .v = v, .n = 5 }, part = { .v = unwanted, .n = 3 }, cut = { .v = window, .n = 3 }, none = { .v = idle, .n = 2 };
	const struct feed exec = { .v = (struct batch[]){ { .tid = 7, N(a) }, { .tid = 7, N(a3) } }, .n = 2, .replaced = true };

	(void)state;
	fed(&all, "R1000 2/5 {C2000@1000 1/2 C2000@1004 1/6 S4100@1008 1/1}");
	fed(&part, "R1000 1/2 {C2000@1000 1/2}");
	/* the thread executed what the filter excludes */
	fed(&cut, "R1000 2/2 {C2000@1000 2/2}");
	fed(&hidden, "R1000 2/2 {C2000@1000 2/2}");
	assert_int_equal(totals.lost, 1);
	fed(&elsewhere, "R1000 1/2 {C2000@1000 1/2}");
	assert_int_equal(totals.lost, 0);
	fed(&doubtful, "R1000 2/2 {C2000@1000 2/2}");
	assert_int_equal(totals.lost, 1);
	fed(&switched, "R1000 1/2 {C2000@1000 1/2}");
	assert_int_equal(totals.lost, 0);
	fed(&none, "R1000 2/2 {C2000@1000 2/2}");
	/* another program runs from then on */
	fed(&exec, "R1000 1/1 {C2000@1000 1/1} R4100 1/1");
}

/* ---- calls in time ------------------------------------------------------------------------------- */

static void slices(void **state)
{
	static const struct calls_slice_opts all = { .by_insns = true }, third = { .depth = 3, .min = 3, .by_insns = true };
	static const struct calls_slice_opts one = { .max = 1, .by_insns = true };
	const struct cst_generic simple[] = { EL_BL(0x1000, 1), EL_BL(0x2000, 2), IRQ(0x2100), EL_RET(0x2100, 3), EL_RET(0x2008, 4), EL_BL(0x1004, 5),
					      EL_RET(0x2000, 6), EL_CUT(0x1018, 7) };
	/* functions that branch to each other again and again are frames of one chain, also if the thread is elsewhere in between */
	const struct cst_generic loop[] = { EL_BL(0x1000, 1), EL_B(0x2000, 2), EL_B(0x3100, 2), EL_CUT(0x2000, 1), IRQ(0x2004), EL_B(0x2004, 1),
					    EL_B(0x3100, 2), EL_B(0x2000, 2), EL_B(0x3100, 2), EL_BL(0x2000, 1), EL_RET(0x4000, 3), EL_RET(0x2004, 1),
					    EL_CUT(0x1004, 1) };
	/* a return leaves several frames */
	const struct cst_generic deep[] = { EL_BL(0x1000, 1), EL_BL(0x2000, 1), EL_RET(0x2100, 1), EL_BL(0x2004, 2), EL_RET(0x2200, 2), EL_BL(0x200c, 3),
					    EL_BL(0x2300, 3), EL_BL(0x2400, 4), EL_RET(0x2500, 5), EL_BL(0x1004, 1), EL_RET(0x2000, 1), EL_CUT(0x1008, 30) };

	(void)state;
	SLICES(simple, &all, "0R1000 0-28, 1C2000 1-10, 2C2100 3-6, 1C2000 15-21, 0 left out");
	SLICES(loop, &all, "0R1000 0-19, 1C2000 1-18, 2T3100 3-18, 3T2000 5-7, 3T2000 9-11, 3T2000 13-18, 4C4000 14-17, 0 left out");
	SLICES(deep, &all, "0R1000 0-54, 1C2000 1-22, 2C2100 2-3, 2C2200 5-7, 2C2300 10-22, 3C2400 13-22, 4C2500 17-22, 1C2000 23-24, 0 left out");
	SLICES(deep, &third, "0R1000 0-54, 1C2000 1-22, 2C2300 10-22, 5 left out");
	/* no more than twice as many are held on the way */
	LONGEST(deep, &one, 1, "0R1000 0-54, 7 left out");
	LONGEST(deep, &all, 1, "0R1000 0-54, 7 left out");
	LONGEST(deep, &all, 3, "0R1000 0-54, 1C2000 1-22, 2C2300 10-22, 5 left out");
	LONGEST(deep, &all, 5, "0R1000 0-54, 1C2000 1-22, 2C2300 10-22, 3C2400 13-22, 4C2500 17-22, 3 left out");
	LONGEST(deep, &all, 7, "0R1000 0-54, 1C2000 1-22, 2C2100 2-3, 2C2200 5-7, 2C2300 10-22, 3C2400 13-22, 4C2500 17-22, 1 left out");
	LONGEST(deep, &all, 8, "0R1000 0-54, 1C2000 1-22, 2C2100 2-3, 2C2200 5-7, 2C2300 10-22, 3C2400 13-22, 4C2500 17-22, 1C2000 23-24, 0 left out");
}

/* A function that is cut by a loss, calls of two threads, a caller from before the trace: when they began and ended. */
static void slice_fields(void **state)
{
	static const struct calls_slice_opts all = { .max = 0 };
	const struct cst_generic a[] = { EL_BL(0x1010, 1) }, b[] = { el_cycles(5), EL_RET(0x2000, 2) }, c[] = { EL_RET(0x1014, 1) };
	const struct cst_generic d[] = { el_cycles(7), EL_BL(0x4014, 1) }, e[] = { EL_CUT(0x3100, 4) }, f[] = { overflow(OFF) }, g[] = { EL_CUT(0x1000, 1) };
	const struct cst_generic h[] = { EL_BL(0x1004, 1) }, k[] = { EL_CUT(0x2000, 3) };
	/* a path that is not known is executed in the callee */
	const struct cst_generic q[] = { EL_BL(0x1000, 1), { .kind = CST_GEN_NOPATH, .addr = 0x2000, .end = 0x2040, .n_insn = 9, .section = 1, .sect_off = 0x2000 } };
	const struct batch v[] = {
		{ .tid = 7, .time = 100, .end = 110, N(a) }, { .tid = 7, .time = 120, .end = 130, N(b) }, { .tid = 7, .time = 140, .end = 150, N(c) },
		{ .tid = 7, .time = 160, .end = 170, N(d) }, { .tid = 7, .time = 180, .end = 190, N(e) }, { .tid = 7, .time = 200, .end = 200, N(f) },
		{ .tid = 7, .time = 210, .end = 220, N(g) }, { .tid = 7, .time = 230, .end = 240, N(h) }, { .tid = 7, .time = 250, .end = 260, N(k) },
		{ .tid = 6, .time = 270, .end = 280, N(g) }, { .tid = 9, .time = 300, .end = 310, N(q) },
	};
	const struct feed feed = { .v = v, .n = sizeof(v) / sizeof(v[0]), .slices = &all, .all_of_slices = true };
	char out[2048];
	unsigned int streams;

	(void)state;
	for (streams = 1; streams <= 2; streams++) {
		assert_int_equal(make(&feed, false, streams, out, sizeof(out)), 0);
		assert_string_equal(out, "6.1 0R1000 0-1 time 270-300 cycles 0-0 flags 5, "
				    "7.1 -1R4000 0-9 time 100-210 cycles 0-12 flags 3, 7.1 0C1000@4010 0-4 time 100-160 cycles 0-12 flags 1, "
				    "7.1 1C2000@1010 1-3 time 120-140 cycles 5-5 flags 0, 7.1 0C3100@4014 5-9 time 180-210 cycles 12-12 flags 2, "
				    "7.2 0R1000 9-14 time 210-270 cycles 12-12 flags 5, 7.2 1C2000@1004 11-14 time 250-270 cycles 12-12 flags 4, "
				    "9.1 0R1000 0-10 time 300-310 cycles 0-0 flags 5, 9.1 1C2000@1000 1-10 time 310-310 cycles 0-0 flags 4, 0 left out");
	}
}

/* ---- losses -------------------------------------------------------------------------------------- */

static struct cst_generic error(struct cst_generic g)
{
	g.error = 1;
	return g;
}

#define KNOWN	"R1000 1/2 {C2000@1000 1/1}"

/* Between the return from 0x2000 and the next range at 0x1004, or behind a range that ends at 0x2004. */
static void losses(void **state)
{
	const struct cst_generic begin[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1) };
	const struct {
		struct cst_generic g[3];
		bool lost;
	} gaps[] = {
		{ { OFF }, false },
		{ { el_plain(CST_GEN_EO_TRACE), el_no_sync(CST_UNSYNC_INIT, 0), OFF }, false },
		{ { el_plain(CST_GEN_EO_TRACE), el_no_sync(CST_UNSYNC_RESET, 0), OFF }, false },
		{ { el_plain(CST_GEN_EO_TRACE), el_no_sync(CST_UNSYNC_END, 0), OFF }, false },
		{ { IRQ(0x2004), el_plain(CST_GEN_EO_TRACE) }, false },
		{ { overflow(OFF) }, true },
		{ { el_doubtful(OFF) }, true },
		{ { el_no_sync(CST_UNSYNC_OVERFLOW, 0) }, true },
		{ { el_no_sync(CST_UNSYNC_BAD_PACKET, 0), OFF }, true },
		{ { error(el_no_sync(CST_UNSYNC_RESET, 0)) }, true },
		{ { el_plain(CST_GEN_ADDR_UNKNOWN) }, true },
		{ { IRQ(0x2004), overflow(OFF) }, true },
	};
	struct cst_generic v[6];
	struct batch b = { .tid = 7, .g = v, .n = 6 };
	const struct feed feed = { .v = &b, .n = 1 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		memcpy(v, begin, sizeof(begin));
		memcpy(v + 2, gaps[i].g, sizeof(gaps[i].g));
		/* an element of kind 0 changes nothing */
		v[5] = EL_CUT(0x2004, 1);
		fed(&feed, gaps[i].lost ? "R1000 1/1 {C2000@1000 1/1} R2000 1/1" : "R1000 1/1 {C2000@1000 1/2}");
		assert_int_equal(totals.lost, gaps[i].lost);
	}
}

/* Behind an interrupt, the thread continues at another place: where it was interrupted again, in a handler, or anywhere. */
static void fragments(void **state)
{
	const struct cst_generic begin[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), el_exception(14, 0x2004) }, entry[] = { EL_CUT(0x3100, 1) };
	const struct cst_generic middle[] = { EL_CUT(0x3110, 1) }, same[] = { EL_CUT(0x2004, 1) };
	const struct cst_generic off[] = { OFF }, end[] = { el_plain(CST_GEN_EO_TRACE) }, reset[] = { el_no_sync(CST_UNSYNC_RESET, 0), OFF };
	const struct {
		const struct cst_generic *gap, *next;
		size_t n;
		bool fragment;
		const char *want;
	} row[] = {
		{ off, same, 1, false, "R1000 1/1 {C2000@1000 1/2}" }, { off, same, 1, true, "R1000 1/1 {C2000@1000 1/2}" },
		{ off, entry, 1, false, "R1000 1/1 {C2000@1000 1/1 {S3100@2004 1/1}}" },
		{ off, entry, 1, true, "R1000 1/1 {C2000@1000 1/1 {S3100@2004 1/1}}" },
		{ off, middle, 1, false, "R1000 1/1 {C2000@1000 1/1 {S3110@2004 1/1}}" },
		{ off, middle, 1, true, "R1000 1/1 {C2000@1000 1/1} R3100 1/1" },
		{ end, middle, 1, false, "R1000 1/1 {C2000@1000 1/1} R3100 1/1" },
		{ reset, middle, 2, false, "R1000 1/1 {C2000@1000 1/1} R3100 1/1" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct batch v[] = { { .tid = 7, .fragment = true, N(begin) }, { .tid = 7, .g = row[i].gap, .n = row[i].n },
					   { .tid = 7, .fragment = row[i].fragment, .g = row[i].next, .n = 1 } };
		const struct feed feed = { .v = v, .n = 3 };

		fed(&feed, row[i].want);
		assert_int_equal(totals.lost, strstr(row[i].want, "R3100") != NULL);
	}
}

static void gaps(void **state)
{
	/* execution continues elsewhere without reason */
	const struct cst_generic leap[] = { EL_CUT(0x1000, 1), EL_CUT(0x1010, 1) };
	const struct cst_generic off[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), OFF, EL_CUT(0x2010, 1) };
	/* the opcode gives the target of the last branch */
	const struct cst_generic next[] = { EL_BL(0x1000, 1), el_next(CST_GEN_TRACE_ON, 0x2000), EL_RET(0x2000, 1), el_next(CST_GEN_TRACE_ON, 0x1004), EL_CUT(0x1004, 1) };
	const struct cst_generic unknown[] = { EL_BL(0x1000, 1), OFF, EL_CUT(0x2000, 1) };
	/* a function without an image, which returns, and one that calls back */
	const struct cst_generic nacc = { .kind = CST_GEN_NACC, .addr = 0x9100 };
	const struct cst_generic inside = { .kind = CST_GEN_NACC, .addr = 0x9110 };
	const struct cst_generic missing[] = { EL_BL(0x1000, 1), nacc, nacc, EL_CUT(0x1004, 1) };
	const struct cst_generic tail[] = { EL_BL(0x1000, 1), EL_B(0x2000, 1), nacc, EL_CUT(0x1004, 1) };
	const struct cst_generic callback[] = { EL_BL(0x1000, 1), nacc, EL_RET(0x2000, 1), inside, EL_CUT(0x1004, 1) };
	const struct cst_generic kernel_missing[] = { EL_CUT(0x1000, 1), el_exception(14, 0x1004), nacc, EL_CUT(0x1004, 1) };
	/* a Q element: the path is not known */
	const struct cst_generic q[] = { EL_BL(0x1000, 1), { .kind = CST_GEN_NOPATH, .addr = 0x2000, .end = 0x2040, .n_insn = 9, .section = 1, .sect_off = 0x2000 },
					 EL_CUT(0x2040, 1) };
	/* the trace begins with one */
	const struct cst_generic q_first[] = { { .kind = CST_GEN_NOPATH, .addr = 0x2000, .end = 0x2040, .n_insn = 9, .section = 1, .sect_off = 0x2000 },
					       EL_BL(0x2040, 1), EL_RET(0x3100, 4), EL_CUT(0x2044, 1) };

	(void)state;
	TREE(q_first, "R2000 2/11 {C3100@2040 1/4}");
	assert_int_equal(totals.insns, 15);
	TREE(leap, "R1000 2/2");
	TREE(off, "R1000 1/1 {C2000@1000 1/1} R2000 1/1");
	TREE(next, KNOWN);
	TREE(unknown, "R1000 1/1 R2000 1/1");
	TREE(missing, "R1000 1/2 {C9100@1000 1/0}");
	TREE(tail, "R1000 1/2 {C2000@1000 1/1 {T9100@2000 1/0}}");
	TREE(callback, "R1000 2/2 {C9100@1000 1/0} R9100 1/0 {C2000@910c 1/1}");
	TREE(kernel_missing, "R1000 1/2");
	TREE(q, "R1000 1/1 {C2000@1000 1/9} R2000 1/1");
}

/*
 * What a cut behind a short lead finds of a function is not always what one thread has of it
 * (fed_in_cuts()).
 */
static void in_cuts(void **state)
{
	/* a call in a part of a function that is elsewhere, then a branch to the begin of it */
	const struct cst_generic part[] = { EL_BL(0x1000, 1),  EL_B(0x2000, 1),	 EL_BL(0x5080, 1),
					    EL_RET(0x3100, 1), EL_B(0x5084, 1),	 EL_B(0x5090, 1),
					    EL_RET(0x2000, 1), EL_CUT(0x1004, 1) };
	const struct cst_generic tail[] = { EL_BL(0x1000, 1),  EL_B(0x2000, 1),	  EL_BL(0x5080, 1),
					    EL_B(0x3100, 1),   EL_RET(0x3200, 1), EL_B(0x5084, 1),
					    EL_RET(0x2000, 1), EL_CUT(0x1004, 1) };
	/* to and from the middle of another function: seen from there on, its begin is a tail */
	const struct cst_generic middle[] = {
		EL_BL(0x1000, 1), EL_B(0x2000, 1),   EL_B(0x4010, 1),
		EL_B(0x2000, 3),  EL_RET(0x4020, 1), EL_CUT(0x1004, 1)
	};
	const struct cst_generic root[] = { EL_B(0x2000, 1), EL_B(0x4010, 1), EL_B(0x2000, 3),
					    EL_B(0x4020, 1), EL_CUT(0x2000, 1) };
	/* an exception return to where a call would return */
	const struct cst_generic eret[] = { EL_BL(0x1000, 1), EL_BL(0x2000, 1), el_eret(0x3100, 1),
					    EL_RET(0x2004, 1), EL_CUT(0x1004, 1) };
	const struct cst_generic handler[] = { EL_BL(0x1000, 1),
					       EL_CUT(0x2000, 1),
					       el_exception(14, 0x2004),
					       at_el(1, EL_BL(0x6000, 1)),
					       at_el(1, EL_RET(0x6100, 1)),
					       el_eret(0x6004, 1),
					       EL_RET(0x2004, 1),
					       EL_CUT(0x1004, 1) };
	/* a loss before the end of the lead */
	const struct cst_generic a[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004) };
	const struct cst_generic b[] = { overflow(OFF), OFF, EL_RET(0x2004, 1), EL_CUT(0x1004, 1) };
	const struct batch lost[] = { { .tid = 7, N(a) }, { .tid = 7, .fragment = true, N(b) } };
	const struct feed two = { .v = lost, .n = 2 };

	(void)state;
	cuts.apart = cuts.behind = 0;
	TREE(part, "R1000 1/2 {C2000@1000 1/5 {C3100@5080 1/1}}");
	TREE(tail, "R1000 1/2 {C2000@1000 1/4 {C3100@5080 1/1 {T3200@3100 1/1}}}");
	TREE(middle, "R1000 1/2 {C2000@1000 1/6}");
	TREE(root, "R2000 1/7");
	TREE(eret, "R1000 1/2 {C2000@1000 1/2 {C3100@2000 1/1}}");
	TREE(handler, "R1000 1/2 {C2000@1000 1/2 {E6000@2004 1/2 {C6100@6000 1/1}}}");
	fed(&two, "R1000 2/2 {C2000@1000 2/2}");
	/* most cuts need no trace but their lead */
	assert_true(cuts.apart > cuts.behind && cuts.behind);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),	cmocka_unit_test(climbs),
		cmocka_unit_test(tails),	cmocka_unit_test(many_tails),
		cmocka_unit_test(order),	cmocka_unit_test(final_places),
		cmocka_unit_test(sections),	cmocka_unit_test(jumps),
		cmocka_unit_test(pads),		cmocka_unit_test(interrupts),
		cmocka_unit_test(system_calls), cmocka_unit_test(kernel),
		cmocka_unit_test(threads),	cmocka_unit_test(slices),
		cmocka_unit_test(slice_fields), cmocka_unit_test(losses),
		cmocka_unit_test(fragments),	cmocka_unit_test(gaps),
		cmocka_unit_test(in_cuts),
	};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
