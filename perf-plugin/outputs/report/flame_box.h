/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame_box.h - the box of frames which the script page_flame zooms and searches: those of a flame
 * graph, which are as wide as their instructions, and of a timeline. All frames are seen without
 * the script.
 */
#ifndef CSTRACE_OUTPUTS_REPORT_FLAME_BOX_H
#define CSTRACE_OUTPUTS_REPORT_FLAME_BOX_H

#include "outputs/report/page.h"

struct flame_frame {
	const char *class;	/* its colour */
	/* its place, and the width of the box */
	uint64_t begin, width, all;
	uint32_t row;		/* rows above it */
	uint32_t parent;	/* number of the frame that it belongs to, + 1; 0: none */
	uint32_t page;		/* of its function; 0: none */
};

#define FLAME_CLASS	24u
/* The colour of a function by its binary, CST_COUNT_NO_BINARY included. */
const char *flame_colour(char class[FLAME_CLASS], uint32_t binary, uint32_t function);

/* Writes the tools of the script, and begins the box. */
void flame_box_begin(struct page *p, uint32_t rows);
void flame_box_end(struct page *p);
/*
 * Begins a frame; parents precede. What it says in full follows, then flame_frame_label(), what is
 * written on it, which ends with the function's name, and flame_frame_end().
 */
void flame_frame_begin(struct page *p, const struct flame_frame *f);
void flame_frame_label(struct page *p);
void flame_frame_end(struct page *p);

#endif
