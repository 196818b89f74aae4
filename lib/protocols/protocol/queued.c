/* SPDX-License-Identifier: BSD-3-Clause */
/* queued.c - the address in elements that an element stage has queued. */
#include "protocols/protocol/protocol_int.h"

int cst_queued_address(const struct cst_element *e, uint32_t n, uint64_t *addr)
{
	for (; n; e++, n--)
		switch (e->kind) {
		case CST_EL_ADDRESS:
			*addr = e->addr;
			return 1;
		case CST_EL_ATOMS:
		case CST_EL_EXCEPTION:
		case CST_EL_NO_SYNC:
		case CST_EL_TRACE_ON:
			return -1;
		}
	return 0;
}
