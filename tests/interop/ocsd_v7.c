/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocsd_v7 - the peer for speed: OpenCSD's full decode of a buffer of ETMv3 and PTM trace, many times in one
 * process; elements are counted. The code is one buffer that the library reads by itself.
 */
#include <opencsd/c_api/opencsd_c_api.h>

#include "v7_args.h"

struct counts {
	struct v7_counts v;
	int first;	/* pass */
};

static void die(const char *what)
{
	fprintf(stderr, "ocsd_v7: %s\n", what);
	exit(1);
}

static ocsd_datapath_resp_t count(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				  const ocsd_generic_trace_elem *elem)
{
	struct counts *c = (struct counts *)(uintptr_t)ctx;

	(void)index;
	c->v.elements++;
	if (elem->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) {
		c->v.ranges++;
		c->v.insns += elem->num_instr_range;
	}
	if (!c->first)
		return OCSD_RESP_CONT;
	if (elem->has_cc)
		c->v.cycles += elem->cycle_count;
	if (elem->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE)
		v7_range(&c->v, id, elem->st_addr, elem->en_addr, elem->last_instr_exec);
	return OCSD_RESP_CONT;
}

static void add_source(dcd_tree_handle_t tree, const struct v7_source *s)
{
	unsigned char id;
	ocsd_err_t err;

	if (s->ptm) {
		ocsd_ptm_cfg cfg = { .reg_idr = s->idr, .reg_ctrl = s->cr, .reg_ccer = s->ccer,
				     .reg_trc_id = s->traceidr, .arch_ver = ARCH_V7, .core_prof = profile_CortexA };

		err = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_PTM, OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id);
	} else {
		ocsd_etmv3_cfg cfg = { .reg_idr = s->idr, .reg_ctrl = s->cr, .reg_ccer = s->ccer,
				       .reg_trc_id = s->traceidr, .arch_ver = ARCH_V7, .core_prof = profile_CortexA };

		err = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV3, OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id);
	}
	if (err != OCSD_OK)
		die("cannot create a decoder");
}

int main(int argc, char **argv)
{
	static struct counts c;
	ocsd_datapath_resp_t resp = OCSD_RESP_CONT;
	dcd_tree_handle_t tree;
	struct timespec a, b;
	struct v7_args args;
	unsigned long k;
	size_t pos;
	int i;

	v7_parse(&args, argc, argv);
	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
	tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN);
	if (tree == C_API_INVALID_TREE_HANDLE)
		die("cannot create a tree");
	for (i = 0; i < args.sources; i++)
		add_source(tree, &args.source[i]);
	ocsd_dt_set_gen_elem_outfn(tree, count, &c);
	if (ocsd_dt_add_buffer_mem_acc(tree, args.address, OCSD_MEM_SPACE_ANY, args.image, (uint32_t)args.image_len))
		die("cannot add the code");
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (k = 0; k < args.times; k++) {
		c.first = !k;
		for (pos = 0; pos < args.trace_len;) {
			uint32_t done = 0;

			resp = ocsd_dt_process_data(tree, OCSD_OP_DATA, pos, (uint32_t)(args.trace_len - pos),
						    args.trace + pos, &done);
			if (OCSD_DATA_RESP_IS_FATAL(resp) || !done)
				die("the decoder failed");
			pos += done;
		}
		ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
		ocsd_dt_process_data(tree, OCSD_OP_RESET, 0, 0, NULL, NULL);
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	ocsd_destroy_dcd_tree(tree);
	v7_print(&c.v, &a, &b);
	free(args.trace);
	free(args.image);
	return 0;
}
