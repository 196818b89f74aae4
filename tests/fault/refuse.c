/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * refuse.c - for LD_PRELOAD: one call, or all calls from one on, of a class of functions fails.
 *
 * Classes: alloc (malloc, calloc, realloc, aligned_alloc), mmap, open (folders and streams, too),
 * read, write (not to standard error), close (the descriptor is closed all the same), stat (access
 * and lseek, too), change (rename, linkat, mkdir, ftruncate, fsync), shortread and shortwrite (half
 * of the bytes, no error).
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault/fault.h"

/* The C library's own allocation functions: dlsym() may itself need memory. */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n)
{
	return refused(ALLOC) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return refused(ALLOC) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return refused(ALLOC) ? NULL : __libc_realloc(p, n);
}

/* A function of the same name that fails with `bad` when its class is due, else the C library's. */
#define WRAP(class, bad, result, name, params, args)					\
	result name params								\
	{										\
		static result (*real) params;						\
											\
		if (!real)								\
			*(void **)&real = dlsym(RTLD_NEXT, #name);			\
		return refused(class) ? (bad) : real args;				\
	}

/* open(): the mode counts with O_CREAT and O_TMPFILE only, and reading it otherwise does no harm here. */
#define WRAP_OPEN(name, params, args)							\
	int name params									\
	{										\
		static int (*real) params;						\
		mode_t mode;								\
		va_list ap;								\
											\
		va_start(ap, flags);							\
		mode = va_arg(ap, mode_t);						\
		va_end(ap);								\
		if (!real)								\
			*(void **)&real = dlsym(RTLD_NEXT, #name);			\
		return refused(OPEN) ? -1 : real args;					\
	}

WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))
WRAP_OPEN(openat64, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))
WRAP(ALLOC, NULL, void *, aligned_alloc, (size_t align, size_t n), (align, n))

WRAP(OPEN, NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode))
WRAP(OPEN, NULL, FILE *, fopen64, (const char *path, const char *mode), (path, mode))
WRAP(OPEN, NULL, FILE *, fdopen, (int fd, const char *mode), (fd, mode))
WRAP(OPEN, NULL, DIR *, opendir, (const char *path), (path))
WRAP(OPEN, -1, int, mkostemp, (char *path, int flags), (path, flags))
WRAP(OPEN, -1, int, mkostemp64, (char *path, int flags), (path, flags))

WRAP(MMAP, MAP_FAILED, void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t off),
     (at, n, prot, flags, fd, off))
WRAP(MMAP, MAP_FAILED, void *, mmap64, (void *at, size_t n, int prot, int flags, int fd, off64_t off),
     (at, n, prot, flags, fd, off))

/* read() and write(): an error, or half of what was asked for. */
#define WRAP_SOME(class, half, name, params, args, args_half)				\
	ssize_t name params								\
	{										\
		static ssize_t (*real) params;						\
											\
		if (!real)								\
			*(void **)&real = dlsym(RTLD_NEXT, #name);			\
		if (class == WRITE && fd == STDERR_FILENO)				\
			return real args;						\
		if (refused(class))							\
			return -1;							\
		return n > 1 && refused(half) ? real args_half : real args;		\
	}

WRAP_SOME(READ, SHORTREAD, read, (int fd, void *p, size_t n), (fd, p, n), (fd, p, n / 2))
WRAP_SOME(READ, SHORTREAD, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at), (fd, p, n / 2, at))
WRAP_SOME(READ, SHORTREAD, pread64, (int fd, void *p, size_t n, off64_t at), (fd, p, n, at), (fd, p, n / 2, at))
WRAP_SOME(WRITE, SHORTWRITE, write, (int fd, const void *p, size_t n), (fd, p, n), (fd, p, n / 2))
WRAP_SOME(WRITE, SHORTWRITE, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at),
	  (fd, p, n / 2, at))
WRAP_SOME(WRITE, SHORTWRITE, pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at),
	  (fd, p, n / 2, at))
WRAP(WRITE, EOF, int, fflush, (FILE *f), (f))

#define WRAP_CLOSE(result, name, param, bad)						\
	int name(param)									\
	{										\
		static int (*real)(param);						\
		int rc;									\
											\
		if (!real)								\
			*(void **)&real = dlsym(RTLD_NEXT, #name);			\
		rc = real(result);							\
		return refused(CLOSE) ? (bad) : rc;					\
	}

WRAP_CLOSE(fd, close, int fd, -1)
WRAP_CLOSE(f, fclose, FILE *f, EOF)

WRAP(STAT, -1, int, stat, (const char *path, struct stat *st), (path, st))
WRAP(STAT, -1, int, stat64, (const char *path, struct stat64 *st), (path, st))
WRAP(STAT, -1, int, lstat, (const char *path, struct stat *st), (path, st))
WRAP(STAT, -1, int, lstat64, (const char *path, struct stat64 *st), (path, st))
WRAP(STAT, -1, int, fstat, (int fd, struct stat *st), (fd, st))
WRAP(STAT, -1, int, fstat64, (int fd, struct stat64 *st), (fd, st))
WRAP(STAT, -1, int, access, (const char *path, int mode), (path, mode))
WRAP(STAT, -1, off_t, lseek, (int fd, off_t off, int whence), (fd, off, whence))
WRAP(STAT, -1, off64_t, lseek64, (int fd, off64_t off, int whence), (fd, off, whence))

WRAP(CHANGE, -1, int, rename, (const char *from, const char *to), (from, to))
WRAP(CHANGE, -1, int, linkat, (int d, const char *from, int e, const char *to, int flags), (d, from, e, to, flags))
WRAP(CHANGE, -1, int, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(CHANGE, -1, int, ftruncate, (int fd, off_t n), (fd, n))
WRAP(CHANGE, -1, int, ftruncate64, (int fd, off64_t n), (fd, n))
WRAP(CHANGE, -1, int, fsync, (int fd), (fd))
WRAP(CHANGE, -1, int, fdatasync, (int fd), (fd))
