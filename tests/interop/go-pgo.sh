#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Nightly: Go's compiler takes profile --format=pprof for -pgo. A program for arm64 runs in qemu; the compiler reads the profile of
# its trace, finds the calls that ran, and replaces the call through an interface by one of the type that is mostly meant.
# Go has -pgo since 1.20; versions that this Debian does not have are those of unstable.
set -eu
build=${BUILD:-build}
tool=${PERF_CSTRACE:-$build/perf-cstrace}
[ -n "${CSTRACE_NIGHTLY:-}" ] || { echo "runs in make nightly only"; exit 77; }
command -v qemu-aarch64 >/dev/null || { echo "no qemu-user"; exit 77; }
. tests/cli/tap.sh
. tests/interop/sid.sh

export HOME="$tmp/home" GOCACHE="$tmp/cache" GOTOOLCHAIN=local CGO_ENABLED=0 GO111MODULE=off GOFLAGS=
mkdir -p "$HOME"

# compile OUT OPTIONS...
compile() {
	out=$1
	shift
	GOARCH=arm64 "$GOROOT/bin/go" build "$@" -o "$tmp/$out" tests/interop/go_prog.go
}

record() {
	qemu-aarch64 -plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/flow" "$tmp/prog" >"$tmp/want" &&
		"$build/tests/gen/cst-gen" encode --flow "$tmp/flow" --images "$tmp/flow.images" --perf "$tmp/perf.data" &&
		rm "$tmp/flow" && "$tool" profile -i "$tmp/perf.data" --format=pprof -o "$tmp/pprof"
}

# A call by caller, callee, lines from the caller's first one, and weight: more than two thirds of the calls through the interface.
reads() {
	"$GOROOT/bin/go" tool preprofile -i "$tmp/pprof" -o "$tmp/calls" && grep -a -A 2 -x main.work "$tmp/calls" >"$tmp/work" || return 1
	cat "$tmp/work"
	square=$(grep -x -A 1 'main.square.area\|main.(\*square).area' "$tmp/work" | sed -n 's/^3 //p' | sort -n | tail -n 1)
	circle=$(grep -x -A 1 'main.circle.area\|main.(\*circle).area' "$tmp/work" | sed -n 's/^3 //p' | sort -n | tail -n 1)
	[ "$square" -gt $((2 * circle)) ]
}

optimises() {
	compile fast -pgo="$tmp/pprof" -gcflags=-m 2>"$tmp/log" || { cat "$tmp/log"; return 1; }
	grep 'PGO devirtualizing interface call s.area to square.area' "$tmp/log" && qemu-aarch64 "$tmp/fast" | cmp "$tmp/want" -
}

for version in 1.26 1.27; do
	if ! fetch_sid golang-$version-go golang-$version-src; then
		skip "Go $version" "package golang-$version-go cannot be had"
		continue
	fi
	export GOROOT="$tmp/sid/usr/lib/go-$version"
	check "Go $version compiles" compile prog
	check "record" record
	check "Go $version reads the profile" reads
	check "Go $version optimises by it" optimises
done
finish
