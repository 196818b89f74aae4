/* SPDX-License-Identifier: BSD-3-Clause */
/* perfdata_file.c - header, attributes, features, compression: what makes records a file. */
#include <linux/perf_event.h>
#include <string.h>

#include "parts.h"
#include "perfdata_int.h"

enum { HEADER_ATTR = 64, FEATURE = 80, COMPRESSED = 81, COMPRESSED2 = 83 };

enum feature {
	F_HOSTNAME = 3, F_OSRELEASE, F_VERSION, F_ARCH, F_NRCPUS, F_CMDLINE = 11, F_EVENT_DESC = 12,
	F_PMU_MAPPINGS = 16, F_AUXTRACE = 18, F_COMPRESSED = 27, F_INIT_MAP = 134,
};

void perfw_zstd_begin(struct perfw *w)
{
	ZSTD_CStream *z = ZSTD_createCStream();

	GEN_BUG_ON(!z);
	ZSTD_initCStream(z, 1);
	w->zstd = z;
}

void perfw_zstd_end(struct perfw *w)
{
	ZSTD_freeCStream(w->zstd);
}

/* a record boundary may fall anywhere */
static void compress(ZSTD_CStream *z, uint8_t form, const void *p, size_t n, struct gbuf *to)
{
	uint8_t out[32768];
	ZSTD_inBuffer in = { p, n, 0 };
	struct gbuf r = { 0 };
	size_t left;

	do {
		ZSTD_outBuffer o = { out, sizeof(out), 0 };

		if (in.pos < in.size)
			ZSTD_compressStream(z, &o, &in);
		left = ZSTD_flushStream(z, &o);
		GEN_BUG_ON(ZSTD_isError(left));
		if (!o.pos)
			continue;
		if (form == 2) {
			perfw_begin(&r, COMPRESSED2, 0);
			gbuf_u64(&r, o.pos);
			gbuf_put(&r, out, o.pos);
			gbuf_zero(&r, (8 - r.len % 8) % 8);
		} else {
			/* the older record is not padded: the next one follows unaligned */
			perfw_begin(&r, COMPRESSED, 0);
			gbuf_put(&r, out, o.pos);
		}
		r.p[6] = (uint8_t)(r.len & 0xff);
		r.p[7] = (uint8_t)(r.len >> 8);
		gbuf_put(to, r.p, r.len);
	} while (left || in.pos < in.size);
	gbuf_free(&r);
}

/* one context for all data of the file */
static void compress_some(struct perfw *w, size_t n)
{
	compress(w->zstd, w->o.compress, w->plain.p, n, &w->data);
	memmove(w->plain.p, w->plain.p + n, w->plain.len - n);
	w->plain.len -= n;
}

void perfw_compress_blocks(struct perfw *w)
{
	while (w->plain.len >= w->o.compress_block)
		compress_some(w, w->o.compress_block);
}

void perfw_compress_rest(struct perfw *w)
{
	if (w->plain.len)
		compress_some(w, w->plain.len);
}

static int is_v7(const struct perfw *w)
{
	return w->ncpus && w->cpus[0].regs.v7;
}

/* the options as they stand in the format of the event, which is that of ETMCR */
static uint64_t event_config(const struct perfw *w)
{
	uint32_t configr = w->ncpus ? w->cpus[0].regs.configr : 0;

	if (is_v7(w))
		return w->cpus[0].regs.cr & (1u << 8 | 1u << 12 | 1u << 14 | 1u << 28 | 1u << 29);
	return (uint64_t)(configr >> 3 & 1) << 8 | (uint64_t)(configr >> 4 & 1) << 12 |
	       (uint64_t)(configr >> 6 & 1) << 14 | (uint64_t)(configr >> 15 & 1) << 15 |
	       (uint64_t)(configr >> 11 & 1) << 28 | (uint64_t)(configr >> 12 & 1) << 29;
}

/* cycles, cache misses and a tracepoint, with trace */
static void window_attr(const struct perfw *w, int event, struct perf_event_attr *a)
{
	static const uint64_t configs[] = { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_CACHE_MISSES,
					    PERFW_TRACEPOINT };

	a->type = event == PERFW_WINDOW_EVENTS - 1 ? PERF_TYPE_TRACEPOINT : PERF_TYPE_HARDWARE;
	a->config = configs[event];
	a->sample_type |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_AUX;
	if (a->type == PERF_TYPE_TRACEPOINT)
		a->sample_type |= PERF_SAMPLE_RAW;
	a->aux_sample_size = w->o.window;
}

static void attr(const struct perfw *w, int event, struct gbuf *b)
{
	struct perf_event_attr a;
	size_t have = sizeof(a), want = w->o.attr_size;

	memset(&a, 0, sizeof(a));
	a.size = (uint32_t)want;
	a.type = event == EVENT_DUMMY ? PERF_TYPE_SOFTWARE :
		 event == EVENT_SCHED ? PERF_TYPE_TRACEPOINT : PERFW_PMU;
	a.sample_period = 1;
	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	if (w->o.with_time)
		a.sample_type |= PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	if (!w->o.no_identifier)
		a.sample_type |= PERF_SAMPLE_IDENTIFIER;
	a.read_format = PERF_FORMAT_ID;
	a.disabled = 1;
	a.exclude_kernel = a.exclude_hv = a.exclude_guest = 1;
	a.enable_on_exec = w->o.scope != PERFW_CPUS;
	a.sample_id_all = 1;
	a.inherit = w->o.per_cpu && w->o.scope != PERFW_CPUS;
	if (event >= EVENT_WINDOWS) {
		window_attr(w, event - EVENT_WINDOWS, &a);
	} else if (event == EVENT_SCHED) {
		a.config = PERFW_SCHED_SWITCH;
		a.sample_type |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW;
	} else if (event == EVENT_DUMMY) {
		a.config = PERF_COUNT_SW_DUMMY;
		a.mmap = a.mmap2 = a.comm = a.comm_exec = a.task = 1;
		a.context_switch = w->o.with_time && !w->o.no_switch;
		a.ksymbol = a.bpf_event = w->o.kernel_events;
		a.text_poke = w->o.kernel_events;
	} else {
		a.config = event_config(w);
	}
	gbuf_put(b, &a, want < have ? want : have);
	if (want > have)
		gbuf_zero(b, want - have);
}

static void string(struct gbuf *b, const char *s)
{
	size_t n = strlen(s) + 1, padded = (n + 63) & ~(size_t)63;

	gbuf_u32(b, (uint32_t)padded);
	gbuf_put(b, s, n);
	gbuf_zero(b, padded - n);
}

/* one word, or several with newlines between them */
static void command_line(struct gbuf *b, const char *text)
{
	char word[256];
	const char *p;
	uint32_t n = 1;

	for (p = text; *p; p++)
		n += *p == '\n';
	gbuf_u32(b, n);
	for (p = text; n--; p += strcspn(p, "\n") + 1) {
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(p, "\n"), p);
		string(b, word);
	}
}

static const char *event_name(int event)
{
	static const char *const names[] = {
		"cs_etm//u", "dummy:u",	       "sched:sched_switch",
		"cycles:u",  "cache-misses:u", "sched:sched_wake_idle_without_ipi"
	};

	return names[event];
}

static int extra_feature(const struct perfw *w, int f, struct gbuf *b)
{
	int i;

	for (i = 0; i < w->nmore; i++) {
		if (w->more[i].bit != f)
			continue;
		gbuf_put(b, w->more[i].bytes.p, w->more[i].bytes.len);
		return 1;
	}
	return 0;
}

/* compressed, if the data are, but in a stream of its own */
static void init_map(const struct perfw *w, struct gbuf *b)
{
	ZSTD_CStream *z;

	if (!w->o.compress || !w->init_map.len) {
		gbuf_put(b, w->init_map.p, w->init_map.len);
		return;
	}
	z = ZSTD_createCStream();
	GEN_BUG_ON(!z);
	ZSTD_initCStream(z, 1);
	compress(z, w->o.compress, w->init_map.p, w->init_map.len, b);
	ZSTD_freeCStream(z);
}

static int feature(const struct perfw *w, int f, struct gbuf *b, uint64_t data_at)
{
	size_t i;

	switch (f) {
	case F_HOSTNAME:
		string(b, "generated");
		return 1;
	case F_OSRELEASE:
		string(b, "6.1.0");
		return 1;
	case F_VERSION:
		string(b, "6.1");
		return 1;
	case F_ARCH:
		string(b, is_v7(w) ? "armv7l" : "aarch64");
		return 1;
	case F_NRCPUS:
		gbuf_u32(b, (uint32_t)w->ncpus);
		gbuf_u32(b, (uint32_t)w->ncpus);
		return 1;
	case F_CMDLINE:
		command_line(b, w->o.cmdline ? w->o.cmdline : "perf record -e cs_etm//u");
		return 1;
	case F_EVENT_DESC:
		gbuf_u32(b, (uint32_t)perfw_events(w));
		gbuf_u32(b, w->o.attr_size);
		for (i = 0; i < (size_t)perfw_events(w); i++) {
			int kind = perfw_event_kind(w, (int)i);

			attr(w, kind, b);
			gbuf_u32(b, 1);
			string(b, event_name(kind));
			gbuf_u64(b, perfw_event_id(kind));
		}
		return 1;
	case F_PMU_MAPPINGS:
		gbuf_u32(b, 2);
		gbuf_u32(b, 1);
		string(b, "software");
		gbuf_u32(b, PERFW_PMU);
		string(b, "cs_etm");
		return 1;
	case F_AUXTRACE:
		if (w->o.no_index || w->o.pipe)
			return 0;
		if (!w->o.simpleperf)
			gbuf_u64(b, w->naux);
		for (i = 0; i < w->naux; i++) {
			gbuf_u64(b, data_at + w->aux[i]);
			gbuf_u64(b, 48);
		}
		return 1;
	case F_COMPRESSED:
		if (!w->o.compress)
			return 0;
		gbuf_u32(b, 1);
		gbuf_u32(b, 1);
		gbuf_u32(b, 1);
		gbuf_u32(b, 1);
		gbuf_u32(b, 528384);
		return 1;
	case F_INIT_MAP:
		init_map(w, b);
		return b->len != 0;
	default:
		return extra_feature(w, f, b);
	}
}

static void pipe_form(struct perfw *w, struct gbuf *file)
{
	struct gbuf r = { 0 };
	int i;

	gbuf_put(file, "PERFILE2", 8);
	gbuf_u64(file, 16);
	for (i = 0; i < perfw_events(w); i++) {
		perfw_begin(&r, HEADER_ATTR, 0);
		attr(w, perfw_event_kind(w, i), &r);
		gbuf_u64(&r, perfw_event_id(perfw_event_kind(w, i)));
		r.p[6] = (uint8_t)(r.len & 0xff);
		r.p[7] = (uint8_t)(r.len >> 8);
		gbuf_put(file, r.p, r.len);
	}
	for (i = 0; i < 32; i++) {
		perfw_begin(&r, FEATURE, 0);
		gbuf_u64(&r, (uint64_t)i);
		if (!feature(w, i, &r, 0))
			continue;
		gbuf_zero(&r, (8 - r.len % 8) % 8);
		r.p[6] = (uint8_t)(r.len & 0xff);
		r.p[7] = (uint8_t)(r.len >> 8);
		gbuf_put(file, r.p, r.len);
	}
	gbuf_put(file, w->data.p, w->data.len);
	gbuf_free(&r);
}

void perfw_finish(struct perfw *w, struct gbuf *file)
{
	unsigned int events = (unsigned int)perfw_events(w);
	uint64_t ids = 104, attrs = ids + 8 * events, esize = w->o.attr_size + 16u,
		 data = attrs + events * esize;
	struct gbuf sect[PERFW_FEATURE_BITS] = { 0 };
	uint64_t bits[PERFW_FEATURE_BITS / 64] = { 0 }, at;
	int i, n = 0;

	perfw_compress_rest(w);
	if (w->o.pipe) {
		pipe_form(w, file);
		return;
	}
	for (i = 0; i < PERFW_FEATURE_BITS; i++) {
		if (feature(w, i, &sect[i], data)) {
			bits[i / 64] |= 1ull << i % 64;
			n++;
		}
	}
	gbuf_put(file, "PERFILE2", 8);
	gbuf_u64(file, 104);
	gbuf_u64(file, esize);
	gbuf_u64(file, attrs);
	gbuf_u64(file, events * esize);
	gbuf_u64(file, data);
	gbuf_u64(file, w->data.len);
	gbuf_u64(file, 0);
	gbuf_u64(file, 0);
	for (i = 0; i < PERFW_FEATURE_BITS / 64; i++)
		gbuf_u64(file, bits[i]);
	for (i = 0; i < (int)events; i++)
		gbuf_u64(file, perfw_event_id(perfw_event_kind(w, i)));
	for (i = 0; i < (int)events; i++) {
		attr(w, perfw_event_kind(w, i), file);
		gbuf_u64(file, ids + 8u * (unsigned int)i);
		gbuf_u64(file, 8);
	}
	gbuf_put(file, w->data.p, w->data.len);
	at = file->len + 16u * (unsigned int)n;
	for (i = 0; i < PERFW_FEATURE_BITS; i++) {
		if (!(bits[i / 64] >> i % 64 & 1))
			continue;
		gbuf_u64(file, at);
		gbuf_u64(file, sect[i].len);
		at += sect[i].len;
	}
	for (i = 0; i < PERFW_FEATURE_BITS; i++) {
		gbuf_put(file, sect[i].p, sect[i].len);
		gbuf_free(&sect[i]);
	}
}
