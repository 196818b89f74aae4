/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recording with records of every kind that the session keeps, and trace without one, decoded with one allocation
 * refused, whichever it is: an error, the words "out of memory", or the same result as with enough of it. The words may
 * be all there is where a file could not be read; the commands end with exit code 1 after any refusal (base/memory.h).
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "machine/images/unpack.h"
#include "parts.h"
#include "perfdata/reader.h"
#include "perfdata/records.h"
#include "session/import/bare.h"
#include "session/indexes/index_book.h"
#include "session/session.h"
#include "unit/perf-plugin/elf_build.h"
#include "unit/perf-plugin/jit_build.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/temp_dir.h"

static size_t failing;		/* which allocation is refused, from 1; 0: none */

/* As cmd/malloc.c does it for the commands. */
static bool alloc_refused(size_t n)
{
	if (!failing || --failing)
		return false;
	memory_note_refusal(n);
	errno = ENOMEM;
	return true;
}

#include "fault/wrap_alloc.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"

#define TEXT	0xffff800008010400ull	/* where the kernel's _text was loaded */
#define ID	0x22u			/* that a record gives the trace unit */

static char dir[] = "/tmp/cstrace-short-XXXXXX", dump_path[64], vmlinux[64];

/* nop; b .-4 */
static const uint32_t loop[] = { 0xd503201f, 0x17ffffff };

static int make_files(void **state)
{
	uint8_t image[ELF_SIZE];
	struct pdb b = { 0 };

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	elf_build(image, EM_AARCH64, 0x11, true);
	snprintf(vmlinux, sizeof(vmlinux), "%s/vmlinux", dir);
	temp_write(dir, "vmlinux", image, sizeof(image));
	temp_write(dir, "loop.bin", loop, sizeof(loop));
	temp_write(dir, "found.bin", loop, sizeof(loop));
	jb_header(&b, JB_AARCH64, SB_PID, 0);
	jb_load(&b, 100, SB_BASE + 0x10000, 1, "made", loop, sizeof(loop));
	jb_move(&b, 5000, SB_BASE + 0x10000, SB_BASE + 0x10100, sizeof(loop), 1);
	snprintf(dump_path, sizeof(dump_path), "%s/jit-%u.dump", dir, SB_PID);
	temp_write(dir, strrchr(dump_path, '/') + 1, b.p, b.len);
	pdb_free(&b);
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	return temp_remove(dir);
}

/* ---- the recording --------------------------------------------------------------------------------- */

static void words(struct pdb *b, uint32_t type, uint64_t time, const uint32_t *w, size_t n)
{
	struct pdb_sid s = sb_sid(time);
	size_t at = pdb_begin(b, type, 0), i;

	for (i = 0; i < n; i++)
		pdb_u32(b, w[i]);
	pdb_sid_put(b, SB_ST, &s);
	pdb_end(b, at);
}

#define WORDS(b, type, time, ...) do {				\
	const uint32_t w_[] = { __VA_ARGS__ };			\
	words(b, type, time, w_, sizeof(w_) / sizeof(*w_));	\
} while (0)

static void recording(struct pdb *file)
{
	static const uint64_t at[] = { SB_BASE, SB_BASE + 0x10000, TEXT, SB_BASE + 0x10100, SB_BASE + 0x2000, SB_BASE + 0x3000, SB_BASE };
	struct pdb data = { 0 }, trace = { 0 }, one = { 0 };
	struct pdb_sid s = sb_sid(1000);
	unsigned int i;
	size_t from;

	sb_aux_info(&data, 2, SB_CONFIGR, 0x80000000u | 0x14);
	WORDS(&data, 21, 1000, ID, 0);						/* AUX_OUTPUT_HW_ID */
	pdb_comm(&data, SB_PID, SB_PID, "loop", SB_ST, &s);
	sb_fork(&data, SB_PID, SB_PID, SB_TID, 1000);
	pdb_mmap2(&data, SB_PID, SB_BASE, 0x1000, 0, "/loop.bin", SB_ST, &s);
	sb_kernel_map(&data, 0, TEXT & ~0xfffull, 0x1000, TEXT, "[kernel.kallsyms]_text");
	pdb_mmap2(&data, SB_PID, SB_BASE + 0x2000, 0x1000, 0, "/absent.bin", SB_ST, &s);
	pdb_mmap2(&data, SB_PID, SB_BASE + 0x3000, 0x1000, 0, "/elsewhere/found.bin", SB_ST, &s);	/* by its name */
	pdb_mmap2(&data, SB_PID, 0x7f0000000000, 0x1000, 0, dump_path, SB_ST, &s);
	pdb_mmap2(&data, SB_PID, SB_BASE + 0x10000, 0x1000, 0, "//anon", SB_ST, &s);
	WORDS(&data, PD_RECORD_CST_ASID, 1000, SB_PID, 5, PD_CST_START, 0);
	sb_text_poke(&data, 5500, TEXT + 0x40, 0xd65f03c0, 0xd503201f);
	for (i = 0; i < 12; i++) {						/* threads that come and go */
		sb_fork(&data, 200 + i, SB_PID, 200 + i, 1600 + 10 * i);
		pdb_comm(&data, 200 + i, 200 + i, i & 1 ? "odd" : "even", SB_ST, &s);
		WORDS(&data, 4, 1605 + 10 * i, 200 + i, SB_PID, 200 + i, SB_PID, 1605 + 10 * i, 0);
		WORDS(&data, 15, 1607 + 10 * i, SB_TID, SB_TID);		/* SWITCH_CPU_WIDE */
	}
	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		from = trace.len;
		sb_trace_at(&one, SB_TID, at[i], at[i] == TEXT);
		sb_frames(&trace, &one, ID);
		pdb_free(&one);
		memset(&one, 0, sizeof(one));
		sb_aux(&data, from, trace.len - from, 0, 3000 + 1000 * i);
	}
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	pdb_file(file, &sb_attr, 1, 0, &data, NULL, 0);
	pdb_free(&data);
	pdb_free(&trace);
}

/* ---- decoding -------------------------------------------------------------------------------------- */

struct result {
	uint64_t ranges, insns, nacc, places, names;
};

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct result *r = data;
	const char *name = session_comm(s), *p;
	struct session_loc loc;
	uint64_t offset;
	size_t i;

	for (i = 0; i < n; i++) {
		r->nacc += g[i].kind == CST_GEN_NACC;
		if (g[i].kind != CST_GEN_RANGE)
			continue;
		r->ranges++;
		r->insns += g[i].n_insn * (uint64_t)(s->tid + 1);
		if (session_locate(s, g[i].addr, &loc)) {
			r->places += loc.offset + 1;
			if (session_symbol(s, g[i].addr, &loc, &p, &offset))
				r->names += (uint8_t)*p;
		}
		for (p = name; p && *p; p++)
			r->names += (uint8_t)*p;
	}
	return 0;
}

/* `file` NULL: the input is what the options describe. */
static struct session *open_input(const struct pdb *file, const struct session_opts *opts)
{
	struct perfdata *pd;
	struct error err;

	if (!file)
		return session_open(opts);
	pd = perfdata_open_memory(file->p, file->len, "test", &err);
	if (!pd) {
		fprintf(stderr, "%s\n", err.msg);
		return NULL;
	}
	return session_open_perfdata(opts, pd);
}

/* 0, or negative. */
static int decode(const struct pdb *file, const struct session_opts *opts, struct result *r)
{
	struct consumer con = { .data = r, .batch = on_batch };
	struct session *ss;
	int rc;

	memset(r, 0, sizeof(*r));
	ss = open_input(file, opts);
	if (!ss)
		return -1;
	rc = session_run(ss, &con);
	session_print_missing(ss, stderr);
	session_close(ss);
	return rc;
}

/* What an attempt came to; shared with the process that makes it. */
struct attempt {
	struct result result;
	int rc;
	bool refused;
};

/* Of LeakSanitizer, in the sanitized build: not 0 if memory is lost. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* In a process of its own, for a refusal holds for all of it. Its messages go to `text`. */
static void attempt(const struct pdb *file, const struct session_opts *opts, size_t which, struct attempt *a,
		    char *text, size_t room)
{
	FILE *messages = tmpfile();
	int status;
	ssize_t n;
	pid_t pid;

	assert_non_null(messages);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fileno(messages), STDERR_FILENO);
		failing = which;
		a->rc = decode(file, opts, &a->result);
		a->refused = memory_refused();
		failing = 0;
		fflush(stderr);
		_exit(__lsan_do_recoverable_leak_check ? __lsan_do_recoverable_leak_check() : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	n = pread(fileno(messages), text, room - 1, 0);
	text[n > 0 ? n : 0] = 0;
	fclose(messages);
	if (status)
		fail_msg("allocation %zu: status %x: %s", which, (unsigned int)status, text);
}

/* Each allocation is refused in turn. Returns how many there are, and the result without a refusal. */
static size_t refuse_each(const struct pdb *file, const struct session_opts *opts, struct result *want)
{
	struct attempt *a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static char text[1 << 16];
	size_t which = 0;

	assert_true(a != MAP_FAILED);
	attempt(file, opts, 0, a, text, sizeof(text));
	assert_int_equal(a->rc, 0);
	assert_false(a->refused);
	*want = a->result;
	do {
		attempt(file, opts, ++which, a, text, sizeof(text));
		if (a->rc < 0 ? a->refused : !memcmp(&a->result, want, sizeof(*want)) ||
		    strstr(text, "out of memory") || strstr(text, strerror(ENOMEM)))
			continue;
		fail_msg("allocation %zu: %s: %s", which, a->rc < 0 ? "an error without a refusal" :
			 "another result, without a word", text);
	} while (a->refused);
	munmap(a, sizeof(*a));
	return which - 1;
}

static void each_allocation(void **state)
{
	static const struct session_opts opts[] = {
		{ .symfs = dir, .vmlinux = vmlinux, .jitdump = dump_path },
		{ .symfs = dir, .vmlinux = vmlinux, .jitdump = dump_path, .keep_events = 4,
		  .filter = { .comm = "loop,even" } },
	};
	struct pdb file = { 0 };
	struct result r;
	size_t i;

	(void)state;
	recording(&file);
	for (i = 0; i < 2; i++) {
		/* at least: each of the threads, processes, maps and names */
		assert_true(refuse_each(&file, &opts[i], &r) > 148);
		assert_true(r.ranges > 110 && r.nacc && r.names);
	}
	pdb_free(&file);
}

/* Memory that runs out while a module is unpacked: that is said, and not that the file is damaged. */
static void unpacking(void **state)
{
	static uint8_t data[300000];
	static uint8_t packed[3][100000];
	uint8_t *p;
	z_stream z = { .next_in = data, .avail_in = sizeof(data), .next_out = packed[0], .avail_out = sizeof(packed[0]) };
	size_t n[3] = { 0 }, len, which;
	unsigned int i;

	(void)state;
	NEEDS(LZMA);
	NEEDS(ZSTD);
	srand(1);
	for (i = 0; i < sizeof(data); i++)
		data[i] = i < 30000 ? (uint8_t)(rand() >> 8) : data[i - 30000];
	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	n[0] = z.total_out;
	deflateEnd(&z);
	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, data, sizeof(data), packed[1], &n[1],
						 sizeof(packed[1])), LZMA_OK);
	n[2] = ZSTD_compress(packed[2], sizeof(packed[2]), data, sizeof(data), 1);
	for (i = 0; i < 3; i++) {
		for (which = 1; which < 100; which++) {
			failing = which;
			if (unpack(packed[i], n[i], &p, &len) == UNPACK_DONE)
				break;
			assert_int_equal(failing, 0);
			failing = 1;
			assert_int_equal(unpack(packed[i], n[i], &p, &len), UNPACK_NO_MEMORY);
		}
		failing = 0;
		assert_in_range(which, 2, 20);
		assert_int_equal(len, sizeof(data));
		free(p);
	}
}

/* An index is made and kept, or read, or it is said that memory ran out; nothing of it is left then. */
static void indexes(void **state)
{
	const struct cst_etmv4_regs regs = { .configr = SB_CONFIGR, .idr0 = 0x28000ea1, .idr1 = 0x4100f423, .idr2 = 0x488,
					     .traceidr = 0x14 };
	struct index_section s = { .name = "trace" };
	char path[80], *input = dump_path;
	struct pdb trace = { 0 };
	struct cst_decoder *dec;
	struct cst_config cfg = { 0 };
	size_t which;
	int rc = -1;

	(void)state;
	sb_trace(&trace, SB_TID);
	s.data = trace.p;
	s.size = trace.len;
	assert_int_equal(cst_config_etmv4(&cfg, &regs, 0, CST_PROFILE_A), 0);
	assert_int_equal(cst_tree_new(&s.tree, CST_TREE_RAW, 0), 0);
	assert_int_equal(cst_tree_add(s.tree, &cfg, &dec), 0);
	snprintf(path, sizeof(path), "%s.cstidx", input);
	for (which = 0; rc || which <= 1; which++) {
		struct index_book b = { .who = "test" };

		assert_int_equal(index_book_init(&b, "test", input, NULL), 0);
		failing = which;
		rc = index_book_make(&b, &s);
		assert_int_equal(b.nr_made, !rc);
		assert_true(!rc || !failing);
		failing = 0;
		if (!which)
			assert_int_equal(index_book_write(&b), 0);
		index_book_free(&b);
	}
	assert_true(which > 10);
	for (which = 1, rc = -1; rc <= 0; which++) {
		struct index_book b = { .who = "test" };

		assert_int_equal(index_book_init(&b, "test", input, NULL), 0);
		failing = which;
		rc = index_book_read(&b);
		failing = 0;
		assert_int_equal(b.file != NULL, rc == 1);
		assert_true(rc == 1 || rc == ERR_REPORTED);
		index_book_free(&b);
	}
	assert_true(which > 5);
	unlink(path);
	cst_tree_free(s.tree);
	pdb_free(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation),
		cmocka_unit_test(indexes),	/* first: nothing is written any more after a refusal */
		cmocka_unit_test(unpacking),
	};

	return cmocka_run_group_tests_name("session memory", tests, make_files, remove_files);
}
