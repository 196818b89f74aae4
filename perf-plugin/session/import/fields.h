/* SPDX-License-Identifier: GPL-2.0-only */
/* fields.h - records of fixed layout as x_ events: the same table serves both directions. */
#ifndef CSTRACE_SESSION_IMPORT_FIELDS_H
#define CSTRACE_SESSION_IMPORT_FIELDS_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

struct record_field {
	const char *key;	/* NULL: no more */
	uint16_t at;
	uint8_t width;		/* bytes */
	bool is_signed;
};

struct record_verb {
	const char *name;
	uint32_t type;
	uint16_t size;		/* without sample_id */
	bool trailer;		/* a sample_id follows */
	struct record_field fields[8];
};

const struct record_verb *record_verb_of(uint32_t type);
const struct record_verb *record_verb_by_name(const char *name, size_t len);

#endif
