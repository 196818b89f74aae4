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

	assert_int_equal(session_before_replicas(ss), 0);
	rep = session_replica(ss);
	assert_non_null(rep);
	return rep;
}

/* The declarations of the recording, also after decoding has learned owners. */
static void address_spaces(void **state)
{
	struct session *rep = replica(), *later;
	const struct asids *as = &rep->tasks.asids;

	(void)state;
	assert_int_equal(asids_declared(as, 5, 10), -1);
	assert_int_equal(asids_declared(as, 5, 20), 1000);
	assert_int_equal(asids_declared(as, 5, 199), 1000);
	assert_int_equal(asids_declared(as, 5, 200), -1);
	assert_int_equal(asids_declared(as, 5, 300), 2000);
	assert_int_equal(asids_declared(as, 5, UINT64_MAX), 2000);
	assert_int_equal(asids_declared(as, 8, 0), 2000);
	assert_int_equal(asids_declared(as, 8, UINT64_MAX), 2000);
	assert_false(asids_any_declared(as, 6));
	assert_int_equal(as->nr, 2);
	assert_int_equal(asids_learn(&ss->tasks.asids, 6, 1000), 0);
	assert_int_equal(asids_learned(&ss->tasks.asids, 6), 1000);
	later = replica();
	assert_int_equal(later->tasks.asids.nr, 2);
	assert_int_equal(asids_declared(&later->tasks.asids, 5, 300), 2000);
	assert_int_equal(asids_learned(&later->tasks.asids, 5), -1);
	session_replica_free(later);
	session_replica_free(rep);
	session_replica_free(NULL);
}

/* The replica has the package's files in the same order, with the same numbers. */
static void bundles(void **state)
{
	struct dso_bundle *b = &ss->images.dsos.search.bundle;
	const struct dso_bundle *copy;
	struct session *rep;

	(void)state;
	assert_int_equal(dso_places_add(&b->images, "/z", "first"), 0);
	assert_int_equal(dso_places_add(&b->images, "/a", "second"), 0);
	assert_int_equal(dso_places_add(&b->images, "/z", "third"), 0);
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

/* What the pass over the records found is the session's; the user's log is only for the session itself. */
static void what_is_shared(void **state)
{
	struct dso_search *search = &ss->images.dsos.search;
	const char release[] = "6.12";
	int log;
	struct session *rep;

	(void)state;
	ss->opts.log = (void *)&log;
	ss->recorder = RECORDER_SIMPLEPERF;
	ss->losses.lost_records = 3;
	search->other_recorder = true;
	search->osrelease = release;
	rep = replica();
	ss->opts.log = NULL;
	assert_null(rep->opts.log);
	assert_int_equal(rep->recorder, RECORDER_SIMPLEPERF);
	assert_int_equal(rep->losses.lost_records, 3);
	assert_true(rep->chosen.selection.lost_records);
	assert_true(rep->images.dsos.search.other_recorder);
	assert_ptr_equal(rep->images.dsos.search.osrelease, release);
	session_replica_free(rep);
}

/* What a replica has read of a file becomes the session's, all of it, and is no longer the replica's. */
static void files_come_back(void **state)
{
	struct session *rep = replica();
	struct dso *to = ss->images.dsos.all[0], *from = rep->images.dsos.all[0];
	const struct dso before = *to;
	struct dso_segment segs[2];
	struct dso_symbol_entry syms[3];
	char file[] = "file", names[] = "names";
	uint32_t order[3];

	(void)state;
	assert_int_equal(to->state, DSO_UNTRIED);
	assert_int_equal(from->state, DSO_UNTRIED);
	from->state = DSO_LOADED;
	from->trouble = DSO_NO_CODE;
	from->is_elf = from->by_name = from->from_host = from->from_input = from->symbols_read = from->own_data = true;
	from->machine = 183;
	from->file = file;
	from->data = (const uint8_t *)names;
	from->size = 5;
	memset(&from->found, 0x5a, sizeof(from->found));
	from->segs = segs;
	from->nr_segs = 2;
	from->syms = syms;
	from->nr_syms = 3;
	from->names = names;
	from->name_order = order;
	session_adopt_files(ss, rep);
	assert_int_equal(to->state, DSO_LOADED);
	assert_int_equal(to->trouble, DSO_NO_CODE);
	assert_true(to->is_elf);
	assert_true(to->by_name);
	assert_true(to->from_host);
	assert_true(to->from_input);
	assert_true(to->symbols_read);
	assert_true(to->own_data);
	assert_int_equal(to->machine, 183);
	assert_ptr_equal(to->file, file);
	assert_ptr_equal(to->data, names);
	assert_int_equal(to->size, 5);
	assert_memory_equal(&to->found, &from->found, sizeof(to->found));
	assert_ptr_equal(to->segs, segs);
	assert_int_equal(to->nr_segs, 2);
	assert_ptr_equal(to->syms, syms);
	assert_int_equal(to->nr_syms, 3);
	assert_ptr_equal(to->names, names);
	assert_ptr_equal(to->name_order, order);
	assert_false(from->own_data);
	assert_null(from->file);
	assert_null(from->data);
	assert_int_equal(from->size, 0);
	assert_null(from->segs);
	assert_null(from->syms);
	assert_null(from->names);
	assert_null(from->name_order);
	/* a file that the session has read itself stays as it is */
	from->trouble = DSO_MACHINE;
	session_adopt_files(ss, rep);
	assert_int_equal(to->trouble, DSO_NO_CODE);
	assert_ptr_equal(to->file, file);
	*to = before;
	from->nr_segs = from->nr_syms = 0;
	from->state = DSO_UNTRIED;
	session_replica_free(rep);
}

/* Of generated code only the bytes become the session's: a replica's list of methods refers to the replica's jitdump file. */
static void generated_code_comes_back(void **state)
{
	struct session *rep = replica();
	struct dso *to = ss->images.dsos.all[0], *from = rep->images.dsos.all[0];
	const struct dso before = *to, was = *from;
	static const uint8_t bytes[3];
	char name[] = "name";

	(void)state;
	to->jit = (void *)name;
	from->jit = (void *)name;
	from->state = DSO_LOADED;
	from->trouble = DSO_NO_CODE;
	from->data = bytes;
	from->size = sizeof(bytes);
	from->own_data = true;
	from->nr_syms = 3;
	session_adopt_files(ss, rep);
	assert_int_equal(to->state, DSO_LOADED);
	assert_int_equal(to->trouble, DSO_NO_CODE);
	assert_ptr_equal(to->data, bytes);
	assert_int_equal(to->size, sizeof(bytes));
	assert_true(to->own_data);
	assert_int_equal(to->nr_syms, before.nr_syms);
	assert_null(from->data);
	assert_int_equal(from->size, 0);
	assert_false(from->own_data);
	assert_int_equal(from->nr_syms, 3);
	*to = before;
	*from = was;
	session_replica_free(rep);
}

/* The symbols of the kernel are dropped only after a replica tried them and found those of another kernel. */
static void symbols_of_another_kernel(void **state)
{
	static const struct {
		bool tried, path, dropped;
	} rows[] = { { false, false, false }, { false, true, false }, { true, true, false }, { true, false, true } };
	char **path = &ss->images.kernel.kallsyms_path;
	struct session *rep;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rep = replica();
		free(*path);
		*path = strdup("symbols");
		free(rep->images.kernel.kallsyms_path);
		rep->images.kernel.kallsyms_path = rows[i].path ? strdup("symbols") : NULL;
		rep->images.kernel.kallsyms_tried = rows[i].tried;
		session_adopt_files(ss, rep);
		if (!*path != rows[i].dropped)
			fail_msg("row %zu: the symbols are %s", i, *path ? "kept" : "dropped");
		session_replica_free(rep);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(address_spaces, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bundles, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(trouble_comes_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_shared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_come_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(generated_code_comes_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(symbols_of_another_kernel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(undecodable, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
