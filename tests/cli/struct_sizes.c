/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * struct_sizes.c - calls every function that takes a struct which may grow, and prints what comes
 * back. Each struct stands between bytes that no function may change. Run with a library whose
 * structs are larger (struct-sizes.sh). With the argument 0 each struct_size is 0, with "wrong"
 * one is too large, so that the bytes behind the struct do change. Exit code 2: bytes around a
 * struct changed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>

#define MARK 0xa5
#define GUARDED(type, name) struct { unsigned char before[64]; struct type v; unsigned char after[64]; } name

static int smashed;

static void check(const char *what, const unsigned char *before, const unsigned char *after)
{
	int i;

	for (i = 0; i < 64; i++)
		if (before[i] != MARK || after[i] != MARK) {
			fprintf(stderr, "bytes around a struct %s changed\n", what);
			smashed = 1;
			return;
		}
}

static int zero;	/* each struct_size is 0 */

#define SIZE(v) (zero ? 0 : sizeof(v))
#define ARM(g) memset(&(g), MARK, sizeof(g))
/* a library that does not know the last members leaves them as they are */
#define ARM_SIZED(g) (ARM(g), memset(&(g).v, 0, sizeof((g).v)), (g).v.struct_size = SIZE((g).v))
#define CHECK(g) check(#g, (g).before, (g).after)

static const uint8_t trace[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80,		/* A-sync */
	0x01, 0x00, 0x04,				/* Trace Info, Trace On */
	0x82, 0x04, 0x00, 0x05, 0x00, 0x31,		/* address 0x50010, A64, EL1 */
	0xf9, 0x95, 0x04, 0xf6,				/* atoms E N N, address, atom N */
};

static GUARDED(cst_config, cfg);
static GUARDED(cst_packet, pkt);
static GUARDED(cst_stats, sum);
static GUARDED(cst_frame_stats, frames);
static GUARDED(cst_event, ev);
static GUARDED(cst_unwrapped, un);
static GUARDED(cst_state_counts, counts);
static GUARDED(cst_etmv4_regs, regs);

static void registers(size_t more)
{
	const struct cst_etmv3_regs etm3 = { .struct_size = SIZE(etm3),
					     .cr = 0x1000,
					     .idr = 0x4104f230,
					     .traceidr = 0x12 },
				    ptm = { .struct_size = SIZE(ptm),
					    .idr = 0x411cf310,
					    .traceidr = 0x13 };
	const struct cst_stm_regs stm = { .struct_size = SIZE(stm), .tcsr = 0x140000 };
	const struct cst_itm_regs itm = { .struct_size = SIZE(itm), .tcr = 0x150000 };
	struct cst_reserved_field reserved[2];
	int rc[5];

	ARM_SIZED(regs);
	regs.v = (struct cst_etmv4_regs){ .struct_size = SIZE(regs.v),
					  .configr = 1,
					  .traceidr = 0x10,
					  .idr0 = 0x2801cea1,
					  .idr2 = 0xd0001088,
					  .devarch = 0x47705a13 };
	ARM_SIZED(cfg);
	rc[0] = cst_config_etmv3(&cfg.v, &etm3, CST_PROFILE_A);
	rc[1] = cst_config_ptm(&cfg.v, &ptm);
	rc[2] = cst_config_stm(&cfg.v, &stm);
	rc[3] = cst_config_itm(&cfg.v, &itm);
	rc[4] = cst_config_etmv4_data(&cfg.v, &regs.v, CST_PROFILE_A);
	CHECK(cfg);
	printf("ETE: %d; ", cst_etmv4_is_ete(&regs.v, 0));
	regs.v.idr0 |= 2;
	printf("reserved: %u; ", cst_config_etmv4_reserved(&regs.v, 1, reserved, 2));
	regs.v.idr0 &= ~2u;
	printf("%d %d %d %d %d\n", rc[0], rc[1], rc[2], rc[3], rc[4]);
	cfg.v.struct_size += more;
	rc[0] = cst_config_etmv4(&cfg.v, &regs.v, 1, CST_PROFILE_A);
	CHECK(cfg);
	printf("%d: protocol %d, %d-byte VMID, queue %u, %d\n", rc[0], cfg.v.protocol, cfg.v.vmid_bytes, cfg.v.max_queue,
	       cfg.v.checks);
}

static void packets(struct cst_tree *tree)
{
	struct cst_decoder *dec;
	struct cst_generic g[8];
	struct cst_pull pull;
	char text[256];
	int n, i;

	cst_tree_feed(tree, trace, sizeof(trace), 0);
	cst_tree_end(tree);
	for (;;) {
		ARM_SIZED(pkt);
		if (!cst_tree_next_packet(tree, &pkt.v, &pull))
			break;
		CHECK(pkt);
		dec = pull.dec;
		if (pull.why == CST_STOP_PACKET) {
			cst_decoder_packet_text(dec, &pkt.v, text, sizeof(text));
			printf("%" PRIu64 " %d %s", pkt.v.index, pkt.v.nbytes, text);
			cst_packet_text(&pkt.v, text, sizeof(text));
			printf(" %s\n", text);
		}
		while ((n = cst_tree_pull(tree, g, 8, &pull)) > 0)
			for (i = 0; i < n; i++) {
				cst_generic_text(&g[i], text, sizeof(text));
				puts(text);
			}
		ARM(sum);
		memset(&sum.v, 0, sizeof(sum.v));
		cst_stats_add(&sum.v, cst_decoder_stats(dec));
		CHECK(sum);
		printf("%" PRIu64 " packets, %" PRIu64 " elements\n", sum.v.packets, sum.v.elements);
	}
	ARM(frames);
	memset(&frames.v, 0, sizeof(frames.v));
	cst_frame_stats_add(&frames.v, cst_tree_frame_stats(tree));
	CHECK(frames);
}

static void decode(void)
{
	struct cst_decoder *dec = NULL;
	struct cst_tree *tree = NULL;
	struct cst_images *images = NULL;
	struct cst_image *img = NULL;
	struct cst_space *space = NULL;
	const struct cst_emit_opts emit = { .struct_size = SIZE(emit), .next = 8, .period = 8 };
	const struct cst_image_key key = { .struct_size = SIZE(key), .spaces = CST_MEM_ANY };

	if (cst_tree_new(&tree, CST_TREE_RAW, 0) || cst_tree_add(tree, &cfg.v, &dec) || cst_image_new(&img, 0) ||
	    cst_space_new(&space, img) || cst_images_new(&images) || cst_images_set(images, &key, space))
		exit(1);
	cst_decoder_set_images(dec, images);
	printf("emit: %d\n", cst_decoder_emit(dec, CST_EMIT_SAMPLES, &emit));
	printf("reconfigured: %d\n", cst_tree_reconfigure(tree, 0x10, &cfg.v));
	packets(tree);
	printf("removed: %d\n", cst_images_remove(images, &key));
	cst_tree_free(tree);
	if (cst_decoder_new(&dec, &cfg.v))
		exit(1);
	ARM_SIZED(pkt);
	cst_decoder_feed(dec, trace, sizeof(trace), 0);
	printf("%d\n", cst_decoder_next_packet(dec, &pkt.v, &(struct cst_pull){ .why = CST_STOP_NONE }));
	CHECK(pkt);
	printf("%d %d\n", pkt.v.type, cst_decoder_reconfigure(dec, &cfg.v));
	cst_decoder_free(dec);
	cst_images_free(images);
	cst_image_free(img);
}

static void index_of(void)
{
	const struct cst_index_opts opts = { .struct_size = SIZE(opts),
					     .granularity = 16,
					     .full = 1 };
	const struct cst_index_query query = { .struct_size = SIZE(query),
					       .kind = CST_INDEX_TRACE_ON };
	struct cst_index_place place;
	struct cst_index_builder *b;
	struct cst_index *index;

	if (cst_index_builder_new(&b, CST_TREE_RAW, 0, &opts) || cst_index_builder_add(b, &cfg.v) ||
	    cst_index_builder_feed(b, trace, sizeof(trace), 0) || cst_index_builder_take(b, &index))
		exit(1);
	cst_index_search(index, &index->streams[0], &query, &place);
	printf("trace on: %d at %" PRIu64 "; %" PRIu64 " is the configuration\n", place.found, place.offset, cst_index_config(&cfg.v));
	cst_index_free(index);
	cst_index_builder_free(b);
}

static int print_event(void *ctx, const struct cst_event *e, int implied)
{
	char line[256];
	int64_t n = cst_event_write(e, line, sizeof(line));

	(void)ctx;
	printf("%d %.*s", implied, (int)n, line);
	return 0;
}

/* Prints what a function has found: its event, which no other function has filled. */
#define FOUND(call) \
	do { \
		ARM_SIZED(ev); \
		rc = call; \
		CHECK(ev); \
		printf("%d", rc); \
		if (rc > 0) \
			printf(" %d %llu %.*s", ev.v.verb, (unsigned long long)ev.v.time, \
			       (int)ev.v.name.n, ev.v.name.p); \
		putchar('\n'); \
	} while (0)

static void events(void)
{
	static const char log[] =
		"10 declare_process(START, 7, 0x1000, \"/bin/x\", size=0x1000)\n20 declare_thread(START, 8, 7)\n"
		"30 declare_asid(START, 5, 7)\n40 define_trace(START, 0x10, etm0)\n";
	const struct cst_state_limits limits = { .struct_size = SIZE(limits), .memory = 1 << 20 };
	const struct cst_str source = { "etm0", 4 };
	struct cst_event_reader *r;
	struct cst_state *st;
	int rc;

	if (cst_event_reader_new(&r, log, sizeof(log) - 1, 0) || cst_state_new(&st, &limits))
		exit(1);
	for (;;) {
		ARM_SIZED(ev);
		if (cst_event_next(r, &ev.v, NULL) <= 0)
			break;
		CHECK(ev);
		cst_state_apply(st, &ev.v, print_event, NULL);
	}
	ARM_SIZED(counts);
	cst_state_counts(st, &counts.v);
	CHECK(counts);
	printf("%zu alive\n", counts.v.alive);
	FOUND(cst_state_process(st, 7, &ev.v));
	FOUND(cst_state_thread(st, 8, &ev.v));
	FOUND(cst_state_asid(st, 5, &ev.v));
	FOUND(cst_state_trace(st, source, &ev.v));
	FOUND(cst_state_code(st, 7, 0x1010, &ev.v));
	cst_event_rewind(r, 1);
	cst_event_prev(r, &ev.v, NULL);
	CHECK(ev);
	printf("%d\n", cst_state_unapply(st, &ev.v));
	cst_state_free(st);
	cst_event_reader_free(r);
}

static const char device[] = "[device]\nname=etm\nclass=trace_source\ntype=ETE\n[regs]\nTRCCONFIGR=0x1\nTRCTRACEIDR=0x10\n"
	"TRCIDR0=0x2801cea1\nTRCIDR1=0xfff0\nTRCIDR2=0xd0001088\nTRCIDR8=0\nTRCDEVARCH=0x47705a13\n";
static const char snapshot[] = "[snapshot]\nversion=1.0\n[device_list]\ndevice0=etm.ini\n[trace]\nmetadata=trace.ini\n";
static const char buffers[] = "[trace_buffers]\nbuffers=b0\n[b0]\nname=b\nfile=b.bin\nformat=source_data\n";
static const char contents[] = "[trace]\nmetadata=meta.ini\nbuffer0=b.bin\n";
static const char metadata[] = "[buffer]\nformat: source_data\n[trace_16]\nformat: ETE1.0\nTRCCONFIGR: 0x1\nTRCTRACEIDR: 0x10\n"
	"TRCIDR0: 0x2801cea1\nTRCIDR1: 0xfff0\nTRCIDR2: 0xd0001088\nTRCIDR8: 0\nTRCDEVARCH: 0x47705a13\n";

static int open_file(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	const char *text = !strcmp(name, "snapshot.ini") ? snapshot : !strcmp(name, "etm.ini") ? device :
			   !strcmp(name, "trace.ini") ? buffers : !strcmp(name, "contents.ini") ? contents : metadata;

	(void)ctx;
	*data = (const uint8_t *)text;
	*len = strlen(text);
	return 0;
}

static int write_file(void *ctx, const char *name, const void *data, size_t len)
{
	(void)ctx;
	(void)data;
	printf("%s, %zu bytes\n", name, len);
	return 0;
}

static void note(void *ctx, const struct cst_snap_note *n)
{
	(void)ctx;
	printf("%s:%u: %s\n", n->file, n->line, n->text);
}

static void files(void)
{
	const struct cst_snap_io io = { .struct_size = SIZE(io), .open = open_file, .note = note };
	const struct cst_snap_sink sink = { .struct_size = SIZE(sink),
					    .write = write_file,
					    .note = note };
	struct cst_snap_memory *mem;
	struct cst_package *pkg = NULL;
	struct cst_snapshot *ss = NULL;
	struct cst_image *img;
	struct cst_doc *doc;
	size_t missing;
	int ete, rc[4];

	if (cst_snapshot_read(&ss, &io, NULL) || cst_package_read(&pkg, &io, NULL) || cst_image_new(&img, 0) ||
	    cst_snap_memory_new(&mem, ss, img, &io, &missing) || cst_doc_new(&doc, 0))
		exit(1);
	ARM_SIZED(cfg);
	rc[0] = cst_snap_config(&ss->devices[0], NULL, 0, &cfg.v, NULL, NULL);
	CHECK(cfg);
	ARM_SIZED(regs);
	rc[1] = cst_snap_etmv4(&ss->devices[0], &regs.v, &ete, NULL, NULL);
	CHECK(regs);
	rc[2] = cst_meta_etmv4(cst_meta_by_id(pkg->metadata[0], 16), &regs.v, &ete, NULL);
	CHECK(regs);
	rc[3] = cst_meta_set_etmv4(doc, "trace_16", &regs.v, ete);
	printf("%d %d %d %d: ID %d, TRCIDR0 %x, %zu sections\n", rc[0], rc[1], rc[2], rc[3], cfg.v.trace_id, regs.v.idr0,
	       doc->n_sections);
	printf("written: %d\n", cst_snapshot_write(ss, &sink, NULL, NULL));
	cst_doc_free(doc);
	cst_image_free(img);
	cst_snap_memory_free(mem);
	cst_package_free(pkg);
	cst_snapshot_free(ss);
}

static void tarmac(void)
{
	static const char text[] = "1 clk cpu0 IT (1) 8000 d503201f O EL1h_s : NOP\n2 clk cpu0 R X0 0123456789\n";
	const struct cst_tarmac_opts opts = { .struct_size = SIZE(opts), .max_line = 40 };
	const struct cst_tarmac_record *rec;
	struct cst_tarmac_record own = { 0 };
	struct cst_tarmac_reader *r;
	char line[128];

	if (cst_tarmac_reader_new(&r, &opts) || cst_tarmac_feed(r, text, sizeof(text) - 1))
		exit(1);
	while (cst_tarmac_next(r, &rec) == 1) {
		memcpy(&own, rec, rec->struct_size < sizeof(own) ? rec->struct_size : sizeof(own));
		own.struct_size = SIZE(own);
		printf("%.*s", (int)cst_tarmac_write(&own, CST_TARMAC_FAST_MODELS, line, sizeof(line)), line);
	}
	cst_tarmac_reader_free(r);
}

int main(int argc, char **argv)
{
	zero = argc > 1 && !strcmp(argv[1], "0");
	registers(argc > 1 && !zero ? 16 : 0);
	decode();
	index_of();
	events();
	files();
	tarmac();
	ARM_SIZED(un);
	printf("%d ", cst_unwrap(&un.v, 64, 16, 1, 16, 0));
	CHECK(un);
	printf("%" PRIu64 "\n", un.v.len);
	return smashed ? 2 : 0;
}
