/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * custom_stage.h - the element stage of a custom protocol: one element for each packet, which the test's
 * stage_packet() makes.
 */
#ifndef TESTS_CUSTOM_STAGE_H
#define TESTS_CUSTOM_STAGE_H

#include <string.h>

#include <cstrace/cstrace.h>

struct stage {
	struct cst_generic gen;
	struct cst_element el;
	uint8_t ready;
};

static inline int stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user)
{
	(void)stage, (void)cfg, (void)stats, (void)user;
	return 0;
}

static inline void stage_fini(void *stage)
{
	(void)stage;
}

static inline void stage_reset(void *stage, uint8_t reason, int config)
{
	(void)reason, (void)config;
	((struct stage *)stage)->ready = 0;
}

static inline void stage_restart(void *stage, uint64_t index)
{
	(void)index;
	((struct stage *)stage)->ready = 0;
}

static inline void stage_end(void *stage)
{
	struct stage *s = stage;

	memset(&s->el, 0, sizeof(s->el));
	s->el.kind = CST_EL_END;
	s->ready = 1;
}

static inline const struct cst_element *stage_take(void *stage)
{
	struct stage *s = stage;

	if (!s->ready)
		return NULL;
	s->ready = 0;
	return &s->el;
}

/* The members of struct cst_protocol_ops for the stage; stage_packet() is the test's. */
#define CUSTOM_STAGE								\
	.stage_size = sizeof(struct stage), .stage_init = stage_init, .stage_fini = stage_fini,		\
	.stage_reset = stage_reset, .stage_restart = stage_restart, .stage_packet = stage_packet,	\
	.stage_end = stage_end

#endif
