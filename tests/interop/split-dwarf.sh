#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# split-dwarf: a program built with -gsplit-dwarf has the lines and functions of the same program without it: by gcc and
# clang, in DWARF 4 and 5, with .dwo files and with a package of them.
set -eu
build=${BUILD:-build}
tool=${PERF_CSTRACE:-$build/perf-cstrace}
command -v qemu-aarch64 >/dev/null || { echo "no qemu-user"; exit 77; }
command -v aarch64-linux-gnu-gcc >/dev/null || { echo "no aarch64-linux-gnu-gcc"; exit 77; }
. tests/cli/tap.sh
tmp=$(cd "$tmp" && pwd -P)

# build COMPILER OPTIONS...: the program as $tmp/prog, of two units
build() {
	cc=$1
	shift
	mkdir -p "$tmp/obj"
	rm -f "$tmp"/obj/*
	for source in lines_prog second; do
		(cd "$tmp/obj" && $cc "$@" -c "$tmp/$source.c" -o $source.o) || return 1
	done
	(cd "$tmp/obj" && aarch64-linux-gnu-gcc -static -Wl,--build-id=none -o "$tmp/prog" lines_prog.o second.o)
}

lcov_of() {
	rm -rf "$tmp/root"
	mkdir -p "$tmp/root/$tmp"
	cp "$tmp/prog" "$tmp/root/$tmp/prog"
	rc=0
	"$tool" profile -i "$tmp/prog.data" --symfs "$tmp/root" --format=lcov -o "$1" 2>"$tmp/err" || rc=$?
}

# split_as NAME COMPILER OPTIONS...
split_as() {
	build "$@" || return 1
	qemu-aarch64 -plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/flow" "$tmp/prog" >"$tmp/printed" &&
		"$build/tests/gen/cst-gen" encode --flow "$tmp/flow" --images "$tmp/flow.images" --perf "$tmp/prog.data" || return 1
	lcov_of "$tmp/whole.info"
	[ $rc -eq 0 ] && grep -q '^FNDA:[1-9]' "$tmp/whole.info" && grep -q 'second.c' "$tmp/whole.info" || return 1
	build "$@" -gsplit-dwarf || return 1
	[ -e "$tmp/obj/second.dwo" ] || return 1
	# nothing is found: the lines are there, the functions are reported as lost
	lcov_of "$tmp/without.info"
	[ $rc -eq 3 ] && grep "the functions of 2 of its units are not known: their split DWARF was not found" "$tmp/err" || return 1
	# where the program says, in the root
	lcov_of "$tmp/other"
	mkdir -p "$tmp/root/$tmp/obj"
	cp "$tmp"/obj/*.dwo "$tmp/root/$tmp/obj"
	same || return 1
	# beside the program
	rm -r "$tmp/root/$tmp/obj"
	cp "$tmp"/obj/*.dwo "$tmp/root/$tmp"
	same || return 1
	# files of another build prove nothing
	cp "$tmp/root/$tmp/second.dwo" "$tmp/root/$tmp/lines_prog.dwo"
	again
	[ $rc -eq 3 ] && grep "lines_prog.dwo is not of this build" "$tmp/err" || return 1
	rm "$tmp/root/$tmp/"*.dwo
	command -v llvm-dwp >/dev/null || return 0
	llvm-dwp -o "$tmp/root/$tmp/prog.dwp" "$tmp"/obj/*.dwo && same
}

again() {
	rc=0
	"$tool" profile -i "$tmp/prog.data" --symfs "$tmp/root" --format=lcov -o "$tmp/split.info" 2>"$tmp/err" || rc=$?
}

same() {
	again
	cat "$tmp/err"
	[ $rc -eq 0 ] && diff "$tmp/whole.info" "$tmp/split.info"
}

cp tests/interop/lines_prog.c "$tmp"
cat >"$tmp/second.c" <<'END'
#include <stdlib.h>
static int half(int n)
{
	return n & 1 ? n : n / 2;
}

__attribute__((constructor)) void second(void)
{
	int i, sum = 0;

	for (i = 0; i < 10; i++)
		sum += half(i);
	if (sum != 35)
		abort();
}
END
for version in 4 5; do
	for level in 0 2; do
		check "gcc DWARF $version -O$level" split_as aarch64-linux-gnu-gcc -O$level -gdwarf-$version
		! command -v clang >/dev/null ||
			check "clang DWARF $version -O$level" split_as "clang --target=aarch64-linux-gnu" -O$level -gdwarf-$version
	done
done
finish
