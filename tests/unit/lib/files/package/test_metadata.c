/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_metadata.c - INI text as a doc, and trace metadata: registers, options, both, and each thing missing in
 * turn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/error.h>
#include <cstrace/files/metadata.h>

#include "unit/golden_text.h"

struct text {
	char bytes[8192];
	size_t n;
};

static int append(void *ctx, const void *data, size_t len)
{
	struct text *t = ctx;

	assert_true(t->n + len < sizeof(t->bytes));
	memcpy(t->bytes + t->n, data, len);
	t->n += len;
	t->bytes[t->n] = '\0';
	return 0;
}

static int refuse(void *ctx, const void *data, size_t len)
{
	(void)ctx;
	(void)data;
	return len > 1 ? -CST_ERR_IO : 0;
}

static struct cst_metadata *read_text(const char *text)
{
	struct cst_problem why = { .text = "" };
	struct cst_metadata *md;

	if (cst_metadata_read(&md, text, strlen(text), &why))
		fail_msg("line %u: [%s] %s: %s", why.line, why.section, why.item, why.text);
	return md;
}

/* ---- docs -------------------------------------------------------------------------------------- */

static void test_doc(void **state)
{
	static const char text[] =
		"\xef\xbb\xbftop=1\r\n[A]\r\nkey: a value ; comment\r\nother = \" x;#\\\"\\\\\\n\\x00\\x7f\" # comment\n"
		"colon:=x\n[b]\n[a]\nmore=a:b\n; only a comment\n[]\nagain=2\n";
	static const char want[] = "top=1\nagain=2\n\n[A]\nkey=a value\nother=\" x;#\\\"\\\\\\x0a\\x00\\x7f\"\n"
				   "colon==x\nmore=a:b\n\n[b]\n";
	struct cst_sink sink = { NULL, append }, bad = { NULL, refuse };
	struct text out = { .n = 0 }, twice = { .n = 0 };
	struct cst_doc *doc, *copy;
	const struct cst_item *item;
	struct cst_problem why;
	uint64_t v;
	int flag;

	(void)state;
	assert_int_equal(cst_doc_new(&doc, 0), 0);
	assert_int_equal(cst_doc_parse(doc, text, strlen(text), &why), 0);
	assert_int_equal(doc->n_sections, 3);
	item = cst_doc_item(cst_doc_section(doc, "a"), "OTHER");
	assert_non_null(item);
	assert_int_equal(item->value_len, 9);
	assert_memory_equal(item->value, " x;#\"\\\n\0\x7f", 9);
	assert_int_equal(item->line, 4);
	sink.ctx = &out;
	assert_int_equal(cst_doc_write(doc, &sink), 0);
	assert_string_equal(out.bytes, want);
	assert_int_equal(cst_doc_write(doc, &bad), -CST_ERR_IO);
	/* What was written reads as the same. */
	assert_int_equal(cst_doc_new(&copy, 0), 0);
	assert_int_equal(cst_doc_parse(copy, out.bytes, out.n, &why), 0);
	sink.ctx = &twice;
	assert_int_equal(cst_doc_write(copy, &sink), 0);
	assert_string_equal(twice.bytes, out.bytes);
	cst_doc_free(copy);

	assert_int_equal(cst_doc_set(doc, "a", "KEY", "yes"), 0);
	assert_int_equal(cst_doc_set_number(doc, "new", "n", 255, 1), 0);
	assert_int_equal(cst_doc_set_number(doc, "new", "m", 255, 0), 0);
	item = cst_doc_item(cst_doc_section(doc, "A"), "key");
	assert_int_equal(cst_item_bool(item, &flag), 0);
	assert_int_equal(flag, 1);
	assert_int_equal(cst_item_number(item, &v), -CST_ERR_SYNTAX);
	assert_string_equal(cst_doc_item(cst_doc_section(doc, "NEW"), "n")->value, "0xff");
	assert_string_equal(cst_doc_item(cst_doc_section(doc, "new"), "M")->value, "255");
	/* what is set is in no line of a text */
	assert_int_equal(cst_doc_section(doc, "new")->line, 0);
	assert_int_equal(cst_doc_item(cst_doc_section(doc, "new"), "n")->line, 0);
	assert_int_equal(item->line, 0);
	assert_null(cst_doc_section(doc, "newer"));
	assert_null(cst_doc_item(NULL, "n"));
	/* quoted, or else the value would end at the comment; a name cannot be quoted */
	assert_int_equal(cst_doc_new(&copy, 0), 0);
	assert_int_equal(cst_doc_set(copy, "s", "k", "a;b"), 0);
	out.n = 0;
	sink.ctx = &out;
	assert_int_equal(cst_doc_write(copy, &sink), 0);
	assert_string_equal(out.bytes, "[s]\nk=\"a;b\"\n");
	assert_int_equal(cst_doc_set(copy, "s", " k", "v"), 0);
	assert_int_equal(cst_doc_write(copy, &sink), -CST_ERR_INVAL);
	cst_doc_free(copy);
	/* would be read as the key "a(b=c)" */
	assert_int_equal(cst_doc_new(&copy, 0), 0);
	assert_int_equal(cst_doc_set(copy, "s", "a(b", "c)=d"), 0);
	assert_int_equal(cst_doc_write(copy, &sink), -CST_ERR_INVAL);
	cst_doc_free(copy);
	assert_int_equal(cst_doc_set(doc, "x;y", "a", "b"), 0);
	assert_int_equal(cst_doc_write(doc, &sink), -CST_ERR_INVAL);
	cst_doc_free(doc);
}

static void test_doc_wrong(void **state)
{
	static const char *const bad[] = { "[a\n", "word\n", "=v\n", "a=\"open\n", "a=\"b\" c\n",
					   "a=\"\\q\"\n", "a=\x01\n", "a=\"b\\" };
	struct cst_problem why;
	struct cst_doc *doc;
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(cst_doc_new(&doc, 0), 0);
		snprintf(text, sizeof(text), "[s]\nk=v\n%s", bad[i]);
		assert_int_equal(cst_doc_parse(doc, text, strlen(text), &why), -CST_ERR_SYNTAX);
		assert_int_equal(why.line, 3);
		cst_doc_free(doc);
	}
}

/* ---- metadata ---------------------------------------------------------------------------------- */

/* The example of the specification; an ETMv3 source is checked, though it has no decoder. */
static void test_specification(void **state)
{
	struct cst_metadata *md = read_text(
		"[buffer]\nvendor: ARM\ncomponent: ETB\nformat: coresight\n\n[trace_1]\nformat: ETM3.5\n"
		"ETMCR: 0x1000c000\ncyclecount: 0\ntimestamp_bits: 48\ntimestamp_gray: 0\ncontext_id: 32\n"
		"vmid: 0\ndata_address: no\ndata_value: off\nalt_branch: true\n");
	const struct cst_meta_source *src;
	struct cst_problem why = { .text = "" };
	struct cst_etmv4_regs regs = { 0 };
	uint64_t v;
	int ete;

	(void)state;
	assert_int_equal(cst_meta_buffer_format(md, "buffer0", &why), CST_META_FMT_CORESIGHT);
	assert_string_equal(cst_meta_buffer(md, NULL, "vendor")->value, "ARM");
	assert_int_equal(md->n_sources, 1);
	src = cst_meta_by_id(md, 1);
	assert_ptr_equal(src, md->sources);
	assert_null(cst_meta_by_id(md, 2));
	assert_int_equal(src->kind, CST_META_ETM3);
	assert_int_equal(src->version, 0x35);
	assert_int_equal(src->cpu, -1);
	assert_int_equal(cst_meta_option(src, CST_OPT_CONTEXT_ID, &v, &why), 0);
	assert_int_equal(v, 32);
	if (cst_meta_check(src, &why))
		fail_msg("%s %s: %s", why.item, why.other, why.text);
	assert_int_equal(cst_meta_etmv4(src, &regs, &ete, &why), -CST_ERR_PROTOCOL);
	cst_metadata_free(md);
}

static void test_formats(void **state)
{
	static const struct {
		const char *format;
		int error;
		uint8_t kind, version;
	} cases[] = {
		{ "ETM3.5", 0, CST_META_ETM3, 0x35 },
		{ "ETMv3.3", 0, CST_META_ETM3, 0x33 },
		{ "PFT1.1", 0, CST_META_PTM, 0x11 },
		{ "PTM", 0, CST_META_PTM, 0 },
		{ "ETM4.2", 0, CST_META_ETM4, 0x42 },
		{ "ETMv4.6", 0, CST_META_ETM4, 0x46 },
		{ "etmv4", 0, CST_META_ETM4, 0 },
		{ "ETE1.1", 0, CST_META_ETE, 0x51 },
		{ "ETE", 0, CST_META_ETE, 0 },
		{ "ITM", 0, CST_META_ITM, 0 },
		{ "STM", 0, CST_META_STP, 0 },
		{ "STPv2", 0, CST_META_STP, 0 },
		{ "RVT", 0, CST_META_OTHER, 0 },
		{ "ITM7", 0, CST_META_OTHER, 0 },
		{ "STM5", 0, CST_META_OTHER, 0 },
		{ "STP", 0, CST_META_STP, 0 },
		{ "STP1", 0, CST_META_OTHER, 0 },
		{ "STPv2.1", 0, CST_META_OTHER, 0 },
		{ "PFT", 0, CST_META_PTM, 0 },
		{ "PTM1.1", 0, CST_META_PTM, 0x11 },
		{ "ETMv3", 0, CST_META_ETM3, 0 },
		{ "ETM", -CST_ERR_SYNTAX, 0, 0 },
		{ "ETM4.x", -CST_ERR_SYNTAX, 0, 0 },
		{ "ETM9.1", -CST_ERR_VERSION, 0, 0 },
		{ "ETE2.0", -CST_ERR_VERSION, 0, 0 },
		{ "ETMv42", -CST_ERR_SYNTAX, 0, 0 },
		{ "ETM4.15", 0, CST_META_ETM4, 0x4f },
		{ "ETE.1", 0, CST_META_ETE, 0x51 },
		{ "ETM15.1", -CST_ERR_VERSION, 0, 0 },
		{ "ETM16.1", -CST_ERR_SYNTAX, 0, 0 },
		{ "ETMv4.16", -CST_ERR_SYNTAX, 0, 0 },
		{ "ETMv4.", -CST_ERR_SYNTAX, 0, 0 },
		{ "ETMx", -CST_ERR_SYNTAX, 0, 0 },
	};
	struct cst_metadata *md;
	struct cst_problem why;
	char text[64];
	size_t i;
	int err;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "[trace_0x10]\nformat=%s\n", cases[i].format);
		err = cst_metadata_read(&md, text, strlen(text), &why);
		if (err != cases[i].error)
			fail_msg("%s: %d", cases[i].format, err);
		if (err) {
			assert_string_equal(why.item, "format");
			assert_string_equal(why.section, "trace_0x10");
			assert_int_equal(why.line, 2);
			continue;
		}
		assert_int_equal(md->sources[0].trace_id, 0x10);
		assert_int_equal(md->sources[0].kind, cases[i].kind);
		assert_int_equal(md->sources[0].version, cases[i].version);
		if (cases[i].kind == CST_META_OTHER)
			assert_int_equal(cst_meta_check(&md->sources[0], &why), -CST_ERR_PROTOCOL);
		if (cases[i].kind == CST_META_ITM || cases[i].kind == CST_META_STP)
			assert_int_equal(cst_meta_check(&md->sources[0], &why), 0);
		cst_metadata_free(md);
	}
}

static const char options[] =
	"cyclecount=1\ncyclecount_bits=12\ncommopt=1\ncontext_id=32\nvmid=8\nvmid_context_id=0\n"
	"return_stack=1\nwfx_waypoints=1\nmax_speculation=8\nq_elements=0\nconditional=0\ndata_address=0\n"
	"data_value=0\nloads_p0=0\nstores_p0=0\naddress_bits=64\ntimestamp_bits=64\nbranch_broadcast=0\n"
	"transactions_p0=1\n";

/* Options alone, registers alone, and both give the same decoder. */
static void test_options_and_registers(void **state)
{
	struct cst_etmv4_regs regs = { 0 }, again = { 0 };
	struct cst_sink sink = { NULL, append };
	struct text out = { .n = 0 };
	struct cst_config a = { 0 }, b = { 0 };
	struct cst_problem why = { .text = "" };
	struct cst_metadata *md;
	struct cst_doc *doc;
	char text[2048];
	int ete;

	(void)state;
	snprintf(text, sizeof(text), "[buffer]\nformat=source_data\n[trace_16]\nformat=ETMv4.3\nsource=etm0\ncpu=2\n%s",
		 options);
	md = read_text(text);
	assert_int_equal(cst_meta_buffer_format(md, NULL, &why), CST_META_FMT_SOURCE_DATA);
	assert_ptr_equal(cst_meta_by_name(md, (struct cst_str){ "etm0", 4 }), md->sources);
	assert_int_equal(md->sources[0].cpu, 2);
	if (cst_meta_etmv4(&md->sources[0], &regs, &ete, &why))
		fail_msg("%s %s: %s", why.item, why.other, why.text);
	cst_metadata_free(md);
	assert_int_equal(ete, 0);
	assert_int_equal(regs.traceidr, 16);
	assert_int_equal(cst_config_etmv4(&a, &regs, 0, CST_PROFILE_A), 0);
	assert_int_equal(a.version, 0x43);
	assert_int_equal(a.cid_bytes, 4);
	assert_int_equal(a.vmid_bytes, 1);
	assert_int_equal(a.cc_bits, 12);
	assert_int_equal(a.commopt, 1);
	assert_int_equal(a.ret_stack, 1);
	assert_int_equal(a.wfx_p0, 1);
	assert_int_equal(a.cycle_count, 1);
	assert_int_equal(a.trans_p0, 1);
	assert_int_equal(a.max_spec, 8);
	assert_int_equal(a.ia64, 1);

	assert_int_equal(cst_doc_new(&doc, 0), 0);
	assert_int_equal(cst_meta_set_etmv4(doc, "trace_16", &regs, 0), 0);
	sink.ctx = &out;
	assert_int_equal(cst_doc_write(doc, &sink), 0);
	cst_doc_free(doc);
	md = read_text(out.bytes);
	assert_int_equal(md->sources[0].version, 0x43);
	if (cst_meta_etmv4(&md->sources[0], &again, &ete, &why))
		fail_msg("%s %s: %s", why.item, why.other, why.text);
	assert_memory_equal(&again, &regs, sizeof(regs));
	cst_metadata_free(md);
	assert_int_equal(cst_config_etmv4(&b, &again, 0, CST_PROFILE_A), 0);
	assert_memory_equal(&a, &b, sizeof(a));
}

/*
 * No option says which Q elements are enabled: they are those that the trace unit has. A register
 * decides if it is given.
 */
static void test_q_elements(void **state)
{
	static const struct {
		unsigned int q_elements;
		const char *registers;
		uint8_t q_off;
	} rows[] = {
		{ 0, "", 0 }, { 1, "", 0 }, { 2, "", 0 }, { 3, "", 0 },
		{ 3, "TRCCONFIGR=0x1011\n", 3 }, { 3, "TRCCONFIGR=0x3011\n", 2 },
		{ 3, "TRCCONFIGR=0x7011\n", 0 },
	};
	struct cst_problem why = { .text = "" };
	struct cst_etmv4_regs regs = { 0 };
	struct cst_config cfg = { 0 };
	struct cst_metadata *md;
	char text[2048];
	size_t i;
	int ete;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text),
			 "[buffer]\nformat=source_data\n[trace_16]\nformat=ETMv4.3\n%s"
			 "cyclecount=1\ncyclecount_bits=12\ncommopt=1\ncontext_id=0\nvmid=0\n"
			 "return_stack=1\nwfx_waypoints=1\nmax_speculation=0\nq_elements=%u\n"
			 "conditional=0\ndata_address=0\ndata_value=0\nloads_p0=0\nstores_p0=0\n",
			 rows[i].registers, rows[i].q_elements);
		md = read_text(text);
		if (cst_meta_etmv4(&md->sources[0], &regs, &ete, &why))
			fail_msg("%s %s: %s", why.item, why.other, why.text);
		cst_metadata_free(md);
		assert_int_equal(cst_config_etmv4(&cfg, &regs, ete, CST_PROFILE_A), 0);
		assert_int_equal(cfg.qsupp, rows[i].q_elements);
		if (cfg.q_off != rows[i].q_off)
			fail_msg("row %zu: %u", i, cfg.q_off);
	}
}

static const struct {
	const char *format, *text;
	const char *optional;	/* keys, each with a blank before and after it */
} complete[] = {
	{ "ETMv4.3", options, " address_bits timestamp_bits branch_broadcast transactions_p0 " },
	{ "ETMv4.0", options, " address_bits timestamp_bits branch_broadcast transactions_p0 wfx_waypoints " },
	{ "ETMv4.0", "cyclecount=0\ncontext_id=0\nvmid=0\nreturn_stack=0\nmax_speculation=0\nq_elements=0\n"
	  "conditional=0\ndata_address=0\ndata_value=0\nloads_p0=0\nstores_p0=0\n", "" },
	{ "ETE1.0", "cyclecount=1\ncyclecount_bits=20\ncommopt=0\ncontext_id=32\nvmid=0\nreturn_stack=1\n"
	  "wfx_waypoints=0\nmax_speculation=0\ntransactions_p0=0\nq_elements=0\n", "" },
	{ "ETMv4", "TRCCONFIGR=0xc9\nTRCIDR0=0x28000ea1\nTRCIDR1=0x4100f424\nTRCIDR2=0x20001088\nTRCIDR8=0\n"
	  "TRCTRACEIDR=0x10\n", " TRCTRACEIDR " },
	{ "ETE", "TRCCONFIGR=0xc9\nTRCIDR0=0x28000ea1\nTRCIDR2=0x20001088\nTRCIDR8=0\nTRCDEVARCH=0x47705a13\n"
	  "TRCIDR1=0\n", " TRCIDR1 " },
	{ "PFT1.1", "cyclecount=0\ntimestamp_bits=64\ntimestamp_gray=0\ncontext_id=8\nvmid=0\nreturn_stack=1\n"
	  "dmb_dsb_waypoints=0\nbranch_broadcast=1\n", " branch_broadcast " },
	{ "PTM", "ETMCR=0x10001000\nETMCCER=0x344008f2\nETMIDR=0x411cf301\n", "" },
	{ "ETM3.5", "ETMCR=0x10001000\nETMCCER=0x344008f2\nETMIDR=0x410cf250\nETMTRACEIDR=16\n", " ETMTRACEIDR " },
};

/* Each item of each source is taken away in turn: an error that names it, or it is known to be optional. */
static void test_missing(void **state)
{
	char text[2048], key[64];
	const char *line, *end, *next;
	struct cst_metadata *md;
	struct cst_problem why;
	size_t i, removed = 0;
	int err;

	(void)state;
	for (i = 0; i < sizeof(complete) / sizeof(complete[0]); i++) {
		snprintf(text, sizeof(text), "[trace_16]\nformat=%s\n%s", complete[i].format, complete[i].text);
		md = read_text(text);
		if (cst_meta_check(&md->sources[0], &why))
			fail_msg("%zu: %s %s: %s", i, why.item, why.other, why.text);
		cst_metadata_free(md);
		for (line = complete[i].text; *line; line = next) {
			end = strchr(line, '=');
			next = strchr(line, '\n') + 1;
			snprintf(text, sizeof(text), "[trace_16]\nformat=%s\n%.*s%s", complete[i].format,
				 (int)(line - complete[i].text), complete[i].text, next);
			md = read_text(text);
			err = cst_meta_check(&md->sources[0], &why);
			snprintf(key, sizeof(key), " %.*s ", (int)(end - line), line);
			if (strstr(complete[i].optional, key)) {
				if (err)
					fail_msg("%zu: without%s: %s: %s", i, key, why.item, why.text);
			} else {
				if (err != -CST_ERR_NOT_FOUND)
					fail_msg("%zu: nothing missing without%s", i, key);
				assert_string_equal(why.section, "trace_16");
				key[strlen(key) - 1] = '\0';
				if (strcmp(why.item, key + 1) && strcmp(why.other, key + 1))
					fail_msg("%zu: without%s it names %s and %s", i, key, why.item,
						 why.other);
				removed++;
			}
			cst_metadata_free(md);
		}
	}
	assert_true(removed > 60);
}

static void test_conflicts(void **state)
{
	static const struct {
		const char *text;
		int error;
		const char *item, *other;
	} cases[] = {
		{ "format=ETMv4.2\nTRCCONFIGR=0x10\ncyclecount=0\n", -CST_ERR_CONFLICT, "cyclecount", "TRCCONFIGR" },
		{ "format=ETMv4.2\nTRCCONFIGR=0\ncontext_id=32\n", -CST_ERR_CONFLICT, "context_id", "TRCCONFIGR" },
		{ "format=ETMv4.2\nTRCCONFIGR=0x40\nTRCIDR2=0x88\ncontext_id=8\n", -CST_ERR_CONFLICT, "context_id",
		  "TRCIDR2" },
		{ "format=ETMv4.2\nTRCIDR1=0x4100f430\n", -CST_ERR_CONFLICT, "format", "TRCIDR1" },
		{ "format=ETMv4.2\nTRCIDR1=0x4100f320\n", -CST_ERR_CONFLICT, "format", "TRCIDR1" },
		{ "format=ETE1.1\nTRCDEVARCH=0x47704a13\n", -CST_ERR_CONFLICT, "format", "TRCDEVARCH" },
		{ "format=ETMv4.2\nTRCTRACEIDR=0x11\n", -CST_ERR_CONFLICT, "TRCTRACEIDR", "trace_16" },
		{ "format=ETMv4.2\ncyclecount=2\n", -CST_ERR_SYNTAX, "cyclecount", "" },
		{ "format=ETMv4.2\ncyclecount=0\ncontext_id=4 bytes\n", -CST_ERR_SYNTAX, "context_id", "" },
		{ "format=ETMv4.2\ncyclecount=0\ncontext_id=24\n", -CST_ERR_SYNTAX, "context_id", "" },
		{ "format=ETMv4.2\nTRCCONFIGR=0x100000000\n", -CST_ERR_SYNTAX, "TRCCONFIGR", "" },
		{ "format=PFT1.0\nETMIDR=0x411cf311\n", -CST_ERR_CONFLICT, "format", "ETMIDR" },
	};
	struct cst_metadata *md;
	struct cst_problem why;
	char text[256];
	size_t i;
	int err;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "[trace_16]\n%s", cases[i].text);
		md = read_text(text);
		err = cst_meta_check(&md->sources[0], &why);
		if (err != cases[i].error || strcmp(why.item, cases[i].item) || strcmp(why.other, cases[i].other))
			fail_msg("%s: %d %s %s %s", cases[i].text, err, why.item, why.other, why.text);
		cst_metadata_free(md);
	}
	/* An option that no register has to be read for is checked nevertheless. */
	snprintf(text, sizeof(text), "[trace_16]\nformat=ETMv4.0\n%s",
		 "TRCCONFIGR=0\nTRCIDR0=0\nTRCIDR1=0x400\nTRCIDR2=0x88\nTRCIDR8=0\naddress_bits=32\n");
	md = read_text(text);
	assert_int_equal(cst_meta_check(&md->sources[0], &why), -CST_ERR_CONFLICT);
	assert_string_equal(why.item, "address_bits");
	cst_metadata_free(md);
}

static void test_wrong_files(void **state)
{
	static const struct {
		const char *text;
		int error;
		const char *section, *item;
	} cases[] = {
		{ "[trace_16]\ncpu=1\n", -CST_ERR_NOT_FOUND, "trace_16", "format" },
		{ "[trace_128]\nformat=ITM\n", -CST_ERR_SYNTAX, "trace_128", "" },
		{ "[trace_x]\nformat=ITM\n", -CST_ERR_SYNTAX, "trace_x", "" },
		{ "[trace_16]\nformat=ITM\n[trace_0x10]\nformat=ITM\n", -CST_ERR_CONFLICT, "trace_0x10", "" },
		{ "[trace_16]\nformat=ITM\nformat=STM\n", -CST_ERR_CONFLICT, "trace_16", "format" },
		{ "[trace_16]\nformat=ITM\ncpu=-1\n", -CST_ERR_SYNTAX, "trace_16", "cpu" },
		{ "[trace_16\n", -CST_ERR_SYNTAX, "", "" },
	};
	struct cst_metadata *md;
	struct cst_problem why;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(cst_metadata_read(&md, cases[i].text, strlen(cases[i].text), &why), cases[i].error);
		assert_null(md);
		assert_string_equal(why.section, cases[i].section);
		assert_string_equal(why.item, cases[i].item);
	}
	md = read_text("[trace_16]\nformat=ITM\ncpu=1\ncpu=1\n[source_cpu7]\nformat=ETE1.0\n[buffer3]\nformat=odd\n");
	assert_int_equal(md->sources[1].trace_id, -1);
	assert_string_equal(md->sources[1].source, "cpu7");
	assert_int_equal(cst_meta_buffer_format(md, "buffer0", &why), -CST_ERR_NOT_FOUND);
	assert_string_equal(why.section, "buffer");
	assert_string_equal(why.item, "format");
	assert_int_equal(cst_meta_buffer_format(md, "buffer3", &why), CST_META_FMT_OTHER);
	cst_metadata_free(md);
}

/* Sources are found by their whole names; options that are none are refused. */
static void test_source_names(void **state)
{
	struct cst_metadata *md = read_text("[trace_16]\nformat=ITM\nsource=cpu0\n[trace_17]\nformat=ITM\n");
	struct cst_problem why;
	uint64_t v = 1;

	(void)state;
	assert_ptr_equal(cst_meta_by_name(md, (struct cst_str){ "cpu0", 4 }), md->sources);
	assert_null(cst_meta_by_name(md, (struct cst_str){ "cpu0", 3 }));
	assert_null(cst_meta_by_name(md, (struct cst_str){ "cpu01", 5 }));
	assert_null(cst_meta_by_name(md, (struct cst_str){ "cpu1", 4 }));
	assert_null(cst_meta_by_name(md, (struct cst_str){ "", 0 }));
	assert_int_equal(cst_meta_option(md->sources, CST_OPT__COUNT, &v, &why), -CST_ERR_INVAL);
	assert_int_equal(v, 0);
	cst_metadata_free(md);
	cst_metadata_free(NULL);
}

/* ---- options of registers ---------------------------------------------------------------------- */

static size_t put_value(char *out, size_t room, const char *format, enum cst_meta_option opt, const uint32_t *value,
			const char *const *names, size_t n)
{
	struct cst_problem why = { .text = "" };
	struct cst_metadata *md;
	char text[1024];
	size_t i, used;
	uint64_t v;
	int err;

	used = (size_t)snprintf(text, sizeof(text), "[buffer]\nformat=coresight\n[trace_16]\nformat=%s\n", format);
	for (i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s=0x%x\n", names[i], value[i]);
	md = read_text(text);
	err = cst_meta_option(&md->sources[0], opt, &v, &why);
	cst_metadata_free(md);
	return err ? (size_t)snprintf(out, room, "error %d", err) : (size_t)snprintf(out, room, "%llu", (unsigned long long)v);
}

/*
 * Of each kind of source, the value of each option where all bits of its registers are 0, and 1; and the bits on which it
 * depends, with the values that it has if one of them alone is 1, and 0.
 */
static void test_bits_of_options(void **state)
{
	static const struct {
		const char *format, *regs[8];
		size_t n;
	} kinds[] = {
		{ "ETM3.5", { "ETMCR", "ETMIDR", "ETMCCER" }, 3 }, { "PFT1.1", { "ETMCR", "ETMIDR", "ETMCCER" }, 3 },
		{ "ETMv4.3", { "TRCCONFIGR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8" }, 5 },
		{ "ETE1.0", { "TRCCONFIGR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8" }, 5 },
	};
	static char text[1 << 16];
	char zero[64], one[64], a[64], b[64];
	uint32_t v[8];
	size_t used = 0, k, r;
	unsigned int opt, bit;

	(void)state;
	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		for (opt = 0; opt < CST_OPT__COUNT; opt++) {
			memset(v, 0, sizeof(v));
			put_value(zero, sizeof(zero), kinds[k].format, opt, v, kinds[k].regs, kinds[k].n);
			memset(v, 0xff, sizeof(v));
			put_value(one, sizeof(one), kinds[k].format, opt, v, kinds[k].regs, kinds[k].n);
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s: %s, %s", kinds[k].format,
						 cst_meta_option_name(opt), zero, one);
			for (r = 0; r < kinds[k].n; r++)
				for (bit = 0; bit < 32; bit++) {
					memset(v, 0, sizeof(v));
					v[r] = 1u << bit;
					put_value(a, sizeof(a), kinds[k].format, opt, v, kinds[k].regs, kinds[k].n);
					memset(v, 0xff, sizeof(v));
					v[r] = ~(1u << bit);
					put_value(b, sizeof(b), kinds[k].format, opt, v, kinds[k].regs, kinds[k].n);
					if (strcmp(a, zero) || strcmp(b, one))
						used += (size_t)snprintf(text + used, sizeof(text) - used, "; %s.%u %s, %s", kinds[k].regs[r],
									 bit, a, b);
				}
			used += (size_t)snprintf(text + used, sizeof(text) - used, "\n");
			assert_true(used < sizeof(text) - 4096);
		}
	golden_text("tests/data/tables/metadata-options.txt", text);
}

/* A section has up to 1024 items. */
static void test_many_items(void **state)
{
	char *text = malloc(1026 * 16), *p = text;
	struct cst_metadata *md;
	struct cst_problem why;
	unsigned int i;

	(void)state;
	assert_non_null(text);
	p += sprintf(p, "[trace_16]\nformat=ITM\n");
	for (i = 1; i < 1024; i++)
		p += sprintf(p, "x_%u=1\n", i);
	assert_int_equal(cst_metadata_read(&md, text, (size_t)(p - text), &why), 0);
	cst_metadata_free(md);
	p += sprintf(p, "x_%u=1\n", i);
	assert_int_equal(cst_metadata_read(&md, text, (size_t)(p - text), &why), -CST_ERR_LIMIT);
	assert_string_equal(why.section, "trace_16");
	assert_int_equal(why.line, 1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_items),
		cmocka_unit_test(test_doc),
		cmocka_unit_test(test_doc_wrong),
		cmocka_unit_test(test_specification),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_options_and_registers),
		cmocka_unit_test(test_q_elements),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_conflicts),
		cmocka_unit_test(test_wrong_files),
		cmocka_unit_test(test_source_names),
		cmocka_unit_test(test_bits_of_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
