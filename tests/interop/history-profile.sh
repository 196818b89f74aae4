#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# history-profile: samples with AUX windows, to which inject --itrace=L adds branch stacks, are samples with an LBR to the readers
# of profiles: create_llvm_prof and create_gcov make of the file what they make of counts of the stacks that perf script prints,
# perf2bolt finds no branch that the program does not have, and llvm-profgen reads perf's text.
set -eu
build=${BUILD:-build}
tool=${PERF_CSTRACE:-$build/perf-cstrace}
command -v qemu-aarch64 >/dev/null || { echo "no qemu-user"; exit 77; }
command -v aarch64-linux-gnu-gcc >/dev/null || { echo "no aarch64-linux-gnu-gcc"; exit 77; }
command -v perf >/dev/null || { echo "no perf"; exit 77; }
. tests/cli/tap.sh
. tests/interop/llvm.sh

# record OPTIONS: compiled with them
record() {
	aarch64-linux-gnu-gcc -O2 -gdwarf-4 -fexceptions "$@" -o "$tmp/prog" tests/interop/bolt_prog.c &&
		qemu-aarch64 -L /usr/aarch64-linux-gnu -plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/flow" "$tmp/prog" >/dev/null &&
		"$build/tests/gen/cst-gen" encode --flow "$tmp/flow" --images "$tmp/flow.images" --perf "$tmp/perf.data" --timed \
			--window=8192 --window-insns=20000 --sync=1000 && "$tool" inject -i "$tmp/perf.data" --itrace=L64 -o "$tmp/perf"
}

# The text of counts that both readers take: ranges, samples of addresses (none), branches. Addresses count from the first
# segment.
text_of_stacks() {
	perf script -i "$1" -F brstack | python3 -c '
import collections, re, sys
ranges, edges = collections.Counter(), collections.Counter()
for line in sys.stdin:
    stack = [(int(a, 16) - 0x400000, int(b, 16) - 0x400000) for a, b in re.findall(r"0x([0-9a-f]+)/0x([0-9a-f]+)/", line)]
    edges.update(stack)
    ranges.update((before[1], after[0]) for after, before in zip(stack, stack[1:]))
assert sum(edges.values()) > 5000 and all(first <= last for first, last in ranges)
print(len(ranges))
print("".join("%x-%x:%d\n" % (*r, n) for r, n in sorted(ranges.items())), end="0\n")
print(len(edges))
print("".join("%x->%x:%d\n" % (*e, n) for e, n in sorted(edges.items())), end="")'
}

# 0.19 prints the names of inlined functions from memory that it has freed: leave those lines out.
llvm_prof() {
	for profiler in perf text; do
		create_llvm_prof --binary="$tmp/prog" --profile="$tmp/$profiler" --profiler=$profiler --out="$tmp/llvm.$profiler" \
			--format=text 2>&1 || return 1
		LC_ALL=C grep -aE '^[A-Za-z_][A-Za-z0-9_.]*:[0-9]+:[0-9]+$|^ +[0-9.]+: [0-9]+( [A-Za-z0-9_.:]+)*$' \
			"$tmp/llvm.$profiler" >"$tmp/lines.$profiler"
	done
	grep -q '^less:[1-9]' "$tmp/lines.perf" && cmp "$tmp/lines.perf" "$tmp/lines.text"
}

gcov() {
	for profiler in perf text; do
		create_gcov --binary="$tmp/prog" --profile="$tmp/$profiler" --profiler=$profiler --gcov="$tmp/gcov.$profiler" \
			--gcov_version=1 2>&1 || return 1
	done
	[ -s "$tmp/gcov.perf" ] && cmp "$tmp/gcov.perf" "$tmp/gcov.text"
}

bolt() {
	"${root}usr/lib/llvm-$1/bin/perf2bolt" "$tmp/prog" -p "$tmp/perf" -o "$tmp/fdata" 2>&1 | tee "$tmp/log"
	grep -q 'traces mismatching disassembled function contents: 0 ' "$tmp/log" && grep -q 'less' "$tmp/fdata"
}

profgen() {
	perf script -i "$tmp/perf" -F ip,brstack --show-mmap-events >"$tmp/script" &&
		"${root}usr/lib/llvm-$1/bin/llvm-profgen" --binary="$tmp/prog" --perfscript="$tmp/script" --format=text \
			-o "$tmp/profgen" 2>&1 && grep '^less:[1-9]' "$tmp/profgen"
}

tmp=$(cd "$tmp" && pwd -P)
check "compile, record, inject" record -static -no-pie
check "counts of the stacks" text_of_stacks "$tmp/perf" # shows the text if it fails
text_of_stacks "$tmp/perf" >"$tmp/text"
if command -v create_llvm_prof >/dev/null; then
	check "create_llvm_prof" llvm_prof
	check "create_gcov" gcov
else
	skip "create_llvm_prof, create_gcov" "package autofdo is not installed"
fi
# 16 crashes when it lays out a static program.
check "compile with relocations, record, inject" record -Wl,-q
for version in 16 19 22; do
	if root=$(find_llvm $version perf2bolt); then
		check "perf2bolt $version" bolt $version
	else
		skip "perf2bolt $version" "package bolt-$version is not installed"
	fi
done
# 14 to 18 know no aarch64.
for version in 19 22; do
	if root=$(find_llvm $version llvm-profgen); then
		check "llvm-profgen $version" profgen $version
	else
		skip "llvm-profgen $version" "package llvm-$version is not installed"
	fi
done
finish
