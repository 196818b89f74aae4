/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h - files of the target by their names there, and what reads them. */
#ifndef CSTRACE_OUTPUTS_TARGET_INTERNAL_H
#define CSTRACE_OUTPUTS_TARGET_INTERNAL_H

#include "outputs/target/target.h"

struct tree {
	const char *root;	/* NULL: this machine */
	struct target *t;	/* gets the paths of odd files */
	char *unreadable;	/* lines of TARGET_UNREADABLE; NULL: none */
};

/*
 * Lengths of what is read: a file of sysfs; a list; a configuration, of which a kernel with all
 * built in has 300 KB.
 */
#define TREE_MAX_LINE	4096u
#define TREE_MAX_LIST	(64u << 10)
#define TREE_MAX_TEXT	(4u << 20)
/* Entries of a folder that are looked at; a machine of 4096 CPUs has fewer devices. */
#define TREE_MAX_NAMES	65536u

/*
 * A file's text, to be freed; NULL: *seen says why. One with a byte 0, or of more than `max`
 * bytes, is odd.
 */
char *tree_text(struct tree *tr, const char *path, size_t max, enum target_seen *seen);
/* The same for bytes of any kind, of which there are *size. */
char *tree_bytes(struct tree *tr, const char *path, size_t max, size_t *size,
		 enum target_seen *seen);
/* The text without the blanks around it; NULL without one. */
char *tree_word(struct tree *tr, const char *path);
/* A number in a file that holds nothing else; it is decimal, or hexadecimal with 0x. */
struct target_number tree_number(struct tree *tr, const char *path);
/* Whether a file or folder is there; it is not opened. */
enum target_seen tree_seen(struct tree *tr, const char *path);
/* The text of a link, to be freed; NULL: there is none. */
char *tree_link(struct tree *tr, const char *path);

struct tree_list {
	char **v;
	size_t nr, cap;
};

/* The names in a folder, sorted; `folders`: real folders only, of which links are none. */
enum target_seen tree_names(struct tree *tr, const char *path, bool folders,
			    struct tree_list *names);
void tree_names_free(struct tree_list *names);

/* Reads a number that `text` is, without anything behind it but blanks. */
bool text_number(const char *text, int64_t *value);
/*
 * The value behind `key` at the begin of a line, without blanks around it, to be freed; NULL:
 * no such line.
 */
char *text_value(const char *text, const char *key);
/* major and minor version that `text` begins with; both 0 without. */
void text_version(const char *text, unsigned int *major, unsigned int *minor);

/* Each reads its part of the target, in this order. */
void read_machine(struct tree *tr);
void read_cpus(struct tree *tr);	/* cpus.c: CPUs and their trace units */
void read_pmu(struct tree *tr);		/* pmu.c */
void read_kernel(struct tree *tr);	/* kernel.c; needs the terms of the PMU */
void read_firmware(struct tree *tr);	/* firmware.c */
void read_settings(struct tree *tr);	/* settings.c: limits and user */
void read_perf(struct tree *tr, const char *perf);	/* tool.c */

#endif
