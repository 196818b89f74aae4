/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_branch_list.c - any bytes as branch lists, along any bytes as code. What is read is read the
 * same from each form that is written; the counts are records of a count file in order; lists that
 * are made of the counts give these counts again.
 *
 * Input: choices (1: bit 0 A32 and T32 code; bit 1: not linked, as a kernel module); size of the
 * code in words (1); code; the file of lists, for whose binary "p" the code is.
 */
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz_input.h"

#include "base/alloc.h"
#include "counting/branchlists/make.h"
#include "counting/branchlists/walk.h"
#include "counting/counts/model.h"
#include "machine/images/dso_table.h"
#include "perfdata/branch_list.h"

#define NAME "p"
#define VADDR 0x10000u
#define HEADS (sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + 3 * sizeof(Elf64_Shdr))
static const char names[] = "\0.text\0.shstrtab";

/* A program that holds the code, in the dso, which frees it. */
static void give_code(struct dso *d, const uint8_t *code, size_t size, uint8_t choices)
{
	const bool linked = !(choices & 2);
	const size_t text = (HEADS + sizeof(names) + 7) & ~(size_t)7;
	uint8_t *file = mem_zeroed(text + size, 1);
	Elf64_Ehdr *eh = (void *)file;
	Elf64_Phdr *ph = (void *)(eh + 1);
	Elf64_Shdr *sh = (void *)(ph + 1);

	memcpy(eh->e_ident, ELFMAG, SELFMAG);
	eh->e_ident[EI_CLASS] = ELFCLASS64;
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_ident[EI_VERSION] = eh->e_version = EV_CURRENT;
	eh->e_type = linked ? ET_EXEC : ET_REL;
	eh->e_machine = choices & 1 ? EM_ARM : EM_AARCH64;
	eh->e_ehsize = sizeof(*eh);
	eh->e_phoff = linked ? sizeof(*eh) : 0;
	eh->e_phentsize = sizeof(*ph);
	eh->e_phnum = linked;
	eh->e_shoff = sizeof(*eh) + sizeof(*ph);
	eh->e_shentsize = sizeof(*sh);
	eh->e_shnum = 3;
	eh->e_shstrndx = 2;
	*ph = (Elf64_Phdr){ .p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_offset = text,
			    .p_vaddr = VADDR + text,
			    .p_filesz = size,
			    .p_memsz = size,
			    .p_align = 8 };
	sh[1] = (Elf64_Shdr){ .sh_name = 1,
			      .sh_type = SHT_PROGBITS,
			      .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			      .sh_addr = linked ? VADDR + text : 0,
			      .sh_offset = text,
			      .sh_size = size,
			      .sh_addralign = 4 };
	sh[2] = (Elf64_Shdr){
		.sh_name = 7, .sh_type = SHT_STRTAB, .sh_offset = HEADS, .sh_size = sizeof(names)
	};
	memcpy(file + HEADS, names, sizeof(names));
	if (size)
		memcpy(file + text, code, size);
	dso_own(d, file, text + size);
	CHECK(!dso_read_elf(d));
	d->state = DSO_LOADED;
}

static bool same_lists(const struct branch_lists *a, const struct branch_lists *b)
{
	const struct branch_list_binary *x, *y;
	size_t i, k;

	if (a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++) {
		x = &a->v[i];
		y = &b->v[i];
		if (strcmp(x->path, y->path) || x->id_len != y->id_len ||
		    memcmp(x->id, y->id, x->id_len) || x->type != y->type ||
		    x->kernel_start != y->kernel_start || x->nr != y->nr)
			return false;
		for (k = 0; k < x->nr; k++)
			if (x->v[k].addr != y->v[k].addr || x->v[k].count != y->v[k].count ||
			    x->v[k].nr_bits != y->v[k].nr_bits ||
			    memcmp(x->bytes + x->v[k].bits, y->bytes + y->v[k].bits,
				   (x->v[k].nr_bits + 7) / 8))
				return false;
	}
	return true;
}

/* Writes lists in one form, and reads them. */
static void check_form(const struct branch_lists *l, enum branch_list_form form)
{
	struct branch_lists again = { .v = NULL };
	struct error err = { .code = 0 };
	struct pd_output out;
	int fd = memfd_create("lists", 0);
	uint8_t *p;
	size_t n;

	CHECK(fd >= 0);
	pd_output_fd(&out, fd, "lists");
	branch_lists_write(l, form, &out);
	n = out.written;
	CHECK(!pd_output_finish(&out, &err));
	p = mem_new(n ? n : 1);
	CHECK(pread(fd, p, n, 0) == (ssize_t)n);
	close(fd);
	CHECK(!branch_lists_read_memory(&again, p, n, "lists", 1, &err));
	branch_lists_join(&again);
	/* only a kernel has an address of its own */
	CHECK(same_lists(l, &again));
	branch_lists_free(&again);
	free(p);
}

static int put(void *data, const void *bytes, size_t size)
{
	(void)data;
	(void)bytes;
	(void)size;
	return 0;
}

/* Walks along the lists into an empty model. */
static void count(struct dso_table *t, const struct branch_lists *l, struct model *m)
{
	struct list_walks *w = list_walks_new(t);
	struct cst_count_writer *writer;

	list_walks_add(w, l);
	list_walks_end(w);
	CHECK(!cst_count_writer_new(&writer, put, NULL));
	CHECK(!list_walks_pass(w, cst_count_write_record, writer));
	CHECK(!cst_count_writer_end(writer));
	cst_count_writer_free(writer);
	list_walks_free(w);
	w = list_walks_new(t);
	list_walks_add(w, l);
	list_walks_end(w);
	model_init(m);
	CHECK(!list_walks_model(w, m));
	list_walks_free(w);
}

static void check_counts(struct dso_table *t, const struct branch_lists *l, bool a64)
{
	struct branch_lists made = { .v = NULL }, again = { .v = NULL };
	struct list_silence s;
	struct model m, n;
	size_t i;

	count(t, l, &m);
	lists_make(&made, &m, UINT32_MAX, &s);
	count(t, &made, &n);
	lists_make(&again, &n, UINT32_MAX, &s);
	/* A32 and T32 ranges of one place share their branches */
	CHECK(!a64 || same_lists(&made, &again));
	CHECK(!a64 || m.nr_binaries == n.nr_binaries);
	for (i = 0; a64 && i < m.nr_binaries; i++) {
		CHECK(m.binaries[i].branches == n.binaries[i].branches);
		CHECK(m.binaries[i].nr_not_taken == n.binaries[i].nr_not_taken);
		CHECK(m.binaries[i].insns == n.binaries[i].insns);
	}
	branch_lists_free(&made);
	branch_lists_free(&again);
	model_free(&m);
	model_free(&n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	const uint8_t choices = take8(&in);
	size_t code = 4u * take8(&in), i, n = 0;
	const struct build_id none = { .len = 0 };
	struct branch_lists l = { .v = NULL };
	struct error err = { .code = 0 };
	struct dso_table t;
	struct dso *d;

	if (code > left(&in))
		code = left(&in);
	dso_table_init(&t);
	t.search.symfs = "/nonexistent";
	d = choices & 2 ? dso_table_get_module(&t, NAME, &none, 0) :
			  dso_table_get(&t, NAME, &none, false);
	give_code(d, in.p, code, choices);
	in.p += code;
	if (!branch_lists_read_memory(&l, in.p, left(&in), "input", 1 + (choices >> 2 & 3), &err)) {
		branch_lists_join(&l);
		for (i = 0; i < l.nr; i++)
			n += l.v[i].type != BRANCH_LIST_KERNEL && l.v[i].kernel_start;
		for (i = 0; !n && i <= BRANCH_LIST_OLD; i++)
			check_form(&l, (enum branch_list_form)i);
		check_counts(&t, &l, !(choices & 1));
	} else {
		CHECK(err.code && err.msg[0]);
	}
	branch_lists_free(&l);
	dso_table_free(&t);
	return 0;
}
