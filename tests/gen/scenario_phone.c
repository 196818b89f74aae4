/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_phone.c - recordings of Android's simpleperf, most of them with the kernel. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_w.h"
#include "phone_w.h"
#include "scenario.h"

#define LINKED 0xffffffc008000000ull
#define HEAD 0x10000u	/* from _text, which no map covers, to _stext */
#define MODULES 0x2000000u	/* from _stext; the lowest code of the generated kernel is its own */
#define KERNEL_INSNS (4 * PAGE_INSNS)
#define CALLED 700u	/* instruction of the kernel that modules call */
#define MODULE_TEXT 0x1000u	/* offset of .text in the file of a module */
#define PLT 0x80u	/* bytes of a module before its .text that its file does not have */

static void phone(struct world_opts *o)
{
	struct perfw_opts *p = &o->s.perf;

	o->kernel_traced = 1;
	o->s.hw_id = 0;
	p->version = 1;
	p->simpleperf = p->no_identifier = p->no_switch = 1;
	p->rings = p->time_conv = p->kernel_events = 0;
	p->compress = p->compress ? 1 : 0;
	p->cmdline = "simpleperf record -e cs-etm -a";
	/* --record-timestamp is an option */
	if (o->seed % 2 == 0) {
		o->s.tu.ts = 0;
		o->cut_often = 1;
	}
}

/* the initial maps of a recording of the whole system are in a section of their own, if the recorder is new */
static void begin_maps(struct scenario *s)
{
	perfw_init_map(session_perf(s->w->s), s->seed & 2);
}

static void end_maps(struct scenario *s)
{
	perfw_init_map(session_perf(s->w->s), 0);
}

/* how long a map is that reaches the end of the address space: simpleperf says the first */
static uint64_t to_the_end(const struct scenario *s, uint64_t start)
{
	return s->seed % 3 == 0 ? UINT64_MAX - start : s->seed % 3 == 1 ? 0 - start : UINT64_MAX;
}

/* the kernel, moved by what address randomisation chose; base is _stext */
static struct kernel phone_kernel(struct scenario *s, const char *name)
{
	static const char *const bpf[] = { "[kernel.bpf]", "[bpf]" };
	struct world *w = s->w;
	struct kernel k;
	uint64_t start;

	k.code = world_code_copy(w, world_code(w, KERNEL_INSNS, 1));
	k.base = LINKED + HEAD + (s->seed & 1 ? 0x2340000 : 0);
	world_place(&w->kernel, k.base, k.code, 0, KERNEL_INSNS);
	/* all of the address space, for code that the kernel makes; then the kernel itself over it */
	if (s->seed & 1)
		world_mmap_record(w, 0, &w->kernel, 0, UINT64_MAX, 0, bpf[s->seed >> 1 & 1]);
	start = strchr(name, ']')[1] ? k.base : 0;
	world_mmap_record(w, 0, &w->kernel, start, start ? to_the_end(s, start) : UINT64_MAX, 0, name);
	return k;
}

static void write_vmlinux(struct scenario *s, const struct kernel *k)
{
	struct elfw_symbol sym[] = { { "_text", LINKED, 0 }, { "_stext", LINKED + HEAD, 0 },
				     { "called", LINKED + HEAD + 4 * CALLED, 400 } };
	struct gbuf text = { 0 }, file = { 0 };
	struct elfw e = { .vaddr = LINKED, .sym = sym, .nsym = 3 };

	gbuf_zero(&text, HEAD);
	gbuf_put(&text, k->code->bytes, 4 * KERNEL_INSNS);
	e.text = text.p;
	e.len = text.len;
	elfw_write(&e, &file);
	world_write(s->w, "/vmlinux", file.p, file.len);
	gbuf_free(&text);
	gbuf_free(&file);
	expect(s, "option --vmlinux");
	expect(s, "option @/vmlinux");
}

/* symbols as /proc/kallsyms has them, many of data, so that they do not fit into one record */
static void kallsyms_text(const struct kernel *k, const char *more, struct gbuf *text)
{
	char line[160];
	int i;

	snprintf(line, sizeof(line),
		 "%016" PRIx64 " T _text\n%016" PRIx64 " T _stext\n%016" PRIx64 " T called\n%s", k->base - HEAD,
		 k->base, k->base + 4 * CALLED, more);
	gbuf_put(text, line, strlen(line));
	for (i = 0; i < 2000; i++) {
		snprintf(line, sizeof(line), "%016" PRIx64 " d some_data_of_the_kernel_%d\n",
			 k->base + 0x1000000 + 8u * (unsigned int)i, i);
		gbuf_put(text, line, strlen(line));
	}
	gbuf_u8(text, 0);
}

static void run_programs(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a = start_process(s, 0, 1000, "one"), *b = start_process(s, 0, 1100, "two");

	end_maps(s);
	take_turns(s, a, b);
	world_map(w, 0, b->p, LIBRARY, image(s, "/lib/one"), 0, IMAGE_INSNS, "/lib/one");
	take_turns(s, b, a);
	world_sync(w);
	world_cut(w, 0);
	run_some(s, 1, a);
	take_turns(s, a, b);
}

static void expect_profile(struct scenario *s, const char *name, uint64_t shift, uint64_t start, uint64_t len)
{
	expect(s, "profile %s %" PRIx64 " %" PRIx64 " %" PRIx64, name, shift, start, start + len);
}

static void run_kernel(struct scenario *s)
{
	struct kernel k;

	begin_maps(s);
	k = phone_kernel(s, "[kernel.kallsyms]_stext");
	write_vmlinux(s, &k);
	expect_profile(s, "[kernel.kallsyms]", LINKED + HEAD - k.base, k.base, 4 * KERNEL_INSNS);
	run_programs(s);
}

/* the recorder could not read addresses: a file of symbols says where the kernel was */
static void run_hidden(struct scenario *s)
{
	struct gbuf text = { 0 };
	struct kernel k;

	begin_maps(s);
	k = phone_kernel(s, "[kernel.kallsyms]");
	write_vmlinux(s, &k);
	kallsyms_text(&k, "", &text);
	world_write(s->w, "/kallsyms", text.p, text.len - 1);
	gbuf_free(&text);
	expect(s, "option --kallsyms");
	expect(s, "option @/kallsyms");
	expect_profile(s, "[kernel.kallsyms]", LINKED + HEAD - k.base, k.base, 4 * KERNEL_INSNS);
	run_programs(s);
}

/* the same, but the symbols are in the recording */
static void run_symbols(struct scenario *s)
{
	struct gbuf text = { 0 };
	struct kernel k;

	k = phone_kernel(s, s->seed & 2 ? "[kernel.kallsyms]" : "[kernel.kallsyms]_stext");
	write_vmlinux(s, &k);
	kallsyms_text(&k, "", &text);
	phone_kallsyms(session_perf(s->w->s), (const char *)text.p);
	gbuf_free(&text);
	expect_profile(s, "[kernel.kallsyms]", LINKED + HEAD - k.base, k.base, 4 * KERNEL_INSNS);
	run_programs(s);
}

static void run_kcore(struct scenario *s)
{
	struct gbuf core = { 0 }, text = { 0 };
	struct elfw_piece piece;
	struct kernel k;

	begin_maps(s);
	k = phone_kernel(s, "[kernel.kallsyms]_stext");
	piece = (struct elfw_piece){ k.base, k.code->bytes, 4 * KERNEL_INSNS };
	elfw_core(&piece, 1, &core);
	world_write(s->w, "/proc/kcore", core.p, core.len);
	kallsyms_text(&k, "", &text);
	world_write(s->w, "/proc/kallsyms", text.p, text.len - 1);
	gbuf_free(&core);
	gbuf_free(&text);
	expect(s, "option --kcore");
	expect(s, "option @/proc/kcore");
	run_programs(s);
}

/* nothing of the kernel came along: what the programs did is exact, and the rest is counted */
static void run_bare(struct scenario *s)
{
	struct kernel k;
	size_t i;

	begin_maps(s);
	k = phone_kernel(s, s->seed & 2 ? "[kernel.kallsyms]" : "[kernel.kallsyms]_stext");
	run_programs(s);
	for (i = 0; i < s->w->nthreads; i++)
		unknown_code(s, s->w->threads[i], k.base, UINT64_MAX);
	expect(s, "exit 3");
	expect(s, "stderr [kernel.kallsyms]: kernel text is not in the recording; give the kernel image");
	expect(s, "never file offsets do not fit");
	expect(s, "never damaged");
}

/* a module whose .text does not begin where the module does; its file calls `called` of the kernel */
static void put_module(struct scenario *s, const struct kernel *k, uint64_t base, const char *path)
{
	struct world *w = s->w;
	struct code *c = world_code_copy(w, world_code(w, PAGE_INSNS, 1));
	struct elfw_symbol sym = { "symbol", 0x40, 16 };
	struct elfw_reloc rel = { 400, "called" };
	struct gbuf file = { 0 }, text = { 0 };

	gbuf_put(&text, c->bytes, 4 * PAGE_INSNS);
	code_put_call(c, 100, (int64_t)(k->base + 4 * CALLED - base - PLT));
	memcpy(text.p + 400, "\0\0\0\x94", 4);
	elfw_write(&(struct elfw){ .relocatable = 1, .plt = 1, .text = text.p, .len = text.len, .sym = &sym, .nsym = 1,
				   .rel = &rel, .nrel = 1 }, &file);
	world_write(w, path, file.p, file.len);
	world_mmap_record(w, 0, &w->kernel, base, PLT + 4 * PAGE_INSNS, 0, path);
	world_place(&w->kernel, base + PLT, c, 0, PAGE_INSNS);
	gbuf_free(&file);
	gbuf_free(&text);
}

static uint64_t module_at(const struct kernel *k, int number)
{
	return k->base + MODULES + 0x10000u * (unsigned int)number;
}

static void module_symbols(const struct kernel *k, struct gbuf *text)
{
	char lines[160];

	snprintf(lines, sizeof(lines), "%016" PRIx64 " t symbol\t[first]\n%016" PRIx64 " t symbol\t[second]\n",
		 module_at(k, 0) + PLT + 0x40, module_at(k, 1) + PLT + 0x40);
	kallsyms_text(k, lines, text);
}

static struct kernel phone_modules(struct scenario *s)
{
	struct kernel k;

	begin_maps(s);
	k = phone_kernel(s, "[kernel.kallsyms]_stext");
	write_vmlinux(s, &k);
	put_module(s, &k, module_at(&k, 0), "/vendor/lib/modules/first.ko");
	put_module(s, &k, module_at(&k, 1), "/vendor/lib/modules/second.ko");
	return k;
}

/* FILE2, or FILE of older recorders, says where a symbol of each module was */
static void run_modules(struct scenario *s)
{
	static const struct phone_file files[] = {
		{ "/system/lib64/libc.so", PHONE_ELF, 0x40000, 0x3f000 },
		{ "/vendor/lib/modules/first.ko", PHONE_MODULE, 0x40, 0x40 + PLT },
		{ "/data/app/base.vdex", PHONE_DEX, 0, 0 },
		{ "[kernel.kallsyms]", PHONE_KERNEL, 0, 0 },
		{ "/vendor/lib/modules/second.ko", PHONE_MODULE, 0x40, 0x40 + PLT },
	};
	struct gbuf section = { 0 }, text = { 0 };
	struct kernel k = phone_modules(s);
	int old = s->seed % 4 == 1;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		phone_file(&section, &files[i], old);
	perfw_feature(session_perf(s->w->s), old ? PHONE_FEATURE_FILE : PHONE_FEATURE_FILE2, section.p, section.len);
	gbuf_free(&section);
	/* files for perf do not keep the section */
	module_symbols(&k, &text);
	world_write(s->w, "/proc/kallsyms", text.p, text.len - 1);
	gbuf_free(&text);
	expect(s, "back --kallsyms");
	expect(s, "back @/proc/kallsyms");
	/* a module has no addresses but those of one boot: file offsets */
	expect_profile(s, "/vendor/lib/modules/first.ko", MODULE_TEXT - (module_at(&k, 0) + PLT), module_at(&k, 0) + PLT, 4 * PAGE_INSNS);
	run_programs(s);
}

/* no such section, but the kernel's symbols in the recording */
static void run_module_symbols(struct scenario *s)
{
	struct gbuf text = { 0 };
	struct kernel k = phone_modules(s);

	module_symbols(&k, &text);
	phone_kallsyms(session_perf(s->w->s), (const char *)text.p);
	gbuf_free(&text);
	run_programs(s);
}

/* as simpleperf sets it up: with a return stack, calls and returns of the kernel would have to be known */
static void bare(struct world_opts *o)
{
	phone(o);
	o->s.tu.retstack = 0;
}

/* programs only; the metadata blocks are not of the kind that the registers tell of */
static void other_blocks(struct world_opts *o)
{
	phone(o);
	o->kernel_traced = 0;
	o->s.perf.other_block = 1;
}

static void run_registers(struct scenario *s)
{
	begin_maps(s);
	expect(s, "info %s", s->w->o.s.tu.ete ? "ETE" : "ETMv4");
	run_programs(s);
}

const struct scenario_row scenario_phone[] = {
	{ "phone-kernel", "simpleperf: kernel map without an offset, to the end of the address space", phone, run_kernel },
	{ "phone-hidden", "the same without addresses: a file of symbols", phone, run_hidden },
	{ "phone-symbols", "the same with the symbols in the recording", phone, run_symbols },
	{ "phone-kcore", "the same with a copy of kernel memory", phone, run_kcore },
	{ "phone-bare", "the same, and nothing of the kernel", bare, run_bare },
	{ "phone-modules", "modules whose place the feature FILE or FILE2 has", phone, run_modules },
	{ "phone-module-symbols", "modules whose place the recorded symbols have", phone, run_module_symbols },
	{ "phone-registers", "ETMv4 in metadata blocks of an ETE, and the other way round", other_blocks, run_registers },
	{ NULL, NULL, NULL, NULL },
};
