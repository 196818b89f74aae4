/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a recording, all the way to trace elements: index, metadata, threads and maps, AUX
 * fragments, decoding. Memory is bounded, and what is handed out can be read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/images/dso.h"
#include "perfdata/reader.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "session/internal.h"

struct sums {
	uint64_t elements, bytes;
};

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct sums *sum = data;
	struct session_loc loc;
	uint8_t code[16];
	const char *comm = session_comm(s), *name;
	uint64_t vaddr;

	sum->elements += n + (comm ? strlen(comm) : 0);
	if (session_locate(s, g[n - 1].addr, &loc) && loc.dso) {
		sum->elements += strlen(dso_path(loc.dso));
		dso_vaddr(loc.dso, loc.offset, &vaddr);
		if (session_symbol(s, g[n - 1].addr, &loc, &name, &vaddr))
			sum->elements += strlen(name);
	}
	sum->elements += session_read_code(s, g[0].addr, code, sizeof(code));
	return 0;
}

static int on_fragment(void *data, const struct fragment_event *e)
{
	const struct session_fragment *f = e->fragment;
	struct sums *sum = data;

	if (e->ended)
		return 0;
	if (f->size)
		sum->bytes += f->size + (f->data[f->size - 1] & 1);
	return 0;
}

static int on_packet(void *data, const struct stream *s, const struct cst_packet *pkt)
{
	((struct sums *)data)->elements += pkt->size + s->trace_id;
	return 0;
}

/* Every broken input makes messages; those of the fuzzer and the sanitizer still come out. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	FILE *null = fopen("/dev/null", "w");

	(void)argc;
	(void)argv;
	if (null)
		stderr = null;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session_opts opts = { .symfs = "/nonexistent", .cache_limit = 1 << 20 };
	struct sums sum = { 0, 0 };
	struct consumer con = { .data = &sum, .batch = on_batch, .fragment = on_fragment };
	struct perfdata *pd;
	struct error err;
	struct session *ss;
	FILE *null;

	if (!size)
		return 0;
	/* bits of the input choose the listing mode and a history that is read again, so that all are reached */
	if (data[size - 1] & 1)
		con.wants.packet = on_packet;
	if (data[size - 1] & 2)
		opts.keep_events = 1;
	pd = perfdata_open_memory(data, size, "fuzz", &err);
	if (!pd)
		return 0;
	ss = session_open_perfdata(&opts, pd);
	if (!ss)
		return 0;
	ss->tasks.threads.ahead = opts.keep_events;
	if (!session_run(ss, &con) && sum.bytes > 16 * size + 65536)
		abort();	/* more trace than the file can hold */
	if (losses_missing_code(&ss->losses) != session_totals(ss)->dec.nacc ||
	    ss->losses.cause[LOSS_ATOMS].count != session_totals(ss)->dec.atoms_lost)
		abort();	/* a loss without a cause */
	null = fopen("/dev/null", "w");
	if (null) {
		session_print_summary(ss, null);
		session_print_all_losses(ss, null, true);
		session_print_missing(ss, null);
		fclose(null);
	}
	session_close(ss);
	return 0;
}
