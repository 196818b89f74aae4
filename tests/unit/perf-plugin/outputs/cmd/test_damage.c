/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The commands on damaged copies of the shipped sample: cut at every 64th byte, every bit of headers
 * and metadata flipped. They run as main() runs them, one after the other, in a process of their own
 * that is started again when they break it. Asked of each: an end within 10 seconds and by itself, a
 * documented exit code, a message with the file's name when it is an error, and as output file either
 * the whole new one or the old one untouched.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/files/input.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"
#include "perfdata/reader.h"

#define SAMPLE		"tests/data/sample.perf.data"
#define SYMFS		"tests/data/symfs"
#define TIME_LIMIT	10	/* s; the sanitized program has six times as long */
#define MEMORY_LIMIT	(256L << 10)	/* KB; sanitizers need more of their own */
#define SHORT_TRACE	1024u
#define MAX_ARGS	12
#define MAX_BAD		10
#define OLD		"what was here before\n"

static char dir[256], in[300], out[300], err_path[300];
static int err_fd, null_fd;
static bool sanitized, nightly;

struct bytes {
	uint8_t *p;
	size_t len;
};

/* ---- the file's structure --------------------------------------------------------------------- */

static uint64_t get64(const struct bytes *b, size_t at)
{
	uint64_t v;

	assert_true(at + 8 <= b->len);
	memcpy(&v, b->p + at, 8);
	return v;
}

static void add64(struct bytes *b, size_t at, uint64_t n)
{
	uint64_t v = get64(b, at) + n;

	memcpy(b->p + at, &v, 8);
}

static size_t data_start(const struct bytes *b)
{
	return get64(b, 40);
}

static size_t data_end(const struct bytes *b)
{
	return get64(b, 40) + get64(b, 48);
}

static bool load(const char *path, struct bytes *b)
{
	FILE *f = fopen(path, "rb");
	struct stat st;

	if (!f)
		return false;
	assert_int_equal(fstat(fileno(f), &st), 0);
	b->len = st.st_size;
	b->p = malloc(b->len);
	assert_int_equal(fread(b->p, 1, b->len, f), b->len);
	fclose(f);
	return true;
}

/* The next record: its type; *at moves on to the one after it. */
static uint32_t next_record(const struct bytes *b, size_t *at, size_t *size, size_t *payload)
{
	uint64_t head = get64(b, *at);

	*size = head >> 48;
	*payload = (uint32_t)head == PERF_RECORD_AUXTRACE ? get64(b, *at + 8) : 0;
	*at += *size + *payload;
	return (uint32_t)head;
}

/* Positions of all bytes but those of the trace; their number. */
static size_t structure(const struct bytes *b, size_t *where)
{
	size_t i, n = 0, at, size, payload;

	for (i = 0; i < data_start(b); i++)
		where[n++] = i;
	for (at = data_start(b); at < data_end(b);) {
		size_t start = at;

		next_record(b, &at, &size, &payload);
		for (i = 0; i < size; i++)
			where[n++] = start + i;
	}
	for (i = data_end(b); i < b->len; i++)
		where[n++] = i;
	return n;
}

/* Leave SHORT_TRACE bytes of the only AUX buffer, so that thousands of runs take little time. */
static void shorten(struct bytes *b)
{
	size_t at, size, payload, cut = 0, from = 0, i, n = 0, end = data_end(b);

	for (at = data_start(b); at < end;) {
		size_t start = at;
		uint32_t type = next_record(b, &at, &size, &payload);

		if (type == PERF_RECORD_AUXTRACE && payload > SHORT_TRACE) {
			assert_int_equal(cut, 0);
			cut = payload - SHORT_TRACE;
			from = start + size + SHORT_TRACE;
			add64(b, start + 8, -cut);
		}
	}
	assert_int_not_equal(cut, 0);
	for (at = data_start(b); at < from;) {
		size_t start = at;

		/* in place the trace is still there */
		if (next_record(b, &at, &size, &payload) == PERF_RECORD_AUX)
			add64(b, start + 16, -cut);
	}
	for (i = 72; i < 104; i++)
		n += __builtin_popcount(b->p[i]);
	for (i = 0; i < n; i++)
		add64(b, end + 16 * i, -cut);
	add64(b, 48, -cut);
	memmove(b->p + from, b->p + from + cut, b->len - from - cut);
	b->len -= cut;
}

/* ---- one damaged file ------------------------------------------------------------------------- */

static const char *const commands[][MAX_ARGS] = {
	{ "inject", "--itrace=i1000il16b", "--strip", "-o", out },
	{ "inject", "--itrace=i500tg16e", "-o", out },
	{ "script", "--itrace=b", "-F", "comm,pid,tid,cpu,time,ip,sym,addr", "-o", out },
	{ "profile", "--format=autofdo", "-o", out },
	{ "timeline", "-o", out },
	{ "info", "--all" },
	{ "dump", "--frames", "--packets", "--elements", "-o", out },
	{ "dump", "--format=opencsd", "-o", out },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* For the parent when the child dies. */
static struct report {
	unsigned int command;
	size_t number, where;
	char text[1000];
} *report;

static int run_command(const char *const *words)
{
	static const struct {
		const char *name;
		int (*run)(int argc, const char **argv);
	} table[] = {
		{ "inject", cmd_inject }, { "script", cmd_script }, { "dump", cmd_dump },
		{ "profile", cmd_profile }, { "info", cmd_info }, { "timeline", cmd_timeline },
	};
	const char *argv[MAX_ARGS + 6] = { NULL };
	int argc = 0;
	size_t i;

	for (; words[argc]; argc++)
		argv[argc] = words[argc];
	argv[argc++] = "-i";
	argv[argc++] = in;
	argv[argc++] = "--symfs";
	argv[argc++] = SYMFS;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].name, argv[0]))
			return table[i].run(argc, argv);
	return -1;
}

static void put_file(const char *path, const void *p, size_t len)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, len), len);
	close(fd);
}

static size_t get_messages(char *text, size_t room)
{
	ssize_t n = pread(err_fd, text, room - 1, 0);

	text[n > 0 ? n : 0] = 0;
	return n > 0 ? n : 0;
}

#define BAD(...) do {								\
	snprintf(report->text, sizeof(report->text), __VA_ARGS__);		\
	return false;								\
} while (0)

static bool perfdata_whole(void)
{
	struct error err = { .code = 0 };
	struct pd_record rec;
	struct perfdata *pd = perfdata_open(out, &err);
	int rc;

	if (!pd)
		BAD("cannot read what was written: %s", err.msg);
	while ((rc = perfdata_next(pd, &rec)) > 0)
		;
	if (rc < 0)
		BAD("what was written is damaged: %s", perfdata_error(pd)->msg);
	if (perfdata_nr_warnings(pd))
		BAD("odd output: %s", perfdata_warning(pd, 0));
	perfdata_close(pd);
	return true;
}

static bool output_whole(const char *command)
{
	struct bytes b;
	bool ends;

	if (!strcmp(command, "inject"))
		return perfdata_whole();
	if (!load(out, &b))
		BAD("no output");
	if (b.len == strlen(OLD) && !memcmp(b.p, OLD, b.len))
		BAD("the old output is still there");
	ends = !b.len || b.p[b.len - 1] == '\n';
	free(b.p);
	if (!ends)
		BAD("the output ends inside a line");
	return true;
}

static bool output_untouched(void)
{
	struct bytes b;
	bool same;

	if (!load(out, &b))
		BAD("the old output is gone, and there is no new one");
	same = b.len == strlen(OLD) && !memcmp(b.p, OLD, b.len);
	free(b.p);
	if (!same)
		BAD("the output was changed where none is due");
	return true;
}

static bool one_command(const char *const *words, bool cut)
{
	char messages[20000];
	int rc;

	input_forget_all();	/* of the run before: files and their inode numbers come and go */
	put_file(out, OLD, strlen(OLD));
	if (ftruncate(err_fd, 0))
		BAD("cannot empty the messages");
	lseek(err_fd, 0, SEEK_SET);
	alarm(sanitized ? 6 * TIME_LIMIT : TIME_LIMIT);
	rc = run_command(words);
	alarm(0);
	fflush(stdout);
	fflush(stderr);
	get_messages(messages, sizeof(messages));
	if (rc != CMD_OK && rc != CMD_ERROR && rc != CMD_LOSSES && rc != CMD_NOTHING)
		BAD("exit code %d: %.800s", rc, messages);
	if (strstr(messages, "out of memory"))
		BAD("a number in the file decides on memory: %.800s", messages);
	if (rc == CMD_ERROR && !strstr(messages, in))
		BAD("an error that does not name the file: %.800s", messages);
	if (rc == CMD_OK && cut && !strstr(messages, "is cut at") &&
	    !strstr(messages, "but the file ends at"))
		BAD("exit code 0 and no word about the cut: %.800s", messages);
	if (!strcmp(words[0], "info"))
		return true;
	/* what is of nothing is not written */
	if (rc == CMD_ERROR || rc == CMD_NOTHING)
		return output_untouched();
	return output_whole(words[0]);
}

static bool all_commands(bool cut)
{
	struct rusage use;
	unsigned int i;

	for (i = 0; i < NR_COMMANDS; i++) {
		report->command = i;
		if (!one_command(commands[i], cut))
			return false;
	}
	getrusage(RUSAGE_SELF, &use);
	if (!sanitized && use.ru_maxrss > MEMORY_LIMIT)
		BAD("%ld KB of memory", use.ru_maxrss);
	return true;
}

/* ---- series of them --------------------------------------------------------------------------- */

/* Number `i` of a series; undone by a second call. */
struct series {
	const char *name;
	size_t nr;
	size_t (*damage)(const struct series *s, size_t i, struct bytes *b);	/* where */
	const size_t *where;
	unsigned int step;
	size_t whole;
	bool cut;
};

/* In AddressSanitizer's library only. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static bool attempt(const struct series *s, size_t first, struct bytes *b)
{
	size_t i;

	for (i = first; i < s->nr; i++) {
		report->number = i;
		report->where = s->damage(s, i, b);
		unlink(in);
		put_file(in, b->p, b->len);
		if (!all_commands(s->cut))
			return false;
		s->damage(s, i, b);
	}
	if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
		BAD("memory was not freed, in this or a run before");
	return true;
}

static void tell(const struct series *s, int status)
{
	char messages[3000];

	get_messages(messages, sizeof(messages));
	print_message("%s %#zx: %s (%s): ", s->name, report->where, commands[report->command][0],
		      commands[report->command][1]);
	if (WIFSIGNALED(status))
		print_message("%s: %s\n", WTERMSIG(status) == SIGALRM ? "no end in time" :
			      strsignal(WTERMSIG(status)), messages);
	else if (WEXITSTATUS(status) == 1)
		print_message("%s\n", report->text);
	else
		print_message("exit %d: %s\n", WEXITSTATUS(status), messages);
}

static unsigned int other_files(void)
{
	char cmd[600];
	int n = 0;
	FILE *f;

	snprintf(cmd, sizeof(cmd), "ls -A '%s' | grep -cvx -e in -e out -e err", dir);
	f = popen(cmd, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &n), 1);
	pclose(f);
	return n;
}

/* After a failure another process goes on with the next one. */
static void run_series(const struct series *s, struct bytes *b)
{
	unsigned int bad = 0;
	size_t i = 0;
	int status;
	pid_t pid;

	while (i < s->nr && bad < MAX_BAD) {
		memset(report, 0, sizeof(*report));
		fflush(NULL);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			dup2(null_fd, STDOUT_FILENO);
			dup2(err_fd, STDERR_FILENO);
			_exit(attempt(s, i, b) ? 0 : 1);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			break;
		tell(s, status);
		bad++;
		i = report->number + 1;
	}
	assert_int_equal(bad, 0);
	assert_int_equal(other_files(), 0);
}

/* ---- tests ------------------------------------------------------------------------------------ */

static size_t no_damage(const struct series *s, size_t i, struct bytes *b)
{
	(void)s;
	(void)b;
	return i;
}

static void sample_is_whole(void **state)
{
	const struct series s = { .name = "undamaged", .nr = 1, .damage = no_damage };
	struct bytes b;

	(void)state;
	assert_true(load(SAMPLE, &b));
	run_series(&s, &b);
	shorten(&b);
	run_series(&s, &b);
	free(b.p);
}

static size_t cut_file(const struct series *s, size_t i, struct bytes *b)
{
	b->len = b->len == s->whole ? i * s->step : s->whole;
	return b->len;
}

static void cut_at_every_64th_byte(void **state)
{
	struct series s = { .name = "cut at", .damage = cut_file, .cut = true };
	struct bytes b;

	(void)state;
	assert_true(load(SAMPLE, &b));
	s.whole = b.len;
	/* sanitized, a command takes a hundred thousand page faults */
	s.step = sanitized && !nightly ? 512 : 64;
	s.nr = (b.len + s.step - 1) / s.step;
	run_series(&s, &b);
	free(b.p);
}

static size_t flip_bit(const struct series *s, size_t i, struct bytes *b)
{
	size_t bit = i * s->step + (i * 5 + i / 8) % s->step;

	/* where not all are flipped they take turns */
	b->p[s->where[bit / 8]] ^= 1u << bit % 8;
	return s->where[bit / 8];
}

/* Daily some bits of each byte, fewer where sanitizers make it slow. */
static void flip_bits(struct bytes *b)
{
	size_t *where = malloc(b->len * sizeof(*where)), n;
	struct series s = { .name = "flipped bit of byte", .damage = flip_bit, .where = where };

	s.step = nightly ? (sanitized ? 8 : 1) : sanitized ? 96 : 4;
	n = structure(b, where);
	assert_in_range(n, 1000, b->len);
	s.nr = n * 8 / s.step;
	run_series(&s, b);
	free(where);
}

static void bits_of_headers_and_metadata(void **state)
{
	struct bytes b;

	(void)state;
	assert_true(load(SAMPLE, &b));
	shorten(&b);
	flip_bits(&b);
	free(b.p);
}

static void bits_of_a_whole_recording(void **state)
{
	struct bytes b;

	(void)state;
	assert_true(load(SAMPLE, &b));
	flip_bits(&b);
	free(b.p);
}

static int setup(void **state)
{
	/* A disk would have to store each of the many files that take the place of another one. */
	const char *tmp = access("/dev/shm", W_OK) ? getenv("TMPDIR") : "/dev/shm";

	(void)state;
	sanitized = getenv("SANITIZED") != NULL;
	nightly = getenv("CSTRACE_NIGHTLY") != NULL;
	snprintf(dir, sizeof(dir), "%s/damage.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return -1;
	snprintf(in, sizeof(in), "%s/in", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(err_path, sizeof(err_path), "%s/err", dir);
	err_fd = open(err_path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return err_fd < 0 || report == MAP_FAILED ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(in);
	unlink(out);
	unlink(err_path);
	munmap(report, sizeof(*report));
	close(err_fd);
	close(null_fd);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_is_whole),
		cmocka_unit_test(cut_at_every_64th_byte),
		cmocka_unit_test(bits_of_headers_and_metadata),
	};
	const struct CMUnitTest nightly_tests[] = {
		cmocka_unit_test(bits_of_a_whole_recording),
	};
	int rc = cmocka_run_group_tests(tests, setup, teardown);

	if (getenv("CSTRACE_NIGHTLY"))
		rc |= cmocka_run_group_tests(nightly_tests, setup, teardown);
	return rc;
}
