#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# opencsd-perf: the stock perf, unchanged, with the drop-in instead of libopencsd.
# `script` prints the executed branches of every truth set but for those that perf itself loses; `report -D`
# prints the packets that it prints with libopencsd; `inject` writes the same file where libopencsd decodes right.
set -u
. tests/interop/peer-perf.sh
perf=$(command -v perf)
drop_in=$(cd "${BUILD:-build}" && pwd)/opencsd
[ -e "$drop_in/libopencsd_c_api.so.1" ] || { echo "not ok - no drop-in in $drop_in"; exit 1; }
"$perf" script --itrace=b -i "$shared/truth/02-interp-etm4-per-cpu/perf.data" --symfs "$symfs" >/dev/null 2>&1 ||
	{ echo "this perf has no CoreSight support"; exit 77; }
n=0 bad=0

result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		[ ! -s "$tmp/why" ] || sed 's/^/# /' "$tmp/why" | head -n 5
		echo "not ok $n - $2"
		bad=1
	fi
}

# dies COMMAND...: perf with libopencsd itself ends by a signal on this input. perf 6.12 does on set 09: it makes
# decoders for as many buffers as there are CPUs, and follows a null pointer where more threads have one each.
dies() {
	code=0
	"$@" >/dev/null 2>&1 || code=$?
	[ "$code" -gt 128 ]
}

skip() {
	n=$((n + 1))
	echo "ok $n # SKIP $1: perf ends by a signal, with libopencsd, too"
}

for data in "$shared"/truth/*/perf.data; do
	set=$(dirname "$data")
	name=$(basename "$set")
	how=
	case $name in
	10-*) how=--any-thread ;;	# without timestamps perf credits up to 1023 packets to the next thread
	14-*) how=--any-cpu ;;		# perf takes every raw buffer for the first CPU's
	15-*) continue ;;		# perf takes the VMID for the thread: it prints nothing
	16-*) continue ;;		# perf applies all mappings before it decodes
	26-*) continue ;;		# has no ranges to tell what was interrupted
	esac
	rc=0
	LD_LIBRARY_PATH=$drop_in "$perf" script --itrace=b -F pid,tid,cpu,ip,addr -i "$(ordered "$data")" --symfs "$symfs" \
		2>"$tmp/why" >"$tmp/lines" || rc=1
	if [ $rc = 1 ] && dies "$perf" script --itrace=b -F ip -i "$(ordered "$data")" --symfs "$symfs"; then
		skip "script: $name"
		continue
	fi
	tests/interop/opencsd-truth.py "$set" $how <"$tmp/lines" >"$tmp/said" 2>>"$tmp/why" || rc=1
	result $rc "script: $(cat "$tmp/said") ($name)"
done

# 1.3.3 leaves out the commits in cycle count packets (set 18) and calls 32-bit addresses with context IS0 that are
# IS1; the packets themselves are the same. A perf that is linked with the drop-in has them on both sides.
without_commits() {
	case $1 in
	18-*) sed '/I_CCNT_F/s/; Commit([0-9]*)$//' ;;
	*) cat ;;
	esac
}
for data in "$shared"/truth/*/perf.data; do
	name=$(basename "$(dirname "$data")")
	case $name in 26-*) continue ;; esac
	"$perf" report -D -i "$data" 2>/dev/null | grep -a 'Idx:' |
		sed '/L_32IS1/s/32 bit, IS0/32 bit, IS1/' | without_commits "$name" >"$tmp/theirs"
	LD_LIBRARY_PATH=$drop_in "$perf" report -D -i "$data" 2>/dev/null | grep -a 'Idx:' |
		without_commits "$name" >"$tmp/ours"
	if [ ! -s "$tmp/ours" ] && dies "$perf" report -D -i "$data"; then
		skip "report -D: $name"
		continue
	fi
	[ -s "$tmp/ours" ] && diff "$tmp/theirs" "$tmp/ours" >"$tmp/why"
	result $? "report -D: $name: $(wc -l <"$tmp/ours") packets"
done

# Those sets on which perf's output with libopencsd 1.3.3 misses nothing but what perf itself loses.
for name in 01-sort-etm4-per-thread 02-interp-etm4-per-cpu 03-interp-ete-trbe 05-sort-a32 06-hash-t32 07-signals \
	08-threads-2cpu 10-threads-no-timestamps 12-processes-trbe-vmid-pid 14-trbe-2cpu 21-overflow-discard \
	23-kernel-traced 25-dense-sync; do
	data=$(ordered "$shared/truth/$name/perf.data")
	rm -f "$tmp/out.data" "$tmp/theirs.data"
	with_opt "$perf" inject --itrace=i1000il64 --strip -f -i "$data" -o "$tmp/out.data" >"$tmp/why" 2>&1
	mv "$tmp/out.data" "$tmp/theirs.data"
	with_opt env LD_LIBRARY_PATH="$drop_in" "$perf" inject --itrace=i1000il64 --strip -f -i "$data" \
		-o "$tmp/out.data" >"$tmp/why" 2>&1
	cmp "$tmp/theirs.data" "$tmp/out.data" >>"$tmp/why" 2>&1
	result $? "inject: $name: $(wc -c <"$tmp/out.data") bytes"
done
echo "1..$n"
exit $bad
