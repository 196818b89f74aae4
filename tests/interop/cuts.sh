#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Where the AUXTRACE records of a file cut a buffer changes nothing of what is made of it: times, samples, profiles,
# elements. Of the shipped recordings and of generated ones: raw and framed, without AUX records, without a clock.
. tests/cli/tap.sh
. tests/cli/tool.sh

# Everything that is made of a recording, into one file.
made() { # RECORDING SYMFS
	for itrace in b i100il64 i1us bi1usl8; do
		"$tool" script -i "$1" --symfs "$2" --itrace=$itrace -F pid,tid,cpu,time,ip,addr,period,brstack 2>/dev/null
		"$tool" inject -i "$1" --symfs "$2" --itrace=$itrace -o "$tmp/out" 2>/dev/null && cat "$tmp/out"
	done
	"$tool" script -i "$1" --symfs "$2" --itrace=b --time 20%-60% -F time,ip,addr 2>/dev/null
	"$tool" profile -i "$1" --symfs "$2" 2>/dev/null
	"$tool" dump -i "$1" --symfs "$2" --elements --frames 2>/dev/null
}
# The recording is replaced by its cut form, under the same name: the outputs have it.
same() { # RECORDING SYMFS SEED
	n=$(tests/interop/cut-aux.py "$tmp/kept" "$1" "$3") || return 1
	made "$1" "$2" >"$tmp/cut"
	[ "$n" -gt 2 ] || { echo "$n cuts"; return 1; }
	[ -s "$tmp/whole" ] && cmp "$tmp/whole" "$tmp/cut"
}
for name in sample sample-trbe sample-a32 sample-etmv3 sample-ptm; do
	cp tests/data/$name.perf.data "$tmp/kept"
	cp "$tmp/kept" "$tmp/in"
	made "$tmp/in" tests/data/symfs >"$tmp/whole"
	for seed in 1 2 3; do
		check "$name, cut by $seed" same "$tmp/in" tests/data/symfs $seed
	done
done
case=0
for options in "--buf=cpu --cpus=2 --timed" "--buf=one --cpus=2 --timed --no-time-conv" "--raw --meta=2 --timed" \
	"--buf=cpu --timed --ts=40 --fragment=3000 --no-time-conv"; do
	case=$((case + 1))
	mkdir "$tmp/root$case"
	# shellcheck disable=SC2086
	"$CST_GEN" random --case=$((40 + case)) --id=0x10 --insns=15000 $options --perf "$tmp/in" --images "$tmp/root$case/gen" \
		--prefix /gen >"$tmp/gen" 2>&1 || cat "$tmp/gen"
	cp "$tmp/in" "$tmp/kept"
	made "$tmp/in" "$tmp/root$case" >"$tmp/whole"
	for seed in 1 2 3; do
		check "$options, cut by $seed" same "$tmp/in" "$tmp/root$case" $seed
	done
done
finish
