/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flowlog.c - QEMU user-mode plugin that writes every executed instruction as flow records.
 *
 *   qemu-aarch64 -plugin build/tests/gen/qemu/flowlog.so,out=FILE[,option=value...] PROGRAM
 *
 *   out=FILE   flow file; FILE.images lists the code files
 *   root=DIR   leading part of paths that is not recorded (a sysroot)
 *   pid=N      process and first thread ID, the threads count up from it (100)
 *   cpus=N     spread the stretches over N modelled CPUs (1)
 *   slice=N    interrupt a thread after N instructions (0: never; 5000 with several threads)
 *   max=N      stop recording after N instructions
 *
 * A record is written when the next instruction of the thread starts, because only then it is
 * known where the instruction went. The emulated kernel is not traced: a supervisor call, a fault
 * or a signal is an exception, FLOW_OFF, and FLOW_ON where user code goes on.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classify.h"
#include "images.h"
#include "isa32.h"
#include "out.h"
#include "plugin_api.h"
#include "signals.h"

#define SLICE_THREADS 5000
#define FLUSH_RECORDS 8192
#define INSN_HASH_BITS 16
#define A32_COND_SHIFT 28
#define A32_COND_ALWAYS 14

struct thread {
	struct stretch out;
	const struct insn *last;	/* started, its successor not yet known */
	struct signal_stack signals;
	unsigned int it_left;		/* instructions of the current IT block still to come */
	int last_in_it;
	int stopped;
	struct thread *next;
};

static struct {
	uint64_t restarted, unknown, astray, guessed, signals, calls;
} count;

static __thread struct thread *self;
static struct thread *threads;
static unsigned int n_threads;
static pthread_mutex_t thread_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	int a64;
	uint32_t pid;
	unsigned int cpus;
	uint64_t slice, left;
	const char *out, *root;
} opt = { .pid = 100, .cpus = 1 };

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API;

/* ---- what a thread executes ---------------------------------------------------------------- */

static struct thread *this_thread(void)
{
	struct thread *t = self;

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		abort();
	pthread_mutex_lock(&thread_lock);
	t->out.tid = opt.pid + n_threads++;
	t->next = threads;
	threads = t;
	pthread_mutex_unlock(&thread_lock);
	self = t;
	return t;
}

/* Buffered records of an interrupted branch wait for the signal handler's return. */
static void flush(struct thread *t)
{
	if (!signals_hold(&t->signals, &t->out))
		out_flush(&t->out);
}

static void preempt(struct thread *t, uint64_t pc, uint8_t isa)
{
	out_exception(&t->out, EXC_IRQ, pc, isa);
	flush(t);
}

/* The last instruction went to @next, which is code of @isa. */
static struct flow_rec *emit(struct thread *t, uint64_t next, uint8_t isa, uint8_t flags)
{
	const struct insn *in = t->last;
	struct flow_rec r = {
		.kind = FLOW_INSN, .isa = in->isa, .size = in->size, .klass = in->klass,
		.flags = (uint8_t)(in->flags | flags | (t->last_in_it ? FLOW_COND : 0)),
		.pc = in->pc, .next = next,
	};
	struct flow_rec *p;

	/* Whether an instruction that is no branch passed its condition cannot be seen. */
	if (in->klass == FLOW_OTHER)
		r.flags &= in->special ? 0 : FLOW_COND;
	p = out_insn(&t->out, &r);
	if (opt.left && !--opt.left) {
		t->stopped = 1;
		preempt(t, next, isa);
		return NULL;
	}
	return p;
}

static void emit_and_slice(struct thread *t, const struct insn *next, uint8_t flags)
{
	uint64_t slice = opt.slice ? opt.slice : n_threads > 1 ? SLICE_THREADS : 0;

	if (!emit(t, next->pc, next->isa, flags))
		return;
	if (slice && t->out.insns >= slice)
		preempt(t, next->pc, next->isa);
	else if (t->out.n >= FLUSH_RECORDS)
		flush(t);
}

static int conditional(const struct thread *t)
{
	return (t->last->flags & FLOW_COND) || t->last_in_it;
}

/* A signal handler was entered instead of a successor of the last instruction. */
static void signalled(struct thread *t, uint64_t handler)
{
	const struct insn *in = t->last;
	int kind = signals_kind(handler);
	int fault = (kind & SIGNAL_FAULT) && !(kind & SIGNAL_ASYNC);
	uint32_t num = in->special == INSN_BREAK ? EXC_INST_DEBUG :
		       kind & SIGNAL_TRAP ? EXC_TRAP : EXC_DATA_FAULT;

	count.signals++;
	/* Signals from outside arrive between translation blocks only. */
	if (kind & SIGNAL_FAULT && (fault || !in->tail)) {
		signals_enter(&t->signals, &t->out, NULL, NULL);
		out_exception(&t->out, num, in->pc, in->isa);
		return;
	}
	if (in->klass != FLOW_DIRECT && in->klass != FLOW_INDIRECT) {
		emit(t, in->pc + in->size, in->isa, FLOW_TAKEN);
		signals_enter(&t->signals, &t->out, NULL, NULL);
		out_exception(&t->out, EXC_IRQ, in->pc + in->size, in->isa);
		return;
	}
	if (in->klass == FLOW_DIRECT && !conditional(t)) {
		emit(t, in->target, in->target_isa, FLOW_TAKEN);
		signals_enter(&t->signals, &t->out, NULL, NULL);
		out_exception(&t->out, EXC_IRQ, in->target, in->target_isa);
		return;
	}
	/* Where the branch went is known when the handler returns. */
	signals_enter(&t->signals, &t->out, emit(t, 0, in->isa, 0), in);
	out_exception(&t->out, EXC_IRQ, 0, in->isa);
}

static void successor(struct thread *t, const struct insn *to)
{
	const struct insn *in = t->last;
	uint64_t pc = to->pc, seq = in->pc + in->size;

	switch (in->klass) {
	case FLOW_DIRECT:
		if (conditional(t) && pc == seq)
			return emit_and_slice(t, to, 0);
		if (pc == in->target)
			return emit_and_slice(t, to, FLOW_TAKEN);
		break;
	case FLOW_INDIRECT:
		if (!signals_kind(pc))
			return emit_and_slice(t, to, conditional(t) && pc == seq ? 0 : FLOW_TAKEN);
		break;
	default:
		if (pc == seq)
			return emit_and_slice(t, to, in->klass == FLOW_OTHER ? 0 : FLOW_TAKEN);
		break;
	}
	if (signals_kind(pc))
		return signalled(t, pc);
	if (pc == in->pc) {
		/* The emulator gave the instruction up and starts it again. */
		count.restarted++;
		return;
	}
	if (in->special == INSN_UNKNOWN) {
		struct insn branch = *in;

		count.unknown++;
		branch.klass = FLOW_INDIRECT;
		t->last = &branch;
		return emit_and_slice(t, to, FLOW_TAKEN);
	}
	count.astray++;
	out_exception(&t->out, EXC_TRAP, in->pc, in->isa);
}

static void executed(unsigned int vcpu, void *udata)
{
	const struct insn *in = udata;
	struct thread *t = this_thread();

	(void)vcpu;
	if (t->stopped)
		return;
	if (t->last)
		successor(t, in);
	else if (!t->out.on && signals_resumed(&t->signals, &t->out, in))
		flush(t);
	if (t->it_left) {
		t->it_left--;
		t->last_in_it = 1;
	} else {
		t->last_in_it = 0;
		t->it_left = in->it_len;
	}
	t->last = t->stopped ? NULL : in;
	if (in->special == INSN_NO_CODE) {
		preempt(t, in->pc, in->isa);
		t->last = NULL;
	}
}

static void syscall_entered(uint64_t id, unsigned int vcpu, int64_t num, uint64_t a1, uint64_t a2,
			    uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
			    uint64_t a8)
{
	struct thread *t = this_thread();
	uint64_t next;

	(void)id, (void)vcpu, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	signals_syscall(&t->signals, num, a1, a2);
	if (!t->last)
		return;
	next = t->last->pc + t->last->size;
	count.calls++;
	if (emit(t, next, t->last->isa, 0))
		out_exception(&t->out, EXC_CALL, next, t->last->isa);
	t->last = NULL;
	flush(t);
}

static void syscall_returned(uint64_t id, unsigned int vcpu, int64_t num, int64_t ret)
{
	(void)id, (void)vcpu, (void)ret;
	if (signals_is_mapping(num))
		images_changed();
}

/* ---- translation --------------------------------------------------------------------------- */

struct insn_slot {
	struct insn in;
	uint32_t bytes;
	struct insn_slot *next;
};

static struct insn_slot *insn_hash[1 << INSN_HASH_BITS];

/* Code is translated again and again; one description per instruction is enough. */
static struct insn *intern(const struct insn *in, uint32_t bytes)
{
	uint64_t h = (in->pc * 0x9e3779b97f4a7c15u) >> (64 - INSN_HASH_BITS);
	struct insn_slot *s;

	for (s = insn_hash[h]; s; s = s->next)
		if (s->bytes == bytes && !memcmp(&s->in, in, sizeof(*in)))
			return &s->in;
	s = calloc(1, sizeof(*s));
	if (!s)
		abort();
	s->in = *in;
	s->bytes = bytes;
	s->next = insn_hash[h];
	insn_hash[h] = s;
	return &s->in;
}

/* All instructions of a block have one ISA; the first that tells decides. */
static int block_isa(const struct qemu_plugin_tb *tb, char *const *text)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	const struct insn *last = self ? self->last : NULL;
	int isa;

	if (opt.a64)
		return FLOW_A64;
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *q = qemu_plugin_tb_get_insn(tb, i);

		if (qemu_plugin_insn_vaddr(q) & 2 || qemu_plugin_insn_size(q) & 2)
			return FLOW_T32;
	}
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *q = qemu_plugin_tb_get_insn(tb, i);

		if (!qemu_plugin_insn_size(q))
			continue;
		isa = isa32_by_text(qemu_plugin_insn_data(q), qemu_plugin_insn_size(q),
				    qemu_plugin_insn_vaddr(q), text[i]);
		if (isa >= 0)
			return isa;
	}
	count.guessed++;
	return last ? last->isa : FLOW_A32;
}

static void announce(uint64_t pc, const void *host, size_t len)
{
	struct stretch one = { 0 }, *s = &one;
	struct image_map m;

	if (!images_find(pc, host, len, &m))
		return;
	/* Another thread may run the code before this one's buffer is written. */
	if (self && n_threads == 1)
		s = &self->out;
	out_map(s, opt.pid, m.file, m.start, m.len, m.offset);
	if (s == &one) {
		out_flush(s);
		free(one.rec);
	}
}

static struct insn *describe(struct qemu_plugin_insn *q, uint8_t isa, const char *text, int tail)
{
	struct insn in;
	const void *data = qemu_plugin_insn_data(q);
	size_t len = qemu_plugin_insn_size(q);
	uint32_t bytes = 0;

	memset(&in, 0, sizeof(in));
	in.pc = qemu_plugin_insn_vaddr(q);
	in.isa = isa;
	in.tail = (uint8_t)tail;
	if (!len) {
		in.special = INSN_NO_CODE;
		return intern(&in, 0);
	}
	/* QEMU counts the halfword it peeks at behind a page's last instruction as part of it. */
	in.size = isa == FLOW_T32 ? (uint8_t)t32_size(data) : 4;
	memcpy(&bytes, data, len < in.size ? len : in.size);
	classify(&in, text);
	/* The text does not always tell a condition from a name that ends so. */
	if (isa == FLOW_A32 && in.klass == FLOW_OTHER && bytes >> A32_COND_SHIFT < A32_COND_ALWAYS)
		in.flags |= FLOW_COND;
	announce(in.pc, qemu_plugin_insn_haddr(q), in.size);
	return intern(&in, bytes);
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	char **text = calloc(n, sizeof(*text));
	uint8_t isa;

	(void)id;
	if (!text)
		abort();
	pthread_mutex_lock(&lock);
	for (i = 0; i < n; i++)
		text[i] = qemu_plugin_insn_disas(qemu_plugin_tb_get_insn(tb, i));
	isa = (uint8_t)block_isa(tb, text);
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *q = qemu_plugin_tb_get_insn(tb, i);

		if (qemu_plugin_insn_size(q))
			signals_guest_base((uintptr_t)qemu_plugin_insn_haddr(q) -
					   qemu_plugin_insn_vaddr(q));
		qemu_plugin_register_vcpu_insn_exec_cb(q, executed, PLUGIN_CB_NO_REGS,
						       describe(q, isa, text[i], i == n - 1));
		free(text[i]);
	}
	pthread_mutex_unlock(&lock);
	free(text);
}

/* ---- start and end ------------------------------------------------------------------------- */

static void end_thread(struct thread *t)
{
	/* exit() is a supervisor call, so nothing is left here unless the thread was killed. */
	if (t->last)
		out_exception(&t->out, EXC_IRQ, t->last->pc, t->last->isa);
	t->last = NULL;
	signals_give_up(&t->signals, &t->out);
	out_flush(&t->out);
}

static void vcpu_exited(uint64_t id, unsigned int vcpu)
{
	(void)id, (void)vcpu;
	if (!self)
		return;
	end_thread(self);
	self = NULL;
}

static void exited(uint64_t id, void *udata)
{
	struct thread *t;

	(void)id, (void)udata;
	pthread_mutex_lock(&thread_lock);
	for (t = threads; t; t = t->next)
		end_thread(t);
	pthread_mutex_unlock(&thread_lock);
	fprintf(stderr, "flowlog: %" PRIu64 " instructions, %u threads, %" PRIu64 " calls, %" PRIu64
		" signals, %" PRIu64 " restarted, %" PRIu64 " ISA by neighbour\n", out_insns(),
		n_threads, count.calls, count.signals, count.restarted, count.guessed);
	if (count.unknown || count.astray)
		fprintf(stderr, "flowlog: DOUBTFUL: %" PRIu64 " branches of unknown instructions, %"
			PRIu64 " successors without a reason\n", count.unknown, count.astray);
	out_close();
	images_close();
}

static int set_option(const char *arg)
{
	const char *value = strchr(arg, '=');
	size_t n = value ? (size_t)(value++ - arg) : 0;
	uint64_t num = value ? strtoull(value, NULL, 0) : 0;

	if (n == 3 && !strncmp(arg, "out", n))
		opt.out = strdup(value);
	else if (n == 4 && !strncmp(arg, "root", n))
		opt.root = strdup(value);
	else if (n == 3 && !strncmp(arg, "pid", n))
		opt.pid = (uint32_t)num;
	else if (n == 4 && !strncmp(arg, "cpus", n) && num && num <= OUT_MAX_CPUS)
		opt.cpus = (unsigned int)num;
	else if (n == 5 && !strncmp(arg, "slice", n))
		opt.slice = num;
	else if (n == 3 && !strncmp(arg, "max", n))
		opt.left = num;
	else
		return -1;
	return 0;
}

PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct plugin_target *target, int argc,
				      char **argv)
{
	struct out_options o;
	int i;

	for (i = 0; i < argc; i++) {
		if (set_option(argv[i])) {
			fprintf(stderr, "flowlog: option not understood: %s\n", argv[i]);
			return -1;
		}
	}
	opt.a64 = !strcmp(target->target_name, "aarch64");
	if (!opt.out || target->system_emulation || (!opt.a64 && strcmp(target->target_name, "arm"))) {
		fprintf(stderr, "flowlog: needs out=FILE and user-mode aarch64 or arm\n");
		return -1;
	}
	if (!opt.a64 && isa32_init()) {
		fprintf(stderr, "flowlog: libcapstone.so.4 is needed to tell A32 from T32\n");
		return -1;
	}
	o.path = opt.out;
	o.cpus = opt.cpus;
	if (out_init(&o) || images_init(opt.out, opt.root)) {
		perror("flowlog");
		return -1;
	}
	signals_init(opt.a64);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_vcpu_syscall_cb(id, syscall_entered);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, syscall_returned);
	qemu_plugin_register_vcpu_exit_cb(id, vcpu_exited);
	qemu_plugin_register_atexit_cb(id, exited, NULL);
	return 0;
}
