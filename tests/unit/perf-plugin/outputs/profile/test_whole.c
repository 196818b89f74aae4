/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts of the formats that have all binaries and their calls, to the letter, of a model made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <zlib.h>

#include "machine/images/dso.h"
#include "outputs/profile/formats.h"
#include "outputs/profile/lines.h"
#include "outputs/profile/messages.h"
#include "outputs/profile/places.h"
#include "unit/perf-plugin/output_text.h"
#include "unit/perf-plugin/refused_memory.h"

#define NO	CST_COUNT_NO_BINARY
#define OUT	CST_COUNT_OUTSIDE

static struct dso_symbol_entry symbols[] = {
	{ .offset = 0x100, .size = 0x40, .name = "main" },
	{ .offset = 0x140, .size = 0x20, .name = "_ZN1a4workEi" },
};
static struct dso program = { .path = (char *)"/bin/prog", .file = (char *)"/bin/prog", .state = DSO_LOADED, .symbols_read = true,
			      .syms = symbols, .nr_syms = 2 };

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

struct source_place __real_places_at(struct places *p, uint32_t binary, uint64_t offset);
struct source_place __wrap_places_at(struct places *p, uint32_t binary, uint64_t offset);
static bool inlined;	/* the program is of main.c, with code of two headers in it */

struct source_place __wrap_places_at(struct places *p, uint32_t binary, uint64_t offset)
{
	static const char *const files[] = { "main.c", "one.h", "two.h", "one.h", "main.c" };

	if (!inlined || binary)
		return __real_places_at(p, binary, offset);
	return (struct source_place){ offset < 0x140 ? files[(offset - 0x100) / 8] : offset == 0x144 ? "two.h" : "main.c",
				      (unsigned int)(offset & 0xff) };
}

/* Code of another file inside of a function, and of the function's own behind it. */
static void callgrind_files(void **state)
{
	struct model m = calls();
	struct whole w = { .model = &m };
	char text[4096], *end;

	(void)state;
	inlined = true;
	made("callgrind", &w, text, sizeof(text));
	inlined = false;
	end = strstr(text, "ob=(2)");
	assert_non_null(end);
	/* calls are in the file of their place, too */
	assert_non_null(strstr(end, "fn=(4)\nfi=(3)\ncfi=(1)\ncfn=(3)\ncalls=3 "));
	*end = 0;
	assert_string_equal(strstr(text, "ob=(1)"),
			    "ob=(1) /bin/prog\nfl=(1) main.c\nfn=(4) main\n0x400100 0 1\n0x400104 4 1\nfi=(2) one.h\n"
			    "0x400108 8 1\n0x40010c 12 1\nfi=(3) two.h\n0x400110 16 1\n0x400114 20 1\nfi=(2)\n0x400118 24 1\n"
			    "0x40011c 28 1\n\nfl=(1)\nfn=(3) _ZN1a4workEi\n0x400140 64 4\nfi=(3)\n0x400144 68 4\nfe=(1)\n"
			    "0x400148 72 4\n0x40014c 76 4\n0x400150 80 4\n\n");
	model_free(&m);
}

struct whole_case {
	const struct profile_format *format;
	struct whole w;
};

static bool whole_made(void *data)
{
	static char text[1 << 16];
	struct whole_case *c = data;
	const size_t at = failing;
	struct output_text t;
	int rc = ERR_NOMEM;

	failing = 0;
	output_begin(&t);
	failing = at;
	c->w.places = places_new(c->w.model);
	if (c->w.places)
		rc = c->format->write_whole(&t.out, &c->w);
	places_free(c->w.places);
	output_end(&t, text, sizeof(text));
	return !rc;
}

/* A profile that lacks a part, because there was no memory for it, is not taken for a whole one. */
static void without_memory(void **state)
{
	static const char *const formats[] = { "callgrind", "folded", "top",
#ifdef HAVE_PROTOBUF_C
					       "pprof",
#endif
	};
	struct model with_calls = calls(), flat;
	struct whole_case c = { .w = { .model = &with_calls } };
	size_t i, at;

	(void)state;
	model_init(&flat);
	binary(&flat, "/bin/prog", CST_COUNT_FILE);
	flat.binaries[0].dso = &program;
	for (i = 0; i < 40; i++) {
		binary(&flat, "method", CST_COUNT_JIT);
		range(&flat, (uint32_t)i, 0x100, 1, 1);
	}
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		for (at = 0; at < 2; at++) {
			c.w.model = at ? &flat : &with_calls;
			c.format = profile_format_find(formats[i]);
			assert_non_null(c.format);
			assert_in_range(refused_each(whole_made, &c), 5, 300);
		}
	model_free(&with_calls);
	model_free(&flat);
}

static void callgrind(void **state)
{
	struct model m = calls();
	struct whole w = { .model = &m };
	char text[4096];

	(void)state;
	made("callgrind", &w, text, sizeof(text));
	assert_string_equal(text, "# callgrind format\nversion: 1\ncreator: perf-cstrace 0.1.0\npositions: instr line\n"
			    "event: Ir : Instructions executed\nevents: Ir\n\nob=(1) /bin/prog\nfl=(1) ???\nfn=(4) main\n"
			    "0x400100 0 1\n0x400104 0 1\n0x400108 0 1\n0x40010c 0 1\n0x400110 0 1\n0x400114 0 1\n"
			    "0x400118 0 1\n0x40011c 0 1\n\nfl=(1)\nfn=(3) _ZN1a4workEi\n0x400140 0 4\n0x400144 0 4\n"
			    "0x400148 0 4\n0x40014c 0 4\n0x400150 0 4\n\nob=(2) /lib/li;b\\x0a.so\nfl=(1)\n"
			    "fn=(5) [li;b\\x0a.so+0x1010]\n0x41010 0 3\n0x41014 0 3\n0x41018 0 3\n\nob=(3) method\nfl=(1)\n"
			    "fn=(6) method\n0x0 0 1\n0x4 0 1\n\nob=(4) [elsewhere]\nfl=(1)\nfn=(1) [elsewhere]\n0x0 0 4\n\n"
			    "ob=(1)\nfl=(1)\nfn=(3)\ncob=(2)\ncfi=(1)\ncfn=(5)\ncalls=3 0x41010 0\n0x400148 0 14\n\nfl=(1)\n"
			    "fn=(4)\ncfi=(1)\ncfn=(3)\ncalls=3 0x400140 0\n0x400110 0 29\ncob=(3)\ncfi=(1)\ncfn=(6)\n"
			    "calls=1 0x0 0\n0x40011c 0 2\n\nob=(2)\nfl=(1)\nfn=(5)\ncob=(1)\ncfi=(1)\ncfn=(3)\n"
			    "calls=1 0x400140 0\n0x41018 0 3\ncob=(4)\ncfi=(1)\ncfn=(2) [cut]\ncalls=2 0x0 0\n0x41010 0 2\n"
			    "\ntotals: 43\n");
	model_free(&m);
}

static void folded(void **state)
{
	struct model m = calls();
	struct whole w = { .model = &m };
	char text[4096];

	(void)state;
	made("folded", &w, text, sizeof(text));
	assert_string_equal(text, "main 8\nmain;_ZN1a4workEi 15\nmain;_ZN1a4workEi;[li:b\\x0a.so+0x1010] 9\n"
			    "main;_ZN1a4workEi;[li:b\\x0a.so+0x1010];_ZN1a4workEi 3\n"
			    "main;_ZN1a4workEi;[li:b\\x0a.so+0x1010];[cut] 2\nmain;method 2\n[no stack] 4\n");
	w.only = &m.binaries[1];
	made("folded", &w, text, sizeof(text));
	assert_string_equal(text, "main;_ZN1a4workEi;[li:b\\x0a.so+0x1010] 9\n");
	model_free(&m);
}

static void top(void **state)
{
	struct model m = calls();
	struct whole w = { .model = &m };
	char text[4096];

	(void)state;
	made("top", &w, text, sizeof(text));
	assert_string_equal(text, "# Instructions: 43, exact\n#\n# Overhead  Instructions  Calls  Shared Object  Symbol\n"
			    "# ........  ............  .....  .............  ......\n#\n"
			    "    46.51%            20      4  prog           _ZN1a4workEi\n"
			    "    20.93%             9      3  li;b\\x0a.so    [li;b\\x0a.so+0x1010]\n"
			    "    18.60%             8      0  prog           main\n"
			    "     9.30%             4      0  [elsewhere]    [elsewhere]\n"
			    "     4.65%             2      1  method         method\n");
	w.only = &m.binaries[2];
	made("top", &w, text, sizeof(text));
	assert_string_equal(text, "# Instructions: 2, exact\n#\n# Overhead  Instructions  Calls  Shared Object  Symbol\n"
			    "# ........  ............  .....  .............  ......\n#\n"
			    "   100.00%             2      1  method         method\n");
	model_free(&m);
}

#ifdef HAVE_PROTOBUF_C
static Pprof__Profile *unpacked(const char *bytes, size_t n)
{
	static uint8_t plain[1 << 16];
	z_stream z = { .next_in = (uint8_t *)bytes, .avail_in = (uInt)n, .next_out = plain, .avail_out = sizeof(plain) };
	Pprof__Profile *p;

	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	p = pprof__profile__unpack(NULL, z.total_out, plain);
	inflateEnd(&z);
	assert_non_null(p);
	return p;
}

/* A sample: its values, then its functions, the innermost first, with the addresses. */
static void append_sample(char *text, size_t room, const Pprof__Profile *p, const Pprof__Sample *s)
{
	size_t i, used = strlen(text);

	assert_int_equal(s->n_value, 2);
	used += (size_t)snprintf(text + used, room - used, "%d %d", (int)s->value[0], (int)s->value[1]);
	for (i = 0; i < s->n_location_id; i++) {
		const Pprof__Location *l = p->location[s->location_id[i] - 1];
		const Pprof__Function *f = p->function[l->line[0]->function_id - 1];

		assert_int_equal(l->id, s->location_id[i]);
		assert_int_equal(f->id, l->line[0]->function_id);
		used += (size_t)snprintf(text + used, room - used, " %s %llx", p->string_table[f->name],
					 (unsigned long long)l->address);
	}
	snprintf(text + used, room - used, "\n");
}

static void pprof(void **state)
{
	struct model m = calls();
	struct whole w = { .model = &m };
	char bytes[4096], text[4096] = "";
	Pprof__Profile *p;
	size_t i;

	(void)state;
	p = unpacked(bytes, made_bytes("pprof", &w, bytes, sizeof(bytes)));
	assert_int_equal(p->n_sample_type, 2);
	assert_string_equal(p->string_table[0], "");
	assert_string_equal(p->string_table[p->sample_type[0]->type], "calls");
	assert_string_equal(p->string_table[p->sample_type[1]->type], "instructions");
	assert_int_equal(p->default_sample_type, p->sample_type[1]->type);
	for (i = 0; i < p->n_sample; i++)
		append_sample(text, sizeof(text), p, p->sample[i]);
	assert_string_equal(text, "0 8 main 400108\n3 15 _ZN1a4workEi 400140 main 400110\n"
			    "3 9 [li;b\\x0a.so+0x1010] 41010 _ZN1a4workEi 400148 main 400110\n"
			    "1 3 _ZN1a4workEi 400140 [li;b\\x0a.so+0x1010] 41018 _ZN1a4workEi 400148 main 400110\n"
			    "2 2 [cut] 0 [li;b\\x0a.so+0x1010] 41010 _ZN1a4workEi 400148 main 400110\n"
			    "1 2 method 0 main 40011c\n0 4 [elsewhere] 0\n");
	assert_int_equal(p->n_mapping, 3);
	assert_string_equal(p->string_table[p->mapping[1]->filename], "/lib/li;b\\x0a.so");
	assert_int_equal(p->mapping[1]->memory_start, 0x41000);
	assert_int_equal(p->mapping[1]->memory_limit, 0x41100);
	assert_int_equal(p->mapping[1]->file_offset, 0x1000);
	assert_true(p->mapping[1]->has_functions);
	pprof__profile__free_unpacked(p, NULL);
	model_free(&m);
}

/* A function has the file and the line of its begin; where no line is known, neither. */
static void pprof_places(void **state)
{
	struct model m = calls();
	struct whole w = { .model = &m };
	char bytes[4096], text[512] = "";
	Pprof__Profile *p;
	size_t i;

	(void)state;
	inlined = true;
	p = unpacked(bytes, made_bytes("pprof", &w, bytes, sizeof(bytes)));
	inlined = false;
	for (i = 0; i < p->n_function; i++) {
		const Pprof__Function *f = p->function[i];

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %s:%d\n", p->string_table[f->name],
			 p->string_table[f->filename], (int)f->start_line);
	}
	assert_string_equal(text, "[elsewhere] :0\n[cut] :0\nmain :0\n_ZN1a4workEi main.c:64\n[li;b\\x0a.so+0x1010] :0\nmethod :0\n");
	pprof__profile__free_unpacked(p, NULL);
	model_free(&m);
}

/* Without calls: each instruction. */
static void pprof_flat(void **state)
{
	struct whole w = { .model = NULL };
	char bytes[4096], text[4096] = "";
	Pprof__Profile *p;
	struct model m;
	size_t i;

	(void)state;
	model_init(&m);
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_TOTAL, .total = { "instructions.elsewhere", 7 } });
	binary(&m, "/bin/prog", CST_COUNT_FILE);
	binary(&m, "method", CST_COUNT_JIT);
	range(&m, 0, 0x13c, 2, 5);
	range(&m, 1, 8, 1, 3);
	m.binaries[0].dso = &program;
	w.model = &m;
	p = unpacked(bytes, made_bytes("pprof", &w, bytes, sizeof(bytes)));
	for (i = 0; i < p->n_sample; i++)
		append_sample(text, sizeof(text), p, p->sample[i]);
	assert_string_equal(text, "0 5 main 13c\n0 5 _ZN1a4workEi 140\n0 3 method 8\n0 7 [elsewhere] 0\n");
	pprof__profile__free_unpacked(p, NULL);
	model_free(&m);
}
/* Tables of a profile, as text: mappings, then locations with their function and line, in the order of their numbers. */
static void append_tables(char *text, size_t room, const Pprof__Profile *p)
{
	size_t i, used = 0;

	*text = 0;
	for (i = 0; i < p->n_mapping; i++) {
		const Pprof__Mapping *map = p->mapping[i];

		used += (size_t)snprintf(text + used, room - used, "%d %s %llx-%llx at %llx id %s%s%s%s\n", (int)map->id,
					 p->string_table[map->filename], (unsigned long long)map->memory_start,
					 (unsigned long long)map->memory_limit, (unsigned long long)map->file_offset,
					 p->string_table[map->build_id], map->has_functions ? ", functions" : "",
					 map->has_filenames ? ", files" : "", map->has_line_numbers ? ", lines" : "");
	}
	for (i = 0; i < p->n_location; i++) {
		const Pprof__Location *l = p->location[i];

		assert_int_equal(l->id, i + 1);
		assert_int_equal(l->n_line, 1);
		used += (size_t)snprintf(text + used, room - used, "%llx of %d: %s:%d\n", (unsigned long long)l->address, (int)l->mapping_id,
					 p->string_table[p->function[l->line[0]->function_id - 1]->name], (int)l->line[0]->line);
	}
	assert_true(used < room - 1);
	for (i = 0; i < p->n_function; i++) {
		assert_int_equal(p->function[i]->id, i + 1);
		assert_int_equal(p->function[i]->system_name, p->function[i]->name);
	}
	for (i = 0; i < p->n_sample_type; i++)
		assert_string_equal(p->string_table[p->sample_type[i]->unit], "count");
}

/* Where binaries are in memory, by which a reader finds their files, and the line of each place. */
static void pprof_tables(void **state)
{
	static const struct cst_count_segment segments[] = {
		{ 0, 0x100, 0x400000, 0 }, { 0x1000, 0x80, 0x500000, 1 }, { 0x2000, 0x100, 0x480000, 1 }, { 0x3000, 0x1000, 0x600000, 0 },
	};
	struct cst_count_record build = { .kind = CST_COUNT_BINARY, .binary = { .id_kind = CST_COUNT_ID_BUILD, .id_len = 3,
					  .id = { 0x0a, 0xb1, 0xff }, .name = "/lib/one" } };
	struct model m = calls(), more;
	struct whole w = { .model = &m };
	char bytes[4096], text[4096];
	Pprof__Profile *p;
	size_t i;

	(void)state;
	inlined = true;
	p = unpacked(bytes, made_bytes("pprof", &w, bytes, sizeof(bytes)));
	append_tables(text, sizeof(text), p);
	assert_string_equal(text, "1 /bin/prog 400000-400200 at 0 id , functions\n2 /lib/li;b\\x0a.so 41000-41100 at 1000 id , functions\n"
			    "3 method 0-ffffffffffffffff at 0 id , functions\n"
			    "400110 of 1: main:16\n400148 of 1: _ZN1a4workEi:72\n400140 of 1: _ZN1a4workEi:64\n"
			    "41010 of 2: [li;b\\x0a.so+0x1010]:0\n400108 of 1: main:8\n41018 of 2: [li;b\\x0a.so+0x1010]:0\n0 of 0: [cut]:0\n"
			    "40011c of 1: main:28\n0 of 3: method:0\n0 of 0: [elsewhere]:0\n");
	pprof__profile__free_unpacked(p, NULL);
	/* of one binary the callers are there, too */
	w.only = &m.binaries[1];
	p = unpacked(bytes, made_bytes("pprof", &w, bytes, sizeof(bytes)));
	append_tables(text, sizeof(text), p);
	assert_string_equal(text, "2 /lib/li;b\\x0a.so 41000-41100 at 1000 id , functions\n1 /bin/prog 400000-400200 at 0 id , functions\n"
			    "3 method 0-ffffffffffffffff at 0 id , functions\n"
			    "400110 of 1: main:16\n400148 of 1: _ZN1a4workEi:72\n41010 of 2: [li;b\\x0a.so+0x1010]:0\n");
	*text = 0;
	for (i = 0; i < p->n_sample; i++)
		append_sample(text, sizeof(text), p, p->sample[i]);
	assert_string_equal(text, "3 9 [li;b\\x0a.so+0x1010] 41010 _ZN1a4workEi 400148 main 400110\n");
	pprof__profile__free_unpacked(p, NULL);
	inlined = false;
	model_free(&m);
	/* executable segments in any order; without calls the other binaries are left out */
	model_init(&more);
	binary(&more, "/lib/none", CST_COUNT_FILE);
	add(&more, build);
	for (i = 0; i < sizeof(segments) / sizeof(segments[0]); i++)
		add(&more, (struct cst_count_record){ .kind = CST_COUNT_SEGMENT, .segment = segments[i] });
	range(&more, 0, 0, 1, 5);
	range(&more, 1, 0x2004, 1, UINT64_MAX);
	w = (struct whole){ .model = &more, .only = &more.binaries[1] };
	p = unpacked(bytes, made_bytes("pprof", &w, bytes, sizeof(bytes)));
	append_tables(text, sizeof(text), p);
	assert_string_equal(text, "2 /lib/one 480000-500080 at 2000 id 0ab1ff, functions\n480004 of 2: [one+0x2000]:0\n");
	assert_int_equal(p->n_sample, 1);
	/* values are of 63 bits */
	assert_true(p->sample[0]->value[1] == INT64_MAX);
	pprof__profile__free_unpacked(p, NULL);
	model_free(&more);
}

/* The first mapping is that of the program, which pprof shows and takes an argument for: not a method, not a library. */
static void pprof_program(void **state)
{
	struct model m = calls();
	struct whole w = { .model = &m };
	char bytes[4096];
	Pprof__Profile *p;

	(void)state;
	m.binaries[0].is.type = CST_COUNT_JIT;
	binary(&m, "/bin/p", CST_COUNT_FILE);
	p = unpacked(bytes, made_bytes("pprof", &w, bytes, sizeof(bytes)));
	assert_string_equal(p->string_table[p->mapping[0]->filename], "/bin/p");
	pprof__profile__free_unpacked(p, NULL);
	model_free(&m);
}

/* Names that take more than the blocks in which bytes are packed and written. */
static void pprof_long(void **state)
{
	enum { NAMES = 60, LENGTH = 4000, ROOM = 1 << 20 };
	static char bytes[ROOM], name[LENGTH + 1];
	static uint8_t plain[ROOM];
	z_stream z = { .next_in = (uint8_t *)bytes, .next_out = plain, .avail_out = ROOM };
	struct whole w = { .model = NULL };
	uint32_t random, i, k;
	Pprof__Profile *p;
	struct model m;

	(void)state;
	model_init(&m);
	for (i = 0, random = 1; i < NAMES; i++) {
		for (k = 0; k < LENGTH; k++) {
			random = random * 1664525u + 1013904223u;
			name[k] = (char)('0' + (random >> 26));
		}
		/* the first ones are short: the room for a message grows */
		name[i < 3 ? i + 1 : LENGTH - i] = 0;
		binary(&m, name, CST_COUNT_JIT);
		range(&m, i, 0, 1, 1);
	}
	w.model = &m;
	z.avail_in = (uInt)made_bytes("pprof", &w, bytes, ROOM);
	assert_true(z.avail_in > 1 << 17);
	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	p = pprof__profile__unpack(NULL, z.total_out, plain);
	inflateEnd(&z);
	assert_non_null(p);
	assert_int_equal(p->n_mapping, NAMES);
	assert_int_equal(p->n_sample, NAMES);
	for (i = 0; i < NAMES; i++)
		assert_string_equal(p->string_table[p->mapping[i]->filename], m.binaries[p->mapping[i]->id - 1].is.name);
	pprof__profile__free_unpacked(p, NULL);
	model_free(&m);
}
#endif

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
#ifdef HAVE_PROTOBUF_C
	{
		size_t i, n = made_bytes("pprof", &w, text, sizeof(text));
		Pprof__Profile *p = unpacked(text, n);

		*text = 0;
		for (i = 0; i < p->n_sample; i++)
			append_sample(text, sizeof(text), p, p->sample[i]);
		assert_string_equal(text, "0 8 main 108\n2 3 [elsewhere] 0 main 108\n1 5 _ZN1a4workEi 140 [elsewhere] 0 main 108\n"
				    "4 3 _ZN1a4workEi 140 main 108\n");
		pprof__profile__free_unpacked(p, NULL);
	}
#endif
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

/* Calls are in order of caller, place and callee, whichever was found first. */
static void call_order(void **state)
{
	struct whole w = { .model = NULL };
	char text[4096], *at;
	struct model m;

	(void)state;
	model_init(&m);
	binary(&m, "/bin/prog", CST_COUNT_FILE);
	binary(&m, "method", CST_COUNT_JIT);
	range(&m, 0, 0x100, 1, 1);
	node(&m, 0, CST_COUNT_ROOT, NO, OUT, 0, 0x108, 0, 0);
	node(&m, 1, CST_COUNT_CALL, 0, 0x110, 1, 0, 1, 0);
	node(&m, 1, CST_COUNT_CALL, 0, 0x114, 0, 0x140, 2, 0);
	node(&m, 1, CST_COUNT_TAIL, 0, 0x104, 0, 0x140, 3, 0);
	node(&m, 0, CST_COUNT_ROOT, NO, OUT, 1, 0, 0, 0);
	node(&m, 1, CST_COUNT_CALL, 1, 4, 0, 0x100, 4, 0);
	node(&m, 2, CST_COUNT_CALL, 0, 0x104, 1, 0, 5, 0);
	m.binaries[0].dso = &program;
	w.model = &m;
	made("callgrind", &w, text, sizeof(text));
	at = strstr(text, "0x100 0 1\n");
	assert_non_null(at);
	assert_string_equal(at, "0x100 0 1\n\nob=(2) method\nfl=(1)\nfn=(3) method\ncob=(1)\ncfi=(1)\ncfn=(4)\ncalls=4 0x100 0\n0x4 0 0\n\n"
			    "ob=(1)\nfl=(1)\nfn=(4)\ncob=(2)\ncfi=(1)\ncfn=(3)\ncalls=5 0x0 0\n0x104 0 0\ncfi=(1)\n"
			    "cfn=(5) _ZN1a4workEi\ncalls=3 0x140 0\n0x104 0 0\ncob=(2)\ncfi=(1)\ncfn=(3)\ncalls=1 0x0 0\n0x110 0 0\n"
			    "cfi=(1)\ncfn=(5)\ncalls=2 0x140 0\n0x114 0 0\n\ntotals: 1\n");
	model_free(&m);
}

static unsigned int occurrences(const char *text, const char *part)
{
	unsigned int n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* More functions, calls and places than the tables have room for at first: what is there already is found again. */
static void many_functions(void **state)
{
	enum { NR = 500, ROOM = 1 << 18 };
	static struct dso_symbol_entry syms[NR + 1];
	static char names[NR][16], text[ROOM];
	struct dso d = { .path = (char *)"/bin/many", .file = (char *)"/bin/many", .state = DSO_LOADED, .symbols_read = true, .syms = syms,
			 .nr_syms = NR + 1 };
	struct whole w = { .model = NULL };
	struct model m;
	unsigned int i, root;
	char row[64];

	(void)state;
	model_init(&m);
	binary(&m, "/bin/many", CST_COUNT_FILE);
	syms[0] = (struct dso_symbol_entry){ .offset = 0x100, .size = 4 * NR, .name = "main" };
	for (i = 0; i < NR; i++) {
		snprintf(names[i], sizeof(names[i]), "f%u.", i);
		syms[i + 1] = (struct dso_symbol_entry){ .offset = 0x10000 + 16 * i, .size = 16, .name = names[i] };
		range(&m, 0, 0x10004 + 16 * i, 1, 5);
	}
	for (root = 0; root < 2; root++) {
		node(&m, 0, CST_COUNT_ROOT, NO, OUT, 0, 0x100 + 4 * root, 0, 0);
		for (i = 0; i < NR; i++)
			node(&m, 1, CST_COUNT_CALL, 0, 0x100 + 4 * i, 0, 0x10000 + 16 * i, root + 1, root + 2);
	}
	m.binaries[0].dso = &d;
	w.model = &m;
	made("top", &w, text, sizeof(text));
	for (i = 0; i < NR; i++) {
		snprintf(row, sizeof(row), " 5      3  many           f%u.\n", i);
		assert_int_equal(occurrences(text, row), 1);
	}
	assert_int_equal(occurrences(text, "\n  "), NR);
	made("folded", &w, text, sizeof(text));
	assert_int_equal(occurrences(text, "\n"), NR);
	assert_int_equal(occurrences(text, ". 5\n"), NR);
	made("callgrind", &w, text, sizeof(text));
	assert_int_equal(occurrences(text, "\ncalls="), NR);
	assert_int_equal(occurrences(text, "\ncalls=3 "), NR);
#ifdef HAVE_PROTOBUF_C
	{
		static bool have[NR], site[NR];
		size_t n = made_bytes("pprof", &w, text, sizeof(text));
		Pprof__Profile *p = unpacked(text, n);

		assert_int_equal(p->n_sample, 2 * NR);
		assert_int_equal(p->n_location, 2 * NR);
		for (i = 0; i < p->n_location; i++) {
			uint64_t at = p->location[i]->address;
			bool *seen = at < 0x10000 ? &site[(at - 0x100) / 4] : &have[(at - 0x10000) / 16];

			assert_false(*seen);
			*seen = true;
		}
		pprof__profile__free_unpacked(p, NULL);
	}
#endif
	model_free(&m);
}

/* Of one binary: its costs, and the calls from it. */
static void callgrind_of_one(void **state)
{
	struct model m = calls();
	struct whole w = { .model = &m, .only = &m.binaries[1] };
	char text[4096], *at;

	(void)state;
	made("callgrind", &w, text, sizeof(text));
	at = strstr(text, "\nob=");
	assert_non_null(at);
	assert_string_equal(at, "\nob=(2) /lib/li;b\\x0a.so\nfl=(1) ???\nfn=(5) [li;b\\x0a.so+0x1010]\n0x41010 0 3\n0x41014 0 3\n"
			    "0x41018 0 3\ncob=(1) /bin/prog\ncfi=(1)\ncfn=(3) _ZN1a4workEi\ncalls=1 0x400140 0\n0x41018 0 3\n"
			    "cob=(4) [elsewhere]\ncfi=(1)\ncfn=(2) [cut]\ncalls=2 0x0 0\n0x41010 0 2\n\ntotals: 9\n");
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

/* The deepest stack that a count file has. */
static void deep(void **state)
{
	enum { DEPTH = CST_COUNT_DEPTH_MAX, ROOM = 1 << 20 };
	static char text[ROOM], want[ROOM];
	struct whole w = { .model = NULL };
	struct model m;
	unsigned int i;
	char *p = want;

	(void)state;
	model_init(&m);
	binary(&m, "/bin/prog", CST_COUNT_FILE);
	range(&m, 0, 0x100, 3, 1);
	node(&m, 0, CST_COUNT_ROOT, NO, OUT, 0, 0x100, 0, 0);
	for (i = 1; i <= DEPTH; i++)
		node(&m, i, CST_COUNT_CALL, 0, 0x104, 0, 0x100, i == DEPTH ? 7 : 0, i == DEPTH ? 3 : 0);
	m.binaries[0].dso = &program;
	w.model = &m;
	for (i = 0; i <= DEPTH; i++)
		p += sprintf(p, i == DEPTH ? "main 3\n" : "main;");
	made("folded", &w, text, sizeof(text));
	assert_string_equal(text, want);
	made("callgrind", &w, text, sizeof(text));
	/* of recursion, the outermost call has the cost */
	assert_non_null(strstr(text, "calls=7 0x100 0\n0x104 0 3\n"));
	made("top", &w, text, sizeof(text));
	assert_non_null(strstr(text, " 3      7  prog           main\n"));
#ifdef HAVE_PROTOBUF_C
	assert_int_not_equal(made_bytes("pprof", &w, text, sizeof(text)), 0);
#endif
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

/* Names as in the source, if there is a C++ library. */
static void demangle(void **state)
{
	struct model m = calls();
	struct whole w = { .model = &m, .only = &m.binaries[0], .demangle = true };
	char text[4096];

	(void)state;
	made("folded", &w, text, sizeof(text));
	if (!strstr(text, "_ZN"))
		assert_non_null(strstr(text, "main;a::work(int) 15\n"));
	model_free(&m);
}

/* What profile_report_missing() writes of a model whose places were asked for. */
static bool missing(struct whole *w, bool lines, char *text, size_t room)
{
	int saved = dup(STDERR_FILENO);
	FILE *log = tmpfile();
	bool some;
	ssize_t n;

	assert_true(log && saved >= 0);
	w->places = places_new(w->model);
	assert_non_null(w->places);
	for (n = 0; n < (ssize_t)w->model->nr_binaries; n++)
		assert_null(places_source(w->places, (uint32_t)n));
	fflush(stderr);
	assert_true(dup2(fileno(log), STDERR_FILENO) >= 0);
	some = profile_report_missing("profile", w, lines);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	places_free(w->places);
	n = pread(fileno(log), text, room - 1, 0);
	assert_in_range(n, 0, room - 2);
	text[n] = 0;
	fclose(log);
	return some;
}

/* Binaries that ran and whose files are not here, or cannot be opened any more. */
static void files_missing(void **state)
{
	static const char *const gone = "cstrace profile: /nowhere/gone: its source lines are not known: it cannot be opened: "
					"No such file or directory\n";
	struct dso away = { .path = (char *)"/lib/away", .state = DSO_MISSING };
	struct dso opened = { .path = (char *)"/bin/gone", .file = (char *)"/nowhere/gone", .state = DSO_LOADED, .is_elf = true };
	struct dso raw = { .path = (char *)"/bin/raw", .file = (char *)"/bin/raw", .state = DSO_LOADED };
	struct whole w = { .model = NULL };
	char text[1024], want[1024];
	struct model m;

	(void)state;
	model_init(&m);
	binary(&m, "/lib/none", CST_COUNT_FILE);
	binary(&m, "/lib/away", CST_COUNT_FILE);
	binary(&m, "/bin/gone", CST_COUNT_FILE);
	binary(&m, "method", CST_COUNT_JIT);
	binary(&m, "/lib/unused", CST_COUNT_FILE);
	binary(&m, "/bin/raw", CST_COUNT_FILE);
	range(&m, 0, 0, 1, 1);
	range(&m, 1, 0, 1, 1);
	range(&m, 2, 0, 1, 1);
	range(&m, 3, 0, 1, 1);
	range(&m, 5, 0, 1, 1);
	m.binaries[1].dso = &away;
	m.binaries[2].dso = &opened;
	m.binaries[5].dso = &raw;
	w.model = &m;
	assert_true(missing(&w, false, text, sizeof(text)));
	snprintf(want, sizeof(want), "cstrace profile: /lib/none: its file is missing: its functions have no names; give the directory with "
		 "the target's files with --symfs DIR\ncstrace profile: /lib/away: its file is missing: its functions have no names; give "
		 "the directory with the target's files with --symfs DIR\n%s", gone);
	assert_string_equal(text, want);
	w.only = &m.binaries[1];
	assert_true(missing(&w, true, text, sizeof(text)));
	assert_string_equal(text, "cstrace profile: /lib/away: its file is missing: its functions have no names, and no lines; give the "
			    "directory with the target's files with --symfs DIR\n");
	w.only = &m.binaries[2];
	assert_true(missing(&w, true, text, sizeof(text)));
	assert_string_equal(text, gone);
	w.only = &m.binaries[3];
	assert_false(missing(&w, true, text, sizeof(text)));
	assert_string_equal(text, "");
	w.only = &m.binaries[5];
	assert_false(missing(&w, true, text, sizeof(text)));
	assert_string_equal(text, "");
	model_free(&m);
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
	assert_int_equal(pd_output_fd(&out, fileno(file), "profile", &err), 0);
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
		cmocka_unit_test(callgrind), cmocka_unit_test(without_memory), cmocka_unit_test(callgrind_files),
		cmocka_unit_test(callgrind_of_one), cmocka_unit_test(unplaced), cmocka_unit_test(between_targets),
		cmocka_unit_test(many_functions), cmocka_unit_test(call_order),
		cmocka_unit_test(folded), cmocka_unit_test(top), cmocka_unit_test(demangle),
		cmocka_unit_test(largest), cmocka_unit_test(longest), cmocka_unit_test(deep), cmocka_unit_test(folded_numbers),
		cmocka_unit_test(files_missing), cmocka_unit_test(longest_text),
#ifdef HAVE_PROTOBUF_C
		cmocka_unit_test(pprof), cmocka_unit_test(pprof_places), cmocka_unit_test(pprof_tables), cmocka_unit_test(pprof_flat),
		cmocka_unit_test(pprof_program), cmocka_unit_test(pprof_long),
#endif
	};

	return cmocka_run_group_tests_name("profile whole", tests, NULL, NULL);
}
