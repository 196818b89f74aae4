/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * isa32.c - tells A32 from T32 by disassembling the same bytes both ways.
 *
 * QEMU's text comes from Capstone in the mode the processor is in. Asking the same library for
 * both modes and comparing shows the mode, except where both give one text.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "isa32.h"

#define CS_ARCH_ARM 0
#define CS_MODE_ARM 0
#define CS_MODE_THUMB (1 << 4)
#define CS_MODE_V8 (1 << 6)

/* struct cs_insn of Capstone 4. */
struct cs4_insn {
	unsigned int id;
	uint64_t address;
	uint16_t size;
	uint8_t bytes[16];
	char mnemonic[32];
	char op_str[160];
	void *detail;
};

static int (*cs_open)(int arch, int mode, size_t *handle);
static size_t (*cs_disasm)(size_t handle, const uint8_t *code, size_t size, uint64_t address,
			   size_t count, struct cs4_insn **insn);
static void (*cs_free)(struct cs4_insn *insn, size_t count);
static size_t handles[2][2];	/* [FLOW_A32, FLOW_T32][without, with v8] */

static void *sym(void *lib, const char *name)
{
	return lib ? dlsym(lib, name) : NULL;
}

int isa32_init(void)
{
	static const int mode[2] = { CS_MODE_ARM, CS_MODE_THUMB };
	void *lib = dlopen("libcapstone.so.4", RTLD_NOW);
	int isa;

	*(void **)&cs_open = sym(lib, "cs_open");
	*(void **)&cs_disasm = sym(lib, "cs_disasm");
	*(void **)&cs_free = sym(lib, "cs_free");
	if (!cs_open || !cs_disasm || !cs_free)
		return -1;
	for (isa = 0; isa < 2; isa++)
		if (cs_open(CS_ARCH_ARM, mode[isa], &handles[isa][0]) ||
		    cs_open(CS_ARCH_ARM, mode[isa] | CS_MODE_V8, &handles[isa][1]))
			return -1;
	return 0;
}

static int gives(size_t handle, const void *bytes, size_t len, uint64_t pc, const char *text)
{
	struct cs4_insn *in = NULL;
	char buf[224];
	size_t n = cs_disasm(handle, bytes, len, pc, 1, &in);

	if (!n)
		return 0;
	snprintf(buf, sizeof(buf), "%s %s", in->mnemonic, in->op_str);
	cs_free(in, n);
	return !strcmp(buf, text);
}

int isa32_by_text(const void *bytes, size_t len, uint64_t pc, const char *text)
{
	int fits[2], isa;

	for (isa = 0; isa < 2; isa++)
		fits[isa] = gives(handles[isa][0], bytes, len, pc, text) ||
			    gives(handles[isa][1], bytes, len, pc, text);
	if (fits[FLOW_A32] == fits[FLOW_T32])
		return -1;
	return fits[FLOW_T32] ? FLOW_T32 : FLOW_A32;
}

size_t t32_size(const void *bytes)
{
	const uint8_t *b = bytes;

	return b[1] >> 3 >= 0x1d ? 4 : 2;
}
