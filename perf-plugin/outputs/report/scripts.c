/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scripts.c - the scripts of the pages. The policy of a page allows its own script alone, by its
 * SHA-256 in base64.
 */
#include "outputs/report/page.h"

static const char tables[] =
#include "outputs/report/page.js.inc"
#include "outputs/report/tables.js.inc"
	;
static const char flame[] =
#include "outputs/report/page.js.inc"
#include "outputs/report/flame.js.inc"
	;

/* tests/cli/report.sh compares them: it prints the right one */
const struct page_script page_tables = {
	tables, "'sha256-9qZfmHA9aa08ptuWeYWy6g+0EUz/p9OSiowLePhk4y4='"
};
const struct page_script page_flame = {
	flame, "'sha256-6/IVRZtrl+WXBnXzDr5gxQ3n0OLXasUfTEMZNUVl4c0='"
};
