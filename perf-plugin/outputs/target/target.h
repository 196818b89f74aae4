/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * target.h - the machine that records, as facts: its PMU, trace units, sinks, kernel, settings,
 * user and perf. They are read of sysfs, procfs and a few other files, of this machine or of a
 * saved tree (scripts/collect-target), and nothing is judged here (findings.h).
 *
 * Every text of these structs is what a file holds, so name_shown() belongs around it in text
 * for people.
 */
#ifndef CSTRACE_OUTPUTS_TARGET_TARGET_H
#define CSTRACE_OUTPUTS_TARGET_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What became of a file or folder. A saved tree lists what its collector could not read
 * (TARGET_UNREADABLE).
 */
enum target_seen {
	TARGET_ABSENT,
	TARGET_DENIED,		/* it is there, and this user may not read it */
	/*
	 * it is something else: no regular file, too large, or without the text that belongs
	 * there
	 */
	TARGET_ODD,
	TARGET_SEEN,
};

#define TARGET_UNREADABLE "collected/unreadable"

/* `value` is 0 unless seen is TARGET_SEEN. */
struct target_number {
	enum target_seen seen;
	int64_t value;
};

enum target_arch {
	TARGET_ARCH_UNKNOWN,
	TARGET_ARCH_OTHER,	/* no Arm machine; target.arch_name says which */
	TARGET_ARM32,
	TARGET_ARM64,
};

enum target_answer {
	TARGET_UNKNOWN,
	TARGET_NO,
	TARGET_YES,
};

/* ---- trace units -------------------------------------------------------------------------- */

enum target_unit_kind {
	TARGET_NO_UNIT,
	/* there is one, whose registers say nothing known or cannot be read */
	TARGET_UNIT_UNKNOWN,
	TARGET_ETMV3,
	TARGET_PTM,
	TARGET_ETMV4,
	TARGET_ETE,
};

/* Bits of target_cpu.features. */
enum target_feature {
	TARGET_CYCLES = 1 << 0,		/* TRCIDR0.TRCCCI; all ETMv3 and PTM */
	/*
	 * TRCIDR0.TSSIZE, and a counter and a pair of selectors that the kernel takes for them;
	 * ETMCCER[22]
	 */
	TARGET_TIMESTAMPS = 1 << 1,
	TARGET_RETSTACK = 1 << 2,	/* TRCIDR0.RETSTACK; ETMCCER[23] */
	TARGET_BROADCAST = 1 << 3,	/* TRCIDR0.TRCBB; the kernel refuses it for ETMv3 and PTM */
	/* CONTEXTIDR_EL1 in 4 bytes: TRCIDR2.CIDSIZE; perf has none for ETMv3 and PTM */
	TARGET_CONTEXTID = 1 << 4,
	/* CONTEXTIDR_EL2 as perf demands it: TRCIDR2.VMIDOPT, VMIDSIZE of 4 bytes or more */
	TARGET_CONTEXTID2 = 1 << 5,
	/* what the kernel's strobing takes: two counters, the sequencer, two pairs of selectors */
	TARGET_STROBING = 1 << 6,
};

/* A CPU that is present, with its trace unit. */
struct target_cpu {
	uint32_t cpu;
	/* else registers are not known: the kernel reads them on the CPU itself */
	bool online;
	enum target_unit_kind kind;
	/* of CPUs that are online and have a unit: how many are before it */
	uint32_t rank;
	/* of the trace unit's architecture: 4.2, ETE 1.1; PTM 1.0, ETMv3 3.5 */
	uint8_t major, minor;
	uint32_t features;		/* enum target_feature */
	/* size of a timestamp; 0: none, or not known (ETMv3, PTM) */
	uint32_t ts_bits;
	uint32_t cc_min;		/* TRCIDR3.CCITMIN: the least cc_threshold */
	/* TRFCR.TS of newer kernels: 1 virtual, 2 guest's physical, 3 physical counter */
	struct target_number ts_source;
};

/* ---- sinks -------------------------------------------------------------------------------- */

enum target_sink_kind {
	TARGET_SINK_OTHER,
	TARGET_ETR,		/* system memory, shared */
	/* system memory, of one CPU; no frames, so trace IDs do not matter */
	TARGET_TRBE,
	TARGET_ETF,		/* on-chip RAM */
	TARGET_ETB,
	TARGET_SMB,		/* UltraSoc's buffer of HiSilicon */
	TARGET_TPIU,		/* a port; perf cannot use it */
	NR_TARGET_SINKS
};

/* What a user of perf can name as @NAME. */
struct target_sink {
	char *name;
	enum target_sink_kind kind;
	uint32_t id;		/* value of the event's term sinkid */
	int32_t cpu;		/* of a TRBE; -1: of no CPU */
	/*
	 * bytes: RAM of ETF and ETB; of an ETR what sysfs mode takes, perf has its own; 0:
	 * unknown
	 */
	uint64_t size;
};

/* A term of the event, as cycacc: config:12. */
struct target_term {
	char *name, *bits;
};

struct target_pmu {
	enum target_seen seen;		/* its folder */
	struct target_number type;	/* value of perf_event_attr.type */
	struct target_term *terms;
	size_t nr_terms, cap_terms;
	struct target_sink *sinks;	/* in order of kind, CPU and name */
	size_t nr_sinks, cap_sinks;
	/* the configuration of that name: strobing can be recorded */
	enum target_seen autofdo;
	enum target_seen configfs;	/* the folder cs-syscfg, where strobing is set */
	struct target_number window, period;	/* of strobing, as they are set there */
};

/* ---- kernel, settings, user --------------------------------------------------------------- */

enum target_option {
#define OPTION(name) TARGET_CONFIG_##name,
#include "outputs/target/options.def"
#undef OPTION
	NR_TARGET_OPTIONS
};

enum target_module {
#define MODULE(name, file) TARGET_MODULE_##name,
#include "outputs/target/modules.def"
#undef MODULE
	NR_TARGET_MODULES
};

struct target_kernel {
	char *release;			/* as uname -r; NULL: unknown */
	unsigned int major, minor;	/* 0.0: unknown */
	enum target_seen config;	/* its configuration was found */
	char *config_path;		/* where; NULL: nowhere */
	char option[NR_TARGET_OPTIONS];	/* 'y', 'm', 'n'; 0: unknown */
	struct {
		bool present, loaded;	/* its file is in /lib/modules; it is in /proc/modules */
	} module[NR_TARGET_MODULES];
	enum target_answer kpti;	/* page table isolation is on */
	enum target_answer vhe;		/* it runs at EL2: the term contextid is contextid2 */
	enum target_answer ids_dynamic;	/* trace IDs are allocated (6.3); no: 0x10 + 2 x CPU */
	enum target_seen kcore;
};

/* What firmware describes: nodes of the device tree, or ACPI devices. */
struct target_firmware {
	bool acpi;			/* ACPI, else a device tree or nothing */
	uint32_t units, sinks, links, trbes, others;
};

struct target_settings {
	struct target_number paranoid, kptr_restrict, mlock_kb;
	struct target_number memlock;	/* RLIMIT_MEMLOCK in bytes; INT64_MAX: unlimited */
	uint32_t page_size;
	struct target_number memory_kb;	/* MemTotal of /proc/meminfo */
	char *lockdown;			/* none, integrity or confidentiality; NULL: unknown */
};

struct target_user {
	struct target_number uid;	/* effective */
	struct target_number caps;	/* CapEff, as bits */
	/* not in a container's PID or user namespace */
	enum target_answer first_pid_ns, first_user_ns;
	enum target_answer seccomp;	/* a filter of system calls is on */
};

enum {	/* bits of target_user.caps (capabilities(7)) */
	TARGET_CAP_IPC_LOCK = 14,
	TARGET_CAP_SYS_RAWIO = 17,
	TARGET_CAP_SYS_ADMIN = 21,
	TARGET_CAP_SYSLOG = 34,
	TARGET_CAP_PERFMON = 38,
};

struct target_perf {
	char *path;			/* NULL: there is no perf */
	/* as it prints it; NULL: it was not asked (--root), or it does not run */
	char *version;
	unsigned int major, minor;	/* 0.0: unknown */
	enum target_answer auxtrace;	/* it was built with what records trace */
	enum target_answer opencsd;	/* it can decode CoreSight trace itself */
	char *simpleperf;		/* path of Android's; NULL: there is none */
};

struct target_guest {
	enum target_answer is_one;	/* this machine is virtual */
	char *what;			/* that says so; NULL: unknown */
};

struct target {
	bool live;			/* this machine, else a saved tree */
	enum target_arch arch;
	char *arch_name;		/* as uname -m; NULL: unknown */
	bool android;
	struct target_cpu *cpus;	/* those that are present, in order */
	size_t nr_cpus, cap_cpus;
	uint32_t nr_online;
	struct target_pmu pmu;
	uint32_t bus_units, bus_sinks, bus_links;	/* devices on the coresight bus */
	struct target_kernel kernel;
	struct target_firmware firmware;
	struct target_settings settings;
	struct target_user user;
	struct target_perf perf;
	struct target_guest guest;
	/* paths that were there and could not be taken, for people; at most TARGET_MAX_ODD */
	char **odd;
	size_t nr_odd, cap_odd;
};

#define TARGET_MAX_ODD 16u

struct target_how {
	/* a saved tree: nothing outside it is opened, and no program runs; NULL: this machine */
	const char *root;
	const char *perf;	/* the perf to ask; NULL: that of PATH */
};

/* Reads the facts. What cannot be read is such a fact, so this does not fail. */
void target_read(struct target *t, const struct target_how *how);
void target_free(struct target *t);

/* The term of this name; NULL: the PMU has none. */
const struct target_term *target_term(const struct target *t, const char *name);
/* The number of sinks of a kind; the first one in *first, which may be NULL. */
size_t target_sinks(const struct target *t, enum target_sink_kind kind,
		    const struct target_sink **first);
const char *target_sink_name(enum target_sink_kind kind);	/* "ETR" */
const char *target_unit_name(enum target_unit_kind kind);	/* "ETMv4" */
const char *target_option_name(enum target_option option);	/* "CONFIG_CORESIGHT" */
const char *target_module_name(enum target_module module);	/* as modprobe calls it */
/* Features that every online CPU's trace unit has; those of a CPU without one do not count. */
uint32_t target_common_features(const struct target *t);
/* CPUs that are online and have a trace unit. */
uint32_t target_traced_cpus(const struct target *t);
/* True if the user has this capability (TARGET_CAP_x) where the kernel asks for it. */
bool target_capable(const struct target *t, unsigned int cap);
/*
 * True if perf_event_paranoid is -1 or the user is CAP_PERFMON or CAP_SYS_ADMIN: limits of
 * buffers are off.
 */
bool target_privileged(const struct target *t);

#endif
