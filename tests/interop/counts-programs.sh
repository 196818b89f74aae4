#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Nightly: Python, SQLite and gcc's cc1 of Debian arm64, recorded by the emulator: count files and all formats of them have what was
# executed (count-truth.py). Needs the network. ONLY=NAME records one of them.
set -eu
build=${BUILD:-build}
tool=${PERF_CSTRACE:-$build/perf-cstrace}
[ -n "${CSTRACE_NIGHTLY:-}" ] || { echo "runs in make nightly only"; exit 77; }
command -v qemu-aarch64 >/dev/null || { echo "no qemu-user"; exit 77; }
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory O="$build" qemu
want=0
. tests/interop/count-checks.sh
tests/gen/qemu/fetch-sysroot.sh arm64 "$tmp/arm64" python3-minimal sqlite3 cpp-12 >"$tmp/fetched" 2>&1 || {
	echo "no packages for arm64: is the mirror within reach?"
	exit 77
}
symfs=$tmp/arm64/root

# run OPTIONS PROGRAM...
run() {
	options=$1
	shift
	env -i "$(command -v qemu-aarch64)" -seed 1 -L "$symfs" -plugin "$build/tests/gen/qemu/flowlog.so,root=$symfs,$options" "$@" \
		>/dev/null 2>"$tmp/log" && ! grep DOUBTFUL "$tmp/log"
}

# The encoder reads the list of code files first: a first run makes it, and what Python compiles of its library.
record() {
	mkdir -p "$set/truth"
	run "out=$set/first,max=1" "$@" || { cat "$tmp/log"; return 1; }
	mkfifo "$set/flow"
	run "out=$set/flow" "$@" &
	"$build/tests/gen/cst-gen" encode --flow "$set/flow" --images "$set/first.images" --perf "$set/perf.data" --truth "$set/truth"
	wait $! || { cat "$tmp/log"; return 1; }
}

# program PATH ARGUMENT...
program() {
	name=$(basename "$1")
	[ "${ONLY:-$name}" = "$name" ] || return 0
	set=$tmp/$name
	check "$name: record" record "$symfs/usr/$@"
	check_set "$name"
	rm -rf "$set"
}

program bin/sqlite3 -batch :memory: "create table t(a, b);
	with recursive c(x) as (select 1 union all select x + 1 from c where x < 50) insert into t select x, x * 37 % 11 from c;
	create index i on t(b); select b, count(*), sum(a) from t group by b order by 3 desc limit 3;"
program bin/python3.11 -I -S -c 'print(sum(i * i for i in range(300)))'
echo 'int main(void) { return 0; }' >"$tmp/main.c"
program lib/gcc/aarch64-linux-gnu/12/cc1 -quiet "$tmp/main.c" -o /dev/null
finish
