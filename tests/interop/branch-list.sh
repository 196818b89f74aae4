#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# branch-list: recording -> branch lists -> AutoFDO is recording -> AutoFDO, but for what lists cannot say, and by the numbers
# that are said; another reader, which walks the code as simpleperf does, gets the same of the lists.
set -eu
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
[ -d "$shared/truth" ] || { echo "no truth sets in $shared/truth"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 bad=0 root=$shared/truth/symfs

# Runs the tool; its losses (exit code 3), as of overflows, are those of the recording.
run() {
	rc=0
	"$tool" "$@" 2>"$tmp/err" || rc=$?
	[ $rc -eq 0 ] || [ $rc -eq 3 ] || { cat "$tmp/err"; return 1; }
}

# Each binary of the lists by itself, so that the numbers are its own.
compared() {
	run profile -i "$1" --symfs "$root" --format=branch-list -o "$tmp/all" || return 1
	python3 - "$tmp/all" >"$tmp/paths" <<-'END' || return 1
	import sys
	sys.path.insert(0, "tests/interop")
	import branch_lists
	for path in sorted({b[0] for b in branch_lists.read(open(sys.argv[1], "rb").read())}):
	    print(path)
	END
	[ -s "$tmp/paths" ] || { echo "no binary"; return 1; }
	while read -r path; do
		run profile -i "$1" --symfs "$root" --binary "$path" --format=branch-list -o "$tmp/list" || return 1
		cp "$tmp/err" "$tmp/messages"
		run profile -i "$1" --symfs "$root" --binary "$path" --format=autofdo --address=vaddr -o "$tmp/recorded" || return 1
		run profile -i "$tmp/list" --symfs "$root" --format=autofdo --address=vaddr -o "$tmp/listed" || return 1
		[ $rc -eq 0 ] || { cat "$tmp/err"; return 1; }
		program=$root$path
		case $1 in */0[56]-* | */24-*) program= ;; esac
		python3 tests/interop/branch_lists.py same "$tmp/recorded" "$tmp/listed" "$tmp/messages" $program || return 1
		run profile -i "$tmp/all" --symfs "$root" --binary "$path" --format=autofdo --address=vaddr -o "$tmp/again" || return 1
		cmp "$tmp/listed" "$tmp/again" || return 1
		[ -z "$program" ] || python3 tests/interop/branch_lists.py walk "$tmp/list" "$path" "$program" "$tmp/listed" || return 1
		case $1 in */0[123]-* | */25-*) of_packets "$1" || return 1 ;; esac
	done <"$tmp/paths"
}

# Lists as simpleperf makes them of packets, of a static program, whose trace unit has a return stack.
of_packets() {
	run dump -i "$1" --packets --format=opencsd >"$tmp/packets" || return 1
	python3 tests/interop/branch_lists.py capture "$tmp/packets" "$path" "$tmp/list" || return 1
	run profile -i "$tmp/list" --symfs "$root" --format=autofdo --address=vaddr -o "$tmp/listed" || return 1
	python3 tests/interop/branch_lists.py behind "$tmp/list" "$tmp/listed" "$tmp/recorded" "$tmp/err"
}

for data in "$shared"/truth/*/perf.data; do
	set=$(basename "$(dirname "$data")")
	case $set in
	15-*) continue ;; # no thread is known
	26-*) [ -n "${CSTRACE_NIGHTLY:-}" ] || continue ;;
	esac
	n=$((n + 1))
	if compared "$data" >"$tmp/said" 2>&1; then
		echo "ok $n $set: $(head -n 1 "$tmp/said")"
	else
		sed 's/^/# /' "$tmp/said"
		echo "not ok $n $set"
		bad=1
	fi
done
echo "1..$n"
exit $bad
