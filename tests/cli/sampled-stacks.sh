#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Samples with branch stacks between which ranges are left out.
exec "$(dirname "$0")/sampled_stacks.py" --tool "$PERF_CSTRACE" --gen "$CST_GEN" ${CSTRACE_SHARED:+--truth "$CSTRACE_SHARED/truth"}
