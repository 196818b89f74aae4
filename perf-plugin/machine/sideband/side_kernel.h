/* SPDX-License-Identifier: GPL-2.0-only */
/* side_kernel.h - records about kernel code that changes while it is traced, as events. */
#ifndef CSTRACE_MACHINE_SIDEBAND_SIDE_KERNEL_H
#define CSTRACE_MACHINE_SIDEBAND_SIDE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dso;
struct pd_record;
struct side_event;
struct side_events;

/* A function of a BPF program whose code is in the file. */
struct bpf_code {
	uint64_t addr, len;
	char tag[17];		/* hex digits; part of the symbol's name */
	struct dso *dso;
	bool seen;		/* a KSYMBOL record has the time of its load */
};

struct bpf_programs {
	struct bpf_code *v;	/* by address */
	size_t nr, cap;
	bool read;		/* the section of the file about them was */
};

/* One record as an event: 1, 0 when it says nothing about code. The same in each pass. */
int side_text_poke(struct side_events *se, const struct pd_record *rec, struct side_event *e);
int side_ksymbol(struct side_events *se, const struct pd_record *rec, struct side_event *e);
/* After the first pass over the records: adds the programs that no record mentions. */
void side_kernel_finish(struct side_events *se);

#endif
