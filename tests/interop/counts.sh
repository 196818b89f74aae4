#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# counts: count files of the truth sets, and all formats. Each has what was executed (count-truth.py), count files are the same with any
# number of threads, and every format made of one is that made of the recording itself. Set 26: in make nightly.
set -eu
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
symfs=$shared/truth/symfs
[ -d "$symfs" ] || { echo "no truth sets in $shared/truth"; exit 77; }
. tests/interop/count-checks.sh

for set in "$shared"/truth/${ONLY_SET:-[0-9]}*; do
	# large: more than half of the time
	case $set in */26-*) [ -n "${CSTRACE_NIGHTLY:-}${ONLY_SET:-}" ] || continue ;; esac
	want=0
	# the one with losses
	case $set in */21-*) want=3 ;; esac
	check_set "$(basename "$set")"
done
finish
