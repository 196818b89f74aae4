#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# isa-objdump: the classification of instructions agrees with objdump's mnemonics and targets, over
# made-up instructions and over the programs of the truth sets (CSTRACE_NIGHTLY=1: all of each).
set -eu
for tool in aarch64-linux-gnu-objdump arm-linux-gnueabihf-objdump python3; do
	command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
prog=${BUILD:-build}/tests/unit/lib/flow/isa/test_isa
root=${CSTRACE_SHARED:-../shared}/truth/symfs/opt

set -- random:a64:1:200000 random:a32:1:200000 random:t32:1:200000 random:t32m:1:100000 \
	random:a32l:2:200000 random:t32l:2:200000 random:t32ml:2:100000
if [ -d "$root" ]; then
	for f in "$root"/truth/*.a64 "$root"/truth/*.a32 "$root"/truth/*.t32 "$root"/truth/*.dyn \
		"$root"/sysroot/lib/libc.so.6 "$root"/sysroot/lib/ld-linux-aarch64.so.1 \
		"$root"/sysroot/usr/lib/aarch64-linux-gnu/*.so.* "$root"/sysroot/usr/lib/gcc/*/*/cc1; do
		[ ! -f "$f" ] || set -- "$@" "$f"
		case $f in *.a32|*.t32) [ ! -f "$f" ] || set -- "$@" "memory:$f" ;; esac
	done
else
	echo "no programs in $root: made-up instructions only"
fi
exec python3 "$(dirname "$0")/isa-objdump.py" "$prog" "$@"
