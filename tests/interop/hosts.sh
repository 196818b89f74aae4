#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hosts.sh - other hosts: s390x (big-endian), armhf (32 bits) and, in make nightly, aarch64, which differs from neither this
# host nor these two in what C shows of it. Everything is built for them, and under qemu-user decodes the shipped sample and
# two truth sets to the same bytes as here. Their libraries come from Debian's packages into $BUILD/sysroot
# (scripts/install-deps sysroot).
. tests/cli/tap.sh
shared=${CSTRACE_SHARED:-../shared}
native=$PERF_CSTRACE

# Inputs: name, options.
inputs() {
	echo "sample -i tests/data/sample.perf.data --symfs tests/data/symfs"
	for set in 01 19; do
		for f in "$shared"/truth/$set-*/perf.data; do
			[ ! -e "$f" ] || echo "set-$set -i $f --symfs $shared/truth/symfs"
		done
	done
}

# decode DIR COMMAND...: what COMMAND makes of every input, a file in DIR for each way to look at it.
decode() {
	dir=$1
	shift
	mkdir -p "$dir"
	inputs | while read -r name options; do
		"$@" inject $options -o "$dir/$name.inject" --itrace=i1000il64 2>"$dir/$name.inject.err"
		echo "$?" >"$dir/$name.codes"
		"$@" script $options --itrace=b -F pid,tid,cpu,time,ip,addr >"$dir/$name.script" 2>"$dir/$name.script.err"
		echo "$?" >>"$dir/$name.codes"
		"$@" dump $options --packets --elements >"$dir/$name.dump" 2>"$dir/$name.dump.err"
		echo "$?" >>"$dir/$name.codes"
		"$@" profile $options --format=autofdo -o "$dir/$name.autofdo" 2>"$dir/$name.autofdo.err"
		echo "$?" >>"$dir/$name.codes"
		"$@" info $options --format=json >"$dir/$name.info" 2>"$dir/$name.info.err"
		echo "$?" >>"$dir/$name.codes"
	done
}
decode "$tmp/native" "$native"
check "there is something to compare" test "$(cat "$tmp"/native/*.script "$tmp"/native/*.dump | wc -l)" -gt 1000
# The checksums of a folder. `text`: perf.data files have the byte order of their host, so what perf reads in them counts, and
# without perf nothing.
sums() {
	for f in "$1"/*; do
		case $2:$f in
		text:*.inject)
			! command -v perf >/dev/null || echo "$(perf script -i "$f" -F pid,tid,cpu,ip,addr,brstack 2>&1 | cksum) ${f##*/}"
			;;
		*) echo "$(cksum <"$f") ${f##*/}" ;;
		esac
	done
}

# host ARCH TRIPLET bytes|text
host() {
	dir=$BUILD/hosts/$1 root=$BUILD/sysroot/$1
	lacks=$(scripts/cross "$1" "$root" needs) || {
		ok "$1 # SKIP no $(echo $lacks)"
		return
	}
	if ! scripts/install-deps sysroot "$root" "$1" >"$tmp/sysroot" 2>&1; then
		ok "$1 # SKIP $(tail -n 1 "$tmp/sysroot")"
		return
	fi
	# the header of the kernel source package need not be unpacked again
	[ -e "$dir/libperf" ] || [ ! -e "$BUILD/libperf/include" ] || { mkdir -p "$dir/libperf" && cp -R "$BUILD/libperf/include" "$dir/libperf"; }
	# ccache, where the build uses it, does so here
	case ${CC:-} in ccache*) cc="ccache $2-gcc" ;; *) cc=$2-gcc ;; esac
	check "$1 builds" env CC="$cc" scripts/cross "$1" "$root" make -s -j2 --no-print-directory O="$dir" CFLAGS=-O1 WERROR=1 all
	[ -x "$dir/perf-cstrace" ] || return
	decode "$tmp/$1" scripts/cross "$1" "$root" run "$dir/perf-cstrace"
	sums "$tmp/native" "$3" >"$tmp/sums.native"
	sums "$tmp/$1" "$3" >"$tmp/sums.$1"
	check "$1 decodes to the same bytes" diff "$tmp/sums.native" "$tmp/sums.$1"
}

[ -z "${CSTRACE_NIGHTLY:-}" ] || host arm64 aarch64-linux-gnu bytes
host s390x s390x-linux-gnu text
host armhf arm-linux-gnueabihf bytes
finish
