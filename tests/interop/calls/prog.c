/* SPDX-License-Identifier: BSD-3-Clause */
/* prog.c - calls of many kinds: prog LOG */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include "log.h"

#define KEEP __attribute__((noinline, noclone))

static volatile int sink;
static jmp_buf outer, level[8];
static unsigned int level_depth[8];
static sigjmp_buf from_handler;
static char alt_stack[65536];

int library_sum(const int *v, int n, int (*f)(int));	/* lib.c */
int library_twice(int x);

/* ---- recursion ----------------------------------------------------------------------------------- */

KEEP static int factorial(int n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

static int odd(int n);

KEEP static int even(int n)
{
	return n == 0 ? 1 : odd(n - 1) + 0 * sink;
}

KEEP static int odd(int n)
{
	return n == 0 ? 0 : even(n - 1) + 0 * sink;
}

KEEP static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* ---- sibling calls: the compiler makes branches of the last calls of these functions --------------- */

KEEP static int leaf_a(int x)
{
	return x + sink;
}

KEEP static int leaf_b(int x)
{
	return x - sink;
}

QUIET static int tail_last(int x)
{
	return x & 1 ? leaf_a(x) : leaf_b(x);
}

QUIET static int tail_middle(int x)
{
	sink += x;
	return tail_last(x + 1);
}

QUIET static int pong(int n);

QUIET static int ping(int n)
{
	return n ? pong(n - 1) : leaf_a(n);
}

QUIET static int pong(int n)
{
	return n ? ping(n - 1) : leaf_b(n);
}

KEEP static int siblings(void)
{
	int i, sum = 0;

	for (i = 0; i < 5; i++)
		sum += tail_middle(i) + ping(i + 3);
	return sum;
}

/* ---- function pointers ----------------------------------------------------------------------------- */

static int (*const table[])(int) = { leaf_a, leaf_b, factorial, even, fibonacci };

KEEP static int pointers(void)
{
	int i, sum = 0;

	for (i = 0; i < 25; i++)
		sum += table[i * 7 % 5](i % 9);
	return sum;
}

KEEP static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return leaf_a(x) < leaf_a(y) ? -1 : x > y;
}

KEEP static int sorts(unsigned int seed)
{
	int v[40], i;

	for (i = 0; i < 40; i++)
		v[i] = (int)((seed = seed * 1103515245 + 12345) >> 16 & 0xff);
	qsort(v, 40, sizeof(v[0]), compare);
	return v[3] + library_sum(v, 10, leaf_b) + library_twice(v[1]);
}

/* ---- longjmp --------------------------------------------------------------------------------------- */

KEEP static int dive(int n)
{
	if (!n)
		longjmp(outer, 1);
	return dive(n - 1) + leaf_a(n);
}

KEEP static int jumps(void)
{
	volatile int n = 0;
	unsigned int depth = log_depth;

	if (setjmp(outer))
		log_unwind(depth);
	n++;
	return n < 4 ? dive(n * 3) : leaf_b(n);
}

KEEP static int fail(int n)
{
	leaf_a(n);
	longjmp(level[n], 1);
}

/* Each level calls setjmp(), and returns to itself by longjmp() when the levels below it are done. */
KEEP static int nested(int n)
{
	level_depth[n] = log_depth;
	if (setjmp(level[n])) {
		log_unwind(level_depth[n]);
		return leaf_b(n);
	}
	if (n < 5)
		sink += nested(n + 1);
	return fail(n) + leaf_a(n);
}

/* ---- signals --------------------------------------------------------------------------------------- */

KEEP static void on_usr1(int sig)
{
	(void)sig;
	sink += factorial(3);
}

KEEP static void on_usr2(int sig)
{
	(void)sig;
	leaf_b(2);
	raise(SIGUSR1);
	leaf_b(3);
}

KEEP static void on_segv(int sig)
{
	(void)sig;
	leaf_a(3);
	siglongjmp(from_handler, 1);
}

KEEP static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	leaf_a(4);
	uc->uc_mcontext.pc += 4;
}

KEEP static void on_alarm(int sig)
{
	(void)sig;
	leaf_a(5);
}

static int *volatile nowhere;

KEEP static int fault(void)
{
	return *nowhere + leaf_a(1);
}

KEEP static int trap(void)
{
	__asm__ volatile("brk #1");
	return leaf_b(1);
}

KEEP static void handle(int sig, void (*f)(int), int flags)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = f;
	sa.sa_flags = flags;
	sigaction(sig, &sa, NULL);
}

KEEP static int work(int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++)
		sum += i * sink;
	return sum;
}

KEEP static int signals(void)
{
	stack_t ss = { .ss_sp = alt_stack, .ss_size = sizeof(alt_stack) };
	unsigned int depth = log_depth;
	volatile int i;
	sigset_t set;

	sigaltstack(&ss, NULL);
	handle(SIGUSR1, on_usr1, 0);
	handle(SIGUSR2, on_usr2, 0);
	handle(SIGSEGV, on_segv, SA_ONSTACK | SA_NODEFER);
	handle(SIGTRAP, (void (*)(int))(uintptr_t)on_trap, SA_SIGINFO | SA_ONSTACK);
	handle(SIGALRM, on_alarm, 0);
	raise(SIGUSR1);
	raise(SIGUSR2);
	for (i = 0; i < 3; i++) {
		if (sigsetjmp(from_handler, 1))
			log_unwind(depth);
		else
			fault();
		trap();
	}
	/* two signals are pending at once */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	raise(SIGALRM);
	leaf_a(1);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return work(200) + leaf_b(1);
}

/* ---- threads --------------------------------------------------------------------------------------- */

KEEP static void *thread(void *arg)
{
	int i, sum = 0;

	log_thread = (uint32_t)(uintptr_t)arg;
	for (i = 0; i < 20; i++)
		sum += fibonacci(3 + i % 5) + sorts((unsigned int)i) + siblings() + even(i);
	sink += sum;
	return NULL;
}

QUIET static void *thread_begin(void *arg)
{
	log_thread = (uint32_t)(uintptr_t)arg;
	return thread(arg);
}

KEEP static void threads(void)
{
	pthread_t t[3];
	uintptr_t i;

	for (i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, thread_begin, (void *)(i + 1));
	for (i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

KEEP static void all(const char *what)
{
	if (strchr(what, 'r'))
		sink += factorial(6) + even(7) + fibonacci(7);
	if (strchr(what, 'c'))
		sink += siblings() + pointers() + sorts(1);
	if (strchr(what, 'j'))
		sink += jumps() + nested(0);
	if (strchr(what, 's'))
		signals();
	if (strchr(what, 't'))
		threads();
}

QUIET int main(int argc, char **argv)
{
	all(argc > 2 ? argv[2] : "rcjst");
	log_write(argv[1]);
	return 0;
}
