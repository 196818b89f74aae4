/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of the reference decoder's quirks: each has its section and a listing that shows it, and none holds by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <cstrace/cstrace.h>

#include "base/quirks.h"

static const struct {
	const char *what, *section, *listing;
} rows[] = {
#define QUIRK(name, what, section, listing) { what, section, listing },
#include "base/quirks.def"
#undef QUIRK
};

static void test_rows(void **state)
{
	const char *shared = getenv("CSTRACE_SHARED");
	char path[512];
	size_t i;

	(void)state;
	for (i = 0; i < QUIRKS; i++) {
		assert_true(*rows[i].what && *rows[i].section);
		if (strchr(rows[i].listing, '.'))
			snprintf(path, sizeof(path), "tests/data/golden/%s", rows[i].listing);
		else if (shared && !access(shared, R_OK))
			snprintf(path, sizeof(path), "%s/corpus/golden-opencsd-1.8/%s.ppl.xz", shared, rows[i].listing);
		else
			continue;
		if (access(path, R_OK))
			fail_msg("%s: not there", path);
	}
}

/* The client's switch sets all of them; what it writes into the mask does not count. */
static void test_switch(void **state)
{
	struct cst_config cfg = { .protocol = CST_PROTO_PTM, .trace_id = 0x10, .quirks = 1 };
	struct cst_decoder *dec;

	(void)state;
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	assert_int_equal(cst_decoder_config(dec)->quirks, 0);
	cst_decoder_free(dec);
	cfg.as_reference = 1;
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	assert_int_equal(cst_decoder_config(dec)->quirks, (1u << QUIRKS) - 1);
	assert_true(quirk(cst_decoder_config(dec), QUIRKS - 1) && !quirk(&(struct cst_config){ 0 }, 0));
	assert_true(cst_index_config(cst_decoder_config(dec)) == cst_index_config(&cfg));
	cst_decoder_free(dec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
