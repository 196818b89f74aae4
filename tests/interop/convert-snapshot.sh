#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# convert-snapshot: perf.data to a snapshot of one process. Its elements are those of the perf.data, and the
# reference lister prints the same ranges, buffer by buffer, but for known defects of its version 1.3.3.
set -eu
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
[ -x "$shared/truth/compare" ] || { echo "no truth sets in $shared/truth"; exit 77; }
lister=$(command -v trc_pkt_lister || :)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0
symfs=$shared/truth/symfs

result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		shift 2
		[ $# -eq 0 ] || head -n 5 "$@"
		bad=1
	fi
}

# What ran, without remarks on the kind of instruction.
ranges() {
	grep -ao 'ID:[0-9a-f]*; OCSD_GEN_TRC_ELEM_INSTR_RANGE.*(ISA=[A-Z0-9]*) [EN]' || :
}

elements() {
	grep -ao 'ID:[0-9a-f]*; OCSD_GEN.*' | sed 's/init-decoder/reset-decoder/' || :
}

# Ranges of the lister's output differ here, and why.
defect() {
	case $1 in
	17-*) echo "1.3.3: speculative elements that were not seen are not counted" ;;
	18-*) echo "1.3.3: commits inside cycle counts" ;;
	19-*) echo "1.3.3: ranges of Q elements" ;;
	20-*) echo "1.3.3: no return stack pop before a Source Address" ;;
	22-*) echo "1.3.3: crashes at an exception with E1:E0 = 10" ;;
	24-*) echo "1.3.3: calls that are mispredicted" ;;
	esac
}

for data in "$shared"/truth/*/perf.data; do
	set=$(basename "$(dirname "$data")")
	rm -rf "$tmp/ss"
	rc=0
	"$tool" convert -i "$data" --symfs "$symfs" --to=snapshot -o "$tmp/ss" 2>"$tmp/err" || rc=$?
	case $set in
	11-* | 12-* | 13-*)
		[ $rc -eq 1 ] && grep -q 'processes were traced' "$tmp/err" && [ ! -e "$tmp/ss" ] && rc=0 || rc=1
		result $rc "$set: refused, several processes" "$tmp/err"
		continue ;;
	16-*)
		[ $rc -eq 1 ] && grep -q 'different code ran' "$tmp/err" && [ ! -e "$tmp/ss" ] && rc=0 || rc=1
		result $rc "$set: refused, code was mapped over other code" "$tmp/err"
		continue ;;
	esac
	result $rc "$set: converted" "$tmp/err"
	[ $rc -eq 0 ] || continue
	# minutes of work with 15 million lines
	case $set in 26-*) [ -n "${CSTRACE_NIGHTLY:-}" ] || continue ;; esac
	"$tool" dump -i "$data" --symfs "$symfs" --elements --format=opencsd 2>"$tmp/err" | elements >"$tmp/perf"
	"$tool" dump -s "$tmp/ss" --source all --elements --format=opencsd 2>"$tmp/err" | elements >"$tmp/snap"
	rc=0
	cmp -s "$tmp/perf" "$tmp/snap" && [ -s "$tmp/snap" ] || rc=1
	result $rc "$set: the same elements" "$tmp/err"
	[ -n "$lister" ] || continue
	ranges <"$tmp/snap" >"$tmp/want"
	: >"$tmp/got"
	for buf in $(sed -n 's/^name=//p' "$tmp/ss/trace.ini"); do
		(cd "$tmp/ss" && "$lister" -ss_dir . -src_name "$buf" -decode_only -logstdout 2>/dev/null || :) |
			ranges >>"$tmp/got"
	done
	rc=0
	cmp -s "$tmp/want" "$tmp/got" || rc=1
	why=$(defect "$set")
	if [ $rc -eq 1 ] && [ -n "$why" ]; then
		result 0 "$set: the reference lists other ranges: $why"
	else
		diff "$tmp/want" "$tmp/got" >"$tmp/diff" || :
		result $rc "$set: the reference lists the same ranges" "$tmp/diff"
	fi
done
echo "1..$n"
exit $bad
