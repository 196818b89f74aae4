/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * internal.h - what the files of the OpenCSD C interface share.
 *
 *     tree.c     trees, decoders and what is attached to them
 *     process.c  the data path: bytes in, callbacks out, WAIT and FLUSH
 *     element.c  cst_generic to ocsd_generic_trace_elem
 *     packet.c   cst_packet to ocsd_etmv4_i_pkt and back; packet_v7.c: ETMv3, PTM; packet_sw.c: STM, ITM
 *     memory.c   memory accessors; pages.c: memory behind a callback
 *     print.c    texts and printers; errlog.c: the error log; stats.c: statistics
 *     custom.c   decoders of the client
 *     level.c    the level of a client
 *
 * The interface is declared by include/opencsd/, at the level of 1.8; only the library (lib/) is
 * used below.
 */
#ifndef CSTRACE_OPENCSD_INTERNAL_H
#define CSTRACE_OPENCSD_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cstrace/cstrace.h>

#define OCSD_NO_CLIENT_VERSION 1
#include <opencsd/c_api/opencsd_c_api.h>

#define OCSD_EXPORT __attribute__((visibility("default")))

/*
 * The level of a client: the interface that it was built with. 1.3 stands for 1.4.1 and earlier,
 * 1.8 for later ones. level.c decides, for each tree, in this order:
 *
 *     CSTRACE_OCSD=1.3 or =1.8 in the environment when the tree is made
 *     cstrace_ocsd_client, which a client that was compiled with our headers has: 1.8
 *     what only clients of 1.8 do: they name a memory space or a flag for decoders that 1.3 does
 *         not have, create a decoder for ITM, or call ocsd_dt_set_mem_acc_cacheing()
 *     a memory space of 0x1f, which is OCSD_MEM_SPACE_ANY of 1.3: 1.3. To 1.8 it is S|N, which no
 *         known client uses
 *     the level of the tree that had such a sign last, as a process has one client in most cases
 *     none of these: 1.8
 *
 * Functions without a tree, as ocsd_pkt_str(), go by what is true of the process. levels.md lists
 * what the level decides.
 */
enum client {
	CLIENT_UNKNOWN,
	CLIENT_1_3,
	CLIENT_1_8,
};

/* Flags of decoders that 1.3.3 does not have. */
#define FLG_1_8 (OCSD_OPFLG_N_UNCOND_DIR_BR_CHK | OCSD_OPFLG_STRICT_N_UNCOND_BR_CHK | \
		 OCSD_OPFLG_CHK_RANGE_CONTINUE | OCSD_OPFLG_N_UNCOND_CHK_NO_THUMB | \
		 ETM4_OPFLG_PKTDEC_AA64_OPCODE_CHK)

/* What 1.3.3 has another value for than the headers. */
#define ERR_LAST_1_3		44
#define UNSYNC_EOT_1_3		6
#define ELEM_CUSTOM_1_3		17
#define PAYLOAD_AT_1_3		80	/* ptr_extended_data */
#define SPACES_1_3		0x1fu
#define SPACES_1_8		0xffu
#define SPACES_S		((unsigned int)OCSD_MEM_SPACE_S)
#define SPACES_N		((unsigned int)OCSD_MEM_SPACE_N)
#define SPACES_R		((unsigned int)OCSD_MEM_SPACE_R)

/* Bytes that are given to the library at a time; a client that answers WAIT gets them again in part. */
#define CHUNK 2048u
/*
 * Maximum number of elements decoded ahead of a client that waits. They are decoded with the client's memory at some
 * time between the call with the trace and the call that delivers them.
 */
#define BATCH 512u

/* Bytes for decoded code; a build for tests may have less. */
#ifndef OCSD_CACHE_LIMIT
#define OCSD_CACHE_LIMIT (128u << 20)
#endif

/* As the client sees packets: fields hold across packets. */
union packet {
	ocsd_etmv4_i_pkt etmv4;
	ocsd_etmv3_pkt etmv3;
	ocsd_ptm_pkt ptm;
	ocsd_stm_pkt stm;
	ocsd_itm_pkt itm;
};

struct ocsd_tree;
struct accessor;
struct page;

/* An element, for clients of 1.3.3 as well, who see its first 88 bytes. */
union elem {
	ocsd_generic_trace_elem e;
	unsigned char bytes[sizeof(ocsd_generic_trace_elem)];
};

/* A trace ID. */
struct source {
	struct ocsd_tree *tree;
	struct cst_decoder *dec;	/* NULL: custom */
	struct custom_inst *custom;
	ocsd_trace_protocol_t protocol;
	uint8_t id;			/* as the client knows it */
	bool packets_only;
	unsigned int flags;		/* OCSD_OPFLG_*, as the client gave them */
	struct {
		FnDefPktDataIn sink;
		const void *sink_ctx;
		FnDefPktDataMon mon;
		const void *mon_ctx;
		/* a printer stands where the callback could */
		bool print_sink, print_mon;
		bool skipped;		/* bytes without synchronisation since the last reset */
	} packets;			/* who gets them */
	unsigned int space;		/* enum cst_memspace that execution is in */
	struct cst_space *code;		/* of memory space `space`; NULL until used */
	struct {
		union elem elem;	/* as the client sees elements; the context holds */
		bool range;		/* it is a range: what ranges do not have is zero */
		union packet pkt;
		/* of the software trace element that is being delivered */
		uint64_t payload;
		struct cst_generic end;	/* as delivered; another kind before that */
	} client;
	struct {
		ocsd_decode_stats_t given;	/* as last given to the client */
		struct cst_stats base;	/* counts at the last reset of the statistics */
		/* bad packets that are reserved headers; at that reset */
		uint64_t bad_headers, base_headers;
	} stats;
};

struct ocsd_tree {
	struct ocsd_tree *next;	/* of all that exist: handles are looked up, not trusted */
	struct cst_tree *tree;
	enum client client;		/* never CLIENT_UNKNOWN */
	struct {
		bool fixed;		/* by the environment */
		bool proven;		/* the client did what only clients of 1.8 do */
	} level;			/* what client is based on */
	bool single;
	unsigned int flags;
	/* by trace ID; of a single source, whatever its ID, only `all` knows */
	struct source *src[128];
	struct source *all[128];
	unsigned int nr_all, nr_custom;
	struct {
		bool sinks;		/* a decoder's packets go to a sink */
		bool packets;		/* a packet receiver is attached */
		FnTraceElemIn out;
		const void *out_ctx;
	} listen;			/* who listens */
	struct {
		bool elements;
		int raw_flags;		/* what the frame printer prints */
		struct frame_printer *frames;
		FnDefLoggerPrintStrCB str_fn;	/* output of this tree's printers */
		void *str_ctx;
	} print;
	struct custom_path *custom;	/* de-formatter for custom decoders; NULL: none */
	uint64_t custom_bytes;		/* of frames, passed to custom decoders */
	struct {
		uint8_t chunk[CHUNK];
		size_t chunk_len;
		uint64_t chunk_at;	/* its index */
		/* bytes consumed but not reported as such, since the client got a WAIT */
		size_t held;
		bool feeding;		/* the library has the chunk, or part of it */
		/* offset of the last one in the frames; all ones: there was none */
		uint64_t barrier;
		bool ending, ended; /* the client ended the trace; all elements were delivered */
	} in;				/* what is being decoded */
	struct {
		struct cst_generic batch[BATCH];
		unsigned int at, count;
		struct source *batch_src;
		enum cst_stop stopped;
		struct cst_packet packet;
		struct source *packet_src;
		bool pulling;		/* the last packet's elements are not all taken */
	} made;				/* what came out of it, and was not delivered yet */
	bool busy;			/* inside a callback */
	/* inside one for memory that a decoder waits for in the middle of a pull */
	bool decoding;
	struct {
		struct cst_image *image;
		struct accessor *accessors;
		size_t nr_accessors, cap_accessors;
		struct page **pages;	/* hash by source, space and address */
		size_t nr_pages;
		/* a page with other bytes now; NULL: none since code was mapped last */
		const struct page *differs;
		struct page_bytes **contents;	/* hash by content: what is equal is one section */
		size_t nr_contents;
		struct page_bytes *spare;	/* contents to be used again */
		struct cst_section *hole;	/* stands where the client has nothing */
		bool mapped;		/* something was, since everything was in doubt */
		bool used;		/* the client has added an accessor, or tried to */
	} mem;
};

/* tree.c */
struct ocsd_tree *tree_search(const void *handle);
/* The tree that was looked up last: it exists, as one that goes away is none any more. */
extern _Atomic(struct ocsd_tree *) tree_recent;

static inline struct ocsd_tree *tree_get(const void *handle)
{
	struct ocsd_tree *t = atomic_load_explicit(&tree_recent, memory_order_acquire);

	return t && t == handle ? t : tree_search(handle);
}

struct source *tree_source(struct ocsd_tree *t, unsigned int id);
/* How frames are laid out, for a de-formatter: flags of frame.h. */
unsigned int tree_frame_flags(const struct ocsd_tree *t);
/* The client's code for an error of the library, negative. */
ocsd_err_t err_of(int cst_error);
bool builtin_name(const char *name);
/* The name under which the packets of a source are made. */
const char *tree_protocol_name(const struct source *s);

/*
 * The worse of two answers, as OpenCSD collates those of several sources: fatal, then waiting,
 * errors, warnings.
 */
static inline ocsd_datapath_resp_t worse(ocsd_datapath_resp_t a, ocsd_datapath_resp_t b)
{
	return a > b ? a : b;
}

/* level.c; see enum client */
/* Sets the level of a new tree. */
void level_begin(struct ocsd_tree *t);
/* The client does what it can do at this level only. */
void level_sign(struct ocsd_tree *t, enum client client);
/* The client names a memory space. */
void level_sign_space(struct ocsd_tree *t, unsigned int space);
/* The memory spaces as the level has them: in 1.3 Realm is Non-secure, and Root is EL3. */
unsigned int level_space(enum client client, unsigned int space);
/* Returns the level for functions without a tree. */
enum client level_of_process(void);
/* As before, or CLIENT_UNKNOWN: for what could write behind the structures of a client of 1.3. */
enum client level_known(void);

/* process.c */
/* What was not delivered of a source that goes away. */
void tree_drop(struct ocsd_tree *t, const struct source *s);
/* Somebody came or went. */
void tree_listeners(struct ocsd_tree *t);

/* element.c */
/* Delivers an element to the client; returns its response. */
ocsd_datapath_resp_t element_out(struct ocsd_tree *t, struct source *s, const struct cst_generic *g);

/* Delivers consecutive ranges of the batch to the client's function, until its response is not CONT. */
ocsd_datapath_resp_t element_ranges(struct ocsd_tree *t, struct source *s);
/* Sets the context of the following elements; unknown for an element without flags. */
void element_context(struct source *s, const struct cst_generic *g);
/* For texts; the kinds are numbered as the client's generation has them. */
void element_from_ocsd(struct cst_generic *g, const ocsd_generic_trace_elem *e, enum client client);

/* packet.c */
void packet_to_ocsd(union packet *out, const struct cst_packet *pkt, const struct cst_config *cfg);
/* The other way, as far as texts need it. False: no protocol of the library's (ocsd_trace_protocol_t). */
bool packet_from_ocsd(struct cst_packet *pkt, const void *in, unsigned int protocol);
void packet_reset(union packet *out, const struct cst_config *cfg);
/*
 * Return a packet in the form of 1.3, and back, which may be made in `p`: that of ETMv4 and ETE is
 * another one.
 */
const void *packet_to_1_3(union packet *p, const union packet *in, ocsd_trace_protocol_t protocol);
const void *packet_from_1_3(union packet *p, const void *in, ocsd_trace_protocol_t protocol);

/* memory.c */
void memory_free(struct ocsd_tree *t);
/* The address space for what `s` executes. */
struct cst_space *memory_space(struct ocsd_tree *t, struct source *s);
/* Something may be different from now on: callbacks are asked again. */
void memory_unmap(struct ocsd_tree *t);

static inline void memory_doubt(struct ocsd_tree *t)
{
	if (t->mem.mapped)
		memory_unmap(t);
}

/* The decoder of `s` stopped at an address where nothing is mapped. Negative cst_error. */
int memory_want(struct ocsd_tree *t, struct source *s, uint64_t addr);
/* A source goes away. */
void memory_drop(struct ocsd_tree *t, struct source *s);
int memory_map(struct ocsd_tree *t, struct source *s, uint64_t start, uint64_t len, struct cst_section *sec);
/* What accessors give at an address, for custom decoders. */
uint32_t memory_read(struct ocsd_tree *t, uint64_t addr, unsigned int space, uint8_t id, uint32_t len,
		     uint8_t *buf);

/* pages.c */
int page_map(struct ocsd_tree *t, struct source *s, const struct accessor *a, uint64_t addr);
/* Maps the page if its bytes are still those of its last use; makes no section. False: it is not mapped. */
bool page_map_known(struct ocsd_tree *t, struct source *s, const struct accessor *a, uint64_t addr);
void pages_free(struct ocsd_tree *t);
/* Drops the pages of a source; -1: all. */
void pages_drop(struct ocsd_tree *t, int id);
/* The client has nothing there. */
int page_hole(struct ocsd_tree *t, struct source *s, uint64_t start, uint64_t len);

struct accessor {
	uint64_t start, last;		/* inclusive */
	unsigned int space;		/* mask of enum cst_memspace */
	const uint8_t *bytes;		/* buffer or file; NULL: a callback */
	bool file;
	bool same_file;			/* a further region of the file of the accessor before it */
	struct cst_section *section;	/* of these bytes, made when first used */
	void *mapped;			/* to be unmapped: the first region of a file has it */
	char *path;			/* of a file; allocated once for all its regions */
	size_t mapped_len;
	Fn_MemAcc_CB fn;
	Fn_MemAccID_CB fn_id;
	const void *ctx;
};

/* print.c */
void print_element(struct ocsd_tree *t, uint64_t index, uint8_t id, const struct cst_generic *g);
void print_packet(struct ocsd_tree *t, const struct source *s, const struct cst_packet *pkt, bool with_bytes);
void print_operation(struct ocsd_tree *t, const struct source *s, ocsd_datapath_op_t op);
void print_custom(struct ocsd_tree *t, const struct source *s, uint64_t index, const void *pkt);
/* A reset: the next bytes begin a frame. */
void print_restart(struct ocsd_tree *t);
/* The next frame of the input; returns its size, at least 1. */
size_t print_frames(struct ocsd_tree *t, const uint8_t *data, size_t len, uint64_t index);

/* stats.c: counts reserved headers, which the library counts with other bad packets. */
void stats_error(struct source *s, const struct cst_generic *g);

/* errlog.c */
/* Logs a line of a component; a text without an end of line gets one. */
void log_message(ocsd_err_severity_t sev, const char *component, const char *text);
void log_error(ocsd_err_severity_t sev, const char *component, ocsd_err_t err, uint64_t index,
	       uint8_t id, const char *msg);
/* Components, named as clients see them in OpenCSD's log; `name` has LOG_NAME bytes. */
#define LOG_GENERAL "Gen_Info"
#define LOG_NAME 64
/* What makes packets of a source, and what makes elements: of a custom one the client's decoder. */
const char *log_packets(const struct source *s, char *name);
const char *log_decoder(const struct source *s, char *name);
/* Printers write here: where the log goes, and to the client function of the tree, or of the log. */
void log_print(const struct ocsd_tree *t, const char *text);
ocsd_err_t err_last(ocsd_err_t err);
/* A tree goes away. */
void log_forget(const struct ocsd_tree *t);

#endif
