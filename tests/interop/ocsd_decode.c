/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocsd_decode - the peer for speed: OpenCSD's full decode of a trace file, elements only counted.
 *
 * It is given the best conditions a client can give: the trace and the program files are mapped, opcodes are handed out
 * by one callback with a binary search, nothing is printed per element. Arguments: decode_input.h.
 */
#include <inttypes.h>

#include <opencsd/c_api/opencsd_c_api.h>

#include "decode_input.h"

#define MAX_ELEM 32

struct state {
	struct input in;
	uint64_t elements[MAX_ELEM];
	uint64_t instructions;
};

static const struct {
	ocsd_gen_trc_elem_t type;
	const char *name;
} elem_names[] = {
	{ OCSD_GEN_TRC_ELEM_NO_SYNC, "NO_SYNC" },
	{ OCSD_GEN_TRC_ELEM_TRACE_ON, "TRACE_ON" },
	{ OCSD_GEN_TRC_ELEM_EO_TRACE, "EO_TRACE" },
	{ OCSD_GEN_TRC_ELEM_PE_CONTEXT, "PE_CONTEXT" },
	{ OCSD_GEN_TRC_ELEM_INSTR_RANGE, "INSTR_RANGE" },
	{ OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH, "I_RANGE_NOPATH" },
	{ OCSD_GEN_TRC_ELEM_ADDR_NACC, "ADDR_NACC" },
	{ OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN, "ADDR_UNKNOWN" },
	{ OCSD_GEN_TRC_ELEM_EXCEPTION, "EXCEPTION" },
	{ OCSD_GEN_TRC_ELEM_EXCEPTION_RET, "EXCEPTION_RET" },
	{ OCSD_GEN_TRC_ELEM_TIMESTAMP, "TIMESTAMP" },
	{ OCSD_GEN_TRC_ELEM_CYCLE_COUNT, "CYCLE_COUNT" },
	{ OCSD_GEN_TRC_ELEM_EVENT, "EVENT" },
};

static uint32_t read_memory(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
			    const uint8_t id, const uint32_t want, uint8_t *buf)
{
	const struct state *s = ctx;
	int lo = 0, hi = s->in.n_maps;

	(void)space;
	(void)id;
	while (lo < hi) {
		int mid = (lo + hi) / 2;

		if (addr < s->in.map[mid].start) {
			hi = mid;
		} else if (addr >= s->in.map[mid].end) {
			lo = mid + 1;
		} else {
			uint64_t left = s->in.map[mid].end - addr;
			uint32_t n = left < want ? (uint32_t)left : want;

			memcpy(buf, s->in.map[mid].bytes + (addr - s->in.map[mid].start), n);
			return n;
		}
	}
	return 0;
}

static ocsd_datapath_resp_t count_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
					  const ocsd_generic_trace_elem *elem)
{
	struct state *s = (struct state *)(uintptr_t)ctx;

	(void)index;
	(void)id;
	if ((unsigned int)elem->elem_type < MAX_ELEM)
		s->elements[elem->elem_type]++;
	if (elem->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE)
		s->instructions += elem->num_instr_range;
	return OCSD_RESP_CONT;
}

static void create_decoder(dcd_tree_handle_t tree, const struct input_source *source)
{
	const uint32_t *reg = source->reg;
	unsigned char id;
	ocsd_err_t err;

	if (source->ete) {
		ocsd_ete_cfg cfg = {
			.reg_configr = reg[REG_CONFIGR], .reg_traceidr = reg[REG_TRACEIDR], .reg_idr0 = reg[REG_IDR0],
			.reg_idr1 = reg[REG_IDR1], .reg_idr2 = reg[REG_IDR2], .reg_idr8 = reg[REG_IDR8],
			.reg_devarch = reg[REG_DEVARCH], .arch_ver = ARCH_AA64, .core_prof = profile_CortexA,
		};

		err = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETE, OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id);
	} else {
		ocsd_etmv4_cfg cfg = {
			.reg_configr = reg[REG_CONFIGR], .reg_traceidr = reg[REG_TRACEIDR], .reg_idr0 = reg[REG_IDR0],
			.reg_idr1 = reg[REG_IDR1], .reg_idr2 = reg[REG_IDR2], .reg_idr8 = reg[REG_IDR8],
			.arch_ver = ARCH_V8, .core_prof = profile_CortexA,
		};

		err = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id);
	}
	if (err != OCSD_OK)
		input_die("cannot create", "a decoder");
}

static void decode_part(dcd_tree_handle_t tree, const uint8_t *bytes, uint64_t size, uint64_t index)
{
	uint64_t pos = 0;
	ocsd_datapath_resp_t resp = OCSD_RESP_CONT;
	uint32_t done;

	while (pos < size) {
		uint32_t n = size - pos < (1u << 20) ? (uint32_t)(size - pos) : 1u << 20;

		done = 0;
		if (OCSD_DATA_RESP_IS_WAIT(resp))
			resp = ocsd_dt_process_data(tree, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
		else
			resp = ocsd_dt_process_data(tree, OCSD_OP_DATA, index + pos, n, bytes + pos, &done);
		if (OCSD_DATA_RESP_IS_FATAL(resp))
			input_die("fatal response from", "the decoder");
		pos += done;
	}
	ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
	ocsd_dt_process_data(tree, OCSD_OP_RESET, 0, 0, NULL, NULL);
}

int main(int argc, char **argv)
{
	static struct state s;
	const struct input *in = &s.in;
	dcd_tree_handle_t tree;
	double began, ended;
	uint64_t pos;
	unsigned int i;
	int k;

	input_read(&s.in, argc - 1, argv + 1);
	ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 0);
	began = input_seconds();
	tree = ocsd_create_dcd_tree(in->raw ? OCSD_TRC_SRC_SINGLE : OCSD_TRC_SRC_FRAME_FORMATTED,
				    in->raw ? 0 : OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC);
	if (tree == C_API_INVALID_TREE_HANDLE)
		input_die("cannot create", "a decode tree");
	for (k = 0; k < in->n_sources; k++)
		create_decoder(tree, &in->source[k]);
	ocsd_dt_set_gen_elem_outfn(tree, count_element, &s);
	if (ocsd_dt_add_callback_trcid_mem_acc(tree, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, read_memory, &s))
		input_die("cannot add", "the memory callback");
	for (pos = 0; pos < in->size; pos += in->part)
		decode_part(tree, in->trace + pos, in->part < in->size - pos ? in->part : in->size - pos, pos);
	ended = input_seconds();
	ocsd_destroy_dcd_tree(tree);

	for (i = 0; i < sizeof(elem_names) / sizeof(elem_names[0]); i++)
		if (s.elements[elem_names[i].type])
			printf("%s %" PRIu64 "\n", elem_names[i].name, s.elements[elem_names[i].type]);
	printf("instructions %" PRIu64 "\nbytes %" PRIu64 "\nseconds %.6f\n", s.instructions, in->size, ended - began);
	return 0;
}
