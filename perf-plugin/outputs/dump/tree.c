/* SPDX-License-Identifier: GPL-2.0-only */
/* tree.c - decodes a buffer with a decode tree, lists its packets and elements, and prints counts and losses. */
#include <stdio.h>

#include "base/alloc.h"
#include "outputs/dump/dump.h"
#include "outputs/dump/reference.h"

#define BATCH 256	/* elements, 16 KB on the stack */

#define PAST 1	/* the end of the listed range was passed, or the output cannot be written */

/* Lists elements until the tree needs more input, or up to the next packet. */
static int pull(struct dump *d, struct cst_tree *tree)
{
	struct cst_generic g[BATCH];
	struct cst_pull p;
	/* where a range ends has to be seen also when nothing is listed */
	bool list = d->format != DUMP_NONE || d->range;
	int n, i;

	while ((n = mem_code(cst_tree_pull(tree, g, BATCH, &p))) > 0) {
		/* a barrier is no source's element: only --log shows it */
		for (i = 0; list && p.dec && i < n; i++)
			dump_element(d, p.dec, &g[i]);
		if (pd_output_failed(&d->out.file) ||
		    (d->range && dump_range_done(d->range, tree, d->id.only_id, d->show.packets)))
			return PAST;
	}
	return n;
}

/* Packet by packet, each followed by the elements that it completes. */
static int list_packets(struct dump *d, struct cst_tree *tree)
{
	struct cst_packet pkt = { 0 };
	struct cst_pull p;
	int n;

	while ((n = mem_code(cst_tree_next_packet(tree, &pkt, &p))) > 0) {
		if (p.why == CST_STOP_PACKET)
			dump_packet(d, p.dec, &pkt);
		n = pull(d, tree);
		if (n)
			return n;
	}
	return n;
}

void dump_sum_frames(struct dump *d, const struct cst_tree *tree)
{
	cst_frame_stats_add(&d->sums.frame_stats, cst_tree_frame_stats(tree));
}

static void sum_up(struct dump *d, const struct cst_tree *tree)
{
	const struct cst_decoder *dec;
	struct cst_stats stats;
	bool chosen = false;
	unsigned int id;

	for (id = 0; id < 0x80; id++) {
		dec = cst_tree_decoder(tree, (uint8_t)id);
		if (dec && (d->id.only_id < 0 || (unsigned int)d->id.only_id == id)) {
			stats = *cst_decoder_stats(dec);
			if (d->id.packets_only[id])
				stats.elements = stats.ranges = stats.insns = stats.branches = 0;
			cst_stats_add(&d->sums.stats, &stats);
			d->id.has_id = true;
			chosen |= d->id.only_id >= 0 || (d->id.one_source && stats.bytes);
		}
	}
	if (d->format == DUMP_OPENCSD)
		reference_stats(&d->sums.stats);
	if (!d->id.raw)
		dump_sum_frames(d, tree);
	/* bytes of other IDs than that of --id or --source are no loss, with or without a decoder */
	if (!chosen)
		d->sums.unrouted += cst_tree_unrouted(tree);
}

int dump_tree(struct dump *d, struct cst_tree *tree, const uint8_t *data, size_t len, uint64_t offset)
{
	int (*list)(struct dump *, struct cst_tree *);
	struct index_section section = { .data = data, .offset = offset, .size = len, .tree = tree };
	uint64_t start = offset;
	int err;

	snprintf(section.name, sizeof(section.name), "%s", d->at.section);
	if (d->make)
		return index_book_make(d->make, &section) ? -CST_ERR_INVAL : 0;
	if (d->range) {
		dump_range_reset(d->range);
		start = dump_range_start(d->range, &section, d->id.only_id);
	}

	/* the reference's listing shows some elements with the offset of a packet as it lists them */
	list = d->show.packets || d->format == DUMP_OPENCSD ? list_packets : pull;
	/* sums are the same in any order of the sources, and are made faster source by source */
	err = d->format == DUMP_NONE && !d->range ? cst_tree_set_order(tree, CST_ORDER_BY_ID) : 0;
	if (!err)
		err = mem_code(cst_tree_feed(tree, data + (start - offset),
					     len - (size_t)(start - offset), start));
	if (!err)
		err = list(d, tree);
	if (!err) {
		cst_tree_end(tree);
		err = list(d, tree);
	}
	sum_up(d, tree);
	return err == PAST ? 0 : err;
}

unsigned int dump_frame_flags(const struct dump *d, unsigned int flags, bool packed)
{
	return flags | (d->strict ? CST_FRAME_STRICT : 0) | (packed ? CST_FRAME_PACKED : 0);
}

int dump_frames(struct dump *d, struct cst_tree *tree, const uint8_t *data, size_t len, uint64_t offset)
{
	struct cst_fragment frag;
	const uint8_t *bytes;
	int n;

	n = mem_code(cst_tree_feed(tree, data, len, offset));
	if (n < 0)
		return n;
	while ((n = cst_tree_next_fragment(tree, &frag, &bytes)) > 0 && !pd_output_failed(&d->out.file))
		dump_fragment(d, &frag, bytes + frag.pos);
	return n < 0 ? n : 0;
}

static void count(struct dump *d, const char *name, uint64_t value)
{
	char *p = dump_str(dump_out_line(&d->out), name);

	*p++ = ' ';
	p = dump_dec(p, value);
	*p++ = '\n';
	dump_out_done(&d->out, p);
}

void dump_counts(struct dump *d)
{
	const struct cst_stats *s = d->sums.filtered ? &d->sums.passed : &d->sums.stats;

	count(d, "bytes", d->sums.stats.bytes);
	count(d, "packets", d->sums.stats.packets);
	count(d, "elements", s->elements);
	count(d, "ranges", s->ranges);
	count(d, "instructions", s->insns);
	count(d, "branches", s->branches);
}

/* Without a synchronisation packet of an ITM nothing proves where its packets begin. */
static void report_boundaries(const struct dump *d)
{
	unsigned long long n = d->sums.stats.boundaries_tried;

	if (n)
		fprintf(stderr, "cstrace dump: ITM: no synchronisation packet at %llu place%s: packets begin where the following bytes "
			"make the most plausible ones (--log shows the places; --itm-sync waits for a packet)\n", n,
			n == 1 ? "" : "s");
}

void dump_losses(struct dump *d)
{
	const struct {
		uint64_t value;
		const char *text;
	} losses[] = {
		{ d->sums.stats.unsynced, "bytes before a synchronisation point" },
		{ d->sums.stats.bad_packets, "bad packets" },
		{ d->sums.stats.resyncs, "restarts after errors" },
		{ d->sums.stats.overflows, "trace unit overflows" },
		{ d->sums.stats.discards, "discards" },
		{ d->sums.stats.nacc, "ranges without code" },
		{ d->sums.stats.atoms_lost, "atoms without an address or context" },
		{ d->sums.stats.image_conflicts, "atoms that contradict the program image" },
		{ d->sums.stats.stack_empty, "returns without a return stack entry" },
		{ d->sums.stats.nopath, "Q elements with unknown path" },
		{ d->sums.stats.uncommitted, "uncommitted elements" },
		{ d->sums.stats.data_lost, "gaps in data trace" },
		{ d->sums.stats.times_unknown, "timestamps without their upper bits" },
		{ d->sums.stats.master_errors, "times that a master's writes were dropped" },
		{ d->sums.stats.global_errors, "times that several masters' writes were dropped" },
		{ d->sums.frame_stats.errors, "bad frames" },
		{ d->sums.frame_stats.skipped, "bytes of bad or cut frames" },
		{ d->sums.frame_stats.unknown, "bytes before the first trace ID" },
		{ d->sums.unrouted, "bytes of trace IDs without a decoder" },
	};
	const char *sep = ": lost: ";
	size_t i;

	report_boundaries(d);
	for (i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		if (!losses[i].value)
			continue;
		fprintf(stderr, "%s%s%llu %s", sep[0] == ':' ? d->who ? d->who : "cstrace dump" : "", sep, (unsigned long long)losses[i].value, losses[i].text);
		sep = ", ";
		d->sums.losses = true;
	}
	if (sep[0] == ',')
		fputc('\n', stderr);
}
