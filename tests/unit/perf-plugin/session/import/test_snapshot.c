/* SPDX-License-Identifier: BSD-3-Clause */
/* Snapshots as records: the processes that the contexts in the trace become, numbers of CPUs, sources and buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "perfdata/auxinfo.h"
#include "perfdata/reader.h"
#include "session/import/import.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/temp_dir.h"

TEMP_DIR("snapshot")

static struct import_input in;
static struct said said;

static void write_text(const char *name, const char *text)
{
	temp_write(dir, name, text, strlen(text));
}

static void append_text(const char *name, const char *text)
{
	FILE *f = fopen(temp_path(dir, name), "a");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* A trace unit. `more` are further registers. */
static void source(const char *name, const char *type, const char *more)
{
	char file[64], text[400];

	snprintf(file, sizeof(file), "%s.ini", name);
	snprintf(text, sizeof(text), "[device]\nname=%s\nclass=trace_source\ntype=%s\n[regs]\nTRCTRACEIDR=0x10\nTRCCONFIGR=0x40\n"
		 "TRCIDR0=0x28000ea1\nTRCIDR1=0x4100f403\nTRCIDR2=0x488\n%s", name, type, more);
	write_text(file, text);
}

static void core(const char *name)
{
	char file[64], text[200];

	snprintf(file, sizeof(file), "%s.ini", name);
	snprintf(text, sizeof(text), "[device]\nname=%s\nclass=core\ntype=Cortex-A53\n[regs]\nPC(size:64)=0\n", name);
	write_text(file, text);
}

/* A snapshot of one core, "cpu_0", whose trace unit wrote these bytes. */
static void one_core(struct pdb *trace)
{
	core("cpu_0");
	source("etm", "ETM4", "TRCIDR8=0\n");
	write_text("snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\ndevice1=etm.ini\n"
		   "[trace]\nmetadata=trace.ini\n");
	write_text("trace.ini", "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB\nfile=trace.bin\nformat=source_data\n"
		   "[source_buffers]\netm=ETB\n[core_trace_sources]\ncpu_0=etm\n");
	temp_write(dir, "trace.bin", trace->p, trace->len);
	pdb_free(trace);
	memset(trace, 0, sizeof(*trace));
}

static void open_it(void)
{
	struct error err = { .msg = "" };
	int rc;

	said_begin(&said);
	rc = import_open(&in, dir, NULL, &err);
	said_end(&said);
	assert_string_equal(err.msg, "");
	assert_int_equal(rc, 0);
}

static void close_it(void)
{
	perfdata_close(in.pd);
	dso_bundle_free(&in.bundle);
	free(in.configs.v);
}

/* Execution in a context: an address with the context ID, and an atom. */
static void context(struct pdb *trace, uint32_t id)
{
	pdb_bytes(trace, "\x85\0\0\x40\0\0\0\0\0\xb0", 10);
	pdb_u32(trace, id);
	pdb_bytes(trace, "\xf7", 1);
}

/* The processes in the order of their records; of those that were forked also the parent. */
static const char *processes(void)
{
	static char text[200];
	struct pd_record rec;
	size_t n = 0;
	int rc;

	open_it();
	*text = '\0';
	while ((rc = perfdata_next(in.pd, &rec))) {
		assert_int_equal(rc, 1);
		if (rec.ev->header.type == PERF_RECORD_COMM)
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %d", (int)rec.ev->comm.pid);
		else if (rec.ev->header.type == PERF_RECORD_FORK)
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %d<", (int)rec.ev->fork.ppid);
		assert_true(n < sizeof(text));
	}
	close_it();
	return text;
}

/* ---- contexts -------------------------------------------------------------------------------------- */

static void contexts(void **state)
{
	struct pdb trace = { 0 }, frames = { 0 };

	(void)state;
	sb_trace_at(&trace, 0, SB_BASE, 0);
	one_core(&trace);
	assert_string_equal(processes(), " 1");	/* the trace names none */
	sb_trace_at(&trace, 100, SB_BASE, 0);
	context(&trace, 200);
	context(&trace, 100);
	one_core(&trace);
	assert_string_equal(processes(), " 100 100< 200");
	/* 0 and what is no process ID */
	sb_trace_at(&trace, 0x80000000u, SB_BASE, 0);
	context(&trace, 0);
	context(&trace, 300);
	one_core(&trace);
	assert_string_equal(processes(), " 300");
	/* the first of the files of a buffer ends within a frame */
	sb_trace_at(&trace, 100, SB_BASE, 0);
	context(&trace, 200);
	sb_frames(&frames, &trace, 0x10);
	one_core(&trace);
	temp_write(dir, "first.bin", frames.p, 20);
	temp_write(dir, "second.bin", frames.p + 20, frames.len - 20);
	write_text("trace.ini", "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB\nfile=first.bin,second.bin\nformat=coresight\n"
		   "[source_buffers]\netm=ETB\n[core_trace_sources]\ncpu_0=etm\n");
	assert_string_equal(processes(), " 100 100< 200");
	pdb_free(&frames);
}

/* The process is in the VMID where that holds the context ID of EL2, and else in the context ID. */
static void virtual_contexts(void **state)
{
	static const struct {
		const char *configr;
		uint8_t info;		/* of Context packets: which of the two follow */
		const char *processes;
	} cases[] = {
		{ "0x8080", 0x70, " 100 100< 200" },	/* VMID, of EL2 */
		{ "0x80c0", 0xf0, " 100 100< 200" },
		{ "0x40", 0xb0, " 300 300< 400" },
		{ "0xc0", 0xf0, " 300 300< 400" },	/* the VMID is that of a virtual machine */
		{ "0x80", 0x70, " 1" },
	};
	static const uint8_t start[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x04 };
	struct pdb trace = { 0 };
	char text[200];
	unsigned int i, k;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pdb_bytes(&trace, start, sizeof(start));
		for (k = 0; k < 2; k++) {
			pdb_bytes(&trace, "\x85\0\0\x40\0\0\0\0\0", 9);
			pdb_bytes(&trace, &cases[i].info, 1);
			if (cases[i].info & 0x40)
				pdb_u32(&trace, 100 + 100 * k);
			if (cases[i].info & 0x80)
				pdb_u32(&trace, 300 + 100 * k);
			pdb_bytes(&trace, "\xf7", 1);
		}
		one_core(&trace);
		snprintf(text, sizeof(text), "[device]\nname=etm\nclass=trace_source\ntype=ETM4\n[regs]\nTRCTRACEIDR=0x10\n"
			 "TRCCONFIGR=%s\n", cases[i].configr);
		temp_write(dir, "etm.ini", text, strlen(text));
		append_text("etm.ini", "TRCIDR0=0x28000ea1\nTRCIDR1=0x4100f403\nTRCIDR2=0x20001088\nTRCIDR8=0\n");
		assert_string_equal(processes(), cases[i].processes);
	}
}

/*
 * The trace ends behind the commit of a transaction, before all in front of that is committed: what is committed of the
 * transaction was executed all the same (K10.5.4.3.1), and its context is known only at the end.
 */
static void in_a_transaction(void **state)
{
	struct pdb trace = { 0 };

	(void)state;
	sb_trace_at(&trace, 100, SB_BASE, 0);
	pdb_bytes(&trace, "\x2d\x18\x0a", 3);	/* all atoms so far are committed; a transaction starts */
	context(&trace, 200);
	pdb_bytes(&trace, "\x2d\x02\xf7\x0b", 4);	/* up to here; one more atom, and the commit of the transaction */
	one_core(&trace);
	source("etm", "ETE", "TRCIDR8=32\nTRCDEVARCH=0x47705a13\n");
	assert_string_equal(processes(), " 100 100< 200");
}

/* There is room for 4096 contexts; those behind them are counted, each time that they occur. */
static void many_contexts(void **state)
{
	struct pdb trace = { 0 };
	struct pd_record rec;
	unsigned int i, more, n;
	char want[200];
	int rc;

	(void)state;
	for (more = 0; more < 3; more++) {
		sb_trace_at(&trace, 1000, SB_BASE, 0);
		for (i = 1; i < 4096 + more; i++)
			context(&trace, 1000 + i);
		context(&trace, 1001);
		one_core(&trace);
		open_it();
		for (n = 0; (rc = perfdata_next(in.pd, &rec)); ) {
			assert_int_equal(rc, 1);
			n += rec.ev->header.type == PERF_RECORD_COMM;
		}
		close_it();
		assert_int_equal(n, 4096);
		assert_int_equal(in.dropped, more);
		snprintf(want, sizeof(want), "cstrace: %s: dropped: contexts after the first 4096\n", dir);
		assert_string_equal(said.text, more ? want : "");
	}
}

/* ---- units ----------------------------------------------------------------------------------------- */

/* A core whose name ends with up to four digits has that number, if no other has; the others get the lowest that are free. */
static void numbers_of_cpus(void **state)
{
	static const struct {
		const char *cores[4];
		int cpus[4];
		unsigned int nr;	/* as the header says: one more than the highest */
	} cases[] = {
		{ { "cpu_3", "cpu_0", "A53_12", "x9999" }, { 3, 0, 12, 9999 }, 10000 },
		{ { "one", "cpu_0", "two", "cpu_1" }, { 0, 1, 2, 3 }, 4 },
		{ { "a2", "b2", "c12345", "d1" }, { 2, 0, 1, 3 }, 4 },
		{ { "7", "_00008", "0x1", "c" }, { 7, 0, 1, 2 }, 8 },
	};
	struct pdb trace = { 0 };
	char list[600], buffers[400], name[32];
	size_t i, k, n, m;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sb_trace_at(&trace, 100, SB_BASE, 0);
		one_core(&trace);
		n = (size_t)snprintf(list, sizeof(list), "[snapshot]\nversion=1.0\n[device_list]\n");
		m = (size_t)snprintf(buffers, sizeof(buffers), "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB\n"
				     "file=trace.bin\nformat=coresight\n[core_trace_sources]\n");
		for (k = 0; k < 4; k++) {
			core(cases[i].cores[k]);
			snprintf(name, sizeof(name), "etm_%zu", k);
			source(name, "ETM4", "TRCIDR8=0\n");
			n += (size_t)snprintf(list + n, sizeof(list) - n, "device%zu=%s.ini\ndevice%zu=%s.ini\n", 2 * k,
					      cases[i].cores[k], 2 * k + 1, name);
			m += (size_t)snprintf(buffers + m, sizeof(buffers) - m, "%s=%s\n", cases[i].cores[k], name);
		}
		m += (size_t)snprintf(buffers + m, sizeof(buffers) - m, "[source_buffers]\netm_0=ETB\n");
		snprintf(list + n, sizeof(list) - n, "[trace]\nmetadata=trace.ini\n");
		write_text("snapshot.ini", list);
		write_text("trace.ini", buffers);
		open_it();
		assert_int_equal(in.configs.nr, 4);
		for (k = 0; k < 4; k++)
			assert_int_equal(in.configs.v[k].cpu, cases[i].cpus[k]);
		assert_int_equal(perfdata_env(in.pd)->nrcpus_avail, cases[i].nr);
		close_it();
	}
}

/* The records of the trace units, as any reader of perf.data finds them. */
static void check_info(const char *want)
{
	struct auxinfo info;
	struct pd_record rec;
	struct error err;
	char text[300];
	unsigned int i, k;
	size_t n = 0;
	int rc;

	open_it();
	while ((rc = perfdata_next(in.pd, &rec)) && rec.ev->header.type != PERF_RECORD_AUXTRACE_INFO)
		assert_int_equal(rc, 1);
	assert_int_equal(rc, 1);
	memset(&info, 0, sizeof(info));
	assert_int_equal(auxinfo_parse(&info, &rec.ev->auxtrace_info, rec.ev->header.size, "", rec.offset, &err), 0);
	for (i = 0; i < info.nr_cpu; i++) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%d:", (int)info.cpu[i].cpu);
		for (k = 0; aux_reg_name(info.cpu[i].unit, k); k++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, " %s=%x", aux_reg_name(info.cpu[i].unit, k),
					      (unsigned int)info.cpu[i].reg[k]);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "\n");
	}
	assert_true(n < sizeof(text));
	assert_string_equal(text, want);
	auxinfo_free(&info);
	close_it();
}

static void registers(void **state)
{
	struct pdb trace = { 0 };

	(void)state;
	sb_trace_at(&trace, 100, SB_BASE, 0);
	one_core(&trace);
	source("etm", "ETM4", "TRCIDR8=0\nTRCAUTHSTATUS=0xcc\n");
	check_info("0: TRCCONFIGR=40 TRCTRACEIDR=10 TRCIDR0=28000ea1 TRCIDR1=4100f403 TRCIDR2=488 TRCIDR8=0 TRCAUTHSTATUS=cc\n");
}

static void registers_v7(void **state)
{
	static const struct {
		const char *type, *want;
	} cases[] = {
		{ "ETM3.5", "0: ETMCR=10c1000 ETMTRACEIDR=10 ETMCCER=344008f2 ETMIDR=410cf250\n" },
		{ "PTM1.1", "0: ETMCR=10c1000 ETMTRACEIDR=10 ETMCCER=344008f2 ETMIDR=410cf250\n" },
	};
	struct pdb trace = { 0 };
	char text[300];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pdb_zero(&trace, 16);
		one_core(&trace);
		snprintf(text, sizeof(text), "[device]\nname=etm\nclass=trace_source\ntype=%s\n[regs]\nETMTRACEIDR=0x10\nETMCR=0x10c1000\n"
			 "ETMIDR=0x410cf250\nETMCCER=0x344008f2\n", cases[i].type);
		write_text("etm.ini", text);
		check_info(cases[i].want);
		open_it();
		assert_int_equal(in.configs.v[0].config.protocol, i ? CST_PROTO_PTM : CST_PROTO_ETMV3);
		close_it();
	}
}

/* ---- sources and buffers --------------------------------------------------------------------------- */

/* The trace as lines, and how many configurations there are. */
static const char *traces(void)
{
	static char text[1000];
	struct pd_record rec;
	size_t n = 0;
	int rc;

	open_it();
	*text = '\0';
	while ((rc = perfdata_next(in.pd, &rec))) {
		assert_int_equal(rc, 1);
		if (rec.ev->header.type == PERF_RECORD_AUX)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "aux %llx+%llx flags %llx\n",
					      (unsigned long long)rec.ev->aux.aux_offset, (unsigned long long)rec.ev->aux.aux_size,
					      (unsigned long long)rec.ev->aux.flags);
		else if (rec.ev->header.type == PERF_RECORD_AUXTRACE)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "cpu %d: %llx+%llx buffer %u\n", (int)rec.ev->auxtrace.cpu,
					      (unsigned long long)rec.ev->auxtrace.offset, (unsigned long long)rec.ev->auxtrace.size,
					      rec.ev->auxtrace.idx);
		assert_true(n < sizeof(text));
	}
	close_it();
	return text;
}

/* The only source is one that perf.data has no place for. */
static void check_refused(const char *type, const char *regs, const char *why)
{
	struct pdb trace = { 0 };
	struct error err = { .msg = "" };
	char text[300], want[300];

	pdb_zero(&trace, 16);
	one_core(&trace);
	snprintf(text, sizeof(text), "[device]\nname=etm\nclass=trace_source\ntype=%s\n[regs]\n%s", type, regs);
	write_text("etm.ini", text);
	said_begin(&said);
	assert_int_equal(import_open(&in, dir, NULL, &err), ERR_AUXINFO);
	said_end(&said);
	snprintf(want, sizeof(want), "%s: perf.data has no place for any source of the snapshot; 'perf-cstrace dump -s' lists what "
		 "others wrote", dir);
	assert_string_equal(err.msg, want);
	snprintf(want, sizeof(want), "cstrace: %s: %s\n", dir, why);
	assert_string_equal(said.text, *why ? want : "");
	assert_int_equal(in.dropped, !strncmp(why, "dropped", 7));
}

static void no_place(void **state)
{
	(void)state;
	check_refused("ETM4", "TRCTRACEIDR=0x10\nTRCIDR0=0x28000ea1\n", "dropped: the source etm: register TRCCONFIGR is missing");
	check_refused("PTM1.1", "ETMCR=0\nETMIDR=0x411cf312\n", "dropped: the source etm: register ETMTRACEIDR is missing");
	check_refused("XYZ", "A=0\n", "dropped: the source etm: protocol 'XYZ' has no decoder");
	check_refused("ITM", "ITMTCR=0x10001\n", "the source etm is of software trace (ITM) and is left out: 'perf-cstrace dump' lists what it wrote");
	/* it is kept beside a core, and has no place alone */
	check_refused("STM", "STMTCSR=0x100001\n", "");
}

/* Sources of one core with the same registers are one unit; those of no core, or with another register, are not. */
static void units(void **state)
{
	static const struct {
		const char *links, *more;
		unsigned int nr;
	} cases[] = {
		{ "cpu_0=etm\ncpu_0=etm2\n", "TRCIDR8=0\n", 1 }, { "cpu_0=etm\ncpu_0=etm2\n", "TRCIDR8=1\n", 2 },
		{ "cpu_0=etm\ncpu_0=etm2\n", "TRCIDR8=0\nTRCAUTHSTATUS=1\n", 2 }, { "", "TRCIDR8=0\n", 2 }, { "cpu_0=etm\n", "TRCIDR8=0\n", 2 },
	};
	struct pdb trace = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sb_trace_at(&trace, 100, SB_BASE, 0);
		one_core(&trace);
		source("etm2", "ETM4", cases[i].more);
		write_text("snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\ndevice1=etm.ini\ndevice2=etm2.ini\n"
			   "[trace]\nmetadata=trace.ini\n");
		write_text("trace.ini", "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB\nfile=trace.bin\nformat=source_data\n"
			   "[source_buffers]\netm=ETB\n[core_trace_sources]\n");
		append_text("trace.ini", cases[i].links);
		open_it();
		assert_int_equal(in.configs.nr, cases[i].nr);
		close_it();
	}
}

/* Buffers follow each other on their CPU; those without a source, a format or a file have no trace, and are reported. */
static void buffers(void **state)
{
	struct pdb trace = { 0 };
	char want[600];

	(void)state;
	pdb_zero(&trace, 20);
	one_core(&trace);
	write_text("trace.ini", "[trace_buffers]\nbuffers=a,b,c,d,e\n[a]\nname=A\nfile=trace.bin\nformat=source_data\n"
		   "[b]\nname=B\nfile=trace.bin,none.bin,trace.bin,gone.bin\nformat=source_data\n"
		   "[c]\nname=C\nfile=trace.bin\nformat=source_data\n[d]\nname=D\nfile=trace.bin\nformat=xyz\n"
		   "[e]\nname=E\nfile=none.bin\nformat=coresight\n"
		   "[source_buffers]\netm=A,B,D,E\n[core_trace_sources]\ncpu_0=etm\n");
	assert_string_equal(traces(), "aux 0+14 flags 100\ncpu 0: 0+18 buffer 0\naux 20+28 flags 100\ncpu 0: 20+28 buffer 1\n");
	snprintf(want, sizeof(want), "cstrace: %s: dropped: 2 files of the buffer B, which cannot be read\n"
		 "cstrace: %s: dropped: the buffer C, which no source feeds\n"
		 "cstrace: %s: dropped: the buffer D: perf.data has no format xyz\n"
		 "cstrace: %s: dropped: 1 files of the buffer E, which cannot be read\n", dir, dir, dir, dir);
	assert_string_equal(said.text, want);
	assert_int_equal(in.dropped, 5);
}

/* System trace has a CPU of its own behind those of the cores, and its bytes instead of frames; other bytes are reported. */
static void system_trace(void **state)
{
	struct pdb trace = { 0 }, frames = { 0 }, stm = { 0 };
	char want[300];
	size_t i;

	(void)state;
	pdb_zero(&stm, 14);
	sb_frames(&frames, &stm, 0x21);
	sb_frames(&frames, &stm, 0x22);
	sb_frames(&frames, &stm, 0x21);
	temp_write(dir, "stm.bin", frames.p, frames.len);
	pdb_free(&frames);
	pdb_free(&stm);
	sb_trace_at(&trace, 100, SB_BASE, 0);
	i = trace.len;
	one_core(&trace);
	core("cpu_3");
	write_text("snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\na=stm.ini\nb=cpu_3.ini\nc=etm.ini\nd=stm2.ini\n"
		   "[trace]\nmetadata=trace.ini\n");
	write_text("stm.ini", "[device]\nname=stm\nclass=trace_source\ntype=STM\n[regs]\nSTMTCSR=0x210001\n");
	write_text("stm2.ini", "[device]\nname=stm2\nclass=trace_source\ntype=STM\n[regs]\nSTMTCSR=0x220001\n");
	write_text("trace.ini", "[trace_buffers]\nbuffers=a,b,c\n[a]\nname=A\nfile=stm.bin\nformat=coresight\n"
		   "[b]\nname=B\nfile=trace.bin\nformat=source_data\n[c]\nname=C\nfile=stm.bin,stm.bin\nformat=coresight\n"
		   "[source_buffers]\nstm=A\netm=B\nstm2=C\n[core_trace_sources]\ncpu_3=etm\n");
	snprintf(want, sizeof(want), "aux 0+1c flags 100\ncpu 4: 0+20 buffer 0\naux 0+%zx flags 100\ncpu 3: 0+%zx buffer 1\n"
		 "aux 0+1c flags 100\ncpu 5: 0+20 buffer 2\n", i, (i + 7) & ~(size_t)7);
	assert_string_equal(traces(), want);
	snprintf(want, sizeof(want), "cstrace: %s: dropped: 14 bytes of the buffer A, which are not those of the STM that feeds it\n"
		 "cstrace: %s: dropped: 56 bytes of the buffer C, which are not those of the STM that feeds it\n", dir, dir);
	assert_string_equal(said.text, want);
	assert_int_equal(in.dropped, 2);
	open_it();
	assert_int_equal(in.configs.nr, 3);
	for (i = 0; i < 3; i++) {
		assert_int_equal(in.configs.v[i].cpu, 3 + i);
		assert_int_equal(in.configs.v[i].config.protocol, i ? CST_PROTO_STM : CST_PROTO_ETMV4);
		assert_int_equal(in.configs.v[i].config.trace_id, 0x20 + i - (i ? 0 : 0x10));
	}
	close_it();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contexts), cmocka_unit_test(virtual_contexts), cmocka_unit_test(in_a_transaction),
		cmocka_unit_test(many_contexts),
		cmocka_unit_test(numbers_of_cpus), cmocka_unit_test(registers), cmocka_unit_test(registers_v7),
		cmocka_unit_test(no_place), cmocka_unit_test(units), cmocka_unit_test(buffers), cmocka_unit_test(system_trace),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
