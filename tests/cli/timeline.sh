#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timeline: files that viewers read, with the calls that profile counts; what is limited, partial or empty is said.
. tests/cli/tap.sh
. tests/cli/tool.sh
gen=${CST_GEN:-${BUILD:-build}/tests/gen/cst-gen}
data=tests/data symfs=tests/data/symfs
formats="json speedscope perfetto"

sqlite=$("$tool" --version | grep '^sqlite: on') || :

verify() {
	python3 tests/cli/timeline.py "$@"
}
database() {
	python3 tests/cli/database.py "$@"
}

# written CODE RECORDING OPTIONS...
written() {
	code=$1 rec=$2
	shift 2
	for format in $formats; do
		run $code timeline -i "$rec" "$@" --format=$format -o "$tmp/$format" && is_empty "$tmp/out" || return 1
	done
	verify sound "$tmp/json" && verify frames "$tmp/json" "$tmp/speedscope" || return 1
	verify same "$tmp/json" "$tmp/perfetto" || return 1
	[ "$sqlite" ] || return 0
	run $code timeline -i "$rec" "$@" --format=sqlite -o "$tmp/db" && is_empty "$tmp/out" &&
		database calls "$tmp/db" "$tmp/json" && database queries "$tmp/db"
}

# The exit code is that of info: 0, or 3 with losses.
as_info() {
	code=0
	"$tool" info -i "$@" >"$tmp/log" 2>&1 || code=$?
	written $code "$@"
}

for name in sample sample-trbe sample-a32 sample-t32 sample-ptm sample-etmv3; do
	check "$name" written 0 $data/$name.perf.data --symfs $symfs
	run 0 profile -i $data/$name.perf.data --symfs $symfs --format=folded -o "$tmp/folded"
	check "$name: instructions of each stack" verify folded "$tmp/perfetto" "$tmp/folded"
done

stdout() {
	run 0 timeline -i $data/sample.perf.data --symfs $symfs -o "$tmp/json" && run 0 timeline -i $data/sample.perf.data --symfs $symfs -o - &&
		cmp "$tmp/out" "$tmp/json" && says "$tmp/err" "cstrace timeline: 6311 calls of 1 threads"
}
check "standard output" stdout

for name in threads exec fork per-thread kernel switch; do
	rm -rf "$tmp/root"
	mkdir "$tmp/root"
	"$gen" scenario $name --perf "$tmp/data" --symfs "$tmp/root" --truth "$tmp/root" >"$tmp/log" 2>&1 || { not_ok "$name"; continue; }
	check "scenario $name" as_info "$tmp/data" --symfs "$tmp/root"
done
# Between the windows threads went on: where they are found again is not the begin of a signal handler.
signals() {
	"$gen" scenario threads --case 1 --perf "$tmp/data" --symfs "$tmp/root" --truth "$tmp/root" >"$tmp/log" 2>&1 || return 1
	for filter in "--cpu=0" "--time=10%-20%,50%-60%,80%-90%"; do
		run 0 timeline -i "$tmp/data" --symfs "$tmp/root" "$filter" -o "$tmp/json" && grep -q '"cat":"call"' "$tmp/json" &&
			! grep '"cat":"signal"' "$tmp/json" || return 1
	done
}
check "no signals between windows of time" signals
four() {
	rm -rf "$tmp/root"
	mkdir "$tmp/root"
	"$gen" scenario threads --perf "$tmp/data" --symfs "$tmp/root" --truth "$tmp/root" && written 0 "$tmp/data" --symfs "$tmp/root" &&
		grep '"thread_name"' "$tmp/json" | grep -v '"CPU [01]"' >"$tmp/threads" && [ "$(wc -l <"$tmp/threads")" -eq 4 ]
}
check "four threads" four

# random CASE OPTIONS...
random() {
	rm -rf "$tmp/code"
	mkdir "$tmp/code"
	"$gen" random --case "$@" --perf "$tmp/data" --images "$tmp/code"
}
for case in 1 2 3 4 5 6 7 8; do
	random $case --threads 3 >"$tmp/log" 2>&1
	check "random program $case" as_info "$tmp/data"
done
instructions() {
	random 4 && as_info "$tmp/data" && says "$tmp/err" "instructions are the axis" && grep -q '"axis":"instructions: 1 ns is one"' "$tmp/json"
}
check "without timestamps instructions are the axis" instructions
messages() {
	random 7 --threads 3 && written 0 "$tmp/data" && verify has "$tmp/json" message= call=
}
check "messages" messages
lost() {
	random 8 --threads 3 && written 3 "$tmp/data" && verify has "$tmp/json" loss= end=
}
check "losses" lost

# limited NUMBER OPTIONS...: with these options, the file has NUMBER of the sample's 6311 calls.
limited() {
	left=$1
	shift
	run 0 timeline -i $data/sample.perf.data --symfs $symfs -o "$tmp/limited" --format=perfetto "$@" &&
		says "$tmp/err" "timeline: $left calls of 1 threads" && says "$tmp/err" "; $((6311 - left)) calls were left out"
}
shorter() {
	limited 48 --min-duration 1000 && verify least "$tmp/limited" 1000 1000
}
deep() {
	limited 2 --depth 2 && verify least "$tmp/limited" 0 2
}
check "--min-duration" shorter
check "--depth" deep
part() {
	rm -rf "$tmp/root"
	mkdir "$tmp/root"
	"$gen" scenario threads --perf "$tmp/data" --symfs "$tmp/root" --truth "$tmp/root" && written 0 "$tmp/data" --symfs "$tmp/root" &&
		all=$(wc -l <"$tmp/json") && python3 tests/cli/timeline.py middle "$tmp/json" >"$tmp/times" &&
		written 0 "$tmp/data" --symfs "$tmp/root" --time "$(cat "$tmp/times")" && verify within "$tmp/json" "$(cat "$tmp/times")" &&
		[ "$(wc -l <"$tmp/json")" -lt "$all" ]
}
check "--time" part

# More calls than 20 MB hold.
large() {
	random 7 --insns 3000000 --threads 3 && for format in $formats; do
		run 0 timeline -i "$tmp/data" --format=$format -o "$tmp/$format" && says "$tmp/err" "shortest calls were left out" &&
			[ "$(wc -c <"$tmp/$format")" -le 20000000 ] || return 1
	done
	verify sound "$tmp/json"
}
check "at most 20 MB" large

# More switches of threads than are kept; what is left out is in the file, too.
spans() {
	random 7 --insns 6200000 --threads 3 --buf=cpu --p-irq=150 --p-trap=60 --p-switch=1000 &&
		run 0 timeline -i "$tmp/data" --depth 1 --format=json -o "$tmp/json" || return 1
	left=$(sed -n 's/^cstrace timeline: .* bytes; \([0-9]*\) calls were left out; the \([0-9]*\) shortest stretches on CPUs, of threads and of lost trace, were left out; of the messages the last \([0-9]*\) were left out$/\1 \2 \3/p' "$tmp/err")
	runs=$(grep -c '"cat":"run"' "$tmp/json")
	# shellcheck disable=SC2086 # three numbers
	set -- $left
	[ $# -eq 3 ] && [ "$2" -gt 0 ] && [ "$runs" -ge 20000 ] && [ "$runs" -le 40000 ] && [ $((runs + $2)) -gt 40000 ] &&
		grep -qF "\"left out\":\"$(($1 + $2 + $3))\"" "$tmp/json"
}
check "at most 40,000 stretches on CPUs" spans

nothing() {
	mkdir -p "$tmp/nowhere" && run 5 timeline -i $data/sample.perf.data --symfs "$tmp/nowhere" -o "$tmp/none" && [ ! -e "$tmp/none" ] &&
		says "$tmp/err" "nothing to show"
}
check "nothing: 5, and no file" nothing
demangled() {
	written 3 $data/calls/calls.perf.data --symfs $symfs && grep -q '"name":"_ZN5guardC1Ei"' "$tmp/json" &&
		written 3 $data/calls/calls.perf.data --symfs $symfs --demangle && grep -qF '"name":"guard::guard(int)"' "$tmp/json" &&
		! grep -q '"name":"_Z' "$tmp/json"
}
check "--demangle" demangled
misuse() {
	run 129 timeline "$@" && is_empty "$tmp/out"
}
# A database is written in any order, and is there when it is complete; what it replaces stays until then.
viewer=/usr/lib/perf-core/scripts/python/exported-sql-viewer.py
perf_viewer() {
	run 0 timeline -i $data/sample.perf.data --symfs $symfs --format=sqlite -o "$tmp/db" && database viewer "$tmp/db" $viewer
}
callgrind() {
	run 0 profile -i $data/sample.perf.data --symfs $symfs --format=callgrind -o "$tmp/callgrind" &&
		database callgrind "$tmp/db" "$tmp/callgrind"
}
no_stream() {
	run 129 timeline -i $data/sample.perf.data --symfs $symfs --format=sqlite -o - && says "$tmp/err" "is no file" &&
		is_empty "$tmp/out" && run 1 timeline -i $data/sample.perf.data --format=sqlite -o /dev/null && says "$tmp/err" "is no file"
}
disk_full() {
	echo old >"$tmp/kept" && (ulimit -f 64 && run 1 timeline -i $data/sample.perf.data --symfs $symfs --format=sqlite -o "$tmp/kept") &&
		says "$tmp/err" "the database cannot be written: " && [ "$(cat "$tmp/kept")" = old ] && [ "$(find "$tmp" -name '.kept*' | wc -l)" -eq 0 ]
}
nothing_stored() {
	run 5 timeline -i $data/sample.perf.data --symfs "$tmp/nowhere" --format=sqlite -o "$tmp/none" && [ ! -e "$tmp/none" ] &&
		[ "$(find "$tmp" -name '.none*' | wc -l)" -eq 0 ]
}
if [ "$sqlite" ]; then
	if [ -e $viewer ]; then
		check "sqlite: perf's viewer has all calls" perf_viewer
	else
		skip "sqlite: perf's viewer has all calls" "no $viewer"
	fi
	check "sqlite: calls and instructions of callgrind" callgrind
	check "sqlite: not to what is no file" no_stream
	check "sqlite: no room: what was there stays" disk_full
	check "sqlite: nothing: 5, and no file" nothing_stored
fi
check "no output: 129" misuse -i $data/sample.perf.data
check "unknown format: 129" misuse -i $data/sample.perf.data -o "$tmp/none" --format=svg
finish
