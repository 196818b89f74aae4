/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as files of a machine that records (outputs/target): they are read and judged, and
 * what is printed of them has no control characters.
 *
 * An input is a list of files: a byte chooses the path, one the kind (bit 7: a symbolic link),
 * two are the length of the bytes that follow, which are the file, or where the link leads. Of
 * the last path the bytes up to a '/' are the name.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/name.h"
#include "outputs/check/check.h"

#define PMU	"/sys/bus/event_source/devices/cs_etm/"
#define BUS	"/sys/bus/coresight/devices/"
#define CPU	"/sys/devices/system/cpu/"
#define NODE	"/sys/firmware/devicetree/base/"

static const char *const paths[] = {
	"/collected/machine",
	"/collected/perf",
	"/collected/programs",
	"/collected/unreadable",
	"/proc/sys/kernel/osrelease",
	"/proc/sys/kernel/perf_event_paranoid",
	"/proc/sys/kernel/kptr_restrict",
	"/proc/sys/kernel/perf_event_mlock_kb",
	"/proc/config.gz",
	"/proc/modules",
	"/proc/kcore",
	"/proc/self/status",
	"/proc/self/limits",
	"/proc/self/ns/pid",
	"/proc/self/ns/user",
	CPU "present",
	CPU "online",
	CPU "vulnerabilities/meltdown",
	PMU "type",
	PMU "format/contextid",
	PMU "format/cc_threshold",
	PMU "events/autofdo",
	PMU "sinks/tmc_etr0",
	PMU "sinks/trbe1",
	PMU "cpu0/trcidr/trcidr0",
	PMU "cpu0/trcidr/trcidr1",
	PMU "cpu0/trcidr/trcidr2",
	PMU "cpu0/trcidr/trcidr4",
	PMU "cpu0/trcidr/trcidr5",
	PMU "cpu0/mgmt/trcdevarch",
	PMU "cpu1/mgmt/etmidr",
	PMU "cpu1/mgmt/etmccer",
	PMU "cpu0/ts_source",
	BUS "tmc_etr0/buffer_size",
	BUS "etb0/mgmt/rdp",
	NODE "compatible",
	NODE "etm/compatible",
	NODE "etm/status",
	"/sys/class/dmi/id/sys_vendor",
	"/sys/class/dmi/id/product_name",
	"/sys/hypervisor/type",
	"/sys/kernel/security/lockdown",
	"/usr/bin/perf",
	"/system/build.prop",
	"/sys/kernel/config/cs-syscfg/features/strobing/params/window/value",
	PMU "sinks/",
};
#define NR_PATHS (sizeof(paths) / sizeof(paths[0]))

static char root[] = "/dev/shm/fuzz_target.XXXXXX";
static char named[NR_PATHS][300];	/* of each path the file that was made; "": none */

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void full_path(char *out, size_t size, const char *path)
{
	require(snprintf(out, size, "%s%s", root, path) < (int)size);
}

/*
 * Makes, or with rmdir() removes, the folders that the paths are in; the deepest are removed
 * first.
 */
static void each_folder(const char *path, bool make)
{
	char text[PATH_MAX];
	size_t at;

	full_path(text, sizeof(text), path);
	for (at = sizeof(root); make && text[at]; at++) {
		if (text[at] != '/')
			continue;
		text[at] = 0;
		require(!mkdir(text, 0700) || errno == EEXIST);
		text[at] = '/';
	}
	for (at = strlen(text); !make && at >= sizeof(root) - 1; at--) {
		if (text[at] != '/')
			continue;
		text[at] = 0;
		rmdir(text);
	}
}

static void empty(void)
{
	size_t i;

	for (i = 0; i < NR_PATHS; i++) {
		if (*named[i])
			unlink(named[i]);
		*named[i] = 0;
	}
}

static void end(void)
{
	size_t i;

	empty();
	for (i = 0; i < NR_PATHS; i++)
		each_folder(paths[i], false);
	rmdir(root);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	size_t i;

	(void)argc;
	(void)argv;
	require(mkdtemp(root) && freopen("/dev/null", "w", stdout));
	for (i = 0; i < NR_PATHS; i++)
		each_folder(paths[i], true);
	atexit(end);
	return 0;
}

static void put(size_t i, bool link, const uint8_t *data, size_t size)
{
	char text[256] = "";
	int fd;

	if (*named[i])
		unlink(named[i]);
	full_path(named[i], sizeof(named[i]), paths[i]);
	memcpy(text, data, size < sizeof(text) - 1 ? size : sizeof(text) - 1);
	if (i == NR_PATHS - 1) {
		text[strcspn(text, "/")] = 0;
		text[40] = 0;
		strcat(named[i], *text && strcmp(text, ".") && strcmp(text, "..") ? text : "x");
		data = (const uint8_t *)"0x1\n";
		size = 4;
		link = false;
	}
	if (link) {
		if (symlink(*text ? text : "x", named[i]))
			*named[i] = 0;
		return;
	}
	fd = open(named[i], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static void judge(void)
{
	const struct target_how how = { .root = root };
	struct target_findings fs;
	struct target t;
	size_t i;
	int a;

	target_read(&t, &how);
	findings_of(&t, &fs);
	for (i = 0; i < fs.nr; i++) {
		require(!*fs.v[i].text || name_plain_len(fs.v[i].text) == strlen(fs.v[i].text));
		require(!fs.v[i].cure || name_plain_len(fs.v[i].cure) == strlen(fs.v[i].cure));
		require(fs.v[i].state <= FINDING_MISSING);
	}
	for (a = 0; a < NR_ABILITIES; a++)
		if (check_verdict(&fs) == ABLE_YES)
			require(findings_able(&fs, (enum target_ability)a, NULL) == ABLE_YES);
	check_text(&t, &fs);
	check_json(&t, &fs);
	findings_free(&fs);
	target_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len;

	while (size >= 4) {
		len = data[2] | (size_t)data[3] << 8;
		if (len > size - 4)
			len = size - 4;
		put(data[0] % NR_PATHS, data[1] >> 7, data + 4, len);
		data += 4 + len;
		size -= 4 + len;
	}
	judge();
	empty();
	return 0;
}
