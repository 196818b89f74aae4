/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scenario_guest.c - a host with two virtual machines: kernels and programs at the same addresses,
 * threads with the same numbers as the host's. Thread t of guest g is TID(g, t) in the truth.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "elf_w.h"
#include "scenario.h"

#define TID(guest, t) ((guest) * 1000000u + (t))
#define OWN_TID(tid) ((tid) % 1000000u)
#define GUEST_OF(tid) ((tid) / 1000000u)

#define VMM 2000u	/* process that runs guest 1; the other one is VMM + 100 */
#define LINKED 0xffff800008010000ull
#define KERNEL_INSNS (4 * PAGE_INSNS)
#define KERNEL_TEXT "[kernel.kallsyms]_text"
#define NR_THREADS 3

/* What its own perf records, whose clock is ahead of the host's. */
struct vm {
	uint32_t number, vmid;
	struct wthread *vcpu, *t[NR_THREADS];
	struct wproc kernel;
	uint64_t base;
	struct perfw *side;
	int64_t ahead;
	struct world *w;
};

/* ---- options --------------------------------------------------------------------------------- */

static uint32_t vcpu_of(uint32_t tid)
{
	return VMM + 100 * (GUEST_OF(tid) - 1);
}

/* the kernel of a host at EL2 leaves CONTEXTIDR_EL1 to its guests */
static uint32_t cid_of_el2(void *ctx, uint32_t tid)
{
	(void)ctx;
	return GUEST_OF(tid) ? OWN_TID(tid) : 1000;
}

static uint32_t cid_of_el1(void *ctx, uint32_t tid)
{
	(void)ctx;
	return OWN_TID(tid);
}

static uint32_t vmid_of_el2(void *ctx, uint32_t tid)
{
	(void)ctx;
	return GUEST_OF(tid) ? vcpu_of(tid) : tid;
}

static uint32_t vmid_of_el1(void *ctx, uint32_t tid)
{
	(void)ctx;
	return GUEST_OF(tid) ? 4 + GUEST_OF(tid) : 0;
}

static void guests(struct world_opts *o)
{
	o->kernel_traced = 1;
	o->s.tu.cid = o->s.tu.vmid = 1;
	o->s.tu.retstack = 0;
	o->s.perf.cmdline = "perf record -a -e cs_etm/contextid1,contextid2/";
}

static void vhe(struct world_opts *o)
{
	guests(o);
	o->kernel_el = 2;
	o->s.tu.vmidopt = o->s.tu.vmid_is_tid = 1;
	o->s.tu.contextidr = cid_of_el2;
	o->s.tu.vmidr = vmid_of_el2;
}

static void nvhe(struct world_opts *o)
{
	guests(o);
	o->s.tu.contextidr = cid_of_el1;
	o->s.tu.vmidr = vmid_of_el1;
}

/* changes of threads can be dated */
static void clocks(struct world_opts *o)
{
	vhe(o);
	o->s.tu.ts = 1;
	o->cut_often = 0;
}

/* ---- a virtual machine ----------------------------------------------------------------------- */

static void write_kernel(struct scenario *s, struct vm *vm, const struct code *c)
{
	struct elfw_symbol sym[] = { { "_text", LINKED, 0 }, { "_stext", LINKED, 0 } };
	struct elfw e = {
		.vaddr = LINKED, .text = c->bytes, .len = 4 * KERNEL_INSNS, .sym = sym, .nsym = 2
	};
	struct gbuf file = { 0 };
	char path[64], text[128];

	elfw_write(&e, &file);
	snprintf(path, sizeof(path), "/guest%u/vmlinux", vm->number);
	world_write(s->w, path, file.p, file.len);
	gbuf_free(&file);
	snprintf(path, sizeof(path), "/guest%u/kallsyms", vm->number);
	snprintf(text, sizeof(text), "%016" PRIx64 " T _text\n%016" PRIx64 " T _stext\n", vm->base,
		 vm->base);
	world_write(s->w, path, text, strlen(text));
}

/* the kernel, at the host's address or with its own offset */
static void start_guest_kernel(struct scenario *s, struct vm *vm)
{
	const struct code *c = world_code(s->w, KERNEL_INSNS, 1);

	vm->kernel.kernel = 1;
	vm->base = LINKED + (s->seed & 1 && vm->number == 2 ? 0x40000 : 0);
	world_place(&vm->kernel, vm->base, c, 0, KERNEL_INSNS);
	write_kernel(s, vm, c);
}

/* its kernel notes a switch some time after it wrote the context ID */
static void note_turn(void *ctx, int cpu, const struct wthread *t)
{
	const struct vm *vm = ctx;
	struct world *w = vm->w;
	struct perfw_at at = { t->p->pid - TID(vm->number, 0), t->machine,
			       PERFW_TIME_BASE + w->cpu[cpu].now + rng_below(&w->rng, 20), 0 };

	at.time = (uint64_t)((int64_t)at.time + vm->ahead);
	perfw_switch(vm->side, &at, 0, 0, 0);
}

/* a moment of a CPU at which a guest's kernel does something, on the guest's clock */
static struct perfw_at guest_at(struct scenario *s, struct vm *vm, const struct wthread *t)
{
	struct perfw_at at;

	/* without times in the trace it is after an AUX record */
	if (s->w->o.cut_often)
		world_cut(s->w, 0);
	world_pause(s->w, 0, 40);
	at = (struct perfw_at){ t->p->pid - TID(vm->number, 0), t->machine,
				PERFW_TIME_BASE + s->w->cpu[0].now, 0 };
	at.time = (uint64_t)((int64_t)at.time + vm->ahead);
	world_pause(s->w, 0, 40);
	return at;
}

static void map_program(struct scenario *s, struct vm *vm, struct wthread *t, const char *name)
{
	char path[64], file[80];
	struct perfw_at at;
	const struct code *c = world_code(s->w, IMAGE_INSNS, 0);

	snprintf(path, sizeof(path), "/opt/%s", name);
	snprintf(file, sizeof(file), "/guest%u%s", vm->number, path);
	world_image(s->w, file, c);
	at = guest_at(s, vm, t);
	if (vm->side)
		perfw_mmap(vm->side, &at, PROGRAM, IMAGE_SIZE, ELFW_TEXT, path, 0);
	world_place(t->p, PROGRAM, c, 0, IMAGE_INSNS);
}

static void run_program(struct scenario *s, struct vm *vm, struct wthread *t, const char *name)
{
	struct perfw_at at = guest_at(s, vm, t);

	if (vm->side)
		perfw_comm(vm->side, &at, name, 1);
	t->p->n = 0;
	t->pc = 0;
	t->depth = 0;
	map_program(s, vm, t, name);
}

/* threads with the numbers of those of the host and of the other guest */
static void start_programs(struct scenario *s, struct vm *vm)
{
	static const uint32_t pids[NR_THREADS] = { 1000, 1100, VMM };
	char name[16];
	int i;

	for (i = 0; i < NR_THREADS; i++) {
		uint32_t tid = TID(vm->number, pids[i]);

		snprintf(name, sizeof(name), "prog%d", i);
		vm->t[i] = world_thread(s->w, world_proc(s->w, tid), tid, name);
		vm->t[i]->vcpu = vm->vcpu;
		vm->t[i]->machine = pids[i];
		run_program(s, vm, vm->t[i], name);
	}
}

static struct perfw *new_recording(struct scenario *s)
{
	const struct world_opts *o = &s->w->o;
	struct perfw_opts po = o->s.perf;
	struct perfw_cpu cpu = { .ts_source = 1 };

	tu_get_regs(&o->s.tu, &cpu.regs);
	po.cmdline = "perf record -a -e cycles";
	return perfw_new(&po, &cpu, 1);
}

static void start_guest(struct scenario *s, struct vm *vm, uint32_t number, int recorded)
{
	struct perfw_at at = { .pid = 0xffffffff };
	char name[16];

	memset(vm, 0, sizeof(*vm));
	vm->number = number;
	vm->vmid = 4 + number;
	snprintf(name, sizeof(name), "vmm%u", number);
	vm->vcpu = start_process(s, 0, VMM + 100 * (number - 1), name);
	start_guest_kernel(s, vm);
	/* a guest that was started later, or before the host's clock began */
	vm->ahead = number == 1 ? 5000000 + (int64_t)s->seed * 1000 : -400000000;
	vm->side = recorded ? new_recording(s) : NULL;
	at.time = PERFW_TIME_BASE + 1 + (uint64_t)(vm->ahead < 0 ? 0 : vm->ahead);
	if (vm->ahead < 0)
		at.time = (uint64_t)((int64_t)at.time + vm->ahead);
	if (vm->side)
		perfw_mmap(vm->side, &at, vm->base, 4 * KERNEL_INSNS, vm->base, KERNEL_TEXT, 1);
	start_programs(s, vm);
}

/* the host lets the guest run, in the thread that does so */
static void run_guest(struct scenario *s, struct vm *vm)
{
	run_some(s, 0, vm->vcpu);
	s->w->guest_turn = vm->side ? note_turn : NULL;
	s->w->guest_ctx = vm;
	vm->w = s->w;
	world_guest_run(s->w, 0, &vm->kernel, vm->t, NR_THREADS, rng_range(&s->w->rng, 400, 900));
	world_kernel_run(s->w, 0, 50);
}

/* What the program is given of the guest; `id`: with which number; `more`: of its recording. */
static void give_guest(struct scenario *s, struct vm *vm, uint32_t id, const char *more)
{
	struct gbuf file = { 0 };
	char path[64];

	expect(s, "option --guest");
	if (!vm->side) {
		expect(s, "option %u:vmlinux=@/guest%u/vmlinux,kallsyms=@/guest%u/kallsyms", id,
		       vm->number, vm->number);
		return;
	}
	perfw_finished_round(vm->side);
	perfw_finish(vm->side, &file);
	snprintf(path, sizeof(path), "/guest%u/perf.data", vm->number);
	world_write(s->w, path, file.p, file.len);
	gbuf_free(&file);
	perfw_free(vm->side);
	expect(s, "option %u:vmlinux=@/guest%u/vmlinux,data=@/guest%u/perf.data,symfs=@/guest%u%s",
	       id, vm->number, vm->number, vm->number, more);
}

static void host_and_guests(struct scenario *s, struct vm *vm)
{
	struct wthread *a, *b;
	int i;

	a = start_process(s, 0, 1000, "one");
	b = start_process(s, 0, 1100, "two");
	for (i = 0; i < 4; i++) {
		take_turns(s, a, b);
		run_guest(s, &vm[i & 1]);
		run_guest(s, &vm[rng_below(&s->w->rng, 2)]);
		if (i == 1)
			run_program(s, &vm[0], vm[0].t[1], "other");
	}
	take_turns(s, b, a);
}

/* the machine's process, and what is added to the numbers of its threads */
static void expect_machines(struct scenario *s, const struct vm *vm)
{
	int i;

	for (i = 0; i < 2; i++)
		expect(s, "machine %u %u", vm[i].vcpu->p->pid, TID(vm[i].number, 0));
}

/* both with their recordings, of clocks that are known or not */
static void run_recorded(struct scenario *s, int el2, int known)
{
	struct vm vm[2];
	char more[64];
	int i, n;

	start_kernel(s);
	for (i = 0; i < 2; i++)
		start_guest(s, &vm[i], 1 + (uint32_t)i, 1);
	host_and_guests(s, vm);
	for (i = 0; i < 2; i++) {
		/* with VMIDs, nothing tells the process before the trace is decoded */
		n = known ? snprintf(more, sizeof(more), ",offset=%" PRId64, vm[i].ahead) : 0;
		more[n] = '\0';
		if (!el2)
			snprintf(more + n, sizeof(more) - (size_t)n, ",pid=%u", vm[i].vcpu->p->pid);
		give_guest(s, &vm[i], el2 ? vm[i].vcpu->p->pid : vm[i].vmid, more);
	}
	expect_machines(s, vm);
}

static void run_vhe(struct scenario *s)
{
	run_recorded(s, 1, 1);
}

static void run_nvhe(struct scenario *s)
{
	run_recorded(s, 0, 1);
}

/* the clocks are not known: switches in the recordings are changes in the trace */
static void run_clocks(struct scenario *s)
{
	run_recorded(s, 1, 0);
	expect(s, "stderr guest 2000: its clock is ");
	expect(s, "stderr guest 2100: its clock is ");
}

/* of the first the kernel, of the second nothing is given: its losses name it */
static void run_in_part(struct scenario *s)
{
	struct vm vm[2];
	int i, k;

	start_kernel(s);
	for (i = 0; i < 2; i++)
		start_guest(s, &vm[i], 1 + (uint32_t)i, 0);
	host_and_guests(s, vm);
	give_guest(s, &vm[0], vm[0].vmid, NULL);
	for (k = 0; k < NR_THREADS; k++) {
		unknown_code(s, vm[0].t[k], 0, LINKED);
		unknown_code(s, vm[1].t[k], 0, UINT64_MAX);
	}
	expect(s, "as-host");
	expect_machines(s, vm);
	expect(s, "exit 3");
	expect(s, "info guest %u: ", vm[1].vmid);
	expect(s, "info (--guest=%u:vmlinux=FILE", vm[1].vmid);
	expect(s, "info (--guest=%u:data=FILE)", vm[0].vmid);
}

const struct scenario_row scenario_guest[] = {
	{ "guests", "two guests of a host at EL2, with their recordings", vhe, run_vhe },
	{ "guests-vmid", "the same of a host at EL1, with VMIDs", nvhe, run_nvhe },
	{ "guests-clocks", "two guests whose clocks must be found", clocks, run_clocks },
	{ "guests-in-part", "the same with one guest's kernel, and nothing of the other guest",
	  nvhe, run_in_part },
	{ NULL, NULL, NULL, NULL },
};
