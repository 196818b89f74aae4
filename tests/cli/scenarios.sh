#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Generated recordings of machines on which things change: what was executed is what comes out.
exec "$(dirname "$0")/scenarios.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN"
