/* SPDX-License-Identifier: GPL-2.0-only */
/* snapshot.c - dump -s: the trace buffers of an Arm snapshot. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/files/input.h"
#include "base/name.h"
#include "outputs/dump/dump.h"
#include "session/import/bare.h"
#include "session/import/folder.h"

#define STREAMS 2		/* of a source: instructions, data */
#define NOT_DECODED 1		/* no source of a buffer can be decoded, which is reported */

struct snap_run {
	struct dump *d;
	struct folder files;
	struct cst_snap_io io;
	struct cst_snapshot *ss;
	struct cst_image *img;
	struct cst_snap_memory *mem;
};

static int complain(const struct snap_run *r, const char *what, const char *text)
{
	fprintf(stderr, "%s: %s: %s: %s\n", r->files.who, name_shown(r->files.dir), name_shown(what), name_shown(text));
	return ERR_REPORTED;
}

/* The contents of a buffer: its files one after the other. *copy is to be freed. */
static int load_buffer(struct snap_run *r, const struct cst_snap_buffer *buf, const uint8_t **data,
		       size_t *len, uint8_t **copy)
{
	const uint8_t *part;
	uint8_t *grown;
	size_t i, n;

	*copy = NULL;
	*len = 0;
	for (i = 0; i < buf->n_files; i++) {
		if (folder_open(&r->files, buf->files[i], &part, &n))
			return complain(r, buf->files[i], "trace buffer cannot be read: check file= in the "
					"trace metadata");
		if (buf->n_files == 1) {
			*data = part;
			*len = n;
			return 0;
		}
		grown = mem_more(*copy, *len + n + 1, 1);
		*copy = grown;
		if (n)
			memcpy(grown + *len, part, n);
		*len += n;
		*data = grown;
	}
	return 0;
}

/* Reports what was assumed of a source, and why it cannot be decoded. */
static void report_config(struct snap_run *r, const struct cst_snap_device *src, unsigned int assumed, int err)
{
	uint64_t value = 0;
	const char *reg;
	char text[160];

	if (assumed & CST_SNAP_NO_DEVARCH)
		complain(r, src->name, "no TRCDEVARCH: ETE 1.0 is assumed");
	if (assumed & CST_SNAP_NO_IDR1)
		complain(r, src->name, "no TRCIDR1: ETMv4.0 is assumed");
	if (assumed & CST_SNAP_NO_CCER)
		complain(r, src->name, "no ETMCCER: no extensions are assumed");
	if (!err)
		return;
	reg = cst_snap_reg(src, "TRCCONFIGR", &value) ? "TRCCONFIGR" : "ETMIDR";
	cst_snap_reg(src, reg, &value);
	snprintf(text, sizeof(text), "%s (%s 0x%x): packets only", error_text(err), reg, (unsigned int)value);
	complain(r, src->name, text);
}

/* Trace without frames was captured from its first byte on, by a probe that was there before. */
static uint8_t itm_sync(const struct snap_run *r, const struct cst_snap_buffer *buf)
{
	if (r->d->itm_sync)
		return CST_ITM_SYNC_PACKET;
	return buf->format == CST_SNAP_FMT_SOURCE_DATA ? CST_ITM_SYNC_START : CST_ITM_SYNC_TRY;
}

/* A decoder for one stream of a source; 0 after a message when there can be none. */
static int add_decoder(struct snap_run *r, struct cst_tree *tree, const struct cst_snap_buffer *buf,
		       const struct cst_snap_device *src, unsigned int stream)
{
	const struct cst_snap_device *core = cst_snapshot_core(r->ss, src);
	bool reference = r->d->format == DUMP_OPENCSD;
	struct cst_decoder *dec;
	struct cst_config cfg = { 0 };
	const char *missing = "";
	unsigned int assumed = 0;
	char text[160];
	bool refused;
	int err;

	err = cst_snap_config(src, core, stream, &cfg, &assumed, &missing);
	/* stream 0, if it is in this buffer, has reported the missing register */
	if (stream && (err == -CST_ERR_PROTOCOL ||
		       (err == -CST_ERR_NOT_FOUND && cst_snapshot_feeds_stream(r->ss, src, 0, buf))))
		return 0;
	if (err == -CST_ERR_PROTOCOL || err == -CST_ERR_NOT_FOUND) {
		snprintf(text, sizeof(text), err == -CST_ERR_NOT_FOUND ?
			 "register %s is missing; its trace is skipped" :
			 "protocol '%s' has no decoder; its trace is skipped",
			 err == -CST_ERR_NOT_FOUND ? missing : src->type);
		complain(r, src->name, text);
		return 0;
	}
	report_config(r, src, stream ? 0 : assumed, err);
	refused = err != 0;
	/* The reference lists what a transaction did whether it failed or not, and each instruction of ETMv3. */
	cfg.hold_transactions = !reference;
	cfg.as_reference = reference;
	cfg.strict = r->d->strict;
	cfg.insn_ranges = r->d->insn_ranges || reference;
	cfg.itm_sync = itm_sync(r, buf);
	err = mem_code(cst_tree_add(tree, &cfg, &dec));
	if (err) {
		snprintf(text, sizeof(text), "trace ID 0x%02x: %s; its trace is skipped", cfg.trace_id, error_text(err));
		complain(r, src->name, text);
		return 0;
	}
	r->d->id.packets_only[cfg.trace_id & 0x7f] = refused;
	r->d->sums.losses |= refused && (r->d->show.elements || r->d->format == DUMP_NONE);
	errno = 0;
	cst_decoder_set_images(dec, cst_snap_memory_images(r->mem, core));
	mem_check(errno);	/* those that it has no memory for are left out */
	return 1;
}

static unsigned int frame_flags(const struct cst_snap_buffer *buf)
{
	return buf->format == CST_SNAP_FMT_DSTREAM ? CST_FRAME_FSYNC | CST_FRAME_DSTREAM :
	       CST_FRAME_ALIGNED | CST_FRAME_RESET_4X;
}

/* A tree with a decoder for every source that feeds the buffer; their number. */
static int make_tree(struct snap_run *r, const struct cst_snap_buffer *buf,
		     const struct cst_snap_device *only, struct cst_tree **tree)
{
	bool raw = buf->format == CST_SNAP_FMT_SOURCE_DATA;
	const struct cst_snap_device *dev;
	unsigned int stream;
	size_t i;
	int n = 0;

	if (cst_tree_new(tree, raw ? CST_TREE_RAW : CST_TREE_FRAMES,
			 raw ? 0 : dump_frame_flags(r->d, frame_flags(buf), false)))
		mem_refused(0);
	cst_tree_set_log(*tree, r->d->log);
	for (i = 0; i < r->ss->n_devices; i++) {
		dev = &r->ss->devices[i];
		for (stream = 0; stream < STREAMS; stream++) {
			if (dev->class_ != CST_SNAP_SOURCE || (only && dev != only) ||
			    !cst_snapshot_feeds_stream(r->ss, dev, stream, buf))
				continue;
			if (!raw || !n)
				n += add_decoder(r, *tree, buf, dev, stream);
			else if (!stream)
				complain(r, dev->name, "second source of an unformatted buffer; it is skipped");
		}
	}
	return n;
}

/* `packed`: the frames themselves, else the bytes of each ID. */
static int run_frames(struct snap_run *r, const struct cst_snap_buffer *buf, const uint8_t *data, size_t len,
		      bool packed)
{
	bool alone = !r->d->show.packets && !r->d->show.elements && !(packed && r->d->show.frames);
	struct cst_tree *tree = NULL;
	int rc;

	if (buf->format == CST_SNAP_FMT_SOURCE_DATA)
		return complain(r, buf->name, "unformatted data has no frames");
	rc = mem_code(cst_tree_new(&tree, CST_TREE_FRAMES,
				   dump_frame_flags(r->d, frame_flags(buf), packed)));
	/* what is taken apart several times is logged and counted once */
	if (!rc && alone)
		cst_tree_set_log(tree, r->d->log);
	if (!rc)
		rc = dump_frames(r->d, tree, data, len, 0);
	if (rc < 0) {
		rc = complain(r, buf->name, error_text(rc));
	} else if (alone) {
		/* logs and counts a frame that is incomplete at the end: cst_tree_end() takes effect when elements are pulled */
		cst_tree_reset(tree);
		dump_sum_frames(r->d, tree);
	}
	cst_tree_free(tree);
	return rc;
}

static int run_decode(struct snap_run *r, const struct cst_snap_buffer *buf,
		      const struct cst_snap_device *only, const uint8_t *data, size_t len)
{
	struct cst_tree *tree = NULL;
	int n, rc = 0;

	n = make_tree(r, buf, only, &tree);
	if (n == 0) {
		complain(r, buf->name, "no source of this buffer can be decoded");
		rc = NOT_DECODED;
	} else if (n > 0) {
		r->d->id.raw = buf->format == CST_SNAP_FMT_SOURCE_DATA;
		r->d->at.section = buf->name;
		n = dump_tree(r->d, tree, data, len, 0);
	}
	if (n < 0)
		rc = complain(r, buf->name, error_text(n));
	cst_tree_free(tree);
	return rc;
}

static int run_buffer(struct snap_run *r, const struct cst_snap_buffer *buf,
		      const struct cst_snap_device *only, bool heading)
{
	const uint8_t *data = NULL;
	uint8_t *copy;
	size_t len;
	int rc;

	if (buf->format == CST_SNAP_FMT_OTHER)
		return complain(r, buf->name, "format= is not coresight, source_data or dstream_coresight");
	rc = load_buffer(r, buf, &data, &len, &copy);
	if (!rc && heading)
		dump_section(r->d, buf->name, buf->format_name);
	if (!rc && r->d->show.packed)
		rc = run_frames(r, buf, data, len, true);
	if (!rc && r->d->show.frames)
		rc = run_frames(r, buf, data, len, false);
	if (!rc && (r->d->show.packets || r->d->show.elements || r->d->format == DUMP_NONE))
		rc = run_decode(r, buf, only, data, len);
	free(copy);
	return rc;
}

static bool feeds(const struct cst_snapshot *ss, const struct cst_snap_device *dev, const struct cst_snap_buffer *buf)
{
	unsigned int stream;

	for (stream = 0; stream < STREAMS; stream++)
		if (dev->class_ == CST_SNAP_SOURCE && cst_snapshot_feeds_stream(ss, dev, stream, buf))
			return true;
	return false;
}

/* All buffers, or those that one source feeds. */
static int run_buffers(struct snap_run *r, const struct cst_snap_device *only, bool heading)
{
	const struct cst_snapshot *ss = r->ss;
	int rc = 0, one, decoded = 0;
	size_t i;

	for (i = 0; i < ss->n_buffers; i++) {
		if (only && !feeds(ss, only, &ss->buffers[i]))
			continue;
		if (r->d->at.reading)
			*r->d->at.reading = (unsigned int)i;
		one = run_buffer(r, &ss->buffers[i], only, heading);
		decoded += !one;
		r->d->sums.losses |= one == NOT_DECODED;
		rc = one < 0 ? one : rc;
	}
	return rc || decoded ? rc : NOT_DECODED;
}

/* --source: all, a buffer by name or section, or a trace source. */
static int run_source(struct snap_run *r, const char *source)
{
	const struct cst_snapshot *ss = r->ss;
	const struct cst_snap_device *dev;
	size_t i, n = 0;

	if (!ss->n_buffers)
		return complain(r, "snapshot.ini", "the snapshot has no trace ([trace] metadata= is missing)");
	if (!source)
		return run_buffer(r, &ss->buffers[0], NULL, r->d->format != DUMP_OPENCSD);
	if (!strcmp(source, "all"))
		return run_buffers(r, NULL, true);
	for (i = 0; i < ss->n_buffers; i++)
		if (!strcmp(source, ss->buffers[i].name) || !strcmp(source, ss->buffers[i].id))
			return run_buffer(r, &ss->buffers[i], NULL, false);
	dev = cst_snapshot_device(ss, source);
	for (i = 0; dev && i < ss->n_buffers; i++)
		n += feeds(ss, dev, &ss->buffers[i]);
	r->d->id.one_source = n;
	if (n)
		return run_buffers(r, dev, n > 1);
	complain(r, source, "neither a trace buffer nor a trace source of the snapshot; its buffers are:");
	for (i = 0; i < ss->n_buffers; i++)
		fprintf(stderr, "  %s\n", name_shown(ss->buffers[i].name));
	return ERR_REPORTED;
}

/* Buffers that this run does not read are no place for its output, either. */
static void note_buffers(const struct snap_run *r)
{
	size_t i, j;

	for (i = 0; i < r->ss->n_buffers; i++)
		for (j = 0; j < r->ss->buffers[i].n_files; j++) {
			char *path = folder_path(&r->files, r->ss->buffers[i].files[j]);

			if (path)
				input_note_path(path);
			free(path);
		}
}

int dump_snapshot(struct dump *d, const char *dir, const struct bare_opts *bare, const char *source)
{
	struct snap_run r = { .d = d, .files = { .dir = dir, .who = d->who ? d->who : "cstrace dump" } };
	struct error made = { .code = 0 };
	uint64_t lost = 0;
	size_t missing = 0;
	int err, rc;

	if (bare_make(bare, &r.files, &lost, &made)) {
		fprintf(stderr, "%s: %s\n", r.files.who, made.msg);
		folder_free(&r.files);
		return ERR_REPORTED;
	}
	d->sums.losses |= lost > 0;
	r.io.ctx = &r.files;
	r.io.open = folder_open;
	r.io.note = folder_note;
	errno = 0;
	err = cst_snapshot_read(&r.ss, &r.io, NULL);
	if (err)
		mem_check(errno);	/* it is CST_ERR_LIMIT, too */
	else
		note_buffers(&r);
	if (!err)
		err = mem_code(cst_image_new(&r.img, 0));
	if (!err)
		err = mem_code(cst_snap_memory_new(&r.mem, r.ss, r.img, &r.io, &missing));
	if (err == -CST_ERR_IO)	/* which file, and why, was reported when it was opened */
		rc = ERR_REPORTED;
	else if (err)
		rc = complain(&r, "snapshot cannot be used", error_text(err));
	else
		rc = dump_check_output(d) ? ERR_REPORTED : run_source(&r, source);
	if (missing)
		fprintf(stderr, "%s: %zu memory dumps are missing or cut: code in them is listed as "
			"not accessible\n", r.files.who, missing);
	/* the rest of the trace was not lost, but not read */
	if (!pd_output_failed(&d->out.file))
		dump_losses(d);
	cst_image_free(r.img);
	cst_snap_memory_free(r.mem);
	cst_snapshot_free(r.ss);
	folder_free(&r.files);
	return rc ? ERR_REPORTED : 0;	/* NOT_DECODED: nothing at all was decoded */
}
