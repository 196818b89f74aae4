/* SPDX-License-Identifier: GPL-2.0-only */
/* readers.c - checks of a binary for each reader: symbols, debug information, build-id. */
#include "outputs/profile/readers.h"

#include <string.h>

#include "base/name.h"
#include "machine/images/dso.h"
#include "machine/images/elf_facts.h"
#include "session/session.h"

static bool stripped(const struct elf_facts *f)
{
	return !f->symtab && !f->dwarf_high && !f->dwarf_unread;
}

static bool no_symbols(const struct elf_facts *f)
{
	return !f->symtab;
}

static bool no_dwarf(const struct elf_facts *f)
{
	return f->symtab && !f->dwarf_high && !f->dwarf_unread;
}

static bool no_lines(const struct elf_facts *f)
{
	return no_dwarf(f) && !f->probes;
}

static bool has_dwarf5(const struct elf_facts *f)
{
	return f->dwarf_high >= 5;
}

static bool no_relocs(const struct elf_facts *f)
{
	return f->symtab && f->linked && !f->relocs;
}

static bool apart(const struct elf_facts *f)
{
	return f->apart;
}

static bool no_build_id(const struct elf_facts *f)
{
	return f->linked && !f->build_id;
}

#define AUTOFDO		"create_llvm_prof and create_gcov"
#define EMPTY		" an empty profile, with exit code 0"
#define APART		"its code is at addresses other than its file offsets (lld, kernels)"
#define UNSTRIPPED	"the unstripped file of this build"

static const struct {
	unsigned int readers;
	bool (*applies)(const struct elf_facts *f);
	const char *what, *then;
} rules[] = {
	{ READER_AUTOFDO | READER_SAMPLES, stripped, "it is stripped (no symbols, no DWARF)",
	  AUTOFDO " write" EMPTY "; give them " UNSTRIPPED },
	{ READER_LLVM, stripped, "it is stripped (no symbols, no DWARF)",
	  "llvm-profgen writes" EMPTY "; give it " UNSTRIPPED },
	{ READER_BOLT, no_symbols, "it is stripped (no symbols)",
	  "perf2bolt 19 and later refuse it; give it " UNSTRIPPED },
	{ READER_AUTOFDO | READER_SAMPLES, no_dwarf, "it has no DWARF",
	  AUTOFDO " write" EMPTY "; compile with -g" },
	{ READER_LLVM, no_lines, "it has no DWARF", "llvm-profgen writes" EMPTY "; compile with -g" },
	{ READER_AUTOFDO | READER_SAMPLES, has_dwarf5, "it has DWARF 5",
	  AUTOFDO " 0.19 write" EMPTY "; compile with -gdwarf-4, or take AutoFDO 0.20 or later" },
	{ READER_OFFSETS, apart, APART, AUTOFDO " up to 0.19 (Debian 12) write" EMPTY ", or with counts of other functions; give "
	  "--address=vaddr for them, --address=offset for 0.20 and later" },
	{ READER_SAMPLES, apart, APART, AUTOFDO " 0.19 (Debian 12) write" EMPTY "; take 0.20 or later, or the text of "
	  "profile --address=vaddr" },
	{ READER_BOLT, no_relocs, "it was linked without relocations",
	  "llvm-bolt cannot reorder its functions; link with -Wl,--emit-relocs" },
	{ READER_SAMPLES, no_build_id, "it has no build-id",
	  AUTOFDO " find its samples by its file name; give it to them under the recorded one" },
};

#define NR_RULES (sizeof(rules) / sizeof(rules[0]))

void readers_report(FILE *out, const char *command, const struct dso *d, enum reader reader)
{
	const char *path = name_shown(dso_path(d)), *file = dso_file(d);
	struct elf_facts f;
	size_t i;

	if (d->kind > DSO_MODULE || !file || !dso_facts(d, &f))
		return;
	for (i = 0; i < NR_RULES; i++) {
		if (!(rules[i].readers & reader) || !rules[i].applies(&f))
			continue;
		fprintf(out, "cstrace %s: %s", command, path);
		if (strcmp(file, dso_path(d)))
			fprintf(out, " (%s)", name_shown(file));
		fprintf(out, ": %s", rules[i].what);
		if (f.debuglink[0] && !f.dwarf_high)
			fprintf(out, " (what was taken out is in %s)", name_shown(f.debuglink));
		fprintf(out, ": %s\n", rules[i].then);
	}
}
