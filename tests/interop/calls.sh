#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# calls: the calling-context tree against the programs' own log of their calls (calls/log.h), for programs that run under the
# emulator: recursion, sibling calls, longjmp, signals, C++ exceptions, threads, callbacks, lazy binding; stripped or not.
# Of every truth set (26 in make nightly) all instructions are in the tree, however it is decoded. CSTRACE_NIGHTLY=1: 80 runs of threads on
# three CPUs, not 2.
set -eu
build=$(cd "${BUILD:-build}" && pwd)
shared=${CSTRACE_SHARED:-../shared}
decode=$build/tests/unit/perf-plugin/counting/calls/test_recordings
[ -x "$decode" ] || { echo "no $decode"; exit 77; }
for program in qemu-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++; do
	command -v $program >/dev/null || { echo "no $program"; exit 77; }
done
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory O="$build" qemu
. tests/cli/tap.sh
here=$(cd tests/interop/calls && pwd)

programs() {
	cc="aarch64-linux-gnu-gcc -O2 -g -finstrument-functions -Wall -Wextra -Wno-infinite-recursion"
	cxx="aarch64-linux-gnu-g++ -O2 -g -finstrument-functions -finstrument-functions-exclude-file-list=/usr -Wall -Wextra"
	$cc -fPIC -shared -o libcalls.so "$here/lib.c"
	$cc -rdynamic -o prog "$here/prog.c" -L. -lcalls '-Wl,-rpath,$ORIGIN' -Wl,-z,lazy -pthread
	$cc -static -o static "$here/prog.c" "$here/lib.c" -pthread
	$cc -O0 -static -o slow "$here/prog.c" "$here/lib.c" -pthread
	$cxx -o throws "$here/throws.cc"
	$cxx -O3 -static -o throws-static "$here/throws.cc"
	for f in prog static throws throws-static; do
		aarch64-linux-gnu-strip -o $f.stripped $f
	done
}

# one NAME PROGRAM PLUGIN-OPTIONS ENCODER-OPTIONS TRUTH-ARGUMENTS [PROGRAM-ARGUMENT]
one() {
	rc=0
	rm -rf truth log.bin
	mkdir truth
	{
		env -i "$(command -v qemu-aarch64)" -seed 1 -L /usr/aarch64-linux-gnu \
			-plugin "$build/tests/gen/qemu/flowlog.so,out=flow$3" "./$2" log.bin ${6:-} >/dev/null &&
			"$build/tests/gen/cst-gen" encode --flow flow $4 --perf perf.data --truth truth &&
			"$here/truth.py" log.bin $5 >tree &&
			"$decode" perf.data "" tree
	} >"$tmp/log" 2>&1 || rc=1
	verdict $rc "$1: $(grep -c ^T tree) contexts"
}

sets=0
[ ! -d "$shared/truth/symfs" ] || sets=$(find "$shared/truth" -mindepth 2 -maxdepth 2 -name perf.data | wc -l)
[ $sets -eq 0 ] || sets=$((sets + 1))
(cd "$tmp" && programs) >"$tmp/log" 2>&1 || { sed 's/^/# /' "$tmp/log"; exit 1; }
cd "$tmp"
one "dynamic, per thread" prog '' '' 'prog libcalls.so'
one "dynamic, one CPU" prog ,slice=2000 '--buf=cpu --ts=50' 'prog libcalls.so'
one "dynamic, two CPUs" prog ,cpus=2,slice=3000 '--buf=cpu --cpus=2 --ts=1' 'prog libcalls.so' rcjt
one "dynamic, ETE, three CPUs" prog ,cpus=3,slice=2000 '--ete --raw --buf=cpu --cpus=3 --ts=1 --cc=8' 'prog libcalls.so' rcjt
# each run is cut at other places
n=${CSTRACE_NIGHTLY:+80}
for slice in $(seq 1501 7 $((1500 + 7 * ${n:-2}))); do
	one "dynamic, ETE, three CPUs, slices of $slice" prog ",cpus=3,slice=$slice" '--ete --raw --buf=cpu --cpus=3 --ts=1 --cc=8' \
		'prog libcalls.so' rcjt
done
one "dynamic, stripped" prog.stripped '' '--ete --raw' 'prog=prog.stripped libcalls.so'
one "static" static '' '--bb --no-retstack' static
one "static, stripped" static.stripped '' '' static=static.stripped rcst
one "static, without optimisation" slow '' '' slow
one "C++ exceptions" throws '' '' throws
one "C++ exceptions, interrupted often" throws ,slice=100 '--buf=cpu' throws
one "C++ exceptions, stripped" throws.stripped '' '' throws=throws.stripped
one "C++ exceptions, static" throws-static '' '' throws-static
one "C++ exceptions, static, stripped" throws-static.stripped '' '' throws-static=throws-static.stripped
cd "$OLDPWD"
# Recordings of whole machines, with losses: the same tree by one thread, by two, and with all segments kept to the end.
rc=0
scenarios=$("$build/tests/gen/cst-gen" scenario | awk '{ print $1 }')
for name in $scenarios; do
	# its calls in time have a context more than the tree: a tail call that is left by an exception before its first instruction
	[ "$name" != apk-other ] || continue
	rm -rf "$tmp/symfs" "$tmp/truth"
	mkdir "$tmp/symfs" "$tmp/truth"
	"$build/tests/gen/cst-gen" scenario "$name" --case 2 --perf "$tmp/data" --symfs "$tmp/symfs" --truth "$tmp/truth" \
		2>"$tmp/log" || continue
	"$decode" "$tmp/data" "$tmp/symfs" "" >>"$tmp/log" 2>&1 || { rc=1; break; }
done
verdict $rc "scenarios: ${name}"
rc=0
for case in 1 2 3 4 5 6 7 8 9 10 11 12; do
	rm -rf "$tmp/code"
	mkdir "$tmp/code"
	"$build/tests/gen/cst-gen" random --case $case --threads 3 --perf "$tmp/data" --images "$tmp/code" >"$tmp/log" 2>&1 &&
		"$decode" "$tmp/data" "" "" >"$tmp/log" 2>&1 || { rc=1; break; }
done
verdict $rc "random programs: $case"
for data in "$shared"/truth/*/perf.data; do
	[ $sets -gt 0 ] || break
	# large: most of the time
	case $data in */26-*) [ -n "${CSTRACE_NIGHTLY:-}" ] || continue ;; esac
	rc=0
	"$decode" "$data" "$shared/truth/symfs" "" >"$tmp/log" 2>&1 || rc=1
	verdict $rc "instructions of $(basename "$(dirname "$data")")"
done
if [ $sets -gt 0 ]; then
	# the same execution, recorded in four ways
	rc=0
	for set in 08 09 10 14; do
		"$decode" "$shared/truth/$set"-*/perf.data "$shared/truth/symfs" >"$tmp/$set" 2>"$tmp/log" || rc=1
		cmp "$tmp/08" "$tmp/$set" >"$tmp/log" 2>&1 || rc=1
	done
	verdict $rc "threads on two CPUs, on one, and per thread: the same tree"
fi
finish
