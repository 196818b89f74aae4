#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Options that cannot be meant as they were given: twice, naming what is not there, or without an effect.
. tests/cli/tap.sh
. tests/cli/tool.sh
sample=tests/data/sample.perf.data
symfs=tests/data/symfs
none=$tmp/no-such-thing
: >"$tmp/file"

# error TEXT COMMAND...: code 1 and nothing on stdout
error() {
	text=$1
	shift
	run 1 "$@" && is_empty "$tmp/out" && says "$tmp/err" "$text"
}
for c in info "script --itrace=b" "dump --elements" "inject --itrace=b -o $tmp/o" "profile -o $tmp/o" index \
	"convert --to=package -o $tmp/o"; do
	for o in symfs vmlinux kcore kallsyms jitdump buildid-dir; do
		check "$c: --$o that is not there" error "--$o $none: No such file or directory; give a f" $c -i $sample \
			--$o "$none"
	done
	check "$c: --symfs that is a file" error "found a file, expected a folder" $c -i $sample --symfs "$tmp/file"
	check "$c: --vmlinux that is a folder" error "found a folder, expected a file" $c -i $sample --vmlinux "$tmp"
done
check "no output was made" test ! -e "$tmp/o"
check "one of two jitdump files" error "--jitdump $none: " info -i $sample --jitdump "$tmp/file,$none"
# What its first 4095 bytes name is another file, which is there.
long_name() {
	: >"$tmp/a"
	slashes=$(printf '%*s' $((4096 - ${#tmp} - 2)) '' | tr ' ' /)
	error "aa: File name too long; give a file that exists" info -i $sample --no-decode --jitdump "$tmp${slashes}aa"
}
check "a jitdump file with a longer name than the system takes" long_name
check "an empty --symfs is none" run 5 info -i $sample --symfs ""
for o in vmlinux kcore kallsyms jitdump buildid-dir; do
	check "an empty --$o is none" run 0 info -i $sample --symfs $symfs --$o ""
done

usage() {
	text=$1
	shift
	run 129 "$@" && is_empty "$tmp/out" && says "$tmp/err" "$text"
}
warns() {
	code=$1 text=$2
	shift 2
	run $code "$@" && says "$tmp/err" "warning: $text"
}
quiet() {
	code=$1
	shift
	run $code "$@" && ! grep warning "$tmp/err"
}
check "--binary twice" usage "--binary is given twice, as 'a' and as 'b'" profile -i $sample --binary a --binary b
check "-i twice" usage "--input is given twice" info -i $sample --input=x
check "--pid twice" usage "give all of them in one list" script -i $sample --pid 1 --pid 2
check "--itrace twice" usage "--itrace is given twice" inject -i $sample --itrace=i --itrace=b
check "the same twice" warns 0 "--symfs $symfs is given twice" info -i $sample --symfs $symfs --symfs $symfs
check "a flag twice" quiet 0 info -f -f -i $sample --symfs $symfs --all --all
check "dump: --index and --no-index" warns 0 "--index has no effect" dump -i $sample --symfs $symfs --from time=1 --index x --no-index

check "script --itrace=l" usage "use them with i" script -i $sample --itrace=l
check "script --itrace=g" usage "use them with i" script -i $sample --itrace=bg
check "script --itrace=Z" usage "nothing to print" script -i $sample --itrace=Z
check "script --itrace=il without brstack" warns 0 "l in --itrace has no effect" script -i $sample --symfs $symfs --itrace=i1000il
check "script --itrace=il with brstack" quiet 0 script -i $sample --symfs $symfs --itrace=i1000il -F +brstack
check "script --ns without times" warns 0 "--ns has no effect" script -i $sample --symfs $symfs --itrace=b -F ip,addr --ns
check "inject --hw-index without l" warns 0 "--hw-index has no effect" inject -i $sample --symfs $symfs --itrace=b --hw-index -o "$tmp/o"
check "inject --hw-index with l" quiet 0 inject -i $sample --symfs $symfs --itrace=il --hw-index -o "$tmp/o"
check "info --format=json --all" warns 0 "--all has no effect" info -i $sample --symfs $symfs --format=json --all
check "info --no-decode --cpu" warns 0 "--cpu has no effect" info -i $sample --no-decode --cpu 0
check "dump --frames --from" warns 0 "--from has no effect: they are for packets and elements" dump -i $sample --symfs $symfs \
	--frames --from offset=16
check "dump --raw --id" warns 0 "--id has no effect" dump -i $sample --symfs $symfs --raw --id 0x10
check "dump --format=none --frames" warns 0 "--frames has no effect" dump -i $sample --symfs $symfs --format=none --frames
"$tool" convert -i $sample --symfs $symfs --to=snapshot -o "$tmp/snapshot" 2>/dev/null
# Bit 11 of TRCCONFIGR: timestamps.
sed -i 's/^\(TRCCONFIGR.*=\)0x1841$/\10x1041/' "$tmp/snapshot/ETM_0.ini"
check "--ts-freq without timestamps" warns 0 "--ts-freq has no effect" info --no-decode -i "$tmp/snapshot" --ts-freq 1m
check "--ts-freq with timestamps" quiet 0 info --no-decode -i $sample --ts-freq 1m
check "dump -s --symfs" warns 0 "--symfs has no effect: a snapshot" dump -s "$tmp/snapshot" --symfs $symfs --elements
check "dump -s -f" warns 0 "--force has no effect" dump -s "$tmp/snapshot" -f
check "dump -s" quiet 0 dump -s "$tmp/snapshot" --elements
check "index -s --vmlinux" warns 0 "--vmlinux has no effect" index -s "$tmp/snapshot" --vmlinux "$tmp/file"
check "index --show --full" warns 0 "--full has no effect" index --show -s "$tmp/snapshot" --full
check "index --show" quiet 0 index --show -s "$tmp/snapshot"
check "convert without --images" warns 0 "--symfs has no effect" convert -i $sample --symfs $symfs --to=package -o "$tmp/package"
check "convert --to=perf" warns 0 "--symfs has no effect" convert -i "$tmp/package" --symfs $symfs --to=perf -o "$tmp/o"
check "convert with --images" quiet 0 convert -i $sample --symfs $symfs --to=package --images -o "$tmp/images"
finish
