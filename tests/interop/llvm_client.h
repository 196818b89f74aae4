/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * llvm_client.h - OpenCSD's C interface as llvm-profgen calls it (LLVM 23, llvm/lib/ProfileData/ETMTraceDecoder.cpp):
 * an ETMv4 of the M profile whose ID registers are not known, code as the segments of one file, an ITM, both in
 * frames with synchronisation packets; instruction ranges and addresses of data trace are what it takes. Beside it
 * the same trace decoded by the library, under the registers of the trace unit, and the traces to do it with.
 */
#ifndef CSTRACE_TESTS_INTEROP_LLVM_CLIENT_H
#define CSTRACE_TESTS_INTEROP_LLVM_CLIENT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cstrace/cstrace.h>
#include <opencsd/c_api/opencsd_c_api.h>

#include <frames.h>
#include <gen_case.h>
#include <itm_enc.h>

/* Of 1.8: not in 1.3.3's headers. */
#define LC_CHK_RANGE_CONTINUE	0x00001000
#define LC_ELEM_ITMTRACE	18
#define LC_UNION_AT		72	/* { uint32_t type; uint8_t source, size; uint32_t value; } */
#define LC_DWT			1

enum { LC_ITM_ID = 0x21, LC_INSNS = 1500, LC_REGIONS = 64, LC_PACKETS = 150, LC_TAIL = 2 };
enum lc_kind { LC_ETM, LC_ITM, LC_BOTH, LC_KINDS };

struct lc_case {
	struct gen_case etm;
	struct sw_trace itm;
	struct gbuf frames;
	struct { const uint8_t *p; size_t len; } trace[LC_KINDS];
	ocsd_file_mem_region_t region[LC_REGIONS];
	char path[64];		/* the program */
};

/*
 * What the client takes: ranges to their last byte; of data trace the value and its size. And what it passes over,
 * so that a comparison knows: addresses whose code the interface did not find.
 */
struct lc_item {
	uint64_t a, b;
	enum lc_item_kind { LC_RANGE, LC_DATA, LC_MISSING } kind;
};

struct lc_out {
	struct lc_item *v;
	size_t n, cap;
};

static inline void lc_fail(const char *what)
{
	fprintf(stderr, "llvm_client: %s\n", what);
	abort();
}

static inline void lc_check(bool ok, const char *what)
{
	if (!ok)
		lc_fail(what);
}

static inline void lc_put(struct lc_out *o, enum lc_item_kind kind, uint64_t a, uint64_t b)
{
	if (o->n == o->cap) {
		o->cap = o->cap ? 2 * o->cap : 1024;
		o->v = realloc(o->v, o->cap * sizeof(*o->v));
		lc_check(o->v != NULL, "out of memory");
	}
	o->v[o->n++] = (struct lc_item){ a, b, kind };
}

/* ---- traces ----------------------------------------------------------------------------------------------------- */

/*
 * T32 code in a trace unit that is programmed as its reset leaves it: what the registers would have to tell is not
 * in the trace. `v81`: with the loops and branch futures of Armv8.1-M, which 1.3.3 does not know.
 */
static inline void lc_etm(uint64_t seed, bool v81, struct gen_case *c)
{
	gen_case_opts(seed, (unsigned int)~(GEN_X_SYNC | GEN_X_FORMS | GEN_X_OVERFLOW | GEN_X_MPROFILE), c);
	c->tu.ia32 = c->tu.mprofile = 1;
	c->tu.cut_sync = 0;
	c->tu.p_soft = c->tu.p_fret = 0;
	c->tu.trace_id = 0x10;
	c->tu.wfxmode = 0;
	c->tu.cid = c->tu.vmid = c->tu.vmidopt = c->tu.vmid_is_tid = 0;
	c->prog.ia32 = 1;
	c->prog.mprofile = v81;
	c->prog.newest = c->prog.pauth = c->prog.tx = c->prog.reset = 0;
	c->prog.user_isas = 1 << FLOW_T32;
	c->prog.kernel_isa = FLOW_T32;
	c->prog.threads = 1;
	c->insns = LC_INSNS;
	gen_case_build(c);
}

static inline bool lc_overlap(const struct gen_case *c)
{
	size_t i, k;

	for (i = 0; i < c->nregions; i++)
		for (k = 0; k < i; k++)
			if (c->regions[i].va < c->regions[k].va + c->regions[k].len + LC_TAIL &&
			    c->regions[k].va < c->regions[i].va + c->regions[i].len + LC_TAIL)
				return true;
	return c->nregions > LC_REGIONS;
}

static inline void lc_both(struct lc_case *c, uint64_t seed)
{
	struct frames_opts o = { .seed = seed, .p_repeat = 50, .p_null = 20, .p_fsync = 100 };
	size_t e = 0, i = 0, k;
	struct frames f;
	struct rng rng;

	rng_seed(&rng, seed + 1);
	frames_init(&f, &o, &c->frames);
	frames_fsync(&f);
	while (e < c->etm.len || i < c->itm.out.len) {
		bool itm = i < c->itm.out.len && (e == c->etm.len || rng_below(&rng, 3) == 0);
		size_t *at = itm ? &i : &e, len = itm ? c->itm.out.len : c->etm.len;

		k = 1 + rng_below(&rng, 9);
		k = k < len - *at ? k : len - *at;
		frames_put(&f, itm ? LC_ITM_ID : (int)c->etm.regs.traceidr, (itm ? c->itm.out.p : c->etm.trace) + *at, k);
		*at += k;
	}
	frames_flush(&f);
}

/*
 * Segments one after the other, each at an offset that says nothing of its address. They go on a little after their
 * code: 1.3.3 wants four bytes of an instruction, also of two.
 */
static inline void lc_program(struct lc_case *c)
{
	static const uint8_t pad[16];
	uint64_t at = 0;
	size_t k;
	FILE *f;
	int fd;

	snprintf(c->path, sizeof(c->path), "/tmp/llvm-client-XXXXXX");
	fd = mkstemp(c->path);
	f = fd < 0 ? NULL : fdopen(fd, "wb");
	lc_check(f != NULL, "no temporary file");
	for (k = 0; k < c->etm.nregions; k++) {
		const struct prog_region *r = &c->etm.regions[k];
		size_t gap = 1 + (r->va >> 3) % sizeof(pad);

		lc_check(fwrite(pad, 1, gap, f) == gap && fwrite(r->bytes, 1, r->len, f) == r->len &&
			 fwrite(pad, 1, LC_TAIL, f) == LC_TAIL, "cannot write");
		c->region[k] = (ocsd_file_mem_region_t){
			.file_offset = at + gap, .start_address = r->va, .region_size = r->len + LC_TAIL
		};
		at += gap + r->len + LC_TAIL;
	}
	lc_check(!fclose(f), "cannot write");
}

static inline void lc_make(uint64_t seed, bool v81, struct lc_case *c)
{
	struct itm_enc e;
	unsigned int n;

	memset(c, 0, sizeof(*c));
	for (;; seed += 1000000) {
		lc_etm(seed, v81, &c->etm);
		if (!lc_overlap(&c->etm))
			break;
		gen_case_free(&c->etm);
	}
	itm_enc_init(&e, &c->itm, seed);
	itm_enc_sync(&e, 1);
	for (n = LC_PACKETS; n; n--)
		itm_enc_step(&e);
	lc_both(c, seed);
	lc_program(c);
	c->trace[LC_ETM].p = c->etm.trace;
	c->trace[LC_ETM].len = c->etm.len;
	c->trace[LC_ITM].p = c->itm.out.p;
	c->trace[LC_ITM].len = c->itm.out.len;
	c->trace[LC_BOTH].p = c->frames.p;
	c->trace[LC_BOTH].len = c->frames.len;
}

static inline void lc_free(struct lc_case *c)
{
	unlink(c->path);
	gbuf_free(&c->frames);
	sw_trace_free(&c->itm);
	gen_case_free(&c->etm);
}

/* ---- the client ------------------------------------------------------------------------------------------------- */

static inline ocsd_datapath_resp_t lc_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
					      const ocsd_generic_trace_elem *e)
{
	struct lc_out *o = (struct lc_out *)(uintptr_t)ctx;
	const unsigned char *u = (const unsigned char *)e + LC_UNION_AT;
	uint32_t type, value;

	(void)index, (void)id;
	if (e->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE && e->en_addr > e->st_addr)
		lc_put(o, LC_RANGE, e->st_addr, e->en_addr - 1);
	if (e->elem_type == OCSD_GEN_TRC_ELEM_ADDR_NACC)
		lc_put(o, LC_MISSING, e->st_addr, 0);
	if ((int)e->elem_type == LC_ELEM_ITMTRACE) {
		memcpy(&type, u, sizeof(type));
		memcpy(&value, u + 8, sizeof(value));
		if (type == LC_DWT)
			lc_put(o, LC_DATA, value, u[5]);
	}
	return OCSD_RESP_CONT;
}

/* NULL: the library refuses. */
static inline dcd_tree_handle_t lc_tree(const struct lc_case *c, enum lc_kind kind, struct lc_out *o)
{
	dcd_tree_handle_t t = kind == LC_BOTH ? ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_HAS_FSYNCS) :
			      ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	const uint32_t tcr = LC_ITM_ID << 16;
	ocsd_etmv4_cfg etm;
	unsigned char id;
	bool ok = t != C_API_INVALID_TREE_HANDLE;

	memset(&etm, 0, sizeof(etm));
	etm.arch_ver = ARCH_V8;
	etm.core_prof = profile_CortexM;
	etm.reg_traceidr = id = (unsigned char)c->etm.regs.traceidr;
	if (ok && kind != LC_ITM)
		ok = !ocsd_dt_create_decoder(t, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_FULL_DECODER |
					     LC_CHK_RANGE_CONTINUE, &etm, &id) &&
		     !ocsd_dt_add_binfile_region_mem_acc(t, c->region, (int)c->etm.nregions, OCSD_MEM_SPACE_ANY, c->path);
	id = LC_ITM_ID;
	if (ok && kind != LC_ETM)
		ok = !ocsd_dt_create_decoder(t, "ITM", OCSD_CREATE_FLG_FULL_DECODER |
					     OCSD_OPFLG_PKTPROC_UNSYNC_ON_BAD_PKTS, &tcr, &id);
	if (ok)
		ok = !ocsd_dt_set_gen_elem_outfn(t, lc_element, o);
	if (ok)
		return t;
	if (t != C_API_INVALID_TREE_HANDLE)
		ocsd_destroy_dcd_tree(t);
	return C_API_INVALID_TREE_HANDLE;
}

/* One trace; trees serve several, one after the other. False: a fatal answer. */
static inline bool lc_decode(dcd_tree_handle_t t, const uint8_t *p, size_t len)
{
	uint32_t done = 0, used;

	ocsd_dt_process_data(t, OCSD_OP_RESET, 0, 0, NULL, NULL);
	while (done < len) {
		ocsd_datapath_resp_t r;

		used = 0;
		r = ocsd_dt_process_data(t, OCSD_OP_DATA, done, (uint32_t)len - done, p + done, &used);
		if (r == OCSD_RESP_WAIT) {
			ocsd_dt_process_data(t, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
		} else if (!used) {
			done++;
			ocsd_dt_process_data(t, OCSD_OP_RESET, 0, 0, NULL, NULL);
		} else {
			done += used;
		}
		if (r >= OCSD_RESP_FATAL_INVALID_DATA)
			return false;
	}
	ocsd_dt_process_data(t, OCSD_OP_EOT, 0, 0, NULL, NULL);
	return true;
}

/* ---- the library ------------------------------------------------------------------------------------------------ */

static inline void lc_native_pull(struct cst_tree *t, struct lc_out *o)
{
	struct cst_generic out[64];
	int n, k;

	while ((n = cst_tree_pull(t, out, 64, NULL)))
		for (k = 0; k < n; k++)
			if (out[k].kind == CST_GEN_RANGE)
				lc_put(o, LC_RANGE, out[k].addr, out[k].end - 1);
			else if (out[k].kind == CST_GEN_NACC)
				lc_put(o, LC_MISSING, out[k].addr, 0);
			else if (out[k].kind == CST_GEN_ITMTRACE && out[k].last_type == CST_ITM_DWT)
				lc_put(o, LC_DATA, (uint32_t)out[k].payload, out[k].size);
}

static inline void lc_native(const struct lc_case *c, enum lc_kind kind, struct lc_out *o)
{
	const struct tu_regs *r = &c->etm.regs;
	const struct cst_etmv4_regs regs = { .configr = r->configr, .traceidr = r->traceidr, .idr0 = r->idr0,
					     .idr1 = r->idr1, .idr2 = r->idr2, .idr8 = r->idr8 };
	const struct cst_itm_regs tcr = { .tcr = LC_ITM_ID << 16 };
	struct cst_decoder *dec = NULL;
	struct cst_section *sec;
	struct cst_config cfg = { 0 };
	struct cst_image *img;
	struct cst_space *sp;
	struct cst_tree *t;
	size_t k;

	lc_check(!cst_image_new(&img, 1 << 20) && !cst_space_new(&sp, img), "no image");
	for (k = 0; k < c->etm.nregions; k++)
		lc_check(!cst_section_new(&sec, img, c->etm.regions[k].bytes, c->etm.regions[k].len, NULL) &&
			 !cst_space_map(sp, c->etm.regions[k].va, c->etm.regions[k].len, sec, 0), "no section");
	lc_check(!cst_tree_new(&t, kind == LC_BOTH ? CST_TREE_FRAMES : CST_TREE_RAW, kind == LC_BOTH ? CST_FRAME_FSYNC : 0),
		 "no tree");
	if (kind != LC_ITM) {
		lc_check(!cst_config_etmv4(&cfg, &regs, 0, CST_PROFILE_M) && !cst_tree_add(t, &cfg, &dec), "no decoder");
		cst_decoder_set_space(dec, sp);
	}
	if (kind != LC_ETM)
		lc_check(!cst_config_itm(&cfg, &tcr) && !cst_tree_add(t, &cfg, &dec), "no decoder");
	lc_check(!cst_tree_feed(t, c->trace[kind].p, c->trace[kind].len, 0), "not fed");
	lc_native_pull(t, o);
	cst_tree_end(t);
	lc_native_pull(t, o);
	cst_tree_free(t);
	cst_image_free(img);
}

#endif
