#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bolt: profile --format=bolt against the executed flow, and what BOLT makes of it. Six aarch64 programs linked with
# --emit-relocs run in qemu, one also interrupted every few instructions; perf2bolt of each version reads the lines that
# --reader writes for it without a mismatch, llvm-bolt lays the program out anew, the result prints the same, and the
# flow gaps that 21 and later report are 0. From lines for earlier versions they make the same profile, byte for byte.
set -eu
build=${BUILD:-build}
tool=${PERF_CSTRACE:-$build/perf-cstrace}
sysroot=/usr/aarch64-linux-gnu
command -v qemu-aarch64 >/dev/null || { echo "no qemu-user"; exit 77; }
command -v aarch64-linux-gnu-gcc >/dev/null || { echo "no aarch64-linux-gnu-gcc"; exit 77; }
. tests/cli/tap.sh
. tests/interop/llvm.sh

# program NAME SOURCE OPTIONS...
program() {
	name=$1 source=$2
	shift 2
	mkdir -p "$tmp/$name"
	aarch64-linux-gnu-gcc "$@" -Wl,-q -o "$tmp/$name/prog" "tests/interop/$source"
}

# record NAME OPTIONS OUT
record() {
	qemu-aarch64 -L $sysroot -plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/$1/flow$2" "$tmp/$1/prog" >"$tmp/$1/want" &&
		"$build/tests/gen/cst-gen" encode --flow "$tmp/$1/flow" --images "$tmp/$1/flow.images" --perf "$tmp/$1/$3"
}

# profile NAME RECORDING READER: into $tmp/NAME/READER
profile() {
	"$tool" profile -i "$tmp/$1/$2" --binary "$tmp/$1/prog" --format=bolt --reader="$3" -o "$tmp/$1/$3"
}

# exact NAME RECORDING
exact() {
	for reader in bolt-16 bolt-21; do
		profile "$1" "$2" $reader && tests/interop/bolt-truth.py "$tmp/$1/flow" "$tmp/$1/prog" "$tmp/$1/$reader" || return 1
	done
}

# Lines of each kind are there.
each_kind() {
	for line in '16 B 0 ' '16 B [1-9a-f]' '16 F ' '16 f ' '21 T 0 ' '21 T [1-9a-e][^ ]* [^ ]* [1-9a-e][0-9a-f]* ' \
		'21 T [^ ]* [^ ]* f\{16\} ' '21 T f\{16\} ' '21 R 0 '; do
		grep -q "^${line#?? }" "$tmp/$1/bolt-${line%% *}" || { echo "no line $line"; return 1; }
	done
	! grep -v '^[BFf] ' "$tmp/$1/bolt-16" && ! grep -v '^[TR] ' "$tmp/$1/bolt-21"
}

# optimise DIR NAME READER
optimise() {
	"$1/perf2bolt" "$tmp/$2/prog" -p "$tmp/$2/$3" --pa -o "$tmp/fdata" >"$tmp/perf2bolt" 2>&1 &&
		"$1/llvm-bolt" "$tmp/$2/prog" -data "$tmp/fdata" -o "$tmp/laid-out" -reorder-blocks=ext-tsp \
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
	qemu-aarch64 -L $sysroot "$tmp/laid-out" >"$tmp/got" && cmp "$tmp/$1/want" "$tmp/got"
}

# accepted DIR VERSION NAME
accepted() {
	optimise "$1" "$3" bolt-16 && nothing_wrong && runs_the_same "$3" || return 1
	[ "$2" -ge 21 ] || return 0
	sort "$tmp/fdata" >"$tmp/before"
	no_gaps && optimise "$1" "$3" bolt-21 && nothing_wrong && no_gaps && runs_the_same "$3" &&
		sort "$tmp/fdata" | cmp - "$tmp/before"
}

programs="work small fast branches lines predicated"
build_programs() {
	program work bolt_prog.c -O2 -g -fexceptions && program small bolt_prog.c -Os && program fast bolt_prog.c -O3 -fexceptions &&
		program branches branches_prog.c -O2 && program lines lines_prog.c -O2 && program predicated predicated_prog.c -O2
}

check "compile" build_programs
tmp=$(cd "$tmp" && pwd -P)
for name in $programs; do
	check "$name: record" record $name '' perf.data
	check "$name: exact" exact $name perf.data
done
check "lines of each kind" each_kind work
mkdir "$tmp/kept"
cp "$tmp/work/bolt-16" "$tmp/work/bolt-21" "$tmp/work/prog" "$tmp/kept"
# e_shoff; e_shentsize, e_shnum, e_shstrndx
head -c 8 /dev/zero | dd of="$tmp/work/prog" bs=1 seek=40 conv=notrunc 2>/dev/null
head -c 6 /dev/zero | dd of="$tmp/work/prog" bs=1 seek=58 conv=notrunc 2>/dev/null
check "exact without section headers" exact work perf.data
mv "$tmp/kept"/* "$tmp/work"
for version in 16 19 21 22 23; do
	if ! root=$(find_llvm $version perf2bolt); then
		ok "perf2bolt $version # SKIP package bolt-$version is not installed"
		continue
	fi
	for name in $programs; do
		check "perf2bolt and llvm-bolt $version, $name" accepted "${root}usr/lib/llvm-$version/bin" $version $name
	done
done
check "record with interrupts" record work ,slice=777 perf2.data
check "exact with interrupts" exact work perf2.data
check "lines of each kind with interrupts" each_kind work
finish
