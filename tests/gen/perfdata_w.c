/* SPDX-License-Identifier: BSD-3-Clause */
/* perfdata_w.c - records of perf.data; perfdata_file.c puts them into a file. */
#include "perfdata_w.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata_int.h"

enum { ID_INDEX = 69, AUXTRACE_INFO = 70, AUXTRACE = 71, FINISHED_ROUND = 68, TIME_CONV = 79 };
enum { AUX_OUTPUT_HW_ID = 21 };

int perfw_events(const struct perfw *w)
{
	return 2 + (w->o.sched_switch != 0) + (w->o.window ? PERFW_WINDOW_EVENTS : 0);
}

int perfw_event_kind(const struct perfw *w, int event)
{
	return event >= EVENT_SCHED && !w->o.sched_switch ? event + 1 : event;
}

uint64_t perfw_event_id(int kind)
{
	static const uint64_t ids[] = { PERFW_ID_ETM, PERFW_ID_DUMMY, PERFW_ID_SCHED };

	return kind >= EVENT_WINDOWS ? PERFW_ID_WINDOWS + (unsigned int)(kind - EVENT_WINDOWS) :
				       ids[kind];
}

/* of ID_INDEX: an event with windows has a buffer of a CPU or of a thread */
static void index_entry(const struct perfw *w, int kind, struct gbuf *r)
{
	int windows = kind >= EVENT_WINDOWS;

	gbuf_u64(r, perfw_event_id(kind));
	gbuf_u64(r, 0);
	if (windows) {
		gbuf_u64(r, w->o.per_cpu ? 0 : UINT64_MAX);
		gbuf_u64(r, w->o.per_cpu ? UINT64_MAX : 1);
		return;
	}
	gbuf_u64(r, w->o.scope ? 0 : UINT64_MAX);
	gbuf_u64(r, w->o.scope == PERFW_TASKS ? 1 : UINT64_MAX);
}

static uint64_t id_word(const struct perfw_cpu *c)
{
	return c->id_word ? c->id_word : c->regs.traceidr;
}

static void metadata_v7(const struct perfw *w, const struct perfw_cpu *c, struct gbuf *r)
{
	gbuf_u64(r, 0x3030303030303030ull);
	gbuf_u64(r, (uint64_t)c->cpu);
	if (w->o.version)
		gbuf_u64(r, 4);
	gbuf_u64(r, c->regs.cr);
	gbuf_u64(r, id_word(c));
	gbuf_u64(r, c->regs.ccer);
	gbuf_u64(r, c->regs.idr);
}

static void metadata_v8(const struct perfw *w, const struct perfw_cpu *c, struct gbuf *r)
{
	int ts = c->ts_source != -2 && w->o.version, ete = c->regs.ete != w->o.other_block;

	gbuf_u64(r, ete ? 0x5050505050505050ull : 0x4040404040404040ull);
	gbuf_u64(r, (uint64_t)c->cpu);
	if (w->o.version)
		gbuf_u64(r, (ete ? 8u : 7u) + (unsigned int)ts);
	gbuf_u64(r, c->regs.configr);
	gbuf_u64(r, id_word(c));
	gbuf_u64(r, c->regs.idr0);
	gbuf_u64(r, c->regs.idr1);
	gbuf_u64(r, c->regs.idr2);
	gbuf_u64(r, c->regs.idr8);
	gbuf_u64(r, c->regs.authstatus);
	/* that of an ETMv4 has its version, too: TRCIDR1[7:4] */
	if (ete)
		gbuf_u64(r, c->regs.ete ? c->regs.devarch : 0x47704a13u | (c->regs.idr1 >> 4 & 15) << 16);
	if (ts)
		gbuf_u64(r, (uint64_t)c->ts_source);
}

/* The block of one CPU. */
static void metadata(const struct perfw *w, const struct perfw_cpu *c, struct gbuf *r)
{
	if (c->regs.v7)
		metadata_v7(w, c, r);
	else
		metadata_v8(w, c, r);
}

struct perfw *perfw_new(const struct perfw_opts *o, const struct perfw_cpu *cpus, int ncpus)
{
	struct perfw *w = gen_realloc(NULL, sizeof(*w));
	struct gbuf r = { 0 };
	int i;

	memset(w, 0, sizeof(*w));
	w->o = *o;
	if (!w->o.attr_size)
		w->o.attr_size = 128;
	if (!w->o.compress_block)
		w->o.compress_block = 8192;
	w->ncpus = ncpus;
	w->cpus = gen_realloc(NULL, (size_t)ncpus * sizeof(*w->cpus));
	memcpy(w->cpus, cpus, (size_t)ncpus * sizeof(*w->cpus));
	if (o->compress)
		perfw_zstd_begin(w);

	/* before AUXTRACE_INFO, as perf record writes it: perf 6.12 takes the clock from it when it reads that record */
	if (o->time_conv) {
		perfw_begin(&r, TIME_CONV, 0);
		gbuf_u64(&r, 10);	/* ns = (ticks * 1024) >> 10 */
		gbuf_u64(&r, 1024);
		gbuf_u64(&r, PERFW_TIME_BASE);
		gbuf_u64(&r, 0);
		gbuf_u64(&r, UINT64_MAX);
		gbuf_u8(&r, 1);
		gbuf_zero(&r, 7);
		perfw_user(w, &r);
	}

	perfw_begin(&r, ID_INDEX, 0);
	gbuf_u64(&r, (uint64_t)perfw_events(w));
	for (i = 0; i < perfw_events(w); i++)
		index_entry(w, perfw_event_kind(w, i), &r);
	perfw_user(w, &r);

	perfw_begin(&r, AUXTRACE_INFO, 0);
	gbuf_u32(&r, 3);
	gbuf_u32(&r, 0);
	gbuf_u64(&r, o->version);
	gbuf_u64(&r, (uint64_t)PERFW_PMU << 32 | (uint32_t)ncpus);
	gbuf_u64(&r, o->snapshot);
	for (i = 0; i < ncpus; i++)
		metadata(w, &cpus[i], &r);
	perfw_user(w, &r);

	gbuf_free(&r);
	return w;
}

void perfw_free(struct perfw *w)
{
	int i;

	if (!w)
		return;
	if (w->o.compress)
		perfw_zstd_end(w);
	for (i = 0; i < PERFW_MAX_CPUS; i++)
		gbuf_free(&w->ring[i]);
	for (i = 0; i < w->nmore; i++)
		gbuf_free(&w->more[i].bytes);
	gbuf_free(&w->init_map);
	gbuf_free(&w->data);
	gbuf_free(&w->plain);
	free(w->cpus);
	free(w->aux);
	free(w);
}

void perfw_begin(struct gbuf *r, uint32_t type, uint16_t misc)
{
	r->len = 0;
	gbuf_u32(r, type);
	gbuf_u16(r, misc);
	gbuf_u16(r, 0);
}

static void set_size(struct gbuf *r)
{
	GEN_BUG_ON(r->len > 0xffff || r->len % 8);
	r->p[6] = (uint8_t)(r->len & 0xff);
	r->p[7] = (uint8_t)(r->len >> 8);
}

void perfw_user(struct perfw *w, struct gbuf *r)
{
	set_size(r);
	perfw_compress_rest(w);
	gbuf_put(&w->data, r->p, r->len);
}

/* TID, TIME and CPU */
static void put_who(const struct perfw *w, struct gbuf *r, const struct perfw_at *at)
{
	gbuf_u32(r, at->pid);
	gbuf_u32(r, at->tid);
	if (w->o.with_time) {
		gbuf_u64(r, at->time);
		gbuf_u32(r, at->cpu);
		gbuf_u32(r, 0);
	}
}

static void kernel(struct perfw *w, struct gbuf *r, const struct perfw_at *at, uint64_t id)
{
	put_who(w, r, at);
	if (!w->o.no_identifier)
		gbuf_u64(r, id);
	set_size(r);
	if (w->in_init_map)
		gbuf_put(&w->init_map, r->p, r->len);
	else if (w->o.rings)
		gbuf_put(&w->ring[at->cpu % PERFW_MAX_CPUS], r->p, r->len);
	else
		perfw_record(w, r->p, r->len);
	gbuf_free(r);
}

void perfw_record(struct perfw *w, const void *rec, size_t n)
{
	if (!w->o.compress) {
		gbuf_put(&w->data, rec, n);
		return;
	}
	gbuf_put(&w->plain, rec, n);
	perfw_compress_blocks(w);
}

static void text(struct gbuf *r, const char *s)
{
	size_t n = strlen(s) + 1;

	gbuf_put(r, s, n);
	gbuf_zero(r, (8 - n % 8) % 8);
}

void perfw_comm(struct perfw *w, const struct perfw_at *at, const char *name, int exec)
{
	struct gbuf r = { 0 };

	perfw_begin(&r, PERF_RECORD_COMM,
		    exec ? PERF_RECORD_MISC_COMM_EXEC | PERF_RECORD_MISC_USER : 2);
	gbuf_u32(&r, at->pid);
	gbuf_u32(&r, at->tid);
	text(&r, name);
	kernel(w, &r, at, PERFW_ID_DUMMY);
}

void perfw_mmap2(struct perfw *w, const struct perfw_at *at, uint64_t va, uint64_t len,
		 uint64_t offset,
		 const char *path, const struct perfw_map *map)
{
	struct gbuf r = { 0 };

	perfw_begin(&r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER |
		    (map->build_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
	gbuf_u32(&r, at->pid);
	gbuf_u32(&r, at->tid);
	gbuf_u64(&r, va);
	gbuf_u64(&r, len);
	gbuf_u64(&r, offset);
	if (map->build_id) {
		gbuf_u8(&r, 20);
		gbuf_zero(&r, 3);
		gbuf_put(&r, map->build_id, 20);
	} else {
		gbuf_u32(&r, 8);
		gbuf_u32(&r, 1);
		gbuf_u64(&r, 4711);
		gbuf_u64(&r, 0);
	}
	gbuf_u32(&r, map->prot ? map->prot : 5);	/* r-x */
	gbuf_u32(&r, map->flags ? map->flags : 2);	/* MAP_PRIVATE */
	text(&r, path);
	kernel(w, &r, at, PERFW_ID_DUMMY);
}

void perfw_mmap(struct perfw *w, const struct perfw_at *at, uint64_t va, uint64_t len,
		uint64_t offset, const char *path, int kernel_map)
{
	static const struct perfw_map plain;
	struct gbuf r = { 0 };

	if (!kernel_map) {
		perfw_mmap2(w, at, va, len, offset, path, &plain);
		return;
	}
	perfw_begin(&r, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	gbuf_u32(&r, UINT32_MAX);
	gbuf_u32(&r, 0);
	gbuf_u64(&r, va);
	gbuf_u64(&r, len);
	gbuf_u64(&r, offset);
	text(&r, path);
	kernel(w, &r, at, PERFW_ID_DUMMY);
}

void perfw_task(struct perfw *w, const struct perfw_at *at, uint32_t pid, uint32_t tid,
		uint32_t ppid, uint32_t ptid, int exit)
{
	struct gbuf r = { 0 };

	perfw_begin(&r, exit ? PERF_RECORD_EXIT : PERF_RECORD_FORK, 0);
	gbuf_u32(&r, pid);
	gbuf_u32(&r, ppid);
	gbuf_u32(&r, tid);
	gbuf_u32(&r, ptid);
	gbuf_u64(&r, at->time);
	kernel(w, &r, at, PERFW_ID_DUMMY);
}

void perfw_fork(struct perfw *w, const struct perfw_at *at, uint32_t ppid, uint32_t ptid, int exit)
{
	perfw_task(w, at, at->pid, at->tid, ppid, ptid, exit);
}

void perfw_lost(struct perfw *w, const struct perfw_at *at, uint64_t n)
{
	struct gbuf r = { 0 };

	perfw_begin(&r, PERF_RECORD_LOST, 0);
	gbuf_u64(&r, PERFW_ID_DUMMY);
	gbuf_u64(&r, n);
	kernel(w, &r, at, PERFW_ID_DUMMY);
}

void perfw_ksymbol(struct perfw *w, const struct perfw_at *at, uint64_t addr, uint32_t len,
		   uint16_t type, int gone, const char *name)
{
	struct gbuf r = { 0 };

	perfw_begin(&r, PERF_RECORD_KSYMBOL, 0);
	gbuf_u64(&r, addr);
	gbuf_u32(&r, len);
	gbuf_u16(&r, type);
	gbuf_u16(&r, (uint16_t)(gone != 0));
	text(&r, name);
	kernel(w, &r, at, PERFW_ID_DUMMY);
}

void perfw_bpf_event(struct perfw *w, const struct perfw_at *at, uint16_t type, uint32_t id,
		     const uint8_t tag[8])
{
	struct gbuf r = { 0 };

	perfw_begin(&r, PERF_RECORD_BPF_EVENT, 0);
	gbuf_u16(&r, type);
	gbuf_u16(&r, 0);
	gbuf_u32(&r, id);
	gbuf_put(&r, tag, 8);
	kernel(w, &r, at, PERFW_ID_DUMMY);
}

static void comm16(struct gbuf *r, const char *comm)
{
	char name[16] = { 0 };

	strncpy(name, comm, sizeof(name) - 1);
	gbuf_put(r, name, sizeof(name));
}

/* a complete record of a CPU */
static void put_record(struct perfw *w, struct gbuf *r, uint32_t cpu)
{
	set_size(r);
	if (w->o.rings)
		gbuf_put(&w->ring[cpu % PERFW_MAX_CPUS], r->p, r->len);
	else
		perfw_record(w, r->p, r->len);
	gbuf_free(r);
}

static void raw_field(struct gbuf *r)
{
	gbuf_u32(r, 12);
	gbuf_u16(r, PERFW_TRACEPOINT);
	gbuf_zero(r, 10);
}

static void window_head(const struct perfw *w, const struct perfw_at *at, int event, uint64_t ip,
			struct gbuf *r)
{
	perfw_begin(r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	gbuf_u64(r, perfw_event_id(EVENT_WINDOWS + event));	/* IDENTIFIER */
	gbuf_u64(r, ip);
	put_who(w, r, at);
	gbuf_u64(r, 1000);	/* PERIOD */
	if (event == PERFW_WINDOW_EVENTS - 1)
		raw_field(r);
}

size_t perfw_window_max(const struct perfw *w, int event)
{
	const struct perfw_at at = { 0 };
	struct gbuf r = { 0 };
	size_t n;

	window_head(w, &at, event, 0, &r);
	n = (0xffff - r.len - 8) & ~(size_t)7;
	gbuf_free(&r);
	return n;
}

void perfw_window(struct perfw *w, const struct perfw_at *at, int event, uint64_t ip,
		  const uint8_t *p, size_t n)
{
	struct gbuf r = { 0 };

	window_head(w, at, event, ip, &r);
	gbuf_u64(&r, n);
	gbuf_put(&r, p, n);
	put_record(w, &r, at->cpu);
}

void perfw_sched_switch(struct perfw *w, const struct perfw_at *at, uint32_t prev_tid, const char *prev_comm,
			uint32_t next_tid, const char *next_comm)
{
	struct gbuf r = { 0 };

	perfw_begin(&r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	gbuf_u64(&r, PERFW_ID_SCHED);	/* IDENTIFIER */
	gbuf_u64(&r, 0xffff800008123450ull);	/* IP */
	gbuf_u32(&r, at->pid);
	gbuf_u32(&r, at->tid);
	gbuf_u64(&r, at->time);
	gbuf_u32(&r, at->cpu);
	gbuf_u32(&r, 0);
	gbuf_u64(&r, 1);	/* PERIOD */
	gbuf_u32(&r, 68);	/* RAW: as the format in the tracing data says, and padding */
	gbuf_u16(&r, PERFW_SCHED_SWITCH);
	gbuf_u8(&r, 1);
	gbuf_u8(&r, 0);
	gbuf_u32(&r, at->tid);
	comm16(&r, prev_comm);
	gbuf_u32(&r, prev_tid);
	gbuf_u32(&r, 120);
	gbuf_u64(&r, 0);
	comm16(&r, next_comm);
	gbuf_u32(&r, next_tid);
	gbuf_u32(&r, 120);
	gbuf_zero(&r, 4);
	put_record(w, &r, at->cpu);
}

void perfw_itrace_start(struct perfw *w, const struct perfw_at *at)
{
	struct gbuf r = { 0 };

	perfw_begin(&r, PERF_RECORD_ITRACE_START, 0);
	gbuf_u32(&r, at->pid);
	gbuf_u32(&r, at->tid);
	kernel(w, &r, at, PERFW_ID_ETM);
}

void perfw_switch(struct perfw *w, const struct perfw_at *at, uint32_t other_pid,
		  uint32_t other_tid, int out)
{
	struct gbuf r = { 0 };

	int wide = w->o.per_cpu && !w->o.own_switches;

	perfw_begin(&r, wide ? PERF_RECORD_SWITCH_CPU_WIDE : PERF_RECORD_SWITCH,
		    out ? PERF_RECORD_MISC_SWITCH_OUT : 0);
	if (wide) {
		gbuf_u32(&r, other_pid);
		gbuf_u32(&r, other_tid);
	}
	kernel(w, &r, at, PERFW_ID_DUMMY);
}

void perfw_text_poke(struct perfw *w, const struct perfw_at *at, uint64_t addr,
		     const uint8_t *before, uint16_t nbefore, const uint8_t *after, uint16_t nafter)
{
	struct gbuf r = { 0 };

	perfw_begin(&r, PERF_RECORD_TEXT_POKE, PERF_RECORD_MISC_KERNEL);
	gbuf_u64(&r, addr);
	gbuf_u16(&r, nbefore);
	gbuf_u16(&r, nafter);
	gbuf_put(&r, before, nbefore);
	gbuf_put(&r, after, nafter);
	gbuf_zero(&r, (8 - r.len % 8) % 8);
	kernel(w, &r, at, PERFW_ID_DUMMY);
}

void perfw_hw_id(struct perfw *w, const struct perfw_at *at, uint8_t trace_id, int minor,
		 uint32_t sink)
{
	struct gbuf r = { 0 };
	uint64_t id = trace_id;

	if (minor)
		id |= (uint64_t)sink << 8 | (uint64_t)minor << 56;
	perfw_begin(&r, AUX_OUTPUT_HW_ID, 0);
	gbuf_u64(&r, id);
	kernel(w, &r, at, PERFW_ID_ETM);
}

void perfw_aux(struct perfw *w, const struct perfw_at *at, uint64_t offset, uint64_t size,
	       uint64_t flags)
{
	struct gbuf r = { 0 };

	perfw_begin(&r, PERF_RECORD_AUX, 0);
	gbuf_u64(&r, offset);
	gbuf_u64(&r, size);
	gbuf_u64(&r, flags);
	kernel(w, &r, at, PERFW_ID_ETM);
}

void perfw_finished_round(struct perfw *w)
{
	struct gbuf r = { 0 };
	int i;

	for (i = 0; i < PERFW_MAX_CPUS; i++) {
		if (w->ring[i].len)
			perfw_record(w, w->ring[i].p, w->ring[i].len);
		w->ring[i].len = 0;
	}
	perfw_begin(&r, FINISHED_ROUND, 0);
	perfw_user(w, &r);
	gbuf_free(&r);
}

void perfw_init_map(struct perfw *w, int begin)
{
	w->in_init_map = begin;
}

void perfw_feature(struct perfw *w, int bit, const void *p, size_t n)
{
	GEN_BUG_ON(w->nmore == PERFW_MAX_FEATURES);
	w->more[w->nmore].bit = bit;
	gbuf_put(&w->more[w->nmore++].bytes, p, n);
}

void perfw_auxtrace(struct perfw *w, uint64_t offset, uint32_t idx, int32_t tid, int32_t cpu,
		    uint64_t reference, const uint8_t *p, size_t n)
{
	struct gbuf r = { 0 };

	perfw_begin(&r, AUXTRACE, 0);
	gbuf_u64(&r, (n + 7) & ~(size_t)7);
	gbuf_u64(&r, offset);
	gbuf_u64(&r, reference);
	gbuf_u32(&r, idx);
	gbuf_u32(&r, (uint32_t)tid);
	gbuf_u32(&r, (uint32_t)cpu);
	gbuf_u32(&r, 0);
	perfw_compress_rest(w);
	if (w->naux == w->aux_cap) {
		w->aux_cap = w->aux_cap ? w->aux_cap * 2 : 16;
		w->aux = gen_realloc(w->aux, w->aux_cap * sizeof(*w->aux));
	}
	w->aux[w->naux++] = w->data.len;
	perfw_user(w, &r);
	gbuf_free(&r);
	gbuf_put(&w->data, p, n);
	gbuf_zero(&w->data, (8 - n % 8) % 8);
}
