#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compressed records that expand without end.
"$PERF_CSTRACE" --version | grep -q '^zstd: on' || { echo "perf-cstrace was made without zstd"; exit 77; }
exec python3 tests/cli/expand.py
