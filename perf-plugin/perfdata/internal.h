/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h - shared by header.c, meta.c and reader.c. */
#ifndef CSTRACE_PERFDATA_INTERNAL_H
#define CSTRACE_PERFDATA_INTERNAL_H

#include "perfdata/decomp.h"
#include "perfdata/reader.h"
#include "perfdata/source.h"

#define PD_MAX_WARNINGS	16

struct perfdata {
	struct pd_source *src;
	unsigned int nr_src;
	char *dir;
	char *folder;		/* of the main file, if that was opened in the place of its folder */
	bool is_cursor;		/* everything but the position is another one's */

	bool pipe;
	bool swap;
	uint64_t data_offset;
	uint64_t data_end;	/* UINT64_MAX when only the end of the input ends the data */

	struct pd_attrs attrs;
	struct pd_env env;

	struct {
		/* Position of the pass. */
		unsigned int file;
		/* in the records of the feature section INIT_MAP, which come before the data */
		bool init_map;
		uint64_t pos;
		uint64_t end;
		uint64_t seq;
		/*
		 * Records of the main file before this position have been taken into attrs and env.
		 */
		uint64_t meta_done;
		uint64_t released;	/* where mapped_release() was called last */
	} at;

	struct {
		struct pd_decomp *decomp;
		bool expanding;
		bool broken;		/* the zstd stream of this file */
		bool payload_cut;	/* to be reported by the next call */
		uint64_t max_expand;	/* of all compressed records; 0: by their size */
		uint64_t container;	/* offset of the compressed or cut record in question */
	} zstd;

	uint64_t most_trace;	/* in one record (perfdata_limit()); 0: any number of bytes */
	struct pd_stats stats;
	struct error err;
	char *warnings[PD_MAX_WARNINGS];
	unsigned int nr_warnings;

	_Alignas(8) uint8_t bounce[PD_MAX_RECORD + 9];
};

static inline struct pd_source *pd_main(struct perfdata *pd)
{
	return &pd->src[0];
}

void pd_warn(struct perfdata *pd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* header.c: the file or pipe header, attrs and feature sections of the main file. */
int pd_header_read(struct perfdata *pd, struct error *err);

/* meta.c: records that describe other records. @raw is the record as it is in the file. */
void pd_meta_record(struct perfdata *pd, const struct pd_record *rec, const uint8_t *raw);

#endif
