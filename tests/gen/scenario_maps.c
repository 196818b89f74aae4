/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scenario_maps.c - programs whose code is not in the file that a record names, or in none that has
 * a path.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "elf_w.h"
#include "scenario.h"
#include "zip_w.h"

/* a file of the machine with code c, and a build-id that is made of `number` */
static struct gbuf elf_with_id(const struct code *c, uint8_t number, uint8_t id[20])
{
	struct elfw e = { .vaddr = ELFW_TEXT, .text = c->bytes, .len = 4 * c->n, .build_id = id };
	struct gbuf file = { 0 };

	memset(id, number, 20);
	elfw_write(&e, &file);
	return file;
}

/* maps a file that has no path; it lies in a folder under another name */
static void map_memfd(struct scenario *s, struct wthread *t, uint64_t va, const char *name,
		      uint8_t number)
{
	struct world *w = s->w;
	const struct code *c = world_code(w, IMAGE_INSNS, 0);
	uint8_t id[20];
	struct gbuf file = elf_with_id(c, number, id);
	char path[64];

	snprintf(path, sizeof(path), "/store/%u", number);
	world_write(w, path, file.p, file.len);
	world_mmap2_record(w, 0, t->p, va, 4ull * c->n, ELFW_TEXT, name,
			   &(struct perfw_map){ .build_id = id });
	world_place(t->p, va, c, 0, c->n);
	gbuf_free(&file);
}

/*
 * programs that are executed from a memfd, as runc and containerd do, and a library; all have a
 * build-id
 */
static void run_memfd(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a = start_process(s, 0, 1000, "shim"), *b;

	b = start_process(s, 0, 1100, "other");
	take_turns(s, a, b);
	world_exec(w, 0, a, "exe");
	map_memfd(s, a, PROGRAM, "/memfd:runc_cloned:/proc/self/exe (deleted)", 1);
	take_turns(s, a, b);
	map_memfd(s, b, LIBRARY, "/memfd:plugin (deleted)", 2);
	take_turns(s, b, a);
	world_exec(w, 0, a, "exe");
	map_memfd(s, a, PROGRAM, "/memfd:runc_cloned:/proc/self/exe (deleted)", 3);
	take_turns(s, a, b);
	expect(s, "never jitdump");
}

/* the names that records have for memory that takes the place of text */
static const char *const huge_names[] = {
	"//anon", "/anon_hugepage (deleted)", "[anon:hugetext]",
	"/dev/hugepages/libhugetlbfs.tmp.SfKq1x (deleted)",
	"/memfd:hugetext (deleted)", "",
};

#define NR(a) (sizeof(a) / sizeof((a)[0]))

/* text that is copied to other memory at its place: a part, another part, all of it once more */
static void run_huge_text(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *t = start_process(s, 0, 1000, "hot"), *child;
	const uint64_t shift = ELFW_TEXT - PROGRAM;
	uint64_t start, len, offset;
	const char *name;
	int i;

	for (i = 0; i < 4; i++) {
		take_turns(s, t, t);
		name = huge_names[(s->seed + (uint64_t)i) % NR(huge_names)];
		start = PROGRAM + 4096 * rng_below(&w->rng, 2);
		len = i < 2 ? 4096 : PROGRAM + IMAGE_SIZE - start;
		/* an offset in a file, or an address */
		offset = *name == '/' && name[1] != '/' ? 0 : start;
		world_mmap2_record(w, 0, t->p, start, len, offset, name, &(struct perfw_map){ 0 });
		take_turns(s, t, t);
	}
	child = world_fork(w, 0, t, 1200);
	take_turns(s, child, t);
	expect(s, "stderr /opt/hot: text remapped to anonymous memory");
	expect(s, "info assumed to be still that of the file");
	expect(s, "profile /opt/hot %" PRIx64 " %llx %llx", shift, PROGRAM, PROGRAM + IMAGE_SIZE);
}

/*
 * a process that is older than the recording: between the parts of its text is memory without a
 * file
 */
static void run_huge_before(struct scenario *s)
{
	struct world *w = s->w;
	const struct code *c = world_code(w, 4 * PAGE_INSNS, 0);
	struct wthread *t = world_thread(w, world_proc(w, 1000), 1000, "old");
	static const char *const paths[] = { "/opt/old", "//anon", "/opt/old" };
	static const uint32_t begin[] = { 0, 1, 3, 4 };
	int i;

	t->p->asid = 1;
	world_image(w, "/opt/old", c);
	world_comm(w, 0, t, "old", 0);
	for (i = 0; i < 3; i++)
		world_mmap_record(w, 0, t->p, PROGRAM + 4096ull * begin[i],
				  4096ull * (begin[i + 1] - begin[i]),
				  i == 1 ? PROGRAM + 4096 : ELFW_TEXT + 4096ull * begin[i], paths[i]);
	world_place(t->p, PROGRAM, c, 0, c->n);
	take_turns(s, t, t);
	expect(s, "stderr /opt/old: text remapped to anonymous memory");
	expect(s, "info assumed to be still that of the file");
}

/* a library is gone, and the program generates code in memory at its place: nobody has it */
static struct wthread *not_text(struct scenario *s, uint64_t len)
{
	struct world *w = s->w;
	struct wthread *t = start_process(s, 0, 1000, "engine");
	const struct code *made = world_code(w, IMAGE_INSNS, 0);

	image(s, "/lib/gone.so");
	world_mmap_record(w, 0, t->p, LIBRARY, IMAGE_SIZE, ELFW_TEXT, "/lib/gone.so");
	take_turns(s, t, t);
	world_mmap_record(w, 0, t->p, LIBRARY, len, LIBRARY, "//anon");
	world_place(t->p, LIBRARY, made, 0, IMAGE_INSNS);
	unknown_code(s, t, LIBRARY, LIBRARY + IMAGE_SIZE);
	take_turns(s, t, t);
	expect(s, "exit 3");
	if (w->o.s.tu.retstack)
		expect(s, "subset 20");
	return t;
}

static void not_assumed(struct scenario *s)
{
	expect(s, "never text remapped");
	expect(s, "stderr no jitdump file describes it");
}

/* the memory reaches further than the text did */
static void run_not_text(struct scenario *s)
{
	not_text(s, 4 * IMAGE_SIZE);
	not_assumed(s);
}

/* a perf map has a name for what is there */
static void run_named_code(struct scenario *s)
{
	char line[64];

	snprintf(line, sizeof(line), "%llx 40 method\n", LIBRARY + IMAGE_SIZE / 2);
	world_write(s->w, "/tmp/perf-1000.map", line, strlen(line));
	not_text(s, IMAGE_SIZE);
	not_assumed(s);
}

/* nothing but the trace tells that it is not the library's text */
static void run_wrong_text(struct scenario *s)
{
	struct wthread *t = not_text(s, IMAGE_SIZE);

	take_turns(s, t, t);
	expect(s, "guess");
	expect(s, "stderr /lib/gone.so: text remapped to anonymous memory");
	expect(s, "stderr trace contradicts the code");
	expect(s, "stderr which may hold other code: --no-text-copies leaves it out");
}

/* the user leaves it out */
static void run_left_out(struct scenario *s)
{
	not_text(s, IMAGE_SIZE);
	not_assumed(s);
	expect(s, "option --no-text-copies");
}

#define APK "/data/app/com.example/base.apk"
#define NR_LIBS 2

/* another build of the archive is found: its libraries have no place, or another one */
static void other_apk(struct scenario *s, struct zipw_member *m, int n)
{
	struct gbuf apk = { 0 };

	m[1].compressed = 1;
	m[2].align = 4;
	m[2].name = "lib/arm64-v8a/libc.so";
	zipw_write(&apk, m, n, 0);
	world_write(s->w, APK, apk.p, apk.len);
	gbuf_free(&apk);
	expect(s, "exit 3");
	expect(s, "stderr does not hold it as it was mapped");
	if (s->w->o.s.tu.retstack)
		expect(s, "subset 20");
}

/*
 * libraries that run from inside of an archive; `apart`: records name the member, as those of
 * simpleperf; `other`: the archive that is found is another one
 */
static void run_apk(struct scenario *s, int apart, int other)
{
	struct world *w = s->w;
	struct wthread *t = start_process(s, 0, 1000, "app"), *u;
	struct zipw_member m[NR_LIBS + 2] = {
		{ .name = "AndroidManifest.xml", .p = (const uint8_t *)"xml", .len = 3, .compressed = 1 },
		{ .name = "lib/arm64-v8a/liba.so", .align = 4096 },
		{ .name = "lib/arm64-v8a/libb.so", .align = 16384 },
		{ .name = "res/icon", .p = (const uint8_t *)"icon", .len = 4, .align = 4 },
	};
	struct gbuf file[NR_LIBS], apk = { 0 };
	const struct code *c[NR_LIBS];
	uint64_t va;
	char path[96];
	int i;

	for (i = 0; i < NR_LIBS; i++) {
		uint8_t id[20];

		c[i] = world_code(w, IMAGE_INSNS, 0);
		file[i] = elf_with_id(c[i], (uint8_t)(i + 1), id);
		m[i + 1].p = file[i].p;
		m[i + 1].len = file[i].len;
	}
	u = start_process(s, 0, 1100, "other");
	zipw_write(&apk, m, NR_LIBS + 2, s->seed >> 2 & 1);
	world_write(w, APK, apk.p, apk.len);
	for (i = 0; i < NR_LIBS; i++) {
		take_turns(s, t, u);
		va = LIBRARY + 0x100000ull * (uint64_t)i;
		snprintf(path, sizeof(path), APK "%s%s", apart ? "!/" : "", apart ? m[i + 1].name : "");
		world_mmap_record(w, 0, t->p, va, 4ull * c[i]->n,
				  ELFW_TEXT + (apart ? 0 : m[i + 1].at), path);
		world_place(t->p, va, c[i], 0, c[i]->n);
		if (other) {
			unknown_code(s, t, va, va + 4ull * c[i]->n);
			continue;
		}
		expect(s, "info " APK "!/%s", m[i + 1].name);
		expect(s, "profile %s %" PRIx64 " %" PRIx64 " %" PRIx64,
		       strrchr(m[i + 1].name, '/') + 1, ELFW_TEXT - va, va,
		       (uint64_t)(va + 4ull * c[i]->n));
	}
	take_turns(s, t, u);
	if (other)
		other_apk(s, m, NR_LIBS + 2);
	for (i = 0; i < NR_LIBS; i++)
		gbuf_free(&file[i]);
	gbuf_free(&apk);
}

static void run_apk_of_perf(struct scenario *s)
{
	run_apk(s, 0, 0);
}

static void run_apk_of_simpleperf(struct scenario *s)
{
	run_apk(s, 1, 0);
}

static void run_apk_other(struct scenario *s)
{
	run_apk(s, s->seed >> 1 & 1, 1);
}

static void lossy(struct world_opts *o)
{
	o->s.tu.retstack = 0;
}

const struct scenario_row scenario_maps[] = {
	{ "memfd", "programs executed from files in memory, with build-ids", NULL, run_memfd },
	{ "huge-text", "text is copied to anonymous memory at its place", NULL, run_huge_text },
	{ "huge-before", "the same, before the recording", NULL, run_huge_before },
	{ "not-text", "generated code where a library was", lossy, run_not_text },
	{ "named-code", "the same, and a perf map has its name", lossy, run_named_code },
	{ "wrong-text", "the same, and nothing but the trace tells", NULL, run_wrong_text },
	{ "left-out", "the same, and the user knows it", lossy, run_left_out },
	{ "apk", "libraries in an archive, recorded by offset", NULL, run_apk_of_perf },
	{ "apk-members", "libraries in an archive, recorded by name", NULL, run_apk_of_simpleperf },
	{ "apk-other", "the archive that is found is another one", lossy, run_apk_other },
	{ NULL, NULL, NULL, NULL },
};
