#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# frame-lister: the de-formatter gives the fragments, IDs and indexes that OpenCSD's packet lister shows
# for the formatted buffers of the snapshot collection.
set -eu
snapshots=${CSTRACE_SHARED:-../shared}/corpus/snapshots
lister=$(command -v trc_pkt_lister) || { echo "no trc_pkt_lister"; exit 77; }
[ -d "$snapshots" ] || { echo "no snapshots in $snapshots"; exit 77; }
prog=${BUILD:-build}/tests/unit/lib/bytes/frame/test_frame
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail=0

# compare NAME FLAGS FILE LISTER-OPTION...
compare() {
	name=$1 flags=$2 file=$3
	shift 3
	"$lister" -ss_dir "$snapshots/$name" "$@" -decode_only -o_raw_unpacked -logstdout 2>"$tmp/err" |
		grep -ao 'Frame Data; Index *[0-9]*; *ID_DATA\[[^]]*\];[ 0-9a-f]*' |
		sed -E 's/Frame Data; Index *([0-9]+); *ID_DATA\[(0x)?([^]]*)\]; */\1 \3 /; s/ \?\?\?\? / ff /; s/ +$//' \
		>"$tmp/theirs" || :
	"$prog" --list "$flags" "$file" >"$tmp/ours"
	if ! [ -s "$tmp/theirs" ]; then
		echo "$name: the lister printed no frames"
		fail=1
	elif ! diff "$tmp/theirs" "$tmp/ours" >"$tmp/diff"; then
		echo "$name: differs"
		head -n 10 "$tmp/diff"
		fail=1
	else
		echo "$name: $(wc -l <"$tmp/ours") fragments"
	fi
}

while read -r name file; do
	compare "$name" 0 "$snapshots/$name/$file"
done <<EOF
TC2 cstrace.bin
a57_single_step CSTMC_TRACE_FIFO.bin
bugfix-exact-match cstrace.bin
juno-uname-001 uname_trace.bin
juno_r1_1 cstrace.bin
stm-issue-27 stuck_trace.bin
stm_only cstraceitm.bin
test-file-mem-offsets trace.bin
EOF

# Frames with FSYNC words, in DSTREAM blocks of 504 bytes and an 8 byte footer.
python3 - "$snapshots/a55-test-tpiu/DSTREAM_0.bin" "$tmp/dstream" <<'EOF'
import sys
data = open(sys.argv[1], "rb").read()
open(sys.argv[2], "wb").write(b"".join(data[i:i + 504] for i in range(0, len(data), 512)))
EOF
compare a55-test-tpiu 1 "$tmp/dstream" -dstream_format -tpiu

exit $fail
