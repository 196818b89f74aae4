#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How `info` explains losses, in text and as JSON, and that its sums fit.
. tests/cli/tap.sh
. tests/cli/tool.sh
sample=tests/data/sample.perf.data
symfs=tests/data/symfs

# The text behind "Images:".
cat >"$tmp/want" <<'END'
Images:
cstrace: missing code, 4524 times (17,618 bytes of trace, 99.8 %): /opt/cstrace-sample/sample.a64: file not found; give the directory with the target's files with --symfs DIR

Losses:
  4,524 places whose file was not found, 17,618 bytes of trace, 99.8 %: a mapped file is not on this machine
    -> copy the missing files below the directory of --symfs, too; or run perf archive on the target and unpack the result below ~/.debug
  29,027 atoms without an address or context: what follows a loss, until the next address

Losses by CPU:
  CPU 0, 17,618 bytes of trace, 99.8 %: 4,524 places whose file was not found, 29,027 atoms without an address or context

Losses by process:
  process 100 sample.a64, 17,618 bytes of trace, 99.8 %: 4,524 places whose file was not found, 29,027 atoms without an address or context
END
missing_program() {
	run 5 info -i $sample --symfs "$tmp" || return 1
	sed -n '/^Images:/,/^Next:/p' "$tmp/out" | sed '/^Next:/d' | sed '$d' >"$tmp/tail"
	diff "$tmp/want" "$tmp/tail"
}
nothing_lost() {
	run 0 info -i $sample --symfs $symfs && says "$tmp/out" "all code that ran was found" &&
		[ "$(sed -n '/^Losses:/,/^$/p' "$tmp/out" | sed -n 2p)" = "  none" ]
}
points_to_info() {
	run 5 script --itrace=b -i $sample --symfs "$tmp" && says "$tmp/err" "'perf-cstrace info' tells" &&
		run 0 script --itrace=b -i $sample --symfs $symfs && ! grep -q "perf-cstrace info" "$tmp/err"
}
check "a missing program" missing_program
check "nothing lost" nothing_lost
bytes_of_buffers() {
	run 0 info -i $sample --symfs $symfs && says "$tmp/out" \
		"  buffer 0, thread 100: 17648 bytes in 1 piece; 1 fragment with 17648 bytes, frames with trace ID 0x10"
}
check "how much trace a buffer holds" bytes_of_buffers
check "where the trace unit's threads are" says "$tmp/out" "    thread: context ID with 32 bits"
check "other commands point to it" points_to_info
last_line() {
	"$tool" info -i $sample --symfs $symfs >"$tmp/both" 2>&1 && sed '$!d' "$tmp/both" | grep "^cstrace: .*losses: none\$"
}
check "the summary comes behind the text" last_line
forms() {
	mkdir "$tmp/folder" && cp $sample "$tmp/folder/data" && run 0 info -i "$tmp/folder" --no-decode &&
		[ "$(sed 1q "$tmp/out")" = "File: $tmp/folder (directory)" ] || return 1
	"$CST_GEN" random --case=1 --insns=100 --pipe --perf "$tmp/piped" --images "$tmp/piped.images" >"$tmp/gen" &&
		run 0 info -i "$tmp/piped" --no-decode && [ "$(sed 1q "$tmp/out")" = "File: $tmp/piped (pipe)" ] &&
		run 0 info -i $sample --no-decode && [ "$(sed 1q "$tmp/out")" = "File: $sample" ]
}
check "forms of files" forms

# The text behind "Time:", of what perf, simpleperf and a snapshot recorded.
text_is() {
	code=$1
	shift
	run $code info "$@" || return 1
	sed -n '/^Time:/,$p' "$tmp/out" | sed "s|$tmp|TMP|g; s/build-id [0-9a-f]*/build-id ID/g" >"$tmp/tail"
	diff "$tmp/want" "$tmp/tail"
}
cat >"$tmp/want" <<'END'
Time: timestamps of the virtual counter, converted as the file says (TIME_CONV)
  covered: 1.000001001 to 1.000123841 s, 0.000122840 s

Who ran:
  context IDs hold the thread

Binaries, by instructions:
  100.0 %  /opt/cstrace-sample/sample.a64
           tests/data/symfs/opt/cstrace-sample/sample.a64, build-id ID, symbols, DWARF 4

Images:
  all code that ran was found

Losses:
  none

Next:
  perf-cstrace script -i tests/data/sample.perf.data --symfs tests/data/symfs --itrace=b -F comm,pid,tid,cpu,time,ip,sym,addr
  perf-cstrace inject -i tests/data/sample.perf.data --symfs tests/data/symfs --itrace=i1000il64 -o samples.data; perf report -i samples.data --symfs tests/data/symfs
  perf-cstrace profile -i tests/data/sample.perf.data --symfs tests/data/symfs --binary /opt/cstrace-sample/sample.a64 --format=autofdo -o counts.txt
  perf-cstrace report -i tests/data/sample.perf.data --symfs tests/data/symfs -o pages
END
check "the whole text: perf" text_is 0 -i $sample --symfs $symfs
"$tool" convert -i $sample --symfs $symfs --to=snapshot -o "$tmp/snapshot" 2>/dev/null
cat >"$tmp/want" <<'END'
Time: that of the timestamps, since the counter was 0: nothing else has times; 1 ns per tick, assumed (--ts-freq changes it)
  covered: 0.000001001 to 0.000123841 s, 0.000122840 s

Who ran:
  context IDs hold the thread

Binaries, by instructions:
  100.0 %  TMP/snapshot/mem0.bin
           TMP/snapshot/mem0.bin, build-id ID, no symbols, no debug information

Images:
  all code that ran was found

Losses:
  none

Next:
  perf-cstrace script -i TMP/snapshot --itrace=b -F comm,pid,tid,cpu,time,ip,sym,addr
  perf-cstrace inject -i TMP/snapshot --itrace=i1000il64 -o samples.data; perf report -i samples.data
  perf-cstrace profile -i TMP/snapshot --binary TMP/snapshot/mem0.bin --format=autofdo -o counts.txt
  perf-cstrace report -i TMP/snapshot -o pages
END
check "the whole text: a snapshot" text_is 0 -i "$tmp/snapshot"
# Each command line that is shown runs.
next_runs() {
	run 0 info -i $sample --symfs $symfs && sed -n '/^Next:/,$s/^  perf-cstrace //p' "$tmp/out" | sed 's/; .*//' >"$tmp/next" &&
		[ "$(wc -l <"$tmp/next")" -eq 4 ] || return 1
	while read -r line; do
		eval "\"$tool\" $(echo "$line" | sed "s|-o |-o $tmp/next-|")" >"$tmp/lines" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
	done <"$tmp/next"
	[ -s "$tmp/next-samples.data" ] && [ -s "$tmp/next-counts.txt" ] && [ -s "$tmp/next-pages/index.html" ]
}
check "what comes next runs" next_runs
nothing_decoded() {
	run 5 info -i $sample --symfs $symfs --cpu 4095 && says "$tmp/out" "nothing was decoded" &&
		! grep "all code that ran was found" "$tmp/out"
}
check "nothing was decoded" nothing_decoded
next_option() {
	mkdir -p "$tmp/no files" && run 5 info -i $sample && says "$tmp/out" "  perf-cstrace info -i $sample --symfs DIR" &&
		run 5 info -i $sample --symfs "$tmp/no files" && says "$tmp/out" "--symfs '$tmp/no files' --packets --log" &&
		! grep "symfs DIR\$" "$tmp/out" | grep "perf-cstrace info"
}
check "what comes next when files are missing" next_option
# Nothing that perf alone has is advised to others; they are named.
others_words() {
	says "$tmp/out" "$1" && ! grep -nE '(^|[^e])perf (record|archive|buildid-cache)|cs_etm|--kcore|-k mono|by perf' "$tmp/out" "$tmp/err"
}
phone() {
	"$CST_GEN" scenario phone-bare --case 1 --perf "$tmp/phone" --truth "$tmp/truth" --symfs "$tmp/root" &&
		mkdir -p "$tmp/empty" && run 5 info -i "$tmp/phone" --symfs "$tmp/empty" && others_words "by simpleperf" &&
		says "$tmp/out" "simpleperf"
}
check "words for simpleperf" phone
# AUXTRACE_INFO becomes a record of a type that nobody knows.
phone_without_trace() {
	python3 - "$tmp/phone" "$tmp/no-trace" <<'END' || return 1
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at, size = struct.unpack_from("<QQ", data, 40)
end = at + size
while at < end:
    kind, _, length = struct.unpack_from("<IHH", data, at)
    if kind == 70:
        struct.pack_into("<I", data, at, 250)
    at += length + (struct.unpack_from("<Q", data, at + 8)[0] if kind == 71 else 0)
open(sys.argv[2], "wb").write(data)
END
	run 1 info -i "$tmp/no-trace" && says "$tmp/err" "no CoreSight trace in this file" &&
		says "$tmp/err" "record with 'simpleperf record -e cs-etm:u'"
}
check "simpleperf without trace" phone_without_trace
snapshot_words() {
	rm -f "$tmp/snapshot/mem0.bin"
	"$tool" info -i "$tmp/snapshot" >"$tmp/out" 2>"$tmp/err"
	others_words "Recorded: a snapshot" && says "$tmp/out" "[dump]"
}
check "words for a snapshot" snapshot_words
facts() {
	run 0 info -i $sample --symfs $symfs --format=json && python3 - "$tmp/out" <<'END'
import json, sys
j = json.load(open(sys.argv[1]))
assert j["recorder"] == "perf" and j["time"] == {"first": 1000001001, "last": 1000123841}
b, = j["binaries"]
assert b["path"] == "/opt/cstrace-sample/sample.a64" and b["instructions"] == j["instructions"] > 0
assert b["file"].endswith("symfs/opt/cstrace-sample/sample.a64") and len(b["build_id"]) == 40
assert b["symbols"] == "all" and b["dwarf"] == [4, 4]
assert len(j["next"]) == 4 and all(l.startswith("perf-cstrace ") for l in j["next"])
END
}
check "JSON: the same facts" facts

# Sums of the tables, and the same numbers as in the text.
cat >"$tmp/sums.py" <<'END'
import json, sys
j = json.load(open(sys.argv[1]))
text = open(sys.argv[2]).read()
amount = {l["cause"]: (l["count"], l["bytes"]) for l in j["losses"]}
for l in j["losses"]:
    line = "  %s %s" % (format(l["count"], ","), l["counted"])
    assert line in text, line
    assert l["why"] in text
    assert l["cure"] is None or "-> " + l["cure"] in text
for rows in (j["cpus"], j["processes"]):
    sums = {}
    for r in rows:
        a = sums.setdefault(r["cause"], [0, 0])
        a[0] += r["count"]
        a[1] += r["bytes"]
    for cause, a in sums.items():
        assert tuple(a) == amount[cause], cause
for f in j["files"]:
    assert f["path"] in text
    assert f["count"] <= amount[f["cause"]][0] and f["bytes"] <= amount[f["cause"]][1]
assert bool(j["losses"]) == (int(sys.argv[3]) in (3, 5))
assert j["branches"] > 0 or amount, j
END
sums_fit() {
	run "$1" info -i "$2" --symfs "$3" --format=json && cp "$tmp/out" "$tmp/json" &&
		run "$1" info -i "$2" --symfs "$3" --all && python3 "$tmp/sums.py" "$tmp/json" "$tmp/out" "$1"
}
check "JSON: a missing program" sums_fit 5 $sample "$tmp"
check "JSON: nothing lost" sums_fit 0 $sample $symfs
head -c 9000 $sample >"$tmp/cut"
check "JSON: a cut file" sums_fit 3 "$tmp/cut" $symfs
mkdir -p "$tmp/empty"
for seed in 1 2 3; do
	"$CST_GEN" scenario lost-map --case $seed --perf "$tmp/data" --truth "$tmp/truth$seed" --symfs "$tmp/root$seed"
	check "JSON: a lost map, $seed" sums_fit 3 "$tmp/data" "$tmp/root$seed"
	check "JSON: no programs at all, $seed" sums_fit 5 "$tmp/data" "$tmp/empty"
done
wrong_use() {
	run 129 info -i $sample --format=xml && run 129 info -i $sample --format=json --no-decode
}
check "129: formats" wrong_use

# Register values that the architecture reserves: said, and followed where they state a size.
reserved() {
	"$CST_GEN" random --case=5 --ete --vmid-bytes=2 --vmid-on --insns=2000 --perf "$tmp/vmid" --images "$tmp/vmid.images" \
		>"$tmp/gen" && run 0 info -i "$tmp/vmid" && says "$tmp/out" "TRCIDR2.VMIDSIZE holds 2, which the architecture" &&
		run 0 info -i $sample --symfs $symfs && ! grep reserves "$tmp/out"
}
check "a reserved VMIDSIZE" reserved
finish
