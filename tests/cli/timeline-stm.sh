#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Messages of an STM in a snapshot are on the timeline, at their times.
exec "$(dirname "$0")/timeline_stm.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN"
