#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make.sh BUILD: compiles calls.cc, runs it under the flow recorder, encodes what it executed, and writes the recordings here
# with the contexts that the program's own log shows (tests/interop/calls/truth.py).
#
# Two threads run at once, so each call of this makes other recordings, with other contexts of the second thread.
set -eu

[ $# -eq 1 ] || { sed -n '3,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
truth=$here/../../interop/calls/truth.py
symfs=$here/../symfs
programs=$symfs/opt/cstrace-calls
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# one NAME PLUGIN-OPTIONS ENCODER-OPTIONS: of the program with this name
one() {
	env -i "$(command -v qemu-aarch64)" -seed 1 \
		-plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/flow,root=$(cd "$symfs" && pwd)$2" "$programs/$1" >"$tmp/log"
	rm -rf "$tmp/truth"
	mkdir "$tmp/truth"
	"$build/tests/gen/cst-gen" encode --flow "$tmp/flow" $3 --perf "$here/$1.perf.data" --truth "$tmp/truth"
	"$truth" "$tmp/log" "$tmp/full=$1" >"$here/$1.tree"
}

mkdir -p "$programs"
aarch64-linux-gnu-g++ -O2 -std=c++17 -finstrument-functions -ffreestanding -fno-stack-protector -ffunction-sections \
	-fdata-sections -fno-pie -Wall -Wextra -Wno-infinite-recursion -ffile-prefix-map="$here"=. -c -o "$tmp/calls.o" "$here/calls.cc"
aarch64-linux-gnu-g++ -nostdlib -static -no-pie -Wl,--gc-sections -Wl,--eh-frame-hdr -Wl,-z,noseparate-code -Wl,-z,norelro \
	-Wl,-z,max-page-size=4096 -Wl,--build-id=sha1 -o "$tmp/full" "$tmp/calls.o" -Wl,--start-group -lsupc++ -lgcc_eh -lgcc \
	-Wl,--end-group
aarch64-linux-gnu-strip --strip-debug -o "$programs/calls" "$tmp/full"
aarch64-linux-gnu-strip -o "$programs/calls-stripped" "$tmp/full"
one calls '' --ts=1000
one calls-stripped ,slice=2000 '--ete --raw --buf=cpu --ts=500'
