/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What counts become as records: in the order and within the limits of a count file, one binary for each identity, and the
 * same counts in the model. The counts are made by hand.
 */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cstrace/isa.h>

#include "counting/calls/calls.h"
#include "outputs/cmd/count.h"
#include "outputs/cmd/options.h"
#include "machine/images/dso.h"
#include "machine/images/dso_table.h"
#include "session/losses/losses.h"
#include "counting/counts/collect.h"
#include "counting/counts/model.h"
#include "unit/perf-plugin/said.h"
#include "session/parts.h"
#include "session/session.h"

#define OUT	CST_COUNT_OUTSIDE

static struct binary *binaries[8];
static size_t nr_binaries;
static struct dso *files[8];
static const struct session_totals totals = { .aux_bytes = 1000 };
static const struct losses losses;

/* Calls, made by hand as well: what became of places. */
static struct {
	bool any;
	struct calls_totals totals;
	const calls_place *places;	/* that are converted ... */
	calls_place converted[8];	/* ... and what they are then */
	size_t nr_places;
} made_calls;

struct calls *__wrap_counts_calls(struct counts *c);
const struct calls_totals *__wrap_calls_totals(const struct calls *c);
void __wrap_calls_finish(struct calls *c, calls_place (*place)(void *data, calls_place p),
			 void *data);
bool __wrap_calls_next(struct calls *c, struct cst_count_node *n);
int __wrap_counts_run(struct counts *c);
size_t __wrap_counts_binaries(struct counts *c, struct binary ***v);
const struct dso_table *__wrap_session_dsos(const struct session *ss);
const struct session_totals *__wrap_session_totals(const struct session *ss);
const struct losses *__wrap_session_losses(const struct session *ss);
struct loss_share __wrap_session_share(const struct session *ss);
bool __wrap_session_filtered(const struct session *ss);
const char *__wrap_session_name(const struct session *ss);
bool __wrap_session_matched(const struct session *ss);
bool __wrap_session_decoded(const struct session *ss);
bool __wrap_session_lossy(const struct session *ss);
void __wrap_session_print_end(const struct session *ss, FILE *out);

struct calls *__wrap_counts_calls(struct counts *c)
{
	(void)c;
	return made_calls.any ? (struct calls *)&made_calls : NULL;
}

const struct calls_totals *__wrap_calls_totals(const struct calls *c)
{
	assert_ptr_equal(c, &made_calls);
	return &made_calls.totals;
}

void __wrap_calls_finish(struct calls *c, calls_place (*place)(void *data, calls_place p),
			 void *data)
{
	size_t i;

	assert_ptr_equal(c, &made_calls);
	for (i = 0; i < made_calls.nr_places; i++)
		made_calls.converted[i] = place(data, made_calls.places[i]);
}

bool __wrap_calls_next(struct calls *c, struct cst_count_node *n)
{
	assert_ptr_equal(c, &made_calls);
	(void)n;
	return false;
}

int __wrap_counts_run(struct counts *c)
{
	(void)c;
	return 0;
}

size_t __wrap_counts_binaries(struct counts *c, struct binary ***v)
{
	(void)c;
	*v = binaries;
	return nr_binaries;
}

const struct dso_table *__wrap_session_dsos(const struct session *ss)
{
	static struct dso_table table = { .all = files };

	(void)ss;
	table.nr = sizeof(files) / sizeof(files[0]);
	return &table;
}

const struct session_totals *__wrap_session_totals(const struct session *ss)
{
	(void)ss;
	return &totals;
}

const struct losses *__wrap_session_losses(const struct session *ss)
{
	(void)ss;
	return &losses;
}

struct loss_share __wrap_session_share(const struct session *ss)
{
	(void)ss;
	return (struct loss_share){ .lost = 0, .of = 1100 };
}

bool __wrap_session_filtered(const struct session *ss)
{
	(void)ss;
	return false;
}

const char *__wrap_session_name(const struct session *ss)
{
	(void)ss;
	return "test";
}

bool __wrap_session_matched(const struct session *ss)
{
	(void)ss;
	return true;
}

bool __wrap_session_lossy(const struct session *ss)
{
	(void)ss;
	return false;
}

bool __wrap_session_decoded(const struct session *ss)
{
	(void)ss;
	return true;
}

void __wrap_session_print_end(const struct session *ss, FILE *out)
{
	(void)ss;
	(void)out;
}

static void pair(struct cst_pairs *p, uint32_t a, uint32_t b, uint64_t count)
{
	assert_true(cst_pairs_insert(p, a, b, count));
}

/* Adds a binary, whose number of its file is its place in the table. */
static struct binary *counted(struct dso *d, uint32_t method, uint64_t insns)
{
	struct binary *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	d->number = (uint32_t)nr_binaries;
	files[nr_binaries] = d;
	*b = (struct binary){ .dso = d, .method = method, .insns = insns, .isa = CST_ISA_A64 };
	binaries[nr_binaries++] = b;
	return b;
}

static void forget(void)
{
	while (nr_binaries) {
		struct binary *b = binaries[--nr_binaries];

		cst_pairs_free(&b->ranges);
		cst_pairs_free(&b->edges);
		cst_pairs_free(&b->arrivals);
		cst_pairs_free(&b->entries);
		cst_pairs_free(&b->untaken);
		free(b);
	}
	memset(files, 0, sizeof(files));
}

/* Text of records that a writer has accepted. */
struct listing {
	struct cst_count_writer *w;
	size_t used;
	char text[4096];
};

static int count_bytes(void *data, const void *bytes, size_t size)
{
	(void)data;
	(void)bytes;
	(void)size;
	return 0;
}

static const char *offset(uint64_t v, char *out)
{
	if (v == OUT)
		strcpy(out, "-");
	else
		sprintf(out, "%llx", (unsigned long long)v);
	return out;
}

static int list(void *data, const struct cst_count_record *r)
{
	struct listing *l = data;
	char *p = l->text + l->used, a[32];
	int n = 0;

	if (cst_count_write(l->w, r))
		fail_msg("refused: %s", cst_count_writer_refused(l->w));
	switch (r->kind) {
	case CST_COUNT_TOTAL:
		n = sprintf(p, "%s=%llu ", r->total.name, (unsigned long long)r->total.value);
		break;
	case CST_COUNT_BINARY:
		n = sprintf(p, "\n%.40s %u:%zu ", r->binary.name, r->binary.id_kind, strlen(r->binary.name));
		break;
	case CST_COUNT_SEGMENT:
		n = sprintf(p, "[%llx %llx] ", (unsigned long long)r->segment.offset, (unsigned long long)r->segment.vaddr);
		break;
	case CST_COUNT_RANGE:
		n = sprintf(p, "\n%u: %llx-%llx/%u*%llu%s", r->range.binary, (unsigned long long)r->range.start,
			    (unsigned long long)r->range.last, r->range.insns, (unsigned long long)r->range.count,
			    r->range.flags & CST_COUNT_ARRIVED ? "a" : "");
		break;
	case CST_COUNT_NOT_TAKEN:
		n = sprintf(p, " %llx!%llu", (unsigned long long)r->not_taken.offset, (unsigned long long)r->not_taken.count);
		break;
	case CST_COUNT_EDGE:
		n = sprintf(p, " %llx>%s*%llu", (unsigned long long)r->edge.from, offset(r->edge.to, a), (unsigned long long)r->edge.count);
		break;
	case CST_COUNT_ENTRY:
		n = sprintf(p, " >%llx*%llu", (unsigned long long)r->entry.offset, (unsigned long long)r->entry.count);
		break;
	case CST_COUNT_NODE:
		break;
	}
	l->used += (size_t)n;
	assert_true(l->used < sizeof(l->text) - 256);
	return 0;
}

static int add_to_model(void *data, const struct cst_count_record *rec)
{
	return model_add(data, rec);
}

/* The records, which must be those that the model gets. */
static const char *collected(enum counts_mode mode)
{
	static struct listing l;
	struct collect *c = collect_new(NULL, mode, 0);
	struct model a, b;
	size_t i;

	assert_non_null(c);
	assert_int_equal(collect_run(c), 0);
	l.used = 0;
	l.text[0] = 0;
	assert_int_equal(cst_count_writer_new(&l.w, count_bytes, NULL), 0);
	assert_int_equal(collect_records(c, list, &l), 0);
	assert_int_equal(cst_count_writer_end(l.w), 0);
	cst_count_writer_free(l.w);
	model_init(&a);
	model_init(&b);
	assert_int_equal(collect_records(c, add_to_model, &a), 0);
	assert_int_equal(collect_model(c, &b), 0);
	assert_int_equal(a.nr_binaries, b.nr_binaries);
	assert_int_equal(collect_sums(c)->insns, model_total(&a, "instructions"));
	for (i = 0; i < a.nr_binaries; i++) {
		const struct model_binary *x = &a.binaries[i], *y = &b.binaries[i];

		assert_int_equal(x->insns, y->insns);
		assert_int_equal(x->nr_ranges, y->nr_ranges);
		assert_int_equal(x->nr_edges, y->nr_edges);
		/* generated code is in no file by its offset */
		assert_true(y->is.type == CST_COUNT_JIT ? !y->dso : y->dso != NULL);
	}
	model_free(&a);
	model_free(&b);
	collect_free(c);
	return l.text;
}

/* A64: NOP, and at 8 B.EQ, at 16 RET. */
static uint8_t code[32];

static void put_code(void)
{
	static const uint32_t insn[] = { 0xd503201f, 0xd503201f, 0x54000040, 0xd503201f, 0xd65f03c0, 0xd503201f, 0xd503201f, 0xd503201f };
	unsigned int i;

	for (i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)(insn[i / 4] >> 8 * (i % 4));
}

static struct dso_segment segment = { .offset = 0, .filesz = 32, .vaddr = 0x1000, .exec = true };

static struct dso program(const char *path, uint8_t id)
{
	return (struct dso){ .path = (char *)path,
			     .state = DSO_LOADED,
			     .image.is_elf = true,
			     .image.machine = EM_AARCH64,
			     .image.data = code,
			     .image.size = sizeof(code),
			     .image.segs = &segment,
			     .image.nr_segs = 1,
			     .image.found = { 1, { id } } };
}

/* Counts one instruction of `b`, whose segments differ, and then two of `a`. Returns what is collected. */
static const char *two_files(struct dso *a, struct dso *b)
{
	struct dso_segment other = { .offset = 0, .filesz = 32, .vaddr = 0x9000, .exec = true };
	struct binary *x;
	const char *got;

	b->image.segs = &other;
	x = counted(b, COUNTS_WHOLE, 1);
	pair(&x->ranges, 0, 0, 1);
	x = counted(a, COUNTS_WHOLE, 2);
	pair(&x->ranges, 0, 0, 2);
	got = collected(COUNTS_ALL);
	forget();
	return got;
}

/* Files of one path and build-id: the first one is that with the lower address, whatever was counted first. */
static void same_name(void **state)
{
	struct dso a = program("/bin/a", 5), b = program("/bin/a", 5);

	(void)state;
	a.kernel.ref_addr = 1;
	b.kernel.ref_addr = 2;
	assert_string_equal(two_files(&a, &b), "bytes.traced=1000 instructions=3 recordings=1 "
			    "\n/bin/a 0:6 [0 1000] \n/bin/a 1:6 [0 9000] \n0: 0-0/1*2\n1: 0-0/1*1");
}

/* Offsets of methods are from their begin; names are made to fit. */
static void methods(void **state)
{
	static char longest[CST_COUNT_NAME_MAX + 10];
	struct dso_symbol_entry v[] = { { .offset = 4, .size = 8, .name = longest }, { .offset = 12, .size = 8, .name = "" } };
	struct dso d = { .path = (char *)"jit",
			 .kind = DSO_JIT,
			 .state = DSO_LOADED,
			 .image.data = code,
			 .image.size = sizeof(code),
			 .image.machine = EM_AARCH64,
			 .symbols.syms = v,
			 .symbols.nr_syms = 2 };
	struct binary *x;
	const char *text;

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	x = counted(&d, 0, 2);
	pair(&x->ranges, 4, 8, 1);
	pair(&x->edges, 8, 4, 3);
	pair(&x->edges, 8, COUNTS_OUTSIDE, 1);
	x = counted(&d, 1, 4);
	pair(&x->ranges, 12, 16, 2);
	pair(&x->entries, 12, 0, 2);
	files[0] = &d;
	d.number = 0;
	text = collected(COUNTS_ALL);
	assert_non_null(strstr(text, "\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 1:4095 "));
	assert_non_null(strstr(text, "\n[unknown] 1:9 "));
	assert_non_null(strstr(text, ": 0-4/2*1 4>0*3 4>-*1"));
	assert_non_null(strstr(text, ": 0-4/2*2 >0*2"));
	forget();
}

/* A method that was moved, or that two processes have, is one binary, wherever its code is in their files. */
static void moved_method(void **state)
{
	struct dso_symbol_entry v[] = { { .offset = 0, .size = 8, .name = "m" }, { .offset = 24, .size = 8, .name = "m" } };
	struct dso_symbol_entry other = { .offset = 20, .size = 8, .name = "m" };
	struct dso d = { .path = (char *)"jit",
			 .kind = DSO_JIT,
			 .state = DSO_LOADED,
			 .image.data = code,
			 .image.size = sizeof(code),
			 .image.machine = EM_AARCH64,
			 .symbols.syms = v,
			 .symbols.nr_syms = 2 },
		   e = d;
	const calls_place places[] = { calls_place_of(0, 4), calls_place_of(0, 28),
				       calls_place_of(2, 24),
				       calls_place_of(sizeof(files) / sizeof(files[0]), 0) };
	struct binary *x;
	size_t i;

	(void)state;
	e.path = (char *)"jit2";
	e.symbols.syms = &other;
	e.symbols.nr_syms = 1;
	x = counted(&d, 0, 2);
	pair(&x->ranges, 0, 4, 1);
	pair(&x->edges, 4, 0, 3);
	x = counted(&d, 1, 4);
	pair(&x->ranges, 24, 28, 2);
	pair(&x->edges, 28, 24, 1);
	pair(&x->edges, 28, COUNTS_OUTSIDE, 5);
	x = counted(&e, 0, 16);
	pair(&x->ranges, 20, 24, 4);
	pair(&x->arrivals, 20, 20, 8);
	pair(&x->entries, 24, 0, 9);
	files[0] = files[1] = &d;
	d.number = 0;
	made_calls.any = true;
	made_calls.places = places;
	made_calls.nr_places = 4;
	assert_string_equal(collected(COUNTS_ALL), "bytes.traced=1000 instructions=22 recordings=1 \nm 1:1 "
			    "\n0: 0-0/1*8a\n0: 0-4/2*7 4>0*4 4>-*5 >4*9");
	for (i = 0; i < 3; i++)
		assert_true(made_calls.converted[i] == calls_place_of(0, 4));
	assert_true(made_calls.converted[3] == CALLS_NO_PLACE);
	memset(&made_calls, 0, sizeof(made_calls));
	forget();
}

/*
 * T32 code that is gone: nothing says how many instructions a range has. It is left out, and counted as a loss, which profile
 * reports.
 */
static void undecoded(void **state)
{
	static struct said said;
	struct dso d = { .path = (char *)"/bin/t", .state = DSO_MISSING };
	struct collect *c;
	struct binary *x;
	int rc;

	(void)state;
	x = counted(&d, COUNTS_WHOLE, 6);
	x->isa = CST_ISA_T32;
	pair(&x->ranges, 0 | COUNTS_T32, 4, 3);
	pair(&x->edges, 4, 0, 2);
	assert_string_equal(collected(COUNTS_ALL),
			    "bytes.absent=100 bytes.lost=3 bytes.traced=1000 instructions=6 "
			    "loss.undecoded=3 losses.measured=3 recordings=1 \n/bin/t 2:6  4>0*2");
	c = collect_new(NULL, COUNTS_ALL, 0);
	assert_int_equal(collect_run(c), 0);
	assert_int_equal(collect_sums(c)->undecoded, 3);
	collect_free(c);
	said_begin(&said);
	rc = count_recording(NULL, "/dev/null", false, 0);
	said_end(&said);
	assert_int_equal(rc, CMD_LOSSES);
	assert_non_null(strstr(said.text, "cstrace profile: test: ranges that were executed 3 times are not counted"));
	forget();
}

/* A file of which nothing was counted is no binary. */
static void empty(void **state)
{
	struct dso d = program("/bin/a", 5);
	struct collect *c;

	(void)state;
	counted(&d, COUNTS_WHOLE, 0);
	c = collect_new(NULL, COUNTS_ALL, 0);
	assert_int_equal(collect_run(c), 0);
	assert_true(collect_empty(c));
	collect_free(c);
	assert_string_equal(collected(COUNTS_ALL), "bytes.traced=1000 recordings=1 ");
	forget();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_name), cmocka_unit_test(methods),
		cmocka_unit_test(moved_method),
		cmocka_unit_test(undecoded),
		cmocka_unit_test(empty),
	};

	put_code();
	return cmocka_run_group_tests_name("profile collect", tests, NULL, NULL);
}
