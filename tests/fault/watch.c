/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watch.c - for LD_PRELOAD: notes which files and hosts a program asks for, and which programs it runs.
 *
 * CST_WATCH=FILE gets a line for each call: "open PATH", "connect ADDRESS" or "exec PATH". An open that succeeds has the
 * path of the file that was opened, whatever links led there; one that fails has the path that was asked for, absolute.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LOG_FD_LEAST 400	/* out of the way of the program's descriptors */

static int log_fd = -1;

static void *real_of(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void start(void)
{
	int (*real_open)(const char *, int, ...);
	const char *path = getenv("CST_WATCH");
	int fd;

	*(void **)&real_open = real_of("open");
	fd = path ? real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
	log_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, LOG_FD_LEAST);
	if (fd >= 0)
		close(fd);
}

static void note(const char *what, const char *text)
{
	char line[2 * PATH_MAX];
	int n = snprintf(line, sizeof(line), "%s %s\n", what, text);
	ssize_t rc = 0;

	if (log_fd >= 0 && n > 0)
		rc = write(log_fd, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
	(void)rc;
}

/* The folder that a path is relative to. */
static void folder_of(int dir, char *out, size_t size)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), dir == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", dir);
	n = readlink(link, out, size - 1);
	out[n > 0 ? n : 0] = 0;
}

static void note_open(int dir, const char *path, int fd)
{
	char link[64], folder[PATH_MAX], whole[2 * PATH_MAX + 2];
	ssize_t n;

	if (log_fd < 0)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = fd >= 0 ? readlink(link, whole, sizeof(whole) - 1) : -1;
	if (n > 0) {
		whole[n] = 0;
	} else if (*path == '/') {
		snprintf(whole, sizeof(whole), "%s", path);
	} else {
		folder_of(dir, folder, sizeof(folder));
		snprintf(whole, sizeof(whole), "%s/%s", folder, path);
	}
	note("open", whole);
}

#define OPEN(name)								\
	int name(const char *path, int flags, ...)				\
	{									\
		static int (*real)(const char *, int, ...);			\
		mode_t mode;							\
		va_list ap;							\
		int fd;								\
										\
		va_start(ap, flags);						\
		mode = va_arg(ap, mode_t);					\
		va_end(ap);							\
		if (!real)							\
			*(void **)&real = real_of(#name);			\
		fd = real(path, flags, mode);					\
		note_open(AT_FDCWD, path, fd);					\
		return fd;							\
	}

#define OPENAT(name)								\
	int name(int dir, const char *path, int flags, ...)			\
	{									\
		static int (*real)(int, const char *, int, ...);		\
		mode_t mode;							\
		va_list ap;							\
		int fd;								\
										\
		va_start(ap, flags);						\
		mode = va_arg(ap, mode_t);					\
		va_end(ap);							\
		if (!real)							\
			*(void **)&real = real_of(#name);			\
		fd = real(dir, path, flags, mode);				\
		note_open(dir, path, fd);					\
		return fd;							\
	}

#define FOPEN(name)								\
	FILE *name(const char *path, const char *mode)				\
	{									\
		static FILE *(*real)(const char *, const char *);		\
		FILE *f;							\
										\
		if (!real)							\
			*(void **)&real = real_of(#name);			\
		f = real(path, mode);						\
		note_open(AT_FDCWD, path, f ? fileno(f) : -1);			\
		return f;							\
	}

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
FOPEN(fopen)
FOPEN(fopen64)

DIR *opendir(const char *path)
{
	static DIR *(*real)(const char *);
	DIR *d;

	if (!real)
		*(void **)&real = real_of("opendir");
	d = real(path);
	note_open(AT_FDCWD, path, d ? dirfd(d) : -1);
	return d;
}

int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	static int (*real)(int, const struct sockaddr *, socklen_t);
	char text[INET6_ADDRSTRLEN] = "";

	if (!real)
		*(void **)&real = real_of("connect");
	if (addr->sa_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)addr)->sin_addr, text, sizeof(text));
	else if (addr->sa_family == AF_INET6)
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)addr)->sin6_addr, text, sizeof(text));
	note("connect", addr->sa_family == AF_UNIX ? ((const struct sockaddr_un *)(const void *)addr)->sun_path : text);
	return real(fd, addr, len);
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	static int (*real)(const char *, char *const[], char *const[]);

	if (!real)
		*(void **)&real = real_of("execve");
	note("exec", path);
	return real(path, argv, envp);
}

int execvp(const char *path, char *const argv[])
{
	static int (*real)(const char *, char *const[]);

	if (!real)
		*(void **)&real = real_of("execvp");
	note("exec", path);
	return real(path, argv);
}

#define SPAWN(name)									\
	int name(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,	\
		 const posix_spawnattr_t *attr, char *const argv[], char *const envp[])		\
	{											\
		static int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,	\
				   const posix_spawnattr_t *, char *const[], char *const[]);	\
												\
		if (!real)									\
			*(void **)&real = real_of(#name);					\
		note("exec", path);								\
		return real(pid, path, actions, attr, argv, envp);				\
	}

SPAWN(posix_spawn)
SPAWN(posix_spawnp)

FILE *popen(const char *command, const char *mode)
{
	static FILE *(*real)(const char *, const char *);

	if (!real)
		*(void **)&real = real_of("popen");
	note("exec", command);
	return real(command, mode);
}

int system(const char *command)
{
	static int (*real)(const char *);

	if (!real)
		*(void **)&real = real_of("system");
	note("exec", command);
	return real(command);
}
