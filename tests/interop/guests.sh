#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# guests: of a recording with two virtual machines, perf script prints what `script` prints for the trace: processes that run
# the guests, names and numbers of the guests' threads, times and addresses, and the guests' kernels and programs by name.
set -eu
n=0 bad=0
fields=machine_pid,comm,pid,tid,cpu,time,ip,dso,addr

# Columns have other widths in later versions. perf looks for the target of a branch from a guest to its host, or into a guest,
# among the files of the source, so that the target's file is left out.
narrow() {
	sed -E 's/ +/ /g; s/^ //; s/ \([^ ]*\) ?$//'
}

check() {
	n=$((n + 1))
	if cmp -s "$work/want" "$work/got" && [ "$(grep -c VM: "$work/want")" -gt 500 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		diff "$work/want" "$work/got" | head -n 10 | sed 's/^/# /'
		bad=1
	fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gen=${CST_GEN:-${BUILD:-build}/tests/gen/cst-gen} tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
perf --version >/dev/null 2>&1 || { echo "no perf"; exit 77; }
# since 6.0
! perf script -F machine_pid -i /dev/null 2>&1 | grep -qi 'invalid field' || { echo "this perf has no guests in a trace"; exit 77; }
for name in guests guests-vmid; do
	for seed in 0 1 2; do
		dir=$work/$name.$seed
		"$gen" scenario "$name" --case "$seed" --perf "$work/$name.$seed.data" --truth "$dir.truth" --symfs "$dir"
		set -- -i "$dir.data" --symfs "$dir"
		while read -r word rest; do
			[ "$word" != option ] || set -- "$@" "$(echo "$rest" | sed "s|@|$dir|g")"
		done <"$dir.truth/expect"
		"$tool" script --itrace=b -F "$fields" "$@" 2>/dev/null | narrow >"$work/want"
		"$tool" inject --itrace=b "$@" -o "$work/out" 2>/dev/null
		perf script -i "$work/out" -F "$fields" 2>/dev/null | narrow >"$work/got"
		check "$name $seed"
	done
done
echo "1..$n"
exit $bad
