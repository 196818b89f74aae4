/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CSTRACE_SESSION_TEXTFILE_H
#define CSTRACE_SESSION_TEXTFILE_H

/* The text of a file, with a zero behind it, from malloc(); files of 256 MB and more are refused. NULL: errno. */
char *text_file_read(const char *path);

#endif
