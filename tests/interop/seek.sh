#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# seek: what dump --from lists is the same with an index as without one, byte by byte, on truth sets and on random
# recordings; and less is decoded. CSTRACE_NIGHTLY=1: 60 random recordings instead of 7.
set -eu
shared=${CSTRACE_SHARED:-../shared}
PERF_CSTRACE=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
[ -d "$shared/truth" ] || { echo "no truth sets in $shared/truth"; exit 77; }
. tests/cli/tap.sh
tool=$PERF_CSTRACE
gen=${CST_GEN:-${BUILD:-build}/tests/gen/cst-gen}
symfs=$shared/truth/symfs
data=$tmp/perf.data

# Bytes that were decoded.
decoded() { sed -n 's/^cstrace: \([0-9,]*\) bytes, .*/\1/p' "$tmp/err" | tr -d ,; }

# one FILE OPTION...: its output. Trace may be lost.
one() {
	to=$1
	rc=0
	shift
	"$tool" dump "$@" -i "$data" --symfs "$symfs" >"$to" 2>"$tmp/err" || rc=$?
	[ $rc -eq 0 ] || [ $rc -eq 3 ] || { cat "$tmp/err"; return 1; }
}

same() {
	one "$tmp/with" "$@" || return 1
	some=$(decoded)
	one "$tmp/without" "$@" --no-index || return 1
	[ "${some:-0}" -ge "$(decoded)" ] || seeks=$((seeks + 1))
	cmp "$tmp/with" "$tmp/without"
}

# Places in the middle of the first buffer's trace and near its end, and the times of the timestamps behind them.
places() {
	one "$tmp/all" --elements
	lines=$(grep -vc "^#" "$tmp/all")
	for part in 50 98; do
		at=$(grep -v "^#" "$tmp/all" | sed -n "$((lines * part / 100 + 1))p" | cut -d' ' -f1)
		check "$1 from $part %: elements" same --elements --from offset="$at"
		check "$1 from $part %: packets" same --packets --from offset="$at"
		time=$(grep -v "^#" "$tmp/all" | sed -n "$((lines * part / 100 + 1)),\$p" | sed -n 's/.*timestamp \(0x[0-9a-f]*\).*/\1/p' | sed -n 1p)
		[ -z "$time" ] || check "$1 from time $time: elements" same --elements --from time="$time"
	done
}

index() { "$tool" index -i "$data" "$@" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }; }

seeks=0
for set in 03 04 11 12 13 17 18 19 20 21 22 23 25; do
	cp "$shared"/truth/$set-*/perf.data "$data"
	chmod u+w "$data"
	check "$set: index" index --granularity 1
	places $set
done
check "the index was of use in $seeks cases" test $seeks -gt 50

seeks=0
symfs=/
n=${CSTRACE_NIGHTLY:+60}
# 170: what runs below EL2 is a guest's, which no place in the middle shows
for case in $(seq 131 $((130 + ${n:-6}))) $([ -n "$n" ] || echo 170); do
	rm -rf "$tmp/images"
	"$gen" random --case $case --insns 150000 --ts=40 --sync=300 --fragment=100000000 --buf=cpu --timed \
		--perf "$data" --images "$tmp/images" >"$tmp/gen"
	check "random $case: index" index --granularity 1
	places "random $case"
done
check "the index was of use in $seeks cases of random recordings" test $seeks -gt $((3 * ${n:-6}))

# A large fragment, blocks of the usual size.
symfs=$shared/truth/symfs
cp "$shared"/truth/26-*/perf.data "$data"
chmod u+w "$data"
check "26: index" index
check "26: the last part" same --elements --from offset=6840000
little() {
	one "$tmp/with" --elements --from offset=6840000 || return 1
	[ $(($(decoded) * 10)) -lt "$(wc -c <"$data")" ] || { echo "$(decoded) bytes were decoded"; return 1; }
}
check "26: below a tenth is decoded" little
finish
