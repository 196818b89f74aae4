/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_print_tables.c - the text of every packet type and every kind of element, with each field varied by itself, against
 * tests/data/tables/packets-and-elements.txt: names, exceptions, sections and numbers that recorded traces seldom have. A line
 * that changed is a claim about the texts: read it, then write the file anew with
 * `REBASE=1 build/tests/unit/lib/protocols/test_print_tables`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cstrace/config.h>
#include <cstrace/flow.h>
#include <cstrace/packet.h>

#include "unit/golden_text.h"

#define GOLDEN	"tests/data/tables/packets-and-elements.txt"

static struct {
	char *text;
	size_t used, size;
	size_t first;	/* where the lines begin among which each text is there once */
} all;

static void put_line(const char *text)
{
	const size_t len = strlen(text);
	const char *p;

	for (p = all.text + all.first; p && p < all.text + all.used; p = strchr(p, '\n') + 1)
		if (!strncmp(p, text, len) && p[len] == '\n')
			return;
	if (all.used + len + 2 > all.size) {
		all.size = 2 * all.size + len + 2;
		all.text = realloc(all.text, all.size);
		assert_non_null(all.text);
	}
	memcpy(all.text + all.used, text, len);
	all.used += len;
	all.text[all.used++] = '\n';
	all.text[all.used] = '\0';
}

static void begin(const char *what, unsigned int a, unsigned int b)
{
	char head[64];

	snprintf(head, sizeof(head), "-- %s %u, %u", what, a, b);
	put_line(head);
}

/* Fields that are varied by themselves: offset, bytes. */
struct field {
	size_t at;
	uint8_t size;
};
#define FIELD(type, name) { offsetof(struct type, name), sizeof(((struct type *)0)->name) }

static void set_field(void *what, const struct field *f, uint64_t value)
{
	uint8_t *p = (uint8_t *)what + f->at;

	switch (f->size) {
	case 1: *p = (uint8_t)value; break;
	case 2: *(uint16_t *)p = (uint16_t)value; break;
	case 4: *(uint32_t *)p = (uint32_t)value; break;
	default: *(uint64_t *)p = value; break;
	}
}

typedef size_t (*text_fn)(const void *what, char *out, size_t cap);

static size_t packet_text(const void *what, char *out, size_t cap)
{
	return cst_packet_text(what, out, cap);
}

static size_t generic_text(const void *what, char *out, size_t cap)
{
	return cst_generic_text(what, out, cap);
}

static void put(text_fn text, const void *what)
{
	char out[1024];

	assert_true(text(what, out, sizeof(out)) < sizeof(out));
	put_line(out);
}

/* Each field with some values, the others as in `base` of `size` bytes. */
static void vary(text_fn text, const void *base, size_t size, const struct field *f, size_t n)
{
	static const uint64_t values[] = { 0, 1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 64, 255, UINT64_MAX };
	union {
		struct cst_packet p;
		struct cst_generic g;
	} own;
	size_t i, k;

	put(text, base);
	for (i = 0; i < n; i++)
		for (k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
			memcpy(&own, base, size);
			set_field(&own, &f[i], values[k]);
			put(text, &own);
		}
}

static const struct field packet_fields[] = {
	FIELD(cst_packet, is), FIELD(cst_packet, addr_bits), FIELD(cst_packet, match), FIELD(cst_packet, n_atoms),
	FIELD(cst_packet, q_type), FIELD(cst_packet, ts_bits), FIELD(cst_packet, el), FIELD(cst_packet, sf),
	FIELD(cst_packet, security), FIELD(cst_packet, event), FIELD(cst_packet, cid), FIELD(cst_packet, vmid), FIELD(cst_packet, cc),
	FIELD(cst_packet, count), FIELD(cst_packet, info), FIELD(cst_packet, key), FIELD(cst_packet, isa), FIELD(cst_packet, vsize),
	FIELD(cst_packet, tag), FIELD(cst_packet, header), FIELD(cst_packet, nbytes),
};

static struct cst_packet a_packet(unsigned int protocol, unsigned int type)
{
	struct cst_packet p = {
		.index = 0x1234, .size = 6, .protocol = (uint8_t)protocol, .type = (uint8_t)type, .header = 0x71, .addr_bits = 17,
		.n_atoms = 5, .atoms = 0x15, .ts_bits = 20, .vmid = 0x12, .cid = 0x3456, .addr = 0x123456789abcdef0, .ts = 0xfedcba98765,
		.cc = 77, .commit = 3, .count = 9, .info = 0x3, .key = 6, .spec = 4, .cyct = 0x20, .value = 0xa1b2c3d4, .vsize = 4,
		.nbytes = 6, .bytes = { 0x71, 0x23, 0x45, 0x67, 0x89, 0xab }, .event = 5, .exc_type = 3, .match = 1,
	};

	return p;
}

static void packets_of(unsigned int protocol, unsigned int types)
{
	struct cst_packet base, p;
	unsigned int type, bit, i;

	/* ETE: what differs from ETMv4 */
	if (protocol != CST_PROTO_ETE)
		all.first = all.used;
	for (type = 0; type <= types; type++) {
		begin("packet", protocol, type);
		base = a_packet(protocol, type);
		for (bit = 0; bit < 33; bit++) {
			base.flags = bit < 32 ? 1u << bit : ~0u;
			put(packet_text, &base);
		}
		base.flags = 0;
		vary(packet_text, &base, sizeof(base), packet_fields, sizeof(packet_fields) / sizeof(packet_fields[0]));
		base.flags = ~0u & ~(uint32_t)CST_PF_M_PROFILE;
		vary(packet_text, &base, sizeof(base), packet_fields, sizeof(packet_fields) / sizeof(packet_fields[0]));
		for (i = 0; i < 4 * 0x40; i++) {
			p = base;
			p.flags = i & 1 ? CST_PF_M_PROFILE : 0;
			p.exc_type = (uint16_t)(i >> 2 | (i & 2 ? 0x200 : 0));
			put(packet_text, &p);
		}
		for (i = 0x3ed; i < 0x3f3; i++) {
			p.flags = CST_PF_M_PROFILE;
			p.exc_type = (uint16_t)i;
			put(packet_text, &p);
		}
		for (i = 0; i <= types; i++) {
			p = base;
			p.flags = 0;
			p.bad_type = (uint8_t)i;
			put(packet_text, &p);
		}
	}
}

static const struct field generic_fields[] = {
	FIELD(cst_generic, flags), FIELD(cst_generic, num), FIELD(cst_generic, isa), FIELD(cst_generic, last_type),
	FIELD(cst_generic, last_subtype), FIELD(cst_generic, last_size), FIELD(cst_generic, el), FIELD(cst_generic, security),
	FIELD(cst_generic, n_insn), FIELD(cst_generic, cc), FIELD(cst_generic, addr), FIELD(cst_generic, end),
	FIELD(cst_generic, error),
};

static void elements(void)
{
	struct cst_generic base, g;
	unsigned int kind, bit, i;

	all.first = all.used;
	for (kind = 0; kind <= CST_GEN_BARRIER + 1; kind++) {
		begin("element", kind, 0);
		base = (struct cst_generic){ .index = 9, .addr = 0x8000, .end = 0x8010, .n_insn = 4, .cc = 5, .context_id = 0x77,
					     .vmid = 0x66, .section = 2, .kind = (uint8_t)kind, .el = 1, .num = 1,
					     .isa = 1, .last_type = 1, .last_size = 4, .sect_off = 0x40 };
		vary(generic_text, &base, sizeof(base), generic_fields, sizeof(generic_fields) / sizeof(generic_fields[0]));
		for (bit = 0; bit < 16; bit++)
			for (i = 0; i < 16; i++) {
				g = base;
				g.flags = (uint16_t)(1u << bit);
				g.num = (uint16_t)(1u << i);
				put(generic_text, &g);
			}
		for (i = 0; i < 0x40; i++) {
			g = base;
			g.num = (uint16_t)i;
			g.isa = (uint8_t)(i & 7);
			g.last_type = (uint8_t)(i & 7);
			g.last_subtype = (uint8_t)(i >> 3);
			g.flags = CST_GF_EXEC | CST_GF_EL;
			put(generic_text, &g);
		}
	}
}

static void tables(void **state)
{
	static const unsigned int types[CST_PROTOCOLS] = {
		[CST_PROTO_ETMV4] = CST_PKT_TYPES, [CST_PROTO_ETE] = CST_PKT_TYPES, [CST_PROTO_ETMV3] = CST_ETMV3_PKT_TYPES,
		[CST_PROTO_PTM] = CST_PTM_PKT_TYPES, [CST_PROTO_STM] = CST_STM_PKT_TYPES, [CST_PROTO_ITM] = CST_ITM_PKT_TYPES,
		[CST_PROTO_ETMV4_DATA] = CST_ETMV4D_PKT_TYPES,
	};
	unsigned int protocol;

	(void)state;
	for (protocol = CST_PROTO_ETMV4; protocol <= CST_PROTO_ITM; protocol++)
		packets_of(protocol, types[protocol]);
	elements();
	golden_text(GOLDEN, all.text);
	free(all.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(tables) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
