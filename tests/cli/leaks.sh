#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every command once, in the sanitized program: nothing is leaked, nor used after it was freed.
"$PERF_CSTRACE" --version | grep -q '^zstd: on' || { echo "perf-cstrace was made without zstd"; exit 77; }
[ -x "$BUILD/asan/tests/fault/perf-cstrace" ] || { echo "no sanitized build (make SANITIZE=1 tests)"; exit 77; }
exec python3 tests/cli/faults.py --asan --count 0
