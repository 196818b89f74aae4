#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bolt: profile --format=bolt against the executed flow, and what BOLT makes of it. An aarch64 program linked with
# --emit-relocs runs in qemu, also interrupted every few instructions; perf2bolt 16, 19 and 22 read its profile
# without a mismatch, llvm-bolt lays the program out anew, the result prints the same, and the flow gaps that 22
# reports are 0.
set -eu
build=${BUILD:-build}
tool=${PERF_CSTRACE:-$build/perf-cstrace}
sysroot=/usr/aarch64-linux-gnu
command -v qemu-aarch64 >/dev/null || { echo "no qemu-user"; exit 77; }
command -v aarch64-linux-gnu-gcc >/dev/null || { echo "no aarch64-linux-gnu-gcc"; exit 77; }
. tests/cli/tap.sh
. tests/interop/llvm.sh

# record OPTIONS OUT
record() {
	qemu-aarch64 -L $sysroot -plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/flow$1" "$tmp/prog" >"$tmp/want" &&
		"$build/tests/gen/cst-gen" encode --flow "$tmp/flow" --images "$tmp/flow.images" --perf "$2"
}

# profile RECORDING OUT
profile() {
	"$tool" profile -i "$1" --binary "$tmp/prog" --format=bolt -o "$2"
}

# Lines of each kind are there, and right.
exact() {
	profile "$1" "$2" && tests/interop/bolt-truth.py "$tmp/flow" "$tmp/prog" "$2" || return 1
	for kind in 'B 0 ' 'B [1-9a-f]' 'F ' 'f '; do
		grep -q "^$kind" "$2" || { echo "no line $kind"; return 1; }
	done
}

# optimise DIR
optimise() {
	"$1/perf2bolt" "$tmp/prog" -p "$tmp/profile" --pa -o "$tmp/fdata" >"$tmp/perf2bolt" 2>&1 &&
		"$1/llvm-bolt" "$tmp/prog" -data "$tmp/fdata" -o "$tmp/fast" -reorder-blocks=ext-tsp \
			-reorder-functions=hfsort -split-functions -v=1 >"$tmp/llvm-bolt" 2>&1 && return 0
	cat "$tmp/perf2bolt" "$tmp/llvm-bolt"
	return 1
}

# Nothing that perf2bolt read was thrown away.
nothing_wrong() {
	cat "$tmp/perf2bolt"
	grep -q 'traces mismatching disassembled function contents: 0 ' "$tmp/perf2bolt" &&
		grep -qi 'out of range traces involving unknown regions: 0 ' "$tmp/perf2bolt"
}

# Each percentage behind a gap, of the whole and of each bucket of functions; the largest of each, too.
no_gaps() {
	grep -E 'discontinuity|gap ' "$tmp/llvm-bolt"
	[ "$(grep -c 'conservation gap [0-9]' "$tmp/llvm-bolt")" -ge 2 ] &&
		! grep -oE '(discontinuity|gap) [0-9.]+%( \(weighted\) [0-9.]+%)?' "$tmp/llvm-bolt" | grep -qE '[1-9]' &&
		! sed -n '/conservation gap.*distribution/,/abbreviations\|Bucket/p' "$tmp/llvm-bolt" | grep -E 'MAX.*[1-9]'
}

runs_the_same() {
	qemu-aarch64 -L $sysroot "$tmp/fast" >"$tmp/got" && cmp "$tmp/want" "$tmp/got"
}

check "compile" aarch64-linux-gnu-gcc -O2 -g -fexceptions -Wl,-q -o "$tmp/prog" tests/interop/bolt_prog.c
tmp=$(cd "$tmp" && pwd -P)
check "record" record '' "$tmp/perf.data"
check "exact" exact "$tmp/perf.data" "$tmp/profile"
cp "$tmp/prog" "$tmp/whole"
# e_shoff; e_shentsize, e_shnum, e_shstrndx
head -c 8 /dev/zero | dd of="$tmp/prog" bs=1 seek=40 conv=notrunc 2>/dev/null
head -c 6 /dev/zero | dd of="$tmp/prog" bs=1 seek=58 conv=notrunc 2>/dev/null
check "exact without section headers" exact "$tmp/perf.data" "$tmp/bare"
mv "$tmp/whole" "$tmp/prog"
check "record with interrupts" record ,slice=777 "$tmp/perf2.data"
check "exact with interrupts" exact "$tmp/perf2.data" "$tmp/profile"
for version in 16 19 22; do
	if ! root=$(find_llvm $version perf2bolt); then
		ok "perf2bolt $version # SKIP package bolt-$version is not installed"
		continue
	fi
	check "perf2bolt and llvm-bolt $version" optimise "${root}usr/lib/llvm-$version/bin"
	check "perf2bolt $version: no mismatch" nothing_wrong
	check "llvm-bolt $version: the program prints the same" runs_the_same
	[ $version -lt 22 ] || check "llvm-bolt $version: no flow gaps" no_gaps
done
finish
