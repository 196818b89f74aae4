/* SPDX-License-Identifier: GPL-2.0-only */
/* layout.c - the table of record layouts, checks of sizes by it, and the swap of byte order. */
#include "perfdata/layout.h"

#include "perfdata/bytes.h"

/*
 * One character per field:
 *   2 4 8  an integer of that many bytes
 *   b      a union of 24 bytes that is a build-id when misc says so, else 4 4 8 8
 *   f      eight bytes of bit-fields, whose order of bits follows the byte order
 *   a      a perf_event_attr with its ids up to the end
 *   s      a string, zero terminated, up to the end of the body
 *   q      64-bit integers up to the end of the body
 *   r      bytes up to the end of the body
 */
static const struct pd_layout layouts[] = {
	[PERF_RECORD_MMAP]	= { 41, true,  "44888s" },
	[PERF_RECORD_LOST]	= { 24, true,  "88" },
	[PERF_RECORD_COMM]	= { 17, true,  "44s" },
	[PERF_RECORD_EXIT]	= { 32, true,  "44448" },
	[PERF_RECORD_THROTTLE]	= { 32, true,  "888" },
	[PERF_RECORD_UNTHROTTLE]	= { 32, true,  "888" },
	[PERF_RECORD_FORK]	= { 32, true,  "44448" },
	[PERF_RECORD_READ]	= { 24, true,  "44q" },
	[PERF_RECORD_SAMPLE]	= { 8, false, "q" },
	[PERF_RECORD_MMAP2]	= { 73, true,  "44888b44s" },
	[PERF_RECORD_AUX]	= { 32, true,  "888" },
	[PERF_RECORD_ITRACE_START]	= { 16, true,  "44" },
	[PERF_RECORD_LOST_SAMPLES]	= { 16, true,  "8" },
	[PERF_RECORD_SWITCH]	= { 8, true,  "" },
	[PERF_RECORD_SWITCH_CPU_WIDE]	= { 16, true,  "44" },
	[PERF_RECORD_NAMESPACES]	= { 24, true,  "448q" },
	[PERF_RECORD_KSYMBOL]	= { 25, true,  "8422s" },
	[PERF_RECORD_BPF_EVENT]	= { 24, true,  "224r" },
	[PERF_RECORD_CGROUP]	= { 17, true,  "8s" },
	[PERF_RECORD_TEXT_POKE]	= { 20, true,  "822r" },
	[PERF_RECORD_AUX_OUTPUT_HW_ID]	= { 16, true,  "8" },
	[PERF_RECORD_HEADER_ATTR]	= { 72, false, "a" },
	[PERF_RECORD_HEADER_TRACING_DATA]	= { 12, false, "44" },
	[PERF_RECORD_HEADER_BUILD_ID]	= { 37, false, "4r" },
	[PERF_RECORD_FINISHED_ROUND]	= { 8, false, "" },
	[PERF_RECORD_ID_INDEX]	= { 16, false, "8q" },
	[PERF_RECORD_AUXTRACE_INFO]	= { 16, false, "44q" },
	[PERF_RECORD_AUXTRACE]	= { 48, false, "8884444" },
	[PERF_RECORD_AUXTRACE_ERROR]	= { 40, false, "4444448r" },
	[PERF_RECORD_THREAD_MAP]	= { 16, false, "8r" },
	[PERF_RECORD_EVENT_UPDATE]	= { 24, false, "88r" },
	[PERF_RECORD_TIME_CONV]	= { 32, false, "88888r" },
	[PERF_RECORD_HEADER_FEATURE]	= { 16, false, "8r" },
	[PERF_RECORD_COMPRESSED]	= { 8, false, "r" },
	[PERF_RECORD_FINISHED_INIT]	= { 8, false, "" },
	[PD_RECORD_COMPRESSED2]	= { 16, false, "8r" },
};

/* By number after PD_RECORD_CST_FIRST. They are never in the other byte order. */
static const struct pd_layout private_layouts[PD_RECORD_CST_END - PD_RECORD_CST_FIRST] = {
	[PD_RECORD_CST_UNMAP - PD_RECORD_CST_FIRST] = { 32, true, "4488" },
	[PD_RECORD_CST_CODE - PD_RECORD_CST_FIRST] = { 32, true, "4488r" },
	[PD_RECORD_CST_ASID - PD_RECORD_CST_FIRST] = { 24, true, "4444" },
	[PD_RECORD_CST_DEFINE_TRACE - PD_RECORD_CST_FIRST] = { 24, true, "r" },
	[PD_RECORD_CST_AUX_BEFORE - PD_RECORD_CST_FIRST] = { 32, false, "44448" },
};

/* By number after PD_RECORD_SP_KERNEL_SYMBOL. */
static const struct pd_layout simpleperf_layouts[] = {
	[0] = { 12, false, "4r" },
	[PD_RECORD_SP_SPLIT - PD_RECORD_SP_KERNEL_SYMBOL] = { 8, false, "r" },
	[PD_RECORD_SP_SPLIT_END - PD_RECORD_SP_KERNEL_SYMBOL] = { 8, false, "" },
};

/* Fields of perf_event_attr up to config3 (136 bytes); unknown fields after it are not swapped. */
static const char attr_fields[] = "448888" "f44" "8888" "44" "8" "422" "44" "88";

const struct pd_layout *pd_layout_find(uint32_t type)
{
	if (type >= PD_RECORD_CST_FIRST && type < PD_RECORD_CST_END)
		return &private_layouts[type - PD_RECORD_CST_FIRST];
	if (type >= PD_RECORD_SP_KERNEL_SYMBOL && type <= PD_RECORD_SP_SPLIT_END) {
		type -= PD_RECORD_SP_KERNEL_SYMBOL;
		return simpleperf_layouts[type].fields ? &simpleperf_layouts[type] : NULL;
	}
	if (type >= sizeof(layouts) / sizeof(layouts[0]) || !layouts[type].fields)
		return NULL;
	return &layouts[type];
}

static unsigned int field_width(char f)
{
	switch (f) {
	case '2':
		return 2;
	case '4':
		return 4;
	case '8':
	case 'f':
		return 8;
	case 'b':
		return 24;
	default:
		return 0;
	}
}

const char *pd_layout_check(const struct pd_layout *l, const union perf_event *ev, size_t body)
{
	const char *f = l->fields;
	size_t pos = sizeof(ev->header);

	if (body < l->min_size)
		return "too small for its type";
	switch (ev->header.type) {
	case PERF_RECORD_TEXT_POKE:
		if ((size_t)ev->text_poke.old_len + ev->text_poke.new_len >
		    body - offsetof(struct perf_record_text_poke_event, bytes))
			return "with more code bytes than fit into it";
		return NULL;
	case PERF_RECORD_NAMESPACES:
		if (ev->namespaces.nr_namespaces > (body - 24) / sizeof(struct perf_ns_link_info))
			return "with more namespaces than fit into it";
		return NULL;
	case PERF_RECORD_ID_INDEX:
		if (ev->id_index.nr > (body - 16) / sizeof(struct id_index_entry))
			return "with more entries than fit into it";
		return NULL;
	case PERF_RECORD_HEADER_BUILD_ID:
		if (!memchr(ev->build_id.filename, 0, body - 36))
			return "whose file name is not terminated";
		return NULL;
	case PD_RECORD_COMPRESSED2:
		if (((const struct pd_record_compressed2 *)ev)->data_size > body - 16)
			return "with more compressed bytes than fit into it";
		return NULL;
	case PERF_RECORD_MMAP2:
		if ((ev->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) &&
		    ev->mmap2.build_id_size > sizeof(ev->mmap2.build_id))
			return "with a build-id longer than 20 bytes";
		break;
	case PD_RECORD_CST_CODE:
		if (((const struct pd_record_cst_code *)ev)->size > body - sizeof(struct pd_record_cst_code))
			return "with more code bytes than fit into it";
		return NULL;
	case PD_RECORD_CST_DEFINE_TRACE:
		if (((const struct pd_record_cst_define_trace *)ev)->nr_regs >
		    (body - sizeof(struct pd_record_cst_define_trace)) / 16)
			return "with more registers than fit into it";
		return NULL;
	}
	for (; *f && *f != 's'; f++)
		pos += field_width(*f);
	if (*f == 's' && !memchr((const char *)ev + pos, 0, body - pos))
		return "whose string is not terminated";
	return NULL;
}

static void swap_bits(uint8_t *p)
{
	unsigned int i, b, r;

	for (i = 0; i < 8; i++) {
		for (b = 0, r = 0; b < 8; b++)
			r |= ((p[i] >> b) & 1u) << (7 - b);
		p[i] = (uint8_t)r;
	}
}

/* Swap one field of fixed width; false when it does not fit any more. */
static bool swap_field(char f, uint8_t *p, uint8_t *end)
{
	unsigned int w = field_width(f);

	if ((size_t)(end - p) < w)
		return false;
	switch (f) {
	case '2':
		pd_swap16(p);
		break;
	case '4':
		pd_swap32(p);
		break;
	case '8':
		pd_swap64(p);
		break;
	case 'f':
		swap_bits(p);
		break;
	}
	return true;
}

void pd_layout_swap_attr(void *attr, size_t size)
{
	uint8_t *p = attr, *end = p + size;
	const char *f;

	for (f = attr_fields; *f && swap_field(*f, p, end); f++)
		p += field_width(*f);
}

void pd_layout_swap(const struct pd_layout *l, union perf_event *ev, size_t body)
{
	uint8_t *p = (uint8_t *)ev + sizeof(ev->header);
	uint8_t *end = (uint8_t *)ev + body;
	uint32_t attr_size;
	const char *f;

	for (f = l->fields; *f; f++) {
		switch (*f) {
		case 'a':
			if (end - p < 8)
				return;
			attr_size = __builtin_bswap32(pd_load32(p + 4));
			if (attr_size < PD_ATTR_SIZE_MIN)
				attr_size = PD_ATTR_SIZE_MIN;
			if (attr_size > (size_t)(end - p))
				attr_size = (uint32_t)(end - p);
			pd_layout_swap_attr(p, attr_size);
			p += attr_size;
			/* fall through */
		case 'q':
			for (; end - p >= 8; p += 8)
				pd_swap64(p);
			return;
		case 'b':
			if (end - p < 24)
				return;
			if (!(ev->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
				pd_swap32(p);
				pd_swap32(p + 4);
				pd_swap64(p + 8);
				pd_swap64(p + 16);
			}
			break;
		case 's':
		case 'r':
			return;
		default:
			if (!swap_field(*f, p, end))
				return;
		}
		p += field_width(*f);
	}
}
