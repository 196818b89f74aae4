/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * records.h - on-disk layouts of perf.data. The record structures come from libperf; this header adds the
 * file level structures, which libperf keeps to itself, and the records that are newer than the
 * libperf of a stable distribution. Own names are used for those, so that a libperf that has
 * them does not clash.
 */
#ifndef CSTRACE_PERFDATA_RECORDS_H
#define CSTRACE_PERFDATA_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <perf/event.h>

#define PD_MAGIC		0x32454c4946524550ULL	/* "PERFILE2" read as little endian */
#define PD_MAGIC_SWAPPED	0x50455246494c4532ULL
#define PD_MAGIC_V1		0x454c494646524550ULL	/* "PERFFILE", before Linux 2.6.37 */

#define PD_FEATURE_BITS		256
#define PD_MAX_RECORD		65535u	/* header.size is 16 bits wide */

struct pd_section {
	uint64_t offset;
	uint64_t size;
};

struct pd_file_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size;
	struct pd_section attrs;
	struct pd_section data;
	struct pd_section event_types;
	uint64_t features[PD_FEATURE_BITS / 64];
};

#define PD_FILE_HEADER_SIZE	104u	/* with the feature map */
#define PD_FILE_HEADER_OLD_SIZE	72u	/* files from before the feature map */
#define PD_PIPE_HEADER_SIZE	16u

/* First version of struct perf_event_attr, and the largest one perf 6.1 reads. */
#define PD_ATTR_SIZE_MIN	64u
#define PD_ATTR_SIZE_OUT	128u

enum pd_feature {
	PD_FEAT_TRACING_DATA	= 1,
	PD_FEAT_BUILD_ID	= 2,
	PD_FEAT_HOSTNAME	= 3,
	PD_FEAT_OSRELEASE	= 4,
	PD_FEAT_VERSION		= 5,
	PD_FEAT_ARCH		= 6,
	PD_FEAT_NRCPUS		= 7,
	PD_FEAT_CPUDESC		= 8,
	PD_FEAT_CPUID		= 9,
	PD_FEAT_TOTAL_MEM	= 10,
	PD_FEAT_CMDLINE		= 11,
	PD_FEAT_EVENT_DESC	= 12,
	PD_FEAT_BRANCH_STACK	= 15,
	PD_FEAT_PMU_MAPPINGS	= 16,
	PD_FEAT_AUXTRACE	= 18,
	PD_FEAT_SAMPLE_TIME	= 21,
	PD_FEAT_CLOCKID		= 23,
	PD_FEAT_DIR_FORMAT	= 24,
	PD_FEAT_BPF_PROG_INFO	= 25,
	PD_FEAT_BPF_BTF		= 26,
	PD_FEAT_COMPRESSED	= 27,
	PD_FEAT_CLOCK_DATA	= 29,
	PD_FEAT_PERF_LAST	= 32,	/* perf 6.1 knows none from here on */
	PD_FEAT_PRIVATE		= 128,	/* simpleperf's own features start here */
	PD_FEAT_SP_FILE		= 128,
	PD_FEAT_SP_META_INFO	= 129,
	PD_FEAT_SP_FILE2	= 132,
	PD_FEAT_SP_BRANCH_LIST	= 133,	/* branch_list.h */
	PD_FEAT_SP_INIT_MAP	= 134,	/* records: what was mapped when a recording of the whole system began */
};

/* Records of simpleperf. Longer ones than PD_MAX_RECORD come as the bodies of SPLIT records up to a SPLIT_END. */
enum {
	PD_RECORD_SP_KERNEL_SYMBOL	= 32769,
	PD_RECORD_SP_SPLIT		= 32772,
	PD_RECORD_SP_SPLIT_END		= 32773,
};

/* The text of /proc/kallsyms. Of its own records simpleperf has the upper half of the size in misc. */
struct pd_record_sp_kernel_symbol {
	struct perf_event_header header;
	uint32_t size;
	char text[];
};

enum {
	PD_RECORD_COMPRESSED2	= 83,
};

#define PD_COMPRESSED_ZSTD	1	/* the type in the feature COMPRESSED */

struct pd_record_compressed2 {
	struct perf_event_header header;
	uint64_t data_size;
	char data[];
};

/*
 * Records for facts of a trace package, or of the piece of a pipe, for which perf has no record.
 * Only recordings that are made of a package or a pipe carry these, in native byte order; they are
 * never written to a file for perf. Each but PD_RECORD_CST_AUX_BEFORE ends with the sample_id
 * trailer of its attr, as records of the kernel do, for its time.
 */
enum {
	PD_RECORD_CST_FIRST	= 0x63737400,
	PD_RECORD_CST_UNMAP	= PD_RECORD_CST_FIRST,
	PD_RECORD_CST_CODE,
	PD_RECORD_CST_ASID,
	PD_RECORD_CST_DEFINE_TRACE,
	PD_RECORD_CST_AUX_BEFORE,
	PD_RECORD_CST_END
};

/* As the package's log names them. */
enum pd_cst_state {
	PD_CST_START,
	PD_CST_END,
	PD_CST_CURRENT,
};

/* [start, start + len) of a process is not mapped any more; pid UINT32_MAX: the kernel. */
struct pd_record_cst_unmap {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, len;
};

/* From now on these bytes are at an address; pid UINT32_MAX: the kernel. */
struct pd_record_cst_code {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr;
	uint64_t size;		/* of bytes[]; padding may follow */
	uint8_t bytes[];
};

struct pd_record_cst_asid {
	struct perf_event_header header;
	uint32_t pid;
	uint32_t asid;
	uint32_t state;		/* enum pd_cst_state */
	uint32_t pad;
};

/* The trace unit of a CPU has this trace ID and these registers. */
struct pd_record_cst_define_trace {
	struct perf_event_header header;
	uint32_t cpu;
	uint8_t trace_id;
	uint8_t state;		/* enum pd_cst_state */
	uint8_t unit;		/* enum aux_unit */
	uint8_t pad;
	uint32_t nr_regs;
	uint32_t pad2;
	struct {
		uint32_t reg;	/* enum aux_reg */
		uint32_t pad;
		uint64_t value;
	} regs[];
};

/*
 * The trace of a buffer before the first AUX record of this piece was written at a time, here in
 * the order of records.
 */
struct pd_record_cst_aux_before {
	struct perf_event_header header;
	uint32_t idx;
	int32_t cpu, tid;	/* of the buffer; -1: none */
	uint32_t pad;
	uint64_t time;	/* UINT64_MAX: not known */
};

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID	(1 << 14)
#endif

#endif
