/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * files.h - files around a trace: what the library cstrace-files reads and writes. Like the decoder it does no input or
 * output itself: text and bytes are in memory, or come through a function of the caller. What cstrace.h says about
 * threads, errors, sizes of structs and versions holds here, too.
 */
#ifndef CSTRACE_FILES_FILES_H
#define CSTRACE_FILES_FILES_H

#include <cstrace/version.h>	/* version of the headers and of the library */
#include <cstrace/files/countfile.h>	/* count files: execution counts of all binaries, read, written and added */
#include <cstrace/files/snapshot.h>	/* Arm snapshots */
#include <cstrace/files/doc.h>	/* INI text */
#include <cstrace/files/metadata.h>	/* trace metadata: registers and options */
#include <cstrace/files/event.h>	/* system event log */
#include <cstrace/files/state.h>	/* state of the traced system at a point of its event log */
#include <cstrace/files/package.h>	/* trace packages */
#include <cstrace/files/tarmac.h>	/* Tarmac text: what a model executed, line by line */

#endif
