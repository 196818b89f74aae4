/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reader.c - Tarmac text in pieces → lines → records: times, processors and types of records.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "base/sized.h"
#include "files/tarmac/tarmac_int.h"

#define DEFAULT_LINE ((size_t)64 << 10)

enum type {
	TYPE_NONE,
	TYPE_IT,
	TYPE_IS,
	TYPE_ES,
	TYPE_FD,
	TYPE_FI,
	TYPE_FR,
	TYPE_BRANCH,
	TYPE_REG,
	TYPE_MEMORY,
	TYPE_SHORT_MEMORY,
	TYPE_UPDATE,
	TYPE_BUS,
	TYPE_LD,
	TYPE_ST,
	TYPE_EVENT,
	TYPE_EXC,
	TYPE_RESET,
	TYPE_CACHE,
	TYPE_TTW,
	TYPE_TTU,
	TYPE_TLB,
	TYPE_WALKCACHE,
};

struct cst_tarmac_reader {
	struct cst_tarmac_opts opts;
	struct cst_tarmac_counts counts;
	struct cst_tarmac_record rec;
	const char *p, *end;	/* text that was fed and is not read yet */
	char *carry;		/* a line that came in pieces, or is too long */
	size_t carry_len, carry_cap;
	uint64_t carry_total;	/* bytes of this line so far, also those that are skipped */
	uint64_t offset;	/* of the line that is read next */
	uint64_t time;		/* of the line before */
	size_t continued;	/* column of the address of LD or ST in the line before, from 0; 0: it was neither */
	uint8_t unit;
	bool continued_write;	/* ... it is ST */
	bool ended;
};

int cst_tarmac_reader_new(struct cst_tarmac_reader **out, const struct cst_tarmac_opts *opts)
{
	static const struct cst_tarmac_opts none;
	struct cst_tarmac_opts own;
	struct cst_tarmac_reader *r;

	*out = NULL;
	opts = TAKE(cst_tarmac_opts, opts ? opts : &none, own);
	if (!opts || (opts->has_isa && opts->isa > CST_ISA_TEE))
		return -CST_ERR_INVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -CST_ERR_NOMEM;
	r->opts = *opts;
	if (!r->opts.max_line)
		r->opts.max_line = DEFAULT_LINE;
	*out = r;
	return 0;
}

void cst_tarmac_reader_free(struct cst_tarmac_reader *r)
{
	if (!r)
		return;
	free(r->carry);
	free(r);
}

int cst_tarmac_feed(struct cst_tarmac_reader *r, const void *text, size_t len)
{
	if (r->p != r->end)
		return -CST_ERR_BUSY;
	r->p = text;
	r->end = r->p + len;
	r->ended = false;
	return 0;
}

void cst_tarmac_end(struct cst_tarmac_reader *r)
{
	r->ended = true;
}

const struct cst_tarmac_counts *cst_tarmac_reader_counts(const struct cst_tarmac_reader *r)
{
	return &r->counts;
}

/* ---- types --------------------------------------------------------------------------------------- */

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool read_write(char c)
{
	return c == 'R' || c == 'W';
}

static int type_of_two(const char *p)
{
	switch ((unsigned char)p[0] << 8 | (unsigned char)p[1]) {
	case 'I' << 8 | 'T':
	case 'I' << 8 | 'F':
		return TYPE_IT;
	case 'I' << 8 | 'S':
		return TYPE_IS;
	case 'E' << 8 | 'S':
		return TYPE_ES;
	case 'F' << 8 | 'D':
		return TYPE_FD;
	case 'F' << 8 | 'I':
		return TYPE_FI;
	case 'F' << 8 | 'R':
		return TYPE_FR;
	case 'B' << 8 | 'R':
		return TYPE_BRANCH;
	case 'L' << 8 | 'D':
		return TYPE_LD;
	case 'S' << 8 | 'T':
		return TYPE_ST;
	default:
		return TYPE_NONE;
	}
}

static int type_of_three(struct cst_str w)
{
	if (read_write(w.p[0]) && w.p[1] == '0' && (w.p[2] == '1' || w.p[2] == '2' || w.p[2] == '4' || w.p[2] == '8'))
		return TYPE_SHORT_MEMORY;
	if (scan_is(w, "EXC"))
		return TYPE_EXC;
	if (scan_is(w, "TTW"))
		return TYPE_TTW;
	if (scan_is(w, "TTU"))
		return TYPE_TTU;
	return scan_is(w, "TLB") ? TYPE_TLB : TYPE_NONE;
}

int cst_tarmac_type_of(struct cst_str w)
{
	int type;

	if (w.n < 2)
		return w.n && w.p[0] == 'R' ? TYPE_REG : w.n && w.p[0] == 'E' ? TYPE_EVENT : TYPE_NONE;
	if (w.n == 2)
		return type_of_two(w.p);
	if (w.p[0] < 'A' || w.p[0] > 'Z')
		return TYPE_NONE;
	if (w.p[0] == 'M' && read_write(w.p[1]) && digit(w.p[2]))
		return TYPE_MEMORY;
	if (w.p[0] == 'M' && w.p[1] == 'U' && digit(w.p[2]))
		return TYPE_UPDATE;
	if (w.p[0] == 'M' && w.n > 3 && w.p[1] >= 'A' && w.p[1] <= 'Z' && read_write(w.p[2]) && digit(w.p[3]))
		return TYPE_MEMORY;
	if (w.p[0] == 'B' && read_write(w.p[1]) && digit(w.p[2]))
		return TYPE_BUS;
	type = w.n == 3 ? type_of_three(w) : TYPE_NONE;
	if (type == TYPE_NONE && w.n == 5)
		type = scan_is(w, "CACHE") ? TYPE_CACHE : scan_is(w, "Reset") ? TYPE_RESET : TYPE_NONE;
	return type == TYPE_NONE && scan_is(w, "WALKCACHE") ? TYPE_WALKCACHE : type;
}

/* Reads ES with an instruction, an exception or a reset. */
static bool es(struct scan *s, const struct cst_tarmac_opts *opts)
{
	const char *p = s->p;
	struct cst_str word = scan_word(s);

	if (scan_is(word, "EXC"))
		return cst_tarmac_parse_exception(s);
	s->p = p;
	return scan_is(word, "Reset") ? cst_tarmac_parse_exception(s) : cst_tarmac_parse_es(s, opts);
}

/* Bytes of the union that a record of this type uses; they are 0 before it is read. */
static const uint16_t member_size[] = {
	[TYPE_NONE] = 0,
	[TYPE_IT] = sizeof(struct cst_tarmac_insn),
	[TYPE_IS] = sizeof(struct cst_tarmac_insn),
	[TYPE_ES] = sizeof(struct cst_tarmac_insn),
	[TYPE_FD] = sizeof(struct cst_tarmac_flow),
	[TYPE_FI] = sizeof(struct cst_tarmac_flow),
	[TYPE_FR] = sizeof(struct cst_tarmac_flow),
	[TYPE_BRANCH] = sizeof(struct cst_tarmac_flow),
	[TYPE_REG] = sizeof(struct cst_tarmac_reg),
	[TYPE_MEMORY] = sizeof(struct cst_tarmac_memory),
	[TYPE_SHORT_MEMORY] = sizeof(struct cst_tarmac_memory),
	[TYPE_UPDATE] = sizeof(struct cst_tarmac_memory),
	[TYPE_BUS] = sizeof(struct cst_tarmac_bus),
	[TYPE_LD] = sizeof(struct cst_tarmac_memory),
	[TYPE_ST] = sizeof(struct cst_tarmac_memory),
	[TYPE_EVENT] = sizeof(struct cst_tarmac_event),
	[TYPE_EXC] = sizeof(struct cst_tarmac_event),
	[TYPE_RESET] = sizeof(struct cst_tarmac_event),
	[TYPE_CACHE] = sizeof(struct cst_tarmac_maintenance),
	[TYPE_TTW] = sizeof(struct cst_tarmac_walk),
	[TYPE_TTU] = sizeof(struct cst_tarmac_walk),
	[TYPE_TLB] = sizeof(struct cst_tarmac_tlb),
	[TYPE_WALKCACHE] = sizeof(struct cst_tarmac_tlb),
};

_Static_assert(sizeof(struct cst_tarmac_maintenance) >= sizeof(struct cst_tarmac_cache), "both are of TYPE_CACHE");
_Static_assert(sizeof(struct cst_tarmac_insn) >= sizeof(struct cst_tarmac_event), "both are of TYPE_ES");

static bool record(struct cst_tarmac_reader *r, struct scan *s, int type, struct cst_str word)
{
	memset(&s->rec->u, 0, member_size[type]);
	switch ((enum type)type) {
	case TYPE_IT:
	case TYPE_IS:
		return cst_tarmac_parse_insn(s, type == TYPE_IS, &r->opts);
	case TYPE_ES:
		return es(s, &r->opts);
	case TYPE_FD:
		return cst_tarmac_parse_flow(s, CST_TARMAC_DIRECT);
	case TYPE_FI:
		return cst_tarmac_parse_flow(s, CST_TARMAC_INDIRECT);
	case TYPE_FR:
		return cst_tarmac_parse_flow(s, CST_TARMAC_RETURN);
	case TYPE_BRANCH:
		return cst_tarmac_parse_branch(s);
	case TYPE_REG:
		return cst_tarmac_parse_reg(s);
	case TYPE_MEMORY:
		return cst_tarmac_parse_memory(s, word);
	case TYPE_SHORT_MEMORY:
		return cst_tarmac_parse_short_memory(s, word);
	case TYPE_UPDATE:
		return cst_tarmac_parse_update(s, word);
	case TYPE_BUS:
		return cst_tarmac_parse_bus(s, word);
	case TYPE_LD:
	case TYPE_ST:
		scan_blanks(s);
		r->continued = (size_t)(s->p - s->start);
		r->continued_write = type == TYPE_ST;
		return cst_tarmac_parse_diagram(s, type == TYPE_ST);
	case TYPE_RESET:
		s->p = word.p;
		return cst_tarmac_parse_exception(s);
	case TYPE_EVENT:
		return cst_tarmac_parse_event(s);
	case TYPE_EXC:
		return cst_tarmac_parse_exception(s);
	case TYPE_CACHE:
		return cst_tarmac_parse_cache(s);
	case TYPE_TTW:
	case TYPE_TTU:
		return cst_tarmac_parse_walk(s, type == TYPE_TTU);
	case TYPE_TLB:
	case TYPE_WALKCACHE:
		return cst_tarmac_parse_tlb(s, type == TYPE_WALKCACHE);
	case TYPE_NONE:
		break;
	}
	return true;
}

/* ---- a line -------------------------------------------------------------------------------------- */

/* Reads time and unit, joined or apart. Returns false if the line does not begin with a time. */
static bool time_of(struct cst_tarmac_reader *r, struct scan *s)
{
	struct cst_tarmac_record *rec = s->rec;
	const char *from = s->p, *p;
	enum cst_tarmac_unit unit;

	if (!digit(*from) || !scan_dec(s, &rec->time, "")) {
		rec->time = r->time;
		s->p = from;
		return false;
	}
	p = s->p;
	unit = cst_tarmac_unit_of(scan_word(s));
	if (unit == CST_TARMAC_NO_UNIT || (s->p < s->end && scan_char(*s->p) != TARMAC_BLANK)) {
		if (p < s->end && scan_char(*p) != TARMAC_BLANK) {
			rec->time = r->time;
			s->p = from;
			return false;
		}
		unit = CST_TARMAC_NO_UNIT;
		s->p = p;
	}
	rec->unit = (uint8_t)unit;
	return true;
}

/* A blank or a bracket ends a type. */
static bool type_ends(const struct scan *s)
{
	return s->p == s->end || *s->p == '(' || scan_char(*s->p) == TARMAC_BLANK;
}

/*
 * Reads the type of the record, and the processor if it is there: any word between a time and a type, or, without a
 * time, a word that begins with "cpu".
 */
static int type_and_cpu(struct scan *s, struct cst_str *word, bool timed)
{
	struct cst_str first = scan_word(s), second;
	const char *p = s->p;
	int type = cst_tarmac_type_of(first);

	*word = first;
	if (type != TYPE_NONE && type_ends(s) && (timed || type != TYPE_RESET))
		return type;
	if (!first.n || (s->p < s->end && scan_char(*s->p) != TARMAC_BLANK) ||
	    (!timed && !scan_begins(first, "cpu")))
		return TYPE_NONE;
	second = scan_word(s);
	type = type_ends(s) ? cst_tarmac_type_of(second) : TYPE_NONE;
	if (type != TYPE_NONE || (timed && scan_begins(first, "cpu"))) {
		s->rec->cpu = first;
		*word = second;
		return type;
	}
	s->p = p;
	return TYPE_NONE;
}

/*
 * Reads the second line of LD or ST: its address, of 8 digits or more, is in the column of the first one. Returns false if
 * the line is no such line.
 */
static bool continuation(struct cst_tarmac_reader *r, struct scan *s, size_t continued)
{
	unsigned int n;

	if (!continued || (size_t)(s->p - s->start) != continued)
		return false;
	for (n = 0; n < 8; n++)
		if (scan_char(s->p[n]) > 15)
			return false;
	memset(&s->rec->u, 0, sizeof(s->rec->u));
	r->continued = continued;
	if (!cst_tarmac_parse_diagram(s, r->continued_write))
		s->rec->kind = CST_TARMAC_OTHER;
	return true;
}

static bool is_comment(const struct scan *s)
{
	return *s->p == '#' || (s->end - s->p > 1 && s->p[0] == '/' && s->p[1] == '/');
}

/* Reads the line from start to end, where its '\n' is. Returns false for empty lines and comments. */
static bool one_line(struct cst_tarmac_reader *r, const char *start, const char *end)
{
	struct cst_tarmac_record *rec = &r->rec;
	struct scan s = { start, start, end, rec };
	const size_t continued = r->continued;
	struct cst_str word;
	bool timed;
	int type;

	r->continued = 0;
	while (s.end > start && scan_char(s.end[-1]) == TARMAC_BLANK)
		s.end--;
	scan_blanks(&s);
	if (s.p == s.end || is_comment(&s)) {
		*(s.p == s.end ? &r->counts.empty : &r->counts.comments) += 1;
		return false;
	}
	rec->line = r->counts.lines;
	rec->cpu = scan_str(NULL, NULL);
	rec->kind = CST_TARMAC_OTHER;
	rec->dialect = CST_TARMAC_FAST_MODELS;
	rec->flags = 0;
	rec->unit = r->unit;
	rec->error = 0;
	rec->column = 0;
	rec->reason = NULL;
	rec->time = r->time;
	rec->text = scan_str(s.p, s.end);
	if (continuation(r, &s, continued)) {
		rec->flags = CST_TARMAC_TIME_BEFORE;
		return true;
	}
	timed = time_of(r, &s);
	if (rec->error) {
		rec->flags = CST_TARMAC_TIME_BEFORE;
		return true;
	}
	word = scan_str(s.p, s.p);
	type = type_and_cpu(&s, &word, timed);
	if (timed) {
		r->time = rec->time;
		r->unit = rec->unit;
		rec->text = scan_str(word.p, s.end);
	} else {
		rec->flags = CST_TARMAC_TIME_BEFORE;
		if (rec->cpu.n)
			rec->text = scan_str(word.p, s.end);
		if (type == TYPE_NONE && scan_is(word, "Tarmac"))
			rec->kind = CST_TARMAC_HEADER;
	}
	if (type != TYPE_NONE && !record(r, &s, type, word))
		rec->kind = CST_TARMAC_OTHER;
	return true;
}

/* ---- lines of the text ---------------------------------------------------------------------------- */

/* Adds a piece to the carried line, up to the limit, and leaves room for '\n'. */
static int carry(struct cst_tarmac_reader *r, const char *from, size_t n)
{
	size_t keep = r->opts.max_line - r->carry_len;

	keep = n < keep ? n : keep;
	if (array_reserve(&r->carry, &r->carry_cap, r->carry_len + keep + 1, 1))
		return -CST_ERR_NOMEM;
	if (keep)
		memcpy(r->carry + r->carry_len, from, keep);
	r->carry_len += keep;
	r->carry_total += n;
	return 0;
}

/* Counts and reads a line of `n` bytes, of which `skipped` are missing. Returns 1 if it has a record. */
static int finish_line(struct cst_tarmac_reader *r, const char *start, const char *end, uint64_t n, uint64_t skipped)
{
	bool found;

	r->counts.lines++;
	r->rec.offset = r->offset;
	r->offset += n;
	r->counts.bytes += n;
	found = one_line(r, start, end);
	if (skipped) {
		r->counts.cut++;
		r->counts.cut_bytes += skipped;
		r->rec.flags |= CST_TARMAC_CUT;
	}
	if (!found)
		return 0;
	r->counts.kinds[r->rec.kind]++;
	r->counts.errors += r->rec.error != 0;
	return 1;
}

/* Reads the carried line, which is complete; `end`: bytes of its line end. */
static int finish_carry(struct cst_tarmac_reader *r, size_t end)
{
	const uint64_t total = r->carry_total, skipped = total - r->carry_len;
	const size_t len = r->carry_len;

	r->carry[len] = '\n';
	r->carry_len = 0;
	r->carry_total = 0;
	return finish_line(r, r->carry, r->carry + len, total + end, skipped);
}

int cst_tarmac_next(struct cst_tarmac_reader *r, const struct cst_tarmac_record **rec)
{
	const char *start, *nl;
	size_t n;
	int found = 0;

	*rec = &r->rec;
	while (!found && r->p != r->end) {
		start = r->p;
		nl = memchr(start, '\n', (size_t)(r->end - start));
		n = (size_t)((nl ? nl : r->end) - start);
		if (nl && !r->carry_total && n <= r->opts.max_line) {
			r->p = nl + 1;
			found = finish_line(r, start, nl, n + 1, 0);
			continue;
		}
		if (carry(r, start, n))
			return -CST_ERR_NOMEM;
		r->p = nl ? nl + 1 : r->end;
		if (nl)
			found = finish_carry(r, 1);
	}
	if (!found && r->ended && r->carry_total)
		found = finish_carry(r, 0);
	return found;
}
