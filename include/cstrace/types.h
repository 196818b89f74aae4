/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * types.h - words that every layer uses: instruction sets, exception levels, security states.
 */
#ifndef CSTRACE_TYPES_H
#define CSTRACE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CST_API __attribute__((visibility("default")))
/* C++ has no structs without a name; compilers do. */
#define CST_EXTENSION __extension__
#else
#define CST_API
#define CST_EXTENSION
#endif

/*
 * Marks a function that only the tests use yet: it may change or disappear in any version. In a program that defines
 * CST_STABLE_ONLY the compiler warns about its use.
 */
#if defined(CST_STABLE_ONLY) && defined(__GNUC__)
#define CST_EXPERIMENTAL __attribute__((deprecated("experimental: may change in any version of libcstrace")))
#else
#define CST_EXPERIMENTAL
#endif

#ifdef __cplusplus
#define CST_BEGIN extern "C" {
#define CST_END }
#else
#define CST_BEGIN
#define CST_END
#endif

/* Adds to each of `n` counters the one of the same position. */
static inline void cst_counters_add(uint64_t *sum, const uint64_t *more, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		sum[i] += more[i];
}

/* Instruction set of a range. */
enum cst_isa {
	CST_ISA_A32,
	CST_ISA_T32,
	CST_ISA_A64,
	CST_ISA_TEE,		/* ThumbEE */
	CST_ISA_JAZELLE,
	CST_ISA_CUSTOM,
	CST_ISA_UNKNOWN,
};

/* Security state (Arm ARM D1: with RME also Root and Realm). */
enum cst_security {
	CST_SEC_SECURE,
	CST_SEC_NONSECURE,
	CST_SEC_ROOT,
	CST_SEC_REALM,
};

/* Processor profile: chooses exception numbers and the meaning of a few packets. */
enum cst_profile {
	CST_PROFILE_A,
	CST_PROFILE_R,
	CST_PROFILE_M,
};

/*
 * State of the processing element that a stretch of execution belongs to. `context_id` and `vmid`
 * hold the last values traced.
 */
struct cst_context {
	uint32_t context_id;
	uint32_t vmid;
	uint8_t el;		/* exception level 0..3 */
	uint8_t security;	/* enum cst_security */
	uint8_t bits64;		/* 1: AArch64 */
	uint8_t flags;		/* enum cst_context_flags */
};

enum cst_context_flags {
	CST_CTX_CID = 1,	/* context_id was traced */
	CST_CTX_VMID = 2,	/* vmid was traced */
	CST_CTX_KNOWN = 4,	/* el, security and bits64 were traced */
};

/* Memory spaces, as bits: which address space an exception level in a security state fetches from. */
enum cst_memspace {
	CST_MEM_EL1S = 0x01,	/* Secure EL1 and EL0 */
	CST_MEM_EL1N = 0x02,
	CST_MEM_EL2N = 0x04,
	CST_MEM_EL3 = 0x08,
	CST_MEM_EL2S = 0x10,
	CST_MEM_EL1R = 0x20,
	CST_MEM_EL2R = 0x40,
	CST_MEM_ROOT = 0x80,
	CST_MEM_ANY = 0xff,
};

#endif
