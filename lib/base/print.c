/* SPDX-License-Identifier: BSD-3-Clause */
/* print.c - a record of the error log as a line of text. */
#include <cstrace/log.h>

#include "text.h"

size_t cst_log_text(const struct cst_log_record *rec, char *out, size_t cap)
{
	struct cst_text t;

	cst_text_init(&t, out, cap);
	cst_text_dec_in(&t, "Idx:", rec->index, "");
	if (rec->trace_id != CST_LOG_NO_ID)
		cst_text_hex_in(&t, "; ID:", rec->trace_id, 1, "");
	cst_text_str_in(&t, "; ", cst_component_name(rec->component), "; ");
	cst_text_str_in(&t, cst_severity_name(rec->severity), ": ", rec->text);
	if (rec->value && rec->component == CST_LOG_FLOW)
		cst_text_hex_in(&t, ": 0x", rec->value, 1, "");
	else if (rec->value)
		cst_text_dec_in(&t, ": ", rec->value, " bytes");
	if (rec->count > 1)
		cst_text_dec_in(&t, ", ", rec->count, " times more up to here");
	if (*rec->section)
		cst_text_str_in(&t, " (", rec->section, ")");
	return cst_text_end(&t);
}
