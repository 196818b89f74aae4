/* SPDX-License-Identifier: GPL-2.0-only */
/* sw.c - software trace (STM, ITM), the DWT's hardware trace and data trace, as text and as JSON. */
#include "outputs/dump/dump.h"
#include "outputs/dump/names.h"

/* A bit of `num` and what it is called. */
struct word {
	unsigned int flag;
	const char *text, *key;
};

static const struct word sw_words[] = {
	{ CST_SW_MARKER, " marker", "marker" },
	{ CST_SW_TRIGGER, " trigger", "trigger" },
	{ CST_SW_FREQ, " frequency", "frequency" },
	{ CST_SW_MASTER_ERR, " master-error", "master_error" },
	{ CST_SW_GLOBAL_ERR, " global-error", "global_error" },
	{ CST_SW_OVERFLOW, " overflow", "overflow" },
	{ CST_SW_CLOCK, " clock-changed", "clock_changed" },
	{ 0 }
};

static const struct word data_words[] = {
	{ CST_DATA_LATE, " late", "late" },
	{ CST_DATA_STORE_FAILED, " store-failed", "store_failed" },
	{ CST_DATA_NOT_TRACED, " not-traced", "not_traced" },
	{ CST_DATA_SUPPRESSED, " suppressed", "suppressed" },
	{ CST_DATA_BIG_ENDIAN, " big-endian", "big_endian" },
	{ CST_DATA_STACKING, " stacking", "stacking" },
	{ 0 }
};

static char *text_words(char *p, const struct word *words, unsigned int flags)
{
	for (; words->flag; words++)
		if (flags & words->flag)
			p = dump_str(p, words->text);
	return p;
}

static char *json_words(char *p, const struct word *words, unsigned int flags)
{
	for (; words->flag; words++)
		if (flags & words->flag)
			p = dump_key_true(p, words->key);
	return p;
}

/* All digits of a value of that many bits. */
static char *value(char *p, uint64_t v, unsigned int bits)
{
	if (bits > 64)
		bits = 64;
	return dump_hex(dump_str(p, "0x"), v, (bits + 3) / 4);
}

static char *key_value(char *p, const char *key, uint64_t v, unsigned int bits)
{
	p = dump_str(dump_str(dump_str(p, ",\""), key), "\":\"");
	p = value(p, v, bits);
	*p++ = '"';
	return p;
}

static char *text_ts(char *p, const struct cst_generic *g)
{
	return g->flags & CST_GF_TS ? dump_address(dump_str(p, " ts="), g->ts) : p;
}

static char *json_ts(char *p, const struct cst_generic *g)
{
	return g->flags & CST_GF_TS ? dump_key_hex(p, "timestamp", g->ts) : p;
}

char *dump_text_sw(char *p, const struct cst_generic *g)
{
	if (g->num & CST_SW_ID) {
		p = dump_address(dump_str(p, " master="), g->master);
		p = dump_address(dump_str(p, " channel="), g->channel);
	} else {
		p = dump_str(p, " master=? channel=?");
	}
	if (g->size)
		p = value(dump_str(p, " "), g->payload, g->size);
	return text_ts(text_words(p, sw_words, g->num), g);
}

char *dump_json_sw(char *p, const struct cst_generic *g)
{
	if (g->num & CST_SW_ID) {
		p = dump_key_dec(p, "master", g->master);
		p = dump_key_dec(p, "channel", g->channel);
	}
	if (g->size) {
		p = dump_key_dec(p, "bits", g->size);
		p = key_value(p, "value", g->payload, g->size);
	}
	return json_ts(json_words(p, sw_words, g->num), g);
}

/* Discriminators of the DWT (Armv7-M architecture, appendix D4; of Armv8-M: matches and the PMU). */
#define DWT_COUNTERS 0
#define DWT_EXCEPTION 1
#define DWT_PC 2
#define PC_SLEEPS 0		/* a sample of one byte: the processor sleeps, or sampling is prohibited */
#define PC_PROHIBITED 0xff
#define DWT_PMU 3
#define DWT_DATA_PC 8		/* 01cc0: PC of an access, or one byte, that there was one; 01cc1: its (lower) address */
#define DWT_DATA_VALUE 16	/* 10ccW */
#define DWT_RESERVED 24
#define DWT_COMPARATOR(d) ((d) >> 1 & 3)

static const char *hardware(const struct cst_generic *g)
{
	if (g->channel == DWT_COUNTERS)
		return "event-counters";
	if (g->channel == DWT_EXCEPTION)
		return "exception";
	if (g->channel == DWT_PC && g->size == 1)
		return g->payload == PC_SLEEPS ? "sleep" : g->payload == PC_PROHIBITED ? "prohibited" : "reserved";
	if (g->channel == DWT_PC)
		return "pc";
	if (g->channel == DWT_PMU)
		return "pmu-overflow";
	if (g->channel < DWT_DATA_PC || g->channel >= DWT_RESERVED)
		return "reserved";
	if (g->channel < DWT_DATA_VALUE)
		return g->channel & 1 ? "data-address" : g->size == 1 ? "match" : "data-pc";
	return g->channel & 1 ? "data-write" : "data-read";
}

static const char *exception_action(const struct cst_generic *g)
{
	static const char *const names[] = { "reserved", "entered", "exited", "returned" };

	return names[g->payload >> 12 & 3];
}

#define EXCEPTION_NUMBER(g) ((g)->payload & 0x1ff)

/* Which counters wrapped: those of the DWT by name, the PMU's by number. */
static char *counters(char *p, const struct cst_generic *g)
{
	static const char *const names[] = { "CPI", "EXC", "SLEEP", "LSU", "FOLD", "CYC" };
	bool pmu = g->channel == DWT_PMU;
	unsigned int i, n = 0, count = pmu ? 8 : sizeof(names) / sizeof(names[0]);

	for (i = 0; i < count; i++)
		if (g->payload >> i & 1) {
			if (n++)
				*p++ = ' ';
			p = pmu ? dump_dec(p, i) : dump_str(p, names[i]);
		}
	return p;
}

static bool has_counters(const struct cst_generic *g)
{
	return g->channel == DWT_COUNTERS || g->channel == DWT_PMU;
}

static const char *relation(unsigned int kind)
{
	return kind == CST_ITM_TS_DELAY ? "timestamp-delayed" :
	       kind == CST_ITM_TS_PKT_DELAY ? "packet-delayed" :
	       kind == CST_ITM_TS_PKT_TS_DELAY ? "both-delayed" : "synchronous";
}

static char *text_hardware(char *p, const struct cst_generic *g)
{
	p = dump_str(dump_str(p, " "), hardware(g));
	if (g->channel >= DWT_DATA_PC && g->channel < DWT_RESERVED)
		p = dump_dec(dump_str(p, " comparator="), DWT_COMPARATOR(g->channel));
	else if (g->channel == DWT_EXCEPTION)
		p = dump_str(dump_str(dump_dec(dump_str(p, " "), EXCEPTION_NUMBER(g)), " "), exception_action(g));
	p = value(dump_str(p, " "), g->payload, g->size * 8);
	if (has_counters(g))
		p = counters(dump_str(p, " "), g);
	else if (hardware(g)[0] == 'r')
		p = dump_dec(dump_str(p, " discriminator="), g->channel);
	return p;
}

char *dump_text_itm(char *p, const struct cst_generic *g)
{
	p = dump_str(dump_str(p, " "), dump_name_itm(g->last_type));
	if (g->last_type == CST_ITM_SWIT) {
		p = dump_dec(dump_str(p, " port="), g->channel);
		p = value(dump_str(p, " "), g->payload, g->size * 8);
	} else if (g->last_type == CST_ITM_DWT) {
		p = text_hardware(p, g);
	} else if (g->last_type != CST_ITM_TS_GLOBAL) {
		p = dump_dec(dump_str(p, " delta="), g->payload);
		p = dump_str(dump_str(p, " "), relation(g->last_type));
	}
	return text_ts(text_words(p, sw_words, g->num), g);
}

static char *json_hardware(char *p, const struct cst_generic *g)
{
	p = dump_key_dec(p, "discriminator", g->channel);
	p = dump_key_str(p, "what", hardware(g));
	if (has_counters(g)) {
		p = counters(dump_str(p, ",\"counters\":\""), g);
		*p++ = '"';
	} else if (g->channel == DWT_EXCEPTION) {
		p = dump_key_dec(p, "exception", EXCEPTION_NUMBER(g));
		p = dump_key_str(p, "action", exception_action(g));
	} else if (g->channel >= DWT_DATA_PC && g->channel < DWT_RESERVED) {
		p = dump_key_dec(p, "comparator", DWT_COMPARATOR(g->channel));
	}
	return p;
}

char *dump_json_itm(char *p, const struct cst_generic *g)
{
	p = dump_key_str(p, "source", dump_name_itm(g->last_type));
	if (g->last_type == CST_ITM_SWIT || g->last_type == CST_ITM_DWT) {
		p = g->last_type == CST_ITM_DWT ? json_hardware(p, g) : dump_key_dec(p, "port", g->channel);
		p = dump_key_dec(p, "size", g->size);
		p = key_value(p, "value", g->payload, g->size * 8);
	} else if (g->last_type != CST_ITM_TS_GLOBAL) {
		p = dump_key_dec(p, "delta", g->payload);
		p = dump_key_str(p, "relation", relation(g->last_type));
	}
	return json_ts(json_words(p, sw_words, g->num), g);
}

char *dump_text_data(char *p, const struct cst_generic *g)
{
	if (g->num & CST_DATA_ADDR)
		p = dump_address(dump_str(p, " "), g->addr);
	if (g->num & CST_DATA_VALUE) {
		p = value(dump_str(p, " value="), g->value, g->size * 8);
		p = dump_dec(dump_str(p, " size="), g->size);
	}
	if (g->num & CST_DATA_INSN)
		p = dump_address(dump_str(p, " by "), g->insn);
	if (g->num & CST_DATA_PENDING)
		p = dump_dec(dump_str(p, " pending="), g->channel);
	return text_words(p, data_words, g->num);
}

char *dump_json_data(char *p, const struct cst_generic *g)
{
	if (g->num & CST_DATA_ADDR)
		p = dump_key_hex(p, "address", g->addr);
	if (g->num & CST_DATA_VALUE) {
		p = key_value(p, "value", g->value, g->size * 8);
		p = dump_key_dec(p, "size", g->size);
	}
	if (g->num & CST_DATA_INSN)
		p = dump_key_hex(p, "insn", g->insn);
	if (g->num & CST_DATA_PENDING)
		p = dump_key_dec(p, "pending_tag", g->channel);
	return json_words(p, data_words, g->num);
}

static const char *condition(const struct cst_generic *g)
{
	return g->num & CST_COND_PASSED ? "passed" : g->num & CST_COND_FAILED ? "failed" : "unknown";
}

char *dump_text_condition(char *p, const struct cst_generic *g)
{
	if (g->num & CST_COND_INSN)
		p = dump_address(dump_str(p, " "), g->addr);
	p = dump_str(dump_str(p, " "), condition(g));
	if (g->num & CST_COND_FLAGS)
		p = dump_address(dump_str(p, " nzcv="), g->num >> CST_COND_FLAGS_SHIFT);
	return dump_address(dump_str(p, " key="), g->end);
}

char *dump_json_condition(char *p, const struct cst_generic *g)
{
	if (g->num & CST_COND_INSN)
		p = dump_key_hex(p, "address", g->addr);
	p = dump_key_str(p, "result", condition(g));
	if (g->num & CST_COND_FLAGS)
		p = dump_key_hex(p, "nzcv", g->num >> CST_COND_FLAGS_SHIFT);
	return dump_key_hex(p, "key", g->end);
}
