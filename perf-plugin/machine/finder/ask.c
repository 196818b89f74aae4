/* SPDX-License-Identifier: GPL-2.0-only */
/* ask.c - debuginfod's client library, which is loaded when --debuginfod says that servers may be asked. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "machine/finder/finder.h"

struct client_library {
	void *(*begin)(void);
	int (*executable)(void *client, const unsigned char *id, int len, char **path);
	int (*debuginfo)(void *client, const unsigned char *id, int len, char **path);
	void (*end)(void *client);
};

static bool entry(void *library, const char *name, void *to)
{
	void *symbol = dlsym(library, name);

	memcpy(to, &symbol, sizeof(symbol));
	return symbol;
}

/* The library stays loaded. False: this machine does not have it. */
static bool load(struct client_library *l)
{
	void *library;

	errno = 0;
	library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		mem_check(errno);
	return library && entry(library, "debuginfod_begin", &l->begin) && entry(library, "debuginfod_end", &l->end) &&
	       entry(library, "debuginfod_find_executable", &l->executable) &&
	       entry(library, "debuginfod_find_debuginfo", &l->debuginfo);
}

static char *ask(const struct build_id *id, const char *name)
{
	struct client_library l;
	char *path = NULL;
	void *client;
	int fd;

	client = load(&l) ? l.begin() : NULL;
	if (!client)
		return NULL;
	fd = (strcmp(name, "executable") ? l.debuginfo : l.executable)(client, id->id, id->len, &path);
	l.end(client);
	if (fd >= 0) {
		close(fd);
		return path;
	}
	free(path);
	mem_check(-fd);
	return NULL;
}

char *finder_ask(const struct finder *f, const struct build_id *id, const char *name)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	char *path;

	if (!f->ask || !id->len)
		return NULL;
	pthread_mutex_lock(&lock);	/* decoding threads look for their files at one time */
	path = ask(id, name);
	pthread_mutex_unlock(&lock);
	return path;
}
