#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# v7-truth: what programs of A32 and T32 executed under an emulator, traced by models of an ETMv3 and a PTM, in
# perf.data as Linux for Armv7 writes it. `script` lists the branches that were taken, `inject` has them all in
# order, `profile` counts them and the instructions, each to the last one; exceptions are called what they were.
#
# perf with libopencsd 1.3.3 lists the same, but loses branches that are interrupted at their target. It takes a
# context ID for a thread, and does not hand ETMCCER and ETMIDR on: of a PTM it decodes neither 64-bit timestamps nor
# a return stack, of an ETMv3 not the alternative encoding of branches.
. tests/cli/tap.sh
tool=${PERF_CSTRACE:-build/perf-cstrace}
build=$(cd "${BUILD:-build}" && pwd)
gen=${CST_GEN:-$build/tests/gen/cst-gen}
data=tests/data
root=$tmp/root

command -v qemu-arm >/dev/null || { echo "no qemu-arm"; exit 77; }
command -v arm-linux-gnueabihf-gcc >/dev/null || { echo "no arm-linux-gnueabihf-gcc"; exit 77; }
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory O="$build" qemu >"$tmp/make" 2>&1 ||
	{ echo "the plugin does not build: $(tail -n 1 "$tmp/make")"; exit 77; }

mkdir -p "$root/opt"
cp -r $data/symfs/opt/cstrace-sample "$root/opt"
for isa in arm thumb; do
	arm-linux-gnueabihf-gcc -static -O1 -m$isa -march=armv7-a+fp -o "$root/opt/cstrace-sample/library.$isa" \
		$data/sample/library.c 2>"$tmp/cc" ||
		{ echo "no C library to link with: $(head -n 1 "$tmp/cc")"; exit 77; }
done

# flow NAME PROGRAM OPTIONS
flow() {
	env -i "$(command -v qemu-arm)" -seed 1 -plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/$1,root=$root$3" \
		"$root/opt/cstrace-sample/$2" >"$tmp/said" 2>"$tmp/flow.log" || { cat "$tmp/flow.log"; exit 1; }
	if grep DOUBTFUL "$tmp/flow.log"; then
		exit 1
	fi
}

# encode FLOWS OPTIONS...: $tmp/perf.data, and $tmp/truth of it, with instructions where all of them are traced
encode() {
	inputs= one=
	for f in $1; do
		inputs="$inputs --flow $tmp/$f" one=$tmp/$f
	done
	case $1 in *' '*) one= ;; esac
	case " $*" in *' --p-ovf'*) one= ;; esac
	shift
	rm -rf "$tmp/executed"
	# $inputs, $one: none or some words without blanks
	"$gen" encode $inputs "$@" --perf "$tmp/perf.data" --truth "$tmp/executed" 2>"$tmp/enc" ||
		{ cat "$tmp/enc"; return 1; }
	$data/summarise "$tmp/executed" $one >"$tmp/truth"
}

# exact WHAT STATUS FLOWS OPTIONS...: what script, or all of them, make of it; STATUS is the exit code, 3 with losses
exact() {
	what=$1 want=$2
	shift 2
	encode "$@" || return 1
	rc=0
	"$tool" script -i "$tmp/perf.data" --symfs "$root" --itrace=b -F pid,tid,cpu,ip,addr >"$tmp/text" \
		2>"$tmp/err" || rc=$?
	[ $rc -eq "$want" ] || { cat "$tmp/err"; return 1; }
	$data/compare "$tmp/truth" <"$tmp/text" || return 1
	[ "$what" = script ] || $data/results "$tool" "$tmp/perf.data" "$root" "$tmp/truth"
}

# names FLOW OPTIONS...: interrupts, faults and calls of the kernel; of each CPU the last one leads nowhere and is
# not listed
names() {
	encode "$@" || return 1
	"$tool" script -i "$tmp/perf.data" --symfs "$root" --itrace=b -F ip,addr,flags 2>/dev/null |
		awk '/syscall/ { c++ } /hw int/ { i++ } / int / && !/hw int/ { f++ } END { print c + 0, i + 0, f + 0 }' >"$tmp/named"
	tests/gen/qemu/flow-check "$tmp/$1" | tr ',' '\n' |
		awk '$1 == "exceptions" { n[$2] = $3 } END { print n[2] + 0, n[14] + 0, n[12] + 0 }' >"$tmp/were"
	cat "$tmp/named" "$tmp/were"
	awk 'NR == 1 { split($0, a) } NR == 2 { for (k in a) { if (a[k] > $k || a[k] < $k - 2) bad = 1; d += $k - a[k] }
		exit bad || d != 2 || !a[1] || !a[2] || !a[3] }' "$tmp/named" "$tmp/were"
}

# perf_lists STATUS-OF-LOSS FLOWS OPTIONS...: perf lists what ran, in order, all (0) or all but some
perf_lists() {
	may_lose=$1
	shift
	encode "$@" || return 1
	unshare -rm sh -c 'mount --bind "$1" /opt && exec perf script -i "$2" --itrace=b -F pid,tid,cpu,ip,addr' sh \
		"$root/opt" "$tmp/perf.data" >"$tmp/text" 2>"$tmp/err"
	if [ "$may_lose" = 0 ]; then
		$data/compare "$tmp/truth" <"$tmp/text"
		return
	fi
	python3 - "$tmp" <<'EOF'
import glob, re, sys
tmp, lost, total = sys.argv[1], 0, 0
text = [re.findall(r'[0-9a-f]+', re.sub(r'^\s*\d+/', '', line)) for line in open(tmp + '/text')]
for name in glob.glob(tmp + '/executed/branches.*'):
    cpu, tid = re.search(r'cpu(\d+)\.tid(\d+)', name).groups()
    want = [tuple(line.split()) for line in open(name) if not line.startswith('0 ')]
    got = [(a, b) for t, c, a, b in text if (int(c), t) == (int(cpu), tid) and a != '0' and b != '0']
    rest = iter(want)
    for b in got:
        if b not in rest:
            sys.exit('%s => %s: not executed then' % b)
    lost += len(want) - len(got)
    total += len(want)
print('%d of %d branches lost' % (lost, total))
sys.exit(not 0 < lost < 40 or not total)
EOF
}

flow a32 sample.a32 ,cpus=2,slice=3000
flow t32 sample.t32 ,cpus=2,slice=3000
flow alone sample.a32 ''
flow arm library.arm ,cpus=2,slice=4000
flow thumb library.thumb ,cpus=2,slice=4000
flow one sample.a32 ,pid=100,slice=2500
flow two sample.t32 ,pid=200,slice=2500
cpus='--buf=cpu --cpus=2'
forms='--sync=200 --p-atom=200 --p-addr-form=200 --p-addr-more=20 --p-event=10 --p-ignore=10 --p-phantom=500'
while IFS='|' read -r what status flows options; do
	for unit in etmv3 ptm; do
		# $options: words
		check "$unit, $flows: $options" exact "$what" "$status" "$flows" --v7=$unit $options
	done
done <<EOF
all|0|a32|$cpus --sync=1000
script|0|t32|$cpus --cc=1 --no-retstack
all|0|arm|$cpus --bb --p-bb=500 $forms
script|0|thumb|$cpus --ts48 $forms
script|0|alone|--sync=300
script|0|alone|--no-cid --no-ts --cc=1 --no-retstack
script|0|t32|$cpus --fragment=500 --hw-id=global
script|0|a32|$cpus --meta=0 --no-ts
all|0|one two|$cpus
script|0|one two|$cpus --cid=asid
script|0|one two|$cpus --no-cid
script|0|one two|--cpus=2 --no-cid
script|0|one two|--buf=one --cpus=3 --no-cid
script|0|one two|--buf=one --cpus=2 --cc=1
all|3|t32|$cpus --p-ovf=3
EOF
for unit in etmv3 ptm; do
	check "$unit: names of exceptions" names thumb --v7=$unit $cpus
done
if command -v perf >/dev/null && unshare -rm true 2>/dev/null && [ -d /opt ]; then
	for unit in etmv3 ptm; do
		plain='--cid=tid --no-retstack'
		[ $unit = etmv3 ] || plain="$plain --ts48"
		check "$unit: perf lists the branches of a thread" perf_lists 0 alone --v7=$unit $plain
		check "$unit: perf lists branches of interrupted threads" perf_lists 1 a32 --v7=$unit $plain $cpus
		check "$unit: perf lists branches of a library" perf_lists 1 thumb --v7=$unit $plain $cpus --cc=1
	done
else
	echo "# no perf, or no user namespace to put the programs at /opt in"
fi
finish
