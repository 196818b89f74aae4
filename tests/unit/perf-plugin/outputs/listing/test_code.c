/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of a branch stack that no trace has: beside their instructions, backward, longer than is
 * shown, without code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/images/dso.h"
#include "outputs/listing/code.h"
#include "session/decode/locate.h"

#define CODE	0x1000u
#define MOST	16384u	/* bytes between the first and the last instruction of a block that is shown, as in listing/code.c */

static size_t code_len;		/* bytes of code from CODE on, of this word each */
static uint32_t word = 0xd503201f;
static struct dso prog = { .path = "/bin/prog", .symbols.symbols_read = true };
static const struct cst_config config = { .protocol = CST_PROTO_ETMV4, .profile = CST_PROFILE_A };
static const struct stream stream = { .tid = 7, .config = &config };

size_t __wrap_session_read_any(const struct stream *s, uint64_t addr, void *buf, size_t len);
bool __wrap_session_locate_any(const struct stream *s, uint64_t addr, struct session_loc *loc);
bool __wrap_session_symbol(const struct stream *s, uint64_t addr, const struct session_loc *loc, const char **name,
			   uint64_t *offset);

size_t __wrap_session_read_any(const struct stream *s, uint64_t addr, void *buf, size_t len)
{
	const uint32_t words[2] = { word, word };
	const uint64_t at = addr - CODE;
	size_t n;

	(void)s;
	if (at >= code_len)
		return 0;
	n = code_len - at < len ? code_len - at : len;
	memcpy(buf, (const char *)words + at % 4, n);
	return n;
}

bool __wrap_session_locate_any(const struct stream *s, uint64_t addr, struct session_loc *loc)
{
	(void)s;
	*loc = (struct session_loc){ .dso = &prog, .offset = addr - CODE };
	return true;
}

bool __wrap_session_symbol(const struct stream *s, uint64_t addr, const struct session_loc *loc, const char **name,
			   uint64_t *offset)
{
	(void)s;
	*name = "f";
	*offset = addr - CODE;
	return loc->dso != NULL;
}

struct output {
	char *text;
	size_t len;
};

static void take(void *data, const void *text, size_t len)
{
	struct output *o = data;

	o->text = realloc(o->text, o->len + len + 1);
	assert_non_null(o->text);
	memcpy(o->text + o->len, text, len);
	o->len += len;
	o->text[o->len] = 0;
}

/* A line that is printed with some fields. */
struct printing {
	struct output o;
	struct merge_sink sink;
	struct merge *m;
	struct line *l;
	struct line_last last;
};

static struct line *begin_line(struct printing *p)
{
	struct merge_lane *lane;

	*p = (struct printing){ .l = calloc(1, sizeof(*p->l)) };
	assert_non_null(p->l);
	p->sink = (struct merge_sink){ .write = take, .data = &p->o };
	p->m = merge_new(&p->sink, NULL);
	lane = merge_lane_new(p->m, 0, 0);
	assert_int_equal(merge_direct(p->m, lane), 0);
	p->l->fields = LIST_BRSTACKINSN;
	p->l->symbols = calloc(1, sizeof(*p->l->symbols));
	assert_non_null(p->l->symbols);
	symbols_begin(p->l->symbols);
	line_begin(p->l, lane, &p->last, 1);
	return p->l;
}

/* The text of the line, without its end. */
static char *end_line(struct printing *p)
{
	line_end(p->l);
	assert_int_equal(merge_finish(p->m), 0);
	merge_free(p->m);
	free(p->l->symbols);
	free(p->l);
	assert_int_equal(p->o.text[p->o.len - 1], '\n');
	p->o.text[p->o.len - 1] = 0;
	return p->o.text;
}

static void assert_stack(enum cst_isa isa, uint64_t to, uint64_t ip, const char *want)
{
	struct ring_entry e[4];
	struct ring r = { .e = e, .size = 4 };
	struct printing p;
	char *got;

	ring_push_flags(&r, CODE, to, ring_cycles(0));
	code_stack(begin_line(&p), NULL, &stream, &r, ip, isa);
	got = end_line(&p);
	assert_string_equal(got, want);
	free(got);
}

#define FIRST		"\n\tf:\n\t0000000000001000\tinsn: 1f 20 03 d5             \t# PRED\n"
#define LINE(addr)	"\t000000000000" addr "\tinsn: 1f 20 03 d5\n"

static void blocks(void **state)
{
	(void)state;
	code_len = MOST + 0x2000;
	assert_stack(CST_ISA_A64, 0x17f8, 0x1800, FIRST LINE("17f8") LINE("17fc") LINE("1800"));
	/* the sample is inside an instruction */
	assert_stack(CST_ISA_A64, 0x17f8, 0x17fa,
		     FIRST LINE("17f8") "\tmismatch of LBR data and executable\n");
	/* backward, and longer than is shown */
	assert_stack(CST_ISA_A64, 0x17f8, 0x17f4, FIRST);
	assert_stack(CST_ISA_A64, 0x1010, 0x1010 + MOST + 4, FIRST);
	/* code that ends in the block, also within an instruction */
	code_len = 0x18;
	assert_stack(CST_ISA_A64, 0x1010, 0x1020, FIRST LINE("1010") LINE("1014"));
	code_len = 0x12;
	assert_stack(CST_ISA_A64, 0x1010, 0x1020, FIRST);
	/* of T32's NOP.W, half is known */
	word = 0x8000f3af;
	code_len = 2;
	assert_stack(CST_ISA_T32, 0x1010, 0x1020, "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks),
	};

	return cmocka_run_group_tests_name("blocks of branch stacks", tests, NULL, NULL);
}
