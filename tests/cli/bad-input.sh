#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Recordings, program files and snapshots that are damaged or of another kind.
"$PERF_CSTRACE" --version | grep -q '^zstd: on' || { echo "perf-cstrace was made without zstd"; exit 77; }
exec python3 tests/cli/bad_input.py
