#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# AUX windows of samples: branch stacks, and every branch once.
exec "$(dirname "$0")/windows.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN"
