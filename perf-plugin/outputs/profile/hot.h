/* SPDX-License-Identifier: GPL-2.0-only */
/* hot.h - the functions of a model that were executed, the one with most instructions first. */
#ifndef CSTRACE_OUTPUTS_PROFILE_HOT_H
#define CSTRACE_OUTPUTS_PROFILE_HOT_H

#include "outputs/profile/functions.h"
#include "outputs/profile/whole.h"

struct hot_function {
	const struct function *f;
	uint32_t index;		/* of the function */
	uint64_t insns;		/* executed in its own code */
	uint64_t calls;		/* whatever called it */
};

struct hot {
	struct hot_function *v;	/* by instructions, then by calls and name */
	size_t n;
	bool calls;		/* the model has calls */
	uint64_t total;		/* instructions of all */
};

/* The functions are those of `fs` until another place is looked up in it. */
void hot_init(struct hot *t, struct functions *fs, const struct whole *w);
void hot_free(struct hot *t);

#endif
