#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The package that is written out in cstrace-package(5): made of the page's own text, it decodes to what was
# executed; without any one item of its trace metadata it does not decode, and the message names the item.
. tests/cli/tap.sh
. tests/cli/tool.sh
# The example runs in another folder.
tool=$(cd "$(dirname "$tool")" && pwd)/$(basename "$tool")

page=perf-plugin/man/cstrace-package.5
pkg=$tmp/package
mkdir "$pkg"
# The Nth example of the page.
example() {
	awk -v n="$1" '$0 == ".EX" { k++; on = 1; next } $0 == ".EE" { on = 0 } on && k == n' "$page"
}
example 1 >"$pkg/contents.ini"
example 2 >"$pkg/trace.ini"
example 3 >"$pkg/system-event-log"
cp tests/data/symfs/opt/cstrace-sample/sample.a64 "$pkg"
check "its trace" "$tool" convert -i tests/data/sample.perf.data --to=package -o "$tmp/other"
cp "$tmp/other/buffer0.data" "$pkg/cluster0.data"

decode() {
	set -- $(example 4)
	[ "$1 $2" = "perf cstrace" ] || return 1
	shift 2
	(cd "$tmp" && "$tool" "$@") >"$tmp/out" 2>"$tmp/err"
}

executed() {
	decode && tests/data/compare tests/data/sample.truth <"$tmp/out"
}

# Without one item of the source.
without() {
	sed "/^\[trace_16\]/,\$ {/^$1:/d;}" "$tmp/trace.ini" >"$pkg/trace.ini"
	! cmp -s "$tmp/trace.ini" "$pkg/trace.ini"
}

names() {
	without "$1" && ! decode && cat "$tmp/err" && grep -qw "$1" "$tmp/err"
}

may_lack() {
	without "$1" && executed
}

check "the example decodes to what was executed" executed
cp "$pkg/trace.ini" "$tmp/trace.ini"
needed=0
for key in $(sed -n '/^\[trace_16\]/,$s/^\([a-z_0-9]*\): .*/\1/p' "$tmp/trace.ini"); do
	case $key in
	cpu | timestamp_bits)
		check "$key may be absent" may_lack "$key"
		;;
	*)
		check "no $key: it is named" names "$key"
		needed=$((needed + 1))
		;;
	esac
done
check "every item was left out" test $needed = 12
finish
