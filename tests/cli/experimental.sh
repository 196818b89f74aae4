#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# experimental.sh - CST_EXPERIMENTAL marks exactly the functions that neither perf-plugin nor the programs of
# tests/examples/ use; a program that asks for it is warned of them.
. tests/cli/tap.sh
cc=${CC:-gcc}

# What the objects of today's sources need of the library; cst_version() is for programs that are linked with another one.
mkdir "$tmp/objects"
printf '%s\n' 'static const uint8_t code[1];' 'static const struct cst_etmv4_regs regs;' '#define CODE_AT 0u' '#define FRAGMENTS 1' \
	'static const struct { const uint8_t *bytes; size_t size; } fragment[1];' >"$tmp/recording.h"
for f in tests/examples/*.c; do
	check "$f compiles" $cc -std=c11 -Iinclude -I"$tmp" -c -o "$tmp/objects/$(basename "$f").o" "$f"
done
find perf-plugin -name '*.c' | sed "s|^|$BUILD/obj/|; s|c$|o|" | xargs ls 2>/dev/null >"$tmp/plugin"
check "the objects of perf-plugin are there" test "$(wc -l <"$tmp/plugin")" -gt 50
{
	echo cst_version
	# the bindings call what they name; declarations of all functions are in _abi.py and cstrace-sys
	cat $(ls lib/bindings/python/cstrace/*.py lib/bindings/rust/cstrace/src/*.rs | grep -v _abi.py) | grep -oE '\<cst_[a-z0-9_]+'
	nm -u $(cat "$tmp/plugin") "$tmp"/objects/*.o | awk '$1 == "U" && $2 ~ /^cst_/ { print $2 }'
} | sort -u >"$tmp/used"
awk '/^CSTRACE_/ { node = $1 } $1 ~ /^cst_/ { sub(/;/, "", $1); print $1 > (node ~ /_EXPERIMENTAL$/ ? e : s) }' \
	e="$tmp/experimental" s="$tmp/stable" scripts/libcstrace.map scripts/libcstrace-files.map
sort -o "$tmp/experimental" "$tmp/experimental"
sort -o "$tmp/stable" "$tmp/stable"
none() {
	[ -z "$(comm "$@")" ] || {
		comm "$@"
		return 1
	}
}
check "functions to mark CST_EXPERIMENTAL: nobody uses them" none -13 "$tmp/used" "$tmp/stable"
check "functions that are used: their mark can go (and their line in the map to the newest release)" \
	none -12 "$tmp/used" "$tmp/experimental"
check "some are marked" test -s "$tmp/experimental"

printf '%s\n' '#include <cstrace/cstrace.h>' 'size_t f(const struct cst_log *log);' \
	'size_t f(const struct cst_log *log) { return cst_log_kept(log); }' >"$tmp/warned.c"
check "a program without CST_STABLE_ONLY is not warned" $cc -Wall -Werror -Iinclude -fsyntax-only "$tmp/warned.c"
warned() {
	$cc -Wall -DCST_STABLE_ONLY -Iinclude -fsyntax-only "$tmp/warned.c" 2>"$tmp/warnings"
	[ "$(grep -c 'warning:' "$tmp/warnings")" = 1 ] && grep -q 'cst_log_kept.*experimental' "$tmp/warnings"
}
check "one with it is warned once, of the function that it calls" warned
finish
