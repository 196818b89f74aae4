/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * runtime.h - what a C++ program needs of a C library when it has none: entry point, system calls, memory, setjmp(), and
 * what the unwinder of GCC calls. AArch64 Linux.
 */
#ifndef CSTRACE_TESTS_DATA_CALLS_RUNTIME_H
#define CSTRACE_TESTS_DATA_CALLS_RUNTIME_H

#include <cstddef>
#include <cstdint>

#define QUIET __attribute__((no_instrument_function, noinline))

enum {
	SYS_WRITE = 64, SYS_EXIT = 93, SYS_EXIT_GROUP = 94, SYS_SET_TID = 96, SYS_FUTEX = 98, SYS_KILL = 129,
	SYS_SIGALTSTACK = 132, SYS_SIGACTION = 134, SYS_GETPID = 172, SYS_CLONE = 220,
};

extern "C" {
struct jump { std::uint64_t reg[22]; };
int setjmp(struct jump *j) __attribute__((returns_twice));
void longjmp(struct jump *j, int value) __attribute__((noreturn));
long clone_thread(long flags, void *stack, void (*f)(void *), void *arg, int *done);
}

__asm__(R"(
	.text
	/* the registers that a function preserves (AAPCS64, 6.1), in struct jump, stored or loaded; SP is between them */
	.macro integers op
	\op x19, x20, [x0]
	\op x21, x22, [x0, #16]
	\op x23, x24, [x0, #32]
	\op x25, x26, [x0, #48]
	\op x27, x28, [x0, #64]
	\op x29, x30, [x0, #80]
	.endm
	.macro floats op
	\op d8, d9, [x0, #104]
	\op d10, d11, [x0, #120]
	\op d12, d13, [x0, #136]
	\op d14, d15, [x0, #152]
	.endm

	.globl _start
	.type _start, %function
_start:
	.cfi_startproc
	.cfi_undefined x30
	mov x29, #0
	mov x30, #0
	mov x0, sp
	bl begin
	mov x8, #94
	svc #0
	.cfi_endproc
	.size _start, . - _start

	.globl setjmp
	.type setjmp, %function
setjmp:
	.cfi_startproc
	integers stp
	mov x2, sp
	str x2, [x0, #96]
	floats stp
	mov w0, #0
	ret
	.cfi_endproc
	.size setjmp, . - setjmp

	.globl longjmp
	.type longjmp, %function
longjmp:
	.cfi_startproc
	integers ldp
	ldr x2, [x0, #96]
	mov sp, x2
	floats ldp
	mov w0, w1
	br x30
	.cfi_endproc
	.size longjmp, . - longjmp

	.globl clone_thread
	.type clone_thread, %function
clone_thread:
	.cfi_startproc
	stp x2, x3, [x1, #-16]!
	mov x2, x4
	mov x3, #0
	mov x8, #220
	svc #0
	cbnz x0, 1f
	ldp x1, x0, [sp], #16
	blr x1
	mov x0, #0
	mov x8, #93
	svc #0
1:	ret
	.cfi_endproc
	.size clone_thread, . - clone_thread
)");

QUIET static long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

/* What libsupc++ and libgcc_eh call. Memory is never given back. */
static char heap[65536] __attribute__((aligned(16)));
static std::size_t heap_used;

extern "C" {
void *stderr;

QUIET void *malloc(std::size_t n)
{
	char *p = heap + heap_used;

	heap_used += (n + 15) & ~(std::size_t)15;
	return p;
}
QUIET void free(void *) {}
QUIET void *realloc(void *, std::size_t n) { return malloc(n); }
QUIET __attribute__((noreturn)) void abort()
{
	for (;;)
		system_call(SYS_EXIT_GROUP, 99);
}
typedef std::uint64_t __attribute__((may_alias)) word;

QUIET void *memcpy(void *to, const void *from, std::size_t n)
{
	char *t = static_cast<char *>(to);
	const char *f = static_cast<const char *>(from);

	for (; n >= sizeof(word); n -= sizeof(word), t += sizeof(word), f += sizeof(word)) {
		*reinterpret_cast<word *>(t) = *reinterpret_cast<const word *>(f);
		__asm__ volatile("");
	}
	while (n--) {
		*t++ = *f++;
		__asm__ volatile("");
	}
	return to;
}
QUIET void *memset(void *to, int c, std::size_t n)
{
	char *t = static_cast<char *>(to);

	for (; !c && n >= sizeof(word); n -= sizeof(word), t += sizeof(word)) {
		*reinterpret_cast<word *>(t) = 0;
		__asm__ volatile("");
	}
	while (n--) {
		*t++ = static_cast<char>(c);
		__asm__ volatile("");
	}
	return to;
}
QUIET std::size_t strlen(const char *s)
{
	std::size_t n = 0;

	while (s[n])
		n++;
	return n;
}
QUIET int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a - *b;
}
QUIET int strncmp(const char *a, const char *b, std::size_t n)
{
	while (n && *a && *a == *b)
		a++, b++, n--;
	return n ? *a - *b : 0;
}
QUIET char *strchr(const char *, int) { return nullptr; }
QUIET int sprintf(char *, const char *, ...) { return 0; }
QUIET int fputs(const char *, void *) { return 0; }
QUIET int fputc(int, void *) { return 0; }
QUIET std::size_t fwrite(const void *, std::size_t, std::size_t, void *) { return 0; }
QUIET int pthread_mutex_lock(void *) { return 0; }
QUIET int pthread_mutex_unlock(void *) { return 0; }
QUIET unsigned long __getauxval(unsigned long) { return 0; }

struct object {
	unsigned long flags;
	void *begin, *end, *map, *eh_frame;
};
extern char __executable_start[], __GNU_EH_FRAME_HDR[], _end[];

QUIET int _dl_find_object(void *, struct object *o)
{
	o->flags = 0;
	o->begin = __executable_start;
	o->end = _end;
	o->map = nullptr;
	o->eh_frame = __GNU_EH_FRAME_HDR;
	return 0;
}
}

namespace __gnu_cxx {
void __verbose_terminate_handler();
QUIET void __verbose_terminate_handler()
{
	abort();
}
}

/* Thread-local storage of the first thread; the others throw nothing. */
static char tls[256] __attribute__((aligned(16)));

extern "C" int program();
extern "C" QUIET __attribute__((used)) int begin(void *)
{
	__asm__ volatile("msr tpidr_el0, %0" : : "r"(tls));
	return program();
}

#endif
