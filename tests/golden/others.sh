#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# others.sh - recorded snapshots against witnesses other than the reference decoder: the model's own log of
# what it executed, and reports by DS-5. Speaks TAP.
set -u

tool=${PERF_CSTRACE:-build/perf-cstrace}
snapshots=${CSTRACE_SHARED:-../shared}/corpus/snapshots
here=$(dirname "$0")
if [ ! -d "$snapshots" ]; then
	echo "no recorded snapshots at $snapshots (CSTRACE_SHARED)"
	exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
failed=0

witness() { # NAME COMPARE FILE DUMP-OPTIONS...
	name=$1
	compare=$2
	file=$3
	shift 3
	n=$((n + 1))
	"$tool" dump "$@" --elements --format=json -o "$tmp/ours" 2>"$tmp/err"
	if "$here/$compare" "$file" "$tmp/ours" >"$tmp/say" 2>&1; then
		echo "ok $n - $name: $(cat "$tmp/say")"
	else
		sed 's/^/# /' "$tmp/err" "$tmp/say"
		echo "not ok $n - $name"
		failed=1
	fi
}

for log in "$snapshots"/*/test_TARMAC; do
	[ -f "$log" ] || continue
	snap=$(dirname "$log")
	witness "$(basename "$snap") and the model's log" compare-tarmac "$log" -s "$snap"
done
for report in "$snapshots"/*/ds-5-dumps/*_0x*.txt "$snapshots"/*/ds5-dumps/*_0x*.txt; do
	[ -f "$report" ] || continue
	snap=$(dirname "$(dirname "$report")")
	id=$(basename "$report" | sed 's/.*_\(0x[0-9a-fA-F]*\)[_.].*/\1/')
	witness "$(basename "$snap") $id and DS-5" compare-ds5 "$report" -s "$snap" --id "$id"
done
echo "1..$n"
exit $failed
