#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shipped traces: decoded branch by branch as they were executed, by perf-cstrace and by the system's
# perf; so are samples and counts made of them; the recipe gives the same bytes again; the recorded flow is what
# the emulator itself logged.
. tests/cli/tap.sh
tool=${PERF_CSTRACE:-build/perf-cstrace}
build=${BUILD:-build}
data=tests/data

ours() {
	"$tool" script -i $data/$1.perf.data --symfs $data/symfs --itrace=b -F pid,tid,cpu,ip,addr 2>/dev/null |
		$data/compare $data/$1.truth
}

# perf has no --symfs for this, so the programs are put where the recording has them.
theirs() {
	unshare -rm sh -c "mount --bind $data/symfs/opt /opt && perf script -i $data/$1.perf.data --itrace=b \
		-F pid,tid,cpu,ip,addr" 2>/dev/null | $data/compare $data/$1.truth
}

# follow EMULATOR PROGRAM: the flow recorded and the emulator's own log of another run are the same
follow() {
	env -i "$(command -v "$1")" -plugin "$build/tests/gen/qemu/flowlog.so,out=$tmp/flow" \
		$data/symfs/opt/cstrace-sample/$2 >/dev/null &&
		env -i "$(command -v "$1")" -singlestep -d exec,nochain -D "$tmp/log" \
			$data/symfs/opt/cstrace-sample/$2 >/dev/null &&
		tests/gen/qemu/flow-check "$tmp/flow" --log "$tmp/log"
}

skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP $1: $2"
}

samples="sample sample-trbe sample-a32 sample-t32 sample-etmv3 sample-ptm"
for s in $samples; do
	check "$s: decoded as executed" ours $s
	check "$s: samples and counts of what was executed" $data/results "$tool" $data/$s.perf.data $data/symfs \
		$data/$s.truth
done
# perf 6.1 decodes every raw buffer as the first CPU's, so sample-trbe is left out; of Armv7 it takes the whole
# context ID for the thread.
if command -v perf >/dev/null && unshare -rm true 2>/dev/null && [ -d /opt ]; then
	for s in sample sample-a32 sample-t32; do
		check "$s: perf decodes it as executed" theirs $s
	done
else
	skip "perf on the sample" "no perf, or no user namespace to put the programs at /opt in"
fi
if command -v qemu-aarch64 >/dev/null && command -v qemu-arm >/dev/null &&
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory O="$build" qemu >"$tmp/make" 2>&1; then
	check "the recipe gives the same bytes" $data/make-sample.sh "$build" check
	check "A64 flow as the emulator logs it" follow qemu-aarch64 sample.a64
	check "A32 flow as the emulator logs it" follow qemu-arm sample.a32
	check "T32 flow as the emulator logs it" follow qemu-arm sample.t32
else
	skip "flows of the sample" "no qemu-user, or its plugin does not build: $(tail -n 1 "$tmp/make" 2>/dev/null)"
fi
finish
