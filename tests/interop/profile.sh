#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# profile: the counts of `profile` are those of the executed flow, to the last one.
set -eu
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
symfs=$shared/truth/symfs
[ -d "$symfs" ] || { echo "no truth sets in $shared/truth"; exit 77; }
. tests/cli/tap.sh

while read -r set binary; do
	rc=0
	"$tool" profile -i "$shared/truth/$set"*/perf.data --symfs "$symfs" -o "$tmp/profile" \
		2>"$tmp/err" || rc=$?
	case $rc$set in 0*|321) rc=0 ;; esac
	[ $rc -ne 0 ] || python3 tests/interop/truth-profile.py "$(echo "$shared/truth/$set"*)" \
		"$symfs/opt/truth/$binary" "$tmp/profile" >"$tmp/log" 2>&1 || rc=1
	verdict $rc "set $set $binary: $(tail -n 1 "$tmp/log")"
done <<EOF
01 sort.a64
02 interp.a64
03 interp.a64
05 sort.a32
06 hash.t32
08 threads.a64
09 threads.a64
10 threads.a64
14 threads.a64
15 sort.a64
17 sort.a64
18 interp.a64
20 interp.a64
22 sort.a64
24 condlink.a32
25 sort.a64
EOF

# Never an empty profile without a word: which binaries were seen, which one was asked for.
one=$(echo "$shared/truth/01-"*/perf.data) many=$(echo "$shared/truth/11-"*/perf.data)
# expect RECORDING TEXT OPTIONS NAME EXIT
expect() {
	rc=0
	"$tool" profile -i "$1" --symfs "$symfs" $3 -o "$tmp/none" >"$tmp/log" 2>&1 || rc=$?
	[ $rc -eq $5 ] && [ ! -e "$tmp/none" ] && grep -q "$2" "$tmp/log" && grep -q "instructions  /opt/truth/sort" \
		"$tmp/log" && rc=0 || rc=1
	verdict $rc "$4"
}
expect "$one" "asks for gcc" "--binary gcc" "a binary that did not run" 5
expect "$many" "several binaries ran" "" "no choice among several binaries" 1
rc=0
mkdir "$tmp/empty"
"$tool" profile -i "$one" --symfs "$tmp/empty" -o "$tmp/none" >"$tmp/log" 2>&1 || rc=$?
[ $rc -eq 5 ] && grep -q 'no instruction could be decoded' "$tmp/log" && grep -q 'sort\.a64' "$tmp/log" && rc=0 || rc=1
verdict $rc "no program to decode with"
"$tool" profile -i "$one" --symfs "$symfs" --format=bolt --reader=bolt-16 -o "$tmp/bolt" 2>"$tmp/log"
sum=$(awk '$1 == "B" { n += $4 } END { print n }' "$tmp/bolt")
[ "$sum" = 88562 ] && rc=0 || rc=1
verdict $rc "bolt: sum of branches is $sum"
finish
