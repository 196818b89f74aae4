#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --time, --cpu, --pid, --tid and --comm of each command, on the recording that comes with the sources.
. tests/cli/tap.sh
. tests/cli/tool.sh
sample=tests/data/sample.perf.data
symfs=tests/data/symfs
fields=comm,pid,tid,cpu,time,ip,addr

"$tool" script -i $sample --symfs $symfs --itrace=b -F $fields >"$tmp/full" 2>/dev/null
n=$(wc -l <"$tmp/full")
set -- $(sed -n "$((n / 2))p" "$tmp/full")
comm=$1 pid=${2%/*} tid=${2#*/} cpu=$(echo "$3" | tr -d '[]') time=${4%:}
cpu=$((1$cpu - 1000))

equals_full() {
	run 0 script -i $sample --symfs $symfs --itrace=b -F $fields "$@" && cmp "$tmp/full" "$tmp/out"
}
check "a filter that all pass changes nothing" equals_full --cpu 0-4095 --pid $pid --time 0,
nothing_left() {
	run 0 "$@" -i $sample --symfs $symfs && says "$tmp/err" "0 instructions" && says "$tmp/err" "losses: none" &&
		says "$tmp/err" "bytes skipped by filter" && ! says "$tmp/err" "; 0 bytes skipped" >/dev/null
}
for c in "script --itrace=b" "dump --elements" "inject --itrace=b -o $tmp/o" info; do
	check "$c: a CPU that was not traced" nothing_left $c --cpu 4095
	check "$c: a thread that did not run" run 0 $c -i $sample --symfs $symfs --tid 1
done
lines() {
	condition=$1
	shift
	run 0 script -i $sample --symfs $symfs --itrace=b -F $fields "$@" || return 1
	awk "{ split(\$2, a, \"/\"); t = \$4 + 0; if ($condition) print }" "$tmp/full" >"$tmp/want"
	cmp "$tmp/want" "$tmp/out"
}
check "--tid" lines "a[2] == $tid" --tid $tid
check "--tid of nobody" lines "0" --tid 1
check "--pid of nobody" lines "0" --pid 1
check "--comm" lines "\$1 == \"$comm\"" --comm "$comm"
check "--comm of nobody" lines "0" --comm "x$comm"
check "--cpu" lines "1" -C $cpu
check "--time from" lines "t >= $time" --time "$time,"
check "--time until" lines "t <= $time" --time ",${time}999"

# Slices of the recording are all of it, once.
trbe=tests/data/sample-trbe.perf.data
slices() {
	: >"$tmp/parts"
	for i in 1 2 3 4; do
		run 0 script -i $trbe --symfs $symfs --itrace=b -F $fields --time 25%/$i || return 1
		[ -s "$tmp/out" ] || [ $i -gt 1 ] || return 1
		cat "$tmp/out" >>"$tmp/parts"
	done
	"$tool" script -i $trbe --symfs $symfs --itrace=b -F $fields 2>/dev/null | sort >"$tmp/a"
	sort "$tmp/parts" >"$tmp/b"
	[ -s "$tmp/a" ] && cmp "$tmp/a" "$tmp/b"
}
check "--time 25%/1 to 25%/4 are the whole" slices
no_times() {
	run 1 script -i $sample --symfs $symfs --time 25%/1 && silent "$tmp/out" && says "$tmp/err" "no record of this file has a time"
}
check "percentages of a recording whose records have no times" no_times

# Exact counts of the parts add up to those of the whole.
edges() {
	awk 'NF == 1 && /->/ { split($1, a, ":"); n += a[2] } END { print n + 0 }' "$tmp/out"
}
profile_parts() {
	run 0 profile -i $trbe --symfs $symfs || return 1
	whole=$(edges)
	sum=0
	# some parts may hold nothing to profile: that is told, and an error
	for i in 1 2 3 4 5 6 7 8 9 10; do
		"$tool" profile -i $trbe --symfs $symfs --time 10%/$i >"$tmp/out" 2>"$tmp/err" || says "$tmp/err" "nothing to profile" ||
			return 1
		sum=$((sum + $(edges)))
	done
	[ "$whole" -gt 0 ] && [ "$sum" -eq "$whole" ] || { echo "$sum branches in the parts, $whole in the whole"; return 1; }
}
check "profile: parts add up" profile_parts

refused() {
	run 129 script -i "$tmp/absent" "$@" && silent "$tmp/out" && says "$tmp/err" "found '" && says "$tmp/err" --help
}
check "129: --time without a comma" refused --time 5
check "129: --time backwards" refused --time 5,4
check "129: --cpu backwards" refused --cpu 3-1
check "129: --pid of a name" refused --pid init
check "129: --tid with a hole" refused --tid 1,,2
check "129: --comm of nothing" refused --comm ""
finish
