#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# opencsd-headers: include/opencsd declares what OpenCSD 1.8.3 does. The independent word is what the headers of 1.3.3 declare
# (data/opencsd/layout-1.3.3.txt, made of Debian's libopencsd-dev), with the changes up to 1.8.3 and their reasons
# (layout-1.8.3.txt): each name, size, offset, bit, value and function is compared, and nothing is there that is not listed.
# In C and C++, with gcc and clang; each header alone. Programs that are built and linked with all of it: cli/opencsd-clients.
. tests/cli/tap.sh
layout="python3 tests/interop/opencsd_layout.py"
old=tests/data/opencsd/layout-1.3.3.txt
new=tests/data/opencsd/layout-1.8.3.txt
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }

# The tables are of a machine with 64 bits and the lower byte first.
echo 'int main(void) { short s = 1; return !(sizeof(void *) == 8 && *(char *)&s); }' >"$tmp/host.c"
${CC:-gcc} -o "$tmp/host" "$tmp/host.c"
"$tmp/host" || { echo "1..0 # SKIP the tables are of another machine"; exit 0; }

same() {
	$layout changed $old $new >"$tmp/want" && $layout print include >"$tmp/got" && diff "$tmp/want" "$tmp/got"
}
check "what include/opencsd declares is 1.3.3 with the changes up to 1.8.3" same
check "the program of assertions" sh -c "$layout asserts $old $new >'$tmp/asserts.c'"
alone() {
	for h in $(cd include && find opencsd -name '*.h'); do
		echo "#include <$h>" >"$tmp/alone.c"
		$1 -Wall -Wextra -Werror -Iinclude -fsyntax-only "$tmp/alone.c" || return 1
	done
}
for cc in "gcc -std=c99" "clang -std=c11" "g++ -x c++ -std=c++11" "clang++ -x c++ -std=c++17"; do
	command -v "${cc%% *}" >/dev/null || continue
	check "$cc: sizes, offsets, values, compiled" $cc -Wall -Werror -Wno-unused -Iinclude -o "$tmp/asserts" "$tmp/asserts.c"
	check "$cc: bits" "$tmp/asserts"
	check "$cc: each header alone" alone "$cc"
done
# What the comments of the headers say of 1.3.
says_1_3() {
	grep -hoE '\<[A-Za-z0-9_]+\>( = \w+)?,?[^/]*/\*.*1\.3: (0x[0-9A-Fa-f]+|[0-9]+)' include/opencsd/*.h | sed -E \
		's|^(\w+).*1\.3: (\w+)$|\1 \2|' >"$tmp/said"
	[ "$(wc -l <"$tmp/said")" -ge 4 ] || return 1
	while read -r name value; do
		grep -qx "value $name $((value))" $old || { echo "$name $value is not in $old"; return 1; }
	done <"$tmp/said"
}
check "values of 1.3 that the headers name" says_1_3
if [ "$(sed -n 's/^#define OCSD_VER_STRING "\([0-9.]*\)".*/\1/p' /usr/include/opencsd/ocsd_if_version.h 2>/dev/null)" = 1.3.3 ]; then
	from_peer() {
		$layout print /usr/include >"$tmp/peer" && grep -v '^#' $old | diff - "$tmp/peer"
	}
	check "the table of 1.3.3 is what the installed headers declare" from_peer
else
	echo "# no headers of 1.3.3 in /usr/include to compare the table with"
fi
# A wrong table is noticed.
finds_changes() {
	sed 's/^+ value OCSD_ERR_LAST 47$/+ value OCSD_ERR_LAST 48/' $new >"$tmp/wrong"
	$layout asserts $old "$tmp/wrong" >"$tmp/wrong.c" && ! ${CC:-gcc} -Iinclude -fsyntax-only "$tmp/wrong.c" 2>/dev/null &&
		sed '/tail_chain/d' $new >"$tmp/wrong" && ! $layout changed $old "$tmp/wrong" | cmp -s - "$tmp/got" &&
		sed 's/excep_M_tail_chain 69:0x10/excep_M_tail_chain 69:0x20/' $new >"$tmp/wrong" &&
		$layout asserts $old "$tmp/wrong" >"$tmp/wrong.c" && ${CC:-gcc} -w -Iinclude -o "$tmp/wrong" "$tmp/wrong.c" && ! "$tmp/wrong"
}
check "a value, a name and a bit that differ are found" finds_changes
index() {
	! ${CC:-gcc} -D"$1" -Iinclude -fsyntax-only "$tmp/asserts.c" 2>"$tmp/err" && grep -q "#error.*$1" "$tmp/err"
}
check "indexes of 64 bits are refused" index ENABLE_LARGE_TRACE_SOURCES
check "addresses of 32 bits are refused" index USE_32BIT_V_ADDR
finish
