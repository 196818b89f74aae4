/* SPDX-License-Identifier: BSD-3-Clause */
/* start.h - entry point and system calls, so that the sample needs no C library. */
#ifndef CSTRACE_TESTS_DATA_START_H
#define CSTRACE_TESTS_DATA_START_H

int main(void);

#ifdef __aarch64__

#define SYS_WRITE 64
#define SYS_EXIT_GROUP 94

static long system_call(long number, long a, long b, long c)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
}

__asm__(".globl _start\n.type _start, %function\n"
	"_start:\n\tmov x29, #0\n\tmov x30, #0\n\tbl main\n\tmov x8, #94\n\tsvc #0\n"
	".size _start, . - _start\n");

#else

#define SYS_WRITE 4
#define SYS_EXIT_GROUP 248

static long system_call(long number, long a, long b, long c)
{
	register long r0 __asm__("r0") = a;
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = c;

	/* r7 is the frame pointer of Thumb code, so it cannot be a register variable. */
	__asm__ volatile("push {r7}\n\tmov r7, %1\n\tsvc #0\n\tpop {r7}"
			 : "+r"(r0) : "r"(number), "r"(r1), "r"(r2) : "memory");
	return r0;
}

__asm__(".syntax unified\n.arm\n.globl _start\n.type _start, %function\n"
	"_start:\n\tmov r11, #0\n\tmov lr, #0\n\tblx main\n\tmov r7, #248\n\tsvc #0\n"
	".size _start, . - _start\n"
#ifdef __thumb__
	".thumb\n"
#endif
	);

#endif

static void write_out(const char *line, int n)
{
	system_call(SYS_WRITE, 1, (long)line, n);
}

#endif
