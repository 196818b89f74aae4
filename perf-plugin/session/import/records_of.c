/* SPDX-License-Identifier: GPL-2.0-only */
/* records_of.c - events to records. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "perfdata/auxinfo.h"
#include "perfdata/bytes.h"
#include "session/import/events.h"
#include "session/import/fields.h"

#define KERNEL_PID	(-1)
#define KERNEL_NAME	"[kernel.kallsyms]_text"
#define PROT_RX		5
#define MAP_PRIVATE_FLAG 2
#define CODE_STEP	32768u	/* bytes of code in one record */
#define MAX_SEGMENTS	64

/* A record while it is put together, in memory that begin() allocates and finish() frees. */
struct building {
	uint8_t *b;
	size_t size;
	int64_t cpu;		/* of the sample_id, if the event does not name it */
	bool overflow;
};

static int64_t number_or(const struct cst_event *ev, const char *key, int64_t otherwise)
{
	int64_t v;

	return cst_event_number(ev, key, &v) ? v : otherwise;
}

/* The value of a hexadecimal digit, 16 for another character. */
static unsigned int hex_digit(char c)
{
	c |= 32;
	return c >= '0' && c <= '9' ? (unsigned int)(c - '0') :
	       c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a' + 10) : 16;
}

bool event_unsigned(const struct cst_event *ev, const char *key, uint64_t *value)
{
	struct cst_str s = cst_event_param(ev, key);
	uint64_t v = 0;
	unsigned int d;
	int64_t n;
	size_t i;

	if (s.n > 2 && s.p[0] == '0' && (s.p[1] | 32) == 'x') {
		if (s.n > 18)
			return false;
		for (i = 2; i < s.n; i++) {
			d = hex_digit(s.p[i]);
			if (d > 15)
				return false;
			v = v << 4 | d;
		}
		*value = v;
		return true;
	}
	if (!cst_event_number(ev, key, &n))
		return false;
	*value = (uint64_t)n;
	return true;
}

static uint64_t unsigned_or(const struct cst_event *ev, const char *key, uint64_t otherwise)
{
	uint64_t v;

	return event_unsigned(ev, key, &v) ? v : otherwise;
}

/* ---- one record -------------------------------------------------------------------------------- */

static void begin(struct building *r, const struct cst_event *ev, uint32_t type, size_t size,
		  uint16_t misc)
{
	struct perf_event_header h = { .type = type };

	r->b = mem_new(PD_MAX_RECORD + 1);
	h.misc = (uint16_t)unsigned_or(ev, "misc", misc);
	memset(r->b, 0, size);
	memcpy(r->b, &h, sizeof(h));
	r->size = size;
	r->cpu = 0;
	r->overflow = false;
}

static void put32(struct building *r, size_t at, int64_t v)
{
	uint32_t u = (uint32_t)v;

	memcpy(r->b + at, &u, sizeof(u));
}

static void put64(struct building *r, size_t at, uint64_t v)
{
	memcpy(r->b + at, &v, sizeof(v));
}

/* Bytes at the end, zero-filled to a multiple of 8; a string is terminated. */
static void append(struct building *r, const void *data, size_t len, bool string)
{
	size_t padded = (r->size + len + string + 7) & ~(size_t)7;

	if (len > PD_MAX_RECORD || padded > PD_MAX_RECORD - PD_SAMPLE_ID_MAX) {
		r->overflow = true;
		return;
	}
	memset(r->b + r->size, 0, padded - r->size);
	if (len)
		memcpy(r->b + r->size, data, len);
	r->size = padded;
}

static const struct pd_attr *attr_of(const struct record_maker *m, uint64_t id)
{
	const struct pd_attr *a = m->header ? perfdata_attr_by_id(m->header, id) : NULL;

	if (!a && m->header)
		a = perfdata_attr(m->header, 0);
	return a ? a : m->attr;
}

static void finish(struct record_maker *m, const struct cst_event *ev, struct building *r,
		   uint64_t time, bool trailer)
{
	struct perf_event_header h;
	struct pd_sample_id sid;
	const struct pd_attr *a;

	if (r->overflow) {
		free(r->b);
		m->drops[DROP_BAD]++;
		return;
	}
	sid.id = unsigned_or(ev, "at_id", 0);
	a = attr_of(m, sid.id);
	if (trailer && a && a->trailer) {
		if (!sid.id && a->nr_ids)
			sid.id = a->ids[0];
		sid.valid = 0;
		sid.pid = (uint32_t)number_or(ev, "at_pid", ev->pid);
		sid.tid = (uint32_t)number_or(ev, "at_tid", ev->verb == CST_EVENT_THREAD ? ev->tid : ev->pid);
		sid.cpu = (uint32_t)number_or(ev, "at_cpu", r->cpu);
		sid.time = time;
		sid.stream_id = unsigned_or(ev, "at_stream", 0);
		r->size += pd_sample_id_write(r->b + r->size, a->attr.sample_type, &sid);
	}
	memcpy(&h, r->b, sizeof(h));
	h.size = (uint16_t)r->size;
	memcpy(r->b, &h, sizeof(h));
	m->emit(m->data, r->b, r->size);
	free(r->b);
}

/* ---- verbs ------------------------------------------------------------------------------------- */

static int64_t record_pid(const struct cst_event *ev)
{
	return ev->pid == CST_EVENT_KERNEL ? KERNEL_PID : ev->pid;
}

static unsigned int build_id_of(struct cst_str uuid, uint8_t *id)
{
	unsigned int n, d, k;

	if (!uuid.p || uuid.n % 2 || uuid.n > 40 || !uuid.n)
		return 0;
	for (n = 0; n < uuid.n; n++) {
		d = hex_digit(uuid.p[n]);
		if (d > 15)
			return 0;
		k = n / 2;
		id[k] = (uint8_t)(n % 2 ? id[k] | d : d << 4);
	}
	return (unsigned int)uuid.n / 2;
}

static void map_record(struct record_maker *m, const struct cst_event *ev, uint64_t time,
		       uint64_t start, uint64_t size, uint64_t offset)
{
	struct cst_str form = cst_event_param(ev, "record"), name = ev->name;
	bool kernel = ev->pid == CST_EVENT_KERNEL, v1 = cst_str_is(form, "mmap");
	uint16_t misc = kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	uint8_t id[20];
	unsigned int id_len = v1 ? 0 : build_id_of(ev->uuid, id);
	struct building r;
	size_t at;

	if (id_len)
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	if (!name.p)
		name = kernel ? (struct cst_str){ KERNEL_NAME, strlen(KERNEL_NAME) } :
				(struct cst_str){ "//anon", 6 };
	at = v1 ? offsetof(struct perf_record_mmap, filename) : offsetof(struct perf_record_mmap2, filename);
	begin(&r, ev, v1 ? PERF_RECORD_MMAP : PERF_RECORD_MMAP2, at, misc);
	put32(&r, 8, record_pid(ev));
	put32(&r, 12, number_or(ev, "tid", kernel ? 0 : ev->pid));
	put64(&r, 16, start);
	put64(&r, 24, size);
	put64(&r, 32, offset);
	if (!v1) {
		struct perf_record_mmap2 *p = (void *)r.b;

		if (id_len) {
			p->build_id_size = (uint8_t)id_len;
			memcpy(p->build_id, id, id_len);
		} else {
			p->maj = (uint32_t)unsigned_or(ev, "maj", 0);
			p->min = (uint32_t)unsigned_or(ev, "min", 0);
			p->ino = unsigned_or(ev, "ino", 0);
			p->ino_generation = unsigned_or(ev, "gen", 0);
		}
		p->prot = (uint32_t)unsigned_or(ev, "prot", PROT_RX);
		p->flags = (uint32_t)unsigned_or(ev, "flags", MAP_PRIVATE_FLAG);
	}
	append(&r, name.p, name.n, true);
	finish(m, ev, &r, time, true);
}

static void unmap_record(struct record_maker *m, const struct cst_event *ev, uint64_t time,
			 uint64_t start, uint64_t size)
{
	struct building r;

	if (!m->own) {
		m->drops[DROP_UNMAP]++;
		return;
	}
	begin(&r, ev, PD_RECORD_CST_UNMAP, sizeof(struct pd_record_cst_unmap), 0);
	put32(&r, 8, record_pid(ev));
	put32(&r, 12, number_or(ev, "tid", record_pid(ev)));
	put64(&r, 16, start);
	put64(&r, 24, size);
	finish(m, ev, &r, time, true);
}

/* A map that is there or not any more. */
static void map_or_unmap(struct record_maker *m, const struct cst_event *ev, uint64_t time,
			 uint64_t start, uint64_t size, uint64_t offset)
{
	if (ev->state == CST_STATE_END)
		unmap_record(m, ev, time, start, size);
	else
		map_record(m, ev, time, start, size, offset);
}

/* The same, or the parts of the image when its size is not given. */
static void map_records(struct record_maker *m, const struct cst_event *ev, uint64_t time)
{
	uint64_t start, size, offset;
	unsigned int n = 0;

	if (ev->has_size && ev->has_base) {
		map_or_unmap(m, ev, time, ev->base, ev->size, ev->offset);
		return;
	}
	for (; n < MAX_SEGMENTS && m->segment; n++) {
		if (!m->segment(m->data, ev, n, &start, &size, &offset))
			break;
		map_or_unmap(m, ev, time, start, size, offset);
	}
	if (!n)
		m->drops[DROP_SIZE]++;
}

static void comm_record(struct record_maker *m, const struct cst_event *ev, uint64_t time,
			int64_t pid, int64_t tid, struct cst_str comm, bool exec)
{
	struct building r;

	begin(&r, ev, PERF_RECORD_COMM, offsetof(struct perf_record_comm, comm),
		   exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put32(&r, 8, pid);
	put32(&r, 12, tid);
	append(&r, comm.p, comm.n, true);
	finish(m, ev, &r, time, true);
}

/* What a fork says of its parent. */
static const char *parent_key(const struct cst_event *ev)
{
	return cst_event_param(ev, "inherited").p ? "inherited" : "inherit";
}

static void task_record(struct record_maker *m, const struct cst_event *ev, uint64_t time)
{
	bool thread = ev->verb == CST_EVENT_THREAD, ends = ev->state == CST_STATE_END;
	int64_t tid = thread ? ev->tid : number_or(ev, "tid", ev->pid);
	struct building r;

	begin(&r, ev, ends ? PERF_RECORD_EXIT : PERF_RECORD_FORK, sizeof(struct perf_record_fork),
	      0);
	put32(&r, 8, ev->pid);
	put32(&r, 12, number_or(ev, thread || ends ? "ppid" : parent_key(ev), ev->pid));
	put32(&r, 16, tid);
	put32(&r, 20, number_or(ev, "ptid", ev->pid));
	put64(&r, 24, unsigned_or(ev, "time", time));
	finish(m, ev, &r, time, true);
}

static struct cst_str base_name(struct cst_str path)
{
	size_t i = path.n;

	while (i && path.p[i - 1] != '/')
		i--;
	return (struct cst_str){ path.p + i, path.n - i };
}

static void process_records(struct record_maker *m, const struct cst_event *ev, uint64_t time)
{
	struct cst_str comm = cst_event_param(ev, "comm"), inherit = cst_event_param(ev, parent_key(ev));
	bool maps = ev->name.p && (ev->has_base || m->segment);

	if (ev->pid == CST_EVENT_KERNEL && ev->name.p) {
		maps = true;
	} else if (ev->state == CST_STATE_END || inherit.p) {
		task_record(m, ev, time);
		maps = ev->state != CST_STATE_END && ev->name.p;
	} else {
		if (!comm.p && ev->name.p)
			comm = base_name(ev->name);
		comm_record(m, ev, time, ev->pid, ev->pid, comm, ev->state == CST_STATE_START);
	}
	if (maps)
		map_records(m, ev, time);
}

static void poke_record(struct record_maker *m, const struct cst_event *ev, uint64_t time,
			uint64_t addr, const uint8_t *code, size_t len, struct cst_str old)
{
	struct building r;
	uint16_t n;

	begin(&r, ev, PERF_RECORD_TEXT_POKE, offsetof(struct perf_record_text_poke_event, bytes),
		   PERF_RECORD_MISC_KERNEL);
	put64(&r, 8, addr);
	n = (uint16_t)old.n;
	memcpy(r.b + 16, &n, sizeof(n));
	n = (uint16_t)len;
	memcpy(r.b + 18, &n, sizeof(n));
	if (old.n + len > PD_MAX_RECORD - PD_SAMPLE_ID_MAX - 32) {
		r.overflow = true;
	} else {
		memcpy(r.b + r.size, old.p ? old.p : "", old.n);
		if (len)
			memcpy(r.b + r.size + old.n, code, len);
		memset(r.b + r.size + old.n + len, 0, 8);
		r.size = (r.size + old.n + len + 7) & ~(size_t)7;
	}
	finish(m, ev, &r, time, true);
}

static void code_record(struct record_maker *m, const struct cst_event *ev, uint64_t time,
			uint64_t addr, const uint8_t *code, size_t len)
{
	struct building r;

	begin(&r, ev, PD_RECORD_CST_CODE, sizeof(struct pd_record_cst_code), 0);
	put32(&r, 8, record_pid(ev));
	put32(&r, 12, number_or(ev, "tid", record_pid(ev)));
	put64(&r, 16, addr);
	put64(&r, 24, len);
	append(&r, code, len, false);
	finish(m, ev, &r, time, true);
}

static bool code_of(struct record_maker *m, const struct cst_event *ev, const uint8_t **code, size_t *len)
{
	if (ev->code_kind == CST_CODE_BYTES) {
		*code = (const uint8_t *)ev->code.p;
		*len = ev->code.n;
		return true;
	}
	if (ev->code_kind != CST_CODE_ID || !m->code || !m->code(m->data, ev->code, code, len))
		return false;
	if (ev->offset >= *len)
		return false;
	*code += ev->offset;
	*len -= ev->offset;
	return true;
}

static void patch_records(struct record_maker *m, const struct cst_event *ev, uint64_t time)
{
	struct cst_str old = cst_event_param(ev, "old");
	const uint8_t *code = NULL;
	size_t len = 0, at, n;

	if (ev->state == CST_STATE_END || !code_of(m, ev, &code, &len)) {
		/* what is there now is not known: nothing shall be read there */
		if (m->own)
			unmap_record(m, ev, time, ev->base, ev->size);
		else
			m->drops[DROP_CODE]++;
		return;
	}
	if (len > ev->size)
		len = (size_t)ev->size;
	if (ev->pid == CST_EVENT_KERNEL && (old.p || len <= UINT16_MAX - 512)) {
		if (old.n <= UINT16_MAX && len <= UINT16_MAX)
			poke_record(m, ev, time, ev->base, code, len, old);
		else
			m->drops[DROP_BAD]++;
		return;
	}
	if (!m->own) {
		m->drops[DROP_CODE]++;
		return;
	}
	at = 0;
	do {
		n = len - at < CODE_STEP ? len - at : CODE_STEP;
		code_record(m, ev, time, ev->base + at, code + at, n);
		at += n;
	} while (at < len);
}

static void asid_record(struct record_maker *m, const struct cst_event *ev, uint64_t time)
{
	struct building r;

	if (!m->own) {
		m->drops[DROP_ASID]++;
		return;
	}
	begin(&r, ev, PD_RECORD_CST_ASID, sizeof(struct pd_record_cst_asid), 0);
	put32(&r, 8, record_pid(ev));
	put32(&r, 12, ev->asid);
	put32(&r, 16, ev->state);
	finish(m, ev, &r, time, true);
}

/* define_trace() with registers. */
static void define_record(struct record_maker *m, const struct cst_event *ev, uint64_t time,
			  int64_t cpu, unsigned int unit)
{
	struct pd_record_cst_define_trace *d;
	struct building r;
	unsigned int i;
	uint64_t v;
	const char *name;

	if (!m->own) {
		m->drops[DROP_TRACE]++;
		return;
	}
	begin(&r, ev, PD_RECORD_CST_DEFINE_TRACE, sizeof(*d), 0);
	d = (void *)r.b;
	d->cpu = (uint32_t)cpu;
	d->trace_id = (uint8_t)ev->trace_id;
	d->state = ev->state;
	d->unit = (uint8_t)unit;
	for (i = 0; i < AUX_NR_REGS; i++) {
		name = aux_reg_name(unit, i);
		if (!name || !event_unsigned(ev, name, &v))
			continue;
		memset(&d->regs[d->nr_regs], 0, sizeof(d->regs[0]));
		d->regs[d->nr_regs].reg = i;
		d->regs[d->nr_regs++].value = v;
		r.size += sizeof(d->regs[0]);
	}
	finish(m, ev, &r, time, true);
}

static bool has_registers(const struct cst_event *ev)
{
	size_t i;

	for (i = 0; i < ev->n_params; i++) {
		struct cst_str k = ev->params[i].key;

		if (k.n > 3 && (!memcmp(k.p, "TRC", 3) || !memcmp(k.p, "ETM", 3)))
			return true;
	}
	return false;
}

static void trace_record(struct record_maker *m, const struct cst_event *ev, uint64_t time)
{
	const struct source_name *src = m->sources ? source_by_name(m->sources, ev->name) : NULL;
	int64_t cpu = number_or(ev, "cpu", src ? src->cpu : -1), unit = number_or(ev, "unit", -1);
	struct building r;

	if (has_registers(ev) || unit >= 0 || ev->state == CST_STATE_END) {
		if (unit < 0 || unit > AUX_ETE)
			unit = src ? src->unit : AUX_ETMV4;
		define_record(m, ev, time, cpu, (unsigned int)unit);
		if (m->own || ev->state == CST_STATE_END)
			return;
	}
	begin(&r, ev, PERF_RECORD_AUX_OUTPUT_HW_ID, 16, 0);
	put64(&r, 8, (unsigned_or(ev, "hw_id", 0) & ~(uint64_t)0xff) | (ev->trace_id & 0xff));
	/* the CPU is that of the sample_id; beside all parameters there is no room for it */
	r.cpu = cpu >= 0 && ev->n_params < CST_EVENT_PARAMS ? cpu : 0;
	finish(m, ev, &r, time, true);
}

/* ---- x_ events --------------------------------------------------------------------------------- */

static void plain_record(struct record_maker *m, const struct cst_event *ev, uint64_t time,
			 const struct record_verb *v)
{
	const struct record_field *f;
	struct building r;
	uint64_t value;

	begin(&r, ev, v->type, v->size, 0);
	for (f = v->fields; f->key; f++) {
		value = unsigned_or(ev, f->key, 0);
		if (f->width == 8)
			put64(&r, f->at, value);
		else if (f->width == 4)
			put32(&r, f->at, (int64_t)value);
		else
			r.b[f->at] = (uint8_t)value;
	}
	finish(m, ev, &r, time, v->trailer);
}

/* A record as it is; what has bytes behind it, or holds other records, cannot stand alone. */
static void whole_record(struct record_maker *m, struct cst_str bytes)
{
	struct perf_event_header h = { .size = 0 };

	if (bytes.n >= sizeof(h) && bytes.n <= PD_MAX_RECORD)
		memcpy(&h, bytes.p, sizeof(h));
	if (!h.size || h.size != bytes.n || h.type == PERF_RECORD_AUXTRACE ||
	    h.type == PERF_RECORD_COMPRESSED || h.type == PD_RECORD_COMPRESSED2 ||
	    h.type == PERF_RECORD_HEADER_TRACING_DATA ||
	    (!m->own && h.type >= PD_RECORD_CST_FIRST && h.type < PD_RECORD_CST_END))
		m->drops[DROP_BAD]++;
	else
		m->emit(m->data, bytes.p, bytes.n);
}

static void other_record(struct record_maker *m, const struct cst_event *ev, uint64_t time)
{
	const struct record_verb *v = record_verb_by_name(ev->name.p, ev->name.n);
	struct cst_str none = { NULL, 0 };

	if (v)
		plain_record(m, ev, time, v);
	else if (cst_str_is(ev->name, "x_comm"))
		comm_record(m, ev, time, number_or(ev, "pid", -1), number_or(ev, "tid", -1),
			    cst_event_param(ev, "comm"), false);
	else if (cst_str_is(ev->name, "x_perf"))
		whole_record(m, ev->n_params && !ev->params[0].key.n ? ev->params[0].value : none);
	/* else it is somebody else's */
}

void records_of_event(struct record_maker *m, const struct cst_event *ev, uint64_t time)
{
	struct cst_str whole = cst_event_param(ev, "perf");

	if (whole.p) {
		whole_record(m, whole);
		return;
	}
	switch (ev->verb) {
	case CST_EVENT_PROCESS:
		process_records(m, ev, time);
		break;
	case CST_EVENT_THREAD:
		task_record(m, ev, time);
		break;
	case CST_EVENT_LIBRARY:
		map_records(m, ev, time);
		break;
	case CST_EVENT_PATCH:
		patch_records(m, ev, time);
		break;
	case CST_EVENT_ASID:
		asid_record(m, ev, time);
		break;
	case CST_EVENT_TRACE:
		trace_record(m, ev, time);
		break;
	default:
		other_record(m, ev, time);
	}
}
