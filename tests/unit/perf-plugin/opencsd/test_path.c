/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd_path.c - the data path of the OpenCSD interface when the client responds with WAIT: what it passes
 * again, or instead; a decoder that is removed meanwhile; a barrier at which a sink waits.
 */
#include "unit/perf-plugin/opencsd_lines.h"

#include <opencsd/c_api/opencsd_c_api.h>

#include "unit/perf-plugin/opencsd_trace.h"

/* 0x400000 with a context, an atom: the code is missing. */
#define AT(cid) A64_OF(0, cid), E

static const char *const names[] = {
	[OCSD_GEN_TRC_ELEM_NO_SYNC] = "no sync", [OCSD_GEN_TRC_ELEM_TRACE_ON] = "on",
	[OCSD_GEN_TRC_ELEM_PE_CONTEXT] = "context", [OCSD_GEN_TRC_ELEM_ADDR_NACC] = "missing",
};

struct client {
	struct lines l;
	unsigned int wait_at;		/* the element (from 1) that is responded to with WAIT; 0: none */
	unsigned int count;
};

static ocsd_datapath_resp_t on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	struct client *c = (struct client *)(uintptr_t)ctx;

	assert_in_range(e->elem_type, 0, OCSD_GEN_TRC_ELEM_ADDR_NACC);
	assert_non_null(names[e->elem_type]);
	add_line(&c->l, index, id, names[e->elem_type]);
	return ++c->count == c->wait_at ? OCSD_RESP_WAIT : OCSD_RESP_CONT;
}

static void add_decoder(dcd_tree_handle_t t, unsigned int id, int flags)
{
	const ocsd_etmv4_cfg cfg = {
		.reg_idr1 = 0x400, .reg_idr2 = 8 | 4 << 5, .reg_configr = 1 << 6, .reg_traceidr = id,
		.arch_ver = ARCH_V8, .core_prof = profile_CortexA,
	};

	assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", flags, &cfg, NULL), OCSD_OK);
}

static dcd_tree_handle_t make(ocsd_dcd_tree_src_t source, struct client *c)
{
	dcd_tree_handle_t t = ocsd_create_dcd_tree(source, source == OCSD_TRC_SRC_SINGLE ? 0 :
						   OCSD_DFRMTR_FRAME_MEM_ALIGN);

	assert_non_null(t);
	memset(c, 0, sizeof(*c));
	add_decoder(t, 0x10, OCSD_CREATE_FLG_FULL_DECODER);
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, on_element, c), OCSD_OK);
	return t;
}

#define CHECK(lines, ...) check_lines(lines, 0, LINES(__VA_ARGS__))
#define CHECK_NOTHING(lines) check_lines(lines, 0, LINES(NULL))

/* Passes `n` bytes, of which `want` count as processed. */
static ocsd_datapath_resp_t data(dcd_tree_handle_t t, ocsd_trc_index_t at, const uint8_t *p, uint32_t n, uint32_t want)
{
	ocsd_datapath_resp_t r;
	uint32_t used = 99999;

	r = ocsd_dt_process_data(t, OCSD_OP_DATA, at, n, p, &used);
	assert_int_equal(used, want);
	return r;
}

static ocsd_datapath_resp_t flush(dcd_tree_handle_t t)
{
	return ocsd_dt_process_data(t, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
}

static const uint8_t trace[] = { SYNC, AT(1), AT(2) };

/* The elements of that trace, passed at 100, by where a client waits. */
#define FIRST "100 10 no sync", "114 10 on"
#define SECOND "115 10 context", "129 10 missing"
#define THIRD "130 10 context", "144 10 missing"

/* The bytes that did not count as processed are passed again, whole or in parts: what they hold comes once. */
static void test_again(void **state)
{
	unsigned int wait_at, flushed;
	uint32_t at, part, n;
	dcd_tree_handle_t t;
	struct client c;

	(void)state;
	for (wait_at = 1; wait_at <= 6; wait_at++) {
		for (flushed = 0; flushed < 2; flushed++) {
			for (part = 1; part <= sizeof(trace); part++) {
				t = make(OCSD_TRC_SRC_SINGLE, &c);
				c.wait_at = wait_at;
				assert_int_equal(data(t, 100, trace, sizeof(trace), 0), OCSD_RESP_WAIT);
				assert_int_equal(c.l.n, wait_at);
				if (flushed)
					assert_int_equal(flush(t), OCSD_RESP_CONT);
				for (at = 0; at < sizeof(trace); at += n) {
					n = part < sizeof(trace) - at ? part : (uint32_t)sizeof(trace) - at;
					assert_int_equal(data(t, 100 + at, trace + at, n, n), OCSD_RESP_CONT);
				}
				CHECK(&c.l, FIRST, SECOND, THIRD);
				/* more than that is new */
				assert_int_equal(data(t, 145, trace + 15, 15, 15), OCSD_RESP_CONT);
				CHECK(&c.l, "145 10 context", "159 10 missing");
				ocsd_destroy_dcd_tree(t);
			}
		}
	}
}

/* Other bytes at that index, or bytes at another index, are new. */
static void test_other_bytes(void **state)
{
	static const uint8_t other[] = { AT(3) };
	unsigned int i;
	dcd_tree_handle_t t;
	struct client c;

	(void)state;
	for (i = 0; i < 2; i++) {
		t = make(OCSD_TRC_SRC_SINGLE, &c);
		c.wait_at = 1;
		assert_int_equal(data(t, 100, trace, sizeof(trace), 0), OCSD_RESP_WAIT);
		assert_int_equal(flush(t), OCSD_RESP_CONT);
		CHECK(&c.l, FIRST, SECOND, THIRD);
		if (i)
			assert_int_equal(data(t, 101, trace, sizeof(trace), sizeof(trace)), OCSD_RESP_CONT);
		else
			assert_int_equal(data(t, 100, other, sizeof(other), sizeof(other)), OCSD_RESP_CONT);
		if (i)
			CHECK(&c.l, "115 10 on", "116 10 context", "130 10 missing", "131 10 context",
			      "145 10 missing");
		else
			CHECK(&c.l, "100 10 context", "114 10 missing");
		/* and nothing is expected to be passed again after them */
		if (i) {
			assert_int_equal(data(t, 101, trace, sizeof(trace), sizeof(trace)), OCSD_RESP_CONT);
			CHECK(&c.l, "115 10 on", "116 10 context", "130 10 missing", "131 10 context",
			      "145 10 missing");
		}
		assert_int_equal(data(t, 100, trace + 15, 15, 15), OCSD_RESP_CONT);
		CHECK(&c.l, "100 10 context", "114 10 missing");
		ocsd_destroy_dcd_tree(t);
	}
}

/* A decoder is removed while the client waits: its elements are dropped, those of another one come. */
static void test_remove(void **state)
{
	static const char *const own[] = { "no sync", "on", "context", "missing" };
	/* atoms fill the last frame: they add nothing while the address is unknown */
	static const uint8_t one[3 * 14] = { SYNC, AT(1), 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7, 0xf7,
					     0xf7 };
	unsigned int wait_at, which, i;
	uint8_t frames[6 * 16];
	char want[40];
	dcd_tree_handle_t t;
	struct client c;
	size_t n;

	(void)state;
	for (i = 0; i < 6; i++)
		frame(frames + 16 * i, 0x10 + i / 3, one + 14 * (i % 3));
	for (wait_at = 1; wait_at <= 4; wait_at++) {
		for (which = 0; which < 2; which++) {
			t = make(OCSD_TRC_SRC_FRAME_FORMATTED, &c);
			add_decoder(t, 0x11, OCSD_CREATE_FLG_FULL_DECODER);
			c.wait_at = wait_at;
			assert_int_equal(data(t, 0, frames, sizeof(frames), 0), OCSD_RESP_WAIT);
			assert_int_equal(ocsd_dt_remove_decoder(t, 0x10 + which), OCSD_OK);
			assert_int_equal(flush(t), OCSD_RESP_CONT);
			/* of 0x10 what came before, or all; of 0x11 what is not removed */
			n = which ? 4 : wait_at;
			assert_int_equal(c.l.n, which ? n : n + 4);
			for (i = 0; i < c.l.n; i++) {
				snprintf(want, sizeof(want), " %x %s", i < n ? 0x10 : 0x11, own[i < n ? i : i - n]);
				assert_string_equal(strchr(c.l.v[i], ' '), want);
			}
			free_lines(&c.l);
			ocsd_destroy_dcd_tree(t);
		}
	}
}

struct sink {
	struct lines l;
	ocsd_datapath_resp_t at_reset, at_flush, at_packet;
};

static ocsd_datapath_resp_t on_packet(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
				      const void *pkt)
{
	struct sink *s = (struct sink *)(uintptr_t)ctx;

	assert_int_equal(pkt != NULL, op == OCSD_OP_DATA);
	add_line(&s->l, index, op, op == OCSD_OP_RESET ? "reset" : op == OCSD_OP_DATA ? "packet" : "other");
	return op == OCSD_OP_RESET ? s->at_reset : op == OCSD_OP_FLUSH ? s->at_flush :
	       op == OCSD_OP_DATA ? s->at_packet : OCSD_RESP_CONT;
}

/* A sink that waits at the reset of a barrier gets the packets behind it after a flush. */
static void test_barrier(void **state)
{
	static const uint8_t fsync[4] = { 0xff, 0xff, 0xff, 0x7f };
	static const uint8_t sync[14] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0 };
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED,
						   OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC);
	struct sink s = { .at_reset = OCSD_RESP_WAIT };
	uint8_t frames[48];
	unsigned int i;

	(void)state;
	frame(frames, 0x10, sync);
	for (i = 0; i < 4; i++)
		memcpy(frames + 16 + 4 * i, fsync, 4);
	frame(frames + 32, 0x10, sync);
	add_decoder(t, 0x10, OCSD_CREATE_FLG_PACKET_PROC);
	assert_int_equal(ocsd_dt_attach_packet_callback(t, 0x10, OCSD_C_API_CB_PKT_SINK, (void *)on_packet, &s),
			 OCSD_OK);
	assert_int_equal(data(t, 0, frames, sizeof(frames), 0), OCSD_RESP_WAIT);
	CHECK(&s.l, "0 0 packet", "12 0 packet", "16 3 reset");
	s.at_reset = OCSD_RESP_CONT;
	assert_int_equal(flush(t), OCSD_RESP_CONT);
	CHECK(&s.l, "0 2 other", "32 0 packet", "44 0 packet");
	assert_int_equal(data(t, 0, frames, sizeof(frames), sizeof(frames)), OCSD_RESP_CONT);
	CHECK_NOTHING(&s.l);
	ocsd_destroy_dcd_tree(t);
}

/* Barriers one behind the other are one reset; one behind a frame, or behind a reset of the client, is another one. */
static void test_barriers_in_a_row(void **state)
{
	static const uint8_t fsync[4] = { 0xff, 0xff, 0xff, 0x7f };
	static const uint8_t sync[14] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0 };
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED,
						   OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC);
	struct sink s = { .at_reset = OCSD_RESP_CONT };
	uint8_t barrier[16], one[16];
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++)
		memcpy(barrier + 4 * i, fsync, 4);
	frame(one, 0x10, sync);
	add_decoder(t, 0x10, OCSD_CREATE_FLG_PACKET_PROC);
	assert_int_equal(ocsd_dt_attach_packet_callback(t, 0x10, OCSD_C_API_CB_PKT_SINK, (void *)on_packet, &s),
			 OCSD_OK);
	for (i = 1; i <= 3; i++)
		assert_int_equal(data(t, 16 * i, barrier, 16, 16), OCSD_RESP_CONT);
	assert_int_equal(data(t, 64, one, 16, 16), OCSD_RESP_CONT);
	CHECK(&s.l, "16 3 reset", "64 0 packet", "76 0 packet");
	for (i = 5; i <= 6; i++)
		assert_int_equal(data(t, 16 * i, barrier, 16, 16), OCSD_RESP_CONT);
	assert_int_equal(data(t, 112, one, 16, 16), OCSD_RESP_CONT);
	CHECK(&s.l, "80 3 reset", "112 0 packet", "124 0 packet");
	assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_RESET, 0, 0, NULL, NULL), OCSD_RESP_CONT);
	assert_int_equal(data(t, 16, barrier, 16, 16), OCSD_RESP_CONT);
	assert_int_equal(data(t, 32, one, 16, 16), OCSD_RESP_CONT);
	CHECK(&s.l, "0 3 reset", "16 3 reset", "32 0 packet", "44 0 packet");
	ocsd_destroy_dcd_tree(t);
}

/* A flush reaches the sinks first, where there are any; while one of them waits, no further packet comes. */
static void test_flush_of_sink(void **state)
{
	static const uint8_t sync[14] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0 };
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN);
	struct sink s = { .at_packet = OCSD_RESP_WAIT };
	uint8_t frames[16];

	(void)state;
	frame(frames, 0x11, sync);
	add_decoder(t, 0x10, OCSD_CREATE_FLG_PACKET_PROC);
	add_decoder(t, 0x11, OCSD_CREATE_FLG_PACKET_PROC);
	assert_int_equal(flush(t), OCSD_RESP_CONT);
	assert_int_equal(ocsd_dt_attach_packet_callback(t, 0x11, OCSD_C_API_CB_PKT_SINK, (void *)on_packet, &s),
			 OCSD_OK);
	assert_int_equal(data(t, 0, frames, sizeof(frames), 0), OCSD_RESP_WAIT);
	CHECK(&s.l, "0 0 packet");
	s.at_flush = OCSD_RESP_WARN_WAIT;
	s.at_packet = OCSD_RESP_CONT;
	assert_int_equal(flush(t), OCSD_RESP_WARN_WAIT);
	CHECK(&s.l, "0 2 other");
	s.at_flush = OCSD_RESP_CONT;
	assert_int_equal(flush(t), OCSD_RESP_CONT);
	CHECK(&s.l, "0 2 other", "12 0 packet");
	assert_int_equal(data(t, 0, frames, sizeof(frames), sizeof(frames)), OCSD_RESP_CONT);
	CHECK_NOTHING(&s.l);
	ocsd_destroy_dcd_tree(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_other_bytes),
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_barrier),
		cmocka_unit_test(test_barriers_in_a_row),
		cmocka_unit_test(test_flush_of_sink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
