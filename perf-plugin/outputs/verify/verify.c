/* SPDX-License-Identifier: GPL-2.0-only */
/* verify.c - collects violations while a recording is decoded, and reports them rule by rule. */
#include "outputs/verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/files/output.h"
#include "session/decode/decode.h"

enum own_rule {
#define RULE(name, severity, text, section) OWN_##name,
#include "outputs/verify/rules.def"
#undef RULE
	NR_OWN_RULES
};

/* A rule that was violated, with the first place. */
struct violation {
	uint64_t count;
	uint64_t index;		/* trace offset */
	uint64_t value;		/* address, or 0 */
	unsigned int buffer;
	int cpu;		/* of the buffer, -1: none */
	uint8_t trace_id;	/* or CST_LOG_NO_ID */
	uint8_t severity;	/* enum cst_severity */
	uint8_t component;	/* enum cst_component */
	const char *text;	/* static: identifies the rule together with `severity` */
	const char *section;
};

struct verify {
	const struct verify_opts *o;
	struct violation *v;
	size_t nr, cap;
	struct session_fragment fragment; /* that is being decoded */
	struct pd_output out;
};

/* A stream in its AUX fragment. */
struct verified_stream {
	uint64_t time;		/* the last timestamp */
	uint64_t bytes;		/* of the stream, up to the end of the fragment before */
	bool synchronised;
};

static void add(struct verify *v, const struct violation *one)
{
	size_t i;

	for (i = 0; i < v->nr; i++)
		if (v->v[i].severity == one->severity && !strcmp(v->v[i].text, one->text)) {
			v->v[i].count += one->count;
			return;
		}
	*ARRAY_ADD(v->v, v->nr, v->cap) = *one;
}

/* cst_log_fn: a rule of the library was violated. */
static void on_record(void *data, const struct cst_log_record *rec)
{
	struct verify *v = data;
	const struct violation one = {
		.count = rec->count, .index = rec->index, .value = rec->value, .buffer = v->fragment.queue,
		.cpu = v->fragment.cpu, .trace_id = rec->trace_id, .severity = rec->severity, .component = rec->component,
		.text = rec->text, .section = rec->section,
	};

	add(v, &one);
}

static void own(struct verify *v, enum own_rule rule, uint8_t trace_id, uint64_t index)
{
	static const struct {
		uint8_t severity;
		const char *text, *section;
	} rules[] = {
#define RULE(name, severity, text, section) { CST_LOG_##severity, text, section },
#include "outputs/verify/rules.def"
#undef RULE
	};
	const struct violation one = {
		.count = 1, .index = index, .buffer = v->fragment.queue, .cpu = v->fragment.cpu, .trace_id = trace_id,
		.severity = rules[rule].severity, .component = CST_LOG_ELEMENT, .text = rules[rule].text,
		.section = rules[rule].section,
	};

	add(v, &one);
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct verify *v = data;
	struct verified_stream *ln = *s->priv;
	size_t i;

	if (!ln)
		ln = *s->priv = mem_zeroed(1, sizeof(*ln));
	for (i = 0; i < n; i++) {
		ln->synchronised |= g[i].kind != CST_GEN_NO_SYNC && g[i].kind != CST_GEN_EO_TRACE;
		if (s->selected.excluded || g[i].kind != CST_GEN_TIMESTAMP || !g[i].addr)
			continue;
		if (g[i].addr < ln->time)
			own(v, OWN_TIME_BACKWARD, s->trace_id, g[i].index);
		ln->time = g[i].addr;
	}
	return 0;
}

static void end_fragment(struct verify *v, const struct stream *s)
{
	const uint64_t bytes = cst_decoder_stats(s->decoder)->bytes;
	struct verified_stream *ln = *s->priv;

	/* the AUX record of a thread has the trace of the CPU it ran on, and no byte of the others that it ran on before */
	/* an AUX window may be shorter than the distance between two synchronisations */
	if (ln && !ln->synchronised && bytes != ln->bytes && !v->fragment.window)
		own(v, OWN_NO_SYNC, s->trace_id, v->fragment.offset);
	if (ln) {
		ln->synchronised = false;
		ln->bytes = bytes;
	}
}

static int on_fragment(void *data, const struct fragment_event *e)
{
	struct verify *v = data;

	if (e->ended) {
		end_fragment(v, e->ended);
		return 0;
	}
	v->fragment = *e->fragment;
	return 0;
}

static void on_stream_end(void *data, const struct stream *s)
{
	(void)data;
	free(*s->priv);
	*s->priv = NULL;
}

/* ---- the report -------------------------------------------------------------------------------- */

/* Errors first; of one severity the most frequent; then by text, so that the order is always the same. */
static int by_weight(const void *pa, const void *pb)
{
	const struct violation *a = pa, *b = pb;

	if (a->severity != b->severity)
		return a->severity < b->severity ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return strcmp(a->text, b->text);
}

static void print_text(struct verify *v, const struct violation *x)
{
	char cpu[24] = "", id[24] = "", value[40] = "";

	if (x->cpu >= 0)
		snprintf(cpu, sizeof(cpu), " (CPU %d)", x->cpu);
	if (x->trace_id != CST_LOG_NO_ID)
		snprintf(id, sizeof(id), ", trace ID 0x%x", x->trace_id);
	if (x->value)
		snprintf(value, sizeof(value), ", 0x%" PRIx64, x->value);
	pd_output_printf(&v->out, "%-8s%10" PRIu64 "  %s%s%s%s\n", cst_severity_name(x->severity), x->count, x->text, *x->section ? " (" : "",
	    x->section, *x->section ? ")" : "");
	pd_output_printf(&v->out, "%20sfirst: buffer %u%s, trace offset 0x%" PRIx64 "%s; %s%s\n", "", x->buffer, cpu, x->index, id,
	    cst_component_name(x->component), value);
}

/* Texts of rules and sections are static and have no character that JSON escapes. */
static void print_json(struct verify *v, const struct violation *x)
{
	pd_output_printf(&v->out, "{\"severity\":\"%s\",\"count\":%" PRIu64 ",\"component\":\"%s\",\"rule\":\"%s\",\"section\":\"%s\",\"first\":{"
	    "\"buffer\":%u,\"offset\":%" PRIu64, cst_severity_name(x->severity), x->count, cst_component_name(x->component), x->text,
	    x->section, x->buffer, x->index);
	if (x->cpu >= 0)
		pd_output_printf(&v->out, ",\"cpu\":%d", x->cpu);
	if (x->trace_id != CST_LOG_NO_ID)
		pd_output_printf(&v->out, ",\"id\":%u", x->trace_id);
	if (x->value)
		pd_output_printf(&v->out, ",\"value\":\"0x%" PRIx64 "\"", x->value);
	pd_output_printf(&v->out, "}}\n");
}

static void report(struct verify *v, struct verify_result *result)
{
	size_t i;

	ARRAY_SORT(v->v, v->nr, by_weight);
	for (i = 0; i < v->nr; i++) {
		result->rules[v->v[i].severity]++;
		if (v->o->json)
			print_json(v, &v->v[i]);
		else
			print_text(v, &v->v[i]);
	}
	if (v->o->json)
		return;
	if (!v->nr)
		pd_output_printf(&v->out, "the trace violates no rule\n");
	else
		pd_output_printf(&v->out, "rules: %" PRIu64 " with errors, %" PRIu64 " violated, %" PRIu64 " notes\n", result->rules[CST_LOG_ERROR],
		    result->rules[CST_LOG_WARNING], result->rules[CST_LOG_INFO]);
}

static int decode(struct verify *v, struct session_opts *so, bool *incomplete, uint64_t *packets)
{
	/* `excluded`: a piece of trace is synchronised also where a filter excludes all of it */
	const struct consumer con = { .data = v, .wants.excluded = true, .batch = on_batch, .fragment = on_fragment,
				      .stream_end = on_stream_end };
	struct session *ss = session_open(so);
	int rc;

	if (!ss)
		return ERR_REPORTED;
	rc = session_run(ss, &con);
	if (!rc) {
		session_print_end(ss, stderr);
		*incomplete = session_lossy(ss);
		*packets = session_matched(ss) ? session_totals(ss)->dec.packets : 0;
	}
	session_close(ss);
	return rc;
}

static int begin(struct verify *v, struct cst_log **log)
{
	if (pd_output_begin(&v->out, v->o->who, v->o->output, false))
		return ERR_REPORTED;
	if (cst_log_new(log, 0))
		mem_refused(0);
	cst_log_set_sink(*log, on_record, v);
	return 0;
}

/* Writes the report, unless something went wrong before. */
static int end(struct verify *v, int rc, struct verify_result *result)
{
	if (rc) {
		pd_output_abort(&v->out);
	} else {
		report(v, result);
		rc = pd_output_end_if(&v->out, v->o->who,
				      result->packets || result->rules[CST_LOG_ERROR] ||
					      result->rules[CST_LOG_WARNING]);
	}
	free(v->v);
	return rc ? ERR_REPORTED : 0;
}

int verify_run(struct session_opts *so, const struct verify_opts *opts, struct verify_result *result, bool *incomplete)
{
	struct verify v = { .o = opts };
	int rc;

	memset(result, 0, sizeof(*result));
	if (begin(&v, &so->log))
		return ERR_REPORTED;
	rc = decode(&v, so, incomplete, &result->packets);
	cst_log_free(so->log);
	so->log = NULL;
	return end(&v, rc, result);
}

int verify_log(const struct verify_opts *opts, int (*decode_all)(void *data, struct cst_log *log, unsigned int *buffer), void *data,
	       struct verify_result *result)
{
	struct verify v = { .o = opts, .fragment = { .cpu = -1 } };
	struct cst_log *log = NULL;
	int rc;

	memset(result, 0, sizeof(*result));
	if (begin(&v, &log))
		return ERR_REPORTED;
	rc = decode_all(data, log, &v.fragment.queue) ? ERR_REPORTED : 0;
	cst_log_free(log);
	return end(&v, rc, result);
}
