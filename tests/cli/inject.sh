#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What stands in a file that `inject` wrote, beside its samples: from when to when they are, which records were copied.
. tests/cli/tap.sh
. tests/cli/tool.sh
symfs=tests/data/symfs
trbe=tests/data/sample-trbe.perf.data

records() {
	python3 tests/interop/records.py "$1"
}

# Feature 21 holds the times of the first and of the last sample.
cat >"$tmp/span.py" <<'END'
import struct, sys
lines = [l.split() for l in open(sys.argv[1])]
want = [l[2] for l in lines if l[:2] == ["feature", "21"]]
assert len(want) == 1, "no section SAMPLE_TIME"
first, last = struct.unpack("<QQ", bytes.fromhex(want[0]))
# IDENTIFIER, IP, TID, TIME
times = [struct.unpack_from("<Q", bytes.fromhex(l[2]), 32)[0] for l in lines if l[:2] == ["record", "9"]]
assert (first, last) == (min(times), max(times)), (first, last, min(times), max(times))
assert first < last
END
sample_time() {
	run 0 inject -i $trbe --symfs $symfs "$@" -o "$tmp/o" && records "$tmp/o" >"$tmp/r" && python3 "$tmp/span.py" "$tmp/r"
}
check "times of the first and the last sample: branches" sample_time --itrace=b
check "times of the first and the last sample: instructions" sample_time --itrace=i100i
check "times of the first and the last sample: a part" sample_time --itrace=b --time 40%-60%
# Feature 2 holds the build-ids of the files whose code ran.
build_id() {
	sample_time "$@" && grep "^feature 2 " "$tmp/r" | grep -q "$(printf /opt/cstrace-sample/sample.a64 | od -An -v -tx1 | tr -d ' \n')"
}
check "the build-id of the program" build_id --itrace=b
check "the build-id of the program: a part" build_id --itrace=b --time 40%-60%
none() {
	run 0 inject -i tests/data/sample.perf.data --symfs $symfs --itrace=b -o "$tmp/o" && records "$tmp/o" >"$tmp/r" &&
		! grep "^feature 21" "$tmp/r"
}
check "no times without times" none

"$CST_GEN" scenario asid --case 1 --perf "$tmp/data" --truth "$tmp/truth" --symfs "$tmp/root"
switches() {
	copied=$1
	shift
	run 0 inject -i "$tmp/data" --symfs "$tmp/root" --contextid=asid --itrace=b -o "$tmp/o" "$@" || return 1
	n=$(records "$tmp/o" | grep -cE '^record 1[45] ') || :
	[ "$n" -eq "$copied" ] || { echo "$n records of switches, not $copied"; return 1; }
}
recorded=$(records "$tmp/data" | grep -cE '^record 1[45] ')
check "the recording has switches" [ "$recorded" -gt 0 ]
check "records of switches are left out" switches 0
check "--switch-events copies them" switches "$recorded" --switch-events

# The samples of sched_switch get a field that no perf knows.
cat >"$tmp/unknown.py" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
size, at, length = struct.unpack_from("<QQQ", data, 16)
events = [a for a in range(at, at + length, size) if struct.unpack_from("<I", data, a)[0] == 2]
assert len(events) == 1, "one tracepoint"
data[events[0] + 24 + 7] |= 0x40
open(sys.argv[2], "wb").write(data)
END
samples_of_unknown_kind() {
	"$CST_GEN" scenario sched-switch --case 1 --perf "$tmp/known" --truth "$tmp/t2" --symfs "$tmp/r2" &&
		python3 "$tmp/unknown.py" "$tmp/known" "$tmp/unknown" || return 1
	run 0 inject -i "$tmp/known" --symfs "$tmp/r2" --itrace=b -o "$tmp/o" || return 1
	run 3 inject -i "$tmp/unknown" --symfs "$tmp/r2" --itrace=b -o "$tmp/o" || return 1
	n=$(records "$tmp/known" | grep -c '^record 9 ')
	[ "$n" -gt 0 ] && says "$tmp/err" "$tmp/unknown: $n samples are left out"
}
check "samples of an unknown kind are left out, and counted" samples_of_unknown_kind

# ---- compressed records ----
# packed LEVEL LEAST ARGS...: -z of this level gives the same records, LEAST times smaller, in a file and in a pipe.
packed() {
	level=$1 least=$2
	shift 2
	run 0 inject "$@" -o "$tmp/plain" && run 0 inject "$@" "-z${level#default}" -o "$tmp/packed" || return 1
	ratio=$(python3 tests/cli/inject_packed.py "$tmp/plain" "$tmp/packed") || return 1
	level=${level#default}
	[ "${ratio% *}" -eq "${level:-1}" ] && [ "${ratio#* }" -ge "$least" ] || { echo "level and ratio: $ratio"; return 1; }
	run 0 inject "$@" -o - && mv "$tmp/out" "$tmp/plain" && run 0 inject "$@" --compression-level="${level:-1}" -o - &&
		mv "$tmp/out" "$tmp/packed" && python3 tests/cli/inject_packed.py "$tmp/plain" "$tmp/packed" --pipe
}
# A reader that ends early ends the command as without -z: by the signal, whichever thread compresses.
cat >"$tmp/early.py" <<'END'
import signal, subprocess, sys
for jobs in "1", "2", "8":
    command = subprocess.Popen([*sys.argv[1:], "-j", jobs], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    command.stdout.read(16)
    command.stdout.close()  # there is more to come than a pipe holds
    said = command.stderr.read()
    assert command.wait() == -signal.SIGPIPE and not said, (jobs, command.returncode, said)
END
ends_early() {
	python3 "$tmp/early.py" "$tool" inject -i tests/data/sample.perf.data --symfs $symfs --itrace=i20il64 "$@"
}
check "a reader that ends early" ends_early
if "$tool" --version | grep -q '^zstd: on'; then
	check "-z: branches" packed default 5 -i $trbe --symfs $symfs --itrace=b
	check "-z: branch stacks" packed 1 5 -i $trbe --symfs $symfs --itrace=i1000il64
	check "-z: branch stacks, the smallest file" packed 22 10 -i $trbe --symfs $symfs --itrace=i1000il64
	check "-z: call chains, branches and errors" packed 3 5 -i tests/data/sample.perf.data --symfs $symfs --itrace=i100ig16be
	check "-z: a reader that ends early" ends_early -z
	check "-z: a few records" packed 9 0 -i $trbe --symfs $symfs --itrace=i1000000000i
fi
finish
