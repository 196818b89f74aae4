/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * version.c - the version that the library was built as.
 */
#include <cstrace/version.h>

unsigned int cst_version(void)
{
	return CST_VERSION_NUMBER;
}
