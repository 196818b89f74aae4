/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * firmware.c - which trace hardware the device tree or ACPI describes, and signs of a virtual
 * machine.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/format.h"
#include "outputs/target/internal.h"

#define DT	"/sys/firmware/devicetree/base"
#define ACPI	"/sys/bus/acpi/devices"
#define DMI	"/sys/class/dmi/id/"

/*
 * Names of devices in `compatible` or as ACPI's _HID, and what they count for: the first row
 * that fits.
 */
static const struct known_device {
	const char *begin, *part;	/* what the name begins with, and what else is in it */
	size_t field;
} known_devices[] = {
#define DEVICE(begin, part, field) { begin, part, offsetof(struct target_firmware, field) }
	DEVICE("arm,coresight-", "etm", units),
	DEVICE("arm,embedded-trace-extension", "", units),
	DEVICE("arm,coresight-", "tmc", sinks),
	DEVICE("arm,coresight-", "etb", sinks),
	DEVICE("arm,trace-buffer-extension", "", trbes),
	DEVICE("arm,coresight-", "funnel", links),
	DEVICE("arm,coresight-", "replicator", links),
	DEVICE("arm,coresight-", "", others),
	DEVICE("ARMHC500", "", units),
	DEVICE("ARMHC501", "", sinks),
	DEVICE("ARMHC97C", "", sinks),
	DEVICE("ARMHC9FE", "", links),
	DEVICE("ARMHC9FF", "", links),
	DEVICE("ARMHC985", "", links),
	DEVICE("ARMHC98D", "", links),
	DEVICE("ARMHC", "", others),
#undef DEVICE
};

static void count_device(struct target_firmware *f, const char *name)
{
	const struct known_device *d;
	uint32_t *count;

	for (d = known_devices; d < known_devices + sizeof(known_devices) / sizeof(*d); d++) {
		if (strncmp(name, d->begin, strlen(d->begin)) ||
		    !strstr(name + strlen(d->begin), d->part))
			continue;
		count = (uint32_t *)((char *)f + d->field);
		++*count;
		return;
	}
}

/* ---- device tree ------------------------------------------------------------------------ */

#define MAX_DEPTH	12u	/* of nodes; those of trace hardware are at 1 to 4 */
#define MAX_NODES	20000u	/* a phone has about 4000 */

/* A node is not there for the kernel if its status is another one than these. */
static bool is_enabled(struct tree *tr, const char *node)
{
	enum target_seen seen;
	size_t size;
	char *path = format_text("%s/status", node),
	     *status = tree_bytes(tr, path, TREE_MAX_LINE, &size, &seen);
	bool enabled = !status || !strcmp(status, "okay") || !strcmp(status, "ok");

	free(status);
	free(path);
	return enabled;
}

static void count_node(struct tree *tr, const char *node)
{
	char *path = format_text("%s/compatible", node);
	enum target_seen seen;
	size_t size;
	char *names = tree_bytes(tr, path, TREE_MAX_LINE, &size, &seen), *name;
	struct target_firmware *f = &tr->t->firmware, before = *f;

	/* several names, each with a 0 behind it; one of them says what the device is */
	for (name = names; name && name < names + size && !memcmp(f, &before, sizeof(before));
	     name += strlen(name) + 1)
		count_device(f, name);
	if (memcmp(f, &before, sizeof(before)) && !is_enabled(tr, node))
		*f = before;
	free(names);
	free(path);
}

static void walk_nodes(struct tree *tr, const char *node, unsigned int depth, uint32_t *nodes)
{
	struct tree_list names;
	size_t i;

	tree_names(tr, node, true, &names);
	for (i = 0; i < names.nr && depth < MAX_DEPTH && *nodes < MAX_NODES; i++) {
		char *path = format_text("%s/%s", node, names.v[i]);

		++*nodes;
		count_node(tr, path);
		walk_nodes(tr, path, depth + 1, nodes);
		free(path);
	}
	tree_names_free(&names);
}

static void read_acpi(struct tree *tr)
{
	struct tree_list names;
	size_t i;

	tr->t->firmware.acpi = tree_names(tr, ACPI, false, &names) == TARGET_SEEN && names.nr;
	for (i = 0; i < names.nr; i++)
		count_device(&tr->t->firmware, names.v[i]);
	tree_names_free(&names);
}

/* ---- virtual machines ------------------------------------------------------------------- */

/*
 * What firmware calls itself in virtual machines: maker, and what is in the product's name ("":
 * any), or must not be.
 */
static const struct guest_sign {
	const char *vendor, *product, *but;
} guest_signs[] = {
	{ "QEMU", "", NULL },
	{ "KVM", "", NULL },
	{ "Red Hat", "KVM", NULL },
	{ "VMware", "", NULL },
	{ "Xen", "", NULL },
	{ "Parallels", "", NULL },
	{ "innotek GmbH", "", NULL },
	{ "Google", "Google Compute Engine", NULL },
	{ "Microsoft Corporation", "Virtual Machine", NULL },
	{ "Amazon EC2", "", ".metal" },
	{ "Apple Inc.", "Virtual", NULL },
	{ "OpenStack", "", NULL },
	{ "Alibaba Cloud", "", NULL },
};

static bool is_guest_product(const char *vendor, const char *product)
{
	const struct guest_sign *s;

	for (s = guest_signs; s < guest_signs + sizeof(guest_signs) / sizeof(*s); s++)
		if (!strncmp(vendor, s->vendor, strlen(s->vendor)) && strstr(product, s->product) &&
		    !(s->but && strstr(product, s->but)))
			return true;
	return false;
}

static void set_guest(struct target *t, enum target_answer is_one, const char *what)
{
	free(t->guest.what);
	t->guest.is_one = is_one;
	t->guest.what = what ? mem_text(what) : NULL;
}

static void read_guest_dmi(struct tree *tr)
{
	char *vendor = tree_word(tr, DMI "sys_vendor"),
	     *product = tree_word(tr, DMI "product_name");

	if (vendor && *vendor)
		set_guest(tr->t,
			  is_guest_product(vendor, product ? product : "") ? TARGET_YES : TARGET_NO,
			  vendor);
	free(vendor);
	free(product);
}

static void read_guest_tree(struct tree *tr)
{
	enum target_seen seen;
	size_t size;
	char *names = tree_bytes(tr, DT "/compatible", TREE_MAX_LINE, &size, &seen);

	if (names)
		set_guest(tr->t, strcmp(names, "linux,dummy-virt") ? TARGET_NO : TARGET_YES, names);
	free(names);
	if (tree_seen(tr, DT "/hypervisor") == TARGET_SEEN)
		set_guest(tr->t, TARGET_YES, "the device tree's node hypervisor");
}

static void read_guest(struct tree *tr)
{
	char *type = tree_word(tr, "/sys/hypervisor/type");

	read_guest_tree(tr);
	if (tr->t->guest.is_one != TARGET_YES)
		read_guest_dmi(tr);
	if (type && *type)
		set_guest(tr->t, TARGET_YES, type);
	free(type);
}

void read_firmware(struct tree *tr)
{
	uint32_t nodes = 0;

	walk_nodes(tr, DT, 0, &nodes);
	read_acpi(tr);
	read_guest(tr);
}
