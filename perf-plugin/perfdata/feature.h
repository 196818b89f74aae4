/* SPDX-License-Identifier: GPL-2.0-only */
/* feature.h - feature sections: the recorder's description of the machine, the command and the events. */
#ifndef CSTRACE_PERFDATA_FEATURE_H
#define CSTRACE_PERFDATA_FEATURE_H

#include "perfdata/attr.h"
#include "perfdata/bytes.h"
#include "perfdata/records.h"

struct pd_build_id {
	uint32_t pid;		/* ~0 for the host */
	uint16_t misc;
	uint8_t size;		/* 1 to 20 */
	uint8_t id[20];
	const char *filename;
};

struct pd_pmu_mapping {
	uint32_t type;
	const char *name;
};

/* Strings point into the input; NULL or 0 when the file does not say. */
struct pd_env {
	const char *hostname;
	const char *osrelease;
	const char *version;
	const char *arch;
	uint32_t nrcpus_avail;
	uint32_t nrcpus_online;
	const char **cmdline;
	uint32_t nr_cmdline;
	size_t cap_cmdline;
	struct pd_build_id *build_ids;
	uint32_t nr_build_ids;
	size_t cap_build_ids;
	struct pd_pmu_mapping *pmus;
	uint32_t nr_pmus;
	size_t cap_pmus;
	uint64_t sample_time_first;
	uint64_t sample_time_last;
	bool dir_format;
	uint64_t dir_version;
	/* Every section as it is in the file, by feature bit; ptr is NULL when absent. */
	struct pd_feature_bytes {
		const uint8_t *ptr;
		uint64_t len;
		uint64_t offset;
		bool damaged;	/* not as its kind should be: of no use to others */
	} raw[PD_FEATURE_BITS];
};

/*
 * Take in one section. EVENT_DESC gives names to @as. Returns NULL, or what is wrong with the
 * section, as a phrase for a message; nothing wrong with one section is fatal.
 */
const char *pd_feature_read(struct pd_env *env, struct pd_attrs *as, unsigned int bit,
			    const uint8_t *p, uint64_t len, uint64_t offset, bool swap);

/* A build-id entry from a section or a HEADER_BUILD_ID record, in host byte order. */
void pd_feature_add_build_id(struct pd_env *env, const struct perf_record_header_build_id *rec);

void pd_env_free(struct pd_env *env);

/* "HOSTNAME" and so on, for messages. */
const char *pd_feature_name(unsigned int bit);

#endif
