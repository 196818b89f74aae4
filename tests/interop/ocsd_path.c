/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocsd_path - a client of OpenCSD's C interface that calls the data path in every order: barriers, several IDs
 * in one buffer, waits, resets, ends, wrong arguments, damage under every policy for bad packets. It prints
 * each answer and each callback. Run with one library and with the other, the two texts are compared.
 *
 *     ocsd_path            lists the scenarios
 *     ocsd_path SCENARIO   runs one
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <opencsd/c_api/opencsd_c_api.h>

#define ASYNC 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80
/* Alignment synchronisation, Trace Info, Trace On, address with context: 0x400000, EL0. */
#define START ASYNC, 0x01, 0x00, 0x04, 0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x30
#define IGNORE 0x70
#define BARRIER 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f

static uint32_t code[1024];	/* at 0x400000 */
static unsigned int waits_for;	/* trace ID whose elements are answered with WAIT; 0xff: all */
static dcd_tree_handle_t tree;
static int inside;		/* what the callback for elements does: see on_element() */

/* ---- trace ---- */

struct bytes {
	uint8_t b[8192];
	size_t n;
	unsigned int id, pos;	/* of the frame at the end */
};

static void add(struct bytes *o, const uint8_t *p, size_t n)
{
	if (n > sizeof(o->b) - o->n)
		exit(2);
	memcpy(o->b + o->n, p, n);
	o->n += n;
}

#define RAW(o, ...) add(o, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* One byte into the frame; its number there is pos. Byte 15 holds the low bits of the even ones. */
static void frame_byte(struct bytes *o, unsigned int v, bool is_id)
{
	uint8_t *f;

	if (!o->pos) {
		add(o, (const uint8_t[16]){ 0 }, 16);
	}
	f = o->b + o->n - 16;
	if (o->pos & 1) {
		f[o->pos] = (uint8_t)v;
	} else if (is_id) {
		f[o->pos] = (uint8_t)(v << 1 | 1);
	} else {
		f[o->pos] = (uint8_t)(v & 0xfe);
		f[15] |= (uint8_t)((v & 1) << o->pos / 2);
	}
	o->pos = (o->pos + 1) % 15;
}

/* An ID can change at even places; before that the old one gets a packet that means nothing. */
static void frame(struct bytes *o, unsigned int id, const uint8_t *p, size_t n)
{
	if (o->id != id && o->pos & 1)
		frame_byte(o, IGNORE, false);
	if (o->id != id)
		frame_byte(o, id, true);
	o->id = id;
	while (n--)
		frame_byte(o, *p++, false);
}

#define FRAME(o, id, ...) frame(o, id, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void frame_end(struct bytes *o)
{
	if (o->pos)
		frame(o, 0, NULL, 0);
	while (o->pos)
		frame_byte(o, 0, false);
	o->id = 0;
}

/* ---- callbacks ---- */

static void give_code(void)
{
	printf("  buffer: %d\n", ocsd_dt_add_buffer_mem_acc(tree, 0x400000, OCSD_MEM_SPACE_ANY, (uint8_t *)code,
							    sizeof(code)));
}

static void take_code(void)
{
	printf("  removed: %d\n", ocsd_dt_remove_mem_acc(tree, 0x400000, OCSD_MEM_SPACE_ANY));
}

static ocsd_datapath_resp_t on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	char text[512] = "";

	(void)ctx;
	ocsd_gen_elem_str(e, text, sizeof(text));
	printf("  Idx:%u; ID:%x; %s\n", (unsigned int)index, id, text);
	/* memory comes with the context, and goes with an event */
	if (inside == 1 && e->elem_type == OCSD_GEN_TRC_ELEM_PE_CONTEXT)
		give_code();
	if (inside == 1 && e->elem_type == OCSD_GEN_TRC_ELEM_EVENT)
		take_code();
	return waits_for == 0xff || waits_for == id ? OCSD_RESP_WAIT : OCSD_RESP_CONT;
}

static ocsd_datapath_resp_t on_packet(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
				      const void *pkt)
{
	char text[512] = "";

	(void)ctx;
	if (pkt)
		ocsd_pkt_str(OCSD_PROTOCOL_ETMV4I, pkt, text, sizeof(text));
	printf("  sink: operation %d, Idx:%u; %s\n", op, (unsigned int)index, text);
	return waits_for == 0xff && op == OCSD_OP_DATA ? OCSD_RESP_WAIT : OCSD_RESP_CONT;
}

static void on_monitor(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
		       const void *pkt, const uint32_t size, const uint8_t *data)
{
	char text[512] = "";
	uint32_t i;

	(void)ctx;
	if (pkt)
		ocsd_pkt_str(OCSD_PROTOCOL_ETMV4I, pkt, text, sizeof(text));
	printf("  monitor: operation %d, Idx:%u; [", op, (unsigned int)index);
	for (i = 0; i < size; i++)
		printf("%02x ", data[i]);
	printf("] %s\n", text);
}

static void on_string(const void *ctx, const char *text, const int len)
{
	(void)ctx;
	(void)len;
	/* errors are told in each library's own words */
	if (!strstr(text, "OCSD_ERR"))
		printf("  %s", text);
}

/* ---- trees and calls ---- */

enum listen { ELEMENTS = 1, SINK = 2, MONITOR = 4, PRINTER = 8, NO_MEMORY = 16 };

static void open_tree(bool frames, unsigned int layout, unsigned int ids, int listen, int flags)
{
	const ocsd_etmv4_cfg c = {
		
		.reg_idr1 = 0x450, .reg_idr2 = 8 | 4 << 5 | 4 << 10, .arch_ver = ARCH_V8, .core_prof = profile_CortexA,
	};
	ocsd_etmv4_cfg cfg = c;
	unsigned int i;
	unsigned char id = 0;
	ocsd_err_t err;

	for (i = 0; i < 1024; i++)
		code[i] = 0xd503201f;
	/* two instructions and a branch that depends; two and one that does not, back to the start */
	code[2] = 0x54000040;
	code[5] = 0x17fffffb;
	tree = ocsd_create_dcd_tree(frames ? OCSD_TRC_SRC_FRAME_FORMATTED : OCSD_TRC_SRC_SINGLE, layout);
	printf("  tree: %s\n", tree ? "made" : "none");
	ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 1);
	ocsd_def_errlog_config_output(C_API_MSGLOGOUT_FLG_NONE, NULL);
	ocsd_def_errlog_set_strprint_cb(tree, NULL, on_string);
	for (i = 0; i < ids; i++) {
		cfg.reg_traceidr = 0x10 + i;
		err = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV4I, flags | (listen & ELEMENTS ?
					     OCSD_CREATE_FLG_FULL_DECODER : OCSD_CREATE_FLG_PACKET_PROC), &cfg, &id);
		if (err)
			printf("  decoder %x: %d\n", cfg.reg_traceidr, err);
		if (listen & SINK)
			ocsd_dt_attach_packet_callback(tree, id, OCSD_C_API_CB_PKT_SINK, (void *)on_packet, NULL);
		if (listen & MONITOR)
			ocsd_dt_attach_packet_callback(tree, id, OCSD_C_API_CB_PKT_MON, (void *)on_monitor, NULL);
		if (listen & PRINTER)
			ocsd_dt_set_pkt_protocol_printer(tree, id, listen & ELEMENTS ? 1 : 0);
	}
	if (listen & ELEMENTS) {
		ocsd_dt_set_gen_elem_outfn(tree, on_element, NULL);
		if (!(listen & NO_MEMORY))
			give_code();
	}
}

static ocsd_datapath_resp_t op(ocsd_datapath_op_t what)
{
	ocsd_datapath_resp_t r = ocsd_dt_process_data(tree, what, 0, 0, NULL, NULL);

	printf("  operation %d: %d\n", what, r);
	return r;
}

static ocsd_datapath_resp_t data(size_t index, const uint8_t *p, size_t n)
{
	uint32_t used = 0;
	ocsd_datapath_resp_t r = ocsd_dt_process_data(tree, OCSD_OP_DATA, (ocsd_trc_index_t)index, (uint32_t)n, p, &used);

	printf("  data %zu+%zu: %d, %s\n", index, n, r, used == n ? "all" : used ? "some" : "none");
	return r;
}

/* As perf does: flush while told to wait, then the rest. How often and where it waits is each library's. */
static void push(const uint8_t *p, size_t n, size_t piece)
{
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;
	size_t at = 0, len;
	uint32_t used;

	while (at < n && !OCSD_DATA_RESP_IS_FATAL(r)) {
		len = n - at < piece ? n - at : piece;
		used = 0;
		r = ocsd_dt_process_data(tree, OCSD_OP_DATA, (ocsd_trc_index_t)at, (uint32_t)len, p + at, &used);
		at += used;
		while (OCSD_DATA_RESP_IS_WAIT(r))
			r = ocsd_dt_process_data(tree, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
	}
	printf("  pushed %s: %s\n", at == n ? "all" : "some", OCSD_DATA_RESP_IS_FATAL(r) ? "fatal" : "well");
}

static void end(void)
{
	ocsd_datapath_resp_t r;

	r = ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
	while (OCSD_DATA_RESP_IS_WAIT(r))
		r = ocsd_dt_process_data(tree, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
	printf("  end: %d\n", r);
	ocsd_destroy_dcd_tree(tree);
	waits_for = 0;
	inside = 0;
}

/* ---- scenarios ---- */

/* Two fragments with a barrier between them; the first ends in the middle of a packet. */
static void barrier(int listen, unsigned int wait)
{
	struct bytes o = { .n = 0 };

	FRAME(&o, 0x10, START, 0xf7, 0xf6, 0xf7, 0x82, 0x10);
	frame_end(&o);
	RAW(&o, BARRIER);
	FRAME(&o, 0x10, START, 0xf7, 0xf7);
	FRAME(&o, 0x11, START, 0xf7);
	frame_end(&o);
	RAW(&o, BARRIER);
	RAW(&o, BARRIER);
	FRAME(&o, 0x11, 0xf7, 0xf7, START, 0xf7, 0xf6);
	frame_end(&o);
	waits_for = wait;
	open_tree(true, OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC, 2, listen, 0);
	push(o.b, o.n, 4096);
	end();
}

static void barrier_elements(void) { barrier(ELEMENTS, 0); }
static void barrier_wait(void) { barrier(ELEMENTS, 0xff); }
static void barrier_sink(void) { barrier(SINK, 0); }
static void barrier_monitor(void) { barrier(ELEMENTS | MONITOR, 0); }
static void barrier_printer(void) { barrier(PRINTER, 0); }

/* The same without its being asked for. */
static void barrier_off(void)
{
	struct bytes o = { .n = 0 };

	FRAME(&o, 0x10, START, 0xf7, 0xf6);
	frame_end(&o);
	RAW(&o, BARRIER);
	FRAME(&o, 0x10, START, 0xf7);
	frame_end(&o);
	open_tree(true, OCSD_DFRMTR_FRAME_MEM_ALIGN, 1, ELEMENTS, 0);
	push(o.b, o.n, 4096);
	end();
}

static void mix(struct bytes *o)
{
	FRAME(o, 0x10, START);
	FRAME(o, 0x11, START);
	FRAME(o, 0x12, START);
	FRAME(o, 0x10, 0xf7, 0xf6, 0x71);
	FRAME(o, 0x11, 0xf7, 0xf6);
	FRAME(o, 0x10, 0xf7);
	FRAME(o, 0x12, 0xfa, 0x72);
	FRAME(o, 0x13, 0xf7, 1, 2, 3);
	FRAME(o, 0x11, 0xf7, 0x73);
	frame_end(o);
}

/* Several IDs in one buffer, one of which waits. */
static void wait_of_one(void)
{
	struct bytes o = { .n = 0 };

	mix(&o);
	waits_for = 0x11;
	open_tree(true, OCSD_DFRMTR_FRAME_MEM_ALIGN, 3, ELEMENTS, 0);
	push(o.b, o.n, 4096);
	end();
}

static void wait_of_none(void)
{
	struct bytes o = { .n = 0 };

	mix(&o);
	open_tree(true, OCSD_DFRMTR_FRAME_MEM_ALIGN, 3, ELEMENTS, 0);
	push(o.b, o.n, 16);
	end();
}

static void reset_between(void)
{
	static const uint8_t first[] = { START, 0xf7, 0xf6, 0x82, 0x10 }, second[] = { 0xf7, START, 0xf7 };

	open_tree(false, 0, 1, ELEMENTS | MONITOR, 0);
	data(0, first, sizeof(first));
	op(OCSD_OP_RESET);
	data(100, second, sizeof(second));
	op(OCSD_OP_RESET);
	op(OCSD_OP_RESET);
	data(200, second, sizeof(second));
	end();
}

/* While the client waits: what it was not told is lost. */
static void reset_waiting(void)
{
	static const uint8_t first[] = { START, 0xf7, 0xf6 }, second[] = { START, 0xf7 };

	waits_for = 0x10;
	open_tree(false, 0, 1, ELEMENTS, 0);
	ocsd_dt_process_data(tree, OCSD_OP_DATA, 0, sizeof(first), first, &(uint32_t){ 0 });
	waits_for = 0;
	op(OCSD_OP_RESET);
	data(100, second, sizeof(second));
	end();
}

static void reset_frames(void)
{
	struct bytes o = { .n = 0 };
	size_t n;

	mix(&o);
	n = o.n;
	mix(&o);
	open_tree(true, OCSD_DFRMTR_FRAME_MEM_ALIGN, 3, ELEMENTS, 0);
	data(0, o.b, n / 32 * 16);
	op(OCSD_OP_RESET);
	data(n, o.b + n, o.n - n);
	end();
}

static void flushes(void)
{
	static const uint8_t t[] = { START, 0xf7, 0xf6, 0xf7 };

	open_tree(false, 0, 1, ELEMENTS, 0);
	op(OCSD_OP_FLUSH);
	data(0, t, sizeof(t));
	op(OCSD_OP_FLUSH);
	op(OCSD_OP_FLUSH);
	waits_for = 0xff;
	push(t, sizeof(t), 4096);
	waits_for = 0;
	op(OCSD_OP_FLUSH);
	end();
}

static void end_twice(void)
{
	static const uint8_t t[] = { START, 0xf7, 0x82, 0x10 };

	open_tree(false, 0, 1, ELEMENTS | MONITOR, 0);
	data(0, t, sizeof(t));
	op(OCSD_OP_EOT);
	op(OCSD_OP_EOT);
	end();
}

static void end_of_nothing(void)
{
	open_tree(true, OCSD_DFRMTR_FRAME_MEM_ALIGN, 3, ELEMENTS, 0);
	end();
}

static void data_after_end(void)
{
	static const uint8_t t[] = { START, 0xf7 }, more[] = { 0xf7, 0xf6, START, 0xf7 };

	open_tree(false, 0, 1, ELEMENTS, 0);
	data(0, t, sizeof(t));
	op(OCSD_OP_EOT);
	data(sizeof(t), more, sizeof(more));
	op(OCSD_OP_EOT);
	op(OCSD_OP_RESET);
	data(0, more, sizeof(more));
	end();
}

static void bad_arguments(void)
{
	static const uint8_t t[16] = { 0 };
	uint32_t used;
	int frames;

	for (frames = 0; frames < 2; frames++) {
		open_tree(frames, frames ? OCSD_DFRMTR_FRAME_MEM_ALIGN : 0, 1, ELEMENTS, 0);
		used = 7;
		printf("  no bytes: %d\n", ocsd_dt_process_data(tree, OCSD_OP_DATA, 0, 0, t, &used));
		printf("  used %u\n", used);
		printf("  no data: %d\n", ocsd_dt_process_data(tree, OCSD_OP_DATA, 0, 16, NULL, &used));
		printf("  no count: %d\n", ocsd_dt_process_data(tree, OCSD_OP_DATA, 0, 16, t, NULL));
		printf("  no operation: %d\n", ocsd_dt_process_data(tree, (ocsd_datapath_op_t)17, 0, 0, NULL, &used));
		end();
	}
}

/* Frames whose size or place is not as announced. */
static void odd_sizes(void)
{
	struct bytes o = { .n = 0 };

	mix(&o);
	open_tree(true, OCSD_DFRMTR_FRAME_MEM_ALIGN, 3, ELEMENTS, 0);
	data(0, o.b, 16);
	data(16, o.b + 16, 9);
	end();
}

static void jump(void)
{
	struct bytes o = { .n = 0 };

	mix(&o);
	open_tree(true, OCSD_DFRMTR_FRAME_MEM_ALIGN, 3, ELEMENTS, 0);
	data(0, o.b, 48);
	data(4096, o.b + 48, o.n - 48);
	end();
}

/* Synchronisations between frames, as a port sends them; every layout is printed. */
static void syncs(unsigned int layout, int listen, size_t piece)
{
	static const uint8_t hsync[] = { 0xff, 0x7f }, fsync[] = { 0xff, 0xff, 0xff, 0x7f };
	struct bytes f = { .n = 0 }, o = { .n = 0 };
	size_t i, k;

	mix(&f);
	add(&o, fsync, 4);
	for (i = 0; i < f.n; i += 16) {
		for (k = 0; k < 16; k += 2) {
			add(&o, f.b + i + k, 2);
			if (layout & OCSD_DFRMTR_HAS_HSYNCS && k < 14 && (i + k) % 12 == 6)
				add(&o, hsync, 2);
		}
		if (i % 32 == 0)
			add(&o, fsync, 4);
	}
	/* twice in a row */
	add(&o, fsync, 4);
	add(&o, fsync, 4);
	open_tree(true, layout, 3, listen, 0);
	printf("  frame printer: %d\n", ocsd_dt_set_raw_frame_printer(tree, OCSD_DFRMTR_PACKED_RAW_OUT |
								    OCSD_DFRMTR_UNPACKED_RAW_OUT));
	push(o.b, o.n, piece);
	end();
}

static void syncs_full(void) { syncs(OCSD_DFRMTR_HAS_FSYNCS, ELEMENTS, 4096); }
static void syncs_full_pieces(void) { syncs(OCSD_DFRMTR_HAS_FSYNCS, ELEMENTS, 20); }
static void syncs_both(void) { syncs(OCSD_DFRMTR_HAS_FSYNCS | OCSD_DFRMTR_HAS_HSYNCS, SINK, 4096); }

static void frames_printed(unsigned int raw)
{
	struct bytes o = { .n = 0 };

	mix(&o);
	RAW(&o, BARRIER);
	mix(&o);
	RAW(&o, BARRIER);
	RAW(&o, BARRIER);
	mix(&o);
	open_tree(true, OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC, 1, SINK, 0);
	printf("  frame printer: %d\n", ocsd_dt_set_raw_frame_printer(tree, (int)raw));
	push(o.b, o.n, 4096);
	end();
}

static void frames_packed(void) { frames_printed(OCSD_DFRMTR_PACKED_RAW_OUT); }
static void frames_unpacked(void) { frames_printed(OCSD_DFRMTR_UNPACKED_RAW_OUT); }

/* Memory that comes and goes inside the callback for elements. */
static void accessors_inside(void)
{
	static const uint8_t t[] = { START, 0xf7, 0x71, 0xf7, 0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x31, 0xf7, 0x71, 0xf6 };

	inside = 1;
	open_tree(false, 0, 1, ELEMENTS | NO_MEMORY, 0);
	/* 1.3.3 starts only with some accessor */
	printf("  elsewhere: %d\n", ocsd_dt_add_buffer_mem_acc(tree, 0x1000, OCSD_MEM_SPACE_ANY, (uint8_t *)code, 16));
	data(0, t, sizeof(t));
	end();
}

/* Every flag by itself. */
static void flags_one_by_one(void)
{
	int i;

	for (i = 3; i < 31; i++) {
		printf("  flag %#x\n", 1u << i);
		open_tree(false, 0, 1, ELEMENTS, 1 << i);
		ocsd_destroy_dcd_tree(tree);
		open_tree(false, 0, 1, SINK, 1 << i);
		ocsd_destroy_dcd_tree(tree);
	}
}

/* Reserved headers, a packet that cannot be, an exception without its address, and the next synchronisation. */
static void damage(int listen, int flags)
{
	static const uint8_t reserved[] = { START, 0xf7, 0x0b, 0xf7, 0xf6, START, 0xf7 };
	static const uint8_t sequence[] = { START, 0xf7, 0x00, 0x22, 0xf7, 0xf6, START, 0xf7, 0xf6 };
	static const struct { const uint8_t *p; size_t n; } t[] = {
		{ reserved, sizeof(reserved) }, { sequence, sizeof(sequence) },
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		open_tree(false, 0, 1, listen, flags);
		push(t[i].p, t[i].n, 4096);
		end();
	}
}

static const int policies[] = { 0, OCSD_OPFLG_PKTPROC_NOFWD_BAD_PKTS, OCSD_OPFLG_PKTPROC_NOMON_BAD_PKTS,
				OCSD_OPFLG_PKTPROC_ERR_BAD_PKTS, OCSD_OPFLG_PKTPROC_UNSYNC_ON_BAD_PKTS,
				OCSD_OPFLG_PKTDEC_ERROR_BAD_PKTS, OCSD_OPFLG_PKTDEC_HALT_BAD_PKTS,
				OCSD_OPFLG_PKTPROC_NOFWD_BAD_PKTS | OCSD_OPFLG_PKTPROC_NOMON_BAD_PKTS };

static void damage_all(int listen)
{
	size_t i;

	for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		printf("  flags %#x\n", (unsigned int)policies[i]);
		damage(listen, policies[i]);
	}
}

static void damage_elements(void) { damage_all(ELEMENTS); }
static void damage_sink(void) { damage_all(SINK); }
static void damage_monitor(void) { damage_all(ELEMENTS | MONITOR); }
static void damage_printer(void) { damage_all(PRINTER); }

/* A Source Address passes branches that were not taken. */
static void source_address(int flags)
{
	static const uint8_t t[] = { ASYNC, 0x01, 0x00, 0x04, 0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x30,
				     0xb6, 0x05, 0, 0x40, 0, 0xf7 };
	const ocsd_ete_cfg ete = { .reg_idr1 = 0xff0, .reg_idr2 = 8, .reg_devarch = 0x47705a13, .reg_traceidr = 0x10,
				   .arch_ver = ARCH_AA64, .core_prof = profile_CortexA };
	unsigned char id;

	open_tree(false, 0, 0, ELEMENTS | NO_MEMORY, 0);
	printf("  decoder: %d\n", ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETE, OCSD_CREATE_FLG_FULL_DECODER | flags,
							 &ete, &id));
	ocsd_dt_set_gen_elem_outfn(tree, on_element, NULL);
	give_code();
	push(t, sizeof(t), 4096);
	end();
}

static void source_whole(void) { source_address(0); }
static void source_split(void) { source_address(ETE_OPFLG_PKTDEC_SRCADDR_N_ATOMS); }

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{ "barrier-elements", barrier_elements }, { "barrier-wait", barrier_wait }, { "barrier-sink", barrier_sink },
	{ "barrier-monitor", barrier_monitor }, { "barrier-printer", barrier_printer }, { "barrier-off", barrier_off },
	{ "wait-of-one", wait_of_one }, { "wait-of-none", wait_of_none }, 
	{ "reset-between", reset_between }, { "reset-waiting", reset_waiting }, { "reset-frames", reset_frames },
	{ "flushes", flushes }, { "end-twice", end_twice }, { "end-of-nothing", end_of_nothing },
	{ "data-after-end", data_after_end }, { "bad-arguments", bad_arguments }, { "odd-sizes", odd_sizes },
	{ "jump", jump }, { "syncs-full", syncs_full }, { "syncs-full-pieces", syncs_full_pieces },
	{ "syncs-both", syncs_both }, { "frames-packed", frames_packed },
	{ "frames-unpacked", frames_unpacked }, { "accessors-inside", accessors_inside },
	{ "flags-one-by-one", flags_one_by_one }, { "damage-elements", damage_elements },
	{ "damage-sink", damage_sink }, { "damage-monitor", damage_monitor }, { "damage-printer", damage_printer },
	{ "source-whole", source_whole }, { "source-split", source_split },
};

int main(int argc, char **argv)
{
	size_t i;

	/* what was printed before a crash counts */
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (argc < 2)
			puts(scenarios[i].name);
		else if (!strcmp(scenarios[i].name, argv[1]))
			return scenarios[i].run(), 0;
	}
	return argc < 2 ? 0 : 2;
}
