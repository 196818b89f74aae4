/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log.c - the error log: a ring of the newest records, and counts of all.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>
#include <cstrace/flow.h>

#include "base/log_int.h"

#define IDS 129			/* 0..0x7f, and none */
#define NO_ID 128
#define ERRORS 40

#define CST_ERROR(name, value, text) _Static_assert((value) < ERRORS, "an error code has a counter");
#include <cstrace/errors.def>
#undef CST_ERROR

struct id_counts {
	uint64_t severity[CST_LOG_SEVERITIES];
	uint64_t error[ERRORS];
	uint64_t finding[CST_FINDINGS];
};

struct cst_log {
	struct cst_log_record *ring;
	size_t cap, kept, next;	/* next: where the next record goes */
	uint64_t dropped;
	struct cst_log_record last;
	uint8_t any;		/* `last` holds a record */
	uint8_t verbosity[CST_LOG_COMPONENTS];
	cst_log_fn sink;
	void *data;
	struct id_counts ids[IDS];
};

int cst_log_new(struct cst_log **out, size_t keep)
{
	struct cst_log *log = calloc(1, sizeof(*log));

	if (!log)
		return -CST_ERR_NOMEM;
	if (keep) {
		log->ring = calloc(keep, sizeof(*log->ring));
		if (!log->ring) {
			free(log);
			return -CST_ERR_NOMEM;
		}
	}
	log->cap = keep;
	cst_log_set_verbosity(log, CST_LOG_COMPONENTS, CST_LOG_INFO);
	*out = log;
	return 0;
}

void cst_log_free(struct cst_log *log)
{
	if (!log)
		return;
	free(log->ring);
	free(log);
}

void cst_log_set_verbosity(struct cst_log *log, enum cst_component component, enum cst_severity severity)
{
	if (component < CST_LOG_COMPONENTS)
		log->verbosity[component] = severity;
	else
		memset(log->verbosity, severity, sizeof(log->verbosity));
}

void cst_log_set_sink(struct cst_log *log, cst_log_fn sink, void *data)
{
	log->sink = sink;
	log->data = data;
}

void cst_log_clear(struct cst_log *log)
{
	log->kept = log->next = 0;
	log->dropped = 0;
	log->any = 0;
	memset(log->ids, 0, sizeof(log->ids));
}

const struct cst_log_record *cst_log_last(const struct cst_log *log)
{
	return log->any ? &log->last : NULL;
}

size_t cst_log_kept(const struct cst_log *log)
{
	return log->kept;
}

const struct cst_log_record *cst_log_at(const struct cst_log *log, size_t i)
{
	if (i >= log->kept)
		return NULL;
	/* a ring that is not full yet starts at 0, a full one at the next place to be written */
	return &log->ring[log->kept < log->cap ? i : (log->next + i) % log->cap];
}

uint64_t cst_log_dropped(const struct cst_log *log)
{
	return log->dropped;
}

static uint64_t count(const struct cst_log *log, unsigned int trace_id, size_t counter)
{
	uint64_t sum = 0;
	unsigned int i;

	if (trace_id == CST_LOG_ALL_IDS) {
		for (i = 0; i < IDS; i++)
			sum += ((const uint64_t *)&log->ids[i])[counter];
		return sum;
	}
	if (trace_id == CST_LOG_NO_ID)
		trace_id = NO_ID;
	return trace_id < IDS ? ((const uint64_t *)&log->ids[trace_id])[counter] : 0;
}

uint64_t cst_log_count(const struct cst_log *log, unsigned int trace_id, enum cst_severity severity)
{
	return (unsigned int)severity < CST_LOG_SEVERITIES ? count(log, trace_id, severity) : 0;
}

uint64_t cst_log_count_error(const struct cst_log *log, unsigned int trace_id, unsigned int error)
{
	return error < ERRORS ? count(log, trace_id, CST_LOG_SEVERITIES + error) : 0;
}

uint64_t cst_log_count_finding(const struct cst_log *log, unsigned int trace_id, unsigned int finding)
{
	return finding < CST_FINDINGS ? count(log, trace_id, CST_LOG_SEVERITIES + ERRORS + finding) : 0;
}

static void count_in(struct cst_log *log, const struct cst_log_record *rec)
{
	struct id_counts *c = &log->ids[rec->trace_id < NO_ID ? rec->trace_id : NO_ID];

	c->severity[rec->severity]++;
	if (rec->finding)
		c->finding[rec->finding]++;
	else if (rec->error < ERRORS)
		c->error[rec->error]++;
}

/* Those that the verbosity lets pass. */
static void keep(struct cst_log *log, const struct cst_log_record *rec)
{
	if (rec->severity > log->verbosity[rec->component])
		return;
	log->last = *rec;
	log->any = 1;
	if (log->cap) {
		log->dropped += log->kept == log->cap;
		log->ring[log->next] = *rec;
		log->next = (log->next + 1) % log->cap;
		log->kept += log->kept < log->cap;
	}
	if (log->sink)
		log->sink(log->data, rec);
}

static void add(struct cst_log *log, const struct cst_log_record *rec)
{
	count_in(log, rec);
	keep(log, rec);
}

static struct cst_log_record record_of(enum cst_component component, unsigned int trace_id, uint64_t index,
				       unsigned int finding, uint64_t value, uint8_t severity)
{
	return (struct cst_log_record){
		.index = index,
		.value = value,
		.count = 1,
		.trace_id = trace_id < NO_ID ? trace_id : CST_LOG_NO_ID,
		.severity = severity,
		.component = component < CST_LOG_COMPONENTS ? component : CST_LOG_TREE,
		.finding = finding,
		.text = cst_finding_text(finding),
		.section = cst_finding_section(finding),
	};
}

/* Where the architecture says what an error is an offence against. */
static const char *error_section(unsigned int error)
{
	static const char *const sections[ERRORS] = {
		[CST_ERR_BAD_HEADER] = "packet descriptions",
		[CST_ERR_BAD_SEQUENCE] = "packet descriptions",
		[CST_ERR_UNSUP_HEADER] = "packet descriptions",
		[CST_ERR_INCOMPLETE] = "packet descriptions",
		[CST_ERR_COMMIT_OVERRUN] = "K10.5.3",
		[CST_ERR_QUEUE_FULL] = "K10.5.3",
		[CST_ERR_DEPTH] = "K10.5.2.6",
		[CST_ERR_TRANSACTION] = "K10.5.2.6",
		[CST_ERR_NO_ATOM] = "K10.5.5.11",
		[CST_ERR_NO_ADDRESS] = "K10.5.2.13",
		[CST_ERR_BAD_IMAGE] = "K10.5.5.3",
		[CST_ERR_FRAME_ID] = "IHI 0029 D4.2",
		[CST_ERR_FRAME_SYNC] = "IHI 0029 D4.2",
		[CST_ERR_FRAME_CUT] = "IHI 0029 D4.2",
	};

	return error < ERRORS && sections[error] ? sections[error] : "";
}

void cst_log_error(struct cst_log *log, enum cst_component component, unsigned int trace_id, uint64_t index,
		   int error, uint64_t value)
{
	struct cst_log_record rec = record_of(component, trace_id, index, 0, value, CST_LOG_ERROR);

	if (!log)
		return;
	rec.error = error < 0 ? -(unsigned int)error : (unsigned int)error;
	rec.text = cst_strerror(error);
	rec.section = error_section(rec.error);
	add(log, &rec);
}

static void finding_as(struct cst_log *log, enum cst_component component, unsigned int trace_id, uint64_t index,
		       unsigned int finding, uint64_t value, uint8_t severity)
{
	struct cst_log_record rec = record_of(component, trace_id, index, finding, value, severity);

	if (log && finding && finding < CST_FINDINGS)
		add(log, &rec);
}

void cst_log_again(struct cst_log *log, unsigned int trace_id, unsigned int finding)
{
	struct cst_log_record rec = record_of(CST_LOG_FLOW, trace_id, 0, finding, 0, cst_finding_severity(finding));

	count_in(log, &rec);
}

void cst_log_rest(struct cst_log *log, enum cst_component component, unsigned int trace_id, uint64_t index,
		  unsigned int finding, uint64_t count)
{
	struct cst_log_record rec = record_of(component, trace_id, index, finding, 0, cst_finding_severity(finding));

	rec.count = count;
	keep(log, &rec);
}

void cst_log_finding(struct cst_log *log, enum cst_component component, unsigned int trace_id, uint64_t index,
		     unsigned int finding, uint64_t value)
{
	finding_as(log, component, trace_id, index, finding, value, cst_finding_severity(finding));
}

void cst_log_strict(struct cst_log *log, enum cst_component component, unsigned int trace_id, uint64_t index,
		    unsigned int finding, uint64_t value)
{
	finding_as(log, component, trace_id, index, finding, value, CST_LOG_ERROR);
}

void cst_log_packet(struct cst_log *log, unsigned int trace_id, const struct cst_packet *pkt, int strict)
{
	unsigned int i;

	for (i = 0; i < PACKET_FINDINGS && pkt->finding[i]; i++)
		finding_as(log, CST_LOG_PACKET, trace_id, pkt->index, pkt->finding[i], 0,
			   strict ? CST_LOG_ERROR : cst_finding_severity(pkt->finding[i]));
}

void cst_log_no_sync(struct cst_log *log, unsigned int trace_id, uint64_t index, unsigned int reason,
		     unsigned int error)
{
	int packet = error == CST_ERR_BAD_HEADER || error == CST_ERR_BAD_SEQUENCE ||
		     error == CST_ERR_UNSUP_HEADER || error == CST_ERR_INCOMPLETE;

	if (error)
		cst_log_error(log, packet ? CST_LOG_PACKET : CST_LOG_ELEMENT, trace_id, index, error, 0);
	else if (reason == CST_UNSYNC_OVERFLOW)
		cst_log_finding(log, CST_LOG_ELEMENT, trace_id, index, CST_FIND_OVERFLOW, 0);
	else if (reason == CST_UNSYNC_DISCARD)
		cst_log_finding(log, CST_LOG_ELEMENT, trace_id, index, CST_FIND_DISCARD, 0);
}
