#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Nightly: gcc's cc1 and Python of Debian arm64 and armhf, tens of millions of instructions each, traced
# and decoded branch by branch. Needs the network.
set -eu
build=${BUILD:-build}
[ -n "${CSTRACE_NIGHTLY:-}" ] || { echo "runs in make nightly only"; exit 77; }
command -v qemu-aarch64 >/dev/null || { echo "no qemu-user"; exit 77; }
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory O="$build" qemu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tests/gen/qemu/roundtrip.sh "$build" "$tmp"
