/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * images.h - which file holds the code at an address.
 *
 * Files are found in the emulator's own memory map when code is translated for the first time.
 * Code with no file behind it (the signal trampoline, generated code) is copied to a file of its
 * own, a new one each time its bytes have changed.
 */
#ifndef CSTRACE_TESTS_QEMU_IMAGES_H
#define CSTRACE_TESTS_QEMU_IMAGES_H

#include <stddef.h>
#include <stdint.h>

struct image_map {
	uint64_t start;
	uint64_t len;
	uint64_t offset;	/* in the file */
	uint32_t file;		/* number */
};

/*
 * @flow: path of the flow file; the list of files is written to FLOW.images, one line
 * "NUMBER<tab>FILE<tab>RECORDED-PATH" each, and copies of nameless code to FLOW.codeN.
 * @root: leading part of paths that the traced machine would not have, or NULL.
 */
int images_init(const char *flow, const char *root);

/* Guest mappings may have changed: look again before trusting what is known. */
void images_changed(void);

/*
 * The code at guest address @pc lies at @host. 1: *@map is a mapping not announced before,
 * 0: known already or not to be found.
 */
int images_find(uint64_t pc, const void *host, size_t len, struct image_map *map);

void images_close(void);

#endif
