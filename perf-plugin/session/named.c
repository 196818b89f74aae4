/* SPDX-License-Identifier: GPL-2.0-only */
/* named.c - looks at the first bytes of the files that options name. */
#include "session/named.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files/input.h"
#include "base/format.h"
#include "base/messages.h"
#include "base/name.h"
#include "machine/sideband/jit.h"
#include "session/session.h"

/* The head of a file, with a zero behind it. */
struct head {
	uint8_t byte[256 + 1];
	size_t len;
};

/* What is wrong with a file; at which offset. */
struct wrong {
	unsigned int at;
	char found[64];
	const char *expected;
};

/* Describes the bytes at an offset: as text if they are, else in hexadecimal. */
static void describe(const struct head *h, struct wrong *w, unsigned int at, const char *expected)
{
	const uint8_t *p = h->byte + at;
	size_t i, n = h->len > at ? h->len - at : 0, k = 0;

	w->at = at;
	w->expected = expected;
	if (n > 8)
		n = 8;
	for (i = 0; i < n && isprint(p[i]); i++)
		;
	if (!n)
		snprintf(w->found, sizeof(w->found), "the end of the file");
	else if (i == n)
		snprintf(w->found, sizeof(w->found), "'%.*s'", (int)n, (const char *)p);
	else
		for (i = 0; i < n; i++)
			k += (size_t)snprintf(w->found + k, sizeof(w->found) - k, "%s%02x", i ? " " : "", p[i]);
}

static unsigned int half(const struct head *h, size_t at)
{
	return h->byte[EI_DATA] == ELFDATA2MSB ? (unsigned int)h->byte[at] << 8 | h->byte[at + 1] :
	       h->byte[at] | (unsigned int)h->byte[at + 1] << 8;
}

static bool is_elf(const struct head *h, struct wrong *w)
{
	unsigned int machine;

	if (h->len < offsetof(Elf32_Ehdr, e_version) || memcmp(h->byte, ELFMAG, SELFMAG)) {
		describe(h, w, 0, "an ELF file");
		return false;
	}
	machine = half(h, offsetof(Elf32_Ehdr, e_machine));
	if (machine == EM_AARCH64 || machine == EM_ARM)
		return true;
	w->at = offsetof(Elf32_Ehdr, e_machine);
	snprintf(w->found, sizeof(w->found), "ELF machine %u", machine);
	w->expected = "183 (AArch64) or 40 (Arm)";
	return false;
}

static bool is_core(const struct head *h, struct wrong *w)
{
	unsigned int type;

	if (!is_elf(h, w))
		return false;
	type = half(h, offsetof(Elf32_Ehdr, e_type));
	if (type == ET_CORE)
		return true;
	w->at = offsetof(Elf32_Ehdr, e_type);
	snprintf(w->found, sizeof(w->found), "ELF type %u", type);
	w->expected = "4, a copy of /proc/kcore (an image of the kernel is for --vmlinux)";
	return false;
}

/* "ffff800008000000 T _text" */
static bool is_kallsyms(const struct head *h, struct wrong *w)
{
	const char *p = (const char *)h->byte;
	size_t n = strspn(p, "0123456789abcdefABCDEF");

	if (n && n <= 16 && p[n] == ' ' && isgraph((unsigned char)p[n + 1]) && p[n + 2] == ' ' &&
	    isgraph((unsigned char)p[n + 3]))
		return true;
	describe(h, w, 0, "lines of address, type and name, as /proc/kallsyms has them");
	return false;
}

static bool is_jitdump(const struct head *h, struct wrong *w)
{
	if (h->len >= 4 && (!memcmp(h->byte, "JiTD", 4) || !memcmp(h->byte, "DTiJ", 4)))
		return true;
	describe(h, w, 0, "the magic number of a jitdump file (JiTD)");
	return false;
}

/* Returns 0, or an error number. */
static int read_head(const char *path, struct head *h)
{
	struct stat st;
	int fd = input_peek(path, &st);
	ssize_t n;

	if (fd < 0)
		return errno;
	do
		n = pread(fd, h->byte, sizeof(h->byte) - 1, 0);
	while (n < 0 && errno == EINTR);
	close(fd);
	if (n < 0)
		return errno;
	h->len = (size_t)n;
	h->byte[h->len] = 0;
	return 0;
}

/* That a file is missing is said where it is needed. */
static int check(const char *option, const char *path,
		 bool (*fits)(const struct head *h, struct wrong *w))
{
	struct head h = { .len = 0 };
	struct wrong w = { .at = 0 };
	int rc = read_head(path, &h);

	if (rc == ENOENT || rc == ENOTDIR || rc == EACCES || (!rc && fits(&h, &w)))
		return 0;
	if (rc) {
		fprintf(message_stream(), "cstrace: %s %s: %s\n", option, name_shown(path),
			input_error(rc));
		return ERR_REPORTED;
	}
	fprintf(message_stream(), "cstrace: %s %s: offset %u: found %s, expected %s\n", option,
		name_shown(path), w.at, w.found, w.expected);
	return ERR_REPORTED;
}

/* The copy of kernel memory, or the directory that holds it. */
static int check_kcore(const char *path)
{
	struct stat st;
	char *inner;
	int rc;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return check("--kcore", path, is_core);
	inner = format_text("%s/kcore", path);
	rc = check("--kcore", inner, is_core);
	free(inner);
	return rc;
}

int named_check(const struct session_opts *o)
{
	const char *list = o->jitdump;
	char path[4096];
	int rc = 0, pid;

	if (o->vmlinux)
		rc = check("--vmlinux", o->vmlinux, is_elf);
	if (!rc && o->kcore)
		rc = check_kcore(o->kcore);
	if (!rc && o->kallsyms)
		rc = check("--kallsyms", o->kallsyms, is_kallsyms);
	while (!rc && jit_next_given(&list, path, sizeof(path), &pid))
		rc = check("--jitdump", path, is_jitdump);
	return rc;
}
