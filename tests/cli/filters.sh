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
	run 5 "$@" -i $sample --symfs $symfs && says "$tmp/err" "0 instructions" && says "$tmp/err" "losses: none" &&
		says "$tmp/err" "bytes skipped by filter" && ! says "$tmp/err" "; 0 bytes skipped" >/dev/null
}
# offers TEXT COMMAND...: code 5, and the text says what there is
offers() {
	text=$1
	shift
	run 5 "$@" -i $sample --symfs $symfs && says "$tmp/err" "no trace fits what was asked for" && says "$tmp/err" "$text"
}
for c in "script --itrace=b" "dump --elements" "dump --packets" "inject --itrace=b -o $tmp/o" info "info --format=json" \
	"profile -o $tmp/profile"; do
	case $c in
	*json | profile*) ;;
	*) check "$c: a CPU that was not traced" nothing_left $c --cpu 4095 ;;
	esac
	check "$c: --cpu of none says which there are" offers "--cpu 4095: there is trace of CPU $cpu" $c --cpu 4095
	check "$c: --tid of none says which there are" offers "--tid 1: the file has thread $tid ($comm)" $c --tid 1
	check "$c: --pid of none says which there are" offers "--pid 1: the file has process $pid ($comm)" $c --pid 1
	check "$c: --comm of none says which there are" offers "--comm x$comm: the file has $comm" $c --comm "x$comm"
done
check "profile: nothing is written" test ! -e "$tmp/profile"
# passed COUNTS...: with these options the counts are those of the elements that are listed
passed() {
	run 0 dump -i $sample --symfs $symfs --elements "$@" && grep -c ' \* ' "$tmp/out" >"$tmp/elements" &&
		grep -c ' \* range ' "$tmp/out" >"$tmp/ranges" && run 0 dump -i $sample --symfs $symfs --format=none "$@" &&
		says "$tmp/out" "elements $(cat "$tmp/elements")" && says "$tmp/out" "ranges $(cat "$tmp/ranges")"
}
check "dump --format=none: counts of a part by time" passed --time "$time,"
check "dump --format=none: counts of a part by place" passed --from offset=500 --to offset=900
all_pass() {
	run 0 dump -i "$1" --symfs $symfs --format=none && cp "$tmp/out" "$tmp/counts" &&
		run 0 dump -i "$1" --symfs $symfs --format=none --cpu 0-4095 --time 0, && cmp "$tmp/counts" "$tmp/out"
}
for f in tests/data/sample*.perf.data; do
	check "dump --format=none: $(basename $f .perf.data): a filter that all pass changes nothing" all_pass $f
done
no_count() { run 5 dump -i $sample --symfs $symfs --format=none --tid 1 && says "$tmp/out" "ranges 0"; }
check "dump --format=none: nothing passes" no_count
no_id() {
	run 5 dump -i $sample --symfs $symfs --id 0x6f "$@" && says "$tmp/err" "cstrace dump: --id: there is no trace of ID 0x6f"
}
for f in text json opencsd tarmac none; do
	check "dump --format=$f: an ID that no source has" no_id --format=$f
done
check "dump --format=none: its counts" says "$tmp/out" "instructions 0"
check "dump --frames: an ID that no source has" no_id --frames
outside() {
	run 5 script --itrace=b -i tests/data/sample-trbe.perf.data --symfs $symfs --time 5000000,5000001 &&
		says "$tmp/err" "--time 5000000,5000001: the records are from " && is_empty "$tmp/out"
}
check "--time of no record says when they are" outside
# The first elements, before the trace's first timestamp, have no time: they are not what the window was asked for.
before() {
	run 5 $* --time 0,0.5 -i $sample --symfs $symfs && says "$tmp/err" "no trace fits what was asked for" &&
		says "$tmp/err" "--time 0,0.5: "
}
for c in "script --itrace=b" "inject --itrace=b -o $tmp/o" info "profile -o $tmp/profile" "dump --elements" "timeline -o $tmp/t" \
	"report -o $tmp/pages"; do
	check "$c: --time of no trace" before $c
done
whole() {
	before info || return 1
	for title in Binaries Images; do
		sed -n "/^$title/{n;p}" "$tmp/out" >"$tmp/under"
		says "$tmp/under" "nothing was decoded" || return 1
	done
}
check "info: a window without trace has neither binaries nor images" whole
for c in "timeline -o $tmp/t" "report -o $tmp/pages"; do
	check "$c: --pid of none says which there are" offers "--pid 1: the file has process $pid ($comm)" $c --pid 1
done
# Prints the bytes that were decoded, and those that were not.
bytes_of() {
	sed -n 's/^cstrace: \([0-9,]*\) bytes,.* \([0-9,]*\) bytes skipped by filter$/\1 \2/p' "$tmp/err" | tr -d ,
}
behind() {
	run 0 script --itrace=b -i tests/data/sample-trbe.perf.data --symfs $symfs --time 0%-20% || return 1
	set -- $(bytes_of)
	[ "$1" -gt 0 ] && [ "$1" -lt $(($2 / 2)) ] || { echo "$1 bytes are decoded, $2 are not"; return 1; }
}
check "trace behind the window is not decoded" behind
both() {
	offers "--cpu $cpu: there is trace of CPU $cpu" script --itrace=b --cpu $cpu --pid 7 && says "$tmp/err" "--pid 7: the file has"
}
check "two filters, of which one fits" both
many() {
	"$CST_GEN" scenario fork --case 1 --perf "$tmp/data" --truth "$tmp/truth" --symfs "$tmp/root" || return 1
	run 5 script --itrace=b -i "$tmp/data" --symfs "$tmp/root" --pid 1 && says "$tmp/err" "(parent)"
}
check "names of several processes" many
lines() {
	condition=$1
	shift
	[ "$condition" = 0 ] && code=5 || code=0
	run $code script -i $sample --symfs $symfs --itrace=b -F $fields "$@" || return 1
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
check "--time until, as script prints it" lines "t <= $time" --time ",$time"
check "--time of one line, as script prints it" lines "t == $time" --time "$time,$time"

# Nanoseconds: the same lines and columns, of which the last three digits were cut.
nanoseconds() {
	run 0 script -i tests/data/sample-trbe.perf.data --symfs $symfs --itrace=b -F $fields && mv "$tmp/out" "$tmp/us" &&
		run 0 script -i tests/data/sample-trbe.perf.data --symfs $symfs --itrace=b -F $fields --ns || return 1
	sed 's/\(\.[0-9]\{6\}\)[0-9]\{3\}: /\1: /' "$tmp/out" | cmp - "$tmp/us" && ! cmp -s "$tmp/us" "$tmp/out"
}
check "script --ns" nanoseconds

# A name is aligned unless a call chain follows it: with g and without ip it is as without g.
aligned() {
	run 0 script -i $trbe --symfs $symfs --itrace=i1000i -F comm,tid,time && mv "$tmp/out" "$tmp/plain" &&
		run 0 script -i $trbe --symfs $symfs --itrace=i1000ig -F comm,tid,time && cmp "$tmp/plain" "$tmp/out"
}
trbe=tests/data/sample-trbe.perf.data
check "names with call chains that are not printed" aligned

# Slices of the recording are all of it, once.
slices() {
	: >"$tmp/parts"
	for i in 1 2 3 4; do
		"$tool" script -i $trbe --symfs $symfs --itrace=b -F $fields --time 25%/$i >"$tmp/out" 2>"$tmp/err" ||
			says "$tmp/err" "no trace fits" || return 1
		[ -s "$tmp/out" ] || [ $i -gt 1 ] || return 1
		cat "$tmp/out" >>"$tmp/parts"
	done
	"$tool" script -i $trbe --symfs $symfs --itrace=b -F $fields 2>/dev/null | sort >"$tmp/a"
	sort "$tmp/parts" >"$tmp/b"
	[ -s "$tmp/a" ] && cmp "$tmp/a" "$tmp/b"
}
check "--time 25%/1 to 25%/4 are the whole" slices
no_times() {
	run 1 script -i $sample --symfs $symfs --time 25%/1 && is_empty "$tmp/out" && says "$tmp/err" "no record of this file has a time"
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
			says "$tmp/err" "nothing was written" || return 1
		sum=$((sum + $(edges)))
	done
	[ "$whole" -gt 0 ] && [ "$sum" -eq "$whole" ] || { echo "$sum branches in the parts, $whole in the whole"; return 1; }
}
check "profile: parts add up" profile_parts

refused() {
	run 129 script -i "$tmp/absent" "$@" && is_empty "$tmp/out" && says "$tmp/err" "found '" && says "$tmp/err" --help
}
check "129: --time without a comma" refused --time 5
check "129: --time backwards" refused --time 5,4
check "129: --cpu backwards" refused --cpu 3-1
check "129: --pid of a name" refused --pid init
check "129: --tid with a hole" refused --tid 1,,2
check "129: --comm of nothing" refused --comm ""
# An instruction is in one of two windows that meet, where a run without them shows its time; profile counts ranges where they begin.
windows_meet() {
	script="script -i $1 --symfs $symfs --itrace=i1i --ns -F cpu,time,ip"
	"$tool" $script >"$tmp/full" 2>/dev/null || [ $? -eq 3 ]
	n=$(wc -l <"$tmp/full")
	for part in 5 3 2; do
		edge=$(sed -n "$((n / part))p" "$tmp/full" | awk '{ sub(":", "", $2); print $2 }')
		before=$(awk "BEGIN { printf \"%.9f\", $edge - 0.000000001 }")
		for window in ",$before" "$edge,"; do
			"$tool" $script --time "$window" >"$tmp/part" 2>/dev/null || [ $? -eq 3 ]
			awk -v edge="$edge" -v early=$([ "$window" = ",$before" ] && echo 1 || echo 0) \
				'{ t = $2; sub(":", "", t); if ((t < edge) == early) print }' "$tmp/full" >"$tmp/want"
			[ -s "$tmp/want" ] && cmp "$tmp/want" "$tmp/part" || return 1
			"$tool" profile -i "$1" --symfs $symfs --format=top --time "$window" 2>/dev/null |
				sed -n 's/^# Instructions: \([0-9]*\).*/\1/p' >"$tmp/counted"
			awk -v want="$(wc -l <"$tmp/want")" '{ if ($1 - want > 40 || want - $1 > 40) exit 1 }' "$tmp/counted" || return 1
		done
	done
}
check "windows that meet" windows_meet $sample
check "windows that meet, of TRBE" windows_meet tests/data/sample-trbe.perf.data
finish
