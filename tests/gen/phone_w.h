/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * phone_w.h - what Android's simpleperf writes into perf.data beyond what perf writes: symbols of the kernel as
 * records, and the feature sections FILE and FILE2, which say where the code of files was.
 */
#ifndef CSTRACE_TESTS_GEN_PHONE_W_H
#define CSTRACE_TESTS_GEN_PHONE_W_H

#include "perfdata_w.h"

enum { PHONE_FEATURE_FILE = 128, PHONE_FEATURE_FILE2 = 132 };

enum phone_file_type { PHONE_KERNEL, PHONE_MODULE, PHONE_ELF, PHONE_DEX };

struct phone_file {
	const char *path;
	enum phone_file_type type;
	uint64_t vaddr;		/* in the file */
	uint64_t offset;	/* of vaddr: a module's in memory, an ELF file's in the file */
};

/* one file, for the section FILE2 (protobuf messages) or, with old, FILE */
void phone_file(struct gbuf *section, const struct phone_file *f, int old);
/* the text of /proc/kallsyms, in pieces: a record has a 16-bit size */
void phone_kallsyms(struct perfw *w, const char *text);

#endif
