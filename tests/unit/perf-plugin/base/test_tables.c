/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of numbers and of an array's entries, arrays that grow, signals of threads. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/array.h"
#include "base/intmap.h"
#include "base/slots.h"
#include "base/thread.h"

#define KEYS	600u

/* Small numbers of both signs, and multiples of large powers of two. */
static int64_t key_of(unsigned int i)
{
	const int64_t n = i;

	return i % 4 == 0 ? n : i % 4 == 1 ? -n : n << (i % 4 == 2 ? 20 : 40);
}

static void check_all(const struct intmap *m, void *const *model)
{
	unsigned int i;
	size_t used = 0;

	for (i = 0; i < KEYS; i++) {
		assert_ptr_equal(intmap_get(m, key_of(i)), model[i]);
		used += model[i] != NULL;
	}
	assert_int_equal(m->used, used);
	for (i = 0; i < m->size; i++)
		used -= m->slot[i].value != NULL;
	assert_int_equal(used, 0);
}

/* Values are put, replaced and removed at random; the map always has what an array by number has. */
static void numbers(void **state)
{
	static void *model[KEYS];
	struct intmap m = { .slot = NULL };
	uint64_t seed = 1;
	unsigned int step, i;

	(void)state;
	assert_null(intmap_get(&m, 0));
	intmap_remove(&m, 0);
	for (step = 0; step < 20000; step++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		i = (unsigned int)(seed >> 33) % KEYS;
		if (seed >> 60 < (step / 2000 % 2 ? 4 : 12)) {
			model[i] = &model[step % KEYS];
			intmap_put(&m, key_of(i), model[i]);
		} else {
			model[i] = NULL;
			intmap_remove(&m, key_of(i));
		}
		assert_ptr_equal(intmap_get(&m, key_of(i)), model[i]);
		assert_true(2 * m.used <= m.size);
		if (step % 50 == 0)
			check_all(&m, model);
	}
	check_all(&m, model);
	intmap_free(&m);
	assert_int_equal(m.size + m.used, 0);
	assert_null(intmap_get(&m, 0));
}

static void arrays(void **state)
{
	uint32_t *v = NULL, *to;
	size_t nr = 0, cap = 0;
	uint32_t i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		to = ARRAY_ADD(v, nr, cap);
		assert_non_null(to);
		assert_true(to == v + i && nr == i + 1 && nr <= cap);
		*to = i;
	}
	for (i = 0; i < 1000; i++)
		assert_int_equal(v[i], i);
	free(v);
}

static void *signals_of_thread(void *set)
{
	pthread_sigmask(SIG_SETMASK, NULL, set);
	return set;
}

/* Signals are for the first thread; those of a thread's own accesses it gets itself. */
static void signals(void **state)
{
	sigset_t before, of_thread, after;
	pthread_t t;
	int i;

	(void)state;
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(thread_start(&t, signals_of_thread, &of_thread), 0);
	pthread_join(t, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	for (i = 1; i <= SIGSYS; i++) {
		assert_int_equal(sigismember(&after, i), sigismember(&before, i));
		if (i != SIGKILL && i != SIGSTOP)
			assert_int_equal(sigismember(&of_thread, i), i != SIGBUS && i != SIGSEGV);
	}
}

#define N	5000u

static uint64_t seventh(const void *array, uint32_t i)
{
	return ((const uint32_t *)array)[i] % 7;
}

static uint32_t find(const struct slots *s, const uint32_t *v, uint32_t key)
{
	size_t at;

	SLOTS_FIND(s, at, key % 7, v[s->v[at] - 1] == key);
	return s->v[at];
}

static void indexes(void **state)
{
	static uint32_t v[N];
	struct slots s = { .v = NULL };
	uint32_t i;
	size_t at;

	(void)state;
	for (i = 0; i < N; i++) {
		slots_reserve(&s, i, v, seventh);
		assert_int_equal(find(&s, v, 3 * i), 0);
		SLOTS_FIND(&s, at, 3 * i % 7, v[s.v[at] - 1] == 3 * i);
		v[i] = 3 * i;
		s.v[at] = i + 1;
	}
	assert_true(s.size >= 2 * N);
	for (i = 0; i < N; i++)
		assert_int_equal(find(&s, v, 3 * i), i + 1);
	for (i = 0; i < N; i++)
		v[i] = 3 * (N - 1 - i);
	slots_rebuild(&s, N, v, seventh);
	for (i = 0; i < N; i++)
		assert_int_equal(find(&s, v, 3 * i), N - i);
	assert_int_equal(find(&s, v, 1), 0);
	slots_free(&s);
	slots_rebuild(&s, 0, NULL, seventh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(indexes), cmocka_unit_test(numbers),
		cmocka_unit_test(arrays), cmocka_unit_test(signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
