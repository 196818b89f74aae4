#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# counts: count files of the truth sets. Each is what was executed (count-truth.py), the same with any number of threads, and
# every format made of it is that made of the recording itself.
set -eu
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
symfs=$shared/truth/symfs
[ -d "$symfs" ] || { echo "no truth sets in $shared/truth"; exit 77; }
. tests/cli/tap.sh

# The exit code is that of a recording with losses for set 21, else 0.
profile() {
	code=0
	"$tool" profile "$@" 2>"$tmp/err" || code=$?
	[ $code -eq $want ] || { echo "exit code $code, expected $want: profile $*"; cat "$tmp/err"; return 1; }
}

executed() {
	profile -i "$set/perf.data" --symfs "$symfs" --format=cstrace -o "$tmp/counts" || return 1
	python3 tests/interop/count-truth.py "$set" "$symfs" "$tmp/counts" >"$tmp/said" || { cat "$tmp/said"; return 1; }
	profile -i "$set/perf.data" --symfs "$symfs" --format=cstrace -j 3 -o "$tmp/threads" &&
		cmp "$tmp/counts" "$tmp/threads" && profile -i "$tmp/counts" --format=cstrace -o "$tmp/again" &&
		cmp "$tmp/counts" "$tmp/again"
}

# For each binary with a file: it is chosen by its build-id, or by its name.
formats_agree() {
	python3 -c 'import sys
sys.path.insert(0, "tests/cli")
import count_file
for kind, number in count_file.read(open(sys.argv[1], "rb").read())["binaries"]:
    print("build-id:" + number.hex() if kind == 0 else "")' "$tmp/counts" | grep . >"$tmp/binaries" || return 1
	while read -r name; do
		for format in $1; do
			profile -i "$set/perf.data" --symfs "$symfs" --format=$format --binary "$name" -o "$tmp/direct" || return 1
			profile -i "$tmp/counts" --symfs "$symfs" --format=$format --binary "$name" -o "$tmp/later" || return 1
			cmp "$tmp/direct" "$tmp/later" || { echo "$format of $name differs"; return 1; }
		done
	done <"$tmp/binaries"
}

for set in "$shared"/truth/${ONLY_SET:-[0-9]}*; do
	want=0
	case $set in */21-*) want=3 ;; esac
	: >"$tmp/said"
	check "$(basename "$set"): what was executed" executed
	sed 's/^/# /' "$tmp/said"
	check "$(basename "$set"): formats of the count file" formats_agree "autofdo llvm bolt"
done
finish
