# SPDX-License-Identifier: BSD-3-Clause
# To be sourced after tap.sh: programs of versions of LLVM that are not all installed. Their packages, of 35 MB each, are not
# among those that the tests need: nightly unpacks them below $tmp without installing.
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$tmp/debs/usr/lib/$(uname -m)-linux-gnu"

# find_llvm VERSION PROGRAM: prints the root folder, below which usr/lib/llvm-VERSION/bin has the program.
find_llvm() {
	for root in / "$tmp/debs/"; do
		[ ! -x "${root}usr/lib/llvm-$1/bin/$2" ] || { echo "$root"; return 0; }
	done
	[ -n "${CSTRACE_NIGHTLY:-}" ] && fetch_llvm "$1" "$2" && [ -x "$tmp/debs/usr/lib/llvm-$1/bin/$2" ] && echo "$tmp/debs/"
}

fetch_llvm() {
	case $2 in
	perf2bolt) set -- "bolt-$1" libz3-4 ;;
	*) set -- "llvm-$1" "libllvm$1" libz3-4 libpfm4 libedit2 libbsd0 ;;
	esac
	mkdir -p "$tmp/debs"
	for package; do
		(cd "$tmp/debs" && apt-get -q download "$package" && dpkg-deb -x "$package"_*.deb .) >/dev/null 2>&1 || return 1
	done
}
