/* SPDX-License-Identifier: BSD-3-Clause */
/* encode_atom.c - atoms wait here until they fill a packet or another packet has to go out. */
#include <string.h>

#include "encode_int.h"

struct atom_pattern {
	uint8_t header, n;
	char atoms[6];
};

/* longest first; format 6 is computed */
static const struct atom_pattern patterns[] = {
	{ 0xd5, 5, "NNNNN" }, { 0xd6, 5, "NENEN" }, { 0xd7, 5, "ENENE" }, { 0xf5, 5, "NEEEE" },
	{ 0xdc, 4, "NEEE" }, { 0xdd, 4, "NNNN" }, { 0xde, 4, "NENE" }, { 0xdf, 4, "ENEN" },
	{ 0xf8, 3, "NNN" }, { 0xf9, 3, "ENN" }, { 0xfa, 3, "NEN" }, { 0xfb, 3, "EEN" },
	{ 0xfc, 3, "NNE" }, { 0xfd, 3, "ENE" }, { 0xfe, 3, "NEE" }, { 0xff, 3, "EEE" },
	{ 0xd8, 2, "NN" }, { 0xd9, 2, "EN" }, { 0xda, 2, "NE" }, { 0xdb, 2, "EE" },
	{ 0xf6, 1, "N" }, { 0xf7, 1, "E" },
};

#define NPATTERNS (sizeof(patterns) / sizeof(patterns[0]))

/*
 * The atom of an item is what is sent; a range that is mispredicted carries the final outcome, so
 * the sent one is kept in ev.cc, which ranges do not use.
 */
static char sent(const struct tu_item *it)
{
	return (char)it->ev.cc;
}

static int matches(const struct tu *t, const struct atom_pattern *p, uint32_t avail)
{
	uint32_t i;

	if (p->n > avail)
		return 0;
	for (i = 0; i < p->n; i++)
		if (sent(&t->atoms[i]) != p->atoms[i])
			return 0;
	return 1;
}

/* 3 to 23 E atoms and one more of either kind; returns the number of atoms, 0: not possible */
static uint32_t format6(struct tu *t, uint32_t avail)
{
	uint32_t e = 0, total;

	while (e < avail && e < 24 && sent(&t->atoms[e]) == 'E')
		e++;
	if (e < avail && e < 24)
		total = e + 1;		/* ends with the N */
	else
		total = e;
	if (total < 4)
		return 0;
	return rng_pm(&t->rng, t->o.p_atom) ? rng_range(&t->rng, 4, total) : total;
}

static void push_atoms(struct tu *t, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		struct tu_item it = t->atoms[i];

		it.ev.cc = 0;
		tu_push_raw(t, &it);
	}
	t->natoms -= n;
	memmove(t->atoms, t->atoms + n, t->natoms * sizeof(t->atoms[0]));
}

static void one_packet(struct tu *t, uint32_t avail)
{
	uint32_t n = format6(t, avail);
	size_t i, choice = NPATTERNS;

	t->pkt_off = t->off + t->out.len;
	if (n && !rng_pm(&t->rng, t->o.p_atom)) {
		gbuf_u8(&t->out, (sent(&t->atoms[n - 1]) == 'E' ? 0xc0 : 0xe0) | (n - 4));
		push_atoms(t, n);
		return;
	}
	for (i = 0; i < NPATTERNS; i++) {
		if (!matches(t, &patterns[i], avail))
			continue;
		choice = i;
		if (!rng_pm(&t->rng, t->o.p_atom))
			break;
	}
	GEN_BUG_ON(choice == NPATTERNS);
	gbuf_u8(&t->out, patterns[choice].header);
	push_atoms(t, patterns[choice].n);
}

void tu_atoms_flush(struct tu *t, uint32_t keep)
{
	while (t->natoms > keep)
		one_packet(t, t->natoms - keep);
}

void tu_atoms_take(struct tu *t, uint32_t n)
{
	GEN_BUG_ON(t->natoms != n);
	push_atoms(t, n);
}

void tu_atom(struct tu *t, const struct tu_item *it)
{
	/* wrong and right atoms share packets: remember on which side this one is */
	t->atoms[t->natoms] = *it;
	t->atoms[t->natoms].p0 = 1;
	t->atoms[t->natoms].wrong = t->wrong;
	if (t->wrong)
		t->wrong_p0++;
	t->natoms++;
	if (t->natoms >= 24)
		one_packet(t, t->natoms);
	else if (rng_pm(&t->rng, t->o.p_atom / 4))
		tu_atoms_flush(t, 0);
}
