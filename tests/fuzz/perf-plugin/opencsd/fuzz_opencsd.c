/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_opencsd - the C interface of OpenCSD, called in any order with any arguments that a client can
 * legally form, over any trace. The input is a program: a byte says which function, the next ones
 * are its arguments. What callbacks do and answer is read from the end of the input backwards, so that a call means
 * the same however often callbacks were called before it. Buffers are handed out in their exact size, so that a
 * read beyond them is seen.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* a client of 1.3.3, until it shows what only 1.8 has */
#define OCSD_NO_CLIENT_VERSION 1
#include <opencsd/c_api/opencsd_c_api.h>

ocsd_err_t ocsd_dt_set_mem_acc_cacheing(const dcd_tree_handle_t handle, const int enable,
					const uint16_t page_size, const int nr_pages);

#define TREES 3
#define MAX_CALLS 2000

static const uint8_t *in, *end;
static dcd_tree_handle_t trees[TREES];
static ocsd_extern_dcd_fact_t fact;
static uint8_t code[4096];
static char code_file[64];	/* path of a file that holds `code` as it is at the start */

static unsigned int byte(void)
{
	return in < end ? *in++ : 0;
}

/* The same for a callback. */
static unsigned int choice(void)
{
	return in < end ? *--end : 0;
}

static uint32_t word(void)
{
	uint32_t v = byte();

	v |= byte() << 8;
	v |= byte() << 16;
	return v | (uint32_t)byte() << 24;
}

static dcd_tree_handle_t tree(void)
{
	return trees[byte() % TREES];
}

static ocsd_datapath_resp_t answer(void)
{
	unsigned int b = choice();

	return b < 200 ? OCSD_RESP_CONT : b < 240 ? OCSD_RESP_WAIT : (ocsd_datapath_resp_t)(b % 12);
}

static ocsd_datapath_resp_t on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	char text[300];

	(void)ctx;
	(void)index;
	(void)id;
	ocsd_gen_elem_str(e, text, (int)(choice() + 2));
	/* calls from inside are refused */
	if (choice() == 7)
		ocsd_destroy_dcd_tree(trees[0]);
	if (choice() == 9)
		ocsd_dt_process_data(trees[0], OCSD_OP_RESET, 0, 0, NULL, NULL);
	/* these are not */
	if (choice() == 11)
		ocsd_dt_add_buffer_mem_acc(trees[0], choice() * 0x1000, OCSD_MEM_SPACE_ANY, code, sizeof(code));
	if (choice() == 13)
		ocsd_dt_remove_mem_acc(trees[0], choice() & 1 ? 0 : choice() * 0x1000, OCSD_MEM_SPACE_ANY);
	return answer();
}

static uint32_t on_memory(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
			  const uint32_t want, uint8_t *buf)
{
	uint32_t n = choice() & 1 ? want : choice() * 16 % (want + 1), i;

	(void)ctx;
	(void)space;
	if (n > want)
		n = want;
	for (i = 0; i < n; i++)
		buf[i] = code[(addr + i) % sizeof(code)];
	code[addr % sizeof(code)] += choice() == 3;
	return choice() == 5 ? want + 1 : n;
}

static uint32_t on_memory_id(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
			     const uint8_t id, const uint32_t want, uint8_t *buf)
{
	(void)id;
	return on_memory(ctx, addr, space, want, buf);
}

/* Any protocol's text of any protocol's packet: they are all handed out in the size of the largest one. */
static void packet_text(const void *pkt)
{
	/* in 1.8 the ITM's number is what 1.3.3 has as BUILTIN_END */
	static const int protocols[] = { OCSD_PROTOCOL_ETE, OCSD_PROTOCOL_ETMV4I, OCSD_PROTOCOL_ETMV3, OCSD_PROTOCOL_PTM,
					 OCSD_PROTOCOL_STM, OCSD_PROTOCOL_BUILTIN_END, OCSD_PROTOCOL_CUSTOM_0, 99 };
	char text[400];

	if (pkt)
		ocsd_pkt_str((ocsd_trace_protocol_t)protocols[choice() % 8], pkt, text, (int)(choice() + 2));
}

static ocsd_datapath_resp_t on_packet(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
				      const void *pkt)
{
	(void)ctx;
	(void)op;
	(void)index;
	packet_text(pkt);
	return answer();
}

static volatile uint8_t sum;

static void on_monitor(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index, const void *pkt,
		       const uint32_t size, const uint8_t *data)
{
	uint32_t i;

	(void)ctx;
	(void)op;
	(void)index;
	packet_text(pkt);
	for (i = 0; i < size; i++)
		sum ^= data[i];
}

static void on_text(const void *ctx, const char *text, const int len)
{
	(void)ctx;
	sum ^= (uint8_t)text[len ? len - 1 : 0];
}

/* Bytes that any protocol's text may read as a packet: they are as large as the largest structure. */
static uint8_t custom_packet[1024];

static void custom_read(const ocsd_extern_dcd_cb_fns *cb)
{
	uint32_t len = choice(), *where = choice() == 1 ? NULL : &len;
	ocsd_vaddr_t addr = choice() * 0x100;
	uint8_t *buf = malloc(len + !len);

	if (buf && !cb->fn_memory_access(cb->lib_context, addr, 1, (ocsd_mem_space_acc_t)choice(), where, buf))
		sum ^= len ? buf[len - 1] : 0;
	free(buf);
}

static void custom_instruction(const ocsd_extern_dcd_cb_fns *cb)
{
	ocsd_instr_info i;

	memset(&i, 0, sizeof(i));
	i.isa = (ocsd_isa)(choice() % 6);
	i.instr_addr = choice() * 4;
	i.opcode = choice() << 24 | choice() << 16 | choice() << 8 | choice();
	i.pe_type.profile = (ocsd_core_profile_t)(choice() % 5);
	i.dsb_dmb_waypoints = i.wfi_wfe_branch = choice() & 1;
	if (!cb->fn_arm_instruction_decode(cb->lib_context, choice() == 1 ? NULL : &i))
		sum ^= i.instr_size;
}

/* A custom decoder hands every byte on as an element, and does what else decoders may. */
static void custom_work(const ocsd_extern_dcd_cb_fns *cb, ocsd_datapath_op_t op, ocsd_trc_index_t index,
			uint32_t size, const uint8_t *data)
{
	const void *pkt = op == OCSD_OP_DATA ? custom_packet : NULL;

	switch (choice() % 8) {
	case 0:
		cb->fn_log_error(cb->lib_context, OCSD_ERR_SEV_WARN, OCSD_ERR_FAIL, index, 1, choice() & 1 ? "bad" : NULL);
		break;
	case 1:
		cb->fn_log_msg(cb->lib_context, OCSD_ERR_SEV_INFO, choice() & 1 ? "text" : NULL);
		break;
	case 2:
		custom_read(cb);
		break;
	case 3:
		custom_instruction(cb);
		break;
	}
	if (cb->packetCBFlags & OCSD_CUST_DCD_PKT_CB_USE_MON)
		cb->fn_packet_mon(cb->lib_context, op, index, pkt, size, data);
	if (cb->packetCBFlags & OCSD_CUST_DCD_PKT_CB_USE_SINK)
		cb->fn_packet_data_sink(cb->lib_context, op, index, pkt);
}

static ocsd_datapath_resp_t custom_in(const void *handle, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
				      const uint32_t size, const uint8_t *data, uint32_t *used)
{
	const ocsd_extern_dcd_cb_fns *callbacks = handle;
	ocsd_generic_trace_elem e;
	ocsd_datapath_resp_t r;
	uint32_t i;

	custom_work(callbacks, op, index, size, data);
	if (op != OCSD_OP_DATA)
		return answer();
	for (i = 0; i < size; i++)
		sum ^= data[i];
	*used = choice() & 1 ? size : size / 2;
	memset(&e, 0, sizeof(e));
	ocsd_gen_elem_init(&e, OCSD_GEN_TRC_ELEM_CUSTOM);
	r = callbacks->fn_gen_elem_out(callbacks->lib_context, index, 1, &e);
	return r > OCSD_RESP_CONT ? r : answer();
}

static void custom_flags(const void *handle, const int flags)
{
	(void)handle;
	(void)flags;
}

static ocsd_err_t custom_create(const int flags, const void *cfg, const ocsd_extern_dcd_cb_fns *cb,
				ocsd_extern_dcd_inst_t *inst)
{
	(void)flags;
	(void)cfg;
	inst->decoder_handle = (void *)(uintptr_t)cb;
	inst->fn_data_in = custom_in;
	inst->fn_update_pkt_mon = custom_flags;
	return choice() == 1 ? OCSD_ERR_FAIL : OCSD_OK;
}

static ocsd_err_t custom_destroy(const void *handle)
{
	(void)handle;
	return OCSD_OK;
}

static ocsd_err_t custom_id(const void *cfg, unsigned char *id)
{
	*id = *(const unsigned char *)cfg;
	return OCSD_OK;
}

static ocsd_err_t custom_text(const void *pkt, char *buf, const int len)
{
	(void)pkt;
	memset(buf, 0, (size_t)len);
	return OCSD_OK;
}

static void create_decoder(void)
{
	union {
		ocsd_etmv4_cfg etm;
		ocsd_ete_cfg ete;
		ocsd_etmv3_cfg etmv3;
		ocsd_stm_cfg stm;
		uint32_t tcr;
		uint8_t bytes[64];
	} c;
	static const char *const names[] = { "ETMV4I", "ETE", "PTM", "mine", "ETMV4I", "ETE", "STM", "?", "ETMV4I", "ETE",
					     "ETMV3", "ITM" };
	dcd_tree_handle_t t = tree();
	unsigned int which = byte() % 12, flags;
	unsigned char id;

	memset(&c, 0, sizeof(c));
	if (which % 4 == 0) {
		c.etm.reg_idr0 = word();
		c.etm.reg_idr1 = 0x400 | (byte() & 0xf0);
		c.etm.reg_idr2 = word();
		c.etm.reg_idr8 = byte();
		c.etm.reg_configr = word();
		c.etm.reg_traceidr = byte() % 4;
		c.etm.core_prof = (ocsd_core_profile_t)(byte() % 5);
	} else if (which % 4 == 1) {
		c.ete.reg_idr0 = word();
		c.ete.reg_idr1 = 0xff0;
		c.ete.reg_idr2 = word();
		c.ete.reg_idr8 = byte();
		c.ete.reg_devarch = 0x47705a13 | (byte() & 7) << 16;
		c.ete.reg_configr = word();
		c.ete.reg_traceidr = byte() % 4;
	} else if (which == 2 || which == 10) {
		/* the PTM's configuration is laid out the same */
		c.etmv3.reg_idr = word() & 0xffff00ff;
		c.etmv3.reg_idr |= (which == 2 ? 0x310 : 0x240) | (byte() & 0xf0);
		c.etmv3.reg_ctrl = word();
		c.etmv3.reg_ccer = word();
		c.etmv3.reg_trc_id = byte() % 4;
		c.etmv3.core_prof = (ocsd_core_profile_t)(byte() % 5);
	} else if (which == 6) {
		c.stm.reg_tcsr = (byte() % 4) << 16 | byte();
	} else if (which == 11) {
		c.tcr = (byte() % 4) << 16 | word() % 0x10000;
	} else {
		c.bytes[0] = byte() % 4;
	}
	flags = byte() % 8;
	/* policies, and checks of the code */
	if (byte() & 1)
		flags |= (byte() | byte() << 8 | byte() << 16) & 0x37ff0;
	ocsd_dt_create_decoder(t, names[which], (int)flags, &c, &id);
}

/* A client that is told to wait may flush, and then give the rest once more. */
static void data(void)
{
	dcd_tree_handle_t t = tree();
	uint32_t n = byte() * 8, used, at = 0;
	ocsd_trc_index_t index = byte() & 1 ? word() : 0;
	unsigned int counted, patience;
	ocsd_datapath_resp_t r;
	uint8_t *copy;

	if (n > end - in)
		n = (uint32_t)(end - in);
	copy = malloc(n + !n);
	if (!copy)
		return;
	memcpy(copy, in, n);
	in += n;
	counted = byte() & 1;
	patience = byte();
	for (;;) {
		r = ocsd_dt_process_data(t, OCSD_OP_DATA, index + at, n - at, copy + at, counted ? &used : NULL);
		while (patience & 1 && OCSD_DATA_RESP_IS_WAIT(r))
			r = ocsd_dt_process_data(t, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
		at += counted ? used : 0;
		if (patience < 2 || at >= n)
			break;
		patience -= 2;
	}
	free(copy);
}

static void accessor(void)
{
	dcd_tree_handle_t t = tree();
	ocsd_mem_space_acc_t space = (ocsd_mem_space_acc_t)byte();
	uint64_t start = byte() & 1 ? word() : (uint64_t)word() << 32;
	uint32_t len = byte() * 16;
	ocsd_file_mem_region_t regions[] = { { byte(), start, len }, { 16, start + 0x10000, len } };
	unsigned int which = byte();

	switch (which % 6) {
	case 0:
		ocsd_dt_add_buffer_mem_acc(t, start, space, code, len < sizeof(code) ? len : sizeof(code));
		break;
	case 1:
		ocsd_dt_add_callback_mem_acc(t, start, start + len, space, on_memory, NULL);
		break;
	case 2:
		ocsd_dt_add_callback_trcid_mem_acc(t, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, on_memory_id, NULL);
		break;
	case 3:
		ocsd_dt_add_binfile_region_mem_acc(t, regions, 1 + which / 6 % 2, space, code_file);
		break;
	case 4:
		ocsd_dt_remove_mem_acc(t, byte() & 1 ? 0 : start, byte() & 1 ? OCSD_MEM_SPACE_ANY : space);
		break;
	case 5:
		ocsd_dt_add_binfile_mem_acc(t, start, space, code_file);
		break;
	}
}

static void call(void)
{
	ocsd_decode_stats_t *st;
	ocsd_trc_index_t index;
	unsigned int i;
	uint8_t id;
	char text[64];

	switch (byte() % 24) {
	case 0:
		i = byte() % TREES;
		ocsd_destroy_dcd_tree(trees[i]);
		trees[i] = ocsd_create_dcd_tree((ocsd_dcd_tree_src_t)(byte() & 1), byte() % 0x48);
		break;
	case 1: case 2: case 3:
		create_decoder();
		break;
	case 4: case 5: case 6: case 7: case 8: case 9: case 10:
		data();
		break;
	case 11:
		ocsd_dt_process_data(tree(), (ocsd_datapath_op_t)(byte() % 5), 0, 0, NULL, NULL);
		break;
	case 12: case 13:
		accessor();
		break;
	case 14:
		ocsd_dt_set_gen_elem_outfn(tree(), byte() & 7 ? on_element : NULL, NULL);
		break;
	case 15:
		ocsd_dt_attach_packet_callback(tree(), byte() % 4, OCSD_C_API_CB_PKT_SINK, (void *)on_packet, NULL);
		break;
	case 16:
		ocsd_dt_attach_packet_callback(tree(), byte() % 4, OCSD_C_API_CB_PKT_MON, (void *)on_monitor, NULL);
		break;
	case 17:
		ocsd_dt_set_pkt_protocol_printer(tree(), byte() % 4, byte() & 1);
		ocsd_def_errlog_set_strprint_cb(tree(), NULL, on_text);
		break;
	case 18:
		ocsd_dt_set_gen_elem_printer(tree());
		break;
	case 19:
		ocsd_dt_set_raw_frame_printer(tree(), byte());
		break;
	case 20:
		ocsd_dt_remove_decoder(tree(), byte() % 4);
		break;
	case 21:
		if (!ocsd_dt_get_decode_stats(tree(), byte() % 4, &st))
			sum ^= (uint8_t)st->channel_total;
		ocsd_dt_reset_decode_stats(tree(), byte() % 4);
		break;
	case 22:
		ocsd_get_last_err(&index, &id, text, (int)(byte() % sizeof(text)));
		ocsd_err_str((ocsd_err_t)byte(), text, (int)(byte() % sizeof(text)));
		ocsd_tl_log_mapped_mem_ranges(tree());
		break;
	case 23:
		if (byte() & 1)
			ocsd_dt_set_mem_acc_cacheing(tree(), byte(), (uint16_t)word(), byte());
		else
			ocsd_register_custom_decoder("mine", &fact);
		break;
	}
}

/* NOPs and short branches. */
static void write_code(void)
{
	size_t i;

	memset(code, 0, sizeof(code));
	for (i = 0; i + 4 <= sizeof(code); i += 4) {
		uint32_t op = i % 20 ? 0xd503201f : 0x14000003;

		memcpy(code + i, &op, 4);
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int fd = memfd_create("code", MFD_CLOEXEC);

	(void)argc;
	(void)argv;
	write_code();
	if (fd < 0 || write(fd, code, sizeof(code)) != (ssize_t)sizeof(code))
		abort();
	snprintf(code_file, sizeof(code_file), "/proc/self/fd/%d", fd);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	unsigned int i;

	in = bytes;
	end = bytes + size;
	write_code();
	fact = (ocsd_extern_dcd_fact_t){ custom_create, custom_destroy, custom_id, custom_text,
					 OCSD_PROTOCOL_UNKNOWN };
	ocsd_def_errlog_init(OCSD_ERR_SEV_INFO, 1);
	ocsd_def_errlog_config_output(C_API_MSGLOGOUT_FLG_NONE, NULL);
	for (i = 0; i < TREES; i++)
		trees[i] = ocsd_create_dcd_tree(i ? OCSD_TRC_SRC_SINGLE : OCSD_TRC_SRC_FRAME_FORMATTED,
						OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC);
	for (i = 0; in < end && i < MAX_CALLS; i++)
		call();
	for (i = 0; i < TREES; i++)
		ocsd_destroy_dcd_tree(trees[i]);
	ocsd_deregister_decoders();
	return 0;
}
