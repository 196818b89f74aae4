/* SPDX-License-Identifier: GPL-2.0-only */
/* demangle.c - __cxa_demangle() (Itanium C++ ABI, 3.4). */
#include "sources/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef char *(*demangle_fn)(const char *name, char *buf, size_t *size, int *status);

static demangle_fn demangler(void)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++abi.so.1" };
	static demangle_fn found;
	void *symbol, *library;
	size_t i;

	for (i = 0; !found && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
		symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
		memcpy(&found, &symbol, sizeof(found));
	}
	return found;
}

char *demangled(const char *name)
{
	demangle_fn f = strncmp(name, "_Z", 2) ? NULL : demangler();
	int status;

	return f ? f(name, NULL, NULL, &status) : NULL;
}
