/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_snapshot.c - Arm snapshots from memory: what is read, what is missing or wrong and where that is
 * reported, limits, trace unit registers, and the code memory of cores.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/error.h>
#include <cstrace/files/snapshot.h>

#define MAX_FILES 8

struct files {
	struct {
		const char *name;
		const char *text;
		size_t len;	/* 0: strlen */
	} f[MAX_FILES];
	int notes;
	struct cst_snap_note last;
	char last_file[64];
};

static int open_file(void *ctx, const char *name, const uint8_t **data, size_t *len)
{
	struct files *fs = ctx;
	size_t i;

	for (i = 0; i < MAX_FILES && fs->f[i].name; i++)
		if (!strcmp(fs->f[i].name, name)) {
			*data = (const uint8_t *)fs->f[i].text;
			*len = fs->f[i].len ? fs->f[i].len : strlen(fs->f[i].text);
			return 0;
		}
	return -1;
}

static void note(void *ctx, const struct cst_snap_note *n)
{
	struct files *fs = ctx;

	assert_non_null(n->text);
	assert_true(n->error < 0);
	fs->notes++;
	fs->last = *n;
	snprintf(fs->last_file, sizeof(fs->last_file), "%s", n->file);
}

static struct cst_snap_io io_for(struct files *fs)
{
	struct cst_snap_io io = { .ctx = fs, .open = open_file, .note = note };

	return io;
}

static const char index_ini[] =
	"\xef\xbb\xbf; made by hand\r\n"
	"[snapshot]\r\n version = 1.0 \r\ndescription=two words\r\n"
	"[device_list]\r\na=cpu.ini\r\nb=etm.ini ; the trace unit\r\n"
	"[clusters]\r\nCluster 0=cpu_0, cpu_1,\r\n"
	"[trace]\r\nmetadata=trace.ini\r\n";
static const char cpu_ini[] =
	"[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\nlocation=address:0x10\nextra=kept out\n"
	"[dump1]\nfile=code.bin\naddress=0x1000\nlength=8\noffset=4\n"
	"[regs]\nPC(size:64)=0xFFFFFFC000081000\nR0=7\nA(77)=0x10\nB( id : 0x4e , size:16 )=0x11\n"
	"[dump.text]\nfile=code.bin\naddress=0x2000\nspace=EL2\n";
static const char etm_ini[] =
	"[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4.2\n"
	"[regs]\nTRCCONFIGR(id:0x4)=0xc1\nTRCTRACEIDR(0x10)=0x12\ntrcidr0=0x28000EA1\nTRCIDR1=0x4100F420\n"
	"TRCIDR2=0x488\nTRCIDR8=3\n";
static const char trace_ini[] =
	"[trace_buffers]\nbuffers=b0, b1,\n"
	"[b1]\nmaker=unknown to readers\nname=ETB_1\nfile=x.bin , y.bin\nformat=source_data\n"
	"[b7]\nname=ETB_7\nfile=z.bin\nformat=coresight\n"
	"[b0]\nname=ETB_0\nfile=t.bin\nformat=dstream_coresight\n"
	"[source_buffers]\nETM_0=ETB_0\nETM_0(stream:1)=ETB_1\n"
	"[core_trace_sources]\ncpu_0=ETM_0\n";

static struct files good_files(void)
{
	struct files fs = { .f = { { "snapshot.ini", index_ini, 0 }, { "cpu.ini", cpu_ini, 0 },
				   { "etm.ini", etm_ini, 0 }, { "trace.ini", trace_ini, 0 },
				   { "code.bin", "0123456789abcdefghij", 0 } } };

	return fs;
}

static void set_file(struct files *fs, const char *name, const char *text)
{
	size_t i;

	for (i = 0; i < MAX_FILES - 1 && fs->f[i].name && strcmp(fs->f[i].name, name); i++)
		;
	fs->f[i].name = name;
	fs->f[i].text = text;
	fs->f[i].len = 0;
}

static void test_everything(void **state)
{
	struct files fs = good_files();
	struct cst_snap_io io = io_for(&fs);
	const struct cst_snap_device *cpu, *etm;
	struct cst_snapshot *ss;
	uint64_t v;

	(void)state;
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), 0);
	assert_int_equal(fs.notes, 0);
	assert_int_equal(ss->n_skipped, 0);
	assert_string_equal(ss->version, "1.0");
	assert_string_equal(ss->description, "two words");
	assert_int_equal(ss->n_devices, 2);
	cpu = cst_snapshot_device(ss, "cpu_0");
	assert_non_null(cpu);
	assert_string_equal(cpu->file, "cpu.ini");
	assert_string_equal(cpu->type, "Cortex-A53");
	assert_string_equal(cpu->location, "address:0x10");
	assert_int_equal(cpu->class_, CST_SNAP_CORE);
	assert_int_equal(cpu->n_regs, 4);
	assert_string_equal(cpu->regs[0].name, "PC");
	assert_int_equal(cpu->regs[0].value, 0xFFFFFFC000081000ull);
	assert_int_equal(cpu->regs[0].bits, 64);
	assert_int_equal(cpu->regs[0].has_id, 0);
	assert_int_equal(cpu->regs[1].bits, 32);
	assert_int_equal(cpu->regs[2].id, 77);
	assert_int_equal(cpu->regs[3].id, 0x4e);
	assert_int_equal(cpu->regs[3].bits, 16);
	assert_int_equal(cpu->n_dumps, 2);
	assert_int_equal(cpu->dumps[0].address, 0x1000);
	assert_int_equal(cpu->dumps[0].length, 8);
	assert_int_equal(cpu->dumps[0].offset, 4);
	assert_int_equal(cpu->dumps[0].space, CST_MEM_ANY);
	assert_int_equal(cpu->dumps[1].length, 0);
	assert_int_equal(cpu->dumps[1].space, CST_MEM_EL2N);
	assert_int_equal(cpu->dumps[1].line, 17);
	etm = cst_snapshot_device(ss, "ETM_0");
	assert_int_equal(etm->class_, CST_SNAP_SOURCE);
	assert_ptr_equal(cst_snapshot_core(ss, etm), cpu);
	assert_int_equal(cst_snap_reg(etm, "TRCIDR0", &v), 1);
	assert_int_equal(v, 0x28000EA1);
	assert_int_equal(cst_snap_reg(etm, "TRCIDR", &v), 0);
	/* buffers in the order of their sections; b7 is not in the list */
	assert_int_equal(ss->n_buffers, 2);
	assert_string_equal(ss->buffers[0].id, "b1");
	assert_string_equal(ss->buffers[0].name, "ETB_1");
	assert_int_equal(ss->buffers[0].n_files, 2);
	assert_string_equal(ss->buffers[0].files[1], "y.bin");
	assert_int_equal(ss->buffers[0].format, CST_SNAP_FMT_SOURCE_DATA);
	assert_int_equal(ss->buffers[1].format, CST_SNAP_FMT_DSTREAM);
	/* the data stream (1) in another buffer is not the instruction stream */
	assert_int_equal(cst_snapshot_feeds(ss, etm, &ss->buffers[0]), 0);
	assert_int_equal(cst_snapshot_feeds(ss, etm, &ss->buffers[1]), 1);
	assert_int_equal(ss->n_source_buffers, 2);
	assert_int_equal(ss->source_buffers[1].stream, 1);
	assert_int_equal(ss->n_clusters, 2);
	assert_string_equal(ss->clusters[1].from, "Cluster 0");
	assert_string_equal(ss->clusters[1].to, "cpu_1");
	cst_snapshot_free(ss);
}

/* What makes a snapshot unusable. */
static void test_fatal(void **state)
{
	static const struct {
		const char *file, *text;
		int error;
	} cases[] = {
		{ "snapshot.ini", "", CST_ERR_NOT_FOUND },
		{ "snapshot.ini", "[snapshot]\n[device_list]\na=cpu.ini\n", CST_ERR_NOT_FOUND },
		{ "snapshot.ini", "[snapshot]\nversion=2.0\n[device_list]\na=cpu.ini\n", CST_ERR_VERSION },
		{ "snapshot.ini", "[snapshot]\nversion=1.0\n", CST_ERR_NOT_FOUND },
		{ "snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\n[trace]\n"
		  "metadata=absent.ini\n", CST_ERR_IO },
		{ "trace.ini", "[b0]\nname=x\nfile=y\nformat=coresight\n", CST_ERR_NOT_FOUND },
		{ "trace.ini", "[trace_buffers]\nbuffers=b0\n", CST_ERR_NOT_FOUND },
		{ "trace.ini", "[trace_buffers]\nbuffers=b0\n[b0]\nname=x\nfile=y\n", CST_ERR_NOT_FOUND },
		{ "trace.ini", "[trace_buffers]\nbuffers=b0\n[b0]\nname=x\nformat=coresight\n",
		  CST_ERR_NOT_FOUND },
	};
	struct cst_snapshot *ss;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct files fs = good_files();
		struct cst_snap_io io = io_for(&fs);

		set_file(&fs, cases[i].file, cases[i].text);
		assert_int_equal(cst_snapshot_read(&ss, &io, NULL), -cases[i].error);
		assert_null(ss);
		assert_true(fs.notes > 0);
		assert_int_equal(fs.last.error, -cases[i].error);
	}
	{
		struct files fs = good_files();
		struct cst_snap_io io = io_for(&fs);

		assert_int_equal(cst_snapshot_read(&ss, &io, "absent.ini"), -CST_ERR_IO);
		assert_string_equal(fs.last_file, "absent.ini");
		io.open = NULL;
		assert_int_equal(cst_snapshot_read(&ss, &io, NULL), -CST_ERR_INVAL);
		assert_int_equal(cst_snapshot_read(&ss, NULL, NULL), -CST_ERR_INVAL);
	}
}

/* What is left out: told with its line, counted, and the rest is there. */
static void test_skipped(void **state)
{
#define BUFFER "[trace_buffers]\nbuffers=b0\n[b0]\nfile=t.bin, , u.bin\nformat=coresight\n" \
	       "[source_buffers]\n"
	static const struct {
		const char *file, *text;
		unsigned int line;
		size_t devices, regs, dumps;	/* of cpu_0 */
	} cases[] = {
		{ "cpu.ini", "[device]\nname=cpu_0\nclass=core\n[regs]\nA=\nB=3\n", 5, 2, 1, 0 },
		{ "cpu.ini", "[device]\nname=cpu_0\n[regs]\nA=0x1FFFFFFFFFFFFFFFF\nB=3\n", 4, 2, 1, 0 },
		{ "cpu.ini", "[device]\nname=cpu_0\n[regs]\nA(3=4\nB=18446744073709551615\n", 4, 2, 1, 0 },
		{ "cpu.ini", "[device]\nname=cpu_0\n[regs]\nA(size:x)=4\n", 4, 2, 0, 0 },
		{ "cpu.ini", "[device]\nname=cpu_0\n[regs]\nA(size:65)=4\n", 4, 2, 0, 0 },
		{ "cpu.ini", "[device]\nname=cpu_0\n[regs]\n(1)=4\n", 4, 2, 0, 0 },
		{ "cpu.ini", "[device]\nname=cpu_0\n[dump]\nfile=x\n[dump]\nfile=y\naddress=1\n", 3, 2, 0, 1 },
		{ "cpu.ini", "[device]\nname=cpu_0\n[dump]\naddress=4\n", 3, 2, 0, 0 },
		{ "cpu.ini", "[device]\nname=cpu_0\n[dump]\nfile=x\naddress=4 4\n", 5, 2, 0, 0 },
		{ "cpu.ini", "[device]\nname=cpu_0\n[dump]\nfile=x\naddress=4\nspace=EL9\n", 6, 2, 0, 0 },
		{ "cpu.ini", "[device]\nname=cpu_0\nno value here\n", 3, 2, 0, 0 },
		{ "cpu.ini", "[device]\nname=cpu_0\n[unfinished\n", 3, 2, 0, 0 },
		{ "cpu.ini", "[device]\nname=cpu_0\n[regs]\nA(,7,)=1\nB(id:0x100000000)=1\n",
		  5, 2, 1, 0 },
		{ "trace.ini", BUFFER "ETM_0(stream:256)=b0\n", 7, 2, 4, 2 },
		{ "trace.ini", BUFFER "ETM_0(Stream:1)=b0\n", 7, 2, 4, 2 },
		{ "cpu.ini", "[device]\nname=cpu_0\nbad\x01=1\n", 3, 2, 0, 0 },
	};
	const struct cst_snap_device *cpu;
	struct cst_snapshot *ss;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct files fs = good_files();
		struct cst_snap_io io = io_for(&fs);

		set_file(&fs, cases[i].file, cases[i].text);
		assert_int_equal(cst_snapshot_read(&ss, &io, NULL), 0);
		assert_int_equal(ss->n_skipped, 1);
		assert_int_equal(fs.notes, 1);
		assert_string_equal(fs.last_file, cases[i].file);
		assert_int_equal(fs.last.line, cases[i].line);
		assert_int_equal(ss->n_devices, cases[i].devices);
		cpu = cst_snapshot_device(ss, "cpu_0");
		assert_int_equal(cpu->n_regs, cases[i].regs);
		assert_int_equal(cpu->n_dumps, cases[i].dumps);
		cst_snapshot_free(ss);
	}
}

static void test_single_buffer(void **state)
{
	struct files fs = good_files();
	struct cst_snap_io io = io_for(&fs);
	const struct cst_snap_device *etm, *cpu;
	struct cst_snapshot *ss;

	(void)state;
	/* no [source_buffers]: every source goes to the only buffer; the core is named by location */
	set_file(&fs, "trace.ini", "[b0]\nfile=t.bin\nformat=CoreSight\n[trace_buffers]\nbuffers=b0,b9\n"
		 "[core_trace_sources]\ncpu_0=@dap:2,address:0x20\n");
	set_file(&fs, "etm.ini", "[device]\nname=E\nclass=trace_source\ntype=ETE\nlocation=dap:2,address:0x20\n");
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), 0);
	etm = cst_snapshot_device(ss, "E");
	cpu = cst_snapshot_device(ss, "cpu_0");
	assert_int_equal(ss->n_skipped, 1);	/* b9 has no section */
	assert_int_equal(ss->n_buffers, 1);
	assert_string_equal(ss->buffers[0].name, "b0");
	assert_int_equal(ss->buffers[0].format, CST_SNAP_FMT_CORESIGHT);
	assert_int_equal(cst_snapshot_feeds(ss, etm, &ss->buffers[0]), 1);
	assert_int_equal(cst_snapshot_feeds(ss, cpu, &ss->buffers[0]), 0);
	assert_ptr_equal(cst_snapshot_core(ss, etm), cpu);
	assert_null(cst_snapshot_core(ss, cpu));
	cst_snapshot_free(ss);
	/* buffers without a file or without a format are left out; the others keep their order */
	set_file(&fs, "trace.ini", "[trace_buffers]\nbuffers=b0,b1,b2,b3,b4\n[b0]\nfile=t.bin\n[b1]\nfile=t.bin\nformat=coresight\n"
		 "[b2]\nformat=coresight\n[b3]\nfile=t.bin\nformat=source_data\n[b4]\nname=b4\n");
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), 0);
	assert_int_equal(ss->n_skipped, 3);
	assert_int_equal(ss->n_buffers, 2);
	assert_string_equal(ss->buffers[0].name, "b1");
	assert_string_equal(ss->buffers[1].name, "b3");
	cst_snapshot_free(ss);
}

static void test_limits(void **state)
{
	struct files fs = good_files();
	struct cst_snap_io io = io_for(&fs);
	static char padded[70000];
	struct cst_snapshot *ss;
	size_t limit;
	int err, ok = 0, refused = 0;

	(void)state;
	/* any amount of memory is either enough or refused in an orderly way */
	for (limit = 1; limit < 400000; limit += limit < 70000 ? 997 : 65536) {
		io.limits.memory = limit;
		err = cst_snapshot_read(&ss, &io, NULL);
		assert_true(err == 0 || err == -CST_ERR_LIMIT);
		ok += !err;
		refused += !!err;
		cst_snapshot_free(ss);
	}
	assert_true(ok > 0 && refused > 0);
	/* one block of memory, of which the description leaves less: each line is refused */
	io.limits.memory = 65536;
	set_file(&fs, "snapshot.ini", padded);
	for (limit = 60000; limit < 65600; limit += 16) {
		snprintf(padded, sizeof(padded), "[snapshot]\nversion=1.0\ndescription=%0*d\n%s",
			 (int)limit, 1, strstr(index_ini, "[device_list]"));
		err = cst_snapshot_read(&ss, &io, NULL);
		assert_true(err == 0 || err == -CST_ERR_LIMIT);
		cst_snapshot_free(ss);
	}
	assert_int_equal(err, -CST_ERR_LIMIT);
	/* more buffers than there may be */
	fs = good_files();
	io.limits.memory = 0;
	strcpy(padded, "[trace_buffers]\nbuffers=");
	for (limit = 0; limit < 257; limit++)
		strcat(padded, "b0,");
	set_file(&fs, "trace.ini", padded);
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), -CST_ERR_LIMIT);
	fs = good_files();
	/* up to the limit: the longest file, both devices */
	io.limits.text = sizeof(trace_ini) - 1;
	io.limits.files = 2;
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), 0);
	cst_snapshot_free(ss);
	io.limits.text--;
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), -CST_ERR_LIMIT);
	io.limits.text = 0;
	io.limits.files = 1;
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), -CST_ERR_LIMIT);
	cst_snapshot_free(NULL);
}

static const struct cst_snap_device *read_source(struct files *fs, struct cst_snapshot **ss, const char *text)
{
	struct cst_snap_io io = io_for(fs);

	set_file(fs, "etm.ini", text);
	assert_int_equal(cst_snapshot_read(ss, &io, NULL), 0);
	return cst_snapshot_device(*ss, "E");
}

static void test_registers(void **state)
{
	struct files fs = good_files();
	struct cst_etmv4_regs regs = { 0 };
	struct cst_snapshot *ss;
	unsigned int assumed;
	const char *missing;
	int ete;

	(void)state;
	assert_int_equal(cst_snap_etmv4(read_source(&fs, &ss,
		"[device]\nname=E\ntype=ete1.0\n[regs]\nTRCCONFIGR=1\nTRCTRACEIDR=2\nTRCIDR0=3\nTRCIDR2=4\n"),
		&regs, &ete, &assumed, &missing), 0);
	assert_int_equal(ete, 1);
	assert_int_equal(assumed, CST_SNAP_NO_DEVARCH | CST_SNAP_NO_IDR8);
	assert_int_equal(regs.devarch, 0x47705a13);
	assert_int_equal(regs.configr, 1);
	assert_int_equal(regs.idr2, 4);
	assert_int_equal(regs.idr8, 0);
	cst_snapshot_free(ss);
	assert_int_equal(cst_snap_etmv4(read_source(&fs, &ss,
		"[device]\nname=E\ntype=ETM4\n[regs]\nTRCCONFIGR=1\nTRCTRACEIDR=2\nTRCIDR0=3\nTRCIDR2=4\n"
		"TRCIDR8=0x10\nTRCIDR12=9\n"), &regs, &ete, &assumed, NULL), 0);
	assert_int_equal(ete, 0);
	assert_int_equal(assumed, CST_SNAP_NO_IDR1);
	assert_int_equal(regs.idr1, 0x4100f403);
	assert_int_equal(regs.idr8, 16);
	assert_int_equal(regs.idr12, 9);
	cst_snapshot_free(ss);
	assert_int_equal(cst_snap_etmv4(read_source(&fs, &ss,
		"[device]\nname=E\ntype=ETM4\n[regs]\nTRCCONFIGR=1\nTRCTRACEIDR=2\nTRCIDR2=4\n"),
		&regs, &ete, NULL, &missing), -CST_ERR_NOT_FOUND);
	assert_string_equal(missing, "TRCIDR0");
	cst_snapshot_free(ss);
	assert_int_equal(cst_snap_etmv4(read_source(&fs, &ss, "[device]\nname=E\ntype=ETM3.5\n"),
					&regs, &ete, NULL, NULL), -CST_ERR_PROTOCOL);
	cst_snapshot_free(ss);
	assert_int_equal(cst_snap_etmv4(read_source(&fs, &ss, "[device]\nname=E\n"), &regs, &ete, NULL,
					NULL), -CST_ERR_PROTOCOL);
	cst_snapshot_free(ss);
}

static void test_profiles(void **state)
{
	static const struct {
		const char *type;
		enum cst_profile profile;
	} cases[] = {
		{ "Cortex-A53", CST_PROFILE_A }, { "cortex-m33", CST_PROFILE_M },
		{ "Cortex-R52", CST_PROFILE_R }, { "ARMv7-M", CST_PROFILE_M },
		{ "ARMv8-R", CST_PROFILE_R }, { "ARMv8-A", CST_PROFILE_A }, { "", CST_PROFILE_A },
	};
	struct cst_snap_device dev = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		dev.type = cases[i].type;
		assert_int_equal(cst_snap_profile(&dev), cases[i].profile);
	}
	assert_int_equal(cst_snap_profile(NULL), CST_PROFILE_A);
}

/* Registers of every kind of source become the configuration of its protocol. */
static void test_config(void **state)
{
#define ETM4_REGS "TRCTRACEIDR=0x12\nTRCIDR0=0x28000ea1\nTRCIDR1=0x4100f402\nTRCIDR2=0x488\n"
#define PTM_REGS "ETMCR=0x10001000\nETMIDR=0x411cf312\nETMTRACEIDR=0x13\n"
	static const struct {
		const char *type, *regs;
		unsigned int stream;
		int err;
		const char *missing;
		unsigned int assumed;
		uint8_t protocol, version, trace_id;
	} cases[] = {
		{ "ETM4", "TRCCONFIGR=0xc1\n" ETM4_REGS, 0, 0, NULL, CST_SNAP_NO_IDR8, CST_PROTO_ETMV4, 0x40, 0x12 },
		{ "ETM4", "TRCCONFIGR=0xc1\n" ETM4_REGS, 1, -CST_ERR_PROTOCOL, NULL, 0, 0, 0, 0 },
		{ "ETM4", "TRCCONFIGR=0x300c1\n" ETM4_REGS, 0, -CST_ERR_UNSUP, NULL, CST_SNAP_NO_IDR8,
		  CST_PROTO_ETMV4, 0x40, 0x12 },
		{ "ETM4", "TRCCONFIGR=0x300c1\n" ETM4_REGS, 1, 0, NULL, CST_SNAP_NO_IDR8,
		  CST_PROTO_ETMV4_DATA, 0x40, 0x13 },
		{ "ETM4", "TRCCONFIGR=0x300c1\n" ETM4_REGS, 2, -CST_ERR_PROTOCOL, NULL, 0, 0, 0, 0 },
		{ "ETM4", "TRCCONFIGR=0xc1\nTRCDEVARCH=0x47705a13\n" ETM4_REGS "TRCIDR8=0", 0, 0, NULL, 0,
		  CST_PROTO_ETE, 0x50, 0x12 },
		{ "ETE", "TRCCONFIGR=0xc1\nTRCDEVARCH=0x47704a13\n" ETM4_REGS "TRCIDR8=0", 0, 0, NULL, 0,
		  CST_PROTO_ETMV4, 0x40, 0x12 },
		{ "ETE", "TRCCONFIGR=0xc1\n" ETM4_REGS "TRCIDR8=0", 0, 0, NULL, CST_SNAP_NO_DEVARCH, CST_PROTO_ETE,
		  0x50, 0x12 },
		{ "ETM3.5", "ETMCR=0x10001860\nETMIDR=0x410CF250\nETMCCER=0x344008F2\nETMTRACEIDR=0x10\n", 0, 0, NULL, 0,
		  CST_PROTO_ETMV3, 0x35, 0x10 },
		{ "ETMv3.5", "ETMCR=0x10001860\nETMIDR=0x410CF250\nETMTRACEIDR=0x10\n", 0, 0, NULL, CST_SNAP_NO_CCER,
		  CST_PROTO_ETMV3, 0x35, 0x10 },
		{ "ETM3.5", "ETMIDR=0x410CF250\nETMTRACEIDR=0x10\n", 0, -CST_ERR_NOT_FOUND, "ETMCR", 0, 0, 0, 0 },
		{ "ETM3.5", PTM_REGS, 0, -CST_ERR_VERSION, NULL, CST_SNAP_NO_CCER, CST_PROTO_ETMV3, 0x31, 0x13 },
		{ "PTM1.1", PTM_REGS "ETMCCER=0x34C01AC2\n", 0, 0, NULL, 0, CST_PROTO_PTM, 0x11, 0x13 },
		{ "pft1.1", PTM_REGS "ETMCCER=0x34C01AC2\n", 0, 0, NULL, 0, CST_PROTO_PTM, 0x11, 0x13 },
		{ "PTM1.1", PTM_REGS, 1, -CST_ERR_PROTOCOL, NULL, 0, 0, 0, 0 },
		{ "STM", "STMTCSR=0x00A00007\n", 0, 0, NULL, 0, CST_PROTO_STM, 0, 0x20 },
		{ "STM", "STMDEVID=0x00A00007\n", 0, -CST_ERR_NOT_FOUND, "STMTCSR", 0, 0, 0, 0 },
		{ "ITM", "ITMTCR=0x00210006\n", 0, 0, NULL, 0, CST_PROTO_ITM, 0, 0x21 },
		{ "ITM", "CONTROL_REGISTER=0x00210006\n", 0, 0, NULL, 0, CST_PROTO_ITM, 0, 0x21 },
		{ "ITM", "ETMCR=1\n", 0, -CST_ERR_NOT_FOUND, "ITMTCR", 0, 0, 0, 0 },
		{ "ELA500", "ETMCR=1\n", 0, -CST_ERR_PROTOCOL, NULL, 0, 0, 0, 0 },
	};
	const struct cst_snap_device *dev;
	struct cst_snapshot *ss;
	struct cst_config cfg = { 0 };
	unsigned int assumed;
	const char *missing;
	char text[256];
	size_t i;
	int err;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct files fs = good_files();

		snprintf(text, sizeof(text), "[device]\nname=E\nclass=trace_source\ntype=%s\n[regs]\n%s\n",
			 cases[i].type, cases[i].regs);
		dev = read_source(&fs, &ss, text);
		missing = NULL;
		err = cst_snap_config(dev, NULL, cases[i].stream, &cfg, &assumed, &missing);
		assert_int_equal(err, cases[i].err);
		if (cases[i].missing)
			assert_string_equal(missing, cases[i].missing);
		if (cases[i].protocol) {
			assert_int_equal(cfg.protocol, cases[i].protocol);
			assert_int_equal(cfg.version, cases[i].version);
			assert_int_equal(cfg.trace_id, cases[i].trace_id);
			assert_int_equal(assumed, cases[i].assumed);
			assert_int_equal(cst_snap_config(dev, NULL, cases[i].stream, &cfg, NULL, NULL), err);
		}
		cst_snapshot_free(ss);
	}
}

struct memory_test {
	struct files fs;
	struct cst_snap_io io;
	struct cst_snapshot *ss;
	struct cst_image *img;
	struct cst_snap_memory *mem;
	size_t missing;
};

static void open_memory(struct memory_test *t, const char *cpu, const char *other)
{
	memset(t, 0, sizeof(*t));
	t->fs = good_files();
	t->io = io_for(&t->fs);
	set_file(&t->fs, "snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\nb=other.ini\n");
	set_file(&t->fs, "cpu.ini", cpu);
	set_file(&t->fs, "other.ini", other);
	assert_int_equal(cst_snapshot_read(&t->ss, &t->io, NULL), 0);
	assert_int_equal(cst_image_new(&t->img, 0), 0);
	assert_int_equal(cst_snap_memory_new(&t->mem, t->ss, t->img, &t->io, &t->missing), 0);
}

static void close_memory(struct memory_test *t)
{
	cst_image_free(t->img);
	cst_snap_memory_free(t->mem);
	cst_snapshot_free(t->ss);
}

/* What stands at an address: up to 4 characters, "" for nothing. */
static const char *at(struct cst_space *space, uint64_t addr)
{
	static char out[5];
	const uint8_t *bytes;
	int64_t n = cst_space_read(space, addr, 4, &bytes, NULL, NULL);

	assert_true(n >= 0 && n <= 4);
	if (n)
		memcpy(out, bytes, (size_t)n);
	out[n] = '\0';
	return out;
}

static void test_memory_order(void **state)
{
	struct memory_test t;
	struct cst_space *own, *other, *none;

	(void)state;
	/* own dumps before the other core's, the first before the second */
	open_memory(&t, "[device]\nname=a\nclass=core\n"
		    "[dump]\nfile=code.bin\naddress=0x1000\nlength=8\n"
		    "[dump]\nfile=code.bin\naddress=0x1004\nlength=8\noffset=8\n",
		    "[device]\nname=b\nclass=core\n"
		    "[dump]\nfile=code.bin\naddress=0x1000\nlength=0x10\noffset=4\n");
	own = cst_snap_memory_space(t.mem, cst_snapshot_device(t.ss, "a"), CST_MEM_EL1N);
	other = cst_snap_memory_space(t.mem, cst_snapshot_device(t.ss, "b"), CST_MEM_EL1N);
	none = cst_snap_memory_space(t.mem, NULL, CST_MEM_EL1N);
	assert_string_equal(at(own, 0x1000), "0123");
	assert_string_equal(at(own, 0x1004), "4567");	/* not 89ab */
	assert_string_equal(at(own, 0x1008), "cdef");
	assert_string_equal(at(own, 0x100c), "ghij");	/* of the other core */
	assert_string_equal(at(own, 0x1010), "");
	assert_string_equal(at(other, 0x1000), "4567");
	assert_string_equal(at(none, 0x1000), "0123");
	assert_ptr_equal(own,
			 cst_snap_memory_space(t.mem, cst_snapshot_device(t.ss, "a"), CST_MEM_EL3));
	close_memory(&t);
	/* memory spaces before other cores; other classes of devices have no memory that a core sees */
	open_memory(&t, "[device]\nname=a\nclass=core\n[dump]\nfile=code.bin\naddress=0x1000\nlength=4\n",
		    "[device]\nname=b\nclass=memory_space\n[dump]\nfile=code.bin\naddress=0x1000\nlength=8\noffset=4\n");
	set_file(&t.fs, "snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\nc=c.ini\nb=other.ini\nd=d.ini\n");
	set_file(&t.fs, "c.ini", "[device]\nname=c\nclass=core\n[dump]\nfile=code.bin\naddress=0x1000\nlength=12\noffset=8\n");
	set_file(&t.fs, "d.ini", "[device]\nname=d\nclass=trace_source\n[dump]\nfile=code.bin\naddress=0x1000\nlength=16\n");
	cst_snap_memory_free(t.mem);
	cst_snapshot_free(t.ss);
	assert_int_equal(cst_snapshot_read(&t.ss, &t.io, NULL), 0);
	assert_int_equal(cst_snap_memory_new(&t.mem, t.ss, t.img, &t.io, &t.missing), 0);
	own = cst_snap_memory_space(t.mem, cst_snapshot_device(t.ss, "a"), CST_MEM_EL1N);
	assert_string_equal(at(own, 0x1000), "0123");	/* its own */
	assert_string_equal(at(own, 0x1004), "89ab");	/* of the memory space */
	assert_string_equal(at(own, 0x1008), "ghij");	/* of core c */
	assert_string_equal(at(own, 0x100c), "");
	close_memory(&t);
}

static struct cst_space *context_space(struct cst_snap_memory *mem,
				       const struct cst_snap_device *core, unsigned int el,
				       enum cst_security security)
{
	return cst_snap_memory_space(mem, core, cst_memspace_of(el, security));
}

static void test_memory_spaces(void **state)
{
	static const struct {
		unsigned int el;
		enum cst_security sec;
		const char *text;
	} cases[] = {
		{ 0, CST_SEC_SECURE, "0123" }, { 1, CST_SEC_SECURE, "0123" }, { 2, CST_SEC_SECURE, "0123" },
		{ 3, CST_SEC_SECURE, "89ab" }, { 0, CST_SEC_NONSECURE, "4567" }, { 1, CST_SEC_NONSECURE, "4567" },
		{ 2, CST_SEC_NONSECURE, "cdef" }, { 1, CST_SEC_REALM, "" }, { 3, CST_SEC_ROOT, "ghij" },
	};
	const struct cst_context ctx = { .flags = CST_CTX_KNOWN };
	const struct cst_images *images;
	const struct cst_snap_device *core;
	struct memory_test t;
	size_t i;

	(void)state;
	open_memory(&t, "[device]\nname=a\nclass=core\n"
		    "[dump1]\nfile=code.bin\naddress=0\nlength=4\noffset=8\nspace=EL3\n"
		    "[dump2]\nfile=code.bin\naddress=0\nlength=4\noffset=0\nspace=S\n"
		    "[dump3]\nfile=code.bin\naddress=0\nlength=4\noffset=12\nspace=H\n"
		    "[dump4]\nfile=code.bin\naddress=0\nlength=4\noffset=4\nspace=N\n",
		    "[device]\nname=b\nclass=memory_space\n"
		    "[dump]\nfile=code.bin\naddress=0\noffset=16\nspace=root\n");
	core = cst_snapshot_device(t.ss, "a");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(at(context_space(t.mem, core, cases[i].el, cases[i].sec), 0),
				    cases[i].text);
	images = cst_snap_memory_images(t.mem, core);
	assert_ptr_equal(images, cst_snap_memory_images(t.mem, core));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_ptr_equal(cst_images_find(images, cst_memspace_of(cases[i].el, cases[i].sec), &ctx),
				 context_space(t.mem, core, cases[i].el, cases[i].sec));
	close_memory(&t);
}

/* Addresses that are no multiple of 4, and files that are too short or absent. */
static void test_memory_edges(void **state)
{
	struct cst_section *one, *two;
	const struct cst_snap_device *core;
	struct cst_space *space;
	const uint8_t *bytes;
	struct memory_test t;
	uint64_t off;

	(void)state;
	open_memory(&t, "[device]\nname=a\nclass=core\n"
		    "[dump]\nfile=code.bin\naddress=0x1002\nlength=6\n"
		    "[dump]\nfile=code.bin\naddress=0x2000\nlength=0x100\noffset=16\n"
		    "[dump]\nfile=code.bin\naddress=0x3000\noffset=0x100\n"
		    "[dump]\nfile=absent.bin\naddress=0x4000\n"
		    "[dump]\nfile=code.bin\naddress=0xfffffffffffffff0\n",
		    "[device]\nname=b\nclass=core\n[dump]\nfile=code.bin\naddress=0x8002\nlength=6\n");
	assert_int_equal(t.missing, 3);	/* cut, behind the end, absent */
	assert_int_equal(t.fs.notes, 3);
	core = cst_snapshot_device(t.ss, "a");
	space = cst_snap_memory_space(t.mem, core, CST_MEM_EL3);
	assert_string_equal(at(space, 0x1002), "0123");
	assert_string_equal(at(space, 0x1006), "45");
	assert_string_equal(at(space, 0x1000), "");
	assert_string_equal(at(space, 0x2000), "ghij");
	assert_string_equal(at(space, 0x2004), "");
	assert_string_equal(at(space, 0x3000), "");
	assert_string_equal(at(space, 0x4000), "");
	assert_string_equal(at(space, 0xfffffffffffffff8), "89ab");
	/* the same bytes at another address are the same section */
	assert_true(cst_space_read(space, 0x1002, 2, &bytes, &one, &off) == 2);
	assert_true(cst_space_read(space, 0x8002, 2, &bytes, &two, &off) == 2);
	assert_ptr_equal(one, two);
	assert_int_equal(off % 4, 2);
	close_memory(&t);
}

static void test_dump_limit(void **state)
{
	struct cst_snap_memory *mem;
	struct memory_test t;

	(void)state;
	open_memory(&t, cpu_ini, "[device]\nname=b\n");
	t.io.limits.dumps = 2;
	assert_int_equal(cst_snap_memory_new(&mem, t.ss, t.img, &t.io, NULL), 0);
	cst_snap_memory_free(mem);
	t.io.limits.dumps = 1;
	assert_int_equal(cst_snap_memory_new(&mem, t.ss, t.img, &t.io, NULL), -CST_ERR_LIMIT);
	assert_null(mem);
	/* the note is about the file of the device with the first dump that is too many, not about a line of it */
	assert_string_equal(t.fs.last_file, "cpu.ini");
	assert_string_equal(t.fs.last.text, "more memory dumps than allowed");
	assert_int_equal(t.fs.last.line, 0);
	assert_int_equal(t.fs.last.error, -CST_ERR_LIMIT);
	cst_snap_memory_free(NULL);
	close_memory(&t);
}

/* What section 4 of the format allows beyond the ordinary. */
static void test_notations(void **state)
{
	struct files fs = good_files();
	struct cst_snap_io io = io_for(&fs);
	const struct cst_snap_device *etm;
	struct cst_snapshot *ss;
	uint64_t v;

	(void)state;
	set_file(&fs, "etm.ini",
		 "[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4.2\n[regs]\nREG_A(77) = 0x1234\n"
		 "REG_B(id:78) = 0x1234\nREG_C(id:0x80,size:64) = 0x1234000012340000\n"
		 "REG_D(size:64,0x82) = 0x1234000012340000\nREG_E(id=0x83,size=16)=5\nREG_F( size = 64 )=6\n"
		 "REG_G(size:8)=0x100\nREG_H(id=1=2\n");
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), 0);
	etm = cst_snapshot_device(ss, "ETM_0");
	assert_int_equal(etm->n_regs, 7);
	assert_int_equal(etm->regs[0].id, 77);
	assert_int_equal(etm->regs[1].id, 78);
	assert_int_equal(etm->regs[2].id, 0x80);
	assert_int_equal(etm->regs[2].bits, 64);
	assert_int_equal(etm->regs[3].id, 0x82);
	assert_int_equal(etm->regs[3].bits, 64);
	assert_int_equal(etm->regs[3].value, 0x1234000012340000);
	assert_string_equal(etm->regs[4].name, "REG_E");
	assert_int_equal(etm->regs[4].id, 0x83);
	assert_int_equal(etm->regs[4].bits, 16);
	assert_int_equal(etm->regs[4].value, 5);
	assert_int_equal(etm->regs[5].bits, 64);
	assert_int_equal(cst_snap_reg(etm, "REG_F", &v), 1);
	assert_int_equal(v, 6);
	/* One value larger than its size, one parenthesis that is not closed. */
	assert_int_equal(fs.notes, 2);
	assert_int_equal(ss->n_skipped, 1);
	cst_snapshot_free(ss);
}

/* A stream with a buffer of its own goes nowhere else; other streams go where their source does. */
static void test_streams(void **state)
{
	struct files fs = good_files();
	struct cst_snap_io io = io_for(&fs);
	const struct cst_snap_device *etm;
	struct cst_snapshot *ss;

	(void)state;
	set_file(&fs, "trace.ini", "[trace_buffers]\nbuffers=b0,b1,b2\n"
		 "[b0]\nname=A\nfile=a\nformat=coresight\n[b1]\nname=B\nfile=b\nformat=coresight\n"
		 "[b2]\nname=C\nfile=c\nformat=coresight\n"
		 "[source_buffers]\nETM_0=A, C\nETM_0(stream:1)=B\n");
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), 0);
	etm = cst_snapshot_device(ss, "ETM_0");
	assert_int_equal(ss->n_source_buffers, 3);
	assert_int_equal(cst_snapshot_feeds(ss, etm, &ss->buffers[0]), 1);
	assert_int_equal(cst_snapshot_feeds(ss, etm, &ss->buffers[1]), 0);
	assert_int_equal(cst_snapshot_feeds(ss, etm, &ss->buffers[2]), 1);
	assert_int_equal(cst_snapshot_feeds_stream(ss, etm, 1, &ss->buffers[0]), 0);
	assert_int_equal(cst_snapshot_feeds_stream(ss, etm, 1, &ss->buffers[1]), 1);
	assert_int_equal(cst_snapshot_feeds_stream(ss, etm, 2, &ss->buffers[2]), 1);
	cst_snapshot_free(ss);
	set_file(&fs, "trace.ini", "[trace_buffers]\nbuffers=b0,b1,source_buffers\n"
		 "[b0]\nname=A\nfile=a\nformat=coresight\n[b1]\nname=B\nfile=b\nformat=coresight\n"
		 "[source_buffers]\nETM_0=A\nETM_0(stream:0)=B\n");
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), 0);
	etm = cst_snapshot_device(ss, "ETM_0");
	assert_int_equal(cst_snapshot_feeds(ss, etm, &ss->buffers[0]), 0);
	assert_int_equal(cst_snapshot_feeds(ss, etm, &ss->buffers[1]), 1);
	assert_int_equal(cst_snapshot_feeds_stream(ss, etm, 1, &ss->buffers[0]), 1);
	/* A buffer cannot be called as a section that means something else. */
	assert_true(fs.notes > 0);
	assert_int_equal(ss->n_buffers, 2);
	cst_snapshot_free(ss);
}

/* What must be unique and is not: read, with a note. */
static void test_not_unique(void **state)
{
	struct files fs = good_files();
	struct cst_snap_io io = io_for(&fs);
	struct cst_snapshot *ss;

	(void)state;
	set_file(&fs, "snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\ndev=cpu.ini\nDEV=etm.ini\n");
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), 0);
	assert_int_equal(fs.notes, 1);
	assert_int_equal(fs.last.line, 5);
	assert_int_equal(fs.last.error, -CST_ERR_CONFLICT);
	assert_int_equal(ss->n_devices, 2);
	assert_int_equal(ss->n_skipped, 0);
	cst_snapshot_free(ss);
	fs = good_files();
	set_file(&fs, "etm.ini", "[device]\nname=ETM_0\nlocation=address:0x10\n");
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), 0);
	assert_int_equal(fs.notes, 1);
	assert_string_equal(fs.last_file, "etm.ini");
	assert_int_equal(ss->n_devices, 2);
	cst_snapshot_free(ss);
	/* one note for each device that repeats what others have, however many those are */
	fs = good_files();
	set_file(&fs, "snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\nd=cpu.ini\nD=etm.ini\nd=third.ini\n");
	set_file(&fs, "etm.ini", "[device]\nname=ETM_0\nlocation=address:0x10\n");
	set_file(&fs, "third.ini", "[device]\nname=third\nlocation=address:0x10\n");
	assert_int_equal(cst_snapshot_read(&ss, &io, NULL), 0);
	assert_int_equal(fs.notes, 4);
	assert_int_equal(ss->n_devices, 3);
	cst_snapshot_free(ss);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_everything), cmocka_unit_test(test_fatal),
		cmocka_unit_test(test_skipped),
		cmocka_unit_test(test_single_buffer), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_memory_order),
		cmocka_unit_test(test_memory_spaces), cmocka_unit_test(test_memory_edges),
		cmocka_unit_test(test_dump_limit),
		cmocka_unit_test(test_notations),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_not_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
