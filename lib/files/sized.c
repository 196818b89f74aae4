/* SPDX-License-Identifier: BSD-3-Clause */
/* sized.c - functions that take a struct which may grow, for callers that were compiled with a smaller one. */
#include <cstrace/files/files.h>

#include "base/sized.h"

int cst_snapshot_read_sized(struct cst_snapshot **ss, const struct cst_snap_io *io, size_t size, const char *index)
{
	struct cst_snap_io own_io = { 0 };

	return cst_snapshot_read(ss, TAKE(own_io, io, size), index);
}

int cst_snapshot_write_sized(const struct cst_snapshot *ss, const struct cst_snap_sink *sink, size_t size,
			     const char *index, const char *metadata)
{
	struct cst_snap_sink own_sink = { 0 };

	return cst_snapshot_write(ss, TAKE(own_sink, sink, size), index, metadata);
}

int cst_snap_etmv4_sized(const struct cst_snap_device *source, struct cst_etmv4_regs *regs, size_t size, int *ete,
			 unsigned int *assumed, const char **missing)
{
	struct cst_etmv4_regs own_regs = { 0 };
	int rc;

	TAKE(own_regs, regs, size);
	rc = cst_snap_etmv4(source, &own_regs, ete, assumed, missing);
	GIVE(regs, size, own_regs);
	return rc;
}

int cst_snap_config_sized(const struct cst_snap_device *source, const struct cst_snap_device *core,
			  unsigned int stream, struct cst_config *cfg, size_t size, unsigned int *assumed,
			  const char **missing)
{
	struct cst_config own_cfg = { 0 };
	int rc;

	TAKE(own_cfg, cfg, size);
	rc = cst_snap_config(source, core, stream, &own_cfg, assumed, missing);
	GIVE(cfg, size, own_cfg);
	return rc;
}

int cst_snap_memory_new_sized(struct cst_snap_memory **mem, const struct cst_snapshot *ss, struct cst_image *img,
			      const struct cst_snap_io *io, size_t size, size_t *missing)
{
	struct cst_snap_io own_io = { 0 };

	return cst_snap_memory_new(mem, ss, img, TAKE(own_io, io, size), missing);
}

int cst_meta_etmv4_sized(const struct cst_meta_source *src, struct cst_etmv4_regs *regs, size_t size, int *ete,
			 struct cst_problem *why)
{
	struct cst_etmv4_regs own_regs = { 0 };
	int rc;

	TAKE(own_regs, regs, size);
	rc = cst_meta_etmv4(src, &own_regs, ete, why);
	GIVE(regs, size, own_regs);
	return rc;
}

int cst_meta_set_etmv4_sized(struct cst_doc *doc, const char *section, const struct cst_etmv4_regs *regs, size_t size,
			     int ete)
{
	struct cst_etmv4_regs own_regs = { 0 };

	return cst_meta_set_etmv4(doc, section, TAKE(own_regs, regs, size), ete);
}

int cst_event_next_sized(struct cst_event_reader *r, struct cst_event *ev, size_t size, struct cst_problem *why)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_event_next(r, &own_ev, why);
	GIVE(ev, size, own_ev);
	return rc;
}

int cst_event_prev_sized(struct cst_event_reader *r, struct cst_event *ev, size_t size, struct cst_problem *why)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_event_prev(r, &own_ev, why);
	GIVE(ev, size, own_ev);
	return rc;
}

int64_t cst_event_write_sized(const struct cst_event *ev, size_t size, char *out, size_t cap)
{
	struct cst_event own_ev = { 0 };

	return cst_event_write(TAKE(own_ev, ev, size), out, cap);
}

int cst_state_new_sized(struct cst_state **st, const struct cst_state_limits *limits, size_t size)
{
	struct cst_state_limits own_limits = { 0 };

	return cst_state_new(st, TAKE(own_limits, limits, size));
}

int cst_state_apply_sized(struct cst_state *st, const struct cst_event *ev, size_t size, cst_state_fn emit, void *ctx)
{
	struct cst_event own_ev = { 0 };

	return cst_state_apply(st, TAKE(own_ev, ev, size), emit, ctx);
}

int cst_state_unapply_sized(struct cst_state *st, const struct cst_event *ev, size_t size)
{
	struct cst_event own_ev = { 0 };

	return cst_state_unapply(st, TAKE(own_ev, ev, size));
}

void cst_state_counts_sized(const struct cst_state *st, struct cst_state_counts *counts, size_t size)
{
	struct cst_state_counts own_counts = { 0 };

	TAKE(own_counts, counts, size);
	cst_state_counts(st, &own_counts);
	GIVE(counts, size, own_counts);
}

int cst_state_process_sized(const struct cst_state *st, int64_t pid, struct cst_event *ev, size_t size)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_state_process(st, pid, &own_ev);
	GIVE(ev, size, own_ev);
	return rc;
}

int cst_state_thread_sized(const struct cst_state *st, int64_t tid, struct cst_event *ev, size_t size)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_state_thread(st, tid, &own_ev);
	GIVE(ev, size, own_ev);
	return rc;
}

int cst_state_asid_sized(const struct cst_state *st, uint32_t asid, struct cst_event *ev, size_t size)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_state_asid(st, asid, &own_ev);
	GIVE(ev, size, own_ev);
	return rc;
}

int cst_state_trace_sized(const struct cst_state *st, struct cst_str source, struct cst_event *ev, size_t size)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_state_trace(st, source, &own_ev);
	GIVE(ev, size, own_ev);
	return rc;
}

int cst_state_code_sized(const struct cst_state *st, int64_t pid, uint64_t address, struct cst_event *ev, size_t size)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_state_code(st, pid, address, &own_ev);
	GIVE(ev, size, own_ev);
	return rc;
}

int cst_package_read_sized(struct cst_package **pkg, const struct cst_snap_io *io, size_t size, const char *index)
{
	struct cst_snap_io own_io = { 0 };

	return cst_package_read(pkg, TAKE(own_io, io, size), index);
}

int cst_tarmac_reader_new_sized(struct cst_tarmac_reader **r, const struct cst_tarmac_opts *opts, size_t size)
{
	struct cst_tarmac_opts own_opts = { 0 };

	return cst_tarmac_reader_new(r, TAKE(own_opts, opts, size));
}

int64_t cst_tarmac_write_sized(const struct cst_tarmac_record *rec, size_t size, enum cst_tarmac_dialect dialect, char *out,
			       size_t cap)
{
	struct cst_tarmac_record own_rec = { 0 };

	return cst_tarmac_write(TAKE(own_rec, rec, size), dialect, out, cap);
}
