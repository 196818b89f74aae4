/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guest_kernel.c - the kernel of a guest without records of it: image, symbols and list of modules,
 * as events.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/files/input.h"
#include "base/messages.h"
#include "base/name.h"
#include "machine/guests/guest.h"

static const struct build_id no_id = { .len = 0 };

/* Source of maps that were there all the time. */
struct given_maps {
	struct side_source src;
	struct map *v;
	size_t nr, cap;
};

static bool next_map(struct side_source *src, struct side_event *e)
{
	const struct given_maps *gm = (const struct given_maps *)src;

	if (src->pos == gm->nr)
		return false;
	*e = (struct side_event){
		.kind = SIDE_MAP, .pid = KERNEL_PID, .kernel = true, .map = gm->v[src->pos++]
	};
	return true;
}

static void free_maps(struct side_source *src)
{
	struct given_maps *gm = (struct given_maps *)src;

	free(gm->v);
	free(gm);
}

/* Parses "NAME SIZE REFERENCES USERS STATE ADDRESS", a line of /proc/modules; cuts the name off. */
static bool parse_module(char *line, struct map *m)
{
	char *space = strchr(line, ' ');
	uint64_t size;

	if (!space || space == line || space - line > 64 ||
	    sscanf(space, " %" SCNu64 " %*s %*s %*s %" SCNx64, &size, &m->start) != 2 ||
	    !m->start || !size || size > UINT64_MAX - m->start)
		return false;
	*space = 0;
	m->end = m->start + size;
	return true;
}

static int add_modules(struct guest *g, struct given_maps *gm)
{
	char *text, *rest, *line, name[72];
	struct map m = { .dso = NULL };
	size_t size, lines = 0;

	text = rest = input_read(g->o.file[GUEST_MODULES], INPUT_MAX_TEXT, &size);
	if (!text) {
		fprintf(message_stream(), "cstrace: %s: %s: %s\n", g->name,
			name_shown(g->o.file[GUEST_MODULES]), input_error(errno));
		return ERR_REPORTED;
	}
	while ((line = strsep(&rest, "\n"))) {
		lines += *line != 0;
		if (!parse_module(line, &m))
			continue;
		snprintf(name, sizeof(name), "[%s]", line);
		m.dso = dso_table_get_module(&g->dsos, name, &no_id, m.start);
		*ARRAY_ADD(gm->v, gm->nr, gm->cap) = m;
	}
	free(text);
	if (lines && !gm->nr)
		fprintf(message_stream(),
			"cstrace: %s: warning: %s: no module with an address in it: copy "
			"/proc/modules as root\n",
			g->name, name_shown(g->o.file[GUEST_MODULES]));
	return 0;
}

/* Sets the address of a symbol at which the kernel was loaded, as a record of a kernel does. */
static void set_anchor(struct guest *g, struct dso *d)
{
	static const char *const anchors[] = { "_text", "_stext" };
	struct kallsyms *ks = kernel_kallsyms(&g->kernel);
	size_t i;

	for (i = 0; ks && i < sizeof(anchors) / sizeof(anchors[0]); i++) {
		if (!kallsyms_address(ks, anchors[i], NULL, &d->kernel.ref_addr))
			continue;
		strcpy(d->kernel.ref_sym, anchors[i]);
		return;
	}
	d->kernel.ref_addr = 0;
}

/* Adds the map of the kernel, from its text or without symbols from 0 on, up to the next module. */
static void add_image(struct guest *g, struct given_maps *gm)
{
	struct map m = { .end = UINT64_MAX };
	size_t i;

	m.dso = dso_table_get(&g->dsos, g->kernel_name, &no_id, true);
	m.dso->extent = DSO_MAX_EXTENT;
	set_anchor(g, m.dso);
	m.start = m.dso->kernel.ref_addr;
	for (i = 0; i < gm->nr && m.start; i++)
		if (gm->v[i].start > m.start && gm->v[i].start < m.end)
			m.end = gm->v[i].start;
	/* first: where its place is not known, the modules are mapped over it */
	array_reserve(&gm->v, gm->nr, &gm->cap, sizeof(*gm->v));
	memmove(gm->v + 1, gm->v, gm->nr++ * sizeof(*gm->v));
	gm->v[0] = m;
}

int guest_add_kernel(struct guest *g)
{
	struct given_maps *gm = mem_zeroed(1, sizeof(*gm));
	int rc = 0;

	gm->src.next = next_map;
	gm->src.free = free_maps;
	if (g->o.file[GUEST_MODULES])
		rc = add_modules(g, gm);
	if (!rc)
		add_image(g, gm);
	side_order_add(&g->side.order, &gm->src);
	return rc;
}
