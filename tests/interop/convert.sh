#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# convert: perf.data to a trace package and back keeps every record and every branch of every truth set, in
# order of time; the package itself decodes the same, with the programs it holds. Their snapshots do, too. Set 26: in make nightly.
set -eu
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
[ -x "$shared/truth/compare" ] || { echo "no truth sets in $shared/truth"; exit 77; }
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
		tail -n 5 "$tmp/err" "$tmp/cmp" 2>/dev/null || :
		bad=1
	fi
}

records() {
	python3 "$(dirname "$0")/records.py" "$1"
}

# decodes INPUT SET CODE OPTIONS...: every executed branch and no other.
decodes() {
	input=$1 of=$2 want=$3 got=0
	shift 3
	"$tool" script -i "$input" "$@" --itrace=b -F pid,tid,cpu,ip,addr >"$tmp/out" 2>"$tmp/err" || got=$?
	[ $got -eq "$want" ] && "$shared/truth/compare" "$of" <"$tmp/out" >"$tmp/cmp" 2>&1
}

for data in "$shared"/truth/*/perf.data; do
	dir=$(dirname "$data")
	set=$(basename "$dir")
	# large: two thirds of the time
	case $set in 26-*) [ -n "${CSTRACE_NIGHTLY:-}" ] || continue ;; esac
	# overflows and discards are losses
	code=0
	case $set in 21-*) code=3 ;; esac
	rm -rf "$tmp/pkg"
	rc=0
	"$tool" convert -i "$data" --symfs "$symfs" --images --to=package -o "$tmp/pkg" 2>"$tmp/err" || rc=$?
	result $rc "$set: perf.data to package"
	rc=0
	records "$data" >"$tmp/records"
	"$tool" convert -i "$tmp/pkg" --to=perf -o "$tmp/back" 2>"$tmp/err" && records "$tmp/back" >"$tmp/records2" &&
		cmp "$tmp/records" "$tmp/records2" >"$tmp/cmp" 2>&1 || rc=$?
	result $rc "$set: and back, with every event, feature and record"
	rc=0
	decodes "$tmp/back" "$dir" $code --symfs "$symfs" || rc=1
	result $rc "$set: which decodes the same"
	# each record has an event of its own; nothing had to be kept as bytes but what no event tells of
	rc=0
	! grep -q 'perf=<' "$tmp/pkg/system-event-log" || rc=1
	result $rc "$set: events tell everything"
	rc=0
	decodes "$tmp/pkg" "$dir" $code || rc=1
	result $rc "$set: the package decodes the same, with its own images"
	[ -d "$dir/snapshot" ] || continue
	# a snapshot does not know which process a thread belongs to
	case $set in 08-* | 09-* | 10-* | 14-*) continue ;; esac
	rc=0
	decodes "$dir/snapshot" "$dir" $code || rc=1
	result $rc "$set: its snapshot decodes the same"
	rc=0
	rm -rf "$tmp/back"
	"$tool" convert -i "$dir/snapshot" --to=perf -o "$tmp/back" 2>"$tmp/err" && decodes "$tmp/back" "$dir" $code || rc=1
	result $rc "$set: and as perf.data"
	command -v perf >/dev/null || continue
	# one with a kernel: perf reads it to the end, and loses what it loses of the recording; so it reads one whose
	# kernel stands where programs are
	case $set in 23-*)
		rc=0
		perf script -i "$tmp/back" --itrace=b -F pid,tid,cpu,ip,addr >"$tmp/out" 2>"$tmp/err" &&
			tests/interop/opencsd-truth.py "$dir" <"$tmp/out" >"$tmp/cmp" 2>&1 || rc=1
		result $rc "$set: and perf decodes that but for its losses"
		cp -r "$dir/snapshot" "$tmp/low"
		sed -i 's/0xffff80001008/0x660000/' "$tmp/low/cpu_0.ini"
		rc=0
		"$tool" convert -i "$tmp/low" --to=perf -o "$tmp/back" 2>"$tmp/err" &&
			perf script -i "$tmp/back" --itrace=b -F ip,addr >"$tmp/out" 2>"$tmp/err" &&
			[ "$(wc -l <"$tmp/out")" -gt 10000 ] || rc=1
		result $rc "$set: and perf reads it with a kernel at low addresses"
		;;
	esac
	# one that perf decodes without losses
	case $set in 02-*) ;; *) continue ;; esac
	rc=0
	perf script -i "$tmp/back" --itrace=b -F pid,tid,cpu,ip,addr >"$tmp/out" 2>"$tmp/err" &&
		"$shared/truth/compare" "$dir" <"$tmp/out" >"$tmp/cmp" 2>&1 || rc=1
	result $rc "$set: and perf decodes that"
done
echo "1..$n"
exit $bad
