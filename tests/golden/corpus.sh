#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# corpus.sh - listings of recorded snapshots against those of the reference decoder, record by record. Speaks
# TAP: a case per snapshot. What hardware and models wrote is also right by the letter: with --strict the same is
# decoded.
set -u

tool=${PERF_CSTRACE:-build/perf-cstrace}
corpus=${CSTRACE_SHARED:-../shared}/corpus
here=$(dirname "$0")
if [ ! -d "$corpus/golden-opencsd-1.8" ]; then
	echo "no recorded snapshots at $corpus (CSTRACE_SHARED)"
	exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

n=0
fail=0
for golden in "$corpus"/golden-opencsd-1.8/*.ppl.xz; do
	name=$(basename "$golden" .ppl.xz)
	snap=$corpus/snapshots/$name
	n=$((n + 1))
	code=0
	"$tool" dump -s "$snap" --format=opencsd -o "$tmp/ours" 2>"$tmp/err" || code=$?
	if [ "$code" != 0 ] && [ "$code" != 3 ]; then
		sed 's/^/# /' "$tmp/err"
		echo "not ok $n - $name: exit $code"
		fail=1
	elif "$here/compare-golden" --exceptions "$here/exceptions.txt" --name "$name" "$golden" "$tmp/ours" \
			>"$tmp/diff" 2>&1; then
		echo "ok $n - $name: $(tr '\n' ';' <"$tmp/diff")"
	else
		sed 's/^/# /' "$tmp/diff"
		echo "not ok $n - $name"
		fail=1
	fi
	# counts come source by source, unless there is a log: then in the order of the frames
	n=$((n + 1))
	"$tool" dump -s "$snap" --elements --format=none >"$tmp/by-id" 2>"$tmp/err"
	grep 'lost:' "$tmp/err" >>"$tmp/by-id"
	"$tool" dump -s "$snap" --elements --format=none --log=error >"$tmp/frames" 2>"$tmp/err"
	grep 'lost:' "$tmp/err" >>"$tmp/frames"
	if [ -s "$tmp/frames" ] && cmp "$tmp/by-id" "$tmp/frames" >"$tmp/diff" 2>&1; then
		echo "ok $n - $name, source by source"
	else
		diff "$tmp/by-id" "$tmp/frames" | sed 's/^/# /'
		echo "not ok $n - $name, source by source"
		fail=1
	fi
	# made by hand for tests, with discriminators that are reserved
	[ "${name#itm_only}" = "$name" ] || continue
	n=$((n + 1))
	"$tool" dump -s "$snap" --format=none >"$tmp/tolerant" 2>/dev/null
	"$tool" dump -s "$snap" --format=none --strict >"$tmp/strict" 2>/dev/null
	if cmp "$tmp/tolerant" "$tmp/strict" >"$tmp/diff" 2>&1; then
		echo "ok $n - $name, strict"
	else
		diff "$tmp/tolerant" "$tmp/strict" | sed 's/^/# /'
		echo "not ok $n - $name, strict"
		fail=1
	fi
done
echo "1..$n"
exit $fail
