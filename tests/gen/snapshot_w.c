/* SPDX-License-Identifier: BSD-3-Clause */
#include "snapshot_w.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static FILE *open_in(const char *dir, const char *mode, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static FILE *open_in(const char *dir, const char *mode, const char *fmt, ...)
{
	char name[64], path[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return fopen(path, mode);
}

static int done(FILE *f)
{
	int bad = ferror(f);

	return fclose(f) || bad ? -1 : 0;
}

static int write_blob(const char *dir, const char *stem, int n, const uint8_t *p, size_t len)
{
	FILE *f = open_in(dir, "wb", "%s%d.bin", stem, n);

	if (!f)
		return -1;
	if (len)
		fwrite(p, 1, len, f);
	return done(f);
}

static int copy_blob(const char *dir, int n, const struct snapshot_mem *m)
{
	FILE *in = fopen(m->copy_of, "rb"), *out;
	uint64_t left = m->len;
	char buf[8192];
	size_t got;

	if (!in)
		return -1;
	out = open_in(dir, "wb", "mem%d.bin", n);
	if (!out) {
		fclose(in);
		return -1;
	}
	if (!fseek(in, (long)m->offset, SEEK_SET)) {
		while (left &&
		       (got = fread(buf, 1, left < sizeof(buf) ? left : sizeof(buf), in)) > 0) {
			fwrite(buf, 1, got, out);
			left -= got;
		}
	}
	fclose(in);
	return done(out);
}

static int write_core(const char *dir, const struct snapshot_source *s,
		      const struct snapshot_mem *mem, int nmem)
{
	FILE *f = open_in(dir, "w", "cpu_%d.ini", s->cpu);
	int i;

	if (!f)
		return -1;
	fprintf(f, "[device]\nname=cpu_%d\nclass=core\ntype=%s\n\n", s->cpu, s->core);
	fprintf(f, "[regs]\nPC(size:64)=0x0\nSP(size:64)=0\nSCTLR_EL1=0x0\nCPSR=0x0\n");
	for (i = 0; i < nmem; i++) {
		fprintf(f,
			"\n[dump%d]\nfile=mem%d.bin\naddress=0x%" PRIx64 "\nlength=0x%" PRIx64 "\n",
			i + 1, i, mem[i].va, mem[i].len);
		if (mem[i].space)
			fprintf(f, "space=%s\n", mem[i].space);
	}
	return done(f);
}

static int write_source(const char *dir, const struct snapshot_source *s)
{
	const struct tu_regs *r = s->regs;
	FILE *f = open_in(dir, "w", "ETM_%d.ini", s->cpu);
	int i;

	if (!f)
		return -1;
	fprintf(f, "[device]\nname=ETM_%d\nclass=trace_source\ntype=%s\n\n[regs]\n", s->cpu,
		r->ete ? "ETE" : "ETM4");
	fprintf(f, "TRCCONFIGR=0x%x\nTRCTRACEIDR=0x%x\nTRCAUTHSTATUS=0x%x\n", r->configr,
		r->traceidr, r->authstatus);
	fprintf(f, "TRCIDR0=0x%x\nTRCIDR1=0x%x\nTRCIDR2=0x%x\nTRCIDR8=0x%x\n", r->idr0, r->idr1,
		r->idr2, r->idr8);
	for (i = 9; i <= 13; i++)
		fprintf(f, "TRCIDR%d=0x0\n", i);
	if (r->ete)
		fprintf(f, "TRCDEVARCH=0x%x\n", r->devarch);
	return done(f);
}

static int write_lists(const char *dir, const struct snapshot_buffer *bufs, int nbufs)
{
	FILE *f = open_in(dir, "w", "snapshot.ini");
	int i, j, n = 0;

	if (!f)
		return -1;
	fprintf(f, "[snapshot]\nversion=1.0\ndescription=generated\n\n[device_list]\n");
	for (i = 0; i < nbufs; i++)
		for (j = 0; j < bufs[i].nsources; j++, n += 2)
			fprintf(f, "device%d=cpu_%d.ini\ndevice%d=ETM_%d.ini\n", n,
				bufs[i].sources[j].cpu, n + 1, bufs[i].sources[j].cpu);
	fprintf(f, "\n[trace]\nmetadata=trace.ini\n");
	if (done(f))
		return -1;
	f = open_in(dir, "w", "trace.ini");
	if (!f)
		return -1;
	fprintf(f, "[trace_buffers]\nbuffers=");
	for (i = 0; i < nbufs; i++)
		fprintf(f, "%sbuffer%d", i ? "," : "", i);
	for (i = 0; i < nbufs; i++)
		fprintf(f, "\n\n[buffer%d]\nname=ETB_%d\nfile=trace%d.bin\nformat=%s", i, i, i,
			bufs[i].framed ? "coresight" : "source_data");
	fprintf(f, "\n\n[source_buffers]\n");
	for (i = 0; i < nbufs; i++)
		for (j = 0; j < bufs[i].nsources; j++)
			fprintf(f, "ETM_%d=ETB_%d\n", bufs[i].sources[j].cpu, i);
	fprintf(f, "\n[core_trace_sources]\n");
	for (i = 0; i < nbufs; i++)
		for (j = 0; j < bufs[i].nsources; j++)
			fprintf(f, "cpu_%d=ETM_%d\n", bufs[i].sources[j].cpu,
				bufs[i].sources[j].cpu);
	return done(f);
}

int snapshot_write(const char *dir, const struct snapshot_buffer *bufs, int nbufs,
		   const struct snapshot_mem *mem, int nmem)
{
	int i, j;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return -1;
	if (write_lists(dir, bufs, nbufs))
		return -1;
	for (i = 0; i < nmem; i++)
		if (mem[i].bytes ? write_blob(dir, "mem", i, mem[i].bytes, mem[i].len)
				 : copy_blob(dir, i, &mem[i]))
			return -1;
	for (i = 0; i < nbufs; i++) {
		if (write_blob(dir, "trace", i, bufs[i].bytes, bufs[i].len))
			return -1;
		for (j = 0; j < bufs[i].nsources; j++)
			if (write_core(dir, &bufs[i].sources[j], mem, nmem) ||
			    write_source(dir, &bufs[i].sources[j]))
				return -1;
	}
	return 0;
}
