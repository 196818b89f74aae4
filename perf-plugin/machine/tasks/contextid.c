/* SPDX-License-Identifier: GPL-2.0-only */
/* contextid.c - determines the format of a context ID from the known threads. */
#include <string.h>

#include "machine/tasks/learned.h"

static const char *const names[] = {
	[CONTEXTID_AUTO] = "auto",
	[CONTEXTID_TID] = "tid",
	[CONTEXTID_TID_ASID] = "tid-asid",
	[CONTEXTID_ASID] = "asid",
	[CONTEXTID_NONE] = "none",
};

bool contextid_parse(const char *text, enum contextid_format *format)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i])) {
			*format = (enum contextid_format)i;
			return true;
		}
	return false;
}

const char *contextid_name(enum contextid_format format)
{
	return names[format];
}

void contextid_init(struct contextid *c, enum contextid_format forced, const char *arch)
{
	memset(c, 0, sizeof(*c));
	c->forced = forced;
	if (arch && (!strncmp(arch, "aarch64", 7) || !strcmp(arch, "arm64")))
		c->arch = ARCH_ARM64;
	else if (arch && !strncmp(arch, "arm", 3))
		c->arch = ARCH_ARM;
}

void contextid_are_threads(struct contextid *c)
{
	if (!c->forced)
		c->decided = c->arch == ARCH_ARM ? CONTEXTID_TID_ASID : CONTEXTID_TID;
}

/* AArch32 kernels: upper bits that are not 0 are a thread. */
static enum contextid_format choose_arm(struct contextid *c, uint32_t value, unsigned int bits)
{
	if (bits > 8 && value >> 8)
		return c->decided = CONTEXTID_TID_ASID;
	return CONTEXTID_ASID;
}

/* Kernels for AArch64 write nothing but thread IDs; a declared ASID is of another system. */
static bool is_thread(const struct contextid *c, unsigned int bits, const struct contextid_evidence *ev)
{
	return c->arch == ARCH_ARM64 && bits == 32 && ev->tid && !ev->asid;
}

bool contextid_needs_running(const struct contextid *c, uint32_t value, unsigned int bits, const struct contextid_evidence *ev)
{
	return c->arch != ARCH_ARM && value && bits == 32 && !is_thread(c, bits, ev);
}

static enum contextid_format choose(struct contextid *c, uint32_t value, unsigned int bits,
				    const struct contextid_evidence *ev)
{
	bool switched = ev->running > 0;

	if (c->decided != CONTEXTID_AUTO && c->decided != CONTEXTID_ASID)
		return c->decided;
	if (c->arch == ARCH_ARM)
		return choose_arm(c, value, bits);
	/* kernels without PID_IN_CONTEXTIDR never write it; others write 0 for the idle task */
	if (!value)
		return c->arch == ARCH_ARM64 && c->seen[CONTEXTID_TID] ? CONTEXTID_TID : CONTEXTID_NONE;
	if (is_thread(c, bits, ev) || (bits == 32 && switched && (uint32_t)ev->running == value))
		return c->decided = CONTEXTID_TID;
	if (bits == 32 && switched && (uint32_t)ev->running == value >> 8)
		return c->decided = CONTEXTID_TID_ASID;
	if (ev->asid && !ev->tid_shifted && (bits == 8 || value <= 0xff))
		return c->decided = CONTEXTID_ASID;
	if (bits < 32)
		return c->decided == CONTEXTID_ASID ? CONTEXTID_ASID : CONTEXTID_TID;
	if (ev->tid && (!switched || c->arch == ARCH_ARM64))
		return CONTEXTID_TID;
	if (ev->tid_shifted)
		return c->decided = CONTEXTID_TID_ASID;
	/* a small number that is not the running thread is an ASID of 8 bits, which kernels for AArch64 do not write */
	if (switched && value <= 0xff && c->arch != ARCH_ARM64)
		c->decided = CONTEXTID_ASID;
	return value <= 0xff && c->decided == CONTEXTID_ASID ? CONTEXTID_ASID : CONTEXTID_TID;
}

enum contextid_format contextid_choose(struct contextid *c, uint32_t value, unsigned int bits,
				       const struct contextid_evidence *ev)
{
	struct learn_entry e = { .kind = LEARN_CONTEXTID, .value = value, .bits = (uint8_t)bits, .ev = *ev };
	bool asked = !contextid_decided(c);
	enum contextid_format f = c->forced ? c->forced : choose(c, value, bits, ev);

	e.answer = (uint8_t)f;
	if (asked)
		learn_note(c->log, &e);
	c->seen[f] = true;
	return f;
}
