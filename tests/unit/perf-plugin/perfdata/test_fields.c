/* SPDX-License-Identifier: BSD-3-Clause */
/* Single fields of records: trailers and samples of every combination, and sizes of records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "perfdata/bytes.h"
#include "perfdata/decode.h"
#include "perfdata/layout.h"
#include "perfdata/sample.h"
#include "perfdata/simpleperf.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

/* In the order of the trailer. */
static const uint64_t trailer[] = { PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
				    PERF_SAMPLE_IDENTIFIER };

/* The trailer in bytes: with `swap`, in the byte order that this host does not have. */
static size_t expected_trailer(uint64_t st, bool swap, uint8_t *out)
{
	static const uint32_t words[6][2] = { { 0x11121314, 0x21222324 }, { 0x31323334, 0x35363738 }, { 0x41424344, 0x45464748 },
					      { 0x51525354, 0x55565758 }, { 0x61626364, 0 }, { 0x41424344, 0x45464748 } };
	uint64_t v;
	uint32_t half[2];
	size_t i, n = 0;

	for (i = 0; i < NR(trailer); i++) {
		if (!(st & trailer[i]))
			continue;
		if (trailer[i] == PERF_SAMPLE_TID || trailer[i] == PERF_SAMPLE_CPU) {
			half[0] = swap ? __builtin_bswap32(words[i][0]) : words[i][0];
			half[1] = swap ? __builtin_bswap32(words[i][1]) : words[i][1];
			memcpy(out + n, half, 8);
		} else {
			v = (uint64_t)words[i][0] << 32 | words[i][1];
			v = swap ? __builtin_bswap64(v) : v;
			memcpy(out + n, &v, 8);
		}
		n += 8;
	}
	return n;
}

static void every_trailer(void **state)
{
	const struct pd_sample_id sid = { .pid = 0x11121314, .tid = 0x21222324, .time = 0x3132333435363738,
					  .id = 0x4142434445464748, .stream_id = 0x5152535455565758, .cpu = 0x61626364 };
	struct pd_sample_id got;
	uint8_t want[64], bytes[64];
	uint64_t st, id = PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER;
	size_t n, i;
	unsigned int k;

	(void)state;
	for (k = 0; k < 1u << NR(trailer); k++) {
		st = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;	/* not in trailers */
		for (i = 0; i < NR(trailer); i++)
			st |= k & 1u << i ? trailer[i] : 0;
		n = expected_trailer(st, false, want);
		assert_int_equal(pd_sample_id_size(st), n);
		memset(bytes, 0xa5, sizeof(bytes));
		assert_int_equal(pd_sample_id_write(bytes + 8, st, &sid), n);
		assert_memory_equal(bytes + 8, want, n);
		assert_int_equal(bytes[8 + n], 0xa5);
		pd_sample_id_parse(st, bytes + 8 + n, &got);
		assert_int_equal(got.valid, st & ~(uint64_t)(PERF_SAMPLE_IP | PERF_SAMPLE_ADDR));
		assert_int_equal(got.pid, st & PERF_SAMPLE_TID ? sid.pid : 0);
		assert_int_equal(got.tid, st & PERF_SAMPLE_TID ? sid.tid : 0);
		assert_int_equal(got.time, st & PERF_SAMPLE_TIME ? sid.time : 0);
		assert_int_equal(got.id, st & id ? sid.id : 0);
		assert_int_equal(got.stream_id, st & PERF_SAMPLE_STREAM_ID ? sid.stream_id : 0);
		assert_int_equal(got.cpu, st & PERF_SAMPLE_CPU ? sid.cpu : 0);
		expected_trailer(st, true, bytes + 8);
		pd_sample_id_swap(st, bytes + 8 + n);
		assert_memory_equal(bytes + 8, want, n);
		assert_int_equal(bytes[7], 0xa5);
	}
}

struct sample {
	struct perf_event_header header;
	uint64_t word[40];
};

static bool parse(uint64_t st, uint64_t read_format, uint64_t branch, const struct sample *s, size_t words, struct pd_sample *out)
{
	struct perf_event_attr attr = {
		.sample_type = st, .read_format = read_format, .branch_sample_type = branch,
		.sample_regs_user = 3, .sample_regs_intr = 5,
	};
	struct sample copy = *s;

	copy.header = (struct perf_event_header){ PERF_RECORD_SAMPLE, 0, (uint16_t)(8 + 8 * words) };
	return pd_sample_parse(&attr, (const union perf_event *)&copy, false, out);
}

/* What a group of counters left in a sample is passed over, in each of its forms; the callchain follows. */
static void values_of_counters(void **state)
{
	static const struct {
		uint64_t format;
		unsigned int words;	/* with groups of two */
	} rows[] = {
		{ 0, 1 }, { PERF_FORMAT_TOTAL_TIME_ENABLED, 2 }, { PERF_FORMAT_TOTAL_TIME_RUNNING, 2 }, { PERF_FORMAT_ID, 2 },
		{ PERF_FORMAT_LOST, 2 }, { PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_ENABLED, 4 },
		{ PERF_FORMAT_GROUP, 3 }, { PERF_FORMAT_GROUP | PERF_FORMAT_ID, 5 }, { PERF_FORMAT_GROUP | PERF_FORMAT_LOST, 5 },
		{ PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED, 4 },
		{ PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID | PERF_FORMAT_LOST, 8 },
	};
	const uint64_t st = PERF_SAMPLE_IP | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN;
	struct pd_sample p;
	struct sample s;
	size_t i, n;

	(void)state;
	for (i = 0; i < NR(rows); i++) {
		memset(&s, 0, sizeof(s));
		s.word[1] = 2;	/* counters of the group, or a value */
		n = 1 + rows[i].words;
		s.word[n] = 2;
		s.word[n + 1] = 0xa;
		s.word[n + 2] = 0xb;
		if (!parse(st, rows[i].format, 0, &s, n + 3, &p) || p.nr_callchain != 2)
			fail_msg("format %#x", (unsigned int)rows[i].format);
		assert_false(parse(st, rows[i].format, 0, &s, n + 2, &p));
		assert_false(parse(st, rows[i].format, 0, &s, n - 1, &p));
	}
	/* a number of counters that overflows when it is multiplied */
	s.word[1] = 1ull << 61;
	assert_false(parse(PERF_SAMPLE_IP | PERF_SAMPLE_READ, PERF_FORMAT_GROUP, 0, &s, 20, &p));
}

/* Lists in samples: none, one that fills the sample, and one more than that. */
static void lists_in_samples(void **state)
{
	static const uint64_t bits[] = { PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_BRANCH_STACK };
	struct pd_sample p;
	struct sample s;
	size_t i, first, width;
	uint64_t branch;

	(void)state;
	for (i = 0; i < NR(bits); i++) {
		branch = i == 2 ? PERF_SAMPLE_BRANCH_HW_INDEX : 0;
		first = 1 + (i == 2);
		width = i ? 3 : 1;
		memset(&s, 0, sizeof(s));
		assert_true(parse(bits[i], 0, branch, &s, first, &p));
		assert_int_equal(i ? p.nr_branches : p.nr_callchain, 0);
		s.word[0] = 2;
		s.word[first + width] = 0x99;
		assert_true(parse(bits[i], 0, branch, &s, first + 2 * width, &p));
		assert_int_equal(i ? p.nr_branches : p.nr_callchain, 2);
		assert_int_equal(i ? p.branches[1].from : p.callchain[1], 0x99);
		assert_false(parse(bits[i], 0, branch, &s, first + 2 * width - 1, &p));
		s.word[0] = 1ull << 61;		/* times eight overflows to 0 */
		assert_false(parse(bits[i], 0, branch, &s, first + 2 * width, &p));
	}
	/* raw bytes end where a word does */
	memset(&s, 0, sizeof(s));
	for (i = 0; i < 16; i++) {
		memcpy(s.word, (const uint32_t[]){ (uint32_t)i }, 4);
		assert_int_equal(parse(PERF_SAMPLE_RAW, 0, 0, &s, 2, &p), i == 4 || i == 12);
		if (i == 12)
			assert_int_equal(p.raw_size, 12);
	}
	memcpy(s.word, (const uint32_t[]){ 20 }, 4);
	assert_false(parse(PERF_SAMPLE_RAW, 0, 0, &s, 2, &p));
}

/*
 * The AUX window is behind every other field; each of them, with 2 registers and 8 bytes of stack,
 * takes these words.
 */
static void fields_before_a_window(void **state)
{
	static const struct {
		uint64_t bit;
		size_t words;
		uint64_t first;		/* word of the field */
	} rows[] = {
		{ PERF_SAMPLE_BRANCH_STACK, 4, 1 },
		{ PERF_SAMPLE_REGS_USER, 3, 2 }, { PERF_SAMPLE_REGS_USER, 1, 0 },
		{ PERF_SAMPLE_STACK_USER, 3, 8 }, { PERF_SAMPLE_STACK_USER, 1, 0 },
		{ PERF_SAMPLE_WEIGHT, 1, 0 }, { PERF_SAMPLE_WEIGHT_STRUCT, 1, 0 },
		{ PERF_SAMPLE_DATA_SRC, 1, 0 }, { PERF_SAMPLE_TRANSACTION, 1, 0 },
		{ PERF_SAMPLE_REGS_INTR, 3, 1 }, { PERF_SAMPLE_PHYS_ADDR, 1, 0 },
		{ PERF_SAMPLE_CGROUP, 1, 0 }, { PERF_SAMPLE_DATA_PAGE_SIZE, 1, 0 },
		{ PERF_SAMPLE_CODE_PAGE_SIZE, 1, 0 },
	};
	struct pd_sample p;
	struct sample s;
	size_t i;

	(void)state;
	for (i = 0; i < NR(rows); i++) {
		const uint64_t st = rows[i].bit | PERF_SAMPLE_AUX;

		memset(&s, 0, sizeof(s));
		s.word[0] = rows[i].first;
		s.word[rows[i].words] = 16;
		assert_true(parse(st, 0, 0, &s, rows[i].words + 3, &p));
		assert_int_equal(p.aux_size, 16);
		assert_int_equal(p.aux_at, 8 + 8 * (rows[i].words + 1));
		assert_false(parse(st, 0, 0, &s, rows[i].words + 2, &p));
		assert_false(parse(st, 0, 0, &s, rows[i].words, &p));
	}
	/* branch counters have a word for each entry */
	memset(&s, 0, sizeof(s));
	s.word[0] = 1;
	s.word[5] = 8;
	assert_true(parse(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX, 0, 1u << 19, &s, 7, &p));
	assert_int_equal(p.aux_size, 8);
}

/* The smallest record of each type holds its fixed fields, and one byte of a string; a byte less is too small. */
static void sizes_of_records(void **state)
{
	static const struct {
		uint32_t type;
		size_t size;
		bool sample_id;
	} rows[] = {
		{ PERF_RECORD_MMAP, offsetof(struct perf_record_mmap, filename) + 1, true },
		{ PERF_RECORD_MMAP2, offsetof(struct perf_record_mmap2, filename) + 1, true },
		{ PERF_RECORD_LOST, sizeof(struct perf_record_lost), true },
		{ PERF_RECORD_COMM, offsetof(struct perf_record_comm, comm) + 1, true },
		{ PERF_RECORD_EXIT, sizeof(struct perf_record_fork), true },
		{ PERF_RECORD_FORK, sizeof(struct perf_record_fork), true },
		{ PERF_RECORD_THROTTLE, sizeof(struct perf_record_throttle), true },
		{ PERF_RECORD_UNTHROTTLE, sizeof(struct perf_record_throttle), true },
		{ PERF_RECORD_SAMPLE, sizeof(struct perf_event_header), false },
		{ PERF_RECORD_AUX, sizeof(struct perf_record_aux), true },
		{ PERF_RECORD_ITRACE_START, sizeof(struct perf_record_itrace_start), true },
		{ PERF_RECORD_LOST_SAMPLES, sizeof(struct perf_record_lost_samples), true },
		{ PERF_RECORD_SWITCH, sizeof(struct perf_event_header), true },
		{ PERF_RECORD_SWITCH_CPU_WIDE, sizeof(struct perf_record_switch), true },
		{ PERF_RECORD_NAMESPACES, offsetof(struct perf_record_namespaces, link_info), true },
		{ PERF_RECORD_KSYMBOL, offsetof(struct perf_record_ksymbol, name) + 1, true },
		{ PERF_RECORD_CGROUP, offsetof(struct perf_record_cgroup, path) + 1, true },
		{ PERF_RECORD_TEXT_POKE, offsetof(struct perf_record_text_poke_event, bytes), true },
		{ PERF_RECORD_AUX_OUTPUT_HW_ID, sizeof(struct perf_record_aux_output_hw_id), true },
		{ PERF_RECORD_READ, offsetof(struct perf_record_read, time_enabled), true },
		{ PERF_RECORD_BPF_EVENT, sizeof(struct perf_record_bpf_event), true },
		{ PERF_RECORD_HEADER_ATTR, sizeof(struct perf_event_header) + PERF_ATTR_SIZE_VER0, false },
		{ PERF_RECORD_EVENT_UPDATE, offsetof(struct perf_record_event_update, name), false },
		{ PERF_RECORD_THREAD_MAP, offsetof(struct perf_record_thread_map, entries), false },
		{ PERF_RECORD_FINISHED_ROUND, sizeof(struct perf_event_header), false },
		{ PERF_RECORD_FINISHED_INIT, sizeof(struct perf_event_header), false },
		{ PERF_RECORD_HEADER_TRACING_DATA, offsetof(struct perf_record_header_tracing_data, size) + 4, false },
		{ PERF_RECORD_HEADER_BUILD_ID, offsetof(struct perf_record_header_build_id, filename) + 1, false },
		{ PERF_RECORD_ID_INDEX, offsetof(struct perf_record_id_index, entries), false },
		{ PERF_RECORD_AUXTRACE_INFO, offsetof(struct perf_record_auxtrace_info, priv), false },
		{ PERF_RECORD_AUXTRACE, sizeof(struct perf_record_auxtrace), false },
		{ PERF_RECORD_TIME_CONV, offsetof(struct perf_record_time_conv, time_cycles), false },
		{ PERF_RECORD_HEADER_FEATURE, offsetof(struct perf_record_header_feature, data), false },
		{ PERF_RECORD_COMPRESSED, sizeof(struct perf_event_header), false },
		{ PD_RECORD_COMPRESSED2, sizeof(struct perf_event_header) + 8, false },
		{ PD_RECORD_SP_KERNEL_SYMBOL, offsetof(struct pd_record_sp_kernel_symbol, text), false },
		{ PD_RECORD_SP_SPLIT, sizeof(struct perf_event_header), false },
		{ PD_RECORD_SP_SPLIT_END, sizeof(struct perf_event_header), false },
		{ PD_RECORD_CST_UNMAP, sizeof(struct pd_record_cst_unmap), true },
		{ PD_RECORD_CST_CODE, offsetof(struct pd_record_cst_code, bytes), true },
		{ PD_RECORD_CST_ASID, sizeof(struct pd_record_cst_asid), true },
	};
	static const uint32_t none[] = { 0, PERF_RECORD_HEADER_EVENT_TYPE, PD_RECORD_COMPRESSED2 + 1,
					 PD_RECORD_SP_KERNEL_SYMBOL - 1, PD_RECORD_SP_KERNEL_SYMBOL + 1, PD_RECORD_SP_SPLIT_END + 1,
					 PD_RECORD_CST_FIRST - 1, PD_RECORD_CST_END };
	const struct pd_layout *l;
	static union perf_event one;
	union perf_event *ev = &one;
	size_t i;

	(void)state;
	for (i = 0; i < NR(rows); i++) {
		memset(ev, 0, sizeof(*ev));
		ev->header.type = rows[i].type;
		ev->header.size = (uint16_t)rows[i].size;
		l = pd_layout_find(rows[i].type);
		assert_non_null(l);
		if (l->min_size != rows[i].size || l->sample_id != rows[i].sample_id)
			fail_msg("type %u: at least %u bytes", (unsigned int)rows[i].type, l->min_size);
		assert_null(pd_layout_check(l, ev, rows[i].size));
		assert_string_equal(pd_layout_check(l, ev, rows[i].size - 1), "too small for its type");
	}
	for (i = 0; i < NR(none); i++)
		if (pd_layout_find(none[i]))
			fail_msg("type %u", (unsigned int)none[i]);
}

/* Numbers in records that say how much follows: what fits, and one more. */
static void counts_in_records(void **state)
{
	static const struct {
		uint32_t type;
		size_t size;
		unsigned int at, width;	/* of the count */
		uint64_t max;
		const char *error;
	} rows[] = {
		{ PERF_RECORD_TEXT_POKE, 32, 16, 2, 12, "with more code bytes than fit into it" },
		{ PERF_RECORD_TEXT_POKE, 32, 18, 2, 12, "with more code bytes than fit into it" },
		{ PERF_RECORD_NAMESPACES, 24 + 2 * 16, 16, 8, 2, "with more namespaces than fit into it" },
		{ PERF_RECORD_ID_INDEX, 16 + 3 * 32, 8, 8, 3, "with more entries than fit into it" },
		{ PD_RECORD_COMPRESSED2, 40, 8, 8, 24, "with more compressed bytes than fit into it" },
		{ PD_RECORD_CST_CODE, 48, 24, 8, 16, "with more code bytes than fit into it" },
		{ PD_RECORD_CST_DEFINE_TRACE, sizeof(struct pd_record_cst_define_trace) + 32,
		  offsetof(struct pd_record_cst_define_trace, nr_regs),
		  sizeof(((struct pd_record_cst_define_trace *)0)->nr_regs), 2, "with more registers than fit into it" },
	};
	static union perf_event one;
	union perf_event *ev = &one;
	uint8_t *bytes = (uint8_t *)ev;
	const struct pd_layout *l;
	const char *error;
	uint64_t v;
	size_t i, k;

	(void)state;
	for (i = 0; i < NR(rows); i++) {
		l = pd_layout_find(rows[i].type);
		assert_non_null(l);
		memset(ev, 0, sizeof(*ev));
		ev->header.type = rows[i].type;
		for (k = 0; k < 2; k++) {
			v = rows[i].max + k;
			memcpy(bytes + rows[i].at, &v, rows[i].width);
			error = pd_layout_check(l, ev, rows[i].size);
			if (k ? !error : error != NULL)
				fail_msg("row %zu: %s", i, error ? error : "fits");
			if (error)
				assert_string_equal(error, rows[i].error);
		}
	}
	/* a string ends within its record */
	memset(ev, 'a', sizeof(*ev));
	ev->header = (struct perf_event_header){ .type = PERF_RECORD_COMM };
	bytes[24] = 0;
	l = pd_layout_find(PERF_RECORD_COMM);
	assert_string_equal(pd_layout_check(l, ev, 24), "whose string is not terminated");
	assert_null(pd_layout_check(l, ev, 25));
	ev->header.type = PERF_RECORD_HEADER_BUILD_ID;
	bytes[40] = 0;
	l = pd_layout_find(PERF_RECORD_HEADER_BUILD_ID);
	assert_string_equal(pd_layout_check(l, ev, 40), "whose file name is not terminated");
	assert_null(pd_layout_check(l, ev, 41));
	ev->header = (struct perf_event_header){ PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, 0 };
	bytes[40] = 20;
	bytes[72] = 0;
	l = pd_layout_find(PERF_RECORD_MMAP2);
	assert_null(pd_layout_check(l, ev, 73));
	bytes[40] = 21;
	assert_string_equal(pd_layout_check(l, ev, 73), "with a build-id longer than 20 bytes");
	ev->header.misc = 0;	/* a device number, which may be anything */
	assert_null(pd_layout_check(l, ev, 73));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_trailer), cmocka_unit_test(values_of_counters),
		cmocka_unit_test(lists_in_samples), cmocka_unit_test(fields_before_a_window),
		cmocka_unit_test(sizes_of_records),
		cmocka_unit_test(counts_in_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
