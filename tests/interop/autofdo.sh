#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# autofdo: create_llvm_prof makes of `profile` text what it makes of the executed flow, and of injected
# samples (in tiles, so that each branch is there once) the same functions in the same order.
#
# A tile knows each branch, but not the range before its first one, so totals differ by a few per cent, while
# entry counts are the same. Sizes of T32 instructions are not in the truth, so ranges of A32 and T32
# programs are those of `profile`, whose branches profile.sh compares with the truth.
set -eu
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
symfs=$shared/truth/symfs
[ -d "$symfs" ] || { echo "no truth sets in $shared/truth"; exit 77; }
command -v create_llvm_prof >/dev/null || { echo "no create_llvm_prof"; exit 77; }
. tests/cli/tap.sh

# convert BINARY PROFILE PROFILER OUT
convert() {
	create_llvm_prof --binary="$1" --profile="$2" --profiler="$3" --out="$4" --format=text >"$tmp/log" 2>&1 ||
		{ sed 's/^/# /' "$tmp/log"; return 1; }
	[ -s "$4" ] || { echo "# $4 is empty"; return 1; }
}

# Functions with their entry counts, the hottest first: name:total:entries
top() {
	grep -aE '^[A-Za-z_][^ ]*:[0-9]+:[0-9]+$' "$1" | head -n 5
}

# 0.19 prints the names of inlined functions from memory that it has freed: leave those lines out.
clean() {
	LC_ALL=C grep -aE '^[A-Za-z_][A-Za-z0-9_.]*:[0-9]+:[0-9]+$|^ +[0-9.]+: [0-9]+( [A-Za-z0-9_.:]+)*$' "$1" |
		LC_ALL=C sort
}

while read -r set binary; do
	data=$(echo "$shared/truth/$set-"*/perf.data)
	program=$symfs/opt/truth/$binary
	"$tool" profile -i "$data" --symfs "$symfs" --address=vaddr -o "$tmp/profile.txt" 2>/dev/null
	"$tool" inject -i "$data" --symfs "$symfs" --itrace=il64 --tiles -o "$tmp/injected" 2>/dev/null
	case $binary in
	*.a64) python3 tests/interop/truth-profile.py "$(dirname "$data")" "$program" >"$tmp/truth.txt" ;;
	*) grep -v '^//' "$tmp/profile.txt" >"$tmp/truth.txt" ;;
	esac
	convert "$program" "$tmp/truth.txt" text "$tmp/want"
	rc=0
	convert "$program" "$tmp/profile.txt" text "$tmp/got" || rc=1
	clean "$tmp/want" >"$tmp/a"
	clean "$tmp/got" >"$tmp/b"
	[ "$(wc -l <"$tmp/a")" -gt 30 ] && diff "$tmp/a" "$tmp/b" || rc=1
	verdict $rc "$binary: from profile text, $(top "$tmp/got" | head -n 1)"
	rc=0
	convert "$program" "$tmp/injected" perf "$tmp/got" || rc=1
	python3 - "$tmp/want" "$tmp/got" <<'EOF' || rc=1
import re, sys

def functions(path):
    return [(m[1], int(m[2]), int(m[3])) for m in
            re.finditer(r"^([A-Za-z_]\S*?):(\d+):(\d+)$", open(path, errors="replace").read(), re.M)]

want, got = functions(sys.argv[1]), functions(sys.argv[2])
found = {name: (total, entries) for name, total, entries in got}
bad = not want
# Order among functions that are clearly apart, and counts of the large ones.
large = [f for f in want if f[1] * 50 > want[0][1]]
order = [name for name, _, _ in got]
for i, (name, total, entries) in enumerate(large):
    if name not in found:
        print("#", name, "is missing")
        bad = True
        continue
    t, e = found[name]
    if abs(e - entries) > max(2, entries // 50) or not total * 0.85 < t < total * 1.2:
        print("#", name, "executed", total, entries, "profile", t, e)
        bad = True
    for other, other_total, _ in large[i + 1:]:
        if other_total * 1.2 < total and other in found and order.index(other) < order.index(name):
            print("#", other, "stands before", name)
            bad = True
sys.exit(bad)
EOF
	verdict $rc "$binary: from injected samples, $(top "$tmp/got" | head -n 1)"
done <<EOF
01 sort.a64
02 interp.a64
05 sort.a32
06 hash.t32
EOF
finish
