#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# watch: profile --watch over files of perf record --switch-output.
exec "$(dirname "$0")/watch.py" --tool "${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}" --gen "${CST_GEN:-${BUILD:-build}/tests/gen/cst-gen}"
