/* SPDX-License-Identifier: GPL-2.0-only */
/* dso.c - the table of mapped files, and the loading of a file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/messages.h"
#include "base/name.h"
#include "base/strings.h"
#include "base/files/archive.h"
#include "base/files/input.h"
#include "machine/images/dso_table.h"
#include "machine/images/functions.h"
#include "machine/images/stubs.h"
#include "machine/images/jitdump.h"
#include "machine/images/kernel.h"
#include "machine/images/module.h"
#include "machine/images/unpack.h"

#define FIRST_BUCKETS 256

void dso_table_init(struct dso_table *t)
{
	memset(t, 0, sizeof(*t));
}

static void unload(struct dso *d)
{
	if (d->image.own_data)
		free((void *)d->image.data);
	else
		input_unmap(d->image.data, d->image.size);
	d->image.own_data = false;
	free(d->image.segs);
	d->image.data = NULL;
	d->image.size = 0;
	d->image.segs = NULL;
	d->image.nr_segs = 0;
	d->image.found.len = 0;
	d->image.is_elf = false;
}

void dso_own(struct dso *d, uint8_t *bytes, size_t size)
{
	d->image.data = bytes;
	d->image.own_data = true;
	d->image.size = d->extent = size;
	d->state = DSO_LOADED;
}

static void dso_free(struct dso *d)
{
	jitdump_dso_free(d);
	unload(d);
	if (d->zip.members)
		archive_free(d->zip.members);
	free(d->zip.members);
	free(d->path);
	free(d->image.file);
	free(d->symbols.syms);
	free(d->symbols.names);
	free(d->symbols.name_order);
	function_table_free(d->symbols.functions);
	dso_debug_free(d);
	stubs_free(d->symbols.stubs);
	free(d);
}

void dso_table_free(struct dso_table *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (t->all[i]->table == t)
			dso_free(t->all[i]);
	free(t->all);
	free(t->bucket);
	symfs_index_free(t->search.index);
	dso_bundle_free(&t->search.bundle);
	memset(t, 0, sizeof(*t));
}

static void table_grow(struct dso_table *t)
{
	size_t nr = t->nr_buckets ? t->nr_buckets * 2 : FIRST_BUCKETS;
	struct dso **bucket = mem_zeroed(nr, sizeof(*bucket));
	size_t i, h;

	for (i = 0; i < t->nr; i++) {
		if (t->all[i]->table != t)
			continue;
		h = strings_hash(t->all[i]->path) % nr;
		t->all[i]->next = bucket[h];
		bucket[h] = t->all[i];
	}
	free(t->bucket);
	t->bucket = bucket;
	t->nr_buckets = nr;
}

/* Returns the newest dso among those whose paths have the hash of this one. */
static struct dso *first_in_chain(const struct dso_table *t, const char *path)
{
	return t->nr_buckets ? t->bucket[strings_hash(path) % t->nr_buckets] : NULL;
}

bool dso_is_module(const char *path)
{
	size_t n = strlen(path);

	if (!strncmp(path, "[kernel", 7) || !strncmp(path, "[guest.kernel", 13))
		return false;
	return path[0] == '[' || (n > 3 && !strcmp(path + n - 3, ".ko")) || strstr(path, ".ko.");
}

/* A file in memory that has a build-id is a file as any other: it can be found. */
static uint8_t kind_of(const char *path, const struct build_id *id, bool kernel)
{
	if (!kernel)
		return !id->len && dso_name_is_anon(path) ? DSO_ANON : DSO_FILE;
	if (!strncmp(path, "[kernel", 7) || !strncmp(path, "[guest.kernel", 13))
		return DSO_VMLINUX;
	return dso_is_module(path) ? DSO_MODULE : DSO_FILE;
}

/* Adds the dso to the list of its table, and to that of the host, which numbers it. */
static void enlist(struct dso_table *t, struct dso *d)
{
	struct dso_table *host = t->host ? t->host : t;

	*ARRAY_ADD(t->all, t->nr, t->cap) = d;
	if (t->host)
		*ARRAY_ADD(host->all, host->nr, host->cap) = d;
	d->number = (uint32_t)(host->nr - 1);
	d->table = t;
}

struct dso *dso_table_add(struct dso_table *t, const char *path, uint8_t kind)
{
	struct dso *d;
	size_t h;

	if (t->nr >= t->nr_buckets)
		table_grow(t);
	d = mem_zeroed(1, sizeof(*d));
	d->path = mem_text(path);
	enlist(t, d);
	/* of memory whose offsets are addresses no section is made, and nothing is looked for */
	if (kind == DSO_ANON)
		d->trouble = DSO_NOT_FOUND;
	d->kind = kind;
	h = strings_hash(path) % t->nr_buckets;
	d->next = t->bucket[h];
	t->bucket[h] = d;
	return d;
}

struct dso *dso_table_find(const struct dso_table *t, const char *path, uint8_t kind)
{
	struct dso *d = first_in_chain(t, path);

	while (d && (d->kind != kind || strcmp(d->path, path)))
		d = d->next;
	return d;
}

/*
 * True if the records of this kind mean `d`: the build-id of the file's header, which comes later,
 * makes memory a file.
 */
static bool has_kind(const struct dso *d, uint8_t kind)
{
	return d->kind == kind || (d->id_of_header && d->kind == DSO_FILE && kind == DSO_ANON);
}

/* True if a record with this build-id (len 0: none) means `d`, whose own one may be that of the file's header. */
static bool has_id(const struct dso *d, const struct build_id *id)
{
	if (d->id_of_header)
		return !id->len;
	return d->recorded.len == id->len && !memcmp(d->recorded.id, id->id, id->len);
}

struct dso *dso_table_get(struct dso_table *t, const char *path, const struct build_id *id, bool kernel)
{
	uint8_t kind = kind_of(path, id, kernel);
	struct dso *d;

	for (d = first_in_chain(t, path); d; d = d->next)
		if (has_kind(d, kind) && !strcmp(d->path, path) && has_id(d, id))
			return d;
	d = dso_table_add(t, path, kind);
	d->recorded = *id;
	return d;
}

struct dso *dso_table_get_module(struct dso_table *t, const char *path, const struct build_id *id,
				 uint64_t addr)
{
	struct dso *d = first_in_chain(t, path);

	for (; d; d = d->next)
		if (d->kind == DSO_MODULE && d->kernel.ref_addr == addr && !strcmp(d->path, path) &&
		    has_id(d, id))
			return d;
	d = dso_table_add(t, path, DSO_MODULE);
	d->recorded = *id;
	d->kernel.ref_addr = addr;
	return d;
}

bool dso_table_set_build_id(struct dso_table *t, const char *path, const struct build_id *id)
{
	struct dso *d;
	bool only = true;

	for (d = first_in_chain(t, path); d; d = d->next) {
		if (strcmp(d->path, path))
			continue;
		if (!d->recorded.len) {
			d->recorded = *id;
			d->id_of_header = true;
			if (d->kind == DSO_ANON)
				d->kind = DSO_FILE;
		}
		only &= !d->id_of_header || build_id_equal(&d->recorded, id);
	}
	return only;
}

void dso_table_set_text(struct dso_table *t, const char *path, uint64_t in_file, uint64_t in_memory)
{
	struct dso *d;

	for (d = first_in_chain(t, path); d; d = d->next)
		if (d->kind == DSO_MODULE && !strcmp(d->path, path))
			d->module.text = (struct module_text){ true, in_file, in_memory };
}

/* Decompresses a module or kernel; the data is then on the heap. */
static int unpack_file(struct dso *d)
{
	enum unpack_result rc;
	size_t size;
	uint8_t *p;

	if ((d->kind != DSO_MODULE && d->kind != DSO_VMLINUX) ||
	    !is_packed(d->image.data, d->image.size))
		return DSO_FINE;
	rc = unpack(d->image.data, d->image.size, &p, &size);
	if (rc != UNPACK_DONE)
		return rc == UNPACK_LARGE ? DSO_UNPACKED_LARGE :
		       rc == UNPACK_LEFT_OUT ? DSO_LEFT_OUT : DSO_PACKED;
	input_unmap(d->image.data, d->image.size);
	d->image.data = p;
	d->image.size = size;
	d->image.own_data = true;
	return DSO_FINE;
}

/*
 * True if the recorded build-id must be that of the file. What had one was an ELF file; only of the kernel there are images
 * in another form, which have none.
 */
static bool is_comparable(const struct dso *d)
{
	return d->recorded.len && (d->image.is_elf || d->kind == DSO_FILE);
}

/* Maps `path` and checks whether it can be used for `d`. Returns enum dso_trouble. */
static int try_file(const struct dso_table *t, struct dso *d, const char *path)
{
	int trouble = DSO_FINE;

	/* module_link() writes to this private copy */
	d->image.data = input_map(path, PROT_READ | (d->kind == DSO_MODULE ? PROT_WRITE : 0),
				  &d->image.size);
	if (!d->image.data)
		return errno == ENOENT || errno == ENOTDIR ? DSO_NOT_FOUND :
		       errno == ENOTSUP ? DSO_NOT_MAPPABLE : DSO_UNREADABLE;
	if (!d->image.size)
		return DSO_UNREADABLE;
	trouble = unpack_file(d);
	if (trouble == DSO_FINE)
		trouble = dso_read_elf(d);
	if (trouble == DSO_FINE && is_comparable(d) && !t->search.force && d->kind != DSO_KCORE &&
	    !build_id_equal(&d->recorded, &d->image.found))
		trouble = DSO_BUILD_ID;
	if (trouble == DSO_FINE && d->kind == DSO_MODULE && !d->module.by_offset)
		trouble = module_link(d, t->search.kernel);
	return trouble;
}

/* Name for messages: the copy of the name may be missing for want of memory. */
static const char *file_shown(const struct dso *d)
{
	return name_shown(d->image.file ? d->image.file : "it");
}

/* Warns about a file that is used without proof that it is the recorded one. */
static void warn_unsure(const struct dso *d, const struct dso_candidates *c)
{
	/* one path is not named twice */
	const bool same = d->image.file && !strcmp(d->image.file, d->path);

	if (d->kind == DSO_KCORE ||
	    (d->recorded.len && build_id_equal(&d->recorded, &d->image.found)))
		return;
	if (is_comparable(d))
		fprintf(message_stream(), "cstrace: warning: %s: %s has another build-id than the recorded file and is "
			"used because of -f\n", name_shown(d->path), same ? "the file" : file_shown(d));
	else if (d->where.by_name)
		fprintf(message_stream(), "cstrace: warning: %s: not found by path, taking %s by its name; nothing in "
			"the recording tells whether it is the same file\n", name_shown(d->path), file_shown(d));
	else if (c->replaced)
		fprintf(message_stream(), "cstrace: warning: %s: removed before its name was recorded, taking %s, which is in "
			"its place; nothing in the recording tells whether it has the same code\n", name_shown(d->path),
			same ? "the file of this name" : file_shown(d));
}

static bool load(struct dso_table *t, struct dso *d)
{
	struct dso_candidates c = { .step = 0 };
	struct build_id refused_id = { .len = 0 };
	int trouble;

	d->state = DSO_MISSING;
	d->trouble = DSO_NOT_FOUND;
	d->where.finder = dso_search_finder(&t->search);
	if (d->kind == DSO_JIT) {
		jitdump_dso_load(d);
		return true;
	}
	if (d->zip.archive)
		dso_load(d->zip.archive);
	while (dso_next_candidate(&t->search, d, &c)) {
		trouble = try_file(t, d, c.path);
		if (trouble == DSO_FINE) {
			free(d->image.file);
			d->image.file = mem_text(c.path);
			d->state = DSO_LOADED;
			d->trouble = DSO_FINE;
			d->where.by_name = c.by_name;
			d->where.from_host = c.from_host;
			d->where.from_input = c.from_input;
			break;
		}
		/* the first file that was found and refused is the one to report */
		if (trouble != DSO_NOT_FOUND && d->state != DSO_REFUSED) {
			d->state = DSO_REFUSED;
			d->trouble = trouble;
			d->image.file = mem_text(c.path);
			refused_id = d->image.found;
		}
		unload(d);
	}
	if (d->state == DSO_REFUSED) {
		d->image.found = refused_id;
		fprintf(message_stream(), "cstrace: ");
		dso_explain(d, !t->search.other_recorder, t->search.kernel && t->search.kernel->kcore,
			    message_stream());
	}
	if (d->state == DSO_LOADED)
		warn_unsure(d, &c);
	return d->state == DSO_LOADED;
}

bool dso_load(struct dso *d)
{
	uint64_t about;
	bool loaded;

	if (d->state != DSO_UNTRIED)
		return d->state == DSO_LOADED;
	about = message_subject(SUBJECT_DSO | d->number);
	loaded = load(d->table, d);
	message_subject(about);
	return loaded;
}

/* What finds a file without a name, unless the recording was made so. */
static const char *id_cure(const struct dso *d, bool perf)
{
	if (!perf || (d->table && d->table->search.build_ids))
		return "";
	return "; record with perf record --buildid-mmap, and bring the file with --symfs or "
		"--buildid-dir";
}

/* Memory without a file, or with a file that cannot be found. */
static void explain_memory(const struct dso *d, bool perf, FILE *out)
{
	const char *path = name_shown(d->path);
	bool given = d->table && d->table->search.jitdump;

	switch (dso_name_kind(d->path)) {
	case NAME_DEVICE:
		fprintf(out, "%s: memory of the kernel or of a device, and no file has its code\n",
			path);
		return;
	case NAME_UPROBES:
		fprintf(out, "%s: instructions that probes replaced, which the kernel copies "
			"here one by one, and no file has "
			"them; trace without probes in the program\n", path);
		return;
	case NAME_MEMFD:
		fprintf(out, "%s: a file in memory, of which no build-id is recorded%s", path,
			id_cure(d, perf));
		if (!given)
			fprintf(out, "; if it holds generated code, let the runtime write a "
				"jitdump file, and name it with --jitdump");
		fputc('\n', out);
		return;
	default:
		if (given)
			fprintf(out, "%s: memory without a file (generated code), and no jitdump "
				"file that was given describes it\n",
				path);
		else
			fprintf(out, "%s: memory without a file (generated code), and no jitdump "
				"file describes it; "
				"let the runtime write one, and name it with --jitdump\n", path);
	}
}

/* No file of a guest was found. */
static void explain_guest(const struct dso *d, FILE *out)
{
	fprintf(out, "%s: not found among the files of %s; give %s with --guest\n",
		name_shown(d->path), d->table->name,
		d->kind == DSO_VMLINUX ? "the kernel image as vmlinux=FILE" :
					 "its file system as symfs=DIR");
}

/* No file was found. */
static void explain_missing(const struct dso *d, bool perf, bool has_kcore, FILE *out)
{
	const char *path = name_shown(d->path), *kcore = perf && !has_kcore ? ", or record with --kcore" : "";
	char want[2 * BUILD_ID_MAX + 1];

	build_id_text(&d->recorded, want);
	if (d->kind == DSO_VMLINUX)
		fprintf(out, "%s: kernel text is not in the recording; give the kernel image of "
			"this very build with --vmlinux FILE%s\n", path, kcore);
	else if (d->kind == DSO_MODULE)
		fprintf(out, "%s: module not found; give the directory with the target's modules with "
			"--symfs DIR%s\n", path, kcore);
	else if (d->kind == DSO_BPF && !strncmp(d->path, "bpf_", 4))
		fprintf(out, "%s: the code of this BPF program is not in the recording: record as root, and "
			"end the recorder while the program is loaded\n", path);
	else if (d->kind == DSO_BPF)
		fprintf(out,
			"%s: code that the kernel made while it ran, and no TEXT_POKE record has "
			"its bytes%s\n",
			path,
			perf && !has_kcore && !d->made.made_later ? "; record with --kcore" : "");
	else if (!strncmp(d->path, "[vdso", 5))
		fprintf(out, "%s: code that the kernel provides; %sput a copy of it below --symfs under this "
			"name\n", path, perf ? "the recorder keeps a copy in its build-id cache: bring that along (perf "
			"archive) and name it with --buildid-dir, or " : "");
	else if (d->kind == DSO_ANON)
		explain_memory(d, perf, out);
	else if (dso_name_kind(d->path) == NAME_PAGE)
		fprintf(out, "%s: a page of code that the kernel gives to 32-bit programs, and "
			"no file has it; put a copy of "
			"its bytes below --symfs under this name\n", path);
	else if (!d->recorded.len && dso_name_kind(d->path) == NAME_LOST)
		fprintf(out, "%s: a file whose name was not recorded: it is too long for the "
			"kernel%s\n", path, id_cure(d, perf));
	else if (d->recorded.len)
		fprintf(out, "%s: no file with build-id %s found by path, below --symfs or in the "
			"build-id cache\n", path, want);
	else
		fprintf(out, "%s: file not found; give the directory with the target's files with "
			"--symfs DIR\n", path);
}

void dso_explain(const struct dso *d, bool perf, bool has_kcore, FILE *out)
{
	const char *path = name_shown(d->path), *file = file_shown(d);
	const char *kcore = perf && !has_kcore ? ", or record with --kcore" : "";
	char want[2 * BUILD_ID_MAX + 1], have[2 * BUILD_ID_MAX + 1];

	build_id_text(&d->recorded, want);
	build_id_text(&d->image.found, have);
	switch (d->trouble) {
	case DSO_FINE:
		fprintf(out, "%s: %s is %zu bytes long, and code behind its end was executed: is it the "
			"recorded file?\n", path, file, d->image.size);
		break;
	case DSO_BUILD_ID:
		fprintf(out, "%s: %s has build-id %s, recorded was %s: not used; find the recorded file "
			"with --symfs DIR, or use this one with -f\n", path, file,
			d->image.found.len ? have : "none", want);
		break;
	case DSO_MACHINE:
		fprintf(out, "%s: %s is not an Arm file (ELF machine %u): not used; give the directory "
			"with the target's files with --symfs DIR\n", path, file, d->image.machine);
		break;
	case DSO_NO_CODE:
		fprintf(out, "%s: %s holds debug information but no code: not used; the program file "
			"itself is needed\n", path, file);
		break;
	case DSO_UNREADABLE:
		fprintf(out, "%s: %s cannot be read: check its type, size and permissions\n", path,
			file);
		break;
	case DSO_BAD_ELF:
		fprintf(out, "%s: %s has a broken ELF header: not used\n", path, file);
		break;
	case DSO_UNALIGNED:
		fprintf(out, "%s: its file offsets do not fit the addresses it was mapped at\n", path);
		break;
	case DSO_PACKED:
		fprintf(out, "%s: %s cannot be unpacked: damaged, or compressed in a way that this program does not "
			"know; unpack it by hand\n", path, file);
		break;
	case DSO_LEFT_OUT:
		fprintf(out, "%s: %s is compressed by xz or zstd, and this program was made without what unpacks that "
			"(perf-cstrace --version); unpack it by hand\n", path, file);
		break;
	case DSO_UNPACKED_LARGE:
		fprintf(out, "%s: %s unpacks to more than %d times its size, or %u MiB, which no kernel file does: not used; "
			"unpack it by hand if it is trusted\n", path, file, UNPACK_RATIO, UNPACK_MAX >> 20);
		break;
	case DSO_NOT_MAPPABLE:
		fprintf(out, "%s: the archive of %s does not hold it as it was mapped (not "
			"compressed, and aligned to a page), so it "
			"is not the recorded archive: not used; find that with --symfs DIR\n",
				path, file);
		break;
	case DSO_NO_PLACE:
		fprintf(out, "%s: %s is not linked, and nothing tells where its code was in memory: give a copy of "
			"the target's /proc/kallsyms with --kallsyms%s\n", path, file, kcore);
		break;
	case DSO_NO_SYMBOL:
		fprintf(out, "%s: %s has no symbol %s, so nothing tells where it was loaded: give the image "
			"with its symbol table\n", path, file, name_shown(d->kernel.ref_sym));
		break;
	default:
		if (d->table && d->table->host && d->kind != DSO_ANON && d->kind != DSO_BPF)
			explain_guest(d, out);
		else
			explain_missing(d, perf, has_kcore, out);
	}
}

void dso_assume(struct dso *d)
{
	const uint64_t about = message_subject(SUBJECT_DSO | d->number);

	if (!d->copy.assumed)
		fprintf(message_stream(), "cstrace: warning: %s: text remapped to anonymous "
			"memory (huge pages): the code there is "
			"assumed to be still that of %s\n", name_shown(d->path), file_shown(d));
	d->copy.assumed = true;
	message_subject(about);
}

int dso_compare(const struct dso *a, const struct dso *b)
{
	int c = strcmp(a->path, b->path);

	if (c)
		return c;
	if (a->recorded.len != b->recorded.len)
		return a->recorded.len < b->recorded.len ? -1 : 1;
	c = memcmp(a->recorded.id, b->recorded.id, a->recorded.len);
	return c ? c :
		   (a->kernel.ref_addr > b->kernel.ref_addr) -
			       (a->kernel.ref_addr < b->kernel.ref_addr);
}

const char *dso_path(const struct dso *dso)
{
	return dso->path;
}

const char *dso_file(const struct dso *dso)
{
	return dso->state == DSO_LOADED ? dso->image.file : NULL;
}

const uint8_t *dso_build_id(const struct dso *dso, size_t *len)
{
	const struct build_id *id = &dso->recorded;

	if (dso->state == DSO_LOADED && dso->image.found.len)
		id = &dso->image.found;
	*len = id->len;
	return id->len ? id->id : NULL;
}

bool dso_vaddr(const struct dso *dso, uint64_t offset, uint64_t *vaddr)
{
	size_t i;

	if (!dso->image.is_elf) {
		*vaddr = offset;
		return true;
	}
	for (i = 0; i < dso->image.nr_segs; i++) {
		const struct dso_segment *g = &dso->image.segs[i];

		if (offset >= g->offset && offset - g->offset < g->filesz) {
			*vaddr = g->vaddr + (offset - g->offset);
			return true;
		}
	}
	return false;
}

bool dso_offset(const struct dso *dso, uint64_t vaddr, uint64_t *offset)
{
	size_t i;

	for (i = 0; i < dso->image.nr_segs; i++) {
		const struct dso_segment *g = &dso->image.segs[i];

		if (vaddr >= g->vaddr && vaddr - g->vaddr < g->filesz) {
			*offset = g->offset + (vaddr - g->vaddr);
			return true;
		}
	}
	return false;
}

bool dso_is_memory(const struct dso *dso)
{
	return dso->kind == DSO_KCORE;
}

bool dso_is_kernel(const struct dso *dso)
{
	return dso->kind == DSO_VMLINUX || dso->kind == DSO_MODULE || dso->kind == DSO_KCORE;
}
