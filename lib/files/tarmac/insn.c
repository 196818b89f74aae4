/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn.c - instructions of all dialects, and changes of the program flow
 * (Fast Models, "Instruction trace", "Program flow trace").
 */
#include "files/tarmac/tarmac_int.h"

static const char no_isa[] = "expected the instruction set: A, T, X or O";

/* Stores an opcode of 4 or 8 digits, 16 or 32 bits, that was read at `at`. */
static bool opcode(struct scan *s, struct cst_tarmac_insn *insn, const char *at, uint64_t value, size_t digits)
{
	if ((digits != 4 && digits != 8) || !scan_ends(s))
		return scan_wrong(s, at, "expected an opcode of 4 or 8 hexadecimal digits");
	insn->opcode = (uint32_t)value;
	insn->size = (uint8_t)(digits / 2);
	return true;
}

/* Reads "MODE :" and the disassembly. */
static bool mode_and_text(struct scan *s, struct cst_tarmac_insn *insn)
{
	struct cst_str word;

	if (!scan_some_word(s, &word, "expected the processor mode"))
		return false;
	cst_tarmac_parse_mode(&insn->mode, word);
	if (!scan_expect(s, ':', "expected ':' before the disassembly"))
		return false;
	insn->disassembly = scan_rest(s);
	return true;
}

/* Reads the instruction set, the mode and the disassembly. `short_form`: T16 and T32 have no mode. */
static bool isa_and_rest(struct scan *s, struct cst_tarmac_insn *insn, bool short_form, const struct cst_tarmac_opts *opts)
{
	struct cst_str word = scan_word(s);
	enum cst_isa isa = cst_tarmac_isa_of(word);

	if (isa == CST_ISA_UNKNOWN && opts->has_isa) {
		s->p = word.p;
		insn->isa = opts->isa;
		insn->disassembly = scan_rest(s);
		return true;
	}
	if (isa == CST_ISA_UNKNOWN || !scan_ends(s))
		return scan_wrong(s, word.p, no_isa);
	if (insn->size == 2 && (isa == CST_ISA_A64 || isa == CST_ISA_A32))
		return scan_wrong(s, word.p, "expected T or X: the opcode has 16 bits");
	insn->isa = (uint8_t)isa;
	if (short_form && word.n > 1) {
		insn->disassembly = scan_rest(s);
		return true;
	}
	return mode_and_text(s, insn);
}

/* The numbers in the brackets. */
struct brackets {
	const char *at;		/* of the (last) number; NULL: there are no brackets */
	uint64_t index;		/* the number, read as decimal */
	bool is_index;		/* decimal digits only */
	bool address;		/* an address and a colon stand before the number */
};

static bool bracket_number(struct scan *s, struct brackets *b)
{
	scan_blanks(s);
	b->at = s->p;
	if (!scan_dec(s, &b->index, "expected a number") && s->rec->error == -CST_ERR_LIMIT)
		return false;
	b->is_index = s->p > b->at && scan_ends(s);
	if (b->is_index)
		return true;
	s->rec->error = 0;
	s->rec->column = 0;
	s->rec->reason = NULL;
	s->p = b->at;
	return scan_hex(s, &b->index, "expected a number");
}

/* Reads (index), (address) or (address:index). */
static bool brackets(struct scan *s, struct brackets *b)
{
	if (!scan_take(s, '('))
		return true;
	if (!bracket_number(s, b))
		return false;
	if (scan_take(s, ':')) {
		b->address = true;
		if (!bracket_number(s, b))
			return false;
	}
	return scan_expect(s, ')', "expected ')'");
}

/* Reads ":physical" and, of the second halfword, ",physical". */
static bool physical(struct scan *s, struct cst_tarmac_insn *insn)
{
	uint8_t space;

	if (!cst_tarmac_parse_physical(s, &insn->address.physical, &insn->address.space))
		return false;
	if (*s->p != ',')
		return true;
	if (!cst_tarmac_parse_physical(s, &insn->physical2, &space))
		return false;
	insn->has_physical2 = 1;
	return space == insn->address.space || scan_wrong(s, s->p, "expected the address space of the first halfword");
}

/* Reads the number in the brackets again, as hexadecimal. */
static bool hex_in_brackets(struct scan *s, uint64_t *value, const struct brackets *b)
{
	const char *p = s->p;

	s->p = b->at;
	if (!scan_hex(s, value, "expected a number"))
		return false;
	s->p = p;
	return true;
}

/* Takes the index from the brackets; it is hexadecimal behind an address. */
static bool index_in_brackets(struct scan *s, struct cst_tarmac_insn *insn, const struct brackets *b)
{
	if (!b->at)
		return true;
	insn->has_index = 1;
	insn->index = b->index;
	if (!b->address)
		return b->is_index || scan_wrong(s, b->at, "expected a decimal index");
	s->rec->dialect = CST_TARMAC_RTL;
	return hex_in_brackets(s, &insn->index, b);
}

bool cst_tarmac_parse_insn(struct scan *s, bool skipped, const struct cst_tarmac_opts *opts)
{
	struct cst_tarmac_insn *insn = &s->rec->u.insn;
	struct brackets b = { .at = NULL };
	struct cst_str word;
	const char *at;
	uint64_t value;
	size_t digits;

	s->rec->kind = CST_TARMAC_INSN;
	insn->outcome = skipped ? CST_TARMAC_CC_FAIL : CST_TARMAC_EXECUTED;
	if (!brackets(s, &b))
		return false;
	scan_blanks(s);
	at = s->p;
	if (!scan_digits(s, &value, &digits, "expected an address"))
		return false;
	if (*s->p == ':') {
		insn->address.address = value;
		if (!physical(s, insn))
			return false;
	} else if (b.at && !b.address) {
		/* The instruction set follows: the brackets held the address, and this is the opcode. */
		const char *p = s->p;

		word = scan_word(s);
		s->p = p;
		if (cst_tarmac_isa_of(word) != CST_ISA_UNKNOWN) {
			s->rec->dialect = CST_TARMAC_BRACKETS;
			return opcode(s, insn, at, value, digits) &&
			       hex_in_brackets(s, &insn->address.address, &b) && isa_and_rest(s, insn, false, opts);
		}
	}
	if (!scan_ends(s))
		return scan_wrong(s, s->p, "expected a hexadecimal digit");
	insn->address.address = value;
	if (!index_in_brackets(s, insn, &b))
		return false;
	scan_blanks(s);
	at = s->p;
	return scan_digits(s, &value, &digits, "expected an opcode") &&
	       opcode(s, insn, at, value, digits) && isa_and_rest(s, insn, b.address, opts);
}

/* Reads the opcode, or a row of dashes: the fetch failed. */
static bool es_opcode(struct scan *s, struct cst_tarmac_insn *insn)
{
	const char *at;
	uint64_t value;
	size_t digits;

	scan_blanks(s);
	at = s->p;
	if (*at != '-' || at == s->end)
		return scan_digits(s, &value, &digits, "expected an opcode") &&
		       opcode(s, insn, at, value, digits);
	while (*s->p == '-')
		s->p++;
	digits = (size_t)(s->p - at);
	if (digits != 4 && digits != 8)
		return scan_wrong(s, at, "expected 4 or 8 dashes");
	insn->outcome = CST_TARMAC_FETCH_FAIL;
	insn->size = (uint8_t)(digits / 2);
	return true;
}

/* Takes "CCFAIL" from the start of the disassembly: the condition failed. */
static void ccfail(struct cst_tarmac_insn *insn)
{
	static const char word[] = "CCFAIL";
	const size_t n = sizeof(word) - 1;
	struct cst_str *text = &insn->disassembly;

	if (text->n < n || memcmp(text->p, word, n) || (text->n > n && scan_char(text->p[n]) != TARMAC_BLANK))
		return;
	insn->outcome = CST_TARMAC_CC_FAIL;
	text->p += n;
	text->n -= n;
	while (text->n && scan_char(*text->p) == TARMAC_BLANK) {
		text->p++;
		text->n--;
	}
}

bool cst_tarmac_parse_es(struct scan *s, const struct cst_tarmac_opts *opts)
{
	struct cst_tarmac_insn *insn = &s->rec->u.insn;

	s->rec->kind = CST_TARMAC_INSN;
	s->rec->dialect = CST_TARMAC_ES;
	if (!scan_expect(s, '(', "expected '('") ||
	    !scan_hex(s, &insn->address.address, "expected an address") ||
	    !scan_expect(s, ':', "expected ':' between address and opcode") ||
	    !es_opcode(s, insn) || !scan_expect(s, ')', "expected ')'") ||
	    !isa_and_rest(s, insn, false, opts))
		return false;
	if (insn->outcome == CST_TARMAC_EXECUTED)
		ccfail(insn);
	return true;
}

static bool flow_isa(struct scan *s, struct cst_tarmac_flow *flow)
{
	struct cst_str word = scan_word(s);

	flow->isa = (uint8_t)cst_tarmac_isa_of(word);
	return flow->isa != CST_ISA_UNKNOWN || scan_wrong(s, word.p, no_isa);
}

bool cst_tarmac_parse_flow(struct scan *s, enum cst_tarmac_flow_type type)
{
	struct cst_tarmac_flow *flow = &s->rec->u.flow;

	s->rec->kind = CST_TARMAC_FLOW;
	flow->type = (uint8_t)type;
	return scan_expect(s, '(', "expected '('") &&
	       scan_dec(s, &flow->index, "expected a decimal index") &&
	       scan_expect(s, ')', "expected ')'") &&
	       cst_tarmac_parse_address(s, &flow->from, "expected an address") &&
	       cst_tarmac_parse_address(s, &flow->target, "expected the target's address") && flow_isa(s, flow);
}

bool cst_tarmac_parse_branch(struct scan *s)
{
	struct cst_tarmac_flow *flow = &s->rec->u.flow;

	s->rec->kind = CST_TARMAC_FLOW;
	s->rec->dialect = CST_TARMAC_ES;
	flow->type = CST_TARMAC_BRANCH;
	return scan_expect(s, '(', "expected '('") &&
	       scan_hex(s, &flow->target.address, "expected the target's address") &&
	       scan_expect(s, ')', "expected ')'") && flow_isa(s, flow);
}
