# SPDX-License-Identifier: BSD-3-Clause
# To be sourced after tap.sh: programs of versions of LLVM that are not all installed. Their packages, of 35 MB each, are not
# among those that the tests need: nightly unpacks them below $tmp without installing.
. tests/interop/sid.sh
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$tmp/debs/usr/lib/$(uname -m)-linux-gnu"

# find_llvm VERSION PROGRAM: prints the root folder, below which usr/lib/llvm-VERSION/bin has the program.
find_llvm() {
	for root in / "$tmp/debs/" "$tmp/sid/run/"; do
		[ ! -x "${root}usr/lib/llvm-$1/bin/$2" ] || { echo "$root"; return 0; }
	done
	[ -n "${CSTRACE_NIGHTLY:-}" ] || return 1
	if apt-cache show "llvm-$1" >/dev/null 2>&1; then
		fetch_llvm "$1" "$2" && [ -x "$tmp/debs/usr/lib/llvm-$1/bin/$2" ] && echo "$tmp/debs/"
	else
		fetch_newer "$1" "$2" && echo "$tmp/sid/run/"
	fi
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

# A version that this Debian does not have: that of unstable, which runs with the C library of unstable.
fetch_newer() {
	bin=$tmp/sid/run/usr/lib/llvm-$1/bin
	case $2 in
	perf2bolt) set -- "$1" "perf2bolt llvm-bolt" "bolt-$1" ;;
	*) set -- "$1" "$2" "llvm-$1" "libllvm$1" libedit2 libbsd0 libmd0 libffi8 libpfm4 libtinfo6 libxml2-16 liblzma5 ;;
	esac
	version=$1 programs=$2
	shift 2
	fetch_sid "$@" libc6 libgcc-s1 libstdc++6 libz3-4 libzstd1 zlib1g || return 1
	mkdir -p "$bin"
	for program in $programs; do
		# BOLT acts by its name
		printf '#!/bin/sh\nunset LD_LIBRARY_PATH\nexec %s --library-path %s --argv0 %s %s "$@"\n' \
			"$(ls "$tmp"/sid/usr/lib*/ld-linux-*)" "$tmp/sid/usr/lib/$(uname -m)-linux-gnu" $program \
			"$tmp/sid/usr/lib/llvm-$version/bin/$program" >"$bin/$program"
		chmod +x "$bin/$program"
		"$bin/$program" --version >/dev/null 2>&1 || return 1
	done
}
