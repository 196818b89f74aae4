#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# database: in the databases of the truth sets calls, instructions and times are those of the timeline's JSON and of profile
# --format=callgrind, and perf's viewer builds its call graph and call tree of them. Nightly: all sets.
set -eu
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
symfs=$shared/truth/symfs
viewer=/usr/lib/perf-core/scripts/python/exported-sql-viewer.py
[ -d "$symfs" ] || { echo "no truth sets in $shared/truth"; exit 77; }
"$tool" --version | grep -q '^sqlite: on' || { echo "made without sqlite"; exit 77; }
. tests/cli/tap.sh

# Exit code 3 is that of losses.
write() {
	code=0
	"$tool" "$@" -i "$data" --symfs "$symfs" 2>"$tmp/err" || code=$?
	[ $code -eq 0 ] || [ $code -eq 3 ]
}
database() {
	python3 tests/cli/database.py "$@"
}

# Where calls are left out, those of a function are fewer, and the rest is the same.
same() {
	write profile --format=callgrind -o "$tmp/callgrind" && write timeline -o "$tmp/json" &&
		write timeline --format=sqlite -o "$tmp/db" || return 1
	sums=
	! grep -q 'left out' "$tmp/err" || sums=--sums
	database calls "$tmp/db" "$tmp/json" && database callgrind "$tmp/db" "$tmp/callgrind" $sums || return 1
	# the viewer asks for each call by itself: not for a million
	[ -z "$sums" ] && [ "$(wc -c <"$tmp/db")" -lt 50000000 ] || return 0
	database queries "$tmp/db" && { [ ! -e $viewer ] || database viewer "$tmp/db" $viewer; }
}

sets="04 08 10 21 23"
[ -z "${CSTRACE_NIGHTLY:-}" ] || sets=$(find "$shared/truth" -maxdepth 1 -name '[0-9]*' | sed 's,.*/,,; s,-.*,,' | sort)
for set in $sets; do
	data=$(echo "$shared/truth/$set-"*/perf.data)
	check "$(basename "$(dirname "$data")")" same
done
finish
