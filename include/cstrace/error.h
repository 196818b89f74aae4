/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.h - the one error channel of the library.
 *
 * Every function that can fail returns an int (or a count) that is negative on failure: -CST_ERR_x.
 * Trouble in the trace itself is not a failed call: it is reported as an element in the output
 * (CST_GEN_NO_SYNC with the error in `error`, flow.h) and in the counters (decoder.h).
 */
#ifndef CSTRACE_ERROR_H
#define CSTRACE_ERROR_H

#include <cstrace/types.h>

CST_BEGIN

enum cst_error {
#define CST_ERROR(name, value, text) CST_ERR_##name = value,
#include <cstrace/errors.def>
#undef CST_ERROR
};

/*
 * Text of an error code; `err` may be negative or positive. Never NULL; the text is static.
 * Safe from any thread.
 */
CST_API const char *cst_strerror(int err);

CST_END

#endif
