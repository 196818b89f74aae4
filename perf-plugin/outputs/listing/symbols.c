/* SPDX-License-Identifier: GPL-2.0-only */
/* symbols.c - cache of recently used symbols. */
#include "outputs/listing/symbols.h"

#include "base/name.h"
#include "session/decode/stream.h"
#include "session/decode/locate.h"
#include "machine/images/dso.h"

void symbols_begin(struct symbols *sy)
{
	sy->batch++;
}

/* A name of 4 GB is escaped, and so cut. */
static uint32_t plain_len(const char *name)
{
	size_t n = name_plain_len(name);

	return n <= UINT32_MAX ? (uint32_t)n : 0;
}

void symbols_look_up(struct symbols *sy, size_t number, const struct stream *s, uint64_t addr)
{
	struct symbol_at *at = &sy->slot[number];
	struct session_loc loc;

	sy->key[number] = (struct symbol_key){ .addr = addr, .spaces = symbols_spaces(s), .batch = sy->batch };
	*at = (struct symbol_at){ .shown = addr };
	sy->text[number].len = 0;
	if (!addr || !session_locate_any(s, addr, &loc) || !loc.dso)
		return;
	if (loc.dso != sy->last) {
		sy->last = loc.dso;
		sy->last_path = dso_path(loc.dso);
		sy->last_plain = plain_len(sy->last_path);
	}
	at->names.dso = sy->last_path;
	at->names.dso_plain = sy->last_plain;
	at->file = loc.dso;
	at->in_file = loc.offset;
	at->shown = loc.kernel ? addr : loc.offset;
	if (session_symbol(s, addr, &loc, &at->names.name, &at->names.offset))
		at->names.name_plain = plain_len(at->names.name);
	else
		at->names.name = NULL;
	/* a file that was not read may be read before the next batch */
	if (loc.dso->symbols.symbols_read)
		sy->key[number].batch = UINT64_MAX;
}
