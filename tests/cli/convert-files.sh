#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# convert --images: kernel memory and generated code are in the package, and are used from there; packages whose
# files are missing, or are no files of theirs.
set -eu
cd "$(dirname "$0")/../.."
. tests/cli/tap.sh
. tests/cli/tool.sh

fields=pid,tid,cpu,time,ip,sym,addr

# generate NAME: recording, files of its machine, and what script says of it.
generate() {
	"$CST_GEN" scenario "$1" --perf "$tmp/$1.data" --truth "$tmp/$1.truth" --symfs "$tmp/$1.symfs" || return 1
	list "$tmp/$1.branches" 0 -i "$tmp/$1.data" --symfs "$tmp/$1.symfs"
}

# list FILE CODE ARGS...
list() {
	file=$1 code=$2
	shift 2
	run "$code" script "$@" --itrace=b -F "$fields" || return 1
	[ -s "$tmp/out" ] && mv "$tmp/out" "$file"
}

same() {
	name=$1
	shift
	list "$tmp/again" "$@" && cmp "$tmp/$name.branches" "$tmp/again"
}

check "generated code" generate jit
dump=$tmp/jit.symfs/tmp/jit-1000.dump
to_package() {
	run 0 convert -i "$tmp/jit.data" --symfs "$tmp/jit.symfs" --images --to=package -o "$tmp/jit.pkg" || return 1
	says "$tmp/jit.pkg/contents.ini" "name=/tmp/jit-1000.dump" || return 1
	cmp "$dump" "$tmp/jit.pkg/images/tmp/jit-1000.dump"
}
check "the jitdump file is in the package" to_package
check "and is used from there" same jit 0 -i "$tmp/jit.pkg"
again() {
	run 0 convert -i "$tmp/jit.pkg" --images --to=package -o "$tmp/jit2.pkg" || return 1
	rm -r "$tmp/jit.pkg" && same jit 0 -i "$tmp/jit2.pkg"
}
check "a package of the package has it, too" again
to_perf() {
	run 3 convert -i "$tmp/jit2.pkg" --to=perf -o "$tmp/jit.back" || return 1
	says "$tmp/err" "name it with --jitdump $tmp/jit2.pkg/images/tmp/jit-1000.dump" || return 1
	same jit 0 -i "$tmp/jit.back" --symfs "$tmp/jit2.pkg/images"
}
check "perf.data leaves it there, and says so" to_perf

not_recorded() {
	run 0 convert -i "$tmp/jit.data" --to=package -o "$tmp/bare.pkg" || return 1
	sed -i '/jit-1000\.dump/d' "$tmp/bare.pkg/system-event-log"
	run 0 convert -i "$tmp/bare.pkg" --symfs "$tmp/jit.symfs" --jitdump "$dump" --images --to=package \
		-o "$tmp/given.pkg" || return 1
	same jit 0 -i "$tmp/given.pkg"
}
check "a jitdump file that no record names" not_recorded
doubles() {
	cp -r "$tmp/jit2.pkg" "$tmp/doubles.pkg"
	sed -n '/^\[jitdump0\]/,/^$/p' "$tmp/jit2.pkg/contents.ini" | sed 's/dump0/dump1/' >"$tmp/more"
	{ echo; cat "$tmp/more"; } >>"$tmp/doubles.pkg/contents.ini"
	same jit 0 -i "$tmp/doubles.pkg"
}
check "a file that is named twice is used once" doubles
missing() {
	cp -r "$tmp/jit2.pkg" "$tmp/missing.pkg"
	rm "$tmp/missing.pkg/images/tmp/jit-1000.dump"
	list "$tmp/again" 3 -i "$tmp/missing.pkg" || return 1
	says "$tmp/err" "[jitdump0] file: 'images/tmp/jit-1000.dump', which cannot be used: No such file" || return 1
	says "$tmp/err" "missing code"
}
check "a file that is missing" missing
outside() {
	cp -r "$tmp/jit2.pkg" "$tmp/outside.pkg"
	sed -i 's,^file=images/tmp/jit,file=../jit.symfs/tmp/jit,' "$tmp/outside.pkg/contents.ini"
	list "$tmp/again" 3 -i "$tmp/outside.pkg" || return 1
	says "$tmp/err" "cannot be used: not the name of a file in the package"
}
check "a file that is not inside" outside

check "kernel memory" generate kcore
kernel() {
	run "$1" convert -i "$2" --to=package -o "$3" || return 1
	for file in kcore kallsyms modules; do
		cmp "$tmp/kcore.data/kcore_dir/$file" "$3/kcore_dir/$file" || return 1
	done
	list "$tmp/again" 0 -i "$3" --symfs "$tmp/kcore.symfs" && cmp "$tmp/kcore.branches" "$tmp/again"
}
check "that perf put beside the data is kept without being asked for" kernel 0 "$tmp/kcore.data" "$tmp/kcore.pkg"
kernel_given() {
	run 0 convert -i "$tmp/kcore.data/data" --symfs "$tmp/kcore.symfs" --kcore "$tmp/kcore.data/kcore_dir" \
		--images --to=package -o "$tmp/kcore2.pkg" || return 1
	same kcore 0 -i "$tmp/kcore2.pkg"
}
check "that was given is there with --images" kernel_given
kernel_perf() {
	run 3 convert -i "$tmp/kcore2.pkg" --to=perf -o "$tmp/kcore.back" || return 1
	says "$tmp/err" "name it with --kcore $tmp/kcore2.pkg/kcore_dir/kcore" || return 1
	same kcore 0 -i "$tmp/kcore.back" --symfs "$tmp/kcore2.pkg/images" --kcore "$tmp/kcore2.pkg/kcore_dir/kcore"
}
check "perf.data leaves it there, and says so" kernel_perf
no_kernel() {
	rm "$tmp/kcore2.pkg/kcore_dir/kcore"
	list "$tmp/again" 3 -i "$tmp/kcore2.pkg" || return 1
	says "$tmp/err" "[kernel] kcore: 'kcore_dir/kcore', which cannot be used: No such file"
}
check "a copy that is missing" no_kernel
symbols_alone() {
	cp -r "$tmp/kcore.pkg" "$tmp/symbols.pkg"
	sed -i '/^kallsyms=/d' "$tmp/symbols.pkg/contents.ini"
	list "$tmp/again" 0 -i "$tmp/symbols.pkg" --symfs "$tmp/kcore.symfs" || return 1
	! cmp -s "$tmp/kcore.branches" "$tmp/again" || { echo "the names are from elsewhere"; return 1; }
	run 0 convert -i "$tmp/symbols.pkg" --symfs "$tmp/kcore.symfs" --images --to=package \
		--kallsyms "$tmp/kcore.data/kcore_dir/kallsyms" \
		-o "$tmp/symbols2.pkg" || return 1
	same kcore 0 -i "$tmp/symbols2.pkg"
}
check "symbols of the kernel that were given" symbols_alone

# Two programs that had one path, told apart by their build-ids (an ELF note, behind a longer table).
build_ids() {
	python3 - "$@" <<'END'
import struct, sys
for path, byte in zip(sys.argv[1::2], sys.argv[2::2]):
    elf = bytearray(open(path, "rb").read())
    table, = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    elf += bytes(-len(elf) % 8)
    note = len(elf)
    elf += struct.pack("<III4s20s4x", 4, 20, 3, b"GNU", bytes([int(byte, 16)]) * 20)
    struct.pack_into("<QQ", elf, 32, len(elf), 0)
    struct.pack_into("<HHHH", elf, 56, count + 1, 64, 0, 0)
    elf += elf[table:table + count * size] + struct.pack("<IIQQQQQQ", 4, 4, note, 0, 0, 36, 36, 4)
    open(path, "wb").write(elf)
END
}
one_path() {
	fields=pid,tid,cpu,time,ip,addr
	generate dlopen || return 1
	run 0 convert -i "$tmp/dlopen.data" --symfs "$tmp/dlopen.symfs" --images --to=package -o "$tmp/two.pkg" || return 1
	build_ids "$tmp/two.pkg/images/lib/b.so" bb "$tmp/two.pkg/images/lib/c.so" cc || return 1
	b=$(printf '%040d' 0 | tr 0 b) c=$(printf '%040d' 0 | tr 0 c)
	sed -i "s|\"/lib/b.so\"|\"/lib/c.so\", $b|; t; s|\"/lib/c.so\"|&, $c|" "$tmp/two.pkg/system-event-log"
	sed -i "s|^name=/lib/c.so|&\nuuid=$c|; s|^name=/lib/b.so|name=/lib/c.so\nuuid=$b|" "$tmp/two.pkg/contents.ini"
	same dlopen 0 -i "$tmp/two.pkg" || return 1
	run 0 convert -i "$tmp/two.pkg" --images --to=package -o "$tmp/two2.pkg" || return 1
	rm -r "$tmp/two.pkg" && same dlopen 0 -i "$tmp/two2.pkg"
}
check "two programs of one path" one_path

# Dumps of a snapshot: those of normal memory become maps, of the part that the file has; for each other one a line says why not.
dump() {
	printf '\n[dump%s]\nfile=%s\naddress=%s\n' "$1" "$2" "$3"
	shift 3
	[ $# -eq 0 ] || printf '%s\n' "$@"
}
# dumps DROPPED MAPS ARGS...: what is said and mapped of the snapshot that these arguments make.
dumps() {
	dropped=$1 mapped=$2
	shift 2
	rm -rf "$tmp/snap" "$tmp/snap.pkg"
	"$CST_GEN" random --case=3 --snapshot="$tmp/snap" --insns=2000 "$@" >/dev/null || return 1
	{
		dump 3 mem0.bin 0x500b08 space=S
		dump 4 mem0.bin 0x600b08 space=N
		dump 5 mem0.bin 0x700b08 space=EL3
		dump 6 mem0.bin 0x800b08 space=H
		dump 7 none.bin 0x900b08
		dump 8 mem0.bin 0xa00b08 offset=0x84
		dump 9 mem0.bin 0xb00b08 offset=0x40 length=0x10000
		dump 10 mem0.bin 0xc00b08 offset=0x40 length=0x20
		dump 11 mem1.bin 0xffff810000000000 space=H
		dump 12 mem1.bin 0xffff820000000000 space=S
	} >>"$tmp/snap/cpu_0.ini"
	run 0 convert -i "$tmp/snap" --images --to=package -o "$tmp/snap.pkg" || return 1
	sed "s|.*: dropped: ||" "$tmp/err" | sort >"$tmp/dropped"
	diff "$dropped" "$tmp/dropped" || return 1
	# process, address, file, size, place in it
	sed -n 's|.*declare_library(CURRENT, \([^,]*\), \([^,]*\), "[^"]*/\([^"/]*\)", size=\([^,]*\), \(offset=[^,]*\)*.*|\1 \2 \3 \4 \5|p' \
		"$tmp/snap.pkg/system-event-log" | sed 's/ $//' | sort -u >"$tmp/maps"
	diff "$mapped" "$tmp/maps"
}
sort >"$tmp/dropped.user" <<END
the dump mem0.bin at 0x500b08, of secure or other memory
the dump mem0.bin at 0x700b08, of secure or other memory
the dump mem1.bin at 0xffff820000000000, of secure or other memory
the dump mem0.bin, which cannot be read
the dump none.bin, which cannot be read
END
cat >"$tmp/maps.user" <<END
1000 0x400b08 mem0.bin 0x84
1000 0x600b08 mem0.bin 0x84
1000 0xb00b08 mem0.bin 0x44 offset=0x40
1000 0xc00b08 mem0.bin 0x20 offset=0x40
1000 0xffff800008000d48 mem1.bin 0x70
END
check "dumps of a snapshot whose kernel was not traced" dumps "$tmp/dropped.user" "$tmp/maps.user"
# the kernel is where programs are not: memory of EL2 alone is its only there
{
	echo "the dump mem0.bin at 0x800b08, of secure or other memory"
	cat "$tmp/dropped.user"
} | sort >"$tmp/dropped.kernel"
cat >"$tmp/maps.kernel" <<END
0 0xffff8000080003b4 mem3.bin 0x70
0 0xffff810000000000 mem1.bin 0x28
1000 0x10884 mem2.bin 0x6c
1000 0x400b08 mem0.bin 0x64
1000 0x600b08 mem0.bin 0x64
1000 0xb00b08 mem0.bin 0x24 offset=0x40
1000 0xc00b08 mem0.bin 0x20 offset=0x40
1000 0xffff90000174 mem1.bin 0x28
END
check "dumps of a snapshot with its kernel" dumps "$tmp/dropped.kernel" "$tmp/maps.kernel" --kernel-traced --exclude=mprofile,aarch32

# refused NAME:PID WORDS...: no snapshot is made of a process of a generated recording, without --force.
refused() {
	name=${1%:*} pid=${1#*:}
	shift
	"$CST_GEN" scenario "$name" --perf "$tmp/$name.data" --truth "$tmp/$name.truth" --symfs "$tmp/$name.symfs" || return 1
	set -- "$pid" "$@"
	shift
	run 1 convert -i "$tmp/$name.data" --symfs "$tmp/$name.symfs" ${pid:+--pid="$pid"} --to=snapshot -o "$tmp/$name.snap" || return 1
	for words in "$@"; do
		says "$tmp/err" "$words" || return 1
	done
	[ ! -e "$tmp/$name.snap" ]
}
check "a snapshot of several processes" refused fork: "3 processes were traced (1100, 1000, 1200)" "choose it with --pid"
check "a snapshot of one of several in a buffer" refused fork:1000 "other processes ran in the same buffers as process 1000"
check "a snapshot of code that changed" refused exec:1000 "of process 1000 different code ran at different times" "--force"
forced() {
	run 3 convert -i "$tmp/exec.data" --symfs "$tmp/exec.symfs" --pid=1000 --force --to=snapshot -o "$tmp/exec.snap" || return 1
	says "$tmp/err" "dropped: code that changed while it was traced (" || return 1
	says "$tmp/err" "): the first version stays" || return 1
	says "$tmp/err" "dropped: the code of other processes (" || return 1
	[ -s "$tmp/exec.snap/snapshot.ini" ]
}
check "a snapshot with --force" forced

# buffer EDIT CODE WORDS: what is dropped of a buffer whose description was changed.
sample="-i tests/data/sample.perf.data --symfs tests/data/symfs"
check "a snapshot of the sample" run 0 convert $sample --to=snapshot -o "$tmp/sample.snap"
buffer() {
	rm -rf "$tmp/edited.snap"
	cp -r "$tmp/sample.snap" "$tmp/edited.snap"
	sed -i "$1" "$tmp/edited.snap/trace.ini"
	run "$2" convert -i "$tmp/edited.snap" --to=perf -o "$tmp/edited.data" || return 1
	says "$tmp/err" "dropped: $3"
}
check "a buffer of another format" buffer "s/^format=.*/format=tpiu/" 3 "the buffer ETB_0_0: perf.data has no format tpiu"
check "a buffer without synchronisation" buffer "s/^format=.*/format=dstream_coresight/" 3 \
	"17376 bytes of the buffer ETB_0_0, which are in no whole frame"
check "a buffer without a source" buffer "s/^ETM_0=.*/ETM_0=ETB_9/" 3 "the buffer ETB_0_0, which no source feeds"
# Files outside of the folder go nowhere, whether a name or a link leads there: a snapshot may come from anyone.
outside() {
	echo "not for others" >"$tmp/secret"
	buffer "$1" 3 "1 files of the buffer ETB_0_0, which cannot be read (not inside the folder" || return 1
	rm -rf "$tmp/edited.pkg"
	# there is no other trace
	run 1 convert -i "$tmp/edited.snap" --to=package -o "$tmp/edited.pkg" && [ ! -e "$tmp/edited.pkg" ]
}
check "a buffer above the folder" outside "s,^file=.*,file=../secret,"
ln -s "$tmp/secret" "$tmp/sample.snap/link.bin"
check "a buffer that is a link out of the folder" outside "s,^file=.*,file=link.bin,"
check "a buffer without its file" buffer "s/^file=.*/file=gone.bin/" 3 "1 files of the buffer ETB_0_0, which cannot be read"
finish
