/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tarmac_same.h - a record of Tarmac text and what is read of it after it was written: the same, but for what
 * include/cstrace/files/tarmac.h says that the dialect does not have. For unit tests and the fuzz target.
 */
#ifndef CSTRACE_TESTS_UNIT_TARMAC_SAME_H
#define CSTRACE_TESTS_UNIT_TARMAC_SAME_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>

#define TARMAC_DIFFER(what) do { if (!(what)) return #what; } while (0)
#define TARMAC_EQUAL(x, y, field) TARMAC_DIFFER((x)->field == (y)->field)
#define TARMAC_TEXT(x, y, field) TARMAC_DIFFER(tarmac_text_same((x)->field, (y)->field))

static inline bool tarmac_text_same(struct cst_str a, struct cst_str b)
{
	return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n));
}

/* Digits without what stands among them. */
static inline bool tarmac_digits_same(struct cst_str a, struct cst_str b)
{
	size_t i = 0, k = 0;

	for (;; i++, k++) {
		while (i < a.n && strchr("_: \t\r\v\f", a.p[i]))
			i++;
		while (k < b.n && strchr("_: \t\r\v\f", b.p[k]))
			k++;
		if (i == a.n || k == b.n)
			return i == a.n && k == b.n;
		if (a.p[i] != b.p[k])
			return false;
	}
}

static inline const char *tarmac_address_same(const struct cst_tarmac_address *a, const struct cst_tarmac_address *b)
{
	TARMAC_EQUAL(a, b, address);
	TARMAC_EQUAL(a, b, physical);
	TARMAC_DIFFER(a->space == b->space || (a->space == CST_TARMAC_UNSAID && b->space == CST_TARMAC_SECURE));
	return NULL;
}

static inline const char *tarmac_mode_same(const struct cst_tarmac_mode *a, const struct cst_tarmac_mode *b)
{
	TARMAC_EQUAL(a, b, kind);
	TARMAC_EQUAL(a, b, el);
	TARMAC_EQUAL(a, b, stack);
	TARMAC_EQUAL(a, b, has_security);
	TARMAC_EQUAL(a, b, security);
	if (a->kind == CST_TARMAC_MODE_OTHER)
		TARMAC_TEXT(a, b, text);
	return NULL;
}

static inline const char *tarmac_insn_same(const struct cst_tarmac_insn *a, const struct cst_tarmac_insn *b, bool es)
{
	TARMAC_DIFFER(es ? a->address.address == b->address.address : !tarmac_address_same(&a->address, &b->address));
	TARMAC_EQUAL(a, b, opcode);
	TARMAC_EQUAL(a, b, size);
	TARMAC_EQUAL(a, b, outcome);
	TARMAC_EQUAL(a, b, isa);
	TARMAC_TEXT(a, b, disassembly);
	if (!es) {
		TARMAC_EQUAL(a, b, index);
		TARMAC_EQUAL(a, b, has_index);
		TARMAC_EQUAL(a, b, physical2);
		TARMAC_EQUAL(a, b, has_physical2);
	}
	return tarmac_mode_same(&a->mode, &b->mode);
}

static inline const char *tarmac_reg_same(const struct cst_tarmac_reg *a, const struct cst_tarmac_reg *b, bool es)
{
	TARMAC_TEXT(a, b, name);
	TARMAC_TEXT(a, b, bank);
	TARMAC_DIFFER(tarmac_digits_same(a->digits, b->digits));
	if (es)
		TARMAC_TEXT(a, b, note);
	TARMAC_DIFFER(!memcmp(&a->what, &b->what, sizeof(a->what)));
	TARMAC_EQUAL(a, b, value);
	TARMAC_EQUAL(a, b, bits);
	TARMAC_EQUAL(a, b, unknown);
	TARMAC_EQUAL(a, b, high);
	TARMAC_EQUAL(a, b, low);
	TARMAC_EQUAL(a, b, has_range);
	TARMAC_EQUAL(a, b, has_parentheses);
	return NULL;
}

static inline const char *tarmac_memory_same(const struct cst_tarmac_record *ra, const struct cst_tarmac_record *rb)
{
	const struct cst_tarmac_memory *a = &ra->u.memory, *b = &rb->u.memory;

	TARMAC_EQUAL(a, b, used);
	TARMAC_EQUAL(a, b, unknown);
	TARMAC_TEXT(a, b, operation);
	TARMAC_EQUAL(a, b, write);
	TARMAC_EQUAL(a, b, size);
	TARMAC_DIFFER(!((a->access ^ b->access) & ~CST_TARMAC_BIG));
	TARMAC_DIFFER(!memcmp(a->data, b->data, sizeof(a->data)));
	if (ra->dialect == CST_TARMAC_ES && rb->dialect == CST_TARMAC_ES) {
		TARMAC_TEXT(a, b, attributes);
		TARMAC_EQUAL(a, b, window);
		TARMAC_EQUAL(a, b, address.space);
	}
	return tarmac_address_same(&a->address, &b->address);
}

static inline const char *tarmac_event_same(const struct cst_tarmac_event *a, const struct cst_tarmac_event *b)
{
	const char *why = tarmac_address_same(&a->value, &b->value);

	TARMAC_TEXT(a, b, name);
	TARMAC_TEXT(a, b, text);
	TARMAC_EQUAL(a, b, value1);
	TARMAC_EQUAL(a, b, number);
	TARMAC_EQUAL(a, b, has_value);
	TARMAC_EQUAL(a, b, has_value1);
	TARMAC_EQUAL(a, b, has_number);
	return why ? why : tarmac_mode_same(&a->mode, &b->mode);
}

static inline const char *tarmac_bus_same(const struct cst_tarmac_bus *a, const struct cst_tarmac_bus *b)
{
	TARMAC_EQUAL(a, b, address);
	TARMAC_TEXT(a, b, master);
	TARMAC_EQUAL(a, b, write);
	TARMAC_EQUAL(a, b, fetch);
	TARMAC_EQUAL(a, b, privileged);
	TARMAC_EQUAL(a, b, nonsecure);
	TARMAC_EQUAL(a, b, size);
	TARMAC_EQUAL(a, b, access);
	TARMAC_EQUAL(a, b, inner);
	TARMAC_EQUAL(a, b, outer);
	TARMAC_DIFFER(!memcmp(a->data, b->data, sizeof(a->data)));
	return NULL;
}

static inline const char *tarmac_tlb_same(const struct cst_tarmac_tlb *a, const struct cst_tarmac_tlb *b)
{
	TARMAC_TEXT(a, b, id);
	TARMAC_TEXT(a, b, regime);
	TARMAC_TEXT(a, b, type);
	TARMAC_TEXT(a, b, attributes);
	TARMAC_TEXT(a, b, size_text);
	TARMAC_EQUAL(a, b, size);
	TARMAC_EQUAL(a, b, base);
	TARMAC_EQUAL(a, b, physical);
	TARMAC_EQUAL(a, b, vmid);
	TARMAC_EQUAL(a, b, asid);
	TARMAC_EQUAL(a, b, walk_cache);
	TARMAC_EQUAL(a, b, evict);
	TARMAC_EQUAL(a, b, nonsecure);
	TARMAC_EQUAL(a, b, physical_nonsecure);
	TARMAC_EQUAL(a, b, has_vmid);
	TARMAC_EQUAL(a, b, has_asid);
	return NULL;
}

static inline const char *tarmac_cache_same(const struct cst_tarmac_record *ra, const struct cst_tarmac_record *rb)
{
	const struct cst_tarmac_cache *a = &ra->u.cache, *b = &rb->u.cache;
	const struct cst_tarmac_walk *wa = &ra->u.walk, *wb = &rb->u.walk;
	const struct cst_tarmac_maintenance *ma = &ra->u.maintenance, *mb = &rb->u.maintenance;

	if (ra->kind == CST_TARMAC_CACHE) {
		TARMAC_TEXT(a, b, id);
		TARMAC_TEXT(a, b, operation);
		TARMAC_EQUAL(a, b, line);
		TARMAC_EQUAL(a, b, address);
		TARMAC_EQUAL(a, b, nonsecure);
		return NULL;
	}
	if (ra->kind == CST_TARMAC_WALK) {
		TARMAC_TEXT(wa, wb, side);
		TARMAC_TEXT(wa, wb, format);
		TARMAC_TEXT(wa, wb, result);
		TARMAC_TEXT(wa, wb, attributes);
		TARMAC_EQUAL(wa, wb, address);
		TARMAC_EQUAL(wa, wb, data);
		TARMAC_EQUAL(wa, wb, update);
		TARMAC_EQUAL(wa, wb, stage);
		TARMAC_EQUAL(wa, wb, level);
		return NULL;
	}
	TARMAC_TEXT(ma, mb, side);
	TARMAC_TEXT(ma, mb, operation);
	TARMAC_TEXT(ma, mb, scope);
	TARMAC_TEXT(ma, mb, region);
	return tarmac_address_same(&ma->data, &mb->data);
}

static inline const char *tarmac_flow_same(const struct cst_tarmac_flow *a, const struct cst_tarmac_flow *b)
{
	const char *why = tarmac_address_same(&a->from, &b->from);

	TARMAC_EQUAL(a, b, index);
	TARMAC_EQUAL(a, b, type);
	TARMAC_EQUAL(a, b, isa);
	return why ? why : tarmac_address_same(&a->target, &b->target);
}

/* NULL: they are; else what differs. */
static inline const char *tarmac_same(const struct cst_tarmac_record *a, const struct cst_tarmac_record *b, bool es)
{
	const bool bare = a->kind == CST_TARMAC_HEADER || (a->kind == CST_TARMAC_OTHER && !a->cpu.n);

	TARMAC_EQUAL(a, b, kind);
	TARMAC_EQUAL(a, b, time);
	TARMAC_EQUAL(a, b, unit);
	TARMAC_EQUAL(a, b, error);
	TARMAC_EQUAL(a, b, reason);
	TARMAC_TEXT(a, b, cpu);
	if (es || (bare && a->flags & CST_TARMAC_TIME_BEFORE))
		TARMAC_DIFFER(!((a->flags ^ b->flags) & CST_TARMAC_TIME_BEFORE));
	switch (a->kind) {
	case CST_TARMAC_OTHER:
	case CST_TARMAC_HEADER:
		TARMAC_TEXT(a, b, text);
		return NULL;
	case CST_TARMAC_INSN:
		return tarmac_insn_same(&a->u.insn, &b->u.insn, es);
	case CST_TARMAC_FLOW:
		return tarmac_flow_same(&a->u.flow, &b->u.flow);
	case CST_TARMAC_REG:
		return tarmac_reg_same(&a->u.reg, &b->u.reg, es);
	case CST_TARMAC_MEMORY:
	case CST_TARMAC_UPDATE:
		return tarmac_memory_same(a, b);
	case CST_TARMAC_BUS:
		return tarmac_bus_same(&a->u.bus, &b->u.bus);
	case CST_TARMAC_EVENT:
		return tarmac_event_same(&a->u.event, &b->u.event);
	case CST_TARMAC_TLB:
		return tarmac_tlb_same(&a->u.tlb, &b->u.tlb);
	default:
		return tarmac_cache_same(a, b);
	}
}

/*
 * Writes a record, reads the line behind one that gives it the time before, and compares. NULL: the same, or the
 * dialect cannot say it (*unsaid is counted); else what differs, or what the writer returned.
 */
static inline const char *tarmac_there_and_back(const struct cst_tarmac_record *a, enum cst_tarmac_dialect dialect, uint64_t *unsaid)
{
	const struct cst_tarmac_record *b;
	struct cst_tarmac_reader *r;
	const char *why;
	char before[64], *line;
	int64_t len = cst_tarmac_write(a, dialect, NULL, 0);
	int n;

	if (len == -CST_ERR_UNSUP) {
		*unsaid += 1;
		return NULL;
	}
	if (len <= 0)
		return "the record cannot be written";
	line = malloc((size_t)len);
	if (!line || cst_tarmac_write(a, dialect, line, (size_t)len) != len || line[len - 1] != '\n' || memchr(line, '\n', (size_t)len - 1))
		return "the writer contradicts itself";
	n = snprintf(before, sizeof(before), "%llu %s before\n", (unsigned long long)a->time, cst_tarmac_unit_text(a->unit));
	if (cst_tarmac_reader_new(&r, &(struct cst_tarmac_opts){ .max_line = 1 << 20 }))
		return "no memory";
	cst_tarmac_feed(r, before, (size_t)n);
	if (cst_tarmac_next(r, &b) != 1 || b->kind != CST_TARMAC_OTHER || cst_tarmac_next(r, &b))
		return "the line before is none";
	cst_tarmac_feed(r, line, (size_t)len);
	why = cst_tarmac_next(r, &b) == 1 ? tarmac_same(a, b, dialect == CST_TARMAC_ES) : "the line has no record";
	cst_tarmac_reader_free(r);
	free(line);
	return why;
}

#endif
