/* SPDX-License-Identifier: GPL-2.0-only */
#include "convert/convert.h"
int convert_from_snapshot(const char *dir, bool own, struct perf_writer *w, struct dso_places *images,
			  struct convert_losses *l, struct pd_error *err)
{
	(void)own; (void)w; (void)images; (void)l;
	return pd_fail(err, PD_E_USAGE, 0, "%s: is a snapshot; 'dump -s' lists it", dir);
}
