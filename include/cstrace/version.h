/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * version.h - the version of these headers, for the preprocessor, and of the library that a program runs with. The
 * Makefile takes both from here.
 */
#ifndef CSTRACE_VERSION_H
#define CSTRACE_VERSION_H

#include <cstrace/types.h>

CST_BEGIN

#define CST_VERSION_MAJOR 0	/* changes with the soname: programs must be compiled again */
#define CST_VERSION_MINOR 2	/* changes when functions, fields or values are added */
#define CST_VERSION_PATCH 0

/* One number that grows with each version, for #if: CST_VERSION_NUMBER >= CST_VERSION_MAKE(0, 2, 0). */
#define CST_VERSION_MAKE(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))
#define CST_VERSION_NUMBER CST_VERSION_MAKE(CST_VERSION_MAJOR, CST_VERSION_MINOR, CST_VERSION_PATCH)

#define CST_VERSION_TEXT_OF_(major, minor, patch) #major "." #minor "." #patch
#define CST_VERSION_TEXT_OF(major, minor, patch) CST_VERSION_TEXT_OF_(major, minor, patch)
#define CST_VERSION_TEXT \
	CST_VERSION_TEXT_OF(CST_VERSION_MAJOR, CST_VERSION_MINOR, CST_VERSION_PATCH) /* "0.2.0" */

/* CST_VERSION_NUMBER of the library that the program runs with. Safe from any thread. */
CST_API unsigned int cst_version(void);

CST_END

#endif
