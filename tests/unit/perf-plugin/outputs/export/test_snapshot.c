/* SPDX-License-Identifier: BSD-3-Clause */
/* Snapshots that are made of other inputs: types of cores and trace units, and many pieces of trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "outputs/export/export.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

TEMP_DIR("to-snapshot")

static struct said said;

static void write_text(const char *name, const char *text)
{
	temp_write(dir, name, text, strlen(text));
}

/* Makes the snapshot "out". Returns what was dropped, or the error, whose message is in `err`. Closes the session. */
static int64_t convert(struct session *ss, bool force, struct error *err)
{
	const char *out = temp_path(dir, "out");
	const struct export_snapshot_opts o = { .output = out, .pid = -1, .force = force, .origin = { .input = "test" } };
	struct drops drops = { .name = "out" };
	int rc;

	temp_remove(out);
	err->msg[0] = '\0';
	said_begin(&said);
	rc = export_snapshot(ss, &o, &drops, err);
	said_end(&said);
	session_close(ss);
	return rc ? rc : (int64_t)drops.count;
}

/* A file of the snapshot that was made. */
static const char *made(const char *name)
{
	static char text[4096], path[64];

	snprintf(path, sizeof(path), "out/%s", name);
	temp_read(temp_path(dir, path), text, sizeof(text));
	return text;
}

/* The type of a core says its profile and architecture, that of a trace unit its version; the registers are the same. */
static void types(void **state)
{
#define V8(idr1) "TRCTRACEIDR=0x10\nTRCCONFIGR=0x41\nTRCIDR0=0x28000ea1\nTRCIDR1=" idr1 "\nTRCIDR2=0x488\nTRCIDR8=0x0\n"
#define V7(idr) "ETMCR=0x1000\nETMTRACEIDR=0x10\nETMCCER=0x344008f2\nETMIDR=" idr "\n"
	static const struct {
		const char *core, *unit, *regs, *core_type, *unit_type;
	} cases[] = {
		{ "Cortex-A53", "ETM4", V8("0x4100f403"), "ARM-AA64", "ETM4.0" },
		{ "Cortex-R52", "ETM4", V8("0x4100f422"), "ARMv8-R", "ETM4.2" },
		{ "Cortex-M33", "ETM4", V8("0x4100f422"), "ARMv8-M", "ETM4.2" },
		{ "Cortex-A15", "PTM1.1", V7("0x411cf312"), "ARMv7-A", "PTM1.1" },
		{ "Cortex-R5", "ETM3.3", V7("0x410cf230"), "ARMv7-R", "ETM3.3" },
		{ "Cortex-M4", "ETM3.5", V7("0x4114f250"), "ARMv7-M", "ETM3.5" },
	};
	static const uint8_t zeros[64];
	char text[600], path[64];
	const struct session_opts so = { .input = path };
	struct session *ss;
	struct error err;
	size_t i;

	(void)state;
	snprintf(path, sizeof(path), "%s/in", dir);
	write_text("in/snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu.ini\ndevice1=etm.ini\n"
		   "[trace]\nmetadata=trace.ini\n");
	write_text("in/trace.ini", "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB\nfile=trace.bin\nformat=source_data\n"
		   "[source_buffers]\netm=ETB\n[core_trace_sources]\ncpu_3=etm\n");
	temp_write(dir, "in/trace.bin", zeros, sizeof(zeros));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "[device]\nname=cpu_3\nclass=core\ntype=%s\n", cases[i].core);
		write_text("in/cpu.ini", text);
		snprintf(text, sizeof(text), "[device]\nname=etm\nclass=trace_source\ntype=%s\n[regs]\n%s", cases[i].unit, cases[i].regs);
		write_text("in/etm.ini", text);
		ss = session_open(&so);
		assert_non_null(ss);
		if (convert(ss, false, &err))
			fail_msg("%s: %s", cases[i].core, err.msg);
		snprintf(text, sizeof(text), "[device]\nname=cpu_3\nclass=core\ntype=%s\n", cases[i].core_type);
		assert_string_equal(made("cpu_3.ini"), text);
		snprintf(text, sizeof(text), "[device]\nname=ETM_3\nclass=trace_source\ntype=%s\n\n[regs]\n", cases[i].unit_type);
		assert_memory_equal(made("ETM_3.ini"), text, strlen(text));
	}
}

/* A recording whose trace was written in `nr` pieces, with or without frames; *size is that of a piece. */
static struct session *pieces(unsigned int nr, bool raw, size_t *size)
{
	struct pdb data = { 0 }, trace = { 0 }, frames = { 0 };
	unsigned int i;

	sb_side_band(&data, "/none");
	sb_trace(&trace, SB_TID);
	sb_frames(&frames, &trace, 0x14);
	*size = raw ? trace.len : frames.len;
	for (i = 0; i < nr; i++)
		sb_stretch(&data, raw ? &trace : &frames, i * 0x1000, raw ? SB_RAW : 0);
	pdb_free(&trace);
	pdb_free(&frames);
	return sb_open(&data, &(struct session_opts){ .symfs = dir }, NULL);
}

/* A snapshot has 256 buffers at most: more pieces are joined on demand, those with frames with a barrier between them. */
static void many_pieces(void **state)
{
	static char bytes[1u << 16];
	static const uint8_t barrier[16] = { 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
					     0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f };
	struct error err;
	char want[400];
	size_t size, n;
	FILE *f;
	int raw;

	(void)state;
	for (raw = 0; raw < 2; raw++) {
		if (convert(pieces(256, raw, &size), false, &err))
			fail_msg("256 pieces: %s", err.msg);
		assert_int_equal(convert(pieces(257, raw, &size), false, &err), ERR_USAGE);
		assert_string_equal(err.msg, "test: the trace was written in 257 pieces, after each of which decoding starts anew, and a "
				    "snapshot has 256 buffers at most: convert to a package, or use --force to join the pieces of a "
				    "buffer");
		assert_int_equal(convert(pieces(257, raw, &size), true, &err), 257);
		assert_string_equal(said.text, "cstrace convert: out: dropped: 257 starts of trace: pieces are joined, with a barrier that "
				    "not every reader knows between those with frames\n");
		snprintf(want, sizeof(want), "[trace_buffers]\nbuffers=buffer0\n\n[buffer0]\nname=ETB_0%s\nfile=trace0.bin\nformat=%s\n\n"
			 "[source_buffers]\nETM_2=ETB_0%s\n\n[core_trace_sources]\ncpu_2=ETM_2\n", raw ? "_raw" : "",
			 raw ? "source_data" : "coresight", raw ? "_raw" : "");
		assert_string_equal(made("trace.ini"), want);
		f = fopen(temp_path(dir, "out/trace0.bin"), "rb");
		assert_non_null(f);
		n = fread(bytes, 1, sizeof(bytes), f);
		fclose(f);
		assert_int_equal(n, 257 * size + (raw ? 0 : 256 * sizeof(barrier)));
		if (!raw) {
			assert_memory_equal(bytes + size, barrier, sizeof(barrier));
			assert_memory_equal(bytes + size + sizeof(barrier), bytes, size);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(types), cmocka_unit_test(many_pieces) };

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
