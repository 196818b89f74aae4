/* SPDX-License-Identifier: GPL-2.0-only */
/* log.c - dump --log: what is wrong in the trace, record by record. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "outputs/dump/dump.h"

#define LOG_LINE 512

bool dump_log_level(const char *name, enum cst_severity *level)
{
	unsigned int i;

	if (!*name) {
		*level = CST_LOG_INFO;
		return true;
	}
	for (i = CST_LOG_ERROR; i < CST_LOG_SEVERITIES; i++)
		if (!strcmp(name, cst_severity_name(i))) {
			*level = (enum cst_severity)i;
			return true;
		}
	return false;
}

static void json_record(struct dump *d, const struct cst_log_record *rec)
{
	char *p = dump_out_line(&d->out);

	p = dump_dec(dump_str(p, "{\"record\":\"log\",\"index\":"), rec->index);
	if (rec->trace_id != CST_LOG_NO_ID)
		p = dump_key_dec(p, "id", rec->trace_id);
	p = dump_key_str(p, "severity", cst_severity_name(rec->severity));
	p = dump_key_str(p, "component", cst_component_name(rec->component));
	p = dump_key_str(p, "message", rec->text);
	if (*rec->section)
		p = dump_key_str(p, "section", rec->section);
	if (rec->value)
		p = dump_key_hex(p, "value", rec->value);
	if (rec->count > 1)
		p = dump_key_dec(p, "count", rec->count);
	p = dump_str(p, "}\n");
	dump_out_done(&d->out, p);
}

static void print_record(void *data, const struct cst_log_record *rec)
{
	struct dump *d = data;
	char line[LOG_LINE];

	if (d->id.only_id >= 0 && rec->trace_id != CST_LOG_NO_ID &&
	    rec->trace_id != (unsigned int)d->id.only_id)
		return;
	if (d->format == DUMP_JSON) {
		json_record(d, rec);
		return;
	}
	cst_log_text(rec, line, sizeof(line));
	fprintf(stderr, "%s\n", line);
}

void dump_log_open(struct dump *d, enum cst_severity level)
{
	if (cst_log_new(&d->log, 0))
		mem_refused(0);
	cst_log_set_verbosity(d->log, CST_LOG_COMPONENTS, level);
	cst_log_set_sink(d->log, print_record, d);
}

/* The records that print_record() takes: with --id also those of the frames, which have no ID. */
static unsigned long long logged(const struct dump *d, enum cst_severity severity)
{
	if (d->id.only_id < 0)
		return cst_log_count(d->log, CST_LOG_ALL_IDS, severity);
	return cst_log_count(d->log, (unsigned int)d->id.only_id, severity) +
	       cst_log_count(d->log, CST_LOG_NO_ID, severity);
}

void dump_log_sum(const struct dump *d)
{
	if (d->log)
		fprintf(stderr, "cstrace dump: log: %llu errors, %llu warnings, %llu notes\n", logged(d, CST_LOG_ERROR),
			logged(d, CST_LOG_WARNING), logged(d, CST_LOG_INFO));
}
