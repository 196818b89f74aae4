/* SPDX-License-Identifier: GPL-2.0-only */
/* count_input.c - opens count files, and says of other files what they are. */
#include "counting/countfiles/count_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/files/input.h"
#include "perfdata/branch_list.h"

#define MARK_LEN (sizeof(CST_COUNT_MARK) - 1)

bool count_file_is(const char *path)
{
	uint8_t head[MARK_LEN];
	struct stat st;
	ssize_t n;
	int fd = input_peek(path, &st);

	if (fd < 0)
		return false;
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	return n == (ssize_t)MARK_LEN && !memcmp(head, CST_COUNT_MARK, MARK_LEN);
}

static long read_some(void *data, void *buf, size_t size)
{
	struct count_input *in = data;
	size_t more;
	ssize_t n;

	do
		n = read(in->fd, buf, size);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		in->failed = errno;
		return -CST_ERR_IO;
	}
	more = COUNT_INPUT_HEAD - in->head_len;
	more = more < (size_t)n ? more : (size_t)n;
	memcpy(in->head + in->head_len, buf, more);
	in->head_len += more;
	return n;
}

void count_input_fd(struct count_input *in, int fd, const char *name)
{
	memset(in, 0, sizeof(*in));
	in->name = name;
	in->fd = fd;
	mem_code(cst_count_reader_new(&in->reader, read_some, in));
}

static int refuse_kind(const char *name, const struct stat *st, struct error *err)
{
	if (S_ISDIR(st->st_mode))
		return error_set(err, ERR_USAGE, "%s: is a folder; name the count files in it, as %s/*.cst", name, name);
	return error_set(err, ERR_USAGE, "%s: is neither a file nor a pipe; name a count file", name);
}

int count_input_open(struct count_input *in, const char *path, struct error *err)
{
	struct stat st;
	int fd, rc;

	if (!strcmp(path, "-")) {
		count_input_fd(in, STDIN_FILENO, "standard input");
		return 0;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st)) {
		rc = error_set(err, ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return rc;
	}
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) {
		close(fd);
		return refuse_kind(path, &st, err);
	}
	if (S_ISREG(st.st_mode))
		input_note(&st);
	count_input_fd(in, fd, path);
	in->own_fd = true;
	return 0;
}

void count_input_close(struct count_input *in)
{
	cst_count_reader_free(in->reader);
	if (in->own_fd)
		close(in->fd);
	memset(in, 0, sizeof(*in));
}

static bool begins(const struct count_input *in, const char *bytes, size_t len)
{
	return in->head_len >= len && !memcmp(in->head, bytes, len);
}

#define LISTS "has branch lists, which are read by the name of a regular file, not from a pipe " \
	      "or standard input; name the file"

/* A file that is no count file: what it is, and how counts are made of it. */
static int refuse_file(const struct count_input *in, struct error *err)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *what;
	} kinds[] = {
		{ "PERFILE2", 8, "is a recording (perf.data); count it first: 'perf-cstrace profile -i RECORDING "
		  "--format=cstrace -o FILE.cst', and name FILE.cst" },
		{ "2ELIFREP", 8, "is a recording (perf.data) of a host of the other byte order; count it first: 'perf-cstrace "
		  "profile -i RECORDING --format=cstrace -o FILE.cst', and name FILE.cst" },
		{ BRANCH_LIST_MAGIC, COUNT_INPUT_HEAD, LISTS },
		{ "\x0a\x18" BRANCH_LIST_MAGIC, COUNT_INPUT_HEAD, LISTS },
		{ "CSTIDX", 6, "is an index of a trace, which has no counts; name count files" },
		{ "\x1f\x8b", 2, "is packed by gzip; unpack it first (gunzip), or give it by a pipe (zcat FILE | ... -)" },
		{ "\x28\xb5\x2f\xfd", 4, "is packed by zstd; unpack it first (unzstd), or give it by a pipe (zstdcat FILE | "
		  "... -)" },
		{ "\xfd" "7zXZ", 5, "is packed by xz; unpack it first (unxz), or give it by a pipe (xzcat FILE | ... -)" },
		{ "\x7f" "ELF", 4, "is a program; name count files" },
	};
	const char *what = "is no count file; name files that 'perf-cstrace profile --format=cstrace' wrote";
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (begins(in, kinds[i].bytes, kinds[i].len))
			what = kinds[i].what;
	return error_set(err, ERR_FORMAT, "%s: %s", in->name, what);
}

int count_input_fail(const struct count_input *in, int rc, struct error *err)
{
	const char *what;
	uint64_t place = cst_count_reader_place(in->reader, &what);

	switch (rc) {
	case -CST_ERR_SYNTAX:
		return refuse_file(in, err);
	case -CST_ERR_VERSION:
		return error_set(err, rc, "%s: offset %" PRIu64 ": version %u of the format, expected %u; take a "
				 "perf-cstrace that reads it, or count the recording again with this one", in->name, place,
				 in->head[MARK_LEN] | in->head[MARK_LEN + 1] << 8, CST_COUNT_VERSION);
	case -CST_ERR_INCOMPLETE:
		return error_set(err, rc, "%s: offset %" PRIu64 ": %s; its copy or its making was interrupted: copy it "
				 "again, or make it again", in->name, place, what);
	case -CST_ERR_DAMAGED:
		return error_set(err, rc, "%s: offset %" PRIu64 ": damaged: %s; copy it again, or make it again",
				 in->name, place, what);
	case -CST_ERR_IO:
		return error_set(err, ERR_IO, "%s: offset %" PRIu64 ": cannot be read: %s", in->name, place,
				 strerror(in->failed));
	}
	return error_set(err, rc, "%s: offset %" PRIu64 ": %s", in->name, place, error_text(rc));
}
