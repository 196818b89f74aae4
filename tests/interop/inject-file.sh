#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# inject-file: what stands in an injected file, as the stock perf reads it: events, order of time, records
# that stay and records that go, build-ids, tiles of branch stacks, the pipe form, compressed records.
set -eu
. "$(dirname "$0")/peer-perf.sh"
n=0 bad=0

verdict() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		bad=1
	fi
}

# check WHAT COMMAND...: the command succeeds
check() {
	what=$1
	shift
	rc=0
	"$@" >"$tmp/log" 2>&1 || { rc=1; sed 's/^/# /' "$tmp/log" | head -n 8; }
	verdict $rc "$what"
}

# Times of all samples and of the records about processes, in the order of the file, never go back; and
# every thread's samples are behind the records that it needs and before its end.
order() {
	python3 - "$1" <<'EOF'
import re, sys
last, samples, ended, known = 0, 0, set(), set()
for line in open(sys.argv[1], errors="replace"):
    m = re.match(r"^-?\d+ (\d+) 0x[0-9a-f]+ \[0x[0-9a-f]+\]: (PERF_RECORD_\w+)(.*)", line)
    if not m or m[2] in ("PERF_RECORD_FINISHED_ROUND", "PERF_RECORD_ATTR"):
        continue
    time, what = int(m[1]), m[2]
    if time < last:
        sys.exit("goes back: " + line)
    last = time
    if what == "PERF_RECORD_EXIT":
        ended.add(int(re.search(r"\((\d+):(\d+)\)", m[3])[2]))
    if what in ("PERF_RECORD_COMM", "PERF_RECORD_FORK"):
        tid = int(re.search(r":?(\d+)[:/](\d+)\)?", m[3][m[3].rfind(":") - 8:])[2]) if what.endswith("COMM") \
            else int(re.search(r"\((\d+):(\d+)\)", m[3])[2])
        known.add(tid)
        ended.discard(tid)
    if what == "PERF_RECORD_SAMPLE":
        samples += 1
        tid = int(re.search(r"(\d+)/(\d+):", m[3])[2])
        if tid in ended or tid not in known:
            sys.exit("thread %d %s: %s" % (tid, "has ended" if tid in ended else "is unknown", line))
    if what.startswith("PERF_RECORD_AUX") or what == "PERF_RECORD_ITRACE_START":
        sys.exit("should be gone: " + line)
if samples < 1000:
    sys.exit("only %d samples" % samples)
EOF
}

echo 1..23
for set in 04 07 08 10 11 13 16; do
	inject -i "$shared/truth/$set-"*/perf.data --itrace=bi1000i -o "$tmp/injected"
	perf script -D -i "$tmp/injected" 2>/dev/null | grep PERF_RECORD >"$tmp/dump" || :
	check "set $set: order of records" order "$tmp/dump"
done

data=$(echo "$shared/truth/11-"*/perf.data)
inject -i "$data" --itrace=i100000il64b -o "$tmp/injected"
# perf 6.12 also prints the type of the event where it is 0, and the name of the config.
perf evlist -v -i "$tmp/injected" 2>&1 | sed -E 's/: type: 0 \([A-Z_]+\), size:/: size:/; s/(config: 0x[0-9a-f]+) \([A-Z_]+\)/\1/' \
	>"$tmp/events"
check "instructions event" grep -q '^instructions:uH: size: 128, config: 0x1, .*sample_type: IP|TID|TIME|CPU|PERIOD|BRANCH_STACK|IDENTIFIER,.*branch_sample_type: USER|KERNEL|ANY|TYPE_SAVE$' "$tmp/events"
check "branches event" grep -q '^branches:uH: size: 128, config: 0x4, .*sample_type: IP|TID|TIME|ADDR|CPU|PERIOD|IDENTIFIER,' "$tmp/events"
check "no trace event" sh -c "! grep -q cs_etm '$tmp/events'"
inject -i "$data" --itrace=i100000il64 --hw-index -o "$tmp/injected"
perf evlist -v -i "$tmp/injected" >"$tmp/events" 2>&1
check "index field on request" grep -q 'HW_INDEX' "$tmp/events"
perf report --header-only -i "$tmp/injected" >"$tmp/header" 2>&1
check "architecture" grep -q '^# arch : aarch64' "$tmp/header"
check "no AUX area data" sh -c "! grep -q 'contains AUX area data' '$tmp/header'"
perf buildid-list -i "$tmp/injected" >"$tmp/ids" 2>&1
id=$(readelf -n "$symfs/opt/truth/sort.a64" 2>/dev/null | sed -n 's/.*Build ID: //p')
check "build-id of what ran" grep -q "^$id /opt/truth/sort.a64" "$tmp/ids"

# Tiles: every executed branch stands in exactly one branch stack.
data=$(echo "$shared/truth/01-"*/perf.data)
inject -i "$data" --itrace=il64 --tiles -o "$tmp/injected"
count=$(with_opt perf script -i "$tmp/injected" -F brstack 2>/dev/null | grep -o '/P/' | wc -l)
check "tiles hold 88562 branches: $count" [ "$count" -eq 88562 ]

# Parts of the time, by the times of the first and the last sample in the header.
data=$(echo "$shared/truth/08-"*/perf.data)
inject -i "$data" --itrace=b -o "$tmp/injected"
with_opt perf script -F time -i "$tmp/injected" 2>/dev/null | wc -l >"$tmp/whole"
parts() {
	: >"$tmp/parts"
	for part in 0%-25% 25%-50% 50%-75% 75%-100%; do
		with_opt perf report --stdio -n --sort pid --time $part -i "$tmp/injected" >"$tmp/part" 2>&1 ||
			{ cat "$tmp/part"; return 1; }
		sed -n 's/^ *[0-9.]*% *\([0-9][0-9]*\) .*/\1/p' "$tmp/part" >>"$tmp/parts"
	done
	sum=$(awk '{ n += $1 } END { print n + 0 }' "$tmp/parts")
	echo "$sum samples in the parts, $(cat "$tmp/whole") in the whole"
	[ "$sum" -ge "$(cat "$tmp/whole")" ] && [ "$sum" -le $(($(cat "$tmp/whole") + 400)) ]
}
check "perf report --time 25%-50%" parts

# Records that AutoFDO does not know.
if command -v create_llvm_prof >/dev/null; then
	inject -i "$data" --itrace=il64 -o "$tmp/injected"
	create_llvm_prof --binary="$(ls "$symfs"/opt/truth/*.a64 | head -n 1)" --profile="$tmp/injected" --out="$tmp/prof" \
		--format=text >"$tmp/said" 2>&1 || :
	check "create_llvm_prof knows every record" sh -c "! grep -i 'unknown event type' '$tmp/said'"
else
	n=$((n + 1))
	echo "ok $n - # SKIP no create_llvm_prof"
fi

# As a pipe, in and out.
"$tool" inject -i - --symfs "$symfs" --itrace=b <"$data" 2>"$tmp/err" |
	with_opt perf script -i - -F pid,tid,cpu,ip,addr >"$tmp/out" 2>/dev/null || :
check "through pipes" "$shared/truth/compare" "$(dirname "$data")" <"$tmp/out"

# Compressed records: perf says of them what it says of plain ones.
says_the_same() {
	for words in "report --stdio" "script $1"; do
		for file in "$tmp/injected" "$tmp/packed"; do
			# perf report ends with a tip that it chooses at random
			with_opt perf $words -i "$file" 2>&1 | grep -v '^# (Tip:' >"$file.text" || return 1
		done
		[ -s "$tmp/packed.text" ] && cmp "$tmp/injected.text" "$tmp/packed.text" || return 1
	done
}
same_in_pipe() {
	for z in "" -z; do
		"$tool" inject -i "$data" --symfs "$symfs" --itrace=$1 $z 2>/dev/null |
			with_opt perf report --stdio -i - 2>&1 | grep -v '^# (Tip:' >"$tmp/pipe$z" || return 1
	done
	grep -q '%.*\.a64' "$tmp/pipe" && cmp "$tmp/pipe" "$tmp/pipe-z"
}
for letters in b ibe i1000il64 i1000ig16; do
	inject -i "$data" --itrace=$letters -o "$tmp/injected"
	inject -i "$data" --itrace=$letters -z -o "$tmp/packed"
	case $letters in *l*) fields="-F +brstack" ;; *) fields= ;; esac
	check "perf of compressed records: $letters" says_the_same "$fields"
done
check "perf of compressed records in a pipe" same_in_pipe i1000il64
exit $bad
