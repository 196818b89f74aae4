#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# simpleperf: `profile` of two captures from a phone gives the counts that simpleperf itself derives.
#
# One line differs, and the trace decides it: an Address packet (0x...10a4) follows the atom of the return at
# 1088, so its target is known. simpleperf goes through branch lists, which hold addresses and taken bits
# but no targets of indirect branches, and says 1088->0.
set -eu
shared=${CSTRACE_SHARED:-../shared}/corpus/simpleperf
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
[ -f "$shared/perf_inject.data" ] || { echo "no captures in $shared"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

sed 's/^1088->0:1$/1088->10a4:1/' "$shared/perf_inject.data" >"$tmp/want"
cmp -s "$tmp/want" "$shared/perf_inject.data" && { echo "expected text has no 1088->0 line"; exit 1; }
# where the recording had the page of the program's code
page() {
	case $1 in
	perf_etm.data) echo 0x582b2b1000 ;;
	*) echo 0x629b293000 ;;
	esac
}
for data in perf_etm.data perf_with_unformatted_trace.data; do
	"$tool" profile -i "$shared/$data" --format=autofdo --symfs "$shared" -o "$tmp/got" 2>"$tmp/err" ||
		{ cat "$tmp/err"; exit 1; }
	diff "$tmp/want" "$tmp/got" || exit 1
	echo "$data: equal"
	# by branch lists it is simpleperf's own text, byte for byte
	for form in branch-list branch-list-zstd branch-list-old; do
		"$tool" profile -i "$shared/$data" --format=$form --symfs "$shared" -o "$tmp/lists" 2>"$tmp/err" &&
			"$tool" profile -i "$tmp/lists" --format=autofdo --symfs "$shared" -o "$tmp/got" 2>"$tmp/err" ||
			{ cat "$tmp/err"; exit 1; }
		cmp "$shared/perf_inject.data" "$tmp/got" || exit 1
	done
	echo "$data: equal by branch lists"
	# and by lists that are made of the packets alone, as simpleperf does
	"$tool" dump -i "$shared/$data" --symfs "$shared" --packets --format=opencsd >"$tmp/packets" 2>"$tmp/err" ||
		{ cat "$tmp/err"; exit 1; }
	python3 tests/interop/branch_lists.py capture "$tmp/packets" /data/local/tmp/etm_test_loop "$tmp/lists" \
		"$(page $data)" 0x1000 0x1000 || exit 1
	"$tool" profile -i "$tmp/lists" --format=autofdo --symfs "$shared" -o "$tmp/got" 2>"$tmp/err" || { cat "$tmp/err"; exit 1; }
	cmp "$shared/perf_inject.data" "$tmp/got" || exit 1
	echo "$data: equal by branch lists of its packets"
done
