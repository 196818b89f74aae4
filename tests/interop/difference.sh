#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# difference: pairs of builds with known changes, run by the emulator: profile --base has the functions that changed first, and
# each with what was executed in it. CSTRACE_NIGHTLY=1: all pairs.
set -eu
command -v qemu-aarch64 >/dev/null || { echo "no qemu-user"; exit 77; }
command -v aarch64-linux-gnu-gcc >/dev/null || { echo "no aarch64-linux-gnu-gcc"; exit 77; }
exec python3 tests/interop/difference.py --build "${BUILD:-build}" --tool "${PERF_CSTRACE:-${BUILD:-build}/perf-cstrace}"
