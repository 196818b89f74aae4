/* SPDX-License-Identifier: GPL-2.0-only */
/* event_of.c - records to events: each record type has its verb, and what a verb cannot say goes along as bytes. */
#include <string.h>

#include "outputs/export/event_of.h"
#include "perfdata/auxinfo.h"
#include "perfdata/bytes.h"
#include "perfdata/decode.h"
#include "session/import/events.h"
#include "session/import/fields.h"

#define KERNEL_PID	(-1)

static uint64_t time_of(const struct pd_record *rec)
{
	return rec->sid.valid & PERF_SAMPLE_TIME ? rec->sid.time : CST_EVENT_NO_TIME;
}

/* What was there before the recording started has no time, or time 0. */
static uint8_t state_of(const struct pd_record *rec)
{
	return rec->sid.valid & PERF_SAMPLE_TIME && rec->sid.time ? CST_STATE_START : CST_STATE_CURRENT;
}

static void put_trailer(struct event_build *b, const struct pd_record *rec)
{
	const struct pd_sample_id *s = &rec->sid;

	if (s->valid & PERF_SAMPLE_TID) {
		event_signed(b, "at_pid", (int32_t)s->pid);
		event_signed(b, "at_tid", (int32_t)s->tid);
	}
	if (s->valid & PERF_SAMPLE_CPU)
		event_signed(b, "at_cpu", (int32_t)s->cpu);
	if (s->valid & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
		event_number(b, "at_id", s->id);
	if (s->valid & PERF_SAMPLE_STREAM_ID)
		event_number(b, "at_stream", s->stream_id);
}

static void put_misc(struct event_build *b, const struct pd_record *rec, uint16_t usual)
{
	if (rec->ev->header.misc != usual)
		event_number(b, "misc", rec->ev->header.misc);
}

static void set_pid(struct event_build *b, int32_t pid)
{
	b->ev.pid = pid == KERNEL_PID ? CST_EVENT_KERNEL : pid;
}

struct map_fields {
	int32_t pid, tid;
	uint64_t start, len, pgoff;
	const char *name;
};

static void map_event(struct event_build *b, const struct pd_record *rec, const struct map_fields *f)
{
	event_begin(b, CST_EVENT_LIBRARY, f->name, time_of(rec));
	b->ev.state = state_of(rec);
	set_pid(b, f->pid);
	b->ev.has_base = 1;
	b->ev.base = f->start;
	b->ev.has_size = 1;
	b->ev.size = f->len;
	b->ev.offset = f->pgoff;
	if (f->tid != (f->pid == KERNEL_PID ? 0 : f->pid))
		event_signed(b, "tid", f->tid);
}

static uint16_t map_misc(int32_t pid)
{
	return pid == KERNEL_PID ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
}

static void mmap_event(struct event_build *b, const struct pd_record *rec)
{
	const struct perf_record_mmap *r = &rec->ev->mmap;
	const struct map_fields f = { (int32_t)r->pid, (int32_t)r->tid, r->start, r->len, r->pgoff,
				      r->filename };

	map_event(b, rec, &f);
	event_text(b, "record", "mmap");
	put_misc(b, rec, map_misc(f.pid));
}

static void mmap2_event(struct event_build *b, const struct pd_record *rec)
{
	static const char digits[] = "0123456789abcdef";
	const struct perf_record_mmap2 *r = &rec->ev->mmap2;
	const struct map_fields f = { (int32_t)r->pid, (int32_t)r->tid, r->start, r->len, r->pgoff,
				      r->filename };
	char *hex;
	uint8_t i;

	map_event(b, rec, &f);
	event_number(b, "prot", r->prot);
	event_number(b, "flags", r->flags);
	if (r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		hex = b->store + b->used;
		for (i = 0; i < r->build_id_size && i < sizeof(r->build_id); i++) {
			hex[2 * i] = digits[r->build_id[i] >> 4];
			hex[2 * i + 1] = digits[r->build_id[i] & 15];
		}
		b->ev.uuid = (struct cst_str){ hex, 2u * i };
		b->used += 2u * i;
	} else {
		event_number(b, "maj", r->maj);
		event_number(b, "min", r->min);
		event_number(b, "ino", r->ino);
		event_number(b, "gen", r->ino_generation);
	}
	put_misc(b, rec, map_misc(f.pid) | (r->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID));
}

static void comm_event(struct event_build *b, const struct pd_record *rec)
{
	const struct perf_record_comm *r = &rec->ev->comm;
	bool exec = r->header.misc & PERF_RECORD_MISC_COMM_EXEC;

	if (r->pid != r->tid) {
		event_begin(b, CST_EVENT_OTHER, "x_comm", time_of(rec));
		event_signed(b, "pid", (int32_t)r->pid);
		event_signed(b, "tid", (int32_t)r->tid);
		event_text(b, "comm", r->comm);
		put_misc(b, rec, 0);
		return;
	}
	event_begin(b, CST_EVENT_PROCESS, NULL, time_of(rec));
	b->ev.state = exec ? CST_STATE_START : CST_STATE_CURRENT;
	b->ev.pid = (int32_t)r->pid;
	event_text(b, "comm", r->comm);
	put_misc(b, rec, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
}

static void task_event(struct event_build *b, const struct pd_record *rec)
{
	const struct perf_record_fork *r = &rec->ev->fork;
	bool ends = r->header.type == PERF_RECORD_EXIT;
	bool thread = ends ? r->pid != r->tid : r->pid == r->ppid;

	event_begin(b, thread ? CST_EVENT_THREAD : CST_EVENT_PROCESS, NULL, time_of(rec));
	b->ev.state = ends ? CST_STATE_END : CST_STATE_START;
	b->ev.pid = (int32_t)r->pid;
	b->ev.tid = (int32_t)r->tid;
	if (!thread && r->tid != r->pid)
		event_signed(b, "tid", (int32_t)r->tid);
	if (!thread && !ends)
		event_signed(b, "inherit", (int32_t)r->ppid);
	else if (r->ppid != r->pid)
		event_signed(b, "ppid", (int32_t)r->ppid);
	if (r->ptid != r->pid)
		event_signed(b, "ptid", (int32_t)r->ptid);
	/* the record has a time of its own, which others lack in files without times */
	if (r->time != b->ev.time)
		event_number(b, "time", r->time);
	put_misc(b, rec, 0);
}

static void patch_event(struct event_build *b, const struct pd_record *rec, int32_t pid, uint64_t addr,
			const uint8_t *code, size_t len)
{
	event_begin(b, CST_EVENT_PATCH, NULL, time_of(rec));
	set_pid(b, pid);
	b->ev.base = addr;
	b->ev.size = len;
	b->ev.code_kind = CST_CODE_BYTES;
	b->ev.code = (struct cst_str){ (const char *)code, len };
}

static void poke_event(struct event_build *b, const struct pd_record *rec)
{
	const struct perf_record_text_poke_event *r = &rec->ev->text_poke;

	patch_event(b, rec, KERNEL_PID, r->addr, r->bytes + r->old_len, r->new_len);
	event_bytes(b, "old", r->bytes, r->old_len);
	put_misc(b, rec, PERF_RECORD_MISC_KERNEL);
}

static void hw_id_event(struct event_build *b, const struct pd_record *rec, const struct source_names *sources)
{
	uint64_t v = pd_load64((const uint8_t *)rec->ev + sizeof(rec->ev->header));
	const struct source_name *src = NULL;

	if (rec->sid.valid & PERF_SAMPLE_CPU)
		src = source_of_cpu(sources, (int)rec->sid.cpu);
	event_begin(b, CST_EVENT_TRACE, src ? src->name : "", time_of(rec));
	b->ev.trace_id = v & 0xff;
	b->ev.state = CST_STATE_START;
	if (v >> 8)
		event_number(b, "hw_id", v & ~(uint64_t)0xff);
	put_misc(b, rec, 0);
}

static void define_event(struct event_build *b, const struct pd_record *rec,
			 const struct source_names *sources)
{
	const struct pd_record_cst_define_trace *r = (const void *)rec->ev;
	const struct source_name *src = source_of_cpu(sources, (int)r->cpu);
	uint32_t i;

	event_begin(b, CST_EVENT_TRACE, src ? src->name : "", time_of(rec));
	b->ev.trace_id = r->trace_id;
	b->ev.state = r->state <= PD_CST_CURRENT ? r->state : CST_STATE_START;
	event_signed(b, "cpu", (int32_t)r->cpu);
	event_signed(b, "unit", r->unit);
	for (i = 0; i < r->nr_regs && i < CST_EVENT_PARAMS; i++)
		if (aux_reg_name(r->unit, r->regs[i].reg))
			event_number(b, aux_reg_name(r->unit, r->regs[i].reg), r->regs[i].value);
	put_misc(b, rec, 0);
}

static void unmap_event(struct event_build *b, const struct pd_record *rec)
{
	const struct pd_record_cst_unmap *r = (const void *)rec->ev;

	event_begin(b, CST_EVENT_LIBRARY, NULL, time_of(rec));
	b->ev.state = CST_STATE_END;
	set_pid(b, (int32_t)r->pid);
	b->ev.has_base = 1;
	b->ev.base = r->start;
	b->ev.has_size = 1;
	b->ev.size = r->len;
	if (r->tid != r->pid)
		event_signed(b, "tid", (int32_t)r->tid);
	put_misc(b, rec, 0);
}

static void code_event(struct event_build *b, const struct pd_record *rec)
{
	const struct pd_record_cst_code *r = (const void *)rec->ev;

	patch_event(b, rec, (int32_t)r->pid, r->addr, r->bytes, r->size);
	if (r->tid != r->pid)
		event_signed(b, "tid", (int32_t)r->tid);
	put_misc(b, rec, 0);
}

static void asid_event(struct event_build *b, const struct pd_record *rec)
{
	const struct pd_record_cst_asid *r = (const void *)rec->ev;

	event_begin(b, CST_EVENT_ASID, NULL, time_of(rec));
	b->ev.state = r->state <= PD_CST_CURRENT ? (uint8_t)r->state : CST_STATE_START;
	set_pid(b, (int32_t)r->pid);
	b->ev.asid = r->asid;
	put_misc(b, rec, 0);
}

static void plain_event(struct event_build *b, const struct pd_record *rec, const struct record_verb *v)
{
	const struct record_field *f;

	event_begin(b, CST_EVENT_OTHER, v->name, time_of(rec));
	for (f = v->fields; f->key; f++) {
		const uint8_t *p = (const uint8_t *)rec->ev + f->at;

		if (f->at + f->width > rec->body_size)
			break;
		if (f->is_signed)
			event_signed(b, f->key, (int32_t)pd_load32(p));
		else
			event_number(b, f->key, f->width == 1 ? *p : pd_load64(p));
	}
	put_misc(b, rec, 0);
}

/* ---- check that the text has the whole record --------------------------------------------------- */

struct comparison {
	const struct pd_record *rec;
	unsigned int nr;
	bool equal;
};

static void compare(void *data, const void *record, size_t size)
{
	struct comparison *c = data;

	c->equal = !c->nr++ && size == c->rec->ev->header.size && !memcmp(record, c->rec->ev, size);
}

static bool gives_back(const struct event_build *b, const struct pd_record *rec,
		       const struct source_names *sources, const struct perfdata *pd)
{
	struct comparison c = { .rec = rec };
	struct record_maker m = { .header = pd, .sources = sources, .own = true, .emit = compare, .data = &c };

	if (b->overflow)
		return false;
	records_of_event(&m, &b->ev, b->ev.time == CST_EVENT_NO_TIME ? 0 : b->ev.time);
	return c.equal;
}

static void whole_record(struct event_build *b, const struct pd_record *rec)
{
	event_begin(b, CST_EVENT_OTHER, "x_perf", time_of(rec));
	event_bytes(b, "", rec->ev, rec->ev->header.size);
	event_signed(b, "type", rec->ev->header.type);
}

void event_of_record(struct event_build *b, const struct pd_record *rec, const struct source_names *sources,
		     const struct perfdata *pd)
{
	const struct record_verb *v = record_verb_of(rec->ev->header.type);

	switch (rec->ev->header.type) {
	case PERF_RECORD_MMAP:
		mmap_event(b, rec);
		break;
	case PERF_RECORD_MMAP2:
		mmap2_event(b, rec);
		break;
	case PERF_RECORD_COMM:
		comm_event(b, rec);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		task_event(b, rec);
		break;
	case PERF_RECORD_TEXT_POKE:
		poke_event(b, rec);
		break;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		hw_id_event(b, rec, sources);
		break;
	case PD_RECORD_CST_UNMAP:
		unmap_event(b, rec);
		break;
	case PD_RECORD_CST_CODE:
		code_event(b, rec);
		break;
	case PD_RECORD_CST_ASID:
		asid_event(b, rec);
		break;
	case PD_RECORD_CST_DEFINE_TRACE:
		define_event(b, rec, sources);
		break;
	default:
		if (!v) {
			whole_record(b, rec);
			return;
		}
		plain_event(b, rec, v);
	}
	put_trailer(b, rec);
	if (gives_back(b, rec, sources, pd))
		return;
	if (b->overflow || b->ev.n_params == CST_EVENT_PARAMS || rec->ev->header.size > sizeof(b->store) - b->used)
		whole_record(b, rec);
	else
		event_bytes(b, "perf", rec->ev, rec->ev->header.size);
}
