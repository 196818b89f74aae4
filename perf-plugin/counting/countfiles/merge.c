/* SPDX-License-Identifier: GPL-2.0-only */
/* merge.c - adds count files, in groups where there are more than can be open at a time. */
#include "counting/countfiles/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/files/guard.h"
#include "base/files/input.h"
#include "base/files/output.h"
#include "counting/countfiles/count_input.h"

/* Descriptors for everything else: standard ones, the output, the list, libraries. */
#define OTHER_FILES 24u
#define MIN_WIDTH 2u

struct merging {
	const struct merge_list *list;
	struct merge_sums *sums;
	struct error *err;
	size_t width;		/* inputs that are added at a time */
};

/* What is added at a time: files of the list, or sums of them in temporary files. */
struct group {
	struct count_input *in;
	struct cst_count_input *v;
	size_t n;
	size_t first, each;	/* place in the list of the first, and files of the list in each */
};

/* Where the sum goes; of the last one the totals and binaries are recorded. */
struct sum_out {
	struct cst_count_writer *writer;
	struct pd_output *out;	/* or: */
	int fd;
	int error;		/* errno of writing to `fd` */
	struct merge_sums *sums;
	const struct merge_list *list;	/* whose `note` gets records; NULL: none does */
};

static int write_sum(void *data, const void *bytes, size_t size)
{
	struct sum_out *s = data;

	if (s->out)
		pd_output_write(s->out, bytes, size);
	else
		s->error = output_write_all(s->fd, bytes, size);
	return s->error || (s->out && s->out->error) ? -CST_ERR_IO : 0;
}

void merge_sums_total(struct merge_sums *sums, const char *name, uint64_t value)
{
	struct merge_loss *loss;

	count_lost_add(&sums->lost, name, value);
	if (!strcmp(name, "recordings"))
		sums->recordings = value;
	if (!strcmp(name, "instructions"))
		sums->instructions = value;
	if (strncmp(name, "loss.", 5) || !value)
		return;
	loss = ARRAY_ADD(sums->losses, sums->nr_losses, sums->cap_losses);
	loss->count = value;
	loss->name = mem_text(name + 5);
}

static int take_record(void *data, const struct cst_count_record *rec)
{
	struct sum_out *s = data;

	if (s->list && s->list->note && rec->kind <= CST_COUNT_BINARY)
		s->list->note(s->list->noted, rec);
	if (s->sums && rec->kind <= CST_COUNT_BINARY) {
		s->sums->binaries += rec->kind == CST_COUNT_BINARY;
		if (rec->kind == CST_COUNT_TOTAL)
			merge_sums_total(s->sums, rec->total.name, rec->total.value);
	}
	return cst_count_write(s->writer, rec);
}

static void group_new(struct group *g, size_t cap)
{
	memset(g, 0, sizeof(*g));
	g->in = mem_zeroed(cap, sizeof(*g->in));
	g->v = mem_zeroed(cap, sizeof(*g->v));
}

/* Temporary files are closed here, too. */
static void group_free(struct group *g)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		count_input_close(&g->in[i]);
	free(g->in);
	free(g->v);
}

/* The name that an input of the list has in messages. */
static const char *shown(const struct merging *m, size_t i)
{
	return strcmp(m->list->v[i].path, "-") ? m->list->v[i].path : "standard input";
}

static void note_empty(struct merging *m, const struct group *g)
{
	size_t i;

	for (i = 0; i < g->n; i++) {
		if (g->v[i].counts)
			continue;
		if (!m->sums->empty++)
			m->sums->first_empty = mem_text(shown(m, g->first + i));
	}
}

/* The files of the list that input `i` of a group has. */
static void names_of(const struct merging *m, const struct group *g, size_t i, char *text, size_t size)
{
	size_t first = g->first + i * g->each, last = first + g->each - 1;

	if (last >= m->list->nr)
		last = m->list->nr - 1;
	if (first == last)
		snprintf(text, size, "%s", shown(m, first));
	else
		snprintf(text, size, "inputs %zu to %zu, %s to %s", first + 1, last + 1, shown(m, first), shown(m, last));
}

static int fail_merge(struct merging *m, const struct group *g, size_t failed, int rc, const char *name)
{
	char files[300];

	if (rc != -CST_ERR_CONFLICT)
		return count_input_fail(&g->in[failed], rc, m->err);
	names_of(m, g, failed, files, sizeof(files));
	return error_set(m->err, rc, "%s: contradicts other inputs about %s%s: another machine, type, segments or "
			 "instructions under the same id; leave out the one that is wrong", files, *name ? "the binary " : "a binary",
			 name);
}

/* Adds a group into `out`. */
static int add_group(struct merging *m, struct group *g, struct sum_out *out)
{
	char name[160] = "";
	const char *refused;
	size_t failed;
	int rc;

	if (cst_count_writer_new(&out->writer, write_sum, out))
		mem_refused(0);
	rc = cst_count_merge(g->v, g->n, take_record, out, &failed, name, sizeof(name));
	if (!rc)
		rc = cst_count_writer_end(out->writer);
	refused = cst_count_writer_refused(out->writer);
	cst_count_writer_free(out->writer);
	if (!rc)
		return 0;
	/* the output keeps its own error for pd_output_finish() */
	if (rc == -CST_ERR_IO && out->out && out->out->error)
		return ERR_IO;
	if (rc == -CST_ERR_IO && out->error)
		return error_set(m->err, ERR_IO, "cannot write a temporary file: %s; set TMPDIR to a folder with more room",
				 strerror(out->error));
	if (failed < g->n)
		return fail_merge(m, g, failed, rc, name);
	return error_set(m->err, rc, "the sum cannot be made: %s", rc == -CST_ERR_INVAL ? refused : error_text(rc));
}

static int temp_file(struct error *err)
{
	int fd = guard_temp(NULL);

	if (fd < 0)
		error_set(err, ERR_IO,
			  "cannot create a temporary file for a part of the sum: %s; set TMPDIR to "
			  "a writable folder",
			  strerror(errno));
	return fd;
}

/* The bytes that were written to a temporary file become an input, which closes it. */
static int read_temp(struct count_input *in, int fd, struct error *err)
{
	if (lseek(fd, 0, SEEK_SET))
		return error_set(err, ERR_IO, "cannot read a temporary file: %s", strerror(errno));
	count_input_fd(in, fd, "a temporary file");
	in->own_fd = true;
	return 0;
}

/* Opens the count file that is made of an input of another kind. */
static int open_converted(struct merging *m, struct count_input *in, const char *path)
{
	int fd = temp_file(m->err), rc = fd < 0 ? ERR_IO : 0;

	if (!rc)
		rc = m->list->convert->to_counts(m->list->convert->data, path, fd, m->err);
	if (!rc)
		rc = read_temp(in, fd, m->err);
	if (rc && fd >= 0)
		close(fd);
	return rc;
}

static int open_input(struct merging *m, struct count_input *in, const char *path)
{
	return m->list->convert && m->list->convert->is(path) ? open_converted(m, in, path) :
						    count_input_open(in, path, m->err);
}

static int open_files(struct merging *m, struct group *g, size_t first, size_t n)
{
	size_t i;
	int rc;

	g->first = first;
	g->each = 1;
	for (i = 0; i < n; i++) {
		rc = open_input(m, &g->in[i], m->list->v[first + i].path);
		if (rc)
			return rc;
		g->v[i] = (struct cst_count_input){ g->in[i].reader, m->list->v[first + i].weight, 0 };
		g->n++;
	}
	return 0;
}

static int add_range(struct merging *m, size_t first, size_t n, size_t power, struct sum_out *out);

/* The sums of parts of `each` files, in temporary files. */
static int add_parts(struct merging *m, struct group *g, size_t first, size_t n, size_t each)
{
	struct sum_out part = { .sums = NULL };
	size_t i;
	int rc;

	g->first = first;
	g->each = each;
	for (i = 0; i * each < n; i++) {
		part.fd = temp_file(m->err);
		if (part.fd < 0)
			return ERR_IO;
		rc = add_range(m, first + i * each, n - i * each < each ? n - i * each : each, each, &part);
		if (!rc)
			rc = read_temp(&g->in[i], part.fd, m->err);
		if (rc) {
			close(part.fd);
			return rc;
		}
		g->v[i] = (struct cst_count_input){ g->in[i].reader, 1, 0 };
		g->n++;
	}
	return 0;
}

/* Adds `n` files of the list, at most `power`, which is a power of the width. */
static int add_range(struct merging *m, size_t first, size_t n, size_t power, struct sum_out *out)
{
	struct group g;
	int rc;

	group_new(&g, n < m->width ? n : m->width);
	if (power <= m->width)
		rc = open_files(m, &g, first, n);
	else
		rc = add_parts(m, &g, first, n, power / m->width);
	if (!rc)
		rc = add_group(m, &g, out);
	if (!rc && g.each == 1)
		note_empty(m, &g);
	group_free(&g);
	return rc;
}

/*
 * Sets the width of a group, and returns the least power of it that is not below the number of files. Every level of
 * groups has its files open while the one below it is added.
 */
static size_t choose_width(struct merging *m)
{
	size_t levels, open = MERGE_WIDTH + OTHER_FILES, power, i;
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < open)
		open = limit.rlim_cur;
	open = open > OTHER_FILES ? open - OTHER_FILES : 0;
	for (levels = 1;; levels++) {
		m->width = open / levels > MIN_WIDTH ? open / levels : MIN_WIDTH;
		for (power = m->width, i = 1; i < levels && power < m->list->nr; i++)
			power *= m->width;
		if (power >= m->list->nr)
			return power;
	}
}

static void note_inputs(const struct merge_list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		input_note_path(list->v[i].path);
}

int merge_temp(const struct merge_list *list, struct merge_sums *sums, struct error *err)
{
	struct merging m = { .list = list, .sums = sums, .err = err };
	struct sum_out sum = { .sums = sums };
	int rc;

	memset(sums, 0, sizeof(*sums));
	note_inputs(list);
	sum.fd = temp_file(err);
	if (sum.fd < 0)
		return ERR_IO;
	rc = add_range(&m, 0, list->nr, choose_width(&m), &sum);
	if (!rc && lseek(sum.fd, 0, SEEK_SET))
		rc = error_set(err, ERR_IO, "cannot read a temporary file: %s", strerror(errno));
	if (rc)
		close(sum.fd);
	return rc ? rc : sum.fd;
}

int merge_files(const struct merge_list *list, const char *output, struct merge_sums *sums, struct error *err)
{
	struct merging m = { .list = list, .sums = sums, .err = err };
	struct pd_output out;
	struct sum_out sum = { .out = &out, .fd = -1, .sums = sums, .list = list };
	int rc;

	memset(sums, 0, sizeof(*sums));
	/* an output that is one of the inputs, or cannot be, is refused before anything is read */
	note_inputs(list);
	rc = pd_output_open_binary(&out, output, err);
	if (rc)
		return rc;
	rc = add_range(&m, 0, list->nr, choose_width(&m), &sum);
	if (rc && !out.error) {
		pd_output_abort(&out);
		return rc;
	}
	return list->nr && sums->empty == list->nr ? pd_output_drop(&out, err) :
						     pd_output_finish(&out, err);
}

void merge_sums_free(struct merge_sums *sums)
{
	size_t i;

	for (i = 0; i < sums->nr_losses; i++)
		free(sums->losses[i].name);
	free(sums->losses);
	free(sums->first_empty);
}
