#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perf-cstrace index, and dump --from and --to with it: what is listed is the same as without, and less is decoded.
# CSTRACE_NIGHTLY=1: of a trace of 256 MiB instead of 16.
. tests/cli/tap.sh
. tests/cli/tool.sh
mib=${CSTRACE_NIGHTLY:+256}
mib=${mib:-16}
big=$tmp/big
last=$(python3 tests/cli/index_big.py "$big" "$mib")
bytes=$((mib * 1048576))
late=$((last - last / 100))

size() { wc -c <"$1"; }

check "index of a snapshot" run 0 index -s "$big"
check "it is below a thousandth of the trace" test $(($(size "$big/cstrace.cstidx") * 1000)) -lt $bytes
shown() {
	run 0 index --show -s "$big" && says "$tmp/out" "ETB_0: raw, offset 0, $bytes bytes" &&
		says "$tmp/out" "time 1000 to $last" && says "$tmp/out" "ETMv4" &&
		says "$tmp/out" "triggers 0, barriers 0, bad frames 0, frame synchronisations 0"
}
check "index --show" shown

# The last hundredth, by time.
counted() {
	run 0 dump -s "$big" --format=none "$@" && sed -n 's/^bytes //p' "$tmp/out" >"$tmp/bytes"
}
seeks() {
	counted --from time=$late && [ $(($(cat "$tmp/bytes") * 100)) -lt $((bytes * 3)) ] ||
		{ echo "$(cat "$tmp/bytes") of $bytes bytes were decoded"; return 1; }
}
check "the last hundredth by time: below 3 % of the bytes are decoded" seeks
all_bytes() { counted --from time=$late --no-index && [ "$(cat "$tmp/bytes")" -eq $bytes ]; }
check "--no-index: all of them" all_bytes

same() {
	"$tool" dump "$@" >"$tmp/with" 2>"$tmp/err" || { cat "$tmp/err"; return 1; }
	"$tool" dump "$@" --no-index >"$tmp/without" 2>/dev/null || return 1
	[ -s "$tmp/with" ] && cmp "$tmp/with" "$tmp/without" && ! grep refused "$tmp/err"
}
check "by time: elements as without an index" same -s "$big" --elements --from time=$late --to time=$((late + 20000))
check "by time: packets as without an index" same -s "$big" --packets --from time=$late --to time=$((late + 2000))
check "by offset" same -s "$big" --elements --from offset=$((bytes / 2 + 77)) --to offset=$((bytes / 2 + 9000))
check "by context" same -s "$big" --elements --from context=0x100 --to time=4000
check "by event" same -s "$big" --elements --from event --to time=1004000
check "in the reference's format" same -s "$big" --format=opencsd --from time=$late --to time=$((late + 2000))
nothing() { run 5 dump -s "$big" --elements --from time=$((last + 1)) && ! grep -v "^#" "$tmp/out"; }
check "later than all: nothing" nothing
nothing_anywhere() { run 5 dump -s "$big" --elements --from context=7 && ! grep -v "^#" "$tmp/out"; }
check "a context that is not there: nothing" nothing_anywhere

# Files that cannot be used are told of, and made anew.
good=$tmp/good
cp "$big/cstrace.cstidx" "$good"
refuses() {
	run 0 dump -s "$big" --format=none --from time=$late && says "$tmp/err" "$1" && says "$tmp/err" "found 0x" && says "$tmp/err" "expected 0x" &&
		says "$tmp/err" "written anew" && cmp "$good" "$big/cstrace.cstidx"
}
head -c 300 "$good" >"$big/cstrace.cstidx"
check "cut: refused, and made anew" refuses "the file is cut"
{ head -c 100 "$good"; printf x; tail -c +102 "$good"; } >"$big/cstrace.cstidx"
check "damaged: refused, and made anew" refuses "checksum"
echo "something else, and long enough to have a header of an index" >"$big/cstrace.cstidx"
check "another kind of file: refused, and made anew" refuses "not an index"
cp "$big/trace.bin" "$tmp/trace.bin"
# An atom packet of the block at whose synchronisation decoding begins (index_big.py: 4096 bytes and 1000 ticks each).
begins=$(((late / 1000 - 1) * 4096))
damage() { printf '\333' | dd of="$big/trace.bin" bs=1 seek="$1" conv=notrunc 2>/dev/null; }
damage $((begins + 2048))
changed() {
	run 0 dump -s "$big" --format=none --from time=$late && says "$tmp/err" "digest" && says "$tmp/err" "written anew"
}
cp "$good" "$big/cstrace.cstidx"
check "the trace has changed where decoding begins: refused, and made anew" changed
head -c $((bytes - 4096)) "$tmp/trace.bin" >"$big/trace.bin"
check "another size: refused, and made anew" run 0 dump -s "$big" --format=none --from time=$late
check "another size: it is said" says "$tmp/err" "bytes of the trace"
cp "$tmp/trace.bin" "$big/trace.bin"

# What is made anew is as fine as what was there.
run 0 index -s "$big" --full --granularity 65536 -o "$tmp/full"
cp "$tmp/full" "$big/cstrace.cstidx"
damage $((begins + 2048))
check "a full one: refused, and made anew" changed
full_again() { run 0 index --show -s "$big" && says "$tmp/out" "blocks of 65536 bytes" && says "$tmp/out" "records "; }
check "and is full again, with the same blocks" full_again
cp "$tmp/trace.bin" "$big/trace.bin"

# What changed behind the block where decoding begins is decoded as it is: nothing to refuse.
cp "$tmp/full" "$big/cstrace.cstidx"
damage $((begins + 65536 + 2048))
check "the trace has changed later: elements as without an index" same -s "$big" --elements --from time=$late \
	--to time=$((late + 60000))
cp "$tmp/trace.bin" "$big/trace.bin"

# Of listings with other options it says nothing: one for these is added, and the file serves all from then on.
cp "$good" "$big/cstrace.cstidx"
quiet() {
	run 0 dump -s "$big" --format=none --from time=$late "$@" && ! grep cstidx "$tmp/err"
}
others() {
	same -s "$big" --elements --strict --from time=$late && says "$tmp/err" "other options" &&
		says "$tmp/err" "written for these options, too" && quiet && quiet --strict && seeks &&
		[ "$(size "$big/cstrace.cstidx")" -gt "$(size "$good")" ]
}
check "--strict: an index for it is added" others
strict_seeks() {
	counted --strict --from time=$late && [ $(($(cat "$tmp/bytes") * 100)) -lt $((bytes * 3)) ]
}
check "--strict: the next time little is decoded" strict_seeks
both_shown() { run 0 index --show -s "$big" && [ "$(grep -c "^ETB_0: raw" "$tmp/out")" -eq 2 ]; }
check "index --show: both" both_shown
damaged_set() {
	run 0 index -s "$big" && cmp "$good" "$big/cstrace.cstidx" && head -c 300 "$good" >"$big/cstrace.cstidx" &&
		run 0 dump -s "$big" --format=none --from time=$late --strict && says "$tmp/err" "the file is cut" &&
		says "$tmp/err" "written anew" && quiet --strict
}
check "--strict: a damaged one is made anew" damaged_set
stays() {
	head -c 300 "$good" >"$big/cstrace.cstidx"
	run 0 dump -s "$big" --format=none --from time=$late "$@" && says "$tmp/err" "one is made for this run" &&
		[ "$(size "$big/cstrace.cstidx")" -eq 300 ]
}
check "--id: a damaged one is not replaced" stays --id 0x10
no_id() { run 1 index -s "$big" --id 0x6f -o "$tmp/no-id" && says "$tmp/err" "no source has trace ID 0x6f" && ! [ -e "$tmp/no-id" ]; }
check "index of a trace ID that is not there: none" no_id
not_shown() { run 1 index --show -s "$big" -o README.md && says "$tmp/err" "not an index" && says "$tmp/err" "is not shown"; }
check "--show of another kind of file" not_shown
rm "$big/cstrace.cstidx"
mkdir "$big/cstrace.cstidx"
folder() {
	run 0 dump -s "$big" --format=none --from time=$late && says "$tmp/err" "Is a directory" && ! grep "choose another" "$tmp/err"
}
check "one that cannot be read" folder
rmdir "$big/cstrace.cstidx"
check "one that was named and cannot be read" run 1 dump -s "$big" --from time=1 --index "$tmp"

# Frames: how strict they are taken is an option, too.
"$CST_GEN" random --case 3 --insns 3000 --snapshot "$tmp/frames" >"$tmp/gen"
framed() {
	run 0 index -s "$tmp/frames" && says "$tmp/err" "1 buffer," && cp "$tmp/frames/cstrace.cstidx" "$tmp/kept" &&
		same -s "$tmp/frames" --elements --strict --from offset=100 && says "$tmp/err" "other options" &&
		says "$tmp/err" "written for these options, too"
}
check "--strict with frames: one is added" framed
named_is_told() {
	cp "$tmp/kept" "$tmp/mine"
	run 0 dump -s "$tmp/frames" --elements --strict --from offset=100 --index "$tmp/mine" &&
		says "$tmp/err" "one is made for this run, and it stays" && cmp "$tmp/kept" "$tmp/mine"
}
check "one that was named stays as it is" named_is_told
# An index of the same bytes, of another trace unit or taken apart in another way.
run 0 index -s "$tmp/frames" -o "$tmp/right"
cp -r "$tmp/frames" "$tmp/changed" && rm -f "$tmp/changed/cstrace.cstidx"
other_unit() {
	sed -i 's/^\(TRCIDR8[^=]*\)=.*/\1=0x40/' "$tmp"/changed/*.ini && run 3 dump -s "$tmp/changed" --elements --from offset=100 --index "$tmp/right" &&
		says "$tmp/err" "trace ID 0x" && says "$tmp/err" ": made for another configuration: found 0x" &&
		says "$tmp/err" "this index is not used; one is made for this run"
}
check "an index for another trace unit" other_unit
other_layout() {
	sed -i 's/^format=coresight/format=dstream_coresight/' "$tmp/changed/trace.ini" &&
		"$tool" dump -s "$tmp/changed" --elements --from offset=100 --index "$tmp/right" >"$tmp/out" 2>"$tmp/err"
	says "$tmp/err" "layout of the buffer: found 0x104, expected 0x109: this index is not used"
}
check "an index for frames of another kind" other_layout
foreign() { same -s "$big" --elements --from time=$late --index "$tmp/kept" && says "$tmp/err" "no index of 'ETB_0' in it"; }
sed 's/ETB_0/ETB_9/' "$tmp/frames/trace.ini" >"$tmp/trace.ini" && cp "$tmp/trace.ini" "$tmp/frames/trace.ini"
check "index of a buffer with another name" run 0 index -s "$tmp/frames" -o "$tmp/kept"
check "one that has none of this buffer" foreign
# An index that lacks a buffer does not take the place of one; where there is none, it is written.
in_part() {
	cp -r "$tmp/frames" "$tmp/part" && rm -f "$tmp/part/cstrace.cstidx" &&
		sed -i 's/^buffers=.*/&,buffer9/' "$tmp/part/trace.ini" &&
		printf '[buffer9]\nname=ETB_9x\nfile=none.bin\nformat=coresight\n' >>"$tmp/part/trace.ini" &&
		run 1 index -s "$tmp/part" && says "$tmp/err" "none.bin: trace buffer cannot be read" &&
		says "$tmp/err" "cstrace index: $tmp/part/cstrace.cstidx: 1 buffer, " && ! grep "left as it was" "$tmp/err" &&
		cp "$tmp/kept" "$tmp/part/cstrace.cstidx" && run 1 index -s "$tmp/part" --granularity 256 && says "$tmp/err" \
		"cstrace index: $tmp/part/cstrace.cstidx: left as it was, not all of $tmp/part could be read" &&
		cmp "$tmp/kept" "$tmp/part/cstrace.cstidx"
}
check "not all of the trace can be read" in_part
# cut before the first AUX data
no_trace() {
	head -c 968 tests/data/sample.perf.data >"$tmp/side-band" && run 1 index -i "$tmp/side-band" &&
		says "$tmp/err" "cstrace index: no trace in $tmp/side-band that has a decoder" && ! [ -e "$tmp/side-band.cstidx" ]
}
check "a recording without trace" no_trace
check "--index without --from or --time" run 129 dump -s "$big" --index "$good"
check "--no-index without --from" run 129 dump -s "$big" --no-index
named() {
	head -c 300 "$good" >"$tmp/named"
	run 0 dump -s "$big" --format=none --from time=$late --index "$tmp/named" && says "$tmp/err" "the file is cut" &&
		[ "$(size "$tmp/named")" -eq 300 ]
}
check "one that was named is not replaced" named
check "one that was named and is not there" run 1 dump -s "$big" --from time=1 --index "$tmp/none"
check "no index to show" run 1 index --show -s "$big" -o "$tmp/none"
check "a place that is none" run 129 dump -s "$big" --from nowhere
check "--sparse and --full" run 129 index -s "$big" --sparse --full
check "-i and -s" run 129 index -s "$big" -i perf.data

# perf.data: each AUX record has an index of its own.
for name in sample sample-trbe; do
	cp tests/data/$name.perf.data "$tmp/$name"
	check "$name: index" run 0 index -i "$tmp/$name" --full --granularity 4096
	"$tool" dump -i "$tmp/$name" --symfs tests/data/symfs --elements 2>/dev/null >"$tmp/all"
	n=$(grep -vc "^#" "$tmp/all")
	for part in 3 50 97; do
		at=$(grep -v "^#" "$tmp/all" | sed -n "$((n * part / 100 + 1))p" | cut -d' ' -f1)
		check "$name: from $part %" same -i "$tmp/$name" --symfs tests/data/symfs --elements --from offset=$at
	done
done

# of one trace ID
"$CST_GEN" scenario two-cpus --case 1 --perf "$tmp/two" --truth "$tmp/two.t" --symfs "$tmp/two.s" || echo "not made"
one_id() {
	run 0 index -i "$tmp/two" --symfs "$tmp/two.s" --id 0x10 -o "$tmp/one-id" && run 0 index --show -i "$tmp/two" -o "$tmp/one-id" &&
		grep -q "^  trace ID 0x10: ETE" "$tmp/out" && ! grep "^  trace ID 0x12:" "$tmp/out" &&
		run 0 index -i "$tmp/two" --symfs "$tmp/two.s" -o "$tmp/both-ids" && run 0 index --show -i "$tmp/two" -o "$tmp/both-ids" &&
		grep -q "^  trace ID 0x10: ETE" "$tmp/out" && grep -q "^  trace ID 0x12: ETE" "$tmp/out"
}
check "index --id" one_id
other_id() {
	run 0 dump -i "$tmp/two" --symfs "$tmp/two.s" --elements --from offset=9000 --index "$tmp/one-id" &&
		says "$tmp/err" "streams of trace ID 0x12: found 0x0, expected 0x1"
}
shows_contexts() { grep -q "^    context IDs 0x3e8" "$tmp/out"; }
check "index --show: context IDs" shows_contexts
check "an index of another trace ID" other_id

finish
