/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocsd_v7 - the peer for speed: OpenCSD's full decode of a buffer of ETMv3 and PTM trace, in which barriers reset the
 * decoders, with a callback that counts. The code is one buffer that the library reads by itself. Arguments: TRACE
 * IMAGE ADDRESS, then for each trace source etmv3|ptm CR CCER IDR TRACEIDR.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <opencsd/c_api/opencsd_c_api.h>

#define FIXED_ARGS 4
#define SOURCE_ARGS 5

struct counts {
	unsigned long long ranges, insns, elements;
};

static void die(const char *what)
{
	fprintf(stderr, "ocsd_v7: %s\n", what);
	exit(1);
}

static uint8_t *read_file(const char *name, size_t *len)
{
	FILE *f = fopen(name, "rb");
	uint8_t *p;
	long n = 0;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) <= 0)
		die("cannot read a file");
	rewind(f);
	p = malloc((size_t)n);
	if (!p || fread(p, 1, (size_t)n, f) != (size_t)n)
		die("cannot read a file");
	fclose(f);
	*len = (size_t)n;
	return p;
}

static ocsd_datapath_resp_t count(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				  const ocsd_generic_trace_elem *elem)
{
	struct counts *c = (struct counts *)(uintptr_t)ctx;

	(void)index;
	(void)id;
	c->elements++;
	if (elem->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) {
		c->ranges++;
		c->insns += elem->num_instr_range;
	}
	return OCSD_RESP_CONT;
}

static uint32_t reg(const char *word)
{
	return (uint32_t)strtoul(word, NULL, 0);
}

static void add_source(dcd_tree_handle_t tree, char **arg)
{
	unsigned char id;
	ocsd_err_t err;

	if (!strcmp(arg[0], "ptm")) {
		ocsd_ptm_cfg cfg = { .reg_ctrl = reg(arg[1]), .reg_ccer = reg(arg[2]), .reg_idr = reg(arg[3]),
				     .reg_trc_id = reg(arg[4]), .arch_ver = ARCH_V7, .core_prof = profile_CortexA };

		err = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_PTM, OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id);
	} else {
		ocsd_etmv3_cfg cfg = { .reg_ctrl = reg(arg[1]), .reg_ccer = reg(arg[2]), .reg_idr = reg(arg[3]),
				       .reg_trc_id = reg(arg[4]), .arch_ver = ARCH_V7, .core_prof = profile_CortexA };

		err = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV3, OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id);
	}
	if (err != OCSD_OK)
		die("cannot create a decoder");
}

int main(int argc, char **argv)
{
	ocsd_datapath_resp_t resp;
	struct counts c = { 0 };
	dcd_tree_handle_t tree;
	uint8_t *trace, *image;
	size_t pos, len, image_len;
	int i;

	if (argc <= FIXED_ARGS || (argc - FIXED_ARGS) % SOURCE_ARGS)
		die("arguments: TRACE IMAGE ADDRESS (etmv3|ptm CR CCER IDR TRACEIDR)...");
	trace = read_file(argv[1], &len);
	image = read_file(argv[2], &image_len);
	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
	tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED,
				    OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC);
	if (tree == C_API_INVALID_TREE_HANDLE)
		die("cannot create a tree");
	for (i = FIXED_ARGS; i < argc; i += SOURCE_ARGS)
		add_source(tree, argv + i);
	ocsd_dt_set_gen_elem_outfn(tree, count, &c);
	if (ocsd_dt_add_buffer_mem_acc(tree, strtoull(argv[3], NULL, 0), OCSD_MEM_SPACE_ANY, image, (uint32_t)image_len))
		die("cannot add the code");
	for (pos = 0; pos < len;) {
		uint32_t done = 0;

		resp = ocsd_dt_process_data(tree, OCSD_OP_DATA, pos, (uint32_t)(len - pos), trace + pos, &done);
		if (OCSD_DATA_RESP_IS_FATAL(resp) || !done)
			die("the decoder failed");
		pos += done;
	}
	ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
	ocsd_destroy_dcd_tree(tree);
	printf("ranges %llu\ninstructions %llu\nelements %llu\n", c.ranges, c.insns, c.elements);
	free(trace);
	free(image);
	return 0;
}
