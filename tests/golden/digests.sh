#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# digests.sh - what commands print and write for many generated recordings: tests/data/digests.txt (run-digests says more).
# With REBASE=1 the digests are written anew.
set -u
exec "$(dirname "$0")/run-digests" --tool "${PERF_CSTRACE:-build/perf-cstrace}" --gen "${CST_GEN:-build/tests/gen/cst-gen}" ${REBASE:+--rebase}
