/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The maps that the memory dumps of a snapshot become: of which dumps the process and the kernel have one, which part of
 * a dump, and where program files that were added stand beside the memory of the snapshot.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "perfdata/reader.h"
#include "session/import/import.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/temp_dir.h"

TEMP_DIR("maps")

static struct import_input in;
static struct said said;
static char reported[4096];

static void write_text(const char *name, const char *text)
{
	temp_write(dir, name, text, strlen(text));
}

/*
 * A snapshot of a trace unit that traced exception level `el`, its memory in the dumps of two devices: the core has
 * `dumps`, and a memory space `more` (NULL: none).
 */
static void snapshot(unsigned int el, const char *dumps, const char *more)
{
	struct pdb trace = { 0 };
	char text[2048];

	sb_trace_at(&trace, 100, SB_BASE, el);
	temp_write(dir, "trace.bin", trace.p, trace.len);
	pdb_free(&trace);
	assert_true(snprintf(text, sizeof(text), "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n%s", dumps) < (int)sizeof(text));
	write_text("cpu_0.ini", text);
	assert_true(snprintf(text, sizeof(text), "[device]\nname=mem\nclass=memory_space\ntype=ram\n%s", more ? more : "") <
		    (int)sizeof(text));
	write_text("mem.ini", text);
	write_text("etm.ini", "[device]\nname=etm\nclass=trace_source\ntype=ETM4\n[regs]\nTRCTRACEIDR=0x10\nTRCCONFIGR=0x40\n"
		   "TRCIDR0=0x28000ea1\nTRCIDR1=0x4100f403\nTRCIDR2=0x488\nTRCIDR8=0\n");
	write_text("snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\ndevice1=etm.ini\ndevice2=mem.ini\n"
		   "[trace]\nmetadata=trace.ini\n");
	write_text("trace.ini", "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB\nfile=trace.bin\nformat=source_data\n"
		   "[source_buffers]\netm=ETB\n[core_trace_sources]\ncpu_0=etm\n");
}

static size_t put_map(char *to, size_t size, const char *who, uint64_t start, uint64_t len, uint64_t pgoff, const char *path)
{
	/* the bundle says where the bytes are */
	assert_non_null(dso_places_find(&in.bundle.images, path, 0));
	return (size_t)snprintf(to, size, "%s %llx+%llx @%llx %s\n", who, (unsigned long long)start, (unsigned long long)len,
				(unsigned long long)pgoff, path);
}

/* A line for each map, in the order of the records: kernel or process, address, size, offset in the file, and the file. */
static const char *maps(const struct bare_opts *bare)
{
	static char text[4096], hidden[4096];
	struct error err = { .msg = "" };
	struct pd_record rec;
	size_t n = 0;
	int rc;

	said_begin(&said);
	rc = import_open(&in, dir, bare, &err);
	said_end(&said);
	assert_string_equal(err.msg, "");
	assert_int_equal(rc, 0);
	temp_hide(dir, said.text, reported, sizeof(reported));
	*text = '\0';
	while ((rc = perfdata_next(in.pd, &rec))) {
		assert_int_equal(rc, 1);
		if (rec.ev->header.type == PERF_RECORD_MMAP)
			n += put_map(text + n, sizeof(text) - n, (int)rec.ev->mmap.pid == -1 ? "kernel" : "?", rec.ev->mmap.start,
				     rec.ev->mmap.len, rec.ev->mmap.pgoff, rec.ev->mmap.filename);
		else if (rec.ev->header.type == PERF_RECORD_MMAP2)
			n += put_map(text + n, sizeof(text) - n, rec.ev->mmap2.pid == 100 ? "process" : "?", rec.ev->mmap2.start,
				     rec.ev->mmap2.len, rec.ev->mmap2.pgoff, rec.ev->mmap2.filename);
		assert_true(n < sizeof(text));
	}
	perfdata_close(in.pd);
	dso_bundle_free(&in.bundle);
	free(in.configs.v);
	temp_hide(dir, text, hidden, sizeof(hidden));
	return hidden;
}
/* What is dropped, as reported. */
static const char *dropped(const char *what)
{
	static char text[1024];

	snprintf(text, sizeof(text), "%s%s%s", *what ? "cstrace: DIR: dropped: " : "", what, *what ? "\n" : "");
	return text;
}

/* ---- dumps ----------------------------------------------------------------------------------------- */

/* A dump is the part of its file that its offset and length say, as far as the file has it. */
static void parts_of_files(void **state)
{
	static const struct {
		const char *dump, *map, *dropped;
	} cases[] = {
		{ "", "process 1000+30 @0 DIR/a\n", "" },
		{ "length=0x10\n", "process 1000+10 @0 DIR/a\n", "" },
		{ "length=0x2f\n", "process 1000+2f @0 DIR/a\n", "" },
		{ "length=0x30\n", "process 1000+30 @0 DIR/a\n", "" },
		{ "length=0x31\n", "process 1000+30 @0 DIR/a\n", "" },
		{ "offset=0x10\n", "process 1000+20 @10 DIR/a\n", "" },
		{ "offset=0x10\nlength=8\n", "process 1000+8 @10 DIR/a\n", "" },
		{ "offset=0x10\nlength=0x28\n", "process 1000+20 @10 DIR/a\n", "" },
		{ "offset=0x2f\n", "process 1000+1 @2f DIR/a\n", "" },
		{ "offset=0x30\n", "", "the dump a, which cannot be read" },
	};
	char bytes[0x30] = { 1 }, text[200];
	size_t i;

	(void)state;
	temp_write(dir, "a", bytes, sizeof(bytes));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "[dump1]\nfile=a\naddress=0x1000\n%s", cases[i].dump);
		snapshot(0, text, NULL);
		assert_string_equal(maps(NULL), cases[i].map);
		assert_string_equal(reported, dropped(cases[i].dropped));
		assert_int_equal(in.dropped, *cases[i].dropped != 0);
	}
	snapshot(0, "[dump1]\nfile=none\naddress=0x1000\n", NULL);
	assert_string_equal(maps(NULL), "");
	assert_string_equal(reported, dropped("the dump none, which cannot be read"));
}

/*
 * The process sees the memory of EL1 in the non-secure state, the kernel also that of EL2. The kernel is there if more
 * than EL0 was traced; with memory in the upper half of the addresses it has this half only, and the process the other.
 */
static void spaces(void **state)
{
	static const char low[] = "[dump1]\nfile=a\naddress=0x1000\nspace=%s\n",
			  both[] = "[dump1]\nfile=a\naddress=0x1000\nspace=%s\n[dump2]\nfile=b\naddress=0x8000000000001000\nspace=%s\n";
	static const struct {
		unsigned int el;
		const char *dumps, *space, *maps, *reported;
	} cases[] = {
		{ 0, low, "EL1N", "process 1000+4 @0 DIR/a\n", "" },
		{ 0, low, "N", "process 1000+4 @0 DIR/a\n", "" },
		{ 0, low, "S", "", "the dump a at 0x1000, of secure or other memory" },
		{ 0, low, "EL3", "", "the dump a at 0x1000, of secure or other memory" },
		{ 0, both, "EL1N", "process 8000000000001000+4 @0 DIR/b\nprocess 1000+4 @0 DIR/a\n", "" },
		{ 1, low, "EL1N", "kernel 1000+4 @0 DIR/./a\nprocess 1000+4 @0 DIR/a\n", "" },
		{ 1, low, "EL2N", "kernel 1000+4 @0 DIR/./a\n", "" },
		{ 2, low, "EL2", "kernel 1000+4 @0 DIR/./a\n", "" },
		{ 1, low, "EL1S", "", "the dump a at 0x1000, of secure or other memory" },
		{ 1, both, "EL1N", "kernel 8000000000001000+4 @0 DIR/./b\nprocess 1000+4 @0 DIR/a\n", "" },
		{ 1, both, "EL2N", "kernel 8000000000001000+4 @0 DIR/./b\n", "the dump a at 0x1000, of secure or other memory" },
		{ 1, both, "EL3", "", "the dump b at 0x8000000000001000, of secure or other memory\n"
		  "cstrace: DIR: dropped: the dump a at 0x1000, of secure or other memory" },
	};
	char text[300];
	size_t i;

	(void)state;
	write_text("a", "1234");
	write_text("b", "5678");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), cases[i].dumps, cases[i].space, cases[i].space);
		snapshot(cases[i].el, text, NULL);
		assert_string_equal(maps(NULL), cases[i].maps);
		assert_string_equal(reported, dropped(cases[i].reported));
		assert_int_equal(in.dropped, !*cases[i].reported ? 0 : strchr(cases[i].reported, '\n') ? 2 : 1);
	}
	/* any dump of any device can be the one in the upper half */
	snapshot(1, "[dump1]\nfile=b\naddress=0x8000000000001000\n[dump2]\nfile=a\naddress=0x1000\n", NULL);
	assert_string_equal(maps(NULL), "kernel 8000000000001000+4 @0 DIR/./b\nprocess 1000+4 @0 DIR/a\n");
	snapshot(1, "[dump1]\nfile=a\naddress=0x1000\n", "[dump1]\nfile=b\naddress=0x8000000000001000\n");
	assert_string_equal(maps(NULL), "kernel 8000000000001000+4 @0 DIR/./b\nprocess 1000+4 @0 DIR/a\n");
	/* a file that is not there is reported once, whoever would see it */
	snapshot(1, "[dump1]\nfile=none\naddress=0x1000\n", NULL);
	assert_string_equal(maps(NULL), "");
	assert_string_equal(reported, dropped("the dump none, which cannot be read"));
	assert_int_equal(in.dropped, 1);
}

/* Of dumps that overlap the first counts, of maps the last: the order is reversed, of devices and of dumps. */
static void order(void **state)
{
	(void)state;
	write_text("a", "1234");
	write_text("b", "5678");
	snapshot(0, "[dump1]\nfile=a\naddress=0x1000\n[dump2]\nfile=b\naddress=0x1002\n",
		 "[dump1]\nfile=b\naddress=0x1001\n[dump2]\nfile=a\naddress=0x1003\n");
	assert_string_equal(maps(NULL), "process 1003+4 @0 DIR/a\nprocess 1001+4 @0 DIR/b\nprocess 1002+4 @0 DIR/b\n"
			    "process 1000+4 @0 DIR/a\n");
}

/* ---- program files --------------------------------------------------------------------------------- */

/* Bytes that differ from page to page and within a page. */
static void fill(uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		p[i] = (uint8_t)(i * 7 + i / 256 + 1);
}

/* With these program files beside the snapshot: maps, and how many pages are reported as different. */
static void beside(const char *dumps, const char *more, const char *first, const char *second, const char *want, unsigned int differ)
{
	struct bare_opts o = { .nr_programs = second ? 2 : 1 };
	char paths[2][100], text[200] = "";

	snprintf(paths[0], sizeof(paths[0]), "%s/%s", dir, first);
	snprintf(paths[1], sizeof(paths[1]), "%s/%s", dir, second ? second : "");
	o.programs[0] = paths[0];
	o.programs[1] = paths[1];
	snapshot(0, dumps, more);
	assert_string_equal(maps(&o), want);
	if (differ)
		snprintf(text, sizeof(text), "cstrace: --elf: %u pages differ from the memory in DIR, which is used there, without "
			 "symbols and lines\n", differ);
	assert_string_equal(reported, text);
}

/* Page by page, the program's map is where it has the bytes of the snapshot; the snapshot's memory is where it differs. */
static void same_pages(void **state)
{
	static const char memory[] = "[dump1]\nfile=mem\naddress=0x10000\n";
	uint8_t mem[0x3000], other[0x3000];

	(void)state;
	fill(mem, sizeof(mem));
	temp_write(dir, "mem", mem, sizeof(mem));
	temp_write(dir, "page", mem + 0x1000, 0x1000);
	temp_write(dir, "two", mem + 0x1000, 0x2000);
	temp_write(dir, "short", mem + 0x1000, 0xfff);
	beside(memory, NULL, "mem@0x10000", NULL, "process 10000+3000 @0 DIR/mem\n", 0);
	beside(memory, NULL, "page@0x11000", NULL, "process 10000+1000 @0 DIR/mem\nprocess 11000+1000 @0 DIR/page\n"
	       "process 12000+1000 @2000 DIR/mem\n", 0);
	beside(memory, NULL, "two@0x11000", NULL, "process 10000+1000 @0 DIR/mem\nprocess 11000+2000 @0 DIR/two\n", 0);
	/* one byte of the page is missing, and so counts as another one */
	beside(memory, NULL, "short@0x11000", NULL, "process 10000+3000 @0 DIR/mem\n", 1);
	/* where it does not belong: the pages that it shares with memory differ */
	beside(memory, NULL, "two@0x10000", NULL, "process 10000+3000 @0 DIR/mem\n", 2);
	beside(memory, NULL, "page@0x12800", NULL, "process 13000+800 @800 DIR/page\nprocess 10000+3000 @0 DIR/mem\n", 0);
	/* the first byte and the last of a page */
	memcpy(other, mem, sizeof(other));
	other[0x1000] ^= 1;
	temp_write(dir, "other", other, sizeof(other));
	beside(memory, NULL, "other@0x10000", NULL, "process 10000+1000 @0 DIR/other\nprocess 11000+1000 @1000 DIR/mem\n"
	       "process 12000+1000 @2000 DIR/other\n", 1);
	other[0x1000] ^= 1;
	other[0x1fff] ^= 1;
	temp_write(dir, "other", other, sizeof(other));
	beside(memory, NULL, "other@0x10000", NULL, "process 10000+1000 @0 DIR/other\nprocess 11000+1000 @1000 DIR/mem\n"
	       "process 12000+1000 @2000 DIR/other\n", 1);
	/* the second program has what the first one lacks: nothing differs */
	beside(memory, NULL, "other@0x10000", "page@0x11000", "process 10000+1000 @0 DIR/other\nprocess 11000+1000 @0 DIR/page\n"
	       "process 12000+1000 @2000 DIR/other\n", 0);
	other[0x2800] ^= 1;
	temp_write(dir, "other", other, sizeof(other));
	beside(memory, NULL, "other@0x10000", NULL, "process 10000+1000 @0 DIR/other\nprocess 11000+2000 @1000 DIR/mem\n", 2);
}


/* Beside memory a program stands only where no dump is, of any device; of programs that overlap the first one counts. */
static void gaps(void **state)
{
	static const char zeros[0x1000];
	static const struct {
		const char *dumps, *more, *maps;
		unsigned int differ;
	} cases[] = {
		/* what lies before and behind it, up to its first byte and from its end */
		{ "[dump1]\nfile=zero\naddress=0xf000\n[dump2]\nfile=zero\naddress=0x13000\n", NULL,
		  "process 10000+3000 @0 DIR/prog\nprocess 13000+1000 @0 DIR/zero\nprocess f000+1000 @0 DIR/zero\n", 0 },
		/* one byte more of each */
		{ "[dump1]\nfile=zero\naddress=0xf001\n[dump2]\nfile=zero\naddress=0x12fff\n", NULL,
		  "process 10001+2ffe @1 DIR/prog\nprocess 12fff+1000 @0 DIR/zero\nprocess f001+1000 @0 DIR/zero\n", 2 },
		{ "[dump1]\nfile=zero\naddress=0x10800\nlength=0x800\n", NULL,
		  "process 10000+800 @0 DIR/prog\nprocess 11000+2000 @1000 DIR/prog\nprocess 10800+800 @0 DIR/zero\n", 1 },
		/* the nearest dump ends the gap, whichever device and place in the list it has */
		{ "[dump1]\nfile=zero\naddress=0x12000\nlength=0x100\n[dump2]\nfile=zero\naddress=0x10400\noffset=0xf00\n",
		  "[dump1]\nfile=zero\naddress=0x11000\nlength=0x20\n",
		  "process 10000+400 @0 DIR/prog\nprocess 10500+b00 @500 DIR/prog\nprocess 11020+fe0 @1020 DIR/prog\n"
		  "process 12100+f00 @2100 DIR/prog\nprocess 11000+20 @0 DIR/zero\nprocess 10400+100 @f00 DIR/zero\n"
		  "process 12000+100 @0 DIR/zero\n", 3 },
		/* dumps that follow each other, and one within another */
		{ "[dump1]\nfile=zero\naddress=0x10000\n[dump2]\nfile=zero\naddress=0x11000\n", "[dump1]\nfile=zero\naddress=0x11200\n"
		  "length=0x100\n", "process 12000+1000 @2000 DIR/prog\nprocess 11200+100 @0 DIR/zero\nprocess 11000+1000 @0 DIR/zero\n"
		  "process 10000+1000 @0 DIR/zero\n", 3 },
		/* nothing is left of it */
		{ "[dump1]\nfile=zeros\naddress=0xf000\n", NULL, "process f000+5000 @0 DIR/zeros\n", 3 },
	};
	uint8_t bytes[0x3000], big[0x5000] = { 0 };
	size_t i;

	(void)state;
	fill(bytes, sizeof(bytes));
	temp_write(dir, "prog", bytes, sizeof(bytes));
	temp_write(dir, "zero", zeros, sizeof(zeros));
	temp_write(dir, "zeros", big, sizeof(big));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		beside(cases[i].dumps, cases[i].more, "prog@0x10000", NULL, cases[i].maps, cases[i].differ);
	beside("", NULL, "prog@0x10000", "zeros@0x11000", "process 13000+3000 @2000 DIR/zeros\nprocess 10000+3000 @0 DIR/prog\n", 0);
	beside("", NULL, "zero@0x11000", "prog@0x10000", "process 10000+1000 @0 DIR/prog\nprocess 12000+1000 @2000 DIR/prog\n"
	       "process 11000+1000 @0 DIR/zero\n", 0);
}

/* Beside a program, too, a dump that cannot be read is reported; it covers nothing. */
static void unreadable(void **state)
{
	static const char *const dumps[] = { "file=zero\noffset=0x1000\n", "file=none\n", "file=none\nlength=0x100\n" };
	struct bare_opts o = { .nr_programs = 1 };
	char path[100], text[100];
	size_t i;

	(void)state;
	snprintf(path, sizeof(path), "%s/prog@0x10000", dir);
	o.programs[0] = path;
	for (i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		snprintf(text, sizeof(text), "[dump1]\naddress=0x11000\n%s", dumps[i]);
		snapshot(0, text, NULL);
		assert_string_equal(maps(&o), "process 10000+3000 @0 DIR/prog\n");
		assert_string_equal(reported, dropped(i ? "the dump none, which cannot be read" : "the dump zero, which cannot be read"));
		assert_int_equal(in.dropped, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_files), cmocka_unit_test(spaces), cmocka_unit_test(order),
		cmocka_unit_test(same_pages), cmocka_unit_test(gaps),
		cmocka_unit_test(unreadable),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
