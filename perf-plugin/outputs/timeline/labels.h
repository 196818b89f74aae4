/* SPDX-License-Identifier: GPL-2.0-only */
/* labels.h - names of the functions that were called, found while the code that ran is known. */
#ifndef CSTRACE_OUTPUTS_TIMELINE_LABELS_H
#define CSTRACE_OUTPUTS_TIMELINE_LABELS_H

#include "counting/calls/calls.h"

struct dso;
struct labels;
struct session;

/*
 * `code`: how places are found (calls/places.h); labels_code() gives the same and notes names. `demangle`: names of C++
 * functions as in the source.
 */
struct labels *labels_new(struct session *ss, const struct calls_code *code, bool demangle);
void labels_free(struct labels *n);
struct calls_code labels_code(struct labels *n);

/*
 * Name of the function that begins at a place: its symbol, or [FILE+0xOFFSET] as in profiles. Escaped as text (base/name.h). Valid until the
 * next call.
 */
const char *labels_of(struct labels *n, calls_place entry);
/* The file of a place but CALLS_NO_PLACE. */
struct dso *labels_dso(const struct labels *n, calls_place place);
/* Its name without its folders; NULL: none. */
const char *labels_file(struct labels *n, calls_place entry);

#endif
