#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# opencsd-path: what every call of the data path answers and delivers (ocsd_path.c), with the drop-in and with the
# installed libopencsd 1.3.3: barriers, waits, resets, ends, wrong arguments, damage under every flag.
set -u
client=${BUILD:-build}/tests/interop/ocsd_path
drop_in=$(cd "${BUILD:-build}" && pwd)/opencsd
[ -x "$client" ] || { echo "no libopencsd to compare with"; exit 77; }
. tests/cli/tap.sh

# Records that are left out on both sides, or made alike, and why.
filter() {
	case $1 in
	# 1.3.3 does not count half synchronisations in the offsets of what follows them in the frame
	syncs-both) sed -e 's/Idx:[0-9]*/Idx:_/' -e 's/Index *[0-9]*; *ID_DATA/Index _; ID_DATA/' ;;
	# 1.3.3 tells of all ends before it waits again; there are as many here
	wait-of-one) sort ;;
	# after a packet that cannot be, the next one cannot be known; 1.3.3 goes on reading at the next byte, and
	# the element tells where that was. The same synchronises both. With NOFWD 1.3.3 even decodes on.
	damage-*) grep -v 'Idx:2[6789]\|ELEM_EO_TRACE' ;;
	# 1.3.3 leaves the number of bytes as it was when there are none
	bad-arguments) sed 's/used [07]$/used/' ;;
	*) cat ;;
	esac
}

# What 1.3.3 refuses or goes wrong about, and what the drop-in does instead.
instead() {
	case $1 in
	# a frame of synchronisation only is none: what follows may not continue what was before
	barrier-off) echo 'Idx:48; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( \[reset-decoder\])' ;;
	# after the end it starts anew, and waits for a synchronisation
	data-after-end) echo 'Idx:26; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( \[reset-decoder\])' ;;
	# part of a frame is kept until the rest comes
	odd-sizes) echo 'data 16+9: 0, all' ;;
	# offsets may jump, as they do between AUX records
	jump) echo 'data 4096+64: 0, all' ;;
	esac
}

for s in $("$client"); do
	timeout 20 "$client" "$s" 2>&1 | filter "$s" >"$tmp/theirs"
	# clients that list packets do not show their level
	CSTRACE_OCSD=1.3 LD_LIBRARY_PATH=$drop_in timeout 20 "$client" "$s" >"$tmp/all" 2>&1
	rc=$?
	filter "$s" <"$tmp/all" >"$tmp/ours"
	# of a frame that holds pieces of several sources 1.3.3 prints one piece, then its packets, then the next one
	for side in theirs ours; do
		grep -E '^ *Frame Data|^[0-9a-f][0-9a-f] ' "$tmp/$side" >"$tmp/$side.frames"
		grep -vE '^ *Frame Data|^[0-9a-f][0-9a-f] ' "$tmp/$side" >"$tmp/$side.rest"
	done
	if [ $rc != 0 ]; then
		not_ok "$s: exit $rc"
	elif diff "$tmp/theirs.frames" "$tmp/ours.frames" >"$tmp/diff" && diff "$tmp/theirs.rest" "$tmp/ours.rest" >"$tmp/diff"; then
		ok "$s: $(wc -l <"$tmp/all") lines"
	elif [ "$(instead "$s")" != "" ] && grep -q "$(instead "$s")" "$tmp/ours"; then
		ok "$s: not as 1.3.3, on purpose"
	else
		not_ok "$s"
		sed 's/^/# /' "$tmp/diff" | head -n 10
	fi
done
finish
