#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# -j N: what commands write and say is the same for every N. With a ThreadSanitizer build (make SANITIZE=thread, part of
# the nightly), eight threads decode without a report.
set -eu
here=$(dirname "$0")
tsan=${BUILD:-build}/tsan/perf-cstrace
"$here/jobs.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN"
# a last sample when another thread runs already; an error before the first sample
"$here/jobs.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN" exec:2 phone-bare:1
[ ! -x "$tsan" ] || TSAN_OPTIONS="exitcode=66 halt_on_error=1" \
	"$here/jobs.py" --tool "$tsan" --gen "$CST_GEN" --jobs 8,3 threads kernel jit asid one-sink phone-hidden random0 random1 random2 random4 closed
