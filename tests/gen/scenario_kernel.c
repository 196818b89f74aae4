/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_kernel.c - the kernel is traced, and changes. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include "elf_w.h"
#include "scenario.h"

#define LINKED 0xffff800008010000ull
#define MODULES 0xffff800001000000ull
#define KERNEL_INSNS (4 * PAGE_INSNS)
#define KERNEL_TEXT "[kernel.kallsyms]_text"
#define CALLED 700u	/* instruction of the kernel that modules call */

enum { F_BPF_PROG_INFO = 25 };
enum { BPIL_INSNS = 0, BPIL_KSYMS = 3, BPIL_LENS = 4 };
enum { KSYMBOL_BPF = 1, KSYMBOL_OUT_OF_LINE = 2 };

static void traced(struct world_opts *o)
{
	o->kernel_traced = 1;
	o->s.perf.cmdline = "perf record -a -e cs_etm/@tmc_etr0/";
}

static void kernel_only(struct world_opts *o)
{
	traced(o);
	o->user_untraced = 1;
	o->s.perf.cmdline = "perf record -a -e cs_etm/@tmc_etr0/k";
}

/* kernel code at its place, moved by what address randomisation chose */
static struct kernel place_kernel(struct scenario *s)
{
	struct world *w = s->w;
	struct kernel k;

	k.code = world_code_copy(w, world_code(w, KERNEL_INSNS, 1));
	k.base = LINKED + (s->seed & 4 ? 0x2340000 : 0);
	world_place(&w->kernel, k.base, k.code, 0, KERNEL_INSNS);
	return k;
}

static void write_vmlinux(struct scenario *s, const struct kernel *k)
{
	struct elfw_symbol sym[] = { { "_text", LINKED, 0 }, { "_stext", LINKED, 0 },
				     { "called", LINKED + 4 * CALLED, 400 } };
	struct elfw e = { .vaddr = LINKED, .text = k->code->bytes, .len = 4 * KERNEL_INSNS,
			  .sym = sym, .nsym = 3 };
	struct gbuf file = { 0 };

	elfw_write(&e, &file);
	world_write(s->w, "/boot/vmlinux", file.p, file.len);
	gbuf_free(&file);
	expect(s, "option --vmlinux");
	expect(s, "option @/boot/vmlinux");
}

struct kernel start_kernel(struct scenario *s)
{
	struct kernel k = place_kernel(s);

	write_vmlinux(s, &k);
	/* perf does not know the end of a kernel without modules */
	world_mmap_record(s->w, 0, &s->w->kernel, k.base, s->seed & 2 ? 0 - k.base : 4 * KERNEL_INSNS, k.base, KERNEL_TEXT);
	return k;
}

static void two_processes(struct scenario *s, struct wthread **a, struct wthread **b)
{
	*a = start_process(s, 0, 1000, "one");
	*b = start_process(s, 0, 1100, "two");
}

/* processes that fork and exec, and all that the kernel does in between */
static void run_kernel(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a, *b, *child;

	start_kernel(s);
	two_processes(s, &a, &b);
	take_turns(s, a, b);
	child = world_fork(w, 0, a, 1200);
	world_sync(w);
	run_some(s, 1, child);
	world_exec(w, 1, child, "three");
	world_kernel_run(w, 1, 30);
	world_map(w, 1, child->p, PROGRAM, image(s, "/opt/three"), 0, IMAGE_INSNS, "/opt/three");
	run_some(s, 1, child);
	take_turns(s, b, a);
	world_sync(w);
	world_cut(w, 0);
	run_some(s, 0, child);
	take_turns(s, a, b);
}

static void put_module(struct scenario *s, const struct kernel *k, uint64_t base, const char *name,
		       int calls)
{
	struct world *w = s->w;
	struct code *c = world_code_copy(w, world_code(w, PAGE_INSNS, 1));
	struct elfw_symbol sym = { name, 0, 4 * PAGE_INSNS };
	struct elfw_reloc rel[4];
	struct gbuf file = { 0 }, text = { 0 };
	char path[128];
	int i;

	gbuf_put(&text, c->bytes, 4 * PAGE_INSNS);
	for (i = 0; i < calls; i++) {
		uint32_t at = 100 + 200 * (uint32_t)i;

		/* what the loader puts in is not in the file */
		code_put_call(c, at, (int64_t)(k->base + 4 * CALLED - base));
		memcpy(text.p + 4 * at, "\0\0\0\x94", 4);
		rel[i] = (struct elfw_reloc){ 4 * at, "called" };
	}
	elfw_write(&(struct elfw){ .relocatable = 1, .text = text.p, .len = text.len, .sym = &sym,
				   .nsym = 1, .rel = rel, .nrel = calls }, &file);
	snprintf(path, sizeof(path), "/lib/modules/6.1.0/kernel/drivers/%s.ko", name);
	world_write(w, path, file.p, file.len);
	world_mmap_record(w, 0, &w->kernel, base, 4 * PAGE_INSNS, 0, path);
	world_place(&w->kernel, base, c, 0, PAGE_INSNS);
	gbuf_free(&file);
	gbuf_free(&text);
}

static void run_modules(struct scenario *s)
{
	struct kernel k = start_kernel(s);
	struct wthread *a, *b;
	uint64_t at = MODULES + (k.base - LINKED);

	/* the kernel's own code is the first map of its space: the modules lie above */
	put_module(s, &k, at + 0xa000000, "first", 0);
	put_module(s, &k, at + 0xa010000, "second", 4);
	two_processes(s, &a, &b);
	take_turns(s, a, b);
	take_turns(s, b, a);
}

/* all CPUs stop while one instruction changes */
static void poke(struct scenario *s, struct kernel *k, uint32_t i, uint32_t to)
{
	struct world *w = s->w;
	uint8_t old[4];
	struct perfw_at at;

	world_barrier(w);
	at = world_at(w, 0);
	memcpy(old, k->code->bytes + 4 * i, 4);
	if (to)
		code_put_branch(k->code, i, to);
	else
		code_put_nop(k->code, i);
	perfw_text_poke(session_perf(w->s), &at, k->base + 4 * i, old, 4, k->code->bytes + 4 * i, 4);
	world_barrier(w);
}

/* tracepoints and static keys: NOPs that become branches and NOPs again; one that begins as a branch */
static void run_text_poke(struct scenario *s)
{
	static const uint32_t sites[] = { 50, 300, 301, 900, 1500 };
	struct world *w = s->w;
	struct kernel k = place_kernel(s);
	struct wthread *a, *b;
	uint8_t on[5] = { 0 };
	uint32_t i, n;

	for (i = 0; i < 4; i++)
		code_put_nop(k.code, sites[i]);
	code_put_branch(k.code, sites[4], sites[4] + 20);
	on[4] = 1;
	write_vmlinux(s, &k);
	world_mmap_record(w, 0, &w->kernel, k.base, 4 * KERNEL_INSNS, k.base, KERNEL_TEXT);
	two_processes(s, &a, &b);
	take_turns(s, a, b);
	world_sync(w);
	run_some(s, 1, b);
	for (n = 0; n < 14; n++) {
		i = rng_below(&w->rng, 5);
		on[i] = !on[i];
		poke(s, &k, sites[i], on[i] ? sites[i] + rng_range(&w->rng, 2, 200) : 0);
		run_some(s, 0, a);
		run_some(s, 1, b);
		/* long enough to come across it */
		world_kernel_run(w, 0, 300);
		world_kernel_run(w, 1, 300);
	}
}

static void ksymbol(struct scenario *s, uint64_t va, uint32_t len, uint16_t type, int gone, const char *name)
{
	struct perfw_at at = world_at(s->w, 0);

	perfw_ksymbol(session_perf(s->w->s), &at, va, len, type, gone, name);
}

/* leave code that is going away; nobody comes back to it */
static void drain_kernel(struct scenario *s, uint64_t va, uint64_t end)
{
	struct world *w = s->w;
	int i;

	for (i = 0; i < w->kernel.n; i++)
		w->kernel.map[i].quiet = w->kernel.map[i].va >= va && w->kernel.map[i].va < end;
	/* user code, and from there into the kernel anew */
	world_barrier(w);
	run_some(s, 0, w->cpu[0].cur);
	world_barrier(w);
}

/* code the kernel makes for a traced function, and what was there before */
static void run_trampoline(struct scenario *s)
{
	struct world *w = s->w;
	uint64_t va = LINKED + 0x8000000;
	const struct code *c;
	struct wthread *a, *b;
	struct perfw_at at;
	int i;

	start_kernel(s);
	two_processes(s, &a, &b);
	for (i = 0; i < 3; i++) {
		take_turns(s, a, b);
		world_barrier(w);
		c = world_code(w, 300, 1);
		ksymbol(s, va, 1200, KSYMBOL_OUT_OF_LINE, 0, "ftrace_trampoline");
		at = world_at(w, 0);
		perfw_text_poke(session_perf(w->s), &at, va, NULL, 0, c->bytes, 1200);
		world_place(&w->kernel, va, c, 0, 300);
		world_barrier(w);
		take_turns(s, a, b);
		drain_kernel(s, va, va + 1200);
		at = world_at(w, 0);
		perfw_text_poke(session_perf(w->s), &at, va, c->bytes, 1200, NULL, 0);
		ksymbol(s, va, 1200, KSYMBOL_OUT_OF_LINE, 1, "ftrace_trampoline");
		world_unmap(&w->kernel, va, va + 1200);
		world_barrier(w);
	}
	take_turns(s, a, b);
}

/* one program as the feature tells it */
static void bpf_info(struct gbuf *out, uint32_t id, const uint8_t tag[8], uint64_t va, const struct code *c)
{
	struct bpf_prog_info info;
	uint32_t len = 4 * c->n, data = 16 + len;

	memset(&info, 0, sizeof(info));
	info.type = BPF_PROG_TYPE_SCHED_CLS;
	info.id = id;
	memcpy(info.tag, tag, 8);
	memcpy(info.name, "prog", 4);
	info.jited_prog_len = len;
	/* offsets in the data behind */
	info.nr_jited_ksyms = 1;
	info.jited_ksyms = 0;
	info.nr_jited_func_lens = 1;
	info.jited_func_lens = 8;
	info.jited_prog_insns = 16;
	gbuf_u32(out, sizeof(info));
	gbuf_u32(out, data);
	gbuf_u64(out, 1ull << BPIL_INSNS | 1ull << BPIL_KSYMS | 1ull << BPIL_LENS);
	gbuf_put(out, &info, sizeof(info));
	gbuf_u64(out, va);
	gbuf_u32(out, len);
	gbuf_u32(out, 0);
	gbuf_put(out, c->bytes, len);
}

/* BPF programs come and go, two of them at one address */
static void run_bpf(struct scenario *s)
{
	struct world *w = s->w;
	uint64_t va = MODULES + 0xb000000;
	struct gbuf feature = { 0 };
	const struct code *c;
	struct wthread *a, *b;
	struct perfw_at at;
	char name[64];
	uint8_t tag[8];
	uint32_t i;

	start_kernel(s);
	two_processes(s, &a, &b);
	gbuf_u32(&feature, 3);
	for (i = 0; i < 3; i++) {
		uint64_t where = va + (i == 1 ? 0x1000 : 0);

		take_turns(s, a, b);
		world_barrier(w);
		c = world_code(w, 250, 1);
		memset(tag, (int)(0x11 * (i + 1)), 8);
		snprintf(name, sizeof(name), "bpf_prog_%02x%02x%02x%02x%02x%02x%02x%02x_prog", tag[0], tag[1],
			 tag[2], tag[3], tag[4], tag[5], tag[6], tag[7]);
		ksymbol(s, where, 1000, KSYMBOL_BPF, 0, name);
		at = world_at(w, 0);
		perfw_bpf_event(session_perf(w->s), &at, 1, i + 1, tag);
		bpf_info(&feature, i + 1, tag, where, c);
		world_place(&w->kernel, where, c, 0, 250);
		world_barrier(w);
		take_turns(s, a, b);
		drain_kernel(s, where, where + 1000);
		ksymbol(s, where, 1000, KSYMBOL_BPF, 1, name);
		at = world_at(w, 0);
		perfw_bpf_event(session_perf(w->s), &at, 2, i + 1, tag);
		world_unmap(&w->kernel, where, where + 1000);
		world_barrier(w);
	}
	take_turns(s, a, b);
	perfw_feature(session_perf(w->s), F_BPF_PROG_INFO, feature.p, feature.len);
	gbuf_free(&feature);
}

/* no image of the kernel, but a copy of its memory next to the data, and patches after it was taken */
static void run_kcore(struct scenario *s)
{
	struct world *w = s->w;
	struct kernel k = place_kernel(s);
	struct elfw_piece piece = { k.base, k.code->bytes, 4 * KERNEL_INSNS };
	struct gbuf core = { 0 };
	struct wthread *a, *b;
	char text[256];
	int i;

	s->directory = 1;
	code_put_nop(k.code, 400);
	elfw_core(&piece, 1, &core);
	world_write_in(w, s->perf, "/kcore_dir/kcore", core.p, core.len);
	gbuf_free(&core);
	snprintf(text, sizeof(text), "%016" PRIx64 " T _text\n%016" PRIx64 " T _stext\n%016" PRIx64 " T called\n",
		 k.base, k.base, k.base + 4 * CALLED);
	world_write_in(w, s->perf, "/kcore_dir/kallsyms", text, strlen(text));
	world_write_in(w, s->perf, "/kcore_dir/modules", "", 0);
	expect(s, "also data");
	world_mmap_record(w, 0, &w->kernel, k.base, 4 * KERNEL_INSNS, k.base, KERNEL_TEXT);
	two_processes(s, &a, &b);
	for (i = 0; i < 4; i++) {
		take_turns(s, a, b);
		poke(s, &k, 400, i & 1 ? 0 : 450);
	}
	take_turns(s, a, b);
}

/* the kernel at EL2, the thread in CONTEXTIDR_EL2 */
static void vhe(struct world_opts *o)
{
	traced(o);
	o->kernel_el = 2;
	o->s.tu.cid = 0;
	o->s.tu.vmid = o->s.tu.vmidopt = o->s.tu.vmid_is_tid = 1;
}

/* user code only, of a kernel at EL2 */
static void vhe_user(struct world_opts *o)
{
	vhe(o);
	o->kernel_traced = 0;
}

static void run_vhe_user(struct scenario *s)
{
	struct world *w = s->w;
	struct wthread *a, *b;

	two_processes(s, &a, &b);
	take_turns(s, a, b);
	world_map(w, 0, b->p, LIBRARY, image(s, "/lib/one"), 0, IMAGE_INSNS, "/lib/one");
	take_turns(s, a, b);
}

#define GUEST_TID 4000000u

static uint32_t guest_contextidr(void *ctx, uint32_t tid)
{
	(void)ctx;
	return tid == GUEST_TID ? 1000 : tid;
}

static void guest(struct world_opts *o)
{
	vhe(o);
	o->s.tu.contextidr = guest_contextidr;
	o->s.tu.retstack = 0;
}

/* a thread runs a guest, whose code nobody has; its addresses may be those of the host */
static void run_guest(struct scenario *s)
{
	struct world *w = s->w;
	struct kernel k = start_kernel(s);
	struct wthread *a, *b, *g;
	int i;

	two_processes(s, &a, &b);
	g = world_thread(w, world_proc(w, GUEST_TID), GUEST_TID, "guest");
	world_place(g->p, PROGRAM, world_code(w, IMAGE_INSNS, 1), CODE_FREE,
		    IMAGE_INSNS - CODE_FREE);
	world_place(&w->guest, k.base, world_code(w, KERNEL_INSNS, 1), 0, KERNEL_INSNS);
	unknown_code(s, g, 0, UINT64_MAX);
	for (i = 0; i < 4; i++) {
		take_turns(s, b, a);
		run_some(s, 0, a);
		world_guest(w, 0, g, rng_range(&w->rng, 300, 800));
		world_kernel_run(w, 0, 50);
	}
	take_turns(s, b, a);
	expect(s, "exit 3");
	expect(s, "info guest");
}

const struct scenario_row scenario_kernel[] = {
	{ "kernel", "kernel and processes, with and without address randomisation", traced, run_kernel },
	{ "kernel-only", "the kernel, and programs that are not traced", kernel_only, run_kernel },
	{ "modules", "kernel modules that call the kernel", traced, run_modules },
	{ "text-poke", "NOPs become branches and NOPs again", traced, run_text_poke },
	{ "trampoline", "code that the kernel made", traced, run_trampoline },
	{ "bpf", "BPF programs come and go", traced, run_bpf },
	{ "kcore", "a copy of kernel memory, patched later", traced, run_kcore },
	{ "vhe", "kernel at EL2, thread in CONTEXTIDR_EL2", vhe, run_kernel },
	{ "vhe-user", "the same, user code only", vhe_user, run_vhe_user },
	{ "guest", "a guest whose code nobody has", guest, run_guest },
	{ NULL, NULL, NULL, NULL },
};
