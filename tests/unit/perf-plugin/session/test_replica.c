/* SPDX-License-Identifier: BSD-3-Clause */
/* Replicas of a session, with which other threads decode: what they copy, when there is none, and what they give back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <unistd.h>

#include "unit/perf-plugin/who_build.h"
#include "unit/perf-plugin/session_open.h"

static struct session *ss;

static int set_up(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };

	(void)state;
	two_processes(&data, CID | TS, IDR2(4, 0));
	r_asid(&data, 20, 5, 1000, PD_CST_START);
	r_asid(&data, 200, 5, 1000, PD_CST_END);
	r_asid(&data, 300, 5, 2000, PD_CST_START);
	r_asid(&data, 250, 8, 2000, PD_CST_CURRENT);
	t_sync(&trace);
	asid_stretch(&trace, 100, 5);
	sb_stretch(&data, &trace, 0, SB_RAW);
	ss = sb_open(&data, &(struct session_opts){ .symfs = dir, .buildid_dir = "/nonexistent" }, NULL);
	pdb_free(&trace);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	session_close(ss);
	return 0;
}

static struct session *replica(void)
{
	struct session *rep;

	session_before_replicas(ss);
	rep = session_replica(ss);
	assert_non_null(rep);
	return rep;
}

/* The replica has the package's files in the same order, with the same numbers. */
static void bundles(void **state)
{
	struct dso_bundle *b = &ss->images.dsos.search.bundle;
	const struct dso_bundle *copy;
	struct session *rep;

	(void)state;
	dso_places_add(&b->images, "/z", "first");
	dso_places_add(&b->images, "/a", "second");
	dso_places_add(&b->images, "/z", "third");
	rep = replica();
	copy = &rep->images.dsos.search.bundle;
	assert_int_equal(copy->images.nr, 3);
	assert_true(copy->images.sorted);
	assert_string_equal(dso_places_find(&rep->images.dsos.search.bundle.images, "/z", 0)->file, "first");
	assert_int_equal(dso_places_find(&rep->images.dsos.search.bundle.images, "/z", 0)->number,
			 dso_places_find(&b->images, "/z", 0)->number);
	assert_string_equal(dso_places_find(&rep->images.dsos.search.bundle.images, "/z", 1)->file, "third");
	assert_int_equal(dso_places_find(&rep->images.dsos.search.bundle.images, "/z", 1)->number,
			 dso_places_find(&b->images, "/z", 1)->number);
	assert_int_not_equal(dso_places_find(&b->images, "/z", 0)->number, dso_places_find(&b->images, "/z", 1)->number);
	assert_null(dso_places_find(&rep->images.dsos.search.bundle.images, "/z", 2));
	assert_null(copy->kallsyms);
	assert_null(copy->kcore);
	session_replica_free(rep);
}

/* Files that are not found in the same order: there is no replica, and the session decodes alone. */
static void other_files(void **state)
{
	struct dso_table *t = &ss->images.dsos;
	size_t last = t->nr - 1;
	struct dso *kept;

	(void)state;
	assert_true(t->nr >= 2);
	session_replica_free(replica());
	t->nr--;
	assert_null(session_replica(ss));
	t->nr++;
	kept = t->all[0];
	t->all[0] = t->all[last];
	t->all[last] = kept;
	assert_null(session_replica(ss));
	t->all[last] = t->all[0];
	t->all[0] = kept;
	kept->kind++;
	assert_null(session_replica(ss));
	kept->kind--;
	session_replica_free(replica());
}

/* What a replica found out of a file that the session has loaded itself. */
static void trouble_comes_back(void **state)
{
	struct session *rep = replica();
	struct dso *to = ss->images.dsos.all[0], *from = rep->images.dsos.all[0];

	(void)state;
	to->state = from->state = DSO_LOADED;
	to->trouble = DSO_FINE;
	from->trouble = DSO_BAD_ELF;
	session_adopt_files(ss, rep);
	assert_int_equal(to->trouble, DSO_FINE);
	from->trouble = DSO_UNALIGNED;
	session_adopt_files(ss, rep);
	assert_int_equal(to->trouble, DSO_UNALIGNED);
	to->state = from->state = DSO_UNTRIED;
	session_replica_free(rep);
}

static int count_packets(void *data, const struct stream *s, const struct cst_packet *pkt)
{
	(void)s;
	(void)pkt;
	++*(unsigned int *)data;
	return 0;
}

/* What a run prints on stderr. */
static const char *run(const struct consumer *con)
{
	static char text[1000];
	FILE *f = tmpfile();
	int saved = dup(STDERR_FILENO), rc;
	size_t n;

	assert_non_null(f);
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	rc = session_run(ss, con);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	assert_int_equal(rc, 0);
	return text;
}

/* A trace unit without a decoder is reported once; packets of what can only be listed are listed. */
static void undecodable(void **state)
{
	unsigned int packets = 0;
	const struct consumer lists = { .data = &packets, .wants.packet = count_packets }, none = { .data = NULL };
	struct trace_unit *u = &ss->units.v[0];

	(void)state;
	u->config_error = -CST_ERR_UNSUP;
	assert_string_equal(run(&lists), "");
	assert_true(packets > 5);
	packets = 0;
	u->config_error = -CST_ERR_PROTOCOL;
	assert_string_equal(run(&lists), "cstrace: test: CPU 2 has an ETMv4 trace unit, which cannot be decoded yet; its trace is left "
			    "out\n");
	assert_int_equal(packets, 0);
	assert_string_equal(run(&none), "");
	assert_int_equal(session_totals(ss)->dec.insns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bundles, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(trouble_comes_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(undecodable, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
