#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perf-cstrace merge --subtract: what is left of sums, windows of one run, and what is refused.
exec "$(dirname "$0")/subtract.py" --tool "$PERF_CSTRACE"
