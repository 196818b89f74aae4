#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# recordings.sh - small recordings written record by record with what commands print of them: tests/data/recordings/*.txt.
# With REBASE=1 the results are written anew.
set -u
here=$(dirname "$0")
exec "$here/run-recording" "${PERF_CSTRACE:-build/perf-cstrace}" ${REBASE:+--rebase} "$here"/../data/recordings/*.txt
