/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_print.c - packets and elements as text: any value of any field, and buffers of every size.
 * tests/data/tables/packets-and-elements.txt has the texts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/config.h>
#include <cstrace/flow.h>
#include <cstrace/isa.h>
#include <cstrace/packet.h>

#include "base/text.h"
#include "protocols/etmv4d/etmv4d.h"

typedef size_t print_fn(const void *what, char *out, size_t cap);

static size_t print_packet(const void *what, char *out, size_t cap)
{
	return cst_packet_text(what, out, cap);
}

static size_t print_element(const void *what, char *out, size_t cap)
{
	return cst_generic_text(what, out, cap);
}

/* snprintf's rule at every size: exact allocations let the sanitizer see a byte too many. */
static void check_sizes(print_fn *print, const void *what)
{
	char whole[1024], *part;
	size_t n = print(what, whole, sizeof(whole)), cap;

	assert_in_range(n, 1, sizeof(whole) - 1);
	assert_int_equal(strlen(whole), n);
	assert_int_equal(print(what, NULL, 0), n);
	for (cap = 1; cap <= n + 2; cap++) {
		part = malloc(cap);
		assert_non_null(part);
		assert_int_equal(print(what, part, cap), n);
		assert_int_equal(strlen(part), cap <= n ? cap - 1 : n);
		assert_memory_equal(part, whole, strlen(part));
		free(part);
	}
}

/* Listings put texts into lines, and JSON between quotes. */
static void check_text(const char *text)
{
	assert_null(strstr(text, "(null)"));
	for (; *text; text++)
		assert_true(*text >= ' ' && *text < 0x7f && *text != '"' && *text != '\\');
}

/* Every type of every protocol has a text; no field, whatever it holds, leads out of a table. */
static void test_any_packet(void **state)
{
	static const unsigned int types[CST_PROTOCOLS] = {
		[CST_PROTO_ETMV4] = 256, [CST_PROTO_ETE] = 256, [CST_PROTO_ETMV3] = CST_ETMV3_PKT_TYPES,
		[CST_PROTO_PTM] = CST_PTM_PKT_TYPES, [CST_PROTO_STM] = CST_STM_PKT_TYPES,
		[CST_PROTO_ITM] = CST_ITM_PKT_TYPES, [CST_PROTO_ETMV4_DATA] = CST_ETMV4D_PKT_TYPES,
	};
	struct cst_packet p;
	char out[512];
	unsigned int protocol, type, fill;

	(void)state;
	for (protocol = CST_PROTO_ETMV4; protocol < CST_PROTOCOLS; protocol++)
		for (type = 0; type < 256; type++)
			for (fill = 0; fill < 256; fill += 15) {
				memset(&p, (int)fill, sizeof(p));
				p.struct_size = 0;
				p.type = (uint8_t)type;
				p.protocol = (uint8_t)protocol;
				assert_true(cst_packet_text(&p, out, sizeof(out)) < sizeof(out));
				check_text(out);
				if (fill == 15 && *out)
					check_sizes(print_packet, &p);
				if (type < types[protocol])
					assert_non_null(strchr(out, ':'));
				if (protocol == CST_PROTO_ETMV4 || protocol == CST_PROTO_ETE)
					assert_memory_equal(out, "I_", 2);
			}
}

static void test_any_element(void **state)
{
	struct cst_generic g;
	char out[512];
	unsigned int type, fill;

	(void)state;
	for (type = 0; type < 256; type++)
		for (fill = 0; fill < 256; fill += 15) {
			memset(&g, (int)fill, sizeof(g));
			g.kind = (uint8_t)type;
			assert_true(cst_generic_text(&g, out, sizeof(out)) < sizeof(out));
			check_text(out);
			if (fill == 15)
				check_sizes(print_element, &g);
			assert_int_equal(out[strlen(out) - 1], ')');
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_packet), cmocka_unit_test(test_any_element),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
