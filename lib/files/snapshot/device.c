/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device.c - device files: [device], [regs] and the [dump...] sections.
 */
#include <string.h>

#include "files/snapshot/snapshot_int.h"

static const struct {
	const char *name;
	uint8_t class_;
} classes[] = {
	{ "core", CST_SNAP_CORE },
	{ "trace_source", CST_SNAP_SOURCE },
	{ "memory_space", CST_SNAP_MEMORY },
};

/*
 * Names that the format lists, and those of the realm and root states which came later. Of several
 * names for one thing the first is written.
 */
static const struct {
	const char *name;
	uint8_t space;
} spaces[] = {
	{ "N", CST_MEM_EL1N | CST_MEM_EL2N },
	{ "S", CST_MEM_EL1S | CST_MEM_EL2S | CST_MEM_EL3 },
	{ "R", CST_MEM_EL1R | CST_MEM_EL2R },
	{ "EL1N", CST_MEM_EL1N },
	{ "EL1S", CST_MEM_EL1S },
	{ "EL1R", CST_MEM_EL1R },
	{ "EL2", CST_MEM_EL2N },
	{ "EL2N", CST_MEM_EL2N },
	{ "EL2S", CST_MEM_EL2S },
	{ "EL2R", CST_MEM_EL2R },
	{ "H", CST_MEM_EL2N },
	{ "EL3", CST_MEM_EL3 },
	{ "ROOT", CST_MEM_ROOT },
	{ "ANY", CST_MEM_ANY },
};

const char *cst_snap_space_name(uint8_t space)
{
	size_t i;

	for (i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		if (spaces[i].space == space)
			return spaces[i].name;
	return NULL;
}

const char *cst_snap_class_name(uint8_t class_)
{
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].class_ == class_)
			return classes[i].name;
	return NULL;
}

static int device_key(struct snap_file *f, struct cst_snap_device *dev, const struct ini_line *l)
{
	const char **text;
	size_t i;

	if (cst_ini_is(l->key, "class")) {
		for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
			if (cst_ini_is(l->value, classes[i].name))
				dev->class_ = classes[i].class_;
		return 0;
	}
	if (cst_ini_is(l->key, "name"))
		text = &dev->name;
	else if (cst_ini_is(l->key, "type"))
		text = &dev->type;
	else if (cst_ini_is(l->key, "location"))
		text = &dev->location;
	else
		return 0;	/* clients may keep their own keys here */
	return cst_snap_copy(f, text, l->value, l->line);
}

static const char *attribute_sign(struct cst_str item)
{
	size_t i;

	for (i = 0; i < item.n; i++)
		if (item.p[i] == ':' || item.p[i] == '=')
			return item.p + i;
	return NULL;
}

/* "id:0x82", "0x82", "size:64", also with '='. */
static int reg_attributes(struct cst_snap_reg *reg, struct cst_str rest)
{
	struct cst_str item, key;
	const char *colon;
	uint64_t v;

	while (cst_ini_item(&rest, &item)) {
		if (!item.n)
			continue;
		colon = attribute_sign(item);
		key = item;
		if (colon) {
			key.n = (size_t)(colon - item.p);
			item.n -= key.n + 1;
			item.p = colon + 1;
		}
		if (cst_ini_number(cst_ini_trim(item), &v))
			return -CST_ERR_SYNTAX;
		if (!colon || cst_ini_is(cst_ini_trim(key), "id")) {
			if (v > UINT32_MAX)
				return -CST_ERR_SYNTAX;
			reg->id = (uint32_t)v;
			reg->has_id = 1;
		} else if (cst_ini_is(cst_ini_trim(key), "size")) {
			if (v > 64)
				return -CST_ERR_SYNTAX;
			reg->bits = (uint8_t)v;
		}
	}
	return 0;
}

static int reg_key(struct snap_file *f, struct cst_snap_device *dev, const struct ini_line *l)
{
	struct cst_snap_reg reg = { .bits = 32 }, *to;
	struct cst_str name = l->key, extra;
	const char *open = memchr(name.p, '(', name.n);

	if (open) {
		extra.p = open + 1;
		extra.n = name.n - (size_t)(extra.p - name.p);
		name.n = (size_t)(open - name.p);
		name = cst_ini_trim(name);
		if (!extra.n || extra.p[extra.n - 1] != ')')
			return cst_snap_skip(f, l->line, -CST_ERR_SYNTAX,
					     "register without closing parenthesis");
		extra.n--;
		if (reg_attributes(&reg, extra))
			return cst_snap_skip(f, l->line, -CST_ERR_SYNTAX,
					     "register attribute is not (id:N) or (size:BITS)");
	}
	if (!name.n || cst_ini_number(l->value, &reg.value))
		return cst_snap_skip(f, l->line, -CST_ERR_SYNTAX,
				     "register value is not a number of at most 64 bits");
	if (reg.bits < 64 && open && reg.value >> reg.bits)
		cst_snap_say(f->io, f->name, l->line, -CST_ERR_SYNTAX,
			     "register value does not fit into its size; it is kept");
	if (cst_snap_copy(f, &reg.name, name, l->line))
		return -CST_ERR_LIMIT;
	to = cst_mem_append(&f->ss->mem, &dev->regs, &dev->n_regs, sizeof(*to));
	if (!to)
		return cst_snap_full(f, l->line);
	*to = reg;
	return 0;
}

/* A dump as its section is read. */
struct dump {
	struct cst_snap_dump d;
	uint8_t open, bad, has_address;
};

static int dump_key(struct snap_file *f, struct dump *dump, const struct ini_line *l)
{
	uint64_t *number = NULL;
	size_t i;

	if (cst_ini_is(l->key, "file"))
		return cst_snap_copy(f, &dump->d.file, l->value, l->line);
	if (cst_ini_is(l->key, "space")) {
		dump->d.space = 0;
		for (i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
			if (cst_ini_is(l->value, spaces[i].name))
				dump->d.space = spaces[i].space;
		if (!dump->d.space && l->value.n) {
			dump->bad = 1;
			cst_snap_skip(f, l->line, -CST_ERR_SYNTAX,
				      "space= is not one of N S R H EL1N EL1S EL1R EL2 EL2N EL2S EL2R EL3 ROOT; the dump is left out");
		}
		return 0;
	}
	if (cst_ini_is(l->key, "address")) {
		number = &dump->d.address;
		dump->has_address = 1;
	} else if (cst_ini_is(l->key, "length")) {
		number = &dump->d.length;
	} else if (cst_ini_is(l->key, "offset")) {
		number = &dump->d.offset;
	}
	if (number && cst_ini_number(l->value, number)) {
		dump->bad = 1;
		cst_snap_skip(f, l->line, -CST_ERR_SYNTAX, "not a number; the dump is left out");
	}
	return 0;
}

static int end_dump(struct snap_file *f, struct cst_snap_device *dev, struct dump *dump)
{
	struct cst_snap_dump *to;

	if (!dump->open)
		return 0;
	dump->open = 0;
	if (dump->bad)
		return 0;
	if (!dump->d.file || !*dump->d.file || !dump->has_address)
		return cst_snap_skip(f, dump->d.line, -CST_ERR_NOT_FOUND,
				     "memory dump without file= or address=; it is left out");
	if (!dump->d.space)
		dump->d.space = CST_MEM_ANY;
	to = cst_mem_append(&f->ss->mem, &dev->dumps, &dev->n_dumps, sizeof(*to));
	if (!to)
		return cst_snap_full(f, dump->d.line);
	*to = dump->d;
	return 0;
}

static int is_dump(struct cst_str section)
{
	section.n = section.n < 4 ? section.n : 4;
	return cst_ini_is(section, "dump");
}

int cst_snap_read_device(struct snap_file *f, struct cst_snap_device *dev)
{
	struct dump dump = { 0 };
	struct ini_line l;
	int err = 0;

	dev->type = dev->location = "";
	while (!err) {
		cst_ini_next(&f->ini, &l);
		if (l.kind == INI_END)
			break;
		if (l.kind == INI_BAD) {
			cst_snap_skip(f, l.line, -CST_ERR_SYNTAX, "neither a [section] nor key=value");
		} else if (l.kind == INI_SECTION) {
			err = end_dump(f, dev, &dump);
			memset(&dump, 0, sizeof(dump));
			dump.open = is_dump(l.section) != 0;
			dump.d.line = l.line;
		} else if (dump.open) {
			err = dump_key(f, &dump, &l);
		} else if (cst_ini_is(l.section, "device")) {
			err = device_key(f, dev, &l);
		} else if (cst_ini_is(l.section, "regs")) {
			err = reg_key(f, dev, &l);
		}
	}
	if (!err)
		err = end_dump(f, dev, &dump);
	if (!err && (!dev->name || !*dev->name))
		err = cst_snap_say(f->io, f->name, 0, -CST_ERR_NOT_FOUND,
				   "no name= in [device]: not a device file");
	return err;
}
