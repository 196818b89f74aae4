/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * finder.h - finds the files that belong to a program: its debug file, the files that this one names in turn, and what caches
 * hold of it. Files are regular ones, inside the root where one is given (links are resolved as the recorded machine would),
 * and proven: by build-id, else by the checksum that the program has of them. Each search records what it tried.
 */
#ifndef CSTRACE_MACHINE_FINDER_FINDER_H
#define CSTRACE_MACHINE_FINDER_FINDER_H

#include "machine/finder/build_id.h"

/* Where files are searched; the texts are the caller's and stay. */
struct finder {
	const char *symfs;		/* root of the recorded machine's files; NULL: this machine's */
	const char *buildid_dir;	/* perf's build-id cache; NULL: ~/.debug */
	bool ask;			/* at last of the servers in $DEBUGINFOD_URLS */
};

enum find_what {
	FIND_DEBUG,		/* the file with DWARF and symbols that were split off a program */
	FIND_ALT,		/* the file with what several debug files share (dwz) */
	FIND_DWO,		/* split DWARF of one unit */
	FIND_DWP,		/* split DWARF of a program */
};

struct find_query {
	enum find_what what;
	const char *path;	/* recorded path of the program */
	const char *file;	/* its file here, or the file that has the link */
	struct build_id id;	/* that the file must have; length 0: unknown. FIND_DWO, FIND_DWP: not used */
	const char *link;	/* name in .gnu_debuglink or .gnu_debugaltlink, or DW_AT_dwo_name; NULL: none */
	uint32_t crc;		/* FIND_DEBUG with `link`: CRC-32 of the file */
	const char *dir;	/* FIND_DWO: DW_AT_comp_dir, NULL: none */
	const char *program;	/* FIND_DWO, FIND_DWP: the program's file, if `file` is its debug file; else NULL */
};

enum find_verdict {
	FIND_USED,
	FIND_ABSENT,
	FIND_NOT_REGULAR,
	FIND_UNREADABLE,
	FIND_NOT_ELF,
	FIND_OTHER_ID,		/* its build-id differs */
	FIND_OTHER_SUM,		/* its checksum differs */
	FIND_OTHER_CODE,	/* nothing proves it, and its segments differ */
	FIND_LARGE,		/* it is too large for its checksum to be computed */
};

struct finding {
	char *path;		/* the file that was found; NULL: none */
	bool assumed;		/* neither build-id nor checksum proves that it is the right one */
	struct find_try {
		char *path;
		const char *place;	/* what kind of place that is; NULL: the path says it */
		enum find_verdict verdict;
	} *v;			/* in the order of the search */
	size_t nr, cap;
};

/* Searches. False: nothing was found. *found is to be freed with finding_free() in either case. */
bool finder_search(const struct finder *f, const struct find_query *q, struct finding *found);
void finding_free(struct finding *found);
/*
 * Returns what was tried, in words, for a message behind "its debug file was not found"; to be
 * freed by the caller.
 */
char *finding_text(const struct finding *found);

/*
 * The path of a name of the recorded machine on this one: links and ".." stay inside the root.
 * NULL: links in a circle.
 */
char *finder_path(const struct finder *f, const char *path);
/* Returns the path of a file in the build-id cache, as "/elf". NULL: no cache. */
char *finder_cache_path(const struct finder *f, const struct build_id *id, const char *name);

#define FINDER_DEBUGINFOD_FOLDERS	4u

/*
 * Returns the path of a file, "executable" or "debuginfo", in the `nth` folder, of FINDER_DEBUGINFOD_FOLDERS, in which
 * debuginfod's clients keep what they fetched. Nothing is fetched. NULL: there is no such folder.
 */
char *finder_debuginfod_path(unsigned int nth, const struct build_id *id, const char *name);
/* Asks the servers for such a file if the options say so, and returns its path. NULL: not asked, or they do not have it. */
char *finder_ask(const struct finder *f, const struct build_id *id, const char *name);

#endif
