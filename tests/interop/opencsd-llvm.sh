#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# opencsd-llvm: what llvm-profgen takes of a trace (ocsd_llvm.c) is the same with the drop-in, with the library under
# the registers of the trace unit, and with the installed libopencsd 1.3.3 where that decodes: it has no ITM, and
# does not know the loops and branch futures of Armv8.1-M (etm-8.1).
set -u
client=${BUILD:-build}/tests/interop/ocsd_llvm
drop_in=$(cd "${BUILD:-build}" && pwd)/opencsd
[ -x "$client" ] || { echo "no libopencsd to compare with"; exit 77; }
. tests/cli/tap.sh

for kind in etm etm-8.1 itm both; do
	items=0 differ=
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
		"$client" $seed $kind native >"$tmp/native"
		LD_LIBRARY_PATH=$drop_in "$client" $seed $kind >"$tmp/ours" 2>&1 && [ -s "$tmp/ours" ] &&
			cmp -s "$tmp/native" "$tmp/ours" || differ="$differ $seed"
		items=$((items + $(wc -l <"$tmp/ours")))
	done
	if [ -z "$differ" ]; then ok "$kind: $items items, as by the library"; else not_ok "$kind: seeds$differ"; fi
done

# 1.3.3 does not find all the code of a file with several regions: then it is no measure.
alike=0 differ=
for seed in $(seq 1 40); do
	"$client" $seed etm >"$tmp/theirs" 2>/dev/null
	! grep -q '^missing' "$tmp/theirs" || continue
	LD_LIBRARY_PATH=$drop_in "$client" $seed etm >"$tmp/ours" 2>/dev/null
	if cmp -s "$tmp/theirs" "$tmp/ours"; then alike=$((alike + 1)); else differ="$differ $seed"; fi
done
if [ -z "$differ" ] && [ $alike -ge 20 ]; then
	ok "etm: as with 1.3.3, $alike traces"
else
	not_ok "etm: $alike traces as with 1.3.3; not those of seeds$differ"
fi
finish
