/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of a session's files are listed: those whose code ran, those that were read, those that are missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "session/internal.h"

static char here[] = "/here";

enum { USED = 1, READ = 2 };

static const struct {
	struct dso dso;
	unsigned int lists;
} cases[] = {
	{ { .kind = DSO_FILE, .state = DSO_LOADED, .file = here, .used = true }, USED | READ },
	{ { .kind = DSO_FILE, .state = DSO_LOADED, .file = here }, 0 },
	{ { .kind = DSO_FILE, .state = DSO_LOADED, .used = true }, USED },
	{ { .kind = DSO_FILE, .state = DSO_MISSING, .file = here, .used = true }, 0 },
	{ { .kind = DSO_FILE, .state = DSO_REFUSED, .file = here, .used = true }, 0 },
	{ { .kind = DSO_VMLINUX, .state = DSO_LOADED, .file = here }, READ },
	{ { .kind = DSO_VMLINUX, .state = DSO_LOADED }, 0 },
	{ { .kind = DSO_VMLINUX, .state = DSO_REFUSED, .file = here }, 0 },
	{ { .kind = DSO_MODULE, .state = DSO_LOADED, .file = here, .used = true }, USED | READ },
	{ { .kind = DSO_MODULE, .state = DSO_LOADED, .file = here }, 0 },
	{ { .kind = DSO_JIT, .state = DSO_LOADED }, READ },
	{ { .kind = DSO_JIT, .state = DSO_MISSING }, READ },
	{ { .kind = DSO_KCORE, .state = DSO_LOADED }, READ },
	{ { .kind = DSO_KCORE, .state = DSO_MISSING }, READ },
	{ { .kind = DSO_KCORE, .state = DSO_LOADED, .used = true }, USED | READ },
};

#define NR (sizeof(cases) / sizeof(cases[0]))

static void check_list(const struct session *ss, struct dso *(*next)(const struct session *, size_t *), unsigned int list)
{
	struct dso *d = NULL;
	size_t pos = 0, i;

	for (i = 0; i < NR; i++) {
		if (!(cases[i].lists & list))
			continue;
		d = next(ss, &pos);
		assert_ptr_equal(d, ss->images.dsos.all[i]);
	}
	assert_null(next(ss, &pos));
	assert_null(next(ss, &pos));
}

static void lists(void **state)
{
	struct dso dsos[NR], *all[NR];
	struct session ss = { .images.dsos = { .all = all, .nr = NR } };
	size_t i;

	(void)state;
	for (i = 0; i < NR; i++) {
		dsos[i] = cases[i].dso;
		all[i] = &dsos[i];
	}
	check_list(&ss, session_next_used, USED);
	check_list(&ss, session_next_read, READ);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
