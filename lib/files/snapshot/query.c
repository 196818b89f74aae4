/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * query.c - questions to a snapshot: who belongs to whom.
 */
#include <string.h>

#include "files/snapshot/snapshot_int.h"

const struct cst_snap_device *cst_snapshot_device(const struct cst_snapshot *ss, const char *name)
{
	size_t i;

	for (i = 0; i < ss->n_devices; i++)
		if (!strcmp(ss->devices[i].name, name))
			return &ss->devices[i];
	return NULL;
}

const struct cst_snap_device *cst_snapshot_core(const struct cst_snapshot *ss,
						const struct cst_snap_device *source)
{
	const struct cst_snap_link *link;
	size_t i;

	for (i = 0; i < ss->n_core_sources; i++) {
		link = &ss->core_sources[i];
		if (!strcmp(link->to, source->name) ||
		    (link->to[0] == '@' && *source->location && !strcmp(link->to + 1, source->location)))
			return cst_snapshot_device(ss, link->from);
	}
	return NULL;
}

int cst_snapshot_feeds(const struct cst_snapshot *ss, const struct cst_snap_device *source,
		       const struct cst_snap_buffer *buffer)
{
	return cst_snapshot_feeds_stream(ss, source, 0, buffer);
}

int cst_snapshot_feeds_stream(const struct cst_snapshot *ss, const struct cst_snap_device *source,
			      unsigned int stream, const struct cst_snap_buffer *buffer)
{
	const struct cst_snap_link *link;
	int own = 0;
	size_t i;

	if (!ss->n_source_buffers)
		return ss->n_buffers == 1 && source->class_ == CST_SNAP_SOURCE;
	/* A stream that has buffers of its own goes there and nowhere else. */
	for (i = 0; i < ss->n_source_buffers && !own; i++) {
		link = &ss->source_buffers[i];
		own = link->has_stream && link->stream == stream && !strcmp(link->from, source->name);
	}
	for (i = 0; i < ss->n_source_buffers; i++) {
		link = &ss->source_buffers[i];
		if (!strcmp(link->from, source->name) && link->has_stream == own &&
		    (!own || link->stream == stream) && !strcmp(link->to, buffer->name))
			return 1;
	}
	return 0;
}

int cst_snap_reg(const struct cst_snap_device *dev, const char *name, uint64_t *value)
{
	size_t i;

	for (i = 0; i < dev->n_regs; i++)
		if (cst_ini_is(cst_ini_str(dev->regs[i].name), name)) {
			*value = dev->regs[i].value;
			return 1;
		}
	return 0;
}
