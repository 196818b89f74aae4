/* SPDX-License-Identifier: BSD-3-Clause */
/* metadata_int.h - inside the trace metadata: registers and the options that stand in them. */
#ifndef CST_LIB_FILES_PACKAGE_METADATA_INT_H
#define CST_LIB_FILES_PACKAGE_METADATA_INT_H

#include <cstrace/files/metadata.h>

#include "files/ini/doc_int.h"

#define CST_META_ITEMS 1024	/* in a section */

enum cst_meta_reg {
	REG_NONE,
	REG_TRCCONFIGR,
	REG_TRCTRACEIDR,
	REG_TRCIDR0,
	REG_TRCIDR1,
	REG_TRCIDR2,
	REG_TRCIDR8,
	REG_TRCIDR9,
	REG_TRCIDR10,
	REG_TRCIDR11,
	REG_TRCIDR12,
	REG_TRCIDR13,
	REG_TRCDEVARCH,
	REG_ETMCR,
	REG_ETMIDR,
	REG_ETMCCER,
	REG_ETMTRACEIDR,
	REG__COUNT
};

/* Registers that a section gives. */
struct cst_meta_regs {
	uint32_t value[REG__COUNT];
	uint32_t given;		/* 1 << enum cst_meta_reg */
};

/* How a field holds an option. */
enum cst_meta_code {
	CODE_PLAIN,
	CODE_NOT,	/* boolean, inverted */
	CODE_ANY,	/* boolean: not zero */
	CODE_SIZE,	/* bytes: 1, 2, 4 */
	CODE_CID_SIZE,	/* 0..3: 0, 8, 16, 32 bits */
	CODE_CC_SIZE,	/* 12 and more */
	CODE_IA_SIZE,	/* 8: 64 bits */
	CODE_TS_SIZE,	/* 6: 48 bits, 8: 64 */
	CODE_TS_64,	/* 1: 64 bits, 0: 48 */
	CODE_FIXED,	/* `fixed`, whatever the register says */
};

/* When decoding needs an option; other options are only checked. */
enum cst_meta_need {
	NEVER,
	ALWAYS,
	WITH_CYCLES,	/* cycle counts are on */
	WITH_TIMES,	/* timestamps are on */
	WITH_VMID,	/* VMIDs are traced */
	FROM_MINOR_3,	/* ETMv4.3; ETE */
	FROM_MINOR_4,	/* ETMv3.4 */
};

/* Where an option stands in the registers of some kinds of sources. */
struct cst_meta_field {
	uint8_t kinds;		/* 1 << enum cst_meta_kind */
	uint8_t opt;		/* enum cst_meta_option */
	uint8_t need;		/* enum cst_meta_need */
	uint8_t reg, hi, lo;	/* reg: enum cst_meta_reg */
	uint8_t code;		/* enum cst_meta_code */
	uint8_t gate, gate_bit;	/* register and bit without which the option is 0; REG_NONE: none */
	uint8_t fixed;
};

extern const char *const cst_meta_reg_names[REG__COUNT];
extern const struct cst_meta_field cst_meta_fields[];	/* the last row is of no kind */
const struct cst_meta_field *cst_meta_field(enum cst_meta_kind kind, enum cst_meta_option opt);
uint64_t cst_meta_decode(const struct cst_meta_field *f, uint32_t reg);
/* Puts an option into its field and gate; 0, or -CST_ERR_INVAL when the field cannot hold it. */
int cst_meta_encode(const struct cst_meta_field *f, uint64_t value, uint32_t *reg, uint32_t *gate);
/* True if the option may have this value. */
int cst_meta_value_ok(enum cst_meta_option opt, uint64_t value);
int cst_meta_is_bool(enum cst_meta_option opt);

#endif
