/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rules that verify reports, of findings and elements made by hand: their order and sums, the first place of each, and what
 * is left out of it; time and synchronisation from piece to piece; what happens without memory.
 */
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
#include "outputs/verify/verify.h"
#include "session/decode/decode.h"
#include "unit/perf-plugin/refused_memory.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/texts.h"
#include "unit/temp_dir.h"

TEMP_DIR("verify-rules")

struct session *__wrap_session_open(struct session_opts *o);
/* A "decoder" is the statistics of its stream. */
const struct cst_stats *__wrap_cst_decoder_stats(const struct cst_decoder *dec)
{
	return (const struct cst_stats *)(const void *)dec;
}

int __wrap_session_run(struct session *ss, const struct consumer *con);
void __wrap_session_close(struct session *ss);
void __wrap_session_print_end(const struct session *ss, FILE *to);
bool __wrap_session_incomplete(const struct session *ss);
const struct cst_stats *__wrap_cst_decoder_stats(const struct cst_decoder *dec);

static struct session_opts *opts;
static struct session *const session = (struct session *)(void *)&opts;
static bool no_session, lost;
static int run_result;
static unsigned int opened, closed;

/* What happens in a session, one after the other. */
struct step {
	enum { FRAGMENT, FINDING, ELEMENT, END_OF_FRAGMENT } kind;
	uint8_t stream;		/* of ELEMENT and END_OF_FRAGMENT: 0 or 1 */
	struct session_fragment fragment;
	uint8_t trace_id;	/* of FINDING */
	unsigned int finding;	/* enum cst_finding */
	uint64_t index, value;
	struct cst_generic g;
	bool unwanted;		/* a filter excludes it */
	bool unfed;		/* the stream has no bytes for it */
};

static const struct step *steps;
static size_t nr_steps;

struct session *__wrap_session_open(struct session_opts *o)
{
	assert_non_null(o->log);
	opts = o;
	if (no_session)
		return NULL;
	opened++;
	return session;
}

void __wrap_session_close(struct session *ss)
{
	assert_ptr_equal(ss, session);
	closed++;
}

void __wrap_session_print_end(const struct session *ss, FILE *to)
{
	assert_ptr_equal(ss, session);
	fprintf(to, "the end\n");
}

bool __wrap_session_incomplete(const struct session *ss)
{
	assert_ptr_equal(ss, session);
	return lost;
}

int __wrap_session_run(struct session *ss, const struct consumer *con)
{
	void *priv[2] = { NULL };
	struct cst_stats fed[2] = { { .bytes = 0 } };
	struct stream s[2] = {
		{ .trace_id = 0x10, .priv = &priv[0], .decoder = (struct cst_decoder *)(void *)&fed[0] },
		{ .trace_id = 0x11, .priv = &priv[1], .decoder = (struct cst_decoder *)(void *)&fed[1] },
	};
	const struct step *p;
	int rc = 0, i;

	assert_ptr_equal(ss, session);
	for (p = steps; !rc && p < steps + nr_steps; p++)
		switch (p->kind) {
		case FRAGMENT:
			rc = con->fragment(con->data, &(struct fragment_event){ .fragment = &p->fragment });
			break;
		case FINDING:
			cst_log_finding(opts->log, CST_LOG_PACKET, p->trace_id, p->index, p->finding, p->value);
			break;
		case ELEMENT:
			fed[p->stream].bytes += !p->unfed;
			s[p->stream].unwanted = p->unwanted;
			rc = con->batch(con->data, &s[p->stream], &p->g, 1);
			break;
		case END_OF_FRAGMENT:
			rc = con->fragment(con->data, &(struct fragment_event){ .ended = &s[p->stream] });
			break;
		}
	for (i = 0; i < 2; i++) {
		con->stream_end(con->data, &s[i]);
		assert_null(priv[i]);
	}
	return rc ? rc : run_result;
}

static char report[8192], messages[16384];

static int run(bool json, struct verify_result *result, bool *incomplete)
{
	struct session_opts so = { .input = "input" };
	const struct verify_opts vo = { .who = "test", .output = temp_path(dir, "report"), .json = json };
	struct said said;
	int rc;

	opened = closed = 0;
	remove(vo.output);
	said_begin(&said);
	rc = verify_run(&so, &vo, result, incomplete);
	snprintf(messages, sizeof(messages), "%s", said_end(&said));
	assert_int_equal(opened, closed);
	assert_null(so.log);
	*report = 0;
	if (!rc)
		temp_read(vo.output, report, sizeof(report));
	return rc;
}

static int start(void **state)
{
	(void)state;
	steps = NULL;
	nr_steps = 0;
	no_session = lost = false;
	run_result = 0;
	return 0;
}

/* Reports these steps; `rules`: with errors, violated, notes. */
static void reports(const struct step *v, size_t n, const char *text, const char *json, const uint64_t rules[3])
{
	struct verify_result result;
	bool incomplete = true;
	unsigned int i;

	steps = v;
	nr_steps = n;
	for (i = 0; i < 2; i++) {
		memset(&result, 0xff, sizeof(result));
		assert_int_equal(run(i, &result, &incomplete), 0);
		assert_text("report", report, i ? json : text);
		assert_text("messages", messages, "the end\n");
		assert_false(incomplete);
		assert_int_equal(result.rules[CST_LOG_ERROR], rules[0]);
		assert_int_equal(result.rules[CST_LOG_WARNING], rules[1]);
		assert_int_equal(result.rules[CST_LOG_INFO], rules[2]);
	}
}

#define REPORTS(v, text, json, ...) reports(v, sizeof(v) / sizeof((v)[0]), text, json, (const uint64_t[3]){ __VA_ARGS__ })

#define BUFFER(queue_, cpu_, at) { .kind = FRAGMENT, .fragment = { .queue = queue_, .cpu = cpu_, .offset = at } }
#define FOUND(name, id, at, value_) { .kind = FINDING, .finding = CST_FIND_##name, .trace_id = id, .index = at, .value = value_ }
#define TIME(n, at, time) { .kind = ELEMENT, .stream = n, .g = { .kind = CST_GEN_TIMESTAMP, .index = at, .addr = time } }
#define PLAIN(n, kind_) { .kind = ELEMENT, .stream = n, .g = { .kind = kind_ } }
#define UNFED(n, kind_) { .kind = ELEMENT, .stream = n, .g = { .kind = kind_ }, .unfed = true }
#define UNWANTED(n, at, time) \
	{ .kind = ELEMENT, .stream = n, .g = { .kind = CST_GEN_TIMESTAMP, .index = at, .addr = time }, .unwanted = true }
#define END(n) { .kind = END_OF_FRAGMENT, .stream = n }

/* Errors first, then by how often a rule was violated, then by text; each with its first place. */
static void order(void **state)
{
	static const struct step v[] = {
		BUFFER(3, 0, 0x100),
		FOUND(OVERFLOW, 0x10, 0x101, 0), FOUND(OVERFLOW, 0x11, 0x102, 0), FOUND(OVERFLOW, 0x10, 0x103, 0),
		FOUND(RESERVED_BITS, 0x10, 0x120, 0x55), FOUND(BARRIER, CST_LOG_NO_ID, 0x130, 0),
		BUFFER(4, -1, 0x200),
		FOUND(IMAGE_CONFLICT, 0x12, 0x201, 0x400000), FOUND(IMAGE_CONFLICT, 0x10, 0x202, 0x400010), FOUND(ETM_CONTEXT_BITS, 0x10, 0x203, 0),
		PLAIN(1, CST_GEN_NO_SYNC), END(1), FOUND(DISCARD, 0x10, 0x204, 0),
	};

	(void)state;
	REPORTS(v,
		"error            1  a piece of trace without a synchronisation: nothing in it can be decoded (K10.5.2.1)\n"
		"                    first: buffer 4, trace offset 0x200, trace ID 0x11; element\n"
		"warning          2  the trace contradicts the program image (K10.5.5.3)\n"
		"                    first: buffer 4, trace offset 0x201, trace ID 0x12; packet, 0x400000\n"
		"warning          1  reserved bits of a context are set (packet descriptions: Context)\n"
		"                    first: buffer 4, trace offset 0x203, trace ID 0x10; packet\n"
		"warning          1  reserved bits of a packet are not zero (K10.5.2)\n"
		"                    first: buffer 3 (CPU 0), trace offset 0x120, trace ID 0x10; packet, 0x55\n"
		"info             3  the trace unit overflowed: trace is missing (K10.5.5.9)\n"
		"                    first: buffer 3 (CPU 0), trace offset 0x101, trace ID 0x10; packet\n"
		"info             1  a barrier: the trace does not continue what came before\n"
		"                    first: buffer 3 (CPU 0), trace offset 0x130; packet\n"
		"info             1  trace elements were discarded (K10.5.3)\n"
		"                    first: buffer 4, trace offset 0x204, trace ID 0x10; packet\n"
		"rules: 1 with errors, 3 violated, 3 notes\n",
		"{\"severity\":\"error\",\"count\":1,\"component\":\"element\",\"rule\":\"a piece of trace without a synchronisation: nothing "
		"in it can be decoded\",\"section\":\"K10.5.2.1\",\"first\":{\"buffer\":4,\"offset\":512,\"id\":17}}\n"
		"{\"severity\":\"warning\",\"count\":2,\"component\":\"packet\",\"rule\":\"the trace contradicts the program image\","
		"\"section\":\"K10.5.5.3\",\"first\":{\"buffer\":4,\"offset\":513,\"id\":18,\"value\":\"0x400000\"}}\n"
		"{\"severity\":\"warning\",\"count\":1,\"component\":\"packet\",\"rule\":\"reserved bits of a context are set\","
		"\"section\":\"packet descriptions: Context\",\"first\":{\"buffer\":4,\"offset\":515,\"id\":16}}\n"
		"{\"severity\":\"warning\",\"count\":1,\"component\":\"packet\",\"rule\":\"reserved bits of a packet are not zero\","
		"\"section\":\"K10.5.2\",\"first\":{\"buffer\":3,\"offset\":288,\"cpu\":0,\"id\":16,\"value\":\"0x55\"}}\n"
		"{\"severity\":\"info\",\"count\":3,\"component\":\"packet\",\"rule\":\"the trace unit overflowed: trace is missing\","
		"\"section\":\"K10.5.5.9\",\"first\":{\"buffer\":3,\"offset\":257,\"cpu\":0,\"id\":16}}\n"
		"{\"severity\":\"info\",\"count\":1,\"component\":\"packet\",\"rule\":\"a barrier: the trace does not continue what came before\","
		"\"section\":\"\",\"first\":{\"buffer\":3,\"offset\":304,\"cpu\":0}}\n"
		"{\"severity\":\"info\",\"count\":1,\"component\":\"packet\",\"rule\":\"trace elements were discarded\",\"section\":\"K10.5.3\","
		"\"first\":{\"buffer\":4,\"offset\":516,\"id\":16}}\n", 1, 3, 3);
}

/* A timestamp is compared with the one before it of the same stream, also of an earlier piece; one of 0 is none. */
static void times(void **state)
{
	static const struct step sound[] = {
		BUFFER(0, 1, 0), TIME(0, 1, 50), TIME(0, 2, 50), TIME(1, 3, 20), TIME(0, 4, 0), TIME(0, 5, 51), END(0), END(1),
	};
	static const struct step backward[] = {
		BUFFER(0, 1, 0), TIME(0, 1, 50), TIME(1, 3, 20), END(0), END(1), BUFFER(0, 1, 64), TIME(0, 70, 49), TIME(1, 71, 21), TIME(0, 72, 49),
		TIME(0, 73, 0), TIME(0, 74, 48), END(0), END(1),
	};

	(void)state;
	REPORTS(sound, "the trace violates no rule\n", "", 0, 0, 0);
	REPORTS(backward, "warning          2  a timestamp is lower than the one before it (K10.5.5.16)\n"
		"                    first: buffer 0 (CPU 1), trace offset 0x46, trace ID 0x10; element\n"
		"rules: 0 with errors, 1 violated, 0 notes\n",
		"{\"severity\":\"warning\",\"count\":2,\"component\":\"element\",\"rule\":\"a timestamp is lower than the one before it\","
		"\"section\":\"K10.5.5.16\",\"first\":{\"buffer\":0,\"offset\":70,\"cpu\":1,\"id\":16}}\n", 0, 1, 0);
}

/*
 * Each piece of a stream has to be synchronised; a stream without bytes in it has none, whatever an earlier piece had. What
 * a filter excludes is synchronised, too, and its times are not looked at.
 */
static void synchronisation(void **state)
{
	static const struct step sound[] = {
		BUFFER(0, 1, 0), PLAIN(0, CST_GEN_NO_SYNC), PLAIN(0, CST_GEN_TRACE_ON), PLAIN(0, CST_GEN_EO_TRACE), END(0), END(1),
		BUFFER(0, 1, 64), PLAIN(1, CST_GEN_TRACE_ON), UNFED(0, CST_GEN_NO_SYNC), UNFED(0, CST_GEN_EO_TRACE), END(0), END(1),
		BUFFER(0, 1, 128), UNWANTED(0, 128, 50), UNWANTED(0, 129, 40), PLAIN(0, CST_GEN_EO_TRACE), END(0),
	};
	static const struct step without[] = {
		BUFFER(0, 1, 0), PLAIN(0, CST_GEN_NO_SYNC), PLAIN(0, CST_GEN_TRACE_ON), END(0), END(1),
		BUFFER(0, 1, 64), PLAIN(0, CST_GEN_NO_SYNC), PLAIN(0, CST_GEN_EO_TRACE), END(0),
		BUFFER(1, 2, 0), PLAIN(0, CST_GEN_EO_TRACE), END(0),
	};

	(void)state;
	REPORTS(sound, "the trace violates no rule\n", "", 0, 0, 0);
	REPORTS(without,
		"error            2  a piece of trace without a synchronisation: nothing in it can be decoded (K10.5.2.1)\n"
		"                    first: buffer 0 (CPU 1), trace offset 0x40, trace ID 0x10; element\n"
		"rules: 1 with errors, 0 violated, 0 notes\n",
		"{\"severity\":\"error\",\"count\":2,\"component\":\"element\",\"rule\":\"a piece of trace without a synchronisation: nothing "
		"in it can be decoded\",\"section\":\"K10.5.2.1\",\"first\":{\"buffer\":0,\"offset\":64,\"cpu\":1,\"id\":16}}\n", 1, 0, 0);
}

static const struct step few[] = {
	BUFFER(0, 1, 0), TIME(0, 1, 50), TIME(0, 2, 40), END(0), BUFFER(0, 1, 64), PLAIN(0, CST_GEN_NO_SYNC), END(0),
};

/* What the session returns is passed on, and then there is no report. */
static void ends(void **state)
{
	struct verify_result result;
	bool incomplete = false;

	(void)state;
	steps = few;
	nr_steps = sizeof(few) / sizeof(few[0]);
	lost = true;
	assert_int_equal(run(false, &result, &incomplete), 0);
	assert_true(incomplete);
	incomplete = false;
	run_result = ERR_REPORTED;
	assert_int_equal(run(false, &result, &incomplete), ERR_REPORTED);
	assert_text("a failure", messages, "");
	run_result = ERR_NOMEM;
	assert_int_equal(run(false, &result, &incomplete), ERR_REPORTED);
	assert_text("no memory", messages, "test: out of memory\n");
	no_session = true;
	assert_int_equal(run(false, &result, &incomplete), ERR_REPORTED);
	assert_text("no session", messages, "");
	assert_int_equal(opened, 0);
	assert_false(incomplete);
}

static bool verified(void *data)
{
	struct verify_result result;
	bool incomplete;

	(void)data;
	if (!run(false, &result, &incomplete))
		return true;
	if (!strstr(messages, "out of memory\n") && !strstr(messages, "Cannot allocate memory"))
		fail_msg("memory is not named: %s", messages);
	return false;
}

static void without_memory(void **state)
{
	(void)state;
	steps = few;
	nr_steps = sizeof(few) / sizeof(few[0]);
	assert_in_range(refused_each(verified, NULL), 4, 40);
	/* the session ends at the element */
	nr_steps = 3;
	assert_in_range(refused_each(verified, NULL), 4, 40);
	/* the rule is one of the end of a piece */
	nr_steps = sizeof(few) / sizeof(few[0]);
	steps = few + 4;
	nr_steps -= 4;
	assert_in_range(refused_each(verified, NULL), 4, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(order, start), cmocka_unit_test_setup(times, start), cmocka_unit_test_setup(synchronisation, start),
		cmocka_unit_test_setup(ends, start), cmocka_unit_test_setup(without_memory, start),
	};

	return cmocka_run_group_tests_name("rules of verify", tests, make_dir, remove_dir);
}
