/* SPDX-License-Identifier: BSD-3-Clause */
/* mutate.c - changes the command line or the files of an archive. */
#include <string.h>

#include "fuzz/command/mutate.h"
#include "fuzz/command/options.h"
#include "fuzz/fuzz_input.h"

#define MAX_ARCHIVE (1u << 20)

/* Where readers look for files. */
static const char *const places[] = {
	"perf.data", "perf.data.cstidx", "rec/data", "rec/data.0", "rec/kcore_dir/kcore", "rec/kcore_dir/kallsyms",
	"rec/kcore_dir/modules", "rec/cstrace.cstidx", "kcore_dir/kcore", "kcore_dir/kallsyms", "symfs/boot/vmlinux",
	"symfs/vmlinux", "symfs/proc/kallsyms", "symfs/tmp/perf-1000.map", "symfs/tmp/jit-1000.dump", "jit.dump",
	"snapshot/snapshot.ini", "snapshot/device_1.ini", "snapshot/device_2.ini", "snapshot/trace.ini",
	"snapshot/cstrace.bin", "package/contents.ini", "package/trace.ini", "package/system-event-log",
	"package/perf.header", "package/cstrace.cstidx", "ix", "a.cst", "b.cst", "list",
};

#define NR_PLACES (sizeof(places) / sizeof(places[0]))

uint32_t blob_random(struct blob *b, uint32_t below)
{
	return below ? next_random(&b->random, below) : 0;
}

uint64_t blob_get(const struct blob *b, size_t at, unsigned int bytes)
{
	uint64_t v = 0;
	unsigned int i;

	if (at > b->len || b->len - at < bytes)
		return 0;
	for (i = 0; i < bytes; i++)
		v |= (uint64_t)b->p[at + i] << 8 * i;
	return v;
}

void blob_put(struct blob *b, size_t at, unsigned int bytes, uint64_t v)
{
	unsigned int i;

	if (at > b->len || b->len - at < bytes)
		return;
	for (i = 0; i < bytes; i++)
		b->p[at + i] = (uint8_t)(v >> 8 * i);
}

bool blob_splice(struct blob *b, size_t at, size_t remove, const uint8_t *from, size_t add)
{
	if (at > b->len || remove > b->len - at || (add > remove && add - remove > b->cap - b->len))
		return false;
	memmove(b->p + at + add, b->p + at + remove, b->len - at - remove);
	if (from)
		memcpy(b->p + at, from, add);
	else
		memset(b->p + at, 0, add);
	b->len = b->len - remove + add;
	return true;
}

void blob_number(struct blob *b, size_t at, size_t size)
{
	static const uint64_t borders[] = { 0, 1, 2, 7, 8, 0x7f, 0xff, 0x1000, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
					    0xffffffff, 0x100000000, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX };
	unsigned int bytes = 1u << blob_random(b, 4);
	uint64_t v;

	while (bytes > size)
		bytes >>= 1;
	if (!bytes)
		return;
	at += blob_random(b, (uint32_t)(size / bytes)) * bytes;
	v = blob_get(b, at, bytes);
	switch (blob_random(b, 6)) {
	case 0:
		v = borders[blob_random(b, sizeof(borders) / sizeof(borders[0]))];
		break;
	case 1:
		v += 1 + blob_random(b, 16);
		break;
	case 2:
		v -= 1 + blob_random(b, 16);
		break;
	case 3:
		v ^= 1ull << blob_random(b, 8 * bytes);
		break;
	case 4:
		v = blob_get(b, blob_random(b, (uint32_t)(b->len / bytes)) * bytes, bytes);
		break;
	case 5:
		v = blob_random(b, 2) ? v * 2 : v + ((uint64_t)blob_random(b, 64) - 32) * 0x1000;
		break;
	}
	blob_put(b, at, bytes, v);
}

void blob_bytes(struct blob *b, size_t at, size_t size)
{
	size_t n = size < 64 ? size : 1 + blob_random(b, 64), i = blob_random(b, (uint32_t)(size - n + 1)), kept;
	uint8_t piece[64];

	if (!size || at + i + n > b->len)
		return;
	memcpy(piece, b->p + at + i, n);
	kept = LLVMFuzzerMutate(piece, n, n);
	memcpy(b->p + at + i, piece, kept);
}

static void choose_value(struct archive_option *o, uint32_t *random)
{
	const struct option_row *row = &option_rows[o->row % nr_option_rows];
	unsigned int n = option_nr_values(row), i = n ? next_random(random, n) : 0;

	if (row->kind == OPTION_FLAG) {
		o->len = 0;
	} else if (row->kind == OPTION_CHOICE) {
		o->len = 1;
		o->value[0] = (uint8_t)i;
	} else if (next_random(random, 3) || !o->len) {
		o->len = (uint8_t)strlen(row->values[i]);
		memcpy(o->value, row->values[i], o->len);
	} else {
		o->len = (uint8_t)LLVMFuzzerMutate(o->value, o->len, ARCHIVE_VALUE);
	}
}

static void mutate_options(struct archive *a, uint32_t *random)
{
	unsigned int i = a->nr_options ? next_random(random, a->nr_options) : 0, tries, command;

	switch (next_random(random, 6)) {
	case 0:
		a->command = (uint8_t)next_random(random, nr_command_rows);
		return;
	case 1:
		if (a->nr_options)
			a->options[i] = a->options[--a->nr_options];
		return;
	case 2: case 3:
		if (a->nr_options == ARCHIVE_OPTIONS)
			return;
		command = a->command % nr_command_rows;
		i = a->nr_options++;
		a->options[i].len = 0;
		for (tries = 0; tries < 64; tries++) {
			a->options[i].row = (uint8_t)next_random(random, nr_option_rows);
			if (option_rows[a->options[i].row].commands & 1u << command)
				break;
		}
		choose_value(&a->options[i], random);
		return;
	default:
		if (a->nr_options)
			choose_value(&a->options[i], random);
	}
}

/* Files go, come twice, move, or are cut. */
static void mutate_files(struct archive *a, uint32_t *random)
{
	unsigned int i = next_random(random, a->nr_files);
	struct archive_file *f = &a->files[i];
	const struct archive_file *other = &a->files[next_random(random, a->nr_files)];
	const char *name;

	switch (next_random(random, 5)) {
	case 0:
		memmove(f, f + 1, (--a->nr_files - i) * sizeof(*f));
		break;
	case 1:
		if (a->nr_files < ARCHIVE_FILES) {
			a->files[a->nr_files] = *f;
			strcpy(a->files[a->nr_files++].name, places[next_random(random, NR_PLACES)]);
		}
		break;
	case 2:
		name = next_random(random, 2) ? places[next_random(random, NR_PLACES)] : a->files[next_random(random, a->nr_files)].name;
		/* may be its own */
		memmove(f->name, name, strlen(name) + 1);
		break;
	case 3:
		f->len = next_random(random, (uint32_t)f->len + 1);
		break;
	case 4:
		f->data = other->data;
		f->len = other->len;
		break;
	}
}

static void mutate_content(struct archive_file *f, size_t room, uint32_t *random)
{
	static uint8_t copy[MAX_ARCHIVE];
	struct blob b = { copy, f->len, f->len + room, *random };
	unsigned int n;

	if (b.cap > sizeof(copy))
		b.cap = sizeof(copy);
	if (f->len > b.cap)
		return;
	memcpy(copy, f->data, f->len);
	for (n = 1 + blob_random(&b, 3) * blob_random(&b, 3); n; n--)
		if (!blob_random(&b, 12) || (!mutate_perf(&b) && !mutate_elf(&b) && !mutate_index(&b) &&
					     !mutate_counts(&b) && !mutate_jitdump(&b) && !mutate_text(&b))) {
			if (b.len > 512 && blob_random(&b, 4))
				blob_bytes(&b, 0, b.len);
			else if (b.cap)
				b.len = LLVMFuzzerMutate(b.p, b.len, b.cap);
		}
	*random = b.random;
	f->data = copy;
	f->len = b.len;
}

/* Files that are read first, and in every run, more often. */
static struct archive_file *choose_file(struct archive *a, uint32_t *random)
{
	unsigned int i = next_random(random, a->nr_files), k = next_random(random, 3) ? i : next_random(random, a->nr_files);

	return &a->files[i < k ? i : k];
}

size_t mutate_archive(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	static uint8_t out[MAX_ARCHIVE];
	static struct archive a;
	uint32_t random = seed, what = next_random(&random, 100);
	size_t n;

	if (max > sizeof(out))
		max = sizeof(out);
	packed_read(&a, data, size);
	if (what < 2)
		return LLVMFuzzerMutate(data, size, max);
	if (what < 22 || !a.nr_files)
		mutate_options(&a, &random);
	else if (what < 30)
		mutate_files(&a, &random);
	else
		mutate_content(choose_file(&a, &random), max > size ? max - size : 0, &random);
	n = archive_write(&a, out, max);
	if (!n)
		return size <= max ? size : max;
	memcpy(data, out, n);
	return n;
}

size_t mutate_cross(const uint8_t *a_data, size_t a_size, const uint8_t *b_data, size_t b_size, uint8_t *out, size_t max,
		    uint32_t seed)
{
	static struct archive a, b;
	struct archive_file *f, *to;
	uint32_t random = seed;

	packed_read(&a, a_data, a_size);
	packed_read(&b, b_data, b_size);
	if (!next_random(&random, 3) || !b.nr_files) {
		a.command = b.command;
		a.nr_options = b.nr_options;
		memcpy(a.options, b.options, sizeof(a.options));
	} else {
		f = &b.files[next_random(&random, b.nr_files)];
		to = packed_find(&a, f->name);
		if (to)
			*to = *f;
		else if (a.nr_files < ARCHIVE_FILES)
			a.files[a.nr_files++] = *f;
	}
	return archive_write(&a, out, max);
}
