#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make-sample.sh BUILD traces [DIR]: run the programs of symfs under the flow recorder, encode what they
#                                    executed, write the perf.data and truth files to DIR (default: here)
# make-sample.sh BUILD check         the same in a scratch folder; differences from the files here are errors
# make-sample.sh BUILD programs      compile the programs anew (another compiler gives other programs)
#
# BUILD holds tests/gen/cst-gen and tests/gen/qemu/flowlog.so (make tests qemu). Nothing in the traces
# depends on the machine, the time or the environment, so the same programs give the same bytes.
set -eu

usage() {
	sed -n '3,9s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

[ $# -ge 2 ] || usage
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
symfs=$here/symfs
programs=$symfs/opt/cstrace-sample

# No library, DWARF 4 (what autofdo reads), calls kept as calls.
compile() {
	compiler=$1
	out=$2
	shift 2
	"$compiler" -O1 -g -gdwarf-4 -fno-inline -foptimize-sibling-calls \
		--param case-values-threshold=4 -ffreestanding -nostdlib -static -no-pie -fno-pie \
		-fno-asynchronous-unwind-tables -fno-stack-protector -Wall -Wextra -Werror \
		-Wl,--build-id=sha1 -Wl,-z,noseparate-code -fdebug-prefix-map="$here"=. "$@" \
		-o "$programs/$out" "$here/sample/sample.c"
}

make_programs() {
	mkdir -p "$programs"
	compile aarch64-linux-gnu-gcc sample.a64
	compile arm-linux-gnueabihf-gcc sample.a32 -marm -march=armv7-a+fp
	compile arm-linux-gnueabihf-gcc sample.t32 -mthumb -march=armv7-a+fp
}

# flow EMULATOR PROGRAM FILE OPTIONS
flow() {
	env -i "$(command -v "$1")" -seed 1 \
		-plugin "$build/tests/gen/qemu/flowlog.so,out=$3,root=$symfs$4" "$programs/$2" \
		>"$3.stdout" 2>"$3.log" || { cat "$3.log" >&2; exit 1; }
	if grep -q DOUBTFUL "$3.log"; then
		cat "$3.log" >&2
		exit 1
	fi
}

# encode NAME DIR FLOW OPTIONS...: DIR/NAME.perf.data and DIR/NAME.truth
encode() {
	name=$1
	dir=$2
	file=$3
	shift 3
	rm -rf "$tmp/truth"
	mkdir "$tmp/truth"
	"$build/tests/gen/cst-gen" encode --flow "$file" "$@" --perf "$dir/$name.perf.data" \
		--truth "$tmp/truth" 2>"$tmp/log" || { cat "$tmp/log" >&2; exit 1; }
	"$here/summarise" "$tmp/truth" "$file" >"$dir/$name.truth"
}

make_traces() {
	flow qemu-aarch64 sample.a64 "$tmp/a64" ''
	flow qemu-aarch64 sample.a64 "$tmp/a64-cpus" ,cpus=2,slice=3000
	flow qemu-arm sample.a32 "$tmp/a32" ''
	flow qemu-arm sample.t32 "$tmp/t32" ''
	flow qemu-arm sample.t32 "$tmp/t32-cpus" ,cpus=2,slice=3000
	encode sample "$1" "$tmp/a64" --ts=1000
	encode sample-trbe "$1" "$tmp/a64-cpus" --ete --raw --buf=cpu --cpus=2 --ts=1000 --cc=8
	encode sample-a32 "$1" "$tmp/a32" --buf=cpu --ts=1000
	encode sample-t32 "$1" "$tmp/t32" --buf=cpu --bb --no-retstack --ts=1000
	encode sample-etmv3 "$1" "$tmp/t32-cpus" --v7=etmv3 --buf=cpu --cpus=2 --sync=4000
	encode sample-ptm "$1" "$tmp/a32" --v7=ptm --sync=4000
}

check_traces() {
	bad=0
	for f in "$here"/*.perf.data "$here"/*.truth; do
		cmp "$f" "$1/${f##*/}" || bad=1
	done
	return $bad
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C
case $2 in
programs)
	make_programs
	;;
traces)
	make_traces "${3:-$here}"
	;;
check)
	mkdir "$tmp/out"
	make_traces "$tmp/out"
	check_traces "$tmp/out"
	;;
*)
	usage
	;;
esac
