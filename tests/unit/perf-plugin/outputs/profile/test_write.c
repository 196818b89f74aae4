/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles that are not written or lack something, and which binary a profile is of. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "counting/counts/stored.h"
#include "machine/images/dso.h"
#include "outputs/profile/choose.h"
#include "outputs/profile/formats.h"
#include "outputs/profile/places.h"
#include "unit/perf-plugin/said.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define NO	CST_COUNT_NO_BINARY
#define OUT	CST_COUNT_OUTSIDE

static struct said said;

static void add(struct model *m, struct cst_count_record rec)
{
	assert_int_equal(model_add(m, &rec), 0);
}

static void total(struct model *m, const char *name, uint64_t value)
{
	add(m, (struct cst_count_record){ .kind = CST_COUNT_TOTAL, .total = { name, value } });
}

/* Adds a binary that executed `insns` instructions. */
static void binary(struct model *m, const char *name, uint8_t type, uint64_t insns)
{
	add(m, (struct cst_count_record){ .kind = CST_COUNT_BINARY, .binary = { .name = name, .type = type } });
	if (insns)
		add(m, (struct cst_count_record){ .kind = CST_COUNT_RANGE,
						  .range = { .binary = (uint32_t)(m->nr_binaries - 1), .insns = 1, .count = insns } });
}

static struct pd_output output_of(const char *path)
{
	struct pd_output out;
	int fd = open(path, O_WRONLY);

	assert_true(fd >= 0);
	pd_output_fd(&out, fd, "profile");
	return out;
}

/* Writes a format of all binaries to `path`. Returns the result, with the messages in `said`. */
static int whole(const char *format, const struct model *m, const struct model_binary *only, const char *path)
{
	struct whole w = { .model = m, .only = only, .places = places_new(m) };
	struct pd_output out = output_of(path);
	int fd = out.fd, rc;

	assert_non_null(w.places);
	said_begin(&said);
	rc = profile_write_whole(&out, profile_format_find(format), &w);
	said_end(&said);
	close(fd);
	places_free(w.places);
	return rc;
}

static struct model calls(void)
{
	struct model m;

	model_init(&m);
	total(&m, "instructions.elsewhere", 4);
	binary(&m, "method", CST_COUNT_JIT, 5);
	binary(&m, "/lib/none", CST_COUNT_FILE, 3);
	binary(&m, "/lib/unused", CST_COUNT_FILE, 0);
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_NODE, .node = { 0, CST_COUNT_ROOT, NO, 0, OUT, 0, 0, 5 } });
	return m;
}

/* Writes a format of the first binary to `path`. */
static int written(const char *format, const struct model *m, const char *path)
{
	const struct profile_format *f = profile_format_find(format);
	struct pd_output out = output_of(path);
	int fd = out.fd, rc;

	said_begin(&said);
	rc = profile_write(&out, f, f->base, &m->binaries[0]);
	said_end(&said);
	close(fd);
	return rc;
}

/* An output that cannot be written is an error with its reason, whatever else there is to report. */
static void not_written(void **state)
{
	struct model m = calls();

	(void)state;
	assert_int_equal(whole("top", &m, NULL, "/dev/full"), ERR_REPORTED);
	assert_non_null(strstr(said.text, "No space left on device"));
	assert_null(strstr(said.text, "calling contexts"));
	assert_int_equal(written("llvm", &m, "/dev/full"), ERR_REPORTED);
	assert_non_null(strstr(said.text, "No space left on device"));
	assert_null(strstr(said.text, "ranges"));
	model_free(&m);
}

/* Of a binary whose file is not here: what the format would need of it. */
static void needed(void **state)
{
	static const char sections[] = "a kernel module's addresses are known by its sections",
			  stubs[] = "the linker's stubs (PLT), which perf2bolt does not accept, are not left out";
	static const struct {
		const char *format;
		uint8_t type;
		bool here;
		const char *lacks;	/* NULL: nothing */
	} row[] = {
		{ "bolt", CST_COUNT_FILE, false, stubs }, { "bolt", CST_COUNT_FILE, true, NULL }, { "bolt", CST_COUNT_MODULE, false, sections },
		{ "bolt", CST_COUNT_JIT, false, NULL }, { "bolt", CST_COUNT_MEMORY, false, NULL }, { "autofdo", CST_COUNT_FILE, false, NULL },
		{ "autofdo", CST_COUNT_MODULE, false, sections }, { "autofdo", CST_COUNT_MODULE, true, NULL }, { "llvm", CST_COUNT_KERNEL, false, NULL },
	};
	struct dso here = { .path = (char *)"/bin/a",
			    .image.file = (char *)"/bin/a",
			    .state = DSO_LOADED,
			    .kind = DSO_FILE };
	struct model m;
	char want[512];
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(row); i++) {
		model_init(&m);
		binary(&m, "/bin/a", row[i].type, 7);
		m.binaries[0].dso = row[i].here ? &here : NULL;
		if (written(row[i].format, &m, "/dev/null") != (row[i].lacks ? 1 : 0))
			fail_msg("case %zu: %s", i, said.text);
		n = (size_t)snprintf(want, sizeof(want), "cstrace profile: /bin/a: 1 ranges, 0 edges, 7 instructions, 0 branches (0 inside "
				     "the binary)\n");
		if (row[i].lacks)
			snprintf(want + n, sizeof(want) - n, "cstrace profile: /bin/a: its file is missing: %s; give the directory with "
				 "the target's files with --symfs DIR\n", row[i].lacks);
		assert_string_equal(said.text, want);
		model_free(&m);
	}
}

/* The program that a profile is of, unless another one is named: the only binary, or the only one that is a program. */
static void main_binary(void **state)
{
	struct model m;
	struct model_binary *v[5];
	size_t i;

	(void)state;
	model_init(&m);
	binary(&m, "/lib/a.so", CST_COUNT_FILE, 9);
	binary(&m, "/bin/p", CST_COUNT_FILE, 8);
	binary(&m, "[vdso]", CST_COUNT_MEMORY, 7);
	binary(&m, "/bin/q", CST_COUNT_FILE, 0);
	binary(&m, "java.lang.String.hashCode()", CST_COUNT_JIT, 9);
	for (i = 0; i < 5; i++)
		v[i] = &m.binaries[i];
	assert_ptr_equal(choose_main(v, 1), v[0]);
	assert_ptr_equal(choose_main(v, 3), v[1]);
	assert_null(choose_main(v, 4));
	assert_null(choose_main(v, 0));
	assert_ptr_equal(choose_main(v + 3, 2), v[3]);
	assert_ptr_equal(choose_main(v + 4, 1), v[4]);
	assert_ptr_equal(choose_first(v, 5), v[1]);
	assert_ptr_equal(choose_first(v, 1), v[0]);
	assert_null(choose_first(v, 0));
	assert_false(choose_empty(v[0]));
	assert_true(choose_empty(v[3]));
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_EDGE, .edge = { .binary = 3, .to = OUT, .count = 1 } });
	assert_false(choose_empty(v[3]));
	model_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_written), cmocka_unit_test(needed),
		cmocka_unit_test(main_binary),
	};

	return cmocka_run_group_tests_name("profile messages", tests, NULL, NULL);
}
