/* SPDX-License-Identifier: BSD-3-Clause */
/* perfdata_int.h - shared by perfdata_w.c and perfdata_file.c. */
#ifndef CSTRACE_TESTS_GEN_PERFDATA_INT_H
#define CSTRACE_TESTS_GEN_PERFDATA_INT_H

#include "perfdata_w.h"

#define PERFW_PMU 8u
#define PERFW_ID_ETM 100u
#define PERFW_ID_DUMMY 1000u
#define PERFW_ID_SCHED 2000u
#define PERFW_ID_WINDOWS 3000u
#define PERFW_MAX_CPUS 64
#define PERFW_MAX_FEATURES 8
#define PERFW_FEATURE_BITS 256

struct perfw {
	struct perfw_opts o;
	struct perfw_cpu *cpus;
	int ncpus;
	struct gbuf data;
	struct gbuf plain;	/* records that wait to be compressed */
	void *zstd;
	size_t *aux;		/* where in data the AUXTRACE records are */
	size_t naux, aux_cap;
	struct gbuf ring[PERFW_MAX_CPUS];
	struct perfw_feature {
		int bit;
		struct gbuf bytes;
	} more[PERFW_MAX_FEATURES];
	int nmore;
	struct gbuf init_map;
	int in_init_map;
};

enum perfw_kind {
	EVENT_ETM,
	EVENT_DUMMY,
	EVENT_SCHED,
	EVENT_WINDOWS,	/* PERFW_WINDOW_EVENTS of them */
};

int perfw_events(const struct perfw *w);
/* which one of these the event with this number in the file is */
int perfw_event_kind(const struct perfw *w, int event);
uint64_t perfw_event_id(int kind);

void perfw_begin(struct gbuf *r, uint32_t type, uint16_t misc);
void perfw_user(struct perfw *w, struct gbuf *r);
void perfw_zstd_begin(struct perfw *w);
void perfw_zstd_end(struct perfw *w);
void perfw_compress_blocks(struct perfw *w);	/* full blocks only */
void perfw_compress_rest(struct perfw *w);

#endif
