/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * phdr.c - P-headers: which instructions passed their condition, and in cycle-accurate mode in which cycles (IHI 0014Q
 * 7.3, P-header encodings).
 */
#include "base/bits.h"
#include "protocols/etmv3/etmv3.h"

/* Not cycle-accurate. Format 1: bits 5:2 are a number of E atoms, bit 6 adds one N. Format 2: bits 3:2 are two atoms, 1 = N. */
static uint8_t plain(unsigned int h, struct insn_code *c)
{
	if (!BIT(h, 1)) {
		unsigned int e = BITS(h, 5, 2);

		c->bits = (1u << e) - 1;
		c->n = e + BIT(h, 6);
		return c->n ? 1 : 1 | ETMV3_PHDR_ODD;
	}
	c->bits = (!BIT(h, 3)) | (!BIT(h, 2)) << 1;
	c->n = 2;
	return BITS(h, 6, 4) ? 2 | ETMV3_PHDR_ODD : 2;
}

static uint8_t with_cycles(unsigned int h, struct insn_code *c)
{
	unsigned int e;

	switch (h & 0x22) {
	case 0x00:
		/* (W E) times EEE, then W N */
		e = BITS(h, 4, 2);
		c->bits = (1u << e) - 1;
		c->n = e + BIT(h, 6);
		c->first = c->later = 1;
		/* one cycle without an atom is deprecated */
		return c->n ? 1 : 0 | ETMV3_PHDR_ODD;
	case 0x02:
		if (BIT(h, 4)) {
			c->bits = !BIT(h, 2);
			c->n = 1;
			return BIT(h, 6) | BIT(h, 3) ? 4 | ETMV3_PHDR_ODD : 4;
		}
		c->bits = (!BIT(h, 3)) | (!BIT(h, 2)) << 1;
		c->n = 2;
		c->first = 1;
		return BIT(h, 6) ? 2 | ETMV3_PHDR_ODD : 2;
	case 0x20:
		c->bits = c->n = BIT(h, 6);
		c->first = BITS(h, 4, 2) + 1;
		return 3;
	default:
		return ETMV3_PHDR_BAD;
	}
}

void cst_etmv3_phdrs(struct etmv3_parser *ps)
{
	unsigned int h;

	for (h = 0; h < 256; h++)
		ps->phdr[h].run = INSN_SLOW;
	for (h = 0x80; h < 0x100; h += 2) {
		struct insn_code *c = &ps->phdr[h];

		c->form = ps->cfg->cycle_count ? with_cycles(h, c) : plain(h, c);
		c->settles = c->n > 0;
		c->total = c->first + (c->n > 1 ? (c->n - 1u) * c->later : 0);
		if (c->form & (ETMV3_PHDR_BAD | ETMV3_PHDR_ODD))
			continue;
		c->fast = c->n + 1;
		if (c->bits == (1u << c->n) - 1)
			c->run = c->n;
	}
	/* packets that cancel no instruction: branches of one byte, I-sync, context ID, VMID */
	for (h = 1; h < 0x80; h += 2)
		ps->phdr[h].settles = 1;
	ps->phdr[ETMV3_ISYNC].settles = ps->phdr[ETMV3_ISYNC_CYCLE].settles = 1;
	ps->phdr[ETMV3_CONTEXT_ID].settles = ps->phdr[ETMV3_VMID].settles = 1;
}
