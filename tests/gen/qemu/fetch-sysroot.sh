#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fetch-sysroot.sh ARCH DIR PACKAGE...: unpack Debian packages of another architecture, with all they
# depend on, below DIR/root. ARCH is arm64 or armhf. apt's state of this machine is not touched.
# MIRROR and SUITE choose where from.
set -eu

if [ $# -lt 3 ]; then
	sed -n '3,5s/^# //p' "$0" >&2
	exit 2
fi
arch=$1
dir=$2
shift 2
mirror=${MIRROR:-http://deb.debian.org/debian}
suite=${SUITE:-bookworm}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/root"
dir=$(cd "$dir" && pwd)
: >"$dir/apt/status"
echo "deb [arch=$arch signed-by=$keyring] $mirror $suite main" >"$dir/apt/sources.list"

apt() {
	apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
		-o APT::Sandbox::User= -o APT::Install-Recommends=false \
		-o Dir::State::lists="$dir/apt/lists" -o Dir::State::status="$dir/apt/status" \
		-o Dir::Cache="$dir/apt/cache" -o Dir::Cache::archives="$dir/apt/cache/archives" \
		-o Dir::Etc::sourcelist="$dir/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Debug::NoLocking=true "$@"
}

apt update
apt install --download-only -y "$@"
for deb in "$dir"/apt/cache/archives/*.deb; do
	dpkg-deb -x "$deb" "$dir/root"
done
echo "$dir/root"
