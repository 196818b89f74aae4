/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same recording in every form perf.data comes in (either byte order, file, pipe, directory,
 * compressed) must give the same records; damage must be reported and cost nothing else.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "parts.h"
#include "perfdata/decode.h"
#include "perfdata/reader.h"
#include "unit/perf-plugin/perfdata_open.h"

#define ST	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
		 PERF_SAMPLE_IDENTIFIER)

static const struct pdb_attr two_attrs[2] = {
	{ .type = 8, .config = 0x30000000, .size = 128, .sample_type = ST, .sample_id_all = true,
	  .ids = { 100, 101 }, .nr_ids = 2 },
	{ .type = 1, .config = 9, .size = 128, .sample_type = ST, .sample_id_all = true,
	  .ids = { 1000 }, .nr_ids = 1 },
};

static const struct pdb_sid sid_a = { .pid = 5, .tid = 6, .time = 111, .id = 101, .cpu = 3 };
static const struct pdb_sid sid_b = { .pid = 5, .tid = 7, .time = 222, .id = 1000, .cpu = 1 };

/* Records of several kinds, without AUX data. */
static void side_band(struct pdb *b)
{
	size_t at;

	pdb_comm(b, 5, 6, "worker", ST, &sid_b);
	pdb_mmap2(b, 5, 0x400000, 0x2000, 0x1000, "/opt/truth/sort", ST, &sid_b);
	at = pdb_begin(b, PERF_RECORD_SWITCH_CPU_WIDE, 1 << 13);
	pdb_u32(b, 8);
	pdb_u32(b, 9);
	pdb_sid_put(b, ST, &sid_a);
	pdb_end(b, at);
	at = pdb_begin(b, PERF_RECORD_SAMPLE, 2);
	pdb_u64(b, 1000);
	pdb_u64(b, 0x400123);
	pdb_u32(b, 5);
	pdb_u32(b, 6);
	pdb_u64(b, 333);
	pdb_u32(b, 2);
	pdb_u32(b, 0);
	pdb_end(b, at);
	at = pdb_begin(b, PERF_RECORD_TEXT_POKE, 1);
	pdb_u64(b, 0xffff800010000000ULL);
	pdb_u16(b, 4);
	pdb_u16(b, 4);
	pdb_bytes(b, "\x1f\x20\x03\xd5\x00\x00\x00\x14\0\0\0", 12);
	pdb_sid_put(b, ST, &sid_b);
	pdb_end(b, at);
}

static void with_aux(struct pdb *b, const uint8_t *trace, size_t len)
{
	side_band(b);
	pdb_aux(b, 0x1000, len, 0x100, ST, &sid_a);
	pdb_auxtrace(b, 0x1000, trace, len, 3, ~0u);
	pdb_comm(b, 5, 7, "late", ST, &sid_b);
}

/* What the reader makes of it, as text: one line per record. */
struct text {
	char s[32768];
	size_t len;
	unsigned int records;
	unsigned int errors;
};

static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->len += (size_t)vsnprintf(t->s + t->len, sizeof(t->s) - t->len, fmt, ap);
	va_end(ap);
	assert_true(t->len < sizeof(t->s));
}

static void add_record(struct text *t, const struct pd_record *r)
{
	const union perf_event *ev = r->ev;

	add(t, "%u misc %x body %u sid %" PRIx64 " %u/%u t%" PRIu64 " i%" PRIu64 " c%u", ev->header.type,
	    ev->header.misc, r->body_size, r->sid.valid, r->sid.pid, r->sid.tid, r->sid.time, r->sid.id,
	    r->sid.cpu);
	switch (ev->header.type) {
	case PERF_RECORD_COMM:
		add(t, " %u %u %s", ev->comm.pid, ev->comm.tid, ev->comm.comm);
		break;
	case PERF_RECORD_MMAP2:
		add(t, " %u %llx %llx %llx %u %llx %u %s", ev->mmap2.pid, ev->mmap2.start, ev->mmap2.len,
		    ev->mmap2.pgoff, ev->mmap2.maj, ev->mmap2.ino, ev->mmap2.prot, ev->mmap2.filename);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		add(t, " %u %u", ev->context_switch.next_prev_pid, ev->context_switch.next_prev_tid);
		break;
	case PERF_RECORD_SAMPLE:
		add(t, " ip %" PRIx64 " attr %u", r->sample.ip, r->attr->index);
		break;
	case PERF_RECORD_TEXT_POKE:
		add(t, " %llx %u %u %02x%02x", ev->text_poke.addr, ev->text_poke.old_len,
		    ev->text_poke.new_len, ev->text_poke.bytes[0], ev->text_poke.bytes[7]);
		break;
	case PERF_RECORD_AUX:
		add(t, " %llx %llx %llx", ev->aux.aux_offset, ev->aux.aux_size, ev->aux.flags);
		break;
	case PERF_RECORD_AUXTRACE:
		add(t, " %" PRIx64 " %" PRIx64 " %" PRIx64 " %u %d %d %02x%02x", r->aux.offset, r->aux.size,
		    r->aux.avail, r->aux.idx, r->aux.tid, r->aux.cpu, r->aux.avail ? r->aux.data[0] : 0,
		    r->aux.avail ? r->aux.data[r->aux.avail - 1] : 0);
		break;
	}
	add(t, "\n");
}

static bool container(uint32_t type)
{
	return type == PERF_RECORD_HEADER_ATTR || type == PERF_RECORD_HEADER_FEATURE ||
	       type == PERF_RECORD_EVENT_UPDATE;
}

static void read_all(struct perfdata *pd, struct text *t)
{
	struct pd_record r;
	uint64_t seq = 0;
	int rc;

	memset(t, 0, sizeof(*t));
	while ((rc = perfdata_next(pd, &r))) {
		if (rc < 0) {
			t->errors++;
			assert_true(perfdata_error(pd)->code == rc);
			assert_true(strlen(perfdata_error(pd)->msg) > 20);
			continue;
		}
		assert_true(r.seq == seq);
		seq++;
		assert_true(((uintptr_t)r.ev & 7) == 0);
		if (container(r.ev->header.type))
			continue;
		t->records++;
		add_record(t, &r);
	}
}

static struct perfdata *open_ok(const struct pdb *b)
{
	struct error err;
	struct perfdata *pd = perfdata_open_memory(b->p, b->len, "mem", &err);

	if (!pd)
		fail_msg("%s", err.msg);
	return pd;
}

static struct text ref, got;
static uint8_t trace[320];

static int setup(void **state)
{
	struct pdb data = { 0 };
	struct perfdata *pd;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(trace); i++)
		trace[i] = (uint8_t)(i * 7 + 1);
	with_aux(&data, trace, sizeof(trace));
	pd = pdb_open(two_attrs, 2, &data, NULL, 0);
	read_all(pd, &ref);
	perfdata_close(pd);
	return 0;
}

static void test_reference(void **state)
{
	(void)state;
	assert_int_equal(ref.errors, 0);
	assert_string_equal(ref.s,
		"3 misc 0 body 24 sid 10086 5/7 t222 i1000 c1 5 6 worker\n"
		"10 misc 2 body 88 sid 10086 5/7 t222 i1000 c1 5 400000 2000 1000 8 1234 5 /opt/truth/sort\n"
		"15 misc 2000 body 16 sid 10086 5/6 t111 i101 c3 8 9\n"
		"9 misc 2 body 48 sid 10086 5/6 t333 i1000 c2 ip 400123 attr 1\n"
		"20 misc 1 body 32 sid 10086 5/7 t222 i1000 c1 ffff800010000000 4 4 1f14\n"
		"11 misc 0 body 32 sid 10086 5/6 t111 i101 c3 1000 140 100\n"
		"71 misc 0 body 48 sid 0 0/0 t0 i0 c0 1000 140 140 3 -1 3 01ba\n"
		"3 misc 0 body 24 sid 10086 5/7 t222 i1000 c1 5 7 late\n");
}

static void test_swapped(void **state)
{
	struct pdb data = { .swap = true }, host = { .swap = true };
	struct pdb_feature feat[2] = { { 3, &host }, { 6, &host } };
	const struct pd_attr *a;
	struct perfdata *pd;

	(void)state;
	with_aux(&data, trace, sizeof(trace));
	pdb_feat_str(&host, "bigend");
	pd = pdb_open(two_attrs, 2, &data, feat, 2);
	assert_true(perfdata_is_swapped(pd));
	assert_string_equal(perfdata_env(pd)->hostname, "bigend");
	assert_string_equal(perfdata_env(pd)->arch, "bigend");
	a = perfdata_attr(pd, 0);
	assert_int_equal(a->attr.type, 8);
	assert_int_equal(a->attr.config, 0x30000000);
	assert_true(a->attr.sample_id_all);
	assert_int_equal(a->attr.wakeup_events, 7);
	assert_int_equal(a->attr.config1, 0x1111);
	assert_int_equal(a->attr.config2, 0x2222);
	read_all(pd, &got);
	assert_string_equal(got.s, ref.s);
	perfdata_close(pd);
	pdb_free(&host);
}

static void pipe_form(struct pdb *b)
{
	size_t at;

	pdb_pipe_header(b);
	pdb_attr_record(b, &two_attrs[0]);
	pdb_attr_record(b, &two_attrs[1]);
	at = pdb_begin(b, 78, 0);	/* EVENT_UPDATE: the name */
	pdb_u64(b, 2);
	pdb_u64(b, 101);
	pdb_str8(b, "cs_etm//u");
	pdb_end(b, at);
	at = pdb_begin(b, 80, 0);	/* FEATURE: HOSTNAME */
	pdb_u64(b, 3);
	pdb_feat_str(b, "piped");
	pdb_end(b, at);
	with_aux(b, trace, sizeof(trace));
}

static void check_pipe(struct perfdata *pd)
{
	int pass;

	assert_true(perfdata_is_pipe(pd));
	for (pass = 0; pass < 3; pass++) {
		perfdata_rewind(pd);
		read_all(pd, &got);
		assert_int_equal(got.errors, 0);
		assert_string_equal(got.s, ref.s);
		assert_int_equal(perfdata_nr_attrs(pd), 2);
		assert_string_equal(perfdata_attr(pd, 0)->name, "cs_etm//u");
		assert_string_equal(perfdata_env(pd)->hostname, "piped");
		assert_int_equal(perfdata_stats(pd)->aux_bytes, sizeof(trace));
	}
	perfdata_close(pd);
}

static void test_pipe(void **state)
{
	struct pdb b[2] = { { .swap = false }, { .swap = true } };
	struct error err;
	struct perfdata *pd;
	char path[32];
	int fd[2], i;

	(void)state;
	for (i = 0; i < 2; i++) {
		pipe_form(&b[i]);
		check_pipe(open_ok(&b[i]));
		assert_int_equal(pipe(fd), 0);
		assert_int_equal(write(fd[1], b[i].p, b[i].len), b[i].len);
		close(fd[1]);
		snprintf(path, sizeof(path), "/dev/fd/%d", fd[0]);
		pd = perfdata_open(path, &err);
		assert_non_null(pd);
		check_pipe(pd);
		close(fd[0]);
		pdb_free(&b[i]);
	}
}

static void store(const char *dir, const char *name, const struct pdb *b)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(b->p, 1, b->len, f), b->len);
	assert_int_equal(fclose(f), 0);
}

static void test_directory(void **state)
{
	char dir[] = "/tmp/perfdata-dir-XXXXXX", cmd[64];
	struct pdb empty = { 0 }, main_file = { 0 }, part[4] = { { 0 } }, fmt = { 0 };
	struct pdb_feature feat = { 24, &fmt };
	static const char *const names[4] = { "data.0", "data.2", "data.9", "data.10" };
	struct error err;
	struct perfdata *pd;
	struct pd_record r;
	unsigned int i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	pdb_u64(&fmt, 1);
	pdb_comm(&empty, 1, 1, "first", ST, &sid_b);
	pdb_file(&main_file, two_attrs, 2, 0, &empty, &feat, 1);
	store(dir, "data", &main_file);
	for (i = 0; i < 4; i++) {
		pdb_comm(&part[i], i, i, names[i], ST, &sid_a);
		store(dir, names[i], &part[i]);
	}
	store(dir, "data.0.bak", &part[0]);
	pd = perfdata_open(dir, &err);
	assert_non_null(pd);
	assert_string_equal(perfdata_dir(pd), dir);
	assert_true(perfdata_env(pd)->dir_format);
	assert_int_equal(perfdata_nr_warnings(pd), 0);
	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_string_equal(r.ev->comm.comm, "first");
	for (i = 0; i < 4; i++) {
		assert_int_equal(perfdata_next(pd, &r), 1);
		assert_string_equal(r.ev->comm.comm, names[i]);
		assert_int_equal(r.file, i + 1);
		assert_int_equal(r.sid.time, 111);
		assert_non_null(strstr(perfdata_file_name(pd, r.file), names[i]));
	}
	assert_int_equal(perfdata_next(pd, &r), 0);
	perfdata_close(pd);
	/* The main file alone is readable, but that is worth a word. */
	snprintf(cmd, sizeof(cmd), "%s/data", dir);
	pd = perfdata_open(cmd, &err);
	assert_non_null(pd);
	assert_int_equal(perfdata_nr_warnings(pd), 1);
	perfdata_close(pd);
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	assert_int_equal(system(cmd), 0);
	for (i = 0; i < 4; i++)
		pdb_free(&part[i]);
	pdb_free(&empty);
	pdb_free(&main_file);
	pdb_free(&fmt);
}

/* Side-band compressed in pieces that cut records anywhere, AUX data uncompressed behind it. */
static void compressed_form(struct pdb *file, size_t piece, bool type2, bool swap)
{
	struct pdb raw = { .swap = swap }, data = { .swap = swap };

	side_band(&raw);
	pdb_aux(&raw, 0x1000, sizeof(trace), 0x100, ST, &sid_a);
	pdb_compressed(&data, &raw, piece, type2);
	pdb_auxtrace(&data, 0x1000, trace, sizeof(trace), 3, ~0u);
	pdb_comm(&data, 5, 7, "late", ST, &sid_b);
	file->swap = swap;
	pdb_file(file, two_attrs, 2, 0, &data, NULL, 0);
	pdb_free(&raw);
	pdb_free(&data);
}

static void test_compressed(void **state)
{
	static const size_t pieces[] = { 1, 3, 7, 8, 50, 100, 10000 };
	unsigned int i, form;

	(void)state;
	NEEDS(ZSTD);
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		for (form = 0; form < 4; form++) {
			struct pdb file = { 0 };
			struct perfdata *pd;

			compressed_form(&file, pieces[i], form & 1, form & 2);
			pd = open_ok(&file);
			read_all(pd, &got);
			assert_int_equal(got.errors, 0);
			assert_string_equal(got.s, ref.s);
			perfdata_rewind(pd);
			read_all(pd, &got);
			assert_string_equal(got.s, ref.s);
			assert_true(perfdata_stats(pd)->compressed_records > 0);
			assert_true(perfdata_stats(pd)->expanded_bytes > 300);
			perfdata_close(pd);
			pdb_free(&file);
		}
	}
}

/* Wherever the file ends: what was before is delivered, and the end is reported. */
static void test_truncated(void **state)
{
	struct pdb data = { 0 }, file = { 0 };
	size_t full, n, header = 104 + 3 * 8 + 2 * 144;

	(void)state;
	with_aux(&data, trace, sizeof(trace));
	pdb_file(&file, two_attrs, 2, 0, &data, NULL, 0);
	full = file.len;
	for (n = 0; n < full; n++) {
		uint8_t *copy = malloc(n ? n : 1);	/* exactly as large: overruns are seen */
		struct error err = { 0 };
		struct perfdata *pd;

		memcpy(copy, file.p, n);
		pd = perfdata_open_memory(copy, n, "cut", &err);
		if (!pd) {
			assert_true(n < header);
			assert_true(err.code < 0 && strlen(err.msg) > 20);
			free(copy);
			continue;
		}
		assert_true(n >= header);
		read_all(pd, &got);
		assert_int_equal(got.errors, 1);
		assert_int_equal(perfdata_error(pd)->code, ERR_CUT);
		assert_non_null(strstr(perfdata_error(pd)->msg, "is cut at"));
		/* An AUXTRACE that is cut is delivered with what there is of it. */
		if (!strstr(got.s, "71 misc") || strstr(got.s, " 140 140 3"))
			assert_memory_equal(got.s, ref.s, got.len);
		perfdata_close(pd);
		free(copy);
	}
	pdb_free(&data);
	pdb_free(&file);
}

/* Every single bit of the header and the attrs wrong: an error or a result, never a crash. */
static void test_header_bits(void **state)
{
	struct pdb data = { 0 }, file = { 0 }, host = { 0 };
	struct pdb_feature feat = { 3, &host };
	size_t bit, header = 104 + 3 * 8 + 2 * 144 + 16;

	(void)state;
	with_aux(&data, trace, sizeof(trace));
	pdb_feat_str(&host, "h");
	pdb_file(&file, two_attrs, 2, 0, &data, &feat, 1);
	for (bit = 0; bit < header * 8; bit++) {
		struct error err = { 0 };
		struct perfdata *pd;

		file.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
		pd = perfdata_open_memory(file.p, file.len, "flip", &err);
		if (pd)
			read_all(pd, &got);
		else
			assert_true(err.code < 0 && strlen(err.msg) > 20);
		perfdata_close(pd);
		file.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	pdb_free(&data);
	pdb_free(&file);
	pdb_free(&host);
}

static void expect_bad(struct pdb *bad, unsigned int lost)
{
	struct pdb data = { 0 };
	struct perfdata *pd;

	pdb_comm(&data, 1, 1, "before", ST, &sid_b);
	pdb_bytes(&data, bad->p, bad->len);
	pdb_comm(&data, 2, 2, "after", ST, &sid_b);
	pd = pdb_open(two_attrs, 2, &data, NULL, 0);
	read_all(pd, &got);
	assert_int_equal(got.errors, lost);
	assert_int_equal(perfdata_error(pd)->code, ERR_RECORD);
	assert_int_equal(perfdata_stats(pd)->bad_records, lost);
	assert_non_null(strstr(got.s, "before"));
	assert_non_null(strstr(got.s, "after"));
	assert_int_equal(got.records, 2);
	perfdata_close(pd);
	pdb_free(bad);
}

static void test_bad_records(void **state)
{
	struct pdb b = { 0 };
	size_t at, len;

	(void)state;
	/* A name without its end. */
	at = pdb_begin(&b, PERF_RECORD_COMM, 0);
	pdb_u64(&b, 0);
	pdb_bytes(&b, "abcdefgh", 8);
	pdb_sid_put(&b, ST, &sid_b);
	pdb_end(&b, at);
	expect_bad(&b, 1);
	/* Too small for the fields, then too small for the trailer. */
	at = pdb_begin(&b, PERF_RECORD_AUX, 0);
	pdb_u64(&b, 0);
	pdb_sid_put(&b, ST, &sid_b);
	pdb_end(&b, at);
	at = pdb_begin(&b, PERF_RECORD_AUX, 0);
	pdb_u64(&b, 0);
	pdb_end(&b, at);
	expect_bad(&b, 2);
	/* More code bytes than the record has. */
	at = pdb_begin(&b, PERF_RECORD_TEXT_POKE, 0);
	pdb_u64(&b, 0);
	pdb_u16(&b, 4);
	pdb_u16(&b, 0xffff);
	pdb_u32(&b, 0);
	pdb_sid_put(&b, ST, &sid_b);
	pdb_end(&b, at);
	expect_bad(&b, 1);
	/* More namespaces and ids than fit, with counts that overflow a product. */
	at = pdb_begin(&b, PERF_RECORD_NAMESPACES, 0);
	pdb_u64(&b, 0);
	pdb_u64(&b, 1ULL << 60);
	pdb_sid_put(&b, ST, &sid_b);
	pdb_end(&b, at);
	at = pdb_begin(&b, PERF_RECORD_ID_INDEX, 0);
	pdb_u64(&b, 1ULL << 59);
	pdb_end(&b, at);
	expect_bad(&b, 2);
	/* Three bytes more than it needs: its trailer is not found by words. */
	at = pdb_begin(&b, PERF_RECORD_AUX, 0);
	pdb_u64(&b, 0);
	pdb_u64(&b, 16);
	pdb_u64(&b, 0);
	pdb_bytes(&b, "abc", 3);
	pdb_sid_put(&b, ST, &sid_b);
	len = b.len;
	pdb_end(&b, at);
	b.len = len;
	b.p[at + 6] = (uint8_t)(len - at);
	expect_bad(&b, 1);
	/* A sample that is shorter than its event says. */
	at = pdb_begin(&b, PERF_RECORD_SAMPLE, 0);
	pdb_u64(&b, 100);
	pdb_u64(&b, 1);
	pdb_end(&b, at);
	expect_bad(&b, 1);
}

/* A size of 0 ends the file: nothing says where the next record is. */
static void test_size_zero(void **state)
{
	struct pdb data = { 0 };
	struct perfdata *pd;

	(void)state;
	pdb_comm(&data, 1, 1, "before", ST, &sid_b);
	pdb_zero(&data, 64);
	pd = pdb_open(two_attrs, 2, &data, NULL, 0);
	read_all(pd, &got);
	assert_int_equal(got.records, 1);
	assert_int_equal(got.errors, 1);
	assert_int_equal(perfdata_stats(pd)->lost_bytes, 64);
	perfdata_close(pd);
}

/* Unknown records and features of other recorders are no reason to complain. */
static void test_unknown(void **state)
{
	struct pdb data = { 0 }, priv = { 0 }, index = { 0 };
	struct pdb_feature feat[3] = { { 18, &index }, { 128, &priv }, { 200, &priv } };
	struct perfdata *pd;
	size_t at;

	(void)state;
	at = pdb_begin(&data, 77777, 0);
	pdb_u64(&data, 1);
	pdb_end(&data, at);
	at = pdb_begin(&data, 22, 0);
	pdb_sid_put(&data, ST, &sid_a);
	pdb_end(&data, at);
	pdb_comm(&data, 5, 6, "of no event", ST, &(struct pdb_sid){ .time = 112, .id = 999 });
	pdb_u32(&priv, 5);
	pd = pdb_open(two_attrs, 2, &data, feat, 3);
	assert_int_equal(perfdata_nr_warnings(pd), 0);
	assert_int_equal(perfdata_env(pd)->raw[128].len, 4);
	read_all(pd, &got);
	assert_int_equal(got.records, 3);
	assert_int_equal(got.errors, 0);
	assert_int_equal(perfdata_stats(pd)->unknown_ids, 1);
	assert_non_null(strstr(got.s, "22 misc 0 body 8 sid 10086 5/6 t111"));
	assert_int_equal(perfdata_stats(pd)->unknown_records, 2);
	perfdata_close(pd);
	pdb_free(&priv);
}

/* simpleperf: PERF_SAMPLE_ID instead of IDENTIFIER, whose place depends on the sample_type. */
static void test_id_without_identifier(void **state)
{
	const uint64_t st = 0x1c7;	/* IP TID TIME ID CPU PERIOD */
	struct pdb_attr attrs[2] = { two_attrs[0], two_attrs[1] };
	struct pdb data = { 0 };
	struct perfdata *pd;
	struct pd_record r;

	(void)state;
	attrs[0].sample_type = attrs[1].sample_type = st;
	pdb_comm(&data, 1, 1, "x", st, &sid_b);
	pd = pdb_open(attrs, 2, &data, NULL, 0);
	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_int_equal(r.attr->index, 1);
	assert_int_equal(r.sid.id, 1000);
	assert_int_equal(r.sid.time, 222);
	assert_int_equal(r.sid.cpu, 1);
	assert_int_equal(r.sid.tid, 7);
	assert_int_equal(perfdata_next(pd, &r), 0);
	perfdata_close(pd);
}

/* Without sample_id_all a record is its body, and nothing says when it was. */
static void test_no_sample_ids(void **state)
{
	const struct pdb_attr attr = { .type = 8, .size = 128, .sample_type = ST,
				       .ids = { 100 }, .nr_ids = 1 };
	struct pdb data = { 0 };
	const struct pdb_sid none = { .pid = 0 };
	struct perfdata *pd;
	struct pd_record r;

	(void)state;
	pdb_comm(&data, 5, 6, "worker", 0, &none);
	pdb_mmap2(&data, 5, 0x400000, 0x2000, 0x1000, "/opt/truth/sort", 0, &none);
	pd = pdb_open(&attr, 1, &data, NULL, 0);
	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_string_equal(r.ev->comm.comm, "worker");
	assert_int_equal(r.body_size, r.ev->header.size);
	assert_int_equal(r.sid.valid, 0);
	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_string_equal(r.ev->mmap2.filename, "/opt/truth/sort");
	assert_int_equal(r.body_size, r.ev->header.size);
	assert_int_equal(r.sid.valid, 0);
	assert_int_equal(perfdata_next(pd, &r), 0);
	perfdata_close(pd);
}

/* An id that no event has is counted, unless there is only one event that it can belong to. */
static void test_unknown_ids(void **state)
{
	const struct pdb_sid other = { .pid = 5, .tid = 6, .time = 111, .id = 50, .cpu = 3 };
	struct perfdata *pd;
	unsigned int nr;

	(void)state;
	for (nr = 1; nr <= 2; nr++) {
		struct pdb data = { 0 };

		pdb_comm(&data, 7, 7, "it", ST, &other);
		pd = pdb_open(two_attrs, nr, &data, NULL, 0);
		read_all(pd, &got);
		assert_int_equal(got.records, 1);
		assert_int_equal(perfdata_stats(pd)->unknown_ids, nr - 1);
		perfdata_close(pd);
	}
}

/* The bytes of tracing data are padded to eight, and the next record follows them. */
static void test_tracing_data(void **state)
{
	struct perfdata *pd;
	struct pd_record r;
	uint32_t size;
	size_t at;

	(void)state;
	for (size = 0; size <= 17; size++) {
		struct pdb data = { 0 };

		at = pdb_begin(&data, PERF_RECORD_HEADER_TRACING_DATA, 0);
		pdb_u32(&data, size);
		pdb_u32(&data, 0);
		pdb_end(&data, at);
		pdb_zero(&data, (size + 7) / 8 * 8);
		pdb_comm(&data, 7, 7, "it", ST, &sid_a);
		pd = pdb_open(two_attrs, 2, &data, NULL, 0);
		assert_int_equal(perfdata_next(pd, &r), 1);
		assert_int_equal(r.payload_size, (size + 7) / 8 * 8);
		if (perfdata_next(pd, &r) != 1 || strcmp(r.ev->comm.comm, "it"))
			fail_msg("no record behind tracing data of %u bytes", size);
		perfdata_close(pd);
	}
}

/* The place of the ids is at the end of an entry, or behind a shorter attribute, or nowhere. */
static void test_place_of_ids(void **state)
{
	static const uint64_t nowhere[2] = { UINT64_MAX / 2, 8 };
	const size_t entry = 104 + 8;	/* behind the header and one id */
	struct pdb_attr attr = two_attrs[1];
	const struct pd_attr *a;
	struct perfdata *pd;
	unsigned int round;

	(void)state;
	attr.size = 64;
	for (round = 0; round < 3; round++) {
		struct pdb data = { 0 }, file = { 0 };

		pdb_comm(&data, 7, 7, "it", ST, &sid_b);
		pdb_file(&file, &attr, 1, 144, &data, NULL, 0);
		if (round) {
			uint8_t *old = file.p + entry + 64, *new = file.p + entry + 128;

			memcpy(old, round == 1 ? (const void *)new : nowhere, 16);
			memcpy(new, nowhere, 16);
		}
		pd = open_ok(&file);
		a = perfdata_attr(pd, 0);
		assert_int_equal(a->damaged, round == 2);
		assert_int_equal(a->nr_ids, round < 2);
		if (round < 2)
			assert_int_equal(a->ids[0], 1000);
		assert_int_equal(perfdata_nr_warnings(pd), round == 2);
		perfdata_close(pd);
		pdb_free(&data);
		pdb_free(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_ids), cmocka_unit_test(test_tracing_data),
		cmocka_unit_test(test_place_of_ids), cmocka_unit_test(test_no_sample_ids),
		cmocka_unit_test(test_reference), cmocka_unit_test(test_swapped),
		cmocka_unit_test(test_pipe), cmocka_unit_test(test_directory),
		cmocka_unit_test(test_compressed), cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_header_bits), cmocka_unit_test(test_bad_records),
		cmocka_unit_test(test_size_zero), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_id_without_identifier),
	};

	return cmocka_run_group_tests_name("perfdata reader", tests, setup, NULL);
}
