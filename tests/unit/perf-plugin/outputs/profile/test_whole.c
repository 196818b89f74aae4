/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formats of all binaries: calls and functions whose place is not known, sums at their limits,
 * and refused memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <zlib.h>

#include "base/protobuf.h"
#include "machine/images/dso.h"
#include "outputs/profile/formats.h"
#include "outputs/profile/lines.h"
#include "outputs/profile/places.h"
#include "unit/perf-plugin/output_text.h"

#define NO	CST_COUNT_NO_BINARY
#define OUT	CST_COUNT_OUTSIDE

static struct dso_symbol_entry symbols[] = {
	{ .offset = 0x100, .size = 0x40, .name = "main" },
	{ .offset = 0x140, .size = 0x20, .name = "_ZN1a4workEi" },
};
static struct dso program = { .path = (char *)"/bin/prog",
			      .image.file = (char *)"/bin/prog",
			      .state = DSO_LOADED,
			      .symbols.symbols_read = true,
			      .symbols.syms = symbols,
			      .symbols.nr_syms = 2 };

static void add(struct model *m, struct cst_count_record rec)
{
	assert_int_equal(model_add(m, &rec), 0);
}

static void binary(struct model *m, const char *name, uint8_t type)
{
	add(m, (struct cst_count_record){ .kind = CST_COUNT_BINARY, .binary = { .name = name, .type = type } });
}

static void range(struct model *m, uint32_t of, uint64_t start, uint32_t insns, uint64_t count)
{
	add(m, (struct cst_count_record){ .kind = CST_COUNT_RANGE, .range = { .binary = of, .insns = insns, .start = start,
			.last = start + 4 * (insns - 1), .count = count } });
}

static void node(struct model *m, uint32_t depth, uint8_t kind, uint32_t from_binary, uint64_t from, uint32_t of, uint64_t entry,
		 uint64_t calls, uint64_t insns)
{
	add(m, (struct cst_count_record){ .kind = CST_COUNT_NODE, .node = { depth, kind, from_binary, of, from, entry, calls, insns } });
}

/* main calls work three times, which calls a library three times, which calls work back once. */
static struct model calls(void)
{
	struct model m;

	model_init(&m);
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_TOTAL, .total = { "instructions.elsewhere", 4 } });
	binary(&m, "/bin/prog", CST_COUNT_FILE);
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_SEGMENT, .segment = { 0, 0x200, 0x400000, 1 } });
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_SEGMENT,
					   .segment = { 0x200, 0x100, 0x3ff000, 0 } });
	binary(&m, "/lib/li;b\n.so", CST_COUNT_FILE);
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_SEGMENT, .segment = { 0x1000, 0x100, 0x41000, 1 } });
	binary(&m, "method", CST_COUNT_JIT);
	range(&m, 0, 0x100, 5, 1);
	range(&m, 0, 0x114, 3, 1);
	range(&m, 0, 0x140, 3, 4);
	range(&m, 0, 0x14c, 2, 4);
	range(&m, 1, 0x1010, 3, 3);
	range(&m, 2, 0, 2, 1);
	node(&m, 0, CST_COUNT_ROOT, NO, OUT, 0, 0x108, 0, 8);
	node(&m, 1, CST_COUNT_CALL, 0, 0x110, 0, 0x140, 3, 15);
	node(&m, 2, CST_COUNT_CALL, 0, 0x148, 1, 0x1010, 3, 9);
	node(&m, 3, CST_COUNT_CALL, 1, 0x1018, 0, 0x140, 1, 3);
	node(&m, 4, CST_COUNT_CALL, 0, 0x148, 1, 0x1010, 0, 0);
	node(&m, 3, CST_COUNT_CUT, NO, OUT, NO, OUT, 2, 2);
	node(&m, 1, CST_COUNT_TAIL, 0, 0x11c, 2, 0, 1, 2);
	m.binaries[0].dso = &program;
	return m;
}

static size_t made_bytes(const char *name, const struct whole *w, char *text, size_t room)
{
	const struct profile_format *f = profile_format_find(name);
	struct whole with_places = *w;
	struct output_text out;

	assert_true(f && f->write_whole && !f->write);
	with_places.places = places_new(w->model);
	assert_non_null(with_places.places);
	assert_int_equal(f->write_whole(output_begin(&out), &with_places), 0);
	places_free(with_places.places);
	return output_end(&out, text, room);
}

static void made(const char *name, const struct whole *w, char *text, size_t room)
{
	const size_t n = made_bytes(name, w, text, room);

	/* a text, with no byte of 0 in it */
	assert_int_equal(strlen(text), n);
}

/* A number of protobuf at *p, which moves behind it. */
static uint64_t number_at(const uint8_t **p)
{
	uint64_t v = 0;
	unsigned int shift = 0;

	do
		v |= (uint64_t)(**p & 0x7f) << shift;
	while (shift += 7, *(*p)++ & 0x80);
	return v;
}

/*
 * The value of the `nth` field of that number in a message; of a message or text its begin is in
 * *at.
 */
static uint64_t field_of(const uint8_t *p, const uint8_t *end, unsigned int field, size_t nth,
			 const uint8_t **at)
{
	uint64_t tag, v;

	while (p < end) {
		tag = number_at(&p);
		v = number_at(&p);
		if (tag >> 3 == field && !nth--) {
			*at = p;
			return v;
		}
		p += (tag & 7) == PROTOBUF_LEN ? v : 0;
	}
	fail_msg("no such field");
	return 0;
}

/* The first mapping is that of the program, which pprof shows and takes an argument for: not a method, not a library. */
static void pprof_program(void **state)
{
	enum { MAPPING = 3, FILE_NAME = 5, STRING = 6 };
	struct model m = calls();
	struct whole w = { .model = &m };
	static uint8_t plain[1 << 16];
	char bytes[4096];
	z_stream z = { .next_in = (uint8_t *)bytes, .next_out = plain, .avail_out = sizeof(plain) };
	const uint8_t *end, *at;
	uint64_t n;

	(void)state;
	m.binaries[0].is.type = CST_COUNT_JIT;
	binary(&m, "/bin/p", CST_COUNT_FILE);
	z.avail_in = (uInt)made_bytes("pprof", &w, bytes, sizeof(bytes));
	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	inflateEnd(&z);
	end = plain + z.total_out;
	n = field_of(plain, end, MAPPING, 0, &at);
	n = field_of(at, at + n, FILE_NAME, 0, &at);
	n = field_of(plain, end, STRING, n, &at);
	assert_int_equal(n, strlen("/bin/p"));
	assert_memory_equal(at, "/bin/p", n);
	model_free(&m);
}

/* Calls whose place is not known are made at the begin of the caller, which may be code in no binary. */
static void unplaced(void **state)
{
	struct whole w = { .model = NULL };
	char text[4096], *at;
	struct model m;

	(void)state;
	model_init(&m);
	binary(&m, "/bin/prog", CST_COUNT_FILE);
	range(&m, 0, 0x100, 1, 19);
	node(&m, 0, CST_COUNT_ROOT, NO, OUT, 0, 0x108, 0, 8);
	node(&m, 1, CST_COUNT_CALL, NO, OUT, NO, OUT, 2, 3);
	node(&m, 2, CST_COUNT_CALL, NO, OUT, 0, 0x140, 1, 5);
	node(&m, 1, CST_COUNT_CALL, 0, OUT, 0, 0x140, 4, 3);
	m.binaries[0].dso = &program;
	w.model = &m;
	made("callgrind", &w, text, sizeof(text));
	at = strstr(text, "0x100 0 19\n");
	assert_non_null(at);
	assert_string_equal(at, "0x100 0 19\n\nob=(2) [elsewhere]\nfl=(1)\nfn=(1) [elsewhere]\ncob=(1)\ncfi=(1)\n"
			    "cfn=(4) _ZN1a4workEi\ncalls=1 0x140 0\n0x0 0 5\n\nob=(1)\nfl=(1)\nfn=(3)\ncfi=(1)\ncfn=(4)\n"
			    "calls=4 0x140 0\n0x100 0 3\ncob=(2)\ncfi=(1)\ncfn=(1)\ncalls=2 0x0 0\n0x100 0 8\n\ntotals: 19\n");
	made("folded", &w, text, sizeof(text));
	assert_string_equal(text, "main 8\nmain;[elsewhere] 3\nmain;[elsewhere];_ZN1a4workEi 5\nmain;_ZN1a4workEi 3\n");
	model_free(&m);
}

/* Without symbols, functions are from one target of a call to the next, in one segment; programs of BPF are one each. */
static void between_targets(void **state)
{
	static const uint64_t targets[] = { 0x1040, 0x1010, 0x1020, 0x1010, 0x1040 };
	struct whole w = { .model = NULL };
	char text[4096];
	struct model m;
	size_t i;

	(void)state;
	model_init(&m);
	binary(&m, "/lib/none", CST_COUNT_FILE);
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_SEGMENT, .segment = { 0x1000, 0x80, 0x1000, 1 } });
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_SEGMENT, .segment = { 0x1080, 0x80, 0x1080, 1 } });
	binary(&m, "bpf_prog_0123", CST_COUNT_MEMORY);
	binary(&m, "bpf", CST_COUNT_MEMORY);
	binary(&m, "bpf_file", CST_COUNT_FILE);
	range(&m, 0, 0x1000, 64, 1);
	for (i = 1; i < 4; i++)
		range(&m, (uint32_t)i, 8, (uint32_t)i, 1);
	node(&m, 0, CST_COUNT_ROOT, NO, OUT, 0, 0x1000, 0, 0);
	for (i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		node(&m, 1, CST_COUNT_CALL, 0, 0x1000 + 4 * i, 0, targets[i], i + 1, 0);
	w.model = &m;
	made("top", &w, text, sizeof(text));
	assert_string_equal(text, "# Instructions: 70, exact\n#\n# Overhead  Instructions  Calls  Shared Object  Symbol\n"
			    "# ........  ............  .....  .............  ......\n#\n"
			    "    45.71%            32      0  none           [none+0x1080]\n"
			    "    22.86%            16      6  none           [none+0x1040]\n"
			    "    11.43%             8      3  none           [none+0x1020]\n"
			    "     5.71%             4      6  none           [none+0x1010]\n"
			    "     5.71%             4      0  none           [none+0x1000]\n"
			    "     4.29%             3      0  bpf_file       [bpf_file+0x0]\n"
			    "     2.86%             2      0  bpf            [bpf+0x0]\n"
			    "     1.43%             1      0  bpf_prog_0123  bpf_prog_0123\n");
	model_free(&m);
}

/* Sums beyond 64 bits stay at their largest number. Loops over code end at the greatest offset. */
static void largest(void **state)
{
	static const char *const formats[] = { "callgrind", "folded", "top" };
	const uint64_t most = UINT64_MAX - 1, end = UINT64_MAX - 3;
	struct whole w = { .model = NULL };
	char text[4096], *at;
	struct model m;
	unsigned int i, k;

	(void)state;
	model_init(&m);
	binary(&m, "/bin/prog", CST_COUNT_FILE);
	binary(&m, "/bin/prog", CST_COUNT_FILE);
	range(&m, 0, 0x100, 2, most);
	range(&m, 0, 0x104, 2, most);
	range(&m, 0, 0x108, 1, 5);
	range(&m, 1, end - 4, 2, 3);
	node(&m, 0, CST_COUNT_ROOT, NO, OUT, 0, 0x100, 0, most);
	node(&m, 1, CST_COUNT_CALL, 0, 0x104, 0, 0x100, most, most);
	node(&m, 1, CST_COUNT_CALL, 0, 0x104, 1, end - 4, most, most);
	node(&m, 2, CST_COUNT_CALL, 1, end, 1, end - 4, most, most);
	node(&m, 1, CST_COUNT_TAIL, 0, 0x104, 0, 0x100, most, most);
	m.binaries[0].dso = &program;
	w.model = &m;
	for (i = 0; i < 3; i++) {
		made(formats[i], &w, text, sizeof(text));
		/* no number is a sum modulo 2^64 */
		for (k = 0, at = text; (at = strstr(at, "1844674407370955161")); at++, k++)
			assert_in_range(at[19], '4', '5');
		assert_true(k);
	}
	made("callgrind", &w, text, sizeof(text));
	assert_non_null(strstr(text, "\n0x100 0 18446744073709551614\n0x104 0 18446744073709551615\n0x108 0 18446744073709551615\n"));
	assert_non_null(strstr(text, "\n0xfffffffffffffff8 0 3\n0xfffffffffffffffc 0 3\n"));
	assert_non_null(strstr(text, "\ntotals: 18446744073709551615\n"));
	assert_non_null(strstr(text, "0x104 0 18446744073709551615\n"));
	made("folded", &w, text, sizeof(text));
	assert_non_null(strstr(text, "main;main 18446744073709551615\n"));
	made("top", &w, text, sizeof(text));
	assert_non_null(strstr(text, "# Instructions: 18446744073709551615, exact\n"));
	model_free(&m);
}

/* Ranges of any length, as a damaged count file has them, take no time for each instruction. */
static void longest(void **state)
{
	const uint32_t insns = 1u << 30;
	struct whole w = { .model = NULL };
	char text[4096];
	struct model m;
	unsigned int i;

	(void)state;
	model_init(&m);
	binary(&m, "/bin/prog", CST_COUNT_FILE);
	for (i = 0; i < 64; i++)
		range(&m, 0, i * 4ull * insns, insns, i + 1);
	m.binaries[0].dso = &program;
	w.model = &m;
	made("top", &w, text, sizeof(text));
	assert_non_null(strstr(text, "# Instructions: 2233382993920, exact\n"));
	assert_non_null(strstr(text, " 16      0  prog           main\n") ? text : strstr(text, " 16  prog           main\n"));
	model_free(&m);
}

/* flamegraph.pl would take a number behind a blank for the count of a second profile. */
static void folded_numbers(void **state)
{
	static const struct {
		const char *name, *line;
	} row[] = {
		{ "eval 12", "eval_12 7\n" }, { "a;b 1.5", "a:b_1.5 7\n" }, { "a 2.", "a_2. 7\n" }, { "f(int, int)", "f(int, int) 7\n" },
		{ "x 1a", "x 1a 7\n" }, { "x1", "x1 7\n" }, { "x 1.2.3", "x 1.2.3 7\n" }, { "x 1 ", "x 1  7\n" }, { " 3", "_3 7\n" },
	};
	struct whole w = { .model = NULL };
	char text[256], want[256];
	struct model m;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		model_init(&m);
		binary(&m, row[i].name, CST_COUNT_JIT);
		range(&m, 0, 0, 7, 1);
		node(&m, 0, CST_COUNT_ROOT, NO, OUT, 0, 0, 0, 7);
		w.model = &m;
		made("folded", &w, text, sizeof(text));
		assert_string_equal(text, row[i].line);
		/* not at the end of a line */
		node(&m, 1, CST_COUNT_CALL, 0, 8, 0, 0, 1, 3);
		made("folded", &w, text, sizeof(text));
		if (!strchr(row[i].name, ';')) {
			snprintf(want, sizeof(want), "%s%s;%.*s 3\n", row[i].line, row[i].name, (int)strlen(row[i].line) - 3, row[i].line);
			assert_string_equal(text, want);
		}
		model_free(&m);
	}
}

/* Names of a node's callers and its own, the outermost first. Returns the end. */
static char *stack_names(const struct model *m, uint32_t node, char *p)
{
	if (m->nodes[node].parent != MODEL_NO_NODE) {
		p = stack_names(m, m->nodes[node].parent, p);
		*p++ = ';';
	}
	return stpcpy(p, m->binaries[m->nodes[node].is.binary].is.name);
}

/* The lines of random calls are sums of nodes with the same names, in order of the first ones. */
static void folded_stacks(void **state)
{
	enum { NODES = 60, LINE = NODES * 10 + 30 };
	static char text[NODES * LINE], want[NODES * LINE], stack[NODES][LINE];
	static const char *const names[] = { "a", "b", "a b", "long_name", "ab" };
	uint64_t insns[NODES];
	unsigned int seed, i, k, n, depth;
	struct whole w = { .model = NULL };
	struct model m;
	char *p;

	(void)state;
	for (seed = 1; seed < 300; seed++) {
		srand(seed);
		model_init(&m);
		for (i = 0; i < 5; i++)
			binary(&m, names[i], CST_COUNT_JIT);
		for (n = i = depth = 0; i < NODES; i++) {
			/* of few names and sites, so that many nodes have the same stack */
			depth = i ? (unsigned int)rand() % (depth + 2) : 0;
			node(&m, depth, depth ? CST_COUNT_CALL : CST_COUNT_ROOT,
			     depth ? 0 : NO, depth ? i : OUT, (uint32_t)rand() % (seed % 4 + 1), 0,
			     1, 1 + (uint64_t)rand() % 100);
			range(&m, m.nodes[i].is.binary, 8 * i, 1, m.nodes[i].is.insns);
			stack_names(&m, i, stack[n]);
			for (k = 0; strcmp(stack[k], stack[n]); k++)
				;
			insns[k] = m.nodes[i].is.insns + (k < n ? insns[k] : 0);
			n += k == n;
		}
		for (i = 0, p = want; i < n; i++)
			p += sprintf(p, "%s %llu\n", stack[i], (unsigned long long)insns[i]);
		w.model = &m;
		made("folded", &w, text, sizeof(text));
		assert_string_equal(text, want);
		model_free(&m);
	}
}

/* Text that is longer than the buffer is written whole. */
static void longest_text(void **state)
{
	static char text[100000], have[200000];
	static struct lines l;
	struct error err = { .code = 0 };
	const size_t most = sizeof(l.buf) - TEXT_SPARE;
	struct pd_output out;
	FILE *file = tmpfile();
	size_t i;

	(void)state;
	assert_non_null(file);
	for (i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i % 23);
	pd_output_fd(&out, fileno(file), "profile");
	lines_init(&l, &out);
	lines_string(&l, "<");
	lines_text(&l, text, most);
	lines_string(&l, ">");
	lines_text(&l, text, sizeof(text));
	lines_string(&l, "|");
	lines_flush(&l);
	assert_int_equal(pd_output_finish(&out, &err), 0);
	assert_int_equal(pread(fileno(file), have, sizeof(have), 0), most + sizeof(text) + 3);
	assert_int_equal(have[0], '<');
	assert_memory_equal(have + 1, text, most);
	assert_int_equal(have[1 + most], '>');
	assert_memory_equal(have + 2 + most, text, sizeof(text));
	assert_int_equal(have[2 + most + sizeof(text)], '|');
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unplaced),
		cmocka_unit_test(between_targets), cmocka_unit_test(largest),
		cmocka_unit_test(longest), cmocka_unit_test(folded_numbers),
		cmocka_unit_test(folded_stacks),
		cmocka_unit_test(longest_text),
		cmocka_unit_test(pprof_program),
	};

	return cmocka_run_group_tests_name("profile whole", tests, NULL, NULL);
}
