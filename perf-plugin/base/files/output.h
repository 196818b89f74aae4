/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output.h - an output file that gets its name only when it is complete; every command writes its outputs so, or into a
 * folder (outdir.h). A file that is read (input.h) is never replaced. Modes follow the umask; a file that is
 * replaced keeps its mode, and its owner where the user may set that. A signal leaves nothing behind (guard.h).
 */
#ifndef CSTRACE_BASE_FILES_OUTPUT_H
#define CSTRACE_BASE_FILES_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

struct pd_output {
	int fd;
	bool stream;		/* cannot seek, has no name to take: stdout, FIFO, device */
	bool own_fd;
	char *path;		/* final name, symbolic links resolved */
	char *name;		/* as the user gave it, for messages */
	char *temp;		/* temporary name, NULL while the file has none */
	bool replaces;		/* a file is there, and this was its state: */
	struct stat old;
	uint64_t written;
	int error;		/* first errno; nothing is written after it */
};

/* "-" is standard output. */
int pd_output_open(struct pd_output *o, const char *path, struct error *err);
/* The same for what is not text: a terminal is refused. */
int pd_output_open_binary(struct pd_output *o, const char *path, struct error *err);
/*
 * A file that a library writes by its name, which is o->temp. What is no file is refused: standard
 * output, a FIFO, a device. The end of such a file is that of any other one.
 */
int pd_output_open_named(struct pd_output *o, const char *path, struct error *err);
/*
 * For commands: opens the output (`binary`: it is not text), and finishes it. 0, or ERR_REPORTED
 * after a message that begins with `who`.
 */
int pd_output_begin(struct pd_output *o, const char *who, const char *path, bool binary);
int pd_output_begin_named(struct pd_output *o, const char *who, const char *path);
int pd_output_end(struct pd_output *o, const char *who);
/* A file that is open and stays the caller's; it gets no name. `name` is for messages. */
void pd_output_fd(struct pd_output *o, int fd, const char *name);
/* The value that ends a run whose output cannot be written, for which pd_output_finish() gives the reason; 0: it can. */
static inline int pd_output_failed(const struct pd_output *o)
{
	return o->error ? ERR_REPORTED : 0;
}
void pd_output_write(struct pd_output *o, const void *data, size_t len);
/* Writes formatted text. For reports: listings format their lines themselves. */
void pd_output_printf(struct pd_output *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Overwrite bytes written before; not for streams. */
void pd_output_patch(struct pd_output *o, uint64_t offset, const void *data, size_t len);
/* Give the file its name, or report the first error and leave nothing behind. Frees @o. */
int pd_output_finish(struct pd_output *o, struct error *err);
void pd_output_abort(struct pd_output *o);
/*
 * Ends an output in which there is nothing (exit code 5): a stream has what was written, and a file
 * of before stays as it was. 0, or the error of a stream.
 */
int pd_output_drop(struct pd_output *o, struct error *err);
/* For commands: pd_output_end() if there is anything, else pd_output_drop() with a message. */
int pd_output_end_if(struct pd_output *o, const char *who, bool anything);

/*
 * Absolute path of what `path` names, links followed; the last component need not exist. A link stays a link: the file that
 * it points to is made or replaced. NULL with errno.
 */
char *output_target(const char *path);
/*
 * The n-th temporary name beside an absolute path: `before`, the begin of its name, the process and
 * n. For the caller to free.
 */
char *output_temp_name(const char *path, const char *before, unsigned int n);
/*
 * ERR_USAGE if the file of this path is one that is read, else 0. For a command whose output is opened before its inputs, or
 * after its work: it fails before that. `name` is what the user calls it.
 */
int output_check(const char *path, const char *name, struct error *err);
/*
 * True if `path` (- is standard output) leads to where an open output goes, so that one of the two
 * would be lost, or both mixed. Devices take any number of outputs.
 */
bool output_meets(const struct pd_output *o, const char *path);
/* All bytes to a descriptor: 0 or errno. */
int output_write_all(int fd, const void *data, size_t len);

#endif
