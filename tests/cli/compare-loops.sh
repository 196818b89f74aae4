#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Wrong lines in loops whose trace has many gaps.
exec "$(dirname "$0")/compare_loops.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN"
