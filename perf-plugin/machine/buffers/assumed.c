/* SPDX-License-Identifier: GPL-2.0-only */
/* assumed.c - which trace unit an ID belongs to that nobody announced. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/messages.h"
#include "machine/buffers/assumed.h"
#include "machine/buffers/owners.h"
#include "machine/buffers/queues.h"
#include "machine/buffers/units.h"

/* IDs from here on are reserved by the frame format. */
#define ID_RESERVED 0x70

/*
 * The kernel gives CPU n the ID 0x10 + 2n while that is free and below 0x70
 * (drivers/hwtracing/coresight, coresight-trace-id.c); other sources get odd IDs. So if no CPU has
 * a number without an ID of its own, each CPU has that of its number.
 */
#define NUMBER_BASE	0x10
#define NUMBERED_CPUS	((ID_RESERVED - NUMBER_BASE) / 2)

/* IDs that a message lists. */
#define MAX_LISTED 8

struct search {
	struct assumed *out;
	const struct trace_units *tu;
	const struct queues *qs;
	bool numbered;		/* each CPU of the metadata has an ID by its number */
	bool shared;		/* the buffer of a CPU holds several IDs: CPUs write to one sink */
};

static bool has_id(const uint64_t ids[2], unsigned int id)
{
	return ids[id >> 6] >> (id & 63) & 1;
}

/* Returns the number of IDs of trace sources. */
static unsigned int count_ids(const uint64_t ids[2])
{
	unsigned int id, n = 0;

	for (id = 1; id < ID_RESERVED; id++)
		n += has_id(ids, id);
	return n;
}

static bool is_announced(const struct trace_units *tu, uint32_t cpu)
{
	size_t i;

	for (i = 0; i < tu->nr_ids; i++)
		if (tu->ids[i].cpu < 0 || (uint32_t)tu->ids[i].cpu == cpu)
			return true;
	return false;
}

/* True if the ID of a CPU is neither in the metadata nor in a record. */
static bool any_silent(const struct trace_units *tu)
{
	uint32_t i;

	for (i = 0; i < tu->info.nr_cpu; i++)
		if (tu->info.cpu[i].trace_id < 0 && !is_announced(tu, tu->info.cpu[i].cpu))
			return true;
	return false;
}

static bool in_another(const struct search *s, const struct queue *q, unsigned int id)
{
	size_t i;

	for (i = 0; i < s->qs->nr; i++)
		if (s->qs->q[i] != q && has_id(s->qs->q[i]->ids, id))
			return true;
	return false;
}

/* True if each CPU of the metadata has an ID by its number. */
static bool are_numbered(const struct trace_units *tu)
{
	uint32_t i;

	for (i = 0; i < tu->info.nr_cpu && tu->info.cpu[i].cpu < NUMBERED_CPUS; i++)
		;
	return i == tu->info.nr_cpu;
}

/* Returns the CPU that the kernel's numbering gives an ID; -1: none. */
static int numbered_cpu(const struct trace_units *tu, unsigned int id)
{
	uint32_t cpu = (id - NUMBER_BASE) / 2;

	if (id < NUMBER_BASE || (id - NUMBER_BASE) & 1 || !auxinfo_cpu(&tu->info, cpu))
		return -1;
	return (int)cpu;
}

static int cpu_by_number(const struct search *s, unsigned int id)
{
	int cpu = s->numbered ? numbered_cpu(s->tu, id) : -1;

	return cpu >= 0 && is_announced(s->tu, (uint32_t)cpu) ? -1 : cpu;
}

/*
 * Returns the CPU whose event wrote all stretches of a thread's buffer with this ID; -1: unknown. A
 * thread runs on one CPU at a time, and the AUX record of a stretch is written there when the
 * thread leaves it.
 */
static int cpu_by_records(const struct queue *q, unsigned int id)
{
	int cpu = -1;
	size_t i;

	for (i = 0; i < q->nr_frags; i++) {
		const struct fragment *f = &q->frags[i];
		uint64_t ids[2] = { 0, 0 };

		if (f->pub.raw)
			continue;
		frame_ids(q, f, ids);
		if (!has_id(ids, id))
			continue;
		if (count_ids(ids) > 1 || f->aux_cpu < 0 || (cpu >= 0 && cpu != f->aux_cpu))
			return -1;
		cpu = f->aux_cpu;
	}
	return cpu;
}

/*
 * Returns the CPU of a buffer with one ID. Where CPUs share a sink, its data goes to the buffer of
 * the CPU that stops last, which may be another's; then the number of the ID has to agree.
 */
static int cpu_by_buffer(const struct search *s, const struct queue *q, unsigned int id)
{
	int number = cpu_by_number(s, id);

	if (count_ids(q->ids) > 1)
		return -1;
	if (number == q->cpu || !(s->shared || (number >= 0 && in_another(s, q, id))))
		return q->cpu;
	return -1;
}

/* True if the kernel's numbering contradicts nothing in the buffer. */
static bool number_holds(const struct search *s, const struct queue *q, int cpu)
{
	return q->cpu < 0 || q->cpu == cpu || s->shared || count_ids(q->ids) > 1;
}

static void assume(struct search *s, const struct queue *q, unsigned int id)
{
	struct id_owner o = { .id = (uint8_t)id, .cpu = -1, .tid = -1, .only = q }, *to;

	o.cpu = q->cpu >= 0 ? cpu_by_buffer(s, q, id) : cpu_by_records(q, id);
	o.witness = q->cpu >= 0 ? ID_BY_BUFFER : ID_BY_RECORDS;
	if (o.cpu < 0 || !auxinfo_cpu(&s->tu->info, (uint32_t)o.cpu)) {
		o.cpu = cpu_by_number(s, id);
		if (!number_holds(s, q, o.cpu))
			o.cpu = -1;
		o.witness = ID_BY_NUMBER;
	}
	if (o.cpu < 0) {
		o.witness = ID_OF_EQUALS;
		o.unit = s->tu->of_no_cpu;
		if (!o.unit)
			return;
	}
	to = ARRAY_ADD(s->out->v, s->out->nr, s->out->cap);
	*to = o;
}

static bool named_by_metadata(const struct trace_units *tu, unsigned int id)
{
	return units_of_owner(tu, NULL, (uint8_t)id) != NULL;
}

static void look_around(struct search *s)
{
	size_t i;

	s->numbered = are_numbered(s->tu);
	for (i = 0; i < s->qs->nr; i++)
		s->shared |= s->qs->q[i]->cpu >= 0 && count_ids(s->qs->q[i]->ids) > 1;
}

void assumed_find(struct assumed *a, const struct trace_units *tu, const struct queues *qs,
		 unsigned int threads)
{
	struct search s = { .out = a, .tu = tu, .qs = qs };
	unsigned int id;
	size_t i;

	if (!any_silent(tu))
		return;
	queues_find_ids(qs->q, qs->nr, threads);
	look_around(&s);
	for (i = 0; i < qs->nr; i++)
		for (id = 1; id < ID_RESERVED; id++) {
			const struct queue *q = qs->q[i];

			if (!has_id(q->ids, id) || named_by_metadata(tu, id) || owners_at(tu, q, (uint8_t)id, 0, 0))
				continue;
			assume(&s, q, id);
		}
}

void assumed_number(struct trace_units *tu)
{
	const bool numbered = are_numbered(tu);
	size_t i;

	for (i = 0; i < tu->nr_ids && numbered; i++) {
		struct id_owner *o = &tu->ids[i];
		int cpu = numbered_cpu(tu, o->id);

		if (o->unit || o->cpu >= 0 || cpu < 0 || units_of_owner(tu, o, o->id) != tu->of_no_cpu)
			continue;
		o->cpu = cpu;
		o->witness = ID_BY_NUMBER;
	}
}

static const char *const evidence[] = {
	[ID_RECORDED] = NULL,
	[ID_BY_BUFFER] = "its buffer has no other ID",
	[ID_BY_RECORDS] = "where the thread's AUX records with this ID alone were written",
	[ID_BY_NUMBER] = "the kernel numbers IDs by CPU",
	[ID_OF_EQUALS] = "all trace units are set up alike",
};

const char *assumed_text(const struct id_owner *o)
{
	return evidence[o->witness];
}

static void print_list(const struct trace_units *tu, uint8_t witness)
{
	size_t i, n = 0;

	for (i = 0; i < tu->nr_ids; i++) {
		const struct id_owner *o = &tu->ids[i];

		if (o->witness != witness || n > MAX_LISTED)
			continue;
		if (n++ == MAX_LISTED)
			fprintf(message_stream(), " and more");
		else if (o->cpu >= 0)
			fprintf(message_stream(), "%s 0x%02x: CPU %d", n == 1 ? "" : ",", o->id, o->cpu);
		else
			fprintf(message_stream(), "%s 0x%02x: unknown CPU", n == 1 ? "" : ",", o->id);
	}
}

void assumed_report(const struct trace_units *tu)
{
	static const char *const because[] = {
		[ID_BY_BUFFER] = "each of these buffers has no other ID",
		[ID_BY_RECORDS] = "that is where the threads' AUX records with this ID alone were written",
		[ID_BY_NUMBER] = "the kernel numbers IDs by CPU",
		[ID_OF_EQUALS] = "decoded since all trace units are set up alike",
	};
	unsigned int w;
	size_t i;

	for (w = ID_BY_BUFFER; w <= ID_OF_EQUALS; w++) {
		for (i = 0; i < tu->nr_ids && tu->ids[i].witness != w; i++)
			;
		if (i == tu->nr_ids)
			continue;
		fprintf(message_stream(), "cstrace: %s: no record says which CPU has a trace ID; assumed:", tu->name);
		print_list(tu, (uint8_t)w);
		fprintf(message_stream(), " (%s)\n", because[w]);
	}
}
