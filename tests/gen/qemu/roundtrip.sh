#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# roundtrip.sh BUILD SCRATCH: trace large Debian programs and compare what perf-cstrace decodes with what
# they executed, branch by branch; of ETMv3 and PTM also the samples that inject makes. Fetches packages once
# (60 MB), needs 1 GB in SCRATCH for a while.
set -eu

[ $# -eq 2 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd)
mkdir -p "$2"
scratch=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
failed=0

sysroot() {
	[ -e "$scratch/$1/complete" ] || {
		# $2: a list of words
		"$here/fetch-sysroot.sh" "$1" "$scratch/$1" $2 >/dev/null || {
			echo "no packages for $1: is the mirror within reach?"
			exit 77
		}
		touch "$scratch/$1/complete"
	}
}

# record EMULATOR ROOT FLOW OPTIONS PROGRAM...
record() {
	emulator=$1
	root=$2
	flow=$3$4
	shift 4
	env -i "$(command -v "$emulator")" -seed 1 -L "$root" \
		-plugin "$build/tests/gen/qemu/flowlog.so,out=$flow,root=$root" "$@" >/dev/null
}

# case NAME EMULATOR ROOT "ENCODER OPTIONS" PROGRAM...
roundtrip() {
	name=$1
	emulator=$2
	root=$3
	options=$4
	shift 4
	dir=$scratch/$name
	rm -rf "$dir"
	mkdir -p "$dir/truth"
	# The list of images is complete only after a run, and the encoder wants it first.
	record "$emulator" "$root" "$dir/first" ,max=1 "$@" 2>"$dir/log"
	mkfifo "$dir/flow"
	record "$emulator" "$root" "$dir/flow" '' "$@" 2>"$dir/log" &
	# $options: a list of words
	"$build/tests/gen/cst-gen" encode --flow "$dir/flow" --images "$dir/first.images" $options \
		--perf "$dir/perf.data" --truth "$dir/truth" 2>>"$dir/log"
	wait
	if grep -q DOUBTFUL "$dir/log"; then
		cat "$dir/log" >&2
		failed=1
	fi
	rm -f "$dir"/truth/ranges.*
	grep -hv '^0 ' "$dir"/truth/branches.* >"$dir/executed"
	"$build/perf-cstrace" script -i "$dir/perf.data" --symfs "$root" --itrace=b \
		-F pid,tid,cpu,ip,addr 2>>"$dir/log" |
		awk '{ if ($(NF - 2) != "0" && $NF != "0") print $(NF - 2), $NF }' >"$dir/decoded"
	rc=0
	case $options in
	*--v7*)
		"$here/../../data/summarise" "$dir/truth" >"$dir/summary"
		"$here/../../data/results" "$build/perf-cstrace" "$dir/perf.data" "$root" "$dir/summary" || rc=1
		;;
	esac
	if cmp "$dir/executed" "$dir/decoded" && [ $rc -eq 0 ]; then
		echo "$name: $(wc -l <"$dir/executed") branches, $(wc -c <"$dir/perf.data") bytes: equal"
		rm -rf "$dir"
	else
		tail -n 5 "$dir/log"
		echo "$name: DIFFERENT, see $dir"
		failed=1
	fi
}

python=usr/bin/python3.11
script='print(sum(i * i for i in range(300)))'
loop='i=0; while [ $i -lt 300 ]; do case $i in *7) : ;; esac; i=$((i + 1)); done; echo $i'
cat >"$scratch/tiny.c" <<'END'
int f(int a, int b) { for (int i = 0; i < b; i++) a = a * 3 + i; return a; }
END

sysroot arm64 'cpp-12 python3-minimal'
sysroot armhf 'python3-minimal dash'
a64=$scratch/arm64/root
arm=$scratch/armhf/root
roundtrip cc1-etm4 qemu-aarch64 "$a64" '' \
	"$a64/usr/lib/gcc/aarch64-linux-gnu/12/cc1" -quiet -O1 "$scratch/tiny.c" -o /dev/null
roundtrip python-ete qemu-aarch64 "$a64" '--ete --raw --buf=cpu --cc=16' \
	"$a64/$python" -S -E -c "$script"
roundtrip python-t32 qemu-arm "$arm" '--buf=cpu' "$arm/$python" -S -E -c "$script"
small='print(sum(i * i for i in range(9)))'
roundtrip python-ptm qemu-arm "$arm" '--v7=ptm --buf=cpu' "$arm/$python" -S -E -c "$small"
roundtrip python-etmv3 qemu-arm "$arm" '--v7=etmv3 --cc=1 --sync=4000' "$arm/$python" -S -E -c "$small"
roundtrip dash-ptm qemu-arm "$arm" '--v7=ptm --cc=1 --no-retstack --sync=4000' "$arm/bin/dash" -c "$loop"
roundtrip dash-etmv3 qemu-arm "$arm" '--v7=etmv3 --bb --buf=cpu' "$arm/bin/dash" -c "$loop"
exit $failed
