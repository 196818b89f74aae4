/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocsd_decode - the peer for speed: OpenCSD's full decode of a trace file, elements only counted.
 *
 * It is given the best conditions a client can give: the trace and the program files are mapped,
 * opcodes are handed out by one callback with a binary search, nothing is printed per element.
 * Arguments (written by extract-aux.py, one word per line; read with xargs):
 *   frames|raw etmv4|ete CONFIGR TRACEIDR IDR0 IDR1 IDR2 IDR8 DEVARCH TRACE RESET_EVERY
 *   then START LENGTH FILE_OFFSET FILE for each mapping.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <opencsd/c_api/opencsd_c_api.h>

#define FIXED_ARGS 12
#define MAX_MAPS 64
#define MAX_ELEM 32

struct map {
	uint64_t start;
	uint64_t end;
	const uint8_t *bytes;
};

struct state {
	struct map map[MAX_MAPS];
	int n_maps;
	uint64_t elements[MAX_ELEM];
	uint64_t instructions;
};

static const struct {
	ocsd_gen_trc_elem_t type;
	const char *name;
} elem_names[] = {
	{ OCSD_GEN_TRC_ELEM_NO_SYNC, "NO_SYNC" },
	{ OCSD_GEN_TRC_ELEM_TRACE_ON, "TRACE_ON" },
	{ OCSD_GEN_TRC_ELEM_EO_TRACE, "EO_TRACE" },
	{ OCSD_GEN_TRC_ELEM_PE_CONTEXT, "PE_CONTEXT" },
	{ OCSD_GEN_TRC_ELEM_INSTR_RANGE, "INSTR_RANGE" },
	{ OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH, "I_RANGE_NOPATH" },
	{ OCSD_GEN_TRC_ELEM_ADDR_NACC, "ADDR_NACC" },
	{ OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN, "ADDR_UNKNOWN" },
	{ OCSD_GEN_TRC_ELEM_EXCEPTION, "EXCEPTION" },
	{ OCSD_GEN_TRC_ELEM_EXCEPTION_RET, "EXCEPTION_RET" },
	{ OCSD_GEN_TRC_ELEM_TIMESTAMP, "TIMESTAMP" },
	{ OCSD_GEN_TRC_ELEM_CYCLE_COUNT, "CYCLE_COUNT" },
	{ OCSD_GEN_TRC_ELEM_EVENT, "EVENT" },
};

static void die(const char *what, const char *name)
{
	fprintf(stderr, "ocsd_decode: %s %s\n", what, name);
	exit(1);
}

static const uint8_t *map_file(const char *name, uint64_t *size)
{
	struct stat st;
	void *p;
	int fd = open(name, O_RDONLY);

	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0)
		die("cannot read", name);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		die("cannot map", name);
	close(fd);
	*size = (uint64_t)st.st_size;
	return p;
}

static uint32_t read_memory(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
			    const uint8_t id, const uint32_t want, uint8_t *buf)
{
	const struct state *s = ctx;
	int lo = 0, hi = s->n_maps;

	(void)space;
	(void)id;
	while (lo < hi) {
		int mid = (lo + hi) / 2;

		if (addr < s->map[mid].start) {
			hi = mid;
		} else if (addr >= s->map[mid].end) {
			lo = mid + 1;
		} else {
			uint64_t left = s->map[mid].end - addr;
			uint32_t n = left < want ? (uint32_t)left : want;

			memcpy(buf, s->map[mid].bytes + (addr - s->map[mid].start), n);
			return n;
		}
	}
	return 0;
}

static ocsd_datapath_resp_t count_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
					  const ocsd_generic_trace_elem *elem)
{
	struct state *s = (struct state *)(uintptr_t)ctx;

	(void)index;
	(void)id;
	if ((unsigned int)elem->elem_type < MAX_ELEM)
		s->elements[elem->elem_type]++;
	if (elem->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE)
		s->instructions += elem->num_instr_range;
	return OCSD_RESP_CONT;
}

static int by_start(const void *a, const void *b)
{
	const struct map *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void add_map(struct state *s, char **arg)
{
	uint64_t size, offset = strtoull(arg[2], NULL, 0);
	const uint8_t *bytes = map_file(arg[3], &size);
	struct map *m = &s->map[s->n_maps];
	uint64_t length = strtoull(arg[1], NULL, 0);

	if (s->n_maps == MAX_MAPS || offset >= size)
		die("cannot use", arg[3]);
	if (length > size - offset)
		length = size - offset;
	m->start = strtoull(arg[0], NULL, 0);
	m->end = m->start + length;
	m->bytes = bytes + offset;
	s->n_maps++;
}

static void create_decoder(dcd_tree_handle_t tree, char **arg)
{
	unsigned char id;
	uint32_t reg[7];
	ocsd_err_t err;
	int i;

	for (i = 0; i < 7; i++)
		reg[i] = (uint32_t)strtoul(arg[3 + i], NULL, 0);
	if (!strcmp(arg[2], "ete")) {
		ocsd_ete_cfg cfg = {
			.reg_configr = reg[0], .reg_traceidr = reg[1], .reg_idr0 = reg[2], .reg_idr1 = reg[3],
			.reg_idr2 = reg[4], .reg_idr8 = reg[5], .reg_devarch = reg[6],
			.arch_ver = ARCH_AA64, .core_prof = profile_CortexA,
		};

		err = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETE, OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id);
	} else {
		ocsd_etmv4_cfg cfg = {
			.reg_configr = reg[0], .reg_traceidr = reg[1], .reg_idr0 = reg[2], .reg_idr1 = reg[3],
			.reg_idr2 = reg[4], .reg_idr8 = reg[5],
			.arch_ver = ARCH_V8, .core_prof = profile_CortexA,
		};

		err = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_FULL_DECODER, &cfg, &id);
	}
	if (err != OCSD_OK)
		die("cannot create a decoder for", arg[2]);
}

static void decode_part(dcd_tree_handle_t tree, const uint8_t *bytes, uint64_t size, uint64_t index)
{
	uint64_t pos = 0;
	ocsd_datapath_resp_t resp = OCSD_RESP_CONT;
	uint32_t done;

	while (pos < size) {
		uint32_t n = size - pos < (1u << 20) ? (uint32_t)(size - pos) : 1u << 20;

		done = 0;
		if (OCSD_DATA_RESP_IS_WAIT(resp))
			resp = ocsd_dt_process_data(tree, OCSD_OP_FLUSH, 0, 0, NULL, NULL);
		else
			resp = ocsd_dt_process_data(tree, OCSD_OP_DATA, index + pos, n, bytes + pos, &done);
		if (OCSD_DATA_RESP_IS_FATAL(resp))
			die("fatal response from", "the decoder");
		pos += done;
	}
	ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, NULL);
	ocsd_dt_process_data(tree, OCSD_OP_RESET, 0, 0, NULL, NULL);
}

int main(int argc, char **argv)
{
	static struct state s;
	struct timespec a, b;
	const uint8_t *trace;
	uint64_t size, part, pos;
	dcd_tree_handle_t tree;
	unsigned int i;
	int raw;

	if (argc < FIXED_ARGS || (argc - FIXED_ARGS) % 4) {
		fprintf(stderr, "usage: xargs ocsd_decode < ARGS (see extract-aux.py)\n");
		return 2;
	}
	raw = !strcmp(argv[1], "raw");
	trace = map_file(argv[10], &size);
	part = strtoull(argv[11], NULL, 0);
	for (i = FIXED_ARGS; i < (unsigned int)argc; i += 4)
		add_map(&s, argv + i);
	qsort(s.map, (size_t)s.n_maps, sizeof(s.map[0]), by_start);

	ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 0);
	tree = ocsd_create_dcd_tree(raw ? OCSD_TRC_SRC_SINGLE : OCSD_TRC_SRC_FRAME_FORMATTED,
				    raw ? 0 : OCSD_DFRMTR_FRAME_MEM_ALIGN);
	if (tree == C_API_INVALID_TREE_HANDLE)
		die("cannot create", "a decode tree");
	create_decoder(tree, argv);
	ocsd_dt_set_gen_elem_outfn(tree, count_element, &s);
	if (ocsd_dt_add_callback_trcid_mem_acc(tree, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, read_memory, &s))
		die("cannot add", "the memory callback");

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (pos = 0; pos < size; pos += part)
		decode_part(tree, trace + pos, part < size - pos ? part : size - pos, pos);
	clock_gettime(CLOCK_MONOTONIC, &b);
	ocsd_destroy_dcd_tree(tree);

	for (i = 0; i < sizeof(elem_names) / sizeof(elem_names[0]); i++)
		if (s.elements[elem_names[i].type])
			printf("%s %" PRIu64 "\n", elem_names[i].name, s.elements[elem_names[i].type]);
	printf("instructions %" PRIu64 "\nbytes %" PRIu64 "\nseconds %.3f\n", s.instructions, size,
	       (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9);
	return 0;
}
