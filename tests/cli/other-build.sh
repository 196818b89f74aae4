#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Counts of a program that is not the one that ran.
exec "$(dirname "$0")/other_build.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN"
