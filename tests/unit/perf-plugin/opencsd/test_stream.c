/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd_stream.c - random trace through the C interface of OpenCSD: what is pushed out, under every
 * pattern of WAIT answers and input sizes, is what the library gives when it is pulled, elements and packets.
 *
 * CST_SEEDS=N sets the number of random streams (default 400, see unit/seeds.h),
 * CST_SEED=N runs one.
 */
#include "unit/perf-plugin/opencsd_lines.h"

#include <cstrace/cstrace.h>
#include <opencsd/c_api/opencsd_c_api.h>

#include "gen_case.h"
#include "unit/seeds.h"

static void compare_lines(uint64_t seed, const char *how, const struct lines *want, const struct lines *got)
{
	size_t i;

	for (i = 0; i < want->n || i < got->n; i++) {
		const char *a = i < want->n ? want->v[i] : "nothing";
		const char *b = i < got->n ? got->v[i] : "nothing";

		if (strcmp(a, b))
			fail_msg("seed %" PRIu64 ", %s, element %zu of %zu:\n  pulled %s\n  pushed %s", seed, how,
				 i, want->n, a, b);
	}
}

/* ---- a random case, pulled and pushed ---- */

struct run {
	const struct gen_case *c;
	struct cst_image *img;
	struct cst_section *sec[64];
	struct cst_space *space[64];
	uint32_t space_tid[64];
	size_t nspaces;
	uint64_t rng;
	/* push */
	struct lines *out;
	uint32_t tid;
	unsigned int wait_percent;
	unsigned int delivered, fetched;
};

static uint32_t rnd(struct run *r, uint32_t n)
{
	r->rng = r->rng * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(r->rng >> 33) % n;
}

static uint32_t first_thread(const struct gen_case *c)
{
	size_t k;

	for (k = 0; k < c->nregions; k++)
		if (!c->regions[k].el)
			return c->regions[k].tid;
	return 0;
}

static uint32_t thread_of(const struct gen_case *c, uint32_t cid, uint32_t vmid)
{
	if (c->tu.cid)
		return cid;
	return c->tu.vmid && c->tu.vmid_is_tid ? vmid : first_thread(c);
}

static struct cst_space *space_for(struct run *r, uint32_t tid)
{
	const struct gen_case *c = r->c;
	size_t i, k;

	for (i = 0; i < r->nspaces; i++)
		if (r->space_tid[i] == tid)
			return r->space[i];
	assert_true(i < 64);
	assert_int_equal(cst_space_new(&r->space[i], r->img), 0);
	for (k = 0; k < c->nregions; k++)
		if (c->regions[k].el || c->regions[k].tid == tid)
			assert_int_equal(cst_space_map(r->space[i], c->regions[k].va, c->regions[k].len,
						       r->sec[k], 0), 0);
	r->space_tid[i] = tid;
	return r->space[r->nspaces++];
}

static void config_of(const struct gen_case *c, struct cst_config *cfg)
{
	const struct cst_etmv4_regs regs = {
		.configr = c->regs.configr, .traceidr = c->regs.traceidr, .idr0 = c->regs.idr0,
		.idr1 = c->regs.idr1, .idr2 = c->regs.idr2, .idr8 = c->regs.idr8,
		.devarch = c->regs.devarch,
	};

	assert_int_equal(cst_config_etmv4(cfg, &regs, c->regs.ete,
					  c->tu.mprofile ? CST_PROFILE_M : CST_PROFILE_A), 0);
	cfg->hold_transactions = 0;
}

/* Instrumentation is for clients of 1.8 only. */
static void pull(struct run *r, bool framed, struct lines *l)
{
	const struct gen_case *c = r->c;
	struct cst_generic g[64];
	struct cst_decoder *dec;
	struct cst_config cfg = { 0 };
	struct cst_tree *t;
	struct cst_pull p;
	char text[512];
	bool ended = false;
	size_t k;
	int i, n;

	assert_int_equal(cst_image_new(&r->img, 0), 0);
	assert_true(c->nregions <= 64);
	for (k = 0; k < c->nregions; k++)
		assert_int_equal(cst_section_new(&r->sec[k], r->img, c->regions[k].bytes, c->regions[k].len,
						 NULL), 0);
	config_of(c, &cfg);
	assert_int_equal(cst_tree_new(&t, framed ? CST_TREE_FRAMES : CST_TREE_RAW, 0), 0);
	assert_int_equal(cst_tree_add(t, &cfg, &dec), 0);
	cst_decoder_set_stop(dec, CST_STOP_CONTEXT);
	assert_int_equal(cst_tree_feed(t, framed ? c->framed : c->trace, framed ? c->framed_len : c->len, 0), 0);
	for (;;) {
		n = cst_tree_pull(t, g, 64, &p);
		assert_true(n >= 0);
		for (i = 0; i < n; i++) {
			if (g[i].kind == CST_GEN_INSTRUMENTATION)
				continue;
			cst_generic_text(&g[i], text, sizeof(text));
			/* the address of code that is missing has its memory space only in 1.8's text */
			if (g[i].kind == CST_GEN_NACC)
				snprintf(text, sizeof(text), "OCSD_GEN_TRC_ELEM_ADDR_NACC( 0x%" PRIx64 " )", g[i].addr);
			add_line(l, g[i].index, g[i].trace_id, text);
		}
		if (p.why == CST_STOP_CONTEXT) {
			cst_decoder_set_space(dec, space_for(r, thread_of(c, g[n - 1].context_id, g[n - 1].vmid)));
			continue;
		}
		if (n)
			continue;
		if (ended)
			break;
		ended = true;
		cst_tree_end(t);
	}
	cst_tree_free(t);
	cst_image_free(r->img);
	r->nspaces = 0;
}

static ocsd_datapath_resp_t on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	struct run *r = (struct run *)(uintptr_t)ctx;
	char text[512];

	assert_int_equal(ocsd_gen_elem_str(e, text, sizeof(text)), OCSD_OK);
	add_line(r->out, index, id, text);
	r->delivered++;
	if (e->elem_type == OCSD_GEN_TRC_ELEM_PE_CONTEXT)
		r->tid = thread_of(r->c, e->context.context_id, e->context.vmid);
	return rnd(r, 100) < r->wait_percent ? OCSD_RESP_WAIT : OCSD_RESP_CONT;
}

static uint32_t on_memory(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
			  const uint8_t id, const uint32_t want, uint8_t *buf)
{
	struct run *r = (struct run *)(uintptr_t)ctx;
	const struct gen_case *c = r->c;
	size_t k, n;

	assert_int_equal(id, c->regs.traceidr);
	assert_int_equal(__builtin_popcount((unsigned int)space), 1);
	r->fetched++;
	for (k = 0; k < c->nregions; k++) {
		const struct prog_region *g = &c->regions[k];

		if ((!g->el && g->tid != r->tid) || addr < g->va || addr - g->va >= g->len)
			continue;
		n = g->len - (size_t)(addr - g->va);
		n = n < want ? n : want;
		memcpy(buf, g->bytes + (addr - g->va), n);
		return (uint32_t)n;
	}
	return 0;
}

static dcd_tree_handle_t tree_of(const struct gen_case *c, bool framed, int flags)
{
	const ocsd_etmv4_cfg etm = {
		.reg_idr0 = c->regs.idr0, .reg_idr1 = c->regs.idr1, .reg_idr2 = c->regs.idr2,
		.reg_idr8 = c->regs.idr8, .reg_configr = c->regs.configr, .reg_traceidr = c->regs.traceidr,
		.arch_ver = c->tu.mprofile ? ARCH_V7 : ARCH_AA64,
		.core_prof = c->tu.mprofile ? profile_CortexM : profile_CortexA,
	};
	const ocsd_ete_cfg ete = {
		.reg_idr0 = c->regs.idr0, .reg_idr1 = c->regs.idr1, .reg_idr2 = c->regs.idr2,
		.reg_idr8 = c->regs.idr8, .reg_configr = c->regs.configr, .reg_traceidr = c->regs.traceidr,
		.reg_devarch = c->regs.devarch, .arch_ver = ARCH_AA64, .core_prof = profile_CortexA,
	};
	unsigned char id = 0;
	dcd_tree_handle_t t;

	t = ocsd_create_dcd_tree(framed ? OCSD_TRC_SRC_FRAME_FORMATTED : OCSD_TRC_SRC_SINGLE,
				 framed ? OCSD_DFRMTR_FRAME_MEM_ALIGN : 0);
	assert_non_null(t);
	assert_int_equal(ocsd_dt_create_decoder(t, c->regs.ete ? OCSD_BUILTIN_DCD_ETE : OCSD_BUILTIN_DCD_ETMV4I,
						flags, c->regs.ete ? (const void *)&ete : (const void *)&etm,
						&id), OCSD_OK);
	assert_int_equal(id, c->regs.traceidr);
	return t;
}

/* As perf does it: flush while told to wait, then the bytes that were not processed. */
static void push(struct run *r, bool framed, unsigned int wait_percent, struct lines *l)
{
	const struct gen_case *c = r->c;
	const uint8_t *p = framed ? c->framed : c->trace;
	size_t len = framed ? c->framed_len : c->len, at = 0, n;
	dcd_tree_handle_t t = tree_of(c, framed, OCSD_CREATE_FLG_FULL_DECODER);
	ocsd_datapath_resp_t resp = OCSD_RESP_CONT;
	uint32_t used, piece = rnd(r, 3) ? 1 + rnd(r, 3000) : UINT32_MAX;
	uint8_t *copy;

	r->out = l;
	r->wait_percent = wait_percent;
	r->tid = first_thread(c);
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, on_element, r), OCSD_OK);
	assert_int_equal(ocsd_dt_add_callback_trcid_mem_acc(t, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, on_memory, r),
			 OCSD_OK);
	while (at < len) {
		n = 1 + (piece == UINT32_MAX ? len : rnd(r, piece));
		n = n < len - at ? n : len - at;
		/* the bytes are the client's again afterwards: a copy that goes away shows who keeps them */
		copy = malloc(n);
		memcpy(copy, p + at, n);
		resp = ocsd_dt_process_data(t, OCSD_OP_DATA, (ocsd_trc_index_t)at, (uint32_t)n, copy, &used);
		free(copy);
		assert_true(resp < OCSD_RESP_FATAL_NOT_INIT);
		assert_true(used <= n);
		assert_true(used == n || OCSD_DATA_RESP_IS_WAIT(resp));
		at += used;
		while (OCSD_DATA_RESP_IS_WAIT(resp)) {
			resp = ocsd_dt_process_data(t, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
			assert_true(resp < OCSD_RESP_FATAL_NOT_INIT);
		}
	}
	do
		resp = ocsd_dt_process_data(t, OCSD_OP_EOT, 0, 0, NULL, NULL);
	while (OCSD_DATA_RESP_IS_WAIT(resp));
	ocsd_destroy_dcd_tree(t);
}

static uint64_t env_number(const char *name, uint64_t otherwise)
{
	const char *v = getenv(name);

	return v ? strtoull(v, NULL, 0) : otherwise;
}

static void test_push_is_pull(void **state)
{
	static const unsigned int waits[] = { 0, 1, 20, 100 };
	uint64_t one = env_number("CST_SEED", 0), seed;
	uint64_t count = seeds_wanted(400);
	struct lines want = { NULL, 0, 0 }, got = { NULL, 0, 0 };
	struct gen_case c;
	char how[64];

	(void)state;
	for (seed = one ? one : 1; seed <= (one ? one : count); seed++) {
		struct run r = { .c = &c, .rng = seed };
		bool framed = seed & 1;
		unsigned int w = waits[seed / 2 % 4];

		gen_random_case(seed, &c);
		pull(&r, framed, &want);
		push(&r, framed, w, &got);
		snprintf(how, sizeof(how), "%s, %u%% wait", framed ? "frames" : "raw", w);
		compare_lines(seed, how, &want, &got);
		free_lines(&want);
		free_lines(&got);
		gen_case_free(&c);
	}
}

/* ---- packets: texts through the client's structure, and what a full decoder gives beside its monitor ---- */

struct packets {
	struct lines seen, elements;
	ocsd_trace_protocol_t protocol;
	unsigned int sink_ops, mon_ops;
};

static void on_packet_mon(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
			  const void *pkt, const uint32_t size, const uint8_t *data)
{
	struct packets *p = (struct packets *)(uintptr_t)ctx;
	char text[512];

	if (op != OCSD_OP_DATA) {
		assert_null(pkt);
		p->mon_ops += op == OCSD_OP_EOT;
		return;
	}
	assert_true(size > 0 && data);
	assert_int_equal(ocsd_pkt_str(p->protocol, pkt, text, sizeof(text)), OCSD_OK);
	add_line(&p->seen, index, 0, text);
}

static ocsd_datapath_resp_t on_packet_sink(const void *ctx, const ocsd_datapath_op_t op,
					   const ocsd_trc_index_t index, const void *pkt)
{
	struct packets *p = (struct packets *)(uintptr_t)ctx;
	char text[512];

	if (op != OCSD_OP_DATA) {
		p->sink_ops += op == OCSD_OP_EOT;
		return OCSD_RESP_CONT;
	}
	assert_int_equal(ocsd_pkt_str(p->protocol, pkt, text, sizeof(text)), OCSD_OK);
	add_line(&p->seen, index, 0, text);
	return p->seen.n % 7 ? OCSD_RESP_CONT : OCSD_RESP_WAIT;
}

/* The library's own packets. */
static void library_packets(const struct gen_case *c, struct lines *l)
{
	struct cst_generic g[64];
	struct cst_decoder *dec;
	struct cst_packet pkt = { 0 };
	struct cst_config cfg = { 0 };
	struct cst_pull p;
	char text[512];
	bool ended = false;

	config_of(c, &cfg);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	assert_int_equal(cst_decoder_feed(dec, c->trace, c->len, 0), 0);
	for (;;) {
		if (cst_decoder_next_packet(dec, &pkt, &p)) {
			if (p.why != CST_STOP_PACKET)
				continue;
			pkt.flags &= ~(uint32_t)CST_PF_SYNC_POINT;
			cst_packet_text(&pkt, text, sizeof(text));
			add_line(l, pkt.index, 0, text);
		} else if (ended) {
			break;
		} else {
			ended = true;
			cst_decoder_end(dec);
		}
		while (cst_decoder_pull(dec, g, 64, NULL))
			;
	}
	cst_decoder_free(dec);
}

static void test_packets(void **state)
{
	/* conditional and data trace packets have texts without their payload on both sides */
	uint64_t seed, count = getenv("SANITIZED") ? 20 : 120;
	struct gen_case c;

	(void)state;
	for (seed = 1; seed <= count; seed++) {
		bool full = seed & 1;
		struct packets p = { .sink_ops = 0 };
		struct lines want = { NULL, 0, 0 };
		struct run r = { .c = &c, .rng = seed };
		ocsd_datapath_resp_t resp;
		dcd_tree_handle_t t;
		uint32_t used;
		size_t at = 0;

		gen_random_case_without(seed, GEN_X_MPROFILE, &c);
		p.protocol = c.regs.ete ? OCSD_PROTOCOL_ETE : OCSD_PROTOCOL_ETMV4I;
		library_packets(&c, &want);
		t = tree_of(&c, false, full ? OCSD_CREATE_FLG_FULL_DECODER : OCSD_CREATE_FLG_PACKET_PROC);
		if (full) {
			r.out = &p.elements;
			r.tid = first_thread(&c);
			assert_int_equal(ocsd_dt_attach_packet_callback(t, (unsigned char)c.regs.traceidr,
									OCSD_C_API_CB_PKT_SINK,
									(void *)on_packet_sink, &p),
					 OCSD_ERR_INVALID_PARAM_TYPE);
			assert_int_equal(ocsd_dt_attach_packet_callback(t, (unsigned char)c.regs.traceidr,
									OCSD_C_API_CB_PKT_MON,
									(void *)on_packet_mon, &p), OCSD_OK);
			ocsd_dt_set_gen_elem_outfn(t, on_element, &r);
			ocsd_dt_add_callback_trcid_mem_acc(t, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, on_memory, &r);
		} else {
			assert_int_equal(ocsd_dt_attach_packet_callback(t, (unsigned char)c.regs.traceidr,
									OCSD_C_API_CB_PKT_SINK,
									(void *)on_packet_sink, &p), OCSD_OK);
		}
		while (at < c.len) {
			resp = ocsd_dt_process_data(t, OCSD_OP_DATA, (ocsd_trc_index_t)at, (uint32_t)(c.len - at),
						    c.trace + at, &used);
			at += used;
			while (OCSD_DATA_RESP_IS_WAIT(resp))
				resp = ocsd_dt_process_data(t, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
			assert_true(resp < OCSD_RESP_FATAL_NOT_INIT);
		}
		do
			resp = ocsd_dt_process_data(t, OCSD_OP_EOT, 0, 0, NULL, NULL);
		while (OCSD_DATA_RESP_IS_WAIT(resp));
		assert_int_equal(full ? p.mon_ops : p.sink_ops, 1);
		compare_lines(seed, full ? "packet monitor" : "packet sink", &want, &p.seen);
		if (full) {
			struct lines pulled = { NULL, 0, 0 };
			struct run again = { .c = &c, .rng = seed };

			pull(&again, false, &pulled);
			compare_lines(seed, "elements beside a monitor", &pulled, &p.elements);
			free_lines(&pulled);
		}
		ocsd_destroy_dcd_tree(t);
		free_lines(&want);
		free_lines(&p.seen);
		free_lines(&p.elements);
		gen_case_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_push_is_pull),
		cmocka_unit_test(test_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
