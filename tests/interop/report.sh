#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Nightly: the pages of a report of 28 MB of code take 20 s at most; those of a program with source lines have the numbers of
# profile. tests/interop/browser.sh uses pages in a browser.
set -eu
build=${BUILD:-build}
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-$build/perf-cstrace}
[ -n "${CSTRACE_NIGHTLY:-}" ] || { echo "runs in make nightly only"; exit 77; }
. tests/cli/tap.sh

in_time() {
	begin=$(date +%s)
	"$tool" report -i "$shared"/truth/26-*/perf.data --symfs "$shared/truth/symfs" -o "$tmp/cc1" || return 1
	took=$(($(date +%s) - begin))
	echo "$took s"
	[ $took -lt 20 ] && python3 tests/cli/report.py pages "$tmp/cc1"
}
if [ -d "$shared/truth/symfs" ]; then
	check "cc1: made within 20 s, well-formed" in_time
else
	skip cc1 "no truth sets in $shared/truth"
fi

# A program with source lines, recorded by the emulator.
lines() {
	aarch64-linux-gnu-gcc -O1 -g -static -o "$tmp/prog" tests/interop/lines_prog.c &&
		qemu-aarch64 -plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/flow" "$tmp/prog" >"$tmp/printed" &&
		"$build/tests/gen/cst-gen" encode --flow "$tmp/flow" --images "$tmp/flow.images" --perf "$tmp/prog.data" &&
		"$tool" report -i "$tmp/prog.data" --functions 100000 -o "$tmp/prog.report" && python3 tests/cli/report.py pages "$tmp/prog.report" ||
		return 1
	for format in top lcov callgrind folded; do
		"$tool" profile -i "$tmp/prog.data" --format=$format -o "$tmp/$format" &&
			python3 tests/cli/report.py $format "$tmp/prog.report" "$tmp/$format" || return 1
	done
	grep -q 'static int compare' "$tmp/prog.report"/s*.html
}
if command -v qemu-aarch64 >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null; then
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory O="$build" qemu
	check "a program with source lines: the numbers of profile" lines
else
	skip "a program with source lines" "no qemu-user or no cross compiler"
fi
finish
