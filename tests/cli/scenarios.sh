#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Generated recordings of machines on which things change: what was executed is what comes out. One seed
# of each through the sanitized program, if it is built; that converts and filters a third of them, in make nightly all.
set -eu
here=$(dirname "$0")
asan=${BUILD:-build}/asan
every=${CSTRACE_NIGHTLY:+1}
"$here/scenarios.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN"
[ ! -x "$asan/perf-cstrace" ] || [ ! -x "$asan/tests/gen/cst-gen" ] ||
	"$here/scenarios.py" --seeds 1 --every ${every:-3} --tool "$asan/perf-cstrace" --gen "$asan/tests/gen/cst-gen"
