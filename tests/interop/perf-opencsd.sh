#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Nightly: perf 6.12 of Debian's linux-source-6.12, built with our headers and libraries alone (scripts/build-perf --opencsd), shared
# and static. It prints byte for byte what the perf of the same sources that is built with libopencsd-dev prints with the drop-in, as a
# client of 1.8 like it (CSTRACE_OCSD), and passes the tests of perf with the drop-in. BUILT=DIR takes DIR/perf and DIR/perf-static as they are, STOCK=FILE the perf that
# libopencsd-dev made. Needs the package, installed or in the lists of apt, flex, bison, and 2 GB in $BUILD.
set -u
[ -n "${CSTRACE_NIGHTLY:-}" ] || { echo "runs in make nightly only"; exit 77; }
build=$(cd "${BUILD:-build}" && pwd)
shared=${CSTRACE_SHARED:-../shared}
. tests/cli/tap.sh
drop_in=$build/opencsd
built=${BUILT:-$build/perf-6.12}
if [ -z "${BUILT:-}" ]; then
	[ -e /usr/src/linux-source-6.12.tar.xz ] || apt-cache show linux-source-6.12 >/dev/null 2>&1 ||
		{ echo "no package linux-source-6.12: is its suite in the lists of apt (bookworm-security, bookworm-backports)?"; exit 77; }
	for tool in flex bison; do
		command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
	done
	mkdir -p "$built"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory O="${BUILD:-build}" install prefix="$built/installed" >"$tmp/log" 2>&1
	verdict $? "make install"
	for how in "" --static; do
		# shellcheck disable=SC2086
		scripts/build-perf --opencsd "$built/installed" $how 6.12 "$built" >"$tmp/log" 2>&1
		verdict $? "build-perf --opencsd $how"
	done
fi
stock=${STOCK:-}
if [ -z "$stock" ] && [ -e /usr/include/opencsd/c_api/opencsd_c_api.h ]; then
	mkdir -p "$built/stock" && ln -sfn ../package "$built/stock/package" && scripts/build-perf 6.12 "$built/stock" >"$tmp/log" 2>&1
	verdict $? "build-perf with libopencsd-dev"
	stock=$built/stock/perf
fi

nothing_of_cxx() {
	! nm "$1" | grep -E ' [TtWVu] _ZN?S[a-z0-9]' | head -n 3 | grep .
}
needs_ours() {
	readelf -d "$built/perf" | grep -q 'NEEDED.*\[libopencsd_c_api\.so\.1\]' && readelf -d "$built/perf" | grep -q 'R.*PATH.*/lib/cstrace\]' &&
		! readelf -d "$built/perf" | grep 'NEEDED.*\[libopencsd\.so'
}
compiled_with_ours() {
	for program in "$built/perf" "$built/perf-static"; do
		nm "$program" | grep -q ' [VD] cstrace_ocsd_client$' || { echo "$program"; return 1; }
	done
}
check "perf needs libopencsd_c_api where it was installed, and no library in C++ of OpenCSD" needs_ours
check "both were compiled with our headers" compiled_with_ours
check "the static one needs no library" sh -c "! readelf -l '$built/perf-static' | grep INTERP"
check "the static one has nothing of libstdc++" nothing_of_cxx "$built/perf-static"

# What each prints of a recording: packets, and branches.
prints() {
	"$@" report -D -i "$data" 2>/dev/null | grep -a 'Idx:' >"$out.packets"
	"$@" script --itrace=b -F pid,tid,cpu,ip,addr -i "$data" --symfs "$symfs" >"$out.branches" 2>/dev/null
}
recordings() {
	for data in tests/data/sample.perf.data tests/data/sample-trbe.perf.data tests/data/sample-ptm.perf.data \
		tests/data/sample-etmv3.perf.data; do
		[ ! -e "$data" ] || echo "$data tests/data/symfs"
	done
	for data in "$shared"/truth/0[1-8]-*/perf.data "$shared"/truth/1[0124]-*/perf.data "$shared"/truth/2[135]-*/perf.data; do
		[ ! -e "$data" ] || echo "$data $shared/truth/symfs"
	done
}
recordings >"$tmp/recordings"
while read -r file symfs; do
	name=$(basename "$(dirname "$file")")/$(basename "$file")
	# TIME_CONV where perf record writes it, before the trace
	data=$tmp/recording.data
	python3 tests/interop/records.py --time-first "$file" "$data" || cp "$file" "$data"
	out=$tmp/shared prints "$built/perf"
	out=$tmp/static prints "$built/perf-static"
	differ=
	cmp -s "$tmp/shared.packets" "$tmp/static.packets" && cmp -s "$tmp/shared.branches" "$tmp/static.branches" || differ=" static"
	if [ -n "$stock" ]; then
		out=$tmp/stock prints env CSTRACE_OCSD=1.8 LD_LIBRARY_PATH="$drop_in" "$stock"
		cmp -s "$tmp/shared.packets" "$tmp/stock.packets" && cmp -s "$tmp/shared.branches" "$tmp/stock.branches" || differ="$differ stock"
	fi
	if [ -n "$differ" ]; then
		not_ok "$name: not as$differ" "$(diff "$tmp/shared.packets" "$tmp/stock.packets" | head -n 3)" \
			"$(diff "$tmp/shared.branches" "$tmp/stock.branches" | head -n 3)"
	elif [ ! -s "$tmp/shared.packets" ] || [ ! -s "$tmp/shared.branches" ]; then
		not_ok "$name: nothing was printed"
	else
		ok "$name: $(wc -l <"$tmp/shared.packets") packets, $(wc -l <"$tmp/shared.branches") branches"
	fi
done <"$tmp/recordings"
[ -n "$stock" ] || skip "beside perf with libopencsd-dev" "no headers of libopencsd"

# Where nothing else is: only the program and a recording.
alone() {
	mkdir -p "$tmp/root/proc" && cp -L "$built/perf-static" "$tmp/root/perf" && cp tests/data/sample.perf.data "$tmp/root" &&
		unshare -r chroot "$tmp/root" /perf report -D -i /sample.perf.data 2>/dev/null | grep -a 'Idx:' >"$tmp/alone" &&
		data=tests/data/sample.perf.data symfs=tests/data/symfs out=$tmp/static prints "$built/perf-static" &&
		[ -s "$tmp/alone" ] && cmp "$tmp/alone" "$tmp/static.packets"
}
if unshare -r true 2>/dev/null; then
	check "the static one runs where no library is" alone
else
	skip "the static one where no library is" "no user namespaces"
fi

# The tests of perf with the drop-in, with this perf.
PATH=$built:$PATH sh tests/interop/opencsd-perf.sh >"$tmp/log" 2>&1
case $? in
0) ok "opencsd-perf: $(grep -c '^ok' "$tmp/log") cases" ;;
77) skip "opencsd-perf" "$(tail -n 1 "$tmp/log")" ;;
*) not_ok "opencsd-perf" "$(grep -A 3 '^not ok' "$tmp/log" | head -n 20)" ;;
esac
finish
