/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls.cc - calls of many kinds in a program without a C library: recursion, sibling calls, pointers, longjmp, signals,
 * C++ exceptions, a second thread. Its log of the calls (tests/interop/calls/truth.py) goes to standard output.
 */
#include "runtime.h"

#define KEEP __attribute__((noinline, noclone))

/* ---- the log, as tests/interop/calls/log.h has it ------------------------------------------------ */

enum { LOG_ENTER = 1, LOG_EXIT, LOG_UNWIND };

static struct record {
	std::uint32_t thread, kind;
	std::uint64_t what;
} records[4096];
static unsigned int nr_records;
static std::uint32_t second_stack_lo, second_stack_hi;
static unsigned int depths[2];

QUIET static std::uint32_t this_thread()
{
	std::uint32_t sp = static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)));

	return sp >= second_stack_lo && sp < second_stack_hi;
}

QUIET static void add(std::uint32_t kind, std::uint64_t what)
{
	unsigned int i = __atomic_fetch_add(&nr_records, 1, __ATOMIC_RELAXED);

	if (i < sizeof(records) / sizeof(records[0]))
		records[i] = { this_thread(), kind, what };
}

extern "C" {
QUIET void __cyg_profile_func_enter(void *f, void *)
{
	depths[this_thread()]++;
	add(LOG_ENTER, reinterpret_cast<std::uint64_t>(f));
}

QUIET void __cyg_profile_func_exit(void *f, void *)
{
	depths[this_thread()]--;
	add(LOG_EXIT, reinterpret_cast<std::uint64_t>(f));
}
}

QUIET static void unwound(unsigned int depth)
{
	depths[this_thread()] = depth;
	add(LOG_UNWIND, depth);
}

/* ---- recursion, pointers, sibling calls ----------------------------------------------------------- */

static volatile int sink;

KEEP static int leaf_a(int x) { return x + sink; }
KEEP static int leaf_b(int x) { return x - sink; }
KEEP static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

static int odd(int n);
KEEP static int even(int n) { return n ? odd(n - 1) + 0 * sink : 1; }
KEEP static int odd(int n) { return n ? even(n - 1) + 0 * sink : 0; }

QUIET static int tail_last(int x) { return x & 1 ? leaf_a(x) : leaf_b(x); }
QUIET static int tail_middle(int x)
{
	sink += x;
	return tail_last(x + 1);
}
QUIET static int pong(int n);
QUIET static int ping(int n) { return n ? pong(n - 1) : leaf_a(n); }
QUIET static int pong(int n) { return n ? ping(n - 1) : leaf_b(n); }

static int (*const table[])(int) = { leaf_a, leaf_b, factorial, even };

KEEP static void plain()
{
	for (int i = 0; i < 9; i++)
		sink += tail_middle(i) + ping(i) + table[i * 7 % 4](i % 5);
}

/* ---- longjmp -------------------------------------------------------------------------------------- */

static struct jump outer, level[4], from_handler;
static unsigned int level_depth[4];

KEEP static int dive(int n)
{
	if (!n)
		longjmp(&outer, 1);
	return dive(n - 1) + leaf_a(n);
}

KEEP static int fail(int n)
{
	leaf_a(n);
	longjmp(&level[n], 1);
}

KEEP static int nested(int n)
{
	level_depth[n] = depths[0];
	if (setjmp(&level[n])) {
		unwound(level_depth[n]);
		return leaf_b(n);
	}
	if (n < 3)
		sink += nested(n + 1);
	return fail(n) + leaf_a(n);
}

KEEP static int jumps()
{
	volatile int n = 0;
	unsigned int depth = depths[0];

	if (setjmp(&outer))
		unwound(depth);
	n++;
	return n < 3 ? dive(n * 2) : nested(0);
}

/* ---- signals -------------------------------------------------------------------------------------- */

enum { SIGTRAP = 5, SIGUSR1 = 10, SIGSEGV = 11, SIGUSR2 = 12 };

static char alt_stack[16384] __attribute__((aligned(16)));
static int *volatile nowhere;

KEEP static void raise(int sig)
{
	system_call(SYS_KILL, system_call(SYS_GETPID), sig);
}

KEEP static void on_usr1(int) { sink += factorial(3); }

KEEP static void on_usr2(int)
{
	leaf_b(2);
	raise(SIGUSR1);
}

KEEP static void on_segv(int)
{
	leaf_a(3);
	longjmp(&from_handler, 1);
}

KEEP static void on_trap(int, void *, void *context)
{
	/* uc_mcontext.pc */
	leaf_a(4);
	static_cast<std::uint64_t *>(context)[55] += 4;
}

KEEP static void handle(int sig, void *f, unsigned long flags)
{
	std::uint64_t act[4] = { reinterpret_cast<std::uint64_t>(f), flags, 0, 0 };

	system_call(SYS_SIGACTION, sig, reinterpret_cast<long>(act), 0, 8);
}

KEEP static int fault() { return *nowhere + leaf_a(1); }

KEEP static int trap()
{
	__asm__ volatile("brk #1");
	return leaf_b(1);
}

KEEP static void signals()
{
	std::uint64_t ss[3] = { reinterpret_cast<std::uint64_t>(alt_stack), 0, sizeof(alt_stack) };
	unsigned int depth = depths[0];

	system_call(SYS_SIGALTSTACK, reinterpret_cast<long>(ss));
	handle(SIGUSR1, reinterpret_cast<void *>(on_usr1), 0);
	handle(SIGUSR2, reinterpret_cast<void *>(on_usr2), 0);
	handle(SIGSEGV, reinterpret_cast<void *>(on_segv), 0x48000000);
	handle(SIGTRAP, reinterpret_cast<void *>(on_trap), 0x08000004);
	raise(SIGUSR1);
	raise(SIGUSR2);
	for (volatile int i = 0; i < 2; i = i + 1) {
		if (setjmp(&from_handler))
			unwound(depth);
		else
			fault();
		trap();
	}
}

/* ---- C++ exceptions ------------------------------------------------------------------------------- */

#include "throwing.h"

KEEP static void throws() { sink += deep(0, 4) + choosy(5); }

/* ---- a second thread ------------------------------------------------------------------------------ */

static char stack[16384] __attribute__((aligned(16)));
static volatile int done;

KEEP static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

KEEP static void work(void *)
{
	for (int i = 0; i < 5; i++)
		sink += fibonacci(i + 3) + even(i);
	done = 1;
}

KEEP static void threads()
{
	second_stack_lo = static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(stack));
	second_stack_hi = second_stack_lo + sizeof(stack);
	/* VM, FS, FILES, SIGHAND, THREAD, SYSVSEM */
	clone_thread(0x50f00, stack + sizeof(stack), work, nullptr, nullptr);
	for (int i = 0; i < 4; i++)
		sink += fibonacci(i + 2) + factorial(i);
	while (!done)
		system_call(SYS_GETPID);
}

extern "C" QUIET int program()
{
	plain();
	jumps();
	signals();
	throws();
	threads();
	system_call(SYS_WRITE, 1, reinterpret_cast<long>(records), nr_records * sizeof(records[0]));
	return 0;
}
