#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Calls of the C library that fail, one in each run of a command: told, and nothing half-written. Then allocations
# in the sanitized program: nothing is leaked, nor used after it was freed.
"$PERF_CSTRACE" --version | grep -q '^zstd: on' || { echo "perf-cstrace was made without zstd"; exit 77; }
python3 tests/cli/faults.py --places || exit 1
[ -z "$CSTRACE_NIGHTLY" ] || python3 tests/cli/faults.py || exit 1
# each allocation of libdw, and of calls in time, and each file that is opened for DWARF
python3 tests/cli/faults.py --every alloc --only "script calls" || exit 1
python3 tests/cli/faults.py --every open --only "script code" || exit 1
# the file of a module, which is read twice
python3 tests/cli/faults.py --every open --only "profile in two threads" || exit 1
python3 tests/cli/faults.py --asan --places || exit 1
[ -z "$CSTRACE_NIGHTLY" ] || exec python3 tests/cli/faults.py --asan
