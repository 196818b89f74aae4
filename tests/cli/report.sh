#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# report: the folder is well-formed and whole, its numbers are those of profile, a name with markup in it stays text, and
# nothing but an earlier report is replaced.
. tests/cli/tap.sh
. tests/cli/tool.sh
sample=tests/data/sample.perf.data
calls=tests/data/calls/calls.perf.data
symfs=tests/data/symfs
dir=$tmp/report

report() {
	python3 tests/cli/report.py "$@"
}

# numbers CODE RECORDING FORMAT...: of a report with pages of all functions and files
numbers() {
	code=$1 data=$2
	shift 2
	rm -rf "$dir"
	run $code report -i "$data" --symfs $symfs --source tests/data --functions 100000 -o "$dir" && report pages "$dir" || return 1
	for format; do
		run $code profile -i "$data" --symfs $symfs --format=$format -o "$tmp/$format" && report $format "$dir" "$tmp/$format" || return 1
	done
}

check "sample: pages, and the numbers of profile" numbers 0 $sample top lcov callgrind folded
for isa in a32 t32 trbe; do
	check "sample, $isa: pages, and the numbers of profile" numbers 0 tests/data/sample-$isa.perf.data top lcov callgrind folded
done
check "recursion, longjmp, signals: pages, and the numbers of profile" numbers 3 $calls top callgrind folded

# Each thread has the graph of a profile of it alone, and so has a process with several.
threads() {
	rm -rf "$dir"
	run 3 report -i $calls --symfs $symfs -o "$dir" && report tasks "$dir" >"$tmp/tasks" && [ "$(wc -l <"$tmp/tasks")" -gt 2 ] || return 1
	while read -r pid tid; do
		only=--tid=$tid
		[ "$tid" != all ] || only=--pid=$pid
		"$tool" profile -i $calls --symfs $symfs --format=folded "$only" -o "$tmp/folded" 2>"$tmp/err"
		report task "$dir" "$pid" "$tid" "$tmp/folded" || return 1
	done <"$tmp/tasks"
}
check "a graph of each thread and process: the numbers of a profile of it" threads
no_threads() {
	rm -rf "$dir"
	run 0 report -i $sample --symfs $symfs -o "$dir" && [ ! -e "$dir/threads.html" ] && [ ! -e "$dir/t1.html" ]
}
check "no list of threads of one" no_threads

same_of_counts() {
	run 0 profile -i $sample --symfs $symfs --format=cstrace -o "$tmp/counts.cst" &&
		run 0 report -i "$tmp/counts.cst" --symfs $symfs -o "$tmp/of-counts" && run 0 report -i $sample --symfs $symfs -o "$tmp/of-trace" &&
		report pages "$tmp/of-counts" && diff -rq "$tmp/of-counts" "$tmp/of-trace" >"$tmp/differ"
	[ "$(cat "$tmp/differ")" = "Files $tmp/of-counts/index.html and $tmp/of-trace/index.html differ" ] || { cat "$tmp/differ"; return 1; }
	grep -q 'Recorded: on' "$tmp/of-trace/index.html" && grep -q 'A count file' "$tmp/of-counts/index.html"
}
check "the same of a count file, but for what was recorded" same_of_counts

# The pages of functions and of files are bounded, and the lists say so.
bounded() {
	rm -rf "$dir"
	run 0 report -i $sample --symfs $symfs --functions 2 --files 1 -o "$dir" && report pages "$dir" &&
		[ "$(ls "$dir"/f[0-9]* | wc -l)" -eq 2 ] && grep -q '2 hottest ones have pages' "$dir/functions.html"
}
check "as many pages of functions as --functions says" bounded

# Of a recording in words, the times are those between its timestamps.
latencies() {
	rm -rf "$dir" "$tmp/made"
	report recording tests/data/recordings/latencies.txt "$tmp/made" &&
		run 0 report -i "$tmp/made/perf.data" --symfs "$tmp/made/symfs" --vmlinux "$tmp/made/symfs/vmlinux" -o "$dir" &&
		report pages "$dir" && report latencies "$dir" "thread switched out||1|4.000|4.000|4.000" \
			"system call|svc_handler|1|2.100|2.100|2.100" "system call|__arm64_sys_read|1|1.900|1.900|1.900" \
			"interrupt|irq_handler|1|0.100|0.100|0.100"
}
no_latencies() {
	rm -rf "$dir"
	run 0 report -i $sample --symfs $symfs -o "$dir" && report latencies "$dir"
}
check "interrupts, system calls and waits" latencies
check "no table of them without the kernel and switches" no_latencies

# A trace that counts cycles says so; a report of them has the instructions, too.
cycles() {
	rm -rf "$dir" "$tmp/made"
	report recording tests/data/recordings/cycles-of-functions.txt "$tmp/made" && run 0 report -i "$tmp/made/perf.data" --symfs "$tmp/made/symfs" -o "$tmp/plain" &&
		run 0 report -i "$tmp/made/perf.data" --symfs "$tmp/made/symfs" --metric=cycles -o "$dir" && report pages "$dir" && report cycles "$dir" "$tmp/plain" &&
		grep -q -e '--metric=cycles' "$tmp/plain/index.html" && ! grep -q -e '--metric=cycles' "$dir/index.html"
}
check "cycles, and the instructions that had them" cycles

# Calls in time are those of timeline; without times there is no page of them.
in_time() {
	for data in $sample $calls; do
		rm -rf "$dir"
		code=0
		[ $data = $sample ] || code=3
		run $code report -i $data --symfs $symfs --timeline -o "$dir" && report pages "$dir" || return 1
		run $code timeline -i $data --symfs $symfs --format=json -o "$tmp/json" && report timeline "$dir" "$tmp/json" || return 1
	done
	rm -rf "$dir" "$tmp/made"
	report recording tests/data/recordings/cycles-of-functions.txt "$tmp/made" &&
		run 0 report -i "$tmp/made/perf.data" --symfs "$tmp/made/symfs" --timeline -o "$dir" && says "$tmp/err" "no timeline" && [ ! -e "$dir/timeline.html" ] || return 1
	run 0 report -i "$tmp/counts.cst" --symfs $symfs --timeline -o "$dir" && says "$tmp/err" "--timeline" && [ ! -e "$dir/timeline.html" ]
}
check "a timeline: the calls of timeline" in_time

# 2,000 rows and 1,500 lines of text.
many() {
	rm -rf "$dir"
	python3 tests/cli/many_functions.py 3500 "$tmp/many.cst" && run 0 report -i "$tmp/many.cst" -o "$dir" && report pages "$dir" && report ranks "$dir" 3500 &&
		grep -q '<summary>1500 more functions</summary>' "$dir/functions.html"
}
check "a list of many functions has all of them" many

one_binary() {
	rm -rf "$dir"
	run 0 report -i $sample --symfs $symfs --binary sample.a64 -o "$dir" && report pages "$dir" && grep -q 'of the binary' "$dir/index.html"
}
check "one binary" one_binary

markup() {
	words='"><script>alert(1)</script>&'"'"'<b'
	python3 tests/cli/names.py make $sample $symfs/opt/cstrace-sample/sample.a64 "$tmp/names.data" "$tmp/root" "$words" || return 1
	rm -rf "$dir"
	run 0 report -i "$tmp/names.data" --symfs "$tmp/root" -o "$dir" && report pages "$dir" && report text "$dir" "$words" &&
		grep -q 'script&gt;alert(1)' "$dir/functions.html" && ! grep -l '<script>alert' "$dir"/*
}
check "markup in names of threads, files, symbols and the machine stays text" markup

# A source file with markup in its text and in its name
source_text() {
	mkdir -p "$tmp/source/sample"
	sed '1s|^|</td></table><script>alert(2)</script> \&lt; '"'"'"\t|' tests/data/sample/sample.c >"$tmp/source/sample/sample.c"
	printf 'caf\351 \001 \303\251\n' >>"$tmp/source/sample/sample.c"
	rm -rf "$dir"
	run 0 report -i $sample --symfs $symfs --source "$tmp/source" -o "$dir" && report pages "$dir" &&
		report text "$dir" '</td></table><script>alert(2)</script> &lt;' && report text "$dir" 'caf\xe9 \x01 é'
}
check "markup in a source file stays text" source_text

foreign() {
	rm -rf "$dir"
	mkdir "$dir"
	echo mine >"$dir/index.html"
	run 1 report -i $sample --symfs $symfs -o "$dir" && says "$tmp/err" "something in it" && [ "$(cat "$dir/index.html")" = mine ]
}
check "a folder of somebody else is refused" foreign

replaced() {
	rm -rf "$dir"
	run 0 report -i $sample --symfs $symfs -o "$dir" && run 3 report -i $calls --symfs $symfs --functions 1 -o "$dir/" || return 1
	[ "$(ls "$dir"/f[0-9]* | wc -l)" -eq 1 ] && grep -q calls.perf.data "$dir/index.html" && [ "$(ls -d "$tmp"/report*)" = "$dir" ] || return 1
	echo mine >"$dir/notes.txt"
	run 1 report -i $sample --symfs $symfs -o "$dir" && says "$tmp/err" "other files in it" && grep -q calls.perf.data "$dir/index.html" || return 1
	rm "$dir/notes.txt" "$dir/style.css"
	mkdir "$dir/style.css"
	run 1 report -i $sample --symfs $symfs -o "$dir" && [ -d "$dir/style.css" ]
}
check "an earlier report is replaced as a whole, not one with other files" replaced

nothing() {
	rm -rf "$dir"
	run 5 report -i $sample --symfs $symfs --comm nobody -o "$dir" && [ ! -e "$dir" ] && says "$tmp/err" "nothing was written" || return 1
	run 5 report -i $sample --symfs $symfs --binary nowhere -o "$dir" && [ ! -e "$dir" ] && says "$tmp/err" "nothing to report: --binary asks"
}
check "nothing to report: exit 5, no folder" nothing

# What is missing is said where it is looked at: the binary, the losses, their cure.
missing() {
	rm -rf "$dir"
	mkdir -p "$tmp/nowhere"
	run 5 report -i $sample --symfs "$tmp/nowhere" -o "$dir"
	if [ -e "$dir" ]; then
		report pages "$dir" && grep -q Incomplete "$dir/index.html"
	else
		says "$tmp/err" "nothing to report"
	fi
}
check "without the program: exit 5" missing
check "no output folder: usage" run 129 report -i $sample
finish
