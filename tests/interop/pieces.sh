#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pieces: a recording that is counted piece by piece while it comes through a pipe has the counts of the file.
exec "$(dirname "$0")/pieces.py" --tool "${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}" --gen "${CST_GEN:-${BUILD:-build}/tests/gen/cst-gen}"
