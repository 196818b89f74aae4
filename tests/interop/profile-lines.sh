#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# profile-lines: formats with source lines. The tracefile of a program run by the emulator has gcov's counts of lines,
# functions and conditions, and genhtml renders it; callgrind_annotate shows the lines of the same program.
set -eu
build=${BUILD:-build}
tool=${PERF_CSTRACE:-$build/perf-cstrace}
command -v qemu-aarch64 >/dev/null || { echo "no qemu-user"; exit 77; }
command -v aarch64-linux-gnu-gcc >/dev/null || { echo "no aarch64-linux-gnu-gcc"; exit 77; }
. tests/cli/tap.sh

# record PROGRAM
record() {
	qemu-aarch64 -plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/flow" "$1" >"$tmp/printed" &&
		"$build/tests/gen/cst-gen" encode --flow "$tmp/flow" --images "$tmp/flow.images" --perf "$1.data"
}

# gcov SOURCE: what the same program prints is what gcov counted.
gcov() {
	(cd "$tmp" && aarch64-linux-gnu-gcc -O0 -g --coverage -static -o counted "$1.c" && qemu-aarch64 ./counted >again &&
		aarch64-linux-gnu-gcov -b -c "counted-$1.gcda") && cmp "$tmp/printed" "$tmp/again"
}

conditions() {
	aarch64-linux-gnu-gcc -O0 -g -static -o "$tmp/branches" "$tmp/branches_prog.c" && record "$tmp/branches" && gcov branches_prog &&
		lcov_of "$tmp/branches" && tests/interop/lcov_gcov.py "$tmp/branches.info" "$tmp/branches_prog.c.gcov"
}

lcov_of() {
	"$tool" profile -i "$1.data" --format=lcov -o "$1.info"
}

renders() {
	genhtml --branch-coverage -o "$tmp/html" "$1" >"$tmp/out" 2>"$tmp/warnings" || { cat "$tmp/warnings"; return 1; }
	cat "$tmp/out" "$tmp/warnings"
	[ ! -s "$tmp/warnings" ] && grep -q 'functions..: 87.5% (7 of 8' "$tmp/out" && [ -e "$(find "$tmp/html" -name 'lines_prog.c.gcov.html')" ]
}

# The loop in sum(), with its inclusive calls, is in the annotated source.
annotated() {
	"$tool" profile -i "$tmp/prog.data" --format=callgrind -o "$tmp/callgrind" &&
		callgrind_annotate "$tmp/callgrind" "$tmp/lines_prog.c" >"$tmp/annotated" && grep -A 3 'static int compare' "$tmp/annotated"
	grep -E '^ +545 \([ 0-9.]+%\).*return \*\(const int \*\)a' "$tmp/annotated"
}

# Calls with their number: of compare() by the C library, of fib() by main() and by itself, in the lines of the calls.
calls() {
	callgrind_annotate --tree=both --threshold=100 "$tmp/callgrind" "$tmp/lines_prog.c" >"$tmp/tree" || return 1
	grep '  > .*lines_prog.c:compare (109x)' "$tmp/tree" && grep '  > .*lines_prog.c:fib (1x)' "$tmp/tree" &&
		grep '  > .*lines_prog.c:fib (464x)' "$tmp/tree" && grep '  > .*lines_prog.c:choose (30x)' "$tmp/tree"
}

# The stack of main() and what it calls, in functions of the source: each is there with all its instructions.
stacks() {
	"$tool" profile -i "$tmp/prog.data" --format=folded -o "$tmp/folded" && "$tool" profile -i "$tmp/prog.data" --format=top -o "$tmp/top" ||
		return 1
	for f in choose conditions loops sum fib compare; do
		want=$(awk -v f=$f '$NF == f { print $2 }' "$tmp/top")
		have=$(sed -n "s/^.*main;\(.*;\)*$f \([0-9]*\)$/\2/p" "$tmp/folded" | awk '{ n += $1 } END { print n + 0 }')
		echo "$f: top $want, folded below main $have"
		[ -n "$want" ] && [ "$want" = "$have" ] || return 1
	done
}

# Every format is the same from a count file.
from_counts() {
	"$tool" profile -i "$tmp/prog.data" --format=cstrace -o "$tmp/prog.cst" || return 1
	formats="autofdo llvm bolt callgrind lcov folded top pprof propeller"
	for format in $formats; do
		"$tool" profile -i "$tmp/prog.data" --format=$format -o "$tmp/a" && "$tool" profile -i "$tmp/prog.cst" --format=$format -o "$tmp/b" &&
			cmp "$tmp/a" "$tmp/b" || return 1
	done
}

# Debug information of its own file, found by its build-id below --symfs, and next to the program by its name
separate() {
	mkdir -p "$tmp/root/usr/lib/debug/.build-id" "$tmp/root/$tmp"
	aarch64-linux-gnu-objcopy --only-keep-debug "$tmp/prog" "$tmp/prog.debug"
	id=$(aarch64-linux-gnu-readelf -n "$tmp/prog" | sed -n 's/.*Build ID: //p')
	[ -n "$id" ] || return 1
	mkdir -p "$tmp/root/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)"
	cp "$tmp/prog.debug" "$tmp/root/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug"
	aarch64-linux-gnu-strip -o "$tmp/root/$tmp/prog" "$tmp/prog"
	"$tool" profile -i "$tmp/prog.data" --symfs "$tmp/root" --format=lcov -o "$tmp/separate.info" && cmp "$tmp/prog.info" "$tmp/separate.info"
}

without() {
	aarch64-linux-gnu-gcc -O0 -static -o "$tmp/plain" tests/interop/lines_prog.c && record "$tmp/plain" || return 1
	rc=0
	"$tool" profile -i "$tmp/plain.data" --format=lcov -o "$tmp/plain.info" 2>"$tmp/err" || rc=$?
	cat "$tmp/err"
	[ $rc -eq 5 ] && grep "plain: it has no DWARF: no lines" "$tmp/err" && grep 'nothing to profile' "$tmp/err" && [ ! -e "$tmp/plain.info" ]
}

cp tests/interop/lines_prog.c tests/interop/branches_prog.c "$tmp"
check "program" aarch64-linux-gnu-gcc -O0 -g -static -o "$tmp/prog" "$tmp/lines_prog.c"
tmp=$(cd "$tmp" && pwd -P)
check "record" record "$tmp/prog"
check "gcov" gcov lines_prog
check "lcov" lcov_of "$tmp/prog"
check "lcov is what gcov counts" tests/interop/lcov_gcov.py "$tmp/prog.info" "$tmp/lines_prog.c.gcov"
check "conditions of all kinds are what gcov counts" conditions
if command -v genhtml >/dev/null; then
	check "genhtml" renders "$tmp/prog.info"
else
	ok "genhtml # SKIP package lcov is not installed"
fi
if command -v callgrind_annotate >/dev/null; then
	check "callgrind_annotate: lines" annotated
	check "callgrind_annotate: calls" calls
else
	ok "callgrind_annotate # SKIP package valgrind is not installed"
fi
check "stacks" stacks
check "every format from a count file" from_counts
check "debug file by build-id" separate
check "no DWARF" without
finish
