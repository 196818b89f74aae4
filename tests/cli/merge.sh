#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perf-cstrace merge: sums of count files against those of another implementation, its inputs, errors and limits.
exec "$(dirname "$0")/merge.py" --tool "$PERF_CSTRACE"
