# SPDX-License-Identifier: BSD-3-Clause
# To be sourced after tap.sh: programs of versions of LLVM that are not all installed. Their packages, of 35 MB each, are not
# among those that the tests need: nightly unpacks them below $tmp without installing.
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
		fetch_sid "$1" "$2" && echo "$tmp/sid/run/"
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

# BOLT of a version that this Debian does not have: that of unstable, which runs with the C library of unstable.
fetch_sid() {
	[ "$2" = perf2bolt ] || return 1
	mkdir -p "$tmp/sid/lists/partial" "$tmp/sid/cache/archives/partial" "$tmp/sid/run/usr/lib/llvm-$1/bin"
	echo "deb http://deb.debian.org/debian sid main" >"$tmp/sid/source.list"
	(
		cd "$tmp/sid"
		options="-q -o Dir::Etc::sourcelist=$tmp/sid/source.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$tmp/sid/lists
			-o Dir::Cache=$tmp/sid/cache -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=3"
		[ -e updated ] || { apt-get $options update && touch updated; } || exit 1
		apt-get $options download "bolt-$1" libc6 libgcc-s1 libstdc++6 libz3-4 libzstd1 zlib1g || exit 1
		for deb in *.deb; do
			dpkg-deb -x "$deb" .
			rm "$deb"
		done
		for program in perf2bolt llvm-bolt; do
			# BOLT acts by its name
			printf '#!/bin/sh\nunset LD_LIBRARY_PATH\nexec %s --library-path %s --argv0 %s %s "$@"\n' \
				"$(ls "$tmp"/sid/usr/lib*/ld-linux-*)" "$tmp/sid/usr/lib/$(uname -m)-linux-gnu" $program \
				"$tmp/sid/usr/lib/llvm-$1/bin/$program" >"run/usr/lib/llvm-$1/bin/$program"
			chmod +x "run/usr/lib/llvm-$1/bin/$program"
		done
	) >/dev/null 2>&1 && "$tmp/sid/run/usr/lib/llvm-$1/bin/$2" --version >/dev/null 2>&1
}
