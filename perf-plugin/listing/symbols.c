/* SPDX-License-Identifier: GPL-2.0-only */
/* symbols.c - cache of recently used symbols. */
#include "listing/symbols.h"

#include "base/name.h"
#include "decode/stream.h"
#include "decode/locate.h"
#include "images/dso.h"
#include "tasks/space.h"

void symbols_begin(struct symbols *sy)
{
	sy->batch++;
}

const struct symbol_at *symbols_find(struct symbols *sy, const struct stream *s, uint64_t addr)
{
	struct symbol_at *at = &sy->slot[(addr >> 2 ^ addr >> 15) % SYMBOLS_CACHE];
	const uint64_t here = s->code ? s->code->serial : 0, other = s->other ? s->other->serial : 0;
	const uint64_t user = s->kernel ? other : here, kernel = s->kernel ? here : other;
	struct session_loc loc;

	if (at->addr == addr && at->user == user && at->kernel == kernel && (at->batch == sy->batch || at->lasting))
		return at;
	*at = (struct symbol_at){ .addr = addr, .user = user, .kernel = kernel, .batch = sy->batch, .shown = addr };
	if (addr && session_locate_any(s, addr, &loc) && loc.dso) {
		if (loc.dso != sy->last) {
			sy->last = loc.dso;
			sy->last_path = dso_path(loc.dso);
			sy->last_plain = name_plain_len(sy->last_path);
		}
		at->dso = sy->last_path;
		at->file = loc.dso;
		at->in_file = loc.offset;
		at->dso_plain = sy->last_plain;
		at->shown = loc.kernel ? addr : loc.offset;
		if (session_symbol(s, addr, &loc, &at->name, &at->offset))
			at->name_plain = name_plain_len(at->name);
		else
			at->name = NULL;
		/* a file that was not read may be read before the next batch */
		at->lasting = loc.dso->symbols_read;
	}
	return at;
}
