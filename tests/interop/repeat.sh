#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# repeat-aux.py with one copy must give its input back, byte for byte: the measuring file is honest.
set -eu
truth=${CSTRACE_SHARED:-../shared}/truth
[ -d "$truth" ] || {
	echo "no $truth"
	exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for f in "$truth"/*/perf.data; do
	tests/interop/repeat-aux.py "$f" "$tmp/copy" 1
	cmp "$f" "$tmp/copy"
done
