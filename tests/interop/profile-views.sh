#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# profile-views: the sums of callgrind, folded and top are the instructions that were decoded, of every truth set, and
# callgrind_annotate reads the first one without a warning; a program with DWARF has its lines.
set -eu
build=${BUILD:-build}
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-$build/perf-cstrace}
symfs=$shared/truth/symfs
[ -d "$symfs" ] || { echo "no truth sets in $shared/truth"; exit 77; }
. tests/cli/tap.sh

# profile FORMAT RECORDING: losses are no failure
profile() {
	"$tool" profile -i "$2" --symfs "$symfs" --format="$1" -o "$tmp/$1" 2>"$tmp/err" || [ $? -eq 3 ] || { cat "$tmp/err"; return 1; }
}

# Cost lines that do not follow a line calls=.
callgrind_sum() {
	awk '/^totals/ { exit } /^calls=/ { getline; next } /^0x/ { n += $3 } END { print n + 0 }' "$tmp/callgrind"
}

same_sums() {
	want=$(sed -n 's/.* bytes, \([0-9,]*\) instructions,.*/\1/p' "$tmp/err" | tr -d ,)
	cg=$(callgrind_sum) total=$(sed -n 's/^totals: //p' "$tmp/callgrind")
	folded=$(awk '{ n += $NF } END { print n + 0 }' "$tmp/folded")
	top=$(awk '!/^#/ { n += $2 } END { print n + 0 }' "$tmp/top")
	echo "instructions $want, callgrind $cg, its totals $total, folded $folded, top $top"
	[ "$want" = "$cg" ] && [ "$want" = "$total" ] && [ "$want" = "$folded" ] && [ "$want" = "$top" ]
}

sums() {
	for format in callgrind folded top; do
		profile $format "$1" || return 1
	done
	same_sums
}

# Each line: functions, a space, a number (flamegraph.pl: /^(.*)\s+?(\d+(?:\.\d*)?)$/).
folded_grammar() {
	profile folded "$1" && ! grep -vE '^[^;]+(;[^;]+)* [0-9]+$' "$tmp/folded"
}

annotate() {
	profile callgrind "$1" && callgrind_annotate "$tmp/callgrind" >"$tmp/annotated" 2>"$tmp/warnings" || return 1
	cat "$tmp/warnings"
	[ ! -s "$tmp/warnings" ] || return 1
	total=$(sed -n 's/^totals: //p' "$tmp/callgrind")
	[ "$(sed -n 's/ *(100.0%)  PROGRAM TOTALS//p' "$tmp/annotated" | tr -d ,)" = "$total" ]
}

has_lines() {
	grep ' ./progs/sort.c:quick ' "$tmp/annotated" && grep ' ./progs/sort.c:cmp ' "$tmp/annotated"
}

# the programs of 05, 06 and 24 have T32 instructions, which counts of a recording do not mark yet
for data in "$shared"/truth/[0-9]*/perf.data; do
	set=$(basename "$(dirname "$data")")
	case $set in
	05-* | 06-* | 24-*) ;;
	*) check "sums of $set" sums "$data" ;;
	esac
done
check "folded: grammar" folded_grammar "$shared"/truth/12-*/perf.data
if command -v callgrind_annotate >/dev/null; then
	check "callgrind_annotate" annotate "$shared"/truth/01-*/perf.data
	check "callgrind_annotate: source files of functions" has_lines
else
	ok "callgrind_annotate # SKIP package valgrind is not installed"
fi
finish
