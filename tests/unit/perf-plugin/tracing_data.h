/* SPDX-License-Identifier: BSD-3-Clause */
/* tracing_data.h - the tracing data of a recording with sched:sched_switch, as perf record writes it. */
#ifndef TESTS_TRACING_DATA_H
#define TESTS_TRACING_DATA_H

#include <string.h>

#include "perfdata_build.h"

#define TD_SWITCH_ID 314u

/* As /sys/kernel/tracing/events/sched/sched_switch/format of a 64-bit kernel has it. */
static const char td_format[] =
	"name: sched_switch\nID: 314\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_comm=%s prev_pid=%d ==> next_comm=%s next_pid=%d\", REC->prev_comm, REC->prev_pid, "
	"REC->next_comm, REC->next_pid\n";

#define TD_RAW_SIZE 64u

static inline void td_block(struct pdb *b, const char *name, const char *body)
{
	if (name)
		pdb_bytes(b, name, strlen(name) + 1);
	pdb_u64(b, strlen(body));
	pdb_bytes(b, body, strlen(body));
}

/* The format stands behind those of `others` systems; NULL: no event at all. */
static inline void td_build_behind(struct pdb *b, uint32_t others, const char *format)
{
	static const char other[] = "name: sys_enter\nID: 21\nformat:\n\nprint fmt: \"\"\n";
	const uint16_t one = 1;
	uint8_t big = !*(const uint8_t *)&one != b->swap;

	pdb_bytes(b, "\x17\x08\x44tracing" "0.6", 14);
	pdb_bytes(b, &big, 1);
	pdb_bytes(b, "\x08", 1);
	pdb_u32(b, 4096);
	td_block(b, "header_page", "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
	td_block(b, "header_event", "# compressed entry header\n");
	pdb_u32(b, 1);
	td_block(b, NULL, "name: function\nID: 1\nformat:\n");
	pdb_u32(b, others + (format != NULL));
	while (others--) {
		pdb_bytes(b, "raw_syscalls", 13);
		pdb_u32(b, 1);
		td_block(b, NULL, other);
	}
	if (format) {
		pdb_bytes(b, "sched", 6);
		pdb_u32(b, 2);
		td_block(b, NULL, other);
		td_block(b, NULL, format);
	}
	pdb_u32(b, 0);	/* kallsyms */
	pdb_u32(b, 0);	/* printk formats */
	pdb_u64(b, 0);	/* saved command lines */
}

static inline void td_build(struct pdb *b, const char *format)
{
	td_build_behind(b, 1, format);
}

/* Raw data of a sample. */
static inline void td_switch(struct pdb *b, uint32_t prev, uint32_t next)
{
	pdb_u16(b, TD_SWITCH_ID);
	pdb_u16(b, 0);
	pdb_u32(b, prev);
	pdb_bytes(b, "before\0\0\0\0\0\0\0\0\0", 16);
	pdb_u32(b, prev);
	pdb_u32(b, 120);
	pdb_u64(b, 1);
	pdb_bytes(b, "after\0\0\0\0\0\0\0\0\0\0", 16);
	pdb_u32(b, next);
	pdb_u32(b, 120);
}

#endif
