/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made_report.h - a report of counts and source lines that a test makes by hand, without the text of instructions. The program
 * is linked as made_source.h says, and with --wrap=disasm_new.
 */
#ifndef TESTS_MADE_REPORT_H
#define TESTS_MADE_REPORT_H

#include <dirent.h>
#include <unistd.h>

#include "machine/images/dso.h"
#include "made_source.h"
#include "outputs/report/internal.h"
#include "unit/temp_dir.h"

struct report_case {
	struct model m;
	struct dso program;
	struct whole w;
	struct report_about about;
	struct report_limits limits;
	char source[128], symfs[128];
};

struct disasm *__wrap_disasm_new(const char **why);

struct disasm *__wrap_disasm_new(const char **why)
{
	*why = "the library is away";
	return NULL;
}

static inline void case_add(struct report_case *c, struct cst_count_record rec)
{
	assert_int_equal(model_add(&c->m, &rec), 0);
}

static inline void case_binary(struct report_case *c, const char *name, uint8_t type)
{
	case_add(c, (struct cst_count_record){ .kind = CST_COUNT_BINARY, .binary = { .name = name, .type = type } });
}

/* Adds instructions of binary `of`, each executed `count` times. */
static inline void case_range_of(struct report_case *c, uint32_t of, uint64_t start, uint32_t insns, uint64_t count)
{
	case_add(c, (struct cst_count_record){ .kind = CST_COUNT_RANGE, .range = { .binary = of, .insns = insns, .start = start,
			.last = start + 4ull * (insns - 1), .count = count } });
}

static inline void case_range(struct report_case *c, uint64_t start, uint32_t insns, uint64_t count)
{
	case_range_of(c, 0, start, insns, count);
}

static inline void case_not_taken(struct report_case *c, uint64_t offset, uint64_t count)
{
	case_add(c, (struct cst_count_record){ .kind = CST_COUNT_NOT_TAKEN, .not_taken = { .offset = offset, .count = count } });
}

static inline void case_edge(struct report_case *c, uint64_t from, uint64_t to, uint64_t count)
{
	case_add(c, (struct cst_count_record){ .kind = CST_COUNT_EDGE, .edge = { .from = from, .to = to, .count = count } });
}

static inline void case_node(struct report_case *c, uint32_t depth, uint8_t kind, uint64_t from, uint64_t entry, uint64_t calls,
			     uint64_t insns)
{
	const bool root = kind == CST_COUNT_ROOT;

	case_add(c, (struct cst_count_record){ .kind = CST_COUNT_NODE, .node = { depth, kind, root ? CST_COUNT_NO_BINARY : 0, 0,
			root ? CST_COUNT_OUTSIDE : from, entry, calls, insns } });
}

/* An A64 program of `n` instructions at address 0x400000 without symbols, and a report of it with pages of all that it has. */
static inline void case_init(struct report_case *c, const uint32_t *code, size_t n)
{
	static char path[] = "/bin/prog";

	*c = (struct report_case){ .program = { .path = path,
						.image.file = path,
						.state = DSO_LOADED,
						.symbols.symbols_read = true,
						.image.machine = EM_AARCH64,
						.image.data = (const uint8_t *)code,
						.image.size = 4 * n },
				   .about = { .input = "dir/input.cst" },
				   .limits = { .functions = 100, .files = 100 } };
	memset(made_source, 0, sizeof(made_source));
	model_init(&c->m);
	case_binary(c, path, CST_COUNT_FILE);
	case_add(c, (struct cst_count_record){ .kind = CST_COUNT_SEGMENT, .segment = { 0, 4 * n, 0x400000, 1 } });
}

static inline void case_free(struct report_case *c)
{
	model_free(&c->m);
}

/* Writes the report to dir/report. */
static inline void report_made(struct report_case *c, const char *dir)
{
	struct error err = { .code = 0 };
	struct outdir out;
	char path[128];

	if (c->m.binaries[0].is.type == CST_COUNT_FILE)
		c->m.binaries[0].dso = &c->program;
	c->w.model = &c->m;
	c->limits.source = c->source;
	c->limits.symfs = c->symfs;
	snprintf(path, sizeof(path), "%s/report", dir);
	assert_int_equal(outdir_open_kind(&out, path, &report_kind, &err), 0);
	assert_int_equal(report_write(&out, &c->w, &c->about, &c->limits, &err), 0);
	assert_int_equal(outdir_finish(&out, &err), 0);
}

static inline bool has_page(const char *dir, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/report/%s", dir, name);
	return !access(path, F_OK);
}

/* The text of a page, valid until the next call. */
static inline const char *page_of(const char *dir, const char *name)
{
	static char text[8 << 20];
	char path[128];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/report/%s", dir, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	assert_true(n < sizeof(text) - 1);
	fclose(f);
	text[n] = 0;
	return text;
}

static inline unsigned int count_of(const char *text, const char *part)
{
	unsigned int n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

#endif
