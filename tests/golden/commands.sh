#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# commands.sh - what commands print for the samples and for generated snapshots: tests/data/commands/*.txt.
# With REBASE=1 the results are written anew.
set -u
here=$(dirname "$0")
exec "$here/run-commands" "${PERF_CSTRACE:-build/perf-cstrace}" "${CST_GEN:-build/tests/gen/cst-gen}" ${REBASE:+--rebase} \
	"$here"/../data/commands/*.txt
