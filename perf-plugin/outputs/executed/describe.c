/* SPDX-License-Identifier: GPL-2.0-only */
/* describe.c - instructions, exceptions and transfers in Tarmac's terms. */
#include <stdio.h>
#include <string.h>

#include <cstrace/isa.h>

#include "outputs/executed/executed.h"

static struct cst_str str(const char *text)
{
	return (struct cst_str){ text, strlen(text) };
}

void executed_cpu_name(const struct stream *s, char *name, size_t size)
{
	if (s->cpu >= 0 || s->tid < 0)
		snprintf(name, size, "cpu%d", s->cpu < 0 ? 0 : s->cpu);
	else
		snprintf(name, size, "cpu_tid%d", s->tid);
}

void executed_mode_of(const struct stream *s, const struct cst_generic *g, struct cst_tarmac_mode *mode)
{
	static const uint8_t kinds[] = { CST_TARMAC_USR, CST_TARMAC_SVC, CST_TARMAC_HYP, CST_TARMAC_SVC };

	memset(mode, 0, sizeof(*mode));
	if (!(g->flags & CST_GF_EL) || g->el > 3) {
		mode->kind = CST_TARMAC_MODE_OTHER;
		mode->text = str("unknown");
		return;
	}
	mode->el = g->el;
	mode->has_security = 1;
	mode->security = g->security;
	if (s->config->profile == CST_PROFILE_M) {
		mode->kind = g->el ? CST_TARMAC_HANDLER : CST_TARMAC_THREAD;
	} else if (g->isa == CST_ISA_A64) {
		mode->kind = CST_TARMAC_EL;
		mode->stack = g->el ? 'h' : 't';
	} else {
		mode->kind = kinds[g->el];
	}
}

void executed_insn_of(const struct insn *insn, struct cst_tarmac_insn *out)
{
	out->address = (struct cst_tarmac_address){ .address = insn->addr };
	out->opcode = insn->opcode;
	out->size = insn->size;
	out->isa = insn->isa;
	out->outcome = insn->result == INSN_FAILED ? CST_TARMAC_CC_FAIL : CST_TARMAC_EXECUTED;
	out->has_index = 1;
}

/*
 * Exception numbers of the trace (ETMv4: IHI 0064, "Exception instruction trace packet", profiles A and R; ETMv3 and PTM: IHI
 * 0014Q 7.3.5, IHI 0035B 4.3.3) that have a number in Tarmac. M profile: none.
 */
static unsigned int event_number(const struct stream *s, unsigned int exception)
{
	static const uint8_t etmv4[16] = {
		[0x00] = CST_TARMAC_E_RESET, [0x02] = CST_TARMAC_E_SWI, [0x03] = CST_TARMAC_E_UNDEFINED,
		[0x04] = CST_TARMAC_E_IMP_DATA_ABORT, [0x06] = CST_TARMAC_E_PREFETCH_ABORT,
		[0x07] = CST_TARMAC_E_DATA_ABORT, [0x0a] = CST_TARMAC_E_DATA_ABORT,
		[0x0b] = CST_TARMAC_E_PREFETCH_ABORT, [0x0c] = CST_TARMAC_E_DATA_ABORT,
		[0x0e] = CST_TARMAC_E_IRQ, [0x0f] = CST_TARMAC_E_FIQ,
	};
	static const uint8_t before[16] = {
		[0x04] = CST_TARMAC_E_IMP_DATA_ABORT, [0x08] = CST_TARMAC_E_RESET, [0x09] = CST_TARMAC_E_UNDEFINED,
		[0x0a] = CST_TARMAC_E_SWI, [0x0b] = CST_TARMAC_E_PREFETCH_ABORT, [0x0c] = CST_TARMAC_E_DATA_ABORT,
		[0x0e] = CST_TARMAC_E_IRQ, [0x0f] = CST_TARMAC_E_FIQ,
	};
	const bool v7 = s->config->protocol == CST_PROTO_ETMV3 || s->config->protocol == CST_PROTO_PTM;

	if (exception >= 16 || s->config->profile == CST_PROFILE_M)
		return 0;
	return (v7 ? before : etmv4)[exception];
}

static const char *event_name(unsigned int number)
{
	static const char *const names[] = {
		[CST_TARMAC_E_RESET] = "CoreEvent_Reset", [CST_TARMAC_E_UNDEFINED] = "CoreEvent_UndefinedInstr",
		[CST_TARMAC_E_SWI] = "CoreEvent_SWI", [CST_TARMAC_E_PREFETCH_ABORT] = "CoreEvent_PrefetchAbort",
		[CST_TARMAC_E_DATA_ABORT] = "CoreEvent_DataAbort", [CST_TARMAC_E_IRQ] = "CoreEvent_IRQ",
		[CST_TARMAC_E_FIQ] = "CoreEvent_FIQ", [CST_TARMAC_E_IMP_DATA_ABORT] = "CoreEvent_ImpDataAbort",
	};
	/* in the order of the vectors (Arm ARM D1.3.1.5) */
	static const char *const vectors[] = {
		"CoreEvent_CURRENT_SP0_SYNC", "CoreEvent_CURRENT_SP0_IRQ", "CoreEvent_CURRENT_SP0_FIQ",
		"CoreEvent_CURRENT_SP0_SERROR", "CoreEvent_CURRENT_SPx_SYNC", "CoreEvent_CURRENT_SPx_IRQ",
		"CoreEvent_CURRENT_SPx_FIQ", "CoreEvent_CURRENT_SPx_SERROR", "CoreEvent_LOWER_64_SYNC",
		"CoreEvent_LOWER_64_IRQ", "CoreEvent_LOWER_64_FIQ", "CoreEvent_LOWER_64_SERROR",
		"CoreEvent_LOWER_32_SYNC", "CoreEvent_LOWER_32_IRQ", "CoreEvent_LOWER_32_FIQ",
		"CoreEvent_LOWER_32_SERROR",
	};

	return number & CST_TARMAC_E_VECTOR ? vectors[number & 15] : names[number];
}

/*
 * The place in the vector table that execution came to (Arm ARM D1.3.1.5): four entries for each source of exceptions, which
 * are the current level with SP_EL0 and with SP_ELx, and a lower level in AArch64 and AArch32. -1: it is no vector, or that of
 * another type of exception or of another source.
 */
static int vector_of(const struct cst_generic *exception, unsigned int number, const struct cst_generic *next)
{
	const unsigned int place = next->addr >> 7 & 15;
	const unsigned int type = number == CST_TARMAC_E_IRQ ? 1 : number == CST_TARMAC_E_FIQ ? 2 :
				  number == CST_TARMAC_E_IMP_DATA_ABORT ? 3 : 0;

	if (next->addr & 0x7f || (place & 3) != type)
		return -1;
	if (exception->flags & next->flags & CST_GF_EL && (exception->el < next->el) != (place >= 8))
		return -1;
	return (int)place;
}

bool executed_event_of(const struct stream *s, const struct cst_generic *exception, uint64_t last, const struct cst_generic *next,
		       enum cst_tarmac_dialect dialect, struct cst_tarmac_event *event)
{
	unsigned int number = event_number(s, exception->num);
	const bool call = number == CST_TARMAC_E_SWI;
	int vector = -1;

	if (!number || (!next && number != CST_TARMAC_E_RESET))
		return false;
	if (number != CST_TARMAC_E_RESET && next->isa == CST_ISA_A64) {
		vector = vector_of(exception, number, next);
		if (vector < 0)
			return false;
		number = CST_TARMAC_E_VECTOR | (unsigned int)vector;
	}
	memset(event, 0, sizeof(*event));
	event->name = str(event_name(number));
	if (dialect == CST_TARMAC_ES) {
		/* EXC has the offset of the vector, and words */
		event->has_number = vector >= 0;
		event->number = vector >= 0 ? (unsigned int)vector << 7 : 0;
		event->name = str(event_name(number) + strlen("CoreEvent_"));
		return true;
	}
	event->number = number;
	event->has_number = event->has_value = 1;
	if (exception->flags & CST_GF_RET_ADDR)
		event->value.address = exception->end;
	/* models give the address of the instruction that called, a trace that of the one behind it */
	if (call && event->value.address - last <= 4)
		event->value.address = last;
	return true;
}

/* LOAD or STORE for the instruction of a transfer, OTHER if it is neither or not known. */
static enum cst_insn_type direction(const struct stream *s, const struct cst_generic *data)
{
	const unsigned int flags = CST_ISA_LOAD_P0 | CST_ISA_STORE_P0;
	struct cst_insn insn;
	uint32_t opcode;
	uint8_t code[4] = { 0 };

	if (!(data->num & CST_DATA_INSN) || session_read_code(s, data->insn, code, sizeof(code)) < 2)
		return CST_INSN_OTHER;
	opcode = (uint32_t)code[1] << 8 | code[0];
	if (data->isa == CST_ISA_A32)
		opcode |= (uint32_t)code[3] << 24 | (uint32_t)code[2] << 16;
	else
		opcode = opcode << 16 | (uint32_t)code[3] << 8 | code[2];
	cst_isa_classify(&insn, (enum cst_isa)data->isa, opcode, data->insn, flags);
	return (enum cst_insn_type)insn.type;
}

bool executed_memory_of(const struct stream *s, const struct cst_generic *data, struct cst_tarmac_memory *memory)
{
	const unsigned int known = CST_DATA_ADDR | CST_DATA_VALUE;
	enum cst_insn_type type;
	unsigned int i;

	if ((data->num & known) != known || data->num & CST_DATA_STORE_FAILED || !data->size || data->size > 8)
		return false;
	type = direction(s, data);
	if (type != CST_INSN_LOAD && type != CST_INSN_STORE)
		return false;
	memset(memory, 0, sizeof(*memory));
	memory->address.address = data->addr;
	memory->write = type == CST_INSN_STORE;
	memory->size = (uint8_t)data->size;
	memory->used = (1ull << data->size) - 1;
	for (i = 0; i < data->size; i++)
		memory->data[i] = (uint8_t)(data->value >> 8 * i);
	return true;
}

const char *executed_gap_of(const struct cst_generic *g)
{
	switch (g->kind) {
	case CST_GEN_NO_SYNC:
		return g->num == CST_UNSYNC_OVERFLOW ? "overflow of the trace unit" :
		       g->num == CST_UNSYNC_DISCARD ? "discarded trace" :
		       g->num == CST_UNSYNC_INIT || g->num == CST_UNSYNC_RESET || g->num == CST_UNSYNC_END ?
		       "trace begins" : "bad trace";
	case CST_GEN_TRACE_ON:
		return g->num == CST_ON_OVERFLOW ? "overflow of the trace unit" :
		       g->num == CST_ON_DEBUG ? "debug state" : "trace on";
	case CST_GEN_NACC:
		return "no code at this address";
	case CST_GEN_NOPATH:
		return "instructions whose addresses are not traced";
	case CST_GEN_ADDR_UNKNOWN:
		return "address not traced";
	default:
		return NULL;
	}
}
