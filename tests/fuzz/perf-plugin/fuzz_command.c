/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_command.c - any command of the program with any options, over any files. The input is an archive
 * (command/archive.h); its files are written into a private folder in memory, where the command runs. Whatever it is
 * given, it ends with one of its exit codes, says why it fails, leaves no temporary files, writes nothing to a terminal
 * that moves its cursor, and what it wrote can be read again.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/command/check.h"
#include "fuzz/command/folder.h"
#include "fuzz/command/mutate.h"
#include "fuzz/command/options.h"
#include "fuzz/fuzz_input.h"
#include "outputs/cmd/options.h"

#define MAX_MESSAGES (1u << 16)
/* Of one output: more is a full disk. */
#define MAX_OUTPUT (8u << 20)

static const char *folder;
static FILE *real_stderr;
static int out_fd, null_fd;
static char messages[MAX_MESSAGES];
static size_t nr_messages;

/* Messages are kept as far as there is room. */
static ssize_t keep_message(void *cookie, const char *buf, size_t size)
{
	size_t room = sizeof(messages) - nr_messages;

	(void)cookie;
	memcpy(messages + nr_messages, buf, size < room ? size : room);
	nr_messages += size < room ? size : room;
	return (ssize_t)size;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	folder = folder_make();
	CHECK(!setenv("HOME", folder, 1) && !setenv("TMPDIR", folder, 1));
	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	out_fd = memfd_create("output", MFD_CLOEXEC);
	CHECK(null_fd >= 0 && out_fd >= 0 && dup2(out_fd, STDOUT_FILENO) == STDOUT_FILENO);
	return 0;
}

static void before(const struct command_line *l)
{
	static const struct rlimit limit = { MAX_OUTPUT, MAX_OUTPUT };
	const char *input = command_line_value(l, "input");
	char path[256];
	int fd = null_fd;

	/* libFuzzer has a handler of its own for it by now */
	signal(SIGXFSZ, SIG_IGN);
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	if (input && !strcmp(input, "-")) {
		snprintf(path, sizeof(path), "%s/perf.data", folder);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	CHECK(dup2(fd < 0 ? null_fd : fd, STDIN_FILENO) == STDIN_FILENO);
	if (fd >= 0 && fd != null_fd)
		close(fd);
	CHECK(!ftruncate(out_fd, 0) && !lseek(out_fd, 0, SEEK_SET));
	nr_messages = 0;
	real_stderr = stderr;
	stderr = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = keep_message });
	CHECK(stderr);
}

/* As main() does it. Returns the exit code. */
static int after(int rc)
{
	bool bad = fflush(stdout) || ferror(stdout);

	if (bad && rc != CMD_USAGE) {
		fprintf(stderr, "writing to standard output failed\n");
		rc = CMD_ERROR;
	}
	clearerr(stdout);
	fclose(stderr);
	stderr = real_stderr;
	return rc;
}

/* What the command was to write, NULL if that is standard output. */
static const char *output_of(const struct command_line *l)
{
	const char *out = command_line_value(l, "output");

	return out && strcmp(out, "-") ? out : NULL;
}

/* State of the file that the command is to write, to see whether it did. */
static struct stat state_of(const char *out)
{
	struct stat st;

	if (!out || stat(out, &st))
		memset(&st, 0, sizeof(st));
	return st;
}

static void judge(const struct command_line *l, const struct archive *a, int rc, const struct stat *was)
{
	const char *out = output_of(l);
	const struct stat is = state_of(out);
	/* a file that is replaced is another one then */
	const bool written = out ? is.st_ino != was->st_ino || is.st_dev != was->st_dev || S_ISDIR(is.st_mode) :
				   lseek(out_fd, 0, SEEK_END) > 0;
	bool compares = !strcmp(l->command->name, "verify") || !strcmp(l->command->name, "compare");
	bool good = rc == CMD_OK || rc == CMD_LOSSES || rc == CMD_NOTHING || (rc == CMD_DIFFERENT && compares);

	if (getenv("FUZZ_SHOW"))
		fprintf(stderr, "exit code %d\n%.*s", rc, (int)nr_messages, messages);
	CHECK(good || rc == CMD_ERROR || rc == CMD_USAGE);
	CHECK(good || nr_messages);
	check_text("a message", (const uint8_t *)messages, nr_messages);
	/* a profile of nothing, or nothing that fits the filters */
	if (good && (rc != CMD_NOTHING || written))
		check_output(l, out, out_fd);
	CHECK(folder_empty(a, good ? out : NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct command_line l;
	static struct archive a;
	struct stat was;
	int rc, i;

	packed_read(&a, data, size);
	command_line(&l, &a, folder);
	folder_fill(&a);
	if (getenv("FUZZ_SHOW"))
		for (i = 0; i < l.argc; i++)
			fprintf(stderr, "%s%s", l.argv[i], i + 1 < l.argc ? " " : "\n");
	was = state_of(output_of(&l));
	before(&l);
	rc = after(l.command->run(l.argc, l.argv));
	judge(&l, &a, rc, &was);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
				 size_t max, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return mutate_archive(data, size, max, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
				 size_t max, unsigned int seed)
{
	return mutate_cross(a, a_size, b, b_size, out, max, seed);
}
