/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * write.c - records → lines in the syntax of Fast Models and of ES: times, instructions, flow, events, and which function
 * writes the others.
 */
#include "base/sized.h"
#include "files/tarmac/write_int.h"

#define ES_TIME 11	/* columns of a time */
#define ES_UNIT 4	/* ... of a unit and the blanks behind it */
#define ES_BEFORE 20	/* ... before a record without time */

bool cst_tarmac_write_is_word(struct cst_str w)
{
	size_t i;

	for (i = 0; i < w.n; i++)
		if (scan_char(w.p[i]) > TARMAC_WORD)
			return false;
	return w.n;
}

bool cst_tarmac_write_is_long_word(struct cst_str w)
{
	size_t i;

	for (i = 0; i < w.n; i++)
		if (scan_char(w.p[i]) == TARMAC_BLANK)
			return false;
	return w.n;
}

bool cst_tarmac_write_is_text(struct cst_str t)
{
	if (!t.n)
		return true;
	return !memchr(t.p, '\n', t.n) && scan_char(t.p[0]) != TARMAC_BLANK && scan_char(t.p[t.n - 1]) != TARMAC_BLANK;
}

void cst_tarmac_write_str(struct writer *w, struct cst_str s)
{
	if (s.n)
		cst_text_mem(&w->t, s.p, s.n);
}

void cst_tarmac_write_after_blank(struct writer *w, struct cst_str s)
{
	if (!s.n)
		return;
	cst_text_char(&w->t, ' ');
	cst_text_mem(&w->t, s.p, s.n);
}

static void blanks(struct writer *w, size_t n)
{
	while (n--)
		cst_text_char(&w->t, ' ');
}

int cst_tarmac_write_address(struct writer *w, const struct cst_tarmac_address *a)
{
	/* Fast Models write 8 or 16 digits */
	cst_text_hex(&w->t, a->address, a->address > UINT32_MAX ? 16 : 8);
	switch (a->space) {
	case CST_TARMAC_NO_PHYSICAL:
		return 0;
	case CST_TARMAC_UNSAID:
	case CST_TARMAC_SECURE:
	case CST_TARMAC_NONSECURE:
		cst_text_hex_in(&w->t, ":", a->physical, 12, a->space == CST_TARMAC_NONSECURE ? "_NS" : "");
		return 0;
	case CST_TARMAC_ROOT:
	case CST_TARMAC_REALM:
		return -CST_ERR_UNSUP;
	default:
		return -CST_ERR_INVAL;
	}
}

static char isa_letter(uint8_t isa)
{
	static const char letters[] = {
		[CST_ISA_A32] = 'A', [CST_ISA_T32] = 'T', [CST_ISA_A64] = 'O', [CST_ISA_TEE] = 'X',
	};

	return isa < sizeof(letters) ? letters[isa] : 0;
}

/* Writes the mode, and the security state if it is known. */
static int write_mode(struct writer *w, const struct cst_tarmac_mode *m)
{
	static const char *const security[] = { "_s", "_ns", "_rt", "_rl" };
	const char *name;

	if (m->has_security && m->security > CST_SEC_REALM)
		return -CST_ERR_INVAL;
	switch (m->kind) {
	case CST_TARMAC_NO_MODE:
		return -CST_ERR_UNSUP;
	case CST_TARMAC_MODE_OTHER:
		cst_tarmac_write_str(w, m->text);
		return cst_tarmac_write_is_word(m->text) && !cst_tarmac_is_mode(m->text) ? 0 : -CST_ERR_INVAL;
	case CST_TARMAC_EL:
		if (m->el > 3 || (m->stack && m->stack != 'h' && m->stack != 't'))
			return -CST_ERR_INVAL;
		cst_text_str(&w->t, w->dialect == CST_TARMAC_ES ? "el" : "EL");
		cst_text_dec(&w->t, m->el);
		if (m->stack)
			cst_text_char(&w->t, m->stack);
		break;
	default:
		name = cst_tarmac_mode_name((enum cst_tarmac_mode_kind)m->kind, w->dialect);
		if (!*name)
			return -CST_ERR_INVAL;
		cst_text_str(&w->t, name);
	}
	if (m->has_security)
		cst_text_str(&w->t, security[m->security]);
	return 0;
}

static int check_insn(const struct cst_tarmac_insn *insn)
{
	const char letter = isa_letter(insn->isa);

	if ((insn->size != 2 && insn->size != 4) || insn->outcome > CST_TARMAC_FETCH_FAIL || !letter ||
	    !cst_tarmac_write_is_text(insn->disassembly))
		return -CST_ERR_INVAL;
	if (insn->size == 2 && (letter == 'A' || letter == 'O' || insn->opcode > UINT16_MAX))
		return insn->outcome == CST_TARMAC_FETCH_FAIL ? 0 : -CST_ERR_INVAL;
	return 0;
}

static int write_insn(struct writer *w, const struct cst_tarmac_insn *insn)
{
	int err;

	if (insn->outcome == CST_TARMAC_FETCH_FAIL || !insn->has_index)
		return -CST_ERR_UNSUP;
	cst_text_dec_in(&w->t, insn->outcome == CST_TARMAC_CC_FAIL ? "IS (" : "IT (", insn->index, ") ");
	err = cst_tarmac_write_address(w, &insn->address);
	if (err)
		return err;
	if (insn->has_physical2 && insn->address.space == CST_TARMAC_NO_PHYSICAL)
		return -CST_ERR_INVAL;
	if (insn->has_physical2)
		cst_text_hex_in(&w->t, ",", insn->physical2, 12, insn->address.space == CST_TARMAC_NONSECURE ? "_NS" : "");
	cst_text_hex_in(&w->t, " ", insn->opcode, insn->size * 2u, " ");
	cst_text_char(&w->t, isa_letter(insn->isa));
	cst_text_char(&w->t, ' ');
	err = write_mode(w, &insn->mode);
	if (err)
		return err;
	cst_text_str(&w->t, " :");
	cst_tarmac_write_after_blank(w, insn->disassembly);
	return 0;
}

static unsigned int es_digits(uint64_t address, uint8_t isa)
{
	return isa == CST_ISA_A64 || address > UINT32_MAX ? 16 : 8;
}

static int write_es(struct writer *w, const struct cst_tarmac_insn *insn)
{
	static const char ccfail[] = "CCFAIL";
	const size_t n = sizeof(ccfail) - 1;
	const struct cst_str *text = &insn->disassembly;
	unsigned int i;
	int err;

	/* The reader would take this word as a condition that failed. */
	if (insn->outcome == CST_TARMAC_EXECUTED && text->n >= n && !memcmp(text->p, ccfail, n) &&
	    (text->n == n || scan_char(text->p[n]) == TARMAC_BLANK))
		return -CST_ERR_UNSUP;
	cst_text_hex_in(&w->t, "ES  (", insn->address.address, es_digits(insn->address.address, insn->isa), ":");
	if (insn->outcome == CST_TARMAC_FETCH_FAIL)
		for (i = 0; i < insn->size * 2u; i++)
			cst_text_char(&w->t, '-');
	else
		cst_text_hex(&w->t, insn->opcode, insn->size * 2u);
	cst_text_str(&w->t, ") ");
	cst_text_char(&w->t, isa_letter(insn->isa));
	cst_text_char(&w->t, ' ');
	if (insn->mode.kind == CST_TARMAC_NO_MODE)
		cst_text_str(&w->t, "---");
	err = insn->mode.kind == CST_TARMAC_NO_MODE ? 0 : write_mode(w, &insn->mode);
	if (err)
		return err;
	if (insn->outcome == CST_TARMAC_CC_FAIL)
		cst_text_str(&w->t, ":   CCFAIL");
	else if (text->n)
		cst_text_str(&w->t, ":         ");
	else
		cst_text_char(&w->t, ':');
	cst_tarmac_write_after_blank(w, *text);
	return 0;
}

static int write_flow(struct writer *w, const struct cst_tarmac_flow *flow)
{
	static const char *const types[] = { "FD (", "FI (", "FR (" };
	int err;

	if (flow->type > CST_TARMAC_BRANCH || !isa_letter(flow->isa))
		return -CST_ERR_INVAL;
	if (flow->type == CST_TARMAC_BRANCH) {
		if (w->dialect != CST_TARMAC_ES)
			return -CST_ERR_UNSUP;
		cst_text_hex_in(&w->t, "BR (", flow->target.address, es_digits(flow->target.address, flow->isa), ")");
	} else {
		cst_text_dec_in(&w->t, types[flow->type], flow->index, ") ");
		err = cst_tarmac_write_address(w, &flow->from);
		cst_text_char(&w->t, ' ');
		if (!err)
			err = cst_tarmac_write_address(w, &flow->target);
		if (err)
			return err;
	}
	cst_text_char(&w->t, ' ');
	cst_text_char(&w->t, isa_letter(flow->isa));
	return 0;
}

/* Writes an event without value. Its name must be a word that the reader does not take as a value. */
static int write_named_event(struct writer *w, const struct cst_tarmac_event *e)
{
	char line[32];
	size_t n = e->name.n < sizeof(line) - 1 ? e->name.n : sizeof(line) - 1;
	struct scan s = { .start = line, .p = line, .end = line + n };

	if (n)
		memcpy(line, e->name.p, n);
	line[n] = '\n';
	if (!cst_tarmac_write_is_long_word(e->name) || e->has_number || e->has_value1 || cst_tarmac_at_value(&s))
		return -CST_ERR_UNSUP;
	cst_text_str(&w->t, "E ");
	cst_tarmac_write_str(w, e->name);
	cst_tarmac_write_after_blank(w, e->text);
	return 0;
}

static int write_exception(struct writer *w, const struct cst_tarmac_event *e)
{
	if (e->has_value1 || e->mode.kind != CST_TARMAC_NO_MODE || (!e->has_number && e->name.n && *e->name.p == '['))
		return -CST_ERR_UNSUP;
	cst_text_str(&w->t, w->rec->flags & CST_TARMAC_TIME_BEFORE ? "EXC" : "ES  EXC");
	if (e->has_number)
		cst_text_hex_in(&w->t, " [0x", e->number, 2, "]");
	cst_tarmac_write_after_blank(w, e->name);
	return 0;
}

static int write_event(struct writer *w, const struct cst_tarmac_event *e)
{
	int err;

	if (!cst_tarmac_write_is_text(e->name) || !cst_tarmac_write_is_text(e->text))
		return -CST_ERR_INVAL;
	if (!e->has_value && !e->text.n && w->dialect == CST_TARMAC_ES)
		return write_exception(w, e);
	if (!e->has_value)
		return write_named_event(w, e);
	if (!e->has_number || !e->name.n)
		return -CST_ERR_UNSUP;
	cst_text_str(&w->t, "E ");
	err = cst_tarmac_write_address(w, &e->value);
	if (err)
		return err;
	cst_text_char(&w->t, ' ');
	if (e->mode.kind != CST_TARMAC_NO_MODE) {
		err = e->mode.kind == CST_TARMAC_MODE_OTHER ? -CST_ERR_INVAL : write_mode(w, &e->mode);
		if (err)
			return err;
		cst_text_char(&w->t, ' ');
	}
	if (e->has_value1)
		cst_text_hex_in(&w->t, "", e->value1, 8, " ");
	cst_text_hex_in(&w->t, "", e->number, 8, " ");
	cst_tarmac_write_str(w, e->name);
	return 0;
}

static struct cst_str first_word(struct cst_str text)
{
	size_t n;

	for (n = 0; n < text.n && scan_char(text.p[n]) <= TARMAC_WORD; n++)
		;
	return (struct cst_str){ text.p, n };
}

/* Writes the text unchanged. Without time and processor it must not read as a comment or as an empty line. */
static int write_other(struct writer *w)
{
	const struct cst_tarmac_record *rec = w->rec;
	struct cst_str text = rec->text;
	const bool header = scan_begins(text, "Tarmac");

	if (!cst_tarmac_write_is_text(text) || (rec->kind == CST_TARMAC_HEADER && !header))
		return -CST_ERR_INVAL;
	/* An error without time and type is that of the second line of LD or ST, which has no form of its own. */
	if (rec->error && !w->t.len && !cst_tarmac_type_of(first_word(text)))
		return -CST_ERR_UNSUP;
	if (!w->t.len && (!text.n || *text.p == '#' || (text.n > 1 && text.p[0] == '/' && text.p[1] == '/')))
		return -CST_ERR_INVAL;
	cst_tarmac_write_str(w, text);
	return 0;
}

/* Headers and messages of the program have neither time nor blanks before them. */
static bool bare(const struct cst_tarmac_record *rec)
{
	return rec->kind == CST_TARMAC_HEADER ||
	       (rec->kind == CST_TARMAC_OTHER && rec->flags & CST_TARMAC_TIME_BEFORE && !rec->cpu.n);
}

static size_t dec_digits(uint64_t v)
{
	size_t n = 1;

	while (v /= 10)
		n++;
	return n;
}

static void write_time(struct writer *w)
{
	const struct cst_tarmac_record *rec = w->rec;
	const char *unit = cst_tarmac_unit_text((enum cst_tarmac_unit)rec->unit);
	const bool es = w->dialect == CST_TARMAC_ES;
	const size_t digits = dec_digits(rec->time), unit_len = strlen(unit);

	/* Without a time the reader recognizes a processor by its name alone. */
	if (es && rec->flags & CST_TARMAC_TIME_BEFORE &&
	    (!rec->cpu.n || scan_begins(rec->cpu, "cpu"))) {
		blanks(w, ES_BEFORE);
		return;
	}
	if (es && digits < ES_TIME)
		blanks(w, ES_TIME - digits);
	cst_text_dec(&w->t, rec->time);
	cst_text_char(&w->t, ' ');
	if (!unit_len)
		return;
	cst_text_str(&w->t, unit);
	blanks(w, es ? ES_UNIT - unit_len : 1);
}

static int check_cpu(const struct cst_tarmac_record *rec)
{
	if (!rec->cpu.n)
		return 0;
	if (!cst_tarmac_write_is_word(rec->cpu) || cst_tarmac_type_of(rec->cpu) ||
	    (rec->unit == CST_TARMAC_NO_UNIT && cst_tarmac_unit_of(rec->cpu) != CST_TARMAC_NO_UNIT))
		return -CST_ERR_INVAL;
	if (rec->kind != CST_TARMAC_OTHER || scan_begins(rec->cpu, "cpu"))
		return 0;
	return cst_tarmac_type_of(first_word(rec->text)) ? 0 : -CST_ERR_INVAL;
}

static int write_record(struct writer *w)
{
	const struct cst_tarmac_record *rec = w->rec;
	int err;

	switch (rec->kind) {
	case CST_TARMAC_OTHER:
	case CST_TARMAC_HEADER:
		return write_other(w);
	case CST_TARMAC_INSN:
		err = check_insn(&rec->u.insn);
		if (err)
			return err;
		return w->dialect == CST_TARMAC_ES ? write_es(w, &rec->u.insn) : write_insn(w, &rec->u.insn);
	case CST_TARMAC_FLOW:
		return write_flow(w, &rec->u.flow);
	case CST_TARMAC_REG:
		return cst_tarmac_write_reg(w, &rec->u.reg);
	case CST_TARMAC_MEMORY:
		return cst_tarmac_write_memory(w, &rec->u.memory);
	case CST_TARMAC_UPDATE:
		return cst_tarmac_write_update(w, &rec->u.memory);
	case CST_TARMAC_BUS:
		return cst_tarmac_write_bus(w, &rec->u.bus);
	case CST_TARMAC_EVENT:
		return write_event(w, &rec->u.event);
	case CST_TARMAC_MAINTENANCE:
		return cst_tarmac_write_maintenance(w, &rec->u.maintenance);
	case CST_TARMAC_CACHE:
		return cst_tarmac_write_cache(w, &rec->u.cache);
	case CST_TARMAC_WALK:
		return cst_tarmac_write_walk(w, &rec->u.walk);
	case CST_TARMAC_TLB:
		return cst_tarmac_write_tlb(w, &rec->u.tlb);
	default:
		return -CST_ERR_INVAL;
	}
}

int64_t cst_tarmac_write(const struct cst_tarmac_record *rec, enum cst_tarmac_dialect dialect, char *out, size_t cap)
{
	struct cst_tarmac_record own;
	struct writer w = { .dialect = dialect };
	int err;

	rec = TAKE(cst_tarmac_record, rec, own);
	if (!rec)
		return -CST_ERR_INVAL;
	w.rec = rec;

	cst_text_init(&w.t, out, cap);
	if (dialect != CST_TARMAC_FAST_MODELS && dialect != CST_TARMAC_ES)
		return -CST_ERR_UNSUP;
	err = rec->unit < CST_TARMAC_UNITS ? check_cpu(rec) : -CST_ERR_INVAL;
	if (err)
		return err;
	if (!bare(rec))
		write_time(&w);
	if (rec->cpu.n) {
		cst_tarmac_write_str(&w, rec->cpu);
		cst_text_char(&w.t, ' ');
	}
	err = write_record(&w);
	if (err)
		return err;
	cst_text_char(&w.t, '\n');
	return (int64_t)w.t.len;
}
