/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the file of a recorded map is looked for, in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/images/dso_table.h"
#include "unit/temp_dir.h"

TEMP_DIR("candidates")

#define CACHE(folder) folder "/.build-id/ab/cdef01/elf\n" folder "/.build-id/ab/cdef01/vdso\n" folder "/.build-id/ab/cdef01\n"

/* h: of this machine, as recorded; i: of the input; n: only the name is the recorded one. */
static const struct row {
	const char *what;
	uint8_t kind;
	const char *path;
	bool id;		/* the build-id abcdef01 is recorded */
	bool symfs;		/* files are looked for below DIR */
	const char *vmlinux, *cache, *home, *release;
	const char *places;
} rows[] = {
	{ "a file", DSO_FILE, "/opt/a", false, false, NULL, NULL, "/users/me", "6.1", "/opt/a h\n" },
	{ "an unlinked file", DSO_FILE, "/opt/a (deleted)", false, false, NULL, NULL, NULL, NULL, "/opt/a (deleted) h\n/opt/a h\n" },
	{ "nothing but that", DSO_FILE, " (deleted)", false, false, NULL, NULL, NULL, NULL, " (deleted) h\n" },
	{ "nothing but that below a folder", DSO_FILE, " (deleted)", false, true, NULL, NULL, NULL, NULL, "DIR/ (deleted)\n" },
	{ "a name of one letter", DSO_FILE, "a (deleted)", false, false, NULL, NULL, NULL, NULL, "a (deleted) h\na h\n" },
	{ "no unlinked file", DSO_FILE, "/opt/a (deleted).so", false, false, NULL, NULL, NULL, NULL, "/opt/a (deleted).so h\n" },
	{ "an unlinked module", DSO_MODULE, "/m/a.ko (deleted)", false, false, NULL, NULL, NULL, NULL,
	  "/m/a.ko (deleted) h\n/m/a.ko h\n/m/a.ko.xz h\n/m/a.ko.zst h\n/m/a.ko.gz h\n" },
	{ "a build-id", DSO_FILE, "/opt/a", true, false, NULL, "/cache", "/users/me", NULL, "/opt/a h\n" CACHE("/cache") },
	{ "the cache at home", DSO_FILE, "/opt/a", true, false, NULL, NULL, "/users/me", NULL, "/opt/a h\n" CACHE("/users/me/.debug") },
	{ "no home", DSO_FILE, "/opt/a", true, false, NULL, NULL, NULL, NULL, "/opt/a h\n" },
	{ "a cache and no home", DSO_FILE, "/opt/a", true, false, NULL, "/cache", NULL, NULL, "/opt/a h\n" CACHE("/cache") },
	{ "below a folder", DSO_FILE, "/opt/none", false, true, NULL, NULL, NULL, NULL, "DIR/opt/none\n" },
	{ "by name below a folder", DSO_FILE, "/opt/b", true, true, NULL, "/cache", NULL, NULL,
	  "DIR/opt/b\n" CACHE("/cache") "DIR/x/b n\nDIR/y/b n\n" },
	{ "a bare name", DSO_FILE, "b", false, true, NULL, NULL, NULL, NULL, "DIR/b\nDIR/x/b n\nDIR/y/b n\n" },
	{ "files of the input", DSO_FILE, "/in/c", false, true, NULL, NULL, NULL, NULL, "/input/2 i\n/input/1 i\nDIR/in/c\n" },
	{ "a kernel", DSO_VMLINUX, "[kernel.kallsyms]", false, false, NULL, "/cache", NULL, "6.1", "" },
	{ "a kernel by option", DSO_VMLINUX, "[kernel.kallsyms]", false, true, "/my/vmlinux", NULL, NULL, NULL, "/my/vmlinux\n" },
	{ "no kernel by option", DSO_FILE, "/opt/a", false, false, "/my/vmlinux", NULL, NULL, NULL, "/opt/a h\n" },
	{ "the places of kernels", DSO_VMLINUX, "[kernel.kallsyms]", true, false, "/my/vmlinux", "/cache", NULL, "6.1",
	  "/my/vmlinux\n/boot/vmlinux-6.1 h\n/usr/lib/debug/boot/vmlinux-6.1 h\n/usr/lib/debug/lib/modules/6.1/vmlinux h\n"
	  "/lib/modules/6.1/vmlinux h\n/lib/modules/6.1/build/vmlinux h\n" CACHE("/cache") },
	{ "of no release", DSO_VMLINUX, "[kernel.kallsyms]", true, false, NULL, "/cache", NULL, NULL, CACHE("/cache") },
	{ "of an odd release", DSO_VMLINUX, "[kernel.kallsyms]", true, false, NULL, "/cache", NULL, "%s", CACHE("/cache") },
	{ "a copy of memory", DSO_KCORE, "/tmp/kcore", true, true, NULL, "/cache", NULL, "6.1", "/tmp/kcore\n" },
	{ "a module's file", DSO_MODULE, "/m/a.ko.zst", false, false, NULL, NULL, NULL, "6.1",
	  "/m/a.ko.zst h\n/m/a.ko h\n/m/a.ko.xz h\n/m/a.ko.gz h\n" },
	{ "a module's name", DSO_MODULE, "[d_e_f]", false, false, NULL, NULL, NULL, "6.1", "" },
	{ "a module below a folder", DSO_MODULE, "[d_e_f]", true, true, NULL, "/cache", NULL, "6.1",
	  CACHE("/cache") "DIR/m/d_e_f.ko.xz n\nDIR/m/d-e-f.ko n\nDIR/m/d-e-f.ko.gz n\n" },
	{ "a file that is no module", DSO_MODULE, "/m/a", false, false, NULL, NULL, NULL, NULL, "/m/a h\n" },
	{ "the vDSO", DSO_FILE, "[vdso]", true, false, NULL, NULL, NULL, "6.1",
	  "/lib/modules/6.1/vdso/vdso.so h\n/lib/modules/6.1/vdso/vdso64.so h\n" },
	{ "the 32-bit vDSO", DSO_FILE, "[vdso32]", true, false, NULL, NULL, NULL, "6.1", "/lib/modules/6.1/vdso/vdso32.so h\n" },
	{ "a vDSO of no build-id", DSO_FILE, "[vdso]", false, false, NULL, NULL, NULL, "6.1", "" },
	{ "a vDSO of no release", DSO_FILE, "[vdso]", true, true, NULL, NULL, NULL, NULL, "DIR/[vdso]\n" },
	{ "a vDSO of an odd release", DSO_FILE, "[vdso32]", true, true, NULL, NULL, NULL, "6%", "DIR/[vdso32]\n" },
	{ "a vDSO below a folder", DSO_FILE, "[vdso]", false, true, NULL, NULL, NULL, "6.1",
	  "DIR/[vdso]\nDIR/lib/modules/6.1/vdso/vdso.so\nDIR/lib/modules/6.1/vdso/vdso64.so\n" },
	{ "a page of 32-bit programs", DSO_FILE, "[vectors]", false, true, NULL, NULL, NULL, "6.1", "DIR/[vectors]\n" },
	{ "another one", DSO_FILE, "[sigpage]", false, true, NULL, NULL, NULL, NULL, "DIR/[sigpage]\n" },
	{ "that of this machine", DSO_FILE, "[vectors]", false, false, NULL, NULL, NULL, "6.1", "" },
	{ "a file in memory", DSO_FILE, "/memfd:x (deleted)", true, true, NULL, "/cache", NULL, NULL,
	  "DIR/memfd:x (deleted)\nDIR/memfd:x\n" CACHE("/cache") },
	{ "memory without a file", DSO_ANON, "//anon", true, true, NULL, "/cache", NULL, NULL, "" },
	{ "generated code", DSO_JIT, "/tmp/jit-1.dump", true, true, NULL, "/cache", NULL, NULL, "" },
	{ "a program of the kernel's", DSO_BPF, "bpf_prog", true, true, NULL, "/cache", NULL, NULL, "" },
};

static void places(void **state)
{
	char got[4096], hidden[4096], one[4200], *was = getenv("HOME");
	struct dso_candidates c;
	struct dso_search s;
	struct dso d;
	size_t i;

	(void)state;
	was = was ? strdup(was) : NULL;
	temp_write(dir, "x/b", "b", 1);
	temp_write(dir, "y/b", "b", 1);
	temp_write(dir, "m/d-e-f.ko", "d", 1);
	temp_write(dir, "m/d-e-f.ko.gz", "d", 1);
	temp_write(dir, "m/d_e_f.ko.xz", "d", 1);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];

		memset(&s, 0, sizeof(s));
		memset(&d, 0, sizeof(d));
		memset(&c, 0, sizeof(c));
		dso_places_add(&s.bundle.images, "/in/d", "/input/3");
		dso_places_add(&s.bundle.images, "/in/c", "/input/2");
		dso_places_add(&s.bundle.images, "/in/c", "/input/1");
		if (r->home)
			setenv("HOME", r->home, 1);
		else
			unsetenv("HOME");
		s.symfs = r->symfs ? dir : NULL;
		s.vmlinux = r->vmlinux;
		s.buildid_dir = r->cache;
		s.osrelease = r->release;
		d.kind = r->kind;
		d.path = (char *)r->path;
		if (r->id)
			d.recorded = (struct build_id){ 4, { 0xab, 0xcd, 0xef, 0x01 } };
		*got = '\0';
		while (dso_next_candidate(&s, &d, &c)) {
			snprintf(one, sizeof(one), "%s%s%s%s%s\n", c.path, c.from_host || c.from_input || c.by_name ? " " : "",
				 c.from_host ? "h" : "", c.from_input ? "i" : "", c.by_name ? "n" : "");
			assert_true(strlen(got) + strlen(one) < sizeof(got));
			strcat(got, one);
		}
		assert_false(dso_next_candidate(&s, &d, &c));
		temp_hide(dir, got, hidden, sizeof(hidden));
		if (strcmp(hidden, r->places))
			print_error("%s:\n", r->what);
		assert_string_equal(hidden, r->places);
		symfs_index_free(s.index);
		dso_bundle_free(&s.bundle);
	}
	if (was)
		setenv("HOME", was, 1);
	free(was);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(places) };

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
