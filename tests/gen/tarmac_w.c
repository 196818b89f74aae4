/* SPDX-License-Identifier: BSD-3-Clause */
#include "tarmac_w.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/files/tarmac.h>

#include "util.h"

#define MAX_CPUS 64

struct tarmac_w {
	struct tarmac_opts o;
	FILE *f;
	uint64_t insns;			/* of all CPUs */
	uint64_t index[MAX_CPUS], time[MAX_CPUS];
	int error;
};

struct tarmac_w *tarmac_new(const char *path, const struct tarmac_opts *o)
{
	struct tarmac_w *t;

	if (!path)
		return NULL;
	t = gen_realloc(NULL, sizeof(*t));
	memset(t, 0, sizeof(*t));
	t->o = *o;
	t->f = fopen(path, "w");
	t->error = t->f ? 0 : errno;
	return t;
}

static struct cst_str str(const char *s)
{
	return (struct cst_str){ s, strlen(s) };
}

static void put(struct tarmac_w *t, struct cst_tarmac_record *rec, const struct flow_rec *r)
{
	char cpu[16], line[256];
	int64_t n;

	snprintf(cpu, sizeof(cpu), "cpu%d", r->cpu);
	rec->cpu = str(cpu);
	rec->unit = CST_TARMAC_CLK;
	rec->time = t->time[r->cpu % MAX_CPUS];
	n = cst_tarmac_write(rec, CST_TARMAC_FAST_MODELS, line, sizeof(line));
	GEN_BUG_ON(n <= 0 || n > (int64_t)sizeof(line));
	if (t->f && fwrite(line, 1, (size_t)n, t->f) != (size_t)n && !t->error)
		t->error = errno;
}

/* the mode as the trace tells it: the exception level, not which of its AArch32 modes */
static void mode_of(const struct tarmac_w *t, const struct flow_rec *r, struct cst_tarmac_mode *m)
{
	static const uint8_t a32[] = { CST_TARMAC_USR, CST_TARMAC_SVC, CST_TARMAC_HYP, CST_TARMAC_MON };

	m->el = r->el & 3;
	m->has_security = 1;
	m->security = r->sec & 3;
	if (t->o.mprofile) {
		m->kind = r->el ? CST_TARMAC_HANDLER : CST_TARMAC_THREAD;
	} else if (r->isa == FLOW_A64) {
		m->kind = CST_TARMAC_EL;
		m->stack = m->el ? 'h' : 't';
	} else {
		m->kind = a32[m->el];
	}
}

/* as other readers have an opcode: T32 of 4 bytes with the first halfword in front */
static uint32_t opcode(const uint8_t *p, uint8_t size, uint8_t isa)
{
	uint32_t low = p[0] | (uint32_t)p[1] << 8, high = p[2] | (uint32_t)p[3] << 8;

	if (size == 2)
		return low;
	return isa == FLOW_T32 ? low << 16 | high : high << 16 | low;
}

static int failed(const struct tarmac_w *t, const struct flow_rec *r)
{
	int branch = r->klass == FLOW_DIRECT || r->klass == FLOW_INDIRECT;

	return r->flags & FLOW_COND && !(r->flags & FLOW_TAKEN) && (branch || t->o.conditions);
}

static void insn(struct tarmac_w *t, const struct flow_rec *r)
{
	static const uint8_t isas[] = { [FLOW_A32] = CST_ISA_A32, [FLOW_T32] = CST_ISA_T32, [FLOW_A64] = CST_ISA_A64 };
	struct cst_tarmac_record rec;
	struct cst_tarmac_insn *in = &rec.u.insn;
	uint8_t bytes[4] = { 0 };

	t->insns++;
	t->time[r->cpu % MAX_CPUS] = r->aux ? r->aux : t->insns;
	memset(&rec, 0, sizeof(rec));
	rec.kind = CST_TARMAC_INSN;
	in->index = ++t->index[r->cpu % MAX_CPUS];
	in->has_index = 1;
	in->address.address = r->pc;
	in->isa = isas[r->isa % 3];
	in->size = r->size;
	in->outcome = failed(t, r) ? CST_TARMAC_CC_FAIL : CST_TARMAC_EXECUTED;
	if (t->o.bytes && t->o.bytes(t->o.ctx, r, bytes))
		in->opcode = opcode(bytes, r->size, r->isa);
	in->disassembly = str("<unknown>");
	mode_of(t, r, &in->mode);
	put(t, &rec, r);
}

/* the exception numbers of a trace unit: what kind of vector they lead to */
enum vector { V_SYNC, V_IRQ, V_FIQ, V_SERROR };

static enum vector vector_of(const struct tarmac_w *t, uint32_t num)
{
	if (t->o.mprofile)
		return num == 0x0b ? V_SYNC : V_IRQ;
	return num == 0x0e ? V_IRQ : num == 0x0f ? V_FIQ : num == 4 ? V_SERROR : V_SYNC;
}

/* the numbers that the specification lists for AArch32 */
static uint32_t a32_number(enum vector v, uint32_t num, const char **name)
{
	*name = "CoreEvent_IRQ";
	if (v == V_IRQ)
		return CST_TARMAC_E_IRQ;
	*name = "CoreEvent_FIQ";
	if (v == V_FIQ)
		return CST_TARMAC_E_FIQ;
	*name = "CoreEvent_ImpDataAbort";
	if (v == V_SERROR)
		return CST_TARMAC_E_IMP_DATA_ABORT;
	*name = "CoreEvent_PrefetchAbort";
	if (num == 0x0b)
		return CST_TARMAC_E_PREFETCH_ABORT;
	*name = "CoreEvent_DataAbort";
	if (num == 0x0a || num == 0x0c)
		return CST_TARMAC_E_DATA_ABORT;
	*name = num == 2 ? "CoreEvent_SWI" : "CoreEvent_UndefinedInstr";
	return num == 2 ? CST_TARMAC_E_SWI : CST_TARMAC_E_UNDEFINED;
}

static void exception(struct tarmac_w *t, const struct flow_rec *r)
{
	static const char *const from[] = { "CURRENT_SP0", "CURRENT_SPx", "LOWER_64", "LOWER_32" };
	static const char *const kinds[] = { "SYNC", "IRQ", "FIQ", "SERROR" };
	struct cst_tarmac_record rec;
	struct cst_tarmac_event *e = &rec.u.event;
	enum vector v = vector_of(t, r->num);
	unsigned int group = r->el ? 1 : r->isa == FLOW_A64 ? 2 : 3;
	const char *name;
	char text[64];

	memset(&rec, 0, sizeof(rec));
	rec.kind = CST_TARMAC_EVENT;
	e->value.address = r->pc;
	e->has_value = e->has_number = 1;
	if (r->num == 0) {
		e->number = CST_TARMAC_E_RESET;
		e->name = str("CoreEvent_Reset");
	} else if (t->o.mprofile && v == V_SYNC) {
		e->number = CST_TARMAC_E_SWI;
		e->name = str("CoreEvent_SWI");
	} else if (t->o.mprofile || t->o.a32_kernel) {
		e->number = a32_number(v, r->num, &name);
		e->name = str(name);
	} else {
		e->number = CST_TARMAC_E_VECTOR + 4 * group + v;
		snprintf(text, sizeof(text), "CoreEvent_%s_%s", from[group], kinds[v]);
		e->name = str(text);
	}
	put(t, &rec, r);
}

void tarmac_flow(struct tarmac_w *t, const struct flow_rec *r)
{
	if (t && r->kind == FLOW_INSN)
		insn(t, r);
	else if (t && r->kind == FLOW_EXC)
		exception(t, r);
}

int tarmac_close(struct tarmac_w *t)
{
	int error;

	if (!t)
		return 0;
	if (t->f && fclose(t->f) && !t->error)
		t->error = errno;
	error = t->error;
	free(t);
	errno = error;
	return error ? -1 : 0;
}
