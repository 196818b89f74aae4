/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd_refused.c - clients of the OpenCSD interface, each run with one allocation refused, whichever it is, or
 * with that one and all later ones: either a call returns OCSD_ERR_MEM, or elements, packets and lines are the same as with
 * enough memory. Those delivered before an error are a prefix of these. A client that repeats the call that failed gets
 * all of them. The sanitized build shows that destroying the tree frees everything.
 *
 * Linked with $(WRAP_ALLOC), and for cst_image_new().
 */
#include "unit/perf-plugin/opencsd_lines.h"

#include <cstrace/image.h>
#include <opencsd/c_api/opencsd_c_api.h>

#include "unit/perf-plugin/opencsd_trace.h"

static struct {
	size_t which;		/* allocation that is refused, from 1; 0: none */
	bool others;		/* and all that follow */
	size_t asked, refused;
	bool tests_own;		/* these are not counted and not refused */
} memory;

static bool alloc_refused(size_t n)
{
	(void)n;
	if (memory.tests_own || !memory.which)
		return false;
	if (++memory.asked != memory.which && !(memory.others && memory.asked > memory.which))
		return false;
	memory.refused++;
	return true;
}

#include "fault/wrap_alloc.h"

/* Little memory for decoded code: a sanitizer marks all of it, in each of some thousand runs. */
int __real_cst_image_new(struct cst_image **out, size_t cache_limit);
int __wrap_cst_image_new(struct cst_image **out, size_t cache_limit);
int __wrap_cst_image_new(struct cst_image **out, size_t cache_limit)
{
	return __real_cst_image_new(out, cache_limit >> 7);
}

/* ---- what a client gets ---- */

struct client {
	bool again;		/* repeats a call that failed */
	bool fatal;		/* the last buffer of trace was not decoded to its end */
	dcd_tree_handle_t tree;
	struct lines got;	/* elements, packets, printed lines */
	unsigned int ranges;	/* the client waits at each third */
	uint32_t thread;
};

static void add(struct client *c, uint64_t index, unsigned int id, const char *text)
{
	memory.tests_own = true;
	add_line(&c->got, index, id, text);
	memory.tests_own = false;
}

static ocsd_datapath_resp_t on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	struct client *c = (struct client *)(uintptr_t)ctx;
	char text[512];

	assert_int_equal(ocsd_gen_elem_str(e, text, sizeof(text)), OCSD_OK);
	add(c, index, id, text);
	if (e->elem_type == OCSD_GEN_TRC_ELEM_PE_CONTEXT)
		c->thread = e->context.context_id;
	return e->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE && ++c->ranges % 3 == 0 ? OCSD_RESP_WAIT : OCSD_RESP_CONT;
}

static void on_print(const void *ctx, const char *text, const int len)
{
	assert_int_equal(strlen(text), len);
	add((struct client *)(uintptr_t)ctx, 0, 0, text);
}

/* Pages whose contents differ by address, and by thread, odd or even; an atom leads to the next one. */
static uint32_t code_at(uint64_t addr, bool odd)
{
	if (addr % 4096 == 4092)
		return (uint32_t)addr;
	return odd ? (addr & 4 ? B(1023) : NOP) : B(1024);
}

/* The last page is missing. */
static uint32_t on_memory(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space, const uint8_t id,
			  const uint32_t len, uint8_t *buf)
{
	const struct client *c = ctx;
	uint32_t i, word;

	(void)space;
	(void)id;
	if (addr < 0x400000 || addr >= 0x40f000)
		return 0;
	assert_int_equal(len % 4, 0);
	for (i = 0; i < len; i += 4) {
		word = code_at(addr + i, c->thread & 1);
		memcpy(buf + i, &word, 4);
	}
	return len;
}

/* ---- calls ---- */

/* Sets the last error to one that no call of the clients returns: ocsd_get_last_err() then shows whether a call set one. */
static void no_error(void)
{
	char text[8] = "";

	assert_int_equal(ocsd_pkt_str(OCSD_PROTOCOL_ETMV4D, text, text, sizeof(text)), OCSD_ERR_NO_PROTOCOL);
}

static ocsd_err_t last_error(void)
{
	ocsd_err_t err = ocsd_get_last_err(NULL, NULL, NULL, 0);

	return err == OCSD_ERR_NO_PROTOCOL ? OCSD_OK : err;
}

static bool done(ocsd_err_t err)
{
	if (!err)
		return true;
	assert_int_equal(err, OCSD_ERR_MEM);
	assert_int_equal(last_error(), OCSD_ERR_MEM);
	assert_true(memory.refused > 0);
	return false;
}

/* True if the call succeeds, at the second attempt with client.again. */
#define CALL(c, call) (done(call) || ((c)->again && done(call)))

#define FULL OCSD_CREATE_FLG_FULL_DECODER
#define PACKETS OCSD_CREATE_FLG_PACKET_PROC

static ocsd_err_t create(struct client *c, const char *name, int flags, const void *cfg)
{
	return ocsd_dt_create_decoder(c->tree, name, flags, cfg, NULL);
}

static ocsd_err_t make_tree(struct client *c, ocsd_dcd_tree_src_t source, uint32_t flags)
{
	no_error();
	c->tree = ocsd_create_dcd_tree(source, flags);
	assert_int_equal(c->tree == C_API_INVALID_TREE_HANDLE, last_error() != OCSD_OK);
	return last_error();
}

/* Trees: frames with barriers between buffers, as the kernel writes them; one source. */
#define FRAMES OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN | OCSD_DFRMTR_RESET_ON_4X_FSYNC
#define SINGLE OCSD_TRC_SRC_SINGLE, 0

/* Makes one call of the data path, and flushes while the client waits. Returns false after a fatal response. */
static bool process(struct client *c, ocsd_datapath_op_t op, uint32_t at, uint32_t n, const uint8_t *p, uint32_t *used)
{
	ocsd_datapath_resp_t r = ocsd_dt_process_data(c->tree, op, at, n, p, used);

	while (OCSD_DATA_RESP_IS_WAIT(r)) {
		assert_int_equal(r, OCSD_RESP_WAIT);
		r = ocsd_dt_process_data(c->tree, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
	}
	c->fatal = OCSD_DATA_RESP_IS_FATAL(r);
	assert_true(r == OCSD_RESP_CONT || r == (c->fatal ? OCSD_RESP_FATAL_SYS_ERR : OCSD_RESP_ERR_CONT));
	assert_true(r == OCSD_RESP_CONT || last_error() == OCSD_ERR_MEM);
	return !c->fatal;
}

/*
 * Decodes a buffer in pieces of `piece` bytes, from a reset to the end of trace; drops the lines of an earlier attempt.
 * Returns the last error. The response alone is not enough: OCSD_RESP_WAIT replaces OCSD_RESP_ERR_CONT.
 */
static ocsd_err_t feed(struct client *c, const uint8_t *p, uint32_t n, uint32_t piece)
{
	uint32_t at = 0, used;
	bool goes_on;

	free_lines(&c->got);
	c->ranges = 0;
	c->thread = 0;
	no_error();
	goes_on = process(c, OCSD_OP_RESET, 0, 0, NULL, NULL);
	for (; goes_on && at < n; at += used)
		goes_on = process(c, OCSD_OP_DATA, at, piece < n - at ? piece : n - at, p + at, &used);
	if (goes_on)
		process(c, OCSD_OP_EOT, 0, 0, NULL, NULL);
	return last_error();
}

/* Sends printed lines to the client. Errors are not logged, since their lines are not compared. */
static bool printed(struct client *c)
{
	return CALL(c, ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 1)) && CALL(c, ocsd_def_errlog_config_output(0, NULL)) &&
	       CALL(c, ocsd_def_errlog_set_strprint_cb(c->tree, c, on_print));
}

/* ---- each allocation of a client ---- */

/* True if no call failed. */
typedef bool client_fn(struct client *c);

/* Ends the trace after an error. No range may be delivered: the input that was not decoded has been dropped. */
static void end(struct client *c)
{
	const size_t n = c->got.n;

	assert_false(OCSD_DATA_RESP_IS_FATAL(ocsd_dt_process_data(c->tree, OCSD_OP_EOT, 0, 0, NULL, NULL)));
	while (c->got.n > n) {
		c->got.n--;
		assert_null(strstr(c->got.v[c->got.n], "RANGE("));
		free(c->got.v[c->got.n]);
	}
}

/* Runs a client while another one has a tree, which must still work afterwards. */
static bool run(client_fn *client, struct client *c, size_t which, bool others, bool again)
{
	dcd_tree_handle_t other;
	bool ok;

	memset(c, 0, sizeof(*c));
	c->again = again;
	memset(&memory, 0, sizeof(memory));
	other = ocsd_create_dcd_tree(SINGLE);
	memory.which = which;
	memory.others = others;
	ok = client(c);
	memory.which = 0;
	if (c->tree && !ok)
		end(c);
	if (c->tree)
		ocsd_destroy_dcd_tree(c->tree);
	assert_int_equal(ocsd_dt_set_gen_elem_printer(other), OCSD_OK);
	ocsd_destroy_dcd_tree(other);
	return ok;
}

/*
 * Compares with the lines of a run without a refusal. Without an error they are the same. After an error they are a prefix
 * of them, or differ first at a NO_SYNC element.
 */
static void check(const struct lines *want, struct client *c, bool ok, size_t which)
{
	const struct lines *got = &c->got;
	bool right;
	size_t i;

	for (i = 0; i < want->n && i < got->n && !strcmp(want->v[i], got->v[i]); i++)
		;
	if (ok)
		right = i == want->n && i == got->n;
	else
		right = i < got->n ? strstr(got->v[i], "NO_SYNC") != NULL : c->fatal || !got->n;
	if (!right)
		fail_msg("allocation %zu, %s: line %zu of %zu:\n  wanted %s\n  got %s", which,
			 ok ? "no error" : "an error", i, want->n, i < want->n ? want->v[i] : "nothing",
			 i < got->n ? got->v[i] : "nothing");
	free_lines(&c->got);
}

/*
 * Refuses each allocation in turn; at least `errors` of them must cause an error. The run that repeats failed calls also
 * shows that the runs before it left the global state intact.
 */
static void refuse_each(client_fn *client, size_t errors)
{
	size_t which, refused, failed = 0;
	struct client c;
	struct lines want;
	bool ok;

	assert_true(run(client, &c, 0, false, false));
	want = c.got;
	assert_true(want.n > 0);
	for (which = refused = 1; refused; which++) {
		ok = run(client, &c, which, false, false);
		refused = memory.refused;
		failed += !ok;
		check(&want, &c, ok, which);
		ok = run(client, &c, which, true, false);
		check(&want, &c, ok, which);
		assert_true(run(client, &c, which, false, true));
		check(&want, &c, true, which);
	}
	print_message("%zu lines, %zu allocations, %zu errors\n", want.n, which - 2, failed);
	assert_true(failed >= errors);
	free_lines(&want);
}

/* ---- trace of frames ---- */

#define E4 E, E, E, E
#define E12 E4, E4, E4

static const uint8_t two_threads[] = {
	SYNC, A64_OF(0, 1), E12, A64_TO(0xf000), E, A64_OF(0, 2), E12, A64_SECURE_AT(0), E4, A64_OF(0, 1), E4,
};
static const uint8_t one_thread[] = { SYNC, A64_OF(0, 4), E4 };

/* Trace of two CPUs, a barrier, and that of the first one again. */
static uint8_t frames[16 * 40];
static uint32_t frames_len;

static void put_frames(unsigned int id, const uint8_t *p, size_t n)
{
	uint8_t bytes[IN_FRAME];
	size_t at, k;

	for (at = 0; at < n; at += k) {
		k = n - at < sizeof(bytes) ? n - at : sizeof(bytes);
		memset(bytes, E, sizeof(bytes));
		memcpy(bytes, p + at, k);
		assert_true(frames_len + 16 <= sizeof(frames));
		frame(frames + frames_len, id, bytes);
		frames_len += 16;
	}
}

static void put_barrier(void)
{
	static const uint8_t fsync[4] = { 0xff, 0xff, 0xff, 0x7f };
	unsigned int i;

	for (i = 0; i < 4; i++, frames_len += 4)
		memcpy(frames + frames_len, fsync, 4);
}

static int make_input(void **state)
{
	put_frames(0x10, two_threads, sizeof(two_threads));
	put_frames(0x11, one_thread, sizeof(one_thread));
	put_barrier();
	put_frames(0x10, one_thread, sizeof(one_thread));
	(void)state;
	return 0;
}

static ocsd_err_t create_etmv4(struct client *c, unsigned int id, int flags)
{
	const ocsd_etmv4_cfg cfg = {
		.reg_idr1 = 0x400, .reg_idr2 = 8 | 4 << 5, .reg_configr = 1 << 6, .reg_traceidr = id,
		.arch_ver = ARCH_V8, .core_prof = profile_CortexA,
	};

	return create(c, OCSD_BUILTIN_DCD_ETMV4I, flags, &cfg);
}

static ocsd_err_t add_memory(struct client *c)
{
	return ocsd_dt_add_callback_trcid_mem_acc(c->tree, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, on_memory, c);
}

/* ---- the clients ---- */

/* As perf decodes, with frames printed as well. */
static bool decodes(struct client *c)
{
	return CALL(c, make_tree(c, FRAMES)) && printed(c) &&
	       CALL(c, ocsd_dt_set_raw_frame_printer(c->tree, OCSD_DFRMTR_PACKED_RAW_OUT)) &&
	       CALL(c, create_etmv4(c, 0x10, FULL)) &&
	       CALL(c, create_etmv4(c, 0x11, FULL)) && CALL(c, add_memory(c)) &&
	       CALL(c, ocsd_dt_set_gen_elem_outfn(c->tree, on_element, c)) &&
	       CALL(c, feed(c, frames, frames_len, frames_len));
}

static void test_decodes(void **state)
{
	(void)state;
	refuse_each(decodes, 80);
}

/* Nops, a branch back to them. */
static const uint32_t loop[] = { NOP, NOP, NOP, B(-3) };

static ocsd_err_t add_loop(struct client *c, uint64_t addr)
{
	return ocsd_dt_add_buffer_mem_acc(c->tree, addr, OCSD_MEM_SPACE_N, (const uint8_t *)loop, sizeof(loop));
}

/* From a synchronisation on, `n` speculative branches, then their commit. */
static uint32_t put_branches(uint8_t *p, uint32_t n)
{
	static const uint8_t start[] = { SYNC, A64_AT(0) }, branch[] = { A64_TO(0), E };
	const uint8_t commit[] = { 0x2d, (uint8_t)(n | 0x80), (uint8_t)(n >> 7) };
	uint8_t *at = p;

	memcpy(at, start, sizeof(start));
	for (at += sizeof(start); n; n--, at += sizeof(branch))
		memcpy(at, branch, sizeof(branch));
	memcpy(at, commit, sizeof(commit));
	return (uint32_t)(at + sizeof(commit) - p);
}

/* The queue of uncommitted elements must grow; after the next synchronisation it need not. */
static bool speculates(struct client *c)
{
	const ocsd_etmv4_cfg cfg = {
		.reg_idr1 = 0x400, .reg_idr2 = 8, .reg_idr8 = 4000, .reg_traceidr = 0x10, .arch_ver = ARCH_V8,
		.core_prof = profile_CortexA,
	};
	static uint8_t trace[2000];
	uint32_t n = put_branches(trace, 300);

	n += put_branches(trace + n, 4);
	return CALL(c, make_tree(c, SINGLE)) && CALL(c, create(c, OCSD_BUILTIN_DCD_ETMV4I, FULL, &cfg)) &&
	       CALL(c, add_loop(c, 0x400000)) && CALL(c, ocsd_dt_set_gen_elem_outfn(c->tree, on_element, c)) &&
	       CALL(c, feed(c, trace, n, n));
}

static void test_speculates(void **state)
{
	(void)state;
	refuse_each(speculates, 10);
}

/* A decoder of the client, which needs memory itself: each byte is a packet and an element. */
struct bytes {
	const ocsd_extern_dcd_cb_fns *cb;
	int flags;
};

static void bytes_flags(const void *handle, const int flags)
{
	((struct bytes *)(uintptr_t)handle)->flags = flags;
}

static ocsd_datapath_resp_t bytes_data(const void *handle, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
				       const uint32_t size, const uint8_t *data, uint32_t *used)
{
	const struct bytes *b = handle;
	ocsd_generic_trace_elem e;

	if (op != OCSD_OP_DATA)
		return OCSD_RESP_CONT;
	assert_true(size > 0);
	*used = 1;
	if (b->flags & OCSD_CUST_DCD_PKT_CB_USE_MON)
		b->cb->fn_packet_mon(b->cb->lib_context, op, index, data, 1, data);
	memset(&e, 0, sizeof(e));
	ocsd_gen_elem_init(&e, OCSD_GEN_TRC_ELEM_CUSTOM);
	return b->cb->fn_gen_elem_out(b->cb->lib_context, index, 0x10, &e);
}

static ocsd_err_t bytes_create(const int flags, const void *cfg, const ocsd_extern_dcd_cb_fns *cb,
			       ocsd_extern_dcd_inst_t *inst)
{
	struct bytes *b = calloc(1, sizeof(*b));

	(void)flags;
	(void)cfg;
	if (!b)
		return OCSD_ERR_MEM;
	b->cb = cb;
	inst->fn_data_in = bytes_data;
	inst->fn_update_pkt_mon = bytes_flags;
	inst->decoder_handle = b;
	return OCSD_OK;
}

static ocsd_err_t bytes_destroy(const void *handle)
{
	free((void *)(uintptr_t)handle);
	return OCSD_OK;
}

static ocsd_err_t bytes_id(const void *cfg, unsigned char *id)
{
	*id = *(const unsigned char *)cfg;
	return OCSD_OK;
}

static ocsd_err_t bytes_text(const void *pkt, char *buf, const int size)
{
	snprintf(buf, (size_t)size, "byte %02x", *(const uint8_t *)pkt);
	return OCSD_OK;
}

/* Its own decoder for one source, and the library's for the other. */
static bool has_decoder(struct client *c)
{
	ocsd_extern_dcd_fact_t fact = { bytes_create, bytes_destroy, bytes_id, bytes_text, OCSD_PROTOCOL_UNKNOWN };
	const unsigned char id = 0x10;

	ocsd_deregister_decoders();
	return CALL(c, ocsd_register_custom_decoder("bytes", &fact)) && CALL(c, make_tree(c, FRAMES)) && printed(c) &&
	       CALL(c, create_etmv4(c, 0x11, PACKETS)) && CALL(c, create(c, "bytes", FULL, &id)) &&
	       CALL(c, ocsd_dt_set_pkt_protocol_printer(c->tree, 0x10, 1)) &&
	       CALL(c, ocsd_dt_set_pkt_protocol_printer(c->tree, 0x11, 0)) &&
	       CALL(c, ocsd_dt_set_gen_elem_outfn(c->tree, on_element, c)) && CALL(c, feed(c, frames, frames_len, 48));
}

static void test_has_decoder(void **state)
{
	(void)state;
	refuse_each(has_decoder, 20);
	ocsd_deregister_decoders();
}

/* ---- more pages than are kept ---- */

enum { KEPT = 16384 };

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decodes),
		cmocka_unit_test(test_speculates),
		cmocka_unit_test(test_has_decoder),
	};

	return cmocka_run_group_tests(tests, make_input, NULL);
}
