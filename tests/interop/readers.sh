#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# readers: what profile and inject say of a binary is what its readers make of it. One program, built with DWARF 4 and
# 5, without DWARF, stripped, without a build-id, with and without relocations; of each, the message and the reader's
# result. Also what the man page says of versions that are in Debian.
set -eu
build=${BUILD:-build}
tool=${PERF_CSTRACE:-$build/perf-cstrace}
sysroot=/usr/aarch64-linux-gnu
command -v qemu-aarch64 >/dev/null || { echo "no qemu-user"; exit 77; }
command -v aarch64-linux-gnu-gcc >/dev/null || { echo "no aarch64-linux-gnu-gcc"; exit 77; }
. tests/cli/tap.sh
. tests/interop/llvm.sh

# A function of its own, which no reader has to take apart.
cat >"$tmp/prog.c" <<'END'
int printf(const char *, ...);
__attribute__((noinline)) int work(int n) { int i, s = 0; for (i = 0; i < n; i++) s = i & 3 ? s * 3 + i : s - i; return s; }
int main(void) { int i, s = 0; for (i = 0; i < 300; i++) s += work(i); printf("%d\n", s); return 0; }
END

# build NAME OPTIONS: the same code with the same build-id
build() {
	name=$1
	shift
	mkdir -p "$tmp/$name/opt"
	aarch64-linux-gnu-gcc -O2 -Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011121314 "$@" -o "$tmp/$name/opt/prog" "$tmp/prog.c"
}

builds() {
	build dwarf4 -gdwarf-4 -Wl,-q && build dwarf5 -gdwarf-5 && build plain &&
		build no-id -gdwarf-4 -Wl,--build-id=none || return 1
	mkdir -p "$tmp/stripped/opt" "$tmp/linked/opt"
	aarch64-linux-gnu-strip -o "$tmp/stripped/opt/prog" "$tmp/dwarf4/opt/prog" &&
		aarch64-linux-gnu-objcopy --only-keep-debug "$tmp/dwarf4/opt/prog" "$tmp/prog.debug" &&
		aarch64-linux-gnu-objcopy --strip-all --add-gnu-debuglink="$tmp/prog.debug" "$tmp/dwarf4/opt/prog" \
			"$tmp/linked/opt/prog"
}

record() {
	qemu-aarch64 -L $sysroot -plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/flow,root=$tmp/dwarf4" \
		"$tmp/dwarf4/opt/prog" >/dev/null && "$build/tests/gen/cst-gen" encode --flow "$tmp/flow" --images "$tmp/flow.images" \
		--perf "$tmp/perf.data"
}

# profile SYMFS FORMAT: the text in $tmp/counts, messages about the program in $tmp/said
profile() {
	"$tool" profile -i "$tmp/perf.data" --symfs "$tmp/$1" --binary prog --format="$2" -o "$tmp/counts" 2>"$tmp/err" ||
		[ $? -eq 3 ] || { cat "$tmp/err"; return 1; }
	grep ': it ' "$tmp/err" >"$tmp/said" || :
}

inject() {
	"$tool" inject -i "$tmp/perf.data" --symfs "$tmp/$1" --itrace="$2" -o "$tmp/samples" 2>"$tmp/err" ||
		[ $? -eq 3 ] || { cat "$tmp/err"; return 1; }
	grep ': it ' "$tmp/err" >"$tmp/said" || :
}

# said TEXT...: these lines and no others; without TEXT nothing
said() {
	cat "$tmp/said"
	[ "$(wc -l <"$tmp/said")" -eq $# ] || return 1
	for text; do
		grep -q "cstrace [a-z]*: /opt/prog (.*): it .*$text" "$tmp/said" || { echo "not there: $text"; return 1; }
	done
}

of_profile() {
	profile "$1" "$2" || return 1
	shift 2
	said "$@"
}

of_inject() {
	inject "$1" "$2" || return 1
	shift 2
	said "$@"
}

check "programs" builds
check "record" record
check "autofdo, DWARF 4: no word" of_profile dwarf4 autofdo
check "autofdo, DWARF 5" of_profile dwarf5 autofdo "DWARF 5: .* 0.19 write an empty profile.*gdwarf-4"
check "autofdo, no DWARF" of_profile plain autofdo "no DWARF: .* write an empty profile.* -g$"
check "autofdo, stripped" of_profile stripped autofdo "stripped .*: .* write an empty profile.*unstripped"
check "autofdo, stripped, debuglink" of_profile linked autofdo "stripped .* is in prog.debug): "
check "llvm, DWARF 4: no word" of_profile dwarf4 llvm
check "llvm, DWARF 5: no word" of_profile dwarf5 llvm
check "llvm, no DWARF" of_profile plain llvm "no DWARF: llvm-profgen writes an empty profile"
check "llvm, stripped" of_profile stripped llvm "stripped .*: llvm-profgen writes an empty profile"
check "bolt, relocations: no word" of_profile dwarf4 bolt
check "bolt, no relocations" of_profile dwarf5 bolt "without relocations: .*--emit-relocs"
check "bolt, stripped" of_profile stripped bolt "stripped .*: perf2bolt 19 and later refuse it"
check "inject, DWARF 4: no word" of_inject dwarf4 i1000il64
check "inject, DWARF 5" of_inject dwarf5 i1000il64 "DWARF 5: .* 0.19 write"
check "inject, no build-id" of_inject no-id i1000il64 "no build-id: .* under the recorded"
check "inject without branch stacks: no word" of_inject dwarf5 b

skip() {
	ok "$1 # SKIP $2"
}

# create_llvm_prof 0.19: an empty profile where profile says so, and only there
llvm_prof() {
	profile "$1" autofdo || return 1
	"$tool" profile -i "$tmp/perf.data" --symfs "$tmp/$1" --binary prog --address=vaddr -o "$tmp/counts" 2>/dev/null || [ $? -eq 3 ]
	rm -f "$tmp/prof"
	create_llvm_prof --binary="$tmp/$1/opt/prog" --profile="$tmp/counts" --profiler=text --format=text --out="$tmp/prof" \
		2>"$tmp/log" || { cat "$tmp/log"; return 1; }
	ls -l "$tmp/prof" && cat "$tmp/said"
	if [ -s "$tmp/said" ]; then [ ! -s "$tmp/prof" ]; else grep -q '^work:[0-9]*:300$' "$tmp/prof"; fi
}

# The same of samples, whose file is found by its name.
llvm_prof_samples() {
	inject "$1" i1000il64 && "$tool" inject -i "$tmp/perf.data" --symfs "$tmp/$1" --itrace=il64 --tiles -o "$tmp/samples" 2>/dev/null ||
		[ $? -eq 3 ]
	rm -f "$tmp/prof" "$tmp/prof2"
	cp "$tmp/$1/opt/prog" "$tmp/renamed"
	create_llvm_prof --binary="$tmp/$1/opt/prog" --profile="$tmp/samples" --profiler=perf --format=text --out="$tmp/prof" 2>"$tmp/log" &&
		create_llvm_prof --binary="$tmp/renamed" --profile="$tmp/samples" --profiler=perf --format=text --out="$tmp/prof2" \
			2>"$tmp/log" || { cat "$tmp/log"; return 1; }
	ls -l "$tmp/prof" "$tmp/prof2" && cat "$tmp/said"
	if grep -q 'empty profile' "$tmp/said"; then [ ! -s "$tmp/prof" ]; else grep -q '^work:' "$tmp/prof"; fi && [ ! -s "$tmp/prof2" ]
}

# Names of inlined functions: neither output of 0.19 can be read.
inlined() {
	sed 's/__attribute__((noinline))/static inline/' "$tmp/prog.c" >"$tmp/inlined.c"
	cp "$tmp/prog.c" "$tmp/kept.c" && cp "$tmp/inlined.c" "$tmp/prog.c"
	build inlined -gdwarf-4 && "$tool" --version >/dev/null
	cp "$tmp/kept.c" "$tmp/prog.c"
	qemu-aarch64 -L $sysroot -plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/flow2,root=$tmp/inlined" \
		"$tmp/inlined/opt/prog" >/dev/null && "$build/tests/gen/cst-gen" encode --flow "$tmp/flow2" --images "$tmp/flow2.images" \
		--perf "$tmp/perf2.data" && "$tool" profile -i "$tmp/perf2.data" --symfs "$tmp/inlined" --binary prog --address=vaddr \
		-o "$tmp/counts" || [ $? -eq 3 ]
	rc=0
	create_llvm_prof --binary="$tmp/inlined/opt/prog" --profile="$tmp/counts" --profiler=text --format=binary --out="$tmp/prof" \
		2>"$tmp/log" || rc=$?
	cat "$tmp/log"
	[ $rc -ne 0 ] && grep -q 'Truncated function name table' "$tmp/log"
}

if command -v create_llvm_prof >/dev/null && dpkg-query -W -f '${Version}' autofdo 2>/dev/null | grep -q '^0\.19'; then
	for name in dwarf4 dwarf5 plain stripped; do
		check "create_llvm_prof 0.19, $name" llvm_prof $name
	done
	for name in dwarf4 dwarf5 no-id; do
		check "create_llvm_prof 0.19, samples, $name" llvm_prof_samples $name
	done
	check "create_llvm_prof 0.19: binary output with inlined functions" inlined
else
	skip "create_llvm_prof 0.19" "package autofdo is not installed, or newer"
fi

# gcov VERSION OF GCC, VERSION OF GCOV
gcov() {
	profile dwarf4 autofdo && "$tool" profile -i "$tmp/perf.data" --symfs "$tmp/dwarf4" --binary prog --address=vaddr -o "$tmp/counts" \
		2>/dev/null || [ $? -eq 3 ]
	create_gcov --binary="$tmp/dwarf4/opt/prog" --profile="$tmp/counts" --profiler=text --gcov="$tmp/gcov" --gcov_version="$2" 2>"$tmp/log" &&
		aarch64-linux-gnu-gcc-"$1" -O2 -fauto-profile="$tmp/gcov" -c -o "$tmp/prog.o" "$tmp/prog.c" 2>"$tmp/log"
}

gcc12_crashes() {
	! gcov 12 2 && grep 'internal compiler error' "$tmp/log"
}

for version in 11 12; do
	if ! command -v create_gcov >/dev/null || ! command -v aarch64-linux-gnu-gcc-$version >/dev/null; then
		skip "create_gcov, gcc $version" "package autofdo or gcc-$version-aarch64-linux-gnu is not installed"
	elif [ $version = 11 ]; then
		check "create_gcov --gcov_version=1, gcc 11" gcov 11 1
	else
		check "create_gcov --gcov_version=2, gcc 12 crashes" gcc12_crashes
	fi
done

profgen() {
	"${root}usr/lib/llvm-$1/bin/llvm-profgen" --binary="$tmp/$2/opt/prog" --unsymbolized-profile="$tmp/counts" --use-offset=0 \
		-o "$tmp/prof" 2>"$tmp/log" || { cat "$tmp/log"; return 1; }
}

# What llvm-profgen writes has a function where profile says nothing, and has none where it does.
llvm_profgen() {
	rm -f "$tmp/prof"
	profile "$2" llvm && profgen "$1" "$2" || return 1
	cat "$tmp/log" "$tmp/said"
	if [ -s "$tmp/said" ]; then grep -q 'profile is empty' "$tmp/log"; else grep -q work "$tmp/prof"; fi
}

# With LLVM 14's reader, which its clang uses.
old_clang() {
	profile dwarf4 llvm && profgen "$1" dwarf4 && llvm-profdata-14 show --sample "$tmp/prof" | grep '^Function: work: [0-9]*, 300,'
}

refuses_aarch64() {
	profile dwarf4 llvm && ! profgen "$1" dwarf4 && grep -q 'unsupported target' "$tmp/log"
}

for version in 14 16 19 22 23; do
	if ! root=$(find_llvm $version llvm-profgen); then
		skip "llvm-profgen $version" "package llvm-$version is not installed"
	elif [ $version -lt 19 ]; then
		check "llvm-profgen $version refuses aarch64" refuses_aarch64 $version
	else
		for name in dwarf4 dwarf5 plain stripped; do
			check "llvm-profgen $version, $name" llvm_profgen $version $name
		done
		check "llvm-profgen $version: LLVM 14 reads it" old_clang $version
	fi
done

# BOLT acts by the name it is called by: up to 19, no name in Debian's /usr/bin makes it perf2bolt.
by_its_name() {
	"${root}usr/bin/perf2bolt-$1" --help | grep "OVERVIEW: $2" &&
		"${root}usr/lib/llvm-$1/bin/perf2bolt" --help | grep 'data aggregator'
}

# installed WANT NAMES...: which lines are written where PATH has these programs
installed() {
	want=$1
	shift
	rm -rf "$tmp/path" && mkdir -p "$tmp/path/a" "$tmp/path/b"
	for program; do
		printf '#!/bin/sh\n' >"$tmp/path/$program" && chmod +x "$tmp/path/$program"
	done
	# one that cannot be run, and a folder that is not absolute
	touch "$tmp/path/a/perf2bolt-14"
	PATH="$tmp/path/a:.:$tmp/path/b" "$tool" profile -i "$tmp/perf.data" --symfs "$tmp/dwarf4" --binary prog --format=bolt \
		-o "$tmp/counts" 2>"$tmp/err" || [ $? -eq 3 ] || return 1
	cat "$tmp/err"
	"$tool" profile -i "$tmp/perf.data" --symfs "$tmp/dwarf4" --binary prog --format=bolt --reader="$want" -o "$tmp/chosen" 2>/dev/null ||
		[ $? -eq 3 ] || return 1
	cmp "$tmp/counts" "$tmp/chosen" || return 1
	case $want in
	bolt-16) ! grep 'is installed' "$tmp/err" ;;
	*) grep "lines for perf2bolt 21 and later, since perf2bolt-2[12] is installed and none before" "$tmp/err" ;;
	esac
}

check "bolt: no perf2bolt is installed" installed bolt-16
check "bolt: 22 is installed" installed bolt-22 b/perf2bolt-22
check "bolt: 21 and 22 are installed" installed bolt-22 a/perf2bolt-22 b/perf2bolt-21
check "bolt: 16 and 22 are installed" installed bolt-16 a/perf2bolt-22 b/perf2bolt-16
check "bolt: one without a number, and 22" installed bolt-16 a/perf2bolt-22 b/perf2bolt

refuses_stripped() {
	profile stripped bolt && ! "${root}usr/lib/llvm-$1/bin/perf2bolt" "$tmp/stripped/opt/prog" -p "$tmp/counts" --pa -o "$tmp/fdata" \
		>"$tmp/log" 2>&1 && grep 'stripped binaries are not supported' "$tmp/log"
}

for version in 16 19 21 22 23; do
	if ! root=$(find_llvm $version perf2bolt); then
		skip "perf2bolt $version" "package bolt-$version is not installed"
		continue
	fi
	case $version in
	21 | 23) ;;
	22) check "perf2bolt-22 is perf2bolt" by_its_name 22 'perf2bolt - BOLT data aggregator' ;;
	*) check "perf2bolt-$version is llvm-bolt" by_its_name $version 'BOLT - Binary Optimization' ;;
	esac
	[ $version -lt 19 ] || check "perf2bolt $version refuses a stripped program" refuses_stripped $version
done
finish
