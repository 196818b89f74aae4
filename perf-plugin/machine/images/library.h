/* SPDX-License-Identifier: GPL-2.0-only */
/* library.h - what the name of a file with code says of it, as it was recorded. */
#ifndef CSTRACE_MACHINE_IMAGES_LIBRARY_H
#define CSTRACE_MACHINE_IMAGES_LIBRARY_H

#include <stdbool.h>

/* True for code that is not a program: shared object, dynamic linker, kernel, vDSO. */
bool library_name(const char *path);
/* True for code that every program has, whatever it does: dynamic linker, C library, kernel, vDSO. */
bool library_of_all(const char *path);

#endif
