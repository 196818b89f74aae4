/* SPDX-License-Identifier: GPL-2.0-only */
/* sample.c - reads and writes the sample_id trailer, and reads the fields of samples. */
#include "perfdata/sample.h"

#include "perfdata/bytes.h"

/* Fields of the trailer in file order. A pair is two 32-bit values in one word. */
static const struct {
	uint64_t bit;
	bool pair;
} trailer_fields[] = {
	{ PERF_SAMPLE_TID,		true },
	{ PERF_SAMPLE_TIME,		false },
	{ PERF_SAMPLE_ID,		false },
	{ PERF_SAMPLE_STREAM_ID,	false },
	{ PERF_SAMPLE_CPU,		true },
	{ PERF_SAMPLE_IDENTIFIER,	false },
};

#define NR_TRAILER_FIELDS	(sizeof(trailer_fields) / sizeof(trailer_fields[0]))

unsigned int pd_sample_id_size(uint64_t sample_type)
{
	return 8u * (unsigned int)__builtin_popcountll(sample_type & PD_SAMPLE_ID_MASK);
}

void pd_sample_id_parse(uint64_t sample_type, const void *end, struct pd_sample_id *sid)
{
	const uint8_t *p = (const uint8_t *)end - pd_sample_id_size(sample_type);

	memset(sid, 0, sizeof(*sid));
	sid->valid = sample_type & PD_SAMPLE_ID_MASK;
	if (sample_type & PERF_SAMPLE_TID) {
		sid->pid = pd_load32(p);
		sid->tid = pd_load32(p + 4);
		p += 8;
	}
	if (sample_type & PERF_SAMPLE_TIME) {
		sid->time = pd_load64(p);
		p += 8;
	}
	if (sample_type & PERF_SAMPLE_ID) {
		sid->id = pd_load64(p);
		p += 8;
	}
	if (sample_type & PERF_SAMPLE_STREAM_ID) {
		sid->stream_id = pd_load64(p);
		p += 8;
	}
	if (sample_type & PERF_SAMPLE_CPU) {
		sid->cpu = pd_load32(p);
		p += 8;
	}
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		sid->id = pd_load64(p);
}

unsigned int pd_sample_id_write(void *dst, uint64_t sample_type, const struct pd_sample_id *sid)
{
	uint8_t *p = dst;

	if (sample_type & PERF_SAMPLE_TID) {
		memcpy(p, &sid->pid, 4);
		memcpy(p + 4, &sid->tid, 4);
		p += 8;
	}
	if (sample_type & PERF_SAMPLE_TIME) {
		memcpy(p, &sid->time, 8);
		p += 8;
	}
	if (sample_type & PERF_SAMPLE_ID) {
		memcpy(p, &sid->id, 8);
		p += 8;
	}
	if (sample_type & PERF_SAMPLE_STREAM_ID) {
		memcpy(p, &sid->stream_id, 8);
		p += 8;
	}
	if (sample_type & PERF_SAMPLE_CPU) {
		memcpy(p, &sid->cpu, 4);
		memset(p + 4, 0, 4);
		p += 8;
	}
	if (sample_type & PERF_SAMPLE_IDENTIFIER) {
		memcpy(p, &sid->id, 8);
		p += 8;
	}
	return (unsigned int)(p - (uint8_t *)dst);
}

void pd_sample_id_swap(uint64_t sample_type, void *end)
{
	uint8_t *p = (uint8_t *)end - pd_sample_id_size(sample_type);
	size_t i;

	for (i = 0; i < NR_TRAILER_FIELDS; i++) {
		if (!(sample_type & trailer_fields[i].bit))
			continue;
		if (trailer_fields[i].pair) {
			pd_swap32(p);
			pd_swap32(p + 4);
		} else {
			pd_swap64(p);
		}
		p += 8;
	}
}

static void exchange_halves(uint64_t *w)
{
	*w = *w >> 32 | *w << 32;
}

void pd_sample_fix_pairs(uint64_t st, union perf_event *ev)
{
	size_t words = (ev->header.size - sizeof(ev->header)) / 8;
	size_t tid = !!(st & PERF_SAMPLE_IDENTIFIER) + !!(st & PERF_SAMPLE_IP);
	size_t cpu = tid + !!(st & PERF_SAMPLE_TID) + !!(st & PERF_SAMPLE_TIME) +
		     !!(st & PERF_SAMPLE_ADDR) + !!(st & PERF_SAMPLE_ID) +
		     !!(st & PERF_SAMPLE_STREAM_ID);

	if ((st & PERF_SAMPLE_TID) && tid < words)
		exchange_halves((uint64_t *)&ev->sample.array[tid]);
	if ((st & PERF_SAMPLE_CPU) && cpu < words)
		exchange_halves((uint64_t *)&ev->sample.array[cpu]);
}

/* Skip what PERF_SAMPLE_READ put into the sample. */
static void skip_read(struct pd_cursor *c, uint64_t format)
{
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t per = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	uint64_t nr = 1;

	if (format & PERF_FORMAT_GROUP) {
		nr = pd_cur_u64(c);
		if (nr > PD_MAX_RECORD)
			c->bad = true;
	}
	if (!c->bad)
		pd_cur_bytes(c, 8 * (times + nr * per));
}

static const void *counted(struct pd_cursor *c, uint64_t nr, size_t size)
{
	if (nr > PD_MAX_RECORD) {
		c->bad = true;
		return NULL;
	}
	return pd_cur_bytes(c, nr * size);
}

static void parse_head(struct pd_cursor *c, uint64_t st, struct pd_sample *s)
{
	if (st & PERF_SAMPLE_IDENTIFIER)
		s->sid.id = pd_cur_u64(c);
	if (st & PERF_SAMPLE_IP)
		s->ip = pd_cur_u64(c);
	if (st & PERF_SAMPLE_TID) {
		s->sid.pid = pd_cur_u32(c);
		s->sid.tid = pd_cur_u32(c);
	}
	if (st & PERF_SAMPLE_TIME)
		s->sid.time = pd_cur_u64(c);
	if (st & PERF_SAMPLE_ADDR)
		s->addr = pd_cur_u64(c);
	if (st & PERF_SAMPLE_ID)
		s->sid.id = pd_cur_u64(c);
	if (st & PERF_SAMPLE_STREAM_ID)
		s->sid.stream_id = pd_cur_u64(c);
	if (st & PERF_SAMPLE_CPU) {
		s->sid.cpu = pd_cur_u32(c);
		pd_cur_u32(c);
	}
	if (st & PERF_SAMPLE_PERIOD)
		s->period = pd_cur_u64(c);
}

/*
 * Branch counters of Linux 6.8, which older headers do not name: a word for each entry of the
 * stack.
 */
#define BRANCH_COUNTERS (1u << 19)

static void parse_branches(struct pd_cursor *c, const struct perf_event_attr *attr,
			   struct pd_sample *s)
{
	s->nr_branches = pd_cur_u64(c);
	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		pd_cur_u64(c);
	s->branches = counted(c, s->nr_branches, sizeof(*s->branches));
	if (attr->branch_sample_type & BRANCH_COUNTERS)
		counted(c, s->nr_branches, 8);
}

static void skip_regs(struct pd_cursor *c, uint64_t mask)
{
	if (pd_cur_u64(c))
		pd_cur_bytes(c, 8u * (unsigned int)__builtin_popcountll(mask));
}

static void skip_stack(struct pd_cursor *c)
{
	uint64_t size = pd_cur_u64(c);

	if (size && pd_cur_bytes(c, size))
		pd_cur_u64(c);	/* the bytes that were used */
}

/* Skips what lies between the branch stack and the AUX window, in the order of the kernel. */
static void skip_to_window(struct pd_cursor *c, const struct perf_event_attr *attr)
{
	static const uint64_t words[] = {
		PERF_SAMPLE_PHYS_ADDR,
		PERF_SAMPLE_CGROUP,
		PERF_SAMPLE_DATA_PAGE_SIZE,
		PERF_SAMPLE_CODE_PAGE_SIZE,
	};
	const uint64_t st = attr->sample_type;
	size_t i;

	if (st & PERF_SAMPLE_REGS_USER)
		skip_regs(c, attr->sample_regs_user);
	if (st & PERF_SAMPLE_STACK_USER)
		skip_stack(c);
	if (st & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		pd_cur_u64(c);
	if (st & PERF_SAMPLE_DATA_SRC)
		pd_cur_u64(c);
	if (st & PERF_SAMPLE_TRANSACTION)
		pd_cur_u64(c);
	if (st & PERF_SAMPLE_REGS_INTR)
		skip_regs(c, attr->sample_regs_intr);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (st & words[i])
			pd_cur_u64(c);
}

static void parse_window(struct pd_cursor *c, const union perf_event *ev, struct pd_sample *s)
{
	s->aux_size = pd_cur_u64(c);
	s->aux_at = (uint32_t)(c->p - (const uint8_t *)ev);
	pd_cur_bytes(c, s->aux_size);
}

/*
 * All words of a swapped record were swapped: the raw bytes are lost, the fields behind them are
 * not.
 */
static void parse_raw(struct pd_cursor *c, bool swapped, struct pd_sample *s)
{
	const uint32_t first = pd_cur_u32(c), size = swapped ? pd_cur_u32(c) : first;

	/* The recorder pads so that the next word is aligned; anything else is damage. */
	if ((size + 4u) & 7)
		c->bad = true;
	else if (swapped)
		pd_cur_bytes(c, size - 4u);
	else
		s->raw = pd_cur_bytes(c, s->raw_size = size);
}

bool pd_sample_parse(const struct perf_event_attr *attr, const union perf_event *ev, bool swapped,
		     struct pd_sample *s)
{
	uint64_t st = attr->sample_type;
	struct pd_cursor c = {
		.p = (const uint8_t *)ev->sample.array,
		.end = (const uint8_t *)ev + ev->header.size,
	};

	memset(s, 0, sizeof(*s));
	s->sid.valid = st & PD_SAMPLE_ID_MASK;
	parse_head(&c, st, s);
	if (st & PERF_SAMPLE_READ)
		skip_read(&c, attr->read_format);
	if (st & PERF_SAMPLE_CALLCHAIN) {
		s->nr_callchain = pd_cur_u64(&c);
		s->callchain = counted(&c, s->nr_callchain, 8);
	}
	if (st & PERF_SAMPLE_RAW)
		parse_raw(&c, swapped, s);
	if (st & PERF_SAMPLE_BRANCH_STACK)
		parse_branches(&c, attr, s);
	if (st & PERF_SAMPLE_AUX) {
		skip_to_window(&c, attr);
		parse_window(&c, ev, s);
	}
	return !c.bad;
}

bool pd_sample_places(const struct perf_event_attr *attr, const union perf_event *ev, bool swapped,
		      struct pd_sample_places *at)
{
	uint64_t st = attr->sample_type;
	struct pd_cursor c = {
		.p = (const uint8_t *)ev->sample.array,
		.end = (const uint8_t *)ev + ev->header.size,
	};
	struct pd_sample head;
	uint32_t size;

	parse_head(&c, st, &head);
	if (st & PERF_SAMPLE_READ)
		skip_read(&c, attr->read_format);
	at->callchain = (uint32_t)(c.p - (const uint8_t *)ev);
	if (st & PERF_SAMPLE_CALLCHAIN)
		counted(&c, pd_cur_u64(&c), 8);
	if (st & PERF_SAMPLE_RAW) {
		/*
		 * the size and the first bytes are a word, whose halves change places when it is
		 * swapped
		 */
		size = pd_cur_u32(&c);
		if (swapped)
			size = pd_cur_u32(&c);
		pd_cur_bytes(&c, size - (swapped ? 4u : 0u));
	}
	at->branches = (uint32_t)(c.p - (const uint8_t *)ev);
	return !c.bad;
}
