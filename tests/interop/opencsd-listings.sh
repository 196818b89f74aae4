#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# opencsd-listings: what a client of 1.8 prints with the drop-in's printers (ocsd_client, compiled with include/opencsd)
# is what OpenCSD 1.8 lists of the recorded snapshots: every packet with its bytes and text, every element.
set -u
. tests/cli/tap.sh
client=${BUILD:-build}/tests/interop/own/ocsd_client
corpus=${CSTRACE_SHARED:-../shared}/corpus
[ -d "$corpus/golden-opencsd-1.8" ] || { echo "no recorded snapshots at $corpus"; exit 77; }

# What is left out or made alike on both sides, by snapshot, and why.
alike() {
	case $1 in
	# OpenCSD goes on with the return stack after missing code
	juno*) grep -v 'ELEM_ADDR_NACC(' ;;
	# it follows IT blocks in ETMv4 only (ARM DDI 0406C A8.8.54); elements of ETMv3 that a branch may cancel wait
	# here, which changes their order among those of other sources
	TC2) sed -n 's/ <cond>//; s/^Idx:[0-9]*; ID:\([0-9a-f]*\)/\1 &/p' | sort -s -k1,1 | cut -d' ' -f2- ;;
	# it walks to an exception from an address that is not known (K10.5.5)
	ete_ip) grep -v 'range=0x1aa948:\[0x1b37f4\]' ;;
	*) cat ;;
	esac
}

# Of a single source OpenCSD's lister has packets of ID 0, and elements of the ID in the register.
single() {
	if grep -q 'ID:[1-9a-f][0-9a-f]*; \[0x' "$tmp/golden"; then cat; else sed 's/ID:[0-9a-f]*; \[0x/ID:0; [0x/'; fi
}

OCSD_CLIENT_ALL=1 OCSD_CLIENT_ITM=1
export OCSD_CLIENT_ALL OCSD_CLIENT_ITM
for golden in "$corpus"/golden-opencsd-1.8/*.xz; do
	name=$(basename "$golden" .ppl.xz)
	case $name in
	# a probe's blocks, which a client has to take apart before the interface sees them
	a55-test-tpiu) continue ;;
	# 2.4 million records
	bugfix-exact-match) [ "${CSTRACE_NIGHTLY:-}" = 1 ] || continue ;;
	esac
	xz -dc "$golden" | alike "$name" >"$tmp/golden"
	"$client" "$corpus/snapshots/$name" listing 2>"$tmp/err" | alike "$name" | single >"$tmp/ours"
	if tests/golden/compare-golden --exceptions tests/golden/exceptions.txt --name "$name" --show 8 "$tmp/golden" \
			"$tmp/ours" >"$tmp/diff" 2>&1; then
		ok "$name: $(tr '\n' ';' <"$tmp/diff")"
	else
		not_ok "$name"
		sed 's/^/# /' "$tmp/diff" | cut -c1-180
	fi
done
finish
