/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - files that are read, and which files those are. Only regular files are opened here: a FIFO would
 * block, a device need not end. A recording that the user names may be a pipe, too (perfdata/source.h).
 *
 * Every file that is opened, or that the user names, is recorded by device and inode number, so that no output
 * replaces it (output.h), whatever name or link leads there.
 */
#ifndef CSTRACE_BASE_FILES_INPUT_H
#define CSTRACE_BASE_FILES_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* The most that a text file may have: a kernel with everything built in has about 20 MB of names. */
#define INPUT_MAX_TEXT	(256u << 20)

/*
 * A descriptor; -1 with errno, EISDIR or EINVAL: not a regular file. The file may be a member of an
 * archive (archive.h).
 */
int input_open(const char *path, struct stat *st);
/* The same without recording it: for files that are only searched. */
int input_peek(const char *path, struct stat *st);
/* Closes a descriptor, and keeps errno. */
void input_close(int fd);
/* The bytes of a file, mapped (mapped.h), to be freed with input_unmap(); NULL with errno. `prot` is mmap's. */
void *input_map(const char *path, int prot, size_t *size);
void input_unmap(const void *p, size_t size);
/* A copy with a zero behind its end, for the caller to free; NULL with errno, EFBIG: more than `max` bytes. */
char *input_read(const char *path, size_t max, size_t *size);
/* What errno of the functions above means. */
const char *input_error(int error);

/* Records a file that was opened elsewhere. */
void input_note(const struct stat *st);
/* Records a file, or the files in a folder but not below it, that the user names; what is not there is left out. */
void input_note_path(const char *path);
/*
 * The same for one file that a command line names: - is standard input, and a folder is not
 * entered.
 */
void input_note_file(const char *path);
/* True if this regular file was noted as an input. */
bool input_noted(const struct stat *st);
/* Takes one record of the file back: what read it is going to replace it. */
void input_forget(const char *path);
void input_forget_all(void);

/*
 * The path below `root` that a program would open in a file system whose root is there: absolute links and ".."
 * do not lead out. What does not exist is appended as it is. For the caller to free; NULL with errno (ELOOP,
 * ENAMETOOLONG).
 */
char *input_in_root(const char *root, const char *path);

#endif
