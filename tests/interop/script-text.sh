#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# script-text: where perf decodes a set rightly, `script` prints the same bytes; and on what `inject` wrote,
# perf script prints what `script` prints for the trace.
set -eu
. "$(dirname "$0")/peer-perf.sh"
fields=pid,tid,cpu,ip,addr
n=0 bad=0

verdict() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		head -n 6 "$tmp/diff"
		echo "not ok $n $2"
		bad=1
	fi
}

echo 1..8
for set in 02 03 05 06; do
	data=$(echo "$shared/truth/$set-"*/perf.data)
	with_opt perf script -i "$data" --itrace=b -F $fields >"$tmp/theirs" 2>/dev/null
	"$tool" script -i "$data" --symfs "$symfs" --itrace=b -F $fields >"$tmp/ours" 2>/dev/null
	rc=0
	{ [ -s "$tmp/ours" ] && diff "$tmp/theirs" "$tmp/ours" >"$tmp/diff"; } || rc=1
	verdict $rc "same text as perf script on set $set"
done
fields=comm,pid,tid,cpu,ip,addr,sym,symoff,dso
for set in 07 10 16 21; do
	data=$(echo "$shared/truth/$set-"*/perf.data)
	inject -i "$data" --itrace=b -o "$tmp/injected"
	with_opt perf script -i "$tmp/injected" -F $fields >"$tmp/theirs" 2>/dev/null
	"$tool" script -i "$data" --symfs "$symfs" --itrace=b -F $fields >"$tmp/ours" 2>/dev/null || :
	rc=0
	{ [ -s "$tmp/ours" ] && diff "$tmp/theirs" "$tmp/ours" >"$tmp/diff"; } || rc=1
	verdict $rc "perf script on the injected set $set"
done
exit $bad
