/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * print.c - texts of packets and elements, and the printers that a client can attach instead of its own
 * callbacks. The words are those of the library (lib/), which are the reference lister's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "custom.h"
#include "internal.h"

#define LINE 1024

static void put_line(struct ocsd_tree *t, char *line, size_t n)
{
	if (n > LINE - 2)
		n = LINE - 2;
	line[n] = '\n';
	line[n + 1] = 0;
	log_print(t, line);
}

/* 1.3.3 does not print the memory space of missing code. */
static size_t element_text(const struct cst_generic *g, enum client client, char *buf, size_t size)
{
	size_t n = cst_generic_text(g, buf, size);
	char *space, *end;

	if (g->kind != CST_GEN_NACC || client == CLIENT_1_8)
		return n;
	space = strstr(buf, "; Memspace [");
	end = space ? strchr(space, ']') : NULL;
	if (!end)
		return n;
	memmove(space, end + 1, strlen(end + 1) + 1);
	return strlen(buf);
}

void print_element(struct ocsd_tree *t, uint64_t index, uint8_t id, const struct cst_generic *g)
{
	char line[LINE];
	size_t n = (size_t)snprintf(line, sizeof(line), "Idx:%llu; ID:%x; ", (unsigned long long)index, id);

	n += element_text(g, t->client, line + n, sizeof(line) - n);
	put_line(t, line, n);
}

void print_operation(struct ocsd_tree *t, const struct source *s, ocsd_datapath_op_t op)
{
	char line[LINE];

	if (op == OCSD_OP_EOT || op == OCSD_OP_RESET)
		put_line(t, line, (size_t)snprintf(line, sizeof(line), "ID:%x\t%s", s->id, op == OCSD_OP_EOT ?
						   "END OF TRACE DATA" : "RESET operation on trace decode path"));
}

void print_packet(struct ocsd_tree *t, const struct source *s, const struct cst_packet *pkt, bool with_bytes)
{
	struct cst_packet p = *pkt;
	char line[LINE];
	size_t n = (size_t)snprintf(line, sizeof(line), "Idx:%llu; ID:%x;",
				    (unsigned long long)pkt->index, s->id);
	unsigned int i;

	/* 1.3.3 does not say at which Trace Info decoding starts */
	if (t->client == CLIENT_1_3)
		p.flags &= ~(uint32_t)CST_PF_SYNC_POINT;

	if (with_bytes) {
		n += (size_t)snprintf(line + n, sizeof(line) - n, " [");
		for (i = 0; i < pkt->nbytes; i++)
			n += (size_t)snprintf(line + n, sizeof(line) - n, "0x%02x ", pkt->bytes[i]);
		n += (size_t)snprintf(line + n, sizeof(line) - n, "];");
	}
	n += (size_t)snprintf(line + n, sizeof(line) - n, "\t");
	n += cst_packet_text(&p, line + n, sizeof(line) - n);
	put_line(t, line, n);
}

/* Sixteen to a line, as OpenCSD has them. */
static void print_bytes(struct ocsd_tree *t, uint64_t index, const char *what, const uint8_t *p, size_t len)
{
	char line[LINE];
	size_t i, n = (size_t)snprintf(line, sizeof(line), "Frame Data; Index%7llu; %s; ",
				       (unsigned long long)index, what);

	for (i = 0; i < len; i++) {
		if (i && i % 16 == 0)
			line[n++] = '\n';
		/* a long run of synchronisation */
		if (n > sizeof(line) - 64 && i % 16 == 0) {
			put_line(t, line, n - 1);
			n = 0;
		}
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%02x ", p[i]);
	}
	put_line(t, line, n);
}

/* The frames once more, for printing. */
struct frame_printer {
	struct cst_deframer df;
	uint8_t data[CHUNK];
	struct cst_fragment frag[CHUNK / 16 * 9];
	unsigned int at;		/* bytes of the frame that is printed in parts */
};

static void print_unpacked(struct ocsd_tree *t, const uint8_t *data, size_t len, uint64_t index)
{
	struct frame_printer *fp = t->print.frames;
	size_t done = 0, used;
	char what[24];
	int i, n;

	while (done < len) {
		n = cst_deframe(&fp->df, data + done, len - done, index + done, fp->data, sizeof(fp->data), fp->frag,
				sizeof(fp->frag) / sizeof(fp->frag[0]), &used);
		if (n < 0 || (!n && !used))
			return;
		done += used;
		for (i = 0; i < n; i++) {
			const struct cst_fragment *f = &fp->frag[i];

			if (f->kind != CST_FRAG_DATA)
				continue;
			if (f->id == CST_ID_UNKNOWN)
				strcpy(what, "  ID_DATA[????]");
			else
				snprintf(what, sizeof(what), "  ID_DATA[0x%02x]", f->id);
			print_bytes(t, f->offset, what, fp->data + f->pos, f->len);
		}
	}
}

static bool is_sync(const uint8_t *p, size_t len)
{
	static const uint8_t sync[4] = { 0xff, 0xff, 0xff, 0x7f };

	return len >= sizeof(sync) && !memcmp(p, sync, sizeof(sync));
}

/* Bytes of barriers that the frames begin with; a barrier is a frame full of synchronisation. */
static size_t barriers(const struct ocsd_tree *t, const uint8_t *p, size_t len)
{
	size_t n = 0, k;

	if (!(t->flags & OCSD_DFRMTR_RESET_ON_4X_FSYNC))
		return 0;
	for (;;) {
		for (k = 0; k < OCSD_DFRMTR_FRAME_SIZE && len - n >= k && is_sync(p + n + k, len - n - k); k += 4)
			;
		if (k < OCSD_DFRMTR_FRAME_SIZE)
			return n;
		n += OCSD_DFRMTR_FRAME_SIZE;
	}
}

/* The next frame with what stands before and in it, as far as there is input. */
static size_t whole_frame(struct ocsd_tree *t, const uint8_t *p, size_t len)
{
	struct frame_printer *fp = t->print.frames;
	size_t n = 0;

	while (!fp->at && is_sync(p + n, len - n))
		n += 4;
	while (n < len && fp->at < OCSD_DFRMTR_FRAME_SIZE) {
		if (t->flags & OCSD_DFRMTR_HAS_HSYNCS && !(fp->at & 1) && len - n >= 2 && p[n] == 0xff &&
		    p[n + 1] == 0x7f)
			n += 2;
		else
			n++, fp->at++;
	}
	fp->at %= OCSD_DFRMTR_FRAME_SIZE;
	return n;
}

void print_restart(struct ocsd_tree *t)
{
	if (!t->print.frames)
		return;
	cst_deframer_init(&t->print.frames->df, tree_frame_flags(t));
	t->print.frames->at = 0;
}

size_t print_frames(struct ocsd_tree *t, const uint8_t *data, size_t len, uint64_t index)
{
	size_t n, syncs = 0;

	if (t->flags & (OCSD_DFRMTR_HAS_FSYNCS | OCSD_DFRMTR_HAS_HSYNCS)) {
		n = whole_frame(t, data, len);
	} else {
		syncs = barriers(t, data, len);
		n = len - syncs < OCSD_DFRMTR_FRAME_SIZE ? len : syncs + OCSD_DFRMTR_FRAME_SIZE;
	}
	if (syncs)
		print_bytes(t, index, "        FSYNC", data, syncs);
	if (t->print.raw_flags & OCSD_DFRMTR_PACKED_RAW_OUT)
		print_bytes(t, index, "   RAW_PACKED", data, n);
	if (t->print.raw_flags & OCSD_DFRMTR_UNPACKED_RAW_OUT)
		print_unpacked(t, data, n, index);
	return n;
}

OCSD_EXPORT ocsd_err_t ocsd_dt_set_raw_frame_printer(const dcd_tree_handle_t handle, int flags)
{
	struct ocsd_tree *t = tree_get(handle);

	if (!t)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	if (t->single)
		return err_last(OCSD_ERR_DCDT_NO_FORMATTER);
	if (!t->print.frames) {
		t->print.frames = calloc(1, sizeof(*t->print.frames));
		if (!t->print.frames)
			return err_last(OCSD_ERR_MEM);
		print_restart(t);
	}
	/* what the tree was made to put out, and what is asked for here */
	t->print.raw_flags = (flags | (int)t->flags) &
			     (OCSD_DFRMTR_PACKED_RAW_OUT | OCSD_DFRMTR_UNPACKED_RAW_OUT);
	return OCSD_OK;
}

/* `size` is at least 2. */
static ocsd_err_t give(const char *text, char *buf, int size)
{
	snprintf(buf, (size_t)size, "%s", text);
	return OCSD_OK;
}

OCSD_EXPORT ocsd_err_t ocsd_pkt_str(const ocsd_trace_protocol_t protocol, const void *packet, char *buf,
				    const int size)
{
	struct cst_packet pkt = { 0 };
	union packet form;
	const void *in;
	char text[LINE];

	if (!packet || !buf || size < 2)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	buf[0] = 0;
	in = level_of_process() == CLIENT_1_3 ? packet_from_1_3(&form, packet, protocol) : packet;
	if (packet_from_ocsd(&pkt, in, (unsigned int)protocol)) {
		cst_packet_text(&pkt, text, sizeof(text));
		return give(text, buf, size);
	}
	if (OCSD_PROTOCOL_IS_CUSTOM(protocol))
		return ocsd_cust_protocol_to_str(protocol, packet, buf, size);
	return err_last(OCSD_ERR_NO_PROTOCOL);
}

/* Elements as a client may have made them itself; the library's own always have what these lack. */
static const char *bare_text(const ocsd_generic_trace_elem *e)
{
	switch (e->elem_type) {
	case OCSD_GEN_TRC_ELEM_CYCLE_COUNT:
		return e->has_cc ? NULL : "OCSD_GEN_TRC_ELEM_CYCLE_COUNT()";
	case OCSD_GEN_TRC_ELEM_EVENT:
		return e->trace_event.ev_type == EVENT_UNKNOWN ? "OCSD_GEN_TRC_ELEM_EVENT()" :
		       e->trace_event.ev_type == EVENT_TRIGGER ? "OCSD_GEN_TRC_ELEM_EVENT( Trigger; )" : NULL;
	default:
		return NULL;
	}
}

OCSD_EXPORT ocsd_err_t ocsd_gen_elem_str(const ocsd_generic_trace_elem *e, char *buf, const int size)
{
	struct cst_generic g;
	char text[LINE];

	if (!e || !buf || size < 2)
		return err_last(OCSD_ERR_INVALID_PARAM_VAL);
	if (bare_text(e))
		return give(bare_text(e), buf, size);
	element_from_ocsd(&g, e, level_of_process());
	element_text(&g, level_of_process(), text, sizeof(text));
	return give(text, buf, size);
}

OCSD_EXPORT void ocsd_gen_elem_init(ocsd_generic_trace_elem *e, const ocsd_gen_trc_elem_t type)
{
	if (!e)
		return;
	e->elem_type = type;
	e->flag_bits = 0;
	memset((unsigned char *)e + PAYLOAD_AT_1_3, 0, sizeof(void *));
	/* the structure of a client that may be one of 1.3 ends here */
	if (level_known() == CLIENT_1_8)
		e->ptr_extended_data = NULL;
}

void print_custom(struct ocsd_tree *t, const struct source *s, uint64_t index, const void *pkt)
{
	char line[LINE], text[LINE - 64];

	text[0] = 0;
	ocsd_cust_protocol_to_str(s->protocol, pkt, text, sizeof(text));
	put_line(t, line, (size_t)snprintf(line, sizeof(line), "Idx:%llu; ID:%x;\t%s",
					   (unsigned long long)index, s->id, text));
}
