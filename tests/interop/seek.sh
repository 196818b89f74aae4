#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# seek: what --time lets pass is the same with an index as without one, byte by byte, on truth sets and on
# random recordings; and less is decoded. CSTRACE_NIGHTLY=1: 60 random recordings instead of 6.
set -eu
shared=${CSTRACE_SHARED:-../shared}
PERF_CSTRACE=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
[ -d "$shared/truth" ] || { echo "no truth sets in $shared/truth"; exit 77; }
. tests/cli/tap.sh
tool=$PERF_CSTRACE
gen=${CST_GEN:-${BUILD:-build}/tests/gen/cst-gen}
symfs=$shared/truth/symfs
data=$tmp/perf.data

# Bytes that were not decoded.
skipped() { sed -n 's/.*; \([0-9,]*\) bytes skipped by filter.*/\1/p' "$tmp/err" | tr -d ,; }

# one FILE COMMAND...: its output, and how much it left out. Trace may be lost, in the window or elsewhere.
one() {
	to=$1
	rc=0
	shift
	rm -f "$tmp/o"
	"$tool" "$@" -i "$data" --symfs "$symfs" >"$to" 2>"$tmp/err" || rc=$?
	[ $rc -eq 0 ] || [ $rc -eq 3 ] || says_nothing || { cat "$tmp/err"; return 1; }
	[ ! -e "$tmp/o" ] || mv "$tmp/o" "$to"
}
says_nothing() { grep -q "nothing to profile\|several binaries ran" "$tmp/err"; }

same() {
	one "$tmp/with" "$@" || return 1
	saved=$(skipped)
	one "$tmp/without" "$@" --no-index || return 1
	saved=$((${saved:-0} - $(skipped || echo 0)))
	[ $saved -le 0 ] || seeks=$((seeks + 1))
	cmp "$tmp/with" "$tmp/without"
}

windows() {
	for window in 50%-52% 99%-100% 10%-11%,60%-61%; do
		check "$1 $window: branches" same script --itrace=be -F comm,pid,tid,cpu,time,ip,addr,flags --time $window
		check "$1 $window: branch stacks" same script --itrace=i1usl8 -F tid,cpu,time,period,ip,brstack --time $window
		check "$1 $window: dump" same dump --elements --time $window
		check "$1 $window: profile" same profile --time $window
		check "$1 $window: inject" same inject --itrace=ibl16 -o "$tmp/o" --time $window
	done
}

index() { "$tool" index -i "$data" "$@" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }; }

seeks=0
for set in 03 04 11 12 13 17 18 19 20 21 22 23 25; do
	cp "$shared"/truth/$set-*/perf.data "$data"
	chmod u+w "$data"
	check "$set: index" index --granularity 1
	windows $set
done
check "the index was of use in $seeks cases" test $seeks -gt 100

seeks=0
symfs=/
n=${CSTRACE_NIGHTLY:+60}
for case in $(seq 131 $((130 + ${n:-6}))); do
	rm -rf "$tmp/images"
	"$gen" random --case $case --insns 150000 --ts=40 --sync=300 --fragment=100000000 --buf=cpu --timed \
		--perf "$data" --images "$tmp/images" >"$tmp/gen"
	check "random $case: index" index --granularity 1
	windows "random $case"
done
check "the index was of use in $seeks cases of random recordings" test $seeks -gt $((3 * ${n:-6}))

# A large fragment, blocks of the usual size.
symfs=$shared/truth/symfs
cp "$shared"/truth/26-*/perf.data "$data"
chmod u+w "$data"
check "26: index" index
check "26: the last hundredth" same script --itrace=b -F pid,tid,cpu,time,ip,addr --time 99%-100%
little() {
	one "$tmp/with" script --itrace=b -F ip --time 99%-100% || return 1
	decoded=$(sed -n 's/^cstrace: \([0-9,]*\) bytes, .*/\1/p' "$tmp/err" | tr -d ,)
	[ $((decoded * 10)) -lt "$(wc -c <"$data")" ] || { echo "$decoded bytes were decoded"; return 1; }
}
check "26: below a tenth is decoded for the last hundredth" little
finish
