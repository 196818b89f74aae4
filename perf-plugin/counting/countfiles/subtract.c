/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * subtract.c - reads two sums of count files side by side. Both are in canonical order, and all
 * records of the one that is subtracted must be in the other one: so each record of it is compared
 * with the next one of the other until it is found, and one that is left at the end was not there.
 */
#include "counting/countfiles/subtract.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/files/input.h"
#include "base/files/output.h"
#include "base/name.h"
#include "counting/countfiles/count_input.h"
#include "counting/countfiles/lost.h"
#include "counting/countfiles/range_pieces.h"

#define DEPTHS (CST_COUNT_DEPTH_MAX + 1u)

struct total {
	char *name;
	uint64_t value;
};

struct binary {
	struct cst_count_binary is;	/* with its own copy of the name */
	uint32_t number;	/* of the same one in the sum; CST_COUNT_NO_BINARY: it has none */
	uint32_t left;	/* of the sum: its number in what is left; CST_COUNT_NO_BINARY: none */
	bool used;	/* of the sum: counts are left */
};

/* A sum that is read. */
struct operand {
	int fd;
	struct count_input in;
	struct cst_count_record rec;	/* the next one */
	bool has;
	struct total *totals;
	size_t nr_totals, cap_totals;
	struct binary *binaries;
	size_t nr_binaries, cap_binaries;
};

struct subtraction {
	const struct merge_list *list;	/* whose `note` gets what is left */
	struct operand sum, less;
	struct error *err;
	struct subtract_sums *sums;
	/* NULL: the first pass, which finds errors and the binaries that are left */
	struct cst_count_writer *writer;
	struct pd_output out;
	/*
	 * by depth: nodes of the sum around the current one, and whether each was written, and
	 * whether it is the same as the last one of that depth of what is subtracted
	 */
	struct cst_count_node *path;
	bool *written, *matched;
	uint32_t seen;	/* binaries of the sum in this pass */
	struct range_list ranges, less_ranges;	/* of the current binary of the sum */
};

/* ---- reading -------------------------------------------------------------------------------- */

static int next(struct subtraction *s, struct operand *o)
{
	int rc = cst_count_read(o->in.reader, &o->rec);

	o->has = rc > 0;
	return rc < 0 ? count_input_fail(&o->in, rc, s->err) : 0;
}

/* Begins to read from the first record on. */
static int rewind_operand(struct subtraction *s, struct operand *o)
{
	if (o->in.reader)
		count_input_close(&o->in);
	if (lseek(o->fd, 0, SEEK_SET))
		return error_set(s->err, ERR_IO, "cannot read a temporary file: %s",
				 strerror(errno));
	count_input_fd(&o->in, o->fd, "a temporary file");
	return next(s, o);
}

/* Keeps totals and binaries, which come first. */
static int read_head(struct subtraction *s, struct operand *o)
{
	int rc = rewind_operand(s, o);

	for (; !rc && o->has && o->rec.kind <= CST_COUNT_SEGMENT; rc = next(s, o)) {
		if (o->rec.kind == CST_COUNT_TOTAL) {
			*ARRAY_ADD(o->totals, o->nr_totals, o->cap_totals) =
				(struct total){ .name = mem_text(o->rec.total.name),
						.value = o->rec.total.value };
		} else if (o->rec.kind == CST_COUNT_BINARY) {
			struct binary *b = ARRAY_ADD(o->binaries, o->nr_binaries, o->cap_binaries);

			*b = (struct binary){ .is = o->rec.binary,
					      .number = CST_COUNT_NO_BINARY,
					      .left = CST_COUNT_NO_BINARY };
			b->is.name = mem_text(o->rec.binary.name);
		}
	}
	return rc;
}

static void free_operand(struct operand *o)
{
	size_t i;

	if (o->in.reader)
		count_input_close(&o->in);
	if (o->fd >= 0)
		close(o->fd);
	for (i = 0; i < o->nr_totals; i++)
		free(o->totals[i].name);
	for (i = 0; i < o->nr_binaries; i++)
		free((char *)o->binaries[i].is.name);
	free(o->totals);
	free(o->binaries);
}

/* ---- totals --------------------------------------------------------------------------------- */

static uint64_t total_of(const struct operand *o, const char *name)
{
	size_t i;

	for (i = 0; i < o->nr_totals; i++)
		if (!strcmp(o->totals[i].name, name))
			return o->totals[i].value;
	return 0;
}

/* True if both are counts of the same recordings. */
static bool same_run(const struct subtraction *s)
{
	return total_of(&s->sum, "recordings") == total_of(&s->less, "recordings");
}

static int refuse(struct subtraction *s, uint64_t have, uint64_t less, const char *what,
		  const char *binary)
{
	const char *why = "what is to be subtracted is no part of the sum";

	if (have == UINT64_MAX)
		why = "the count of the sum is at the limit of a count file, and may be larger";
	else if (!strncmp(what, "the call", 8) && same_run(s))
		why = "the calls around a window are not known in it as in the whole run; count "
		      "both with profile --no-calls";
	return error_set(s->err, ERR_USAGE,
			 "--subtract: %s%s: %" PRIu64 " cannot be subtracted from %" PRIu64 ": %s",
			 what, binary, less, have, why);
}

static bool can_subtract(uint64_t have, uint64_t less)
{
	return !less || (have >= less && have != UINT64_MAX);
}

/*
 * Bytes of the same recordings were traced on both sides; those that were counted once are no more.
 */
static uint64_t left_of_run(const struct subtraction *s, const char *name, uint64_t have)
{
	const uint64_t traced = total_of(&s->less, "bytes.traced");
	const uint64_t filtered = total_of(&s->less, "bytes.filtered");
	const uint64_t counted = traced > filtered ? traced - filtered : 0;

	if (!strcmp(name, "bytes.filtered"))
		return have > UINT64_MAX - counted ? UINT64_MAX : have + counted;
	return !strcmp(name, "filtered") ? total_of(&s->sum, "recordings") : have;
}

/* Of these the same recordings have the same total, whatever was counted. */
static bool is_of_run(const char *name)
{
	static const char *const names[] = { "recordings",	"bytes.traced",	 "bytes.filtered",
					     "filtered",	"calls.lost",	 "calls.estimated",
					     "calls.unordered", "calls.unjoined", LOST_UNKNOWN };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int put(struct subtraction *s, const struct cst_count_record *rec)
{
	const int rc = cst_count_write(s->writer, rec);

	if (s->list->note && rec->kind <= CST_COUNT_BINARY)
		s->list->note(s->list->noted, rec);
	if (!rc || rc == -CST_ERR_IO)
		return rc ? ERR_IO : 0;
	return error_set(s->err, rc, "the difference cannot be made: %s",
			 rc == -CST_ERR_INVAL ? cst_count_writer_refused(s->writer) :
						error_text(rc));
}

static int put_total(struct subtraction *s, const char *name, uint64_t have)
{
	const uint64_t less = total_of(&s->less, name);
	const bool run = same_run(s) && is_of_run(name);
	struct cst_count_record rec = { .kind = CST_COUNT_TOTAL };
	char what[300];

	snprintf(what, sizeof(what), "the total %s", name_shown(name));
	if (!run && !can_subtract(have, less))
		return refuse(s, have, less, what, "");
	if (!s->writer)
		return 0;
	rec.total =
		(struct cst_count_total){ name, run ? left_of_run(s, name, have) : have - less };
	merge_sums_total(&s->sums->left, name, rec.total.value);
	return rec.total.value ? put(s, &rec) : 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Totals of both, and those that the same recordings have if they are counted in part. */
static int put_totals(struct subtraction *s)
{
	const size_t max = s->sum.nr_totals + s->less.nr_totals + 2;
	const char **names = mem_array(max, sizeof(const char *));
	size_t n = 0, i;
	int rc = 0;

	for (i = 0; i < s->sum.nr_totals; i++)
		names[n++] = s->sum.totals[i].name;
	for (i = 0; i < s->less.nr_totals; i++)
		names[n++] = s->less.totals[i].name;
	names[n++] = "bytes.filtered";
	names[n++] = "filtered";
	n = ARRAY_JOIN(names, n, compare_names, NULL);
	for (i = 0; i < n && !rc; i++)
		rc = put_total(s, names[i], total_of(&s->sum, names[i]));
	free(names);
	return rc;
}

/* ---- binaries ------------------------------------------------------------------------------- */

static int compare_ids(const struct cst_count_binary *a, const struct cst_count_binary *b)
{
	if (a->id_kind != b->id_kind)
		return a->id_kind < b->id_kind ? -1 : 1;
	if (a->id_len != b->id_len)
		return a->id_len < b->id_len ? -1 : 1;
	return memcmp(a->id, b->id, a->id_len);
}

/* Finds the binaries of what is subtracted in the sum; both are sorted by their ids. */
static int pair_binaries(struct subtraction *s)
{
	size_t i, k = 0;

	for (i = 0; i < s->less.nr_binaries; i++) {
		struct binary *b = &s->less.binaries[i];
		const struct cst_count_binary *have;

		while (k < s->sum.nr_binaries && compare_ids(&s->sum.binaries[k].is, &b->is) < 0)
			k++;
		if (k == s->sum.nr_binaries || compare_ids(&s->sum.binaries[k].is, &b->is))
			continue;
		have = &s->sum.binaries[k].is;
		if (have->type != b->is.type ||
		    (have->machine && b->is.machine && have->machine != b->is.machine))
			return error_set(
				s->err, ERR_USAGE,
				"--subtract: %s: another machine or type under the same id; "
				"leave out the file that is wrong",
				b->is.name);
		b->number = (uint32_t)k;
	}
	return 0;
}

/* Numbers the binaries that are left. */
static void number_left(struct subtraction *s)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < s->sum.nr_binaries; i++)
		if (s->sum.binaries[i].used)
			s->sum.binaries[i].left = n++;
	s->sums->left.binaries = n;
}

static uint32_t left_number(const struct subtraction *s, uint32_t binary)
{
	return binary == CST_COUNT_NO_BINARY ? binary : s->sum.binaries[binary].left;
}

static void use(struct subtraction *s, uint32_t binary)
{
	if (binary != CST_COUNT_NO_BINARY)
		s->sum.binaries[binary].used = true;
}

/* The number in the sum of a binary of what is subtracted. False: it has none. */
static bool number_in_sum(const struct subtraction *s, uint32_t binary, uint32_t *number)
{
	*number = binary == CST_COUNT_NO_BINARY ? binary : s->less.binaries[binary].number;
	return binary == CST_COUNT_NO_BINARY || *number != CST_COUNT_NO_BINARY;
}

/* ---- counts of binaries --------------------------------------------------------------------- */

/* The binary and the count of a record of counts. */
static uint32_t *binary_of(struct cst_count_record *rec)
{
	switch (rec->kind) {
	case CST_COUNT_RANGE:
		return &rec->range.binary;
	case CST_COUNT_NOT_TAKEN:
		return &rec->not_taken.binary;
	case CST_COUNT_EDGE:
		return &rec->edge.binary;
	default:
		return &rec->entry.binary;
	}
}

static uint64_t *count_of(struct cst_count_record *rec)
{
	switch (rec->kind) {
	case CST_COUNT_RANGE:
		return &rec->range.count;
	case CST_COUNT_NOT_TAKEN:
		return &rec->not_taken.count;
	case CST_COUNT_EDGE:
		return &rec->edge.count;
	default:
		return &rec->entry.count;
	}
}

static bool same_place(const struct cst_count_record *a, const struct cst_count_record *b)
{
	switch (a->kind) {
	case CST_COUNT_RANGE:
		return a->range.start == b->range.start && a->range.last == b->range.last &&
		       a->range.flags == b->range.flags && a->range.insns == b->range.insns;
	case CST_COUNT_NOT_TAKEN:
		return a->not_taken.offset == b->not_taken.offset &&
		       a->not_taken.size == b->not_taken.size;
	case CST_COUNT_EDGE:
		return a->edge.from == b->edge.from && a->edge.to == b->edge.to;
	default:
		return a->entry.offset == b->entry.offset;
	}
}

static bool same_counts(const struct subtraction *s, struct cst_count_record *rec)
{
	struct cst_count_record less = s->less.rec;
	uint32_t number;

	return s->less.has && less.kind == rec->kind &&
	       number_in_sum(s, *binary_of(&less), &number) && number == *binary_of(rec) &&
	       same_place(rec, &less);
}

/* What a record of counts or calls is, in words. */
static void describe(const struct cst_count_record *rec, char *what, size_t size)
{
	switch (rec->kind) {
	case CST_COUNT_RANGE:
		snprintf(what, size, "the range 0x%" PRIx64 " to 0x%" PRIx64 " of ",
			 rec->range.start, rec->range.last);
		break;
	case CST_COUNT_NOT_TAKEN:
		snprintf(what, size, "the branch not taken at 0x%" PRIx64 " of ",
			 rec->not_taken.offset);
		break;
	case CST_COUNT_EDGE:
		snprintf(what, size, "the branch at 0x%" PRIx64 " of ", rec->edge.from);
		break;
	case CST_COUNT_ENTRY:
		snprintf(what, size, "the entry at 0x%" PRIx64 " of ", rec->entry.offset);
		break;
	default:
		snprintf(what, size, "the call of 0x%" PRIx64 " in depth %u of ", rec->node.entry,
			 rec->node.depth);
		break;
	}
}

static const char *name_of(const struct operand *o, uint32_t binary)
{
	return binary == CST_COUNT_NO_BINARY ? "no binary" : o->binaries[binary].is.name;
}

static int refuse_record(struct subtraction *s, const struct operand *o,
			 struct cst_count_record *rec, uint64_t have, uint64_t less)
{
	const uint32_t binary = rec->kind == CST_COUNT_NODE ? rec->node.binary : *binary_of(rec);
	char what[100];

	describe(rec, what, sizeof(what));
	return refuse(s, have, less, what, name_of(o, binary));
}

/* Writes a record of counts that are left. */
static int put_left(struct subtraction *s, struct cst_count_record *rec)
{
	if (!*count_of(rec))
		return 0;
	use(s, *binary_of(rec));
	s->sums->nothing = false;
	if (!s->writer)
		return 0;
	*binary_of(rec) = left_number(s, *binary_of(rec));
	return put(s, rec);
}

static int put_counts(struct subtraction *s, struct cst_count_record *rec)
{
	uint64_t *count = count_of(rec), less;
	int rc;

	if (same_counts(s, rec)) {
		less = *count_of(&s->less.rec);
		if (!can_subtract(*count, less))
			return refuse_record(s, &s->sum, rec, *count, less);
		*count -= less;
		rc = next(s, &s->less);
		if (rc)
			return rc;
	}
	return put_left(s, rec);
}

/* Reads the ranges of what is subtracted in a binary of the sum. */
static int read_less_ranges(struct subtraction *s, uint32_t binary)
{
	struct range_list *to = &s->less_ranges;
	uint32_t number;
	int rc = 0;

	to->n = 0;
	while (!rc && s->less.has && s->less.rec.kind == CST_COUNT_RANGE &&
	       number_in_sum(s, s->less.rec.range.binary, &number) && number == binary) {
		*ARRAY_ADD(to->v, to->n, to->cap) = s->less.rec.range;
		rc = next(s, &s->less);
	}
	return rc;
}

/* Writes what is left of the ranges of a binary, all of which were read. */
static int put_ranges(struct subtraction *s)
{
	struct cst_count_record rec = { .kind = CST_COUNT_RANGE };
	const struct cst_count_range *more;
	uint64_t have;
	size_t i;
	int rc;

	if (!s->ranges.n)
		return 0;
	rc = read_less_ranges(s, s->ranges.v[0].binary);
	if (rc)
		return rc;
	more = ranges_subtract(&s->ranges, &s->less_ranges, same_run(s), &have);
	if (more) {
		rec.range = *more;
		return refuse_record(s, &s->less, &rec, have, more->count);
	}
	for (i = 0; i < s->ranges.n && !rc; i++) {
		rec.range = s->ranges.v[i];
		rc = put_left(s, &rec);
	}
	s->ranges.n = 0;
	return rc;
}

static int take_range(struct subtraction *s, const struct cst_count_range *r)
{
	int rc = s->ranges.n && s->ranges.v[0].binary != r->binary ? put_ranges(s) : 0;

	*ARRAY_ADD(s->ranges.v, s->ranges.n, s->ranges.cap) = *r;
	return rc;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static bool same_node(const struct subtraction *s, const struct cst_count_node *n)
{
	const struct cst_count_node *less = &s->less.rec.node;
	uint32_t from, binary;

	return s->less.has && s->less.rec.kind == CST_COUNT_NODE && less->depth == n->depth &&
	       less->kind == n->kind && less->from == n->from && less->entry == n->entry &&
	       number_in_sum(s, less->from_binary, &from) && from == n->from_binary &&
	       number_in_sum(s, less->binary, &binary) && binary == n->binary &&
	       (!n->depth || s->matched[n->depth - 1]);
}

/* Writes a node of the path, after those around it, which may have no counts of their own. */
static int put_path(struct subtraction *s, uint32_t depth)
{
	struct cst_count_record rec = { .kind = CST_COUNT_NODE };
	uint32_t i;
	int rc = 0;

	for (i = depth + 1; i && !s->written[i - 1]; i--)
		;
	for (; i <= depth && !rc; i++) {
		rec.node = s->path[i];
		use(s, rec.node.binary);
		use(s, rec.node.from_binary);
		s->written[i] = true;
		if (!s->writer)
			continue;
		rec.node.binary = left_number(s, rec.node.binary);
		rec.node.from_binary = left_number(s, rec.node.from_binary);
		rc = put(s, &rec);
	}
	return rc;
}

static int put_node(struct subtraction *s, struct cst_count_record *rec)
{
	struct cst_count_node *n = &rec->node;
	const struct cst_count_node *less = &s->less.rec.node;
	int rc;

	s->matched[n->depth] = same_node(s, n);
	if (s->matched[n->depth]) {
		if (!can_subtract(n->calls, less->calls))
			return refuse_record(s, &s->sum, rec, n->calls, less->calls);
		if (!can_subtract(n->insns, less->insns))
			return refuse_record(s, &s->sum, rec, n->insns, less->insns);
		n->calls -= less->calls;
		n->insns -= less->insns;
		rc = next(s, &s->less);
		if (rc)
			return rc;
	}
	s->path[n->depth] = *n;
	s->written[n->depth] = false;
	if (!n->calls && !n->insns)
		return 0;
	s->sums->nothing = false;
	return put_path(s, n->depth);
}

/* ---- both passes ---------------------------------------------------------------------------- */

/* Passes a record of the sum's head on: a binary that is left, with its segments. */
static int put_head(struct subtraction *s, const struct cst_count_record *rec)
{
	s->seen += rec->kind == CST_COUNT_BINARY;
	if (rec->kind == CST_COUNT_TOTAL || !s->writer || !s->sum.binaries[s->seen - 1].used)
		return 0;
	return put(s, rec);
}

static int put_record(struct subtraction *s, struct cst_count_record *rec)
{
	int rc;

	if (rec->kind <= CST_COUNT_SEGMENT)
		return put_head(s, rec);
	if (rec->kind == CST_COUNT_RANGE)
		return take_range(s, &rec->range);
	rc = put_ranges(s);
	if (rc)
		return rc;
	return rec->kind == CST_COUNT_NODE ? put_node(s, rec) : put_counts(s, rec);
}

/* Reads both once. A record that is left of what is subtracted was not in the sum. */
static int pass(struct subtraction *s)
{
	int rc = rewind_operand(s, &s->sum);

	s->seen = 0;
	s->ranges.n = 0;
	s->sums->nothing = true;
	if (!rc)
		rc = rewind_operand(s, &s->less);
	while (!rc && s->less.has && s->less.rec.kind <= CST_COUNT_SEGMENT)
		rc = next(s, &s->less);
	if (!rc)
		rc = put_totals(s);
	while (!rc && s->sum.has) {
		struct cst_count_record rec = s->sum.rec;

		rc = put_record(s, &rec);
		if (!rc)
			rc = next(s, &s->sum);
	}
	if (!rc)
		rc = put_ranges(s);
	if (!rc && s->less.has)
		rc = refuse_record(s, &s->less, &s->less.rec, 0,
				   s->less.rec.kind == CST_COUNT_NODE ? s->less.rec.node.insns :
									*count_of(&s->less.rec));
	return rc;
}

static int write_bytes(void *data, const void *bytes, size_t size)
{
	struct pd_output *out = data;

	pd_output_write(out, bytes, size);
	return out->error ? -CST_ERR_IO : 0;
}

/* The second pass, into the output. */
static int write_left(struct subtraction *s)
{
	int rc;

	number_left(s);
	if (cst_count_writer_new(&s->writer, write_bytes, &s->out))
		mem_refused(0);
	rc = pass(s);
	if (!rc && cst_count_writer_end(s->writer))
		rc = ERR_IO;
	cst_count_writer_free(s->writer);
	return rc;
}

static int subtract(struct subtraction *s)
{
	int rc = read_head(s, &s->sum);

	s->path = mem_array(DEPTHS, sizeof(*s->path));
	s->written = mem_zeroed(DEPTHS, sizeof(*s->written));
	s->matched = mem_zeroed(DEPTHS, sizeof(*s->matched));
	if (!rc)
		rc = read_head(s, &s->less);
	if (!rc)
		rc = pair_binaries(s);
	if (!rc)
		rc = pass(s);
	return rc ? rc : write_left(s);
}

int subtract_files(const struct merge_list *list, const struct merge_list *less, const char *output,
		   struct subtract_sums *sums, struct error *err)
{
	struct subtraction s = {
		.list = list, .err = err, .sums = sums, .sum = { .fd = -1 }, .less = { .fd = -1 }
	};
	struct merge_sums of[2] = { { .empty = 0 }, { .empty = 0 } };
	size_t i;
	int rc;

	*sums = (struct subtract_sums){ .nothing = true };
	for (i = 0; i < less->nr; i++)
		input_note_path(less->v[i].path);
	for (i = 0; i < list->nr; i++)
		input_note_path(list->v[i].path);
	rc = pd_output_open_binary(&s.out, output, err);
	if (rc)
		return rc;
	s.sum.fd = merge_temp(list, &of[0], err);
	if (s.sum.fd >= 0)
		s.less.fd = merge_temp(less, &of[1], err);
	rc = s.sum.fd < 0 ? s.sum.fd : s.less.fd < 0 ? s.less.fd : subtract(&s);
	sums->left.empty = of[0].empty + of[1].empty;
	for (i = 0; i < 2; i++) {
		if (of[i].first_empty && !sums->left.first_empty)
			sums->left.first_empty = mem_text(of[i].first_empty);
		merge_sums_free(&of[i]);
	}
	free_operand(&s.sum);
	free_operand(&s.less);
	free(s.ranges.v);
	free(s.less_ranges.v);
	free(s.path);
	free(s.written);
	free(s.matched);
	if (rc && !s.out.error) {
		pd_output_abort(&s.out);
		return rc;
	}
	return sums->nothing ? pd_output_drop(&s.out, err) : pd_output_finish(&s.out, err);
}

void subtract_sums_free(struct subtract_sums *sums)
{
	merge_sums_free(&sums->left);
}
