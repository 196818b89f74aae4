#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# listings.sh - small traces written by hand with the listing expected of them: tests/data/golden/*.txt.
# With REBASE=1 the listings are written anew.
set -u
here=$(dirname "$0")
exec "$here/run-listing" "${PERF_CSTRACE:-build/perf-cstrace}" ${REBASE:+--rebase} "$here"/../data/golden/*.txt
