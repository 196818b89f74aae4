/* SPDX-License-Identifier: BSD-3-Clause */
/* state_int.h - inside a system state: its entities and where they are kept. */
#ifndef CST_LIB_FILES_HISTORY_STATE_INT_H
#define CST_LIB_FILES_HISTORY_STATE_INT_H

#include <cstrace/error.h>
#include <cstrace/files/state.h>

#include "files/history/avl.h"

/* Kinds of entities in the order in which they are listed. */
enum entity_kind {
	ENT_PROCESS,
	ENT_THREAD,
	ENT_ASID,
	ENT_LIBRARY,		/* with a size; those of a process do not overlap */
	ENT_LIBRARY_OPEN,	/* without a size */
	ENT_PATCH,		/* those of a process do not overlap */
	ENT_TRACE,
};

#define NO_PROCESS INT64_MAX	/* whom trace sources belong to */

struct entity {
	struct avl_node owned;	/* by process */
	struct avl_node named;	/* threads and ASIDs: by their number */
	struct cst_event ev;
	size_t bytes;
	struct cst_event_param params[];	/* then all texts */
};

struct cst_state {
	struct avl_node *owned, *named;
	struct cst_state_limits limits;
	struct cst_state_counts counts;
	uint64_t inherited;
};

enum entity_kind cst_entity_kind(const struct cst_event *ev);
/* Returns the entity with the key of the event; a thread or ASID of any process. */
struct entity *cst_entity_find(const struct cst_state *st, const struct cst_event *ev);
/* The neighbour of a key in a direction, of any kind. */
struct entity *cst_entity_near(const struct cst_state *st, const struct avl_key *key, int dir, int or_equal);
/* Any entity of the process; NULL: there is none. */
struct entity *cst_entity_last_of(const struct cst_state *st, int64_t pid);
/* The first of those that lie in a range of addresses, wholly or in part. */
struct entity *cst_entity_overlap(const struct cst_state *st, int64_t pid, enum entity_kind kind,
				  uint64_t base, uint64_t last);
uint64_t cst_entity_last(const struct cst_event *ev);

/* A copy of the event comes alive; nothing may have its key. -CST_ERR_LIMIT, -CST_ERR_NOMEM: counted as dropped. */
int cst_entity_add(struct cst_state *st, const struct cst_event *ev);
/* Out of the sets, still in memory. */
void cst_entity_take(struct cst_state *st, struct entity *e);
void cst_entity_free(struct cst_state *st, struct entity *e);

/* True if the key has the form of_NAME. */
int cst_entity_of(struct cst_str key);
int cst_entity_same_params(const struct cst_event *a, const struct cst_event *b);
/* True if no property has different values in both. */
int cst_entity_agrees(const struct cst_event *a, const struct cst_event *b);
/* True if both are equal. */
int cst_entity_equal(const struct cst_event *a, const struct cst_event *b);

/* True if the event is the END of a part of an entity; implied events then replace it. */
int cst_state_cuts(const struct cst_state *st, const struct cst_event *ev);
/* True if an entity exists that an END of this kind would end. */
int cst_state_has(const struct cst_state *st, const struct cst_event *ev);

#endif
