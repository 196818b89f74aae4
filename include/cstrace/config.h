/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * config.h - trace unit registers in, decoder configuration out. A caller fills the registers that a trace reader must
 * have (Arm trace metadata requirements; Arm ARM K10.5.1.3 "Decompression information") and leaves others zero.
 */
#ifndef CSTRACE_CONFIG_H
#define CSTRACE_CONFIG_H

#include <cstrace/types.h>

CST_BEGIN

enum cst_protocol {
	CST_PROTO_NONE,
	CST_PROTO_ETMV4,	/* ETMv4.0 .. 4.6, instruction trace */
	CST_PROTO_ETE,		/* ETE 1.0 .. 1.3 */
	CST_PROTO_ETMV4_DATA,	/* ETMv4 data trace stream: a trace ID of its own beside the instruction stream's */
	CST_PROTO_ETMV3,	/* ETMv3.0 .. 3.5, instruction and data trace */
	CST_PROTO_PTM,		/* PFT 1.0, 1.1 */
	CST_PROTO_STM,		/* STPv2 as the System Trace Macrocell sends it */
	CST_PROTO_ITM,		/* ITM and DWT of the M profile */
	CST_PROTO_CUSTOM,	/* the caller's own (protocol.h) */
	CST_PROTOCOLS
};

/* Registers of an ETMv4 or ETE trace unit. */
struct cst_etmv4_regs {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	uint32_t configr;	/* TRCCONFIGR */
	uint32_t traceidr;	/* TRCTRACEIDR; bits 6:0 are used */
	uint32_t idr0, idr1, idr2;	/* TRCIDR0..2 */
	uint32_t idr8, idr9, idr10, idr11, idr12, idr13; /* TRCIDR8..13; 0 when not captured */
	uint32_t devarch;	/* TRCDEVARCH, ETE only */
};

/* Registers of an ETMv3 or PTM trace unit. */
struct cst_etmv3_regs {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	uint32_t cr;		/* ETMCR */
	uint32_t ccer;		/* ETMCCER */
	uint32_t idr;		/* ETMIDR */
	uint32_t traceidr;	/* ETMTRACEIDR; bits 6:0 are used */
};

/* Registers of an STM. */
struct cst_stm_regs {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	uint32_t tcsr;		/* STMTCSR; bits 22:16 are the trace ID */
	uint32_t feat1r, feat3r; /* STMSPFEAT1R, STMSPFEAT3R */
	uint32_t devid;		/* STMDEVID */
	uint32_t hwfeatr;	/* STMHEFEAT1R (hardware event features) */
};

/* Registers of an ITM. */
struct cst_itm_regs {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	uint32_t tcr;		/* ITM_TCR; bits 22:16 are the trace ID, 9:8 the local timestamp prescaler */
};

/*
 * Decoder configuration: the register fields that change decoding, one per field. cst_config_etmv4() and its siblings
 * fill it; a caller may then change the fields under "limits and choices".
 */
struct cst_config {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	uint8_t protocol;	/* enum cst_protocol */
	uint8_t profile;	/* enum cst_profile */
	uint8_t version;	/* major << 4 | minor: 0x40..0x46, 0x50..0x53 */
	uint8_t trace_id;	/* 0..0x7f */
	uint8_t ia64;		/* IASIZE: 64-bit addresses */
	uint8_t cid_bytes;	/* context ID bytes in a Context packet */
	uint8_t vmid_bytes;
	uint8_t cc_bits;	/* bits of the cycle counter */
	uint8_t commopt;	/* cycle count packets carry no commit */
	uint8_t trans_p0;	/* Transaction Start is a P0 element (COMMTRANS = 0) */
	uint8_t qsupp;		/* TRCIDR0.QSUPP */
	uint8_t wfx_p0;		/* WFI and WFE are P0 instructions */
	uint8_t ret_stack;	/* the return stack is enabled (ETMv4: TRCCONFIGR.RS) */
	uint8_t cycle_count;	/* cycle counts are enabled (ETMv4: TRCCONFIGR.CCI) */
	uint8_t branch_broadcast;
	uint8_t cond_trace;	/* conditional non-branch packets may occur */
	uint8_t load_p0, store_p0; /* loads, stores are P0 instructions (TRCCONFIGR.INSTP0) */
	uint8_t cond_mode;	/* TRCCONFIGR.COND: which conditional instructions: bit 0 loads, 1 stores; 7 all */
	uint8_t cond_flags;	/* TRCIDR0.CONDTYPE: results are condition flags, not pass or fail */
	uint32_t cond_keys;	/* TRCIDR12 - TRCIDR13: ordinary keys of conditional instructions */
	uint32_t p0_keys;	/* TRCIDR9: right-hand keys of P0 elements, at least 1 */
	uint8_t data_trace;	/* data synchronisation markers may occur */
	uint8_t ts_marker;	/* TRCIDR0.TSMARK */
	uint8_t vmid_is_cid2;	/* VMID holds CONTEXTIDR_EL2 (TRCCONFIGR.VMIDOPT) */
	uint32_t max_spec;	/* TRCIDR8.MAXSPEC */

	/* ETMv3, PTM, STM, ITM */
	uint8_t atom_per_insn;	/* ETMv3: an atom for every instruction, not for waypoints only */
	uint8_t barrier_p0;	/* PTM: DMB and DSB are waypoints (ETMCCER[24]) */
	uint8_t data_addr, data_value, data_only; /* ETMv3 data trace; ETMv4 data trace stream */
	uint8_t alt_branch;	/* ETMv3: alternative branch encoding */
	uint8_t virt_ext;	/* virtualization extensions: Hyp bit, VMID */
	uint8_t ts64;		/* 1: timestamps have 64 bits, 0: 48 bits */
	uint8_t ts_gray;	/* timestamps are Gray coded */
	uint8_t ts_prescale;	/* ITM: local timestamps count 1, 4, 16 or 64 cycles */

	/* limits and choices; cst_config_etmv4() sets the defaults */
	uint32_t max_queue;	/* elements held at most (default 65536), of which 8192 may be speculative */
	uint8_t hold_transactions; /* 1 (default): a failed transaction's elements are dropped (K10.5.4); 0: all are reported */
	/*
	 * For comparing listings only: 1 sets all quirks of the reference decoder, its departures from the architecture
	 * (lib/base/quirks.def has the list). Default 0.
	 */
	uint8_t as_reference;
	/*
	 * Treat every reserved value and every inconsistency as an error: the packet is bad, and decoding restarts at
	 * the next synchronisation. Default 0: values that the architecture allows a decoder to ignore are ignored and
	 * logged (log.h).
	 */
	uint8_t strict;
	/*
	 * ETMv3, 1 or with data trace: emit a range for each instruction, with its cycles. Default 0: consecutive
	 * instructions make one range up to a waypoint, an atom N or an element of another kind; its cycles include
	 * those before it without an instruction.
	 */
	uint8_t insn_ranges;
	/* Source Address: end the range at every P0 instruction that it passes, as after an atom N. Default 0. */
	uint8_t split_source;
	/*
	 * Mask of enum cst_check. A failed check shows that the code is not the code that was executed: decoding then
	 * stops until the next synchronisation, where a NO_SYNC element has the reason CST_UNSYNC_BAD_IMAGE. Default 0:
	 * such contradictions are counted (cst_stats.image_conflicts), and decoding continues.
	 */
	uint8_t checks;
	uint8_t quirks;		/* the library's own, made of as_reference; what a caller writes here is ignored */
	uint8_t itm_sync;	/* enum cst_itm_sync; cst_config_itm() sets CST_ITM_SYNC_TRY */

	/*
	 * ETMv4 and ETE: forms of Q elements that TRCIDR0.QSUPP has and TRCCONFIGR.QE turns off:
	 * bit 0 those with a count, bit 1 those without. Their packets are decoded, and each is a
	 * finding (CST_FIND_ETM_Q_OFF).
	 */
	uint8_t q_off;
};

/*
 * Where the packets of an ITM begin while there was no synchronisation packet, which hardware sends every 16 to 256 million
 * cycles, or never. With as_reference it is CST_ITM_SYNC_PACKET, whatever the configuration says.
 */
enum cst_itm_sync {
	CST_ITM_SYNC_PACKET,	/* behind the next synchronisation packet; bytes up to it are not decoded */
	/*
	 * At the place whose following bytes make the most plausible packets, of those in the next 32 bytes. It is counted
	 * (cst_stats.boundaries_tried) and recorded as CST_FIND_ITM_BOUNDARY.
	 */
	CST_ITM_SYNC_TRY,
	/* The first byte begins a packet, unless the bytes behind it contradict that; elsewhere as CST_ITM_SYNC_TRY. */
	CST_ITM_SYNC_START,
};

enum cst_check {
	CST_CHECK_N_DIRECT = 1,	/* atom N of an unconditional direct branch to anywhere but the next instruction */
	CST_CHECK_N_ANY = 2,	/* atom N of any unconditional branch */
	/* CST_CHECK_N_ANY except in T32, where an exception may return into the middle of an IT block */
	CST_CHECK_N_NOT_T32 = 4,
	CST_CHECK_CONTINUE = 8,	/* after an atom N execution continues elsewhere than at the next instruction */
	CST_CHECK_UNDEFINED = 16, /* A64: an instruction with a zero upper half (UDF) was executed */
};

/*
 * Returns 1 if the trace unit is an ETE, 0 if it is an ETMv4. TRCDEVARCH.ARCHVER decides (4: ETMv4, 5: ETE); if it is
 * 0, TRCIDR1.TRCARCHMAJ does (4: ETMv4, 15: ETE). If neither is conclusive, `recorded`, the type in the recording, is
 * used. The registers have precedence because recorders write an ETMv4 whose TRCDEVARCH they can read as an ETE, and an
 * ETE whose TRCDEVARCH they cannot read as an ETMv4. `recorded` too if struct_size is refused.
 */
CST_API int cst_etmv4_is_ete(const struct cst_etmv4_regs *regs, int recorded);

/*
 * Fills `cfg` for an ETMv4 or ETE trace unit; cst_etmv4_is_ete() decides which, with `ete` (1: ETE) as the recorded
 * type. Returns -CST_ERR_UNSUP if the registers contradict each other: data trace, load or store P0 elements or
 * conditional tracing are enabled in a trace unit that does not implement them (only R and M profile may). Returns
 * -CST_ERR_VERSION if the version is neither ETMv4 nor ETE. `cfg` is filled as far as possible in either case, so that
 * packets can still be listed.
 */
CST_API int cst_config_etmv4(struct cst_config *cfg, const struct cst_etmv4_regs *regs, int ete,
			     enum cst_profile profile);

/* A register field with a value that the architecture reserves. */
struct cst_reserved_field {
	const char *name;	/* "TRCIDR2.VMIDSIZE" */
	uint32_t value;
};

/*
 * Writes up to `max` fields of TRCIDR0 and TRCIDR2 with reserved values to `out` and returns their number. Only fields
 * that describe the trace stream are checked. A reserved size of context or virtual context identifiers is used as
 * stated if it is 1, 2 or 4 bytes; any other counts as 32 bits in an ETE and as absent in an ETMv4. Registers that were
 * not captured are 0. Returns 0 if struct_size is refused.
 */
CST_API unsigned int cst_config_etmv4_reserved(const struct cst_etmv4_regs *regs, int ete,
					       struct cst_reserved_field *out, unsigned int max);

/*
 * Fill `cfg` as cst_config_etmv4() for an ETMv3 (-CST_ERR_VERSION unless ETMIDR has the version 2.0 to 2.5), a PTM
 * (3.0, 3.1), an STM or an ITM. Fields that a protocol does not have are 0.
 */
CST_API int cst_config_etmv3(struct cst_config *cfg, const struct cst_etmv3_regs *regs,
			     enum cst_profile profile);
CST_API int cst_config_ptm(struct cst_config *cfg, const struct cst_etmv3_regs *regs);
CST_API int cst_config_stm(struct cst_config *cfg, const struct cst_stm_regs *regs);
CST_API int cst_config_itm(struct cst_config *cfg, const struct cst_itm_regs *regs);
/*
 * Fills `cfg` for the data trace stream that belongs to an ETMv4 instruction stream. `regs` are those of the trace
 * unit; the data stream's trace ID is TRCTRACEIDR | 1.
 */
CST_EXPERIMENTAL
CST_API int cst_config_etmv4_data(struct cst_config *cfg, const struct cst_etmv4_regs *regs,
				  enum cst_profile profile);

CST_END

#endif
