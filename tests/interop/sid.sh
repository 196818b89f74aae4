# SPDX-License-Identifier: BSD-3-Clause
# To be sourced after tap.sh: packages of Debian unstable, unpacked below $tmp/sid and not installed.

# fetch_sid PACKAGES...
fetch_sid() {
	mkdir -p "$tmp/sid/lists/partial" "$tmp/sid/cache/archives/partial"
	echo "deb http://deb.debian.org/debian sid main" >"$tmp/sid/source.list"
	(
		cd "$tmp/sid"
		options="-q -o Dir::Etc::sourcelist=$tmp/sid/source.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$tmp/sid/lists
			-o Dir::Cache=$tmp/sid/cache -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=3"
		[ -e updated ] || { apt-get $options update && touch updated; } || exit 1
		apt-get $options download "$@" || exit 1
		for deb in *.deb; do
			dpkg-deb -x "$deb" . && rm "$deb" || exit 1
		done
	) >/dev/null 2>&1
}
