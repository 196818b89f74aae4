#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# profile-views: the sums of callgrind, folded and top are the instructions that were decoded, of every truth set, and
# callgrind_annotate, flamegraph.pl and go tool pprof read them; a program with DWARF has its lines.
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

# The names and the sum, as flamegraph.pl reads them: its picture begins with "all (N samples, 100%)".
flamegraph() {
	profile folded "$1" && perl "$flamegraph" "$tmp/folded" >"$tmp/folded.svg" 2>"$tmp/warnings" || return 1
	cat "$tmp/warnings"
	[ ! -s "$tmp/warnings" ] || return 1
	want=$(sed -n 's/.* bytes, \([0-9,]*\) instructions,.*/\1/p' "$tmp/err")
	grep "<title>all ($want samples, 100%)" "$tmp/folded.svg" && grep "<title>$2 (" "$tmp/folded.svg"
}

annotate() {
	profile callgrind "$1" && callgrind_annotate "$tmp/callgrind" >"$tmp/annotated" 2>"$tmp/warnings" || return 1
	cat "$tmp/warnings"
	[ ! -s "$tmp/warnings" ] || return 1
	total=$(sed -n 's/^totals: //p' "$tmp/callgrind")
	[ "$(sed -n 's/ *(100.0%)  PROGRAM TOTALS//p' "$tmp/annotated" | tr -d ,)" = "$total" ]
}

# The sum, and the instructions of each function as folded has them; without calls as top has them.
pprof() {
	profile pprof "$1" && profile top "$1" && profile folded "$1" || return 1
	HOME=$tmp PPROF_TMPDIR=$tmp go tool pprof -top -nodefraction=0 -nodecount=1000000 "$tmp/pprof" >"$tmp/pprof.top" || return 1
	head -n 7 "$tmp/pprof.top"
	want=$(sed -n 's/.* bytes, \([0-9,]*\) instructions,.*/\1/p' "$tmp/err" | tr -d ,)
	grep "^Showing nodes accounting for $want, 100% of $want total" "$tmp/pprof.top" || return 1
	if grep -q '^\[no stack\] '"$want" "$tmp/folded"; then
		awk '!/^#/ { n[$4] += $2 } END { for (f in n) if (n[f]) print f, n[f] }' "$tmp/top" | sort >"$tmp/a"
	else
		sed 's/^.*;//' "$tmp/folded" | awk '{ n[$1] += $2 } END { for (f in n) print f, n[f] }' | sort >"$tmp/a"
	fi
	awk 'past && $1 { n[$6] += $1 } END { for (f in n) print f, n[f] } $1 == "flat" { past = 1 }' "$tmp/pprof.top" | sort >"$tmp/b"
	diff "$tmp/a" "$tmp/b"
}

# protoc unpacks the message by its text.
propeller() {
	profile propeller "$1" && profile bolt "$1" || return 1
	protoc --proto_path=tests/interop --decode=propeller.BranchFrequenciesProto propeller.proto <"$tmp/propeller" >"$tmp/decoded" || return 1
	tr -d '\n' <"$tmp/decoded" | sed 's/}/}\n/g' | sed -n 's/taken_counts { *source: \([0-9]*\) *dest: \([0-9]*\) *count: \([0-9]*\).*/\1 \2 \3/p' |
		while read -r from to n; do printf 'B %x %x %d 0\n' "$from" "$to" "$n"; done | sort >"$tmp/a"
	grep '^B [1-9a-f]' "$tmp/bolt" | grep -v ' 0 [0-9]* 0$' | sort >"$tmp/b"
	[ -s "$tmp/a" ] && wc -l "$tmp/a" && comm -13 "$tmp/a" "$tmp/b" >"$tmp/missing" && cat "$tmp/missing" && [ ! -s "$tmp/missing" ]
}

has_lines() {
	grep ' ./progs/sort.c:quick ' "$tmp/annotated" && grep ' ./progs/sort.c:cmp ' "$tmp/annotated"
}

for data in "$shared"/truth/[0-9]*/perf.data; do
	check "sums of $(basename "$(dirname "$data")")" sums "$data"
done
check "folded: grammar" folded_grammar "$shared"/truth/12-*/perf.data
flamegraph=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
if [ -e $flamegraph ]; then
	check "flamegraph.pl" flamegraph "$shared"/truth/01-*/perf.data quick
else
	ok "flamegraph.pl # SKIP package libdevel-nytprof-perl is not installed"
fi
if command -v callgrind_annotate >/dev/null; then
	check "callgrind_annotate" annotate "$shared"/truth/01-*/perf.data
	check "callgrind_annotate: source files of functions" has_lines
else
	ok "callgrind_annotate # SKIP package valgrind is not installed"
fi
if command -v go >/dev/null; then
	check "go tool pprof: totals and functions" pprof "$shared"/truth/01-*/perf.data
	check "go tool pprof: several binaries" pprof "$shared"/truth/12-*/perf.data
else
	ok "go tool pprof # SKIP package golang-go is not installed"
fi
if command -v protoc >/dev/null; then
	check "propeller: the branches of bolt" propeller "$shared"/truth/01-*/perf.data
fi
finish
