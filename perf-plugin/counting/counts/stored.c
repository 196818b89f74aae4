/* SPDX-License-Identifier: GPL-2.0-only */
/* stored.c - reads and writes count files through the library. */
#include "counting/counts/stored.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/name.h"
#include "counting/countfiles/count_input.h"
#include "counting/countfiles/lost.h"
#include "counting/counts/model.h"
#include "session/losses/report.h"

#define LOSS	"loss."

/* ---- output ------------------------------------------------------------------------------------ */

static int put_bytes(void *data, const void *bytes, size_t size)
{
	pd_output_write(data, bytes, size);
	return 0;
}

/* Ends the output of `w`. `rc`: what went wrong before, reported here unless it is ERR_REPORTED. */
static int finish(const char *command, struct cst_count_writer *w, struct pd_output *out, int rc)
{
	struct error err = { .code = 0 };

	if (!rc)
		rc = cst_count_writer_end(w);
	mem_code(rc);
	if (rc == -CST_ERR_INVAL)
		fprintf(stderr, "cstrace %s: counts that a file cannot have: %s\n", command,
			cst_count_writer_refused(w));
	else if (rc && rc != ERR_REPORTED)
		fprintf(stderr, "cstrace %s: %s\n", command, error_text(rc));
	cst_count_writer_free(w);
	if (rc) {
		pd_output_abort(out);
		return rc;
	}
	rc = pd_output_finish(out, &err);
	if (rc)
		fprintf(stderr, "cstrace %s: %s\n", command, err.msg);
	return rc;
}

int stored_write_records(const char *command, stored_pass_fn pass, void *from,
			 struct pd_output *out)
{
	struct cst_count_writer *w = NULL;
	int rc = cst_count_writer_new(&w, put_bytes, out);

	if (!rc)
		rc = pass(from, cst_count_write_record, w);
	return finish(command, w, out, rc);
}

static int pass_collected(void *c, collect_fn take, void *data)
{
	return collect_records(c, take, data);
}

int stored_write(struct collect *c, struct pd_output *out)
{
	return stored_write_records("profile", pass_collected, c, out);
}

/* ---- input ------------------------------------------------------------------------------------- */

/* Passes each record of a count file to `take`. Everything that goes wrong is reported here. */
static int read_records(const char *command, const char *path, cst_count_record_fn take, void *data)
{
	struct error err = { .code = 0 };
	struct cst_count_record rec;
	struct count_input in;
	int rc = count_input_open(&in, path, &err), taken = 0;

	if (rc) {
		fprintf(stderr, "cstrace %s: %s\n", command, err.msg);
		return ERR_REPORTED;
	}
	while (!taken && (rc = cst_count_read(in.reader, &rec)) > 0)
		taken = take(data, &rec);
	if (mem_code(rc) < 0) {
		count_input_fail(&in, rc, &err);
		fprintf(stderr, "cstrace %s: %s\n", command, err.msg);
	} else if (mem_code(taken)) {
		fprintf(stderr, "cstrace %s: %s: %s\n", command, name_shown(path),
			error_text(taken));
	}
	count_input_close(&in);
	return rc < 0 || taken ? ERR_REPORTED : 0;
}

int stored_read(const char *command, const char *path, struct model *m)
{
	return read_records(command, path, model_add, m);
}

struct copy {
	struct cst_count_writer *w;
	struct model *totals;
};

static int copy_record(void *data, const struct cst_count_record *rec)
{
	struct copy *copy = data;
	int rc = rec->kind <= CST_COUNT_BINARY ? model_add(copy->totals, rec) : 0;

	return rc ? rc : cst_count_write(copy->w, rec);
}

int stored_copy(const char *path, struct pd_output *out, struct model *totals)
{
	struct copy copy = { .totals = totals };
	int rc = cst_count_writer_new(&copy.w, put_bytes, out);

	if (!rc)
		rc = read_records("profile", path, copy_record, &copy);
	return finish("profile", copy.w, out, rc);
}

/* ---- messages ---------------------------------------------------------------------------------- */

static bool is_loss(const struct model_total *t)
{
	return !strncmp(t->name, LOSS, strlen(LOSS));
}

bool stored_incomplete(const struct model *m)
{
	size_t i;

	for (i = 0; i < m->nr_totals; i++)
		if (is_loss(&m->totals[i]))
			return true;
	return false;
}

struct loss_share stored_share(const struct model *m)
{
	struct count_lost lost = { 0 };
	size_t i;

	for (i = 0; i < m->nr_totals; i++)
		count_lost_add(&lost, m->totals[i].name, m->totals[i].value);
	return count_lost_share(&lost);
}

void stored_print(const char *path, const struct model *m)
{
	const char *sep = "";
	char a[32], b[32], c[32];
	size_t i;

	fprintf(stderr, "cstrace: %s: %s recordings, %s instructions, losses: ", name_shown(path),
		losses_grouped(model_total(m, "recordings"), a), losses_grouped(model_total(m, "instructions"), b));
	for (i = 0; i < m->nr_totals; i++) {
		if (!is_loss(&m->totals[i]))
			continue;
		fprintf(stderr, "%s%s %s", sep, losses_grouped(m->totals[i].value, c), name_shown(m->totals[i].name + strlen(LOSS)));
		sep = ", ";
	}
	if (model_total(m, LOST_UNKNOWN))
		fprintf(stderr, "%s" LOST_UNKNOWN_WORDS "\n", sep);
	else
		fprintf(stderr, "%s\n", *sep ? "" : "none");
	if (model_total(m, "filtered"))
		fprintf(stderr, "cstrace: %s recordings were counted in part, with a filter\n",
			losses_grouped(model_total(m, "filtered"), a));
}
