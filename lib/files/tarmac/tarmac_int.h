/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tarmac_int.h - the records of Tarmac text, one function for each: inside of lib/tarmac.
 *
 * A function starts behind the type of the record, fills the member of the union, which is 0, and returns true; or it
 * returns false after scan_wrong().
 */
#ifndef CST_LIB_FILES_TARMAC_TARMAC_INT_H
#define CST_LIB_FILES_TARMAC_TARMAC_INT_H

#include "files/tarmac/scan.h"

bool cst_tarmac_parse_insn(struct scan *s, bool skipped, const struct cst_tarmac_opts *opts);
bool cst_tarmac_parse_es(struct scan *s, const struct cst_tarmac_opts *opts);
bool cst_tarmac_parse_flow(struct scan *s, enum cst_tarmac_flow_type type);
bool cst_tarmac_parse_branch(struct scan *s);
bool cst_tarmac_parse_reg(struct scan *s);
bool cst_tarmac_parse_memory(struct scan *s, struct cst_str type);
bool cst_tarmac_parse_short_memory(struct scan *s, struct cst_str type);
bool cst_tarmac_parse_update(struct scan *s, struct cst_str type);
bool cst_tarmac_parse_bus(struct scan *s, struct cst_str type);
bool cst_tarmac_parse_diagram(struct scan *s, bool write);
bool cst_tarmac_parse_event(struct scan *s);
bool cst_tarmac_parse_exception(struct scan *s);
bool cst_tarmac_parse_cache(struct scan *s);
bool cst_tarmac_parse_walk(struct scan *s, bool update);
bool cst_tarmac_parse_tlb(struct scan *s, bool walk_cache);

/* Reads an address by the common definition: vaddr{:paddr{_NS}}. */
bool cst_tarmac_parse_address(struct scan *s, struct cst_tarmac_address *a, const char *reason);
/* Reads a physical address with its space, behind the character at s->p. */
bool cst_tarmac_parse_physical(struct scan *s, uint64_t *physical, uint8_t *space);
/* Reads _NS, _S or nothing behind a physical address. Returns CST_TARMAC_NO_PHYSICAL after scan_wrong(). */
enum cst_tarmac_space cst_tarmac_parse_space(struct scan *s);
/* Reads a mode; any word that is none gives CST_TARMAC_MODE_OTHER. */
void cst_tarmac_parse_mode(struct cst_tarmac_mode *m, struct cst_str word);
/* Returns true if the word names a mode. */
bool cst_tarmac_is_mode(struct cst_str word);
/* Returns the name of a mode in a dialect; "" if it has none. */
const char *cst_tarmac_mode_name(enum cst_tarmac_mode_kind kind, enum cst_tarmac_dialect dialect);
/* Returns true at a word of hexadecimal digits: the value of an event, not its name. */
bool cst_tarmac_at_value(const struct scan *s);
/* Returns the instruction set of a letter, CST_ISA_UNKNOWN for other words. */
enum cst_isa cst_tarmac_isa_of(struct cst_str word);
/* Returns the type of a record by its word (enum type of reader.c); 0: the word is no type. */
int cst_tarmac_type_of(struct cst_str word);
enum cst_tarmac_unit cst_tarmac_unit_of(struct cst_str word);

#endif
