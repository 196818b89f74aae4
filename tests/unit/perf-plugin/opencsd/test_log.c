/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_opencsd_log.c - the error log of the OpenCSD interface and its outputs: files, standard output, the client's
 * function; what the element printer and the list of memory accessors write there.
 */
#include "unit/perf-plugin/opencsd_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <opencsd/c_api/opencsd_c_api.h>

#include "unit/temp_dir.h"

TEMP_DIR("opencsd-log")

/* Not declared by 1.3.3's header. */
ocsd_err_t ocsd_dt_set_mem_acc_cacheing(const dcd_tree_handle_t handle, const int enable,
					const uint16_t page_size, const int nr_pages);

static const ocsd_etmv4_cfg plain = {
	.reg_idr1 = 0x400, .reg_idr2 = 8 | 4 << 5, .reg_traceidr = 0x10, .arch_ver = ARCH_V8,
	.core_prof = profile_CortexA,
};

/* Synchronisation, TRACE ON, 0x400000 in AArch64 EL0, an atom. */
static const uint8_t trace[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0x00, 0x04,
				 0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0x30, 0xf7 };
static const uint32_t nops[4] = { 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f };

static dcd_tree_handle_t make(void)
{
	dcd_tree_handle_t t = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	unsigned char id;

	assert_non_null(t);
	assert_int_equal(ocsd_dt_create_decoder(t, "ETMV4I", OCSD_CREATE_FLG_FULL_DECODER, &plain, &id), OCSD_OK);
	return t;
}

#define CHECK(l, ...) check_lines(l, PRINTED_AT, LINES(__VA_ARGS__))
#define CHECK_NOTHING(l) check_lines(l, 0, LINES(NULL))

static void run(dcd_tree_handle_t t)
{
	uint32_t used;

	assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_RESET, 0, 0, NULL, NULL), OCSD_RESP_CONT);
	assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_DATA, 0x12345678, sizeof(trace), trace, &used),
			 OCSD_RESP_CONT);
	assert_int_equal(used, sizeof(trace));
	assert_int_equal(ocsd_dt_process_data(t, OCSD_OP_EOT, 0, 0, NULL, NULL), OCSD_RESP_CONT);
}

static ocsd_datapath_resp_t count(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				  const ocsd_generic_trace_elem *e)
{
	(void)index;
	(void)id;
	(void)e;
	++*(unsigned int *)(uintptr_t)ctx;
	return OCSD_RESP_CONT;
}

/* The printer stands in the place of the function for elements: what was set last holds. */
static void test_element_printer(void **state)
{
	struct lines l = { NULL, 0, 0 };
	dcd_tree_handle_t t = make();
	unsigned int elements = 0;

	(void)state;
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0), OCSD_OK);
	assert_int_equal(ocsd_def_errlog_set_strprint_cb(t, &l, print_line), OCSD_OK);
	run(t);
	CHECK_NOTHING(&l);
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, count, &elements), OCSD_OK);
	assert_int_equal(ocsd_dt_set_gen_elem_printer(t), OCSD_OK);
	run(t);
	assert_int_equal(elements, 0);
	CHECK(&l, "Idx:305419896; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [reset-decoder])\n",
	      "Idx:305419910; ID:10; OCSD_GEN_TRC_ELEM_TRACE_ON( [begin or filter])\n",
	      "Idx:305419911; ID:10; OCSD_GEN_TRC_ELEM_PE_CONTEXT((ISA=A64) EL0N; 64-bit; )\n",
	      "Idx:305419921; ID:10; OCSD_GEN_TRC_ELEM_ADDR_NACC( 0x400000; "
	      "Memspace [0x2:EL1N] )\n",
	      "Idx:305419921; ID:10; OCSD_GEN_TRC_ELEM_EO_TRACE( [end-of-trace])\n");
	/* 1.3 does not print the memory space of missing code */
	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 0, 0xfff, OCSD_MEM_SPACE_ANY, no_code,
						      NULL),
			 OCSD_OK);
	run(t);
	assert_int_equal(l.n, 5);
	assert_string_equal(l.v[3] + 4,
			    "Idx:305419921; ID:10; OCSD_GEN_TRC_ELEM_ADDR_NACC( 0x400000 )\n");
	free_lines(&l);
	assert_int_equal(ocsd_dt_set_gen_elem_outfn(t, count, &elements), OCSD_OK);
	run(t);
	CHECK_NOTHING(&l);
	assert_int_equal(elements, 5);
	ocsd_destroy_dcd_tree(t);
}

/* A tree without a function of its own prints to the one that was set last, until its tree is gone. */
static void test_other_tree(void **state)
{
	struct lines first = { NULL, 0, 0 }, second = { NULL, 0, 0 };
	dcd_tree_handle_t a = make(), b = make(), c = make();

	(void)state;
	assert_int_equal(ocsd_def_errlog_set_strprint_cb(a, &first, print_line), OCSD_OK);
	assert_int_equal(ocsd_def_errlog_set_strprint_cb(b, &second, print_line), OCSD_OK);
	assert_int_equal(ocsd_dt_set_gen_elem_printer(a), OCSD_OK);
	assert_int_equal(ocsd_dt_set_gen_elem_printer(c), OCSD_OK);
	run(c);
	CHECK_NOTHING(&first);
	assert_int_equal(second.n, 5);
	assert_string_equal(second.v[4] + 4, "Idx:305419921; ID:10; OCSD_GEN_TRC_ELEM_EO_TRACE( [end-of-trace])\n");
	free_lines(&second);
	run(a);
	assert_int_equal(first.n, 5);
	CHECK_NOTHING(&second);
	ocsd_destroy_dcd_tree(b);
	run(c);
	CHECK_NOTHING(&second);
	assert_int_equal(first.n, 5);
	free_lines(&first);
	ocsd_destroy_dcd_tree(a);
	ocsd_destroy_dcd_tree(c);
}

static void read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	assert_true(fd >= 0);
	n = read(fd, buf, size - 1);
	assert_true(n >= 0);
	buf[n] = 0;
	close(fd);
}

/* The text is there once the file is closed, which another configuration does. */
static void test_files(void **state)
{
	char cwd[1024], path[1024], text[1024];

	(void)state;
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	assert_int_equal(chdir(dir), 0);
	snprintf(path, sizeof(path), "%s/log", dir);
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 1), OCSD_OK);
	assert_int_equal(ocsd_def_errlog_config_output(C_API_MSGLOGOUT_FLG_FILE, path), OCSD_OK);
	ocsd_def_errlog_msgout("one\n");
	ocsd_def_errlog_msgout(NULL);
	/* no output is asked for */
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 0), OCSD_OK);
	ocsd_def_errlog_msgout("two\n");
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 1), OCSD_OK);
	ocsd_def_errlog_msgout("three\n");
	assert_int_equal(ocsd_def_errlog_config_output(C_API_MSGLOGOUT_FLG_FILE, NULL), OCSD_OK);
	read_file(path, text, sizeof(text));
	assert_string_equal(text, "one\nthree\n");
	ocsd_def_errlog_msgout("four\n");
	/* flags that do not exist */
	assert_int_equal(ocsd_def_errlog_config_output(~C_API_MSGLOGOUT_MASK, path), OCSD_OK);
	ocsd_def_errlog_msgout("five\n");
	read_file("ocsd_trace_log.txt", text, sizeof(text));
	assert_string_equal(text, "four\n");
	read_file(path, text, sizeof(text));
	assert_string_equal(text, "one\nthree\n");
	/* a file begins anew */
	assert_int_equal(ocsd_def_errlog_config_output(C_API_MSGLOGOUT_FLG_FILE, path), OCSD_OK);
	ocsd_def_errlog_msgout("six\n");
	assert_int_equal(ocsd_def_errlog_config_output(C_API_MSGLOGOUT_FLG_FILE, "/does/not/exist"),
			 OCSD_ERR_FILE_ERROR);
	assert_int_equal(ocsd_get_last_err(NULL, NULL, text, sizeof(text)), OCSD_ERR_FILE_ERROR);
	assert_string_equal(text, "0x0008 (OCSD_ERR_FILE_ERROR) [File access error]; ");
	ocsd_def_errlog_msgout("seven\n");
	read_file(path, text, sizeof(text));
	assert_string_equal(text, "six\n");
	assert_int_equal(ocsd_def_errlog_config_output(0, NULL), OCSD_OK);
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0), OCSD_OK);
	assert_int_equal(chdir(cwd), 0);
}

/* What is written to a stream goes to a file meanwhile. */
static void streams(int flags, char *out, char *err, size_t size)
{
	char path[] = "/tmp/cst-ocsd-log-XXXXXX";
	FILE *stream[2] = { stdout, stderr };
	int fd[2], saved[2], i;
	ssize_t n;

	for (i = 0; i < 2; i++) {
		strcpy(path, "/tmp/cst-ocsd-log-XXXXXX");
		fflush(stream[i]);
		fd[i] = mkstemp(path);
		assert_true(fd[i] >= 0);
		unlink(path);
		saved[i] = dup(1 + i);
		dup2(fd[i], 1 + i);
	}
	ocsd_def_errlog_config_output(flags, NULL);
	ocsd_def_errlog_msgout("text\n");
	for (i = 0; i < 2; i++) {
		fflush(stream[i]);
		dup2(saved[i], 1 + i);
		close(saved[i]);
		n = pread(fd[i], i ? err : out, size - 1, 0);
		close(fd[i]);
		(i ? err : out)[n > 0 ? n : 0] = 0;
	}
}

static void test_streams(void **state)
{
	char out[64], err[64];

	(void)state;
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 1), OCSD_OK);
	streams(0, out, err, sizeof(out));
	assert_string_equal(out, "");
	assert_string_equal(err, "");
	streams(C_API_MSGLOGOUT_FLG_STDOUT, out, err, sizeof(out));
	assert_string_equal(out, "text\n");
	assert_string_equal(err, "");
	streams(C_API_MSGLOGOUT_FLG_STDERR, out, err, sizeof(out));
	assert_string_equal(out, "");
	assert_string_equal(err, "text\n");
	streams(C_API_MSGLOGOUT_FLG_STDERR | C_API_MSGLOGOUT_FLG_STDOUT, out, err, sizeof(out));
	assert_string_equal(out, "text\n");
	assert_string_equal(err, "text\n");
	assert_int_equal(ocsd_def_errlog_config_output(0, NULL), OCSD_OK);
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0), OCSD_OK);
}

/* The list of accessors is information: it is printed at that level of the log, and not below. */
static void test_mapped(void **state)
{
	const ocsd_file_mem_region_t regions[2] = { { 0, 0x5000, 4 }, { 4, 0x6000, 8 } };
	struct lines l = { NULL, 0, 0 };
	dcd_tree_handle_t t = make();
	char path[1024], file[1200];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/code", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(nops, 1, 12, f), 12);
	fclose(f);
	assert_int_equal(ocsd_def_errlog_config_output(0, NULL), OCSD_OK);
	assert_int_equal(ocsd_def_errlog_set_strprint_cb(t, &l, print_line), OCSD_OK);
	assert_int_equal(ocsd_dt_add_buffer_mem_acc(t, 0x1000, OCSD_MEM_SPACE_EL1N, (const uint8_t *)nops, 16),
			 OCSD_OK);
	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 0x2000, 0x2fff, OCSD_MEM_SPACE_S, no_code, NULL), OCSD_OK);
	assert_int_equal(ocsd_dt_add_binfile_region_mem_acc(t, regions, 2, OCSD_MEM_SPACE_N, path), OCSD_OK);
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_WARN, 1), OCSD_OK);
	ocsd_tl_log_mapped_mem_ranges(t);
	CHECK_NOTHING(&l);
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_INFO, 0), OCSD_OK);
	ocsd_tl_log_mapped_mem_ranges(t);
	CHECK_NOTHING(&l);
	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 3, 7, OCSD_MEM_SPACE_ANY, no_code, NULL),
			 OCSD_OK);
	assert_int_equal(ocsd_dt_add_callback_mem_acc(t, 8, 9, (ocsd_mem_space_acc_t)0x48, no_code,
						      NULL),
			 OCSD_OK);
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_INFO, 1), OCSD_OK);
	ocsd_tl_log_mapped_mem_ranges(t);
	snprintf(file, sizeof(file), "Gen_Info : FileAcc; Range::0x5000:5003; Mem Space::Any NS\n"
		 "FileAcc; Range::0x6000:6007; Mem Space::Any NS\nFilename=%s\n", path);
	CHECK(&l, "Gen_Info : Mapped Memory Accessors\n",
	      "Gen_Info : BuffAcc; Range::0x1000:100f; Mem Space::EL1N\n",
	      "Gen_Info : CB  Acc; Range::0x2000:2fff; Mem Space::Any S\n", file,
	      "Gen_Info : CB  Acc; Range::0x03:7; Mem Space::Any\n",
	      "Gen_Info : CB  Acc; Range::0x08:9; Mem Space::EL3,EL2R,\n",
	      "Gen_Info : ========================\n");
	/* none are left; a tree that never had one prints nothing */
	assert_int_equal(ocsd_dt_remove_mem_acc(t, 0x6007, OCSD_MEM_SPACE_EL1N), OCSD_OK);
	assert_int_equal(ocsd_dt_remove_mem_acc(t, 0x1000, OCSD_MEM_SPACE_EL1N), OCSD_OK);
	assert_int_equal(ocsd_dt_remove_mem_acc(t, 0x2000, OCSD_MEM_SPACE_S), OCSD_OK);
	assert_int_equal(ocsd_dt_remove_mem_acc(t, 3, OCSD_MEM_SPACE_ANY), OCSD_OK);
	assert_int_equal(ocsd_dt_remove_mem_acc(t, 8, (ocsd_mem_space_acc_t)0x40), OCSD_OK);
	ocsd_tl_log_mapped_mem_ranges(t);
	CHECK(&l, "Gen_Info : Mapped Memory Accessors\n", "Gen_Info : ========================\n");
	ocsd_destroy_dcd_tree(t);
	t = make();
	ocsd_tl_log_mapped_mem_ranges(t);
	CHECK_NOTHING(&l);
	assert_int_equal(ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0), OCSD_OK);
	ocsd_destroy_dcd_tree(t);
}

/* The text of an error has its number, its name and what it means; a number that no error has is unknown. */
static void test_texts(void **state)
{
	dcd_tree_handle_t t = make();
	char text[200] = "x";

	(void)state;
	ocsd_err_str(OCSD_OK, text, sizeof(text));
	assert_string_equal(text, "0x0000 (OCSD_OK) [No Error.]; ");
	ocsd_err_str(OCSD_ERR_DCDREG_TOOMANY, text, sizeof(text));
	assert_string_equal(strchr(text, '('),
			    "(OCSD_ERR_DCDREG_TOOMANY) [Attempted to register too many custom decoders]; ");
	/* what only 1.8 has, for its clients */
	assert_int_equal(ocsd_dt_set_mem_acc_cacheing(t, 1, 4096, 16), OCSD_ERR_NOT_INIT);
	ocsd_err_str((ocsd_err_t)44, text, sizeof(text));
	assert_string_equal(text, "0x002c (OCSD_ERR_INVALID_OPCODE) [Illegal Opode found while decoding program memory.]; ");
	ocsd_err_str((ocsd_err_t)45, text, sizeof(text));
	assert_string_equal(text, "0x002d (OCSD_ERR_I_RANGE_LIMIT_OVERRUN) [An optional limit on consecutive instructions in "
			    "range during decode has been exceeded.]; ");
	ocsd_err_str((ocsd_err_t)46, text, sizeof(text));
	assert_string_equal(text, "0x002e (OCSD_ERR_BAD_DECODE_IMAGE) [Mismatch between trace packets and decode image.]; ");
	ocsd_destroy_dcd_tree(t);
	ocsd_err_str((ocsd_err_t)999, text, sizeof(text));
	assert_string_equal(text, "0x03e7 (unknown); ");
	/* no room, no text */
	ocsd_err_str(OCSD_ERR_MEM, text, 0);
	assert_string_equal(text, "0x03e7 (unknown); ");
	ocsd_err_str(OCSD_ERR_MEM, text, 1);
	assert_string_equal(text, "");
	ocsd_err_str(OCSD_ERR_MEM, NULL, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_element_printer),
		cmocka_unit_test(test_other_tree),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_mapped),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
