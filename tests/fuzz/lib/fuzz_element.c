/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_element.c - any packets through the element stage, against a plain model of speculation: a list
 * in which every atom is an entry of its own. Also: the ring stays within its limit, the counts agree
 * with what is in it, and no more P0 elements come out than were traced.
 */
#include <cstrace/tree.h>

#include "base/quirks.h"
#include "fuzz/fuzz_input.h"
#include "protocols/etmv4/etmv4.h"

#define MAX_IN 600
#define MAX_ITEMS (MAX_IN * 30)

/*
 * A conditional packet is up to 64 elements: near its limit of 8192 open ones the element stage gives up or lets
 * go what is not speculative, which the model, that has no limit, does not compare.
 */
#define NEAR_LIMIT (8192 - 128)

enum { KEPT = 1, P0 = 2, INSIDE = 4 };

struct item {
	uint8_t kind, how;	/* KEPT, P0; INSIDE: what begins or ends a transaction stands inside of one */
	uint8_t taken, first_e;	/* atoms */
	uint16_t num;
	uint64_t index, addr, value;
};

struct list {
	struct item v[MAX_ITEMS];
	unsigned int n;
};

struct model {
	const struct cst_config *cfg;
	struct list open, out;	/* not committed; put out */
	uint64_t depth, unseen;
	int synced, info, started, exc, overflow, ended;
	int trans;		/* in a transaction */
	unsigned int last;	/* the youngest committed P0 item, plus one, while a Mispredict may be about it */
	struct cst_packet exc_pkt;
	uint64_t last_index;
};

static struct item *add(struct list *l, int kind, int how, uint64_t index)
{
	struct item *it = &l->v[l->n++];

	CHECK(l->n < MAX_ITEMS);
	memset(it, 0, sizeof(*it));
	it->kind = kind;
	it->how = how;
	it->index = index;
	return it;
}

/*
 * What is open from `from` on is not executed; what has no say in that stays. A Transaction Commit acts at once
 * (K10.5.4.3.1), so it stays as well, unless the Transaction Start before it goes.
 */
static void drop(struct model *m, unsigned int from)
{
	int commits = 1;
	unsigned int i, to = from;

	for (i = m->open.n; i-- > from;) {
		const struct item *it = &m->open.v[i];

		if (it->kind == CST_EL_TRANS_COMMIT || (it->kind == CST_EL_TRANS_START && !it->num))
			m->trans = it->kind == CST_EL_TRANS_START;
		else if (it->kind == CST_EL_TRANS_START || it->kind == CST_EL_TRANS_FAIL)
			m->trans = !!(it->how & INSIDE);
	}
	for (i = from; i < m->open.n; i++) {
		int kind = m->open.v[i].kind;

		if (m->open.v[i].how & KEPT || (kind == CST_EL_TRANS_COMMIT && commits))
			m->open.v[to++] = m->open.v[i];
		else if (kind == CST_EL_TRANS_START)
			commits = 0;
		else if (kind == CST_EL_TRANS_COMMIT)
			commits = 1;
	}
	m->open.n = to;
}

static void fail(struct model *m, uint64_t index, int reason, int error)
{
	struct item *it;
	unsigned int i;

	drop(m, 0);
	for (i = 0; i < m->open.n; i++)
		m->out.v[m->out.n++] = m->open.v[i];
	m->open.n = 0;
	it = add(&m->out, CST_EL_NO_SYNC, 0, index);
	it->num = reason;
	it->value = error;
	m->depth = m->unseen = 0;
	m->synced = m->info = m->exc = m->trans = 0;
	m->last = 0;
}

static void commit(struct model *m, uint64_t n, uint64_t index)
{
	unsigned int i;

	if (n > m->depth) {
		fail(m, index, CST_UNSYNC_BAD_PACKET, CST_ERR_COMMIT_OVERRUN);
		return;
	}
	m->depth -= n;
	while (n && m->unseen) {
		uint64_t k = n < m->unseen ? n : m->unseen;

		m->unseen -= k;
		n -= k;
	}
	for (i = 0; n; i++) {
		m->out.v[m->out.n++] = m->open.v[i];
		n -= !!(m->open.v[i].how & P0);
		m->last = m->open.v[i].kind == CST_EL_ATOMS && m->cfg->max_spec && !quirk(m->cfg, QUIRK_COMMITTED_IS_FINAL) ?
			  m->out.n : 0;
	}
	memmove(m->open.v, m->open.v + i, (m->open.n - i) * sizeof(m->open.v[0]));
	m->open.n -= i;
}

static void implicit(struct model *m, uint64_t index)
{
	if (m->depth > m->cfg->max_spec)
		commit(m, m->depth - m->cfg->max_spec, index);
}

static void cancel(struct model *m, uint64_t n, uint64_t index)
{
	unsigned int i;

	if (n > m->depth) {
		fail(m, index, CST_UNSYNC_BAD_PACKET, CST_ERR_COMMIT_OVERRUN);
		return;
	}
	m->depth -= n;
	for (i = m->open.n; n && i; i--)
		n -= !!(m->open.v[i - 1].how & P0);
	m->unseen -= n;
	drop(m, i);
}

static void mispredict(struct model *m, uint64_t index)
{
	struct item *atom;
	unsigned int i, j;

	for (i = m->open.n; i && !(m->open.v[i - 1].how & P0); i--)
		;
	if ((i || !m->last) && (!i || m->open.v[i - 1].kind != CST_EL_ATOMS)) {
		if (!m->unseen)
			fail(m, index, CST_UNSYNC_BAD_PACKET, CST_ERR_NO_ATOM);
		return;
	}
	atom = i ? &m->open.v[i - 1] : &m->out.v[m->last - 1];
	atom->taken ^= 1;
	for (j = i; i < m->open.n; i++)
		if (m->open.v[i].kind != CST_EL_ADDRESS)
			m->open.v[j++] = m->open.v[i];
	m->open.n = j;
}

static void atoms(struct model *m, const struct cst_packet *p)
{
	unsigned int i;
	struct item *it;

	for (i = 0; i < p->n_atoms; i++) {
		it = add(&m->open, CST_EL_ATOMS, P0, p->index);
		it->taken = it->first_e = p->atoms >> i & 1;
		m->depth++;
	}
}

static void p0(struct model *m, int kind, const struct cst_packet *p, uint64_t index)
{
	struct item *it = add(&m->open, kind, P0, index);

	if (kind == CST_EL_SOURCE_ADDRESS || (kind == CST_EL_Q && p->flags & CST_PF_ADDR))
		it->addr = p->addr;
	if (kind == CST_EL_Q)
		it->value = p->count;
	m->depth++;
}

static void address(struct model *m, const struct cst_packet *p, uint64_t index)
{
	add(&m->open, CST_EL_ADDRESS, 0, index)->addr = p->addr;
}

static void exception(struct model *m, const struct cst_packet *p)
{
	uint64_t index = m->exc_pkt.index;

	m->exc = 0;
	if (m->exc_pkt.exc_type == 0x18 && m->cfg->protocol == CST_PROTO_ETE) {
		add(&m->open, CST_EL_TRANS_FAIL, m->trans ? INSIDE : 0, index);
		m->trans = 0;
		return;
	}
	if (!m->exc_pkt.exc_type)
		m->trans = 0;
	if (p && p->flags & CST_PF_CONTEXT)
		add(&m->open, CST_EL_CONTEXT, 0, index);
	if (p && m->exc_pkt.flags & CST_PF_E1)
		address(m, p, index);
	add(&m->open, CST_EL_EXCEPTION, P0, index);
	m->open.v[m->open.n - 1].num = m->exc_pkt.exc_type;
	if (p)
		m->open.v[m->open.n - 1].addr = p->addr;
	m->depth++;
}

static void trace_info(struct model *m, const struct cst_packet *p)
{
	int trans = m->cfg->protocol == CST_PROTO_ETE && p->info & 0x40;

	if (m->synced && m->depth != (p->spec < m->cfg->max_spec ? p->spec : m->cfg->max_spec))
		fail(m, p->index, CST_UNSYNC_BAD_PACKET, CST_ERR_DEPTH);
	else if (m->synced && m->trans != trans)
		fail(m, p->index, CST_UNSYNC_BAD_PACKET, CST_ERR_TRANSACTION);
	m->trans = trans;
	if (!m->synced) {
		m->synced = 1;
		m->depth = m->unseen = p->spec;
		if (trans)
			add(&m->open, CST_EL_TRANS_START, KEPT, p->index);
	}
	add(&m->open, CST_EL_TRACE_INFO, KEPT, p->index);
	implicit(m, p->index);
}

static int is_address(const struct cst_packet *p)
{
	switch (p->type) {
	case CST_PKT_ADDR_MATCH: case CST_PKT_ADDR_SHORT: case CST_PKT_ADDR_32: case CST_PKT_ADDR_64:
	case CST_PKT_ADDR_CTXT_32: case CST_PKT_ADDR_CTXT_64:
		return 1;
	}
	return 0;
}

static void value(struct list *l, int kind, const struct cst_packet *p, unsigned int num)
{
	struct item *it = add(l, kind, KEPT, p->index);

	it->num = num;
	/* no other packet says one: p->ts is then what an older packet left there */
	it->value = kind == CST_EL_TIMESTAMP || kind == CST_EL_INSTRUMENTATION ? p->ts : 0;
}

/* Out of step: decoding starts behind an A-sync, with the Trace Info (K10.5.2). */
static void unsynced(struct model *m, const struct cst_packet *p)
{
	if (p->type == CST_PKT_ASYNC) {
		m->info = 1;
	} else if (m->info && p->type == CST_PKT_TRACE_INFO) {
		trace_info(m, p);
	} else if (m->info && p->type == CST_PKT_EVENT && m->cfg->protocol == CST_PROTO_ETE) {
		value(&m->out, CST_EL_EVENT, p, p->event);
	} else if (m->info && p->type == CST_PKT_ITE) {
		value(&m->out, CST_EL_INSTRUMENTATION, p, p->el);
	} else if (m->cfg->strict && p->type != CST_PKT_IGNORE) {
		m->info = 0;	/* out of place before Trace Info */
	}
}

static void synced(struct model *m, const struct cst_packet *p)
{
	int profile_m = m->cfg->profile == CST_PROFILE_M;

	if (m->exc && p->type != CST_PKT_IGNORE) {
		if (!is_address(p)) {
			fail(m, m->exc_pkt.index, CST_UNSYNC_BAD_PACKET, CST_ERR_NO_ADDRESS);
			/* the packet that is no address may be an A-sync, where decoding can start */
			unsynced(m, p);
			return;
		}
		exception(m, p);
		implicit(m, p->index);
		return;
	}
	if (is_address(p)) {
		if (p->flags & CST_PF_CONTEXT)
			add(&m->open, CST_EL_CONTEXT, 0, p->index);
		address(m, p, p->index);
		return;
	}
	switch (p->type) {
	case CST_PKT_ATOM_F1: case CST_PKT_ATOM_F2: case CST_PKT_ATOM_F3:
	case CST_PKT_ATOM_F4: case CST_PKT_ATOM_F5: case CST_PKT_ATOM_F6:
		atoms(m, p);
		break;
	case CST_PKT_CONTEXT:
		add(&m->open, CST_EL_CONTEXT, 0, p->index);
		break;
	case CST_PKT_SRC_MATCH: case CST_PKT_SRC_SHORT: case CST_PKT_SRC_32: case CST_PKT_SRC_64:
		p0(m, CST_EL_SOURCE_ADDRESS, p, p->index);
		break;
	case CST_PKT_Q:
		p0(m, CST_EL_Q, p, p->index);
		break;
	case CST_PKT_FUNC_RETURN:
		p0(m, CST_EL_FUNC_RETURN, p, p->index);
		break;
	case CST_PKT_EXC_RETURN:
		add(&m->open, CST_EL_EXC_RETURN, profile_m ? P0 : 0, p->index);
		m->depth += profile_m;
		break;
	case CST_PKT_EXCEPTION:
		m->exc = 1;
		m->exc_pkt = *p;
		return;
	case CST_PKT_PE_RESET:
		m->exc_pkt = *p;
		m->exc_pkt.flags = 0;
		exception(m, NULL);
		break;
	case CST_PKT_TRACE_ON:
		add(&m->open, CST_EL_TRACE_ON, 0, p->index)->num = m->overflow;
		m->overflow = 0;
		break;
	case CST_PKT_TRANS_START:
		add(&m->open, CST_EL_TRANS_START, (m->cfg->trans_p0 ? P0 : 0) | (m->trans ? INSIDE : 0), p->index)->num = 1;
		m->depth += m->cfg->trans_p0;
		m->trans = 1;
		break;
	case CST_PKT_TRANS_COMMIT:
		add(&m->open, CST_EL_TRANS_COMMIT, 0, p->index);
		m->trans = 0;
		break;
	case CST_PKT_TRANS_FAIL:
		add(&m->open, CST_EL_TRANS_FAIL, m->trans ? INSIDE : 0, p->index);
		m->trans = 0;
		break;
	case CST_PKT_TIMESTAMP:
		value(&m->open, CST_EL_TIMESTAMP, p, 0);
		break;
	case CST_PKT_TS_MARKER:
		value(&m->open, CST_EL_TS_MARKER, p, 0);
		break;
	case CST_PKT_DATA_SYNC_NUM: case CST_PKT_DATA_SYNC:
		value(&m->open, CST_EL_TS_MARKER, p,
		      p->type == CST_PKT_DATA_SYNC ? CST_MARK_DATA : CST_MARK_DATA_NUMBERED);
		m->open.v[m->open.n - 1].value = p->event;
		break;
	case CST_PKT_EVENT:
		value(&m->open, CST_EL_EVENT, p, p->event);
		break;
	case CST_PKT_ITE:
		value(&m->open, CST_EL_INSTRUMENTATION, p, p->el);
		break;
	case CST_PKT_CCNT_F1: case CST_PKT_CCNT_F2: case CST_PKT_CCNT_F3:
		if (p->flags & CST_PF_COMMIT)
			commit(m, p->commit, p->index);
		if (m->synced)
			value(&m->open, CST_EL_CYCLE_COUNT, p, 0);
		return;
	case CST_PKT_COMMIT:
		commit(m, p->commit, p->index);
		return;
	case CST_PKT_CANCEL_F1: case CST_PKT_CANCEL_F1_MISP: case CST_PKT_CANCEL_F2:
	case CST_PKT_CANCEL_F3: case CST_PKT_MISPREDICT:
		atoms(m, p);
		implicit(m, p->index);
		if (p->type != CST_PKT_MISPREDICT)
			cancel(m, p->commit, p->index);
		if (m->synced && p->flags & CST_PF_MISPREDICT)
			mispredict(m, p->index);
		return;
	case CST_PKT_TRACE_INFO:
		trace_info(m, p);
		return;
	}
	implicit(m, p->index);
}

static int error_of(const struct cst_packet *p)
{
	return p->type == CST_PKT_BAD_SEQUENCE ? CST_ERR_BAD_SEQUENCE :
	       p->type == CST_PKT_RESERVED ? CST_ERR_BAD_HEADER :
	       p->type == CST_PKT_RESERVED_CFG ? CST_ERR_UNSUP_HEADER : 0;
}

static void packet(struct model *m, const struct cst_packet *p)
{
	int error = error_of(p);

	m->last_index = p->index;
	if (!m->started)
		add(&m->out, CST_EL_NO_SYNC, 0, p->index)->num = CST_UNSYNC_INIT;
	m->started = 1;
	if (p->type == CST_PKT_OVERFLOW)
		m->overflow = 1;
	if (error || p->type == CST_PKT_OVERFLOW || p->type == CST_PKT_DISCARD) {
		if (m->synced)
			fail(m, p->index, error ? CST_UNSYNC_BAD_PACKET : p->type == CST_PKT_OVERFLOW ?
			     CST_UNSYNC_OVERFLOW : CST_UNSYNC_DISCARD, error);
	} else if (m->synced) {
		synced(m, p);
	} else {
		unsynced(m, p);
	}
}

static int has_p0(const struct list *l)
{
	unsigned int i;

	for (i = 0; i < l->n; i++)
		if (l->v[i].how & P0)
			return 1;
	return 0;
}

static void end(struct model *m)
{
	unsigned int i;

	for (i = 0; i < m->open.n && !(m->open.v[i].how & P0); i++)
		if (m->open.v[i].how & KEPT || m->open.v[i].kind == CST_EL_TRANS_START ||
		    m->open.v[i].kind == CST_EL_TRANS_COMMIT || m->open.v[i].kind == CST_EL_TRANS_FAIL)
			m->out.v[m->out.n++] = m->open.v[i];
	/* the commit of a transaction that began before what is left out here */
	for (; i < m->open.n && m->open.v[i].kind != CST_EL_TRANS_START; i++)
		if (m->open.v[i].kind == CST_EL_TRANS_COMMIT) {
			m->out.v[m->out.n++] = m->open.v[i];
			break;
		}
	add(&m->out, CST_EL_END, 0, m->last_index)->num = m->overflow ? CST_UNSYNC_OVERFLOW : CST_UNSYNC_END;
}

/* What the queue gave, in the model's terms. */
static void flatten(struct list *l, const struct cst_element *e)
{
	struct item *it;
	unsigned int i;

	/* conditional instructions do not touch the rest: all else is as if they were not there */
	if (e->kind == CST_EL_COND_INSN || e->kind == CST_EL_COND_RESULT || e->kind == CST_EL_COND_FLUSH ||
	    e->kind == CST_EL_FINDING)	/* for the log */
		return;
	if (e->kind == CST_EL_ATOMS) {
		CHECK(e->n);
		for (i = 0; i < e->n; i++) {
			it = add(l, e->kind, 0, e->index);
			it->taken = e->bits >> i & 1;
			it->first_e = e->first_e >> i & 1;
		}
		return;
	}
	it = add(l, e->kind, 0, e->index);
	if (e->kind != CST_EL_CONTEXT && e->kind != CST_EL_TRACE_INFO)
		it->num = e->num;
	if (e->kind == CST_EL_ADDRESS || e->kind == CST_EL_SOURCE_ADDRESS || e->kind == CST_EL_EXCEPTION ||
	    (e->kind == CST_EL_Q && e->flags & CST_EL_F_ADDRESS))
		it->addr = e->addr;
	switch (e->kind) {
	case CST_EL_TIMESTAMP: case CST_EL_TS_MARKER: case CST_EL_EVENT: case CST_EL_INSTRUMENTATION:
	case CST_EL_CYCLE_COUNT: case CST_EL_NO_SYNC: case CST_EL_Q:
		it->value = e->value;
	}
}

static int is_p0(const struct cst_config *cfg, const struct cst_element *e)
{
	switch (e->kind) {
	case CST_EL_ATOMS:
		return e->n;
	case CST_EL_EXCEPTION: case CST_EL_Q: case CST_EL_SOURCE_ADDRESS: case CST_EL_FUNC_RETURN:
		return 1;
	case CST_EL_TRANS_START:
		return e->num && cfg->trans_p0;
	case CST_EL_EXC_RETURN:
		return cfg->profile == CST_PROFILE_M;
	}
	return 0;
}

static void check_queue(const struct etmv4_queue *q, int wraps)
{
	uint64_t sum = 0;
	uint32_t i, limit = 256;

	while (limit < q->cfg->max_queue)
		limit *= 2;
	CHECK(q->count <= q->cap && q->committed.final <= q->count && q->cap <= limit);
	for (i = q->committed.final; i < q->count; i++)
		sum += is_p0(q->cfg, &q->ring[(q->head + i) & (q->cap - 1)]);
	if (!wraps && !q->ended && q->state == ETMV4_SYNCED)
		CHECK(q->depth == q->unseen + sum - q->committed.final_atoms);
}

/* With `m`, what comes out is compared at the end; without, only the invariants are watched. */
static void decode(const struct cst_config *cfg, const uint8_t *p, size_t len, struct model *m,
		   struct list *got)
{
	uint64_t traced = 0, committed = 0;
	struct etmv4_parser ps;
	struct etmv4_queue q;
	struct cst_stats stats;
	const struct cst_element *e;
	struct cst_packet pkt;
	uint64_t at = 0;
	int wraps = 0, full = 0, ended = 0;
	unsigned int size;

	memset(&stats, 0, sizeof(stats));
	memset(&pkt, 0, sizeof(pkt));
	cst_etmv4_parser_init(&ps, cfg, NULL);
	CHECK(!cst_etmv4_queue_init(&q, cfg, &stats, NULL));
	while (!ended) {
		memset(pkt.finding, 0, sizeof(pkt.finding));
		size = cst_etmv4_parse(&ps, p + at, p + len, &pkt);
		if (size) {
			pkt.index = at;
			pkt.size = size;
			at += size;
			cst_etmv4_queue_packet(&q, &pkt);
			wraps |= pkt.type == CST_PKT_TRACE_INFO && cfg->max_spec > 1u << 30 &&
				 pkt.spec > 1u << 30;
			traced += pkt.n_atoms + 1;
			if (m && !wraps)
				packet(m, &pkt);
			if (m && has_p0(&m->open))	/* the next P0 element lets the last one go */
				m->last = 0;
			full |= q.count - q.committed.final >= NEAR_LIMIT;
			CHECK(!full || cfg->cond_trace);
		} else {
			ended = 1;
			cst_etmv4_queue_end(&q);
			if (m)
				end(m);
		}
		check_queue(&q, wraps);
		while ((e = cst_etmv4_queue_take(&q))) {
			committed += is_p0(cfg, e);
			if (got)
				flatten(got, e);
			CHECK(!ended || e->kind != CST_EL_END || !q.count);
			if (e->kind == CST_EL_END)
				ended = 2;
		}
		check_queue(&q, wraps);
		CHECK(committed <= traced);
	}
	CHECK(ended == 2);
	CHECK(committed + stats.uncommitted <= traced);
	CHECK(stats.unsynced <= len);
	if ((wraps || full) && m)
		m->ended = 1;
	cst_etmv4_queue_free(&q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t start[14] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0 };
	static uint8_t trace[sizeof(start) + MAX_IN];
	static struct model m;
	static struct list got;
	struct input in = { data, data + size };
	struct cst_config cfg;
	unsigned int i, how;
	size_t len = 0;

	take_config(&in, &cfg, 0x10);
	quirks_set(&cfg);
	how = take8(&in);
	if (how & 1) {
		memcpy(trace, start, sizeof(start));
		len = sizeof(start);
	}
	size = left(&in) < MAX_IN ? left(&in) : MAX_IN;
	memcpy(trace + len, in.p, size);
	len += size;
	decode(&cfg, trace, len, NULL, NULL);

	cfg.max_queue = 65536;
	cfg.hold_transactions = 0;
	memset(&m, 0, offsetof(struct model, open));
	m.cfg = &cfg;
	m.open.n = m.out.n = got.n = 0;
	memset(&m.depth, 0, sizeof(m) - offsetof(struct model, depth));
	decode(&cfg, trace, len, &m, &got);
	if (m.ended)	/* a depth near 2^32 was counted, or a full queue */
		return 0;
	CHECK(m.out.n == got.n);
	for (i = 0; i < got.n; i++) {
		m.out.v[i].how = 0;
		CHECK(!memcmp(&m.out.v[i], &got.v[i], sizeof(got.v[i])));
	}
	return 0;
}
