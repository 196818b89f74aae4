#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What make demo, make check and make nightly install where nothing is installed, by an apt-get that only writes down what it
# is asked for: the demo none of the compilers and peers of the tests.
set -eu
. tests/cli/tap.sh
mkdir "$tmp/bin"
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/dpkg-query"
printf '#!/bin/sh\necho "$@"\nexit 1\n' >"$tmp/bin/apt-get"
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/sudo"
chmod +x "$tmp"/bin/*

# asks TARGET WITH WITHOUT: apt-get is asked for the packages WITH and for none of WITHOUT, or a message names them.
asks() {
	! env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL PATH="$tmp/bin:$PATH" make --no-print-directory O="$tmp/build" "$1" >"$tmp/said" 2>&1 \
		</dev/null || { echo "no package is missing"; return 1; }
	tr ' ' '\n' <"$tmp/said" | sort -u >"$tmp/words"
	for name in $2; do
		grep -qx "$name" "$tmp/words" || { echo "not asked for: $name"; return 1; }
	done
	for name in $3; do
		! grep -qx "$name" "$tmp/words" || { echo "asked for: $name"; return 1; }
	done
}
large="golang-go bolt-16 gcc-11-aarch64-linux-gnu"
peers="clang llvm valgrind lcov slurm-wlm qemu-user gcc-aarch64-linux-gnu gcc-s390x-linux-gnu abigail-tools libopencsd-bin"
shown="gcc make libelf-dev libdw-dev linux-source linux-perf autofdo libdevel-nytprof-perl"
check "make demo" asks demo "$shown" "$peers $large libcmocka-dev"
check "make check" asks check "$shown $peers libcmocka-dev" "$large"
check "make nightly" asks nightly "$shown $peers $large" ""
finish
