#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# filters: on every truth set with several CPUs, threads or processes, a filtered run prints exactly the lines of
# the full run that its columns let pass, and branch lines are in order of time.
set -eu
shared=${CSTRACE_SHARED:-../shared}
PERF_CSTRACE=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
[ -d "$shared/truth" ] || { echo "no truth sets in $shared/truth"; exit 77; }
. tests/cli/tap.sh
tool=$PERF_CSTRACE
symfs=$shared/truth/symfs

list() {
	rc=0
	"$tool" script -i "$data" --symfs "$symfs" --itrace=be -F comm,pid,tid,cpu,time,ip,addr "$@" 2>"$tmp/err" || rc=$?
	[ $rc -eq 0 ] || { cat "$tmp/err"; return 1; }
}

# same CONDITION ARGS...: the awk condition on the full run's lines, with t the time, p the process, k the thread
same() {
	condition=$1
	shift
	list "$@" >"$tmp/filtered" || return 1
	awk "{ split(\$2, a, \"/\"); p = a[1]; k = a[2]; c = substr(\$3, 2, 3) + 0; t = \$4 + 0; if ($condition) print }" \
		"$tmp/full" >"$tmp/want"
	[ -s "$tmp/want" ] || { echo "nothing to compare"; return 1; }
	cmp "$tmp/want" "$tmp/filtered"
}

in_order() {
	awk '{ t = $4 + 0; if (t < last) { print "goes back: " $0; exit 1 } last = t }' "$tmp/full"
}

# An instruction is in one of two windows that meet.
instructions_meet() {
	for window in "" "--time ,$before" "--time $from,"; do
		"$tool" script -i "$data" --symfs "$symfs" --itrace=i1i --ns -F tid,cpu,time,ip $window 2>/dev/null >>"$tmp/insns" || [ $? -eq 5 ] || return 1
		[ -n "$window" ] || { LC_ALL=C sort "$tmp/insns" >"$tmp/want" && rm "$tmp/insns"; }
	done
	LC_ALL=C sort "$tmp/insns" | cmp "$tmp/want" -
	rc=$?
	rm "$tmp/insns"
	return $rc
}

# Column N of the full run, each value once: the first three.
values() {
	awk "{ split(\$2, a, \"/\"); print $1 }" "$tmp/full" | sort -u | head -n 3
}

for set in 08 09 10 11 12 13 14 16; do
	data=$(echo "$shared"/truth/$set-*/perf.data)
	list >"$tmp/full"
	check "$set: in order of time" in_order
	for v in $(values 'substr($3, 2, 3) + 0'); do
		check "$set --cpu $v" same "c == $v" --cpu "$v"
	done
	for v in $(values 'a[2]'); do
		check "$set --tid $v" same "k == $v" --tid "$v"
	done
	for v in $(values 'a[1]'); do
		check "$set --pid $v" same "p == $v" --pid "$v"
	done
	for v in $(values '$1'); do
		check "$set --comm $v" same "\$1 == \"$v\"" --comm "$v"
	done
	n=$(wc -l <"$tmp/full")
	from=$(sed -n "$((n / 3))p" "$tmp/full" | awk '{ printf "%.6f", $4 }')
	to=$(sed -n "$((n / 2))p" "$tmp/full" | awk '{ printf "%.6f", $4 }')
	before=$(awk "BEGIN { printf \"%.9f\", $from - 0.000000001 }")
	check "$set --time $from,$to" same "t >= $from && t <= $to" --time "$from,${to}999"
	check "$set --time ,$to" same "t <= $to" --time ",${to}999"
	check "$set --time $from," same "t >= $from" --time "$from,"
	check "$set: instructions before and from $from on" instructions_meet
	v=$(sed -n "$((n / 2))p" "$tmp/full" | awk '{ split($2, a, "/"); print a[2] " " substr($3, 2, 3) + 0 }')
	check "$set --time --tid --cpu" same "t >= $from && k == ${v% *} && c == ${v#* }" --time "$from," --tid "${v% *}" \
		--cpu "${v#* }"
done
finish
