/* SPDX-License-Identifier: GPL-2.0-only */
/* kallsyms.c - symbols of kallsyms sorted by address and, when first needed, by name. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/files/input.h"
#include "base/messages.h"
#include "machine/images/kallsyms.h"

struct ksym {
	uint64_t addr;
	const char *name;
	const char *module;	/* NULL: the kernel itself */
	char type;		/* as nm(1) prints it */
};

struct kallsyms {
	char *text;
	struct ksym *sym;	/* by address; the best name of an address first */
	size_t nr, cap;
	uint32_t *by_name;	/* indices of symbols; NULL until needed */
};

static bool is_text(char type)
{
	type = (char)tolower((unsigned char)type);
	return type == 't' || type == 'w' || type == 'i';
}

static int compare_symbols(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;
	size_t nx, ny;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (is_text(x->type) != is_text(y->type))
		return is_text(x->type) ? -1 : 1;
	if (!islower((unsigned char)x->type) != !islower((unsigned char)y->type))
		return islower((unsigned char)x->type) ? 1 : -1;
	nx = strspn(x->name, "_");
	ny = strspn(y->name, "_");
	if (nx != ny)
		return nx < ny ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Parses "ffff800008010000 T name\t[module]"; cuts the text into strings. */
static bool parse_line(struct ksym *s, char *line)
{
	char *p, *end;

	memset(s, 0, sizeof(*s));
	errno = 0;
	s->addr = strtoull(line, &p, 16);
	if (p == line || errno || *p != ' ' || !p[1] || p[2] != ' ' || !p[3])
		return false;
	s->type = p[1];
	s->name = p + 3;
	end = strpbrk(p + 3, " \t");
	if (!end)
		return true;
	*end++ = 0;
	end += strspn(end, " \t");
	p = *end == '[' ? strchr(end, ']') : NULL;
	if (p) {
		*p = 0;
		s->module = end + 1;
	}
	return s->name[0];
}

/* Takes over `text`, which ends with a NUL. */
static struct kallsyms *parse(char *text)
{
	struct kallsyms *ks = mem_zeroed(1, sizeof(*ks));
	char *line;
	struct ksym s;

	ks->text = text;
	while ((line = strsep(&text, "\n"))) {
		/* unprivileged readers see 0 for every address; small values are offsets of per-CPU data */
		if (parse_line(&s, line) && s.addr)
			*ARRAY_ADD(ks->sym, ks->nr, ks->cap) = s;
	}
	/* texts are limited: indices of symbols have 32 bits */
	if (!ks->nr) {
		kallsyms_free(ks);
		return NULL;
	}
	qsort(ks->sym, ks->nr, sizeof(*ks->sym), compare_symbols);
	return ks;
}

struct kallsyms *kallsyms_read(const char *text, size_t len)
{
	char *copy = mem_new(len + 1);

	memcpy(copy, text, len);
	copy[len] = 0;
	return parse(copy);
}

struct kallsyms *kallsyms_open(const char *path)
{
	struct kallsyms *ks = NULL;
	size_t size;
	char *text = input_read(path, INPUT_MAX_TEXT, &size);

	if (!text) {
		fprintf(message_stream(), "cstrace: %s: %s\n", path, input_error(errno));
		return NULL;
	}
	ks = parse(text);
	if (!ks)
		fprintf(message_stream(), "cstrace: %s: no symbol with an address in it: copy /proc/kallsyms as root, or with "
			"kernel.kptr_restrict=0\n", path);
	return ks;
}

void kallsyms_free(struct kallsyms *ks)
{
	if (!ks)
		return;
	free(ks->text);
	free(ks->sym);
	free(ks->by_name);
	free(ks);
}

bool kallsyms_find(const struct kallsyms *ks, uint64_t addr, const char **name, uint64_t *start,
		   uint64_t *end)
{
	size_t lo = 0, hi = ks->nr, next;

	BISECT(lo, hi, mid, ks->sym[mid].addr <= addr);
	next = lo;
	if (!lo)
		return false;
	for (lo--; lo && ks->sym[lo - 1].addr == ks->sym[lo].addr;)
		lo--;
	if (!is_text(ks->sym[lo].type))
		return false;
	*name = ks->sym[lo].name;
	*start = ks->sym[lo].addr;
	*end = next < ks->nr ? ks->sym[next].addr : UINT64_MAX;
	return true;
}

static int compare_names(const void *a, const void *b, void *data)
{
	const struct kallsyms *ks = data;

	return strcmp(ks->sym[*(const uint32_t *)a].name, ks->sym[*(const uint32_t *)b].name);
}

static void sort_names(struct kallsyms *ks)
{
	size_t i;

	if (ks->by_name)
		return;
	ks->by_name = mem_array(ks->nr, sizeof(*ks->by_name));
	for (i = 0; i < ks->nr; i++)
		ks->by_name[i] = (uint32_t)i;
	qsort_r(ks->by_name, ks->nr, sizeof(*ks->by_name), compare_names, ks);
}

enum owner { KERNEL, ONE_MODULE, ANY_MODULE };

static bool owned_by(const struct ksym *s, enum owner owner, const char *module)
{
	switch (owner) {
	case KERNEL:
		return !s->module;
	case ONE_MODULE:
		return s->module && !strcmp(s->module, module);
	default:
		return s->module && is_text(s->type) && isupper((unsigned char)s->type);
	}
}

static bool find_name(struct kallsyms *ks, const char *name, enum owner owner, const char *module,
		      uint64_t *addr)
{
	const struct ksym *found = NULL;
	size_t lo = 0, hi = ks->nr, i;

	sort_names(ks);
	BISECT(lo, hi, mid, strcmp(ks->sym[ks->by_name[mid]].name, name) < 0);
	for (i = lo; i < ks->nr && !strcmp(ks->sym[ks->by_name[i]].name, name); i++) {
		const struct ksym *s = &ks->sym[ks->by_name[i]];

		if (!owned_by(s, owner, module))
			continue;
		if (found && found->addr != s->addr)
			return false;
		found = s;
	}
	if (found)
		*addr = found->addr;
	return found;
}

bool kallsyms_address(struct kallsyms *ks, const char *name, const char *module, uint64_t *addr)
{
	return find_name(ks, name, module ? ONE_MODULE : KERNEL, module, addr);
}

bool kallsyms_exported(struct kallsyms *ks, const char *name, uint64_t *addr)
{
	return find_name(ks, name, ANY_MODULE, NULL, addr);
}
