#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# v7-perf: perf.data with ETMv3 and PTM trace, made from a recorded snapshot. Its elements are the snapshot's, and
# perf, with libopencsd, lists the same ETMv3 packets. (Of PTM, 1.3.3 takes some A-syncs for damaged: Program Flow
# Trace architecture, "A-sync", allows more zeros than five. The listings of 1.8 agree with ours.)
set -eu
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
snap=$shared/corpus/snapshots/TC2
[ -d "$snap" ] || { echo "no recorded snapshot at $snap (CSTRACE_SHARED)"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0

result() { # CODE NAME [FILE]
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
		return
	fi
	echo "not ok $n $2"
	[ $# -lt 3 ] || head -n 5 "$3" | sed 's/^/# /'
	bad=1
}

# The ITM, ID 20, has no place in perf.data; of ID 14 there is no data, so no stream that ends.
elements() {
	grep -a '^Idx:' | grep -av 'ID:20;\|ID:14;' | sed 's/init-decoder/reset-decoder/'
}

packets() {
	grep -a 'Idx:.*ID:1[012];' | sed 's/^[[:space:]]*//; s/\[\(0x.. \)*\];//; s/[[:space:]][[:space:]]*/ /g; s/ *$//'
}

rc=0
"$tool" convert -i "$snap" --to=perf -o "$tmp/perf.data" 2>"$tmp/err" || rc=$?
# the ITM is told to be left out
[ $rc -eq 3 ] && grep -q 'ITM_0: perf.data has no place' "$tmp/err" && rc=0 || rc=1
result $rc "converted" "$tmp/err"

"$tool" dump -i "$tmp/perf.data" --elements --format=opencsd 2>"$tmp/err" | elements >"$tmp/perf" || :
"$tool" dump -s "$snap" --elements --format=opencsd 2>"$tmp/err" | elements >"$tmp/snap" || :
rc=0
diff "$tmp/snap" "$tmp/perf" >"$tmp/diff" && [ "$(wc -l <"$tmp/perf")" -gt 28000 ] || rc=1
result $rc "the same elements" "$tmp/diff"

"$tool" info -i "$tmp/perf.data" >"$tmp/info" 2>/dev/null || :
rc=0
grep -q 'CPU 0,1,2: ETMv3.5, ETMCR 0x10001860' "$tmp/info" &&
	grep -q 'CPU 3,4: PFT 1.1, ETMCR 0x10001000' "$tmp/info" || rc=1
result $rc "info names the trace units" "$tmp/info"

if command -v perf >/dev/null; then
	"$tool" dump -i "$tmp/perf.data" --packets --format=opencsd 2>/dev/null | packets >"$tmp/ours" || :
	perf report -D -i "$tmp/perf.data" 2>/dev/null | packets >"$tmp/theirs" || :
	rc=0
	diff "$tmp/ours" "$tmp/theirs" >"$tmp/diff" && [ "$(wc -l <"$tmp/ours")" -gt 15000 ] || rc=1
	result $rc "perf lists the same ETMv3 packets" "$tmp/diff"
fi
echo "1..$n"
exit $bad
