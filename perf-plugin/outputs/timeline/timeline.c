/* SPDX-License-Identifier: GPL-2.0-only */
/* timeline.c - decodes a recording once, and writes its calls and tracks within a size that viewers open. */
#include "outputs/timeline/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "counting/calls/places.h"
#include "outputs/timeline/internal.h"
#include "outputs/timeline/perfetto.h"
#include "session/decode/decode.h"
#include "session/parts.h"

/* Bytes of an output without --min-duration and --depth, and slices of it to begin with. */
#define MOST_BYTES	(20u * 1000 * 1000)
#define FIRST_SLICES	150000u
/* Slices with them: a bound for the memory. */
#define MOST_SLICES	1000000u
#define MOST_SPANS	20000u
/* Bytes of segments that are kept until the streams of a thread are put in order. */
#define KEPT		(64ull << 20)

struct stream_lane {
	struct calls_lane *calls;
	struct track_stream track;
};

struct making {
	struct session *ss;
	struct calls_code code;
	struct calls *calls;
	struct timeline t;
};

static const struct timeline_format formats[] = {
	{ "json", false, false, timeline_json, NULL },
	{ "speedscope", false, false, timeline_speedscope, NULL },
	{ "perfetto", true, false, timeline_perfetto, NULL },
	{ "sqlite", true, true, NULL, timeline_sqlite },
};

const struct timeline_format *timeline_format(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

const char *timeline_format_names(void)
{
	return "json, speedscope, perfetto or sqlite";
}

bool timeline_is_database(const struct timeline_format *f)
{
	return f->store;
}

/* ---- decoding ------------------------------------------------------------------------------------ */

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct stream_lane *ln = *s->priv;
	struct making *m = data;

	if (!ln) {
		ln = *s->priv = mem_zeroed(1, sizeof(*ln));
		ln->track.key = UINT64_MAX;
		ln->calls = calls_lane_new(m->calls);
	}
	tracks_batch(&m->t.tracks, &ln->track, s, g, n);
	if (s->config->protocol != CST_PROTO_STM)
		calls_batch(m->calls, ln->calls, s, g, n);
	return 0;
}

static void on_stream_end(void *data, const struct stream *s)
{
	struct stream_lane *ln = *s->priv;
	struct making *m = data;

	if (!ln)
		return;
	*s->priv = NULL;
	tracks_stream_end(&m->t.tracks, &ln->track, s);
	if (ln->calls)
		calls_lane_end(m->calls, ln->calls);
	free(ln);
}

static calls_place same_place(void *data, calls_place p)
{
	(void)data;
	return p;
}

static int decode(struct making *m)
{
	const struct consumer c = { .data = m, .batch = on_batch, .stream_end = on_stream_end,
				    .wants = { .times = true, .excluded = true, .stop = CST_STOP_TIMESTAMP } };
	int rc = session_run(m->ss, &c);

	if (rc)
		return rc;
	calls_finish(m->calls, same_place, NULL);
	return 0;
}

/* ---- writing ------------------------------------------------------------------------------------- */

/* True if the file is not limited to what viewers open. */
static bool is_whole(const struct timeline_opts *o)
{
	return o->min || o->depth || o->format->whole;
}

/* Leaves out the shortest calls until the output is within a size. */
static void limit_size(struct making *m, const struct timeline_format *f)
{
	struct timeline *t = &m->t;
	uint64_t size;
	double most;

	for (;;) {
		t->slices = calls_slices(m->calls, &t->nr_slices, &t->left_out);
		size = f->write(t, NULL);
		if (size <= MOST_BYTES || !t->nr_slices)
			return;
		most = (double)t->nr_slices * MOST_BYTES / (double)size * 0.97;
		calls_limit_slices(m->calls, (size_t)most);
	}
}

/* Writes a database. Returns 0, or ERR_REPORTED with the output aborted. */
static int store(struct making *m, const struct timeline_opts *o, struct pd_output *out,
		 uint64_t *size)
{
	struct error err = { .code = 0 };
	struct stat st;

	if (o->format->store(&m->t, out, &err)) {
		fprintf(stderr, "%s: %s\n", o->who, err.msg);
		pd_output_abort(out);
		return ERR_REPORTED;
	}
	*size = fstat(out->fd, &st) ? 0 : (uint64_t)st.st_size;
	return 0;
}

static int write_file(struct making *m, const struct timeline_opts *o, struct pd_output *out)
{
	uint64_t size = 0;

	if (!o->format->store)
		size = o->format->write(&m->t, out);
	else if (store(m, o, out, &size))
		return ERR_REPORTED;
	if (pd_output_end(out, o->who))
		return ERR_REPORTED;
	fprintf(stderr, "%s: %zu calls of %zu threads, %" PRIu64 " bytes", o->who, m->t.nr_slices,
		m->t.tracks.nr_threads, size);
	if (m->t.left_out)
		fprintf(stderr, o->min || o->depth ? "; %" PRIu64 " calls were left out" : "; the %" PRIu64 " shortest calls were left out",
			m->t.left_out);
	if (m->t.tracks.left_out)
		fprintf(stderr, "; the %" PRIu64 " shortest stretches on CPUs, of threads and of lost trace, were left out",
			m->t.tracks.left_out);
	if (m->t.tracks.messages_left_out)
		fprintf(stderr, "; of the messages the last %" PRIu64 " were left out", m->t.tracks.messages_left_out);
	if (m->t.tracks.messages_untimed)
		fprintf(stderr, "; %" PRIu64 " messages have no time, and were left out", m->t.tracks.messages_untimed);
	fprintf(stderr, "\n");
	if (m->t.by_insns)
		fprintf(stderr, "%s: the trace has no timestamps: instructions are the axis\n",
			o->who);
	return 0;
}

static void prepare(struct making *m, const struct timeline_opts *o)
{
	const bool by_insns = !session_timestamps(m->ss);
	const struct calls_limits limits = { .kept = KEPT };
	const struct calls_slice_opts slices = {
		.max = is_whole(o) ? MOST_SLICES : FIRST_SLICES,
		.min = o->min,
		.depth = (int32_t)(o->depth < INT32_MAX ? o->depth : INT32_MAX),
		.by_insns = by_insns
	};

	m->t.opts = o;
	m->t.by_insns = m->t.tracks.by_insns = by_insns;
	m->t.tracks.max = MOST_SPANS;
	m->code = calls_places_code(m->ss);
	m->t.labels = labels_new(m->ss, &m->code, o->demangle);
	m->t.comms = session_comms(m->ss);
	m->code = labels_code(m->t.labels);
	m->calls = calls_new(&limits, &m->code, session_max_streams(m->ss));
	calls_record_slices(m->calls, &slices);
}

static void finish(struct making *m)
{
	calls_free(m->calls);
	labels_free(m->t.labels);
	comms_free(m->t.comms);
	tracks_free(&m->t.tracks);
}

int timeline_write(struct session *ss, const struct timeline_opts *o)
{
	struct making m = { .ss = ss };
	struct pd_output out;
	int rc = o->format->store ? pd_output_begin_named(&out, o->who, o->output) :
				    pd_output_begin(&out, o->who, o->output, o->format->binary);

	if (rc)
		return rc;
	prepare(&m, o);
	rc = decode(&m);
	if (!rc) {
		tracks_sort(&m.t.tracks);
		if (!m.t.tracks.nr_threads)
			rc = TIMELINE_EMPTY;
		else if (is_whole(o))
			m.t.slices = calls_slices(m.calls, &m.t.nr_slices, &m.t.left_out);
		else
			limit_size(&m, o->format);
	}
	if (rc == TIMELINE_EMPTY)
		fprintf(stderr, "%s: %s: nothing to show: nothing was decoded\n", o->who,
			session_name(ss));
	if (rc)
		pd_output_abort(&out);
	else
		rc = write_file(&m, o, &out);
	finish(&m);
	return rc;
}
