#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Branch lists of simpleperf as input and output: all forms, what they cannot say, sums, damage.
exec python3 tests/cli/branch_list.py --tool "$PERF_CSTRACE" --gen "${CST_GEN:-${BUILD:-build}/tests/gen/cst-gen}"
