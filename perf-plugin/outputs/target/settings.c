/* SPDX-License-Identifier: GPL-2.0-only */
/* settings.c - limits of the kernel for this user, and who that is. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "outputs/target/internal.h"

#define SYSCTL	"/proc/sys/kernel/"

/*
 * The inode numbers of the first namespaces are constants of the kernel
 * (include/linux/proc_ns.h).
 */
#define FIRST_PID_NS	"pid:[4026531836]"
#define FIRST_USER_NS	"user:[4026531837]"

static enum target_answer is_first(struct tree *tr, const char *path, const char *first)
{
	char *link = tree_link(tr, path);
	enum target_answer answer = !link		? TARGET_UNKNOWN :
				    strcmp(link, first) ? TARGET_NO :
							  TARGET_YES;

	free(link);
	return answer;
}

/* "Max locked memory  SOFT  HARD  bytes" of /proc/self/limits. */
static struct target_number read_memlock(struct tree *tr)
{
	struct target_number n = { TARGET_ABSENT, 0 };
	char *text = tree_text(tr, "/proc/self/limits", TREE_MAX_LIST, &n.seen),
	     *value = text_value(text, "Max locked memory");

	if (value) {
		value[strcspn(value, " ")] = 0;
		if (!strcmp(value, "unlimited"))
			n.value = INT64_MAX;
		else if (!text_number(value, &n.value))
			n.seen = TARGET_ODD;
	} else if (text) {
		n.seen = TARGET_ODD;
	}
	free(value);
	free(text);
	return n;
}

/* "MemTotal:  8058752 kB" */
static struct target_number read_memory(struct tree *tr)
{
	struct target_number n = { TARGET_ABSENT, 0 };
	char *text = tree_text(tr, "/proc/meminfo", TREE_MAX_LIST, &n.seen),
	     *value = text_value(text, "MemTotal:");

	if (value)
		value[strcspn(value, " ")] = 0;
	if (text && (!value || !text_number(value, &n.value)))
		n.seen = TARGET_ODD;
	free(value);
	free(text);
	return n;
}

static void read_user(struct tree *tr)
{
	struct target_user *u = &tr->t->user;
	char *text = tree_text(tr, "/proc/self/status", TREE_MAX_LIST, &u->uid.seen),
	     *uids = text_value(text, "Uid:"), *caps = text_value(text, "CapEff:"),
	     *seccomp = text_value(text, "Seccomp:"), *end;

	u->caps.seen = u->uid.seen;
	if (uids) {
		strtoull(uids, &end, 10);	/* the real one; the effective one is behind it */
		u->uid.value = (int64_t)strtoull(end, NULL, 10);
	}
	if (caps)
		u->caps.value = (int64_t)(strtoull(caps, NULL, 16) & INT64_MAX);
	if (text && (!uids || !caps))
		u->uid.seen = u->caps.seen = TARGET_ODD;
	if (seccomp)
		u->seccomp = strcmp(seccomp, "2") ? TARGET_NO : TARGET_YES;
	free(seccomp);
	free(caps);
	free(uids);
	free(text);
	u->first_pid_ns = is_first(tr, "/proc/self/ns/pid", FIRST_PID_NS);
	u->first_user_ns = is_first(tr, "/proc/self/ns/user", FIRST_USER_NS);
}

/* "none [integrity] confidentiality": what is in force is in brackets. */
static char *read_lockdown(struct tree *tr)
{
	char *text = tree_word(tr, "/sys/kernel/security/lockdown"), *from, *level = NULL;

	from = text ? strchr(text, '[') : NULL;
	if (from && strchr(from, ']'))
		level = mem_text_part(from + 1, strcspn(from + 1, "]"));
	free(text);
	return level;
}

void read_settings(struct tree *tr)
{
	struct target_settings *s = &tr->t->settings;

	s->paranoid = tree_number(tr, SYSCTL "perf_event_paranoid");
	s->kptr_restrict = tree_number(tr, SYSCTL "kptr_restrict");
	s->mlock_kb = tree_number(tr, SYSCTL "perf_event_mlock_kb");
	s->memlock = read_memlock(tr);
	s->lockdown = read_lockdown(tr);
	s->memory_kb = read_memory(tr);
	read_user(tr);
}
