#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# stm-lister: random STM trace is listed as OpenCSD's packet lister lists it, packets and elements. Timestamps are
# binary: what the lister makes of Gray code is right in the lower 31 bits only (STPv2 has 64).
set -eu
lister=$(command -v trc_pkt_lister) || { echo "no trc_pkt_lister"; exit 77; }
build=${BUILD:-build}
tool=${PERF_CSTRACE:-$build/perf-cstrace}
count=${CST_SEEDS:-20}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

cat >"$tmp/snapshot.ini" <<EOF
[snapshot]
version=1.0
[device_list]
device0=device_0.ini
[trace]
metadata=trace.ini
EOF
cat >"$tmp/device_0.ini" <<EOF
[device]
name=STM_0
class=trace_source
type=STM
[regs]
STMTCSR(0x3A0)=0x00100007
EOF
cat >"$tmp/trace.ini" <<EOF
[trace_buffers]
buffers=buffer0
[buffer0]
name=B0
file=trace.bin
format=source_data
[source_buffers]
STM_0=B0
[core_trace_sources]
EOF

seed=1
while [ "$seed" -le "$count" ]; do
	rm -f "$tmp/theirs"	# it would be appended to
	"$build/tests/unit/lib/protocols/stm/test_roundtrip" --write "$seed" "$tmp/trace.bin"
	"$lister" -ss_dir "$tmp" -decode -logfilename "$tmp/theirs" >/dev/null 2>&1 || :
	"$tool" dump -s "$tmp" --format=opencsd -o "$tmp/ours" 2>/dev/null || [ $? -eq 3 ]	# error packets are losses
	if ! tests/golden/compare-golden "$tmp/theirs" "$tmp/ours" >"$tmp/diff"; then
		echo "seed $seed:"
		cat "$tmp/diff"
		fail=1
	fi
	seed=$((seed + 1))
done
[ $fail -ne 0 ] || echo "$count streams"
exit $fail
