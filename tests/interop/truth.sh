#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# truth: `script` lists every executed branch of every truth set, and no other. Set 26 is compared by the checksum of its list,
# which make nightly found right: the comparison of 8.7 million branches takes longer than all others.
set -eu
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
[ -x "$shared/truth/compare" ] || { echo "no truth sets in $shared/truth"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0
large='1136388784 486352048'

compared() {
	case $set in
	*/26-*)
		said=$(cksum <"$tmp/out")
		[ "$said" = "$large" ] || { echo "$set: the list has the checksum $said, expected $large"; return 1; }
		echo "$(basename "$set"): the list has the checksum $said"
		[ -n "${CSTRACE_NIGHTLY:-}" ] || return 0
		;;
	esac
	"$shared/truth/compare" "$set" <"$tmp/out"
}

echo "1..$(find "$shared/truth" -mindepth 2 -maxdepth 2 -name perf.data | wc -l)"
for data in "$shared"/truth/*/perf.data; do
	set=$(dirname "$data")
	n=$((n + 1))
	rc=0
	"$tool" script -i "$data" --symfs "$shared/truth/symfs" --itrace=b -F pid,tid,cpu,ip,addr \
		>"$tmp/out" 2>"$tmp/err" || rc=$?
	# Overflows and discards are losses, and reported as such.
	want=0
	case $set in */21-*) want=3 ;; esac
	if [ $rc -eq $want ] && compared >"$tmp/cmp" 2>&1; then
		echo "ok $n $(tail -n 1 "$tmp/cmp")"
	else
		tail -n 3 "$tmp/err" "$tmp/cmp" 2>/dev/null || :
		echo "not ok $n $(basename "$set"): exit $rc"
		bad=1
	fi
done
exit $bad
