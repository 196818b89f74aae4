#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Generated recordings of machines on which things change: what was executed is what comes out. One seed
# of each through the sanitized program, if it is built.
set -eu
here=$(dirname "$0")
asan=${BUILD:-build}/asan
"$here/scenarios.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN"
[ ! -x "$asan/perf-cstrace" ] || [ ! -x "$asan/tests/gen/cst-gen" ] ||
	"$here/scenarios.py" --seeds 1 --tool "$asan/perf-cstrace" --gen "$asan/tests/gen/cst-gen"
