/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the file of inject has beside its samples: the build-ids of the recording and of the files that ran, and records that let
 * readers sort.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/synth/injector.h"
#include "unit/perf-plugin/elf_build.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

TEMP_DIR("injector")

static void put_build_id(struct pdb *b, uint16_t misc, uint8_t byte, uint8_t size, const char *name)
{
	const size_t at = pdb_begin(b, 0, misc | PERF_RECORD_MISC_BUILD_ID_SIZE);
	uint8_t id[24] = { 0 };

	memset(id, byte, size);
	id[20] = size;
	pdb_u32(b, SB_PID);
	pdb_bytes(b, id, sizeof(id));
	pdb_str8(b, name);
	pdb_end(b, at);
}

/* Injects the samples of `itrace`. Returns the recording that this makes, in a file of its own. */
static struct perfdata *injected_of(const struct pdb_attr *attr, struct pdb *data, const struct pdb_feature *feature,
				    const char *itrace, const char *name)
{
	const struct session_opts so = { .symfs = dir, .cache_limit = 1 << 20 };
	struct injector_opts o = { .output = temp_path(dir, name) };
	struct session *ss = sb_open_of(attr, data, &so, feature);
	struct injector *in;
	struct perfdata *pd;
	struct error err;
	char msg[400];

	assert_true(itrace_parse(&o.itrace, itrace, msg, sizeof(msg)));
	in = injector_open(ss, &o);
	assert_non_null(in);
	assert_int_equal(injector_run(in), 0);
	assert_int_equal(injector_left_out(in), 0);
	injector_close(in);
	session_close(ss);
	pd = perfdata_open(o.output, &err);
	assert_non_null(pd);
	return pd;
}

static struct perfdata *injected(struct pdb *data, const struct pdb_feature *feature, const char *itrace, const char *name)
{
	return injected_of(&sb_attr, data, feature, itrace, name);
}

static void build_ids(void **state)
{
	static const struct {
		uint16_t misc;
		uint8_t byte, size;
		const char *name;
	} want[] = {
		{ PERF_RECORD_MISC_KERNEL, 1, 20, "[kernel.kallsyms]" }, { PERF_RECORD_MISC_USER, 2, 8, "/bin/a" },
		{ PERF_RECORD_MISC_USER, 0x11, 20, "/prog" },
	};
	struct pdb data = { .p = NULL }, trace = { .p = NULL }, ids = { .p = NULL };
	const struct pdb_feature feature = { PD_FEAT_BUILD_ID, &ids };
	uint8_t image[ELF_SIZE], id[20];
	const struct pd_env *env;
	unsigned int i, samples = 0;
	struct pd_record rec;
	struct perfdata *pd;

	(void)state;
	elf_build(image, EM_AARCH64, 0x11, true);
	temp_write(dir, "prog", image, sizeof(image));
	for (i = 0; i < 2; i++)
		put_build_id(&ids, want[i].misc, want[i].byte, want[i].size, want[i].name);
	sb_trace_at(&trace, SB_TID, SB_BASE + ELF_CODE_OFFSET, 0);
	sb_side_band(&data, "/prog");
	sb_stretch(&data, &trace, 0, SB_RAW);
	pd = injected(&data, &feature, "i1i", "ids.data");
	while (perfdata_next(pd, &rec) > 0) {
		samples += rec.ev->header.type == PERF_RECORD_SAMPLE;
		/* a record that was not the trace event's own gets the ID of an event of the output */
		if (rec.ev->header.type == PERF_RECORD_COMM || rec.ev->header.type == PERF_RECORD_MMAP2)
			assert_int_equal(rec.sid.id, perfdata_attr(pd, 0)->ids[0]);
	}
	assert_int_equal(samples, 2 * SB_ATOMS);
	env = perfdata_env(pd);
	assert_string_equal(env->arch, "aarch64");
	assert_int_equal(env->nr_build_ids, 3);
	for (i = 0; i < 3; i++) {
		memset(id, want[i].byte, sizeof(id));
		assert_int_equal(env->build_ids[i].misc & PERF_RECORD_MISC_CPUMODE_MASK, want[i].misc);
		assert_int_equal(env->build_ids[i].pid, ~0u);
		assert_int_equal(env->build_ids[i].size, want[i].size);
		assert_memory_equal(env->build_ids[i].id, id, want[i].size);
		assert_string_equal(env->build_ids[i].filename, want[i].name);
	}
	perfdata_close(pd);
	pdb_free(&ids);
	pdb_free(&trace);
	injector_close(NULL);
}

/* perf takes the file of a build-id for the kernel's or a program's by the record, whatever the name looks like. */
static void owners_of_build_ids(void **state)
{
	static const struct {
		const char *name, *file;	/* recorded, and below `dir` */
		bool module;
	} row[] = {
		{ "[vdso]", "[vdso]", false }, { "/lib/modules/6.1.0/kernel/drivers/first.ko", "first.ko", true },
	};
	const uint64_t base = 0xffff800001000000;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct pdb data = { .p = NULL }, trace = { .p = NULL };
		uint8_t image[ELF_SIZE];
		const struct pd_env *env;
		struct perfdata *pd;
		Elf64_Ehdr eh;

		elf_build(image, EM_AARCH64, 0x11, true);
		if (row[i].module) {
			memcpy(&eh, image, sizeof(eh));
			eh.e_type = ET_REL;
			eh.e_phnum = 0;
			memcpy(image, &eh, sizeof(eh));
		}
		temp_write(dir, row[i].file, image, sizeof(image));
		sb_side_band(&data, row[i].module ? "/none" : row[i].name);
		if (row[i].module)
			sb_kernel_map(&data, 1000, base, 0x1000, 0, row[i].name);
		sb_trace_at(&trace, SB_TID, row[i].module ? base : SB_BASE + ELF_CODE_OFFSET, row[i].module);
		sb_stretch(&data, &trace, 0, SB_RAW);
		pdb_free(&trace);
		pd = injected(&data, NULL, "i1i", row[i].module ? "module.data" : "vdso.data");
		env = perfdata_env(pd);
		assert_int_equal(env->nr_build_ids, 1);
		assert_string_equal(env->build_ids[0].filename, row[i].name);
		assert_int_equal(env->build_ids[0].misc & PERF_RECORD_MISC_CPUMODE_MASK,
				 row[i].module ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
		perfdata_close(pd);
	}
}

/* Readers sort what is between two FINISHED_ROUND records, so there is one behind each megabyte of other records. */
static void rounds(void **state)
{
	enum { ROUND = 1 << 20, SAMPLES = 40000 };
	/* each atom is two instructions and a branch, beside the one to the first instruction; 64 bytes fill a megabyte exactly */
	static const struct {
		const char *itrace;
		unsigned int atoms, size;
	} row[] = { { "i1i", SAMPLES / 2, 56 }, { "b", SAMPLES - 1, 64 } };
	unsigned int i, k;

	(void)state;
	for (k = 0; k < 2; k++) {
		struct pdb data = { .p = NULL }, trace = { .p = NULL };
		unsigned int samples = 0, ended = 0;
		uint8_t image[ELF_SIZE];
		size_t since = 0, last = 0;
		struct pd_record rec;
		struct perfdata *pd;

		elf_build(image, EM_AARCH64, 0x11, true);
		temp_write(dir, "prog", image, sizeof(image));
		sb_trace_at(&trace, SB_TID, SB_BASE + ELF_CODE_OFFSET, 0);
		for (i = SB_ATOMS; i < row[k].atoms; i++)
			pdb_bytes(&trace, "\xf7", 1);
		sb_side_band(&data, "/prog");
		sb_stretch(&data, &trace, 0, SB_RAW);
		pdb_free(&trace);
		pd = injected(&data, NULL, row[k].itrace, row[k].itrace);
		while (perfdata_next(pd, &rec) > 0) {
			const struct perf_event_header *h = &rec.ev->header;

			if (h->type == PERF_RECORD_FINISHED_ROUND) {
				assert_int_equal(h->size, sizeof(*h));
				/* directly behind the record that completes the megabyte */
				assert_true(since >= ROUND && since - last < ROUND);
				since = 0;
				ended++;
				continue;
			}
			last = h->size;
			since += last;
			if (h->type != PERF_RECORD_SAMPLE)
				continue;
			assert_int_equal(h->size, row[k].size);
			samples++;
		}
		assert_int_equal(samples, SAMPLES);
		assert_int_equal(ended, SAMPLES * row[k].size / ROUND);
		perfdata_close(pd);
	}
}

/* The events of inject have the levels of the trace's event; their names have those that are not the default. */
static void levels(void **state)
{
	/* bits of attr's flags (include/uapi/linux/perf_event.h) */
	static const struct {
		uint64_t flags;
		const char *name;
	} row[] = {
		{ 0, "branches:HG" }, { 1 << 4, "branches:kh" }, { 1 << 5, "branches:uh" }, { 1 << 6, "branches:ku" },
		{ 1 << 19, "branches:G" }, { 1 << 20, "branches" },
	};
	const uint64_t bits = 7 << 4 | 3 << 19;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct pdb_attr attr = sb_attr;
		struct pdb data = { .p = NULL };
		const struct pd_attr *a;
		struct perfdata *pd;
		uint64_t flags;

		attr.more_flags = row[i].flags;
		sb_aux_info(&data, 1, SB_CONFIGR, 0x14);
		pd = injected_of(&attr, &data, NULL, "b", row[i].name);
		assert_int_equal(perfdata_nr_attrs(pd), 1);
		a = perfdata_attr(pd, 0);
		memcpy(&flags, (const uint8_t *)&a->attr + offsetof(struct perf_event_attr, read_format) + 8, sizeof(flags));
		assert_int_equal(flags & bits, row[i].flags);
		assert_string_equal(a->name, row[i].name);
		perfdata_close(pd);
	}
}

/* Readers take a file without any record for an interrupted recording: the end of a round is in it. */
static void no_records(void **state)
{
	struct pdb data = { .p = NULL };
	unsigned int n = 0;
	struct pd_record rec;
	struct perfdata *pd;

	(void)state;
	sb_aux_info(&data, 1, SB_CONFIGR, 0x14);
	pd = injected(&data, NULL, "i1i", "none.data");
	while (perfdata_next(pd, &rec) > 0) {
		assert_int_equal(rec.ev->header.type, PERF_RECORD_FINISHED_ROUND);
		assert_int_equal(rec.ev->header.size, sizeof(struct perf_event_header));
		n++;
	}
	assert_int_equal(n, 1);
	perfdata_close(pd);
}

/* A recording of an event beside the trace (sample_type: SB_ST and the address), with samples at two times. */
static struct perfdata *with_samples(struct pdb *data, const char *itrace, const char *name)
{
	static const struct pdb_attr attrs[] = {
		{ .type = 8, .size = 128, .sample_type = SB_ST, .sample_id_all = true, .ids = { 50 }, .nr_ids = 1 },
		{ .type = 1, .config = 9, .size = 128, .sample_type = SB_ST | PERF_SAMPLE_IP, .sample_id_all = true, .ids = { 60 },
		  .nr_ids = 1 },
	};
	const struct session_opts so = { .symfs = dir, .cache_limit = 1 << 20 };
	struct injector_opts o = { .output = temp_path(dir, name) };
	struct pdb file = { .p = NULL };
	struct injector *in;
	struct session *ss;
	struct perfdata *pd;
	struct error err;
	char msg[400];

	pdb_file(&file, attrs, 2, 0, data, NULL, 0);
	pdb_free(data);
	pd = perfdata_open_memory(file.p, file.len, "test", &err);
	assert_non_null(pd);
	ss = session_open_perfdata(&so, pd);
	assert_non_null(ss);
	assert_true(itrace_parse(&o.itrace, itrace, msg, sizeof(msg)));
	in = injector_open(ss, &o);
	assert_non_null(in);
	assert_int_equal(injector_run(in), 0);
	injector_close(in);
	session_close(ss);
	pdb_free(&file);
	pd = perfdata_open(o.output, &err);
	assert_non_null(pd);
	return pd;
}

static void put_sample(struct pdb *data, uint64_t time)
{
	const size_t at = pdb_begin(data, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	pdb_u64(data, 60);
	pdb_u64(data, SB_BASE);
	pdb_u32(data, SB_PID);
	pdb_u32(data, SB_TID);
	pdb_u64(data, time);
	pdb_u32(data, 2);
	pdb_u32(data, 0);
	pdb_end(data, at);
}

/* The header has the times of the first and the last sample or error, of the trace and of the recording. */
static void times_of_samples(void **state)
{
	static const struct {
		const char *itrace;
		bool samples;		/* the recording has some, before the trace and after it */
		uint64_t first, last;
	} row[] = {
		{ "i1i", false, 5000, 7000 }, { "b", false, 5000, 7000 }, { "e", false, 6000, 6000 },
		{ "i1i", true, 2500, 9500 }, { "e", true, 2500, 9500 },
	};
	size_t i;

	(void)state;
	temp_write(dir, "two.bin", sb_loop, sizeof(sb_loop));
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct pdb data = { .p = NULL }, trace = { .p = NULL }, gap = { .p = NULL };
		const struct pd_env *env;
		struct perfdata *pd;
		char name[32];

		sb_side_band(&data, "/two.bin");
		sb_trace(&trace, SB_TID);
		sb_trace_at(&gap, SB_TID, SB_BASE + 0x8000, 0);	/* no code */
		if (row[i].samples)
			put_sample(&data, 2500);
		sb_aux(&data, 0, trace.len, SB_RAW, 5000);
		sb_aux(&data, 0x1000, gap.len, SB_RAW, 6000);
		sb_aux(&data, 0x2000, trace.len, SB_RAW, 7000);
		if (row[i].samples)
			put_sample(&data, 9500);
		pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
		pdb_auxtrace(&data, 0x1000, gap.p, gap.len, 2, (uint32_t)-1);
		pdb_auxtrace(&data, 0x2000, trace.p, trace.len, 2, (uint32_t)-1);
		pdb_free(&trace);
		pdb_free(&gap);
		snprintf(name, sizeof(name), "samples%zu.data", i);
		pd = with_samples(&data, row[i].itrace, name);
		env = perfdata_env(pd);
		if (env->sample_time_first != row[i].first || env->sample_time_last != row[i].last)
			fail_msg("%s: from %llu to %llu", row[i].itrace, (unsigned long long)env->sample_time_first,
				 (unsigned long long)env->sample_time_last);
		perfdata_close(pd);
	}
}

/* An error has its place, its time, its thread and its text; what is behind the text is zero. */
static void errors(void **state)
{
	static const struct {
		uint64_t time, ip;
		uint32_t code;
		const char *text;
	} want[] = {
		{ 5000, SB_BASE + 0x8000, SAMPLE_ERR_NO_IMAGE, "No program image for this address" },
		{ 6000, SB_BASE + 4, SAMPLE_ERR_OVERFLOW, "Trace unit overflow" },
	};
	struct pdb data = { .p = NULL }, trace = { .p = NULL }, gap = { .p = NULL };
	struct perf_record_auxtrace_error e;
	struct pd_record rec;
	struct perfdata *pd;
	unsigned int n = 0;
	size_t i;

	(void)state;
	sb_side_band(&data, "/two.bin");
	sb_trace_at(&gap, SB_TID, SB_BASE + 0x8000, 0);
	sb_trace(&trace, SB_TID);
	pdb_bytes(&trace, "\x00\x05", 2);
	sb_aux(&data, 0, gap.len, SB_RAW, 5000);
	sb_aux(&data, 0x1000, trace.len, SB_RAW, 6000);
	pdb_auxtrace(&data, 0, gap.p, gap.len, 2, (uint32_t)-1);
	pdb_auxtrace(&data, 0x1000, trace.p, trace.len, 2, (uint32_t)-1);
	pdb_free(&trace);
	pdb_free(&gap);
	pd = with_samples(&data, "e", "errors.data");
	while (perfdata_next(pd, &rec) > 0) {
		if (rec.ev->header.type != PERF_RECORD_AUXTRACE_ERROR)
			continue;
		assert_in_range(n, 0, 1);
		memcpy(&e, rec.ev, sizeof(e));
		assert_int_equal(e.header.size, sizeof(e));
		assert_int_equal(e.type, 1);	/* of an instruction trace */
		assert_int_equal(e.fmt, 1);	/* with a time */
		assert_int_equal(e.cpu, 2);
		assert_int_equal(e.pid, SB_PID);
		assert_int_equal(e.tid, SB_TID);
		assert_int_equal(e.code, want[n].code);
		assert_int_equal(e.ip, want[n].ip);
		assert_int_equal(e.time, want[n].time);
		assert_string_equal(e.msg, want[n].text);
		for (i = strlen(e.msg); i < sizeof(e.msg); i++)
			assert_int_equal(e.msg[i], 0);
		n++;
	}
	assert_int_equal(n, 2);
	perfdata_close(pd);
}

static void timestamp(struct pdb *trace, uint64_t ticks)
{
	uint8_t p[10] = { 0x02 };
	unsigned int i;

	for (i = 1; i < 9; i++, ticks >>= 7)
		p[i] = (ticks & 0x7f) | 0x80;
	p[9] = (uint8_t)ticks;
	pdb_bytes(trace, p, sizeof(p));
}

/* Readers give a sample behind the end of its thread to nobody: none is there, and none has a later time. */
static void samples_of_an_ended_thread(void **state)
{
	enum { END = 5000, LAST = 7000 };
	static const char *const itrace[] = { "b", "i1i", "i1il4" };
	static const uint64_t info[] = { 3, 1, 8ull << 32 | 1, 0, 0x4040404040404040ull, 2, 8, SB_CONFIGR | SB_TIMESTAMPS, 0x14,
					 0x28000ea1, 0x4100f423, 0x488, 0, 0xcc, 1 };
	unsigned int k, i;

	(void)state;
	for (k = 0; k < sizeof(itrace) / sizeof(itrace[0]); k++) {
		struct pdb data = { .p = NULL }, trace = { .p = NULL };
		struct pdb_sid s = sb_sid(END);
		unsigned int before = 0, at_end = 0;
		bool ended = false;
		struct pd_record rec;
		struct perfdata *pd;
		char name[32];
		size_t at;

		/* a trace unit whose timestamps are nanoseconds of the virtual counter, and the conversion to perf's time */
		at = pdb_begin(&data, PERF_RECORD_AUXTRACE_INFO, 0);
		for (i = 0; i < sizeof(info) / sizeof(info[0]); i++)
			pdb_u64(&data, info[i]);
		pdb_end(&data, at);
		at = pdb_begin(&data, PERF_RECORD_TIME_CONV, 0);
		pdb_u64(&data, 0);
		pdb_u64(&data, 1);
		pdb_u64(&data, 0);
		pdb_end(&data, at);
		pdb_comm(&data, SB_PID, SB_PID, "loop", SB_ST, &(struct pdb_sid){ SB_PID, SB_TID, 1000, 50, 2 });
		sb_fork(&data, SB_PID, SB_PID, SB_TID, 1000);
		pdb_mmap2(&data, SB_PID, SB_BASE, 0x1000, 0, "/two.bin", SB_ST, &(struct pdb_sid){ SB_PID, SB_TID, 1000, 50, 2 });
		at = pdb_begin(&data, PERF_RECORD_EXIT, 0);
		pdb_u32(&data, SB_PID);
		pdb_u32(&data, SB_PID);
		pdb_u32(&data, SB_TID);
		pdb_u32(&data, SB_PID);
		pdb_u64(&data, END);
		pdb_sid_put(&data, SB_ST, &s);
		pdb_end(&data, at);
		/* stretches before the end, across it and behind it */
		sb_trace(&trace, SB_TID);
		for (at = 0; at < 4; at++) {
			timestamp(&trace, 4000 + 800 * at);
			for (i = 0; at < 3 && i < SB_ATOMS; i++)
				pdb_bytes(&trace, "\xf7", 1);
		}
		sb_aux(&data, 0, trace.len, SB_RAW, LAST);
		pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
		pdb_free(&trace);
		snprintf(name, sizeof(name), "ended%u.data", k);
		pd = injected(&data, NULL, itrace[k], name);
		while (perfdata_next(pd, &rec) > 0) {
			ended |= rec.ev->header.type == PERF_RECORD_EXIT;
			if (rec.ev->header.type != PERF_RECORD_SAMPLE)
				continue;
			if (ended || rec.sample.sid.time > END)
				fail_msg("%s: a sample of time %llu%s", itrace[k], (unsigned long long)rec.sample.sid.time,
					 ended ? " behind the end of its thread" : "");
			before += rec.sample.sid.time < END;
			at_end += rec.sample.sid.time == END;
		}
		if (!ended || !before || !at_end)
			fail_msg("%s: %u samples before the end, %u at it%s", itrace[k], before, at_end, ended ? "" : ", no end");
		perfdata_close(pd);
	}
}

/* Without timestamps the end of a thread is moved behind all samples, which can be as late as the AUX record. */
static void end_without_timestamps(void **state)
{
	struct pdb data = { .p = NULL }, trace = { .p = NULL };
	struct pdb_sid s = sb_sid(SB_TIME - 100);
	uint64_t last = 0, end = 0;
	struct pd_record rec;
	struct perfdata *pd;
	unsigned int n = 0;
	size_t at;

	(void)state;
	sb_side_band(&data, "/two.bin");
	at = pdb_begin(&data, PERF_RECORD_EXIT, 0);
	pdb_u32(&data, SB_PID);
	pdb_u32(&data, SB_PID);
	pdb_u32(&data, SB_TID);
	pdb_u32(&data, SB_PID);
	pdb_u64(&data, s.time);
	pdb_sid_put(&data, SB_ST, &s);
	pdb_end(&data, at);
	sb_trace(&trace, SB_TID);
	sb_stretch(&data, &trace, 0, SB_RAW);
	pdb_free(&trace);
	pd = injected(&data, NULL, "i1i", "untimed.data");
	while (perfdata_next(pd, &rec) > 0) {
		if (rec.ev->header.type == PERF_RECORD_EXIT)
			end = rec.sid.time;
		if (rec.ev->header.type != PERF_RECORD_SAMPLE)
			continue;
		assert_int_equal(end, 0);
		last = rec.sample.sid.time;
		n++;
	}
	assert_int_equal(n, 2 * SB_ATOMS);
	assert_int_equal(end, SB_TIME);
	assert_int_equal(last, SB_TIME);
	perfdata_close(pd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_ids), cmocka_unit_test(owners_of_build_ids), cmocka_unit_test(rounds), cmocka_unit_test(levels),
		cmocka_unit_test(no_records), cmocka_unit_test(times_of_samples), cmocka_unit_test(errors),
		cmocka_unit_test(samples_of_an_ended_thread), cmocka_unit_test(end_without_timestamps),
	};

	return cmocka_run_group_tests_name("injector", tests, make_dir, remove_dir);
}
