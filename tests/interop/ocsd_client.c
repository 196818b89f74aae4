/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocsd_client - a client of OpenCSD's C interface that nobody tailored to either library: it decodes the
 * buffers of a snapshot through every function of the interface and prints what it is told. Run with
 * one library and with the other, the two texts are compared.
 *
 *     ocsd_client SNAPSHOT MODE [WAIT]
 *
 * MODE elements: full decode, elements to a callback; packets: packets to a sink; monitor: full decode
 * with packets to a monitor; printers: the library prints packets; listing: it prints packets and
 * elements of the first buffer, as OpenCSD's lister does; calls: what every function answers,
 * without trace. WAIT: percentage of elements that are answered with WAIT.
 *
 * It is compiled with the headers of either level, and is a client of that level.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>
#include <opencsd/c_api/opencsd_c_api.h>

static const char *folder;
static unsigned int wait_percent;
static uint64_t rng = 1;
static const struct cst_snap_device *sources[128];	/* by trace ID */

static void die(const char *what, const char *name)
{
	fprintf(stderr, "ocsd_client: %s %s\n", what, name);
	exit(2);
}

static int open_file(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	char path[4096];
	struct stat st;
	int fd;

	(void)ctx;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		return -1;
	*len = (size_t)st.st_size;
	*data = st.st_size ? mmap(NULL, *len, PROT_READ, MAP_PRIVATE, fd, 0) : (const void *)"";
	close(fd);
	return *data == MAP_FAILED ? -1 : 0;
}

/* ---- callbacks ---- */

static ocsd_datapath_resp_t answer(void)
{
	rng = rng * 6364136223846793005ull + 1442695040888963407ull;
	return (rng >> 33) % 100 < wait_percent ? OCSD_RESP_WAIT : OCSD_RESP_CONT;
}

static ocsd_datapath_resp_t on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				       const ocsd_generic_trace_elem *e)
{
	char text[1024] = "";

	(void)ctx;
	ocsd_gen_elem_str(e, text, sizeof(text));
	printf("Idx:%u; ID:%x; %s\n", (unsigned int)index, id, text);
	return answer();
}

#define PROTOCOL_ITM 7	/* of 1.8 */

/* What a device's type begins with. */
static const struct kind {
	const char *type, *decoder;
	int protocol;
} kinds[] = {
	{ "ETE", OCSD_BUILTIN_DCD_ETE, OCSD_PROTOCOL_ETE }, { "ETM4", OCSD_BUILTIN_DCD_ETMV4I, OCSD_PROTOCOL_ETMV4I },
	{ "ETM3", OCSD_BUILTIN_DCD_ETMV3, OCSD_PROTOCOL_ETMV3 }, { "PTM", OCSD_BUILTIN_DCD_PTM, OCSD_PROTOCOL_PTM },
	{ "PFT", OCSD_BUILTIN_DCD_PTM, OCSD_PROTOCOL_PTM }, { "STM", OCSD_BUILTIN_DCD_STM, OCSD_PROTOCOL_STM },
	{ "ITM", "ITM", PROTOCOL_ITM },
};

static const struct kind *kind_of(const struct cst_snap_device *dev)
{
	size_t i;

	for (i = 0; dev && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncasecmp(dev->type, kinds[i].type, strlen(kinds[i].type)))
			return &kinds[i];
	return NULL;
}

static void print_packet(unsigned int id, unsigned int index, const void *pkt)
{
	const struct kind *kind = kind_of(sources[id]);
	char text[1024] = "";

	ocsd_pkt_str((ocsd_trace_protocol_t)(kind ? kind->protocol : 0), pkt, text, sizeof(text));
	printf("Idx:%u; ID:%x; %s\n", index, id, text);
}

static ocsd_datapath_resp_t on_packet(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
				      const void *pkt)
{
	unsigned int id = (unsigned int)(uintptr_t)ctx;

	if (op == OCSD_OP_DATA)
		print_packet(id, (unsigned int)index, pkt);
	else
		printf("ID:%x; operation %d\n", id, op);
	return answer();
}

static void on_monitor(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index,
		       const void *pkt, const uint32_t size, const uint8_t *data)
{
	unsigned int id = (unsigned int)(uintptr_t)ctx;
	uint32_t i;

	if (op != OCSD_OP_DATA) {
		printf("ID:%x; operation %d\n", id, op);
		return;
	}
	printf("[");
	for (i = 0; i < size; i++)
		printf("%02x ", data[i]);
	printf("] ");
	print_packet(id, (unsigned int)index, pkt);
}

static void on_string(const void *ctx, const char *text, const int len)
{
	(void)ctx;
	(void)len;
	fputs(text, stdout);
}

/* ---- memory: every kind of accessor has its turn ---- */

struct dump {
	uint64_t start, len;
	const uint8_t *bytes;
};

static uint32_t read_dump(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
			  const uint32_t want, uint8_t *buf)
{
	const struct dump *d = ctx;
	uint64_t left;

	(void)space;
	if (addr < d->start || addr - d->start >= d->len)
		return 0;
	left = d->len - (addr - d->start);
	left = left < want ? left : want;
	memcpy(buf, d->bytes + (addr - d->start), left);
	return (uint32_t)left;
}

static uint32_t read_dump_id(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
			     const uint8_t id, const uint32_t want, uint8_t *buf)
{
	(void)id;
	return read_dump(ctx, addr, space, want, buf);
}

static ocsd_mem_space_acc_t space_of(unsigned int space)
{
	/* 1.3 knows five spaces */
	space &= OCSD_MEM_SPACE_ANY;
	return space ? (ocsd_mem_space_acc_t)space : OCSD_MEM_SPACE_ANY;
}

static void add_dump(dcd_tree_handle_t tree, const struct cst_snap_dump *m, unsigned int turn)
{
	ocsd_mem_space_acc_t space = space_of(m->space);
	struct dump *d = malloc(sizeof(*d));
	ocsd_file_mem_region_t region;
	const uint8_t *file;
	char path[4096];
	ocsd_err_t err;
	size_t len;

	if (!d || open_file(NULL, m->file, &file, &len) || m->offset >= len) {
		free(d);
		return;
	}
	d->start = m->address;
	d->len = m->length && m->length < len - m->offset ? m->length : len - m->offset;
	d->bytes = file + m->offset;
	snprintf(path, sizeof(path), "%s/%s", folder, m->file);
	switch (turn % 5) {
	case 0:
		err = ocsd_dt_add_buffer_mem_acc(tree, d->start, space, d->bytes, (uint32_t)d->len);
		break;
	case 1:
		err = ocsd_dt_add_callback_mem_acc(tree, d->start, d->start + d->len - 1, space, read_dump, d);
		break;
	case 2:
		err = ocsd_dt_add_callback_trcid_mem_acc(tree, d->start, d->start + d->len - 1, space,
							 read_dump_id, d);
		break;
	case 3:
		if (!m->offset && d->len == len) {
			err = ocsd_dt_add_binfile_mem_acc(tree, d->start, space, path);
			break;
		}
		/* fall through */
	default:
		region.file_offset = m->offset;
		region.start_address = d->start;
		region.region_size = d->len;
		err = ocsd_dt_add_binfile_region_mem_acc(tree, &region, 1, space, path);
	}
	printf("memory 0x%" PRIx64 "+0x%" PRIx64 ": %d\n", d->start, d->len, err);
}

/* ---- one buffer ---- */

static uint32_t reg(const struct cst_snap_device *dev, const char *name)
{
	uint64_t v = 0;

	return cst_snap_reg(dev, name, &v) ? (uint32_t)v : 0;
}

/* Of a decoder: negative when it cannot be made. */
static int create(dcd_tree_handle_t tree, const struct cst_snap_device *dev, const struct kind *kind,
		  enum cst_profile p, int flags, unsigned char *id)
{
	ocsd_core_profile_t profile = p == CST_PROFILE_M ? profile_CortexM :
				      p == CST_PROFILE_R ? profile_CortexR : profile_CortexA;
	struct cst_etmv4_regs r = { 0 };
	union {
		ocsd_ete_cfg ete;
		ocsd_etmv4_cfg etmv4;
		ocsd_etmv3_cfg etmv3;
		ocsd_ptm_cfg ptm;
		ocsd_stm_cfg stm;
		uint32_t itm_tcr;
	} c;
	int ete;

	switch (kind->protocol) {
	case OCSD_PROTOCOL_ETE:
		if (cst_snap_etmv4(dev, &r, &ete, NULL, NULL))
			return -1;
		c.ete = (ocsd_ete_cfg){ r.idr0, r.idr1, r.idr2, r.idr8, r.devarch, r.configr, r.traceidr, ARCH_AA64,
					profile_CortexA };
		break;
	case OCSD_PROTOCOL_ETMV4I:
		if (cst_snap_etmv4(dev, &r, &ete, NULL, NULL))
			return -1;
		c.etmv4 = (ocsd_etmv4_cfg){ r.idr0, r.idr1, r.idr2, r.idr8, r.idr9, r.idr10, r.idr11, r.idr12, r.idr13,
					    r.configr, r.traceidr, ARCH_V8r3, profile };
		break;
	case OCSD_PROTOCOL_ETMV3:
		c.etmv3 = (ocsd_etmv3_cfg){ reg(dev, "ETMIDR"), reg(dev, "ETMCR"), reg(dev, "ETMCCER"),
					    reg(dev, "ETMTRACEIDR"), ARCH_V7, profile };
		break;
	case OCSD_PROTOCOL_PTM:
		c.ptm = (ocsd_ptm_cfg){ reg(dev, "ETMIDR"), reg(dev, "ETMCR"), reg(dev, "ETMCCER"),
					reg(dev, "ETMTRACEIDR"), ARCH_V7, profile };
		break;
	case OCSD_PROTOCOL_STM:
		c.stm = (ocsd_stm_cfg){ .reg_tcsr = reg(dev, "STMTCSR"), .hw_event = HwEvent_Unknown_Disabled };
		break;
	default:
		c.itm_tcr = reg(dev, "ITMTCR");
	}
	return ocsd_dt_create_decoder(tree, kind->decoder, flags, &c, id);
}

static bool add_source(dcd_tree_handle_t tree, const struct cst_snapshot *ss, const struct cst_snap_device *dev,
		       const char *mode)
{
	enum cst_profile p = cst_snap_profile(cst_snapshot_core(ss, dev));
	int err, flags = OCSD_CREATE_FLG_FULL_DECODER;
	const struct kind *kind = kind_of(dev);
	unsigned char id = 0;

	/* 1.3.3 has none for ITM: when asked to, what 1.8's clients get is listed */
	if (!kind || (kind->protocol == PROTOCOL_ITM && !getenv("OCSD_CLIENT_ITM")))
		return false;
	if (kind->protocol != OCSD_PROTOCOL_ETE && kind->protocol != OCSD_PROTOCOL_ETMV4I && !getenv("OCSD_CLIENT_ALL"))
		return false;
	if (!strcmp(mode, "packets") || !strcmp(mode, "printers"))
		flags = OCSD_CREATE_FLG_PACKET_PROC;
	err = create(tree, dev, kind, p, flags, &id);
	if (err < 0)
		return false;
	printf("decoder %s ID %x: %d\n", kind->decoder, id, err);
	if (err)
		return false;
	sources[id & 127] = dev;
	if (!strcmp(mode, "packets"))
		err = ocsd_dt_attach_packet_callback(tree, id, OCSD_C_API_CB_PKT_SINK, (void *)on_packet,
						     (void *)(uintptr_t)id);
	else if (!strcmp(mode, "monitor"))
		err = ocsd_dt_attach_packet_callback(tree, id, OCSD_C_API_CB_PKT_MON, (void *)on_monitor,
						     (void *)(uintptr_t)id);
	else if (!strcmp(mode, "printers") || !strcmp(mode, "listing"))
		err = ocsd_dt_set_pkt_protocol_printer(tree, id, !strcmp(mode, "listing"));
	if (err)
		printf("attach: %d\n", err);
	return true;
}

static void add_memory(dcd_tree_handle_t tree, const struct cst_snapshot *ss)
{
	unsigned int turn = 0;
	size_t i, k;

	for (i = 0; i < ss->n_devices; i++)
		for (k = 0; k < ss->devices[i].n_dumps; k++)
			add_dump(tree, &ss->devices[i].dumps[k], turn++);
}

static void run_data(dcd_tree_handle_t tree, const uint8_t *p, size_t len)
{
	ocsd_datapath_resp_t r = OCSD_RESP_CONT;
	uint32_t used, n;
	size_t at = 0;

	while (at < len) {
		n = len - at < 4096 ? (uint32_t)(len - at) : 4096;
		used = 0;
		r = ocsd_dt_process_data(tree, OCSD_OP_DATA, (ocsd_trc_index_t)at, n, p + at, &used);
		at += used;
		while (OCSD_DATA_RESP_IS_WAIT(r))
			r = ocsd_dt_process_data(tree, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
		if (OCSD_DATA_RESP_IS_FATAL(r)) {
			printf("fatal at %zu\n", at);
			break;
		}
	}
	do
		r = ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
	while (OCSD_DATA_RESP_IS_WAIT(r));
}

static void print_stats(dcd_tree_handle_t tree)
{
	ocsd_decode_stats_t *st;
	unsigned int id;

	for (id = 0; id < 128; id++) {
		if (!sources[id] || ocsd_dt_get_decode_stats(tree, (unsigned char)id, &st))
			continue;
		printf("ID %x: %" PRIu64 " bytes, %" PRIu64 " not synchronised; valid %" PRIu64 ", other IDs %" PRIu64
		       ", unknown %" PRIu64 "\n", id, st->channel_total, st->channel_unsynced,
		       st->demux.valid_id_bytes, st->demux.no_id_bytes, st->demux.unknown_id_bytes);
	}
}

static void run_buffer(const struct cst_snapshot *ss, const struct cst_snap_buffer *b, const char *mode)
{
	bool frames = b->format != CST_SNAP_FMT_SOURCE_DATA, any = false;
	uint32_t raw = strcmp(mode, "printers") ? 0 : OCSD_DFRMTR_PACKED_RAW_OUT | OCSD_DFRMTR_UNPACKED_RAW_OUT;
	const uint8_t *data;
	dcd_tree_handle_t tree;
	size_t i, len;

	memset(sources, 0, sizeof(sources));
	printf("buffer %s\n", b->id);
	if (b->n_files != 1 || open_file(NULL, b->files[0], &data, &len))
		die("cannot read", b->name);
	tree = ocsd_create_dcd_tree(frames ? OCSD_TRC_SRC_FRAME_FORMATTED : OCSD_TRC_SRC_SINGLE,
				    frames ? OCSD_DFRMTR_FRAME_MEM_ALIGN | raw : 0);
	if (!tree)
		die("no tree for", b->name);
	ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 1);
	ocsd_def_errlog_config_output(C_API_MSGLOGOUT_FLG_NONE, NULL);
	ocsd_def_errlog_set_strprint_cb(tree, NULL, on_string);
	for (i = 0; i < ss->n_devices; i++)
		if (ss->devices[i].class_ == CST_SNAP_SOURCE && cst_snapshot_feeds(ss, &ss->devices[i], b) &&
		    (frames || !any))
			any |= add_source(tree, ss, &ss->devices[i], mode);
	if (any) {
		if (frames && raw)
			printf("frame printer: %d\n", ocsd_dt_set_raw_frame_printer(tree, (int)raw));
		if (strcmp(mode, "packets") && strcmp(mode, "printers")) {
			if (!strcmp(mode, "listing"))
				ocsd_dt_set_gen_elem_printer(tree);
			else
				ocsd_dt_set_gen_elem_outfn(tree, on_element, NULL);
			add_memory(tree, ss);
		}
		run_data(tree, data, len - (frames ? len % 16 : 0));
		print_stats(tree);
	}
	ocsd_destroy_dcd_tree(tree);
}

static int run_snapshot(const char *mode)
{
	const struct cst_snap_io io = { .open = open_file };
	struct cst_snapshot *ss;
	size_t i;

	if (cst_snapshot_read(&ss, &io, NULL))
		die("no snapshot in", folder);
	for (i = 0; i < ss->n_buffers && (!i || strcmp(mode, "listing")); i++)
		run_buffer(ss, &ss->buffers[i], mode);
	cst_snapshot_free(ss);
	return 0;
}

/* ---- what the functions answer ---- */

static ocsd_err_t cust_create(const int flags, const void *cfg, const ocsd_extern_dcd_cb_fns *cb,
			      ocsd_extern_dcd_inst_t *inst)
{
	(void)flags;
	(void)cfg;
	(void)cb;
	(void)inst;
	return OCSD_ERR_FAIL;
}

static ocsd_err_t cust_destroy(const void *handle)
{
	(void)handle;
	return OCSD_OK;
}

static ocsd_err_t cust_id(const void *cfg, unsigned char *id)
{
	(void)cfg;
	*id = 0x20;
	return OCSD_OK;
}

static ocsd_err_t cust_text(const void *pkt, char *buf, const int size)
{
	(void)pkt;
	snprintf(buf, (size_t)size, "custom packet");
	return OCSD_OK;
}

static int run_calls(void)
{
	ocsd_extern_dcd_fact_t fact = { cust_create, cust_destroy, cust_id, cust_text, OCSD_PROTOCOL_UNKNOWN };
	const ocsd_etmv4_cfg c = { .reg_idr0 = 0x28000ea1, .reg_idr1 = 0x4100f403, .reg_idr2 = 0x488,
				   .reg_configr = 0xc1, .reg_traceidr = 0x10, .arch_ver = ARCH_V8,
				   .core_prof = profile_CortexA };
	ocsd_err_t (*cacheing)(dcd_tree_handle_t, int, uint16_t, int);
	ocsd_generic_trace_elem e;
	ocsd_decode_stats_t *st;
	dcd_tree_handle_t t;
	unsigned char id = 0;
	uint8_t code[64] = { 0 };
	char text[512];
	int i;

	for (i = 0; i < OCSD_ERR_LAST; i++) {
		text[0] = 0;
		ocsd_err_str((ocsd_err_t)i, text, sizeof(text));
		printf("error %d: %s\n", i, text);
	}
	for (i = 0; i < OCSD_GEN_TRC_ELEM_CUSTOM; i++) {
		memset(&e, 0, sizeof(e));
		ocsd_gen_elem_init(&e, (ocsd_gen_trc_elem_t)i);
		e.st_addr = 0x1000;
		e.en_addr = 0x2000;
		e.timestamp = 0x33;
		text[0] = 0;
		ocsd_gen_elem_str(&e, text, sizeof(text));
		printf("%s\n", text);
		e.has_cc = 1;
		e.cycle_count = 7;
		e.excep_ret_addr = 1;
		e.last_instr_cond = 1;
		e.context.el_valid = e.context.bits64 = e.context.ctxt_id_valid = e.context.vmid_valid = 1;
		ocsd_gen_elem_str(&e, text, sizeof(text));
		printf("%s\n", text);
	}
	printf("errlog %d\n", ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 1));
	printf("output %d\n", ocsd_def_errlog_config_output(C_API_MSGLOGOUT_FLG_NONE, NULL));
	t = ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN);
	printf("print callback %d\n", ocsd_def_errlog_set_strprint_cb(t, NULL, on_string));
	ocsd_def_errlog_msgout("a message\n");
	printf("unknown decoder %d\n", ocsd_dt_create_decoder(t, "none", OCSD_CREATE_FLG_FULL_DECODER, &c, &id));
	printf("decoder %d\n", ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &c, &id));
	printf("ID %x\n", id);
	printf("twice %d\n", ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &c, &id));
	printf("element callback %d\n", ocsd_dt_set_gen_elem_outfn(t, on_element, NULL));
	printf("monitor printer %d\n", ocsd_dt_set_pkt_protocol_printer(t, id, 1));
	printf("buffer %d\n", ocsd_dt_add_buffer_mem_acc(t, 0x1000, OCSD_MEM_SPACE_EL1N, code, sizeof(code)));
	printf("removed %d\n", ocsd_dt_remove_mem_acc(t, 0x1000, OCSD_MEM_SPACE_EL1N));
	ocsd_tl_log_mapped_mem_ranges(t);
	printf("statistics %d\n", ocsd_dt_get_decode_stats(t, id, &st));
	printf("revision %u\n", st->revision);
	printf("reset %d\n", ocsd_dt_reset_decode_stats(t, id));
	printf("frame printer %d\n", ocsd_dt_set_raw_frame_printer(t, OCSD_DFRMTR_PACKED_RAW_OUT));
	printf("element printer %d\n", ocsd_dt_set_gen_elem_printer(t));
	printf("register %d\n", ocsd_register_custom_decoder("mine", &fact));
	printf("again %d\n", ocsd_register_custom_decoder("mine", &fact));
	text[0] = 0;
	printf("custom text %d\n", ocsd_cust_protocol_to_str(fact.protocol_id, code, text, sizeof(text)));
	printf("%s\n", text);
	printf("operations %d %d %d\n", ocsd_dt_process_data(t, OCSD_OP_RESET, 0, 0, NULL, NULL),
	       ocsd_dt_process_data(t, OCSD_OP_FLUSH, 0, 0, NULL, NULL),
	       ocsd_dt_process_data(NULL, OCSD_OP_FLUSH, 0, 0, NULL, NULL));
	printf("remove %d\n", ocsd_dt_remove_decoder(t, id));
	ocsd_destroy_dcd_tree(t);
	printf("deregister %d\n", ocsd_deregister_decoders());
	/* only in one of the two */
	*(void **)&cacheing = dlsym(RTLD_DEFAULT, "ocsd_dt_set_mem_acc_cacheing");
	if (cacheing && cacheing(NULL, 1, 0, 0) != OCSD_ERR_INVALID_PARAM_VAL)
		printf("cacheing without a tree was accepted\n");
	fprintf(stderr, "version %s\n", ocsd_get_version_str());
	return ocsd_get_version() >= 0x10000 ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		die("usage: ocsd_client SNAPSHOT MODE", "[WAIT]");
	/* what was printed before a crash counts */
	setvbuf(stdout, NULL, _IOLBF, 0);
	folder = argv[1];
	wait_percent = argc > 3 ? (unsigned int)atoi(argv[3]) : 0;
	if (!strcmp(argv[2], "calls"))
		return run_calls();
	return run_snapshot(argv[2]);
}
