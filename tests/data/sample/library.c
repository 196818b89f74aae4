/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * library.c - a program of Armv7 with its C library, statically linked: code of other people, in T32 beside what
 * is compiled here, calls through pointers, floating point, signals that are sent, and faults that are left by a
 * jump. It is compiled and traced when a test runs.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sigjmp_buf out;
static volatile sig_atomic_t handled;

static void count(int number)
{
	handled += number;
}

static void leave(int number)
{
	siglongjmp(out, number);
}

static int ascending(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static int fault(int how)
{
	volatile int *nowhere = (volatile int *)(size_t)(how * 16);
	int number = sigsetjmp(out, 1);

	if (number)
		return number;
	*nowhere = how;
	return 0;
}

int main(void)
{
	char text[200] = "", word[32];
	int items[300], i;

	signal(SIGUSR1, count);
	signal(SIGUSR2, count);
	signal(SIGSEGV, leave);
	signal(SIGBUS, leave);
	srand(7);
	for (i = 0; i < 300; i++)
		items[i] = rand() % 1000;
	qsort(items, 300, sizeof(items[0]), ascending);
	for (i = 0; i < 8; i++) {
		raise(i & 1 ? SIGUSR1 : SIGUSR2);
		snprintf(word, sizeof(word), "%d:%.3f ", items[i * 30], items[i * 30] / 7.0);
		strcat(text, word);
		handled += fault(i);
	}
	printf("%s%d\n", text, (int)handled);
	return 0;
}
