/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each reason for which trace is not decoded, made on purpose in a small recording: what is counted, of
 * which CPU, process and file, and how `info` says it.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "perfdata/reader.h"
#include "session/decode/decode.h"
#include "session/internal.h"
#include "session/parts.h"
#include "unit/perf-plugin/elf_build.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

TEMP_DIR("losses")

static int make_files(void **state)
{
	static const uint32_t branches[] = { 0x14000001, 0x17ffffff };	/* b .+4; b .-4 */
	_Alignas(8) uint8_t image[ELF_SIZE];

	if (make_dir(state))
		return -1;
	temp_write(dir, "two.bin", sb_loop, sizeof(sb_loop));
	temp_write(dir, "branches.bin", branches, sizeof(branches));
	elf_build(image, EM_X86_64, 0x11, true);
	temp_write(dir, "host", image, sizeof(image));
	elf_build(image, EM_AARCH64, 0x22, true);
	temp_write(dir, "target", image, sizeof(image));
	elf_build(image, EM_AARCH64, 0x33, false);
	temp_write(dir, "debug", image, sizeof(image));
	return 0;
}

/* Of the test that runs: records, trace for them, the session of both, and what it printed last. */
static struct pdb data, trace;
static struct session *ss;
static char *text;

static int finish(void **state)
{
	(void)state;
	session_close(ss);
	ss = NULL;
	free(text);
	text = NULL;
	pdb_free(&data);
	pdb_free(&trace);
	memset(&data, 0, sizeof(data));
	memset(&trace, 0, sizeof(trace));
	return 0;
}

static void sum_table(const struct loss_table *t, struct loss_amount sum[NR_LOSSES])
{
	size_t i;

	memcpy(sum, t->rest, sizeof(t->rest));
	for (i = 0; i < t->nr; i++) {
		sum[t->rows[i].cause].count += t->rows[i].amount.count;
		sum[t->rows[i].cause].bytes += t->rows[i].amount.bytes;
	}
}

/* Whatever was lost: the sums by cause are those of the decoders, and no table says more than its sum. */
static void check_sums(void)
{
	const struct session_totals *t = session_totals(ss);
	const struct losses *ls = &ss->losses;
	struct loss_amount cpu[NR_LOSSES], process[NR_LOSSES];
	int i;

	assert_int_equal(losses_missing_code(ls), t->dec.nacc);
	assert_int_equal(ls->cause[LOSS_BAD_PACKET].count, t->dec.bad_packets);
	assert_int_equal(ls->cause[LOSS_UNSYNCED].count, t->dec.unsynced);
	assert_int_equal(ls->cause[LOSS_OVERFLOW].count, t->dec.overflows);
	assert_int_equal(ls->cause[LOSS_DISCARD].count, t->dec.discards);
	assert_int_equal(ls->cause[LOSS_RESYNC].count, t->dec.resyncs);
	assert_int_equal(ls->cause[LOSS_ATOMS].count, t->dec.atoms_lost);
	assert_int_equal(ls->cause[LOSS_CONFLICT].count, t->dec.image_conflicts);
	assert_int_equal(ls->cause[LOSS_STACK].count, t->dec.stack_empty);
	assert_int_equal(ls->cause[LOSS_NOPATH].count, t->dec.nopath);
	assert_int_equal(ls->cause[LOSS_UNCOMMITTED].count, t->dec.uncommitted);
	assert_int_equal(ls->cause[LOSS_DATA].count, t->dec.data_lost);
	assert_int_equal(ls->cause[LOSS_TIME].count, t->dec.times_unknown);
	assert_int_equal(ls->cause[LOSS_CONTEXT].count, t->unknown_context);
	if (!ss->chosen.filter) {
		assert_int_equal(ls->cause[LOSS_TRUNCATED].count, t->aux_truncated);
		assert_int_equal(ls->cause[LOSS_PARTIAL].count, t->aux_partial);
		assert_int_equal(ls->cause[LOSS_COLLISION].count, t->aux_collision);
		assert_int_equal(ls->cause[LOSS_AUX_MISSING].count, t->aux_missing);
	}
	assert_int_equal(ls->cause[LOSS_UNCLAIMED].count, t->aux_unclaimed);
	assert_int_equal(ls->cause[LOSS_UNROUTED].count, t->unrouted);
	assert_int_equal(ls->cause[LOSS_LOST].count, ls->lost_records);
	assert_int_equal(ls->cause[LOSS_BAD_FRAME].count, t->frame.errors);
	assert_int_equal(ls->cause[LOSS_FRAME_BYTES].count, t->frame.skipped);
	assert_int_equal(ls->cause[LOSS_FRAME_ID].count, t->frame.unknown);
	sum_table(&ls->cpu, cpu);
	sum_table(&ls->process, process);
	for (i = 0; i < NR_LOSSES; i++) {
		assert_true(cpu[i].count <= ls->cause[i].count);
		assert_true(process[i].count <= ls->cause[i].count);
		if (loss_kind(i) == LOSS_KIND_CODE || loss_kind(i) == LOSS_KIND_FLOW) {
			assert_int_equal(cpu[i].count, ls->cause[i].count);
			assert_int_equal(process[i].count, ls->cause[i].count);
			assert_int_equal(process[i].bytes, ls->cause[i].bytes);
		}
	}
}

/* Opens the recording; with a filter if `time` is not NULL. */
static void open_recording(const char *time)
{
	const struct session_opts so = { .symfs = dir, .buildid_dir = "/nonexistent", .filter.time = time };

	session_close(ss);
	ss = sb_open(&data, &so, NULL);
}

/* Twice, since nothing of a run may be left in the next. */
static void run(void)
{
	const struct consumer nothing = { .data = NULL };

	assert_int_equal(session_run(ss, &nothing), 0);
	check_sums();
	assert_int_equal(session_run(ss, &nothing), 0);
	check_sums();
}

static void decode(void)
{
	open_recording(NULL);
	run();
}

/* The list of files without code; how many there must be. */
static const char *missing(unsigned int files)
{
	size_t len;
	FILE *out;

	free(text);
	out = open_memstream(&text, &len);
	assert_int_equal(session_print_missing(ss, out), files);
	fclose(out);
	return text;
}

static const char *all_losses(bool all)
{
	size_t len;
	FILE *out;

	free(text);
	out = open_memstream(&text, &len);
	session_print_all_losses(ss, out, all);
	fclose(out);
	return text;
}

static const char *summary(void)
{
	size_t len;
	FILE *out;

	free(text);
	out = open_memstream(&text, &len);
	session_print_summary(ss, out);
	fclose(out);
	return text;
}

static const struct loss_row *find_row(const struct loss_table *t, enum loss cause, int number)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (t->rows[i].cause == cause && t->rows[i].number == number)
			return &t->rows[i];
	return NULL;
}

static void check_row(const struct loss_table *t, enum loss cause, int number, uint64_t count, uint64_t bytes)
{
	const struct loss_row *r = find_row(t, cause, number);

	assert_non_null(r);
	assert_int_equal(r->amount.count, count);
	assert_int_equal(r->amount.bytes, bytes);
}

/* Only this cause, all of it on CPU 2. */
static void check_only(enum loss cause, uint64_t count, uint64_t bytes)
{
	int i;

	for (i = 0; i < NR_LOSSES; i++)
		if (i != (int)cause && i != LOSS_ATOMS && i != LOSS_LOST)
			if (ss->losses.cause[i].count) fail_msg("%s", loss_counted(i));
	assert_int_equal(ss->losses.cause[cause].count, count);
	assert_int_equal(ss->losses.cause[cause].bytes, bytes);
	check_row(&ss->losses.cpu, cause, 2, count, bytes);
	assert_true(session_has_losses(ss));
}

/* ---- code that is missing ------------------------------------------------------------------------ */

/* Where the first atom of sb_trace() is, and how many bytes follow from there. */
#define FIRST_ATOM	29u
#define LOST_BYTES	SB_ATOMS

static void lost_event(uint64_t n)
{
	struct pdb_sid s = sb_sid(1500);
	size_t at = pdb_begin(&data, PERF_RECORD_LOST, 0);

	pdb_u64(&data, 50);
	pdb_u64(&data, n);
	pdb_sid_put(&data, SB_ST, &s);
	pdb_end(&data, at);
}

static const struct missing_case {
	const char *file;	/* mapped at SB_BASE */
	uint32_t tid;
	uint64_t addr;
	unsigned int el;
	unsigned int lost;
	enum loss cause;
	int pid;
	const char *says;	/* in the list of files */
} missing_cases[] = {
	{ "/no-such.bin", SB_TID, SB_BASE, 0, 0, LOSS_NO_FILE, SB_PID, "--symfs" },
	{ "/two.bin", SB_TID, SB_BASE + 0x100, 0, 0, LOSS_SHORT, SB_PID, "8 bytes long" },
	{ "/host", SB_TID, SB_BASE, 0, 0, LOSS_UNFIT, SB_PID, "ELF machine 62" },
	{ "/debug", SB_TID, SB_BASE + 0x400, 0, 0, LOSS_NO_TEXT, SB_PID, "no code" },
	{ "//anon", SB_TID, SB_BASE, 0, 0, LOSS_JIT, SB_PID, "jitdump" },
	{ "[vdso]", SB_TID, SB_BASE, 0, 0, LOSS_VDSO, SB_PID, "perf archive" },
	{ "[vectors]", SB_TID, SB_BASE, 0, 0, LOSS_PAGE, SB_PID, "the kernel gives to 32-bit programs" },
	{ "[sigpage]", SB_TID, SB_BASE, 0, 0, LOSS_PAGE, SB_PID, "below --symfs under this name" },
	{ "[uprobes]", SB_TID, SB_BASE, 0, 0, LOSS_DEVICE, SB_PID, "probes replaced" },
	{ "anon_inode:kvm-vcpu", SB_TID, SB_BASE, 0, 0, LOSS_DEVICE, SB_PID, "memory of the kernel or of a device" },
	{ "/memfd:exe (deleted)", SB_TID, SB_BASE, 0, 0, LOSS_NAMELESS, SB_PID, "perf record --buildid-mmap" },
	{ "//toolong", SB_TID, SB_BASE, 0, 0, LOSS_NAMELESS, SB_PID, "too long for the kernel; record with perf record --buildid-mmap" },
	{ "/two.bin", SB_TID, 0x7000, 0, 0, LOSS_NO_MAP, SB_PID, "0x7000" },
	{ "/two.bin", SB_TID, 0x7000, 0, 3, LOSS_MAP_LOST, SB_PID, "0x7000" },
	{ "/two.bin", 4711, SB_BASE, 0, 0, LOSS_NO_THREAD, -1, "start perf record before the program" },
	{ "/two.bin", SB_TID, 0x9000, 1, 0, LOSS_KERNEL, SB_PID, "--vmlinux" },
	{ "/two.bin", SB_TID, 0x9000, 3, 0, LOSS_FIRMWARE, SB_PID, "EL3" },
};

static void code_is_missing(void **state)
{
	const struct missing_case *c;

	for (c = missing_cases; c < missing_cases + sizeof(missing_cases) / sizeof(*c); c++) {
		sb_trace_at(&trace, c->tid, c->addr, c->el);
		assert_int_equal(trace.len, FIRST_ATOM + LOST_BYTES);
		sb_side_band(&data, c->file);
		if (c->lost)
			lost_event(c->lost);
		sb_stretch(&data, &trace, 0, SB_RAW);
		decode();
		check_only(c->cause, 1, LOST_BYTES);
		check_row(&ss->losses.process, c->cause, c->pid, 1, LOST_BYTES);
		assert_int_equal(ss->losses.cause[LOSS_ATOMS].count, SB_ATOMS - 1);
		if (c->pid == SB_PID)
			assert_string_equal(find_row(&ss->losses.process, c->cause, SB_PID)->comm, "loop");
		assert_non_null(strstr(missing(1), c->says));
		finish(state);
	}
}

/* MMAP2 that carries the build-id of what was mapped. */
static void mmap2_build_id(struct pdb *b, const char *name, uint8_t id)
{
	struct pdb_sid s = sb_sid(1000);
	size_t at = pdb_begin(b, PERF_RECORD_MMAP2, 2 | PERF_RECORD_MISC_MMAP_BUILD_ID);
	unsigned int i;

	pdb_u32(b, SB_PID);
	pdb_u32(b, SB_PID);
	pdb_u64(b, SB_BASE);
	pdb_u64(b, 0x1000);
	pdb_u64(b, 0);
	pdb_u32(b, 20);
	for (i = 0; i < 20; i++)
		pdb_bytes(b, &id, 1);
	pdb_u32(b, 5);
	pdb_u32(b, 2);
	pdb_str8(b, name);
	pdb_sid_put(b, SB_ST, &s);
	pdb_end(b, at);
}

static void build_id_differs(void **state)
{
	struct pdb_sid s = sb_sid(1000);

	(void)state;
	sb_trace_at(&trace, SB_TID, SB_BASE + ELF_CODE_OFFSET, 0);
	sb_aux_info(&data, 1, SB_CONFIGR, 0x14);
	pdb_comm(&data, SB_PID, SB_PID, "loop", SB_ST, &s);
	sb_fork(&data, SB_PID, SB_PID, SB_TID, 1000);
	mmap2_build_id(&data, "/target", 0x77);
	sb_stretch(&data, &trace, 0, SB_RAW);
	decode();
	check_only(LOSS_BUILD_ID, 1, LOST_BYTES);
	check_row(&ss->losses.process, LOSS_BUILD_ID, SB_PID, 1, LOST_BYTES);
}

/* The gap of a missing file ends where the next address has code. */
static void gaps_between_code(void **state)
{
	struct pdb_sid s = sb_sid(1000);
	size_t i;

	(void)state;
	sb_trace(&trace, SB_TID);
	sb_trace_at(&trace, SB_TID, 0x800000, 0);
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	pdb_mmap2(&data, SB_PID, 0x800000, 0x1000, 0, "/no-such.bin", SB_ST, &s);
	sb_stretch(&data, &trace, 0, SB_RAW);
	decode();
	/* up to the first atom of the third stretch */
	check_only(LOSS_NO_FILE, 1, SB_ATOMS + FIRST_ATOM);
	assert_int_equal(session_totals(ss)->dec.ranges, 2 * SB_ATOMS);
	for (i = 0; i < ss->images.dsos.nr; i++)
		assert_int_equal(ss->images.dsos.all[i]->nacc_bytes,
				 strcmp(dso_path(ss->images.dsos.all[i]), "/no-such.bin") ? 0 : SB_ATOMS + FIRST_ATOM);
}

/* Two processes on one CPU, each with what it lost. */
static void two_processes(void **state)
{
	struct pdb_sid s = sb_sid(1000);

	(void)state;
	sb_trace(&trace, 200);
	sb_trace(&trace, 300);
	sb_trace(&trace, 300);
	sb_aux_info(&data, 1, SB_CONFIGR, 0x14);
	pdb_comm(&data, 200, 200, "first", SB_ST, &s);
	pdb_comm(&data, 300, 300, "second", SB_ST, &s);
	pdb_mmap2(&data, 200, SB_BASE, 0x1000, 0, "/no-such.bin", SB_ST, &s);
	pdb_mmap2(&data, 300, SB_BASE, 0x1000, 0, "//anon", SB_ST, &s);
	sb_stretch(&data, &trace, 0, SB_RAW);
	decode();
	check_row(&ss->losses.process, LOSS_NO_FILE, 200, 1, SB_ATOMS + FIRST_ATOM);
	check_row(&ss->losses.process, LOSS_JIT, 300, 2, 2 * SB_ATOMS + FIRST_ATOM);
	assert_string_equal(find_row(&ss->losses.process, LOSS_NO_FILE, 200)->comm, "first");
	assert_string_equal(find_row(&ss->losses.process, LOSS_JIT, 300)->comm, "second");
}

/* Files that lost the same are listed by name, whatever the order in which they were mapped. */
static void ties_are_in_order_of_names(void **state)
{
	static const char *const names[] = { "/c", "/a", "/d", "/b" };
	struct pdb_sid s = sb_sid(1000);
	const char *at, *last;
	unsigned int i;

	(void)state;
	sb_side_band(&data, "/two.bin");
	for (i = 0; i < 4; i++) {
		sb_trace_at(&trace, SB_TID, 0x800000 + i * 0x10000, 0);
		pdb_mmap2(&data, SB_PID, 0x800000 + i * 0x10000, 0x1000, 0, names[i], SB_ST, &s);
	}
	sb_trace(&trace, SB_TID);
	sb_stretch(&data, &trace, 0, SB_RAW);
	decode();
	for (i = 0, last = missing(4); i < 4; i++, last = at) {
		char name[] = { ':', ' ', '/', (char)('a' + i), ':', 0 };

		at = strstr(text, name);
		assert_non_null(at);
		assert_true(at > last);
	}
}

/* ---- trace that is missing ----------------------------------------------------------------------- */

/* Decodes the trace, which is empty then, as one stretch in the buffer of a CPU or of a thread. */
static void decode_trace(uint64_t flags, uint32_t cpu, uint32_t tid)
{
	sb_side_band(&data, "/two.bin");
	sb_aux(&data, 0, trace.len, flags, SB_TIME);
	pdb_auxtrace(&data, 0, trace.p, trace.len, cpu, tid);
	pdb_free(&trace);
	memset(&trace, 0, sizeof(trace));
	decode();
}

static void overflow_and_discard(void **state)
{
	(void)state;
	sb_trace(&trace, SB_TID);
	pdb_bytes(&trace, "\x00\x05", 2);	/* Overflow */
	sb_trace(&trace, SB_TID);
	decode_trace(SB_RAW, 2, (uint32_t)-1);
	check_only(LOSS_OVERFLOW, 1, 2 + FIRST_ATOM);
	check_row(&ss->losses.process, LOSS_OVERFLOW, SB_PID, 1, 2 + FIRST_ATOM);

	sb_trace(&trace, SB_TID);
	pdb_bytes(&trace, "\x00\x03", 2);	/* Discard */
	sb_trace(&trace, SB_TID);
	decode_trace(SB_RAW, 2, (uint32_t)-1);
	check_only(LOSS_DISCARD, 1, 2 + FIRST_ATOM);
}

static void bad_packet(void **state)
{
	(void)state;
	sb_trace(&trace, SB_TID);
	pdb_bytes(&trace, "\x47\xf7\xf7", 3);	/* a reserved header, and what can no longer be read */
	sb_trace(&trace, SB_TID);
	decode_trace(SB_RAW, 2, (uint32_t)-1);
	assert_int_equal(ss->losses.cause[LOSS_BAD_PACKET].count, 1);
	assert_int_equal(ss->losses.cause[LOSS_BAD_PACKET].bytes, 3 + FIRST_ATOM);
	assert_int_equal(ss->losses.cause[LOSS_RESYNC].count, 1);
	assert_int_equal(ss->losses.cause[LOSS_UNSYNCED].count, 2);
	assert_int_equal(ss->losses.cause[LOSS_UNSYNCED].bytes, 0);	/* they are the bad packet's */
}

/* A return address in the middle of an instruction: the file is not what ran. */
static void code_that_contradicts(void **state)
{
	size_t pos = 0;
	struct dso *d;

	(void)state;
	sb_trace(&trace, SB_TID);
	pdb_bytes(&trace, "\x06\x1d\x9b\x01\x00\x40\x00", 7);
	pdb_bytes(&trace, "\xf7\xf7\xf7", 3);
	sb_trace(&trace, SB_TID);
	decode_trace(SB_RAW, 2, (uint32_t)-1);
	check_only(LOSS_CONFLICT, 1, 10 + FIRST_ATOM);
	check_row(&ss->losses.process, LOSS_CONFLICT, SB_PID, 1, 10 + FIRST_ATOM);
	assert_int_equal(ss->losses.cause[LOSS_ATOMS].count, 3);
	d = session_next_used(ss, &pos);
	assert_non_null(d);
	assert_int_equal(d->conflicts, 1);
	assert_non_null(strstr(missing(0), "contradicts the code, 1 times: /two.bin"));
}

static void starts_inside_a_stream(void **state)
{
	(void)state;
	pdb_bytes(&trace, "\xf7\xf7\xf7\xf7\xf7\xf7\xf7\xf7", 8);
	sb_trace(&trace, SB_TID);
	decode_trace(SB_RAW, 2, (uint32_t)-1);
	check_only(LOSS_UNSYNCED, 8, 8);
}

/* The flags of AUX records: of the CPU, and of the process only when the buffer is that of a thread. */
static void aux_flags(void **state)
{
	(void)state;
	sb_trace(&trace, SB_TID);
	decode_trace(SB_RAW | AUX_FLAG_TRUNCATED, 2, (uint32_t)-1);
	check_only(LOSS_TRUNCATED, 1, 0);
	assert_null(find_row(&ss->losses.process, LOSS_TRUNCATED, SB_PID));

	sb_trace(&trace, SB_TID);
	decode_trace(SB_RAW | AUX_FLAG_TRUNCATED | AUX_FLAG_PARTIAL | AUX_FLAG_COLLISION, (uint32_t)-1, SB_TID);
	check_row(&ss->losses.process, LOSS_TRUNCATED, SB_PID, 1, 0);
	check_row(&ss->losses.process, LOSS_PARTIAL, SB_PID, 1, 0);
	check_row(&ss->losses.process, LOSS_COLLISION, SB_PID, 1, 0);
}

/* Flags of what a filter skips are no losses of the run, those of what it decodes are. */
static void flags_and_filter(void **state)
{
	static const struct {
		const char *time;
		uint64_t count;
	} cases[] = {
		{ NULL, 3 }, { "0,", 3 }, { "0.000006000,", 2 }, { ",0.000005500", 1 }, { "0.000008100,", 0 },
		{ "0.000006100,0.000006900", 1 }, { "0.000007500,0.000007900", 0 },
	};
	uint64_t len;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sb_trace(&trace, SB_TID);
		len = trace.len;
		sb_trace(&trace, SB_TID);
		sb_trace(&trace, SB_TID);
		sb_side_band(&data, "/two.bin");
		sb_aux(&data, 0, len, 0x101, 5000);
		sb_aux(&data, len, len, 0x101, 6000);
		sb_aux(&data, 2 * len, 0, 0x101, 7000);
		sb_aux(&data, 2 * len, len, 0x100, 8000);
		pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
		open_recording(cases[i].time);
		run();
		assert_int_equal(ss->losses.cause[LOSS_TRUNCATED].count, cases[i].count);
		if (cases[i].time)
			assert_int_equal(session_has_losses(ss), cases[i].count != 0);
		finish(state);
	}
}

/* With a filter on time a record without bytes counts if the time since the one before on its CPU is in it. */
static void filtered_on_cpu(void **state)
{
	static const struct {
		const char *time;
		uint64_t count;
	} cases[] = {
		{ "0.000003000,0.000004000", 1 }, { "0.000006000,0.000006100", 1 }, { "0.000004000,0.000006000", 3 },
		{ "0.000007100,", 0 },
	};
	static const uint32_t cpus[] = { 2, 0 }, times[] = { 5000, 5500, 7000 };
	struct pdb_sid s;
	size_t i, k, n;

	(void)state;
	for (k = 0; k < 2; k++) {
		for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			sb_side_band(&data, "/two.bin");
			for (n = 0; n < 3; n++) {
				s = sb_sid(times[n]);
				s.cpu = cpus[k];
				pdb_aux(&data, 0, 0, 0x101, SB_ST, &s);
			}
			open_recording(cases[i].time);
			run();
			assert_int_equal(ss->losses.cause[LOSS_TRUNCATED].count, cases[i].count);
		}
	}
}

/* A record without bytes that says that some are missing. */
static void truncated_to_nothing(void **state)
{
	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	sb_aux(&data, 0, trace.len, 0x100, 5000);
	sb_aux(&data, trace.len, 0, 0x101, 5500);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	decode();
	check_only(LOSS_TRUNCATED, 1, 0);
	assert_int_equal(session_totals(ss)->dec.ranges, SB_ATOMS);
}

static void bytes_outside_the_records(void **state)
{
	(void)state;
	sb_trace(&trace, SB_TID);
	pdb_zero(&trace, 100);
	sb_side_band(&data, "/two.bin");
	sb_aux(&data, 0, trace.len - 100, 0x100, 5000);		/* and 100 bytes that nobody announces */
	sb_aux(&data, 0x9000, 0x500, 0x100, 6000);		/* announced and absent */
	sb_aux(&data, 0xa000, 0x30, 0x700, 7000);		/* in a format to come */
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	decode();
	check_row(&ss->losses.cpu, LOSS_UNCLAIMED, 2, 100, 100);
	check_row(&ss->losses.cpu, LOSS_AUX_MISSING, 2, 0x500, 0x500);
	check_row(&ss->losses.cpu, LOSS_FORMAT, 2, 1, 0x30);
}

/* Half of the frames are of an ID that nothing describes. */
static void frames_of_unknown_ids(void **state)
{
	struct pdb raw = { 0 };
	size_t len;

	(void)state;
	sb_trace(&raw, SB_TID);
	len = raw.len;
	sb_frames(&trace, &raw, 0x14);
	sb_frames(&trace, &raw, 0x15);
	pdb_free(&raw);
	decode_trace(0, 2, (uint32_t)-1);
	check_only(LOSS_UNROUTED, len, len);
}

static void lost_records(void **state)
{
	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	lost_event(3);
	lost_event(4);
	sb_stretch(&data, &trace, 0, SB_RAW);
	decode();
	check_only(LOSS_LOST, 7, 0);
	assert_non_null(strstr(all_losses(false), "    CPU 2: 7, noticed between 0.000001500 and 0.000001500 s\n"));

	/* as many as no kernel can lose, on more CPUs than are told apart */
	sb_side_band(&data, "/two.bin");
	lost_event(UINT64_MAX);
	lost_event(1);
	sb_stretch(&data, &trace, 0, SB_RAW);
	open_recording(NULL);
	for (int cpu = 1000; cpu < 2000; cpu++)
		losses_note_lost(&ss->losses, cpu, NO_TIME, 0);
	run();
	check_only(LOSS_LOST, UINT64_MAX, 0);
	assert_int_equal(ss->losses.nr_lost, NR_LOST_CPUS + 1);
}

/* Each atom N of an unconditional branch is counted for the file of the branch, with counted ranges, too. */
static void contradictions(void **state)
{
	enum { TIMES = 3 * UINT16_MAX + 5 };	/* more than one run of counted ranges has */
	const struct consumer counting = { .wants.counts = true }, nothing = { .data = NULL };
	const struct dso_table *files;
	uint64_t sum;
	size_t i;
	int k;

	(void)state;
	sb_trace(&trace, SB_TID);
	for (k = 0; k < TIMES; k++)
		pdb_bytes(&trace, "\xda", 1);	/* N, E */
	sb_side_band(&data, "/branches.bin");
	sb_stretch(&data, &trace, 0, SB_RAW);
	open_recording(NULL);
	for (k = 0; k < 2; k++) {
		assert_int_equal(session_run(ss, k ? &nothing : &counting), 0);
		assert_int_equal(ss->losses.cause[LOSS_CONFLICT].count, TIMES);
		files = session_dsos(ss);
		for (sum = i = 0; i < files->nr; i++)
			sum += files->all[i]->conflicts;
		assert_int_equal(sum, TIMES);
	}
}

/* Damaged records are reported one by one, up to ten, and all are counted. */
static void damaged_records(void **state)
{
	static struct said said;
	const char *p;
	unsigned int n, i, lines;

	(void)state;
	sb_trace(&trace, SB_TID);
	for (n = 9; n <= 12; n++) {
		sb_side_band(&data, "/two.bin");
		for (i = 0; i < n; i++)
			pdb_end(&data, pdb_begin(&data, PERF_RECORD_COMM, 0));
		sb_stretch(&data, &trace, 0, SB_RAW);
		said_begin(&said);
		open_recording(NULL);
		said_end(&said);
		for (lines = 0, p = said.text; (p = strstr(p, "too small for its sample_id; it is left out\n")); p++)
			lines++;
		assert_int_equal(lines, n < 10 ? n : 10);
		p = strstr(said.text, "cstrace: test: more errors of this kind are only counted\n");
		assert_int_equal(p != NULL, n > 10);
		assert_true(!p || !strstr(p + 1, "cstrace: test: more"));
		run();
		assert_int_equal(ss->losses.cause[LOSS_BAD_RECORD].count, n);
	}
}

/* ---- tables and text ----------------------------------------------------------------------------- */

/* More processes than a table has rows: those that lost most stay, and the sums are exact. */
static void bounded_tables(void **state)
{
	struct loss_amount sum[NR_LOSSES];
	struct losses ls;
	uint64_t late;
	int i, round;

	(void)state;
	memset(&ls, 0, sizeof(ls));
	assert_int_equal(losses_init(&ls), 0);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 5000; i++) {
			losses_add(&ls, LOSS_NO_FILE, i & 7, 100 + i, "many", 1, 2);
			losses_add(&ls, LOSS_JIT, i & 7, 7, "one", 1, 1000);
			if (i > LOSS_ROWS / 2)	/* comes when there is little room left */
				losses_add(&ls, LOSS_NO_FILE, 9, 1, "late", 1, 500);
		}
	}
	assert_in_range(ls.process.nr, LOSS_ROWS / 2, LOSS_ROWS);
	assert_true(ls.process.given_up > 0);
	sum_table(&ls.process, sum);
	late = 3 * (5000 - LOSS_ROWS / 2 - 1);
	assert_int_equal(sum[LOSS_NO_FILE].count, 15000 + late);
	assert_int_equal(sum[LOSS_NO_FILE].bytes, 30000 + 500 * late);
	assert_int_equal(ls.cause[LOSS_NO_FILE].count, 15000 + late);
	check_row(&ls.process, LOSS_NO_FILE, 1, late, 500 * late);
	check_row(&ls.process, LOSS_JIT, 7, 15000, 15000000);
	for (i = 0; i < 8; i++)
		check_row(&ls.cpu, LOSS_NO_FILE, i, 1875, 3750);
	/* nobody's losses are in no table, nothing lost makes no row */
	losses_add(&ls, LOSS_LOST, LOSS_NOBODY, LOSS_NOBODY, NULL, 5, 0);
	losses_add(&ls, LOSS_CUT, 0, 0, NULL, 0, 0);
	assert_int_equal(ls.cause[LOSS_LOST].count, 5);
	assert_null(find_row(&ls.cpu, LOSS_LOST, LOSS_NOBODY));
	assert_null(find_row(&ls.cpu, LOSS_CUT, 0));
	losses_free(&ls);
}

/* The same number twice is two processes when the names differ. */
static void reused_process_ids(void **state)
{
	struct losses ls;

	(void)state;
	memset(&ls, 0, sizeof(ls));
	assert_int_equal(losses_init(&ls), 0);
	losses_add(&ls, LOSS_NO_FILE, 0, 42, "old", 1, 2);
	losses_add(&ls, LOSS_NO_FILE, 0, 42, "new", 1, 2);
	losses_add(&ls, LOSS_NO_FILE, 0, 42, "a name that is longer than the kernel's", 1, 2);
	assert_int_equal(ls.process.nr, 3);
	assert_string_equal(ls.process.rows[2].comm, "a name that is ");
	losses_free(&ls);
}

static void report(void **state)
{
	static const char want[] =
		"  1 truncated AUX records: the AUX buffer was full: a gap of unknown length at the end of each\n"
		"    -> record with a larger buffer (perf record -m ,16M); or trace less (-e cs_etm//u); or trace a part of the "
		"program (--filter)\n"
		"  2 places whose file was not found, 106 bytes of trace, 66.7 %: a mapped file is not on this machine\n"
		"    -> copy the missing files below the directory of --symfs, too\n"
		"  46 atoms without an address or context: what follows a loss, until the next address\n"
		"\nLosses by CPU:\n"
		"  CPU 2, 106 bytes of trace, 66.7 %: 1 truncated AUX records, 2 places whose file was not found, "
		"46 atoms without an address or context\n"
		"\nLosses by process:\n"
		"  process 100 loop, 106 bytes of trace, 66.7 %: 2 places whose file was not found, 46 atoms without an "
		"address or context\n";
	struct pdb_sid s = sb_sid(1000);

	(void)state;
	sb_trace_at(&trace, SB_TID, 0x800000, 0);
	sb_trace_at(&trace, SB_TID, 0x800000, 0);
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	pdb_mmap2(&data, SB_PID, 0x800000, 0x1000, 0, "/no-such.bin", SB_ST, &s);
	sb_aux(&data, 0, trace.len, 0x101, 5000);
	pdb_auxtrace(&data, 0, trace.p, trace.len, 2, (uint32_t)-1);
	decode();
	assert_string_equal(all_losses(false), want);
	assert_string_equal(summary(), "cstrace: 159 bytes, 48 instructions, 24 branches, losses: 1 truncated AUX records, "
			    "2 places without code, 46 atoms without an address or context\n");
}

/* What has no row of its own is counted by cause; a short list says how many rows are left out. */
static void report_of_many(void **state)
{
	const char *processes;
	unsigned int i;
	int all;

	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	sb_stretch(&data, &trace, 0, SB_RAW);
	decode();
	for (i = 0; i < LOSS_ROWS; i++)
		losses_add(&ss->losses, i & 1 ? LOSS_NO_FILE : LOSS_JIT, 2, 1000 + (int)i, "many", 1, 10000 - i);
	losses_add(&ss->losses, LOSS_STACK, 2, 1, "last", 5, 0);
	for (all = 0; all < 2; all++) {
		processes = strstr(all_losses(all), "Losses by process:\n  process 1000 many, 53 bytes of trace, 100.0 %: 1 places in "
				   "generated code\n");
		assert_non_null(processes);
		assert_non_null(strstr(processes, "\n  and others that lost little each: 256 places whose file was not found, "
				       "256 places in generated code\n"));
		assert_int_equal(strstr(processes, "\n  process 1 last: 5 ") != NULL, all);
		assert_int_equal(strstr(processes, "\n  process 1015 many") != NULL, 1);
		assert_int_equal(strstr(processes, "\n  process 1016 many") != NULL, all);
		assert_int_equal(strstr(processes, "\n  and 497 more (--all lists them)\n") != NULL, !all);
	}
}

#define TEST(name) cmocka_unit_test_teardown(name, finish)

static void same_table(const struct loss_table *a, const struct loss_table *b)
{
	size_t i;

	assert_int_equal(a->nr, b->nr);
	for (i = 0; i < a->nr; i++) {
		assert_int_equal(a->rows[i].number, b->rows[i].number);
		assert_int_equal(a->rows[i].cause, b->rows[i].cause);
		assert_string_equal(a->rows[i].comm, b->rows[i].comm);
		assert_int_equal(a->rows[i].amount.count, b->rows[i].amount.count);
		assert_int_equal(a->rows[i].amount.bytes, b->rows[i].amount.bytes);
	}
}

/* Losses of pieces of the trace: their sums are those of one piece that has all of them. */
static void joined_pieces(void **state)
{
	static const struct {
		enum loss cause;
		int cpu, pid;
		const char *comm;
		uint64_t count, bytes;
	} rows[] = {
		{ LOSS_BAD_PACKET, 0, 5, "one", 1, 30 }, { LOSS_BAD_PACKET, 1, 5, "one", 2, 7 }, { LOSS_DISCARD, 0, 6, "two", 1, 11 },
		{ LOSS_BAD_PACKET, 0, 6, "two", 3, 100 }, { LOSS_ATOMS, 1, LOSS_NOBODY, NULL, 9, 0 }, { LOSS_DISCARD, 0, 6, "two", 1, 2 },
	};
	const size_t n = sizeof(rows) / sizeof(rows[0]);
	struct losses whole, part[2];
	size_t i, cut;

	(void)state;
	for (cut = 0; cut <= n; cut++) {
		memset(&whole, 0, sizeof(whole));
		memset(part, 0, sizeof(part));
		assert_int_equal(losses_init(&whole), 0);
		assert_int_equal(losses_init(&part[0]), 0);
		assert_int_equal(losses_init(&part[1]), 0);
		for (i = 0; i < n; i++) {
			losses_add(&whole, rows[i].cause, rows[i].cpu, rows[i].pid, rows[i].comm, rows[i].count, rows[i].bytes);
			losses_add(&part[i >= cut], rows[i].cause, rows[i].cpu, rows[i].pid, rows[i].comm, rows[i].count,
				   rows[i].bytes);
		}
		part[1].no_map[1].count = whole.no_map[1].count = 4;
		part[1].no_map[1].addr = whole.no_map[1].addr = 0x1000;
		assert_true(losses_join(&part[0], &part[1]));
		assert_memory_equal(part[0].cause, whole.cause, sizeof(whole.cause));
		assert_memory_equal(part[0].no_map, whole.no_map, sizeof(whole.no_map));
		same_table(&part[0].cpu, &whole.cpu);
		same_table(&part[0].process, &whole.process);
		losses_free(&whole);
		losses_free(&part[0]);
		losses_free(&part[1]);
	}
}

/* Files without code in the order of what they lost: bytes of trace, then places, then names. */
static void order_of_files(void **state)
{
	struct pdb_sid s = sb_sid(1000);
	char got[8] = "", *p = got;
	const char *line;
	size_t i;

	(void)state;
	sb_side_band(&data, "/a-few");
	pdb_mmap2(&data, SB_PID, 0x800000, 0x1000, 0, "/b-most-places", SB_ST, &s);
	pdb_mmap2(&data, SB_PID, 0x900000, 0x1000, 0, "/c-few", SB_ST, &s);
	pdb_mmap2(&data, SB_PID, 0xa00000, 0x1000, 0, "/d-most-bytes", SB_ST, &s);
	sb_trace(&trace, SB_TID);
	sb_stretch(&data, &trace, 0, SB_RAW);
	open_recording(NULL);
	assert_int_equal(ss->images.dsos.nr, 4);
	for (i = 0; i < 4; i++) {
		struct dso *d = ss->images.dsos.all[i];

		d->state = DSO_MISSING;
		d->nacc = strstr(d->path, "few") ? 5 : strstr(d->path, "places") ? 7 : 1;
		d->nacc_bytes = strstr(d->path, "bytes") ? 2 : 1;
	}
	for (line = missing(4); (line = strstr(line, "): /")) && p < got + 4; line++)
		*p++ = line[4];
	assert_string_equal(got, "dbac");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(code_is_missing),
		TEST(build_id_differs),
		TEST(gaps_between_code),
		TEST(two_processes),
		TEST(ties_are_in_order_of_names),
		TEST(overflow_and_discard),
		TEST(bad_packet),
		TEST(code_that_contradicts),
		TEST(starts_inside_a_stream),
		TEST(aux_flags),
		TEST(flags_and_filter), TEST(filtered_on_cpu),
		TEST(truncated_to_nothing),
		TEST(bytes_outside_the_records),
		TEST(frames_of_unknown_ids),
		TEST(lost_records), TEST(contradictions), TEST(damaged_records),
		TEST(bounded_tables),
		TEST(reused_process_ids),
		TEST(report), TEST(report_of_many),
		TEST(joined_pieces),
		TEST(order_of_files),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
