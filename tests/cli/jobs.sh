#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# -j N: what commands write and say is the same for every N.
set -eu
exec "$(dirname "$0")/jobs.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN"
