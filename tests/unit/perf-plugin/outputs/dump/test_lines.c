/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of dump made of structures that recorded traces seldom have: names, packets, elements, frames, log records, places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/log_int.h"
#include "outputs/dump/dump.h"
#include "outputs/dump/names.h"
#include "unit/perf-plugin/dump_listing.h"

#define OUTSIDE 250	/* a value of no enumeration */

static const struct name {
	const char *(*of)(unsigned int value);
	unsigned int value;
	const char *want;
} names[] = {
	{ dump_name_kind, CST_GEN_UNKNOWN, "unknown" },
	{ dump_name_kind, CST_GEN_COUNTED, "counted" },
	{ dump_name_kind, CST_GEN_SKIPPED, "skipped" },
	{ dump_name_kind, CST_GEN_LISTED, "listed" },
	{ dump_name_kind, CST_GEN_CUSTOM, "custom" }, { dump_name_kind, CST_GEN_DATA, "data" },
	{ dump_name_kind, CST_GEN_COND, "condition" }, { dump_name_kind, CST_GEN_BARRIER, "barrier" },
	{ dump_name_kind, CST_GEN_MEMTRANS, "transaction" }, { dump_name_kind, OUTSIDE, "unknown" },
	{ dump_name_isa, CST_ISA_TEE, "T32EE" }, { dump_name_isa, CST_ISA_JAZELLE, "Jazelle" },
	{ dump_name_isa, CST_ISA_CUSTOM, "custom" }, { dump_name_isa, CST_ISA_UNKNOWN, "unknown" },
	{ dump_name_isa, CST_ISA_A32, "A32" }, { dump_name_isa, OUTSIDE, "unknown" },
	{ dump_name_insn, CST_INSN_OTHER, "other" }, { dump_name_insn, CST_INSN_BARRIER, "barrier" },
	{ dump_name_insn, CST_INSN_WFX, "wfx" }, { dump_name_insn, CST_INSN_TSTART, "tstart" },
	{ dump_name_insn, CST_INSN_LOAD, "load" }, { dump_name_insn, CST_INSN_STORE, "store" },
	{ dump_name_insn, OUTSIDE, "unknown" },
	{ dump_name_insn_subtype, CST_INSN_PLAIN, "" }, { dump_name_insn_subtype, CST_INSN_IMPLIED_RET, "return" },
	{ dump_name_insn_subtype, CST_INSN_FUTURE, "branch-future" }, { dump_name_insn_subtype, OUTSIDE, "unknown" },
	{ dump_name_security, CST_SEC_SECURE, "secure" }, { dump_name_security, CST_SEC_NONSECURE, "non-secure" },
	{ dump_name_security, CST_SEC_ROOT, "root" }, { dump_name_security, CST_SEC_REALM, "realm" },
	{ dump_name_security, OUTSIDE, "unknown" },
	{ dump_name_trace_on, CST_ON_DEBUG, "debug" }, { dump_name_trace_on, OUTSIDE, "unknown" },
	{ dump_name_unsync, CST_UNSYNC_UNKNOWN, "unknown" }, { dump_name_unsync, CST_UNSYNC_RESET, "reset" },
	{ dump_name_unsync, CST_UNSYNC_DISCARD, "discard" }, { dump_name_unsync, CST_UNSYNC_BAD_IMAGE, "bad-image" },
	{ dump_name_unsync, CST_UNSYNC_END, "end" }, { dump_name_unsync, OUTSIDE, "unknown" },
	{ dump_name_memtrans, CST_TRANS_INIT, "inside" }, { dump_name_memtrans, CST_TRANS_START, "start" },
	{ dump_name_memtrans, CST_TRANS_COMMIT, "commit" }, { dump_name_memtrans, CST_TRANS_FAIL, "fail" },
	{ dump_name_memtrans, OUTSIDE, "unknown" },
	{ dump_name_itm, CST_ITM_TS_GLOBAL, "global-timestamp" }, { dump_name_itm, OUTSIDE, "unknown" },
	{ dump_name_protocol, CST_PROTO_NONE, "none" }, { dump_name_protocol, CST_PROTO_ETMV4, "ETMv4" },
	{ dump_name_protocol, CST_PROTO_ETE, "ETE" }, { dump_name_protocol, CST_PROTO_ETMV4_DATA, "ETMv4-data" },
	{ dump_name_protocol, CST_PROTO_STM, "STM" }, { dump_name_protocol, CST_PROTO_CUSTOM, "custom" },
	{ dump_name_protocol, CST_PROTOCOLS, "unknown" }, { dump_name_protocol, OUTSIDE, "unknown" },
	{ dump_name_role, CST_ROLE_ADDRESS_CONTEXT, "address-context" }, { dump_name_role, CST_ROLE_DISCARD, "discard" },
	{ dump_name_role, CST_ROLE_LOSS, "loss" }, { dump_name_role, CST_ROLE_ASIDE, "aside" },
	{ dump_name_role, OUTSIDE, "unknown" },
};

static void test_names(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(names[i].of(names[i].value), names[i].want);
}

/* What a decoder of a protocol is made of; every unit has the trace ID 0x10. */
static struct cst_decoder *decoder(enum cst_protocol protocol)
{
	const struct cst_etmv4_regs v4 = { .configr = 0x300c7, .traceidr = 0x10, .idr0 = 0x28000ebf, .idr1 = 0x4100f403, .idr2 = 0x488 };
	const struct cst_etmv3_regs v3 = { .idr = 0x4100f250, .traceidr = 0x10 }, ptm = { .idr = 0x411cf312, .traceidr = 0x10 };
	const struct cst_stm_regs stm = { .tcsr = 0x100007 };
	const struct cst_itm_regs itm = { .tcr = 0x100000 };
	struct cst_decoder *dec;
	struct cst_config cfg = { 0 };

	switch (protocol) {
	case CST_PROTO_ETMV4:
		cst_config_etmv4(&cfg, &v4, 0, CST_PROFILE_A);
		cfg.data_trace = 0;
		cfg.load_p0 = cfg.store_p0 = 0;
		break;
	case CST_PROTO_ETMV4_DATA:
		assert_int_equal(cst_config_etmv4_data(&cfg, &v4, CST_PROFILE_R), 0);
		break;
	case CST_PROTO_ETMV3:
		assert_int_equal(cst_config_etmv3(&cfg, &v3, CST_PROFILE_A), 0);
		break;
	case CST_PROTO_PTM:
		assert_int_equal(cst_config_ptm(&cfg, &ptm), 0);
		break;
	case CST_PROTO_STM:
		assert_int_equal(cst_config_stm(&cfg, &stm), 0);
		break;
	default:
		assert_int_equal(cst_config_itm(&cfg, &itm), 0);
		break;
	}
	cfg.trace_id = 0x10;
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	return dec;
}

/* The lines that were written since the last call. */
static const char *lines(struct dump *d)
{
	d->out.buf[d->out.len] = 0;
	d->out.len = 0;
	return d->out.buf;
}

#define BYTES .size = 2, .nbytes = 2, .bytes = { 0xab, 0x0c }

/* Packets, and what JSON has behind their text and name. */
static const struct { struct cst_packet pkt; const char *want; } packets[] = {
	{ { .protocol = CST_PROTO_ETMV4, .type = CST_PKT_ADDR_CTXT_64, BYTES, .addr = 0xffff000012345678, .el = 2, .sf = 1, .security = CST_SEC_REALM,
	    .vmid = 5, .cid = 77, .flags = CST_PF_ADDR | CST_PF_CONTEXT | CST_PF_CID | CST_PF_VMID },
	  "\"role\":\"address-context\",\"address\":\"0xffff000012345678\",\"el\":2,\"security\":\"realm\",\"bits\":64,\"context_id\":77,\"vmid\":5}" },
	{ { .protocol = CST_PROTO_ETMV4, .type = CST_PKT_CCNT_F1, BYTES, .cc = 9, .commit = 3, .flags = CST_PF_CC | CST_PF_COMMIT },
	  "\"role\":\"aside\",\"cycles\":9,\"commit\":3}" },
	{ { .protocol = CST_PROTO_ETMV4, .type = CST_PKT_CCNT_F1, BYTES, .cc = 9, .flags = CST_PF_CC | CST_PF_CC_UNKNOWN },
	  "\"role\":\"aside\",\"cycles\":null}" },
	{ { .protocol = CST_PROTO_ETMV4, .type = CST_PKT_Q, BYTES, .count = 17, .flags = CST_PF_COUNT },
	  "\"role\":\"flow\",\"count\":17}" },
	{ { .protocol = CST_PROTO_ETMV4, .type = CST_PKT_EVENT, BYTES, .event = 6 }, "\"role\":\"event\",\"mask\":6}" },
	{ { .protocol = CST_PROTO_ETMV4, .type = CST_PKT_EXCEPTION, BYTES, .exc_type = 14 }, "\"role\":\"exception\",\"exception\":14}" },
	{ { .protocol = CST_PROTO_ETMV4, .type = CST_PKT_CONTEXT, BYTES, .el = 1, .security = CST_SEC_ROOT, .flags = CST_PF_CONTEXT,
	    .finding = { CST_FIND_ETM_CONTEXT_BITS, CST_FIND_ETM_CONTEXT_IS } },
	  "\"role\":\"context\",\"el\":1,\"security\":\"root\",\"bits\":32,\"findings\":[\"reserved bits of a context are set\","
	  "\"sub-ISA IS1 of an address in AArch64 state\"]}" },
	{ { .protocol = CST_PROTO_ETMV4, .type = CST_PKT_ATOM_F2, BYTES, .n_atoms = 2, .atoms = 1,
	    .finding = { CST_FIND_ETM_BEFORE_INFO } },
	  "\"role\":\"flow\",\"atoms\":\"EN\",\"findings\":[\"a packet between alignment synchronisation and Trace Info\"]}" },
	{ { .protocol = CST_PROTO_PTM, .type = CST_PTM_PKT_VMID, BYTES, .vmid = 9, .flags = CST_PTM_PF_HYP }, "\"vmid\":9}" },
	{ { .protocol = CST_PROTO_PTM, .type = CST_PTM_PKT_BRANCH, BYTES, .addr = 0x8000, .isa = CST_ISA_A32, .exc_type = 13, .security = CST_SEC_NONSECURE,
	    .flags = CST_PF_CONTEXT | CST_PTM_PF_HYP | CST_PTM_PF_EXCEPTION },
	  "\"address\":\"0x8000\",\"isa\":\"A32\",\"security\":\"non-secure\",\"hypervisor\":true,\"exception\":13}" },
	{ { .protocol = CST_PROTO_PTM, .type = CST_PTM_PKT_ISYNC, BYTES, .addr = 0x8000, .isa = CST_ISA_T32, .event = 3, .cid = 4, .flags = CST_PF_CID },
	  "\"role\":\"sync\",\"reason\":\"debug\",\"address\":\"0x8000\",\"isa\":\"T32\",\"context_id\":4}" },
	{ { .protocol = CST_PROTO_ETMV3, .type = CST_ETMV3_PKT_ISYNC, BYTES, .addr = 0x8000, .isa = CST_ISA_JAZELLE, .count = 2, .value = 0x8123,
	    .security = CST_SEC_NONSECURE, .flags = CST_PF_ADDR | CST_ETMV3_PF_STATE | CST_ETMV3_PF_LSIP },
	  "\"role\":\"sync\",\"reason\":\"overflow\",\"address\":\"0x8000\",\"isa\":\"Jazelle\",\"security\":\"non-secure\",\"load_store_address\":\"0x8123\"}" },
	{ { .protocol = CST_PROTO_ETMV3, .type = CST_ETMV3_PKT_BRANCH, BYTES, .addr = 0x18, .isa = CST_ISA_TEE, .exc_type = 5,
	    .flags = CST_PF_ADDR | CST_ETMV3_PF_EXCEPTION | CST_ETMV3_PF_CANCEL },
	  "\"address\":\"0x18\",\"isa\":\"T32EE\",\"exception\":5,\"cancel\":true}" },
	{ { .protocol = CST_PROTO_STM, .type = CST_STM_PKT_D32, BYTES, .vsize = 32, .value = 0x1234, .cid = 0x80, .vmid = 3, .ts = 8, .ts_bits = 4,
	    .flags = CST_STM_PF_TS | CST_STM_PF_MARKER },
	  "\"timestamp\":\"0x8\",\"value_bits\":32,\"value\":\"0x1234\",\"master\":128,\"channel\":3,\"marker\":true}" },
	{ { .protocol = CST_PROTO_STM, .type = CST_STM_PKT_FLAG, BYTES, .cid = 1, .vmid = 2, .ts = 8, .flags = CST_STM_PF_TS },
	  "\"master\":1,\"channel\":2,\"timestamp\":\"0x8\"}" },
	{ { .protocol = CST_PROTO_STM, .type = CST_STM_PKT_D64, BYTES, .cid = 1, .vmid = 2, .vsize = 64, .value = UINT64_MAX },
	  "\"value_bits\":64,\"value\":\"0xffffffffffffffff\",\"master\":1,\"channel\":2}" },
	{ { .protocol = CST_PROTO_STM, .type = CST_STM_PKT_C16, BYTES, .cid = 1, .vmid = 2, .vsize = 16, .value = 2 },
	  "\"value_bits\":16,\"value\":\"0x2\"}" },
	{ { .protocol = CST_PROTO_ITM, .type = CST_ITM_PKT_EXTENSION, BYTES }, "\"value\":\"0x0\"}" },
	{ { .protocol = CST_PROTO_ITM, .type = CST_ITM_PKT_GLOBAL_TS1, BYTES, .ts = 5, .ts_bits = 26, .flags = CST_ITM_PF_CLOCK | CST_ITM_PF_WRAP },
	  "\"timestamp\":\"0x5\",\"clock_changed\":true,\"wrapped\":true}" },
	{ { .protocol = CST_PROTO_ETMV4_DATA, .type = CST_ETMV4D_PKT_SYNC_NUM, BYTES, .event = 6 }, "\"number\":6}" },
	{ { .protocol = CST_PROTO_ETMV4_DATA, .type = CST_ETMV4D_PKT_EVENT, BYTES, .event = 5 }, "\"mask\":5}" },
	{ { .protocol = CST_PROTO_ETMV4_DATA, .type = CST_ETMV4D_PKT_SYNC, BYTES, .event = 7 }, "\"role\":\"other\"}" },
	/* fields of a client's protocol are its own */
	{ { .protocol = CST_PROTO_CUSTOM, .type = CST_ITM_PKT_SWIT, BYTES, .event = 6, .vsize = 4, .value = 7 }, 
	  "\"role\":\"other\"}" },
};

static void test_packets(void **state)
{
	struct dump d = listing(DUMP_JSON);
	struct cst_decoder *dec;
	char head[100], text[1024];
	const char *line, *rest;
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		dec = decoder(packets[i].pkt.protocol);
		dump_packet(&d, dec, &packets[i].pkt);
		line = lines(&d);
		assert_true(cst_decoder_packet_text(dec, &packets[i].pkt, text, sizeof(text)) < sizeof(text));
		n = (size_t)snprintf(head, sizeof(head), "{\"record\":\"packet\",\"index\":0,\"id\":16,\"size\":2,\"bytes\":\"ab0c\",\"text\":\"");
		assert_memory_equal(line, head, n);
		assert_memory_equal(line + n, text, strlen(text));
		snprintf(head, sizeof(head), "\"protocol\":\"%s\"", dump_name_protocol(packets[i].pkt.protocol));
		assert_non_null(strstr(line, head));
		rest = strrchr(line, '\n');
		assert_true(rest && !rest[1]);
		rest = strstr(line, "\"role\":");
		assert_non_null(rest);
		/* also the role, or only what comes behind it */
		if (strncmp(packets[i].want, "\"role\":", 7))
			rest = strchr(rest, ',') + 1;
		if (strncmp(rest, packets[i].want, strlen(packets[i].want)) || strcmp(rest + strlen(packets[i].want), "\n"))
			fail_msg("packet %zu: %s, expected %s", i, rest, packets[i].want);
		cst_decoder_free(dec);
	}
	free(d.out.buf);
}

/* A packet longer than what is kept of it. */
static void test_cut_bytes(void **state)
{
	const struct cst_packet pkt = { .protocol = CST_PROTO_ETMV4, .type = CST_PKT_TRACE_ON, .index = 7, .size = 51, .nbytes = 2, .bytes = { 1, 0xfe } };
	struct cst_decoder *dec = decoder(CST_PROTO_ETMV4);
	struct dump d = listing(DUMP_OPENCSD);

	(void)state;
	dump_packet(&d, dec, &pkt);
	assert_string_equal(lines(&d), "Idx:7; ID:10; [0x01 0xfe +49 ];\tI_TRACE_ON : Trace On.\n");
	d.format = DUMP_TEXT;
	dump_packet(&d, dec, &pkt);
	assert_string_equal(lines(&d), "7          10 01fe+49                 I_TRACE_ON : Trace On.\n");
	d.id.only_id = 0x11;
	dump_packet(&d, dec, &pkt);
	assert_string_equal(lines(&d), "");
	cst_decoder_free(dec);
	free(d.out.buf);
}

static const struct { struct cst_generic g; const char *json, *text; } elements[] = {
	{ { .kind = CST_GEN_MEMTRANS, .num = CST_TRANS_COMMIT }, "\"transaction\",\"state\":\"commit\"}", "transaction commit" },
	{ { .kind = CST_GEN_COND, .num = CST_COND_PASSED | CST_COND_INSN, .addr = 0x8000, .end = 7 },
	  "\"condition\",\"address\":\"0x8000\",\"result\":\"passed\",\"key\":\"0x7\"}", "condition 0x8000 passed key=0x7" },
	{ { .kind = CST_GEN_DATA, .num = CST_DATA_ADDR, .addr = 0x8000 }, "\"data\",\"address\":\"0x8000\"}", "data 0x8000" },
	{ { .kind = CST_GEN_SWTRACE, .num = CST_SW_ID, .master = 1, .channel = 2 }, "\"software\",\"master\":1,\"channel\":2}",
	  "software master=0x1 channel=0x2" },
	{ { .kind = CST_GEN_INSTRUMENTATION, .el = 2, .addr = 0x77 }, "\"instrumentation\",\"el\":2,\"value\":\"0x77\"}",
	  "instrumentation EL2 0x77" },
	{ { .kind = CST_GEN_EVENT, .num = 5 }, "\"event\",\"mask\":5}", "event mask=0x5" },
	{ { .kind = CST_GEN_EVENT, .num = CST_EVENT_TRIGGER }, "\"event\",\"trigger\":true}", "event trigger" },
	{ { .kind = CST_GEN_ADDR_UNKNOWN, .error = CST_ERR_BAD_IMAGE }, NULL, NULL },
	{ { .kind = CST_GEN_ADDR_UNKNOWN }, "\"no-address\"}", "no-address" },
	{ { .kind = CST_GEN_CYCLE_COUNT }, "\"cycles\",\"cycles\":null}", "cycles unknown" },
	{ { .kind = CST_GEN_CYCLE_COUNT, .flags = CST_GF_CC, .cc = 12 }, "\"cycles\",\"cycles\":12}", "cycles cycles=12" },
	{ { .kind = CST_GEN_EXCEPTION, .num = 14, .end = 0x8004, .flags = CST_GF_RET_ADDR | CST_GF_BR_TARGET },
	  "\"exception\",\"number\":14,\"return\":\"0x8004\",\"at_branch_target\":true}", "exception 0xe return=0x8004 at branch target" },
	{ { .kind = CST_GEN_NACC, .addr = 0x9000, .num = 2, .flags = CST_GF_EL, .el = 3, .security = CST_SEC_ROOT },
	  "\"no-code\",\"address\":\"0x9000\",\"space\":2,\"el\":3,\"security\":\"root\"}", "no-code 0x9000 EL3 root" },
	{ { .kind = CST_GEN_PE_CONTEXT, .isa = CST_ISA_T32, .security = CST_SEC_SECURE, .context_id = 7, .flags = CST_GF_VMID },
	  "\"context\",\"isa\":\"T32\",\"bits\":32,\"security\":\"secure\",\"context_id\":7,\"vmid\":0}",
	  "context T32 secure cid=0x7 vmid=0x0" },
	{ { .kind = CST_GEN_RANGE, .addr = 0x8000, .end = 0x8010, .n_insn = 4, .isa = CST_ISA_A64, .last_type = CST_INSN_LOAD, .last_size = 4,
	    .last_subtype = CST_INSN_FUTURE, .flags = CST_GF_COND, .vmid = 3 },
	  "\"range\",\"start\":\"0x8000\",\"end\":\"0x8010\",\"insns\":4,\"isa\":\"A64\",\"last\":\"load\",\"subtype\":\"branch-future\",\"last_size\":4,"
	  "\"executed\":false,\"conditional\":true,\"vmid\":3}", "range 0x8000-0x8010 n=4 A64 load-branch-future N cond vmid=0x3" },
	{ { .kind = CST_GEN_NOPATH, .addr = 0x8000, .end = 0x8010, .n_insn = 4, .isa = CST_ISA_A64 },
	  "\"no-path\",\"start\":\"0x8000\",\"end\":\"0x8010\",\"insns\":4,\"isa\":\"A64\"}", "no-path 0x8000-0x8010 n=4 A64" },
	{ { .kind = CST_GEN_EO_TRACE, .num = CST_UNSYNC_END, .error = CST_ERR_BAD_IMAGE }, "\"end\",\"reason\":\"end\"}", "end end" },
	{ { .kind = CST_GEN_TRACE_ON, .num = CST_ON_DEBUG }, "\"trace-on\",\"reason\":\"debug\"}", "trace-on debug" },
	{ { .kind = CST_GEN_BARRIER }, "\"barrier\"}", "barrier" },
};

static void test_elements(void **state)
{
	struct cst_decoder *dec = decoder(CST_PROTO_ETMV4);
	struct dump d = listing(DUMP_JSON);
	char want[1024];
	struct cst_generic g;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
		g = elements[i].g;
		g.index = 1234;
		g.trace_id = 0x10;
		d.format = DUMP_JSON;
		dump_element(&d, dec, &g);
		if (elements[i].json)
			snprintf(want, sizeof(want), "{\"record\":\"element\",\"index\":1234,\"id\":16,\"kind\":%s\n", elements[i].json);
		else
			snprintf(want, sizeof(want), "{\"record\":\"element\",\"index\":1234,\"id\":16,\"kind\":\"no-address\",\"error\":\"%s\"}\n",
				 error_text(CST_ERR_BAD_IMAGE));
		assert_string_equal(lines(&d), want);
		d.format = DUMP_TEXT;
		dump_element(&d, dec, &g);
		if (elements[i].text)
			snprintf(want, sizeof(want), "1234       10 * %s\n", elements[i].text);
		else
			snprintf(want, sizeof(want), "1234       10 * no-address %s\n", error_text(CST_ERR_BAD_IMAGE));
		assert_string_equal(lines(&d), want);
	}
	/* of a recording: where it ran */
	d.at.cpu = 3;
	d.at.pid = 5;
	d.at.tid = 6;
	d.format = DUMP_JSON;
	g = (struct cst_generic){ .kind = CST_GEN_BARRIER };
	dump_element(&d, dec, &g);
	assert_string_equal(lines(&d), "{\"record\":\"element\",\"index\":0,\"id\":0,\"kind\":\"barrier\",\"cpu\":3,\"pid\":5,\"tid\":6}\n");
	d.id.only_id = 1;
	dump_element(&d, dec, &g);
	assert_string_equal(lines(&d), "");
	cst_decoder_free(dec);
	free(d.out.buf);
}

/* Pieces of frames, and their lines in JSON, as text and in the reference's form; NULL: it has none. */
static const struct { struct cst_fragment f; const char *json, *text, *reference; } pieces[] = {
	{ { .offset = 5, .len = 2, .id = 0x10 }, "\"index\":5,\"id\":16,\"bytes\":\"a10b\"}", "5          10 a10b",
	  "Frame Data; Index      5;   ID_DATA[0x10]; a1 0b " },
	{ { .offset = 5, .len = 2, .id = CST_ID_UNKNOWN }, "\"index\":5,\"id\":null,\"bytes\":\"a10b\"}", "5          ff a10b",
	  "Frame Data; Index      5;   ID_DATA[????]; a1 0b " },
	{ { .offset = 16, .kind = CST_FRAG_RESET, .id = 0x10 }, "\"index\":16,\"barrier\":true}", "16         10 barrier", NULL },
	{ { .offset = 32, .kind = CST_FRAG_ERROR, .len = 16, .error = -CST_ERR_INCOMPLETE }, NULL, NULL, NULL },
	{ { .offset = 48, .kind = CST_FRAG_FINDING, .error = CST_FIND_FRAME_AUX, .id = 0x12 },
	  "\"index\":48,\"finding\":\"auxiliary bit of a frame's last ID byte is set, which has no meaning\"}",
	  "48         12 finding: auxiliary bit of a frame's last ID byte is set, which has no meaning", NULL },
	{ { .offset = 64, .kind = CST_FRAG_FRAME, .len = 2 }, "\"index\":64,\"packed\":\"frame\",\"bytes\":\"a10b\"}", "64         == frame a10b",
	  "Frame Data; Index     64;    RAW_PACKED; a1 0b " },
	{ { .offset = 12345678, .kind = CST_FRAG_FSYNC, .len = 2 }, "\"index\":12345678,\"packed\":\"fsync\",\"bytes\":\"a10b\"}",
	  "12345678   == fsync a10b", "Frame Data; Index12345678;         FSYNC; a1 0b " },
	{ { .offset = 66, .kind = CST_FRAG_HSYNC, .len = 2 }, "\"index\":66,\"packed\":\"hsync\",\"bytes\":\"a10b\"}", "66         == hsync a10b",
	  "Frame Data; Index     66;         HSYNC; a1 0b " },
};

static void test_fragments(void **state)
{
	static const uint8_t data[16] = { 0xa1, 0x0b };
	struct dump d = listing(DUMP_JSON);
	char want[1024];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		d.format = DUMP_JSON;
		dump_fragment(&d, &pieces[i].f, data);
		if (pieces[i].json)
			snprintf(want, sizeof(want), "{\"record\":\"frame\",%s\n", pieces[i].json);
		else
			snprintf(want, sizeof(want), "{\"record\":\"frame\",\"index\":32,\"error\":\"%s\",\"skipped\":16}\n",
				 error_text(-CST_ERR_INCOMPLETE));
		assert_string_equal(lines(&d), want);
		d.format = DUMP_TEXT;
		dump_fragment(&d, &pieces[i].f, data);
		if (pieces[i].text)
			snprintf(want, sizeof(want), "%s\n", pieces[i].text);
		else
			snprintf(want, sizeof(want), "32         00 error: %s; 16 bytes skipped\n", error_text(-CST_ERR_INCOMPLETE));
		assert_string_equal(lines(&d), want);
		d.format = DUMP_OPENCSD;
		dump_fragment(&d, &pieces[i].f, data);
		snprintf(want, sizeof(want), "%s%s", pieces[i].reference ? pieces[i].reference : "", pieces[i].reference ? "\n" : "");
		assert_string_equal(lines(&d), want);
	}
	/* of one trace ID: no bytes of others, but what belongs to all */
	d.id.only_id = 0x11;
	d.format = DUMP_TEXT;
	dump_fragment(&d, &pieces[0].f, data);
	assert_string_equal(lines(&d), "");
	dump_fragment(&d, &pieces[2].f, data);
	assert_string_equal(lines(&d), "16         10 barrier\n");
	free(d.out.buf);
}

static void test_log(void **state)
{
	struct dump d = listing(DUMP_JSON);
	unsigned int i;

	(void)state;
	dump_log_open(&d, CST_LOG_INFO);
	cst_log_finding(d.log, CST_LOG_PACKET, 0x10, 40, CST_FIND_ETM_BEFORE_INFO, 0x55);
	assert_string_equal(lines(&d), "{\"record\":\"log\",\"index\":40,\"id\":16,\"severity\":\"warning\",\"component\":\"packet\","
			    "\"message\":\"a packet between alignment synchronisation and Trace Info\",\"section\":\"K10.5.2.2\","
			    "\"value\":\"0x55\"}\n");
	cst_log_finding(d.log, CST_LOG_TREE, CST_LOG_NO_ID, 0, CST_FIND_BARRIER, 0);
	assert_string_equal(lines(&d), "{\"record\":\"log\",\"index\":0,\"severity\":\"info\",\"component\":\"tree\","
			    "\"message\":\"a barrier: the trace does not continue what came before\"}\n");
	/* what was repeated, and how often */
	for (i = 1; i <= 2; i++) {
		cst_log_rest(d.log, CST_LOG_FLOW, 0x10, 90, CST_FIND_ETM_BEFORE_INFO, i);
		assert_string_equal(lines(&d), i == 1 ?
				    "{\"record\":\"log\",\"index\":90,\"id\":16,\"severity\":\"warning\",\"component\":\"flow\","
				    "\"message\":\"a packet between alignment synchronisation and Trace Info\","
				    "\"section\":\"K10.5.2.2\"}\n" :
				    "{\"record\":\"log\",\"index\":90,\"id\":16,\"severity\":\"warning\",\"component\":\"flow\","
				    "\"message\":\"a packet between alignment synchronisation and Trace Info\","
				    "\"section\":\"K10.5.2.2\",\"count\":2}\n");
	}
	d.id.only_id = 0x11;
	cst_log_finding(d.log, CST_LOG_PACKET, 0x10, 41, CST_FIND_ETM_BEFORE_INFO, 0);
	assert_string_equal(lines(&d), "");
	for (i = 0; i < 2; i++) {
		cst_log_free(d.log);
		dump_log_open(&d, i ? CST_LOG_INFO : CST_LOG_WARNING);
		cst_log_finding(d.log, CST_LOG_TREE, CST_LOG_NO_ID, 0, CST_FIND_BARRIER, 0);
		assert_int_equal(strlen(lines(&d)) > 0, i);
	}
	cst_log_free(d.log);
	free(d.out.buf);
}

static const struct {
	struct dump_place from;
	struct cst_packet pkt;
	bool listed;
} places[] = {
	{ { true, CST_INDEX_TIMESTAMP, 100 }, { .type = CST_PKT_TIMESTAMP, .ts = 100 }, true },
	{ { true, CST_INDEX_TIMESTAMP, 100 }, { .type = CST_PKT_TIMESTAMP, .ts = 99 }, false },
	{ { true, CST_INDEX_TIMESTAMP, 100 }, { .type = CST_PKT_TRACE_ON, .ts = 100 }, false },
	{ { true, CST_INDEX_EVENT, 0 }, { .type = CST_PKT_EVENT, .event = 4 }, true },
	{ { true, CST_INDEX_EVENT, 4 }, { .type = CST_PKT_EVENT, .event = 6 }, true },
	{ { true, CST_INDEX_EVENT, 1 }, { .type = CST_PKT_EVENT, .event = 6 }, false },
	{ { true, CST_INDEX_EVENT, 1 }, { .type = CST_PKT_EVENT, .event = 0 }, true },
	{ { true, CST_INDEX_EVENT, 2 }, { .type = CST_PKT_EVENT, .event = 0 }, false },
	{ { true, CST_INDEX_EVENT, 0 }, { .type = CST_PKT_TRACE_ON, .event = 4 }, false },
	{ { true, CST_INDEX_CONTEXT, 9 }, { .type = CST_PKT_CONTEXT, .cid = 9, .flags = CST_PF_CONTEXT | CST_PF_CID }, true },
	{ { true, CST_INDEX_CONTEXT, 9 }, { .type = CST_PKT_CONTEXT, .cid = 8, .flags = CST_PF_CONTEXT | CST_PF_CID }, false },
	{ { true, CST_INDEX_CONTEXT, 9 }, { .type = CST_PKT_CONTEXT, .cid = 9, .flags = CST_PF_CONTEXT }, false },
	/* as the Context ID packets of ETMv3 and PTM */
	{ { true, CST_INDEX_CONTEXT, 9 }, { .type = CST_PKT_CONTEXT, .cid = 9, .flags = CST_PF_CID }, true },
	{ { true, CST_INDEX_CONTEXT, 9 }, { .type = CST_PKT_ADDR_CTXT_64, .cid = 9, .flags = CST_PF_CONTEXT | CST_PF_CID }, true },
	{ { true, CST_INDEX_CONTEXT, 9 }, { .type = CST_PKT_TRACE_INFO, .cid = 9, .flags = CST_PF_CONTEXT | CST_PF_CID }, true },
	{ { true, CST_INDEX_CONTEXT, 9 }, { .type = CST_PKT_ATOM_F1, .cid = 9, .flags = CST_PF_CONTEXT | CST_PF_CID }, false },
	{ { true, CST_INDEX_KINDS, 50 }, { .type = CST_PKT_ATOM_F1, .index = 50 }, true },
	{ { true, CST_INDEX_KINDS, 50 }, { .type = CST_PKT_ATOM_F1, .index = 49 }, false },
};

/* Which packet a part of a listing begins at. */
static void test_packet_places(void **state)
{
	struct dump_range *r = calloc(1, sizeof(*r));
	struct cst_decoder *dec = decoder(CST_PROTO_ETMV4);
	struct cst_packet pkt;
	size_t i;

	(void)state;
	assert_non_null(r);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		dump_range_reset(r);
		r->from = places[i].from;
		pkt = places[i].pkt;
		pkt.protocol = CST_PROTO_ETMV4;
		if (dump_range_packet(r, dec, &pkt) != places[i].listed)
			fail_msg("place %zu", i);
	}
	cst_decoder_free(dec);
	free(r);
}

static const struct {
	struct dump_place from;
	struct cst_generic g;
	bool listed;
} element_places[] = {
	{ { true, CST_INDEX_TIMESTAMP, 100 }, { .kind = CST_GEN_TIMESTAMP, .addr = 100 }, true },
	{ { true, CST_INDEX_TIMESTAMP, 100 }, { .kind = CST_GEN_TIMESTAMP, .addr = 99 }, false },
	{ { true, CST_INDEX_TIMESTAMP, 100 }, { .kind = CST_GEN_SWTRACE, .ts = 100, .flags = CST_GF_TS }, true },
	{ { true, CST_INDEX_TIMESTAMP, 100 }, { .kind = CST_GEN_ITMTRACE, .ts = 100, .flags = CST_GF_TS }, true },
	{ { true, CST_INDEX_TIMESTAMP, 100 }, { .kind = CST_GEN_ITMTRACE, .ts = 99, .flags = CST_GF_TS }, false },
	{ { true, CST_INDEX_TIMESTAMP, 100 }, { .kind = CST_GEN_SWTRACE, .ts = 100 }, false },
	{ { true, CST_INDEX_EVENT, 0 }, { .kind = CST_GEN_SWTRACE, .num = CST_SW_TRIGGER }, true },
	{ { true, CST_INDEX_EVENT, 1 }, { .kind = CST_GEN_SWTRACE, .num = CST_SW_TRIGGER }, true },
	{ { true, CST_INDEX_EVENT, 2 }, { .kind = CST_GEN_SWTRACE, .num = CST_SW_TRIGGER }, false },
	{ { true, CST_INDEX_EVENT, 0 }, { .kind = CST_GEN_SWTRACE, .num = CST_SW_MARKER }, false },
	{ { true, CST_INDEX_EVENT, 4 }, { .kind = CST_GEN_EVENT, .num = 6 }, true },
	{ { true, CST_INDEX_EVENT, 1 }, { .kind = CST_GEN_EVENT, .num = 6 }, false },
	{ { true, CST_INDEX_EVENT, 1 }, { .kind = CST_GEN_EVENT, .num = 0 }, true },
	{ { true, CST_INDEX_CONTEXT, 9 }, { .kind = CST_GEN_PE_CONTEXT, .context_id = 9 }, true },
	{ { true, CST_INDEX_CONTEXT, 9 }, { .kind = CST_GEN_RANGE, .context_id = 9 }, false },
	{ { true, CST_INDEX_KINDS, 50 }, { .kind = CST_GEN_RANGE, .index = 50 }, true },
	{ { true, CST_INDEX_KINDS, 50 }, { .kind = CST_GEN_RANGE, .index = 49 }, false },
};

static void test_element_places(void **state)
{
	struct dump_range *r = calloc(1, sizeof(*r));
	size_t i;

	(void)state;
	assert_non_null(r);
	for (i = 0; i < sizeof(element_places) / sizeof(element_places[0]); i++) {
		dump_range_reset(r);
		r->from = element_places[i].from;
		if (dump_range_element(r, &element_places[i].g) != element_places[i].listed)
			fail_msg("place %zu", i);
	}
	free(r);
}

/* Conditional instructions, and software trace of any size. */
struct form {
	char *(*write)(char *p, const struct cst_generic *g);
	struct cst_generic g;
	const char *want;
};

static const struct form forms[] = {
	{ dump_text_condition, { .num = CST_COND_PASSED | CST_COND_INSN, .addr = 0x8000, .end = 7 },
	  " 0x8000 passed key=0x7" },
	{ dump_text_condition, { .num = CST_COND_FAILED | CST_COND_FLAGS | 0xa000, .end = 1 },
	  " failed nzcv=0xa key=0x1" },
	{ dump_text_condition, { .end = 0 }, " unknown key=0x0" },
	{ dump_json_condition, { .num = CST_COND_PASSED | CST_COND_INSN, .addr = 0x8000, .end = 7 },
	  ",\"address\":\"0x8000\",\"result\":\"passed\",\"key\":\"0x7\"" },
	{ dump_json_condition, { .num = CST_COND_FAILED | CST_COND_FLAGS | 0xa000, .end = 1 },
	  ",\"result\":\"failed\",\"nzcv\":\"0xa\",\"key\":\"0x1\"" },
	{ dump_json_condition, { .end = 0 }, ",\"result\":\"unknown\",\"key\":\"0x0\"" },
	{ dump_text_sw,
	  { .num = CST_SW_ID, .master = 0x80, .channel = 3, .size = 8, .payload = 0x5a },
	  " master=0x80 channel=0x3 0x5a" },
	{ dump_text_sw, { .size = 0 }, " master=? channel=?" },
	/* no more digits than a value has */
	{ dump_text_sw, { .size = 64, .payload = 0x5a },
	  " master=? channel=? 0x000000000000005a" },
	{ dump_text_sw, { .size = 68, .payload = 0x5a },
	  " master=? channel=? 0x000000000000005a" },
	{ dump_json_sw, { .size = 72, .payload = 0x5a },
	  ",\"bits\":72,\"value\":\"0x000000000000005a\"" },
	{ dump_json_sw,
	  { .num = CST_SW_ID, .master = 0x80, .channel = 3, .size = 32, .payload = 0x5a },
	  ",\"master\":128,\"channel\":3,\"bits\":32,\"value\":\"0x0000005a\"" },
	{ dump_json_sw, { .size = 0, .flags = CST_GF_TS, .ts = 5 }, ",\"timestamp\":\"0x5\"" },
};

static void test_forms(void **state)
{
	char line[DUMP_LINE_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		*forms[i].write(line, &forms[i].g) = 0;
		if (strcmp(line, forms[i].want))
			fail_msg("form %zu: '%s', expected '%s'", i, line, forms[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_forms),
		cmocka_unit_test(test_packets), cmocka_unit_test(test_cut_bytes),
		cmocka_unit_test(test_elements), cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_log), cmocka_unit_test(test_packet_places),
		cmocka_unit_test(test_element_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
