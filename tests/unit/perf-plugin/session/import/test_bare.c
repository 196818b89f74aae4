/* SPDX-License-Identifier: BSD-3-Clause */
/* Trace without a recording: the snapshot that options become, file by file, what is assumed, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "session/import/bare.h"
#include "unit/perf-plugin/said.h"
#include "unit/temp_dir.h"

TEMP_DIR("bare")

static struct said said;
static uint64_t lost;

/* Frames of 14 bytes of a trace ID each. */
static size_t put_frames(uint8_t *p, unsigned int first, unsigned int nr)
{
	unsigned int i;

	memset(p, 0, 16 * nr);
	for (i = 0; i < nr; i++)
		p[16 * i] = (uint8_t)((first + i) << 1 | 1);
	return 16 * nr;
}

/* The files that options add to a folder as one text: "NAME:" and the text, or "NAME < PATH". After an error its message. */
static const char *made_in(const char *folder, const struct bare_opts *o)
{
	static char text[8192], hidden[8192];
	struct folder f = { .dir = folder, .who = "cstrace test" };
	struct error err = { .msg = "" };
	size_t n = 0, i;
	int rc;

	lost = 0;
	said_begin(&said);
	rc = bare_make(o, &f, &lost, &err);
	said_end(&said);
	*text = '\0';
	if (rc)
		n = (size_t)snprintf(text, sizeof(text), "%s", err.msg);
	else
		assert_string_equal(err.msg, "");
	for (i = 0; !rc && i < f.nr_extra; i++) {
		const struct folder_extra *e = &f.extra[i];

		if (e->path)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s < %s\n", e->name, e->path);
		else
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s:\n%.*s", e->name, (int)e->len, (const char *)e->data);
		assert_true(n < sizeof(text));
	}
	folder_free(&f);
	temp_hide(dir, text, hidden, sizeof(hidden));
	return hidden;
}

static const char *made(const struct bare_opts *o)
{
	return made_in(o->traces[0], o);
}

static const struct core *core(const char *name)
{
	const struct core *c = core_by_name(name, strlen(name));

	assert_non_null(c);
	return c;
}

/* Path of a file of the test that stays as long as an option does. */
static const char *path_of(const char *name)
{
	static char paths[64][64];
	static unsigned int n;
	char *path = paths[n++ % 64];

	assert_true(snprintf(path, sizeof(paths[0]), "%s/%s", dir, name) < (int)sizeof(paths[0]));
	return path;
}

static void add_reg(struct bare_opts *o, int id, const char *name, uint64_t value)
{
	o->regs[o->nr_regs++] = (struct bare_reg){ id, name, strlen(name), value };
}

static void add_trace(struct bare_opts *o, const char *name)
{
	o->traces[o->nr_traces++] = path_of(name);
}

static void add_source(struct bare_opts *o, int id, const char *name)
{
	o->sources[o->nr_sources++] = (struct bare_source){ id, core(name) };
}

/* ---- the files ------------------------------------------------------------------------------------- */

/* All registers of the core are known; the trace ID of raw trace is 1. */
static void one_core(void **state)
{
	struct bare_opts o = { .core = core("cortex-m33"), .format = BARE_RAW };

	(void)state;
	temp_write(dir, "t.bin", "12345", 5);
	temp_write(dir, "code", "1234", 4);
	add_trace(&o, "t.bin");
	add_reg(&o, BARE_ANY, "TRCCONFIGR", 0xc1);
	assert_string_equal(made(&o),
		"t.bin < DIR/t.bin\n"
		"cpu_0.ini:\n[device]\nname=cpu_0\nclass=core\ntype=Cortex-M33\n"
		"ETM_0.ini:\n[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4\n\n[regs]\nTRCTRACEIDR=0x1\nTRCIDR0=0x280006e1\n"
		"TRCIDR1=0x4100f421\nTRCIDR2=0x4\nTRCIDR8=0x0\nTRCIDR9=0x0\nTRCIDR10=0x0\nTRCIDR11=0x0\nTRCIDR12=0x1\nTRCIDR13=0x0\n"
		"TRCDEVARCH=0x47724a13\nTRCCONFIGR=0xc1\n"
		"trace.ini:\n[trace_buffers]\nbuffers=buffer0\n\n[buffer0]\nname=t.bin\nfile=t.bin\nformat=source_data\n\n"
		"[source_buffers]\nETM_0=t.bin\n\n[core_trace_sources]\ncpu_0=ETM_0\n"
		"snapshot.ini:\n[snapshot]\nversion=1.0\ndescription=trace and program files\n\n[device_list]\ndevice0=cpu_0.ini\n"
		"device1=ETM_0.ini\n\n[trace]\nmetadata=trace.ini\n");
	assert_string_equal(said.text, "");
	assert_int_equal(lost, 0);
	/* programs are one device more */
	o.programs[o.nr_programs++] = path_of("code@0x1000");
	o.programs[o.nr_programs++] = path_of("code@0x2000");
	assert_non_null(strstr(made(&o), "code < DIR/code\ncode_1 < DIR/code\ncstrace_program.ini:\n[device]\nname=cstrace_program\n"
			       "class=memory_space\ntype=program\n[dump1]\nfile=code\naddress=0x1000\noffset=0x0\nlength=0x4\n"
			       "[dump2]\nfile=code_1\naddress=0x2000\noffset=0x0\nlength=0x4\ntrace.ini:\n"));
	assert_non_null(strstr(made(&o), "\ndevice1=ETM_0.ini\ndevice2=cstrace_program.ini\n\n[trace]\n"));
	o.programs[0] = path_of("none");
	assert_string_equal(made(&o), "--elf DIR/none: No such file or directory");
}

/* Registers that no option gives: those of the core, assumed ones with a message, the trace ID, or an error. */
static void registers(void **state)
{
	static const char config[] = "cstrace test: etmv4-m, trace ID 0x01: no TRCCONFIGR: 0x%x is assumed (the return stack if there "
				     "is one; no cycle counts, conditions or data); --reg TRCCONFIGR=VALUE gives it\n";
	struct bare_opts o = { .core = core("etmv4-m"), .format = BARE_RAW };
	const char *text;
	char want[1000];
	size_t n;

	(void)state;
	add_trace(&o, "t.bin");
	assert_string_equal(made(&o), "etmv4-m, trace ID 0x01: register TRCIDR0 is missing, and nothing can be decoded without it; "
			    "--reg TRCIDR0=VALUE gives it");
	add_reg(&o, BARE_ANY, "TRCIDR0", 0x1fd);	/* all bits around RETSTACK */
	add_reg(&o, BARE_ANY, "TRCIDR2", 4);
	text = made(&o);
	assert_non_null(strstr(text, "[regs]\nTRCTRACEIDR=0x1\nTRCIDR0=0x1fd\nTRCIDR1=0x4100f403\nTRCIDR2=0x4\nTRCIDR8=0x0\n"
			       "TRCCONFIGR=0x1\n"));
	n = (size_t)snprintf(want, sizeof(want), "cstrace test: etmv4-m, trace ID 0x01: no TRCIDR1: 0x4100f403 is assumed (ETMv4.0); "
			     "--reg TRCIDR1=VALUE gives it\ncstrace test: etmv4-m, trace ID 0x01: no TRCIDR8: 0x0 is assumed (no "
			     "speculation); --reg TRCIDR8=VALUE gives it\n");
	snprintf(want + n, sizeof(want) - n, config, 1u);
	assert_string_equal(said.text, want);
	/* of a register that is given twice the last value counts; names are in any case */
	add_reg(&o, BARE_ANY, "trcidr0", 0x200);
	add_reg(&o, BARE_ANY, "TRCIDR1", 0x4100f423);
	add_reg(&o, BARE_ANY, "TRCIDR8", 3);
	assert_non_null(strstr(made(&o), "TRCIDR0=0x200\nTRCIDR1=0x4100f423\nTRCIDR2=0x4\nTRCIDR8=0x3\nTRCCONFIGR=0x1001\n"));
	snprintf(want, sizeof(want), config, 0x1001u);
	assert_string_equal(said.text, want);
	add_reg(&o, BARE_ANY, "TRCIDR", 1);
	assert_string_equal(made(&o), "--reg TRCIDR: found a register that etmv4-m does not have, expected one of TRCTRACEIDR TRCIDR0 "
			    "TRCIDR1 TRCIDR2 TRCIDR3 TRCIDR4 TRCIDR5 TRCIDR6 TRCIDR7 TRCIDR8 TRCIDR9 TRCIDR10 TRCIDR11 TRCIDR12 "
			    "TRCIDR13 TRCDEVARCH TRCAUTHSTATUS TRCCONFIGR");
	/* the core's TRCIDR0 says that there is a return stack */
	o = (struct bare_opts){ .core = core("cortex-a53"), .format = BARE_RAW };
	add_trace(&o, "t.bin");
	assert_non_null(strstr(made(&o), "TRCCONFIGR=0x1001\n"));
}

/* Each kind of trace source has a name of its own, and a device of its core if it has one. */
static void kinds(void **state)
{
	static const struct {
		const char *core, *devices, *regs;
	} cases[] = {
		{ "cortex-a7", "cpu_0.ini:\n[device]\nname=cpu_0\nclass=core\ntype=Cortex-A7\nETM_0.ini:\n[device]\nname=ETM_0\n"
		  "class=trace_source\ntype=ETM3.5\n\n[regs]\n",
		  "ETMTRACEIDR=0x1\nETMIDR=0x410cf250\nETMCCER=0x344008f2\nETMCR=0x0\n" },
		{ "cortex-a15", "type=Cortex-A15\nPTM_0.ini:\n[device]\nname=PTM_0\nclass=trace_source\ntype=PTM1.1\n\n[regs]\n",
		  "ETMTRACEIDR=0x1\nETMIDR=0x411cf312\nETMCCER=0x34c01ac2\nETMCR=0x0\n" },
		{ "itm", "t.bin < DIR/t.bin\nITM_0.ini:\n[device]\nname=ITM_0\nclass=trace_source\ntype=ITM\n\n[regs]\n",
		  "ITMTCR=0x10001\n" },
		{ "stm", "t.bin < DIR/t.bin\nSTM_0.ini:\n[device]\nname=STM_0\nclass=trace_source\ntype=STM\n\n[regs]\n",
		  "STMTCSR=0x10001\n" },
	};
	const char *text, *regs;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bare_opts o = { .core = core(cases[i].core), .format = BARE_RAW };

		add_trace(&o, "t.bin");
		text = made(&o);
		if (!strstr(text, cases[i].devices))
			fail_msg("%s: %s", cases[i].core, text);
		regs = strstr(text, "[regs]\n") + 7;
		assert_memory_equal(regs, cases[i].regs, strlen(cases[i].regs));
		assert_memory_equal(regs + strlen(cases[i].regs), "trace.ini:", 10);
		assert_int_equal(strstr(text, "\n[core_trace_sources]\nsnapshot.ini:") != NULL, i > 1);
		assert_int_equal(strstr(text, "[device_list]\ndevice0=") && strstr(text, "device1="), i < 2);
	}
	/* an ETE has no TRCIDR1 that is assumed, but an architecture */
	{
		struct bare_opts o = { .core = core("ete"), .format = BARE_RAW };

		add_trace(&o, "t.bin");
		add_reg(&o, BARE_ANY, "TRCIDR0", 0x200);
		text = made(&o);
		assert_non_null(strstr(text, "name=ETE_0\nclass=trace_source\ntype=ETE\n\n[regs]\nTRCTRACEIDR=0x1\nTRCIDR0=0x200\n"
				       "TRCIDR2=0x1088\nTRCIDR8=0x0\nTRCDEVARCH=0x47705a13\nTRCCONFIGR=0x1001\n"));
		assert_non_null(strstr(said.text, "no TRCDEVARCH: 0x47705a13 is assumed (ETE 1.0)"));
	}
}

/* Of raw trace a file feeds the source of its ID, or the only one; in frames all sources may be. */
static void several_sources(void **state)
{
	struct bare_opts o = { .format = BARE_RAW };
	const char *text;

	(void)state;
	add_source(&o, 3, "itm");
	add_source(&o, 5, "cortex-m33");
	add_source(&o, 6, "stm");
	add_trace(&o, "t.bin:5");
	add_trace(&o, "t.bin:3");
	add_trace(&o, "t.bin:0x5");
	add_reg(&o, 5, "TRCCONFIGR", 0x11);
	add_reg(&o, 3, "ITMTCR", 0x30001);
	text = made(&o);
	assert_non_null(strstr(text, "ITMTCR=0x30001\n"));
	assert_non_null(strstr(text, "\nTRCTRACEIDR=0x5\n"));
	assert_non_null(strstr(text, "\nTRCCONFIGR=0x11\n"));
	assert_non_null(strstr(text, "\nSTMTCSR=0x60001\n"));
	assert_non_null(strstr(text, "buffers=buffer0,buffer1,buffer2\n\n[buffer0]\nname=t.bin\nfile=t.bin\nformat=source_data\n\n"
			       "[buffer1]\nname=t.bin_1\nfile=t.bin_1\nformat=source_data\n\n[buffer2]\nname=t.bin_2\nfile=t.bin_2\n"
			       "format=source_data\n\n[source_buffers]\nITM_0=t.bin_1\nETM_1=t.bin,t.bin_2\n\n\n[core_trace_sources]\n"
			       "cpu_1=ETM_1\n"));
	assert_non_null(strstr(text, "[device_list]\ndevice0=ITM_0.ini\ndevice1=cpu_1.ini\ndevice2=ETM_1.ini\ndevice3=STM_2.ini\n"));
	o.format = BARE_ALIGNED;
	assert_non_null(strstr(made(&o), "[source_buffers]\nITM_0=t.bin,t.bin_1,t.bin_2\nETM_1=t.bin,t.bin_1,t.bin_2\n"
			       "STM_2=t.bin,t.bin_1,t.bin_2\n"));
	o.format = BARE_DSTREAM;
	assert_non_null(strstr(made(&o), "file=t.bin_2\nformat=dstream_coresight\n"));
	/* a register of another source's ID is not this one's */
	add_reg(&o, 5, "ITMTCR", 1);
	assert_string_equal(made(&o), "--reg ITMTCR: found a register that cortex-m33 does not have, expected one of TRCTRACEIDR "
			    "TRCIDR0 TRCIDR1 TRCIDR2 TRCIDR3 TRCIDR4 TRCIDR5 TRCIDR6 TRCIDR7 TRCIDR8 TRCIDR9 TRCIDR10 TRCIDR11 "
			    "TRCIDR12 TRCIDR13 TRCDEVARCH TRCAUTHSTATUS TRCCONFIGR");
	o.regs[2].id = 4;
	assert_string_equal(made(&o), "--reg ITMTCR: no trace source has the ID 0x04");
	o.regs[2] = (struct bare_reg){ BARE_ANY, "ETMCR", 5, 1 };
	assert_string_equal(made(&o), "--reg ETMCR: found a register that stm does not have, expected one of STMTCSR STMSPFEAT1R "
			    "STMSPFEAT3R STMDEVID STMHEFEAT1R");
	o.nr_regs = 2;
	o.sources[2].id = 3;
	assert_string_equal(made(&o), "--trace-source: trace ID 0x03 is given twice");
	o.sources[2].id = 6;
	add_trace(&o, "t.bin");
	made(&o);
	o.format = BARE_RAW;
	assert_string_equal(made(&o), "--trace DIR/t.bin: raw trace is of one source, and there are 3: expected --trace FILE:ID");
	o.nr_traces = 3;
	add_trace(&o, "t.bin:7");
	assert_string_equal(made(&o), "--trace DIR/t.bin: trace ID 0x07 has no --trace-source");
	/* the only source takes raw trace without an ID */
	o = (struct bare_opts){ .format = BARE_RAW };
	add_source(&o, 3, "itm");
	add_trace(&o, "t.bin");
	assert_non_null(strstr(made(&o), "[source_buffers]\nITM_0=t.bin\n"));
}

/* ---- trace IDs ------------------------------------------------------------------------------------- */

static void check_id(const char *arg, const char *want)
{
	struct bare_opts o = { .core = core("itm"), .format = BARE_RAW };

	add_trace(&o, arg);
	assert_string_equal(made(&o), want);
}

static void ids_of_files(void **state)
{
	static const char *const bad[] = { "0", "0x70", "", "x", "-1", "+1", " 1", "1z", "0x100000001", "99999999999999999999", ":" };
	struct bare_opts o = { .core = core("itm"), .format = BARE_RAW };
	char arg[64], want[300];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(arg, sizeof(arg), "t.bin:%s", bad[i]);
		snprintf(want, sizeof(want), "--trace DIR/%s: found '%s' as the trace ID, expected a number from 0x01 to 0x6f; and "
			 "there is no file of this name", arg, strcmp(bad[i], ":") ? bad[i] : "");
		check_id(arg, want);
	}
	check_id("none", "--trace DIR/none: No such file or directory");
	check_id("none:1", "--trace DIR/none: No such file or directory");
	add_trace(&o, "t.bin:1");
	assert_non_null(strstr(made(&o), "\nITMTCR=0x10001\n"));
	o.traces[0] = path_of("t.bin:0x6f");
	assert_non_null(strstr(made(&o), "\nITMTCR=0x6f0001\n"));
	/* several files of one source */
	add_trace(&o, "t.bin");
	add_trace(&o, "t.bin:111");
	assert_non_null(strstr(made(&o), "\nITMTCR=0x6f0001\n"));
	add_trace(&o, "t.bin:2");
	assert_string_equal(made(&o), "--trace DIR/t.bin: found trace IDs 0x6f and 0x02, expected a --trace-source for each");
	/* there is a file of this name */
	temp_write(dir, "t.bin:7", "x", 1);
	o.traces[0] = path_of("t.bin:7");
	o.nr_traces = 1;
	assert_non_null(strstr(made(&o), "t.bin_7 < DIR/t.bin:7\n"));
	assert_non_null(strstr(made(&o), "\nITMTCR=0x10001\n"));
	/* the register has the ID in some of its bits */
	add_reg(&o, BARE_ANY, "ITMTCR", 0xff85ffff);
	add_reg(&o, BARE_ANY, "ITMTCR", 0xffa1fffe);
	assert_non_null(strstr(made(&o), "\nITMTCR=0xffa1fffe\n"));
	assert_string_equal(said.text, "");
	o.core = core("cortex-m33");
	o.regs[0] = (struct bare_reg){ BARE_ANY, "TRCTRACEIDR", 11, 0x92 };
	o.nr_regs = 1;
	assert_non_null(strstr(made(&o), "\nTRCTRACEIDR=0x92\n"));
	assert_non_null(strstr(said.text, "cortex-m33, trace ID 0x12: no TRCCONFIGR: "));
}

/* Without an option the ID is that of the only source in the frames. */
static void ids_in_frames(void **state)
{
	static uint8_t frames[16 * 20];
	struct bare_opts o = { .core = core("itm") };

	(void)state;
	temp_write(dir, "empty", "", 0);
	add_trace(&o, "empty");
	assert_string_equal(made(&o), "--trace DIR/empty: no trace ID in the frames; --trace-format says what the file holds: aligned "
			    "(default), tpiu, dstream or raw");
	temp_write(dir, "frames", frames, put_frames(frames, 1, 1));
	o.traces[0] = path_of("frames");
	assert_non_null(strstr(made(&o), "\nITMTCR=0x10001\n"));
	assert_non_null(strstr(made(&o), "\nformat=coresight\n"));
	assert_string_equal(said.text, "cstrace test: itm, trace ID 0x01: no ITMTCR: 0x10001 is assumed (timestamps without a "
			    "prescaler); --reg ITMTCR=VALUE gives it\n");
	/* IDs from 0x70 on are no sources */
	temp_write(dir, "frames", frames, put_frames(frames, 0x6f, 3));
	assert_non_null(strstr(made(&o), "\nITMTCR=0x6f0001\n"));
	temp_write(dir, "frames", frames, put_frames(frames, 0x12, 2));
	assert_string_equal(made(&o), "--trace DIR/frames: found trace IDs 0x12 (14 bytes) 0x13 (14 bytes), expected one; --trace "
			    "FILE:ID takes one of them, --trace-source ID=NAME several");
	o.traces[0] = path_of("frames:0x13");
	assert_non_null(strstr(made(&o), "\nITMTCR=0x130001\n"));
	/* those of all files count */
	temp_write(dir, "frames", frames, put_frames(frames, 0x12, 1));
	temp_write(dir, "more", frames, put_frames(frames, 0x12, 1));
	o.traces[0] = path_of("frames");
	add_trace(&o, "more");
	assert_non_null(strstr(made(&o), "\nITMTCR=0x120001\n"));
	temp_write(dir, "more", frames, put_frames(frames, 0x11, 2));
	assert_string_equal(made(&o), "--trace DIR/frames: found trace IDs 0x11 (14 bytes) 0x12 (28 bytes), expected one; --trace "
			    "FILE:ID takes one of them, --trace-source ID=NAME several");
	/* a register that is spelled wrong is the first error */
	add_reg(&o, BARE_ANY, "ITMTCS", 1);
	assert_string_equal(made(&o), "--reg ITMTCS: found a register that itm does not have, expected one of ITMTCR");
	/* as many as there is room for */
	o.nr_regs = 0;
	o.nr_traces = 1;
	temp_write(dir, "frames", frames, put_frames(frames, 1, 20));
	assert_non_null(strstr(made(&o), " 0x10 (14 bytes) 0x11 (14 bytes), expected one;"));
}

/* Synchronisation between frames is taken out; bytes that are in no whole frame are counted. */
static void trace_port(void **state)
{
	static const uint8_t sync[] = { 0xff, 0xff, 0xff, 0x7f };
	uint8_t bytes[16 * 4 + 8];
	struct bare_opts o = { .core = core("itm"), .format = BARE_TPIU };
	struct folder f = { .who = "cstrace test" };
	struct error err;
	size_t n;
	int rc;

	(void)state;
	memcpy(bytes, sync, 4);
	n = 4 + put_frames(bytes + 4, 5, 1);
	memcpy(bytes + n, sync, 4);
	n += 4;
	put_frames(bytes + n, 5, 1);
	temp_write(dir, "port", bytes, n + 16);
	add_trace(&o, "port");
	lost = 7;
	said_begin(&said);
	rc = bare_make(&o, &f, &lost, &err);
	said_end(&said);
	assert_int_equal(rc, 0);
	assert_int_equal(lost, 7);
	assert_string_equal(f.extra[0].name, "port");
	assert_null(f.extra[0].path);
	assert_int_equal(f.extra[0].len, 32);
	assert_memory_equal(f.extra[0].data, bytes + 4, 16);
	assert_memory_equal((uint8_t *)f.extra[0].data + 16, bytes + 4, 16);
	folder_free(&f);
	temp_write(dir, "port", bytes, n + 10);
	assert_non_null(strstr(made(&o), "\nITMTCR=0x50001\n"));
	assert_int_equal(lost, 10);
	assert_non_null(strstr(said.text, "/port: 10 of 34 bytes are in no whole frame of --trace-format tpiu\n"));
	add_trace(&o, "port");
	made(&o);
	assert_int_equal(lost, 20);
}

/* ---- beside the trace ------------------------------------------------------------------------------ */

/* Programs for the folder of a snapshot: its index gets one device more. */
static void programs_alone(void **state)
{
	static char large[(1u << 20) + 1];
	struct bare_opts o = { .format = BARE_ALIGNED };

	(void)state;
	assert_string_equal(made_in(dir, NULL), "");
	assert_string_equal(made_in(dir, &o), "");
	o.programs[o.nr_programs++] = path_of("code@16");
	assert_string_equal(made_in(dir, &o), "DIR/snapshot.ini: No such file or directory");
	temp_write(dir, "snapshot.ini", "[snapshot]", 10);
	assert_string_equal(made_in(dir, &o), "code < DIR/code\ncstrace_program.ini:\n[device]\nname=cstrace_program\n"
			    "class=memory_space\ntype=program\n[dump1]\nfile=code\naddress=0x10\noffset=0x0\nlength=0x4\n"
			    "snapshot.ini:\n[snapshot]\n[device_list]\ncstrace_program=cstrace_program.ini\n");
	o.programs[0] = path_of("code");
	assert_string_equal(made_in(dir, &o), "--elf DIR/code: found a file that is not ELF, expected one, or bytes of memory with "
			    "their address: DIR/code@ADDR");
	/* an index of up to a mebibyte is read */
	o.programs[0] = path_of("code@16");
	memset(large, '\n', sizeof(large));
	temp_write(dir, "snapshot.ini", large, sizeof(large));
	assert_string_equal(made_in(dir, &o), "DIR/snapshot.ini: File too large");
	temp_write(dir, "snapshot.ini", large, sizeof(large) - 1);
	{
		struct folder f = { .dir = dir, .who = "cstrace test" };
		struct error err;

		assert_int_equal(bare_make(&o, &f, &lost, &err), 0);
		assert_int_equal(f.nr_extra, 3);
		assert_int_equal(f.extra[2].len, sizeof(large) - 1 + strlen("\n[device_list]\ncstrace_program=cstrace_program.ini\n"));
		folder_free(&f);
	}
}

static int write_it(const struct bare_opts *o, struct drops *drops, struct error *err)
{
	int rc;

	said_begin(&said);
	rc = bare_write(o, temp_path(dir, "to/out"), drops, err);
	said_end(&said);
	return rc;
}

/* The folder has copies of the files and what was made; a folder with something in it stays, and nothing is beside it. */
static void written(void **state)
{
	struct bare_opts o = { .core = core("itm"), .format = BARE_TPIU };
	struct drops drops = { .name = "out", .count = 3 };
	uint8_t bytes[40] = { 0 };
	struct error err;
	char text[600];

	(void)state;
	memcpy(bytes, "\xff\xff\xff\x7f", 4);
	put_frames(bytes + 4, 5, 1);
	temp_write(dir, "port2", bytes, 24);
	add_trace(&o, "port2");
	add_trace(&o, "port2");
	assert_int_equal(write_it(&o, &drops, &err), ERR_IO);
	assert_int_equal(drops.count, 11);
	temp_write(dir, "to/other", "", 0);
	assert_int_equal(write_it(&o, &drops, &err), 0);
	assert_int_equal(drops.count, 19);
	assert_non_null(strstr(said.text, "cstrace convert: --trace "));
	temp_read(temp_path(dir, "to/out/ITM_0.ini"), text, sizeof(text));
	assert_string_equal(text, "[device]\nname=ITM_0\nclass=trace_source\ntype=ITM\n\n[regs]\nITMTCR=0x50001\n");
	temp_read(temp_path(dir, "to/out/trace.ini"), text, sizeof(text));
	assert_non_null(strstr(text, "\nITM_0=port2,port2_1\n"));
	assert_int_equal(access(temp_path(dir, "to/out/snapshot.ini"), F_OK), 0);
	o.format = BARE_RAW;
	assert_int_equal(write_it(&o, &drops, &err), ERR_IO);
	assert_non_null(strstr(err.msg, "is a folder with something in it"));
	assert_int_equal(temp_remove(temp_path(dir, "to/out")), 0);
	assert_int_equal(write_it(&o, &drops, &err), 0);
	temp_read(temp_path(dir, "to/out/port2"), text, sizeof(text));
	assert_memory_equal(text, bytes, 24);
	/* a file of the trace that cannot be copied any more */
	assert_int_equal(temp_remove(temp_path(dir, "to/out")), 0);
	o.traces[1] = path_of("none");
	assert_int_equal(write_it(&o, &drops, &err), ERR_IO);
	assert_int_equal(unlink(temp_path(dir, "to/other")), 0);
	assert_int_equal(rmdir(temp_path(dir, "to")), 0);
	assert_int_equal(drops.count, 19);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_core), cmocka_unit_test(registers), cmocka_unit_test(kinds), cmocka_unit_test(several_sources),
		cmocka_unit_test(ids_of_files), cmocka_unit_test(ids_in_frames), cmocka_unit_test(trace_port),
		cmocka_unit_test(programs_alone), cmocka_unit_test(written),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
