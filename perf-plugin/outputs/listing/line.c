/* SPDX-License-Identifier: GPL-2.0-only */
/* line.c - the fields that perf script has for every event. */
#include "base/wide.h"
#include "outputs/listing/line.h"

/* width of pid and tid up to perf 6.4; 7 in later versions */
#define ID_WIDTH	5

static void put_comm(struct line *l, const char *name, bool padded)
{
	line_name(l, name, name_plain_len(name), padded ? 16 : 0);
	*l->p++ = ' ';
}

static void put_time(struct line *l, uint64_t time)
{
	/* seconds take five columns, as perf script has them in either unit */
	const size_t width = l->fields & LIST_NS ? 15 : 12;
	char tmp[40 + TEXT_SPARE], *p;

	p = text_dec(tmp, (int64_t)(time / 1000000000u), 0, ' ');
	*p++ = '.';
	if (l->fields & LIST_NS)
		p = text_dec(p, (int64_t)(time % 1000000000u), 9, '0');
	else
		p = text_dec(p, (int64_t)(time % 1000000000u / 1000), 6, '0');
	l->p = text_pad(l->p, (size_t)(p - tmp), width, ' ');
	l->p = text_bytes(l->p, tmp, (size_t)(p - tmp));
	l->p = text_lit(l->p, ": ");
}

static void put_who(struct line *l, const struct line_who *who, const char *comm, uint64_t time,
		    bool with_chain)
{
	if (l->fields & LIST_MACHINE_PID && who->machine >= 0) {
		l->p = text_lit(l->p, "VM:");
		l->p = text_dec(l->p, who->machine, ID_WIDTH, ' ');
		*l->p++ = ' ';
	}
	if (l->fields & LIST_COMM)
		put_comm(l, comm, !with_chain);
	if (l->fields & LIST_PID && l->fields & LIST_TID) {
		char *start;

		l->p = text_dec(l->p, who->pid, ID_WIDTH, ' ');
		*l->p++ = '/';
		start = l->p;
		l->p = text_dec(l->p, who->tid, 0, ' ');
		l->p = text_pad(l->p, (size_t)(l->p - start), ID_WIDTH, ' ');
		*l->p++ = ' ';
	} else if (l->fields & (LIST_PID | LIST_TID)) {
		l->p = text_dec(l->p, l->fields & LIST_PID ? who->pid : who->tid, ID_WIDTH, ' ');
		*l->p++ = ' ';
	}
	if (l->fields & LIST_CPU) {
		*l->p++ = '[';
		if (who->cpu < 0)
			l->p = text_lit(l->p, "-01");	/* as printf fills a negative number */
		else
			l->p = text_dec(l->p, who->cpu, 3, '0');
		l->p = text_lit(l->p, "] ");
	}
	if (l->fields & LIST_TIME)
		put_time(l, time);
}

static void put_period(struct line *l, uint64_t period)
{
	if (!(l->fields & LIST_PERIOD))
		return;
	l->p = text_dec(l->p, (int64_t)period, 10, ' ');
	*l->p++ = ' ';
}

static void put_event(struct line *l, const char *name)
{
	if (!(l->fields & LIST_EVENT))
		return;
	line_text(l, name, strlen(name), l->event_width);
	l->p = text_lit(l->p, ": ");
}

void line_start_new(struct line *l, const struct line_who *who, uint64_t time, bool with_chain,
		    uint64_t period, const char *event)
{
	struct line_start *start = &l->start;
	const uint8_t *piece = l->ln->cur;
	const char *comm, *at = l->p;
	size_t len;

	comm = comms_span(l->comms, who->vm, who->tid, time, &start->from, &start->until);
	put_who(l, who, comm, time, with_chain);
	put_period(l, period);
	put_event(l, event);
	len = (size_t)(l->p - at);
	/* a long name splits the line into pieces */
	if (with_chain || l->ln->cur != piece || len > sizeof(start->text) - TEXT_SPARE) {
		start->known = false;
		return;
	}
	memcpy(start->text, at, len);
	start->known = true;
	start->len = len;
	start->time = line_shown_time(l, time);
	start->who = *who;
	start->event = event;
	start->period = period;
}

static const struct {
	uint16_t flags;
	const char *name;
} flag_names[] = {
	{ 0x003, "call" },
	{ 0x005, "return" },
	{ 0x009, "jcc" },
	{ 0x001, "jmp" },
	{ 0x043, "int" },
	{ 0x045, "iret" },
	{ 0x013, "syscall" },
	{ 0x015, "sysret" },
	{ 0x021, "async" },
	{ 0x063, "hw int" },
	{ 0x081, "tx abrt" },
	{ 0x400, "x" },
	{ 0x101, "tr strt" },
	{ 0x201, "tr end" },
};

static const char *flag_name(unsigned int flags)
{
	size_t i;

	for (i = 0; i < sizeof(flag_names) / sizeof(flag_names[0]); i++)
		if (flag_names[i].flags == flags)
			return flag_names[i].name;
	return NULL;
}

void line_flags_new(struct flags_text *t, unsigned int flags)
{
	const unsigned int trace_end = 0x200;
	const char *name = flag_name(flags), *end = NULL;
	char tmp[24], *p = tmp, *to = t->text;

	if (!name && flags & trace_end)
		end = flag_name(flags & ~trace_end);
	if (name) {
		p = text_bytes(p, name, strlen(name));
	} else if (end) {
		p = text_lit(p, "tr end  ");
		p = text_bytes(p, end, strlen(end));
	}
	to = text_lit(to, "  ");
	to = text_bytes(to, tmp, (size_t)(p - tmp));
	to = text_pad(to, (size_t)(p - tmp), 21, ' ');
	*to++ = ' ';
	t->flags = flags;
	t->len = (uint8_t)(to - t->text);
}

void line_dso(struct line *l, const struct symbol_names *names)
{
	if (names->dso)
		line_name(l, names->dso, names->dso_plain, 0);
	else
		line_string(l, "[unknown]");
}

static void put_symbol(struct line *l, const struct symbol_names *names)
{
	if (l->fields & LIST_SYM) {
		*l->p++ = ' ';
		if (names->name)
			line_name(l, names->name, names->name_plain, 0);
		else
			line_string(l, "[unknown]");
		if (names->name && l->fields & LIST_SYMOFF) {
			l->p = text_lit(l->p, "+0x");
			l->p = text_hex(l->p, names->offset, 0);
		}
	}
	if (l->fields & LIST_DSO) {
		l->p = text_lit(l->p, " (");
		line_dso(l, names);
		*l->p++ = ')';
	}
}

void line_symbol(struct line *l, const struct symbol_names *names, struct symbol_text *text)
{
	const uint8_t *piece;
	const char *start;

	line_room(l, LINE_ROOM);
	if (text && text->len) {
		l->p = text_short(l->p, text->bytes, text->len);
		return;
	}
	start = l->p;
	piece = l->ln->cur;
	put_symbol(l, names);
	if (text && l->ln->cur == piece && (size_t)(l->p - start) <= sizeof(text->bytes) - TEXT_SPARE) {
		text->len = (uint8_t)(l->p - start);
		memcpy(text->bytes, start, text->len);
	}
}

void line_find_symbol(struct line *l, const struct stream *s, uint64_t addr, uint64_t thread)
{
	const struct symbol_ref ref = line_find(l, s, addr, thread);

	line_symbol(l, &ref.at->names, ref.text);
}

void line_source(struct line *l, const struct stream *s, uint64_t addr, uint64_t thread,
		 const char *before)
{
	const struct symbol_at *at = line_find(l, s, addr, thread).at;

	if (!at->file)
		return;
	line_room(l, LINE_ROOM);
	line_string(l, before);
	line_string(l, name_shown(srclines_text(l->srclines, at->file, at->in_file)));
}

void line_ipc(struct line *l, struct ipc ipc)
{
	uint64_t hundredths;

	if (!ipc.insns || !ipc.cycles)
		return;
	hundredths = wide_mul_div(ipc.insns, 100, ipc.cycles);
	line_room(l, LINE_ROOM);
	l->p = text_lit(l->p, " \t IPC: ");
	l->p = text_dec(l->p, (int64_t)(hundredths / 100), 0, ' ');
	*l->p++ = '.';
	l->p = text_dec(l->p, (int64_t)(hundredths % 100), 2, '0');
	l->p = text_lit(l->p, " (");
	l->p = text_dec(l->p, (int64_t)ipc.insns, 0, ' ');
	*l->p++ = '/';
	l->p = text_dec(l->p, (int64_t)ipc.cycles, 0, ' ');
	l->p = text_lit(l->p, ") ");
}
