/* SPDX-License-Identifier: GPL-2.0-only */
/* write.c - writes a format, and reports properties of the binaries that its readers do not accept. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/name.h"
#include "machine/images/elf_facts.h"
#include "outputs/profile/choose.h"
#include "outputs/profile/formats.h"
#include "outputs/profile/places.h"

/* Reports the counts of a file without program headers that are not in the profile, and which readers accept it. */
static void report_unlinked(const struct profile_format *f, const struct model_binary *b,
			    const struct profile_removed *gone)
{
	const char *path = name_shown(b->is.name);

	if (f->base != PROFILE_OFFSET) {
		fprintf(stderr, "cstrace profile: %s is not linked (no program headers), as kernel modules are: file "
			"offsets stand for its addresses, and --format=%s is read for linked files only; create_llvm_prof "
			"of AutoFDO reads --format=autofdo\n", path, f->name);
		return;
	}
	fprintf(stderr, "cstrace profile: %s is not linked (no program headers), as kernel modules are: AutoFDO reads "
		"counts of such a file since June 2026, 0.30.1 does not\n", path);
	if (gone->ranges || gone->edges)
		fprintf(stderr, "cstrace profile: %s: %zu ranges, executed %" PRIu64 " times, and %zu edges are outside "
			"of its .text and left out: AutoFDO has no addresses for them\n", path, gone->ranges,
			gone->executed, gone->edges);
}

/* Of a count file whose binary is not here: what the format would need of it. Returns 1 if it needs anything. */
static int report_needed(const struct profile_format *f, const struct model_binary *b)
{
	const char *lacks = b->is.type == CST_COUNT_MODULE ? "a kernel module's addresses are known by its sections" :
			    f->reader == READER_BOLT ? "the linker's stubs (PLT), which perf2bolt does not accept, are not left out" :
			    NULL;

	if (!lacks || model_without_file(b) || (b->dso && dso_file(b->dso)))
		return 0;
	fprintf(stderr, "cstrace profile: %s: its file is missing: %s; give the directory with the target's files with "
		"--symfs DIR\n", name_shown(b->is.name), lacks);
	return PROFILE_LACKS;
}

int profile_write(struct pd_output *out, const struct profile_format *f, enum profile_base base,
		  const struct model_binary *b)
{
	const char *path = name_shown(b->is.name);
	struct profile_removed gone;
	struct profile_address where;
	struct flat counts;
	bool nothing;
	int rc;

	profile_address_init(&where, b, base);
	flat_init(&counts, b, f->ranges);
	profile_address_limit(&where, &counts, &gone);
	nothing = !counts.nr_ranges && !counts.nr_edges;
	if (!nothing) {
		f->write(out, &counts, &where);
		/* of formats without a head: all was left out */
		nothing = !out->written && !out->error;
	}
	if (nothing) {
		fprintf(stderr, "cstrace profile: %s: nothing to profile: --format=%s has nothing of what was executed: %"
			PRIu64 " instructions, %" PRIu64 " branches (%" PRIu64 " inside the binary)\n", path, f->name,
			b->insns, b->branches, b->inside);
		pd_output_abort(out);
	}
	rc = nothing ? 0 : pd_output_end(out, "cstrace profile");
	if (!rc && !nothing)
		fprintf(stderr, "cstrace profile: %s: %zu ranges, %zu edges, %" PRIu64 " instructions, %" PRIu64
			" branches (%" PRIu64 " inside the binary)\n", path, counts.nr_ranges, counts.nr_edges, b->insns,
			b->branches, b->inside);
	flat_free(&counts);
	if (rc)
		return rc;
	if (where.unlinked)
		report_unlinked(f, b, &gone);
	if (b->is.type == CST_COUNT_MEMORY && b->dso && dso_is_memory(b->dso))
		fprintf(stderr, "cstrace profile: %s is a copy of kernel memory: its places are those of no program file, "
			"and no reader has functions for them; for a profile of the kernel, decode with --vmlinux and "
			"without the copy\n", path);
	if (b->dso)
		readers_report(stderr, "profile", b->dso, f->reader);
	rc = report_needed(f, b);
	return nothing ? PROFILE_EMPTY : rc;
}

bool profile_report_missing(const char *command, const struct whole *w, bool lines)
{
	const struct model_binary *b;
	bool missing = false;
	size_t left;

	for (b = w->model->binaries, left = w->model->nr_binaries; left; left--, b++) {
		if (!b->insns || !whole_has(w, b->number) || model_without_file(b))
			continue;
		if (!b->dso || !dso_file(b->dso)) {
			fprintf(stderr, "cstrace %s: %s: its file is missing: its functions have no names%s; give the "
				"directory with the target's files with --symfs DIR\n", command, name_shown(b->is.name),
				lines ? ", and no lines" : "");
			missing = true;
		} else if (places_why(w->places, b->number)) {
			fprintf(stderr, "cstrace %s: %s\n", command, places_why(w->places, b->number));
			missing = true;
		} else if (lines && places_lack(w->places, b->number)) {
			fprintf(stderr, "cstrace %s: %s\n", command, places_lack(w->places, b->number));
			/* a program without DWARF has no lines to lose */
			missing |= places_source(w->places, b->number) != NULL;
		}
	}
	return missing;
}

/* Reports that the format has nothing of the binaries that were executed. */
static void report_nothing(const struct profile_format *f, const struct whole *w)
{
	struct model_binary **v = model_busiest(w->model);

	fprintf(stderr, "cstrace profile: nothing to profile: --format=%s has nothing of %s; the trace shows:\n", f->name,
		w->only ? name_shown(w->only->is.name) : "what was executed");
	choose_list(stderr, v, w->model->nr_binaries,
		    model_total(w->model, "instructions.elsewhere"),
		    metric_words[w->model->metric].unit);
	free(v);
}

void profile_report_unmeasured(const char *command, const struct model *m)
{
	const struct metric_words *of = &metric_words[m->metric];

	if (m->metric)
		fprintf(stderr, "cstrace %s: %s of each function%s\n", command, of->name,
			of->estimate);
	if (m->unmeasured.insns)
		fprintf(stderr,
			"cstrace %s: %" PRIu64 " instructions %s: no function has their %s\n",
			command, m->unmeasured.insns, of->base, of->name);
	if (m->unmeasured.time)
		fprintf(stderr,
			"cstrace %s: %" PRIu64
			" ns of single instructions that waited are left out\n",
			command, m->unmeasured.time);
}

/* True if a binary that was executed has no file here. */
static bool lacks_file(const struct whole *w)
{
	const struct model_binary *b;
	size_t i;

	for (i = 0; i < w->model->nr_binaries; i++) {
		b = &w->model->binaries[i];
		if (b->insns && whole_has(w, (uint32_t)i) && !model_without_file(b) &&
		    (!b->dso || !dso_file(b->dso)))
			return true;
	}
	return false;
}

int profile_write_whole(struct pd_output *out, const struct profile_format *f, const struct whole *w)
{
	int rc = f->write_whole(out, w);
	size_t i, n = 0;
	bool lacks;

	if (rc) {
		pd_output_abort(out);
		report_nothing(f, w);
	} else {
		if (pd_output_end(out, "cstrace profile"))
			return ERR_REPORTED;
		if (f->code)
			return lacks_file(w) ? PROFILE_LACKS : 0;
		for (i = 0; i < w->model->nr_binaries; i++)
			n += w->model->binaries[i].insns && whole_has(w, (uint32_t)i);
		fprintf(stderr,
			"cstrace profile: %" PRIu64 " %s, binaries: %zu, calling contexts: %zu\n",
			whole_instructions(w), metric_words[w->model->metric].unit, n,
			w->model->nr_nodes);
		profile_report_unmeasured("profile", w->model);
	}
	lacks = !f->code && profile_report_missing("profile", w, f->lines);
	return rc ? PROFILE_EMPTY : lacks ? PROFILE_LACKS : 0;
}
