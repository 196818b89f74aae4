/* SPDX-License-Identifier: BSD-3-Clause */
/* bits.h - fields of registers. */
#ifndef CST_LIB_BITS_H
#define CST_LIB_BITS_H

#define BITS(reg, hi, lo) (((reg) >> (lo)) & ((1u << ((hi) - (lo) + 1)) - 1))
#define BIT(reg, n) (((reg) >> (n)) & 1)

#endif
