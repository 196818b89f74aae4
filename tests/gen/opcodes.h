/* SPDX-License-Identifier: BSD-3-Clause */
/* opcodes.h - the code of a flow file: bytes of the images that its FLOW_MAP records name, by process and address. */
#ifndef CSTRACE_TESTS_GEN_OPCODES_H
#define CSTRACE_TESTS_GEN_OPCODES_H

#include "session.h"

struct opcodes;

struct opcodes *opcodes_new(const struct session_image *images, int n);
/* a FLOW_MAP: later ones cover earlier ones */
void opcodes_map(struct opcodes *o, const struct flow_rec *r);
/* the callback that struct tarmac_opts takes, with ctx = the code */
int opcodes_bytes(void *opcodes, const struct flow_rec *r, uint8_t *bytes);
void opcodes_free(struct opcodes *o);

#endif
