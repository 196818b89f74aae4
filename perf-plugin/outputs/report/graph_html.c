/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * graph_html.c - the elements of a flame graph: its frames, which are whole without the script, and
 * the tools of the script.
 */
#include "outputs/report/graph.h"

#define ROW	18u	/* height of a frame, in pixels */

void graph_put_begin(struct page *p, const struct graph *g)
{
	page_html(p, "<div id=\"tools\" class=\"tools\" hidden><input id=\"find\" type=\"search\" "
		     "placeholder=\"Search\" aria-label=\"Search\"> "
		     "<button id=\"next\" type=\"button\">Next match</button> "
		     "<button id=\"out\" type=\"button\">Zoom out</button> "
		     "<a id=\"page\" href=\"index.html\" hidden>Its code</a> "
		     "<span id=\"hits\" role=\"status\"></span></div>\n<p id=\"said\"></p>\n");
	page_format(p, "<div id=\"flame\" style=\"height:%upx\">\n", ROW * (g->deepest + 1));
}

void graph_put_frame(struct page *p, const struct graph *g, const struct graph_frame *f,
		     const char *class, uint32_t page)
{
	const double x = (double)f->begin / (double)g->total,
		     w = (double)f->insns / (double)g->total;

	page_format(p, "<b class=\"%s\" style=\"left:%.6f%%;width:%.6f%%;top:%upx\"", class,
		    100 * x, 100 * w, ROW * f->depth);
	if (f->parent)
		page_format(p, " data-p=\"%u\"", f->parent - 1);
	if (page)
		page_format(p, " data-f=\"%u\"", page);
	page_html(p, " title=\"");
}

void graph_put_label(struct page *p)
{
	page_html(p, "\">");
}

void graph_put_frame_end(struct page *p)
{
	page_html(p, "</b>\n");
}

void graph_put_end(struct page *p)
{
	page_html(p, "</div>\n");
}
