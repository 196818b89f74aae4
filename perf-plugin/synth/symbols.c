/* SPDX-License-Identifier: GPL-2.0-only */
/* symbols.c - a cache of the symbols that were looked up last. */
#include "synth/symbols.h"

#include "base/name.h"
#include "decode/decode.h"
#include "images/dso.h"

void symbols_forget(struct symbols *sy)
{
	size_t i;

	for (i = 0; i < SYMBOLS_CACHE; i++)
		sy->slot[i].valid = false;
}

const struct symbol_at *symbols_find(struct symbols *sy, const struct stream *s, uint64_t addr)
{
	struct symbol_at *at = &sy->slot[(addr >> 2 ^ addr >> 10) % SYMBOLS_CACHE];
	struct session_loc loc;

	if (at->valid && at->addr == addr)
		return at;
	*at = (struct symbol_at){ .addr = addr, .valid = true, .shown = addr };
	if (addr && session_locate(s, addr, &loc) && loc.dso) {
		at->dso = dso_path(loc.dso);
		at->shown = loc.kernel ? addr : loc.offset;
		at->dso_plain = name_plain_len(at->dso);
		if (session_symbol(s, addr, &loc, &at->name, &at->offset))
			at->name_plain = name_plain_len(at->name);
		else
			at->name = NULL;
	}
	return at;
}
