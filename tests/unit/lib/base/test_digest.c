/* SPDX-License-Identifier: BSD-3-Clause */
/* test_digest.c - digests of trace elements: what a kind has makes a difference, and what it does not have makes none. */
#include <stdbool.h>

#include "unit/lib_decode.h"
#include "base/digest.h"

/* A letter for each field of struct cst_element that only some kinds have. */
#define FIELDS "nsbeavcx"

static const struct {
	uint8_t kind, flags;
	const char *has, *may_have;	/* fields that make a difference; that this test leaves open */
} rows[] = {
	{ CST_EL_ATOMS, 0, "nbe", "" }, { CST_EL_ATOMS, CST_EL_F_CC, "nbec", "" },
	{ CST_EL_ADDRESS, 0, "as", "" },
	{ CST_EL_CONTEXT, 0, "x", "c" }, { CST_EL_CONTEXT, CST_EL_F_ADDRESS, "xs", "c" },
	{ CST_EL_EXCEPTION, 0, "", "" }, { CST_EL_EXCEPTION, CST_EL_F_ADDRESS, "as", "" },
	{ CST_EL_EXC_RETURN, 0, "", "" },
	{ CST_EL_Q, 0, "", "" }, { CST_EL_Q, CST_EL_F_COUNT, "v", "" }, { CST_EL_Q, CST_EL_F_COUNT | CST_EL_F_ADDRESS, "vas", "" },
	{ CST_EL_SOURCE_ADDRESS, 0, "as", "" },
	{ CST_EL_TRACE_ON, 0, "", "c" }, { CST_EL_TRACE_INFO, 0, "", "" }, { CST_EL_EVENT, 0, "", "" }, { CST_EL_END, 0, "", "" },
	{ CST_EL_TRANS_START, 0, "", "" }, { CST_EL_FUNC_RETURN, 0, "", "" }, { CST_EL_COND_FLUSH, 0, "", "" },
	{ CST_EL_TIMESTAMP, 0, "v", "a" }, { CST_EL_TIMESTAMP, CST_EL_F_CC, "vc", "a" },
	{ CST_EL_CYCLE_COUNT, 0, "", "" }, { CST_EL_CYCLE_COUNT, CST_EL_F_CC, "c", "" },
	{ CST_EL_TS_MARKER, 0, "v", "" }, { CST_EL_INSTRUMENTATION, 0, "v", "" }, { CST_EL_NO_SYNC, 0, "v", "" },
	{ CST_EL_COND_INSN, 0, "v", "" }, { CST_EL_COND_RESULT, 0, "v", "" },
	{ CST_EL_BRANCH, 0, "as", "n" }, { CST_EL_BRANCH, CST_EL_F_CC, "asc", "n" }, { CST_EL_WAYPOINT, 0, "as", "n" },
	{ CST_EL_VECTOR, CST_EL_F_CC, "asc", "n" },
	{ CST_EL_DATA, 0, "asnv", "" }, { CST_EL_DATA, CST_EL_F_CC, "asnvc", "" },
};

static void change(struct cst_element *e, char field)
{
	switch (field) {
	case 'n':
		e->n++;
		break;
	case 's':
		e->is ^= 1;
		break;
	case 'b':
		e->bits ^= 1u << 31;
		break;
	case 'e':
		e->first_e ^= 1u << 31;
		break;
	case 'a':
		e->addr ^= 1ull << 63;
		break;
	case 'v':
		e->value ^= 1ull << 63;
		break;
	case 'c':
		e->cc ^= 1u << 31;
		break;
	default:
		e->ctx.context_id++;
	}
}

static void test_fields(void **state)
{
	struct cst_element e, other;
	const char *field;
	uint64_t digest;
	unsigned int i;
	bool has;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		e = (struct cst_element){ .kind = rows[i].kind, .flags = rows[i].flags, .index = 7, .num = 3, .n = 5, .bits = 0x16,
					  .addr = 0x8000, .value = 9, .cc = 4, .ctx = { .context_id = 1 } };
		digest = cst_digest_element(DIGEST_START, &e);
		assert_int_equal(cst_digest_element(DIGEST_START, &e), digest);
		assert_true(cst_digest_element(DIGEST_START + 1, &e) != digest);
		for (field = FIELDS; *field; field++) {
			if (strchr(rows[i].may_have, *field))
				continue;
			other = e;
			change(&other, *field);
			has = strchr(rows[i].has, *field);
			if ((cst_digest_element(DIGEST_START, &other) != digest) != has)
				fail_msg("kind %u, flags %u: field '%c' makes %s difference", e.kind, e.flags, *field, has ? "no" : "a");
		}
		other = e;
		other.index++;
		assert_true(cst_digest_element(DIGEST_START, &other) != digest);
		other = e;
		other.num++;
		assert_true(cst_digest_element(DIGEST_START, &other) != digest);
		other = e;
		other.flags ^= CST_EL_F_DOUBTFUL;
		assert_true(cst_digest_element(DIGEST_START, &other) != digest);
	}
}

/* Every field of a context. */
static void test_context(void **state)
{
	static const struct cst_context contexts[] = {
		{ .context_id = 0 }, { .context_id = 1 }, { .vmid = 1 }, { .el = 1 }, { .security = 1 }, { .bits64 = 1 }, { .flags = 1 },
	};
	uint64_t digest[sizeof(contexts) / sizeof(contexts[0])];
	struct cst_element e = { .kind = CST_EL_CONTEXT };
	unsigned int i, k;

	(void)state;
	for (i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
		e.ctx = contexts[i];
		digest[i] = cst_digest_element(DIGEST_START, &e);
		for (k = 0; k < i; k++)
			assert_true(digest[k] != digest[i]);
	}
}

/* An element that is ready: each byte of what it stands for. */
static void test_ready(void **state)
{
	struct cst_generic g = { .addr = 1 };
	const struct cst_element e = { .kind = CST_EL_READY, .ready = &g };
	const uint64_t digest = cst_digest_element(DIGEST_START, &e);
	uint8_t *bytes = (uint8_t *)&g;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(g); i++) {
		bytes[i] ^= 0x80;
		assert_true(cst_digest_element(DIGEST_START, &e) != digest);
		bytes[i] ^= 0x80;
	}
	assert_int_equal(cst_digest_element(DIGEST_START, &e), digest);
}

/* Bytes of any number: each makes a difference, and so do zeros behind the others. */
static void test_bytes(void **state)
{
	uint8_t bytes[20] = { 0 };
	uint64_t digest;
	size_t n, i;

	(void)state;
	for (n = 0; n < sizeof(bytes); n++) {
		digest = cst_digest_bytes(DIGEST_START, bytes, n);
		assert_true(cst_digest_bytes(DIGEST_START, bytes, n + 1) != digest);
		for (i = 0; i < n; i++) {
			bytes[i] = 1;
			assert_true(cst_digest_bytes(DIGEST_START, bytes, n) != digest);
			bytes[i] = 0;
		}
		bytes[n] = 1;
		assert_int_equal(cst_digest_bytes(DIGEST_START, bytes, n), digest);
		bytes[n] = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_context),
		cmocka_unit_test(test_ready),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
