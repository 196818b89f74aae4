#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# profile: numbers mean what their readers take them for, whatever a file's layout. Programs that lld linked (text at
# other offsets than GNU ld's): fixed, position-independent, a shared library; a kernel, moved or not, and its
# modules. Each is executed, traced, and compared with what was executed.
. tests/cli/tap.sh
tool=${PERF_CSTRACE:-build/perf-cstrace}
build=${BUILD:-build}
gen=${CST_GEN:-$build/tests/gen/cst-gen}
here=tests/interop
root=$tmp/root
bin=/opt/linked
prefix=aarch64-linux-gnu

kernel() {
	for seed in 0 4; do
		rm -rf "$tmp/k.truth" "$tmp/k.symfs"
		"$gen" scenario "$2" --case $seed --perf "$tmp/k.data" --truth "$tmp/k.truth" --symfs "$tmp/k.symfs" \
			2>"$tmp/enc" || { cat "$tmp/enc"; return 1; }
		[ -z "${4-}" ] || $here/profile_address.py split "$tmp/k.symfs$3" || return 1
		$here/profile_address.py kernel "$tool" "$tmp/k.data" "$tmp/k.symfs" "$tmp/k.truth" "$1" "$3" || return 1
	done
}

modules=/lib/modules/6.1.0/kernel/drivers
check "a kernel" kernel '[kernel.kallsyms]_text' kernel-only /boot/vmlinux
check "a kernel whose code other files share a recording with" kernel '[kernel.kallsyms]_text' modules /boot/vmlinux
for m in first second; do
	check "module $m" kernel $modules/$m.ko modules $modules/$m.ko
done

check "a module with code beside its .text" kernel $modules/first.ko modules $modules/first.ko split

# told FORMAT TEXT: who reads the counts of a module
told() {
	"$tool" profile -i "$tmp/k.data" --symfs "$tmp/k.symfs" --vmlinux "$tmp/k.symfs/boot/vmlinux" --binary first.ko \
		--format="$1" -o "$tmp/counts" 2>"$tmp/err" && grep "first\.ko is not linked.*$2" "$tmp/err"
}
check "module: which AutoFDO reads it" told autofdo 'since June 2026, 0\.30\.1 does not'
for f in llvm bolt; do
	check "module: $f does not" told $f "--format=$f is read for linked files only"
done

copy_of_memory() {
	"$gen" scenario kcore --case 1 --perf "$tmp/kc" --truth "$tmp/kc.truth" --symfs "$tmp/kc.symfs" 2>"$tmp/enc" &&
		"$tool" profile -i "$tmp/kc" --symfs "$tmp/kc.symfs" --binary kcore -o "$tmp/counts" 2>"$tmp/err" &&
		grep 'kcore is a copy of kernel memory.*--vmlinux' "$tmp/err" &&
		! grep 'copy of kernel' "$tmp/told"
}

by_name() {
	"$tool" profile -i "$tmp/k.data" --symfs "$tmp/k.symfs" --vmlinux "$tmp/k.symfs/boot/vmlinux" --binary "$1" \
		2>"$tmp/err" | grep '^// \[kernel'
}
check "the kernel is named vmlinux" by_name vmlinux
cp "$tmp/err" "$tmp/told"
check "a copy of kernel memory has no readers" copy_of_memory

for c in $prefix-gcc ld.lld qemu-aarch64; do
	command -v $c >/dev/null || {
		ok "programs that lld linked # SKIP no $c"
		finish
	}
done
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory O="$build" qemu >"$tmp/make" 2>&1 || {
	ok "programs that lld linked # SKIP the plugin does not build: $(tail -n 1 "$tmp/make")"
	finish
}

# DWARF 4, which AutoFDO 0.19 reads
compile() {
	$prefix-gcc -c -O1 -g -gdwarf-4 -fno-inline -fno-stack-protector -fno-asynchronous-unwind-tables "$@"
}

crt() {
	$prefix-gcc -print-file-name="$1"
}

build_programs() {
	mkdir -p "$root$bin" "$root/usr/$prefix/lib" && cd "$tmp" || return 1
	for f in ld-linux-aarch64.so.1 libc.so.6; do
		cp "$(crt $f)" "$root/usr/$prefix/lib" || return 1
	done
	compile -ffreestanding -fno-pie -o fixed.o "$top/tests/data/sample/sample.c" &&
		ld.lld --build-id=sha1 -o "$root$bin/fixed" fixed.o || return 1
	cat >library.c <<'END'
static int odd(int x) { return x & 1; }
int fold(int n) { int i, s = 0; for (i = 0; i < n; i++) s += odd(i) ? i : 2; return s; }
END
	cat >program.c <<'END'
int fold(int);
int main(void) { int i, s = 0; for (i = 0; i < 60; i++) s += fold(i); return s == 0; }
END
	compile -fPIC -o library.o library.c && compile -fPIE -o program.o program.c &&
		ld.lld -shared --build-id=sha1 -soname libfold.so -o "$root$bin/libfold.so" library.o &&
		ld.lld -pie --build-id=sha1 --dynamic-linker /lib/ld-linux-aarch64.so.1 -rpath "$root$bin" \
			-o "$root$bin/pie" "$(crt Scrt1.o)" "$(crt crti.o)" program.o "$root$bin/libfold.so" \
			"$(crt libc.so.6)" "$(crt crtn.o)"
}

# record PROGRAM: $tmp/PROGRAM.flow, $tmp/PROGRAM.data
record() {
	env -i "$(command -v qemu-aarch64)" -seed 1 -L /usr/$prefix \
		-plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/$1.flow,root=$root" "$root$bin/$1" >/dev/null 2>"$tmp/log" &&
		! grep DOUBTFUL "$tmp/log" &&
		"$gen" encode --flow "$tmp/$1.flow" --ts=1000 --perf "$tmp/$1.data" 2>"$tmp/enc" ||
		{ cat "$tmp/log" "$tmp/enc"; return 1; }
}

# 0.19 prints the names of inlined functions from memory that it has freed: leave those lines out.
clean() {
	LC_ALL=C grep -aE '^[A-Za-z_][A-Za-z0-9_.]*:[0-9]+:[0-9]+$|^ +[0-9.]+: [0-9]+( [A-Za-z0-9_.:]+)*$' "$1" |
		LC_ALL=C sort
}

# reader PROGRAM BINARY: AutoFDO 0.19 finds the executed lines and entries
reader() {
	"$tool" profile -i "$tmp/$1.data" --symfs "$root" --binary $bin/$2 --address=vaddr -o "$tmp/counts" 2>"$tmp/err" &&
		$here/profile_address.py text "$root$bin/$2" "$tmp/$1.flow" >"$tmp/executed" || return 1
	for f in counts executed; do
		create_llvm_prof --binary="$root$bin/$2" --profile="$tmp/$f" --profiler=text --format=text \
			--out="$tmp/$f.prof" >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
		clean "$tmp/$f.prof" >"$tmp/$f.lines"
	done
	[ -s "$tmp/counts.lines" ] && diff "$tmp/executed.lines" "$tmp/counts.lines" &&
		$here/profile_address.py heads "$root$bin/$2" "$tmp/$1.flow" "$tmp/counts.prof"
}

# said PROGRAM BINARY: without --address, and of samples, it is said what AutoFDO 0.19 makes of them
said() {
	apart="$bin/$2.*: its code is at addresses other than its file offsets"
	"$tool" profile -i "$tmp/$1.data" --symfs "$root" --binary $bin/$2 -o "$tmp/counts" 2>"$tmp/err" &&
		grep "$apart" "$tmp/err" | grep -q -e --address=vaddr || { cat "$tmp/err"; return 1; }
	for base in offset vaddr; do
		"$tool" profile -i "$tmp/$1.data" --symfs "$root" --binary $bin/$2 --address=$base -o "$tmp/counts" 2>"$tmp/err" &&
			! grep "$apart" "$tmp/err" || return 1
	done
	case $2 in *.so) return 0;; esac
	"$tool" inject -i "$tmp/$1.data" --symfs "$root" --itrace=il64 --tiles -o "$tmp/samples" 2>"$tmp/err" &&
		grep "$apart" "$tmp/err" | grep -q -e --address=vaddr || { cat "$tmp/err"; return 1; }
}

# bolt PROGRAM BINARY
bolt() {
	"$tool" profile -i "$tmp/$1.data" --symfs "$root" --binary $bin/$2 --format=bolt --reader=bolt-16 -o "$tmp/counts" 2>"$tmp/err" &&
		$here/bolt-truth.py "$tmp/$1.flow" "$root$bin/$2" "$tmp/counts"
}

top=$PWD
check "lld links the programs" build_programs
cd "$top"
while read -r program binary; do
	[ -e "$tmp/$program.data" ] || check "$program runs" record "$program"
	check "lld, $binary" $here/profile_address.py flow "$tool" "$tmp/$program.data" "$root" "$tmp/$program.flow" \
		$bin/$binary
	check "lld, $binary: for BOLT" bolt "$program" "$binary"
	check "lld, $binary: what is said" said "$program" "$binary"
	if command -v create_llvm_prof >/dev/null; then
		check "lld, $binary: create_llvm_prof 0.19 with --address=vaddr" reader "$program" "$binary"
	else
		ok "lld, $binary: create_llvm_prof 0.19 # SKIP no create_llvm_prof"
	fi
done <<EOF
fixed fixed
pie pie
pie libfold.so
EOF
finish
