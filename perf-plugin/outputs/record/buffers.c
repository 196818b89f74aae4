/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buffers.c - sizes of perf's buffers: as much trace as the purpose asks for, within what user
 * and machine may have.
 */
#include <stdlib.h>

#include "base/format.h"
#include "outputs/record/internal.h"

/*
 * Trace of a busy CPU: 1.03 bits an instruction were measured over 7.58 million instructions of
 * ETMv4 trace, so about this
 * many MB a second at 2 G instructions a second.
 */
#define RATE_MB 256u
/*
 * Defaults of perf for root and for others (KB). That for events is as large as
 * kernel.perf_event_mlock_kb.
 */
#define ROOT_AUX 4096u
#define USER_AUX 128u
#define EVENTS 512u
/* Maps and switches of all processes come in bursts. */
#define EVENTS_ALL 4096u
/* Buffers may take this part of the machine's memory. */
#define MEMORY_PART 8u
/* The part of them where the memory is not known, in KB. */
#define UNKNOWN_PART (1024u * 1024)
#define MLOCK_KB 516u /* kernel.perf_event_mlock_kb if nobody changed it */

static uint64_t power_below(uint64_t n)
{
	uint64_t p = 1;

	while (p * 2 <= n)
		p *= 2;
	return p;
}

static uint64_t power_above(uint64_t n)
{
	const uint64_t p = power_below(n);

	return p < n ? p * 2 : p;
}

/* Trace of a CPU in the time that the purpose asks for, in KB, a power of two. */
static uint64_t wanted(const struct choice *c)
{
	const uint64_t kb = (uint64_t)RATE_MB * 1024 * c->purpose->ms / 1000 / c->period;

	return kb < ROOT_AUX ? ROOT_AUX : power_above(kb);
}

#define UNLIMITED	UINT64_MAX

/* A setting in KB, which the machine's files may have any number for. */
static uint64_t setting_kb(const struct target_number *n, int64_t unit, uint64_t unknown)
{
	const int64_t kb = n->value / unit;

	if (n->seen != TARGET_SEEN || kb < 0)
		return unknown;
	return kb > UINT32_MAX ? UNLIMITED : (uint64_t)kb;
}

/* KB of locked memory that the kernel lets this user have for the buffers of a CPU. */
static uint64_t locked_limit(const struct choice *c)
{
	const struct target_settings *s = &c->t->settings;
	const uint64_t each = setting_kb(&s->mlock_kb, 1, MLOCK_KB);
	const uint64_t more = setting_kb(&s->memlock, 1024, 0);

	if ((s->paranoid.seen == TARGET_SEEN && s->paranoid.value < 0) ||
	    target_capable(c->t, TARGET_CAP_IPC_LOCK) || each == UNLIMITED || more == UNLIMITED)
		return UNLIMITED;
	return (each * (c->t->nr_online ? c->t->nr_online : 1) + more) / (c->cpus ? c->cpus : 1);
}

static char *size_text(uint64_t kb)
{
	return kb % 1024 ? format_text("%lluK", (unsigned long long)kb) :
			   format_text("%lluM", (unsigned long long)(kb / 1024));
}

static char *pair_text(uint64_t events, uint64_t aux)
{
	char *a = size_text(events), *b = size_text(aux), *pair = format_text("%s,%s", a, b);

	free(a);
	free(b);
	return pair;
}

/* A page stands before the buffer of events. */
static uint64_t page_kb(const struct choice *c)
{
	return c->t->settings.page_size / 1024;
}

char *refuse_buffers(const struct choice *c)
{
	const uint64_t limit = locked_limit(c);

	if (limit >= page_kb(c) + 2 * USER_AUX)
		return NULL;
	return format_text("this user may lock %llu KB of memory for the buffers of a CPU, less "
		"than "
			   "any use: sysctl kernel.perf_event_mlock_kb=65536, or record as root",
			   (unsigned long long)limit);
}

/* Both buffers and the page before them within the limit. */
static char *limited(const struct choice *c, uint64_t limit, uint64_t aux,
		     struct record_lines *notes)
{
	const uint64_t page = page_kb(c);
	uint64_t events, left;

	left = limit - page - USER_AUX;
	if (aux > left)
		aux = power_below(left);
	events = limit - page - aux;
	events = events > EVENTS ? EVENTS : power_below(events);
	lines_add(
		notes,
		"-m: the largest buffers that this user may lock (%llu KB for each %s, by "
		"kernel.perf_event_mlock_kb and "
		"ulimit -l)",
		(unsigned long long)limit, c->per_thread ? "thread" : "CPU");
	return pair_text(events, aux);
}

/* No more than a part of the memory. */
static uint64_t affordable(const struct choice *c, uint64_t aux, struct record_lines *notes)
{
	const uint64_t memory = setting_kb(&c->t->settings.memory_kb, 1, UNLIMITED);
	const bool known = memory != UNLIMITED;
	const uint64_t part = known ? memory / MEMORY_PART : UNKNOWN_PART;
	const uint64_t most = power_below(part / (c->cpus ? c->cpus : 1));

	if (aux <= most)
		return aux;
	lines_add(notes,
		  known ? "-m: the buffers of %u CPUs take an eighth of the memory" :
			  "-m: the buffers of %u CPUs take a gigabyte, as the memory is not known",
		  c->cpus);
	return most < USER_AUX ? USER_AUX : most;
}

/* Sinks of the chip hold less than any buffer. */
static bool is_on_chip(const struct target *t)
{
	return !target_sinks(t, TARGET_TRBE, NULL) && !target_sinks(t, TARGET_ETR, NULL) &&
	       !target_sinks(t, TARGET_SMB, NULL);
}

char *buffers_text(const struct choice *c, struct record_lines *notes)
{
	const uint64_t limit = locked_limit(c);
	const uint64_t events = c->ask->all_cpus ? EVENTS_ALL : EVENTS;
	const uint64_t aux = affordable(c, is_on_chip(c->t) ? ROOT_AUX : wanted(c), notes);

	if (limit < page_kb(c) + events + aux)
		return limited(c, limit, aux, notes);
	if (is_on_chip(c->t))
		lines_add(notes, "-m: far more than the sink holds");
	else
		lines_add(notes, "-m: a CPU's buffer holds the trace of about %llu ms",
			  (unsigned long long)(aux * c->period * 1000 / 1024 / RATE_MB));
	return pair_text(events, aux);
}
