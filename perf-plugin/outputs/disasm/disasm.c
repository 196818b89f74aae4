/* SPDX-License-Identifier: GPL-2.0-only */
/* disasm.c - loads libcapstone and remembers the texts of instructions that run often. */
#include "outputs/disasm/disasm.h"

#ifdef HAVE_CAPSTONE

#include <capstone.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

#define LIBRARY_NAME(major) LIBRARY_TEXT(major)
#define LIBRARY_TEXT(major) "libcapstone.so." #major

/* Texts that are remembered: a power of two. */
#define REMEMBERED 16384u

struct remembered {
	uint64_t addr;
	uint32_t opcode;
	uint8_t handle;
	bool used;
	char text[DISASM_TEXT];
};

enum handle { HANDLE_A64, HANDLE_A32, HANDLE_T32, HANDLE_T32_M, NR_HANDLES };

struct disasm {
	void *library;
	cs_err (*open)(cs_arch arch, cs_mode mode, csh *handle);
	cs_err (*close)(csh *handle);
	size_t (*disasm)(csh handle, const uint8_t *code, size_t size, uint64_t addr, size_t count, cs_insn **insn);
	void (*free)(cs_insn *insn, size_t count);
	cs_err (*option)(csh handle, cs_opt_type type, size_t value);
	csh handle[NR_HANDLES];
	bool opened[NR_HANDLES];
	struct remembered v[REMEMBERED];
};

static void *more(void *p, size_t size)
{
	return mem_more(p, size, 1);
}

bool disasm_available(void)
{
	return true;
}

static bool find_functions(struct disasm *d)
{
	/* ISO C has no conversion from object to function pointers; POSIX defines dlsym() by this one */
	*(void **)&d->open = dlsym(d->library, "cs_open");
	*(void **)&d->close = dlsym(d->library, "cs_close");
	*(void **)&d->disasm = dlsym(d->library, "cs_disasm");
	*(void **)&d->free = dlsym(d->library, "cs_free");
	*(void **)&d->option = dlsym(d->library, "cs_option");
	return d->open && d->close && d->disasm && d->free && d->option;
}

/* Before any other function of the library. */
static bool set_memory(struct disasm *d)
{
	/* libcapstone does not check what its allocations return */
	cs_opt_mem mem = { .malloc = mem_new, .calloc = mem_zeroed, .realloc = more, .free = free,
			   .vsnprintf = vsnprintf };

	return d->option(0, CS_OPT_MEM, (size_t)&mem) == CS_ERR_OK;
}

struct disasm *disasm_new(const char **why)
{
	struct disasm *d = mem_zeroed(1, sizeof(*d));

	*why = NULL;
	errno = 0;
	d->library = dlopen(LIBRARY_NAME(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);
	if (!d->library)
		mem_check(errno);
	if (d->library && find_functions(d) && set_memory(d))
		return d;
	*why = LIBRARY_NAME(CS_API_MAJOR) " is not installed";
	disasm_free(d);
	return NULL;
}

void disasm_free(struct disasm *d)
{
	unsigned int i;

	if (!d)
		return;
	for (i = 0; i < NR_HANDLES; i++)
		if (d->opened[i])
			d->close(&d->handle[i]);
	if (d->library)
		dlclose(d->library);
	free(d);
}

static bool open_handle(struct disasm *d, enum handle h)
{
	static const struct {
		cs_arch arch;
		cs_mode mode;
	} how[NR_HANDLES] = {
		[HANDLE_A64] = { CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN },
		[HANDLE_A32] = { CS_ARCH_ARM, CS_MODE_ARM | CS_MODE_V8 },
		[HANDLE_T32] = { CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_V8 },
		[HANDLE_T32_M] = { CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS },
	};

	if (!d->opened[h])
		d->opened[h] = d->open(how[h].arch, how[h].mode, &d->handle[h]) == CS_ERR_OK;
	return d->opened[h];
}

/* The bytes as they are in memory: instructions are little-endian, T32 by halfwords. */
static void put_bytes(uint8_t *p, bool t32, uint32_t opcode, unsigned int size)
{
	if (t32 && size == 4)
		opcode = opcode << 16 | opcode >> 16;
	p[0] = (uint8_t)opcode;
	p[1] = (uint8_t)(opcode >> 8);
	p[2] = (uint8_t)(opcode >> 16);
	p[3] = (uint8_t)(opcode >> 24);
}

static void disassemble(struct disasm *d, enum handle h, struct remembered *r, unsigned int size)
{
	uint8_t bytes[4];
	cs_insn *insn;
	size_t n;

	r->text[0] = 0;
	if (!open_handle(d, h))
		return;
	put_bytes(bytes, h >= HANDLE_T32, r->opcode, size);
	n = d->disasm(d->handle[h], bytes, size, r->addr, 1, &insn);
	if (!n)
		return;
	/* operands that do not fit, a long list of registers, are cut */
	snprintf(r->text, sizeof(r->text), "%.*s%s%.*s", DISASM_TEXT / 3 - 2, insn->mnemonic, insn->op_str[0] ? " " : "",
		 2 * DISASM_TEXT / 3, insn->op_str);
	d->free(insn, n);
}

static enum handle handle_of(enum cst_isa isa, enum cst_profile profile)
{
	if (isa == CST_ISA_A64)
		return HANDLE_A64;
	if (isa == CST_ISA_A32)
		return HANDLE_A32;
	return profile == CST_PROFILE_M ? HANDLE_T32_M : HANDLE_T32;
}

const char *disasm_text(struct disasm *d, enum cst_isa isa, enum cst_profile profile, uint64_t addr, uint32_t opcode,
			unsigned int size)
{
	const enum handle h = handle_of(isa, profile);
	struct remembered *r = &d->v[(addr >> 1 ^ addr >> 15) % REMEMBERED];

	if (isa == CST_ISA_TEE)
		return "";	/* libcapstone has no ThumbEE */
	if (!r->used || r->addr != addr || r->opcode != opcode || r->handle != h) {
		r->used = true;
		r->addr = addr;
		r->opcode = opcode;
		r->handle = h;
		disassemble(d, h, r, size);
	}
	return r->text;
}

#else

bool disasm_available(void)
{
	return false;
}

struct disasm *disasm_new(const char **why)
{
	*why = "made without libcapstone (NO_CAPSTONE)";
	return NULL;
}

void disasm_free(struct disasm *d)
{
	(void)d;
}

const char *disasm_text(struct disasm *d, enum cst_isa isa, enum cst_profile profile, uint64_t addr, uint32_t opcode,
			unsigned int size)
{
	(void)d;
	(void)isa;
	(void)profile;
	(void)addr;
	(void)opcode;
	(void)size;
	return "";
}

#endif
