#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Branch stacks: whose branches they have, and the files of user and kernel addresses in them.
exec "$(dirname "$0")/branch_stack.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN" exec:1 exec:2 exec:3 asid-kernel:1 asid-kernel:2 asid-kernel:3 \
	phone-kernel:1 phone-kernel:2 phone-bare:1 phone-bare:2 phone-kcore:1 phone-modules:1 phone-modules:3 modules:1 text-poke:1 bpf:1
