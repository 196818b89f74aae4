/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings as packages and snapshots: records and numbers of them that are rare, and what has no place. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/export/code.h"
#include "outputs/export/export.h"
#include "session/decode/decode.h"
#include "session/import/import.h"
#include "unit/perf-plugin/elf_build.h"
#include "unit/perf-plugin/jit_build.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

TEMP_DIR("recordings")

static struct said said;

/* The text of a file of the test; until the next call. */
static const char *text_of(const char *name)
{
	static char text[1u << 21];
	FILE *f = fopen(temp_path(dir, name), "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

/* ---- packages -------------------------------------------------------------------------------------- */

/* Makes the package `name` of a file. Returns what was dropped, or the error, whose message is in `err`. */
static int64_t to_package(struct pdb *file, const char *name, struct error *err)
{
	const char *out = temp_path(dir, name);
	const struct export_package_opts o = { .output = out, .origin = { .input = "test" } };
	struct drops drops = { .name = out };
	struct perfdata *pd = perfdata_open_memory(file->p, file->len, "test", err);
	int rc;

	assert_non_null(pd);
	said_begin(&said);
	rc = export_package(pd, NULL, &o, &drops, err);
	said_end(&said);
	perfdata_close(pd);
	pdb_free(file);
	return rc ? rc : (int64_t)drops.count;
}

/* The records and the trace of a small recording, behind those in `data`. */
static void finish(struct pdb *data)
{
	struct pdb trace = { 0 };

	sb_side_band(data, "/loop");
	sb_trace(&trace, SB_TID);
	sb_stretch(data, &trace, 0, SB_RAW);
	pdb_free(&trace);
}

static void as_file(struct pdb *file, struct pdb *data)
{
	memset(file, 0, sizeof(*file));
	file->swap = data->swap;
	pdb_file(file, &sb_attr, 1, 0, data, NULL, 0);
	pdb_free(data);
}

/*
 * A line longer than the log's buffer: a name of characters that are written as four each, and the whole record for a byte
 * behind its end. The same map of a forked process is no record, and its line is longer.
 */
static void long_lines(void **state)
{
	enum { LENGTH = 65001, AT = sizeof(struct perf_event_header) + 64 };
	static char name[LENGTH + 1];
	struct pdb data = { 0 }, file;
	struct pdb_sid s = sb_sid(1000);
	struct import_input in;
	struct pd_record rec;
	const char *text, *p, *end;
	struct error err;
	unsigned int n = 0;
	int rc;

	(void)state;
	memset(name, 1, LENGTH);
	pdb_mmap2(&data, SB_PID, 0x10000, 0x1000, 0, name, SB_ST, &s);
	data.p[AT + LENGTH + 1] = 9;
	finish(&data);
	sb_fork(&data, 200, SB_PID, 200, 6000);
	as_file(&file, &data);
	assert_int_equal(to_package(&file, "long", &err), 0);
	text = text_of("long/system-event-log");
	for (p = text; (p = strstr(p, "declare_library(")); p = end) {
		end = strchr(p, '\n');
		assert_non_null(end);
		n += end - p > 4 * LENGTH;
	}
	assert_int_equal(n, 4);		/* the record, what the fork made of it, and both at the end */
	n = 0;
	assert_int_equal(import_open(&in, temp_path(dir, "long"), NULL, &err), 0);
	while ((rc = perfdata_next(in.pd, &rec))) {
		assert_int_equal(rc, 1);
		if (rec.ev->header.type != PERF_RECORD_MMAP2 || rec.ev->header.size < LENGTH)
			continue;
		n++;
		assert_string_equal((const char *)rec.ev + AT, name);
		assert_int_equal(*((const char *)rec.ev + AT + LENGTH + 1), 9);
	}
	assert_int_equal(n, 1);
	perfdata_close(in.pd);
	dso_bundle_free(&in.bundle);
	free(in.configs.v);
}

/* Records that cannot be read are left out and counted; the first ten are named. */
static void unreadable_records(void **state)
{
	struct pdb data = { 0 }, file;
	unsigned int i, named = 0;
	struct error err;
	const char *p;

	(void)state;
	for (i = 0; i < 12; i++) {
		size_t at = pdb_begin(&data, PERF_RECORD_COMM, 0);

		pdb_u64(&data, 0);
		pdb_end(&data, at);
	}
	finish(&data);
	as_file(&file, &data);
	assert_int_equal(to_package(&file, "unreadable", &err), 12);
	for (p = said.text; (p = strstr(p, "too small for its sample_id")); p++)
		named++;
	assert_int_equal(named, 10);
	assert_non_null(strstr(said.text, "dropped: 12 records that could not be read\n"));
	assert_non_null(strstr(text_of("unreadable/system-event-log"), " comm=loop"));
}

/* What the header of a recording with the other byte order says is kept, samples are not: only its reader knows their fields. */
static void other_byte_order(void **state)
{
	struct pdb data = { .swap = true }, file = { .swap = true }, host = { .swap = true }, ids = { .swap = true };
	static const char *const files[] = { "/first", "/second" };
	const struct pdb_feature features[] = { { 2, &ids }, { 3, &host } };
	struct pdb_sid s = sb_sid(2000);
	struct perfdata *header;
	const struct pd_env *env;
	struct error err;
	size_t at;
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		at = pdb_begin(&ids, 67, 2);
		pdb_u32(&ids, 7 + i);
		pdb_bytes(&ids, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24", 20);
		pdb_zero(&ids, 4);
		pdb_str8(&ids, files[i]);
		pdb_end(&ids, at);
	}
	pdb_feat_str(&host, "big");
	finish(&data);
	for (i = 0; i < 3; i++) {
		at = pdb_begin(&data, PERF_RECORD_SAMPLE, 2);
		pdb_u64(&data, s.id);
		pdb_u32(&data, s.pid);
		pdb_u32(&data, s.tid);
		pdb_u64(&data, s.time);
		pdb_u64(&data, s.cpu);
		pdb_end(&data, at);
	}
	pdb_file(&file, &sb_attr, 1, 0, &data, features, 2);
	pdb_free(&data);
	pdb_free(&ids);
	pdb_free(&host);
	assert_int_equal(to_package(&file, "swapped", &err), 3);
	assert_non_null(strstr(text_of("swapped/system-event-log"), " comm=loop"));
	assert_null(strstr(text_of("swapped/system-event-log"), "type=9"));
	header = perfdata_open(temp_path(dir, "swapped/perf.header"), &err);
	assert_non_null(header);
	assert_false(perfdata_is_swapped(header));
	env = perfdata_env(header);
	assert_string_equal(env->hostname, "big");
	assert_int_equal(env->nr_build_ids, 2);
	for (i = 0; i < 2; i++) {
		assert_string_equal(env->build_ids[i].filename, files[i]);
		assert_int_equal(env->build_ids[i].size, 20);
		assert_int_equal(env->build_ids[i].id[19], 20);
		assert_int_equal(env->build_ids[i].pid, 7 + i);
	}
	perfdata_close(header);
}

/* A recording that came through a pipe: the records that the header is made of do not stand in the log as well. */
static void header_records(void **state)
{
	static const uint64_t update[] = { 2, 0 };	/* a name; a unit */
	struct pdb file = { 0 };
	struct perfdata *header;
	struct error err;
	unsigned int i;
	const char *p;
	size_t at;

	(void)state;
	pdb_pipe_header(&file);
	pdb_attr_record(&file, &sb_attr);
	at = pdb_begin(&file, 80, 0);		/* feature HOSTNAME */
	pdb_u64(&file, 3);
	pdb_feat_str(&file, "piped");
	pdb_end(&file, at);
	at = pdb_begin(&file, 67, 0);		/* a build-id */
	pdb_u32(&file, (uint32_t)-1);
	pdb_zero(&file, 24);
	pdb_str8(&file, "/bin/x");
	pdb_end(&file, at);
	for (i = 0; i < 2; i++) {
		at = pdb_begin(&file, 78, 0);
		pdb_u64(&file, update[i]);
		pdb_u64(&file, sb_attr.ids[0]);
		pdb_str8(&file, "cs_etm/@tmc/");
		pdb_end(&file, at);
	}
	finish(&file);
	assert_int_equal(to_package(&file, "piped", &err), 0);
	p = strstr(text_of("piped/system-event-log"), "x_perf");
	assert_non_null(p);
	assert_non_null(strstr(p, "type=78"));
	assert_null(strstr(p + 1, "x_perf"));
	header = perfdata_open(temp_path(dir, "piped/perf.header"), &err);
	assert_non_null(header);
	assert_string_equal(perfdata_env(header)->hostname, "piped");
	assert_string_equal(perfdata_attr(header, 0)->name, "cs_etm/@tmc/");
	assert_int_equal(perfdata_env(header)->nr_build_ids, 1);
	assert_string_equal(perfdata_env(header)->build_ids[0].filename, "/bin/x");
	perfdata_close(header);
}

/* Recordings that are no package. */
static void no_package(void **state)
{
	struct pdb data = { 0 }, file;
	struct error err;
	unsigned int i;

	(void)state;
	sb_aux(&data, 0, 0, 0, 1000);
	as_file(&file, &data);
	assert_int_equal(to_package(&file, "none", &err), ERR_AUXINFO);
	assert_string_equal(err.msg, "test: no CoreSight trace in this file (no AUXTRACE_INFO record)");
	for (i = 4096; i < 4098; i++) {
		unsigned int k;

		sb_aux_info(&data, 1, SB_CONFIGR, 0x14);
		for (k = 0; k < i; k++)
			pdb_auxtrace(&data, 0, "", 0, 2, k);
		as_file(&file, &data);
		assert_int_equal(to_package(&file, "many", &err), i == 4096 ? 0 : ERR_USAGE);
	}
	assert_string_equal(err.msg, "test: more than 4096 AUX buffers, and a package has no room for more");
}

/* A jitdump file that was given, not recorded, has a place of its own and the process whose code it is. */
static void given_jitdump(void **state)
{
	static const uint32_t loop[] = { 0xd503201f, 0x17ffffff };
	const char *out = temp_path(dir, "jitted");
	const struct export_package_opts o = { .output = out, .images = true, .origin = { .input = "test", .symfs = dir } };
	const struct session_opts so = { .symfs = dir, .jitdump = "./given.dump" };
	struct drops drops = { .name = out };
	struct pdb data = { 0 }, dump = { 0 };
	struct session *ss;
	struct error err;
	char *was = getcwd(NULL, 0);

	(void)state;
	jb_header(&dump, JB_AARCH64, SB_PID, 0);
	jb_load(&dump, 100, SB_BASE, 1, "made", loop, sizeof(loop));
	temp_write(dir, "given.dump", dump.p, dump.len);
	pdb_free(&dump);
	finish(&data);
	assert_true(was && !chdir(dir));
	said_begin(&said);
	ss = sb_open(&data, &so, NULL);
	assert_int_equal(export_package(session_perfdata(ss), ss, &o, &drops, &err), 0);
	said_end(&said);
	assert_int_equal(chdir(was), 0);
	session_close(ss);
	assert_non_null(strstr(text_of("jitted/contents.ini"), "\n[jitdump0]\nfile=images/jitdump0/given.dump\npid=100\n"));
	free(was);
}

/* ---- snapshots ------------------------------------------------------------------------------------- */

#define CODE	(SB_BASE + ELF_CODE_OFFSET)
#define BIG	0x500000u		/* map of the raw file */
#define BIG_SIZE	300000u
#define OTHER	0x600000u		/* and a part of it once more */
#define OTHER_SIZE	100000u

static struct session *open_here(struct pdb *data)
{
	const struct session_opts so = { .symfs = dir };

	return sb_open(data, &so, NULL);
}

static int64_t to_snapshot(struct pdb *data, const char *name, int pid, bool force, struct error *err)
{
	const char *out = temp_path(dir, name);
	const struct export_snapshot_opts o = { .output = out, .pid = pid, .force = force,
						.origin = { .input = "test", .symfs = dir } };
	struct drops drops = { .name = out };
	struct session *ss = open_here(data);
	int rc;

	said_begin(&said);
	rc = export_snapshot(ss, &o, &drops, err);
	said_end(&said);
	session_close(ss);
	return rc ? rc : (int64_t)drops.count;
}

/* A program and a map of it, and a larger raw file. */
static void make_programs(void)
{
	static const uint32_t loop[] = { 0xd503201f, 0x17ffffff };	/* nop; b .-4 */
	static uint8_t big[BIG_SIZE];
	uint8_t image[ELF_SIZE];

	elf_build(image, EM_AARCH64, 0x11, true);
	temp_write(dir, "loop", image, sizeof(image));
	memcpy(big, loop, sizeof(loop));
	memcpy(big + 0x1000, loop, sizeof(loop));
	temp_write(dir, "big", big, sizeof(big));
}

/* A stretch of trace without frames, whose AUX record has this time. */
static void stretch(struct pdb *data, struct pdb *trace, uint64_t offset, uint64_t time)
{
	sb_aux(data, offset, trace->len, SB_RAW, time);
	pdb_auxtrace(data, offset, trace->p, trace->len, 2, (uint32_t)-1);
	pdb_free(trace);
	memset(trace, 0, sizeof(*trace));
}

/* A trace unit whose ID changes within a buffer: a source for each ID and each buffer, of one core. */
static void two_ids(void **state)
{
	static const char *const sources[] = { "ETM_2", "ETM_2_0_0x23", "ETM_2_1", "ETM_2_1_0x23" };
	struct pdb data = { 0 }, trace = { 0 }, frames = { 0 };
	struct pdb_sid s = sb_sid(1000);
	struct error err;
	char line[64];
	unsigned int i;
	size_t at;

	(void)state;
	make_programs();
	sb_side_band(&data, "/loop");
	for (i = 0; i < 2; i++) {
		at = pdb_begin(&data, PERF_RECORD_AUX_OUTPUT_HW_ID, 0);
		pdb_u64(&data, 0x22 + i);
		pdb_sid_put(&data, SB_ST, &s);
		pdb_end(&data, at);
	}
	sb_trace_at(&trace, SB_TID, CODE, 0);
	for (i = 0; i < 2; i++)
		sb_frames(&frames, &trace, (uint8_t)(0x22 + i));
	for (i = 0; i < 2; i++)
		sb_stretch(&data, &frames, i * frames.len, 0);
	pdb_free(&trace);
	pdb_free(&frames);
	assert_int_equal(to_snapshot(&data, "ids", -1, false, &err), 0);
	for (i = 0; i < 4; i++) {
		snprintf(line, sizeof(line), "\n%s=ETB_0_%u\n", sources[i], i / 2);
		assert_non_null(strstr(text_of("ids/trace.ini"), line));
		snprintf(line, sizeof(line), "\ncpu_2=%s\n", sources[i]);
		assert_non_null(strstr(text_of("ids/trace.ini"), line));
		snprintf(line, sizeof(line), "ids/%s.ini", sources[i]);
		assert_non_null(strstr(text_of(line), i & 1 ? "\nTRCTRACEIDR=0x23\n" : "\nTRCTRACEIDR=0x22\n"));
	}
	assert_non_null(strstr(text_of("ids/snapshot.ini"), "\ndevice0=cpu_2.ini\ndevice1=ETM_2.ini\n"));
}

/* Trace without a synchronisation is of no process, and that of an ID without metadata of no source. */
static void nothing_decoded(void **state)
{
	struct pdb data = { 0 }, trace = { 0 }, frames = { 0 };
	struct error err;

	(void)state;
	sb_side_band(&data, "/loop");
	pdb_zero(&trace, 64);
	stretch(&data, &trace, 0, SB_TIME);
	assert_int_equal(to_snapshot(&data, "unsynced", -1, false, &err), 0);
	assert_non_null(strstr(text_of("unsynced/snapshot.ini"), "\ndescription=converted by cstrace "));
	assert_non_null(strstr(text_of("unsynced/trace.ini"), "\nETM_2=ETB_0_0\n"));
	sb_side_band(&data, "/loop");
	sb_trace(&trace, SB_TID);
	sb_frames(&frames, &trace, 0x30);
	sb_stretch(&data, &frames, 0, 0);
	pdb_free(&trace);
	pdb_free(&frames);
	assert_int_equal(to_snapshot(&data, "nothing", -1, false, &err), ERR_USAGE);
	assert_string_equal(err.msg, "test: no trace was decoded; 'info' tells why");
}

static int take_code(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	for (; n; n--, g++)
		if (g->kind == CST_GEN_RANGE)
			code_range(data, s, g);
	return 0;
}

static void collect(struct pdb *data, struct code *c)
{
	const struct consumer consumer = { .data = c, .batch = take_code };
	struct session *ss = open_here(data);

	assert_int_equal(session_run(ss, &consumer), 0);
	session_close(ss);
}

/* Of the maps that ran all bytes are kept, up to the limit of all together. */
static void limit_of_code(void **state)
{
	static const struct {
		uint64_t limit;
		size_t big, other;
		bool over;
	} cases[] = {
		{ BIG_SIZE + OTHER_SIZE, BIG_SIZE, OTHER_SIZE, false },
		{ BIG_SIZE + OTHER_SIZE - 1, BIG_SIZE, OTHER_SIZE - 1, true },
		{ BIG_SIZE + 40000, BIG_SIZE, 40000, true },
		{ BIG_SIZE, BIG_SIZE, 0, true },
		{ 65536, 65536, 0, true },
	};
	const struct copy_origin origin = { .symfs = dir };
	struct pdb_sid s = sb_sid(1000);
	unsigned int i;

	(void)state;
	make_programs();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pdb data = { 0 }, trace = { 0 };
		struct code_piece *pieces;
		struct code c;

		sb_side_band(&data, "/loop");
		pdb_mmap2(&data, SB_PID, BIG, BIG_SIZE, 0, "/big", SB_ST, &s);
		pdb_mmap2(&data, SB_PID, OTHER, OTHER_SIZE, 0x1000, "/big", SB_ST, &s);
		sb_trace_at(&trace, SB_TID, BIG, 0);
		sb_trace_at(&trace, SB_TID, OTHER, 0);
		stretch(&data, &trace, 0, SB_TIME);
		code_init(&c, cases[i].limit, &origin);
		collect(&data, &c);
		assert_int_equal(c.over_limit, cases[i].over);
		assert_int_equal(c.bytes, cases[i].big + cases[i].other);
		assert_int_equal(c.conflicts, 0);
		assert_int_equal(code_pieces(&c, &pieces), cases[i].other ? 2 : 1);
		assert_int_equal(pieces[0].address, BIG);
		assert_int_equal(pieces[0].len, cases[i].big);
		if (cases[i].other) {
			assert_int_equal(pieces[1].address, OTHER);
			assert_int_equal(pieces[1].len, cases[i].other);
		}
		free(pieces);
		code_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_lines), cmocka_unit_test(unreadable_records),
		cmocka_unit_test(other_byte_order), cmocka_unit_test(header_records),
		cmocka_unit_test(no_package), cmocka_unit_test(given_jitdump),
		cmocka_unit_test(two_ids), cmocka_unit_test(nothing_decoded),
		cmocka_unit_test(limit_of_code),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
