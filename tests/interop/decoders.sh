#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cst_decode and ocsd_decode, which the bench compares for speed, decode the same; and the edges that the library counts
# are those between its elements.
. tests/cli/tap.sh
shared=${CSTRACE_SHARED:-../shared}
[ -d "$shared/truth" ] || { echo "no $shared/truth"; exit 77; }
ours=$BUILD/tests/interop/cst_decode peer=$BUILD/tests/interop/ocsd_decode
[ -x "$peer" ] || { echo "no $peer: libopencsd is missing"; exit 77; }

# The counts of both, by name; the peer names kinds of elements.
counts() {
	xargs "$@" <"$tmp/args" | awk '
		/^INSTR_RANGE / { print "ranges", $2 }
		/^[A-Z_]+ / { n += $2 }
		/^(elements|ranges|instructions) / { print }
		END { if (n) print "elements", n }' | sort
}

same() {
	counts "$ours" elements >"$tmp/ours" && counts "$peer" >"$tmp/peer" && [ "$(wc -l <"$tmp/ours")" = 3 ] &&
		diff "$tmp/ours" "$tmp/peer" >"$tmp/diff"
}

both() {
	if same; then ok "$1: elements, ranges, instructions"; else not_ok "$1: elements, ranges, instructions" "$(cat "$tmp/diff")"; fi
	check "$1: edges" xargs -a "$tmp/args" "$ours" check
}

for set in 02 03 25; do
	check "set $set" tests/interop/extract-aux.py "$shared"/truth/$set-*/perf.data "$shared/truth/symfs" "$tmp"
	both "set $set"
done
snapshot=$shared/corpus/snapshots/bugfix-exact-match
if [ -d "$snapshot" ]; then
	check "snapshot" tests/interop/extract-snapshot.py "$snapshot" "$tmp"
	both "snapshot"
fi
finish
