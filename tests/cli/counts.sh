#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Count files of profile: every format made of one is that of the recording, with any number of threads; what is partial or
# empty is said; nothing but a sound file is read.
. tests/cli/tap.sh
. tests/cli/tool.sh
gen=${CST_GEN:-${BUILD:-build}/tests/gen/cst-gen}
data=tests/data symfs=tests/data/symfs

# count RECORDING SYMFS OPTIONS
count() {
	rec=$1 root=$2
	shift 2
	run 0 profile -i "$rec" --symfs "$root" "$@" --format=cstrace -o "$tmp/counts" && is_empty "$tmp/out" &&
		says "$tmp/err" "binaries, " &&
		run 0 profile -i "$rec" --symfs "$root" "$@" --format=cstrace -j 3 -o "$tmp/threads" && cmp "$tmp/counts" "$tmp/threads" &&
		run 0 profile -i "$tmp/counts" --format=cstrace -o "$tmp/again" && cmp "$tmp/counts" "$tmp/again" &&
		run 0 merge -o "$tmp/again" "$tmp/counts" && cmp "$tmp/counts" "$tmp/again"
}

# Each format of all binaries, and each of one binary for each of them.
same() {
	rec=$1 root=$2
	shift 2
	for format in callgrind folded top lcov pprof; do
		rm -f "$tmp/direct" "$tmp/later"
		a=0 b=0
		"$tool" profile -i "$rec" --symfs "$root" "$@" --format=$format -o "$tmp/direct" 2>"$tmp/err" || a=$?
		"$tool" profile -i "$tmp/counts" --symfs "$root" "$@" --format=$format -o "$tmp/later" 2>"$tmp/err2" || b=$?
		[ $a -eq $b ] && { [ $a -eq 0 ] || [ $a -eq 3 ] || [ $a -eq 5 ]; } || { echo "$format: exit codes $a, $b"; return 1; }
		if [ $a -eq 5 ] && [ ! -e "$tmp/direct" ]; then
			# without DWARF there are no lines
			[ $format = lcov ] && says "$tmp/err" "has no DWARF" && [ ! -e "$tmp/later" ] && continue
			cat "$tmp/err"
			return 1
		fi
		cmp "$tmp/direct" "$tmp/later" || { echo "$format differs"; diff "$tmp/direct" "$tmp/later" | head; return 1; }
	done
	python3 -c 'import sys
sys.path.insert(0, "tests/cli")
import count_file
for (kind, number), what in sorted(count_file.read(open(sys.argv[1], "rb").read())["binaries"].items()):
    if kind == 0 or what[0] == 0:
        print("build-id:" + number.hex() if kind == 0 else what[2].decode())' "$tmp/counts" >"$tmp/ids"
	[ -s "$tmp/ids" ] || return 1
	while read -r id; do
		for format in autofdo llvm bolt; do
			run 0 profile -i "$rec" --symfs "$root" "$@" --format=$format --binary "$id" -o "$tmp/direct" || return 1
			run 0 profile -i "$tmp/counts" --symfs "$root" "$@" --format=$format --binary "$id" -o "$tmp/later" || return 1
			cmp "$tmp/direct" "$tmp/later" || { echo "$format of $id differs"; return 1; }
		done
	done <"$tmp/ids"
}

for s in sample sample-trbe sample-a32 sample-t32 sample-etmv3 sample-ptm; do
	check "$s: counted" count $data/$s.perf.data $symfs
	check "$s: formats of the counts" same $data/$s.perf.data $symfs
done
for s in jit modules; do
	"$gen" scenario $s --case 1 --perf "$tmp/$s" --truth "$tmp/$s.truth" --symfs "$tmp/$s.symfs" 2>/dev/null
	set --
	[ $s = jit ] || set -- --vmlinux "$tmp/$s.symfs/boot/vmlinux"
	check "$s: counted" count "$tmp/$s" "$tmp/$s.symfs" "$@"
	check "$s: formats of the counts" same "$tmp/$s" "$tmp/$s.symfs" "$@"
done

sample=$data/sample.perf.data
check "the sample again" count $sample $symfs
cp "$tmp/counts" "$tmp/whole"

empty() {
	rm -f "$tmp/none"
	run 5 profile -i $sample --symfs "$tmp" --format=cstrace -o "$tmp/none" && [ ! -e "$tmp/none" ] &&
		says "$tmp/err" "nothing to profile" && says "$tmp/err" "sample.a64: file not found"
}
check "no binary could be decoded: 5, no file" empty
no_lines() {
	rm -f "$tmp/none"
	run 5 profile -i "$tmp/jit" --symfs "$tmp/jit.symfs" --format=lcov -o "$tmp/none" && [ ! -e "$tmp/none" ] &&
		says "$tmp/err" "nothing to profile: --format=lcov has nothing of what was executed; the trace shows:" &&
		grep "^ *[0-9]* instructions  /" "$tmp/err"
}
check "lcov without DWARF: 5, no file, and what was seen" no_lines
not_matched() {
	run 5 profile -i $sample --symfs $symfs --pid 4711 --format=cstrace -o "$tmp/none" && [ ! -e "$tmp/none" ] &&
		says "$tmp/err" "nothing was written"
}
check "a filter that selects nothing: 5, no file" not_matched
asks() {
	run 5 profile -i "$tmp/whole" --binary gcc -o "$tmp/none" && [ ! -e "$tmp/none" ] && says "$tmp/err" "asks for gcc" &&
		says "$tmp/err" "119840 instructions  /opt/cstrace-sample/sample.a64"
}
check "a binary that is not in the counts: 5, no file" asks
# Only a branch of it was decoded, as of T32 code that was gone: formats that have instructions have nothing.
no_instructions() {
	python3 -c 'import sys
sys.path.insert(0, "tests/cli")
import count_file
m = count_file.new()
key = (0, b"x" * 20)
m["binaries"][key] = [0, 40, b"/bin/t", []]
m["counts"][key] = {count_file.EDGE: {(4, 8): 2}}
sys.stdout.buffer.write(count_file.write(m))' >"$tmp/edges"
	run 0 profile -i "$tmp/edges" --format=llvm -o "$tmp/out" || return 1
	for format in callgrind folded top; do
		run 5 profile -i "$tmp/edges" --format=$format --binary t -o "$tmp/none" && [ ! -e "$tmp/none" ] &&
			says "$tmp/err" "0 instructions  /bin/t" || return 1
	done
}
check "a binary without instructions: 5, no file" no_instructions
part() {
	run 0 profile -i $data/sample-trbe.perf.data --symfs $symfs --cpu 0 --format=cstrace -o "$tmp/half" &&
		run 0 profile -i "$tmp/half" --symfs $symfs --format=top -o - && says "$tmp/err" "counted in part"
}
check "a profile of a part says so" part
misuse() {
	run 129 profile "$@" && is_empty "$tmp/out"
}
no_trace() {
	run 0 profile -i "$tmp/whole" --symfs $symfs --format=folded -j 2 --ts-freq 1g --no-calls -o "$tmp/out2" &&
		says "$tmp/err" "warning: --jobs has no effect: a count file has no trace" &&
		says "$tmp/err" "warning: --ts-freq has no effect" && says "$tmp/err" "warning: --no-calls has no effect" &&
		run 0 profile -i "$tmp/whole" --symfs $symfs --format=cstrace -o "$tmp/out2" && says "$tmp/err" "warning: --symfs has no effect" &&
		run 0 profile -i $sample --symfs $symfs --max-stack 3 --demangle --untraced=uncovered -o "$tmp/out2" &&
		says "$tmp/err" "warning: --max-stack has no effect" && says "$tmp/err" "warning: --demangle has no effect" &&
		says "$tmp/err" "warning: --untraced has no effect"
}
check "options without an effect: a warning" no_trace
by_pipe() {
	code=0
	"$tool" profile -i - -o "$tmp/none" <"$tmp/whole" 2>"$tmp/err" || code=$?
	[ $code -eq 1 ] && [ ! -e "$tmp/none" ] && says "$tmp/err" "standard input: offset 0x0: found a count file"
}
check "counts by a pipe: 1, and what helps" by_pipe
check "filters of counts: 129" misuse -i "$tmp/whole" --pid 100
check "--binary with --format=cstrace: 129" misuse -i $sample --symfs $symfs --format=cstrace --binary sample.a64
damaged() {
	size=$(wc -c <"$tmp/whole")
	head -c $((size / 2)) "$tmp/whole" >"$tmp/cut"
	cp "$tmp/whole" "$tmp/changed"
	printf '\377' | dd of="$tmp/changed" bs=1 seek=$((size / 3)) conv=notrunc 2>/dev/null
	for f in cut changed; do
		for format in bolt cstrace; do
			run 1 profile -i "$tmp/$f" --format=$format -o "$tmp/none" && [ ! -e "$tmp/none" ] &&
				says "$tmp/err" "$tmp/$f" && says "$tmp/err" "offset" || return 1
		done
	done
}
check "damaged counts: 1, file and offset" damaged
itself() {
	cp "$tmp/whole" "$tmp/self"
	run 1 profile -i "$tmp/self" --format=cstrace -o "$tmp/self" && cmp "$tmp/self" "$tmp/whole"
}
check "an input is not replaced" itself
limited() {
	run 0 profile -i $sample --symfs $symfs --format=cstrace --max-stack 2 -o "$tmp/flat" &&
		run 0 profile -i $sample --symfs $symfs --format=cstrace --no-calls -o "$tmp/none" &&
		python3 -c 'import sys
sys.path.insert(0, "tests/cli")
import count_file
whole, flat, none = (count_file.read(open(name, "rb").read()) for name in sys.argv[1:])
for nodes, least in ((whole["nodes"], 4), (flat["nodes"], 1)):
    assert max(map(len, nodes)) >= least, max(map(len, nodes))
    assert sum(n for _, n in nodes.values()) == 119840
assert not none["nodes"] and max(map(len, flat["nodes"])) <= 4 and b"calls.cut" in flat["totals"], flat["totals"]
assert none["counts"] == whole["counts"] == flat["counts"]' "$tmp/whole" "$tmp/flat" "$tmp/none"
}
check "depth of calls, and none of them" limited
ordered() {
	run 0 merge -o "$tmp/twice" "$tmp/whole" "$tmp/whole" && run 0 profile -i "$tmp/twice" --symfs $symfs -o "$tmp/a" &&
		run 0 profile -i "$tmp/whole" --symfs $symfs -o "$tmp/b" &&
		[ "$(awk -F: '/-/ { n += $2 } END { print n }' "$tmp/a")" = "$(awk -F: '/-/ { n += 2 * $2 } END { print n }' "$tmp/b")" ]
}
check "counts of two recordings" ordered
# of_missing FORMAT FILE WHAT [OPTION...]: a format of counts without the binary: exit 3 (5 if nothing is left of it), and what its file would give.
of_missing() {
	format=$1 file=$2 what=$3
	shift 3
	[ $format = lcov ] && code=5 || code=3
	run $code profile -i "$file" --symfs "$tmp/nowhere" --format=$format "$@" -o "$tmp/without" &&
		says "$tmp/err" ": its file is missing: $what; give the directory with the target's files with --symfs DIR" || return 1
	[ "$(grep -c missing "$tmp/err")" -eq 1 ]
}
missing() {
	program=/opt/cstrace-sample/sample.a64
	mkdir -p "$tmp/nowhere"
	for format in top folded; do
		of_missing $format "$tmp/whole" "its functions have no names" && says "$tmp/err" "cstrace profile: $program: its" || return 1
	done
	for format in callgrind lcov; do
		of_missing $format "$tmp/whole" "its functions have no names, and no lines" && says "$tmp/err" "$program: its" || return 1
	done
	of_missing bolt "$tmp/whole" "the linker's stubs (PLT), which perf2bolt does not accept, are not left out" --binary sample.a64 &&
		says "$tmp/err" "$program: its file" && [ -s "$tmp/without" ] || return 1
	for format in llvm autofdo; do
		run 0 profile -i "$tmp/whole" --symfs "$tmp/nowhere" --format=$format -o "$tmp/without" && ! grep missing "$tmp/err" || return 1
	done
	run 0 profile -i "$tmp/modules" --symfs "$tmp/modules.symfs" --vmlinux "$tmp/modules.symfs/boot/vmlinux" --format=cstrace \
		-o "$tmp/of-modules" || return 1
	for format in llvm autofdo; do
		of_missing $format "$tmp/of-modules" "a kernel module's addresses are known by its sections" --binary first.ko &&
			[ -s "$tmp/without" ] || return 1
	done
	rm -rf "$tmp/pages"
	run 3 report -i "$tmp/whole" --symfs "$tmp/nowhere" -o "$tmp/pages" &&
		says "$tmp/err" "cstrace report: $program: its file is missing: its functions have no names, and no lines; give" &&
		grep -q '<b>1</b> <a href="#binaries">binaries without their files</a>' "$tmp/pages/index.html" &&
		grep -q '<td>missing (--symfs)</td>' "$tmp/pages/index.html"
}
check "a binary that is not here: what its file would give" missing
# Without a build-id the digest of the code is compared.
other_code() {
	python3 -c 'import sys
sys.path.insert(0, "tests/cli")
import count_file
m = count_file.new()
key = (1, b"x" * 20)
m["binaries"][key] = [0, 183, b"/opt/cstrace-sample/sample.a64", [(0, 4096, 0x400000, 1)]]
m["counts"][key] = {count_file.RANGE: {(0x400, 0x408, 0, 3): 2}}
sys.stdout.buffer.write(count_file.write(m))' >"$tmp/digest"
	file=$symfs/opt/cstrace-sample/sample.a64
	run 3 profile -i "$tmp/digest" --symfs $symfs --format=top -o "$tmp/without" &&
		says "$tmp/err" "cstrace profile: /opt/cstrace-sample/sample.a64: $file has other code than the counted file: not used; find that one with --symfs DIR, or use this one with -f" &&
		says "$tmp/err" "its file is missing" && run 0 profile -i "$tmp/digest" --symfs $symfs -f --format=top -o "$tmp/without" &&
		! grep -e "other code" -e missing "$tmp/err"
}
check "another build without a build-id is not used, but with -f" other_code
by_build_id() {
	"$tool" info -i $sample --symfs $symfs --format=json >"$tmp/json" 2>"$tmp/err" || return 1
	id=$(sed -n 's/.*"build_id":"\([0-9a-f]*\)".*/\1/p' "$tmp/json")
	folder=$tmp/cache/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-)
	mkdir -p "$folder" "$tmp/home" && cp $symfs/opt/cstrace-sample/sample.a64 "$folder/elf" &&
		run 0 profile -i "$tmp/whole" --symfs $symfs --format=top -o "$tmp/by-path" &&
		HOME=$tmp/home run 0 profile -i "$tmp/whole" --buildid-dir "$tmp/cache" --format=top -o "$tmp/by-id" &&
		cmp "$tmp/by-path" "$tmp/by-id" &&
		HOME=$tmp/home run 3 profile -i "$tmp/whole" --format=top -o "$tmp/by-none" && ! cmp -s "$tmp/by-path" "$tmp/by-none"
}
check "a file is found by its build-id" by_build_id
finish
