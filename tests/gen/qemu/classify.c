/* SPDX-License-Identifier: BSD-3-Clause */
/* classify.c - instruction classes from disassembly text in Capstone's spelling. */
#include <stdlib.h>
#include <string.h>

#include "classify.h"

struct words {
	char mnemonic[32];
	const char *operands;
};

struct form {
	const char *name;
	uint8_t klass;
	uint8_t flags;
	uint8_t special;
};

static const char *const conditions[] = {
	"eq", "ne", "hs", "cs", "lo", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le",
};

static const struct form a64_forms[] = {
	{ "b", FLOW_DIRECT, 0, 0 },
	{ "bl", FLOW_DIRECT, FLOW_LINK, 0 },
	{ "cbz", FLOW_DIRECT, FLOW_COND, 0 },
	{ "cbnz", FLOW_DIRECT, FLOW_COND, 0 },
	{ "tbz", FLOW_DIRECT, FLOW_COND, 0 },
	{ "tbnz", FLOW_DIRECT, FLOW_COND, 0 },
	{ "br", FLOW_INDIRECT, 0, 0 },
	{ "braa", FLOW_INDIRECT, 0, 0 },
	{ "brab", FLOW_INDIRECT, 0, 0 },
	{ "braaz", FLOW_INDIRECT, 0, 0 },
	{ "brabz", FLOW_INDIRECT, 0, 0 },
	{ "blr", FLOW_INDIRECT, FLOW_LINK, 0 },
	{ "blraa", FLOW_INDIRECT, FLOW_LINK, 0 },
	{ "blrab", FLOW_INDIRECT, FLOW_LINK, 0 },
	{ "blraaz", FLOW_INDIRECT, FLOW_LINK, 0 },
	{ "blrabz", FLOW_INDIRECT, FLOW_LINK, 0 },
	{ "ret", FLOW_INDIRECT, FLOW_RET, 0 },
	{ "retaa", FLOW_INDIRECT, FLOW_RET, 0 },
	{ "retab", FLOW_INDIRECT, FLOW_RET, 0 },
	{ "eret", FLOW_INDIRECT, FLOW_ERET, 0 },
	{ "isb", FLOW_ISB, 0, 0 },
	{ "wfe", FLOW_WFX, 0, 0 },
	{ "wfi", FLOW_WFX, 0, 0 },
	{ "svc", FLOW_OTHER, 0, INSN_SVC },
	{ "brk", FLOW_OTHER, 0, INSN_BREAK },
};

/* A32 and T32: each name may carry a condition. */
static const struct form arm_forms[] = {
	{ "b", FLOW_DIRECT, 0, 0 },
	{ "bl", FLOW_DIRECT, FLOW_LINK, 0 },
	{ "blx", FLOW_INDIRECT, FLOW_LINK, 0 },	/* direct when its operand is an address */
	{ "bx", FLOW_INDIRECT, 0, 0 },
	{ "bxj", FLOW_INDIRECT, 0, 0 },
	{ "cbz", FLOW_DIRECT, FLOW_COND, 0 },
	{ "cbnz", FLOW_DIRECT, FLOW_COND, 0 },
	{ "tbb", FLOW_INDIRECT, 0, 0 },
	{ "tbh", FLOW_INDIRECT, 0, 0 },
	{ "eret", FLOW_INDIRECT, FLOW_ERET, 0 },
	{ "isb", FLOW_ISB, 0, 0 },
	{ "wfe", FLOW_WFX, 0, 0 },
	{ "wfi", FLOW_WFX, 0, 0 },
	{ "svc", FLOW_OTHER, 0, INSN_SVC },
	{ "bkpt", FLOW_OTHER, 0, INSN_BREAK },
};

/* Names whose first operand is the destination; with pc there they are branches. */
static const char *const arm_writers[] = {
	"adc", "add", "addw", "and", "asr", "bic", "eor", "ldr", "lsl", "lsr", "mov", "mvn", "orr",
	"ror", "rrx", "rsb", "rsc", "sbc", "sub", "subw",
};

static const char *const arm_list_loads[] = {
	"pop", "ldm", "ldmib", "ldmda", "ldmdb",
};

#define N(a) (sizeof(a) / sizeof(*(a)))

/* "ldr.w  pc, [r0]" -> "ldr" and "pc, [r0]". */
static void split(struct words *w, const char *text)
{
	size_t n = 0;

	while (text[n] && text[n] != ' ' && text[n] != '\t' && n < sizeof(w->mnemonic) - 1) {
		w->mnemonic[n] = text[n];
		n++;
	}
	w->mnemonic[n] = 0;
	if (n > 2 && w->mnemonic[n - 2] == '.' &&
	    (w->mnemonic[n - 1] == 'w' || w->mnemonic[n - 1] == 'n'))
		w->mnemonic[n - 2] = 0;
	w->operands = text + n + strspn(text + n, " \t");
}

static int is_condition(const char *s)
{
	size_t i;

	for (i = 0; i < N(conditions); i++)
		if (!strcmp(s, conditions[i]))
			return 1;
	return 0;
}

/* 1: @m is @name, 2: @m is @name with a condition behind it, 0: neither. */
static int arm_name(const char *m, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(m, name, n))
		return 0;
	if (!m[n])
		return 1;
	return is_condition(m + n) ? 2 : 0;
}

/* The same with the letter for "sets flags" allowed between name and condition; 4 is added then. */
static int arm_writer_name(const char *m, const char *name)
{
	size_t n = strlen(name);
	int r = arm_name(m, name);

	if (r || strncmp(m, name, n) || m[n] != 's')
		return r;
	if (!m[n + 1])
		return 1 + 4;
	return is_condition(m + n + 1) ? 2 + 4 : 0;
}

static void set_target(struct insn *in, const char *operands)
{
	const char *hash = strrchr(operands, '#');

	if (hash)
		in->target = strtoull(hash + 1, NULL, 16);
}

static void apply(struct insn *in, const struct form *f, const char *operands)
{
	in->klass = f->klass;
	in->flags |= f->flags;
	in->special = f->special;
	if (in->klass == FLOW_DIRECT)
		set_target(in, operands);
}

static uint8_t other_isa(uint8_t isa)
{
	return isa == FLOW_A32 ? FLOW_T32 : FLOW_A32;
}

static void classify_a64(struct insn *in, const struct words *w)
{
	size_t i;

	if (!strncmp(w->mnemonic, "b.", 2) || !strncmp(w->mnemonic, "bc.", 3)) {
		in->klass = FLOW_DIRECT;
		in->flags |= FLOW_COND;
		set_target(in, w->operands);
		return;
	}
	for (i = 0; i < N(a64_forms); i++) {
		if (!strcmp(w->mnemonic, a64_forms[i].name)) {
			apply(in, &a64_forms[i], w->operands);
			return;
		}
	}
}

static int writes_pc_first(const char *operands)
{
	return !strncmp(operands, "pc", 2) && (operands[2] == ',' || !operands[2]);
}

static int loads_pc_in_list(const char *operands)
{
	const char *brace = strchr(operands, '{');
	const char *pc = brace ? strstr(brace, "pc") : NULL;

	return pc && (pc[2] == '}' || pc[2] == ',');
}

static void arm_pc_writer(struct insn *in, const struct words *w)
{
	size_t i;
	int r;

	for (i = 0; i < N(arm_list_loads); i++) {
		r = arm_name(w->mnemonic, arm_list_loads[i]);
		if (!r || !loads_pc_in_list(w->operands))
			continue;
		in->klass = FLOW_INDIRECT;
		if (!strcmp(arm_list_loads[i], "pop") || !strncmp(w->operands, "sp!", 3))
			in->flags |= FLOW_RET;
		if (strchr(w->operands, '^'))
			in->flags |= FLOW_ERET;
		if (r & 2)
			in->flags |= FLOW_COND;
		return;
	}
	if (!writes_pc_first(w->operands))
		return;
	for (i = 0; i < N(arm_writers); i++) {
		r = arm_writer_name(w->mnemonic, arm_writers[i]);
		if (!r)
			continue;
		in->klass = FLOW_INDIRECT;
		if (r & 2)
			in->flags |= FLOW_COND;
		if (r & 4)
			in->flags |= FLOW_ERET;
		else if (!strcmp(w->operands, "pc, lr") || !strncmp(w->operands, "pc, [sp]", 8))
			in->flags |= FLOW_RET;
		return;
	}
}

/* The barrier as a CP15 write, as code for ARMv6 has it. */
static int is_cp15_isb(const struct words *w)
{
	const char *tail = ", c7, c5, #4";
	size_t n = strlen(w->operands), k = strlen(tail);

	return arm_name(w->mnemonic, "mcr") && !strncmp(w->operands, "p15, #0,", 8) && n > k &&
	       !strcmp(w->operands + n - k, tail);
}

static void classify_arm(struct insn *in, const struct words *w)
{
	size_t i, n = strlen(w->mnemonic);
	int r;

	if (n >= 2 && n <= 5 && w->mnemonic[0] == 'i' && strspn(w->mnemonic + 1, "te") == n - 1 &&
	    w->mnemonic[1] == 't') {
		in->it_len = (uint8_t)(n - 1);
		return;
	}
	if (is_cp15_isb(w)) {
		in->klass = FLOW_ISB;
		return;
	}
	if (!strncmp(w->mnemonic, "rfe", 3)) {
		in->klass = FLOW_INDIRECT;
		in->flags |= FLOW_ERET;
		return;
	}
	for (i = 0; i < N(arm_forms); i++) {
		r = arm_name(w->mnemonic, arm_forms[i].name);
		if (!r)
			continue;
		apply(in, &arm_forms[i], w->operands);
		if (r == 2)
			in->flags |= FLOW_COND;
		if (arm_forms[i].klass == FLOW_INDIRECT && w->operands[0] == '#') {
			in->klass = FLOW_DIRECT;
			in->target_isa = other_isa(in->isa);	/* BLX */
			set_target(in, w->operands);
		}
		if (in->klass == FLOW_INDIRECT && !(in->flags & FLOW_LINK) &&
		    !strcmp(w->operands, "lr"))
			in->flags |= FLOW_RET;
		return;
	}
	arm_pc_writer(in, w);
}

void classify(struct insn *in, const char *text)
{
	struct words w;

	in->klass = FLOW_OTHER;
	in->target_isa = in->isa;
	split(&w, text);
	if (!w.mnemonic[0] || w.mnemonic[0] == '.') {
		in->special = INSN_UNKNOWN;
		return;
	}
	if (in->isa == FLOW_A64)
		classify_a64(in, &w);
	else
		classify_arm(in, &w);
}
