#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The rules for source files (scripts/check-tree, scripts/check-rooms) notice what breaks them: each case changes a copy of
# the tree in one place.
set -u
cd "$(dirname "$0")/../.."
. tests/cli/tap.sh
cp -r include lib perf-plugin scripts *.md Makefile "$tmp"
mkdir "$tmp/tests"

# broken WORDS FILE SED: with the file changed so, the check fails and says the words. The file is put back.
broken() {
	words=$1 file=$tmp/$2
	[ ! -e "$file" ] || cp "$file" "$tmp/before"
	sed -i "$3" "$file" || return 1
	got=0
	"$tmp/scripts/check-tree" >"$tmp/said" 2>&1 || got=$?
	cp "$tmp/before" "$file"
	[ $got -eq 1 ] && grep -qF -- "$words" "$tmp/said" || {
		echo "exit $got, no '$words' in:"
		head -n 5 "$tmp/said"
		return 1
	}
}

sound() {
	"$tmp/scripts/check-tree"
}

new_room() {
	mkdir "$tmp/perf-plugin/outputs/attic"
	cp "$tmp/perf-plugin/base/array.h" "$tmp/perf-plugin/outputs/attic"
	! "$tmp/scripts/check-rooms" >"$tmp/said" && grep -qF "perf-plugin/outputs/attic has no floor" "$tmp/said"
	rc=$?
	rm -r "$tmp/perf-plugin/outputs/attic"
	return $rc
}

same_name() {
	cp "$tmp/include/cstrace/frame.h" "$tmp/lib/bytes/frame/frame.h"
	! "$tmp/scripts/check-rooms" >"$tmp/said" && grep -qF "lib/bytes/frame/frame.h: include/cstrace/frame.h has the same name" "$tmp/said"
	rc=$?
	rm "$tmp/lib/bytes/frame/frame.h"
	return $rc
}

check "the tree keeps the rules" sound
check "an arrow that goes up" broken "perf-plugin/perfdata/open.c: includes perf-plugin/session/session.h" perf-plugin/perfdata/open.c \
	'/#include "perfdata\/internal.h"/a #include "session/session.h"'
check "an arrow on one floor" broken "lib/protocols/ptm/ptm.h: includes lib/protocols/etmv3/etmv3.h" lib/protocols/ptm/ptm.h '/^#define CST_LIB_PROTOCOLS_PTM/a #include "protocols/etmv3/etmv3.h"'
check "another room's internal header" broken "which is for its own room" perf-plugin/outputs/cmd/info.c \
	'/#include "outputs\/info\/info.h"/a #include "outputs/info/internal.h"'
check "OpenCSD's headers outside the drop-in" broken "include/opencsd is for perf-plugin/opencsd alone" perf-plugin/outputs/cmd/live.c \
	'$a #include <opencsd/ocsd_if_version.h>'
check "headers in a circle" broken "includes go in a circle" perf-plugin/session/import/sources.h '/^#define/a #include "session/import/events.h"'
check "an exception that is not needed" broken "is not needed any more" scripts/rooms.txt \
	'$a perf-plugin/outputs/cmd/info.c -> perf-plugin/opencsd: an example'
check "a room without a floor" new_room
check "two headers of one name" same_name
check "a door that is not listed" broken "lib/bytes/frame/sync.c: includes lib/flow/isa/rows.h, which is neither" lib/bytes/frame/sync.c \
	'$a #include "flow/isa/rows.h"'
check "a door that is not needed" broken "lib/files includes nothing of lib/bytes" scripts/rooms.txt 's|^door lib/files on lib/base$|& lib/bytes|'
check "a circle of doors" broken "lib/bytes stands on lib/flow, which is not above it" scripts/rooms.txt 's|^door lib/bytes on lib/base$|& lib/flow|'
check "a door without a row in README.md" broken "README.md: the table lacks lib/decoder/" README.md '/^| `lib\/decoder\//d'
check "a room without a row in its door's README.md" broken "perf-plugin/session/README.md: the table lacks import/" \
	perf-plugin/session/README.md '/`import\//d'
check "two rows for a room" broken "lib/decoder/README.md: the table has tree/ more than once" lib/decoder/README.md '/^| `tree\//p'
check "another licence" broken "tree.c: first line is not" lib/decoder/tree/tree.c '1s/BSD-3-Clause/MIT/'
check "a file that is too long" broken "std.c: more than 1000 lines" perf-plugin/base/files/std.c ':a;s/^/\n/;/\n\{1000\}/!ba'
check "a file without a comment" broken 'no comment "std.c - what it is for"' perf-plugin/base/files/std.c 2d
check "a guard of another name" broken "no guard CSTRACE_BASE_FILES_STD_H" perf-plugin/base/files/std.h 's/CSTRACE_BASE_FILES_STD_H/STD_H/'
check "errno that leaves its file" broken "return -errno;" perf-plugin/base/files/std.c 's/return errno;/return -errno;/'
check "a text past error_text()" broken "cst_strerror" perf-plugin/outputs/cmd/info.c '$a const char *x(void) { return cst_strerror(1); }'
check "a Python file without its licence" broken "generate.py: '# SPDX" lib/bindings/python/generate.py 2d
not_compiled() {
	echo 'int cst_of_a_binding;' >"$tmp/lib/bindings/of_a_binding.c"
	! make -n -C "$tmp" O="$tmp/none" "$tmp/none/libcstrace.a" | grep of_a_binding
}
check "a C file of lib/bindings is not in the library" not_compiled
finish
