#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Names in a recording are bytes that somebody else chose: whatever they are, no command writes a control character, a
# line that a name began, or anything but UTF-8 for people to read; files keep the bytes.
. tests/cli/tap.sh
. tests/cli/tool.sh
data=$tmp/names.data
root=$tmp/root
elf=tests/data/symfs/opt/cstrace-sample/sample.a64

names() {
	python3 tests/cli/names.py "$@"
}

# Build-ids belong to the program's note, which stays; the recording has none.
names make tests/data/sample.perf.data $elf "$data" "$root" || exit 1

readable() {
	run "$@" && names text "$tmp/out" "$tmp/err"
}
shows() {
	readable "$@" && cat "$tmp/out" "$tmp/err" >"$tmp/both" && names shown "$tmp/both"
}
is_json() {
	run "$@" && names text "$tmp/err" && names json "$tmp/out"
}

for where in "0 $root" "5 $tmp/nowhere"; do
	code=${where%% *} symfs=${where#* }
	# a listing needs no program
	[ $code -eq 0 ] && listed=0 || listed=3
	[ $code -eq 0 ] && what="with the program" || what="without it"
	mkdir -p "$symfs"
	check "info, $what" shows $code info --all -i "$data" --symfs "$symfs"
	check "info --format=json, $what" is_json $code info --format=json -i "$data" --symfs "$symfs"
	check "info --no-decode, $what" shows 0 info --no-decode -i "$data" --symfs "$symfs"
	check "dump --format=json, $what" is_json $listed dump --format=json -i "$data" --symfs "$symfs"
	for format in text opencsd none; do
		check "dump --format=$format, $what" readable $listed dump --format=$format --log -i "$data" --symfs "$symfs"
	done
	check "inject, $what" readable $code inject --itrace=bil -i "$data" --symfs "$symfs" -o "$tmp/o"
	check "inject keeps the bytes, $what" names kept "$tmp/o"
done
for fields in comm,pid,time,event,ip,sym,symoff,dso,addr comm,tid,ip,sym; do
	check "script -F $fields" shows 0 script --itrace=be -F $fields -i "$data" --symfs "$root"
done
check "script: branch stacks and call chains" shows 0 script --itrace=i1000ilg -F +brstack -i "$data" --symfs "$root"
check "script: code and calls" shows 0 script --itrace=i1000ilg -F +brstackinsn,+srcline,+brstacksym -i "$data" --symfs "$root"
check "script --call-trace" shows 0 script --call-trace -i "$data" --symfs "$root"
check "script without the program" shows 5 script --itrace=be -i "$data" --symfs "$tmp/nowhere"
for format in autofdo llvm bolt callgrind folded top; do
	check "profile --format=$format" shows 0 profile --format=$format -i "$data" --symfs "$root"
done
check "timeline" is_json 0 timeline -o - -i "$data" --symfs "$root"
report_pages() {
	readable 0 report -i "$data" --symfs "$root" -o "$tmp/report" && names text "$tmp/report"/*.html && names shown "$tmp/report/index.html"
}
check "report" report_pages
check "profile: another binary" shows 5 profile --binary other -i "$data" --symfs "$root"
check "profile without the program" shows 5 profile -i "$data" --symfs "$tmp/nowhere"

# No INI file can hold the image's name, so it is left out.
check "a package" shows 3 convert --to=package --images -i "$data" --symfs "$root" -o "$tmp/package"
check "a package: info" shows 5 info -i "$tmp/package" --symfs "$tmp/nowhere"
check "a package and back" readable 0 convert --to=perf -i "$tmp/package" -o "$tmp/back.data"
check "a package and back: the bytes" names kept "$tmp/back.data"
check "a snapshot" readable 0 convert --to=snapshot -i "$data" --symfs "$root" -o "$tmp/snapshot"
check "a snapshot: dump" readable 0 dump -s "$tmp/snapshot" --elements
check "index" readable 0 index -i "$data" --symfs "$root" -o "$tmp/index"
check "index --show" readable 0 index --show -i "$data" -o "$tmp/index"

# Names of the input itself, and inside a snapshot.
evil=$tmp/$(printf 'a\033[31m\nINJECTED')
check "an input that is not there" shows 1 info -i "$evil"
evil_files() {
	cp "$data" "$evil" && head -c 9000 "$data" >"$evil.cut" && readable 0 index -i "$evil" --symfs "$root" &&
		readable 0 index --show -i "$evil" && readable 1 index --show -i "$evil" -o "$evil.none" &&
		readable 0 dump --from offset=1 -i "$evil" --symfs "$root" --index "$evil.cut" &&
		readable 1 dump --from offset=1 -i "$evil" --symfs "$root" --index "$evil.none" &&
		readable 3 info -i "$evil.cut" --symfs "$root" && readable 1 convert --to=perf -i "$evil" -o "$tmp/o"
	code=$?
	rm -f "$evil" "$evil".*
	return $code
}
check "an input and an index of such a name" evil_files
mkdir "$evil"
cp -r "$tmp/snapshot/." "$evil"
check "a snapshot of such a name" readable 0 dump -s "$evil" --elements
sed 's/ETB_0_0/\x1b[31m\xff\x9b/' "$tmp/snapshot/trace.ini" >"$evil/trace.ini"
for format in text opencsd; do
	check "names inside a snapshot, $format" shows 0 dump -s "$evil" --elements --format=$format
done
check "names inside a snapshot, JSON" is_json 0 dump -s "$evil" --elements --format=json
check "names inside a snapshot: none of them" shows 1 dump -s "$evil" --source other
rm "$evil/trace.ini"
check "a file that such a snapshot lacks" readable 1 dump -s "$evil" --elements
finish
