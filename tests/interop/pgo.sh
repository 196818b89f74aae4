#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pgo: scripts/pgo-example from the first build to the measured gain: what is built with a profile prints the same, and executes
# fewer instructions or fewer taken branches.
set -eu
command -v qemu-aarch64 >/dev/null || { echo "no qemu-user"; exit 77; }
. tests/cli/tap.sh
scripts/pgo-example "$tmp" >"$tmp/table" 2>&1 || :
sed 's/^/# /' "$tmp/table"

# gain NAME: its line of the table has numbers, and a gain.
gain() {
	line=$(grep "^$1 " "$tmp/table") || return 1
	echo "$line" | awk '($2 $3 $5 $6) ~ /^[0-9]+$/ && ($3 < $2 || $6 < $5) { good = 1 } END { exit !good }'
}

for name in gcc clang bolt; do
	if why=$(grep "^$name  *left out: " "$tmp/table"); then
		skip "$name" "${why#*left out: }"
	else
		check "$name" gain $name
	fi
done
finish
