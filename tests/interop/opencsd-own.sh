#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# opencsd-own: clients of OpenCSD's C interface (ocsd_*.c) that are compiled with include/opencsd and linked with our static
# library, where libopencsd need not be installed: what each prints is what the library or perf-cstrace says of the same trace.
# As clients of 1.8 they get all that 1.8 has, from the first call on. Snapshots with code that is missing are not among them:
# opencsd-listings has them.
set -u
. tests/cli/tap.sh
own=${BUILD:-build}/tests/interop/own
tool=${PERF_CSTRACE:-build/perf-cstrace}
shared=${CSTRACE_SHARED:-../shared}

nothing_else() {
	for client in ocsd_client ocsd_decode ocsd_llvm ocsd_path ocsd_v7; do
		! readelf -d "$own/$client" | grep -E 'NEEDED.*(opencsd|stdc)' || return 1
	done
}
check "they need no library of OpenCSD or C++" nothing_else

# llvm-profgen: of 1.8, with ITM and its headers only (opencsd-llvm).
for kind in etm etm-8.1 itm both; do
	items=0 differ=
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
		"$own/ocsd_llvm" $seed $kind native >"$tmp/native"
		"$own/ocsd_llvm" $seed $kind >"$tmp/ours" 2>&1 && [ -s "$tmp/ours" ] && cmp -s "$tmp/native" "$tmp/ours" ||
			differ="$differ $seed"
		items=$((items + $(wc -l <"$tmp/ours")))
	done
	if [ -z "$differ" ]; then ok "llvm, $kind: $items items"; else not_ok "llvm, $kind: seeds$differ"; fi
done

calls() {
	"$own/ocsd_client" none calls >"$tmp/calls" 2>&1 && grep -qx 'version 1\.8\.3' "$tmp/calls"
}
check "a call of each function" calls
paths() {
	for s in $("$own/ocsd_path"); do
		timeout 20 "$own/ocsd_path" "$s" >"$tmp/path" 2>&1 || { echo "$s: exit $?"; return 1; }
	done
}
check "each call of the data path" paths

if [ ! -d "$shared/corpus/snapshots" ]; then
	skip "recorded traces" "no $shared/corpus"
	finish
fi
# lines KIND: index and text of each record, without what was not synchronised and the bytes of packets.
lines() {
	sed -n 's/^Idx:\([0-9]*\); ID:[0-9a-f]*;[[:space:]]*\(\[[^]]*\];[[:space:]]*\)\{0,1\}/\1 /p' | grep -v NOTSYNC |
		sed -e 's/; *	/; /' -e 's/; Decoder Sync point TINFO//' -e 's/[[:space:]]*$//' | sort
}
OCSD_CLIENT_ALL=1 OCSD_CLIENT_ITM=1
export OCSD_CLIENT_ALL OCSD_CLIENT_ITM
for name in 001-ack_test a57_single_step ete-ite-instr ete_mem ete_spec_3 src_addr tme_simple ts_marker stm_only \
	itm_only_raw itm_only_csformat; do
	snap=$shared/corpus/snapshots/$name
	for kind in packets elements; do
		"$own/ocsd_client" "$snap" $kind 2>/dev/null | lines >"$tmp/ours"
		"$tool" dump -s "$snap" --source all --$kind --format=opencsd 2>/dev/null | lines >"$tmp/theirs"
		if [ -s "$tmp/ours" ] && diff "$tmp/theirs" "$tmp/ours" >"$tmp/diff"; then
			ok "$name: $kind: $(wc -l <"$tmp/ours") lines"
		else
			not_ok "$name: $kind"
			sed 's/^/# /' "$tmp/diff" | cut -c1-180 | head -n 6
		fi
	done
done
finish
