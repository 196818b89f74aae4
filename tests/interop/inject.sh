#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# inject: on what `inject` makes of every truth set, the stock perf runs without a word of complaint and
# shows the executed branches.
#
# Not complaints about the file: on a host without an unwinder for Arm, perf says so for every file of Arm
# programs; and perf 6.1 dies when addr2line cannot read a mapped file that is not ELF, which it runs for
# --branch-history (sets 07, 16, 23; on perf inject's output as well). Of set 26 addr2line takes more than six minutes of processor time.
set -eu
. "$(dirname "$0")/peer-perf.sh"
n=0 bad=0

complain() {
	echo "# $name: $1"
	head -n 5 "$tmp/err" | sed 's/^/#   /'
	good=0
}

# quiet WORDS...: perf on the injected file
quiet() {
	rc=0
	with_opt perf "$@" -i "$tmp/injected" >"$tmp/out" 2>"$tmp/all" || rc=$?
	grep -v 'unwind: target platform' "$tmp/all" >"$tmp/err" || :
	[ $rc -eq 0 ] && [ ! -s "$tmp/err" ] || complain "perf $*: exit $rc"
}

sets=$(find "$shared/truth" -mindepth 2 -maxdepth 2 -name perf.data | sort)
[ -n "${CSTRACE_NIGHTLY:-}" ] || sets=$(echo "$sets" | grep -v /26-)
echo "1..$(echo "$sets" | wc -l)"
for data in $sets; do
	name=$(basename "$(dirname "$data")")
	n=$((n + 1)) good=1
	inject -i "$data" --itrace=b -o "$tmp/injected" || good=0
	quiet report --stdio
	quiet script -F pid,tid,cpu,ip,addr
	"$shared/truth/compare" "$(dirname "$data")" <"$tmp/out" >"$tmp/err" 2>&1 || complain "branches differ"
	inject -i "$data" --itrace=i500il -o "$tmp/injected" || good=0
	quiet report --stdio
	quiet report --stdio --no-branch-stack
	quiet script -F +brstack
	grep -q '/P/-/-/[0-9]*/COND' "$tmp/out" || complain "no branch stack in perf script"
	quiet annotate --stdio
	case $name in
	07-* | 16-* | 23-* | 26-*) ;;
	*) quiet report --stdio --branch-history ;;
	esac
	if [ $good -eq 1 ]; then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		bad=1
	fi
done
exit $bad
