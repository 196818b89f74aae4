/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * style.c - the style sheet of all pages: wide and narrow screens, light and dark. Tables scroll
 * within their box. Pages of changes have a second one.
 */
#include "outputs/report/internal.h"

const char report_style[] =
#include "outputs/report/style.css.inc"
	;

const char report_change_style[] =
#include "outputs/report/changes.css.inc"
	;
