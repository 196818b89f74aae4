/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ocsd_if_version.h - the version of OpenCSD's interface that these headers declare, for the
 * preprocessor.
 *
 * ocsd_get_version() returns the same number: that of the interface. The version of cstrace is in
 * cstrace/version.h.
 */
#ifndef CSTRACE_OPENCSD_OCSD_IF_VERSION_H
#define CSTRACE_OPENCSD_OCSD_IF_VERSION_H

#include <stdint.h>

#define OCSD_VER_MAJOR 0x1
#define OCSD_VER_MINOR 0x8
#define OCSD_VER_PATCH 0x3

/* MMMMnnpp: one number that grows with each version. */
#define OCSD_VER_NUM ((OCSD_VER_MAJOR << 16) | (OCSD_VER_MINOR << 8) | OCSD_VER_PATCH)

#define OCSD_VER_STRING "1.8.3"
#define OCSD_LIB_NAME "OpenCSD Library"
#define OCSD_LIB_SHORT_NAME "OCSD"

#endif
