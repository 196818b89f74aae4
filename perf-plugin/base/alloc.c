/* SPDX-License-Identifier: GPL-2.0-only */
/* alloc.c - allocates, and ends the process when it is refused. */
#include "base/alloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/put.h"

/* Of the process, as its memory is. Any thread may be refused some. */
static struct {
	_Atomic(const char *) doing;
	void (*_Atomic clean)(void);
	atomic_bool ending;
} memory = { .doing = "starting" };

const char *mem_doing(const char *what)
{
	return atomic_exchange(&memory.doing, what);
}

void mem_before_end(void (*clean)(void))
{
	atomic_store(&memory.clean, clean);
}

/* Functions that need no memory only: put.h, _exit(). */
void mem_refused(size_t size)
{
	void (*clean)(void) = atomic_load(&memory.clean);

	while (atomic_exchange(&memory.ending, true))
		pause();	/* another thread ends the process */
	if (clean)
		clean();
	put_text("cstrace: out of memory: ");
	if (size) {
		put_number(size);
		put_text(" bytes were refused while ");
	} else {
		put_text("a library was refused memory while ");
	}
	put_text(memory.doing);
	put_text("; an output file that was not finished by then is not written. Raise the limit "
		 "(ulimit -v, the memory of the container), or decode less at a time (--time, "
		 "--cpu)\n");
	_exit(1);
}

void mem_check(int error)
{
	if (error == ENOMEM)
		mem_refused(0);
}

int mem_code(int code)
{
	if (code == ERR_NOMEM)
		mem_refused(0);
	return code;
}

static size_t product(size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all))
		mem_refused(SIZE_MAX);
	return all;
}

/* malloc(0) and realloc(p, 0) may return NULL. */
static void *checked(void *p, size_t size)
{
	if (__builtin_expect(!p, 0))
		mem_refused(size);
	return p;
}

void *mem_new(size_t size)
{
	size += !size;
	return checked(malloc(size), size);
}

void *mem_zeroed(size_t n, size_t size)
{
	size_t all = product(n, size);

	all += !all;
	return checked(calloc(1, all), all);
}

void *mem_array(size_t n, size_t size)
{
	return mem_new(product(n, size));
}

void *mem_more(void *p, size_t n, size_t size)
{
	size_t all = product(n, size);

	all += !all;
	return checked(realloc(p, all), all);
}

char *mem_text(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(mem_new(size), text, size);
}

char *mem_text_part(const char *text, size_t max)
{
	size_t len = strnlen(text, max);
	char *copy = mem_new(len + 1);

	memcpy(copy, text, len);
	copy[len] = 0;
	return copy;
}
