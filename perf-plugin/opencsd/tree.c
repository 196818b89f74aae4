/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - decode trees, their decoders and what a client attaches to them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "custom.h"
#include "internal.h"

/*
 * Handles are looked up here: a client that uses one after it was destroyed gets an error, not a crash.
 * A tree is for one thread at a time; other threads may have, make and destroy trees of their own.
 */
static struct ocsd_tree *trees;
static pthread_mutex_t trees_lock = PTHREAD_MUTEX_INITIALIZER;
_Atomic(struct ocsd_tree *) tree_recent;

struct ocsd_tree *tree_search(const void *handle)
{
	struct ocsd_tree *t;

	pthread_mutex_lock(&trees_lock);
	for (t = trees; t && t != handle; t = t->next)
		;
	if (t)
		atomic_store_explicit(&tree_recent, t, memory_order_release);
	pthread_mutex_unlock(&trees_lock);
	return t;
}

/* A tree of a single source ignores the ID, as the reference does: clients pass 0. */
struct source *tree_source(struct ocsd_tree *t, unsigned int id)
{
	if (t->single)
		return t->nr_all ? t->all[0] : NULL;
	return id < 128 ? t->src[id] : NULL;
}

ocsd_err_t err_of(int err)
{
	switch (-err) {
	case CST_ERR_NOMEM:
		return OCSD_ERR_MEM;
	case CST_ERR_INVAL:
		return OCSD_ERR_INVALID_PARAM_VAL;
	case CST_ERR_UNSUP:
	case CST_ERR_VERSION:
		return OCSD_ERR_HW_CFG_UNSUPP;
	case CST_ERR_PROTOCOL:
		return OCSD_ERR_NO_PROTOCOL;
	}
	return OCSD_ERR_FAIL;
}

unsigned int tree_frame_flags(const struct ocsd_tree *t)
{
	unsigned int f = 0, flags = t->flags;

	if (flags & OCSD_DFRMTR_HAS_FSYNCS)
		f |= CST_FRAME_FSYNC;
	if (flags & OCSD_DFRMTR_HAS_HSYNCS)
		f |= CST_FRAME_FSYNC | CST_FRAME_HSYNC;
	if (flags & OCSD_DFRMTR_RESET_ON_4X_FSYNC)
		f |= CST_FRAME_RESET_4X;
	return f;
}

static dcd_tree_handle_t no_tree(ocsd_err_t err)
{
	err_last(err);
	return C_API_INVALID_TREE_HANDLE;
}

OCSD_EXPORT dcd_tree_handle_t ocsd_create_dcd_tree(const ocsd_dcd_tree_src_t src_type,
						   const uint32_t flags)
{
	struct ocsd_tree *t;

	if (src_type == OCSD_TRC_SRC_FRAME_FORMATTED &&
	    (!flags || flags & ~(uint32_t)OCSD_DFRMTR_VALID_MASK ||
	     (flags & OCSD_DFRMTR_FRAME_MEM_ALIGN &&
	      flags & (OCSD_DFRMTR_HAS_FSYNCS | OCSD_DFRMTR_HAS_HSYNCS))))
		return no_tree(OCSD_ERR_INVALID_PARAM_VAL);
	t = calloc(1, sizeof(*t));
	if (!t)
		return no_tree(OCSD_ERR_MEM);
	t->single = src_type == OCSD_TRC_SRC_SINGLE;
	t->flags = flags;
	t->in.barrier = UINT64_MAX;
	level_begin(t);
	if (cst_tree_new(&t->tree, t->single ? CST_TREE_RAW : CST_TREE_FRAMES,
			 t->single ? 0 : tree_frame_flags(t))) {
		free(t);
		return no_tree(OCSD_ERR_MEM);
	}
	pthread_mutex_lock(&trees_lock);
	t->next = trees;
	trees = t;
	pthread_mutex_unlock(&trees_lock);
	return t;
}

static void source_free(struct source *s)
{
	custom_destroy(s);
	free(s);
}

OCSD_EXPORT void ocsd_destroy_dcd_tree(const dcd_tree_handle_t handle)
{
	struct ocsd_tree *t = tree_get(handle), **link = &trees;
	unsigned int i;

	if (!t || t->busy)
		return;
	pthread_mutex_lock(&trees_lock);
	while (*link != t)
		link = &(*link)->next;
	*link = t->next;
	if (atomic_load_explicit(&tree_recent, memory_order_relaxed) == t)
		atomic_store_explicit(&tree_recent, NULL, memory_order_release);
	pthread_mutex_unlock(&trees_lock);
	for (i = 0; i < t->nr_all; i++)
		source_free(t->all[i]);
	log_forget(t);
	cst_tree_free(t->tree);
	custom_path_free(t);
	free(t->print.frames);
	memory_free(t);
	free(t);
}

OCSD_EXPORT ocsd_err_t ocsd_dt_set_gen_elem_outfn(const dcd_tree_handle_t handle, FnTraceElemIn fn,
						  const void *ctx)
{
	struct ocsd_tree *t = tree_get(handle);

	if (!t)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	t->listen.out = fn;
	t->listen.out_ctx = ctx;
	t->print.elements = false;
	return OCSD_OK;
}

/*
 * A client that knows no ID registers passes zeros (llvm-profgen). TRCIDR1 then stands for the newest version, whose
 * packets are those of all: function returns of Armv8-M came with 4.2.
 */
#define IDR1_NEWEST 0x460

static enum cst_profile profile_of(ocsd_core_profile_t core)
{
	return core == profile_CortexM ? CST_PROFILE_M :
	       core == profile_CortexR ? CST_PROFILE_R : CST_PROFILE_A;
}

static int config_etmv4(struct cst_config *cfg, const ocsd_etmv4_cfg *c)
{
	const struct cst_etmv4_regs regs = {
		.configr = c->reg_configr, .traceidr = c->reg_traceidr & 0x7f,
		.idr0 = c->reg_idr0, .idr1 = c->reg_idr1 ? c->reg_idr1 : IDR1_NEWEST, .idr2 = c->reg_idr2,
		.idr8 = c->reg_idr8, .idr9 = c->reg_idr9, .idr10 = c->reg_idr10,
		.idr11 = c->reg_idr11, .idr12 = c->reg_idr12, .idr13 = c->reg_idr13,
	};

	return cst_config_etmv4(cfg, &regs, 0, profile_of(c->core_prof));
}

/* TRCDEVARCH.ARCHVER is 5 or more, or not known. Metadata of phones has ETE blocks for ETMv4 units. */
#define ARCHVER_ETE 5

static int config_ete(struct cst_config *cfg, const ocsd_ete_cfg *c)
{
	uint32_t archver = c->reg_devarch >> 12 & 0xf, revision = c->reg_devarch >> 16 & 0xf;
	int ete = !c->reg_devarch || archver >= ARCHVER_ETE;
	const struct cst_etmv4_regs regs = {
		.configr = c->reg_configr, .traceidr = c->reg_traceidr & 0x7f,
		.idr0 = c->reg_idr0, .idr1 = archver << 8 | revision << 4, .idr2 = c->reg_idr2,
		.idr8 = c->reg_idr8, .devarch = ete ? c->reg_devarch : 0,
	};

	return cst_config_etmv4(cfg, &regs, ete, CST_PROFILE_A);
}

static int config_etmv3(struct cst_config *cfg, const ocsd_etmv3_cfg *c)
{
	const struct cst_etmv3_regs regs = { .cr = c->reg_ctrl,
					     .ccer = c->reg_ccer,
					     .idr = c->reg_idr,
					     .traceidr = c->reg_trc_id & 0x7f };

	return cst_config_etmv3(cfg, &regs, profile_of(c->core_prof));
}

static int config_ptm(struct cst_config *cfg, const ocsd_ptm_cfg *c)
{
	const struct cst_etmv3_regs regs = { .cr = c->reg_ctrl,
					     .ccer = c->reg_ccer,
					     .idr = c->reg_idr,
					     .traceidr = c->reg_trc_id & 0x7f };

	return cst_config_ptm(cfg, &regs);
}

static int config_stm(struct cst_config *cfg, const ocsd_stm_cfg *c)
{
	const struct cst_stm_regs regs = { .tcsr = c->reg_tcsr, .feat1r = c->reg_feat1r, .feat3r = c->reg_feat3r,
					   .devid = c->reg_devid };

	return cst_config_stm(cfg, &regs);
}

static int config_itm(struct cst_config *cfg, const ocsd_itm_cfg *c)
{
	const struct cst_itm_regs regs = { .tcr = c->reg_tcr };
	int err = cst_config_itm(cfg, &regs);

	/* the interface promises data from the first synchronisation packet on */
	cfg->itm_sync = CST_ITM_SYNC_PACKET;
	return err;
}

static int configure(struct cst_config *cfg, unsigned int protocol, const void *config)
{
	switch (protocol) {
	case OCSD_PROTOCOL_ETE:
		return config_ete(cfg, config);
	case OCSD_PROTOCOL_ETMV4I:
		return config_etmv4(cfg, config);
	case OCSD_PROTOCOL_ETMV3:
		return config_etmv3(cfg, config);
	case OCSD_PROTOCOL_PTM:
		return config_ptm(cfg, config);
	case OCSD_PROTOCOL_STM:
		return config_stm(cfg, config);
	case OCSD_PROTOCOL_ITM:
		return config_itm(cfg, config);
	}
	return -CST_ERR_PROTOCOL;
}

/* Decoders that OpenCSD has. ETMV4D has a name there, and nothing behind it. */
static const struct builtin {
	const char *name;
	unsigned int protocol;		/* ocsd_trace_protocol_t */
} builtins[] = {
	{ OCSD_BUILTIN_DCD_ETMV4I, OCSD_PROTOCOL_ETMV4I },
	{ OCSD_BUILTIN_DCD_ETE, OCSD_PROTOCOL_ETE },
	{ OCSD_BUILTIN_DCD_ETMV3, OCSD_PROTOCOL_ETMV3 },
	{ OCSD_BUILTIN_DCD_PTM, OCSD_PROTOCOL_PTM },
	{ OCSD_BUILTIN_DCD_STM, OCSD_PROTOCOL_STM },
	{ OCSD_BUILTIN_DCD_ETMV4D, OCSD_PROTOCOL_ETMV4D },
	{ OCSD_BUILTIN_DCD_ITM, OCSD_PROTOCOL_ITM },
};

static const struct builtin *find_builtin(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (!strcmp(name, builtins[i].name))
			return &builtins[i];
	return NULL;
}

const char *tree_protocol_name(const struct source *s)
{
	unsigned int i;

	/* packets of ETE are made by what makes those of ETMv4, which is the first row */
	for (i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (builtins[i].protocol == (unsigned int)s->protocol &&
		    s->protocol != OCSD_PROTOCOL_ETE)
			return builtins[i].name;
	return builtins[0].name;
}

bool builtin_name(const char *name)
{
	return find_builtin(name) != NULL;
}

/* Puts a new source into the tree; its ID must be free. */
static ocsd_err_t attach(struct ocsd_tree *t, struct source *s)
{
	if (t->single ? t->nr_all != 0 : s->id < 128 && t->src[s->id] != NULL)
		return OCSD_ERR_ATTACH_TOO_MANY;
	if (!t->single && !OCSD_IS_VALID_CS_SRC_ID(s->id))
		return OCSD_ERR_INVALID_ID;
	if (!t->single)
		t->src[s->id] = s;
	t->all[t->nr_all++] = s;
	return OCSD_OK;
}

static void detach(struct ocsd_tree *t, const struct source *s)
{
	unsigned int i;

	for (i = 0; t->all[i] != s; i++)
		;
	t->all[i] = t->all[--t->nr_all];
	if (!t->single)
		t->src[s->id] = NULL;
	tree_listeners(t);
}

/*
 * Applies flags that change decoding. Policies for bad packets are applied where packets and elements are delivered. A
 * flag that only 1.8 has shows that the client was built for 1.8, and supports reports of bad images.
 */
static void apply_flags(struct cst_config *cfg, unsigned int flags)
{
	cfg->split_source = !!(flags & ETE_OPFLG_PKTDEC_SRCADDR_N_ATOMS);
	cfg->checks = (flags & OCSD_OPFLG_N_UNCOND_DIR_BR_CHK ? CST_CHECK_N_DIRECT : 0) |
		      (flags & OCSD_OPFLG_STRICT_N_UNCOND_BR_CHK ? CST_CHECK_N_ANY : 0) |
		      (flags & OCSD_OPFLG_N_UNCOND_CHK_NO_THUMB ? CST_CHECK_N_NOT_T32 : 0) |
		      (flags & OCSD_OPFLG_CHK_RANGE_CONTINUE ? CST_CHECK_CONTINUE : 0) |
		      (flags & ETM4_OPFLG_PKTDEC_AA64_OPCODE_CHK ? CST_CHECK_UNDEFINED : 0);
}

static ocsd_err_t add_builtin(struct ocsd_tree *t, const struct builtin *b, const void *config,
			      struct source *s)
{
	static const struct cst_generic nothing;
	struct cst_config cfg = { 0 };
	ocsd_err_t ret;
	int err;

	err = configure(&cfg, b->protocol, config);
	/*
	 * The reference refuses no registers, which clients may know in part. What is switched on and, by the ID
	 * registers, not there is not decoded.
	 */
	if (err && err != -CST_ERR_UNSUP && err != -CST_ERR_VERSION)
		return err_of(err);
	/* elements of transactions are delivered, and the client handles their failure */
	cfg.hold_transactions = 0;
	/* ETMv3: as its clients expect them, each with its own cycles */
	cfg.insn_ranges = 1;
	apply_flags(&cfg, s->flags);
	s->protocol = (ocsd_trace_protocol_t)b->protocol;
	if (b->protocol == OCSD_PROTOCOL_ITM)
		level_sign(t, CLIENT_1_8);
	s->id = cfg.trace_id;
	ret = attach(t, s);
	if (ret)
		return ret;
	err = cst_tree_add(t->tree, &cfg, &s->dec);
	if (err) {
		detach(t, s);
		return err_of(err);
	}
	cst_decoder_set_cookie(s->dec, s);
	cst_decoder_set_stop(s->dec, CST_STOP_CONTEXT | CST_STOP_SECTION);
	packet_reset(&s->client.pkt, cst_decoder_config(s->dec));
	element_context(s, &nothing);
	return OCSD_OK;
}

OCSD_EXPORT ocsd_err_t ocsd_dt_create_decoder(const dcd_tree_handle_t handle, const char *name,
					      const int flags, const void *config, unsigned char *id)
{
	struct ocsd_tree *t = tree_get(handle);
	const struct builtin *b;
	struct source *s;
	ocsd_err_t err;

	if (!t || t->busy || !name || !config)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	if (!(flags & (OCSD_CREATE_FLG_PACKET_PROC | OCSD_CREATE_FLG_FULL_DECODER)))
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_last(OCSD_ERR_MEM);
	s->tree = t;
	s->packets_only = !(flags & OCSD_CREATE_FLG_FULL_DECODER);
	s->flags = (unsigned int)flags;
	if (s->flags & FLG_1_8)
		level_sign(t, CLIENT_1_8);
	b = find_builtin(name);
	if (b) {
		err = add_builtin(t, b, config, s);
	} else {
		err = custom_create(t, s, name, flags, config);
		if (!err) {
			err = attach(t, s);
			if (err)
				custom_destroy(s);
		}
	}
	if (err) {
		free(s);
		return err_last(err);
	}
	if (id)
		*id = s->id;
	tree_listeners(t);
	return OCSD_OK;
}

OCSD_EXPORT ocsd_err_t ocsd_dt_remove_decoder(const dcd_tree_handle_t handle, const unsigned char id)
{
	struct ocsd_tree *t = tree_get(handle);
	struct source *s = t ? tree_source(t, id) : NULL;

	if (!t || t->busy)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	if (!s)
		return err_last(OCSD_ERR_INVALID_ID);
	tree_drop(t, s);
	if (s->dec)
		cst_tree_remove(t->tree, s->dec);
	memory_drop(t, s);
	detach(t, s);
	source_free(s);
	return OCSD_OK;
}

/* There is one sink and one monitor, a callback or a printer: what is attached last replaces what was. */
OCSD_EXPORT ocsd_err_t ocsd_dt_attach_packet_callback(const dcd_tree_handle_t handle,
						      const unsigned char id,
						      const ocsd_c_api_cb_types type, void *fn,
						      const void *ctx)
{
	struct ocsd_tree *t = tree_get(handle);
	struct source *s = t ? tree_source(t, id) : NULL;

	if (!t || !fn)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	if (!s)
		return err_last(OCSD_ERR_INVALID_ID);
	switch (type) {
	case OCSD_C_API_CB_PKT_SINK:
		/* a full decoder has its own decoder as sink */
		if (!s->packets_only)
			return err_last(OCSD_ERR_INVALID_PARAM_TYPE);
		s->packets.sink = (FnDefPktDataIn)fn;
		s->packets.sink_ctx = ctx;
		s->packets.print_sink = false;
		break;
	case OCSD_C_API_CB_PKT_MON:
		s->packets.mon = (FnDefPktDataMon)fn;
		s->packets.mon_ctx = ctx;
		s->packets.print_mon = false;
		break;
	default:
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	}
	tree_listeners(t);
	custom_update(s);
	return OCSD_OK;
}

OCSD_EXPORT ocsd_err_t ocsd_dt_set_pkt_protocol_printer(const dcd_tree_handle_t handle, uint8_t id,
							int monitor)
{
	struct ocsd_tree *t = tree_get(handle);
	struct source *s = t ? tree_source(t, id) : NULL;

	if (!t)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	if (!s)
		return err_last(OCSD_ERR_INVALID_ID);
	if (!monitor && !s->packets_only)
		return err_last(OCSD_ERR_INVALID_PARAM_TYPE);
	if (monitor) {
		s->packets.mon = NULL;
		s->packets.print_mon = true;
	} else {
		s->packets.sink = NULL;
		s->packets.print_sink = true;
	}
	tree_listeners(t);
	custom_update(s);
	return OCSD_OK;
}

OCSD_EXPORT ocsd_err_t ocsd_dt_set_gen_elem_printer(const dcd_tree_handle_t handle)
{
	struct ocsd_tree *t = tree_get(handle);

	if (!t)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	t->print.elements = true;
	t->listen.out = NULL;
	return OCSD_OK;
}
