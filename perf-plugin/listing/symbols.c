/* SPDX-License-Identifier: GPL-2.0-only */
/* symbols.c - cache of recently used symbols. */
#include "listing/symbols.h"

#include "base/name.h"
#include "decode/stream.h"
#include "decode/locate.h"
#include "images/dso.h"

void symbols_begin(struct symbols *sy)
{
	sy->batch++;
}

void symbols_look_up(struct symbols *sy, struct symbol_at *at, const struct stream *s, uint64_t addr)
{
	const struct version *user = s->kernel ? s->other : s->code, *kernel = s->kernel ? s->code : s->other;
	const uint32_t number = (uint32_t)(at - sy->slot);
	struct session_loc loc;

	*at = (struct symbol_at){ .addr = addr, .user = user ? user->serial : 0, .kernel = kernel ? kernel->serial : 0,
				  .batch = sy->batch, .lookup = ++sy->lookups, .number = number, .shown = addr,
				  .text = sy->text[number] };
	if (!addr || !session_locate_any(s, addr, &loc) || !loc.dso)
		return;
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
