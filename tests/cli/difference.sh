#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --base: the pages of report have the numbers of profile, which are those of both sides; count files are as good as recordings,
# and what cannot be compared is refused. Pairs of builds: interop/difference.
. tests/cli/tap.sh
. tests/cli/tool.sh
sample=tests/data/sample.perf.data trbe=tests/data/sample-trbe.perf.data t32=tests/data/sample-t32.perf.data
symfs=tests/data/symfs
dir=$tmp/report

difference() {
	python3 tests/cli/difference.py "$@"
}

# pair BEFORE AFTER OPTION...: tables, stacks and pages
pair() {
	before=$1 after=$2
	shift 2
	rm -rf "$dir"
	run 0 profile -i "$before" --symfs $symfs --format=top -o "$tmp/before" &&
		run 0 profile -i "$after" --symfs $symfs --format=top -o "$tmp/after" &&
		run 0 profile -i "$before" --symfs $symfs --format=folded -o "$tmp/before.folded" &&
		run 0 profile -i "$after" --symfs $symfs --format=folded -o "$tmp/after.folded" &&
		run 0 profile -i "$after" --base "$before" --symfs $symfs --format=top -o "$tmp/top" &&
		run 0 profile -i "$after" --base "$before" --symfs $symfs --format=folded -o "$tmp/folded" &&
		run 0 report -i "$after" --base "$before" --symfs $symfs -o "$dir" && python3 tests/cli/report.py pages "$dir" &&
		difference top "$tmp/top" "$tmp/before" "$tmp/after" "$@" &&
		difference folded "$tmp/folded" "$tmp/before.folded" "$tmp/after.folded" "$@" &&
		difference pages "$dir" "$tmp/top" "$tmp/folded"
}
check "one build, two trace units: tables, stacks, pages" pair $sample $trbe
check "one build, the same run: nothing changed" pair $sample $sample
check "two programs" pair $sample $t32

# Of two recordings, two count files, and one of each.
stored() {
	for n in $sample $t32; do
		run 0 profile -i $n --symfs $symfs --format=cstrace -o "$tmp/$(basename $n).cst" || return 1
	done
	run 0 profile -i $t32 --base $sample --symfs $symfs --format=top -o "$tmp/want" || return 1
	for a in $t32 "$tmp/sample-t32.perf.data.cst"; do
		for b in $sample "$tmp/sample.perf.data.cst"; do
			run 0 profile -i "$a" --base "$b" --symfs $symfs --format=top -o "$tmp/have" || return 1
			sed 1,3d "$tmp/have" >"$tmp/have.rows"
			sed 1,3d "$tmp/want" | cmp - "$tmp/have.rows" || return 1
		done
	done
}
check "count files are as good as recordings" stored

threads() {
	for format in top folded; do
		run 0 profile -i $t32 --base $sample --symfs $symfs --format=$format -j 1 -o "$tmp/one" &&
			run 0 profile -i $t32 --base $sample --symfs $symfs --format=$format -j 3 -o "$tmp/three" &&
			cmp "$tmp/one" "$tmp/three" || return 1
	done
}
check "the same with any number of threads" threads

one_binary() {
	run 0 profile -i $trbe --base $sample --symfs $symfs --binary sample.a64 --format=top -o "$tmp/one" &&
		run 0 profile -i $trbe --base $sample --symfs $symfs --format=top -o "$tmp/all" &&
		grep ' sample.a64 ' "$tmp/all" >"$tmp/want" && grep ' sample.a64 ' "$tmp/one" | cmp - "$tmp/want"
}
check "one binary" one_binary

scale() {
	run 0 profile -i $trbe --base $sample --symfs $symfs --format=top --scale=none -o "$tmp/none" &&
		run 0 profile -i $trbe --base $sample --symfs $symfs --format=top -o "$tmp/default" && cmp "$tmp/none" "$tmp/default" &&
		run 1 profile -i $trbe --base $sample --symfs $symfs --format=top --scale=nothing -o "$tmp/not" && [ ! -e "$tmp/not" ] &&
		says "$tmp/err" "--scale: found 'nothing', expected none, total, or a function"
}
check "--scale" scale

refused() {
	run 129 profile -i $trbe --base $sample --format=llvm && says "$tmp/err" "--base is for --format=top and folded" &&
		run 129 profile -i $trbe --scale=total --format=top && says "$tmp/err" "--scale is for --base FILE" &&
		run 129 report -i $trbe --base-symfs $symfs -o "$tmp/no" && says "$tmp/err" "--base-symfs is for --base FILE" &&
		run 129 profile -i $trbe --base "$tmp/sample.perf.data.cst" --metric=time --format=top &&
		says "$tmp/err" "is a count file, which has neither cycles nor times" &&
		run 129 profile -i $trbe --base "$tmp/sample.perf.data.cst" --time 0%-10% --format=top &&
		says "$tmp/err" "is a count file, which cannot be filtered" &&
		run 1 profile -i $trbe --base "$tmp/absent" --format=top && says "$tmp/err" "--base $tmp/absent: No such file" &&
		cp "$tmp/sample.perf.data.cst" "$tmp/self.cst" &&
		run 1 profile -i $trbe --symfs $symfs --base "$tmp/self.cst" --format=top -o "$tmp/self.cst" &&
		says "$tmp/err" "one of the files that are read" && cmp "$tmp/self.cst" "$tmp/sample.perf.data.cst" &&
		[ ! -e "$tmp/no" ]
}
check "what cannot be compared is refused, and an output is no input" refused

# A damaged base: nothing is written, and an earlier result stays.
damaged() {
	head -c 200 "$tmp/sample.perf.data.cst" >"$tmp/cut.cst"
	echo earlier >"$tmp/kept"
	run 1 profile -i $trbe --symfs $symfs --base "$tmp/cut.cst" --format=top -o "$tmp/kept" && says "$tmp/err" "interrupted" &&
		[ "$(cat "$tmp/kept")" = earlier ] &&
		run 1 report -i $trbe --symfs $symfs --base "$tmp/cut.cst" -o "$tmp/no" && [ ! -e "$tmp/no" ]
}
check "a damaged base" damaged

# Losses on a side are said, and the exit code is 3.
losses() {
	calls=tests/data/calls/calls.perf.data
	run 3 profile -i $trbe --base $calls --symfs $symfs --format=top -o "$tmp/lossy" && grep -q '^# Before: .*, of what could be decoded' "$tmp/lossy"
}
check "losses of the base" losses

check "with losses small changes are marked: methods of generated code" difference noise "$tool" "$tmp"

markup() {
	words='"><script>alert(1)</script>&'"'"'<b'
	python3 tests/cli/names.py make $sample $symfs/opt/cstrace-sample/sample.a64 "$tmp/names.data" "$tmp/root" "$words" || return 1
	rm -rf "$dir"
	run 0 report -i $sample --symfs $symfs --base "$tmp/names.data" --base-symfs "$tmp/root" -o "$dir" &&
		python3 tests/cli/report.py pages "$dir" && ! grep -l '<script>alert' "$dir"/*
}
check "markup in names of the base stays text" markup
finish
