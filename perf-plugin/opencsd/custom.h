/* SPDX-License-Identifier: BSD-3-Clause */
/* custom.h - decoders that the client registered: packet processor and decoder in one. */
#ifndef CSTRACE_OPENCSD_CUSTOM_H
#define CSTRACE_OPENCSD_CUSTOM_H

#include "internal.h"

/* A new instance for `s` by the registered name; sets s->custom, s->protocol and s->id. */
ocsd_err_t custom_create(struct ocsd_tree *t, struct source *s, const char *name, int flags,
			 const void *config);
void custom_destroy(struct source *s);
/* The name of the client's decoder. */
const char *custom_name(const struct source *s);
/* Sets the receivers of the decoder's packets. */
void custom_update(struct source *s);
/* Bytes of the buffer, for the custom decoders among the sources; they are de-formatted here. */
ocsd_datapath_resp_t custom_data(struct ocsd_tree *t, const uint8_t *data, size_t len, uint64_t index);
ocsd_datapath_resp_t custom_op(struct ocsd_tree *t, ocsd_datapath_op_t op);
void custom_path_free(struct ocsd_tree *t);

#endif
