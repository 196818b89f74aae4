#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pipe: a recording that comes through a pipe, as from perf record -o -, takes no more memory if it is large, nor more room on disk
# than --spool gives: 256 MB, nightly 4 GB at 200 MB/s; and every round of it is counted.
set -u
. tests/cli/tap.sh
tool=${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}
sample=tests/data/sample.perf.data
rounds=256 rate=0
[ "${CSTRACE_NIGHTLY:-0}" = 0 ] || rounds=4096 rate=200

# What the pipe brings is what the file has.
same() {
	tests/interop/pipe-of.py $sample 1 | "$tool" profile -i - --symfs tests/data/symfs -o "$tmp/pipe" &&
		"$tool" profile -i $sample --symfs tests/data/symfs -o "$tmp/file" && cmp "$tmp/pipe" "$tmp/file"
}
# 119,840 instructions in each round, and a million bytes that are no trace.
large() {
	tests/interop/pipe-memory.py "$tool" "$tmp/counts" tests/data/symfs 64m $sample $rounds $rate 1000000 >"$tmp/log" 2>&1
	tail -n 1 "$tmp/log"
	instructions=$(echo "$((119840 * rounds))" | sed ':a; s/^\([0-9]*\)\([0-9]\{3\}\)/\1,\2/; ta')
	grep -q " $instructions instructions, losses: none" "$tmp/log" || { cat "$tmp/log"; return 1; }
	sed -n '$s/^code 0, .* s, \([0-9]*\) kB, \([0-9]*\) MB$/\1 \2/p' "$tmp/log" | {
		read -r kb mb && [ "$kb" -lt 131072 ] && [ "$mb" -lt 80 ]
	}
}
# A file is mapped; its pages do not stay either.
file() {
	tests/interop/pipe-of.py $sample 256 0 1000000 >"$tmp/large" &&
		python3 - "$tool" "$tmp/large" <<'END'
import resource, subprocess, sys
subprocess.run([sys.argv[1], "profile", "-i", sys.argv[2], "--symfs", "tests/data/symfs", "-o", "/dev/null"], check=True, capture_output=True)
kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(kb, "kB")
sys.exit(kb >= 131072)
END
}
check "a pipe brings what the file has" same
check "$rounds MB through a pipe: below 128 MB of memory, and 80 MB on disk" large
check "256 MB in a file: below 128 MB of memory" file
finish
