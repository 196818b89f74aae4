/* SPDX-License-Identifier: BSD-3-Clause */
#include "tracing_w.h"

#include <stdio.h>
#include <string.h>

#include "perfdata_w.h"

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static const char header_event[] =
	"# compressed entry header\n"
	"\ttype_len    :    5 bits\n"
	"\ttime_delta  :   27 bits\n"
	"\tarray       :   32 bits\n"
	"\n"
	"\tpadding     : type == 29\n"
	"\ttime_extend : type == 30\n"
	"\ttime_stamp : type == 31\n"
	"\tdata max type_len  == 28\n";

/* of every tracepoint */
#define COMMON_FIELDS \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n" \
	"\n"

static const char sched_switch[] =
	"name: sched_switch\n"
	"ID: %d\n"
	"format:\n"
	COMMON_FIELDS
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"prev_comm=%%s prev_pid=%%d prev_prio=%%d prev_state=%%s ==> next_comm=%%s "
	"next_pid=%%d next_prio=%%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
	"(REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) "
	"+ 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 | "
	"0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1), \"|\", { 0x0001, \"S\" }, { 0x0002, \"D\" }, "
	"{ 0x0004, \"T\" }, { 0x0008, \"t\" }, { 0x0010, \"X\" }, { 0x0020, \"Z\" }, { 0x0040, \"P\" }, "
	"{ 0x0080, \"I\" }) : \"R\", REC->prev_state & (((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | "
	"0x0010 | 0x0020 | 0x0040) + 1) << 1) ? \"+\" : \"\", REC->next_comm, REC->next_pid, "
	"REC->next_prio\n";

static const char wake_idle[] =
	"name: sched_wake_idle_without_ipi\n"
	"ID: %d\n"
	"format:\n"
	COMMON_FIELDS
	"\tfield:int cpu;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"cpu=%%d\", REC->cpu\n";

static void string(struct gbuf *out, const char *s)
{
	gbuf_put(out, s, strlen(s) + 1);
}

static void file(struct gbuf *out, const char *text)
{
	gbuf_u64(out, strlen(text));
	gbuf_put(out, text, strlen(text));
}

void tracing_write(struct gbuf *out, int tracepoint)
{
	char format[4096];

	gbuf_put(out, "\x17\x08\x44tracing", 10);
	string(out, "0.6");
	gbuf_u8(out, 0);	/* little endian */
	gbuf_u8(out, 8);	/* bytes of a long */
	gbuf_u32(out, 4096);
	string(out, "header_page");
	file(out, header_page);
	string(out, "header_event");
	file(out, header_event);
	gbuf_u32(out, 0);	/* events of ftrace itself */
	gbuf_u32(out, 1);	/* subsystems */
	string(out, "sched");
	gbuf_u32(out, 1);
	snprintf(format, sizeof(format),
		 tracepoint == PERFW_SCHED_SWITCH ? sched_switch : wake_idle, tracepoint);
	file(out, format);
	gbuf_u32(out, 0);	/* kallsyms */
	gbuf_u32(out, 0);	/* printk formats */
	file(out, "1000 one\n1100 two\n");	/* command names */
}
