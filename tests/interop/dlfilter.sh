#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dlfilter: what a file carries of a branch's flags. perf keeps sample flags while it decodes trace, and reads none from a file; the
# type in a branch stack of the branch itself (inject --itrace=bl) is all that its filters, scripts and databases get.
set -eu
. tests/interop/peer-perf.sh
. tests/cli/tap.sh
[ -e /usr/include/perf/perf_dlfilter.h ] || { echo "no header perf_dlfilter.h"; exit 77; }
${CC:-cc} -std=gnu11 -shared -fPIC -o "$tmp/filter.so" tests/interop/dlfilter.c

# The branches that `script` lists with these flags, and the types that the filter found in the file (PERF_BR_x).
agree() {
	"$tool" script -i "$1" --symfs "$symfs" --itrace=b -F flags,ip,addr 2>/dev/null >"$tmp/listed"
	inject -i "$1" --itrace=bl -o "$tmp/injected" &&
		with_opt perf script -i "$tmp/injected" -F ip --dlfilter "$tmp/filter.so" >"$tmp/out" 2>"$tmp/err" || return 1
	grep -E '^(type|with)' "$tmp/out"
	while read -r name flags types; do
		want=$(grep -cE "^ +(tr end +)?$flags " "$tmp/listed") || :
		got=$(sed -nE "s/^type ($types): //p" "$tmp/out" | paste -sd+ | sed 's/^$/0/')
		echo "$name: $want, in the file $got"
		[ "$want" -eq $(($got)) ] || return 1
	done <<-END
		conditional jcc 1
		call call 4|5|9
		return return 6|10
		syscall syscall 7
		sysret sysret 8
		interrupt hw.int 12
		eret iret 11
	END
	grep -qx 'with flags: 0' "$tmp/out" && grep -qx 'without a stack of their own: 0' "$tmp/out"
}

# The views of perf need flags: they name nothing in a file, ours do.
views() {
	inject -i "$1" --itrace=bl -o "$tmp/injected" && with_opt perf script -i "$tmp/injected" --call-trace >"$tmp/out" 2>/dev/null &&
		"$tool" script -i "$1" --symfs "$symfs" --call-trace >"$tmp/listed" 2>/dev/null || return 1
	[ -s "$tmp/out" ] && ! grep -q __libc_start_main "$tmp/out" && grep -q __libc_start_main "$tmp/listed"
}

for set in 01 07 23; do
	data=$(echo "$shared/truth/$set-"*/perf.data)
	check "set $set: a filter of perf gets the types of branches" agree "$data"
done
check "call-trace needs the trace" views "$(echo "$shared/truth/01-"*/perf.data)"
finish
