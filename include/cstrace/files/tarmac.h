/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tarmac.h - Tarmac text: what a model or a simulated processor executed, one record a line
 * (Fast Models, "TarmacTrace file format").
 *
 * The dialects that exist differ in the lines of instructions and of memory:
 *
 *	12 clk cpu0 IT (12) 00008000:000000008000_NS d503201f O EL1h_ns : NOP	Fast Models; gem5 without cpu and physical address
 *	12 ns  ES  (00008000:e59f0004) A svc_s:   CCFAIL LDREQ r0,[pc,#4]		simulated hardware, ISS
 *	12 cs IT (0000000000008000) d503201f O ---_- : nop				address in the brackets
 *	12 cyc IT (00008000:0000000c) 00008000 48f6 T16 LDR r0,[pc,#984]		Cortex-M hardware
 *
 * A reader takes text in pieces of any size and returns a record for each line; the lines may mix the dialects. It counts
 * empty lines and comments ('#' or "//" as the first characters), but returns no record for them. Text never makes a call
 * fail: a line that breaks the syntax is a record of kind CST_TARMAC_OTHER with the column of its error.
 *
 * A reader belongs to one thread at a time; records and the functions without a reader may be used from any.
 */
#ifndef CSTRACE_FILES_TARMAC_H
#define CSTRACE_FILES_TARMAC_H

#include <cstrace/files/doc.h>
#include <cstrace/types.h>

CST_BEGIN

#define CST_TARMAC_DATA 64	/* bytes of one memory access */

/* Type of a record. */
enum cst_tarmac_kind {
	CST_TARMAC_OTHER,	/* a message, a record of unknown type, or one that is wrong (`error`) */
	CST_TARMAC_HEADER,	/* "Tarmac Text Rev 3t", the first line of some files */
	CST_TARMAC_INSN,	/* IT, IS, IF, ES */
	CST_TARMAC_FLOW,	/* FD, FI, FR, BR */
	CST_TARMAC_REG,		/* R */
	CST_TARMAC_MEMORY,	/* MR, MW; R01 to W08; LD, ST */
	CST_TARMAC_UPDATE,	/* MU: an atomic operation */
	CST_TARMAC_BUS,		/* BR, BW with a size */
	CST_TARMAC_EVENT,	/* E; EXC, Reset */
	CST_TARMAC_MAINTENANCE,	/* CACHE MAINTENANCE */
	CST_TARMAC_CACHE,	/* CACHE ... LINE */
	CST_TARMAC_WALK,	/* TTW, TTU */
	CST_TARMAC_TLB,		/* TLB, WALKCACHE */
	CST_TARMAC_KINDS,
};

/* Unit of times. */
enum cst_tarmac_unit {
	CST_TARMAC_NO_UNIT,
	CST_TARMAC_CLK,		/* a count without relation to real time; so are CYC and TIC */
	CST_TARMAC_CYC,
	CST_TARMAC_TIC,
	CST_TARMAC_CS,
	CST_TARMAC_FS,
	CST_TARMAC_PS,
	CST_TARMAC_NS,
	CST_TARMAC_US,
	CST_TARMAC_MS,
	CST_TARMAC_S,
	CST_TARMAC_UNITS,
};

/* Syntax of a line. The writer writes the first two. */
enum cst_tarmac_dialect {
	CST_TARMAC_FAST_MODELS,
	CST_TARMAC_ES,		/* ES, BR, EXC, LD, ST */
	CST_TARMAC_BRACKETS,	/* the instruction's address in the brackets; R01 to W08 */
	CST_TARMAC_RTL,		/* address and index in the brackets, no mode; MNR4___D */
};

enum cst_tarmac_flags {
	CST_TARMAC_TIME_BEFORE = 1,	/* the line has no time: `time` is that of the line before */
	CST_TARMAC_CUT = 2,		/* the line was longer than max_line: its rest is missing */
};

/* Address space of a physical address. */
enum cst_tarmac_space {
	CST_TARMAC_NO_PHYSICAL,	/* the line has no physical address */
	CST_TARMAC_UNSAID,	/* LD, ST without "S:" or "NS:" */
	CST_TARMAC_SECURE,
	CST_TARMAC_NONSECURE,
	CST_TARMAC_ROOT,	/* LD, ST only; so is the next one */
	CST_TARMAC_REALM,
};

struct cst_tarmac_address {
	uint64_t address;	/* virtual, where the line has two */
	uint64_t physical;
	uint8_t space;		/* enum cst_tarmac_space */
	uint8_t reserved[7];
};

enum cst_tarmac_mode_kind {
	CST_TARMAC_NO_MODE,	/* the line has no mode */
	CST_TARMAC_EL,		/* AArch64: `el` and `stack` */
	CST_TARMAC_USR,		/* AArch32 */
	CST_TARMAC_FIQ,
	CST_TARMAC_IRQ,
	CST_TARMAC_SVC,
	CST_TARMAC_MON,
	CST_TARMAC_ABT,
	CST_TARMAC_HYP,
	CST_TARMAC_UND,
	CST_TARMAC_SYS,
	CST_TARMAC_THREAD,	/* M profile */
	CST_TARMAC_HANDLER,
	CST_TARMAC_MODE_OTHER,	/* any other word: `text` */
};

/* Processor mode and security state. */
struct cst_tarmac_mode {
	struct cst_str text;	/* the word in the line; the writer uses it for CST_TARMAC_MODE_OTHER only */
	uint8_t kind;		/* enum cst_tarmac_mode_kind */
	uint8_t el;		/* 0..3; of AArch32: usr 0, hyp 2, mon 3, others 1; M profile: thread 0, handler 1 */
	char stack;		/* CST_TARMAC_EL: 't' SP_EL0, 'h' SP_ELx; else 0 */
	uint8_t has_security;
	uint8_t security;	/* enum cst_security */
	uint8_t reserved[3];
};

enum cst_tarmac_outcome {
	CST_TARMAC_EXECUTED,
	CST_TARMAC_CC_FAIL,	/* the condition failed */
	CST_TARMAC_FETCH_FAIL,	/* the opcode is a row of dashes */
};

/* An instruction that was started. */
struct cst_tarmac_insn {
	struct cst_tarmac_address address;
	uint64_t index;		/* tick count of the processor */
	uint64_t physical2;	/* of the second halfword of a T32 instruction, in the space of the first */
	struct cst_tarmac_mode mode;
	struct cst_str disassembly;	/* n 0: none */
	uint32_t opcode;	/* T32 of 4 bytes: first halfword << 16 | second */
	uint8_t size;		/* bytes of the opcode, 2 or 4; CST_TARMAC_FETCH_FAIL: half the number of dashes */
	uint8_t outcome;	/* enum cst_tarmac_outcome */
	uint8_t isa;		/* enum cst_isa: A32, T32, A64, TEE */
	uint8_t has_index;
	uint8_t has_physical2;
	uint8_t reserved[7];
};

enum cst_tarmac_flow_type {
	CST_TARMAC_DIRECT,	/* FD */
	CST_TARMAC_INDIRECT,	/* FI */
	CST_TARMAC_RETURN,	/* FR of older models: return from an exception */
	CST_TARMAC_BRANCH,	/* BR: target and instruction set alone */
};

/* A change of the program flow. */
struct cst_tarmac_flow {
	struct cst_tarmac_address from, target;
	uint64_t index;		/* as of the instruction */
	uint8_t type;		/* enum cst_tarmac_flow_type */
	uint8_t isa;		/* enum cst_isa, after the branch */
	uint8_t reserved[6];
};

/* Class of a register, by its name. */
enum cst_tarmac_reg_class {
	CST_TARMAC_REG_SYSTEM,	/* any register of no other class */
	CST_TARMAC_REG_CORE,	/* r0 to r15, x, w, sp, lr, pc */
	CST_TARMAC_REG_BANKED,	/* r13_svc, sp_el1, msp_s */
	CST_TARMAC_REG_VECTOR,	/* v, q, d, s, h, b, z */
	CST_TARMAC_REG_PREDICATE, /* p, pn, ffr, vpr */
	CST_TARMAC_REG_MATRIX,	/* za, zt0 */
	CST_TARMAC_REG_PSR,	/* cpsr, spsr_el1, nzcv, xpsr */
	CST_TARMAC_REG_FP,	/* fpcr, fpsr, fpscr, fpexc */
	CST_TARMAC_REG_OPERATION, /* DC, IC, TLBI, AT ...: an operation, no register */
};

struct cst_tarmac_reg_name {
	uint8_t reg_class;	/* enum cst_tarmac_reg_class */
	uint8_t number;		/* r13 13, sp of AArch32 13, lr of AArch32 14; 255: the name has no number */
	uint8_t bank;		/* enum cst_tarmac_mode_kind of BANKED and PSR, CST_TARMAC_NO_MODE: no mode in the name */
	uint8_t el;		/* bank CST_TARMAC_EL: 0..3 */
	uint8_t security;	/* 1 + enum cst_security of a name with _s or _ns; else 0 */
	uint8_t bits;		/* width; 0: depends on the processor */
	uint8_t reserved[2];
};

/* A write to a register. */
struct cst_tarmac_reg {
	struct cst_str name;
	struct cst_str bank;	/* "USR" of "R1 (USR)", "CIVAC" of "DC CIVAC"; n 0: none */
	struct cst_str digits;	/* hexadecimal, '-' for unknown digits, between them '_', ':' and blanks: cst_tarmac_bytes() */
	struct cst_str note;	/* text behind the value, e.g. flags in words; n 0: none */
	struct cst_tarmac_reg_name what;
	uint64_t value;		/* of the lowest 16 digits, unknown ones as 0 */
	uint32_t bits;		/* four for each digit */
	uint32_t unknown;	/* number of unknown digits */
	uint16_t high, low;	/* bits that were written, of "V0<127:64>" */
	uint8_t has_range;
	uint8_t has_parentheses; /* of the bank */
	uint8_t reserved[2];
};

enum cst_tarmac_access {
	CST_TARMAC_EXCLUSIVE = 1,	/* X */
	CST_TARMAC_UNPRIVILEGED = 2,	/* T */
	CST_TARMAC_LOCKED = 4,		/* L */
	CST_TARMAC_ABORTED = 8,		/* "(ABORTED)": no data */
	CST_TARMAC_BIG = 16,		/* the digits are in the order of the addresses (CST_TARMAC_RTL) */
};

/* A memory access, or (CST_TARMAC_UPDATE) the write of an atomic operation. */
struct cst_tarmac_memory {
	struct cst_tarmac_address address;	/* of the first byte; CST_TARMAC_UPDATE: physical, in `address` */
	uint64_t used;		/* bit n: byte n was accessed (LD and ST may leave bytes out) */
	uint64_t unknown;	/* bit n: byte n was accessed, its value is not known */
	struct cst_str attributes;	/* LD, ST: memory type; CST_TARMAC_RTL: letters after the size; n 0: none */
	struct cst_str operation;	/* CST_TARMAC_UPDATE: ADD, BIC, CAS, ... */
	uint8_t write;
	uint8_t size;		/* bytes from the first to the last one that was accessed, 0..CST_TARMAC_DATA */
	uint8_t access;		/* enum cst_tarmac_access */
	uint8_t window;		/* LD, ST: `address` minus the first address of the 16 bytes in the line */
	char port;		/* CST_TARMAC_RTL: 'N' of MNR4; else 0 */
	uint8_t reserved[3];
	/*
	 * LD, ST and CST_TARMAC_RTL: in the order of the addresses. Other lines hold one number; here its lowest byte comes
	 * first, which is the order of the addresses unless the processor is big-endian.
	 */
	uint8_t data[CST_TARMAC_DATA];
};

/* Cache attributes of a bus transaction, inner or outer. */
enum cst_tarmac_cacheable {
	CST_TARMAC_WRITE_ALLOCATE = 1,
	CST_TARMAC_READ_ALLOCATE = 2,
	CST_TARMAC_CACHEABLE = 4,
	CST_TARMAC_BUFFERABLE = 8,
	CST_TARMAC_SHAREABLE = 16,
};

/* A transaction of the memory bus. */
struct cst_tarmac_bus {
	uint64_t address;	/* physical */
	struct cst_str master;	/* ID */
	uint8_t write, fetch, privileged, nonsecure;	/* booleans; fetch: of an opcode */
	uint8_t size;		/* bytes, 1..CST_TARMAC_DATA */
	uint8_t access;		/* CST_TARMAC_EXCLUSIVE, CST_TARMAC_LOCKED or 0 */
	uint8_t inner, outer;	/* enum cst_tarmac_cacheable */
	uint8_t data[CST_TARMAC_DATA];	/* in the order of the addresses */
};

/* Numbers of events that the specification lists. */
enum cst_tarmac_event_number {
	CST_TARMAC_E_RESET = 0x01,
	CST_TARMAC_E_UNDEFINED = 0x02,
	CST_TARMAC_E_SWI = 0x03,
	CST_TARMAC_E_PREFETCH_ABORT = 0x04,
	CST_TARMAC_E_DATA_ABORT = 0x05,
	CST_TARMAC_E_IRQ = 0x07,
	CST_TARMAC_E_FIQ = 0x08,
	CST_TARMAC_E_IMP_DATA_ABORT = 0x0e,
	CST_TARMAC_E_MODE_CHANGE = 0x19,
	CST_TARMAC_E_VECTOR = 0x80,	/* AArch64: + offset of the vector / 128 + 4 * (current EL with SPx, lower EL, ...) */
};

/* An exception, an interrupt, a change of mode. */
struct cst_tarmac_event {
	struct cst_tarmac_address value;
	struct cst_tarmac_mode mode;	/* the new one; kind CST_TARMAC_NO_MODE: none */
	struct cst_str name;	/* "CoreEvent_IRQ"; CST_TARMAC_ES: words, n 0: none */
	struct cst_str text;	/* of events without value (DebugEvent_...): the text behind the name */
	uint64_t value1;
	uint32_t number;	/* CST_TARMAC_ES: offset of the vector */
	uint8_t has_value, has_value1, has_number;
	uint8_t reserved;
};

/* A cache maintenance operation. */
struct cst_tarmac_maintenance {
	struct cst_str side, operation, scope;	/* "Data cache", "Clean and Invalidate", "By MVA to PoC" */
	struct cst_tarmac_address data;		/* by MVA: an address; else a number */
	struct cst_str region;	/* size and memory type of the region, by MVA; n 0: none */
};

/* A cache line that is filled or leaves. */
struct cst_tarmac_cache {
	struct cst_str id, operation;	/* "cpu.cpu0.l1dcache", "ALLOC" */
	uint64_t line;		/* number in the cache */
	uint64_t address;	/* physical */
	uint8_t nonsecure;
	uint8_t reserved[7];
};

/* One level of a translation table walk. */
struct cst_tarmac_walk {
	struct cst_str side, format;	/* "ITLB", "LPAE" */
	struct cst_str result, attributes;	/* "BLOCK", "ATTRIDX=0 NS=0 ..." */
	uint64_t address;	/* physical, of the entry */
	uint64_t data;		/* the entry */
	uint8_t update;		/* TTU: the entry is written */
	uint8_t stage;		/* 1, 2 */
	uint8_t level;
	uint8_t reserved[5];
};

/* An entry of a TLB or of a walk cache. */
struct cst_tarmac_tlb {
	struct cst_str id;	/* "cpu.cpu0.ITLB" */
	struct cst_str regime;	/* "EL1_n"; n 0: none */
	struct cst_str type;	/* FILL: memory type; n 0: none */
	struct cst_str attributes;	/* FILL */
	struct cst_str size_text;	/* "64K" */
	uint64_t size;		/* bytes; 0: the text is not a number */
	uint64_t base;		/* virtual */
	uint64_t physical;	/* FILL */
	uint32_t vmid, asid;
	uint8_t walk_cache, evict, nonsecure, physical_nonsecure, has_vmid, has_asid;
	uint8_t reserved[2];
};

/* A line. Its texts point into the line that was read, or into memory of the writer's caller. */
struct cst_tarmac_record {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	uint64_t time;
	uint64_t line;		/* number of the line, 1 the first one */
	uint64_t offset;	/* of the line in all text that was fed, in bytes */
	struct cst_str cpu;	/* n 0: none */
	struct cst_str text;	/* the line from the type of the record on (CST_TARMAC_OTHER: all after time and cpu), without outer blanks */
	uint8_t kind;		/* enum cst_tarmac_kind */
	uint8_t unit;		/* enum cst_tarmac_unit */
	uint8_t dialect;	/* enum cst_tarmac_dialect */
	uint8_t flags;		/* enum cst_tarmac_flags */
	int error;		/* CST_TARMAC_OTHER: 0, -CST_ERR_SYNTAX, or -CST_ERR_LIMIT (a number is too large) */
	uint32_t column;	/* of the error: byte of the line, 1 the first one */
	uint32_t reserved;
	const char *reason;	/* static text of the error: what was expected; NULL: no error */
	union {
		struct cst_tarmac_insn insn;
		struct cst_tarmac_flow flow;
		struct cst_tarmac_reg reg;
		struct cst_tarmac_memory memory;	/* CST_TARMAC_MEMORY, CST_TARMAC_UPDATE */
		struct cst_tarmac_bus bus;
		struct cst_tarmac_event event;
		struct cst_tarmac_maintenance maintenance;
		struct cst_tarmac_cache cache;
		struct cst_tarmac_walk walk;
		struct cst_tarmac_tlb tlb;
	} u;
};

/* Options of a reader; all 0: the defaults. */
struct cst_tarmac_opts {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	size_t max_line;	/* bytes of a line that are read, the rest is skipped; 0: 64 KiB */
	/* 1: instructions without instruction set and mode are accepted (processors with one instruction set, `isa`) */
	uint8_t has_isa;
	uint8_t isa;		/* enum cst_isa */
};

/* Counters of a reader. */
struct cst_tarmac_counts {
	uint64_t bytes, lines;	/* lines: with empty ones and comments */
	uint64_t empty, comments;
	uint64_t cut, cut_bytes;	/* lines longer than max_line, and bytes of them that were skipped */
	uint64_t errors;	/* records with an error */
	uint64_t kinds[CST_TARMAC_KINDS];	/* records by enum cst_tarmac_kind; CST_TARMAC_OTHER: with those that have an error */
};

struct cst_tarmac_reader;

/* Makes a reader. `opts` NULL: the defaults. -CST_ERR_INVAL: opts->isa is not A32, T32, A64 or TEE. */
CST_API int cst_tarmac_reader_new(struct cst_tarmac_reader **r, const struct cst_tarmac_opts *opts);
CST_API void cst_tarmac_reader_free(struct cst_tarmac_reader *r);
/*
 * Adds text. The reader does not copy it: it must stay unchanged until cst_tarmac_next() returns 0. -CST_ERR_BUSY: the
 * text of the last call is not used up.
 */
CST_API int cst_tarmac_feed(struct cst_tarmac_reader *r, const void *text, size_t len);
/* Ends the text: the last line may lack its '\n'. Text that is fed after this call begins a new line. */
CST_API void cst_tarmac_end(struct cst_tarmac_reader *r);
/*
 * Returns 1 with the record of the next line, which belongs to the reader and is valid until the next call; 0 if more text
 * is needed (after cst_tarmac_end(): at the end of the text); -CST_ERR_NOMEM, after which the next call retries the same
 * line. The reader allocates memory only for a line that was fed in pieces or is too long, at most max_line bytes.
 */
CST_API int cst_tarmac_next(struct cst_tarmac_reader *r, const struct cst_tarmac_record **rec);
CST_EXPERIMENTAL
CST_API const struct cst_tarmac_counts *cst_tarmac_reader_counts(const struct cst_tarmac_reader *r);

/*
 * Writes a record as a line with its '\n' into out[0..cap). Returns the length of the line, which is written completely if
 * the length is at most `cap`. -CST_ERR_INVAL: the record is invalid (a kind that does not exist, a name with a blank, a
 * text with a line end); -CST_ERR_UNSUP: the dialect has no form for the record, or requires a field that it lacks.
 *
 * CST_TARMAC_FAST_MODELS keeps to the specification. It requires index, mode and opcode of an instruction; it has no banks
 * in parentheses, ranges and unknown digits of registers, and no memory accesses that leave bytes out; it drops notes and
 * memory types, and writes a time in every line. CST_TARMAC_ES drops index and physical address of instructions, begins
 * lines of CST_TARMAC_TIME_BEFORE with blanks, writes an access as LD or ST if it fits into one line and has none of X, T
 * and L, and uses the form of the other dialect for records without a form of their own.
 *
 * Reading the line gives the same record, except line, offset, text, dialect, mode.text, column, the separators between
 * digits, and what the dialect drops. A record with CST_TARMAC_CUT is written as far as it was read.
 */
CST_API int64_t cst_tarmac_write(const struct cst_tarmac_record *rec,
				 enum cst_tarmac_dialect dialect, char *out, size_t cap);

/*
 * Converts hexadecimal digits into bytes, the lowest first, without their separators. Returns the number of bytes, of which
 * it writes at most `cap`; an unknown digit is 0 in `bytes` and f in `unknown` (may be NULL). -CST_ERR_SYNTAX: a character is
 * neither digit nor separator. Pure function.
 */
CST_EXPERIMENTAL
CST_API int64_t cst_tarmac_bytes(struct cst_str digits, uint8_t *bytes, uint8_t *unknown, size_t cap);
/* Finds class, number and bank of a register by its name. Pure function. */
CST_EXPERIMENTAL
CST_API void cst_tarmac_reg_find(struct cst_tarmac_reg_name *what, struct cst_str name);
/* Name of a unit, "clk"; "" for CST_TARMAC_NO_UNIT, NULL if there is no such unit. Static text. */
CST_EXPERIMENTAL
CST_API const char *cst_tarmac_unit_text(enum cst_tarmac_unit unit);

CST_END

#endif
