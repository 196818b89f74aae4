/* SPDX-License-Identifier: GPL-2.0-only */
/* demangle.h - names of C++ functions as in the source, by the C++ library of this machine, which is loaded when needed. */
#ifndef CSTRACE_OUTPUTS_SOURCES_DEMANGLE_H
#define CSTRACE_OUTPUTS_SOURCES_DEMANGLE_H

/*
 * Returns the name in memory that the caller frees; NULL: it is no such name, there is no C++ library, or the name expands to
 * more than a bound, which no name of a program does that was not made to.
 */
char *demangled(const char *name);

#endif
