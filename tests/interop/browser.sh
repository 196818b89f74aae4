#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The pages of a report in Chromium, without a window, by mouse and by keyboard, on narrow and wide screens, light and dark: of the
# sample, of what changed between two, and of the first with markup in every name. Nightly also of several processes and threads, of a compiler's run (truth set
# 26), and of 100,000 functions, with the rules of axe-core: of AXE_CORE, the path of its axe.min.js, else of npm's registry, which
# no other run asks.
set -eu
build=${BUILD:-build}
shared=${CSTRACE_SHARED:-../shared}
tool=${PERF_CSTRACE:-$build/perf-cstrace}
axe=${AXE_CORE:-}
axe_version=4.10.3
axe_sha256=880970c081707360e64f34cea25ff91892f5bc95675b0776925b9709dd8a68bb
symfs=tests/data/symfs

command -v chromium >/dev/null && command -v chromedriver >/dev/null || {
	echo "no chromium and chromedriver (scripts/install-deps nightly)"
	exit 77
}
# that of Debian's package, where another one is first
for python in python3 /usr/bin/python3; do
	"$python" -c 'import selenium' 2>/dev/null && break
	python=
done
[ -n "$python" ] || {
	echo "no python3-selenium (scripts/install-deps nightly)"
	exit 77
}
. tests/cli/tap.sh

fetch_axe() {
	(cd "$tmp" && npm pack --silent axe-core@$axe_version && tar -xzf axe-core-$axe_version.tgz package/axe.min.js) || return 1
	echo "$axe_sha256  $tmp/package/axe.min.js" | sha256sum -c - || return 1
	axe=$tmp/package/axe.min.js
}
if [ -n "${CSTRACE_NIGHTLY:-}" ] && [ -z "$axe" ]; then
	if command -v npm >/dev/null && fetch_axe >"$tmp/log" 2>&1; then
		ok "axe-core $axe_version"
	else
		skip "axe-core" "no npm, or it cannot be fetched; AXE_CORE names its axe.min.js"
	fi
fi

# see OPTIONS DIR
see() {
	timeout 900 "$python" tests/interop/browser.py ${axe:+--axe "$axe"} "$@"
}

report() {
	rm -rf "$tmp/report"
	got=0
	"$tool" report "$@" -o "$tmp/report" 2>"$tmp/err" || got=$?
	[ $got -eq 0 ] || [ $got -eq 3 ] || { cat "$tmp/err"; return 1; }
}

sample() {
	report -i tests/data/sample.perf.data --symfs $symfs --source tests/data --timeline && see "$tmp/report"
}
markup() {
	python3 tests/cli/names.py make tests/data/sample.perf.data $symfs/opt/cstrace-sample/sample.a64 "$tmp/data" "$tmp/root" \
		'"><script>document.title="alert"</script><b onclick=x>'"'" && report -i "$tmp/data" --symfs "$tmp/root" --base tests/data/sample-t32.perf.data --base-symfs $symfs &&
		see --few "$tmp/report"
}
# The other pages are like those of the sample, in T32 code.
changes() {
	only=--only=change
	[ -z "${CSTRACE_NIGHTLY:-}" ] || only=
	report -i tests/data/sample-t32.perf.data --base tests/data/sample.perf.data --symfs $symfs --source tests/data && see $only "$tmp/report"
}
check "sample" sample
check "what changed between two programs" changes
check "markup in all names" markup
[ -n "${CSTRACE_NIGHTLY:-}" ] || finish

threads() {
	report -i "$shared"/truth/11-*/perf.data --base "$shared"/truth/12-*/perf.data --symfs "$shared/truth/symfs" --timeline && see "$tmp/report"
}
cc1() {
	report -i "$shared"/truth/26-*/perf.data --symfs "$shared/truth/symfs" && see --few "$tmp/report"
}
for name in threads cc1; do
	if [ -d "$shared/truth/symfs" ]; then
		check "truth: $name" $name
	else
		skip "$name" "no truth sets in $shared/truth"
	fi
done

many() {
	python3 tests/cli/many_functions.py 100000 "$tmp/many.cst" && report -i "$tmp/many.cst" && see --few --only functions "$tmp/report"
}
check "a list of 100,000 functions" many
finish
