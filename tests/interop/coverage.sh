#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coverage: lines and branches of optimised programs are those of the instructions that the emulator executed, by the last row
# that objdump's line table has for each address. Programs for A64, A32 and T32, by GCC and clang, at four levels; in the nightly
# tests 50 random programs as well, and line counts of gcov.
set -eu
build=$(cd "${BUILD:-build}" && pwd -P)
tool=${PERF_CSTRACE:-$build/perf-cstrace}
here=$(pwd -P)/tests/interop
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
. tests/cli/tap.sh
tmp=$(cd "$tmp" && pwd -P)
levels="0 1 2 s"

# choose ISA COMPILER: sets $cc, $qemu and $objdump. False: a program is not installed.
choose() {
	case $1 in
	a64) triple=aarch64-linux-gnu qemu=qemu-aarch64 flags= ;;
	a32) triple=arm-linux-gnueabihf qemu=qemu-arm flags="-march=armv7-a+fp -marm" ;;
	t32) triple=arm-linux-gnueabihf qemu=qemu-arm flags="-march=armv7-a+fp -mthumb" ;;
	esac
	objdump=$triple-objdump cc="$triple-gcc $flags"
	[ "$2" = gcc ] || cc="clang --target=$triple $(echo "$flags" | sed 's/+fp//')"
	command -v "$triple-gcc" >/dev/null && command -v "${cc%% *}" >/dev/null && command -v $qemu >/dev/null
}

# run PROGRAM SOURCE LEVEL: compiles, executes and records it. False: it does not end by itself, with exit status 0.
run() {
	$cc -w -g -O"$3" $include -static -o "$1" "$2" || { echo "$cc fails"; return 1; }
	timeout 60 $qemu -plugin "$build/tests/gen/qemu/flowlog.so,out=$1.flow,max=2000000" "$1" >/dev/null 2>"$1.err" || return 2
	"$build/tests/gen/cst-gen" encode --flow "$1.flow" --images "$1.flow.images" --perf "$1.data"
}

# same PROGRAM LEVEL: at level 2 both ways to count what is reached only.
same() {
	for how in covered uncovered; do
		[ $how = covered ] || [ "$2" = 2 ] || continue
		"$tool" profile -i "$1.data" --format=lcov --untraced=$how -o "$1.info" || return 1
		[ $how = covered ] && only= || only=--traced-only
		"$here/line_truth.py" "$1.info" "$1" "$1.flow" --objdump $objdump $only || return 1
	done
}

# fixed ISA COMPILER
fixed() {
	for level in $levels; do
		for source in predicated_prog lines_prog; do
			run "$tmp/$source" "$here/$source.c" $level && same "$tmp/$source" $level || return 1
		done
	done
}

# at_levels SEED: a random program at all levels, one instruction set and compiler for each. 2: it takes too long.
at_levels() {
	(cd "$tmp" && csmith --seed "$1" --max-funcs 5 --no-packed-struct -o random.c) || return 1
	rc=0
	for level in $levels; do
		run "$tmp/random" "$tmp/random.c" $level >"$tmp/run" 2>&1 || rc=$?
		[ $rc -ne 2 ] || return 2
		[ $rc -eq 0 ] && same "$tmp/random" $level >>"$tmp/run" 2>&1 || { cat "$tmp/run"; echo "seed $1, $cc -O$level"; return 1; }
		grep differences "$tmp/run" | head -1
	done
	rm -f "$tmp"/random*
}

# random PROGRAMS
random() {
	good=0 seed=0 include=-I/usr/include/csmith
	while [ $good -lt "$1" ]; do
		seed=$((seed + 1))
		case $((seed % 3)) in 0) isa=a64 ;; 1) isa=a32 ;; 2) isa=t32 ;; esac
		case $((seed / 3 % 2)) in 0) compiler=gcc ;; 1) compiler=clang ;; esac
		choose $isa $compiler || continue
		rc=0
		at_levels $seed || rc=$?
		[ $rc -ne 1 ] || return 1
		[ $rc -ne 0 ] || good=$((good + 1))
		[ $seed -lt $((10 * $1)) ] || { echo "only $good of $seed programs end"; return 1; }
	done
	echo "$good programs of $seed at levels $levels"
}

# Lines of what the linker discarded are at address 0, as real code is, or reach into it.
low_code() {
	for first in '' '*(.note*)'; do
		echo "ENTRY(start) SECTIONS { . = 0; .first : { $first } .text : { *(.text.start) *(.text.used) *(.text*) }" \
			".note : { *(.note*) } . = 0x20000000; .bss : { *(.bss*) } }" >"$tmp/low.ld"
		for version in 4 5; do
			$cc -gdwarf-$version -O1 -ffunction-sections -ffreestanding -nostdlib -static -Wl,--gc-sections \
				-Wl,-T,"$tmp/low.ld" -Wl,--build-id=0x1111111111111111111111111111111111111111 -o "$tmp/low" \
				"$here/low/low_prog.c" && "$here/low_code.py" "$tool" $objdump "$tmp/low" || return 1
		done
	done
}

include=
if choose t32 gcc; then
	check "code at address 0" low_code
else
	skip "code at address 0" "${cc%% *} or $qemu is not installed"
fi
for isa in a64 a32 t32; do
	for compiler in gcc clang; do
		if choose $isa $compiler; then
			check "lines and branches of $isa, $compiler" fixed
		else
			skip "lines and branches of $isa, $compiler" "${cc%% *}, $triple-gcc or $qemu is not installed"
		fi
	done
done
if [ -z "${CSTRACE_NIGHTLY:-}" ]; then
	skip "random programs" "for the nightly tests"
elif ! command -v csmith >/dev/null || [ ! -e /usr/include/csmith/csmith.h ]; then
	skip "random programs" "csmith and libcsmith-dev are not installed"
elif ! choose a64 gcc || ! choose a32 gcc; then
	skip "random programs" "no compiler or emulator"
else
	if random "${PROGRAMS:-50}" >"$tmp/log" 2>&1; then
		tail -1 "$tmp/log" | sed 's/^/# /'
		ok "random programs"
	else
		not_ok "random programs"
		sed 's/^/# /' "$tmp/log" | tail -30
	fi
fi
finish
