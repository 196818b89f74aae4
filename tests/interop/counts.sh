#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# counts: count files of the truth sets, and all formats. Each has what was executed (count-truth.py), count files are the same with any
# number of threads, and every format made of one is that made of the recording itself. Of set 26 only the count file is compared,
# but in make nightly: its only AUX fragment is divided in as many parts as no other's.
set -eu
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
symfs=$shared/truth/symfs
[ -d "$symfs" ] || { echo "no truth sets in $shared/truth"; exit 77; }
. tests/interop/count-checks.sh

in_parts() {
	profile -i "$set/perf.data" --symfs "$symfs" --format=cstrace -j 1 -o "$tmp/counts" || return 1
	for jobs in 2 3 8; do
		profile -i "$set/perf.data" --symfs "$symfs" --format=cstrace -j $jobs -o "$tmp/threads" || return 1
		cmp "$tmp/counts" "$tmp/threads" || return 1
	done
}

for set in "$shared"/truth/${ONLY_SET:-[0-9]}*; do
	want=0
	# large: more than half of the time
	case $set in */26-*)
		check "$(basename "$set"): count file in parts" in_parts
		[ -n "${CSTRACE_NIGHTLY:-}${ONLY_SET:-}" ] || continue
		;;
	esac
	# the one with losses
	case $set in */21-*) want=3 ;; esac
	check_set "$(basename "$set")"
done
finish
