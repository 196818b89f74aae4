/* SPDX-License-Identifier: GPL-2.0-only */
/* header.c - reads the file header, or the header of a pipe, with the attrs and features behind it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/files/countfile.h>

#include "base/alloc.h"
#include "base/error.h"
#include "perfdata/branch_list.h"
#include "perfdata/bytes.h"
#include "perfdata/internal.h"
#include "perfdata/layout.h"

static uint64_t get64(const struct perfdata *pd, const uint8_t *p)
{
	uint64_t v = pd_load64(p);

	return pd->swap ? __builtin_bswap64(v) : v;
}

/* The 8 bytes as text, for a message about a file that is something else. */
static void printable(char out[9], const uint8_t *p, uint64_t n)
{
	uint64_t i;

	for (i = 0; i < 8 && i < n; i++)
		out[i] = p[i] >= 0x20 && p[i] < 0x7f ? (char)p[i] : '.';
	out[i] = 0;
}

/* True if the file begins as perf.data of either byte order, as far as it goes. */
static bool may_be(const struct pd_source *s)
{
	const size_t n = s->size < 8 ? s->size : 8;

	return !memcmp(s->base, "PERFILE2", n) || !memcmp(s->base, "2ELIFREP", n);
}

static int check_magic(struct perfdata *pd, struct error *err)
{
	struct pd_source *s = pd_main(pd);
	char text[9];
	uint64_t magic;

	if (!pd_source_have(s, 0, PD_PIPE_HEADER_SIZE)) {
		if (s->io_errno)
			return error_set(err, ERR_IO, "%s: cannot read it: %s", s->name, strerror(s->io_errno));
		if (!s->size)
			return error_set(err, ERR_FORMAT, "%s: is empty, expected perf.data; was "
					 "the recorder stopped before it wrote anything?", s->name);
		if (may_be(s))
			return error_set(err, ERR_CUT, "%s: is cut at %#" PRIx64 ", inside the "
					 "file header; record or copy it again", s->name, s->size);
	}
	magic = s->size < 8 ? 0 : pd_load64(s->base);
	if (magic == PD_MAGIC || magic == PD_MAGIC_SWAPPED) {
		pd->swap = magic == PD_MAGIC_SWAPPED;
		return 0;
	}
	if (magic == PD_MAGIC_V1 || magic == __builtin_bswap64(PD_MAGIC_V1))
		return error_set(err, ERR_FORMAT, "%s: offset 0x0: found version 1 of the format "
				 "(PERFFILE), expected PERFILE2; that recorder is older than "
				 "CoreSight support, record again with a newer perf", s->name);
	if (s->size >= sizeof(CST_COUNT_MARK) - 1 &&
	    !memcmp(s->base, CST_COUNT_MARK, sizeof(CST_COUNT_MARK) - 1))
		return error_set(err, ERR_FORMAT, "%s: offset 0x0: found a count file, expected \"PERFILE2\": it has counts "
				 "and no trace; 'perf-cstrace profile -i FILE', with its name, makes profiles of it", s->name);
	if (branch_lists_begin(s->base, s->size))
		return error_set(err, ERR_FORMAT,
				 "%s: offset 0x0: found branch lists of simpleperf, expected "
				 "\"PERFILE2\": they have counts and no trace; 'perf-cstrace "
				 "profile -i FILE', with its name, makes profiles of them",
				 s->name);
	printable(text, s->base, s->size);
	return error_set(err, ERR_FORMAT, "%s: offset 0x0: found \"%s\", expected \"PERFILE2\": "
			 "not a perf.data file; give the file that perf record or simpleperf record "
			 "wrote (unpacked, if it was compressed)", s->name, text);
}

/*
 * The position of the ids follows the attr, whose own size field may be smaller than the entry
 * when a tool copied an older attr into a newer entry. A section that lies in the file decides.
 * @attr_size is at most @entry_size - 16.
 */
static bool ids_section(struct perfdata *pd, uint64_t entry, uint64_t entry_size,
			uint32_t attr_size, struct pd_section *ids)
{
	uint64_t at[2] = { entry_size - 16, attr_size };
	int i;

	for (i = 0; i < 2; i++) {
		const uint8_t *p = pd_main(pd)->base + entry + at[i];

		ids->offset = get64(pd, p);
		ids->size = get64(pd, p + 8);
		if (ids->size % 8 == 0 && (!ids->size ||
		    pd_source_have(pd_main(pd), ids->offset, ids->size)))
			return true;
	}
	return false;
}

static int add_attr(struct perfdata *pd, uint64_t entry, uint64_t entry_size, uint64_t *ids_left,
		    struct error *err)
{
	struct pd_source *s = pd_main(pd);
	struct pd_section ids = { 0, 0 };
	uint8_t attr[sizeof(struct perf_event_attr)] = { 0 };
	uint32_t size = pd_load32(s->base + entry + 4), n;
	uint64_t *copy = NULL, i;
	struct pd_attr *added;
	bool damaged;

	if (pd->swap)
		size = __builtin_bswap32(size);
	if (!size)
		size = PD_ATTR_SIZE_MIN;	/* the first recorders left it empty */
	if (size < PD_ATTR_SIZE_MIN || size > entry_size - 16)
		return error_set(err, ERR_FORMAT, "%s: offset %#" PRIx64 ": found an event "
				 "attribute of %u bytes in an entry of %" PRIu64 ", expected 64 to %"
				 PRIu64 "; the header is damaged, record or copy it again", s->name,
				 entry, size, entry_size, entry_size - 16);
	damaged = !ids_section(pd, entry, entry_size, size, &ids) || ids.size > *ids_left;
	if (damaged) {
		pd_warn(pd, "%s: offset %#" PRIx64 ": the ids of event %u lie outside the file; "
			"its records are read without them", s->name, entry, pd->attrs.nr);
		ids.size = 0;
	}
	*ids_left -= ids.size;
	n = size < sizeof(attr) ? size : (uint32_t)sizeof(attr);
	memcpy(attr, s->base + entry, n);
	if (pd->swap)
		pd_layout_swap_attr(attr, n);
	if (ids.size) {
		copy = mem_new(ids.size);
		for (i = 0; i < ids.size / 8; i++)
			copy[i] = get64(pd, s->base + ids.offset + i * 8);
	}
	added = pd_attrs_add(&pd->attrs, attr, size, copy, (uint32_t)(ids.size / 8));
	free(copy);
	added->damaged = damaged;
	return 0;
}

static int read_attrs(struct perfdata *pd, const struct pd_section *sec, uint64_t entry_size,
		      struct error *err)
{
	struct pd_source *s = pd_main(pd);
	uint64_t n, i, ids_left;
	int rc;

	if (entry_size < PD_ATTR_SIZE_MIN + 16 || entry_size > PD_MAX_RECORD)
		return error_set(err, ERR_FORMAT, "%s: offset 0x10: found an attribute entry "
				 "size of %" PRIu64 ", expected 80 to 65535; was the recorder "
				 "stopped before it completed the file?", s->name, entry_size);
	if (!pd_source_have(s, sec->offset, sec->size))
		return error_set(err, ERR_CUT, "%s: is cut at %#" PRIx64 ", expected event "
				 "attributes at %#" PRIx64 " to %#" PRIx64 "; copy it again", s->name,
				 s->size, sec->offset, sec->offset + sec->size);
	n = sec->size / entry_size;
	if (!n)
		return error_set(err, ERR_FORMAT, "%s: offset 0x18: found no event attributes, "
				 "expected at least one; the recorder did not complete the file",
				 s->name);
	/* Sections may not be shared, so all ids together are no larger than the file. */
	ids_left = s->size;
	for (i = 0; i < n; i++) {
		rc = add_attr(pd, sec->offset + i * entry_size, entry_size, &ids_left, err);
		if (rc)
			return rc;
	}
	return 0;
}

static bool feature_bit(const uint64_t *map, unsigned int bit)
{
	return map[bit / 64] >> (bit % 64) & 1;
}

/*
 * Reads the feature map, an array of the recorder's longs. In the other byte order their width is derived from HOSTNAME,
 * a bit that every recorder sets.
 */
static void read_feature_map(struct perfdata *pd, uint64_t *map)
{
	const uint8_t *p = pd_main(pd)->base + PD_FILE_HEADER_OLD_SIZE;
	unsigned int i;

	memcpy(map, p, PD_FEATURE_BITS / 8);
	if (!pd->swap)
		return;
	for (i = 0; i < PD_FEATURE_BITS / 64; i++)
		pd_swap64(&map[i]);
	if (feature_bit(map, PD_FEAT_HOSTNAME))
		return;
	for (i = 0; i < PD_FEATURE_BITS / 64; i++)
		map[i] = map[i] >> 32 | map[i] << 32;
}

static void read_features(struct perfdata *pd, const uint64_t *map)
{
	struct pd_source *s = pd_main(pd);
	uint64_t table = pd->data_end;
	unsigned int bit;

	for (bit = 0; bit < PD_FEATURE_BITS; bit++) {
		struct pd_section sec;
		const char *bad;

		if (!feature_bit(map, bit))
			continue;
		if (!pd_source_have(s, table, 16)) {
			pd_warn(pd, "%s: is cut at %#" PRIx64 ", before the table of its features "
				"at %#" PRIx64 ": host, command line and build-ids are not known",
				s->name,
				s->size, table);
			return;
		}
		sec.offset = get64(pd, s->base + table);
		sec.size = get64(pd, s->base + table + 8);
		table += 16;
		if (!pd_source_have(s, sec.offset, sec.size)) {
			pd_warn(pd, "%s: offset %#" PRIx64 ": feature %u (%s) is said to be %" PRIu64
				" bytes at %#" PRIx64 ", but the file ends at %#" PRIx64 ": it is "
				"ignored; is the copy complete?", s->name, table - 16, bit,
				pd_feature_name(bit), sec.size, sec.offset, s->size);
			continue;
		}
		bad = pd_feature_read(&pd->env, &pd->attrs, bit, s->base + sec.offset, sec.size,
				      sec.offset, pd->swap);
		if (bad)
			pd_warn(pd,
				"%s: offset %#" PRIx64 ": feature %u (%s) %s; the rest of it is ignored",
				s->name, sec.offset, bit, pd_feature_name(bit), bad);
	}
}

static int read_file_header(struct perfdata *pd, uint64_t header_size, struct error *err)
{
	struct pd_source *s = pd_main(pd);
	uint64_t map[PD_FEATURE_BITS / 64] = { 0 };
	struct pd_section attrs, data;
	int rc;

	if (!pd_source_have(s, 0, header_size))
		return error_set(err, ERR_CUT, "%s: is cut at %#" PRIx64 ", inside the "
				 "file header; record or copy it again", s->name, s->size);
	attrs.offset = get64(pd, s->base + 24);
	attrs.size = get64(pd, s->base + 32);
	data.offset = get64(pd, s->base + 40);
	data.size = get64(pd, s->base + 48);
	rc = read_attrs(pd, &attrs, get64(pd, s->base + 16), err);
	if (rc)
		return rc;
	pd->data_offset = data.offset;
	if (__builtin_add_overflow(data.offset, data.size, &pd->data_end))
		return error_set(err, ERR_FORMAT, "%s: offset 0x28: found data at %#" PRIx64 " "
				 "of %#" PRIx64 " bytes, which no file can hold; the header is damaged",
				 s->name,
				 data.offset, data.size);
	if (header_size == PD_FILE_HEADER_SIZE)
		read_feature_map(pd, map);
	/* simpleperf that decodes while it records leaves no record */
	if (!data.size && !feature_bit(map, PD_FEAT_SP_BRANCH_LIST)) {
		pd_warn(pd, "%s: the size of its data is 0: perf record was not ended properly; "
			"reading to the end of the file", s->name);
		pd->data_end = UINT64_MAX;
		return 0;
	}
	if (header_size == PD_FILE_HEADER_SIZE)
		read_features(pd, map);
	return 0;
}

int pd_header_read(struct perfdata *pd, struct error *err)
{
	struct pd_source *s = pd_main(pd);
	uint64_t size;
	int rc;

	rc = check_magic(pd, err);
	if (rc)
		return rc;
	size = get64(pd, s->base + 8);
	switch (size) {
	case PD_PIPE_HEADER_SIZE:
		pd->pipe = true;
		pd->data_offset = size;
		pd->data_end = UINT64_MAX;
		return 0;
	case PD_FILE_HEADER_SIZE:
	case PD_FILE_HEADER_OLD_SIZE:
		return read_file_header(pd, size, err);
	default:
		return error_set(err, ERR_FORMAT, "%s: offset 0x8: found a header of %" PRIu64
				 " bytes, expected 104 (file), 72 (old file) or 16 (pipe); the file "
				 "is damaged, record or copy it again", s->name, size);
	}
}
