/* SPDX-License-Identifier: GPL-2.0-only */
/* slices_run.c - a run of a session whose only consumer follows calls. */
#include "outputs/timeline/slices_run.h"

#include "session/decode/decode.h"
#include "session/session.h"

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct calls *calls = data;

	if (s->config->protocol == CST_PROTO_STM)
		return 0;
	if (!*s->priv)
		*s->priv = calls_lane_new(calls);
	calls_batch(calls, *s->priv, s, g, n);
	return 0;
}

static void on_stream_end(void *data, const struct stream *s)
{
	struct calls *calls = data;

	if (*s->priv)
		calls_lane_end(calls, *s->priv);
	*s->priv = NULL;
}

static calls_place same_place(void *data, calls_place p)
{
	(void)data;
	return p;
}

struct calls *slices_run(struct session *ss, const struct calls_code *code,
			 const struct calls_slice_opts *o, int *rc)
{
	const struct calls_limits limits = { .kept = 0 };
	struct calls *calls = calls_new(&limits, code, session_max_streams(ss));
	const struct consumer c = { .data = calls,
				    .batch = on_batch,
				    .stream_end = on_stream_end,
				    .wants = { .times = true,
					       .excluded = true,
					       .stop = CST_STOP_TIMESTAMP } };

	calls_record_slices(calls, o);
	*rc = session_run(ss, &c);
	if (!*rc)
		calls_finish(calls, same_place, NULL);
	return calls;
}
