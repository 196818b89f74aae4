/* SPDX-License-Identifier: GPL-2.0-only */
/* page.c - escapes text, and writes pages through a buffer. */
#include "outputs/report/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/name.h"
#include "outputs/report/report.h"
#include "session/losses/report.h"

static const struct {
	const char *page, *title;
} entries[] = {
	[PAGE_OVERVIEW] = { "index.html", "Overview" },
	[PAGE_FUNCTIONS] = { "functions.html", "Functions" },
	[PAGE_FLAME] = { "flame.html", "Flame graph" },
	[PAGE_THREADS] = { "threads.html", "Threads" },
	[PAGE_TIMELINE] = { "timeline.html", "Timeline" },
	[PAGE_FILES] = { "files.html", "Coverage" },
	[PAGE_CHANGES] = { "changes.html", "Changes" },
	[PAGE_CHANGE_FLAME] = { "change-flame.html", "Changed flame graph" },
};

void page_init(struct page *p, struct outdir *out, uint32_t has, struct error *err)
{
	p->out = out;
	p->err = err;
	p->entries = has;
	p->fd = -1;
	p->n = 0;
}

static void flush(struct page *p)
{
	if (p->fd >= 0 && !p->err->code)
		outdir_write(p->out, p->fd, p->name, p->buf, p->n, p->err);
	p->n = 0;
}

static void put(struct page *p, const char *text, size_t n)
{
	size_t some;

	while (n) {
		if (p->n == sizeof(p->buf))
			flush(p);
		some = sizeof(p->buf) - p->n < n ? sizeof(p->buf) - p->n : n;
		memcpy(p->buf + p->n, text, some);
		p->n += some;
		text += some;
		n -= some;
	}
}

void page_html(struct page *p, const char *html)
{
	put(p, html, strlen(html));
}

void page_format(struct page *p, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	page_html(p, text);
}

/* Writes text with references for the characters that have a meaning in HTML. */
static void escape(struct page *p, const char *text, size_t n)
{
	const char *end = text + n, *from = text, *reference;

	for (; text < end; text++) {
		switch (*text) {
		case '&': reference = "&amp;"; break;
		case '<': reference = "&lt;"; break;
		case '>': reference = "&gt;"; break;
		case '"': reference = "&quot;"; break;
		case '\'': reference = "&#39;"; break;
		default: continue;
		}
		put(p, from, (size_t)(text - from));
		page_html(p, reference);
		from = text + 1;
	}
	put(p, from, (size_t)(end - from));
}

void page_text(struct page *p, const char *name)
{
	const char *shown = name_shown(name);

	escape(p, shown, strlen(shown));
}

/* Writes a piece of at most a line, without control characters. */
static void put_piece(struct page *p, const char *text, size_t n)
{
	char piece[2048];

	while (n) {
		size_t some = n < sizeof(piece) ? n : sizeof(piece) - 1;

		/* a character of UTF-8 is not divided */
		while (some < n && some > sizeof(piece) - 8 && ((unsigned char)text[some] & 0xc0) == 0x80)
			some--;
		memcpy(piece, text, some);
		piece[some] = 0;
		page_text(p, piece);
		text += some;
		n -= some;
	}
}

void page_lines(struct page *p, const char *text, size_t n)
{
	const char *end = text + n, *line;

	for (; text < end; text = line + 1) {
		line = memchr(text, '\n', (size_t)(end - text));
		line = line ? line : end;
		put_piece(p, text, (size_t)(line - text));
		page_html(p, "\n");
	}
}

void page_source(struct page *p, const char *line, size_t n)
{
	const char *end = line + n, *tab;

	while (end > line && end[-1] == '\r')
		end--;
	for (; line < end; line = tab + 1) {
		tab = memchr(line, '\t', (size_t)(end - line));
		put_piece(p, line, (size_t)((tab ? tab : end) - line));
		if (!tab)
			return;
		page_html(p, "\t");
	}
}

void page_hex(struct page *p, uint64_t v)
{
	char text[16], *at = text + sizeof(text);

	do {
		*--at = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	put(p, at, (size_t)(text + sizeof(text) - at));
}

void page_number(struct page *p, uint64_t v)
{
	char text[32];

	page_html(p, losses_grouped(v, text));
}

void page_cell(struct page *p, uint64_t v, bool known)
{
	page_html(p, "<td class=n>");
	if (known)
		page_number(p, v);
	page_html(p, "</td>");
}

void page_share(struct page *p, uint64_t part, uint64_t all)
{
	const double share = all ? 100.0 * (double)part / (double)all : 0;

	page_format(p, "<td class=bar><i style=\"width:%.1f%%\"></i><span>%.2f&#8239;%%</span></td>", share, share);
}

static void open_file(struct page *p, const char *name)
{
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->n = 0;
	p->fd = p->err->code ? -1 : outdir_create(p->out, p->name, p->err);
}

static void close_file(struct page *p)
{
	flush(p);
	if (p->fd >= 0 && close(p->fd) < 0 && !p->err->code)
		error_set(p->err, ERR_IO, "%s: cannot write %s", p->out->path, p->name);
	p->fd = -1;
}

void page_table(struct page *p, const char *label, const char *class)
{
	page_html(p, "<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"");
	page_text(p, label);
	page_format(p, class ? "\"><table class=\"%s\">\n" : "\"><table>\n", class);
}

void page_table_end(struct page *p)
{
	page_html(p, "</table></div>\n");
}

void page_begin(struct page *p, const char *name, enum page_entry entry, const char *title,
		const struct page_script *script)
{
	unsigned int i;

	p->script = script;
	open_file(p, name);
	page_html(p, REPORT_BEGINS "\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		  "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src ");
	page_html(p, script->source);
	page_html(p, "; object-src 'none'; base-uri 'none'; form-action 'none'\">\n<title>");
	page_text(p, title);
	page_html(p, "</title>\n<link rel=\"stylesheet\" href=\"style.css\">\n</head>\n<body>\n"
		     "<nav aria-label=\"Pages\">");
	for (i = 0; i < PAGE_NO_ENTRY; i++)
		if (p->entries >> i & 1)
			page_format(p, "<a href=\"%s\"%s>%s</a>", entries[i].page,
				    i == entry ? " class=\"here\" aria-current=\"page\"" : "",
				    entries[i].title);
	page_html(p, "</nav>\n<main>\n");
}

void page_end(struct page *p)
{
	page_html(p, "</main>\n<script>");
	page_html(p, p->script->text);
	page_html(p, "</script>\n</body>\n</html>\n");
	close_file(p);
}

void page_file(struct page *p, const char *name, const char *text)
{
	open_file(p, name);
	page_html(p, text);
	close_file(p);
}
