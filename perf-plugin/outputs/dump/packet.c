/* SPDX-License-Identifier: GPL-2.0-only */
/* packet.c - packets as JSON: what they say, by protocol. */
#include "outputs/dump/dump.h"
#include "outputs/dump/names.h"

/* "E" and "N" of each atom, the oldest one first. */
static char *atoms(char *p, const struct cst_packet *pkt)
{
	unsigned int i;

	p = dump_str(p, ",\"atoms\":\"");
	for (i = 0; i < pkt->n_atoms && i < 32; i++)
		*p++ = pkt->atoms >> i & 1 ? 'E' : 'N';
	*p++ = '"';
	return p;
}

/* What packets of every protocol say with the same flags. */
static char *common_fields(char *p, const struct cst_packet *pkt)
{
	if (pkt->n_atoms)
		p = atoms(p, pkt);
	if (pkt->flags & CST_PF_CC_UNKNOWN)
		p = dump_str(p, ",\"cycles\":null");
	else if (pkt->flags & CST_PF_CC)
		p = dump_key_dec(p, "cycles", pkt->cc);
	if (pkt->ts_bits)
		p = dump_key_hex(p, "timestamp", pkt->ts);
	return p;
}

static char *ids(char *p, const struct cst_packet *pkt)
{
	if (pkt->flags & CST_PF_CID)
		p = dump_key_dec(p, "context_id", pkt->cid);
	if (pkt->flags & CST_PF_VMID)
		p = dump_key_dec(p, "vmid", pkt->vmid);
	return p;
}

static char *etmv4_fields(char *p, const struct cst_packet *pkt)
{
	if (pkt->flags & CST_PF_ADDR)
		p = dump_key_hex(p, "address", pkt->addr);
	if (pkt->flags & CST_PF_CONTEXT) {
		p = dump_key_dec(p, "el", pkt->el);
		p = dump_key_str(p, "security", dump_name_security(pkt->security));
		p = dump_key_dec(p, "bits", pkt->sf ? 64 : 32);
	}
	p = ids(p, pkt);
	if (pkt->flags & CST_PF_COMMIT)
		p = dump_key_dec(p, "commit", pkt->commit);
	if (pkt->flags & CST_PF_COUNT)
		p = dump_key_dec(p, "count", pkt->count);
	if (pkt->type == CST_PKT_EXCEPTION)
		p = dump_key_dec(p, "exception", pkt->exc_type);
	if (pkt->type == CST_PKT_EVENT)
		p = dump_key_dec(p, "mask", pkt->event);
	if (pkt->type == CST_PKT_ITE)
		p = dump_key_hex(dump_key_dec(p, "el", pkt->el), "value", pkt->ts);
	return p;
}

static char *ptm_fields(char *p, const struct cst_packet *pkt)
{
	static const char *const reasons[] = { "periodic", "trace-on", "overflow", "debug" };

	switch (pkt->type) {
	case CST_PTM_PKT_ISYNC:
		p = dump_key_str(p, "reason", reasons[pkt->event & 3]);
		/* fall through */
	case CST_PTM_PKT_BRANCH:
	case CST_PTM_PKT_EXCEPTION:
	case CST_PTM_PKT_WAYPOINT:
		p = dump_key_hex(p, "address", pkt->addr);
		p = dump_key_str(p, "isa", dump_name_isa(pkt->isa));
		break;
	case CST_PTM_PKT_CONTEXT_ID:
		return dump_key_dec(p, "context_id", pkt->cid);
	case CST_PTM_PKT_VMID:
		return dump_key_dec(p, "vmid", pkt->vmid);
	}
	if (pkt->flags & CST_PF_CONTEXT)
		p = dump_key_str(p, "security", dump_name_security(pkt->security));
	if (pkt->flags & CST_PTM_PF_HYP)
		p = dump_key_true(p, "hypervisor");
	if (pkt->flags & CST_PTM_PF_EXCEPTION)
		p = dump_key_dec(p, "exception", pkt->exc_type);
	return ids(p, pkt);
}

static char *etmv3_fields(char *p, const struct cst_packet *pkt)
{
	static const char *const reasons[] = { "periodic", "trace-on", "overflow", "debug" };
	bool isync = pkt->type == CST_ETMV3_PKT_ISYNC || pkt->type == CST_ETMV3_PKT_ISYNC_CYCLE;

	if (isync)
		p = dump_key_str(p, "reason", reasons[pkt->count & 3]);
	if (pkt->flags & CST_PF_ADDR)
		p = dump_key_hex(p, "address", pkt->addr);
	if (isync || pkt->type == CST_ETMV3_PKT_BRANCH || pkt->type == CST_ETMV3_PKT_BRANCH_INFO)
		p = dump_key_str(p, "isa", dump_name_isa(pkt->isa));
	if (pkt->flags & CST_ETMV3_PF_STATE)
		p = dump_key_str(p, "security", dump_name_security(pkt->security));
	if (pkt->flags & CST_ETMV3_PF_EXCEPTION)
		p = dump_key_dec(p, "exception", pkt->exc_type);
	if (pkt->flags & CST_ETMV3_PF_CANCEL)
		p = dump_key_true(p, "cancel");
	if (pkt->flags & CST_ETMV3_PF_LSIP)
		p = dump_key_hex(p, "load_store_address", pkt->value);
	if (pkt->flags & CST_ETMV3_PF_VALUE) {
		p = dump_key_dec(p, "value_bytes", pkt->vsize);
		p = dump_key_hex(p, "value", pkt->value);
	}
	if (pkt->type == CST_ETMV3_PKT_OOO_DATA || pkt->type == CST_ETMV3_PKT_OOO_PLACE)
		p = dump_key_dec(p, "tag", pkt->tag);
	return ids(p, pkt);
}

static char *stm_fields(char *p, const struct cst_packet *pkt)
{
	if (pkt->vsize) {
		p = dump_key_dec(p, "value_bits", pkt->vsize);
		p = dump_key_hex(p, "value", pkt->value);
	}
	if (pkt->type >= CST_STM_PKT_FLAG && pkt->type < CST_STM_PKT_TYPES) {
		p = dump_key_dec(p, "master", pkt->cid);
		p = dump_key_dec(p, "channel", pkt->vmid);
	}
	if (pkt->flags & CST_STM_PF_MARKER)
		p = dump_key_true(p, "marker");
	/* one that carries no bits says that the time is the same as before */
	if (pkt->flags & CST_STM_PF_TS && !pkt->ts_bits)
		p = dump_key_hex(p, "timestamp", pkt->ts);
	return p;
}

static char *itm_fields(char *p, const struct cst_packet *pkt)
{
	static const struct {
		uint8_t type;
		const char *key;
	} events[] = {
		{ CST_ITM_PKT_SWIT, "port" }, { CST_ITM_PKT_DWT, "discriminator" },
		{ CST_ITM_PKT_LOCAL_TS, "control" },
	};
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].type == pkt->type)
			p = dump_key_dec(p, events[i].key, pkt->event);
	if (pkt->vsize)
		p = dump_key_dec(p, "value_bytes", pkt->vsize);
	if (pkt->vsize || pkt->type == CST_ITM_PKT_EXTENSION)
		p = dump_key_hex(p, "value", pkt->value);
	if (pkt->flags & CST_ITM_PF_CLOCK)
		p = dump_key_true(p, "clock_changed");
	if (pkt->flags & CST_ITM_PF_WRAP)
		p = dump_key_true(p, "wrapped");
	return p;
}

static char *packet_fields(char *p, const struct cst_packet *pkt)
{
	p = common_fields(p, pkt);
	switch ((enum cst_protocol)pkt->protocol) {
	case CST_PROTO_ETMV4:
	case CST_PROTO_ETE:
		return etmv4_fields(p, pkt);
	case CST_PROTO_PTM:
		return ptm_fields(p, pkt);
	case CST_PROTO_STM:
		return stm_fields(p, pkt);
	case CST_PROTO_ITM:
		return itm_fields(p, pkt);
	case CST_PROTO_ETMV3:
		return etmv3_fields(p, pkt);
	case CST_PROTO_ETMV4_DATA:
		if (pkt->type == CST_ETMV4D_PKT_SYNC_NUM)
			return dump_key_dec(p, "number", pkt->event);
		return pkt->type == CST_ETMV4D_PKT_EVENT ? dump_key_dec(p, "mask", pkt->event) : p;
	case CST_PROTO_NONE:
	case CST_PROTO_CUSTOM:
	case CST_PROTOCOLS:
		break;
	}
	return p;
}

/* The packet's name is what its text begins with. */
static char *packet_name(char *p, const char *text, const char *end)
{
	const char *at = text;

	p = dump_str(p, ",\"name\":\"");
	while (at < end && *at != ' ' && *at != ':')
		*p++ = *at++;
	*p++ = '"';
	return p;
}

static char *findings(char *p, const struct cst_packet *pkt)
{
	size_t i, n = sizeof(pkt->finding) / sizeof(pkt->finding[0]);

	if (!pkt->finding[0])
		return p;
	p = dump_str(p, ",\"findings\":[");
	for (i = 0; i < n && pkt->finding[i]; i++) {
		p = dump_str(p, i ? ",\"" : "\"");
		p = dump_str(p, cst_finding_text(pkt->finding[i]));
		*p++ = '"';
	}
	*p++ = ']';
	return p;
}

void dump_json_packet(struct dump *d, const struct cst_decoder *dec, const struct cst_packet *pkt, unsigned int id)
{
	char *p = dump_out_line(&d->out), *text;
	unsigned int i;

	p = dump_str(p, "{\"record\":\"packet\",\"index\":");
	p = dump_dec(p, pkt->index);
	p = dump_key_dec(p, "id", id);
	p = dump_key_dec(p, "size", pkt->size);
	p = dump_str(p, ",\"bytes\":\"");
	for (i = 0; i < pkt->nbytes; i++)
		p = dump_hex(p, pkt->bytes[i], 2);
	/* the text has no character that is escaped in JSON */
	p = dump_str(p, "\",\"text\":\"");
	text = p;
	p += cst_decoder_packet_text(dec, pkt, p, DUMP_LINE_MAX / 2);
	*p++ = '"';
	p = packet_name(p, text, p - 1);
	p = dump_key_str(p, "protocol", dump_name_protocol(pkt->protocol));
	p = dump_key_str(p, "role", dump_name_role(cst_decoder_packet_role(dec, pkt)));
	p = packet_fields(p, pkt);
	p = findings(p, pkt);
	p = dump_str(p, "}\n");
	dump_out_done(&d->out, p);
}
