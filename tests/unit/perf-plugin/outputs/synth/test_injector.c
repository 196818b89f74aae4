/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the file of inject has beside its samples: owners of build-ids, ends of rounds, levels in
 * names of events, ends of threads.
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
		struct pdb data = { .p = NULL }, trace = { .p = NULL };
		uint8_t image[ELF_SIZE];
		const struct pd_attr *a;
		struct perfdata *pd;
		uint64_t flags;

		attr.more_flags = row[i].flags;
		elf_build(image, EM_AARCH64, 0x11, true);
		temp_write(dir, "prog", image, sizeof(image));
		sb_side_band(&data, "/prog");
		sb_trace_at(&trace, SB_TID, SB_BASE + ELF_CODE_OFFSET, 0);
		sb_stretch(&data, &trace, 0, SB_RAW);
		pdb_free(&trace);
		pd = injected_of(&attr, &data, NULL, "b", row[i].name);
		assert_int_equal(perfdata_nr_attrs(pd), 1);
		a = perfdata_attr(pd, 0);
		memcpy(&flags, (const uint8_t *)&a->attr + offsetof(struct perf_event_attr, read_format) + 8, sizeof(flags));
		assert_int_equal(flags & bits, row[i].flags);
		assert_string_equal(a->name, row[i].name);
		perfdata_close(pd);
	}
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

static int make_program(void **state)
{
	if (make_dir(state))
		return -1;
	temp_write(dir, "two.bin", sb_loop, sizeof(sb_loop));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owners_of_build_ids), cmocka_unit_test(rounds),
		cmocka_unit_test(levels), cmocka_unit_test(samples_of_an_ended_thread),
		cmocka_unit_test(end_without_timestamps),
	};

	return cmocka_run_group_tests_name("injector", tests, make_program, remove_dir);
}
