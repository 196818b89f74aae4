/* SPDX-License-Identifier: GPL-2.0-only */
/* flame_box.c - the elements of frames, and of the tools of their script. */
#include "outputs/report/flame_box.h"

#include <stdio.h>

#include "cstrace/files/countfile.h"

#define ROW		18u	/* height of a frame, in pixels */
#define NR_COLOURS	8u	/* classes c0 to c7, by binary */
#define NR_TINTS	3u	/* classes s0 to s2, by function */

const char *flame_colour(char class[FLAME_CLASS], uint32_t binary, uint32_t function)
{
	snprintf(class, FLAME_CLASS, "c%u s%u",
		 binary == CST_COUNT_NO_BINARY ? 0 : 1 + binary % (NR_COLOURS - 1),
		 function % NR_TINTS);
	return class;
}

void flame_box_begin(struct page *p, uint32_t rows)
{
	page_html(p, "<div id=\"tools\" class=\"tools\" hidden><input id=\"find\" type=\"search\" "
		     "placeholder=\"Search\" aria-label=\"Search\"> "
		     "<button id=\"next\" type=\"button\">Next match</button> "
		     "<button id=\"out\" type=\"button\">Zoom out</button> "
		     "<a id=\"page\" href=\"index.html\" hidden>Its code</a> "
		     "<span id=\"hits\" role=\"status\"></span></div>\n<p id=\"said\"></p>\n");
	page_format(p, "<div id=\"flame\" style=\"height:%upx\">\n", ROW * rows);
}

void flame_box_end(struct page *p)
{
	page_html(p, "</div>\n");
}

void flame_frame_begin(struct page *p, const struct flame_frame *f)
{
	const double all = f->all ? (double)f->all : 1;

	page_format(p, "<b class=\"%s\" style=\"left:%.6f%%;width:%.6f%%;top:%upx\"", f->class,
		    100 * ((double)f->begin / all), 100 * ((double)f->width / all), ROW * f->row);
	if (f->parent)
		page_format(p, " data-p=\"%u\"", f->parent - 1);
	if (f->page)
		page_format(p, " data-f=\"%u\"", f->page);
	page_html(p, " title=\"");
}

void flame_frame_label(struct page *p)
{
	page_html(p, "\">");
}

void flame_frame_end(struct page *p)
{
	page_html(p, "</b>\n");
}
