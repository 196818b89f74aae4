/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * atoms.c - the table of atom packets 0xC0..0xFF, formats 1 to 6 (Arm ARM K10.5.2.10).
 *
 * Format 6: bits 4:0 plus 3 E atoms, then one more: E if bit 5 of the header is 0, else N.
 */
#include "etmv4.h"

/* A row of the table: `n` atoms, whose bits `b` have the oldest one in bit 0. */
#define E1(b)	((b) & 1)
#define ONES(b)	(E1(b) + E1((b) >> 1) + E1((b) >> 2) + E1((b) >> 3) + E1((b) >> 4))
#define A(b, n)	{ (b) | 1u << (n), n, ONES(b) }
#define F6(x, last)	{ ((1u << ((x) + 3)) - 1) | ((uint32_t)(last) << ((x) + 3)) | 1u << ((x) + 4), \
			  (x) + 4, (x) + 3 + (last) }
#define F6_21(last)	F6(0, last), F6(1, last), F6(2, last), F6(3, last), F6(4, last), F6(5, last), \
			F6(6, last), F6(7, last), F6(8, last), F6(9, last), F6(10, last), F6(11, last), \
			F6(12, last), F6(13, last), F6(14, last), F6(15, last), F6(16, last), \
			F6(17, last), F6(18, last), F6(19, last), F6(20, last)

const struct atom_code cst_etmv4_atoms[64] = {
	F6_21(1),				/* C0..D4: E...E E */
	A(0x00, 5), A(0x0a, 5), A(0x15, 5),	/* D5 NNNNN, D6 NENEN, D7 ENENE */
	A(0x0, 2), A(0x1, 2), A(0x2, 2), A(0x3, 2),	/* D8 NN, D9 EN, DA NE, DB EE */
	A(0xe, 4), A(0x0, 4), A(0xa, 4), A(0x5, 4),	/* DC NEEE, DD NNNN, DE NENE, DF ENEN */
	F6_21(0),				/* E0..F4: E...E N */
	A(0x1e, 5),				/* F5 NEEEE */
	A(0x0, 1), A(0x1, 1),			/* F6 N, F7 E */
	A(0x0, 3), A(0x1, 3), A(0x2, 3), A(0x3, 3),	/* F8 NNN .. FF EEE, bit 0 oldest */
	A(0x4, 3), A(0x5, 3), A(0x6, 3), A(0x7, 3),
};
