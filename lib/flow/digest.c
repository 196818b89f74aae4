/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.c - a number that stands for the state of the flow stage between two elements. */
#include "base/digest.h"
#include "flow/flow_int.h"

/* The entries of the return stack, the newest first. Their map and block only save a search. */
static uint64_t stack(const struct cst_flow *f, uint64_t digest)
{
	const struct return_entry *r;
	unsigned int i;

	for (i = 0; i < RETURN_STACK; i++) {
		r = &f->ret.stack[(f->ret.stack_top + RETURN_STACK - i) % RETURN_STACK];
		if (!r->map)
			break;
		digest = digest_word(digest_word(digest, r->addr), r->isa);
	}
	return digest_word(digest, i);
}

/* A range that may grow. Numbers of sections are left out: they depend on what was decoded before. */
static uint64_t range(const struct cst_generic *g, uint64_t digest)
{
	digest = digest_word(digest_word(digest, g->index), g->addr);
	digest = digest_word(digest_word(digest, g->end), g->n_insn | (uint64_t)g->cc << 32);
	return digest_word(digest, g->flags | (uint64_t)g->num << 16 | (uint64_t)g->sect_off << 32);
}

uint64_t cst_flow_digest(const struct cst_flow *f, uint64_t digest)
{
	const struct cst_generic *t = &f->emit.tmpl;

	digest = digest_word(digest, t->context_id | (uint64_t)t->vmid << 32);
	digest = digest_word(digest, t->flags | (uint64_t)t->el << 16 | (uint64_t)t->security << 24 | (uint64_t)f->isa << 32 |
			     (uint64_t)f->is << 40 | (uint64_t)f->need_addr << 48 | (uint64_t)f->need_ctx << 56);
	digest = digest_word(digest, f->it | f->ret.pop_pending << 8 | f->origin << 16 |
					     (uint64_t)f->ret.no_push << 24 |
					     (uint64_t)f->path.q_pending << 32 |
					     (uint64_t)f->each.open_any << 40);
	digest = digest_word(digest, f->need_addr | f->need_ctx | f->cfg->quirks ?
					     f->gap | f->each.gap_reported << 8 :
					     0);
	digest = digest_word(digest, f->need_addr ? 0 : f->addr);
	if (f->path.q_pending) {
		digest = digest_word(range(&f->path.q, digest), f->path.q_end);
		digest = digest_word(digest, f->path.q_count | (uint64_t)f->path.q_exact << 32 |
						     (uint64_t)f->path.q_p0 << 40);
		if (f->path.q_context)
			digest = cst_digest_element(digest, &f->path.q_next);
	}
	if (f->each.open_any)
		digest = range(&f->each.open, digest);
	return stack(f, digest);
}
