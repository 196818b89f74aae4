/* SPDX-License-Identifier: GPL-2.0-only */
/* dso_table.h - the files of a recording, and where each is looked for on this machine. */
#ifndef CSTRACE_MACHINE_IMAGES_DSO_TABLE_H
#define CSTRACE_MACHINE_IMAGES_DSO_TABLE_H

#include "machine/finder/finder.h"
#include "machine/images/dso.h"

/* Table of files by recorded path. */
struct dso_places {
	struct dso_place {
		char *path;
		char *file;
		size_t number;
		int pid;	/* of a jitdump file that no record names: whose it is; -1: not known */
		bool taken;	/* used for a record */
	} *v;
	size_t nr, cap;
	bool sorted;
};

void dso_places_add(struct dso_places *p, const char *path, const char *file);
void dso_places_free(struct dso_places *p);
/* Returns the `nth` file that was added for the path, NULL if there are fewer. */
struct dso_place *dso_places_find(struct dso_places *p, const char *path, unsigned int nth);

/* The files that a package or snapshot contains besides its records. */
struct dso_bundle {
	struct dso_places images;	/* by recorded path */
	struct dso_places jitdumps;	/* by recorded path, if there is one */
	char *kcore, *kallsyms;		/* NULL: none */
};

void dso_bundle_free(struct dso_bundle *b);

struct dso_search {
	struct dso_bundle bundle;	/* searched before any other place */
	const char *symfs;
	const char *vmlinux;
	const char *buildid_dir;	/* NULL: ~/.debug */
	bool debuginfod;		/* servers may be asked */
	struct finder finder;		/* these three; see dso_search_finder() */
	const char *kcore;		/* this and the next ones as given by the user; NULL: not given */
	const char *kallsyms;
	const char *jitdump;		/* files, separated by commas */
	const char *osrelease;		/* of the recorded machine; NULL: unknown */
	bool force;
	bool build_ids;			/* records of maps have build-ids */
	bool other_recorder;		/* not recorded by perf, so its options are no remedy */
	struct kernel_images *kernel;	/* for linking modules; NULL: none */
	struct symfs_index *index;	/* files below symfs, built when first needed */
};

struct dso_table {
	struct dso **bucket;
	size_t nr_buckets;
	struct dso **all;		/* in the order of first use; also those of guests */
	size_t nr, cap;
	/*
	 * Of a guest: the host's table, which lists and numbers the guest's files, too, and must be
	 * freed first. NULL: this one is the host's.
	 */
	struct dso_table *host;
	const char *name;		/* of a guest: "guest 3", for messages */
	const char *kernel_name;	/* of a guest: name of its kernel; NULL: as recorded */
	struct dso_search search;
};

void dso_table_init(struct dso_table *t);
void dso_table_free(struct dso_table *t);
/* Returns the dso for a recorded path and build-id (len 0: none recorded). */
struct dso *dso_table_get(struct dso_table *t, const char *path, const struct build_id *id, bool kernel);

/* As dso_table_get(), for a kernel module that was loaded at `addr`. */
struct dso *dso_table_get_module(struct dso_table *t, const char *path, const struct build_id *id,
				 uint64_t addr);
/* True if the kernel uses such a name for a module. */
bool dso_is_module(const char *path);
/* What a recorded name says of a map without a build-id (dso_names.c). */
enum dso_name {
	NAME_FILE,	/* a path */
	NAME_LOST,	/* a file whose name is too long for the kernel to record */
	NAME_PAGE,	/* a page with code that the kernel gives to 32-bit programs */
	/* from here on no file can be found: */
	NAME_MEMORY,	/* memory without a file, or with a file that no path leads to */
	/*
	 * a file in memory, without a path: a program may run from it, or have its generated code
	 * there
	 */
	NAME_MEMFD,
	NAME_DEVICE,	/* memory of a device or of the kernel */
	NAME_UPROBES,	/* the kernel's copies of single instructions that probes replaced */
};
enum dso_name dso_name_kind(const char *path);
/* True if no file can be found for a map of this name without a build-id. */
bool dso_name_is_anon(const char *path);
/*
 * dso_archive.c: returns the dso of the code that a map of `d` at *off shows: the member of the
 * archive, with *off made relative to it, or `d` itself.
 */
struct dso *dso_table_member(struct dso_table *t, struct dso *d, uint64_t *off);
/* Returns the first dso of this kind and path, NULL if there is none. */
struct dso *dso_table_find(const struct dso_table *t, const char *path, uint8_t kind);
/* Adds a dso that cannot be found by path; the caller fills it in. */
struct dso *dso_table_add(struct dso_table *t, const char *path, uint8_t kind);

/*
 * Sets the build-id that the file header has for a path, unless its records have one. False: the header has another one for
 * it, too, which stays.
 */
bool dso_table_set_build_id(struct dso_table *t, const char *path, const struct build_id *id);

/* Sets the recorded position of .text for all modules of a path. */
void dso_table_set_text(struct dso_table *t, const char *path, uint64_t in_file, uint64_t in_memory);

/*
 * Finds, checks and maps the file as its table says, once. Returns true if its bytes are available.
 */
bool dso_load(struct dso *d);
/* dso_find.c: iterates over the files to try, best first; returns false at the end. */
struct dso_candidates {
	unsigned int step, sub;
	bool more;		/* the step has further files */
	bool by_name;
	bool from_host;		/* a file of this machine at the recorded path */
	bool from_input;
	bool replaced;		/* the recorded file was unlinked before the recorder saw its name: this one came later */
	char path[4096];
};
/* Returns the places where files that belong to a program are searched; it stays as long as the search. */
const struct finder *dso_search_finder(struct dso_search *s);
bool dso_next_candidate(struct dso_search *s, const struct dso *d, struct dso_candidates *c);

/* symfs_index.c: finds files below a directory by build-id. */
const char *symfs_by_build_id(struct dso_search *s, const struct build_id *id);
/* Returns the `nth` file with this base name. */
const char *symfs_by_name(struct dso_search *s, const char *name, unsigned int nth);
void symfs_index_free(struct symfs_index *ix);

#endif
