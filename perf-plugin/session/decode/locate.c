/* SPDX-License-Identifier: GPL-2.0-only */
/* locate.c - lookups of a consumer for a batch: code, files and names in the address space of the stream's thread. */
#include <string.h>

#include "base/alloc.h"
#include "machine/images/dso.h"
#include "machine/images/perfmap.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "session/decode/stream_state.h"

/* Returns the map of the file to which patched text belongs, which is before or after the patch. */
static const struct map *patched_file(const struct maplist *ml, const struct map *m)
{
	const struct map *x = m;

	while (x && x->dso->kind == DSO_PATCH && x->start)
		x = maplist_find(ml, x->start - 1);
	if (x && x->dso->kind != DSO_PATCH)
		return x;
	for (x = m; x && x->dso->kind == DSO_PATCH;)
		x = maplist_find(ml, x->end);
	return x;
}

static bool locate(const struct version *v, bool kernel, uint64_t addr, struct session_loc *loc)
{
	const struct map *m = v ? maplist_find(v->maps, addr) : NULL, *file;

	memset(loc, 0, sizeof(*loc));
	loc->kernel = kernel;
	if (!m)
		return false;
	loc->map_start = m->start;
	loc->map_end = m->end;
	if (m->dso->kind == DSO_PATCH) {
		file = patched_file(v->maps, m);
		if (file)
			m = file;
	}
	loc->dso = m->dso;
	loc->offset = m->off + (addr - m->start);
	return true;
}

bool session_locate(const struct stream *s, uint64_t addr, struct session_loc *loc)
{
	return locate(s->own.code, s->own.kernel, addr, loc);
}

bool session_locate_any(const struct stream *s, uint64_t addr, struct session_loc *loc)
{
	const struct version *user = s->own.kernel ? s->own.other : s->own.code,
			     *kernel = s->own.kernel ? s->own.code : s->own.other;

	if (addr >> 63)
		return locate(kernel, true, addr, loc);
	if (locate(user, false, addr, loc))
		return true;
	/* a 32-bit kernel; a map of the kernel from 0 on has only its real addresses */
	return locate(kernel, true, addr, loc) && loc->map_start;
}

bool session_symbol(const struct stream *s, uint64_t addr, const struct session_loc *loc, const char **name,
		    uint64_t *offset)
{
	struct session *ss = s->own.state->ss;
	const struct perf_map *pm;
	struct kallsyms *ks;
	uint64_t start, size;

	if (loc->dso && dso_symbol(loc->dso, loc->offset, name, &start, &size)) {
		*offset = loc->offset - start;
		return true;
	}
	if (loc->kernel) {
		ks = kernel_kallsyms(s->own.guest ? &s->own.guest->kernel : &ss->images.kernel);
		if (!ks || !kallsyms_find(ks, addr, name, &start, &size))
			return false;
	} else {
		pm = loc->dso && loc->dso->kind == DSO_ANON && s->pid > 0 && !s->guest ?
			     perf_maps_get(&ss->images.perf_maps, s->pid) : NULL;
		if (!pm || !perf_map_find(pm, addr, name, &start, &size))
			return false;
	}
	*offset = addr - start;
	return true;
}

static struct spaces *spaces_of(const struct stream *s)
{
	return s->own.guest ? &s->own.guest->spaces : &s->own.state->ss->images.spaces;
}

size_t session_read_code(const struct stream *s, uint64_t addr, void *buf, size_t len)
{
	return space_read(spaces_of(s), s->own.code, addr, buf, len);
}

size_t session_read_any(const struct stream *s, uint64_t addr, void *buf, size_t len)
{
	struct session_loc loc;

	if (!session_locate_any(s, addr, &loc))
		return session_read_code(s, addr, buf, len);
	return space_read(spaces_of(s), loc.kernel == s->own.kernel ? s->own.code : s->own.other,
			  addr, buf, len);
}

const char *session_comm(const struct stream *s)
{
	if (s->tid == 0)
		return "swapper";
	return s->tid > 0 ? threads_comm(s->own.threads, s->tid, s->own.moment) : NULL;
}

struct dso *session_section_dso(struct session *ss, uint32_t section)
{
	struct cst_section *sec = cst_image_section(ss->images.spaces.image, section);

	return sec ? cst_section_cookie(sec) : NULL;
}

bool session_take_counts(struct session *ss, uint32_t section, struct dso **dso,
			 struct cst_pairs *ranges, struct cst_pairs *edges)
{
	struct cst_section *sec = cst_image_section(ss->images.spaces.image, section);

	if (!sec || !ss->images.spaces.counts)
		return false;
	*dso = cst_section_cookie(sec);
	if (cst_counts_take(ss->images.spaces.counts, section, ranges, edges))
		mem_refused(0);
	return true;
}

void session_exits(struct session *ss, uint32_t section, const struct cst_exits **exits,
		   uint32_t *n, uint64_t *insns)
{
	if (cst_counts_exits(ss->images.spaces.counts, section, exits, n, insns))
		mem_refused(0);
}
